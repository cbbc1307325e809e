//===- PaddingTest.cpp - Tests of the interpreter's padding ---------------===//
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

class PaddingTest : public ReferenceTest {
protected:
  Tensor pad(const Tensor &input, PaddingMode mode, std::vector<int64_t> start,
             std::vector<int64_t> end, const std::string &value = "0.0") {
    llvm::SmallVector<int64_t> shape(input.getShape());
    auto array = [](const std::vector<int64_t> &values) {
      std::string text = "array<i64";
      for (auto [index, value] : llvm::enumerate(values))
        text += (index ? ", " : ": ") + std::to_string(value);
      return text + ">";
    };
    for (size_t dim = 0; dim < shape.size(); ++dim)
      shape[dim] += start[dim] + end[dim];
    return interpretOp(
        "dml.padding %0 {mode = #dml.padding_mode<" +
            stringifyPaddingMode(mode).str() + ">, padding_value = " + value +
            " : f32, start_padding = " + array(start) +
            ", end_padding = " + array(end) + "} : (" + getTypeName(input) +
            ") -> " + getTypeName(*Tensor::create(input.getDataType(), shape)),
        {input});
  }

  /// A constant beside a number, in every type: what the constant becomes.
  double convert(DataType type, const std::string &value) {
    return pad(makeIota(type, {1}), PaddingMode::constant, {0}, {1}, value)
        .getNumber(1);
  }
};

TEST_F(PaddingTest, ThePagesExamples) {
  Tensor input = makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                            {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8});
  auto example = [&](PaddingMode mode) {
    return getNumbers(pad(input, mode, {0, 0, 1, 2}, {0, 0, 3, 4}, "9.0"));
  };
  EXPECT_EQ(example(PaddingMode::constant),
            (Numbers{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, //
                     9, 9, 1, 2, 3, 4, 9, 9, 9, 9, //
                     9, 9, 5, 6, 7, 8, 9, 9, 9, 9, //
                     9, 9, 1, 2, 3, 4, 9, 9, 9, 9, //
                     9, 9, 5, 6, 7, 8, 9, 9, 9, 9, //
                     9, 9, 9, 9, 9, 9, 9, 9, 9, 9, //
                     9, 9, 9, 9, 9, 9, 9, 9, 9, 9, //
                     9, 9, 9, 9, 9, 9, 9, 9, 9, 9}));
  EXPECT_EQ(example(PaddingMode::edge),
            (Numbers{1, 1, 1, 2, 3, 4, 4, 4, 4, 4, //
                     1, 1, 1, 2, 3, 4, 4, 4, 4, 4, //
                     5, 5, 5, 6, 7, 8, 8, 8, 8, 8, //
                     1, 1, 1, 2, 3, 4, 4, 4, 4, 4, //
                     5, 5, 5, 6, 7, 8, 8, 8, 8, 8, //
                     5, 5, 5, 6, 7, 8, 8, 8, 8, 8, //
                     5, 5, 5, 6, 7, 8, 8, 8, 8, 8, //
                     5, 5, 5, 6, 7, 8, 8, 8, 8, 8}));
  EXPECT_EQ(example(PaddingMode::reflection),
            (Numbers{7, 6, 5, 6, 7, 8, 7, 6, 5, 6, //
                     3, 2, 1, 2, 3, 4, 3, 2, 1, 2, //
                     7, 6, 5, 6, 7, 8, 7, 6, 5, 6, //
                     3, 2, 1, 2, 3, 4, 3, 2, 1, 2, //
                     7, 6, 5, 6, 7, 8, 7, 6, 5, 6, //
                     3, 2, 1, 2, 3, 4, 3, 2, 1, 2, //
                     7, 6, 5, 6, 7, 8, 7, 6, 5, 6, //
                     3, 2, 1, 2, 3, 4, 3, 2, 1, 2}));
  EXPECT_EQ(example(PaddingMode::symmetric),
            (Numbers{2, 1, 1, 2, 3, 4, 4, 3, 2, 1, //
                     2, 1, 1, 2, 3, 4, 4, 3, 2, 1, //
                     6, 5, 5, 6, 7, 8, 8, 7, 6, 5, //
                     2, 1, 1, 2, 3, 4, 4, 3, 2, 1, //
                     6, 5, 5, 6, 7, 8, 8, 7, 6, 5, //
                     6, 5, 5, 6, 7, 8, 8, 7, 6, 5, //
                     2, 1, 1, 2, 3, 4, 4, 3, 2, 1, //
                     6, 5, 5, 6, 7, 8, 8, 7, 6, 5}));
}

