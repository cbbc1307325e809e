//===- ViewOps.cpp - Shapes, views, and what models do with them ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Exporters write the arithmetic of sizes as nodes. With the sizes known, these
// nodes have known elements, and what depends on them, such as the shape of a
// Reshape, is known too.
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "Nodes/Movement.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

//===----------------------------------------------------------------------===//
// Operators that have a known result
//===----------------------------------------------------------------------===//

static LogicalResult importShape(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  node.ignoreInput(0);
  const Shape &shape = node.getShape(0);
  auto rank = static_cast<int64_t>(shape.size());
  auto clamp = [&](int64_t x) {
    return std::clamp<int64_t>(x < 0 ? x + rank : x, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = std::max(clamp(node.getInt("end", rank)), start);
  ArrayRef<int64_t> sizes = ArrayRef(shape).slice(start, end - start);
  return node.set(0, Constant::get(DataType::INT64, {end - start}, sizes));
}

static LogicalResult importSize(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  node.ignoreInput(0);
  int64_t count = *countElements(node.getShape(0));
  return node.set(0, Constant::get(DataType::INT64, {}, ArrayRef(count)));
}

static LogicalResult importConstant(NodeImporter &node) {
  if (const AttributeProto *value = node.getAttribute("value");
      value && value->t) {
    llvm::Expected<Constant> constant = node.readTensor(*value->t);
    if (!constant)
      return node.reject(llvm::toString(constant.takeError()));
    return node.set(0, std::move(*constant));
  }
  if (node.hasAttribute("value_int")) {
    int64_t value = node.getInt("value_int", 0);
    return node.set(0, Constant::get(DataType::INT64, {}, ArrayRef(value)));
  }
  if (node.hasAttribute("value_float")) {
    double value = node.getFloat("value_float", 0);
    return node.set(0, Constant::get(DataType::FLOAT32, {}, ArrayRef(value)));
  }
  if (node.hasAttribute("value_ints")) {
    Shape values = node.getInts("value_ints");
    return node.set(0, Constant::get(DataType::INT64,
                                     {static_cast<int64_t>(values.size())},
                                     ArrayRef<int64_t>(values)));
  }
  if (const AttributeProto *values = node.getAttribute("value_floats")) {
    SmallVector<double> numbers(values->floats.begin(), values->floats.end());
    return node.set(0, Constant::get(DataType::FLOAT32,
                                     {static_cast<int64_t>(numbers.size())},
                                     ArrayRef(numbers)));
  }
  return node.reject("its value is no dense tensor of numbers");
}

static LogicalResult importConstantOfShape(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  FailureOr<Shape> shape = node.getIntegers(0, "the sizes");
  if (failed(shape))
    return failure();
  if (!countElements(*shape))
    return node.reject("its shape is " + describeShape(*shape) +
                       ", but wanted are at most 2^32 - 1 elements");
  double zero = 0;
  Constant value = Constant::get(DataType::FLOAT32, {1}, ArrayRef(zero));
  if (const AttributeProto *attribute = node.getAttribute("value")) {
    if (!attribute->t)
      return node.reject("its attribute value is no tensor");
    llvm::Expected<Constant> given = node.readTensor(*attribute->t);
    if (!given)
      return node.reject(llvm::toString(given.takeError()));
    if (given->getNumElements() != 1)
      return node.reject("its value has the shape " +
                         describeShape(given->getShape()) +
                         ", but wanted is one number");
    value = std::move(*given);
  }
  if (*countElements(*shape) == 0)
    return node.set(0, Constant(value.getType(), *shape, {}, nullptr));
  return node.set(0, value.splat(*shape));
}

/// A window of a signal, which is computed where its size is a number that is
/// known.
static LogicalResult importWindow(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  FailureOr<double> size = node.getNumber(0, "the size");
  if (failed(size))
    return failure();
  int64_t number = node.getInt("output_datatype", 1);
  std::optional<DataType> type = toDataType(static_cast<int32_t>(number));
  if (!type || isFourBits(*type))
    return node.reject("its output_datatype is " +
                       describeONNXType(static_cast<int32_t>(number)) +
                       ", but wanted is a type of numbers that DirectML has");
  return node.reject("its size is " + llvm::formatv("{0}", *size).str() +
                     ", but wanted is an integer from 0 to " +
                     Twine(Constant::maxFoldable));
}

/// Coordinates of elements that are not 0, of which only constants have a known
/// number: those that are few are computed.
static LogicalResult importNonZero(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  if (node.getInput(0).constant)
    return node.reject("its input has " +
                       Twine(node.getInput(0).constant->getNumElements()) +
                       " elements, but wanted are " +
                       Twine(Constant::maxFoldable) + " at most");
  return node.reject("its elements are computed when the model runs, but the "
                     "shape of its result depends on them");
}

/// Different elements, of which only constants have a known number.
static LogicalResult importUnique(NodeImporter &node) {
  return node.reject("the shape of its result depends on its data, but "
                     "DirectML's sizes are static");
}

/// Elements of a constant that is a number, for people.
static std::string describeNumber(const Constant &constant) {
  if (constant.isFloat())
    return llvm::formatv("{0}", constant.getFloats()[0]);
  if (constant.getType() == DataType::UINT64)
    return std::to_string(static_cast<uint64_t>(constant.getIntegers()[0]));
  return std::to_string(constant.getIntegers()[0]);
}

/// Equal steps between numbers that are known. Those that are few are computed
/// when the model is read.
static LogicalResult importRange(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  static constexpr StringLiteral names[] = {"the start", "the limit",
                                            "the step"};
  std::string numbers[3];
  for (unsigned index = 0; index < 3; ++index) {
    if (failed(node.getNumber(index, names[index])))
      return failure();
    if (node.getType(index) != node.getType(0))
      return node.reject(names[index] + " is of the type " +
                         stringifyDataType(node.getType(index)) +
                         ", but the start is of the type " +
                         stringifyDataType(node.getType(0)));
    numbers[index] = describeNumber(*node.getInput(index).constant);
  }
  std::optional<int64_t> count = countRange(node);
  if (!count)
    return node.reject("it goes from " + numbers[0] + " to " + numbers[1] +
                       " in steps of " + numbers[2] +
                       ", but wanted are at most 2^32 - 1 elements");
  Shape shape = {*count};
  return node.set(
      0,
      node.build("fill_value_sequence", {},
                 {getScalar(node, "value_start", *node.getInput(0).constant),
                  getScalar(node, "value_delta", *node.getInput(2).constant)},
                 node.getTensorType(toPhysical(shape), node.getType(0))),
      shape);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

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
  // The axis may also stand behind the last dimension.
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

static LogicalResult importDropout(NodeImporter &node) {
  if (failed(node.wantInputs(1, 3)))
    return failure();
  bool isTraining = node.getOpset() < 7 && node.getInt("is_test", 0) == 0;
  if (node.hasInput(2)) {
    FailureOr<double> training = node.getNumber(2, "the training mode");
    if (failed(training))
      return failure();
    isTraining = *training != 0;
  }
  // Training that drops nothing is inference.
  if (isTraining && node.hasInput(1)) {
    FailureOr<double> ratio = node.getNumber(1, "the ratio");
    if (failed(ratio))
      return failure();
    isTraining = *ratio != 0;
  }
  // What inference does not look at.
  node.ignoreAttributes({"ratio", "seed"});
  node.ignoreInput(1);
  if (isTraining)
    return node.reject("its training mode is on, but wanted is inference");
  const Shape &shape = node.getShape(0);
  if (node.hasOutput(1)) {
    if (node.getOpset() < 12)
      return node.reject("its mask is read, which ONNX leaves open before "
                         "opset 12");
    Constant one = Constant::get(DataType::UINT8, {1}, ArrayRef<int64_t>(1));
    if (failed(node.set(1, one.splat(shape))))
      return failure();
  }
  return node.setView(0, 0, shape);
}

void dml::onnx::addShapeOperators(Registry &registry) {
  registry.add("Shape", "computed by the importer", importShape);
  registry.add("Size", "computed by the importer", importSize);
  registry.add("Constant", "a constant", importConstant);
  registry.add("ConstantOfShape", "a constant", importConstantOfShape);
  for (StringRef name : {"HannWindow", "HammingWindow", "BlackmanWindow"})
    registry.add(name, "computed by the importer", importWindow);
  registry.add("NonZero", "computed by the importer", importNonZero);
  registry.add("Unique", "computed by the importer", importUnique);
  registry.add("Range", "FILL_VALUE_SEQUENCE", importRange);
  registry.add("Reshape", "a view", importReshape);
  registry.add("Flatten", "a view", importFlatten);
  registry.add("Squeeze", "a view", importSqueeze);
  registry.add("Unsqueeze", "a view", importUnsqueeze);
  registry.add("Identity", "a view", importIdentity);
  registry.add("Dropout", "a view", importDropout);
}
