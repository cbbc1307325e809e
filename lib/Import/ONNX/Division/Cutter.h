//===- Cutter.h - From a section to a function ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_DIVISION_CUTTER_H
#define DML_LIB_IMPORT_ONNX_DIVISION_CUTTER_H

#include "Division/Section.h"
#include "Graph/GraphImporter.h"
#include "Graph/LoopForm.h"

namespace dml::onnx {

/// What a cutter needs of its model.
struct DividedModel {
  const ModelProto &model;
  llvm::StringRef path;
  std::shared_ptr<const void> owner;
  uint64_t fileSize;
  const Registry &registry;
  const Runtime &runtime;
  bool isOptimized;
};

/// Cuts a section: imports the nodes that can be imported, and leaves others.
class Cutter : public GraphImporter {
public:
  Cutter(const DividedModel &model, SectionPointer section,
         mlir::MLIRContext *context, const ImportOptions &options);

  llvm::Expected<Division::Result> run(FindTensor find);

private:
  llvm::Error importNode(const PlacedNode &placed, unsigned index,
                         const ScopePointer &scope) override;

  //===--------------------------------------------------------------------===//
  // Tensors on the host
  //===--------------------------------------------------------------------===//

  /// Enters a tensor that is there, as an argument or as a constant.
  llvm::Error enterPresent(llvm::StringRef name, const PresentTensor &present);
  /// Returns the elements of a tensor if the host has them now.
  std::optional<Constant> findElements(llvm::StringRef name) const;
  /// Whether the host computes a node whose inputs it has.
  bool isForHost(const NodeImporter &importer) const;
  /// Computes a node on the host, if that is its place. Fails if a node that
  /// only a host can compute is not computed.
  llvm::Expected<bool> computeOnHost(const NodeImporter &importer,
                                     const PlacedNode &placed, unsigned index);
  /// Enters the results of a node that the host has computed.
  llvm::Error enterComputed(const NodeImporter &importer,
                            std::shared_ptr<const HostNode> node,
                            llvm::MutableArrayRef<Constant> results);
  /// Makes a constant of a tensor whose elements the host has.
  void fix(llvm::StringRef name);
  /// Asks for the elements of a tensor.
  void read(llvm::StringRef name);
  /// Makes constants of the inputs whose elements the node wants, as far as the
  /// host has them. Returns whether there is one.
  bool fixWanted(const NodeImporter &importer);
  /// Asks for the elements of the inputs that the node wants. Returns whether
  /// there is one.
  bool readWanted(const NodeImporter &importer);

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  void leave(const PlacedNode &placed, unsigned index,
             const ScopePointer &scope) {
    left.push_back({placed, index, scope});
  }
  void addProblem(const NodeImporter &importer, llvm::StringRef reason) {
    problems.add(normalizeDomain(importer.getNode().domain),
                 importer.getNode().opType, importer.getName(), reason);
  }
  llvm::Error importOperator(NodeImporter &importer, const PlacedNode &placed,
                             unsigned index, const ScopePointer &scope);
  llvm::Error importIf(NodeImporter &importer, const PlacedNode &placed,
                       unsigned index, const ScopePointer &scope);

  /// Imports a Slice whose bounds the host has, or a Compress, as Gather with
  /// indices that the host computes, so that the function depends on the shape
  /// of the result alone. Returns whether the node has this form.
  llvm::Expected<bool> importAsGather(const NodeImporter &importer,
                                      const PlacedNode &placed, unsigned index,
                                      const ScopePointer &scope);
  bool canSliceByIndices(const NodeImporter &importer) const;
  /// Asks for the bounds of a Slice that the host lacks. Returns whether there
  /// is one.
  bool readBounds(const NodeImporter &importer);
  struct Parts;
  llvm::Error sliceByIndices(const NodeImporter &importer, Parts &parts);
  llvm::Error compressByIndices(const NodeImporter &importer, Parts &parts);
  /// Enters a list of integers under a new name.
  llvm::StringRef addList(Parts &parts, llvm::ArrayRef<int64_t> list);
  llvm::StringRef addName(Parts &parts);
  /// Imports a node that replaces a part of a node.
  llvm::Error importPart(const Parts &parts, llvm::StringRef type,
                         llvm::ArrayRef<llvm::StringRef> inputs,
                         llvm::StringRef output, std::optional<int64_t> axis);

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Imports a Loop or a Scan, or leaves it to the host.
  llvm::Error importLoopNode(NodeImporter &importer, const PlacedNode &placed,
                             unsigned index, const ScopePointer &scope);
  /// Whether all tensors are there that the body of a loop reads from outside.
  llvm::Expected<bool> knowsReads(const PlacedNode &placed,
                                  const ScopePointer &scope) const;
  llvm::Error leaveLoop(const NodeImporter &importer, const PlacedNode &placed,
                        unsigned index, const ScopePointer &scope,
                        const LoopForm &form);
  /// The body of a loop while its nodes are collected.
  struct Body;
  void describeLoop(const NodeImporter &importer, Body &body);
  void addScanned(const NodeImporter &importer, Body &body,
                  const LoopForm::Scanned &scanned);
  void addCollected(const NodeImporter &importer, Body &body);
  llvm::Error finishBody(Body &body);
  llvm::StringRef getResult(const NodeImporter &importer, size_t index) const;

  //===--------------------------------------------------------------------===//
  // The result
  //===--------------------------------------------------------------------===//

  llvm::Expected<Division::Result> finishCut();
  /// Returns the names that something behind this cut reads.
  llvm::Expected<std::vector<std::string>> findWantedNames();
  /// Returns the argument whose elements a tensor shows, if there is one.
  std::optional<unsigned> findViewed(const Tensor &tensor) const;
  /// Makes the tensor `name` available behind this cut.
  llvm::Error provide(llvm::StringRef name);
  llvm::Error finishFunction();
  llvm::Error finishRest();
  /// Returns the initializers of the section and of the branches in it.
  llvm::StringMap<const TensorProto *> getInitializers() const;
  std::string makeKey() const;

  SectionPointer section;
  std::shared_ptr<NameStore> store = std::make_shared<NameStore>();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  /// The tensors that are there, with their names.
  std::vector<std::pair<std::string, PresentTensor>> present;
  llvm::StringSet<> presentNames;
  /// The elements of tensors on the host that are no constants.
  llvm::StringMap<Constant> hostElements;
  /// The names of the function's arguments.
  std::vector<std::string> argumentNames;
  std::vector<SectionNode> left;
  llvm::StringSet<> readNow;
  std::vector<mlir::Value> results;
  std::vector<mlir::DictionaryAttr> resultAttributes;
  std::shared_ptr<Cut> cut = std::make_shared<Cut>();
};

/// Returns the node as one that the host computes. `known` contains the inputs
/// that are constants.
std::shared_ptr<const HostNode>
makeHostNode(const PlacedNode &placed, unsigned number, int64_t opset,
             SectionPointer section, std::shared_ptr<const NameStore> store,
             std::vector<std::optional<Constant>> known,
             std::vector<bool> isBool);
/// Computes a node from its inputs, of which missing ones are null.
llvm::Expected<llvm::SmallVector<Constant>>
computeNode(const PlacedNode &placed, unsigned number, int64_t opset,
            const llvm::StringSet<> &readNames,
            llvm::ArrayRef<std::optional<Tensor>> inputs);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_DIVISION_CUTTER_H
