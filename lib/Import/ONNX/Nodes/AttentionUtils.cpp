//===- AttentionUtils.cpp - Attention as products and a softmax -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/AttentionUtils.h"
#include <cfloat>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

double dml::onnx::getLowest(DataType type) {
  return type == DataType::FLOAT16 ? -65504.0 : -FLT_MAX;
}

Value dml::onnx::getSequence(NodeImporter &node, ArrayRef<int64_t> shape,
                             int64_t start, int64_t delta) {
  return node
      .buildAll("fill_value_sequence", {},
                {node.scalar("value_start", DataType::INT32,
                             static_cast<double>(start)),
                 node.scalar("value_delta", DataType::INT32,
                             static_cast<double>(delta))},
                node.getTensorType(shape, DataType::INT32))
      ->front();
}

Value dml::onnx::multiply(NodeImporter &node, Value a, Value b,
                          bool isTransposed, float factor,
                          ArrayRef<int64_t> shape) {
  return node
      .buildAll("gemm", {{"a", a}, {"b", b}},
                {node.enumCase("trans_a", "matrix_transform", "none"),
                 node.enumCase("trans_b", "matrix_transform",
                               isTransposed ? "transpose" : "none"),
                 node.number("alpha", factor), node.number("beta", 0)},
                node.getTensorType(shape, node.getTypeOf(a)))
      ->front();
}

Value dml::onnx::limitScores(NodeImporter &node, Value scores, float cap) {
  if (cap == 0)
    return scores;
  Value caps = node.getSplat(node.getTypeOf(scores), cap, getShapeOf(scores));
  Value part = node.combine("element_wise_divide", scores, caps);
  return node.combine("element_wise_multiply",
                      node.apply("activation_tanh", part), caps);
}
