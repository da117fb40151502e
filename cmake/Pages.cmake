# What is made from the declarations of questions and commands: reference pages, man pages, completions.

# Writes docs/questions/ (a test compares).
add_executable(ts-make-pages "${PROJECT_SOURCE_DIR}/tools/make_pages.c" "${PROJECT_SOURCE_DIR}/tools/write.c")
target_link_libraries(ts-make-pages PRIVATE ts_product_options libtilesight)

if(NOT TS_HAVE_MAIN)
  return()
endif()

foreach(tool man completion)
  add_executable(ts-make-${tool} "${PROJECT_SOURCE_DIR}/tools/make_${tool}.c" "${PROJECT_SOURCE_DIR}/tools/subject.c"
    "${PROJECT_SOURCE_DIR}/tools/write.c")
  target_link_libraries(ts-make-${tool} PRIVATE ts_product_options tilesight_surfaces)
endforeach()

set(TS_COMPLETIONS "${PROJECT_BINARY_DIR}/completions")
add_custom_command(OUTPUT "${TS_COMPLETIONS}/_tilesight"
  BYPRODUCTS "${TS_COMPLETIONS}/tilesight.bash" "${TS_COMPLETIONS}/tilesight.fish"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${TS_COMPLETIONS}"
  COMMAND ts-make-completion "${TS_COMPLETIONS}"
  DEPENDS ts-make-completion VERBATIM)
add_custom_target(completions ALL DEPENDS "${TS_COMPLETIONS}/_tilesight")

# Man pages, where scdoc is there to make them. Which there are is known only when they are made.
find_program(SCDOC scdoc)
if(SCDOC)
  set(TS_MAN "${PROJECT_BINARY_DIR}/man")
  file(GLOB sections CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.scd" "${PROJECT_SOURCE_DIR}/docs/examples/*.txt")
  add_custom_command(OUTPUT "${TS_MAN}/tilesight.1.gz"
    COMMAND sh "${PROJECT_SOURCE_DIR}/tools/man.sh" "${SCDOC}" $<TARGET_FILE:ts-make-man> "${PROJECT_SOURCE_DIR}/docs"
      "${PROJECT_SOURCE_DIR}/cmake/debian/changelog" "${TS_MAN}"
    DEPENDS ts-make-man "${PROJECT_SOURCE_DIR}/tools/man.sh" "${PROJECT_SOURCE_DIR}/cmake/debian/changelog" ${sections} VERBATIM)
  add_custom_target(man ALL DEPENDS "${TS_MAN}/tilesight.1.gz")
endif()
