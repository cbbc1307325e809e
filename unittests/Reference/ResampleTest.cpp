//===- ResampleTest.cpp - Tests of the interpreter's resampling -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace dml;
using namespace dml::reference;
using llvm::StringRef;

namespace {

class ResampleTest : public ReferenceTest {
protected:
  Tensor resample(const Tensor &input, InterpolationMode mode,
                  std::vector<float> scales, std::vector<int64_t> shape,
                  Result result = Result::exact) {
    std::string array;
    for (float scale : scales) {
      char text[64];
      std::snprintf(text, sizeof(text), "%s%.9e", array.empty() ? "" : ", ",
                    scale);
      array += text;
    }
    return interpretOp(
        "dml.resample %0 {mode = #dml.interpolation_mode<" +
            stringifyInterpolationMode(mode).str() +
            ">, scales = array<f32: " + array + ">} : (" + getTypeName(input) +
            ") -> " + getTypeName(*Tensor::create(input.getDataType(), shape)),
        {input}, result);
  }
  Numbers nearest(const Numbers &input, float scale, int64_t size,
                  DataType type = DataType::FLOAT32) {
    return getNumbers(resample(makeTensor(type, {int64_t(input.size())}, input),
                               InterpolationMode::nearest_neighbor, {scale},
                               {size}));
  }
  Numbers linear(const Numbers &input, float scale, int64_t size,
                 DataType type = DataType::FLOAT32,
                 Result result = Result::exact) {
    return getNumbers(resample(makeTensor(type, {int64_t(input.size())}, input),
                               InterpolationMode::linear, {scale}, {size},
                               result));
  }
};

const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

TEST_F(ResampleTest, TheDescriptionsExample) {
  EXPECT_EQ(linear({1, 2}, 2.0f, 4), (Numbers{1, 1.25, 1.75, 2}));
}

TEST_F(ResampleTest, NearestByHand) {
  EXPECT_EQ(nearest({1, 2, 3}, 2.0f, 6), (Numbers{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(nearest({1, 2}, 3.0f, 6), (Numbers{1, 1, 1, 2, 2, 2}));
  // x + 0.5 = 2/3 (o + 0.5): 1/3 1 5/3 7/3 3 11/3
  EXPECT_EQ(nearest({1, 2, 3, 4}, 1.5f, 6), (Numbers{1, 2, 2, 3, 4, 4}));
  // x + 0.5 = 5/3 (o + 0.5): 5/6 15/6 25/6
  EXPECT_EQ(nearest({1, 2, 3, 4, 5}, 0.6f, 3), (Numbers{1, 3, 5}));
}

TEST_F(ResampleTest, NearestTiesGoUp) {
  // Halving puts every pixel centre between two elements.
  EXPECT_EQ(nearest({1, 2, 3, 4}, 0.5f, 2), (Numbers{2, 4}));
  EXPECT_EQ(nearest({1, 2}, 1.5f, 3), (Numbers{1, 2, 2}));
  // A tenth is no float, but this is a tie all the same: 0.5 / 0.1 = 5.
  EXPECT_EQ(nearest({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.1f, 1), (Numbers{5}));
  // 171/512: (o + 0.5) 512 / 171 is an integer at o = 85 alone, 256.
  Numbers iota(512);
  for (size_t i = 0; i < iota.size(); ++i)
    iota[i] = i;
  EXPECT_EQ(nearest(iota, 171.0f / 512.0f, 171)[85], 256);
}

TEST_F(ResampleTest, CropAndClamp) {
  EXPECT_EQ(nearest({1, 2, 3}, 2.0f, 3), (Numbers{1, 1, 2}));
  EXPECT_EQ(nearest({1, 2, 3}, 1.0f, 5), (Numbers{1, 2, 3, 3, 3}));
  EXPECT_EQ(linear({1, 2, 3}, 1.0f, 5), (Numbers{1, 2, 3, 3, 3}));
  EXPECT_EQ(linear({1, 3}, 2.0f, 7), (Numbers{1, 1.5, 2.5, 3, 3, 3, 3}));
  EXPECT_EQ(linear({1, 3}, 2.0f, 2), (Numbers{1, 1.5}));
}

TEST_F(ResampleTest, LinearDownscale) {
  // x = 2 o + 0.5
  EXPECT_EQ(linear({1, 2, 3, 4}, 0.5f, 2), (Numbers{1.5, 3.5}));
  // x = 3 o + 1: nothing between is seen.
  EXPECT_EQ(linear({1, 2, 3, 4, 5, 6}, 1.0f / 3.0f, 2), (Numbers{2, 5}));
}

TEST_F(ResampleTest, TwoDimensions) {
  Tensor input = makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(getNumbers(resample(input, InterpolationMode::linear, {1, 1, 2, 2},
                                {1, 1, 4, 4})),
            (Numbers{1, 1.25, 1.75, 2,     //
                     1.5, 1.75, 2.25, 2.5, //
                     2.5, 2.75, 3.25, 3.5, //
                     3, 3.25, 3.75, 4}));
  EXPECT_EQ(getNumbers(resample(input, InterpolationMode::nearest_neighbor,
                                {1, 1, 2, 3}, {1, 1, 4, 6})),
            (Numbers{1, 1, 1, 2, 2, 2, //
                     1, 1, 1, 2, 2, 2, //
                     3, 3, 3, 4, 4, 4, //
                     3, 3, 3, 4, 4, 4}));
}

TEST_F(ResampleTest, FourDimensionsAtOnce) {
  // The middle of a 2x2x2x2 cube is the mean of all sixteen.
  EXPECT_EQ(getNumbers(resample(makeIota(DataType::FLOAT32, {2, 2, 2, 2}),
                                InterpolationMode::linear,
                                {0.5f, 0.5f, 0.5f, 0.5f}, {1, 1, 1, 1})),
            (Numbers{8.5}));
}

TEST_F(ResampleTest, BatchAndChannelToo) {
  EXPECT_EQ(getNumbers(resample(
                makeTensor(DataType::FLOAT32, {2, 1, 1, 2}, {1, 2, 5, 6}),
                InterpolationMode::linear, {2, 1, 1, 1}, {4, 1, 1, 2})),
            (Numbers{1, 2, 2, 3, 4, 5, 5, 6}));
}

TEST_F(ResampleTest, ExtremeScales) {
  Numbers input = {1, 2, 3};
  // Everything is left of the first centre.
  for (float scale : {1e30f, std::numeric_limits<float>::max()}) {
    EXPECT_EQ(nearest(input, scale, 4), (Numbers{1, 1, 1, 1}));
    EXPECT_EQ(linear(input, scale, 4), (Numbers{1, 1, 1, 1}));
  }
  // Everything is right of the last.
  for (float scale : {1e-30f, 0x1p-149f}) {
    EXPECT_EQ(nearest(input, scale, 4), (Numbers{3, 3, 3, 3}));
    EXPECT_EQ(linear(input, scale, 4), (Numbers{3, 3, 3, 3}));
  }
}

TEST_F(ResampleTest, SizeOne) {
  EXPECT_EQ(nearest({7}, 3.0f, 3), (Numbers{7, 7, 7}));
  EXPECT_EQ(linear({7}, 3.0f, 3), (Numbers{7, 7, 7}));
  EXPECT_EQ(linear({7}, 0.3f, 2), (Numbers{7, 7}));
}

TEST_F(ResampleTest, EightBitResultsRoundHalvesToEven) {
  for (DataType type : {DataType::UINT8, DataType::INT8})
    EXPECT_EQ(linear({1, 2, 3, 4}, 0.5f, 2, type), (Numbers{2, 4}));
  EXPECT_EQ(linear({-1, -2, -3, -4}, 0.5f, 2, DataType::INT8),
            (Numbers{-2, -4}));
  EXPECT_EQ(linear({-128, 127}, 0.5f, 1, DataType::INT8), (Numbers{0}));
  EXPECT_EQ(linear({0, 255}, 2.0f, 4, DataType::UINT8),
            (Numbers{0, 64, 191, 255}));
}

TEST_F(ResampleTest, EightBitResultsAreExactUntilTheyRound) {
  Numbers pairs;
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b)
      pairs.insert(pairs.end(), {double(a), double(b)});
  // The scale p / q puts output o at ((2 o + 1) q - p) / (2 p).
  for (auto [p, q] : {std::pair(6, 1), {12, 1}, {5, 2}, {3, 2}}) {
    int64_t size = 2 * p / q, divisor = 2 * p;
    Numbers found = getNumbers(resample(
        makeTensor(DataType::INT8, {65536, 2}, pairs),
        InterpolationMode::linear,
        {1.0f, static_cast<float>(p) / static_cast<float>(q)}, {65536, size}));
    size_t wrong = 0;
    for (size_t i = 0; i < 65536; ++i)
      for (int64_t o = 0; o < size; ++o) {
        int64_t weight = std::clamp<int64_t>((2 * o + 1) * q - p, 0, divisor);
        auto a = static_cast<int64_t>(pairs[2 * i]),
             b = static_cast<int64_t>(pairs[2 * i + 1]);
        double exact = static_cast<double>(a * (divisor - weight) + b * weight);
        // Halves are exact in double, and all other quotients far from them.
        wrong += found[i * size + o] !=
                 std::nearbyint(exact / static_cast<double>(divisor));
      }
    EXPECT_EQ(wrong, 0u) << p << "/" << q;
  }
}

TEST_F(ResampleTest, HalvesRoundOnce) {
  // 1 + 0.25 / 1024 steps between neighbours, in f32 until the end.
  EXPECT_EQ(linear({1, 1 + 0x1p-10}, 2.0f, 4, DataType::FLOAT16),
            (Numbers{1, 1, 1 + 0x1p-10, 1 + 0x1p-10}));
  // 65504 + 0.5 (-65504 - 65504) stays in range.
  EXPECT_EQ(linear({65504, -65504}, 0.5f, 1, DataType::FLOAT16), (Numbers{0}));
}

TEST_F(ResampleTest, NearestMovesBits) {
  std::vector<uint32_t> bits = {0x80000000, 0x7f812345, 0xffc00001, 0x00000001};
  Tensor output = resample(makeFromElements(DataType::FLOAT32, {4}, bits),
                           InterpolationMode::nearest_neighbor, {1.0f}, {5});
  bits.push_back(bits.back());
  EXPECT_EQ(getElements<uint32_t>(output), bits);
}

TEST_F(ResampleTest, NeighboursWithoutWeightTakeNoPart) {
  EXPECT_EQ(linear({1, infinity, nan, 2}, 1.0f, 4)[0], 1);
  EXPECT_EQ(linear({1, infinity, nan, 2}, 1.0f, 4)[1], infinity);
  EXPECT_TRUE(std::signbit(linear({-0.0, 1}, 2.0f, 1)[0]));
  // With weight they do.
  Numbers output = linear({1, infinity, -infinity}, 2.0f, 6);
  EXPECT_EQ(output[0], 1);
  EXPECT_EQ(output[1], infinity);
  EXPECT_TRUE(std::isnan(output[3]));
  EXPECT_EQ(output[5], -infinity);
}

TEST_F(ResampleTest, BoundsHoldEveryContraction) {
  std::mt19937 random(1);
  auto plain = [](float a, float b, float w) { return a + w * (b - a); };
  auto fused = [](float a, float b, float w) { return std::fma(w, b - a, a); };
  int different = 0;
  for (int i = 0; i < 2000; ++i) {
    float a[4];
    for (float &value : a)
      value = std::ldexp(static_cast<float>(int32_t(random())),
                         static_cast<int>(random() % 8) - 40);
    // One output lies between the four elements. In each dimension, it has the
    // weight 1/3: with a scale of 3/5, x = 5/3 (o + 0.5) - 0.5 = 1/3.
    const float w = 1.0f / 3.0f;
    Tensor input =
        makeTensor(DataType::FLOAT32, {2, 2}, {a[0], a[1], a[2], a[3]});
    auto run = [&](Result result) {
      return resample(input, InterpolationMode::linear, {0.6f, 0.6f}, {1, 1},
                      result)
          .getNumber(0);
    };
    double lower = run(Result::lower), upper = run(Result::upper);
    EXPECT_EQ(run(Result::exact),
              plain(plain(a[0], a[2], w), plain(a[1], a[3], w), w));
    for (int contracted = 0; contracted < 8; ++contracted) {
      auto lerp = [&](int bit, float a, float b) {
        // Weights 2 ULP off, too.
        float other = w + (contracted & 1 ? 0x1p-24f : -0x1p-24f);
        return contracted >> bit & 1 ? fused(a, b, other) : plain(a, b, w);
      };
      double value = lerp(0, lerp(1, a[0], a[2]), lerp(2, a[1], a[3]));
      EXPECT_LE(lower, value);
      EXPECT_LE(value, upper);
      different += value != run(Result::exact);
    }
    float largest = 0;
    for (float value : a)
      largest = std::max(largest, std::fabs(value));
    EXPECT_LE(upper - lower, 64 * 0x1p-24 * largest);
  }
  EXPECT_GT(different, 1000);
}

TEST_F(ResampleTest, InfinitiesWithWeight) {
  for (Result result : {Result::exact, Result::lower, Result::upper}) {
    // Half-way between two elements.
    auto between = [&](double a, double b) {
      return getNumbers(resample(makeTensor(DataType::FLOAT32, {2}, {a, b}),
                                 InterpolationMode::linear, {0.5f}, {1},
                                 result))[0];
    };
    EXPECT_EQ(between(1, infinity), infinity);
    EXPECT_EQ(between(1, -infinity), -infinity);
    EXPECT_TRUE(std::isnan(between(infinity, 1)));
    EXPECT_TRUE(std::isnan(between(infinity, infinity)));
    EXPECT_TRUE(std::isnan(between(infinity, -infinity)));
    EXPECT_TRUE(std::isnan(between(nan, infinity)));
    EXPECT_TRUE(std::isnan(between(1, nan)));
  }
}

// A number just below the largest one may be infinite on a device, and the
// difference of two such numbers may be NaN.
TEST_F(ResampleTest, WhatMayBeInfiniteMayBecomeNaN) {
  const std::string source = R"(
func.func @main(%x: tensor<2xf32>) -> tensor<1xf32> {
  %0 = dml.element_wise_exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = dml.element_wise_negate %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = dml.resample %1 {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 0.5>} : (tensor<2xf32>) -> tensor<1xf32>
  return %2 : tensor<1xf32>
})";
  auto getBound = [&](double x, Result result) {
    auto outputs = interpretSource(
        source, {makeTensor(DataType::FLOAT32, {2}, {x, x})}, result);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    return getNumbers(outputs->front())[0];
  };
  EXPECT_EQ(getBound(88.722835, Result::lower), -infinity);
  EXPECT_TRUE(std::isnan(getBound(88.722835, Result::upper)));
  EXPECT_TRUE(std::isfinite(getBound(80, Result::lower)));
  EXPECT_TRUE(std::isfinite(getBound(80, Result::upper)));
}

TEST_F(ResampleTest, HalfDenormalsMayBeFlushed) {
  auto bounds = [&](double a, double b) {
    Tensor input = makeTensor(DataType::FLOAT16, {2}, {a, b});
    auto run = [&](Result result) {
      return getNumbers(
          resample(input, InterpolationMode::linear, {0.5f}, {1}, result))[0];
    };
    return Numbers{run(Result::lower), run(Result::exact), run(Result::upper)};
  };
  // An input that is flushed, a result that is, and neither.
  EXPECT_EQ(bounds(0x1p-14, 0x1p-15), (Numbers{0, 0x1.8p-15, 0x1p-14}));
  EXPECT_EQ(bounds(-0x1p-14, 0x1p-13), (Numbers{0, 0x1p-15, 0x1p-15}));
  EXPECT_EQ(bounds(0x1p-12, 0x1p-12), (Numbers{0x1p-12, 0x1p-12, 0x1p-12}));
}

TEST_F(ResampleTest, BoundsAreEqualWhereNothingIsFree) {
  Tensor input = makeIota(DataType::FLOAT32, {3});
  auto run = [&](float scale, Result result) {
    return getNumbers(
        resample(input, InterpolationMode::linear, {scale}, {3}, result));
  };
  EXPECT_EQ(run(1.0f, Result::lower), run(1.0f, Result::upper));
  // Only outputs between two elements: the first and the last one are copies.
  Numbers lower = run(2.0f, Result::lower), upper = run(2.0f, Result::upper);
  EXPECT_EQ(lower[0], upper[0]);
  EXPECT_LT(lower[1], upper[1]);
  // Integers do not differ: exact halves go to the even number.
  Tensor bytes = makeTensor(DataType::UINT8, {3}, {0, 100, 201});
  EXPECT_EQ(getNumbers(resample(bytes, InterpolationMode::linear, {2.0f}, {4},
                                Result::lower)),
            (Numbers{0, 25, 75, 125}));
  EXPECT_EQ(getNumbers(resample(bytes, InterpolationMode::linear, {2.0f}, {4},
                                Result::upper)),
            (Numbers{0, 25, 75, 125}));
  Tensor tie = makeTensor(DataType::UINT8, {2}, {0, 2});
  EXPECT_EQ(getNumbers(resample(tie, InterpolationMode::linear, {2.0f}, {2},
                                Result::lower)),
            (Numbers{0, 0}));
  EXPECT_EQ(getNumbers(resample(tie, InterpolationMode::linear, {2.0f}, {2},
                                Result::upper)),
            (Numbers{0, 0}));
}

TEST_F(ResampleTest, Resample2Example1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.resample2 %0 {"
                "mode = #dml.interpolation_mode<nearest_neighbor>, "
                "rounding_direction = #dml.axis_direction<decreasing>, "
                "scales = array<f32: 0.5, 1.5>, "
                "input_pixel_offsets = array<f32: 0.5, 0.5>, "
                "output_pixel_offsets = array<f32: -0.5, -0.5>"
                "} : (tensor<2x2xf32>) -> tensor<1x3xf32>",
                {makeTensor(DataType::FLOAT32, {2, 2}, {1, 2, 3, 4})})),
            (Numbers{1, 1, 2}));
}

/// Halves up: x = o / 2 is 0, 0.5, 1, ...
TEST_F(ResampleTest, Resample1RoundsToNearest) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.resample1 %0 {mode = #dml.interpolation_mode<nearest_neighbor>, "
          "scales = array<f32: 2.0>, input_pixel_offsets = array<f32: 0.0>, "
          "output_pixel_offsets = array<f32: 0.0>} : (tensor<3xf32>) -> "
          "tensor<6xf32>",
          {makeIota(DataType::FLOAT32, {3})})),
      (Numbers{1, 2, 2, 3, 3, 3}));
}

