//===- SortTest.cpp - Tests of the interpreter's selections ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include <limits>

using namespace dml;
using namespace dml::reference;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

class SortTest : public ReferenceTest {
protected:
  /// Two results of `op`, an operation of %0, of the types that its text names.
  std::pair<Tensor, Tensor> interpretPair(const std::string &op,
                                          const std::string &types,
                                          const Tensor &input) {
    std::string inputType = getTypeName(input);
    std::string source = "func.func @main(%0: " + inputType + ") -> (" + types +
                         ") {\n%1, %2 = " + op + " : (" + inputType + ") -> (" +
                         types + ")\nreturn %1, %2 : " + types + "\n}";
    auto outputs = interpretSource(source, {input});
    EXPECT_TRUE(succeeded(outputs)) << diagnostics << source;
    if (failed(outputs))
      return {*Tensor::create(DataType::FLOAT32, {0}),
              *Tensor::create(DataType::UINT32, {0})};
    return {(*outputs)[0], (*outputs)[1]};
  }

  enum class Direction { topK, decreasing, increasing };

  /// The values and the positions that are selected along `axis`.
  std::pair<Numbers, Numbers> select(const Tensor &input, int64_t axis,
                                     int64_t k, Direction direction,
                                     DataType indexType = DataType::UINT32) {
    auto [values, indices] =
        selectTensors(input, axis, k, direction, indexType);
    return {getNumbers(values), getNumbers(indices)};
  }
  std::pair<Tensor, Tensor>
  selectTensors(const Tensor &input, int64_t axis, int64_t k,
                Direction direction, DataType indexType = DataType::UINT32) {
    std::vector<int64_t> shape(input.getShape().begin(),
                               input.getShape().end());
    shape[axis] = k;
    std::string types =
        getTypeName(*Tensor::create(input.getDataType(), shape)) + ", " +
        getTypeName(*Tensor::create(indexType, shape));
    std::string op = direction == Direction::topK ? "dml.top_k" : "dml.top_k1";
    op += " %0 {axis = " + std::to_string(axis) +
          " : i64, k = " + std::to_string(k) + " : i64";
    if (direction != Direction::topK)
      op +=
          std::string(", axis_direction = #dml.axis_direction<") +
          (direction == Direction::increasing ? "increasing>" : "decreasing>");
    return interpretPair(op + "}", types, input);
  }

  const Direction largest[2] = {Direction::topK, Direction::decreasing};
};

const DataType selectedTypes[] = {
    DataType::FLOAT32, DataType::FLOAT16, DataType::INT64,  DataType::INT32,
    DataType::INT16,   DataType::INT8,    DataType::UINT64, DataType::UINT32,
    DataType::UINT16,  DataType::UINT8};

using Selected = std::pair<Numbers, Numbers>;

TEST_F(SortTest, ThePagesExamples) {
  for (DataType type : selectedTypes) {
    Tensor input =
        makeTensor(type, {1, 1, 3, 4}, {0, 1, 10, 11, 3, 2, 9, 8, 4, 5, 6, 7});
    Tensor ties =
        makeTensor(type, {1, 1, 3, 4}, {1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 6, 6});
    for (Direction direction : largest) {
      EXPECT_EQ(select(input, 3, 2, direction),
                Selected({11, 10, 9, 8, 7, 6}, {3, 2, 2, 3, 3, 2}));
      EXPECT_EQ(select(input, 2, 2, direction),
                Selected({4, 5, 10, 11, 3, 2, 9, 8}, {2, 2, 0, 0, 1, 1, 1, 1}));
      EXPECT_EQ(
          select(ties, 3, 3, direction),
          Selected({3, 2, 2, 5, 5, 4, 6, 6, 6}, {3, 1, 2, 2, 3, 1, 0, 1, 2}));
    }
    EXPECT_EQ(
        select(ties, 3, 3, Direction::increasing),
        Selected({1, 2, 2, 3, 4, 5, 6, 6, 6}, {0, 1, 2, 0, 1, 2, 0, 1, 2}));
  }
}

TEST_F(SortTest, WholeLinesAreSorted) {
  Tensor input = makeTensor(DataType::FLOAT32, {4}, {2, 1, 2, 1});
  EXPECT_EQ(select(input, 0, 4, Direction::increasing, DataType::UINT64),
            Selected({1, 1, 2, 2}, {1, 3, 0, 2}));
  EXPECT_EQ(select(input, 0, 4, Direction::topK),
            Selected({2, 2, 1, 1}, {0, 2, 1, 3}));
}

TEST_F(SortTest, TheLowestOfEqualPositionsAreSelected) {
  EXPECT_EQ(select(makeTensor(DataType::INT32, {5}, {1, 7, 7, 7, 9}), 0, 3,
                   Direction::decreasing),
            Selected({9, 7, 7}, {4, 1, 2}));
  EXPECT_EQ(select(makeTensor(DataType::INT32, {5}, {9, 7, 7, 7, 1}), 0, 2,
                   Direction::increasing),
            Selected({1, 7}, {4, 1}));
}

TEST_F(SortTest, NaNsStandBehindAllNumbers) {
  Tensor input =
      makeTensor(DataType::FLOAT32, {5}, {nan, -infinity, 1, nan, infinity});
  EXPECT_EQ(select(input, 0, 5, Direction::decreasing).second,
            (Numbers{4, 2, 1, 0, 3}));
  EXPECT_EQ(select(input, 0, 5, Direction::increasing).second,
            (Numbers{1, 2, 4, 0, 3}));
}

