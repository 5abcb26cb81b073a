#include "core/parallel.h"

#include <thread>

namespace pliant::core {
namespace {

int cores() {
  const unsigned n = std::thread::hardware_concurrency();
  return n > 0 ? int(n) : 1;
}

}  // namespace

Workers::Workers(int threads) : threads_(threads > 0 ? threads : cores()), arena_(threads_) {
  if (threads_ > cores())
    more_than_cores_ =
        std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, std::size_t(threads_));
}

}  // namespace pliant::core
