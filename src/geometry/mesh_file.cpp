#include "geometry/mesh_file.h"

#include "core/error.h"
#include "geometry/words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace pliant::geometry {

namespace {

constexpr std::size_t stl_header_bytes = 84;
constexpr std::size_t stl_triangle_bytes = 50;

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return result;
}

std::string read_bytes(const std::string& path, const MeshLimits& limits) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    fail(ErrorCode::bad_file, "mesh file '{}' is missing or not a regular file; check the path", path);
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) fail(ErrorCode::bad_file, "mesh file '{}': {}", path, error.message());
  if (size > limits.bytes) {
    fail(ErrorCode::too_large, "mesh file '{}' has {} bytes, the limit is {}; simplify the mesh", path, size,
         limits.bytes);
  }
  std::string bytes(std::size_t(size), '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(bytes.data(), std::streamsize(size));
  if (!stream || std::uintmax_t(stream.gcount()) != size) {
    fail(ErrorCode::bad_file, "mesh file '{}' cannot be read; check its permissions", path);
  }
  return bytes;
}

void check_triangle_count(const std::string& path, std::size_t count, const MeshLimits& limits) {
  if (count > limits.triangles) {
    fail(ErrorCode::too_large, "mesh file '{}' has {} triangles or more, the limit is {}; simplify the mesh", path,
         count, limits.triangles);
  }
}

// --- STL ---

// a little-endian value on any machine
std::uint32_t read_word(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8) | std::uint8_t(bytes[i]);
  return value;
}

double read_float(const char* bytes) {
  const std::uint32_t bits = read_word(bytes);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// the size that a binary STL must have; some of them start with "solid" too
std::uintmax_t binary_stl_size(const std::string& bytes) {
  return stl_header_bytes + std::uintmax_t(stl_triangle_bytes) * read_word(bytes.data() + 80);
}

bool is_ascii_stl(const std::string& bytes) {
  if (bytes.size() >= stl_header_bytes && binary_stl_size(bytes) == bytes.size()) return false;
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || lower_case(bytes.substr(start, 5)) != "solid") return false;
  return bytes.find('\0') == std::string::npos;
}

void add_soup_triangle(TriangleSoup& soup) {
  const auto first = std::uint32_t(soup.vertices.size() - 3);
  soup.triangles.push_back({first, first + 1, first + 2});
}

TriangleSoup read_binary_stl(const std::string& path, const std::string& bytes, const MeshLimits& limits) {
  if (bytes.size() < stl_header_bytes) {
    fail(ErrorCode::bad_file,
         "mesh file '{}' is no STL: it has {} bytes, but a binary STL starts with 84 and an ascii one with 'solid'; "
         "export it again",
         path, bytes.size());
  }
  const std::uint32_t count = read_word(bytes.data() + 80);
  if (binary_stl_size(bytes) != bytes.size()) {
    fail(ErrorCode::bad_file,
         "mesh file '{}' says that it has {} triangles, which is {} bytes, but it has {}; it is truncated or corrupt: "
         "export it again",
         path, count, binary_stl_size(bytes), bytes.size());
  }
  check_triangle_count(path, count, limits);
  TriangleSoup soup;
  soup.vertices.reserve(3 * std::size_t(count));
  soup.triangles.reserve(count);
  for (std::uint32_t t = 0; t < count; ++t) {
    const char* corners = bytes.data() + stl_header_bytes + stl_triangle_bytes * std::size_t(t) + 12;
    for (int v = 0; v < 3; ++v) {
      Point p;
      for (int i = 0; i < 3; ++i) {
        p[i] = read_float(corners + 12 * v + 4 * i);
        if (!(std::fabs(p[i]) <= 1e12)) {
          fail(ErrorCode::bad_file,
               "mesh file '{}': triangle {} has a coordinate {}, not a finite number of magnitude up to 1e12; export "
               "the mesh again",
               path, t + 1, p[i]);
        }
      }
      soup.vertices.push_back(p);
    }
    add_soup_triangle(soup);
  }
  return soup;
}

void expect(Words& words, const char* wanted) {
  const std::string_view word = words.next();
  if (word.empty()) {
    fail(ErrorCode::bad_file, "{}:{}: the file ends where '{}' is expected; it is truncated: export it again",
         words.file(), words.line(), wanted);
  }
  if (lower_case(word) != wanted) {
    fail(ErrorCode::bad_file, "{}:{}: '{}' where '{}' is expected; export the mesh again", words.file(), words.line(),
         word.substr(0, 40), wanted);
  }
}

double next_number(Words& words) {
  const std::string_view word = words.next();
  if (word.empty()) {
    fail(ErrorCode::bad_file, "{}:{}: the file ends where a number is expected; it is truncated: export it again",
         words.file(), words.line());
  }
  return words.number(word);
}

// one facet; its normal is not used, the order of its corners says as much
void read_facet(Words& words, TriangleSoup& soup) {
  const std::uint32_t line = words.line();
  expect(words, "normal");
  for (int i = 0; i < 3; ++i) words.next();
  expect(words, "outer");
  expect(words, "loop");
  for (int v = 0; v < 3; ++v) {
    expect(words, "vertex");
    Point p;
    for (int i = 0; i < 3; ++i) p[i] = next_number(words);
    soup.vertices.push_back(p);
  }
  expect(words, "endloop");
  expect(words, "endfacet");
  add_soup_triangle(soup);
  soup.lines.push_back(line);
}

