// On a pack of particles every law gives what it gives particle by particle.
#include "check_law.h"
#include "derivative.h"

namespace pliant {

using namespace material;

namespace {

template <class C>
class OnPacks : public testing::Test {};
TYPED_TEST_SUITE(OnPacks, AllCases);

template <class T, int D>
void put(Matrix<T, D>& pack, int lane, const Matrix<Scalar<T>, D>& number) {
  for (int i = 0; i < D * D; ++i) pack.a[i].set(lane, number.a[i]);
}
template <class T, int D>
Matrix<Scalar<T>, D> lane_of(const Matrix<T, D>& pack, int lane) {
  Matrix<Scalar<T>, D> r;
  for (int i = 0; i < D * D; ++i) r.a[i] = pack.a[i][lane];
  return r;
}

// one pack of states, and the same states one by one
template <class S, int D>
struct Group {
  using T = Wide<S>;
  static constexpr int lanes = lanes_of<T>;
  Matrix<T, D> F, dF;
  Memory<T, D> memory;
  Matrix<S, D> F1[lanes], dF1[lanes];
  Memory<S, D> memory1[lanes];

  // elastic, plastic, inverted and singular lanes side by side
  Group(Random& random, int kind, double initial_plastic) {
    for (int lane = 0; lane < lanes; ++lane) {
      F1[lane] = sample<S, D>(random, kind * lanes + lane);
      if (lane % 3 == 1) F1[lane] = S(0.999) * Matrix<S, D>::identity() + random.matrix<S, D>(1e-4);
      dF1[lane] = random.matrix<S, D>(1);
      memory1[lane] = memory_near(random, F1[lane], initial_plastic);
      put(F, lane, F1[lane]);
      put(dF, lane, dF1[lane]);
      put(memory.start, lane, memory1[lane].start);
      memory.plastic.set(lane, memory1[lane].plastic);
    }
  }
};

TYPED_TEST(OnPacks, EveryLaneIsWhatItIsAlone) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  // the compiler may fuse products and sums differently for numbers and packs; the error of each is a few eps of its
  // terms
  const double eps = 30 * std::numeric_limits<S>::epsilon();
  for_each_law<S>([&](const auto& law) {
    Random random(1);
    for (int kind = 0; kind < 200; ++kind) {
      Group<S, D> g(random, kind, law.initial_plastic);
      const auto energy = law.energy(g.F, g.memory);
      const auto stress = law.stress(g.F, g.memory), tau = law.kirchhoff(g.F, g.memory);
      const auto change = law.differential(g.F, g.dF, g.memory);
      law.return_map(g.F, g.memory);
      for (int lane = 0; lane < g.lanes; ++lane) {
        SCOPED_TRACE(testing::Message() << "group " << kind << " lane " << lane);
        Matrix<S, D> F = g.F1[lane];
        Memory<S, D>& memory = g.memory1[lane];
        const auto P = law.stress(F, memory), dP = law.differential(F, g.dF1[lane], memory);
        const double size = size_of(F), moved = stress_derivative(law, F, memory).norm() * size;
        ASSERT_NEAR(energy[lane], law.energy(F, memory), eps * (size_of(P) * size + law.energy(F, memory) + 1e5));
        ASSERT_LT(size_of(lane_of(stress, lane) - P), eps * (size_of(P) + moved));
        ASSERT_LT(size_of(lane_of(tau, lane) - law.kirchhoff(F, memory)), eps * size * (size_of(P) + moved));
        ASSERT_LT(size_of(lane_of(change, lane) - dP), 10 * eps * (size_of(dP) + moved));
        law.return_map(F, memory);
        ASSERT_LT(size_of(lane_of(g.F, lane) - F), eps * (1 + size));
        ASSERT_NEAR(g.memory.plastic[lane], memory.plastic, eps * (1 + std::abs(memory.plastic)));
      }
    }
  });
}

// a lane's result must not depend on its neighbours: particles change neighbours when they are sorted
TYPED_TEST(OnPacks, NeighboursDoNotMatterToTheLastBit) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  for_each_law<S>([](const auto& law) {
    Random random(2);
    for (int kind = 0; kind < 200; ++kind) {
      Group<S, D> g(random, kind, law.initial_plastic);
      for (int lane = 0; lane < g.lanes; ++lane) {
        // the same state in every lane
        Group<S, D> alone = g, mixed = g;
        for (int other = 0; other < g.lanes; ++other) {
          put(alone.F, other, g.F1[lane]);
          put(alone.memory.start, other, g.memory1[lane].start);
          alone.memory.plastic.set(other, g.memory1[lane].plastic);
        }
        const auto tau = law.kirchhoff(mixed.F, mixed.memory), tau_alone = law.kirchhoff(alone.F, alone.memory);
        law.return_map(mixed.F, mixed.memory);
        law.return_map(alone.F, alone.memory);
        for (int i = 0; i < D * D; ++i) {
          ASSERT_EQ(tau.a[i][lane], tau_alone.a[i][lane]) << "group " << kind << " lane " << lane;
          ASSERT_EQ(mixed.F.a[i][lane], alone.F.a[i][lane]) << "group " << kind << " lane " << lane;
        }
        ASSERT_EQ(mixed.memory.plastic[lane], alone.memory.plastic[lane]);
      }
    }
  });
}

}  // namespace
}  // namespace pliant
