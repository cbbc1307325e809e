//===- LayoutTest.cpp - Tests of sizes and strides ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/Layout.h"
#include "gtest/gtest.h"

using namespace dml;
using Numbers = llvm::SmallVector<int64_t>;

namespace {

TEST(LayoutTest, ExtentsCountGaps) {
  EXPECT_EQ(getExtent({2, 3}, {4, 1}), 7u);
  EXPECT_EQ(getExtent({2, 3}, {0, 0}), 1u);
  EXPECT_EQ(getExtent({1, 3}, {99, 2}), 5u);
  EXPECT_EQ(getExtent({}, {}), 1u);
  int64_t most = UINT32_MAX;
  EXPECT_EQ(getExtent({most, most}, {most, most}), UINT64_MAX);
}

TEST(LayoutTest, PackedStrides) {
  EXPECT_EQ(getPackedStrides({2, 3, 4}), (Numbers{12, 4, 1}));
  EXPECT_EQ(getPackedStrides({}), Numbers());
  EXPECT_TRUE(isPacked({2, 3}, {3, 1}));
  EXPECT_TRUE(isPacked({2, 1, 3}, {3, 0, 1}));
  EXPECT_TRUE(isPacked({}, {}));
  EXPECT_FALSE(isPacked({2, 3}, {4, 1}));
  EXPECT_FALSE(isPacked({2, 3}, {1, 2}));
  EXPECT_FALSE(isPacked({2}, {0}));
}

TEST(LayoutTest, NestedStridesShareNoPlace) {
  using Dims = llvm::SmallVector<unsigned>;
  EXPECT_EQ(getNestedDimensions({2, 3}, {3, 1}), (Dims{0, 1}));
  EXPECT_EQ(getNestedDimensions({2, 3}, {1, 2}), (Dims{1, 0}));
  EXPECT_EQ(getNestedDimensions({2, 1, 3}, {1, 0, 9}), (Dims{2, 0}));
  EXPECT_EQ(getNestedDimensions({1}, {0}), Dims{});
  EXPECT_EQ(getNestedDimensions({2, 3}, {2, 1}), std::nullopt);
  EXPECT_EQ(getNestedDimensions({2}, {0}), std::nullopt);
  EXPECT_EQ(getNestedDimensions({2, 2}, {1, 1}), std::nullopt);
}

/// In a view with an affine place, every element is where the strides state.
/// Views without an affine place have carries between coordinates.
TEST(LayoutTest, AffinePlacesAreThoseOfTheStrides) {
  Numbers packed = {2, 3, 4};
  unsigned affine = 0, carrying = 0;
  for (int64_t size0 = 1; size0 <= 3; ++size0)
    for (int64_t size1 = 1; size1 <= 4; ++size1)
      for (int64_t stride0 = 0; stride0 <= 12; ++stride0)
        for (int64_t stride1 = 0; stride1 <= 12; ++stride1)
          for (int64_t offset = 0; offset < 24; ++offset) {
            Numbers sizes = {size0, size1}, strides = {stride0, stride1};
            if (offset + getExtent(sizes, strides) > 24)
              continue;
            auto place = getAffinePlace(packed, sizes, strides, offset);
            (place ? affine : carrying) += 1;
            if (!place)
              continue;
            for (int64_t i = 0; i < size0; ++i)
              for (int64_t j = 0; j < size1; ++j) {
                int64_t found = 0;
                for (unsigned dim = 0; dim < packed.size(); ++dim) {
                  int64_t coordinate = place->offsets[dim] +
                                       i * place->factors[dim][0] +
                                       j * place->factors[dim][1];
                  ASSERT_LT(coordinate, packed[dim]);
                  found = found * packed[dim] + coordinate;
                }
                ASSERT_EQ(found, offset + i * stride0 + j * stride1);
              }
          }
  EXPECT_GT(affine, 1000u);
  EXPECT_GT(carrying, 1000u);
  // A transposition, a part, a broadcast; and rows that begin elsewhere.
  EXPECT_TRUE(getAffinePlace({3, 5}, {5, 3}, {1, 5}, 0));
  EXPECT_TRUE(getAffinePlace({3, 5}, {2, 2}, {5, 2}, 6));
  EXPECT_TRUE(getAffinePlace({1, 5}, {9, 5}, {0, 1}, 0));
  EXPECT_FALSE(getAffinePlace({3, 5}, {3, 3}, {4, 1}, 0));
  EXPECT_FALSE(getAffinePlace({3, 5}, {15}, {1}, 0));
}

} // namespace
