#include "solve/contact_weights.h"

namespace pliant::solve {
namespace {

// below this, starting a loop on threads takes longer than the loop
constexpr std::size_t contacts_for_threads = 512;
// sums by node that come before weights by node pay off
constexpr int sums_by_contact = 4;

NodeVector<double> lane_of(const Vec3Lanes& x, int lane) {
  return NodeVector<double>::Vector{x[0][lane], x[1][lane], x[2][lane], 0};
}

// products are rounded before they are added: fused in one loop and not in another, sums would differ
template <class P>
void add_kept(double* sum, double w, const double* x) {
  (P::load(sum) + kept(P(w) * P::load(x))).store(sum);
}
void add(NodeVector<double>& sum, double w, const NodeVector<double>& x) { sum += kept(NodeVector<double>(w) * x); }
void add(Block3<double>& sum, double w, const Block3<double>& x) {
  add_kept<Pack<double, 4>>(sum.data(), w * w, x.data());
  add_kept<Pack<double, 2>>(sum.data() + 4, w * w, x.data() + 4);
}

}  // namespace

ContactWeights::ContactWeights(const ContactProblem& problem, Workers& workers, ContactWeightsWork& work)
    : problem_(problem),
      work_(work),
      nodes_(problem.mass.size()),
      contacts_(problem.potential ? problem.potential->size() : 0),
      threaded_(workers.threads() > 1 && contacts_ >= contacts_for_threads),
      sums_(workers, work.pieces, threaded_) {}

// entries by node, each node's in the order of contacts
void ContactWeights::transpose() {
  work_.vectors.resize(4 * blocks());
  work_.matrices.resize(4 * blocks());
  work_.begins.resize(nodes_ + 2);
  work_.entries.resize(problem_.nodes.size());
  std::uint32_t* begins = work_.begins.data();
  std::fill(begins, begins + nodes_ + 2, 0u);
  for (const std::uint32_t node : problem_.nodes) ++begins[node + 2];
  for (std::size_t i = 2; i < nodes_ + 2; ++i) begins[i] += begins[i - 1];
  for (std::size_t c = 0; c < contacts_; ++c)
    for (std::uint32_t k = problem_.begins[c]; k < problem_.begins[c + 1]; ++k)
      work_.entries[begins[problem_.nodes[k] + 1]++] = {std::uint32_t(c), problem_.weights[k]};
}

void ContactWeights::multiply(BlockRange blocks, const NodeVector<double>* x, Vec3Lanes* result) const {
  const std::uint32_t* nodes = problem_.nodes.data();
  const double* weights = problem_.weights.data();
  if (blocks.last > contacts_ / 4) result[blocks.last - 1] = Vec3Lanes::zero();
  for (std::size_t c = 4 * blocks.first; c < std::min(contacts_, 4 * blocks.last); ++c) {
    std::uint32_t k = problem_.begins[c];
    const std::uint32_t end = problem_.begins[c + 1];
    NodeVector<double> s0(0), s1(0), s2(0), s3(0);
    for (; k + 4 <= end; k += 4) {
      s0 += NodeVector<double>(weights[k]) * x[nodes[k]];
      s1 += NodeVector<double>(weights[k + 1]) * x[nodes[k + 1]];
      s2 += NodeVector<double>(weights[k + 2]) * x[nodes[k + 2]];
      s3 += NodeVector<double>(weights[k + 3]) * x[nodes[k + 3]];
    }
    for (; k < end; ++k) s0 += NodeVector<double>(weights[k]) * x[nodes[k]];
    const NodeVector<double> sum = (s0 + s1) + (s2 + s3);
    for (int d = 0; d < 3; ++d) result[c / 4][d].set(int(c % 4), sum[d]);
  }
}

// Contact by contact, or on threads node by node: both add up each node in the order of its contacts.
template <class Value, class LaneValues>
void ContactWeights::add_rows(const LaneValues* f, Buffer<Value>& by_contact, Value* result) {
  if (!threaded_ || products_ < sums_by_contact) {
    ++products_;
    std::fill(result, result + nodes_, Value{});
    for (std::size_t c = 0; c < contacts_; ++c) {
      const Value x = lane_of(f[c / 4], int(c % 4));
      for (std::uint32_t k = problem_.begins[c]; k < problem_.begins[c + 1]; ++k)
        add(result[problem_.nodes[k]], problem_.weights[k], x);
    }
    return;
  }
  if (products_++ == sums_by_contact) transpose();
  over_blocks([&](std::size_t first, std::size_t last) {
    for (std::size_t c = 4 * first; c < 4 * last; ++c) by_contact[c] = lane_of(f[c / 4], int(c % 4));
    return ThreeSums{};
  });
  over_nodes([&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Value sum = {};
      for (std::uint32_t e = work_.begins[i]; e < work_.begins[i + 1]; ++e)
        add(sum, work_.entries[e].weight, by_contact[work_.entries[e].contact]);
      result[i] = sum;
    }
    return ThreeSums{};
  });
}

void ContactWeights::add_up(const Vec3Lanes* f, NodeVector<double>* result) { add_rows(f, work_.vectors, result); }
void ContactWeights::add_up(const Block3<Lanes>* g, Block3<double>* result) { add_rows(g, work_.matrices, result); }

}  // namespace pliant::solve
