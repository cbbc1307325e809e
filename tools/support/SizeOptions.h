//===- SizeOptions.h - Options for the sizes of ONNX models -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_SIZEOPTIONS_H
#define DML_TOOLS_SUPPORT_SIZEOPTIONS_H

#include "dml/Import/Sizes.h"
#include "support/Arguments.h"
#include "llvm/Support/CommandLine.h"

namespace dml::tools {

/// The options --dim and --input-shape of a tool that reads ONNX models.
class SizeOptions {
public:
  /// Registers the options. The tool's help lists them in `category`.
  explicit SizeOptions(llvm::cl::OptionCategory &category)
      : dimensions("dim", llvm::cl::value_desc("name=size"),
                   llvm::cl::desc(
                       "The size of a symbolic dimension of an ONNX model, or "
                       "the value of an input of one integer or bool"),
                   llvm::cl::cat(category)),
        shapes("input-shape", llvm::cl::value_desc("input:1x3x224x224"),
               llvm::cl::desc("All sizes of an input of an ONNX model that "
                              "leaves some of them open. A batch whose size "
                              "no option states is taken to be 1"),
               llvm::cl::cat(category)),
        given("given-shape", llvm::cl::Hidden,
              llvm::cl::desc("The shape of a tensor that an input gets, for "
                             "dml-run"),
              llvm::cl::cat(category)) {}

  onnx::StatedSizes get() const {
    return {dimensions, shapes, std::nullopt, given};
  }
  /// Takes sizes that are open from the tensors of `inputs`, which are --input
  /// options, unless the caller has done so. Returns false, with `error` set,
  /// if a file cannot be read.
  bool takeShapesOf(const std::vector<std::string> &inputs,
                    std::string &error) {
    if (!given.empty())
      return true;
    auto found = describeShapes(inputs, error);
    for (const std::string &shape : found.value_or(std::vector<std::string>()))
      given.push_back(shape);
    return found.has_value();
  }

  llvm::cl::list<std::string> dimensions, shapes, given;
};

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_SIZEOPTIONS_H
