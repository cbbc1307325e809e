//===- Export.cpp - Writing executables -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "MemoryPlan.h"
#include "Schedule.h"
#include "dml/IR/DML.h"
#include "dml/IR/InPlace.h"
#include "dml/IR/Layout.h"
#include "dml/IR/Ownership.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <tuple>

using namespace mlir;
using namespace dml;
using executable::BufferKind;
using executable::BufferRange;

/// The attribute by which the pass buffer-results-to-out-params marks outputs.
static constexpr llvm::StringLiteral resultAttrName = "bufferize.result";

namespace {
/// A tensor of a function's signature.
struct SignatureTensor {
  std::string name;
  DataType type;
  SmallVector<uint32_t> sizes;
  /// The strides; empty for a packed tensor.
  SmallVector<uint32_t> strides;
  /// The number of bytes that steps access, and the number that the caller
  /// binds.
  uint64_t usedSize, bufferSize;
  /// The number of bytes that the caller stated, or 0.
  uint64_t totalSize = 0;

  /// Whether the two can be one buffer.
  bool canReplace(const SignatureTensor &other) const {
    return std::tie(type, sizes, strides, bufferSize) ==
           std::tie(other.type, other.sizes, other.strides, other.bufferSize);
  }
  bool operator==(const SignatureTensor &other) const {
    return std::tie(name, type, sizes, strides, bufferSize, totalSize) ==
           std::tie(other.name, other.type, other.sizes, other.strides,
                    other.bufferSize, other.totalSize);
  }
};

/// The requirements of a kernel on its launches and on the device.
struct KernelInfo {
  std::array<uint32_t, 3> workgroupSize;
  uint32_t sharedMemorySize;
  uint32_t bindingCount;
  DeviceProfile features;
  /// The largest number of loop iterations that one thread runs, over all
  /// loops.
  uint64_t loopIterations;
  /// The number of threads in a subgroup, or 0 if any number is allowed.
  uint32_t subgroupSize = 0;
  /// The shapes of the kernel's cooperative matrix multiplications.
  std::vector<MatrixShape> matrixShapes;
};

/// The requirements of a list of steps on a device: the maximum over the steps.
struct Needs {
  DeviceProfile features;
  std::array<uint32_t, 3> workgroupSize = {1, 1, 1};
  std::array<uint32_t, 3> workgroupCount = {1, 1, 1};
  uint32_t invocations = 1, sharedMemory = 0, bindings = 0;
  uint64_t range = 0, loopIterations = 0;
  uint32_t subgroupSize = 0;
  std::vector<MatrixShape> matrixShapes;

  void addMatrices(uint32_t size, ArrayRef<MatrixShape> shapes);
  void addDispatch(const Step &step, const KernelInfo &kernel);
  void add(const Needs &other);
  /// Whether every device that meets these requirements also meets `other`.
  bool includes(const Needs &other) const;
};

/// One way to compute a function.
struct ExportedVariant {
  Schedule schedule;
  Needs needs;
  /// The device profile of the module that the variant is from.
  std::string deviceProfile;
};

struct ExportedFunction {
  std::string name;
  std::vector<SignatureTensor> inputs, outputs;
  /// The outputs in the places of inputs, with these inputs.
  std::vector<std::pair<uint32_t, uint32_t>> inPlace;
  std::vector<ExportedVariant> variants;
  FeatureLevel featureLevel;
};

/// A constant whose bytes are not in the file: a weight, or a result of the
/// initialization.
struct OwnedTensor {
  /// The signature of a weight; unused for a result of the initialization.
  SignatureTensor signature;
  bool isWeight = false;
  uint64_t size = 0;
  /// The offset in the buffer of constants. Known once all constants are known.
  uint64_t offset = 0;
};

class Exporter {
public:
  explicit Exporter(uint64_t maxBuffer)
      : maxBuffer(maxBuffer), constants(maxBuffer) {}

  /// Reads the functions of `module`. If another module had the same functions,
  /// adds a variant to each.
  LogicalResult read(ModuleOp module);
  ExecutableImage write();
  flatbuffers::Offset<executable::Executable>
  build(flatbuffers::FlatBufferBuilder &builder, ArrayRef<unsigned> kernels,
        flatbuffers::Offset<flatbuffers::Vector<uint8_t>> constantData);

private:
  FailureOr<SignatureTensor> readTensor(func::FuncOp function, unsigned index,
                                        StringRef defaultName);
  FailureOr<ExportedFunction> readSignature(func::FuncOp function,
                                            SmallVector<BufferRange> &ranges);
  FailureOr<BufferRange> readOwned(func::FuncOp function, unsigned index);
  BufferRange addPersistent(unsigned number, uint64_t size);
  void placeOwned();
  static LogicalResult readInPlace(func::FuncOp function,
                                   SmallVectorImpl<BufferRange> &ranges,
                                   ExportedFunction &exported);
  LogicalResult readFunction(func::FuncOp function, const SymbolTable &symbols);
  LogicalResult readKernels(ModuleOp module);
  ExportedVariant describeVariant(Schedule schedule) const;
  SmallVector<unsigned> numberKernels();

