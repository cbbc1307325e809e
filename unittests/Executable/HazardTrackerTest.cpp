//===- HazardTrackerTest.cpp - Where barriers are due ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HazardTracker.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace dml;
using executable::BufferKind;
using executable::BufferRange;
using llvm::SmallVector;

namespace {

Access getAccess(BufferKind kind, uint64_t offset, int64_t size, bool reads,
                 bool writes) {
  return {BufferRange(kind, 0, offset, size), Strip{0, size, size, 1}, reads,
          writes};
}

TEST(HazardTrackerTest, WritersWaitAndReadersDoNot) {
  HazardTracker hazards;
  Access read = getAccess(BufferKind::Temporary, 256, 64, true, false);
  Access write = getAccess(BufferKind::Temporary, 300, 4, false, true);
  Access beside = getAccess(BufferKind::Temporary, 320, 4, false, true);
  Access elsewhere = getAccess(BufferKind::Output, 300, 4, false, true);
  EXPECT_FALSE(hazards.add({read}));
  EXPECT_FALSE(hazards.add({read}));
  EXPECT_FALSE(hazards.add({beside}));
  EXPECT_FALSE(hazards.add({elsewhere}));
  EXPECT_TRUE(hazards.add({write}));
  // What came before the barrier is forgotten.
  EXPECT_FALSE(hazards.add({beside}));
  EXPECT_TRUE(hazards.add({read}));
}

TEST(HazardTrackerTest, RowsOfAConcatenationLieApart) {
  HazardTracker hazards;
  BufferRange range(BufferKind::Temporary, 0, 0, 64);
  EXPECT_FALSE(hazards.add({{range, Strip{0, 8, 16, 4}, false, true}}));
  EXPECT_FALSE(hazards.add({{range, Strip{8, 8, 16, 4}, false, true}}));
  EXPECT_TRUE(hazards.add({{range, Strip{12, 4, 16, 4}, true, false}}));
}

/// Each access compared with each.
bool mustWait(std::vector<Access> &pending, const std::vector<Access> &next) {
  bool hazard = false;
  for (const Access &access : next)
    for (const Access &earlier : pending)
      hazard |= (access.writes || earlier.writes) && access.overlaps(earlier);
  if (hazard)
    pending.clear();
  pending.insert(pending.end(), next.begin(), next.end());
  return hazard;
}

TEST(HazardTrackerTest, RandomStepsWaitAsIfAllWereCompared) {
  std::mt19937 random(11);
  int barriers = 0, steps = 0;
  for (int round = 0; round < 100; ++round) {
    HazardTracker hazards;
    std::vector<Access> pending;
    for (int step = 0; step < 60; ++step, ++steps) {
      std::vector<Access> next;
      for (unsigned i = 0, e = 1 + random() % 3; i < e; ++i) {
        BufferRange range(
            random() % 4 ? BufferKind::Temporary : BufferKind::Output,
            random() % 2, random() % 64 * 256, int64_t{1} << random() % 12);
        auto size = static_cast<int64_t>(range.size());
        Strip extent = {0, size, size, 1};
        if (size >= 64 && random() % 2)
          extent = {static_cast<int64_t>(random() % 4 * (size / 16)), size / 16,
                    size / 4, 4};
        unsigned kind = random() % 8;
        next.push_back({range, extent, kind<7, kind> 5});
      }
      bool hazard = hazards.add(next);
      EXPECT_EQ(hazard, mustWait(pending, next));
      barriers += hazard;
    }
  }
  // Both outcomes are there to compare.
  EXPECT_GT(barriers, steps / 20);
  EXPECT_LT(barriers, steps / 2);
}

LoopAccess getLoopAccess(uint64_t offset, int64_t size, bool writes,
                         int64_t stride, uint32_t period = 0) {
  return {getAccess(BufferKind::Temporary, offset, size, !writes, writes),
          stride, period};
}

// An iteration of a recurrent network reads a row of the products, and the row
// of the sequence that the iteration before has written.
TEST(HazardTrackerTest, IterationsWaitForTheStateAlone) {
  LoopAccess row = getLoopAccess(0, 256, false, 256);
  LoopAccess before = getLoopAccess(1 << 20, 256, false, 256);
  LoopAccess after = getLoopAccess((1 << 20) + 256, 256, true, 256);
  LoopAccess gates = getLoopAccess(1 << 21, 1024, true, 0);
  LoopAccess readGates = getLoopAccess(1 << 21, 1024, false, 0);
  HazardTracker hazards;
  EXPECT_FALSE(
      hazards.add({getAccess(BufferKind::Temporary, 0, 1 << 20, false, true)}));
  EXPECT_EQ(hazards.addLoop({{row, before, gates}, {readGates, after}}, 4096),
            (std::vector<bool>{true, true}));
  // The last row that was written.
  Access last = getAccess(BufferKind::Temporary, (1 << 20) + 256 * 4096, 256,
                          true, false);
  EXPECT_TRUE(hazards.add({last}));

  // Two halves in turn.
  LoopAccess half = getLoopAccess(0, 64, false, 256, 2);
  LoopAccess otherHalf = getLoopAccess(256, 64, true, -256, 2);
  EXPECT_EQ(HazardTracker().addLoop({{half, otherHalf}}, 100),
            std::vector<bool>{true});
  // Rows that nothing else touches.
  LoopAccess written = getLoopAccess(1 << 20, 256, true, 256);
  EXPECT_EQ(HazardTracker().addLoop({{row, written}}, 100),
            std::vector<bool>{false});
  // One row is written from the first on and read from the last on: they meet
  // in the middle, and in the halves of 100 iterations each row twice.
  LoopAccess backward = getLoopAccess(256 * 99, 256, false, -256);
  LoopAccess forward = getLoopAccess(0, 256, true, 256);
  EXPECT_EQ(HazardTracker().addLoop({{backward}, {forward}}, 100),
            (std::vector<bool>{true, true}));
  // What is written is read only seven iterations later.
  LoopAccess later = getLoopAccess(256 * 7, 256, true, 256);
  EXPECT_EQ(HazardTracker().addLoop({{row}, {later}}, 100),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(HazardTracker().addLoop({{row, later}}, 1),
            std::vector<bool>{false});
}

// Whatever the loop, a barrier stands between each two accesses that must wait
// for each other, in all iterations, before and behind the loop.
TEST(HazardTrackerTest, RandomLoopsWaitAsIfAllWereCompared) {
  std::mt19937 random(12);
  int barriers = 0, steps = 0;
  auto draw = [&] {
    int64_t stride = random() % 2 ? 0 : (int64_t(random() % 5) - 2) * 256;
    uint32_t period = stride != 0 && random() % 3 == 0 ? 2 + random() % 2 : 0;
    return getLoopAccess(256 * (40 + random() % 40), 256 << random() % 2,
                         random() % 3 == 0, stride, period);
  };
  for (int round = 0; round < 2000; ++round) {
    uint64_t count = 1 + random() % 12;
    std::vector<SmallVector<LoopAccess>> body(1 + random() % 3);
    for (auto &step : body)
      for (unsigned i = 0, e = 1 + random() % 3; i < e; ++i)
        step.push_back(draw());
    SmallVector<Access> before{draw().first}, behind{draw().first};

    HazardTracker hazards;
    std::vector<Access> pending;
    hazards.add(before);
    mustWait(pending, {before[0]});
    std::vector<bool> flags = hazards.addLoop(body, count);
    auto run = [&](const std::vector<Access> &accesses, bool barrier) {
      if (barrier)
        pending.clear();
      EXPECT_FALSE(mustWait(pending, accesses)) << "round " << round;
    };
    for (uint64_t iteration = 0; iteration < count; ++iteration)
      for (auto [step, flag] : llvm::zip_equal(body, flags)) {
        std::vector<Access> accesses;
        for (const LoopAccess &access : step)
          accesses.push_back(access.at(iteration));
        run(accesses, flag);
        barriers += flag;
        ++steps;
      }
    run({behind[0]}, hazards.add(behind));
  }
  EXPECT_GT(barriers, steps / 10);
  EXPECT_LT(barriers, steps * 9 / 10);
}

} // namespace