/// The same positions, rounded down and up.
TEST_F(ResampleTest, Resample2RoundsInOneDirection) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.resample2 %0 {mode = "
                "#dml.interpolation_mode<nearest_neighbor>, rounding_direction "
                "= #dml.axis_direction<decreasing>, scales = array<f32: 2.0>, "
                "input_pixel_offsets = array<f32: 0.0>, output_pixel_offsets = "
                "array<f32: 0.0>} : (tensor<3xf32>) -> tensor<6xf32>",
                {makeIota(DataType::FLOAT32, {3})})),
            (Numbers{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.resample2 %0 {mode = "
                "#dml.interpolation_mode<nearest_neighbor>, rounding_direction "
                "= #dml.axis_direction<increasing>, scales = array<f32: 2.0>, "
                "input_pixel_offsets = array<f32: 0.0>, output_pixel_offsets = "
                "array<f32: 0.0>} : (tensor<3xf32>) -> tensor<6xf32>",
                {makeIota(DataType::FLOAT32, {3})})),
            (Numbers{1, 2, 2, 3, 3, 3}));
}

/// Positions before the first and after the last element are clamped.
TEST_F(ResampleTest, OffsetsMayLeadOutside) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.resample2 %0 {mode = "
                "#dml.interpolation_mode<nearest_neighbor>, rounding_direction "
                "= #dml.axis_direction<decreasing>, scales = array<f32: 1.0>, "
                "input_pixel_offsets = array<f32: 2.0>, output_pixel_offsets = "
                "array<f32: 0.0>} : (tensor<3xf32>) -> tensor<6xf32>",
                {makeIota(DataType::FLOAT32, {3})})),
            (Numbers{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.resample2 %0 {mode = "
                "#dml.interpolation_mode<nearest_neighbor>, rounding_direction "
                "= #dml.axis_direction<decreasing>, scales = array<f32: 1.0>, "
                "input_pixel_offsets = array<f32: -2.0>, output_pixel_offsets "
                "= array<f32: 0.0>} : (tensor<3xf32>) -> tensor<2xf32>",
                {makeIota(DataType::FLOAT32, {3})})),
            (Numbers{3, 3}));
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.resample1 %0 {mode = #dml.interpolation_mode<linear>, "
                "scales = array<f32: 1.0>, input_pixel_offsets = array<f32: "
                "1.5>, output_pixel_offsets = array<f32: 0.0>} : "
                "(tensor<3xf32>) -> tensor<5xf32>",
                {makeIota(DataType::FLOAT32, {3})})),
            (Numbers{1, 1, 1.5, 2.5, 3}));
}

