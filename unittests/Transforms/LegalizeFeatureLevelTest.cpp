//===- LegalizeFeatureLevelTest.cpp - Older levels, the same values -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Rewrites random operators for every older level and compares the values, bit
// for bit, with those of the operator as it was.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DMLOps.h"
#include "dml/Reference/Interpreter.h"
#include "dml/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace mlir;
using namespace dml;
using reference::Tensor;

namespace {

class LegalizeFeatureLevelTest : public ::testing::Test {
protected:
  LegalizeFeatureLevelTest() {
    context.loadDialect<DMLDialect, func::FuncDialect, tensor::TensorDialect>();
    context.printOpOnDiagnostic(false);
  }

  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  }

  /// `rank` random sizes with not too many elements together.
  SmallVector<int64_t> pickShape(int64_t rank) {
    SmallVector<int64_t> shape;
    for (int64_t i = 0; i < rank; ++i)
      shape.push_back(pick(1, rank > 5 ? 2 : 4));
    return shape;
  }

  /// Often zero, sometimes larger than the tensor.
  SmallVector<int64_t> pickPadding(int64_t rank) {
    SmallVector<int64_t> padding;
    for (int64_t i = 0; i < rank; ++i)
      padding.push_back(pick(0, 1) * pick(0, rank > 5 ? 2 : 6));
    return padding;
  }

  /// Any bits but those of a float's NaN, which have no single value.
  Tensor pickTensor(RankedTensorType type) {
    Tensor tensor =
        *Tensor::create(*getDataType(type.getElementType()), type.getShape());
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      tensor.setNumber(i, static_cast<double>(pick(-100, 100)));
    return tensor;
  }

