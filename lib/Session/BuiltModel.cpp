//===- BuiltModel.cpp - A model that a program builds ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "BuiltModel.h"
#include "Boundary.h"
#include "Model.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

using namespace dml;
using namespace dml::session;
using namespace dml::onnx;

/// Graphs around a graph within a node, at most, as in files.
static constexpr unsigned maxDepth = 16;
/// Nodes of graphs within nodes, at most: one graph may stand in several nodes.
static constexpr uint64_t maxInnerNodes = 1 << 20;
/// Bytes of a weight that is copied, at most.
static constexpr uint64_t maxCopiedBytes = 64;

static Status wantPointer(const std::string &what, const char *member,
                          const void *pointer, uint64_t count = 1) {
  return pointer || count == 0 ? Status()
                               : makeError(DML_ERROR_INVALID_ARGUMENT, what,
                                           ": '", member, "' is NULL");
}

/// Returns a text that identifies an object in messages, such as "node 'a'".
static std::string nameThing(const char *kind, const char *name) {
  return std::string(kind) + " '" + runtime::escape(name ? name : "") + "'";
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
/// A weight that a callback of the caller reads.
class CallbackWeight : public BuiltWeight {
public:
  CallbackWeight(const DmlModelWeight &weight, std::string what)
      : BuiltWeight(weight.byteSize), callback(weight.read),
        userData(weight.userData), what(std::move(what)) {}

protected:
  llvm::Error readPiece(uint64_t offset,
                        llvm::MutableArrayRef<char> bytes) const override {
    const char *message =
        callback(userData, offset, bytes.size(), bytes.data());
    if (!message)
      return llvm::Error::success();
    return llvm::createStringError("the callback of " + what + " cannot read " +
                                   llvm::Twine(bytes.size()) +
                                   " bytes from byte " + llvm::Twine(offset) +
                                   " on: " + message);
  }

private:
  DmlReadWeightCallback callback;
  void *userData;
  std::string what;
};

/// A weight in a file.
class FileWeight : public BuiltWeight {
public:
  FileWeight(const DmlModelWeight &weight, FileState state)
      : BuiltWeight(weight.byteSize), path(weight.path), begin(weight.offset),
        state(state) {}

  bool addState(Digester &digester) const override {
    digester.add(llvm::StringRef(path));
    state.addTo(digester);
    digester.add(begin);
    return true;
  }

protected:
  llvm::Error readPiece(uint64_t offset,
                        llvm::MutableArrayRef<char> bytes) const override;

private:
  std::string path;
  uint64_t begin;
  FileState state;
};
} // namespace

llvm::Error FileWeight::readPiece(uint64_t offset,
                                  llvm::MutableArrayRef<char> bytes) const {
  if (Status status = wantState(path, state); !status.ok())
    return reader::makeReadError(status.message());
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return file.takeError();
  auto close = llvm::scope_exit([&] { (void)llvm::sys::fs::closeFile(*file); });
  offset += begin;
  while (!bytes.empty()) {
    llvm::Expected<size_t> count =
        llvm::sys::fs::readNativeFileSlice(*file, bytes, offset);
    if (!count)
      return count.takeError();
    if (*count == 0)
      return reader::makeReadError("'" + path + "' ends at byte " +
                                   llvm::Twine(offset));
    offset += *count;
    bytes = bytes.drop_front(*count);
  }
  return llvm::Error::success();
}

