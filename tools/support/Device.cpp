//===- Device.cpp - Executing cases on a Vulkan device --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Device.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Target/DeviceAtHand.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/Diagnostics.h"
#include "support/HostTensor.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using dml::reference::Tensor;

namespace dml::fuzz {

namespace {
/// The error of one call of the runtime.
class RuntimeError {
public:
  RuntimeError() = default;
  RuntimeError(const RuntimeError &) = delete;
  RuntimeError &operator=(const RuntimeError &) = delete;
  ~RuntimeError() { dmlDestroyError(error); }

  operator DmlError *() { return &error; }
  const char *getMessage() const { return dmlGetErrorMessage(error); }

private:
  DmlError error = nullptr;
};
} // namespace

/// Vulkan's features by the runtime's numbers: those of the executable format.
static DmlFeatureFlags getFlag(DeviceFeature feature) {
  return DmlFeatureFlags(1) << static_cast<unsigned>(feature);
}

llvm::Expected<std::unique_ptr<Device>> Device::create(const Options &options) {
  std::unique_ptr<Device> result(new Device);
  result->setOptions = options.setOptions;
  RuntimeError error;
  DmlInstanceCreateInfo instanceInfo{};
  instanceInfo.enableValidation = options.validate;
  DmlDeviceCreateInfo deviceInfo{};
  deviceInfo.selector = options.selector.c_str();
  DeviceProfile &profile = result->profile;
  bool isStated = !options.deviceProfile.empty();
  if (isStated) {
    auto parsed = DeviceProfile::parse(options.deviceProfile);
    if (!parsed)
      return parsed.takeError();
    profile = *parsed;
    for (const DeviceFeatureInfo &info : getDeviceFeatures())
      if (!profile.has(info.feature))
        deviceInfo.disabledFeatures |= getFlag(info.feature);
  }
  if (dmlCreateInstance(&instanceInfo, &result->instance, error) !=
          DML_SUCCESS ||
      dmlCreateDevice(result->instance, &deviceInfo, &result->device, error) !=
          DML_SUCCESS)
    return llvm::createStringError(error.getMessage());
  DmlDeviceInfo enabled{};
  dmlGetDeviceProperties(result->device, &enabled);
  if (!isStated) {
    auto parsed =
        DeviceProfile::parse(getProfileAtHand(enabled, result->warning));
    if (!parsed)
      return parsed.takeError();
    profile = *parsed;
    return result;
  }
  // Programs are not compiled for features that the device lacks.
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (!(enabled.features & getFlag(info.feature)))
      profile.set(info.feature, false);
  profile.limitStorageBufferRange(
      static_cast<int64_t>(enabled.limits.maxStorageBufferRange));
  return result;
}

Device::~Device() {
  dmlDestroyDevice(device);
  dmlDestroyInstance(instance);
}

std::string Device::describe() const {
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device, &info);
  return std::string(info.name) + ", " + info.driverName + " " +
         info.driverInfo + ", compiled for " + profile.str();
}

bool Device::isRefusal(StringRef message) const {
  return llvm::any_of(getDeviceFeatures(), [&](const DeviceFeatureInfo &info) {
    return !profile.has(info.feature) && message.contains(info.vulkanName);
  });
}

/// Whether `found` has the bytes of `wanted`, which contains the elements of
/// `found` and zeros between them. Zeros of floating-point types may have
/// either sign: Mesa's drivers use the selection between -1.0 and 0.0 for a
/// negated truth value.
static bool isZeroBetween(const DmlTensorInfo &info, ArrayRef<uint8_t> wanted,
                          ArrayRef<uint8_t> found) {
  if (wanted.size() != found.size())
    return false;
  DataType dataType = *symbolizeDataType(info.dataType);
  bool isFloat = llvm::is_contained(
      {DataType::FLOAT16, DataType::FLOAT32, DataType::FLOAT64}, dataType);
  size_t width = isFloat ? reference::getByteWidth(dataType) : 1;
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(wanted, found))) {
    auto [one, other] = pair;
    bool isSign = isFloat && i % width == width - 1 && one == 0;
    if (one != (isSign ? other & 0x7f : other))
      return false;
  }
  return true;
}

