//===- SoftmaxOps.cpp - Softmax and its kin -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Adds an operator on sets of elements. The elements of a set, whose results
/// add up to 1 for a softmax, lie along one axis. Before opset 13, they lie
/// along all axes from one axis on.
static void addSoftmax(Registry &registry, StringRef name, StringRef mnemonic) {
  auto import = [=](NodeImporter &node) -> LogicalResult {
    if (failed(node.wantInputs(1, 1)))
      return failure();
    const Shape &shape = node.getShape(0);
    bool isOld = node.getOpset() < 13;
    auto rank = static_cast<int64_t>(shape.size());
    FailureOr<int64_t> axis =
        node.normalizeAxis(node.getInt("axis", isOld ? 1 : -1), rank);
    if (failed(axis))
      return failure();
    Value input = node.get(0);
    int64_t lead = toPhysical(shape).size() - shape.size();
    Shape axes;
    for (int64_t dim = *axis; dim < (isOld ? rank : *axis + 1); ++dim)
      axes.push_back(dim + lead);
    FailureOr<Value> output = node.build(
        mnemonic, {{"input", input}}, node.ints("axes", axes), input.getType());
    if (failed(output))
      return failure();
    return node.set(0, *output, shape);
  };
  registry.add(name, mnemonic.upper(), import);
}

void dml::onnx::addSoftmaxNodes(Registry &registry) {
  addSoftmax(registry, "Softmax", "activation_softmax1");
  addSoftmax(registry, "LogSoftmax", "activation_log_softmax1");
  addSoftmax(registry, "Hardmax", "activation_hardmax1");
}
