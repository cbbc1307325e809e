//===- LoweringUtils.cpp - What the operators' lowerings share ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "dml/Conversion/JoinedElement.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;

Value ElementBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}
Value ElementBuilder::add(Value lhs, Value rhs) {
  return createOrFold<arith::AddIOp>(lhs, rhs);
}
Value ElementBuilder::sub(Value lhs, Value rhs) {
  return createOrFold<arith::SubIOp>(lhs, rhs);
}
Value ElementBuilder::mul(Value lhs, Value rhs) {
  return createOrFold<arith::MulIOp>(lhs, rhs);
}
Value ElementBuilder::divui(Value lhs, Value rhs) {
  return createOrFold<arith::DivUIOp>(lhs, rhs);
}
Value ElementBuilder::remui(Value lhs, Value rhs) {
  return createOrFold<arith::RemUIOp>(lhs, rhs);
}
Value ElementBuilder::minui(Value lhs, Value rhs) {
  return createOrFold<arith::MinUIOp>(lhs, rhs);
}
Value ElementBuilder::minsi(Value lhs, Value rhs) {
  return createOrFold<arith::MinSIOp>(lhs, rhs);
}
Value ElementBuilder::maxsi(Value lhs, Value rhs) {
  return createOrFold<arith::MaxSIOp>(lhs, rhs);
}
Value ElementBuilder::cmpi(arith::CmpIPredicate predicate, Value lhs,
                           Value rhs) {
  return createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}
Value ElementBuilder::andi(Value lhs, Value rhs) {
  return createOrFold<arith::AndIOp>(lhs, rhs);
}
Value ElementBuilder::select(Value condition, Value whenTrue, Value whenFalse) {
  return createOrFold<arith::SelectOp>(condition, whenTrue, whenFalse);
}

Value dml::toF32(ElementBuilder &b, Value element, bool isUnsigned) {
  Type f32 = b.getF32Type();
  if (isa<FloatType>(element.getType()))
    return element.getType() == f32
               ? element
               : b.createOrFold<arith::ExtFOp>(f32, element);
  return isUnsigned ? b.createOrFold<arith::UIToFPOp>(f32, element)
                    : b.createOrFold<arith::SIToFPOp>(f32, element);
}

Value dml::fromF32(ElementBuilder &b, Value value, Type type) {
  if (type == value.getType())
    return value;
  if (isa<FloatType>(type))
    return b.createOrFold<arith::TruncFOp>(type, value);
  // The result of an interpolation does not exceed the range of the type.
  // Adding 1.5 * 2^23 rounds the number to an integer, since larger f32 numbers
  // have no fraction, and leaves the integer in the low bits. GPUs add many
  // times faster than they round and convert.
  Value shift = arith::ConstantOp::create(b, b.getF32FloatAttr(0x1.8p23f));
  value = b.createOrFold<arith::AddFOp>(value, shift);
  value = b.createOrFold<arith::BitcastOp>(b.getI32Type(), value);
  return b.createOrFold<arith::TruncIOp>(type, value);
}

Value dml::buildTensor(OpBuilder &builder, Operation *op, RankedTensorType type,
                       ElementFn element) {
  Location loc = op->getLoc();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps = {
      builder.getMultiDimIdentityMap(type.getRank())};
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, /*inputs=*/ValueRange(), /*outputs=*/empty, maps,
      iterators, [&](OpBuilder &nested, Location nestedLoc, ValueRange) {
        ElementBuilder b(nestedLoc, nested);
        SmallVector<Value> indices;
        for (auto [dim, size] : llvm::enumerate(type.getShape()))
          indices.push_back(size == 1 ? b.index(0)
                                      : Value(linalg::IndexOp::create(b, dim)));
        linalg::YieldOp::create(b, element(b, indices));
      });
  generic->setAttr(labelAttrName,
                   builder.getStringAttr(op->getName().getStringRef()));
  return generic.getResult(0);
}

LogicalResult dml::replaceWithTensor(Operation *op,
                                     const TypeConverter &typeConverter,
                                     ConversionPatternRewriter &rewriter,
                                     ElementFn element) {
  auto type =
      typeConverter.convertType<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "result type does not convert");
  rewriter.replaceOp(op, buildTensor(rewriter, op, type, element));
  return success();
}

