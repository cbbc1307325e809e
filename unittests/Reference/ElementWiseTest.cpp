//===- ElementWiseTest.cpp - Tests of the interpreter's element-wise ops --===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the numeric examples in DirectML's documentation, and of cases that
// the documentation leaves open and the operators' descriptions decide.
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include <cmath>
#include <limits>

using namespace dml;
using namespace dml::reference;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Input {
  DataType type;
  std::vector<int64_t> shape;
  Numbers numbers;
};

struct Example {
  const char *op;
  std::vector<Input> inputs;
  Numbers output;
};

/// The pages print some seven digits.
class ElementWiseTest : public ReferenceTest {
protected:
  void check(const Example &example) {
    std::vector<Tensor> inputs;
    for (const Input &input : example.inputs)
      inputs.push_back(makeTensor(input.type, input.shape, input.numbers));
    Numbers value = getNumbers(interpretOp(example.op, inputs));
    Numbers lower = getNumbers(interpretOp(example.op, inputs, Result::lower));
    Numbers upper = getNumbers(interpretOp(example.op, inputs, Result::upper));
    ASSERT_EQ(value.size(), example.output.size()) << example.op;
    for (size_t i = 0; i < value.size(); ++i) {
      double wanted = example.output[i];
      if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(upper[i])) << example.op << " at " << i;
        continue;
      }
      double error = std::isinf(wanted) ? 0 : 1e-6 * std::fabs(wanted) + 1e-7;
      if (std::isinf(wanted))
        EXPECT_EQ(value[i], wanted) << example.op << " at " << i;
      else
        EXPECT_NEAR(value[i], wanted, error) << example.op << " at " << i;
      EXPECT_LE(lower[i], wanted + error) << example.op << " at " << i;
      EXPECT_GE(upper[i], wanted - error) << example.op << " at " << i;
    }
  }
};

