//===- SoftmaxTest.cpp - Tests of the interpreter's softmax ---------------===//
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

void expectNear(const Numbers &found, const Numbers &wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (auto [index, number] : llvm::enumerate(found))
    EXPECT_NEAR(number, wanted[index],
                2e-6 * std::max(1.0, std::fabs(wanted[index])))
        << index;
}

class SoftmaxTest : public ReferenceTest {
protected:
  Numbers softmax(const std::string &op, const Tensor &input,
                  const std::string &axes = "", Result part = Result::exact) {
    return getNumbers(interpretOp(
        "dml.activation_" + op + " %0 " +
            (axes.empty() ? "" : "{axes = array<i64: " + axes + ">} ") + ": (" +
            getTypeName(input) + ") -> " + getTypeName(input),
        {input}, part));
  }
};

TEST_F(SoftmaxTest, OneAxisAndSeveral) {
  Tensor input =
      makeTensor(DataType::FLOAT32, {2, 2, 2}, {0, 1, 2, 3, 1, 1, 0, 4});
  expectNear(softmax("softmax1", input, "2"),
             {0.26894143, 0.7310586, 0.26894143, 0.7310586, 0.5, 0.5,
              0.01798621, 0.98201376});
  for (const char *axes : {"0, 2", "2, 0"})
    expectNear(softmax("softmax1", input, axes),
               {0.10923177, 0.29692274, 0.08894682, 0.24178252, 0.29692274,
                0.29692274, 0.012037642, 0.657233});
  expectNear(softmax("log_softmax1", input, "2"),
             {-1.3132616, -0.3132617, -1.3132616, -0.3132617, -0.6931472,
              -0.6931472, -4.01815, -0.018149927});
  expectNear(softmax("log_softmax1", input, "0, 2"),
             {-2.2142832, -1.2142833, -2.4197166, -1.4197166, -1.2142833,
              -1.2142833, -4.419717, -0.41971666});
}

TEST_F(SoftmaxTest, ThePagesExamplesOfHardmax) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16}) {
    Tensor input =
        makeTensor(type, {2, 2, 2}, {12, 0, -101, 11, 3, 234, 0, -101});
    EXPECT_EQ(softmax("hardmax1", input, "1"),
              (Numbers{1, 0, 0, 1, 1, 1, 0, 0}));
    EXPECT_EQ(softmax("hardmax1", input, "0"),
              (Numbers{1, 0, 0, 1, 0, 1, 1, 0}));
    EXPECT_EQ(softmax("hardmax1", input, "0, 2"),
              (Numbers{0, 0, 0, 1, 0, 1, 0, 0}));
    EXPECT_EQ(
        softmax("hardmax", makeTensor(type, {1, 1, 2, 3}, {1, 3, 2, 5, 5, -1})),
        (Numbers{0, 1, 0, 1, 0, 0}));
  }
}

TEST_F(SoftmaxTest, MatricesOfLargeNumbers) {
  Tensor input =
      makeTensor(DataType::FLOAT32, {1, 1, 2, 3}, {1, 2, 3, 1000, 1000, 998});
  expectNear(softmax("softmax", input), {0.09003057, 0.24472848, 0.66524094,
                                         0.46831053, 0.46831053, 0.06337894});
  expectNear(softmax("log_softmax", input),
             {-2.407606, -1.407606, -0.40760598, -0.75862366, -0.75862366,
              -2.7586236});
}

TEST_F(SoftmaxTest, SpecialNumbers) {
  auto row = [](std::vector<double> values) {
    int64_t size = values.size();
    return makeTensor(DataType::FLOAT32, {size}, values);
  };
  EXPECT_EQ(softmax("softmax1", row({-infinity, 0}), "0"), (Numbers{0, 1}));
  EXPECT_EQ(softmax("log_softmax1", row({-infinity, 0}), "0"),
            (Numbers{-infinity, 0}));
  for (double special : {nan, infinity})
    for (double number : softmax("softmax1", row({special, 0}), "0"))
      EXPECT_TRUE(std::isnan(number));
  EXPECT_TRUE(std::isnan(softmax("softmax1", row({-infinity}), "0")[0]));
  EXPECT_EQ(softmax("hardmax1", row({nan, -1, -1}), "0"), (Numbers{0, 1, 0}));
  EXPECT_EQ(softmax("hardmax1", row({nan, nan}), "0"), (Numbers{1, 0}));
  // Without axes every element is a set.
  Tensor input = row({3, 4});
  EXPECT_EQ(
      getNumbers(interpretOp("dml.activation_softmax1 %0 {axes = array<i64>} : "
                             "(tensor<2xf32>) -> tensor<2xf32>",
                             {input})),
      (Numbers{1, 1}));
}

TEST_F(SoftmaxTest, BoundsHoldTheExactResult) {
  Tensor input = makeTensor(DataType::FLOAT32, {2}, {0, 1});
  double exact = 1 / (1 + std::exp(1.0));
  double lower = softmax("softmax1", input, "0", Result::lower)[0];
  double upper = softmax("softmax1", input, "0", Result::upper)[0];
  EXPECT_LT(lower, exact);
  EXPECT_GT(upper, exact);
  EXPECT_LT(upper - lower, 1e-5);
}

TEST_F(SoftmaxTest, SharesOfUncertainNumbers) {
  // The bounds of e^20 are some thousand apart, so that they do not determine
  // which exponential is the largest.
  for (Result part : {Result::exact, Result::lower, Result::upper}) {
    auto outputs = interpretSource(
        R"(func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
          %1 = dml.element_wise_exp %0 : (tensor<2xf32>) -> tensor<2xf32>
          %2 = dml.activation_softmax1 %1 {axes = array<i64: 0>}
              : (tensor<2xf32>) -> tensor<2xf32>
          return %2 : tensor<2xf32>
        })",
        {makeTensor(DataType::FLOAT32, {2}, {20, 20})}, part);
    ASSERT_TRUE(succeeded(outputs)) << diagnostics;
    for (double share : getNumbers(outputs->front()))
      EXPECT_NEAR(share,
                  part == Result::exact   ? 0.5
                  : part == Result::lower ? 0
                                          : 1,
                  0x1p-10);
  }
}

} // namespace
