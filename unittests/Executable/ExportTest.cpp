//===- ExportTest.cpp - What an executable says ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "executable_generated.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
namespace executable = dml::executable;

namespace {

class ExportTest : public ::testing::Test {
protected:
  ExportTest() {
    DialectRegistry registry;
    registry.insert<dml::DMLDialect>();
    dml::registerCompilerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Compiles `source` and returns the executable, which this object keeps.
  const executable::Executable *
  compile(StringRef source, ArrayRef<std::string> deviceProfiles = {}) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return nullptr;
    dml::CompilerOptions options;
    // What is written for each operator shows in tests of chains.
    options.fuse = false;
    FailureOr<std::vector<uint8_t>> result =
        dml::compileToExecutable(*module, options, deviceProfiles);
    if (failed(result))
      return nullptr;
    bytes = std::move(*result);
    flatbuffers::Verifier verifier(bytes.data(), bytes.size());
    if (!executable::VerifyExecutableBuffer(verifier))
      return nullptr;
    return executable::GetExecutable(bytes.data());
  }

  MLIRContext context;
  std::vector<uint8_t> bytes;
};

TEST_F(ExportTest, Signature) {
  const auto *file = compile(R"mlir(
    module attributes {dml.target = #dml.target<feature_level = fl_5_0>} {
      func.func @main(%a: tensor<3x5xui8> {dml.name = "bytes"})
          -> (tensor<3x10xui8> {dml.name = "twice"}, tensor<6x5xui8>) {
        %0 = dml.tile %a {repeats = array<i64: 1, 2>}
            : (tensor<3x5xui8>) -> tensor<3x10xui8>
        %1 = dml.tile %a {repeats = array<i64: 2, 1>}
            : (tensor<3x5xui8>) -> tensor<6x5xui8>
        return %0, %1 : tensor<3x10xui8>, tensor<6x5xui8>
      }
    })mlir");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->functions()->size(), 1u);
  const auto *main = file->functions()->Get(0);
  EXPECT_EQ(main->name()->str(), "main");
  EXPECT_EQ(main->feature_level(), 0x5000u);
  ASSERT_EQ(main->inputs()->size(), 1u);
  const auto *input = main->inputs()->Get(0);
  EXPECT_EQ(input->name()->str(), "bytes");
  EXPECT_EQ(input->data_type(), executable::DataType::UINT8);
  ASSERT_EQ(input->sizes()->size(), 2u);
  EXPECT_EQ(input->sizes()->Get(0), 3u);
  EXPECT_EQ(input->sizes()->Get(1), 5u);
  EXPECT_EQ(input->buffer_size(), 16u);
  ASSERT_EQ(main->outputs()->size(), 2u);
  EXPECT_EQ(main->outputs()->Get(0)->name()->str(), "twice");
  EXPECT_EQ(main->outputs()->Get(1)->name()->str(), "output1");
  EXPECT_EQ(main->outputs()->Get(1)->buffer_size(), 32u);

  // Only what the kernels use is asked of the device.
  std::vector<executable::Feature> features(
      file->requirements()->features()->begin(),
      file->requirements()->features()->end());
  EXPECT_EQ(features, (std::vector<executable::Feature>{
                          executable::Feature::shaderInt8,
                          executable::Feature::storageBuffer8BitAccess}));
  EXPECT_EQ(file->requirements()->max_storage_buffer_range(), 32u);
  EXPECT_EQ(file->requirements()->max_compute_workgroup_invocations(), 128u);
}

TEST_F(ExportTest, Layouts) {
  const auto *file = compile(R"mlir(
    func.func @main(
        %a: tensor<2x3xui8> {dml.strides = array<i64: 40, 1>},
        %b: tensor<2x3xui8> {dml.strides = array<i64: 3, 1>, dml.total_size = 100})
        -> (tensor<2x3xui8> {dml.strides = array<i64: 1, 2>},
            tensor<2x3xui8> {dml.strides = array<i64: 1, 7>, dml.total_size = 16}) {
      return %a, %b : tensor<2x3xui8>, tensor<2x3xui8>
    })mlir");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->version_minor(), 1u);
  const auto *main = file->functions()->Get(0);
  auto check = [](const executable::Tensor *tensor,
                  std::vector<uint32_t> strides, uint64_t totalSize,
                  uint64_t bufferSize) {
    EXPECT_EQ(
        std::vector<uint32_t>(tensor->sizes()->begin(), tensor->sizes()->end()),
        (std::vector<uint32_t>{2, 3}));
    std::vector<uint32_t> found;
    if (tensor->strides())
      found.assign(tensor->strides()->begin(), tensor->strides()->end());
    EXPECT_EQ(found, strides);
    EXPECT_EQ(tensor->total_size(), totalSize);
    EXPECT_EQ(tensor->buffer_size(), bufferSize);
  };
  check(main->inputs()->Get(0), {40, 1}, 0, 48);
  // Those of a packed tensor are none.
  check(main->inputs()->Get(1), {}, 100, 112);
  check(main->outputs()->Get(0), {1, 2}, 0, 16);
  check(main->outputs()->Get(1), {1, 7}, 16, 16);
}

TEST_F(ExportTest, Schedule) {
  // A chain of three, and a step that waits for none of them.
  const auto *file = compile(R"mlir(
    func.func @main(%a: tensor<64xf32>, %b: tensor<60xf32>)
        -> (tensor<70xf32>, tensor<62xf32>) {
      %0 = dml.padding %a {mode = #dml.padding_mode<reflection>,
          start_padding = array<i64: 1>, end_padding = array<i64: 1>}
          : (tensor<64xf32>) -> tensor<66xf32>
      %1 = dml.padding %0 {mode = #dml.padding_mode<symmetric>,
          start_padding = array<i64: 1>, end_padding = array<i64: 1>}
          : (tensor<66xf32>) -> tensor<68xf32>
      %2 = dml.padding %1 {mode = #dml.padding_mode<reflection>,
          start_padding = array<i64: 1>, end_padding = array<i64: 1>}
          : (tensor<68xf32>) -> tensor<70xf32>
      %3 = dml.padding %b {mode = #dml.padding_mode<reflection>,
          start_padding = array<i64: 1>, end_padding = array<i64: 1>}
          : (tensor<60xf32>) -> tensor<62xf32>
      return %2, %3 : tensor<70xf32>, tensor<62xf32>
    })mlir");
  ASSERT_TRUE(file);
  const auto *main = file->functions()->Get(0);
  ASSERT_EQ(main->steps()->size(), 4u);
  std::vector<bool> barriers;
  for (const auto *step : *main->steps()) {
    EXPECT_EQ(step->label()->str(), "dml.padding");
    barriers.push_back(step->barrier());
  }
  EXPECT_EQ(barriers, (std::vector<bool>{false, true, true, false}));
  // 66 and 68 floats, both in use at the second step.
  EXPECT_EQ(main->temporary_size(), 1024u);
}

TEST_F(ExportTest, EqualKernelsStandOnce) {
  const auto *file = compile(R"mlir(
    func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>)
        -> (tensor<16xf32>, tensor<16xf32>) {
      %0 = dml.tile %a {repeats = array<i64: 2>}
          : (tensor<8xf32>) -> tensor<16xf32>
      %1 = dml.tile %b {repeats = array<i64: 2>}
          : (tensor<8xf32>) -> tensor<16xf32>
      return %0, %1 : tensor<16xf32>, tensor<16xf32>
    })mlir");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->kernels()->size(), 1u);
  EXPECT_EQ(file->shader_modules()->size(), 1u);
  EXPECT_EQ(file->functions()->Get(0)->steps()->size(), 2u);
}