/// Where the elements of `weight` are, which `what` describes. Nothing is read.
static Expected<std::shared_ptr<BuiltWeight>>
makeSource(const DmlModelWeight &weight, const std::string &what) {
  int places = (weight.data != nullptr) + (weight.read != nullptr) +
               (weight.path != nullptr);
  if (places != 1)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what, ": its ",
                     weight.byteSize, " bytes stand in ", places,
                     " places, but wanted is one of 'data', 'read' and 'path'");
  std::shared_ptr<BuiltWeight> source;
  if (weight.data) {
    source = std::make_shared<BuiltWeight>(
        weight.byteSize, static_cast<const char *>(weight.data));
  } else if (weight.read) {
    source = std::make_shared<CallbackWeight>(weight, what);
  } else {
    Expected<FileState> state = FileState::get(weight.path);
    if (!state)
      return state.status().in(what);
    if (weight.offset > state->size ||
        weight.byteSize > state->size - weight.offset)
      return makeError(DML_ERROR_INVALID_ARGUMENT, what, ": '", weight.path,
                       "' has ", state->size, " bytes, but wanted are ",
                       weight.byteSize, " from byte ", weight.offset, " on");
    source = std::make_shared<FileWeight>(weight, *state);
  }
  if (weight.identifier)
    source->identifier = weight.identifier;
  return source;
}

Status BuiltModel::setElements(const DmlModelWeight &weight,
                               const std::string &what, TensorProto &tensor) {
  if (weight.byteSize == 0) {
    tensor.rawData = llvm::StringRef();
    return Status();
  }
  Expected<std::shared_ptr<BuiltWeight>> source = makeSource(weight, what);
  if (!source)
    return source.status();
  if (weight.byteSize > maxCopiedBytes) {
    tensor.source = std::move(*source);
    return Status();
  }
  char *copy = allocator.Allocate<char>(weight.byteSize);
  if (llvm::Error error = (*source)->read(0, {copy, weight.byteSize}))
    return Status(DML_ERROR_IO, llvm::toString(std::move(error)));
  tensor.rawData = llvm::StringRef(copy, weight.byteSize);
  return Status();
}

Expected<TensorProto> BuiltModel::makeTensor(const DmlModelWeight &weight,
                                             const std::string &what) {
  DML_TRY(runtime::checkChain("DmlModelWeight", weight.next));
  DML_TRY(wantPointer(what, "sizes", weight.sizes, weight.rank));
  TensorProto tensor;
  tensor.name = save(weight.name);
  tensor.dataType = weight.elementType;
  tensor.dims.assign(weight.sizes, weight.sizes + weight.rank);
  DML_TRY(setElements(weight, what, tensor));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

std::shared_ptr<BuiltModel> BuiltModel::create(const DmlModelCreateInfo &info) {
  std::shared_ptr<BuiltModel> model(new BuiltModel);
  model->name = info.name ? info.name : "<model>";
  if (info.identifier)
    model->identifier = info.identifier;
  for (uint32_t i = 0; i < info.operatorSetCount; ++i)
    model->proto.operatorSets.push_back(
        {model->save(info.operatorSets[i].domain),
         info.operatorSets[i].version});
  model->proto.graph.emplace();
  return model;
}

llvm::StringRef BuiltModel::save(const char *text) {
  return text && *text ? strings.save(llvm::StringRef(text))
                       : llvm::StringRef();
}

Status BuiltModel::wantOpen() const {
  return isClosed ? makeError(DML_ERROR_INVALID_ARGUMENT, "the model '", name,
                              "' has a session or is the graph of a node, and "
                              "does not change any more")
                  : Status();
}

Expected<ValueInfo> BuiltModel::makeValue(const DmlModelTensor &tensor,
                                          const char *kind) {
  DML_TRY(wantOpen());
  DML_TRY(runtime::checkChain("DmlModelTensor", tensor.next));
  std::string what = nameThing(kind, tensor.name);
  if (!tensor.name || !*tensor.name)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what,
                     " has no name, but wanted is one");
  ValueInfo value;
  value.name = save(tensor.name);
  value.isTensor = true;
  value.elementType = tensor.elementType;
  value.hasShape = tensor.rank != UINT32_MAX;
  if (!value.hasShape)
    return value;
  DML_TRY(wantPointer(what, "sizes", tensor.sizes, tensor.rank));
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    Dimension &dimension = value.dimensions.emplace_back();
    if (tensor.sizes[i] < -1)
      return makeError(DML_ERROR_INVALID_ARGUMENT, what, " has the size ",
                       tensor.sizes[i], " in dimension ", i,
                       ", but wanted is a size, or -1 for one that is open");
    if (tensor.sizes[i] >= 0)
      dimension.size = tensor.sizes[i];
    else if (tensor.dimensionNames)
      dimension.symbol = save(tensor.dimensionNames[i]);
  }
  return value;
}

