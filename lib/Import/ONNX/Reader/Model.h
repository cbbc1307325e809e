//===- Model.h - An ONNX model as it stands in its file ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The messages of onnx.proto, with the fields that the importer uses. Names and
// weights refer to the bytes of the file. A program may build a model of them
// too; what differs then is said where it does.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_READER_MODEL_H
#define DML_LIB_IMPORT_ONNX_READER_MODEL_H

#include "Support/TensorSource.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dml::onnx {

/// TensorProto.
struct TensorProto {
  llvm::StringRef name;
  int32_t dataType = 0;
  std::vector<int64_t> dims;
  /// The elements, either as raw bytes or in a field for their type.
  std::optional<llvm::StringRef> rawData;
  std::vector<float> floats;
  std::vector<double> doubles;
  /// The elements in int32_data, which also stores narrower types and halves.
  std::vector<int32_t> int32s;
  std::vector<int64_t> int64s;
  std::vector<uint64_t> uint64s;
  /// Whether the elements are in a file beside the model, whose location the
  /// other fields specify.
  bool isExternal = false;
  llvm::StringRef externalLocation, externalOffset, externalLength;
  bool hasStrings = false, isSegment = false;
  /// The elements of a built model's tensor, which then has no other elements.
  std::shared_ptr<const reader::TensorSource> source;
};

struct GraphProto;

/// AttributeProto.
struct AttributeProto {
  enum Type {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
  };
  llvm::StringRef name;
  /// The attribute of the function's call to which this attribute, in the body
  /// of the function, refers.
  llvm::StringRef reference;
  int32_t type = Undefined;
  float f = 0;
  int64_t i = 0;
  llvm::StringRef s;
  /// The bytes of a graph, which is decoded when it is entered.
  llvm::StringRef g;
  /// The graph of a built model, which has no bytes.
  std::shared_ptr<const GraphProto> built;
  std::optional<TensorProto> t;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<llvm::StringRef> strings;
};

/// NodeProto.
struct NodeProto {
  llvm::StringRef name, opType, domain, overload;
  std::vector<llvm::StringRef> inputs, outputs;
  std::vector<AttributeProto> attributes;
};

/// A dimension of a tensor's type: a size, a symbol, or neither of them.
struct Dimension {
  std::optional<int64_t> size;
  llvm::StringRef symbol;
};

/// ValueInfoProto of a tensor.
struct ValueInfo {
  llvm::StringRef name;
  /// Whether the value is a tensor, instead of a sequence, a map or another
  /// type.
  bool isTensor = false;
  int32_t elementType = 0;
  bool hasShape = false;
  std::vector<Dimension> dimensions;
};

/// GraphProto.
struct GraphProto {
  llvm::StringRef name;
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<ValueInfo> inputs, outputs;
  /// The declarations of tensors between nodes.
  std::vector<ValueInfo> values;
  bool hasSparseInitializers = false;
};

/// OperatorSetIdProto.
struct OperatorSet {
  llvm::StringRef domain;
  int64_t version = 0;
};

/// FunctionProto: an operator that the model defines in terms of other
/// operators.
struct FunctionProto {
  llvm::StringRef name, domain, overload;
  std::vector<llvm::StringRef> inputs, outputs;
  /// The attributes that a call may omit.
  std::vector<AttributeProto> defaults;
  std::vector<NodeProto> nodes;
  std::vector<OperatorSet> operatorSets;
};

/// ModelProto.
struct ModelProto {
  int64_t irVersion = 0;
  std::vector<OperatorSet> operatorSets;
  std::optional<GraphProto> graph;
  std::vector<FunctionProto> functions;
};

/// Decodes a file. The size of the result is at most a constant times the size
/// of the file, since no allocation depends on a number in the file.
llvm::Expected<ModelProto> decodeModel(llvm::StringRef file);

/// Returns the graph that `attribute` contains. If the attribute comes from a
/// file and has the graph as bytes, decodes them like the file.
llvm::Expected<std::shared_ptr<const GraphProto>>
getInnerGraph(const AttributeProto &attribute);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_MODEL_H
