//===- OldNodes.cpp - Operators of the first version alone ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX had a few experimental operators in its first version, which later ones
// dropped. ONNX Runtime and its DirectML provider still execute them.
//
//===----------------------------------------------------------------------===//

#include "Nodes/ElementWiseRows.h"
#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Imports Crop, which removes the columns and rows of `border`: left, top,
/// right and bottom. If there is a `scale`, the result has this height and
/// width, and the border at the right and bottom has no effect.
static LogicalResult importCrop(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape border = node.getInts("border"), scale = node.getInts("scale");
  bool isIn = llvm::all_of(border,
                           [](int64_t size) {
                             return size >= 0 && size <= UINT32_MAX;
                           }) &&
              llvm::all_of(scale, [](int64_t size) {
                return size >= 1 && size <= UINT32_MAX;
              });
  if (shape.size() != 4 || border.size() != 4 || !isIn ||
      (!scale.empty() && scale.size() != 2))
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", its border " + describeList(border) +
                       " and its scale " + describeList(scale) +
                       ", but wanted are images, four sizes, and none or two");
  Shape output = shape, offsets = {0, 0, border[1], border[0]};
  for (int64_t dim : {0, 1}) {
    int64_t size = shape[dim + 2], start = offsets[dim + 2],
            end = border[3 - dim];
    output[dim + 2] = scale.empty() ? size - start - end : scale[dim];
    if (output[dim + 2] < 1 || start + output[dim + 2] > size)
      return node.reject("it leaves " + Twine(output[dim + 2]) + " of " +
                         Twine(size) + " elements from " + Twine(start) +
                         " on, which are not there");
  }
  return node.set(0, takePart(node, node.get(0), offsets, output), output);
}

/// Imports ImageScaler. DirectML's operator takes images of one or three
/// channels.
static LogicalResult importImageScaler(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.get(0);
  return node.set(0,
                  node.build("value_scale_2d", {{"input", input}},
                             {node.number("scale", node.getFloat("scale", 1)),
                              node.floats("bias", node.getFloats("bias"))},
                             input.getType()),
                  node.getShape(0));
}

void dml::onnx::addOldNodes(Registry &registry) {
  addUnary(registry, "Affine", "activation_linear",
           {{"alpha", "alpha", 1}, {"beta", "beta", 0}});
  registry.add("Crop", "SLICE1", importCrop);
  registry.add("ImageScaler", "VALUE_SCALE_2D", importImageScaler);
}
