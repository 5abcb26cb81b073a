// The parts of a snapshot, to be edited and put together again with a good checksum, as someone would who knows the
// format (src/world/snapshot.cpp).
#pragma once

#include "core/hash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace pliant {

using Bytes = std::vector<std::byte>;

struct SnapshotParts {
  static constexpr char magic[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'S', 'S'};
  static constexpr std::size_t name_size = 16;
  struct Section {
    Bytes name;               // 16 bytes
    std::uint64_t said_size;  // what the file says
    Bytes data;
  };
  std::uint64_t version = 0, said_text = 0, said_count = 0;
  Bytes text;
  std::vector<Section> sections;
  std::size_t cut = 0;  // bytes that are missing at the end

  explicit SnapshotParts(std::span<const std::byte> bytes);
  Bytes join() const;
  Section& find(const std::string& name);
};

inline SnapshotParts::SnapshotParts(std::span<const std::byte> bytes) {
  std::size_t at = sizeof magic;
  const auto number = [&] {
    std::uint64_t x;
    std::memcpy(&x, bytes.data() + at, sizeof x);
    at += sizeof x;
    return x;
  };
  const auto take = [&](std::size_t size) {
    at += size;
    return Bytes(bytes.begin() + std::ptrdiff_t(at - size), bytes.begin() + std::ptrdiff_t(at));
  };
  version = number();
  said_text = number();
  text = take(said_text);
  said_count = number();
  for (std::uint64_t i = 0; i < said_count; ++i) {
    Section section;
    section.name = take(name_size);
    section.said_size = number();
    section.data = take(section.said_size);
    sections.push_back(std::move(section));
  }
}

inline Bytes SnapshotParts::join() const {
  Bytes out;
  const auto put = [&](const void* data, std::size_t size) {
    const auto* p = static_cast<const std::byte*>(data);
    out.insert(out.end(), p, p + size);
  };
  const auto put_number = [&](std::uint64_t x) { put(&x, sizeof x); };
  put(magic, sizeof magic);
  put_number(version);
  put_number(said_text);
  put(text.data(), text.size());
  put_number(said_count);
  for (const Section& section : sections) {
    put(section.name.data(), section.name.size());
    put_number(section.said_size);
    put(section.data.data(), section.data.size());
  }
  out.erase(out.end() - std::ptrdiff_t(std::min(cut, out.size())), out.end());
  put_number(hash_bytes(out.data(), out.size()));
  return out;
}

inline SnapshotParts::Section& SnapshotParts::find(const std::string& name) {
  for (Section& section : sections)
    if (std::strncmp(reinterpret_cast<const char*>(section.name.data()), name.c_str(), name_size) == 0) return section;
  return sections.front();
}

}  // namespace pliant
