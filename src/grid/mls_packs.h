// The fast path of quadratic MLS as a policy of the sweep.
#pragma once

#include "grid/transfer_packs.h"
#include "grid/transfer_packs_2d.h"

namespace pliant::grid {

struct MlsPacks {
  static constexpr Transfer transfer = Transfer::mls;

  template <int D, class S>
  static void gather_pack(const Node<S>* node, Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>&, int i) {
    grid::gather_pack(node, batch, rows, i);
  }
  template <int D, class S>
  static void gather_stray(const Node<S>* arena, Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>&,
                           int i) {
    grid::gather_stray(arena, batch, rows, i);
  }
  template <int D, class S>
  static void end_gather(Batch<D, S>& batch, const PackRows<D, S>& rows, const PackStep<D, S>& step) {
    moments_to_affine(batch, rows, step);
  }

  // what each particle of the pack at row i adds to its nodes: w (q + k_x qx + k_y qy + k_z qz), k = 0, 1, 2
  template <int D, class S>
  static void fill_rows(Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>& step,
                        const PackPlace<D, S>& place, int i) {
    using P = Wide<S>;
    const P m = step.stress_alone ? P(0) : P::load(batch.mass() + i);
    const P stress_scale = 4 * step.inv_h;
    Matrix<P, D> A;
    P q[D];
#pragma GCC unroll 3
    for (int c = 0; c < D; ++c) {
      q[c] = m * P::load(batch.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < D; ++d) {
        A(c, d) =
            (m * step.h) * P::load(batch.affine[D * c + d] + i) - stress_scale * P::load(batch.impulse[D * c + d] + i);
        q[c] = q[c] - A(c, d) * place.f[d];
      }
    }
    zip<S>(q[0], q[1], D == 2 ? P(0) : q[D - 1], m, rows.q[0] + i);
    for (int d = 0; d < D; ++d) zip<S>(A(0, d), A(1, d), D == 2 ? P(0) : A(D - 1, d), P(0), rows.q[1 + d] + i);
  }

  template <int D, class S>
  static void scatter_stray(Node<S>* arena, PackRows<D, S>& rows, int i) {
    grid::scatter_stray(arena, rows, i);
  }
  template <int D, class S>
  static void scatter_cell(Node<S>* node, PackRows<D, S>& rows, WideWeights<S>& wide, int first, int last) {
    if constexpr (D == 2)
      grid::scatter_cell(node, rows, first, last);
    else
      grid::scatter_cell(node, rows, wide, first, last);
  }
};

}  // namespace pliant::grid
