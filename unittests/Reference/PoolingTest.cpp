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
  std::pair<Tensor, Tensor>
  findMaxima(const Tensor &input, const Window &window,
             std::vector<int64_t> shape, DataType indexType,
             const std::string &name = "max_pooling2") {
    std::string output =
        getTypeName(*Tensor::create(input.getDataType(), shape));
    std::string indices = getTypeName(*Tensor::create(indexType, shape));
    auto results = interpretSource(
        "func.func @main(%0: " + getTypeName(input) + ") -> (" + output + ", " +
            indices + ") {\n%1:2 = dml." + name + " %0 " +
            makeAttributes(window) + " : (" + getTypeName(input) + ") -> (" +
            output + ", " + indices + ")\nreturn %1#0, %1#1 : " + output +
            ", " + indices + "\n}",
        input);
    EXPECT_TRUE(succeeded(results)) << diagnostics;
    if (failed(results))
      return {input, input};
    return {(*results)[0], (*results)[1]};
  }

  /// Windows for an operator without dilations.
  static Window undilated(Window window, const std::string &more = "") {
    window.dilations = {};
    window.more = more;
    return window;
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

TEST_F(PoolingTest, OlderVersionsAreTheNewestWithoutDilations) {
  for (DataType type : allDataTypes) {
    if (type == DataType::FLOAT64)
      continue;
    Tensor input = makeTensor(type, {1, 1, 2, 4}, {3, 5, 7, 1, 9, 4, 2, 8});
    EXPECT_EQ(
        getNumbers(pool("max_pooling", input, undilated(row(3)), {1, 1, 2, 2})),
        (Numbers{7, 7, 9, 8}));
    EXPECT_EQ(getNumbers(
                  pool("max_pooling1", input, undilated(row(3)), {1, 1, 2, 2})),
              (Numbers{7, 7, 9, 8}));
    for (DataType indexType : {DataType::UINT32, DataType::UINT64}) {
      auto [output, indices] = findMaxima(
          input, undilated(row(3)), {1, 1, 2, 2}, indexType, "max_pooling1");
      EXPECT_EQ(getNumbers(output), (Numbers{7, 7, 9, 8}));
      EXPECT_EQ(getNumbers(indices), (Numbers{2, 2, 4, 7}));
    }
  }
}

TEST_F(PoolingTest, HugeWindowsSeeWhatLiesInside) {
  constexpr int64_t most = 4294967295;
  Tensor input = makeTensor(DataType::FLOAT32, {1, 1, 1, 3}, {-1, 3, 2});
  EXPECT_EQ(getNumbers(pool("max_pooling2", input, row(most), {1, 1, 1, 1})),
            (Numbers{3}));
  // The second element of the window is the first element of the tensor, and
  // all other elements of the window are outside of the tensor.
  EXPECT_EQ(getNumbers(pool("max_pooling2", input, row(most, 1, most, 0, most),
                            {1, 1, 1, 1})),
            (Numbers{-1}));
}

TEST_F(PoolingTest, AveragesOfDilatedWindows) {
  auto average = [&](Window window, const char *include,
                     std::vector<int64_t> shape, DataType type) {
    window.more = std::string(", include_padding = ") + include;
    return getNumbers(pool("average_pooling1", makeIota(type, {1, 1, 1, 6}),
                           window, std::move(shape)));
  };
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16}) {
    EXPECT_EQ(average(row(3, 1, 0, 0, 2), "false", {1, 1, 1, 2}, type),
              (Numbers{3, 4}));
    // The windows contain the elements _ 1 3, _ 2 4, 1 3 5, 2 4 6 and 3 5 _.
    // The divisor counts elements of the window, and not the elements that a
    // dilated window skips.
    EXPECT_EQ(average(row(3, 1, 2, 1, 2), "true", {1, 1, 1, 5}, type),
              (Numbers{getNumbers(makeTensor(type, {1}, {4.0 / 3}))[0], 2, 3, 4,
                       getNumbers(makeTensor(type, {1}, {8.0 / 3}))[0]}));
    EXPECT_EQ(average(row(3, 1, 2, 1, 2), "false", {1, 1, 1, 5}, type),
              (Numbers{2, 3, 3, 4, 4}));
    // Windows wholly in padding.
    EXPECT_EQ(average(row(1, 9, 9, 9), "false", {1, 1, 1, 3}, type),
              (Numbers{0, 1, 0}));
  }
}

