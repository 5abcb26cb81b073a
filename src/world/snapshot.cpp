// A snapshot: the whole state of a world as bytes, exact.
//
//   "PLIANTSS" | version | fingerprint of the scene | count of sections
//   for each section: name (16 bytes) | size | bytes
//   checksum of all before it
// Numbers are 64-bit little endian, as everything on the machines that Pliant runs on.
#include "core/error.h"
#include "core/hash.h"
#include "pliant/world.h"
#include "world/world_impl.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace pliant {

using namespace world;
namespace {

constexpr char magic[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'S', 'S'};
constexpr std::uint64_t version = 4;
constexpr std::size_t name_size = 16;

class Fingerprint {
 public:
  void add(const std::string& s) { h_ = hash_bytes(s.data(), s.size(), h_); }
  template <class... T>
  void add(const T&... x) {
    ((h_ = hash_bytes(&x, sizeof x, h_)), ...);
  }
  std::uint64_t value() const { return h_; }

 private:
  std::uint64_t h_ = version;
};

// of everything that gives the state its meaning; dt, gravity and the number of substeps may change between save and
// restore
std::uint64_t fingerprint(const Scene& scene) {
  Fingerprint f;
  f.add(scene.dimension, scene.precision, scene.step.cell, scene.step.kernel, scene.step.transfer);
  for (const Material& m : scene.materials) {
    f.add(m.name);
    f.add(m.law.number, m.density, m.E, m.nu, m.yield, m.friction_angle, m.cohesion, m.bulk_modulus, m.gamma,
          m.viscosity, m.hardening, m.critical_compression, m.critical_stretch);
  }
  for (const Matter& m : scene.matter) {
    f.add(m.name);
    f.add(m.material);
  }
  for (const Boundary& b : scene.boundaries) {
    f.add(b.name);
    f.add(b.kind, b.condition, b.friction, b.normal, b.size, b.radius, b.length, b.rotation, b.inside_out);
  }
  return f.value();
}

class Writer {
 public:
  void put(const void* data, std::size_t size) {
    const auto* p = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), p, p + size);
  }
  void put(std::uint64_t x) { put(&x, sizeof x); }
  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  const std::byte* take(std::size_t size) {
    if (size > bytes_.size() - at_)
      fail(ErrorCode::bad_file, "snapshot is truncated: {} bytes wanted at {}, it has {}; save it again", size, at_,
           bytes_.size());
    at_ += size;
    return bytes_.data() + at_ - size;
  }
  std::uint64_t number() {
    std::uint64_t x;
    std::memcpy(&x, take(sizeof x), sizeof x);
    return x;
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

void check_whole(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof magic + 16 || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    fail(ErrorCode::bad_file, "this is not a Pliant snapshot ({} bytes); give one that World::save made", bytes.size());
  std::uint64_t found = 0, found_version = 0;
  std::memcpy(&found_version, bytes.data() + sizeof magic, 8);
  if (found_version != version)
    fail(ErrorCode::bad_file, "snapshot has version {}, this Pliant reads version {}; save it again", found_version,
         version);
  std::memcpy(&found, bytes.data() + bytes.size() - 8, 8);
  if (found != hash_bytes(bytes.data(), bytes.size() - 8))
    fail(ErrorCode::bad_file, "snapshot is damaged or truncated: its checksum does not fit; save it again");
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(ErrorCode::bad_file, "{}: cannot be opened; check the path", path);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) fail(ErrorCode::bad_file, "{}: cannot be read", path);
  return text;
}

}  // namespace

std::vector<std::byte> World::save() const {
  Writer out;
  const std::vector<Field> fields = impl_->fields();
  std::size_t size = 64;
  for (const Field& s : fields) size += s.size + name_size + 8;
  out.bytes.reserve(size);
  out.put(magic, sizeof magic);
  out.put(version);
  out.put(fingerprint(scene()));
  out.put(fields.size());
  for (const Field& s : fields) {
    char name[name_size] = {};
    std::strncpy(name, s.name, name_size - 1);
    out.put(name, name_size);
    out.put(s.size);
    out.put(s.data, s.size);
  }
  out.put(hash_bytes(out.bytes.data(), out.bytes.size()));
  return std::move(out.bytes);
}

// looks at everything before it changes anything
void World::restore(std::span<const std::byte> bytes) {
  check_whole(bytes);
  Reader in(bytes.first(bytes.size() - 8));
  in.take(sizeof magic + 8);
  if (in.number() != fingerprint(scene()))
    fail(ErrorCode::bad_file,
         "snapshot belongs to another scene; restore it into a world made from the scene it was saved with");
  const std::vector<Field> fields = impl_->fields();
  if (in.number() != fields.size()) fail(ErrorCode::bad_file, "snapshot has another number of sections; save it again");
  std::vector<const std::byte*> data;
  std::vector<std::size_t> sizes;
  for (const Field& s : fields) {
    const std::string name(reinterpret_cast<const char*>(in.take(name_size)));
    const std::uint64_t size = in.number();
    if (name != s.name || (size != s.size && !s.resize))
      fail(ErrorCode::bad_file, "snapshot has {} bytes of '{}' where this scene has {} of '{}'; it is another scene's",
           size, name, s.size, s.name);
    data.push_back(in.take(size));
    sizes.push_back(size);
    const std::string wrong = s.check ? s.check(data.back(), size) : "";
    if (!wrong.empty()) fail(ErrorCode::bad_file, "snapshot: {}; save it again", wrong);
  }
  if (in.left() != 0) fail(ErrorCode::bad_file, "snapshot has {} bytes too many", in.left());
  for (std::size_t k = 0; k < fields.size(); ++k) {
    void* to = fields[k].resize ? fields[k].resize(sizes[k]) : fields[k].data;
    if (sizes[k] > 0) std::memcpy(to, data[k], sizes[k]);
  }
  impl_->state_replaced();
}

// written beside and renamed, so that a file is never half written
void save_file(const World& world, const std::string& path) {
  const std::vector<std::byte> bytes = world.save();
  const std::string part = path + ".part";
  {
    std::ofstream out(part, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    out.flush();
    if (!out) fail(ErrorCode::bad_file, "{}: cannot be written; check the folder and the space left", part);
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) fail(ErrorCode::bad_file, "{}: cannot be written: {}", path, error.message());
}

void restore_file(World& world, const std::string& path) {
  const std::string text = read_file(path);
  try {
    world.restore(std::as_bytes(std::span(text.data(), text.size())));
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", path, error.what());
  }
}

}  // namespace pliant
