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
    /// Further attributes.
    std::string more = "";
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
            "group_count = " + std::to_string(options.groups) + options.more +
            "} : (" + types + ") -> " +
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

// The zeros of the padding are factors: 0 times infinity is any number, or NaN.
TEST_F(ConvolutionTest, PaddingIsZero) {
  Options options;
  options.startPadding = {0, 1};
  EXPECT_EQ(convolveRow({3, 4}, {5, 1}, options, 2)[0], 3);
  EXPECT_TRUE(std::isnan(convolveRow({3, 4}, {infinity, 1}, options, 2)[0]));
  EXPECT_EQ(convolveRow({3, 4}, {infinity, 1}, options, 2)[1], infinity);
  EXPECT_TRUE(std::isnan(convolveRow({3, 4}, {nan, 1}, options, 2)[0]));
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
  EXPECT_TRUE(
      std::isnan(convolveRow({3e38, 3e38, -3e38, -3e38}, {1, 1, 1, 1}, {}, 1,
                             DataType::FLOAT32, Result::upper)[0]));
}

TEST_F(ConvolutionTest, HalvesAreAddedUpInSinglePrecision) {
  // In f16, 2048 + 1 is 2048.
  EXPECT_EQ(convolveRow({2048, 1, 1}, {1, 1, 1}, {}, 1, DataType::FLOAT16,
                        Result::lower)[0],
            2050);
}

TEST_F(ConvolutionTest, ActivationAfterBias) {
  Options options;
  options.more = ", fused_activation = #dml.activation<relu>";
  EXPECT_EQ(getNumbers(convolve(
                {makeTensor(DataType::FLOAT32, {1, 1, 1, 3}, {1, 2, 3}),
                 makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {-2}),
                 makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {4.5})},
                options, {1, 1, 1, 3})),
            (Numbers{2.5, 0.5, 0}));
}

TEST_F(ConvolutionTest, ActivationOfASumThatIsNotRounded) {
  // 2049 is no f16: rounded, it would be 2048.
  Options options;
  options.more = ", fused_activation = #dml.activation<linear, {alpha = 2.0 : "
                 "f32, beta = -4096.0 : f32}>";
  EXPECT_EQ(convolveRow({2048, 1}, {1, 1}, options, 1, DataType::FLOAT16)[0],
            2);
}

