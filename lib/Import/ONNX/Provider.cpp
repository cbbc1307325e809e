//===- Provider.cpp - What ONNX Runtime's DirectML provider does not take -===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The provider registers kernels by operator, version and element type, and
// looks at some nodes once more before it takes them. A node that it does not
// take is computed on the CPU, where ONNX Runtime has a kernel for it there;
// else the nodes of the operator's own definition take its place, and the
// provider is asked about these. The importer builds such nodes of DirectML's
// operators nevertheless, so that they run; what level Windows needs for them,
// nobody can tell of these. HardSwish and Mish are no such nodes: the importer
// builds the nodes of their definitions.
//
// Operators that the importer does not know at all, such as NonMaxSuppression,
// stand in Importer.cpp. The table follows the registrations of ONNX Runtime
// 1.19 (OperatorRegistration.cpp of its DirectML provider).
//
//===----------------------------------------------------------------------===//

#include "Provider.h"
#include "Importer.h"

using namespace dml;
using namespace dml::onnx;

namespace {
using Condition = bool (*)(const NodeImporter &node);

struct Gap {
  llvm::StringLiteral domain, name;
  /// The newest version of the operator set of which this is true.
  int64_t until;
  /// Whether it is true of a node; of all where there is none.
  Condition condition;
  llvm::StringLiteral reason;
};
} // namespace

static constexpr int64_t anyVersion = std::numeric_limits<int64_t>::max();
static constexpr llvm::StringLiteral onCPU =
    "the provider has no kernel for this operator, but the CPU has";
static constexpr llvm::StringLiteral asNodes =
    "the provider has no kernel for this operator, and ONNX Runtime puts the "
    "nodes of its definition in its place";

static bool isComputed(const NodeImporter &node, unsigned index) {
  return node.hasInput(index) && !node.getInput(index).constant;
}

static bool hasComputedBound(const NodeImporter &node) {
  return isComputed(node, 1) || isComputed(node, 2);
}

static bool hasSecondOutput(const NodeImporter &node) {
  const auto &outputs = node.getNode().outputs;
  return outputs.size() > 1 &&
         llvm::any_of(llvm::drop_begin(outputs),
                      [](llvm::StringRef name) { return !name.empty(); });
}

static bool isNoFloat(const NodeImporter &node) {
  return node.hasInput(0) && node.getType(0) != DataType::FLOAT32 &&
         node.getType(0) != DataType::FLOAT16;
}

static bool is64Bits(const NodeImporter &node) {
  return node.hasInput(0) && (node.getType(0) == DataType::INT64 ||
                              node.getType(0) == DataType::UINT64);
}

static bool isHalf(const NodeImporter &node) {
  return node.hasInput(0) && node.getType(0) == DataType::FLOAT16;
}

static bool lacksZeroPoint(const NodeImporter &node) {
  return !node.hasInput(2) || !node.hasInput(4);
}

static bool hasThreeInputs(const NodeImporter &node) {
  return node.getNumInputs() > 2;
}

static bool hasOtherStatistics(const NodeImporter &node) {
  return node.hasInput(3) && node.getType(3) != node.getType(0);
}

static bool isTraining(const NodeImporter &node) {
  const AttributeProto *mode = node.getAttribute("training_mode");
  return mode && mode->i != 0;
}

static bool hasWideExponent(const NodeImporter &node) {
  return is64Bits(node) || (node.hasInput(1) && !node.getInput(1).constant &&
                            (node.getType(1) == DataType::INT64 ||
                             node.getType(1) == DataType::UINT64));
}

static bool hasNegativePads(const NodeImporter &node) {
  const AttributeProto *pads = node.getAttribute("pads");
  return pads && llvm::any_of(pads->ints, [](int64_t pad) { return pad < 0; });
}

static constexpr llvm::StringLiteral ms = "com.microsoft";
static constexpr llvm::StringLiteral floatsAlone =
    "the provider takes floats alone in this version of the operator";

static constexpr Gap gaps[] = {
    {"", "Compress", anyVersion, nullptr, onCPU},
    {"", "Gelu", anyVersion, nullptr, onCPU},
    {"", "GroupNormalization", anyVersion, nullptr, asNodes},
    {"", "NegativeLogLikelihoodLoss", anyVersion, nullptr, asNodes},
    {"", "SoftmaxCrossEntropyLoss", anyVersion, nullptr, asNodes},
    {"", "BatchNormalization", anyVersion, hasOtherStatistics,
     "its mean and variance have another type than its input"},
    {"", "BatchNormalization", anyVersion, isTraining,
     "its training mode is on"},
    {"", "Clip", anyVersion, hasComputedBound,
     "its bounds are computed when the model runs"},
    {"", "Einsum", anyVersion, hasThreeInputs, "it has more than two inputs"},
    {"", "LayerNormalization", anyVersion, hasSecondOutput,
     "it has more than one output"},
    {"", "SimplifiedLayerNormalization", anyVersion, hasSecondOutput,
     "it has more than one output"},
    {"", "Pad", 10, hasNegativePads, "it has negative pads"},
    {"", "Equal", 10, isNoFloat, floatsAlone},
    {"", "ReduceMax", 11, isNoFloat, floatsAlone},
    {"", "ReduceMin", 11, isNoFloat, floatsAlone},
    {"", "ReduceMean", 17, isNoFloat, floatsAlone},
    {"", "ReduceL2", 17, isNoFloat, floatsAlone},
    {"", "ReduceLogSum", 17, isNoFloat, floatsAlone},
    {"", "ReduceLogSumExp", 17, isNoFloat, floatsAlone},
    {"", "IsInf", anyVersion, isHalf, "the provider takes f32 alone"},
    {"", "Mod", anyVersion, is64Bits,
     "the provider takes no integers of 64 bits"},
    {"", "Pow", anyVersion, hasWideExponent,
     "the provider takes no integers of 64 bits"},
    {"", "PRelu", anyVersion, is64Bits,
     "the provider takes no integers of 64 bits"},
    {"", "Relu", anyVersion, is64Bits,
     "the provider takes no integers of 64 bits"},
    {"", "Shrink", anyVersion, is64Bits,
     "the provider takes no integers of 64 bits"},
    {ms, "QLinearSigmoid", anyVersion, lacksZeroPoint, "it lacks a zero point"},
};

llvm::StringRef dml::onnx::findWhyNotTaken(llvm::StringRef domain,
                                           const NodeImporter &node) {
  for (const Gap &gap : gaps)
    if (gap.domain == domain && gap.name == node.getNode().opType &&
        node.getOpset() <= gap.until && (!gap.condition || gap.condition(node)))
      return gap.reason;
  return {};
}
