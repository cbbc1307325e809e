//===- ContractionTest.cpp - Tests of the interpreter's sums of products --===//
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

std::string makeArray(const char *name, const std::vector<int64_t> &values) {
  std::string text = std::string(name) + " = array<i64";
  for (auto [index, value] : llvm::enumerate(values))
    text += (index ? ", " : ": ") + std::to_string(value);
  return text + ">, ";
}

class ConvolutionTest : public ReferenceTest {
protected:
  struct Options {
    const char *mode = "cross_correlation", *direction = "forward";
    std::vector<int64_t> strides = {1, 1}, dilations = {1, 1},
                         startPadding = {0, 0}, endPadding = {0, 0},
                         outputPadding = {0, 0};
    int64_t groups = 1;
  };

  Tensor convolve(const std::vector<Tensor> &operands, const Options &options,
                  std::vector<int64_t> shape, Result result = Result::exact) {
    std::string types;
    for (const Tensor &operand : operands)
      types += (types.empty() ? "" : ", ") + getTypeName(operand);
    return interpretOp(
        "dml.convolution %0, %1 " +
            std::string(operands.size() > 2 ? "bias(%2) " : "") +
            "{mode = #dml.convolution_mode<" + options.mode +
            ">, direction = #dml.convolution_direction<" + options.direction +
            ">, " + makeArray("strides", options.strides) +
            makeArray("dilations", options.dilations) +
            makeArray("start_padding", options.startPadding) +
            makeArray("end_padding", options.endPadding) +
            makeArray("output_padding", options.outputPadding) +
            "group_count = " + std::to_string(options.groups) + "} : (" +
            types + ") -> " +
            getTypeName(*Tensor::create(operands[0].getDataType(), shape)),
        operands, result);
  }
  Numbers convolveRow(std::vector<double> input, std::vector<double> filter,
                      const Options &options, int64_t size,
                      DataType type = DataType::FLOAT32,
                      Result result = Result::exact) {
    return getNumbers(
        convolve({makeTensor(type, {1, 1, 1, int64_t(input.size())}, input),
                  makeTensor(type, {1, 1, 1, int64_t(filter.size())}, filter)},
                 options, {1, 1, 1, size}, result));
  }
};

TEST_F(ConvolutionTest, ModesAndDirections) {
  std::vector<double> input = {1, 2, 3, 4}, filter = {1, 10};
  Options options;
  EXPECT_EQ(convolveRow(input, filter, options, 3), (Numbers{21, 32, 43}));
  options.mode = "convolution";
  EXPECT_EQ(convolveRow(input, filter, options, 3), (Numbers{12, 23, 34}));
  options.direction = "backward";
  EXPECT_EQ(convolveRow(input, filter, options, 5),
            (Numbers{10, 21, 32, 43, 4}));
  options.mode = "cross_correlation";
  EXPECT_EQ(convolveRow(input, filter, options, 5),
            (Numbers{1, 12, 23, 34, 40}));
}

TEST_F(ConvolutionTest, TwoDimensionsAndBothTypes) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16})
    EXPECT_EQ(getNumbers(convolve(
                  {makeIota(type, {1, 1, 3, 3}),
                   makeTensor(type, {1, 1, 2, 2}, {0.5, 0.5, 0.5, 0.5})},
                  {}, {1, 1, 2, 2})),
              (Numbers{6, 8, 12, 14}));
}

TEST_F(ConvolutionTest, StridesDilationsAndPadding) {
  Options options;
  options.strides = {1, 2};
  options.dilations = {1, 2};
  options.startPadding = options.endPadding = {0, 2};
  EXPECT_EQ(convolveRow({1, 2, 3, 4, 5, 6, 7}, {1, 10, 100}, options, 4),
            (Numbers{310, 531, 753, 75}));
}

TEST_F(ConvolutionTest, BackwardCropsAndExtends) {
  Options options;
  options.direction = "backward";
  options.strides = {1, 2};
  options.startPadding = options.endPadding = {0, 1};
  EXPECT_EQ(convolveRow({1, 2, 3}, {1, 10, 100}, options, 5),
            (Numbers{10, 102, 20, 203, 30}));
  // What output_padding adds is a sum like any other, or 0.
  options.outputPadding = {0, 1};
  EXPECT_EQ(convolveRow({1, 2, 3}, {1, 10, 100}, options, 6),
            (Numbers{10, 102, 20, 203, 30, 300}));
  options.outputPadding = {0, 3};
  EXPECT_EQ(convolveRow({1, 2, 3}, {1, 10, 100}, options, 8),
            (Numbers{10, 102, 20, 203, 30, 300, 0, 0}));
}

