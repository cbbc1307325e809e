//===- LayoutTest.cpp - Tests of rearranging and filling
//----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

using namespace dml;
using namespace dml::reference;

namespace {

using LayoutTest = ReferenceTest;

TEST_F(LayoutTest, JoinExample1) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.join %0, %1 {"
          "axis = 3 : i64"
          "} : (tensor<1x1x2x3xf32>, tensor<1x1x2x4xf32>) -> "
          "tensor<1x1x2x7xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}),
           makeTensor(DataType::FLOAT32, {1, 1, 2, 4},
                      {7, 8, 9, 10, 11, 12, 13, 14})})),
      (Numbers{1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11, 12, 13, 14}));
}

TEST_F(LayoutTest, JoinExample2) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.join %0, %1, %2 {"
          "axis = 1 : i64"
          "} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) "
          "-> tensor<1x3x2x2xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {1, 2, 3, 4}),
           makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {5, 6, 7, 8}),
           makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {9, 10, 11, 12})})),
      (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST_F(LayoutTest, JoinExample3) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.join %0, %1, %2 {"
          "axis = 2 : i64"
          "} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) "
          "-> tensor<1x1x6x2xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {1, 2, 3, 4}),
           makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {5, 6, 7, 8}),
           makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {9, 10, 11, 12})})),
      (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST_F(LayoutTest, JoinExample4) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.join %0, %1, %2 {"
          "axis = 3 : i64"
          "} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) "
          "-> tensor<1x1x2x6xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {1, 2, 3, 4}),
           makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {5, 6, 7, 8}),
           makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {9, 10, 11, 12})})),
      (Numbers{1, 2, 5, 6, 9, 10, 3, 4, 7, 8, 11, 12}));
}

TEST_F(LayoutTest, SpaceToDepthExample1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.space_to_depth %0 {"
                "block_size = 2 : i64"
                "} : (tensor<1x2x4x6xui32>) -> tensor<1x8x2x3xui32>",
                {makeTensor(DataType::UINT32, {1, 2, 4, 6},
                            {0,  18, 1,  19, 2,  20, 36, 54, 37, 55, 38, 56, 3,
                             21, 4,  22, 5,  23, 39, 57, 40, 58, 41, 59, 9,  27,
                             10, 28, 11, 29, 45, 63, 46, 64, 47, 65, 12, 30, 13,
                             31, 14, 32, 48, 66, 49, 67, 50, 68})})),
            (Numbers{0,  1,  2,  3,  4,  5,  9,  10, 11, 12, 13, 14,
                     18, 19, 20, 21, 22, 23, 27, 28, 29, 30, 31, 32,
                     36, 37, 38, 39, 40, 41, 45, 46, 47, 48, 49, 50,
                     54, 55, 56, 57, 58, 59, 63, 64, 65, 66, 67, 68}));
}

TEST_F(LayoutTest, SpaceToDepth1Example1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.space_to_depth1 %0 {"
                "block_size = 2 : i64, "
                "order = #dml.depth_space_order<depth_column_row>"
                "} : (tensor<1x2x4x6xui32>) -> tensor<1x8x2x3xui32>",
                {makeTensor(DataType::UINT32, {1, 2, 4, 6},
                            {0,  18, 1,  19, 2,  20, 36, 54, 37, 55, 38, 56, 3,
                             21, 4,  22, 5,  23, 39, 57, 40, 58, 41, 59, 9,  27,
                             10, 28, 11, 29, 45, 63, 46, 64, 47, 65, 12, 30, 13,
                             31, 14, 32, 48, 66, 49, 67, 50, 68})})),
            (Numbers{0,  1,  2,  3,  4,  5,  9,  10, 11, 12, 13, 14,
                     18, 19, 20, 21, 22, 23, 27, 28, 29, 30, 31, 32,
                     36, 37, 38, 39, 40, 41, 45, 46, 47, 48, 49, 50,
                     54, 55, 56, 57, 58, 59, 63, 64, 65, 66, 67, 68}));
}

