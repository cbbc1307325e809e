//===- GatherTest.cpp - Tests of the interpreter's gathers
//--------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

using namespace dml;
using namespace dml::reference;

namespace {

using GatherTest = ReferenceTest;

TEST_F(GatherTest, GatherExample1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather %0, %1 {"
                "axis = 0 : i64, "
                "index_dimensions = 1 : i64"
                "} : (tensor<4xf32>, tensor<5xui32>) -> tensor<5xf32>",
                {makeTensor(DataType::FLOAT32, {4}, {11, 12, 13, 14}),
                 makeTensor(DataType::UINT32, {5}, {3, 1, 3, 0, 2})})),
            (Numbers{14, 12, 14, 11, 13}));
}

TEST_F(GatherTest, GatherExample2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather %0, %1 {"
                "axis = 0 : i64, "
                "index_dimensions = 1 : i64"
                "} : (tensor<3x2xf32>, tensor<1x4xui32>) -> tensor<4x2xf32>",
                {makeTensor(DataType::FLOAT32, {3, 2}, {1, 2, 3, 4, 5, 6}),
                 makeTensor(DataType::UINT32, {1, 4}, {0, 1, 1, 2})})),
            (Numbers{1, 2, 3, 4, 3, 4, 5, 6}));
}

TEST_F(GatherTest, GatherExample3) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather %0, %1 {"
                "axis = 1 : i64, "
                "index_dimensions = 1 : i64"
                "} : (tensor<3x2xf32>, tensor<1x2xui32>) -> tensor<3x2xf32>",
                {makeTensor(DataType::FLOAT32, {3, 2}, {1, 2, 3, 4, 5, 6}),
                 makeTensor(DataType::UINT32, {1, 2}, {1, 0})})),
            (Numbers{2, 1, 4, 3, 6, 5}));
}

TEST_F(GatherTest, GatherExample4) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.gather %0, %1 {"
          "axis = 2 : i64, "
          "index_dimensions = 2 : i64"
          "} : (tensor<1x3x3xf32>, tensor<1x1x2xui32>) -> tensor<3x1x2xf32>",
          {makeTensor(DataType::FLOAT32, {1, 3, 3},
                      {1, 2, 3, 4, 5, 6, 7, 8, 9}),
           makeTensor(DataType::UINT32, {1, 1, 2}, {0, 2})})),
      (Numbers{1, 3, 4, 6, 7, 9}));
}

TEST_F(GatherTest, GatherExample5) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.gather %0, %1 {"
          "axis = 1 : i64, "
          "index_dimensions = 2 : i64"
          "} : (tensor<1x3x2xf32>, tensor<1x2x2xui32>) -> tensor<2x2x2xf32>",
          {makeTensor(DataType::FLOAT32, {1, 3, 2}, {1, 2, 3, 4, 5, 6}),
           makeTensor(DataType::UINT32, {1, 2, 2}, {0, 1, 1, 2})})),
      (Numbers{1, 2, 3, 4, 3, 4, 5, 6}));
}

TEST_F(GatherTest, GatherExample6) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather %0, %1 {"
                "axis = 0 : i64, "
                "index_dimensions = 0 : i64"
                "} : (tensor<3x2xf32>, tensor<1x1xui32>) -> tensor<1x2xf32>",
                {makeTensor(DataType::FLOAT32, {3, 2}, {1, 2, 3, 4, 5, 6}),
                 makeTensor(DataType::UINT32, {1, 1}, {2})})),
            (Numbers{5, 6}));
}

TEST_F(GatherTest, GatherExample7) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.gather %0, %1 {"
          "axis = 2 : i64, "
          "index_dimensions = 0 : i64"
          "} : (tensor<2x2x3xf32>, tensor<1x1x1xi32>) -> tensor<1x2x2xf32>",
          {makeTensor(DataType::FLOAT32, {2, 2, 3},
                      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
           makeTensor(DataType::INT32, {1, 1, 1}, {-1})})),
      (Numbers{3, 6, 9, 12}));
}

TEST_F(GatherTest, GatherElementsExample1) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.gather_elements %0, %1 {"
          "axis = 0 : i64"
          "} : (tensor<3x3xf32>, tensor<2x3xui32>) -> tensor<2x3xf32>",
          {makeTensor(DataType::FLOAT32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
           makeTensor(DataType::UINT32, {2, 3}, {1, 2, 0, 2, 0, 0})})),
      (Numbers{4, 8, 3, 7, 2, 3}));
}

