//===- Session.cpp - A model on a device ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "DividedRun.h"
#include "dml/Target/DeviceAtHand.h"
#include "dml/Target/DeviceProfile.h"

#include <dlfcn.h>

using namespace dml;
using namespace dml::session;

/// The budgets, in bytes, of a session whose creator states none. Programs may
/// have at least `defaultBudget` bytes, and one `shareOfMemory`-th of the
/// memory of the device that the process may use.
static constexpr uint64_t defaultBudget = uint64_t(1) << 30;
static constexpr uint64_t shareOfMemory = 4;
static constexpr uint64_t defaultCacheBudget = uint64_t(4) << 30;

static void addOption(Digester &digester, bool value) {
  digester.add(uint64_t(value));
}
static void addOption(Digester &digester, const std::string &value) {
  digester.add(llvm::StringRef(value));
}

/// Adds all options of the compiler.
static void addOptions(Digester &digester, const CompilerOptions &options) {
#define DML_ADD_OPTION(TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME, DESCRIPTION)   \
  addOption(digester, options.MEMBER.getValue());
#define DML_CODEGEN_OPTION DML_ADD_OPTION
#define DML_OPERATOR_OPTION DML_ADD_OPTION
#include "dml/Target/Options.def"
#undef DML_ADD_OPTION
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Session::Session(const DmlSessionCreateInfo &info)
    : messages(info.messageCallback, info.userData),
      progressCallback(info.progressCallback),
      runTimesCallback(info.runTimesCallback), userData(info.userData),
      budget(info.programBudget ? info.programBudget : defaultBudget),
      programs(budget) {}

Session::~Session() {
  if (cache && device->check().ok())
    cache->storePipelines(device->get(), /*isOver=*/true);
}

static Status checkArrays(const DmlSessionCreateInfo &info) {
  const char *name = "DmlSessionCreateInfo";
  DML_TRY(checkArray(name, "dimensions", info.dimensions, info.dimensionCount));
  DML_TRY(checkArray(name, "options", info.options, info.optionCount));
  return checkArray(name, "weights", info.weights, info.weightCount);
}

Expected<std::unique_ptr<Session>>
Session::create(const DmlSessionCreateInfo &info) {
  DML_TRY(checkArrays(info));
  std::unique_ptr<Session> session(new Session(info));
  Expected<std::unique_ptr<Model>> model = Model::open(info);
  if (!model)
    return model.status();
  session->model = std::move(*model);
  DML_TRY(session->setWeights(info));
  Expected<std::shared_ptr<SessionDevice>> device = SessionDevice::open(info);
  if (!device)
    return device.status();
  session->device = std::move(*device);
  DML_TRY(session->setRuns(info));
  DML_TRY(session->setOptions(info));
  Expected<std::shared_ptr<WeightStore>> store =
      WeightStore::get(session->device->get());
  if (!store)
    return store.status();
  session->store = std::move(*store);
  if (info.identifier)
    session->identifier = info.identifier;
  if (info.cacheDirectory) {
    session->cache = std::make_unique<DiskCache>(
        info.cacheDirectory,
        info.cacheBudget ? info.cacheBudget : defaultCacheBudget,
        session->messages);
    session->cache->loadPipelines(session->device->get());
  }
  DML_TRY(session->setTuning());
  if (info.tracePath) {
    Expected<std::unique_ptr<Trace>> trace = Trace::create(info.tracePath);
    if (!trace)
      return trace.status();
    session->trace = std::move(*trace);
  }
  return session;
}

Status Session::setWeights(const DmlSessionCreateInfo &info) {
  const llvm::StringSet<> &wanted = model->getCallerWeights();
  auto describe = [&]() -> std::string {
    if (wanted.empty())
      return "has no weights that the caller gives";
    llvm::StringRef name = wanted.begin()->first();
    return "has " + std::to_string(wanted.size()) +
           " that the caller gives, such as '" + runtime::escape(name) + "'";
  };
  for (uint32_t i = 0; i < info.weightCount; ++i) {
    const DmlNamedBytes &weight = info.weights[i];
    if (!weight.name || !weight.data)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "weight ", i,
                       " has no name or no data, but wanted are both");
    if (!wanted.contains(weight.name))
      return makeError(DML_ERROR_INVALID_ARGUMENT, "the weight '",
                       runtime::escape(weight.name),
                       "' is given, but the model ", model->getName(), " ",
                       describe());
    if (!weights.bytes
             .try_emplace(weight.name, static_cast<const char *>(weight.data),
                          weight.size)
             .second)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "the weight '",
                       runtime::escape(weight.name), "' is given twice");
  }
  if (!info.weightsPath)
    return Status();
  if (!model->getExecutable() || wanted.empty())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the file of weights '",
                     runtime::escape(info.weightsPath),
                     "' is given, but the model ", model->getName(),
                     model->getExecutable()
                         ? " has no weights that the caller gives"
                         : " is no executable, to which such a file belongs");
  weights.path = info.weightsPath;
  Expected<FileState> state = FileState::get(weights.path);
  return state ? Status() : state.status();
}

