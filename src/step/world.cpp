#include "pliant/world.h"

#include "bodies/names.h"
#include "core/error.h"
#include "core/hash.h"
#include "step/balance.h"
#include "step/body_side.h"
#include "step/parts.h"
#include "step/pins.h"
#include "step/sampled.h"
#include "step/section_checks.h"
#include "step/step.h"
#include "step/world_impl.h"

#include <cmath>
#include <optional>
#include <utility>

namespace pliant {
namespace {

const Material& material_of(const Scene& scene, const Matter& matter) {
  for (const Material& m : scene.materials)
    if (m.name == matter.material) return m;
  fail(ErrorCode::bad_input, "matter '{}': there is no material '{}'", matter.name, matter.material);
}

template <class T>
std::size_t find_named(const std::vector<T>& list, const std::string& name, const char* what) {
  std::string known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return i;
    known += (i ? ", '" : "'") + list[i].name + "'";
  }
  fail(ErrorCode::bad_input, "there is no {} '{}'; known are {}", what, name, known.empty() ? "none" : known);
}

Vec center_of_mass(const Samples& samples) {
  Vec sum = Vec::zero();
  double volume = 0;
  for (std::size_t i = 0; i < samples.positions.size(); ++i) {
    const Vec3& p = samples.positions[i];
    sum += samples.volumes[i] * Vec{{p[0], p[1], p[2]}};
    volume += samples.volumes[i];
  }
  return (1 / volume) * sum;
}

template <int D, class S>
class WorldOf : public World::Impl {
 public:
  WorldOf(const Scene& scene, const Sampled& sampled, const SharedBodies& bodies, int threads)
      : model_(make_model(scene, sampled)),
        workers_(threads),
        work_(model_, workers_),
        pins_(scene),
        warnings_(sampled.warnings) {
    if (bodies.model)
      bodies_ = std::make_unique<BodySide>(scene, bodies, workers_);
    else if (!scene.bodies.empty())
      bodies_ = std::make_unique<BodySide>(scene, workers_);
    if (bodies_) connect_bodies();
    if (scene.step.method == Method::strong) connect_strong();
    now_.particles.allocate(sampled.count);
    next_.particles.allocate(sampled.count);
    for (std::size_t g = 0; g < model_.groups.size(); ++g) place(scene.matter[g], sampled.matter[g], g);
    for (const Boundary& b : scene.boundaries)
      now_.boundaries.push_back(
          {{{b.center[0], b.center[1], b.center[2]}}, {{b.velocity[0], b.velocity[1], b.velocity[2]}}});
    for (const ModelSheet<S>& s : model_.sheets) place_frames(s);
    check_motions(bodies_ != nullptr);
    now_.actuations.assign(model_.groups.size(), {});
    if (bodies_) now_.holds.resize(bodies_->hold_count());
  }

  const StepReport& step() override {
    advance();
    for (std::string& w : std::exchange(warnings_, {})) next_report_.warnings.push_back(std::move(w));
    if (bodies_)
      for (std::string& w : bodies_->take_warnings()) next_report_.warnings.push_back(std::move(w));
    std::swap(now_, next_);
    start_kept_ = false;
    std::swap(report_, next_report_);
    if (work_.contacts()) touches_ = work_.contacts()->touches();
    balance_known_ = model_.scene.step.balance;
    return report_;
  }

  const mjModel* model() const override { return bodies_ ? bodies_->bodies().model() : nullptr; }
  mjData* data() const override { return bodies_ ? bodies_->bodies().data() : nullptr; }
  const StepReport& report() const override { return report_; }
  double time() const override { return now_.time; }
  const Scene& scene() const override { return model_.scene; }
  int threads() const override { return workers_.threads(); }
  std::size_t particle_count() const override { return now_.particles.size(); }
  std::size_t memory() const override {
    return now_.particles.bytes() + next_.particles.bytes() + start_.particles.bytes() + work_.bytes();
  }