class GemmTest : public ReferenceTest {
protected:
  Tensor multiply(const std::vector<Tensor> &operands, bool transA, bool transB,
                  double alpha, double beta, std::vector<int64_t> shape,
                  Result result = Result::exact, const std::string &more = "") {
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
            std::to_string(beta) + " : f32" + more + "} : (" + types + ") -> " +
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

TEST_F(GemmTest, ActivationOfTheWhole) {
  auto get = [&](const std::string &activation) {
    return getNumbers(
        multiply({makeTensor(DataType::FLOAT32, {3, 1}, {1, 2, 3}),
                  makeTensor(DataType::FLOAT32, {1, 1}, {4}),
                  makeTensor(DataType::FLOAT32, {3, 1}, {-3, 5, 7})},
                 false, false, 0.5, 1, {3, 1}, Result::exact,
                 ", fused_activation = #dml.activation<" + activation + ">"));
  };
  EXPECT_EQ(get("identity"), (Numbers{-1, 9, 13}));
  EXPECT_EQ(get("leaky_relu, {alpha = 0.25 : f32}"), (Numbers{-0.25, 9, 13}));
  EXPECT_EQ(get("clip, {min = 0.0 : f32, max = 10.0 : f32}"),
            (Numbers{0, 9, 10}));
}

TEST_F(GemmTest, FusedSoftmax) {
  constexpr double log3 = 1.0986122886681098;
  auto get = [&](const std::string &activation) {
    return getNumbers(
        multiply({makeTensor(DataType::FLOAT32, {2, 1}, {0, 1}),
                  makeTensor(DataType::FLOAT32, {1, 2}, {0, log3})},
                 false, false, 1, 1, {2, 2}, Result::exact,
                 ", fused_activation = #dml.activation<" + activation + ">"));
  };
  // The sums are [0, 0] and [0, ln 3]. Along rows, the shares are halves, and
  // the quarters of 1 and 3.
  for (const char *activation :
       {"softmax", "softmax1, {axes = array<i64: 1>}"}) {
    Numbers shares = get(activation);
    EXPECT_EQ(shares[0], 0.5);
    EXPECT_EQ(shares[1], 0.5);
    EXPECT_NEAR(shares[2], 0.25, 1e-6);
    EXPECT_NEAR(shares[3], 0.75, 1e-6);
  }
  // Along both dimensions they are 1, 1, 1 and 3 of 6.
  Numbers shares = get("softmax1, {axes = array<i64: 0, 1>}");
  EXPECT_NEAR(shares[0], 1.0 / 6, 1e-6);
  EXPECT_NEAR(shares[3], 0.5, 1e-6);
  EXPECT_EQ(get("softmax1, {axes = array<i64>}"), (Numbers{1, 1, 1, 1}));
}

TEST_F(GemmTest, SumsAreRoundedBeforeASoftmax) {
  // The sums are 2049 and 2048, and f16 has 2048 for both.
  EXPECT_EQ(
      getNumbers(multiply({makeTensor(DataType::FLOAT16, {1, 2}, {2048, 1}),
                           makeTensor(DataType::FLOAT16, {2, 2}, {1, 1, 1, 0})},
                          false, false, 1, 1, {1, 2}, Result::exact,
                          ", fused_activation = #dml.activation<softmax>")),
      (Numbers{0.5, 0.5}));
}

//===----------------------------------------------------------------------===//
// Quantized numbers
//===----------------------------------------------------------------------===//

/// An operand and the name that it has in the operator's text, "" for none.
struct Named {
  std::string name;
  Tensor tensor;
};

class QuantizedTest : public ReferenceTest {
protected:
  Tensor run(const std::string &op, const std::vector<Named> &operands,
             const std::string &attributes, DataType type,
             const std::vector<int64_t> &shape, Result result = Result::exact) {
    std::string text = op, types;
    std::vector<Tensor> tensors;
    for (auto [index, operand] : llvm::enumerate(operands)) {
      std::string value = "%" + std::to_string(index);
      text += operand.name.empty() ? (index ? ", " : " ") + value
                                   : " " + operand.name + "(" + value + ")";
      types += (index ? ", " : "") + getTypeName(operand.tensor);
      tensors.push_back(operand.tensor);
    }
    return interpretOp(text + attributes + " : (" + types + ") -> " +
                           getTypeName(*Tensor::create(type, shape)),
                       tensors, result);
  }
  Numbers convolve(const std::string &op, const std::vector<Named> &operands,
                   DataType type, const std::vector<int64_t> &shape,
                   std::vector<int64_t> padding = {}, int64_t groups = 1,
                   Result result = Result::exact) {
    size_t numSpatial = shape.size() - 2;
    std::vector<int64_t> ones(numSpatial, 1);
    padding.resize(numSpatial);
    return getNumbers(run("dml." + op, operands,
                          " {" + makeArray("strides", ones) +
                              makeArray("dilations", ones) +
                              makeArray("start_padding", padding) +
                              makeArray("end_padding", padding) +
                              "group_count = " + std::to_string(groups) + "}",
                          type, shape, result));
  }
  /// A product of a row and a column of one number each.
  Numbers quantize(double a, double b, double scale, DataType type, double zero,
                   Result result = Result::exact) {
    return getNumbers(
        run("dml.quantized_linear_matrix_multiply",
            {{"", makeTensor(DataType::INT8, {1, 1}, {a})},
             {"", makeScale(1)},
             {"", makeTensor(DataType::INT8, {1, 1}, {b})},
             {"", makeScale(1)},
             {"", makeScale(scale)},
             {"output_zero_point", makeTensor(type, {1}, {zero})}},
            "", type, {1, 1}, result));
  }
  Tensor makeScale(double scale) {
    return makeTensor(DataType::FLOAT32, {1}, {scale});
  }
};

TEST_F(QuantizedTest, ConvolutionWithZeroPoint) {
  std::vector<Named> operands = {
      {"",
       makeTensor(DataType::UINT8, {1, 1, 3, 3}, {2, 3, 4, 5, 6, 7, 8, 9, 10})},
      {"input_zero_point", makeTensor(DataType::UINT8, {1, 1, 1, 1}, {1})},
      {"", makeTensor(DataType::UINT8, {1, 1, 2, 2}, {1, 1, 1, 1})}};
  EXPECT_EQ(
      convolve("convolution_integer", operands, DataType::INT32, {1, 1, 2, 2}),
      (Numbers{12, 16, 24, 28}));
  // Padding is like the zero point.
  EXPECT_EQ(convolve("convolution_integer", operands, DataType::INT32,
                     {1, 1, 4, 4}, {1, 1}),
            (Numbers{1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9}));
}

TEST_F(QuantizedTest, ConvolutionWithZeroPointOfEachFilter) {
  Tensor input = makeTensor(DataType::UINT8, {1, 1, 1, 2}, {10, 20}),
         filter = makeTensor(DataType::INT8, {2, 1, 1, 1}, {1, 2});
  // The channels are the third dimension from the end.
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{1, 2, 1, 1}, {2, 1, 1}})
    EXPECT_EQ(convolve("convolution_integer",
                       {{"", input},
                        {"", filter},
                        {"filter_zero_point",
                         makeTensor(DataType::INT8, shape, {0, 3})}},
                       DataType::INT32, {1, 2, 1, 2}),
              (Numbers{10, 20, -10, -20}));
}