TEST_F(ExportTest, EqualConstantsStandOnce) {
  const auto *file = compile(R"mlir(
    func.func @main() -> (tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {
      %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
      %1 = arith.constant dense<[5, 6]> : tensor<2xi32>
      return %0, %0, %1 : tensor<4xi32>, tensor<4xi32>, tensor<2xi32>
    })mlir");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->constants()->size(), 256u + 16u);
  EXPECT_EQ(file->constants()->Get(0), 1);
  EXPECT_EQ(file->constants()->Get(256), 5);
  for (const auto *step : *file->functions()->Get(0)->steps())
    EXPECT_EQ(step->operation_type(), executable::Operation::Copy);
}

/// An operator whose kernel has elements of 8 bits or words, and one of f32.
constexpr llvm::StringLiteral bytesAndFloats = R"mlir(
    func.func @bytes(%a: tensor<3x5xi8>) -> (tensor<3x10xi8>, tensor<8xi8>) {
      %0 = dml.tile %a {repeats = array<i64: 1, 2>}
          : (tensor<3x5xi8>) -> tensor<3x10xi8>
      %1 = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8>
      return %0, %1 : tensor<3x10xi8>, tensor<8xi8>
    }
    func.func @floats(%a: tensor<8xf32>) -> tensor<16xf32> {
      %0 = dml.tile %a {repeats = array<i64: 2>}
          : (tensor<8xf32>) -> tensor<16xf32>
      return %0 : tensor<16xf32>
    })mlir";

TEST_F(ExportTest, Variants) {
  const auto *file =
      compile(bytesAndFloats, {"full", "full,-shaderFloat16", "minimal"});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->version_minor(), 2u);
  // The last one's, which the functions' own steps are.
  EXPECT_EQ(file->requirements()->features()->size(), 0u);
  const auto *bytes = file->functions()->Get(0);
  // The second profile makes no difference to it.
  ASSERT_TRUE(bytes->variants());
  ASSERT_EQ(bytes->variants()->size(), 1u);
  const auto *features = bytes->variants()->Get(0)->requirements()->features();
  EXPECT_EQ(
      std::vector<executable::Feature>(features->begin(), features->end()),
      (std::vector<executable::Feature>{
          executable::Feature::shaderInt8,
          executable::Feature::storageBuffer8BitAccess}));
  auto getKernel = [](const executable::Step *step) {
    return step->operation_as_Dispatch()->kernel();
  };
  EXPECT_NE(getKernel(bytes->variants()->Get(0)->steps()->Get(0)),
            getKernel(bytes->steps()->Get(0)));
  // And no profile to the other, whose kernel stands once.
  EXPECT_FALSE(file->functions()->Get(1)->variants());
  EXPECT_EQ(file->kernels()->size(), 3u);
  // The same bytes, of 8-bit integers and of words.
  EXPECT_EQ(file->constants()->size(), 16u);
}

TEST_F(ExportTest, VariantsThatWouldNeverBeTakenAreLeftOut) {
  const auto *file = compile(bytesAndFloats, {"minimal", "full"});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->version_minor(), 1u);
  EXPECT_FALSE(file->functions()->Get(0)->variants());
  // And so are their kernels.
  EXPECT_EQ(file->kernels()->size(), 2u);
  EXPECT_EQ(file->requirements()->features()->size(), 0u);
}

} // namespace
