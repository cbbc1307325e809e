//===- ReductionTest.cpp - Tests of the interpreter's reductions ----------===//
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

std::string toText(const std::vector<int64_t> &values) {
  std::string text = "array<i64";
  for (auto [index, value] : llvm::enumerate(values))
    text += (index ? ", " : ": ") + std::to_string(value);
  return text + ">";
}

class ReductionTest : public ReferenceTest {
protected:
  std::string getReducedName(const Tensor &input, DataType type,
                             const std::vector<int64_t> &axes) {
    std::vector<int64_t> shape(input.getShape());
    for (int64_t axis : axes)
      shape[axis] = 1;
    return getTypeName(*Tensor::create(type, shape));
  }

  Numbers reduce(const std::string &function, const Tensor &input,
                 const std::vector<int64_t> &axes,
                 std::optional<DataType> type = std::nullopt,
                 Result part = Result::exact) {
    return getNumbers(interpretOp(
        "dml.reduce %0 {function = #dml.reduce_function<" + function +
            ">, axes = " + toText(axes) + "} : (" + getTypeName(input) +
            ") -> " +
            getReducedName(input, type.value_or(input.getDataType()), axes),
        {input}, part));
  }

  /// Of one row.
  double reduceRow(const std::string &function, std::vector<double> row,
                   DataType type = DataType::FLOAT32,
                   Result part = Result::exact) {
    int64_t size = row.size();
    return reduce(function, makeTensor(type, {size}, row), {0}, std::nullopt,
                  part)[0];
  }

  Numbers arg(const std::string &op, const Tensor &input,
              const std::vector<int64_t> &axes,
              const std::string &direction = "increasing",
              DataType type = DataType::UINT32) {
    return getNumbers(interpretOp(
        "dml." + op + " %0 {axes = " + toText(axes) +
            ", axis_direction = #dml.axis_direction<" + direction + ">} : (" +
            getTypeName(input) + ") -> " + getReducedName(input, type, axes),
        {input}));
  }
};

const DataType integers[] = {DataType::INT64, DataType::INT32, DataType::UINT64,
                             DataType::UINT32};

TEST_F(ReductionTest, ThePagesExamplesOfReduce) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16, DataType::INT32,
                        DataType::INT64, DataType::UINT32, DataType::UINT64}) {
    Tensor input = makeTensor(type, {3, 3}, {1, 2, 3, 3, 0, 4, 2, 4, 2});
    EXPECT_EQ(reduce("sum", input, {0}), (Numbers{6, 6, 9}));
    EXPECT_EQ(reduce("sum", input, {1}), (Numbers{6, 7, 8}));
    EXPECT_EQ(reduce("sum", input, {0, 1}), (Numbers{21}));
    EXPECT_EQ(reduce("sum", input, {1, 0}), (Numbers{21}));
  }
}

TEST_F(ReductionTest, EveryFunction) {
  Tensor input =
      makeTensor(DataType::FLOAT32, {2, 4}, {1, 2, 3, 6, 0, -1, -2, 1});
  EXPECT_EQ(reduce("average", input, {1}), (Numbers{3, -0.5}));
  EXPECT_EQ(reduceRow("l1", {1, -2, 3}), 6);
  EXPECT_EQ(reduceRow("l2", {3, -4}), 5);
  EXPECT_NEAR(reduceRow("log_sum", {1, 3, 4}), 2.0794415, 1e-6);
  EXPECT_NEAR(reduceRow("log_sum_exp", {0, 0, 0, 0}), 1.3862944, 1e-6);
  EXPECT_NEAR(reduceRow("log_sum_exp", {1000, 1000}), 1000.6931, 1e-3);
  EXPECT_EQ(reduceRow("sum_square", {1, -2, 3}), 14);
  EXPECT_EQ(reduceRow("multiply", {2, 3, 4}), 24);
  EXPECT_EQ(reduceRow("max", {1, -5, 3}), 3);
  EXPECT_EQ(reduceRow("min", {1, -5, 3}), -5);
  for (DataType type : {DataType::INT32, DataType::INT64}) {
    EXPECT_EQ(reduceRow("l1", {1, -2, 3}, type), 6);
    EXPECT_EQ(reduceRow("sum_square", {1, -2, 3}, type), 14);
    EXPECT_EQ(reduceRow("multiply", {2, -3, 4}, type), -24);
  }
  for (DataType type : allDataTypes)
    if (type != DataType::FLOAT64) {
      EXPECT_EQ(reduceRow("max", {1, 0, 3}, type), 3);
      EXPECT_EQ(reduceRow("min", {1, 0, 3}, type), 0);
    }
}

TEST_F(ReductionTest, PlacesAreThoseOfTheReducedDimensions) {
  Tensor input = makeTensor(DataType::FLOAT32, {2, 2, 3},
                            {1, 2, 3, 4, 5, 6, 9, 0, 1, 0, 7, 8});
  for (DataType type : integers) {
    EXPECT_EQ(reduce("argmax", input, {2, 0}, type), (Numbers{3, 5}));
    EXPECT_EQ(reduce("argmax", input, {0, 2}, type), (Numbers{3, 5}));
    EXPECT_EQ(arg("argmax", input, {2, 0}, "increasing", type),
              (Numbers{3, 5}));
  }
  EXPECT_EQ(reduce("argmin",
                   makeTensor(DataType::INT32, {2, 3}, {3, 1, 1, 5, 5, 5}), {1},
                   DataType::UINT32),
            (Numbers{1, 0}));
}

