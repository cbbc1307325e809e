//===- NormalizationTest.cpp - Tests of the interpreter's normalizations --===//
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

class NormalizationTest : public ReferenceTest {
protected:
  /// `text` stands between the operator's name and the types.
  Numbers normalize(const std::string &op, const std::string &text,
                    llvm::ArrayRef<Tensor> inputs,
                    Result part = Result::exact) {
    std::string types;
    for (const Tensor &input : inputs)
      types += (types.empty() ? "" : ", ") + getTypeName(input);
    return getNumbers(interpretOp("dml." + op + " " + text + " : (" + types +
                                      ") -> " + getTypeName(inputs[0]),
                                  inputs, part));
  }

  /// Of an operator of several results, the tensors of `resultTypes`.
  std::vector<Numbers> normalizeTo(llvm::ArrayRef<Tensor> resultTypes,
                                   const std::string &op,
                                   const std::string &text,
                                   llvm::ArrayRef<Tensor> inputs,
                                   Result part = Result::exact) {
    std::string arguments, types, results, values;
    for (auto [index, input] : llvm::enumerate(inputs)) {
      std::string separator = index ? ", " : "";
      arguments +=
          separator + "%" + std::to_string(index) + ": " + getTypeName(input);
      types += separator + getTypeName(input);
    }
    for (auto [index, result] : llvm::enumerate(resultTypes)) {
      std::string separator = index ? ", " : "";
      results += separator + getTypeName(result);
      values += separator + "%results#" + std::to_string(index);
    }
    std::string source = "func.func @main(" + arguments + ") -> (" + results +
                         ") {\n%results:" + std::to_string(resultTypes.size()) +
                         " = dml." + op + " " + text + " : (" + types +
                         ") -> (" + results + ")\nreturn " + values + " : " +
                         results + "\n}";
    auto outputs = interpretSource(source, inputs, part);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics << source;
    std::vector<Numbers> numbers(resultTypes.size());
    if (succeeded(outputs))
      for (auto [found, output] : llvm::zip_equal(numbers, *outputs))
        found = getNumbers(output);
    return numbers;
  }
};

const DataType types[] = {DataType::FLOAT32, DataType::FLOAT16};

TEST_F(NormalizationTest, BatchNormalizationOfChannels) {
  for (DataType type : types)
    EXPECT_EQ(
        normalize("batch_normalization",
                  "%0, %1, %2, %3, %4 {spatial = true, epsilon = 0.25 : f32}",
                  {makeIota(type, {1, 2, 2, 2}),
                   makeTensor(type, {1, 2, 1, 1}, {2, 6}),
                   makeTensor(type, {1, 2, 1, 1}, {3.75, 0.75}),
                   makeTensor(type, {1, 2, 1, 1}, {2, 3}),
                   makeTensor(type, {1, 2, 1, 1}, {0.5, -1})}),
        (Numbers{-0.5, 0.5, 1.5, 2.5, -4, -1, 2, 5}));
}

TEST_F(NormalizationTest, BatchNormalizationRepeats) {
  for (DataType type : types)
    EXPECT_EQ(
        normalize("batch_normalization",
                  "%0, %1, %2, %3, %4 {spatial = false, epsilon = 0.0 : f32}",
                  {makeIota(type, {2, 3}), makeTensor(type, {2, 1}, {2, 5}),
                   makeTensor(type, {1, 1}, {4}),
                   makeTensor(type, {1, 3}, {1, 2, 3}),
                   makeTensor(type, {1, 1}, {0.5})}),
        (Numbers{0, 0.5, 2, 0, 0.5, 2}));
}

TEST_F(NormalizationTest, BatchNormalizationOfNegativeVariance) {
  Tensor one = makeTensor(DataType::FLOAT32, {1}, {1});
  Tensor negative = makeTensor(DataType::FLOAT32, {1}, {-4});
  EXPECT_TRUE(std::isnan(
      normalize("batch_normalization",
                "%0, %1, %2, %3, %4 {spatial = true, epsilon = 1.0 : f32}",
                {one, one, negative, one, one})[0]));
}

