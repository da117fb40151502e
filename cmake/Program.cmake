# The program tilesight: the surfaces and main. The surfaces are a library so that unit tests can link them.

file(GLOB_RECURSE TS_SURFACE_SOURCES CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/src/surfaces/cli/*.c" "${PROJECT_SOURCE_DIR}/src/surfaces/mcp/*.c")
file(GLOB TS_SURFACE_TOP_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/surfaces/*.c")
set(TS_MAIN_SOURCE "${PROJECT_SOURCE_DIR}/src/surfaces/main.c")
if(TS_MAIN_SOURCE IN_LIST TS_SURFACE_TOP_SOURCES)
  set(TS_HAVE_MAIN ON)
  list(REMOVE_ITEM TS_SURFACE_TOP_SOURCES "${TS_MAIN_SOURCE}")
else()
  set(TS_HAVE_MAIN OFF)
endif()

add_library(tilesight_surfaces STATIC ${TS_SURFACE_SOURCES} ${TS_SURFACE_TOP_SOURCES} "${PROJECT_BINARY_DIR}/empty.c")
set_target_properties(tilesight_surfaces PROPERTIES C_VISIBILITY_PRESET hidden)
target_link_libraries(tilesight_surfaces PRIVATE ts_product_options PUBLIC libtilesight PkgConfig::SMARTCOLS PkgConfig::SECCOMP)

if(TS_HAVE_MAIN)
  add_executable(tilesight "${TS_MAIN_SOURCE}")
  set_target_properties(tilesight PROPERTIES C_VISIBILITY_PRESET hidden
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(tilesight PRIVATE ts_product_options tilesight_surfaces)
else()
  message(STATUS "src/surfaces/main.c is not there: the program is not built")
  add_custom_target(tilesight)
endif()
