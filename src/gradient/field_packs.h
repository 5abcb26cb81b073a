// What particles take of a field of nodes, with all that its derivatives by their places need, for quadratic kernels.
// Within a cell the sum over nodes is a polynomial of second degree in t = f - 1, f the place from the cell's first node:
// its coefficients are made once for all particles of the cell. A particle then takes, along each axis, the value, the
// slope and the bend b (half the second derivative) of it. With these, d = k - f and w' the slope of w,
//   sum w d n = slope/4 + (t/4 - t^3) b,     sum w' d n = value + 3 (1/4 - t^2) b
// make all moments and slopes. One lane per particle; those out of their cell one by one, one lane per number of a node.
#pragma once

#include "gradient/namespace.h"
#include "grid/transfer_packs.h"
#include "grid/transfer_packs_2d.h"

namespace pliant::gradient {

// Which sums over the nodes there are: products over axes of values, but for the axes that are named.
template <int D>
struct FieldSums {
  static constexpr int value = 0, twists = 1 + 2 * D, mixed_ones = twists + D * (D - 1) / 2,
                       count = mixed_ones + D * (D - 1), of_mass = 1 + D;
  static constexpr int slope(int d) { return 1 + d; }
  static constexpr int bend(int d) { return 1 + D + d; }
  // slopes along two axes
  static constexpr int twist(int d, int e) { return twists + d + e - 1; }
  static constexpr int mixed(int slope, int bend) { return mixed_ones + (D - 1) * slope + bend - (bend > slope); }
};

template <int D, class S>
struct FieldRows {
  static constexpr int stride = Batch<D, S>::stride;
  using Sums = FieldSums<D>;
  alignas(64) S a[D][Sums::count][stride];    // by component
  alignas(64) S mass[Sums::of_mass][stride];  // value and slopes, where they are asked for
};

// --- of a cell ---

// from values at three nodes to c0 + c1 t + c2 t^2, in place
template <class T>
inline void to_polynomial(T& a, T& b, T& c) {
  using S = Scalar<T>;
  const T sum = a + c, turn = c - a;
  a = T(S(0.125)) * sum + T(S(0.75)) * b;
  c = T(S(0.5)) * sum - b;
  b = T(S(0.5)) * turn;
}

// along the last axis, the three nodes of a row of four
template <class S>
inline void line_polynomial(Node<S>* row) {
  using One = OneNode<S>;
  One c[3] = {One::load(row[0].a), One::load(row[1].a), One::load(row[2].a)};
  to_polynomial(c[0], c[1], c[2]);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) c[k].store(row[k].a);
}
// a row in a register: its first node times the first pack, ...
template <class S, int L>
inline Pack<S, L> line_polynomial(Pack<S, L> row) {
  static_assert(L == 16);
  using P = Pack<S, L>;
  const auto times = [](S a, S b, S c) -> P {
    return typename P::Vector{a, a, a, a, b, b, b, b, c, c, c, c, 0, 0, 0, 0};
  };
  const P x = __builtin_shufflevector(row.v, row.v, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3),
          y = __builtin_shufflevector(row.v, row.v, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7),
          z = __builtin_shufflevector(row.v, row.v, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11);
  return x * times(0.125, -0.5, 0.5) + (y * times(0.75, 0, -1) + z * times(0.125, 0.5, 0.5));
}

template <int D, class S>
struct CellPolynomial {
  static constexpr int lines = D == 2 ? 3 : 9, line = 4 * 4;  // numbers from one line to the next
  alignas(64) Node<S> c[lines][4];                            // by powers, that of the last axis fastest; three count

  const S* first() const { return c[0][0].a; }
  // the node is the cell's first in an arena
  explicit CellPolynomial(const Node<S>* node) {
    using P = Broad<S>;
    constexpr int nodes = P::lanes / 4, side = D == 2 ? 1 : 3;
#pragma GCC unroll 4
    for (int part = 0; part < 4; part += nodes) {
      P x[3][side];
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k)
#pragma GCC unroll 3
        for (int j = 0; j < side; ++j)
          x[k][j] = P::load(node[(D == 2 ? k * arena_side : k * slice + j * arena_side) + part].a);
#pragma GCC unroll 3
      for (int j = 0; j < side; ++j) to_polynomial(x[0][j], x[1][j], x[2][j]);
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) {
        if constexpr (D == 3) to_polynomial(x[k][0], x[k][1], x[k][2]);
#pragma GCC unroll 3
        for (int j = 0; j < side; ++j) {
          if constexpr (nodes == 4) x[k][j] = line_polynomial(x[k][j]);
          x[k][j].store(c[side * k + j][part].a);
        }
      }
    }
    if constexpr (nodes < 4)
