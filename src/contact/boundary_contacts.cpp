#include "contact/boundary_contacts.h"

#include "material/law_info.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pliant::contact {
namespace {

// velocity into the boundary that takes up an impulse, over the velocity that the impulse would give to the node
constexpr double softness = 1e-2;
// friction is solved for once more where normal impulses are off by more than this part
constexpr double lag_limit = 0.02;

}  // namespace

template <class S>
BoundaryContacts<S>::BoundaryContacts(const std::vector<Material>& materials, double cell, bool follows)
    : cell_(cell), follows_(follows) {
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
void BoundaryContacts<S>::find(const Layout<3, S>& layout, const Grid<3, S>& grid, const GridStep<3, S>& step,
                               const std::vector<BoundaryMemory>& memory) {
  grid.find_boundary_nodes(layout, step, nodes_);
  choose_held();
  recall(layout, memory);
}

// springs drawn in so far that they give the last impulse where the node rests on the boundary
template <class S>
ContactData BoundaryContacts<S>::describe(const BoundaryNode& node, double inertia) const {
  const SplitVector<double> push(node.normal, last_push(node));
  ContactData c;
  c.point = node.number;
  c.partner = node.solid;
  c.follows = follows_;
  c.multiplier = true;
  c.normal = node.normal;
  c.dt = dt_;
  c.stiffness = inertia / (softness * dt_ * dt_);
  c.gap = -softness * dt_ * push.normal;
  c.offset = -softness * dt_ * push.tangent;
  c.friction = node.friction;
  c.last_impulse = inertia * std::max(0.0, push.normal);
  return c;
}

template <class S>
void BoundaryContacts<S>::add_to(Contacts& contacts, const Grid<3, S>& grid, const NodeUnknowns& unknowns) {
  kind_ = contacts.start_kind({lag_limit, true});
  sides_.clear();
  for (const BoundaryNode& node : held_) {
    const double inertia = stiffening_ * double(grid.node(node.number).a[node_mass]);
    const std::int32_t unknown = unknowns.unknown(node.number);
    const auto add = [&](const ContactData& contact, bool pulls) {
      if (unknown >= 0) contacts.add_entry(std::uint32_t(unknown), 1);
      // a node that is too light to take part is at rest on its boundary
      contacts.add(contact, {.given = unknown >= 0 ? node.velocity : Vec::zero()});
      sides_.push_back({inertia, pulls});
    };
    ContactData contact = describe(node, inertia);
    add(contact, false);
    if (node.condition == Boundary::Condition::separate) continue;

    contact.normal = -1.0 * contact.normal;
    contact.gap = -contact.gap;
    contact.friction = 0;
    add(contact, true);
  }
}

template <class S>
void BoundaryContacts<S>::remember(const Contacts& contacts, const Layout<3, S>& layout,
                                   std::vector<BoundaryMemory>& memory) const {
  memory.clear();
  const std::size_t first = range(contacts).first;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    const ContactData& c = contacts[first + k];
    const Vec push = (1 / sides_[k].inertia) * c.impulse;
    if (sides_[k].pulls) {
      memory.back().push += push;
      continue;
    }
    const Slot<3>& slot = layout.slots[c.point / block_nodes<3>];
    BoundaryMemory m = {};
    std::copy_n(slot.coord, 3, m.slot);
    m.node = std::int32_t(c.point % block_nodes<3>);
    m.boundary = c.partner;
    m.push = push;
    memory.push_back(m);
  }
  std::erase_if(memory, [](const BoundaryMemory& m) { return !(dot(m.push, m.push) > 0); });
}

template <class S>
void BoundaryContacts<S>::add_impulses(const Contacts& contacts, std::vector<Vec>& impulses) const {
  const ContactRange own = range(contacts);
  for (std::size_t c = own.first; c < own.last; ++c) impulses[contacts[c].partner] += contacts[c].impulse;
}

template class BoundaryContacts<float>;
template class BoundaryContacts<double>;

}  // namespace pliant::contact
