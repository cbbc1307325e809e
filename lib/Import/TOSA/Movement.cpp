//===- Movement.cpp - Operations that move elements -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TOSA/Expression.h"

using namespace mlir;
using namespace dml;
using namespace dml::tosareader;

/// Returns `values`, one for each dimension, with `first` for the leading
/// dimensions of the physical shape.
static Shape extend(ArrayRef<int64_t> values, int64_t first) {
  Shape all(toPhysical(values).size() - values.size(), first);
  all.append(values.begin(), values.end());
  return all;
}

static Value convertConcat(Expression &e, tosa::ConcatOp op,
                           ValueRange operands) {
  SmallVector<Value> inputs;
  for (Value operand : operands)
    inputs.push_back(e.widenRank(operand));
  Shape shape = toPhysical(e.getResultShape());
  return e.build(
      "join", {{"inputs", inputs}},
      e.integer("axis",
                op.getAxis() + static_cast<int64_t>(shape.size() -
                                                    e.getResultShape().size())),
      shape, e.getResultDataType());
}

static Value convertPad(Expression &e, ValueRange operands) {
  auto padding = e.getIntegers(1, "its padding");
  TypedAttr value = e.getSplat(2, "its pad_const");
  if (!padding || !value)
    return {};
  size_t rank = e.getShape(operands[0]).size();
  if (padding->size() != 2 * rank ||
      llvm::any_of(*padding, [](int64_t count) { return count < 0; }))
    return e.refuse("its padding has a negative number, but wanted are "
                    "numbers of elements");
  Shape start, end;
  for (size_t dim = 0; dim < rank; ++dim) {
    start.push_back((*padding)[2 * dim]);
    end.push_back((*padding)[2 * dim + 1]);
  }
  SmallVector<NamedAttribute> attributes = {
      e.attr("mode", PaddingModeAttr::get(e.rewriter.getContext(),
                                          PaddingMode::constant)),
      e.ints("start_padding", extend(start, 0)),
      e.ints("end_padding", extend(end, 0))};
  // PADDING has the value as f32, and PADDING1 in the tensor's type.
  std::optional<float> asF32;
  Type element = getElementType(e.getResultDataType(), e.rewriter.getContext());
  if (auto number = dyn_cast<FloatAttr>(value)) {
    asF32 = static_cast<float>(number.getValueAsDouble());
  } else {
    auto integer = cast<IntegerAttr>(value).getValue();
    bool isSigned = !element.isUnsignedInteger();
    asF32 = asFloat(isSigned ? integer.getSExtValue()
                             : static_cast<int64_t>(integer.getZExtValue()));
    value = IntegerAttr::get(
        element, isSigned
                     ? integer.sextOrTrunc(element.getIntOrFloatBitWidth())
                     : integer.zextOrTrunc(element.getIntOrFloatBitWidth()));
  }
  if (asF32)
    attributes.push_back(e.number("padding_value", *asF32));
  else
    attributes.push_back(e.attr("padding_value", value));
  return e.build(asF32 ? "padding" : "padding1",
                 {{"input", e.widenRank(operands[0])}}, attributes,
                 toPhysical(e.getResultShape()), e.getResultDataType());
}

/// Returns the input. The result has the wanted shape in any case.
static Value convertReshape(Expression &, ValueRange operands) {
  return operands[0];
}

static Value convertReverse(Expression &e, tosa::ReverseOp op,
                            ValueRange operands) {
  Value x = e.widenRank(operands[0]);
  Shape shape(e.getShape(x)), strides(shape.size(), 1);
  strides[op.getAxis() + shape.size() - e.getResultShape().size()] = -1;
  return e.build("slice1", {{"input", x}},
                 {e.ints("input_window_offsets", Shape(shape.size(), 0)),
                  e.ints("input_window_sizes", shape),
                  e.ints("input_window_strides", strides)},
                 shape, e.getDataTypeOf(x));
}

