//===- LoopImporter.cpp - Loops with known numbers of iterations ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/LoopImporter.h"
#include "Reader/Shapes.h"
#include "dml/IR/RecurrentOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// The largest number of operators that an executable's loop runs in all
/// iterations together.
static constexpr int64_t maxSteps = 1 << 20;
/// The largest number of nodes that are imported in all loops of a model, so
/// that a small model takes little time.
static constexpr size_t maxInLoops = 1 << 16;
/// The largest number of steps of recurrent operators in the body of a loop,
/// which are written out.
static constexpr int64_t maxRecurrentSteps = 64;

//===----------------------------------------------------------------------===//
// What is known of the loop
//===----------------------------------------------------------------------===//

std::optional<int64_t>
GraphImporter::LoopImporter::getInteger(unsigned input, StringRef what,
                                        std::string &problem) {
  if (!importer.hasInput(input) || !problem.empty())
    return std::nullopt;
  const std::optional<Constant> &constant = importer.wantElements(input);
  if (!constant)
    problem = ("its " + what +
               " is computed when the model runs, but a program's loops have "
               "fixed numbers of iterations (where it depends on an input of "
               "one integer or bool, --dim=NAME=VALUE states that)")
                  .str();
  else if (constant->getNumElements() != 1)
    problem = ("its " + what + " has " + Twine(constant->getNumElements()) +
               " elements, but wanted is one")
                  .str();
  else
    return constant->getIntegers().front();
  return std::nullopt;
}

std::string GraphImporter::LoopImporter::findCount() {
  if (form.isScan()) {
    count = form.numSteps;
    return "";
  }
  std::string problem;
  count = getInteger(0, "number of iterations", problem);
  std::optional<int64_t> condition = getInteger(1, "condition", problem);
  if (count)
    count = std::max<int64_t>(*count, 0);
  if (condition && *condition == 0)
    count = 0;
  return problem;
}

StringRef GraphImporter::LoopImporter::getOutputName(size_t number) const {
  const std::vector<StringRef> &outputs = placed.node.outputs;
  return number < outputs.size() && state.read.contains(outputs[number])
             ? outputs[number]
             : StringRef();
}

bool GraphImporter::LoopImporter::isPassedThrough(
    const LoopForm::Carried &carried) const {
  StringRef name = carried.bodyOutput;
  for (const NodeProto &node : llvm::reverse(form.body->nodes))
    if (node.opType == "Identity" && normalizeDomain(node.domain).empty() &&
        node.inputs.size() == 1 && node.outputs.size() == 1 &&
        node.outputs[0] == name)
      name = node.inputs[0];
  return name == carried.bodyInput;
}

