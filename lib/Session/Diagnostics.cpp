//===- Diagnostics.cpp - What the compiler says in a session --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "dml/Pipelines/Pipelines.h"

using namespace mlir;
using namespace dml::session;

static DialectRegistry getRegistry() {
  DialectRegistry registry;
  dml::registerCompilerDialects(registry);
  return registry;
}

CompilerContext::CompilerContext()
    : context(getRegistry()),
      handler(&context, [this](Diagnostic &diagnostic) { take(diagnostic); }) {
  // Unregistered operations are parsed, so that the compiler can name the
  // operation that it cannot compile.
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);
}

/// "3:8: ", or nothing for a location that is no place in a text.
static std::string describePlace(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place || place.getLine() == 0)
      return WalkResult::advance();
    text = std::to_string(place.getLine()) + ":" +
           std::to_string(place.getColumn()) + ": ";
    return WalkResult::interrupt();
  });
  return text;
}

void CompilerContext::take(Diagnostic &diagnostic) {
  std::string text = describePlace(diagnostic.getLocation()) +
                     dml::runtime::escapeMessage(diagnostic.str());
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    errors.push_back(std::move(text));
  else if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    warnings.push_back(std::move(text));
}

Status CompilerContext::getError(DmlResult result,
                                 const char *otherwise) const {
  return Status(result, errors.empty() ? otherwise : errors.front());
}

void Messages::warn(const std::string &text) {
  if (!callback)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  callback(userData, DML_MESSAGE_SEVERITY_WARNING, text.c_str());
}