static Value convertSlice(Expression &e, ValueRange operands) {
  auto start = e.getIntegers(1, "its start");
  auto size = e.getIntegers(2, "its size");
  if (!start || !size)
    return {};
  // The sizes of the result are those that count: -1 stands for all elements.
  Shape sizes = toPhysical(e.getResultShape());
  return e.build("slice", {{"input", e.widenRank(operands[0])}},
                 {e.ints("offsets", extend(*start, 0)), e.ints("sizes", sizes),
                  e.ints("strides", Shape(sizes.size(), 1))},
                 sizes, e.getResultDataType());
}

static Value convertTile(Expression &e, ValueRange operands) {
  Value x = e.widenRank(operands[0]);
  Shape shape = toPhysical(e.getResultShape()), repeats;
  if (!e.getIntegers(1, "its multiples"))
    return {};
  for (auto [from, to] : llvm::zip_equal(e.getShape(x), shape))
    repeats.push_back(to / from);
  return e.build("tile", {{"input", x}}, e.ints("repeats", repeats), shape,
                 e.getResultDataType());
}

static Value convertTranspose(Expression &e, tosa::TransposeOp op,
                              ValueRange operands) {
  return e.transpose(operands[0], SmallVector<int64_t>(op.getPerms().begin(),
                                                       op.getPerms().end()));
}

Value dml::tosareader::takeAlong(Expression &e, Value value, int64_t axis,
                                 ArrayRef<int64_t> places) {
  Shape shape(e.getShape(value)), of(shape.size(), 1);
  shape[axis] = of.back() = static_cast<int64_t>(places.size());
  return e.build(
      "gather",
      {{"input", value}, {"indices", e.constant(DataType::UINT32, places, of)}},
      {e.integer("axis", axis), e.integer("index_dimensions", 1)}, shape,
      e.getDataTypeOf(value));
}

/// Returns the indices {N, W} as unsigned integers. Indices are never negative,
/// since TOSA allows no index that is out of range.
static Value getIndices(Expression &e, Value indices, ArrayRef<int64_t> shape) {
  Shape of(e.getShape(indices));
  return e.spread(e.reshape(e.toUnsigned(indices), {1, of[0], of[1], 1}),
                  shape);
}

static Value convertGather(Expression &e, ValueRange operands) {
  Shape shape = toPhysical(e.getResultShape());
  Value values = e.widenRank(operands[0]);
  if (shape[1] == 1)
    return e.build("gather",
                   {{"input", values},
                    {"indices", e.reshape(e.toUnsigned(operands[1]),
                                          {1, 1, 1, shape[2]})}},
                   {e.integer("axis", 2), e.integer("index_dimensions", 1)},
                   shape, e.getResultDataType());
  return e.build(
      "gather_elements",
      {{"input", values}, {"indices", getIndices(e, operands[1], shape)}},
      e.integer("axis", 2), shape, e.getResultDataType());
}

static Value convertScatter(Expression &e, ValueRange operands) {
  Value updates = e.widenRank(operands[2]);
  return e.build("scatter_elements",
                 {{"input", e.widenRank(operands[0])},
                  {"indices", getIndices(e, operands[1], e.getShape(updates))},
                  {"updates", updates}},
                 e.integer("axis", 2), toPhysical(e.getResultShape()),
                 e.getResultDataType());
}

void dml::tosareader::addMovementRules(Rules &rules) {
  rules.add<tosa::ConcatOp>(convertConcat);
  rules.add<tosa::PadOp>(convertPad);
  rules.add<tosa::ReshapeOp>(convertReshape);
  rules.add<tosa::ReverseOp>(convertReverse);
  rules.add<tosa::SliceOp>(convertSlice);
  rules.add<tosa::TileOp>(convertTile);
  rules.add<tosa::TransposeOp>(convertTranspose);
  rules.add<tosa::GatherOp>(convertGather);
  rules.add<tosa::ScatterOp>(convertScatter);
}
