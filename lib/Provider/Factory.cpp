//===- Factory.cpp - What makes providers ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Capability.h"
#include "External.h"
#include "Provider.h"
#include "Streams.h"
#include <climits>
#include <cstdlib>
#include <cstring>

using namespace dml;
using namespace dml::provider;

/// The key of an OrtEpDevice's metadata that has the UUID of Vulkan's device.
static constexpr char uuidKey[] = "vulkan_device_uuid";

/// Whether tensors can be in device memory. Before version 24, a provider has
/// no kernels, which copy tensors between its nodes and the CPU's.
static bool hasDeviceMemory() { return getApi().version >= 24; }

Factory::Factory(const OrtLogger *logger) : OrtEpFactory{}, log(logger) {
  ort_version_supported = getApi().version;
  GetName = [](const OrtEpFactory *) noexcept { return providerName; };
  GetVendor = [](const OrtEpFactory *) noexcept { return "dml"; };
  // The provider is for devices of all vendors.
  GetVendorId = [](const OrtEpFactory *) noexcept { return 0u; };
  GetVersion = [](const OrtEpFactory *) noexcept { return dmlGetVersion(); };
  GetSupportedDevices = [](OrtEpFactory *self,
                           const OrtHardwareDevice *const *hardware,
                           size_t count, OrtEpDevice **devices, size_t most,
                           size_t *found) noexcept {
    return guard([&] {
      static_cast<Factory *>(self)->listDevices(hardware, count, devices, most,
                                                found);
    });
  };
  CreateEp = [](OrtEpFactory *self, const OrtHardwareDevice *const *,
                const OrtKeyValuePairs *const *metadata, size_t count,
                const OrtSessionOptions *options, const OrtLogger *logger,
                OrtEp **ep) noexcept {
    return guard([&] {
      *ep = static_cast<Factory *>(self)->createProvider(metadata, count,
                                                         options, logger);
    });
  };
  ReleaseEp = [](OrtEpFactory *, OrtEp *ep) noexcept {
    delete static_cast<Provider *>(ep);
  };
  IsStreamAware = [](const OrtEpFactory *) noexcept {
    return hasDeviceMemory();
  };
  CreateSyncStreamForDevice = [](OrtEpFactory *, const OrtMemoryDevice *,
                                 const OrtKeyValuePairs *,
                                 OrtSyncStreamImpl **stream) noexcept {
    return guard([&] { *stream = createStream(); });
  };
  setMemoryFunctions();
}

void Factory::setMemoryFunctions() {
  CreateAllocator = [](OrtEpFactory *self, const OrtMemoryInfo *info,
                       const OrtKeyValuePairs *,
                       OrtAllocator **allocator) noexcept {
    return guard([&] {
      *allocator = static_cast<Factory *>(self)->createAllocator(info);
    });
  };
  ReleaseAllocator = [](OrtEpFactory *, OrtAllocator *allocator) noexcept {
    delete static_cast<DeviceAllocator *>(allocator);
  };
  CreateDataTransfer = [](OrtEpFactory *self,
                          OrtDataTransferImpl **transfer) noexcept {
    return guard([&] {
      *transfer = hasDeviceMemory()
                      ? new DataTransfer(static_cast<Factory *>(self)->memory)
                      : nullptr;
    });
  };
  CreateExternalResourceImporterForDevice =
      [](OrtEpFactory *self, const OrtEpDevice *device,
         OrtExternalResourceImporterImpl **importer) noexcept {
        return guard([&] {
          auto *own = static_cast<Factory *>(self);
          *importer =
              createImporter(own->memory, own->findNumber(device), device);
        });
      };
}

/// The number of an OrtEpDevice's device among those with memory.
uint32_t Factory::findNumber(const OrtEpDevice *device) const {
  const OrtMemoryInfo *info =
      ort().EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
  std::optional<uint32_t> number;
  if (info)
    number = memory.findDevice(ep().MemoryInfo_GetMemoryDevice(info));
  if (!number)
    throw Failure("the device has no memory of the provider's",
                  ORT_INVALID_ARGUMENT);
  return *number;
}

OrtAllocator *Factory::createAllocator(const OrtMemoryInfo *info) {
  std::optional<uint32_t> device =
      memory.findDevice(ep().MemoryInfo_GetMemoryDevice(info));
  if (!device)
    throw Failure("an allocator is wanted for memory that is none of the "
                  "provider's devices",
                  ORT_INVALID_ARGUMENT);
  return new DeviceAllocator(memory, *device);
}

const OrtKernelRegistry *Factory::getKernels() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!kernels && hasDeviceMemory())
    kernels.reset(createCopyKernels(memory));
  return kernels.get();
}