  View view(const std::string& matter, Attribute attribute) const override {
    const Group group = model_.groups[find_named(model_.scene.matter, matter, "matter")];
    const Point<D, S>* p = now_.particles.points.data() + group.begin;
    const Rates<D, S>* q = now_.particles.rates.data() + group.begin;
    View v;
    v.precision = sizeof(S) == 4 ? Precision::float32 : Precision::float64;
    v.count = group.end - group.begin;
    v.stride = sizeof(Point<D, S>);
    switch (attribute) {
      case Attribute::position:
        v.data = p->x;
        v.shape = {D};
        break;
      case Attribute::deformation_gradient:
        v.data = p->F;
        v.shape = {D, D};
        break;
      case Attribute::plastic: v.data = &p->plastic; break;
      case Attribute::mass: v.data = &p->mass; break;
      case Attribute::volume: v.data = &p->volume; break;
      case Attribute::id: v.data = &p->id; break;
      case Attribute::velocity:
        v.data = q->v;
        v.shape = {D};
        v.stride = sizeof(Rates<D, S>);
        break;
      case Attribute::affine:
        v.data = q->C;
        v.shape = {D, D};
        v.stride = sizeof(Rates<D, S>);
        break;
    }
    return v;
  }

  std::vector<std::array<std::int32_t, 3>> triangles(const std::string& matter) const override {
    const std::size_t g = find_named(model_.scene.matter, matter, "matter");
    std::vector<std::array<std::int32_t, 3>> list;
    for (const ModelSheet<S>& s : model_.sheets)
      if (s.matter == g)
        for (const Element<S>& e : s.sheet.elements)
          list.push_back({std::int32_t(e.corner[0]), std::int32_t(e.corner[1]), std::int32_t(e.corner[2])});
    return list;
  }

  void set_actuation(const std::string& matter, const std::array<double, 9>& stress) override {
    const std::size_t g = find_named(model_.scene.matter, matter, "matter");
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        if (!std::isfinite(stress[3 * i + j]))
          fail(ErrorCode::bad_input, "actuation of '{}': entry ({}, {}) is {} Pa; give finite numbers", matter, i, j,
               stress[3 * i + j]);
        if (stress[3 * i + j] != stress[3 * j + i])
          fail(ErrorCode::bad_input,
               "actuation of '{}': {} Pa at ({}, {}) but {} Pa at ({}, {}); give a symmetric stress", matter,
               stress[3 * i + j], i, j, stress[3 * j + i], j, i);
      }
    now_.actuations[g] = stress;
  }

  void set_boundary_velocity(const std::string& boundary, const Vec3& velocity) override {
    const std::size_t k = find_named(model_.scene.boundaries, boundary, "boundary");
    for (double v : velocity)
      if (!std::isfinite(v))
        fail(ErrorCode::bad_input, "velocity of boundary '{}' is {} m/s; give finite numbers", boundary, v);
    now_.boundaries[k].velocity = {{velocity[0], velocity[1], velocity[2]}};
  }

  std::vector<Vec3> boundary_centers() const override {
    std::vector<Vec3> centers;
    for (const BoundaryMotion& b : now_.boundaries) centers.push_back({b.center[0], b.center[1], b.center[2]});
    return centers;
  }

  Balance balance() override { return pliant::balance(model_, now_, work_); }
  const std::vector<Touch>& contacts() const override { return touches_; }

  Wrench wrench(const std::string& body) const override {
    return side("wrench").wrenches()[std::size_t(require_part(model(), Part::body, body, "wrench"))];
  }

  Taxels taxels(const std::string& geom, int rows, int columns) const override {
    return side("taxels").taxels(geom, rows, columns, touches_);
  }

