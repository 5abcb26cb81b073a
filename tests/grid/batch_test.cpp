// Records to rows and back.
#include "grid/batch.h"

#include <gtest/gtest.h>
#include <cstring>

namespace pliant {

using namespace grid;

namespace {

template <int D, class S>
void check_round_trip() {
  using Record = Point<D, S>;
  constexpr int most = Batch<D, S>::capacity, words = Batch<D, S>::words;
  auto batch = std::make_unique<Batch<D, S>>();
  for (int count = 1; count <= most; ++count) {
    std::vector<Record> from(most + 8), to(most + 8);
    for (std::size_t i = 0; i < from.size(); ++i) {
      S numbers[words];
      for (int k = 0; k < words; ++k) numbers[k] = S(1000 * i + k + 1);
      std::memcpy(&from[i], numbers, sizeof(Record));
      from[i].id = IdOf<S>(i + 0x7f800001u);  // as a float this would be a signalling NaN
    }
    batch->load(from.data(), count);
    ASSERT_EQ(batch->count, count);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(batch->x(D - 1)[i], from[i].x[D - 1]);
      ASSERT_EQ(batch->F(1)[i], from[i].F[1]);
      ASSERT_EQ(batch->volume()[i], from[i].volume);
    }
    // up to the next whole pack the last particle is repeated
    const int lanes = Wide<S>::lanes;
    for (int i = count; i < (count + lanes - 1) / lanes * lanes; ++i) ASSERT_EQ(batch->mass()[i], from[count - 1].mass);
    batch->store(to.data());
    EXPECT_EQ(std::memcmp(from.data(), to.data(), count * sizeof(Record)), 0);
    const Record untouched = {};
    EXPECT_EQ(std::memcmp(&to[count], &untouched, sizeof(Record)), 0) << "wrote past the end";
  }
}

TEST(Batch, RoundTripKeepsEveryBit) {
  check_round_trip<2, float>();
  check_round_trip<2, double>();
  check_round_trip<3, float>();
  check_round_trip<3, double>();
}

}  // namespace
}  // namespace pliant
