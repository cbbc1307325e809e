//===- DirectML.h - Reading DirectML's own formats --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// DxDispatch's JSON models and the graphs that ONNX Runtime's DirectML provider
// serializes.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_DIRECTML_H
#define DML_IMPORT_DIRECTML_H

#include "dml/IR/DML.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace dml::directml {

/// What a JSON model says to do with its functions.
struct Commands {
  /// A buffer that commands read and write.
  struct Resource {
    enum class Kind {
      /// `values` are its elements.
      List,
      /// All of `count` elements are `values`.
      Constant,
      /// `count` elements: the first of the two `values`, and each further one
      /// is greater by the second.
      Sequence,
      /// The elements are in `file`.
      File,
    };
    std::string name;
    /// The type of the elements. There is none where a file says it, or where
    /// elements have different types.
    std::optional<DataType> type;
    Kind kind = Kind::List;
    std::vector<char> values;
    uint64_t count = 0;
    std::string file;
    /// The size of the resource; 0 stands for as much as the elements want.
    uint64_t sizeInBytes = 0;
    /// The byte where the elements begin.
    uint64_t offset = 0;
  };

  /// A part of a resource, for a tensor of a function.
  struct Binding {
    uint32_t resource = 0;
    uint64_t elementOffset = 0;
    /// The bytes of an element; 0 stands for those of the resource's type.
    uint64_t elementSize = 0;
    /// Whether the tensor has what the resource held in the beginning.
    bool isInitial = false;
  };

  struct Command {
    enum class Kind { Dispatch, Print, WriteFile };
    Kind kind = Kind::Print;
    /// The place of the command in the model: "commands[2]".
    std::string place;
    /// The function to run, and what its arguments and results are, in order.
    std::string function;
    std::vector<Binding> inputs, outputs;
    /// The resource to print or write.
    uint32_t resource = 0;
    bool isVerbose = false;
    std::string file;
    std::vector<uint32_t> sizes;
  };

  std::vector<Resource> resources;
  std::vector<Command> commands;
};

/// Whether a file is taken for a JSON model of DxDispatch, by its name.
bool isDispatchModel(llvm::StringRef path);
/// Whether a file is taken for a serialized graph, by its name.
bool isSerializedGraph(llvm::StringRef path);

/// Adds the dialects that the readers build.
void registerDialects(mlir::DialectRegistry &registry);

/// Builds a function of each dispatchable of a JSON model, in the order of
/// their names, and fills `commands`. The error names the place in the file,
/// what stands there, and what is wanted.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importDispatchModel(const llvm::MemoryBuffer &file, mlir::MLIRContext *context,
                    Commands *commands = nullptr);

/// Builds the function `main` that computes what a serialized graph does. The
/// module's constants refer to `file` and to files of its folder, which live as
/// long as they do; the latter are appended to `files`, if that is not null,
/// and the identifier of each is its path.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> importSerializedGraph(
    std::unique_ptr<llvm::MemoryBuffer> file, mlir::MLIRContext *context,
    std::vector<std::shared_ptr<llvm::MemoryBuffer>> *files = nullptr);

/// Registers --import-dxdispatch and --import-dml-graph with mlir-translate's
/// driver.
void registerTranslations();

} // namespace dml::directml

#endif // DML_IMPORT_DIRECTML_H
