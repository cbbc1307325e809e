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

TEST_F(QuantizationTest, ResourcesOfFourBitsArePacked) {
  std::string source = R"(
    func.func @main() -> tensor<5xi4> {
      %0 = arith.constant dense_resource<w> : tensor<5xi4>
      return %0 : tensor<5xi4>
    }
    {-#
      dialect_resources: { builtin: { w: "0x01000000BYTES" } }
    #-})";
  auto interpretBytes = [&](const char *bytes) {
    std::string text = source;
    return interpretSource(text.replace(text.find("BYTES"), 5, bytes).c_str(),
                           {});
  };
  auto outputs = interpretBytes("78F003");
  ASSERT_TRUE(succeeded(outputs)) << diagnostics;
  EXPECT_EQ(getNumbers((*outputs)[0]), (Numbers{-8, 7, 0, -1, 3}));
  // A byte for each element is one of other size.
  EXPECT_TRUE(failed(interpretBytes("08070F000F")));
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

/// A test of ties in quantization, for which an implementation may choose
/// either of two integers. `body` computes %r, of type `type`, from the
/// quantized %q.
class TieTest : public QuantizationTest {
protected:
  /// Checks the values and bounds that `body` computes from the quantization of
  /// 0.5, 1.5, 2.5 and 1 with scale 1: 0 or 1, 1 or 2, 2 or 3, and 1.
  void expectBehind(const std::string &body, const std::string &type,
                    const Numbers &value, const Numbers &lower,
                    const Numbers &upper) {
    std::string source = R"(func.func @main(%x: tensor<4xf32>) -> )" + type +
                         R"( {
          %s = arith.constant dense<1.0> : tensor<4xf32>
          %q = dml.element_wise_quantize_linear %x, %s
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
          )" + body +
                         "\nreturn %r : " + type + "\n}";
    const std::pair<Result, Numbers> parts[] = {
        {Result::exact, value}, {Result::lower, lower}, {Result::upper, upper}};
    for (auto &[part, wanted] : parts) {
      auto outputs =
          interpretSource(source, makeFloats({4}, {0.5, 1.5, 2.5, 1}), part);
      ASSERT_TRUE(succeeded(outputs)) << diagnostics;
      EXPECT_EQ(getNumbers(outputs->front()), wanted) << body;
    }
  }
};

TEST_F(TieTest, Conversions) {
  expectBehind(R"(%r = dml.cast %q : (tensor<4xi8>) -> tensor<4xi64>)",
               "tensor<4xi64>", {0, 2, 2, 1}, {0, 1, 2, 1}, {1, 2, 3, 1});
  expectBehind(R"(%r = dml.cast %q : (tensor<4xi8>) -> tensor<4xf32>)",
               "tensor<4xf32>", {0, 2, 2, 1}, {0, 1, 2, 1}, {1, 2, 3, 1});
  expectBehind(R"(%z = arith.constant dense<2> : tensor<4xi8>
    %r = dml.element_wise_dequantize_linear %q, %s zero_point(%z)
        : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xf32>)",
               "tensor<4xf32>", {-2, 0, 0, -1}, {-2, -1, 0, -1},
               {-1, 0, 1, -1});
}

TEST_F(TieTest, Arithmetic) {
  expectBehind(R"(%r = dml.element_wise_multiply %q, %q
    : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>)",
               "tensor<4xi8>", {0, 4, 4, 1}, {0, 1, 4, 1}, {1, 4, 9, 1});
  expectBehind(R"(%c = arith.constant dense<2> : tensor<4xi8>
    %r = dml.element_wise_min %q, %c
        : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>)",
               "tensor<4xi8>", {0, 2, 2, 1}, {0, 1, 2, 1}, {1, 2, 2, 1});
  expectBehind(R"(%c = arith.constant dense<3> : tensor<4xi8>
    %r = dml.element_wise_modulus_floor %q, %c
        : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>)",
               "tensor<4xi8>", {0, 2, 2, 1}, {0, 1, 0, 1}, {1, 2, 2, 1});
  expectBehind(R"(%c = arith.constant dense<1> : tensor<4xi8>
    %u = tensor.bitcast %q : tensor<4xi8> to tensor<4xui8>
    %v = tensor.bitcast %c : tensor<4xi8> to tensor<4xui8>
    %r = dml.element_wise_bit_shift_left %u, %v
        : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>)",
               "tensor<4xui8>", {0, 4, 4, 2}, {0, 2, 4, 2}, {2, 4, 6, 2});
}

