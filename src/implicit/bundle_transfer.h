// From the nodes of a block's reach to the velocity gradients of a bundle's particles, and back.
//
// With w the weights along one axis and g their slopes, the gradient is L_x = sum g_x w_y w_z v and so on; the slopes
// are those of the kernel (PIC, APIC) or 4 w (node - particle) (MLS), in cells. Sums go over z, then y, then x. One
// lane per component of a node, one or two particles per register.
#pragma once

#include "grid/transfer_packs.h"
#include "implicit/bundles.h"
#include "implicit/namespace.h"

namespace pliant::implicit {

// registers that hold one number of each particle of a bundle
template <class T>
inline constexpr int bundle_parts = bundle_size / Wide<T>::lanes;

// velocities of the nodes of a block's reach: those that are solved for, and the fixed ones
template <class T>
struct ReachNodes {
  alignas(64) Node<T> nodes[reach_nodes] = {};
  ReachNodes() = default;
  ReachNodes(const BundleBlock& block, const Bundles& bundles, const NodeVector<double>* v) {
    load(bundles.touches().data(), block.first_touch, block.last_touch, v);
    load(bundles.fixed_touches().data(), block.first_fixed, block.last_fixed, bundles.fixed_velocity().data());
  }

 private:
  void load(const TouchedNode* touches, std::uint32_t first, std::uint32_t last, const NodeVector<double>* v) {
    for (std::uint32_t t = first; t < last; ++t)
      for (int d = 0; d < 3; ++d) nodes[touches[t].place].a[d] = T(v[touches[t].node][d]);
  }
};

// x0 x1 x2 y0 y1 y2 z0 z1 z2
template <class T>
struct AxisWeights {
  Wide<T> w[9], g[9];
};

// f: positions from the first node in cells, along x, y, z
template <class T>
inline AxisWeights<T> axis_weights(const Wide<T>* f, bool mls) {
  AxisWeights<T> a;
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    quadratic_weights<T>(f[d], a.w + 3 * d);
    if (mls) {
      const Wide<T> f4 = T(4) * f[d];
      a.g[3 * d] = -(f4 * a.w[3 * d]);
      a.g[3 * d + 1] = (Wide<T>(4) - f4) * a.w[3 * d + 1];
      a.g[3 * d + 2] = (Wide<T>(8) - f4) * a.w[3 * d + 2];
    } else {
      a.g[3 * d] = f[d] - Wide<T>(T(1.5));
      a.g[3 * d + 1] = T(-2) * (f[d] - Wide<T>(1));
      a.g[3 * d + 2] = f[d] - Wide<T>(T(0.5));
    }
  }
  return a;
}

// the number of each particle of pair l, four times
template <int l, class T>
inline Wide<T> spread_pair(Wide<T> x) {
  if constexpr (Wide<T>::lanes == 8)
    return __builtin_shufflevector(x.v, x.v, l, l, l, l, l + 4, l + 4, l + 4, l + 4);
  else
    return __builtin_shufflevector(x.v, x.v, l, l, l, l);
}

// the weights of the pairs, each for all components of a node
template <class T>
struct PairWeights {
  alignas(64) AxisWeights<T> pair[bundle_pairs];

  explicit PairWeights(const AxisWeights<T>& a) {
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
      pair[0].w[k] = spread_pair<0, T>(a.w[k]);
      pair[1].w[k] = spread_pair<1, T>(a.w[k]);
      pair[2].w[k] = spread_pair<2, T>(a.w[k]);
      pair[3].w[k] = spread_pair<3, T>(a.w[k]);
      pair[0].g[k] = spread_pair<0, T>(a.g[k]);
      pair[1].g[k] = spread_pair<1, T>(a.g[k]);
      pair[2].g[k] = spread_pair<2, T>(a.g[k]);
      pair[3].g[k] = spread_pair<3, T>(a.g[k]);
    }
  }
};

