//===- SliceTest.cpp - Tests of the interpreter's slices
//----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

using namespace dml;
using namespace dml::reference;

namespace {

using SliceTest = ReferenceTest;

TEST_F(SliceTest, SliceExample1) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.slice %0 {"
                             "offsets = array<i64: 0, 0, 1, 2>, "
                             "sizes = array<i64: 1, 1, 3, 2>, "
                             "strides = array<i64: 1, 1, 1, 1>"
                             "} : (tensor<1x1x4x4xf32>) -> tensor<1x1x3x2xf32>",
                             {makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                                         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                          13, 14, 15, 16})})),
      (Numbers{7, 8, 11, 12, 15, 16}));
}

TEST_F(SliceTest, SliceExample2) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.slice %0 {"
                             "offsets = array<i64: 0, 0, 1, 0>, "
                             "sizes = array<i64: 1, 1, 2, 2>, "
                             "strides = array<i64: 1, 1, 2, 3>"
                             "} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>",
                             {makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                                         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                          13, 14, 15, 16})})),
      (Numbers{5, 8, 13, 16}));
}

TEST_F(SliceTest, Slice1Example1) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.slice1 %0 {"
                             "input_window_offsets = array<i64: 0, 0, 0, 1>, "
                             "input_window_sizes = array<i64: 1, 1, 4, 3>, "
                             "input_window_strides = array<i64: 1, 1, 2, 2>"
                             "} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>",
                             {makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                                         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                          13, 14, 15, 16})})),
      (Numbers{2, 4, 10, 12}));
}

TEST_F(SliceTest, Slice1Example2) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.slice1 %0 {"
                             "input_window_offsets = array<i64: 0, 0, 0, 1>, "
                             "input_window_sizes = array<i64: 1, 1, 4, 3>, "
                             "input_window_strides = array<i64: 1, 1, -2, 2>"
                             "} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>",
                             {makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                                         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                          13, 14, 15, 16})})),
      (Numbers{14, 16, 6, 8}));
}

TEST_F(SliceTest, SliceGradExample1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.slice_grad %0 {"
                "input_window_offsets = array<i64: 0, 0, 0, 0>, "
                "input_window_sizes = array<i64: 1, 1, 4, 4>, "
                "input_window_strides = array<i64: 1, 1, 2, 2>"
                "} : (tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32>",
                {makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {1, 3, 9, 11})})),
            (Numbers{1, 0, 3, 0, 0, 0, 0, 0, 9, 0, 11, 0, 0, 0, 0, 0}));
}

/// The bits of elements arrive as they are, whatever the type.
TEST_F(SliceTest, EveryTypeMovesItsBits) {
  for (DataType type : allDataTypes) {
    Tensor input = makeIota(type, {3});
    for (size_t i = 0; i < input.getNumBytes(); ++i)
      input.getData()[i] = static_cast<char>(0xf3 + 7 * i);
    std::string name = getTypeName(input);
    Tensor output =
        interpretOp("dml.slice1 %0 {input_window_offsets = array<i64: 0>, "
                    "input_window_sizes = array<i64: 3>, "
                    "input_window_strides = array<i64: 1>} : (" +
                        name + ") -> " + name,
                    {input});
    EXPECT_EQ(std::string(output.getData(), output.getNumBytes()),
              std::string(input.getData(), input.getNumBytes()));
  }
}

/// The output may have fewer elements than the steps reach in the window. A
/// negative stride begins at the end of the window.
TEST_F(SliceTest, FewerElementsThanTheStepsReach) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.slice1 %0 {input_window_offsets = array<i64: 1>, "
                "input_window_sizes = array<i64: 6>, "
                "input_window_strides = array<i64: -2>} "
                ": (tensor<8xi32>) -> tensor<2xi32>",
                {makeIota(DataType::INT32, {8})})),
            (Numbers{7, 5}));
}

TEST_F(SliceTest, RankEight) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.slice %0 {offsets = array<i64: 0, 1, 0, 0, 0, 0, 0, 1>, "
                "sizes = array<i64: 1, 1, 1, 1, 1, 1, 1, 2>, "
                "strides = array<i64: 1, 1, 1, 1, 1, 1, 1, 2>} "
                ": (tensor<1x2x1x1x1x1x1x4xui8>) -> "
                "tensor<1x1x1x1x1x1x1x2xui8>",
                {makeIota(DataType::UINT8, {1, 2, 1, 1, 1, 1, 1, 4})})),
            (Numbers{6, 8}));
}

} // namespace
