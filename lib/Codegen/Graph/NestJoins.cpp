//===- NestJoins.cpp - Concatenations that contain others -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/Concatenation.h"
#include "dml/Codegen/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace dml {
#define GEN_PASS_DEF_NESTJOINS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// A concatenation along `axis`. `parts` are the concatenated tensors. If an
/// input is itself a concatenation along the same axis, the list has the parts
/// of this input in its place: the parts of join(join(a, b), c) are a, b and c.
struct Join {
  Value result;
  int64_t axis;
  SmallVector<Value> parts;
};

/// Nests the concatenations (joins) of a function, in the order of the
/// function. After join(a, b), the concatenation join(a, b, c) becomes
/// join(join(a, b), c). Both then share a buffer (dml-place-parts), in which a
/// and b are written only once.
class Nesting {
public:
  explicit Nesting(MLIRContext *context) : rewriter(context) {}

  void visit(tensor::InsertSliceOp last);

private:
  /// Finds the longest known concatenation whose parts are exactly those of the
  /// first n of `inputs`, for an n of at least 2. Returns this concatenation
  /// and n, or null and 1 if there is none.
  std::pair<const Join *, size_t> findLongest(ArrayRef<Value> inputs,
                                              int64_t axis) const;
  ArrayRef<Value> getParts(const Value &input, int64_t axis) const;
  Value build(tensor::InsertSliceOp last, ArrayRef<Value> inputs, int64_t axis);

  IRRewriter rewriter;
  std::vector<std::unique_ptr<Join>> joins;
  llvm::DenseMap<Value, const Join *> byResult;
  llvm::DenseMap<Value, SmallVector<const Join *>> byFirstPart;
};
} // namespace

ArrayRef<Value> Nesting::getParts(const Value &input, int64_t axis) const {
  const Join *join = byResult.lookup(input);
  return join && join->axis == axis ? ArrayRef(join->parts) : ArrayRef(input);
}

std::pair<const Join *, size_t> Nesting::findLongest(ArrayRef<Value> inputs,
                                                     int64_t axis) const {
  std::pair<const Join *, size_t> longest = {nullptr, 1};
  for (const Join *join :
       byFirstPart.lookup(getParts(inputs.front(), axis).front())) {
    if (join->axis != axis)
      continue;
    // An input may have several parts, if it is a concatenation. The known
    // concatenation `join` must contain all of them, one after the other.
    ArrayRef<Value> rest = join->parts;
    size_t count = 0;
    for (const Value &input : inputs) {
      ArrayRef<Value> parts = getParts(input, axis);
      if (rest.empty() || rest.take_front(parts.size()) != parts)
        break;
      rest = rest.drop_front(parts.size());
      ++count;
    }
    if (rest.empty() && count > longest.second)
      longest = {join, count};
  }
  return longest;
}

Value Nesting::build(tensor::InsertSliceOp last, ArrayRef<Value> inputs,
                     int64_t axis) {
  rewriter.setInsertionPoint(last);
  ImplicitLocOpBuilder b(last.getLoc(), rewriter);
  RankedTensorType type = last.getType();
  Value joined =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1));
  int64_t start = 0;
  for (Value input : inputs) {
    auto inputType = cast<RankedTensorType>(input.getType());
    offsets[axis] = b.getIndexAttr(start);
    joined = tensor::InsertSliceOp::create(
        b, input, joined, offsets,
        getAsIndexOpFoldResult(b.getContext(), inputType.getShape()), strides);
    start += inputType.getDimSize(axis);
  }
  return joined;
}

void Nesting::visit(tensor::InsertSliceOp last) {
  int64_t axis;
  SmallVector<Value> inputs = getJoined(last, axis);
  if (inputs.empty())
    return;
  auto join = std::make_unique<Join>(Join{last.getResult(), axis, {}});
  for (const Value &input : inputs)
    llvm::append_range(join->parts, getParts(input, axis));

  SmallVector<Value> nested;
  for (ArrayRef<Value> rest = inputs; !rest.empty();) {
    auto [found, count] = findLongest(rest, axis);
    nested.push_back(found ? found->result : rest.front());
    rest = rest.drop_front(count);
  }
  if (nested.size() == 1) {
    // An earlier concatenation has exactly the inputs of this concatenation,
    // and replaces it.
    rewriter.replaceAllUsesWith(last.getResult(), nested.front());
    eraseUnused(rewriter, last);
    return;
  }
  if (nested.size() < inputs.size()) {
    join->result = build(last, nested, axis);
    rewriter.replaceAllUsesWith(last.getResult(), join->result);
    eraseUnused(rewriter, last);
  }
  byResult[join->result] = join.get();
  byFirstPart[join->parts.front()].push_back(join.get());
  joins.push_back(std::move(join));
}

namespace {
struct NestJoins : dml::impl::NestJoinsBase<NestJoins> {
  void runOnOperation() override {
    // Functions with several blocks stay as they are. They are rejected later,
    // when the executable is written.
    if (!getOperation().getBody().hasOneBlock())
      return;
    Nesting nesting(&getContext());
    for (tensor::InsertSliceOp last : getConcatenations(getOperation()))
      if (last->getParentOp() == getOperation())
        nesting.visit(last);
  }
};
} // namespace
