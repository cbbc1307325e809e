//===- Convolutions.cpp - Convolutions with channels last -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"
#include "LayoutCosts.h"
#include "LoweringUtils.h"
#include "dml/IR/ContractionOps.h"
#include "dml/IR/LayoutAttr.h"
#include "dml/IR/Ownership.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace dml;

/// The largest number of channels in a block. The channels of one tap are then
/// the terms of a stage of a matrix kernel, so that a stage contains only one
/// tap, and the windows of a workgroup load their common elements from the
/// first cache.
static constexpr int64_t maxBlock = 32;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

template <typename OpTy> static ConvolutionShape getShape(OpTy op) {
  ConvolutionShape shape;
  shape.input = cast<RankedTensorType>(op.getInput().getType());
  shape.filter = cast<RankedTensorType>(op.getFilter().getType());
  shape.output = cast<RankedTensorType>(op.getOutput().getType());
  shape.strides = op.getStrides();
  shape.dilations = op.getDilations();
  shape.startPadding = op.getStartPadding();
  shape.groups = op.getGroupCount();
  // Convolutions of integers only have the forward direction and one mode.
  shape.isForward = true;
  shape.isFlipped = false;
  if constexpr (std::is_same_v<OpTy, ConvolutionOp>) {
    shape.isForward = op.getDirection() == ConvolutionDirection::forward;
    shape.isFlipped = op.getMode() == ConvolutionMode::convolution;
  }
  return shape;
}

std::optional<ConvolutionShape> ConvolutionShape::get(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ConvolutionShape>>(op)
      .Case<ConvolutionOp, ConvolutionIntegerOp, QuantizedLinearConvolutionOp>(
          [](auto convolution) { return getShape(convolution); })
      .Default(std::nullopt);
}

int64_t ConvolutionShape::getTaps() const {
  return llvm::product_of(filter.getShape().drop_front(2));
}

//===----------------------------------------------------------------------===//
// Channels last
//===----------------------------------------------------------------------===//

bool dml::canHaveChannelsLast(Operation *op) {
  std::optional<ConvolutionShape> shape = ConvolutionShape::get(op);
  return shape && shape->isForward && shape->groups == 1;
}

std::optional<ChannelsLast> ChannelsLast::get(Operation *op,
                                              const ConvolutionShape &shape) {
  auto layout = op->getAttrOfType<StringAttr>(layoutAttrName);
  if (!layout || !canHaveChannelsLast(op))
    return std::nullopt;
  return ChannelsLast{
      layout.getValue() != orderedFilter,
      std::gcd(shape.getChannels(), maxBlock),
      std::gcd(shape.getChannels(), getLanes(shape.input.getElementType())),
      layout.getValue() == channelsLastCovered};
}

ChannelsLast::Dim ChannelsLast::getDim(const ConvolutionShape &shape,
                                       int64_t dim) const {
  int64_t start = shape.startPadding[dim], stride = shape.strides[dim];
  if (!isCovered)
    return {shape.input.getDimSize(dim + 2), 1, 0, stride};
  int64_t filter = shape.filter.getDimSize(dim + 2),
          output = shape.output.getDimSize(dim + 2);
  // Windows of one position skip the positions between them.
  if (filter == 1)
    return {output, stride, start, 1};
  return {(output - 1) * stride + (filter - 1) * shape.dilations[dim] + 1, 1,
          start, stride};
}

Value ChannelsLast::moveInput(OpBuilder &builder, Operation *op,
                              const ConvolutionShape &shape, Value input,
                              Value zero) const {
  if (!movesInput)
    return input;
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> sizes = {type.getDimSize(0)};
  for (int64_t dim = 0; dim < shape.getNumDims(); ++dim)
    sizes.push_back(getDim(shape, dim).size);
  sizes.push_back(shape.getChannels());
  Value moved = buildTensor(
      builder, op, type.clone(sizes),
      [&](ElementBuilder &b, ValueRange indices) {
        SmallVector<Value> source = {indices.front(), indices.back()};
        Value exists;
        for (int64_t i = 0; i < shape.getNumDims(); ++i) {
          Dim dim = getDim(shape, i);
          Value position = b.add(b.mul(indices[i + 1], dim.step), -dim.start);
          int64_t size = type.getDimSize(i + 2);
          if (dim.start > 0 || (dim.size - 1) * dim.step - dim.start >= size) {
            Value inside =
                b.cmpi(arith::CmpIPredicate::ult, position, b.index(size));
            exists = exists ? b.andi(exists, inside) : inside;
            position = b.select(inside, position, b.index(0));
          }
          source.push_back(position);
        }
        Value element = tensor::ExtractOp::create(b, input, source);
        if (!exists)
          return element;
        Value otherwise =
            zero ? Value(tensor::ExtractOp::create(
                       b, zero,
                       SmallVector<Value>(
                           cast<RankedTensorType>(zero.getType()).getRank(),
                           b.index(0))))
                 : Value(arith::ConstantOp::create(
                       b, b.getZeroAttr(type.getElementType())));
        return b.select(exists, element, otherwise);
      });
  moved.getDefiningOp()->setAttr(layoutAttrName, op->getAttr(layoutAttrName));
  return moved;
}

