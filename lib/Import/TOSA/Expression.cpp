//===- Expression.cpp - From an operation to operators --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TOSA/Expression.h"
#include "dml/IR/Layout.h"
#include "dml/IR/ViewOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace dml;
using namespace dml::tosareader;

Shape dml::tosareader::toPhysical(ArrayRef<int64_t> shape) {
  constexpr size_t minRank = 4;
  Shape physical(minRank - std::min(minRank, shape.size()), 1);
  physical.append(shape.begin(), shape.end());
  return physical;
}

int64_t dml::tosareader::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::optional<float> dml::tosareader::asFloat(int64_t value) {
  auto rounded = static_cast<float>(value);
  // 2^63 is a float, but no integer of 64 bits.
  if (rounded >= 0x1p63f || static_cast<int64_t>(rounded) != value)
    return std::nullopt;
  return rounded;
}

Expression::Expression(Operation *op, ConversionPatternRewriter &rewriter,
                       bool ignoresNaNs)
    : rewriter(rewriter), op(op), loc(op->getLoc()),
      areNaNsIgnored(ignoresNaNs) {}

Value Expression::refuse(const Twine &why) {
  if (!wasRefused)
    op->emitOpError("cannot be expressed in DirectML: ") << why;
  wasRefused = true;
  return {};
}

//===----------------------------------------------------------------------===//
// Types and constants of the operation
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> Expression::getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The data type of elements of `type`. Truths are bytes.
static DataType getTypeOfElements(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger(1) ? DataType::UINT8 : *getDataType(element);
}

DataType Expression::getDataTypeOf(Value value) {
  return getTypeOfElements(value.getType());
}

ArrayRef<int64_t> Expression::getResultShape() const {
  return getShape(op->getResult(0));
}
DataType Expression::getResultDataType() const {
  return getDataTypeOf(op->getResult(0));
}

bool Expression::isFloat(DataType type) {
  return type == DataType::FLOAT16 || type == DataType::FLOAT32 ||
         type == DataType::FLOAT64;
}

std::optional<SmallVector<int64_t>> Expression::getIntegers(unsigned index,
                                                            StringRef what) {
  DenseElementsAttr elements;
  if (!matchPattern(op->getOperand(index), m_Constant(&elements)) ||
      !isa<IntegerType, IndexType>(elements.getElementType())) {
    (void)refuse(what + " is computed, but wanted is a constant");
    return std::nullopt;
  }
  SmallVector<int64_t> numbers;
  for (const APInt &number : elements.getValues<APInt>())
    numbers.push_back(number.getSExtValue());
  return numbers;
}

TypedAttr Expression::getSplat(unsigned index, StringRef what) {
  DenseElementsAttr elements;
  if (!matchPattern(op->getOperand(index), m_Constant(&elements)) ||
      !elements.isSplat()) {
    (void)refuse(what + " is computed, but wanted is a constant");
    return {};
  }
  return elements.getSplatValue<TypedAttr>();
}