LogicalResult dml::replaceWithTensors(
    Operation *op, const TypeConverter &typeConverter,
    ConversionPatternRewriter &rewriter,
    ArrayRef<std::function<Value(ElementBuilder &, ValueRange)>> elements) {
  SmallVector<Value> results;
  for (auto [result, element] : llvm::zip_equal(op->getResults(), elements)) {
    auto type = typeConverter.convertType<RankedTensorType>(result.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "result type does not convert");
    results.push_back(buildTensor(rewriter, op, type, element));
  }
  rewriter.replaceOp(op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// Constants and indices
//===----------------------------------------------------------------------===//

TypedAttr dml::convertScalar(float value, Type elementType, Type loweredType) {
  llvm::APFloat number(value);
  bool losesInfo;
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    number.convert(floatType.getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return convertScalar(FloatAttr::get(elementType, number), loweredType);
  }
  // convertToInteger() saturates, and returns 0 for NaN.
  llvm::APSInt integer(elementType.getIntOrFloatBitWidth(),
                       elementType.isUnsignedInteger());
  number.convertToInteger(integer, llvm::APFloat::rmTowardZero, &losesInfo);
  return IntegerAttr::get(loweredType, integer);
}

TypedAttr dml::convertScalar(TypedAttr value, Type loweredType) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (isa<FloatType>(loweredType))
      return number;
    return IntegerAttr::get(loweredType, number.getValue().bitcastToAPInt());
  }
  return IntegerAttr::get(loweredType, cast<IntegerAttr>(value).getValue());
}

DataIndex dml::readIndex(ElementBuilder &b, Value element, Type type,
                         int64_t size) {
  using Predicate = arith::CmpIPredicate;
  // The index is compared as 32-bit words, which every device supports: a low
  // word and, for 64-bit indices, a high word.
  Type i32 = b.getI32Type();
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, IntegerAttr::get(i32, APInt(32, static_cast<uint64_t>(value),
                                       /*isSigned=*/false,
                                       /*implicitTrunc=*/true)));
  };
  Value low = element, high;
  if (type.isInteger(64)) {
    low = b.createOrFold<arith::TruncIOp>(i32, element);
    Value shift = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    high = b.createOrFold<arith::TruncIOp>(
        i32, b.createOrFold<arith::ShRUIOp>(element, shift));
  }
  Value isValid = b.cmpi(Predicate::ult, low, word(size));
  Value result = low;
  if (high) {
    Value isLow = b.cmpi(Predicate::eq, high, word(0));
    isValid = b.andi(isValid, isLow);
    result = b.select(isLow, low, word(-1));
  }
  if (!type.isUnsignedInteger()) {
    Value isNegative = b.cmpi(Predicate::slt, high ? high : low, word(0));
    // The numbers -size to -1 as unsigned numbers.
    Value isNear = b.cmpi(Predicate::uge, low, word(-size));
    if (high)
      isNear = b.andi(isNear, b.cmpi(Predicate::eq, high, word(-1)));
    Value fromEnd = b.select(
        isNear, b.createOrFold<arith::AddIOp>(low, word(size)), word(0));
    // As an unsigned number, a negative number can be less than a large size.
    isValid = b.select(isNegative, isNear, isValid);
    result = b.select(isNegative, fromEnd, result);
  }
  result = b.createOrFold<arith::MinUIOp>(result, word(size - 1));
  return {b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), result),
          isValid};
}

SmallVector<Value> dml::delinearize(ElementBuilder &b, Value place,
                                    ArrayRef<int64_t> sizes) {
  SmallVector<Value> coordinates(sizes.size(), b.index(0));
  // The first dimension with more than one element receives the remaining
  // quotient.
  int64_t first = 0, rank = sizes.size();
  while (first < rank && sizes[first] == 1)
    ++first;
  for (int64_t dim = rank - 1; dim > first; --dim) {
    if (sizes[dim] == 1)
      continue;
    coordinates[dim] = b.remui(place, sizes[dim]);
    place = b.divui(place, sizes[dim]);
  }
  if (first < rank)
    coordinates[first] = place;
  return coordinates;
}

Value dml::linearize(ElementBuilder &b, ValueRange coordinates,
                     ArrayRef<int64_t> sizes) {
  Value place = b.index(0);
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, sizes))
    place = b.add(b.mul(place, size), coordinate);
  return place;
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