TEST_F(PoolingTest, NormsOfEveryDegree) {
  Tensor input = makeTensor(DataType::FLOAT32, {1, 1, 1, 3}, {2, -3, 6});
  auto norm = [&](int64_t p) {
    std::string more = ", p = " + std::to_string(p);
    Numbers newer, older;
    for (Result result : {Result::lower, Result::exact, Result::upper}) {
      Window window = row(3);
      window.more = more;
      newer.push_back(pool("lp_pooling1", input, window, {1, 1, 1, 1}, result)
                          .getNumber(0));
      older.push_back(pool("lp_pooling", input, undilated(row(3), more),
                           {1, 1, 1, 1}, result)
                          .getNumber(0));
    }
    EXPECT_EQ(newer, older);
    return newer;
  };
  EXPECT_EQ(norm(1)[1], 11);
  EXPECT_EQ(norm(2)[1], 7);
  for (int64_t p : {1, 2, 3, 4, 7, 40}) {
    double wanted =
        std::pow(std::pow(2, p) + std::pow(3, p) + std::pow(6, p), 1.0 / p);
    Numbers found = norm(p);
    EXPECT_LE(found[0], wanted) << p;
    EXPECT_GE(found[2], wanted) << p;
    EXPECT_NEAR(found[1], wanted, 1e-5 * wanted) << p;
    EXPECT_LE(found[2] - found[0], 1e-4 * wanted) << p;
  }
  // Powers overflow, and are no less than their sum's root.
  EXPECT_EQ(norm(4294967295)[2], infinity);
}

TEST_F(PoolingTest, NormsOfWindowsInPadding) {
  Window window = row(2, 1, 2, 1);
  for (int64_t p : {1, 2, 3}) {
    window.more = ", p = " + std::to_string(p);
    Numbers found = getNumbers(
        pool("lp_pooling1", makeTensor(DataType::FLOAT16, {1, 1, 1, 1}, {-8}),
             window, {1, 1, 1, 3}));
    EXPECT_EQ(found[0], 0);
    EXPECT_NEAR(found[1], 8, 0.01);
    EXPECT_NEAR(found[2], 8, 0.01);
  }
}

TEST_F(PoolingTest, NormsOfSpecialNumbers) {
  Window window = row(1);
  for (int64_t p : {1, 2, 3}) {
    window.more = ", p = " + std::to_string(p);
    Numbers found = getNumbers(pool(
        "lp_pooling1",
        makeTensor(DataType::FLOAT32, {1, 1, 1, 4}, {nan, -infinity, -0.0, 0}),
        window, {1, 1, 1, 4}));
    EXPECT_TRUE(std::isnan(found[0]));
    EXPECT_EQ(found[1], infinity);
    EXPECT_EQ(found[2], 0);
    EXPECT_EQ(found[3], 0);
  }
}

TEST_F(PoolingTest, GradientsOfAverages) {
  auto gradient = [&](std::vector<double> values, const Window &window,
                      std::vector<int64_t> from, std::vector<int64_t> to,
                      const char *include, DataType type) {
    return getNumbers(
        pool("average_pooling_grad",
             makeTensor(type, std::move(from), std::move(values)),
             undilated(window, std::string(", include_padding = ") + include),
             std::move(to)));
  };
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16}) {
    for (const char *include : {"true", "false"})
      EXPECT_EQ(gradient({1, 2, 3, 4}, {{1, 1}, {2, 2}, {0, 0}, {0, 0}, {}},
                         {1, 1, 2, 2}, {1, 1, 3, 3}, include, type),
                (Numbers{0.25, 0.75, 0.5, 1, 2.5, 1.5, 0.75, 1.75, 1}));
    // Windows _ _, _ 0, 0 1, 1 _: the first has no element.
    EXPECT_EQ(gradient({8, 4, 2, 6}, row(2, 1, 2, 1), {1, 1, 1, 4},
                       {1, 1, 1, 2}, "true", type),
              (Numbers{3, 4}));
    EXPECT_EQ(gradient({8, 4, 2, 6}, row(2, 1, 2, 1), {1, 1, 1, 4},
                       {1, 1, 1, 2}, "false", type),
              (Numbers{5, 7}));
    // Elements between windows, and behind the last one.
    EXPECT_EQ(
        gradient({1, 2}, row(1, 2), {1, 1, 1, 2}, {1, 1, 1, 4}, "false", type),
        (Numbers{1, 0, 2, 0}));
    // The size rounded up: the last window has one element.
    EXPECT_EQ(gradient({1, 2, 4}, row(2, 2), {1, 1, 1, 3}, {1, 1, 1, 5},
                       "false", type),
              (Numbers{0.5, 0.5, 1, 1, 4}));
  }
  // Planes and three spatial dimensions.
  EXPECT_EQ(gradient({4, 8}, {{1, 1, 1}, {2, 1, 2}, {0, 0, 0}, {0, 0, 0}, {}},
                     {1, 2, 1, 1, 1}, {1, 2, 2, 1, 2}, "false",
                     DataType::FLOAT32),
            (Numbers{1, 1, 1, 1, 2, 2, 2, 2}));
}