/// Gives programs a share of the device's memory where the creator of the
/// session states no budget. A decoder of 3.8 billion parameters has programs
/// for a token and for 512 tokens with 1.2 GB together, for example, of which
/// each run would otherwise give up the other one.
void Session::setBudget() {
  DmlMemoryUse use{};
  if (dmlGetMemoryUse(device->get(), &use, nullptr) != DML_SUCCESS)
    return;
  budget = std::max(budget, use.heapBudget / shareOfMemory);
  programs.setBudget(budget);
}

Status Session::setRuns(const DmlSessionCreateInfo &info) {
  if (!info.programBudget)
    setBudget();
  if (info.waitLimit) {
    settings.waitLimit = info.waitLimit;
    dmlSetWaitLimit(device->get(), info.waitLimit);
  }
  settings.isTimed = runTimesCallback || info.tracePath;
  if (!settings.isTimed)
    return Status();
  DmlDeviceInfo properties{};
  dmlGetDeviceProperties(device->get(), &properties);
  if (properties.limits.timestampPeriod == 0)
    return makeError(DML_ERROR_UNSUPPORTED, "the device '",
                     runtime::escape(properties.name),
                     "' has no timestamps, but the times of steps were wanted");
  return Status();
}

Status Session::setOptions(const DmlSessionCreateInfo &info) {
  options.sharedWeights = true;
  for (uint32_t i = 0; i < info.optionCount; ++i) {
    const DmlNamedValue &option = info.options[i];
    llvm::StringRef value = option.value ? option.value : "";
    if (option.name && llvm::StringRef(option.name) == "tune" &&
        !model->getExecutable() && (value == "true" || value == "false"))
      wantsTuning = value == "true";
    else
      DML_TRY(setOption(option, *model, options));
  }
  if (model->getExecutable())
    return Status();
  if (std::string error = describeWrongOption(options); !error.empty())
    return Status(DML_ERROR_INVALID_ARGUMENT, error);
  if (options.deviceProfile.empty()) {
    DmlDeviceInfo properties{};
    dmlGetDeviceProperties(device->get(), &properties);
    std::string warning;
    options.deviceProfile = getProfileAtHand(properties, warning);
    if (!warning.empty())
      messages.warn(warning);
  }
  llvm::Expected<DeviceProfile> profile =
      DeviceProfile::parse(options.deviceProfile);
  if (!profile)
    return invalid(profile.takeError());
  options.externalWeights = true;
  return Status();
}

Status Session::setTuning() {
  TuningTable table;
  if (!model->getExecutable()) {
    table = makeTable(
        device->get(),
        llvm::cantFail(DeviceProfile::parse(options.deviceProfile.getValue()))
            .str());
    if (!options.tuning.empty()) {
      TuningTable given = llvm::cantFail(TuningTable::parse(options.tuning));
      std::string difference = describeDifference(given, table);
      bool isUsed = given.profile == table.profile;
      if (!difference.empty())
        messages.warn("the table of kernels is " + difference +
                      (isUsed ? "; its kernels may not be the fastest here"
                              : "; it is not used"));
      if (isUsed)
        table = std::move(given);
      else
        options.tuning = "";
    }
  }
  // Programs of a session that measures are those of any table that has grown
  // meanwhile: what was chosen for a program stays.
  if (cache && options.tuning.empty() && !model->getExecutable())
    if (std::optional<TuningTable> kept = cache->loadTuning(table)) {
      table = std::move(*kept);
      if (!wantsTuning)
        options.tuning = table.str();
    }
  Digester digester;
  addOptions(digester, options);
  digester.add(uint64_t(wantsTuning));
  optionsKey = digester.finish();
  if (!wantsTuning)
    return Status();
  options.tuning = "";
  DmlDeviceInfo properties{};
  dmlGetDeviceProperties(device->get(), &properties);
  if (properties.limits.timestampPeriod == 0)
    return makeError(DML_ERROR_UNSUPPORTED, "the device '",
                     runtime::escape(properties.name),
                     "' has no timestamps, by which kernels are measured");
  tuner = std::make_unique<Tuner>(device->get(), std::move(table), messages);
  return Status();
}

std::string Session::getTuning() {
  if (tuner)
    return tuner->getMet().str();
  if (!options.tuning.empty())
    return options.tuning;
  return makeTable(device->get(), options.deviceProfile).str();
}