TEST_F(QuantizedTest, ConvolutionOfGroupsInOneDimension) {
  EXPECT_EQ(convolve("convolution_integer",
                     {{"", makeTensor(DataType::INT8, {1, 4, 1}, {1, 2, 3, 4})},
                      {"", makeTensor(DataType::INT8, {4, 2, 1},
                                      {1, 2, 3, 4, 5, 6, 7, 8})}},
                     DataType::INT32, {1, 4, 1}, {}, 2),
            (Numbers{5, 11, 39, 53}));
}

TEST_F(QuantizedTest, DifferencesHaveNineBits) {
  auto multiply = [&](DataType type, double a, double zero) {
    return getNumbers(run("dml.matrix_multiply_integer",
                          {{"", makeTensor(type, {1, 1}, {a})},
                           {"a_zero_point", makeTensor(type, {1}, {zero})},
                           {"", makeTensor(type, {1, 1}, {a})},
                           {"b_zero_point", makeTensor(type, {1}, {zero})}},
                          "", DataType::INT32, {1, 1}))[0];
  };
  EXPECT_EQ(multiply(DataType::UINT8, 0, 255), 65025);
  EXPECT_EQ(multiply(DataType::UINT8, 255, 0), 65025);
  EXPECT_EQ(multiply(DataType::INT8, -128, 127), 65025);
}

TEST_F(QuantizedTest, SumsWrapAround) {
  // 33026 * 255 * 255 is 2^31 + 32002.
  int64_t terms = 33026;
  Tensor row = makeTensor(DataType::UINT8, {1, terms},
                          std::vector<double>(terms, 255)),
         column = row.view(DataType::UINT8, {terms, 1});
  double wanted = 65025.0 * 33026 - 4294967296.0;
  EXPECT_EQ(
      getNumbers(run("dml.matrix_multiply_integer", {{"", row}, {"", column}},
                     "", DataType::INT32, {1, 1})),
      (Numbers{wanted}));
  EXPECT_EQ(convolve("convolution_integer",
                     {{"", row.view(DataType::UINT8, {1, terms, 1})},
                      {"", row.view(DataType::UINT8, {1, terms, 1})}},
                     DataType::INT32, {1, 1, 1}),
            (Numbers{wanted}));
}

TEST_F(QuantizedTest, ConvolutionOfOnnx) {
  EXPECT_EQ(
      convolve(
          "quantized_linear_convolution",
          {{"", makeTensor(DataType::UINT8, {1, 1, 7, 7},
                           {255, 174, 162, 25,  203, 168, 58,  15,  59,  237,
                            95,  129, 0,   64,  56,  242, 153, 221, 168, 12,
                            166, 232, 178, 186, 195, 237, 162, 237, 188, 39,
                            124, 77,  80,  102, 43,  127, 230, 21,  83,  41,
                            40,  134, 255, 154, 92,  141, 42,  148, 247})},
           {"", makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {0.003692047})},
           {"input_zero_point",
            makeTensor(DataType::UINT8, {1, 1, 1, 1}, {132})},
           {"", makeTensor(DataType::UINT8, {1, 1, 1, 1}, {0})},
           {"", makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {0.001727946})},
           {"filter_zero_point",
            makeTensor(DataType::UINT8, {1, 1, 1, 1}, {255})},
           {"", makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {0.001626813})},
           {"output_zero_point",
            makeTensor(DataType::UINT8, {1, 1, 1, 1}, {123})}},
          DataType::UINT8, {1, 1, 7, 7}),
      (Numbers{0,   81,  93,  230, 52,  87,  197, 240, 196, 18,  160, 126, 255,
               191, 199, 13,  102, 34,  87,  243, 89,  23,  77,  69,  60,  18,
               93,  18,  67,  216, 131, 178, 175, 153, 212, 128, 25,  234, 172,
               214, 215, 121, 0,   101, 163, 114, 213, 107, 8}));
}

