#include "cloth/inner_steps.h"

#include <algorithm>

namespace pliant::cloth {
namespace {

// Hinges act at some of the kicks 0 to count, as evenly as goes: for how many steps at kick i, half of those on both
// sides.
double bending_at(int i, int count, int bends) {
  const auto kick = [&](int bend) { return (count * bend + bends - 1) / bends; };
  const int bend = i * bends / count;
  if (kick(bend) != i) return 0;
  return 0.5 * (kick(std::min(bend + 1, bends)) - kick(std::max(bend - 1, 0)));
}

}  // namespace

template <class S>
void InnerSteps<S>::add_sheet(const Sheet<S>& sheet, std::uint32_t number, const Group& group) {
  sheets_.emplace_back(sheet, number, group);
  numbers_.push_back(number);
}

template <class S>
void InnerSteps<S>::on_sorted(const Layout<3, S>& layout) {
  const auto has_cloth = [&](const Block<3>& block) {
    for (std::uint32_t k = block.segment_begin; k < block.segment_end; ++k) {
      const std::uint32_t group = layout.segments[layout.block_segments[k]].group;
      if (std::find(numbers_.begin(), numbers_.end(), group) != numbers_.end()) return true;
    }
    return false;
  };
  blocks_.clear();
  for (std::size_t b = 0; b < layout.blocks.size(); ++b)
    if (has_cloth(layout.blocks[b])) blocks_.push_back(std::uint32_t(b));
  grid_.on_sorted(layout, blocks_);
}

// nodes, weights, places, and the forces that do not change
template <class S>
void InnerSteps<S>::freeze(const FrozenSubstep<S>& substep, std::vector<ClothStep<S>>& steps, Workers& workers) {
  reach_.assign(blocks_.size(), {{arena_side, arena_side, arena_side}, {0, 0, 0}});
  for (InnerSheet<S>& sheet : sheets_)
    sheet.locate(substep.layout, blocks_, substep.points, substep.form, reach_, workers);
  grid_.fit(substep.layout, blocks_, reach_);
  grid_.load(substep.grid, substep.grid_step.dt * substep.grid_step.gravity, workers);
  for (std::size_t k = 0; k < sheets_.size(); ++k) {
    sheets_[k].hold(steps[k].held());
    sheets_[k].take_places(substep.layout, substep.points, substep.form, grid_, steps[k].forces(), workers);
    for (const PointForce& load : substep.loads) sheets_[k].add_load(load, grid_.loads());
  }
  find_boundary_nodes(substep);
}

template <class S>
void InnerSteps<S>::find_boundary_nodes(const FrozenSubstep<S>& substep) {
  substep.grid.find_boundary_nodes(substep.layout, substep.grid_step, boundary_nodes_);
  held_.clear();
  for (const BoundaryNode& node : boundary_nodes_) {
    const std::int64_t place = grid_.find(node.number);
    if (place >= 0) held_.push_back({node, std::size_t(place)});
  }
}

template <class S>
void InnerSteps<S>::scatter(double bends, std::vector<ClothStep<S>>& steps, Workers& workers) {
  for (int colour = 0; colour < FrozenGrid<S>::colours; ++colour) {
    const std::vector<std::uint32_t>& towers = grid_.of_colour(colour);
    workers.for_each(towers.size(), 4, [&](std::size_t t) {
      for (std::size_t k = 0; k < sheets_.size(); ++k)
        sheets_[k].scatter(towers[t], S(bends), steps[k].forces(), grid_.forces());
    });
  }
}

// boundaries and obstacles, on the nodes inside of them
template <class S>
void InnerSteps<S>::hold(std::span<Vec> impulses) {
  for (const HeldPlace& h : held_) {
    Node<S>& node = grid_.velocity(h.place);
    if (!(node.a[node_mass] > 0)) continue;
    const Vec v = {{double(node.a[0]), double(node.a[1]), double(node.a[2])}};
    const Vec after = h.node.hold(v);
    for (int d = 0; d < 3; ++d) {
      node.a[d] = S(after[d]);
      impulses[h.node.solid][d] += (double(node.a[d]) - v[d]) / double(node.a[node_mass]);
    }
  }
}

template <class S>
void InnerSteps<S>::run(const FrozenSubstep<S>& substep, std::vector<ClothStep<S>>& steps, HolderImpulses impulses,
                        Workers& workers) {
  const S dt = substep.grid_step.dt, inner = dt / S(substep.count);
  freeze(substep, steps, workers);
  for (std::size_t k = 0; k < sheets_.size(); ++k) sheets_[k].stress(steps[k].forces(), workers);
  for (int i = 0; i <= substep.count; ++i) {
    // forces change velocities, for half a step at both ends
    const double part = i == 0 || i == substep.count ? 0.5 : 1.0, bends = bending_at(i, substep.count, substep.bends);
    for (std::size_t k = 0; k < steps.size() && bends > 0; ++k) steps[k].forces().bend(workers);
    scatter(bends / part, steps, workers);
    for (ClothStep<S>& step : steps) step.bear(part * double(inner), bends * double(inner), impulses.pins);
    grid_.kick(S(part) * inner, substep.grid_step.gravity, workers);
    hold(impulses.solids);
    if (i == substep.count) break;

    // velocities change places, and so forces
    for (std::size_t k = 0; k < sheets_.size(); ++k) {
      sheets_[k].move(double(inner), grid_.velocities(), steps[k].forces(), workers);
      sheets_[k].follow(inner, grid_.velocities(), steps[k].forces(), workers);
    }
  }
  for (InnerSheet<S>& sheet : sheets_) sheet.measure(inner, dt, grid_.velocities(), workers);
  grid_.store(dt, substep.grid, workers);
}

template <class S>
double InnerSteps<S>::shift() const {
  double most = 0;
  for (const InnerSheet<S>& sheet : sheets_) most = std::max(most, sheet.shift());
  return most;
}

template <class S>
std::size_t InnerSteps<S>::bytes() const {
  std::size_t sum = grid_.bytes();
  for (const InnerSheet<S>& sheet : sheets_) sum += sheet.bytes();
  return sum;
}

template class InnerSteps<float>;
template class InnerSteps<double>;

}  // namespace pliant::cloth
