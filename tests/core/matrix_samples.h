// Matrices of every kind that the decompositions must master, and the means to judge them in higher precision.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/small.h"

namespace pliant::samples {

using Real = long double;
template <int D>
using RealMatrix = Matrix<Real, D>;
template <int D>
using RealVector = Vector<Real, D>;

template <int D>
Real largest(const RealMatrix<D>& m) {
  Real size = 0;
  for (Real x : m.a) size = std::max(size, std::abs(x));
  return size;
}
template <int D>
Real size_of(const RealMatrix<D>& m) {
  return std::sqrt(inner(m, m));
}

// how far Q is from a rotation
template <int D>
Real rotation_error(const RealMatrix<D>& Q) {
  return std::max(largest(transpose(Q) * Q - RealMatrix<D>::identity()), std::abs(determinant(Q) - 1));
}

// |m| / |F| for the rest m of a decomposition of F
template <int D>
Real relative(const RealMatrix<D>& m, const RealMatrix<D>& F) {
  const Real size = size_of(F);
  return size > 0 ? size_of(m) / size : size_of(m);
}

template <int D>
bool same(const RealMatrix<D>& x, const RealMatrix<D>& y) {
  return largest(x - y) == 0;
}

template <int D>
std::string text(const RealMatrix<D>& m) {
  std::ostringstream out;
  out.precision(20);
  for (int i = 0; i < D * D; ++i) out << m.a[i] << (i % D == D - 1 ? "\n" : " ");
  return out.str();
}

template <int D>
struct Sample {
  std::string kind;
  RealMatrix<D> F;
};

template <int D>
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Real uniform(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(random_); }
  RealVector<D> vector(Real low, Real high) {
    RealVector<D> v;
    for (Real& x : v.a) x = uniform(low, high);
    return v;
  }
  RealVector<D> whole_numbers() {
    RealVector<D> v = vector(-8, 8);
    for (Real& x : v.a) x = std::round(x);
    return v;
  }
  RealMatrix<D> entries() {
    RealMatrix<D> m;
    for (Real& x : m.a) x = uniform(-1, 1);
    return m;
  }
  RealMatrix<D> rotation() {
    // a product of turns in all planes
    RealMatrix<D> Q = RealMatrix<D>::identity();
    for (int p = 0; p < D; ++p)
      for (int q = 0; q < p; ++q) {
        RealMatrix<D> turn = RealMatrix<D>::identity();
        const Real angle = uniform(-3.2L, 3.2L);
        turn(p, p) = turn(q, q) = std::cos(angle);
        turn(p, q) = std::sin(angle);
        turn(q, p) = -turn(p, q);
        Q = Q * turn;
      }
    return Q;
  }
  RealMatrix<D> with_sigma(const RealVector<D>& sigma) {
    return rotation() * RealMatrix<D>::diagonal(sigma) * rotation();
  }
  RealMatrix<D> with_values(const RealVector<D>& values) {
    const RealMatrix<D> Q = rotation();
    return Q * RealMatrix<D>::diagonal(values) * transpose(Q);
  }
  RealMatrix<D> symmetric() {
    const RealMatrix<D> A = entries();
    return A + transpose(A);
  }
  // 1 and others down to 10^-digits
  RealVector<D> spread(Real digits) {
    RealVector<D> s;
    for (Real& x : s.a) x = std::pow(Real(10), -uniform(0, digits));
    s[0] = 1;
    return s;
  }
  // symmetric, too small to be seen beside 1; its squares leave the range of float
  RealMatrix<D> breath() { return std::pow(Real(10), -uniform(10, 40)) * symmetric(); }
  // all alike but for the last one
  RealVector<D> alike(Real value, Real last) {
    RealVector<D> s;
    for (Real& x : s.a) x = value;
    s[D - 1] = last;
    return s;
  }
  RealMatrix<D> signed_permutation() {
    RealMatrix<D> P = RealMatrix<D>::zero();
    std::vector<int> place(D);
    for (int i = 0; i < D; ++i) place[i] = i;
    std::shuffle(place.begin(), place.end(), random_);
    for (int i = 0; i < D; ++i) P(i, place[i]) = uniform(-1, 1) < 0 ? -1 : 1;
    return P;
  }
  template <class Container>
  void shuffle(Container& c) {
    std::shuffle(c.begin(), c.end(), random_);
  }

 private:
  std::mt19937 random_;
};

