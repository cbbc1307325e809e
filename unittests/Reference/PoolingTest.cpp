//===- PoolingTest.cpp - Tests of the interpreter's pooling ---------------===//
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

class MaxPoolingGradTest : public ReferenceTest {
protected:
  struct Window {
    std::vector<int64_t> strides, size, startPadding, endPadding, dilations;
  };

  Tensor maxPoolingGrad(const Tensor &input, const Tensor &gradient,
                        const Window &window) {
    auto array = [](const char *name, const std::vector<int64_t> &values) {
      std::string text = std::string(name) + " = array<i64";
      for (auto [index, value] : llvm::enumerate(values))
        text += (index ? ", " : ": ") + std::to_string(value);
      return text + ">";
    };
    return interpretOp("dml.max_pooling_grad %0, %1 {" +
                           array("strides", window.strides) + ", " +
                           array("window_size", window.size) + ", " +
                           array("start_padding", window.startPadding) + ", " +
                           array("end_padding", window.endPadding) + ", " +
                           array("dilations", window.dilations) + "} : (" +
                           getTypeName(input) + ", " + getTypeName(gradient) +
                           ") -> " + getTypeName(input),
                       {input, gradient});
  }

  /// One row of f32 under one-dimensional windows.
  Numbers row(std::vector<double> input, std::vector<double> gradient,
              int64_t stride, int64_t size, int64_t startPadding = 0,
              int64_t endPadding = 0, int64_t dilation = 1,
              DataType type = DataType::FLOAT32) {
    std::vector<int64_t> shape = {1, 1, 1, int64_t(input.size())},
                         gradientShape = {1, 1, 1, int64_t(gradient.size())};
    return getNumbers(maxPoolingGrad(makeTensor(type, shape, input),
                                     makeTensor(type, gradientShape, gradient),
                                     {{1, stride},
                                      {1, size},
                                      {0, startPadding},
                                      {0, endPadding},
                                      {1, dilation}}));
  }
};

const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

TEST_F(MaxPoolingGradTest, ThePagesExample) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16})
    EXPECT_EQ(getNumbers(maxPoolingGrad(
                  makeTensor(type, {1, 1, 3, 3}, {1, 2, 3, 2, 4, 2, 5, 6, 7}),
                  makeTensor(type, {1, 1, 2, 2}, {1, 2, 4, 5}),
                  {{1, 1}, {2, 2}, {0, 0}, {0, 0}, {1, 1}})),
              (Numbers{0, 0, 0, 0, 3, 0, 0, 4, 5}));
}

TEST_F(MaxPoolingGradTest, TiesGoToTheLowestIndex) {
  EXPECT_EQ(row({7, 7, 7, 7}, {1, 2}, 2, 2), (Numbers{1, 0, 2, 0}));
  EXPECT_EQ(row({7, 7, 7, 7}, {1, 2, 4}, 1, 2), (Numbers{1, 2, 4, 0}));
  // The zeros are equal.
  EXPECT_EQ(row({-0.0, 0.0}, {1}, 1, 2), (Numbers{1, 0}));
  // Across rows.
  EXPECT_EQ(getNumbers(maxPoolingGrad(
                makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {1, 5, 5, 5}),
                makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {3}),
                {{1, 1}, {2, 2}, {0, 0}, {0, 0}, {1, 1}})),
            (Numbers{0, 3, 0, 0}));
}

TEST_F(MaxPoolingGradTest, PaddingNeverWins) {
  EXPECT_EQ(row({-3, -infinity, -5}, {1, 2, 4, 8}, 1, 2, 1, 1),
            (Numbers{1 + 2, 0, 4 + 8}));
  EXPECT_EQ(row({-infinity}, {1, 2}, 1, 2, 1, 1), (Numbers{3}));
}

TEST_F(MaxPoolingGradTest, WindowsWhollyInPaddingAreDropped) {
  EXPECT_EQ(row({5}, {1, 2, 4, 8, 16}, 1, 1, 2, 2), (Numbers{4}));
  // A dilated window may straddle the tensor.
  EXPECT_EQ(row({5}, {1, 2, 4}, 1, 2, 2, 2, 2), (Numbers{5}));
}

