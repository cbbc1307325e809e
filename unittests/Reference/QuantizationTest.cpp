//===- QuantizationTest.cpp - Tests of the interpreter's quantizations ----===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include <cmath>
#include <limits>

using namespace dml;
using namespace dml::reference;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

class QuantizationTest : public ReferenceTest {
protected:
  struct Dynamic {
    Numbers output;
    double scale, zeroPoint;
  };
  Dynamic quantizeDynamically(const Tensor &input,
                              DataType type = DataType::UINT8,
                              Result part = Result::exact) {
    std::vector<int64_t> one(input.getRank(), 1);
    std::string output = getTypeName(*Tensor::create(type, input.getShape())),
                scale = getTypeName(*Tensor::create(DataType::FLOAT32, one)),
                zeroPoint = getTypeName(*Tensor::create(type, one));
    std::string types = "(" + output + ", " + scale + ", " + zeroPoint + ")";
    auto outputs = interpretSource(
        "func.func @main(%0: " + getTypeName(input) + ") -> " + types +
            " {\n%1:3 = dml.dynamic_quantize_linear %0 : (" +
            getTypeName(input) + ") -> " + types +
            "\nreturn %1#0, %1#1, %1#2 : " + output + ", " + scale + ", " +
            zeroPoint + "\n}",
        input, part);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    if (failed(outputs))
      return {};
    return {getNumbers((*outputs)[0]), (*outputs)[1].getNumber(0),
            (*outputs)[2].getNumber(0)};
  }

  /// By a scale, and a zero point if there is one.
  Numbers quantize(const std::string &op, llvm::ArrayRef<Tensor> inputs,
                   DataType type, Result part = Result::exact) {
    std::string operands, types;
    for (auto [index, input] : llvm::enumerate(inputs)) {
      std::string separator = index ? ", " : "";
      operands += separator + "%" + std::to_string(index);
      types += separator + getTypeName(input);
    }
    return getNumbers(interpretOp(
        "dml." + op + " " + operands +
            " {quantization_type = #dml.quantization_type<" +
            (inputs.size() == 3 ? "scale_zero_point" : "scale") + ">} : (" +
            types + ") -> " +
            getTypeName(*Tensor::create(type, inputs[0].getShape())),
        inputs, part));
  }
};

Tensor makeFloats(std::vector<int64_t> shape, std::vector<double> values) {
  return makeTensor(DataType::FLOAT32, std::move(shape), std::move(values));
}

TEST_F(QuantizationTest, Dynamically) {
  Dynamic found = quantizeDynamically(makeFloats(
      {3, 4}, {1, 2.1, 1.3, 2.5, 3.34, 4, 1.5, 2.6, 3.9, 4, 3, 2.345}));
  EXPECT_EQ(found.output,
            (Numbers{64, 134, 83, 159, 213, 255, 96, 166, 249, 255, 191, 149}));
  EXPECT_NEAR(found.scale, 0.015686275, 1e-8);
  EXPECT_EQ(found.zeroPoint, 0);

  found = quantizeDynamically(
      makeFloats({2, 3}, {-1, -2.1, -1.3, -2.5, -3.34, -4}));
  EXPECT_EQ(found.output, (Numbers{191, 121, 172, 96, 42, 0}));
  EXPECT_NEAR(found.scale, 0.015686275, 1e-8);
  EXPECT_EQ(found.zeroPoint, 255);
}

TEST_F(QuantizationTest, DynamicallyToSigned) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16}) {
    Dynamic found = quantizeDynamically(makeTensor(type, {3}, {3, -1, 0.5}),
                                        DataType::INT8);
    EXPECT_EQ(found.output, (Numbers{127, -128, -32}));
    EXPECT_EQ(found.zeroPoint, -64);
  }
}

