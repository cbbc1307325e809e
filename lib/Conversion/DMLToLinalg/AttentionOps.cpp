//===- AttentionOps.cpp - Attention to linalg -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Attention is lowered to two contractions with a softmax in between. The keys
// of the past and the new keys, with their bias, are concatenated in one tensor
// of f32, and so are the values. The contractions and the operator's present
// results read these tensors. If there is neither a past nor a bias, the
// contractions read the operands instead.
//
// A cache of fixed capacity is the first positions of a present result, as many
// as the past has. If no length of the past lets a new position lie behind the
// capacity, the present result gets the type of the past before it is lowered
// (fixCapacities()). Only the new positions then differ from the past, and the
// contractions read the present result: where past and present have one buffer,
// the kernels read each position once, and no kernel writes more than the new
// positions.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/AttentionOps.h"
#include "ReductionBuilder.h"
#include "dml/IR/InPlace.h"
#include "dml/IR/KernelAttr.h"
#include "dml/Target/DeviceProfile.h"
#include <limits>

using namespace mlir;
using namespace dml;

namespace {
/// The converted operands. Absent operands are null.
struct Operands {
  Value query, key, value, stackedQueryKey, stackedKeyValue,
      stackedQueryKeyValue, bias, mask, relativePositionBias, pastKey,
      pastValue, pastLengths;
};

class AttentionBuilder {
public:
  AttentionBuilder(OpBuilder &builder, Operation *op, const Operands &operands,
                   int64_t queryHeads, int64_t keyValueHeads,
                   MultiheadAttentionMaskType maskType, double scale,
                   double maskFilterValue)
      : builder(builder), op(op), operands(operands), queryHeads(queryHeads),
        keyValueHeads(keyValueHeads), maskType(maskType), scale(scale),
        maskFilterValue(maskFilterValue) {
    ArrayRef<int64_t> output =
        cast<RankedTensorType>(op->getResult(0).getType()).getShape();
    valueSize = output.back() / queryHeads;
    queries = output[output.size() - 2];
    batch = output[output.size() - 3];
    if (operands.query)
      headSize = getShape(operands.query).back() / queryHeads;
    else
      headSize =
          getShape(operands.stackedQueryKey ? operands.stackedQueryKey
                                            : operands.stackedQueryKeyValue)
              .back();
    if (operands.key)
      newKeys = getShape(operands.key).take_back(2)[0];
    else if (operands.stackedKeyValue)
      newKeys = getShape(operands.stackedKeyValue)[1];
    else if (!operands.query)
      newKeys = queries;
    if (operands.pastKey)
      pastKeys = getShape(operands.pastKey).take_back(2)[0];
    positions = keys = pastKeys + newKeys;
    // Operands are flattened, since they may have additional leading dimensions
    // of size 1.
    Location loc = op->getLoc();
    for (Value *operand : getAll())
      if (*operand)
        *operand = flatten(builder, loc, *operand);
  }

  /// Returns the results. `types` contains null for results that the operator
  /// does not have.
  SmallVector<Value> build(RankedTensorType outputType,
                           RankedTensorType presentKeyType,
                           RankedTensorType presentValueType) {
    if (presentKeyType && presentKeyType.getShape().take_back(2)[0] < keys)
      keys = pastKeys;
    bool isPlain = pastKeys == 0 && !operands.bias;
    if (!isPlain || presentKeyType)
      allKeys = buildAll(/*ofValues=*/false);
    if (!isPlain || presentValueType)
      allValues = buildAll(/*ofValues=*/true);
    SmallVector<Value> results = {buildOutput(
        outputType,
        buildWeights(/*areRoundable=*/outputType.getElementType().isF16()))};
    if (presentKeyType)
      results.push_back(buildPresent(allKeys, presentKeyType));
    if (presentValueType)
      results.push_back(buildPresent(allValues, presentValueType));
    return results;
  }

private:
  static ArrayRef<int64_t> getShape(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  }
  std::array<Value *, 12> getAll() {
    return {&operands.query,
            &operands.key,
            &operands.value,
            &operands.stackedQueryKey,
            &operands.stackedKeyValue,
            &operands.stackedQueryKeyValue,
            &operands.bias,
            &operands.mask,
            &operands.relativePositionBias,
            &operands.pastKey,
            &operands.pastValue,
            &operands.pastLengths};
  }