std::optional<int64_t> Expression::getInteger(unsigned index, StringRef what) {
  TypedAttr number = getSplat(index, what);
  if (auto integer = dyn_cast_if_present<IntegerAttr>(number))
    return integer.getValue().getSExtValue();
  if (auto whole = dyn_cast_if_present<FloatAttr>(number)) {
    APSInt integer(64, /*isUnsigned=*/false);
    bool isExact = false;
    if (whole.getValue().convertToInteger(integer, APFloat::rmTowardZero,
                                          &isExact) == APFloat::opOK)
      return integer.getSExtValue();
    (void)refuse(what + " is " +
                 llvm::formatv("{0}", whole.getValueAsDouble()).str() +
                 ", but wanted is a whole number");
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

RankedTensorType Expression::getTensorType(ArrayRef<int64_t> shape,
                                           DataType type) const {
  return RankedTensorType::get(shape,
                               getElementType(type, rewriter.getContext()));
}

Value Expression::reshape(Value value, ArrayRef<int64_t> shape) {
  if (countElements(getShape(value)) != countElements(shape)) {
    (void)refuse("it shows " + Twine(countElements(getShape(value))) +
                 " elements as " + Twine(countElements(shape)));
    return tensor::EmptyOp::create(rewriter, loc, shape,
                                   getElementTypeOrSelf(value.getType()));
  }
  return getShape(value) == shape
             ? value
             : reader::reshape(rewriter, loc, value, shape);
}

Value Expression::view(Value value, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> strides) {
  return ViewOp::create(rewriter, loc,
                        getTensorType(shape, getDataTypeOf(value)), value,
                        strides);
}

Value Expression::transpose(Value value, ArrayRef<int64_t> order) {
  ArrayRef<int64_t> from = getShape(value);
  SmallVector<int64_t> packed = getPackedStrides(from);
  Shape shape, strides, moved;
  for (int64_t dim : order) {
    shape.push_back(from[dim]);
    strides.push_back(packed[dim]);
    if (from[dim] != 1)
      moved.push_back(dim);
  }
  // If only dimensions of size 1 move, no element changes its position.
  return llvm::is_sorted(moved) ? reshape(value, shape)
                                : view(value, shape, strides);
}

Value Expression::widenRank(Value value) {
  return reshape(value, toPhysical(getShape(value)));
}

Value Expression::spread(Value value, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> own = getShape(value);
  // Leading dimensions of size 1 may be more than the result has.
  while (own.size() > shape.size() && own.front() == 1)
    own = own.drop_front();
  Shape from(shape.size() - std::min(shape.size(), own.size()), 1);
  from.append(own.begin(), own.end());
  bool fits = from.size() == shape.size() &&
              llvm::all_of(llvm::zip_equal(from, shape), [](auto sizes) {
                return std::get<0>(sizes) == 1 ||
                       std::get<0>(sizes) == std::get<1>(sizes);
              });
  if (!fits) {
    (void)refuse("its operands do not broadcast to the shape of its result");
    return tensor::EmptyOp::create(rewriter, loc, shape,
                                   getElementTypeOrSelf(value.getType()));
  }
  value = reshape(value, from);
  if (from == Shape(shape))
    return value;
  SmallVector<int64_t> strides = getPackedStrides(from);
  for (auto [stride, fromSize, size] : llvm::zip_equal(strides, from, shape))
    if (fromSize != size)
      stride = 0;
  return view(value, shape, strides);
}

Value Expression::bitcast(Value value, DataType type) {
  RankedTensorType to = getTensorType(getShape(value), type);
  return value.getType() == to
             ? value
             : tensor::BitcastOp::create(rewriter, loc, to, value);
}

Value Expression::toUnsigned(Value value) {
  switch (getDataTypeOf(value)) {
  case DataType::INT8:
    return bitcast(value, DataType::UINT8);
  case DataType::INT16:
    return bitcast(value, DataType::UINT16);
  case DataType::INT32:
    return bitcast(value, DataType::UINT32);
  case DataType::INT64:
    return bitcast(value, DataType::UINT64);
  default:
    return value;
  }
}

/// Returns the signless integer type of the width of `type`, which constants
/// have.
static Type getSignless(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? IntegerType::get(type.getContext(), integer.getWidth())
                 : type;
}

Value Expression::constant(ElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getType());
  DataType dataType = getTypeOfElements(type);
  ElementsAttr signless = elements;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (type.getElementType().isInteger(1))
      signless = dense.mapValues(rewriter.getI8Type(),
                                 llvm::function_ref<APInt(const APInt &)>(
                                     [](const APInt &x) { return x.zext(8); }));
    else if (Type element = getSignless(type.getElementType());
             element != type.getElementType())
      signless = dense.bitcast(element);
  } else if (type.getElementType() != getSignless(type.getElementType()) ||
             type.getElementType().isInteger(1)) {
    (void)refuse("its elements are a resource of " +
                 llvm::Twine(stringifyDataType(dataType)) +
                 ", but wanted are elements in the module");
    signless = SplatElementsAttr::get(type.clone(rewriter.getI8Type()),
                                      rewriter.getI8IntegerAttr(0));
    dataType = DataType::UINT8;
  }
  return bitcast(arith::ConstantOp::create(rewriter, loc, signless), dataType);
}

Value Expression::splat(DataType type, int64_t number,
                        ArrayRef<int64_t> shape) {
  return constant(type, number, shape);
}