TEST_F(QuantizedTest, ConvolutionWithScaleOfEachFilterAndBias) {
  EXPECT_EQ(
      convolve("quantized_linear_convolution",
               {{"", makeTensor(DataType::UINT8, {1, 1, 1, 2}, {10, 20})},
                {"", makeScale(0.5)},
                {"input_zero_point", makeTensor(DataType::UINT8, {1}, {6})},
                {"", makeTensor(DataType::INT8, {2, 1, 1, 1}, {2, -3})},
                {"", makeTensor(DataType::FLOAT32, {1, 2, 1, 1}, {0.25, 0.5})},
                {"bias", makeTensor(DataType::INT32, {1, 2, 1, 1}, {4, -8})},
                {"", makeScale(0.5)},
                {"output_zero_point", makeTensor(DataType::UINT8, {1}, {100})}},
               DataType::UINT8, {1, 2, 1, 2}),
      (Numbers{103, 108, 90, 75}));
}

TEST_F(QuantizedTest, BiasWrapsAroundOnce) {
  // 2^31 - 1 + 2 * 2 is -2^31 + 3.
  EXPECT_EQ(
      convolve("quantized_linear_convolution",
               {{"", makeTensor(DataType::INT8, {1, 1, 1}, {2})},
                {"", makeScale(1)},
                {"", makeTensor(DataType::INT8, {1, 1, 1}, {2})},
                {"", makeScale(1)},
                {"bias", makeTensor(DataType::INT32, {1, 1, 1}, {2147483647})},
                {"", makeScale(0x1p26)}},
               DataType::INT8, {1, 1, 1}),
      (Numbers{-32}));
}

TEST_F(QuantizedTest, ProductWithRowAndColumnZeroPoints) {
  EXPECT_EQ(
      getNumbers(run(
          "dml.matrix_multiply_integer",
          {{"", makeTensor(DataType::UINT8, {1, 1, 4, 3},
                           {11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0})},
           {"a_zero_point", makeTensor(DataType::UINT8, {1, 1, 1, 1}, {12})},
           {"", makeTensor(DataType::UINT8, {1, 1, 3, 2}, {1, 4, 2, 5, 3, 6})},
           {"b_zero_point", makeTensor(DataType::UINT8, {1, 1, 1, 1}, {0})}},
          "", DataType::INT32, {1, 1, 4, 2})),
      (Numbers{-38, -83, -44, -98, -50, -113, -56, -128}));
  EXPECT_EQ(
      getNumbers(
          run("dml.matrix_multiply_integer",
              {{"", makeTensor(DataType::UINT8, {2, 2}, {10, 20, 30, 40})},
               {"a_zero_point", makeTensor(DataType::UINT8, {2, 1}, {10, 20})},
               {"", makeTensor(DataType::INT8, {2, 2}, {1, -1, 2, 3})},
               {"b_zero_point", makeTensor(DataType::INT8, {2}, {1, -1})}},
              "", DataType::INT32, {2, 2})),
      (Numbers{10, 40, 20, 80}));
}

TEST_F(QuantizedTest, EachMatrixByItself) {
  // The zero points are those of the rows of every matrix.
  EXPECT_EQ(getNumbers(run(
                "dml.matrix_multiply_integer",
                {{"", makeTensor(DataType::INT8, {2, 2, 1}, {1, 2, 3, 4})},
                 {"a_zero_point", makeTensor(DataType::INT8, {2, 1}, {0, 1})},
                 {"", makeTensor(DataType::INT8, {2, 1, 1}, {1, 10})}},
                "", DataType::INT32, {2, 2, 1})),
            (Numbers{1, 1, 30, 30}));
}

