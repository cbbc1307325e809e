//===- ContractionOps.cpp - Products with quantized factors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/ContribUtils.h"
#include "dml/IR/Layout.h"
#include "dml/IR/ViewOps.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

FailureOr<Value> dml::onnx::getIntegerProduct(NodeImporter &node, Value a,
                                              Value scaleA, Value zeroA,
                                              unsigned second, unsigned scaleB,
                                              unsigned zeroB, unsigned bias) {
  const Shape &shape = node.getShape(0), &other = node.getShape(second);
  if (shape.size() < 2 || other.size() != 2 || shape.back() != other[0])
    return node.reject("it multiplies " + describeShape(shape) + " by " +
                       describeShape(other) +
                       ", but wanted are matrices by one matrix");
  int64_t rows = *countElements(ArrayRef(shape).drop_back()),
          columns = other[1];
  auto perColumn = [&](unsigned index) -> FailureOr<Value> {
    if (!node.hasInput(index))
      return Value();
    int64_t count = countElements(node.getShape(index)).value_or(0);
    if (count != 1 && count != columns)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one number, or one for each of " +
                         Twine(columns) + " columns");
    return node.getAs(index, {1, 1, 1, count});
  };
  FailureOr<Value> scale = perColumn(scaleB), zero = perColumn(zeroB);
  if (failed(scale) || failed(zero))
    return failure();
  Shape physical = {1, 1, rows, columns};
  FailureOr<Value> added = node.getBias(bias, columns, physical);
  if (failed(added))
    return failure();
  return node.build("matrix_multiply_integer_to_float",
                    {{"a", node.reshape(a, {1, 1, rows, shape.back()})},
                     {"a_scale", scaleA},
                     {"a_zero_point", zeroA},
                     {"b", node.get(second)},
                     {"b_scale", *scale},
                     {"b_zero_point", *zero},
                     {"bias", *added}},
                    {}, node.getTensorType(physical, node.getType(scaleB)));
}

/// Sets the output to the product that getIntegerProduct() returns.
static LogicalResult setIntegerProduct(NodeImporter &node, Value a,
                                       Value scaleA, Value zeroA,
                                       unsigned second, unsigned scaleB,
                                       unsigned zeroB, unsigned bias) {
  FailureOr<Value> product =
      getIntegerProduct(node, a, scaleA, zeroA, second, scaleB, zeroB, bias);
  if (failed(product))
    return failure();
  Shape output = node.getShape(0);
  output.back() = node.getShape(second)[1];
  return node.set(0, *product, output);
}

static LogicalResult importIntegerToFloat(NodeImporter &node) {
  if (failed(node.wantInputs(4, 7)))
    return failure();
  Shape one(4, 1);
  FailureOr<Value> scale = getElement(node, 2, one),
                   zero = getElement(node, 4, one);
  if (failed(scale) || failed(zero))
    return failure();
  return setIntegerProduct(node, node.get(0), *scale, *zero, 1, 3, 5, 6);
}

static LogicalResult importDynamicProduct(NodeImporter &node) {
  if (failed(node.wantInputs(3, 5)))
    return failure();
  Shape physical = toPhysical(node.getShape(0)), one(4, 1);
  FailureOr<SmallVector<Value>> quantized =
      node.buildAll("dynamic_quantize_linear", {{"input", node.get(0)}}, {},
                    {node.getTensorType(physical, DataType::UINT8),
                     node.getTensorType(one, DataType::FLOAT32),
                     node.getTensorType(one, DataType::UINT8)});
  if (failed(quantized))
    return failure();
  return setIntegerProduct(node, (*quantized)[0], (*quantized)[1],
                           (*quantized)[2], 1, 2, 3, 4);
}

namespace {
/// Weights with 4 or 8 bits: `rows` rows of `columns` elements, in blocks of
/// `block` elements. The last block of a row may contain surplus elements.
struct PackedWeights {
  int64_t bits, block, rows, columns;

  int64_t getBlocks() const { return (columns - 1) / block + 1; }
  DataType getType() const {
    return bits == 4 ? DataType::UINT4 : DataType::UINT8;
  }
};
} // namespace

/// Reads the attributes of a MatMulNBits.
static FailureOr<PackedWeights> getPackedWeights(NodeImporter &node) {
  PackedWeights weights{node.getInt("bits", 4), node.getInt("block_size", 0),
                        node.getInt("N", 0), node.getInt("K", 0)};
  // The attribute states the minimum precision of the product.
  node.ignoreAttributes({"accuracy_level"});
  const Shape &shape = node.getShape(0), &packed = node.getShape(1);
  auto [bits, block, n, k] = weights;
  if (bits != 4 && bits != 8)
    return node.reject("its weights have " + Twine(bits) +
                       " bits, but wanted are 4 or 8");
  if (block < 2 || block > UINT16_MAX || block % 2 != 0 || k < 1 || n < 1 ||
      k > UINT32_MAX || n > UINT32_MAX || shape.empty() || isEmpty(shape) ||
      shape.back() != k ||
      packed != Shape{n, weights.getBlocks(), block * bits / 8} ||
      node.getType(1) != DataType::UINT8)
    return node.reject("it multiplies " + describeShape(shape) + " by " +
                       describeShape(packed) + " bytes, which are not " +
                       Twine(n) + " rows of " + Twine(k) +
                       " elements in blocks of " + Twine(block));
  if (node.hasInput(4))
    return node.reject("it has indices of groups, which DirectML's blocks have "
                       "not");
  return weights;
}

