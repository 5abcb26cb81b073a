#include "cloth/sheet.h"

#include "cloth/hinge.h"
#include "core/error.h"
#include "material/cloth.h"

#include <algorithm>
#include <cmath>

namespace pliant::cloth {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

Vec vec_of(const Vec3& v) { return {{v[0], v[1], v[2]}}; }

double plate_stiffness(const Matter& matter, const Material& m) {
  const double t = matter.shape.thickness;
  return m.bending >= 0 ? m.bending : m.E * t * t * t / (12 * (1 - m.nu * m.nu));
}

// an edge, the triangle it is of, and the corner that is opposite
struct Edge {
  std::uint32_t low, high, triangle, opposite;
};

std::vector<Edge> sorted_edges(const SheetMesh& mesh) {
  std::vector<Edge> edges;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Triangle& c = mesh.triangles[t];
      const auto [low, high] = std::minmax(c[k], c[(k + 1) % 3]);
      edges.push_back({low, high, t, c[(k + 2) % 3]});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    if (a.low != b.low) return a.low < b.low;
    return a.high != b.high ? a.high < b.high : a.triangle < b.triangle;
  });
  return edges;
}

template <class S>
void add_element(const SheetMesh& mesh, const Triangle& t, double thickness, Sheet<S>& sheet) {
  const Vec start = vec_of(mesh.vertices[t[0]]);
  const Vec d1 = vec_of(mesh.vertices[t[1]]) - start, d2 = vec_of(mesh.vertices[t[2]]) - start;
  const Vec N = cross(d1, d2);
  const double twice = norm(N);
  const Vec e3 = (1 / twice) * N;
  // the first axis: x laid into the plane, or y where the plane has none of it
  Vec axis = {{1, 0, 0}};
  if (std::fabs(e3[0]) > 0.9) axis = {{0, 1, 0}};
  Vec e1 = axis - dot(axis, e3) * e3;
  e1 = (1 / norm(e1)) * e1;
  const Vec e2 = cross(e3, e1);

  const double a = dot(e1, d1), b = dot(e1, d2), c = dot(e2, d1), d = dot(e2, d2);
  sheet.elements.push_back(
      {{t[0], t[1], t[2]}, {S(d / twice), S(-b / twice), S(-c / twice), S(a / twice)}, S(0.5 * twice * thickness)});
  Matrix<S, 3> frame;
  for (int i = 0; i < 3; ++i) {
    frame(i, 0) = S(e1[i]);
    frame(i, 1) = S(e2[i]);
    frame(i, 2) = S(e3[i]);
  }
  sheet.frames.push_back(frame);
  const double longest = std::max({norm(d1), norm(d2), norm(d2 - d1)});
  sheet.shortest_height = std::min(sheet.shortest_height, twice / longest);
}

// energy D |e|^2 / (2 (A1 + A2)) (angle - rest)^2: that of the plate for bending into a cylinder
template <class S>
void add_hinges(const SheetMesh& mesh, Sheet<S>& sheet) {
  const std::vector<Edge> edges = sorted_edges(mesh);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const Edge &one = edges[i], &two = edges[i + 1];
    if (one.low != two.low || one.high != two.high) continue;
    const std::uint32_t corner[4] = {one.low, one.high, one.opposite, two.opposite};
    Vec x[4];
    for (int k = 0; k < 4; ++k) x[k] = vec_of(mesh.vertices[corner[k]]);
    const Vec e = x[1] - x[0];
    const double area = 0.5 * (norm(cross(e, x[2] - x[0])) + norm(cross(e, x[3] - x[0])));
    sheet.hinges.push_back(
        {{corner[0], corner[1], corner[2], corner[3]}, S(sheet.bending * dot(e, e) / area), S(hinge_angle(x).angle)});
  }
}

