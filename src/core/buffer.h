// A growing array of plain records on 64-byte boundaries. Growing does not keep the content; shrinking keeps the
// memory.
#pragma once

#include "core/namespace.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace pliant::core {

// zeroed memory on a 64-byte boundary; throws Error(too_large)
void* allocate_zeroed(std::size_t bytes);
void release(void* p);

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer& other) { *this = other; }
  Buffer& operator=(const Buffer& other) {
    if (this == &other) return *this;
    if (size_ != other.size_) allocate(other.size_);
    if (size_ > 0) std::memcpy(data_.get(), other.data_.get(), size_ * sizeof(T));
    return *this;
  }

  void resize(std::size_t n) {
    if (n > capacity_) {
      data_.reset();
      capacity_ = size_ = 0;
      const std::size_t room = n + n / 8 + 8;
      data_.reset(static_cast<T*>(allocate_zeroed(room * sizeof(T))));
      capacity_ = room;
    }
    size_ = n;
  }
  // as many as asked for and not one more; all bytes zero
  void allocate(std::size_t n) {
    data_.reset(static_cast<T*>(allocate_zeroed(n * sizeof(T) + 64)));
    capacity_ = size_ = n;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  struct Release {
    void operator()(T* p) const { release(p); }
  };
  std::unique_ptr<T, Release> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace pliant::core