/// Corners meet where the scale is (5 - 1) / (3 - 1) and offsets are 0.
TEST_F(ResampleTest, AlignedCorners) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.resample2 %0 {mode = #dml.interpolation_mode<linear>, "
                "rounding_direction = #dml.axis_direction<increasing>, scales "
                "= array<f32: 2.0>, input_pixel_offsets = array<f32: 0.0>, "
                "output_pixel_offsets = array<f32: 0.0>} : (tensor<3xf32>) -> "
                "tensor<5xf32>",
                {makeIota(DataType::FLOAT32, {3})})),
            (Numbers{1, 1.5, 2, 2.5, 3}));
}

TEST_F(ResampleTest, UpsampleIsResampleWithWholeScales) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.upsample_2d %0 {mode = "
          "#dml.interpolation_mode<nearest_neighbor>, scale_size = array<i64: "
          "2, 3>} : (tensor<1x1x1x2xf32>) -> tensor<1x1x2x6xf32>",
          {makeIota(DataType::FLOAT32, {1, 1, 1, 2})})),
      (Numbers{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.upsample_2d %0 {mode = #dml.interpolation_mode<linear>, "
                "scale_size = array<i64: 1, 2>} : (tensor<1x1x1x2xf32>) -> "
                "tensor<1x1x1x4xf32>",
                {makeIota(DataType::FLOAT32, {1, 1, 1, 2})})),
            (Numbers{1, 1.25, 1.75, 2}));
}