TEST_F(NormalizationTest, MeanVarianceOfPlanes) {
  Tensor input =
      makeTensor(DataType::FLOAT32, {1, 2, 2, 2}, {1, 2, 3, 6, 0, 4, 8, 12});
  std::string op = "mean_variance_normalization";
  expectNear(normalize(op,
                       "%0 {cross_channel = false, normalize_variance = true, "
                       "epsilon = 0.5 : f32}",
                       {input}),
             {-1, -0.5, 0, 1.5, -1.3251783, -0.4417261, 0.4417261, 1.3251783});
  expectNear(
      normalize(op,
                "%0 scale(%1) bias(%2) {cross_channel = true, "
                "normalize_variance = true, epsilon = 0.0 : f32}",
                {input, makeTensor(DataType::FLOAT32, {1, 2, 1, 1}, {2, 1}),
                 makeTensor(DataType::FLOAT32, {1, 2, 1, 1}, {1, 0})}),
      {-0.87082869, -0.33630621, 0.19821627, 1.8017837, -1.2026756, -0.13363062,
       0.93541435, 2.0044593});
  EXPECT_EQ(normalize(op,
                      "%0 {cross_channel = false, normalize_variance = false, "
                      "epsilon = 0.0 : f32}",
                      {input}),
            (Numbers{-2, -1, 0, 3, -6, -2, 2, 6}));
}

TEST_F(NormalizationTest, MeanVarianceOfAxes) {
  expectNear(
      normalize("mean_variance_normalization1",
                "%0 {axes = array<i64: 0, 2, 3>, normalize_variance = true, "
                "epsilon = 0.5 : f32}",
                {makeTensor(DataType::FLOAT32, {2, 2, 1, 2},
                            {1, 2, 3, 5, 4, 7, 2, 8})}),
      {-1.0425721, -0.62554324, -0.62554324, 0.20851441, 0.20851441, 1.4596009,
       -1.0425721, 1.4596009});
  // One of scale and bias alone.
  Tensor rows = makeTensor(DataType::FLOAT32, {2, 4}, {1, 2, 3, 6, 4, 4, 4, 4});
  expectNear(
      normalize("mean_variance_normalization1",
                "%0 bias(%1) {axes = array<i64: 1>, normalize_variance = true, "
                "epsilon = 0.5 : f32}",
                {rows, makeTensor(DataType::FLOAT32, {1, 1}, {1})}),
      {0, 0.5, 1, 2.5, 1, 1, 1, 1});
  // Without axes every element is its own mean.
  EXPECT_EQ(normalize("mean_variance_normalization1",
                      "%0 {axes = array<i64>, normalize_variance = false, "
                      "epsilon = 0.5 : f32}",
                      {rows}),
            Numbers(8, 0));
}

TEST_F(NormalizationTest, RootMeanSquare) {
  Tensor input =
      makeTensor(DataType::FLOAT32, {2, 4}, {1, 2, 3, 6, 4, 4, 4, 4});
  std::string op = "mean_variance_normalization2";
  expectNear(
      normalize(op,
                "%0 scale(%1) {axes = array<i64: 1>, use_mean = false, "
                "use_variance = true, epsilon = 0.5 : f32}",
                {input, makeTensor(DataType::FLOAT32, {1, 4}, {1, 1, 2, 2})}),
      {0.2773501, 0.5547002, 1.6641006, 3.3282012, 0.98473193, 0.98473193,
       1.9694639, 1.9694639});
  expectNear(normalize(op,
                       "%0 {axes = array<i64: 1>, use_mean = true, "
                       "use_variance = true, epsilon = 0.5 : f32}",
                       {input}),
             {-1, -0.5, 0, 1.5, 0, 0, 0, 0});
  EXPECT_EQ(normalize(op,
                      "%0 scale(%1) {axes = array<i64: 1>, use_mean = false, "
                      "use_variance = false, epsilon = 0.5 : f32}",
                      {makeTensor(DataType::FLOAT32, {1, 4}, {1, 2, 3, 6}),
                       makeTensor(DataType::FLOAT32, {1, 1}, {2})}),
            (Numbers{2, 4, 6, 12}));
}

