//===- Importer.h - From nodes of a graph to operators ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// An ONNX operator is a row of the registry: a function that looks at a node
// through a NodeImporter, builds operators of dml, and sets the node's outputs.
//
// Tensors of the graph have the shapes that ONNX gives them. The values that
// stand for them have leading sizes of 1 up to four dimensions, as ONNX
// Runtime's DirectML provider describes its tensors: a model then needs the
// feature level that it needs there.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_IMPORTER_H
#define DML_LIB_IMPORT_ONNX_GRAPH_IMPORTER_H

#include "Reader/Constant.h"
#include "dml/Import/ONNX.h"
#include "llvm/ADT/SmallBitVector.h"
#include <functional>
#include <map>

namespace dml::onnx {

/// A tensor of the graph.
struct Tensor {
  DataType type = DataType::FLOAT32;
  /// Whether ONNX's type is bool, which is ui8 here.
  bool isBool = false;
  Shape shape;
  /// Whether the node that computes it is supported.
  bool isKnown = false;
  /// Its elements, where they are known.
  std::optional<Constant> constant;
  /// The value that stands for it, of the shape toPhysical(shape). Built for a
  /// constant when an operator reads it.
  mlir::Value value;
};

/// `shape` with leading 1s up to four dimensions.
Shape toPhysical(llvm::ArrayRef<int64_t> shape);

/// The numpy rule: sizes from the right, where 1 gives way to others.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a,
                                     llvm::ArrayRef<int64_t> b);

class GraphImporter;
struct Operator;

/// What import functions see of a node.
class NodeImporter {
public:
  NodeImporter(GraphImporter &graph, const NodeProto &node, int64_t opset,
               unsigned number);

  const NodeProto &getNode() const { return node; }
  /// The version of the operator set that the node is of.
  int64_t getOpset() const { return opset; }
  /// The node's name, or its operator and number.
  std::string getName() const;

  /// Says why the node is not supported.
  llvm::LogicalResult reject(const llvm::Twine &reason);
  std::string takeReason() { return std::move(reason); }

  /// Computes the node, where all that it reads is known, or builds operators
  /// for it. Rejects it if that left an attribute or an input unread: what the
  /// importer does not look at would be ignored without a word.
  llvm::LogicalResult import(const Operator &info);

  //===--------------------------------------------------------------------===//
  // What the node states
  //===--------------------------------------------------------------------===//

  /// The number of inputs up to the last one that is not left out.
  unsigned getNumInputs() const { return inputs.size(); }
  unsigned getNumOutputs() const { return node.outputs.size(); }
  /// Whether optional input or output `index` is there.
  bool hasInput(unsigned index) const {
    return index < inputs.size() && inputs[index];
  }
  bool hasOutput(unsigned index) const {
    return index < node.outputs.size() && !node.outputs[index].empty() &&
           isRead(index);
  }
  /// Input `index`. Where it is left out, the node is rejected, and the number
  /// 0 stands in for the input.
  const Tensor &getInput(unsigned index) const;
  /// The shape and the element type of input `index` alone: its elements count
  /// as not read.
  const Shape &getShape(unsigned index) const { return peek(index).shape; }
  DataType getType(unsigned index) const { return peek(index).type; }
  bool isBool(unsigned index) const { return peek(index).isBool; }
  /// Says that the elements of input `index`, if it is there, have no bearing
  /// on what the node computes.
  void ignoreInput(unsigned index) const;
  /// Whether every input that is there is a constant of few elements.
  bool isFoldable() const;

  /// Input `index`, where sizes may be computed of it: a constant of integers,
  /// or of few bytes. Weights stay tensors, under their names.
  const Constant *getSizes(unsigned index) const;

  /// Fails unless there are `minimum` to `maximum` inputs, the first `minimum`
  /// of which are not left out.
  llvm::LogicalResult wantInputs(unsigned minimum, unsigned maximum);
  /// The integers of an input that has to be a constant, "the pads".
  llvm::FailureOr<Shape> getIntegers(unsigned index, llvm::StringRef what);
  /// The one number of an input that has to be a constant.
  llvm::FailureOr<double> getNumber(unsigned index, llvm::StringRef what);

