#include "bodies/mujoco_log.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <filesystem>
#include <thread>

namespace pliant::test {

using namespace bodies;

namespace {

TEST(mujoco_log, an_error_becomes_a_text_and_the_call_is_left) {
  MujocoLog log;
  bool after = false;
  EXPECT_FALSE(log.run([&] {
    mju_error("no %s with %d legs", "table", 3);
    after = true;
  }));
  EXPECT_FALSE(after);
  EXPECT_EQ(log.error(), "no table with 3 legs");
  EXPECT_TRUE(log.run([] {}));
  EXPECT_EQ(log.error(), "");
}

TEST(mujoco_log, warnings_are_kept_until_taken) {
  MujocoLog log;
  EXPECT_TRUE(log.run([] {
    mju_warning("first");
    mju_warning("second\n");
  }));
  EXPECT_EQ(log.take_warnings(), (std::vector<std::string>{"first", "second"}));
  EXPECT_TRUE(log.take_warnings().empty());
}

int heard = 0;
void others_handler(const mjLogMessage*) { ++heard; }

// MuJoCo's Python bindings and its viewer live in the same process
TEST(mujoco_log, the_handler_of_others_is_put_back) {
  const mjfLogHandler before = mju_setLogHandler(others_handler);
  heard = 0;
  MujocoLog log;
  log.run([] { mju_warning("for us"); });
  log.run([] { mju_error("for us"); });
  EXPECT_EQ(heard, 0);
  mju_warning("for them");
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(mju_setLogHandler(before), others_handler);
}

TEST(mujoco_log, calls_nest) {
  MujocoLog outer, inner;
  bool inner_ok = true;
  EXPECT_FALSE(outer.run([&] {
    inner_ok = inner.run([] { mju_error("inner"); });
    mju_warning("still here");
    mju_error("outer");
  }));
  EXPECT_FALSE(inner_ok);
  EXPECT_EQ(inner.error(), "inner");
  EXPECT_EQ(outer.error(), "outer");
  EXPECT_EQ(outer.take_warnings().size(), 1u);
}

TEST(mujoco_log, threads_do_not_hear_each_other) {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &good] {
      MujocoLog log;
      for (int i = 0; i < 200; ++i) {
        const int number = 1000 * t + i;
        const bool ok = log.run([&] {
          mju_warning("warning %d", number);
          mju_error("error %d", number);
        });
        good[std::size_t(t)] += !ok && log.error() == "error " + std::to_string(number) &&
                                log.take_warnings() == std::vector<std::string>{"warning " + std::to_string(number)};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int g : good) EXPECT_EQ(g, 200);
}

TEST(mujoco_log, writes_no_log_file) {
  const std::filesystem::path file = "MUJOCO_LOG.TXT";
  std::filesystem::remove(file);
  MujocoLog log;
  log.run([] { mju_warning("quiet"); });
  log.run([] { mju_error("quiet"); });
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace pliant::test