TEST_F(QuantizationTest, DynamicallyOfZeros) {
  Tensor zeros = makeFloats({2}, {0, -0.0});
  Dynamic found = quantizeDynamically(zeros, DataType::INT8);
  EXPECT_EQ(found.output, (Numbers{-128, -128}));
  EXPECT_EQ(found.scale, 0);
  EXPECT_EQ(found.zeroPoint, -128);
  // Nothing about it is uncertain.
  for (Result part : {Result::lower, Result::upper})
    EXPECT_EQ(quantizeDynamically(zeros, DataType::INT8, part).output,
              found.output);
}

TEST_F(QuantizationTest, DynamicallyWithoutNaNs) {
  Tensor input = makeFloats({3}, {nan, 255, 100});
  Dynamic low = quantizeDynamically(input, DataType::UINT8, Result::lower),
          high = quantizeDynamically(input, DataType::UINT8, Result::upper);
  EXPECT_EQ(low.output, (Numbers{0, 255, 100}));
  EXPECT_EQ(high.output, (Numbers{255, 255, 100}));
}

TEST_F(QuantizationTest, DynamicallyIsUncertainNearHalves) {
  // The scale is 1, or a bit off: 0.5 may become 0 or 1, and 1.5 2 or 1.
  Tensor input = makeFloats({3}, {255, 0.5, 1.5});
  Dynamic low = quantizeDynamically(input, DataType::UINT8, Result::lower),
          high = quantizeDynamically(input, DataType::UINT8, Result::upper);
  EXPECT_EQ(low.output, (Numbers{255, 0, 1}));
  EXPECT_EQ(high.output, (Numbers{255, 1, 2}));
}

TEST_F(QuantizationTest, QuantizesBlocks) {
  Tensor input = makeFloats({2, 4}, {1, -2, 3, 9, 0.5, 100, -100, 1.5});
  Tensor scale = makeFloats({2, 2}, {1, 2, 0.5, 1});
  EXPECT_EQ(quantize("quantize",
                     {input, scale,
                      makeTensor(DataType::INT8, {2, 2}, {0, 1, 10, -10})},
                     DataType::INT8),
            (Numbers{1, -2, 3, 5, 11, 127, -110, -8}));
  // Blocks along the other dimension, and in three.
  EXPECT_EQ(
      quantize("quantize",
               {makeFloats({4, 1}, {4, 8, 12, 16}), makeFloats({2, 1}, {1, 4})},
               DataType::UINT8),
      (Numbers{4, 8, 3, 4}));
  EXPECT_EQ(quantize("quantize",
                     {makeFloats({2, 2, 2}, {8, 8, 8, 8, 8, 8, 8, 8}),
                      makeFloats({1, 2, 1}, {1, 2})},
                     DataType::UINT8),
            (Numbers{8, 8, 4, 4, 8, 8, 4, 4}));
}

TEST_F(QuantizationTest, QuantizesToFourBits) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16}) {
    EXPECT_EQ(quantize("quantize",
                       {makeTensor(type, {1, 4}, {0, 3, 5, 40}),
                        makeTensor(type, {1, 1}, {2})},
                       DataType::UINT4),
              (Numbers{0, 2, 2, 15}));
    EXPECT_EQ(quantize("quantize",
                       {makeTensor(type, {5}, {-100, -8, 3, 7, infinity}),
                        makeTensor(type, {1}, {1}),
                        makeTensor(DataType::INT4, {1}, {1})},
                       DataType::INT4),
              (Numbers{-8, -7, 4, 7, 7}));
  }
}

TEST_F(QuantizationTest, QuantizesNaNToAny) {
  std::vector<Tensor> inputs = {makeFloats({1}, {nan}), makeFloats({1}, {1})};
  EXPECT_EQ(quantize("quantize", inputs, DataType::INT4, Result::lower),
            (Numbers{-8}));
  EXPECT_EQ(quantize("quantize", inputs, DataType::INT4, Result::upper),
            (Numbers{7}));
  EXPECT_EQ(quantize("quantize", inputs, DataType::UINT8, Result::lower),
            (Numbers{0}));
  EXPECT_EQ(quantize("quantize", inputs, DataType::UINT8, Result::upper),
            (Numbers{255}));
}