TEST_F(LayoutTest, SpaceToDepth1Example2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.space_to_depth1 %0 {"
                "block_size = 2 : i64, "
                "order = #dml.depth_space_order<column_row_depth>"
                "} : (tensor<1x2x4x6xui32>) -> tensor<1x8x2x3xui32>",
                {makeTensor(DataType::UINT32, {1, 2, 4, 6},
                            {0,  9,  1,  10, 2,  11, 18, 27, 19, 28, 20, 29, 3,
                             12, 4,  13, 5,  14, 21, 30, 22, 31, 23, 32, 36, 45,
                             37, 46, 38, 47, 54, 63, 55, 64, 56, 65, 39, 48, 40,
                             49, 41, 50, 57, 66, 58, 67, 59, 68})})),
            (Numbers{0,  1,  2,  3,  4,  5,  9,  10, 11, 12, 13, 14,
                     18, 19, 20, 21, 22, 23, 27, 28, 29, 30, 31, 32,
                     36, 37, 38, 39, 40, 41, 45, 46, 47, 48, 49, 50,
                     54, 55, 56, 57, 58, 59, 63, 64, 65, 66, 67, 68}));
}

TEST_F(LayoutTest, DepthToSpaceExample1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.depth_to_space %0 {"
                "block_size = 2 : i64"
                "} : (tensor<1x8x2x3xui32>) -> tensor<1x2x4x6xui32>",
                {makeTensor(DataType::UINT32, {1, 8, 2, 3},
                            {0,  1,  2,  3,  4,  5,  9,  10, 11, 12, 13, 14, 18,
                             19, 20, 21, 22, 23, 27, 28, 29, 30, 31, 32, 36, 37,
                             38, 39, 40, 41, 45, 46, 47, 48, 49, 50, 54, 55, 56,
                             57, 58, 59, 63, 64, 65, 66, 67, 68})})),
            (Numbers{0,  18, 1,  19, 2,  20, 36, 54, 37, 55, 38, 56,
                     3,  21, 4,  22, 5,  23, 39, 57, 40, 58, 41, 59,
                     9,  27, 10, 28, 11, 29, 45, 63, 46, 64, 47, 65,
                     12, 30, 13, 31, 14, 32, 48, 66, 49, 67, 50, 68}));
}

TEST_F(LayoutTest, DepthToSpace1Example1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.depth_to_space1 %0 {"
                "block_size = 2 : i64, "
                "order = #dml.depth_space_order<depth_column_row>"
                "} : (tensor<1x8x2x3xui32>) -> tensor<1x2x4x6xui32>",
                {makeTensor(DataType::UINT32, {1, 8, 2, 3},
                            {0,  1,  2,  3,  4,  5,  9,  10, 11, 12, 13, 14, 18,
                             19, 20, 21, 22, 23, 27, 28, 29, 30, 31, 32, 36, 37,
                             38, 39, 40, 41, 45, 46, 47, 48, 49, 50, 54, 55, 56,
                             57, 58, 59, 63, 64, 65, 66, 67, 68})})),
            (Numbers{0,  18, 1,  19, 2,  20, 36, 54, 37, 55, 38, 56,
                     3,  21, 4,  22, 5,  23, 39, 57, 40, 58, 41, 59,
                     9,  27, 10, 28, 11, 29, 45, 63, 46, 64, 47, 65,
                     12, 30, 13, 31, 14, 32, 48, 66, 49, 67, 50, 68}));
}

TEST_F(LayoutTest, DepthToSpace1Example2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.depth_to_space1 %0 {"
                "block_size = 2 : i64, "
                "order = #dml.depth_space_order<column_row_depth>"
                "} : (tensor<1x8x2x3xui32>) -> tensor<1x2x4x6xui32>",
                {makeTensor(DataType::UINT32, {1, 8, 2, 3},
                            {0,  1,  2,  3,  4,  5,  9,  10, 11, 12, 13, 14, 18,
                             19, 20, 21, 22, 23, 27, 28, 29, 30, 31, 32, 36, 37,
                             38, 39, 40, 41, 45, 46, 47, 48, 49, 50, 54, 55, 56,
                             57, 58, 59, 63, 64, 65, 66, 67, 68})})),
            (Numbers{0,  9,  1,  10, 2,  11, 18, 27, 19, 28, 20, 29,
                     3,  12, 4,  13, 5,  14, 21, 30, 22, 31, 23, 32,
                     36, 45, 37, 46, 38, 47, 54, 63, 55, 64, 56, 65,
                     39, 48, 40, 49, 41, 50, 57, 66, 58, 67, 59, 68}));
}