TEST_F(PaddingTest, TheDescriptionsExample) {
  EXPECT_EQ(getNumbers(pad(makeIota(DataType::FLOAT32, {1, 3}),
                           PaddingMode::reflection, {0, 2}, {0, 1})),
            (Numbers{3, 2, 1, 2, 3, 2}));
}

TEST_F(PaddingTest, AgreesWithNumPy) {
  struct {
    PaddingMode mode;
    std::vector<int64_t> shape, start, end;
    Numbers output;
  } cases[] = {
#include "PaddingData.inc"
  };
  for (auto &data : cases)
    for (DataType type : allDataTypes)
      EXPECT_EQ(getNumbers(pad(makeIota(type, data.shape), data.mode,
                               data.start, data.end, "9.0")),
                data.output);
}

TEST_F(PaddingTest, SizeOneRepeatsItsElement) {
  for (PaddingMode mode : {PaddingMode::edge, PaddingMode::reflection,
                           PaddingMode::symmetric, PaddingMode::wrap})
    EXPECT_EQ(
        getNumbers(pad(makeIota(DataType::INT8, {2, 1}), mode, {0, 2}, {0, 3})),
        (Numbers{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
}

TEST_F(PaddingTest, ConstantsAreTruncated) {
  for (DataType type : allDataTypes)
    EXPECT_EQ(convert(type, "10.0"), 10);
  for (DataType type :
       {DataType::INT8, DataType::INT16, DataType::INT32, DataType::INT64}) {
    EXPECT_EQ(convert(type, "10.6"), 10);
    EXPECT_EQ(convert(type, "-10.6"), -10);
  }
  EXPECT_EQ(convert(DataType::UINT8, "-10.6"), 0);
  EXPECT_EQ(convert(DataType::UINT64, "10.6"), 10);
  EXPECT_EQ(convert(DataType::FLOAT32, "10.6"), 10.6f);
  EXPECT_EQ(convert(DataType::FLOAT64, "10.6"), 10.6f);
  EXPECT_EQ(convert(DataType::FLOAT16, "10.6"), 10.6015625);
}

TEST_F(PaddingTest, ConstantsSaturate) {
  EXPECT_EQ(convert(DataType::INT8, "127.9"), 127);
  EXPECT_EQ(convert(DataType::INT8, "1.0e9"), 127);
  EXPECT_EQ(convert(DataType::INT8, "-1.0e9"), -128);
  EXPECT_EQ(convert(DataType::UINT16, "1.0e9"), 65535);
  EXPECT_EQ(convert(DataType::INT32, "3.0e9"), 2147483647.0);
  EXPECT_EQ(convert(DataType::UINT32, "3.0e9"), 3.0e9);
  EXPECT_EQ(convert(DataType::UINT32, "0x7F800000"), 4294967295.0); // infinity
  EXPECT_EQ(convert(DataType::INT64, "0xFF800000"), -0x1p63);       // -infinity
  EXPECT_EQ(convert(DataType::INT16, "0x7FC00000"), 0);             // NaN
  EXPECT_EQ(convert(DataType::FLOAT16, "65519.0"), 65504);
  EXPECT_EQ(convert(DataType::FLOAT16, "65520.0"),
            std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(convert(DataType::FLOAT16, "0x7FC00000")));
}

TEST_F(PaddingTest, BitsMoveUnchanged) {
  // -0, infinity, a quiet and a signaling NaN with payloads, a denormal.
  std::vector<uint32_t> bits = {0x80000000, 0x7f800000, 0xffc12345, 0x7f812345,
                                0x00000001};
  Tensor output = pad(makeFromElements(DataType::FLOAT32, {5}, bits),
                      PaddingMode::wrap, {5}, {0});
  std::vector<uint32_t> twice = bits;
  twice.insert(twice.end(), bits.begin(), bits.end());
  EXPECT_EQ(getElements<uint32_t>(output), twice);
}

TEST_F(PaddingTest, SeveralMillionElements) {
  Tensor output = pad(makeIota(DataType::INT32, {1000, 1000}),
                      PaddingMode::symmetric, {500, 500}, {500, 500});
  EXPECT_EQ(output.getNumElements(), 4000000);
  EXPECT_EQ(output.getNumber(0), 499 * 1000 + 500);
  EXPECT_EQ(output.getNumber(3999999), 500 * 1000 + 501);
}

TEST_F(PaddingTest, Padding1Example1) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.padding1 %0 {"
          "mode = #dml.padding_mode<constant>, "
          "start_padding = array<i64: 0, 0, 1, 2>, "
          "end_padding = array<i64: 0, 0, 3, 4>, "
          "padding_value = 9.0 : f32"
          "} : (tensor<1x1x4x4xf32>) -> tensor<1x1x8x10xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                      {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})})),
      (Numbers{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 9, 9, 9, 9,
               9, 9, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 9, 9, 9, 9,
               9, 9, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
               9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}));
}

TEST_F(PaddingTest, Padding1Example2) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.padding1 %0 {"
          "mode = #dml.padding_mode<edge>, "
          "start_padding = array<i64: 0, 0, 1, 2>, "
          "end_padding = array<i64: 0, 0, 3, 4>, "
          "padding_value = 0.0 : f32"
          "} : (tensor<1x1x4x4xf32>) -> tensor<1x1x8x10xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                      {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})})),
      (Numbers{1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4,
               5, 5, 5, 6, 7, 8, 8, 8, 8, 8, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4,
               5, 5, 5, 6, 7, 8, 8, 8, 8, 8, 5, 5, 5, 6, 7, 8, 8, 8, 8, 8,
               5, 5, 5, 6, 7, 8, 8, 8, 8, 8, 5, 5, 5, 6, 7, 8, 8, 8, 8, 8}));
}

TEST_F(PaddingTest, Padding1Example3) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.padding1 %0 {"
          "mode = #dml.padding_mode<reflection>, "
          "start_padding = array<i64: 0, 0, 1, 2>, "
          "end_padding = array<i64: 0, 0, 3, 4>, "
          "padding_value = 0.0 : f32"
          "} : (tensor<1x1x4x4xf32>) -> tensor<1x1x8x10xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                      {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})})),
      (Numbers{7, 6, 5, 6, 7, 8, 7, 6, 5, 6, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2,
               7, 6, 5, 6, 7, 8, 7, 6, 5, 6, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2,
               7, 6, 5, 6, 7, 8, 7, 6, 5, 6, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2,
               7, 6, 5, 6, 7, 8, 7, 6, 5, 6, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2}));
}