static RankedTensorType getJoinedType(ArrayRef<Value> inputs, int64_t axis) {
  auto type = cast<RankedTensorType>(inputs.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  for (Value input : inputs.drop_front())
    shape[axis] += cast<RankedTensorType>(input.getType()).getDimSize(axis);
  return type.clone(shape);
}

/// Concatenates `inputs` with kernels that read only a few of them, in rounds.
/// Each round moves each element at most once. The number of rounds is the
/// logarithm of the number of inputs to base 3.
static Value buildMovedJoin(OpBuilder &builder, Operation *op,
                            ArrayRef<Value> inputs, int64_t axis) {
  SmallVector<Value> parts(inputs);
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    size_t kernels = llvm::divideCeil(parts.size(), maxJoinedInputs);
    for (size_t i = 0; i < kernels; ++i) {
      // Divides the inputs into groups of about equal size.
      size_t begin = i * parts.size() / kernels,
             end = (i + 1) * parts.size() / kernels;
      ArrayRef<Value> some = ArrayRef(parts).slice(begin, end - begin);
      joined.push_back(
          some.size() == 1
              ? some.front()
              : buildTensor(builder, op, getJoinedType(some, axis),
                            [&](ElementBuilder &b, ValueRange indices) {
                              return buildJoinedElement(b, some, axis, indices);
                            }));
    }
    parts = joined;
  }
  return parts.front();
}

Value dml::buildJoin(OpBuilder &builder, Operation *op, ValueRange inputs,
                     int64_t axis) {
  SmallVector<Value> parts(inputs);
  RankedTensorType type = getJoinedType(parts, axis);
  int64_t inner = type.getElementTypeBitWidth();
  for (int64_t size : type.getShape().drop_front(axis + 1))
    inner *= size;
  int64_t outer = llvm::product_of(type.getShape().take_front(axis));

  // If an input begins inside of a 32-bit word, which two kernels must not
  // write, it is combined with the preceding inputs.
  constexpr int64_t wordBits = 32;
  bool isAligned = outer == 1 || type.getDimSize(axis) * inner % wordBits == 0;
  SmallVector<Value> placed, group;
  int64_t end = 0;
  for (Value part : parts) {
    group.push_back(part);
    end += cast<RankedTensorType>(part.getType()).getDimSize(axis);
    if (end < type.getDimSize(axis) &&
        !(isAligned && end * inner % wordBits == 0))
      continue;
    placed.push_back(buildMovedJoin(builder, op, group, axis));
    group.clear();
  }
  if (placed.size() == 1)
    return placed.front();

  // Inserts each input at its place.
  Location loc = op->getLoc();
  Value joined = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                         type.getElementType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1));
  int64_t start = 0;
  for (Value part : placed) {
    auto partType = cast<RankedTensorType>(part.getType());
    offsets[axis] = builder.getIndexAttr(start);
    joined = tensor::InsertSliceOp::create(
        builder, loc, part, joined, offsets,
        getAsIndexOpFoldResult(builder.getContext(), partType.getShape()),
        strides);
    start += partType.getDimSize(axis);
  }
  return joined;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns the number of points in `sizes`, or INT64_MAX if it overflows.
static int64_t countPoints(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count = llvm::MulOverflow(count, size, count) ? INT64_MAX : count;
  return count;
}

SmallVector<Value>
dml::buildLoops(ElementBuilder &b, ArrayRef<int64_t> sizes, ValueRange init,
                llvm::function_ref<SmallVector<Value>(ElementBuilder &,
                                                      ValueRange, ValueRange)>
                    body,
                int64_t maxWrittenOut) {
  int64_t count = countPoints(sizes);
  SmallVector<Value> carried(init);
  if (count <= maxWrittenOut) {
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Value> coordinates(sizes.size());
      int64_t rest = i;
      for (size_t dim = sizes.size(); dim-- > 0; rest /= sizes[dim])
        coordinates[dim] = b.index(rest % sizes[dim]);
      carried = body(b, coordinates, carried);
    }
    return carried;
  }
  // Dimensions of size 1 need no loop.
  SmallVector<Value> lower, upper, steps;
  for (int64_t size : sizes)
    if (size > 1) {
      lower.push_back(b.index(0));
      upper.push_back(b.index(size));
      steps.push_back(b.index(1));
    }
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), lower, upper, steps, carried,
      [&](OpBuilder &nested, Location loc, ValueRange induction,
          ValueRange carried) -> scf::ValueVector {
        ElementBuilder inner(loc, nested);
        SmallVector<Value> coordinates;
        for (int64_t size : sizes) {
          coordinates.push_back(size > 1 ? induction.front() : inner.index(0));
          induction = induction.drop_front(size > 1);
        }
        SmallVector<Value> next = body(inner, coordinates, carried);
        return scf::ValueVector(next.begin(), next.end());
      });
  return SmallVector<Value>(nest.results);
}