// matrices whose singular values are made on purpose
template <int D>
void add_by_sigma(Generator<D>& g, std::vector<Sample<D>>& all) {
  const Real size = g.uniform(0.1, 3);
  const RealVector<D> noise = 1e-7L * g.vector(0, 1);
  RealVector<D> mirrored = g.vector(0.1, 2);
  mirrored[D - 1] *= -1;
  all.push_back({"rotation", g.rotation()});
  all.push_back({"turned and stretched alike", g.uniform(0.2, 5) * g.rotation()});
  all.push_back({"equal sigma", g.with_sigma(g.alike(size, g.uniform(0.1, 3)))});
  all.push_back({"almost equal sigma", g.with_sigma(g.alike(size, size) + noise)});
  all.push_back({"last sigma zero", g.with_sigma(g.alike(size, 0))});
  all.push_back({"inverted", g.with_sigma(mirrored)});
  all.push_back({"inverted, equal sigma", g.with_sigma(g.alike(size, -size))});
  all.push_back({"inverted, almost equal sigma", g.with_sigma(g.alike(size, -size) + noise)});
  all.push_back({"near singular", g.with_sigma(g.spread(20))});
  all.push_back({"sigma over 6 decades", g.with_sigma(g.spread(6))});
}

// `count` matrices of each kind, in mixed order
template <int D>
std::vector<Sample<D>> general(int count, unsigned seed) {
  Generator<D> g(seed);
  const RealMatrix<D> one = RealMatrix<D>::identity();
  std::vector<Sample<D>> all{{"identity", one}, {"zero", RealMatrix<D>::zero()}, {"minus identity", Real(-1) * one}};
  for (int i = 0; i < count; ++i) {
    add_by_sigma(g, all);
    const RealMatrix<D> rank_one = outer(g.whole_numbers(), g.whole_numbers());
    RealMatrix<D> triangle = g.entries(), all_sizes = g.entries();
    for (int j = 1; j < D; ++j) triangle(j, 0) = triangle(D - 1, j - 1) = 0;
    for (Real& x : all_sizes.a) x *= std::pow(Real(10), g.uniform(-12, 12));
    all.push_back({"random", g.entries()});
    all.push_back({"strain 1e-6", g.rotation() * (one + 1e-6L * g.entries())});
    all.push_back({"strain 5 %", g.rotation() * (one + 0.05L * g.entries())});
    all.push_back({"strain 50 %", g.rotation() * (one + 0.5L * g.entries())});
    all.push_back({"rank 1", rank_one});
    all.push_back({"rank 2", rank_one + outer(g.whole_numbers(), g.whole_numbers())});
    all.push_back({"signed permutation", g.signed_permutation()});
    all.push_back({"signed permutation and a breath", g.signed_permutation() + g.breath()});
    all.push_back({"identity and a breath", one + g.breath()});
    all.push_back({"diagonal", RealMatrix<D>::diagonal(g.vector(-2, 2))});
    all.push_back({"triangle", triangle});
    all.push_back({"huge", 1e12L * g.entries()});
    all.push_back({"tiny", 1e-12L * g.entries()});
    all.push_back({"near the largest float", 5e37L * g.entries()});
    all.push_back({"near the smallest float", 1e-36L * g.entries()});
    all.push_back({"entries of all sizes", all_sizes});
  }
  g.shuffle(all);
  return all;
}

// symmetric ones of each kind
template <int D>
std::vector<Sample<D>> symmetric(int count, unsigned seed) {
  Generator<D> g(seed);
  const RealMatrix<D> one = RealMatrix<D>::identity();
  std::vector<Sample<D>> all{{"identity", one}, {"zero", RealMatrix<D>::zero()}};
  for (int i = 0; i < count; ++i) {
    const RealVector<D> whole = g.whole_numbers(), equal = g.alike(g.uniform(-3, 3), g.uniform(-3, 3));
    RealMatrix<D> hollow = g.symmetric();
    for (int j = 0; j < D; ++j) hollow(j, j) = 0;
    all.push_back({"random", g.symmetric()});
    all.push_back({"equal values", g.with_values(equal)});
    all.push_back({"almost equal values", g.with_values(equal + 1e-7L * g.vector(0, 1))});
    all.push_back({"all values almost equal", one + 1e-6L * g.symmetric()});
    all.push_back({"rank 1", outer(whole, whole)});
    all.push_back({"values over 20 decades", g.with_values(g.spread(20))});
    all.push_back({"diagonal", RealMatrix<D>::diagonal(g.vector(-2, 2))});
    all.push_back({"no diagonal", hollow});
    all.push_back({"identity and a breath", one + g.breath()});
    all.push_back({"huge", 1e12L * g.symmetric()});
    all.push_back({"tiny", 1e-12L * g.symmetric()});
    all.push_back({"near the largest float", 2e37L * g.symmetric()});
  }
  g.shuffle(all);
  return all;
}

// a matrix that is not a number, to be a bad neighbour
template <int D>
Sample<D> not_a_number() {
  Sample<D> s{"not a number", {}};
  for (Real& x : s.F.a) x = std::numeric_limits<Real>::quiet_NaN();
  return s;
}

}  // namespace pliant::samples
