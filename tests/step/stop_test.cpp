// A step that is stopped at any place leaves all that a user sees as it was, and the world goes on as if nothing had
// been. Places of a stop are those where a step can fail: this is also the test that a failed step changes nothing.
#include "pliant/stop.h"
#include "effort.h"
#include "step/sheets.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <span>

namespace pliant {
namespace {

constexpr const char* things = R"(<mujoco><option integrator="implicitfast"/><worldbody>
    <geom type="plane" size="1 1 .1" pos="0 0 0"/>
    <body name="ball" pos=".085 0 .04"><freejoint/><geom type="sphere" size=".05" mass=".3"/></body>
    <body name="cart" pos="-.1 0 .04"><joint name="cart" type="slide" axis="1 0 0" damping="1"/>
      <geom type="box" size=".055 .1 .03" mass=".1"/></body>
    <body name="hand" mocap="true" pos="0 .1 .04"><geom type="box" size=".03 .05 .03"/></body>
  </worldbody>
  <actuator><position joint="cart" kp="20"/><general joint="cart" dyntype="filter" dynprm=".1"/></actuator>
  <sensor><jointpos joint="cart"/><framelinvel objtype="body" objname="ball"/></sensor></mujoco>)";

Scene cube_and_things(Method method) {
  Scene scene;
  scene.step.method = method;
  scene.step.cell = 0.02, scene.step.dt = 2e-3;
  test::add_cube(scene, test::elastic(1e5, 0.3, 1000, Law::linear_corotated));
  scene.boundaries = {test::plane({0, -.035, 0}, {0, 1, 0}, 0.3)};
  scene.boundaries[0].velocity = {0, .05, 0};
  return scene;
}

// so fast that a step of a hundredth of a second fails in one part
Scene spinning() {
  Scene scene = cube_and_things(Method::strong);
  scene.precision = Precision::float64;
  scene.step.exact_rotation = true;
  scene.step.dt = 1e-2;
  scene.materials[0].E = 1e6;
  scene.matter[0].angular_velocity = {0, 0, 200};
  return scene;
}

Scene flat() {
  Scene scene = test::empty_scene(2, 0.02, 2e-3, Precision::float32);
  scene.step.substeps = 0;
  scene.step.gravity = {0, -9.81, 0};
  test::add(scene, "block", test::elastic(1e5, 0.3), test::block(2, {0, 0, 0}, {.2, .2, 0}, .01), .01);
  scene.boundaries = {test::plane({0, .005, 0}, {0, 1, 0}, 0.3)};
  return scene;
}

// two sheets on a table, with inner steps, on the things
Scene cloths() {
  Scene scene = test::cloth_scene(test::fabric(1e5, 0.3), 0.02, 2e-3);
  scene.step.gravity = {0, 0, -9.81};
  scene.step.substeps = 2;
  test::add_sheet(scene, "low", 0.1, 0.1, {0, 0, 0.01});
  test::add_sheet(scene, "up", 0.1, 0.1, {0, 0, 0.025});
  scene.matter[0].pins = {{"corner", {-.05, -.05, .01}, 0.01}};
  scene.motion = {test::move_pin(scene.matter[0], scene.matter[0].pins[0], {-.01, 0, 0}, 0.1)};
  return scene;
}

// a user's own model and data
World world_with_things(const Scene& scene, int threads) {
  if (scene.dimension == 2) return World(scene, threads);
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(things, nullptr, error, sizeof error);
  EXPECT_NE(spec, nullptr) << error;
  spec->option.timestep = scene.step.dt;
  std::shared_ptr<mjModel> model(mj_compile(spec, nullptr), mj_deleteModel);
  mj_deleteSpec(spec);
  std::shared_ptr<mjData> data(mj_makeData(model.get()), mj_deleteData);
  mj_forward(model.get(), data.get());
  data->ctrl[0] = 0.01, data->ctrl[1] = 0.2;
  data->xfrc_applied[6 * 1 + 2] = 0.5;
  return World(scene, SharedBodies{model, data, {}}, threads);
}

// all that can be read from a world, but for wall times
struct Seen {
  std::vector<std::byte> state;
  std::uint64_t hash = 0;
  std::vector<double> numbers;
  std::vector<std::string> warnings;
  bool operator==(const Seen&) const = default;