TEST_F(QuantizationTest, DequantizesBlocks) {
  EXPECT_EQ(
      quantize("dequantize",
               {makeTensor(DataType::UINT4, {2, 4}, {0, 15, 8, 7, 1, 2, 3, 4}),
                makeFloats({2, 2}, {0.5, 2, 1, 10}),
                makeTensor(DataType::UINT4, {2, 2}, {8, 8, 0, 4})},
               DataType::FLOAT32),
      (Numbers{-4, 3.5, 0, -2, 1, 2, -10, 0}));
  EXPECT_EQ(quantize("dequantize",
                     {makeTensor(DataType::INT4, {2, 2}, {-8, 7, 3, -1}),
                      makeFloats({2, 1}, {0.25, 4})},
                     DataType::FLOAT32),
            (Numbers{-2, 1.75, 12, -4}));
  // The difference of 8-bit numbers does not wrap around.
  EXPECT_EQ(quantize("dequantize",
                     {makeTensor(DataType::INT8, {2}, {-128, 127}),
                      makeTensor(DataType::FLOAT16, {1}, {2}),
                      makeTensor(DataType::INT8, {1}, {127})},
                     DataType::FLOAT16),
            (Numbers{-510, 0}));
  EXPECT_EQ(quantize("dequantize",
                     {makeTensor(DataType::UINT8, {2}, {0, 255}),
                      makeFloats({2}, {1, 2}),
                      makeTensor(DataType::UINT8, {2}, {255, 0})},
                     DataType::FLOAT32),
            (Numbers{-255, 510}));
}

TEST_F(QuantizationTest, BlocksOfEveryRank) {
  for (unsigned rank = 1; rank <= 8; ++rank) {
    std::vector<int64_t> shape(rank, 1), blocks(rank, 1);
    shape.back() = 6;
    blocks.back() = 2;
    EXPECT_EQ(quantize("dequantize",
                       {makeTensor(DataType::UINT8, shape, {1, 2, 3, 4, 5, 6}),
                        makeFloats(blocks, {1, 10})},
                       DataType::FLOAT32),
              (Numbers{1, 2, 3, 40, 50, 60}))
        << rank;
  }
}

TEST_F(QuantizationTest, ConstantsOfFourBits) {
  auto outputs = interpretSource(R"(
    func.func @main() -> (tensor<5xi4>, tensor<3xi4>) {
      %0 = arith.constant dense<[-8, 7, 0, -1, 3]> : tensor<5xi4>
      %1 = arith.constant dense<-3> : tensor<3xi4>
      return %0, %1 : tensor<5xi4>, tensor<3xi4>
    })",
                                 {});
  ASSERT_TRUE(succeeded(outputs)) << diagnostics;
  EXPECT_EQ(getNumbers((*outputs)[0]), (Numbers{-8, 7, 0, -1, 3}));
  EXPECT_EQ(getNumbers((*outputs)[1]), (Numbers{-3, -3, -3}));
}

TEST_F(QuantizationTest, FourBitsArePackedLowHalfFirst) {
  Tensor tensor = makeTensor(DataType::INT4, {5}, {1, -2, 7, -8, 3});
  EXPECT_EQ(tensor.getNumPackedBytes(), 3u);
  std::vector<char> bytes = tensor.pack();
  EXPECT_EQ(bytes, (std::vector<char>{'\xe1', '\x87', '\x03'}));
  Tensor other = *Tensor::create(DataType::INT4, {5});
  // The half behind the last element is none of its business.
  bytes[2] = '\xf3';
  other.unpack(bytes);
  EXPECT_EQ(getElements<uint8_t>(other), getElements<uint8_t>(tensor));
  // Numbers that do not fit become the nearest that does.
  EXPECT_EQ(getNumbers(makeTensor(DataType::INT4, {3}, {100, -100, nan})),
            (Numbers{7, -8, 0}));
  EXPECT_EQ(getNumbers(makeTensor(DataType::UINT4, {3}, {100, -100, 2.5})),
            (Numbers{15, 0, 2}));
}

} // namespace
