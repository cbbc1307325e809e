//===- AttentionOps.cpp - Attention ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/AttentionOps.h"
#include "Arithmetic/Sums.h"
#include "Operators/Evaluators.h"
#include "Operators/SoftmaxOps.h"

using namespace mlir;

namespace dml::reference {

namespace {
/// Intervals in the layout [batch][head][row][element].
class Heads {
public:
  Heads(int64_t batches, int64_t heads, int64_t rows, int64_t size)
      : heads(heads), rows(rows), size(size),
        elements(batches * heads * rows * size, Interval(0)) {}

  Interval &at(int64_t batch, int64_t head, int64_t row, int64_t e) {
    return elements[((batch * heads + head) * rows + row) * size + e];
  }

  int64_t heads, rows, size;
  std::vector<Interval> elements;
};

/// The source of queries, keys or values: a whole tensor, or part number `part`
/// of a tensor that stacks `parts` of them.
struct Source {
  const Estimate *tensor = nullptr;
  int64_t part = 0, parts = 1;

  int64_t getRows() const {
    ArrayRef<int64_t> shape = tensor->value.getShape();
    return parts == 1 ? shape[shape.size() - 2] : shape[1];
  }
  /// Returns the number of elements in each of `heads` heads.
  int64_t getSize(int64_t heads) const {
    int64_t size = tensor->value.getShape().back();
    return parts == 1 ? size / heads : size;
  }
  Interval load(int64_t number, int64_t head, int64_t heads, int64_t e,
                int64_t size) const {
    return Interval::load(*tensor,
                          ((number * heads + head) * parts + part) * size + e);
  }
};
} // namespace

/// Returns the first of `sources` that has a tensor.
static Source pick(std::initializer_list<Source> sources) {
  for (const Source &source : sources)
    if (source.tensor)
      return source;
  return {};
}

/// Reads rows from `source`, and adds the part of `bias` that begins at
/// `start`.
static void
readRows(Heads &heads, const Source &source, const Estimate *bias,
         int64_t start, int64_t batches,
         llvm::function_ref<int64_t(int64_t batch, int64_t row)> getPlace) {
  int64_t rows = source.getRows();
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t head = 0; head < heads.heads; ++head)
        for (int64_t e = 0; e < heads.size; ++e) {
          Interval x =
              source.load(batch * rows + row, head, heads.heads, e, heads.size);
          if (bias)
            x = x + Interval::load(*bias, start + head * heads.size + e);
          heads.at(batch, head, getPlace(batch, row), e) = x;
        }
}

/// Returns the possible values of `weight` if values are f16. Kernels may round
/// weights to f16 before they multiply them with values. All weights are first
/// multiplied by a common factor of at least 256, by which the result is
/// divided at the end (docs/Reference.md).
static Interval roundWeight(Interval weight) {
  const Accuracy &accuracy = use(Arithmetic::HalfWeight);
  double relative = accuracy.ulpsPerUnit, absolute = accuracy.absolute;
  weight.low = std::max(weight.low * (1 - relative) - absolute, 0.0);
  weight.high = weight.high * (1 + relative) + absolute;
  return weight;
}

