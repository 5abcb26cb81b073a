// A scene as lines of a key and its value, by a walk along the keys: for comparing scenes and for naming what differs.
#pragma once

#include "pliant/scene.h"
#include "scene/namespace.h"

#include <string>
#include <vector>

namespace pliant::scene {

// "materials.jelly.E", "motion[0].waypoints[2].time". A value is exact; points, and words that are long or hold control
// characters, are a count and a hash.
struct SceneLine {
  std::string key, value;

  bool operator==(const SceneLine&) const = default;
};

// every key that applies, those at their defaults too
std::vector<SceneLine> scene_lines(const Scene& scene);

// "12 numbers, hash 0123456789abcdef"
std::string hash_text(const void* data, std::size_t bytes, std::size_t count, const char* called);

// The first difference of two lists, in words; empty: there is none. "contact.friction is 0.5 in a, 0.3 in b"
std::string difference(const std::vector<SceneLine>& a, const std::string& in_a, const std::vector<SceneLine>& b,
                       const std::string& in_b);

// numbers to the last bit
bool same_scene(const Scene& a, const Scene& b);

}  // namespace pliant::scene
