//===- Importer.cpp - From nodes of a graph to operators ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/Importer.h"
#include "OnnxRuntime/Optimizations.h"
#include "OnnxRuntime/Provider.h"
#include "OnnxRuntime/QuantizedNodes.h"
#include "Reader/Functions.h"
#include "Reader/Versions.h"
#include "dml/IR/Layout.h"
#include "dml/IR/Origin.h"
#include "dml/IR/ViewOps.h"
#include "dml/Import/ONNXRuntime.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include <list>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// The versions of ONNX's operator set whose operators the registry knows.
static constexpr int64_t oldestOpset = 1, newestOpset = 26;

Shape dml::onnx::toPhysical(ArrayRef<int64_t> shape) {
  constexpr size_t minRank = 4;
  Shape physical(minRank - std::min(minRank, shape.size()), 1);
  physical.append(shape.begin(), shape.end());
  return physical;
}

std::optional<Shape> dml::onnx::broadcastShapes(ArrayRef<int64_t> a,
                                                ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape result(a);
  size_t offset = a.size() - b.size();
  for (size_t dim = 0; dim < b.size(); ++dim) {
    int64_t &size = result[offset + dim];
    if (size == 1)
      size = b[dim];
    else if (b[dim] != 1 && b[dim] != size)
      return std::nullopt;
  }
  return result;
}

const Registry &dml::onnx::getRegistry() {
  static const Registry registry = [] {
    Registry registry;
    addAttentionOperators(registry);
    addContribOperators(registry);
    addDotProductAttention(registry);
    addEinsumOperator(registry);
    addElementWiseOperators(registry);
    addEmbeddingOperators(registry);
    addIndexingOperators(registry);
    addLaterOperators(registry);
    addLossOperators(registry);
    addMovementOperators(registry);
    addNormalizationOperators(registry);
    addRecurrentOperators(registry);
    addReductionOperators(registry);
    addResamplingOperators(registry);
    addShapeOperators(registry);
    addWindowOperators(registry);
    return registry;
  }();
  return registry;
}

