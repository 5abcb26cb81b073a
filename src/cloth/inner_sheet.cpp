#include "cloth/inner_sheet.h"

#include "grid/transfer_packs.h"

#include <algorithm>
#include <cmath>

namespace pliant::cloth {
namespace {

constexpr std::size_t grain = 256;  // vertices or triangles

}  // namespace

template <class S>
InnerSheet<S>::InnerSheet(const Sheet<S>& sheet, std::uint32_t number, const Group& group)
    : sheet_(sheet), number_(number), group_(group) {
  const std::size_t vertices = sheet.vertices, elements = sheet.elements.size();
  spots_.resize(vertices + elements);
  order_.resize(vertices + elements);
  listed_.resize(vertices + elements);
  is_held_.resize(vertices);
  vertices_.resize(vertices);
  way_.resize(vertices);
  shift_.resize(vertices);
  elements_.resize(elements);
  start_.resize(elements);
  director_.resize(elements);
  thrust_.resize(elements);
  turn_.resize(elements);
}

template <class S>
void InnerSheet<S>::locate(const Layout<3, S>& layout, const std::vector<std::uint32_t>& blocks,
                           const Buffer<Point<3, S>>& points, const TransferForm<S>& form,
                           std::vector<BlockReach>& reach, Workers& workers) {
  const S inv_h = 1 / form.h, back = form.kernel == Kernel::linear ? S(0) : S(0.5);
  workers.for_each(blocks.size(), 8, [&](std::size_t b) {
    const Block<3>& block = layout.blocks[blocks[b]];
    BlockReach& r = reach[b];
    for (std::uint32_t k = block.segment_begin; k < block.segment_end; ++k) {
      const Segment& segment = layout.segments[layout.block_segments[k]];
      if (segment.group != number_) continue;
      const std::uint32_t* starts = layout.cell_starts.data() + segment.first_cell;
      for (std::uint32_t p = starts[0]; p < starts[block_nodes<3>]; ++p) {
        Spot& spot = spots_[p - group_.begin];
        spot.block = blocks[b];
        for (int d = 0; d < 3; ++d) {
          spot.y[d] = points[p].x[d] * inv_h - S(block.coord[d] * block_side - arena_margin);
          const int base = int(std::floor(spot.y[d] - back));
          spot.base[d] = std::int8_t(base);
          r.low[d] = std::min(r.low[d], base);
          r.high[d] = std::max(r.high[d], base);
        }
      }
    }
  });
}

// vertices first, then triangles, each by tower and within it in the order of the particles
template <class S>
void InnerSheet<S>::list_by_tower(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points,
                                  const FrozenGrid<S>& grid) {
  const auto tower_of = [&](std::size_t i) {
    const int base[3] = {spots_[i].base[0], spots_[i].base[1], spots_[i].base[2]};
    return grid.tower(layout.blocks[spots_[i].block], base);
  };
  const auto starts_of = [&](std::size_t i) -> std::vector<std::uint32_t>& {
    const std::size_t number = std::size_t(points[group_.begin + i].id) - group_.begin;
    return number < sheet_.vertices ? vertex_starts_ : element_starts_;
  };
  vertex_starts_.assign(grid.towers() + 2, 0);
  element_starts_.assign(grid.towers() + 2, 0);
  element_starts_[0] = element_starts_[1] = std::uint32_t(sheet_.vertices);
  for (std::size_t i = 0; i < spots_.size(); ++i) ++starts_of(i)[tower_of(i) + 2];
  for (std::size_t t = 2; t < grid.towers() + 2; ++t) {
    vertex_starts_[t] += vertex_starts_[t - 1];
    element_starts_[t] += element_starts_[t - 1];
  }
  // entry t + 1 moves from the start of tower t to its end
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    const std::uint32_t place = starts_of(i)[tower_of(i) + 1]++;
    order_[place] = std::uint32_t(i);
    listed_[std::size_t(points[group_.begin + i].id) - group_.begin] = place;
  }
}