/// The address on the PCI bus of a GPU. ONNX Runtime says it, or the number of
/// the card, whose folder is a link to the device's.
static std::string findPciAddress(const OrtKeyValuePairs *metadata) {
  if (!metadata)
    return "";
  if (const char *address = ort().GetKeyValue(metadata, "pci_bus_id"))
    return address;
  const char *card = ort().GetKeyValue(metadata, "card_idx");
  if (!card)
    return "";
  char target[PATH_MAX];
  std::string link = std::string("/sys/class/drm/card") + card + "/device";
  if (!realpath(link.c_str(), target))
    return "";
  const char *slash = std::strrchr(target, '/');
  return slash ? slash + 1 : "";
}

static std::vector<Hardware> describe(const OrtHardwareDevice *const *hardware,
                                      size_t count) {
  std::vector<Hardware> result;
  for (size_t i = 0; i < count; ++i) {
    Hardware device;
    OrtHardwareDeviceType type = ort().HardwareDevice_Type(hardware[i]);
    device.isCpu = type == OrtHardwareDeviceType_CPU;
    device.vendor = ort().HardwareDevice_VendorId(hardware[i]);
    device.device = ort().HardwareDevice_DeviceId(hardware[i]);
    device.pciAddress =
        findPciAddress(ort().HardwareDevice_Metadata(hardware[i]));
    result.push_back(device);
  }
  return result;
}

void Factory::listDevices(const OrtHardwareDevice *const *hardware,
                          size_t count, OrtEpDevice **found, size_t most,
                          size_t *foundCount) {
  std::vector<DmlDeviceInfo> infos = Devices::list();
  if (infos.empty())
    log.warn("there is no Vulkan device that the provider can use");
  auto matches = matchDevices(infos, describe(hardware, count));
  for (uint32_t i = 0; i < infos.size() && *foundCount < most; ++i) {
    if (!matches[i])
      break;
    Owned<OrtKeyValuePairs> metadata;
    OrtKeyValuePairs *pairs = nullptr;
    ort().CreateKeyValuePairs(&pairs);
    metadata.reset(pairs);
    ort().AddKeyValuePair(pairs, uuidKey, getSelector(infos[i]).c_str());
    ort().AddKeyValuePair(pairs, "vulkan_device_name", infos[i].name);
    ort().AddKeyValuePair(pairs, "vulkan_driver", infos[i].driverName);
    OrtEpDevice *device = nullptr;
    check(ep().CreateEpDevice(this, hardware[*matches[i]], pairs, nullptr,
                              &device));
    if (hasDeviceMemory()) {
      if (memory.getDeviceCount() == i)
        memory.addDevice(infos[i]);
      check(ep().EpDevice_AddAllocatorInfo(device, memory.getInfo(i)));
    }
    found[(*foundCount)++] = device;
  }
}

OrtEp *Factory::createProvider(const OrtKeyValuePairs *const *metadata,
                               size_t count, const OrtSessionOptions *session,
                               const OrtLogger *logger) {
  Owned<OrtKeyValuePairs> entries(
      get<OrtKeyValuePairs *>(ort().GetSessionOptionsConfigEntries, session));
  Options options = readOptions(getPairs(entries.get()));
  std::string selector = options.device;
  if (selector.empty()) {
    if (count != 1)
      throw Failure("the session names " + std::to_string(count) +
                        " devices of the provider, but wanted is one, or the "
                        "provider option 'device'",
                    ORT_INVALID_ARGUMENT);
    const char *uuid =
        metadata[0] ? ort().GetKeyValue(metadata[0], uuidKey) : nullptr;
    selector = uuid ? uuid : "";
  }
  std::shared_ptr<DmlDeviceImpl> device = devices.open(selector);
  Speeds found;
  if (options.partitioning == Partitioning::Automatic)
    found = speeds.get(device, Log(logger));
  if (options.maxMemory != 0)
    dmlSetMemoryBudget(device.get(), options.maxMemory);
  return new Provider(std::move(options), found, std::move(device), memory,
                      getKernels(), logger);
}

//===----------------------------------------------------------------------===//
// What the library exports
//===----------------------------------------------------------------------===//

extern "C" {

/// ONNX Runtime calls this function when a program registers the library.
__attribute__((visibility("default"))) OrtStatus *
CreateEpFactories(const char *, const OrtApiBase *base, const OrtLogger *logger,
                  OrtEpFactory **factories, size_t most, size_t *count) {
  if (OrtStatus *status = initialize(*base))
    return status;
  return guard([&] {
    if (most < 1)
      throw Failure("ONNX Runtime takes " + std::to_string(most) +
                        " factories, but wanted is 1",
                    ORT_INVALID_ARGUMENT);
    factories[0] = new Factory(logger);
    *count = 1;
  });
}

__attribute__((visibility("default"))) OrtStatus *
ReleaseEpFactory(OrtEpFactory *factory) {
  delete static_cast<Factory *>(factory);
  return nullptr;
}

} // extern "C"
