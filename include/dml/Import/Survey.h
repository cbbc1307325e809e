//===- Survey.h - Which nodes of a model can be read ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_SURVEY_H
#define DML_IMPORT_SURVEY_H

#include "dml/IR/DML.h"
#include "llvm/ADT/StringMap.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dml::onnx {

/// A survey of an ONNX model (ImportOptions::survey): for each node, whether
/// the importer can read it. Where it cannot, the outputs of the node count as
/// inputs of the model with the declared types and shapes, so that the nodes
/// behind it are surveyed, too. For example, in Conv, Unknown, Relu, the Relu
/// is read if the model declares the shape of its input.
struct Survey {
  struct Node {
    /// Why the node is not read, or "".
    std::string problem;
    /// Why ONNX Runtime's provider for DirectML does not take the node, or "".
    std::string notTaken;
    /// Whether the importer has computed all outputs, as it does for shapes.
    bool isFolded = false;
  };
  struct Tensor {
    DataType type = DataType::FLOAT32;
    std::vector<int64_t> sizes;
    bool isConstant = false;
    /// The elements of a constant of integers or bools that has at most
    /// `maxElements` elements; else nothing.
    std::vector<int64_t> elements;
  };
  static constexpr int64_t maxElements = 64;

  /// The size of each open dimension that ImportOptions::dimensions do not
  /// state.
  int64_t openSize = 1;
  /// The nodes, in the order of the graph.
  std::vector<Node> nodes;
  /// The tensors that inputs and nodes that are read define, by their names.
  llvm::StringMap<Tensor> tensors;
};

} // namespace dml::onnx

#endif // DML_IMPORT_SURVEY_H
