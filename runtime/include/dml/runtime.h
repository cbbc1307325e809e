/*===- dml/runtime.h - Run dml executables through Vulkan -----------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C API of dml's runtime. It loads an executable (.dmlx), checks it against
 * a Vulkan device, and runs its functions. It needs Vulkan 1.2 and nothing
 * else; Vulkan's loader is opened at run time.
 *
 *   DmlInstance      the Vulkan loader and the physical devices it finds
 *   DmlDevice        a VkDevice and a queue: created here, or the caller's own
 *   DmlExecutable    a file's contents, verified; needs no device
 *   DmlProgram       an executable on a device: pipelines and constants
 *   DmlBuffer        device memory, for callers that do not bring their own
 *   DmlBindingTable  one function with its buffers: record it or submit it
 *
 * Errors. A call that can fail returns a DmlResult and takes, as its last
 * parameter, an optional `DmlError *error`. Where a call fails and `error` is
 * not NULL, *error becomes a new error object with one message for people; the
 * caller frees it with dmlDestroyError. Where a call succeeds, *error becomes
 * NULL. A failed call leaves its other outputs as they were and changes nothing
 * else. No C++ exception leaves a call.
 *
 * Ownership. Every dmlCreate* and dmlAdoptDevice gives the caller one handle to
 * destroy with its dmlDestroy*. An object keeps alive what it was made from, so
 * handles may be destroyed in any order; destroying NULL does nothing. Pointers
 * that a call returns (names, sizes) live as long as the object asked. What a
 * caller passes in is copied unless the call says otherwise.
 *
 * Threads. Instances, devices, executables and programs may be used from many
 * threads at once. A buffer, a binding table and an error are to be used by one
 * thread at a time. Destroying an object may not overlap with its use.
 *
 * Structures. Zero-initialize every structure before it is passed, also one
 * that the call fills: 0 and NULL are the defaults. A structure that a later
 * release may extend begins with `next`, which is NULL or points to an
 * extension structure; an extension structure begins with its
 * DmlStructureType and a `next` of its own, as in Vulkan. The members of a
 * released structure never change. There are no extension structures yet. A
 * call that returns a DmlResult refuses a structure in the chain that it
 * does not know with DML_ERROR_UNSUPPORTED, and names the number of its
 * type; a call that fills a structure and returns nothing leaves the chain
 * alone. Structures that stand in arrays have no `next`, and never grow:
 * DmlHostTensor, DmlBufferRange, DmlSemaphoreValue, DmlStepTime and
 * DmlMatrixShape. DmlDeviceLimits, which stands in other structures, does
 * not grow either: a new limit would stand in an extension of the structure
 * around it.
 *
 * Compatibility. Until version 1.0 a release may change this interface; the
 * shared library's SOVERSION says which releases agree.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_RUNTIME_H
#define DML_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#if defined(_WIN32) && defined(DML_RUNTIME_SHARED)
#ifdef dml_runtime_EXPORTS
#define DML_API __declspec(dllexport)
#else
#define DML_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define DML_API __attribute__((visibility("default")))
#else
#define DML_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
 * Results and errors
\*===----------------------------------------------------------------------===*/

typedef enum DmlResult {
  DML_SUCCESS = 0,
  /* The caller passed something that the call does not take. */
  DML_ERROR_INVALID_ARGUMENT = 1,
  /* The bytes are no valid executable; none of them was used. */
  DML_ERROR_INVALID_EXECUTABLE = 2,
  /* There is no such device, function or file. */
  DML_ERROR_NOT_FOUND = 3,
  /* It exists, but lacks something that is needed. The message names all. */
  DML_ERROR_UNSUPPORTED = 4,
  DML_ERROR_OUT_OF_MEMORY = 5,
  DML_ERROR_DEVICE_LOST = 6,
  /* dmlWait: the work had not finished when the time was up. */
  DML_ERROR_TIMEOUT = 7,
  DML_ERROR_IO = 8,
  /* Any other failure of a Vulkan call. The message names call and result. */
  DML_ERROR_VULKAN = 9,
  /* A callback of the caller asked for the end of the call. */
  DML_ERROR_CANCELLED = 10
} DmlResult;

/* Says what an extension structure is: see "Structures" above. */
typedef enum DmlStructureType {
  DML_STRUCTURE_TYPE_UNKNOWN = 0,
  DML_STRUCTURE_TYPE_MAX_ENUM = 0x7fffffff
} DmlStructureType;

/* How every extension structure begins. */
typedef struct DmlExtension {
  DmlStructureType type;
  const void *next;
} DmlExtension;

typedef struct DmlErrorImpl *DmlError;
typedef struct DmlInstanceImpl *DmlInstance;
typedef struct DmlDeviceImpl *DmlDevice;
typedef struct DmlDeviceRequirementsImpl *DmlDeviceRequirements;
typedef struct DmlExecutableImpl *DmlExecutable;
typedef struct DmlProgramImpl *DmlProgram;
typedef struct DmlBufferImpl *DmlBuffer;
typedef struct DmlBindingTableImpl *DmlBindingTable;

/* The result's name: "DML_ERROR_NOT_FOUND". Static storage. */
DML_API const char *dmlGetResultName(DmlResult result);

DML_API DmlResult dmlGetErrorResult(DmlError error);
/* One line, no newline at its end; "" for NULL. Lives as long as the error. */
DML_API const char *dmlGetErrorMessage(DmlError error);
DML_API void dmlDestroyError(DmlError error);

/* The runtime's version: "0.1.0". Static storage. */
DML_API const char *dmlGetVersion(void);

/*===----------------------------------------------------------------------===*\
 * Data types
\*===----------------------------------------------------------------------===*/

