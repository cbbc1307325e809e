//===- NodeImporter.h - From a node to operators ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//
// Tensors of the graph have the shapes that ONNX gives them. The values that
// stand for them have leading sizes of 1 up to four dimensions, as ONNX
// Runtime's DirectML provider describes its tensors: a model then needs the
// feature level that it needs there.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_NODEIMPORTER_H
#define DML_LIB_IMPORT_ONNX_GRAPH_NODEIMPORTER_H

#include "Graph/GraphState.h"
#include "Support/Builder.h"

namespace dml::onnx {

struct Operator;

/// The view that import functions have of a node.
class NodeImporter : public NodeReader {
public:
  /// An importer of the node `node`, of version `opset` of its operator set.
  NodeImporter(GraphState &graph, const NodeProto &node, int64_t opset,
               unsigned number);
  /// An importer of no node, which builds views.
  explicit NodeImporter(GraphState &graph);

  /// Computes the node, where all its inputs are known, or builds operators for
  /// it. Rejects the node if an attribute or an input was left unread.
  llvm::LogicalResult import(const Operator &info);

  /// Reads the tensor of an attribute.
  llvm::Expected<Constant> readTensor(const TensorProto &tensor);

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

  /// The value of `tensor` in the shape `shape`, of as many elements.
  mlir::Value materialize(const Tensor &tensor, llvm::ArrayRef<int64_t> shape);

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
  /// The same for a result of build(); fails where build() has failed.
  llvm::LogicalResult set(unsigned index, llvm::FailureOr<mlir::Value> value,
                          Shape shape);
  llvm::LogicalResult set(unsigned index, Constant constant);
  /// Output `index` is input `input` under the shape `shape`.
  llvm::LogicalResult setView(unsigned index, unsigned input, Shape shape);

private:
  /// Computes the node, whose inputs are constants of few elements, if it can
  /// be computed, and counts the bytes that the node reads and writes.
  std::optional<llvm::SmallVector<Constant>> fold();
  /// Enters the tensor that is output `index`.
  void enter(unsigned index, Tensor tensor);
  /// Whether output `index` of bytes is one of bools.
  bool givesBools(unsigned index) const;
  mlir::Value broadcast(const Tensor &tensor, llvm::ArrayRef<int64_t> from,
                        llvm::ArrayRef<int64_t> to);

  GraphState &graph;
  mlir::Location loc;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_NODEIMPORTER_H
