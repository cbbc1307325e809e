//===- Executables.cpp - The bench's own executables ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Executables.h"
#include "MatrixProducts.h"

#include "executable_generated.h"

#include <algorithm>
#include <vector>

using namespace dml::tools;
namespace format = dml::executable;

namespace {

const std::vector<uint32_t> kChase =
#include "chase.inc"
    ;
const std::vector<uint32_t> kCopy =
#include "copy.inc"
    ;
const std::vector<uint32_t> kEmpty =
#include "empty.inc"
    ;
const std::vector<uint32_t> kExchanges =
#include "exchanges.inc"
    ;
const std::vector<uint32_t> kGroups =
#include "groups.inc"
    ;
const std::vector<uint32_t> kLoads =
#include "loads.inc"
    ;
const std::vector<uint32_t> kOperations =
#include "operations.inc"
    ;
const std::vector<uint32_t> kProducts =
#include "products.inc"
    ;
const std::vector<uint32_t> kReads =
#include "reads.inc"
    ;
const std::vector<uint32_t> kShared =
#include "shared.inc"
    ;
const std::vector<uint32_t> kThreads =
#include "threads.inc"
    ;
constexpr uint32_t kCopyWorkgroup = 256;
/// The number of threads in a workgroup of the calibration's kernels. Every
/// Vulkan device supports so many.
constexpr uint32_t kWorkgroup = 128;
/// Iterations of the loops of any kernel, of which chase.comp has the most.
constexpr uint64_t kMaxLoopIterations = 4096;
/// The threads of a workgroup of groups.comp.
constexpr uint32_t kLargeWorkgroup = 1024;

struct Kernel {
  const std::vector<uint32_t> &code;
  format::Extent3D workgroupSize;
  format::Extent3D workgroupCount;
  /// Bytes of workgroup memory.
  uint32_t sharedMemorySize = 0;
  /// The cooperative matrices that it multiplies, or null.
  const DmlMatrixShape *shape = nullptr;
};

/// Creates an executable with one function, whose input and output have
/// `inputBytes` and `outputBytes` bytes. The function dispatches the kernel
/// `dispatches` times, and each dispatch waits for the dispatch before.
Executable makeExecutable(const Kernel &kernel, uint64_t inputBytes,
                          uint64_t outputBytes, uint64_t dispatches = 1) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<format::Tensor>> inputs, outputs;
  std::vector<format::BufferRange> bindings;
  auto tensor = [&](const char *name, uint64_t bytes) {
    std::vector<uint32_t> sizes = {static_cast<uint32_t>(bytes / 4)};
    return format::CreateTensorDirect(builder, name, format::DataType::UINT32,
                                      &sizes, bytes);
  };
  inputs.push_back(tensor("from", inputBytes));
  outputs.push_back(tensor("to", outputBytes));
  bindings.emplace_back(format::BufferKind::Input, 0, 0, inputBytes);
  bindings.emplace_back(format::BufferKind::Output, 0, 0, outputBytes);
  std::vector<flatbuffers::Offset<format::Step>> steps;
  for (uint64_t i = 0; i < dispatches; ++i) {
    auto dispatch = format::CreateDispatchDirect(
        builder, 0, &kernel.workgroupCount, &bindings);
    steps.push_back(format::CreateStepDirect(
        builder, format::Operation::Dispatch, dispatch.Union(),
        /*barrier=*/i > 0, "dml-bench"));
  }
  std::vector<flatbuffers::Offset<format::Function>> functions = {
      format::CreateFunctionDirect(builder, "main", &inputs, &outputs, 0,
                                   &steps, 0x1000)};
  std::vector<flatbuffers::Offset<format::ShaderModule>> modules = {
      format::CreateShaderModuleDirect(builder, "dml-bench", &kernel.code)};
  auto bindingCount = static_cast<uint32_t>(bindings.size());
  uint32_t subgroupSize = 0;
  std::vector<format::Feature> features;
  std::vector<format::MatrixShape> shapes;
  if (const DmlMatrixShape *shape = kernel.shape) {
    subgroupSize = kernel.workgroupSize.x();
    features = {
        shape->factors == DML_DATA_TYPE_FLOAT16 ? format::Feature::shaderFloat16
                                                : format::Feature::shaderInt8,
        format::Feature::vulkanMemoryModel, format::Feature::cooperativeMatrix};
    shapes.emplace_back(shape->rows, shape->columns, shape->terms,
                        static_cast<format::DataType>(shape->factors),
                        static_cast<format::DataType>(shape->sums));
  }
  std::vector<flatbuffers::Offset<format::Kernel>> kernels = {
      format::CreateKernelDirect(builder, 0, "main", &kernel.workgroupSize,
                                 kernel.sharedMemorySize, bindingCount,
                                 subgroupSize)};
  auto requirements = format::CreateRequirementsDirect(
      builder, VK_API_VERSION_1_2, &features, std::max(inputBytes, outputBytes),
      bindingCount, kernel.workgroupSize.x(), &kernel.workgroupSize,
      &kernel.workgroupCount, kernel.sharedMemorySize, kMaxLoopIterations,
      subgroupSize, kernel.shape ? &shapes : nullptr);
  format::FinishExecutableBuffer(
      builder, format::CreateExecutableDirect(
                   builder, 1, kernel.shape ? 4 : 0, "dml-bench", requirements,
                   &modules, &kernels, nullptr, &functions));
  Executable executable;
  DML_CHECK(dmlCreateExecutable, builder.GetBufferPointer(), builder.GetSize(),
            nullptr, executable.out());
  return executable;
}

