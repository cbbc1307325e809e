//===- QuantizedNodes.cpp - Nodes between dequantization and quantization -===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Implements the rewrites of ONNX Runtime's QDQSelectorActionTransformer for
// its DirectML provider. They fuse a node with the dequantizations of its
// inputs and the quantization of its output:
//
//   x -> DequantizeLinear -> Conv -> QuantizeLinear  becomes  x -> QLinearConv
//
// The rewrites are applied to nodes, before operators are built, so that the
// importer's own functions for QLinearConv and similar nodes determine the
// DirectML operators. The rules are those of ONNX Runtime 1.19 to 1.22 that
// name the provider (qdq_selector_action_transformer.cc, qdq_selectors.cc).
// Before these rules, QDQPropagationTransformer moves quantizations across
// nodes that only move elements (qdq_propagation.cc). After the rules,
// MatMulIntegerToFloatFusion is applied (matmul_integer_to_float.cc).
//
// Some fusions differ between these versions, or depend on the processor:
// activations of int8 are fused only on ARM, and before 1.20, a Relu in front
// of the quantization prevents the fusion. Such nodes remain unchanged, and the
// notes name the newest operator that could be created from them.
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/QuantizedNodes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <list>
#include <map>

using namespace dml::onnx;
using llvm::StringLiteral;
using llvm::StringRef;

namespace {
/// The effect of a rule on its node.
enum class Kind {
  /// All inputs are dequantized, and the result is quantized. These nodes are
  /// fused into one.
  Linear,
  /// Like Linear, but a product whose result is not quantized returns floats.
  Product,
  /// The node only moves or selects elements, so that it can operate on
  /// integers.
  Keep,
  /// Like Keep, for each output of Split.
  KeepAll,
  /// ArgMax, whose result is an index, so that it can read integers.
  Read,
};

struct Rule {
  /// The ONNX operator, and its oldest version to which the rule applies.
  StringLiteral type;
  int64_t since;
  Kind kind;
  /// The operator and the domain of the new node, or "" if the operator does
  /// not change.
  StringLiteral becomes, domain;
  /// The newest DirectML operator that a linear rule creates, or "" if the
  /// provider has no kernel for the new node.
  StringLiteral makes;
  /// Whether the rule requires a scale greater than 0.
  bool wantsPositiveScale = false;
};

/// The element type of a tensor, numbered as in TensorProto.
enum ElementType : int32_t {
  Unknown = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  UInt4 = 21,
  Int4 = 22,
};
} // namespace

static bool isWide(int32_t type) { return type == UInt16 || type == Int16; }
static bool isNarrow(int32_t type) { return type == UInt4 || type == Int4; }

static constexpr StringLiteral transformer = "QDQSelectorActionTransformer";
static constexpr StringLiteral integerFusion = "MatMulIntegerToFloatFusion";
static constexpr StringLiteral toFloat = "matrix_multiply_integer_to_float";

