//===- FuzzTest.cpp - Tests of the differential tester --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Testing/Differential/Differential.h"
#include "Testing/Mutation/Mutator.h"
#include "Testing/Programs/Generator.h"
#include "dml/IR/DMLOps.h"
#include "dml/IR/Layout.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace dml;
using namespace dml::fuzz;
using dml::reference::Estimate;
using dml::reference::Tensor;

namespace {

class FuzzTest : public testing::Test {
protected:
  FuzzTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<DMLDialect, arith::ArithDialect, func::FuncDialect,
                        scf::SCFDialect, tensor::TensorDialect>();
  }

  static FailureOr<SmallVector<Tensor>> interpret(ModuleOp module,
                                                  ArrayRef<Tensor> inputs) {
    return reference::interpretValues(module.lookupSymbol<func::FuncOp>("main"),
                                      inputs);
  }
  /// A device without defects.
  static FailureOr<SmallVector<Tensor>>
  work(ModuleOp module, ArrayRef<Tensor> inputs, Outcome &) {
    return interpret(module, inputs);
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }
  static size_t countOperators(ModuleOp module) {
    size_t count = 0;
    module.walk([&](FeatureLevelOpInterface) { ++count; });
    return count;
  }

  MLIRContext context;
};

TEST_F(FuzzTest, KnowsEveryOperator) {
  EXPECT_TRUE(getMissingOperators(&context).empty());
}

TEST_F(FuzzTest, CellsAreThoseOfTheTables) {
  auto count = [&](StringRef op, FeatureLevel level) {
    return llvm::count_if(getCells(&context, level),
                          [&](const Cell &cell) { return cell.op == op; });
  };
  // Modes x types x ranks.
  EXPECT_EQ(count("dml.padding", FeatureLevel::fl_6_4), 5 * 11 * 8);
  EXPECT_EQ(count("dml.padding", FeatureLevel::fl_6_3), 4 * 11 * 8);
  EXPECT_EQ(count("dml.padding", FeatureLevel::fl_1_0), 3 * 2 * 2);
  EXPECT_EQ(count("dml.tile", FeatureLevel::fl_6_4), 10 * 8);
  EXPECT_EQ(count("dml.max_pooling_grad", FeatureLevel::fl_6_4), 2 * 2);
  EXPECT_EQ(count("dml.max_pooling_grad", FeatureLevel::fl_2_1), 0);
  EXPECT_EQ(count("dml.resample", FeatureLevel::fl_6_4), 2 * 4 * 4);
}

TEST_F(FuzzTest, EveryCellDrawsValidPrograms) {
  uint64_t seed = 0;
  for (const Cell &cell : getCells(&context, newestFeatureLevel)) {
    auto module = drawProgram(&context, cell, ++seed);
    ASSERT_TRUE(succeeded(verify(*module))) << print(*module);
    Outcome outcome = runCase(*module, seed, work);
    EXPECT_EQ(outcome.kind, Outcome::Agreed)
        << outcome.message << print(*module);
  }
}

TEST_F(FuzzTest, RandomProgramsAreValid) {
  size_t largest = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    auto module = drawProgram(&context, seed);
    ASSERT_TRUE(succeeded(verify(*module))) << print(*module);
    Outcome outcome = runCase(*module, seed, work);
    EXPECT_EQ(outcome.kind, Outcome::Agreed)
        << outcome.message << print(*module);
    largest = std::max(largest, countOperators(*module));
  }
  // Four, and twins of some.
  EXPECT_GT(largest, 4u);
}

TEST_F(FuzzTest, LevelsTakeWhatIsDrawn) {
  // Old levels want a bias beside a scale, and a power's operands of one type.
  unsigned targets = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    auto module =
        drawProgram(&context, seed,
                    {"dml.mean_variance_normalization", "dml.element_wise_pow",
                     "dml.nonzero_coordinates"});
    ASSERT_TRUE(succeeded(verify(*module))) << print(*module);
    targets += module.get()->hasAttr(targetAttrName);
  }
  EXPECT_GT(targets, 40u);
}