// four registers, one by pair with components as lanes, become one by component with pairs as lanes; and back
template <class T>
inline void exchange_pairs(Wide<T>* r) {
  const auto a = r[0].v, b = r[1].v, c = r[2].v, d = r[3].v;
  if constexpr (Wide<T>::lanes == 8) {
    const auto ab0 = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto ab1 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto cd0 = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto cd1 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    r[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = __builtin_shufflevector(ab0, cd0, 2, 3, 10, 11, 6, 7, 14, 15);
    r[2] = __builtin_shufflevector(ab1, cd1, 0, 1, 8, 9, 4, 5, 12, 13);
    r[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 10, 11, 6, 7, 14, 15);
  } else {
    const auto ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const auto cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
  }
}

// a node, as often as a register holds particles of one pair
template <class T>
inline Wide<T> node_of_pair(const Node<T>& node) {
  if constexpr (Wide<T>::lanes == 8) {
#if defined(__AVX__)
    // the compiler would load and then shuffle
    return (typename Wide<T>::Vector)_mm256_broadcast_ps(reinterpret_cast<const __m128*>(node.a));
#endif
    const auto once = Pack<T, 4>::load(node.a).v;
    return __builtin_shufflevector(once, once, 0, 1, 2, 3, 0, 1, 2, 3);
  } else {
    return Wide<T>::load(node.a);
  }
}

// (c, d): sum over the nodes of v_c times the slope of the weight along d
template <class T>
inline Matrix<Wide<T>, 3> gather_gradient(const Node<T>* reach, const std::int32_t* place, const PairWeights<T>& pw) {
  using P = Wide<T>;
  P rows[3][bundle_pairs];  // by axis and pair
  for (int l = 0; l < bundle_pairs; ++l) {
    const Node<T>* first = reach + place[l];
    const AxisWeights<T>& a = pw.pair[l];
    P lx, ly, lz;
#pragma GCC unroll 3
    for (int x = 0; x < 3; ++x) {
      P all, along_y, along_z;
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y) {
        const Node<T>* n = first + (x * reach_side + y) * reach_side;
        const P n0 = node_of_pair(n[0]), n1 = node_of_pair(n[1]), n2 = node_of_pair(n[2]);
        const P sum = n0 * a.w[6] + n1 * a.w[7] + n2 * a.w[8], slope = n0 * a.g[6] + n1 * a.g[7] + n2 * a.g[8];
        all = y == 0 ? sum * a.w[3] : all + sum * a.w[3 + y];
        along_y = y == 0 ? sum * a.g[3] : along_y + sum * a.g[3 + y];
        along_z = y == 0 ? slope * a.w[3] : along_z + slope * a.w[3 + y];
      }
      lx = x == 0 ? all * a.g[0] : lx + all * a.g[x];
      ly = x == 0 ? along_y * a.w[0] : ly + along_y * a.w[x];
      lz = x == 0 ? along_z * a.w[0] : lz + along_z * a.w[x];
    }
    rows[0][l] = lx;
    rows[1][l] = ly;
    rows[2][l] = lz;
  }
  Matrix<P, 3> L;
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    exchange_pairs<T>(rows[d]);
    for (int c = 0; c < 3; ++c) L(c, d) = rows[d][c];
  }
  return L;
}

// the transpose: adds sum over d of M_cd times the slope along d to each node
template <class T>
inline void scatter_gradient(Node<T>* reach, const std::int32_t* place, const PairWeights<T>& pw,
                             const Matrix<Wide<T>, 3>& M) {
  using P = Wide<T>;
  P rows[3][bundle_pairs];
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    for (int c = 0; c < 3; ++c) rows[d][c] = M(c, d);
    rows[d][3] = T(0);
    exchange_pairs<T>(rows[d]);
  }
  // neighbouring pairs of one cell are added in registers
  for (int begin = 0, end; begin < bundle_pairs; begin = end) {
    end = begin + 1;
    while (end < bundle_pairs && place[end] == place[begin]) ++end;
#pragma GCC unroll 3
    for (int x = 0; x < 3; ++x) {
      P sum[3][3];
#pragma GCC unroll 9
      for (int k = 0; k < 9; ++k) sum[k / 3][k % 3] = T(0);
      for (int l = begin; l < end; ++l) {
        const AxisWeights<T>& a = pw.pair[l];
        const P qx = rows[0][l] * a.g[x], qy = rows[1][l] * a.w[x], qz = rows[2][l] * a.w[x];
#pragma GCC unroll 3
        for (int y = 0; y < 3; ++y) {
          const P across = kept(qx * a.w[3 + y] + qy * a.g[3 + y]), along = kept(qz * a.w[3 + y]);
#pragma GCC unroll 3
          for (int z = 0; z < 3; ++z) sum[y][z] = sum[y][z] + across * a.w[6 + z] + along * a.g[6 + z];
        }
      }
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y)
        add_nodes<T>(reach + place[begin] + (x * reach_side + y) * reach_side, sum[y][0], sum[y][1], sum[y][2]);
    }
  }
}

}  // namespace pliant::implicit