TEST_F(TieTest, Bits) {
  // A computed number that is known has known bits; a zero may have a sign.
  expectBehind(R"(%a = dml.element_wise_constant_pow %x {exponent = 0.0 : f32}
      : (tensor<4xf32>) -> tensor<4xf32>
    %m = arith.constant dense<[0xFFFFFFFF, 0x3F000000, 0x7F000000, 0]>
        : tensor<4xui32>
    %n = tensor.bitcast %m : tensor<4xui32> to tensor<4xf32>
    %b = dml.element_wise_bit_and %a, %n
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = tensor.bitcast %b : tensor<4xf32> to tensor<4xui32>)",
               "tensor<4xui32>", {0x3f800000, 0x3f000000, 0x3f000000, 0},
               {0x3f800000, 0x3f000000, 0x3f000000, 0},
               {0x3f800000, 0x3f000000, 0x3f000000, 0});
}

TEST_F(TieTest, Choices) {
  const std::string compare = R"(%c = arith.constant dense<2> : tensor<4xi8>
    %b = dml.element_wise_logical_less_than %q, %c
        : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xui8>)";
  expectBehind(compare + "\n%r = tensor.cast %b : tensor<4xui8> to "
                         "tensor<4xui8>",
               "tensor<4xui8>", {1, 0, 0, 1}, {1, 0, 0, 1}, {1, 1, 0, 1});
  expectBehind(compare + R"(
    %t = arith.constant dense<[10.0, 11.0, 12.0, 13.0]> : tensor<4xf32>
    %r = dml.element_wise_if %b, %t, %x
        : (tensor<4xui8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)",
               "tensor<4xf32>", {10, 1.5, 2.5, 13}, {10, 1.5, 2.5, 13},
               {10, 11, 2.5, 13});
}

TEST_F(TieTest, Lines) {
  expectBehind(R"(%r = dml.reduce %q {axes = array<i64: 0>,
      function = #dml.reduce_function<max>} : (tensor<4xi8>) -> tensor<1xi8>)",
               "tensor<1xi8>", {2}, {2}, {3});
  expectBehind(R"(%c = dml.cast %q : (tensor<4xi8>) -> tensor<4xi32>
      %r = dml.cumulative_summation %c {axis = 0 : i64,
      axis_direction = #dml.axis_direction<increasing>,
      has_exclusive_sum = false} : (tensor<4xi32>) -> tensor<4xi32>)",
               "tensor<4xi32>", {0, 2, 4, 5}, {0, 1, 3, 4}, {1, 3, 6, 7});
  expectBehind(R"(%r = dml.argmax %q {axes = array<i64: 0>,
      axis_direction = #dml.axis_direction<increasing>}
      : (tensor<4xi8>) -> tensor<1xui32>)",
               "tensor<1xui32>", {1}, {1}, {2});
  expectBehind(R"(%r, %i = dml.top_k %q {axis = 0 : i64, k = 3 : i64}
      : (tensor<4xi8>) -> (tensor<3xi8>, tensor<3xui32>))",
               "tensor<3xi8>", {2, 2, 1}, {2, 1, 1}, {3, 2, 1});
  expectBehind(R"(%v, %r = dml.top_k %q {axis = 0 : i64, k = 4 : i64}
      : (tensor<4xi8>) -> (tensor<4xi8>, tensor<4xui32>))",
               "tensor<4xui32>", {1, 2, 3, 0}, {1, 0, 0, 0}, {2, 3, 3, 3});
  expectBehind(R"(%r = dml.activation_hardmax %x
      : (tensor<4xf32>) -> tensor<4xf32>)",
               "tensor<4xf32>", {0, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0});
}

TEST_F(TieTest, Indices) {
  const std::string data =
      R"(%i = dml.cast %q : (tensor<4xi8>) -> tensor<4xi32>
         %d = arith.constant dense<[10.0, 11.0, 15.0, 13.0]> : tensor<4xf32>)";
  expectBehind(data + R"(
    %r = dml.gather %d, %i {axis = 0 : i64, index_dimensions = 1 : i64}
        : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>)",
               "tensor<4xf32>", {10, 15, 15, 11}, {10, 11, 13, 11},
               {11, 15, 15, 11});
  expectBehind(data + R"(
    %r = dml.gather_elements %d, %i {axis = 0 : i64}
        : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>)",
               "tensor<4xf32>", {10, 15, 15, 11}, {10, 11, 13, 11},
               {11, 15, 15, 11});
  // The update of element 3 is certain, and the last; what is open leaves what
  // was there or an update.
  expectBehind(data + R"(
    %r = dml.scatter_elements %d, %i, %x {axis = 0 : i64}
        : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>)",
               "tensor<4xf32>", {0.5, 1, 2.5, 13}, {0.5, 1, 1.5, 2.5},
               {10, 1, 15, 13});
}

} // namespace
