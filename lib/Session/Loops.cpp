//===- Loops.cpp - Loops between the programs of a run --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DividedRun.h"
#include <cstring>

using namespace dml;
using namespace dml::session;
using onnx::LoopNode;
using onnx::PresentTensor;

/// Returns a tensor of one element on the host.
template <typename T>
static LiveTensor makeScalar(DataType type, bool isBool, T value) {
  LiveTensor tensor;
  auto bytes = std::make_shared<std::vector<char>>(sizeof(T));
  std::memcpy(bytes->data(), &value, sizeof(T));
  tensor.present.type = type;
  tensor.present.isBool = isBool;
  tensor.present.isOnHost = true;
  tensor.present.elements = *bytes;
  tensor.present.owner = bytes;
  return tensor;
}

static std::string describeLoop(const LoopNode &loop) {
  return "node '" + runtime::escape(loop.name) + "' (" + loop.type + ")";
}

Status DividedRun::check(const LoopNode &loop) {
  DML_TRY(progress.begin("running", 1));
  if (session.settings.waitLimit == UINT64_MAX)
    return Status();
  auto time = std::chrono::steady_clock::now() - start - makingTime;
  auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  if (static_cast<uint64_t>(nanoseconds) <= session.settings.waitLimit)
    return Status();
  return makeError(DML_ERROR_TIMEOUT, "the iterations of ", describeLoop(loop),
                   " have taken ", nanoseconds, " ns, but the limit is ",
                   session.settings.waitLimit);
}

Expected<std::optional<int64_t>>
DividedRun::readInteger(const std::string &name, const LoopNode &loop,
                        Frame &frame) {
  if (name.empty())
    return std::optional<int64_t>();
  LiveTensor *tensor = frame.find(name);
  if (!tensor)
    return makeError(DML_ERROR_INVALID_ARGUMENT, describeLoop(loop), " reads '",
                     runtime::escape(name), "', which nothing computes");
  const PresentTensor &present = tensor->present;
  bool isWide = present.type == DataType::INT64;
  if (present.getNumElements() != 1 || (!isWide && !present.isBool))
    return makeError(DML_ERROR_INVALID_ARGUMENT, describeLoop(loop), " reads '",
                     runtime::escape(name), "' with the shape ",
                     describeSizes(present.shape), " and the type ",
                     dmlGetDataTypeName(static_cast<DmlDataType>(present.type)),
                     ", but wanted is one integer of 64 bits or one bool");
  DML_TRY_IN(readElements(*tensor), name);
  int64_t value = *present.elements.data() != 0;
  if (isWide)
    std::memcpy(&value, present.elements.data(), sizeof(value));
  return std::optional<int64_t>(value);
}

//===----------------------------------------------------------------------===//
// Collected tensors
//===----------------------------------------------------------------------===//

Status DividedRun::collect(const LoopNode &loop, LiveTensor &tensor,
                           int64_t number, Collection &collection) {
  const PresentTensor &present = tensor.present;
  if (number == 0) {
    collection.shape = present.shape;
    collection.type = present.type;
    collection.isBool = present.isBool;
  }
  if (collection.shape != present.shape || collection.type != present.type)
    return makeError(
        DML_ERROR_INVALID_ARGUMENT, "iteration ", number, " of ",
        describeLoop(loop), " computes ", describeSizes(present.shape),
        " for '", runtime::escape(collection.node->result), "', but wanted is ",
        describeSizes(collection.shape), ", as in the first iteration");
  uint64_t size = present.getNumBytes();
  collectedBytes += size;
  if (collectedBytes > session.budget)
    return makeError(DML_ERROR_OUT_OF_MEMORY, "the tensors that iterations of ",
                     describeLoop(loop), " collect have ", collectedBytes,
                     " bytes after iteration ", number,
                     ", but the program budget is ", session.budget);
  size_t begin = collection.bytes.size();
  collection.bytes.resize(begin + size);
  return copyTo(tensor, static_cast<void *>(collection.bytes.data() + begin));
}

/// Returns the bytes of `count` tensors of `shape`, with the dimension that
/// counts the tensors at `axis` instead of in front.
static std::vector<char> moveAxis(const std::vector<char> &bytes, int64_t count,
                                  llvm::ArrayRef<int64_t> shape, int64_t axis,
                                  bool isReversed, size_t width) {
  size_t inner = width, outer = 1;
  for (auto [dimension, size] : llvm::enumerate(shape))
    (static_cast<int64_t>(dimension) < axis ? outer : inner) *=
        static_cast<size_t>(size);
  std::vector<char> moved(bytes.size());
  for (size_t number = 0; number < static_cast<size_t>(count); ++number) {
    size_t place = isReversed ? count - 1 - number : number;
    for (size_t block = 0; block < outer && inner != 0; ++block)
      std::memcpy(moved.data() + (block * count + place) * inner,
                  bytes.data() + (number * outer + block) * inner, inner);
  }
  return moved;
}

