//===- ExecutableReaderTest.cpp - Nothing in an executable is trusted -----===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "AllocationCounter.h"
#include "Executable.h"
#include "SPIRVAssembler.h"
#include "TestExecutables.h"
#include "dml-bench/MatrixProducts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

using namespace dml::runtime;
using namespace dml::test;
namespace fb = dml::executable;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

Expected<std::shared_ptr<const Executable>>
read(const std::vector<uint8_t> &bytes) {
  // A copy of just this size, so that a sanitizer sees every read beyond it.
  std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
  if (!bytes.empty())
    std::memcpy(exact.get(), bytes.data(), bytes.size());
  return readExecutable(exact.get(), bytes.size());
}

/// Spoils the arithmetic executable and expects an error.
void expectError(const std::function<void(ExecutableObject &)> &spoil,
                 const std::string &message) {
  auto object = makeArithmetic();
  spoil(*object);
  auto result = read(write(*object));
  ASSERT_FALSE(result) << "accepted, but expected: " << message;
  EXPECT_EQ(result.status().result(), DML_ERROR_INVALID_EXECUTABLE);
  EXPECT_THAT(result.status().message(), HasSubstr(message));
}

fb::DispatchT &firstDispatch(ExecutableObject &object) {
  return *object.functions[0]->steps[0]->operation.AsDispatch();
}

fb::CopyT &firstCopy(ExecutableObject &object) {
  return *object.functions[0]->steps[1]->operation.AsCopy();
}

constexpr auto kInput = fb::BufferKind::Input;
constexpr auto kOutput = fb::BufferKind::Output;
constexpr auto kTemporary = fb::BufferKind::Temporary;
constexpr auto kConstant = fb::BufferKind::Constant;

} // namespace

TEST(ExecutableReader, ChecksWeights) {
  auto result = read(write(*makeWeights()));
  ASSERT_TRUE(result) << result.status().message();
  const Executable &executable = **result;
  EXPECT_EQ(executable.constantSize, 1792u);
  ASSERT_EQ(executable.weights.size(), 1u);
  EXPECT_EQ(executable.weights[0].offset, 768u);
  EXPECT_EQ(executable.functionCount(), 1u);
  EXPECT_EQ(executable.initialization, 1u);

  auto expectRefusal = [](const std::function<void(ExecutableObject &)> &spoil,
                          const std::string &message) {
    auto object = makeWeights();
    spoil(*object);
    auto refused = read(write(*object));
    ASSERT_FALSE(refused) << "accepted, but expected: " << message;
    EXPECT_THAT(refused.status().message(), HasSubstr(message));
  };
  expectRefusal([](auto &object) { object.constant_size = 700; },
                "constant_size is 700, but the file has 768 bytes");
  expectRefusal(
      [](auto &object) {
        auto *dispatch =
            object.initialization->steps[0]->operation.AsDispatch();
        std::swap(dispatch->bindings[1], dispatch->bindings[2]);
      },
      "writes bytes 768 to 1280 of the constants, but weight 'weight', which "
      "the caller binds, begins at byte 768");
  expectRefusal([](auto &object) { object.constant_size = 1279; },
                "must be between 768, where what stands before it ends, and "
                "the 1279 bytes");
  expectRefusal([](auto &object) { object.constant_size = 1600; },
                "reach beyond the 1600 bytes of the constant buffer");
  expectRefusal([](auto &object) { object.weights[0]->offset = 512; },
                "weight 'weight': offset 512 and size 512 must be between 768");
  expectRefusal([](auto &object) { object.weights[0]->offset = 800; },
                "offset is 800, but must be a multiple of 256");
  expectRefusal([](auto &object) { object.weights[0]->tensor->name.clear(); },
                "weight 0 (''): has no name");
  expectRefusal(
      [](auto &object) {
        object.weights.push_back(
            std::make_unique<fb::WeightT>(*object.weights[0]));
      },
      "two weights have the name 'weight'");
  expectRefusal(
      [](auto &object) {
        object.initialization->inputs.push_back(
            std::make_unique<fb::TensorT>(*object.weights[0]->tensor));
      },
      "initialization: has 1 inputs and 0 outputs, but must have none");
  expectRefusal(
      [](auto &object) {
        object.initialization->steps[0]->operation.AsDispatch()->bindings[0] =
            fb::BufferRange(kTemporary, 0, 0, 512);
      },
      "reach beyond the 0 bytes of the temporary buffer");

  // Copies write constants in the initialization alone.
  auto addCopy = [](fb::FunctionT &function) {
    fb::CopyT copy;
    copy.source = std::make_unique<fb::BufferRange>(kConstant, 0, 256, 512);
    copy.destination =
        std::make_unique<fb::BufferRange>(kConstant, 0, 1280, 512);
    function.steps.push_back(std::make_unique<fb::StepT>());
    function.steps.back()->operation.Set(std::move(copy));
  };
  auto object = makeWeights();
  addCopy(*object->initialization);
  EXPECT_TRUE(read(write(*object)));
  expectRefusal([&](auto &object) { addCopy(*object.functions[0]); },
                "copies to an input or to the constants");
}

TEST(ExecutableReader, ReadsWhatIsThere) {
  auto result = read(write(*makeArithmetic()));
  ASSERT_TRUE(result) << result.status().message();
  const Executable &executable = **result;
  EXPECT_EQ(executable.functions.size(), 2u);
  EXPECT_EQ(executable.kernels.size(), 2u);
  EXPECT_EQ(executable.constants.size(), 768u);
  ASSERT_EQ(executable.functions[0].variants.size(), 1u);
  const Variant &own = executable.functions[0].variants[0];
  EXPECT_EQ(own.steps.size(), 3u);
  EXPECT_TRUE(own.steps[1].barrier);
  EXPECT_EQ(own.requirements.maxComputeSharedMemorySize, 256u);
  EXPECT_EQ(executable.functions[0].inputs[0].byteSize, 512u);
  EXPECT_TRUE(read(write(*makeTwice())));
  EXPECT_TRUE(read(write(*makeCopies())));
}