/* The values are those of DML_TENSOR_DATA_TYPE. */
typedef enum DmlDataType {
  DML_DATA_TYPE_UNKNOWN = 0,
  DML_DATA_TYPE_FLOAT32 = 1,
  DML_DATA_TYPE_FLOAT16 = 2,
  DML_DATA_TYPE_UINT32 = 3,
  DML_DATA_TYPE_UINT16 = 4,
  DML_DATA_TYPE_UINT8 = 5,
  DML_DATA_TYPE_INT32 = 6,
  DML_DATA_TYPE_INT16 = 7,
  DML_DATA_TYPE_INT8 = 8,
  DML_DATA_TYPE_FLOAT64 = 9,
  DML_DATA_TYPE_UINT64 = 10,
  DML_DATA_TYPE_INT64 = 11,
  /* Two elements to a byte, the first in the low half. */
  DML_DATA_TYPE_UINT4 = 12,
  DML_DATA_TYPE_INT4 = 13
} DmlDataType;

/* As the compiler spells it: "f32", "i8", "ui64". "unknown" for any other. */
DML_API const char *dmlGetDataTypeName(DmlDataType type);
/* Bytes of one element; 0 for any other, and where several are in a byte. */
DML_API size_t dmlGetDataTypeSize(DmlDataType type);
/* Bits of one element; 0 for any other. */
DML_API size_t dmlGetDataTypeBits(DmlDataType type);

/*===----------------------------------------------------------------------===*\
 * Physical devices
\*===----------------------------------------------------------------------===*/

/* Vulkan features that executables may require. SHADER_SIGNED_ZERO_... and
 * SUBGROUP_SHUFFLE (VK_SUBGROUP_FEATURE_SHUFFLE_BIT in compute shaders) are
 * properties in Vulkan, which devices have without enabling them. */
typedef enum DmlFeatureFlagBits {
  DML_FEATURE_SHADER_INT8_BIT = 0x01,
  DML_FEATURE_SHADER_INT16_BIT = 0x02,
  DML_FEATURE_SHADER_INT64_BIT = 0x04,
  DML_FEATURE_SHADER_FLOAT16_BIT = 0x08,
  DML_FEATURE_SHADER_FLOAT64_BIT = 0x10,
  DML_FEATURE_STORAGE_BUFFER_8BIT_ACCESS_BIT = 0x20,
  DML_FEATURE_STORAGE_BUFFER_16BIT_ACCESS_BIT = 0x40,
  DML_FEATURE_SHADER_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32_BIT = 0x80,
  DML_FEATURE_VULKAN_MEMORY_MODEL_BIT = 0x100,
  DML_FEATURE_COOPERATIVE_MATRIX_BIT = 0x200,
  DML_FEATURE_SUBGROUP_SHUFFLE_BIT = 0x400,
  DML_FEATURE_ALL = 0x7ff
} DmlFeatureFlagBits;
typedef uint32_t DmlFeatureFlags;

/* Vulkan's name of one feature: "shaderInt64". NULL for any other value. */
DML_API const char *dmlGetFeatureName(DmlFeatureFlagBits feature);

/* Cooperative matrices that the threads of a subgroup multiply: `rows` times
 * `terms` factors by `terms` times `columns` factors, added to `rows` times
 * `columns` sums. The structure never grows. */
typedef struct DmlMatrixShape {
  uint32_t rows;
  uint32_t columns;
  uint32_t terms;
  DmlDataType factors;
  DmlDataType sums;
} DmlMatrixShape;

enum { DML_MAX_MATRIX_SHAPES = 32 };

/* Limits, those of Vulkan under its names. The structure never grows. */
typedef struct DmlDeviceLimits {
  uint64_t maxStorageBufferRange;
  uint64_t maxMemoryAllocationSize;
  uint64_t minStorageBufferOffsetAlignment;
  uint32_t maxPerStageDescriptorStorageBuffers;
  uint32_t maxComputeWorkGroupInvocations;
  uint32_t maxComputeWorkGroupSize[3];
  uint32_t maxComputeWorkGroupCount[3];
  uint32_t maxComputeSharedMemorySize;
  /* Threads of a subgroup: of a device, what kernels have that do not say how
   * many they want, and of requirements, what kernels want, or 0. */
  uint32_t subgroupSize;
  /* What kernels may want of a device. */
  uint32_t minSubgroupSize;
  uint32_t maxSubgroupSize;
  /* Subgroups of a workgroup: of a device, the most of a kernel that says how
   * many threads its subgroups have, and of requirements, the most of such a
   * kernel, or 0 if no kernel says it. 0 for a device that has one size of
   * subgroups, or whose VkDevice was created without the size control: no limit
   * but that of threads holds there. */
  uint32_t maxComputeWorkgroupSubgroups;
  uint32_t matrixShapeCount;
  DmlMatrixShape matrixShapes[DML_MAX_MATRIX_SHAPES];
  /* Not of Vulkan: iterations of all loops of a thread together, after which
   * the driver ends them and results are wrong. 0 where no limit is known. */
  uint64_t maxLoopIterations;
  /* Nanoseconds of one step of a timestamp; 0 where there are no timestamps. */
  float timestampPeriod;
  /* Multiprocessors that run workgroups side by side: streaming multiprocessors
   * (VK_NV_shader_sm_builtins), compute units (VK_AMD_shader_core_properties2)
   * or shader cores (VK_ARM_shader_core_builtins) of a GPU, processors of the
   * host that a CPU driver may use. 0 where nothing tells how many. */
  uint32_t multiprocessorCount;
} DmlDeviceLimits;