llvm::Error GraphImporter::LoopImporter::findNeededNodes() {
  llvm::StringSet<> read;
  if (!form.isScan())
    read.insert(form.conditionOutput);
  for (const LoopForm::Carried &each : form.carried)
    if (!isPassedThrough(each))
      read.insert(each.bodyOutput);
  for (const LoopForm::Collected &each : form.collected)
    if (isRead(each))
      read.insert(each.bodyOutput->name);
  const std::vector<NodeProto> &nodes = form.body->nodes;
  isNeeded.assign(nodes.size(), false);
  for (size_t number = nodes.size(); number-- > 0;) {
    if (llvm::none_of(nodes[number].outputs, [&](StringRef name) {
          return !name.empty() && read.contains(name);
        }))
      continue;
    isNeeded[number] = true;
    ++numNeeded;
    if (llvm::Error error = collectReads(nodes[number], nullptr, read))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> GraphImporter::LoopImporter::run() {
  std::string problem = findCount();
  if (!problem.empty())
    return problem;
  if (count == 0)
    return writeNone();
  if (llvm::Error error = findNeededNodes())
    return std::move(error);
  // An executable has no loops within loops.
  if (!state.loop) {
    Outcome built = attempt([&] { return buildLoop(); });
    if (!built)
      return built.takeError();
    if (built->empty())
      return "";
    problem = std::move(*built);
  }
  Outcome written = attempt([&] { return writeOut(); });
  if (!written)
    return written.takeError();
  return written->empty() || problem.empty() ? std::move(*written) : problem;
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

llvm::Expected<std::string>
GraphImporter::LoopImporter::attempt(llvm::function_ref<Outcome()> build) {
  Problems before = std::exchange(graph.problems, Problems());
  Survey::Node survey;
  if (graph.options.survey)
    survey = graph.options.survey->nodes[index];
  Operation *loopBefore = state.loop;
  ++graph.numAttempts;
  Outcome outcome = [&] {
    OpBuilder::InsertionGuard guard(state.builder);
    return build();
  }();
  --graph.numAttempts;
  state.loop = loopBefore;
  Problems inner = std::exchange(graph.problems, std::move(before));
  if (!outcome)
    return outcome.takeError();
  if (outcome->empty() && !inner.empty())
    *outcome = "a program cannot have its body: " + inner.list().front();
  else if (outcome->empty() && inner.getNumBehind() != 0)
    *outcome = "a program cannot have its body, which reads a tensor that is "
               "not known";
  if (!outcome->empty() && graph.options.survey)
    graph.options.survey->nodes[index] = std::move(survey);
  return outcome;
}

llvm::Error GraphImporter::LoopImporter::openIteration() {
  scope = openScope(placed, "body", outer);
  // Each iteration that is written out, and each attempt, has names of its own.
  scope->prefix += std::to_string(++graph.numIterations) + "/";
  return graph.defineNames(*form.body, *scope, importer);
}

void GraphImporter::LoopImporter::enter(StringRef name, Tensor tensor) {
  tensor.isKnown = true;
  if (!name.empty())
    state.tensors[graph.define(*scope, name)] = std::move(tensor);
}

llvm::Expected<std::string> GraphImporter::LoopImporter::importBody() {
  for (auto [node, needed] : llvm::zip_equal(form.body->nodes, isNeeded)) {
    if (!needed)
      continue;
    if (++graph.numInLoops > maxInLoops)
      return ("the loops of the model have more than " + Twine(maxInLoops) +
              " nodes when they are written out")
          .str();
    if (llvm::Error error = graph.importNode(
            GraphImporter::place(node, placed.sets, *scope), index, scope))
      return std::move(error);
    if (!graph.problems.empty())
      break;
  }
  return "";
}

llvm::Expected<const Tensor *>
GraphImporter::LoopImporter::findOutput(StringRef name, std::string &problem) {
  StringRef unique = resolve(scope.get(), name);
  if (llvm::Error error = graph.loadInitializer(unique))
    return std::move(error);
  auto found = state.tensors.find(unique);
  if (found != state.tensors.end() && found->second.isKnown)
    return &found->second;
  problem = ("its body does not compute '" + name + "'").str();
  return nullptr;
}

llvm::Expected<std::optional<bool>>
GraphImporter::LoopImporter::findCondition() {
  std::string problem;
  llvm::Expected<const Tensor *> tensor =
      findOutput(form.conditionOutput, problem);
  if (!tensor)
    return tensor.takeError();
  if (!*tensor || !(*tensor)->constant ||
      (*tensor)->constant->getNumElements() != 1)
    return std::optional<bool>();
  return std::optional((*tensor)->constant->getIntegers().front() != 0);
}

void GraphImporter::LoopImporter::setOutput(size_t number, Tensor tensor) {
  tensor.isKnown = true;
  if (StringRef name = getOutputName(number); !name.empty())
    state.tensors[name] = std::move(tensor);
}

Tensor GraphImporter::LoopImporter::makeIntegers(Shape shape,
                                                 ArrayRef<int64_t> elements) {
  Tensor tensor;
  tensor.type = DataType::INT64;
  tensor.shape = shape;
  tensor.constant = Constant::get(tensor.type, std::move(shape), elements);
  return tensor;
}

Tensor GraphImporter::LoopImporter::makeTrue() {
  Tensor tensor;
  tensor.type = DataType::UINT8;
  tensor.isBool = true;
  tensor.constant = Constant::get(tensor.type, {}, ArrayRef<int64_t>(1));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Loops of the function
//===----------------------------------------------------------------------===//

Value GraphImporter::LoopImporter::getIndex(int64_t value) {
  return arith::ConstantIndexOp::create(state.builder,
                                        state.builder.getUnknownLoc(), value);
}

Value GraphImporter::LoopImporter::getRow(bool isReversed) {
  if (!isReversed)
    return loop.getInductionVar();
  OpBuilder::InsertionGuard guard(state.builder);
  state.builder.setInsertionPoint(loop);
  Value last = getIndex(*count - 1);
  state.builder.setInsertionPointToStart(loop.getBody());
  return arith::SubIOp::create(state.builder, loop.getLoc(), last,
                               loop.getInductionVar());
}

/// Returns the offsets, sizes and strides of one row of a tensor with the shape
/// `shape`.
static std::array<SmallVector<OpFoldResult>, 3>
getRowSlice(OpBuilder &builder, Value row, ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0)),
      strides(shape.size(), builder.getIndexAttr(1)),
      sizes = getAsIndexOpFoldResult(builder.getContext(), shape);
  offsets[0] = row;
  sizes[0] = builder.getIndexAttr(1);
  return {offsets, sizes, strides};
}

Value GraphImporter::LoopImporter::readRow(Value rows, bool isReversed,
                                           ArrayRef<int64_t> shape) {
  Value row = getRow(isReversed);
  auto [offsets, sizes, strides] = getRowSlice(
      state.builder, row, cast<RankedTensorType>(rows.getType()).getShape());
  Value slice = tensor::ExtractSliceOp::create(state.builder, loop.getLoc(),
                                               rows, offsets, sizes, strides);
  return importer.reshape(slice, toPhysical(shape));
}

/// Enters the tensors that the loop scans, with the scanned dimension in front.
void GraphImporter::LoopImporter::enterScanned() {
  for (const LoopForm::Scanned &scanned : form.scanned) {
    Tensor tensor = importer.getInput(scanned.input);
    SmallVector<int64_t> order = {scanned.axis};
    for (int64_t dim = 0, rank = tensor.shape.size(); dim < rank; ++dim)
      if (dim != scanned.axis)
        order.push_back(dim);
    Value rows;
    {
      OpBuilder::InsertionGuard guard(state.builder);
      state.builder.setInsertionPoint(loop);
      rows =
          importer.transpose(importer.materialize(tensor, tensor.shape), order);
    }
    tensor.shape.erase(tensor.shape.begin() + scanned.axis);
    tensor.constant.reset();
    tensor.value = readRow(rows, scanned.isReversed, tensor.shape);
    enter(scanned.bodyInput, std::move(tensor));
  }
}

/// Enters the number of the iteration, which is an element of the sequence of
/// all numbers.
void GraphImporter::LoopImporter::enterIterationNumber() {
  Tensor tensor = makeIntegers({}, 0);
  StringRef unique = graph.define(*scope, form.iteration);
  if (unique.empty() || !state.read.contains(unique)) {
    enter(form.iteration, std::move(tensor));
    return;
  }
  Value numbers;
  {
    OpBuilder::InsertionGuard guard(state.builder);
    state.builder.setInsertionPoint(loop);
    Shape all = {*count};
    state.whyNotTaken = writtenOnHost;
    numbers =
        importer
            .buildAll("fill_value_sequence", {},
                      {importer.scalar("value_start", tensor.type, 0),
                       importer.scalar("value_delta", tensor.type, 1)},
                      importer.getTensorType(toPhysical(all), tensor.type))
            ->front();
    numbers = importer.reshape(numbers, all);
  }
  tensor.constant.reset();
  tensor.value = readRow(numbers, /*isReversed=*/false, tensor.shape);
  enter(form.iteration, std::move(tensor));
}

void GraphImporter::LoopImporter::startLoop() {
  Location loc = NameLoc::get(state.builder.getStringAttr(importer.getName()));
  SmallVector<Value> inits;
  carried.clear();
  for (const LoopForm::Carried &each : form.carried) {
    carried.push_back(importer.getInput(each.input));
    if (!isPassedThrough(each))
      inits.push_back(importer.materialize(carried.back(),
                                           toPhysical(carried.back().shape)));
  }
  loop = scf::ForOp::create(
      state.builder, loc, getIndex(0), getIndex(*count), getIndex(1), inits,
      [](OpBuilder &nested, Location at, Value, ValueRange arguments) {
        scf::YieldOp::create(nested, at, arguments);
      });
  state.loop = loop;
  state.builder.setInsertionPoint(loop.getBody()->getTerminator());
  auto arguments = loop.getRegionIterArgs().begin();
  for (auto [each, initial] : llvm::zip_equal(form.carried, carried)) {
    Tensor tensor = initial;
    if (!isPassedThrough(each)) {
      tensor.constant.reset();
      tensor.value = *arguments++;
    }
    enter(each.bodyInput, std::move(tensor));
  }
  if (!form.isScan()) {
    enterIterationNumber();
    enter(form.conditionInput, makeTrue());
  }
  enterScanned();
}

llvm::Expected<std::string>
GraphImporter::LoopImporter::yieldCarried(SmallVectorImpl<Value> &yielded) {
  for (auto [each, initial] : llvm::zip_equal(form.carried, carried)) {
    if (isPassedThrough(each))
      continue;
    std::string problem;
    llvm::Expected<const Tensor *> found = findOutput(each.bodyOutput, problem);
    if (!found)
      return found.takeError();
    if (!*found)
      return problem;
    const Tensor &tensor = **found;
    if (tensor.shape != initial.shape || tensor.type != initial.type)
      return ("an iteration gets " + describeShape(initial.shape) + " of " +
              stringifyDataType(initial.type) + " for '" + each.bodyInput +
              "' and hands on " + describeShape(tensor.shape) + " of " +
              stringifyDataType(tensor.type) +
              ", but those of a program are alike")
          .str();
    yielded.push_back(importer.materialize(tensor, toPhysical(tensor.shape)));
  }
  return "";
}

/// Finds the rows that an iteration adds to the tensors that the loop collects.
llvm::Expected<std::string>
GraphImporter::LoopImporter::findCollected(SmallVectorImpl<Value> &rows) {
  for (const LoopForm::Collected &each : form.collected) {
    if (!isRead(each))
      continue;
    StringRef name = each.bodyOutput->name;
    std::string problem;
    llvm::Expected<const Tensor *> found = findOutput(name, problem);
    if (!found)
      return found.takeError();
    if (!*found)
      return problem;
    const Tensor &tensor = **found;
    Shape row = {1};
    row.append(tensor.shape);
    Shape all = row;
    all[0] = *count;
    std::optional<int64_t> size = countElements(all);
    if (isFourBits(tensor.type) || !size || *size == 0 ||
        static_cast<int64_t>(all.size()) > maxRank)
      return ("it collects " + describeShape(all) + " of " +
              stringifyDataType(tensor.type) + " for '" + name +
              "', which no tensor of a program is")
          .str();
    rows.push_back(importer.materialize(tensor, row));
    Tensor collected = tensor;
    collected.shape = std::move(all);
    this->rows.push_back({std::move(collected)});
  }
  return "";
}

/// Returns why an executable cannot have the loop, or "".
std::string GraphImporter::LoopImporter::findLimit() {
  int64_t numOperators = 1, recurrentSteps = 0;
  loop.getBody()->walk([&](FeatureLevelOpInterface op) {
    ++numOperators;
    if (isa<RNNOp, GRUOp, LSTMOp>(op))
      recurrentSteps +=
          cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(1);
  });
  if (recurrentSteps > maxRecurrentSteps)
    return "its body has recurrent operators of " +
           std::to_string(recurrentSteps) + " steps, but wanted are at most " +
           std::to_string(maxRecurrentSteps) + " within a loop";
  if (*count > maxSteps / numOperators)
    return "it has " + std::to_string(*count) + " iterations of " +
           std::to_string(numOperators) +
           " operators, but wanted are at most " + std::to_string(maxSteps) +
           " operators in all iterations";
  return "";
}

/// Lets the loop carry the tensors that it collects, into which each iteration
/// inserts a row.
void GraphImporter::LoopImporter::appendCollected(ValueRange rowValues) {
  OpBuilder &builder = state.builder;
  builder.setInsertionPoint(loop);
  SmallVector<Value> empty, places;
  for (auto [row, all] : llvm::zip_equal(rowValues, rows))
    empty.push_back(tensor::EmptyOp::create(
        builder, loop.getLoc(), all[0].shape,
        cast<RankedTensorType>(row.getType()).getElementType()));
  for (const LoopForm::Collected &each : form.collected)
    if (isRead(each))
      places.push_back(getRow(each.isReversed));
  IRRewriter rewriter(builder);
  FailureOr<LoopLikeOpInterface> extended = loop.replaceWithAdditionalYields(
      rewriter, empty, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &nested, Location loc, ArrayRef<BlockArgument> arguments) {
        SmallVector<Value> inserted;
        for (auto [argument, row, place] :
             llvm::zip_equal(arguments, rowValues, places)) {
          auto [offsets, sizes, strides] = getRowSlice(
              nested, place,
              cast<RankedTensorType>(argument.getType()).getShape());
          inserted.push_back(tensor::InsertSliceOp::create(
              nested, loc, row, argument, offsets, sizes, strides));
        }
        return inserted;
      });
  loop = cast<scf::ForOp>(**extended);
}

llvm::Expected<std::string> GraphImporter::LoopImporter::finishLoop() {
  SmallVector<Value> yielded, rowValues;
  Outcome outcome = yieldCarried(yielded);
  if (!outcome || !outcome->empty())
    return outcome;
  rows.clear();
  outcome = findCollected(rowValues);
  if (!outcome || !outcome->empty())
    return outcome;
  if (std::string limit = findLimit(); !limit.empty())
    return limit;
  loop.getBody()->getTerminator()->setOperands(yielded);
  appendCollected(rowValues);
  setLoopOutputs();
  return "";
}

/// Sets the outputs of the node to the results of the loop.
void GraphImporter::LoopImporter::setLoopOutputs() {
  state.builder.setInsertionPointAfter(loop);
  state.loop = nullptr;
  auto results = loop.getResults().begin();
  for (auto [each, tensor] : llvm::zip_equal(form.carried, carried)) {
    if (!isPassedThrough(each)) {
      tensor.constant.reset();
      tensor.value = *results++;
    }
    setOutput(each.output, std::move(tensor));
  }
  auto all = rows.begin();
  for (const LoopForm::Collected &each : form.collected) {
    if (!isRead(each))
      continue;
    Tensor tensor = std::move((all++)->front());
    auto rank = static_cast<int64_t>(tensor.shape.size());
    int64_t axis = each.getAxis(rank);
    SmallVector<int64_t> order;
    for (int64_t dim = 0; dim < rank; ++dim)
      order.push_back(dim < axis ? dim + 1 : dim == axis ? 0 : dim);
    Value moved = importer.transpose(*results++, order);
    tensor.shape = Shape(cast<RankedTensorType>(moved.getType()).getShape());
    tensor.constant.reset();
    tensor.value = importer.reshape(moved, toPhysical(tensor.shape));
    setOutput(each.output, std::move(tensor));
  }
}

llvm::Expected<std::string> GraphImporter::LoopImporter::buildLoop() {
  if (!count || *count > maxSteps)
    return "it has " + (count ? std::to_string(*count) : "no number of") +
           " iterations, but wanted are at most " + std::to_string(maxSteps);
  for (const LoopForm::Carried &each : form.carried)
    if (const Tensor &tensor = importer.getInput(each.input);
        isFourBits(tensor.type) || llvm::is_contained(tensor.shape, 0))
      return "it carries " + describeShape(tensor.shape) + " of " +
             stringifyDataType(tensor.type).str() + " in input " +
             std::to_string(each.input) + ", which no loop of a program does";
  for (const LoopForm::Scanned &each : form.scanned)
    if (isFourBits(importer.getType(each.input)))
      return "it scans elements of 4 bits in input " +
             std::to_string(each.input) + ", which no loop of a program does";
  if (llvm::Error error = openIteration())
    return std::move(error);
  startLoop();
  Outcome outcome = importBody();
  bool isBuilt = outcome && outcome->empty() && graph.problems.empty() &&
                 graph.problems.getNumBehind() == 0;
  if (isBuilt && !form.isScan()) {
    llvm::Expected<std::optional<bool>> condition = findCondition();
    if (!condition)
      outcome = condition.takeError();
    else if (!condition->value_or(false))
      outcome = *condition ? std::string("it ends after one iteration")
                           : computedCondition.str();
    isBuilt = outcome && outcome->empty();
  }
  if (isBuilt) {
    outcome = finishLoop();
    isBuilt = outcome && outcome->empty();
  }
  if (isBuilt)
    return outcome;
  loop.walk([&](Operation *op) { state.origins.erase(op); });
  loop.erase();
  return outcome;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> GraphImporter::readLoop(NodeImporter &importer,
                                                    const ScopePointer &scope,
                                                    LoopForm &form) {
  const AttributeProto *attribute = importer.getAttribute("body");
  if (!attribute || attribute->type != AttributeProto::Graph)
    return "it has no graph for its body";
  if (scope && scope->depth == maxDepth)
    return "it has too many graphs around it";
  llvm::Expected<std::shared_ptr<const GraphProto>> body =
      getInnerGraph(*attribute);
  if (!body)
    return body.takeError();
  form.body = branches.emplace_back(std::move(*body));
  return readLoopForm(importer, form);
}

llvm::Expected<std::string> GraphImporter::importLoop(NodeImporter &importer,
                                                      const PlacedNode &placed,
                                                      unsigned index,
                                                      const ScopePointer &scope,
                                                      const LoopForm &form) {
  const NodeProto &node = placed.node;
  auto problem =
      LoopImporter(*this, importer, placed, index, scope, form).run();
  if (!problem || !problem->empty())
    return problem;
  StringRef reason = runtime.findWhyNotTaken("", importer);
  if (options.survey)
    options.survey->nodes[index].notTaken = reason.str();
  onHost.add("", node.opType, importer.getName(), reason);
  return "";
}