#pragma GCC unroll 9
      for (int k = 0; k < lines; ++k) line_polynomial(c[k]);
  }
};

// --- of particles in it ---

template <class T>
struct Along {
  T value, slope, bend;

  Along() = default;
  Along(T c0, T c1, T c2, T t) : bend(c2) {
    const T half = c1 + c2 * t;
    value = c0 + half * t;
    slope = half + c2 * t;
  }
};

// put(which, sum) for all of FieldSums; c(line, power) are coefficients
template <class T, class C, class Put>
[[gnu::always_inline]] inline void field_sums(const C& c, const T (&t)[2], const Put& put) {
  using Sums = FieldSums<2>;
  Along<T> y[3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) y[k] = {c(k, 0), c(k, 1), c(k, 2), t[1]};
  const Along<T> value = {y[0].value, y[1].value, y[2].value, t[0]}, slope = {y[0].slope, y[1].slope, y[2].slope, t[0]},
                 bend = {y[0].bend, y[1].bend, y[2].bend, t[0]};
  put(Sums::value, value.value), put(Sums::slope(0), value.slope), put(Sums::bend(0), value.bend);
  put(Sums::slope(1), slope.value), put(Sums::twist(0, 1), slope.slope), put(Sums::mixed(1, 0), slope.bend);
  put(Sums::bend(1), bend.value), put(Sums::mixed(0, 1), bend.slope);
}

template <class T, class C, class Put>
[[gnu::always_inline]] inline void field_sums(const C& c, const T (&t)[3], const Put& put) {
  using Sums = FieldSums<3>;
  Along<T> value[3], slope[3], bend[3];  // along z, by powers of x
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    Along<T> z[3];
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) z[j] = {c(3 * k + j, 0), c(3 * k + j, 1), c(3 * k + j, 2), t[2]};
    value[k] = {z[0].value, z[1].value, z[2].value, t[1]};
    slope[k] = {z[0].slope, z[1].slope, z[2].slope, t[1]};
    bend[k] = {z[0].bend, z[1].bend, z[2].bend, t[1]};
  }
  const auto by_x = [&](const Along<T>* of, T Along<T>::*y) { return Along<T>(of[0].*y, of[1].*y, of[2].*y, t[0]); };
  const auto put_three = [&](const Along<T>& x, int a, int b, int c) {
    put(a, x.value), put(b, x.slope), put(c, x.bend);
  };
  constexpr auto v = &Along<T>::value, s = &Along<T>::slope, b = &Along<T>::bend;
  put_three(by_x(value, v), Sums::value, Sums::slope(0), Sums::bend(0));
  put_three(by_x(value, s), Sums::slope(1), Sums::twist(0, 1), Sums::mixed(1, 0));
  put_three(by_x(slope, v), Sums::slope(2), Sums::twist(0, 2), Sums::mixed(2, 0));
  const Along<T> bend_y = by_x(value, b), bend_z = by_x(bend, v);
  put(Sums::bend(1), bend_y.value), put(Sums::mixed(0, 1), bend_y.slope);
  put(Sums::bend(2), bend_z.value), put(Sums::mixed(0, 2), bend_z.slope);
  put(Sums::twist(1, 2), by_x(slope, s).value);
  put(Sums::mixed(2, 1), by_x(slope, b).value);
  put(Sums::mixed(1, 2), by_x(bend, s).value);
}

// coefficients of one cell for all lanes, and of two: of the second where the lanes are not `first`
template <class P>
struct OfCell {
  const Scalar<P>* c;

  OfCell shifted(int k) const { return {c + k}; }
  P operator[](int k) const { return c[k]; }
};
template <class P>
struct OfTwoCells {
  const Scalar<P>*a, *b;
  Truth<P> first;

