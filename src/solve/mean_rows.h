// The part of contacts' rows that acts on a whole piece of matter (StrongProblem::MeanRows): u_c += G d_c with the mean
// gradient G = sum_i v_i s_i^T of the piece, in low rank. Products and their transpose are sums over the nodes of a piece
// and over its contacts, in an order that the number of threads does not change.
#pragma once

#include "core/small.h"
#include "solve/namespace.h"
#include "solve/strong_problem.h"

namespace pliant::solve {

struct MeanRowsWork {
  Buffer<Matrix<double, 3>> chunks;     // of the sums over nodes
  Buffer<Matrix<double, 3>> of_pieces;  // G, or the sum of f d^T
};

class MeanProducts {
 public:
  // what is given must live as long as this is used
  MeanProducts(const MeanRows& rows, Workers& workers, MeanRowsWork& work);

  bool empty() const { return pieces_ == 0; }
  // velocities of contacts += G d
  void add_velocities(const NodeVector<double>* v, Vec3Lanes* velocities);
  // by node: result += its transpose times f
  void add_up(const Vec3Lanes* f, NodeVector<double>* result);

 private:
  const MeanRows& rows_;
  Workers& workers_;
  MeanRowsWork& work_;
  std::size_t pieces_;
};

}  // namespace pliant::solve