const Example examples[] = {
    {"dml.element_wise_if %0, %1, %2 : (tensor<2x2xui8>, tensor<2x2xf32>, "
     "tensor<2x2xf32>) -> tensor<2x2xf32>",
     {{DataType::UINT8, {2, 2}, {1, 0, 1, 1}},
      {DataType::FLOAT32, {2, 2}, {1, 2, 3, 4}},
      {DataType::FLOAT32, {2, 2}, {9, 8, 7, 6}}},
     {1, 8, 3, 4}},
    {"dml.element_wise_sin %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {0, 1, -2, 3.5}}},
     {0, 0.84147096, -0.9092974, -0.35078323}},
    {"dml.element_wise_sin %0 {scale_bias = #dml.scale_bias<scale = 2.0 : f32, "
     "bias = 1.0 : f32>} : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {0, 0.5, -1}}},
     {0.84147096, 0.9092974, -0.84147096}},
    {"dml.element_wise_cos %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {0, 1, -2, 3.5}}},
     {1, 0.5403023, -0.41614684, -0.9364567}},
    {"dml.element_wise_tan %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {0, 1, -2, 0.5}}},
     {0, 1.5574077, 2.1850398, 0.5463025}},
    {"dml.element_wise_asin %0 : (tensor<1x1x1x5xf32>) -> tensor<1x1x1x5xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 5}, {-1, -0.5, 0, 0.5, 1}}},
     {-1.5707964, -0.5235988, 0, 0.5235988, 1.5707964}},
    {"dml.element_wise_acos %0 : (tensor<1x1x1x5xf32>) -> tensor<1x1x1x5xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 5}, {-1, -0.5, 0, 0.5, 1}}},
     {3.1415927, 2.0943952, 1.5707964, 1.0471976, 0}},
    {"dml.element_wise_atan %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, -0.5, 0, 1}}},
     {-1.1071488, -0.4636476, 0, 0.7853982}},
    {"dml.element_wise_ceil %0 : (tensor<1x1x1x5xf32>) -> tensor<1x1x1x5xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 5}, {-1.5, 0, 1.2, 2, 2.7}}},
     {-1, 0, 2, 2, 3}},
    {"dml.element_wise_ceil %0 {scale_bias = #dml.scale_bias<scale = 0.5 : "
     "f32, bias = 0.25 : f32>} : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {1, 2, 3}}},
     {1, 2, 2}},
    {"dml.element_wise_floor %0 : (tensor<1x1x1x5xf32>) -> tensor<1x1x1x5xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 5}, {-1.5, 0, 1.2, 2, 2.7}}},
     {-2, 0, 1, 2, 2}},
    {"dml.element_wise_floor %0 {scale_bias = #dml.scale_bias<scale = 0.5 : "
     "f32, bias = 0.25 : f32>} : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {1, 2, 3}}},
     {0, 1, 1}},
    {"dml.element_wise_sinh %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, 0, 0.5, 1}}},
     {-3.6268604, 0, 0.5210953, 1.1752012}},
    {"dml.element_wise_cosh %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, 0, 0.5, 1}}},
     {3.7621956, 1, 1.127626, 1.5430807}},
    {"dml.element_wise_tanh %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, 0, 0.5, 1}}},
     {-0.9640276, 0, 0.46211717, 0.7615942}},
    {"dml.element_wise_asinh %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, 0, 0.5, 1}}},
     {-1.4436355, 0, 0.4812118, 0.8813736}},
    {"dml.element_wise_acosh %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {1, 1.5, 2, 10}}},
     {0, 0.9624236, 1.316958, 2.993223}},
    {"dml.element_wise_atanh %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-0.5, 0, 0.25, 0.9}}},
     {-0.54930615, 0, 0.25541282, 1.4722193}},
    {"dml.element_wise_erf %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-1, 0, 0.5, 2}}},
     {-0.8427008, 0, 0.5204999, 0.9953223}},
    {"dml.element_wise_erf %0 {scale_bias = #dml.scale_bias<scale = 2.0 : f32, "
     "bias = -1.0 : f32>} : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {0, 0.5, 1}}},
     {-0.8427008, 0, 0.8427008}},
    {"dml.element_wise_sign %0 : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {-3.5, 0, 7}}},
     {-1, 0, 1}},
    {"dml.element_wise_sign %0 : (tensor<1x1x1x3xi8>) -> tensor<1x1x1x3xi8>",
     {{DataType::INT8, {1, 1, 1, 3}, {-128, 0, 5}}},
     {-1, 0, 1}},
    {"dml.element_wise_negate %0 : (tensor<3xf32>) -> tensor<3xf32>",
     {{DataType::FLOAT32, {3}, {1, -2.5, 0}}},
     {-1, 2.5, -0.0}},
    {"dml.element_wise_negate %0 : (tensor<3xi8>) -> tensor<3xi8>",
     {{DataType::INT8, {3}, {1, -2, 127}}},
     {-1, 2, -127}},
    {"dml.element_wise_is_nan %0 : (tensor<1x1x1x4xf32>) -> "
     "tensor<1x1x1x4xui8>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {1, nan, infinity, 0}}},
     {0, 1, 0, 0}},
    {"dml.element_wise_is_infinity %0 {infinity_mode = "
     "#dml.is_infinity_mode<either>} : (tensor<1x1x1x4xf32>) -> "
     "tensor<1x1x1x4xui8>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-infinity, 1, nan, infinity}}},
     {1, 0, 0, 1}},
    {"dml.element_wise_is_infinity %0 {infinity_mode = "
     "#dml.is_infinity_mode<positive>} : (tensor<1x1x1x4xf32>) -> "
     "tensor<1x1x1x4xui8>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-infinity, 1, nan, infinity}}},
     {0, 0, 0, 1}},
    {"dml.element_wise_is_infinity %0 {infinity_mode = "
     "#dml.is_infinity_mode<negative>} : (tensor<1x1x1x4xf32>) -> "
     "tensor<1x1x1x4xui8>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-infinity, 1, nan, infinity}}},
     {1, 0, 0, 0}},
    {"dml.element_wise_mean %0, %1 : (tensor<1x1x1x3xf32>, "
     "tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {1, 2, -3}},
      {DataType::FLOAT32, {1, 1, 1, 3}, {3, 5, 1}}},
     {2, 3.5, -1}},
    {"dml.element_wise_modulus_truncate %0, %1 : (tensor<1x1x1x6xi8>, "
     "tensor<1x1x1x6xi8>) -> tensor<1x1x1x6xi8>",
     {{DataType::INT8, {1, 1, 1, 6}, {-4, 7, 5, 4, -7, 8}},
      {DataType::INT8, {1, 1, 1, 6}, {2, -3, 8, -2, 3, 5}}},
     {0, 1, 5, 0, -1, 3}},
    {"dml.element_wise_modulus_truncate %0, %1 : (tensor<1x1x1x4xf32>, "
     "tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {5.5, -5.5, 5.5, -5.5}},
      {DataType::FLOAT32, {1, 1, 1, 4}, {2, 2, -2, -2}}},
     {1.5, -1.5, 1.5, -1.5}},
    {"dml.element_wise_modulus_floor %0, %1 : (tensor<1x1x1x6xi8>, "
     "tensor<1x1x1x6xi8>) -> tensor<1x1x1x6xi8>",
     {{DataType::INT8, {1, 1, 1, 6}, {-4, 7, 5, 4, -7, 8}},
      {DataType::INT8, {1, 1, 1, 6}, {2, -3, 8, -2, 3, 5}}},
     {0, -2, 5, 0, 2, 3}},
    {"dml.element_wise_modulus_floor %0, %1 : (tensor<1x1x1x4xf32>, "
     "tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {5.5, -5.5, 5.5, -5.5}},
      {DataType::FLOAT32, {1, 1, 1, 4}, {2, 2, -2, -2}}},
     {1.5, 0.5, -0.5, -1.5}},
    {"dml.element_wise_pow %0, %1 : (tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>) "
     "-> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {2, -2, 3, 4}},
      {DataType::FLOAT32, {1, 1, 1, 4}, {3, 2, 0, 0.5}}},
     {8, 4, 1, 2}},
    {"dml.element_wise_pow %0, %1 {scale_bias = #dml.scale_bias<scale = 2.0 : "
     "f32, bias = 1.0 : f32>} : (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) -> "
     "tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {1, 2, 3}},
      {DataType::FLOAT32, {1, 1, 1, 3}, {2, 2, -1}}},
     {9, 25, 0.14285715}},
    {"dml.element_wise_pow %0, %1 : (tensor<1x1x1x3xi32>, tensor<1x1x1x3xi32>) "
     "-> tensor<1x1x1x3xi32>",
     {{DataType::INT32, {1, 1, 1, 3}, {2, -3, 5}},
      {DataType::INT32, {1, 1, 1, 3}, {10, 3, 2}}},
     {1024, -27, 25}},
    {"dml.element_wise_constant_pow %0 {exponent = 2.0 : f32} : "
     "(tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {1, -2, 3, 0.5}}},
     {1, 4, 9, 0.25}},
    {"dml.element_wise_constant_pow %0 {exponent = 0.5 : f32, scale_bias = "
     "#dml.scale_bias<scale = 2.0 : f32, bias = 1.0 : f32>} : "
     "(tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {0, 1.5, 4}}},
     {1, 2, 3}},
    {"dml.element_wise_threshold %0 {min = 1.0 : f32} : (tensor<1x1x1x4xf32>) "
     "-> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, 0.5, 1, 3}}},
     {1, 1, 1, 3}},
    {"dml.element_wise_threshold %0 {min = 0.0 : f32} : (tensor<1x1x1x3xi32>) "
     "-> tensor<1x1x1x3xi32>",
     {{DataType::INT32, {1, 1, 1, 3}, {-2, 0, 5}}},
     {0, 0, 5}},
    {"dml.element_wise_difference_square %0, %1 : (tensor<3xf32>, "
     "tensor<3xf32>) -> tensor<3xf32>",
     {{DataType::FLOAT32, {3}, {1, 5, -2.5}},
      {DataType::FLOAT32, {3}, {4, 3, 0.5}}},
     {9, 4, 9}},
    {"dml.element_wise_difference_square %0, %1 : (tensor<2xui32>, "
     "tensor<2xui32>) -> tensor<2xui32>",
     {{DataType::UINT32, {2}, {1, 7}}, {DataType::UINT32, {2}, {4, 5}}},
     {9, 4}},
    {"dml.element_wise_atan_yx %0, %1 : (tensor<5xf32>, tensor<5xf32>) -> "
     "tensor<5xf32>",
     {{DataType::FLOAT32, {5}, {1, 1, -1, -1, 0}},
      {DataType::FLOAT32, {5}, {1, -1, -1, 1, 2}}},
     {0.7853982, 2.3561945, -2.3561945, -0.7853982, 0}},
    {"dml.element_wise_bit_shift_left %0, %1 : (tensor<1x1x1x4xui8>, "
     "tensor<1x1x1x4xui8>) -> tensor<1x1x1x4xui8>",
     {{DataType::UINT8, {1, 1, 1, 4}, {1, 3, 128, 255}},
      {DataType::UINT8, {1, 1, 1, 4}, {1, 2, 1, 4}}},
     {2, 12, 0, 240}},
    {"dml.element_wise_bit_shift_right %0, %1 : (tensor<1x1x1x4xui8>, "
     "tensor<1x1x1x4xui8>) -> tensor<1x1x1x4xui8>",
     {{DataType::UINT8, {1, 1, 1, 4}, {1, 12, 128, 255}},
      {DataType::UINT8, {1, 1, 1, 4}, {1, 2, 7, 4}}},
     {0, 3, 1, 15}},
    {"dml.element_wise_bit_and %0, %1 : (tensor<2x2xui8>, tensor<2x2xui8>) -> "
     "tensor<2x2xui8>",
     {{DataType::UINT8, {2, 2}, {240, 12, 0, 255}},
      {DataType::UINT8, {2, 2}, {15, 10, 255, 240}}},
     {0, 8, 0, 240}},
    {"dml.element_wise_bit_or %0, %1 : (tensor<2x2xui8>, tensor<2x2xui8>) -> "
     "tensor<2x2xui8>",
     {{DataType::UINT8, {2, 2}, {240, 12, 0, 255}},
      {DataType::UINT8, {2, 2}, {15, 10, 255, 240}}},
     {255, 14, 255, 255}},
    {"dml.element_wise_bit_xor %0, %1 : (tensor<2x2xui8>, tensor<2x2xui8>) -> "
     "tensor<2x2xui8>",
     {{DataType::UINT8, {2, 2}, {240, 12, 0, 255}},
      {DataType::UINT8, {2, 2}, {15, 10, 255, 240}}},
     {255, 6, 255, 15}},
    {"dml.element_wise_bit_xor %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {1, -2.5}},
      {DataType::FLOAT32, {2}, {-0.0, -0.0}}},
     {-1, 2.5}},
    {"dml.element_wise_bit_not %0 : (tensor<2x2xui8>) -> tensor<2x2xui8>",
     {{DataType::UINT8, {2, 2}, {0, 128, 42, 255}}},
     {255, 127, 213, 0}},
    {"dml.element_wise_bit_count %0 : (tensor<2x2xui32>) -> tensor<2x2xui32>",
     {{DataType::UINT32, {2, 2}, {0, 123, 456, 789}}},
     {0, 6, 4, 5}},
    {"dml.element_wise_clip_grad %0, %1 {min = -1.0 : f32, max = 1.0 : f32} : "
     "(tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>",
     {{DataType::FLOAT32, {6}, {-2, -1, 0, 0.5, 1, 3}},
      {DataType::FLOAT32, {6}, {10, 20, 30, 40, 50, 60}}},
     {0, 0, 30, 40, 0, 0}},
    {"dml.element_wise_clip_grad1 %0, %1 {min = -1.0 : f32, max = 1.0 : f32} : "
     "(tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>",
     {{DataType::FLOAT32, {6}, {-2, -1, 0, 0.5, 1, 3}},
      {DataType::FLOAT32, {6}, {10, 20, 30, 40, 50, 60}}},
     {0, 0, 30, 40, 0, 0}},
    {"dml.element_wise_clip_grad1 %0, %1 {min = 0 : i32, max = 10 : i32} : "
     "(tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>",
     {{DataType::INT32, {3}, {0, 5, 10}}, {DataType::INT32, {3}, {1, 2, 3}}},
     {0, 2, 0}},
    {"dml.element_wise_quantize_linear %0, %1 zero_point(%2) : "
     "(tensor<1x1x1x6xf32>, tensor<1x1x1x6xf32>, tensor<1x1x1x6xui8>) -> "
     "tensor<1x1x1x6xui8>",
     {{DataType::FLOAT32, {1, 1, 1, 6}, {0, 2, 3, 1000, -254, -1000}},
      {DataType::FLOAT32, {1, 1, 1, 6}, {2, 2, 2, 2, 2, 2}},
      {DataType::UINT8, {1, 1, 1, 6}, {128, 128, 128, 128, 128, 128}}},
     {128, 129, 130, 255, 1, 0}},
    {"dml.element_wise_quantize_linear %0, %1 zero_point(%2) : "
     "(tensor<1x1x1x5xf32>, tensor<1x1x1x5xf32>, tensor<1x1x1x5xi8>) -> "
     "tensor<1x1x1x5xi8>",
     {{DataType::FLOAT32, {1, 1, 1, 5}, {2, 6, -2, 10, -1000}},
      {DataType::FLOAT32, {1, 1, 1, 5}, {4, 4, 4, 4, 4}},
      {DataType::INT8, {1, 1, 1, 5}, {1, 1, 1, 1, 1}}},
     {1, 3, 1, 3, -128}},
    {"dml.element_wise_dequantize_linear %0, %1 zero_point(%2) : "
     "(tensor<1x1x1x4xui8>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xui8>) -> "
     "tensor<1x1x1x4xf32>",
     {{DataType::UINT8, {1, 1, 1, 4}, {0, 3, 128, 255}},
      {DataType::FLOAT32, {1, 1, 1, 4}, {2, 2, 2, 2}},
      {DataType::UINT8, {1, 1, 1, 4}, {128, 128, 128, 128}}},
     {-256, -250, 0, 254}},
    {"dml.element_wise_dequantize_linear %0, %1 zero_point(%2) : "
     "(tensor<1x1x1x3xi8>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xi8>) -> "
     "tensor<1x1x1x3xf32>",
     {{DataType::INT8, {1, 1, 1, 3}, {-128, 0, 127}},
      {DataType::FLOAT32, {1, 1, 1, 3}, {0.5, 0.25, 2}},
      {DataType::INT8, {1, 1, 1, 3}, {127, -1, 127}}},
     {-127.5, 0.25, 0}},
    {"dml.element_wise_quantized_linear_add %0, %1 a_zero_point(%2), %3, %4 "
     "b_zero_point(%5), %6 output_zero_point(%7) : (tensor<1x4xui8>, "
     "tensor<1x1xf32>, tensor<1x1xui8>, tensor<1x4xui8>, tensor<1x1xf32>, "
     "tensor<1x1xui8>, tensor<1x1xf32>, tensor<1x1xui8>) -> tensor<1x4xui8>",
     {{DataType::UINT8, {1, 4}, {0, 10, 20, 255}},
      {DataType::FLOAT32, {1, 1}, {0.5}},
      {DataType::UINT8, {1, 1}, {10}},
      {DataType::UINT8, {1, 4}, {4, 8, 12, 255}},
      {DataType::FLOAT32, {1, 1}, {0.25}},
      {DataType::UINT8, {1, 1}, {8}},
      {DataType::FLOAT32, {1, 1}, {0.5}},
      {DataType::UINT8, {1, 1}, {100}}},
     {88, 100, 112, 255}},
    {"dml.activation_elu %0 {alpha = 1.0 : f32} : (tensor<1x1x1x4xf32>) -> "
     "tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, -1, 0, 1.5}}},
     {-0.86466473, -0.63212055, 0, 1.5}},
    {"dml.activation_celu %0 {alpha = 2.0 : f32} : (tensor<1x1x1x4xf32>) -> "
     "tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, -1, 0, 1.5}}},
     {-1.2642411, -0.78693867, 0, 1.5}},
    {"dml.activation_hard_sigmoid %0 {alpha = 0.2 : f32, beta = 0.5 : f32} : "
     "(tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-3, 0, 1, 4}}},
     {0, 0.5, 0.7, 1}},
    {"dml.activation_identity %0 : (tensor<1x1x1x3xf32>) -> "
     "tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {-1.5, 0, 2}}},
     {-1.5, 0, 2}},
    {"dml.activation_linear %0 {alpha = 2.0 : f32, beta = 1.0 : f32} : "
     "(tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 3}, {-1.5, 0, 2}}},
     {-2, 1, 5}},
    {"dml.activation_parametric_softplus %0 {alpha = 2.0 : f32, beta = 0.5 : "
     "f32} : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, 0, 1, 1000}}},
     {0.6265234, 1.3862944, 1.948154, 1000}},
    {"dml.activation_scaled_elu %0 {alpha = 1.6732631921768188 : f32, gamma = "
     "1.0507010221481323 : f32} : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, -1, 0, 1.5}}},
     {-1.5201665, -1.1113307, 0, 1.5760515}},
    {"dml.activation_scaled_tanh %0 {alpha = 2.0 : f32, beta = 0.5 : f32} : "
     "(tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, -1, 0, 1.5}}},
     {-1.5231884, -0.92423433, 0, 1.2702979}},
    {"dml.activation_softplus %0 {steepness = 2.0 : f32} : "
     "(tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, 0, 1, 1000}}},
     {0.009074964, 0.3465736, 1.063464, 1000}},
    {"dml.activation_softsign %0 : (tensor<1x1x1x4xf32>) -> "
     "tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-3, -1, 0, 1}}},
     {-0.75, -0.5, 0, 0.5}},
    {"dml.activation_thresholded_relu %0 {alpha = 1.0 : f32} : "
     "(tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, 0.5, 1, 1.5}}},
     {0, 0, 0, 1.5}},
    {"dml.activation_parameterized_relu %0, %1 : (tensor<1x1x1x4xf32>, "
     "tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-4, -1, 0, 2}},
      {DataType::FLOAT32, {1, 1, 1, 4}, {0.25, 2, 5, 5}}},
     {-1, -2, 0, 2}},
    {"dml.activation_parameterized_relu %0, %1 : (tensor<1x1x1x2xi32>, "
     "tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>",
     {{DataType::INT32, {1, 1, 1, 2}, {-4, 3}},
      {DataType::INT32, {1, 1, 1, 2}, {2, 7}}},
     {-8, 3}},
    {"dml.activation_relu_grad %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> "
     "tensor<4xf32>",
     {{DataType::FLOAT32, {4}, {-1, 0, 0.5, 2}},
      {DataType::FLOAT32, {4}, {10, 20, 30, 40}}},
     {0, 0, 30, 40}},
    {"dml.activation_shrink %0 {bias = 1.0 : f32, threshold = 0.5 : f32} : "
     "(tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, -0.5, 0.25, 1.5}}},
     {-1, 0, 0, 0.5}},
    {"dml.activation_shrink %0 {bias = 10.0 : f32, threshold = 2.0 : f32} : "
     "(tensor<1x1x1x4xi8>) -> tensor<1x1x1x4xi8>",
     {{DataType::INT8, {1, 1, 1, 4}, {-3, -1, 1, 4}}},
     {7, 0, 0, -6}},
    {"dml.activation_shrink %0 {bias = 10.0 : f32, threshold = 2.0 : f32} : "
     "(tensor<1x1x1x4xui8>) -> tensor<1x1x1x4xui8>",
     {{DataType::UINT8, {1, 1, 1, 4}, {37, 1, 1, 11}}},
     {27, 0, 0, 1}},
    {"dml.activation_gelu %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, -0.5, 0, 1}}},
     {-0.045500264, -0.15426877, 0, 0.8413448}},
    {"dml.activation_swish %0 {sigmoid_input_scale = 2.0 : f32} : "
     "(tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 4}, {-2, -0.5, 0, 1}}},
     {-0.03597242, -0.13447072, 0, 0.8807971}},
    {"dml.activation_hard_swish %0 {alpha = 0.25 : f32, beta = 0.5 : f32} : "
     "(tensor<1x1x1x5xf32>) -> tensor<1x1x1x5xf32>",
     {{DataType::FLOAT32, {1, 1, 1, 5}, {-3, -1, 0, 1, 4}}},
     {-0.0, -0.25, 0, 0.75, 4}},
};

