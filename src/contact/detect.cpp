#include "contact/detect.h"

#include "geometry/distance_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::contact {
namespace {

using Vec = Vector<double, 3>;

constexpr std::uint32_t piece_size = 256;
constexpr double sqrt3 = 1.7320508075688772;

// m/s, of any point of the geom that matter of this world can touch, at most
double speed_of(const GeomPath& path) {
  constexpr double far = 10;  // m; planes have no end
  return norm(path.velocity) + norm(path.turning) * std::min(path.reach, far);
}

// m, what float distances may be off by
double doubt_of(const GeomPath& path) { return 1e-6 * (norm(path.now.position) + std::min(path.reach, 10.0)) + 1e-6; }

// of particles that are clear of all meshes
template <class S>
constexpr S out_of_reach = std::numeric_limits<S>::infinity();

// in the geom's frame
struct LocalContact {
  double gap;  // of the particle's centre
  Vec normal;
  bool known;  // the contact of the memory, not a new one
};

// where the distance has turned to the other side, the side of the memory counts, if the surface is still there
LocalContact contact_at(const RigidShape& shape, const ShapeDistance& d, const Vec& x, const ContactMemory* memory,
                        double cell) {
  if (!memory) return {d.phi, d.normal, false};
  if (dot(d.normal, memory->normal) >= 0) return {d.phi, d.normal, true};
  const double gap = dot(x - memory->anchor, memory->normal);
  const double off = distance(shape, x - gap * memory->normal).phi;
  if (gap < 0 && std::fabs(off) < 0.1 * cell) return {gap, memory->normal, true};
  return {d.phi, d.normal, false};
}

}  // namespace

// those inside of a piece with a surface are left out
template <class S>
void ContactFinder<S>::list_touching(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points) {
  touching_.clear();
  ids_.clear();
  touching_.reserve(points.size());
  ids_.reserve(points.size());
  for (std::size_t s = 0; s < layout.segments.size(); ++s) {
    const Segment& segment = layout.segments[s];
    const PieceSurface* piece = segment.group < surfaces_.size() ? &surfaces_[segment.group] : nullptr;
    begins_[s] = std::uint32_t(touching_.size());
    piece_of_segment_[s] = piece;
    const std::uint32_t last = layout.cell_starts[segment.first_cell + block_nodes<3>];
    for (std::uint32_t i = layout.cell_starts[segment.first_cell]; i < last; ++i) {
      const auto id = std::uint32_t(points[i].id);
      if (piece && !piece->all_touch() && !piece->touches(id)) continue;
      touching_.push_back(i);
      ids_.push_back(id);
    }
  }
  begins_[layout.segments.size()] = std::uint32_t(touching_.size());
}

template <class S>
void ContactFinder<S>::on_sorted(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points, double cell) {
  const std::size_t count = layout.segments.size();
  boxes_.resize(count);
  begins_.resize(count + 1);
  block_of_segment_.resize(count);
  piece_of_segment_.resize(count);
  list_touching(layout, points);
  for (std::uint32_t b = 0; b < layout.blocks.size(); ++b) {
    const Block<3>& block = layout.blocks[b];
    Bounds box;
    for (int d = 0; d < 3; ++d) {
      box.lower[d] = (double(block.coord[d]) * block_side + 0.5) * cell;
      box.upper[d] = box.lower[d] + block_side * cell;
    }
    for (std::uint32_t k = block.segment_begin; k < block.segment_end; ++k) {
      const std::uint32_t s = layout.block_segments[k];
      boxes_[s] = box;
      block_of_segment_[s] = b;
    }
  }
  broad_.build(boxes_, begins_);
}

template <class S>
void ContactFinder<S>::measure(const Search& search, const Piece& piece) {
  alignas(64) S x[3][piece_size], normal[3][piece_size];
  const std::size_t count = piece.end - piece.begin;
  for (std::size_t i = 0; i < count; ++i)
    for (int d = 0; d < 3; ++d) x[d][i] = search.seen.x(touching_[piece.begin + i], d);
  const GeomPath& path = search.paths[piece.path];
  distances<S>(path.geom.shape, path.now, count, {{x[0], x[1], x[2]}}, phi_.data() + piece.at,
               {{normal[0], normal[1], normal[2]}});
}

// those that are clear of every mesh are left out
template <class S>
void ContactFinder<S>::measure_mesh(const Search& search, const Piece& piece, double limit) {
  const GeomPath& path = search.paths[piece.path];
  limit += doubt_of(path);
  for (std::uint32_t k = piece.begin; k < piece.end; ++k) {
    const std::uint32_t i = touching_[k], id = ids_[k];
    const Vec x = {{double(search.seen.x(i, 0)), double(search.seen.x(i, 1)), double(search.seen.x(i, 2))}};
    const bool far = !search.index.has(id) && clearance_.is_clear(id, x, limit);
    phi_[piece.at + (k - piece.begin)] = far ? out_of_reach<S> : S(distance(path.geom.shape, path.now, x).phi);
  }
}