int64_t dml::getNumPartials(int64_t outputs, int64_t count) {
  // A single step processes at most 1024 elements in each thread, which keeps
  // loops short. A single step suffices if all threads of a device have work.
  constexpr int64_t maxCount = 1024;
  if (count <= 64 ||
      (outputs >= DeviceSpeed::enoughThreads && count <= maxCount))
    return 1;
  // With about the square root of the count as the number of partial results,
  // both steps are short. More partial results are used if few outputs would
  // leave the device idle.
  auto partials = static_cast<int64_t>(
      llvm::bit_ceil(static_cast<uint64_t>(std::sqrt(count))));
  partials = std::max(partials, llvm::divideCeilSigned(count, maxCount));
  return std::min(partials, count);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

size_t dml::getNumWrittenOut(ArrayRef<int64_t> sizes) {
  size_t count = 0;
  while (count < sizes.size() &&
         countPoints(sizes.take_back(count + 1)) <= maxTermsWrittenOut)
    ++count;
  return count;
}

PartialSpace::PartialSpace(RankedTensorType type, ArrayRef<int64_t> sizes,
                           int64_t sharers)
    : sizes(sizes), parts(sizes.size(), 1), lengths(sizes) {
  // A thread executes the loops of as many elements as fit into 16 bytes. If
  // there are several loops, the loops around the innermost one add at most as
  // many iterations again. Where several threads share an element, they share
  // the terms, too.
  int64_t perThread =
      std::max<int64_t>(128 / type.getElementTypeBitWidth() / sharers, 1);
  ArrayRef<int64_t> looped = ArrayRef(sizes).drop_back(getNumWrittenOut(sizes));
  int64_t maxPoints = 32768 / ((looped.size() > 1 ? 2 : 1) * perThread);
  int64_t wanted = llvm::divideCeilSigned(countPoints(looped), maxPoints);
  // Partial sums with fewer terms in each thread are not worth the second step.
  int64_t minTerms = 64 * sharers;
  wanted = std::max(
      wanted, std::min(llvm::divideCeilSigned(DeviceSpeed::enoughThreads,
                                              type.getNumElements() * sharers),
                       countPoints(sizes) / minTerms));
  for (size_t dim = 0; dim < looped.size() && wanted > 1; ++dim) {
    int64_t size = sizes[dim], count = std::min(wanted, size);
    // Parts of equal length need no condition.
    for (int64_t even = count; even <= std::min(size, 2 * count); ++even)
      if (size % even == 0) {
        count = even;
        break;
      }
    lengths[dim] = llvm::divideCeilSigned(size, count);
    parts[dim] = llvm::divideCeilSigned(size, lengths[dim]);
    wanted = llvm::divideCeilSigned(wanted, parts[dim]);
  }
}

int64_t PartialSpace::getNumParts() const { return llvm::product_of(parts); }

SmallVector<Value> PartialSpace::buildLoops(
    ElementBuilder &b, Value part, ValueRange init,
    llvm::function_ref<SmallVector<Value>(ElementBuilder &, ValueRange, Value,
                                          ValueRange)>
        body) const {
  // The first coordinate of the part in each dimension.
  SmallVector<Value> first(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;)
    if (parts[dim] > 1) {
      first[dim] = b.mul(b.remui(part, parts[dim]), lengths[dim]);
      part = b.divui(part, parts[dim]);
    }
  size_t numInner = getNumWrittenOut(sizes), numOuter = sizes.size() - numInner;
  return dml::buildLoops(
      b, ArrayRef(lengths).take_front(numOuter), init,
      [&](ElementBuilder &b, ValueRange outer, ValueRange carried) {
        SmallVector<Value> coordinates(outer);
        Value isInside;
        for (size_t dim = 0; dim < numOuter; ++dim) {
          if (!first[dim])
            continue;
          Value coordinate = b.add(first[dim], coordinates[dim]);
          if (parts[dim] * lengths[dim] != sizes[dim]) {
            Value inside = b.cmpi(arith::CmpIPredicate::ult, coordinate,
                                  b.index(sizes[dim]));
            isInside = isInside ? b.andi(isInside, inside) : inside;
            coordinate = b.minui(coordinate, b.index(sizes[dim] - 1));
          }
          coordinates[dim] = coordinate;
        }
        return dml::buildLoops(
            b, ArrayRef(lengths).drop_front(numOuter), carried,
            [&](ElementBuilder &b, ValueRange inner, ValueRange carried) {
              SmallVector<Value> point(coordinates);
              llvm::append_range(point, inner);
              return body(b, point, isInside, carried);
            },
            maxTermsWrittenOut);
      },
      // Loops with few iterations are unrolled as well if this leaves few
      // terms.
      std::max<int64_t>(maxTermsWrittenOut /
                            countPoints(ArrayRef(lengths).drop_front(numOuter)),
                        1));
}

static Value buildAddition(ElementBuilder &b, Value lhs, Value rhs) {
  return isa<FloatType>(lhs.getType()) ? b.createOrFold<arith::AddFOp>(lhs, rhs)
                                       : b.add(lhs, rhs);
}

Value dml::buildParts(
    OpBuilder &builder, Operation *op, RankedTensorType type, int64_t numParts,
    llvm::function_ref<Value(ElementBuilder &, Value, ValueRange)> build) {
  if (numParts == 1)
    return buildTensor(builder, op, type,
                       [&](ElementBuilder &b, ValueRange indices) {
                         return build(b, Value(), indices);
                       });
  SmallVector<int64_t> shape = {numParts};
  llvm::append_range(shape, type.getShape());
  return buildTensor(builder, op, type.clone(shape),
                     [&](ElementBuilder &b, ValueRange indices) {
                       return build(b, indices.front(), indices.drop_front());
                     });
}

Value dml::readPart(ElementBuilder &b, Value parts, Value part,
                    ValueRange indices) {
  SmallVector<Value> coordinates = {part};
  llvm::append_range(coordinates, indices);
  return tensor::ExtractOp::create(b, parts, coordinates);
}

/// Returns `sum` + `term`. If `term` is a product of f32, it is fused with the
/// addition, which halves the number of operations and rounds only once. The
/// same applies to a product that a select replaces by 0 under some condition.
static Value addTerm(ElementBuilder &b, Value sum, Value term) {
  auto select = term.getDefiningOp<arith::SelectOp>();
  bool isGuarded =
      select && matchPattern(select.getFalseValue(), m_PosZeroFloat());
  auto product =
      (isGuarded ? select.getTrueValue() : term).getDefiningOp<arith::MulFOp>();
  if (!product || !product.getType().isF32())
    return buildAddition(b, sum, term);
  Value fused = math::FmaOp::create(b, product.getLhs(), product.getRhs(), sum);
  return isGuarded ? b.select(select.getCondition(), fused, sum) : fused;
}

using PrepareFn = llvm::function_ref<TermFn(ElementBuilder &, ValueRange)>;
using FinishSumFn =
    llvm::function_ref<Value(ElementBuilder &, ValueRange, Value)>;

/// Builds sums over the points of `space`.
static Value buildSumsOf(const PartialSpace &space, OpBuilder &builder,
                         Operation *op, RankedTensorType type, Type sumType,
                         PrepareFn prepare, FinishSumFn finish) {
  auto buildPart = [&](ElementBuilder &b, Value part, ValueRange indices) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
    TermFn build = prepare(b, indices);
    return space.buildLoops(b, part, zero,
                            [&](ElementBuilder &b, ValueRange point,
                                Value isInside,
                                ValueRange carried) -> SmallVector<Value> {
                              Value term = build(b, point);
                              Value sum = addTerm(b, carried[0], term);
                              if (isInside)
                                sum = b.select(isInside, sum, carried[0]);
                              return {sum};
                            })[0];
  };
  int64_t numParts = space.getNumParts();
  if (numParts == 1)
    return buildParts(builder, op, type, numParts,
                      [&](ElementBuilder &b, Value part, ValueRange indices) {
                        return finish(b, indices, buildPart(b, part, indices));
                      });
  Value partial =
      buildParts(builder, op, RankedTensorType::get(type.getShape(), sumType),
                 numParts, buildPart);
  return buildSums(
      builder, op, type, numParts, sumType,
      [&](ElementBuilder &, ValueRange indices) -> TermFn {
        return [=, outer = SmallVector<Value>(indices)](ElementBuilder &b,
                                                        ValueRange part) {
          return readPart(b, partial, part.front(), outer);
        };
      },
      finish);
}

