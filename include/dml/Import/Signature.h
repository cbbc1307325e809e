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
  /// The size, or -1 where the model leaves the size open.
  int64_t size = -1;
  /// The name of a dimension without a size, or "" where an output's has none.
  /// Dimensions of one name have one size: two inputs "batch" x 3 have as many
  /// rows each. A dimension of an input that the model does not name has the
  /// name "input[1]", of the input and the dimension's number.
  std::string name;
};

/// A tensor that a model takes or returns.
struct SignatureTensor {
  std::string name;
  /// Nothing where an output is declared without a type.
  std::optional<DataType> type;
  /// Whether the number of dimensions is known.
  bool hasRank = true;
  std::vector<SignatureDimension> dimensions;
};

struct Signature {
  std::vector<SignatureTensor> inputs, outputs;
  /// The ranges of the file, first byte and size, that have the elements of
  /// large initializers and nothing else, in ascending order.
  std::vector<std::pair<uint64_t, uint64_t>> weights;
};

namespace onnx {

/// Reads what an ONNX model takes and returns, without building operators. The
/// dimensions that `options` state have their sizes; an input of one integer
/// whose value they state is none. Inputs are those of the function that
/// importModel builds, in its order, and so are outputs.
llvm::Expected<Signature> readSignature(const llvm::MemoryBuffer &file,
                                        const ImportOptions &options);
/// Reads the same of a model that a program has built.
llvm::Expected<Signature> readSignature(const ModelProto &model,
                                        const ImportOptions &options);

} // namespace onnx
} // namespace dml

#endif // DML_IMPORT_SIGNATURE_H
