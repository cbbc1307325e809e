//===- Page.cpp - A page about a model ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Page.h"

#include "PageScript.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "support/Plural.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace dml;
using namespace dml::explain;
using namespace dml::tools;

/// Returns text from a file as XML. Bytes that XML does not allow become the
/// replacement character U+FFFD.
static std::string escape(StringRef text) {
  std::string result, valid = llvm::json::fixUTF8(text);
  for (size_t index = 0; index < valid.size(); ++index) {
    char character = valid[index];
    switch (character) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    case '\n':
    case '\t':
      result += ' ';
      break;
    default:
      if (StringRef(valid).substr(index).starts_with("\xEF\xBF") &&
          static_cast<unsigned char>(valid[index + 2]) >= 0xBE) {
        // The two that UTF-8 can write, and no text has.
        result += "\xEF\xBF\xBD";
        index += 2;
      } else if (static_cast<unsigned char>(character) < 0x20)
        result += "\xEF\xBF\xBD";
      else
        result += character;
    }
  }
  return result;
}

/// `text`, or its beginning where there is no room for all of it.
static std::string shorten(StringRef text, size_t length) {
  std::string valid = llvm::json::fixUTF8(text);
  // Bytes are counted, and no character is cut.
  if (valid.size() <= length)
    return valid;
  size_t end = length - 1;
  while (end > 0 && (valid[end] & 0xC0) == 0x80)
    --end;
  return valid.substr(0, end) + "\xE2\x80\xA6";
}

/// Divides `text` into lines of at most `length` bytes, behind a character that
/// separates words of a name where there is one. The last of at most `most`
/// lines may be cut.
static SmallVector<std::string> wrap(StringRef text, size_t length,
                                     size_t most) {
  std::string valid = llvm::json::fixUTF8(text);
  StringRef rest = valid;
  SmallVector<std::string> lines;
  while (rest.size() > length && lines.size() + 1 < most) {
    size_t end = length;
    while (end > 1 && (rest[end] & 0xC0) == 0x80)
      --end;
    size_t word = rest.take_front(end).find_last_of("/._- :x,");
    if (word != StringRef::npos && word >= length / 2)
      end = word + 1;
    lines.push_back(rest.take_front(end).str());
    rest = rest.drop_front(end);
  }
  if (!rest.empty())
    lines.push_back(shorten(rest, length));
  return lines;
}

static std::string printType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!tensor) {
    os << type;
    return text;
  }
  for (int64_t size : tensor.getShape()) {
    if (ShapedType::isDynamic(size))
      os << "?x";
    else
      os << size << "x";
  }
  os << tensor.getElementType();
  return text;
}

static std::string printTypes(TypeRange types) {
  std::string text;
  for (Type type : types)
    text += (text.empty() ? "" : ", ") + printType(type);
  return text;
}

/// The bytes of a value, or 0 where they are not known.
static uint64_t countBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return (static_cast<uint64_t>(type.getNumElements()) *
              type.getElementTypeBitWidth() +
          7) /
         8;
}