/// A grid of `groups` workgroups or a few more.
format::Extent3D makeGrid(uint64_t groups, const DmlDeviceInfo &device) {
  uint64_t x =
      std::min<uint64_t>(groups, device.limits.maxComputeWorkGroupCount[0]);
  return {static_cast<uint32_t>(x), static_cast<uint32_t>((groups + x - 1) / x),
          1};
}

} // namespace

uint64_t dml::tools::getLargestCopy(const DmlDeviceInfo &device) {
  uint64_t bytes = std::min(device.limits.maxStorageBufferRange,
                            device.limits.maxMemoryAllocationSize);
  // The kernel counts 16-byte vectors in 32 bits.
  return std::min<uint64_t>(bytes, uint64_t(8) << 30) / 16 * 16;
}

Executable dml::tools::makeCopyExecutable(uint64_t bytes,
                                          const DmlDeviceInfo &device) {
  uint64_t groups = (bytes / 16 + kCopyWorkgroup - 1) / kCopyWorkgroup;
  return makeExecutable(
      {kCopy, {kCopyWorkgroup, 1, 1}, makeGrid(groups, device)}, bytes, bytes);
}

Executable dml::tools::makeEmptyExecutable() {
  // A kernel has bindings, in the format; this one ignores them.
  return makeExecutable({kEmpty, {1, 1, 1}, {1, 1, 1}}, 16, 16);
}

/// 2^20 threads, each of which computes so many operations.
static Work makeArithmetic(const std::vector<uint32_t> &code,
                           uint64_t threadOperations,
                           const DmlDeviceInfo &device) {
  constexpr uint64_t kThreadCount = uint64_t(1) << 20;
  constexpr uint64_t kBytes = 16 * kThreadCount;
  return {makeExecutable({code,
                          {kWorkgroup, 1, 1},
                          makeGrid(kThreadCount / kWorkgroup, device)},
                         kBytes, kBytes),
          double(threadOperations * kThreadCount)};
}

Work dml::tools::makeOperations(const DmlDeviceInfo &device) {
  // operations.comp has 256 rounds of 16 operations.
  return makeArithmetic(kOperations, 256 * 16, device);
}

Work dml::tools::makeProducts(const DmlDeviceInfo &device) {
  // products.comp has 256 rounds of 16 products and as many sums.
  return makeArithmetic(kProducts, 256 * 32, device);
}

bool dml::tools::hasProducts(const DmlMatrixShape &shape) {
  return shape.columns % 4 == 0 && dmlGetDataTypeBits(shape.sums) == 32;
}

/// Products of matrices in so many workgroups of one subgroup each.
static Work makeProducts(const DmlMatrixShape &shape, uint64_t groups,
                         const DmlDeviceInfo &device) {
  uint32_t threads = device.limits.subgroupSize;
  MatrixProducts products = makeMatrixProducts(shape, threads);
  uint64_t bytes = 16 * groups * threads;
  return {makeExecutable({products.code,
                          {threads, 1, 1},
                          {uint32_t(groups), 1, 1},
                          products.sharedMemorySize,
                          &shape},
                         bytes, bytes),
          double(groups) * products.operations};
}

