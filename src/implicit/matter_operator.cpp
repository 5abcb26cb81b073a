#include "implicit/matter_operator.h"

#include "implicit/bundle_transfer.h"
#include "implicit/differential_rows.h"

namespace pliant::implicit {
namespace {

template <class T>
AxisWeights<T> load_weights(const T* places, bool mls) {
  const Wide<T> f[3] = {Wide<T>::load(places), Wide<T>::load(places + bundle_size),
                        Wide<T>::load(places + 2 * bundle_size)};
  return axis_weights<T>(f, mls);
}

template <class T>
Matrix<Wide<T>, 3> load_factor(const T* rows) {
  Matrix<Wide<T>, 3> A;
#pragma GCC unroll 9
  for (int k = 0; k < 9; ++k) A.a[k] = Wide<T>::load(rows + k * bundle_size);
  return A;
}

template <class T>
inline Matrix<Wide<T>, 3> multiply(Differential kind, const T* rows, const Matrix<Wide<T>, 3>& l) {
  using P = Wide<T>;
  if (kind == Differential::liquid) {
    const P mu = P::load(rows + 9 * bundle_size), lambda = P::load(rows + 10 * bundle_size);
    const P spin = P::load(rows + 11 * bundle_size);
    return add_diagonal(P(2) * mu * symmetric_part(l) - spin * skew_part(l), lambda * trace(l));
  }
  if (is_compact(kind)) {
    const bool turned = kind == Differential::turned;
    const Matrix<P, 3> M = quadratic_product(load_factor(rows), P::load(rows + 9 * bundle_size),
                                             P::load(rows + 10 * bundle_size), turned ? symmetric_part(l) : l);
    return (turned ? symmetric_part(M) + shear_product(P::load(rows + 12 * bundle_size), l) : M) -
           P::load(rows + 11 * bundle_size) * skew_part(l);
  }
  Matrix<P, 3> M = Matrix<P, 3>::zero();
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i)
#pragma GCC unroll 9
    for (int j = i; j < 9; ++j) {
      const P q = P::load(rows + dense_row(i, j) * bundle_size);
      M.a[i] = M.a[i] + q * l.a[j];
      if (j > i) M.a[j] = M.a[j] + q * l.a[i];
    }
  return M;
}

// The block that a particle adds to a node at which its weight has this slope, entries as in Block3. Of a turned
// differential it is that of the quadratic one, which differs by a part of the order of the strain.
constexpr int block_entry[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

template <class T>
inline void quadratic_block(const T* rows, const Vector<Wide<T>, 3>& slope, Wide<T>* block) {
  using P = Wide<T>;
  const P mu = P::load(rows + 9 * bundle_size), lambda = P::load(rows + 10 * bundle_size);
  const P spin = P(T(0.5)) * P::load(rows + 11 * bundle_size);
  const Vector<P, 3> a = load_factor(rows) * slope;
  const P drag = P(T(0.5)) * P::load(rows + 12 * bundle_size), rest = spin + P(T(1) / 3) * drag;
  const P all = mu * dot(a, a) + (drag - spin) * dot(slope, slope), along = mu + lambda;
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const int i = block_entry[k][0], j = block_entry[k][1];
    const P product = along * a[i] * a[j] + rest * slope[i] * slope[j];
    block[k] = i == j ? product + all : product;
  }
}

template <class T>
inline void dense_block(const T* rows, const Vector<Wide<T>, 3>& slope, Wide<T>* block) {
  using P = Wide<T>;
  P product[3][3];
  for (int b = 0; b < 3; ++b)
    for (int d = 0; d < 3; ++d) product[b][d] = slope[b] * slope[d];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    P sum = 0;
#pragma GCC unroll 9
    for (int bd = 0; bd < 9; ++bd) {
      const int b = bd / 3, d = bd % 3, i = 3 * block_entry[k][0] + b, j = 3 * block_entry[k][1] + d;
      sum = sum + P::load(rows + dense_row(std::min(i, j), std::max(i, j)) * bundle_size) * product[b][d];
    }
    block[k] = sum;
  }
}

// the sum of the two particles of a pair
template <class T>
inline Pack<T, 4> fold_pair(Wide<T> x) {
  if constexpr (Wide<T>::lanes == 8)
    return Pack<T, 4>(__builtin_shufflevector(x.v, x.v, 0, 1, 2, 3)) +
           Pack<T, 4>(__builtin_shufflevector(x.v, x.v, 4, 5, 6, 7));
  else
    return x;
}

// adds entries of each pair to the block of its node
template <class T>
inline void add_blocks(Block3<T>* nodes, const std::int32_t* place, const Wide<T>* entries) {
  Wide<T> first[4] = {entries[0], entries[1], entries[2], entries[3]};
  Wide<T> second[4] = {entries[4], entries[5], T(0), T(0)};
  exchange_pairs<T>(first);
  exchange_pairs<T>(second);
#pragma GCC unroll 4
  for (int l = 0; l < bundle_pairs; ++l) {
    T* a = nodes[place[l]].data();
    (Pack<T, 4>::load(a) + fold_pair<T>(first[l])).store(a);
    const Pack<T, 4> rest = fold_pair<T>(second[l]);
    a[4] += rest[0];
    a[5] += rest[1];
  }
}