TEST_F(ConvolutionTest, Groups) {
  Tensor input = makeIota(DataType::FLOAT32, {1, 4, 1, 1}),
         filter = makeIota(DataType::FLOAT32, {4, 2, 1, 1});
  Options options;
  options.groups = 2;
  EXPECT_EQ(getNumbers(convolve({input, filter}, options, {1, 4, 1, 1})),
            (Numbers{5, 11, 39, 53}));
  options.direction = "backward";
  EXPECT_EQ(getNumbers(convolve({input, filter}, options, {1, 4, 1, 1})),
            (Numbers{7, 10, 43, 50}));
}

TEST_F(ConvolutionTest, DepthwiseWithBias) {
  Options options;
  options.groups = 2;
  EXPECT_EQ(getNumbers(convolve(
                {makeIota(DataType::FLOAT32, {1, 2, 1, 2}),
                 makeTensor(DataType::FLOAT32, {2, 1, 1, 1}, {2, -1}),
                 makeTensor(DataType::FLOAT32, {1, 2, 1, 1}, {1, 3.5})},
                options, {1, 2, 1, 2})),
            (Numbers{3, 5, 0.5, -0.5}));
}

TEST_F(ConvolutionTest, OneDimensionBackward) {
  Options options{"cross_correlation", "backward", {1}, {1}, {0}, {0}, {0}};
  Numbers found = getNumbers(
      convolve({makeTensor(DataType::FLOAT32, {1, 2, 3}, {0.1, 1, 2, 3, 4, 5}),
                makeTensor(DataType::FLOAT32, {2, 2, 3},
                           {1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1})},
               options, {1, 2, 5}));
  Numbers wanted = {18.1, 40.2, 66.3, 48, 26, 9.4, 22.5, 39.6, 30, 17};
  ASSERT_EQ(found.size(), wanted.size());
  for (auto [a, b] : llvm::zip(found, wanted))
    EXPECT_NEAR(a, b, 1e-5);
}

TEST_F(ConvolutionTest, ThreeDimensions) {
  Options options{"cross_correlation", "forward", {1, 1, 1}, {1, 1, 1},
                  {0, 0, 0},           {0, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(getNumbers(convolve({makeIota(DataType::FLOAT32, {1, 1, 2, 2, 2}),
                                 makeIota(DataType::FLOAT32, {1, 1, 2, 2, 2})},
                                options, {1, 1, 1, 1, 1})),
            (Numbers{204}));
}

TEST_F(ConvolutionTest, PaddingMeetsNoFilter) {
  Options options;
  options.startPadding = {0, 1};
  EXPECT_EQ(convolveRow({3, 4}, {infinity, 1}, options, 2)[0], 3);
  EXPECT_EQ(convolveRow({3, 4}, {infinity, 1}, options, 2)[1], infinity);
  EXPECT_EQ(convolveRow({3, 4}, {nan, 1}, options, 2)[0], 3);
  EXPECT_TRUE(std::isnan(convolveRow({3, 4}, {nan, 1}, options, 2)[1]));
}

// 1 + 2^-24 - 1 is 0 or 2^-24 or 2^-23: it depends on the order and the
// rounding.
TEST_F(ConvolutionTest, BoundsHoldForEveryOrder) {
  auto get = [&](Result result) {
    return convolveRow({1, 0x1p-24, -1}, {1, 1, 1}, {}, 1, DataType::FLOAT32,
                       result)[0];
  };
  EXPECT_EQ(get(Result::exact), 0x1p-24);
  EXPECT_LE(get(Result::lower), 0);
  EXPECT_GE(get(Result::upper), 0x1p-23);
  // Not more than a rounding for each term.
  EXPECT_GE(get(Result::lower), -9 * 0x1p-23);
  EXPECT_LE(get(Result::upper), 9 * 0x1p-23);
}

TEST_F(ConvolutionTest, SumsMayOverflowInSomeOrder) {
  // The exact sum is 3e38, but the first two numbers alone are too large.
  EXPECT_EQ(convolveRow({3e38, 3e38, -3e38}, {1, 1, 1}, {}, 1,
                        DataType::FLOAT32, Result::upper)[0],
            INFINITY);
  // Infinities of both signs may meet.
  EXPECT_TRUE(std::isnan(convolveRow({3e38, 3e38, -3e38, -3e38}, {1, 1, 1, 1},
                                     {}, 1, DataType::FLOAT32,
                                     Result::upper)[0]));
}

TEST_F(ConvolutionTest, HalvesAreAddedUpInSinglePrecision) {
  // In f16, 2048 + 1 is 2048.
  EXPECT_EQ(convolveRow({2048, 1, 1}, {1, 1, 1}, {}, 1, DataType::FLOAT16,
                        Result::lower)[0],
            2050);
}

class GemmTest : public ReferenceTest {
protected:
  Tensor multiply(const std::vector<Tensor> &operands, bool transA, bool transB,
                  double alpha, double beta, std::vector<int64_t> shape,
                  Result result = Result::exact) {
    std::string types;
    for (const Tensor &operand : operands)
      types += (types.empty() ? "" : ", ") + getTypeName(operand);
    auto transform = [](const char *name, bool isTransposed) {
      return std::string(name) + " = #dml.matrix_transform<" +
             (isTransposed ? "transpose>, " : "none>, ");
    };
    return interpretOp(
        "dml.gemm %0, %1 " + std::string(operands.size() > 2 ? "c(%2) " : "") +
            "{" + transform("trans_a", transA) + transform("trans_b", transB) +
            "alpha = " + std::to_string(alpha) + " : f32, beta = " +
            std::to_string(beta) + " : f32} : (" + types + ") -> " +
            getTypeName(*Tensor::create(operands[0].getDataType(), shape)),
        operands, result);
  }
};

TEST_F(GemmTest, OuterProductPlusC) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16})
    EXPECT_EQ(getNumbers(multiply(
                  {makeTensor(type, {1, 1, 3, 1}, {1, 2, 3}),
                   makeTensor(type, {1, 1, 1, 3}, {4, 5, 6}),
                   makeTensor(type, {1, 1, 3, 3}, {2, 2, 2, 2, 2, 2, 2, 2, 2})},
                  false, false, 1, 1, {1, 1, 3, 3})),
              (Numbers{6, 7, 8, 10, 12, 14, 14, 17, 20}));
}