std::vector<SupportedOperator> dml::onnx::getSupportedOperators() {
  std::vector<SupportedOperator> operators;
  for (const auto &[name, info] : getRegistry().getAll())
    operators.push_back({name.first, name.second, info.becomes});
  return operators;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace dml::onnx {
/// Builds a function of a graph.
class GraphImporter {
public:
  GraphImporter(const ModelProto &model, StringRef path,
                std::shared_ptr<llvm::MemoryBuffer> file, MLIRContext *context,
                const ImportOptions &options, bool isOptimized)
      : graph(*model.graph), path(path), file(std::move(file)),
        externalFiles(path), builder(context), options(options),
        isOptimized(isOptimized), expander(model),
        maxFoldingBytes(4 * static_cast<int64_t>(this->file->getBufferSize()) +
                        (int64_t(1) << 28)) {}

  llvm::Expected<OwningOpRef<ModuleOp>> run();

private:
  llvm::Error checkOperatorSets();
  /// The nodes, those of functions among them.
  ArrayRef<PlacedNode> getNodes() const { return expander.getNodes(); }
  llvm::Error fuseNodes();
  llvm::Error findNeededNodes();
  /// Adds what a graph within an attribute reads to `read`.
  llvm::Error readInnerGraphs(const NodeProto &node, unsigned depth);
  /// Enters the initializers by their names.
  llvm::Error collectInitializers();
  llvm::Error declareInputs(func::FuncOp function);
  /// The names that a branch defines, and what they are called among all
  /// tensors: two branches may use one name for different tensors.
  struct Scope {
    const Scope *outer;
    unsigned depth;
    std::string prefix;
    llvm::StringMap<StringRef> names;
  };
  /// What `name`, read within `scope`, is called among all tensors.
  static StringRef resolve(const Scope *scope, StringRef name);
  /// Enters `name`, which a branch defines, in its scope.
  StringRef define(Scope &scope, StringRef name);
  /// Imports a node of the graph, or of a branch, whose scope is given then.
  llvm::Error importNode(const PlacedNode &placed, unsigned index,
                         const Scope *scope = nullptr);
  /// Fills in the inputs of a node, and enters its outputs as not known.
  llvm::Error connect(NodeImporter &importer, bool &isComplete);
  /// Imports the branch that an If takes, where that is known.
  llvm::Error importBranch(NodeImporter &importer, const PlacedNode &placed,
                           unsigned index, const Scope *scope);
  llvm::Error enterBranch(const GraphProto &inner, const NodeImporter &importer,
                          const PlacedNode &placed, unsigned index,
                          const Scope *scope);
  /// Makes a tensor of the initializer `name`, if it is one.
  llvm::Error loadInitializer(StringRef name);
  /// Fails where the model declares another type or shape for `tensor` than it
  /// has.
  llvm::Error wantDeclared(const ValueInfo &info, const Tensor &tensor,
                           StringRef what) const;
  llvm::Error checkDeclarations() const;
  llvm::Error finish(func::FuncOp function);
  void addProblem(StringRef domain, StringRef type, StringRef name,
                  StringRef reason);
  std::string describeProblems();
  /// What there is of each kind of node that cannot be read.
  SmallVector<std::string> listProblems();
  /// Hands over each tensor that is known and that an unread node reads.
  void collectUnreadOperands(
      llvm::function_ref<void(StringRef name, Tensor &)> collect);

  const GraphProto &graph;
  StringRef path;
  std::shared_ptr<llvm::MemoryBuffer> file;
  reader::ExternalFiles externalFiles;
  OpBuilder builder;
  const ImportOptions &options;
  bool isOptimized;

  FunctionExpander expander;
  /// The bytes that nodes that are computed while the model is read may read
  /// and write in all, so that a small model takes little memory and time; and
  /// those that they took so far.
  int64_t maxFoldingBytes, foldingBytes = 0;
  llvm::StringMap<Tensor> tensors;
  /// Constants that are resources, by where their elements are, type and shape.
  std::map<std::tuple<const char *, DataType, Shape>, Value> weights;
  /// What the model calls them, by where their elements are.
  std::map<const char *, std::string> weightNames;
  /// Initializers that no node has read so far.
  llvm::StringMap<const TensorProto *> initializers;
  /// What each operator was built of, where operators are fused.
  NodeOrigins origins;
  /// Why ONNX Runtime's DirectML provider does not take the node that operators
  /// are built of, or "".
  StringRef whyNotTaken;
  /// The optimization of ONNX Runtime that made the node that operators are
  /// built of, or "".
  StringRef fusion;
  OptimizationNotes notes;
  /// Names that outputs or needed nodes read.
  llvm::StringSet<> read;
  std::vector<bool> isNeeded;
  /// Branches that were entered.
  std::list<GraphProto> branches;
  /// Graphs within graphs that are entered at most.
  static constexpr unsigned maxDepth = 16;

  /// Nodes that are not supported, by operator and reason.
  struct Problem {
    unsigned count = 0;
    std::string firstNode;
  };
  std::map<std::pair<std::string, std::string>, Problem> problems;
  /// Nodes that are not judged, since they depend on such.
  unsigned numBehind = 0;
  friend class NodeImporter;
};
} // namespace dml::onnx

llvm::Error GraphImporter::checkOperatorSets() {
  // Nodes of other domains alone need no version; those of a function have its.
  bool isStated = llvm::all_of(getNodes(), [](const PlacedNode &placed) {
    return !normalizeDomain(placed.node.domain).empty() ||
           placed.sets->count("") != 0;
  });
  if (!isStated ||
      (getNodes().empty() && !expander.getSets().front().count("")))
    return llvm::createStringError(
        "the model states no version of ONNX's operator set, but wanted is "
        "one from " +
        Twine(oldestOpset) + " to " + Twine(newestOpset));
  for (const OperatorSets &sets : expander.getSets()) {
    auto own = sets.find("");
    if (own != sets.end() &&
        (own->second < oldestOpset || own->second > newestOpset))
      return llvm::createStringError(
          "the model is of version " + Twine(own->second) +
          " of ONNX's operator set, but wanted is one from " +
          Twine(oldestOpset) + " to " + Twine(newestOpset));
  }
  return llvm::Error::success();
}

llvm::Error GraphImporter::readInnerGraphs(const NodeProto &node,
                                           unsigned depth) {
  for (const AttributeProto &attribute : node.attributes) {
    if (attribute.type != AttributeProto::Graph)
      continue;
    if (depth == maxDepth)
      return llvm::createStringError(
          "node '" + node.name + "' (" + node.opType + ") has a graph within " +
          Twine(maxDepth) + " others, but wanted are at most as many");
    llvm::Expected<GraphProto> inner = decodeInnerGraph(attribute.g);
    if (!inner)
      return inner.takeError();
    for (const ValueInfo &output : inner->outputs)
      read.insert(output.name);
    for (const NodeProto &innerNode : inner->nodes) {
      for (StringRef input : innerNode.inputs)
        read.insert(input);
      if (llvm::Error error = readInnerGraphs(innerNode, depth + 1))
        return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error GraphImporter::fuseNodes() {
  // Outputs and graphs within nodes read what they did before.
  for (const ValueInfo &output : graph.outputs)
    read.insert(output.name);
  for (const PlacedNode &placed : getNodes())
    if (llvm::Error error = readInnerGraphs(placed.node, 0))
      return error;
  fuseQuantizedNodes(expander.getMutableNodes(), graph, read,
                     expander.getStrings(), notes);
  read.clear();
  return llvm::Error::success();
}

llvm::Error GraphImporter::findNeededNodes() {
  for (const ValueInfo &output : graph.outputs)
    read.insert(output.name);
  isNeeded.assign(getNodes().size(), false);
  for (size_t index = getNodes().size(); index-- > 0;) {
    const NodeProto &node = getNodes()[index].node;
    for (StringRef output : node.outputs)
      if (!output.empty() && read.contains(output))
        isNeeded[index] = true;
    if (!isNeeded[index])
      continue;
    for (StringRef input : node.inputs)
      read.insert(input);
    if (llvm::Error error = readInnerGraphs(node, 0))
      return error;
  }
  return llvm::Error::success();
}

/// What --dim calls dimension `index` of an input.
static std::string nameDimension(const ValueInfo &input, size_t index) {
  std::string symbol = input.dimensions[index].symbol.str();
  return symbol.empty() ? (input.name + "[" + Twine(index) + "]").str()
                        : symbol;
}

llvm::Error GraphImporter::collectInitializers() {
  for (const TensorProto &tensor : graph.initializers)
    if (!initializers.try_emplace(tensor.name, &tensor).second)
      return llvm::createStringError("initializer '" + tensor.name +
                                     "' stands twice");
  // Old models list their initializers as inputs, too.
  for (const ValueInfo &input : graph.inputs) {
    auto found = initializers.find(input.name);
    if (found == initializers.end())
      continue;
    const TensorProto &proto = *found->second;
    std::optional<DataType> type = toDataType(proto.dataType);
    if (!type)
      continue;
    Tensor tensor;
    tensor.type = *type;
    tensor.isBool = isBoolType(proto.dataType);
    tensor.shape.assign(proto.dims.begin(), proto.dims.end());
    tensor.isKnown = true;
    if (llvm::Error error = wantDeclared(input, tensor, "initializer"))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error GraphImporter::declareInputs(func::FuncOp function) {
  if (llvm::Error error = collectInitializers())
    return error;
  // Dimensions without a size, which --dim states, and those whose size nobody
  // has stated. Some exporters write -1 where they know no size.
  llvm::StringSet<> open;
  std::vector<std::string> missing;
  auto isFixed = [](const Dimension &dimension) {
    return dimension.size && *dimension.size >= 0;
  };
  for (const ValueInfo &input : graph.inputs)
    if (!initializers.count(input.name))
      for (auto [index, dimension] : llvm::enumerate(input.dimensions))
        if (!isFixed(dimension))
          open.insert(nameDimension(input, index));
  llvm::StringSet<> stated;
  for (const ValueInfo &input : graph.inputs) {
    // Old models list their initializers as inputs, too.
    if (initializers.count(input.name))
      continue;
    auto fail = [&](const Twine &message) {
      return llvm::createStringError("input '" + input.name + "' " + message);
    };
    if (!input.isTensor)
      return fail("is no tensor, but wanted is one");
    std::optional<DataType> type = toDataType(input.elementType);
    if (!type)
      return fail("has the type " + describeONNXType(input.elementType) +
                  ", which no DirectML tensor has");
    if (!input.hasShape)
      return fail("has no shape, but wanted is one");
    Tensor tensor;
    tensor.type = *type;
    tensor.isBool = isBoolType(input.elementType);
    tensor.isKnown = true;
    for (auto [index, dimension] : llvm::enumerate(input.dimensions)) {
      std::string name = nameDimension(input, index);
      if (isFixed(dimension)) {
        tensor.shape.push_back(*dimension.size);
        continue;
      }
      auto given = options.dimensions.find(name);
      if (given == options.dimensions.end() &&
          !llvm::is_contained(missing, name))
        missing.push_back(name);
      tensor.shape.push_back(given == options.dimensions.end() ? 1
                                                               : given->second);
    }
    if (static_cast<int64_t>(tensor.shape.size()) > maxRank ||
        !countElements(tensor.shape) || *countElements(tensor.shape) == 0)
      return fail("has the shape " + describeShape(tensor.shape) +
                  ", but wanted are at most " + Twine(maxRank) +
                  " dimensions, and 1 to 2^32 - 1 elements");
    // One integer may be stated, too: it is no argument then.
    if (auto given = options.dimensions.find(input.name);
        given != options.dimensions.end() && !open.contains(input.name)) {
      if ((*type != DataType::INT64 && *type != DataType::INT32) ||
          countElements(tensor.shape) != 1)
        return fail("is " + describeShape(tensor.shape) + " of " +
                    describeONNXType(input.elementType) +
                    ", but only one integer of 32 or 64 bits can be stated "
                    "with --dim");
      stated.insert(input.name);
      tensor.constant =
          Constant::get(*type, tensor.shape, ArrayRef(given->second));
      if (!tensors.try_emplace(input.name, std::move(tensor)).second)
        return fail("stands twice");
      continue;
    }
    Shape outer = tensor.shape.empty() ? Shape{1} : tensor.shape;
    auto outerType = RankedTensorType::get(
        outer, getElementType(*type, builder.getContext()));
    Location loc = NameLoc::get(builder.getStringAttr(input.name));
    if (failed(function.insertArgument(
            function.getNumArguments(), outerType,
            builder.getDictionaryAttr(builder.getNamedAttr(
                nameAttrName, builder.getStringAttr(input.name))),
            loc)))
      return fail("cannot be added");
    tensor.value = function.getArguments().back();
    if (!tensors.try_emplace(input.name, std::move(tensor)).second)
      return fail("stands twice");
  }
  if (!missing.empty()) {
    std::string text;
    for (const std::string &name : missing)
      text += " --dim='" + name + "=SIZE'";
    return llvm::createStringError("inputs have dimensions without a size; "
                                   "state it with" +
                                   text);
  }
  for (const auto &given : options.dimensions)
    if (!open.contains(given.first()) && !stated.contains(given.first())) {
      SmallVector<std::string> names;
      for (StringRef name : open.keys())
        names.push_back(("'" + name + "'").str());
      llvm::sort(names);
      return llvm::createStringError(
          "--dim states '" + given.first() +
          "', but no input has that name, or a dimension without a size of "
          "that name" +
          (names.empty() ? "" : "; there are " + llvm::join(names, ", ")));
    }
  // Leading 1s, once all arguments are there.
  for (const ValueInfo &input : graph.inputs)
    if (auto found = tensors.find(input.name);
        found != tensors.end() && found->second.value) {
      NodeProto none;
      NodeImporter views(*this, none, 0, 0);
      found->second.value =
          views.reshape(found->second.value, toPhysical(found->second.shape));
    }
  return llvm::Error::success();
}

void GraphImporter::addProblem(StringRef domain, StringRef type, StringRef name,
                               StringRef reason) {
  std::string fullName =
      (domain.empty() ? type : (domain + "." + type).str()).str();
  Problem &problem = problems[{fullName, reason.str()}];
  if (problem.count++ == 0)
    problem.firstNode = name.str();
}

SmallVector<std::string> GraphImporter::listProblems() {
  SmallVector<std::string> list;
  for (const auto &[key, problem] : problems)
    list.push_back(key.first + ": " + std::to_string(problem.count) +
                   (problem.count == 1 ? " node, '" : " nodes, the first '") +
                   problem.firstNode + "': " + key.second);
  return list;
}

std::string GraphImporter::describeProblems() {
  unsigned count = 0;
  for (const auto &[key, problem] : problems)
    count += problem.count;
  return ("DirectML's operators do not express " + Twine(count) + " of " +
          Twine(getNodes().size()) + " nodes:\n  " +
          llvm::join(listProblems(), "\n  "))
      .str();
}

void GraphImporter::collectUnreadOperands(
    llvm::function_ref<void(StringRef name, Tensor &)> collect) {
  for (auto [index, placed] : llvm::enumerate(getNodes())) {
    auto isUnread = [&](StringRef name) {
      auto found = tensors.find(name);
      return !name.empty() && found != tensors.end() && !found->second.isKnown;
    };
    if (!isNeeded[index] || llvm::none_of(placed.node.outputs, isUnread))
      continue;
    for (StringRef name : placed.node.inputs)
      if (auto found = tensors.find(name);
          found != tensors.end() && found->second.isKnown &&
          found->second.value && found->second.value.getDefiningOp())
        collect(name, found->second);
  }
}

/// Why an operator is not in the registry.
static StringRef describeUnknown(StringRef domain, StringRef type) {
  if (!domain.empty())
    return "the importer does not know it";
  return llvm::StringSwitch<StringRef>(type)
      .Cases({"Loop", "Scan", "SequenceMap"},
             "it repeats a graph, but a program has no loops (where the number "
             "of steps is fixed, an exporter can write them out)")
      .Cases({"ConcatFromSequence", "Optional", "OptionalGetElement",
              "OptionalHasElement", "SequenceAt", "SequenceConstruct",
              "SequenceEmpty", "SequenceErase", "SequenceInsert",
              "SequenceLength", "SplitToSequence"},
             "its sequence or optional value is no tensor")
      .Cases(
          {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"},
          "no DirectML tensor has strings")
      .Case("NonMaxSuppression",
            "the shape of its result depends on its data, but DirectML's "
            "sizes are static")
      .Cases({"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike",
              "RandomUniform", "RandomUniformLike"},
             "it draws numbers by no generator that ONNX describes, and "
             "DirectML has Philox alone")
      .Cases({"AffineGrid", "CenterCropPad", "Det", "DeformConv", "DFT",
              "GridSample", "ImageDecoder", "MelWeightMatrix", "STFT",
              "TfIdfVectorizer"},
             "DirectML has no operator for it, and the importer builds it of "
             "none")
      .Default("the importer does not know it");
}

StringRef GraphImporter::resolve(const Scope *scope, StringRef name) {
  for (; scope; scope = scope->outer)
    if (auto found = scope->names.find(name); found != scope->names.end())
      return found->second;
  return name;
}

StringRef GraphImporter::define(Scope &scope, StringRef name) {
  if (name.empty())
    return name;
  StringRef &unique = scope.names[name];
  if (unique.empty()) {
    unique = expander.getStrings().save(scope.prefix + name);
    if (read.contains(name))
      read.insert(unique);
  }
  return unique;
}

llvm::Error GraphImporter::importBranch(NodeImporter &importer,
                                        const PlacedNode &placed,
                                        unsigned index, const Scope *scope) {
  const NodeProto &node = placed.node;
  auto reject = [&](StringRef reason) {
    addProblem("", node.opType, importer.getName(), reason);
    return llvm::Error::success();
  };
  if (importer.getNumInputs() != 1 || !importer.hasInput(0))
    return reject("it has no condition");
  const std::optional<Constant> &condition = importer.getInput(0).constant;
  if (!condition || condition->getNumElements() != 1)
    return reject("its condition is computed when the model runs, but a "
                  "program has no branches (where it depends on an input of "
                  "one integer, --dim=NAME=VALUE states that)");
  const AttributeProto *branch = importer.getAttribute(
      condition->getFloats()[0] != 0 ? "then_branch" : "else_branch");
  if (!branch || branch->type != AttributeProto::Graph)
    return reject("it has no graph for a branch");
  if (scope && scope->depth == maxDepth)
    return reject("it has too many graphs around it");
  llvm::Expected<GraphProto> decoded = decodeInnerGraph(branch->g);
  if (!decoded)
    return decoded.takeError();
  const GraphProto &inner = branches.emplace_back(std::move(*decoded));
  if (inner.hasSparseInitializers)
    return reject("its branch has sparse initializers");
  if (!inner.inputs.empty())
    return reject("its branch has inputs, but wanted are none");
  if (inner.outputs.size() < node.outputs.size())
    return reject("its branch has fewer outputs than it");
  return enterBranch(inner, importer, placed, index, scope);
}

llvm::Error GraphImporter::enterBranch(const GraphProto &inner,
                                       const NodeImporter &importer,
                                       const PlacedNode &placed, unsigned index,
                                       const Scope *outer) {
  Scope scope{outer,
              outer ? outer->depth + 1 : 1,
              importer.getName() + "~" + std::to_string(branches.size()) + "/",
              {}};
  auto twice = [&](StringRef name) {
    return llvm::createStringError("'" + name +
                                   "' stands twice in a branch of "
                                   "node '" +
                                   importer.getName() + "' (If)");
  };
  for (const TensorProto &tensor : inner.initializers)
    if (!initializers.try_emplace(define(scope, tensor.name), &tensor).second)
      return twice(tensor.name);
  for (const NodeProto &innerNode : inner.nodes)
    for (StringRef name : innerNode.outputs)
      define(scope, name);
  for (const NodeProto &innerNode : inner.nodes) {
    PlacedNode copy{innerNode, placed.sets, {}};
    for (StringRef &name : copy.node.inputs)
      name = resolve(&scope, name);
    for (StringRef &name : copy.node.outputs)
      name = resolve(&scope, name);
    if (llvm::Error error = importNode(copy, index, &scope))
      return error;
  }
  for (auto [name, output] :
       llvm::zip_first(placed.node.outputs, inner.outputs)) {
    if (name.empty() || !read.contains(name))
      continue;
    // An Identity reads the output, whatever it is.
    PlacedNode copy{{}, placed.sets, {}};
    copy.node.opType = "Identity";
    copy.node.name = placed.node.name;
    copy.node.inputs = {resolve(&scope, output.name)};
    copy.node.outputs = {name};
    tensors.erase(name);
    if (llvm::Error error = importNode(copy, index, &scope))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error GraphImporter::loadInitializer(StringRef name) {
  auto initializer = initializers.find(name);
  if (initializer == initializers.end())
    return llvm::Error::success();
  auto constant = readConstant(*initializer->second, file, externalFiles);
  if (!constant)
    return constant.takeError();
  Tensor tensor;
  tensor.type = constant->getType();
  tensor.isBool = isBoolType(initializer->second->dataType);
  tensor.shape = Shape(constant->getShape());
  tensor.isKnown = true;
  weightNames.try_emplace(constant->getData(), name);
  tensor.constant = std::move(*constant);
  tensors[name] = std::move(tensor);
  initializers.erase(initializer);
  return llvm::Error::success();
}

llvm::Error GraphImporter::connect(NodeImporter &importer, bool &isComplete) {
  const NodeProto &node = importer.node;
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("node '" + importer.getName() + "' (" +
                                   node.opType + ") " + message);
  };
  llvm::StringSet<> attributes;
  for (const AttributeProto &attribute : node.attributes)
    if (!attributes.insert(attribute.name).second)
      return fail("has the attribute '" + attribute.name + "' twice");
  isComplete = true;
  for (StringRef name : node.inputs) {
    if (name.empty()) {
      importer.inputs.push_back(nullptr);
      continue;
    }
    if (llvm::Error error = loadInitializer(name))
      return error;
    auto found = tensors.find(name);
    if (found == tensors.end())
      return fail("reads '" + name + "', which nothing before it computes");
    importer.inputs.push_back(&found->second);
    isComplete &= found->second.isKnown;
  }
  // Trailing inputs may be left out by empty names.
  while (!importer.inputs.empty() && !importer.inputs.back())
    importer.inputs.pop_back();
  importer.readInputs.resize(importer.inputs.size());
  // An output that was there before would make names mean two things.
  for (StringRef name : node.outputs)
    if (!name.empty() && (tensors.count(name) || initializers.count(name)))
      return fail("computes '" + name + "', which is there already");
  // Names are looked up by others, hence all are entered, known or not. Tensors
  // that importer.inputs points to stay where they are.
  for (StringRef name : node.outputs)
    if (!name.empty() && !tensors.try_emplace(name).second)
      return fail("computes '" + name + "' twice");
  return llvm::Error::success();
}

llvm::Error GraphImporter::importNode(const PlacedNode &placed, unsigned index,
                                      const Scope *scope) {
  const NodeProto &node = placed.node;
  StringRef domain = normalizeDomain(node.domain);
  auto opset = placed.sets->find(domain);
  NodeImporter importer(*this, node,
                        opset == placed.sets->end() ? 1 : opset->second, index);
  bool isComplete;
  if (llvm::Error error = connect(importer, isComplete))
    return error;

  if (domain.empty() && node.opType == "If") {
    if (!isComplete) {
      ++numBehind;
      return llvm::Error::success();
    }
    return importBranch(importer, placed, index, scope);
  }
  const Operator *info = getRegistry().find(domain, node.opType);
  if (!info) {
    addProblem(domain, node.opType, importer.getName(),
               describeUnknown(domain, node.opType));
    return llvm::Error::success();
  }
  // A node that depends on one that failed is not judged by shapes that nobody
  // knows.
  if (!isComplete) {
    ++numBehind;
    return llvm::Error::success();
  }

  if (domain.empty())
    if (std::string error = findVersionError(importer); !error.empty()) {
      addProblem(domain, node.opType, importer.getName(), error);
      return llvm::Error::success();
    }
  whyNotTaken = findWhyNotTaken(domain, importer);
  fusion = placed.fusion;
  LogicalResult result = importer.import(*info);
  std::string reason = importer.takeReason();
  if (failed(result) || !reason.empty()) {
    if (failed(result))
      for (StringRef name : node.outputs)
        if (!name.empty())
          tensors[name] = Tensor();
    addProblem(domain, node.opType, importer.getName(),
               reason.empty() ? "it cannot be expressed" : reason);
    return llvm::Error::success();
  }
  for (auto [number, name] : llvm::enumerate(node.outputs))
    if (!name.empty() && read.contains(name) && !tensors[name].isKnown)
      addProblem(domain, node.opType, importer.getName(),
                 "its output " + std::to_string(number) + " is not supported");
  return llvm::Error::success();
}

/// The sizes that a declaration states, with "?" for those that it leaves open.
static std::string describeDimensions(ArrayRef<Dimension> dimensions) {
  std::string text;
  for (const Dimension &dimension : dimensions)
    text += (text.empty() ? "" : "x") + (dimension.size && *dimension.size >= 0
                                             ? std::to_string(*dimension.size)
                                             : "?");
  return text.empty() ? "scalar" : text;
}

/// Whether `shape` has the rank and the sizes that a declaration states.
static bool fitsDimensions(ArrayRef<int64_t> shape,
                           ArrayRef<Dimension> dimensions) {
  return shape.size() == dimensions.size() &&
         llvm::all_of(llvm::zip_equal(shape, dimensions), [](auto pair) {
           const Dimension &dimension = std::get<1>(pair);
           return !dimension.size || *dimension.size < 0 ||
                  *dimension.size == std::get<0>(pair);
         });
}

llvm::Error GraphImporter::wantDeclared(const ValueInfo &info,
                                        const Tensor &tensor,
                                        StringRef what) const {
  if (!info.isTensor || !tensor.isKnown)
    return llvm::Error::success();
  // A declaration may leave out the type.
  bool fits =
      info.elementType == 0 || (toDataType(info.elementType) == tensor.type &&
                                isBoolType(info.elementType) == tensor.isBool);
  if (!fits)
    return llvm::createStringError(
        what + " '" + info.name + "' is declared as " +
        describeONNXType(info.elementType) + ", but its elements are " +
        (tensor.isBool ? "bool" : stringifyDataType(tensor.type)));
  if (info.hasShape && !fitsDimensions(tensor.shape, info.dimensions))
    return llvm::createStringError(
        what + " '" + info.name + "' is declared with the shape " +
        describeDimensions(info.dimensions) + ", but has the shape " +
        describeShape(tensor.shape));
  return llvm::Error::success();
}

llvm::Error GraphImporter::checkDeclarations() const {
  for (const ValueInfo &output : graph.outputs)
    if (auto found = tensors.find(output.name); found != tensors.end())
      if (llvm::Error error = wantDeclared(output, found->second, "output"))
        return error;
  // Optimizations give tensors other types under the same names.
  if (isOptimized)
    return llvm::Error::success();
  for (const ValueInfo &value : graph.values)
    if (auto found = tensors.find(value.name); found != tensors.end())
      if (llvm::Error error = wantDeclared(value, found->second, "tensor"))
        return error;
  return llvm::Error::success();
}

llvm::Error GraphImporter::finish(func::FuncOp function) {
  if (graph.outputs.empty())
    return llvm::createStringError("the graph has no outputs, but wanted is "
                                   "one at least");
  SmallVector<Value> results;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  llvm::StringSet<> names;
  for (const ValueInfo &input : graph.inputs)
    names.insert(input.name);
  auto addResult = [&](Value value, StringRef tensor) {
    results.push_back(value);
    types.push_back(value.getType());
    std::string name = tensor.str();
    while (!names.insert(name).second)
      name += "_output";
    attributes.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(nameAttrName, builder.getStringAttr(name))));
  };
  for (const ValueInfo &output : graph.outputs) {
    if (llvm::Error error = loadInitializer(output.name))
      return error;
    auto found = tensors.find(output.name);
    if (found == tensors.end())
      return llvm::createStringError("output '" + output.name +
                                     "' is computed by no node");
    Tensor &tensor = found->second;
    // The tensor is one of a node that is listed among the problems.
    if (!tensor.isKnown)
      continue;
    NodeProto none;
    NodeImporter views(*this, none, 0, 0);
    Shape outer = tensor.shape.empty() ? Shape{1} : tensor.shape;
    std::optional<int64_t> count = countElements(outer);
    if (!count || *count == 0)
      return llvm::createStringError("output '" + output.name +
                                     "' has the shape " + describeShape(outer) +
                                     ", but wanted are 1 to 2^32 - 1 elements");
    addResult(views.materialize(tensor, outer), output.name);
  }
  if (options.leavesOutUnread && !problems.empty()) {
    llvm::StringSet<> added;
    collectUnreadOperands([&](StringRef name, Tensor &tensor) {
      NodeProto none;
      NodeImporter views(*this, none, 0, 0);
      if (added.insert(name).second && !names.contains(name))
        addResult(views.materialize(
                      tensor, tensor.shape.empty() ? Shape{1} : tensor.shape),
                  name);
    });
  }
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), types));
  function.setAllResultAttrs(attributes);
  // Views of views, and constants that others took the place of.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return llvm::Error::success();
}

llvm::Expected<OwningOpRef<ModuleOp>> GraphImporter::run() {
  using Result = llvm::Expected<OwningOpRef<ModuleOp>>;
  if (llvm::Error error = expander.run())
    return Result(std::move(error));
  if (llvm::Error error = checkOperatorSets())
    return Result(std::move(error));
  if (graph.hasSparseInitializers)
    return llvm::createStringError("the graph has sparse initializers, but "
                                   "wanted are dense ones");
  if (isOptimized)
    if (llvm::Error error = fuseNodes())
      return Result(std::move(error));
  if (llvm::Error error = findNeededNodes())
    return Result(std::move(error));
  Location loc =
      NameLoc::get(builder.getStringAttr(llvm::sys::path::filename(path)));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "main",
                                       builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  if (llvm::Error error = declareInputs(function))
    return Result(std::move(error));
  for (unsigned index = 0; index < getNodes().size(); ++index)
    if (isNeeded[index])
      if (llvm::Error error = importNode(getNodes()[index], index))
        return Result(std::move(error));
  if (llvm::Error error = checkDeclarations())
    return Result(std::move(error));
  if (llvm::Error error = finish(function))
    return Result(std::move(error));
  if (!problems.empty()) {
    bool hasOperators = false;
    function.walk([&](Operation *op) {
      hasOperators |= getOperatorSupport(op->getName()) != nullptr;
    });
    if (!options.leavesOutUnread || !hasOperators)
      return llvm::createStringError(describeProblems());
    SmallVector<std::string> list = listProblems();
    if (numBehind != 0)
      list.push_back("behind these: " + std::to_string(numBehind) +
                     (numBehind == 1 ? " node" : " nodes"));
    module->getOperation()->setAttr(
        unreadAttrName,
        builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(list)));
  }
  if (isOptimized)
    optimize(function, std::move(origins), std::move(notes));

  std::string reason;
  ScopedDiagnosticHandler handler(builder.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    reason = diagnostic.str();
                                    return success();
                                  });
  if (failed(verify(*module)))
    return llvm::createStringError("the function built of the graph does not "
                                   "verify: " +
                                   reason);
  return module;
}

static llvm::Expected<OwningOpRef<ModuleOp>>
readModel(std::unique_ptr<llvm::MemoryBuffer> buffer, MLIRContext *context,
          const ImportOptions &options, bool isOptimized) {
  std::shared_ptr<llvm::MemoryBuffer> file = std::move(buffer);
  context->loadDialect<DMLDialect, arith::ArithDialect, func::FuncDialect,
                       tensor::TensorDialect>();
  llvm::Expected<ModelProto> model = decodeModel(file->getBuffer());
  if (!model)
    return model.takeError();
  if (!model->graph)
    return llvm::createStringError(
        "the file is no ONNX model: it has no graph");
  return GraphImporter(*model, file->getBufferIdentifier(), file, context,
                       options, isOptimized)
      .run();
}

llvm::Expected<OwningOpRef<ModuleOp>>
dml::onnx::importModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                       MLIRContext *context, const ImportOptions &options) {
  return readModel(std::move(buffer), context, options, /*isOptimized=*/false);
}