  /// Loads the element of a flat tensor with the coordinates `at` in the shape
  /// `sizes`.
  static Number load(ElementBuilder &b, Value tensor, ArrayRef<Value> at,
                     ArrayRef<int64_t> sizes) {
    return {&b, toF32(b, tensor::ExtractOp::create(b, tensor,
                                                   linearize(b, at, sizes)))};
  }
  /// Loads an element of a tensor that `buildTensor` has built.
  static Number loadBuilt(ElementBuilder &b, Value tensor, ValueRange at) {
    return {&b, toF32(b, tensor::ExtractOp::create(b, tensor, at))};
  }

  /// Loads an element of a row of heads. The element is read from `rows` if
  /// this tensor exists. Otherwise it is read from `stacked`, in which `count`
  /// such rows are stacked, at `position`.
  Number loadRow(ElementBuilder &b, Value rows, Value stacked, int64_t position,
                 int64_t count, Value n, Value row, Value head, Value e,
                 int64_t numRows, int64_t heads, int64_t size) const {
    if (rows)
      return load(b, rows, {n, row, head, e}, {batch, numRows, heads, size});
    return load(b, stacked, {n, row, head, b.index(position), e},
                {batch, numRows, heads, count, size});
  }
  /// Adds the bias of element `e` of head `head` to `x`. The biases for this
  /// kind of row begin at `start`.
  Number addBias(Number x, int64_t start, Value head, Value e,
                 int64_t size) const {
    if (!operands.bias)
      return x;
    ElementBuilder &b = *x.b;
    Value place = b.add(b.add(b.mul(head, size), e), start);
    return x + Number{&b, toF32(b, tensor::ExtractOp::create(b, operands.bias,
                                                             place))};
  }

  Number loadQuery(ElementBuilder &b, Value n, Value s, Value head,
                   Value e) const {
    Value stacked = operands.stackedQueryKey ? operands.stackedQueryKey
                                             : operands.stackedQueryKeyValue;
    Number x =
        loadRow(b, operands.query, stacked, 0, operands.stackedQueryKey ? 2 : 3,
                n, s, head, e, queries, queryHeads, headSize);
    return addBias(x, 0, head, e, headSize);
  }
  /// Loads an element of a new key or of a new value.
  Number loadNew(ElementBuilder &b, bool ofValues, Value n, Value l, Value head,
                 Value e) const {
    int64_t size = ofValues ? valueSize : headSize;
    int64_t start = queryHeads * headSize;
    Value rows = operands.key, stacked = operands.stackedQueryKeyValue;
    int64_t position = 1, count = 3;
    if (ofValues) {
      rows = operands.value;
      start += keyValueHeads * headSize;
      position = 2;
    } else if (operands.stackedQueryKey) {
      stacked = operands.stackedQueryKey;
      count = 2;
    }
    if (operands.stackedKeyValue) {
      stacked = operands.stackedKeyValue;
      position = ofValues;
      count = 2;
    }
    Number x = loadRow(b, rows, stacked, position, count, n, l, head, e,
                       newKeys, keyValueHeads, size);
    return addBias(x, start, head, e, size);
  }

  /// Returns the number of past keys of batch `n` that are in use. In a cache
  /// of fixed capacity, there is room for the new keys behind them.
  Value getPastLength(ElementBuilder &b, Value n) const {
    if (!isa<FloatType>(getElementTypeOrSelf(operands.pastLengths))) {
      Value length = b.createOrFold<arith::IndexCastOp>(
          b.getIndexType(),
          tensor::ExtractOp::create(b, operands.pastLengths, n));
      return b.minsi(b.maxsi(length, b.index(0)),
                     b.index(std::min(pastKeys, keys - newKeys)));
    }
    Number length = load(b, operands.pastLengths, {n}, {batch});
    // The maximum of NaN and the bound is the bound.
    length = min(max(length, length(0)), length(static_cast<double>(pastKeys)));
    Value index = b.createOrFold<arith::IndexCastUIOp>(
        b.getIndexType(), convert(length, b.getI32Type()).value);
    // The ranges of integers, by which kernels have indices of 32 bits, do not
    // follow from bounds of floats.
    return b.minui(index, b.index(pastKeys));
  }