TEST_F(MaxPoolingGradTest, Dilations) {
  // Windows of elements 0 2 4, 1 3 5.
  EXPECT_EQ(row({1, 9, 3, 8, 2, 7}, {10, 20}, 1, 3, 0, 0, 2),
            (Numbers{0, 20, 10, 0, 0, 0}));
}

TEST_F(MaxPoolingGradTest, CeilRounding) {
  // Size 5, stride 2, window 2: floor gives 2 windows, ceil gives 3, of which
  // the last sees one element.
  EXPECT_EQ(row({1, 2, 3, 4, 5}, {10, 20}, 2, 2), (Numbers{0, 10, 0, 20, 0}));
  EXPECT_EQ(row({1, 2, 3, 4, 5}, {10, 20, 30}, 2, 2),
            (Numbers{0, 10, 0, 20, 30}));
}

TEST_F(MaxPoolingGradTest, WindowLargerThanThePaddedTensor) {
  EXPECT_EQ(row({1, 3, 2}, {5}, 1, 4294967295), (Numbers{0, 5, 0}));
  EXPECT_EQ(row({1, 3, 2}, {5}, 4294967295, 2, 0, 0, 4294967295),
            (Numbers{5, 0, 0}));
}

TEST_F(MaxPoolingGradTest, HugePaddingAndStride) {
  // Windows at -4294967295, 0 and 4294967295: the outer ones see nothing.
  EXPECT_EQ(row({1, 2}, {5, 6, 7}, 4294967295, 2, 4294967295, 4294967295),
            (Numbers{0, 6}));
}

TEST_F(MaxPoolingGradTest, NaN) {
  // The first NaN wins, before or after numbers.
  EXPECT_EQ(row({1, nan, infinity, nan}, {1}, 1, 4), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(row({nan, 2, 3, nan}, {1, 2}, 2, 2), (Numbers{1, 0, 0, 2}));
  // Gradients are just added.
  Numbers sums = row({1, 2, 1}, {nan, infinity}, 2, 1);
  EXPECT_TRUE(std::isnan(sums[0]));
  EXPECT_EQ(sums[1], 0);
  EXPECT_EQ(sums[2], infinity);
}

TEST_F(MaxPoolingGradTest, HalvesAddUpInFloat) {
  // 2048 + 1 is 2048 in f16, and so is 2048 + 1 + 1 when rounded twice.
  EXPECT_EQ(row({1, 2, 1}, {2048, 1, 1}, 1, 1, 0, 0, 1, DataType::FLOAT16),
            (Numbers{2048, 1, 1}));
  EXPECT_EQ(
      row({1, 1, 9, 1, 1}, {2048, 1, 1}, 1, 3, 0, 0, 1, DataType::FLOAT16),
      (Numbers{0, 0, 2050, 0, 0}));
  // 65504 twice is out of range at last, not on the way.
  EXPECT_EQ(row({1, 1, 9, 1, 1}, {65504, 65504, -65504}, 1, 3, 0, 0, 1,
                DataType::FLOAT16),
            (Numbers{0, 0, 65504, 0, 0}));
}

TEST_F(MaxPoolingGradTest, AddsInTheOrderOfTheWindows) {
  // (1e8 + 3) - 1e8 in f32 is 0; 3 added last would stay.
  EXPECT_EQ(row({1, 1, 9, 1, 1}, {1e8, 3, -1e8}, 1, 3),
            (Numbers{0, 0, 0, 0, 0}));
  EXPECT_EQ(row({1, 1, 9, 1, 1}, {1e8, -1e8, 3}, 1, 3),
            (Numbers{0, 0, 3, 0, 0}));
}

TEST_F(MaxPoolingGradTest, FiveDimensionsAndPlanes) {
  // Two planes of 2x1x2; one window each.
  EXPECT_EQ(getNumbers(maxPoolingGrad(
                makeTensor(DataType::FLOAT32, {1, 2, 2, 1, 2},
                           {1, 2, 4, 3, 8, 7, 6, 5}),
                makeTensor(DataType::FLOAT32, {1, 2, 1, 1, 1}, {10, 20}),
                {{1, 1, 1}, {2, 1, 2}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}})),
            (Numbers{0, 0, 10, 0, 20, 0, 0, 0}));
}