TEST_F(ElementWiseTest, ThePagesExamples) {
  for (const Example &example : examples)
    check(example);
}

const Example readings[] = {
    // Conversions saturate, and NaN becomes 0.
    {"dml.cast %0 : (tensor<6xf32>) -> tensor<6xi8>",
     {{DataType::FLOAT32, {6}, {1.9, -1.9, 300, -300, nan, infinity}}},
     {1, -1, 127, -128, 0, 127}},
    {"dml.cast %0 : (tensor<4xf32>) -> tensor<4xui32>",
     {{DataType::FLOAT32, {4}, {-0.5, -7, 4294967296.0, 2147483648.0}}},
     {0, 0, 4294967295.0, 2147483648.0}},
    // Integers keep their low bits.
    {"dml.cast %0 : (tensor<3xi32>) -> tensor<3xui8>",
     {{DataType::INT32, {3}, {257, -1, 128}}},
     {1, 255, 128}},
    {"dml.cast %0 : (tensor<2xf64>) -> tensor<2xi64>",
     {{DataType::FLOAT64, {2}, {-2.75, 1e15}}},
     {-2, 1e15}},
    {"dml.cast %0 : (tensor<2xf64>) -> tensor<2xf32>",
     {{DataType::FLOAT64, {2}, {0.5, 1e300}}},
     {0.5, infinity}},
    // Bounds of integers are limited to the type.
    {"dml.element_wise_clip %0 {min = -5.5 : f32, max = 1000.0 : f32} : "
     "(tensor<4xui8>) -> tensor<4xui8>",
     {{DataType::UINT8, {4}, {0, 7, 200, 255}}},
     {0, 7, 200, 255}},
    // Where min is above max, CLIP gives max and CLIP1 min.
    {"dml.element_wise_clip %0 {min = 5.0 : f32, max = 3.0 : f32} : "
     "(tensor<2xf32>) -> tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {1, 9}}},
     {3, 3}},
    {"dml.element_wise_clip1 %0 {min = 5 : i16, max = 3 : i16} : "
     "(tensor<2xi16>) -> tensor<2xi16>",
     {{DataType::INT16, {2}, {1, 9}}},
     {5, 5}},
    // The gradient passes at a NaN, and is 0 at the bounds.
    {"dml.element_wise_clip_grad %0, %1 {min = -1.0 : f32, max = 1.0 : f32} : "
     "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
     {{DataType::FLOAT32, {4}, {-1, 0, 1, nan}},
      {DataType::FLOAT32, {4}, {1, 2, 3, 4}}},
     {0, 2, 0, 4}},
    // Remainders of integers, and of 0.
    {"dml.element_wise_modulus_floor %0, %1 : (tensor<5xi8>, tensor<5xi8>) -> "
     "tensor<5xi8>",
     {{DataType::INT8, {5}, {7, -7, 7, -128, 5}},
      {DataType::INT8, {5}, {3, 3, -3, -1, 0}}},
     {1, 2, -2, 0, -1}},
    {"dml.element_wise_modulus_truncate %0, %1 : (tensor<5xi8>, tensor<5xi8>) "
     "-> tensor<5xi8>",
     {{DataType::INT8, {5}, {7, -7, 7, -128, 5}},
      {DataType::INT8, {5}, {3, 3, -3, -1, 0}}},
     {1, -1, 1, 0, -1}},
    // Remainders of infinite divisors, and of what has none.
    {"dml.element_wise_modulus_truncate %0, %1 : (tensor<7xf32>, "
     "tensor<7xf32>) -> tensor<7xf32>",
     {{DataType::FLOAT32, {7}, {7, -3, 5.5, infinity, nan, 7, 0}},
      {DataType::FLOAT32, {7}, {infinity, infinity, -infinity, 2, 2, 0, 5}}},
     {7, -3, 5.5, nan, nan, nan, 0}},
    {"dml.element_wise_modulus_floor %0, %1 : (tensor<4xf32>, tensor<4xf32>) "
     "-> tensor<4xf32>",
     {{DataType::FLOAT32, {4}, {7, -3, -7, 0}},
      {DataType::FLOAT32, {4}, {infinity, infinity, -infinity, infinity}}},
     {7, infinity, -7, 0}},
    // For a number and a NaN, the result is the number, as in HLSL: the upper
    // bound in the formula of clip1, and the lower bound in the formula of
    // clip.
    {"dml.element_wise_max %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> "
     "tensor<3xf32>",
     {{DataType::FLOAT32, {3}, {nan, 1, nan}},
      {DataType::FLOAT32, {3}, {2, nan, nan}}},
     {2, 1, nan}},
    {"dml.element_wise_min %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> "
     "tensor<3xf32>",
     {{DataType::FLOAT32, {3}, {nan, 1, nan}},
      {DataType::FLOAT32, {3}, {2, nan, nan}}},
     {2, 1, nan}},
    {"dml.element_wise_clip %0 {min = -1.0 : f32, max = 2.0 : f32} : "
     "(tensor<2xf32>) -> tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {nan, infinity}}},
     {-1, 2}},
    {"dml.element_wise_clip1 %0 {min = -1.0 : f32, max = 2.0 : f32} : "
     "(tensor<2xf32>) -> tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {nan, infinity}}},
     {2, 2}},
    {"dml.element_wise_sign %0 : (tensor<2xf32>) -> tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {nan, -infinity}}},
     {0, -1}},
    {"dml.activation_celu %0 {alpha = 1.0 : f32} : (tensor<2xf32>) -> "
     "tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {nan, infinity}}},
     {0, infinity}},
    {"dml.activation_hard_sigmoid %0 {alpha = 0.25 : f32, beta = 0.5 : f32} : "
     "(tensor<2xf32>) -> tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {nan, -infinity}}},
     {1, 0}},
    // Powers of integers are exact, by floats without a fraction too.
    {"dml.element_wise_pow %0, %1 : (tensor<5xi32>, tensor<5xf32>) -> "
     "tensor<5xi32>",
     {{DataType::INT32, {5}, {3, 7, 2, 0, -1}},
      {DataType::FLOAT32, {5}, {6, 2, -1, 0, 3}}},
     {729, 49, 0, 1, -1}},
    // Shifts by the width and more.
    {"dml.element_wise_bit_shift_left %0, %1 : (tensor<4xui8>, tensor<4xui8>) "
     "-> tensor<4xui8>",
     {{DataType::UINT8, {4}, {255, 255, 255, 1}},
      {DataType::UINT8, {4}, {1, 8, 200, 7}}},
     {254, 0, 0, 128}},
    // Halves to even, then the zero point, then the limits.
    {"dml.element_wise_quantize_linear %0, %1 zero_point(%2) : (tensor<4xf32>, "
     "tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>",
     {{DataType::FLOAT32, {4}, {0.75, 1.25, 900, -900}},
      {DataType::FLOAT32, {4}, {1, 1, 1, 1}},
      {DataType::INT8, {4}, {10, 10, 10, 10}}},
     {11, 11, 127, -128}},
    // The difference of narrow integers is exact.
    {"dml.element_wise_dequantize_linear %0, %1 zero_point(%2) : "
     "(tensor<1xi8>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>",
     {{DataType::INT8, {1}, {-128}},
      {DataType::FLOAT32, {1}, {2}},
      {DataType::INT8, {1}, {127}}},
     {-510}},
    // Extreme inputs do not overflow.
    {"dml.activation_softplus %0 {steepness = 1.0 : f32} : (tensor<3xf32>) -> "
     "tensor<3xf32>",
     {{DataType::FLOAT32, {3}, {1000, -1000, infinity}}},
     {1000, 0, infinity}},
    {"dml.activation_gelu %0 : (tensor<3xf32>) -> tensor<3xf32>",
     {{DataType::FLOAT32, {3}, {1000, -1000, -infinity}}},
     {1000, 0, 0}},
    {"dml.activation_shrink %0 {bias = 1.0 : f32, threshold = 2.0 : f32} : "
     "(tensor<4xui8>) -> tensor<4xui8>",
     {{DataType::UINT8, {4}, {0, 2, 3, 255}}},
     {0, 0, 2, 254}},
    // The activation is applied to the sum.
    {"dml.element_wise_add1 %0, %1 {fused_activation = "
     "#dml.activation<leaky_relu, {alpha = 0.5 : f32}>} : (tensor<2xf32>, "
     "tensor<2xf32>) -> tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {1, 2}}, {DataType::FLOAT32, {2}, {3, -4}}},
     {4, -1}},
    {"dml.element_wise_add1 %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xf32>",
     {{DataType::FLOAT32, {2}, {1, 2}}, {DataType::FLOAT32, {2}, {3, -4}}},
     {4, -2}},
};