static std::string printBytes(uint64_t bytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (bytes < 10240)
    os << printCount(bytes, "byte");
  else if (bytes < (uint64_t(10) << 20))
    os << llvm::format("%.1f KiB", static_cast<double>(bytes) / 1024);
  else
    os << llvm::format("%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

//===----------------------------------------------------------------------===//
// The graph of a function
//===----------------------------------------------------------------------===//

namespace {
/// A step after fusion, by its function and its position there.
struct StepRef {
  const KernelFunction *function;
  size_t index;

  const KernelStep &get() const { return function->steps[index]; }
  bool operator==(const StepRef &other) const {
    return function == other.function && index == other.index;
  }
};

/// A box of a drawing.
struct Node {
  enum class Kind { Input, Output, Operator, View, Foreign, NotTaken };
  Kind kind;
  /// Its name in the file, what it is, and its type.
  std::string name, what, type;
  const OpReport *report = nullptr;
  SmallVector<unsigned> inputs;
  /// The steps that compute it, and those whose data pass through it.
  SmallVector<StepRef, 1> steps, passed;
  /// The lines of text in its box, each with the style of the text.
  SmallVector<std::pair<std::string, StringRef>, 6> lines;
  unsigned layer = 0;
  double x = 0;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  /// Nodes of each layer, from left to right.
  std::vector<std::vector<unsigned>> layers;
  /// The height of each box, which has room for the longest text.
  double boxHeight = 0;
  double width = 0, height = 0;
  uint64_t constantBytes = 0;
  /// For each operation of the function, its name and the number of bytes in
  /// memory while it computes.
  std::vector<std::pair<std::string, uint64_t>> memory;
};

/// The number of letters in a line of a box, even if they are capitals. Letters
/// of a wide font have an average width of 7.6 units.
constexpr size_t lineLength = 32;
constexpr double boxWidth = 264, gapX = 24, gapY = 44, lineHeight = 15;

/// The steps of each operation of a module.
using StepsOfOps = llvm::DenseMap<Operation *, SmallVector<StepRef, 1>>;
} // namespace

static std::string getName(Operation *op) {
  if (auto loc = op->getLoc()->findInstanceOf<NameLoc>())
    return loc.getName().str();
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return "line " + std::to_string(loc.getLine());
  return "";
}

/// The name of an argument or a result of a function.
static std::string getName(DictionaryAttr attributes, StringRef otherwise,
                           unsigned index) {
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>(nameAttrName))
      return name.str();
  return (otherwise + Twine(index)).str();
}

/// The values that `op` reads, itself or in its regions.
static SmallVector<Value> getReads(Operation &op) {
  llvm::SetVector<Value> reads;
  getUsedValuesDefinedAbove(op.getRegions(), reads);
  reads.insert(op.operand_begin(), op.operand_end());
  return reads.takeVector();
}

static void placeNodes(Graph &graph) {
  for (unsigned index = 0; index < graph.nodes.size(); ++index) {
    Node &node = graph.nodes[index];
    for (unsigned input : node.inputs)
      node.layer = std::max(node.layer, graph.nodes[input].layer + 1);
    if (graph.layers.size() <= node.layer)
      graph.layers.resize(node.layer + 1);
    graph.layers[node.layer].push_back(index);
  }
  // Places each node below the middle of the nodes that it reads, if there is
  // room.
  for (std::vector<unsigned> &layer : graph.layers) {
    for (unsigned index : layer) {
      Node &node = graph.nodes[index];
      for (unsigned input : node.inputs)
        node.x +=
            graph.nodes[input].x / static_cast<double>(node.inputs.size());
    }
    llvm::stable_sort(layer, [&](unsigned a, unsigned b) {
      return graph.nodes[a].x < graph.nodes[b].x;
    });
    double next = 0;
    for (unsigned index : layer) {
      Node &node = graph.nodes[index];
      node.x = std::max(node.x, next);
      next = node.x + boxWidth + gapX;
    }
    graph.width = std::max(graph.width, next);
  }
}

static bool contains(ArrayRef<StepRef> steps, const StepRef &step) {
  return llvm::is_contained(steps, step);
}

/// Finds views that lie between two operators of one step, and adds the step to
/// `Node::passed` of these views. No step computes such views themselves.
static void passViews(Graph &graph) {
  std::vector<SmallVector<StepRef, 1>> above(graph.nodes.size()),
      below(graph.nodes.size());
  auto add = [](SmallVector<StepRef, 1> &steps, ArrayRef<StepRef> added) {
    for (const StepRef &step : added)
      if (!contains(steps, step))
        steps.push_back(step);
  };
  auto isPassed = [](const Node &node) {
    return node.kind == Node::Kind::View && node.steps.empty();
  };
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    above[index] = node.steps;
    if (isPassed(node))
      for (unsigned input : node.inputs)
        add(above[index], above[input]);
  }
  for (size_t index = graph.nodes.size(); index-- > 0;) {
    Node &node = graph.nodes[index];
    add(below[index], node.steps);
    if (isPassed(node))
      for (const StepRef &step : above[index])
        if (contains(below[index], step))
          node.passed.push_back(step);
    for (unsigned input : node.inputs)
      if (isPassed(graph.nodes[input]))
        add(below[input], below[index]);
  }
}

static void addLines(Graph &graph);

