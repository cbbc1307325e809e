//===- Tuner.cpp - Kernels that the device chooses ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"
#include "Measurement.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Tuning.h"
#include "dml/Executable/Executable.h"
#include "dml/IR/DML.h"
#include "dml/IR/KernelAttr.h"
#include "dml/IR/Ownership.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include <chrono>

using namespace mlir;
using namespace dml;
using namespace dml::session;

/// The number of kernels that are measured for a dispatch, at most.
static constexpr size_t mostCandidates = 10;
/// The seconds in which all dispatches of a module are tuned. Dispatches that
/// are not measured by then keep the kernels of the models of time.
static constexpr double mostSeconds = 60;
/// The seconds for which the kernels of a dispatch are measured, at most.
static constexpr double mostSecondsOfDispatch = 1;
/// The share of `mostSeconds` after which no further kernels are compiled.
static constexpr double shareOfCompiling = 0.6;

TuningTable dml::session::makeTable(DmlDevice device,
                                    const std::string &profile) {
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device, &info);
  TuningTable table;
  table.profile = profile;
  table.device = info.name;
  table.uuid = llvm::toHex(llvm::ArrayRef<uint8_t>(info.uuid),
                           /*LowerCase=*/true);
  table.driver = std::string(info.driverName) + " " + info.driverInfo;
  return table;
}

std::string dml::session::describeDifference(const TuningTable &table,
                                             const TuningTable &wanted) {
  auto describe = [](const char *what, const std::string &a,
                     const std::string &b) {
    return std::string("for the ") + what + " '" + runtime::escape(a) +
           "', but the session has '" + runtime::escape(b) + "'";
  };
  if (table.profile != wanted.profile)
    return describe("device profile", table.profile, wanted.profile);
  if (table.device != wanted.device)
    return describe("device", table.device, wanted.device);
  if (table.driver != wanted.driver)
    return describe("driver", table.driver, wanted.driver);
  return "";
}

//===----------------------------------------------------------------------===//
// Dispatches
//===----------------------------------------------------------------------===//

namespace {
/// A dispatch of a module.
struct Dispatch {
  func::FuncOp function;
  std::string key;
  /// The number of times that the module's functions call the dispatch.
  uint32_t uses = 0;
  /// For each argument, whether it is a weight: each call reads another one,
  /// which no cache holds. Other arguments were written by the call before.
  SmallVector<bool> areWeights;
};
} // namespace

/// Returns the number of times that loops around `op` repeat it, if the numbers
/// of their iterations are known.
static uint64_t countIterations(Operation *op) {
  uint64_t count = 1;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (std::optional<APInt> trips = loop.getStaticTripCount())
      count = llvm::SaturatingMultiply(count, trips->getLimitedValue());
  return count;
}

/// Whether `buffer` is a weight or a constant.
static bool isWeight(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (isa<memref::GetGlobalOp>(op))
      return true;
    if (!isBufferView(op))
      return false;
    buffer = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(buffer);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function &&
         (function.getArgAttr(argument.getArgNumber(), ownedAttrName) ||
          function.getArgAttr(argument.getArgNumber(), persistentAttrName));
}

/// Returns the number of bytes that all calls of `dispatch` bind.
static double countBytes(const Dispatch &dispatch) {
  func::FuncOp function = dispatch.function;
  double bytes = 0;
  for (Type type : function.getArgumentTypes())
    if (auto buffer = dyn_cast<MemRefType>(type))
      bytes += static_cast<double>(getNumBytes(buffer));
  return dispatch.uses * bytes;
}

/// Returns the dispatches that the functions of `module` call, other than its
/// initialization, which runs once.
static SmallVector<Dispatch> listDispatches(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::MapVector<Operation *, Dispatch> dispatches;
  for (auto caller : module.getOps<func::FuncOp>()) {
    if (caller->hasAttr(initializationAttrName))
      continue;
    caller.walk([&](func::CallOp call) {
      auto function = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!function || !getGenericOfDispatch(function))
        return;
      Dispatch &dispatch = dispatches[function];
      if (!dispatch.function) {
        dispatch.function = function;
        dispatch.key = getDispatchKey(function);
        dispatch.areWeights = llvm::map_to_vector(call.getOperands(), isWeight);
      }
      dispatch.uses = static_cast<uint32_t>(std::min<uint64_t>(
          dispatch.uses + countIterations(call), UINT32_MAX));
    });
  }
  auto values = llvm::make_second_range(dispatches);
  SmallVector<Dispatch> ordered(values.begin(), values.end());
  // If the time does not suffice for all, the large ones are measured.
  llvm::sort(ordered, [](const Dispatch &a, const Dispatch &b) {
    return std::pair(-countBytes(a), llvm::StringRef(a.key)) <
           std::pair(-countBytes(b), llvm::StringRef(b.key));
  });
  return ordered;
}