TEST_F(MaxPoolingGradTest, SeveralMillionElements) {
  Tensor input = makeIota(DataType::FLOAT32, {1, 2, 1024, 1024});
  Tensor gradient = makeIota(DataType::FLOAT32, {1, 2, 512, 512});
  Tensor output =
      maxPoolingGrad(input, gradient, {{2, 2}, {3, 3}, {1, 1}, {0, 0}, {1, 1}});
  EXPECT_EQ(output.getNumber(1025), 1);
  EXPECT_EQ(output.getNumber(output.getNumElements() - 1), 2 * 512 * 512);
}

class PoolingTest : public ReferenceTest {
protected:
  struct Window {
    std::vector<int64_t> strides, size, startPadding, endPadding, dilations;
    std::string more = "";
  };

  static std::string makeAttributes(const Window &window) {
    auto array = [](const char *name, const std::vector<int64_t> &values) {
      std::string text = std::string(name) + " = array<i64";
      for (auto [index, value] : llvm::enumerate(values))
        text += (index ? ", " : ": ") + std::to_string(value);
      return text + ">";
    };
    return "{" + array("strides", window.strides) + ", " +
           array("window_size", window.size) + ", " +
           array("start_padding", window.startPadding) + ", " +
           array("end_padding", window.endPadding) +
           (window.dilations.empty()
                ? ""
                : ", " + array("dilations", window.dilations)) +
           window.more + "}";
  }

  /// A pooling with one result.
  Tensor pool(const std::string &name, const Tensor &input,
              const Window &window, std::vector<int64_t> shape,
              Result result = Result::exact) {
    return interpretOp(
        "dml." + name + " %0 " + makeAttributes(window) + " : (" +
            getTypeName(input) + ") -> " +
            getTypeName(*Tensor::create(input.getDataType(), shape)),
        input, result);
  }

  /// The maxima and their indices.
  std::pair<Tensor, Tensor> findMaxima(const Tensor &input,
                                       const Window &window,
                                       std::vector<int64_t> shape,
                                       DataType indexType) {
    std::string output =
        getTypeName(*Tensor::create(input.getDataType(), shape));
    std::string indices = getTypeName(*Tensor::create(indexType, shape));
    auto results = interpretSource(
        "func.func @main(%0: " + getTypeName(input) + ") -> (" + output + ", " +
            indices + ") {\n%1:2 = dml.max_pooling2 %0 " +
            makeAttributes(window) + " : (" + getTypeName(input) + ") -> (" +
            output + ", " + indices + ")\nreturn %1#0, %1#1 : " + output +
            ", " + indices + "\n}",
        input);
    EXPECT_TRUE(succeeded(results)) << diagnostics;
    if (failed(results))
      return {input, input};
    return {(*results)[0], (*results)[1]};
  }

  static Window row(int64_t size, int64_t stride = 1, int64_t startPadding = 0,
                    int64_t endPadding = 0, int64_t dilation = 1) {
    return {{1, stride},
            {1, size},
            {0, startPadding},
            {0, endPadding},
            {1, dilation}};
  }
};

TEST_F(PoolingTest, MaximaAndTheirIndicesOfEveryType) {
  for (DataType type : allDataTypes) {
    if (type == DataType::FLOAT64)
      continue;
    for (DataType indexType : {DataType::UINT32, DataType::UINT64}) {
      auto [output, indices] =
          findMaxima(makeTensor(type, {1, 1, 2, 4}, {3, 5, 7, 1, 9, 4, 2, 8}),
                     row(3), {1, 1, 2, 2}, indexType);
      EXPECT_EQ(getNumbers(output), (Numbers{7, 7, 9, 8}));
      EXPECT_EQ(getNumbers(indices), (Numbers{2, 2, 4, 7}));
    }
  }
}

TEST_F(PoolingTest, IndicesCountFromTheTensorsFirstElement) {
  auto [output, indices] = findMaxima(
      makeTensor(DataType::FLOAT32, {2, 1, 1, 3}, {1, 2, 3, 6, 5, 4}), row(3),
      {2, 1, 1, 1}, DataType::UINT32);
  EXPECT_EQ(getNumbers(output), (Numbers{3, 6}));
  EXPECT_EQ(getNumbers(indices), (Numbers{2, 3}));
}