Value dml::buildSums(OpBuilder &builder, Operation *op, RankedTensorType type,
                     ArrayRef<int64_t> sizes, Type sumType, PrepareFn prepare,
                     FinishSumFn finish, int64_t sharers) {
  return buildSumsOf(PartialSpace(type, sizes, sharers), builder, op, type,
                     sumType, prepare, finish);
}

//===----------------------------------------------------------------------===//
// Hits
//===----------------------------------------------------------------------===//

/// Builds a tensor of the unsigned integer type `type`. Each element is the
/// maximum of `build` over all points of `sizes`.
static Value
buildMaxima(OpBuilder &builder, Operation *op, RankedTensorType type,
            ArrayRef<int64_t> sizes,
            llvm::function_ref<Value(ElementBuilder &, ValueRange indices,
                                     ValueRange point)>
                build) {
  PartialSpace space(type, sizes);
  auto buildPart = [&](ElementBuilder &b, Value part, ValueRange indices) {
    Value zero =
        arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
    // A point outside of the space repeats a point inside, which does not
    // change the maximum.
    return space.buildLoops(b, part, zero,
                            [&](ElementBuilder &b, ValueRange point, Value,
                                ValueRange carried) -> SmallVector<Value> {
                              return {b.createOrFold<arith::MaxUIOp>(
                                  carried[0], build(b, indices, point))};
                            })[0];
  };
  int64_t numParts = space.getNumParts();
  Value partial = buildParts(builder, op, type, numParts, buildPart);
  if (numParts == 1)
    return partial;
  return buildMaxima(
      builder, op, type, numParts,
      [&](ElementBuilder &b, ValueRange indices, ValueRange part) {
        return readPart(b, partial, part.front(), indices);
      });
}

