//===- DividedRun.cpp - A run of several programs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DividedRun.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>

using namespace dml;
using namespace dml::session;
using onnx::PresentTensor;

/// The largest tensors of integers, and of floating-point numbers, that the
/// host computes with.
static constexpr int64_t mostIntegers = 1 << 16, mostFloats = 8;
/// The largest tensor on the host that each program copies for itself.
static constexpr uint64_t mostInputBytes = 1 << 16;

DeviceMemory::DeviceMemory(BufferHandle own, BufferPool &pool,
                           std::shared_ptr<const std::atomic<bool>> isFailed)
    : buffer(std::move(own)), pool(&pool), isFailed(std::move(isFailed)) {
  DmlBufferInfo info{};
  dmlGetBufferInfo(buffer.get(), &info);
  range = {info.buffer, 0, info.size};
}

DeviceMemory::~DeviceMemory() {
  // Late work may still use the buffer, whose destruction waits for the work.
  if (buffer && !*isFailed)
    pool->give(std::move(buffer));
}

LiveTensor *Frame::find(llvm::StringRef name) {
  for (Frame *frame = this; frame; frame = frame->outer)
    if (auto found = frame->tensors.find(name); found != frame->tensors.end())
      return &found->second;
  return nullptr;
}

static std::string quote(llvm::StringRef name) {
  return "'" + runtime::escape(name) + "'";
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Whether the host computes with a tensor of this type and shape.
static bool isForHost(const PresentTensor &tensor) {
  bool isFloat = tensor.type == DataType::FLOAT16 ||
                 tensor.type == DataType::FLOAT32 ||
                 tensor.type == DataType::FLOAT64;
  return tensor.getNumElements() <= (isFloat ? mostFloats : mostIntegers);
}

/// Returns the truth value that decides a branch, as a byte of 0 or 1.
static void setTruth(PresentTensor &tensor) {
  auto byte = std::make_shared<char>(*tensor.elements.data() != 0);
  tensor.elements = llvm::ArrayRef<char>(byte.get(), 1);
  tensor.owner = byte;
}

void DividedRun::addInputs(llvm::ArrayRef<const DmlSessionTensor *> inputs,
                           Frame &frame) {
  for (const auto &[name, tensor] : divided.division->getStated())
    frame.tensors[name].present = tensor;
  const Signature &signature = session.getSignature();
  for (auto [declared, given] : llvm::zip_equal(signature.inputs, inputs)) {
    LiveTensor tensor;
    tensor.present.type = *declared.type;
    tensor.present.isBool = declared.isBool;
    for (auto [index, dimension] : llvm::enumerate(declared.dimensions))
      tensor.present.shape.push_back(given ? given->sizes[index]
                                           : dimension.size);
    if (given && given->data) {
      tensor.present.elements = {static_cast<const char *>(given->data),
                                 given->byteSize};
      if (declared.isBool && declared.decidesBranch)
        setTruth(tensor.present);
    } else if (given && given->buffer.buffer) {
      tensor.device = std::make_shared<DeviceMemory>(given->buffer);
    }
    tensor.present.isOnHost = tensor.hasElements() && isForHost(tensor.present);
    frame.tensors[declared.name] = std::move(tensor);
  }
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

/// Describes a section and the tensors of the frame that it reads.
static std::string describeState(const onnx::Section &section, Frame &frame) {
  std::string key = getKey(section).str();
  for (const std::string &name : getReadNames(section)) {
    LiveTensor *live = frame.find(name);
    key += ';';
    if (!live)
      continue;
    const PresentTensor &tensor = live->present;
    key += static_cast<char>('a' + static_cast<int>(tensor.type));
    key += tensor.isOnHost ? (tensor.isConstant ? 'c' : 'h') : 'd';
    key += tensor.isBool ? 'b' : '-';
    for (int64_t size : tensor.shape)
      key += "x" + std::to_string(size);
    if (tensor.isConstant)
      key.append(tensor.elements.data(), tensor.elements.size());
  }
  return key;
}

/// Returns a function that finds tensors in `frame`.
static auto findIn(Frame &frame) {
  return [&frame](llvm::StringRef name) -> const PresentTensor * {
    LiveTensor *live = frame.find(name);
    return live ? &live->present : nullptr;
  };
}

static bool hasType(const PresentTensor &tensor, const onnx::MadeTensor &made) {
  return tensor.type == made.type && tensor.isBool == made.isBool &&
         tensor.shape == made.shape;
}

Expected<bool> DividedRun::fits(const onnx::Cut &cut, Frame &frame,
                                Frame &made) {
  for (const onnx::Cut::Computed &computed : cut.computed) {
    auto results = computed.node->compute(findIn(made));
    if (!results) {
      // The node may be one that another cut does not have.
      llvm::consumeError(results.takeError());
      return false;
    }
    if (results->size() != computed.results.size())
      return false;
    for (auto [result, wanted] : llvm::zip_equal(*results, computed.results)) {
      if (!hasType(result.second, wanted))
        return false;
      made.tensors[result.first].present = std::move(result.second);
    }
  }
  for (const auto &[name, fixed] : cut.fixed) {
    const LiveTensor *live = made.find(name);
    if (!live || live->present.elements != fixed.elements)
      return false;
  }
  return true;
}

Expected<DividedRun::FoundCut>
DividedRun::makeCut(const onnx::SectionPointer &section, Frame &frame) {
  DML_TRY(progress.begin("dividing the model", 0));
  auto begin = std::chrono::steady_clock::now();
  auto count = llvm::scope_exit(
      [&] { makingTime += std::chrono::steady_clock::now() - begin; });
  FoundCut found;
  found.context = std::make_unique<CompilerContext>();
  found.files = std::make_unique<ReadFiles>(*session.model, *divided.file);
  onnx::ImportOptions options;
  options.files = &found.files->beside;
  options.places = &found.files->weights;
  auto made = divided.division->cut(section, findIn(frame),
                                    &found.context->get(), options);
  Status status = made ? Status() : invalid(made.takeError());
  // What is wrong with a model may be that its file changes.
  DML_TRY(found.files->check());
  if (!status.ok())
    return status.in(session.model->getName());
  found.cut = std::move(made->cut);
  found.module = std::move(made->module);
  return found;
}

Expected<DividedRun::FoundCut>
DividedRun::findCut(const onnx::SectionPointer &section, Frame &frame) {
  std::string key = describeState(*section, frame);
  FoundCut found;
  auto tryCut = [&](const CutPointer &cut) -> Expected<bool> {
    Frame made(&frame);
    Expected<bool> isFit = fits(*cut, frame, made);
    if (!isFit || !*isFit)
      return isFit;
    for (auto &tensor : made.tensors)
      frame.tensors[tensor.first()] = std::move(tensor.second);
    session.cuts.use(key, cut);
    return true;
  };
  for (const CutPointer &cut : session.cuts.find(key)) {
    Expected<bool> isFit = tryCut(cut);
    if (!isFit)
      return isFit.status();
    if (!*isFit)
      continue;
    found.cut = cut;
    return found;
  }
  Expected<FoundCut> made = makeCut(section, frame);
  if (!made)
    return made;
  Expected<bool> isFit = tryCut(made->cut);
  if (!isFit)
    return isFit.status();
  if (!*isFit)
    return makeError(DML_ERROR_UNSUPPORTED, session.model->getName(),
                     ": a part of the model was divided for other values than "
                     "those at hand");
  return made;
}

Expected<std::shared_ptr<Program>>
DividedRun::getProgram(const onnx::SectionPointer &section, Frame &frame,
                       FoundCut &found) {
  auto begin = std::chrono::steady_clock::now();
  auto count = llvm::scope_exit(
      [&] { makingTime += std::chrono::steady_clock::now() - begin; });
  return session.getProgram(
      "part " + found.cut->key, [&](Progress &making) -> Expected<Image> {
        if (!found.module) {
          // The cut was kept, but not its function.
          Expected<FoundCut> again = makeCut(section, frame);
          if (!again)
            return again.status();
          if (again->cut->key != found.cut->key || !again->module)
            return makeError(DML_ERROR_UNSUPPORTED, session.model->getName(),
                             ": a part of the model is another one when it "
                             "is divided again");
          found.context = std::move(again->context);
          found.files = std::move(again->files);
          found.module = std::move(again->module);
        }
        return compileRead(*session.model, *found.files, *found.context,
                           *found.module, {}, session.options,
                           session.tuner.get(), making, session.messages);
      });
}

Status DividedRun::runProgram(const onnx::Cut &cut, Program &program,
                              Frame &frame) {
  if (program.getInputs().size() != cut.inputs.size() ||
      program.getOutputs().size() != cut.outputs.size())
    return makeError(DML_ERROR_UNSUPPORTED, session.model->getName(),
                     ": a program has other inputs or outputs than its part "
                     "of the model");
  std::vector<DmlSessionTensor> inputs, outputs(cut.outputs.size());
  for (auto [name, info] : llvm::zip_equal(cut.inputs, program.getInputs())) {
    Expected<DmlSessionTensor> input = giveInput(*frame.find(name), info);
    if (!input)
      return input.status();
    inputs.push_back(*input);
  }
  std::vector<LiveTensor> made;
  for (auto [wanted, info, output] :
       llvm::zip_equal(cut.outputs, program.getOutputs(), outputs)) {
    auto memory = takeMemory(info.bufferSize);
    if (!memory)
      return memory.status().in(wanted.name);
    output.buffer = (*memory)->getRange();
    LiveTensor &tensor = made.emplace_back();
    tensor.present.type = wanted.type;
    tensor.present.isBool = wanted.isBool;
    tensor.present.shape = wanted.shape;
    tensor.device = std::move(*memory);
  }
  std::vector<const DmlSessionTensor *> given;
  std::vector<DmlSessionTensor *> taken;
  for (const DmlSessionTensor &input : inputs)
    given.push_back(&input);
  for (DmlSessionTensor &output : outputs)
    taken.push_back(&output);
  std::vector<HostMemory> results;
  StepTimes times;
  uint64_t bytes = program.getBytes();
  Status status = program.run(given, taken, results, times);
  if (!status.ok()) {
    *isFailed = true;
    return status;
  }
  if (program.getBytes() != bytes)
    session.programs.trim(&program);
  session.report(program, times);
  for (auto [wanted, tensor] : llvm::zip_equal(cut.outputs, made))
    frame.tensors[wanted.name] = std::move(tensor);
  return Status();
}

void DividedRun::dropUnread(const onnx::Section &rest, Frame &frame) {
  llvm::ArrayRef<std::string> names = getReadNames(rest);
  std::vector<std::string> unread;
  for (const auto &tensor : frame.tensors)
    if (!std::binary_search(names.begin(), names.end(), tensor.first()))
      unread.push_back(tensor.first().str());
  for (const std::string &name : unread)
    frame.tensors.erase(name);
}

Status DividedRun::runSection(onnx::SectionPointer section, Frame &frame) {
  while (section) {
    Expected<FoundCut> found = findCut(section, frame);
    if (!found)
      return found.status();
    const onnx::Cut &cut = *found->cut;
    for (const auto &[name, tensor] : cut.constants)
      frame.tensors[name].present = tensor;
    if (!cut.outputs.empty()) {
      auto program = getProgram(section, frame, *found);
      if (!program)
        return program.status();
      DML_TRY(runProgram(cut, **program, frame));
    }
    for (const auto &[view, source] : cut.views) {
      LiveTensor tensor = *frame.find(source);
      tensor.present.shape = view.shape;
      tensor.present.isBool = view.isBool;
      frame.tensors[view.name] = std::move(tensor);
    }
    for (const std::string &name : cut.reads) {
      LiveTensor *tensor = frame.find(name);
      DML_TRY_IN(readElements(*tensor), name);
      tensor->present.isOnHost = true;
    }
    for (const onnx::LoopNode &loop : cut.loops)
      DML_TRY(runLoop(loop, frame));
    section = cut.rest;
    if (section)
      dropUnread(*section, frame);
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<DeviceMemory>> DividedRun::takeMemory(uint64_t size) {
  Expected<BufferHandle> buffer =
      session.pool.take(session.device->get(), size);
  if (!buffer)
    return buffer.status();
  return std::make_shared<DeviceMemory>(std::move(*buffer), session.pool,
                                        isFailed);
}

Expected<DmlSessionTensor> DividedRun::giveInput(LiveTensor &tensor,
                                                 const DmlTensorInfo &info) {
  DmlSessionTensor input{};
  if (!tensor.device && info.byteSize > mostInputBytes) {
    // Several programs may read the tensor, which is copied once.
    auto memory = takeMemory(info.bufferSize);
    if (!memory)
      return memory.status();
    DML_TRY(call(dmlWriteBuffer, (*memory)->getBuffer(), uint64_t(0),
                 static_cast<const void *>(tensor.present.elements.data()),
                 tensor.present.elements.size()));
    tensor.device = std::move(*memory);
  }
  if (tensor.device) {
    input.buffer = tensor.device->getRange();
    return input;
  }
  input.data = const_cast<char *>(tensor.present.elements.data());
  input.byteSize = tensor.present.elements.size();
  return input;
}

Expected<std::shared_ptr<Program>>
DividedRun::getCopyProgram(const PresentTensor &tensor) {
  std::string type = "tensor<";
  for (int64_t size : tensor.shape)
    type += std::to_string(size) + "x";
  if (tensor.shape.empty())
    type += "1x";
  auto context = std::make_unique<CompilerContext>();
  llvm::raw_string_ostream(type)
      << getElementType(tensor.type, &context->get()) << ">";
  return session.getProgram(
      "copy " + type, [&](Progress &making) -> Expected<Image> {
        std::string text = "func.func @main(%input: " + type + ") -> " + type +
                           " { return %input : " + type + " }";
        auto module =
            mlir::parseSourceString<mlir::ModuleOp>(text, &context->get());
        ReadFiles files(*session.model, *divided.file);
        return compileRead(*session.model, files, *context, *module, {},
                           session.options, /*tuner=*/nullptr, making,
                           session.messages);
      });
}

Status DividedRun::copyTo(LiveTensor &tensor, const DmlBufferRange &range) {
  if (tensor.present.getNumElements() == 0)
    return Status();
  Expected<std::shared_ptr<Program>> program = getCopyProgram(tensor.present);
  if (!program)
    return program.status();
  Expected<DmlSessionTensor> input =
      giveInput(tensor, (*program)->getInputs()[0]);
  if (!input)
    return input.status();
  DmlSessionTensor output{};
  output.buffer = range;
  std::vector<HostMemory> results;
  StepTimes times;
  Status status = (*program)->run({&*input}, {&output}, results, times);
  if (!status.ok())
    *isFailed = true;
  return status;
}

Status DividedRun::leaveCaller(LiveTensor &tensor) {
  if (!tensor.device || tensor.device->getBuffer())
    return Status();
  auto memory = takeMemory(llvm::alignTo(tensor.present.getNumBytes(), 16));
  if (!memory)
    return memory.status();
  DML_TRY(copyTo(tensor, (*memory)->getRange()));
  tensor.device = std::move(*memory);
  return Status();
}

Status DividedRun::copyTo(LiveTensor &tensor, void *data) {
  uint64_t size = tensor.present.getNumBytes();
  if (size == 0)
    return Status();
  if (tensor.hasElements()) {
    std::memcpy(data, tensor.present.elements.data(), size);
    return Status();
  }
  // The host reads no buffers of the caller.
  DML_TRY(leaveCaller(tensor));
  return call(dmlReadBuffer, tensor.device->getBuffer(), uint64_t(0), data,
              static_cast<size_t>(size));
}

Status DividedRun::readElements(LiveTensor &tensor) {
  if (tensor.hasElements())
    return Status();
  auto bytes =
      std::make_shared<std::vector<char>>(tensor.present.getNumBytes());
  DML_TRY(copyTo(tensor, static_cast<void *>(bytes->data())));
  tensor.present.elements = *bytes;
  tensor.present.owner = bytes;
  return Status();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

void DividedRun::describe(const SignatureTensor &declared,
                          const PresentTensor &tensor,
                          DmlSessionTensor &output) {
  output.name = declared.name.c_str();
  output.dataType = static_cast<DmlDataType>(tensor.type);
  output.rank = static_cast<uint32_t>(tensor.shape.size());
  for (uint32_t i = 0; i < DML_MAX_RANK; ++i)
    output.sizes[i] = i < output.rank ? tensor.shape[i] : 0;
  output.byteSize = tensor.getNumBytes();
}

/// Whether `shape` has the rank and the sizes that the model declares.
static bool fitsDeclaration(const SignatureTensor &declared,
                            llvm::ArrayRef<int64_t> shape) {
  if (!declared.hasRank)
    return true;
  return declared.dimensions.size() == shape.size() &&
         llvm::all_of(llvm::zip_equal(declared.dimensions, shape),
                      [](const auto &pair) {
                        const auto &[dimension, size] = pair;
                        return dimension.size < 0 || dimension.size == size;
                      });
}

Expected<LiveTensor *> DividedRun::findOutput(size_t index, Frame &frame) {
  const SignatureTensor &declared = session.getSignature().outputs[index];
  LiveTensor *tensor = frame.find(declared.name);
  if (!tensor)
    return makeError(DML_ERROR_INVALID_ARGUMENT, session.model->getName(),
                     ": output ", quote(declared.name),
                     " is computed by no node");
  if (declared.type && *declared.type != tensor->present.type)
    return makeError(
        DML_ERROR_INVALID_ARGUMENT, session.model->getName(), ": output ",
        quote(declared.name), " is declared as ",
        dmlGetDataTypeName(static_cast<DmlDataType>(*declared.type)),
        ", but its elements are ",
        dmlGetDataTypeName(static_cast<DmlDataType>(tensor->present.type)));
  if (!fitsDeclaration(declared, tensor->present.shape))
    return makeError(DML_ERROR_INVALID_ARGUMENT, session.model->getName(),
                     ": output ", quote(declared.name),
                     " is declared with the shape ", describeTensor(declared),
                     ", but has the shape ",
                     describeSizes(tensor->present.shape));
  return tensor;
}

Status DividedRun::giveOutputs(Outputs outputs, Frame &frame) {
  std::vector<HostMemory> results(outputs.size());
  std::vector<LiveTensor *> tensors(outputs.size());
  for (auto [index, output] : llvm::enumerate(outputs)) {
    if (!output)
      continue;
    Expected<LiveTensor *> found = findOutput(index, frame);
    if (!found)
      return found.status();
    tensors[index] = *found;
    // An output may be an input itself, whose buffer another output replaces.
    DML_TRY(leaveCaller(**found));
  }
  for (auto [index, output] : llvm::enumerate(outputs)) {
    if (!output)
      continue;
    uint64_t size = tensors[index]->present.getNumBytes();
    std::string name =
        "output " + quote(session.getSignature().outputs[index].name);
    if (output->buffer.buffer) {
      DML_TRY_IN(copyTo(*tensors[index], output->buffer), name);
      continue;
    }
    void *data = output->data;
    if (data && output->byteSize < size)
      return makeError(DML_ERROR_INVALID_ARGUMENT, name, " has ",
                       output->byteSize, " bytes, but wanted are ", size);
    if (!data) {
      data = std::malloc(std::max<size_t>(size, 1));
      results[index].reset(data);
      if (!data)
        return makeError(DML_ERROR_OUT_OF_MEMORY, "there is no memory for the ",
                         size, " bytes of ", name);
    }
    DML_TRY_IN(copyTo(*tensors[index], data), name);
  }
  for (auto [index, output] : llvm::enumerate(outputs)) {
    if (!output)
      continue;
    describe(session.getSignature().outputs[index], tensors[index]->present,
             *output);
    if (results[index])
      output->data = results[index].release();
  }
  return Status();
}

Status DividedRun::run(llvm::ArrayRef<const DmlSessionTensor *> inputs,
                       Outputs outputs) {
  Frame frame(nullptr);
  addInputs(inputs, frame);
  DML_TRY(runSection(divided.division->getMain(), frame));
  return giveOutputs(outputs, frame);
}

Status DividedRun::prepare(llvm::ArrayRef<const DmlSessionTensor *> inputs,
                           Outputs outputs) {
  Frame frame(nullptr);
  addInputs(inputs, frame);
  onnx::SectionPointer section = divided.division->getMain();
  Expected<FoundCut> found = findCut(section, frame);
  if (!found)
    return found.status();
  const onnx::Cut &cut = *found->cut;
  if (!cut.outputs.empty())
    if (auto program = getProgram(section, frame, *found); !program)
      return program.status();
  for (const auto &[name, tensor] : cut.constants)
    frame.tensors[name].present = tensor;
  auto add = [&](const onnx::MadeTensor &made) {
    PresentTensor &tensor = frame.tensors[made.name].present;
    tensor.type = made.type;
    tensor.shape = made.shape;
  };
  llvm::for_each(cut.outputs, add);
  for (const auto &[view, source] : cut.views)
    add(view);
  for (auto [index, output] : llvm::enumerate(outputs)) {
    if (!output)
      continue;
    const SignatureTensor &declared = session.getSignature().outputs[index];
    if (LiveTensor *tensor = frame.find(declared.name))
      describe(declared, tensor->present, *output);
    else
      describe(declared, *output);
  }
  return Status();
}

void DividedRun::describe(const SignatureTensor &declared,
                          DmlSessionTensor &output) {
  PresentTensor tensor;
  for (const SignatureDimension &dimension : declared.dimensions)
    tensor.shape.push_back(dimension.size);
  if (declared.type && declared.hasRank &&
      tensor.shape.size() <= DML_MAX_RANK &&
      llvm::none_of(tensor.shape, [](int64_t size) { return size < 0; })) {
    tensor.type = *declared.type;
    return describe(declared, tensor, output);
  }
  output.name = declared.name.c_str();
  output.dataType = declared.type ? static_cast<DmlDataType>(*declared.type)
                                  : DML_DATA_TYPE_UNKNOWN;
  bool hasRank = declared.hasRank && tensor.shape.size() <= DML_MAX_RANK;
  output.rank =
      hasRank ? static_cast<uint32_t>(tensor.shape.size()) : DML_UNKNOWN_RANK;
  for (uint32_t i = 0; i < DML_MAX_RANK; ++i)
    output.sizes[i] = hasRank && i < output.rank ? tensor.shape[i] : 0;
  output.byteSize = 0;
}