  std::vector<Section> sections() override {
    std::vector<double>* bodies = bodies_ ? &bodies_->state() : &no_numbers_;
    return {
        {"time", &now_.time, sizeof now_.time},
        {"steps", &now_.steps, sizeof now_.steps},
        {"max_speed", &now_.max_speed, sizeof now_.max_speed},
        {"boundaries", now_.boundaries.data(), now_.boundaries.size() * sizeof(BoundaryMotion)},
        {"actuations", now_.actuations.data(), now_.actuations.size() * sizeof(now_.actuations[0])},
        {"bodies", bodies->data(), bodies->size() * sizeof(double)},
        {"contacts", now_.contacts.data(), now_.contacts.size() * sizeof(ContactMemory),
         [this](std::size_t bytes) { return room_for_contacts(bytes); },
         [this](const std::byte* data, std::size_t size) {
           const std::size_t geoms = bodies_ ? bodies_->paths().geoms_in_model() : 0;
           return wrong_contacts(data, size, now_.particles.size(), geoms);
         }},
        {"warm", now_.warm.data(), now_.warm.size() * sizeof(WarmSlot),
         [this](std::size_t bytes) { return room_for_warm(bytes); },
         [](const std::byte*, std::size_t size) { return wrong_warm(size); }},
        {"held", now_.held.data(), now_.held.size() * sizeof(BoundaryMemory),
         [this](std::size_t bytes) { return room_for_held(bytes); },
         [this](const std::byte* data, std::size_t size) { return wrong_held(data, size, model_.boundaries.size()); }},
        {"holds", now_.holds.data(), now_.holds.size() * sizeof(MotionHold), nullptr, wrong_holds},
        {"points", now_.particles.points.data(), now_.particles.size() * sizeof(Point<D, S>)},
        {"rates", now_.particles.rates.data(), now_.particles.size() * sizeof(Rates<D, S>)}};
  }

  void state_replaced() override {
    balance_known_ = false;
    touches_.clear();
    if (bodies_) bodies_->state_replaced();
  }

 private:
  void connect_bodies() {
    work_.paths = &bodies_->paths();
    if (model_.scene.step.method == Method::one_way) {
      work_.obstacles = bodies_->obstacles().obstacles();
    } else if (model_.scene.step.method == Method::async) {
      if constexpr (D == 3)
        contact_ = std::make_unique<ContactStep<S>>(model_.scene, model_.materials, bodies_->paths());
      work_.contact = contact_.get();
    }
  }

  void connect_strong() {
    if constexpr (D == 3) {
      strong_ = std::make_unique<StrongStep<S>>(model_.scene, model_.materials, bodies_ ? bodies_->paths() : no_paths_);
      work_.strong = strong_.get();
      work_.bodies = bodies_ ? &bodies_->bodies() : nullptr;
    } else {
      fail(ErrorCode::bad_input, "step.method is strong, but the scene is 2-D; use 'method: async'");
    }
  }

  const BodySide& side(const char* asked) const {
    if (!bodies_) fail(ErrorCode::bad_input, "{}: the world has no bodies; add some to the scene", asked);
    return *bodies_;
  }

  void* room_for_contacts(std::size_t bytes) {
    now_.contacts.resize(bytes / sizeof(ContactMemory));
    return now_.contacts.data();
  }

  void* room_for_warm(std::size_t bytes) {
    now_.warm.resize(bytes / sizeof(WarmSlot));
    return now_.warm.data();
  }

  void* room_for_held(std::size_t bytes) {
    now_.held.resize(bytes / sizeof(BoundaryMemory));
    return now_.held.data();
  }

  // the bodies check those of their own
  void check_motions(bool has_bodies) const {
    for (const Motion& motion : model_.scene.motion) {
      check_motion(motion);
      if (motion.kind == Motion::Kind::boundary)
        find_named(model_.scene.boundaries, motion.target, "boundary");
      else if (motion.kind == Motion::Kind::pin)
        continue;
      else if (!has_bodies)
        fail(ErrorCode::bad_input, "motion of '{}': the scene has no bodies; add some, or move a boundary",
             motion.target);
    }
  }

  // velocities that bring the boundaries of the motion to their targets at the end of the step
  void aim_boundaries(double dt) {
    for (const Motion& motion : model_.scene.motion) {
      if (motion.kind != Motion::Kind::boundary) continue;
      BoundaryMotion& b = now_.boundaries[find_named(model_.scene.boundaries, motion.target, "boundary")];
      const MotionSample aim = sample_motion(motion, now_.time + dt);
      for (int d = 0; d < 3; ++d) b.velocity[d] = (aim.value[std::size_t(d)] - b.center[d]) / dt;
    }
  }

  // The step whole or, where that fails and smaller ones may help, in 2, 4, ... parts. Fills next_ and next_report_.
  void advance() {
    const int most_cuts = work_.strong && now_.particles.size() > 0 ? model_.scene.step.max_cuts : 0;
    std::optional<Error> failure;  // of the whole step
    boundaries_before_ = now_.boundaries;
    for (int cut = 0;; ++cut) {
      const int parts = 1 << cut;
      try {
        take_parts(parts, cut < most_cuts);
        if (failure) next_report_.warnings.push_back(repeated_in_parts(*failure, parts, model_.scene.step.dt / parts));
        return;
      } catch (const Error& error) {
        go_back();
        if (!failure) failure = error;
        if (cut == most_cuts || !parts_may_help(error)) throw cut > 0 ? failed_in_parts(*failure, parts) : error;
      } catch (...) {
        go_back();
        throw;
      }
    }
  }