static Graph
createGraph(func::FuncOp function,
            const llvm::DenseMap<Operation *, const OpReport *> &reports,
            const StepsOfOps &steps) {
  Graph graph;
  graph.name = function.getName().str();
  llvm::DenseMap<Value, unsigned> producers;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    producers[argument] = graph.nodes.size();
    graph.nodes.push_back(
        {Node::Kind::Input,
         getName(function.getArgAttrDict(index), "arg", index), "input",
         printType(argument.getType())});
  }
  auto addInputs = [&](Node &node, ValueRange values) {
    llvm::SmallDenseSet<unsigned> seen;
    for (Value value : values)
      if (auto found = producers.find(value); found != producers.end())
        if (seen.insert(found->second).second)
          node.inputs.push_back(found->second);
  };

  Block &body = function.front();
  // A view takes no memory beside that of what it shows.
  auto isView = [](Operation *op) {
    return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
               tensor::BitcastOp, tensor::CastOp>(op);
  };
  llvm::DenseMap<Value, Value> shown;
  auto getMemory = [&](Value value) {
    Value memory = shown.lookup(value);
    return memory ? memory : value;
  };
  // The last operation that reads each value.
  llvm::DenseMap<Value, Operation *> lastReaders;
  for (Operation &op : body) {
    for (Value value : getReads(op))
      lastReaders[getMemory(value)] = &op;
    if (isView(&op))
      shown[op.getResult(0)] = getMemory(op.getOperand(0));
  }
  uint64_t live = 0;
  for (BlockArgument argument : function.getArguments())
    live += countBytes(argument);

  for (Operation &op : body) {
    if (isa<arith::ConstantOp>(op)) {
      graph.constantBytes += countBytes(op.getResult(0));
      continue;
    }
    if (isa<tensor::EmptyOp>(op))
      continue;
    if (isa<func::ReturnOp>(op)) {
      for (auto [index, value] : llvm::enumerate(op.getOperands())) {
        Node node{Node::Kind::Output,
                  getName(function.getResultAttrDict(index), "result", index),
                  "output", printType(value.getType())};
        addInputs(node, value);
        graph.nodes.push_back(std::move(node));
      }
      continue;
    }
    Node node{Node::Kind::View, getName(&op), op.getName().getStringRef().str(),
              printTypes(op.getResultTypes())};
    if (const OpReport *report = reports.lookup(&op)) {
      node.kind = Node::Kind::Operator;
      node.report = report;
    } else if (!getWhyNotTaken(&op).empty()) {
      node.kind = Node::Kind::NotTaken;
    } else if (!needsNoOperator(&op)) {
      node.kind = Node::Kind::Foreign;
    }
    if (auto found = steps.find(&op); found != steps.end())
      node.steps = found->second;
    SmallVector<Value> reads = getReads(op);
    addInputs(node, reads);
    if (!isView(&op))
      for (Value result : op.getResults())
        live += countBytes(result);
    graph.memory.push_back({node.what + " " + node.name, live});
    llvm::SmallPtrSet<Value, 4> freed;
    auto free = [&](Value value) {
      if (freed.insert(value).second)
        live -= countBytes(value);
    };
    for (Value value : reads) {
      Value memory = getMemory(value);
      if (lastReaders.lookup(memory) == &op && producers.contains(memory))
        free(memory);
    }
    // A result that nothing reads is gone at once.
    for (Value result : op.getResults())
      if (!isView(&op) && !lastReaders.contains(result))
        free(result);
    for (Value result : op.getResults())
      producers[result] = graph.nodes.size();
    graph.nodes.push_back(std::move(node));
  }
  passViews(graph);
  placeNodes(graph);
  addLines(graph);
  return graph;
}

/// Says what decides the level of an operator: "input has rank 3".
static std::string describeDeciding(const OpReport &report) {
  FeatureLevelOpInterface op = report.op;
  std::string text = op.getOperatorSupport().describe(report.minimum.deciding);
  if (report.minimum.deciding.kind == Requirement::Kind::Operator)
    text += " was introduced there";
  return text;
}

static SmallVector<std::string> describeViolations(const OpReport &report) {
  FeatureLevelOpInterface op = report.op;
  SmallVector<std::string> texts;
  for (const Requirement &violation : report.violations)
    texts.push_back(
        op.getOperatorSupport().describeViolation(violation, *report.target));
  return texts;
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

/// Colours, for light and dark: a level has a hue of its own.
static void printStyle(const Report &report, raw_ostream &os) {
  os << ":root{color-scheme:light dark;--back:#fff;--fore:#1b1b1f;"
        "--dim:#66666e;--line:#9a9aa2;--box:#f1f1f4;--bad:#c02020;"
        "--depth:88%;--step:42%}\n"
        "@media(prefers-color-scheme:dark){:root{--back:#17171a;"
        "--fore:#ececf0;--dim:#a0a0a8;--line:#66666e;--box:#26262b;"
        "--bad:#ff7070;--depth:24%;--step:62%}}\n"
        "svg{background:var(--back)}\n"
        "svg text{font:12px system-ui,sans-serif;fill:var(--fore)}\n"
        "svg text.dim{fill:var(--dim)}svg text.what{font-weight:600}\n"
        "svg rect{fill:var(--box);stroke:var(--line)}\n"
        "svg rect.deciding{stroke:var(--fore);stroke-width:2.5}\n"
        "svg rect.bad{stroke:var(--bad);stroke-width:2.5}\n"
        "svg path{fill:none;stroke:var(--line)}\n"
        "svg path.step{stroke-width:6}\n"
        "svg .area{fill:var(--line);stroke:none;opacity:.5}\n";
  for (const FeatureLevelInfo &info : getFeatureLevels()) {
    auto index = &info - getFeatureLevels().data();
    // The hues go from blue to red.
    auto hue =
        220 -
        220 * index /
            std::max<std::ptrdiff_t>(
                static_cast<std::ptrdiff_t>(getFeatureLevels().size()) - 1, 1);
    os << "svg rect.fl" << getFeatureLevelNumber(info.level) << ",td.fl"
       << getFeatureLevelNumber(info.level) << "{fill:hsl(" << hue
       << " 60% var(--depth));background:hsl(" << hue
       << " 60% var(--depth))}\n";
  }
}

/// Returns the colour of a step. Hues of consecutive steps differ by 137.5
/// degrees, so that they are easy to tell apart, and no two of a hundred steps
/// have the same hue.
static std::string getColor(const StepRef &step) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "hsl("
      << llvm::format("%.1f",
                      std::fmod(137.5 * static_cast<double>(step.index), 360))
      << " 70% var(--step))";
  return text;
}

