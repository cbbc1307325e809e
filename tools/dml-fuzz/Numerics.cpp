//===- Numerics.cpp - How exact each operator is --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Numerics.h"
#include "Testing/Programs/Generator.h"
#include "dml/Reference/Accuracy.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>
#include <cmath>

using namespace mlir;

namespace dml::fuzz {
namespace {
/// What the interpreter has done for an operator in one of its modes.
struct Numerics {
  /// Which of the operations of dml/Reference/Accuracy.def it has used.
  uint64_t used = 0;
  bool addsFloats = false;
  llvm::SmallVector<unsigned> addedWidths;
  /// The data types of the first tensor of programs, and those of them with
  /// which results may differ from device to device: where the bounds of one
  /// did, or where arithmetic was used whose results may.
  llvm::SmallVector<DataType> types, open;
  /// Whether zeros of either sign, and NaNs, are told apart in all results.
  bool isBitExact = true;
};

/// The columns of a row behind the operator's.
using Cells = std::array<std::string, 3>;
} // namespace

/// Whether the operator computes more than it is for: whether it has an
/// activation that is fused, or a scale and a bias.
static bool hasMore(ModuleOp module) {
  return module
      .walk([](FeatureLevelOpInterface op) {
        return op->hasAttr("fused_activation") || op->hasAttr("scale_bias")
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The smallest number of a type of floats that is no denormal, and 0 for
/// integers.
static double getSmallestNormal(DataType type) {
  return type == DataType::FLOAT16   ? 0x1p-14
         : type == DataType::FLOAT32 ? 0x1p-126
         : type == DataType::FLOAT64 ? 0x1p-1022
                                     : 0;
}

/// Draws a program and its inputs from `seed`, and adds what its
/// interpretation does. Returns false if nothing was interpreted: the
/// interpreter has no result for some inputs, such as coordinates that are not
/// known exactly.
static bool interpretOnce(MLIRContext &context, const Cell &cell, uint64_t seed,
                          Numerics &numerics) {
  OwningOpRef<ModuleOp> module = drawProgram(&context, cell, seed);
  if (!module || hasMore(*module))
    return false;
  auto function = *module->getOps<func::FuncOp>().begin();
  auto inputs = drawInputs(function, seed);
  if (failed(inputs))
    return false;
  reference::ArithmeticLog log;
  auto results = reference::interpret(function, *inputs);
  if (failed(results))
    return false;
  if (!llvm::is_contained(numerics.types, cell.type))
    numerics.types.push_back(cell.type);
  for (unsigned i = 0; i < std::size(reference::accuracies); ++i)
    if (log.has(static_cast<reference::Arithmetic>(i)))
      numerics.used |= uint64_t(1) << i;
  numerics.addsFloats |= log.addsFloats();
  for (unsigned width : log.getAddedWidths())
    if (!llvm::is_contained(numerics.addedWidths, width))
      numerics.addedWidths.push_back(width);
  bool isOpen = false;
  for (unsigned i = 0; i < std::size(reference::accuracies); ++i)
    isOpen |= log.has(static_cast<reference::Arithmetic>(i));
  for (const reference::Estimate &result : *results) {
    numerics.isBitExact &= result.isBitExact;
    double normal = getSmallestNormal(result.value.getDataType());
    for (int64_t i = 0, count = result.value.getNumElements(); i < count; ++i) {
      double low = result.lower.getNumber(i), high = result.upper.getNumber(i);
      // Denormals may become 0 in any operator.
      bool isDenormal = std::max(std::fabs(low), std::fabs(high)) <= normal;
      isOpen |=
          low != high && !isDenormal && !(std::isnan(low) && std::isnan(high));
    }
  }
  if (isOpen && !llvm::is_contained(numerics.open, cell.type))
    numerics.open.push_back(cell.type);
  return true;
}

/// "f32, f16", in DirectML's order.
static std::string describeTypes(llvm::SmallVector<DataType> types) {
  llvm::sort(types);
  return llvm::join(
      llvm::map_range(
          types, [](DataType type) { return stringifyDataType(type).str(); }),
      ", ");
}

static Cells describe(const Numerics &numerics) {
  llvm::SmallVector<std::string> sums, used;
  if (numerics.addsFloats)
    sums.push_back("f32");
  llvm::SmallVector<unsigned> widths = numerics.addedWidths;
  llvm::sort(widths);
  for (unsigned width : widths)
    sums.push_back("i" + std::to_string(width));
  bool isOne = llvm::has_single_bit(numerics.used);
  for (auto [i, accuracy] : llvm::enumerate(reference::accuracies))
    if ((numerics.used >> i) & 1)
      used.push_back(accuracy.what.str() +
                     (isOne ? ": " + describeBound(accuracy) : ""));
  std::string same = numerics.open.empty()
                         ? (numerics.isBitExact ? "yes, each bit" : "yes")
                     : numerics.open.size() == numerics.types.size()
                         ? "within bounds"
                         : "within bounds of " + describeTypes(numerics.open) +
                               "; yes of others";
  return {llvm::join(sums, ", "), same, llvm::join(used, "; ")};
}

/// Prints the text in front of the tables. The numbers of its examples are
/// those of the bounds.
static void printHead(llvm::raw_ostream &os) {
  using reference::Arithmetic;
  double unit = reference::getAccuracy(Arithmetic::Sum).absolute;
  constexpr unsigned terms = 1000;
  double relative = std::expm1((terms - 1) * std::log1p(unit));
  os << llvm::formatv(
      R"(# Numerics

How far the results of a device may lie from the exact ones, which of them are the same on
every device, and in which type numbers are added up. The
[interpreter](Reference.md#how-exact-it-is) computes these bounds for the numbers at hand, and
`dml-run --compare-reference`, `dml-check` and `dml-fuzz` hold every device to them.
`dml-fuzz --numerics` writes this page: it interprets programs of each operator, mode and data
type, and notes which arithmetic they took. The first table has the interpreter's own numbers.

**From run to run** the results of an executable are the same bits, on the same device with the
same driver: kernels add in an order that is fixed when they are compiled, and no thread adds to
what another one computes. Another executable of the same model may add in another order: one
for another device, for other sizes, or of another version of dml.

**From device to device** results are the same where the table says so: "each bit" includes those
of NaNs and the signs of zeros; a mere "yes" leaves these open, and whether a denormal becomes 0.
"Within bounds" means that the operator computes with what devices round in their own ways, even
if some of its results, such as small integers, are the same on all of them. What only moves or
compares numbers is exact, and so are integers.

**A bound of one operation** is in units in the last place (ULP) of the exact result in f32, or
a number that may be added. 1 ULP of numbers from 1 to 2 is 2^-23, or 1.19e-7. Where a row has
both, they add up. Beside it, an operation may take a denormal, below 2^-126, for 0. For
example, 1 / 3 in f32 lies 2.5 ULP of 2^-25 and a rounding around 0.33333333: between
0.33333325 and 0.33333343.

**A bound of an operator** follows from those of its operations, in the order of the formula on
the operator's [page](operators): bounds of operands become those of the result, and each
operation adds its own. For example, the sum of {0} terms of 0.5 is 500. With the unit u = 2^-23
the bound of a sum gives `((1 + u)^{1} - 1) * 500`, which is {2:F4}: every device's result lies
between {3:F4} and {4:F4}, in whichever order it adds. Where terms have both signs, the sum
of their magnitudes counts: the result of 1000 - 1000 + 1 may be 2001 * 2 u off.

**f16** is computed in f32, and what comes of it is rounded to f16 once, to the nearest, halves
to even. So a result of f16 has the bounds of f32, each rounded to f16: mostly the same number,
or two neighbours. Denormals of f16, below 2^-14, may become 0.

The bounds of a result for numbers of your own are what `dml-interpret` computes:

```console
$ dml-interpret examples/gemm.mlir --input=64x256xf32=0.5 --input=256x64xf32=0.3 --input=64x64xf32=-31 --output=@/tmp/value.npy --lower=@/tmp/low.npy --upper=@/tmp/high.npy
```

## Arithmetic

| Operation in f32 | A device may be off by |
|---|---|
)",
      terms, terms - 1, relative * 500, 500 - relative * 500,
      500 + relative * 500);
  for (const reference::Accuracy &accuracy : reference::accuracies)
    os << "| " << accuracy.what << " | " << describeBound(accuracy) << " |\n";
  os << R"(
## Operators

"Adds up in" is the type of sums of many terms; integers wrap around in theirs. An empty cell
means that there is no such sum, or no arithmetic whose result may differ. A row may have some
modes of an operator alone. Where one operation is all that an operator computes with, its bound
stands there. A fused activation adds what the activation's own row has, to the sum before it is
rounded; a `scale_bias` adds a multiplication and an addition. Recurrent networks have any
activation, and their rows have some.

| Operator | Adds up in | Same on every device | Computed with |
|---|---|---|---|
)";
}

unsigned printNumerics(MLIRContext &context, llvm::raw_ostream &os) {
  // An operation without a result for some inputs says so.
  ScopedDiagnosticHandler silence(&context,
                                  [](Diagnostic &) { return success(); });
  llvm::MapVector<StringRef, llvm::MapVector<StringRef, Numerics>> all;
  // How many programs there were of an operator's mode and type.
  llvm::StringMap<unsigned> tries;
  for (const Cell &cell : getCells(&context, newestFeatureLevel)) {
    Numerics &numerics = all[cell.op][cell.mode];
    // Each type is drawn several times, since the programs of one type differ
    // in their ranks and in the types of their other tensors.
    unsigned &count =
        tries[(cell.op + " " + cell.mode + " " + stringifyDataType(cell.type))
                  .str()];
    constexpr unsigned most = 24;
    for (unsigned seed = 1; count < most && seed <= 12; ++seed)
      count += interpretOnce(context, cell, seed, numerics);
  }
  printHead(os);
  unsigned missing = 0;
  for (auto &[op, modes] : all) {
    // Modes of which the same is to be said share a row.
    llvm::SmallVector<std::pair<Cells, llvm::SmallVector<StringRef>>> rows;
    for (auto &[mode, numerics] : modes) {
      missing += numerics.types.empty();
      Cells cells = describe(numerics);
      auto *row =
          llvm::find_if(rows, [&](auto &row) { return row.first == cells; });
      if (row == rows.end()) {
        rows.push_back({cells, {}});
        row = &rows.back();
      }
      row->second.push_back(mode);
    }
    for (auto &[cells, of] : rows) {
      os << "| `" << op << "`";
      if (rows.size() > 1)
        os << " " << llvm::join(of, ", ");
      for (const std::string &cell : cells)
        os << " | " << cell;
      os << " |\n";
    }
  }
  return missing;
}

} // namespace dml::fuzz
