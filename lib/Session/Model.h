//===- Model.h - The model of a session -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_MODEL_H
#define DML_LIB_SESSION_MODEL_H

#include "BuiltModel.h"
#include "DescribedModel.h"
#include "Diagnostics.h"
#include "Digest.h"
#include "Support.h"
#include "dml/IR/FileMemory.h"
#include "dml/Import/Division.h"
#include "dml/Import/Model.h"
#include "dml/Import/Signature.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <map>

namespace dml::session {

/// What tells whether a file is the one that was read before.
struct FileState {
  uint64_t size = 0;
  int64_t modified = 0;
  uint64_t inode = 0;

  static Expected<FileState> get(const std::string &path);
  static FileState get(const llvm::sys::fs::file_status &status);
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

/// Fails if a part of the file `buffer` could not be read.
Status wantRead(const FileMemory::State *state);
/// Fails if the state of the file is not `state`.
Status wantState(const std::string &path, const FileState &state);

/// A model: a file, bytes of the caller, or a model that the caller built node
/// by node or made of DirectML's structures, whose module counts as bytes. Its
/// functions may be called from many threads at once.
class Model {
public:
  static Expected<std::unique_ptr<Model>>
  open(const DmlSessionCreateInfo &info) noexcept;

  /// Opens a model that is read and not run. It has no signature, and is no
  /// executable. Of `info` the model, its format and the dimensions count.
  static Expected<std::unique_ptr<Model>>
  openUnrun(const DmlSessionCreateInfo &info);
  /// The same for another structure that names a model with these members.
  template <typename Info>
  static Expected<std::unique_ptr<Model>> openUnrun(const Info &info) {
    DmlSessionCreateInfo source{};
    source.path = info.path;
    source.bytes = info.bytes;
    source.byteSize = info.byteSize;
    source.model = info.model;
    source.format = info.format;
    source.dimensions = info.dimensions;
    source.dimensionCount = info.dimensionCount;
    return openUnrun(source);
  }

  const Signature &getSignature() const { return signature; }
  const std::string &getFunction() const { return function; }
  /// The path, "<bytes>", or the name of a built model.
  const std::string &getName() const { return name; }
  /// The path of the model's file, or a path beside which there are no files.
  std::string getPath() const { return isFile() ? name : name + "/model"; }

  bool isFile() const { return !bytes && !built; }
  /// The model that the caller built node by node, or null.
  const BuiltModel *getBuilt() const { return built.get(); }

  /// The state of the file, if the model is a file.
  const FileState &getState() const { return state; }
  /// The caller's bytes, if the model consists of bytes.
  std::optional<llvm::StringRef> getCallerBytes() const { return bytes; }

  /// The executable, if the model is one, or null.
  DmlExecutable getExecutable() const { return executable.get(); }

  /// The names of the weights that the caller of a session gives: those that
  /// an executable lacks, and the inputs of functions that are bound once.
  const llvm::StringSet<> &getCallerWeights() const { return callerWeights; }

  bool isONNX() const { return format == ModelFormat::ONNX && !executable; }
  /// Whether tensors have no strides, so that the type and the shape of a
  /// tensor determine its number of bytes.
  bool isPacked() const { return isONNX(); }

  /// Returns the bytes of the model as a buffer, whose identifier is the
  /// model's name. A built model has no bytes. The buffer of an ONNX model with
  /// a path is a FileMemory; other files are read at once. Fails if the file
  /// has changed since the model was opened.
  Expected<std::unique_ptr<llvm::MemoryBuffer>> getBytes() const;

  /// Returns the digest of the model. It covers the bytes; for a file with
  /// large weights, it covers the graph and the file's name, size, time and
  /// inode instead. Large weights of a built model are covered by their
  /// identifiers, if they have identifiers. Fails if the file has changed since
  /// the model was opened.
  Expected<Digest> getDigest() const;
  /// Adds the properties of the model, other than its bytes, on which a program
  /// depends. The sizes of a run and the options are added elsewhere.
  void addTo(Digester &digester) const;

  /// Reads the module of the model. `dimensions` are the sizes of an ONNX
  /// model's open dimensions. The module's constants refer to `file`, a result
  /// of getBytes(), to the files that are appended to `files`, and to the
  /// memory that is appended to `places`. If MLIR's parser refuses the model,
  /// the result is a null module, and diagnostics report the error.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  read(std::unique_ptr<llvm::MemoryBuffer> file,
       const std::map<std::string, int64_t> &dimensions,
       mlir::MLIRContext *context,
       std::vector<std::shared_ptr<llvm::MemoryBuffer>> &files,
       std::vector<reader::TensorPlace> &places) const;
  struct UnrunOptions {
    /// Whether the module is verified.
    bool verifies = true;
    /// Whether nodes of an ONNX model that cannot be read are left out of the
    /// module, instead of being an error.
    bool leavesOutUnread = false;
    /// Whether the elements of large weights are read, too.
    bool readsWeights = true;
    /// If not null, receives what is found out about each node of an ONNX
    /// model, which may have open dimensions then.
    onnx::Survey *survey = nullptr;
  };
  /// Reads the module of a model that openUnrun opened.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  readUnrun(CompilerContext &context, const UnrunOptions &unrun) const;

  /// A division of the model, and the memory that its constants refer to.
  struct Divided {
    std::shared_ptr<llvm::MemoryBuffer> file;
    std::unique_ptr<onnx::Division> division;
  };
  /// Divides the model, which is an ONNX model.
  Expected<Divided> divide() const;
  /// Whether read() has failed since the model has nodes that are no part of
  /// any program, but that can stand between several programs.
  bool isDivided() const { return wantsDivision; }

  /// Sets whether ONNX Runtime's optimizations are applied to the model.
  Status setOptimized(bool value);

  /// Fails if the file has changed since the model was opened.
  Status wantUnchanged() const;

private:
  Model() = default;
  Status openBytes(const DmlSessionCreateInfo &info);
  Status fixSizes(const DmlSessionCreateInfo &info);
  llvm::Expected<Signature>
  readONNXSignature(const llvm::MemoryBuffer &file) const;
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  readModule(std::unique_ptr<llvm::MemoryBuffer> file,
             const mlir::ParserConfig &config,
             const ModelOptions &options) const;
  Status openExecutable(const DmlSessionCreateInfo &info);
  Status readSignature(const DmlSessionCreateInfo &info);
  Status readModuleSignature(const char *wanted);
  /// Adds the model's name to an error, and, if the model is MLIR text only
  /// because the file's name and first bytes are of no format, says so.
  Status describe(const Status &status) const;

  std::string name;
  /// Of a model by path.
  FileState state;
  /// Of a model by bytes.
  std::optional<llvm::StringRef> bytes;
  std::shared_ptr<const BuiltModel> built;
  /// Keeps the bytes of a model that was made of DirectML's structures.
  std::shared_ptr<const DescribedModel> described;
  ModelFormat format = ModelFormat::MLIR;
  /// Whether the model is taken for MLIR text as it is of no other format.
  bool isGuessed = false;
  bool isOptimized = false;
  mutable std::atomic<bool> wantsDivision = false;
  std::string function;
  /// The sizes that all runs have.
  llvm::StringMap<int64_t> fixedSizes;
  Signature signature;
  llvm::StringSet<> callerWeights;
  ExecutableHandle executable;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_MODEL_H