template <class S>
void share_out(Sheet<S>& sheet) {
  const auto each = [&](const auto& take) {
    std::uint32_t force = 0;
    for (const Element<S>& e : sheet.elements)
      for (const std::uint32_t v : e.corner) take(v, force++);
    for (const Hinge<S>& h : sheet.hinges)
      for (const std::uint32_t v : h.corner) take(v, force++);
  };
  sheet.share_starts.assign(sheet.vertices + 1, 0);
  each([&](std::uint32_t v, std::uint32_t) { ++sheet.share_starts[v + 1]; });
  for (std::size_t v = 0; v < sheet.vertices; ++v) sheet.share_starts[v + 1] += sheet.share_starts[v];
  std::vector<std::uint32_t> next(sheet.share_starts.begin(), sheet.share_starts.end() - 1);
  sheet.shares.resize(sheet.share_starts.back());
  each([&](std::uint32_t v, std::uint32_t force) { sheet.shares[next[v]++] = force; });
}

template <class S>
void add_pin(const SheetMesh& mesh, const Matter& matter, std::size_t k, std::uint32_t number, Sheet<S>& sheet) {
  const Pin& pin = matter.pins[k];
  const Vec center = vec_of(pin.center);
  double nearest = 1e300;
  bool any = false;
  for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v) {
    const double distance = norm(vec_of(mesh.vertices[v]) - center);
    nearest = std::min(nearest, distance);
    if (distance > pin.radius) continue;
    any = true;
    for (const PinnedVertex& other : sheet.pinned)
      if (other.vertex == v)
        fail(ErrorCode::bad_input, "matter '{}': pins '{}' and '{}' both hold vertex {}; move or shrink one",
             matter.name, matter.pins[other.pin + k - number].name, pin.name, v);
    sheet.pinned.push_back({v, number, vec_of(mesh.vertices[v])});
  }
  if (!any)
    fail(
        ErrorCode::bad_input,
        "matter '{}': pin '{}' holds nothing: the nearest vertex is {:.4g} m from its centre, its radius is {} m; move "
        "or enlarge it",
        matter.name, pin.name, nearest, pin.radius);
}

}  // namespace

template <class S>
Sheet<S> make_sheet(const SheetMesh& mesh, const Matter& matter, const Material& material, std::uint32_t first_pin) {
  Sheet<S> sheet;
  sheet.vertices = mesh.vertices.size();
  sheet.shortest_height = 1e300;
  sheet.bending = plate_stiffness(matter, material);
  for (const Triangle& t : mesh.triangles) add_element(mesh, t, matter.shape.thickness, sheet);
  if (sheet.bending > 0) add_hinges(mesh, sheet);
  share_out(sheet);
  for (std::size_t k = 0; k < matter.pins.size(); ++k) add_pin(mesh, matter, k, first_pin + std::uint32_t(k), sheet);
  return sheet;
}

template <class S>
double bending_rate(const Sheet<S>& sheet, const Matter& matter, const Material& material) {
  // a plate's fastest wave on a lattice of spacing a: omega^2 = 64 D / (mass per area) / a^4, stable below 2 / omega
  const double mass = (1 - Cloth<double>::centroid_share) * material.density * matter.shape.thickness;
  const double a = sheet.shortest_height;
  return 0.5 * std::sqrt(64 * sheet.bending / mass) / (a * a);
}

double inner_wave_speed(const Material& material) {
  // A layer that is squeezed along the grid: omega^2 = 4 k / (density h^2). In the plane mass is split between vertices
  // and centroids, but the kernel smooths what alternates from node to node: 1.44 of that stiffness is still stable.
  const Cloth<double> law = Cloth<double>::make(material);
  const double plane = material.E / (1 - material.nu * material.nu) / 1.44;
  return std::sqrt(std::max({plane, law.normal, law.shear}) / material.density);
}

template Sheet<float> make_sheet(const SheetMesh&, const Matter&, const Material&, std::uint32_t);
template Sheet<double> make_sheet(const SheetMesh&, const Matter&, const Material&, std::uint32_t);
template double bending_rate(const Sheet<float>&, const Matter&, const Material&);
template double bending_rate(const Sheet<double>&, const Matter&, const Material&);

}  // namespace pliant::cloth