TEST_F(LayoutTest, ReverseSubsequencesExample1) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.reverse_subsequences %0, %1 {"
                "axis = 3 : i64"
                "} : (tensor<1x1x3x4xf32>, tensor<1x1x3x1xui32>) -> "
                "tensor<1x1x3x4xf32>",
                {makeTensor(DataType::FLOAT32, {1, 1, 3, 4},
                            {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                 makeTensor(DataType::UINT32, {1, 1, 3, 1}, {2, 4, 3})})),
            (Numbers{2, 1, 3, 4, 8, 7, 6, 5, 11, 10, 9, 12}));
}

TEST_F(LayoutTest, ReverseSubsequencesExample2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.reverse_subsequences %0, %1 {"
                "axis = 2 : i64"
                "} : (tensor<1x1x3x4xf32>, tensor<1x1x1x4xui32>) -> "
                "tensor<1x1x3x4xf32>",
                {makeTensor(DataType::FLOAT32, {1, 1, 3, 4},
                            {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                 makeTensor(DataType::UINT32, {1, 1, 1, 4}, {2, 3, 1, 0})})),
            (Numbers{5, 10, 3, 4, 1, 6, 7, 8, 9, 2, 11, 12}));
}

TEST_F(LayoutTest, FoldExample1) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.fold %0 {"
          "window_sizes = array<i64: 3, 3>, "
          "strides = array<i64: 1, 1>, "
          "dilations = array<i64: 1, 1>, "
          "start_padding = array<i64: 0, 0>, "
          "end_padding = array<i64: 0, 0>"
          "} : (tensor<1x9x4xf32>) -> tensor<1x1x4x4xf32>",
          {makeTensor(DataType::FLOAT32, {1, 9, 4},
                      {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                       12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                       24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35})})),
      (Numbers{0, 5, 13, 9, 14, 38, 54, 32, 38, 86, 102, 56, 26, 57, 65, 35}));
}

TEST_F(LayoutTest, FoldExample2) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.fold %0 {"
                "window_sizes = array<i64: 3, 3>, "
                "strides = array<i64: 1, 1>, "
                "dilations = array<i64: 1, 1>, "
                "start_padding = array<i64: 1, 0>, "
                "end_padding = array<i64: 1, 0>"
                "} : (tensor<1x9x8xf32>) -> tensor<1x1x4x4xf32>",
                {makeTensor(DataType::FLOAT32, {1, 9, 8},
                            {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                             13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                             26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
                             39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
                             52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64,
                             65, 66, 67, 68, 69, 70, 71})})),
            (Numbers{26, 70, 102, 60, 78, 183, 231, 129, 84, 195, 243, 135, 82,
                     182, 214, 116}));
}

TEST_F(LayoutTest, FoldExample3) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.fold %0 {"
          "window_sizes = array<i64: 3, 3>, "
          "strides = array<i64: 1, 1>, "
          "dilations = array<i64: 1, 1>, "
          "start_padding = array<i64: 1, 0>, "
          "end_padding = array<i64: 1, 0>"
          "} : (tensor<1x18x8xf32>) -> tensor<1x2x4x4xf32>",
          {makeTensor(
              DataType::FLOAT32, {1, 18, 8},
              {0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,
               12,  13,  14,  15,  16,  17,  18,  19,  20,  21,  22,  23,
               24,  25,  26,  27,  28,  29,  30,  31,  32,  33,  34,  35,
               36,  37,  38,  39,  40,  41,  42,  43,  44,  45,  46,  47,
               48,  49,  50,  51,  52,  53,  54,  55,  56,  57,  58,  59,
               60,  61,  62,  63,  64,  65,  66,  67,  68,  69,  70,  71,
               72,  73,  74,  75,  76,  77,  78,  79,  80,  81,  82,  83,
               84,  85,  86,  87,  88,  89,  90,  91,  92,  93,  94,  95,
               96,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107,
               108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119,
               120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131,
               132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143})})),
      (Numbers{26,  70,  102, 60,  78,  183, 231, 129, 84,  195, 243,
               135, 82,  182, 214, 116, 170, 358, 390, 204, 294, 615,
               663, 345, 300, 627, 675, 351, 226, 470, 502, 260}));
}