llvm::Expected<OwningOpRef<ModuleOp>>
dml::onnx::importOptimizedModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                MLIRContext *context,
                                const ImportOptions &options) {
  return readModel(std::move(buffer), context, options, /*isOptimized=*/true);
}

llvm::Error dml::onnx::parseDimension(StringRef text, ImportOptions &options) {
  auto [name, size] = text.rsplit('=');
  int64_t number = 0;
  if (name.empty() || size.getAsInteger(10, number) || number < 1 ||
      number > UINT32_MAX)
    return llvm::createStringError("--dim=" + text +
                                   ": wanted is NAME=SIZE with a size from 1 "
                                   "to 2^32 - 1");
  options.dimensions[name] = number;
  return llvm::Error::success();
}

bool dml::onnx::isModel(StringRef path, StringRef content) {
  if (path.ends_with(".onnx"))
    return true;
  if (path.ends_with(".mlir") || path.ends_with(".mlirbc"))
    return false;
  // Field 1, ir_version, comes first, is a small number, and another field
  // follows it. No text and no bytecode of MLIR begins so.
  return content.size() > 3 && content[0] == 0x08 && content[1] > 0 &&
         content[1] < 0x20 && content[2] != 0;
}

void dml::onnx::registerDialects(DialectRegistry &registry) {
  registry.insert<DMLDialect, arith::ArithDialect, func::FuncDialect,
                  tensor::TensorDialect>();
}