  uint64_t maxBuffer;
  KernelTable kernels;
  std::vector<KernelInfo> kernelInfos;
  ConstantPool constants;
  /// The weights and the results of the initialization that have been found so
  /// far. Until all constants are known, a BufferRange of an owned tensor holds
  /// the tensor's position in this list, counted from 1, as its index.
  std::vector<OwnedTensor> owned;
  llvm::StringMap<unsigned> weights;
  llvm::DenseMap<unsigned, unsigned> persistent;
  uint64_t constantSize = 0;
  /// All functions but the initialization.
  std::vector<ExportedFunction> functions;
  /// The position of each function in `functions`.
  llvm::StringMap<size_t> functionsByName;
  std::optional<ExportedFunction> initialization;
  /// The device profile of the module that is read.
  std::string deviceProfile;
};
} // namespace

template <typename T> static void raise(T &limit, T value) {
  limit = std::max(limit, value);
}

//===----------------------------------------------------------------------===//
// Reading the module
//===----------------------------------------------------------------------===//

FailureOr<SignatureTensor> Exporter::readTensor(func::FuncOp function,
                                                unsigned index,
                                                StringRef defaultName) {
  Type given = function.getArgumentTypes()[index];
  // Bufferization leaves what is no tensor as the caller wrote it.
  if (!isa<ShapedType>(given))
    return emitError(function.getLoc(), "argument ")
           << index << " is " << given
           << ", but wanted is a tensor of static shape";
  auto type = dyn_cast<MemRefType>(given);
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return emitError(function.getLoc(), "argument ")
           << index << " is " << given
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
  // Results of the function have become arguments, which keep their attributes.
  if (auto strides = getArgumentStrides(function, index)) {
    if (type.getRank() != 1)
      return emitError(function.getLoc(), "argument ")
             << index << " has '" << stridesAttrName
             << "', which the pass dml-apply-layouts was to apply";
    tensor.strides.assign(strides->begin(), strides->end());
  }
  tensor.usedSize = getBufferSize(type);
  tensor.bufferSize = tensor.usedSize;
  if (auto size =
          function.getArgAttrOfType<IntegerAttr>(index, totalSizeAttrName)) {
    tensor.totalSize = size.getValue().getZExtValue();
    tensor.bufferSize =
        std::max(tensor.usedSize, getBufferSize(tensor.totalSize));
  }
  return tensor;
}

FailureOr<ExportedFunction>
Exporter::readSignature(func::FuncOp function,
                        SmallVector<BufferRange> &ranges) {
  if (!isName(function.getName()))
    return emitError(function.getLoc(), "function ")
           << function.getNameAttr()
           << " wants a UTF-8 name without control characters";
  // Results that are tensors have become arguments.
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (!isa<ShapedType>(type))
      return emitError(function.getLoc(), "result ")
             << index << " is " << type
             << ", but wanted is a tensor of static shape";
  if (function.getNumResults() != 0)
    return emitError(function.getLoc(), "function '")
           << function.getName() << "' has "
           << (function.getNumResults() == 1 ? "a result" : "results")
           << ", but an executable wants arguments to write to";
  ExportedFunction exported;
  exported.name = function.getName().str();
  exported.featureLevel = getTargetFeatureLevel(function);
  llvm::StringSet<> names;
  bool isInitialization = function->hasAttr(initializationAttrName);
  unsigned numComputed = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    bool isOutput = !!function.getArgAttr(i, resultAttrName);
    if (function.getArgAttr(i, ownedAttrName)) {
      FailureOr<BufferRange> range = readOwned(function, i);
      if (failed(range))
        return failure();
      ranges.push_back(*range);
      continue;
    }
    auto number = function.getArgAttrOfType<IntegerAttr>(i, persistentAttrName);
    if (number || (isInitialization && isOutput)) {
      auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[i]);
      if (!type || !type.hasStaticShape())
        return emitError(function.getLoc(), "argument ")
               << i << " is " << function.getArgumentTypes()[i]
               << ", but what an initialization computes wants a static shape";
      ranges.push_back(addPersistent(number ? number.getValue().getZExtValue()
                                            : numComputed++,
                                     getBufferSize(type)));
      continue;
    }
    if (isInitialization)
      return emitError(function.getLoc(), "argument ")
             << i << " of the initialization wants the attribute '"
             << ownedAttrName << "'";
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
                        tensors.size(), 0, tensor->usedSize);
    tensors.push_back(std::move(*tensor));
  }
  if (failed(readInPlace(function, ranges, exported)))
    return failure();
  return exported;
}

