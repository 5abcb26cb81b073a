// How much an element of a robot's file asks MuJoCo to make.
#pragma once

#include "scene/namespace.h"
#include "scene/xml_tags.h"

#include <filesystem>

namespace pliant::scene {

struct RobotAmount {
  double parts = 0;     // that this element makes, itself included
  double bytes = 0;     // of memory
  double per_part = 0;  // values that it adds to each part, or key frames
  std::string unclear;  // attribute whose value is no number
};

// attributes that are read here
const std::vector<std::string_view>& amount_attributes();

RobotAmount amount_of(const XmlTag& tag);

// how often what stands inside is made; 1 if the count is no number
double replicas_of(const XmlTag& tag);

// memory that a mesh, texture or height field takes, by its size on disk and by what its header says
double asset_memory(const std::filesystem::path& path);

}  // namespace pliant::scene
