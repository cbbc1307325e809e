//===- ScanOps.cpp - Sums and products of all elements so far -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Imports a CumSum or CumProd as dml.`mnemonic`. Its flag `exclusive` states
/// that an element does not contribute to its own result.
static LogicalResult importScan(NodeImporter &node, StringRef mnemonic,
                                StringRef exclusive) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> given = getInteger(node, 1, "the axis");
  if (failed(given))
    return failure();
  FailureOr<int64_t> axis = node.normalizeAxis(*given, shape.size());
  if (failed(axis))
    return failure();
  Value input = node.get(0);
  StringRef direction =
      node.getInt("reverse", 0) != 0 ? "decreasing" : "increasing";
  FailureOr<Value> output =
      node.build(mnemonic, {{"input", input}},
                 {node.integer("axis", *axis + getLead(shape)),
                  node.enumCase("axis_direction", "axis_direction", direction),
                  node.flag(exclusive, node.getInt("exclusive", 0) != 0)},
                 input.getType());
  return node.set(0, output, shape);
}

void dml::onnx::addScanNodes(Registry &registry) {
  registry.add("CumSum", "CUMULATIVE_SUMMATION", [](NodeImporter &node) {
    return importScan(node, "cumulative_summation", "has_exclusive_sum");
  });
  registry.add("CumProd", "CUMULATIVE_PRODUCT", [](NodeImporter &node) {
    return importScan(node, "cumulative_product", "has_exclusive_product");
  });
}