/// Reads which outputs are in the places of inputs. Each such input gets the
/// range of its output, by whose name alone steps know the buffer.
LogicalResult Exporter::readInPlace(func::FuncOp function,
                                    SmallVectorImpl<BufferRange> &ranges,
                                    ExportedFunction &exported) {
  llvm::SmallMapVector<Attribute, SmallVector<unsigned, 2>, 4> pairs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (Attribute number = function.getArgAttr(i, inPlaceAttrName))
      pairs[number].push_back(i);
  for (auto &[number, pair] : pairs) {
    if (pair.size() == 2 && ranges[pair[0]].kind() == BufferKind::Output)
      std::swap(pair[0], pair[1]);
    if (pair.size() != 2 || ranges[pair[0]].kind() != BufferKind::Input ||
        ranges[pair[1]].kind() != BufferKind::Output)
      return emitError(function.getLoc(), "attribute '")
             << inPlaceAttrName << "' is " << number
             << ", but wants an input and an output of the executable";
    const SignatureTensor &input = exported.inputs[ranges[pair[0]].index()],
                          &output = exported.outputs[ranges[pair[1]].index()];
    if (!output.canReplace(input))
      return emitError(function.getLoc(), "output '")
             << output.name << "' cannot be in the place of input '"
             << input.name << "': their strides or total sizes differ";
    if (!function.getArgument(pair[0]).use_empty())
      return emitError(function.getLoc(), "output '")
             << output.name << "' is in the place of input '" << input.name
             << "', which operations still use; the pass dml-write-in-place "
                "lets them use the output";
    exported.inPlace.emplace_back(ranges[pair[1]].index(),
                                  ranges[pair[0]].index());
    ranges[pair[0]] = ranges[pair[1]];
  }
  return success();
}

/// Returns the range of a weight. Functions and variants share a weight by its
/// name.
FailureOr<BufferRange> Exporter::readOwned(func::FuncOp function,
                                           unsigned index) {
  FailureOr<SignatureTensor> tensor = readTensor(function, index, "");
  if (failed(tensor))
    return failure();
  auto [found, isNew] = weights.try_emplace(tensor->name, owned.size());
  if (isNew)
    owned.push_back({*tensor, /*isWeight=*/true, tensor->bufferSize});
  else if (!(owned[found->second].signature == *tensor))
    return emitError(function.getLoc(), "two weights of different types are "
                                        "named '")
           << tensor->name << "'";
  return BufferRange(BufferKind::Constant, found->second + 1, 0,
                     tensor->usedSize);
}

BufferRange Exporter::addPersistent(unsigned number, uint64_t size) {
  auto [found, isNew] = persistent.try_emplace(number, owned.size());
  if (isNew)
    owned.push_back({{}, /*isWeight=*/false, size});
  raise(owned[found->second].size, size);
  return BufferRange(BufferKind::Constant, found->second + 1, 0, size);
}

/// Gives offsets behind the constants to the weights first, and then to the
/// results of the initialization.
void Exporter::placeOwned() {
  constantSize = constants.getSize();
  for (bool isWeight : {true, false})
    for (OwnedTensor &tensor : owned)
      if (tensor.isWeight == isWeight) {
        tensor.offset = getOffsetInBlock(
            llvm::alignTo(constantSize, DeviceProfile::rangeAlignment),
            tensor.size,
            llvm::alignDown(maxBuffer, DeviceProfile::rangeAlignment));
        constantSize = tensor.offset + tensor.size;
      }
  auto place = [&](ExportedFunction &function) {
    for (ExportedVariant &variant : function.variants)
      for (Step &step : variant.schedule.steps)
        for (BufferRange &range : step.bindings)
          if (range.kind() == BufferKind::Constant && range.index() != 0)
            range = BufferRange(
                range.kind(), 0,
                owned[range.index() - 1].offset + range.offset(), range.size());
  };
  llvm::for_each(functions, place);
  if (initialization)
    place(*initialization);
}

LogicalResult Exporter::readFunction(func::FuncOp function,
                                     const SymbolTable &symbols) {
  SmallVector<BufferRange> ranges;
  FailureOr<ExportedFunction> exported = readSignature(function, ranges);
  if (failed(exported))
    return failure();
  FailureOr<Schedule> schedule =
      buildSchedule(function, symbols, kernels, constants, ranges, maxBuffer);
  if (failed(schedule))
    return failure();
  ExportedVariant variant = describeVariant(std::move(*schedule));
  auto addVariant = [&](ExportedFunction &to) {
    // No device would choose a variant that requires everything that an earlier
    // variant requires.
    if (llvm::none_of(to.variants, [&](const ExportedVariant &other) {
          return variant.needs.includes(other.needs);
        }))
      to.variants.push_back(std::move(variant));
  };
  if (function->hasAttr(initializationAttrName)) {
    if (!initialization)
      initialization = std::move(*exported);
    addVariant(*initialization);
    return success();
  }
  auto [number, isNew] =
      functionsByName.try_emplace(exported->name, functions.size());
  if (isNew)
    functions.push_back(std::move(*exported));
  else if (functions[number->second].inputs != exported->inputs ||
           functions[number->second].outputs != exported->outputs ||
           functions[number->second].inPlace != exported->inPlace)
    return emitError(function.getLoc(), "function '")
           << function.getName() << "' has another signature in a module for "
           << "other devices";
  addVariant(functions[number->second]);
  return success();
}

namespace {
/// The size and the alignment in bytes of a type in workgroup memory. Vulkan
/// counts both as in a storage buffer.
struct WorkgroupLayout {
  uint64_t size = 0;
  llvm::Align alignment;
};
} // namespace