void Session::describe(DmlSessionInfo &info) {
  info.inputCount = static_cast<uint32_t>(getSignature().inputs.size());
  info.outputCount = static_cast<uint32_t>(getSignature().outputs.size());
  info.device = device->get();
  info.deviceProfile = options.deviceProfile.getValue().c_str();
  std::tie(info.programCount, info.programBytes) = programs.measure();
  info.compiledCount = compiledCount;
  info.cachedCount = cachedCount;
  info.weightBytes = store->countBytes();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Adds the identity of this build of the compiler: its version, and the size
/// and the time of the file that contains it.
static void addCompiler(Digester &digester) {
  digester.add(llvm::StringRef(dmlGetVersion()));
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&dmlCreateSession), &info) ||
      !info.dli_fname)
    return;
  Expected<FileState> state = FileState::get(info.dli_fname);
  if (!state)
    return;
  digester.add(state->size);
  digester.add(static_cast<uint64_t>(state->modified));
}

Expected<Digest> Session::getKey(llvm::StringRef text) {
  std::lock_guard<std::mutex> lock(keyMutex);
  if (!commonKey) {
    Digester digester;
    addCompiler(digester);
    model->addTo(digester);
    digester.add(optionsKey);
    digester.add(llvm::StringRef(identifier));
    if (identifier.empty()) {
      Expected<Digest> bytes = model->getDigest();
      if (!bytes)
        return bytes;
      digester.add(*bytes);
    }
    commonKey = digester.finish();
  }
  Digester digester;
  digester.add(*commonKey);
  digester.add(text);
  return digester.finish();
}

/// Returns the image of a model that is an executable. It contains the places
/// of the weights that the executable lacks.
static Expected<Image> describeExecutable(DmlExecutable executable,
                                          const CallerWeights &caller,
                                          const Model &model) {
  Image image;
  image.files.push_back({model.getName(), model.getState()});
  if (!caller.path.empty()) {
    Expected<FileState> state = FileState::get(caller.path);
    if (!state)
      return state.status();
    image.files.push_back({caller.path, *state});
  }
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  for (uint32_t i = 0; i < info.weightCount; ++i) {
    DmlWeightInfo weight{};
    DML_TRY(call(dmlGetWeightInfo, executable, i, &weight));
    WeightSource source;
    if (!caller.path.empty() && !caller.bytes.contains(weight.tensor.name))
      source = {WeightSource::Kind::File, 1, weight.fileOffset,
                weight.tensor.byteSize};
    image.weights.push_back(source);
  }
  return image;
}

Expected<Image> Session::getImage(llvm::StringRef text,
                                  CompileImage compileImage,
                                  Progress &progress) {
  if (DmlExecutable executable = model->getExecutable())
    return describeExecutable(executable, weights, *model);
  std::optional<Digest> key;
  if (cache) {
    DML_TRY(progress.begin("looking into the cache", 0));
    Expected<Digest> found = getKey(text);
    if (!found)
      return found.status();
    key = *found;
    if (std::optional<Image> image = cache->loadImage(*key, *model)) {
      ++cachedCount;
      return std::move(*image);
    }
  }
  Expected<Image> image = compileImage(progress);
  if (!image)
    return image;
  ++compiledCount;
  if (cache)
    cache->storeImage(*key, *image, *model);
  if (cache && tuner)
    cache->storeTuning(tuner->getTable());
  return image;
}

Expected<std::shared_ptr<Program>>
Session::makeProgram(llvm::StringRef text, CompileImage compileImage) {
  Progress progress(progressCallback, userData);
  Expected<Image> image = getImage(text, compileImage, progress);
  if (!image)
    return device->note(image.status());
  Expected<std::shared_ptr<Program>> program =
      Program::create(*store, *model, std::move(*image), weights, optionsKey,
                      settings, progress);
  if (!program)
    return device->note(program.status());
  if (cache)
    cache->storePipelines(device->get(), /*isOver=*/false);
  return program;
}

Expected<std::shared_ptr<Program>>
Session::getProgram(const std::string &text, CompileImage compileImage) {
  bool isMade = false;
  Expected<std::shared_ptr<Program>> program = programs.get(text, [&] {
    isMade = true;
    return makeProgram(text, compileImage);
  });
  if (program && isMade)
    programs.trim(program->get());
  return program;
}