TEST_F(ElementWiseTest, Readings) {
  for (const Example &example : readings)
    check(example);
}

/// Copies keep the bits of NaNs and of zeros' signs.
TEST_F(ElementWiseTest, CopiesAreBitExact) {
  std::vector<uint32_t> bits = {0x7fc01234, 0xffc00001, 0x80000000, 1};
  Tensor input = makeFromElements<uint32_t>(DataType::FLOAT32, {4}, bits);
  EXPECT_EQ(getElements<uint32_t>(
                interpretOp("dml.element_wise_identity %0 : (tensor<4xf32>) -> "
                            "tensor<4xf32>",
                            {input})),
            bits);
  Tensor condition = makeTensor(DataType::UINT8, {4}, {1, 7, 255, 128});
  EXPECT_EQ(getElements<uint32_t>(interpretOp(
                "dml.element_wise_if %0, %1, %2 : (tensor<4xui8>, "
                "tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
                {condition, input, makeIota(DataType::FLOAT32, {4})})),
            bits);
}

TEST_F(ElementWiseTest, EveryCastOfSmallNumbersIsExact) {
  for (DataType from : allDataTypes)
    for (DataType to : allDataTypes) {
      Tensor input = makeTensor(from, {3}, {0, 1, 100});
      std::string op = "dml.cast %0 : (" + getTypeName(input) + ") -> " +
                       getTypeName(*Tensor::create(to, {3}));
      EXPECT_EQ(getNumbers(interpretOp(op, {input}, Result::lower)),
                (Numbers{0, 1, 100}))
          << op;
      EXPECT_EQ(getNumbers(interpretOp(op, {input}, Result::upper)),
                (Numbers{0, 1, 100}))
          << op;
    }
}

