# pliant_library(NAME LINKS ...): the static library of src/NAME. Its headers are seen as "NAME/file.h", and only by those
# who link it, so that an include against the arrows of the house does not build.
function(pliant_library name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  set(door ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${door})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${door}/${name} SYMBOLIC)
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME pliant_${name})
  target_include_directories(${name} PUBLIC ${door} ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC ${ARG_LINKS})
endfunction()

# pliant_test(NAME FILE LINKS ...): one GoogleTest program. Tests whose name starts with LONG_ run only under the label "long".
function(pliant_test name file)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  # that it may take; sanitizers slow some tests down 40 times
  set(seconds 600)
  if(PLIANT_SANITIZE)
    set(seconds 3600)
  endif()
  add_executable(${name} ${file})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  # where tests find scenes, models and documents
  target_compile_definitions(${name} PRIVATE PLIANT_REPOSITORY="${CMAKE_SOURCE_DIR}")
  # the laws are templates: at -O3 their tests take minutes to compile, under a sanitizer at -O1 too
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0>)
  add_test(NAME ${name} COMMAND ${name} --gtest_filter=-*LONG_*)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds})
  file(STRINGS ${file} long_tests REGEX LONG_)
  if(long_tests)
    add_test(NAME ${name}_long COMMAND ${name} --gtest_filter=*LONG_*)
    set_tests_properties(${name}_long PROPERTIES TIMEOUT 3600 LABELS long)
  endif()
endfunction()