TEST(ExecutableReader, CountsTheSubgroupsOfAWorkgroup) {
  // Kernels of 32 and of 64 threads.
  auto object = makeArithmetic();
  auto count = [&]() {
    auto result = read(write(*object));
    EXPECT_TRUE(result) << result.status().message();
    return result ? (*result)
                        ->functions[0]
                        .variants[0]
                        .requirements.maxComputeWorkgroupSubgroups
                  : UINT32_MAX;
  };
  EXPECT_EQ(count(), 0u);
  object->version_minor = 4;
  object->requirements->subgroup_size = 16;
  object->kernels[0]->subgroup_size = 16;
  EXPECT_EQ(count(), 2u);
  object->kernels[1]->subgroup_size = 16;
  EXPECT_EQ(count(), 4u);
}

TEST(ExecutableReader, ReadsVariants) {
  auto result = read(write(*makeVariants()));
  ASSERT_TRUE(result) << result.status().message();
  EXPECT_EQ((*result)->requirements.features, 0u);
  const std::vector<Variant> &variants = (*result)->functions[0].variants;
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0].requirements.features, DML_FEATURE_SHADER_INT64_BIT);
  EXPECT_EQ(variants[0].steps.size(), 1u);
  EXPECT_EQ(variants[0].temporarySize, 0u);
  EXPECT_EQ(variants[1].requirements.features, 0u);
  EXPECT_EQ(variants[1].steps.size(), 2u);
  EXPECT_EQ(variants[1].temporarySize, 256u);
}

// The steps of a variant are checked like the function's own steps, and against
// the variant's own requirements.

TEST(ExecutableReader, ChecksVariants) {
  auto expectVariantError =
      [](const std::function<void(ExecutableObject &, fb::VariantT &)> &spoil,
         const std::string &message) {
        auto object = makeVariants();
        spoil(*object, *object->functions[0]->variants[0]);
        auto result = read(write(*object));
        ASSERT_FALSE(result) << "accepted, but expected: " << message;
        EXPECT_EQ(result.status().result(), DML_ERROR_INVALID_EXECUTABLE);
        EXPECT_THAT(result.status().message(), HasSubstr(message));
      };
  auto getDispatch = [](fb::VariantT &variant) -> fb::DispatchT & {
    return *variant.steps[0]->operation.AsDispatch();
  };
  expectVariantError(
      [](auto &, auto &v) { v.requirements->features.clear(); },
      "function 'twice': variant 0: step 0: kernel 0: its capabilities need "
      "shaderInt64, which the requirements do not declare");
  // The function's own steps take nothing from a variant's requirements.
  expectVariantError(
      [](auto &o, auto &) {
        o.functions[0]->steps[0]->operation.AsDispatch()->kernel = 0;
      },
      "function 'twice': step 0: kernel 0: its capabilities need shaderInt64");
  expectVariantError(
      [](auto &, auto &v) { v.requirements->vulkan_api_version = 7; },
      "variant 0: requirements: vulkan_api_version is 0x7");
  expectVariantError(
      [](auto &, auto &v) { v.requirements->features = {fb::Feature(200)}; },
      "variant 0: requirements: feature 200 is unknown");
  expectVariantError(
      [](auto &, auto &v) { v.requirements->max_storage_buffer_range = 31; },
      "variant 0: step 0: binding 0 has 32 bytes, but the declared "
      "max_storage_buffer_range is 31");
  expectVariantError(
      [](auto &, auto &v) {
        v.requirements->max_per_stage_descriptor_storage_buffers = 1;
      },
      "variant 0: step 0: kernel 0: has 2 bindings, but at most 1 are "
      "declared");
  expectVariantError(
      [](auto &, auto &v) {
        v.requirements->max_compute_workgroup_invocations = 0;
      },
      "variant 0: step 0: kernel 0: workgroup size 1x1x1 has more invocations");
  expectVariantError(
      [](auto &, auto &v) {
        *v.requirements->max_compute_workgroup_count = {2, 1, 1};
      },
      "variant 0: step 0: workgroup count is 3x1x1");
  expectVariantError([&](auto &, auto &v) { getDispatch(v).kernel = 2; },
                     "variant 0: step 0: kernel 2 does not exist");
  expectVariantError(
      [&](auto &, auto &v) { getDispatch(v).bindings.pop_back(); },
      "variant 0: step 0: has 1 bindings, but kernel 0 has 2");
  expectVariantError(
      [&](auto &, auto &v) {
        getDispatch(v).bindings[0] = {kTemporary, 0, 0, 32};
      },
      // The size of the temporary buffer is that of the variant, and not that
      // of the function's own steps.
      "variant 0: step 0: binding 0: offset 0 and size 32 reach beyond the 0 "
      "bytes of the temporary buffer");
  expectVariantError([](auto &, auto &v) { v.temporary_size = 100; },
                     "variant 0: temporary_size is 100");
  expectVariantError([](auto &, auto &v) { v.steps.clear(); },
                     "variant 0: output 0 ('b') is written by no step");
  expectVariantError([](auto &o, auto &) { o.functions[0]->steps.clear(); },
                     "function 'twice': output 0 ('b') is written by no step");
  expectVariantError([](auto &, auto &v) { v.requirements.reset(); },
                     "FlatBuffers' verifier");
}

TEST(ExecutableReader, RefusesVariantsThatAreTheSameAgainAndAgain) {
  auto makeShared = [](size_t count) {
    auto object = makeVariants();
    flatbuffers::FlatBufferBuilder builder;
    fb::FunctionT &function = *object->functions[0];
    auto steps =
        builder.CreateVector(std::vector<flatbuffers::Offset<fb::Step>>(
            1, fb::Step::Pack(builder, function.steps[1].get())));
    auto requirements =
        fb::Requirements::Pack(builder, object->requirements.get());
    auto variant = fb::CreateVariant(builder, requirements, 256, steps);
    auto variants = builder.CreateVector(
        std::vector<flatbuffers::Offset<fb::Variant>>(count, variant));
    std::vector<flatbuffers::Offset<fb::Tensor>> inputs = {
        fb::Tensor::Pack(builder, function.inputs[0].get())};
    std::vector<flatbuffers::Offset<fb::Tensor>> outputs = {
        fb::Tensor::Pack(builder, function.outputs[0].get())};
    auto functions = builder.CreateVector(
        std::vector<flatbuffers::Offset<fb::Function>>{fb::CreateFunction(
            builder, builder.CreateString("f"), builder.CreateVector(inputs),
            builder.CreateVector(outputs), 256, steps, 0, variants)});
    auto modules = builder.CreateVector(
        std::vector<flatbuffers::Offset<fb::ShaderModule>>());
    auto kernels =
        builder.CreateVector(std::vector<flatbuffers::Offset<fb::Kernel>>());
    fb::FinishExecutableBuffer(
        builder, fb::CreateExecutable(builder, 1, 2, 0, requirements, modules,
                                      kernels, 0, functions));
    return std::vector<uint8_t>(builder.GetBufferPointer(),
                                builder.GetBufferPointer() + builder.GetSize());
  };
  auto result = read(makeShared(1));
  EXPECT_TRUE(result) << result.status().message();
  result = read(makeShared(50));
  ASSERT_FALSE(result);
  // Both limit how often the same bytes are looked at.
  EXPECT_THAT(result.status().message(),
              testing::AnyOf(HasSubstr("the same bytes again and again"),
                             HasSubstr("FlatBuffers' verifier")));
}

