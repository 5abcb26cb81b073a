// Seconds that a step of a scene takes, through the public API alone, so that any two builds can be compared.
//
//   step_bench SCENE METHOD WARM STEPS     SCENE: a scene file, or "cube", the falling cube of 64,000 particles
//
// Prints wall seconds and CPU seconds (of all threads together) per step, after WARM steps that do not count.
#include "falling_cube.h"
#include "pliant/scene_file.h"
#include "pliant/world.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace pliant::bench {
namespace {

constexpr int threads = 2;

Scene scene_of(const std::string& scene, const std::string& method) {
  if (scene == "cube") return falling_cube({});
  SceneFileOptions options;
  options.models = (std::filesystem::path(scene).parent_path().parent_path() / "models").string();
  options.overrides = {{"step.method", method}};
  return load_scene_file(scene, options);
}

void run(const std::string& scene, const std::string& method, int warm, int steps) {
  World world(scene_of(scene, method), threads);
  for (int i = 0; i < warm; ++i) world.step();
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  for (int i = 0; i < steps; ++i) world.step();
  const double cpu = double(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%.9g %.9g\n", wall / steps, cpu / steps);
}

}  // namespace
}  // namespace pliant::bench

int main(int argc, char** argv) {
  const int warm = argc == 5 ? std::atoi(argv[3]) : -1, steps = argc == 5 ? std::atoi(argv[4]) : 0;
  if (warm < 0 || steps < 1) {
    std::fprintf(stderr, "usage: step_bench SCENE METHOD WARM STEPS\n");
    return 2;
  }
  try {
    pliant::bench::run(argv[1], argv[2], warm, steps);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "step_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