static constexpr Rule rules[] = {
    {"Conv", 1, Kind::Linear, "QLinearConv", "",
     "quantized_linear_convolution"},
    {"MatMul", 1, Kind::Product, "QLinearMatMul", "", toFloat},
    {"Add", 7, Kind::Linear, "QLinearAdd", contribDomain,
     "element_wise_quantized_linear_add"},
    {"AveragePool", 7, Kind::Linear, "QLinearAveragePool", contribDomain,
     "quantized_linear_average_pooling"},
    {"GlobalAveragePool", 1, Kind::Linear, "QLinearGlobalAveragePool",
     contribDomain, "quantized_linear_average_pooling"},
    {"Sigmoid", 6, Kind::Linear, "QLinearSigmoid", contribDomain,
     "activation_sigmoid"},
    {"Concat", 4, Kind::Linear, "QLinearConcat", contribDomain, "join"},
    {"LeakyRelu", 6, Kind::Linear, "QLinearLeakyRelu", contribDomain, ""},
    {"Softmax", 1, Kind::Linear, "QLinearSoftmax", contribDomain, ""},
    // The provider has a separate pass for this operator.
    {"Resize", 10, Kind::Linear, "Resize", "", ""},
    {"MaxPool", 12, Kind::Keep, "", "", "", true},
    {"ReduceMax", 1, Kind::Keep, "", "", "", true},
    {"ReduceMin", 1, Kind::Keep, "", "", "", true},
    {"Expand", 8, Kind::Keep, "", "", ""},
    {"Flatten", 1, Kind::Keep, "", "", ""},
    {"Gather", 1, Kind::Keep, "", "", ""},
    {"GatherElements", 11, Kind::Keep, "", "", ""},
    {"Reshape", 5, Kind::Keep, "", "", ""},
    {"Slice", 1, Kind::Keep, "", "", ""},
    {"Squeeze", 1, Kind::Keep, "", "", ""},
    {"Tile", 6, Kind::Keep, "", "", ""},
    {"Transpose", 1, Kind::Keep, "", "", ""},
    {"Unsqueeze", 1, Kind::Keep, "", "", ""},
    {"Split", 1, Kind::KeepAll, "", "", ""},
    {"ArgMax", 1, Kind::Read, "", "", ""},
};

namespace {
/// A node that quantizes or dequantizes: its integer element type, and whether
/// its scale and its zero point are single constants.
struct Quantization {
  const NodeProto *node = nullptr;
  int32_t type = Unknown;

  StringRef getScale() const { return node->inputs[1]; }
  StringRef getZeroPoint() const {
    return node->inputs.size() > 2 ? node->inputs[2] : StringRef();
  }
};

class Fuser {
public:
  Fuser(std::vector<PlacedNode> &nodes, const GraphProto &graph,
        const llvm::StringSet<> &pinned, llvm::StringSaver &strings,
        OptimizationNotes &notes);
  void run();

private:
  using Nodes = std::list<PlacedNode>;
  /// The nodes that read a name, with the number of reads of each.
  using Readers = std::map<PlacedNode *, unsigned>;

  /// attach() enters a node into the maps below, and detach() removes it, so
  /// that it can be modified.
  void attach(Nodes::iterator place);
  void detach(PlacedNode &placed);
  void erase(PlacedNode &placed);
  int32_t getOutputType(const NodeProto &node) const;

  int64_t getOpset(const PlacedNode &placed) const;
  bool isOf(const PlacedNode *placed, StringRef type,
            StringRef domain = "") const;
  const Readers &getReaders(StringRef name) const;
  /// Returns the only node that reads `name`, if it does so only once. Returns
  /// null if there are other readers, which may also be outputs of the model or
  /// graphs within nodes.
  PlacedNode *getSoleReader(StringRef name) const;
  PlacedNode *getSoleReader(const PlacedNode &placed) const {
    return placed.node.outputs.size() == 1
               ? getSoleReader(placed.node.outputs[0])
               : nullptr;
  }

  const TensorProto *getConstant(StringRef name) const {
    return name.empty() ? nullptr : constants.lookup(name);
  }
  std::optional<double> getNumber(StringRef name) const;
  bool isSameNumber(StringRef a, StringRef b) const;
  /// Whether the scale is a single constant, and so is the zero point, if there
  /// is one.
  bool hasSteadyNumbers(const Quantization &quantization) const;
  /// Return the dequantization that computes `name`, and the quantization that
  /// `reader` performs. Their node is null if there is none.
  Quantization getDequantization(StringRef name) const;
  Quantization getQuantization(const PlacedNode *reader) const;

  bool canCarry(const PlacedNode *placed) const;
  /// Inserts a quantization of `name` and the corresponding dequantization,
  /// with the scale and the zero point of `like`. Returns the dequantization.
  PlacedNode &insertPair(Nodes::iterator before, const PlacedNode &like,
                         StringRef name);
  void carryBack(PlacedNode &quantize);
  void carryOn(PlacedNode &dequantize);