static WorkgroupLayout getWorkgroupLayout(Type type) {
  if (auto structure = dyn_cast<spirv::StructType>(type)) {
    WorkgroupLayout layout;
    for (Type member : structure.getElementTypes()) {
      WorkgroupLayout inner = getWorkgroupLayout(member);
      layout.size = llvm::alignTo(layout.size, inner.alignment) + inner.size;
      layout.alignment = std::max(layout.alignment, inner.alignment);
    }
    layout.size = llvm::alignTo(layout.size, layout.alignment);
    return layout;
  }
  if (auto array = dyn_cast<spirv::ArrayType>(type)) {
    WorkgroupLayout layout = getWorkgroupLayout(array.getElementType());
    layout.size =
        llvm::alignTo(layout.size, layout.alignment) * array.getNumElements();
    return layout;
  }
  uint64_t size = cast<spirv::SPIRVType>(type).getSizeInBytes().value_or(0);
  // A vector of three components is aligned like one of four.
  return {size, llvm::Align(std::max<uint64_t>(llvm::PowerOf2Ceil(size), 1))};
}

/// Returns the number of bytes of workgroup memory that a SPIR-V module takes,
/// for the worst order of its variables.
static uint32_t getSharedMemorySize(spirv::ModuleOp module) {
  SmallVector<uint64_t> sizes;
  llvm::Align alignment;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    auto type = cast<spirv::PointerType>(variable.getType());
    if (type.getStorageClass() != spirv::StorageClass::Workgroup)
      continue;
    WorkgroupLayout layout = getWorkgroupLayout(type.getPointeeType());
    sizes.push_back(layout.size);
    alignment = std::max(alignment, layout.alignment);
  }
  uint64_t bytes = 0;
  for (uint64_t size : sizes)
    bytes += llvm::alignTo(size, alignment);
  return static_cast<uint32_t>(bytes);
}

/// Returns the largest number of iterations of `loop`. `solver` knows the
/// ranges of bounds that depend on data.
static std::optional<uint64_t> getMaxTripCount(LoopLikeOpInterface loop,
                                               DataFlowSolver &solver) {
  if (std::optional<APInt> count = loop.getStaticTripCount())
    return count->getLimitedValue();
  auto forLoop = dyn_cast<scf::ForOp>(*loop);
  if (!forLoop)
    return std::nullopt;
  auto getRange = [&](Value bound) -> std::optional<ConstantIntRanges> {
    const auto *lattice =
        solver.lookupState<dataflow::IntegerValueRangeLattice>(bound);
    if (!lattice || lattice->getValue().isUninitialized())
      return std::nullopt;
    return lattice->getValue().getValue();
  };
  auto lower = getRange(forLoop.getLowerBound()),
       upper = getRange(forLoop.getUpperBound()),
       step = getRange(forLoop.getStep());
  if (!lower || !upper || !step)
    return std::nullopt;
  int64_t least = lower->smin().getSExtValue(),
          most = upper->smax().getSExtValue(),
          smallest = step->smin().getSExtValue();
  if (least < 0 || smallest < 1)
    return std::nullopt;
  return most <= least ? 0 : llvm::divideCeil(most - least, smallest);
}

/// Returns the largest number of loop iterations of one thread that runs
/// through `region` once. A loop without a known bound counts as more
/// iterations than any driver permits.
static uint64_t countLoopIterations(Region &region, DataFlowSolver &solver) {
  constexpr uint64_t unknown = std::numeric_limits<uint64_t>::max();
  uint64_t total = 0;
  for (Operation &op : region.getOps()) {
    uint64_t inside = 0;
    for (Region &nested : op.getRegions())
      inside = llvm::SaturatingAdd(inside, countLoopIterations(nested, solver));
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      uint64_t trips = getMaxTripCount(loop, solver).value_or(unknown);
      inside = llvm::SaturatingMultiply(
          trips, llvm::SaturatingAdd(inside, uint64_t{1}));
    }
    total = llvm::SaturatingAdd(total, inside);
  }
  return total;
}

/// Returns the features that the capabilities of a SPIR-V module require.
static FailureOr<DeviceProfile> getFeatures(spirv::ModuleOp module) {
  DeviceProfile features;
  for (spirv::Capability capability :
       module.getVceTripleAttr().getCapabilities()) {
    // Every Vulkan device has these capabilities.
    if (capability == spirv::Capability::Shader ||
        capability == spirv::Capability::Matrix ||
        capability == spirv::Capability::GroupNonUniform)
      continue;
    // Every device with cooperative matrices has this capability.
    if (capability == spirv::Capability::GroupNonUniformVote) {
      features.set(DeviceFeature::CooperativeMatrix, true);
      continue;
    }
    const auto *found = llvm::find_if(getDeviceFeatures(),
                                      [&](const DeviceFeatureInfo &feature) {
                                        return feature.capability == capability;
                                      });
    if (found == getDeviceFeatures().end())
      return emitError(module.getLoc(),
                       "the kernel needs the SPIR-V capability ")
             << stringifyCapability(capability)
             << ", which no device profile knows";
    features.set(found->feature, true);
  }
  return features;
}

/// Returns the name of the element type in a MatrixShape.
static std::string getElementName(Type type, bool isSigned) {
  if (!type.isInteger())
    return type.isF16() ? "f16" : "f32";
  return (isSigned ? "i" : "ui") + std::to_string(type.getIntOrFloatBitWidth());
}

