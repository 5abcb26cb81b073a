// A warm strong step allocates nothing, by whatever road: malloc itself is counted.
// sanitizers bring a malloc of their own
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include "counted_malloc.h"
#include "step/tank.h"

namespace pliant::test {
namespace {

// a cube between a ball that is free, an arm with a servo, and a floor
Scene resting(Law law, bool floor_is_a_boundary) {
  Scene scene = empty_scene(3, 0.02, 1e-2, Precision::float32);
  scene.step.method = Method::strong;
  scene.step.tolerance = 1e-4;
  scene.step.gravity = {0, 0, -9.81};
  add_cube(scene, elastic(1e5, 0.3, 1000, law));
  if (floor_is_a_boundary) scene.boundaries = {plane({0, 0, 0.001}, {0, 0, 1}, 0.5)};
  scene.bodies = {body_of(floor_text), body_of("", "things")};
  scene.bodies[1].text = R"(<mujoco><option integrator="implicitfast"/><worldbody>
      <body pos="0 0 .12"><freejoint/><geom type="sphere" size=".05" mass=".1"/></body>
      <body pos=".1 0 .04"><joint name="j" type="slide" axis="-1 0 0" damping="1"/><geom type="box" size=".055 .1 .03" mass=".1"/></body>
    </worldbody><actuator><position joint="j" kp="20"/></actuator></mujoco>)";
  if (floor_is_a_boundary) scene.bodies.erase(scene.bodies.begin());
  return scene;
}

TEST(StrongAllocations, TheCounterCounts) { EXPECT_TRUE(allocations_are_seen()); }

TEST(StrongAllocations, AWarmStepHasNone) {
  for (const Law law : {Law::linear_corotated, Law::neo_hookean})
    for (const bool boundary : {false, true})
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(testing::Message() << name(law) << " boundary " << boundary << " threads " << threads);
        World world(resting(law, boundary), threads);
        for (int i = 0; i < 60; ++i) world.step();
        EXPECT_GE(world.report().most_contacts, 4u);
        EXPECT_EQ(allocations_in([&] {
                    for (int i = 0; i < 10; ++i) world.step();
                  }),
                  0);
      }
}

// the finder's lists grow with the contacts of water that moves: room for them is made in the first steps
TEST(StrongAllocations, ALiquidHasNone) {
  World world(tank_scene(), 2);
  for (int i = 0; i < 60; ++i) world.step();
  const std::vector<std::byte> saved = world.save();
  for (int i = 0; i < 10; ++i) world.step();
  world.restore(saved);
  world.step();
  EXPECT_EQ(allocations_in([&] {
              for (int i = 0; i < 9; ++i) world.step();
            }),
            0);
}

}  // namespace
}  // namespace pliant::test
#endif
