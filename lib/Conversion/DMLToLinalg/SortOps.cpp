//===- SortOps.cpp - DirectML's selections to linalg ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels compute elements from coordinates, and cannot write to computed
// places. Therefore no element is moved to its place in the sorted order;
// instead, each place searches for its element. The lengths of all loops depend
// only on sizes.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SortOps.h"
#include "ScanBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;
using Predicate = arith::CmpIPredicate;

/// Returns the integer constant `bits` of `type`. High bits are dropped.
static Value getConstant(ElementBuilder &b, Type type, uint64_t bits) {
  return arith::ConstantOp::create(
      b, IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), bits,
                                      /*isSigned=*/false,
                                      /*implicitTrunc=*/true)));
}

/// Converts the unsigned integer `word`, which may come from data, to a
/// coordinate in a dimension of `size` elements.
static Value toCoordinate(ElementBuilder &b, Value word, int64_t size) {
  return b.minui(b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), word),
                 b.index(size - 1));
}

/// Returns the number of steps of a binary search among `count` places.
static int64_t getNumHalvings(int64_t count) {
  return llvm::Log2_64_Ceil(count);
}

/// Builds a binary search, among the unsigned i32 numbers from `low` to `high`,
/// for the first number for which `isBefore` is false, or `high` if it is true
/// for all numbers below. `isBefore` must be false for all numbers behind the
/// first such number, and is not called for `high`. There are at most `count`
/// numbers.
static Value buildSearch(
    ElementBuilder &b, Value low, Value high, int64_t count,
    llvm::function_ref<Value(ElementBuilder &b, Value number)> isBefore) {
  return buildLoops(
      b, getNumHalvings(count), {low, high},
      [&](ElementBuilder &b, ValueRange,
          ValueRange bounds) -> SmallVector<Value> {
        Value one = getConstant(b, b.getI32Type(), 1);
        Value half =
            b.createOrFold<arith::ShRUIOp>(b.sub(bounds[1], bounds[0]), one);
        Value middle = b.createOrFold<arith::AddIOp>(bounds[0], half);
        // The bounds do not change after they have met.
        Value isOpen = b.cmpi(Predicate::ult, bounds[0], bounds[1]);
        Value before = isBefore(b, middle);
        return {b.select(b.andi(isOpen, before),
                         b.createOrFold<arith::AddIOp>(middle, one), bounds[0]),
                b.select(before, bounds[1], middle)};
      },
      /*maxWrittenOut=*/1)[0];
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

namespace {
/// An element of a line: its key, and its place as an unsigned i32.
struct Entry {
  Value key, place;
};

/// Selects the first elements of each line in some order. Each line is divided
/// into short lists, in which the rank of each element is computed by counting
/// the elements before it. The lists are then merged in pairs, with one kernel
/// for each round, until a single list is left. Lists keep only as many
/// elements as are selected.
class Selection {
public:
  Selection(OpBuilder &builder, Operation *op, Value input, int64_t axis,
            int64_t k, bool isDecreasing)
      : builder(builder), op(op),
        type(cast<RankedTensorType>(op->getOperand(0).getType())), axis(axis),
        size(type.getDimSize(axis)), k(k),
        keys(buildKeys(input, isDecreasing)) {}

  /// Builds the tensor of the places, as unsigned i32, of the selected
  /// elements.
  Value build();

private:
  Value buildKeys(Value input, bool isDecreasing);
  Value buildRanks(int64_t length);
  Value buildLists(Value ranks, int64_t length, int64_t kept);
  Value buildMerge(Value lists, int64_t count, int64_t length, int64_t kept);

  /// Builds a tensor of i32 with `lengthOfLines` elements in each line.
  Value build(int64_t lengthOfLines, ElementFn element) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = lengthOfLines;
    return buildTensor(builder, op,
                       RankedTensorType::get(shape, builder.getI32Type()),
                       element);
  }
  /// Loads the element of `tensor` at `place` of the line that contains
  /// `indices`.
  Value load(ElementBuilder &b, Value tensor, ValueRange indices,
             Value place) const {
    SmallVector<Value> at(indices);
    at[axis] = place;
    return tensor::ExtractOp::create(b, tensor, at);
  }
  /// Divides a line into `count` parts of `length` places. Returns the part
  /// that contains `place`, and the place within the part.
  static std::pair<Value, Value> split(ElementBuilder &b, Value place,
                                       int64_t count, int64_t length) {
    if (count == 1)
      return {b.index(0), place};
    return {b.divui(place, length), b.remui(place, length)};
  }
  /// Returns the place that represents no element.
  Value getNone(ElementBuilder &b) const {
    return getConstant(b, b.getI32Type(), size);
  }
  /// Whether one element comes before another one. Two elements are never
  /// equal, since they have different places. The place that represents no
  /// element comes last.
  Value precedes(ElementBuilder &b, Entry lhs, Entry rhs) const {
    Value first = b.cmpi(Predicate::ult, lhs.place, rhs.place);
    Value tie = b.andi(b.cmpi(Predicate::eq, lhs.key, rhs.key), first);
    return b.createOrFold<arith::OrIOp>(
        b.cmpi(Predicate::ult, lhs.key, rhs.key), tie);
  }

  OpBuilder &builder;
  Operation *op;
  RankedTensorType type;
  int64_t axis, size, k;
  Value keys;
};
} // namespace