  void take_parts(int parts, bool may_be_cut) {
    const double dt = model_.scene.step.dt;
    if (bodies_) bodies_->start(parts);
    for (int part = 0; part < parts; ++part) {
      if (part > 0) go_on();
      take_part({dt / parts, part == 0, may_be_cut});
    }
    if (bodies_) bodies_->end();
    const State<D, S>& start = start_kept_ ? start_ : now_;
    next_.steps = start.steps + 1;
    next_.time = next_report_.time = start.time + dt;
  }

  void take_part(const StepPart& part) {
    if (bodies_) bodies_->begin(now_.time, now_.holds);
    aim_boundaries(part.dt);
    pins_.aim(now_.time, part.dt, work_.sheets.pins());
    step_matter(part);
    next_.holds = now_.holds;
    if (bodies_ && work_.contacts())
      bodies_->finish(work_.contacts()->impulses(), next_.holds);
    else if (bodies_)
      bodies_->finish({}, next_.holds);
  }

  // to the next part; the state at the start of the step is kept
  void go_on() {
    if (!start_kept_) std::swap(start_, now_);
    start_kept_ = true;
    std::swap(now_, next_);
    if (next_.particles.size() == 0) next_.particles.allocate(now_.particles.size());
  }

  // to the start of the step
  void go_back() {
    if (start_kept_) std::swap(start_, now_);
    start_kept_ = false;
    now_.boundaries = boundaries_before_;
    if (bodies_) bodies_->undo();
  }

  void step_matter(const StepPart& part) {
    if (now_.particles.size() == 0) {
      next_.boundaries = now_.boundaries;
      next_report_ = {};
      return;
    }
    if (!part.first) {
      pliant::step(model_, part, now_, next_, work_, part_report_);
      add_part(next_report_, part_report_);
      return;
    }
    if (model_.scene.step.balance && !balance_known_) report_.before = pliant::balance(model_, now_, work_);
    next_report_.before = balance_known_ ? report_.after : report_.before;
    pliant::step(model_, part, now_, next_, work_, next_report_);
  }

  static Model<S> make_model(const Scene& scene, const Sampled& sampled) {
    Model<S> model;
    model.scene = scene;
    std::size_t next = 0;
    for (std::size_t g = 0; g < scene.matter.size(); ++g) {
      const std::size_t count = sampled.matter[g].positions.size();
      model.groups.push_back({next, next + count});
      next += count;
      model.materials.push_back(material_of(scene, scene.matter[g]));
      model.laws.push_back(make_law<S>(model.materials.back()));
      model.scene.matter[g].points = {};  // the particles have them now
    }
    for (const Boundary& b : scene.boundaries) model.boundaries.push_back(boundary_shape(b, scene.dimension));
    std::uint32_t pins = 0;
    for (std::size_t g = 0; g < scene.matter.size(); ++g) {
      if (!sampled.sheets[g].triangles.empty())
        model.sheets.push_back({g, model.groups[g], Cloth<S>::make(model.materials[g]),
                                make_sheet<S>(sampled.sheets[g], scene.matter[g], model.materials[g], pins)});
      pins += std::uint32_t(scene.matter[g].pins.size());
    }
    return model;
  }

  // F of the triangles starts as their frames
  void place_frames(const ModelSheet<S>& s) {
    for (std::size_t e = 0; e < s.sheet.frames.size() && D == 3; ++e)
      std::copy_n(s.sheet.frames[e].a, D * D, now_.particles.points[s.group.begin + s.sheet.vertices + e].F);
  }