class MaxUnpoolingTest : public ReferenceTest {
protected:
  Tensor unpool(const Tensor &input, const Tensor &indices,
                std::vector<int64_t> shape) {
    return interpretOp(
        "dml.max_unpooling %0, %1 : (" + getTypeName(input) + ", " +
            getTypeName(indices) + ") -> " +
            getTypeName(*Tensor::create(input.getDataType(), std::move(shape))),
        {input, indices});
  }
};

TEST_F(MaxUnpoolingTest, PutsElementsOfEveryType) {
  for (DataType type : allDataTypes) {
    if (type == DataType::FLOAT64)
      continue;
    for (DataType indexType : {DataType::UINT32, DataType::UINT64})
      EXPECT_EQ(
          getNumbers(unpool(makeTensor(type, {1, 1, 2, 2}, {5, 6, 7, 8}),
                            makeTensor(indexType, {1, 1, 2, 2}, {5, 7, 13, 15}),
                            {1, 1, 4, 4})),
          (Numbers{0, 0, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 0, 7, 0, 8}));
  }
}

TEST_F(MaxUnpoolingTest, IndicesCountFromTheTensorsFirstElement) {
  EXPECT_EQ(getNumbers(unpool(
                makeTensor(DataType::FLOAT32, {2, 1, 1, 2}, {1, 2, 3, 4}),
                makeTensor(DataType::UINT32, {2, 1, 1, 2}, {5, 0, 3, 1}),
                {2, 1, 1, 3})),
            (Numbers{2, 4, 0, 3, 0, 1}));
}

TEST_F(MaxUnpoolingTest, TheLastOfEqualIndicesWins) {
  EXPECT_EQ(
      getNumbers(unpool(makeTensor(DataType::FLOAT32, {1, 1, 1, 3}, {1, 2, 3}),
                        makeTensor(DataType::UINT32, {1, 1, 1, 3}, {1, 1, 0}),
                        {1, 1, 1, 2})),
      (Numbers{3, 2}));
}

TEST_F(MaxUnpoolingTest, IndicesOutOfRangePutNothing) {
  EXPECT_EQ(
      getNumbers(unpool(makeTensor(DataType::FLOAT32, {1, 1, 1, 3}, {1, 2, 3}),
                        makeFromElements<uint32_t>(
                            DataType::UINT32, {1, 1, 1, 3}, {2, UINT32_MAX, 1}),
                        {1, 1, 1, 2})),
      (Numbers{0, 3}));
  // The low words of these are in range.
  EXPECT_EQ(getNumbers(unpool(
                makeTensor(DataType::FLOAT32, {1, 1, 1, 3}, {1, 2, 3}),
                makeFromElements<uint64_t>(DataType::UINT64, {1, 1, 1, 3},
                                           {uint64_t(1) << 32, UINT64_MAX, 1}),
                {1, 1, 1, 2})),
            (Numbers{0, 3}));
}

class QuantizedPoolingTest : public ReferenceTest {
protected:
  struct Parameter {
    std::vector<double> scale, zero;
  };

  /// One-dimensional windows of `size` elements on rows.
  Numbers pool(const Tensor &input, Parameter in, Parameter out,
               DataType outputType, std::vector<int64_t> shape, int64_t size,
               int64_t startPadding, const char *include,
               int64_t dilation = 1) {
    std::vector<Tensor> tensors = {input};
    std::string operands = "%0", types = getTypeName(input);
    auto add = [&](DataType type, const std::vector<double> &values,
                   const std::string &name) {
      if (values.empty())
        return;
      std::string number = "%" + std::to_string(tensors.size());
      operands +=
          name.empty() ? ", " + number : " " + name + "(" + number + ")";
      tensors.push_back(
          makeTensor(type, {1, int64_t(values.size()), 1, 1}, values));
      types += ", " + getTypeName(tensors.back());
    };
    add(DataType::FLOAT32, in.scale, "");
    add(input.getDataType(), in.zero, "input_zero_point");
    add(DataType::FLOAT32, out.scale, "");
    add(outputType, out.zero, "output_zero_point");
    return getNumbers(interpretOp(
        "dml.quantized_linear_average_pooling " + operands +
            " {strides = array<i64: 1, 1>, window_size = array<i64: 1, " +
            std::to_string(size) + ">, start_padding = array<i64: 0, " +
            std::to_string(startPadding) +
            ">, end_padding = array<i64: 0, 0>, dilations = array<i64: 1, " +
            std::to_string(dilation) + ">, include_padding = " + include +
            "} : (" + types + ") -> " +
            getTypeName(*Tensor::create(outputType, std::move(shape))),
        tensors));
  }
};

