//===- Executables.cpp - The bench's own executables ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Executables.h"

#include "executable_generated.h"

#include <algorithm>
#include <vector>

using namespace dml::tools;
namespace format = dml::executable;

namespace {

const std::vector<uint32_t> kCopy =
#include "copy.inc"
    ;
const std::vector<uint32_t> kEmpty =
#include "empty.inc"
    ;
constexpr uint32_t kCopyWorkgroup = 256;

struct Kernel {
  const std::vector<uint32_t> &code;
  format::Extent3D workgroupSize;
  format::Extent3D workgroupCount;
};

/// One function of one dispatch, which takes an input and an output of `bytes`.
Executable makeExecutable(const Kernel &kernel, uint64_t bytes) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<format::Tensor>> inputs, outputs;
  std::vector<format::BufferRange> bindings;
  std::vector<uint32_t> sizes = {static_cast<uint32_t>(bytes / 4)};
  auto tensor = [&](const char *name) {
    return format::CreateTensorDirect(builder, name, format::DataType::UINT32,
                                      &sizes, bytes);
  };
  inputs.push_back(tensor("from"));
  outputs.push_back(tensor("to"));
  bindings.emplace_back(format::BufferKind::Input, 0, 0, bytes);
  bindings.emplace_back(format::BufferKind::Output, 0, 0, bytes);
  auto dispatch = format::CreateDispatchDirect(
      builder, 0, &kernel.workgroupCount, &bindings);
  std::vector<flatbuffers::Offset<format::Step>> steps = {
      format::CreateStepDirect(builder, format::Operation::Dispatch,
                               dispatch.Union(), false, "dml-bench")};
  std::vector<flatbuffers::Offset<format::Function>> functions = {
      format::CreateFunctionDirect(builder, "main", &inputs, &outputs, 0,
                                   &steps, 0x1000)};
  std::vector<flatbuffers::Offset<format::ShaderModule>> modules = {
      format::CreateShaderModuleDirect(builder, "dml-bench", &kernel.code)};
  auto bindingCount = static_cast<uint32_t>(bindings.size());
  std::vector<flatbuffers::Offset<format::Kernel>> kernels = {
      format::CreateKernelDirect(builder, 0, "main", &kernel.workgroupSize, 0,
                                 bindingCount)};
  auto requirements = format::CreateRequirementsDirect(
      builder, VK_API_VERSION_1_2, nullptr, bytes, bindingCount,
      kernel.workgroupSize.x(), &kernel.workgroupSize, &kernel.workgroupCount,
      0);
  format::FinishExecutableBuffer(
      builder,
      format::CreateExecutableDirect(builder, 1, 0, "dml-bench", requirements,
                                     &modules, &kernels, nullptr, &functions));
  Executable executable;
  DML_CHECK(dmlCreateExecutable, builder.GetBufferPointer(), builder.GetSize(),
            executable.out());
  return executable;
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
  uint64_t x =
      std::min<uint64_t>(groups, device.limits.maxComputeWorkGroupCount[0]);
  uint64_t y = (groups + x - 1) / x;
  return makeExecutable(
      {kCopy,
       {kCopyWorkgroup, 1, 1},
       {static_cast<uint32_t>(x), static_cast<uint32_t>(y), 1}},
      bytes);
}

Executable dml::tools::makeEmptyExecutable() {
  // A kernel has bindings, in the format; this one ignores them.
  return makeExecutable({kEmpty, {1, 1, 1}, {1, 1, 1}}, 16);
}