TEST_F(NormalizationTest, LocalResponse) {
  std::string op = "local_response_normalization";
  Tensor channels = makeIota(DataType::FLOAT32, {1, 4, 1, 1});
  expectNear(
      normalize(op,
                "%0 {cross_channel = true, local_size = 3 : i64, alpha = "
                "0.3 : f32, beta = 0.5 : f32, bias = 1.0 : f32}",
                {channels}),
      {0.81649658, 1.2909944, 1.5191091, 2.1380899});
  // An even region reaches one further upwards.
  expectNear(
      normalize(op,
                "%0 {cross_channel = true, local_size = 2 : i64, alpha = "
                "0.2 : f32, beta = 1.0 : f32, bias = 2.0 : f32}",
                {channels}),
      {0.4, 0.60606061, 0.66666667, 1.1111111});
  expectNear(normalize(op,
                       "%0 {cross_channel = false, local_size = 3 : i64, alpha "
                       "= 0.3 : f32, beta = 1.0 : f32, bias = 1.0 : f32}",
                       {makeIota(DataType::FLOAT32, {1, 1, 2, 2})}),
             {0.25, 0.5, 0.75, 1});
  // To the power of 0 anything is 1.
  EXPECT_EQ(normalize(op,
                      "%0 {cross_channel = true, local_size = 3 : i64, alpha = "
                      "0.3 : f32, beta = 0.0 : f32, bias = -1.0 : f32}",
                      {channels}),
            (Numbers{1, 2, 3, 4}));
}

TEST_F(NormalizationTest, LocalResponseGradient) {
  std::string op = "local_response_normalization_grad";
  Tensor channels = makeIota(DataType::FLOAT32, {1, 4, 1, 1});
  Tensor gradient = makeTensor(DataType::FLOAT32, {1, 4, 1, 1}, {1, 0, -1, 2});
  expectNear(normalize(op,
                       "%0, %1 {cross_channel = true, local_size = 3 : i64, "
                       "alpha = 0.3 : f32, beta = 0.5 : f32, bias = 1.0 : f32}",
                       {channels, gradient}),
             {0.76206348, -0.030963183, -0.75604484, 0.73614475});
  // The gradient of an element sums over the regions that contain the element,
  // which are the element's own region mirrored: an even region extends one
  // element further down.
  expectNear(normalize(op,
                       "%0, %1 {cross_channel = true, local_size = 2 : i64, "
                       "alpha = 0.2 : f32, beta = 1.0 : f32, bias = 2.0 : f32}",
                       {channels, gradient}),
             {0.368, -0.064, -0.13333333, 0.18024691});
  EXPECT_EQ(normalize(op,
                      "%0, %1 {cross_channel = true, local_size = 3 : i64, "
                      "alpha = 0.3 : f32, beta = 0.0 : f32, bias = -1.0 : f32}",
                      {channels, gradient}),
            (Numbers{1, 0, -1, 2}));
  // In a plane, channels are independent: for each of the four elements of the
  // first plane, the base is 31.
  Tensor planes =
      makeTensor(DataType::FLOAT32, {1, 2, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 0});
  Tensor planeGradient =
      makeTensor(DataType::FLOAT32, {1, 2, 2, 2}, {1, 0, 0, 2, 5, 5, 5, 5});
  double sum = 9.0 / (31 * 31);
  expectNear(
      normalize(op,
                "%0, %1 {cross_channel = false, local_size = 3 : i64, alpha = "
                "3.0 : f32, beta = 1.0 : f32, bias = 1.0 : f32}",
                {planes, planeGradient}),
      {1.0 / 31 - 2 * 1 * sum, -2 * 2 * sum, -2 * 3 * sum,
       2.0 / 31 - 2 * 4 * sum, 5, 5, 5, 5});
}

TEST_F(NormalizationTest, BatchNormalizationInTraining) {
  std::string op = "batch_normalization_training";
  std::vector<double> numbers = {1, 2, 3, 5, 4, 7, 2, 8};
  for (DataType type : types) {
    Tensor input = makeTensor(type, {2, 2, 1, 2}, numbers);
    Tensor scale = makeTensor(type, {1, 2, 1, 1}, {2, -1});
    Tensor bias = makeTensor(type, {1, 2, 1, 1}, {0.5, 1});
    std::vector<Numbers> found =
        normalizeTo({input, scale, scale}, op,
                    "%0, %1, %2 {epsilon = 0.5 : f32}", {input, scale, bias});
    EXPECT_EQ(found[1], (Numbers{3.5, 4.5}));
    EXPECT_EQ(found[2], (Numbers{5.25, 5.25}));
    if (type == DataType::FLOAT32)
      expectNear(found[0], {-1.5851441, -0.75108648, 1.6255432, 0.79148559,
                            0.91702883, 3.4192018, 2.0425721, -0.4596009});
    found = normalizeTo(
        {input, scale, scale}, op,
        "%0, %1, %2 fused_add(%3) {epsilon = 0.5 : f32, fused_activation = "
        "#dml.activation<relu>}",
        {input, scale, bias,
         makeTensor(type, {2, 2, 1, 2}, {1, 0, 0, -2, 0, 0, 0, 3})});
    EXPECT_EQ(found[2], (Numbers{5.25, 5.25}));
    if (type == DataType::FLOAT32)
      expectNear(found[0], {0, 0, 1.6255432, 0, 0.91702883, 3.4192018,
                            2.0425721, 2.5403991});
  }
}