/// Builds unsigned integers that are in the wanted order of the elements.
/// Comparisons of these integers do not depend on a device's treatment of NaNs
/// and denormals.
Value Selection::buildKeys(Value input, bool isDecreasing) {
  Type elementType = type.getElementType();
  unsigned width = elementType.getIntOrFloatBitWidth();
  Type keyType = builder.getIntegerType(width > 32 ? 64 : 32);
  return buildTensor(
      builder, op, type.clone(keyType),
      [&](ElementBuilder &b, ValueRange indices) -> Value {
        Value element = tensor::ExtractOp::create(b, input, indices);
        auto constant = [&](uint64_t bits) {
          return getConstant(b, keyType, bits);
        };
        if (auto floatType = dyn_cast<FloatType>(elementType)) {
          Value bits = toBits(b, element).value;
          uint64_t signBit = uint64_t(1) << (width - 1);
          Value sign = constant(signBit);
          Value magnitude = b.andi(bits, constant(signBit - 1));
          Value isNegative = b.cmpi(Predicate::uge, bits, sign);
          // Zeros of either sign lie in the middle.
          Value above = b.createOrFold<arith::AddIOp>(sign, magnitude);
          Value below = b.createOrFold<arith::SubIOp>(sign, magnitude);
          Value key = isDecreasing ? b.select(isNegative, above, below)
                                   : b.select(isNegative, below, above);
          uint64_t infinity = APFloat::getInf(floatType.getFloatSemantics())
                                  .bitcastToAPInt()
                                  .getZExtValue();
          Value isNaN = b.cmpi(Predicate::ugt, magnitude, constant(infinity));
          return b.select(isNaN, constant(~uint64_t(0)), key);
        }
        Number number = toNumber(b, element, elementType);
        uint64_t flipped = isDecreasing ? ~uint64_t(0) : 0;
        if (!number.isUnsigned)
          flipped ^= uint64_t(1) << (keyType.getIntOrFloatBitWidth() - 1);
        return b.createOrFold<arith::XOrIOp>(number.value, constant(flipped));
      });
}

/// Builds, for each element, the number of elements before it in its list.
Value Selection::buildRanks(int64_t length) {
  return build(size, [&](ElementBuilder &b, ValueRange indices) -> Value {
    Type i32 = b.getI32Type();
    auto getEntry = [&](ElementBuilder &b, Value place) {
      return Entry{load(b, keys, indices, place),
                   b.createOrFold<arith::IndexCastUIOp>(i32, place)};
    };
    Value list =
        split(b, indices[axis], llvm::divideCeilSigned(size, length), length)
            .first;
    Value begin = b.mul(list, length);
    Entry self = getEntry(b, indices[axis]);
    return buildLoops(
        b, length, getConstant(b, i32, 0),
        [&](ElementBuilder &b, ValueRange step,
            ValueRange count) -> SmallVector<Value> {
          Value place = b.add(begin, step[0]);
          // Places beyond the end of a line read the last element again, which
          // counts only once.
          Value exists;
          if (size % length != 0) {
            exists = b.cmpi(Predicate::ult, place, b.index(size));
            place = b.minui(place, b.index(size - 1));
          }
          Value before = precedes(b, getEntry(b, place), self);
          if (exists)
            before = b.andi(exists, before);
          return {b.createOrFold<arith::AddIOp>(
              count[0], b.createOrFold<arith::ExtUIOp>(i32, before))};
        })[0];
  });
}