TEST_F(FuzzTest, DrawsEveryPath) {
  // Counts, for each operator, programs with an even number of whole vectors of
  // 16 bytes in a row and other programs, and counts programs with several
  // results and with several uses of a value.
  llvm::StringMap<unsigned> whole, others;
  unsigned severalResults = 0, severalUses = 0;
  // Buffers that the caller does not pack.
  unsigned stridedArguments = 0, stridedResults = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    auto module = drawProgram(&context, seed);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    severalResults += function.getNumResults() > 1;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      stridedArguments += getArgumentStrides(function, i).has_value();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      stridedResults += getResultStrides(function, i).has_value();
    for (Operation &op : function.front().without_terminator()) {
      auto type = cast<RankedTensorType>(op.getResult(0).getType());
      ArrayRef<int64_t> shape = type.getShape();
      bool isWhole =
          shape.size() > 1 && shape[shape.size() - 2] % 2 == 0 &&
          shape.back() * type.getElementTypeBitWidth() % (16 * 8) == 0;
      ++(isWhole ? whole : others)[op.getName().getStringRef()];
      severalUses += !op.use_empty() && !op.hasOneUse();
    }
  }
  for (StringRef name :
       {"arith.constant", "dml.max_pooling_grad", "dml.padding", "dml.resample",
        "dml.tile", "dml.view", "tensor.bitcast", "tensor.collapse_shape",
        "tensor.concat", "tensor.expand_shape", "tensor.extract_slice"}) {
    EXPECT_GE(whole[name], 2u) << name.str();
    EXPECT_GE(others[name], 2u) << name.str();
  }
  // A good part of all operations has rows of whole vectors.
  unsigned numWhole = 0, numOthers = 0;
  for (const auto &entry : whole)
    numWhole += entry.second;
  for (const auto &entry : others)
    numOthers += entry.second;
  EXPECT_GE(numWhole, numOthers / 4);
  EXPECT_GE(severalResults, 100u);
  EXPECT_GE(severalUses, 100u);
  EXPECT_GE(stridedArguments, 100u);
  EXPECT_GE(stridedResults, 100u);
}

TEST_F(FuzzTest, SeedsDetermineCases) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto one = drawProgram(&context, seed), other = drawProgram(&context, seed);
    EXPECT_EQ(print(*one), print(*other));
    auto function = one->lookupSymbol<func::FuncOp>("main");
    auto inputs = drawInputs(function, seed), same = drawInputs(function, seed);
    ASSERT_TRUE(succeeded(inputs) && succeeded(same));
    for (auto [a, b] : llvm::zip_equal(*inputs, *same))
      EXPECT_EQ(StringRef(a.getData(), a.getNumBytes()),
                StringRef(b.getData(), b.getNumBytes()));
  }
  EXPECT_NE(print(*drawProgram(&context, 1)), print(*drawProgram(&context, 2)));
}

TEST_F(FuzzTest, SpoiledProgramsAreDetermined) {
  // Two draws may do the same to a small program.
  unsigned different = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto module = drawProgram(&context, seed);
    std::string before = print(*module);
    Random one(seed), other(seed), third(seed + 1000);
    std::string spoiled = spoil(*module, one);
    EXPECT_EQ(spoiled, spoil(*module, other));
    different += spoiled != spoil(*module, third);
    EXPECT_EQ(print(*module), before);
    Random text(seed), sameText(seed), bytes(seed), sameBytes(seed);
    EXPECT_EQ(spoilText(before, text), spoilText(before, sameText));
    EXPECT_EQ(spoilBytes(before, bytes), spoilBytes(before, sameBytes));
  }
  EXPECT_GT(different, 15u);
}

TEST_F(FuzzTest, SpoiledProgramsAreOfEveryKind) {
  // What is wrong with them, as the parser and the verifiers say it.
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  ArrayRef<Cell> cells = getCells(&context, newestFeatureLevel);
  const Cell resample = *llvm::find_if(
      cells, [](const Cell &cell) { return cell.op == "dml.resample"; });
  unsigned numValid = 0, numPrograms = 4000;
  for (uint64_t seed = 0; seed < numPrograms; ++seed) {
    Random random(seed);
    // A fourth of the programs has the operator of the rarest errors.
    auto module = seed % 4 == 0 ? drawProgram(&context, resample, seed)
                                : drawProgram(&context, seed);
    std::string text = spoil(*module, random);
    numValid += !!parseSourceString<ModuleOp>(text, &context);
  }
  EXPECT_GT(numValid, numPrograms / 20);
  EXPECT_LT(numValid, numPrograms / 2);
  for (StringRef error :
       {"requires attribute", "values, but wants", "but wants a value from",
        "is no DirectML data type", "DirectML sizes range from",
        "but wants a finite value", "has a dynamic size",
        "but wants a ranked tensor", "supports rank", "Invalid attribute",
        "has type", "unknown attribute", "in dimension",
        "requires a single operand"})
    EXPECT_TRUE(StringRef(errors).contains(error)) << error.str();
}

