//===- TrainingTest.cpp - Tests of the interpreter's optimizers -----------===//
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

const double nan = std::numeric_limits<double>::quiet_NaN();

class TrainingTest : public ReferenceTest {
protected:
  struct Settings {
    std::string rate = "0.1", beta1 = "0.5", beta2 = "0.75", epsilon = "0.001";
  };

  /// The parameters and both moments of lines of numbers after a step.
  std::vector<Numbers> adam(const Settings &settings, double step,
                            const Numbers &x, const Numbers &m,
                            const Numbers &v, const Numbers &g,
                            DataType type = DataType::FLOAT32,
                            Result part = Result::exact) {
    auto line = [&](const Numbers &numbers) {
      return makeTensor(type, {static_cast<int64_t>(numbers.size())}, numbers);
    };
    std::string t = getTypeName(line(x)), three = t + ", " + t + ", " + t;
    auto outputs = interpretSource(
        "func.func @main(%0: " + t + ", %1: " + t + ", %2: " + t +
            ", %3: " + t + ", %4: tensor<1x1xui32>) -> (" + three +
            ") {\n%5, %6, %7 = dml.adam_optimizer %0, %1, %2, %3, %4 "
            "{learning_rate = " +
            settings.rate + " : f32, beta1 = " + settings.beta1 +
            " : f32, beta2 = " + settings.beta2 +
            " : f32, epsilon = " + settings.epsilon + " : f32} : (" + three +
            ", " + t + ", tensor<1x1xui32>) -> (" + three +
            ")\nreturn %5, %6, %7 : " + three + "\n}",
        {line(x), line(m), line(v), line(g),
         makeTensor(DataType::UINT32, {1, 1}, {step})},
        part);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    if (failed(outputs))
      return {{nan}, {nan}, {nan}};
    std::vector<Numbers> numbers;
    for (const Tensor &output : *outputs)
      numbers.push_back(getNumbers(output));
    return numbers;
  }
};

void expectNear(const Numbers &found, const Numbers &wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (auto [index, number] : llvm::enumerate(found))
    EXPECT_NEAR(number, wanted[index],
                2e-7 * std::max(1.0, std::fabs(wanted[index])))
        << index;
}

TEST_F(TrainingTest, AdamsFirstStep) {
  auto outputs = adam({}, 1, {1, -2}, {0, 0.5}, {0, 0.25}, {2, -1});
  expectNear(outputs[0], {0.9000999, -1.9622606});
  EXPECT_EQ(outputs[1], (Numbers{1, -0.25}));
  EXPECT_EQ(outputs[2], (Numbers{1, 0.4375}));
}

TEST_F(TrainingTest, AdamsThirdStep) {
  auto outputs = adam({}, 3, {1, -2}, {0, 0.5}, {0, 0.25}, {2, -1});
  expectNear(outputs[0], {0.9131902, -1.9672057});
  EXPECT_EQ(outputs[1], (Numbers{1, -0.25}));
  EXPECT_EQ(outputs[2], (Numbers{1, 0.4375}));
}

/// What the formulas give in double precision, with the attributes' f32.
double stepInDoubles(float rate, float beta1, float beta2, float epsilon,
                     uint32_t step, double x, double m, double v, double g) {
  m = beta1 * m + (1.0 - beta1) * g;
  v = beta2 * v + (1.0 - beta2) * g * g;
  double alpha = std::sqrt(1 - std::pow(double(beta2), step)) /
                 (1 - std::pow(double(beta1), step));
  return x - rate * alpha * m / (std::sqrt(v) + epsilon);
}

TEST_F(TrainingTest, BoundsHoldWhatDoublesGive) {
  for (uint32_t step : {1u, 2u, 10u, 1000u, 100000u, 4294967295u}) {
    Settings settings = {"1.0", "0.9", "0.999", "1.0e-8"};
    auto low = adam(settings, step, {0}, {0.25}, {0.5}, {-0.75},
                    DataType::FLOAT32, Result::lower);
    auto high = adam(settings, step, {0}, {0.25}, {0.5}, {-0.75},
                     DataType::FLOAT32, Result::upper);
    double wanted =
        stepInDoubles(1.0f, 0.9f, 0.999f, 1e-8f, step, 0, 0.25, 0.5, -0.75);
    EXPECT_LE(low[0][0], wanted) << step;
    EXPECT_GE(high[0][0], wanted) << step;
    // The bounds are near each other: 1 - beta^step keeps its digits.
    EXPECT_LT(high[0][0] - low[0][0], 2e-5 * std::fabs(wanted)) << step;
  }
}

TEST_F(TrainingTest, StepZeroDividesZeroByZero) {
  auto outputs = adam({}, 0, {1}, {0}, {0}, {2});
  EXPECT_TRUE(std::isnan(outputs[0][0]));
  EXPECT_EQ(outputs[1], Numbers{1});
  EXPECT_EQ(outputs[2], Numbers{1});
}

TEST_F(TrainingTest, BetasOfZeroForgetTheMoments) {
  auto outputs =
      adam({"0.5", "0.0", "0.0", "0.0"}, 4, {1, 1}, {3, 3}, {9, 9}, {2, -4});
  EXPECT_EQ(outputs[0], (Numbers{0.5, 1.5}));
  EXPECT_EQ(outputs[1], (Numbers{2, -4}));
  EXPECT_EQ(outputs[2], (Numbers{4, 16}));
}

TEST_F(TrainingTest, NegativeSecondMomentsGiveNaN) {
  auto outputs = adam({}, 1, {1}, {0}, {-8}, {1});
  EXPECT_TRUE(std::isnan(outputs[0][0]));
  EXPECT_EQ(outputs[2], Numbers{-5.75});
}

TEST_F(TrainingTest, HalvesRoundOnce) {
  // In f16, the second moment overflows when it is stored, but not while it is
  // used in arithmetic.
  auto outputs = adam({"1.0", "0.0", "0.0", "0.0"}, 1, {0}, {0}, {0}, {512},
                      DataType::FLOAT16);
  EXPECT_EQ(outputs[0], Numbers{-1});
  EXPECT_EQ(outputs[1], Numbers{512});
  EXPECT_EQ(outputs[2], Numbers{std::numeric_limits<double>::infinity()});
}

} // namespace
