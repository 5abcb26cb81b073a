// Meshes for tests, and writers of the three file formats.
#pragma once

#include "geometry/point.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

namespace pliant {

using namespace geometry;

struct Triangles {
  std::vector<Point> vertices;
  std::vector<std::array<int, 3>> faces;
};

// corners from lower to upper, outward
inline Triangles cube(const Point& lower, const Point& upper) {
  Triangles t;
  for (int n = 0; n < 8; ++n)
    t.vertices.push_back({{n & 1 ? upper[0] : lower[0], n & 2 ? upper[1] : lower[1], n & 4 ? upper[2] : lower[2]}});
  t.faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
             {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return t;
}

inline Triangles tetrahedron(double edge) {
  return {{{{0, 0, 0}}, {{edge, 0, 0}}, {{0, edge, 0}}, {{0, 0, edge}}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

// about the axis z; sides around it and around the tube
inline Triangles torus(double ring_radius, double tube_radius, int around, int across) {
  using std::numbers::pi;
  Triangles t;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double a = 2 * pi * i / around, b = 2 * pi * j / across;
      const double r = ring_radius + tube_radius * std::cos(b);
      t.vertices.push_back({{r * std::cos(a), r * std::sin(a), tube_radius * std::sin(b)}});
      const int i1 = (i + 1) % around, j1 = (j + 1) % across;
      t.faces.push_back({i * across + j, i1 * across + j, i1 * across + j1});
      t.faces.push_back({i * across + j, i1 * across + j1, i * across + j1});
    }
  }
  return t;
}

inline Triangles inside_out(Triangles t) {
  for (auto& face : t.faces) std::swap(face[1], face[2]);
  return t;
}

inline Triangles together(Triangles a, const Triangles& b) {
  const int offset = int(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& [i, j, k] : b.faces) a.faces.push_back({i + offset, j + offset, k + offset});
  return a;
}

// a folder that goes away with the test
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pliant_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string obj_text(const Triangles& t) {
  std::string text = "# a test\no thing\n";
  for (const Point& p : t.vertices) text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", p[0], p[1], p[2]);
  for (const auto& [a, b, c] : t.faces) text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  return text;
}

inline std::string ascii_stl_text(const Triangles& t) {
  std::string text = "solid thing\n";
  for (const auto& face : t.faces) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const int v : face) {
      const Point& p = t.vertices[std::size_t(v)];
      text += fmt::format("      vertex {:.17g} {:.17g} {:.17g}\n", p[0], p[1], p[2]);
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid thing\n";
}

inline std::string bytes_of(const void* data, std::size_t size) { return {static_cast<const char*>(data), size}; }

// `said` replaces the count of triangles
inline std::string binary_stl_bytes(const Triangles& t, std::int64_t said = -1) {
  const auto count = std::uint32_t(said < 0 ? std::int64_t(t.faces.size()) : said);
  std::string bytes = std::string("solid or not").append(68, ' ') + bytes_of(&count, 4);
  for (const auto& face : t.faces) {
    bytes.append(12, '\0');
    for (const int v : face) {
      for (int i = 0; i < 3; ++i) {
        const auto x = float(t.vertices[std::size_t(v)][i]);
        bytes += bytes_of(&x, 4);
      }
    }
    bytes.append(2, '\0');
  }
  return bytes;
}

}  // namespace pliant