/// Adds the name of a tensor of a kind to `names`. Fails if a tensor has the
/// name already.
static Status declare(llvm::StringRef name, const char *kind,
                      llvm::StringMap<std::string> &names) {
  auto [known, isNew] = names.try_emplace(name, kind);
  if (isNew)
    return Status();
  if (known->second == kind)
    return makeError(DML_ERROR_INVALID_ARGUMENT, kind, " '",
                     runtime::escape(name), "' is declared twice");
  return makeError(DML_ERROR_INVALID_ARGUMENT, kind, " '",
                   runtime::escape(name), "' has the name of the ",
                   known->second, " '", runtime::escape(name), "'");
}

Status BuiltModel::addInput(const DmlModelTensor &tensor) {
  Expected<ValueInfo> value = makeValue(tensor, "input");
  if (!value)
    return value.status();
  DML_TRY(declare(value->name, "input", sources));
  proto.graph->inputs.push_back(std::move(*value));
  return Status();
}

Status BuiltModel::addOutput(const DmlModelTensor &tensor) {
  Expected<ValueInfo> value = makeValue(tensor, "output");
  if (!value)
    return value.status();
  DML_TRY(declare(value->name, "output", results));
  proto.graph->outputs.push_back(std::move(*value));
  return Status();
}

Status BuiltModel::addValue(const DmlModelTensor &tensor) {
  Expected<ValueInfo> value = makeValue(tensor, "tensor");
  if (!value)
    return value.status();
  proto.graph->values.push_back(std::move(*value));
  return Status();
}

Status BuiltModel::addWeight(const DmlModelWeight &weight) {
  DML_TRY(wantOpen());
  std::string what = nameThing("weight", weight.name);
  if (!weight.name || !*weight.name)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what,
                     " has no name, but wanted is one");
  Expected<TensorProto> tensor = makeTensor(weight, what);
  if (!tensor)
    return tensor.status();
  DML_TRY(declare(tensor->name, "weight", sources));
  proto.graph->initializers.push_back(std::move(*tensor));
  return Status();
}

Status BuiltModel::addNames(const char *const *names, uint32_t count,
                            const std::string &what,
                            std::vector<llvm::StringRef> &result) {
  DML_TRY(wantPointer(what, "inputs, outputs or strings", names, count));
  for (uint32_t i = 0; i < count; ++i)
    result.push_back(save(names[i]));
  return Status();
}

Status BuiltModel::setGraph(const DmlModelAttribute &given,
                            const std::string &what, AttributeProto &attribute,
                            InnerGraphs &inner) {
  DML_TRY(wantPointer(what, "graph", given.graph));
  const std::shared_ptr<BuiltModel> &model = given.graph->object;
  if (!model)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what,
                     " is a model of DirectML's structures, but wanted is one "
                     "of ONNX's nodes");
  if (model.get() == this)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what,
                     " is the model itself, but wanted is another one");
  inner.depth = std::max(inner.depth, model->depth + 1);
  if (inner.depth > maxDepth)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what, " has ", inner.depth,
                     " graphs one within another, but wanted are ", maxDepth,
                     " at most");
  inner.nodes += model->innerNodes + model->proto.graph->nodes.size();
  if (inner.nodes > maxInnerNodes)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what,
                     ": the graphs within nodes come to ", inner.nodes,
                     " nodes, but wanted are ", maxInnerNodes, " at most");
  inner.models.push_back(model.get());
  attribute.built =
      std::shared_ptr<const GraphProto>(model, &*model->proto.graph);
  return Status();
}

