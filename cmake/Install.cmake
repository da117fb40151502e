# What `cmake --install` lays down, in three components as packages have them: the program with its man pages and completions,
# the shared library, and what is needed to build against it.

# Debian keeps one folder for those of packages and one for the administrator's.
set(zsh site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(zsh vendor-completions)
endif()

if(TS_HAVE_MAIN)
  install(TARGETS tilesight RUNTIME COMPONENT program)
  install(FILES "${TS_COMPLETIONS}/tilesight.bash" COMPONENT program
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME tilesight)
  install(FILES "${TS_COMPLETIONS}/_tilesight" COMPONENT program DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/${zsh}")
  install(FILES "${TS_COMPLETIONS}/tilesight.fish" COMPONENT program
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  if(TS_MAN)
    install(DIRECTORY "${TS_MAN}/" COMPONENT program DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL
      FILES_MATCHING PATTERN "*.1.gz")
  endif()
endif()

install(TARGETS libtilesight_shared
  LIBRARY COMPONENT library NAMELINK_COMPONENT devel)
install(TARGETS libtilesight ARCHIVE COMPONENT devel)
if(TARGET libtilesight_grid)
  install(TARGETS libtilesight_grid ARCHIVE COMPONENT devel)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tilesight" COMPONENT devel DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

# Both files find their prefix from where they lie, so an installation can be moved.
set(TS_PKGCONFIG "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(TS_CMAKE_PACKAGE "${CMAKE_INSTALL_LIBDIR}/cmake/tilesight")
file(RELATIVE_PATH TS_PREFIX_FROM_PKGCONFIG "/${TS_PKGCONFIG}" "/")
string(REGEX REPLACE "/$" "" TS_PREFIX_FROM_PKGCONFIG "${TS_PREFIX_FROM_PKGCONFIG}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tilesight.pc.in" "${PROJECT_BINARY_DIR}/tilesight.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tilesight.pc" COMPONENT devel DESTINATION "${TS_PKGCONFIG}")

include(CMakePackageConfigHelpers)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tilesightConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/tilesightConfig.cmake" INSTALL_DESTINATION "${TS_CMAKE_PACKAGE}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tilesightConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tilesightConfig.cmake" "${PROJECT_BINARY_DIR}/tilesightConfigVersion.cmake"
  COMPONENT devel DESTINATION "${TS_CMAKE_PACKAGE}")
