// The momentum operator of matter, A = M + dt^2 K, by what it does to a vector: particles in bundles take gradients
// from the nodes, multiply them by their differentials and give them back. No matrix is stored.
#pragma once

#include "implicit/bundles.h"
#include "implicit/namespace.h"
#include "solve/block3.h"
#include "solve/sums.h"

namespace pliant::implicit {

// how the differentials of a piece of matter are kept (differential_rows.h); turned: quadratic in the symmetric part;
// liquid: that of a quadratic law with A = 1, but not the same everywhere
enum class Differential : std::uint8_t { quadratic, turned, liquid, dense };
constexpr bool is_compact(Differential kind) { return kind != Differential::dense; }

// where the particles of a bundle are: cells from their first node, along x, y, z; lane by lane
struct BundlePlace {
  double f[3][bundle_size];
};

template <class T>
class MatterOperator {
 public:
  // room for the differentials of these kinds, by group. What is given must live as long as this is used.
  void fit(const Bundles& bundles, std::span<const Differential> kinds, bool mls);
  void set_mass(std::span<const double> mass, double factor);

  // of a bundle: rows of eight lanes, for the caller to fill; positions as in BundlePlace
  T* places(std::size_t bundle) { return data_.data() + offsets_[bundle]; }
  T* rows(std::size_t bundle) { return data_.data() + offsets_[bundle] + 3 * bundle_size; }

  // y = A x; x . y
  double apply(const NodeVector<T>* x, NodeVector<T>* y, Workers& workers);

  // the 3x3 blocks of A's diagonal, by node
  void diagonal(std::span<Block3<double>> blocks, Workers& workers);

  std::size_t bytes() const {
    return data_.bytes() + offsets_.bytes() + mass_.bytes() + touched_.bytes() + touched_blocks_.bytes() +
           pieces_.bytes();
  }

 private:
  void apply_block(std::size_t b, const NodeVector<T>* x);
  void diagonal_block(std::size_t b);

  const Bundles* bundles_ = nullptr;
  std::span<const Differential> kinds_;
  bool mls_ = true;
  Buffer<T> data_;
  Buffer<std::size_t> offsets_;
  Buffer<T> mass_;
  Buffer<Node<T>> touched_;  // what blocks add, by touch
  Buffer<Block3<T>> touched_blocks_;
  Buffer<ThreeSums> pieces_;
};

}  // namespace pliant::implicit
