#include "geometry/remesh.h"

#include "core/stop.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace pliant::geometry {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

// edges, in spacings
constexpr double longest = 1.5, shortest = 0.7, longest_after_collapse = 1.4;
// cosines: of an edge that is sharp; of a triangle that a collapse turns too far
constexpr double sharp = 0.75, folded = 0.7;
constexpr int most_rounds = 60;

std::uint64_t edge_key(std::uint32_t a, std::uint32_t b) {
  return (std::uint64_t(std::min(a, b)) << 32) | std::max(a, b);
}

// --- long edges ---

// one round: each edge that is too long gets a vertex in its middle; false: there was none
bool split_long_edges(TriangleMesh& mesh, double limit) {
  std::unordered_map<std::uint64_t, std::uint32_t> middles;
  for (const Triangle& t : mesh.triangles)
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t a = t[std::size_t(i)], b = t[std::size_t((i + 1) % 3)];
      if (norm(mesh.vertices[b] - mesh.vertices[a]) <= limit || middles.contains(edge_key(a, b))) continue;
      middles[edge_key(a, b)] = std::uint32_t(mesh.vertices.size());
      mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
    }
  if (middles.empty()) return false;

  std::vector<Triangle> cut;
  for (const Triangle& t : mesh.triangles) {
    check_stop_at(std::size_t(&t - mesh.triangles.data()));
    constexpr std::uint32_t none = ~0u;
    std::uint32_t m[3];
    int count = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto found = middles.find(edge_key(t[i], t[(i + 1) % 3]));
      m[i] = found == middles.end() ? none : found->second;
      count += m[i] != none;
    }
    // turned so that the edge with a middle is the first, the one without (of two) the last
    std::size_t k = 0;
    while (count == 1 && m[k] == none) ++k;
    while (count == 2 && m[(k + 2) % 3] != none) ++k;
    const std::uint32_t a = t[k % 3], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    const std::uint32_t ab = m[k % 3], bc = m[(k + 1) % 3], ca = m[(k + 2) % 3];
    if (count == 0) {
      cut.push_back(t);
    } else if (count == 1) {
      cut.insert(cut.end(), {Triangle{a, ab, c}, Triangle{ab, b, c}});
    } else if (count == 2) {
      const bool by_a = norm(mesh.vertices[bc] - mesh.vertices[a]) < norm(mesh.vertices[ab] - mesh.vertices[c]);
      cut.push_back({ab, b, bc});
      if (by_a)
        cut.insert(cut.end(), {Triangle{a, ab, bc}, Triangle{a, bc, c}});
      else
        cut.insert(cut.end(), {Triangle{a, ab, c}, Triangle{ab, bc, c}});
    } else {
      cut.insert(cut.end(), {Triangle{a, ab, ca}, Triangle{ab, b, bc}, Triangle{ca, bc, c}, Triangle{ab, bc, ca}});
    }
  }
  mesh.triangles.swap(cut);
  return true;
}

// --- short edges ---

class Collapser {
 public:
  Collapser(TriangleMesh& mesh, double spacing) : mesh_(mesh), spacing_(spacing), around_(mesh.vertices.size()) {
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
      for (const std::uint32_t v : mesh.triangles[t]) around_[v].push_back(t);
  }

  // vertex by vertex, round by round, until nothing changes; then what is left is numbered anew
  void run() {
    bool changed = true;
    for (int round = 0; changed && round < most_rounds; ++round) {
      changed = false;
      for (std::uint32_t v = 0; v < around_.size(); ++v) {
        check_stop_at(v);
        if (!around_[v].empty() && collapse(v)) changed = true;
      }
    }
    compact();
  }

 private:
  Point area(const Triangle& t) const {
    const std::vector<Point>& x = mesh_.vertices;
    return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
  }
  static bool has(const Triangle& t, std::uint32_t v) { return t[0] == v || t[1] == v || t[2] == v; }

