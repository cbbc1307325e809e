//===- MemoryPlanTest.cpp - Layout of the temporary arena -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"
#include "gtest/gtest.h"
#include <algorithm>
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

/// Plans memory by comparing each allocation with all others: each gets the
/// lowest offset that the allocations before it leave free.
uint64_t planSlowly(std::vector<Allocation> &allocations) {
  std::vector<Allocation *> bySize;
  for (Allocation &allocation : allocations)
    bySize.push_back(&allocation);
  std::stable_sort(bySize.begin(), bySize.end(),
                   [](const Allocation *lhs, const Allocation *rhs) {
                     return lhs->size > rhs->size;
                   });
  uint64_t arena = 0;
  for (size_t i = 0; i < bySize.size(); ++i) {
    Allocation &allocation = *bySize[i];
    allocation.offset = 0;
    for (size_t j = 0; j < i; ++j) {
      const Allocation &other = *bySize[j];
      bool together =
          other.first <= allocation.last && allocation.first <= other.last;
      if (!together || other.size == 0 || allocation.size == 0 ||
          allocation.offset + allocation.size <= other.offset ||
          other.offset + other.size <= allocation.offset)
        continue;
      allocation.offset =
          (other.offset + other.size + alignment - 1) / alignment * alignment;
      j = SIZE_MAX; // From the first again.
    }
    uint64_t end = allocation.offset + allocation.size;
    arena = std::max(arena, (end + alignment - 1) / alignment * alignment);
  }
  return arena;
}

TEST(MemoryPlanTest, RandomPlansAreThoseOfTheSlowWay) {
  std::mt19937 random(13);
  for (int round = 0; round < 300; ++round) {
    std::vector<Allocation> allocations;
    unsigned steps = 1 + random() % 70, longest = 1 + random() % steps;
    for (unsigned i = 0, e = random() % 80; i < e; ++i) {
      unsigned first = random() % steps;
      allocations.push_back(
          {random() % 8 ? random() % 3000 : 0, first,
           first + static_cast<unsigned>(random() % longest)});
    }
    std::vector<Allocation> expected = allocations;
    EXPECT_EQ(planMemory(allocations, alignment), planSlowly(expected));
    for (size_t i = 0; i < allocations.size(); ++i)
      EXPECT_EQ(allocations[i].offset, expected[i].offset);
  }
}

TEST(MemoryPlanTest, NothingReachesOverABlockThatFitsOne) {
  EXPECT_EQ(getOffsetInBlock(800, 200, 1000), 800u);
  EXPECT_EQ(getOffsetInBlock(800, 300, 1000), 1000u);
  EXPECT_EQ(getOffsetInBlock(800, 1500, 1000), 1000u);
  EXPECT_EQ(getOffsetInBlock(0, 1500, 1000), 0u);
  constexpr uint64_t block = 4096;
  std::mt19937 random(17);
  for (int round = 0; round < 100; ++round) {
    std::vector<Allocation> allocations;
    for (unsigned i = 0, e = random() % 40; i < e; ++i) {
      unsigned first = random() % 20;
      allocations.push_back({random() % 6000 + 1, first,
                             first + static_cast<unsigned>(random() % 5)});
    }
    uint64_t arena = planMemory(allocations, alignment, block);
    for (const Allocation &lhs : allocations) {
      EXPECT_LE(lhs.offset + lhs.size, arena);
      bool isWithin = lhs.offset / block == (lhs.offset + lhs.size - 1) / block;
      EXPECT_TRUE(isWithin || (lhs.size > block && lhs.offset % block == 0));
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
