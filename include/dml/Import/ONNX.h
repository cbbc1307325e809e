//===- ONNX.h - Reading ONNX models -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_ONNX_H
#define DML_IMPORT_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <vector>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace dml::onnx {

/// What the file alone does not say.
struct ImportOptions {
  /// Sizes of symbolic dimensions.
  llvm::StringMap<int64_t> dimensions;
  /// Whether nodes that cannot be read are left out, with all that depends on
  /// them, and named in the module's `unreadAttrName` (dml/IR/Origin.h), for
  /// those who judge a model and do not run it. What they read becomes a result
  /// of the function. A model of which nothing else can be read is an error.
  bool leavesOutUnread = false;
  /// Gets the files beside the model that constants refer to, where it is not
  /// null. The identifier of each is its path.
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> *files = nullptr;
};

/// Parses "NAME=SIZE" into `options`; an error where it is none.
llvm::Error parseDimension(llvm::StringRef text, ImportOptions &options);

/// Whether a file is taken for an ONNX model: by its name, or else by how its
/// content begins.
bool isModel(llvm::StringRef path, llvm::StringRef content);

/// Adds the dialects that importModel builds.
void registerDialects(mlir::DialectRegistry &registry);

/// Builds the function `main` of dml operators that computes what an ONNX model
/// does. The module's constants refer to `file`, which lives as long as they
/// do. The error says what is wrong with the file, or lists every ONNX operator
/// that dml has no equivalent of.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(std::unique_ptr<llvm::MemoryBuffer> file,
            mlir::MLIRContext *context, const ImportOptions &options = {});

/// The ONNX operators that importModel knows, sorted, with the operators of
/// DirectML that each becomes.
struct SupportedOperator {
  llvm::StringRef domain, name, becomes;
};
std::vector<SupportedOperator> getSupportedOperators();

/// Registers --import-onnx with mlir-translate's driver.
void registerTranslation();

} // namespace dml::onnx

#endif // DML_IMPORT_ONNX_H
