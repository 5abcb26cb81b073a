#include "world/identity.h"

#include "bodies/model_lines.h"
#include "core/hash.h"

#include <fmt/core.h>

#include <algorithm>

namespace pliant::world {
namespace {

bool starts_with_any(std::string_view key, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view s) { return key.starts_with(s); });
}

bool gives_meaning(std::string_view key) {
  if (key == "name" || key == "duration" || key == "max_particles" || key == "max_memory") return false;
  if (key.starts_with("step.")) return key == "step.cell" || key == "step.kernel" || key == "step.transfer";
  if (starts_with_any(key, {"record.", "expect["})) return false;
  return !key.ends_with(".file") && !key.ends_with(".text");
}

// of a piece of matter that comes from a file
SceneLine particles_line(const std::string& name, const Samples& samples) {
  std::uint64_t h = hash_bytes(samples.positions.data(), samples.positions.size() * sizeof(samples.positions[0]));
  h = hash_bytes(samples.volumes.data(), samples.volumes.size() * sizeof(samples.volumes[0]), h);
  return {fmt::format("matter.{}.particles", name), hash_text(&h, sizeof h, samples.positions.size(), "particles")};
}

std::vector<SceneLine> lines_of(const std::string& text) {
  std::vector<SceneLine> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    lines.push_back({printable(line.substr(0, tab)), printable(line.substr(std::min(tab + 1, line.size())))});
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::string out(text.substr(0, longest));
  for (char& c : out)
    if (c < 32 || c > 126) c = '?';
  return text.size() > longest ? out + "..." : out;
}

std::string identity_of(const Scene& scene, const Sampled& sampled, const mjModel* bodies) {
  std::vector<SceneLine> lines = scene_lines(scene);
  std::erase_if(lines, [](const SceneLine& line) { return !gives_meaning(line.key); });
  for (std::size_t g = 0; g < scene.matter.size(); ++g)
    if (scene.matter[g].points.empty() && !scene.matter[g].shape.mesh_file.empty())
      lines.push_back(particles_line(scene.matter[g].name, sampled.matter[g]));
  for (SceneLine& line : model_lines(bodies)) lines.push_back(std::move(line));
  std::string text;
  for (const SceneLine& line : lines) text += line.key + '\t' + line.value + '\n';
  return text;
}

std::string difference(const std::string& saved, const std::string& here) {
  if (saved == here) return "";
  // a text of millions of lines is not taken apart
  if (saved.size() > 10 * here.size() + 100'000)
    return fmt::format("it is described by {} bytes, this world by {}", saved.size(), here.size());
  const std::string words = difference(lines_of(saved), "the snapshot", lines_of(here), "this world");
  return words.empty() ? "its description is spelt in another way" : words;
}

}  // namespace pliant::world