Value Expression::constant(DataType type, ArrayRef<int64_t> numbers,
                           ArrayRef<int64_t> shape) {
  Type element = getSignless(getElementType(type, rewriter.getContext()));
  auto tensor = RankedTensorType::get(shape, element);
  DenseElementsAttr elements;
  if (isa<FloatType>(element)) {
    assert(numbers.size() == 1 && "floats are equal");
    elements = DenseElementsAttr::get(
        tensor, FloatAttr::get(element, static_cast<double>(numbers[0])));
  } else {
    SmallVector<APInt> integers;
    for (int64_t number : numbers)
      integers.emplace_back(element.getIntOrFloatBitWidth(),
                            static_cast<uint64_t>(number),
                            /*isSigned=*/false, /*implicitTrunc=*/true);
    elements = DenseElementsAttr::get(tensor, integers);
  }
  return bitcast(arith::ConstantOp::create(rewriter, loc, elements), type);
}

Value Expression::splatFloat(DataType type, const APFloat &number,
                             ArrayRef<int64_t> shape) {
  auto tensor = getTensorType(shape, type);
  APFloat converted = number;
  bool losesInfo = false;
  converted.convert(
      cast<FloatType>(tensor.getElementType()).getFloatSemantics(),
      APFloat::rmNearestTiesToEven, &losesInfo);
  return arith::ConstantOp::create(rewriter, loc,
                                   DenseElementsAttr::get(tensor, converted));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value Expression::build(StringRef mnemonic, ArrayRef<reader::Operand> operands,
                        ArrayRef<NamedAttribute> attributes,
                        ArrayRef<int64_t> shape, DataType type) {
  RankedTensorType result = getTensorType(shape, type);
  OperationName name(("dml." + mnemonic).str(), rewriter.getContext());
  if (!wasRefused) {
    llvm::Expected<Operation *> built = reader::buildOperator(
        rewriter, loc, name, operands, attributes, result);
    if (built)
      return (*built)->getResult(0);
    (void)refuse("it becomes '" + name.getStringRef() +
                 "', which is refused: " + llvm::toString(built.takeError()));
  }
  return tensor::EmptyOp::create(rewriter, loc, shape, result.getElementType());
}

Value Expression::apply(StringRef mnemonic, Value input,
                        ArrayRef<NamedAttribute> attributes,
                        std::optional<DataType> type) {
  return build(mnemonic, {{"input", input}}, attributes, getShape(input),
               type.value_or(getDataTypeOf(input)));
}

Value Expression::combine(StringRef mnemonic, Value a, Value b,
                          std::optional<DataType> type) {
  return build(mnemonic, {{"a", a}, {"b", b}}, {}, getShape(a),
               type.value_or(getDataTypeOf(a)));
}

Value Expression::castTo(Value value, DataType type) {
  return getDataTypeOf(value) == type ? value : apply("cast", value, {}, type);
}

Value Expression::choose(Value condition, Value a, Value b) {
  return build("element_wise_if",
               {{"condition", condition}, {"a", a}, {"b", b}}, {}, getShape(a),
               getDataTypeOf(a));
}

Value Expression::isNaN(Value value) {
  return apply("element_wise_is_nan", value, {}, DataType::UINT8);
}

Value Expression::clip(Value value, int64_t low, int64_t high) {
  std::optional<float> min = asFloat(low), max = asFloat(high);
  if (min && max)
    return apply("element_wise_clip", value,
                 {number("min", *min), number("max", *max)});
  Type element = getElementTypeOrSelf(value.getType());
  auto bound = [&](int64_t number) {
    return IntegerAttr::get(element,
                            APInt(element.getIntOrFloatBitWidth(),
                                  static_cast<uint64_t>(number),
                                  /*isSigned=*/false, /*implicitTrunc=*/true));
  };
  return apply("element_wise_clip1", value,
               {attr("min", bound(low)), attr("max", bound(high))});
}

NamedAttribute Expression::attr(StringRef name, Attribute value) {
  return rewriter.getNamedAttr(name, value);
}
NamedAttribute Expression::ints(StringRef name, ArrayRef<int64_t> values) {
  return attr(name, rewriter.getDenseI64ArrayAttr(values));
}
NamedAttribute Expression::integer(StringRef name, int64_t value) {
  return attr(name, rewriter.getI64IntegerAttr(value));
}
NamedAttribute Expression::number(StringRef name, float value) {
  return attr(name, rewriter.getF32FloatAttr(value));
}
