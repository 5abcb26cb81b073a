// What a node has three of, with a zero behind, in one register.
#pragma once

#include "core/small.h"
#include "solve/namespace.h"

namespace pliant::solve {

template <class T>
using NodeVector = Pack<T, 4>;

inline NodeVector<float> narrow(NodeVector<double> x) { return __builtin_convertvector(x.v, VectorOf<float, 4>::type); }
inline NodeVector<double> wide(NodeVector<float> x) { return __builtin_convertvector(x.v, VectorOf<double, 4>::type); }
inline NodeVector<double> wide(NodeVector<double> x) { return x; }

// x y in double, entry by entry
template <class T>
inline NodeVector<double> wide_product(NodeVector<T> x, NodeVector<T> y) {
  return wide(x) * wide(y);
}
inline double sum_of_lanes(Pack<double, 4> x) { return (x[0] + x[1]) + (x[2] + x[3]); }

}  // namespace pliant::solve
