//===- Signature.h - What a model takes and returns -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_SIGNATURE_H
#define DML_IMPORT_SIGNATURE_H

#include "dml/IR/DML.h"
#include "dml/Import/ONNX.h"
#include <optional>
#include <string>
#include <vector>

namespace dml {

/// A dimension of a tensor in a signature.
struct SignatureDimension {
  /// The size, or -1 if the model leaves the size open.
  int64_t size = -1;
  /// The name of a dimension without a size, or "" for such a dimension of an
  /// output without a name. Dimensions with the same name have the same size:
  /// two inputs of "batch" x 3 have equally many rows. A dimension of an input
  /// without a name in the model has a name of its own, such as "input[1]" for
  /// dimension 1 of the input `input`.
  std::string name;
};

/// A tensor that a model takes or returns.
struct SignatureTensor {
  std::string name;
  /// The type, or nothing for an output that is declared without a type.
  std::optional<DataType> type;
  /// Whether the number of dimensions is known.
  bool hasRank = true;
  std::vector<SignatureDimension> dimensions;
  /// Whether the tensor is an input of one bool or integer from whose value the
  /// condition of an If is computed. A program is built for one value of such
  /// an input, which `ImportOptions::dimensions` states under its name.
  bool decidesBranch = false;
  /// Whether the elements of an input are truth values, bytes of 0 or 1.
  bool isBool = false;
};

struct Signature {
  std::vector<SignatureTensor> inputs, outputs;
  /// The ranges of the file, with their first bytes and sizes, that contain the
  /// elements of large initializers and nothing else, in ascending order.
  std::vector<std::pair<uint64_t, uint64_t>> weights;
};

namespace onnx {

/// Reads the inputs and outputs of an ONNX model, without building operators.
/// Dimensions have the sizes that `options` state, and an input of one integer
/// or bool whose value `options` state is no input. Inputs and outputs have the
/// order of the function that importModel() builds, which has no arguments for
/// inputs with a size of 0.
llvm::Expected<Signature> readSignature(const llvm::MemoryBuffer &file,
                                        const ImportOptions &options);
/// Reads the signature of a model that was built node by node.
llvm::Expected<Signature> readSignature(const ModelProto &model,
                                        const ImportOptions &options);

} // namespace onnx
} // namespace dml

#endif // DML_IMPORT_SIGNATURE_H
