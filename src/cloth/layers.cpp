#include "cloth/layers.h"

#include <cmath>

namespace pliant::cloth {
namespace {

constexpr std::size_t grain = 256;       // triangles or edges in a piece of the search
constexpr double part_of_height = 0.25;  // layers keep no more than this part of a triangle's height
constexpr double reach_of_height = 0.7;  // how far the search looks; neighbours in a flat sheet are farther
constexpr double step_out = 0.25;        // what is too near parts by this much of the thickness in a step
constexpr double sharp = 0.5;            // cosine of the angle between two triangles at a ridge
constexpr double tolerance = 0.05;       // of the thickness
constexpr int rounds = 60;

// of a sheet, from a triangle: volume over area
template <class S>
double thickness_of(const Sheet<S>& sheet) {
  const Element<S>& e = sheet.elements.front();
  return 2 * double(e.volume) * std::fabs(double(e.inverse[0] * e.inverse[3] - e.inverse[1] * e.inverse[2]));
}

}  // namespace

template <class S>
void Layers<S>::add(const Sheet<S>& sheet) {
  const std::uint32_t start = starts_.back(), number = std::uint32_t(keep_.size());
  keep_.push_back(std::min(thickness_of(sheet), part_of_height * sheet.shortest_height));
  reach_.push_back(reach_of_height * sheet.shortest_height);
  most_reach_ = std::max(most_reach_, reach_.back());
  side_ = std::max(side_, 1.7 * sheet.shortest_height);
  std::vector<std::array<std::uint32_t, 3>> sides;  // two vertices, lower first, and a triangle
  for (const Element<S>& e : sheet.elements) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = start + e.corner[k], b = start + e.corner[(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), std::uint32_t(triangles_.size())});
    }
    triangles_.push_back({start + e.corner[0], start + e.corner[1], start + e.corner[2]});
  }
  std::sort(sides.begin(), sides.end());
  for (const auto& [a, b, triangle] : sides) {
    if (!edges_.empty() && edges_.back() == Edge{a, b}) {
      beside_.back()[1] = triangle;
      continue;
    }
    edges_.push_back({a, b});
    beside_.push_back({triangle, triangle});
  }
  starts_.push_back(start + std::uint32_t(sheet.vertices));
  sheet_of_.resize(starts_.back(), number);
  at_.resize(sheet_of_.size());
  lightness_.resize(sheet_of_.size());
  marks_.resize(sheet_of_.size());
}

template <class S>
double Layers<S>::keep(const NearPair& pair) const {
  return 0.5 * (keep_[sheet_of_[pair.corner[0]]] + keep_[sheet_of_[pair.corner[3]]]);
}

template <class S>
template <std::size_t N>
Box Layers<S>::box_of(const std::array<std::uint32_t, N>& corner, double margin) const {
  Box box = {at_[corner[0]], at_[corner[0]]};
  for (int d = 0; d < 3; ++d) {
    for (const std::uint32_t v : corner) {
      box.low[d] = std::min(box.low[d], at_[v][d]);
      box.high[d] = std::max(box.high[d], at_[v][d]);
    }
    box.low[d] -= margin;
    box.high[d] += margin;
  }
  return box;
}

template <class S>
void Layers<S>::note(const std::array<std::uint32_t, 4>& corner, const Between& between, Found& found) const {
  if (!between.inside) return;
  Vec gap = Vec::zero();
  for (std::size_t k = 0; k < 4; ++k) gap += between.weight[k] * at_[corner[k]];
  const double square = dot(gap, gap);
  const double reach = 0.5 * (reach_[sheet_of_[corner[0]]] + reach_[sheet_of_[corner[3]]]);
  if (square > reach * reach || square == 0) return;
  const double distance = std::sqrt(square);
  found.push_back({corner, {}, (1 / distance) * gap, distance});
  std::copy(between.weight, between.weight + 4, found.back().weight);
}

template <class S>
void Layers<S>::take_places(const std::vector<ClothStep<S>>& steps, const Buffer<Point<3, S>>& points,
                            Workers& workers) {
  workers.for_each(at_.size(), grain, [&](std::size_t v) {
    const ClothStep<S>& step = steps[sheet_of_[v]];
    const std::size_t vertex = v - starts_[sheet_of_[v]];
    const Point<3, S>& point = points[step.place(vertex)];
    for (int d = 0; d < 3; ++d) at_[v][d] = double(point.x[d]);
    lightness_[v] = step.is_held(vertex) ? 0.0 : 1 / double(point.mass);
    marks_[v] = 0;
  });
}

// `find(i, list)` for all i; the lists one after the other, whoever made them
template <class S>
template <class F>
void Layers<S>::collect(std::size_t count, Workers& workers, const F& find) {
  const std::size_t pieces = (count + grain - 1) / grain;
  if (found_.size() < pieces) found_.resize(pieces);
  workers.for_each(pieces, 1, [&](std::size_t piece) {
    found_[piece].clear();
    for (std::size_t i = piece * grain; i < std::min(count, (piece + 1) * grain); ++i) find(i, found_[piece]);
  });
  for (std::size_t piece = 0; piece < pieces; ++piece)
    pairs_.insert(pairs_.end(), found_[piece].begin(), found_[piece].end());
}

