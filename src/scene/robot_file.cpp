#include "scene/robot_file.h"

#include "scene/robot_model.h"

#include <fmt/core.h>

namespace pliant::scene {

void RobotFiles::check_file(const std::string& path, const std::string& part) {
  RobotContext context = {rules_, findings_, totals_, part};
  const RobotPlace place = {{findings_.add_source(path), 1, 1}};
  const auto known = parts_of_.find(path);
  RobotModel model(context);
  if (known == parts_of_.end()) model.check_file(path, place);
  const double parts = known == parts_of_.end() ? model.parts() : known->second;
  parts_of_[path] = parts;
  add_robot_parts(context, place, parts);
}

void RobotFiles::check_text(const std::string& text, const YamlMark& mark, const std::string& part) {
  RobotContext context = {rules_, findings_, totals_, part};
  RobotModel model(context);
  model.check_text(text, mark);
  add_robot_parts(context, {mark, true, 1}, model.parts());
}

}  // namespace pliant::scene