TEST_F(QuantizedPoolingTest, TwoByTwoWindow) {
  Tensor input = makeTensor(DataType::UINT8, {1, 1, 3, 3},
                            {10, 20, 30, 40, 50, 60, 70, 80, 90});
  auto scale = [](double value) {
    return makeTensor(DataType::FLOAT32, {1, 1, 1, 1}, {value});
  };
  auto zero = [](double value) {
    return makeTensor(DataType::UINT8, {1, 1, 1, 1}, {value});
  };
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.quantized_linear_average_pooling %0, %1 input_zero_point(%2), "
          "%3 output_zero_point(%4) {strides = array<i64: 1, 1>, window_size = "
          "array<i64: 2, 2>, start_padding = array<i64: 0, 0>, end_padding = "
          "array<i64: 0, 0>, dilations = array<i64: 1, 1>, include_padding = "
          "false} : (tensor<1x1x3x3xui8>, tensor<1x1x1x1xf32>, "
          "tensor<1x1x1x1xui8>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xui8>) -> "
          "tensor<1x1x2x2xui8>",
          {input, scale(0.5), zero(10), scale(1), zero(5)})),
      (Numbers{15, 20, 30, 35}));
}

TEST_F(QuantizedPoolingTest, PaddingCountsAsTheZeroPoint) {
  Tensor input = makeTensor(DataType::UINT8, {1, 1, 1, 2}, {8, 16});
  EXPECT_EQ(pool(input, {{1}, {4}}, {{1}, {4}}, DataType::UINT8, {1, 1, 1, 2},
                 2, 1, "false"),
            (Numbers{8, 12}));
  EXPECT_EQ(pool(input, {{1}, {4}}, {{1}, {4}}, DataType::UINT8, {1, 1, 1, 2},
                 2, 1, "true"),
            (Numbers{6, 12}));
  // A window wholly in padding has the average 0, which is the zero point.
  EXPECT_EQ(pool(input, {{1}, {4}}, {{1}, {9}}, DataType::UINT8, {1, 1, 1, 3},
                 2, 2, "false"),
            (Numbers{9, 13, 17}));
}

TEST_F(QuantizedPoolingTest, ZeroPointsMayBeAbsent) {
  Tensor input = makeTensor(DataType::INT8, {1, 1, 1, 2}, {-100, 50});
  EXPECT_EQ(pool(input, {{1}, {}}, {{1}, {}}, DataType::INT8, {1, 1, 1, 1}, 2,
                 0, "false"),
            (Numbers{-25}));
  EXPECT_EQ(pool(input, {{1}, {10}}, {{1}, {}}, DataType::INT8, {1, 1, 1, 1}, 2,
                 0, "false"),
            (Numbers{-35}));
  EXPECT_EQ(pool(input, {{1}, {}}, {{1}, {10}}, DataType::INT8, {1, 1, 1, 1}, 2,
                 0, "false"),
            (Numbers{-15}));
}

TEST_F(QuantizedPoolingTest, EachChannelMayHaveItsOwn) {
  Tensor input = makeTensor(DataType::UINT8, {2, 2, 1, 1}, {10, 20, 30, 40});
  EXPECT_EQ(pool(input, {{1, 2}, {0, 10}}, {{1, 4}, {1, 100}}, DataType::UINT8,
                 {2, 2, 1, 1}, 1, 0, "false"),
            (Numbers{11, 105, 31, 115}));
}

TEST_F(QuantizedPoolingTest, RoundsHalvesToEvenAndSaturates) {
  Tensor input = makeTensor(DataType::INT8, {1, 1, 1, 5}, {1, 2, 3, -100, 100});
  // Halves: 0.5, 1, 1.5, -50, 50.
  EXPECT_EQ(pool(input, {{1}, {}}, {{2}, {}}, DataType::INT8, {1, 1, 1, 5}, 1,
                 0, "false"),
            (Numbers{0, 1, 2, -50, 50}));
  EXPECT_EQ(pool(input, {{2}, {}}, {{1}, {}}, DataType::INT8, {1, 1, 1, 5}, 1,
                 0, "false"),
            (Numbers{2, 4, 6, -128, 127}));
  // The other signedness.
  EXPECT_EQ(pool(input, {{4}, {}}, {{1}, {}}, DataType::UINT8, {1, 1, 1, 5}, 1,
                 0, "false"),
            (Numbers{4, 8, 12, 0, 255}));
}

TEST_F(QuantizedPoolingTest, Dilations) {
  Tensor input = makeTensor(DataType::UINT8, {1, 1, 1, 4}, {0, 10, 20, 30});
  EXPECT_EQ(pool(input, {{1}, {}}, {{1}, {}}, DataType::UINT8, {1, 1, 1, 2}, 2,
                 0, "true", 2),
            (Numbers{10, 20}));
}

} // namespace
