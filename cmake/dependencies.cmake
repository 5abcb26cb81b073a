# Every C++ dependency, in one place. Why each is there: the table in README.md.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB 2021.8 REQUIRED)
find_package(fmt 9.1 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)

# MuJoCo comes as a Python package (mujoco-core) with headers and one shared library, but nothing for CMake. The library is
# found at run time where it was at build time, or beside an installed pliant.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0])"
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE mujoco_folder COMMAND_ERROR_IS_FATAL ANY)
file(GLOB mujoco_library ${mujoco_folder}/libmujoco.so.4.0.*)
add_library(mujoco SHARED IMPORTED)
set_target_properties(
  mujoco PROPERTIES IMPORTED_LOCATION ${mujoco_library} INTERFACE_INCLUDE_DIRECTORIES ${mujoco_folder}/include)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../mujoco")

if(PLIANT_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
if(PLIANT_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()
