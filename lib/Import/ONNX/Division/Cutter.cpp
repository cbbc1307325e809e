//===- Cutter.cpp - From a section to a function --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Division/Cutter.h"
#include "Reader/Shapes.h"
#include "dml/IR/Layout.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

Cutter::Cutter(const DividedModel &model, SectionPointer whole,
               MLIRContext *context, const ImportOptions &options)
    : GraphImporter(model.model, model.path, model.owner, model.fileSize,
                    context, options, model.registry, model.runtime,
                    model.isOptimized),
      section(std::move(whole)) {
  strings = &store->strings;
  // The host runs longer loops.
  maxWrittenOut = 256;
  initializers = section->initializers;
  state.read = section->read;
}

llvm::Expected<Division::Result> Cutter::run(FindTensor find) {
  module = startModule(function);
  for (const std::string &name : section->readNames) {
    const PresentTensor *tensor = find(name);
    if (!tensor)
      continue;
    present.emplace_back(name, *tensor);
    presentNames.insert(name);
    if (llvm::Error error = enterPresent(name, *tensor))
      return error;
  }
  for (const SectionNode &node : section->nodes)
    if (llvm::Error error = importNode(node.placed, node.number, node.scope))
      return error;
  if (!problems.empty())
    return llvm::createStringError(problems.describe(section->nodes.size()));
  return finishCut();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

llvm::Error Cutter::enterPresent(StringRef name, const PresentTensor &present) {
  if (static_cast<int64_t>(present.shape.size()) > maxRank ||
      !countElements(present.shape))
    return llvm::createStringError(
        "tensor '" + name + "' has the shape " + describeShape(present.shape) +
        ", but wanted are at most " + Twine(maxRank) +
        " dimensions and 2^32 - 1 elements");
  Tensor tensor;
  tensor.type = present.type;
  tensor.isBool = present.isBool;
  tensor.shape = Shape(present.shape);
  tensor.isKnown = true;
  if (present.isConstant || present.getNumElements() == 0) {
    tensor.constant = toConstant(present);
    state.tensors[name] = std::move(tensor);
    return llvm::Error::success();
  }
  if (present.isOnHost)
    hostElements.try_emplace(name, toConstant(present));
  ValueInfo info;
  info.name = name;
  if (llvm::Error error = addArgument(info, tensor, function))
    return error;
  argumentNames.push_back(name.str());
  tensor.value =
      NodeImporter(state).reshape(tensor.value, toPhysical(tensor.shape));
  state.tensors[name] = std::move(tensor);
  return llvm::Error::success();
}

void Cutter::fix(StringRef name) {
  const Constant &elements = hostElements.find(name)->second;
  Tensor &tensor = state.tensors[name];
  PresentTensor copy = toPresent(elements, tensor.isBool);
  copy.isConstant = true;
  tensor.constant = toConstant(copy);
  cut->fixed.emplace_back(name.str(), std::move(copy));
}

void Cutter::read(StringRef name) {
  if (readNow.insert(name).second)
    cut->reads.push_back(name.str());
}

bool Cutter::fixWanted(const NodeImporter &importer) {
  bool isFixed = false;
  for (auto [index, name] : llvm::enumerate(importer.getNode().inputs))
    if (importer.lacksElements(index) && hostElements.contains(name)) {
      fix(name);
      isFixed = true;
    }
  return isFixed;
}

bool Cutter::readWanted(const NodeImporter &importer) {
  bool isRead = false;
  for (auto [index, name] : llvm::enumerate(importer.getNode().inputs))
    if (importer.lacksElements(index)) {
      read(name);
      isRead = true;
    }
  return isRead;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

llvm::Error Cutter::importNode(const PlacedNode &placed, unsigned index,
                               const ScopePointer &scope) {
  // A loop of the function has all of its nodes, or none.
  if (isInLoop())
    return GraphImporter::importNode(placed, index, scope);
  const NodeProto &node = placed.node;
  StringRef domain = normalizeDomain(node.domain);
  NodeImporter importer(state, node, getOpset(placed), index);
  bool isComplete;
  if (llvm::Error error = connect(importer, isComplete))
    return error;
  if (!isComplete) {
    leave(placed, index, scope);
    return llvm::Error::success();
  }
  if (isLoop(domain, node.opType))
    return importLoopNode(importer, placed, index, scope);
  if (domain.empty() && node.opType == "If")
    return importIf(importer, placed, index, scope);
  return importOperator(importer, placed, index, scope);
}

llvm::Error Cutter::importIf(NodeImporter &importer, const PlacedNode &placed,
                             unsigned index, const ScopePointer &scope) {
  StringRef condition = importer.hasInput(0) ? placed.node.inputs[0] : "";
  bool isKnown = condition.empty() || importer.getInput(0).constant;
  if (!isKnown && !hostElements.contains(condition)) {
    read(condition);
    leave(placed, index, scope);
    return llvm::Error::success();
  }
  if (!isKnown)
    fix(condition);
  return importBranch(importer, placed, index, scope);
}

llvm::Error Cutter::importOperator(NodeImporter &importer,
                                   const PlacedNode &placed, unsigned index,
                                   const ScopePointer &scope) {
  const NodeProto &node = placed.node;
  StringRef domain = normalizeDomain(node.domain);
  llvm::Expected<bool> isComputed = computeOnHost(importer, placed, index);
  if (!isComputed)
    return isComputed.takeError();
  if (*isComputed)
    return llvm::Error::success();
  llvm::Expected<bool> isGathered =
      importAsGather(importer, placed, index, scope);
  if (!isGathered)
    return isGathered.takeError();
  if (*isGathered)
    return llvm::Error::success();
  const Operator *info = registry.find(domain, node.opType);
  if (!info) {
    addProblem(importer, describeUnknown(domain, node.opType));
    return llvm::Error::success();
  }
  // Fixing the elements of one input may show that those of another are wanted.
  std::string reason;
  do {
    reason = buildNode(importer, placed, index, *info);
    if (reason.empty())
      return llvm::Error::success();
  } while (fixWanted(importer));
  bool isRead = readWanted(importer);
  if (isRunByHost(domain, node.opType))
    for (StringRef name : node.inputs)
      if (!name.empty() && !findElements(name)) {
        read(name);
        isRead = true;
      }
  if (isRead)
    leave(placed, index, scope);
  else
    addProblem(importer, reason);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Slices by indices
//===----------------------------------------------------------------------===//

namespace dml::onnx {
/// The nodes that replace a node.
struct Cutter::Parts {
  const PlacedNode &placed;
  unsigned index;
  const ScopePointer &scope;
  unsigned numNames = 0;
};
} // namespace dml::onnx

StringRef Cutter::addName(Parts &parts) {
  StringRef name = strings->save(parts.placed.node.outputs[0] + "~" +
                                 Twine(++parts.numNames));
  state.read.insert(name);
  return name;
}

StringRef Cutter::addList(Parts &parts, ArrayRef<int64_t> list) {
  StringRef name = addName(parts);
  Tensor tensor;
  tensor.type = DataType::INT64;
  tensor.shape = {static_cast<int64_t>(list.size())};
  tensor.isKnown = true;
  tensor.constant = Constant::get(tensor.type, tensor.shape, list);
  state.tensors[name] = std::move(tensor);
  return name;
}

llvm::Error Cutter::importPart(const Parts &parts, StringRef type,
                               ArrayRef<StringRef> inputs, StringRef output,
                               std::optional<int64_t> axis) {
  return importNode(PlacedNode::makePart(parts.placed.node.name,
                                         *parts.placed.sets, type, inputs,
                                         output, axis),
                    parts.index, parts.scope);
}

bool Cutter::canSliceByIndices(const NodeImporter &importer) const {
  const NodeProto &node = importer.getNode();
  if (importer.getOpset() < 10 || importer.getNumInputs() < 3)
    return false;
  bool isFixed = true;
  for (unsigned input = 1; input < importer.getNumInputs(); ++input) {
    if (!importer.hasInput(input))
      continue;
    auto elements = findElements(node.inputs[input]);
    if (!elements || elements->getType() != DataType::INT64 ||
        elements->getShape().size() != 1)
      return false;
    isFixed &= state.tensors.lookup(node.inputs[input]).constant.has_value();
  }
  // The axes decide which dimensions have indices.
  int64_t count = *countElements(importer.getShape(1));
  bool hasAxes =
      !importer.hasInput(3) || (importer.getInput(3).constant &&
                                countElements(importer.getShape(3)) == count);
  return !isFixed && hasAxes && count > 0 && count <= maxRank &&
         llvm::all_of(importer.getShape(0), [](int64_t size) {
           return size <= Constant::maxFoldable;
         });
}

llvm::Error Cutter::sliceByIndices(const NodeImporter &importer, Parts &parts) {
  const NodeProto &node = importer.getNode();
  int64_t count = *countElements(importer.getShape(1));
  auto rank = static_cast<int64_t>(importer.getShape(0).size());
  Shape axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  if (importer.hasInput(3))
    axes = Shape(importer.getInput(3).constant->getIntegers());
  StringRef data = node.inputs[0], zero = addList(parts, 0);
  for (auto [place, given] : llvm::enumerate(axes)) {
    int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank)
      return llvm::createStringError("node '" + importer.getName() +
                                     "' (Slice) has the axis " + Twine(given) +
                                     ", but wanted is one of " + Twine(rank) +
                                     " dimensions");
    // The indices are a slice of all numbers of the dimension.
    Shape all(importer.getShape(0)[axis]);
    std::iota(all.begin(), all.end(), 0);
    auto from = static_cast<int64_t>(place);
    StringRef begin = addList(parts, from), end = addList(parts, from + 1);
    SmallVector<StringRef> inputs = {addList(parts, all)};
    for (unsigned input : {1, 2, 4}) {
      if (!importer.hasInput(input))
        continue;
      inputs.push_back(addName(parts));
      if (llvm::Error error =
              importPart(parts, "Slice", {node.inputs[input], begin, end, zero},
                         inputs.back(), {}))
        return error;
    }
    inputs.insert(inputs.begin() + 3, zero);
    StringRef indices = addName(parts);
    if (llvm::Error error = importPart(parts, "Slice", inputs, indices, {}))
      return error;
    StringRef output =
        place + 1 == axes.size() ? node.outputs[0] : addName(parts);
    if (llvm::Error error =
            importPart(parts, "Gather", {data, indices}, output, axis))
      return error;
    data = output;
  }
  return llvm::Error::success();
}

llvm::Error Cutter::compressByIndices(const NodeImporter &importer,
                                      Parts &parts) {
  const NodeProto &node = importer.getNode();
  const AttributeProto *attribute = importer.getAttribute("axis");
  StringRef data = node.inputs[0], line = addList(parts, -1);
  if (!attribute) {
    data = addName(parts);
    if (llvm::Error error =
            importPart(parts, "Reshape", {node.inputs[0], line}, data, {}))
      return error;
  }
  StringRef places = addName(parts), indices = addName(parts);
  if (llvm::Error error =
          importPart(parts, "NonZero", {node.inputs[1]}, places, {}))
    return error;
  if (llvm::Error error =
          importPart(parts, "Reshape", {places, line}, indices, {}))
    return error;
  return importPart(parts, "Gather", {data, indices}, node.outputs[0],
                    attribute ? attribute->i : 0);
}

bool Cutter::readBounds(const NodeImporter &importer) {
  bool isRead = false;
  for (unsigned input = 1; input < importer.getNumInputs(); ++input) {
    if (!importer.hasInput(input))
      continue;
    StringRef name = importer.getNode().inputs[input];
    if (!findElements(name)) {
      read(name);
      isRead = true;
    }
  }
  return isRead;
}

llvm::Expected<bool> Cutter::importAsGather(const NodeImporter &importer,
                                            const PlacedNode &placed,
                                            unsigned index,
                                            const ScopePointer &scope) {
  const NodeProto &node = placed.node;
  if (!normalizeDomain(node.domain).empty() || node.outputs.size() != 1)
    return false;
  bool isSlice = node.opType == "Slice";
  // All bounds are read at once.
  if (isSlice && importer.getOpset() >= 10 && readBounds(importer)) {
    leave(placed, index, scope);
    return true;
  }
  isSlice = isSlice && canSliceByIndices(importer);
  bool isCompress = node.opType == "Compress" && importer.getNumInputs() == 2 &&
                    importer.hasInput(0) &&
                    hostElements.contains(node.inputs[1]) &&
                    importer.getShape(1).size() == 1;
  if (!isSlice && !isCompress)
    return false;
  // The last of the parts computes the output.
  state.tensors.erase(node.outputs[0]);
  Parts parts{placed, index, scope};
  llvm::Error error = isSlice ? sliceByIndices(importer, parts)
                              : compressByIndices(importer, parts);
  if (error)
    return std::move(error);
  return true;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<std::string>> Cutter::findWantedNames() {
  llvm::StringSet<> wanted;
  for (const std::string &name : section->outputs)
    wanted.insert(name);
  for (const std::string &name : cut->reads)
    wanted.insert(name);
  for (const SectionNode &node : left) {
    llvm::StringSet<> names;
    if (llvm::Error error =
            collectReads(node.placed.node, node.scope.get(), names))
      return error;
    // The rest reads initializers by itself.
    for (StringRef name : names.keys())
      if (!initializers.contains(name) && !loadedInitializers.contains(name))
        wanted.insert(name);
  }
  for (const LoopNode &loop : cut->loops) {
    wanted.insert(loop.tripCount);
    wanted.insert(loop.condition);
    for (const LoopNode::Carried &carried : loop.carried)
      wanted.insert(carried.initial);
    for (const std::string &name : loop.body->readNames)
      wanted.insert(name);
  }
  wanted.erase("");
  std::vector<std::string> names;
  for (StringRef name : wanted.keys())
    names.push_back(name.str());
  llvm::sort(names);
  return names;
}

std::optional<unsigned> Cutter::findViewed(const Tensor &tensor) const {
  if (tensor.constant)
    return std::nullopt;
  Value source = tensor.value;
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      source.getDefiningOp()))
    source = source.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(source);
  Type element = getElementType(tensor.type, tensor.value.getContext());
  if (!argument ||
      cast<RankedTensorType>(source.getType()).getElementType() != element)
    return std::nullopt;
  return argument.getArgNumber();
}

llvm::Error Cutter::provide(StringRef name) {
  if (presentNames.contains(name))
    return llvm::Error::success();
  if (llvm::Error error = loadInitializer(name))
    return error;
  auto found = state.tensors.find(name);
  if (found == state.tensors.end() || !found->second.isKnown)
    return llvm::Error::success();
  const Tensor &tensor = found->second;
  if (isFourBits(tensor.type))
    return llvm::createStringError("tensor '" + name +
                                   "' has elements of 4 bits, which cannot be "
                                   "between two programs");
  // A large constant stays on the device, and is a result of the function.
  if (tensor.constant && tensor.constant->isFoldable()) {
    PresentTensor constant = toPresent(*tensor.constant, tensor.isBool);
    constant.isConstant = true;
    cut->constants.emplace_back(name.str(), std::move(constant));
    return llvm::Error::success();
  }
  MadeTensor made{name.str(), tensor.type, tensor.isBool,
                  SmallVector<int64_t>(tensor.shape)};
  if (std::optional<unsigned> argument = findViewed(tensor)) {
    cut->views.emplace_back(std::move(made), argumentNames[*argument]);
    return llvm::Error::success();
  }
  Shape shape = tensor.shape.empty() ? Shape{1} : tensor.shape;
  results.push_back(NodeImporter(state).materialize(tensor, shape));
  resultAttributes.push_back(
      state.builder.getDictionaryAttr(state.builder.getNamedAttr(
          nameAttrName, state.builder.getStringAttr(name))));
  cut->outputs.push_back(std::move(made));
  return llvm::Error::success();
}

llvm::Error Cutter::finishFunction() {
  addReturn(function, results, resultAttributes);
  for (unsigned index = function.getNumArguments(); index-- > 0;)
    if (function.getArgument(index).use_empty()) {
      if (failed(function.eraseArgument(index)))
        return llvm::createStringError("an argument cannot be erased");
      argumentNames.erase(argumentNames.begin() + index);
    }
  cut->inputs = argumentNames;
  if (state.isOptimized)
    runtime.optimize(function, std::move(state.origins), std::move(notes));
  return verifyModule(*module);
}

std::string Cutter::makeKey() const {
  KeyMaker key;
  key.add(section->key);
  for (const auto &[name, tensor] : present)
    key.add(name, tensor);
  for (const auto &[name, tensor] : cut->fixed)
    key.add(name, tensor);
  for (const Cut::Computed &computed : cut->computed)
    for (const MadeTensor &made : computed.results) {
      PresentTensor tensor;
      tensor.type = made.type;
      tensor.isBool = made.isBool;
      tensor.shape = made.shape;
      key.add(made.name, tensor);
    }
  return key.finish();
}

llvm::StringMap<const TensorProto *> Cutter::getInitializers() const {
  llvm::StringMap<const TensorProto *> all = initializers;
  for (const auto &tensor : loadedInitializers)
    all.try_emplace(tensor.first(), tensor.second);
  return all;
}

llvm::Error Cutter::finishRest() {
  if (left.empty())
    return llvm::Error::success();
  std::vector<std::shared_ptr<const NameStore>> stores = section->stores;
  stores.push_back(store);
  auto rest = Section::create(std::move(left), section->outputs,
                              getInitializers(), std::move(stores));
  if (!rest)
    return rest.takeError();
  cut->rest = std::move(*rest);
  return llvm::Error::success();
}

llvm::Expected<Division::Result> Cutter::finishCut() {
  // Nothing would change for the rest.
  if (!left.empty() && cut->reads.empty() && cut->loops.empty())
    return llvm::createStringError("node '" + left.front().placed.node.name +
                                   "' (" + left.front().placed.node.opType +
                                   ") reads a tensor that nothing computes");
  store->graphs = branches;
  llvm::Expected<std::vector<std::string>> names = findWantedNames();
  if (!names)
    return names.takeError();
  for (const std::string &name : *names)
    if (llvm::Error error = provide(name))
      return error;
  if (llvm::Error error = finishFunction())
    return error;
  cut->key = makeKey();
  if (llvm::Error error = finishRest())
    return error;
  if (cut->outputs.empty())
    module = {};
  return Division::Result{std::move(cut), std::move(module)};
}
