// Any finite F gives finite numbers: inverted, flat, a line, a point, stretched a million times.
#include "check_law.h"

namespace pliant {

using namespace material;

namespace {

template <class C>
class Robust : public testing::Test {};
TYPED_TEST_SUITE(Robust, AllCases);

// deformation gradients that break formulas, in a few frames each
template <class S, int D>
std::vector<Matrix<S, D>> extremes() {
  const double singular_values[][3] = {
      {1, 1, 0},         {1, 1, -1},  {1, 1, 1e-12},  {1, 1, -1e-12}, {1, 0, 0},      {0, 0, 0},
      {1e-30, 1e-30, 0}, {1e6, 1, 1}, {1e6, 1, -1},   {1e6, 1, 0},    {1e6, 1, 1e-6}, {1e-6, 1e-6, 1},
      {1e-3, 1, -1e-3},  {-1, 1, -1}, {0.01, 0.1, 1}, {1, 2, -2},     {5, 0.5, -0.5}, {1e-7, 1, 1e-7}};
  Random random(1);
  std::vector<Matrix<S, D>> all;
  for (const auto& values : singular_values)
    for (int frame = 0; frame < 20; ++frame) {
      Vector<S, D> sigma;
      for (int i = 0; i < D; ++i) sigma[i] = S(values[D == 2 ? 2 * i : i]);
      const Matrix<S, D> F = Matrix<S, D>::diagonal(sigma);
      all.push_back(frame ? random.rotation<S, D>() * F * random.rotation<S, D>() : F);
    }
  return all;
}

template <class S, int D>
bool finite(const Matrix<S, D>& A) {
  return std::all_of(std::begin(A.a), std::end(A.a), [](S x) { return std::isfinite(x); });
}

Material stiff_material(Law law) {
  Material material = usual_material(law);
  material.E = 1e6;
  material.bulk_modulus = 2.2e9;
  return material;
}

TYPED_TEST(Robust, EverythingIsFinite) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  const auto states = extremes<S, D>();
  for (const Law kind : all_laws) {
    SCOPED_TRACE(name(kind));
    const auto test = [&](const auto& law) {
      Random random(2);
      for (std::size_t i = 0; i < states.size(); ++i) {
        SCOPED_TRACE(i);
        Matrix<S, D> F = states[i];
        const Matrix<S, D> dF = random.matrix<S, D>(1);
        for (const Matrix<S, D>& start : {F, Matrix<S, D>::identity(), states[(i * 7 + 3) % states.size()]}) {
          Memory<S, D> memory{start, S(law.initial_plastic)};
          ASSERT_TRUE(std::isfinite(law.energy(F, memory)));
          ASSERT_TRUE(finite(law.stress(F, memory)));
          ASSERT_TRUE(finite(law.kirchhoff(F, memory)));
          ASSERT_TRUE(finite(law.differential(F, dF, memory)));
          Matrix<S, D> mapped = F;
          law.return_map(mapped, memory);
          ASSERT_TRUE(finite(mapped));
          ASSERT_TRUE(std::isfinite(memory.plastic));
          ASSERT_TRUE(finite(law.kirchhoff(mapped, memory)));
        }
      }
    };
    std::visit(test, make_law<S>(stiff_material(kind)));
  }
}

TYPED_TEST(Robust, EverythingIsFiniteOnPacks) {
  using S = typename TypeParam::S;
  using T = Wide<S>;
  constexpr int D = TypeParam::D, lanes = lanes_of<T>;
  const auto states = extremes<S, D>();
  for (const Law kind : all_laws) {
    SCOPED_TRACE(name(kind));
    const auto test = [&](const auto& law) {
      for (std::size_t i = 0; i < states.size(); ++i) {
        Matrix<T, D> F;
        for (int lane = 0; lane < lanes; ++lane)
          for (int k = 0; k < D * D; ++k) F.a[k].set(lane, states[(i + 37 * lane) % states.size()].a[k]);
        Memory<T, D> memory{F, T(S(law.initial_plastic))};
        const T energy = law.energy(F, memory);
        const Matrix<T, D> stress = law.stress(F, memory), tau = law.kirchhoff(F, memory);
        const Matrix<T, D> change = law.differential(F, Matrix<T, D>::identity(), memory);
        law.return_map(F, memory);
        for (int lane = 0; lane < lanes; ++lane) {
          ASSERT_TRUE(std::isfinite(energy[lane]) && std::isfinite(memory.plastic[lane]));
          for (int k = 0; k < D * D; ++k) {
            ASSERT_TRUE(std::isfinite(stress.a[k][lane])) << i;
            ASSERT_TRUE(std::isfinite(tau.a[k][lane])) << i;
            ASSERT_TRUE(std::isfinite(change.a[k][lane])) << i;
            ASSERT_TRUE(std::isfinite(F.a[k][lane])) << i;
          }
        }
      }
    };
    std::visit(test, make_law<S>(stiff_material(kind)));
  }
}

// an inverted or crushed particle is pushed back: less volume always means more energy
TYPED_TEST(Robust, CollapseCostsEnergy) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  for_each_law<S>([](const auto& law) {
    S last = -1;
    for (const double squeeze : {0.9, 0.5, 0.2, 0.1, 0.02, 0.01, 1e-3, 1e-6, 0.0, -1e-3, -0.1, -0.5}) {
      Matrix<S, D> F = Matrix<S, D>::identity();
      F(D - 1, D - 1) = S(squeeze);
      const S energy = law.energy(F, Memory<S, D>{Matrix<S, D>::identity(), S(law.initial_plastic)});
      EXPECT_GT(energy, last) << "squeezed to " << squeeze;
      last = energy;
    }
  });
}

}  // namespace
}  // namespace pliant
