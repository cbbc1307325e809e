//===- HazardTrackerTest.cpp - Where barriers are due ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HazardTracker.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace dml;
using executable::BufferKind;
using executable::BufferRange;

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

} // namespace
