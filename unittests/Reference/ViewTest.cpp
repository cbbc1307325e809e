//===- ViewTest.cpp - Tests of the interpreter's views --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

using namespace dml;
using namespace dml::reference;

namespace {

using ViewTest = ReferenceTest;

TEST_F(ViewTest, StridesTranspose) {
  EXPECT_EQ(getNumbers(interpretOp("dml.view %0 {strides = array<i64: 1, 3>} : "
                                   "(tensor<2x3xf32>) -> tensor<3x2xf32>",
                                   {makeIota(DataType::FLOAT32, {2, 3})})),
            (Numbers{1, 4, 2, 5, 3, 6}));
}

TEST_F(ViewTest, StridesOfZeroBroadcast) {
  EXPECT_EQ(getNumbers(interpretOp("dml.view %0 {strides = array<i64: 0, 1>, "
                                   "offset = 3 : i64} : (tensor<2x3xi8>) -> "
                                   "tensor<2x3xi8>",
                                   {makeIota(DataType::INT8, {2, 3})})),
            (Numbers{4, 5, 6, 4, 5, 6}));
}

/// Padded rows, as on DirectML's page on strides: the last column is left out.
TEST_F(ViewTest, LongStridesTakeAPart) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.view %0 {strides = array<i64: 8, 8, 4, 1>} : "
                             "(tensor<1x1x2x4xf32>) -> tensor<1x1x2x3xf32>",
                             {makeIota(DataType::FLOAT32, {1, 1, 2, 4})})),
      (Numbers{1, 2, 3, 5, 6, 7}));
}

TEST_F(ViewTest, SizesReinterpret) {
  EXPECT_EQ(getNumbers(interpretOp("dml.view %0 {strides = array<i64: 2, 1>} : "
                                   "(tensor<2x3xf16>) -> tensor<3x2xf16>",
                                   {makeIota(DataType::FLOAT16, {2, 3})})),
            (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(getNumbers(interpretOp("dml.view %0 {strides = array<i64: 1, 1>} : "
                                   "(tensor<2x2xui64>) -> tensor<3x2xui64>",
                                   {makeIota(DataType::UINT64, {2, 2})})),
            (Numbers{1, 2, 2, 3, 3, 4}));
}

TEST_F(ViewTest, EveryTypeMovesItsBits) {
  for (DataType type : allDataTypes) {
    Tensor input = makeIota(type, {3});
    Tensor output = interpretOp(
        "dml.view %0 {strides = array<i64: 1>, offset = 1 : i64} : (" +
            getTypeName(input) + ") -> " +
            getTypeName(*Tensor::create(type, {2})),
        {input});
    unsigned width = getByteWidth(type);
    EXPECT_EQ(std::string(output.getData(), output.getNumBytes()),
              std::string(input.getData() + width, 2 * width));
  }
}

} // namespace