//===----------------------------------------------------------------------===//
// Antialiasing and gradients
//===----------------------------------------------------------------------===//

/// Returns the attributes of an operator, with the offsets of pixel centres.
std::string getCentred(StringRef mode, StringRef direction, StringRef scales,
                       unsigned rank) {
  std::string before = "0.5", after = "-0.5";
  for (unsigned dim = 1; dim < rank; ++dim) {
    before += ", 0.5";
    after += ", -0.5";
  }
  std::string text =
      " %0 {mode = #dml.interpolation_mode<" + mode.str() + ">, ";
  if (!direction.empty())
    text +=
        "rounding_direction = #dml.axis_direction<" + direction.str() + ">, ";
  return text + "scales = array<f32: " + scales.str() +
         ">, input_pixel_offsets = array<f32: " + before +
         ">, output_pixel_offsets = array<f32: " + after + ">";
}

class AntialiasTest : public ReferenceTest {
protected:
  Numbers run(const Tensor &input, StringRef scales, StringRef type,
              StringRef mode = "linear", bool isAntialiased = true,
              Result result = Result::exact) {
    return getNumbers(interpretOp(
        "dml.resample3" +
            getCentred(mode, "increasing", scales, input.getRank()) +
            ", antialiased = " + (isAntialiased ? "true" : "false") + "} : (" +
            getTypeName(input) + ") -> " + type.str(),
        {input}, result));
  }
};

