//===- ApplyLayouts.cpp - The layouts of the caller's tensors -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "dml/Conversion/Passes.h"
#include "dml/IR/Layout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

namespace dml {
#define GEN_PASS_DEF_APPLYLAYOUTS
#include "dml/Conversion/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Returns the type of the row, a flat tensor with all elements of the buffer,
/// for a tensor of type `type` with `strides`.
static RankedTensorType getRowType(RankedTensorType type,
                                   ArrayRef<int64_t> strides) {
  auto extent = static_cast<int64_t>(getExtent(type.getShape(), strides));
  return RankedTensorType::get(extent, type.getElementType());
}

/// Reads the element at `indices` of the tensor that is stored in `row` with
/// `strides`.
static Value readRow(ElementBuilder &b, Value row, ValueRange indices,
                     ArrayRef<int64_t> strides) {
  Value place = b.index(0);
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    place = b.add(b.mul(index, stride), place);
  return tensor::ExtractOp::create(b, row, place);
}

/// Gives `argument` the type of its row, and makes all its readers read from
/// the row.
static void applyToArgument(BlockArgument argument, ArrayRef<int64_t> strides) {
  auto type = cast<RankedTensorType>(argument.getType());
  argument.setType(getRowType(type, strides));
  // The stride of a dimension with one element has no effect.
  SmallVector<int64_t> steps;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    steps.push_back(size == 1 ? 0 : stride);
  SmallVector<OpOperand *> others;
  for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
    auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner());
    if (!extract) {
      others.push_back(&use);
      continue;
    }
    ElementBuilder b(extract.getLoc(), extract);
    extract.replaceAllUsesWith(
        readRow(b, argument, extract.getIndices(), steps));
    extract.erase();
  }
  if (others.empty())
    return;
  Operation *parent = argument.getOwner()->getParentOp();
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Value packed = buildTensor(builder, parent, type,
                             [&](ElementBuilder &b, ValueRange indices) {
                               return readRow(b, argument, indices, steps);
                             });
  packed.getDefiningOp()->setAttr(labelAttrName,
                                  builder.getStringAttr("dml.view"));
  for (OpOperand *use : others)
    use->set(packed);
}

/// Builds the row that contains the elements of `value`, with zeros between
/// them.
static Value buildRow(func::ReturnOp op, Value value,
                      ArrayRef<int64_t> strides) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> sizes = type.getShape();
  // The verifier guarantees that the dimensions are nested.
  SmallVector<unsigned> dims = *getNestedDimensions(sizes, strides);
  bool hasGaps =
      static_cast<int64_t>(getExtent(sizes, strides)) != type.getNumElements();
  OpBuilder builder(op);
  Value row = buildTensor(
      builder, op, getRowType(type, strides),
      [&](ElementBuilder &b, ValueRange indices) -> Value {
        SmallVector<Value> coordinates(type.getRank(), b.index(0));
        Value rest = indices[0], isElement;
        auto require = [&](Value condition) {
          isElement = isElement ? b.andi(isElement, condition) : condition;
        };
        for (auto [i, dim] : llvm::enumerate(dims)) {
          bool isUnit = strides[dim] == 1;
          Value coordinate = isUnit ? rest : b.divui(rest, strides[dim]);
          rest = isUnit ? b.index(0) : b.remui(rest, strides[dim]);
          // The coordinate of the outermost dimension is never out of range.
          if (hasGaps && i > 0) {
            require(b.cmpi(arith::CmpIPredicate::ult, coordinate,
                           b.index(sizes[dim])));
            coordinate = b.minui(coordinate, b.index(sizes[dim] - 1));
          }
          coordinates[dim] = coordinate;
        }
        if (!dims.empty() && strides[dims.back()] != 1)
          require(b.cmpi(arith::CmpIPredicate::eq, rest, b.index(0)));
        Value element = tensor::ExtractOp::create(b, value, coordinates);
        if (!isElement)
          return element;
        Value zero =
            arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
        return b.select(isElement, element, zero);
      });
  row.getDefiningOp()->setAttr(labelAttrName,
                               builder.getStringAttr("dml.view"));
  return row;
}