template <class S>
void InnerSheet<S>::take_places(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points,
                                const TransferForm<S>& form, const FrozenGrid<S>& grid, SheetForces<S>& forces,
                                Workers& workers) {
  list_by_tower(layout, points, grid);
  const S inv_h = 1 / form.h;
  workers.for_each(order_.size(), grain, [&](std::size_t place) {
    const Spot& spot = spots_[order_[place]];
    const Point<3, S>& point = points[group_.begin + order_[place]];
    const std::uint32_t number = std::uint32_t(std::size_t(point.id) - group_.begin);
    const bool is_vertex = place < sheet_.vertices;
    const std::size_t i = is_vertex ? place : place - sheet_.vertices;
    Close& close = is_vertex ? vertices_[i] : elements_[i];
    close.number = is_vertex ? number : number - std::uint32_t(sheet_.vertices);
    const int base[3] = {spot.base[0], spot.base[1], spot.base[2]};
    grid.find_rows(layout.blocks[spot.block], base, close.stencil.row);
    for (int d = 0; d < 3; ++d)
      weigh_axis(form.kernel, form.transfer, spot.y[d], inv_h, close.stencil.w[d], close.stencil.g[d]);
    if (is_vertex) {
      for (int d = 0; d < 3; ++d) forces.at(number).a[d] = point.x[d];
      way_[i] = {};
    } else {
      for (int d = 0; d < 3; ++d) director_[i].a[d] = point.F[3 * d + 2];
      start_[i] = director_[i];
    }
  });
}

template <class S>
void InnerSheet<S>::add_load(const PointForce& load, Node<S>* loads) const {
  if (load.particle < group_.begin || load.particle >= group_.end) return;
  const std::size_t place = listed_[load.particle - group_.begin];
  const Close& close = place < sheet_.vertices ? vertices_[place] : elements_[place - sheet_.vertices];
  Pack<S, 4> force = 0;
  for (int d = 0; d < 3; ++d) force.set(d, S(load.force[d]));
  add_force(loads, close.stencil, force);
}

template <class S>
template <bool settles>
void InnerSheet<S>::pull(std::size_t first, SheetForces<S>& forces) {
  TrianglePack<S> pack;
  pack.count = int(std::min(std::size_t(pack.lanes), elements_.size() - first));
  Pack<S, 4> directors[Wide<S>::lanes];
  for (int l = 0; l < pack.lanes; ++l) {
    const std::size_t i = first + std::size_t(std::min(l, pack.count - 1));
    pack.number[l] = elements_[i].number;
    directors[l] = Pack<S, 4>::load(director_[i].a);
  }
  Wide<S> row[4];
  to_rows<S>(directors, row);
  pack.director = {{row[0], row[1], row[2]}};
  forces.template pull<settles>(pack);
  alignas(64) S out[2][Wide<S>::lanes][4];
  zip<S>(pack.director[0], pack.director[1], pack.director[2], Wide<S>(0), out[0]);
  zip<S>(pack.thrust[0], pack.thrust[1], pack.thrust[2], Wide<S>(0), out[1]);
  for (int l = 0; l < pack.count; ++l) {
    Pack<S, 4>::load(out[0][l]).store(director_[first + std::size_t(l)].a);
    Pack<S, 4>::load(out[1][l]).store(thrust_[first + std::size_t(l)].a);
  }
}

template <class S>
void InnerSheet<S>::stress(SheetForces<S>& forces, Workers& workers) {
  constexpr std::size_t lanes = std::size_t(Wide<S>::lanes);
  workers.for_each((elements_.size() + lanes - 1) / lanes, grain / lanes,
                   [&](std::size_t k) { pull<false>(k * lanes, forces); });
}

