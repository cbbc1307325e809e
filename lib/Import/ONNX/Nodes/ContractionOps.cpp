//===- ContractionOps.cpp - Products of matrices --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/QuantizedOperands.h"
#include <algorithm>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

static NamedAttribute getTransform(NodeImporter &node, StringRef name,
                                   bool isTransposed) {
  return node.enumCase(name, "matrix_transform",
                       isTransposed ? "transpose" : "none");
}

static LogicalResult importGemm(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  const Shape &a = node.getShape(0), &b = node.getShape(1);
  if (a.size() != 2 || b.size() != 2)
    return node.reject("its matrices have the shapes " + describeShape(a) +
                       " and " + describeShape(b) +
                       ", but wanted are two dimensions");
  bool transA = node.getInt("transA", 0) != 0,
       transB = node.getInt("transB", 0) != 0;
  Shape output = {a[transA ? 1 : 0], b[transB ? 0 : 1]};
  Value c;
  if (node.hasInput(2)) {
    bool isFixed = node.getOpset() < 7 && node.getInt("broadcast", 0) == 0 &&
                   node.getShape(2) != output;
    if (isFixed || broadcastShapes(node.getShape(2), output) != output)
      return node.reject(
          "its C has the shape " + describeShape(node.getShape(2)) +
          ", which does not broadcast to " + describeShape(output));
    c = node.getBroadcast(2, toPhysical(output));
  }
  FailureOr<Value> result =
      node.build("gemm", {{"a", node.get(0)}, {"b", node.get(1)}, {"c", c}},
                 {getTransform(node, "trans_a", transA),
                  getTransform(node, "trans_b", transB),
                  node.number("alpha", node.getFloat("alpha", 1)),
                  node.number("beta", node.getFloat("beta", 1))},
                 node.getTensorType(toPhysical(output), node.getType(0)));
  return node.set(0, result, output);
}

namespace {
/// A product of matrices.
struct Product {
  Value a, b;
  /// The shape of the operator's result, and the shape of the node's output.
  Shape output, logical;
};
} // namespace

/// Returns the shape of input `index`. If `isMoved` is set, the first dimension
/// is moved to the rows: {2, 3, 4, 5} becomes {3, 4, 2, 5}.
static Shape getFactorShape(NodeImporter &node, unsigned index, bool isMoved) {
  Shape shape = node.getShape(index);
  if (isMoved)
    std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
  return shape;
}

/// Returns input `index` with the shape `as`, broadcast to `shape`.
static Value getFactor(NodeImporter &node, unsigned index, bool isMoved,
                       const Shape &as, const Shape &shape) {
  if (!isMoved)
    return node.getBroadcast(index, shape, as);
  Shape order;
  for (size_t dim = 0; dim < as.size(); ++dim)
    order.push_back(dim);
  std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  Value moved = node.transpose(node.getAs(index, node.getShape(index)), order);
  return node.repeat(node.reshape(moved, leadTo(shape.size(), as)), shape);
}

/// Returns the product of the inputs 0 and `second`, each of which may be
/// transposed. The first dimensions of the inputs may be moved to the rows.
static FailureOr<Product> getProduct(NodeImporter &node, unsigned second,
                                     bool transA = false, bool transB = false,
                                     bool moveA = false, bool moveB = false) {
  Shape a = getFactorShape(node, 0, moveA),
        b = getFactorShape(node, second, moveB);
  if (a.empty() || b.empty())
    return node.reject("one of its inputs is a scalar");
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  auto getRows = [](const Shape &shape, bool isTransposed) {
    return isTransposed ? shape.back() : shape[shape.size() - 2];
  };
  int64_t rows = getRows(a, transA), columns = getRows(b, !transB);
  std::optional<Shape> batch =
      broadcastShapes(ArrayRef(a).drop_back(2), ArrayRef(b).drop_back(2));
  if (!batch || getRows(a, !transA) != getRows(b, transB))
    return node.reject("it multiplies " + describeShape(node.getShape(0)) +
                       " by " + describeShape(node.getShape(second)) +
                       ", which do not fit");
  auto withBatch = [&](ArrayRef<int64_t> matrix) {
    Shape shape = *batch;
    shape.append(matrix.begin(), matrix.end());
    return toPhysical(shape);
  };
  Product product;
  product.output = withBatch({rows, columns});
  product.a = getFactor(node, 0, moveA, a, withBatch(ArrayRef(a).take_back(2)));
  product.b =
      getFactor(node, second, moveB, b, withBatch(ArrayRef(b).take_back(2)));
  // DirectML's products have two batch dimensions. Further batch dimensions are
  // collapsed into one.
  if (product.output.size() > 4) {
    int64_t count = *countElements(ArrayRef(product.output).drop_back(2));
    auto flatten = [&](Value value, const Shape &shape) {
      return node.reshape(value,
                          {1, count, shape[shape.size() - 2], shape.back()});
    };
    product.output = {1, count, rows, columns};
    product.a = flatten(product.a, a);
    product.b = flatten(product.b, b);
  }
  product.logical = *batch;
  if (!isRow)
    product.logical.push_back(rows);
  if (!isColumn)
    product.logical.push_back(columns);
  return product;
}

