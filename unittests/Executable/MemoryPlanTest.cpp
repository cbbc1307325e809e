//===- MemoryPlanTest.cpp - Layout of the temporary arena -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace dml;

namespace {

constexpr uint64_t alignment = 256;

TEST(MemoryPlanTest, NothingTakesNoRoom) {
  std::vector<Allocation> none;
  EXPECT_EQ(planMemory(none, alignment), 0u);
}

TEST(MemoryPlanTest, BuffersOfAChainTakeTurns) {
  // Each is written by one step and read by the next: two are in use at a time.
  std::vector<Allocation> chain;
  for (unsigned step = 0; step < 10; ++step)
    chain.push_back({1000, step, step + 1});
  EXPECT_EQ(planMemory(chain, alignment), 2048u);
}

TEST(MemoryPlanTest, BuffersInUseTogetherLieApart) {
  std::vector<Allocation> together = {{100, 0, 3}, {300, 1, 2}, {256, 0, 3}};
  EXPECT_EQ(planMemory(together, alignment), 512u + 256u + 256u);
}

TEST(MemoryPlanTest, RandomPlansNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Allocation> allocations;
    uint64_t total = 0;
    for (unsigned i = 0, e = random() % 40; i < e; ++i) {
      unsigned first = random() % 20;
      allocations.push_back({random() % 5000 + 1, first,
                             first + static_cast<unsigned>(random() % 5)});
      total +=
          (allocations.back().size + alignment - 1) / alignment * alignment;
    }
    uint64_t arena = planMemory(allocations, alignment);
    EXPECT_LE(arena, total);
    EXPECT_EQ(arena % alignment, 0u);
    for (const Allocation &lhs : allocations) {
      EXPECT_EQ(lhs.offset % alignment, 0u);
      EXPECT_LE(lhs.offset + lhs.size, arena);
      for (const Allocation &rhs : allocations) {
        bool together = lhs.first <= rhs.last && rhs.first <= lhs.last;
        bool apart = lhs.offset + lhs.size <= rhs.offset ||
                     rhs.offset + rhs.size <= lhs.offset;
        EXPECT_TRUE(&lhs == &rhs || !together || apart);
      }
    }
  }
}

} // namespace
