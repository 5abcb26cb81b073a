#include "core/buffer.h"

#include "core/error.h"

#include <sys/mman.h>

#include <cstdlib>

namespace pliant::core {

void* allocate_zeroed(std::size_t bytes) {
  // what spans several large pages lies on them: a step walks through all of it, and through the tables of small pages
  constexpr std::size_t line = 64, large_page = std::size_t(1) << 21;
  const bool large = bytes >= 2 * large_page;
  const std::size_t unit = large ? large_page : line;
  const std::size_t rounded = (bytes + line - 1) / line * line;
  void* p = nullptr;
  // aligned_alloc wants whole large pages
  if (posix_memalign(&p, unit, rounded) != 0)
    fail(ErrorCode::too_large, "cannot get {} bytes of memory; use fewer particles or larger cells", bytes);
  if (large) madvise(p, rounded, MADV_HUGEPAGE);
  return std::memset(p, 0, rounded);
}

void release(void* p) { std::free(p); }

}  // namespace pliant::core
