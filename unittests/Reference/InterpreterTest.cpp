//===- InterpreterTest.cpp - Tests of the interpreter of functions --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

using namespace dml;
using namespace dml::reference;

namespace {

class InterpreterTest : public ReferenceTest {
protected:
  Numbers run(llvm::StringRef source, llvm::ArrayRef<Tensor> inputs) {
    auto outputs = interpretSource(source, inputs);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    return succeeded(outputs) ? getNumbers(outputs->front()) : Numbers{};
  }
  std::string fail(llvm::StringRef source, llvm::ArrayRef<Tensor> inputs) {
    diagnostics.clear();
    EXPECT_TRUE(failed(interpretSource(source, inputs)));
    return diagnostics;
  }
};

TEST_F(InterpreterTest, SeveralOperatorsAndResults) {
  auto outputs = interpretSource(
      R"mlir(
    func.func @main(%a: tensor<2xi8>, %b: tensor<1xi8>)
        -> (tensor<4xi8>, tensor<1xi8>, tensor<8xi8>) {
      %tile = dml.tile %a {repeats = array<i64: 2>}
          : (tensor<2xi8>) -> tensor<4xi8>
      %pad = dml.padding %tile {mode = #dml.padding_mode<edge>,
          start_padding = array<i64: 1>, end_padding = array<i64: 3>}
          : (tensor<4xi8>) -> tensor<8xi8>
      return %tile, %b, %pad : tensor<4xi8>, tensor<1xi8>, tensor<8xi8>
    })mlir",
      {makeIota(DataType::INT8, {2}), makeTensor(DataType::INT8, {1}, {5})});
  ASSERT_TRUE(succeeded(outputs)) << diagnostics;
  EXPECT_EQ(getNumbers((*outputs)[0]), (Numbers{1, 2, 1, 2}));
  EXPECT_EQ(getNumbers((*outputs)[1]), (Numbers{5}));
  EXPECT_EQ(getNumbers((*outputs)[2]), (Numbers{1, 1, 2, 1, 2, 2, 2, 2}));
}

TEST_F(InterpreterTest, Constants) {
  EXPECT_EQ(run(R"mlir(
    func.func @main() -> tensor<4xf32> {
      %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %tile = dml.tile %c {repeats = array<i64: 2>}
          : (tensor<2xf32>) -> tensor<4xf32>
      return %tile : tensor<4xf32>
    })mlir",
                {}),
            (Numbers{1, 2, 1, 2}));
  EXPECT_EQ(run(R"mlir(
    func.func @main() -> tensor<2x2xi16> {
      %c = arith.constant dense<-3> : tensor<2x2xi16>
      return %c : tensor<2x2xi16>
    })mlir",
                {}),
            (Numbers{-3, -3, -3, -3}));
  EXPECT_EQ(run(R"mlir(
    func.func @main() -> tensor<2xi32> {
      %c = arith.constant dense_resource<blob> : tensor<2xi32>
      return %c : tensor<2xi32>
    }
    {-# dialect_resources: { builtin: {
      blob: "0x040000000700000008000000" } } #-})mlir",
                {}),
            (Numbers{7, 8}));
}

TEST_F(InterpreterTest, Reshapes) {
  EXPECT_EQ(run(R"mlir(
    func.func @main(%a: tensor<6xf32>) -> tensor<6xi32> {
      %e = tensor.expand_shape %a [[0, 1]] output_shape [2, 3]
          : tensor<6xf32> into tensor<2x3xf32>
      %t = dml.tile %e {repeats = array<i64: 1, 1>}
          : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %c = tensor.collapse_shape %t [[0, 1]]
          : tensor<2x3xf32> into tensor<6xf32>
      %b = tensor.bitcast %c : tensor<6xf32> to tensor<6xi32>
      return %b : tensor<6xi32>
    })mlir",
                {makeTensor(DataType::FLOAT32, {6}, {1, 2, 0, 0, 0, -0.0})}),
            (Numbers{0x3f800000, 0x40000000, 0, 0, 0, -0x1p31}));
}

TEST_F(InterpreterTest, Slices) {
  EXPECT_EQ(run(R"mlir(
    func.func @main(%a: tensor<3x4xi8>) -> tensor<2xi8> {
      %s = tensor.extract_slice %a[1, 1] [1, 2] [1, 2]
          : tensor<3x4xi8> to tensor<2xi8>
      return %s : tensor<2xi8>
    })mlir",
                {makeIota(DataType::INT8, {3, 4})}),
            (Numbers{6, 8}));
  EXPECT_EQ(run(R"mlir(
    func.func @main(%a: tensor<2xi8>, %d: tensor<2x3xi8>) -> tensor<2x3xi8> {
      %s = tensor.insert_slice %a into %d[1, 0] [1, 2] [1, 2]
          : tensor<2xi8> into tensor<2x3xi8>
      return %s : tensor<2x3xi8>
    })mlir",
                {makeTensor(DataType::INT8, {2}, {-1, -2}),
                 makeIota(DataType::INT8, {2, 3})}),
            (Numbers{1, 2, 3, -1, 5, -2}));
  EXPECT_EQ(run(R"mlir(
    func.func @main(%a: tensor<2x1xi8>, %b: tensor<2x2xi8>) -> tensor<2x3xi8> {
      %s = tensor.concat dim(1) %a, %b
          : (tensor<2x1xi8>, tensor<2x2xi8>) -> tensor<2x3xi8>
      return %s : tensor<2x3xi8>
    })mlir",
                {makeTensor(DataType::INT8, {2, 1}, {-1, -2}),
                 makeIota(DataType::INT8, {2, 2})}),
            (Numbers{-1, 1, 2, -2, 3, 4}));
}