typedef struct DmlDeviceInfo {
  void *next;
  char name[256];
  uint8_t uuid[16];
  VkPhysicalDeviceType type;
  char driverName[256];
  /* The driver's own words for its version. */
  char driverInfo[256];
  /* The newest version that may be used: of the device, or of the instance
   * where that is older. */
  uint32_t apiVersion;
  /* For a physical device what it supports, for a DmlDevice what is enabled. */
  DmlFeatureFlags features;
  DmlDeviceLimits limits;
  /* Bytes of all device-local heaps. */
  uint64_t deviceMemorySize;
  /* As VkPhysicalDeviceProperties and VkPhysicalDeviceDriverProperties have
   * them. A driver of another version may have the same `uuid`. */
  uint32_t vendorID;
  uint32_t deviceID;
  uint32_t driverVersion;
  VkDriverId driverID;
  uint8_t pipelineCacheUUID[16];
} DmlDeviceInfo;

/*===----------------------------------------------------------------------===*\
 * Instances
\*===----------------------------------------------------------------------===*/

typedef enum DmlMessageSeverity {
  DML_MESSAGE_SEVERITY_WARNING = 0,
  DML_MESSAGE_SEVERITY_ERROR = 1
} DmlMessageSeverity;

/* May be called from any thread that is inside a call of this API, and from the
 * threads that dmlCreateProgram makes; never from two at once. */
typedef void (*DmlMessageCallback)(void *userData, DmlMessageSeverity severity,
                                   const char *message);

typedef struct DmlInstanceCreateInfo {
  const void *next;
  /* NULL: open the system's Vulkan loader. */
  PFN_vkGetInstanceProcAddr getInstanceProcAddr;
  /* Turn on VK_LAYER_KHRONOS_validation; an error where it is not installed. */
  bool enableValidation;
  /* Gets the validation layer's messages. NULL: they are counted only. */
  DmlMessageCallback messageCallback;
  void *messageUserData;
} DmlInstanceCreateInfo;

/* `info` may be NULL. DML_ERROR_NOT_FOUND where there is no Vulkan loader or no
 * driver. */
DML_API DmlResult dmlCreateInstance(const DmlInstanceCreateInfo *info,
                                    DmlInstance *instance, DmlError *error);
DML_API void dmlDestroyInstance(DmlInstance instance);

/* The physical devices, in the loader's order. */
DML_API uint32_t dmlGetDeviceCount(DmlInstance instance);
DML_API DmlResult dmlGetDeviceInfo(DmlInstance instance, uint32_t index,
                                   DmlDeviceInfo *info, DmlError *error);

/* Finds a device the runtime can use. `selector` is an index into the devices
 * ("1"), a UUID (32 hexadecimal digits, with or without dashes) or a part of a
 * name in any case ("radeon"; the first that fits). NULL or "": the first GPU,
 * else the first device. DML_ERROR_NOT_FOUND where nothing fits the selector,
 * DML_ERROR_UNSUPPORTED where what fits cannot be used. */
DML_API DmlResult dmlFindDevice(DmlInstance instance, const char *selector,
                                uint32_t *index, DmlError *error);

/* How many warnings and errors the validation layer has sent so far. */
DML_API uint32_t dmlGetValidationMessageCount(DmlInstance instance);

/*===----------------------------------------------------------------------===*\
 * Devices
\*===----------------------------------------------------------------------===*/

typedef enum DmlMemory {
  /* Where kernels run fastest. On a CPU or a GPU that shares the host's memory
   * it is mapped too. */
  DML_MEMORY_DEVICE = 0,
  /* Mapped, for the host to write. */
  DML_MEMORY_UPLOAD = 1,
  /* Mapped, for the host to read. */
  DML_MEMORY_READBACK = 2
} DmlMemory;

/* A buffer that wants memory. */
typedef struct DmlAllocationRequest {
  const void *next;
  VkBuffer buffer;
  /* Those of the buffer, but memoryTypeBits has only types that will do. */
  VkMemoryRequirements requirements;
  /* Properties that the memory must have, as some types in memoryTypeBits do,
   * and those that are best. */
  VkMemoryPropertyFlags requiredFlags;
  VkMemoryPropertyFlags preferredFlags;
  DmlMemory memory;
  /* What the buffer is for: "constant buffer". */
  const char *name;
} DmlAllocationRequest;

/* The memory for a buffer, which begins as zeros and NULLs. */
typedef struct DmlAllocation {
  void *next;
  VkDeviceMemory memory;
  uint64_t offset;
  /* The host's address of `offset`, where the memory is mapped and coherent. It
   * must be where requiredFlags say HOST_VISIBLE. */
  void *mapped;
  /* The allocator's own. */
  void *handle;
} DmlAllocation;

/* Where the memory of buffers comes from, as from Vulkan Memory Allocator:
 * vmaAllocateMemoryForBuffer in `allocate`, with
 * VMA_ALLOCATION_CREATE_MAPPED_BIT where requiredFlags say HOST_VISIBLE, and
 * vmaFreeMemory in `deallocate`. The runtime binds the memory to the buffer,
 * and destroys the buffer before it gives the memory back. Both functions are
 * called by threads that are inside a call of this API, by several at once, and
 * make no call of this API themselves. They and `userData` must work until the
 * device and everything made from it is destroyed, late work included
 * (dmlGetLateWorkCount). */
typedef struct DmlAllocator {
  const void *next;
  /* A failure is returned as the result of the call that wanted the memory. */
  VkResult (*allocate)(void *userData, const DmlAllocationRequest *request,
                       DmlAllocation *allocation);
  void (*deallocate)(void *userData, const DmlAllocation *allocation);
  void *userData;
} DmlAllocator;

