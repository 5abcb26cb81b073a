// Loops over threads. Work is cut into pieces that do not depend on the number of threads, so neither do results.
#pragma once

#include "core/namespace.h"
#include "core/stop.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace pliant::core {

// Tells the thread sanitizer what it cannot see inside of oneTBB's library: a loop's pieces come after what was before
// the loop, and what follows comes after them. Pieces stay unordered among each other.
class LoopOrder {
 public:
#if defined(__SANITIZE_THREAD__)
  LoopOrder() { __tsan_release(&begin_); }
  ~LoopOrder() { __tsan_acquire(&end_); }
  void piece_begins() { __tsan_acquire(&begin_); }
  void piece_ends() { __tsan_release(&end_); }

 private:
  char begin_ = 0, end_ = 0;
#else
  void piece_begins() {}
  void piece_ends() {}
#endif
};

class Workers {
 public:
  // threads 0: all that the machine has
  explicit Workers(int threads);

  int threads() const { return threads_; }

  // index of the calling thread inside a loop, below threads(): for scratch memory
  static int index() { return tbb::this_task_arena::current_thread_index(); }

  // f(i) for i in [0, count), in pieces of `grain`. Before each of its pieces the calling thread looks whether it should
  // stop: Error(interrupted).
  template <class F>
  void for_each(std::size_t count, std::size_t grain, const F& f) {
    if (threads_ == 1 || count <= grain) {
      arena_.execute([&] {
        for (std::size_t first = 0; first < count; first += grain) {
          check_stop();
          const std::size_t last = std::min(first + grain, count);
          for (std::size_t i = first; i < last; ++i) f(i);
        }
      });
      return;
    }
    LoopOrder order;
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, count, grain),
          [&](const tbb::blocked_range<std::size_t>& r) {
            check_stop();
            order.piece_begins();
            for (std::size_t i = r.begin(); i != r.end(); ++i) f(i);
            order.piece_ends();
          },
          tbb::simple_partitioner());
    });
  }

 private:
  int threads_;
  std::unique_ptr<tbb::global_control> more_than_cores_;
  tbb::task_arena arena_;
};

}  // namespace pliant::core
