//===- TestExecutables.cpp - Executables for tests ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TestExecutables.h"

#include "dml/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace dml::test;
using namespace dml::executable;

static std::unique_ptr<Extent3D> extent(uint32_t x, uint32_t y = 1,
                                        uint32_t z = 1) {
  return std::make_unique<Extent3D>(x, y, z);
}

static std::unique_ptr<TensorT> tensor(const std::string &name, DataType type,
                                       std::vector<uint32_t> sizes) {
  auto result = std::make_unique<TensorT>();
  result->name = name;
  result->data_type = type;
  uint64_t bits = dmlGetDataTypeBits(static_cast<DmlDataType>(type));
  for (uint32_t size : sizes)
    bits *= size;
  uint64_t bytes = (bits + 7) / 8;
  result->sizes = std::move(sizes);
  result->buffer_size = (bytes + 15) / 16 * 16;
  return result;
}

static std::unique_ptr<KernelT> kernel(uint32_t module, uint32_t workgroupSize,
                                       uint32_t bindingCount,
                                       uint32_t sharedMemory = 0) {
  auto result = std::make_unique<KernelT>();
  result->shader_module = module;
  result->entry_point = "main";
  result->workgroup_size = extent(workgroupSize);
  result->shared_memory_size = sharedMemory;
  result->binding_count = bindingCount;
  return result;
}

static std::unique_ptr<ShaderModuleT> shaderModule(const std::string &name) {
  auto result = std::make_unique<ShaderModuleT>();
  result->name = name;
  result->code = loadKernel(name);
  return result;
}

static std::unique_ptr<StepT> dispatch(const std::string &label, bool barrier,
                                       uint32_t kernel, uint32_t workgroups,
                                       std::vector<BufferRange> bindings) {
  DispatchT operation;
  operation.kernel = kernel;
  operation.workgroup_count = extent(workgroups);
  operation.bindings = std::move(bindings);
  auto result = std::make_unique<StepT>();
  result->operation.Set(std::move(operation));
  result->barrier = barrier;
  result->label = label;
  return result;
}

static std::unique_ptr<StepT> copy(const std::string &label, bool barrier,
                                   BufferRange from, BufferRange to) {
  CopyT operation;
  operation.source = std::make_unique<BufferRange>(from);
  operation.destination = std::make_unique<BufferRange>(to);
  auto result = std::make_unique<StepT>();
  result->operation.Set(std::move(operation));
  result->barrier = barrier;
  result->label = label;
  return result;
}

static std::unique_ptr<ExecutableObject> makeEmpty() {
  auto object = std::make_unique<ExecutableObject>();
  object->producer = "dml's unit tests";
  object->requirements = std::make_unique<RequirementsT>();
  object->requirements->vulkan_api_version = VK_API_VERSION_1_2;
  object->requirements->max_compute_workgroup_size = extent(0, 0, 0);
  object->requirements->max_compute_workgroup_count = extent(0, 0, 0);
  return object;
}

std::vector<uint32_t> dml::test::loadKernel(const std::string &name) {
  std::string path = std::string(DML_TEST_KERNEL_DIR "/") + name + ".spv";
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty()) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::abort();
  }
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return words;
}

std::unique_ptr<ExecutableObject> dml::test::makeArithmetic() {
  constexpr uint64_t kBytes = 4 * 32 * 4;
  auto range = [](BufferKind kind, uint32_t index, uint64_t offset = 0) {
    return BufferRange(kind, index, offset, kBytes);
  };
  auto object = makeEmpty();
  RequirementsT &requirements = *object->requirements;
  requirements.max_storage_buffer_range = kBytes;
  requirements.max_per_stage_descriptor_storage_buffers = 3;
  requirements.max_compute_workgroup_invocations = 64;
  requirements.max_compute_workgroup_size = extent(64);
  requirements.max_compute_workgroup_count = extent(2);
  requirements.max_compute_shared_memory_size = 256;

  object->shader_modules.push_back(shaderModule("add"));
  object->shader_modules.push_back(shaderModule("reverse"));
  object->kernels.push_back(kernel(0, 32, 3));
  object->kernels.push_back(kernel(1, 64, 2, 256));

  auto main = std::make_unique<FunctionT>();
  main->name = "main";
  main->feature_level = 0x5000;
  main->inputs.push_back(tensor("a", DataType::FLOAT32, {4, 32}));
  main->inputs.push_back(tensor("b", DataType::FLOAT32, {4, 32}));
  main->outputs.push_back(tensor("sum", DataType::FLOAT32, {4, 32}));
  main->outputs.push_back(tensor("reversed", DataType::FLOAT32, {2, 64}));
  main->temporary_size = 1024;
  BufferRange temporary = range(BufferKind::Temporary, 0, 256);
  main->steps.push_back(dispatch(
      "test.add", false, 0, 1,
      {range(BufferKind::Input, 0), range(BufferKind::Input, 1), temporary}));
  main->steps.push_back(
      copy("test.copy", true, temporary, range(BufferKind::Output, 0)));
  main->steps.push_back(dispatch("test.reverse", false, 1, 2,
                                 {temporary, range(BufferKind::Output, 1)}));
  object->functions.push_back(std::move(main));

  auto addConstant = std::make_unique<FunctionT>();
  addConstant->name = "add_constant";
  addConstant->feature_level = 0x1000;
  addConstant->inputs.push_back(tensor("a", DataType::FLOAT32, {4, 32}));
  addConstant->outputs.push_back(tensor("sum", DataType::FLOAT32, {4, 32}));
  addConstant->steps.push_back(dispatch("test.add", false, 0, 1,
                                        {range(BufferKind::Input, 0),
                                         range(BufferKind::Constant, 0, 256),
                                         range(BufferKind::Output, 0)}));
  object->functions.push_back(std::move(addConstant));
  object->constants.resize(256 + kBytes);
  for (int i = 0; i < 128; ++i) {
    auto value = static_cast<float>(i);
    std::memcpy(&object->constants[256 + 4 * i], &value, sizeof(value));
  }
  return object;
}