typedef struct DmlDeviceCreateInfo {
  const void *next;
  /* As for dmlFindDevice. */
  const char *selector;
  /* Enable robustBufferAccess: reads and writes beyond a bound buffer do no
   * harm, at some cost in speed. An error where the device lacks it. False: the
   * driver is asked to check nothing, by VK_EXT_pipeline_robustness if it has
   * that. */
  bool robustBufferAccess;
  /* Features not to enable, though the device may have them: to try what a
   * device without them would do. */
  DmlFeatureFlags disabledFeatures;
  /* NULL: the runtime allocates memory itself. Small buffers then share
   * allocations, but for a device with robustBufferAccess, where an access that
   * misses its buffer may end anywhere within an allocation. */
  const DmlAllocator *allocator;
} DmlDeviceCreateInfo;

/* Creates a VkDevice with one queue and every DmlFeature that the device has
 * and `info`, which may be NULL, does not disable. */
DML_API DmlResult dmlCreateDevice(DmlInstance instance,
                                  const DmlDeviceCreateInfo *info,
                                  DmlDevice *device, DmlError *error);

/* A device that the caller made. */
typedef struct DmlVulkanDevice {
  const void *next;
  /* NULL: the system's Vulkan loader. */
  PFN_vkGetInstanceProcAddr getInstanceProcAddr;
  VkInstance instance;
  VkPhysicalDevice physicalDevice;
  VkDevice device;
  /* VkApplicationInfo::apiVersion of the instance, 1.2 or newer. */
  uint32_t apiVersion;
  /* The features that were enabled in `device`. */
  DmlFeatureFlags enabledFeatures;
  /* VK_EXT_debug_utils is enabled in `instance`: steps are labelled. */
  bool debugUtilsEnabled;
  /* VK_EXT_pipeline_robustness and its feature are enabled in `device`: kernels
   * ask the driver not to check what they access, which some do otherwise.
   * Leave it false where robustBufferAccess is to protect from executables. */
  bool pipelineRobustnessEnabled;
  /* robustBufferAccess is enabled in `device` to protect from executables: no
   * buffer shares an allocation with another. */
  bool robustBufferAccessEnabled;
  /* VK_EXT_subgroup_size_control, or Vulkan 1.3, and the features
   * subgroupSizeControl and computeFullSubgroups are enabled in `device`:
   * kernels may ask for subgroups of the size that they were made for. */
  bool subgroupSizeControlEnabled;
  /* A family with VK_QUEUE_COMPUTE_BIT, and a queue of it. VK_NULL_HANDLE: the
   * runtime only records; calls that would have to submit fail. */
  uint32_t queueFamilyIndex;
  VkQueue queue;
  /* Called around every use of `queue`, where the caller uses it from other
   * threads. Both or neither. */
  void (*lockQueue)(void *userData);
  void (*unlockQueue)(void *userData);
  void *queueUserData;
  /* As in DmlDeviceCreateInfo. dmlGetVulkanDevice leaves it NULL. */
  const DmlAllocator *allocator;
} DmlVulkanDevice;

/* Uses the caller's VkDevice, which must outlive everything made from the
 * DmlDevice. Nothing of it is destroyed by dmlDestroyDevice. Where a call has
 * waited in vain (an error that names vkWaitForFences, or DML_ERROR_TIMEOUT),
 * the caller may destroy it once everything made from the DmlDevice is
 * destroyed and dmlGetLateWorkCount says 0. */
DML_API DmlResult dmlAdoptDevice(const DmlVulkanDevice *info, DmlDevice *device,
                                 DmlError *error);
DML_API void dmlDestroyDevice(DmlDevice device);

/* A VkDevice that the caller is about to create. */
typedef struct DmlDeviceRequest {
  const void *next;
  /* NULL: the system's Vulkan loader. */
  PFN_vkGetInstanceProcAddr getInstanceProcAddr;
  VkInstance instance;
  VkPhysicalDevice physicalDevice;
  /* VkApplicationInfo::apiVersion of the instance, 1.2 or newer. */
  uint32_t apiVersion;
  /* VK_EXT_debug_utils is enabled in `instance`. */
  bool debugUtilsEnabled;
  /* As in DmlDeviceCreateInfo. */
  bool robustBufferAccess;
  DmlFeatureFlags disabledFeatures;
  /* The features that the caller wants itself, with a chain of structures, or
   * NULL. The call sets in them what executables may need and the device has; a
   * structure that the chain lacks is appended, and belongs to the
   * DmlDeviceRequirements. A feature that stands in the structure of a version
   * of Vulkan (VkPhysicalDeviceVulkan12Features) is set there if the chain has
   * it, else in the structure of its own. */
  VkPhysicalDeviceFeatures2 *features;
} DmlDeviceRequest;

/* What a VkDevice is to be created with so that dml may use all of it. */
typedef struct DmlDeviceRequirementsInfo {
  void *next;
  /* For VkDeviceCreateInfo::pNext: the caller's structure, or, where the
   * request had none, one of the library's. */
  const VkPhysicalDeviceFeatures2 *features;
  /* Extensions to be enabled beside the caller's own. */
  const char *const *extensions;
  uint32_t extensionCount;
  /* The family that one queue at least is to be of, with compute and, where the
   * device has such a one, timestamps. */
  uint32_t queueFamilyIndex;
  /* For dmlAdoptDevice, which needs `device` and `queue` besides. */
  DmlVulkanDevice device;
} DmlDeviceRequirementsInfo;

/* Finds out what a VkDevice is to be created with, as dmlCreateDevice does for
 * its own. DML_ERROR_UNSUPPORTED where dml cannot use the physical device.
 * Where the call fails, the caller's features are as they were. What the
 * requirements describe lives as long as they do; they are not needed once the
 * VkDevice is created. */
