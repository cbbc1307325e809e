//===- Export.cpp - Writing executables -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "dml/Codegen/DeviceProfile.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;
using executable::BufferKind;
using executable::BufferRange;

/// The attribute by which buffer-results-to-out-params marks outputs.
static constexpr llvm::StringLiteral resultAttrName = "bufferize.result";

namespace {
/// A tensor of a function's signature.
struct SignatureTensor {
  std::string name;
  DataType type;
  SmallVector<uint32_t> sizes;
  uint64_t bufferSize;
};

struct ExportedFunction {
  std::string name;
  std::vector<SignatureTensor> inputs, outputs;
  Schedule schedule;
  FeatureLevel featureLevel;
};

/// What a kernel asks of the launches and of the device.
struct KernelInfo {
  std::array<uint32_t, 3> workgroupSize;
  uint32_t sharedMemorySize;
  uint32_t bindingCount;
  /// Of all loops of a thread together, at most.
  uint64_t loopIterations;
};

class Exporter {
public:
  explicit Exporter(ModuleOp module) : module(module) {}

  LogicalResult read();
  FailureOr<std::vector<uint8_t>> write();

private:
  FailureOr<SignatureTensor> readTensor(func::FuncOp function, unsigned index,
                                        StringRef defaultName);
  LogicalResult readFunction(func::FuncOp function);
  LogicalResult readKernels();
  FailureOr<flatbuffers::Offset<executable::Requirements>>
  writeRequirements(flatbuffers::FlatBufferBuilder &builder);

  ModuleOp module;
  KernelTable kernels;
  std::vector<KernelInfo> kernelInfos;
  ConstantPool constants;
  std::vector<ExportedFunction> functions;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading the module
//===----------------------------------------------------------------------===//

FailureOr<SignatureTensor> Exporter::readTensor(func::FuncOp function,
                                                unsigned index,
                                                StringRef defaultName) {
  constexpr int64_t maxRank = 8;
  auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[index]);
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return emitError(function.getLoc(), "argument ")
           << index << " is " << function.getArgumentTypes()[index]
           << ", but an executable wants a packed buffer of static shape";
  auto tensorType =
      RankedTensorType::get(type.getShape(), type.getElementType());
  if (auto original = function.getArgAttrOfType<TypeAttr>(index, typeAttrName))
    tensorType = cast<RankedTensorType>(original.getValue());
  Type elementType = tensorType.getElementType();
  std::optional<DataType> dataType = getDataType(elementType);
  if (!dataType)
    return emitError(function.getLoc(), "argument ")
           << index << " has element type " << elementType
           << ", which is no DirectML data type";

  if (tensorType.getRank() > maxRank)
    return emitError(function.getLoc(), "argument ")
           << index << " has rank " << tensorType.getRank()
           << ", but DirectML tensors have at most " << maxRank
           << " dimensions";

  SignatureTensor tensor;
  auto name = function.getArgAttrOfType<StringAttr>(index, nameAttrName);
  tensor.name = name ? name.getValue().str() : defaultName.str();
  tensor.type = *dataType;
  for (int64_t size : tensorType.getShape()) {
    if (size < 1 || size > UINT32_MAX)
      return emitError(function.getLoc(), "argument ")
             << index << " has size " << size
             << ", but DirectML sizes range from 1 to " << UINT32_MAX;
    tensor.sizes.push_back(static_cast<uint32_t>(size));
  }
  tensor.bufferSize = getBufferSize(type);
  return tensor;
}

LogicalResult Exporter::readFunction(func::FuncOp function) {
  if (!isName(function.getName()))
    return emitError(function.getLoc(), "function ")
           << function.getNameAttr()
           << " wants a name without control characters";
  if (function.getNumResults() != 0)
    return emitError(function.getLoc(), "function '")
           << function.getName() << "' has "
           << (function.getNumResults() == 1 ? "a result" : "results")
           << ", but an executable wants arguments to write to";
  ExportedFunction exported;
  exported.name = function.getName().str();
  exported.featureLevel = getTargetFeatureLevel(function);
  SmallVector<BufferRange> ranges;
  llvm::StringSet<> names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    bool isOutput = !!function.getArgAttr(i, resultAttrName);
    auto &tensors = isOutput ? exported.outputs : exported.inputs;
    std::string defaultName =
        (isOutput ? "output" : "input") + std::to_string(tensors.size());
    FailureOr<SignatureTensor> tensor = readTensor(function, i, defaultName);
    if (failed(tensor))
      return failure();
    if (!names.insert(tensor->name).second)
      return emitError(function.getLoc(),
                       "two arguments or results are named '")
             << tensor->name
             << "' (without dml.name, they are called by their "
                "kind and number)";
    ranges.emplace_back(isOutput ? BufferKind::Output : BufferKind::Input,
                        tensors.size(), 0, tensor->bufferSize);
    tensors.push_back(std::move(*tensor));
  }
  FailureOr<Schedule> schedule =
      buildSchedule(function, kernels, constants, ranges);
  if (failed(schedule))
    return failure();
  exported.schedule = std::move(*schedule);
  functions.push_back(std::move(exported));
  return success();
}