TEST_F(SortTest, ZerosOfEitherSignAreEqualAndKeepTheirBits) {
  Tensor input = makeFromElements<uint32_t>(
      DataType::FLOAT32, {4}, {0x80000000, 0, 0x7fc12345, 0x80000000});
  for (Direction direction :
       {Direction::topK, Direction::decreasing, Direction::increasing}) {
    auto [values, indices] = selectTensors(input, 0, 4, direction);
    EXPECT_EQ(getNumbers(indices), (Numbers{0, 1, 3, 2}));
    EXPECT_EQ(getElements<uint32_t>(values),
              (std::vector<uint32_t>{0x80000000, 0, 0x80000000, 0x7fc12345}));
  }
}

TEST_F(SortTest, IntegersOf64BitsAreCompared) {
  Tensor input = makeFromElements<uint64_t>(
      DataType::UINT64, {3},
      {0x8000000000000000, 0x8000000000000001, 0x7fffffffffffffff});
  EXPECT_EQ(select(input, 0, 3, Direction::topK).second, (Numbers{1, 0, 2}));
  EXPECT_EQ(
      select(input.view(DataType::INT64, {3}), 0, 3, Direction::topK).second,
      (Numbers{2, 1, 0}));
}

TEST_F(SortTest, UncertainInputs) {
  // The bounds of exponentials determine the order of 1 and 2, but not the
  // order of equal numbers.
  auto get = [&](Result result) {
    auto outputs = interpretSource(
        R"(func.func @main(%0: tensor<4xf32>)
            -> (tensor<4xf32>, tensor<4xui32>) {
          %1 = dml.element_wise_exp %0 : (tensor<4xf32>) -> tensor<4xf32>
          %2, %3 = dml.top_k %1 {axis = 0 : i64, k = 4 : i64}
              : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xui32>)
          return %2, %3 : tensor<4xf32>, tensor<4xui32>
        })",
        {makeTensor(DataType::FLOAT32, {4}, {1, 2, 0, 2})}, result);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    return std::make_pair(getNumbers((*outputs)[0]), getNumbers((*outputs)[1]));
  };
  auto [values, indices] = get(Result::exact);
  EXPECT_EQ(indices, (Numbers{1, 3, 0, 2}));
  auto [lower, first] = get(Result::lower);
  EXPECT_EQ(first, (Numbers{1, 1, 0, 2}));
  auto [upper, last] = get(Result::upper);
  EXPECT_EQ(last, (Numbers{3, 3, 0, 2}));
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_LT(lower[i], values[i]);
    EXPECT_LT(values[i], upper[i]);
    EXPECT_LT(upper[i] - lower[i], 1e-4);
  }
}

TEST_F(SortTest, CoordinatesOfThePagesExample) {
  auto [count, rows] =
      interpretPair("dml.nonzero_coordinates %0",
                    "tensor<1x1x1x1xui32>, tensor<1x1x8x3xui32>",
                    makeTensor(DataType::FLOAT32, {1, 1, 2, 4},
                               {1, 0, 0, 2, -0.0, 3.5, 0, -5.2}));
  EXPECT_EQ(getNumbers(count), Numbers{4});
  EXPECT_EQ(getNumbers(rows), (Numbers{0, 0, 0, 0, 0, 3, 0, 1, 1, 0, 1, 3,
                                       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(SortTest, CoordinatesOfEveryType) {
  for (DataType type :
       {DataType::FLOAT32, DataType::FLOAT16, DataType::INT32, DataType::INT16,
        DataType::INT8, DataType::UINT32, DataType::UINT16, DataType::UINT8}) {
    auto [count, rows] = interpretPair(
        "dml.nonzero_coordinates %0", "tensor<1xui32>, tensor<8x3xui32>",
        makeTensor(type, {2, 2, 2}, {1, 0, 0, 2, 0, 0, 3, 0}));
    EXPECT_EQ(getNumbers(count), Numbers{3});
    EXPECT_EQ(getNumbers(rows), (Numbers{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0,
                                         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  }
}

TEST_F(SortTest, RowsHaveTheLastCoordinates) {
  auto [count, rows] =
      interpretPair("dml.nonzero_coordinates %0",
                    "tensor<1x1x1x1xui32>, tensor<1x1x4x2xui32>",
                    makeTensor(DataType::INT32, {1, 1, 2, 2}, {0, 7, 8, 0}));
  EXPECT_EQ(getNumbers(count), Numbers{2});
  EXPECT_EQ(getNumbers(rows), (Numbers{0, 1, 1, 0, 0, 0, 0, 0}));
}

TEST_F(SortTest, NaNsAndDenormalsAreNotZero) {
  auto [count, rows] = interpretPair(
      "dml.nonzero_coordinates %0", "tensor<1xui32>, tensor<5x1xui32>",
      makeTensor(DataType::FLOAT32, {5}, {nan, 0, -0.0, 0x1p-149, -infinity}));
  EXPECT_EQ(getNumbers(count), Numbers{3});
  EXPECT_EQ(getNumbers(rows), (Numbers{0, 3, 4, 0, 0}));
}

TEST_F(SortTest, NoElementOrEveryOne) {
  for (double element : {0.0, 1.0}) {
    auto [count, rows] = interpretPair(
        "dml.nonzero_coordinates %0", "tensor<1xui32>, tensor<2x1xui32>",
        makeTensor(DataType::FLOAT16, {2}, {element, element}));
    EXPECT_EQ(getNumbers(count), Numbers{2 * element});
    EXPECT_EQ(getNumbers(rows), (Numbers{0, element}));
  }
}

} // namespace
