//===- SizeOptions.h - Options for the sizes of ONNX models -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_SIZEOPTIONS_H
#define DML_TOOLS_SUPPORT_SIZEOPTIONS_H

#include "dml/Import/Sizes.h"
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
               llvm::cl::cat(category)) {}

  onnx::StatedSizes get() const { return {dimensions, shapes, std::nullopt}; }

  llvm::cl::list<std::string> dimensions, shapes;
};

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_SIZEOPTIONS_H