TEST_F(GemmTest, TransposedAndScaled) {
  Tensor a = makeIota(DataType::FLOAT32, {3, 2}),
         b = makeTensor(DataType::FLOAT32, {2, 3}, {1, 0, 2, 0, 1, 3}),
         c = makeTensor(DataType::FLOAT32, {2, 2}, {10, 20, 10, 20});
  EXPECT_EQ(getNumbers(multiply({a, b, c}, true, true, 0.5, -1, {2, 2})),
            (Numbers{-4.5, -11, -3, -9}));
  // Each matrix transposed alone gives the same of the other's transpose.
  Tensor aT = makeTensor(DataType::FLOAT32, {2, 3}, {1, 3, 5, 2, 4, 6}),
         bT = makeTensor(DataType::FLOAT32, {3, 2}, {1, 0, 0, 1, 2, 3});
  EXPECT_EQ(getNumbers(multiply({aT, b, c}, false, true, 0.5, -1, {2, 2})),
            (Numbers{-4.5, -11, -3, -9}));
  EXPECT_EQ(getNumbers(multiply({a, bT, c}, true, false, 0.5, -1, {2, 2})),
            (Numbers{-4.5, -11, -3, -9}));
}

TEST_F(GemmTest, EachMatrixByItself) {
  EXPECT_EQ(getNumbers(multiply(
                {makeIota(DataType::FLOAT32, {1, 2, 1, 2}),
                 makeTensor(DataType::FLOAT32, {1, 2, 2, 1}, {1, 1, 2, 0})},
                false, false, 1, 1, {1, 2, 1, 1})),
            (Numbers{3, 6}));
}

TEST_F(GemmTest, CCountsWhateverBetaIs) {
  auto get = [&](double c, Result result) {
    return getNumbers(multiply({makeTensor(DataType::FLOAT32, {1, 1}, {2}),
                                makeTensor(DataType::FLOAT32, {1, 1}, {3}),
                                makeTensor(DataType::FLOAT32, {1, 1}, {c})},
                               false, false, 1, 0, {1, 1}, result))[0];
  };
  EXPECT_EQ(get(5, Result::exact), 6);
  EXPECT_TRUE(std::isnan(get(nan, Result::upper)));
}

} // namespace
