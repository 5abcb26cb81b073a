#include "world/sampled.h"

#include "core/error.h"
#include "material/cloth.h"
#include "scene/touching.h"
#include "world/named.h"

namespace pliant::world {
namespace {

Samples samples_of(const Matter& matter, const Scene& scene) {
  if (!matter.points.empty()) return {matter.points, std::vector<double>(matter.points.size(), matter.point_volume)};
  const Material& material = scene.materials[find_named(scene.materials, matter.material, "material")];
  const Sampling sampling = sampling_of(matter, material, scene.dimension);
  const bool balls = touch_by(matter, material, scene.dimension) == TouchBy::balls;
  return sample(matter.shape, sampling, scene.step.cell, scene.dimension, scene.max_particles, balls,
                kernel_smear(scene.step.kernel, scene.step.cell));
}

void warn_of_points_alone(const Matter& matter, Sampled& all) {
  const Samples& samples = all.matter.back();
  if (!samples.areas.empty() && samples.triangles.empty())
    all.warnings.push_back(fmt::format(
        "matter '{}': edges of mesh '{}' have more than two triangles, so its surface is points alone: it "
        "touches with them, but world.surfaces has no triangles of it; give a mesh whose parts do not share "
        "edges",
        matter.name, matter.shape.mesh_file));
}

// layers and bodies feel a sheet by its particles; between those of larger triangles they pass
constexpr double widest_mesh = 1.5;  // cells

void warn_of_wide_mesh(const Matter& matter, double cell, Sampled& all) {
  const double edge = mean_edge(all.sheets.back());
  if (edge > widest_mesh * cell)
    all.warnings.push_back(
        fmt::format("cloth '{}': its edges are {:.3g} m long, cells {:.3g} m: layers and thin bodies may pass through "
                    "it; use a finer mesh (spacing) or larger cells",
                    matter.name, edge, cell));
}

}  // namespace

Sampled sample_all(const Scene& scene) {
  Sampled all;
  for (const Matter& matter : scene.matter) {
    all.sheets.emplace_back();
    if (matter.shape.kind == Shape::Kind::cloth && matter.points.empty()) {
      all.sheets.back() = sheet_mesh(matter.shape, scene.step.cell, scene.max_particles);
      all.matter.push_back(sheet_samples(all.sheets.back(), matter.shape.thickness, Cloth<double>::centroid_share));
      warn_of_wide_mesh(matter, scene.step.cell, all);
    } else {
      all.matter.push_back(samples_of(matter, scene));
      warn_of_points_alone(matter, all);
    }
    if (all.matter.back().positions.empty())
      fail(ErrorCode::bad_input, "matter '{}' is empty: no particle fits; use more particles per cell or smaller cells",
           matter.name);
    all.count += all.matter.back().positions.size();
  }
  if (all.count > scene.max_particles)
    fail(ErrorCode::too_large, "the scene has {} particles, more than max_particles = {}; use larger cells or raise it",
         all.count, scene.max_particles);
  return all;
}

}  // namespace pliant::world
