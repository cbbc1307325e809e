//===- Measurement.cpp - The times of kernels -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Measurement.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cmath>
#include <cstring>

using namespace dml;
using namespace dml::session;

/// A multiple of every offset alignment that Vulkan allows devices to want.
static constexpr uint64_t rangeAlignment = 256;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

RunPlan RunPlan::get(llvm::ArrayRef<uint64_t> bytes,
                     llvm::ArrayRef<bool> areWeights, double cacheBytes) {
  /// The bytes that weights have together, at most.
  constexpr uint64_t mostBytes = uint64_t(512) << 20;
  constexpr uint64_t mostSets = 64;
  uint64_t all = 0, weights = 0;
  for (auto [size, isWeight] : llvm::zip_equal(bytes, areWeights)) {
    all += size;
    if (isWeight)
      weights += llvm::alignTo(size, rangeAlignment);
  }
  RunPlan plan;
  plan.areWeights.assign(areWeights.begin(), areWeights.end());
  // Work that takes long is repeated less often in a call.
  plan.runs = all > (uint64_t(128) << 20) ? 3 : 8;
  if (weights > 0) {
    auto wanted = static_cast<uint64_t>(2 * cacheBytes) / weights + 1;
    uint64_t most = std::clamp<uint64_t>(mostBytes / weights, 2, mostSets);
    plan.sets = static_cast<unsigned>(std::clamp<uint64_t>(wanted, 2, most));
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// The bytes of random data that are repeated, a multiple of the size of every
/// element.
static constexpr uint64_t blockBytes = uint64_t(1) << 22;

const std::vector<uint8_t> &DeviceData::getBytes(DmlDataType type) {
  std::vector<uint8_t> &block = bytes[type];
  if (!block.empty())
    return block;
  block.resize(blockBytes);
  uint64_t state = 0x9e3779b97f4a7c15;
  for (size_t at = 0; at < block.size(); at += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint64_t bits = state;
    // Floats of either sign in [0.5, 2): the upper bits of the exponent become
    // 01...1, and its lowest bit stays random. Integers that may be indices
    // are small.
    switch (type) {
    case DML_DATA_TYPE_FLOAT16:
      bits = (bits & 0x87ff87ff87ff87ff) | 0x3800380038003800;
      break;
    case DML_DATA_TYPE_FLOAT32:
      bits = (bits & 0x80ffffff80ffffff) | 0x3f0000003f000000;
      break;
    case DML_DATA_TYPE_FLOAT64:
      bits = (bits & 0x801fffffffffffff) | 0x3fe0000000000000;
      break;
    case DML_DATA_TYPE_INT32:
    case DML_DATA_TYPE_UINT32:
      bits &= 0x0000000700000007;
      break;
    case DML_DATA_TYPE_INT64:
    case DML_DATA_TYPE_UINT64:
      bits &= 7;
      break;
    default:
      bits |= 0x0101010101010101;
    }
    std::memcpy(&block[at], &bits, 8);
  }
  return block;
}

Expected<DmlBuffer> DeviceData::getBlock(Block &block, uint64_t size) {
  if (block.size >= size)
    return block.buffer.get();
  block.buffer.reset();
  block.size = 0;
  auto buffer =
      create<BufferHandle>(dmlCreateBuffer, device, size, DML_MEMORY_DEVICE);
  if (!buffer)
    return buffer.status();
  block.buffer = std::move(*buffer);
  block.size = size;
  return block.buffer.get();
}

Status DeviceData::fill(DmlBuffer buffer, uint64_t size, DmlDataType type) {
  const std::vector<uint8_t> &block = getBytes(type);
  for (uint64_t done = 0; done < size;) {
    uint64_t part = std::min<uint64_t>(size - done, block.size());
    DML_TRY(call(dmlWriteBuffer, buffer, done,
                 static_cast<const void *>(block.data()), size_t(part)));
    done += part;
  }
  return Status();
}

Expected<DmlBuffer> DeviceData::get(DmlDataType type, uint64_t size) {
  Block &block = inputs[type];
  uint64_t before = block.size;
  Expected<DmlBuffer> buffer = getBlock(block, size);
  if (buffer && block.size != before)
    DML_TRY(fill(*buffer, block.size, type));
  return buffer;
}

Expected<DmlBuffer> DeviceData::getOutput(uint64_t size) {
  return getBlock(output, size);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Returns element `index` of `bytes`, or nothing if elements of `type` are
/// compared bit by bit.
static std::optional<double> getElement(llvm::ArrayRef<uint8_t> bytes,
                                        DmlDataType type, size_t index) {
  auto get = [&](auto value) {
    std::memcpy(&value, &bytes[index * sizeof(value)], sizeof(value));
    return value;
  };
  switch (type) {
  case DML_DATA_TYPE_FLOAT16:
    return llvm::APFloat(llvm::APFloat::IEEEhalf(),
                         llvm::APInt(16, get(uint16_t())))
        .convertToFloat();
  case DML_DATA_TYPE_FLOAT32:
    return get(float());
  case DML_DATA_TYPE_FLOAT64:
    return get(double());
  case DML_DATA_TYPE_UINT8:
    return get(uint8_t());
  case DML_DATA_TYPE_INT8:
    return get(int8_t());
  default:
    return std::nullopt;
  }
}

/// Returns the bytes of an element that getElement() reads, and the largest
/// difference that rounding makes, for elements of which the largest is 1.
static std::pair<size_t, double> getTolerance(DmlDataType type) {
  switch (type) {
  case DML_DATA_TYPE_FLOAT16:
    return {2, 0x1p-7};
  case DML_DATA_TYPE_FLOAT32:
    return {4, 0x1p-10};
  case DML_DATA_TYPE_FLOAT64:
    return {8, 0x1p-30};
  default:
    return {1, 0};
  }
}

/// Whether results differ by no more than rounding, which depends on the order
/// of sums. Quantized numbers differ by one at most. Other integers are equal.
static bool areClose(llvm::ArrayRef<uint8_t> a, llvm::ArrayRef<uint8_t> b,
                     DmlDataType type) {
  if (!getElement(a, type, 0))
    return a == b;
  auto [bytes, tolerance] = getTolerance(type);
  double largest = 0;
  for (size_t i = 0; i < a.size() / bytes; ++i)
    if (double value = std::abs(*getElement(a, type, i)); std::isfinite(value))
      largest = std::max(largest, value);
  double most = bytes == 1 ? 1 : tolerance * largest;
  for (size_t i = 0; i < a.size() / bytes; ++i) {
    double x = *getElement(a, type, i), y = *getElement(b, type, i);
    if (std::isnan(x) && std::isnan(y))
      continue;
    if (x != y && !(std::abs(x - y) <= most))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

static double getMedian(std::vector<double> values) {
  if (values.empty())
    return HUGE_VAL;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns how far the median of `values` may be from the one of infinitely
/// many: twice its standard error, with the deviation estimated by the median
/// one.
static double getErrorOfMedian(llvm::ArrayRef<double> values) {
  double median = getMedian(values);
  std::vector<double> deviations;
  for (double value : values)
    deviations.push_back(std::abs(value - median));
  return 2 * 1.25 * 1.4826 * getMedian(std::move(deviations)) /
         std::sqrt(static_cast<double>(values.size()));
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Measurement>>
Measurement::create(DmlDevice device, llvm::ArrayRef<uint8_t> bytes,
                    const RunPlan &plan) {
  auto result = std::make_unique<Measurement>();
  result->plan = plan;
  Expected<ExecutableHandle> executable = openExecutable(bytes);
  if (!executable)
    return executable.status();
  result->executable = std::move(*executable);
  DmlExecutable opened = result->executable.get();
  auto program =
      session::create<ProgramHandle>(dmlCreateProgram, device, opened);
  if (!program)
    return program.status();
  result->program = std::move(*program);
  DmlDeviceInfo properties{};
  dmlGetDeviceProperties(device, &properties);
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(opened, &info);
  for (uint32_t i = 0; i < info.functionCount; ++i) {
    Function function;
    DmlBindingTableCreateInfo tableInfo{};
    tableInfo.function = i;
    tableInfo.timestamps = true;
    auto table = session::create<TableHandle>(
        dmlCreateBindingTable, result->program.get(),
        static_cast<const DmlBindingTableCreateInfo *>(&tableInfo));
    if (!table)
      return table.status();
    function.table = std::move(*table);
    uint32_t variant = 0;
    DML_TRY(call(dmlChooseVariant, opened, i,
                 static_cast<const DmlDeviceInfo *>(&properties), &variant));
    DmlVariantInfo variantInfo{};
    DML_TRY(call(dmlGetVariantInfo, opened, i, variant, &variantInfo));
    function.stepCount = variantInfo.stepCount;
    if (function.stepCount == 0 || function.stepCount % plan.runs != 0)
      return makeError(DML_ERROR_UNSUPPORTED, "a function of ", plan.runs,
                       " runs has ", function.stepCount, " steps");
    result->functions.push_back(std::move(function));
  }
  DmlFunctionInfo functionInfo{};
  DML_TRY(call(dmlGetFunctionInfo, opened, 0u, &functionInfo));
  // The inputs of the first run, and the weights of the others.
  std::vector<unsigned> runs(plan.areWeights.size(), 0);
  for (unsigned run = 1; run < plan.runs; ++run)
    runs.insert(runs.end(), llvm::count(plan.areWeights, true), run);
  if (functionInfo.inputCount != runs.size() || functionInfo.outputCount != 1)
    return makeError(DML_ERROR_UNSUPPORTED, "a function to measure has ",
                     functionInfo.inputCount, " inputs, but wanted are ",
                     runs.size());
  for (uint32_t i = 0; i < functionInfo.inputCount; ++i) {
    DmlTensorInfo tensor{};
    DML_TRY(call(dmlGetInputInfo, opened, 0u, i, &tensor));
    Input input;
    input.type = tensor.dataType;
    input.size = tensor.bufferSize;
    input.set = runs[i];
    result->inputs.push_back(input);
  }
  DmlTensorInfo tensor{};
  DML_TRY(call(dmlGetOutputInfo, opened, 0u, 0u, &tensor));
  result->outputType = tensor.dataType;
  result->outputSize = tensor.byteSize;
  result->outputBufferSize = tensor.bufferSize;
  return result;
}

/// Gives each input a place in the buffer of its type, and makes the buffers.
Status Measurement::bind(DeviceData &data) {
  std::map<DmlDataType, uint64_t> sizes;
  std::vector<size_t> weights;
  for (size_t i = 0; i < plan.areWeights.size(); ++i) {
    Input &input = inputs[i];
    uint64_t &size = sizes[input.type];
    uint64_t bytes = llvm::alignTo(input.size, rangeAlignment);
    input.offset = size;
    size += bytes;
    if (!plan.areWeights[i])
      continue;
    weights.push_back(i);
    input.stride = bytes;
    size += bytes * (plan.sets - 1);
  }
  for (size_t i = plan.areWeights.size(); i < inputs.size(); ++i) {
    const Input &first =
        inputs[weights[(i - plan.areWeights.size()) % weights.size()]];
    inputs[i].offset = first.offset;
    inputs[i].stride = first.stride;
  }
  // A buffer that becomes larger moves, so that all sizes are known before.
  for (auto [type, size] : sizes) {
    Expected<DmlBuffer> buffer = data.get(type, size);
    if (!buffer)
      return buffer.status();
    buffers[type] = *buffer;
  }
  Expected<DmlBuffer> buffer = data.getOutput(outputBufferSize);
  if (!buffer)
    return buffer.status();
  output = *buffer;
  return Status();
}

/// Binds the inputs of a call whose first run has the weights `firstSet`.
Status Measurement::bindSet(Function &function, unsigned firstSet) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    DmlBufferInfo info{};
    dmlGetBufferInfo(buffers[input.type], &info);
    uint64_t set = (firstSet + input.set) % plan.sets;
    DmlBufferRange range{info.buffer, input.offset + set * input.stride,
                         input.size};
    DML_TRY(call(dmlBindInput, function.table.get(), uint32_t(i),
                 static_cast<const DmlBufferRange *>(&range)));
  }
  DmlBufferInfo info{};
  dmlGetBufferInfo(output, &info);
  DmlBufferRange range{info.buffer, 0, outputBufferSize};
  return call(dmlBindOutput, function.table.get(), 0u,
              static_cast<const DmlBufferRange *>(&range));
}

Status Measurement::runOnce(Function &function, unsigned firstSet) {
  DML_TRY(bindSet(function, firstSet));
  DML_TRY(call(dmlSubmit, function.table.get(),
               static_cast<const DmlSubmitInfo *>(nullptr)));
  DML_TRY(call(dmlWait, function.table.get(), UINT64_MAX));
  std::vector<DmlStepTime> times(function.stepCount);
  DML_TRY(call(dmlGetStepTimes, function.table.get(), 0u, function.stepCount,
               times.data()));
  // The first run waits for nothing.
  uint32_t steps = function.stepCount / plan.runs;
  for (unsigned run = 1; run < plan.runs; ++run)
    function.times.push_back(
        static_cast<double>(times[(run + 1) * steps - 1].end) -
        static_cast<double>(times[run * steps].begin));
  return Status();
}

/// Returns bytes of the output of a call: all, or the first and the last ones
/// of a large output.
Expected<std::vector<uint8_t>> Measurement::getResult(Function &function,
                                                      DeviceData &data) {
  constexpr uint64_t mostBytes = uint64_t(1) << 20;
  // A kernel that reads its output, or writes only a part of it, finds the same
  // elements each time.
  DML_TRY(data.fill(output, outputBufferSize, outputType));
  DML_TRY(runOnce(function, /*firstSet=*/0));
  function.times.clear();
  std::vector<uint8_t> result(std::min(outputSize, 2 * mostBytes));
  if (outputSize <= result.size()) {
    DML_TRY(call(dmlReadBuffer, output, uint64_t(0),
                 static_cast<void *>(result.data()), result.size()));
    return result;
  }
  uint64_t end = llvm::alignDown(outputSize - mostBytes, rangeAlignment);
  DML_TRY(call(dmlReadBuffer, output, uint64_t(0),
               static_cast<void *>(result.data()), size_t(mostBytes)));
  DML_TRY(call(dmlReadBuffer, output, end,
               static_cast<void *>(result.data() + mostBytes),
               size_t(mostBytes)));
  return result;
}

Status Measurement::findWrong(DeviceData &data) {
  std::vector<uint8_t> wanted;
  for (auto [i, function] : llvm::enumerate(functions)) {
    Expected<std::vector<uint8_t>> result = getResult(function, data);
    if (!result)
      return result.status();
    if (i == 0)
      wanted = std::move(*result);
    else
      function.isWrong = !areClose(wanted, *result, outputType);
  }
  return Status();
}

Expected<MeasuredTimes> Measurement::run(DeviceData &data, double seconds,
                                         bool isFirst) {
  /// The rounds in which each function is called once.
  constexpr unsigned leastRounds = 3, mostRounds = 40;
  /// A function that is this many times as slow as the fastest one after a few
  /// rounds is not measured further.
  constexpr double slowTimes = 1.3;
  /// The seconds after which an idle device has its full clock.
  constexpr double warmUpSeconds = 0.4;
  /// The least share of the time that another kernel than the first one saves.
  constexpr double leastShare = 0.03;
  auto start = std::chrono::steady_clock::now();
  auto getSeconds = [&] {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count();
  };
  DML_TRY(bind(data));
  DML_TRY(findWrong(data));
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(data.getDevice(), &info);
  start = std::chrono::steady_clock::now();
  if (isFirst && info.type != VK_PHYSICAL_DEVICE_TYPE_CPU)
    while (getSeconds() < warmUpSeconds)
      DML_TRY(runOnce(functions.front(), 0));
  DML_TRY(runOnce(functions.front(), 0));
  functions.front().times.clear();

  start = std::chrono::steady_clock::now();
  unsigned firstSet = 0;
  for (unsigned round = 0; round < mostRounds; ++round) {
    // Work that takes long is measured once.
    if (round > 0 &&
        getSeconds() > (round >= leastRounds ? seconds : 4 * seconds))
      break;
    double least = HUGE_VAL;
    for (Function &function : functions) {
      if (function.isWrong || function.isSlow)
        continue;
      DML_TRY(runOnce(function, firstSet));
      firstSet = (firstSet + plan.runs) % plan.sets;
      least = std::min(least, getMedian(function.times));
    }
    if (round + 1 < leastRounds)
      continue;
    // The first function is always measured, since its time is reported.
    for (Function &function : llvm::drop_begin(functions))
      function.isSlow |= getMedian(function.times) > slowTimes * least;
  }

  MeasuredTimes result;
  size_t fastest = 0;
  for (auto [i, function] : llvm::enumerate(functions)) {
    double median = getMedian(function.times);
    result.microseconds.push_back(median / 1000);
    if (function.isWrong)
      result.wrong.push_back(i);
    else if (median < getMedian(functions[fastest].times))
      fastest = i;
  }
  double first = getMedian(functions.front().times),
         other = getMedian(functions[fastest].times);
  double noise = std::max(leastShare * first,
                          getErrorOfMedian(functions.front().times) +
                              getErrorOfMedian(functions[fastest].times));
  if (fastest != 0 && first - other > noise)
    result.fastest = fastest;
  return result;
}
