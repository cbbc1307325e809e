//===- RegionTest.cpp - Tests of the interpreter's pooling of regions -----===//
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

/// What the operators that sample regions are told.
struct Sampling {
  std::string function = "average", mode = "linear";
  std::string scale = "1.0", inputOffset = "0.5", outputOffset = "-0.5";
  std::string outside = "0.0";
  int least = 1, most = 1;
  bool alignsCorners = false;

  std::string getText(bool hasOffsets) const {
    std::string text =
        "{reduction_function = #dml.reduce_function<" + function +
        ">, interpolation_mode = #dml.interpolation_mode<" + mode +
        ">, spatial_scale_x = " + scale + " : f32, spatial_scale_y = " + scale +
        " : f32, out_of_bounds_input_value = " + outside +
        " : f32, minimum_samples_per_output = " + std::to_string(least) +
        " : i64, maximum_samples_per_output = " + std::to_string(most) +
        " : i64";
    if (hasOffsets)
      text += ", input_pixel_offset = " + inputOffset +
              " : f32, output_pixel_offset = " + outputOffset +
              " : f32, align_regions_to_corners = " +
              (alignsCorners ? "true" : "false");
    return text + "}";
  }
};

class RegionTest : public ReferenceTest {
protected:
  /// Regions of images, all of the first one unless `indices` says otherwise.
  Numbers align(const Tensor &input, const Numbers &regions, int64_t height,
                int64_t width, const Sampling &sampling,
                const Numbers &indices = {}, bool isOld = false,
                Result result = Result::exact) {
    auto count = static_cast<int64_t>(regions.size() / 4);
    Tensor roi = makeTensor(input.getDataType(), {count, 4}, regions);
    Tensor batch = makeTensor(DataType::UINT32, {count},
                              indices.empty() ? Numbers(count, 0) : indices);
    Tensor output = *Tensor::create(
        input.getDataType(), {count, input.getShape()[1], height, width});
    std::string text = isOld ? "dml.roi_align" : "dml.roi_align1";
    return getNumbers(
        interpretOp(text + " %0, %1, %2 " + sampling.getText(!isOld) + " : (" +
                        getTypeName(input) + ", " + getTypeName(roi) + ", " +
                        getTypeName(batch) + ") -> " + getTypeName(output),
                    {input, roi, batch}, result));
  }

  Numbers pool(const Tensor &input, const Numbers &regions, int64_t height,
               int64_t width, const std::string &scale = "1.0") {
    auto count = static_cast<int64_t>(regions.size() / 5);
    Tensor roi = makeTensor(input.getDataType(), {1, 1, count, 5}, regions);
    Tensor output = *Tensor::create(
        input.getDataType(), {count, input.getShape()[1], height, width});
    return getNumbers(interpretOp(
        "dml.roi_pooling %0, %1 {spatial_scale = " + scale +
            " : f32, pooled_size = array<i64: " + std::to_string(height) +
            ", " + std::to_string(width) + ">} : (" + getTypeName(input) +
            ", " + getTypeName(roi) + ") -> " + getTypeName(output),
        {input, roi}));
  }
};

/// Elements 10 y + x.
Tensor makePlane(DataType type = DataType::FLOAT32) {
  Numbers values;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      values.push_back(10 * y + x);
  return makeTensor(type, {1, 1, 4, 4}, values);
}

/// Two channels of 5 x 5 elements, which count up.
Tensor makeChannels() {
  Numbers values;
  for (int i = 0; i < 50; ++i)
    values.push_back(i);
  return makeTensor(DataType::FLOAT32, {1, 2, 5, 5}, values);
}

/// Points, some of them outside, with the scale 1/16.
const Numbers points = {7,   5,  7,  5, -15, -15, -15, -15, -10, 21,
                        -10, 21, 13, 8, 13,  8,   -14, 19,  -14, 19};

