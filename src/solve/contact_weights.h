// Products with the weights J of a ContactProblem and with their transpose. Every sum has an order that the number of
// threads does not change: pieces have fixed sizes, and a node adds up its contacts in their order.
#pragma once

#include "core/buffer.h"
#include "core/parallel.h"
#include "solve/contact_problem.h"

#include <algorithm>

namespace pliant {

// three sums over nodes or contacts
struct ThreeSums {
  double a = 0, b = 0, c = 0;
};

// a symmetric 3x3 matrix of a node: xx, yy, zz; xy, xz, yz
struct NodeBlock {
  Lanes diagonal, coupled;
};

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
  Buffer<Lanes> vectors;
  Buffer<NodeBlock> matrices;
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
  ThreeSums over_nodes(const F& f) {
    return in_pieces(nodes_, nodes_per_piece, f);
  }
  template <class F>
  ThreeSums over_blocks(const F& f) {
    return in_pieces(blocks(), blocks_per_piece, f);
  }

  // J x of the contacts in the blocks [first, last); unused lanes are 0
  void multiply(BlockRange blocks, const Lanes* x, Vec3Lanes* result) const;
  // J^T f by node
  void add_up(const Vec3Lanes* f, Lanes* result);
  // the diagonal blocks of J^T G J by node
  void add_up(const Symmetric3<Lanes>* g, NodeBlock* result);

 private:
  static constexpr std::size_t nodes_per_piece = 128, blocks_per_piece = 32;

  template <class F>
  ThreeSums in_pieces(std::size_t count, std::size_t piece, const F& f);
  template <class F>
  static ThreeSums sums_of(const F& f, std::size_t first, std::size_t last);
  template <class Value, class LaneValues>
  void add_rows(const LaneValues* f, Buffer<Value>& by_contact, Value* result);
  void transpose();

  const ContactProblem& p_;
  Workers& workers_;
  ContactWeightsWork& w_;
  std::size_t nodes_, contacts_;
  bool threaded_;
  int sums_ = 0;  // by node, until now
};

// one code for a piece, whoever runs it: the compiler is free to round differently in two copies
template <class F>
[[gnu::noinline, gnu::noclone]] ThreeSums ContactWeights::sums_of(const F& f, std::size_t first, std::size_t last) {
  return f(first, last);
}

template <class F>
ThreeSums ContactWeights::in_pieces(std::size_t count, std::size_t piece, const F& f) {
  const std::size_t pieces = (count + piece - 1) / piece;
  const auto one = [&](std::size_t i) { w_.pieces[i] = sums_of(f, i * piece, std::min(count, (i + 1) * piece)); };
  if (threaded_)
    workers_.for_each(pieces, 1, one);
  else
    for (std::size_t i = 0; i < pieces; ++i) one(i);
  ThreeSums total;
  for (std::size_t i = 0; i < pieces; ++i) {
    total.a += w_.pieces[i].a;
    total.b += w_.pieces[i].b;
    total.c += w_.pieces[i].c;
  }
  return total;
}

}  // namespace pliant