  void place(const Matter& matter, const Samples& samples, std::size_t g) {
    const Vec center = center_of_mass(samples);
    const Vec w = {{matter.angular_velocity[0], matter.angular_velocity[1], matter.angular_velocity[2]}};
    const double turn[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    const double plastic = std::visit([](const auto& law) { return double(law.initial_plastic); }, model_.laws[g]);
    for (std::size_t i = 0; i < samples.positions.size(); ++i) {
      const std::size_t k = model_.groups[g].begin + i;
      Point<D, S>& p = now_.particles.points[k];
      Rates<D, S>& q = now_.particles.rates[k];
      for (int d = 0; d < D; ++d) {
        p.x[d] = S(samples.positions[i][std::size_t(d)]);
        double v = matter.velocity[std::size_t(d)];
        for (int e = 0; e < D; ++e) {
          v += turn[3 * d + e] * (samples.positions[i][std::size_t(e)] - center[e]);
          q.C[d * D + e] = S(turn[3 * d + e]);
          p.F[d * D + e] = S(d == e);
        }
        q.v[d] = S(v);
        now_.max_speed = max(now_.max_speed, std::fabs(double(q.v[d])));
      }
      p.plastic = S(plastic);
      p.volume = S(samples.volumes[i]);
      p.mass = S(model_.materials[g].density * samples.volumes[i]);
      p.id = IdOf<S>(k);
    }
  }

  Model<S> model_;
  Workers workers_;
  State<D, S> now_, next_;
  State<D, S> start_;        // of a step in parts; empty until there is one
  bool start_kept_ = false;  // start_ is where the present step began
  Workspace<D, S> work_;
  std::unique_ptr<BodySide> bodies_;
  std::unique_ptr<ContactStep<S>> contact_;  // with the bodies, if they feel matter
  std::unique_ptr<StrongStep<S>> strong_;    // or all in one
  GeomPaths no_paths_;
  Pins pins_;
  std::vector<std::string> warnings_;  // for the first step
  std::vector<Touch> touches_;         // of the last step
  std::vector<double> no_numbers_;
  std::vector<BoundaryMotion> boundaries_before_;  // a failed step
  StepReport report_, next_report_, part_report_;
  bool balance_known_ = false;  // report_.after belongs to now_
};

std::unique_ptr<World::Impl> make_world(const Scene& scene, const SharedBodies& bodies, int threads) {
  check(scene, bodies.model != nullptr);
  if (threads < 0 || threads > 1024)
    fail(ErrorCode::bad_input, "threads is {}; give 1 to 1024, or 0 for all cores", threads);
  if (scene.matter.size() > 1023)
    fail(ErrorCode::too_large, "the scene has {} pieces of matter; at most 1023 are possible", scene.matter.size());
  const Sampled sampled = sample_all(scene);
  const bool single = scene.precision == Precision::float32;
  if (scene.dimension == 2) {
    if (single) return std::make_unique<WorldOf<2, float>>(scene, sampled, bodies, threads);
    return std::make_unique<WorldOf<2, double>>(scene, sampled, bodies, threads);
  }
  if (single) return std::make_unique<WorldOf<3, float>>(scene, sampled, bodies, threads);
  return std::make_unique<WorldOf<3, double>>(scene, sampled, bodies, threads);
}

}  // namespace

World::World(const Scene& scene, int threads) : impl_(make_world(scene, {}, threads)) {}
World::World(const Scene& scene, const SharedBodies& bodies, int threads) : impl_(make_world(scene, bodies, threads)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

const StepReport& World::step() { return impl_->step(); }
const StepReport& World::report() const { return impl_->report(); }
const mjModel* World::model() const { return impl_->model(); }
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
Balance World::balance() const { return impl_->balance(); }
void World::set_actuation(const std::string& matter, const std::array<double, 9>& stress) {
  impl_->set_actuation(matter, stress);
}
void World::set_boundary_velocity(const std::string& boundary, const Vec3& velocity) {
  impl_->set_boundary_velocity(boundary, velocity);
}

const std::vector<Touch>& World::contacts() const { return impl_->contacts(); }
Wrench World::wrench(const std::string& body) const { return impl_->wrench(body); }
Taxels World::taxels(const std::string& geom, int rows, int columns) const {
  return impl_->taxels(geom, rows, columns);
}

std::vector<Vec3> World::boundary_centers() const { return impl_->boundary_centers(); }

std::uint64_t World::state_hash() const {
  std::uint64_t h = 0;
  for (const Section& s : impl_->sections()) h = hash_bytes(s.data, s.size, h);
  return h;
}

}  // namespace pliant