/// Returns the bytes of input `index` as elements of 4 or 8 bits with the shape
/// `as`. Each row of 4-bit elements begins at a byte.
static FailureOr<Value> getElements(NodeImporter &node, unsigned index,
                                    const PackedWeights &weights,
                                    const Shape &as) {
  if (weights.bits == 8 && node.getType(index) == DataType::UINT8 &&
      countElements(node.getShape(index)) == countElements(as))
    return node.getAs(index, as);
  const std::optional<Constant> &constant = node.getInput(index).constant;
  if (!constant)
    return node.reject("its weights are computed when the model runs, but the "
                       "importer unpacks them");
  // A row with an odd number of elements has one more, which means nothing.
  Shape stored = as;
  stored.back() += stored.back() % 2;
  std::optional<int64_t> count = countElements(stored);
  int64_t bytes = count.value_or(0) / 2;
  if (weights.bits == 8 || node.getType(index) != DataType::UINT8 ||
      countElements(node.getShape(index)) != bytes)
    return node.reject("its input " + Twine(index) + " has the shape " +
                       describeShape(node.getShape(index)) +
                       ", but wanted are " + Twine(bytes) + " bytes");
  std::optional<Constant> elements =
      constant->viewAsFourBits(weights.getType(), stored);
  if (!elements)
    return node.reject("its input " + Twine(index) + " repeats one byte " +
                       Twine(bytes) + " times, but wanted are bytes of a file");
  Value value = node.getConstant(*elements, stored);
  if (stored == as)
    return value;
  return ViewOp::create(node.getBuilder(), value.getLoc(),
                        node.getTensorType(as, weights.getType()), value,
                        getPackedStrides(stored))
      .getResult();
}

/// Returns the weights as floats, with the shape {1, 1, N, K}.
static FailureOr<Value> dequantizeWeights(NodeImporter &node,
                                          const PackedWeights &weights) {
  auto [bits, block, n, k] = weights;
  Shape all = {1, 1, n, weights.getBlocks() * block},
        blocks = {1, 1, n, weights.getBlocks()};
  if (failed(wantTensor(node, all)))
    return failure();
  FailureOr<Value> b = getElements(node, 1, weights, all);
  if (failed(b))
    return failure();
  if (countElements(node.getShape(2)) != countElements(blocks))
    return node.reject(
        "its scales have the shape " + describeShape(node.getShape(2)) +
        ", but wanted is one for each block, " + describeShape(blocks));
  // The default zero point lies in the middle of the range.
  FailureOr<Value> zero =
      node.hasInput(3)
          ? getElements(node, 3, weights, blocks)
          : FailureOr<Value>(node.getSplat(weights.getType(),
                                           static_cast<double>(1 << (bits - 1)),
                                           blocks));
  if (failed(zero))
    return failure();
  FailureOr<Value> real = node.build(
      "dequantize",
      {{"input", *b},
       {"quantizations", ArrayRef<Value>{node.getAs(2, blocks), *zero}}},
      {node.enumCase("quantization_type", "quantization_type",
                     "scale_zero_point")},
      node.getTensorType(all, node.getType(2)));
  if (failed(real))
    return failure();
  // The surplus elements in the last block of a row are removed.
  return takePart(node, *real, Shape(4, 0), {1, 1, n, k});
}

/// Imports a product with weights of 4 or 8 bits, with the shape {N, blocks,
/// bytes of a block}. Each block of a row has a scale and a zero point.
static LogicalResult importMatMulNBits(NodeImporter &node) {
  if (failed(node.wantInputs(3, 6)))
    return failure();
  FailureOr<PackedWeights> weights = getPackedWeights(node);
  if (failed(weights))
    return failure();
  FailureOr<Value> b = dequantizeWeights(node, *weights);
  if (failed(b))
    return failure();
  const Shape &shape = node.getShape(0);
  int64_t rows = *countElements(ArrayRef(shape).drop_back());
  Shape output = shape, physical = {1, 1, rows, weights->rows};
  output.back() = weights->rows;
  FailureOr<Value> bias = node.getBias(5, weights->rows, physical);
  if (failed(wantTensor(node, output)) || failed(bias))
    return failure();
  return node.set(
      0,
      node.build("gemm",
                 {{"a", node.getAs(0, {1, 1, rows, weights->columns})},
                  {"b", *b},
                  {"c", *bias}},
                 {node.enumCase("trans_a", "matrix_transform", "none"),
                  node.enumCase("trans_b", "matrix_transform", "transpose"),
                  node.number("alpha", 1), node.number("beta", *bias ? 1 : 0)},
                 node.getTensorType(physical, node.getType(0))),
      output);
}

void dml::onnx::addContribContractionNodes(Registry &registry) {
  addContrib(registry, "MatMulNBits", "DEQUANTIZE, GEMM", importMatMulNBits);
  addContrib(registry, "MatMulIntegerToFloat",
             "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", importIntegerToFloat);
  addContrib(registry, "DynamicQuantizeMatMul",
             "DYNAMIC_QUANTIZE_LINEAR, MATRIX_MULTIPLY_INTEGER_TO_FLOAT",
             importDynamicProduct);
}