/// Sets the output to `alpha` times the product of the inputs.
static LogicalResult setProduct(NodeImporter &node, bool transA, bool transB,
                                float alpha, bool moveA = false,
                                bool moveB = false) {
  FailureOr<Product> product =
      getProduct(node, 1, transA, transB, moveA, moveB);
  if (failed(product))
    return failure();
  DataType type = node.getType(0);
  if (!transA && !transB && alpha == 1 && type != DataType::FLOAT32 &&
      type != DataType::FLOAT16)
    return node.set(0,
                    multiplyAndSum(node, product->a,
                                   node.transpose(product->b, {0, 1, 3, 2})),
                    product->logical);
  FailureOr<Value> result =
      node.build("gemm", {{"a", product->a}, {"b", product->b}},
                 {getTransform(node, "trans_a", transA),
                  getTransform(node, "trans_b", transB),
                  node.number("alpha", alpha), node.number("beta", 0)},
                 node.getTensorType(product->output, node.getType(0)));
  return node.set(0, result, product->logical);
}

static LogicalResult importMatMul(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  return setProduct(node, /*transA=*/false, /*transB=*/false, /*alpha=*/1);
}

/// Imports com.microsoft's FusedMatMul, which also transposes and scales.
/// transBatchA and transBatchB move the first dimension of a factor to its
/// rows.
static LogicalResult importFusedMatMul(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  // A tensor with one dimension cannot be transposed.
  auto isOn = [&](unsigned index, StringRef name, size_t rank) {
    return node.getInt(name, 0) != 0 && node.getShape(index).size() >= rank;
  };
  bool transA = isOn(0, "transA", 2), transB = isOn(1, "transB", 2),
       moveA = isOn(0, "transBatchA", 3), moveB = isOn(1, "transBatchB", 3);
  return setProduct(node, transA, transB, node.getFloat("alpha", 1), moveA,
                    moveB);
}

/// The dimensions of rows and columns in four-dimensional tensors.
static constexpr size_t rowDim = 2, columnDim = 3;

/// Imports a product of the integer inputs 0 and `second`, with `parameters`.
static LogicalResult importIntegerProduct(NodeImporter &node,
                                          StringRef mnemonic, unsigned second,
                                          ArrayRef<ParameterInput> parameters,
                                          DataType type) {
  FailureOr<Product> product = getProduct(node, second);
  if (failed(product))
    return failure();
  SmallVector<NodeImporter::Operand> operands = {{"a", product->a},
                                                 {"b", product->b}};
  if (failed(addParameters(node, parameters, operands)))
    return failure();
  FailureOr<Value> result = node.build(
      mnemonic, operands, {}, node.getTensorType(product->output, type));
  return node.set(0, result, product->logical);
}

static LogicalResult importMatMulInteger(NodeImporter &node) {
  if (failed(node.wantInputs(2, 4)))
    return failure();
  return importIntegerProduct(
      node, "matrix_multiply_integer", 1,
      {{"a_zero_point", 2, rowDim}, {"b_zero_point", 3, columnDim}},
      DataType::INT32);
}

static LogicalResult importQuantizedMatMul(NodeImporter &node) {
  if (failed(node.wantInputs(8, 8)))
    return failure();
  return importIntegerProduct(node, "quantized_linear_matrix_multiply", 3,
                              {{"a_scale", 1, rowDim},
                               {"a_zero_point", 2, rowDim},
                               {"b_scale", 4, columnDim},
                               {"b_zero_point", 5, columnDim},
                               {"output_scale", 6, rowDim},
                               {"output_zero_point", 7, rowDim}},
                              node.getType(7));
}

void dml::onnx::addContractionNodes(Registry &registry) {
  addConvolutionNodes(registry);
  addEinsumNodes(registry);
  registry.add("Gemm", "GEMM", importGemm);
  registry.add("MatMul", "GEMM", importMatMul);
  registry.add("FusedMatMul", "GEMM", importFusedMatMul, "com.microsoft");
  registry.add("MatMulInteger", "MATRIX_MULTIPLY_INTEGER", importMatMulInteger);
  registry.add("QLinearMatMul", "QUANTIZED_LINEAR_MATRIX_MULTIPLY",
               importQuantizedMatMul);
}
