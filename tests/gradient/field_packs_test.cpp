// What packs take of nodes against sums over the nodes, one by one, in double.
#include "gradient/field_packs.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>

namespace pliant {

using namespace gradient;

namespace {

// weights of the three nodes along an axis at f, their slopes, and half of their second derivatives
struct AxisWeights {
  double w[3][3];  // by kind, by node

  explicit AxisWeights(double f) {
    const double a = 1.5 - f, b = f - 1, c = f - 0.5;
    const double value[3] = {0.5 * a * a, 0.75 - b * b, 0.5 * c * c}, slope[3] = {-a, -2 * b, c},
                 bend[3] = {0.5, -1, 0.5};
    std::copy_n(value, 3, w[0]), std::copy_n(slope, 3, w[1]), std::copy_n(bend, 3, w[2]);
  }
};

enum Kind { value, slope, bend };

// a particle that takes of the nodes around it
template <int D, class S>
struct Taker {
  const Node<S>* first;
  double f[3];

  // f(node, k, product of weights of the kinds)
  template <class F>
  void for_nodes(const int* kinds, const F& visit) const {
    for (int i = 0; i < (D == 2 ? 9 : 27); ++i) {
      int k[3] = {0, 0, 0}, place = 0;
      for (int d = D - 1, rest = i; d >= 0; --d, rest /= 3) k[d] = rest % 3;
      double w = 1;
      for (int d = 0; d < D; ++d) {
        place = place * arena_side + k[d];
        w *= AxisWeights(f[d]).w[kinds[d]][k[d]];
      }
      visit(first[place], k, w);
    }
  }
  double sum(int component, std::initializer_list<std::pair<int, Kind>> not_values) const {
    int kinds[3] = {value, value, value};
    for (const auto& [axis, kind] : not_values) kinds[axis] = kind;
    double s = 0;
    for_nodes(kinds, [&](const Node<S>& n, const int*, double w) { s += w * double(n.a[component]); });
    return s;
  }
  double moment(int component, int axis) const {
    const int kinds[3] = {value, value, value};
    double s = 0;
    for_nodes(kinds,
              [&](const Node<S>& n, const int* k, double w) { s += w * double(n.a[component]) * (k[axis] - f[axis]); });
    return s;
  }
  // by the place along an axis, of sum w n.(q + A d); d changes with the place, too
  double slope_of(int axis, const double* q, const double (*A)[3]) const {
    int kinds[3] = {value, value, value};
    double s = 0;
    kinds[axis] = slope;
    for_nodes(kinds, [&](const Node<S>& n, const int* k, double w) {
      for (int c = 0; c < D; ++c) {
        double moves = q[c];
        for (int d = 0; d < D; ++d) moves += A[c][d] * (k[d] - f[d]);
        s += w * double(n.a[c]) * moves;
      }
    });
    for (int c = 0; c < D; ++c) s -= A[c][axis] * sum(c, {});
    return s;
  }
};

template <int D, class S>
struct FieldPacks {
  static constexpr int particles = 32, home = D == 2 ? arena_side + 1 : (arena_side + 1) * arena_side + 1;
  using P = Broad<S>;
  std::vector<Node<S>> arena = std::vector<Node<S>>(arena_nodes<D> + 4);
  std::unique_ptr<PackRows<D, S>> at = std::make_unique<PackRows<D, S>>();
  std::unique_ptr<FieldRows<D, S>> rows = std::make_unique<FieldRows<D, S>>();
  std::mt19937 random{7};

  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

  FieldPacks() {
    for (Node<S>& n : arena)
      for (S& a : n.a) a = S(number(-1, 1));
    for (int i = 0; i < Batch<D, S>::stride; ++i) {
      for (int d = 0; d < D; ++d) at->f[d][i] = S(number(0.5, 1.5));
      at->index[i] = S(home);
    }
  }
  Taker<D, S> taker(int i) const {
    Taker<D, S> t = {arena.data() + int(at->index[i]), {}};
    for (int d = 0; d < D; ++d) t.f[d] = double(at->f[d][i]);
    return t;
  }
  // some tens of sums of numbers up to 1
  double close() const { return 30 * double(std::numeric_limits<S>::epsilon()); }