TEST_F(AntialiasTest, TheDescriptionsExample) {
  EXPECT_EQ(
      run(makeIota(DataType::FLOAT32, {1, 4}), "1.0, 0.5", "tensor<1x2xf32>"),
      (Numbers{1.625, 3.375}));
}

/// The result that ONNX Runtime's test of Resize expects, also on DirectML: the
/// numbers 1 to 16, scaled by 3/4 in both dimensions. By hand: f = 4/3, the
/// first position is 1/6, and the elements at -1, 0 and 1 have the weights 1/8,
/// 7/8 and 3/8, divided by 11/8.
TEST_F(AntialiasTest, ShrinksByLessThanTwo) {
  Tensor input = makeIota(DataType::FLOAT32, {4, 4});
  Numbers low = run(input, "0.75, 0.75", "tensor<3x3xf32>", "linear", true,
                    Result::lower),
          high = run(input, "0.75, 0.75", "tensor<3x3xf32>", "linear", true,
                     Result::upper);
  Numbers wanted = {26.0 / 11,  39.5 / 11,  53.0 / 11,  80.0 / 11, 8.5,
                    107.0 / 11, 134.0 / 11, 147.5 / 11, 161.0 / 11};
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_LE(low[i], wanted[i]);
    EXPECT_GE(high[i], wanted[i]);
    EXPECT_LT(high[i] - low[i], 1e-4);
  }
}

