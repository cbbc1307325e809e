//===- Text.cpp - The report as lines of text -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Explain/Explain.h"

#include "executable_names.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace dml;
using namespace dml::explain;

static std::string count(size_t number, StringRef noun) {
  return (Twine(number) + " " + noun + (number == 1 ? "" : "s")).str();
}

std::string dml::explain::describeMade(const Legalization &entry) {
  llvm::MapVector<StringRef, unsigned> counts;
  for (OperationName name : entry.made)
    ++counts[name.getStringRef()];
  std::string text;
  for (auto [name, number] : counts) {
    text += text.empty() ? "" : ", ";
    if (number > 1)
      text += std::to_string(number) + " times ";
    text += name.str();
  }
  // An operator may be replaced by views only, which are no operators.
  return text.empty() ? "views" : text;
}

namespace {
/// Prints the places of operations, grouped by their functions.
class PlacePrinter {
public:
  explicit PlacePrinter(raw_ostream &os) : os(os) {}

  /// Begins a group: the next place names its function.
  void begin() { isFirst = true; }
  void print(Operation *op);

private:
  raw_ostream &os;
  bool isFirst = true;
  StringRef function;
};
} // namespace

void PlacePrinter::print(Operation *op) {
  StringRef name = getFunctionName(op);
  if (isFirst || name != function) {
    isFirst = false;
    function = name;
    os << (name.empty() ? "module" : ("@" + name).str()) << "\n";
  }
  os << "  ";
  Place place(op);
  if (place.line != 0)
    os << "line " << place.line << ": ";
  else if (!place.node.empty())
    os << "node '" << place.node << "': ";
}

static void printOperators(const Report &report, PlacePrinter &places,
                           raw_ostream &os) {
  for (const OpReport &opReport : report.ops) {
    FeatureLevelOpInterface op = opReport.op;
    const OperatorSupport &support = op.getOperatorSupport();
    places.print(op);
    os << op->getName() << " needs "
       << getFeatureLevelNumber(*opReport.minimum.level) << ": "
       << support.describe(opReport.minimum.deciding);
    if (opReport.minimum.deciding.kind == Requirement::Kind::Operator)
      os << " was introduced there";
    os << "\n";
    for (const Requirement &violation : opReport.violations)
      os << "    does not fit: "
         << support.describeViolation(violation, *opReport.target) << "\n";
  }
}

/// Prints the parts of the file whose level is not known.
static void printUnknown(const Report &report, PlacePrinter &places,
                         raw_ostream &os) {
  if (!report.foreign.empty()) {
    os << "not DirectML's: " << count(report.foreign.size(), "operation")
       << "\n";
    places.begin();
    for (Operation *op : report.foreign) {
      places.print(op);
      os << op->getName() << "\n";
    }
  }
  if (!report.unread.empty()) {
    os << "not read, since DirectML's operators do not express them:\n";
    for (StringRef kind : report.unread)
      os << "  " << kind << "\n";
  }
  if (!report.notTaken.empty()) {
    os << "not taken by ONNX Runtime's DirectML provider: "
       << count(report.notTaken.size(), "node") << "\n";
    places.begin();
    for (const NotTakenNode &node : report.notTaken) {
      places.print(node.ops.front());
      os << node.reason << " (here " << count(node.ops.size(), "operator")
         << ")\n";
    }
  }
}

static void printLevel(const Report &report, raw_ostream &os) {
  if (report.ops.empty()) {
    os << (report.notTaken.empty() ? "no" : "no other")
       << " dml operators: nothing to say about feature levels\n";
    return;
  }
  bool isPart = !report.notTaken.empty() || !report.unread.empty();
  os << (!report.foreign.empty() ? "the dml operators alone: "
         : isPart                ? "the other operators alone: "
                                 : "together: ");
  os << "feature level " << getFeatureLevelNumber(report.level) << "\n"
     << "  DirectML " << getFeatureLevelInfo(report.level).directMLVersion
     << " or newer\n  ";
  StringRef windows = getFirstWindowsRelease(report.level);
  if (windows.empty())
    os << "no Windows has it as a system component; applications carry the "
          "package Microsoft.AI.DirectML\n";
  else
    os << windows << " or newer\n";
}

static void printOptimizations(const Report &report, raw_ostream &os) {
  if (!report.isONNX && !report.isOptimized)
    return;
  os << "ONNX Runtime's optimizations: ";
  if (!report.isOptimized) {
    os << "none; the graph is taken as it stands\n";
    return;
  }
  os << "all that are modelled\n";
  for (auto [name, number] : report.fused)
    os << "  " << name << ": " << number << "\n";
  if (report.fused.empty())
    os << "  nothing was fused\n";
  for (auto [name, level] : report.open) {
    os << "  not modelled, and could change this model's operators: " << name
       << ", ";
    if (!level)
      os << "which may need any level\n";
    else
      os << "which may need " << getFeatureLevelNumber(*level) << "\n";
  }
}

static void printLegalization(const Report &report, PlacePrinter &places,
                              raw_ostream &os) {
  if (report.legalizations.empty())
    return;
  size_t impossible =
      llvm::count_if(report.legalizations, [](const Legalization &entry) {
        return !entry.whyNot.empty();
      });
  os << "legalization to " << getFeatureLevelNumber(*report.asked) << ": "
     << count(report.legalizations.size() - impossible, "operator")
     << " can be rewritten, " << impossible << " cannot\n";
  places.begin();
  for (const Legalization &entry : report.legalizations) {
    places.print(entry.op);
    os << FeatureLevelOpInterface(entry.op)->getName();
    if (entry.whyNot.empty())
      os << " becomes " << describeMade(entry) << "\n";
    else
      os << " cannot be rewritten: " << entry.whyNot << "\n";
  }
}

static void printVerdict(const Report &report, raw_ostream &os) {
  switch (report.getVerdict()) {
  case Verdict::None:
    return;
  case Verdict::Fits:
    os << "fits ";
    break;
  case Verdict::DoesNotFit:
    os << "does not fit ";
    break;
  case Verdict::Undecided:
    if (!report.hasTarget()) {
      os << "undecided\n";
      return;
    }
    os << "undecided, though the "
       << (!report.foreign.empty()                              ? "dml "
           : !report.notTaken.empty() || !report.unread.empty() ? "other "
                                                                : "")
       << "operators fit: ";
    break;
  }
  if (report.asked)
    os << "feature level " << getFeatureLevelNumber(*report.asked) << "\n";
  else
    os << "the target that the file states\n";
}

void dml::explain::printText(const Report &report, raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream lines(text);
  PlacePrinter places(lines);
  printOperators(report, places, lines);
  printUnknown(report, places, lines);
  printLevel(report, lines);
  printOptimizations(report, lines);
  printLegalization(report, places, lines);
  printVerdict(report, lines);
  os << executable::escapeControls(text);
}