Work dml::tools::makeProducts(const DmlMatrixShape &shape,
                              const DmlDeviceInfo &device) {
  // As many subgroups as a large device has at a time, several times.
  return ::makeProducts(shape, 16384, device);
}

Work dml::tools::makeProductsOfSubgroup(const DmlMatrixShape &shape,
                                        const DmlDeviceInfo &device) {
  return ::makeProducts(shape, 1, device);
}

uint64_t dml::tools::getMostGroups(const DmlDeviceInfo &device) {
  const DmlDeviceLimits &limits = device.limits;
  if (limits.maxComputeWorkGroupInvocations < kLargeWorkgroup ||
      limits.maxComputeWorkGroupSize[0] < kLargeWorkgroup)
    return 0;
  // More than devices have multiprocessors.
  constexpr uint64_t kMost = 4096;
  return std::min<uint64_t>(kMost, limits.maxComputeWorkGroupCount[0]);
}

Work dml::tools::makeGroups(uint64_t groups) {
  uint64_t bytes = groups * kLargeWorkgroup * 16;
  return {makeExecutable({kGroups,
                          {kLargeWorkgroup, 1, 1},
                          {static_cast<uint32_t>(groups), 1, 1}},
                         bytes, bytes),
          double(groups)};
}

Work dml::tools::makeThreads(const DmlDeviceInfo &device) {
  constexpr uint64_t kBytes = uint64_t(1) << 20;
  format::Extent3D grid = makeGrid((uint64_t(1) << 24) / kWorkgroup, device);
  return {makeExecutable({kThreads, {kWorkgroup, 1, 1}, grid}, kBytes, kBytes),
          double(grid.x()) * grid.y() * kWorkgroup};
}

Work dml::tools::makeReads(uint64_t bytes, const DmlDeviceInfo &device) {
  // reads.comp has 16 vectors a thread.
  constexpr uint64_t kGroupBytes = uint64_t(16) * 16 * kWorkgroup;
  format::Extent3D grid = makeGrid((uint64_t(256) << 20) / kGroupBytes, device);
  return {makeExecutable({kReads, {kWorkgroup, 1, 1}, grid}, bytes, 16),
          double(grid.x()) * grid.y() * kGroupBytes};
}

/// A kernel whose threads load 512 vectors each.
static Work makeVectorLoads(const Kernel &kernel, uint64_t bytes) {
  const format::Extent3D &grid = kernel.workgroupCount;
  return {makeExecutable(kernel, bytes, 16),
          double(grid.x()) * grid.y() * kWorkgroup * 512 * 16};
}

Work dml::tools::makeLoads(uint64_t bytes, uint64_t groups,
                           const DmlDeviceInfo &device) {
  return makeVectorLoads({kLoads, {kWorkgroup, 1, 1}, makeGrid(groups, device)},
                         bytes);
}

Work dml::tools::makeSharedLoads(uint64_t groups, const DmlDeviceInfo &device) {
  constexpr uint32_t kBytes = 1024 * 16;
  return makeVectorLoads(
      {kShared, {kWorkgroup, 1, 1}, makeGrid(groups, device), kBytes}, kBytes);
}

Work dml::tools::makeExchanges() {
  // exchanges.comp has 4096 rounds, and two words of workgroup memory a thread.
  return {makeExecutable(
              {kExchanges, {kWorkgroup, 1, 1}, {1, 1, 1}, 8 * kWorkgroup},
              4 * kWorkgroup, 4 * kWorkgroup),
          4096};
}

Work dml::tools::makeChase(uint64_t bytes) {
  return {makeExecutable({kChase, {1, 1, 1}, {1, 1, 1}}, bytes, 16), 4096};
}

Work dml::tools::makeSmallKernels(uint64_t count, const DmlDeviceInfo &device) {
  constexpr uint64_t kBytes = 4096;
  return {makeExecutable({kCopy,
                          {kCopyWorkgroup, 1, 1},
                          makeGrid(kBytes / 16 / kCopyWorkgroup, device)},
                         kBytes, kBytes, count),
          double(count)};
}