/// Bytes of a type that has no explicit layout.
static uint64_t getSize(Type type) {
  if (auto structure = dyn_cast<spirv::StructType>(type)) {
    uint64_t bytes = 0;
    for (Type element : structure.getElementTypes())
      bytes += getSize(element);
    return bytes;
  }
  return cast<spirv::SPIRVType>(type).getSizeInBytes().value_or(0);
}

/// Bytes of workgroup memory of a SPIR-V module.
static uint32_t getSharedMemorySize(spirv::ModuleOp module) {
  uint64_t bytes = 0;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    auto type = cast<spirv::PointerType>(variable.getType());
    if (type.getStorageClass() == spirv::StorageClass::Workgroup)
      bytes += getSize(type.getPointeeType());
  }
  return static_cast<uint32_t>(bytes);
}

/// The largest number that `index` may be, where it is a constant or a minimum
/// of one with what data say.
static std::optional<uint64_t> getLargest(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getLimitedValue();
  Operation *op = index.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
          arith::TruncIOp>(op))
    return getLargest(op->getOperand(0));
  if (!isa<arith::MinUIOp, arith::MinSIOp>(op))
    return std::nullopt;
  std::optional<uint64_t> lhs = getLargest(op->getOperand(0)),
                          rhs = getLargest(op->getOperand(1));
  return lhs && rhs ? std::min(*lhs, *rhs) : lhs ? lhs : rhs;
}

/// How often `loop` runs at most, if anybody can tell beforehand.
static std::optional<uint64_t> getMaxTripCount(LoopLikeOpInterface loop) {
  if (std::optional<APInt> count = loop.getStaticTripCount())
    return count->getLimitedValue();
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!lower || !upper || !step || upper->size() != 1 ||
      getConstantIntValue(lower->front()) != 0 ||
      getConstantIntValue(step->front()) != 1)
    return std::nullopt;
  auto value = dyn_cast<Value>(upper->front());
  return value ? getLargest(value) : std::nullopt;
}

/// Iterations of the loops in `region`, which a thread runs through once, at
/// most. Loops that nobody can count beforehand have more than any driver
/// bears.
static uint64_t countLoopIterations(Region &region) {
  constexpr uint64_t unknown = std::numeric_limits<uint64_t>::max();
  uint64_t total = 0;
  for (Operation &op : region.getOps()) {
    uint64_t inside = 0;
    for (Region &nested : op.getRegions())
      inside = llvm::SaturatingAdd(inside, countLoopIterations(nested));
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      inside =
          llvm::SaturatingMultiply(getMaxTripCount(loop).value_or(unknown),
                                   llvm::SaturatingAdd(inside, uint64_t{1}));
    }
    total = llvm::SaturatingAdd(total, inside);
  }
  return total;
}