TEST_F(GatherTest, GatherElementsExample2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather_elements %0, %1 {"
                "axis = 1 : i64"
                "} : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>",
                {makeTensor(DataType::FLOAT32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                 makeTensor(DataType::INT32, {2, 2}, {-1, 0, 1, -3})})),
            (Numbers{3, 1, 5, 4}));
}

TEST_F(GatherTest, GatherNdExample1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather_nd %0, %1 {"
                "input_dimension_count = 2 : i64, "
                "indices_dimension_count = 2 : i64"
                "} : (tensor<2x2xf32>, tensor<2x1xui32>) -> tensor<2x2xf32>",
                {makeTensor(DataType::FLOAT32, {2, 2}, {0, 1, 2, 3}),
                 makeTensor(DataType::UINT32, {2, 1}, {1, 0})})),
            (Numbers{2, 3, 0, 1}));
}

TEST_F(GatherTest, GatherNdExample2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather_nd %0, %1 {"
                "input_dimension_count = 3 : i64, "
                "indices_dimension_count = 2 : i64"
                "} : (tensor<1x2x2x2xf32>, tensor<1x1x2x2xui32>) -> "
                "tensor<1x1x2x2xf32>",
                {makeTensor(DataType::FLOAT32, {1, 2, 2, 2},
                            {0, 1, 2, 3, 4, 5, 6, 7}),
                 makeTensor(DataType::UINT32, {1, 1, 2, 2}, {0, 1, 1, 0})})),
            (Numbers{2, 3, 4, 5}));
}

TEST_F(GatherTest, GatherNdExample3) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.gather_nd %0, %1 {"
          "input_dimension_count = 3 : i64, "
          "indices_dimension_count = 2 : i64"
          "} : (tensor<2x2x2xf32>, tensor<1x3x1xi32>) -> tensor<3x2x2xf32>",
          {makeTensor(DataType::FLOAT32, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
           makeTensor(DataType::INT32, {1, 3, 1}, {1, -1, 0})})),
      (Numbers{5, 6, 7, 8, 5, 6, 7, 8, 1, 2, 3, 4}));
}

TEST_F(GatherTest, GatherNd1Example1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather_nd1 %0, %1 {"
                "input_dimension_count = 2 : i64, "
                "indices_dimension_count = 2 : i64, "
                "batch_dimension_count = 0 : i64"
                "} : (tensor<2x2xf32>, tensor<2x1xui32>) -> tensor<2x2xf32>",
                {makeTensor(DataType::FLOAT32, {2, 2}, {0, 1, 2, 3}),
                 makeTensor(DataType::UINT32, {2, 1}, {1, 0})})),
            (Numbers{2, 3, 0, 1}));
}

TEST_F(GatherTest, GatherNd1Example2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather_nd1 %0, %1 {"
                "input_dimension_count = 3 : i64, "
                "indices_dimension_count = 3 : i64, "
                "batch_dimension_count = 1 : i64"
                "} : (tensor<1x3x2x2xf32>, tensor<1x3x2x2xui32>) -> "
                "tensor<1x1x3x2xf32>",
                {makeTensor(DataType::FLOAT32, {1, 3, 2, 2},
                            {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                 makeTensor(DataType::UINT32, {1, 3, 2, 2},
                            {0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0})})),
            (Numbers{0, 3, 7, 4, 9, 10}));
}

TEST_F(GatherTest, GatherNd1Example3) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.gather_nd1 %0, %1 {"
          "input_dimension_count = 3 : i64, "
          "indices_dimension_count = 2 : i64, "
          "batch_dimension_count = 1 : i64"
          "} : (tensor<2x2x2xf32>, tensor<1x2x1xui32>) -> tensor<1x2x2xf32>",
          {makeTensor(DataType::FLOAT32, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
           makeTensor(DataType::UINT32, {1, 2, 1}, {1, 0})})),
      (Numbers{3, 4, 5, 6}));
}