DML_API DmlResult dmlGetDeviceRequirements(const DmlDeviceRequest *request,
                                           DmlDeviceRequirements *requirements,
                                           DmlError *error);
DML_API void dmlDescribeDeviceRequirements(DmlDeviceRequirements requirements,
                                           DmlDeviceRequirementsInfo *info);
DML_API void dmlDestroyDeviceRequirements(DmlDeviceRequirements requirements);

/* Another handle of the same device, for whoever keeps a device that somebody
 * else may destroy. Each handle is destroyed by itself; the VkDevice lives as
 * long as any of them. */
DML_API DmlResult dmlShareDevice(DmlDevice device, DmlDevice *shared,
                                 DmlError *error);

DML_API void dmlGetDeviceProperties(DmlDevice device, DmlDeviceInfo *info);
/* The Vulkan objects behind a device; they stay the runtime's. `lockQueue`,
 * `unlockQueue` and `queueUserData` are set, and are to be called around the
 * caller's own use of `queue`. */
DML_API void dmlGetVulkanDevice(DmlDevice device, DmlVulkanDevice *info);

/* The longest that a call waits for the device which has no time of its own:
 * dmlRunFunction, dmlSubmit, dmlDestroyBindingTable, and what creates, writes,
 * reads or binds buffers. UINT64_MAX, waiting without end, is what a device
 * begins with. Such a call then returns DML_ERROR_TIMEOUT, and the work is
 * late: it goes on, for nothing can stop it. Whatever of the device is
 * destroyed while its late work runs, the device itself included, is kept until
 * the work has ended. Later calls that create, destroy, submit or wait, on any
 * device, look whether it has, and then destroy what was kept. */
DML_API void dmlSetWaitLimit(DmlDevice device, uint64_t nanoseconds);

/* How many objects are kept for late work of a device, or of all devices where
 * `device` is VK_NULL_HANDLE; those whose work has ended are destroyed by the
 * call. Once it returns 0, a caller that adopted the device, and has destroyed
 * everything that was made from it, may destroy the VkDevice. */
DML_API uint32_t dmlGetLateWorkCount(VkDevice device);

/* How long a call that waits for the device keeps its thread busy with asking
 * whether the work has ended, before it sleeps. A thread that sleeps wakes up
 * to 140 microseconds late. 200,000 ns is what a device begins with; 0: never.
 */
DML_API void dmlSetSpinTime(DmlDevice device, uint64_t nanoseconds);

/* The bytes of memory that the device's buffers may have together: those that
 * dmlCreateBuffer makes, constants, temporaries, and what copies go through. 0,
 * with which a device begins, is no limit. What would go beyond fails with
 * DML_ERROR_OUT_OF_MEMORY, and names the buffer, the bytes wanted, those used
 * and the budget. What is allocated already stays. */
DML_API void dmlSetMemoryBudget(DmlDevice device, uint64_t bytes);

typedef struct DmlMemoryUse {
  void *next;
  /* Bytes allocated, now and at most so far, and how many allocations of
   * Vulkan's (or of the caller's allocator) have them. Small buffers share
   * allocations, of which one may stay for buffers to come. */
  uint64_t used;
  uint64_t peak;
  uint32_t allocationCount;
  /* That of dmlSetMemoryBudget. */
  uint64_t budget;
  /* What VK_EXT_memory_budget says of all device-local heaps, where the device
   * has the extension, else 0: bytes that the process uses, and may use. */
  uint64_t heapUsage;
  uint64_t heapBudget;
} DmlMemoryUse;

DML_API DmlResult dmlGetMemoryUse(DmlDevice device, DmlMemoryUse *use,
                                  DmlError *error);

/* Compiled pipelines, to be kept between runs of a program. Call with data NULL
 * to learn the size; `*size` becomes what was written. The data begin with the
 * letters DMLP and carry a checksum and the device they are for:
 * dmlSetPipelineCacheData refuses others with DML_ERROR_INVALID_ARGUMENT, after
 * which pipelines are compiled anew. Set them before programs are created. The
 * checksum is against accidents: drivers run what the data hold, so take them
 * only from where nobody else can write. */
DML_API DmlResult dmlGetPipelineCacheData(DmlDevice device, size_t *size,
                                          void *data, DmlError *error);
