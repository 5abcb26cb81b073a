// A distance field as a file:
//   "PLIANTDF" | version | key | tolerance | corner | edge | bounds | count of blocks | children | nodes | checksum
// Numbers are little endian, as everything on the machines that Pliant runs on.
#include "core/error.h"
#include "core/hash.h"
#include "geometry/distance_field.h"
#include "geometry/mesh.h"

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace pliant::geometry {
namespace {

constexpr char magic[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'D', 'F'};
constexpr std::uint64_t version = 1;

struct Header {
  char magic[8];
  std::uint64_t version, key;
  double tolerance;
  Vector<double, 3> corner;
  double edge;
  Bounds bounds;
  std::uint64_t blocks;
};
static_assert(sizeof(Header) == 15 * 8);

bool is_finite(const Vector<double, 3>& v) { return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]); }

bool is_sound(const Header& h) {
  return std::isfinite(h.tolerance) && h.tolerance > 0 && is_finite(h.corner) && std::isfinite(h.edge) && h.edge > 0 &&
         is_finite(h.bounds.lower) && is_finite(h.bounds.upper);
}

Header read_header(std::ifstream& in, const std::string& path, std::uint64_t key) {
  Header h;
  if (!in.read(reinterpret_cast<char*>(&h), sizeof h) || std::memcmp(h.magic, magic, sizeof magic) != 0)
    fail(ErrorCode::bad_file, "{}: this is not a distance field; delete it", path);
  if (h.version != version)
    fail(ErrorCode::bad_file, "{}: has version {}, this Pliant reads version {}; delete it", path, h.version, version);
  if (h.key != key) fail(ErrorCode::bad_file, "{}: belongs to another mesh or tolerance; delete it", path);
  if (!is_sound(h)) fail(ErrorCode::bad_file, "{}: is damaged: its header is not possible; delete it", path);
  return h;
}

// every child comes after its parent, so a search ends
template <class Children>
bool is_tree(const std::vector<Children>& children) {
  for (std::size_t b = 0; b < children.size(); ++b)
    for (const std::int32_t child : children[b])
      if (child != -1 && (child <= std::int64_t(b) || child >= std::int64_t(children.size()))) return false;
  return true;
}

}  // namespace

std::uint64_t DistanceField::key(const Mesh& mesh, double tolerance) {
  std::uint64_t h = hash_bytes(&tolerance, sizeof tolerance, version);
  h = hash_bytes(mesh.vertices.data(), mesh.vertices.size() * sizeof mesh.vertices[0], h);
  return hash_bytes(mesh.triangles.data(), mesh.triangles.size() * sizeof mesh.triangles[0], h);
}

// written beside and renamed, so that a file is never half written
void DistanceField::save(const std::string& path, std::uint64_t key) const {
  Header h = {{}, version, key, tolerance_, corner_, edge_, bounds_, children_.size()};
  std::memcpy(h.magic, magic, sizeof magic);
  std::uint64_t checksum = hash_bytes(&h, sizeof h);
  checksum = hash_bytes(children_.data(), children_.size() * sizeof(Children), checksum);
  checksum = hash_bytes(nodes_.data(), nodes_.size() * sizeof(Node), checksum);

  const std::string part = fmt::format("{}.{}.part", path, getpid());
  {
    std::ofstream out(part, std::ios::binary);
    const auto put = [&](const void* data, std::size_t size) {
      out.write(static_cast<const char*>(data), std::streamsize(size));
    };
    put(&h, sizeof h);
    put(children_.data(), children_.size() * sizeof(Children));
    put(nodes_.data(), nodes_.size() * sizeof(Node));
    put(&checksum, sizeof checksum);
    out.flush();
    if (!out) fail(ErrorCode::bad_file, "{}: cannot be written; check the folder and the space left", part);
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) fail(ErrorCode::bad_file, "{}: cannot be written: {}", path, error.message());
}

DistanceField DistanceField::load(const std::string& path, std::uint64_t key, std::size_t memory) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in) fail(ErrorCode::bad_file, "{}: cannot be opened; check the path", path);
  const Header h = read_header(in, path, key);
  const std::uintmax_t body = size - sizeof h - sizeof(std::uint64_t);
  if (size < sizeof h + sizeof(std::uint64_t) || h.blocks == 0 || h.blocks > size / block_bytes ||
      body != h.blocks * block_bytes)
    fail(ErrorCode::bad_file, "{}: is truncated or damaged: {} bytes for {} blocks; delete it", path, size, h.blocks);
  if (body > memory)
    fail(ErrorCode::bad_file, "{}: holds {:.3g} MB where {:.3g} MB are allowed; allow more memory", path,
         double(body) / 1e6, double(memory) / 1e6);

  DistanceField field;
  field.corner_ = h.corner, field.edge_ = h.edge, field.bounds_ = h.bounds, field.tolerance_ = h.tolerance;
  field.children_.resize(h.blocks);
  field.nodes_.resize(h.blocks * block_nodes);
  std::uint64_t checksum = hash_bytes(&h, sizeof h), found = 0;
  const auto get = [&](void* data, std::size_t bytes) {
    if (!in.read(static_cast<char*>(data), std::streamsize(bytes)))
      fail(ErrorCode::bad_file, "{}: cannot be read; delete it", path);
  };
  get(field.children_.data(), field.children_.size() * sizeof(Children));
  get(field.nodes_.data(), field.nodes_.size() * sizeof(Node));
  get(&found, sizeof found);
  checksum = hash_bytes(field.children_.data(), field.children_.size() * sizeof(Children), checksum);
  checksum = hash_bytes(field.nodes_.data(), field.nodes_.size() * sizeof(Node), checksum);
  if (checksum != found || !is_tree(field.children_))
    fail(ErrorCode::bad_file, "{}: is damaged: its checksum does not fit; delete it", path);
  return field;
}

CachedField cached_distance_field(const Mesh& mesh, const std::string& name, const DistanceFieldOptions& options,
                                  const std::string& folder, Workers& workers) {
  const std::uint64_t key = DistanceField::key(mesh, options.tolerance);
  const std::string path = (std::filesystem::path(folder) / fmt::format("{:016x}.distance", key)).string();
  CachedField result;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    try {
      result.field = std::make_shared<DistanceField>(DistanceField::load(path, key, options.memory));
      result.from_file = true;
      return result;
    } catch (const Error& bad) {
      result.note = bad.what();
    }
  }
  auto built = std::make_shared<DistanceField>(DistanceField::build(mesh, name, options, workers));
  result.field = built;
  std::filesystem::create_directories(folder, error);
  try {
    built->save(path, key);
  } catch (const Error& bad) {
    result.note = bad.what();
  }
  return result;
}

}  // namespace pliant::geometry
