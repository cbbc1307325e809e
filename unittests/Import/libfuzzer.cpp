//===- libfuzzer.cpp - The readers of models under Clang's libFuzzer ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// READER says which reader a program is for. A file is read or refused;
// whatever else happens, the sanitizers tell.
//
//===----------------------------------------------------------------------===//

#include "Testing/Mutation/ModelMutator.h"
#include "dml/Import/DirectML.h"
#include "dml/Import/ONNX.h"
#include "dml/Import/ONNXRuntime.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace {
enum class Reader { ONNX, DispatchModel, SerializedGraph };

llvm::Expected<OwningOpRef<ModuleOp>>
read(Reader reader, std::unique_ptr<llvm::MemoryBuffer> file,
     MLIRContext *context) {
  switch (reader) {
  case Reader::ONNX: {
    // With ONNX Runtime's optimizations first, which see any model that
    // decodes.
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(
        file->getBuffer(), file->getBufferIdentifier());
    auto optimized = dml::onnx::importOptimizedModel(std::move(copy), context);
    if (!optimized)
      llvm::consumeError(optimized.takeError());
    return dml::onnx::importModel(std::move(file), context);
  }
  case Reader::DispatchModel: {
    dml::directml::Commands commands;
    return dml::directml::importDispatchModel(*file, context, &commands);
  }
  case Reader::SerializedGraph:
    return dml::directml::importSerializedGraph(std::move(file), context);
  }
  llvm_unreachable("no reader");
}
} // namespace

// libFuzzer asks for these names.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  // Fields of models change as fields, so that most files get past the decoder.
  // What is too long then, and now and then another file, changes as bytes.
  dml::fuzz::Random random(seed);
  if (READER == Reader::ONNX && !random.oneIn(4)) {
    std::string spoiled = dml::fuzz::spoilModel(
        llvm::StringRef(reinterpret_cast<const char *>(data), size), random);
    if (spoiled.size() <= maxSize) {
      llvm::copy(spoiled, reinterpret_cast<char *>(data));
      return spoiled.size();
    }
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A context keeps the attributes of all that was built in it, and takes
  // longer to make than most files take to read.
  constexpr unsigned filesOfContext = 200;
  static std::unique_ptr<MLIRContext> context;
  static unsigned count = 0;
  if (count++ % filesOfContext == 0) {
    DialectRegistry registry;
    dml::onnx::registerDialects(registry);
    dml::directml::registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    context->getDiagEngine().registerHandler(
        [](Diagnostic &) { return success(); });
  }
  // Files beside the model are looked for in a folder that is not there.
  auto file = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(reinterpret_cast<const char *>(data), size),
      "/nonexistent/model");
  auto module = read(READER, std::move(file), context.get());
  if (!module)
    llvm::consumeError(module.takeError());
  return 0;
}
