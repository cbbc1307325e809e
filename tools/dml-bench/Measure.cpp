//===- Measure.cpp - Running a function again and again -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "Executables.h"

#include <algorithm>
#include <cstring>

using namespace dml::tools;

/// The largest number of sets of buffers. More sets would take time to create
/// without making measurements better.
static constexpr uint64_t kMostSets = 512;
/// A multiple of every offset alignment that Vulkan allows devices to want.
static constexpr uint64_t kAlignment = 256;
static constexpr uint64_t kSlabSize = uint64_t(64) << 20;

static uint64_t align(uint64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

uint64_t RunSignature::bytes() const {
  uint64_t bytes = 0;
  for (const DmlTensorInfo &input : inputs)
    bytes += input.byteSize;
  for (const DmlTensorInfo &output : outputs)
    bytes += output.byteSize;
  return bytes;
}

RunSignature dml::tools::readRunSignature(DmlExecutable executable,
                                          uint32_t index,
                                          const DmlDeviceInfo *device) {
  RunSignature signature{readSignature(executable, index), executable};
  uint32_t variant = signature.info.variantCount - 1;
  if (device)
    DML_CHECK(dmlChooseVariant, executable, index, device, &variant);
  DML_CHECK(dmlGetVariantInfo, executable, index, variant, &signature.variant);
  for (uint32_t i = 0; i < signature.variant.stepCount; ++i) {
    DmlStepInfo step{};
    DML_CHECK(dmlGetStepInfo, executable, index, variant, i, &step);
    ++(step.kind == DML_STEP_KIND_COPY ? signature.copies
                                       : signature.dispatches);
    signature.boundBytes += step.boundSize;
  }
  return signature;
}

//===----------------------------------------------------------------------===//
// Random data
//===----------------------------------------------------------------------===//

/// The size of a block of random data, a multiple of the size of every element.
static constexpr uint64_t kBlockSize = uint64_t(16) << 20;

static std::vector<uint8_t> drawBlock(DmlDataType type) {
  std::vector<uint8_t> block(kBlockSize);
  uint64_t state = 0x9e3779b97f4a7c15;
  for (size_t at = 0; at < block.size(); at += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint64_t bits = state;
    // The bits are changed to floats of either sign in [0.5, 2): the upper bits
    // of the exponent become 01...1, and its lowest bit stays random.
    if (type == DML_DATA_TYPE_FLOAT16)
      bits = (bits & 0x87ff87ff87ff87ff) | 0x3800380038003800;
    else if (type == DML_DATA_TYPE_FLOAT32)
      bits = (bits & 0x80ffffff80ffffff) | 0x3f0000003f000000;
    else if (type == DML_DATA_TYPE_FLOAT64)
      bits = (bits & 0x801fffffffffffff) | 0x3fe0000000000000;
    else if (type == DML_DATA_TYPE_UINT4 || type == DML_DATA_TYPE_INT4)
      bits |= 0x1111111111111111;
    else
      bits |= 0x0101010101010101;
    std::memcpy(&block[at], &bits, 8);
  }
  return block;
}

RandomData::RandomData(DmlDevice device) : device(device) {
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device, &info);
  executable = makeCopyExecutable(kBlockSize, info);
  DML_CHECK(dmlCreateProgram, device, executable, copy.out());
}

const std::vector<uint8_t> &RandomData::getBytes(DmlDataType type) {
  Block &block = blocks[type];
  if (block.bytes.empty())
    block.bytes = drawBlock(type);
  return block.bytes;
}

RandomData::Block &RandomData::getBlock(DmlDataType type) {
  getBytes(type);
  Block &block = blocks[type];
  if (!block.buffer) {
    DML_CHECK(dmlCreateBuffer, device, kBlockSize, DML_MEMORY_DEVICE,
              block.buffer.out());
    DML_CHECK(dmlWriteBuffer, block.buffer, 0, block.bytes.data(), kBlockSize);
  }
  return block;
}

void RandomData::fill(DmlBuffer buffer, const DmlBufferRange &range,
                      DmlDataType type) {
  Block &block = getBlock(type);
  DmlBufferInfo from{};
  dmlGetBufferInfo(block.buffer, &from);
  DmlBufferRange input{from.buffer, 0, kBlockSize};
  BindingTable table;
  DmlBindingTableCreateInfo info{};
  DML_CHECK(dmlCreateBindingTable, copy, &info, table.out());
  DML_CHECK(dmlBindInput, table, 0, &input);
  uint64_t done = 0;
  for (; range.size - done >= kBlockSize; done += kBlockSize) {
    DmlBufferRange output{range.buffer, range.offset + done, kBlockSize};
    DML_CHECK(dmlBindOutput, table, 0, &output);
    DML_CHECK(dmlSubmit, table, nullptr);
    DML_CHECK(dmlWait, table, UINT64_MAX);
  }
  DML_CHECK(dmlWriteBuffer, buffer, range.offset + done, block.bytes.data(),
            range.size - done);
}