TEST_F(InterpreterTest, Diagnostics) {
  Tensor input = makeIota(DataType::FLOAT32, {2});
  auto contains = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos
               ? testing::AssertionSuccess()
               : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(contains(fail(R"mlir(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %b = arith.addf %a, %a : tensor<2xf32>
      return %b : tensor<2xf32>
    })mlir",
                            {input}),
                       "'arith.addf' op is unknown to the interpreter, which "
                       "knows dml operators, arith.constant and views"));
  llvm::StringRef identity = R"mlir(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      return %a : tensor<2xf32>
    })mlir";
  EXPECT_TRUE(contains(fail(identity, {}), "takes 1 input, but got 0"));
  EXPECT_TRUE(contains(fail(identity, {makeIota(DataType::INT32, {2})}),
                       "takes a 'tensor<2xf32>' as input 0"));
  EXPECT_TRUE(contains(fail(R"mlir(
    func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
      %b = tensor.cast %a : tensor<?xf32> to tensor<?xf32>
      return %b : tensor<?xf32>
    })mlir",
                            {input}),
                       "takes a 'tensor<?xf32>'"));
  EXPECT_TRUE(contains(fail("func.func private @main(tensor<2xf32>)", {input}),
                       "has 0 blocks, but the interpreter wants one"));
  EXPECT_TRUE(contains(fail(R"mlir(
    func.func @main(%a: tensor<2xf32>) -> tensor<4294967295xf64> {
      %c = arith.constant dense<1.0> : tensor<4294967295x4294967295xf64>
      %d = tensor.extract_slice %c[0, 0] [1, 4294967295] [1, 1]
          : tensor<4294967295x4294967295xf64> to tensor<4294967295xf64>
      return %d : tensor<4294967295xf64>
    })mlir",
                            {input}),
                       "finds no memory"));
}

/// Moving keeps bits certain, and bounds apart; computing does neither.
TEST_F(InterpreterTest, Movement) {
  const char *source = R"mlir(
    func.func @main(%a: tensor<2xf32>)
        -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
      %moved = dml.tile %a {repeats = array<i64: 2>}
          : (tensor<2xf32>) -> tensor<4xf32>
      %b = dml.resample %a {mode = #dml.interpolation_mode<linear>,
          scales = array<f32: 2.0>} : (tensor<2xf32>) -> tensor<4xf32>
      %c = dml.resample %b {mode = #dml.interpolation_mode<nearest_neighbor>,
          scales = array<f32: 2.0>} : (tensor<4xf32>) -> tensor<8xf32>
      return %moved, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
    })mlir";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  auto estimates = interpret(*module->getOps<mlir::func::FuncOp>().begin(),
                             {makeTensor(DataType::FLOAT32, {2}, {0.1, 0.7})});
  ASSERT_TRUE(succeeded(estimates));
  EXPECT_TRUE((*estimates)[0].isBitExact);
  EXPECT_TRUE((*estimates)[0].isExact());
  for (unsigned i : {1u, 2u}) {
    const Estimate &estimate = (*estimates)[i];
    EXPECT_FALSE(estimate.isBitExact);
    EXPECT_FALSE(estimate.isExact());
    Numbers lower = getNumbers(estimate.lower),
            value = getNumbers(estimate.value),
            upper = getNumbers(estimate.upper);
    for (size_t k = 0; k < value.size(); ++k) {
      EXPECT_LE(lower[k], value[k]);
      EXPECT_LE(value[k], upper[k]);
    }
  }
}

/// A caller is told of each operation before it is evaluated.
TEST_F(InterpreterTest, TellsWhereItIs) {
  const char *source = R"mlir(
    func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
      %b = dml.activation_relu %a : (tensor<2xf32>) -> tensor<2xf32>
      %c = dml.tile %b {repeats = array<i64: 2>}
          : (tensor<2xf32>) -> tensor<4xf32>
      return %c : tensor<4xf32>
    })mlir";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  std::vector<std::string> begun;
  auto estimates = interpret(
      *module->getOps<mlir::func::FuncOp>().begin(),
      {makeTensor(DataType::FLOAT32, {2}, {1, -1})}, [&](mlir::Operation *op) {
        begun.push_back(op->getName().getStringRef().str());
      });
  ASSERT_TRUE(succeeded(estimates));
  EXPECT_EQ(begun,
            (std::vector<std::string>{"dml.activation_relu", "dml.tile"}));
}

TEST_F(InterpreterTest, KnowsEveryOperator) {
  EXPECT_TRUE(getMissingOperators(&context).empty());
}

TEST_F(InterpreterTest, MaximaOfUncertainNumbersAreRefused) {
  diagnostics.clear();
  EXPECT_TRUE(failed(interpretSource(
      R"mlir(
    func.func @main(%a: tensor<1x1x2x2xf32>, %g: tensor<1x1x2x2xf32>)
        -> tensor<1x1x3x3xf32> {
      %b = dml.resample %a {mode = #dml.interpolation_mode<linear>,
          scales = array<f32: 1.0, 1.0, 1.5, 1.5>}
          : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
      %c = dml.max_pooling_grad %b, %g {strides = array<i64: 1, 1>,
          window_size = array<i64: 2, 2>, start_padding = array<i64: 0, 0>,
          end_padding = array<i64: 0, 0>, dilations = array<i64: 1, 1>}
          : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
      return %c : tensor<1x1x3x3xf32>
    })mlir",
      {makeTensor(DataType::FLOAT32, {1, 1, 2, 2}, {.1, .2, .3, .4}),
       makeIota(DataType::FLOAT32, {1, 1, 2, 2})})));
  EXPECT_NE(diagnostics.find("known within bounds only"), std::string::npos)
      << diagnostics;
}

} // namespace