LogicalResult Exporter::readKernels() {
  if (failed(kernels.add(module)))
    return failure();
  for (const KernelTable::Kernel &kernel : kernels.getKernels()) {
    KernelInfo info = {{1, 1, 1}, getSharedMemorySize(kernel.module), 0, 0};
    for (auto mode :
         kernel.module->getRegion(0).getOps<spirv::ExecutionModeOp>())
      if (mode.getExecutionMode() == spirv::ExecutionMode::LocalSize)
        for (auto [size, value] :
             llvm::zip_equal(info.workgroupSize,
                             mode.getValues().getAsValueRange<IntegerAttr>()))
          size = static_cast<uint32_t>(value.getZExtValue());
    for (auto variable :
         kernel.module->getRegion(0).getOps<spirv::GlobalVariableOp>())
      if (variable.getBinding())
        info.bindingCount =
            std::max(info.bindingCount, *variable.getBinding() + 1);
    kernelInfos.push_back(info);
  }
  // The kernels before their conversion to SPIR-V, which knows blocks alone.
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    if (std::optional<unsigned> kernel = kernels.lookup(gpuModule.getName()))
      for (auto function : gpuModule.getOps<gpu::GPUFuncOp>())
        kernelInfos[*kernel].loopIterations =
            std::max(kernelInfos[*kernel].loopIterations,
                     countLoopIterations(function.getBody()));
  return success();
}

LogicalResult Exporter::read() {
  if (failed(readKernels()))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && failed(readFunction(function)))
      return failure();
  if (functions.empty())
    return emitError(module.getLoc(), "the module has no public function, so "
                                      "there is nothing to execute");
  return success();
}

//===----------------------------------------------------------------------===//
// Writing the file
//===----------------------------------------------------------------------===//

static executable::Extent3D toExtent(const std::array<uint32_t, 3> &sizes) {
  return {sizes[0], sizes[1], sizes[2]};
}

static flatbuffers::Offset<
    flatbuffers::Vector<flatbuffers::Offset<executable::Tensor>>>
writeTensors(flatbuffers::FlatBufferBuilder &builder,
             ArrayRef<SignatureTensor> tensors) {
  std::vector<flatbuffers::Offset<executable::Tensor>> offsets;
  for (const SignatureTensor &tensor : tensors)
    offsets.push_back(executable::CreateTensor(
        builder, builder.CreateString(tensor.name),
        static_cast<executable::DataType>(tensor.type),
        builder.CreateVector(tensor.sizes.data(), tensor.sizes.size()),
        tensor.bufferSize));
  return builder.CreateVector(offsets);
}

static flatbuffers::Offset<executable::Step>
writeStep(flatbuffers::FlatBufferBuilder &builder, const Step &step) {
  auto label = builder.CreateString(step.label);
  if (!step.kernel) {
    auto copy =
        executable::CreateCopy(builder, &step.bindings[0], &step.bindings[1]);
    return executable::CreateStep(builder, executable::Operation::Copy,
                                  copy.Union(), step.barrier, label);
  }
  executable::Extent3D count = toExtent(step.workgroupCount);
  auto dispatch = executable::CreateDispatch(
      builder, *step.kernel, &count,
      builder.CreateVectorOfStructs(step.bindings.data(),
                                    step.bindings.size()));
  return executable::CreateStep(builder, executable::Operation::Dispatch,
                                dispatch.Union(), step.barrier, label);
}