TriangleSoup read_ascii_stl(const std::string& path, const std::string& bytes, const MeshLimits& limits) {
  TriangleSoup soup;
  Words words(bytes, path);
  expect(words, "solid");
  words.skip_line();
  bool in_solid = true;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const std::string keyword = lower_case(word);
    if (in_solid && keyword == "facet") {
      check_triangle_count(path, soup.triangles.size() + 1, limits);
      read_facet(words, soup);
    } else if ((in_solid && keyword == "endsolid") || (!in_solid && keyword == "solid")) {
      in_solid = !in_solid;
      words.skip_line();
    } else {
      fail(ErrorCode::bad_file, "{}:{}: '{}' where '{}' is expected; export the mesh again", path, words.line(),
           word.substr(0, 40), in_solid ? "facet' or 'endsolid" : "solid");
    }
  }
  if (in_solid) {
    fail(ErrorCode::bad_file, "{}:{}: the file ends before 'endsolid'; it is truncated: export it again", path,
         words.line());
  }
  return soup;
}

// --- OBJ ---

void read_obj_vertex(Words& words, TriangleSoup& soup) {
  Point p;
  for (int i = 0; i < 3; ++i) {
    const std::string_view word = words.next_in_line();
    if (word.empty()) {
      fail(ErrorCode::bad_file, "{}:{}: a vertex has {} coordinates, but needs 3; export the mesh again", words.file(),
           words.line(), i);
    }
    p[i] = words.number(word);
  }
  soup.vertices.push_back(p);
}

// "7", "7/1", "7/1/3", "7//3": the number before the slash, from 1 or, if negative, back from the last vertex
std::uint32_t read_obj_index(const Words& words, std::string_view word, std::size_t vertex_count) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    fail(ErrorCode::bad_file,
         "{}:{}: '{}' is not a corner of a face, which looks like 7 or 7/1/3; export the mesh again", words.file(),
         words.line(), word.substr(0, 40));
  }
  const auto count = std::int64_t(vertex_count);
  if (index == 0 || index > count || index < -count) {
    fail(ErrorCode::bad_file, "{}:{}: a face names vertex {}, but {} vertices stand before it; export the mesh again",
         words.file(), words.line(), index, count);
  }
  return std::uint32_t(index > 0 ? index - 1 : count + index);
}

void read_obj_face(Words& words, TriangleSoup& soup, const MeshLimits& limits) {
  const std::uint32_t line = words.line();
  std::uint32_t corners[2] = {0, 0};
  int corner_count = 0;
  for (std::string_view word = words.next_in_line(); !word.empty(); word = words.next_in_line()) {
    const std::uint32_t corner = read_obj_index(words, word, soup.vertices.size());
    if (corner_count < 2) {
      corners[corner_count] = corner;
    } else {
      // a polygon is the fan about its first corner
      check_triangle_count(words.file(), soup.triangles.size() + 1, limits);
      soup.triangles.push_back({corners[0], corners[1], corner});
      soup.lines.push_back(line);
      corners[1] = corner;
    }
    ++corner_count;
  }
  if (corner_count < 3) {
    fail(ErrorCode::bad_file, "{}:{}: a face has {} corners, but needs 3 or more; export the mesh again", words.file(),
         line, corner_count);
  }
}

// only vertices and faces matter; texture, normals, groups and materials are passed over
TriangleSoup read_obj(const std::string& path, const std::string& bytes, const MeshLimits& limits) {
  TriangleSoup soup;
  Words words(bytes, path);
  while (!words.at_end()) {
    const std::string_view keyword = words.next_in_line();
    if (keyword == "v") {
      if (soup.vertices.size() >= 3 * limits.triangles) {
        fail(ErrorCode::too_large, "{}:{}: more than {} vertices; simplify the mesh", path, words.line(),
             3 * limits.triangles);
      }
      read_obj_vertex(words, soup);
    } else if (keyword == "f") {
      read_obj_face(words, soup, limits);
    }
    words.skip_line();
  }
  return soup;
}

}  // namespace

TriangleSoup read_mesh_file(const std::string& path, const MeshLimits& limits) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  if (extension != ".stl" && extension != ".obj") {
    fail(ErrorCode::bad_file, "mesh file '{}' is neither .stl nor .obj; convert it", path);
  }
  const std::string bytes = read_bytes(path, limits);
  TriangleSoup soup;
  if (extension == ".obj") {
    soup = read_obj(path, bytes, limits);
  } else if (is_ascii_stl(bytes)) {
    soup = read_ascii_stl(path, bytes, limits);
  } else {
    soup = read_binary_stl(path, bytes, limits);
  }
  if (soup.triangles.empty()) {
    fail(ErrorCode::bad_file, "mesh file '{}' has no triangles; export the mesh again", path);
  }
  return soup;
}

}  // namespace pliant::geometry
