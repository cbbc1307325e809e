//===- Text.cpp - The report as lines of text -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Explain/Explain.h"

#include "executable_names.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <map>

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

/// Returns what an operator needs, and why.
static std::string describeNeed(const OpReport &opReport) {
  std::string text = FeatureLevelOpInterface(opReport.op)
                         .getOperatorSupport()
                         .describe(opReport.minimum.deciding);
  if (opReport.minimum.deciding.kind == Requirement::Kind::Operator)
    text += " was introduced there";
  return text;
}

static StringRef getName(const OpReport &opReport) {
  return FeatureLevelOpInterface(opReport.op)->getName().getStringRef();
}

namespace {
/// Prints a line for all operations of which the same is said, with their
/// number and the place of the first: "dml.tile x 3, first at line 18: input
/// has rank 2". The text begins with its own separator, ": " or " ".
class GroupPrinter {
public:
  void add(Operation *op, StringRef name, const Twine &text) {
    Group group{op, name.str(), text.str(), 1};
    auto [it, isNew] =
        numbers.try_emplace(group.name + "\n" + group.text, groups.size());
    if (isNew)
      groups.push_back(std::move(group));
    else
      ++groups[it->second].count;
  }
  void print(raw_ostream &os) const;

private:
  struct Group {
    Operation *first = nullptr;
    std::string name, text;
    size_t count = 0;
  };
  SmallVector<Group> groups;
  llvm::StringMap<size_t> numbers;
};
} // namespace

void GroupPrinter::print(raw_ostream &os) const {
  for (const Group &group : groups) {
    os << "  " << group.name;
    if (group.count > 1)
      os << " x " << group.count << ", first";
    Place place(group.first);
    if (place.line != 0)
      os << " at line " << place.line;
    else if (!place.node.empty())
      os << " at node '" << place.node << "'";
    else if (StringRef name = getFunctionName(group.first); !name.empty())
      os << " in @" << name;
    os << group.text << "\n";
  }
}

/// Prints what does not fit the level that was asked for, or that the file
/// states.
static void printViolations(const Report &report, raw_ostream &os) {
  GroupPrinter groups;
  for (const OpReport &opReport : report.ops) {
    const OperatorSupport &support =
        FeatureLevelOpInterface(opReport.op).getOperatorSupport();
    for (const Requirement &violation : opReport.violations)
      groups.add(opReport.op, getName(opReport),
                 ": " + support.describeViolation(violation, *opReport.target));
  }
  groups.print(os);
}

/// Prints each operator by itself, with its place.
static void printOperators(const Report &report, PlacePrinter &places,
                           raw_ostream &os) {
  places.begin();
  for (const OpReport &opReport : report.ops) {
    FeatureLevelOpInterface op = opReport.op;
    places.print(op);
    os << op->getName() << " needs "
       << getFeatureLevelNumber(*opReport.minimum.level) << ": "
       << describeNeed(opReport) << "\n";
    for (const Requirement &violation : opReport.violations)
      os << "    does not fit: "
         << op.getOperatorSupport().describeViolation(violation,
                                                      *opReport.target)
         << "\n";
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
  if (!report.onHost.empty()) {
    os << "run on the CPU by ONNX Runtime, apart from the operators of their "
          "bodies:\n";
    for (StringRef kind : report.onHost)
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

/// Prints the operators that need the report's level, with the reasons. No
/// operator decides that the level is the oldest one.
static void printDeciding(const Report &report, raw_ostream &os) {
  if (report.level == getFeatureLevels().front().level)
    return;
  GroupPrinter groups;
  for (const OpReport &opReport : report.ops)
    if (*opReport.minimum.level == report.level)
      groups.add(opReport.op, getName(opReport), ": " + describeNeed(opReport));
  os << "decided by\n";
  groups.print(os);
}

/// Prints how many operators of each kind need each level, the newest level
/// first.
static void printCounts(const Report &report, raw_ostream &os) {
  std::map<FeatureLevel, llvm::MapVector<StringRef, size_t>,
           std::greater<FeatureLevel>>
      levels;
  for (const OpReport &opReport : report.ops)
    ++levels[*opReport.minimum.level][getName(opReport)];
  os << "operators by the level that they need, " << report.ops.size()
     << " in all\n";
  for (const auto &[level, counts] : levels) {
    os << "  " << getFeatureLevelNumber(level) << ": ";
    llvm::interleaveComma(counts, os, [&](const auto &entry) {
      os << entry.first;
      if (entry.second > 1)
        os << " x " << entry.second;
    });
    os << "\n";
  }
}

static void printLevel(const Report &report, raw_ostream &os) {
  if (report.ops.empty()) {
    os << (report.notTaken.empty() ? "no" : "no other")
       << " dml operators: nothing to say about feature levels\n";
    return;
  }
  bool isPart = !report.notTaken.empty() || !report.unread.empty() ||
                !report.onHost.empty();
  os << (!report.foreign.empty() ? "the dml operators alone need "
         : isPart                ? "the other operators alone need "
                                 : "needs ");
  os << "feature level " << getFeatureLevelNumber(report.level) << "\n"
     << "  DirectML " << getFeatureLevelInfo(report.level).directMLVersion
     << " or newer\n  ";
  StringRef windows = getFirstWindowsRelease(report.level);
  if (windows.empty())
    os << "no Windows has it as a system component; applications carry the "
          "package Microsoft.AI.DirectML\n";
  else
    os << windows << " or newer\n";
  printDeciding(report, os);
  printCounts(report, os);
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

static void printLegalization(const Report &report, raw_ostream &os) {
  if (report.legalizations.empty())
    return;
  size_t impossible =
      llvm::count_if(report.legalizations, [](const Legalization &entry) {
        return !entry.whyNot.empty();
      });
  os << "legalization to " << getFeatureLevelNumber(*report.asked) << ": "
     << count(report.legalizations.size() - impossible, "operator")
     << " can be rewritten, " << impossible << " cannot\n";
  GroupPrinter groups;
  for (const Legalization &entry : report.legalizations) {
    FeatureLevelOpInterface op = entry.op;
    groups.add(op, op->getName().getStringRef(),
               entry.whyNot.empty() ? " becomes " + describeMade(entry)
                                    : " cannot be rewritten: " + entry.whyNot);
  }
  groups.print(os);
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
    if (report.dependsOnSizes) {
      os << "undecided: it depends on sizes that the model leaves open\n";
      return;
    }
    if (!report.hasTarget()) {
      os << "undecided\n";
      return;
    }
    os << "undecided, though the "
       << (!report.foreign.empty() ? "dml "
           : !report.notTaken.empty() || !report.unread.empty() ||
                   !report.onHost.empty()
               ? "other "
               : "")
       << "operators fit: ";
    break;
  }
  if (report.asked)
    os << "feature level " << getFeatureLevelNumber(*report.asked) << "\n";
  else
    os << "the target that the file states\n";
}

void dml::explain::printText(const Report &report, raw_ostream &os,
                             bool withNodes) {
  std::string text;
  llvm::raw_string_ostream lines(text);
  PlacePrinter places(lines);
  printVerdict(report, lines);
  printViolations(report, lines);
  printLevel(report, lines);
  printUnknown(report, places, lines);
  printOptimizations(report, lines);
  printLegalization(report, lines);
  if (withNodes)
    printOperators(report, places, lines);
  os << executable::escapeControls(text);
}