TEST_F(AntialiasTest, OnlyShrinkingLinearDimensionsAreAveraged) {
  Tensor input = makeIota(DataType::FLOAT32, {4});
  EXPECT_EQ(run(input, "2.0", "tensor<8xf32>"),
            (Numbers{1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4}));
  EXPECT_EQ(run(input, "0.5", "tensor<2xf32>", "linear", false),
            (Numbers{1.5, 3.5}));
  // x = 0.5 and 2.5, rounded up.
  EXPECT_EQ(run(input, "0.5", "tensor<2xf32>", "nearest_neighbor"),
            (Numbers{2, 4}));
}

/// f is about 2^100, and x about f / 2: the filter reaches from -f / 2 to
/// 3 f / 2. An eighth of its weight lies before the first element and nearly
/// all of the rest behind the last one.
TEST_F(AntialiasTest, AScaleMayBeTiny) {
  Numbers output = run(makeTensor(DataType::FLOAT32, {3}, {0, 5, 8}),
                       "7.888609e-31", "tensor<1xf32>");
  EXPECT_NEAR(output[0], 7, 1e-5);
}

/// With f = 4 and x = 1.5, the elements at -2 and 5 have the weight 1/8,
/// divided by 4; those at -1 and 4 have 3/8, those at 0 and 3 have 5/8, and
/// those at 1 and 2 have 7/8. The first element stands for the elements before
/// it.
TEST_F(AntialiasTest, EightBitsAndHalves) {
  EXPECT_EQ(run(makeTensor(DataType::UINT8, {4}, {0, 255, 255, 255}), "0.25",
                "tensor<1xui8>"),
            (Numbers{183})); // 255 (1 - 9/32)
  EXPECT_EQ(run(makeTensor(DataType::FLOAT16, {4}, {1, 2, 3, 4}), "0.5",
                "tensor<2xf16>"),
            (Numbers{1.625, 3.375}));
}

