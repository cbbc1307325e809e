//===- CompilerTest.cpp - The compiler's C API ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml-c/Compiler.h"
#include "dml-c/Dialects.h"
#include "dml-c/Passes.h"
#include "dml/runtime.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"
#include "gmock/gmock.h"
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

// Introduced in feature level 3_1 for rank 2, and in 1_0 for rank 4.
static constexpr std::string_view tile = R"(
func.func @main(%a: tensor<2x2xf32>) -> tensor<4x2xf32> {
  %0 = dml.tile %a {repeats = array<i64: 2, 1>}
     : (tensor<2x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
)";

static MlirStringRef ref(std::string_view text) {
  return mlirStringRefCreate(text.data(), text.size());
}

static std::string_view view(MlirStringRef text) {
  return {text.data, text.length};
}

namespace {
struct Message {
  MlirDiagnosticSeverity severity;
  std::string location;
  std::string text;
};

/// What a call gave.
struct Outcome {
  bool isDone = false;
  unsigned numExecutables = 0;
  std::string executable;
  std::vector<Message> messages;
  std::thread::id caller = std::this_thread::get_id();
};

class Options {
public:
  Options() : options(dmlCompilerOptionsCreate()) {}
  ~Options() { dmlCompilerOptionsDestroy(options); }
  Options(const Options &) = delete;

  operator DmlCompilerOptions() const { return options; }

private:
  DmlCompilerOptions options;
};
} // namespace

static void takeExecutable(MlirStringRef bytes, void *userData) {
  auto *outcome = static_cast<Outcome *>(userData);
  ++outcome->numExecutables;
  outcome->executable = view(bytes);
}

static void takeDiagnostic(MlirDiagnosticSeverity severity,
                           MlirStringRef location, MlirStringRef message,
                           void *userData) {
  auto *outcome = static_cast<Outcome *>(userData);
  EXPECT_EQ(outcome->caller, std::this_thread::get_id());
  outcome->messages.push_back(
      {severity, std::string(view(location)), std::string(view(message))});
}

static Outcome compile(std::string_view source, DmlCompilerOptions options) {
  Outcome outcome;
  outcome.isDone = mlirLogicalResultIsSuccess(
      dmlCompileToExecutable(ref(source), ref("model.mlir"), options,
                             takeExecutable, takeDiagnostic, &outcome));
  EXPECT_EQ(outcome.numExecutables, outcome.isDone ? 1u : 0u);
  return outcome;
}

/// The functions' names, or the runtime's error.
static std::vector<std::string> getFunctions(const std::string &bytes) {
  DmlExecutable executable = nullptr;
  DmlError error = nullptr;
  std::vector<std::string> names;
  if (dmlCreateExecutable(bytes.data(), bytes.size(), nullptr, &executable,
                          &error)) {
    names.push_back(dmlGetErrorMessage(error));
    dmlDestroyError(error);
    return names;
  }
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  for (uint32_t i = 0; i < info.functionCount; ++i) {
    DmlFunctionInfo function{};
    EXPECT_EQ(dmlGetFunctionInfo(executable, i, &function, nullptr),
              DML_SUCCESS);
    names.push_back(function.name);
  }
  dmlDestroyExecutable(executable);
  return names;
}

static auto isError(const std::string &location, const std::string &text) {
  return AllOf(Field(&Message::severity, MlirDiagnosticError),
               Field(&Message::location, location),
               Field(&Message::text, HasSubstr(text)));
}

TEST(Compiler, MakesWhatTheRuntimeTakes) {
  Options options;
  Outcome outcome = compile(tile, options);
  EXPECT_TRUE(outcome.isDone);
  EXPECT_THAT(outcome.messages, IsEmpty());
  EXPECT_THAT(getFunctions(outcome.executable), ElementsAre("main"));
}

TEST(Compiler, ReadsNoFurtherThanTheSource) {
  Options options;
  std::string longer = std::string(tile) + "this is no MLIR";
  Outcome outcome =
      compile(std::string_view(longer).substr(0, tile.size()), options);
  EXPECT_TRUE(outcome.isDone);
}

TEST(Compiler, ReportsErrorsWithTheirPlace) {
  Options options;
  EXPECT_THAT(compile("\n  nonsense", options).messages,
              ElementsAre(isError("model.mlir:2:3", "nonsense")));
  EXPECT_THAT(compile("", options).messages,
              ElementsAre(isError("model.mlir", "no public function")));
  // The verifier's.
  std::string wrong(tile);
  wrong.replace(wrong.find("2, 1>"), 5, "2>   ");
  Outcome outcome = compile(wrong, options);
  ASSERT_FALSE(outcome.messages.empty());
  EXPECT_THAT(outcome.messages[0], isError("model.mlir:3:8", "repeats"));
}

TEST(Compiler, GivesNotesAfterTheirError) {
  Options options;
  std::string twice = std::string(tile) + std::string(tile);
  EXPECT_THAT(compile(twice, options).messages,
              ElementsAre(isError("model.mlir:8:1", "redefinition"),
                          AllOf(Field(&Message::severity, MlirDiagnosticNote),
                                Field(&Message::location, "model.mlir:2:1"))));
}

TEST(Compiler, ConvertsTosa) {
  Options options;
  std::string_view tosa = R"mlir(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)mlir";
  Outcome outcome = compile(tosa, options);
  EXPECT_TRUE(outcome.isDone);
  EXPECT_THAT(getFunctions(outcome.executable), ElementsAre("main"));
  std::string open(tosa);
  for (size_t at = 0; (at = open.find("<4x", at)) != std::string::npos;)
    open.replace(at, 3, "<?x");
  EXPECT_THAT(compile(open, options).messages,
              ElementsAre(isError("model.mlir:3:8", "known sizes")));
}

TEST(Compiler, NeedsNoDiagnosticCallback) {
  Options options;
  Outcome outcome;
  EXPECT_TRUE(mlirLogicalResultIsFailure(
      dmlCompileToExecutable(ref("nonsense"), ref(""), options, takeExecutable,
                             /*takeDiagnostic=*/nullptr, &outcome)));
  EXPECT_EQ(outcome.numExecutables, 0u);
}

TEST(Compiler, KeepsToTheFeatureLevel) {
  Options options;
  dmlCompilerOptionsSetFeatureLevel(options, ref("2_0"));
  EXPECT_THAT(compile(tile, options).messages,
              Contains(isError("model.mlir:3:8", "2_0")));
  dmlCompilerOptionsSetLegalize(options, true);
  EXPECT_TRUE(compile(tile, options).isDone);
  dmlCompilerOptionsSetFeatureLevel(options, ref("none"));
  EXPECT_THAT(compile(tile, options).messages,
              ElementsAre(isError("model.mlir", "none")));
  dmlCompilerOptionsSetFeatureLevel(options, ref(""));
  EXPECT_THAT(compile(tile, options).messages,
              ElementsAre(isError("model.mlir", "feature-level")));
}

TEST(Compiler, KeepsToTheOtherOptions) {
  Options options;
  dmlCompilerOptionsSetDeviceProfile(options, ref("full,-shaderInt65"));
  EXPECT_THAT(compile(tile, options).messages,
              ElementsAre(isError("model.mlir", "shaderInt65")));
  dmlCompilerOptionsSetDeviceProfile(options, ref("minimal"));
  EXPECT_TRUE(compile(tile, options).isDone);
  dmlCompilerOptionsSetContractionTile(options, ref("x"));
  Outcome outcome = compile(tile, options);
  ASSERT_FALSE(outcome.messages.empty());
  EXPECT_THAT(outcome.messages[0].text, HasSubstr("'x'"));
  dmlCompilerOptionsSetContractionTile(options, ref("none"));
  dmlCompilerOptionsSetAttentionTile(options, ref("64"));
  outcome = compile(tile, options);
  ASSERT_FALSE(outcome.messages.empty());
  EXPECT_THAT(outcome.messages[0].text, HasSubstr("'64'"));
  dmlCompilerOptionsSetAttentionTile(options, ref("none"));

  std::string twice(tile);
  twice.replace(twice.find("return"), std::string_view("return %0").size(),
                R"(%1 = dml.element_wise_add %0, %0
     : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %1)");
  std::string fused = compile(twice, options).executable;
  dmlCompilerOptionsSetFuse(options, false);
  std::string unfused = compile(twice, options).executable;
  EXPECT_FALSE(fused.empty());
  EXPECT_LT(fused.size(), unfused.size());
}

TEST(Compiler, SetsOptionsByTheirNames) {
  Options options;
  auto set = [&](std::string_view name, std::string_view value) {
    return mlirLogicalResultIsSuccess(
        dmlCompilerOptionsSet(options, ref(name), ref(value)));
  };
  EXPECT_TRUE(set("feature-level", "2_0"));
  EXPECT_THAT(compile(tile, options).messages,
              Contains(isError("model.mlir:3:8", "2_0")));
  EXPECT_TRUE(set("legalize", "true"));
  EXPECT_TRUE(compile(tile, options).isDone);
  EXPECT_TRUE(set("sum-parts", "x"));
  EXPECT_THAT(compile(tile, options).messages,
              ElementsAre(isError("model.mlir", "'x'")));
  EXPECT_TRUE(set("sum-parts", "auto"));
  // What is refused changes nothing.
  EXPECT_FALSE(set("legalize", "yes"));
  EXPECT_FALSE(set("tile", "64x64"));
  EXPECT_FALSE(set("", ""));
  EXPECT_TRUE(compile(tile, options).isDone);
  EXPECT_TRUE(set("legalize", "false"));
  EXPECT_FALSE(compile(tile, options).isDone);
}

TEST(Compiler, MakesAVariantForEachProfile) {
  // Without 64-bit integers, a kernel computes with pairs of words.
  std::string_view wide = R"(
func.func @main(%a: tensor<4xi64>) -> tensor<4xi64> {
  %0 = dml.element_wise_multiply %a, %a
     : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
)";
  Options options;
  std::string one = compile(wide, options).executable;
  // Those that are added stand for the one that is set.
  dmlCompilerOptionsSetDeviceProfile(options, ref("tiny"));
  dmlCompilerOptionsAddDeviceProfile(options, ref("full"));
  EXPECT_EQ(compile(wide, options).executable.size(), one.size());
  dmlCompilerOptionsAddDeviceProfile(options, ref("minimal"));
  EXPECT_GT(compile(wide, options).executable.size(), one.size());
  dmlCompilerOptionsAddDeviceProfile(options, ref("huge"));
  EXPECT_THAT(compile(wide, options).messages,
              Contains(isError("model.mlir", "'huge'")));
}

TEST(Compiler, RunsOnManyThreads) {
  Options options;
  std::vector<Outcome> outcomes(4);
  std::vector<std::thread> threads;
  for (Outcome &outcome : outcomes)
    threads.emplace_back([&] { outcome = compile(tile, options); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Outcome &outcome : outcomes) {
    EXPECT_TRUE(outcome.isDone);
    EXPECT_EQ(outcome.executable, outcomes[0].executable);
  }
}

namespace {
/// A context that compiles, made with MLIR's C API.
class Module : public testing::Test {
protected:
  Module() {
    MlirDialectRegistry registry = mlirDialectRegistryCreate();
    dmlRegisterCompilerDialects(registry);
    context = mlirContextCreateWithRegistry(registry, /*threading=*/true);
    mlirDialectRegistryDestroy(registry);
    module = mlirModuleCreateParse(context, ref(tile));
  }
  ~Module() override {
    mlirModuleDestroy(module);
    mlirContextDestroy(context);
  }

  MlirContext context;
  MlirModule module;
};
} // namespace

TEST_F(Module, IsCompiled) {
  Options options;
  Outcome outcome;
  EXPECT_TRUE(mlirLogicalResultIsSuccess(
      dmlModuleCompileToExecutable(module, options, takeExecutable, &outcome)));
  EXPECT_EQ(outcome.executable, compile(tile, options).executable);
}

TEST_F(Module, ReportsToItsContext) {
  Options options;
  dmlCompilerOptionsSetFeatureLevel(options, ref("1_0"));
  unsigned errors = 0;
  mlirContextAttachDiagnosticHandler(
      context,
      [](MlirDiagnostic diagnostic, void *userData) {
        if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError)
          ++*static_cast<unsigned *>(userData);
        return mlirLogicalResultSuccess();
      },
      &errors, /*deleteUserData=*/nullptr);
  Outcome outcome;
  EXPECT_TRUE(mlirLogicalResultIsFailure(
      dmlModuleCompileToExecutable(module, options, takeExecutable, &outcome)));
  EXPECT_GE(errors, 1u);
  EXPECT_EQ(outcome.numExecutables, 0u);
}

TEST_F(Module, GoesThroughPipelinesByName) {
  dmlRegisterPasses();
  dmlRegisterPasses();
  MlirPassManager pm = mlirPassManagerCreate(context);
  std::string errors;
  auto append = [](MlirStringRef text, void *userData) {
    static_cast<std::string *>(userData)->append(text.data, text.length);
  };
  ASSERT_TRUE(mlirLogicalResultIsSuccess(mlirParsePassPipeline(
      mlirPassManagerGetAsOpPassManager(pm),
      ref("builtin.module(dml-to-linalg)"), append, &errors)))
      << errors;
  ASSERT_TRUE(mlirLogicalResultIsSuccess(
      mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module))));
  mlirPassManagerDestroy(pm);
  std::string text;
  mlirOperationPrint(mlirModuleGetOperation(module), append, &text);
  EXPECT_THAT(text, HasSubstr("linalg.generic"));

  // A later stage leads to the same executable, as text and as bytecode.
  Options options;
  std::string executable = compile(tile, options).executable;
  EXPECT_EQ(compile(text, options).executable, executable);
  std::string bytecode;
  mlirOperationWriteBytecode(mlirModuleGetOperation(module), append, &bytecode);
  EXPECT_EQ(compile(bytecode, options).executable, executable);
}

TEST(Dialect, IsKnownByItsHandle) {
  MlirDialectHandle handle = mlirGetDialectHandle__dml__();
  EXPECT_EQ(view(mlirDialectHandleGetNamespace(handle)), "dml");
  MlirContext context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(handle, context);
  EXPECT_FALSE(
      mlirDialectIsNull(mlirContextGetOrLoadDialect(context, ref("dml"))));
  mlirContextDestroy(context);
}