// Many tables may refer to one vector, which is read for each of them.
TEST(ExecutableReader, LimitsWhatTablesShare) {
  expectError(
      [](ExecutableObject &o) {
        o.requirements->features.assign(100, fb::Feature::shaderInt8);
      },
      "requirements: has 100 features, but only 11 are known");
}

TEST(ExecutableReader, RefusesKernelsThatWriteInputs) {
  // The last binding of `add` is what it writes.
  auto bind = [](fb::BufferKind kind, uint64_t size) {
    return [=](ExecutableObject &o) {
      fb::StepT &step = *o.functions[1]->steps[0];
      auto &bindings = step.operation.AsDispatch()->bindings;
      bindings.back() = fb::BufferRange(kind, 0, 0, size);
    };
  };
  expectError(bind(fb::BufferKind::Input, 512),
              "binding 2 is an input or the constants, which are not written, "
              "but kernel 0 stores to it");
  expectError(bind(fb::BufferKind::Constant, 512),
              "binding 2 is an input or the constants, which are not written, "
              "but kernel 0 stores to it");
}

TEST(ExecutableReader, RefusesWhatIsNoExecutable) {
  auto expect = [](std::vector<uint8_t> bytes, const std::string &message) {
    auto result = read(bytes);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.status().message(), HasSubstr(message));
  };
  expect({}, "has 0 bytes");
  expect({1, 2, 3}, "has 3 bytes");
  expect(std::vector<uint8_t>(64), "identifier 'DMLX' is missing");
  std::vector<uint8_t> bytes = write(*makeCopies());
  bytes.resize(bytes.size() / 2);
  expect(bytes, "FlatBuffers' verifier refuses");
}

TEST(ExecutableReader, SaysWhatOtherFilesAre) {
  auto expect = [](const std::string &text, const std::string &message) {
    auto result = read({text.begin(), text.end()});
    ASSERT_FALSE(result);
    EXPECT_THAT(result.status().message(), EndsWith(message));
  };
  const std::string maker = ", of which dml-compile makes an executable";
  expect({"\x08\x08\x12\0\0\0\0\0", 8},
         "; it seems to be an ONNX model" + maker);
  expect("ML\xEFR\x0D-------",
         "; it seems to be a module of MLIR as bytecode" + maker);
  expect("func.func @main()",
         "; it seems to be text, as modules of MLIR and JSON models are" +
             maker);
  expect({"\x01\x02\x03\0\0\0\0\0", 8}, "is missing at byte 4");
}

/// A file that ends early is told with the bytes that it refers to, wherever it
/// ends.
TEST(ExecutableReader, SaysThatTheEndIsMissing) {
  std::vector<uint8_t> bytes = write(*makeCopies());
  uint64_t size = bytes.size();
  unsigned told = 0;
  for (uint64_t cut = 8; cut < size; ++cut) {
    auto result = read({bytes.begin(), bytes.begin() + cut});
    if (result)
      continue;
    const std::string &message = result.status().message();
    std::string part = "it may be truncated: it has " + std::to_string(cut) +
                       " bytes, but refers to at least ";
    size_t at = message.find(part);
    if (at == std::string::npos)
      continue;
    uint64_t end = std::stoull(message.substr(at + part.size()));
    EXPECT_GT(end, cut);
    EXPECT_LE(end, size);
    ++told;
  }
  EXPECT_GT(told, size / 2);
}

TEST(ExecutableReader, KeepsTheVersionRule) {
  expectError([](auto &o) { o.version_major = 2; },
              "has format version 2.1, but this runtime reads 1.0 to 1.7");
  expectError([](auto &o) { o.version_major = 0; }, "has format version 0.1");
  expectError([](auto &o) { o.version_minor = 8; }, "has format version 1.8");
  // What a file has wants a version that knows it.
  auto expectOlder = [](std::unique_ptr<ExecutableObject> object,
                        const std::string &message) {
    uint16_t needed = object->version_minor;
    object->version_minor = static_cast<uint16_t>(needed - 1);
    auto refused = read(write(*object));
    ASSERT_FALSE(refused) << "accepted, but expected: " << message;
    EXPECT_THAT(refused.status().message(),
                HasSubstr("has format version 1." + std::to_string(needed - 1) +
                          ", but also " + message +
                          ", which files have from version 1." +
                          std::to_string(needed) + " on"));
  };
  expectOlder(makeVariants(), "variants");
  expectOlder(makeWeights(), "constant_size");
  expectOlder(makeInPlace(), "outputs in the place of inputs");
  expectOlder(makeLoop(5), "loops");
  expectError(
      [](auto &o) {
        o.requirements->features.push_back(fb::Feature::subgroupShuffle);
      },
      "has format version 1.1, but also the feature subgroupShuffle, which "
      "files have from version 1.5 on");
  expectError([](auto &o) { o.requirements->subgroup_size = 8; },
              "but also subgroup_size, which files have from version 1.4 on");
  // Files of older versions do not spell out the minor version.
  auto result = read(write(*makeArithmetic()));
  ASSERT_TRUE(result) << result.status().message();
  EXPECT_EQ((*result)->versionMinor, 1);
}

