#include "cases.h"

#include "pliant/error.h"
#include "pliant/scene_file.h"

#include <algorithm>
#include <filesystem>

namespace pliant::guard {
namespace {

struct Row {
  const char* scene;
  const char* method;
  int steps = 40;
  int unseen = 0;  // for what happens later than at the start
};

// Fewer steps where a step is slow; some again later, when robots have come to the matter. Cloth has no strong step.
constexpr Row table[] = {
    {"arm_stirs_sand", "one_way"},
    {"arm_stirs_sand", "async"},
    {"arm_stirs_sand", "strong", 10},
    {"arm_stirs_sand", "one_way", 40, 200},
    {"arm_stirs_sand", "async", 40, 200},
    {"ball_on_slope", "strong"},
    {"ball_on_slope", "async"},
    {"ball_on_slope", "one_way"},
    {"box_bagging", "async"},
    {"box_bagging", "async", 40, 500},
    {"box_bagging", "one_way"},
    {"cloth_drape", "async"},
    {"cloth_drape", "one_way"},
    {"dough_rolling", "async"},
    {"dough_rolling", "async", 40, 230},
    {"dough_rolling", "strong"},
    {"dough_rolling", "strong", 40, 230},
    {"dough_rolling", "one_way"},
    {"dough_tearing", "strong"},
    {"dough_tearing", "strong", 40, 150},
    {"dough_tearing", "async"},
    {"dough_tearing", "one_way"},
    {"four_materials", "async"},
    {"four_materials", "strong", 20},
    {"four_materials", "one_way"},
    {"incline", "async"},
    {"incline", "strong"},
    {"incline", "one_way"},
    {"laundry", "async"},
    {"laundry", "async", 40, 310},
    {"laundry", "one_way"},
    {"pick_cube", "strong"},
    {"pick_cube", "strong", 40, 100},
    {"pick_cube", "async"},
    {"pick_cube", "async", 40, 100},
    {"pick_cube", "one_way"},
    {"pneumatic_leg", "async"},
    {"sand_scoop", "async"},
    {"sand_scoop", "strong", 10},
    {"sand_scoop", "one_way"},
    {"shake", "async"},
    {"shake", "async", 40, 200},
    {"shake", "strong"},
    {"shake", "strong", 40, 200},
    {"shake", "one_way"},
    {"shirt_folding", "async"},
    {"shirt_folding", "async", 40, 400},
    {"shirt_folding", "one_way"},
    {"soft_arm", "async"},
    {"soft_billiards", "async", 40, 60},
    {"soft_crawler", "async"},
    {"soft_finger", "async"},
    {"soft_quadruped", "async"},
    {"soft_swing", "async"},
    {"soft_walker", "async"},
    {"squeeze", "async"},
    {"squeeze", "async", 40, 400},
    {"squeeze", "strong"},
    {"squeeze", "one_way"},
    {"water_pouring", "async"},
    {"water_pouring", "async", 40, 230},
    {"water_pouring", "strong"},
    {"water_pouring", "strong", 40, 230},
    {"water_pouring", "one_way"},
};

void require_all_known(const std::string& scenes) {
  for (const auto& entry : std::filesystem::directory_iterator(scenes)) {
    const std::filesystem::path path = entry.path();
    if (path.extension() != ".yaml") continue;
    const bool known =
        std::any_of(std::begin(table), std::end(table), [&](const Row& row) { return path.stem() == row.scene; });
    if (!known)
      throw Error(ErrorCode::bad_input,
                  "scene '" + path.stem().string() + "' is no case of the guard; add it to " + "tests/guard/cases.cpp");
  }
}

}  // namespace

std::vector<Case> scene_cases(const std::string& scenes, const std::string& models) {
  require_all_known(scenes);
  std::vector<Case> cases;
  for (const Row& row : table) {
    const std::string file = scenes + "/" + row.scene + ".yaml";
    SceneFileOptions options;
    options.models = models;
    options.overrides = {{"step.method", row.method}};
    Case one;
    one.name = std::string(row.scene) + "/" + row.method;
    if (row.unseen) one.name += "/" + std::to_string(row.unseen);
    one.steps = row.steps, one.unseen = row.unseen;
    one.make = [file, options] { return World(load_scene_file(file, options), threads); };
    cases.push_back(one);
  }
  return cases;
}

}  // namespace pliant::guard
