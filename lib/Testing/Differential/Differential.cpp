//===- Differential.cpp - Comparing with the interpreter ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Testing/Differential/Differential.h"
#include "Testing/Programs/Generator.h"
#include "Testing/Programs/Operators.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using dml::reference::Estimate;
using dml::reference::Tensor;

namespace dml::fuzz {

/// Prints an element as people and MLIR's parser read it.
static std::string print(const Tensor &tensor, int64_t index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned width = reference::getByteWidth(tensor.getDataType());
  uint64_t bits = 0; // Hosts are little-endian, as DirectML's are.
  std::memcpy(&bits, tensor.getData() + index * width, width);
  double number = tensor.getNumber(index);
  switch (tensor.getDataType()) {
  case DataType::FLOAT16:
  case DataType::FLOAT32:
  case DataType::FLOAT64:
    os << llvm::format("%.17g (0x%0*llX)", number, static_cast<int>(2 * width),
                       static_cast<unsigned long long>(bits));
    break;
  case DataType::UINT64:
    os << bits;
    break;
  case DataType::INT64:
    os << static_cast<int64_t>(bits);
    break;
  default:
    os << static_cast<int64_t>(number);
  }
  return text;
}

static std::string printCoordinate(ArrayRef<int64_t> shape, int64_t index) {
  SmallVector<int64_t> coordinate(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
    coordinate[dim] = index % shape[dim];
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(coordinate, os);
  os << "]";
  return text;
}

static bool agrees(const Estimate &wanted, const Tensor &found, int64_t index,
                   bool keepsNaNs) {
  unsigned width = reference::getByteWidth(found.getDataType());
  auto bits = [&](const Tensor &tensor) {
    return StringRef(tensor.getData() + index * width, width);
  };
  const Tensor &lower = wanted.lower, &upper = wanted.upper;
  if (wanted.isBitExact)
    return bits(found) == bits(lower) || bits(found) == bits(upper);
  if (!isFloat(found.getDataType()))
    return lower.getInteger(index) <= found.getInteger(index) &&
           found.getInteger(index) <= upper.getInteger(index);
  double number = found.getNumber(index), low = lower.getNumber(index),
         high = upper.getNumber(index);
  if (std::isnan(low))
    return std::isnan(number) || !keepsNaNs;
  if (std::isnan(high))
    return true;
  return low <= number && number <= high;
}

int64_t countUnjudged(ArrayRef<Estimate> wanted, bool keepsNaNs) {
  int64_t count = 0;
  for (const Estimate &estimate : wanted) {
    count += reference::countUnjudged(estimate);
    if (keepsNaNs || estimate.isBitExact ||
        !isFloat(estimate.value.getDataType()))
      continue;
    for (int64_t i = 0; i < estimate.value.getNumElements(); ++i)
      count += std::isnan(estimate.lower.getNumber(i));
  }
  return count;
}

std::optional<std::string> describeMismatch(ArrayRef<Estimate> wanted,
                                            ArrayRef<Tensor> found,
                                            bool keepsNaNs) {
  if (found.size() != wanted.size())
    return "there are " + std::to_string(found.size()) +
           " results, but the interpreter has " + std::to_string(wanted.size());
  for (size_t result = 0; result < found.size(); ++result) {
    const Tensor &low = wanted[result].lower, &high = wanted[result].upper,
                 &value = found[result];
    if (value.getDataType() != low.getDataType() ||
        value.getShape() != low.getShape())
      return "result " + std::to_string(result) + " has the wrong type";
    int64_t first = -1, count = 0;
    for (int64_t index = 0; index < value.getNumElements(); ++index)
      if (!agrees(wanted[result], value, index, keepsNaNs) && count++ == 0)
        first = index;
    if (count == 0)
      continue;
    std::string text = "result " + std::to_string(result) + " has " +
                       print(value, first) + " at " +
                       printCoordinate(value.getShape(), first) +
                       ", but wants " + print(low, first);
    if (print(low, first) != print(high, first))
      text += " to " + print(high, first);
    return text + "; " + std::to_string(count) + " of " +
           std::to_string(value.getNumElements()) + " elements are wrong";
  }
  return std::nullopt;
}

Outcome runCase(ModuleOp module, uint64_t valueSeed, Executor execute,
                bool keepsNaNs) {
  // All diagnostics about the case become part of the message.
  std::string diagnostics;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          diagnostics += (diagnostics.empty() ? "" : "; ") + diagnostic.str();
        return success();
      });
  auto fail = [&](Outcome::Kind kind, const Twine &message) {
    std::string text = message.str();
    if (!diagnostics.empty())
      text += (text.empty() ? "" : ": ") + diagnostics;
    return Outcome{kind, text};
  };

  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || function.isExternal())
    return fail(Outcome::Invalid, "there is no function @main");
  FailureOr<SmallVector<Tensor>> inputs = drawInputs(function, valueSeed);
  if (failed(inputs))
    return fail(Outcome::Invalid, "no inputs can be drawn");
  auto wanted = interpret(function, *inputs);
  if (failed(wanted))
    return fail(Outcome::Invalid, "the interpreter fails");

  Outcome outcome{Outcome::Failed, ""};
  OwningOpRef<ModuleOp> copy = module.clone();
  auto found = execute(*copy, *inputs, outcome);
  if (failed(found))
    return fail(outcome.kind, outcome.message);
  if (auto mismatch = describeMismatch(*wanted, *found, keepsNaNs))
    return fail(Outcome::Disagreed, *mismatch);
  Outcome agreed{Outcome::Agreed, ""};
  for (const Estimate &estimate : *wanted)
    agreed.numElements += estimate.value.getNumElements();
  agreed.numUnjudged = countUnjudged(*wanted, keepsNaNs);
  return agreed;
}

} // namespace dml::fuzz