// Each file is one that a writer of that version has made, with what the
// version brought.
TEST(ExecutableReader, ReadsTheFilesOfEachVersion) {
  for (uint16_t minor = 1; minor <= 7; ++minor) {
    std::string path =
        std::string(DML_TEST_FORMATS "/1.") + std::to_string(minor) + ".dmlx";
    auto result = readExecutableFile(path);
    ASSERT_TRUE(result) << result.status().message();
    EXPECT_EQ((*result)->versionMinor, minor);
    EXPECT_FALSE((*result)->functions.empty());
  }
  // A version that has no file here is one that nothing is promised of.
  auto next = makeArithmetic();
  next->version_minor = 8;
  EXPECT_FALSE(read(write(*next)));
}

TEST(ExecutableReader, WantsTheIterationsOfLoops) {
  expectError(
      [](auto &o) {
        o.shader_modules[0]->code = loadKernel("slow");
        o.kernels[0]->workgroup_size = std::make_unique<fb::Extent3D>(1, 1, 1);
      },
      "has a loop, but the requirements declare max_loop_iterations of 0");
}

TEST(ExecutableReader, WantsTheSizeOfSubgroupsThatExchangeValues) {
  auto replace = [](ExecutableObject &o, const std::vector<uint32_t> &code,
                    uint32_t threads) {
    o.shader_modules[0]->code = code;
    fb::KernelT &kernel = *o.kernels[0];
    kernel.shader_module = 0;
    *kernel.workgroup_size = fb::Extent3D(threads, 1, 1);
    kernel.shared_memory_size = 16384;
  };
  expectError(
      [&](ExecutableObject &o) {
        Assembler a;
        for (uint32_t capability : {61u, 65u})
          Assembler::add(a.head, spirv::OpCapability, {capability});
        std::rotate(a.head.begin(), a.head.end() - 4, a.head.end());
        uint32_t subgroup = a.fresh();
        a.global(spirv::OpConstant, {Assembler::Uint, subgroup, 3});
        a.value(/*OpGroupNonUniformShuffleXor*/ 346, Assembler::Uint,
                {subgroup, Assembler::Uint63, Assembler::Uint2});
        replace(o, a.assemble(), 64);
      },
      "has shuffles, but the kernel's subgroup_size is 0, of which its 64 "
      "threads are no multiple");
  expectError(
      [&](ExecutableObject &o) {
        dml::tools::MatrixProducts products = dml::tools::makeMatrixProducts(
            {16, 16, 16, DML_DATA_TYPE_FLOAT16, DML_DATA_TYPE_FLOAT32}, 32);
        replace(o, products.code, 32);
        o.kernels[0]->subgroup_size = 64;
      },
      "has cooperative matrices, but the kernel's subgroup_size is 64, of "
      "which "
      "its 32 threads are no multiple");
}

TEST(ExecutableReader, ChecksRequirements) {
  expectError([](auto &o) { o.requirements->vulkan_api_version = 7; },
              "vulkan_api_version is 0x7, which is no version of Vulkan");
  expectError([](auto &o) { o.requirements->features = {fb::Feature(200)}; },
              "feature 200 is unknown");
  expectError([](auto &o) { o.requirements->max_storage_buffer_range = 511; },
              "step 0: binding 0 has 512 bytes, but the declared "
              "max_storage_buffer_range is 511");
  expectError(
      [](auto &o) {
        o.requirements->max_per_stage_descriptor_storage_buffers = 2;
      },
      "kernel 0: has 3 bindings, but at most 2 are declared");
  expectError(
      [](auto &o) { o.requirements->max_compute_workgroup_invocations = 63; },
      "workgroup size 64x1x1 has more invocations than the declared 63");
  expectError(
      [](auto &o) {
        *o.requirements->max_compute_workgroup_size = {63, 1, 1};
      },
      "kernel 1: workgroup size is 64x1x1");
  expectError(
      [](auto &o) {
        *o.requirements->max_compute_workgroup_count = {1, 1, 1};
      },
      "step 2: workgroup count is 2x1x1");
  expectError(
      [](auto &o) { o.requirements->max_compute_shared_memory_size = 255; },
      "workgroup memory is 256 bytes, but at most 255 are declared");
}

TEST(ExecutableReader, ChecksKernels) {
  expectError([](auto &o) { o.kernels[0]->shader_module = 2; },
              "kernel 0: shader module 2 does not exist; there are 2");
  expectError([](auto &o) { o.kernels[0]->entry_point = "other"; },
              "shader module 0 has no entry point 'other'");
  expectError(
      [](auto &o) {
        *o.kernels[0]->workgroup_size = {16, 1, 1};
      },
      "workgroup size is 16x1x1, but the entry point's is 32x1x1");
  expectError(
      [](auto &o) {
        *o.kernels[0]->workgroup_size = {0, 1, 1};
      },
      "workgroup size is 0x1x1");
  expectError([](auto &o) { o.kernels[1]->shared_memory_size = 252; },
              "uses 256 bytes of workgroup memory, but the kernel declares "
              "252");
  expectError([](auto &o) { o.kernels[0]->binding_count = 2; },
              "uses binding 2, but the kernel declares 2 bindings");
  expectError([](auto &o) { o.kernels[0]->binding_count = 0; },
              "has no bindings");
}

TEST(ExecutableReader, ChecksTensors) {
  auto input = [](ExecutableObject &o) -> fb::TensorT & {
    return *o.functions[0]->inputs[0];
  };
  expectError([&](auto &o) { input(o).name = ""; },
              "input 0 (''): has no name");
  expectError([&](auto &o) { input(o).name = "a\n"; }, "control character 10");
  expectError([&](auto &o) { input(o).name = "b"; },
              "two inputs have the name 'b'");
  expectError([&](auto &o) { input(o).data_type = fb::DataType(14); },
              "data type 14 is unknown");
  expectError([&](auto &o) { input(o).data_type = fb::DataType(100); },
              "data type 100 is unknown");
  expectError([&](auto &o) { input(o).data_type = fb::DataType::UNKNOWN; },
              "data type 0 is unknown");
  expectError([&](auto &o) { input(o).sizes = {4, 0}; }, "dimension 1 is 0");
  expectError([&](auto &o) { input(o).sizes.assign(9, 1); },
              "has 9 dimensions");
  expectError([&](auto &o) { input(o).sizes.assign(8, UINT32_MAX); },
              "has more than");
  expectError(
      [&](auto &o) {
        input(o).sizes = {4, 33};
      },
      "buffer_size is 512, but must be 528: its 528 bytes rounded up");
  expectError([&](auto &o) { input(o).buffer_size = 1024; },
              "buffer_size is 1024, but must be 512");
}

