//===- LoopForm.h - What a Loop or a Scan does with tensors -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_LOOPFORM_H
#define DML_LIB_IMPORT_ONNX_GRAPH_LOOPFORM_H

#include "Graph/NodeImporter.h"

namespace dml::onnx {

/// How the inputs and outputs of a Loop or a Scan belong to those of its body.
/// Names are those of the body; numbers are those of the node's inputs and
/// outputs.
struct LoopForm {
  std::shared_ptr<const GraphProto> body;

  /// A tensor that an iteration hands to the next one.
  struct Carried {
    size_t input;
    llvm::StringRef bodyInput, bodyOutput;
    size_t output;
  };
  std::vector<Carried> carried;
  /// A tensor of which each iteration of a Scan takes a slice.
  struct Scanned {
    size_t input;
    llvm::StringRef bodyInput;
    int64_t axis;
    bool isReversed;
  };
  std::vector<Scanned> scanned;
  /// A tensor that each iteration makes, and that the node's output collects.
  /// The axis may count from the end.
  struct Collected {
    const ValueInfo *bodyOutput;
    size_t output;
    int64_t axis = 0;
    bool isReversed = false;

    /// Returns the dimension that counts iterations, of `rank` dimensions.
    int64_t getAxis(int64_t rank) const {
      return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank - 1);
    }
  };
  std::vector<Collected> collected;

  /// The number of iterations of a Scan.
  std::optional<int64_t> numSteps;
  /// The body's inputs and output that only a Loop has.
  llvm::StringRef iteration, conditionInput, conditionOutput;

  bool isScan() const { return numSteps.has_value(); }
};

/// Reads the form of a Loop or a Scan whose body is in `form`. Returns a
/// problem or "".
std::string readLoopForm(NodeImporter &importer, LoopForm &form);

/// Returns the sizes that a declaration states, with 0 for others.
llvm::SmallVector<int64_t> getDeclaredSizes(const ValueInfo &info);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_LOOPFORM_H