TEST_F(FuzzTest, Mismatches) {
  auto make = [](std::vector<double> values) {
    return Tensor::of<double>(DataType::FLOAT32, {1, int64_t(values.size())},
                              values);
  };
  auto describe = [&](Tensor lower, Tensor upper, Tensor found, bool isExact) {
    Estimate wanted(lower, lower, upper);
    wanted.isBitExact = isExact;
    return describeMismatch({wanted}, {found}).value_or("");
  };
  Tensor wanted = make({1, 2, NAN});
  EXPECT_EQ(describe(wanted, wanted, wanted, true), "");
  EXPECT_EQ(describe(wanted, wanted, make({1, 3, NAN}), true),
            "result 0 has 3 (0x40400000) at [0, 1], but wants 2 (0x40000000); "
            "1 of 3 elements are wrong");
  EXPECT_NE(describe(wanted, wanted, make({1, 2, 3}), false), "");
  // Signs of zeros and bits of NaNs count where elements are only moved.
  EXPECT_NE(describe(make({0.0}), make({0.0}), make({-0.0}), true), "");
  EXPECT_EQ(describe(make({0.0}), make({0.0}), make({-0.0}), false), "");
  EXPECT_NE(describe(make({NAN}), make({NAN}), make({-NAN}), true), "");
  EXPECT_EQ(describe(make({NAN}), make({NAN}), make({-NAN}), false), "");
  // Bounds.
  EXPECT_EQ(describe(make({1}), make({2}), make({1.5}), false), "");
  EXPECT_NE(describe(make({1}), make({2}), make({2.5}), false), "");
  EXPECT_NE(describe(make({1}), make({2}), make({NAN}), false), "");
  // Anything may stand where the upper bound alone is NaN.
  EXPECT_EQ(describe(make({1}), make({NAN}), make({7}), false), "");
  EXPECT_NE(describeMismatch({Estimate(make({1}))}, {}), std::nullopt);

  // A device that does not preserve NaN may compute any number for it, but must
  // move its bits.
  Tensor nan = make({std::numeric_limits<double>::quiet_NaN()}),
         number = make({1});
  Estimate computed(nan, /*bits=*/false), moved(nan);
  EXPECT_NE(describeMismatch({computed}, {number}), std::nullopt);
  EXPECT_EQ(describeMismatch({computed}, {number}, /*keepsNaNs=*/false),
            std::nullopt);
  EXPECT_NE(describeMismatch({moved}, {number}, /*keepsNaNs=*/false),
            std::nullopt);
  EXPECT_EQ(countUnjudged({computed, moved}), 0);
  EXPECT_EQ(countUnjudged({computed, moved}, /*keepsNaNs=*/false), 1);
}

TEST_F(FuzzTest, MismatchesOfIntegers) {
  auto make = [](DataType type, std::vector<__int128> values) {
    Tensor tensor = *Tensor::create(type, {int64_t(values.size())});
    for (auto [i, value] : llvm::enumerate(values))
      tensor.setInteger(i, value);
    return tensor;
  };
  // A double does not tell these apart.
  Tensor least = make(DataType::INT64, {(int64_t(1) << 53) + 1}),
         most = make(DataType::INT64, {(int64_t(1) << 53) + 3}),
         below = make(DataType::INT64, {int64_t(1) << 53});
  Estimate wanted(least, least, most);
  EXPECT_EQ(describeMismatch({wanted}, {most}), std::nullopt);
  EXPECT_NE(describeMismatch({wanted}, {below}), std::nullopt);
}

TEST_F(FuzzTest, WhatIsNotJudged) {
  double infinity = std::numeric_limits<double>::infinity();
  auto count = [](DataType type, std::vector<double> lower,
                  std::vector<double> upper) {
    std::vector<int64_t> shape = {int64_t(lower.size())};
    Tensor low = Tensor::of<double>(type, shape, lower);
    return countUnjudged(
        {Estimate(low, low, Tensor::of<double>(type, shape, upper))});
  };
  EXPECT_EQ(count(DataType::FLOAT32, {1, -infinity, -infinity, 3, NAN},
                  {NAN, NAN, infinity, infinity, NAN}),
            3);
  EXPECT_EQ(
      count(DataType::FLOAT32, {infinity, -infinity}, {infinity, -infinity}),
      0);
  EXPECT_EQ(count(DataType::INT8, {-128, -128, 0}, {127, 126, 127}), 1);
  EXPECT_EQ(count(DataType::UINT4, {0, 0}, {15, 14}), 1);
}

TEST_F(FuzzTest, Outcomes) {
  auto module = drawProgram(&context, 1);
  auto outcome = [&](Outcome::Kind kind) {
    return runCase(*module, 1,
                   [&](ModuleOp module, ArrayRef<Tensor>,
                       Outcome &outcome) -> FailureOr<SmallVector<Tensor>> {
                     outcome = {kind, "because"};
                     (void)module.emitError("of this");
                     return failure();
                   });
  };
  EXPECT_FALSE(outcome(Outcome::Refused).isDefect());
  EXPECT_TRUE(outcome(Outcome::Failed).isDefect());
  EXPECT_EQ(outcome(Outcome::Failed).message, "because: of this");
  Outcome agreed = runCase(*module, 1, work);
  EXPECT_EQ(agreed.kind, Outcome::Agreed);
  EXPECT_GT(agreed.numElements, 0);
  EXPECT_LT(agreed.numUnjudged, agreed.numElements);
  auto empty = parseSourceString<ModuleOp>("module {}", &context);
  EXPECT_EQ(runCase(*empty, 1, work).kind, Outcome::Invalid);
}

