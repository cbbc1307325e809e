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

/// Returns how many letters are wrong, missing or additional in `lhs`, compared
/// with `rhs`. Two neighbours that have changed places count once.
static unsigned getDistance(StringRef lhs, StringRef rhs) {
  // The rows of the table of distances of all beginnings of both names: that of
  // the beginning of `lhs` that grows, and the two before it.
  SmallVector<unsigned> beforeLast, last, row(rhs.size() + 1);
  for (auto [j, distance] : llvm::enumerate(row))
    distance = j;
  for (size_t i = 0; i < lhs.size(); ++i) {
    beforeLast = std::exchange(last, row);
    row[0] = i + 1;
    for (size_t j = 0; j < rhs.size(); ++j) {
      row[j + 1] =
          std::min({last[j] + (lhs[i] != rhs[j]), row[j] + 1, last[j + 1] + 1});
      if (i > 0 && j > 0 && lhs[i] == rhs[j - 1] && lhs[i - 1] == rhs[j])
        row[j + 1] = std::min(row[j + 1], beforeLast[j - 1] + 1);
    }
  }
  return row.back();
}

StringRef dml::findNearest(StringRef name, ArrayRef<StringRef> names) {
  StringRef nearest;
  unsigned nearestDistance = std::numeric_limits<unsigned>::max();
  bool isUnique = false;
  for (StringRef known : names) {
    unsigned distance = getDistance(name, known);
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

std::string dml::suggestNearest(StringRef name, ArrayRef<StringRef> names) {
  StringRef nearest = findNearest(name, names);
  return nearest.empty() ? std::string()
                         : ("; did you mean '" + nearest + "'?").str();
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

/// Returns what the missing attribute wants to be of which `message`, MLIR's,
/// says that an operator of the dialect requires it, or an empty text.
static std::string describeMissingAttribute(StringRef message) {
  if (!message.consume_front("'dml."))
    return {};
  auto [op, rest] = message.split('\'');
  if (!rest.consume_front(" op requires attribute '"))
    return {};
  // An attribute of a wrong kind has an error that says which one is right. It
  // is emitted in a context of its own, since this one's handlers are at work.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<DMLDialect>();
  std::string text;
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &each) { text = each.str(); });
  NamedAttrList attributes;
  attributes.set(rest.take_until([](char c) { return c == '\''; }),
                 UnitAttr::get(&context));
  // There is a text exactly if this fails.
  (void)OperationName(("dml." + op).str(), &context)
      .verifyInherentAttrs(attributes, [&] {
        return mlir::emitError(UnknownLoc::get(&context));
      });
  size_t wanted = text.find(", wanted ");
  return wanted == std::string::npos ? std::string()
                                     : ":" + text.substr(wanted + 1);
}

static void addSuggestions(MLIRContext *context, DMLDialect *) {
  context->getDiagEngine().registerHandler([context](Diagnostic &diagnostic) {
    std::string message = diagnostic.str();
    diagnostic << describeMissingAttribute(message);
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