  std::vector<std::uint32_t> neighbours(std::uint32_t v) const {
    std::vector<std::uint32_t> list;
    for (const std::uint32_t t : around_[v])
      for (const std::uint32_t u : mesh_.triangles[t])
        if (u != v) list.push_back(u);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  // its two triangles; false: there are others
  bool triangles_of(std::uint32_t v, std::uint32_t u, std::uint32_t (&two)[2]) const {
    int count = 0;
    for (const std::uint32_t t : around_[v])
      if (has(mesh_.triangles[t], u)) {
        if (count == 2) return false;
        two[count++] = t;
      }
    return count == 2;
  }

  bool is_sharp(std::uint32_t v, std::uint32_t u) const {
    std::uint32_t two[2];
    if (!triangles_of(v, u, two)) return true;
    const Point a = area(mesh_.triangles[two[0]]), b = area(mesh_.triangles[two[1]]);
    return dot(a, b) < sharp * norm(a) * norm(b);
  }

  // onto the nearest neighbour that allows it
  bool collapse(std::uint32_t v) {
    std::vector<std::uint32_t> near = neighbours(v);
    const auto length = [&](std::uint32_t u) { return norm(mesh_.vertices[u] - mesh_.vertices[v]); };
    const double limit = shortest * spacing_;
    if (std::none_of(near.begin(), near.end(), [&](std::uint32_t u) { return length(u) < limit; })) return false;
    std::vector<bool> edges;
    for (const std::uint32_t u : near) edges.push_back(is_sharp(v, u));
    const auto sharp_edges = std::count(edges.begin(), edges.end(), true);
    if (sharp_edges != 0 && sharp_edges != 2) return false;
    std::uint32_t best = v;
    for (std::size_t i = 0; i < near.size(); ++i) {
      const std::uint32_t u = near[i];
      if (length(u) >= limit || (sharp_edges == 2 && !edges[i])) continue;
      if ((best == v || length(u) < length(best)) && allows(v, u, near)) best = u;
    }
    if (best == v) return false;
    move(v, best);
    return true;
  }

  bool allows(std::uint32_t v, std::uint32_t u, const std::vector<std::uint32_t>& near) const {
    std::uint32_t two[2];
    if (!triangles_of(v, u, two)) return false;
    // what both are joined to must be the far corners of the two triangles, or sheets would meet
    const std::vector<std::uint32_t> others = neighbours(u);
    std::vector<std::uint32_t> common;
    std::set_intersection(near.begin(), near.end(), others.begin(), others.end(), std::back_inserter(common));
    if (common.size() != 2) return false;
    for (const std::uint32_t w : common)
      if (around_[w].size() <= 3) return false;
    for (const std::uint32_t n : near)
      if (n != u && norm(mesh_.vertices[n] - mesh_.vertices[u]) > longest_after_collapse * spacing_) return false;
    for (const std::uint32_t t : around_[v]) {
      Triangle moved = mesh_.triangles[t];
      if (has(moved, u)) continue;
      const Point before = area(moved);
      std::replace(moved.begin(), moved.end(), v, u);
      const Point after = area(moved);
      if (!(dot(before, after) > folded * norm(before) * norm(after)) || !(norm(after) > 1e-3 * shortest_square()))
        return false;
    }
    return true;
  }
  double shortest_square() const { return shortest * spacing_ * shortest * spacing_; }

  void move(std::uint32_t v, std::uint32_t u) {
    for (const std::uint32_t t : around_[v]) {
      Triangle& triangle = mesh_.triangles[t];
      if (has(triangle, u)) {
        for (const std::uint32_t w : triangle)
          if (w != v) std::erase(around_[w], t);
        triangle = {0, 0, 0};
      } else {
        std::replace(triangle.begin(), triangle.end(), v, u);
        around_[u].push_back(t);
      }
    }
    around_[v].clear();
  }

  void compact() {
    std::vector<std::uint32_t> number(mesh_.vertices.size(), 0);
    std::vector<Point> kept;
    for (std::uint32_t v = 0; v < around_.size(); ++v) {
      if (around_[v].empty()) continue;
      number[v] = std::uint32_t(kept.size());
      kept.push_back(mesh_.vertices[v]);
    }
    std::erase_if(mesh_.triangles, [](const Triangle& t) { return t[0] == t[1]; });
    for (Triangle& t : mesh_.triangles)
      for (std::uint32_t& v : t) v = number[v];
    mesh_.vertices.swap(kept);
  }

  TriangleMesh& mesh_;
  double spacing_;
  std::vector<std::vector<std::uint32_t>> around_;  // triangles, by vertex
};

// every edge is walked once forth and once back
bool is_manifold(const TriangleMesh& mesh) {
  std::unordered_map<std::uint64_t, std::array<int, 2>> walked;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++walked[edge_key(t[i], t[(i + 1) % 3])][t[i] < t[(i + 1) % 3]];
  return std::all_of(walked.begin(), walked.end(), [](const auto& e) { return e.second == std::array<int, 2>{1, 1}; });
}

}  // namespace

TriangleMesh remesh(TriangleMesh mesh, double spacing) {
  if (!is_manifold(mesh)) return {};
  // splitting leaves slivers, whose short edges collapse; what that leaves too long is split once more
  for (int pass = 0; pass < 2; ++pass) {
    Collapser(mesh, spacing).run();
    for (int round = 0; round < most_rounds && split_long_edges(mesh, longest * spacing); ++round) check_stop();
  }
  Collapser(mesh, spacing).run();
  return is_manifold(mesh) ? mesh : TriangleMesh{};
}

}  // namespace pliant::geometry