//===----------------------------------------------------------------------===//
// What a node states
//===----------------------------------------------------------------------===//

NodeImporter::NodeImporter(GraphImporter &graph, const NodeProto &node,
                           int64_t opset, unsigned number)
    : graph(graph), node(node), opset(opset), nodeNumber(number),
      loc(NameLoc::get(graph.builder.getStringAttr(getName()))),
      readAttributes(node.attributes.size()) {}

std::string NodeImporter::getName() const {
  if (!node.name.empty())
    return node.name.str();
  return (node.opType + "#" + Twine(nodeNumber)).str();
}

LogicalResult NodeImporter::reject(const Twine &text) {
  // The first reason is the cause of others.
  if (reason.empty())
    reason = text.str();
  return failure();
}

bool NodeImporter::isRead(unsigned output) const {
  return graph.read.contains(node.outputs[output]);
}

bool NodeImporter::isFoldable() const {
  return llvm::all_of(inputs, [](const Tensor *input) {
    return !input || (input->constant && input->constant->isFoldable());
  });
}

const Constant *NodeImporter::getSizes(unsigned index) const {
  const std::optional<Constant> &constant = getInput(index).constant;
  if (!constant || !constant->isFoldable())
    return nullptr;
  bool isInteger = constant->getType() == DataType::INT64 ||
                   constant->getType() == DataType::INT32;
  return isInteger || !constant->isResource() ? &*constant : nullptr;
}

