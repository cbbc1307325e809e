//===- Model.h - The model of a session -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_MODEL_H
#define DML_LIB_SESSION_MODEL_H

#include "Digest.h"
#include "Support.h"
#include "dml/Import/Model.h"
#include "dml/Import/Signature.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace dml::session {

/// What tells whether a file is the one that was read before.
struct FileState {
  uint64_t size = 0;
  int64_t modified = 0;
  uint64_t inode = 0;

  static Expected<FileState> get(const std::string &path);
  void addTo(Digester &digester) const {
    digester.add(size);
    digester.add(static_cast<uint64_t>(modified));
    digester.add(inode);
  }
  bool operator==(const FileState &other) const {
    return size == other.size && modified == other.modified &&
           inode == other.inode;
  }
};

/// Fails where the file has another state than `state`.
Status wantState(const std::string &path, const FileState &state);

/// A model by path or by bytes. Its functions may be called from many threads
/// at once.
class Model {
public:
  static Expected<std::unique_ptr<Model>>
  open(const DmlSessionCreateInfo &info) noexcept;

  const Signature &getSignature() const { return signature; }
  const std::string &getFunction() const { return function; }
  /// The path, or "<bytes>".
  const std::string &getName() const { return name; }
  /// The path, or one beside which no files are.
  std::string getPath() const { return bytes ? name + "/model" : name; }

  /// The state of the file, where the model is one.
  const FileState &getState() const { return state; }
  /// The caller's bytes, where the model is no file.
  std::optional<llvm::StringRef> getCallerBytes() const { return bytes; }

  /// The executable, where the model is one.
  DmlExecutable getExecutable() const { return executable.get(); }

  /// Whether tensors have no strides, so that a type and a shape say how many
  /// bytes a tensor has.
  bool isPacked() const { return format == ModelFormat::ONNX && !executable; }

  /// The bytes of the model as a buffer whose identifier is the name. Fails
  /// where the file has changed since the model was opened.
  Expected<std::unique_ptr<llvm::MemoryBuffer>> getBytes() const;

  /// The digest of the bytes, or, of a file, of the graph and of the file's
  /// name, size, time and inode where the file has large weights. Fails where
  /// the file has changed since the model was opened.
  Expected<Digest> getDigest() const;
  /// Adds what a program depends on beside the bytes, sizes of runs and
  /// options.
  void addTo(Digester &digester) const;

  /// Reads the module of the model. Of an ONNX model `dimensions` are the sizes
  /// of open dimensions. The module's constants refer to `file`, which getBytes
  /// gave, and to the files that are appended to `files`. A null module is one
  /// that the parser of MLIR refuses, with a diagnostic.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  read(std::unique_ptr<llvm::MemoryBuffer> file,
       const std::map<std::string, int64_t> &dimensions,
       mlir::MLIRContext *context,
       std::vector<std::shared_ptr<llvm::MemoryBuffer>> &files) const;

  /// Sets whether ONNX Runtime's optimizations are done.
  Status setOptimized(bool value);

private:
  Model() = default;
  Status wantUnchanged() const;
  Status openBytes(const DmlSessionCreateInfo &info);
  Status openExecutable(const DmlSessionCreateInfo &info);
  Status readSignature(const DmlSessionCreateInfo &info);
  Status readModuleSignature(const char *wanted);

  std::string name;
  /// Of a model by path.
  FileState state;
  /// Of a model by bytes.
  std::optional<llvm::StringRef> bytes;
  ModelFormat format = ModelFormat::MLIR;
  bool isOptimized = false;
  std::string function;
  /// The sizes that all runs have.
  llvm::StringMap<int64_t> fixedSizes;
  Signature signature;
  ExecutableHandle executable;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_MODEL_H
