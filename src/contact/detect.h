// Which particles are inside of which geoms, or may be at the end of the substep.
//
// A contact goes by the distance of the particle: phi and its gradient. One that lives on keeps its side: a particle
// that was pressed beyond the middle of a thin wall is still pushed out on the side on which it came, as long as the
// wall is there. A particle that is a ball touches with its skin: its gap is smaller by its radius.
#pragma once

#include "bodies/broad_phase.h"
#include "bodies/geom_paths.h"
#include "contact/clearance.h"
#include "contact/memory.h"
#include "contact/namespace.h"
#include "contact/piece_surface.h"
#include "contact/seams.h"
#include "core/parallel.h"
#include "grid/layout.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pliant::contact {

struct FoundContact {
  std::uint32_t particle;  // its place in the order of now
  std::uint32_t id;
  std::uint32_t path;                  // of the geom
  std::uint32_t segment;               // of the layout, that holds the particle
  std::int32_t memory;                 // entry of the last substep, -1: a new contact
  Vector<double, 3> position, normal;  // of a ball: of its point that is next to the geom
  double gap;                          // m, < 0: overlap
  double radius = 0;                   // m, of the ball that the particle is; 0: a point
  double full_radius = 0;              // m, of the same where nothing has made it thinner
};

// bounds on what may have happened since the last sort, and may happen in the substep
struct SearchReach {
  double drift;       // m, of particles since they were sorted, at most
  double speed;       // m/s, of particles, at most
  double dt;          // s
  double cell;        // m
  double margin = 0;  // m; who is closer is a contact in any case
};

// Where contact sees the particles: where the grid does, or as far from there as they have moved since the grid last took
// their places (Pass::strain).
template <class S>
struct SeenPoints {
  const Buffer<Point<3, S>>& points;
  const Buffer<ParticleVelocity<3, S>>* shifts;

  SeenPoints(const Buffer<Point<3, S>>& at, const Buffer<ParticleVelocity<3, S>>* moved = nullptr)
      : points(at), shifts(moved) {}
  S x(std::size_t i, int d) const { return shifts ? points[i].x[d] + (*shifts)[i].v[d] : points[i].x[d]; }
};

template <class S>
class ContactFinder {
 public:
  // which particles touch, by group; without: all, as points. They must outlive the finder.
  void set_pieces(std::span<const PieceSurface> pieces) {
    surfaces_ = pieces;
    largest_ball_ = 0;
    for (const PieceSurface& piece : pieces) largest_ball_ = std::max(largest_ball_, piece.largest_radius());
  }
  // boxes around the particles of each segment; to be called whenever they were put in order
  void on_sorted(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points, double cell);

  // in the order of geoms, then of particles
  void find(const SeenPoints<S>& seen, const GeomPaths& paths, const SearchReach& reach,
            const std::vector<ContactMemory>& memory, const MemoryIndex& index, Workers& workers,
            std::vector<FoundContact>& found);

  std::uint32_t block_of(std::uint32_t segment) const { return block_of_segment_[segment]; }
  std::size_t bytes() const { return phi_.bytes(); }

 private:
  struct Piece {
    std::uint32_t path;
    bool is_mesh;
    std::uint32_t begin, end;  // of touching_
    std::size_t at;            // of the first, in phi_
  };
  struct Search {
    const SeenPoints<S>& seen;
    const GeomPaths& paths;
    const std::vector<ContactMemory>& memory;
    const MemoryIndex& index;
    double cell;
  };
  void list_touching(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points);
  void cut(const GeomPaths& paths);
  void measure(const Search& search, const Piece& piece);
  void measure_mesh(const Search& search, const Piece& piece, double limit);
  void keep_clear(const Search& search, const Piece& piece, double others);
  void find_close(const Search& search, const Piece& piece, double limit, std::vector<FoundContact>& found) const;

  std::span<const PieceSurface> surfaces_;
  double largest_ball_ = 0;
  BroadPhase broad_;
  Seams seams_;
  std::vector<Bounds> boxes_;
  std::vector<std::uint32_t> touching_, ids_;             // particles, in order; their ids
  std::vector<std::uint32_t> begins_, block_of_segment_;  // by segment; the first of touching_
  std::vector<const PieceSurface*> piece_of_segment_;     // null: points, all of which touch
  std::vector<PosedShape> shapes_;
  std::vector<TouchCandidate> ranges_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<FoundContact>> found_in_piece_;
  MeshClearance clearance_;
  Buffer<S> phi_;
};

}  // namespace pliant::contact
