# What `cmake --install` lays down: the program, the library with its headers, the man pages.

if(TS_HAVE_MAIN)
  install(TARGETS tilesight RUNTIME)
endif()
install(TARGETS libtilesight ARCHIVE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tilesight" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" OPTIONAL)
if(TS_MAN_PAGES)
  foreach(page IN LISTS TS_MAN_PAGES)
    string(REGEX MATCH "[0-9]$" section "${page}")
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}" OPTIONAL)
  endforeach()
endif()

configure_file("${PROJECT_SOURCE_DIR}/cmake/tilesight.pc.in" "${PROJECT_BINARY_DIR}/tilesight.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tilesight.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
