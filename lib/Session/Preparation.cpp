//===- Preparation.cpp - What is computed from weights once ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Preparation.h"
#include "dml/IR/DML.h"
#include "dml/IR/FileMemory.h"
#include "dml/IR/Layout.h"
#include "dml/IR/Ownership.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dml;
using namespace dml::session;

/// Whether a tensor of this type can be a weight.
static bool canBeWeight(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() <= maxRank &&
         getDataType(tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Digests
//===----------------------------------------------------------------------===//

/// Returns the operations that compute `value` in its block, in their order.
static llvm::SetVector<Operation *> findSlice(Value value) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !slice.insert(op))
      continue;
    llvm::SetVector<Value> reads(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), reads);
    open.append(reads.begin(), reads.end());
  }
  SmallVector<Operation *> ordered(slice.begin(), slice.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return llvm::SetVector<Operation *>(ordered.begin(), ordered.end());
}

/// Adds the bytes of the constants in `op` to the digest. The text of `op`
/// contains only their names.
static void addConstants(Operation *op, Digester &digester) {
  op->walk([&](arith::ConstantOp constant) {
    auto value = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    AsmResourceBlob *blob = value ? value.getRawHandle().getBlob() : nullptr;
    if (!blob)
      return;
    FileMemory::want(blob->getData());
    digester.add(StringRef(blob->getData().data(), blob->getData().size()));
  });
}

/// Returns the tensor of which `value` is a reshape. Both have the same
/// elements in the same order.
static Value skipReshapes(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Returns the digest of the computation of `value`, a result of `function`:
/// the digest of the text of a function that contains only the operations of
/// this computation. Reshapes at its end are left out: programs for some sizes
/// read a weight as 2x768x256, others as 2x196608, and these are one weight.
static Preparation::Result describe(func::FuncOp function, Value value) {
  Preparation::Result result;
  value = skipReshapes(value);
  Digester digester;
  OpBuilder builder(function.getContext());
  OwningOpRef<func::FuncOp> copy =
      func::FuncOp::create(builder, builder.getUnknownLoc(), "slice",
                           builder.getFunctionType({}, {}));
  Block *block = copy->addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  auto addArgument = [&](Value read) {
    auto argument = dyn_cast<BlockArgument>(read);
    if (!argument || argument.getOwner() != &function.front() ||
        mapping.contains(read))
      return;
    mapping.map(read, block->addArgument(read.getType(), read.getLoc()));
    result.weights.push_back(
        function
            .getArgAttrOfType<StringAttr>(argument.getArgNumber(), nameAttrName)
            .str());
  };
  addArgument(value);
  for (Operation *op : findSlice(value)) {
    llvm::SetVector<Value> reads(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), reads);
    llvm::for_each(reads, addArgument);
    addConstants(op, digester);
    builder.clone(*op, mapping);
  }
  func::ReturnOp::create(builder, builder.getUnknownLoc(),
                         mapping.lookup(value));
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os, OpPrintingFlags().printGenericOpForm());
  digester.add(StringRef(text));
  result.computation = digester.finish();
  return result;
}

//===----------------------------------------------------------------------===//
// Taking the initialization out
//===----------------------------------------------------------------------===//

/// Returns the names of all tensors that functions take or return.
static llvm::StringSet<> collectNames(ModuleOp module) {
  llvm::StringSet<> names;
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (auto name = function.getArgAttrOfType<StringAttr>(i, nameAttrName))
        names.insert(name.getValue());
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto name = function.getResultAttrOfType<StringAttr>(i, nameAttrName))
        names.insert(name.getValue());
  return names;
}

/// Makes weights of the arguments that the initialization has computed.
static void ownResults(ModuleOp module, Preparation &preparation) {
  MLIRContext *context = module.getContext();
  llvm::StringSet<> names = collectNames(module);
  for (auto [index, result] : llvm::enumerate(preparation.results)) {
    result.name = "prepared." + std::to_string(index);
    while (!names.insert(result.name).second)
      result.name += "_";
  }
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto number =
          function.getArgAttrOfType<IntegerAttr>(i, persistentAttrName);
      if (!number)
        continue;
      function.removeArgAttr(i, persistentAttrName);
      function.setArgAttr(
          i, nameAttrName,
          StringAttr::get(
              context,
              preparation.results[number.getValue().getZExtValue()].name));
      function.setArgAttr(i, ownedAttrName, UnitAttr::get(context));
    }
}

/// Removes the weights that the preparation alone reads.
static void dropUnreadWeights(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    llvm::BitVector unread(function.getNumArguments());
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, ownedAttrName) && !function.isDeclaration() &&
          function.getArgument(i).use_empty())
        unread.set(i);
    (void)function.eraseArguments(unread);
  }
}

Preparation dml::session::takePreparation(ModuleOp module) {
  Preparation preparation;
  func::FuncOp initialization;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(initializationAttrName))
      initialization = function;
  if (!initialization || !initialization.getBody().hasOneBlock() ||
      !llvm::all_of(initialization.getResultTypes(), canBeWeight))
    return preparation;
  for (Value value : initialization.front().getTerminator()->getOperands())
    preparation.results.push_back(describe(initialization, value));
  ownResults(module, preparation);
  preparation.module = ModuleOp::create(module.getLoc());
  (*preparation.module)->setAttrs(module->getAttrDictionary());
  initialization->moveBefore(preparation.module->getBody(),
                             preparation.module->getBody()->end());
  initialization->removeAttr(initializationAttrName);
  initialization.setName("main");
  for (unsigned i = 0; i < initialization.getNumArguments(); ++i)
    initialization.removeArgAttr(i, ownedAttrName);
  dropUnreadWeights(module);
  return preparation;
}
