# libtilesight: the layers left of the surfaces, in the order in which they may include each other.

set(TS_LAYERS base formats models questions transforms api)

set(TS_LIBRARY_SOURCES)
foreach(layer IN LISTS TS_LAYERS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${layer}/*.c")
  list(APPEND TS_LIBRARY_SOURCES ${sources})
  if(layer STREQUAL "formats")
    # The readers are the hot path.
    if(NOT TS_SANITIZE)
      set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
    endif()
  endif()
endforeach()

# A static library needs at least one object, also while the tree is being laid out.
set(empty "${PROJECT_BINARY_DIR}/empty.c")
if(NOT EXISTS "${empty}")
  file(WRITE "${empty}" "typedef int ts_empty;\n")
endif()

add_library(libtilesight STATIC ${TS_LIBRARY_SOURCES} "${empty}")
set_target_properties(libtilesight PROPERTIES OUTPUT_NAME tilesight C_VISIBILITY_PRESET hidden)
target_include_directories(libtilesight PUBLIC
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(libtilesight PUBLIC TS_VERSION="${PROJECT_VERSION}")
target_link_libraries(libtilesight PRIVATE ts_product_options PUBLIC ts_options
  PkgConfig::YYJSON PkgConfig::SQLITE PkgConfig::YAML PkgConfig::ZSTD PkgConfig::ZLIB Threads::Threads m)

# The same objects as a shared library, from which only what the public headers mark TS_API can be seen. Its number goes up
# with each release that takes away or changes what is there.
set(TS_SOVERSION 0)
if(NOT TS_FUZZ)
  add_library(libtilesight_shared SHARED "${empty}")
  set_target_properties(libtilesight_shared PROPERTIES OUTPUT_NAME tilesight VERSION "${PROJECT_VERSION}"
    SOVERSION "${TS_SOVERSION}" C_VISIBILITY_PRESET hidden)
  target_link_libraries(libtilesight_shared PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,libtilesight>")
endif()

# The host model that kernels with noc_trace.h run on stands beside all this and knows none of it.
file(GLOB_RECURSE TS_GRID_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/grid/*.c")
if(TS_GRID_SOURCES)
  add_library(libtilesight_grid STATIC ${TS_GRID_SOURCES})
  set_target_properties(libtilesight_grid PROPERTIES OUTPUT_NAME tilesight_grid)
  target_include_directories(libtilesight_grid PUBLIC
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(libtilesight_grid PRIVATE ts_product_options PUBLIC ts_options Threads::Threads)
endif()