/// Reads the shapes of the cooperative matrices that a SPIR-V module
/// multiplies. If the module uses the number of a subgroup or of a thread in
/// its subgroup, also reads the subgroup size that the module was made for.
static void readSubgroups(spirv::ModuleOp module, KernelInfo &info) {
  module.walk([&](spirv::KHRCooperativeMatrixMulAddOp op) {
    auto lhs = cast<spirv::CooperativeMatrixType>(op.getA().getType());
    auto sum = cast<spirv::CooperativeMatrixType>(op.getResult().getType());
    auto operands = op.getMatrixOperands().value_or(
        spirv::CooperativeMatrixOperandsKHR::None);
    using Operands = spirv::CooperativeMatrixOperandsKHR;
    auto isSigned = [&](Operands operand) {
      return bitEnumContainsAll(operands, operand);
    };
    MatrixShape shape{
        sum.getRows(), sum.getColumns(), lhs.getColumns(),
        getElementName(lhs.getElementType(), isSigned(Operands::ASigned)),
        getElementName(sum.getElementType(), isSigned(Operands::ResultSigned))};
    if (!llvm::is_contained(info.matrixShapes, shape))
      info.matrixShapes.push_back(shape);
  });
  if (!info.matrixShapes.empty() ||
      llvm::is_contained(module.getVceTripleAttr().getCapabilities(),
                         spirv::Capability::GroupNonUniform))
    info.subgroupSize =
        static_cast<uint32_t>(spirv::lookupTargetEnvOrDefault(module)
                                  .getResourceLimits()
                                  .getSubgroupSize());
}

LogicalResult Exporter::readKernels(ModuleOp module) {
  if (failed(kernels.add(module)))
    return failure();
  for (const KernelTable::Kernel &kernel :
       kernels.getKernels().drop_front(kernelInfos.size())) {
    FailureOr<DeviceProfile> features = getFeatures(kernel.module);
    if (failed(features))
      return failure();
    KernelInfo info = {
        {1, 1, 1}, getSharedMemorySize(kernel.module), 0, *features, 0, 0, {}};
    readSubgroups(kernel.module, info);
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
    kernelInfos.push_back(std::move(info));
  }
  // Loops are counted in the kernels before their conversion to SPIR-V, because
  // SPIR-V has blocks instead of loops.
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    std::optional<unsigned> kernel = kernels.lookup(gpuModule.getName());
    if (!kernel)
      continue;
    // Most kernels have only loops with static bounds, which need no analysis.
    DataFlowSolver solver;
    WalkResult isStatic = gpuModule.walk([](LoopLikeOpInterface loop) {
      return loop.getStaticTripCount() ? WalkResult::advance()
                                       : WalkResult::interrupt();
    });
    if (isStatic.wasInterrupted()) {
      dataflow::loadBaselineAnalyses(solver);
      solver.load<dataflow::IntegerRangeAnalysis>();
      if (failed(solver.initializeAndRun(gpuModule)))
        return gpuModule.emitError("has loops that cannot be analyzed");
    }
    for (auto function : gpuModule.getOps<gpu::GPUFuncOp>())
      kernelInfos[*kernel].loopIterations =
          std::max(kernelInfos[*kernel].loopIterations,
                   countLoopIterations(function.getBody(), solver));
  }
  return success();
}

LogicalResult Exporter::read(ModuleOp module) {
  deviceProfile = getDeviceProfile(module).str();
  if (failed(readKernels(module)))
    return failure();
  SymbolTable symbols(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && failed(readFunction(function, symbols)))
      return failure();
  if (functions.empty())
    return emitError(module.getLoc(), "the module has no public function, so "
                                      "there is nothing to execute");
  return success();
}

//===----------------------------------------------------------------------===//
// What variants need
//===----------------------------------------------------------------------===//

void Needs::addMatrices(uint32_t size, ArrayRef<MatrixShape> shapes) {
  raise(subgroupSize, size);
  for (const MatrixShape &shape : shapes)
    if (!llvm::is_contained(matrixShapes, shape))
      matrixShapes.push_back(shape);
}

void Needs::addDispatch(const Step &step, const KernelInfo &kernel) {
  features.add(kernel.features);
  uint32_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    raise(workgroupSize[i], kernel.workgroupSize[i]);
    raise(workgroupCount[i], step.workgroupCount[i]);
    threads *= kernel.workgroupSize[i];
  }
  raise(invocations, threads);
  raise(sharedMemory, kernel.sharedMemorySize);
  raise(bindings, kernel.bindingCount);
  raise(loopIterations, kernel.loopIterations);
  addMatrices(kernel.subgroupSize, kernel.matrixShapes);
  for (const BufferRange &bound : step.bindings)
    raise(range, bound.size());
}

void Needs::add(const Needs &other) {
  features.add(other.features);
  for (int i = 0; i < 3; ++i) {
    raise(workgroupSize[i], other.workgroupSize[i]);
    raise(workgroupCount[i], other.workgroupCount[i]);
  }
  raise(invocations, other.invocations);
  raise(sharedMemory, other.sharedMemory);
  raise(bindings, other.bindings);
  raise(range, other.range);
  raise(loopIterations, other.loopIterations);
  addMatrices(other.subgroupSize, other.matrixShapes);
}

