//===- ScanTest.cpp - Tests of the interpreter's scans --------------------===//
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

class ScanTest : public ReferenceTest {
protected:
  Numbers scan(const std::string &op, const Tensor &input, int64_t axis,
               bool isDecreasing = false, bool isExclusive = false) {
    return getNumbers(interpretOp(
        "dml.cumulative_" + op + " %0 {axis = " + std::to_string(axis) +
            " : i64, axis_direction = #dml.axis_direction<" +
            (isDecreasing ? "decreasing" : "increasing") + ">, has_exclusive_" +
            (op == "product" ? op : "sum") + " = " +
            (isExclusive ? "true" : "false") + "} : (" + getTypeName(input) +
            ") -> " + getTypeName(input),
        {input}));
  }
};

const DataType types[] = {DataType::FLOAT32, DataType::FLOAT16,
                          DataType::INT64,   DataType::INT32,
                          DataType::UINT64,  DataType::UINT32};

TEST_F(ScanTest, ThePagesExamplesOfSums) {
  for (DataType type : types) {
    Tensor input =
        makeTensor(type, {1, 1, 3, 4}, {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4});
    EXPECT_EQ(scan("summation", input, 3),
              (Numbers{2, 3, 6, 11, 3, 11, 18, 21, 9, 15, 17, 21}));
    EXPECT_EQ(scan("summation", input, 3, false, true),
              (Numbers{0, 2, 3, 6, 0, 3, 11, 18, 0, 9, 15, 17}));
    EXPECT_EQ(scan("summation", input, 3, true),
              (Numbers{11, 9, 8, 5, 21, 18, 10, 3, 21, 12, 6, 4}));
    EXPECT_EQ(scan("summation", input, 2),
              (Numbers{2, 1, 3, 5, 5, 9, 10, 8, 14, 15, 12, 12}));
    EXPECT_EQ(scan("summation", makeTensor(type, {1, 4}, {2, 1, 3, 5}), 1, true,
                   true),
              (Numbers{9, 8, 5, 0}));
  }
}

TEST_F(ScanTest, ThePagesExamplesOfProducts) {
  for (DataType type : types) {
    Tensor input =
        makeTensor(type, {1, 1, 3, 4}, {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4});
    EXPECT_EQ(scan("product", input, 3),
              (Numbers{2, 2, 6, 30, 3, 24, 168, 504, 9, 54, 108, 432}));
    EXPECT_EQ(scan("product", input, 3, false, true),
              (Numbers{1, 2, 2, 6, 1, 3, 24, 168, 1, 9, 54, 108}));
    EXPECT_EQ(scan("product", input, 3, true),
              (Numbers{30, 15, 15, 5, 504, 168, 21, 3, 432, 48, 8, 4}));
    EXPECT_EQ(scan("product", input, 2),
              (Numbers{2, 1, 3, 5, 6, 8, 21, 15, 54, 48, 42, 60}));
    EXPECT_EQ(
        scan("product", makeTensor(type, {1, 4}, {2, 1, 3, 5}), 1, true, true),
        (Numbers{15, 15, 5, 1}));
  }
}

TEST_F(ScanTest, IntegersWrapAround) {
  EXPECT_EQ(scan("summation",
                 makeTensor(DataType::INT32, {3}, {2147483647, 1, 1}), 0),
            (Numbers{2147483647, -2147483648.0, -2147483647}));
  EXPECT_EQ(
      scan("product", makeTensor(DataType::UINT32, {2}, {65536, 65537}), 0),
      (Numbers{65536, 65536}));
}

TEST_F(ScanTest, WhatFollowsANaN) {
  Numbers sums =
      scan("summation",
           makeTensor(DataType::FLOAT32, {4}, {1, infinity, nan, 2}), 0);
  EXPECT_EQ(sums[0], 1);
  EXPECT_EQ(sums[1], infinity);
  EXPECT_TRUE(std::isnan(sums[2]));
  EXPECT_TRUE(std::isnan(sums[3]));
}

} // namespace
