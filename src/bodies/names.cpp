#include "bodies/names.h"

#include "core/error.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <numeric>

namespace pliant::bodies {
namespace {

struct Kind {
  mjtObj type;
  const char* word;
  mjtSize mjModel::*count;
};

Kind kind(Part part) {
  switch (part) {
    case Part::body: return {mjOBJ_BODY, "body", &mjModel::nbody};
    case Part::joint: return {mjOBJ_JOINT, "joint", &mjModel::njnt};
    case Part::geom: return {mjOBJ_GEOM, "geom", &mjModel::ngeom};
    case Part::site: return {mjOBJ_SITE, "site", &mjModel::nsite};
    case Part::actuator: return {mjOBJ_ACTUATOR, "actuator", &mjModel::nactuator};
    case Part::sensor: return {mjOBJ_SENSOR, "sensor", &mjModel::nsensor};
    case Part::key: return {mjOBJ_KEY, "keyframe", &mjModel::nkey};
  }
  return {mjOBJ_UNKNOWN, "part", &mjModel::nbody};
}

// number of letters to change, add or drop
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// "arm" alone may be meant as "arm/tool": the ending counts as well as the whole name
std::size_t distance(const std::string& wrong, const std::string& known) {
  const std::size_t slash = known.rfind('/');
  const std::size_t whole = edits(wrong, known);
  return slash == std::string::npos ? whole : std::min(whole, edits(wrong, known.substr(slash + 1)) + 1);
}

}  // namespace

std::vector<std::string> names_of(const mjModel* model, Part part) {
  const Kind k = kind(part);
  std::vector<std::string> names;
  for (int i = 0; i < model->*k.count; ++i) {
    const char* name = mj_id2name(model, k.type, i);
    if (name && *name) names.emplace_back(name);
  }
  return names;
}

int find_part(const mjModel* model, Part part, const std::string& name) {
  return name.empty() ? -1 : mj_name2id(model, kind(part).type, name.c_str());
}

int require_part(const mjModel* model, Part part, const std::string& name, const std::string& who) {
  const int id = find_part(model, part, name);
  if (id < 0) {
    fail(ErrorCode::bad_input, "{}: there is no {} '{}'; {}", who, kind(part).word, name,
         suggest(name, names_of(model, part)));
  }
  return id;
}

std::string suggest(const std::string& wrong, const std::vector<std::string>& known) {
  if (known.empty()) return "there is none";
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
    return distance(wrong, a) < distance(wrong, b);
  });
  if (distance(wrong, *nearest) <= 1 + wrong.size() / 3) return fmt::format("did you mean '{}'?", *nearest);
  std::string list = "known:";
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < std::min(known.size(), most); ++i) list += fmt::format(" '{}'", known[i]);
  return known.size() > most ? fmt::format("{} and {} more", list, known.size() - most) : list;
}

}  // namespace pliant::bodies
