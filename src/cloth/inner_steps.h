// Inner steps: within a substep the grid's nodes and the weights of the particles stay, and the forces of cloth are
// stepped finer than that, as its waves need it. See README.md.
#pragma once

#include "cloth/cloth_step.h"
#include "cloth/namespace.h"

namespace pliant::cloth {

// a substep on its way: the grid has velocities with gravity, without boundaries
template <class S>
struct FrozenSubstep {
  const Layout<3, S>& layout;
  Grid<3, S>& grid;
  const GridStep<3, S>& grid_step;
  const Buffer<Point<3, S>>& points;
  TransferForm<S> form;
  int count, bends;                   // inner steps, and how often in them hinges act
  std::span<const PointForce> loads;  // of contact, in the last substep
};

// what those who hold cloth gave it, N s
struct HolderImpulses {
  std::span<Vec> pins;
  std::span<Vec> solids;  // boundaries, then obstacles
};

template <class S>
class InnerSteps {
 public:
  // a sheet of cloth, the number of its group and its particles
  void add_sheet(const Sheet<S>& sheet, std::uint32_t number, const Group& group);
  // to be called whenever particles were put in order
  void on_sorted(const Layout<3, S>& layout);
  // velocities of the grid after the substep, before contact with bodies
  void run(const FrozenSubstep<S>& substep, std::vector<ClothStep<S>>& steps, HolderImpulses impulses,
           Workers& workers);

  const InnerSheet<S>& sheet(std::size_t k) const { return sheets_[k]; }
  double shift() const;  // m, most that a vertex goes beside what its velocity at the end says
  std::size_t bytes() const;

 private:
  struct HeldPlace {
    BoundaryNode node;
    std::size_t place;  // in the frozen grid
  };

  void freeze(const FrozenSubstep<S>& substep, std::vector<ClothStep<S>>& steps, Workers& workers);
  void find_boundary_nodes(const FrozenSubstep<S>& substep);
  void scatter(double bends, std::vector<ClothStep<S>>& steps, Workers& workers);
  void hold(std::span<Vec> impulses);

  std::vector<InnerSheet<S>> sheets_;
  std::vector<std::uint32_t> numbers_;  // of the sheets' groups
  FrozenGrid<S> grid_;
  std::vector<std::uint32_t> blocks_;  // with cloth
  std::vector<BlockReach> reach_;
  std::vector<BoundaryNode> boundary_nodes_;
  std::vector<HeldPlace> held_;
};

}  // namespace pliant::cloth
