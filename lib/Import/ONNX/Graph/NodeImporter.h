//===- NodeImporter.h - From a node to operators ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//
// Tensors of the graph have the shapes that ONNX specifies. The values that
// represent these tensors have additional leading dimensions of size 1, up to
// four dimensions. ONNX Runtime's DirectML provider describes its tensors in
// the same way, so that a model requires the same feature level as there.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_NODEIMPORTER_H
#define DML_LIB_IMPORT_ONNX_GRAPH_NODEIMPORTER_H

#include "Graph/GraphState.h"
#include "Support/Builder.h"

namespace dml::onnx {

struct Operator;

/// The interface through which import functions access a node.
class NodeImporter : public NodeReader {
public:
  /// Creates an importer for `node`, which belongs to version `opset` of its
  /// operator set.
  NodeImporter(GraphState &graph, const NodeProto &node, int64_t opset,
               unsigned number);
  /// Creates an importer without a node, which only builds views.
  explicit NodeImporter(GraphState &graph);

  /// Evaluates the node if all its inputs are known, and otherwise builds
  /// operators for it. Rejects the node if an attribute or an input was not
  /// read.
  llvm::LogicalResult import(const Operator &info);

  /// Whether output `index`, a tensor of bytes, is a tensor of bools.
  bool givesBools(unsigned index) const;

  /// Reads a tensor that is the value of an attribute.
  llvm::Expected<Constant> readTensor(const TensorProto &tensor);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  mlir::OpBuilder &getBuilder();
  /// Return input `index` with leading dimensions of size 1, or with a given
  /// shape of equally many elements.
  mlir::Value get(unsigned index);
  mlir::Value getAs(unsigned index, llvm::ArrayRef<int64_t> shape);
  /// Returns input `index`, broadcast to the physical shape `shape`. If the
  /// dimensions of the input are not right-aligned with `shape`, the input is
  /// first reshaped to `as`.
  mlir::Value getBroadcast(unsigned index, llvm::ArrayRef<int64_t> shape,
                           std::optional<Shape> as = std::nullopt);
  /// Returns input `index`, a bias with one number for each of `columns`
  /// columns, broadcast to the physical shape `shape`. Returns null if the node
  /// has no such input.
  llvm::FailureOr<mlir::Value> getBias(unsigned index, int64_t columns,
                                       llvm::ArrayRef<int64_t> shape);
  /// Returns a tensor whose elements are all equal to `number`.
  mlir::Value getSplat(DataType type, double number,
                       llvm::ArrayRef<int64_t> shape);

  /// Returns the value of `tensor` with the shape `shape`, which has equally
  /// many elements.
  mlir::Value materialize(const Tensor &tensor, llvm::ArrayRef<int64_t> shape);

  /// Returns a constant with the shape `shape`, which has equally many
  /// elements.
  mlir::Value getConstant(const Constant &constant,
                          llvm::ArrayRef<int64_t> shape);

  /// Return views of `value`.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Returns `value`, broadcast along its dimensions of size 1 to `shape`,
  /// which has the same rank.
  mlir::Value repeat(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Returns the same bits with another type of equal width.
  mlir::Value bitcast(mlir::Value value, DataType type);

  mlir::RankedTensorType getTensorType(llvm::ArrayRef<int64_t> shape,
                                       DataType type);

  using Operand = reader::Operand;
  /// Builds dml.`mnemonic`. If dml has no such operator, or if its verifier
  /// rejects it, the node is rejected for this reason.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  buildAll(llvm::StringRef mnemonic, llvm::ArrayRef<Operand> operands,
           llvm::ArrayRef<mlir::NamedAttribute> attributes,
           llvm::ArrayRef<mlir::Type> results);
  /// Does the same for an operator with one result.
  llvm::FailureOr<mlir::Value>
  build(llvm::StringRef mnemonic, llvm::ArrayRef<Operand> operands,
        llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::Type result);

  /// Lets the next operator that can fuse an activation fuse `activation`, an
  /// #dml.activation. wasFused() tells whether an operator has done so.
  void fuse(mlir::Attribute activation) { fused = activation; }
  bool wasFused() const { return !fused; }
  /// Reads the node as one of version `version` of ONNX's operator set.
  void readAs(int64_t version) { opset = version; }

  /// Build operators with one operand, "input", or two operands, "a" and "b".
  /// If no type is given, the result has the type of the first operand. If the
  /// operator cannot be built, the node is rejected, and the result is a
  /// placeholder.
  mlir::Value apply(llvm::StringRef mnemonic, mlir::Value input,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                    mlir::Type type = {});
  mlir::Value combine(llvm::StringRef mnemonic, mlir::Value a, mlir::Value b,
                      mlir::Type type = {});
  /// Returns `value` in another element type, by CAST if the types differ.
  mlir::Value castTo(mlir::Value value, DataType type);
  /// Returns `value` in the type for functions that consist of several
  /// operators, so that intermediate results are not rounded: f32 instead of
  /// f16.
  mlir::Value widen(mlir::Value value);
  static DataType getTypeOf(mlir::Value value);

  /// Return attributes of dml operators.
  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute ints(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute floats(llvm::StringRef name,
                              llvm::ArrayRef<float> values);
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute number(llvm::StringRef name, float value);
  /// Returns `value` in an element type, as in padding_value.
  mlir::NamedAttribute scalar(llvm::StringRef name, DataType type,
                              double value);
  mlir::NamedAttribute flag(llvm::StringRef name, bool value);
  /// Returns an enumerator, such as "#dml.`type`<`value`>".
  mlir::NamedAttribute enumCase(llvm::StringRef name, llvm::StringRef type,
                                llvm::StringRef value);

  //===--------------------------------------------------------------------===//
  // Outputs
  //===--------------------------------------------------------------------===//

  /// Sets output `index` to `value`, which has as many elements as `shape`.
  llvm::LogicalResult set(unsigned index, mlir::Value value, Shape shape);
  /// Does the same for a result of build(). Fails if build() has failed.
  llvm::LogicalResult set(unsigned index, llvm::FailureOr<mlir::Value> value,
                          Shape shape);
  llvm::LogicalResult set(unsigned index, Constant constant);
  /// Sets output `index` to input `input` with the shape `shape`.
  llvm::LogicalResult setView(unsigned index, unsigned input, Shape shape);

private:
  /// Evaluates the node, whose inputs are small constants, if possible, and
  /// counts the bytes that it reads and writes.
  std::optional<llvm::SmallVector<Constant>> fold();
  /// Enters the tensor for output `index`.
  void enter(unsigned index, Tensor tensor);
  mlir::Value broadcast(const Tensor &tensor, llvm::ArrayRef<int64_t> from,
                        llvm::ArrayRef<int64_t> to);

  GraphState &graph;
  mlir::Location loc;
  mlir::Attribute fused;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_NODEIMPORTER_H