std::unique_ptr<ExecutableObject> dml::test::makeInPlace() {
  constexpr uint64_t kBytes = 4 * 32 * 4;
  auto object = makeArithmetic();
  object->version_minor = 6;
  FunctionT &function = *object->functions[1];
  function.temporary_size = 512;
  function.in_place.emplace_back(0, 0);
  BufferRange state(BufferKind::Output, 0, 0, kBytes),
      temporary(BufferKind::Temporary, 0, 0, kBytes);
  function.steps.clear();
  function.steps.push_back(dispatch(
      "test.add", false, 0, 1,
      {state, BufferRange(BufferKind::Constant, 0, 256, kBytes), temporary}));
  function.steps.push_back(copy("test.copy", true, temporary, state));
  return object;
}

std::unique_ptr<ExecutableObject> dml::test::makeWeights() {
  auto object = makeArithmetic();
  object->version_minor = 3;
  constexpr uint64_t kBytes = 4 * 32 * 4;
  BufferRange input(BufferKind::Input, 0, 0, kBytes),
      output(BufferKind::Output, 0, 0, kBytes),
      offset(BufferKind::Constant, 0, 256, kBytes),
      weight(BufferKind::Constant, 0, 768, kBytes),
      both(BufferKind::Constant, 0, 1280, kBytes);
  object->constant_size = 1280 + kBytes;
  auto bound = std::make_unique<WeightT>();
  bound->tensor = tensor("weight", DataType::FLOAT32, {4, 32});
  bound->offset = 768;
  object->weights.push_back(std::move(bound));

  object->functions.erase(object->functions.begin());
  FunctionT &function = *object->functions[0];
  function.name = "scaled";
  function.steps[0] = dispatch("test.add", false, 0, 1, {input, both, output});
  object->initialization = std::make_unique<FunctionT>();
  object->initialization->name = "initialize";
  object->initialization->feature_level = 0x1000;
  object->initialization->steps.push_back(
      dispatch("test.add", false, 0, 1, {offset, weight, both}));
  return object;
}

std::unique_ptr<ExecutableObject> dml::test::makeTwice() {
  auto object = makeEmpty();
  RequirementsT &requirements = *object->requirements;
  requirements.features = {Feature::shaderInt64};
  requirements.max_storage_buffer_range = 32;
  requirements.max_per_stage_descriptor_storage_buffers = 2;
  requirements.max_compute_workgroup_invocations = 1;
  requirements.max_compute_workgroup_size = extent(1);
  requirements.max_compute_workgroup_count = extent(3);
  object->shader_modules.push_back(shaderModule("twice_i64"));
  object->kernels.push_back(kernel(0, 1, 2));
  auto function = std::make_unique<FunctionT>();
  function->name = "twice";
  function->feature_level = 0x4100;
  function->inputs.push_back(tensor("a", DataType::INT64, {3}));
  function->outputs.push_back(tensor("b", DataType::INT64, {3}));
  function->steps.push_back(
      dispatch("test.twice", false, 0, 3,
               {BufferRange(BufferKind::Input, 0, 0, 32),
                BufferRange(BufferKind::Output, 0, 0, 32)}));
  object->functions.push_back(std::move(function));
  return object;
}

std::unique_ptr<ExecutableObject> dml::test::makeVariants() {
  auto object = makeTwice();
  object->version_minor = 2;
  FunctionT &function = *object->functions[0];
  auto variant = std::make_unique<VariantT>();
  variant->requirements =
      std::make_unique<RequirementsT>(*object->requirements);
  std::swap(variant->steps, function.steps);
  function.variants.push_back(std::move(variant));

  object->requirements->features.clear();
  object->shader_modules.push_back(shaderModule("twice_words"));
  object->kernels.push_back(kernel(1, 1, 2));
  function.temporary_size = 256;
  BufferRange temporary(BufferKind::Temporary, 0, 0, 32);
  function.steps.push_back(
      dispatch("test.twice", false, 1, 3,
               {BufferRange(BufferKind::Input, 0, 0, 32), temporary}));
  function.steps.push_back(copy("test.copy", true, temporary,
                                BufferRange(BufferKind::Output, 0, 0, 32)));
  return object;
}

