//===- ModelWriter.h - ONNX models for tests --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_SESSION_MODELWRITER_H
#define DML_UNITTESTS_SESSION_MODELWRITER_H

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dml::test {

/// A size, a symbol, or a dimension without either, which is "".
using Dimension = std::variant<int64_t, std::string>;

/// TensorProto.DataType's numbers.
enum ElementType {
  Float = 1,
  Int32 = 6,
  Int64 = 7,
  Bool = 9,
  Half = 10,
  Int4 = 22
};

/// Writes an ONNX model.
class ModelWriter {
public:
  void addInput(const std::string &name, ElementType type,
                const std::vector<Dimension> &dimensions) {
    inputs.push_back(writeValue(name, type, dimensions));
  }
  void addOutput(const std::string &name, ElementType type,
                 const std::vector<Dimension> &dimensions) {
    outputs.push_back(writeValue(name, type, dimensions));
  }
  void addNode(const std::string &type, const std::vector<std::string> &inputs,
               const std::vector<std::string> &outputs);
  /// An initializer of floats. With a `file`, the elements are there, from the
  /// byte `offset` on, and not in the model.
  void addWeight(const std::string &name, const std::vector<int64_t> &sizes,
                 const std::vector<float> &elements,
                 const std::string &file = "", uint64_t offset = 0);
  /// An initializer of any type. `bytes` are its elements.
  void addWeight(const std::string &name, ElementType type,
                 const std::vector<int64_t> &sizes, const std::string &bytes,
                 const std::string &file = "", uint64_t offset = 0);

  std::string write() const;

private:
  static std::string writeValue(const std::string &name, ElementType type,
                                const std::vector<Dimension> &dimensions);

  std::vector<std::string> inputs, outputs, nodes, weights;
};

} // namespace dml::test

#endif // DML_UNITTESTS_SESSION_MODELWRITER_H