TEST_F(RegionTest, OneSampleEach) {
  for (bool isOld : {false, true})
    EXPECT_EQ(align(makePlane(), {0, 0, 4, 4}, 2, 2, {}, {}, isOld),
              (Numbers{5.5, 7.5, 25.5, 27.5}));
  EXPECT_EQ(align(makePlane(DataType::FLOAT16), {0, 0, 4, 4}, 2, 2, {}),
            (Numbers{5.5, 7.5, 25.5, 27.5}));
}

TEST_F(RegionTest, MaximumOfSamples) {
  Sampling sampling;
  sampling.function = "max";
  sampling.least = sampling.most = 2;
  EXPECT_EQ(align(makePlane(), {0, 0, 4, 4}, 2, 2, sampling),
            (Numbers{11, 13, 31, 33}));
}

TEST_F(RegionTest, InvertedRegionsAreMirrored) {
  EXPECT_EQ(align(makePlane(), {4, 0, 0, 4}, 2, 2, {}),
            (Numbers{7.5, 5.5, 27.5, 25.5}));
}

/// The values of ONNX Runtime's test of RoiAlign, which runs on DirectML.
TEST_F(RegionTest, EmptyRegionsPartlyOutside) {
  Sampling sampling;
  sampling.scale = "0.0625";
  sampling.least = sampling.most = 2;
  for (bool isOld : {false, true})
    EXPECT_EQ(align(makeChannels(), points, 1, 2, sampling, {}, isOld),
              (Numbers{0, 0, 25,     25,     0,       0,       0, 0, 0, 0,
                       0, 0, 0.3125, 0.3125, 25.3125, 25.3125, 0, 0, 0, 0}));
}

TEST_F(RegionTest, WithoutAnInputOffset) {
  Sampling sampling;
  sampling.scale = "0.0625";
  sampling.inputOffset = "0.0";
  sampling.least = sampling.most = 2;
  for (const char *function : {"average", "max"}) {
    sampling.function = function;
    EXPECT_EQ(
        align(makeChannels(), points, 1, 2, sampling),
        (Numbers{2,       2,       27,     27,      0,       0,      25,
                 25,      6.5625,  6.5625, 31.5625, 31.5625, 3.3125, 3.3125,
                 28.3125, 28.3125, 5.9375, 5.9375,  30.9375, 30.9375}));
  }
}

TEST_F(RegionTest, CornersAreAligned) {
  Sampling sampling;
  sampling.inputOffset = sampling.outputOffset = "0.0";
  sampling.alignsCorners = true;
  EXPECT_EQ(align(makePlane(), {0, 0, 3, 3}, 2, 2, sampling),
            (Numbers{0, 3, 30, 33}));
  // One sample lies in the middle.
  EXPECT_EQ(align(makePlane(), {0, 0, 3, 3}, 1, 1, sampling), (Numbers{16.5}));
}

/// The forward operator of the documentation's example of the gradient. Ties
/// select the lower element.
TEST_F(RegionTest, NearestNeighbour) {
  Sampling sampling;
  sampling.mode = "nearest_neighbor";
  EXPECT_EQ(align(makeIota(DataType::FLOAT32, {1, 1, 4, 4}),
                  {0, 0, 2, 2, 2, 0, 4, 2, 0, 2, 2, 4, 2, 2, 4, 4}, 1, 3,
                  sampling),
            (Numbers{1, 1, 2, 3, 3, 4, 9, 9, 10, 11, 11, 12}));
}

/// As many samples as the region has pixels: ceil(3 / 2) = 2 in each of two
/// columns, at x = 0.375, 1.125, 1.875 and 2.625 less the offset of 0.5, and 2
/// rows, the second at y = 1.5. The last of each is the largest.
TEST_F(RegionTest, TheNumberOfSamplesFollowsFromTheRegion) {
  Sampling sampling;
  sampling.function = "max";
  sampling.most = 1000;
  EXPECT_EQ(align(makePlane(), {0, 0.5, 3, 2.5}, 1, 2, sampling),
            (Numbers{15.625, 17.125}));
  // No more than are allowed: the second row alone, at y = 1.
  sampling.most = 1;
  EXPECT_EQ(align(makePlane(), {0, 0.5, 3, 2.5}, 1, 2, sampling),
            (Numbers{10.25, 11.75}));
}

