//===- DirectML.h - Reading DirectML's own formats --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// DxDispatch's JSON models, the graphs that ONNX Runtime's DirectML provider
// serializes, and the structures that a program of DirectML fills.
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

/// The commands that a JSON model specifies for its functions.
struct Commands {
  /// A buffer that commands read and write.
  struct Resource {
    enum class Kind {
      /// The elements are `values`.
      List,
      /// There are `count` elements, which are all equal to `values`.
      Constant,
      /// There are `count` elements. The first one is the first of the two
      /// `values`, and each further one is greater by the second of the
      /// `values`.
      Sequence,
      /// The elements are in `file`.
      File,
    };
    std::string name;
    /// The type of the elements. The type is missing if a file specifies it, or
    /// if elements have different types.
    std::optional<DataType> type;
    Kind kind = Kind::List;
    std::vector<char> values;
    uint64_t count = 0;
    std::string file;
    /// The size of the resource in bytes. 0 stands for the size of the
    /// elements.
    uint64_t sizeInBytes = 0;
    /// The offset in bytes at which the elements begin.
    uint64_t offset = 0;
  };

  /// A part of a resource that is bound to a tensor of a function.
  struct Binding {
    uint32_t resource = 0;
    uint64_t elementOffset = 0;
    /// The size of an element in bytes. 0 stands for the size of the resource's
    /// type.
    uint64_t elementSize = 0;
    /// Whether the tensor contains the initial data of the resource.
    bool isInitial = false;
  };

  struct Command {
    enum class Kind { Dispatch, Print, WriteFile };
    Kind kind = Kind::Print;
    /// The location of the command in the model, such as "commands[2]".
    std::string place;
    /// The function to run, and its arguments and results in order.
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

/// Whether a file that begins with `content` is JSON: the text
/// begins with a brace, and not with one of MLIR's "{-#".
bool isDispatchModel(llvm::StringRef content);
/// Whether a file that begins with `content` can be a serialized graph. Such a
/// file begins with the place of its root, a small multiple of 4.
bool isSerializedGraph(llvm::StringRef content);

/// Adds the dialects that the readers build.
void registerDialects(mlir::DialectRegistry &registry);

/// Builds a function for each dispatchable of a JSON model, in the order of
/// their names, and fills `commands`. An error names the location in the file,
/// the text that was found there, and the expected text. The files that the
/// model names are appended to `files`, if that is not null, and read then, and
/// not mapped.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> importDispatchModel(
    const llvm::MemoryBuffer &file, mlir::MLIRContext *context,
    Commands *commands = nullptr,
    std::vector<std::shared_ptr<llvm::MemoryBuffer>> *files = nullptr);

/// Builds the function `main`, which computes the serialized graph. The
/// module's constants refer to `file` and to files in its folder, which are
/// kept open as long as the constants exist. The latter files are appended to
/// `files`, if that is not null, and are a FileMemory each then. The identifier
/// of each is its path.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> importSerializedGraph(
    std::unique_ptr<llvm::MemoryBuffer> file, mlir::MLIRContext *context,
    std::vector<std::shared_ptr<llvm::MemoryBuffer>> *files = nullptr);

/// A DML_OPERATOR_DESC that was read: its fields, which refer to nothing of the
/// program and belong to no context.
struct MemoryOperator;

/// Reads the DML_OPERATOR_DESC at `desc` with all that its pointers lead to, as
/// DirectML.h lays it out, and verifies the operator. An error names the field,
/// its value and what is wanted. That pointers which are not null lead to what
/// the structures say is the caller's duty.
llvm::Expected<std::shared_ptr<const MemoryOperator>>
readOperator(const void *desc, mlir::MLIRContext *context);

/// A module with the function `main`, made of structures in memory.
struct MemoryModule {
  /// What the program binds to an input or output of the operator or graph.
  struct BindPoint {
    /// Whether something is bound: not to an optional tensor that is absent,
    /// and not to a graph input without an edge.
    bool isBound = false;
    /// Whether it is bound once (DML_TENSOR_FLAG_OWNED_BY_DML).
    bool isOwned = false;
    /// The argument or result of the function.
    size_t index = 0;
  };
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// In DirectML's order of bindings.
  std::vector<BindPoint> inputs, outputs;
};

/// Builds a module of one operator. Arguments and results have the names of the
/// fields. `name` is the name of the module; if it is empty, the operator's.
llvm::Expected<MemoryModule> importOperator(const MemoryOperator &op,
                                            llvm::StringRef name,
                                            mlir::MLIRContext *context);

/// Returns the operator to which the member `Operator` of a
/// DML_OPERATOR_GRAPH_NODE_DESC points, or null if there is none at that
/// address.
using OperatorLookup =
    llvm::function_ref<const MemoryOperator *(const void *pointer)>;

/// Builds a module of the DML_GRAPH_DESC at `desc`, as readOperator() reads an
/// operator. Constants of the module refer to the bytes of constant nodes,
/// which remain the program's.
llvm::Expected<MemoryModule> importGraph(const void *desc,
                                         OperatorLookup getOperator,
                                         llvm::StringRef name,
                                         mlir::MLIRContext *context);

/// Registers --import-dxdispatch and --import-dml-graph with mlir-translate's
/// driver.
void registerTranslations();

} // namespace dml::directml

#endif // DML_IMPORT_DIRECTML_H