std::unique_ptr<ExecutableObject> dml::test::makeCopies() {
  auto object = makeEmpty();
  auto addFunction = [&](const std::string &name, DataType type,
                         const std::vector<uint32_t> &sizes) {
    auto function = std::make_unique<FunctionT>();
    function->name = name;
    function->feature_level = 0x1000;
    function->inputs.push_back(tensor("from", type, sizes));
    function->outputs.push_back(tensor("to", type, sizes));
    uint64_t size = function->inputs[0]->buffer_size;
    function->steps.push_back(
        copy("test.copy", false, BufferRange(BufferKind::Input, 0, 0, size),
             BufferRange(BufferKind::Output, 0, 0, size)));
    object->functions.push_back(std::move(function));
  };
  for (DataType type : EnumValuesDataType())
    if (type != DataType::UNKNOWN)
      addFunction(dmlGetDataTypeName(static_cast<DmlDataType>(type)), type,
                  {2, 3});
  addFunction("scalar", DataType::FLOAT32, {});
  addFunction("long", DataType::FLOAT32, {1024});
  return object;
}

std::unique_ptr<ExecutableObject> dml::test::makeChain(uint32_t count) {
  constexpr uint64_t kBytes = 32 * 4;
  constexpr uint32_t kPlaceholder = 4919, kOpConstant = 4 << 16 | 43;
  auto object = makeEmpty();
  RequirementsT &requirements = *object->requirements;
  requirements.max_storage_buffer_range = kBytes;
  requirements.max_per_stage_descriptor_storage_buffers = 2;
  requirements.max_compute_workgroup_invocations = 32;
  requirements.max_compute_workgroup_size = extent(32);
  requirements.max_compute_workgroup_count = extent(1);
  auto function = std::make_unique<FunctionT>();
  function->name = "chain";
  function->feature_level = 0x1000;
  function->inputs.push_back(tensor("a", DataType::UINT32, {32}));
  function->outputs.push_back(tensor("b", DataType::UINT32, {32}));
  function->temporary_size = 512;
  auto temporary = [&](uint32_t step) {
    return BufferRange(BufferKind::Temporary, 0, step % 2 * 256, kBytes);
  };
  for (uint32_t i = 0; i < count; ++i) {
    object->shader_modules.push_back(shaderModule("chain"));
    std::vector<uint32_t> &code = object->shader_modules.back()->code;
    for (size_t at = 5; at + 3 < code.size(); at += code[at] >> 16)
      if (code[at] == kOpConstant && code[at + 3] == kPlaceholder)
        code[at + 3] = i;
    object->kernels.push_back(kernel(i, 32, 2));
    function->steps.push_back(dispatch(
        "test.chain", i != 0, i, 1,
        {i == 0 ? BufferRange(BufferKind::Input, 0, 0, kBytes) : temporary(i),
         i + 1 == count ? BufferRange(BufferKind::Output, 0, 0, kBytes)
                        : temporary(i + 1)}));
  }
  object->functions.push_back(std::move(function));
  return object;
}

std::unique_ptr<ExecutableObject> dml::test::makeLoop(uint32_t count) {
  constexpr uint64_t kBytes = 128 * 4;
  auto object = makeArithmetic();
  object->version_minor = 7;
  object->functions.resize(1);
  FunctionT &function = *object->functions[0];
  function.name = "running";
  function.inputs.clear();
  function.inputs.push_back(tensor("a", DataType::FLOAT32, {count, 128}));
  function.inputs.push_back(tensor("start", DataType::FLOAT32, {128}));
  function.outputs.clear();
  function.outputs.push_back(tensor("sums", DataType::FLOAT32, {count, 128}));
  function.steps.clear();
  BufferRange low(BufferKind::Temporary, 0, 0, kBytes),
      high(BufferKind::Temporary, 0, kBytes, kBytes);
  function.steps.push_back(copy(
      "test.start", false, BufferRange(BufferKind::Input, 1, 0, kBytes), low));
  function.steps.push_back(
      dispatch("test.add", true, 0, 1,
               {BufferRange(BufferKind::Input, 0, 0, kBytes), low, high}));
  function.steps[1]->advances = {
      {0, 0, kBytes}, {1, 2, kBytes}, {2, 2, -int64_t(kBytes)}};
  function.steps.push_back(
      copy("test.copy", true, high,
           BufferRange(BufferKind::Output, 0, (count - 1) * kBytes, kBytes)));
  function.steps[2]->advances = {{0, 2, -int64_t(kBytes)},
                                 {1, 0, -int64_t(kBytes)}};
  function.loops.emplace_back(1, 2, count);
  return object;
}

std::vector<uint8_t> dml::test::write(const ExecutableObject &object) {
  flatbuffers::FlatBufferBuilder builder;
  FinishExecutableBuffer(builder, Executable::Pack(builder, &object));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}
