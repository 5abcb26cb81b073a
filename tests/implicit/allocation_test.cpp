// A warm implicit solve allocates nothing, by whatever road: malloc itself is counted.
// sanitizers bring a malloc of their own
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include "counted_malloc.h"
#include "implicit/lump.h"

namespace pliant {

using namespace material;
using namespace grid;
using namespace solve;
using namespace implicit;

namespace {

long allocations_of(Law law, int threads) {
  Lump<float> lump(0.05, threads);
  lump.add_box(material_of(law), {{0, 0, 0}}, {{0.4, 0.4, 0.4}});
  disturb(lump, 0, 0.05, 1, 5);
  lump.damping = {1, 1e-4};
  lump.scatter();
  const auto solve = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      lump.begin();
      EXPECT_TRUE(lump.solve().converged);
    }
  };
  solve(4);
  return test::allocations_in([&] { solve(4); });
}

TEST(ImplicitAllocations, TheCounterCounts) { EXPECT_TRUE(test::allocations_are_seen()); }

TEST(ImplicitAllocations, AWarmSolveHasNone) {
  for (Law law : {Law::linear_corotated, Law::hencky})
    for (int threads : {1, 2}) EXPECT_EQ(allocations_of(law, threads), 0) << name(law) << " " << threads;
}

}  // namespace
}  // namespace pliant
#endif
