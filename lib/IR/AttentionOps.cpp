//===- AttentionOps.cpp - DirectML's attention ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/AttentionOps.h"
#include "OpUtils.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/AttentionOps.cpp.inc"

void DMLDialect::registerAttentionOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/AttentionOps.cpp.inc"
      >();
}

namespace {
/// The numbers of heads, and their names in the operator's description.
struct Heads {
  int64_t query, keyValue;
  std::string queryText, keyValueText;
  StringRef queryAttribute, keyValueAttribute;
};

class AttentionVerifier {
public:
  AttentionVerifier(FeatureLevelOpInterface op, Heads heads,
                    MultiheadAttentionMaskType maskType)
      : op(op), heads(std::move(heads)), maskType(maskType) {}

  LogicalResult verify();

private:
  using Tensor = FeatureLevelOpInterface::Tensor;

  static ArrayRef<int64_t> getShape(const Tensor &tensor) {
    return cast<RankedTensorType>(tensor.type).getShape();
  }
  bool has(StringRef name) { return op.getTensor(name).has_value(); }

  /// Returns the only tensor that the operation has among `names`, or nothing
  /// if it has none. Fails if it has several.
  FailureOr<std::optional<Tensor>> findOne(ArrayRef<StringRef> names,
                                           StringRef what);
  /// Returns the size of a head in a row of `tensor` with `count` heads.
  FailureOr<int64_t> getHeadSize(const Tensor &tensor, int64_t count,
                                 StringRef attribute);
  /// If the operation has the tensor `name`, checks that its sizes are
  /// `wanted`, possibly with leading 1s.
  LogicalResult verifyShape(StringRef name, ArrayRef<int64_t> wanted,
                            const Twine &text);
  LogicalResult verifyMask(int64_t batch, int64_t queries, int64_t keys);
  /// Checks that lengths have the element type of the past or are i32, and that
  /// this type can count to `pastKeys`.
  LogicalResult verifyPastLengths(int64_t pastKeys);

  FeatureLevelOpInterface op;
  Heads heads;
  MultiheadAttentionMaskType maskType;
};
} // namespace

FailureOr<std::optional<FeatureLevelOpInterface::Tensor>>
AttentionVerifier::findOne(ArrayRef<StringRef> names, StringRef what) {
  std::optional<Tensor> found;
  for (StringRef name : names) {
    std::optional<Tensor> tensor = op.getTensor(name);
    if (!tensor)
      continue;
    if (found)
      return op->emitOpError() << "has both " << found->info->name << " and "
                               << name << ", but wants " << what << " once";
    found = tensor;
  }
  return found;
}

FailureOr<int64_t> AttentionVerifier::getHeadSize(const Tensor &tensor,
                                                  int64_t count,
                                                  StringRef attribute) {
  int64_t size = getShape(tensor).back();
  if (size % count != 0)
    return op->emitOpError()
           << tensor.getName() << " has size " << size
           << " in its last dimension, but wants a multiple of " << attribute
           << ", which is " << count;
  return size / count;
}

LogicalResult AttentionVerifier::verifyShape(StringRef name,
                                             ArrayRef<int64_t> wanted,
                                             const Twine &text) {
  std::optional<Tensor> tensor = op.getTensor(name);
  if (!tensor)
    return success();
  auto isOne = [](int64_t size) { return size == 1; };
  if (getShape(*tensor).drop_while(isOne) == wanted.drop_while(isOne))
    return success();
  return op->emitOpError() << name << " has the sizes "
                           << describeSizes(getShape(*tensor)) << ", but wants "
                           << describeSizes(wanted) << ", which is " << text;
}

LogicalResult AttentionVerifier::verifyMask(int64_t batch, int64_t queries,
                                            int64_t keys) {
  StringRef type = stringifyMultiheadAttentionMaskType(maskType);
  bool isNone = maskType == MultiheadAttentionMaskType::none;
  if (has("mask") == isNone)
    return op->emitOpError()
           << "has " << (isNone ? "a" : "no") << " mask, but wants "
           << (isNone ? "none" : "one") << ": mask_type is " << type;
  switch (maskType) {
  case MultiheadAttentionMaskType::none:
    return success();
  case MultiheadAttentionMaskType::key_sequence_length:
    return verifyShape("mask", {1, batch}, "{1, B}");
  case MultiheadAttentionMaskType::key_sequence_end_start:
    return verifyShape("mask", {2, batch}, "{2, B}");
  case MultiheadAttentionMaskType::key_query_sequence_length_start_end:
    return verifyShape("mask", {3 * batch + 2}, "{3 * B + 2}");
  case MultiheadAttentionMaskType::boolean:
    return verifyShape("mask", {batch, heads.query, queries, keys},
                       "{B, " + Twine(heads.queryText) + ", S, T}");
  }
  llvm_unreachable("unknown type of mask");
}