  void add(double x) { numbers.push_back(x); }
  template <class List>
  void add_all(const List& list) {
    add(double(list.size()));
    for (double x : list) add(x);
  }
  template <class List>
  void add_rows(const List& rows) {
    add(double(rows.size()));
    for (const auto& row : rows) add_all(row);
  }
};

void look_at_data(const mjModel* m, const mjData* d, Seen& seen) {
  const auto add = [&](const double* x, int count) { seen.add_all(std::span(x, std::size_t(count))); };
  add(d->qpos, int(m->nq)), add(d->qvel, int(m->nv)), add(d->act, int(m->na)), add(d->ctrl, int(m->nu));
  add(d->qacc, int(m->nv)), add(d->qacc_warmstart, int(m->nv)), add(d->qfrc_applied, int(m->nv));
  add(d->xfrc_applied, int(6 * m->nbody)), add(d->xpos, int(3 * m->nbody)), add(d->xquat, int(4 * m->nbody));
  add(d->mocap_pos, int(3 * m->nmocap)), add(d->mocap_quat, int(4 * m->nmocap));
  add(d->geom_xpos, int(3 * m->ngeom)), add(d->sensordata, int(m->nsensordata));
  seen.add(d->time), seen.add(d->ncon), seen.add(d->nefc);
}

void look_at_report(const StepReport& r, Seen& seen) {
  for (const double x : {r.time, r.max_speed, r.strays, r.contacts, r.residual}) seen.add(x);
  for (const int n : {r.substeps, r.inner_steps, r.sorts, r.iterations, r.linear_iterations}) seen.add(n);
  seen.add(double(r.blocks)), seen.add(double(r.most_contacts));
  for (const Balance* b : {&r.before, &r.after}) {
    for (const double x : {b->mass, b->kinetic_energy, b->elastic_energy, b->gravity_energy, b->volume}) seen.add(x);
    seen.add_all(b->momentum), seen.add_all(b->angular_momentum);
  }
  seen.add_all(r.gravity_impulse);
  seen.add_rows(r.boundary_impulses), seen.add_rows(r.pin_impulses), seen.add_rows(r.body_impulses);
  seen.warnings = r.warnings;
}

Seen look(const World& world) {
  Seen seen;
  seen.state = world.save();
  seen.hash = world.state_hash();
  seen.add(world.time());
  look_at_report(world.report(), seen);
  for (const Touch& t : world.contacts()) {
    for (const double x : {double(t.particle), double(t.geom), double(t.body), t.gap, double(t.slides)}) seen.add(x);
    seen.add_all(t.position), seen.add_all(t.normal), seen.add_all(t.impulse);
  }
  seen.add_rows(world.boundary_centers());
  if (!world.model()) return seen;
  for (const char* body : {"ball", "cart", "hand"}) {
    const Wrench w = world.wrench(body);
    seen.add_all(w.force), seen.add_all(w.torque);
  }
  look_at_data(world.model(), world.data(), seen);
  return seen;
}

// whether the step was stopped when it asked for the n-th time
bool is_stopped(World& world, int n) {
  try {
    StopScope scope([n]() mutable { return --n == 0; });
    world.step();
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted) << error.what();
    EXPECT_NE(std::string(error.what()).find("nothing has changed"), std::string::npos) << error.what();
    return true;
  }
}

// the places of a step where it can be stopped; of many, the first ones, and others further and further apart
int stop_everywhere(const Scene& scene, int threads, int steps_before = 2, int all_up_to = 32) {
  World world = world_with_things(scene, threads), other = world_with_things(scene, 1);
  for (int k = 0; k < steps_before; ++k) world.step(), other.step();
  const Seen before = look(world);
  EXPECT_EQ(before, look(other));
  int n = 1, stops = 0;
  for (; is_stopped(world, n); n += 1 + n / all_up_to, ++stops)
    if (look(world) != before) {
      ADD_FAILURE() << "the step that was stopped at place " << n << " has left something";
      return stops;
    }
  other.step();
  EXPECT_NE(look(world), before);
  EXPECT_EQ(look(world), look(other));
  world.step(), other.step();
  EXPECT_EQ(look(world), look(other));
  return stops;
}