  /// Builds all keys or all values of a cache of fixed capacity, with the type
  /// of the past: the past with the new positions written.
  Value buildUpdated(bool ofValues) {
    Value past = ofValues ? operands.pastValue : operands.pastKey;
    int64_t size = ofValues ? valueSize : headSize;
    SmallVector<int64_t> sizes = {batch, keyValueHeads, keys, size};
    auto type = RankedTensorType::get(sizes, getElementTypeOrSelf(past));
    Value updated = buildTensor(
        builder, op, type, [&](ElementBuilder &b, ValueRange at) -> Value {
          Value start = getPastLength(b, at[0]);
          Condition isNew =
              Condition{&b, b.cmpi(arith::CmpIPredicate::uge, at[2], start)} &&
              Condition{&b, b.cmpi(arith::CmpIPredicate::ult, at[2],
                                   b.add(start, newKeys))};
          Value l = b.minsi(b.maxsi(b.sub(at[2], start), b.index(0)),
                            b.index(newKeys - 1));
          Number element = loadNew(b, ofValues, at[0], l, at[1], at[3]);
          Value old =
              tensor::ExtractOp::create(b, past, linearize(b, at, sizes));
          return b.select(isNew.value,
                          fromF32(b, element.value, type.getElementType()),
                          old);
        });
    updated.getDefiningOp()->setAttr(updateAttrName, builder.getUnitAttr());
    return updated;
  }

  /// Builds all keys or all values, with the shape {B, NK, T, size}, in f32, or
  /// in the type of a cache of fixed capacity.
  Value buildAll(bool ofValues) {
    if (keys < positions)
      return buildUpdated(ofValues);
    int64_t size = ofValues ? valueSize : headSize;
    Value past = ofValues ? operands.pastValue : operands.pastKey;
    SmallVector<int64_t> pastSizes = {batch, keyValueHeads, pastKeys, size};
    auto type = RankedTensorType::get({batch, keyValueHeads, keys, size},
                                      builder.getF32Type());
    return buildTensor(
        builder, op, type, [&](ElementBuilder &b, ValueRange at) -> Value {
          auto getPast = [&]() {
            Value t = b.minui(at[2], b.index(pastKeys - 1));
            return load(b, past, {at[0], at[1], t, at[3]}, pastSizes);
          };
          if (newKeys == 0)
            return getPast().value;
          // The distance from the first new key is signed.
          auto getNew = [&](Value start) {
            Value l = b.minsi(b.maxsi(b.sub(at[2], start), b.index(0)),
                              b.index(newKeys - 1));
            return loadNew(b, ofValues, at[0], l, at[1], at[3]);
          };
          if (pastKeys == 0)
            return loadNew(b, ofValues, at[0], at[2], at[1], at[3]).value;
          if (!operands.pastLengths) {
            Condition isPast{&b, b.cmpi(arith::CmpIPredicate::ult, at[2],
                                        b.index(pastKeys))};
            return select(isPast, getPast(), getNew(b.index(pastKeys))).value;
          }
          Value start = getPastLength(b, at[0]);
          Condition isInPast{
              &b, b.cmpi(arith::CmpIPredicate::ult, at[2], b.index(pastKeys))};
          Condition isNew =
              Condition{&b, b.cmpi(arith::CmpIPredicate::uge, at[2], start)} &&
              Condition{&b, b.cmpi(arith::CmpIPredicate::ult, at[2],
                                   b.add(start, newKeys))};
          Number old = getPast();
          return select(isNew, getNew(start), select(isInPast, old, old(0)))
              .value;
        });
  }

  /// Loads an element from the tensor of all keys or all values, with the shape
  /// {B, NK, T, size}.
  Number loadAny(ElementBuilder &b, bool ofValues, Value n, Value head, Value t,
                 Value e) const {
    Value all = ofValues ? allValues : allKeys;
    return all ? loadBuilt(b, all, {n, head, t, e})
               : loadNew(b, ofValues, n, t, head, e);
  }

  /// Returns whether key `t` is visible to query `s` of batch `n`, or nothing
  /// if all keys are visible.
  std::optional<Condition> isSeen(ElementBuilder &b, Value n, Value s,
                                  Value t) const {
    if (!operands.pastLengths)
      return std::nullopt;
    return Condition{&b, b.cmpi(arith::CmpIPredicate::ule, t,
                                b.add(getPastLength(b, n), s))};
  }