template <class S>
void InnerSheet<S>::scatter(std::size_t tower, S bends, const SheetForces<S>& forces, Node<S>* nodes) const {
  for (std::size_t i = vertex_starts_[tower]; i < vertex_starts_[tower + 1]; ++i) {
    const std::uint32_t vertex = vertices_[i].number;
    if (is_held_[vertex]) continue;
    Pack<S, 4> force = forces.pull_on(vertex);
    if (bends > 0) force += bends * forces.bend_on(vertex);
    add_force(nodes, vertices_[i].stencil, force);
  }
  const std::size_t before = sheet_.vertices;
  for (std::size_t i = element_starts_[tower] - before; i < element_starts_[tower + 1] - before; ++i)
    add_thrust(nodes, elements_[i].stencil, Pack<S, 4>::load(thrust_[i].a), director_[i].a);
}

template <class S>
void InnerSheet<S>::hold(std::span<const HeldVertex> held) {
  held_ = held;
  std::fill(is_held_.begin(), is_held_.end(), std::uint8_t(0));
  for (const HeldVertex& h : held) is_held_[h.vertex] = 1;
}

template <class S>
void InnerSheet<S>::move(double dt, const Node<S>* nodes, SheetForces<S>& forces, Workers& workers) {
  using Four = Pack<S, 4>;
  workers.for_each(vertices_.size(), grain, [&](std::size_t i) {
    const Four v = velocity_at(nodes, vertices_[i].stencil);
    (Four::load(way_[i].a) + v).store(way_[i].a);
    Quad<S>& at = forces.at(vertices_[i].number);
    if (!is_held_[vertices_[i].number]) (Four::load(at.a) + S(dt) * v).store(at.a);
  });
  for (const HeldVertex& h : held_)
    for (int d = 0; d < 3; ++d) forces.at(h.vertex).a[d] += S(dt * h.velocity[d]);
}

template <class S>
void InnerSheet<S>::follow(S dt, const Node<S>* nodes, SheetForces<S>& forces, Workers& workers) {
  using Four = Pack<S, 4>;
  constexpr std::size_t lanes = std::size_t(Wide<S>::lanes);
  workers.for_each((elements_.size() + lanes - 1) / lanes, grain / lanes, [&](std::size_t k) {
    for (std::size_t i = k * lanes; i < std::min(elements_.size(), (k + 1) * lanes); ++i) {
      const Four rate = rate_of(nodes, elements_[i].stencil, director_[i].a);
      (Four::load(director_[i].a) + dt * rate).store(director_[i].a);
    }
    pull<true>(k * lanes, forces);
  });
}

template <class S>
void InnerSheet<S>::measure(S inner, S substep, const Node<S>* nodes, Workers& workers) {
  using Four = Pack<S, 4>;
  workers.for_each(vertices_.size(), grain, [&](std::size_t i) {
    const Four way = inner * Four::load(way_[i].a) - substep * velocity_at(nodes, vertices_[i].stencil);
    way.store(shift_[vertices_[i].number].a);
  });
  workers.for_each(elements_.size(), grain, [&](std::size_t i) {
    const Four start = Four::load(start_[i].a), rate = rate_of(nodes, elements_[i].stencil, start_[i].a);
    (Four::load(director_[i].a) - start - substep * rate).store(turn_[elements_[i].number].a);
  });
}

template <class S>
double InnerSheet<S>::shift() const {
  S most = 0;
  for (const Quad<S>& s : shift_)
    for (int d = 0; d < 3; ++d) most = std::max(most, std::fabs(s.a[d]));
  return double(most);
}

template <class S>
std::size_t InnerSheet<S>::bytes() const {
  return spots_.bytes() + order_.bytes() + listed_.bytes() + vertices_.bytes() + elements_.bytes() + way_.bytes() +
         start_.bytes() + director_.bytes() + thrust_.bytes() + shift_.bytes() + turn_.bytes();
}

template class InnerSheet<float>;
template class InnerSheet<double>;

}  // namespace pliant::cloth