/// Builds the places of the first `kept` elements of each list, one list after
/// the other.
Value Selection::buildLists(Value ranks, int64_t length, int64_t kept) {
  int64_t count = llvm::divideCeilSigned(size, length);
  return build(
      count * kept, [&](ElementBuilder &b, ValueRange indices) -> Value {
        Type i32 = b.getI32Type();
        auto [list, number] = split(b, indices[axis], count, kept);
        Value begin = b.mul(list, length);
        Value rank = b.createOrFold<arith::IndexCastUIOp>(i32, number);
        return buildLoops(
            b, length, getNone(b),
            [&](ElementBuilder &b, ValueRange step,
                ValueRange found) -> SmallVector<Value> {
              Value place = b.add(begin, step[0]);
              Value exists;
              if (size % length != 0) {
                exists = b.cmpi(Predicate::ult, place, b.index(size));
                place = b.minui(place, b.index(size - 1));
              }
              Value isIt =
                  b.cmpi(Predicate::eq, load(b, ranks, indices, place), rank);
              if (exists)
                isIt = b.andi(exists, isIt);
              return {b.select(isIt,
                               b.createOrFold<arith::IndexCastUIOp>(i32, place),
                               found[0])};
            })[0];
      });
}

/// Merges `count` lists of `length` places in pairs, and keeps the first `kept`
/// elements of each pair. Each element of a merged list searches for the number
/// of preceding elements that come from the first list of the pair.
Value Selection::buildMerge(Value lists, int64_t count, int64_t length,
                            int64_t kept) {
  int64_t merged = llvm::divideCeilSigned(count, 2);
  return build(merged * kept, [&](ElementBuilder &b, ValueRange indices) {
    Type i32 = b.getI32Type();
    auto [pair, place] = split(b, indices[axis], merged, kept);
    Value number = b.createOrFold<arith::IndexCastUIOp>(i32, place);
    Value limit = getConstant(b, i32, length);
    // Loads the entry at place `at`, an i32, of one list of the pair.
    auto getEntry = [&, pair = pair](ElementBuilder &b, bool isSecond,
                                     Value at) {
      Value list = b.add(b.mul(pair, 2), isSecond ? 1 : 0);
      Value isThere;
      if (isSecond && count % 2 != 0) {
        isThere = b.cmpi(Predicate::ult, list, b.index(count));
        list = b.minui(list, b.index(count - 1));
      }
      Value place =
          load(b, lists, indices,
               b.add(b.mul(list, length), toCoordinate(b, at, length)));
      if (isThere)
        place = b.select(isThere, place, getNone(b));
      Value key = load(b, keys, indices, toCoordinate(b, place, size));
      // A place without an element has the last key.
      Value exists = b.cmpi(Predicate::ult, place, getNone(b));
      Value last = getConstant(b, key.getType(), ~uint64_t(0));
      return Entry{b.select(exists, key, last), place};
    };
    Value one = getConstant(b, i32, 1);
    // Each of the two lists has at most `length` elements.
    Value low = b.sub(number, b.minui(number, limit));
    Value high = b.minui(number, limit);
    Value fromFirst = buildSearch(
        b, low, high, length + 1, [&](ElementBuilder &b, Value fromFirst) {
          // After the end of the search, the result of the comparison does not
          // matter, but the compared elements must exist.
          Value fromSecond = b.createOrFold<arith::MaxUIOp>(
              b.sub(number, b.minui(fromFirst, number)), one);
          return precedes(b, getEntry(b, false, fromFirst),
                          getEntry(b, true, b.sub(fromSecond, one)));
        });
    Value fromSecond = b.sub(number, fromFirst);
    Entry first = getEntry(b, false, fromFirst),
          second = getEntry(b, true, fromSecond);
    Value hasFirst = b.cmpi(Predicate::ult, fromFirst, limit);
    Value hasSecond = b.cmpi(Predicate::ult, fromSecond, limit);
    Value isFirst =
        b.andi(hasFirst, b.select(hasSecond, precedes(b, first, second),
                                  getConstant(b, b.getI1Type(), 1)));
    return b.select(isFirst, first.place, second.place);
  });
}

Value Selection::build() {
  // Each element is compared with all elements of its list. Short lists are
  // sorted by two kernels, and long lines only have a few lists to merge.
  constexpr int64_t maxLength = 64;
  int64_t length = std::min(size, maxLength), kept = std::min(length, k);
  int64_t count = llvm::divideCeilSigned(size, length);
  Value lists = buildLists(buildRanks(length), length, kept);
  while (count > 1) {
    int64_t longer = std::min(2 * kept, k);
    lists = buildMerge(lists, count, kept, longer);
    count = llvm::divideCeilSigned(count, 2);
    kept = longer;
  }
  return lists;
}