  /// Returns whether the mask hides key `t`, for a mask type that hides keys.
  Condition isMasked(ElementBuilder &b, ValueRange at) const {
    Value n = at[0], t = at[3];
    auto read = [&](Value place) -> Value {
      return tensor::ExtractOp::create(b, operands.mask, place);
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
      return Condition{&b, b.cmpi(predicate, lhs, rhs)};
    };
    if (maskType == MultiheadAttentionMaskType::boolean) {
      Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
      Value place = linearize(b, at, {batch, queryHeads, queries, positions});
      return compare(arith::CmpIPredicate::eq, read(place), zero);
    }
    // Sizes are less than 2^32. A key from 2^31 on exceeds each length.
    Value position = b.createOrFold<arith::IndexCastUIOp>(
        b.getI32Type(), b.minui(t, b.index(INT32_MAX)));
    Condition masked = compare(arith::CmpIPredicate::sge, position, read(n));
    if (maskType == MultiheadAttentionMaskType::key_sequence_end_start)
      masked = masked || compare(arith::CmpIPredicate::slt, position,
                                 read(b.add(n, batch)));
    return masked;
  }

  // Neither the sums of the scores nor those of the output are divided here:
  // the kernels of attention and of products share out the terms themselves,
  // and kernels of attention read no scores that are divided.

  /// Builds the softmax of the scores, with the shape {B, NQ, S, T}, in f32. If
  /// `areRoundable` is set, kernels may round it to f16 before they multiply it
  /// with values.
  Value buildWeights(bool areRoundable) {
    Type f32 = builder.getF32Type();
    auto type = RankedTensorType::get({batch, queryHeads, queries, keys}, f32);
    int64_t group = queryHeads / keyValueHeads;
    Value scores = buildSums(
        builder, op, type, headSize, f32,
        [&](ElementBuilder &b, ValueRange indices) -> TermFn {
          Value head = b.divui(indices[1], group);
          return [&, head, at = SmallVector<Value>(indices)](
                     ElementBuilder &b, ValueRange e) -> Value {
            return (loadQuery(b, at[0], at[2], at[1], e[0]) *
                    loadAny(b, /*ofValues=*/false, at[0], head, at[3], e[0]))
                .value;
          };
        },
        [&](ElementBuilder &b, ValueRange at, Value sum) {
          Number x{&b, sum};
          x = x * x(scale);
          if (operands.relativePositionBias)
            x = x + load(b, operands.relativePositionBias, llvm::to_vector(at),
                         {batch, queryHeads, queries, positions});
          if (maskType != MultiheadAttentionMaskType::none)
            x = select(isMasked(b, at), x(maskFilterValue), x);
          return x.value;
        },
        /*sharers=*/DeviceProfile::workgroupSize);
    ReducedAxes axes(type.getShape(), /*axes=*/3);
    // Keys that are not visible to a query are excluded from its maximum and
    // its sum. Each of them is a single reduction, as attention kernels have
    // it, which split the keys themselves.
    auto getSeen = [&](ElementBuilder &b, ValueRange at, Number x,
                       Number otherwise) {
      std::optional<Condition> seen = isSeen(b, at[0], at[2], at[3]);
      return seen ? select(*seen, x, otherwise) : x;
    };
    Value largest = buildReduction(
        builder, op, axes, Combiner::getMax(f32),
        [&](ElementBuilder &b, ValueRange at) {
          Number x = loadBuilt(b, scores, at);
          return getSeen(b, at, x, x(std::numeric_limits<double>::quiet_NaN()));
        },
        /*isWhole=*/true);
    auto getExponential = [&](ElementBuilder &b, ValueRange at) {
      Number x = exp(loadBuilt(b, scores, at) -
                     loadReduced(b, largest, axes.getSet(b, at)));
      return getSeen(b, at, x, x(0));
    };
    Value sums = buildReduction(builder, op, axes, Combiner::getSum(f32),
                                getExponential, /*isWhole=*/true);
    return buildTensor(
        builder, op, type, [&](ElementBuilder &b, ValueRange at) {
          Number sum = loadReduced(b, sums, axes.getSet(b, at));
          Value weight = (getExponential(b, at) / sum).value;
          auto quotient = weight.getDefiningOp<arith::DivFOp>();
          if (areRoundable && quotient)
            quotient->setAttr(roundableAttrName, b.getUnitAttr());
          return weight;
        });
  }