  /// Attributes; one of another type makes the node fail. Each that is asked
  /// for counts as read.
  bool hasAttribute(llvm::StringRef name) const;
  int64_t getInt(llvm::StringRef name, int64_t otherwise);
  float getFloat(llvm::StringRef name, float otherwise);
  llvm::StringRef getString(llvm::StringRef name, llvm::StringRef otherwise);
  Shape getInts(llvm::StringRef name);
  llvm::ArrayRef<float> getFloats(llvm::StringRef name);
  llvm::ArrayRef<llvm::StringRef> getStrings(llvm::StringRef name);
  /// The tensor of an attribute, or null where the node lacks it.
  const TensorProto *getTensor(llvm::StringRef name);
  const AttributeProto *getAttribute(llvm::StringRef name) const;
  /// Says that attributes, if they are there, have no bearing on what the node
  /// computes.
  void ignoreAttributes(std::initializer_list<llvm::StringRef> names) const;
  /// The TensorProto.DataType that a Cast is to, which the attribute `to` names
  /// before version 6.
  int32_t getCastType();
  /// Reads the tensor of an attribute.
  llvm::Expected<Constant> readTensor(const TensorProto &tensor);

  /// `axis` counted from the front, of `rank` dimensions.
  llvm::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  mlir::OpBuilder &getBuilder();
  /// Input `index` with leading 1s, or in a given shape of as many elements.
  mlir::Value get(unsigned index);
  mlir::Value getAs(unsigned index, llvm::ArrayRef<int64_t> shape);
  /// Input `index`, repeated along sizes of 1 to the physical shape `shape`.
  /// Where the input is not right-aligned with it, `as` is what it is first
  /// reshaped to.
  mlir::Value getBroadcast(unsigned index, llvm::ArrayRef<int64_t> shape,
                           std::optional<Shape> as = std::nullopt);
  /// Input `index`, a bias of one number for each of `columns` columns,
  /// repeated to the physical shape `shape`; null where the node lacks it.
  llvm::FailureOr<mlir::Value> getBias(unsigned index, int64_t columns,
                                       llvm::ArrayRef<int64_t> shape);
  /// A tensor whose elements all are `number`.
  mlir::Value getSplat(DataType type, double number,
                       llvm::ArrayRef<int64_t> shape);

  /// A constant of as many elements as `shape`.
  mlir::Value getConstant(const Constant &constant,
                          llvm::ArrayRef<int64_t> shape);

  /// Views of `value`.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// `value` repeated along its sizes of 1 to `shape`, of the same rank.
  mlir::Value repeat(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// The same bits as another type of as many.
  mlir::Value bitcast(mlir::Value value, DataType type);

  mlir::RankedTensorType getTensorType(llvm::ArrayRef<int64_t> shape,
                                       DataType type);

  using Operand = reader::Operand;
  /// Builds dml.`mnemonic`. Where dml has no such operator, or its verifier
  /// refuses it, the node is not supported for that reason.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  buildAll(llvm::StringRef mnemonic, llvm::ArrayRef<Operand> operands,
           llvm::ArrayRef<mlir::NamedAttribute> attributes,
           llvm::ArrayRef<mlir::Type> results);
  /// The same with one result.
  llvm::FailureOr<mlir::Value>
  build(llvm::StringRef mnemonic, llvm::ArrayRef<Operand> operands,
        llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::Type result);

  /// Operators of one operand, "input", or two, "a" and "b", whose result has
  /// the type of the first where none is given. Where one cannot be built, the
  /// node is not supported, and another value stands in for it.
  mlir::Value apply(llvm::StringRef mnemonic, mlir::Value input,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                    mlir::Type type = {});
  mlir::Value combine(llvm::StringRef mnemonic, mlir::Value a, mlir::Value b,
                      mlir::Type type = {});
  /// `value` in another element type, by CAST where that is another one.
  mlir::Value castTo(mlir::Value value, DataType type);
  /// `value` in the type that functions of several operators are computed in,
  /// so that what lies between them is not rounded: f32, where it is f16.
  mlir::Value widen(mlir::Value value);
  static DataType getTypeOf(mlir::Value value);

