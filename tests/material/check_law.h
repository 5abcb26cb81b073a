// What the tests of laws share: deformation gradients of every kind, the laws with usual parameters, and the check of a
// law's stress against its energy and of its differential against its stress.
#pragma once

#include "material/law_info.h"
#include "material/laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace pliant {

using namespace material;

// a number type and a dimension, for typed tests
template <class Number, int dimension>
struct Case {
  using S = Number;
  static constexpr int D = dimension;
};
using DoubleCases = testing::Types<Case<double, 2>, Case<double, 3>>;
using AllCases = testing::Types<Case<float, 2>, Case<float, 3>, Case<double, 2>, Case<double, 3>>;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(engine_); }

  template <class S, int D>
  Matrix<S, D> matrix(double size) {
    Matrix<S, D> r;
    for (S& x : r.a) x = S(uniform(-size, size));
    return r;
  }
  template <class S, int D>
  Matrix<S, D> rotation() {
    return rotation_of(matrix<S, D>(1));
  }
  // Q1 diag(sigma) Q2, the last sigma given, the others near `usual`
  template <class S, int D>
  Matrix<S, D> with_last(double usual, double last) {
    Vector<S, D> sigma;
    for (int i = 0; i < D; ++i) sigma[i] = S(usual * uniform(0.8, 1.3));
    sigma[D - 1] = S(last);
    return rotation<S, D>() * Matrix<S, D>::diagonal(sigma) * rotation<S, D>();
  }

 private:
  std::mt19937 engine_;
};

// F near 1, far turned, near singular (|det F| about 1e-3), inverted, stretched ten times, in turn
template <class S, int D>
Matrix<S, D> sample(Random& random, int kind) {
  switch (kind % 5) {
    case 0: return Matrix<S, D>::identity() + random.matrix<S, D>(0.1);
    case 1: return random.rotation<S, D>() * (Matrix<S, D>::identity() + random.matrix<S, D>(0.2));
    case 2: return random.with_last<S, D>(1, random.uniform(-2e-3, 2e-3));
    case 3: return random.with_last<S, D>(1, random.uniform(-0.5, -0.1));
    default: return random.with_last<S, D>(1, 10 * random.uniform(0.8, 1.2));
  }
}

// a memory that fits F: a start some small turn and stretch away, some plastic past
template <class S, int D>
Memory<S, D> memory_near(Random& random, const Matrix<S, D>& F, double initial_plastic) {
  const Matrix<S, D> turn = rotation_of(Matrix<S, D>::identity() + random.matrix<S, D>(0.2));
  return {turn * (F + random.matrix<S, D>(0.02)), S(initial_plastic + random.uniform(0, 0.05))};
}

inline Material usual_material(Law law) {
  Material material;
  material.name = name(law);
  material.law = law;
  material.E = 1e5;
  material.nu = 0.3;
  material.yield = 2e3;
  material.cohesion = 0.01;
  material.viscosity = 3;
  return material;
}

// every law of the list; cloth is tested with its sheets
inline const std::vector<Law> all_laws = [] {
  std::vector<Law> laws;
  for (const Law law : known_laws())
    if (!info(law).sheet) laws.push_back(law);
  return laws;
}();

// calls action(law) for each law with usual parameters
template <class S, class Action>
void for_each_law(const Action& action) {
  for (const Law kind : all_laws) {
    SCOPED_TRACE(name(kind));
    std::visit(action, make_law<S>(usual_material(kind)));
  }
}

template <class S, int D>
double size_of(const Matrix<S, D>& A) {
  double sum = 0;
  for (const S x : A.a) sum += double(x) * double(x);
  return std::sqrt(sum);
}

// the larger of two errors; NaN is the largest of all
inline double worse(double x, double y) { return y <= x || std::isnan(x) ? x : y; }

// the derivative along dF of a function of F, by five points: the error is of order step^4
template <class Function, int D>
auto differences(const Function& f, const Matrix<double, D>& F, const Matrix<double, D>& dF, double step) {
  const auto central = [&](double h) { return (1 / (2 * h)) * (f(F + h * dF) - f(F - h * dF)); };
  return (4.0 / 3) * central(step) - (1.0 / 3) * central(2 * step);
}

// how far a law is from being consistent at F along dF, each relative to the size of what is compared
struct GradientError {
  double stress, differential;
};

template <class L, int D>
GradientError gradient_error(const L& law, const Matrix<double, D>& F, const Matrix<double, D>& dF,
                             const Memory<double, D>& memory) {
  constexpr double step = 1e-6;
  const auto energy = [&](const Matrix<double, D>& x) { return law.energy(x, memory); };
  const auto stress = [&](const Matrix<double, D>& x) { return law.stress(x, memory); };
  const Matrix<double, D> P = law.stress(F, memory), dP = law.differential(F, dF, memory);
  const double work = differences(energy, F, dF, step), work_scale = size_of(P) * size_of(dF);
  const Matrix<double, D> change = differences(stress, F, dF, step);
  // where the stress or its change happens to vanish, the modulus of 1e5 Pa sets the scale
  return {std::abs(work - inner(P, dF)) / (work_scale + 1e5 * size_of(dF)),
          size_of(change - dP) / (size_of(dP) + 1e5 * size_of(dF))};
}

}  // namespace pliant
