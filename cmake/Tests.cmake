# Tests are found, not listed:
#   tests/unit/MODULE/test_NAME.c     one program each, linked with the library, the surfaces and cmocka
#   tests/FOLDER/test_NAME.{sh,py}    run with TILESIGHT=the built program, for the folders below
#   tests/bench/bench_NAME.c          one program each, left beside tilesight for tests/bench/bench.py; no test
#   tests/support/*.c                 helpers that unit tests share (include root: tests/)
#   tests/faults/NAME.c               preloaded into the program by the scripts beside it; not with sanitizers
#   tests/protocol/NAME.c             a helper program of scripts, which find it as TS_BUILD_DIR/tests/NAME
# Names are FOLDER/NAME (unit/MODULE/NAME), labels are the folders, and exit status 77 is a skip.

set(TS_SCRIPT_FOLDERS golden protocol cli faults docs device peers)
set(TS_SKIP 77)
set(slowness 1)
if(TS_SANITIZE OR TS_COVERAGE)
  set(slowness 3)
endif()
math(EXPR TS_TIMEOUT "120 * ${slowness}")
math(EXPR TS_LONG_TIMEOUT "300 * ${slowness}")
set(TS_TEST_PREFIX "")
if(TS_CONFIG)
  set(TS_TEST_PREFIX "${TS_CONFIG}:")
endif()

set(TS_TEST_ENVIRONMENT
  "TILESIGHT=${PROJECT_BINARY_DIR}/tilesight"
  "TILESIGHT_SANITIZE=${TS_SANITIZE}"
  "TILESIGHT_COVERAGE=${TS_COVERAGE}"
  "TS_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "TS_BUILD_DIR=${PROJECT_BINARY_DIR}"
  "TS_TEST_DATA=${PROJECT_SOURCE_DIR}/tests/data"
  "PYTHONDONTWRITEBYTECODE=1"
  "UBSAN_OPTIONS=print_stacktrace=1")

# TILESIGHT_SHARED is decided when the tests run, not when they are configured.
configure_file("${PROJECT_SOURCE_DIR}/cmake/TestShared.cmake.in" "${PROJECT_BINARY_DIR}/TestShared.cmake" @ONLY)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${PROJECT_BINARY_DIR}/TestShared.cmake")

# ts_add_test(NAME LABEL TIMEOUT COMMAND...)
function(ts_add_test name label timeout)
  add_test(NAME "${TS_TEST_PREFIX}${name}" COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
  set_tests_properties("${TS_TEST_PREFIX}${name}" PROPERTIES LABELS "${label}" TIMEOUT ${timeout}
    SKIP_RETURN_CODE ${TS_SKIP} ENVIRONMENT "${TS_TEST_ENVIRONMENT}")
endfunction()

add_library(ts_test_options INTERFACE)
target_compile_options(ts_test_options INTERFACE -UNDEBUG)
target_compile_definitions(ts_test_options INTERFACE
  TS_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
  TS_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  TS_BUILD_DIR="${PROJECT_BINARY_DIR}")
target_include_directories(ts_test_options INTERFACE "${PROJECT_SOURCE_DIR}/tests")

if(CMOCKA_FOUND)
  # Whatever interposes malloc or read must not reach a test that did not ask for it: such files are included by name.
  file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.c")
  list(FILTER support EXCLUDE REGEX "interpose[^/]*$")
  add_library(ts_test_support STATIC ${support} "${PROJECT_BINARY_DIR}/empty.c")
  target_link_libraries(ts_test_support PUBLIC ts_test_options tilesight_surfaces PkgConfig::CMOCKA)

  file(GLOB tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/unit/*/test_*.c")
  foreach(source IN LISTS tests)
    string(REGEX REPLACE "^.*/tests/unit/([^/]+)/test_([^/]+)\\.c$" "\\1/\\2" name "${source}")
    string(REPLACE "/" "_" target "test_${name}")
    add_executable(${target} "${source}")
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    target_link_libraries(${target} PRIVATE ts_test_support)
    if(TARGET libtilesight_grid)
      target_link_libraries(${target} PRIVATE libtilesight_grid)
    endif()
    ts_add_test("unit/${name}" unit ${TS_TIMEOUT} ${target})
  endforeach()
else()
  message(STATUS "cmocka is not installed: no unit tests")
endif()

file(GLOB helpers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/protocol/*.c")
foreach(source IN LISTS helpers)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(helper_${name} "${source}")
  set_target_properties(helper_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  target_link_libraries(helper_${name} PRIVATE ts_options PkgConfig::SECCOMP)
endforeach()

if(NOT TS_SANITIZE)
  file(GLOB preloaded CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/faults/*.c")
  foreach(source IN LISTS preloaded)
    get_filename_component(name "${source}" NAME_WE)
    add_library(preload_${name} MODULE "${source}")
    set_target_properties(preload_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    target_link_libraries(preload_${name} PRIVATE ts_options ${CMAKE_DL_LIBS})
  endforeach()
endif()

foreach(folder IN LISTS TS_SCRIPT_FOLDERS)
  if(folder STREQUAL "peers" AND NOT TS_TEST_PEERS)
    continue()
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/tests/${folder}/test_*.sh" "${PROJECT_SOURCE_DIR}/tests/${folder}/test_*.py")
  foreach(script IN LISTS scripts)
    string(REGEX REPLACE "^.*/test_([^/]+)\\.(sh|py)$" "\\1" name "${script}")
    if(script MATCHES "\\.py$")
      if(NOT Python3_FOUND)
        message(STATUS "python3 is not installed: ${folder}/${name} is left out")
        continue()
      endif()
      set(command "${Python3_EXECUTABLE}" "${script}")
    else()
      set(command sh "${script}")
    endif()
    if(folder STREQUAL "faults")
      # Thousands of runs each.
      ts_add_test("${folder}/${name}" ${folder} ${TS_LONG_TIMEOUT} ${command})
    elseif(folder STREQUAL "peers")
      # Peers install their clients into one place.
      ts_add_test("${folder}/${name}" ${folder} ${TS_LONG_TIMEOUT} ${command})
      set_tests_properties("${TS_TEST_PREFIX}${folder}/${name}" PROPERTIES RESOURCE_LOCK peers)
    else()
      ts_add_test("${folder}/${name}" ${folder} ${TS_TIMEOUT} ${command})
    endif()
  endforeach()
endforeach()

if(TS_TEST_STYLE AND Python3_FOUND)
  set(checker "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/check_includes.py")
  ts_add_test(style/includes style 60 ${checker} "${PROJECT_SOURCE_DIR}")
  ts_add_test(style/includes_self_test style 60 ${checker} --self-test)
  ts_add_test(style/format style 60 "${PROJECT_SOURCE_DIR}/dev" format --check)
endif()

add_custom_target(bench)
file(GLOB benches CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/bench/bench_*.c")
foreach(source IN LISTS benches)
  get_filename_component(target "${source}" NAME_WE)
  add_executable(${target} "${source}")
  target_link_libraries(${target} PRIVATE libtilesight)
  add_dependencies(bench ${target})
endforeach()
