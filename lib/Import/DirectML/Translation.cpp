//===- Translation.cpp - --import-dxdispatch and --import-dml-graph -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "dml/Import/DirectML.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace dml::directml;

/// Registers a translation that passes the file to `read`.
template <typename Read>
static void registerReader(StringRef name, StringRef description, Read read) {
  TranslateToMLIRRegistration registration(
      name, description,
      [read](llvm::SourceMgr &sourceMgr,
             MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *main =
            sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
        auto module = read(*main, context);
        if (!module) {
          emitError(UnknownLoc::get(context))
              << "'" << main->getBufferIdentifier()
              << "': " << llvm::toString(module.takeError());
          return nullptr;
        }
        return module->release().getOperation();
      },
      [](DialectRegistry &registry) { registerDialects(registry); });
}

void dml::directml::registerTranslations() {
  registerReader("import-dxdispatch",
                 "Reads a JSON model of DxDispatch into dml operators",
                 [](const llvm::MemoryBuffer &file, MLIRContext *context) {
                   return importDispatchModel(file, context);
                 });
  registerReader("import-dml-graph",
                 "Reads a serialized graph of DirectML into dml operators",
                 [](const llvm::MemoryBuffer &file, MLIRContext *context) {
                   // The driver frees its buffer, but constants refer to the
                   // buffer longer, so that it is copied.
                   return importSerializedGraph(
                       llvm::MemoryBuffer::getMemBufferCopy(
                           file.getBuffer(), file.getBufferIdentifier()),
                       context);
                 });
}
