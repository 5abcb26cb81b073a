// Adjoints of stresses and return mappings against differences of the laws themselves.
#include "material/check_law.h"
#include "material/return_back.h"

#include <set>

namespace pliant {
namespace {

template <class C>
class Back : public testing::Test {};
TYPED_TEST_SUITE(Back, DoubleCases);

// five points, see differences(): with steps of 1e-5 round-off of 1e-10 is all that is left
template <class Function>
double slope(const Function& f) {
  const auto central = [&](double h) { return (f(h) - f(-h)) / (2 * h); };
  return 4.0 / 3 * central(1e-5) - 1.0 / 3 * central(2e-5);
}

// the numbers of a law in the order of LawBar; nullptr: it has fewer
template <class L>
double* number_in(L& law, int n) {
  if constexpr (requires { law.bulk_modulus; }) return n == 0 ? &law.bulk_modulus : n == 1 ? &law.gamma : nullptr;
  if constexpr (requires { law.fresh; }) {
    double* all[] = {&law.fresh.mu, &law.fresh.lambda, &law.hardening, &law.least_stretch, &law.largest_stretch};
    return all[n];
  }
  if constexpr (requires { law.mu; })
    if (n < 2) return n == 0 ? &law.mu : &law.lambda;
  if constexpr (requires { law.deviator; })
    if (n == 2) return &law.deviator;
  if constexpr (requires { law.sine; })
    if (n < 4) return n == 2 ? &law.sine : &law.cohesion;
  return nullptr;
}
template <class L>
double number_of(L law, int n) {
  return number_in(law, n) ? *number_in(law, n) : 0;
}
// a law with one of its numbers moved by a part x of itself
template <class L>
L moved(L law, int n, double x) {
  if (number_in(law, n)) *number_in(law, n) *= 1 + x;
  return law;
}

TYPED_TEST(Back, OfStressesIsTheirDerivative) {
  constexpr int D = TypeParam::D;
  using M = Matrix<double, D>;
  for_each_law<double>([]<class L>(const L& law) {
    Random random(11);
    for (int n = 0; n < 40; ++n) {
      // upright: beyond that a stress of a rotation is steep
      const M F = sample<double, D>(random, n % 2), X = random.matrix<double, D>(1), dF = random.matrix<double, D>(1);
      const double plastic = L::initial_plastic + random.uniform(0, 0.05);
      const StressBack<double, D> back = kirchhoff_back(law, F, plastic, X);
      const auto work = [&](const L& l, const M& A, double q) { return inner(X, l.kirchhoff(A, Memory<double, D>{A, q})); };
      const double scale = 1e5;
      EXPECT_NEAR(inner(back.F, dF), slope([&](double h) { return work(law, F + h * dF, plastic); }), 1e-8 * scale);
      EXPECT_NEAR(back.plastic, slope([&](double h) { return work(law, F, plastic + h); }), 1e-8 * scale);
      for (int k = 0; k < law_numbers; ++k)
        EXPECT_NEAR(back.law[k] * number_of(law, k), slope([&](double h) { return work(moved(law, k, h), F, plastic); }),
                    1e-8 * scale)
            << k;
    }
  });
}

TYPED_TEST(Back, OfViscosityIsItsDerivative) {
  constexpr int D = TypeParam::D;
  Random random(12);
  const Matrix<double, D> F = sample<double, D>(random, 1), C = random.matrix<double, D>(1),
                          X = random.matrix<double, D>(1), dF = random.matrix<double, D>(1),
                          dC = random.matrix<double, D>(1);
  const auto law = std::get<Liquid<double>>(make_law<double>(usual_material(Law::liquid)));
  const ViscousBack<double, D> back = viscous_back(law.viscosity, F, C, X);
  const auto work = [&](double f, double c, double v) {
    Liquid<double> l = law;
    l.viscosity += v;
    return inner(X, l.viscous_kirchhoff(determinant(F + f * dF), C + c * dC));
  };
  EXPECT_NEAR(inner(back.F, dF), slope([&](double h) { return work(h, 0, 0); }), 1e-9);
  EXPECT_NEAR(inner(back.C, dC), slope([&](double h) { return work(0, h, 0); }), 1e-9);
  EXPECT_NEAR(back.viscosity, slope([&](double h) { return work(0, 0, h); }), 1e-9);
}

// F on every side of the yield surfaces, equal stretches, turned
template <int D>
Matrix<double, D> yielding_sample(Random& random, int n) {
  const Matrix<double, D> turn = random.rotation<double, D>();
  if (n % 5 == 4) {  // some stretches are equal
    Vector<double, D> s;
    for (int i = 0; i < D; ++i) s[i] = i == 0 ? 1.3 : 0.93;
    return turn * Matrix<double, D>::diagonal(s) * random.rotation<double, D>();
  }
  const double size = n % 5 == 0 ? 0.004 : 0.2, growth = 1 + 0.15 * (n % 3 - 1);
  return turn * (growth * Matrix<double, D>::identity() + random.matrix<double, D>(size));
}

TYPED_TEST(Back, OfReturnMapsIsTheirDerivative) {
  constexpr int D = TypeParam::D;
  using M = Matrix<double, D>;
  int flowed = 0;
  for_each_law<double>([&]<class L>(const L& law) {
    Random random(13);
    for (int n = 0; n < 60; ++n) {
      const M F = yielding_sample<D>(random, n), start = F + random.matrix<double, D>(0.1);
      const double plastic = L::initial_plastic + (n % 2) * 0.03;
      const M X = random.matrix<double, D>(1), dF = random.matrix<double, D>(1), dS = random.matrix<double, D>(1);
      const double q_bar = random.uniform(-1, 1);
      const auto work = [&](const L& l, double f, double s, double q) {
        M A = F + f * dF;
        Memory<double, D> memory = {start + s * dS, plastic + q};
        l.return_map(A, memory);
        return inner(X, A) + q_bar * memory.plastic;
      };
      const ReturnBack<double, D> back = return_back(law, F, Memory<double, D>{start, plastic}, X, q_bar);
      flowed += size_of(back.F - X) > 1e-9;
      // singular values in the mapping cost some digits
      const double close = 2e-8;
      const double by_F = slope([&](double h) { return work(law, h, 0, 0); });
      EXPECT_NEAR(inner(back.F, dF), by_F, close * (1 + std::abs(by_F))) << n;
      EXPECT_NEAR(inner(back.start, dS), slope([&](double h) { return work(law, 0, h, 0); }), close) << n;
      // sand that holds is on an edge where nothing is to be given back
      if (plastic != 0) {
        EXPECT_NEAR(back.plastic, slope([&](double h) { return work(law, 0, 0, h); }), close) << n;
      }
      for (int k = 0; k < law_numbers; ++k)
        EXPECT_NEAR(back.law[k] * number_of(law, k), slope([&](double h) { return work(moved(law, k, h), 0, 0, 0); }),
                    close)
            << n << " by number " << k;
    }
  });
  EXPECT_GT(flowed, 100);
}

}  // namespace
}  // namespace pliant