DML_API DmlResult dmlSetPipelineCacheData(DmlDevice device, const void *data,
                                          size_t size, DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Executables
\*===----------------------------------------------------------------------===*/

typedef struct DmlExecutableCreateInfo {
  const void *next;
  /* Constants and shaders are not copied, if the data are aligned to 8 bytes,
   * as a file is that was mapped. The data must then stay, and stay the same,
   * until the executable and all programs made from it are destroyed. */
  bool borrow;
} DmlExecutableCreateInfo;

/* Verifies an executable, and copies what it keeps unless `info`, which may be
 * NULL, says otherwise. Nothing in it is trusted. */
DML_API DmlResult dmlCreateExecutable(const void *data, size_t size,
                                      const DmlExecutableCreateInfo *info,
                                      DmlExecutable *executable,
                                      DmlError *error);
DML_API DmlResult dmlCreateExecutableFromFile(const char *path,
                                              DmlExecutable *executable,
                                              DmlError *error);
DML_API void dmlDestroyExecutable(DmlExecutable executable);

typedef struct DmlExecutableInfo {
  void *next;
  uint16_t versionMajor;
  uint16_t versionMinor;
  /* The program that wrote the file; may be "". */
  const char *producer;
  uint32_t functionCount;
  uint32_t kernelCount;
  /* Of the constants that the file has. */
  uint64_t constantSize;
  /* Constants that the file lacks: see dmlBindWeight. */
  uint32_t weightCount;
  /* The program computes something once, before its functions run. */
  bool hasInitialization;
  /* What is enough for a device to run every function: what the last variant of
   * each needs. `requiredLimits` holds what the executable makes use of;
   * members that it cannot require are 0. */
  uint32_t requiredApiVersion;
  DmlFeatureFlags requiredFeatures;
  DmlDeviceLimits requiredLimits;
} DmlExecutableInfo;

DML_API void dmlGetExecutableInfo(DmlExecutable executable,
                                  DmlExecutableInfo *info);

/* DML_ERROR_UNSUPPORTED, naming everything that is missing, where a device with
 * these properties cannot run the executable: where it meets the requirements
 * of no variant of a function. What is missing is then for the variant that is
 * nearest. */
DML_API DmlResult dmlCheckExecutable(DmlExecutable executable,
                                     const DmlDeviceInfo *device,
                                     DmlError *error);

typedef struct DmlFunctionInfo {
  void *next;
  const char *name;
  uint32_t inputCount;
  uint32_t outputCount;
  /* Ways to compute the function, one at least: see DmlVariantInfo. */
  uint32_t variantCount;
  /* Bytes of the temporary buffer, enough for every variant; may be 0. */
  uint64_t temporarySize;
  /* The level that the compiler checked the operators against; they may need
   * less. 0x1000 is 1_0, 0x6400 is 6_4. */
  uint32_t featureLevel;
} DmlFunctionInfo;

/* A tensor, packed and row-major where the compiler was not told otherwise: the
 * element at coordinates c is element sum(c[i] * strides[i]) of its buffer. */
typedef struct DmlTensorInfo {
  void *next;
  const char *name;
  DmlDataType dataType;
  uint32_t rank;
  const uint32_t *sizes;
  uint64_t elementCount;
  /* Bytes up to the end of the last element: gaps count, and elements that
   * share a place count once. */
  uint64_t byteSize;
  /* Bytes that a bound buffer must have: byteSize, or the total size that the
   * compiler was told, rounded up to 16. */
  uint64_t bufferSize;
  /* Elements from one coordinate to the next, one number for each dimension; 0
   * where the dimension repeats an input's elements. After execution, elements
   * of an output's buffer that lie between the tensor's own are 0. */
  const uint64_t *strides;
} DmlTensorInfo;

/* A constant whose bytes the executable does not have. */
typedef struct DmlWeightInfo {
  void *next;
  /* Its own `next` is a chain of extensions of DmlTensorInfo. */
  DmlTensorInfo tensor;
  /* Where its bytes begin in the file of weights that dml-compile writes. */
  uint64_t fileOffset;
} DmlWeightInfo;

DML_API DmlResult dmlFindWeight(DmlExecutable executable, const char *name,
                                uint32_t *weight, DmlError *error);
DML_API DmlResult dmlGetWeightInfo(DmlExecutable executable, uint32_t weight,
                                   DmlWeightInfo *info, DmlError *error);

typedef enum DmlStepKind {
  DML_STEP_KIND_DISPATCH = 0,
  DML_STEP_KIND_COPY = 1
} DmlStepKind;

typedef struct DmlStepInfo {
  void *next;
  DmlStepKind kind;
  /* The operators that the step computes; may be "". */
  const char *label;
  /* The entry point; "" for a copy, whose workgroups are 0. */
  const char *kernel;
  /* The number of the kernel, less than DmlExecutableInfo's kernelCount;
   * UINT32_MAX for a copy. */
  uint32_t kernelIndex;
  uint32_t workgroupCount[3];
  uint32_t workgroupSize[3];
  /* Bytes of all ranges bound; twice the size for a copy. */
  uint64_t boundSize;
  /* The step waits for all steps before it. */
  bool barrier;
} DmlStepInfo;

/* One way to compute a function. Variants are in order of preference: a device
 * runs the first whose requirements it meets. */
typedef struct DmlVariantInfo {
  void *next;
  uint32_t stepCount;
  /* Bytes of the temporary buffer; may be 0. */
  uint64_t temporarySize;
  /* As in DmlExecutableInfo. */
  uint32_t requiredApiVersion;
  DmlFeatureFlags requiredFeatures;
  DmlDeviceLimits requiredLimits;
  /* The device profile that the steps were compiled for, such as "full"; may be
   * "". A device may run them that has what is required, whatever the profile.
   */
  const char *deviceProfile;
} DmlVariantInfo;

DML_API DmlResult dmlFindFunction(DmlExecutable executable, const char *name,
                                  uint32_t *function, DmlError *error);
DML_API DmlResult dmlGetFunctionInfo(DmlExecutable executable,
                                     uint32_t function, DmlFunctionInfo *info,
                                     DmlError *error);
DML_API DmlResult dmlGetInputInfo(DmlExecutable executable, uint32_t function,
                                  uint32_t input, DmlTensorInfo *info,
                                  DmlError *error);
DML_API DmlResult dmlGetOutputInfo(DmlExecutable executable, uint32_t function,
                                   uint32_t output, DmlTensorInfo *info,
                                   DmlError *error);
/* The input in whose place an output is, or UINT32_MAX. Such an output and its
 * input are bound to one range, which has the input's elements before the
 * function runs and the output's afterwards. Both have one type, one size and
 * one layout (dml-compile --in-place=OUTPUT=INPUT). */
DML_API DmlResult dmlGetInPlaceInput(DmlExecutable executable,
                                     uint32_t function, uint32_t output,
                                     uint32_t *input, DmlError *error);
DML_API DmlResult dmlGetVariantInfo(DmlExecutable executable, uint32_t function,
                                    uint32_t variant, DmlVariantInfo *info,
                                    DmlError *error);
/* The variant that a device with these properties runs, which is what programs
 * on it do. DML_ERROR_UNSUPPORTED as for dmlCheckExecutable. */
DML_API DmlResult dmlChooseVariant(DmlExecutable executable, uint32_t function,
                                   const DmlDeviceInfo *device,
                                   uint32_t *variant, DmlError *error);
DML_API DmlResult dmlGetStepInfo(DmlExecutable executable, uint32_t function,
                                 uint32_t variant, uint32_t step,
                                 DmlStepInfo *info, DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Programs
\*===----------------------------------------------------------------------===*/

/* Chooses a variant of each function for the device and compiles the kernels of
 * these. The constants are uploaded by this call where the executable has no
 * weights, else when the first weight is copied or the program initialized.
 * Where there are many kernels, the call makes threads to compile them, no more
 * than there are processors; they have ended when it returns. */
DML_API DmlResult dmlCreateProgram(DmlDevice device, DmlExecutable executable,
                                   DmlProgram *program, DmlError *error);
DML_API void dmlDestroyProgram(DmlProgram program);

/* Copies the bytes of a weight to the device, those of the tensor's byteSize
 * and strides, or replaces them. Each weight is bound once at least, and then,
 * and whenever some were replaced, dmlInitializeProgram is called; until then
 * functions of the program fail with DML_ERROR_INVALID_ARGUMENT. (A copy that
 * fails, as where the device is lost, leaves the weight unbound.) Neither may
 * overlap with other uses of the program, or with submitted work of it. */
DML_API DmlResult dmlBindWeight(DmlProgram program, uint32_t weight,
                                const void *data, size_t size, DmlError *error);
/* The same with bytes of a file, from `offset` on, of which at most 1 MiB is in
 * host memory at a time. Where the file is cut off meanwhile, the weight is
 * left unbound. */
DML_API DmlResult dmlBindWeightFromFile(DmlProgram program, uint32_t weight,
                                        const char *path, uint64_t offset,
                                        DmlError *error);
/* The same piece by piece, in order: the first piece has the offset 0, and each
 * of the others begins where the one before it ended. The weight is bound once
 * all bytes of the tensor are there. */
DML_API DmlResult dmlWriteWeight(DmlProgram program, uint32_t weight,
                                 uint64_t offset, const void *data, size_t size,
                                 DmlError *error);

/* `size` bytes of a buffer from `offset` on. The buffer needs
 * VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, TRANSFER_SRC and TRANSFER_DST usage; the
 * offset is a multiple of 16 and of minStorageBufferOffsetAlignment. The
 * structure never grows. */
typedef struct DmlBufferRange {
  VkBuffer buffer;
  uint64_t offset;
  uint64_t size;
} DmlBufferRange;

/* The same with bytes that are on the device already, and are copied there; the
 * range has the tensor's byteSize at least, and any offset. */
DML_API DmlResult dmlBindWeightFromBuffer(DmlProgram program, uint32_t weight,
                                          const DmlBufferRange *range,
                                          DmlError *error);
/* Has the program read a weight from the caller's buffer, where it stays: the
 * range has the tensor's bufferSize at least, must outlive the program's use of
 * it, and is never written. Several programs may share it. The program makes no
 * memory for weights that were bound in place before the first is copied, so
 * bind these first. DML_ERROR_UNSUPPORTED where the program reads the weight
 * together with other constants as one range, or writes to it when it is
 * initialized: the message says which, and a copy will do. */
DML_API DmlResult dmlBindWeightInPlace(DmlProgram program, uint32_t weight,
                                       const DmlBufferRange *range,
                                       DmlError *error);

/* Runs on the device what depends on constants and weights alone, and waits for
 * it. dmlCreateProgram does so where an executable has no weights. */
DML_API DmlResult dmlInitializeProgram(DmlProgram program, DmlError *error);

/* Host memory of `size` bytes, which has the tensor's strides; the size must be
 * the tensor's byteSize. The structure never grows. */
typedef struct DmlHostTensor {
  void *data;
  size_t size;
} DmlHostTensor;

/* The simple way: runs a function on host memory and waits for it. Buffers and
 * descriptors are made for this one call; use a binding table to run often. */
DML_API DmlResult dmlRunFunction(DmlProgram program, uint32_t function,
                                 const DmlHostTensor *inputs,
                                 uint32_t inputCount,
                                 const DmlHostTensor *outputs,
                                 uint32_t outputCount, DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Buffers
\*===----------------------------------------------------------------------===*/

typedef struct DmlBufferInfo {
  void *next;
  VkBuffer buffer;
  uint64_t size;
  /* Coherent host memory, or NULL where the memory is not mapped. */
  void *mapped;
} DmlBufferInfo;

/* A buffer with memory, for storage and transfers. It holds zeros, but
 * for memory that is not mapped of a device adopted without a queue. */
DML_API DmlResult dmlCreateBuffer(DmlDevice device, uint64_t size,
                                  DmlMemory memory, DmlBuffer *buffer,
                                  DmlError *error);
DML_API void dmlDestroyBuffer(DmlBuffer buffer);
DML_API void dmlGetBufferInfo(DmlBuffer buffer, DmlBufferInfo *info);

/* Copy between host memory and a buffer and wait for it, through a staging
 * buffer where needed. No submitted work may be using the buffer. */
DML_API DmlResult dmlWriteBuffer(DmlBuffer buffer, uint64_t offset,
                                 const void *data, size_t size,
                                 DmlError *error);
DML_API DmlResult dmlReadBuffer(DmlBuffer buffer, uint64_t offset, void *data,
                                size_t size, DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Binding tables
\*===----------------------------------------------------------------------===*/

typedef struct DmlBindingTableCreateInfo {
  const void *next;
  uint32_t function;
  /* Write a timestamp before and after each step. */
  bool timestamps;
} DmlBindingTableCreateInfo;

DML_API DmlResult dmlCreateBindingTable(DmlProgram program,
                                        const DmlBindingTableCreateInfo *info,
                                        DmlBindingTable *table,
                                        DmlError *error);
/* Waits for what dmlSubmit submitted. Command buffers that the caller recorded
 * must have finished. */
DML_API void dmlDestroyBindingTable(DmlBindingTable table);

/* Bind a buffer range, which must outlive its use, of at least the tensor's
 * bufferSize. Binding anew invalidates command buffers recorded from the table;
 * none of them may be pending. A range that is written (output, temporary) may
 * not overlap with another bound range, but that an output and the input in
 * whose place it is (dmlGetInPlaceInput) are bound to one range. Each call waits
 * for what dmlSubmit submitted of the table.
 *
 * The temporary buffer is the caller's range, or, where `range` is NULL, memory
 * of the table's own, which begins as zeros; dmlSubmit makes such memory too
 * where none is bound. A function whose variant has a temporarySize of 0 needs
 * neither. */
DML_API DmlResult dmlBindInput(DmlBindingTable table, uint32_t input,
                               const DmlBufferRange *range, DmlError *error);
DML_API DmlResult dmlBindOutput(DmlBindingTable table, uint32_t output,
                                const DmlBufferRange *range, DmlError *error);
DML_API DmlResult dmlBindTemporary(DmlBindingTable table,
                                   const DmlBufferRange *range,
                                   DmlError *error);

/* Records the function into a command buffer that is being recorded, outside a
 * render pass, for a queue with compute. The call allocates nothing where it
 * succeeds, neither on the host nor on the device, submits nothing and waits
 * for nothing: temporary memory that the function needs must be bound before,
 * by dmlBindTemporary, else DML_ERROR_INVALID_ARGUMENT says so. Barriers stand
 * between the steps; those around the function are the caller's: before, the
 * inputs must be visible to VK_ACCESS_SHADER_READ_BIT and
 * VK_ACCESS_TRANSFER_READ_BIT in the stages COMPUTE_SHADER and TRANSFER, and
 * earlier uses of outputs and the temporary buffer finished; after,
 * SHADER_WRITE and TRANSFER_WRITE of the same stages are to be made available.
 * The bound pipeline and descriptor set 0 change. One table recorded twice
 * needs a barrier in between. */
DML_API DmlResult dmlRecordFunction(DmlBindingTable table,
                                    VkCommandBuffer commandBuffer,
                                    DmlError *error);

/* Records `stepCount` steps of the function from step `firstStep` on, of those
 * of the variant that the device runs, as dmlRecordFunction does. Ranges that
 * follow one another and are executed in order compute together what the whole
 * function does, with the same bits, and may stand in several command buffers
 * and submissions: a caller that has a little time in each frame records a few
 * steps in each. Between two ranges outputs and the temporary buffer must stay
 * as they are. The barrier that a step has before it is recorded with the step,
 * and orders it after earlier ranges of the same queue. */
DML_API DmlResult dmlRecordSteps(DmlBindingTable table,
                                 VkCommandBuffer commandBuffer,
                                 uint32_t firstStep, uint32_t stepCount,
                                 DmlError *error);

/* A semaphore to wait for or to signal. The value is that of a timeline
 * semaphore, and is ignored for a binary one. The structure never grows. */
typedef struct DmlSemaphoreValue {
  VkSemaphore semaphore;
  uint64_t value;
} DmlSemaphoreValue;

/* Devices that dmlCreateDevice makes have the feature timelineSemaphore
 * enabled; of an adopted device it is the caller's to enable. */
typedef struct DmlSubmitInfo {
  const void *next;
  /* The function begins when all of these are reached. */
  const DmlSemaphoreValue *waitSemaphores;
  uint32_t waitSemaphoreCount;
  /* These are signaled when the function has finished. */
  const DmlSemaphoreValue *signalSemaphores;
  uint32_t signalSemaphoreCount;
} DmlSubmitInfo;

/* Submits the function to the device's queue, in order after all earlier
 * submissions to it; the results are visible to the host and to later
 * submissions. `info` may be NULL. The call does not wait for earlier
 * submissions of the table, of which each begins when the one before it has
 * finished, unless DML_MAX_SUBMISSIONS of them have not finished: then it waits
 * for the first. The commands are recorded once and reused until something is
 * bound anew. */
DML_API DmlResult dmlSubmit(DmlBindingTable table, const DmlSubmitInfo *info,
                            DmlError *error);
enum { DML_MAX_SUBMISSIONS = 64 };

/* Waits for the table's last submission, and so for all before it; UINT64_MAX
 * waits without end. See dmlSetSpinTime. */
DML_API DmlResult dmlWait(DmlBindingTable table, uint64_t timeoutNanoseconds,
                          DmlError *error);

/* When a step began and ended in the latest execution, in nanoseconds since the
 * first step of those asked for began. Every timestamp waits for all work
 * before it, so durations add up. The structure never grows. */
typedef struct DmlStepTime {
  uint64_t begin;
  uint64_t end;
} DmlStepTime;

/* Fills `times` for `stepCount` steps from step `firstStep` on, of those of the
 * variant that the device runs. Each must have been recorded or submitted, and
 * its execution must have finished. */
DML_API DmlResult dmlGetStepTimes(DmlBindingTable table, uint32_t firstStep,
                                  uint32_t stepCount, DmlStepTime *times,
                                  DmlError *error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DML_RUNTIME_H */
