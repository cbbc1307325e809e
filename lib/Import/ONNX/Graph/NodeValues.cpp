//===- NodeValues.cpp - Values and attributes of operators ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/NodeImporter.h"
#include "Reader/Shapes.h"
#include "dml/IR/Layout.h"
#include "dml/IR/Origin.h"
#include "dml/IR/ViewOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

OpBuilder &NodeImporter::getBuilder() { return graph.builder; }

RankedTensorType NodeImporter::getTensorType(ArrayRef<int64_t> shape,
                                             DataType type) {
  return RankedTensorType::get(shape,
                               getElementType(type, getBuilder().getContext()));
}

Value NodeImporter::materialize(const Tensor &tensor, ArrayRef<int64_t> shape) {
  if (!tensor.constant)
    return reshape(tensor.value, shape);
  OpBuilder::InsertionGuard guard(getBuilder());
  if (graph.loop)
    getBuilder().setInsertionPoint(graph.loop);
  // Weights that several nodes read exist only once in the module.
  const Constant constant = tensor.constant->getStored();
  if (!constant.isResource())
    return constant.materialize(getBuilder(), loc, shape, "weights");
  Value &value =
      graph.weights[{constant.getAddress(), constant.getType(), Shape(shape)}];
  if (!value) {
    auto name = graph.weightNames.find(constant.getAddress());
    value = constant.materialize(
        getBuilder(), loc, shape,
        name == graph.weightNames.end() ? "weights" : name->second);
  }
  return value;
}

Value NodeImporter::get(unsigned index) {
  return getAs(index, toPhysical(getShape(index)));
}

Value NodeImporter::getAs(unsigned index, ArrayRef<int64_t> shape) {
  return materialize(getInput(index), shape);
}

Value NodeImporter::getBroadcast(unsigned index, ArrayRef<int64_t> shape,
                                 std::optional<Shape> as) {
  const Tensor &tensor = getInput(index);
  Shape from = toPhysical(as ? *as : tensor.shape);
  if (tensor.constant && tensor.constant->isSplat())
    return getConstant(tensor.constant->splat(Shape(shape)), shape);
  // A shape with fewer dimensions is right-aligned.
  Shape aligned(shape.size() - std::min(shape.size(), from.size()), 1);
  aligned.append(from.begin(), from.end());
  return broadcast(tensor, aligned, shape);
}

FailureOr<Value> NodeImporter::getBias(unsigned index, int64_t columns,
                                       ArrayRef<int64_t> shape) {
  if (!hasInput(index))
    return Value();
  if (getShape(index) != Shape{columns})
    return reject("its bias has the shape " + describeShape(getShape(index)) +
                  ", but wanted is " + Twine(columns));
  return getBroadcast(index, shape);
}

Value NodeImporter::getSplat(DataType type, double number,
                             ArrayRef<int64_t> shape) {
  return getConstant(
      Constant::get(type, {1}, ArrayRef<double>(number)).splat(Shape(shape)),
      shape);
}

Value NodeImporter::getConstant(const Constant &constant,
                                ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.constant = constant;
  return materialize(tensor, shape);
}

Value NodeImporter::reshape(Value value, ArrayRef<int64_t> to) {
  auto type = cast<RankedTensorType>(value.getType());
  if (countElements(to) != countElements(type.getShape())) {
    (void)reject("it shows " + describeShape(type.getShape()) + " as " +
                 describeShape(to) + ", which has not as many elements");
    return tensor::EmptyOp::create(getBuilder(), loc, to,
                                   type.getElementType());
  }
  return reader::reshape(getBuilder(), loc, value, to);
}

Value NodeImporter::transpose(Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> packed = getPackedStrides(type.getShape());
  Shape shape;
  SmallVector<int64_t> moved, strides;
  for (int64_t dim : permutation) {
    shape.push_back(type.getDimSize(dim));
    strides.push_back(packed[dim]);
    if (type.getDimSize(dim) != 1)
      moved.push_back(dim);
  }
  // If only dimensions of size 1 move, no element changes its position.
  if (llvm::is_sorted(moved))
    return reshape(value, shape);
  return ViewOp::create(getBuilder(), loc, type.clone(shape), value, strides);
}

Value NodeImporter::broadcast(const Tensor &tensor, ArrayRef<int64_t> from,
                              ArrayRef<int64_t> to) {
  bool fits = from.size() == to.size() &&
              llvm::all_of(llvm::zip_equal(from, to), [](auto sizes) {
                auto [fromSize, toSize] = sizes;
                return fromSize == 1 || fromSize == toSize;
              });
  if (!fits) {
    (void)reject("it repeats " + describeShape(from) + " to " +
                 describeShape(to) + ", to which it does not broadcast");
    return tensor::EmptyOp::create(
        getBuilder(), loc, to,
        getElementType(tensor.type, getBuilder().getContext()));
  }
  if (from == to)
    return materialize(tensor, to);
  // DirectML's tensors have at least one dimension, as does `to`.
  Value value = materialize(tensor, from);
  SmallVector<int64_t> strides = getPackedStrides(from);
  for (auto [stride, fromSize, toSize] : llvm::zip_equal(strides, from, to))
    if (fromSize != toSize)
      stride = 0;
  return ViewOp::create(getBuilder(), loc,
                        cast<RankedTensorType>(value.getType()).clone(to),
                        value, strides);
}

Value NodeImporter::repeat(Value value, ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.type = *getDataType(getElementTypeOrSelf(value));
  tensor.value = value;
  return broadcast(tensor, cast<RankedTensorType>(value.getType()).getShape(),
                   shape);
}

Value NodeImporter::bitcast(Value value, DataType type) {
  auto from = cast<RankedTensorType>(value.getType());
  return tensor::BitcastOp::create(getBuilder(), loc,
                                   getTensorType(from.getShape(), type), value);
}