namespace {
struct ApplyLayouts : dml::impl::ApplyLayoutsBase<ApplyLayouts> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(applyTo(function)))
        return signalPassFailure();
  }

private:
  LogicalResult applyTo(func::FuncOp function);
};
} // namespace

/// Whether an earlier run of the pass has already changed a tensor's type to
/// `type`, the type of its row, and has stored the original type in the
/// attribute `kept`. Returns true for buffers, which the pass leaves alone.
static bool isRow(Type type, Attribute kept, ArrayRef<int64_t> strides) {
  if (isa<MemRefType>(type))
    return true;
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto original = dyn_cast_or_null<TypeAttr>(kept);
  return tensor && original &&
         tensor.getShape() ==
             getRowType(cast<RankedTensorType>(original.getValue()), strides)
                 .getShape();
}

LogicalResult ApplyLayouts::applyTo(func::FuncOp function) {
  SmallVector<unsigned> arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto strides = getArgumentStrides(function, i);
        strides && !isRow(function.getArgumentTypes()[i],
                          function.getArgAttr(i, typeAttrName), *strides))
      arguments.push_back(i);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto strides = getResultStrides(function, i);
        strides && !isRow(function.getResultTypes()[i],
                          function.getResultAttr(i, typeAttrName), *strides))
      results.push_back(i);
  if (function.isExternal() || (arguments.empty() && results.empty()))
    return success();
  if (!SymbolTable::symbolKnownUseEmpty(function, getOperation()))
    return emitError(function.getLoc(), "function '")
           << function.getName()
           << "' has 'dml.strides', so that only the executable's caller can "
              "call it, but the module does";

  // Whether `type` has the sizes of the type in the attribute `kept`. An
  // earlier conversion may have stored the attribute, but only to change the
  // element type.
  auto hasSizes = [](Type type, Attribute kept) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto original = dyn_cast_or_null<TypeAttr>(kept);
    return tensor && (!original ||
                      cast<RankedTensorType>(original.getValue()).getShape() ==
                          tensor.getShape());
  };
  auto reject = [&](StringRef what, unsigned index) {
    return emitError(function.getLoc(), "function '")
           << function.getName() << "' has '" << stridesAttrName << "' on "
           << what << " " << index << ", but '" << typeAttrName
           << "' there has other sizes than the tensor";
  };
  for (unsigned i : arguments)
    if (!hasSizes(function.getArgumentTypes()[i],
                  function.getArgAttr(i, typeAttrName)))
      return reject("argument", i);
  for (unsigned i : results)
    if (!hasSizes(function.getResultTypes()[i],
                  function.getResultAttr(i, typeAttrName)))
      return reject("result", i);

  auto keepType = [](Attribute known, Type type) -> Attribute {
    return known ? known : TypeAttr::get(type);
  };
  setTensorAttrs(
      function, typeAttrName,
      [&](unsigned i) {
        return llvm::binary_search(arguments, i)
                   ? keepType(function.getArgAttr(i, typeAttrName),
                              function.getArgumentTypes()[i])
                   : Attribute();
      },
      [&](unsigned i) {
        return llvm::binary_search(results, i)
                   ? keepType(function.getResultAttr(i, typeAttrName),
                              function.getResultTypes()[i])
                   : Attribute();
      });
  for (unsigned i : arguments)
    applyToArgument(function.getArgument(i), *getArgumentStrides(function, i));
  SmallVector<Type> resultTypes(function.getResultTypes());
  function.walk([&](func::ReturnOp op) {
    for (unsigned i : results) {
      Value row =
          buildRow(op, op.getOperand(i), *getResultStrides(function, i));
      op.setOperand(i, row);
      resultTypes[i] = row.getType();
    }
  });
  function.setType(FunctionType::get(
      &getContext(), function.front().getArgumentTypes(), resultTypes));
  return success();
}
