// Where contacts act in the strong step: at their place at the end of the step. A contact of a piece that turns has at
// the place of the start an arm that is wrong by d = dt spin x arm, and brakes a ball that rolls by v dt / r. Its row gets
// the mean gradient of the piece's velocity times d (solve/README.md).
// Pieces that flow have rows at the start: parts of them move apart, and no mean gradient is that of a contact.
#pragma once

#include "contact/body_contacts.h"
#include "implicit/bundles.h"
#include "step/namespace.h"

#include <vector>

namespace pliant::step {

template <class S>
class StrongRows {
 public:
  // materials by group
  explicit StrongRows(const std::vector<Material>& materials);

  // what moves, and how it is expected to
  struct Expected {
    const MatterNow<S>& matter;
    const Bundles& bundles;
    const NodeVector<double>* v;      // by unknown
    const NodeVector<double>* start;  // what it would be without forces between them
    double h;
  };
  // moves the contacts of this range to where they are expected at the end
  void move_to_end(const Expected& expected, ContactRange range, const GeomPartners& partners, Contacts& contacts);
  MeanRows view() const { return {begins_, nodes_, weights_, piece_, shift_}; }

 private:
  struct Piece {
    std::int32_t number = -1;  // among those that touch
    Vec centre = Vec::zero();
    Vec spin = Vec::zero();  // rad/s, that goes on
    Mat3d gradient = Mat3d::zero();
  };
  void find_groups(const Layout<3, S>& layout);
  void share_mass(const Expected& expected, std::size_t group);
  void add_piece(const Expected& expected, std::size_t group);

  std::vector<bool> lasts_;          // by group
  std::vector<std::uint32_t> ends_;  // by group: the particle after its last
  std::vector<Piece> pieces_;        // by group
  std::vector<double> mass_;         // kg, by unknown: of one piece
  std::vector<std::uint32_t> begins_, nodes_;
  std::vector<Vec> weights_, shift_;
  std::vector<std::int32_t> piece_;
};

}  // namespace pliant::step