FailureOr<SmallVector<Tensor>>
Device::execute(ModuleOp module, ArrayRef<Tensor> inputs, Outcome &outcome) {
  SmallVector<Type> resultTypes(
      module.lookupSymbol<func::FuncOp>("main").getResultTypes());

  CompilerOptions options;
  options.deviceProfile = profile.str();
  if (setOptions)
    setOptions(options);
  FailureOr<std::vector<uint8_t>> code = compileToExecutable(module, options);
  if (failed(code)) {
    outcome.message = "the compiler fails";
    return failure();
  }

  uint32_t messages = dmlGetValidationMessageCount(instance);
  RuntimeError error;
  auto fail = [&](DmlResult result) -> LogicalResult {
    outcome.kind =
        result == DML_ERROR_UNSUPPORTED ? Outcome::Refused : Outcome::Failed;
    outcome.message = std::string("the runtime fails: ") + error.getMessage();
    return failure();
  };
  // Programs keep their executables alive.
  DmlExecutable executable = nullptr;
  DmlResult result = dmlCreateExecutable(code->data(), code->size(), nullptr,
                                         &executable, error);
  if (result != DML_SUCCESS)
    return fail(result);
  auto destroyExecutable =
      llvm::scope_exit([&] { dmlDestroyExecutable(executable); });
  uint32_t function = 0;
  result = dmlFindFunction(executable, "main", &function, error);
  if (result != DML_SUCCESS)
    return fail(result);
  DmlProgram program = nullptr;
  result = dmlCreateProgram(device, executable, &program, error);
  if (result != DML_SUCCESS)
    return fail(result);
  auto destroyProgram = llvm::scope_exit([&] { dmlDestroyProgram(program); });

  SmallVector<Tensor> outputs;
  std::vector<std::vector<uint8_t>> inputBytes, outputBytes;
  SmallVector<DmlTensorInfo> inputInfos(inputs.size()),
      outputInfos(resultTypes.size());
  for (auto [i, info] : llvm::enumerate(inputInfos))
    if (DmlResult failure =
            dmlGetInputInfo(executable, function, i, &info, error))
      return fail(failure);
  for (auto [i, info] : llvm::enumerate(outputInfos))
    if (DmlResult failure =
            dmlGetOutputInfo(executable, function, i, &info, error))
      return fail(failure);
  for (auto [type, info] : llvm::zip_equal(resultTypes, outputInfos)) {
    auto tensorType = cast<RankedTensorType>(type);
    FailureOr<Tensor> output = Tensor::create(
        *getDataType(tensorType.getElementType()), tensorType.getShape());
    if (failed(output)) {
      outcome.message = "there is no memory for the results";
      return failure();
    }
    // Whatever the device does not write shall show.
    outputBytes.emplace_back(info.byteSize, 0xcd);
    outputs.push_back(std::move(*output));
  }
  SmallVector<DmlHostTensor> hostInputs, hostOutputs;
  for (auto [input, info] : llvm::zip_equal(inputs, inputInfos)) {
    std::vector<char> packed = input.pack();
    auto bytes = tools::applyLayout(
        info, std::vector<uint8_t>(packed.begin(), packed.end()));
    if (!bytes) {
      outcome.message = "an input has different elements in one place";
      return failure();
    }
    inputBytes.push_back(std::move(*bytes));
  }
  for (std::vector<uint8_t> &bytes : inputBytes)
    hostInputs.push_back({bytes.data(), bytes.size()});
  for (std::vector<uint8_t> &bytes : outputBytes)
    hostOutputs.push_back({bytes.data(), bytes.size()});
  result =
      dmlRunFunction(program, function, hostInputs.data(), hostInputs.size(),
                     hostOutputs.data(), hostOutputs.size(), error);
  if (result != DML_SUCCESS)
    return fail(result);
  if (uint32_t count = dmlGetValidationMessageCount(instance) - messages) {
    outcome.message =
        "the validation layer has " + std::to_string(count) + " messages";
    return failure();
  }
  for (auto [output, info, bytes] :
       llvm::zip_equal(outputs, outputInfos, outputBytes)) {
    std::vector<uint8_t> packed = tools::removeLayout(info, bytes);
    output.unpack(std::vector<char>(packed.begin(), packed.end()));
    // The bytes between elements must be 0, as they are in `wanted`. After the
    // last 4-bit element, half a byte may have any value.
    auto wanted = tools::applyLayout(info, packed);
    if (wanted && dmlGetDataTypeBits(info.dataType) == 4) {
      wanted->back() &= 0xf;
      bytes.back() &= 0xf;
    }
    if (!wanted || !isZeroBetween(info, *wanted, bytes)) {
      outcome.message = "a result's buffer is not 0 between its elements";
      return failure();
    }
  }
  return outputs;
}

} // namespace dml::fuzz
