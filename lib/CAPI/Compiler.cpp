//===- Compiler.cpp - dml's compiler for programs in C --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml-c/Compiler.h"
#include "dml/IR/Nesting.h"
#include "dml/Import/TOSA.h"
#include "dml/Pipelines/Pipelines.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
struct Options : dml::CompilerOptions {
  /// The profiles that the caller added. They replace the option for a single
  /// profile.
  std::vector<std::string> profiles;
};
} // namespace

static Options *unwrap(DmlCompilerOptions options) {
  return static_cast<Options *>(options.ptr);
}

DmlCompilerOptions dmlCompilerOptionsCreate(void) { return {new Options}; }

void dmlCompilerOptionsDestroy(DmlCompilerOptions options) {
  delete unwrap(options);
}

MlirLogicalResult dmlCompilerOptionsSet(DmlCompilerOptions options,
                                        MlirStringRef name,
                                        MlirStringRef value) {
  return wrap(
      dml::setCompilerOption(*unwrap(options), unwrap(name), unwrap(value)));
}

void dmlCompilerOptionsSetDeviceProfile(DmlCompilerOptions options,
                                        MlirStringRef profile) {
  unwrap(options)->deviceProfile = unwrap(profile).str();
}

void dmlCompilerOptionsAddDeviceProfile(DmlCompilerOptions options,
                                        MlirStringRef profile) {
  unwrap(options)->profiles.push_back(unwrap(profile).str());
}

void dmlCompilerOptionsSetExternalWeights(DmlCompilerOptions options,
                                          bool external) {
  unwrap(options)->externalWeights = external;
}

void dmlCompilerOptionsSetFeatureLevel(DmlCompilerOptions options,
                                       MlirStringRef level) {
  unwrap(options)->featureLevel = unwrap(level).str();
}

void dmlCompilerOptionsSetLegalize(DmlCompilerOptions options, bool legalize) {
  unwrap(options)->legalize = legalize;
}

void dmlCompilerOptionsSetFuse(DmlCompilerOptions options, bool fuse) {
  unwrap(options)->fuse = fuse;
}

void dmlCompilerOptionsSetContractionTile(DmlCompilerOptions options,
                                          MlirStringRef tile) {
  unwrap(options)->contractionTile = unwrap(tile).str();
}

void dmlCompilerOptionsSetRowTile(DmlCompilerOptions options,
                                  MlirStringRef tile) {
  unwrap(options)->rowTile = unwrap(tile).str();
}

void dmlCompilerOptionsSetAttentionTile(DmlCompilerOptions options,
                                        MlirStringRef tile) {
  unwrap(options)->attentionTile = unwrap(tile).str();
}

void dmlCompilerOptionsSetMatrixTile(DmlCompilerOptions options,
                                     MlirStringRef tile) {
  unwrap(options)->matrixTile = unwrap(tile).str();
}

void dmlCompilerOptionsSetSumParts(DmlCompilerOptions options,
                                   MlirStringRef parts) {
  unwrap(options)->sumParts = unwrap(parts).str();
}

void dmlCompilerOptionsSetConvolutionLayout(DmlCompilerOptions options,
                                            MlirStringRef layout) {
  unwrap(options)->convolutionLayout = unwrap(layout).str();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

MlirLogicalResult
dmlModuleCompileToExecutable(MlirModule module, DmlCompilerOptions options,
                             MlirStringCallback takeExecutable,
                             void *userData) {
  if (dml::tosareader::isModel(unwrap(module)) &&
      failed(dml::tosareader::convertModel(unwrap(module))))
    return wrap(failure());
  FailureOr<std::vector<uint8_t>> bytes = dml::compileToExecutable(
      unwrap(module), *unwrap(options), unwrap(options)->profiles);
  if (failed(bytes))
    return wrap(failure());
  takeExecutable(
      mlirStringRefCreate(reinterpret_cast<const char *>(bytes->data()),
                          bytes->size()),
      userData);
  return wrap(success());
}

namespace {
/// A diagnostic, or a note of a diagnostic, as text.
struct Message {
  MlirDiagnosticSeverity severity;
  std::string location;
  std::string text;
};
} // namespace

/// Returns "model.mlir:3:8", or only the name of the file if the module has no
/// position in it. Returns an empty text if `location` is not in a file.
static std::string describe(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    text = place.getFilename().str();
    if (place.getLine() != 0)
      text += ":" + std::to_string(place.getLine()) + ":" +
              std::to_string(place.getColumn());
    return WalkResult::interrupt();
  });
  return text;
}

static MlirDiagnosticSeverity getSeverity(const Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return MlirDiagnosticError;
  case DiagnosticSeverity::Warning:
    return MlirDiagnosticWarning;
  case DiagnosticSeverity::Note:
    return MlirDiagnosticNote;
  case DiagnosticSeverity::Remark:
    return MlirDiagnosticRemark;
  }
  llvm_unreachable("unknown severity");
}

/// Parses the one buffer of `sources`.
static OwningOpRef<ModuleOp>
parse(const std::shared_ptr<llvm::SourceMgr> &sources, MLIRContext &context) {
  llvm::MemoryBufferRef source = *sources->getMemoryBuffer(1);
  if (!isBytecode(source))
    if (llvm::Error error = dml::checkNesting(source.getBuffer())) {
      emitError(
          FileLineColLoc::get(&context, source.getBufferIdentifier(), 0, 0),
          llvm::toString(std::move(error)));
      return nullptr;
    }
  if (isBytecode(source))
    return dml::parseBytecode(sources, &context);
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

MlirLogicalResult dmlCompileToExecutable(MlirStringRef source,
                                         MlirStringRef name,
                                         DmlCompilerOptions options,
                                         MlirStringCallback takeExecutable,
                                         DmlDiagnosticCallback takeDiagnostic,
                                         void *userData) {
  DialectRegistry registry;
  dml::registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);

  // Passes report from several threads. The messages are collected, so that the
  // caller receives them on its own thread.
  std::vector<Message> messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages.push_back({getSeverity(diagnostic),
                        describe(diagnostic.getLocation()), diagnostic.str()});
    for (const Diagnostic &note : diagnostic.getNotes())
      messages.push_back(
          {getSeverity(note), describe(note.getLocation()), note.str()});
  });
  // The parser requires a zero behind the text, which the caller's buffer may
  // lack.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(unwrap(source), unwrap(name)),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parse(sources, context);
  MlirLogicalResult result = wrap(failure());
  if (module)
    result = dmlModuleCompileToExecutable(wrap(*module), options,
                                          takeExecutable, userData);
  if (takeDiagnostic)
    for (const Message &message : messages)
      takeDiagnostic(message.severity,
                     {message.location.data(), message.location.size()},
                     {message.text.data(), message.text.size()}, userData);
  return result;
}
