#include "world/make_model.h"

#include "bodies/assemble.h"
#include "bodies/ik.h"
#include "contact/boundary_sides.h"
#include "contact/pairs.h"
#include "core/eigen_symmetric.h"
#include "core/error.h"
#include "material/law_info.h"
#include "scene/touching.h"
#include "step/actuators.h"
#include "world/identity.h"
#include "world/named.h"
#include "world/overlap.h"

#include <algorithm>
#include <cmath>

namespace pliant::world {
namespace {

// distances far finer than the grid that feels them, in cells
constexpr double distance_tolerance = 0.02;

// A piece that is thicker loses as one of so many cells: the substeps that its loss needs grow with its size.
constexpr double most_cells_of_loss = 16;

// m, of a box with the same smallest second moment: its shortest edge. Of a ball it is 1.55 radii.
double thickness(const std::vector<Vec3>& points, int dimension) {
  Vec3 mean = {0, 0, 0};
  for (const Vec3& x : points)
    for (std::size_t d = 0; d < 3; ++d) mean[d] += x[d] / double(points.size());
  Matrix<double, 3> moment = Matrix<double, 3>::zero();
  for (const Vec3& x : points)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        moment(int(a), int(b)) += (x[a] - mean[a]) * (x[b] - mean[b]) / double(points.size());
  // out of the plane of a 2-D scene nothing is thin
  if (dimension == 2) moment(2, 2) = moment(0, 0) + moment(1, 1);
  const Vector<double, 3> values = eigen_symmetric(moment).values;
  return std::sqrt(12 * std::max(0.0, std::min({values[0], values[1], values[2]})));
}

template <class S>
void add_matter(const Scene& scene, const Sampled& sampled, Model<S>& model) {
  std::size_t next = 0;
  for (std::size_t g = 0; g < scene.matter.size(); ++g) {
    const std::size_t count = sampled.matter[g].positions.size();
    model.groups.push_back({next, next + count});
    next += count;
    const std::size_t m = find_named(scene.materials, scene.matter[g].material, "material");
    model.materials.push_back(scene.materials[m]);
    model.laws.push_back(make_law<S>(model.materials.back()));
    model.thicknesses.push_back(thickness(sampled.matter[g].positions, scene.dimension));
    const double size = std::min(model.thicknesses.back(), most_cells_of_loss * scene.step.cell);
    model.loss_viscosities.push_back(loss_viscosity(model.materials.back(), size));
    model.scene.matter[g].points = {};  // model.first has them
  }
}

// Friction is what makes a piece walk in explicit substeps (README.md of material): up to this coefficient its loss stops
// that, beyond it takes more. A block on 45 degrees with 1.2 needs .36 in place of .15.
constexpr double calm_friction = 0.5;

template <class S>
void strengthen_loss(const Scene& scene, Model<S>& model) {
  if (scene.step.method == Method::strong) return;
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    double friction = 0;
    for (const GeomPath& path : model.bodies.geoms)
      friction = std::max(friction, contact::pair_law(scene.contact, scene.matter[g].name, model.materials[g],
                                                      contact::partner_of(path.geom))
                                        .friction);
    model.loss_viscosities[g] *= std::max(1.0, friction / calm_friction);
  }
}

// how each piece touches
template <class S>
void add_surfaces(const Scene& scene, const Sampled& sampled, Model<S>& model) {
  for (std::size_t g = 0; g < scene.matter.size(); ++g) {
    const Samples& samples = sampled.matter[g];
    PieceSurface surface;
    switch (touch_by(scene.matter[g], model.materials[g], scene.dimension)) {
      case TouchBy::centers: break;
      case TouchBy::surface:
        surface.begin = std::uint32_t(model.groups[g].begin);
        surface.end = std::uint32_t(surface.begin + samples.areas.size());
        surface.areas = samples.areas;
        surface.triangles = samples.triangles;
        for (const Vec3& f : samples.facing) surface.facing.push_back({{f[0], f[1], f[2]}});
        break;
      case TouchBy::balls:
        surface.begin = std::uint32_t(model.groups[g].begin);
        surface.end = std::uint32_t(model.groups[g].end);
        surface.radii = samples.radii;
        surface.thins = info(model.materials[g].law).resists_only_pressure && scene.step.method == Method::async;
        // pieces given by points have no shape that their balls could stick out of
        if (surface.radii.empty())
          for (const double volume : samples.volumes) surface.radii.push_back(0.5 * std::cbrt(volume));
        break;
    }
    model.surfaces.push_back(std::move(surface));
    model.masses_fitted.push_back(!samples.masses.empty());
  }
}

template <class S>
void add_sheets(const Scene& scene, const Sampled& sampled, Model<S>& model) {
  std::uint32_t pins = 0;
  for (std::size_t g = 0; g < scene.matter.size(); ++g) {
    if (!sampled.sheets[g].triangles.empty())
      model.sheets.push_back({g, model.groups[g], Cloth<S>::make(model.materials[g]),
                              make_sheet<S>(sampled.sheets[g], scene.matter[g], model.materials[g], pins)});
    pins += std::uint32_t(scene.matter[g].pins.size());
  }
}

// the bodies check those of their own
template <class S>
void add_motions(const Scene& scene, bool has_bodies, Model<S>& model) {
  for (const Motion& motion : scene.motion) {
    check_motion(motion);
    if (motion.kind == Motion::Kind::boundary)
      model.boundary_motions.push_back({find_named(scene.boundaries, motion.target, "boundary"), motion});
    else if (moves_bodies(motion.kind) && !has_bodies)
      fail(ErrorCode::bad_input, "motion of '{}': the scene has no bodies; add some, or move a boundary",
           motion.target);
  }
}

template <class S>
void add_actuators(const Scene& scene, Model<S>& model) {
  for (const Actuator& a : scene.actuators)
    model.actuators.push_back(
        {find_named(scene.matter, a.matter, "matter"), step::stress_per_value(a, scene.dimension), {}});
  for (const Motion& motion : scene.motion) {
    if (motion.kind != Motion::Kind::actuation) continue;
    std::vector<Motion>& own = model.actuators[find_named(scene.actuators, motion.target, "actuator of matter")].motion;
    if (!own.empty())
      fail(ErrorCode::bad_input, "motion of '{}': it is given twice; put all times into one", motion.target);
    own.push_back(motion);
  }
}

BodyModel make_bodies(const Scene& scene, const SharedBodies& shared, Workers& workers) {
  Bodies bodies(shared.model, shared.data);
  bodies.update_kinematics();
  BodyModel model;
  model.mujoco = shared.model;
  model.geoms = GeomPaths(bodies, {distance_tolerance * scene.step.cell, scene.cache_folder}, workers);
  model.motion = MotionPlayer(plan_grippers(scene.motion, bodies), bodies.model());
  model.geoms.remember_poses(bodies);
  bodies.save_to(model.first);
  model.warnings = shared.warnings;
  for (const std::string& w : model.geoms.warnings()) model.warnings.push_back(w);
  for (const std::string& w : bodies.take_warnings()) model.warnings.push_back(w);
  return model;
}

void check_timestep(const Scene& scene, const mjModel* model) {
  const double timestep = timestep_of(model);
  if (std::fabs(timestep - scene.step.dt) > 1e-12 * timestep)
    fail(ErrorCode::bad_input, "step.dt is {} s, but the model's own timestep is {} s; make them equal", scene.step.dt,
         timestep);
}

}  // namespace

