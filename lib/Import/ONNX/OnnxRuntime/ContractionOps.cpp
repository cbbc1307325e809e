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
  /// Whether 4-bit elements are computed when the model runs. Operators then
  /// split the bytes, and each element has 8 bits.
  bool isSplit = false;

  int64_t getBlocks() const { return (columns - 1) / block + 1; }
  DataType getType() const {
    return bits == 4 && !isSplit ? DataType::UINT4 : DataType::UINT8;
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
  int64_t bits = weights.bits, block = weights.block, n = weights.rows,
          k = weights.columns;
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
  auto isComputed = [&](unsigned index) {
    return node.hasInput(index) && node.getType(index) == DataType::UINT8 &&
           !node.getInput(index).constant;
  };
  weights.isSplit = bits == 4 && (isComputed(1) || isComputed(3));
  return weights;
}

/// Returns the 4-bit elements in `bytes` as bytes, with the shape `as`. The
/// first element of two is in the low half of a byte.
static Value splitBytes(NodeImporter &node, Value bytes, const Shape &as) {
  Shape shape(cast<RankedTensorType>(bytes.getType()).getShape());
  auto splat = [&](double number) {
    return node.getSplat(DataType::UINT8, number, shape);
  };
  Value low = node.combine("element_wise_bit_and", bytes, splat(15)),
        high = node.combine("element_wise_bit_shift_right", bytes, splat(4));
  Shape half = shape, whole = shape, all = shape;
  half.push_back(1);
  whole.push_back(2);
  all.back() *= 2;
  Value pairs =
      *node.build("join",
                  {{"inputs", ArrayRef<Value>{node.reshape(low, half),
                                              node.reshape(high, half)}}},
                  node.integer("axis", shape.size()),
                  node.getTensorType(whole, DataType::UINT8));
  return takePart(node, node.reshape(pairs, all), Shape(all.size(), 0), as);
}