/// A double between would be halfway to the next float, and round to it.
TEST_F(ElementWiseTest, LongIntegersBecomeFloatsInOneRounding) {
  Tensor input = makeFromElements<int64_t>(DataType::INT64, {2},
                                           {9223371761976868863, -1});
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.cast %0 : (tensor<2xi64>) -> tensor<2xf32>", {input})),
            (Numbers{static_cast<float>(9223371761976868863), -1}));
}

/// The bounds of powers of special numbers admit only the results of IEEE 754:
/// an infinity with the wrong sign is outside.
TEST_F(ElementWiseTest, PowersOfSpecialNumbersAreCertain) {
  const Numbers bases = {0.0, -0.0, -1, infinity, -infinity};
  const Numbers exponents = {-infinity, -3, -2, -0.5, 0.5, 2, 3, infinity};
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16})
    for (double exponent : exponents) {
      std::string element = type == DataType::FLOAT32 ? "f32" : "f16";
      std::string tensor = "tensor<5x" + element + ">";
      std::string op = "dml.element_wise_pow %0, %1 : (" + tensor + ", " +
                       tensor + ") -> " + tensor;
      std::vector<Tensor> inputs = {
          makeTensor(type, {5}, bases),
          makeTensor(type, {5}, Numbers(bases.size(), exponent))};
      Numbers lower = getNumbers(interpretOp(op, inputs, Result::lower));
      Numbers upper = getNumbers(interpretOp(op, inputs, Result::upper));
      for (size_t i = 0; i < bases.size(); ++i) {
        SCOPED_TRACE(std::to_string(bases[i]) + " to the power of " +
                     std::to_string(exponent));
        double wanted = std::pow(bases[i], exponent);
        EXPECT_EQ(std::isnan(wanted), std::isnan(lower[i]));
        EXPECT_EQ(std::isnan(wanted), std::isnan(upper[i]));
        if (std::isnan(wanted))
          continue;
        EXPECT_LE(lower[i], wanted);
        EXPECT_GE(upper[i], wanted);
        EXPECT_TRUE(!std::isinf(wanted) ||
                    (lower[i] == wanted && upper[i] == wanted))
            << lower[i] << " to " << upper[i];
      }
    }
}