TEST_F(RegionTest, NoDataLeadsOutside) {
  Sampling sampling;
  sampling.outside = "7.0";
  sampling.most = 9;
  for (const char *function : {"average", "max"}) {
    sampling.function = function;
    for (const char *mode : {"linear", "nearest_neighbor"}) {
      sampling.mode = mode;
      for (double corner : {nan, infinity, -infinity, 1e30, -1e30})
        EXPECT_EQ(align(makePlane(), {corner, corner, corner, corner}, 1, 1,
                        sampling),
                  (Numbers{7}))
            << function << " " << mode << " " << corner;
    }
  }
  // The last image stands for those behind it.
  Tensor images = makeTensor(DataType::FLOAT32, {2, 1, 1, 1}, {3, 4});
  EXPECT_EQ(align(images, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}, 1, 1, {},
                  {0, 1, 4294967295.0}),
            (Numbers{3, 4, 4}));
}

/// A position that f32 leaves open near -1 is inside or outside.
TEST_F(RegionTest, BoundsHoldBothSidesOfAnEdge) {
  Sampling sampling;
  sampling.outside = "100.0";
  // x = 0.5 * (3 / 3) + -1 - 0.5 = -1, and a division by 3 is not exact.
  Numbers low = align(makePlane(), {-1, 0, 2, 4}, 1, 3, sampling, {}, false,
                      Result::lower),
          high = align(makePlane(), {-1, 0, 2, 4}, 1, 3, sampling, {}, false,
                       Result::upper);
  EXPECT_LE(low[0], 15);
  EXPECT_GE(high[0], 100);
  EXPECT_LT(high[1], 16);
}

TEST_F(RegionTest, ANeighbourWithoutWeightTakesNoPart) {
  EXPECT_EQ(align(makeTensor(DataType::FLOAT32, {1, 1, 1, 2}, {5, infinity}),
                  {0, 0, 1, 1}, 1, 1, {}),
            (Numbers{5}));
}

TEST_F(RegionTest, PoolingByHand) {
  Tensor input = makeIota(DataType::FLOAT32, {1, 1, 3, 3});
  EXPECT_EQ(pool(input, {0, 0, 0, 1, 2}, 1, 2), (Numbers{7, 8}));
  // Bins overlap where three columns become two.
  EXPECT_EQ(pool(input, {0, 0, 0, 2, 2}, 2, 2), (Numbers{5, 6, 8, 9}));
  // More bins than elements.
  EXPECT_EQ(pool(input, {0, 1, 1, 1, 1}, 2, 2), (Numbers{5, 5, 5, 5}));
}

TEST_F(RegionTest, PoolingRoundsCorners) {
  Tensor input = makeIota(DataType::FLOAT32, {1, 1, 1, 4});
  // 0.5 * 3 = 1.5 is 2; 0.5 * 1 = 0.5 is 1; -0.5 is -1.
  EXPECT_EQ(pool(input, {0, 0, 0, 3, 0}, 1, 1, "0.5"), (Numbers{3}));
  EXPECT_EQ(pool(input, {0, 0, 0, 1, 0}, 1, 1, "0.5"), (Numbers{2}));
  // Columns -1 and 0: of two bins the first is outside.
  EXPECT_EQ(pool(input, {0, -1, 0, 0, 0}, 1, 2, "0.5"), (Numbers{0, 1}));
}

