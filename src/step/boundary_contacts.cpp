#include "step/boundary_contacts.h"

#include "material/law_info.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pliant::step {
namespace {

// velocity into the boundary that takes up an impulse, over the velocity that the impulse would give to the node
constexpr double softness = 1e-2;
// friction is solved for once more where normal impulses are off by more than this part
constexpr double lag_limit = 0.02;

}  // namespace

template <class S>
BoundaryContacts<S>::BoundaryContacts(const std::vector<Material>& materials, double cell) : cell_(cell) {
  for (const Material& material : materials) fastest_wave_ = std::max(fastest_wave_, sound_speed(material, 1));
}

template <class S>
void BoundaryContacts<S>::set_dt(double dt) {
  dt_ = dt;
  const double cells = fastest_wave_ * dt / cell_;
  stiffening_ = 1 + cells * cells;
}

// the memory by the present numbers of nodes; what is gone from the grid is forgotten
template <class S>
void BoundaryContacts<S>::recall(const Layout<3, S>& layout, const std::vector<BoundaryMemory>& memory) {
  remembered_.clear();
  for (const BoundaryMemory& m : memory) {
    const std::int32_t slot = layout.find_slot(m.slot);
    if (slot < 0) continue;
    const std::size_t number = std::size_t(slot) * block_nodes<3> + std::size_t(m.node);
    remembered_.push_back({std::uint32_t(number), std::uint32_t(m.boundary), m.push});
  }
  std::sort(remembered_.begin(), remembered_.end(), [](const Remembered& a, const Remembered& b) {
    return std::tie(a.number, a.boundary) < std::tie(b.number, b.boundary);
  });
}

// those that stick nowhere, by number and boundary
template <class S>
void BoundaryContacts<S>::choose_held() {
  held_.assign(nodes_.begin(), nodes_.end());
  std::sort(held_.begin(), held_.end(), [](const BoundaryNode& a, const BoundaryNode& b) {
    return std::tie(a.number, a.solid) < std::tie(b.number, b.solid);
  });
  std::size_t kept = 0;
  for (std::size_t first = 0, last = 0; first < held_.size(); first = last) {
    bool stuck = false;
    for (; last < held_.size() && held_[last].number == held_[first].number; ++last) stuck |= held_[last].sticks();
    for (std::size_t i = first; i < last && !stuck; ++i) held_[kept++] = held_[i];
  }
  held_.resize(kept);
}

template <class S>
Vec BoundaryContacts<S>::last_push(const BoundaryNode& node) const {
  const auto at =
      std::lower_bound(remembered_.begin(), remembered_.end(), node, [](const Remembered& a, const BoundaryNode& b) {
        return std::tie(a.number, a.boundary) < std::tie(b.number, b.solid);
      });
  const bool known = at != remembered_.end() && at->number == node.number && at->boundary == node.solid;
  return known ? at->push : Vec::zero();
}

template <class S>
void BoundaryContacts<S>::add_side(const NodeContact& contact, const ContactTerms& terms) {
  contacts_.push_back(contact);
  potential_.add(terms);
}

template <class S>
void BoundaryContacts<S>::find(const Layout<3, S>& layout, const Grid<3, S>& grid, const GridStep<3, S>& step,
                               const std::vector<BoundaryMemory>& memory) {
  grid.find_boundary_nodes(layout, step, nodes_);
  choose_held();
  recall(layout, memory);
  contacts_.clear();
  potential_.clear();
  for (const BoundaryNode& node : held_) {
    NodeContact contact = {};
    contact.number = node.number;
    contact.boundary = node.solid;
    contact.inertia = stiffening_ * double(grid.node(node.number).a[node_mass]);
    contact.velocity = node.velocity;

    // springs drawn in so far that they give the last impulse where the node rests on the boundary
    const SplitVector<double> push(node.normal, last_push(node));
    ContactTerms terms;
    terms.normal = node.normal;
    terms.dt = dt_;
    terms.stiffness = contact.inertia / (softness * dt_ * dt_);
    terms.gap = -softness * dt_ * push.normal;
    terms.offset = -softness * dt_ * push.tangent;
    terms.friction = node.friction;
    terms.last_impulse = contact.inertia * std::max(0.0, push.normal);
    add_side(contact, terms);
    if (node.condition == Boundary::Condition::separate) continue;

    contact.pulls = true;
    terms.normal = -1.0 * node.normal;
    terms.gap = -terms.gap;
    terms.friction = 0;
    add_side(contact, terms);
  }
}

