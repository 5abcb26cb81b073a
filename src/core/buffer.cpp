#include "core/buffer.h"

#include "core/error.h"

#include <cstdlib>

namespace pliant {

void* allocate_zeroed(std::size_t bytes) {
  constexpr std::size_t line = 64;
  const std::size_t rounded = (bytes + line - 1) / line * line;
  void* p = std::aligned_alloc(line, rounded);
  if (p == nullptr)
    fail(ErrorCode::too_large, "cannot get {} bytes of memory; use fewer particles or larger cells", bytes);
  return std::memset(p, 0, rounded);
}

void release(void* p) { std::free(p); }

}  // namespace pliant