TEST(Stop, AsyncStep) { EXPECT_GT(stop_everywhere(cube_and_things(Method::async), 1), 50); }
TEST(Stop, StrongStep) { EXPECT_GT(stop_everywhere(cube_and_things(Method::strong), 1), 50); }
TEST(Stop, OneWayStep) { EXPECT_GT(stop_everywhere(cube_and_things(Method::one_way), 1), 50); }
TEST(Stop, StepInTwoDimensions) { EXPECT_GT(stop_everywhere(flat(), 1), 50); }
TEST(Stop, StepOfCloth) { EXPECT_GT(stop_everywhere(cloths(), 1), 50); }
// other threads do not ask, so how often this one does differs from run to run
TEST(Stop, StepOnThreads) { EXPECT_GT(stop_everywhere(cube_and_things(Method::strong), 2), 20); }

TEST(Stop, StrongStepThatIsCut) {
  World world = world_with_things(spinning(), 1);
  EXPECT_GT(world.step().substeps, 1);
  EXPECT_GT(stop_everywhere(spinning(), 1, 0, test::is_sanitized ? 1 : 4), test::is_sanitized ? 8 : 25);
}

// MuJoCo works in the user's own data
TEST(Stop, BodiesAlone) {
  Scene scene = cube_and_things(Method::async);
  scene.matter.clear(), scene.materials.clear();
  EXPECT_EQ(stop_everywhere(scene, 1), 1);
}

TEST(Stop, ScopesAddUpAndEnd) {
  World world(flat(), 1);
  int asked = 0;
  {
    StopScope outer([&] { return ++asked, false; });
    {
      StopScope inner([] { return true; });
      EXPECT_THROW(world.step(), Error);
      EXPECT_EQ(asked, 0);  // the inner one is asked first
    }
    world.step();
    EXPECT_GT(asked, 0);
    StopScope silent([] { return false; });
    const int before = asked;
    world.step();
    EXPECT_GT(asked, before);
  }
  const int before = asked;
  world.step();
  EXPECT_EQ(asked, before);
}

// -- budget --

// of the error; empty: there was none
std::string text_over_budget(World& world) {
  try {
    world.step();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::over_budget) << error.what();
    return error.what();
  }
}

TEST(Budget, EndsAtTheSamePlaceOnAnyThreadsAndChangesNothing) {
  for (const Method method : {Method::async, Method::strong}) {
    Scene scene = cube_and_things(method);
    World enough = world_with_things(scene, 1);
    enough.step();
    const int spent = enough.report().iterations + enough.report().linear_iterations;
    ASSERT_GT(spent, 2);

    scene.step.budget = spent / 2;
    World one = world_with_things(scene, 1), two = world_with_things(scene, 2);
    const Seen before = look(one);
    const std::string text = text_over_budget(one);
    const std::string all = "all " + std::to_string(spent / 2) + " iterations of step.budget are spent";
    EXPECT_NE(text.find(all), std::string::npos) << text;
    EXPECT_NE(text.find("raise"), std::string::npos) << text;
    EXPECT_EQ(text_over_budget(two), text);  // with the residual, to three figures
    EXPECT_EQ(look(one), before);

    // the same state with more to spend
    scene.step.budget = 1'000'000;
    World richer = world_with_things(scene, 2);
    richer.restore(one.save());
    richer.step();
    EXPECT_EQ(richer.state_hash(), enough.state_hash());
  }
}

// counted over all tries: the parts of a step that is cut share what the whole has left
TEST(Budget, IsThatOfAllTries) {
  Scene scene = spinning();
  World enough = world_with_things(scene, 1);
  enough.step();
  ASSERT_GT(enough.report().substeps, 1);
  const int in_parts = enough.report().iterations + enough.report().linear_iterations;

  // the largest multiple of what the parts need that does not suffice is spent among the parts
  std::string last;
  for (int times = 1;; ++times) {
    ASSERT_LT(times, 20);
    scene.step.budget = times * in_parts;
    World world = world_with_things(scene, 1);
    const Seen before = look(world);
    const std::string text = text_over_budget(world);
    if (text.empty()) break;
    EXPECT_EQ(look(world), before);
    last = text;
  }
  EXPECT_NE(last.find("parts; the first failed: "), std::string::npos) << last;
}

}  // namespace
}  // namespace pliant