template <class S>
void ContactFinder<S>::keep_clear(const Search& search, const Piece& piece, double others) {
  const double tolerance = search.paths[piece.path].geom.shape.field->tolerance();
  for (std::uint32_t k = piece.begin; k < piece.end; ++k) {
    const S phi = phi_[piece.at + (k - piece.begin)];
    if (phi == out_of_reach<S>) continue;
    const std::uint32_t i = touching_[k];
    const Vec x = {{double(search.seen.x(i, 0)), double(search.seen.x(i, 1)), double(search.seen.x(i, 2))}};
    clearance_.note(ids_[k], x, double(phi) - tolerance, others);
  }
}

// what may touch in pieces of work
template <class S>
void ContactFinder<S>::cut(const GeomPaths& paths) {
  pieces_.clear();
  std::size_t total = 0;
  for (const TouchCandidate& range : ranges_)
    for (std::uint32_t begin = range.begin; begin < range.end; begin += piece_size) {
      const std::uint32_t end = std::min(range.end, begin + piece_size);
      pieces_.push_back({range.shape, is_mesh(paths[range.shape]), begin, end, total});
      total += end - begin;
    }
  phi_.resize(total);
}

// those of a piece that are contacts, or were and still may be
template <class S>
void ContactFinder<S>::find_close(const Search& search, const Piece& piece, double limit,
                                  std::vector<FoundContact>& found) const {
  found.clear();
  const auto& [seen, paths, memory, index, cell] = search;
  const GeomPath& path = paths[piece.path];
  // where a covered face is left out another one may be nearer
  const double at_seams = seams_.any(piece.path) ? seam_reach * cell : 0, doubt = doubt_of(path);
  auto segment = std::uint32_t(std::upper_bound(begins_.begin(), begins_.end(), piece.begin) - begins_.begin() - 1);
  for (std::uint32_t k = piece.begin; k < piece.end; ++k) {
    while (k >= begins_[segment + 1]) ++segment;
    const std::uint32_t i = touching_[k], id = ids_[k];
    const double full = piece_of_segment_[segment] ? piece_of_segment_[segment]->radius(id) : 0;
    const bool close = double(phi_[piece.at + (k - piece.begin)]) < limit + full + doubt + at_seams;
    if (!close && !index.has(id)) continue;
    const int known = index.has(id) ? index.find(memory, id, std::uint32_t(path.geom.id)) : -1;
    if (!close && known < 0) continue;
    const Vec x = {{double(seen.x(i, 0)), double(seen.x(i, 1)), double(seen.x(i, 2))}};
    const Vec local = transpose(path.now.rotation) * (x - path.now.position);
    const ShapeDistance d =
        seams_.any(piece.path) ? seams_.distance(paths, piece.path, local) : distance(path.geom.shape, local);
    const LocalContact c =
        contact_at(path.geom.shape, d, local, known < 0 ? nullptr : &memory[std::size_t(known)], cell);
    const bool held = c.known && path.geom.pulls;
    double radius = full;
    if (full > 0 && piece_of_segment_[segment]->thins)
      radius = c.known ? memory[std::size_t(known)].radius : std::clamp(c.gap, 0.0, full);
    if (!(c.gap - radius < limit) && !held) continue;
    const Vec normal = path.now.rotation * c.normal;
    found.push_back(
        {i, id, piece.path, segment, c.known ? known : -1, x - radius * normal, normal, c.gap - radius, radius, full});
  }
}

template <class S>
void ContactFinder<S>::find(const SeenPoints<S>& seen, const GeomPaths& paths, const SearchReach& reach,
                            const std::vector<ContactMemory>& memory, const MemoryIndex& index, Workers& workers,
                            std::vector<FoundContact>& found) {
  found.clear();
  seams_.find(paths, reach.cell);
  shapes_.clear();
  double fastest = 0;
  for (const GeomPath& path : paths) {
    shapes_.push_back({&path.geom.shape, path.now});
    fastest = std::max(fastest, speed_of(path));
  }
  const double slack = std::max(1e-3 * reach.cell, reach.margin);
  const auto ahead = [&](double geom_speed) { return slack + reach.dt * (2 * reach.speed + geom_speed); };
  // contacts that live on may lie beyond a thin wall
  const double near = ahead(fastest) + largest_ball_, farther = near + 0.5 * reach.cell;
  broad_.query(shapes_, sqrt3 * reach.drift + farther, ranges_);
  cut(paths);

  const Search search = {seen, paths, memory, index, reach.cell};
  clearance_.begin(paths, seen.points.size());
  workers.for_each(pieces_.size(), 4, [&](std::size_t k) {
    if (pieces_[k].is_mesh)
      measure_mesh(search, pieces_[k], near + seam_reach * reach.cell);
    else
      measure(search, pieces_[k]);
  });
  for (const Piece& piece : pieces_)
    if (piece.is_mesh) keep_clear(search, piece, farther);
  if (found_in_piece_.size() < pieces_.size()) found_in_piece_.resize(pieces_.size());
  workers.for_each(pieces_.size(), 4, [&](std::size_t k) {
    find_close(search, pieces_[k], ahead(speed_of(paths[pieces_[k].path])), found_in_piece_[k]);
  });
  for (std::size_t k = 0; k < pieces_.size(); ++k)
    found.insert(found.end(), found_in_piece_[k].begin(), found_in_piece_[k].end());
}

template class ContactFinder<float>;
template class ContactFinder<double>;

}  // namespace pliant::contact
