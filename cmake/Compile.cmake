# How every C file is compiled and every program is linked.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g0 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g3")
set(CMAKE_COLOR_DIAGNOSTICS ON)

include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

add_library(ts_options INTERFACE)

# Floating-point results must not depend on whether the processor has fused multiply-add.
target_compile_options(ts_options INTERFACE -ffp-contract=off -fstack-protector-strong
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wvla -Wformat=2 -Wno-format-nonliteral)
target_compile_definitions(ts_options INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
# For what is not a test: tests interpose functions and define entry points that no header declares.
add_library(ts_product_options INTERFACE)
target_compile_options(ts_product_options INTERFACE -Wmissing-prototypes)

if(TS_WERROR)
  target_compile_options(ts_options INTERFACE -Werror)
endif()

# Start-up time is part of every answer: no PLT, small hash tables, and only the libraries that are used.
target_compile_options(ts_options INTERFACE $<$<CONFIG:Release>:-fno-plt> -ffunction-sections -fdata-sections)
target_link_options(ts_options INTERFACE -Wl,-z,relro -Wl,-z,noexecstack -Wl,--as-needed -Wl,-O1
  -Wl,--hash-style=gnu -Wl,--gc-sections)

if(TS_SANITIZE)
  set(sanitize -fsanitize=${TS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g)
  target_compile_options(ts_options INTERFACE ${sanitize})
  target_link_options(ts_options INTERFACE ${sanitize})
endif()
if(TS_FUZZ)
  set(fuzz -fsanitize=fuzzer-no-link)
  target_compile_options(ts_options INTERFACE ${fuzz})
endif()

option(TS_COVERAGE "Instrument for llvm-cov (needs clang)" OFF)
if(TS_SANITIZE OR TS_COVERAGE)
  target_compile_definitions(ts_options INTERFACE TS_INSTRUMENTED)
endif()
if(TS_COVERAGE)
  target_compile_options(ts_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(ts_options INTERFACE -fprofile-instr-generate)
endif()