void RandomData::bindWeights(DmlProgram program, DmlExecutable executable) {
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  for (uint32_t i = 0; i < info.weightCount; ++i) {
    DmlWeightInfo weight{};
    DML_CHECK(dmlGetWeightInfo, executable, i, &weight);
    const std::vector<uint8_t> &block = getBytes(weight.tensor.dataType);
    std::vector<uint8_t> bytes;
    bytes.reserve(weight.tensor.byteSize);
    while (bytes.size() < weight.tensor.byteSize)
      bytes.insert(
          bytes.end(), block.begin(),
          block.begin() +
              static_cast<std::ptrdiff_t>(std::min<uint64_t>(
                  block.size(), weight.tensor.byteSize - bytes.size())));
    DML_CHECK(dmlBindWeight, program, i, bytes.data(), bytes.size());
  }
  if (info.weightCount > 0)
    DML_CHECK(dmlInitializeProgram, program);
}

//===----------------------------------------------------------------------===//
// Workloads
//===----------------------------------------------------------------------===//

Workload::Workload(DmlDevice device, const RunSignature &signature,
                   RandomData &random, uint64_t target, uint64_t limit,
                   bool timesSteps)
    : device(device), signature(signature), timesSteps(timesSteps) {
  DML_CHECK(dmlCreateProgram, device, signature.executable, program.out());
  random.bindWeights(program, signature.executable);
  uint64_t size = align(signature.variant.temporarySize);
  for (const DmlTensorInfo &input : signature.inputs)
    size += align(input.bufferSize);
  for (const DmlTensorInfo &output : signature.outputs)
    size += align(output.bufferSize);
  uint64_t count = 1;
  if (size != 0)
    count = std::clamp<uint64_t>((target + size - 1) / size, 2, kMostSets);
  while (count > 1 && count * size > limit)
    --count;
  for (;; count /= 2) {
    try {
      unallocated = count * size;
      makeSets(count, random);
      break;
    } catch (const Failure &failure) {
      // The free memory may be less than the device reports, since other
      // programs use it too.
      if (failure.result != DML_ERROR_OUT_OF_MEMORY || count == 1)
        throw;
      sets.clear();
      slabs.clear();
    }
  }

  DmlBindingTableCreateInfo info{};
  info.function = signature.index;
  DML_CHECK(dmlCreateBindingTable, program, &info, untimed.out());
  bind(untimed, sets[0]);
  // Buffers are touched, commands recorded, shaders compiled.
  for (size_t i = 0; i < sets.size(); ++i)
    runOnDevice();
}

uint32_t Workload::getInPlaceInput(uint32_t output) const {
  uint32_t input = UINT32_MAX;
  DML_CHECK(dmlGetInPlaceInput, signature.executable, signature.index, output,
            &input);
  return input;
}

Workload::Range Workload::allocate(uint64_t size) {
  size = std::max<uint64_t>(size, 16);
  uint64_t have = 0;
  DmlBufferInfo info{};
  if (!slabs.empty()) {
    dmlGetBufferInfo(slabs.back(), &info);
    have = info.size - slabUsed;
  }
  if (have < size) {
    uint64_t slab = std::max(align(size), std::min(kSlabSize, unallocated));
    Buffer buffer;
    DML_CHECK(dmlCreateBuffer, device, slab, DML_MEMORY_DEVICE, buffer.out());
    dmlGetBufferInfo(buffer, &info);
    slabs.push_back(std::move(buffer));
    slabUsed = 0;
  }
  Range range{slabs.size() - 1, {info.buffer, slabUsed, size}};
  slabUsed = std::min(slabUsed + align(size), info.size);
  unallocated -= std::min(unallocated, align(size));
  return range;
}

void Workload::makeSets(size_t count, RandomData &random) {
  for (size_t i = 0; i < count; ++i) {
    Set set;
    for (const DmlTensorInfo &input : signature.inputs) {
      set.inputs.push_back(allocate(input.bufferSize));
      const Range &range = set.inputs.back();
      random.fill(slabs[range.slab], range.range, input.dataType);
    }
    for (uint32_t k = 0; k < signature.outputs.size(); ++k) {
      uint32_t input = getInPlaceInput(k);
      set.outputs.push_back(input == UINT32_MAX
                                ? allocate(signature.outputs[k].bufferSize)
                                : set.inputs[input]);
    }
    if (signature.variant.temporarySize != 0)
      set.temporary.push_back(allocate(signature.variant.temporarySize));
    DmlBindingTableCreateInfo info{};
    info.function = signature.index;
    (timesSteps ? info.timestamps : info.runTimestamps) = true;
    DML_CHECK(dmlCreateBindingTable, program, &info, set.table.out());
    bind(set.table, set);
    sets.push_back(std::move(set));
  }
}

