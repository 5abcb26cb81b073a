// Records of steps that tapes of a world have done with, for its next tape: memory that was written before comes cheaper
// than pages that the system has to hand out.
#pragma once

#include "gradient/namespace.h"
#include "step/record.h"

#include <memory>
#include <mutex>
#include <vector>

namespace pliant::gradient {

template <int D, class S>
class RecordPool {
 public:
  using Record = std::unique_ptr<StepRecord<D, S>>;

  // one that was used before, if there is any
  Record take() {
    const std::lock_guard lock(mutex_);
    if (records_.empty()) return std::make_unique<StepRecord<D, S>>();
    Record last = std::move(records_.back());
    records_.pop_back();
    return last;
  }

  void give(Record record) {
    const std::lock_guard lock(mutex_);
    records_.push_back(std::move(record));
  }

  // lets go of what is more than so many bytes
  void trim(std::size_t most) {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0, kept = 0;
    for (; kept < records_.size(); ++kept)
      if ((sum += records_[kept]->bytes()) > most) break;
    records_.resize(kept);
  }

 private:
  std::mutex mutex_;
  std::vector<Record> records_;
};

}  // namespace pliant::gradient
