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

namespace dml::reader {
struct TensorPlace;
} // namespace dml::reader

namespace dml::onnx {

/// A model as it stands in its file, or as a program has built it.
struct ModelProto;
struct Survey;

/// Information that is missing in the file.
struct ImportOptions {
  /// Sizes of symbolic dimensions.
  llvm::StringMap<int64_t> dimensions;
  /// Whether nodes that cannot be imported are omitted, together with all nodes
  /// that depend on them. The module lists omitted nodes in `unreadAttrName`
  /// (dml/IR/Origin.h). The option is for tools that examine a model without
  /// running it. The inputs of omitted nodes become results of the function.
  bool leavesOutUnread = false;
  /// If not null, receives the files beside the model to which constants refer.
  /// The identifier of each file is its path. The files are then not mapped:
  /// each is a FileMemory (dml/IR/FileMemory.h).
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> *files = nullptr;
  /// If not null, receives the places of elements to which the constants of a
  /// built model refer.
  std::vector<reader::TensorPlace> *places = nullptr;
  /// If not null, receives what the importer finds out about each node
  /// (dml/Import/Survey.h). The model has no functions, and `leavesOutUnread`
  /// is set. Declarations of tensors that are computed are not checked.
  Survey *survey = nullptr;
};

/// Parses "NAME=SIZE" into `options`. Returns an error if `text` has another
/// form, or if `options` contain a size of the name already.
llvm::Error parseDimension(llvm::StringRef text, ImportOptions &options);

/// Whether a file that begins with `content` is an ONNX model.
bool isModel(llvm::StringRef content);

/// Adds the dialects that importModel builds.
void registerDialects(mlir::DialectRegistry &registry);

/// Builds the function `main` of dml operators, which computes the ONNX model.
/// The module's constants refer to `file`, which is kept open as long as the
/// constants exist. An error states the problem of the file, or lists all ONNX
/// operators that have no equivalent in dml.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(std::unique_ptr<llvm::MemoryBuffer> file,
            mlir::MLIRContext *context, const ImportOptions &options = {});

/// Imports a model that was built node by node and is called `name`, like
/// importModel(). `owner` keeps the objects to which the model refers. The
/// elements of large constants are read when they are needed. If their source
/// has no memory, only `ImportOptions::places` contains their places.
/// `isOptimized` tells whether ONNX Runtime's optimizations are applied.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importBuiltModel(const ModelProto &model, llvm::StringRef name,
                 std::shared_ptr<const void> owner, mlir::MLIRContext *context,
                 const ImportOptions &options, bool isOptimized);

/// The ONNX operators that importModel() supports, sorted, with the DirectML
/// operators to which each is converted.
struct SupportedOperator {
  llvm::StringRef domain, name, becomes;
};
std::vector<SupportedOperator> getSupportedOperators();

/// Registers --import-onnx with mlir-translate's driver.
void registerTranslation();

} // namespace dml::onnx

#endif // DML_IMPORT_ONNX_H