FailureOr<flatbuffers::Offset<executable::Requirements>>
Exporter::writeRequirements(flatbuffers::FlatBufferBuilder &builder) {
  DeviceProfile features;
  std::array<uint32_t, 3> maxSize = {1, 1, 1}, maxCount = {1, 1, 1};
  uint32_t maxInvocations = 1, maxShared = 0, maxBindings = 0;
  uint64_t maxRange = 0, maxLoopIterations = 0;
  auto raise = [](auto &limit, auto value) { limit = std::max(limit, value); };

  for (auto [kernel, info] :
       llvm::zip_equal(kernels.getKernels(), kernelInfos)) {
    spirv::ModuleOp kernelModule = kernel.module;
    for (spirv::Capability capability :
         kernelModule.getVceTripleAttr().getCapabilities()) {
      // Every Vulkan device has these.
      if (capability == spirv::Capability::Shader ||
          capability == spirv::Capability::Matrix)
        continue;
      const auto *found = llvm::find_if(
          getDeviceFeatures(), [&](const DeviceFeatureInfo &feature) {
            return feature.capability == capability;
          });
      if (found == getDeviceFeatures().end())
        return emitError(kernelModule.getLoc(),
                         "the kernel needs the SPIR-V capability ")
               << stringifyCapability(capability)
               << ", which no device profile knows";
      features.set(found->feature, true);
    }
    uint32_t invocations = 1;
    for (int i = 0; i < 3; ++i) {
      raise(maxSize[i], info.workgroupSize[i]);
      invocations *= info.workgroupSize[i];
    }
    raise(maxInvocations, invocations);
    raise(maxShared, info.sharedMemorySize);
    raise(maxBindings, info.bindingCount);
    raise(maxLoopIterations, info.loopIterations);
  }
  for (const ExportedFunction &function : functions)
    for (const Step &step : function.schedule.steps) {
      if (!step.kernel)
        continue;
      for (int i = 0; i < 3; ++i)
        raise(maxCount[i], step.workgroupCount[i]);
      for (const BufferRange &range : step.bindings)
        raise(maxRange, range.size());
    }

  std::vector<executable::Feature> required;
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (features.has(info.feature))
      required.push_back(static_cast<executable::Feature>(info.feature));
  constexpr uint32_t vulkan12 = (1u << 22) | (2u << 12);
  executable::Extent3D size = toExtent(maxSize), count = toExtent(maxCount);
  return executable::CreateRequirements(
      builder, vulkan12, builder.CreateVector(required), maxRange, maxBindings,
      maxInvocations, &size, &count, maxShared, maxLoopIterations);
}

FailureOr<std::vector<uint8_t>> Exporter::write() {
  flatbuffers::FlatBufferBuilder builder;
  auto requirements = writeRequirements(builder);
  if (failed(requirements))
    return failure();

  std::vector<flatbuffers::Offset<executable::ShaderModule>> shaderModules;
  std::vector<flatbuffers::Offset<executable::Kernel>> kernelOffsets;
  for (auto [index, kernel, info] :
       llvm::enumerate(kernels.getKernels(), kernelInfos)) {
    shaderModules.push_back(executable::CreateShaderModule(
        builder, builder.CreateString(kernel.name),
        builder.CreateVector(kernel.code)));
    executable::Extent3D size = toExtent(info.workgroupSize);
    kernelOffsets.push_back(executable::CreateKernel(
        builder, index, builder.CreateString(kernel.name), &size,
        info.sharedMemorySize, info.bindingCount));
  }

  std::vector<flatbuffers::Offset<executable::Function>> functionOffsets;
  for (const ExportedFunction &function : functions) {
    std::vector<flatbuffers::Offset<executable::Step>> steps;
    for (const Step &step : function.schedule.steps)
      steps.push_back(writeStep(builder, step));
    functionOffsets.push_back(executable::CreateFunction(
        builder, builder.CreateString(function.name),
        writeTensors(builder, function.inputs),
        writeTensors(builder, function.outputs),
        function.schedule.temporarySize, builder.CreateVector(steps),
        static_cast<uint32_t>(function.featureLevel)));
  }

  ArrayRef<uint8_t> data = constants.getData();
  builder.ForceVectorAlignment(data.size(), sizeof(uint8_t), 16);
  auto constantData = builder.CreateVector(data.data(), data.size());
  executable::FinishExecutableBuffer(
      builder, executable::CreateExecutable(
                   builder, /*version_major=*/1, /*version_minor=*/0,
                   builder.CreateString("dml " DML_VERSION), *requirements,
                   builder.CreateVector(shaderModules),
                   builder.CreateVector(kernelOffsets), constantData,
                   builder.CreateVector(functionOffsets)));
  return std::vector<uint8_t>(builder.GetBufferPointer(),
                              builder.GetBufferPointer() + builder.GetSize());
}

FailureOr<std::vector<uint8_t>> dml::exportExecutable(ModuleOp module) {
  Exporter exporter(module);
  if (failed(exporter.read()))
    return failure();
  return exporter.write();
}