  void apply(const Rule &rule, PlacedNode &placed);
  void applyKeep(const Rule &rule, PlacedNode &placed);
  void fuseIntegerProduct(PlacedNode &mul);
  void open(const Rule &rule, StringRef makes);
  void note(PlacedNode &placed, StringRef fusion);

  std::vector<PlacedNode> &given;
  const llvm::StringSet<> &pinned;
  llvm::StringSaver &strings;
  OptimizationNotes &notes;
  Nodes nodes;
  llvm::StringMap<PlacedNode *> producers;
  llvm::StringMap<Readers> readers;
  llvm::StringMap<int32_t> types;
  llvm::StringMap<const TensorProto *> constants;
  llvm::DenseMap<const PlacedNode *, Nodes::iterator> places;
  unsigned count = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

static const AttributeProto *findAttribute(const NodeProto &node,
                                           StringRef name) {
  for (const AttributeProto &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

Fuser::Fuser(std::vector<PlacedNode> &nodes, const GraphProto &graph,
             const llvm::StringSet<> &pinned, llvm::StringSaver &strings,
             OptimizationNotes &notes)
    : given(nodes), pinned(pinned), strings(strings), notes(notes),
      nodes(std::make_move_iterator(nodes.begin()),
            std::make_move_iterator(nodes.end())) {
  for (const ValueInfo &input : graph.inputs)
    types[input.name] = input.elementType;
  for (const TensorProto &tensor : graph.initializers) {
    types[tensor.name] = tensor.dataType;
    constants[tensor.name] = &tensor;
  }
  for (auto place = this->nodes.begin(); place != this->nodes.end(); ++place) {
    const NodeProto &node = place->node;
    if (node.opType == "Constant" && node.outputs.size() == 1)
      if (const AttributeProto *value = findAttribute(node, "value");
          value && value->t)
        constants[node.outputs[0]] = &*value->t;
    attach(place);
  }
}

/// Returns the element type of a node's outputs if a rule may depend on it.
int32_t Fuser::getOutputType(const NodeProto &node) const {
  auto getInputType = [&](unsigned index) {
    return index < node.inputs.size() ? types.lookup(node.inputs[index])
                                      : int32_t(Unknown);
  };
  if (node.opType == "Constant" && node.outputs.size() == 1) {
    const TensorProto *tensor = getConstant(node.outputs[0]);
    return tensor ? tensor->dataType : int32_t(Unknown);
  }
  if (node.opType == "QuantizeLinear") {
    if (node.inputs.size() > 2 && !node.inputs[2].empty())
      return getInputType(2);
    const AttributeProto *stated = findAttribute(node, "output_dtype");
    return stated && stated->i != 0 ? static_cast<int32_t>(stated->i)
                                    : int32_t(UInt8);
  }
  if (node.opType == "DequantizeLinear")
    return getInputType(1);
  if (node.opType == "DynamicQuantizeLinear")
    return UInt8;
  if (node.opType == "QLinearConv" || node.opType == "QLinearMatMul")
    return getInputType(7);
  for (const Rule &rule : rules)
    if (rule.type == node.opType &&
        (rule.kind == Kind::Keep || rule.kind == Kind::KeepAll))
      return getInputType(0);
  return Unknown;
}

void Fuser::attach(Nodes::iterator place) {
  PlacedNode &placed = *place;
  places[&placed] = place;
  for (StringRef name : placed.node.inputs)
    if (!name.empty())
      ++readers[name][&placed];
  int32_t type = getOutputType(placed.node);
  for (StringRef name : placed.node.outputs)
    if (!name.empty()) {
      producers[name] = &placed;
      // The result of a fused node has the same type as before.
      types.try_emplace(name, type);
    }
}

void Fuser::detach(PlacedNode &placed) {
  for (StringRef name : placed.node.inputs)
    if (!name.empty())
      readers[name].erase(&placed);
  for (StringRef name : placed.node.outputs)
    if (auto found = producers.find(name);
        found != producers.end() && found->second == &placed)
      producers.erase(found);
}

void Fuser::erase(PlacedNode &placed) {
  detach(placed);
  auto place = places.find(&placed);
  Nodes::iterator position = place->second;
  places.erase(place);
  nodes.erase(position);
}

int64_t Fuser::getOpset(const PlacedNode &placed) const {
  auto set = placed.sets->find(normalizeDomain(placed.node.domain));
  return set == placed.sets->end() ? 1 : set->second;
}

bool Fuser::isOf(const PlacedNode *placed, StringRef type,
                 StringRef domain) const {
  return placed && placed->node.opType == type &&
         normalizeDomain(placed->node.domain) == domain;
}

const Fuser::Readers &Fuser::getReaders(StringRef name) const {
  static const Readers none;
  auto found = readers.find(name);
  return found == readers.end() ? none : found->second;
}

PlacedNode *Fuser::getSoleReader(StringRef name) const {
  const Readers &all = getReaders(name);
  return all.size() == 1 && all.begin()->second == 1 && !pinned.contains(name)
             ? all.begin()->first
             : nullptr;
}

/// Returns the only number in a constant. Returns nothing if there are several,
/// or if the constant is in an external file or has a type that quantizations
/// do not use.
std::optional<double> Fuser::getNumber(StringRef name) const {
  const TensorProto *tensor = getConstant(name);
  if (!tensor || tensor->isExternal || tensor->dims.size() > 1 ||
      llvm::any_of(tensor->dims, [](int64_t size) { return size != 1; }))
    return std::nullopt;
  const char *bytes = tensor->rawData ? tensor->rawData->data() : nullptr;
  size_t width = tensor->rawData ? tensor->rawData->size() : 0;
  using llvm::support::endian::read32le;
  switch (tensor->dataType) {
  case Float:
    if (width == 4)
      return llvm::bit_cast<float>(read32le(bytes));
    if (tensor->floats.size() == 1)
      return tensor->floats[0];
    return std::nullopt;
  case UInt8:
  case Int8:
    if (width == 1)
      return tensor->dataType == Int8 ? static_cast<int8_t>(*bytes)
                                      : static_cast<uint8_t>(*bytes);
    break;
  case Int32:
    if (width == 4)
      return static_cast<int32_t>(read32le(bytes));
    break;
  default:
    return std::nullopt;
  }
  if (tensor->int32s.size() == 1)
    return tensor->int32s[0];
  return std::nullopt;
}

bool Fuser::isSameNumber(StringRef a, StringRef b) const {
  if (a == b)
    return true;
  std::optional<double> first = getNumber(a), second = getNumber(b);
  return first && second && *first == *second &&
         types.lookup(a) == types.lookup(b);
}

bool Fuser::hasSteadyNumbers(const Quantization &quantization) const {
  StringRef zeroPoint = quantization.getZeroPoint();
  return getNumber(quantization.getScale()) &&
         (zeroPoint.empty() || getNumber(zeroPoint));
}

Quantization Fuser::getDequantization(StringRef name) const {
  const PlacedNode *placed = producers.lookup(name);
  if (!isOf(placed, "DequantizeLinear") || placed->node.inputs.size() < 2)
    return {};
  int32_t type = types.lookup(placed->node.inputs[0]);
  // A node is rejected on import if it dequantizes something other than
  // integers, or if its zero point has another type.
  if (type != Unknown && type != Int32 && type != UInt8 && type != Int8 &&
      !isWide(type) && !isNarrow(type))
    return {};
  if (placed->node.inputs.size() > 2 && !placed->node.inputs[2].empty())
    if (int32_t zero = types.lookup(placed->node.inputs[2]);
        type != Unknown && zero != Unknown && zero != type)
      return {};
  return {&placed->node, type};
}

Quantization Fuser::getQuantization(const PlacedNode *reader) const {
  if (!isOf(reader, "QuantizeLinear") || reader->node.inputs.size() < 2 ||
      reader->node.outputs.size() != 1)
    return {};
  return {&reader->node, types.lookup(reader->node.outputs[0])};
}

//===----------------------------------------------------------------------===//
// Quantizations that are carried over nodes
//===----------------------------------------------------------------------===//

bool Fuser::canCarry(const PlacedNode *placed) const {
  if (!placed || !normalizeDomain(placed->node.domain).empty() ||
      placed->node.inputs.empty() || placed->node.outputs.empty())
    return false;
  StringRef type = placed->node.opType;
  int64_t opset = getOpset(*placed);
  if (type == "MaxPool")
    return opset >= 12 && placed->node.outputs.size() == 1;
  if (type == "Slice")
    return true;
  return (type == "Reshape" || type == "Transpose" || type == "Squeeze" ||
          type == "Unsqueeze") &&
         opset < 21;
}

PlacedNode &Fuser::insertPair(Nodes::iterator before, const PlacedNode &like,
                              StringRef name) {
  std::string stem = (name + "~q" + llvm::Twine(count++)).str();
  auto insert = [&](StringRef type, StringRef from, const llvm::Twine &to) {
    PlacedNode placed{{}, like.sets, transformer};
    placed.node.opType = type;
    placed.node.name = strings.save(to);
    placed.node.inputs = like.node.inputs;
    placed.node.inputs[0] = from;
    placed.node.outputs = {placed.node.name};
    Nodes::iterator place = nodes.insert(before, std::move(placed));
    attach(place);
    return place;
  };
  Nodes::iterator quantize = insert("QuantizeLinear", name, stem);
  return *insert("DequantizeLinear", quantize->node.outputs[0],
                 llvm::Twine(stem) + "d");
}

/// Moves a quantization backward over nodes that only move elements.
void Fuser::carryBack(PlacedNode &quantize) {
  PlacedNode *reader = &quantize;
  while (true) {
    PlacedNode *placed = producers.lookup(reader->node.inputs[0]);
    if (!canCarry(placed) || getSoleReader(*placed) != reader)
      return;
    StringRef name = placed->node.inputs[0];
    PlacedNode *before = producers.lookup(name);
    if (isOf(before, "DequantizeLinear") || getSoleReader(name) != placed)
      return;
    detach(*placed);
    PlacedNode &pair = insertPair(places[placed], quantize, name);
    placed->node.inputs[0] = pair.node.outputs[0];
    attach(places[placed]);
    if (!before)
      return;
    // The new quantization reads the result of `before`.
    reader = getSoleReader(name);
  }
}

/// Moves a dequantization forward over nodes that only move elements.
void Fuser::carryOn(PlacedNode &dequantize) {
  std::vector<PlacedNode *> next;
  auto addCarrier = [&](PlacedNode *reader, StringRef name) {
    if (canCarry(reader) && reader->node.inputs[0] == name)
      next.push_back(reader);
  };
  addCarrier(getSoleReader(dequantize), dequantize.node.outputs[0]);
  while (!next.empty()) {
    PlacedNode *placed = next.back();
    next.pop_back();
    StringRef output = placed->node.outputs[0];
    Nodes::iterator behind = std::next(places[placed]);
    if (pinned.contains(output)) {
      if (!getReaders(output).empty())
        continue;
      // If the output belongs to the model, the dequantization must compute the
      // tensor with its name.
      detach(*placed);
      StringRef inner = strings.save(output + "~f" + llvm::Twine(count++));
      placed->node.outputs[0] = inner;
      attach(places[placed]);
      PlacedNode &pair = insertPair(behind, dequantize, inner);
      detach(pair);
      pair.node.outputs[0] = output;
      attach(places[&pair]);
      continue;
    }
    std::vector<PlacedNode *> others;
    for (auto [reader, times] : getReaders(output))
      if (!isOf(reader, "QuantizeLinear"))
        others.push_back(reader);
    if (others.empty())
      continue;
    StringRef floats = insertPair(behind, dequantize, output).node.outputs[0];
    for (PlacedNode *reader : others) {
      detach(*reader);
      for (StringRef &name : reader->node.inputs)
        if (name == output)
          name = floats;
      attach(places[reader]);
      addCarrier(reader, floats);
    }
  }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

void Fuser::open(const Rule &rule, StringRef makes) {
  notes.open.insert({(transformer + " of " + rule.type).str(), makes});
}

void Fuser::note(PlacedNode &placed, StringRef fusion) {
  placed.fusion = fusion;
  ++notes.fused[fusion];
}

/// Applies a rule to a node that operates on integers in the same way as on
/// floats.
void Fuser::applyKeep(const Rule &rule, PlacedNode &placed) {
  NodeProto &node = placed.node;
  Quantization input = getDequantization(node.inputs[0]);
  // The rule does not apply if another input is dequantized.
  for (StringRef name : llvm::drop_begin(node.inputs))
    if (getDequantization(name).node)
      return;
  bool isRead = rule.kind == Kind::Read;
  if (!hasSteadyNumbers(input))
    return;
  if ((isRead || rule.wantsPositiveScale) &&
      (isWide(input.type) || isNarrow(input.type)))
    return;
  if (rule.wantsPositiveScale && *getNumber(input.getScale()) <= 0)
    return;
  // Finds the quantization of each output.
  std::vector<PlacedNode *> quantizations;
  for (StringRef output : isRead ? std::vector<StringRef>() : node.outputs) {
    quantizations.push_back(output.empty() ? nullptr : getSoleReader(output));
    if (output.empty())
      continue;
    Quantization to = getQuantization(quantizations.back());
    if (!to.node || to.type != input.type || to.node->inputs[0] != output ||
        to.getZeroPoint().empty() != input.getZeroPoint().empty() ||
        !isSameNumber(to.getScale(), input.getScale()) ||
        !isSameNumber(to.getZeroPoint(), input.getZeroPoint()))
      return;
  }
  if (rule.kind == Kind::Keep && node.outputs.size() != 1)
    return;
  detach(placed);
  node.inputs[0] = input.node->inputs[0];
  for (auto [index, quantization] : llvm::enumerate(quantizations))
    if (quantization) {
      node.outputs[index] = quantization->node.outputs[0];
      erase(*quantization);
    }
  attach(places[&placed]);
  note(placed, transformer);
}

void Fuser::apply(const Rule &rule, PlacedNode &placed) {
  NodeProto &node = placed.node;
  if (node.inputs.empty() || node.outputs.empty() ||
      !getDequantization(node.inputs[0]).node)
    return;
  if (rule.kind != Kind::Linear && rule.kind != Kind::Product)
    return applyKeep(rule, placed);

  // Finds the quantization of the result, which may come after an activation.
  PlacedNode *reader = getSoleReader(placed);
  Quantization result = getQuantization(reader);
  bool hasActivation = false;
  if (isOf(reader, "Relu") || isOf(reader, "Clip")) {
    hasActivation = getQuantization(getSoleReader(*reader)).node != nullptr;
    // A Relu is redundant if the zero point is the smallest number.
    Quantization behind = getQuantization(getSoleReader(*reader));
    if (hasActivation && isOf(reader, "Relu"))
      if (std::optional<double> zero = getNumber(behind.getZeroPoint()))
        hasActivation = *zero == (behind.type == Int8 ? -128 : 0);
  }
  bool isProduct = rule.kind == Kind::Product && !result.node && !hasActivation;
  if (!result.node && !hasActivation && !isProduct)
    return;
  if (isProduct &&
      llvm::any_of(getReaders(node.outputs[0]), [&](const auto &other) {
        return isOf(other.first, "QuantizeLinear");
      }))
    return;

  // All inputs must be dequantized. Since version 1.21, constants are quantized
  // as well.
  std::vector<Quantization> inputs;
  bool isSure = !hasActivation;
  unsigned number = rule.type == "Resize" ? 1 : node.inputs.size();
  for (unsigned index = 0; index < number; ++index) {
    StringRef name = node.inputs[index];
    if (name.empty())
      continue;
    inputs.push_back(getDequantization(name));
    if (inputs.back().node)
      continue;
    if (rule.type != "Conv" || !getConstant(name))
      return;
    isSure = false;
  }
  bool isConv = rule.type == "Conv";
  int32_t type = inputs[0].type;
  auto isUnknown = [&](const Quantization &quantization) {
    // The bias must have no zero point, or the zero point 0.
    return quantization.node &&
           (quantization.type == Unknown ||
            (quantization.getZeroPoint().empty() &&
             quantization.type != Int32) ||
            types.lookup(quantization.getScale()) != Float ||
            findAttribute(*quantization.node, "block_size"));
  };
  if (llvm::any_of(inputs, isUnknown) || isUnknown(result)) {
    isSure = false;
  } else {
    if (isWide(type) || isNarrow(type) || (result.node && result.type != type))
      return;
    for (auto [index, input] : llvm::enumerate(inputs)) {
      if (!input.node)
        continue;
      if (isConv && index == 2) {
        if (input.type != Int32)
          return;
      } else if (isWide(input.type) || isNarrow(input.type)) {
        return;
      } else if (isConv || rule.kind == Kind::Product) {
        if (type == Int8 && input.type != Int8)
          return;
      } else if (input.type != type) {
        return;
      }
    }
    // x64 CPUs do not support int8 activations here, whereas ARM CPUs do.
    if ((isConv || rule.kind == Kind::Product) && type == Int8)
      isSure = false;
  }
  // A product and a bias may have become a Gemm, which is not fused.
  if (isProduct && isOf(reader, "Add"))
    isSure = false;
  if (!isSure || rule.makes.empty())
    return open(rule, rule.kind == Kind::Product && !isProduct
                          ? "quantized_linear_matrix_multiply"
                          : StringRef(rule.makes));

  std::vector<StringRef> fused;
  auto append = [&](const Quantization &quantization) {
    fused.push_back(quantization.node->inputs[0]);
    fused.push_back(quantization.getScale());
    fused.push_back(quantization.getZeroPoint());
  };
  if (isProduct) {
    fused = {inputs[0].node->inputs[0], inputs[1].node->inputs[0],
             inputs[0].getScale(),      inputs[1].getScale(),
             inputs[0].getZeroPoint(),  inputs[1].getZeroPoint()};
    detach(placed);
    node.opType = "MatMulIntegerToFloat";
    node.domain = contribDomain;
    node.inputs = std::move(fused);
    attach(places[&placed]);
    return note(placed, transformer);
  }
  bool isConcat = rule.type == "Concat";
  if (isConcat)
    fused = {result.getScale(), result.getZeroPoint()};
  for (auto [index, input] : llvm::enumerate(inputs))
    if (!isConv || index < 2)
      append(input);
  if (!isConcat) {
    fused.push_back(result.getScale());
    fused.push_back(result.getZeroPoint());
  }
  if (isConv && inputs.size() > 2)
    fused.push_back(inputs[2].node->inputs[0]);
  // The scale of the result may be computed after the node, so that the new
  // node takes the place of the quantization.
  detach(placed);
  detach(*reader);
  node.opType = rule.becomes;
  node.domain = rule.domain;
  node.inputs = std::move(fused);
  node.outputs = {result.node->outputs[0]};
  reader->node = std::move(node);
  reader->sets = placed.sets;
  placed.node = NodeProto();
  erase(placed);
  attach(places[reader]);
  note(*reader, transformer);
}

/// Fuses an integer product that is cast and then scaled by the product of two
/// scales, with an optional bias.
void Fuser::fuseIntegerProduct(PlacedNode &mul) {
  // From version 14 on, the optimization does not support Mul.
  if (getOpset(mul) >= 14 || mul.node.inputs.size() != 2)
    return;
  for (unsigned index : {0, 1}) {
    PlacedNode *cast = producers.lookup(mul.node.inputs[index]);
    PlacedNode *scales = producers.lookup(mul.node.inputs[1 - index]);
    if (!isOf(cast, "Cast") || !isOf(scales, "Mul") ||
        getSoleReader(*cast) != &mul || getSoleReader(*scales) != &mul ||
        cast->node.inputs.size() != 1 || scales->node.inputs.size() != 2)
      continue;
    PlacedNode *product = producers.lookup(cast->node.inputs[0]);
    if (!isOf(product, "MatMulInteger") || getSoleReader(*product) != cast ||
        product->node.inputs.size() < 2)
      continue;
    auto getInput = [&](unsigned at) {
      return at < product->node.inputs.size() ? product->node.inputs[at]
                                              : StringRef();
    };
    std::vector<StringRef> inputs = {getInput(0),
                                     getInput(1),
                                     scales->node.inputs[0],
                                     scales->node.inputs[1],
                                     getInput(2),
                                     getInput(3)};
    // The new node takes the place of the last fused node.
    PlacedNode *last = &mul;
    PlacedNode *add = getSoleReader(mul);
    if (isOf(add, "Add") && add->node.inputs.size() == 2) {
      const TensorProto *bias = getConstant(add->node.inputs[1]);
      if (bias && !bias->dims.empty() && bias->dims.back() > 1 &&
          llvm::all_of(llvm::drop_end(bias->dims),
                       [](int64_t size) { return size == 1; })) {
        inputs.push_back(add->node.inputs[1]);
        last = add;
      }
    }
    detach(*last);
    last->node.opType = "MatMulIntegerToFloat";
    last->node.domain = contribDomain;
    last->node.inputs = std::move(inputs);
    attach(places[last]);
    if (last != &mul)
      erase(mul);
    for (PlacedNode *gone : {cast, scales, product})
      erase(*gone);
    return note(*last, integerFusion);
  }
}

void Fuser::run() {
  auto forEach = [&](StringRef type, llvm::function_ref<void(PlacedNode &)> f) {
    std::vector<PlacedNode *> found;
    for (PlacedNode &placed : nodes)
      if (isOf(&placed, type))
        found.push_back(&placed);
    for (PlacedNode *placed : found)
      if (places.count(placed))
        f(*placed);
  };
  forEach("QuantizeLinear", [&](PlacedNode &placed) {
    Quantization quantization = getQuantization(&placed);
    if (quantization.node && hasSteadyNumbers(quantization))
      carryBack(placed);
  });
  forEach("DequantizeLinear", [&](PlacedNode &placed) {
    if (placed.node.outputs.size() != 1)
      return;
    Quantization quantization = getDequantization(placed.node.outputs[0]);
    if (quantization.node && hasSteadyNumbers(quantization))
      carryOn(placed);
  });
  for (const Rule &rule : rules)
    forEach(rule.type, [&](PlacedNode &placed) {
      if (getOpset(placed) >= rule.since)
        apply(rule, placed);
    });
  forEach("Mul", [&](PlacedNode &placed) { fuseIntegerProduct(placed); });
  given.assign(std::make_move_iterator(nodes.begin()),
               std::make_move_iterator(nodes.end()));
}

void dml::onnx::fuseQuantizedNodes(std::vector<PlacedNode> &nodes,
                                   const GraphProto &graph,
                                   const llvm::StringSet<> &pinned,
                                   llvm::StringSaver &strings,
                                   OptimizationNotes &notes) {
  // Models without quantization are skipped without indexing.
  if (llvm::any_of(nodes, [](const PlacedNode &placed) {
        return placed.node.opType == "DequantizeLinear" ||
               placed.node.opType == "QuantizeLinear" ||
               placed.node.opType == "MatMulInteger";
      }))
    Fuser(nodes, graph, pinned, strings, notes).run();
}
