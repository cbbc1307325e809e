//===- Provider.cpp - What ONNX Runtime's DirectML provider does not take -===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The provider registers kernels by operator, version and element type, and
// applies further conditions to some nodes. ONNX Runtime executes a node that
// the provider does not accept on the CPU, if the CPU provider has a kernel for
// the node. Otherwise, ONNX Runtime replaces the node by the nodes of the
// operator's definition, some of which the provider may accept. The importer
// nevertheless builds DirectML operators for nodes that are executed on the
// CPU, so that models can run. The feature level that such a node would require
// on Windows is unknown. HardSwish and Mish are different: the importer builds
// the nodes of their definitions.
//
// Graph/Problems.cpp lists the operators that the importer does not support at
// all, such as NonMaxSuppression. The table in this file follows the
// registrations of ONNX Runtime 1.19 (OperatorRegistration.cpp of its DirectML
// provider), and of 1.20, which added the newest ones. Each kernel is
// registered for one version of an operator. If the operator changed later, the
// provider has no kernel for the new version.
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/Provider.h"
#include "Reader/Functions.h"
#include "Reader/Versions.h"

using namespace dml;
using namespace dml::onnx;

namespace {
using Condition = bool (*)(const NodeReader &node);

struct Gap {
  llvm::StringLiteral domain, name;
  /// The newest version of the operator set to which this row applies.
  int64_t until;
  /// The condition under which this row applies to a node. A row without a
  /// condition applies to all nodes.
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

static constexpr llvm::StringLiteral repeated =
    "ONNX Runtime repeats the body on the CPU, and the provider runs the "
    "operators of the body";
static constexpr llvm::StringLiteral newerVersion =
    "the provider has no kernel for this version of the operator";
/// The newest version of the operator set for which the provider has kernels.
static constexpr int64_t newestRegistered = 21;

static bool isComputed(const NodeReader &node, unsigned index) {
  return node.hasInput(index) && !node.getInput(index).constant;
}

static bool hasComputedBound(const NodeReader &node) {
  return isComputed(node, 1) || isComputed(node, 2);
}

static bool hasSecondOutput(const NodeReader &node) {
  const auto &outputs = node.getNode().outputs;
  return outputs.size() > 1 &&
         llvm::any_of(llvm::drop_begin(outputs),
                      [](llvm::StringRef name) { return !name.empty(); });
}

static bool isNoFloat(const NodeReader &node) {
  return node.hasInput(0) && node.getType(0) != DataType::FLOAT32 &&
         node.getType(0) != DataType::FLOAT16;
}

static bool is64Bits(const NodeReader &node) {
  return node.hasInput(0) && (node.getType(0) == DataType::INT64 ||
                              node.getType(0) == DataType::UINT64);
}

static bool isHalf(const NodeReader &node) {
  return node.hasInput(0) && node.getType(0) == DataType::FLOAT16;
}

static bool lacksZeroPoint(const NodeReader &node) {
  return !node.hasInput(2) || !node.hasInput(4);
}

static bool hasThreeInputs(const NodeReader &node) {
  return node.getNumInputs() > 2;
}

static bool hasOtherStatistics(const NodeReader &node) {
  return node.hasInput(3) && node.getType(3) != node.getType(0);
}

static bool isTraining(const NodeReader &node) {
  const AttributeProto *mode = node.getAttribute("training_mode");
  return mode && mode->i != 0;
}

static bool hasWideExponent(const NodeReader &node) {
  return is64Bits(node) || (node.hasInput(1) && !node.getInput(1).constant &&
                            (node.getType(1) == DataType::INT64 ||
                             node.getType(1) == DataType::UINT64));
}

static bool hasNegativePads(const NodeReader &node) {
  const AttributeProto *pads = node.getAttribute("pads");
  return pads && llvm::any_of(pads->ints, [](int64_t pad) { return pad < 0; });
}

static bool hasReduction(const NodeReader &node) {
  const AttributeProto *reduction = node.getAttribute("reduction");
  return reduction && reduction->s != "none" && !reduction->s.empty();
}

static bool hasEllipsisOrThreeInputs(const NodeReader &node) {
  const AttributeProto *equation = node.getAttribute("equation");
  return hasThreeInputs(node) || (equation && equation->s.contains("...")) ||
         isNoFloat(node);
}

static bool hasPartialBlock(const NodeReader &node) {
  const AttributeProto *k = node.getAttribute("K"),
                       *block = node.getAttribute("block_size");
  return node.hasInput(4) || node.hasInput(5) ||
         (k && block && block->i > 0 && k->i % block->i != 0);
}

static bool hasFloatZeroPoint(const NodeReader &node) {
  return node.hasInput(3) && node.getType(3) != DataType::UINT8;
}

static bool isUnidirectional(const NodeReader &node) {
  const AttributeProto *attribute = node.getAttribute("unidirectional");
  return attribute && attribute->i != 0;
}

static bool isSet(const NodeReader &node, llvm::StringRef name) {
  const AttributeProto *attribute = node.getAttribute(name);
  return attribute && (attribute->i != 0 || attribute->f != 0);
}

/// Whether a GroupQueryAttention has something at which the provider does not
/// look.
static bool hasMoreThanGroups(const NodeReader &node) {
  const AttributeProto *window = node.getAttribute("local_window_size");
  return isSet(node, "do_rotary") || isSet(node, "softcap") ||
         isSet(node, "smooth_softmax") || (window && window->i > 0) ||
         node.hasInput(10) || node.hasInput(11) || node.getNumOutputs() > 3;
}

static bool isPacked(const NodeReader &node) { return !node.hasInput(1); }

/// Whether an Attention has a past or a present.
static bool hasPast(const NodeReader &node) {
  return node.hasInput(4) || hasSecondOutput(node);
}

static bool hasBatchFirst(const NodeReader &node) {
  const AttributeProto *layout = node.getAttribute("layout");
  return layout && layout->i != 0;
}

static bool is32Bits(const NodeReader &node) {
  return node.hasInput(0) && (node.getType(0) == DataType::INT32 ||
                              node.getType(0) == DataType::UINT32);
}

static bool extrapolates(const NodeReader &node) {
  const AttributeProto *value = node.getAttribute("extrapolation_value");
  return is32Bits(node) || (value && value->f != 0);
}

static constexpr llvm::StringLiteral floatsAlone =
    "the provider takes floats alone in this version of the operator";

/// Whether the node belongs to a version in which scatters support the
/// reductions max and min.
static bool isOf18(const NodeReader &node) { return node.getOpset() >= 18; }

static constexpr Gap gaps[] = {
    {"", "Attention", anyVersion, nullptr, onCPU},
    {"", "BitCast", anyVersion, nullptr, onCPU},
    {"", "Compress", anyVersion, nullptr, onCPU},
    {"", "CumProd", anyVersion, nullptr, onCPU},
    {"", "Gelu", anyVersion, nullptr, onCPU},
    {"", "GridSample", anyVersion, nullptr,
     "the provider has a shader of its own for this operator, and no operator "
     "of "
     "DirectML's"},
    {"", "GroupNormalization", anyVersion, nullptr, asNodes},
    {"", "Loop", anyVersion, nullptr, repeated},
    {"", "NegativeLogLikelihoodLoss", anyVersion, nullptr, asNodes},
    {"", "RMSNormalization", anyVersion, nullptr, onCPU},
    {"", "RotaryEmbedding", anyVersion, nullptr, onCPU},
    {"", "Scan", anyVersion, nullptr, repeated},
    {"", "ScatterElements", anyVersion, isOf18, newerVersion},
    {"", "ScatterND", anyVersion, isOf18, newerVersion},
    {"", "SoftmaxCrossEntropyLoss", anyVersion, nullptr, asNodes},
    {"", "TensorScatter", anyVersion, nullptr, onCPU},
    {"", "BatchNormalization", anyVersion, hasOtherStatistics,
     "its mean and variance have another type than its input"},
    {"", "BatchNormalization", anyVersion, isTraining,
     "its training mode is on"},
    {"", "Clip", anyVersion, hasComputedBound,
     "its bounds are computed when the model runs"},
    {"", "Einsum", anyVersion, hasEllipsisOrThreeInputs,
     "it has more than two inputs, an ellipsis, or elements that are no "
     "floats"},
    {"", "MatMul", anyVersion, isNoFloat, "the provider takes floats alone"},
    {"", "Resize", anyVersion, extrapolates,
     "it has an extrapolation value, or integers of 32 bits"},
    {"", "ScatterElements", anyVersion, hasReduction,
     "the provider's scatters replace elements"},
    {"", "ScatterND", anyVersion, hasReduction,
     "the provider's scatters replace elements"},
    {"", "GRU", anyVersion, hasBatchFirst, "its layout is 1"},
    {"", "LSTM", anyVersion, hasBatchFirst, "its layout is 1"},
    {"", "RNN", anyVersion, hasBatchFirst, "its layout is 1"},
    {contribDomain, "Attention", anyVersion, isUnidirectional,
     "it is unidirectional"},
    {contribDomain, "Attention", anyVersion, hasPast,
     "it has a past or a present"},
    {contribDomain, "MultiHeadAttention", anyVersion, isUnidirectional,
     "the provider does not look at unidirectional"},
    {contribDomain, "GatherBlockQuantized", anyVersion, nullptr, onCPU},
    {contribDomain, "GroupQueryAttention", anyVersion, isPacked,
     "its query has the keys and values, which the provider wants as inputs"},
    {contribDomain, "GroupQueryAttention", anyVersion, hasMoreThanGroups,
     "the provider does not look at a rotation, softcap, sink, window, bias or "
     "scores"},
    {contribDomain, "MatMulNBits", anyVersion, hasPartialBlock,
     "the last block of a row is not full, or it has a bias"},
    {contribDomain, "MatMulNBits", anyVersion, hasFloatZeroPoint,
     "its zero points are floats"},
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
    {contribDomain, "QLinearSigmoid", anyVersion, lacksZeroPoint,
     "it lacks a zero point"},
};

llvm::StringRef dml::onnx::findWhyNotTaken(llvm::StringRef domain,
                                           const NodeReader &node) {
  for (const Gap &gap : gaps)
    if (gap.domain == domain && gap.name == node.getNode().opType &&
        node.getOpset() <= gap.until && (!gap.condition || gap.condition(node)))
      return gap.reason;
  // Swish is an exception, since the provider executes the nodes of its
  // definition.
  llvm::StringRef name = node.getNode().opType;
  if (domain.empty() && name != "Swish" &&
      getOperatorVersion(name, node.getOpset()) > newestRegistered)
    return newerVersion;
  return {};
}