TEST(ExecutableReader, ReadsStrides) {
  auto object = makeArithmetic();
  fb::TensorT &input = *object->functions[0]->inputs[0];
  input.strides = {0, 40};
  input.total_size = 5000;
  input.buffer_size = 5008;
  auto result = read(write(*object));
  ASSERT_TRUE(result) << result.status().message();
  const Function &function = (*result)->functions[0];
  EXPECT_EQ(function.inputs[0].strides, (std::vector<uint64_t>{0, 40}));
  EXPECT_EQ(function.inputs[0].byteSize, (31 * 40 + 1) * 4u);
  EXPECT_EQ(function.inputs[0].elementCount, 128u);
  EXPECT_EQ(function.inputs[1].strides, (std::vector<uint64_t>{32, 1}));
}

TEST(ExecutableReader, ChecksStrides) {
  auto input = [](ExecutableObject &o) -> fb::TensorT & {
    return *o.functions[0]->inputs[0];
  };
  auto output = [](ExecutableObject &o) -> fb::TensorT & {
    return *o.functions[0]->outputs[0];
  };
  expectError([&](auto &o) { input(o).strides = {1}; },
              "has 1 strides, but 2 dimensions");
  expectError(
      [&](auto &o) {
        input(o).strides = {40, 1};
      },
      "buffer_size is 512, but must be 608: its 608 bytes rounded up");
  expectError(
      [&](auto &o) {
        input(o).sizes = {1u << 30, 2};
        input(o).strides = {UINT32_MAX, UINT32_MAX};
      },
      "has strides that reach over more than");
  // An output has each element once.
  expectError(
      [&](auto &o) {
        output(o).strides = {32, 0};
      },
      "has stride 0 in dimension 1, but an output wants 1 at least");
  expectError(
      [&](auto &o) {
        output(o).strides = {31, 1};
      },
      "has stride 31 in dimension 0, but an output wants 32 at least");
  expectError(
      [&](auto &o) {
        output(o).strides = {1, 3};
      },
      "has stride 3 in dimension 1, but an output wants 4 at least");
  for (uint64_t size : {uint64_t(508), uint64_t(514), UINT64_MAX - 3})
    expectError([&](auto &o) { input(o).total_size = size; },
                "total_size is " + std::to_string(size) +
                    ", but must be a multiple of 4 from 512 to ");
  expectError([&](auto &o) { input(o).total_size = 1024; },
              "buffer_size is 512, but must be 1024");
}

TEST(ExecutableReader, ChecksFunctions) {
  expectError([](auto &o) { o.functions[0]->name = ""; },
              "function 0 has no name");
  expectError([](auto &o) { o.functions[1]->name = "main"; },
              "two functions have the name 'main'");
  expectError([](auto &o) { o.functions[0]->temporary_size = 1000; },
              "temporary_size is 1000, but must be a multiple of 256");
  expectError([](auto &o) { o.functions[0]->steps.pop_back(); },
              "output 1 ('reversed') is written by no step");
}

TEST(ExecutableReader, ChecksDispatches) {
  expectError([](auto &o) { firstDispatch(o).kernel = 2; },
              "kernel 2 does not exist; there are 2");
  expectError([](auto &o) { firstDispatch(o).bindings.pop_back(); },
              "has 2 bindings, but kernel 0 has 3");
  expectError(
      [](auto &o) {
        *firstDispatch(o).workgroup_count = {1, 0, 1};
      },
      "workgroup count is 1x0x1");
  expectError([](auto &o) { o.functions[0]->steps[0]->operation.Reset(); },
              "FlatBuffers' verifier");
}

TEST(ExecutableReader, ChecksRanges) {
  auto expectRangeError = [](fb::BufferRange range, const char *message) {
    expectError([&](auto &o) { firstDispatch(o).bindings[0] = range; },
                message);
  };
  expectRangeError({fb::BufferKind(4), 0, 0, 16}, "buffer kind 4 is unknown");
  expectRangeError({kInput, 2, 0, 16},
                   "step 0: binding 0: input 2 does not exist; there are 2");
  expectRangeError({kOutput, 9, 0, 16}, "output 9 does not exist");
  expectRangeError({kTemporary, 1, 0, 16},
                   "temporary buffer 1 does not exist; there is 1");
  expectRangeError({kInput, 0, 16, 16},
                   "offset is 16, but must be a multiple of 256");
  expectRangeError({kInput, 0, 0, 0}, "size is 0");
  expectRangeError({kInput, 0, 256, 272},
                   "offset 256 and size 272 reach beyond the 512 bytes");
  expectRangeError({kInput, 0, UINT64_MAX - 255, 512}, "reach beyond");
  expectRangeError({kInput, 0, 256, UINT64_MAX}, "reach beyond");
  expectRangeError({kTemporary, 0, 1024, 16},
                   "reach beyond the 1024 bytes of the temporary buffer");
  expectRangeError({kConstant, 0, 512, 272},
                   "reach beyond the 768 bytes of the constant buffer");
}