TEST_F(QuantizedTest, ProductOfOnnx) {
  auto scale = [&](double number) {
    return makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {number});
  };
  auto zero = [&](double number) {
    return makeTensor(DataType::UINT8, {1, 1, 1, 1}, {number});
  };
  EXPECT_EQ(
      getNumbers(run("dml.quantized_linear_matrix_multiply",
                     {{"", makeTensor(DataType::UINT8, {1, 1, 2, 4},
                                      {208, 236, 0, 238, 3, 214, 255, 29})},
                      {"", scale(0.0066)},
                      {"a_zero_point", zero(113)},
                      {"", makeTensor(DataType::UINT8, {1, 1, 4, 3},
                                      {152, 51, 244, 60, 26, 255, 0, 127, 246,
                                       127, 254, 247})},
                      {"", scale(0.00705)},
                      {"b_zero_point", zero(114)},
                      {"", scale(0.0107)},
                      {"output_zero_point", zero(118)}},
                     "", DataType::UINT8, {1, 1, 2, 3})),
      (Numbers{168, 115, 255, 1, 66, 151}));
}

TEST_F(QuantizedTest, RowAndColumnScales) {
  Tensor matrix = makeTensor(DataType::INT8, {2, 2}, {1, 2, 3, 4}),
         rows = makeTensor(DataType::FLOAT32, {2, 1}, {0.5, 0.25}),
         columns = makeTensor(DataType::FLOAT32, {1, 2}, {1, 2});
  auto get = [&](std::vector<double> scales, std::vector<double> zeros) {
    int64_t count = scales.size();
    return getNumbers(run(
        "dml.quantized_linear_matrix_multiply",
        {{"", matrix},
         {"", rows},
         {"", matrix},
         {"", columns},
         {"", makeTensor(DataType::FLOAT32, {count, 1}, scales)},
         {"output_zero_point", makeTensor(DataType::INT8, {count, 1}, zeros)}},
        "", DataType::INT8, {2, 2}));
  };
  // 7.5 is rounded to 8.
  EXPECT_EQ(get({0.5}, {-5}), (Numbers{2, 15, 3, 17}));
  EXPECT_EQ(get({0.5, 0.25}, {-5, 1}), (Numbers{2, 15, 16, 45}));
}

TEST_F(QuantizedTest, HalvesAreRoundedToEvenBeforeTheZeroPoint) {
  EXPECT_EQ(quantize(5, 1, 2, DataType::INT8, 0)[0], 2);
  EXPECT_EQ(quantize(7, 1, 2, DataType::INT8, 0)[0], 4);
  EXPECT_EQ(quantize(-5, 1, 2, DataType::INT8, 0)[0], -2);
  // 2.5 + 1 would be rounded to 4, and -2.5 + 1 to -2.
  EXPECT_EQ(quantize(5, 1, 2, DataType::INT8, 1)[0], 3);
  EXPECT_EQ(quantize(-5, 1, 2, DataType::INT8, 1)[0], -1);
}

TEST_F(QuantizedTest, LimitsBehindTheZeroPoint) {
  EXPECT_EQ(quantize(100, 100, 1, DataType::INT8, -100)[0], 127);
  EXPECT_EQ(quantize(-100, 100, 1, DataType::INT8, 100)[0], -128);
  EXPECT_EQ(quantize(-100, 100, 1, DataType::UINT8, 100)[0], 0);
  EXPECT_EQ(quantize(100, 3, 1, DataType::UINT8, 7)[0], 255);
  // -50 + 200 fits, although -50 does not.
  EXPECT_EQ(quantize(-50, 1, 1, DataType::UINT8, 200)[0], 150);
}

TEST_F(QuantizedTest, NearATieEitherNumberIsRight) {
  // 5 / 2 is exact, but a device's division need not be.
  EXPECT_EQ(quantize(5, 1, 2, DataType::INT8, 0, Result::lower)[0], 2);
  EXPECT_EQ(quantize(5, 1, 2, DataType::INT8, 0, Result::upper)[0], 3);
  EXPECT_EQ(quantize(5, 1, 1, DataType::INT8, 0, Result::lower)[0], 5);
  EXPECT_EQ(quantize(5, 1, 1, DataType::INT8, 0, Result::upper)[0], 5);
}