TEST_F(FuzzTest, ExecutorsMayDestroyTheirModule) {
  auto module = drawProgram(&context, 1);
  std::string before = print(*module);
  (void)runCase(*module, 1,
                [](ModuleOp module, ArrayRef<Tensor> inputs, Outcome &) {
                  auto outputs = interpret(module, inputs);
                  module.getBody()->clear();
                  return outputs;
                });
  EXPECT_EQ(print(*module), before);
}

/// A device that gets one operator wrong.
template <typename OpTy>
static FailureOr<SmallVector<Tensor>>
breakOperator(ModuleOp module, ArrayRef<Tensor> inputs,
              llvm::function_ref<bool(OpTy)> isBroken) {
  auto outputs = reference::interpretValues(
      module.lookupSymbol<func::FuncOp>("main"), inputs);
  bool broken = false;
  module.walk([&](OpTy op) { broken |= isBroken(op); });
  if (succeeded(outputs) && broken)
    for (Tensor &output : *outputs) {
      Tensor copy = *Tensor::create(output.getDataType(), output.getShape());
      std::copy_n(output.getData(), output.getNumBytes(), copy.getData());
      copy.getData()[0] ^= 1;
      output = copy;
    }
  return outputs;
}

TEST_F(FuzzTest, ShrinksToTheDefect) {
  unsigned found = 0;
  const std::string only[] = {"dml.padding"};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    auto module = drawProgram(&context, seed, only);
    auto disagrees = [&](ModuleOp module) {
      return runCase(module, seed,
                     [](ModuleOp module, ArrayRef<Tensor> inputs, Outcome &) {
                       return breakOperator<PaddingOp>(
                           module, inputs, [](PaddingOp op) {
                             return op.getEndPadding().back() >= 3;
                           });
                     })
                 .kind == Outcome::Disagreed;
    };
    if (!disagrees(*module))
      continue;
    ++found;
    auto smaller = shrink(*module, disagrees);
    EXPECT_TRUE(succeeded(verify(*smaller)));
    EXPECT_TRUE(disagrees(*smaller));
    EXPECT_EQ(countOperators(*smaller), 1u) << print(*smaller);
    smaller->walk([&](PaddingOp op) {
      EXPECT_EQ(op.getEndPadding(), ArrayRef<int64_t>({3})) << print(*smaller);
      EXPECT_EQ(op.getInput().getType().getNumElements(), 1) << print(*smaller);
      EXPECT_EQ(op.getOutput().getType().getNumElements(), 4)
          << print(*smaller);
    });
  }
  EXPECT_GT(found, 5u);
}

TEST_F(FuzzTest, ShrinksPooling) {
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    auto module =
        drawProgram(&context,
                    Cell{"dml.max_pooling_grad", "", DataType::FLOAT32, 4,
                         SmallVector<DataType, 4>(3, DataType::FLOAT32)},
                    seed);
    auto fails = [&](ModuleOp module) {
      bool broken = false;
      module.walk([&](MaxPoolingGradOp op) {
        broken |= op.getStrides()[0] == 2 &&
                  op.getInput().getType().getDimSize(2) > 4;
      });
      return broken;
    };
    if (!fails(*module))
      continue;
    ++found;
    auto smaller = shrink(*module, fails);
    smaller->walk([&](MaxPoolingGradOp op) {
      EXPECT_EQ(op.getInput().getType().getShape(),
                ArrayRef<int64_t>({1, 1, 5, 1}))
          << print(*smaller);
      EXPECT_EQ(op.getWindowSize(), ArrayRef<int64_t>({1, 1}));
    });
  }
  EXPECT_GT(found, 10u);
}

/// Shrinking ends before its last try, since an edit that leaves a program
/// unchanged does not count as progress.
TEST_F(FuzzTest, ShrinkingEnds) {
  constexpr unsigned maxTries = 2000;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    auto module = drawProgram(&context, seed);
    StringRef kept;
    module->walk([&](FeatureLevelOpInterface op) {
      kept = op->getName().getStringRef();
    });
    unsigned tries = 0;
    auto fails = [&](ModuleOp module) {
      ++tries;
      return module
          .walk([&](Operation *op) {
            return op->getName().getStringRef() == kept
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
    };
    auto smaller = shrink(*module, fails, maxTries);
    EXPECT_LT(tries, maxTries) << print(*smaller);
  }
}

} // namespace