Value dml::buildLastHits(
    OpBuilder &builder, Operation *op, ArrayRef<int64_t> shape, int64_t count,
    llvm::function_ref<Value(ElementBuilder &, ValueRange, Value)> isHit) {
  // The numbers of a row are unrolled, and a loop runs over the rows.
  constexpr int64_t maxColumns = 16;
  int64_t columns = std::min(count, maxColumns),
          rows = llvm::divideCeilSigned(count, columns);
  Type i32 = builder.getI32Type();
  return buildMaxima(
      builder, op, RankedTensorType::get(shape, i32), {rows, columns},
      [&](ElementBuilder &b, ValueRange place, ValueRange point) {
        Value number = b.add(b.mul(point[0], columns), point[1]);
        // Numbers beyond the last one are replaced by the last one.
        if (rows * columns != count)
          number = b.minui(number, b.index(count - 1));
        Value next =
            b.createOrFold<arith::IndexCastUIOp>(i32, b.add(number, 1));
        Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
        return b.select(isHit(b, place, number), next, none);
      });
}

std::pair<Value, Value> dml::readLastHit(ElementBuilder &b, Value hits,
                                         ValueRange place, int64_t count) {
  Value hit = tensor::ExtractOp::create(b, hits, place);
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value exists = b.cmpi(arith::CmpIPredicate::ne, hit, none);
  Value number = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), hit);
  number =
      b.sub(b.createOrFold<arith::MaxUIOp>(number, b.index(1)), b.index(1));
  return {exists, b.minui(number, b.index(count - 1))};
}

bool dml::isSplat(Value value) {
  SplatElementsAttr elements;
  return matchPattern(value, m_Constant(&elements));
}

Value dml::flatten(OpBuilder &builder, Location loc, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (rank == 1)
    return tensor;
  return tensor::CollapseShapeOp::create(
      builder, loc, tensor,
      SmallVector<ReassociationIndices>{llvm::to_vector(llvm::seq(rank))});
}