Expected<std::shared_ptr<Program>>
Session::getProgram(const InputBinding &binding) {
  auto program = getProgram(binding.key, [&](Progress &progress) {
    return compile(*model, binding.dimensions, binding.shared, options,
                   tuner.get(), progress, messages);
  });
  if (!program)
    return program;
  if ((*program)->getInputs().size() != binding.inputs.size() ||
      (*program)->getOutputs().size() != getSignature().outputs.size())
    return makeError(DML_ERROR_UNSUPPORTED, model->getName(),
                     ": the program has other inputs or outputs than the "
                     "model declares");
  return program;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Session::describeOutput(const Program &program, size_t index,
                             DmlSessionTensor &tensor) const {
  const SignatureTensor &declared = getSignature().outputs[index];
  const DmlTensorInfo &info = program.getOutputs()[index];
  tensor.name = declared.name.c_str();
  tensor.dataType = info.dataType;
  // The program has a tensor of one element for a scalar.
  bool isScalar = declared.hasRank && declared.dimensions.empty();
  tensor.rank = isScalar ? 0 : info.rank;
  for (uint32_t i = 0; i < DML_MAX_RANK; ++i)
    tensor.sizes[i] = i < tensor.rank ? info.sizes[i] : 0;
  tensor.byteSize = info.byteSize;
}

Expected<Session::Call>
Session::bind(llvm::ArrayRef<DmlSessionTensor> inputs,
              llvm::MutableArrayRef<DmlSessionTensor> outputs, bool isRun) {
  Expected<InputBinding> binding =
      bindInputs(getSignature(), inputs, isRun, model->isPacked());
  if (!binding)
    return binding.status();
  auto wanted = bindOutputs(getSignature(), outputs);
  if (!wanted)
    return wanted.status();
  DML_TRY(device->check());
  if (!model->getExecutable())
    bindShared(*binding, *wanted);
  Expected<std::shared_ptr<Program>> program = getProgram(*binding);
  if (!program)
    return program.status();
  return Call{std::move(*binding), std::move(*wanted), std::move(*program)};
}

Status Session::prepare(llvm::ArrayRef<DmlSessionTensor> inputs,
                        llvm::MutableArrayRef<DmlSessionTensor> outputs) {
  if (model->isDivided())
    return runDivided(inputs, outputs, /*isRun=*/false);
  Expected<Call> call = bind(inputs, outputs, /*isRun=*/false);
  if (!call && model->isDivided())
    return runDivided(inputs, outputs, /*isRun=*/false);
  if (!call)
    return call.status();
  for (auto [index, tensor] : llvm::enumerate(call->wanted))
    if (tensor)
      describeOutput(*call->program, index, *tensor);
  return Status();
}

void Session::report(const Program &program, const StepTimes &times) {
  if (!settings.isTimed)
    return;
  DmlRunTimes report{};
  report.steps = program.getSteps().data();
  report.times = times.steps.data();
  report.stepCount = static_cast<uint32_t>(times.steps.size());
  report.submitTime = times.submitTime;
  report.finishTime = times.finishTime;
  if (trace)
    trace->add(report, messages);
  if (runTimesCallback)
    runTimesCallback(userData, &report);
}

Status Session::run(llvm::ArrayRef<DmlSessionTensor> inputs,
                    llvm::MutableArrayRef<DmlSessionTensor> outputs) {
  if (model->isDivided())
    return runDivided(inputs, outputs, /*isRun=*/true);
  Expected<Call> call = bind(inputs, outputs, /*isRun=*/true);
  if (!call && model->isDivided())
    return runDivided(inputs, outputs, /*isRun=*/true);
  if (!call)
    return call.status();
  Program &program = *call->program;
  uint64_t bytes = program.getBytes();
  std::vector<HostMemory> results;
  StepTimes times;
  DML_TRY(device->note(
      program.run(call->binding.inputs, call->wanted, results, times)));
  if (program.getBytes() != bytes)
    programs.trim(&program);
  for (auto [index, tensor] : llvm::enumerate(call->wanted)) {
    if (!tensor)
      continue;
    describeOutput(program, index, *tensor);
    if (results[index])
      tensor->data = results[index].release();
  }
  report(program, times);
  return Status();
}

//===----------------------------------------------------------------------===//
// Models of several programs
//===----------------------------------------------------------------------===//

Expected<const Model::Divided *> Session::getDivision() {
  std::lock_guard<std::mutex> lock(divisionMutex);
  if (!division) {
    Expected<Model::Divided> made = model->divide();
    if (!made)
      return made.status();
    division = std::move(*made);
  }
  return &*division;
}

Status Session::runDivided(llvm::ArrayRef<DmlSessionTensor> inputs,
                           llvm::MutableArrayRef<DmlSessionTensor> outputs,
                           bool isRun) {
  Expected<InputBinding> binding =
      bindInputs(getSignature(), inputs, isRun, model->isPacked());
  if (!binding)
    return binding.status();
  auto wanted = bindOutputs(getSignature(), outputs);
  if (!wanted)
    return wanted.status();
  DML_TRY(device->check());
  Expected<const Model::Divided *> divided = getDivision();
  if (!divided)
    return divided.status();
  DividedRun run(*this, **divided);
  return device->note(isRun ? run.run(binding->all, *wanted)
                            : run.prepare(binding->all, *wanted));
}
