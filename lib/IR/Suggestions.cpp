//===- Suggestions.cpp - What a misspelt name probably means --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/Suggestions.h"

#include "dml/IR/DML.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <limits>

using namespace mlir;
using namespace dml;

StringRef dml::findNearest(StringRef name, ArrayRef<StringRef> names) {
  StringRef nearest;
  unsigned nearestDistance = std::numeric_limits<unsigned>::max();
  bool isUnique = false;
  for (StringRef known : names) {
    unsigned distance = name.edit_distance(known);
    isUnique =
        distance < nearestDistance || (isUnique && distance > nearestDistance);
    if (distance < nearestDistance) {
      nearest = known;
      nearestDistance = distance;
    }
  }
  // Up to a third of the letters may be wrong, missing or additional.
  bool isNear = nearestDistance <= std::max(nearest.size(), name.size()) / 3;
  return isNear && isUnique ? nearest : StringRef();
}

/// Returns the name of the operation of which `message`, MLIR's, says that
/// there is none, or an empty text.
static StringRef getUnknownOperation(StringRef message) {
  // The parser's error about an operation in the form of its dialect, and the
  // verifier's about one in the generic form.
  if (!message.consume_front("custom op '") &&
      !message.consume_front("unregistered operation '"))
    return {};
  auto [name, rest] = message.split('\'');
  return rest.starts_with(" is unknown") ||
                 rest.starts_with(" found in dialect")
             ? name
             : StringRef();
}

/// Returns the operation of the same dialect that `name` probably means.
static StringRef findNearestOperation(MLIRContext &context, StringRef name) {
  StringRef dialect = name.split('.').first;
  SmallVector<StringRef> names;
  for (RegisteredOperationName known : context.getRegisteredOperations())
    if (known.getDialectNamespace() == dialect)
      names.push_back(known.getStringRef());
  // The name of the dialect, which is right, does not count.
  StringRef prefix = name.take_front(dialect.size() + 1);
  for (StringRef &known : names)
    known = known.drop_front(prefix.size());
  StringRef nearest = findNearest(name.drop_front(prefix.size()), names);
  return nearest.empty() ? nearest
                         : StringRef(nearest.data() - prefix.size(),
                                     nearest.size() + prefix.size());
}

static void addSuggestions(MLIRContext *context, DMLDialect *) {
  context->getDiagEngine().registerHandler([context](Diagnostic &diagnostic) {
    std::string message = diagnostic.str();
    StringRef unknown = getUnknownOperation(message);
    if (unknown.contains('.'))
      if (StringRef nearest = findNearestOperation(*context, unknown);
          !nearest.empty())
        diagnostic << "; did you mean '" << nearest << "'?";
    // The handlers before this one print the diagnostic.
    return failure();
  });
}

void dml::suggestOperations(DialectRegistry &registry) {
  registry.addExtension(addSuggestions);
}