  /// Attributes of dml's operators.
  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute ints(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute floats(llvm::StringRef name,
                              llvm::ArrayRef<float> values);
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute number(llvm::StringRef name, float value);
  /// `value` in an element type, as padding_value has it.
  mlir::NamedAttribute scalar(llvm::StringRef name, DataType type,
                              double value);
  mlir::NamedAttribute flag(llvm::StringRef name, bool value);
  /// The case of an enum, as in "#dml.`type`<`value`>".
  mlir::NamedAttribute enumCase(llvm::StringRef name, llvm::StringRef type,
                                llvm::StringRef value);

  //===--------------------------------------------------------------------===//
  // Outputs
  //===--------------------------------------------------------------------===//

  /// Output `index` is `value`, of as many elements as `shape`.
  llvm::LogicalResult set(unsigned index, mlir::Value value, Shape shape);
  /// The same, of what build() gives; fails where that has failed.
  llvm::LogicalResult set(unsigned index, llvm::FailureOr<mlir::Value> value,
                          Shape shape);
  llvm::LogicalResult set(unsigned index, Constant constant);
  /// Output `index` is input `input` under the shape `shape`.
  llvm::LogicalResult setView(unsigned index, unsigned input, Shape shape);

private:
  bool isRead(unsigned output) const;
  /// Computes the node, whose inputs are constants of few elements, if it can
  /// be computed, and counts the bytes that it reads and writes.
  std::optional<llvm::SmallVector<Constant>> fold();
  /// Enters the tensor that is output `index`.
  void enter(unsigned index, Tensor tensor);
  /// Whether output `index` of bytes is one of bools.
  bool givesBools(unsigned index) const;
  llvm::LogicalResult wantAllRead();
  /// Input `index`, which does not count as read for that.
  const Tensor &peek(unsigned index) const;
  mlir::Value materialize(const Tensor &tensor, llvm::ArrayRef<int64_t> shape);
  mlir::Value broadcast(const Tensor &tensor, llvm::ArrayRef<int64_t> from,
                        llvm::ArrayRef<int64_t> to);

  GraphImporter &graph;
  const NodeProto &node;
  int64_t opset;
  unsigned nodeNumber;
  llvm::SmallVector<Tensor *> inputs;
  mlir::Location loc;
  mutable std::string reason;
  /// Which inputs were read, and which attributes.
  mutable llvm::SmallBitVector readInputs, readAttributes;
  friend class GraphImporter;
};

//===----------------------------------------------------------------------===//
// The registry
//===----------------------------------------------------------------------===//

using ImportFunction = std::function<llvm::LogicalResult(NodeImporter &)>;

struct Operator {
  /// The operators of DirectML that it becomes, for people.
  std::string becomes;
  ImportFunction import;
};

/// All operators, by domain and name. The domain of ONNX's own is "".
class Registry {
public:
  void add(llvm::StringRef name, llvm::StringRef becomes, ImportFunction import,
           llvm::StringRef domain = "") {
    operators[{domain.str(), name.str()}] = {becomes.str(), std::move(import)};
  }
  const Operator *find(llvm::StringRef domain, llvm::StringRef name) const {
    auto found = operators.find({domain.str(), name.str()});
    return found == operators.end() ? nullptr : &found->second;
  }
  const std::map<std::pair<std::string, std::string>, Operator> &
  getAll() const {
    return operators;
  }

private:
  std::map<std::pair<std::string, std::string>, Operator> operators;
};

/// All operators that are supported.
const Registry &getRegistry();

/// Each adds one family of operators.
void addAttentionOperators(Registry &registry);
void addContribOperators(Registry &registry);
void addDotProductAttention(Registry &registry);
void addEinsumOperator(Registry &registry);
void addElementWiseOperators(Registry &registry);
void addEmbeddingOperators(Registry &registry);
void addIndexingOperators(Registry &registry);
void addLaterOperators(Registry &registry);
void addLossOperators(Registry &registry);
void addMovementOperators(Registry &registry);
void addNormalizationOperators(Registry &registry);
void addRecurrentOperators(Registry &registry);
void addReductionOperators(Registry &registry);
void addResamplingOperators(Registry &registry);
void addShapeOperators(Registry &registry);
void addWindowOperators(Registry &registry);

/// A constant of elements of `constant`: `pick` maps coordinates of the result
/// to some of the constant.
Constant pickElements(const Constant &constant, Shape shape,
                      llvm::function_ref<Shape(llvm::ArrayRef<int64_t>)> pick);

/// Computes a node whose inputs all are known and have few elements: a constant
/// for each output. Nothing where that is not possible.
std::optional<llvm::SmallVector<Constant>> foldNode(NodeImporter &node);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_IMPORTER_H