  OfTwoCells shifted(int k) const { return {a + k, b + k, first}; }
  P operator[](int k) const { return select(first, P(a[k]), P(b[k])); }
};

// a pack of particles from row i; of the mass, value and slopes
template <bool with_mass, int D, class S, class Of>
inline void field_pack(const Of& cells, const PackRows<D, S>& at, FieldRows<D, S>& rows, int i) {
  using P = Broad<S>;
  constexpr int stride = FieldRows<D, S>::stride, line = CellPolynomial<D, S>::line;
  P t[D];
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) t[d] = P::load(at.f[d] + i) - P(1);
#pragma GCC unroll 1
  for (int k = 0; k < D; ++k) {
    const Of of = cells.shifted(k);
    S* const to = rows.a[k][0] + i;
    field_sums([of](int l, int power) { return of[l * line + 4 * power]; }, t,
               [to](int which, P sum) { sum.store(to + which * stride); });
  }
  if constexpr (with_mass) {
    const Of of = cells.shifted(node_mass);
    S* const to = rows.mass[0] + i;
    field_sums([of](int l, int power) { return of[l * line + 4 * power]; }, t,
               [to](int which, P sum) {
                 if (which < FieldSums<D>::of_mass) sum.store(to + which * stride);
               });
  }
}

// one that has left its cell
template <bool with_mass, int D, class S>
inline void field_stray(const Node<S>* arena, const PackRows<D, S>& at, FieldRows<D, S>& rows, int i) {
  using One = OneNode<S>;
  constexpr int stride = FieldRows<D, S>::stride, line = CellPolynomial<D, S>::line;
  const CellPolynomial<D, S> cell(arena + int(at.index[i]));
  One t[D];
  for (int d = 0; d < D; ++d) t[d] = at.f[d][i] - S(1);
  const S* const from = cell.first();
  S *const to = rows.a[0][0] + i, *const mass = rows.mass[0] + i;
  field_sums([from](int l, int power) { return One::load(from + l * line + 4 * power); }, t,
             [=](int which, One sum) {
#pragma GCC unroll 3
               for (int k = 0; k < D; ++k) to[(k * FieldSums<D>::count + which) * stride] = sum[k];
               if constexpr (with_mass)
                 if (which < FieldSums<D>::of_mass) mass[which * stride] = sum[node_mass];
             });
}

// --- lane by lane ---

// what a pack took, and its places
template <int D, class S>
struct FieldPack {
  using P = Broad<S>;
  using Sums = FieldSums<D>;
  const FieldRows<D, S>& rows;
  int i;
  P third[D], spread[D];  // t/4 - t^3, and its slope and a half: 3 (1/4 - t^2)

  FieldPack(const FieldRows<D, S>& taken, const PackRows<D, S>& at, int row) : rows(taken), i(row) {
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) {
      const P t = P::load(at.f[d] + row) - P(1), rest = P(S(0.25)) - t * t;
      third[d] = t * rest;
      spread[d] = P(3) * rest;
    }
  }
  P sum(int k, int which) const { return P::load(rows.a[k][which] + i); }
  P value(int k) const { return sum(k, Sums::value); }
  // sum w n_k d along axis d
  P moment(int k, int d) const { return P(S(0.25)) * sum(k, Sums::slope(d)) + third[d] * sum(k, Sums::bend(d)); }
  // derivatives by the place, in cells, of sum w n.(q + A d) where d is the way from there to a node
  void slopes(const P* q, const Matrix<P, D>& A, P* by) const {
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) {
      P along = 0;
#pragma GCC unroll 3
      for (int k = 0; k < D; ++k) {
        P all = q[k] * sum(k, Sums::slope(d)) + A(k, d) * (spread[d] * sum(k, Sums::bend(d)));
#pragma GCC unroll 3
        for (int e = 0; e < D; ++e)
          if (e != d)
            all = all + A(k, e) * (P(S(0.25)) * sum(k, Sums::twist(d, e)) + third[e] * sum(k, Sums::mixed(d, e)));
        along = k == 0 ? all : along + all;
      }
      by[d] = along;
    }
  }
};

}  // namespace pliant::gradient
