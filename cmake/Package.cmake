# Debian packages, made by `cpack` in a folder configured for the prefix /usr (./dev package): tilesight, libtilesight0 and
# libtilesight-dev. A test holds them against lintian.

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  return()
endif()

set(TS_DEBIAN "${PROJECT_BINARY_DIR}/debian")
find_program(GZIP gzip)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(NOT GZIP OR NOT DPKG_SHLIBDEPS)
  return()
endif()

# The changelog of the packages, as Debian compresses it.
add_custom_command(OUTPUT "${TS_DEBIAN}/changelog.gz"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${TS_DEBIAN}"
  COMMAND sh -c "'${GZIP}' -9nc '${PROJECT_SOURCE_DIR}/cmake/debian/changelog' >'${TS_DEBIAN}/changelog.gz'"
  DEPENDS "${PROJECT_SOURCE_DIR}/cmake/debian/changelog" VERBATIM)
add_custom_target(debian ALL DEPENDS "${TS_DEBIAN}/changelog.gz")

set(packages_program tilesight)
set(packages_library "libtilesight${TS_SOVERSION}")
set(packages_devel libtilesight-dev)
foreach(component program library devel)
  set(folder "${CMAKE_INSTALL_DATADIR}/doc/${packages_${component}}")
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/debian/copyright" "${TS_DEBIAN}/changelog.gz"
    COMPONENT ${component} DESTINATION "${folder}")
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilesight)
set(CPACK_PACKAGE_VENDOR tilesight)
set(CPACK_PACKAGE_CONTACT "tilesight maintainers <maintainers@tilesight.invalid>" CACHE STRING "Who answers for the packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library devel)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Packages say for themselves what comes first in their descriptions.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")

string(CONCAT about
  "It answers which operations of a model dominate, why, and whether a change\n"
  "helped, from what Tenstorrent's profilers and the Ascend operator simulator\n"
  "write: for people on the command line, for coding agents over MCP.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ${packages_program})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS ${packages_devel})
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "ask captures of tile-based AI accelerators what happened\n${about}")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${packages_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
  "library that answers questions about captures of AI accelerators\n${about}\n\nThis package holds the shared library.")
# CPack's own way to the control files of a library calls ldconfig from scripts, which dpkg has triggers for; and it knows no
# other for a package whose dependencies it looks up. So both are done here, the latter when the package is made.
file(WRITE "${TS_DEBIAN}/triggers" "activate-noawait ldconfig\n")
file(WRITE "${TS_DEBIAN}/shlibs" "libtilesight ${TS_SOVERSION} ${packages_library} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${TS_DEBIAN}/triggers;${TS_DEBIAN}/shlibs")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS OFF)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/PackageDependencies.cmake")
set(CPACK_TS_SHLIBDEPS "${DPKG_SHLIBDEPS}")
set(CPACK_TS_LIBRARY "${PROJECT_BINARY_DIR}/libtilesight.so")

set(CPACK_DEBIAN_DEVEL_PACKAGE_NAME ${packages_devel})
set(CPACK_DEBIAN_DEVEL_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVEL_PACKAGE_SHLIBDEPS OFF)
# The libraries are those that tilesight.pc requires.
set(CPACK_DEBIAN_DEVEL_PACKAGE_DEPENDS
  "${packages_library} (= ${PROJECT_VERSION}), libyyjson-dev, libsqlite3-dev, libyaml-dev, libzstd-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVEL_DESCRIPTION
  "library that answers questions about captures of AI accelerators (development)\n${about}\n\n\
This package holds the headers, also of the recorder of NoC events that\nkernels include, and the static library.")
include(CPack)
