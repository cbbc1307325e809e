//===- Translation.cpp - --import-onnx ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "dml/Import/ONNX.h"
#include "dml/Import/Sizes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

void dml::onnx::registerTranslation() {
  static llvm::cl::list<std::string> dimensions(
      "dim", llvm::cl::value_desc("NAME=SIZE"),
      llvm::cl::desc("The size of a symbolic dimension of an ONNX model"));
  static llvm::cl::list<std::string> shapes(
      "input-shape", llvm::cl::value_desc("INPUT:1x3x224x224"),
      llvm::cl::desc("All sizes of an input of an ONNX model"));
  static TranslateToMLIRRegistration registration(
      "import-onnx", "Reads an ONNX model into dml operators",
      [](llvm::SourceMgr &sourceMgr,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *main =
            sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
        Location loc = UnknownLoc::get(context);
        ImportOptions options;
        auto sizes =
            stateSizes(*main, {dimensions, shapes, std::nullopt}, options);
        if (!sizes) {
          emitError(loc, llvm::toString(sizes.takeError()));
          return nullptr;
        }
        if (!sizes->batches.empty())
          emitRemark(loc, describeBatches(sizes->batches));
        // The driver frees its buffer, but constants refer to the buffer
        // longer, so that it is copied.
        auto copy = llvm::MemoryBuffer::getMemBufferCopy(
            main->getBuffer(), main->getBufferIdentifier());
        auto module = importModel(std::move(copy), context, options);
        if (!module) {
          emitError(loc) << "'" << main->getBufferIdentifier()
                         << "': " << llvm::toString(module.takeError());
          return nullptr;
        }
        return module->release().getOperation();
      },
      [](DialectRegistry &registry) { registerDialects(registry); });
}