TEST_F(NormalizationTest, BatchesOfOneElement) {
  // Every element is a set: its own mean, without variance.
  Tensor input = makeIota(DataType::FLOAT32, {1, 3});
  std::vector<Numbers> found =
      normalizeTo({input, input, input}, "batch_normalization_training",
                  "%0, %1, %2 {epsilon = 1.0 : f32}", {input, input, input});
  EXPECT_EQ(found[0], (Numbers{1, 2, 3}));
  EXPECT_EQ(found[1], (Numbers{1, 2, 3}));
  EXPECT_EQ(found[2], (Numbers{0, 0, 0}));
}

TEST_F(NormalizationTest, BatchNormalizationSurvivesLargeMeans) {
  // 2^14 is far above the deviations, whose squares an f16 holds.
  Tensor input =
      makeTensor(DataType::FLOAT16, {4}, {16384, 16416, 16384, 16416});
  Tensor one = makeTensor(DataType::FLOAT16, {1}, {1});
  std::vector<Numbers> found =
      normalizeTo({input, one, one}, "batch_normalization_training",
                  "%0, %1, %2 {epsilon = 0.0 : f32}", {input, one, one});
  EXPECT_EQ(found[0], (Numbers{0, 2, 0, 2}));
  EXPECT_EQ(found[1], (Numbers{16400}));
  EXPECT_EQ(found[2], (Numbers{256}));
}

TEST_F(NormalizationTest, BatchNormalizationOfInfinities) {
  Tensor input = makeTensor(DataType::FLOAT32, {2, 2}, {infinity, 1, 2, 2});
  Tensor ones = makeTensor(DataType::FLOAT32, {2, 1}, {1, 1});
  std::vector<Numbers> found =
      normalizeTo({input, ones, ones}, "batch_normalization_training",
                  "%0, %1, %2 {epsilon = 1.0 : f32}", {input, ones, ones});
  // The other set has nothing to do with it.
  EXPECT_EQ(found[0][2], 1);
  EXPECT_EQ(found[1], (Numbers{infinity, 2}));
  EXPECT_TRUE(std::isnan(found[2][0]));
  EXPECT_EQ(found[2][1], 0);
}

TEST_F(NormalizationTest, BatchNormalizationGradients) {
  for (DataType type : types) {
    Tensor input = makeTensor(type, {2, 2, 1, 2}, {1, 2, 3, 5, 4, 7, 2, 8});
    Tensor gradient =
        makeTensor(type, {2, 2, 1, 2}, {1, 0, 0.5, -1, 2, 1, 1, 0});
    auto perChannel = [&](double first, double second) {
      return makeTensor(type, {1, 2, 1, 1}, {first, second});
    };
    Tensor scale = perChannel(2, -1);
    std::vector<Numbers> found = normalizeTo(
        {input, scale, scale}, "batch_normalization_grad",
        "%0, %1, %2, %3, %4 {epsilon = 0.25 : f32}",
        {input, gradient, perChannel(3, 4), perChannel(3.75, 6), scale});
    EXPECT_EQ(found[2], (Numbers{4, 0.5}));
    if (type == DataType::FLOAT32) {
      expectNear(found[0], {1, 0, -0.2, 0.4, 2, 1, -0.4, 0});
      expectNear(found[1], {2, -1.4});
    }
    found = normalizeTo(
        {input, scale, scale}, "batch_normalization_training_grad",
        "%0, %1, %2, %3, %4 {epsilon = 0.5 : f32}",
        {input, gradient, perChannel(3.5, 4.5), perChannel(5.25, 5.25), scale});
    EXPECT_EQ(found[2], (Numbers{4, 0.5}));
    if (type == DataType::FLOAT32) {
      expectNear(found[0], {0.18131688, -0.72526753, -0.054395065, 0.43516052,
                            0.79779428, -0.25384363, -0.19491565, -0.1858498});
      expectNear(found[1], {0.83405766, -1.5638581});
    }
  }
}