static std::string printAttr(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attribute.print(os);
  return text;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Returns the argument of `dispatch` to which its generic writes.
static std::optional<unsigned> findOutput(func::FuncOp dispatch) {
  linalg::GenericOp op = getGenericOfDispatch(dispatch);
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  Value output = op.getDpsInits().front();
  while (isBufferView(output.getDefiningOp()))
    output = output.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(output);
  if (!argument || argument.getOwner() != &dispatch.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Builds a module with a function for each of `kernels`. The function runs the
/// dispatch `plan.runs` times with this kernel. Each run writes the same
/// output, and so waits for the run before, as in a network. Inputs that are
/// weights are others in each run.
static OwningOpRef<ModuleOp> buildCandidates(const Dispatch &dispatch,
                                             unsigned output,
                                             ArrayRef<Attribute> kernels,
                                             const RunPlan &plan) {
  func::FuncOp function = dispatch.function;
  Location location = UnknownLoc::get(function.getContext());
  OpBuilder builder(function.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  auto original = function->getParentOfType<ModuleOp>();
  for (NamedAttribute attribute : original->getDiscardableAttrs())
    (*module)->setAttr(attribute.getName(), attribute.getValue());
  for (auto [index, kernel] : llvm::enumerate(kernels)) {
    builder.setInsertionPointToEnd(module->getBody());
    func::FuncOp copy = function.clone();
    copy.setName(("dispatch" + llvm::Twine(index)).str());
    getGenericOfDispatch(copy)->setAttr(kernelAttrName, kernel);
    builder.insert(copy);
    SmallVector<Type> types;
    for (unsigned run = 0; run < plan.runs; ++run)
      for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
        if (i != output && (run == 0 || dispatch.areWeights[i]))
          types.push_back(type);
    types.push_back(function.getArgumentTypes()[output]);
    auto caller = func::FuncOp::create(builder, location,
                                       ("candidate" + llvm::Twine(index)).str(),
                                       builder.getFunctionType(types, {}));
    // The attribute by which buffer-results-to-out-params marks outputs.
    caller.setArgAttr(types.size() - 1, "bufferize.result",
                      builder.getUnitAttr());
    Block *block = caller.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    SmallVector<Value> arguments(function.getNumArguments());
    unsigned next = 0;
    for (unsigned run = 0; run < plan.runs; ++run) {
      for (unsigned i = 0; i < arguments.size(); ++i)
        if (i != output && (run == 0 || dispatch.areWeights[i]))
          arguments[i] = block->getArgument(next++);
      arguments[output] = block->getArguments().back();
      func::CallOp::create(builder, location, copy, arguments);
    }
    func::ReturnOp::create(builder, location);
  }
  return module;
}

static RunPlan getPlan(const Dispatch &dispatch, unsigned output,
                       const DeviceProfile &profile) {
  func::FuncOp function = dispatch.function;
  SmallVector<uint64_t> bytes;
  SmallVector<bool> areWeights;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto buffer = dyn_cast<MemRefType>(type); buffer && i != output) {
      bytes.push_back(getNumBytes(buffer));
      areWeights.push_back(dispatch.areWeights[i]);
    }
  return RunPlan::get(bytes, areWeights, profile.getSpeed().cacheBytes);
}

/// Compiles the functions of buildCandidates().
static FailureOr<std::vector<uint8_t>>
compileCandidates(ModuleOp module, const CompilerOptions &options) {
  // What is wrong with a candidate is no error of the model.
  ScopedDiagnosticHandler ignore(module.getContext(),
                                 [](Diagnostic &) { return success(); });
  PassManager pm(module.getContext());
  buildDispatchesToGPUPipeline(pm, options);
  buildGPUToSPIRVPipeline(pm, options);
  if (failed(runPasses(pm, module)))
    return failure();
  return exportExecutable(
      module, getDeviceProfile(module).getMaxMemoryAllocationSize());
}

namespace {
/// The candidates of a dispatch, ready to run.
struct Candidates {
  Dispatch dispatch;
  SmallVector<Attribute> kernels;
  RunPlan plan;
  std::vector<uint8_t> bytes;
  std::unique_ptr<Measurement> measurement;
};
} // namespace

//===----------------------------------------------------------------------===//
// The tuner
//===----------------------------------------------------------------------===//

TuningTable Tuner::getTable() {
  std::lock_guard<std::mutex> lock(mutex);
  return table;
}

TuningTable Tuner::getMet() {
  std::lock_guard<std::mutex> lock(mutex);
  return met;
}

Expected<std::string> Tuner::tune(ModuleOp module,
                                  const CompilerOptions &options,
                                  Progress &progress, float begin, float end) {
  std::lock_guard<std::mutex> lock(tuning);
  auto start = std::chrono::steady_clock::now();
  auto getSeconds = [&] {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count();
  };
  module.getContext()->loadAllAvailableDialects();
  const DeviceProfile &profile = getDeviceProfile(module);
  KernelOptions wishes{options.matrixTile, options.contractionTile,
                       options.rowTile, options.attentionTile};
  // The models' choices are candidates, so that the table is not applied.
  CompilerOptions untuned;
  untuned.copyOptionValuesFrom(options);
  untuned.tuning = "";
  untuned.deviceProfile = "";

  std::vector<Candidates> all;
  SmallVector<Dispatch> dispatches = listDispatches(module);
  size_t late = 0, failedCount = 0;
  for (auto [index, dispatch] : llvm::enumerate(dispatches)) {
    float part =
        static_cast<float>(index) / static_cast<float>(dispatches.size());
    DML_TRY(progress.begin("compiling kernels to measure",
                           begin + (end - begin) / 2 * part));
    {
      std::lock_guard<std::mutex> guard(mutex);
      if (const TunedKernel *known = table.find(dispatch.key)) {
        TunedKernel again = *known;
        again.uses = dispatch.uses;
        met.add(std::move(again));
        continue;
      }
    }
    if (getSeconds() > shareOfCompiling * mostSeconds) {
      ++late;
      continue;
    }
    std::optional<unsigned> output = findOutput(dispatch.function);
    Candidates candidates{dispatch, {}, {}, {}, nullptr};
    if (output)
      candidates.kernels =
          proposeKernels(dispatch.function, profile, wishes, mostCandidates);
    if (candidates.kernels.size() < 2)
      continue;
    candidates.plan = getPlan(dispatch, *output, profile);
    OwningOpRef<ModuleOp> built =
        buildCandidates(dispatch, *output, candidates.kernels, candidates.plan);
    FailureOr<std::vector<uint8_t>> bytes = compileCandidates(*built, untuned);
    if (failed(bytes)) {
      ++failedCount;
      continue;
    }
    candidates.bytes = std::move(*bytes);
    auto measurement =
        Measurement::create(device, candidates.bytes, candidates.plan);
    if (!measurement) {
      if (measurement.status().result() == DML_ERROR_DEVICE_LOST)
        return measurement.status();
      ++failedCount;
      continue;
    }
    candidates.measurement = std::move(*measurement);
    all.push_back(std::move(candidates));
  }

  DeviceData data(device);
  for (auto [index, candidates] : llvm::enumerate(all)) {
    float part = static_cast<float>(index) / static_cast<float>(all.size());
    DML_TRY(progress.begin("measuring kernels",
                           begin + (end - begin) / 2 * (1 + part)));
    double rest = mostSeconds - getSeconds();
    if (rest <= 0) {
      late += all.size() - index;
      break;
    }
    double seconds = std::min(mostSecondsOfDispatch,
                              rest / static_cast<double>(all.size() - index));
    Expected<MeasuredTimes> times =
        candidates.measurement->run(data, seconds, /*isFirst=*/index == 0);
    candidates.measurement.reset();
    if (!times) {
      if (times.status().result() == DML_ERROR_DEVICE_LOST)
        return times.status();
      ++failedCount;
      continue;
    }
    for (size_t wrong : times->wrong)
      messages.warn("the kernel " + printAttr(candidates.kernels[wrong]) +
                    " computes other results than " +
                    printAttr(candidates.kernels.front()) +
                    ", and is not chosen");
    linalg::GenericOp op = getGenericOfDispatch(candidates.dispatch.function);
    auto label = op->getAttrOfType<StringAttr>(labelAttrName);
    TunedKernel tuned;
    tuned.dispatch = candidates.dispatch.key;
    tuned.operators = label ? label.str() : "";
    tuned.kernel = printAttr(candidates.kernels[times->fastest]);
    tuned.model = printAttr(candidates.kernels.front());
    tuned.microseconds = times->microseconds[times->fastest];
    tuned.modelMicroseconds = times->microseconds.front();
    tuned.candidates = static_cast<uint32_t>(candidates.kernels.size());
    tuned.uses = candidates.dispatch.uses;
    std::lock_guard<std::mutex> guard(mutex);
    table.add(tuned);
    met.add(std::move(tuned));
  }
  if (late > 0)
    messages.warn("after " + std::to_string(static_cast<int>(mostSeconds)) +
                  " seconds, " + std::to_string(late) +
                  " dispatches were not measured, for which the models of time "
                  "choose kernels");
  if (failedCount > 0)
    messages.warn(std::to_string(failedCount) +
                  " dispatches could not be measured, for which the models of "
                  "time choose kernels");
  return getTable().str();
}