Value ChannelsLast::orderFilter(OpBuilder &builder, Operation *op,
                                const ConvolutionShape &shape,
                                Value filter) const {
  auto type = cast<RankedTensorType>(filter.getType());
  // With one tap, the order does not change. Equal elements have no order.
  if (shape.getTaps() == 1 || isSplat(filter))
    return filter;
  ArrayRef<int64_t> taps = type.getShape().drop_front(2);
  Value ordered = buildTensor(
      builder, op,
      type.clone({type.getDimSize(0), type.getDimSize(1) / block,
                  shape.getTaps(), block}),
      [&](ElementBuilder &b, ValueRange indices) {
        SmallVector<Value> source = {
            indices[0], b.add(b.mul(indices[1], block), indices[3])};
        for (auto [number, size] :
             llvm::zip_equal(delinearize(b, indices[2], taps), taps))
          source.push_back(shape.isFlipped ? b.sub(b.index(size - 1), number)
                                           : number);
        return tensor::ExtractOp::create(b, filter, source).getResult();
      });
  // This order of the filter is the same for all layouts of the input. Sessions
  // share a filter between programs if the text of the operations that compute
  // it is equal; hence the attribute always has the same value.
  ordered.getDefiningOp()->setAttr(layoutAttrName,
                                   builder.getStringAttr(channelsLast));
  return ordered;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Whether `tensor` is computed by an operator. Its kernel can then write the
/// tensor in another order.
static bool isComputed(Value tensor) {
  return tensor.getDefiningOp() && !matchPattern(tensor, m_Constant());
}

/// Whether `tensor` is computed from constants and weights only.
static bool isOfWeights(Value tensor) {
  llvm::SetVector<Value> values;
  values.insert(tensor);
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(values[i])) {
      auto function =
          dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
      if (!function ||
          !function.getArgAttr(argument.getArgNumber(), ownedAttrName))
        return false;
      continue;
    }
    Operation *op = values[i].getDefiningOp();
    values.insert_range(op->getOperands());
    if (op->getNumRegions())
      return false;
  }
  return true;
}

/// Returns the layout that makes the order of the filter of `op` one and the
/// same for all numbers and sizes of images, if the input stays as it is.
static StringRef chooseFilterLayout(Operation *op, WindowSums sums,
                                    const DeviceProfile &profile) {
  sums.positions = std::numeric_limits<int64_t>::max() / 2;
  return canLoadChannels(sums, profile) && isOfWeights(op->getOperand(1))
             ? StringRef(orderedFilter)
             : StringRef();
}

StringRef dml::chooseLayout(Operation *op, const DeviceProfile &profile,
                            bool sharesWeights) {
  ConvolutionShape shape = *ConvolutionShape::get(op);
  auto getBytes = [](RankedTensorType type) {
    return static_cast<double>(type.getNumElements()) *
           type.getElementTypeBitWidth() / 8;
  };
  WindowSums sums;
  sums.factorType = shape.input.getElementType();
  sums.rows = shape.output.getDimSize(1);
  sums.positions = shape.output.getNumElements() / sums.rows;
  sums.channels = shape.getChannels();
  sums.taps = shape.getTaps();
  sums.width = shape.output.getShape().back();
  bool computed = isComputed(op->getOperand(0));
  // The positions of an image that windows of one tap read with a stride of 1
  // are neighbours, which a kernel loads as vectors if an image consists of
  // whole vectors.
  bool loadsPositions =
      llvm::all_of(shape.strides, [](int64_t stride) { return stride == 1; }) &&
      (sums.positions / shape.output.getDimSize(0)) %
              getLanes(sums.factorType) ==
          0;
  if (sums.taps == 1 && (loadsPositions || !computed))
    return "";
  sums.movedBytes = computed ? 0 : 2 * getBytes(shape.input);
  if (!isFasterChannelsLast(sums, profile))
    return sharesWeights ? chooseFilterLayout(op, sums, profile) : "";
  return computed ? channelsLast : channelsLastCovered;
}
