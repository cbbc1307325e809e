//===- InferenceTest.cpp - Result types before verification ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the inference of result types. Builders infer the result types of
// operands that have not been verified yet.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DMLOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"
#include <limits>

using namespace mlir;
using namespace dml;

namespace {

class InferenceTest : public testing::Test {
protected:
  InferenceTest() : builder(&context) {
    context.loadDialect<DMLDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
  }

  Value makeInput(int64_t size) {
    auto type = RankedTensorType::get({size}, builder.getF32Type());
    return module->getBody()->addArgument(type, builder.getUnknownLoc());
  }

  /// The type that OpTy infers, or its error.
  template <typename OpTy>
  std::string infer(Value input, const typename OpTy::Properties &properties) {
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      text = diagnostic.str();
      return success();
    });
    SmallVector<Type> types;
    auto copy = properties;
    if (succeeded(OpTy::inferReturnTypes(&context, builder.getUnknownLoc(),
                                         input, DictionaryAttr(), &copy,
                                         RegionRange(), types)))
      llvm::raw_string_ostream(text) << types.front();
    return text;
  }

  std::string inferPadding(int64_t size, int64_t start, int64_t end) {
    PaddingOp::Properties properties;
    properties.start_padding = builder.getDenseI64ArrayAttr(start);
    properties.end_padding = builder.getDenseI64ArrayAttr(end);
    return infer<PaddingOp>(makeInput(size), properties);
  }

  std::string inferTile(int64_t size, int64_t count) {
    TileOp::Properties properties;
    properties.repeats = builder.getDenseI64ArrayAttr(count);
    return infer<TileOp>(makeInput(size), properties);
  }

  MLIRContext context;
  Builder builder;
  OwningOpRef<ModuleOp> module;
};

constexpr int64_t largest = std::numeric_limits<int64_t>::max();
constexpr const char *beyond64Bits =
    "output would have size 18446744073709551615 in dimension 0, but DirectML "
    "sizes range from 1 to 4294967295";

TEST_F(InferenceTest, Padding) {
  EXPECT_EQ(inferPadding(2, 1, 3), "tensor<6xf32>");
  EXPECT_EQ(inferPadding(4294967295, 1, 0),
            "'dml.padding' op output would have size 4294967296 in dimension "
            "0, but DirectML sizes range from 1 to 4294967295");
  EXPECT_EQ(inferPadding(largest, 4, 0),
            "'dml.padding' op output would have size 9223372036854775811 in "
            "dimension 0, but DirectML sizes range from 1 to 4294967295");
  EXPECT_NE(inferPadding(ShapedType::kDynamic, 1, 0), "tensor<?xf32>");
}

TEST_F(InferenceTest, Tile) {
  EXPECT_EQ(inferTile(2, 3), "tensor<6xf32>");
  EXPECT_EQ(inferTile(largest, 4294967295),
            std::string("'dml.tile' op ") + beyond64Bits);
  EXPECT_EQ(inferTile(ShapedType::kDynamic, 2),
            std::string("'dml.tile' op ") + beyond64Bits);
}

} // namespace
