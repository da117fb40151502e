# The libraries that are linked, found by pkg-config. docs/architecture.md says what each is for.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(YYJSON REQUIRED IMPORTED_TARGET yyjson)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)

if(NOT TS_FUZZ)
  pkg_check_modules(SMARTCOLS REQUIRED IMPORTED_TARGET smartcols)
  if(TS_TESTS)
    pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
    find_package(Python3 COMPONENTS Interpreter)
  endif()
endif()
