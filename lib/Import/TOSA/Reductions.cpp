//===- Reductions.cpp - Reductions of one dimension -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TOSA/Expression.h"

using namespace mlir;
using namespace dml;
using namespace dml::tosareader;

/// Reduces dimension `axis` of `x` to one element.
static Value reduce(Expression &e, Value x, ReduceFunction function,
                    int64_t axis, DataType type) {
  Shape shape(e.getShape(x));
  shape[axis] = 1;
  return e.build("reduce", {{"input", x}},
                 {e.attr("function", ReduceFunctionAttr::get(
                                         e.rewriter.getContext(), function)),
                  e.ints("axes", axis)},
                 shape, type);
}

/// Returns the dimension of the physical tensor `x` that is dimension `axis` of
/// a tensor of `rank` dimensions.
static int64_t getPhysicalAxis(Expression &e, Value x, int64_t axis,
                               size_t rank) {
  return axis + static_cast<int64_t>(e.getShape(x).size() - rank);
}

/// Whether a NaN among `x` becomes the result, which it does not in DirectML.
template <typename OpTy>
static bool propagatesNaNs(Expression &e, OpTy op, Value x) {
  return op.getNanMode() == tosa::NanPropagationMode::PROPAGATE &&
         !e.ignoresNaNs() && e.isFloat(x);
}

template <typename OpTy, ReduceFunction function>
static Value convertReduction(Expression &e, OpTy op, ValueRange operands) {
  Value x = e.widenRank(operands[0]);
  int64_t axis =
      getPhysicalAxis(e, x, op.getAxis(), e.getShape(operands[0]).size());
  Value result = reduce(e, x, function, axis, e.getDataTypeOf(x));
  if constexpr (std::is_same_v<OpTy, tosa::ReduceMaxOp> ||
                std::is_same_v<OpTy, tosa::ReduceMinOp>) {
    if (propagatesNaNs(e, op, x)) {
      Value hasNaN =
          reduce(e, e.isNaN(x), ReduceFunction::max, axis, DataType::UINT8);
      Value nan = e.splatFloat(e.getDataTypeOf(x),
                               APFloat::getNaN(APFloat::IEEEdouble()),
                               e.getShape(result));
      result = e.choose(hasNaN, nan, result);
    }
  }
  return result;
}

static Value convertArgMax(Expression &e, tosa::ArgMaxOp op,
                           ValueRange operands) {
  Value x = e.widenRank(operands[0]);
  int64_t axis =
      getPhysicalAxis(e, x, op.getAxis(), e.getShape(operands[0]).size());
  bool isWide = e.getResultDataType() == DataType::INT64;
  // Feature level 1_0 has places of ui32 alone.
  DataType type = isWide ? DataType::UINT64 : DataType::UINT32;
  Value place = reduce(e, x, ReduceFunction::argmax, axis, type);
  if (propagatesNaNs(e, op, x)) {
    // The first NaN is the largest.
    Value isNaN = e.isNaN(x);
    place =
        e.choose(reduce(e, isNaN, ReduceFunction::max, axis, DataType::UINT8),
                 reduce(e, isNaN, ReduceFunction::argmax, axis, type), place);
  }
  return e.bitcast(place, e.getResultDataType());
}

void dml::tosareader::addReductionRules(Rules &rules) {
  rules.add<tosa::ReduceSumOp>(
      convertReduction<tosa::ReduceSumOp, ReduceFunction::sum>);
  rules.add<tosa::ReduceProductOp>(
      convertReduction<tosa::ReduceProductOp, ReduceFunction::multiply>);
  rules.add<tosa::ReduceMaxOp>(
      convertReduction<tosa::ReduceMaxOp, ReduceFunction::max>);
  rules.add<tosa::ReduceMinOp>(
      convertReduction<tosa::ReduceMinOp, ReduceFunction::min>);
  // Truths are 0 and 1.
  rules.add<tosa::ReduceAllOp>(
      convertReduction<tosa::ReduceAllOp, ReduceFunction::min>);
  rules.add<tosa::ReduceAnyOp>(
      convertReduction<tosa::ReduceAnyOp, ReduceFunction::max>);
  rules.add<tosa::ArgMaxOp>(convertArgMax);
}