bool Needs::includes(const Needs &other) const {
  auto covers = [](const std::array<uint32_t, 3> &lhs,
                   const std::array<uint32_t, 3> &rhs) {
    return llvm::all_of(llvm::zip_equal(lhs, rhs), [](const auto &pair) {
      return std::get<0>(pair) >= std::get<1>(pair);
    });
  };
  return features.includes(other.features) &&
         covers(workgroupSize, other.workgroupSize) &&
         covers(workgroupCount, other.workgroupCount) &&
         invocations >= other.invocations &&
         sharedMemory >= other.sharedMemory && bindings >= other.bindings &&
         range >= other.range && loopIterations >= other.loopIterations &&
         (!other.subgroupSize || subgroupSize == other.subgroupSize) &&
         llvm::all_of(other.matrixShapes, [&](const MatrixShape &shape) {
           return llvm::is_contained(matrixShapes, shape);
         });
}

ExportedVariant Exporter::describeVariant(Schedule schedule) const {
  ExportedVariant variant;
  for (const Step &step : schedule.steps)
    if (step.kernel)
      variant.needs.addDispatch(step, kernelInfos[*step.kernel]);
  variant.schedule = std::move(schedule);
  variant.deviceProfile = deviceProfile;
  return variant;
}

//===----------------------------------------------------------------------===//
// Writing the file
//===----------------------------------------------------------------------===//

static executable::Extent3D toExtent(const std::array<uint32_t, 3> &sizes) {
  return {sizes[0], sizes[1], sizes[2]};
}

static flatbuffers::Offset<executable::Tensor>
writeTensor(flatbuffers::FlatBufferBuilder &builder,
            const SignatureTensor &tensor) {
  return executable::CreateTensor(
      builder, builder.CreateString(tensor.name),
      static_cast<executable::DataType>(tensor.type),
      builder.CreateVector(tensor.sizes.data(), tensor.sizes.size()),
      tensor.bufferSize,
      tensor.strides.empty()
          ? 0
          : builder.CreateVector(tensor.strides.data(), tensor.strides.size()),
      tensor.totalSize);
}

static flatbuffers::Offset<
    flatbuffers::Vector<flatbuffers::Offset<executable::Tensor>>>
writeTensors(flatbuffers::FlatBufferBuilder &builder,
             ArrayRef<SignatureTensor> tensors) {
  std::vector<flatbuffers::Offset<executable::Tensor>> offsets;
  for (const SignatureTensor &tensor : tensors)
    offsets.push_back(writeTensor(builder, tensor));
  return builder.CreateVector(offsets);
}

static flatbuffers::Offset<executable::Step>
writeStep(flatbuffers::FlatBufferBuilder &builder, const Step &step) {
  auto label = builder.CreateString(step.label);
  flatbuffers::Offset<flatbuffers::Vector<const executable::Advance *>>
      advances;
  if (!step.advances.empty())
    advances = builder.CreateVectorOfStructs(step.advances);
  if (!step.kernel) {
    auto copy =
        executable::CreateCopy(builder, &step.bindings[0], &step.bindings[1]);
    return executable::CreateStep(builder, executable::Operation::Copy,
                                  copy.Union(), step.barrier, label, advances);
  }
  executable::Extent3D count = toExtent(step.workgroupCount);
  auto dispatch = executable::CreateDispatch(
      builder, *step.kernel, &count,
      builder.CreateVectorOfStructs(step.bindings.data(),
                                    step.bindings.size()));
  return executable::CreateStep(builder, executable::Operation::Dispatch,
                                dispatch.Union(), step.barrier, label,
                                advances);
}

/// Returns the format's data type for the element type `name` of a MatrixShape.
static executable::DataType getFormatType(StringRef name) {
  return llvm::StringSwitch<executable::DataType>(name)
      .Case("f16", executable::DataType::FLOAT16)
      .Case("f32", executable::DataType::FLOAT32)
      .Case("i8", executable::DataType::INT8)
      .Case("ui8", executable::DataType::UINT8)
      .Case("i32", executable::DataType::INT32)
      .Default(executable::DataType::UNKNOWN);
}

static flatbuffers::Offset<executable::Requirements>
writeNeeds(flatbuffers::FlatBufferBuilder &builder, const Needs &needs) {
  std::vector<executable::Feature> required;
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (needs.features.has(info.feature))
      required.push_back(getFormatFeature(info.feature));
  constexpr uint32_t vulkan12 = (1u << 22) | (2u << 12);
  executable::Extent3D size = toExtent(needs.workgroupSize),
                       count = toExtent(needs.workgroupCount);
  std::vector<executable::MatrixShape> shapes;
  for (const MatrixShape &shape : needs.matrixShapes)
    shapes.emplace_back(
        static_cast<uint32_t>(shape.rows), static_cast<uint32_t>(shape.columns),
        static_cast<uint32_t>(shape.terms), getFormatType(shape.factors),
        getFormatType(shape.sums));
  return executable::CreateRequirements(
      builder, vulkan12, builder.CreateVector(required), needs.range,
      needs.bindings, needs.invocations, &size, &count, needs.sharedMemory,
      needs.loopIterations, needs.subgroupSize,
      shapes.empty() ? 0 : builder.CreateVectorOfStructs(shapes));
}

static flatbuffers::Offset<
    flatbuffers::Vector<flatbuffers::Offset<executable::Step>>>
