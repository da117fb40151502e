# Read by cpack before it makes a package: what the shared library depends on, as Debian's own tool finds it.

set(folder "${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps")
file(WRITE "${folder}/debian/control" "Source: tilesight\n\nPackage: tilesight\nArchitecture: any\n")
execute_process(COMMAND "${CPACK_TS_SHLIBDEPS}" -O -e "${CPACK_TS_LIBRARY}" WORKING_DIRECTORY "${folder}"
  OUTPUT_VARIABLE found RESULT_VARIABLE status ERROR_VARIABLE said)
if(NOT status EQUAL 0 OR NOT found MATCHES "shlibs:Depends=([^\n]+)")
  message(FATAL_ERROR "dpkg-shlibdeps does not tell what ${CPACK_TS_LIBRARY} depends on: ${said}")
endif()
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