TEST_F(ReductionTest, ThePagesExamplesOfArgMinAndArgMax) {
  for (DataType type : allDataTypes) {
    if (type == DataType::FLOAT64)
      continue;
    Tensor input = makeTensor(type, {3, 3}, {1, 2, 3, 3, 0, 4, 2, 5, 2});
    EXPECT_EQ(arg("argmin", input, {0}), (Numbers{0, 1, 2}));
    EXPECT_EQ(arg("argmin", input, {1}), (Numbers{0, 1, 0}));
    EXPECT_EQ(arg("argmin", input, {0, 1}), (Numbers{4}));
    EXPECT_EQ(arg("argmax", input, {0}), (Numbers{1, 2, 1}));
    EXPECT_EQ(arg("argmax", input, {1}), (Numbers{2, 2, 1}));
    EXPECT_EQ(arg("argmax", input, {0, 1}), (Numbers{7}));
    Tensor valley = makeTensor(type, {5}, {1, 2, 3, 2, 1});
    EXPECT_EQ(arg("argmin", valley, {0}), (Numbers{0}));
    EXPECT_EQ(arg("argmin", valley, {0}, "decreasing"), (Numbers{4}));
    EXPECT_EQ(arg("argmin", valley, {}), (Numbers{0, 0, 0, 0, 0}));
  }
}

TEST_F(ReductionTest, NaNsLoseAndZerosAreEqual) {
  auto row = [](std::vector<double> values) {
    int64_t size = values.size();
    return makeTensor(DataType::FLOAT32, {size}, values);
  };
  EXPECT_EQ(reduceRow("max", {nan, -infinity, nan}), -infinity);
  EXPECT_EQ(reduceRow("min", {nan, 7}), 7);
  EXPECT_TRUE(std::isnan(reduceRow("max", {nan, nan})));
  EXPECT_EQ(arg("argmax", row({nan, 1, nan, 1}), {0}), (Numbers{1}));
  EXPECT_EQ(arg("argmax", row({nan, 1, nan, 1}), {0}, "decreasing"),
            (Numbers{3}));
  EXPECT_EQ(arg("argmin", row({nan, nan}), {0}), (Numbers{0}));
  EXPECT_EQ(arg("argmin", row({nan, nan}), {0}, "decreasing"), (Numbers{1}));
  EXPECT_EQ(arg("argmax", row({-0.0, 0.0}), {0}), (Numbers{0}));
  EXPECT_EQ(arg("argmin", row({0.0, -0.0}), {0}), (Numbers{0}));
  EXPECT_EQ(arg("argmin", row({3, -infinity, nan}), {0}), (Numbers{1}));
}

TEST_F(ReductionTest, Infinities) {
  EXPECT_EQ(reduceRow("sum", {infinity, 1}), infinity);
  EXPECT_TRUE(std::isnan(reduceRow("sum", {infinity, -infinity})));
  EXPECT_TRUE(std::isnan(reduceRow("sum", {nan, 1})));
  EXPECT_TRUE(std::isnan(reduceRow("log_sum", {-1, -2})));
  EXPECT_EQ(reduceRow("log_sum", {0, 0}), -infinity);
  EXPECT_EQ(reduceRow("log_sum_exp", {-infinity, -infinity}), -infinity);
  EXPECT_EQ(reduceRow("log_sum_exp", {infinity, 0}), infinity);
  EXPECT_EQ(reduceRow("multiply", {infinity, -2}), -infinity);
  // An order of the sum may overflow in between.
  EXPECT_EQ(
      reduceRow("sum", {3e38, 3e38, -3e38}, DataType::FLOAT32, Result::upper),
      infinity);
}

TEST_F(ReductionTest, IntegersWrapAround) {
  double lowest = -2147483648.0;
  EXPECT_EQ(reduceRow("sum", {2147483647, 1}, DataType::INT32), lowest);
  EXPECT_EQ(reduceRow("l1", {lowest}, DataType::INT32), lowest);
  EXPECT_EQ(reduceRow("multiply", {65536, 65536}, DataType::UINT32), 0);
  EXPECT_EQ(reduceRow("sum_square", {65537}, DataType::UINT32), 131073);
  EXPECT_EQ(
      reduceRow("multiply", {4294967296, 4294967296, 3}, DataType::UINT64), 0);
}

TEST_F(ReductionTest, WithoutAxesEveryElementIsASet) {
  Tensor input = makeTensor(DataType::FLOAT32, {3}, {-1, 2, -3});
  EXPECT_EQ(reduce("l1", input, {}), (Numbers{1, 2, 3}));
  EXPECT_EQ(reduce("sum", input, {}), (Numbers{-1, 2, -3}));
  EXPECT_EQ(reduce("argmax", input, {}, DataType::UINT32), (Numbers{0, 0, 0}));
}

TEST_F(ReductionTest, BoundsGrowWithTheNumberOfTerms) {
  double two = reduceRow("sum", {1, 1}, DataType::FLOAT32, Result::upper);
  EXPECT_GT(two, 2);
  EXPECT_LE(two, 2 + 0x1p-20);
  // Halves are rounded once: a sum of 2,048 ones and one is 2,048 or 2,050.
  std::vector<double> ones(2049, 1);
  EXPECT_EQ(reduceRow("sum", ones, DataType::FLOAT16, Result::lower), 2048);
  EXPECT_EQ(reduceRow("sum", ones, DataType::FLOAT16, Result::upper), 2050);
}

TEST_F(ReductionTest, RankEight) {
  Tensor input = makeIota(DataType::FLOAT32, {2, 1, 1, 2, 1, 1, 1, 2});
  EXPECT_EQ(reduce("sum", input, {0, 7}), (Numbers{14, 22}));
}

} // namespace