void Workload::bind(DmlBindingTable table, const Set &set) {
  for (uint32_t i = 0; i < set.inputs.size(); ++i)
    DML_CHECK(dmlBindInput, table, i, &set.inputs[i].range);
  for (uint32_t i = 0; i < set.outputs.size(); ++i)
    DML_CHECK(dmlBindOutput, table, i, &set.outputs[i].range);
  for (const Range &temporary : set.temporary)
    DML_CHECK(dmlBindTemporary, table, &temporary.range);
}

double Workload::runOnDevice() {
  DmlBindingTable table = sets[next].table;
  next = (next + 1) % sets.size();
  DML_CHECK(dmlSubmit, table, nullptr);
  DML_CHECK(dmlWait, table, UINT64_MAX);
  uint64_t time = 0;
  DML_CHECK(dmlGetRunTime, table, &time);
  return static_cast<double>(time);
}

double Workload::runFromHost() {
  auto begin = std::chrono::steady_clock::now();
  DML_CHECK(dmlSubmit, untimed, nullptr);
  DML_CHECK(dmlWait, untimed, UINT64_MAX);
  std::chrono::duration<double, std::nano> passed =
      std::chrono::steady_clock::now() - begin;
  return passed.count();
}

std::string Workload::findUnwritten() {
  const Set &set = sets[0];
  std::vector<std::vector<uint8_t>> results[2];
  for (int run : {0, 1}) {
    for (uint32_t i = 0; i < set.outputs.size(); ++i) {
      // An output in the place of an input keeps elements of the input.
      if (getInPlaceInput(i) != UINT32_MAX)
        continue;
      const Range &output = set.outputs[i];
      std::vector<uint8_t> pattern(output.range.size, run ? 0x5a : 0xa5);
      DML_CHECK(dmlWriteBuffer, slabs[output.slab], output.range.offset,
                pattern.data(), pattern.size());
    }
    runFromHost();
    for (size_t i = 0; i < set.outputs.size(); ++i) {
      const Range &output = set.outputs[i];
      std::vector<uint8_t> data(signature.outputs[i].byteSize);
      DML_CHECK(dmlReadBuffer, slabs[output.slab], output.range.offset,
                data.data(), data.size());
      results[run].push_back(std::move(data));
    }
  }
  for (size_t i = 0; i < set.outputs.size(); ++i) {
    if (getInPlaceInput(i) != UINT32_MAX)
      continue;
    const std::vector<uint8_t> &a = results[0][i], &b = results[1][i];
    auto at = std::mismatch(a.begin(), a.end(), b.begin()).first;
    if (at != a.end())
      return std::string("result '") + signature.outputs[i].name +
             "' is not written at byte " + std::to_string(at - a.begin());
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Load
//===----------------------------------------------------------------------===//

Load::Load(Workload work) : work(std::move(work)), thread([this] { run(); }) {}

Load::~Load() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ended = true;
  }
  changed.notify_all();
  thread.join();
}

void Load::pause() {
  std::unique_lock<std::mutex> lock(mutex);
  wanted = false;
  changed.wait(lock, [&] { return !busy; });
}

void Load::resume() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    wanted = true;
  }
  changed.notify_all();
}

void Load::run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return wanted || ended; });
    if (ended)
      return;
    busy = true;
    lock.unlock();
    bool failed = false;
    try {
      work.runOnDevice();
    } catch (const Failure &) {
      // The thread that measures meets the same failure, and reports it.
      failed = true;
    }
    lock.lock();
    busy = false;
    ended |= failed;
    changed.notify_all();
  }
}

Statistics dml::tools::summarize(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t count = values.size();
  double median = count % 2 ? values[count / 2]
                            : (values[count / 2 - 1] + values[count / 2]) / 2;
  return {median, values.front(), values.back(), count};
}

double dml::tools::measureTime(DmlDevice device, const Work &work,
                               RandomData &random, const Effort &effort) {
  Workload workload(device, readRunSignature(work.executable, 0), random,
                    /*target=*/0, /*limit=*/0, /*timesSteps=*/true);
  return measure(effort, [&] { return workload.runOnDevice(); })[0].median;
}

double dml::tools::measureRate(DmlDevice device, const Work &work,
                               RandomData &random, const Effort &effort) {
  double time = measureTime(device, work, random, effort);
  return time > 0 ? work.amount / time * 1e9 : 0;
}
