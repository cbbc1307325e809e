//===- BuiltModel.h - A model that a program builds -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What stands behind a DmlModel: the structures that the importer decodes files
// to, made by the calls of dml/model.h.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_BUILTMODEL_H
#define DML_LIB_SESSION_BUILTMODEL_H

#include "Digest.h"
#include "ONNX/Reader/Model.h"
#include "Support.h"
#include "Support/TensorSource.h"
#include "dml/model.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <atomic>
#include <mutex>

namespace dml::session {

/// A weight of a built model that is too large to be copied.
class BuiltWeight : public reader::TensorSource {
public:
  using TensorSource::TensorSource;

  /// What the caller states, or "".
  std::string identifier;
  /// Adds what tells the contents from others without reading them. Returns
  /// false where nothing does.
  virtual bool addState(Digester &) const { return false; }
  /// The number of this weight among all of the process.
  const uint64_t serial = next++;

private:
  static inline std::atomic<uint64_t> next = 0;
};

class BuiltModel {
public:
  static std::shared_ptr<BuiltModel> create(const DmlModelCreateInfo &info);

  Status addInput(const DmlModelTensor &tensor);
  Status addOutput(const DmlModelTensor &tensor);
  Status addValue(const DmlModelTensor &tensor);
  Status addWeight(const DmlModelWeight &weight);
  Status addNode(const DmlModelNode &node);

  /// Ends the building, and numbers the weights. May be called from many
  /// threads at once, and before the functions that follow.
  void close();

  const std::string &getName() const { return name; }
  const onnx::ModelProto &getProto() const { return proto; }
  /// The weights, those of graphs within nodes included.
  llvm::ArrayRef<const BuiltWeight *> getWeights() const { return weights; }
  uint32_t getNumber(const reader::TensorSource *source) const {
    return numbers.lookup(source);
  }
  /// Adds what tells the weight `index` from all others of the process.
  void addIdentity(uint32_t index, Digester &digester) const;
  /// Adds the whole model, the contents of the weights included: by their
  /// identifiers, or by their bytes.
  Status addTo(Digester &digester) const;

private:
  BuiltModel() = default;
  Status wantOpen() const;
  llvm::StringRef save(const char *text);
  Expected<onnx::ValueInfo> makeValue(const DmlModelTensor &tensor,
                                      const char *kind);
  Expected<onnx::TensorProto> makeTensor(const DmlModelWeight &weight,
                                         const std::string &what);
  Status setElements(const DmlModelWeight &weight, const std::string &what,
                     onnx::TensorProto &tensor);
  /// The models that a node's attributes contain as graphs.
  struct InnerGraphs {
    std::vector<BuiltModel *> models;
    /// The new values of `depth` and `innerNodes`.
    unsigned depth;
    uint64_t nodes;
  };
  Expected<onnx::AttributeProto> makeAttribute(const DmlModelAttribute &given,
                                               const std::string &node,
                                               InnerGraphs &inner);
  Status setGraph(const DmlModelAttribute &given, const std::string &what,
                  onnx::AttributeProto &attribute, InnerGraphs &inner);
  Status addNames(const char *const *names, uint32_t count,
                  const std::string &what,
                  std::vector<llvm::StringRef> &result);
  void number(const onnx::GraphProto &graph);
  void number(const onnx::TensorProto &tensor);
  bool addKnown(uint32_t index, Digester &digester) const;

  std::string name, identifier;
  onnx::ModelProto proto;
  llvm::BumpPtrAllocator allocator;
  llvm::UniqueStringSaver strings{allocator};
  /// The names of the inputs and the weights with their kinds, and of the
  /// outputs.
  llvm::StringMap<std::string> sources, results;
  /// Graphs within nodes, one within another, and the nodes of all of them.
  unsigned depth = 0;
  uint64_t innerNodes = 0;

  std::mutex mutex;
  std::atomic<bool> isClosed = false;
  bool isNumbered = false;
  std::vector<const BuiltWeight *> weights;
  llvm::DenseMap<const reader::TensorSource *, uint32_t> numbers;
};

} // namespace dml::session

namespace dml::session {
class DescribedModel;
} // namespace dml::session

/// What a DmlModel points to: a model that was built node by node, or one that
/// was made of DirectML's structures.
struct DmlModelImpl {
  std::shared_ptr<dml::session::BuiltModel> object;
  std::shared_ptr<const dml::session::DescribedModel> described;
};

#endif // DML_LIB_SESSION_BUILTMODEL_H
