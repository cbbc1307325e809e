//===- Computation.h - A partition that runs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_COMPUTATION_H
#define DML_LIB_PROVIDER_COMPUTATION_H

#include "Context.h"
#include "Fallback.h"
#include "Memory.h"
#include "Model.h"
#include "Options.h"
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>

namespace dml::provider {

/// What all partitions of a session share.
struct Context {
  Options options;
  Speeds speeds;
  Log log{nullptr};
  std::shared_ptr<DmlDeviceImpl> device;
  /// The factory's.
  const DeviceMemory *memory = nullptr;
};

/// What the provider has found out about values of its partitions, by their
/// names.
struct Facts {
  /// Inputs whose elements are needed when a program is compiled.
  std::set<std::string> constants;
  /// Outputs that are scalars.
  std::set<std::string> scalars;
};

/// A partition that ONNX Runtime runs. ONNX Runtime may call compute() from
/// many threads at once.
class Computation : public OrtNodeComputeInfo {
public:
  /// Makes the partition of `graph`, which became the node `fused`. Copies the
  /// weights that are not in files. Where all sizes are known, the program is
  /// compiled at once.
  Computation(std::shared_ptr<const Context> context, const OrtGraph *graph,
              const OrtNode *fused, const Facts &facts);

  /// Makes the node that stands for the partition, `fused`, in a model that is
  /// compiled ahead. ONNX Runtime owns the result.
  OrtNode *makeContext(const OrtNode *fused) const;

  void compute(OrtKernelContext *kernel);

private:
  struct Input {
    ValueIndex value;
    DmlDataType type;
    bool isConstant;
  };
  /// The sizes of an output, or nothing where only a run tells them.
  using Shape = std::optional<std::vector<int64_t>>;
  /// The inputs that are constants of a program, with their sizes and elements.
  struct Constant {
    std::vector<int64_t> sizes;
    Elements elements;
    bool operator<(const Constant &other) const {
      return std::tie(sizes, elements) < std::tie(other.sizes, other.elements);
    }
  };
  using Constants = std::map<ValueIndex, Constant>;
  /// A session, and the shapes of its outputs by those of its inputs.
  struct Variant {
    explicit Variant(dml::Session session) : session(std::move(session)) {}
    dml::Session session;
    std::mutex mutex;
    std::map<std::string, std::vector<Shape>> outputs;
  };

  /// The tensors of a run, with the copies on the host of those that are on
  /// another device.
  struct Tensors {
    std::vector<DmlSessionTensor> all;
    std::deque<std::vector<char>> copies;
  };

  void runOnDevice(OrtKernelContext *kernel, const Constants &constants,
                   const Tensors &given);
  bool isRefused(const std::string &key);
  void noteRefused(const std::string &key, const Tensors &given,
                   const char *reason);
  void runOnCpu(OrtKernelContext *kernel);
  void readInputs(OrtKernelContext *kernel, Constants &constants,
                  Tensors &tensors) const;
  void place(DmlSessionTensor &tensor, std::vector<char> &copy) const;
  void keepWeights(Graph &graph, const std::set<std::string> &around);
  void nameInputs(const OrtNode *fused, const Facts &facts);
  void dump(const OrtNode *fused) const;
  void wantFixedSizes() const;
  void compileExecutable();
  void compileAhead();
  std::shared_ptr<Variant> makeVariant(const Constants &constants) const;
  std::shared_ptr<Variant> findVariant(const Constants &constants);
  std::vector<Shape> findOutputs(Variant &variant,
                                 const std::vector<DmlSessionTensor> &inputs);
  std::string getKey(const std::vector<DmlSessionTensor> &inputs) const;
  std::string getKey(const Constants &constants) const;
  DmlSessionTensor makeOutput(OrtKernelContext *kernel, size_t index,
                              const std::vector<int64_t> &sizes) const;
  void giveOutput(OrtKernelContext *kernel, size_t index,
                  const DmlSessionTensor &result) const;

  std::shared_ptr<const Context> context;
  Graph graph;
  Part part;
  /// What tells the weights of this partition from others of the process.
  std::string identifier;
  std::vector<std::unique_ptr<char[]>> weights;
  /// The executable of a partition that is or was compiled ahead, or "", and
  /// which outputs are scalars.
  Compiled compiled;
  /// Whether the executable is what runs.
  bool isReady = false;
  /// Whether a node has a graph within it: the session runs several programs,
  /// with the host between them.
  bool hasInnerGraphs = false;
  /// The inputs and outputs of the fused node, in its order.
  std::vector<Input> inputs;
  std::vector<ValueIndex> outputs;

  std::mutex mutex;
  std::map<Constants, std::shared_ptr<Variant>> variants;
  /// The inputs that dml refuses, as keys, and what runs them.
  std::set<std::string> refused;
  std::unique_ptr<Fallback> fallback;
};

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_COMPUTATION_H