template <typename OpTy>
static LogicalResult evaluateAttention(OpTy op, ArrayRef<Estimate> operands,
                                       Evaluators::Estimates &outputs,
                                       int64_t queryHeads, int64_t keyHeads,
                                       const Estimate *pastLengths) {
  NamedOperands in(op, operands);
  const Estimate *queryKey = in.getStackedQueryKey(),
                 *keyValue = in.getStackedKeyValue(),
                 *queryKeyValue = in.getStackedQueryKeyValue();
  const Estimate *bias = in.getBias(), *mask = in.getMask(),
                 *positionBias = in.getRelativePositionBias(),
                 *pastKey = in.getPastKey(), *pastValue = in.getPastValue();
  for (const Estimate *operand : {mask, pastLengths})
    if (operand && !operand->isExact())
      return op.emitOpError(
          "has a mask or lengths that are known within bounds "
          "only");
  Source query =
      pick({{in.getQuery()}, {queryKey, 0, 2}, {queryKeyValue, 0, 3}});
  Source key = pick({{in.getKey()},
                     {queryKey, 1, 2},
                     {keyValue, 0, 2},
                     {queryKeyValue, 1, 3}});
  Source value =
      pick({{in.getValue()}, {keyValue, 1, 2}, {queryKeyValue, 2, 3}});

  int64_t queries = query.getRows(), size = query.getSize(queryHeads);
  int64_t batches = query.tensor->value.getNumElements() /
                    (queries * queryHeads * size * query.parts);
  int64_t newKeys = key.tensor ? key.getRows() : 0;
  int64_t past = pastKey ? pastKey->value.getShape().drop_back().back() : 0;
  int64_t valueSize = value.tensor ? value.getSize(keyHeads)
                                   : pastValue->value.getShape().back();
  int64_t keys = past + newKeys, group = queryHeads / keyHeads;

  // The number of used rows of the past, for each batch.
  std::vector<int64_t> starts(batches, past);
  for (int64_t batch = 0; pastLengths && batch < batches; ++batch) {
    const Tensor &lengths = pastLengths->value;
    double length = lengths.getDataType() == DataType::INT32
                        ? static_cast<double>(lengths.getInteger(batch))
                        : lengths.getNumber(batch);
    starts[batch] = length >= static_cast<double>(past) ? past
                    : length > 0 ? static_cast<int64_t>(length)
                                 : 0;
  }

  Heads allQueries(batches, queryHeads, queries, size),
      allKeys(batches, keyHeads, keys, size),
      allValues(batches, keyHeads, keys, valueSize);
  readRows(allQueries, query, bias, 0, batches,
           [](int64_t, int64_t row) { return row; });
  auto readAll = [&](Heads &all, const Source &source, const Estimate *old,
                     int64_t start) {
    if (old)
      for (int64_t batch = 0; batch < batches; ++batch)
        for (int64_t head = 0; head < keyHeads; ++head)
          for (int64_t row = 0; row < past; ++row)
            for (int64_t e = 0; e < all.size; ++e)
              all.at(batch, head, row, e) = Interval::load(
                  *old,
                  ((batch * keyHeads + head) * past + row) * all.size + e);
    if (source.tensor)
      readRows(all, source, bias, start, batches,
               [&](int64_t batch, int64_t row) { return starts[batch] + row; });
  };
  readAll(allKeys, key, pastKey, queryHeads * size);
  readAll(allValues, value, pastValue, (queryHeads + keyHeads) * size);

  auto isMasked = [&](int64_t batch, int64_t head, int64_t s, int64_t t) {
    auto read = [&](int64_t index) {
      return static_cast<int64_t>(mask->value.getInteger(index));
    };
    switch (op.getMaskType()) {
    case MultiheadAttentionMaskType::none:
      return false;
    case MultiheadAttentionMaskType::key_sequence_length:
    case MultiheadAttentionMaskType::key_query_sequence_length_start_end:
      return t >= read(batch);
    case MultiheadAttentionMaskType::key_sequence_end_start:
      return t >= read(batch) || t < read(batches + batch);
    case MultiheadAttentionMaskType::boolean:
      return read(((batch * queryHeads + head) * queries + s) * keys + t) == 0;
    }
    llvm_unreachable("unknown type of mask");
  };

  FailureOr<Estimate> output = createBounds(op, op.getOutput().getType());
  if (failed(output))
    return failure();
  bool isHalf =
      cast<RankedTensorType>(op.getOutput().getType()).getElementType().isF16();
  Interval scale(op.getScale().convertToDouble()),
      filter(op.getMaskFilterValue().convertToDouble());
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t head = 0; head < queryHeads; ++head)
      for (int64_t s = 0; s < queries; ++s) {
        int64_t seen =
            pastLengths ? std::min(starts[batch] + s + 1, keys) : keys;
        std::vector<Interval> scores;
        Interval most = Interval::nan();
        for (int64_t t = 0; t < seen; ++t) {
          Sum sum;
          for (int64_t e = 0; e < size; ++e)
            sum.add(allQueries.at(batch, head, s, e) *
                    allKeys.at(batch, head / group, t, e));
          Interval score = sum.get() * scale;
          if (positionBias)
            score = score +
                    Interval::load(
                        *positionBias,
                        ((batch * queryHeads + head) * queries + s) * keys + t);
          scores.push_back(isMasked(batch, head, s, t) ? filter : score);
          most = max(most, scores.back());
        }
        Sum total;
        for (Interval score : scores)
          total.add(exp(score - most));
        bool areFinite = llvm::all_of(scores, isFinite);
        std::vector<Interval> weights;
        for (Interval score : scores) {
          Interval weight = exp(score - most) / total.get();
          weights.push_back(areFinite ? limitShare(weight) : weight);
        }
        if (isHalf)
          llvm::transform(weights, weights.begin(), roundWeight);
        for (int64_t v = 0; v < valueSize; ++v) {
          Sum sum;
          for (int64_t t = 0; t < seen; ++t)
            sum.add(weights[t] * allValues.at(batch, head / group, t, v));
          sum.get().store(
              *output,
              ((batch * queries + s) * queryHeads + head) * valueSize + v);
        }
      }
  outputs.push_back(std::move(*output));
  auto addPresent = [&](Value result, const Heads &all) {
    if (!result)
      return success();
    FailureOr<Estimate> present = createBounds(op, result.getType());
    if (failed(present))
      return failure();
    for (auto [index, element] : llvm::enumerate(all.elements))
      element.store(*present, static_cast<int64_t>(index));
    outputs.push_back(std::move(*present));
    return success();
  };
  return failure(failed(addPresent(op.getOutputPresentKey(), allKeys)) ||
                 failed(addPresent(op.getOutputPresentValue(), allValues)));
}

static LogicalResult evaluate(MultiheadAttentionOp op,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  auto heads = static_cast<int64_t>(op.getHeadCount());
  return evaluateAttention(op, operands, outputs, heads, heads, nullptr);
}

static LogicalResult evaluate(MultiheadAttention1Op op,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  return evaluateAttention(
      op, operands, outputs, static_cast<int64_t>(op.getQueryHeadCount()),
      static_cast<int64_t>(op.getKeyValueHeadCount()),
      NamedOperands(op, operands).getPastSequenceLengths());
}

void addAttentionEvaluators(Evaluators &evaluators) {
  evaluators.add<MultiheadAttentionOp>(evaluate);
  evaluators.add<MultiheadAttention1Op>(evaluate);
}

} // namespace dml::reference