TEST_F(QuantizedTest, ScaleOfZero) {
  EXPECT_EQ(quantize(0, 1, 0, DataType::UINT8, 0, Result::lower)[0], 0);
  EXPECT_EQ(quantize(0, 1, 0, DataType::UINT8, 0, Result::upper)[0], 255);
}

TEST_F(QuantizedTest, UncertainIntegers) {
  // 0.5 / 1 is rounded to 0 or to 1.
  auto get = [&](Result result) {
    auto outputs = interpretSource(
        R"(func.func @main(%x: tensor<1x1xf32>, %scale: tensor<1x1xf32>,
                           %b: tensor<1x1xi8>) -> tensor<1x1xi32> {
             %a = dml.element_wise_quantize_linear %x, %scale
                 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi8>
             %0 = dml.matrix_multiply_integer %a, %b
                 : (tensor<1x1xi8>, tensor<1x1xi8>) -> tensor<1x1xi32>
             return %0 : tensor<1x1xi32>
           })",
        {makeTensor(DataType::FLOAT32, {1, 1}, {0.5}),
         makeTensor(DataType::FLOAT32, {1, 1}, {1}),
         makeTensor(DataType::INT8, {1, 1}, {-3})},
        result);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    return getNumbers(outputs->front())[0];
  };
  EXPECT_EQ(get(Result::exact), 0);
  EXPECT_EQ(get(Result::lower), -3);
  EXPECT_EQ(get(Result::upper), 0);
}

TEST_F(QuantizedTest, ProductToFloats) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16})
    EXPECT_EQ(
        getNumbers(run(
            "dml.matrix_multiply_integer_to_float",
            {{"", makeTensor(DataType::UINT8, {2, 2}, {130, 126, 129, 128})},
             {"", makeTensor(type, {1, 1}, {0.5})},
             {"a_zero_point", makeTensor(DataType::UINT8, {1, 1}, {128})},
             {"", makeTensor(DataType::INT8, {2, 2}, {1, -2, 3, 4})},
             {"", makeTensor(type, {1, 2}, {0.25, 2})},
             {"bias", makeTensor(type, {2, 2}, {10, 20, 10, 20})}},
            "", type, {2, 2})),
        (Numbers{9.5, 8, 10.125, 18}));
}

TEST_F(QuantizedTest, SumsOfNarrowIntegersAreExact) {
  // The sum, 2^24 + 1, is no f32 any more.
  int64_t terms = 1025;
  std::vector<double> a(terms, 128), b(terms, 128);
  a[1024] = b[1024] = 1;
  auto get = [&](Result result) {
    return getNumbers(run("dml.matrix_multiply_integer_to_float",
                          {{"", makeTensor(DataType::UINT8, {1, terms}, a)},
                           {"", makeScale(1)},
                           {"", makeTensor(DataType::UINT8, {terms, 1}, b)},
                           {"", makeScale(1)}},
                          "", DataType::FLOAT32, {1, 1}, result))[0];
  };
  // Either neighbour of 2^24 + 1.
  EXPECT_EQ(get(Result::lower), 16777216);
  EXPECT_EQ(get(Result::upper), 16777218);
}

TEST_F(QuantizedTest, WideIntegers) {
  auto multiply = [&](DataType type, double a, double zero, double b) {
    return getNumbers(run("dml.matrix_multiply_integer_to_float",
                          {{"", makeTensor(type, {1, 1}, {a})},
                           {"", makeScale(0.5)},
                           {"a_zero_point", makeTensor(type, {1}, {zero})},
                           {"", makeTensor(type, {1, 1}, {b})},
                           {"", makeScale(1)}},
                          "", DataType::FLOAT32, {1, 1}))[0];
  };
  // Products of 34 bits.
  EXPECT_EQ(multiply(DataType::UINT16, 0, 65535, 32768), -0.5 * 65535 * 32768);
  EXPECT_EQ(multiply(DataType::INT16, -32768, 32767, -32768),
            0.5 * 65535 * 32768);
  EXPECT_EQ(multiply(DataType::INT32, 3, 5, 1 << 20), -(1 << 20));
  // Differences of 32 bits wrap around.
  EXPECT_EQ(multiply(DataType::UINT32, 0, 4294967295, 1), 0.5);
  EXPECT_EQ(multiply(DataType::INT32, -2147483648.0, 1, 2), 2147483648.0);
}

} // namespace