  void check_sums(int i) const {
    using Sums = FieldSums<D>;
    const Taker<D, S> t = taker(i);
    for (int c = 0; c < D; ++c) {
      const auto expect = [&](int which, double exact) {
        EXPECT_NEAR(double(rows->a[c][which][i]), exact, close()) << which;
      };
      expect(Sums::value, t.sum(c, {}));
      for (int d = 0; d < D; ++d) {
        expect(Sums::slope(d), t.sum(c, {{d, slope}}));
        expect(Sums::bend(d), t.sum(c, {{d, bend}}));
        for (int e = 0; e < D; ++e) {
          if (e == d) continue;
          expect(Sums::twist(d, e), t.sum(c, {{d, slope}, {e, slope}}));
          expect(Sums::mixed(d, e), t.sum(c, {{d, slope}, {e, bend}}));
        }
      }
    }
    EXPECT_NEAR(double(rows->mass[Sums::value][i]), t.sum(node_mass, {}), close());
    for (int d = 0; d < D; ++d)
      EXPECT_NEAR(double(rows->mass[Sums::slope(d)][i]), t.sum(node_mass, {{d, slope}}), close());
  }
  void check_pack(int i) {
    const FieldPack<D, S> pack(*rows, *at, i);
    P q[D], by[D];
    Matrix<P, D> A;
    double q0[3], A0[3][3];
    for (int c = 0; c < D; ++c) {
      q[c] = S(q0[c] = double(S(number(-1, 1))));
      for (int d = 0; d < D; ++d) A(c, d) = S(A0[c][d] = double(S(number(-1, 1))));
    }
    pack.slopes(q, A, by);
    for (int l = 0; l < P::lanes; ++l) {
      const Taker<D, S> t = taker(i + l);
      for (int d = 0; d < D; ++d) {
        EXPECT_NEAR(double(by[d][l]), t.slope_of(d, q0, A0), 10 * close());
        for (int c = 0; c < D; ++c) EXPECT_NEAR(double(pack.moment(c, d)[l]), t.moment(c, d), close());
      }
    }
  }
};

template <int D, class S>
void check_one_cell_two_and_strays() {
  FieldPacks<D, S> f;
  using P = Broad<S>;
  constexpr int lanes = P::lanes;
  const CellPolynomial<D, S> cell(f.arena.data() + f.home), next(f.arena.data() + f.home + 1);
  field_pack<true>(OfCell<P>{cell.first()}, *f.at, *f.rows, 0);
  for (int i = 0; i < lanes; ++i) f.check_sums(i);
  f.check_pack(0);
  // lanes of two cells, not in order
  for (int i = 0; i < lanes; ++i) f.at->index[3 + i] = S(f.home + (i % 3 == 1));
  const OfTwoCells<P> both = {cell.first(), next.first(), P::load(f.at->index + 3) == P(S(f.home))};
  field_pack<true>(both, *f.at, *f.rows, 3);
  for (int i = 0; i < lanes; ++i) f.check_sums(3 + i);
  f.check_pack(3);
  // as far as a first node can be
  constexpr int far = arena_side - 3, corner = (D == 2 ? far : far * arena_side + far) * arena_side + far;
  int i = 0;
  for (const int index : {0, f.home + 5, corner}) {
    f.at->index[i] = S(index);
    field_stray<true>(f.arena.data(), *f.at, *f.rows, i);
    f.check_sums(i++);
  }
}

TEST(FieldPacks, TakeWhatSumsOverNodesGive) {
  check_one_cell_two_and_strays<2, float>();
  check_one_cell_two_and_strays<2, double>();
  check_one_cell_two_and_strays<3, float>();
  check_one_cell_two_and_strays<3, double>();
}

}  // namespace
}  // namespace pliant