TEST(ExecutableReader, ChecksPairs) {
  auto result = read(write(*makeInPlace()));
  ASSERT_TRUE(result) << result.status().message();
  const std::vector<Function> &functions = (*result)->functions;
  EXPECT_EQ(functions[0].inPlace.size(), 2u);
  EXPECT_FALSE(functions[0].inPlace[0] || functions[0].inPlace[1]);
  EXPECT_EQ(functions[1].inPlace[0], 0u);
  EXPECT_TRUE(functions[1].isReplaced[0]);

  auto expectPairError = [](std::vector<fb::InPlacePair> pairs,
                            const char *message) {
    expectError([&](auto &o) { o.functions[0]->in_place = pairs; }, message);
  };
  expectPairError({{2, 0}},
                  "output 2 is in the place of input 0, but there are "
                  "2 outputs and 2 inputs");
  expectPairError({{0, UINT32_MAX}}, "output 0 is in the place of input "
                                     "4294967295, but there are");
  expectPairError({{1, 0}}, "output 'reversed' is in the place of input 'a', "
                            "but has another type, size or layout");
  expectPairError({{0, 1}, {0, 0}},
                  "output 'sum' or input 'a' is in more than one pair");
  expectError(
      [](auto &o) {
        o.functions[0]->outputs[1]->sizes = {4, 32};
        o.functions[0]->in_place = {{0, 1}, {1, 1}};
      },
      "output 'reversed' or input 'b' is in more than one pair");
  expectPairError({{0, 0}}, "step 0 names input 0 ('a'), but must name the "
                            "output in its place");
  // An output in the place of an input may stay as the input is.
  auto object = makeInPlace();
  object->functions[1]->steps.clear();
  EXPECT_TRUE(read(write(*object)));
}

TEST(ExecutableReader, ChecksCopies) {
  expectError(
      [](auto &o) {
        *firstCopy(o).source = {kTemporary, 0, 256, 256};
      },
      "copies 256 bytes to a range of 512");
  expectError(
      [](auto &o) {
        *firstCopy(o).destination = {kInput, 0, 0, 512};
      },
      "copies to an input or to the constants");
  expectError(
      [](auto &o) {
        *firstCopy(o).destination = {kTemporary, 0, 512, 512};
      },
      "copies between ranges that overlap");
}

TEST(ExecutableReader, ReadsLoops) {
  auto result = read(write(*makeLoop(5)));
  ASSERT_TRUE(result) << result.status().message();
  const Variant &variant = (*result)->functions[0].variants[0];
  ASSERT_EQ(variant.loops.size(), 1u);
  EXPECT_EQ(variant.runCount, 11u);
  EXPECT_EQ(variant.findRun(0).step, 0u);
  for (uint32_t i = 0; i < 10; ++i) {
    StepRun run = variant.findRun(1 + i);
    EXPECT_EQ(run.step, 1 + i % 2);
    EXPECT_EQ(run.iteration, i / 2);
  }
  EXPECT_FALSE(variant.findLoop(0));
  EXPECT_EQ(variant.findLoop(2), &variant.loops[0]);
  const BufferRange &input = variant.steps[1].ranges[0],
                    &high = variant.steps[1].ranges[2],
                    &output = variant.steps[2].ranges[1];
  EXPECT_EQ(input.offsetIn(3), 1536u);
  EXPECT_EQ(high.offsetIn(3), 0u);
  EXPECT_EQ(high.offsetIn(4), 512u);
  EXPECT_EQ(output.offsetIn(0), 2048u);
  EXPECT_EQ(output.offsetIn(4), 0u);
  EXPECT_EQ(output.begin, 0u);
  EXPECT_EQ(output.end, 2560u);
  // The temporary is cut nowhere between the two halves.
  std::pair<uint64_t, uint64_t> both(0, 1024);
  EXPECT_THAT(variant.getRanges(BufferKind::Temporary),
              testing::Contains(both));

  // Steps behind a loop, and between two.
  auto object = makeLoop(5);
  object->functions[0]->loops = {{0, 1, 3}, {2, 1, 4}};
  object->functions[0]->steps[1]->advances.clear();
  auto two = read(write(*object));
  ASSERT_TRUE(two) << two.status().message();
  const Variant &loops = (*two)->functions[0].variants[0];
  EXPECT_EQ(loops.runCount, 8u);
  EXPECT_EQ(loops.findRun(2).iteration, 2u);
  EXPECT_EQ(loops.findRun(3).step, 1u);
  EXPECT_EQ(loops.findRun(3).iteration, 0u);
  EXPECT_EQ(loops.findRun(7).step, 2u);
  EXPECT_EQ(loops.findRun(7).iteration, 3u);
}

TEST(ExecutableReader, ChecksLoops) {
  auto expectRefusal = [](const std::function<void(fb::FunctionT &)> &spoil,
                          const std::string &message) {
    auto object = makeLoop(5);
    spoil(*object->functions[0]);
    auto refused = read(write(*object));
    ASSERT_FALSE(refused) << "accepted, but expected: " << message;
    EXPECT_THAT(refused.status().message(), HasSubstr(message));
  };
  expectRefusal(
      [](auto &f) {
        f.loops[0] = {1, 3, 5};
      },
      "loop 0 has 3 steps from step 1 on, but must have at least 1 "
      "of those from step 0 to the end of the 3 steps");
  expectRefusal(
      [](auto &f) {
        f.loops[0] = {UINT32_MAX, UINT32_MAX, 5};
      },
      "loop 0 has 4294967295 steps from step 4294967295 on");
  expectRefusal([](auto &f) { f.loops[0] = {1, 0, 5}; }, "loop 0 has 0 steps");
  expectRefusal(
      [](auto &f) {
        f.loops = {{0, 2, 5}, {1, 2, 5}};
      },
      "loop 1 has 2 steps from step 1 on, but must have at least 1 "
      "of those from step 2 ");
  expectRefusal(
      [](auto &f) {
        f.loops[0] = {1, 2, 0};
      },
      "loop 0 has 0 iterations");
  expectRefusal(
      [](auto &f) {
        f.loops[0] = {1, 2, (1 << 19) + 1};
      },
      "loop 0 and those before it run 1048578 steps in all "
      "iterations, but at most 1048576 are possible");
  expectRefusal(
      [](auto &f) {
        f.loops[0] = {1, 2, UINT32_MAX};
      },
      "8589934590 steps in all iterations");
  expectRefusal([](auto &f) { f.loops.clear(); },
                "step 1: range 0 advances, but the step is in no loop");
  // One iteration more is one row too many, at both ends.
  expectRefusal(
      [](auto &f) {
        f.loops[0] = {1, 2, 6};
      },
      "step 1: range 0 advances 5 times by 512 bytes from offset 0, "
      "but has 2048 bytes to move");
  expectRefusal(
      [](auto &f) {
        f.loops[0] = {1, 2, 6};
        f.steps[1]->advances[0] = {0, 5, 512};
      },
      "step 2: range 1 advances 5 times by -512 bytes from offset 2048, but "
      "has 2048 bytes to move");
  auto expectBadAdvance = [&](fb::Advance advance, const std::string &message) {
    expectRefusal([&](auto &f) { f.steps[1]->advances = {advance}; }, message);
  };
  expectBadAdvance({3, 0, 512}, "step 1: advances range 3, but wants one from "
                                "0 to the last of its 3 ranges");
  expectBadAdvance({0, 0, 0}, "range 0 advances by 0 bytes");
  expectBadAdvance({0, 0, 128}, "range 0 advances by 128 bytes, but wants a "
                                "multiple of 256");
  expectBadAdvance({0, 1, 512}, "range 0 has the period 1");
  expectBadAdvance({0, 0, INT64_MIN}, "advances 4 times by "
                                      "-9223372036854775808 bytes");
  expectBadAdvance({0, 0, INT64_MAX - 255}, "advances 4 times by "
                                            "9223372036854775552 bytes");
  expectRefusal(
      [](auto &f) {
        std::swap(f.steps[1]->advances[0], f.steps[1]->advances[1]);
      },
      "advances range 0, but wants one from 2");
  // The source and the destination of a copy may not meet.
  expectRefusal(
      [](auto &f) {
        *f.steps[2]->operation.AsCopy()->destination = {kTemporary, 0, 0, 512};
        f.steps[2]->advances = {{0, 2, -512}};
      },
      "step 2: copies between ranges that overlap");
}