TEST_F(NormalizationTest, TrainingGradientsOfOtherMeans) {
  // The gradient of the input uses the mean that is computed from the input,
  // and the gradient of the scale uses the tensor of means.
  Tensor input = makeTensor(DataType::FLOAT32, {2}, {1, 3});
  Tensor gradient = makeTensor(DataType::FLOAT32, {2}, {1, 2});
  auto one = [](double number) {
    return makeTensor(DataType::FLOAT32, {1}, {number});
  };
  std::vector<Numbers> found =
      normalizeTo({input, one(0), one(0)}, "batch_normalization_training_grad",
                  "%0, %1, %2, %3, %4 {epsilon = 0.0 : f32}",
                  {input, gradient, one(10), one(4), one(2)});
  // x is {-1, 1}, g is {-0.5, 0.5}, and the slope (1 / 2) / 4.
  expectNear(found[0], {-0.375, 0.375});
  expectNear(found[1], {(-9.0 - 14) / 2});
  EXPECT_EQ(found[2], (Numbers{3}));
}

TEST_F(NormalizationTest, LpNorms) {
  std::string op = "lp_normalization";
  expectNear(
      normalize(op, "%0 {axis = 1 : i64, epsilon = 1.0e-5 : f32, p = 2 : i64}",
                {makeTensor(DataType::FLOAT32, {2, 2}, {3, -4, 0, 5})}),
      {0.6, -0.8, 0, 1});
  expectNear(
      normalize(op, "%0 {axis = 0 : i64, epsilon = 1.0e-5 : f32, p = 1 : i64}",
                {makeTensor(DataType::FLOAT32, {2, 2}, {1, 2, -3, 6})}),
      {0.25, 0.25, -0.75, 0.75});
  EXPECT_EQ(
      normalize(op, "%0 {axis = 1 : i64, epsilon = 1.0e-5 : f32, p = 2 : i64}",
                {makeTensor(DataType::FLOAT32, {1, 3}, {0, 0, 0})}),
      (Numbers{0, 0, 0}));
  for (double number :
       normalize(op, "%0 {axis = 0 : i64, epsilon = 1.0e-5 : f32, p = 1 : i64}",
                 {makeTensor(DataType::FLOAT32, {2}, {nan, 1})}))
    EXPECT_TRUE(std::isnan(number));
}

TEST_F(NormalizationTest, ActivationOfTheWhole) {
  for (DataType type : types) {
    EXPECT_EQ(
        normalize("batch_normalization",
                  "%0, %1, %2, %3, %4 {spatial = true, epsilon = 0.0 : "
                  "f32, fused_activation = #dml.activation<relu>}",
                  {makeIota(type, {1, 3}), makeTensor(type, {1, 1}, {2}),
                   makeTensor(type, {1, 1}, {4}), makeTensor(type, {1, 1}, {2}),
                   makeTensor(type, {1, 1}, {0.5})}),
        (Numbers{0, 0.5, 1.5}));
    std::string activation =
        "epsilon = 0.0 : f32, fused_activation = #dml.activation<leaky_relu, "
        "{alpha = 0.5 : f32}>}";
    EXPECT_EQ(normalize("mean_variance_normalization1",
                        "%0 scale(%1) bias(%2) {axes = array<i64: 1>, "
                        "normalize_variance = false, " +
                            activation,
                        {makeIota(type, {1, 3}), makeTensor(type, {1, 1}, {4}),
                         makeTensor(type, {1, 1}, {1})}),
              (Numbers{-1.5, 1, 5}));
    EXPECT_EQ(normalize("mean_variance_normalization2",
                        "%0 {axes = array<i64: 1>, use_mean = true, "
                        "use_variance = false, " +
                            activation,
                        {makeIota(type, {1, 3})}),
              (Numbers{-0.5, 0, 1}));
    EXPECT_EQ(normalize("mean_variance_normalization",
                        "%0 {cross_channel = false, normalize_variance = "
                        "false, " +
                            activation,
                        {makeIota(type, {1, 1, 1, 3})}),
              (Numbers{-0.5, 0, 1}));
  }
}

} // namespace
