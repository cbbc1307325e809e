//===- OnnxRuntime.cpp - ONNX Runtime and its operators -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/OnnxRuntime.h"
#include "OnnxRuntime/Optimizations.h"
#include "OnnxRuntime/Provider.h"
#include "OnnxRuntime/QuantizedNodes.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

void dml::onnx::addContribNodes(Registry &registry) {
  addContribActivationNodes(registry);
  addContribAttentionNodes(registry);
  addContribContractionNodes(registry);
  addContribNormalizationNodes(registry);
  addContribQuantizationNodes(registry);
  addFusedNodes(registry);
}

namespace {
class OnnxRuntime final : public Runtime {
public:
  StringRef findWhyNotTaken(StringRef domain,
                            const NodeReader &node) const override {
    return onnx::findWhyNotTaken(domain, node);
  }
  void fuseNodes(std::vector<PlacedNode> &nodes, const GraphProto &graph,
                 const llvm::StringSet<> &pinned, llvm::StringSaver &strings,
                 OptimizationNotes &notes) const override {
    fuseQuantizedNodes(nodes, graph, pinned, strings, notes);
  }
  void optimize(func::FuncOp function, NodeOrigins origins,
                OptimizationNotes notes) const override {
    onnx::optimize(function, std::move(origins), std::move(notes));
  }
};
} // namespace

const Runtime &dml::onnx::getOnnxRuntime() {
  static const OnnxRuntime runtime;
  return runtime;
}