class ResampleGradTest : public ReferenceTest {
protected:
  Numbers run(const Tensor &input, StringRef mode, StringRef direction,
              StringRef scales, StringRef type) {
    return getNumbers(interpretOp(
        (direction.empty() ? "dml.resample_grad" : "dml.resample_grad1") +
            getCentred(mode, direction, scales, input.getRank()) + "} : (" +
            getTypeName(input) + ") -> " + type.str(),
        {input}));
  }
};

TEST_F(ResampleGradTest, ThePagesExample) {
  Tensor input = makeTensor(DataType::FLOAT32, {1, 3}, {4, 5, 6});
  EXPECT_EQ(run(input, "nearest_neighbor", "decreasing", "0.5, 1.5",
                "tensor<2x2xf32>"),
            (Numbers{9, 6, 0, 0}));
  // Ties go to the upper element.
  EXPECT_EQ(run(input, "nearest_neighbor", "increasing", "0.5, 1.5",
                "tensor<2x2xf32>"),
            (Numbers{0, 0, 4, 11}));
  EXPECT_EQ(run(input, "nearest_neighbor", "", "0.5, 1.5", "tensor<2x2xf32>"),
            (Numbers{0, 0, 4, 11}));
}

/// x = -0.25, 0.25, 0.75, 1.25: the weights of the first element are 1, 3/4,
/// 1/4 and 0.
TEST_F(ResampleGradTest, LinearByHand) {
  for (StringRef direction : {"", "increasing", "decreasing"})
    EXPECT_EQ(run(makeTensor(DataType::FLOAT16, {4}, {16, 8, 4, 1}), "linear",
                  direction, "2.0", "tensor<2xf16>"),
              (Numbers{16 + 6 + 1, 2 + 3 + 1}));
}

