// Products with the weights J of a ContactProblem and with their transpose. Every sum has an order that the number of
// threads does not change: pieces have fixed sizes, and a node adds up its contacts in their order.
#pragma once

#include "solve/contact_problem.h"
#include "solve/namespace.h"
#include "solve/sums.h"

namespace pliant::solve {

struct ContactWeightsWork {
  struct Entry {
    std::uint32_t contact;
    double weight;
  };
  Buffer<ThreeSums> pieces;
  // the weights by node, for sums on threads
  Buffer<std::uint32_t> begins;
  Buffer<Entry> entries;
  // by contact, what they add
  Buffer<NodeVector<double>> vectors;
  Buffer<Block3<double>> matrices;
  std::size_t bytes() const {
    return pieces.bytes() + begins.bytes() + entries.bytes() + vectors.bytes() + matrices.bytes();
  }
};

class ContactWeights {
 public:
  ContactWeights(const ContactProblem& problem, Workers& workers, ContactWeightsWork& work);

  std::size_t nodes() const { return nodes_; }
  std::size_t contacts() const { return contacts_; }
  std::size_t blocks() const { return blocks_of(contacts_); }

  // f(first, last) -> ThreeSums of the nodes, or of the blocks of contacts, in between
  template <class F>
  ThreeSums over_nodes(const F& f) const {
    return sums_.over(nodes_, nodes_per_piece, f);
  }
  template <class F>
  ThreeSums over_blocks(const F& f) const {
    return sums_.over(blocks(), blocks_per_piece, f);
  }

  const PieceSums& sums() const { return sums_; }

  // J x of the contacts in the blocks [first, last); unused lanes are 0
  void multiply(BlockRange blocks, const NodeVector<double>* x, Vec3Lanes* result) const;
  // J^T f by node
  void add_up(const Vec3Lanes* f, NodeVector<double>* result);
  // the diagonal blocks of J^T G J by node
  void add_up(const Block3<Lanes>* g, Block3<double>* result);

 private:
  static constexpr std::size_t blocks_per_piece = 32;

  template <class Value, class LaneValues>
  void add_rows(const LaneValues* f, Buffer<Value>& by_contact, Value* result);
  void transpose();

  const ContactProblem& problem_;
  ContactWeightsWork& work_;
  std::size_t nodes_, contacts_;
  bool threaded_;
  PieceSums sums_;
  int products_ = 0;  // with the transpose, until now
};

}  // namespace pliant::solve