LogicalResult NodeImporter::wantInputs(unsigned minimum, unsigned maximum) {
  unsigned count = inputs.size();
  bool complete = true;
  for (unsigned index = 0; index < std::min(minimum, count); ++index)
    complete &= hasInput(index);
  if (count >= minimum && count <= maximum && complete)
    return success();
  return reject("it has " + Twine(count) + " inputs" +
                (complete ? "" : ", some of them left out") +
                ", but wanted are " + Twine(minimum) +
                (minimum == maximum ? "" : " to " + Twine(maximum).str()));
}

FailureOr<Shape> NodeImporter::getIntegers(unsigned index, StringRef what) {
  const Tensor &tensor = getInput(index);
  if (!tensor.constant)
    return reject(what + " are computed when the model runs, but DirectML "
                         "wants them when it is built");
  if (!tensor.constant->isFoldable() || tensor.constant->isFloat())
    return reject(what + " are no list of integers");
  return Shape(tensor.constant->getIntegers());
}

FailureOr<double> NodeImporter::getNumber(unsigned index, StringRef what) {
  const Tensor &tensor = getInput(index);
  if (!tensor.constant)
    return reject(what + " is computed when the model runs, but DirectML "
                         "wants it when it is built");
  if (tensor.constant->getNumElements() != 1)
    return reject(what + " has the shape " + describeShape(tensor.shape) +
                  ", but wanted is one number");
  return tensor.constant->getFloats()[0];
}

