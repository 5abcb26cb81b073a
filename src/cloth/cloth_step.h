// What a sheet does in a substep, between taking velocities from the grid and giving momenta back to it: pinned
// vertices are put in their places, centroids follow their corners, the forces of triangles and hinges change the
// velocities of the vertices. See README.md.
#pragma once

#include "cloth/inner_sheet.h"
#include "cloth/namespace.h"
#include "cloth/sheet_forces.h"
#include "grid/particles.h"

#include <span>

namespace pliant::cloth {

// where a pin is and how fast
struct PinNow {
  bool held = false;
  Vec offset = Vec::zero();    // m, from where it was at the start
  Vec velocity = Vec::zero();  // m/s
};

template <class S>
class ClothStep {
 public:
  ClothStep(const Sheet<S>& sheet, const Cloth<S>& law, const Group& group);

  // to be called whenever particles were put in order
  void on_sorted(const Buffer<Point<3, S>>& points, Workers& workers);

  // Puts pinned vertices to where their pins are. impulses[pin] += impulse on the sheet, here and in `push`.
  void hold(std::span<const PinNow> pins, Particles<3, S>& particles, std::span<Vec> impulses);

  // those that `hold` has held last
  std::span<const HeldVertex> held() const { return held_; }
  SheetForces<S>& forces() { return forces_; }
  // moves all particles by what the inner steps say beside velocities
  void shift(const InnerSheet<S>& inner, Buffer<Point<3, S>>& points, Workers& workers) const;
  // where the inner steps have led to, after the grid has moved the particles
  void take_shifts(const InnerSheet<S>& inner, Buffer<Point<3, S>>& points, Workers& workers);

  // centroids to the middle of their corners, F after the corners and the grid, layers part or slip; then forces
  void follow(Buffer<Point<3, S>>& points, Workers& workers);
  // only the forces, of a state that is settled
  void stress(Buffer<Point<3, S>>& points, Workers& workers);

  // v += dt f / m of the vertices
  void push(double dt, Particles<3, S>& particles, Workers& workers, std::span<Vec> impulses);

  // pins bear for dt what triangles do to the vertices that they hold, and for bend_dt what hinges do
  void bear(double dt, double bend_dt, std::span<Vec> impulses) const;

  std::size_t place(std::size_t vertex) const { return place_[vertex]; }  // among the particles; after on_sorted
  bool is_held(std::size_t vertex) const { return is_held_[vertex] != 0; }

  // J, of the hinges; after on_sorted
  double bending_energy(const Buffer<Point<3, S>>& points, Workers& workers);

  std::size_t bytes() const { return place_.bytes() + forces_.bytes(); }

 private:
  template <bool settles>
  void run(Buffer<Point<3, S>>& points, Workers& workers);
  template <bool settles>
  void run_elements(std::size_t first, Buffer<Point<3, S>>& points);

  const Sheet<S>& sheet_;
  Group group_;
  SheetForces<S> forces_;
  Buffer<std::uint32_t> place_;        // of each particle of the sheet
  std::vector<std::uint8_t> is_held_;  // by vertex
  std::vector<HeldVertex> held_;
};

}  // namespace pliant::cloth