LogicalResult AttentionVerifier::verifyPastLengths(int64_t pastKeys) {
  std::optional<Tensor> lengths = op.getTensor("past_sequence_lengths");
  if (!lengths)
    return success();
  std::optional<Tensor> past = op.getTensor("past_key");
  if (!past)
    return op->emitOpError("has past_sequence_lengths, but no past_key");
  Type type = getElementTypeOrSelf(lengths->type),
       wanted = getElementTypeOrSelf(past->type);
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return success();
  if (type != wanted)
    return op->emitOpError()
           << "past_sequence_lengths has the element type " << type
           << ", but wants i32 or " << wanted << ", which is that of past_key";
  // With a mantissa of 11 bits, a float has all integers up to 2^11.
  int64_t most = int64_t(1) << floatType.getFPMantissaWidth();
  if (pastKeys <= most)
    return success();
  return op->emitOpError() << "past_sequence_lengths has the element type "
                           << type << ", which counts to " << most
                           << ", but the past has " << pastKeys
                           << " positions; i32 counts to all of them";
}

LogicalResult AttentionVerifier::verify() {
  auto query = findOne(
      {"query", "stacked_query_key", "stacked_query_key_value"}, "the queries");
  if (failed(query))
    return failure();
  auto key = findOne({"key", "stacked_query_key", "stacked_key_value",
                      "stacked_query_key_value"},
                     "the keys");
  if (failed(key))
    return failure();
  auto value = findOne(
      {"value", "stacked_key_value", "stacked_query_key_value"}, "the values");
  if (failed(value))
    return failure();
  if (!*query)
    return op->emitOpError("has no queries, but wants query, stacked_query_key "
                           "or stacked_query_key_value");
  if (key->has_value() != value->has_value())
    return op->emitOpError() << "has new " << (*key ? "keys" : "values")
                             << ", but no new " << (*key ? "values" : "keys");
  if (has("past_key") != has("past_value"))
    return op->emitOpError()
           << "has " << (has("past_key") ? "past_key" : "past_value")
           << ", but no " << (has("past_key") ? "past_value" : "past_key");
  if (!*key && !has("past_key"))
    return op->emitOpError("has no keys and values, neither new nor past ones");

  if (heads.query % heads.keyValue != 0)
    return op->emitOpError()
           << heads.queryAttribute << " is " << heads.query
           << ", but wants a multiple of " << heads.keyValueAttribute
           << ", which is " << heads.keyValue;
  for (StringRef name : {"stacked_query_key", "stacked_query_key_value"})
    if (has(name) && heads.query != heads.keyValue)
      return op->emitOpError()
             << name << " wants as many heads of keys as of "
             << "queries, but " << heads.queryAttribute << " is " << heads.query
             << " and " << heads.keyValueAttribute << " is " << heads.keyValue;

  // The rows of a tensor are its last three dimensions: the batch, the rows,
  // and the elements of a row. The rows of a stacked tensor are its last five
  // dimensions.
  auto getRows = [](const Tensor &tensor) {
    return getShape(tensor).take_back(
        tensor.info->name.starts_with("stacked") ? 5 : 3);
  };
  int64_t batch = getRows(**query)[0], queries = getRows(**query)[1];
  int64_t headSize = getShape(**query).back();
  if ((*query)->info->name == "query") {
    FailureOr<int64_t> size =
        getHeadSize(**query, heads.query, heads.queryAttribute);
    if (failed(size))
      return failure();
    headSize = *size;
  }
  int64_t newKeys = *key ? getRows(**key)[1] : 0;
  int64_t valueSize = *value ? getShape(**value).back()
                             : getShape(*op.getTensor("past_value")).back();
  if (*value && (*value)->info->name == "value") {
    FailureOr<int64_t> size =
        getHeadSize(**value, heads.keyValue, heads.keyValueAttribute);
    if (failed(size))
      return failure();
    valueSize = *size;
  }
  int64_t pastKeys = 0;
  if (auto past = op.getTensor("past_key"))
    pastKeys = getShape(*past).take_back(4)[2];
  int64_t keys = pastKeys + newKeys;

  const std::string &N = heads.queryText, &K = heads.keyValueText;
  int64_t nq = heads.query, nk = heads.keyValue;
  if (failed(verifyShape("query", {batch, queries, nq * headSize},
                         "{B, S, " + Twine(N) + " * E}")) ||
      failed(verifyShape("key", {batch, newKeys, nk * headSize},
                         "{B, L, " + Twine(K) + " * E}")) ||
      failed(verifyShape("value", {batch, newKeys, nk * valueSize},
                         "{B, L, " + Twine(K) + " * V}")) ||
      failed(verifyShape("stacked_query_key", {batch, queries, nq, 2, headSize},
                         "{B, S, " + Twine(N) + ", 2, E}")) ||
      failed(verifyShape("stacked_key_value", {batch, newKeys, nk, 2, headSize},
                         "{B, L, " + Twine(K) + ", 2, E}")) ||
      failed(verifyShape("stacked_query_key_value",
                         {batch, queries, nq, 3, headSize},
                         "{B, S, " + Twine(N) + ", 3, E}")) ||
      failed(verifyShape(
          "bias", {nq * headSize + nk * headSize + nk * valueSize},
          "{" + Twine(N) + " * E + " + K + " * E + " + K + " * V}")) ||
      failed(verifyShape("past_key", {batch, nk, pastKeys, headSize},
                         "{B, " + Twine(K) + ", P, E}")) ||
      failed(verifyShape("past_value", {batch, nk, pastKeys, valueSize},
                         "{B, " + Twine(K) + ", P, V}")) ||
      failed(verifyShape("past_sequence_lengths", {batch}, "{B}")) ||
      failed(verifyMask(batch, queries, keys)) ||
      failed(verifyShape("relative_position_bias", {batch, nq, queries, keys},
                         "{B, " + Twine(N) + ", S, T}")) ||
      failed(verifyShape("output", {batch, queries, nq * valueSize},
                         "{B, S, " + Twine(N) + " * V}")) ||
      failed(verifyShape("output_present_key", {batch, nk, keys, headSize},
                         "{B, " + Twine(K) + ", T, E}")) ||
      failed(verifyShape("output_present_value", {batch, nk, keys, valueSize},
                         "{B, " + Twine(K) + ", T, V}")))
    return failure();
  return verifyPastLengths(pastKeys);
}