template <class T>
using Reach = Node<T>[reach_nodes];

}  // namespace

template <class T>
void MatterOperator<T>::fit(const Bundles& bundles, std::span<const Differential> kinds, bool mls) {
  bundles_ = &bundles;
  kinds_ = kinds;
  mls_ = mls;
  const std::size_t count = bundles.bundles().size();
  offsets_.resize(count);
  std::size_t total = 0;
  for (std::size_t k = 0; k < count; ++k) {
    offsets_[k] = total;
    const bool compact = is_compact(kinds[bundles.bundles()[k].group]);
    total += std::size_t(3 + (compact ? compact_rows : dense_rows)) * bundle_size;
  }
  data_.resize(total);
  touched_.resize(bundles.touches().size());
}

template <class T>
void MatterOperator<T>::set_mass(std::span<const double> mass, double factor) {
  mass_.resize(mass.size());
  for (std::size_t i = 0; i < mass.size(); ++i) mass_[i] = T(factor * mass[i]);
}

template <class T>
void MatterOperator<T>::apply_block(std::size_t b, const NodeVector<T>* x) {
  const BundleBlock& block = bundles_->blocks()[b];
  const TouchedNode* touches = bundles_->touches().data();
  alignas(64) Reach<T> from = {}, to = {};
  for (std::uint32_t t = block.first_touch; t < block.last_touch; ++t)
    x[touches[t].node].store(from[touches[t].place].a);
  for (std::uint32_t k = block.first_bundle; k < block.last_bundle; ++k) {
    const Bundle& bundle = bundles_->bundles()[k];
    const T* places = data_.data() + offsets_[k];
    const T* rows = places + 3 * bundle_size;
    for (int part = 0; part < bundle_parts<T>; ++part, places += Wide<T>::lanes, rows += Wide<T>::lanes) {
      const PairWeights<T> weights(load_weights(places, mls_));
      const Matrix<Wide<T>, 3> l = gather_gradient(from, bundle.place, weights);
      scatter_gradient(to, bundle.place, weights, multiply(kinds_[bundle.group], rows, l));
    }
  }
  for (std::uint32_t t = block.first_touch; t < block.last_touch; ++t) touched_[t] = to[touches[t].place];
}

template <class T>
double MatterOperator<T>::apply(const NodeVector<T>* x, NodeVector<T>* y, Workers& workers) {
  workers.for_each(bundles_->blocks().size(), 1, [&](std::size_t b) { apply_block(b, x); });
  const auto add_up = [&](std::size_t first, std::size_t last) {
    NodeVector<double> sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      NodeVector<T> product = mass_[i] * x[i];
      bundles_->add_touches(i, touched_.data(), [&](const Node<T>& n) { product += NodeVector<T>::load(n.a); });
      y[i] = product;
      sum += wide_product(x[i], product);
    }
    return ThreeSums{sum_of_lanes(sum)};
  };
  return PieceSums(workers, pieces_).over(bundles_->nodes(), nodes_per_piece, add_up).a;
}

template <class T>
void MatterOperator<T>::diagonal_block(std::size_t b) {
  using P = Wide<T>;
  const BundleBlock& block = bundles_->blocks()[b];
  alignas(64) Block3<T> sums[reach_nodes] = {};
  for (std::uint32_t k = block.first_bundle; k < block.last_bundle; ++k) {
    const Bundle& bundle = bundles_->bundles()[k];
    const T* places = data_.data() + offsets_[k];
    const T* rows = places + 3 * bundle_size;
    for (int part = 0; part < bundle_parts<T>; ++part, places += P::lanes, rows += P::lanes) {
      const AxisWeights<T> a = load_weights(places, mls_);
      const bool compact = is_compact(kinds_[bundle.group]);
      for (int n = 0; n < 27; ++n) {
        const int x = n / 9, y = 3 + n / 3 % 3, z = 6 + n % 3;
        const Vector<P, 3> slope = {{a.g[x] * a.w[y] * a.w[z], a.w[x] * a.g[y] * a.w[z], a.w[x] * a.w[y] * a.g[z]}};
        P entries[6];
        compact ? quadratic_block(rows, slope, entries) : dense_block(rows, slope, entries);
        add_blocks<T>(sums + (n / 9 * reach_side + n / 3 % 3) * reach_side + n % 3, bundle.place, entries);
      }
    }
  }
  for (std::uint32_t t = block.first_touch; t < block.last_touch; ++t)
    touched_blocks_[t] = sums[bundles_->touches()[t].place];
}

template <class T>
void MatterOperator<T>::diagonal(std::span<Block3<double>> blocks, Workers& workers) {
  touched_blocks_.resize(bundles_->touches().size());
  workers.for_each(bundles_->blocks().size(), 1, [&](std::size_t b) { diagonal_block(b); });
  workers.for_each(blocks.size(), 4 * nodes_per_piece, [&](std::size_t i) {
    Block3<double> sum = Block3<double>::scaled_identity(double(mass_[i]));
    bundles_->add_touches(i, touched_blocks_.data(), [&](const Block3<T>& n) {
      for (int e = 0; e < Block3<T>::entries; ++e) sum.data()[e] += double(n.data()[e]);
    });
    blocks[i] = sum;
  });
}

template class MatterOperator<float>;
template class MatterOperator<double>;

}  // namespace pliant::implicit