TEST_F(ResampleGradTest, AllDimensionsAddUp) {
  // Every element of a plane is read four times.
  EXPECT_EQ(run(makeIota(DataType::FLOAT32, {1, 1, 4, 4}), "nearest_neighbor",
                "", "1.0, 1.0, 2.0, 2.0", "tensor<1x1x2x2xf32>"),
            (Numbers{1 + 2 + 5 + 6, 3 + 4 + 7 + 8, 9 + 10 + 13 + 14,
                     11 + 12 + 15 + 16}));
}

/// Positions behind the last element read it, those that nobody reads get 0.
TEST_F(ResampleGradTest, EdgesAndWhatIsNotRead) {
  EXPECT_EQ(run(makeIota(DataType::FLOAT32, {5}), "linear", "", "1.0",
                "tensor<2xf32>"),
            (Numbers{1, 2 + 3 + 4 + 5}));
  EXPECT_EQ(run(makeIota(DataType::FLOAT32, {2}), "linear", "", "1.0",
                "tensor<4xf32>"),
            (Numbers{1, 2, 0, 0}));
}

/// The bits of a number with bounds are not known, so that their complement may
/// be any number, even -infinity. The sum of -infinity and infinity must not
/// make the lower bound NaN.
TEST_F(ResampleTest, InfinitiesOfBoundsMakeNoNaN) {
  const char *source = R"(
    func.func @main(%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
      %0 = dml.element_wise_exp %x : (tensor<1xf32>) -> tensor<1xf32>
      %1 = dml.element_wise_bit_not %0 : (tensor<1xf32>) -> tensor<1xf32>
      %2 = dml.join %1, %y {axis = 0 : i64}
          : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
      %3 = dml.resample %2 {mode = #dml.interpolation_mode<linear>,
          scales = array<f32: 0.5>} : (tensor<2xf32>) -> tensor<1xf32>
      return %3 : tensor<1xf32>
    })";
  std::vector<Tensor> inputs = {makeTensor(DataType::FLOAT32, {1}, {3}),
                                makeTensor(DataType::FLOAT32, {1}, {infinity})};
  auto get = [&](Result result) {
    auto outputs = interpretSource(source, inputs, result);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    return succeeded(outputs) ? outputs->front().getNumber(0) : 0;
  };
  EXPECT_EQ(get(Result::lower), -infinity);
  EXPECT_TRUE(std::isnan(get(Result::upper)));
}

TEST_F(ResampleGradTest, GradientsWithoutWeightTakeNoPart) {
  EXPECT_EQ(run(makeTensor(DataType::FLOAT32, {3}, {infinity, 2, nan}),
                "linear", "", "1.0", "tensor<3xf32>")[1],
            2);
}

/// The gradient is the transpose of the operator: for any x and g, the dot
/// products of resample(x) with g and of x with grad(g) are equal.
TEST_F(ResampleGradTest, IsTheTransposeOfResample2) {
  std::mt19937 random(7);
  for (StringRef mode : {"nearest_neighbor", "linear"})
    for (StringRef direction : {"increasing", "decreasing"})
      for (StringRef scales : {"2.0, 0.5", "1.5, 0.75", "0.3, 3.0"}) {
        std::vector<double> x(20), g(42);
        for (double &value : x)
          value = random() % 16;
        for (double &value : g)
          value = random() % 16;
        Tensor input = makeTensor(DataType::FLOAT32, {4, 5}, x),
               gradient = makeTensor(DataType::FLOAT32, {7, 6}, g);
        std::string attributes = getCentred(mode, direction, scales, 2);
        Numbers output = getNumbers(
            interpretOp("dml.resample2" + attributes +
                            "} : (tensor<4x5xf32>) -> tensor<7x6xf32>",
                        {input}));
        Numbers back = getNumbers(
            interpretOp("dml.resample_grad1" + attributes +
                            "} : (tensor<7x6xf32>) -> tensor<4x5xf32>",
                        {gradient}));
        double forward = 0, backward = 0;
        for (size_t i = 0; i < g.size(); ++i)
          forward += g[i] * output[i];
        for (size_t i = 0; i < x.size(); ++i)
          backward += x[i] * back[i];
        EXPECT_NEAR(forward, backward, 1e-3) << attributes;
      }
}

} // namespace