static std::string printTime(double microseconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (microseconds < 1000)
    os << llvm::format("%.1f \xC2\xB5s", microseconds);
  else
    os << llvm::format("%.1f ms", microseconds / 1000);
  return text;
}

/// The times of `steps` together, after a comma, where there was a run.
static std::string printTimes(ArrayRef<StepRef> steps) {
  double sum = 0;
  for (const StepRef &step : steps) {
    if (!step.get().microseconds)
      return "";
    sum += *step.get().microseconds;
  }
  return steps.empty() ? "" : ", " + printTime(sum);
}

/// "3", or "3 (16 times)" in a loop of 16 iterations.
static std::string printNumber(const KernelStep &step) {
  std::string text = std::to_string(step.number);
  return step.count == 1 ? text
                         : text + " (" + std::to_string(step.count) + " times)";
}

static std::string printKernel(const KernelStep &step) {
  return step.kernel.empty() ? "a copy"
                             : "kernel " + std::to_string(step.kernelIndex);
}

/// "step 3, kernel 2, 45.1 us", or the numbers of several steps.
static std::string describeSteps(const Node &node, StringRef function) {
  ArrayRef<StepRef> steps = node.steps;
  if (steps.empty())
    return "";
  // Of a function that was split off, or that this one became a part of.
  std::string text;
  if (StringRef other = steps.front().function->name; other != function)
    text = "@" + shorten(other, 8) + " ";
  if (steps.size() == 1)
    return text + "step " + printNumber(steps.front().get()) + ", " +
           printKernel(steps.front().get()) + printTimes(steps);
  if (steps.size() > 3)
    return text + std::to_string(steps.size()) + " steps, " +
           printNumber(steps.front().get()) + " to " +
           printNumber(steps.back().get()) + printTimes(steps);
  text += "steps ";
  for (const StepRef &step : steps)
    text += (&step == steps.begin() ? "" : ", ") + printNumber(step.get());
  return text + printTimes(steps);
}

/// Returns the text about a node's steps for the node's tooltip. It describes
/// the first eight steps.
static std::string describeStepsInFull(ArrayRef<StepRef> steps) {
  constexpr size_t most = 8;
  std::string text;
  for (const StepRef &step : steps.take_front(most))
    text += "; @" + step.function->name + " step " + printNumber(step.get()) +
            ", " + printKernel(step.get()) + " of " + step.get().operators +
            printTimes(step);
  if (steps.size() > most)
    text += "; and " + printCount(steps.size() - most, "other step");
  return text;
}

/// What a node needs: "needs 3_1: input has rank 2".
static std::string describeLevel(const Node &node) {
  if (node.report)
    return ("needs " + getFeatureLevelNumber(*node.report->minimum.level) +
            ": ")
               .str() +
           describeDeciding(*node.report);
  if (node.kind == Node::Kind::Foreign)
    return "not DirectML's";
  return node.kind == Node::Kind::NotTaken ? "not taken by the provider" : "";
}

/// Sets the lines of all boxes, and the height of a box.
static void addLines(Graph &graph) {
  size_t most = 1;
  for (Node &node : graph.nodes) {
    auto add = [&](StringRef text, StringRef style, size_t mostLines) {
      for (std::string &line : wrap(text, lineLength, mostLines))
        node.lines.push_back({std::move(line), style});
    };
    add(node.what, "what", 2);
    add(node.name, "", 4);
    add(node.type, "dim", 3);
    add(describeLevel(node), "dim", 4);
    add(describeSteps(node, graph.name), "", 2);
    most = std::max(most, node.lines.size());
  }
  graph.boxHeight = lineHeight * static_cast<double>(most) + 11;
  graph.height =
      static_cast<double>(graph.layers.size()) * (graph.boxHeight + gapY);
}