TEST(ExecutableReader, ChecksSPIRV) {
  auto code = [](ExecutableObject &o) -> std::vector<uint32_t> & {
    return o.shader_modules[0]->code;
  };
  expectError([&](auto &o) { code(o).clear(); },
              "shader module 0: has 0 words");
  expectError([&](auto &o) { code(o)[0] = 0x03022307; },
              "is SPIR-V of the other byte order");
  expectError([&](auto &o) { code(o)[0] = 1; }, "is not SPIR-V");
  expectError([&](auto &o) { code(o)[1] = 0x00020000; },
              "SPIR-V version word 0x20000");
  expectError([&](auto &o) { code(o)[1] = 0x00010600; },
              "is SPIR-V 1.6, which needs Vulkan 1.3");
  expectError([&](auto &o) { code(o)[5] &= 0xffff; },
              "word 5: an instruction of 0 words");
  expectError([&](auto &o) { code(o).pop_back(); }, "a function does not end");
  expectError([&](auto &o) { code(o).back() = 3 << 16 | 56; },
              "an instruction of 3 words, but only 1 are left");
  // The module begins with OpCapability Shader.
  expectError([&](auto &o) { code(o)[6] = 5; }, "capability 5 is none");
  expectError(
      [&](auto &o) {
        code(o).insert(code(o).begin() + 7, {2 << 16 | 17, 11});
      },
      "its capabilities need shaderInt64, which the requirements do not "
      "declare");

  // Words that decorate: OpDecorate %v DescriptorSet 0 and Binding 0.
  auto decoration = [&](ExecutableObject &o, uint32_t kind) -> uint32_t & {
    std::vector<uint32_t> &words = code(o);
    for (size_t at = 5; at < words.size(); at += words[at] >> 16)
      if ((words[at] & 0xffff) == 71 && words[at + 2] == kind)
        return words[at + 3];
    ADD_FAILURE() << "no decoration " << kind;
    return words[0];
  };
  expectError([&](auto &o) { decoration(o, 34) = 1; },
              "is in descriptor set 1, but set 0 is wanted");
  expectError([&](auto &o) { decoration(o, 33) = 3; }, "uses binding 3");
  expectError([&](auto &o) { decoration(o, 33) = UINT32_MAX; },
              "uses binding 4294967295");
}

// Nothing prevents a write to workgroup memory beyond an array, which would
// change another array, or the data of a driver that runs on the CPU.
TEST(ExecutableReader, RefusesIndicesThatMayLeaveWorkgroupMemory) {
  expectError(
      [](ExecutableObject &o) {
        // The kernel stores to group[LocalInvocationId.x]. In the changed
        // kernel, the index is a sum that contains the number of the workgroup,
        // with which the kernel reads a buffer.
        constexpr uint32_t kVariable = 59, kAccessChain = 65, kIAdd = 128,
                           kWorkgroup = 4;
        std::vector<uint32_t> &words = o.shader_modules[1]->code;
        uint32_t group = 0, sum = 0;
        for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
          uint32_t opcode = words[at] & 0xffff;
          if (opcode == kVariable && words[at + 3] == kWorkgroup)
            group = words[at + 2];
          else if (opcode == kIAdd && sum == 0)
            sum = words[at + 2];
          else if (opcode == kAccessChain && words[at + 3] == group) {
            ASSERT_NE(sum, 0u);
            words[at + 4] = sum;
            return;
          }
        }
        FAIL() << "the kernel has no workgroup memory";
      },
      " may be anything from 0 to 4294967295, but there are 64 elements");
}

TEST(ExecutableReader, RefusesControlCharactersInAnyEncoding) {
  auto name = [](const char *text) {
    return [=](ExecutableObject &o) { o.functions[0]->name = text; };
  };
  expectError(name("a\x1b[2J"), "control character 27");
  expectError(name("a\xc2\x9b"), "control character 155");
  expectError(name("a\x9b"), "the byte 155, which is no UTF-8 there");
  // Overlong, half of a pair, cut, and beyond the last character.
  expectError(name("a\xc0\x9b"), "the byte 192, which is no UTF-8 there");
  expectError(name("\xe0\x82\x9b"), "the byte 224, which is no UTF-8 there");
  expectError(name("\xed\xa0\x80"), "the byte 237, which is no UTF-8 there");
  expectError(name("a\xe2\x80"), "the byte 226, which is no UTF-8 there");
  expectError(name("\xf4\x90\x80\x80"),
              "the byte 244, which is no UTF-8 there");
  expectError(name("a\xff"), "the byte 255, which is no UTF-8 there");
  // U+202E turns the direction of the text behind it.
  expectError(name("a\xe2\x80\xae"), "control character 8238");
  auto object = makeArithmetic();
  object->functions[0]->name = "\xc3\x9f\xe2\x82\xac";
  EXPECT_TRUE(read(write(*object)));
}