/// The sign of a computed zero is not certain, so that the sign of its power,
/// an infinity, is not certain either. All other numbers and NaN are outside.
TEST_F(ElementWiseTest, PowersOfComputedZeros) {
  const char *source = R"mlir(
    func.func @main(%x: tensor<1xf32>, %e: tensor<1xf32>) -> tensor<1xf32> {
      %0 = dml.element_wise_multiply %x, %x
          : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      %1 = dml.element_wise_pow %0, %e
          : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      return %1 : tensor<1xf32>
    })mlir";
  auto getBounds = [&](double exponent) {
    std::vector<Tensor> inputs = {
        makeTensor(DataType::FLOAT32, {1}, {0}),
        makeTensor(DataType::FLOAT32, {1}, {exponent})};
    Numbers lower =
        getNumbers(interpretSource(source, inputs, Result::lower)->front());
    Numbers upper =
        getNumbers(interpretSource(source, inputs, Result::upper)->front());
    return std::pair(lower[0], upper[0]);
  };
  EXPECT_EQ(getBounds(-1), std::pair(-infinity, infinity));
  EXPECT_EQ(getBounds(-2), std::pair(infinity, infinity));
  EXPECT_EQ(getBounds(-0.5), std::pair(infinity, infinity));
}

/// An exponent that no f32 holds is odd all the same.
TEST_F(ElementWiseTest, OddExponentsOfManyBits) {
  check({"dml.element_wise_pow %0, %1 : (tensor<5xf32>, tensor<5xi32>) -> "
         "tensor<5xf32>",
         {{DataType::FLOAT32, {5}, {-1, -0.0, -infinity, -1, -2}},
          {DataType::INT32,
           {5},
           {16777217, -16777217, 16777217, 16777218, 16777217}}},
         {-1, -infinity, -infinity, 1, -infinity}});
}

} // namespace