namespace {
template <typename OpTy> struct SelectionLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool isDecreasing = true;
    if constexpr (std::is_same_v<OpTy, TopK1Op>)
      isDecreasing = op.getAxisDirection() == AxisDirection::decreasing;
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    auto indexType =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getOutputIndex().getType());
    auto axis = static_cast<int64_t>(op.getAxis());
    Value places = Selection(rewriter, op, adaptor.getInput(), axis,
                             static_cast<int64_t>(op.getK()), isDecreasing)
                       .build();
    return replaceWithTensors(
        op, *this->getTypeConverter(), rewriter,
        {[&](ElementBuilder &b, ValueRange indices) -> Value {
           SmallVector<Value> at(indices);
           at[axis] =
               toCoordinate(b, tensor::ExtractOp::create(b, places, indices),
                            inputType.getDimSize(axis));
           return tensor::ExtractOp::create(b, adaptor.getInput(), at);
         },
         [&](ElementBuilder &b, ValueRange indices) -> Value {
           return fromNumber(loadReduced(b, places, indices,
                                         /*isUnsigned=*/true),
                             indexType.getElementType());
         }});
  }
};

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

struct NonzeroCoordinatesLowering : OpConversionPattern<NonzeroCoordinatesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NonzeroCoordinatesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};
} // namespace

/// A scan counts the nonzero elements up to each element. Row number r of the
/// result then finds the first element up to which there are more than r
/// nonzero elements.
LogicalResult NonzeroCoordinatesLowering::matchAndRewrite(
    NonzeroCoordinatesOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  int64_t size = inputType.getNumElements();
  Type i32 = rewriter.getI32Type();
  auto lineType = RankedTensorType::get(size, i32);
  Value line = flatten(rewriter, op.getLoc(), adaptor.getInput());
  Type elementType = inputType.getElementType();
  Scan scan{op, /*axis=*/0,
            Combiner::getSum(rewriter.getIntegerType(32, /*isSigned=*/false))};
  Value counts =
      scan.build(rewriter, size, [&](ElementBuilder &b, ValueRange indices) {
        Value bits =
            toBits(b, tensor::ExtractOp::create(b, line, indices)).value;
        // Ignores the sign of a float.
        if (isa<FloatType>(elementType))
          bits = b.andi(
              bits, getConstant(b, bits.getType(),
                                (uint64_t(1)
                                 << (elementType.getIntOrFloatBitWidth() - 1)) -
                                    1));
        Value isSet =
            b.cmpi(Predicate::ne, bits, getConstant(b, bits.getType(), 0));
        return Number{&b, b.createOrFold<arith::ExtUIOp>(i32, isSet),
                      /*isUnsigned=*/true};
      });
  auto rowsType = cast<RankedTensorType>(op.getOutputCoordinates().getType());
  // The place, in the line, of the element for each row, or `size` if there is
  // none.
  Value places = buildTensor(
      rewriter, op, lineType, [&](ElementBuilder &b, ValueRange indices) {
        Value row = b.createOrFold<arith::IndexCastUIOp>(i32, indices[0]);
        return buildSearch(b, getConstant(b, i32, 0), getConstant(b, i32, size),
                           size + 1, [&](ElementBuilder &b, Value place) {
                             Value count = tensor::ExtractOp::create(
                                 b, counts, toCoordinate(b, place, size));
                             return b.cmpi(Predicate::ule, count, row);
                           });
      });
  return replaceWithTensors(
      op, *getTypeConverter(), rewriter,
      {[&](ElementBuilder &b, ValueRange) -> Value {
         return tensor::ExtractOp::create(b, counts,
                                          ValueRange(b.index(size - 1)));
       },
       [&](ElementBuilder &b, ValueRange indices) -> Value {
         Value found = tensor::ExtractOp::create(
             b, places, ValueRange(indices[indices.size() - 2]));
         Value exists =
             b.cmpi(Predicate::ult, found, getConstant(b, i32, size));
         Value place = toCoordinate(b, found, size);
         // Computes the coordinates of the element, and selects the one that
         // the last index requests.
         int64_t rank = inputType.getRank(),
                 length = rowsType.getShape().back();
         Value chosen;
         for (int64_t dim = rank - 1; dim >= rank - length; --dim) {
           int64_t dimSize = inputType.getDimSize(dim);
           Value coordinate = b.remui(place, dimSize);
           place = b.divui(place, dimSize);
           Value isIt = b.cmpi(Predicate::eq, indices.back(),
                               b.index(dim - (rank - length)));
           chosen = chosen ? b.select(isIt, coordinate, chosen) : coordinate;
         }
         Value word = b.createOrFold<arith::IndexCastUIOp>(i32, chosen);
         return b.select(exists, word, getConstant(b, i32, 0));
       }});
}

void dml::populateSortPatterns(const TypeConverter &typeConverter,
                               RewritePatternSet &patterns) {
  patterns.add<NonzeroCoordinatesLowering, SelectionLowering<TopKOp>,
               SelectionLowering<TopK1Op>>(typeConverter,
                                           patterns.getContext());
}
