// The forces of a sheet's triangles and hinges on its vertices. Each writes to places of its own and each vertex sums
// its places in fixed order: same bits for any number of threads.
#pragma once

#include "cloth/namespace.h"
#include "cloth/quads.h"
#include "cloth/sheet.h"
#include "core/buffer.h"
#include "core/pack.h"
#include "core/parallel.h"
#include "material/cloth.h"

namespace pliant::cloth {

// as many triangles as a register holds
template <class S>
struct TrianglePack {
  static constexpr int lanes = Wide<S>::lanes;
  std::uint32_t number[lanes];  // past `count` the last is repeated
  int count;
  Vector<Wide<S>, 3> director;  // d3
  // made by pull
  Matrix<Wide<S>, 3> F;
  Vector<Wide<S>, 3> thrust;  // volume times P3
};

template <class S>
class SheetForces {
 public:
  SheetForces(const Sheet<S>& sheet, const Cloth<S>& law);

  // where the vertices are
  Quad<S>& at(std::size_t vertex) { return at_[vertex]; }
  const Quad<S>& at(std::size_t vertex) const { return at_[vertex]; }

  // F after the corners and d3, layers part or slip if it `settles`; forces on the corners
  template <bool settles>
  void pull(TrianglePack<S>& pack);
  // forces of the hinges
  void bend(Workers& workers);
  double bending_energy(Workers& workers);  // J

  // on a vertex: of triangles, of hinges, N
  Pack<S, 4> pull_on(std::size_t vertex) const;
  Pack<S, 4> bend_on(std::size_t vertex) const { return Pack<S, 4>::load(bent_[vertex].a); }
  std::size_t bytes() const { return at_.bytes() + forces_.bytes() + bent_.bytes() + energies_.bytes(); }

 private:
  // four corners and numbers of a register of hinges
  struct HingePack {
    int count;
    Vector<Wide<S>, 3> x[4];
    Wide<S> stiffness, rest_angle;
  };
  HingePack hinges_from(std::size_t first) const;
  void bend_pack(std::size_t first);

  const Sheet<S>& sheet_;
  Cloth<S> law_;
  Buffer<Quad<S>> at_;
  Buffer<Quad<S>> forces_;                   // in the order of Sheet::shares
  Buffer<Quad<S>> bent_;                     // by vertex
  Buffer<double> energies_;                  // by pack of hinges, J
  std::vector<std::uint32_t> share_of_;      // by force, as Sheet::shares numbers them: its place
  std::vector<std::uint32_t> hinge_shares_;  // by vertex: where its shares of hinges begin
};

}  // namespace pliant::cloth