template <class S>
void BoundaryContacts<S>::take(std::size_t c, const Vec& velocity, const Vec& impulse) {
  contacts_[c].impulse = impulse;
  contacts_[c].normal_impulse = potential_.normal_impulse(c, velocity);
}

template <class S>
bool BoundaryContacts<S>::refresh_friction() {
  double off = 0, all = 0;
  for (std::size_t c = 0; c < size(); ++c) {
    if (!(potential_.terms(c).friction > 0)) continue;
    off += std::fabs(contacts_[c].normal_impulse - potential_.last_impulse(c));
    all += contacts_[c].normal_impulse;
  }
  if (off <= lag_limit * all) return false;
  for (std::size_t c = 0; c < size(); ++c)
    if (potential_.terms(c).friction > 0) potential_.set_last_impulse(c, contacts_[c].normal_impulse);
  return true;
}

template <class S>
void BoundaryContacts<S>::remember(const Layout<3, S>& layout, std::vector<BoundaryMemory>& memory) const {
  memory.clear();
  for (const NodeContact& c : contacts_) {
    const Vec push = (1 / c.inertia) * c.impulse;
    if (c.pulls) {
      memory.back().push += push;
      continue;
    }
    const Slot<3>& slot = layout.slots[c.number / block_nodes<3>];
    BoundaryMemory m = {};
    std::copy_n(slot.coord, 3, m.slot);
    m.node = std::int32_t(c.number % block_nodes<3>);
    m.boundary = c.boundary;
    m.push = push;
    memory.push_back(m);
  }
  std::erase_if(memory, [](const BoundaryMemory& m) { return !(dot(m.push, m.push) > 0); });
}

template <class S>
void BoundaryContacts<S>::add_impulses(std::vector<Vec>& impulses) const {
  for (const NodeContact& c : contacts_) impulses[c.boundary] += c.impulse;
}

template class BoundaryContacts<float>;
template class BoundaryContacts<double>;

std::size_t JoinedPotential::size() const {
  return second_.size() == 0 ? first_.size() : start_of_second(first_.size()) + second_.size();
}

void JoinedPotential::evaluate(BlockRange blocks, const Vec3Lanes* u, Vec3Lanes* gradient,
                               Block3<Lanes>* hessian) const {
  const std::size_t middle = blocks_of(first_.size());
  if (blocks.first < middle) first_.evaluate({blocks.first, std::min(blocks.last, middle)}, u, gradient, hessian);
  if (blocks.last > middle)
    second_.evaluate({std::max(blocks.first, middle) - middle, blocks.last - middle}, u + middle, gradient + middle,
                     hessian + middle);
}

void JoinedPotential::add_majorizer(BlockRange blocks, const Vec3Lanes* u, Block3<Lanes>* hessian) const {
  const std::size_t middle = blocks_of(first_.size());
  if (blocks.first < middle) first_.add_majorizer({blocks.first, std::min(blocks.last, middle)}, u, hessian);
  if (blocks.last > middle)
    second_.add_majorizer({std::max(blocks.first, middle) - middle, blocks.last - middle}, u + middle,
                          hessian + middle);
}

LineValue JoinedPotential::along(BlockRange blocks, const Vec3Lanes* u, const Vec3Lanes* du, double alpha) const {
  const std::size_t middle = blocks_of(first_.size());
  LineValue sum;
  const auto add = [&](const LineValue& part) {
    sum.value += part.value;
    sum.slope += part.slope;
    sum.curvature += part.curvature;
  };
  if (blocks.first < middle) add(first_.along({blocks.first, std::min(blocks.last, middle)}, u, du, alpha));
  if (blocks.last > middle)
    add(second_.along({std::max(blocks.first, middle) - middle, blocks.last - middle}, u + middle, du + middle, alpha));
  return sum;
}

}  // namespace pliant::step
