//===- OperatorMatrix.cpp - What is there of each operator ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperatorMatrix.h"
#include "Testing/Programs/Generator.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Reference/Interpreter.h"
#include "dml/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dml::fuzz {
namespace {
/// For each stage that programs of an operator pass through, the data types of
/// the first tensor with which a program has passed the stage.
struct Row {
  SmallVector<DataType> types, verified, interpreted, compiled;
  FeatureLevel introduced = newestFeatureLevel;
  /// The oldest feature level for which legalization has rewritten a program
  /// that needs a newer level.
  std::optional<FeatureLevel> legalized;
};
} // namespace

/// Returns the oldest feature level that meets every requirement of every
/// operator in `module`, so that the program needs no rewriting.
static FeatureLevel getNeededLevel(ModuleOp module) {
  FeatureLevel needed = getFeatureLevels().front().level;
  module.walk([&](FeatureLevelOpInterface op) {
    const OperatorSupport &support = op.getOperatorSupport();
    for (const Requirement &requirement : op.getRequirements())
      if (auto level = support.getMinimumLevel(requirement))
        needed = std::max(needed, *level);
  });
  return needed;
}

static void legalize(ModuleOp module, Row &row) {
  FeatureLevel needed = getNeededLevel(module);
  for (const FeatureLevelInfo &info : getFeatureLevels()) {
    if (info.level >= needed || (row.legalized && info.level >= *row.legalized))
      return;
    OwningOpRef<ModuleOp> clone = module.clone();
    if (succeeded(legalizeFeatureLevel(*clone, info.level))) {
      row.legalized = info.level;
      return;
    }
  }
}

/// Whether the interpreter gives results for inputs that suit the program.
static bool canInterpret(ModuleOp module) {
  auto function = *module.getOps<func::FuncOp>().begin();
  auto inputs = drawInputs(function, /*seed=*/1);
  return succeeded(inputs) &&
         succeeded(reference::interpret(function, *inputs));
}

/// `types`, in DirectML's order, as "f32, f16".
static std::string describe(ArrayRef<DataType> types, ArrayRef<DataType> all) {
  if (types == all)
    return "all";
  return llvm::join(
      llvm::map_range(
          types, [](DataType type) { return stringifyDataType(type).str(); }),
      ", ");
}

unsigned printOperatorMatrix(MLIRContext &context, llvm::raw_ostream &os) {
  // A stage that does not do it shows so in its cell.
  ScopedDiagnosticHandler silence(&context,
                                  [](Diagnostic &) { return success(); });
  llvm::MapVector<StringRef, Row> rows;
  unsigned missing = 0;
  for (const Cell &cell : getCells(&context, newestFeatureLevel)) {
    Row &row = rows[cell.op];
    bool isNewType = !llvm::is_contained(row.types, cell.type);
    // Levels differ by modes, types and ranks: each of these alone is enough.
    if (!isNewType && cell.type != row.types.front())
      continue;
    OwningOpRef<ModuleOp> module = drawProgram(&context, cell, /*seed=*/1);
    bool isValid = module && succeeded(verify(*module));
    if (isValid) {
      module->walk([&](FeatureLevelOpInterface op) {
        if (op->getName().getStringRef() == cell.op)
          row.introduced = op.getOperatorSupport().getIntroducedLevel();
      });
      legalize(*module, row);
    }
    if (!isNewType)
      continue;
    row.types.push_back(cell.type);
    if (!isValid) {
      ++missing;
      continue;
    }
    row.verified.push_back(cell.type);
    bool isInterpreted = canInterpret(*module);
    if (isInterpreted)
      row.interpreted.push_back(cell.type);
    bool isCompiled = succeeded(compileToExecutable(*module, {}));
    if (isCompiled)
      row.compiled.push_back(cell.type);
    missing += !isInterpreted || !isCompiled;
  }

  os << "# Operator matrix\n\n"
        "What there is of each of DirectML's operators, tried rather than "
        "claimed:\n`dml-fuzz --matrix` writes this page, and fails where a "
        "stage is missing. For each\ndata type of an operator's first tensor a "
        "program is drawn and verified,\ninterpreted, and compiled to an "
        "executable; whether its results are right is what\nrandom testing on "
        "devices is for ([Reference](Reference.md)). The last column has\nthe "
        "oldest feature level for which `dml-legalize-feature-level` rewrites "
        "some program\nof the operator that needs a newer one; where it is "
        "empty, it rewrites none.\n\n"
        "| Operator | Introduced in | Data types | Drawn and verified | "
        "Interpreted | Compiled | Legalized down to |\n"
        "|---|---|---|---|---|---|---|\n";
  for (auto &[name, row] : rows) {
    os << "| `" << name << "` | " << getFeatureLevelNumber(row.introduced)
       << " | " << describe(row.types, {}) << " | "
       << describe(row.verified, row.types) << " | "
       << describe(row.interpreted, row.types) << " | "
       << describe(row.compiled, row.types) << " | "
       << (row.legalized ? getFeatureLevelNumber(*row.legalized) : "")
       << " |\n";
  }
  return missing;
}

} // namespace dml::fuzz