static void printNode(const Graph &graph, const Node &node,
                      const Report &report, raw_ostream &os) {
  double y = node.layer * (graph.boxHeight + gapY);
  std::string classes, tooltip = node.what + " " + node.name + "\n" + node.type,
                       level = describeLevel(node);
  if (!level.empty())
    tooltip += " " + level;
  if (node.report) {
    classes = ("fl" + getFeatureLevelNumber(*node.report->minimum.level)).str();
    if (*node.report->minimum.level == report.level)
      classes += " deciding";
    for (const std::string &text : describeViolations(*node.report)) {
      classes += " bad";
      tooltip += "; does not fit: " + text;
    }
  } else if (!level.empty()) {
    classes = "bad";
  }
  tooltip += describeStepsInFull(node.steps);
  bool isRound =
      node.kind == Node::Kind::Input || node.kind == Node::Kind::Output;
  os << "<g class=\"node\" data-in=\"";
  llvm::interleave(node.inputs, os, " ");
  os << "\" data-name=\"" << escape(node.name);
  os << llvm::format("\" transform=\"translate(%.1f %.1f)\">", node.x, y)
     << "<title>" << escape(tooltip) << "</title><rect width=\"" << boxWidth
     << "\" height=\"" << graph.boxHeight << "\" rx=\"" << (isRound ? 24 : 4)
     << "\" class=\"" << classes << "\"/>";
  // A stripe has the colours of at most six steps, one below the other.
  ArrayRef<StepRef> striped = ArrayRef(node.steps).take_front(6);
  double part = (graph.boxHeight - 12) /
                static_cast<double>(std::max<size_t>(striped.size(), 1));
  for (auto [index, step] : llvm::enumerate(striped))
    os << llvm::format("<path class=\"step\" d=\"M6 %.1fv%.1f\" style=\"",
                       6 + part * static_cast<double>(index), part)
       << "stroke:" << getColor(step) << "\"/>";
  for (auto [index, line] : llvm::enumerate(node.lines))
    os << "<text x=\"14\" y=\"" << 17 + lineHeight * index << "\" class=\""
       << line.second << "\">" << escape(line.first) << "</text>";
  os << "</g>\n";
}

static void printGraph(const Graph &graph, const Report &report,
                       raw_ostream &os) {
  for (auto [number, node] : llvm::enumerate(graph.nodes))
    for (unsigned input : node.inputs) {
      const Node &from = graph.nodes[input];
      double boxHeight = graph.boxHeight;
      double x0 = from.x + boxWidth / 2, x1 = node.x + boxWidth / 2;
      double y0 = from.layer * (boxHeight + gapY) + boxHeight;
      double y1 = node.layer * (boxHeight + gapY);
      os << "<path data-edge=\"" << input << " " << number << "\""
         << llvm::format(" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f ", x0, y0, x0,
                         y0 + gapY, x1, y1 - gapY)
         << llvm::format("%.1f %.1f\"", x1, y1);
      // A line between two nodes of one step is drawn in the step's colour.
      auto isOf = [](const Node &node, const StepRef &step) {
        return contains(node.steps, step) || contains(node.passed, step);
      };
      StringRef classes = "edge";
      std::string color;
      for (ArrayRef<StepRef> steps :
           {ArrayRef(from.steps), ArrayRef(from.passed)})
        if (const auto *shared = llvm::find_if(
                steps, [&, &to = node](
                           const StepRef &step) { return isOf(to, step); });
            shared != steps.end()) {
          classes = "edge step";
          color = " style=\"stroke:" + getColor(*shared) + "\"";
          break;
        }
      os << " class=\"" << classes << "\"" << color << "/>\n";
    }
  for (const Node &node : graph.nodes)
    printNode(graph, node, report, os);
}

/// Returns the explanation of the colours and numbers in the drawings, or "" if
/// there are none.
static std::string describeColors(const Measures &measures) {
  if (measures.functions.empty())
    return "";
  std::string text =
      "A box has the colour of the level that its operator needs. The stripe "
      "within it, and lines, have the colours of the steps after fusion, for "
      "the devices " +
      measures.profile + ": stripes of one colour are one dispatch";
  if (!measures.whyOtherSteps.empty())
    text += ". The run was of other steps: " + measures.whyOtherSteps;
  return text + ".";
}

static void beginSvg(double width, double height, StringRef label,
                     raw_ostream &os) {
  os << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                     "height=\"%.0f\" ",
                     width, height)
     << llvm::format("viewBox=\"-12 -12 %.0f %.0f\" role=\"img\" ", width,
                     height)
     << "aria-label=\"" << escape(label) << "\">\n";
}

static std::vector<Graph> createGraphs(ModuleOp module, const Report &report,
                                       const Measures &measures) {
  StepsOfOps steps;
  for (const KernelFunction &function : measures.functions)
    for (auto [index, step] : llvm::enumerate(function.steps))
      for (Operation *op : step.ops) {
        // An operation within another one is drawn as that one.
        while (op && !isa_and_nonnull<func::FuncOp>(op->getParentOp()))
          op = op->getParentOp();
        StepRef ref{&function, index};
        if (op && !contains(steps[op], ref))
          steps[op].push_back(ref);
      }
  llvm::DenseMap<Operation *, const OpReport *> reports;
  for (const OpReport &op : report.ops)
    reports[FeatureLevelOpInterface(op.op)] = &op;
  std::vector<Graph> graphs;
  module.walk([&](func::FuncOp function) {
    if (!function.isExternal())
      graphs.push_back(createGraph(function, reports, steps));
  });
  return graphs;
}

