// The fast path against the plain loops, particle by particle.
#include "grid/apic_packs.h"
#include "grid/mls_packs.h"
#include "grid/point_transfer.h"

#include <bit>

#include <gtest/gtest.h>
#include <random>

namespace pliant {

using namespace grid;

namespace {

template <int Dimension, class Number, class Policy>
struct Case {
  using Packs = Policy;
  static constexpr int D = Dimension;
  using S = Number;
};

template <class C>
class TransferPacks : public testing::Test {
 protected:
  static constexpr int D = C::D;
  using S = typename C::S;
  static constexpr S h = S(0.1);
  Batch<D, S> batch;
  PackRows<D, S> rows;
  WideWeights<S> wide;
  std::vector<Node<S>> nodes = std::vector<Node<S>>(arena_nodes<D>);
  PackStep<D, S> step = {S(1e-3), h, 1 / h, {}};
  std::mt19937 random{5};

  void SetUp() override {
    for (int d = 0; d < D; ++d) step.origin[d] = S(7 - 6 * d);
  }

  S uniform(double a, double b) { return S(std::uniform_real_distribution<double>(a, b)(random)); }

  // particles of one cell; every third is out of it by up to a cell if `astray`
  void fill(int count, bool astray) {
    std::vector<Point<D, S>> points(std::size_t(count), Point<D, S>{});
    for (int i = 0; i < count; ++i) {
      for (int d = 0; d < D; ++d)
        points[i].x[d] = h * (step.origin[d] + S(3.5) + (astray && i % 3 == 1 ? uniform(-1, 2) : uniform(0.01, 0.99)));
      points[i].mass = uniform(1, 2);
    }
    batch.load(points.data(), count);
    for (int i = 0; i < count; ++i) {
      for (int d = 0; d < D; ++d) batch.v[d][i] = uniform(-1, 1);
      for (int k = 0; k < D * D; ++k) {
        batch.affine[k][i] = uniform(-5, 5);
        batch.impulse[k][i] = uniform(-0.01, 0.01);
      }
    }
    batch.pad_velocities();
    std::fill(std::begin(rows.home), std::end(rows.home), S(cell_index));
  }

  void place(int i, S* y) {
    for (int d = 0; d < D; ++d) y[d] = batch.x(d)[i] * step.inv_h - step.origin[d];
  }

  static constexpr int cell_index = (D == 2 ? 0 : 3 * arena_side * arena_side) + 3 * arena_side + 3;
  // sums of up to 27 (gather) or 27 * 32 (scatter) products of size 1 to 10, C scaled by 4/h
  static constexpr double eps = std::numeric_limits<S>::epsilon();
};

using Cases = testing::Types<Case<2, float, MlsPacks>, Case<2, double, MlsPacks>, Case<3, float, MlsPacks>,
                             Case<3, double, MlsPacks>, Case<2, float, ApicPacks>, Case<2, double, ApicPacks>,
                             Case<3, float, ApicPacks>, Case<3, double, ApicPacks>>;
TYPED_TEST_SUITE(TransferPacks, Cases);

TYPED_TEST(TransferPacks, GatherAgreesWithThePlainLoop) {
  constexpr int D = TypeParam::D;
  using S = typename TypeParam::S;
  using Packs = typename TypeParam::Packs;
  for (auto& node : this->nodes)
    for (S& a : node.a) a = this->uniform(-1, 1);
  for (int count : {1, 2, 3, 7, 8, 9, 17, 32})
    for (bool astray : {false, true}) {
      this->fill(count, astray);
      locate_for_gather(this->batch, this->rows, this->step);
      for (int i = 0; i < count; i += Wide<S>::lanes)
        Packs::gather_pack(this->nodes.data() + this->cell_index, this->batch, this->rows, this->step, i);
      int found = 0;
      for (std::uint32_t m = strays(this->rows, count); m != 0; m &= m - 1, ++found)
        Packs::gather_stray(this->nodes.data(), this->batch, this->rows, this->step, std::countr_zero(m));
      // one in 9 or 27 that strays ends in its own cell again
      if (!astray || count > 8) {
        EXPECT_EQ(found > 0, astray);
      }
      Packs::end_gather(this->batch, this->rows, this->step);
      for (int i = 0; i < count; ++i) {
        S y[D];
        this->place(i, y);
        const auto twin = gather_point<Kernel::quadratic, Packs::transfer, D>(this->nodes.data(), y, this->step.inv_h);
        for (int d = 0; d < D; ++d) EXPECT_NEAR(this->batch.v[d][i], twin.v[d], 20 * this->eps);
        for (int k = 0; k < D * D; ++k) {
          EXPECT_NEAR(this->batch.affine[k][i], twin.affine.a[k], 4 / this->h * 40 * this->eps);
          if (Packs::transfer == Transfer::apic) {
            EXPECT_NEAR(this->batch.gradient[k][i], twin.gradient.a[k], 4 / this->h * 40 * this->eps);
          }
        }
      }
    }
}

TYPED_TEST(TransferPacks, ScatterAgreesWithThePlainLoop) {
  constexpr int D = TypeParam::D;
  using S = typename TypeParam::S;
  using Packs = typename TypeParam::Packs;
  for (int count : {1, 2, 3, 7, 8, 9, 17, 31, 32})
    for (bool astray : {false, true}) {
      this->fill(count, astray);
      PackReach<D, S> reach;
      reach.clear();
      prepare_scatter<Packs>(this->batch, this->rows, this->step, reach);
      std::fill(this->nodes.begin(), this->nodes.end(), Node<S>{});
      for (std::uint32_t m = strays(this->rows, count); m != 0; m &= m - 1)
        Packs::scatter_stray(this->nodes.data(), this->rows, std::countr_zero(m));
      Packs::scatter_cell(this->nodes.data() + this->cell_index, this->rows, this->wide, 0, count);
      std::vector<Node<S>> twin(arena_nodes<D>);
      for (int i = 0; i < count; ++i) {
        S y[D];
        this->place(i, y);
        PointMomentum<D, S> p;
        p.mass = this->batch.mass()[i];
        for (int d = 0; d < D; ++d) p.momentum[d] = p.mass * this->batch.v[d][i];
        for (int k = 0; k < D * D; ++k) {
          p.affine.a[k] = p.mass * this->batch.affine[k][i];
          p.impulse.a[k] = this->batch.impulse[k][i];
        }
        scatter_point<Kernel::quadratic, Packs::transfer, D>(twin.data(), y, this->h, p);
      }
      for (int n = 0; n < arena_nodes<D>; ++n)
        for (int k = 0; k < 4; ++k)
          EXPECT_NEAR(this->nodes[n].a[k], twin[n].a[k], 20 * count * this->eps) << n << " " << k;
    }
}

}  // namespace
}  // namespace pliant
