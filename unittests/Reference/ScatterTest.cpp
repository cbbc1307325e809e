//===- ScatterTest.cpp - Tests of the interpreter's scatters
//------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

using namespace dml;
using namespace dml::reference;

namespace {

using ScatterTest = ReferenceTest;

TEST_F(ScatterTest, ScatterElementsExample1) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.scatter_elements %0, %1, %2 {"
          "axis = 0 : i64"
          "} : (tensor<5xf32>, tensor<4xui32>, tensor<4xf32>) -> tensor<5xf32>",
          {makeTensor(DataType::FLOAT32, {5}, {0, 1, 2, 3, 4}),
           makeTensor(DataType::UINT32, {4}, {3, 1, 3, 0}),
           makeTensor(DataType::FLOAT32, {4}, {5, 6, 7, 8})})),
      (Numbers{8, 6, 2, 7, 4}));
}

TEST_F(ScatterTest, ScatterElementsExample2) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.scatter_elements %0, %1, %2 {"
          "axis = 0 : i64"
          "} : (tensor<3x3xf32>, tensor<2x3xui32>, tensor<2x3xf32>) -> "
          "tensor<3x3xf32>",
          {makeTensor(DataType::FLOAT32, {3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}),
           makeTensor(DataType::UINT32, {2, 3}, {1, 0, 2, 0, 2, 1}),
           makeTensor(DataType::FLOAT32, {2, 3}, {10, 11, 12, 20, 21, 22})})),
      (Numbers{20, 11, 0, 10, 0, 22, 0, 21, 12}));
}

TEST_F(ScatterTest, ScatterElementsExample3) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.scatter_elements %0, %1, %2 {"
                "axis = 1 : i64"
                "} : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2x1xf32>) -> "
                "tensor<2x3xf32>",
                {makeTensor(DataType::FLOAT32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                 makeTensor(DataType::INT32, {2, 1}, {-1, 0}),
                 makeTensor(DataType::FLOAT32, {2, 1}, {9, 8})})),
            (Numbers{1, 2, 9, 8, 5, 6}));
}

TEST_F(ScatterTest, ScatterNdExample1) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.scatter_nd %0, %1, %2 {"
          "input_dimension_count = 1 : i64, "
          "indices_dimension_count = 2 : i64"
          "} : (tensor<1x8xf32>, tensor<4x1xui32>, tensor<1x4xf32>) -> "
          "tensor<1x8xf32>",
          {makeTensor(DataType::FLOAT32, {1, 8}, {1, 2, 3, 4, 5, 6, 7, 8}),
           makeTensor(DataType::UINT32, {4, 1}, {4, 3, 1, 7}),
           makeTensor(DataType::FLOAT32, {1, 4}, {9, 10, 11, 12})})),
      (Numbers{1, 11, 3, 10, 9, 6, 7, 12}));
}

TEST_F(ScatterTest, ScatterNdExample2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.scatter_nd %0, %1, %2 {"
                "input_dimension_count = 2 : i64, "
                "indices_dimension_count = 2 : i64"
                "} : (tensor<3x2xf32>, tensor<2x1xi32>, tensor<2x2xf32>) -> "
                "tensor<3x2xf32>",
                {makeTensor(DataType::FLOAT32, {3, 2}, {1, 2, 3, 4, 5, 6}),
                 makeTensor(DataType::INT32, {2, 1}, {2, -3}),
                 makeTensor(DataType::FLOAT32, {2, 2}, {7, 8, 9, 10})})),
            (Numbers{9, 10, 3, 4, 7, 8}));
}

/// The bits of elements arrive as they are, whatever the type.
TEST_F(ScatterTest, EveryTypeMovesItsBits) {
  for (DataType type : allDataTypes) {
    Tensor input = makeIota(type, {3});
    for (size_t i = 0; i < input.getNumBytes(); ++i)
      input.getData()[i] = static_cast<char>(0xf3 + 7 * i);
    std::string name = getTypeName(input);
    Tensor output = interpretOp(
        "dml.scatter_elements %0, %1, %2 {axis = 0 : i64} : (" + name +
            ", tensor<3xui32>, " + name + ") -> " + name,
        {input, makeTensor(DataType::UINT32, {3}, {3, 4, 5}), input});
    EXPECT_EQ(std::string(output.getData(), output.getNumBytes()),
              std::string(input.getData(), input.getNumBytes()));
  }
}

/// An index that is out of range writes nothing.
TEST_F(ScatterTest, InvalidIndicesAreDropped) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.scatter_elements %0, %1, %2 {axis = 0 : i64} "
                ": (tensor<3xf32>, tensor<4xi64>, tensor<4xf32>) -> "
                "tensor<3xf32>",
                {makeIota(DataType::FLOAT32, {3}),
                 makeFromElements<int64_t>(DataType::INT64, {4},
                                           {3, -4, 1ll << 32, -1}),
                 makeTensor(DataType::FLOAT32, {4}, {7, 8, 9, 10})})),
            (Numbers{1, 2, 10}));
}

/// The last of several writes to one element wins.
TEST_F(ScatterTest, TheLastWriteWins) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.scatter_nd %0, %1, %2 {input_dimension_count = 2 : i64, "
                "indices_dimension_count = 2 : i64} "
                ": (tensor<2x2xi8>, tensor<3x1xi32>, tensor<3x2xi8>) -> "
                "tensor<2x2xi8>",
                {makeIota(DataType::INT8, {2, 2}),
                 makeTensor(DataType::INT32, {3, 1}, {1, 0, -1}),
                 makeTensor(DataType::INT8, {3, 2}, {5, 6, 7, 8, 9, 10})})),
            (Numbers{7, 8, 9, 10}));
}

} // namespace