writeSteps(flatbuffers::FlatBufferBuilder &builder, const Schedule &schedule) {
  std::vector<flatbuffers::Offset<executable::Step>> steps;
  for (const Step &step : schedule.steps)
    steps.push_back(writeStep(builder, step));
  return builder.CreateVector(steps);
}

static flatbuffers::Offset<flatbuffers::Vector<const executable::Loop *>>
writeLoops(flatbuffers::FlatBufferBuilder &builder, const Schedule &schedule) {
  return schedule.loops.empty() ? 0
                                : builder.CreateVectorOfStructs(schedule.loops);
}

static flatbuffers::Offset<executable::Function>
writeFunction(flatbuffers::FlatBufferBuilder &builder,
              const ExportedFunction &function) {
  // The last variant is written as the function's own steps.
  std::vector<flatbuffers::Offset<executable::Variant>> variants;
  for (const ExportedVariant &variant :
       ArrayRef(function.variants).drop_back()) {
    auto needs = writeNeeds(builder, variant.needs);
    variants.push_back(executable::CreateVariant(
        builder, needs, variant.schedule.temporarySize,
        writeSteps(builder, variant.schedule),
        builder.CreateSharedString(variant.deviceProfile),
        writeLoops(builder, variant.schedule)));
  }
  std::vector<executable::InPlacePair> pairs;
  for (auto [output, input] : function.inPlace)
    pairs.emplace_back(output, input);
  const ExportedVariant &last = function.variants.back();
  const Schedule &own = last.schedule;
  return executable::CreateFunction(
      builder, builder.CreateString(function.name),
      writeTensors(builder, function.inputs),
      writeTensors(builder, function.outputs), own.temporarySize,
      writeSteps(builder, own), static_cast<uint32_t>(function.featureLevel),
      variants.empty() ? 0 : builder.CreateVector(variants),
      builder.CreateSharedString(last.deviceProfile),
      pairs.empty() ? 0 : builder.CreateVectorOfStructs(pairs),
      writeLoops(builder, own));
}

/// Numbers the kernels that the remaining steps dispatch, and writes the
/// numbers into the steps. Returns the kernels in the order of their new
/// numbers. Kernels that only dropped variants used get no number.
SmallVector<unsigned> Exporter::numberKernels() {
  SmallVector<unsigned> used, numbers(kernelInfos.size());
  auto forEachKernel = [&](auto action) {
    auto visit = [&](ExportedFunction &function) {
      for (ExportedVariant &variant : function.variants)
        for (Step &step : variant.schedule.steps)
          if (step.kernel)
            action(*step.kernel);
    };
    llvm::for_each(functions, visit);
    if (initialization)
      visit(*initialization);
  };
  forEachKernel([&](unsigned &kernel) { used.push_back(kernel); });
  llvm::sort(used);
  used.erase(llvm::unique(used), used.end());
  for (auto [number, kernel] : llvm::enumerate(used))
    numbers[kernel] = number;
  forEachKernel([&](unsigned &kernel) { kernel = numbers[kernel]; });
  return used;
}

/// Writes the whole executable around `constantData`.
flatbuffers::Offset<executable::Executable> Exporter::build(
    flatbuffers::FlatBufferBuilder &builder, ArrayRef<unsigned> used,
    flatbuffers::Offset<flatbuffers::Vector<uint8_t>> constantData) {
  Needs needs;
  uint16_t version = 1;
  bool hasPairs = false, hasLoops = false;
  auto addNeeds = [&](const ExportedFunction &function) {
    for (const ExportedVariant &variant : function.variants)
      hasLoops |= !variant.schedule.loops.empty();
    needs.add(function.variants.back().needs);
    if (function.variants.size() > 1)
      version = 2;
    hasPairs |= !function.inPlace.empty();
  };
  llvm::for_each(functions, addNeeds);
  if (initialization)
    addNeeds(*initialization);
  if (!owned.empty())
    version = 3;
  auto requirements = writeNeeds(builder, needs);

  std::vector<flatbuffers::Offset<executable::ShaderModule>> shaderModules;
  std::vector<flatbuffers::Offset<executable::Kernel>> kernelOffsets;
  for (auto [index, number] : llvm::enumerate(used)) {
    const KernelTable::Kernel &kernel = kernels.getKernels()[number];
    const KernelInfo &info = kernelInfos[number];
    shaderModules.push_back(executable::CreateShaderModule(
        builder, builder.CreateString(kernel.name),
        builder.CreateVector(kernel.code)));
    executable::Extent3D size = toExtent(info.workgroupSize);
    kernelOffsets.push_back(executable::CreateKernel(
        builder, index, builder.CreateString(kernel.name), &size,
        info.sharedMemorySize, info.bindingCount, info.subgroupSize));
    if (info.subgroupSize)
      version = std::max<uint16_t>(version, 4);
    for (const DeviceFeatureInfo &feature : getDeviceFeatures())
      if (info.features.has(feature.feature))
        version = std::max(version, feature.formatVersion);
  }

  std::vector<flatbuffers::Offset<executable::Function>> functionOffsets;
  for (const ExportedFunction &function : functions)
    functionOffsets.push_back(writeFunction(builder, function));

  flatbuffers::Offset<executable::Function> initializationOffset;
  if (initialization)
    initializationOffset = writeFunction(builder, *initialization);
  std::vector<flatbuffers::Offset<executable::Weight>> weightOffsets;
  for (const OwnedTensor &tensor : owned)
    if (tensor.isWeight)
      weightOffsets.push_back(executable::CreateWeight(
          builder, writeTensor(builder, tensor.signature), tensor.offset));

  uint64_t stated = owned.empty() ? 0 : constantSize;
  // If the constants are left out, the field for their size states how large
  // they are.
  if (constantData.IsNull() && constantSize != 0) {
    stated = constantSize;
    version = std::max<uint16_t>(version, 3);
  }
  if (hasPairs)
    version = 6;
  if (hasLoops)
    version = 7;
  auto weightVector =
      weightOffsets.empty() ? 0 : builder.CreateVector(weightOffsets);
  return executable::CreateExecutable(
      builder, /*version_major=*/1, version,
      builder.CreateString("dml " DML_VERSION), requirements,
      builder.CreateVector(shaderModules), builder.CreateVector(kernelOffsets),
      constantData, builder.CreateVector(functionOffsets), stated, weightVector,
      initializationOffset);
}