Expected<AttributeProto>
BuiltModel::makeAttribute(const DmlModelAttribute &given,
                          const std::string &node, InnerGraphs &inner) {
  std::string what = node + ", " + nameThing("attribute", given.name);
  if (!given.name || !*given.name)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what,
                     " has no name, but wanted is one");
  AttributeProto attribute;
  attribute.name = save(given.name);
  attribute.type = given.type;
  switch (given.type) {
  case DML_ATTRIBUTE_TYPE_FLOAT:
    attribute.f = given.f;
    return attribute;
  case DML_ATTRIBUTE_TYPE_INT:
    attribute.i = given.i;
    return attribute;
  case DML_ATTRIBUTE_TYPE_STRING:
    DML_TRY(wantPointer(what, "s", given.s));
    attribute.s = save(given.s);
    return attribute;
  case DML_ATTRIBUTE_TYPE_TENSOR: {
    DML_TRY(wantPointer(what, "tensor", given.tensor));
    Expected<TensorProto> tensor = makeTensor(*given.tensor, what);
    if (!tensor)
      return tensor.status();
    attribute.t = std::move(*tensor);
    return attribute;
  }
  case DML_ATTRIBUTE_TYPE_GRAPH:
    DML_TRY(setGraph(given, what, attribute, inner));
    return attribute;
  case DML_ATTRIBUTE_TYPE_FLOATS:
    DML_TRY(wantPointer(what, "floats", given.floats, given.count));
    attribute.floats.assign(given.floats, given.floats + given.count);
    return attribute;
  case DML_ATTRIBUTE_TYPE_INTS:
    DML_TRY(wantPointer(what, "ints", given.ints, given.count));
    attribute.ints.assign(given.ints, given.ints + given.count);
    return attribute;
  case DML_ATTRIBUTE_TYPE_STRINGS:
    DML_TRY(addNames(given.strings, given.count, what, attribute.strings));
    return attribute;
  case DML_ATTRIBUTE_TYPE_MAX_ENUM:
    break;
  }
  return makeError(DML_ERROR_INVALID_ARGUMENT, what, " has the type ",
                   static_cast<int>(given.type),
                   ", but wanted is one of DmlAttributeType");
}

Status BuiltModel::addNode(const DmlModelNode &given) {
  DML_TRY(wantOpen());
  DML_TRY(runtime::checkChain("DmlModelNode", given.next));
  std::string what = nameThing("node", given.name);
  if (!given.type || !*given.type)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what,
                     " has no type, but wanted is an operator's name");
  what += " (" + runtime::escape(given.type) + ")";
  DML_TRY(
      wantPointer(what, "attributes", given.attributes, given.attributeCount));
  NodeProto node;
  node.domain = save(given.domain);
  node.opType = save(given.type);
  node.name = save(given.name);
  DML_TRY(addNames(given.inputs, given.inputCount, what, node.inputs));
  DML_TRY(addNames(given.outputs, given.outputCount, what, node.outputs));
  InnerGraphs inner{{}, depth, innerNodes};
  for (uint32_t i = 0; i < given.attributeCount; ++i) {
    Expected<AttributeProto> attribute =
        makeAttribute(given.attributes[i], what, inner);
    if (!attribute)
      return attribute.status();
    node.attributes.push_back(std::move(*attribute));
  }
  proto.graph->nodes.push_back(std::move(node));
  for (BuiltModel *model : inner.models)
    model->isClosed = true;
  depth = inner.depth;
  innerNodes = inner.nodes;
  return Status();
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

void BuiltModel::number(const TensorProto &tensor) {
  if (tensor.source && numbers
                           .try_emplace(tensor.source.get(),
                                        static_cast<uint32_t>(weights.size()))
                           .second)
    weights.push_back(static_cast<const BuiltWeight *>(tensor.source.get()));
}

void BuiltModel::number(const GraphProto &graph) {
  for (const TensorProto &tensor : graph.initializers)
    number(tensor);
  for (const NodeProto &node : graph.nodes)
    for (const AttributeProto &attribute : node.attributes) {
      if (attribute.t)
        number(*attribute.t);
      if (attribute.built)
        number(*attribute.built);
    }
}

void BuiltModel::close() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isNumbered)
    return;
  isClosed = isNumbered = true;
  number(*proto.graph);
}