template <class S>
void Layers<S>::find_vertices(std::size_t triangle, Found& found) const {
  const auto& [a, b, c] = triangles_[triangle];
  const double margin = 0.5 * (reach_[sheet_of_[a]] + most_reach_);
  bins_.near(box_of(triangles_[triangle], margin), [&](std::uint32_t v) {
    if (v == a || v == b || v == c) return;
    const Vec x[4] = {at_[v], at_[a], at_[b], at_[c]};
    note({v, a, b, c}, vertex_and_triangle(x), found);
  });
}

template <class S>
void Layers<S>::find_edges(std::size_t edge, Found& found) const {
  const auto& [a, b] = edges_[picked_[edge]];
  bins_.near(box_of(edges_[picked_[edge]], 0.5 * reach_[sheet_of_[a]]), [&](std::uint32_t other) {
    if (other <= edge) return;
    const auto& [c, d] = edges_[picked_[other]];
    if (a == c || a == d || b == c || b == d) return;
    const Vec x[4] = {at_[a], at_[b], at_[c], at_[d]};
    note({a, b, c, d}, two_edges(x), found);
  });
}

// edges of vertices that are near a triangle or of a triangle that is near a vertex, and those at a rim or a sharp
// ridge: only they can meet others before a vertex is near
template <class S>
void Layers<S>::pick_edges(Workers& workers) {
  for (const NearPair& pair : pairs_)
    for (const std::uint32_t v : pair.corner) marks_[v] = 1;
  normals_.resize(triangles_.size());
  workers.for_each(triangles_.size(), grain, [&](std::size_t t) {
    const auto& [a, b, c] = triangles_[t];
    normals_[t] = cross(at_[b] - at_[a], at_[c] - at_[a]);
  });
  picked_.clear();
  for (std::uint32_t e = 0; e < edges_.size(); ++e) {
    const auto& [one, two] = beside_[e];
    const double dots = dot(normals_[one], normals_[two]);
    const double squares = dot(normals_[one], normals_[one]) * dot(normals_[two], normals_[two]);
    const bool is_ridge = one == two || dots < 0 || dots * dots < sharp * sharp * squares;
    if (is_ridge || marks_[edges_[e][0]] || marks_[edges_[e][1]]) picked_.push_back(e);
  }
}

template <class S>
void Layers<S>::look(const std::vector<ClothStep<S>>& steps, const Buffer<Point<3, S>>& points, Workers& workers) {
  take_places(steps, points, workers);
  pairs_.clear();
  bins_.fill(side_, at_.size(), [&](std::size_t v) { return Box{at_[v], at_[v]}; });
  collect(triangles_.size(), workers, [&](std::size_t t, Found& found) { find_vertices(t, found); });

  pick_edges(workers);
  bins_.fill(side_, picked_.size(), [&](std::size_t e) {
    const Edge& edge = edges_[picked_[e]];
    return box_of(edge, 0.5 * reach_[sheet_of_[edge[0]]]);
  });
  collect(picked_.size(), workers, [&](std::size_t e, Found& found) { find_edges(e, found); });
}

// true if the pair was too near
template <class S>
bool Layers<S>::push(const NearPair& pair) {
  double distance = 0, give = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    distance += pair.weight[k] * dot(pair.normal, at_[pair.corner[k]]);
    give += pair.weight[k] * pair.weight[k] * lightness_[pair.corner[k]];
  }
  const double least = keep(pair), wanted = std::min(least, pair.distance + step_out * least);
  if (distance >= wanted - tolerance * least || give == 0) return false;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::uint32_t v = pair.corner[k];
    at_[v] += (pair.weight[k] * lightness_[v] * (wanted - distance) / give) * pair.normal;
    marks_[v] = 1;
  }
  return true;
}

template <class S>
void Layers<S>::part(const std::vector<ClothStep<S>>& steps, Buffer<Point<3, S>>& points, Workers& workers) {
  if (pairs_.empty()) return;
  take_places(steps, points, workers);
  bool again = true;
  for (int round = 0; round < rounds && again; ++round) {
    again = false;
    for (const NearPair& pair : pairs_) again |= push(pair);
  }
  for (std::size_t v = 0; v < at_.size(); ++v) {
    if (!marks_[v] || lightness_[v] == 0) continue;
    Point<3, S>& point = points[steps[sheet_of_[v]].place(v - starts_[sheet_of_[v]])];
    for (int d = 0; d < 3; ++d) point.x[d] = S(at_[v][d]);
  }
}

template <class S>
std::size_t Layers<S>::bytes() const {
  std::size_t sum = bins_.bytes() + sizeof(NearPair) * pairs_.capacity() + sizeof(Vec) * at_.capacity();
  for (const Found& list : found_) sum += sizeof(NearPair) * list.capacity();
  return sum + 8 * lightness_.capacity() + marks_.capacity() + 4 * (sheet_of_.capacity() + picked_.capacity()) +
         12 * triangles_.capacity() + 16 * edges_.capacity() + sizeof(Vec) * normals_.capacity();
}

template class Layers<float>;
template class Layers<double>;

}  // namespace pliant::cloth
