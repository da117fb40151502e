# tests/fuzz/fuzz_NAME.c defines LLVMFuzzerTestOneInput. With TS_FUZZ it becomes the libFuzzer program fuzz_NAME; in
# every other configuration replay_NAME, which runs it over the seeds and past crashers in tests/fuzz/NAME/.

# The fuzzers' own configuration has no program; of the surfaces they need what takes in other people's bytes.
if(NOT TARGET tilesight_surfaces)
  file(GLOB surfaces CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/surfaces/mcp/*.c")
  add_library(tilesight_surfaces STATIC ${surfaces} "${PROJECT_SOURCE_DIR}/src/surfaces/home.c"
    "${PROJECT_SOURCE_DIR}/src/surfaces/link_base.c" "${PROJECT_SOURCE_DIR}/src/surfaces/cli/environment.c")
  target_link_libraries(tilesight_surfaces PUBLIC libtilesight PkgConfig::SECCOMP)
endif()

file(GLOB targets CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c")
foreach(source IN LISTS targets)
  string(REGEX REPLACE "^.*/fuzz_([^/]+)\\.c$" "\\1" name "${source}")
  if(TS_FUZZ)
    set(target fuzz_${name})
    add_executable(${target} "${source}")
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    set(target replay_${name})
    add_executable(${target} "${source}" "${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.c")
    ts_add_test("fuzz/${name}" fuzz ${TS_TIMEOUT} ${target} "${PROJECT_SOURCE_DIR}/tests/fuzz/${name}")
  endif()
  target_compile_options(${target} PRIVATE -UNDEBUG)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE tilesight_surfaces)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
endforeach()
