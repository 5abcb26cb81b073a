// Conjugate gradients for A x = b with the 3x3 blocks of A's diagonal as preconditioner. A is symmetric and positive
// and known only by what it does to a vector. A vector has one entry per node: three numbers and a zero in one
// register. Sums go in double over pieces of fixed size, so that no number of threads changes a bit.
#pragma once

#include "core/buffer.h"
#include "core/parallel.h"
#include "core/small.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace pliant {

template <class T>
using NodeVector = Pack<T, 4>;

constexpr std::size_t nodes_per_piece = 256;

// x . y in double
template <class T>
inline Pack<double, 4> wide_product(NodeVector<T> x, NodeVector<T> y) {
  using Wide4 = typename VectorOf<double, 4>::type;
  return Pack<double, 4>(__builtin_convertvector(x.v, Wide4)) * Pack<double, 4>(__builtin_convertvector(y.v, Wide4));
}
inline double sum_of_lanes(Pack<double, 4> x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// f(first, last) -> a sum over these nodes; the sums of the pieces are added in their order
template <class F>
double sum_over_nodes(std::size_t nodes, Workers& workers, Buffer<double>& pieces, const F& f) {
  const std::size_t count = (nodes + nodes_per_piece - 1) / nodes_per_piece;
  pieces.resize(count);
  constexpr std::size_t pieces_per_task = 4;
  workers.for_each(count, pieces_per_task, [&](std::size_t piece) {
    const std::size_t first = piece * nodes_per_piece;
    pieces[piece] = f(first, std::min(first + nodes_per_piece, nodes));
  });
  double sum = 0;
  for (double part : pieces) sum += part;
  return sum;
}

// a symmetric 3x3 matrix of a node: xx, yy, zz, xy, xz, yz, and two zeros
template <class T>
struct NodeBlock3 {
  T a[8];
};

// the inverse of such a block, by columns
template <class T>
struct InverseBlock {
  NodeVector<T> column[3];

  NodeVector<T> operator*(NodeVector<T> r) const {
    return column[0] * NodeVector<T>(r[0]) + column[1] * NodeVector<T>(r[1]) + column[2] * NodeVector<T>(r[2]);
  }
};

// The block must be positive. Scaled to a diagonal of ones first, so that no product under- or overflows.
template <class T>
InverseBlock<T> inverse_block(const NodeBlock3<double>& block) {
  const double s[3] = {1 / std::sqrt(block.a[0]), 1 / std::sqrt(block.a[1]), 1 / std::sqrt(block.a[2])};
  const double xy = block.a[3] * s[0] * s[1], xz = block.a[4] * s[0] * s[2], yz = block.a[5] * s[1] * s[2];
  const Matrix<double, 3> inverted = inverse(Matrix<double, 3>{{1, xy, xz, xy, 1, yz, xz, yz, 1}});
  InverseBlock<T> result;
  for (int c = 0; c < 3; ++c) {
    result.column[c] = T(0);
    for (int r = 0; r < 3; ++r) result.column[c].set(r, T(inverted(r, c) * s[r] * s[c]));
  }
  return result;
}

struct PcgOptions {
  double tolerance = 1e-3;  // of the residual, relative to b, both in the norm of the preconditioner
  int max_iterations = 1000;
};

struct PcgReport {
  bool converged = false;
  bool broken = false;  // A is not positive along a direction, or a number is not finite; x is the last good one
  int iterations = 0;
  double residual = 0;  // relative
};

// Scratch and result. After a solve A x = b - residual, by the recursion.
template <class T>
struct PcgWork {
  Buffer<NodeVector<T>> x, residual, preconditioned, direction, product;
  Buffer<double> pieces;
  std::size_t bytes() const {
    return x.bytes() + residual.bytes() + preconditioned.bytes() + direction.bytes() + product.bytes() + pieces.bytes();
  }
};

template <class T>
struct PcgProblem {
  std::span<const NodeVector<T>> right;  // b
  std::span<const InverseBlock<T>> preconditioner;
};

namespace pcg {

// x = 0, r = b, z = P r, p = z; r . z
template <class T>
double begin(const PcgProblem<T>& problem, Workers& workers, PcgWork<T>& work) {
  const std::size_t nodes = problem.right.size();
  for (auto* buffer : {&work.x, &work.residual, &work.preconditioned, &work.direction, &work.product})
    buffer->resize(nodes);
  return sum_over_nodes(nodes, workers, work.pieces, [&](std::size_t first, std::size_t last) {
    Pack<double, 4> sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      const NodeVector<T> r = problem.right[i], z = problem.preconditioner[i] * r;
      work.x[i] = T(0);
      work.residual[i] = r;
      work.preconditioned[i] = z;
      work.direction[i] = z;
      sum += wide_product(r, z);
    }
    return sum_of_lanes(sum);
  });
}

// x += alpha p, r -= alpha A p, z = P r; r . z
template <class T>
double advance(const PcgProblem<T>& problem, T alpha, Workers& workers, PcgWork<T>& work) {
  return sum_over_nodes(problem.right.size(), workers, work.pieces, [&](std::size_t first, std::size_t last) {
    Pack<double, 4> sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      work.x[i] += alpha * work.direction[i];
      const NodeVector<T> r = work.residual[i] - alpha * work.product[i];
      const NodeVector<T> z = problem.preconditioner[i] * r;
      work.residual[i] = r;
      work.preconditioned[i] = z;
      sum += wide_product(r, z);
    }
    return sum_of_lanes(sum);
  });
}

// p = z + beta p
template <class T>
void turn(T beta, Workers& workers, PcgWork<T>& work) {
  const std::size_t nodes = work.direction.size();
  constexpr std::size_t pieces_per_task = 8;
  workers.for_each((nodes + nodes_per_piece - 1) / nodes_per_piece, pieces_per_task, [&](std::size_t piece) {
    const std::size_t first = piece * nodes_per_piece, last = std::min(first + nodes_per_piece, nodes);
    for (std::size_t i = first; i < last; ++i) work.direction[i] = work.preconditioned[i] + beta * work.direction[i];
  });
}

}  // namespace pcg

// apply(p, q): q = A p, gives p . q. Starts at x = 0; the result is work.x.
template <class T, class Apply>
PcgReport solve_pcg(const Apply& apply, const PcgProblem<T>& problem, const PcgOptions& options, Workers& workers,
                    PcgWork<T>& work) {
  PcgReport report;
  double rz = pcg::begin(problem, workers, work);
  const double first = rz;
  const double wanted = options.tolerance * options.tolerance * first;
  report.broken = !(rz >= 0 && std::isfinite(rz));
  while (!report.broken && rz > wanted && report.iterations < options.max_iterations) {
    const double pq = apply(work.direction.data(), work.product.data());
    const double alpha = rz / pq;
    if (!(pq > 0) || !std::isfinite(alpha)) {
      report.broken = true;
      break;
    }
    const double next = pcg::advance(problem, T(alpha), workers, work);
    ++report.iterations;
    report.broken = !(next >= 0 && std::isfinite(next));
    if (next > wanted) pcg::turn(T(next / rz), workers, work);
    rz = next;
  }
  report.residual = first > 0 ? std::sqrt(rz / first) : 0;
  report.converged = !report.broken && rz <= wanted;
  return report;
}

}  // namespace pliant
