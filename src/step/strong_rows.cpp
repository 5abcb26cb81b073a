#include "step/strong_rows.h"

#include "core/eigen_symmetric.h"
#include "grid/point_transfer.h"
#include "material/law_info.h"

#include <algorithm>
#include <cmath>

namespace pliant::step {
namespace {

// a piece of less than this part of its size across has no gradient in that direction
constexpr double thinnest = 1e-3;

// stands for an arena whose nodes are their own places
struct Places {
  int operator[](int place) const { return place; }
};

Vec vector_at(const NodeVector<double>& v) { return {{v[0], v[1], v[2]}}; }

// M^-1 on the axes in which the piece has extent
Mat3d inverse_of_moment(const Mat3d& M) {
  const SymmetricEigen<double, 3> e = eigen_symmetric(M);
  const double most = std::max({e.values[0], e.values[1], e.values[2]});
  Vec inverse;
  for (int k = 0; k < 3; ++k) inverse[k] = e.values[k] > thinnest * thinnest * most ? 1 / e.values[k] : 0;
  return e.Q * Mat3d::diagonal(inverse) * transpose(e.Q);
}

// The part of what is expected that was there before: a piece that is shaken, as expected by what it did last, would be
// pushed by its contacts the more the further it swings.
Vec that_goes_on(const Vec& expected, const Vec& before) {
  const double along = dot(expected, before), size = norm(expected);
  return along > 0 ? std::min(1.0, 2 * along / (size * size)) * expected : Vec::zero();
}

}  // namespace

template <class S>
StrongRows<S>::StrongRows(const std::vector<Material>& materials) : pieces_(materials.size()) {
  for (const Material& m : materials) lasts_.push_back(info(m.law).lasts(m));
}

template <class S>
void StrongRows<S>::find_groups(const Layout<3, S>& layout) {
  ends_.assign(lasts_.size(), 0);
  for (const Segment& s : layout.segments) ends_[s.group] = layout.cell_starts[s.first_cell + block_nodes<3>];
  for (std::size_t g = 1; g < ends_.size(); ++g) ends_[g] = std::max(ends_[g], ends_[g - 1]);
}

// what the piece gives to the masses of nodes; all of it where there is no other
template <class S>
void StrongRows<S>::share_mass(const Expected& expected, std::size_t group) {
  const auto all = expected.bundles.mass();
  mass_.assign(all.begin(), all.end());
  if (lasts_.size() == 1) return;
  std::fill(mass_.begin(), mass_.end(), 0.0);
  const Layout<3, S>& layout = expected.matter.layout;
  for (const Block<3>& block : layout.blocks)
    for (std::uint32_t k = block.segment_begin; k < block.segment_end; ++k) {
      const Segment& segment = layout.segments[layout.block_segments[k]];
      if (segment.group != group) continue;
      const std::uint32_t* cells = layout.cell_starts.data() + segment.first_cell;
      for (std::uint32_t p = cells[0]; p < cells[block_nodes<3>]; ++p) {
        const Point<3, S>& point = expected.matter.points[p];
        double y[3];
        for (int d = 0; d < 3; ++d)
          y[d] = double(point.x[d]) / expected.h - (double(block.coord[d]) * block_side - arena_margin);
        for_each_node<Kernel::quadratic, 3>(Places{}, y, [&](int place, double w, const Vec&, const Vec&) {
          const std::int32_t i = expected.bundles.node(expected.matter.grid.node_number(block, place));
          if (i >= 0) mass_[std::size_t(i)] += w * double(point.mass);
        });
      }
    }
}

template <class S>
void StrongRows<S>::add_piece(const Expected& expected, std::size_t group) {
  share_mass(expected, group);
  Piece& piece = pieces_[group];
  piece = {std::int32_t(begins_.size() - 1)};
  double all = 0;
  Vec centre = Vec::zero();
  const std::size_t first = nodes_.size();
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    if (!(mass_[i] > 0)) continue;
    nodes_.push_back(std::uint32_t(i));
    weights_.push_back(
        expected.matter.grid.position(expected.matter.layout, expected.bundles.numbers()[i], expected.h));
    all += mass_[i];
    centre += mass_[i] * weights_.back();
  }
  piece.centre = centre = (1 / all) * centre;
  Mat3d M = Mat3d::zero();
  Vec turning = Vec::zero(), before = Vec::zero();
  for (std::size_t e = first; e < nodes_.size(); ++e) {
    weights_[e] -= centre;
    const Vec arm = mass_[nodes_[e]] * weights_[e];
    M += outer(arm, weights_[e]);
    turning += cross(arm, vector_at(expected.v[nodes_[e]]));
    before += cross(arm, vector_at(expected.start[nodes_[e]]));
  }
  const Mat3d by_inertia = inverse_of_moment((M(0, 0) + M(1, 1) + M(2, 2)) * Mat3d::identity() - M);
  piece.spin = that_goes_on(by_inertia * turning, by_inertia * before);
  const Mat3d inverse = inverse_of_moment(M);
  for (std::size_t e = first; e < nodes_.size(); ++e) {
    weights_[e] = mass_[nodes_[e]] * (inverse * weights_[e]);
    piece.gradient += outer(vector_at(expected.v[nodes_[e]]), weights_[e]);
  }
  begins_.push_back(std::uint32_t(nodes_.size()));
}

template <class S>
void StrongRows<S>::move_to_end(const Expected& expected, ContactRange range, const GeomPartners& partners,
                                Contacts& contacts) {
  begins_.assign(1, 0);
  nodes_.clear();
  weights_.clear();
  std::fill(pieces_.begin(), pieces_.end(), Piece{});
  piece_.assign(contacts.size(), -1);
  shift_.assign(contacts.size(), Vec::zero());
  find_groups(expected.matter.layout);
  for (std::size_t c = range.first; c < range.last; ++c) {
    const std::size_t group =
        std::size_t(std::upper_bound(ends_.begin(), ends_.end(), contacts[c].point) - ends_.begin());
    if (!lasts_[group]) continue;
    if (pieces_[group].number < 0) add_piece(expected, group);
    const Piece& piece = pieces_[group];
    // along the normal it is no arm of the normal impulse
    const Vec way = contacts[c].dt * cross(piece.spin, contacts[c].position - piece.centre), &n = contacts[c].normal;
    const Vec d = shift_[c] = way - dot(way, n) * n;
    piece_[c] = piece.number;
    // what is expected stays so: the row differs from that of the start only for what comes out otherwise
    contacts.move(c, d, piece.gradient * d - cross(partners.solved_turning(contacts[c].partner), d));
  }
}

template class StrongRows<float>;
template class StrongRows<double>;

}  // namespace pliant::step
