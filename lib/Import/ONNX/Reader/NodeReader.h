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
  /// Whether ONNX's type is bool, which is ui8 here.
  bool isBool = false;
  Shape shape;
  /// Whether the node that computes it is supported.
  bool isKnown = false;
  /// Its elements, where they are known.
  std::optional<Constant> constant;
  /// The value that stands for it, of the shape toPhysical(shape). The value of
  /// a constant is built when an operator reads it.
  mlir::Value value;
};

/// Reads the attributes and the inputs of a node, and notes which of them were
/// read: an attribute or input that the importer does not look at would be
/// ignored without a word (wantAllRead).
class NodeReader {
public:
  /// `number` names a node that has no name, and `readNames` has the names of
  /// all tensors that an output of the graph or another node reads.
  NodeReader(const NodeProto &node, int64_t opset, unsigned number,
             const llvm::StringSet<> &readNames)
      : node(node), opset(opset), nodeNumber(number), readNames(readNames),
        readAttributes(node.attributes.size()) {}

  /// Sets the tensors that the node reads, with null for each input that is
  /// left out.
  void setInputs(llvm::ArrayRef<const Tensor *> tensors);

  const NodeProto &getNode() const { return node; }
  /// The version of the operator set that the node is of.
  int64_t getOpset() const { return opset; }
  /// The node's name, or its operator and number.
  std::string getName() const;

  /// Says why the node is not supported.
  llvm::LogicalResult reject(const llvm::Twine &reason);
  /// The reason of the first reject(), or "".
  std::string takeReason() { return std::move(reason); }

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
  /// `axis` counted from the front, of `rank` dimensions.
  llvm::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);

protected:
  void forgetReads();
  /// Rejects the node if an attribute or an input was not read.
  llvm::LogicalResult wantAllRead();
  /// Input `index`, which does not count as read for that.
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
  /// Which inputs were read, and which attributes.
  mutable llvm::SmallBitVector readInputs, readAttributes;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_NODEREADER_H