TEST_F(GatherTest, OneHotExample1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.one_hot %0, %1 {"
                "axis = 3 : i64"
                "} : (tensor<1x1x3x1xui32>, tensor<1x1x1x2xf32>) -> "
                "tensor<1x1x3x4xf32>",
                {makeTensor(DataType::UINT32, {1, 1, 3, 1}, {0, 3, 2}),
                 makeTensor(DataType::FLOAT32, {1, 1, 1, 2}, {0, 1})})),
            (Numbers{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0}));
}

TEST_F(GatherTest, OneHotExample2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.one_hot %0, %1 {"
                "axis = 2 : i64"
                "} : (tensor<1x1x1x4xui32>, tensor<1x1x1x2xf32>) -> "
                "tensor<1x1x3x4xf32>",
                {makeTensor(DataType::UINT32, {1, 1, 1, 4}, {0, 2, 1, 0}),
                 makeTensor(DataType::FLOAT32, {1, 1, 1, 2}, {0, 1})})),
            (Numbers{1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0}));
}

TEST_F(GatherTest, OneHotExample3) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.one_hot %0, %1 {"
                "axis = 3 : i64"
                "} : (tensor<1x1x3x1xui32>, tensor<1x1x3x1xf32>) -> "
                "tensor<1x1x3x4xf32>",
                {makeTensor(DataType::UINT32, {1, 1, 3, 1}, {0, 3, 2}),
                 makeTensor(DataType::FLOAT32, {1, 1, 3, 1}, {4, 2, 9})})),
            (Numbers{2, 4, 4, 4, 4, 4, 4, 2, 4, 4, 2, 4}));
}

TEST_F(GatherTest, OneHotExample4) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.one_hot %0, %1 {"
                "axis = 3 : i64"
                "} : (tensor<1x1x3x1xi32>, tensor<1x1x1x2xf32>) -> "
                "tensor<1x1x3x4xf32>",
                {makeTensor(DataType::INT32, {1, 1, 3, 1}, {-3, 100, 3}),
                 makeTensor(DataType::FLOAT32, {1, 1, 1, 2}, {0, 1})})),
            (Numbers{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST_F(GatherTest, OneHotExample5) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.one_hot %0, %1 {"
                "axis = 1 : i64"
                "} : (tensor<3x1xi32>, tensor<1x2xf32>) -> tensor<3x4xf32>",
                {makeTensor(DataType::INT32, {3, 1}, {4, -5, -4}),
                 makeTensor(DataType::FLOAT32, {1, 2}, {0, 1})})),
            (Numbers{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
}

/// The bits of elements arrive as they are, whatever the type.
TEST_F(GatherTest, EveryTypeMovesItsBits) {
  for (DataType type : allDataTypes) {
    Tensor input = makeIota(type, {3});
    for (size_t i = 0; i < input.getNumBytes(); ++i)
      input.getData()[i] = static_cast<char>(0xf3 + 7 * i);
    std::string name = getTypeName(input);
    Tensor output =
        interpretOp("dml.gather_elements %0, %1 {axis = 0 : i64} : (" + name +
                        ", tensor<3xui32>) -> " + name,
                    {input, makeTensor(DataType::UINT32, {3}, {0, 1, 2})});
    EXPECT_EQ(std::string(output.getData(), output.getNumBytes()),
              std::string(input.getData(), input.getNumBytes()));
  }
}

/// Indices that are out of range are moved to the nearest valid one.
TEST_F(GatherTest, IndicesAreClamped) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.gather %0, %1 {axis = 0 : i64, index_dimensions = 1 : i64} "
          ": (tensor<3xf32>, tensor<6xi64>) -> tensor<6xf32>",
          {makeIota(DataType::FLOAT32, {3}),
           makeFromElements<int64_t>(
               DataType::INT64, {6},
               {3, -3, -4, 1ll << 32, -(1ll << 32) - 1, 1})})),
      (Numbers{3, 1, 1, 3, 1, 2}));
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.gather_nd %0, %1 {input_dimension_count = 1 : i64, "
                "indices_dimension_count = 2 : i64} "
                ": (tensor<1x3xf32>, tensor<2x1xui64>) -> tensor<1x2xf32>",
                {makeIota(DataType::FLOAT32, {1, 3}),
                 makeFromElements<uint64_t>(DataType::UINT64, {2, 1},
                                            {0xffffffffffffffff, 1})})),
            (Numbers{3, 2}));
}

} // namespace