TEST_F(LayoutTest, UnfoldExample1) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.unfold %0 {"
          "window_sizes = array<i64: 3, 3>, "
          "strides = array<i64: 1, 1>, "
          "dilations = array<i64: 1, 1>, "
          "start_padding = array<i64: 0, 0>, "
          "end_padding = array<i64: 0, 0>"
          "} : (tensor<1x1x5x5xf32>) -> tensor<1x9x9xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 5, 5},
                      {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                       13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24})})),
      (Numbers{0,  1,  2,  5,  6,  7,  10, 11, 12, 1,  2,  3,  6,  7,
               8,  11, 12, 13, 2,  3,  4,  7,  8,  9,  12, 13, 14, 5,
               6,  7,  10, 11, 12, 15, 16, 17, 6,  7,  8,  11, 12, 13,
               16, 17, 18, 7,  8,  9,  12, 13, 14, 17, 18, 19, 10, 11,
               12, 15, 16, 17, 20, 21, 22, 11, 12, 13, 16, 17, 18, 21,
               22, 23, 12, 13, 14, 17, 18, 19, 22, 23, 24}));
}

TEST_F(LayoutTest, UnfoldExample2) {
  EXPECT_EQ(
      getNumbers(interpretOp(
          "dml.unfold %0 {"
          "window_sizes = array<i64: 3, 3>, "
          "strides = array<i64: 1, 1>, "
          "dilations = array<i64: 1, 1>, "
          "start_padding = array<i64: 1, 0>, "
          "end_padding = array<i64: 1, 0>"
          "} : (tensor<1x1x5x5xf32>) -> tensor<1x9x15xf32>",
          {makeTensor(DataType::FLOAT32, {1, 1, 5, 5},
                      {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                       13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24})})),
      (Numbers{0, 0, 0, 0,  1,  2,  5,  6,  7,  10, 11, 12, 15, 16, 17,
               0, 0, 0, 1,  2,  3,  6,  7,  8,  11, 12, 13, 16, 17, 18,
               0, 0, 0, 2,  3,  4,  7,  8,  9,  12, 13, 14, 17, 18, 19,
               0, 1, 2, 5,  6,  7,  10, 11, 12, 15, 16, 17, 20, 21, 22,
               1, 2, 3, 6,  7,  8,  11, 12, 13, 16, 17, 18, 21, 22, 23,
               2, 3, 4, 7,  8,  9,  12, 13, 14, 17, 18, 19, 22, 23, 24,
               5, 6, 7, 10, 11, 12, 15, 16, 17, 20, 21, 22, 0,  0,  0,
               6, 7, 8, 11, 12, 13, 16, 17, 18, 21, 22, 23, 0,  0,  0,
               7, 8, 9, 12, 13, 14, 17, 18, 19, 22, 23, 24, 0,  0,  0}));
}

TEST_F(LayoutTest, FillValueConstantExample1) {
  EXPECT_EQ(getNumbers(interpretOp("dml.fill_value_constant {"
                                   "value = 13.0 : f32"
                                   "} : () -> tensor<1x1x2x4xf32>",
                                   {})),
            (Numbers{13, 13, 13, 13, 13, 13, 13, 13}));
}

TEST_F(LayoutTest, FillValueSequenceExample1) {
  EXPECT_EQ(getNumbers(interpretOp("dml.fill_value_sequence {"
                                   "value_start = 3.0 : f32, "
                                   "value_delta = 2.0 : f32"
                                   "} : () -> tensor<1x1x1x3xf32>",
                                   {})),
            (Numbers{3, 5, 7}));
}

