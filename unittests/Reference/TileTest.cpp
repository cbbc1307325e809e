//===- TileTest.cpp - Tests of the interpreter's tile ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

using namespace dml;
using namespace dml::reference;

namespace {

using TileTest = ReferenceTest;

TEST_F(TileTest, ThePagesExample) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.tile %0 {repeats = array<i64: 1, 1, 3, 3>} "
                             ": (tensor<1x1x2x3xf32>) -> tensor<1x1x6x9xf32>",
                             {makeIota(DataType::FLOAT32, {1, 1, 2, 3})})),
      (Numbers{1, 2, 3, 1, 2, 3, 1, 2, 3, //
               4, 5, 6, 4, 5, 6, 4, 5, 6, //
               1, 2, 3, 1, 2, 3, 1, 2, 3, //
               4, 5, 6, 4, 5, 6, 4, 5, 6, //
               1, 2, 3, 1, 2, 3, 1, 2, 3, //
               4, 5, 6, 4, 5, 6, 4, 5, 6}));
}

TEST_F(TileTest, EveryTypeMovesItsBits) {
  for (DataType type : allDataTypes) {
    if (type == DataType::FLOAT64) // No level has it.
      continue;
    Tensor input = makeIota(type, {2});
    for (size_t i = 0; i < input.getNumBytes(); ++i)
      input.getData()[i] = static_cast<char>(0xf3 + 7 * i);
    std::string from = getTypeName(input);
    Tensor output =
        interpretOp("dml.tile %0 {repeats = array<i64: 3>} : (" + from +
                        ") -> " + getTypeName(*Tensor::create(type, {6})),
                    {input});
    std::string wanted(input.getData(), input.getNumBytes());
    EXPECT_EQ(std::string(output.getData(), output.getNumBytes()),
              wanted + wanted + wanted);
  }
}

TEST_F(TileTest, RankEight) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.tile %0 {repeats = array<i64: 2, 1, 1, 1, 1, 1, 1, 2>} "
                ": (tensor<1x2x1x1x1x1x1x2xi16>) -> "
                "tensor<2x2x1x1x1x1x1x4xi16>",
                {makeIota(DataType::INT16, {1, 2, 1, 1, 1, 1, 1, 2})})),
            (Numbers{1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4}));
}

} // namespace