// Small files that would need much memory or time. The reader counts and limits
// this memory and work, so that the tests need no clock.

TEST(ExecutableReader, RefusesToReadTheSameAgainAndAgain) {
  auto makeShared = [](size_t modules, size_t instructions) {
    auto object = makeArithmetic();
    std::vector<uint32_t> &code = object->shader_modules[0]->code;
    // OpModuleProcessed "", before the first decoration.
    size_t at = 5;
    while ((code[at] & 0xffff) != 71)
      at += code[at] >> 16;
    std::vector<uint32_t> more;
    for (size_t i = 0; i < instructions; ++i)
      more.insert(more.end(), {2 << 16 | 330, 0});
    code.insert(code.begin() + at, more.begin(), more.end());

    flatbuffers::FlatBufferBuilder builder;
    auto module =
        fb::ShaderModule::Pack(builder, object->shader_modules[0].get());
    auto shared = builder.CreateVector(
        std::vector<flatbuffers::Offset<fb::ShaderModule>>(modules, module));
    auto requirements =
        fb::Requirements::Pack(builder, object->requirements.get());
    auto kernels =
        builder.CreateVector(std::vector<flatbuffers::Offset<fb::Kernel>>());
    auto functions =
        builder.CreateVector(std::vector<flatbuffers::Offset<fb::Function>>());
    fb::FinishExecutableBuffer(
        builder, fb::CreateExecutable(builder, 1, 0, 0, requirements, shared,
                                      kernels, 0, functions));
    return std::vector<uint8_t>(builder.GetBufferPointer(),
                                builder.GetBufferPointer() + builder.GetSize());
  };
  EXPECT_TRUE(read(makeShared(2, 10000)));
  auto result = read(makeShared(100, 10000));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.status().message(),
              HasSubstr("refers to the same bytes again and again"));
  // There are more tables than the bytes have room for.
  result = read(makeShared(10000, 1));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.status().message(), HasSubstr("FlatBuffers' verifier"));
}

TEST(ExecutableReader, TakesMemoryInProportion) {
  auto measure = [](size_t count) {
    auto object = makeArithmetic();
    for (size_t i = 0; i < count; ++i) {
      std::string number = std::to_string(1000000 + i);
      auto module =
          std::make_unique<fb::ShaderModuleT>(*object->shader_modules[0]);
      auto last = static_cast<uint32_t>(object->shader_modules.size());
      object->shader_modules.push_back(std::move(module));
      auto kernel = std::make_unique<fb::KernelT>(*object->kernels[0]);
      kernel->shader_module = last;
      object->kernels.push_back(std::move(kernel));
      fb::FunctionT &main = *object->functions[0];
      auto input = std::make_unique<fb::TensorT>(*main.inputs[0]);
      input->name = "input " + number;
      main.inputs.push_back(std::move(input));
      main.steps.push_back(std::make_unique<fb::StepT>(*main.steps[0]));
      auto function = std::make_unique<fb::FunctionT>(*object->functions[1]);
      function->name = "function " + number;
      object->functions.push_back(std::move(function));
    }
    std::vector<uint8_t> bytes = write(*object);
    Allocations &counter = allocations, before = counter;
    counter.peak = counter.live;
    auto result = readExecutable(bytes.data(), bytes.size());
    EXPECT_TRUE(result) << result.status().message();
    EXPECT_LE(counter.peak - before.live, 16 * bytes.size());
    return Allocations{0, counter.peak - before.live,
                       counter.count - before.count};
  };
  Allocations few = measure(200), many = measure(1600);
  EXPECT_LE(many.count, 9 * few.count);
  EXPECT_LE(many.peak, 9 * few.peak);
}

// Every kind of damage is either reported or harmless. These tests rely on
// sanitizers to find other outcomes.

TEST(ExecutableReader, SurvivesEveryTruncation) {
  std::vector<uint8_t> bytes = write(*makeArithmetic());
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto result = read({bytes.begin(), bytes.begin() + size});
    if (!result)
      EXPECT_FALSE(result.status().message().empty());
  }
}

TEST(ExecutableReader, SurvivesEveryBitFlip) {
  for (auto &bytes : {write(*makeArithmetic()), write(*makeCopies()),
                      write(*makeVariants()), write(*makeLoop(5))})
    for (size_t at = 0; at < bytes.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        std::vector<uint8_t> spoiled = bytes;
        spoiled[at] ^= static_cast<uint8_t>(1 << bit);
        auto result = read(spoiled);
        if (!result)
          EXPECT_FALSE(result.status().message().empty());
      }
}

TEST(ExecutableReader, SurvivesRandomDamage) {
  std::mt19937 random(1);
  std::vector<uint8_t> bytes = write(*makeArithmetic());
  const uint8_t kExtremes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> spoiled = bytes;
    for (int i = 0; i < 1 + round % 8; ++i) {
      size_t at = random() % spoiled.size();
      // Runs of bytes hit whole numbers, not only parts of them.
      size_t count =
          std::min<size_t>(size_t(1) << random() % 4, spoiled.size() - at);
      std::memset(&spoiled[at], kExtremes[random() % 5], count);
    }
    (void)read(spoiled);
  }
}

TEST(ExecutableReader, SurvivesEveryDamagedSPIRVWord) {
  const auto original = makeArithmetic();
  for (size_t module = 0; module < original->shader_modules.size(); ++module) {
    const std::vector<uint32_t> &code = original->shader_modules[module]->code;
    for (size_t at = 0; at < code.size(); ++at) {
      uint32_t word = code[at], opcode = word & 0xffff, count = word >> 16;
      // Ids and numbers; instructions of other lengths and of other kinds.
      for (uint32_t other :
           {uint32_t(0), uint32_t(1), word - 1, word + 1, UINT32_MAX,
            opcode | 0xffff0000, opcode | 1 << 16, opcode | (count + 1) << 16,
            opcode | (count - 1) << 16, word ^ 1, word ^ 0x40,
            code[(at * 7 + 3) % code.size()]}) {
        auto object = makeArithmetic();
        object->shader_modules[module]->code[at] = other;
        auto result = read(write(*object));
        if (!result)
          EXPECT_FALSE(result.status().message().empty());
      }
    }
  }
}
