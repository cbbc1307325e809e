//===- NodeReader.h - What a node states ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_READER_NODEREADER_H
#define DML_LIB_IMPORT_ONNX_READER_NODEREADER_H

#include "Reader/Constant.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

namespace dml::onnx {

/// A tensor of the graph.
struct Tensor {
  DataType type = DataType::FLOAT32;
  /// Whether the type is bool in ONNX, which is represented as ui8.
  bool isBool = false;
  Shape shape;
  /// Whether the node that computes the tensor is supported.
  bool isKnown = false;
  /// The elements of the tensor, if they are known.
  std::optional<Constant> constant;
  /// The value that represents the tensor, with the shape toPhysical(shape).
  /// The value of a constant is built when an operator reads it.
  mlir::Value value;
};

/// Gives access to the attributes and inputs of a node, and records which of
/// them are read. An attribute or input that the importer never reads would
/// otherwise be ignored silently (see wantAllRead()).
class NodeReader {
public:
  /// `number` identifies a node without a name. `readNames` contains the names
  /// of all tensors that another node or an output of the graph reads.
  NodeReader(const NodeProto &node, int64_t opset, unsigned number,
             const llvm::StringSet<> &readNames)
      : node(node), opset(opset), nodeNumber(number), readNames(readNames),
        readAttributes(node.attributes.size()) {}

  /// Sets the tensors that the node reads, with null for missing inputs.
  void setInputs(llvm::ArrayRef<const Tensor *> tensors);

  const NodeProto &getNode() const { return node; }
  /// Returns the version of the operator set to which the node belongs.
  int64_t getOpset() const { return opset; }
  /// Returns the node's name, or its operator and number.
  std::string getName() const;

  /// Records the reason why the node is not supported.
  llvm::LogicalResult reject(const llvm::Twine &reason);
  /// Returns the reason of the first reject(), or "".
  std::string takeReason() { return std::move(reason); }

  /// Returns the number of inputs up to the last one that is present.
  unsigned getNumInputs() const { return inputs.size(); }
  unsigned getNumOutputs() const { return node.outputs.size(); }
  /// Whether the optional input or output `index` is present.
  bool hasInput(unsigned index) const {
    return index < inputs.size() && inputs[index];
  }
  bool hasOutput(unsigned index) const {
    return index < node.outputs.size() && !node.outputs[index].empty() &&
           isRead(index);
  }
  /// Returns input `index`. If it is missing, rejects the node and returns the
  /// number 0.
  const Tensor &getInput(unsigned index) const;
  /// Return the shape and the element type of input `index`, without recording
  /// its elements as read.
  const Shape &getShape(unsigned index) const { return peek(index).shape; }
  DataType getType(unsigned index) const { return peek(index).type; }
  bool isBool(unsigned index) const { return peek(index).isBool; }
  /// Notes that the node can only be imported if the elements of input `index`
  /// are known. The function returns the element list of the input's constant,
  /// if it has one.
  const std::optional<Constant> &wantElements(unsigned index) const;
  /// Whether the elements of input `index` were wanted, but are not known.
  bool lacksElements(unsigned index) const {
    return index < wantedElements.size() && wantedElements.test(index) &&
           hasInput(index) && !inputs[index]->constant;
  }
  /// Whether the elements of any input were wanted, but are not known.
  bool lacksElements() const {
    for (unsigned index = 0; index < inputs.size(); ++index)
      if (lacksElements(index))
        return true;
    return false;
  }
  /// The largest number of steps for the evaluation of the node.
  int64_t getMaxSteps() const { return maxSteps; }
  void setMaxSteps(int64_t steps) { maxSteps = steps; }
  /// Declares that the result does not depend on the elements of input `index`,
  /// which may be missing.
  void ignoreInput(unsigned index) const;
  /// Whether each present input is a small constant.
  bool isFoldable() const;

  /// Returns input `index` if sizes may be computed from it: if it is a
  /// constant of integers, or a small constant. Weights remain tensors with
  /// their names.
  const Constant *getSizes(unsigned index) const;

  /// Fails unless there are `minimum` to `maximum` inputs, of which the first
  /// `minimum` are present.
  llvm::LogicalResult wantInputs(unsigned minimum, unsigned maximum);
  /// Returns the integers in an input that must be a constant. `what` names the
  /// input in messages, such as "the pads".
  llvm::FailureOr<Shape> getIntegers(unsigned index, llvm::StringRef what);
  /// Returns the only number in an input that must be a constant.
  llvm::FailureOr<double> getNumber(unsigned index, llvm::StringRef what);

  /// Return attributes, and record them as read. An attribute with another type
  /// rejects the node.
  bool hasAttribute(llvm::StringRef name) const;
  int64_t getInt(llvm::StringRef name, int64_t otherwise);
  float getFloat(llvm::StringRef name, float otherwise);
  llvm::StringRef getString(llvm::StringRef name, llvm::StringRef otherwise);
  Shape getInts(llvm::StringRef name);
  llvm::ArrayRef<float> getFloats(llvm::StringRef name);
  llvm::ArrayRef<llvm::StringRef> getStrings(llvm::StringRef name);
  /// Returns the tensor in an attribute, or null if the node lacks the
  /// attribute.
  const TensorProto *getTensor(llvm::StringRef name);
  const AttributeProto *getAttribute(llvm::StringRef name) const;
  /// Declares that the result does not depend on these attributes, which may be
  /// missing.
  void ignoreAttributes(std::initializer_list<llvm::StringRef> names) const;
  /// Returns the TensorProto.DataType to which a Cast converts. Before version
  /// 6, the attribute `to` contains its name.
  int32_t getCastType();
  /// Returns `axis` counted from the front of `rank` dimensions.
  llvm::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);

protected:
  void forgetReads();
  /// Rejects the node if an attribute or an input was not read.
  llvm::LogicalResult wantAllRead();
  /// Returns input `index` without recording it as read.
  const Tensor &peek(unsigned index) const;

  const NodeProto &node;
  int64_t opset;
  llvm::SmallVector<const Tensor *> inputs;
  mutable std::string reason;

private:
  bool isRead(unsigned output) const {
    return readNames.contains(node.outputs[output]);
  }

  unsigned nodeNumber;
  const llvm::StringSet<> &readNames;
  /// The inputs and the attributes that were read, and the inputs whose
  /// elements were wanted.
  mutable llvm::SmallBitVector readInputs, readAttributes, wantedElements;
  int64_t maxSteps = int64_t(1) << 20;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_NODEREADER_H