LogicalResult MultiheadAttentionOp::verify() {
  auto count = static_cast<int64_t>(getHeadCount());
  return AttentionVerifier(cast<FeatureLevelOpInterface>(getOperation()),
                           {count, count, "N", "N", "head_count", "head_count"},
                           getMaskType())
      .verify();
}

LogicalResult MultiheadAttention1Op::verify() {
  return AttentionVerifier(cast<FeatureLevelOpInterface>(getOperation()),
                           {static_cast<int64_t>(getQueryHeadCount()),
                            static_cast<int64_t>(getKeyValueHeadCount()), "NQ",
                            "NK", "query_head_count", "key_value_head_count"},
                           getMaskType())
      .verify();
}

/// The newer version has separate numbers of heads for queries and for keys and
/// values. It also has an additional last operand, which is absent here.
LogicalResult MultiheadAttentionOp::canonicalize(MultiheadAttentionOp op,
                                                 PatternRewriter &rewriter) {
  StringRef segments = getOperandSegmentSizeAttr();
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>(segments);
  SmallVector<int32_t> newSizes(sizes.asArrayRef());
  newSizes.push_back(0);
  return replaceByNewer<MultiheadAttention1Op>(
      op, rewriter,
      {rewriter.getNamedAttr("query_head_count", op.getHeadCountAttr()),
       rewriter.getNamedAttr("key_value_head_count", op.getHeadCountAttr()),
       rewriter.getNamedAttr(segments,
                             rewriter.getDenseI32ArrayAttr(newSizes))},
      {op.getHeadCountAttrName(), segments});
}
