// Counts allocations by whatever road: malloc itself is replaced. For one source file of a program; sanitizers bring a
// malloc of their own and want it alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace pliant::test {

inline std::atomic<bool> counting = false;
inline std::atomic<long> allocations = 0;

inline void count_allocation() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

// of a call
template <class Call>
long allocations_in(const Call& call) {
  allocations = 0;
  counting = true;
  call();
  counting = false;
  return allocations;
}

// the counter must be able to count
inline bool allocations_are_seen() {
  return allocations_in([] {
           void* volatile a = std::malloc(1);
           int* volatile b = new int(0);
           std::free(a);
           delete b;
         }) == 2;
}

}  // namespace pliant::test

// glibc's own, by the names that it keeps for programs that replace malloc
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  pliant::test::count_allocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  pliant::test::count_allocation();
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) {
  pliant::test::count_allocation();
  return __libc_realloc(p, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  pliant::test::count_allocation();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  pliant::test::count_allocation();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  pliant::test::count_allocation();
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : 12;  // ENOMEM
}
}