  OwningOpRef<ModuleOp> buildModule(
      ArrayRef<Type> inputs,
      llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
    Location loc = UnknownLoc::get(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    ImplicitLocOpBuilder b(loc, module->getBodyRegion());
    auto function =
        func::FuncOp::create(b, "main", b.getFunctionType(inputs, {}));
    Block *block = function.addEntryBlock();
    b.setInsertionPointToStart(block);
    Value result = body(b, block->getArguments());
    func::ReturnOp::create(b, result);
    function.setFunctionType(b.getFunctionType(inputs, result.getType()));
    return module;
  }

  /// Legalizes the program for every older level, and compares.
  void check(ModuleOp module) {
    ASSERT_TRUE(succeeded(verify(module)));
    auto function = *module.getOps<func::FuncOp>().begin();
    SmallVector<Tensor> inputs;
    for (Type type : function.getArgumentTypes())
      inputs.push_back(pickTensor(cast<RankedTensorType>(type)));
    auto wanted = reference::interpretValues(function, inputs);
    ASSERT_TRUE(succeeded(wanted));
    auto op = cast<FeatureLevelOpInterface>(function.front().front());
    FeatureLevel minimum = *op.getMinimumLevel().level;
    for (const FeatureLevelInfo &info : getFeatureLevels()) {
      if (info.level >= minimum)
        break;
      OwningOpRef<ModuleOp> copy = module.clone();
      LogicalResult result = failure();
      {
        ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
        result = legalizeFeatureLevel(*copy, info.level);
      }
      if (failed(result)) {
        ++refused;
        continue;
      }
      ++legalized;
      std::string text;
      llvm::raw_string_ostream(text) << *copy;
      (*copy)->setAttr(targetAttrName, TargetAttr::get(&context, info.level));
      ASSERT_TRUE(succeeded(verify(*copy))) << text;
      auto found = reference::interpretValues(
          *copy->getOps<func::FuncOp>().begin(), inputs);
      ASSERT_TRUE(succeeded(found)) << text;
      ASSERT_EQ(found->front().getShape(), wanted->front().getShape());
      EXPECT_EQ(std::memcmp(found->front().getData(), wanted->front().getData(),
                            wanted->front().getNumBytes()),
                0)
          << text;
    }
  }

  void report() {
    llvm::outs() << legalized << " legalized, " << refused << " refused\n";
    EXPECT_GT(legalized, 0u);
  }

  RankedTensorType pickType(ArrayRef<DataType> types, int64_t maxRank) {
    int64_t rank = pick(1, maxRank);
    return RankedTensorType::get(
        pickShape(rank),
        getElementType(types[pick(0, types.size() - 1)], &context));
  }

  /// What the input of OpTy may have at the newest level.
  template <typename OpTy> static SmallVector<DataType> getDataTypesOf() {
    SmallVector<DataType> types(getDataTypes());
    llvm::erase_if(types, [](DataType type) {
      return !OpTy::getOperatorSupport()
                  .getTensor("input", newestFeatureLevel)
                  ->supportsDataType(type);
    });
    return types;
  }

  MLIRContext context;
  std::mt19937 random{20240108};
  size_t legalized = 0, refused = 0;
};

TEST_F(LegalizeFeatureLevelTest, Padding) {
  for (int i = 0; i < 1500; ++i) {
    RankedTensorType type = pickType(getDataTypesOf<PaddingOp>(), 8);
    OwningOpRef<ModuleOp> module =
        buildModule(type, [&](ImplicitLocOpBuilder &b, ValueRange inputs) {
          auto mode = *symbolizePaddingMode(static_cast<uint32_t>(pick(0, 4)));
          const float values[] = {0.0f, -0.0f, 1.0f, 10.6f, -3.0f, 1e10f};
          return PaddingOp::create(
                     b, inputs[0], mode, APFloat(values[pick(0, 5)]),
                     pickPadding(type.getRank()), pickPadding(type.getRank()))
              .getOutput();
        });
    ASSERT_NO_FATAL_FAILURE(check(*module));
  }
  report();
}

TEST_F(LegalizeFeatureLevelTest, Tile) {
  for (int i = 0; i < 500; ++i) {
    RankedTensorType type = pickType(getDataTypesOf<TileOp>(), 8);
    OwningOpRef<ModuleOp> module =
        buildModule(type, [&](ImplicitLocOpBuilder &b, ValueRange inputs) {
          SmallVector<int64_t> repeats;
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            repeats.push_back(pick(0, 1) ? 1 : pick(1, 3));
          return TileOp::create(b, inputs[0], repeats).getOutput();
        });
    ASSERT_NO_FATAL_FAILURE(check(*module));
  }
  report();
}

TEST_F(LegalizeFeatureLevelTest, Resample) {
  const DataType types[] = {DataType::FLOAT32, DataType::FLOAT16,
                            DataType::INT8, DataType::UINT8};
  for (int i = 0; i < 500; ++i) {
    RankedTensorType type = pickType(types, 4);
    OwningOpRef<ModuleOp> module =
        buildModule(type, [&](ImplicitLocOpBuilder &b, ValueRange inputs) {
          SmallVector<float> scales;
          const float values[] = {1.0f, 1.0f, 2.0f, 0.5f, 1.3f};
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            scales.push_back(values[pick(0, 4)]);
          auto mode =
              *symbolizeInterpolationMode(static_cast<uint32_t>(pick(0, 1)));
          return ResampleOp::create(b, type.clone(pickShape(type.getRank())),
                                    inputs[0], mode, scales)
              .getOutput();
        });
    ASSERT_NO_FATAL_FAILURE(check(*module));
  }
  report();
}

TEST_F(LegalizeFeatureLevelTest, MaxPoolingGrad) {
  for (int i = 0; i < 500; ++i) {
    SmallVector<int64_t> shape = pickShape(5), gradientShape = shape;
    SmallVector<int64_t> strides, windows, dilations, padding(3, 0);
    for (int64_t dim = 2; dim < 5; ++dim) {
      bool idle = pick(0, 1);
      strides.push_back(idle ? 1 : pick(1, 2));
      windows.push_back(idle ? 1 : pick(1, shape[dim]));
      dilations.push_back(1);
      gradientShape[dim] = (shape[dim] - windows.back()) / strides.back() + 1;
    }
    Type element = Float32Type::get(&context);
    OwningOpRef<ModuleOp> module = buildModule(
        {RankedTensorType::get(shape, element),
         RankedTensorType::get(gradientShape, element)},
        [&](ImplicitLocOpBuilder &b, ValueRange inputs) {
          return MaxPoolingGradOp::create(b, inputs[0], inputs[1], strides,
                                          windows, padding, padding, dilations)
              .getOutputGradient();
        });
    ASSERT_NO_FATAL_FAILURE(check(*module));
  }
  report();
}

} // namespace