TEST_F(LayoutTest, FillValueSequenceExample2) {
  EXPECT_EQ(getNumbers(interpretOp("dml.fill_value_sequence {"
                                   "value_start = 10 : ui8, "
                                   "value_delta = 254 : ui8"
                                   "} : () -> tensor<1x1x2x2xui8>",
                                   {})),
            (Numbers{10, 8, 6, 4}));
}

TEST_F(LayoutTest, DiagonalMatrixExample1) {
  EXPECT_EQ(getNumbers(interpretOp("dml.diagonal_matrix {"
                                   "offset = 0 : i64, "
                                   "value = 1.0 : f32"
                                   "} : () -> tensor<1x1x3x3xf32>",
                                   {})),
            (Numbers{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST_F(LayoutTest, DiagonalMatrixExample2) {
  EXPECT_EQ(getNumbers(interpretOp("dml.diagonal_matrix {"
                                   "offset = 1 : i64, "
                                   "value = 1.0 : f32"
                                   "} : () -> tensor<1x1x3x3xf32>",
                                   {})),
            (Numbers{0, 1, 0, 0, 0, 1, 0, 0, 0}));
}

TEST_F(LayoutTest, DiagonalMatrixExample3) {
  EXPECT_EQ(getNumbers(interpretOp("dml.diagonal_matrix {"
                                   "offset = -1 : i64, "
                                   "value = 1.0 : f32"
                                   "} : () -> tensor<1x1x3x2xf32>",
                                   {})),
            (Numbers{0, 0, 1, 0, 0, 1}));
}

TEST_F(LayoutTest, DiagonalMatrixExample4) {
  EXPECT_EQ(getNumbers(interpretOp("dml.diagonal_matrix {"
                                   "offset = -3 : i64, "
                                   "value = 1.0 : f32"
                                   "} : () -> tensor<1x1x3x2xf32>",
                                   {})),
            (Numbers{0, 0, 0, 0, 0, 0}));
}

TEST_F(LayoutTest, DiagonalMatrix1Example1) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.diagonal_matrix1 {"
                             "value = 1.0 : f32, "
                             "diagonal_fill_begin = 0 : i64, "
                             "diagonal_fill_end = 1 : i64"
                             "} : () -> tensor<4x5xf32>",
                             {})),
      (Numbers{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}));
}

TEST_F(LayoutTest, DiagonalMatrix1Example2) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.diagonal_matrix1 {"
                             "value = 7.0 : f32, "
                             "diagonal_fill_begin = 0 : i64, "
                             "diagonal_fill_end = 3 : i64"
                             "} : () -> tensor<4x5xf32>",
                             {})),
      (Numbers{7, 7, 7, 0, 0, 0, 7, 7, 7, 0, 0, 0, 7, 7, 7, 0, 0, 0, 7, 7}));
}

TEST_F(LayoutTest, DiagonalMatrix1Example3) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.diagonal_matrix1 input(%0) {"
                             "value = 0.0 : f32, "
                             "diagonal_fill_begin = -2147483648 : i64, "
                             "diagonal_fill_end = 1 : i64"
                             "} : (tensor<4x5xf32>) -> tensor<4x5xf32>",
                             {makeTensor(DataType::FLOAT32, {4, 5},
                                         {4, 7, 3, 7, 9, 1, 2, 8, 6, 9,
                                          9, 4, 1, 8, 7, 4, 3, 4, 2, 4})})),
      (Numbers{0, 7, 3, 7, 9, 0, 0, 8, 6, 9, 0, 0, 0, 8, 7, 0, 0, 0, 0, 4}));
}

TEST_F(LayoutTest, DiagonalMatrix1Example4) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.diagonal_matrix1 input(%0) {"
                             "value = 0.0 : f32, "
                             "diagonal_fill_begin = 1 : i64, "
                             "diagonal_fill_end = 0 : i64"
                             "} : (tensor<4x5xf32>) -> tensor<4x5xf32>",
                             {makeTensor(DataType::FLOAT32, {4, 5},
                                         {4, 7, 3, 7, 9, 1, 2, 8, 6, 9,
                                          9, 4, 1, 8, 7, 4, 3, 4, 2, 4})})),
      (Numbers{4, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0}));
}

