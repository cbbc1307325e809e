//===- ViewOps.cpp - Nodes that become views ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "dml/IR/Layout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

static LogicalResult importTranspose(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape permutation = node.getInts("perm");
  if (!node.hasAttribute("perm"))
    for (size_t dim = shape.size(); dim-- > 0;)
      permutation.push_back(static_cast<int64_t>(dim));
  Shape sorted = permutation, wanted(shape.size());
  llvm::sort(sorted);
  std::iota(wanted.begin(), wanted.end(), 0);
  if (sorted != wanted)
    return node.reject("its attribute perm is " + describeList(permutation) +
                       ", but wanted is each of " + Twine(shape.size()) +
                       " dimensions once");
  int64_t lead = getLead(shape);
  Shape physical(lead);
  std::iota(physical.begin(), physical.end(), 0);
  Shape output;
  for (int64_t dim : permutation) {
    physical.push_back(dim + lead);
    output.push_back(shape[dim]);
  }
  if (const Constant *constant = node.getSizes(0))
    return node.set(0,
                    pickElements(*constant, output, [&](ArrayRef<int64_t> at) {
                      Shape from(at.size());
                      for (auto [dim, index] : llvm::zip_equal(permutation, at))
                        from[dim] = index;
                      return from;
                    }));
  if (isEmpty(output))
    return setEmpty(node, 0, node.getType(0), output);
  return node.set(0, node.transpose(node.get(0), physical), output);
}

static LogicalResult importExpand(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  FailureOr<Shape> sizes = node.getIntegers(1, "the sizes");
  if (failed(sizes))
    return failure();
  std::optional<Shape> shape = broadcastShapes(node.getShape(0), *sizes);
  if (!shape || llvm::any_of(*sizes, [](int64_t size) { return size < 0; }))
    return node.reject(
        "its input has the shape " + describeShape(node.getShape(0)) +
        ", which does not broadcast to " + describeShape(*sizes));
  if (failed(wantTensor(node, *shape)))
    return failure();
  if (isEmpty(*shape))
    return setEmpty(node, 0, node.getType(0), *shape);
  return node.set(0, node.getBroadcast(0, toPhysical(*shape)), *shape);
}

static LogicalResult importReshape(NodeImporter &node) {
  bool hasInput = node.getOpset() >= 5;
  if (failed(node.wantInputs(hasInput ? 2 : 1, hasInput ? 2 : 1)))
    return failure();
  FailureOr<Shape> shape = hasInput ? node.getIntegers(1, "the sizes")
                                    : FailureOr<Shape>(node.getInts("shape"));
  if (failed(shape))
    return failure();
  const Shape &from = node.getShape(0);
  bool copiesZeros = node.getInt("allowzero", 0) == 0;
  std::optional<size_t> inferred;
  int64_t known = 1;
  for (auto [dim, size] : llvm::enumerate(*shape)) {
    if (size == 0 && copiesZeros && dim < from.size())
      size = from[dim];
    if (size == -1 && !inferred)
      inferred = dim;
    else if (size < 0 || size > UINT32_MAX ||
             llvm::MulOverflow(known, size, known))
      return node.reject("its shape is " + describeShape(*shape) +
                         ", but wanted are sizes and at most one -1");
  }
  if (inferred) {
    if (known == 0 || *countElements(from) % known != 0)
      return node.reject("it shows " + describeShape(from) + " as " +
                         describeShape(*shape) +
                         ", which cannot have as many elements");
    (*shape)[*inferred] = *countElements(from) / known;
  }
  return node.setView(0, 0, *shape);
}

static LogicalResult importFlatten(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  ArrayRef<int64_t> shape = node.getShape(0);
  auto rank = static_cast<int64_t>(shape.size());
  // The axis may also lie behind the last dimension.
  FailureOr<int64_t> axis = node.getInt("axis", 1);
  if (*axis != rank)
    axis = node.normalizeAxis(*axis, rank);
  if (failed(axis))
    return failure();
  return node.setView(0, 0,
                      {*countElements(shape.take_front(*axis)),
                       *countElements(shape.drop_front(*axis))});
}

static LogicalResult importSqueeze(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  const Shape &from = node.getShape(0);
  FailureOr<Shape> axes = getAxes(node, from.size());
  if (failed(axes))
    return failure();
  bool all = axes->empty();
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(from)) {
    bool listed = llvm::is_contained(*axes, static_cast<int64_t>(dim));
    if (listed && size != 1)
      return node.reject("dimension " + Twine(dim) + " has size " +
                         Twine(size) + ", but wanted is 1");
    if (!listed && !(all && size == 1))
      shape.push_back(size);
  }
  return node.setView(0, 0, shape);
}

static LogicalResult importUnsqueeze(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  const Shape &from = node.getShape(0);
  size_t count = node.hasInput(1) ? *countElements(node.getShape(1))
                                  : node.getInts("axes").size();
  if (count > 8)
    return node.reject("it adds " + Twine(count) +
                       " dimensions, but DirectML's tensors have at most 8");
  size_t rank = from.size() + count;
  FailureOr<Shape> axes = getAxes(node, rank);
  if (failed(axes))
    return failure();
  Shape shape;
  const auto *next = from.begin();
  for (size_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(*axes, static_cast<int64_t>(dim)))
      shape.push_back(1);
    else if (next != from.end())
      shape.push_back(*next++);
    else
      return node.reject("an axis stands twice");
  }
  return node.setView(0, 0, shape);
}

static LogicalResult importIdentity(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  return node.setView(0, 0, node.getShape(0));
}

static LogicalResult importBitCast(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  auto to = static_cast<int32_t>(node.getInt("to", 0));
  std::optional<DataType> type = toDataType(to);
  if (!type)
    return node.reject("it shows bits as " + describeONNXType(to) +
                       ", which no DirectML tensor has");
  auto getBits = [](DataType type) {
    return isFourBits(type) ? 4 : 8 * getByteWidth(type);
  };
  if (getBits(*type) != getBits(node.getType(0)))
    return node.reject("it shows elements of " +
                       Twine(getBits(node.getType(0))) + " bits as those of " +
                       Twine(getBits(*type)) + ", but wanted are as many");
  if (*type == node.getType(0))
    return node.setView(0, 0, node.getShape(0));
  return node.set(0, node.bitcast(node.get(0), *type), node.getShape(0));
}

void dml::onnx::addViewNodes(Registry &registry) {
  registry.add("Transpose", "a view", importTranspose);
  registry.add("Expand", "a view", importExpand);
  registry.add("Reshape", "a view", importReshape);
  registry.add("Flatten", "a view", importFlatten);
  registry.add("Squeeze", "a view", importSqueeze);
  registry.add("Unsqueeze", "a view", importUnsqueeze);
  registry.add("Identity", "a view", importIdentity);
  registry.add("BitCast", "a view", importBitCast);
}