const AttributeProto *NodeImporter::getAttribute(StringRef name) const {
  for (auto [index, attribute] : llvm::enumerate(node.attributes))
    if (attribute.name == name) {
      readAttributes.set(index);
      return &attribute;
    }
  return nullptr;
}

void NodeImporter::ignoreAttributes(
    std::initializer_list<StringRef> names) const {
  for (StringRef name : names)
    (void)getAttribute(name);
}

const Tensor &NodeImporter::peek(unsigned index) const {
  if (hasInput(index))
    return *inputs[index];
  if (reason.empty())
    reason =
        ("its input " + Twine(index) + " is left out, but wanted is one").str();
  static const Tensor zero = [] {
    Tensor tensor;
    tensor.constant = Constant::get(DataType::FLOAT32, {}, ArrayRef(0.0));
    tensor.isKnown = true;
    return tensor;
  }();
  return zero;
}

const Tensor &NodeImporter::getInput(unsigned index) const {
  ignoreInput(index);
  return peek(index);
}

void NodeImporter::ignoreInput(unsigned index) const {
  if (index < readInputs.size())
    readInputs.set(index);
}

/// The steps that computing an element of a node's result takes, about.
static int64_t countSteps(const NodeImporter &node) {
  StringRef type = node.getNode().opType;
  if (type != "MatMul" && type != "Gemm" && type != "MatMulInteger")
    return node.getNumInputs();
  // Rows of the first factor are multiplied, which may be transposed.
  int64_t depth = 1;
  for (int64_t size : node.getShape(0))
    depth = std::max(depth, size);
  return depth;
}

std::optional<SmallVector<Constant>> NodeImporter::fold() {
  auto count = [&](const Constant &constant) {
    graph.foldingBytes +=
        constant.getNumElements() * getByteWidth(constant.getType());
  };
  for (const Tensor *input : inputs)
    if (input)
      count(*input->constant);
  std::optional<SmallVector<Constant>> folded = foldNode(*this);
  if (!folded)
    return folded;
  llvm::for_each(*folded, count);
  // A step counts as a byte, so that time is bounded, too.
  if (!folded->empty())
    graph.foldingBytes += folded->front().getNumElements() * countSteps(*this);
  return folded;
}

LogicalResult NodeImporter::import(const Operator &info) {
  auto forgetReads = [&] {
    readInputs.reset();
    readAttributes.reset();
  };
  forgetReads();
  LogicalResult result = success();
  std::optional<SmallVector<Constant>> folded;
  bool mayFold = graph.foldingBytes < graph.maxFoldingBytes;
  if (isFoldable() && mayFold)
    folded = fold();
  if (folded) {
    for (auto [index, constant] : llvm::enumerate(*folded))
      if (failed(set(index, std::move(constant))))
        return failure();
  } else {
    forgetReads();
    result = info.import(*this);
    if (failed(result) && isFoldable() && !mayFold)
      reason = ("it has to be computed when the model is read, but the nodes "
                "before it that are computed so have read and written " +
                Twine(graph.foldingBytes) + " bytes, and wanted are " +
                Twine(graph.maxFoldingBytes) + " at most for such a file")
                   .str();
  }
  if (failed(result) || !reason.empty())
    return result;
  return wantAllRead();
}

LogicalResult NodeImporter::wantAllRead() {
  for (auto [index, attribute] : llvm::enumerate(node.attributes)) {
    // The first versions of operators told frameworks which inputs they may
    // overwrite.
    bool isHint = attribute.name == "consumed_inputs" && opset < 6;
    if (!readAttributes.test(index) && !isHint)
      return reject("it has the attribute '" + attribute.name +
                    "', which the importer does not know for version " +
                    Twine(opset) + " of this operator");
  }
  // Exporters write empty tensors for inputs that they leave out.
  for (auto [index, input] : llvm::enumerate(inputs))
    if (input && !readInputs.test(index) && countElements(input->shape) != 0)
      return reject("its input " + Twine(index) + ", '" + node.inputs[index] +
                    "', is one that the importer does not read");
  return success();
}

bool NodeImporter::hasAttribute(StringRef name) const {
  return getAttribute(name);
}

llvm::Expected<Constant> NodeImporter::readTensor(const TensorProto &tensor) {
  return readConstant(tensor, graph.file, graph.externalFiles);
}

static StringRef describeAttributeType(int32_t type) {
  switch (type) {
  case AttributeProto::Float:
    return "a float";
  case AttributeProto::Int:
    return "an integer";
  case AttributeProto::String:
    return "a string";
  case AttributeProto::Tensor:
    return "a tensor";
  case AttributeProto::Graph:
    return "a graph";
  case AttributeProto::Floats:
    return "floats";
  case AttributeProto::Ints:
    return "integers";
  case AttributeProto::Strings:
    return "strings";
  default:
    return "of a type that is not known";
  }
}

/// The attribute, if it is there and of the type `type`.
static const AttributeProto *getTyped(NodeImporter &node, StringRef name,
                                      AttributeProto::Type type) {
  const AttributeProto *attribute = node.getAttribute(name);
  if (!attribute || attribute->type == type)
    return attribute;
  (void)node.reject("its attribute " + name + " is " +
                    describeAttributeType(attribute->type) +
                    ", but wanted is " + describeAttributeType(type));
  return nullptr;
}

int64_t NodeImporter::getInt(StringRef name, int64_t otherwise) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Int);
  return attribute ? attribute->i : otherwise;
}

float NodeImporter::getFloat(StringRef name, float otherwise) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Float);
  return attribute ? attribute->f : otherwise;
}

StringRef NodeImporter::getString(StringRef name, StringRef otherwise) {
  const auto *attribute = getTyped(*this, name, AttributeProto::String);
  return attribute ? attribute->s : otherwise;
}

int32_t NodeImporter::getCastType() {
  return opset < 6 ? findONNXType(getString("to", ""))
                   : static_cast<int32_t>(getInt("to", 0));
}

Shape NodeImporter::getInts(StringRef name) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Ints);
  return attribute ? Shape(attribute->ints.begin(), attribute->ints.end())
                   : Shape();
}

ArrayRef<float> NodeImporter::getFloats(StringRef name) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Floats);
  return attribute ? ArrayRef<float>(attribute->floats) : ArrayRef<float>();
}

ArrayRef<StringRef> NodeImporter::getStrings(StringRef name) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Strings);
  return attribute ? ArrayRef<StringRef>(attribute->strings)
                   : ArrayRef<StringRef>();
}

