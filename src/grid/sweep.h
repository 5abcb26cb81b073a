// One pass over all blocks: particles take velocities from the grid, move, and give momenta to the arenas.
//
// A step of N substeps is: scatter | grid | gather+scatter | grid | ... | gather. Between gather and scatter a particle
// stays in the first cache; its velocity and C never go to memory but at the two ends.
#pragma once

#include "grid/advance.h"
#include "grid/grid.h"
#include "grid/namespace.h"
#include "grid/point_transfer.h"

#include <memory>

namespace pliant::grid {

// strain: particles take velocities and strain, and give the impulses of their stresses alone; how far they have moved is
// kept in their velocities until the next pass of another kind moves them, so that their weights stay as they are (laws that
// flow in windows do not only strain: their F is stored in every pass)
enum class Pass { scatter, gather_scatter, gather, strain };

// constant during a step
template <int D, class S>
struct SweepStep {
  S dt, h;
  const std::vector<AnyLaw<S>>* laws;                      // by group
  const std::vector<Matrix<S, D>>* actuations;             // by group
  const std::vector<double>* shear_viscosities = nullptr;  // by group, Pa s; nullptr: none
  bool cloth_acts = true;  // through its particles; false: its forces reach the grid by themselves
  S most_cells = 1;        // that a particle may cross; more than 1 only if it is sorted next
  bool large = false;      // a step so large that its square counts
  bool strains = false;    // there are passes that strain
  const std::vector<const Moduli<S>*>* moduli = nullptr;  // by group, by id; nullptr: as the laws say
};

// who is swept, and how
template <int D, class S>
struct SweepJob {
  Pass pass;
  const SweepStep<D, S>& step;
  const Layout<D, S>& layout;
  Grid<D, S>& grid;
  Particles<D, S>& particles;
  // points before and after, where they are not in `particles`
  const Point<D, S>* from = nullptr;
  Point<D, S>* to = nullptr;
};

struct SweepReport {
  double max_speed = 0;              // m/s, largest component
  std::size_t strays = 0;            // particles that were out of their cell when they scattered
  std::size_t bad_block = SIZE_MAX;  // first block with a particle that is too fast or not finite
};

// seconds, summed over threads, from a sample of blocks
struct SweepTimes {
  double load = 0, gather = 0, stress = 0, scatter = 0, store = 0;
};

template <int D, class S>
class Sweep {
 public:
  Sweep(Kernel kernel, Transfer transfer, int threads);
  ~Sweep();

  SweepReport run(const SweepJob<D, S>& job, Workers& workers);

  const SweepTimes& times() const { return times_; }  // of the last run
  std::size_t bytes() const;

 private:
  struct Scratch;  // of one thread
  struct BlockReport {
    S max_speed;
    std::uint32_t strays;
    bool bad;
  };
  void run_block(const SweepJob<D, S>& job, std::size_t b, Scratch& scratch);
  void run_batch(const SweepJob<D, S>& job, std::uint32_t group, std::uint32_t first, int count, Scratch& scratch);
  void gather(Scratch& scratch);
  void scatter(Scratch& scratch);
  template <class Packs>
  void gather_packs(Scratch& scratch);
  template <class Packs>
  void scatter_packs(Scratch& scratch);
  bool note_drift(int i, int cell, Scratch& scratch);
  void store_velocity(const PointVelocity<D, S>& p, int i, Scratch& scratch);

  Kernel kernel_;
  Transfer transfer_;
  bool packs_;  // the fast path
  std::vector<std::unique_ptr<Scratch>> scratch_;
  Buffer<BlockReport> reports_;
  SweepTimes times_;
};

}  // namespace pliant::grid
