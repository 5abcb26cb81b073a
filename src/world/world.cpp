#include "pliant/world.h"

#include "bodies/names.h"
#include "contact/taxels.h"
#include "core/error.h"
#include "core/hash.h"
#include "world/world_impl.h"

#include <algorithm>

namespace pliant {

using namespace world;

World::World(const Scene& scene, int threads) : impl_(make_world(scene, {}, threads)) {}
World::World(const Scene& scene, const SharedBodies& bodies, int threads) : impl_(make_world(scene, bodies, threads)) {}
World::World(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

const StepReport& World::step() {
  impl_->step();
  return impl_->outcome().report;
}
World World::clone(int threads, std::shared_ptr<mjData> data) const {
  if (threads < 0 || threads > 1024)
    fail(ErrorCode::bad_input, "threads is {}; give 1 to 1024, or 0 for as many as the original has", threads);
  return World(impl_->clone(threads, std::move(data)));
}
void World::reset() { impl_->reset(); }

const StepReport& World::report() const { return impl_->outcome().report; }
const mjModel* World::model() const { return impl_->body_model().mujoco.get(); }
mjData* World::data() const { return impl_->data(); }
double World::time() const { return impl_->time(); }
const Scene& World::scene() const { return impl_->scene(); }
int World::threads() const { return impl_->threads(); }
std::size_t World::particle_count() const { return impl_->particle_count(); }
std::size_t World::memory() const { return impl_->memory(); }
View World::view(const std::string& matter, Attribute attribute) const { return impl_->view(matter, attribute); }
std::vector<std::array<std::int32_t, 3>> World::triangles(const std::string& matter) const {
  return impl_->triangles(matter);
}
std::vector<std::string> World::surface_names() const { return impl_->surface_names(); }
Surface World::surface(const std::string& matter) const { return impl_->surface(matter); }
Balance World::balance() const { return impl_->balance(); }
std::vector<Vec3> World::boundary_centers() const { return impl_->boundary_centers(); }

void World::set(const std::string& matter, Attribute attribute, std::span<const double> values) {
  impl_->set(matter, attribute, values);
}
void World::set_bodies(std::span<const double> qpos, std::span<const double> qvel, std::span<const double> act) {
  impl_->set_bodies(qpos, qvel, act);
}
void World::set_elasticity(const std::string& matter, std::span<const double> E, std::span<const double> nu) {
  impl_->set_elasticity(matter, E, nu);
}
std::vector<std::array<double, 2>> World::elasticity(const std::string& matter) const {
  return impl_->elasticity(matter);
}
void World::set_actuation(const std::string& matter, const std::array<double, 9>& stress) {
  impl_->set_actuation(matter, stress);
}

void World::set_actuation(const std::string& actuator, double value) { impl_->set_actuation(actuator, value); }
void World::set_boundary_velocity(const std::string& boundary, const Vec3& velocity) {
  impl_->set_boundary_velocity(boundary, velocity);
}

const std::vector<Touch>& World::contacts() const { return impl_->outcome().contacts; }

static void require_bodies(const mjModel* model, const char* asked) {
  if (!model) fail(ErrorCode::bad_input, "{}: the world has no bodies; add some to the scene", asked);
}

// its number in the scene; -1: it is not a boundary, or a body has that name too
static int boundary_called(const Scene& scene, const mjModel* model, const std::string& name) {
  if (model && find_part(model, Part::body, name) >= 0) return -1;
  for (std::size_t b = 0; b < scene.boundaries.size(); ++b)
    if (scene.boundaries[b].name == name) return int(b);
  return -1;
}

Wrench World::wrench(const std::string& body) const {
  if (const int b = boundary_called(scene(), model(), body); b >= 0) {
    const std::vector<Wrench>& all = impl_->outcome().boundary_wrenches;
    return std::size_t(b) < all.size() ? all[std::size_t(b)] : Wrench{};
  }
  const int found = model() ? find_part(model(), Part::body, body) : -1;
  if (found < 0) {
    std::vector<std::string> known = model() ? names_of(model(), Part::body) : std::vector<std::string>();
    for (const Boundary& b : scene().boundaries) known.push_back(b.name);
    fail(ErrorCode::bad_input, "wrench: there is no body or boundary '{}'; {}", body, suggest(body, known));
  }
  const auto number = std::size_t(found);
  const std::vector<Wrench>& all = impl_->outcome().wrenches;
  return number < all.size() ? all[number] : Wrench{};
}

Taxels World::taxels(const std::string& geom, int rows, int columns) const {
  const GeomPaths& geoms = impl_->body_model().geoms;
  const Outcome& outcome = impl_->outcome();
  const bool is_side = std::any_of(geoms.begin(), geoms.end(),
                                   [&](const GeomPath& p) { return p.geom.boundary >= 0 && p.geom.name == geom; });
  if (!is_side) require_bodies(model(), "taxels");
  const int id = is_side ? -1 : require_part(model(), Part::geom, geom, "taxels");
  for (std::size_t i = 0; i < geoms.size(); ++i) {
    if (is_side ? geoms[i].geom.boundary < 0 || geoms[i].geom.name != geom : geoms[i].geom.id != id) continue;
    const Pose pose = i < outcome.geom_poses.size() ? outcome.geom_poses[i] : Pose{};
    return contact::taxels(outcome.contacts, geoms[i].geom, pose, scene().step.dt, rows, columns);
  }
  fail(ErrorCode::bad_input, "taxels: matter cannot touch geom '{}' (contype and conaffinity are 0); choose another",
       geom);
}

std::uint64_t World::state_hash() const {
  std::uint64_t h = 0;
  for (const Field& f : impl_->fields()) h = hash_bytes(f.data, f.size, h);
  return h;
}

}  // namespace pliant