void dml::tools::printDrawing(ModuleOp module, const Report &report,
                              const Measures &measures, StringRef title,
                              raw_ostream &os) {
  std::vector<Graph> graphs = createGraphs(module, report, measures);
  std::string colors = measures.whyNone.empty()
                           ? describeColors(measures)
                           : "It has no steps: it cannot be compiled for the "
                             "devices " +
                                 measures.profile + ": " + measures.whyNone;
  // A letter is 7.6 units wide at most, on average.
  double width = std::max(boxWidth, 7.6 * static_cast<double>(colors.size()));
  double height = 20;
  for (const Graph &graph : graphs) {
    width = std::max(width, graph.width);
    height += graph.height + 30;
  }
  os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  beginSvg(width + 24, height + 24, title, os);
  os << "<style>";
  printStyle(report, os);
  os << "</style>\n";
  os << "<text class=\"dim\" y=\"4\">" << escape(colors) << "</text>\n";
  double y = 20;
  for (const Graph &graph : graphs) {
    os << llvm::format("<text class=\"what\" y=\"%.0f\">", y + 12)
       << escape("@" + graph.name) << "</text>\n"
       << llvm::format("<g transform=\"translate(0 %.0f)\">\n", y + 26);
    printGraph(graph, report, os);
    os << "</g>\n";
    y += graph.height + 30;
  }
  os << "</svg>\n";
}

//===----------------------------------------------------------------------===//
// HTML
//===----------------------------------------------------------------------===//

/// The bytes of tensors while each operation computes, as an area.
static void printMemory(const Graph &graph, raw_ostream &os) {
  if (graph.memory.empty())
    return;
  uint64_t most = 1;
  size_t peak = 0;
  for (auto [index, step] : llvm::enumerate(graph.memory))
    if (step.second > most) {
      most = step.second;
      peak = index;
    }
  constexpr double width = 720, height = 120;
  double step = width / static_cast<double>(graph.memory.size());
  os << "<p>Tensors take at most " << printBytes(most) << " at once, while "
     << escape(graph.memory[peak].first) << " computes, and constants take "
     << printBytes(graph.constantBytes)
     << ". Each operation's results are counted from when it begins until "
        "nothing reads them any more; kernels that compute several operations "
        "at once take less.</p>\n";
  beginSvg(width + 24, height + 24, "memory over time", os);
  os << llvm::format("<path class=\"area\" d=\"M0 %.1f", height);
  for (auto [index, entry] : llvm::enumerate(graph.memory)) {
    double y = height - height * static_cast<double>(entry.second) /
                            static_cast<double>(most);
    os << llvm::format("L%.2f %.1fL", static_cast<double>(index) * step, y)
       << llvm::format("%.2f %.1f", static_cast<double>(index + 1) * step, y);
  }
  os << llvm::format("L%.1f %.1fZ\"/>\n", width, height) << "</svg>\n";
}

static std::string describePlace(const OpReport &opReport) {
  return getName(FeatureLevelOpInterface(opReport.op));
}

/// The steps of each function after fusion, and what each computes.
static void printKernels(const Measures &measures, raw_ostream &os) {
  os << "<h2>Kernels after fusion</h2>\n";
  if (!measures.whyNone.empty()) {
    os << "<p class=\"bad\">The file cannot be compiled for the devices "
       << escape(measures.profile) << ": " << escape(measures.whyNone)
       << "</p>\n";
    return;
  }
  for (const KernelFunction &function : measures.functions) {
    os << "<p>" << escape("@" + function.name) << " becomes "
       << printCount(function.stepCount, "step") << " with "
       << printCount(function.kernelCount, "kernel") << ", for the devices "
       << escape(measures.profile)
       << ".</p>\n<div "
          "class=\"table\"><table><thead><tr><th>step</th><th>operators</"
          "th><th>"
          "number</th><th>kernel</th><th>workgroups</th><th>bytes bound</th>"
          "<th>time</th></tr></thead><tbody>\n";
    for (auto [index, step] : llvm::enumerate(function.steps)) {
      os << "<tr><td style=\"border-left:6px solid "
         << getColor({&function, index}) << "\">" << printNumber(step)
         << "</td><td>" << escape(step.operators) << "</td><td>";
      if (!step.kernel.empty())
        os << step.kernelIndex;
      os << "</td><td>" << escape(step.kernel) << "</td><td>";
      if (step.workgroups)
        os << step.workgroups;
      os << "</td><td>" << step.bytes << "</td><td>";
      if (step.microseconds)
        os << printTime(*step.microseconds);
      os << "</td></tr>\n";
    }
    os << "</tbody></table></div>\n";
  }
}