TEST_F(PaddingTest, Padding1Example4) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.padding1 %0 {"
          "mode = #dml.padding_mode<symmetric>, "
          "start_padding = array<i64: 0, 0, 1, 2>, "
          "end_padding = array<i64: 0, 0, 3, 4>, "
          "padding_value = 0.0 : f32"
          "} : (tensor<1x1x4x4xf32>) -> tensor<1x1x8x10xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 4, 4},
                      {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})})),
      (Numbers{2, 1, 1, 2, 3, 4, 4, 3, 2, 1, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1,
               6, 5, 5, 6, 7, 8, 8, 7, 6, 5, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1,
               6, 5, 5, 6, 7, 8, 8, 7, 6, 5, 6, 5, 5, 6, 7, 8, 8, 7, 6, 5,
               2, 1, 1, 2, 3, 4, 4, 3, 2, 1, 6, 5, 5, 6, 7, 8, 8, 7, 6, 5}));
}

/// A number that no f32 is.
TEST_F(PaddingTest, Padding1HasExactValues) {
  EXPECT_EQ(getElements<uint64_t>(interpretOp(
                "dml.padding1 %0 {mode = #dml.padding_mode<constant>, "
                "padding_value = 18446744073709551615 : ui64, "
                "start_padding = array<i64: 1>, end_padding = array<i64: 0>} "
                ": (tensor<1xui64>) -> tensor<2xui64>",
                {makeIota(DataType::UINT64, {1})})),
            (std::vector<uint64_t>{0xffffffffffffffff, 1}));
}

} // namespace