TEST_F(PoolingTest, TheFirstOfEqualElementsWins) {
  auto [output, indices] =
      findMaxima(makeTensor(DataType::FLOAT32, {1, 1, 1, 4}, {-0.0, 0.0, 7, 7}),
                 row(2, 2), {1, 1, 1, 2}, DataType::UINT32);
  EXPECT_EQ(getNumbers(indices), (Numbers{0, 2}));
  EXPECT_TRUE(std::signbit(output.getNumber(0)));
}

TEST_F(PoolingTest, TheFirstNaNWins) {
  auto [output, indices] = findMaxima(
      makeTensor(DataType::FLOAT32, {1, 1, 1, 4}, {infinity, nan, nan, 5}),
      row(4), {1, 1, 1, 1}, DataType::UINT32);
  EXPECT_TRUE(std::isnan(output.getNumber(0)));
  EXPECT_EQ(getNumbers(indices), (Numbers{1}));
}

TEST_F(PoolingTest, PaddingNeverWins) {
  auto [output, indices] =
      findMaxima(makeTensor(DataType::INT8, {1, 1, 1, 1}, {-5}),
                 row(2, 1, 2, 1), {1, 1, 1, 3}, DataType::UINT64);
  // The first window lies wholly in padding.
  EXPECT_EQ(getNumbers(output), (Numbers{-128, -5, -5}));
  EXPECT_EQ(getElements<uint64_t>(indices),
            (std::vector<uint64_t>{UINT64_MAX, 0, 0}));
  EXPECT_EQ(getNumbers(pool("max_pooling2",
                            makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {-5}),
                            row(1, 1, 1, 0), {1, 1, 1, 2})),
            (Numbers{-infinity, -5}));
}

TEST_F(PoolingTest, DilatedWindowsRoundedUp) {
  Tensor input = makeIota(DataType::FLOAT32, {1, 1, 1, 6});
  EXPECT_EQ(
      getNumbers(pool("max_pooling2", input, row(2, 2, 0, 0, 2), {1, 1, 1, 2})),
      (Numbers{3, 5}));
  EXPECT_EQ(
      getNumbers(pool("max_pooling2", input, row(2, 2, 0, 0, 2), {1, 1, 1, 3})),
      (Numbers{3, 5, 5}));
}

TEST_F(PoolingTest, AveragesOfThePage) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16})
    EXPECT_EQ(
        getNumbers(pool(
            "average_pooling", makeIota(type, {1, 1, 3, 3}),
            {{1, 1}, {2, 2}, {0, 0}, {0, 0}, {}, ", include_padding = false"},
            {1, 1, 2, 2})),
        (Numbers{3, 4, 6, 7}));
}

TEST_F(PoolingTest, AveragesWithAndWithoutPadding) {
  auto get = [&](const char *include) {
    Window window = row(2, 1, 2, 1);
    window.dilations = {};
    window.more = std::string(", include_padding = ") + include;
    return getNumbers(pool("average_pooling",
                           makeTensor(DataType::FLOAT32, {1, 1, 1, 2}, {4, 6}),
                           window, {1, 1, 1, 4}));
  };
  EXPECT_EQ(get("true"), (Numbers{0, 2, 5, 3}));
  // The first window lies wholly in padding.
  EXPECT_EQ(get("false"), (Numbers{0, 4, 5, 6}));
}

TEST_F(PoolingTest, PlacesOfUncertainMaximaAreUnknown) {
  std::string type = "tensor<1x1x1x2xf32>";
  auto results = interpretSource(
      "func.func @main(%0: " + type + ") -> (" + type +
          ", tensor<1x1x1x2xui32>) {\n%1 = dml.element_wise_exp %0 : (" + type +
          ") -> " + type + "\n%2:2 = dml.max_pooling2 %1 " +
          makeAttributes(row(1)) + " : (" + type + ") -> (" + type +
          ", tensor<1x1x1x2xui32>)\nreturn %2#0, %2#1 : " + type +
          ", tensor<1x1x1x2xui32>\n}",
      makeTensor(DataType::FLOAT32, {1, 1, 1, 2}, {1, 2}));
  EXPECT_TRUE(failed(results));
  EXPECT_NE(diagnostics.find("known within bounds only"), std::string::npos)
      << diagnostics;
}

} // namespace