/// What a driver's compiler made of each kernel. The columns are the numbers
/// that the driver tells of any kernel.
static void printDriver(const DriverReport &report, raw_ostream &os) {
  size_t spilling =
      llvm::count_if(report.kernels, [](const DriverKernel &kernel) {
        return kernel.spills != 0;
      });
  os << "<h2>Kernels in a driver&#39;s compiler</h2>\n<p>"
     << escape(report.driver) << ", for " << escape(report.device) << ": "
     << printCount(report.kernels.size(), "kernel") << ", of which " << spilling
     << (spilling == 1 ? " spills" : " spill")
     << " registers.</p>\n<div "
        "class=\"table\"><table><thead><tr><th>number</th>"
        "<th>kernel</th><th>subgroups of</th><th>spills</th>";
  llvm::SetVector<StringRef> names;
  for (const DriverKernel &kernel : report.kernels)
    for (const auto &[name, _] : kernel.statistics)
      names.insert(name);
  for (StringRef name : names)
    os << "<th>" << escape(name) << "</th>";
  os << "</tr></thead><tbody>\n";
  for (const DriverKernel &kernel : report.kernels) {
    os << "<tr><td>" << kernel.index << "</td><td>" << escape(kernel.entryPoint)
       << "</td><td>" << kernel.subgroupSize << "</td><td"
       << (kernel.spills ? " class=\"bad\"" : "") << ">" << kernel.spills
       << "</td>";
    for (StringRef name : names) {
      auto found = llvm::find_if(kernel.statistics, [&](const auto &statistic) {
        return statistic.first == name;
      });
      os << "<td>";
      if (found != kernel.statistics.end())
        os << escape(found->second);
      os << "</td>";
    }
    os << "</tr>\n";
  }
  os << "</tbody></table></div>\n";
}

/// How long the steps of a run took, by what they compute.
static void printTimes(ArrayRef<TimedStep> steps, raw_ostream &os) {
  struct Sum {
    std::string operators;
    unsigned count = 0;
    double microseconds = 0;
  };
  llvm::MapVector<StringRef, Sum> sums;
  double all = 0;
  for (const TimedStep &step : steps) {
    Sum &sum = sums[step.operators];
    sum.operators = step.operators;
    ++sum.count;
    sum.microseconds += step.microseconds;
    all += step.microseconds;
  }
  SmallVector<Sum> sorted;
  for (auto &[_, sum] : sums)
    sorted.push_back(sum);
  llvm::stable_sort(sorted, [](const Sum &a, const Sum &b) {
    return a.microseconds > b.microseconds;
  });
  os << "<h2>Time by operator</h2>\n<p>" << printCount(steps.size(), "step")
     << llvm::format(" took %.1f", all)
     << " &#181;s together.</p>\n<div "
        "class=\"table\"><table><thead><tr><th>operators</th><th>steps"
        "</th><th>&#181;s</th><th>share</th></tr></thead><tbody>\n";
  for (const Sum &sum : sorted)
    os << "<tr><td>" << escape(sum.operators) << "</td><td>" << sum.count
       << "</td><td>" << llvm::format("%.1f", sum.microseconds) << "</td><td>"
       << llvm::format("%.1f %%", all > 0 ? 100 * sum.microseconds / all : 0.0)
       << "</td></tr>\n";
  os << "</tbody></table></div>\n";
}