/// Adds what tells the contents of a weight from all others in all processes.
/// Returns false where nothing but its bytes does.
bool BuiltModel::addKnown(uint32_t index, Digester &digester) const {
  const BuiltWeight &weight = *weights[index];
  digester.add(weight.getSize());
  if (!weight.identifier.empty()) {
    digester.add(llvm::StringRef("weight"));
    digester.add(llvm::StringRef(weight.identifier));
    return true;
  }
  if (weight.addState(digester))
    return true;
  if (identifier.empty())
    return false;
  digester.add(llvm::StringRef("model"));
  digester.add(llvm::StringRef(identifier));
  digester.add(uint64_t(index));
  return true;
}

void BuiltModel::addIdentity(uint32_t index, Digester &digester) const {
  if (!addKnown(index, digester))
    digester.add(weights[index]->serial);
}

/// Adds the bytes of a weight to a digest, piece by piece.
static llvm::Error addBytes(const BuiltWeight &weight, Digester &digester) {
  if (weight.getData()) {
    digester.addBytes({weight.getData(), weight.getSize()});
    return llvm::Error::success();
  }
  std::vector<char> piece(
      std::min<uint64_t>(weight.getSize(), weight.pieceBytes));
  for (uint64_t done = 0; done < weight.getSize(); done += piece.size()) {
    piece.resize(std::min<uint64_t>(weight.getSize() - done, piece.size()));
    if (llvm::Error error = weight.read(done, piece))
      return error;
    digester.addBytes({piece.data(), piece.size()});
  }
  return llvm::Error::success();
}

namespace {
/// Adds the structures of a model to a digest.
class ModelDigester {
public:
  ModelDigester(const BuiltModel &model, Digester &digester)
      : model(model), digester(digester) {}

  void add(const GraphProto &graph) {
    addList(graph.inputs);
    addList(graph.outputs);
    addList(graph.values);
    addList(graph.initializers);
    addList(graph.nodes);
  }
  template <typename T> void addList(const std::vector<T> &list) {
    digester.add(uint64_t(list.size()));
    for (const T &each : list)
      add(each);
  }

private:
  void add(llvm::StringRef text) { digester.add(text); }
  void add(int64_t number) { digester.add(static_cast<uint64_t>(number)); }
  void add(float number) { digester.add(llvm::bit_cast<uint32_t>(number)); }
  void add(const OperatorSet &set) {
    add(set.domain);
    add(set.version);
  }
  void add(const Dimension &dimension) {
    add(dimension.size.value_or(-1));
    add(dimension.symbol);
  }
  void add(const ValueInfo &value) {
    add(value.name);
    add(int64_t(value.elementType));
    add(int64_t(value.hasShape));
    addList(value.dimensions);
  }
  void add(const TensorProto &tensor) {
    add(tensor.name);
    add(int64_t(tensor.dataType));
    addList(tensor.dims);
    add(tensor.rawData.value_or(""));
    add(tensor.source ? int64_t(model.getNumber(tensor.source.get())) : -1);
  }
  void add(const AttributeProto &attribute) {
    add(attribute.name);
    add(int64_t(attribute.type));
    add(attribute.f);
    add(attribute.i);
    add(attribute.s);
    addList(attribute.floats);
    addList(attribute.ints);
    addList(attribute.strings);
    if (attribute.t)
      add(*attribute.t);
    if (attribute.built)
      add(*attribute.built);
  }
  void add(const NodeProto &node) {
    add(node.domain);
    add(node.opType);
    add(node.name);
    addList(node.inputs);
    addList(node.outputs);
    addList(node.attributes);
  }

  const BuiltModel &model;
  Digester &digester;
};
} // namespace

Status BuiltModel::addTo(Digester &digester) const {
  ModelDigester structures(*this, digester);
  structures.addList(proto.operatorSets);
  structures.add(*proto.graph);
  for (auto [index, weight] : llvm::enumerate(weights))
    if (!addKnown(index, digester))
      if (llvm::Error error = addBytes(*weight, digester))
        return Status(DML_ERROR_IO, llvm::toString(std::move(error)));
  return Status();
}