FailureOr<SmallVector<Value>>
NodeImporter::buildAll(StringRef mnemonic, ArrayRef<Operand> operands,
                       ArrayRef<NamedAttribute> attributes,
                       ArrayRef<Type> results) {
  OpBuilder &builder = getBuilder();
  OperationName name(("dml." + mnemonic).str(), builder.getContext());
  const OperatorSupport *support = getOperatorSupport(name);
  // If a result cannot be built, an empty tensor replaces it, so that the nodes
  // that depend on it are checked as well. The node is listed as unsupported
  // nevertheless.
  auto placehold = [&](const Twine &why) {
    (void)reject(why);
    SmallVector<Value> values;
    for (Type type : results)
      values.push_back(tensor::EmptyOp::create(
          builder, loc, cast<RankedTensorType>(type).getShape(),
          cast<RankedTensorType>(type).getElementType()));
    return values;
  };
  if (!support)
    return placehold("it becomes DML_OPERATOR_" + mnemonic.upper() +
                     ", which dml does not have");
  // An attribute or an earlier operator could not be built.
  if (!reason.empty())
    return placehold(reason);
  SmallVector<NamedAttribute> all(attributes);
  constexpr StringLiteral fusedName = "fused_activation";
  if (fused && llvm::is_contained(name.getAttributeNames(), fusedName))
    all.push_back(attr(fusedName, std::exchange(fused, {})));
  llvm::Expected<Operation *> op =
      reader::buildOperator(builder, loc, name, operands, all, results);
  if (!op)
    return placehold(llvm::toString(op.takeError()));
  if (!graph.whyNotTaken.empty())
    (*op)->setAttr(notTakenAttrName, builder.getStringAttr(graph.whyNotTaken));
  if (!graph.fusion.empty())
    (*op)->setAttr(fusedAttrName, builder.getStringAttr(graph.fusion));
  // Operators of other domains are never fused.
  if (graph.isOptimized && normalizeDomain(node.domain).empty())
    graph.origins[*op] = {
        node.opType, hasInput(0) ? getShape(0) : Shape(), {}, opset};
  return SmallVector<Value>((*op)->getResults());
}

FailureOr<Value> NodeImporter::build(StringRef mnemonic,
                                     ArrayRef<Operand> operands,
                                     ArrayRef<NamedAttribute> attributes,
                                     Type result) {
  FailureOr<SmallVector<Value>> results =
      buildAll(mnemonic, operands, attributes, result);
  if (failed(results))
    return failure();
  return results->front();
}

Value NodeImporter::apply(StringRef mnemonic, Value input,
                          ArrayRef<NamedAttribute> attributes, Type type) {
  // If the operator cannot be built, the result is a placeholder, and the node
  // has a reason.
  return buildAll(mnemonic, {{"input", input}}, attributes,
                  type ? type : input.getType())
      ->front();
}

Value NodeImporter::combine(StringRef mnemonic, Value a, Value b, Type type) {
  return buildAll(mnemonic, {{"a", a}, {"b", b}}, {}, type ? type : a.getType())
      ->front();
}

Value NodeImporter::castTo(Value value, DataType type) {
  auto from = cast<RankedTensorType>(value.getType());
  RankedTensorType to = getTensorType(from.getShape(), type);
  return from == to ? value : apply("cast", value, {}, to);
}

Value NodeImporter::widen(Value value) {
  return getTypeOf(value) == DataType::FLOAT16
             ? castTo(value, DataType::FLOAT32)
             : value;
}

DataType NodeImporter::getTypeOf(Value value) {
  return *getDataType(getElementTypeOrSelf(value));
}

NamedAttribute NodeImporter::attr(StringRef name, Attribute value) {
  return getBuilder().getNamedAttr(name, value);
}

NamedAttribute NodeImporter::ints(StringRef name, ArrayRef<int64_t> values) {
  return attr(name, getBuilder().getDenseI64ArrayAttr(values));
}

NamedAttribute NodeImporter::floats(StringRef name, ArrayRef<float> values) {
  return attr(name, getBuilder().getDenseF32ArrayAttr(values));
}

NamedAttribute NodeImporter::integer(StringRef name, int64_t value) {
  return attr(name, getBuilder().getI64IntegerAttr(value));
}

NamedAttribute NodeImporter::number(StringRef name, float value) {
  return attr(name, getBuilder().getF32FloatAttr(value));
}

NamedAttribute NodeImporter::scalar(StringRef name, DataType type,
                                    double value) {
  Type element = getElementType(type, getBuilder().getContext());
  if (isa<FloatType>(element))
    return attr(name, FloatAttr::get(element, value));
  return attr(
      name,
      IntegerAttr::get(element,
                       APInt(element.getIntOrFloatBitWidth(),
                             static_cast<uint64_t>(static_cast<int64_t>(value)),
                             /*isSigned=*/false, /*implicitTrunc=*/true)));
}

NamedAttribute NodeImporter::flag(StringRef name, bool value) {
  return attr(name, getBuilder().getBoolAttr(value));
}

NamedAttribute NodeImporter::enumCase(StringRef name, StringRef type,
                                      StringRef value) {
  std::string text = ("#dml." + type + "<" + value + ">").str();
  // If dml has no such enum, buildAll() reports the error.
  ScopedDiagnosticHandler handler(getBuilder().getContext(),
                                  [](Diagnostic &) { return success(); });
  Attribute attribute = parseAttribute(text, getBuilder().getContext());
  if (!attribute) {
    (void)reject("dml has no attribute " + text);
    attribute = getBuilder().getUnitAttr();
  }
  return attr(name, attribute);
}
