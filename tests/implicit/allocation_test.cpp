// A warm implicit solve allocates nothing, by whatever road: malloc itself is counted.
#include "implicit/lump.h"

#include <atomic>
#include <cstdlib>

namespace {
std::atomic<bool> counting = false;
std::atomic<long> allocations = 0;

[[maybe_unused]] void count() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

// sanitizers bring a malloc of their own
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  count();
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) {
  count();
  return __libc_realloc(p, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) {
  count();
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : 12;  // ENOMEM
}
}

namespace pliant {
namespace {

long allocations_of(Law law, int threads) {
  Lump<float> lump(0.05, threads);
  lump.add_box(material_of(law), {{0, 0, 0}}, {{0.4, 0.4, 0.4}});
  disturb(lump, 0, 0.05, 1, 5);
  lump.damping = {1, 1e-4};
  lump.scatter();
  NodeVectors start;
  for (int round = 0; round < 8; ++round) {
    // the last rounds count
    allocations = 0;
    counting = round >= 4;
    lump.begin();
    EXPECT_EQ(lump.solve().status, FreeMotionReport::Status::converged);
    counting = false;
  }
  return allocations;
}

TEST(ImplicitAllocations, TheCounterCounts) {
  allocations = 0;
  counting = true;
  void* volatile a = std::malloc(1);
  int* volatile b = new int(0);
  counting = false;
  std::free(a);
  delete b;
  EXPECT_EQ(allocations, 2);
}

TEST(ImplicitAllocations, AWarmSolveHasNone) {
  for (Law law : {Law::linear_corotated, Law::hencky})
    for (int threads : {1, 2}) EXPECT_EQ(allocations_of(law, threads), 0) << name(law) << " " << threads;
}

}  // namespace
}  // namespace pliant
#endif