TEST_F(RegionTest, PoolingIsSafeWithAnyData) {
  Tensor input = makeTensor(DataType::FLOAT32, {2, 1, 1, 2}, {-1, -2, -3, -4});
  // What lies outside has 0, an inverted region one element.
  EXPECT_EQ(pool(input, {0, 5, 0, 9, 0}, 1, 1), (Numbers{0}));
  EXPECT_EQ(pool(input, {0, 1, 0, 0, 0}, 1, 1), (Numbers{-2}));
  EXPECT_EQ(pool(input, {9, 0, 0, 1, 0, -3, 0, 0, 1, 0, nan, 0, 0, 1, 0}, 1, 1),
            (Numbers{-3, -1, -1}));
  EXPECT_EQ(pool(input, {0, nan, nan, nan, nan}, 1, 1), (Numbers{-1}));
  EXPECT_EQ(pool(input, {0, -infinity, 0, infinity, 0}, 1, 1), (Numbers{-1}));
  // A number wins against NaNs.
  Tensor someNaN = makeTensor(DataType::FLOAT32, {1, 1, 1, 3}, {nan, 2, nan});
  EXPECT_EQ(pool(someNaN, {0, 0, 0, 2, 0}, 1, 1), (Numbers{2}));
  EXPECT_TRUE(std::isnan(pool(someNaN, {0, 0, 0, 0, 0}, 1, 1)[0]));
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

class RegionGradTest : public RegionTest {
protected:
  /// Returns the gradients of the images, and of the regions, which belong to
  /// the first image.
  std::pair<Numbers, Numbers> run(const Tensor &input, const Numbers &regions,
                                  const Tensor &gradient,
                                  const Sampling &sampling) {
    int64_t count = gradient.getShape()[0];
    Tensor roi = makeTensor(input.getDataType(), {count, 4}, regions);
    Tensor batch = makeTensor(DataType::UINT32, {count}, Numbers(count, 0));
    std::string types = getTypeName(input) + ", " + getTypeName(gradient) +
                        ", " + getTypeName(roi) + ", " + getTypeName(batch);
    std::string results = getTypeName(input) + ", " + getTypeName(roi);
    std::string attributes = sampling.getText(true);
    std::string outside = "out_of_bounds_input_value = 0.0 : f32, ";
    attributes.erase(attributes.find(outside), outside.size());
    attributes.pop_back();
    auto outputs = interpretSource(
        "func.func @main(%0: " + getTypeName(input) +
            ", %1: " + getTypeName(gradient) + ", %2: " + getTypeName(roi) +
            ", %3: " + getTypeName(batch) + ") -> (" + results +
            ") {\n%r:2 = dml.roi_align_grad input(%0) %1, %2, %3 " +
            attributes + ", resultSegmentSizes = array<i32: 1, 1>} : (" +
            types + ") -> (" + results + ")\nreturn %r#0, %r#1 : " + results +
            "\n}",
        {input, gradient, roi, batch});
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    if (failed(outputs))
      return {};
    return {getNumbers((*outputs)[0]), getNumbers((*outputs)[1])};
  }
};

TEST_F(RegionGradTest, ThePagesExample) {
  Sampling sampling;
  sampling.mode = "nearest_neighbor";
  auto [ofImages, ofRegions] =
      run(makePlane(), {0, 0, 2, 2, 2, 0, 4, 2, 0, 2, 2, 4, 2, 2, 4, 4},
          makeIota(DataType::FLOAT32, {4, 1, 1, 3}), sampling);
  EXPECT_EQ(ofImages, (Numbers{3, 3, 9, 6, 0, 0, 0, 0, //
                               15, 9, 21, 12, 0, 0, 0, 0}));
  EXPECT_EQ(ofRegions, Numbers(16, 0));
}

TEST_F(RegionGradTest, LinearWeights) {
  for (const char *function : {"average", "max"}) {
    Sampling sampling;
    sampling.function = function;
    auto [ofImages, ofRegions] = run(
        makeTensor(DataType::FLOAT16, {1, 1, 2, 2}, {1, 2, 3, 5}), {0, 0, 2, 2},
        makeTensor(DataType::FLOAT16, {1, 1, 1, 2}, {8, 4}), sampling);
    EXPECT_EQ(ofImages, (Numbers{4, 2, 4, 2}));
    // Both samples lie at y = 0.5, where the columns differ by 2 and 3, and on
    // columns; moving either edge moves a sample half as far.
    EXPECT_EQ(ofRegions,
              (Numbers{0, 8 * 2 / 2 + 4 * 3 / 2, 0, 8 * 2 / 2 + 4 * 3 / 2}));
  }
}

/// Samples at 0, 1, 2 and 3 of a row: each pair has one largest.
TEST_F(RegionGradTest, OnlyTheLargestSampleHasAGradient) {
  Sampling sampling;
  sampling.function = "max";
  sampling.least = sampling.most = 2;
  Tensor gradient = makeTensor(DataType::FLOAT32, {1, 1, 1, 2}, {8, 4});
  EXPECT_EQ(run(makeTensor(DataType::FLOAT32, {1, 1, 1, 4}, {1, 2, 4, 3}),
                {0, 0, 4, 1}, gradient, sampling)
                .first,
            (Numbers{0, 8, 4, 0}));
  // The first of equal ones.
  EXPECT_EQ(run(makeTensor(DataType::FLOAT32, {1, 1, 1, 4}, {1, 1, 1, 1}),
                {0, 0, 4, 1}, gradient, sampling)
                .first,
            (Numbers{8, 0, 4, 0}));
}

TEST_F(RegionGradTest, SamplesOutOfBoundsAddNothing) {
  Tensor gradient = makeTensor(DataType::FLOAT32, {2, 1, 1, 1}, {8, 4});
  for (const char *function : {"average", "max"}) {
    Sampling sampling;
    sampling.function = function;
    auto [ofImages, ofRegions] = run(
        makePlane(), {9, 9, 12, 12, nan, 0, 1, infinity}, gradient, sampling);
    EXPECT_EQ(ofImages, Numbers(16, 0)) << function;
    EXPECT_EQ(ofRegions, Numbers(8, 0)) << function;
  }
}

/// For any gradient g, small changes of the image or of the region change the
/// outputs. The sum of g times these changes is the sum of the gradients times
/// the small changes.
TEST_F(RegionGradTest, AreTheDerivatives) {
  Numbers values;
  for (int i = 0; i < 30; ++i)
    values.push_back((i * 7) % 11);
  Tensor input = makeTensor(DataType::FLOAT32, {1, 1, 5, 6}, values);
  Numbers g = {3, -1, 2, 5};
  Tensor gradient = makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, g);
  const Numbers region = {0.3, 0.7, 5.1, 4.2};
  for (const char *function : {"average", "max"})
    for (bool alignsCorners : {false, true}) {
      Sampling sampling;
      sampling.function = function;
      sampling.least = sampling.most = 2;
      sampling.alignsCorners = alignsCorners;
      sampling.scale = "0.9";
      auto [ofImages, ofRegions] = run(input, region, gradient, sampling);
      auto getSum = [&](const Tensor &image, const Numbers &corners) {
        Numbers output = align(image, corners, 2, 2, sampling);
        double sum = 0;
        for (size_t i = 0; i < g.size(); ++i)
          sum += g[i] * output[i];
        return sum;
      };
      for (int corner = 0; corner < 4; ++corner) {
        // So small that the same samples stay the largest.
        const double step = 0x1p-10;
        Numbers before = region, after = region;
        before[corner] -= step;
        after[corner] += step;
        EXPECT_NEAR((getSum(input, after) - getSum(input, before)) / (2 * step),
                    ofRegions[corner], 0.02)
            << function << " " << corner << " " << alignsCorners;
      }
      for (int place = 0; place < 30; ++place) {
        Numbers before = values, after = values;
        before[place] -= 0x1p-6;
        after[place] += 0x1p-6;
        double slope =
            (getSum(makeTensor(DataType::FLOAT32, {1, 1, 5, 6}, after),
                    region) -
             getSum(makeTensor(DataType::FLOAT32, {1, 1, 5, 6}, before),
                    region)) /
            0x1p-5;
        EXPECT_NEAR(slope, ofImages[place], 0.01) << function << " " << place;
      }
    }
}

} // namespace