Expected<LiveTensor> DividedRun::finish(const LoopNode &loop,
                                        Collection &collection, int64_t count) {
  const LoopNode::Collected &node = *collection.node;
  if (count == 0) {
    if (!node.type)
      return makeError(DML_ERROR_UNSUPPORTED, describeLoop(loop),
                       " has no iterations, but its body does not declare the "
                       "type of '",
                       runtime::escape(node.output), "'");
    collection.shape = node.shape;
    collection.type = *node.type;
    collection.isBool = node.isBool;
  }
  auto rank = static_cast<int64_t>(collection.shape.size()) + 1;
  int64_t axis = node.axis < 0 ? node.axis + rank : node.axis;
  axis = std::clamp<int64_t>(axis, 0, rank - 1);
  if (axis != 0 || node.isReversed) {
    size_t width =
        dmlGetDataTypeBits(static_cast<DmlDataType>(collection.type)) / 8;
    collection.bytes = moveAxis(collection.bytes, count, collection.shape, axis,
                                node.isReversed, width);
  }
  LiveTensor tensor;
  tensor.present.type = collection.type;
  tensor.present.isBool = collection.isBool;
  tensor.present.shape = collection.shape;
  tensor.present.shape.insert(tensor.present.shape.begin() + axis, count);
  tensor.present.isOnHost = true;
  auto bytes = std::make_shared<std::vector<char>>(std::move(collection.bytes));
  tensor.present.elements = *bytes;
  tensor.present.owner = bytes;
  return tensor;
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

Status DividedRun::runIteration(const LoopNode &loop, int64_t number,
                                std::optional<int64_t> count, bool &condition,
                                std::vector<LiveTensor> &carried,
                                std::vector<Collection> &collections,
                                Frame &outer) {
  Frame frame(&outer);
  auto add = [&](const std::string &name, LiveTensor tensor) {
    if (!name.empty())
      frame.tensors[name] = std::move(tensor);
  };
  add(loop.iteration, makeScalar(DataType::INT64, false, number));
  add(loop.reversedIteration,
      makeScalar(DataType::INT64, false, count.value_or(0) - 1 - number));
  add(loop.conditionInput,
      makeScalar(DataType::UINT8, true, uint8_t(condition)));
  for (auto [node, tensor] : llvm::zip_equal(loop.carried, carried))
    add(node.input, std::move(tensor));
  DML_TRY(runSection(loop.body, frame));
  auto find = [&](const std::string &name) -> Expected<LiveTensor *> {
    if (LiveTensor *tensor = frame.find(name))
      return tensor;
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the body of ",
                     describeLoop(loop), " does not compute its output '",
                     runtime::escape(name), "'");
  };
  Expected<std::optional<int64_t>> next =
      readInteger(loop.conditionOutput, loop, frame);
  if (!next)
    return next.status();
  condition = next->value_or(1) != 0;
  for (Collection &collection : collections) {
    Expected<LiveTensor *> tensor = find(collection.node->output);
    if (!tensor)
      return tensor.status();
    DML_TRY(collect(loop, **tensor, number, collection));
  }
  for (auto [node, tensor] : llvm::zip_equal(loop.carried, carried)) {
    Expected<LiveTensor *> output = find(node.output);
    if (!output)
      return output.status();
    tensor = **output;
    tensor.present.isConstant = false;
  }
  return Status();
}

Status DividedRun::runLoop(const LoopNode &loop, Frame &frame) {
  auto count = readInteger(loop.tripCount, loop, frame);
  if (!count)
    return count.status();
  if (loop.numSteps)
    *count = loop.numSteps;
  auto first = readInteger(loop.condition, loop, frame);
  if (!first)
    return first.status();
  bool condition = first->value_or(1) != 0;
  std::vector<LiveTensor> carried;
  for (const LoopNode::Carried &node : loop.carried) {
    carried.push_back(*frame.find(node.initial));
    carried.back().present.isConstant = false;
  }
  std::vector<Collection> collections;
  for (const LoopNode::Collected &node : loop.collected)
    if (!node.result.empty())
      collections.push_back({&node, {}, {}, DataType::FLOAT32, false});
  int64_t number = 0;
  for (; condition && (!*count || number < **count); ++number) {
    DML_TRY(check(loop));
    DML_TRY(runIteration(loop, number, *count, condition, carried, collections,
                         frame));
  }
  for (auto [node, tensor] : llvm::zip_equal(loop.carried, carried))
    if (!node.result.empty())
      frame.tensors[node.result] = std::move(tensor);
  for (Collection &collection : collections) {
    Expected<LiveTensor> result = finish(loop, collection, number);
    if (!result)
      return result.status();
    frame.tensors[collection.node->result] = std::move(*result);
  }
  return Status();
}
