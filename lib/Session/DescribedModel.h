//===- DescribedModel.h - A model of DirectML's structures ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What stands behind a DmlModel that was made of a DML_OPERATOR_DESC or a
// DML_GRAPH_DESC: a module, as bytecode, and what a program binds.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_DESCRIBEDMODEL_H
#define DML_LIB_SESSION_DESCRIBEDMODEL_H

#include "Support.h"
#include "dml/Import/DirectML.h"
#include "dml/directml.h"

namespace dml::session {

class DescribedModel {
public:
  using Import = llvm::function_ref<llvm::Expected<directml::MemoryModule>(
      llvm::StringRef name, mlir::MLIRContext *context)>;
  /// Creates a model of the module that `import` builds. `name` is the name of
  /// a model that has none.
  static Expected<std::shared_ptr<const DescribedModel>>
  create(const DmlDescribedModelCreateInfo *info, const char *name,
         Import import);

  const std::string &getName() const { return name; }
  llvm::StringRef getBytecode() const { return bytecode->getBuffer(); }
  void describe(DmlDescribedModelInfo &info) const;
  Status describeInput(uint32_t index, DmlBindPoint &point) const;
  Status describeOutput(uint32_t index, DmlBindPoint &point) const;
  Expected<std::string> getModule(DmlModuleForm form) const;

private:
  /// A bind point, and its name.
  struct Point {
    DmlBindPoint info{};
    std::string name;
  };
  static Status describe(const std::vector<Point> &points, const char *kind,
                         uint32_t index, DmlBindPoint &point);

  std::string name;
  /// Aligned, as the reader of bytecode wants it.
  std::unique_ptr<llvm::MemoryBuffer> bytecode;
  std::vector<Point> inputs, outputs;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_DESCRIBEDMODEL_H