void dml::tools::printPage(ModuleOp module, const Report &report,
                           const Measures &measures, StringRef title,
                           raw_ostream &os) {
  std::vector<Graph> graphs = createGraphs(module, report, measures);
  os << "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
        "lang=\"en\"><head><meta charset=\"utf-8\"/><title>"
     << escape(title) << "</title>\n<style>\n";
  printStyle(report, os);
  os << "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;"
        "background:var(--back);color:var(--fore)}\n"
        "table{border-collapse:collapse}th,td{text-align:left;padding:.25rem "
        ".75rem;border-bottom:1px solid var(--line);vertical-align:top}\n"
        ".graph{overflow:auto;max-height:80vh;border:1px solid var(--line)}\n"
        ".graph.live{overflow:hidden;height:80vh;touch-action:none}\n"
        ".graph.live svg{display:block;cursor:grab}\n"
        ".tools{display:flex;flex-wrap:wrap;gap:.5rem;margin:.5rem 0;"
        "align-items:center}\n"
        ".tools input{flex:1 1 8rem;max-width:20rem;min-width:0}\n"
        ".tools output{min-width:4rem;color:var(--dim)}\n"
        ".table{overflow-x:auto}p,h1,h2{overflow-wrap:anywhere}\n"
        "body>svg{max-width:100%;height:auto}\n"
        "svg g.block{cursor:pointer}\n"
        "svg g.hit rect{stroke:var(--fore);stroke-width:5}\n"
        ".bad{color:var(--bad)}\n"
        "</style></head><body>\n<h1>"
     << escape(title) << "</h1>\n";

  if (report.ops.empty()) {
    os << "<p>The file has no operators of DirectML.</p>\n";
  } else {
    const FeatureLevelInfo &info = getFeatureLevelInfo(report.level);
    StringRef windows = getFirstWindowsRelease(report.level);
    os << "<p>"
       << (report.foreign.empty() && report.notTaken.empty() ? "It needs"
           : report.foreign.empty() ? "The operators that ONNX Runtime&#39;s "
                                      "DirectML provider takes need"
                                    : "Its DirectML operators need")
       << " <b>feature level " << getFeatureLevelNumber(report.level)
       << "</b>: DirectML " << info.directMLVersion << " or newer, ";
    if (windows.empty())
      os << "which no Windows has as a system component.";
    else
      os << escape(windows) << " or newer.";
    os << "</p>\n";
  }
  if (!report.foreign.empty())
    os << "<p class=\"bad\">" << printCount(report.foreign.size(), "operation")
       << " of it " << (report.foreign.size() == 1 ? "is" : "are")
       << " not DirectML&#39;s.</p>\n";
  for (StringRef kind : report.unread)
    os << "<p class=\"bad\">Not read: " << escape(kind) << "</p>\n";
  for (StringRef kind : report.onHost)
    os << "<p class=\"bad\">Run on the CPU by ONNX Runtime, apart from the "
          "operators of its body: "
       << escape(kind) << "</p>\n";
  if (!report.notTaken.empty())
    os << "<p class=\"bad\">" << printCount(report.notTaken.size(), "node")
       << " of it " << (report.notTaken.size() == 1 ? "is" : "are")
       << " not taken by ONNX Runtime&#39;s DirectML provider.</p>\n";

  for (auto [name, level] : report.open) {
    bool isDecided = level && *level <= report.level;
    os << (isDecided ? "<p>" : "<p class=\"bad\">") << "ONNX Runtime&#39;s "
       << escape(name) << " could change its operators, and is not modelled: "
       << "what it makes may need ";
    if (level)
      os << "level " << getFeatureLevelNumber(*level) << ".</p>\n";
    else
      os << "any level.</p>\n";
  }

  // How many operators need each level.
  std::map<FeatureLevel, unsigned> counts;
  for (const OpReport &op : report.ops)
    ++counts[*op.minimum.level];
  os << "<table><thead><tr><th>level</th><th>operators that need "
        "it</th></tr></thead><tbody>\n";
  for (auto [level, count] : counts)
    os << "<tr><td class=\"fl" << getFeatureLevelNumber(level) << "\">"
       << getFeatureLevelNumber(level) << "</td><td>" << count
       << "</td></tr>\n";
  os << "</tbody></table>\n";

  if (!measures.trace.steps.empty())
    printTimes(measures.trace.steps, os);
  if (std::string colors = describeColors(measures); !colors.empty())
    os << "<p>" << escape(colors) << "</p>\n";
  for (const Graph &graph : graphs) {
    os << "<h2>" << escape("@" + graph.name)
       << "</h2>\n<div class=\"graph\">\n";
    beginSvg(graph.width + 24, graph.height + 24, "graph of " + graph.name, os);
    printGraph(graph, report, os);
    os << "</svg>\n</div>\n<h3>Memory</h3>\n";
    printMemory(graph, os);
  }

  printKernels(measures, os);
  if (measures.driver)
    printDriver(*measures.driver, os);

  os << "<h2>Operators</h2>\n<div "
        "class=\"table\"><table><thead><tr><th>function</th><th>node</th>"
        "<th>operator</th><th>inputs</th><th>outputs</th><th>level</th><th>"
        "because</th></tr></thead><tbody>\n";
  for (const OpReport &opReport : report.ops) {
    FeatureLevelOpInterface op = opReport.op;
    StringRef level = getFeatureLevelNumber(*opReport.minimum.level);
    os << "<tr><td>" << escape(getFunctionName(op)) << "</td><td>"
       << escape(describePlace(opReport)) << "</td><td>"
       << escape(op.getOperatorSupport().operatorType) << "</td><td>"
       << escape(printTypes(op->getOperandTypes())) << "</td><td>"
       << escape(printTypes(op->getResultTypes())) << "</td><td class=\"fl"
       << level << "\">" << level << "</td><td>"
       << escape(describeDeciding(opReport));
    for (const std::string &text : describeViolations(opReport))
      os << "<br/><span class=\"bad\">does not fit: " << escape(text)
         << "</span>";
    os << "</td></tr>\n";
  }
  auto printWithoutLevel = [&](Operation *op, const llvm::Twine &why) {
    os << "<tr><td>" << escape(getFunctionName(op)) << "</td><td>"
       << escape(getName(op)) << "</td><td class=\"bad\">"
       << escape(op->getName().getStringRef()) << "</td><td>"
       << escape(printTypes(op->getOperandTypes())) << "</td><td>"
       << escape(printTypes(op->getResultTypes()))
       << "</td><td></td><td class=\"bad\">" << escape(why.str())
       << "</td></tr>\n";
  };
  for (Operation *op : report.foreign)
    printWithoutLevel(op, "not DirectML's");
  for (const NotTakenNode &node : report.notTaken)
    for (Operation *op : node.ops)
      printWithoutLevel(op, "not taken by the provider: " + node.reason);
  // The script is a comment to readers of XML.
  os << "</tbody></table></div>\n<script>//<![CDATA[\n"
     << pageScript << "//]]>\n</script></body></html>\n";
}