const TensorProto *NodeImporter::getTensor(StringRef name) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Tensor);
  return attribute && attribute->t ? &*attribute->t : nullptr;
}

FailureOr<int64_t> NodeImporter::normalizeAxis(int64_t axis, int64_t rank) {
  int64_t normal = axis < 0 ? axis + rank : axis;
  if (normal < 0 || normal >= rank)
    return reject("axis " + Twine(axis) + " is none of " + Twine(rank) +
                  " dimensions");
  return normal;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

OpBuilder &NodeImporter::getBuilder() { return graph.builder; }

RankedTensorType NodeImporter::getTensorType(ArrayRef<int64_t> shape,
                                             DataType type) {
  return RankedTensorType::get(shape,
                               getElementType(type, getBuilder().getContext()));
}

Value NodeImporter::materialize(const Tensor &tensor, ArrayRef<int64_t> shape) {
  if (!tensor.constant)
    return reshape(tensor.value, shape);
  // Weights that several nodes read stand in the module once.
  const Constant &constant = *tensor.constant;
  if (!constant.isResource())
    return constant.materialize(getBuilder(), loc, shape, "weights");
  Value &value =
      graph.weights[{constant.getData(), constant.getType(), Shape(shape)}];
  if (!value) {
    auto name = graph.weightNames.find(constant.getData());
    value = constant.materialize(
        getBuilder(), loc, shape,
        name == graph.weightNames.end() ? "weights" : name->second);
  }
  return value;
}

Value NodeImporter::get(unsigned index) {
  return getAs(index, toPhysical(getShape(index)));
}

Value NodeImporter::getAs(unsigned index, ArrayRef<int64_t> shape) {
  return materialize(getInput(index), shape);
}

Value NodeImporter::getBroadcast(unsigned index, ArrayRef<int64_t> shape,
                                 std::optional<Shape> as) {
  const Tensor &tensor = getInput(index);
  Shape from = toPhysical(as ? *as : tensor.shape);
  if (tensor.constant && tensor.constant->isSplat())
    return tensor.constant->splat(Shape(shape))
        .materialize(getBuilder(), loc, shape, "weights");
  // A shape of fewer dimensions is right-aligned.
  Shape aligned(shape.size() - std::min(shape.size(), from.size()), 1);
  aligned.append(from.begin(), from.end());
  return broadcast(tensor, aligned, shape);
}

FailureOr<Value> NodeImporter::getBias(unsigned index, int64_t columns,
                                       ArrayRef<int64_t> shape) {
  if (!hasInput(index))
    return Value();
  if (getShape(index) != Shape{columns})
    return reject("its bias has the shape " + describeShape(getShape(index)) +
                  ", but wanted is " + Twine(columns));
  return getBroadcast(index, shape);
}

Value NodeImporter::getSplat(DataType type, double number,
                             ArrayRef<int64_t> shape) {
  return getConstant(
      Constant::get(type, {1}, ArrayRef<double>(number)).splat(Shape(shape)),
      shape);
}

Value NodeImporter::getConstant(const Constant &constant,
                                ArrayRef<int64_t> shape) {
  return constant.materialize(getBuilder(), loc, shape, "weights");
}

Value NodeImporter::reshape(Value value, ArrayRef<int64_t> to) {
  auto type = cast<RankedTensorType>(value.getType());
  if (countElements(to) != countElements(type.getShape())) {
    (void)reject("it shows " + describeShape(type.getShape()) + " as " +
                 describeShape(to) + ", which has not as many elements");
    return tensor::EmptyOp::create(getBuilder(), loc, to,
                                   type.getElementType());
  }
  return reader::reshape(getBuilder(), loc, value, to);
}

Value NodeImporter::transpose(Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> packed = getPackedStrides(type.getShape());
  Shape shape;
  SmallVector<int64_t> moved, strides;
  for (int64_t dim : permutation) {
    shape.push_back(type.getDimSize(dim));
    strides.push_back(packed[dim]);
    if (type.getDimSize(dim) != 1)
      moved.push_back(dim);
  }
  // No element changes its place where only sizes of 1 do.
  if (llvm::is_sorted(moved))
    return reshape(value, shape);
  return ViewOp::create(getBuilder(), loc, type.clone(shape), value, strides);
}

Value NodeImporter::broadcast(const Tensor &tensor, ArrayRef<int64_t> from,
                              ArrayRef<int64_t> to) {
  bool fits = from.size() == to.size() &&
              llvm::all_of(llvm::zip_equal(from, to), [](auto sizes) {
                auto [fromSize, toSize] = sizes;
                return fromSize == 1 || fromSize == toSize;
              });
  if (!fits) {
    (void)reject("it repeats " + describeShape(from) + " to " +
                 describeShape(to) + ", to which it does not broadcast");
    return tensor::EmptyOp::create(
        getBuilder(), loc, to,
        getElementType(tensor.type, getBuilder().getContext()));
  }
  if (from == to)
    return materialize(tensor, to);
  // DirectML's tensors have one dimension at least: `to` does.
  Value value = materialize(tensor, from);
  SmallVector<int64_t> strides = getPackedStrides(from);
  for (auto [stride, fromSize, toSize] : llvm::zip_equal(strides, from, to))
    if (fromSize != toSize)
      stride = 0;
  return ViewOp::create(getBuilder(), loc,
                        cast<RankedTensorType>(value.getType()).clone(to),
                        value, strides);
}

Value NodeImporter::repeat(Value value, ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.type = *getDataType(getElementTypeOrSelf(value));
  tensor.value = value;
  return broadcast(tensor, cast<RankedTensorType>(value.getType()).getShape(),
                   shape);
}

Value NodeImporter::bitcast(Value value, DataType type) {
  auto from = cast<RankedTensorType>(value.getType());
  return tensor::BitcastOp::create(getBuilder(), loc,
                                   getTensorType(from.getShape(), type), value);
}

FailureOr<SmallVector<Value>>
NodeImporter::buildAll(StringRef mnemonic, ArrayRef<Operand> operands,
                       ArrayRef<NamedAttribute> attributes,
                       ArrayRef<Type> results) {
  OpBuilder &builder = getBuilder();
  OperationName name(("dml." + mnemonic).str(), builder.getContext());
  const OperatorSupport *support = getOperatorSupport(name);
  // An empty tensor takes the place of a result that cannot be built, so that
  // the nodes behind it are judged, too. The node is listed as not supported
  // all the same.
  auto placehold = [&](const Twine &why) {
    (void)reject(why);
    SmallVector<Value> values;
    for (Type type : results)
      values.push_back(tensor::EmptyOp::create(
          builder, loc, cast<RankedTensorType>(type).getShape(),
          cast<RankedTensorType>(type).getElementType()));
    return values;
  };
  if (!support)
    return placehold("it becomes DML_OPERATOR_" + mnemonic.upper() +
                     ", which dml does not have");
  // An attribute, or an operator before this one, could not be built.
  if (!reason.empty())
    return placehold(reason);
  llvm::Expected<Operation *> op =
      reader::buildOperator(builder, loc, name, operands, attributes, results);
  if (!op)
    return placehold(llvm::toString(op.takeError()));
  if (!graph.whyNotTaken.empty())
    (*op)->setAttr(notTakenAttrName, builder.getStringAttr(graph.whyNotTaken));
  if (!graph.fusion.empty())
    (*op)->setAttr(fusedAttrName, builder.getStringAttr(graph.fusion));
  // Operators of other domains are none that are fused.
  if (graph.isOptimized && normalizeDomain(node.domain).empty())
    graph.origins[*op] = {
        node.opType, hasInput(0) ? getShape(0) : Shape(), {}, opset};
  return SmallVector<Value>((*op)->getResults());
}

FailureOr<Value> NodeImporter::build(StringRef mnemonic,
                                     ArrayRef<Operand> operands,
                                     ArrayRef<NamedAttribute> attributes,
                                     Type result) {
  FailureOr<SmallVector<Value>> results =
      buildAll(mnemonic, operands, attributes, result);
  if (failed(results))
    return failure();
  return results->front();
}

Value NodeImporter::apply(StringRef mnemonic, Value input,
                          ArrayRef<NamedAttribute> attributes, Type type) {
  // A node that cannot be built has a placeholder, and a reason.
  return buildAll(mnemonic, {{"input", input}}, attributes,
                  type ? type : input.getType())
      ->front();
}

Value NodeImporter::combine(StringRef mnemonic, Value a, Value b, Type type) {
  return buildAll(mnemonic, {{"a", a}, {"b", b}}, {}, type ? type : a.getType())
      ->front();
}

Value NodeImporter::castTo(Value value, DataType type) {
  auto from = cast<RankedTensorType>(value.getType());
  RankedTensorType to = getTensorType(from.getShape(), type);
  return from == to ? value : apply("cast", value, {}, to);
}
Value NodeImporter::widen(Value value) {
  return getTypeOf(value) == DataType::FLOAT16
             ? castTo(value, DataType::FLOAT32)
             : value;
}
DataType NodeImporter::getTypeOf(Value value) {
  return *getDataType(getElementTypeOrSelf(value));
}

NamedAttribute NodeImporter::attr(StringRef name, Attribute value) {
  return getBuilder().getNamedAttr(name, value);
}
NamedAttribute NodeImporter::ints(StringRef name, ArrayRef<int64_t> values) {
  return attr(name, getBuilder().getDenseI64ArrayAttr(values));
}
NamedAttribute NodeImporter::floats(StringRef name, ArrayRef<float> values) {
  return attr(name, getBuilder().getDenseF32ArrayAttr(values));
}
NamedAttribute NodeImporter::integer(StringRef name, int64_t value) {
  return attr(name, getBuilder().getI64IntegerAttr(value));
}
NamedAttribute NodeImporter::number(StringRef name, float value) {
  return attr(name, getBuilder().getF32FloatAttr(value));
}
NamedAttribute NodeImporter::scalar(StringRef name, DataType type,
                                    double value) {
  Type element = getElementType(type, getBuilder().getContext());
  if (isa<FloatType>(element))
    return attr(name, FloatAttr::get(element, value));
  return attr(
      name,
      IntegerAttr::get(element,
                       APInt(element.getIntOrFloatBitWidth(),
                             static_cast<uint64_t>(static_cast<int64_t>(value)),
                             /*isSigned=*/false, /*implicitTrunc=*/true)));
}
NamedAttribute NodeImporter::flag(StringRef name, bool value) {
  return attr(name, getBuilder().getBoolAttr(value));
}
NamedAttribute NodeImporter::enumCase(StringRef name, StringRef type,
                                      StringRef value) {
  std::string text = ("#dml." + type + "<" + value + ">").str();
  // The error of a dml that has no such enum is said by buildAll.
  ScopedDiagnosticHandler handler(getBuilder().getContext(),
                                  [](Diagnostic &) { return success(); });
  Attribute attribute = parseAttribute(text, getBuilder().getContext());
  if (!attribute) {
    (void)reject("dml has no attribute " + text);
    attribute = getBuilder().getUnitAttr();
  }
  return attr(name, attribute);
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

bool NodeImporter::givesBools(unsigned index) const {
  StringRef type = node.opType;
  auto isInput = [&](unsigned index) {
    return hasInput(index) && inputs[index]->isBool;
  };
  auto findAttribute = [&](StringRef name) {
    return llvm::find_if(node.attributes, [&](const AttributeProto &attribute) {
      return attribute.name == name;
    });
  };
  if (type == "Cast" || type == "BitCast") {
    auto to = findAttribute("to");
    return to != node.attributes.end() &&
           isBoolType(to->type == AttributeProto::String ? findONNXType(to->s)
                                                         : to->i);
  }
  if (type == "EyeLike")
    if (auto given = findAttribute("dtype"); given != node.attributes.end())
      return isBoolType(given->i);
  if (type == "Constant" || type == "ConstantOfShape") {
    auto value = findAttribute("value");
    return value != node.attributes.end() && value->t &&
           isBoolType(value->t->dataType);
  }
  if (type == "CastLike" || type == "Where")
    return isInput(1);
  if (type == "OneHot")
    return isInput(2);
  if (type == "Dropout" && index == 1)
    return true;
  static const llvm::StringSet<> predicates = {
      "And",   "Equal", "Greater", "GreaterOrEqual",
      "IsInf", "IsNaN", "Less",    "LessOrEqual",
      "Not",   "Or",    "Xor"};
  // All other operators of bools give what they take.
  return predicates.contains(type) || isInput(0);
}

void NodeImporter::enter(unsigned index, Tensor tensor) {
  tensor.isKnown = true;
  tensor.isBool = tensor.type == DataType::UINT8 && givesBools(index);
  if (index < node.outputs.size() && !node.outputs[index].empty())
    graph.tensors[node.outputs[index]] = std::move(tensor);
}

LogicalResult NodeImporter::set(unsigned index, Value value, Shape shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (static_cast<int64_t>(shape.size()) > maxRank)
    return reject("its output has " + Twine(shape.size()) +
                  " dimensions, but DirectML's tensors have at most " +
                  Twine(maxRank));
  if (std::optional<int64_t> count = countElements(shape);
      !count || *count == 0)
    return reject("its output has the shape " + describeShape(shape) +
                  ", but wanted are 1 to 2^32 - 1 elements");
  Tensor tensor;
  tensor.type = *getDataType(type.getElementType());
  // A node such as Reshape gives another node's value another shape.
  if (auto origin = graph.origins.find(value.getDefiningOp());
      origin != graph.origins.end() && index == 0 &&
      origin->first->getLoc() == loc)
    origin->second.output = shape;
  tensor.value = reshape(value, toPhysical(shape));
  tensor.shape = std::move(shape);
  enter(index, std::move(tensor));
  return success();
}

LogicalResult NodeImporter::set(unsigned index, FailureOr<Value> value,
                                Shape shape) {
  return failed(value) ? failure() : set(index, *value, std::move(shape));
}

LogicalResult NodeImporter::set(unsigned index, Constant constant) {
  if (static_cast<int64_t>(constant.getShape().size()) > maxRank)
    return reject("its output has " + Twine(constant.getShape().size()) +
                  " dimensions, but DirectML's tensors have at most " +
                  Twine(maxRank));
  if (!countElements(constant.getShape()))
    return reject("its output has the shape " +
                  describeShape(constant.getShape()) +
                  ", but wanted are at most 2^32 - 1 elements");
  Tensor tensor;
  tensor.type = constant.getType();
  tensor.shape = Shape(constant.getShape());
  tensor.constant = std::move(constant);
  enter(index, std::move(tensor));
  return success();
}

LogicalResult NodeImporter::setView(unsigned index, unsigned input,
                                    Shape shape) {
  if (countElements(shape) != countElements(getShape(input)))
    return reject("it shows " + describeShape(getShape(input)) + " as " +
                  describeShape(shape) + ", which has not as many elements");
  const Tensor &tensor = getInput(input);
  if (tensor.constant)
    return set(index, tensor.constant->reshape(std::move(shape)));
  return set(index, tensor.value, std::move(shape));
}
