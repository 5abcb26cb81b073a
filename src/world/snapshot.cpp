// A snapshot: the whole state of a world as bytes, exact.
//
//   "PLIANTSS" | version | size and text of what the scene is (identity.h) | count of sections
//   for each section, in the order of fields.cpp: name (16 bytes) | size | bytes
//   checksum of all before it
// Numbers are 64-bit little endian, as everything on the machines that Pliant runs on. A checksum finds damage and stops
// nobody who makes it anew: every number is looked at as if it came from an enemy (field_checks.h).
#include "core/error.h"
#include "core/hash.h"
#include "pliant/world.h"
#include "world/identity.h"
#include "world/world_impl.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace pliant {

using namespace world;
namespace {

constexpr char magic[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'S', 'S'};
constexpr std::uint64_t version = 8;
constexpr std::size_t name_size = 16;

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

void check_identity(Reader& in, const std::string& here) {
  const std::uint64_t size = in.number();
  const auto* text = reinterpret_cast<const char*>(in.take(size));
  const std::string differs = difference(std::string(text, size), here);
  if (!differs.empty())
    fail(ErrorCode::bad_file,
         "snapshot belongs to another scene: {}; restore it into a world made from the scene it was saved with",
         differs);
}

void read_section(Reader& in, const Field& field) {
  char name[name_size + 1] = {};
  std::memcpy(name, in.take(name_size), name_size);
  const std::uint64_t size = in.number();
  const bool fits = field.resize ? size % field.entry == 0 && size / field.entry <= field.most : size == field.size;
  if (std::strcmp(name, field.name) != 0 || !fits)
    fail(ErrorCode::bad_file,
         "snapshot, section '{}': {} bytes of '{}', but {} of {} bytes each fit here; this is no state of this world: "
         "save it again",
         field.name, size, printable(name), field.resize ? field.most : field.size / field.entry, field.entry);
  const std::byte* data = in.take(size);
  void* to = field.resize ? field.resize(size / field.entry) : field.data;
  if (size > 0) std::memcpy(to, data, size);
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
  const std::string& identity = impl_->identity();
  std::size_t size = 64 + identity.size();
  for (const Field& s : fields) size += s.size + name_size + 8;
  out.bytes.reserve(size);
  out.put(magic, sizeof magic);
  out.put(version);
  out.put(identity.size());
  out.put(identity.data(), identity.size());
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

// all is read into the state that the next step would go to, and looked at there
void World::restore(std::span<const std::byte> bytes) {
  check_whole(bytes);
  Reader in(bytes.first(bytes.size() - 8));
  in.take(sizeof magic + 8);
  check_identity(in, impl_->identity());
  const std::vector<Field> fields = impl_->incoming();
  if (in.number() != fields.size()) fail(ErrorCode::bad_file, "snapshot has another number of sections; save it again");
  for (const Field& field : fields) read_section(in, field);
  if (in.left() != 0) fail(ErrorCode::bad_file, "snapshot has {} bytes too many; save it again", in.left());
  for (const Field& field : fields)
    if (const std::string wrong = field.check(); !wrong.empty())
      fail(ErrorCode::bad_file, "snapshot, section '{}': {}; this is no state of this world: save it again", field.name,
           wrong);
  impl_->take_incoming();
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