  /// Builds the products of weights and values.
  Value buildOutput(RankedTensorType type, Value weights) {
    int64_t group = queryHeads / keyValueHeads;
    return buildSums(
        builder, op, type, keys, builder.getF32Type(),
        [&](ElementBuilder &b, ValueRange indices) -> TermFn {
          ValueRange at = indices.take_back(3);
          Value head = b.divui(at[2], valueSize);
          Value v = b.remui(at[2], valueSize);
          Value keyHead = b.divui(head, group);
          return [this, weights, head, v, keyHead, n = at[0],
                  s = at[1]](ElementBuilder &b, ValueRange t) -> Value {
            Number product = loadBuilt(b, weights, {n, head, s, t[0]}) *
                             loadAny(b, /*ofValues=*/true, n, keyHead, t[0], v);
            if (std::optional<Condition> seen = isSeen(b, n, s, t[0]))
              product = select(*seen, product, product(0));
            return product.value;
          };
        },
        [&](ElementBuilder &b, ValueRange, Value sum) {
          return fromF32(b, sum, type.getElementType());
        },
        /*sharers=*/DeviceProfile::workgroupSize);
  }

  /// Builds all keys or all values as a result of type `type`.
  Value buildPresent(Value all, RankedTensorType type) {
    if (all.getType() == type)
      return all;
    return buildTensor(
        builder, op, type, [&](ElementBuilder &b, ValueRange indices) {
          return fromF32(b, loadBuilt(b, all, indices.take_back(4)).value,
                         type.getElementType());
        });
  }

  OpBuilder &builder;
  Operation *op;
  Operands operands;
  int64_t queryHeads, keyValueHeads;
  MultiheadAttentionMaskType maskType;
  double scale, maskFilterValue;
  int64_t batch, queries, headSize, valueSize, newKeys = 0, pastKeys = 0;
  /// The positions of the past and of the new keys, which a mask and a bias
  /// have, and the positions over which attention runs. The second number is
  /// less if the cache has a fixed capacity, which no new position exceeds.
  int64_t positions, keys;
  /// All keys and all values, if the operands do not contain them directly.
  Value allKeys, allValues;
};

template <typename OpTy> struct AttentionLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Operands operands{adaptor.getQuery(),
                      adaptor.getKey(),
                      adaptor.getValue(),
                      adaptor.getStackedQueryKey(),
                      adaptor.getStackedKeyValue(),
                      adaptor.getStackedQueryKeyValue(),
                      adaptor.getBias(),
                      adaptor.getMask(),
                      adaptor.getRelativePositionBias(),
                      adaptor.getPastKey(),
                      adaptor.getPastValue(),
                      Value()};
    int64_t queryHeads, keyValueHeads;
    if constexpr (std::is_same_v<OpTy, MultiheadAttention1Op>) {
      operands.pastLengths = adaptor.getPastSequenceLengths();
      queryHeads = op.getQueryHeadCount();
      keyValueHeads = op.getKeyValueHeadCount();
    } else {
      queryHeads = keyValueHeads = op.getHeadCount();
    }
    auto getType = [&](Value result) {
      return result ? this->getTypeConverter()
                          ->template convertType<RankedTensorType>(
                              result.getType())
                    : RankedTensorType();
    };
    AttentionBuilder attention(rewriter, op, operands, queryHeads,
                               keyValueHeads, op.getMaskType(),
                               op.getScale().convertToFloat(),
                               op.getMaskFilterValue().convertToFloat());
    rewriter.replaceOp(op,
                       attention.build(getType(op.getOutput()),
                                       getType(op.getOutputPresentKey()),
                                       getType(op.getOutputPresentValue())));
    return success();
  }
};
} // namespace

void dml::populateAttentionPatterns(const TypeConverter &typeConverter,
                                    RewritePatternSet &patterns) {
  patterns.add<AttentionLowering<MultiheadAttentionOp>,
               AttentionLowering<MultiheadAttention1Op>>(typeConverter,
                                                         patterns.getContext());
}