namespace {
/// The owner of the bytes of an image: the file without the constants' bytes,
/// and the constants.
struct ImageOwner {
  flatbuffers::FlatBufferBuilder builder;
  ConstantPool constants;
};
} // namespace

ExecutableImage Exporter::write() {
  placeOwned();
  // FlatBuffers writes from the end of the file, so the constants are written
  // first and are the file's last bytes. The builder only reserves room for
  // them: the image takes their bytes from the module, and the reserved pages
  // are never touched. A builder that has to grow copies its buffer, so the
  // initial size covers a likely file.
  uint64_t likely = uint64_t{1} << 24;
  for (const KernelTable::Kernel &kernel : kernels.getKernels())
    likely += kernel.code.size() * sizeof(uint32_t);
  for (const ExportedFunction &function : functions)
    for (const ExportedVariant &variant : function.variants)
      likely += variant.schedule.steps.size() * 1024;
  auto owner = std::make_shared<ImageOwner>(
      ImageOwner{flatbuffers::FlatBufferBuilder(constants.getSize() + likely),
                 std::move(constants)});
  flatbuffers::FlatBufferBuilder &builder = owner->builder;
  const ConstantPool &pool = owner->constants;
  builder.ForceVectorAlignment(pool.getSize(), sizeof(uint8_t), 16);
  uint8_t *unused = nullptr;
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> constantData(
      builder.CreateUninitializedVector(pool.getSize(), sizeof(uint8_t),
                                        &unused));
  size_t behind =
      builder.GetSize() - sizeof(flatbuffers::uoffset_t) - pool.getSize();

  SmallVector<unsigned> used = numberKernels();
  executable::FinishExecutableBuffer(builder,
                                     build(builder, used, constantData));
  ExecutableImage image;
  const uint8_t *file = builder.GetBufferPointer();
  const uint8_t *end = file + builder.GetSize();
  const uint8_t *data = end - behind - pool.getSize();
  image.add(file, data - file);
  static const std::vector<uint8_t> zeros(1 << 16);
  uint64_t at = 0;
  auto fillTo = [&](uint64_t offset) {
    for (; at < offset; at += std::min<uint64_t>(offset - at, zeros.size()))
      image.add(zeros.data(), std::min<uint64_t>(offset - at, zeros.size()));
  };
  for (const ConstantPool::Piece &piece : pool.getPieces()) {
    fillTo(piece.offset);
    image.add(piece.bytes.data(), piece.bytes.size());
    at += piece.bytes.size();
  }
  fillTo(pool.getSize());
  image.add(data + pool.getSize(), behind);
  image.owner = std::move(owner);

  flatbuffers::FlatBufferBuilder rest;
  executable::FinishExecutableBuffer(rest, build(rest, used, {}));
  image.withoutConstants.assign(rest.GetBufferPointer(),
                                rest.GetBufferPointer() + rest.GetSize());
  return image;
}

void ExecutableImage::add(const void *data, size_t size) {
  if (size != 0)
    pieces.emplace_back(data, size);
}

std::vector<uint8_t> ExecutableImage::join() const {
  size_t size = 0;
  for (auto [_, bytes] : pieces)
    size += bytes;
  std::vector<uint8_t> file;
  file.reserve(size);
  for (auto [data, bytes] : pieces)
    file.insert(file.end(), static_cast<const uint8_t *>(data),
                static_cast<const uint8_t *>(data) + bytes);
  return file;
}

FailureOr<ExecutableImage> dml::exportImage(ArrayRef<ModuleOp> variants,
                                            uint64_t maxBuffer) {
  Exporter exporter(maxBuffer);
  for (ModuleOp module : variants)
    if (failed(exporter.read(module)))
      return failure();
  return exporter.write();
}

FailureOr<std::vector<uint8_t>>
dml::exportExecutable(ArrayRef<ModuleOp> variants, uint64_t maxBuffer) {
  FailureOr<ExecutableImage> image = exportImage(variants, maxBuffer);
  if (failed(image))
    return failure();
  return image->join();
}