SharedBodies assemble_bodies(const Scene& scene) {
  if (scene.bodies.empty()) return {};
  const Assembly assembly = assemble(scene);
  return {assembly.model, Bodies(assembly.model).shared_data(), assembly.warnings};
}

template <class S>
Model<S> make_model(const Scene& scene, const Sampled& sampled, const SharedBodies& bodies, Workers& workers) {
  Model<S> model;
  model.scene = scene;
  add_matter(scene, sampled, model);
  add_surfaces(scene, sampled, model);
  for (const Boundary& b : scene.boundaries) {
    model.boundaries.push_back(boundary_shape(b, scene.dimension));
    model.boundaries.back().at_nodes |= scene.step.method == Method::one_way;
  }
  add_sheets(scene, sampled, model);
  model.pins = Pins(scene);
  add_motions(scene, bodies.model != nullptr, model);
  add_actuators(scene, model);
  if (bodies.model) {
    check_timestep(scene, bodies.model.get());
    model.bodies = make_bodies(scene, bodies, workers);
  }
  add_boundaries(scene, model.boundaries, model.bodies.geoms);
  strengthen_loss(scene, model);
  model.warnings = sampled.warnings;
  for (std::string& w : overlap_warnings(model, sampled)) model.warnings.push_back(std::move(w));
  model.identity = identity_of(scene, sampled, bodies.model.get());
  return model;
}

template Model<float> make_model(const Scene&, const Sampled&, const SharedBodies&, Workers&);
template Model<double> make_model(const Scene&, const Sampled&, const SharedBodies&, Workers&);

}  // namespace pliant::world