/// Returns the bytes of input `index` as elements of 4 or 8 bits with the shape
/// `as`. Each row of 4-bit elements begins at a byte.
static FailureOr<Value> getElements(NodeImporter &node, unsigned index,
                                    const PackedWeights &weights,
                                    const Shape &as) {
  if (weights.bits == 8 && node.getType(index) == DataType::UINT8 &&
      countElements(node.getShape(index)) == countElements(as))
    return node.getAs(index, as);
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
  if (weights.isSplit) {
    stored.back() /= 2;
    return splitBytes(node, node.getAs(index, stored), as);
  }
  std::optional<Constant> elements =
      node.getInput(index).constant->viewAsFourBits(weights.getType(), stored);
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

/// Returns the zero points of the weights, with the shape `blocks`. The default
/// zero point lies in the middle of the range.
static FailureOr<Value> getZeroPoints(NodeImporter &node,
                                      const PackedWeights &weights,
                                      const Shape &blocks) {
  if (node.hasInput(3))
    return getElements(node, 3, weights, blocks);
  double middle = static_cast<double>(1 << (weights.bits - 1));
  return node.getSplat(weights.getType(), middle, blocks);
}

static FailureOr<Value> dequantize(NodeImporter &node, Value elements,
                                   Value scale, Value zero) {
  auto shape = cast<RankedTensorType>(elements.getType()).getShape();
  return node.build(
      "dequantize",
      {{"input", elements}, {"quantizations", ArrayRef<Value>{scale, zero}}},
      {node.enumCase("quantization_type", "quantization_type",
                     "scale_zero_point")},
      node.getTensorType(shape, node.getTypeOf(scale)));
}

/// Returns `elements` as floats by the floats in input 3, which are zero
/// points, as (element - zero point) * scale.
static FailureOr<Value> dequantizeByFloats(NodeImporter &node,
                                           const PackedWeights &weights,
                                           Value elements,
                                           const Shape &blocks) {
  DataType type = node.getType(2);
  if (node.getType(3) != type ||
      countElements(node.getShape(3)) != countElements(blocks))
    return node.reject("its zero points have the shape " +
                       describeShape(node.getShape(3)) +
                       ", but wanted is one for each block, " +
                       describeShape(blocks) + ", with the type of the scales");
  FailureOr<Value> real =
      dequantize(node, elements, node.getSplat(type, 1, blocks),
                 node.getSplat(weights.getType(), 0, blocks));
  if (failed(real))
    return failure();
  int64_t count = weights.getBlocks();
  Shape split = {1, weights.rows, count, weights.block};
  auto get = [&](unsigned index) {
    return node.repeat(node.getAs(index, {1, weights.rows, count, 1}), split);
  };
  Value centered =
      node.combine("element_wise_subtract", node.reshape(*real, split), get(3));
  return node.reshape(node.combine("element_wise_multiply", centered, get(2)),
                      cast<RankedTensorType>(elements.getType()).getShape());
}

/// Returns the weights as floats, with the shape {1, 1, N, K}.
static FailureOr<Value> dequantizeWeights(NodeImporter &node,
                                          const PackedWeights &weights) {
  int64_t n = weights.rows, k = weights.columns;
  Shape all = {1, 1, n, weights.getBlocks() * weights.block},
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
  FailureOr<Value> real;
  if (node.hasInput(3) && node.getType(3) != DataType::UINT8) {
    real = dequantizeByFloats(node, weights, *b, blocks);
  } else {
    FailureOr<Value> zero = getZeroPoints(node, weights, blocks);
    if (failed(zero))
      return failure();
    real = dequantize(node, *b, node.getAs(2, blocks), *zero);
  }
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

//===----------------------------------------------------------------------===//
// Rows of packed tables
//===----------------------------------------------------------------------===//

namespace {
/// Imports a GatherBlockQuantized, which takes rows of a table whose elements
/// have 4 or 8 bits, in blocks with a scale and a zero point each. Only the
/// rows that are taken are dequantized.
class PackedRows {
public:
  explicit PackedRows(NodeImporter &node) : node(node) {}

  LogicalResult import();

private:
  enum Input : unsigned { Table, Indices, Scales, ZeroPoints };
  LogicalResult readSizes();
  /// Returns the rows of the table in input `index`, {1, 1, rows, columns}.
  Value take(unsigned index);
  /// Returns the rows of input `index`, whose bytes have `columns` elements.
  Value takeElements(unsigned index, int64_t columns);

  NodeImporter &node;
  int64_t bits = 4, block = 0, rows = 0, columns = 0, blocks = 0;
};
} // namespace

LogicalResult PackedRows::readSizes() {
  bits = node.getInt("bits", 4);
  block = node.getInt("block_size", 128);
  const Shape &table = node.getShape(Table), &scales = node.getShape(Scales);
  int64_t perByte = bits == 4 ? 2 : 1;
  std::optional<int64_t> count = countElements(node.getShape(Indices));
  bool isTable = table.size() == 2 && !isEmpty(table) && scales.size() == 2 &&
                 node.getType(Table) == DataType::UINT8;
  if ((bits != 4 && bits != 8) || !isTable || block < 2 || block > UINT16_MAX ||
      table[1] > UINT32_MAX / perByte || !count || *count == 0)
    return node.reject("its table has the shape " + describeShape(table) +
                       ", with " + Twine(bits) + " bits in blocks of " +
                       Twine(block) +
                       ", but wanted are rows of bytes with 4 or 8 bits");
  columns = table[1] * perByte;
  blocks = (columns - 1) / block + 1;
  rows = *count;
  if (node.getInt("gather_axis", 0) != 0 ||
      (node.getInt("quantize_axis", 1) != 1 &&
       node.getInt("quantize_axis", 1) != -1))
    return node.reject("its attributes gather_axis and quantize_axis are " +
                       Twine(node.getInt("gather_axis", 0)) + " and " +
                       Twine(node.getInt("quantize_axis", 1)) +
                       ", but wanted are rows of a table, 0 and 1");
  Shape wanted = {table[0], blocks},
        zeros = {table[0], (blocks + perByte - 1) / perByte};
  if (scales != wanted ||
      (node.hasInput(ZeroPoints) && node.getShape(ZeroPoints) != zeros))
    return node.reject("its scales have the shape " + describeShape(scales) +
                       ", but wanted is one for each block, " +
                       describeShape(wanted) + ", and as many zero points");
  if (columns % block != 0)
    return node.reject("its rows have " + Twine(columns) +
                       " elements, but wanted is a multiple of " +
                       Twine(block));
  return wantIndices(node, Indices, table[0]);
}

Value PackedRows::take(unsigned index) {
  return *node.build(
      "gather",
      {{"input", node.get(index)},
       {"indices", node.getAs(Indices, {1, 1, 1, rows})}},
      {node.integer("axis", 2), node.integer("index_dimensions", 1)},
      node.getTensorType({1, 1, rows, node.getShape(index)[1]},
                         node.getType(index)));
}

Value PackedRows::takeElements(unsigned index, int64_t columns) {
  Value bytes = take(index);
  return bits == 4 ? splitBytes(node, bytes, {1, 1, rows, columns}) : bytes;
}

LogicalResult PackedRows::import() {
  if (failed(node.wantInputs(3, 4)) || failed(readSizes()))
    return failure();
  Shape middle = {1, 1, rows, blocks};
  Value zero =
      node.hasInput(ZeroPoints)
          ? takeElements(ZeroPoints, blocks)
          : node.getSplat(DataType::UINT8, static_cast<double>(1 << (bits - 1)),
                          middle);
  FailureOr<Value> real =
      dequantize(node, takeElements(Table, columns), take(Scales), zero);
  Shape output = node.getShape(Indices);
  output.push_back(columns);
  return node.set(0, real, output);
}

void dml::onnx::addContribContractionNodes(Registry &registry) {
  addContrib(
      registry, "GatherBlockQuantized",
      "GATHER, ELEMENT_WISE_BIT_AND, ELEMENT_WISE_BIT_SHIFT_RIGHT, JOIN, "
      "DEQUANTIZE",
      [](NodeImporter &node) { return PackedRows(node).import(); });
  addContrib(registry, "MatMulNBits",
             "DEQUANTIZE, GEMM; of computed weights: ELEMENT_WISE_BIT_AND, "
             "ELEMENT_WISE_BIT_SHIFT_RIGHT, JOIN",
             importMatMulNBits);
  addContrib(registry, "MatMulIntegerToFloat",
             "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", importIntegerToFloat);
  addContrib(registry, "DynamicQuantizeMatMul",
             "DYNAMIC_QUANTIZE_LINEAR, MATRIX_MULTIPLY_INTEGER_TO_FLOAT",
             importDynamicProduct);
}