/// The bits of elements arrive as they are, whatever the type.
TEST_F(LayoutTest, EveryTypeMovesItsBits) {
  for (DataType type : allDataTypes) {
    Tensor input = makeIota(type, {3});
    for (size_t i = 0; i < input.getNumBytes(); ++i)
      input.getData()[i] = static_cast<char>(0xf3 + 7 * i);
    std::string name = getTypeName(input);
    Tensor output = interpretOp(
        "dml.join %0 {axis = 0 : i64} : (" + name + ") -> " + name, {input});
    EXPECT_EQ(std::string(output.getData(), output.getNumBytes()),
              std::string(input.getData(), input.getNumBytes()));
  }
}

TEST_F(LayoutTest, SplitExample1) {
  auto outputs = interpretSource(
      R"(func.func @main(%input: tensor<1x1x6x2xf32>)
          -> (tensor<1x1x2x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x3x2xf32>) {
        %0:3 = dml.split %input {axis = 2 : i64} : (tensor<1x1x6x2xf32>)
            -> (tensor<1x1x2x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x3x2xf32>)
        return %0#0, %0#1, %0#2
            : tensor<1x1x2x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x3x2xf32>
      })",
      {makeIota(DataType::FLOAT32, {1, 1, 6, 2})});
  ASSERT_TRUE(succeeded(outputs)) << diagnostics;
  EXPECT_EQ(getNumbers((*outputs)[0]), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(getNumbers((*outputs)[1]), (Numbers{5, 6}));
  EXPECT_EQ(getNumbers((*outputs)[2]), (Numbers{7, 8, 9, 10, 11, 12}));
}

/// A length beyond the axis is the axis.
TEST_F(LayoutTest, ReversesNoMoreThanTheAxis) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.reverse_subsequences %0, %1 {axis = 0 : i64} "
                ": (tensor<3xf32>, tensor<1xui64>) -> tensor<3xf32>",
                {makeIota(DataType::FLOAT32, {3}),
                 makeFromElements<uint64_t>(DataType::UINT64, {1},
                                            {0xffffffff00000001})})),
            (Numbers{3, 2, 1}));
}

TEST_F(LayoutTest, ScalesByChannel) {
  EXPECT_EQ(
      getNumbers(interpretOp("dml.value_scale_2d %0 {scale = 2.0 : f32, "
                             "bias = array<f32: 0.5, -1.0, 0.0>} "
                             ": (tensor<1x3x1x2xf16>) -> tensor<1x3x1x2xf16>",
                             {makeIota(DataType::FLOAT16, {1, 3, 1, 2})})),
      (Numbers{2.5, 4.5, 5, 7, 10, 12}));
}

/// A diagonal's value becomes an integer as a padding value does.
TEST_F(LayoutTest, DiagonalsAreTruncated) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.diagonal_matrix {offset = 1 : i64, value = -10.6 : f32} "
                ": () -> tensor<2x2xi16>",
                {})),
            (Numbers{0, -10, 0, 0}));
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.diagonal_matrix {offset = 0 : i64, value = 300.0 : f32} "
                ": () -> tensor<1x2xui8>",
                {})),
            (Numbers{255, 0}));
}

/// Where begin and end are equal, nothing is filled.
TEST_F(LayoutTest, NoDiagonals) {
  EXPECT_EQ(getNumbers(interpretOp(
                "dml.diagonal_matrix1 input(%0) {value = 9 : i32, "
                "diagonal_fill_begin = 1 : i64, diagonal_fill_end = 1 : i64} "
                ": (tensor<1x2xi32>) -> tensor<1x2xi32>",
                {makeIota(DataType::INT32, {1, 2})})),
            (Numbers{1, 2}));
}

TEST_F(LayoutTest, IntegerSequencesWrapAround) {
  EXPECT_EQ(getElements<uint64_t>(interpretOp(
                "dml.fill_value_sequence {value_start = "
                "18446744073709551615 : ui64, value_delta = 2 : ui64} "
                ": () -> tensor<3xui64>",
                {})),
            (std::vector<uint64_t>{0xffffffffffffffff, 1, 3}));
}

} // namespace
