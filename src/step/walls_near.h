// Solids beside particles of a liquid, as walls without end.
#pragma once

#include "bodies/geom_paths.h"
#include "implicit/crowding.h"
#include "step/namespace.h"

namespace pliant::step {

// of the solids where they are now
class SolidWalls : public implicit::WallsNear {
 public:
  SolidWalls(const GeomPaths& solids, double h) : solids_(solids), h_(h) {}

  void choose(const Vec& center, double radius, implicit::NearSolids& near) const override;
  // A solid counts where nothing stands before it and it is flat over the kernel's reach, or up to another solid: beside rims,
  // corners and rods what is missing is told by where the mass is.
  int find(const implicit::NearSolids& near, const Vec& x, implicit::Wall* walls) const override;

 private:
  // beside which walls are looked for
  struct Place {
    const implicit::NearSolids& near;
    const Vec& x;
    const double* phi;  // m, of the near ones there
  };
  bool is_hidden(const Place& place, int self, const Vec& way) const;  // self, in the list of the near ones
  bool is_behind(const Place& place, int self, const Vec& normal) const;
  bool is_flat(const Place& place, int self, const Vec& normal) const;

  const GeomPaths& solids_;
  double h_;
};

}  // namespace pliant::step
