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
 * thread at a time. Destroying an object may not overlap with its use. Vulkan's
 * drivers do not survive a fork: in a process whose parent has made an instance
 * or adopted a device, calls that need either fail with
 * DML_ERROR_INVALID_ARGUMENT, and calls that destroy objects do nothing.
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

/* The version of this header, for programs that are compiled with several.
 * runtime/CMakeLists.txt compares it with the project's. */
#define DML_RUNTIME_VERSION_MAJOR 0
#define DML_RUNTIME_VERSION_MINOR 1
#define DML_RUNTIME_VERSION_PATCH 0

#if defined(_WIN32) && defined(DML_RUNTIME_SHARED)
#define DML_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
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
  /* An argument of the call is invalid. */
  DML_ERROR_INVALID_ARGUMENT = 1,
  /* The data are no valid executable. No part of them was used. */
  DML_ERROR_INVALID_EXECUTABLE = 2,
  /* There is no such device, function or file. */
  DML_ERROR_NOT_FOUND = 3,
  /* The device, file or object lacks something that the call needs. The message
   * names everything that is missing. */
  DML_ERROR_UNSUPPORTED = 4,
  DML_ERROR_OUT_OF_MEMORY = 5,
  DML_ERROR_DEVICE_LOST = 6,
  /* The device had not finished its work within the time limit (dmlWait,
   * dmlSetWaitLimit). */
  DML_ERROR_TIMEOUT = 7,
  DML_ERROR_IO = 8,
  /* Any other failure of a Vulkan call. The message names call and result. */
  DML_ERROR_VULKAN = 9,
  /* A callback of the caller has ended the call. */
  DML_ERROR_CANCELLED = 10
} DmlResult;

/* The type of an extension structure; see "Structures" above. */
typedef enum DmlStructureType {
  DML_STRUCTURE_TYPE_UNKNOWN = 0,
  DML_STRUCTURE_TYPE_MAX_ENUM = 0x7fffffff
} DmlStructureType;

/* The first members of every extension structure. */
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

/* Returns the name of a result, such as "DML_ERROR_NOT_FOUND", in static
 * storage. */
DML_API const char *dmlGetResultName(DmlResult result);

DML_API DmlResult dmlGetErrorResult(DmlError error);
/* Returns the message of an error, or "" for NULL. The message is one line,
 * without a newline at its end; a session's message about a model may have
 * further lines, which two spaces indent. The text lives as long as the error.
 */
DML_API const char *dmlGetErrorMessage(DmlError error);
DML_API void dmlDestroyError(DmlError error);

/* Returns the version of the runtime, such as "0.1.0", in static storage: that
 * of the library, where DML_RUNTIME_VERSION_MAJOR and the others are those of
 * this header. */
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
  DML_DATA_TYPE_INT4 = 13,
  DML_DATA_TYPE_MAX_ENUM = 0x7fffffff
} DmlDataType;

/* Returns the compiler's name of a type, such as "f32", "i8" or "ui64", and
 * "unknown" for any other value. */
DML_API const char *dmlGetDataTypeName(DmlDataType type);
/* Returns the number of bytes in an element. Returns 0 for types with several
 * elements in a byte, and for any other value. */
DML_API size_t dmlGetDataTypeSize(DmlDataType type);
/* Returns the number of bits in an element, or 0 for any other value. */
DML_API size_t dmlGetDataTypeBits(DmlDataType type);

/*===----------------------------------------------------------------------===*\
 * Physical devices
\*===----------------------------------------------------------------------===*/

/* Vulkan features that executables may require. Two of them are properties in
 * Vulkan, which a device has without enabling them:
 * SHADER_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32, and SUBGROUP_SHUFFLE
 * (VK_SUBGROUP_FEATURE_SHUFFLE_BIT in compute shaders). */
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

/* Returns Vulkan's name of one feature, such as "shaderInt64", or NULL for any
 * other value. */
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

/* Limits of a device, or limits that an executable requires. They have Vulkan's
 * names and meanings, except where a comment states otherwise. The structure
 * never grows. */
typedef struct DmlDeviceLimits {
  uint64_t maxStorageBufferRange;
  uint64_t maxMemoryAllocationSize;
  uint64_t minStorageBufferOffsetAlignment;
  uint32_t maxPerStageDescriptorStorageBuffers;
  uint32_t maxComputeWorkGroupInvocations;
  uint32_t maxComputeWorkGroupSize[3];
  uint32_t maxComputeWorkGroupCount[3];
  uint32_t maxComputeSharedMemorySize;
  /* For a device, the number of threads in the subgroups of kernels that do not
   * request a size. For requirements, the size that kernels request, or 0. */
  uint32_t subgroupSize;
  /* The smallest and the largest size of subgroups that kernels may request of
   * a device. */
  uint32_t minSubgroupSize;
  uint32_t maxSubgroupSize;
  /* For a device, the largest number of subgroups in a workgroup of a kernel
   * that requests a size of subgroups. It is 0 if the device has only one size,
   * or if its VkDevice was created without the control of sizes: the number of
   * threads is then the only limit. For requirements, the largest number of
   * subgroups in a workgroup of such a kernel, or 0 if no kernel requests a
   * size. */
  uint32_t maxComputeWorkgroupSubgroups;
  uint32_t matrixShapeCount;
  DmlMatrixShape matrixShapes[DML_MAX_MATRIX_SHAPES];
  /* Not a limit of Vulkan: the number of iterations, of all loops of a thread
   * in total, after which the driver ends the loops, so that results are wrong.
   * 0 if no such limit is known. */
  uint64_t maxLoopIterations;
  /* The number of nanoseconds in which a timestamp increases by 1, or 0 if the
   * device has no timestamps. */
  float timestampPeriod;
  /* The number of multiprocessors, which run workgroups side by side: streaming
   * multiprocessors (VK_NV_shader_sm_builtins), compute units
   * (VK_AMD_shader_core_properties2) or shader cores
   * (VK_ARM_shader_core_builtins) of a GPU, or the processors of the host that
   * a CPU driver may use. 0 if the driver does not report the number. */
  uint32_t multiprocessorCount;
  /* The number of registers of 4 bytes in a multiprocessor, and the largest
   * number that the hardware gives a thread (VK_AMD_shader_core_properties).
   * The driver's compiler may give a thread fewer. 0 if the driver does not
   * report the numbers. */
  uint32_t multiprocessorRegisterCount;
  uint32_t maxThreadRegisterCount;
} DmlDeviceLimits;

typedef struct DmlDeviceInfo {
  void *next;
  char name[256];
  uint8_t uuid[16];
  VkPhysicalDeviceType type;
  char driverName[256];
  /* The version of the driver, in the driver's own words. */
  char driverInfo[256];
  /* The newest version of Vulkan that may be used: the version of the device,
   * or the version of the instance if that is older. */
  uint32_t apiVersion;
  /* The features that a physical device supports, or that are enabled in a
   * DmlDevice. */
  DmlFeatureFlags features;
  DmlDeviceLimits limits;
  /* The number of bytes in all device-local heaps. */
  uint64_t deviceMemorySize;
  /* The values in VkPhysicalDeviceProperties and
   * VkPhysicalDeviceDriverProperties. Drivers of different versions may report
   * the same `uuid`. */
  uint32_t vendorID;
  uint32_t deviceID;
  uint32_t driverVersion;
  VkDriverId driverID;
  uint8_t pipelineCacheUUID[16];
  /* The address on the PCI bus, such as "0000:01:00.0": domain, bus, device and
   * function in hexadecimal digits. "" if the driver does not report it
   * (VK_EXT_pci_bus_info). */
  char pciAddress[16];
} DmlDeviceInfo;

/*===----------------------------------------------------------------------===*\
 * Instances
\*===----------------------------------------------------------------------===*/

typedef enum DmlMessageSeverity {
  DML_MESSAGE_SEVERITY_WARNING = 0,
  DML_MESSAGE_SEVERITY_ERROR = 1
} DmlMessageSeverity;

/* Receives a message. The runtime calls it from threads that are inside a call
 * of this API, and from the threads that dmlCreateProgram makes, but never from
 * two threads at once. */
typedef void (*DmlMessageCallback)(void *userData, DmlMessageSeverity severity,
                                   const char *message);

typedef struct DmlInstanceCreateInfo {
  const void *next;
  /* The caller's Vulkan loader. NULL: the runtime opens the system's Vulkan
   * loader. */
  PFN_vkGetInstanceProcAddr getInstanceProcAddr;
  /* Enables VK_LAYER_KHRONOS_validation. The call fails if the layer is not
   * installed. */
  bool enableValidation;
  /* Receives the messages of the validation layer. NULL: the messages are only
   * counted. */
  DmlMessageCallback messageCallback;
  void *messageUserData;
} DmlInstanceCreateInfo;

/* Creates an instance. `info` may be NULL. Returns DML_ERROR_NOT_FOUND if there
 * is no Vulkan loader or no driver. */
DML_API DmlResult dmlCreateInstance(const DmlInstanceCreateInfo *info,
                                    DmlInstance *instance, DmlError *error);
DML_API void dmlDestroyInstance(DmlInstance instance);

/* Return the number of physical devices, and the properties of a physical
 * device. Devices have the loader's order. */
DML_API uint32_t dmlGetDeviceCount(DmlInstance instance);
DML_API DmlResult dmlGetDeviceInfo(DmlInstance instance, uint32_t index,
                                   DmlDeviceInfo *info, DmlError *error);

/* Finds a device that the runtime can use. `selector` is the index of a device
 * ("1"), a UUID (32 hexadecimal digits, with or without dashes), or a part of a
 * name in upper or lower case ("radeon"), which selects the first device with a
 * matching name. NULL or "" selects the first GPU, or the first device if there
 * is no GPU. Returns DML_ERROR_NOT_FOUND if no device matches, and
 * DML_ERROR_UNSUPPORTED if the runtime cannot use the device that matches. */
DML_API DmlResult dmlFindDevice(DmlInstance instance, const char *selector,
                                uint32_t *index, DmlError *error);

/* Returns how many warnings and errors the validation layer has sent so far. */
DML_API uint32_t dmlGetValidationMessageCount(DmlInstance instance);

/*===----------------------------------------------------------------------===*\
 * Devices
\*===----------------------------------------------------------------------===*/

typedef enum DmlMemory {
  /* Memory with which kernels run fastest. It is mapped, too, on a CPU and on a
   * GPU that shares the host's memory. */
  DML_MEMORY_DEVICE = 0,
  /* Mapped memory for the host to write. */
  DML_MEMORY_UPLOAD = 1,
  /* Mapped memory for the host to read. */
  DML_MEMORY_READBACK = 2,
  DML_MEMORY_MAX_ENUM = 0x7fffffff
} DmlMemory;

/* A request for the memory of a buffer. */
typedef struct DmlAllocationRequest {
  const void *next;
  VkBuffer buffer;
  /* The requirements of the buffer. memoryTypeBits contains only the types of
   * memory that the runtime can use. */
  VkMemoryRequirements requirements;
  /* The properties that the memory must have, with which memoryTypeBits
   * contains at least one type, and the properties that are best. */
  VkMemoryPropertyFlags requiredFlags;
  VkMemoryPropertyFlags preferredFlags;
  DmlMemory memory;
  /* The purpose of the buffer, such as "constant buffer". */
  const char *name;
} DmlAllocationRequest;

/* The memory for a buffer. Before the call, all members are 0 or NULL. */
typedef struct DmlAllocation {
  void *next;
  VkDeviceMemory memory;
  uint64_t offset;
  /* The host's address of `offset`, if the memory is mapped and coherent, and
   * otherwise NULL. The memory must be mapped if requiredFlags contain
   * HOST_VISIBLE. */
  void *mapped;
  /* A value for the allocator, which the runtime does not use. */
  void *handle;
} DmlAllocation;

/* Functions of the caller that allocate the memory of buffers. With Vulkan
 * Memory Allocator, for example, `allocate` calls vmaAllocateMemoryForBuffer,
 * with VMA_ALLOCATION_CREATE_MAPPED_BIT if requiredFlags contain HOST_VISIBLE,
 * and `deallocate` calls vmaFreeMemory. The runtime binds the memory to the
 * buffer, and destroys the buffer before it frees the memory.
 *
 * Several threads that are inside calls of this API may call the functions at
 * the same time. The functions must not call this API. They and `userData` must
 * remain valid until the device and everything made from it have been
 * destroyed, including objects that are kept for late work
 * (dmlGetLateWorkCount). */
typedef struct DmlAllocator {
  const void *next;
  /* If the function fails, its result is the result of the call that needed the
   * memory. */
  VkResult (*allocate)(void *userData, const DmlAllocationRequest *request,
                       DmlAllocation *allocation);
  void (*deallocate)(void *userData, const DmlAllocation *allocation);
  void *userData;
} DmlAllocator;

typedef struct DmlDeviceCreateInfo {
  const void *next;
  /* A selector as for dmlFindDevice. */
  const char *selector;
  /* Enables robustBufferAccess: reads and writes outside of a bound buffer are
   * harmless, at some cost in speed. The call fails if the device lacks the
   * feature. If false, the driver is asked to omit all checks, by
   * VK_EXT_pipeline_robustness if the driver has this extension. */
  bool robustBufferAccess;
  /* Features that are not enabled even if the device has them, to try what a
   * device without them would do. */
  DmlFeatureFlags disabledFeatures;
  /* The caller's allocator. NULL: the runtime allocates memory itself. Small
   * buffers then share allocations, except on a device with robustBufferAccess,
   * where an access outside of its buffer may end anywhere in the same
   * allocation. */
  const DmlAllocator *allocator;
} DmlDeviceCreateInfo;

/* Creates a VkDevice with one queue and with all features of DmlFeatureFlagBits
 * that the device has and that `info` does not disable. `info` may be NULL.
 * VK_KHR_external_memory_fd and VK_KHR_external_semaphore_fd are enabled where
 * the device has them, for callers that import memory into the VkDevice. */
DML_API DmlResult dmlCreateDevice(DmlInstance instance,
                                  const DmlDeviceCreateInfo *info,
                                  DmlDevice *device, DmlError *error);

/* A VkDevice of the caller. */
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
  /* Whether VK_EXT_debug_utils is enabled in `instance`. If it is, steps are
   * labelled. */
  bool debugUtilsEnabled;
  /* Whether VK_EXT_pipeline_robustness and its feature are enabled in `device`.
   * If they are, kernels ask the driver not to check their accesses, which some
   * drivers do otherwise. Must be false if robustBufferAccess is to protect the
   * caller from executables. */
  bool pipelineRobustnessEnabled;
  /* Whether robustBufferAccess is enabled in `device` to protect the caller
   * from executables. If it is, no buffer shares an allocation with another
   * buffer. */
  bool robustBufferAccessEnabled;
  /* Whether VK_EXT_subgroup_size_control or Vulkan 1.3, and the features
   * subgroupSizeControl and computeFullSubgroups, are enabled in `device`. If
   * they are, kernels may request the size of subgroups that they were compiled
   * for. */
  bool subgroupSizeControlEnabled;
  /* A queue family with VK_QUEUE_COMPUTE_BIT, and a queue of this family.
   * VK_NULL_HANDLE: the runtime only records, and calls that would have to
   * submit fail. */
  uint32_t queueFamilyIndex;
  VkQueue queue;
  /* Functions that the runtime calls before and after each use of `queue`, if
   * the caller uses the queue in other threads. Either both are set or none. */
  void (*lockQueue)(void *userData);
  void (*unlockQueue)(void *userData);
  void *queueUserData;
  /* An allocator as in DmlDeviceCreateInfo. dmlGetVulkanDevice sets it to
   * NULL. */
  const DmlAllocator *allocator;
} DmlVulkanDevice;

/* Creates a DmlDevice that uses the caller's VkDevice. The VkDevice must
 * outlive everything made from the DmlDevice, and is not destroyed by
 * dmlDestroyDevice. If a call has waited in vain (an error that names
 * vkWaitForFences, or DML_ERROR_TIMEOUT), the caller may destroy the VkDevice
 * when everything made from the DmlDevice has been destroyed and
 * dmlGetLateWorkCount returns 0. */
DML_API DmlResult dmlAdoptDevice(const DmlVulkanDevice *info, DmlDevice *device,
                                 DmlError *error);
DML_API void dmlDestroyDevice(DmlDevice device);

/* A description of a VkDevice that the caller is going to create. */
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
  /* The features that the caller needs itself, with a chain of structures, or
   * NULL. The call sets in them the features that executables may need and that
   * the device has. If a feature's structure is missing in the chain, the call
   * appends a structure that belongs to the DmlDeviceRequirements. A feature
   * that is a member of the structure of a version of Vulkan
   * (VkPhysicalDeviceVulkan12Features) is set there if the chain contains that
   * structure, and otherwise in the feature's own structure. */
  VkPhysicalDeviceFeatures2 *features;
} DmlDeviceRequest;

/* The parameters with which to create a VkDevice so that dml can use all of its
 * features. */
typedef struct DmlDeviceRequirementsInfo {
  void *next;
  /* The structure for VkDeviceCreateInfo::pNext: the caller's structure, or one
   * of the library's if the request has none. */
  const VkPhysicalDeviceFeatures2 *features;
  /* The extensions to enable in addition to the caller's. */
  const char *const *extensions;
  uint32_t extensionCount;
  /* The queue family of which the VkDevice needs at least one queue. It
   * supports compute and, if the device has such a family, timestamps. */
  uint32_t queueFamilyIndex;
  /* The argument for dmlAdoptDevice, in which the caller still has to set
   * `device` and `queue`. */
  DmlVulkanDevice device;
} DmlDeviceRequirementsInfo;

/* Determines the features, extensions and queue with which to create a
 * VkDevice, as dmlCreateDevice does for its own. Returns DML_ERROR_UNSUPPORTED
 * if dml cannot use the physical device. If the call fails, the caller's
 * features are unchanged. The data in the description live as long as the
 * requirements, which are not needed after the VkDevice has been created. */
DML_API DmlResult dmlGetDeviceRequirements(const DmlDeviceRequest *request,
                                           DmlDeviceRequirements *requirements,
                                           DmlError *error);
DML_API void dmlDescribeDeviceRequirements(DmlDeviceRequirements requirements,
                                           DmlDeviceRequirementsInfo *info);
DML_API void dmlDestroyDeviceRequirements(DmlDeviceRequirements requirements);

/* Creates another handle of the same device, for a part of a program that uses
 * a device which another part may destroy. Each handle is destroyed separately,
 * and the VkDevice lives as long as any of them. */
DML_API DmlResult dmlShareDevice(DmlDevice device, DmlDevice *shared,
                                 DmlError *error);

DML_API void dmlGetDeviceProperties(DmlDevice device, DmlDeviceInfo *info);
/* Returns the Vulkan objects of a device, which the runtime still owns. The
 * caller must call `lockQueue` before and `unlockQueue` after its own use of
 * `queue`, with `queueUserData`; all three are set. */
DML_API void dmlGetVulkanDevice(DmlDevice device, DmlVulkanDevice *info);

/* Sets the time limit of calls that wait for the device and have no time limit
 * of their own: dmlRunFunction, dmlSubmit, dmlDestroyBindingTable, and calls
 * that create, write, read or bind buffers. The initial limit, UINT64_MAX,
 * means no limit. If a call reaches the limit, it returns DML_ERROR_TIMEOUT.
 * Its work on the device is then late: it continues, since it cannot be
 * stopped. Objects of the device that are destroyed meanwhile, even the device
 * itself, are kept until the late work has ended. Later calls that create,
 * destroy, submit or wait, on any device, check whether it has ended, and then
 * destroy the kept objects. */
DML_API void dmlSetWaitLimit(DmlDevice device, uint64_t nanoseconds);

/* Destroys the objects whose late work has ended, and returns how many objects
 * are still kept for late work of a device, or of all devices if `device` is
 * VK_NULL_HANDLE. A caller that has adopted a device, and has destroyed
 * everything made from it, may destroy the VkDevice when the call returns 0. */
DML_API uint32_t dmlGetLateWorkCount(VkDevice device);

/* Sets the time for which a call that waits for the device asks again and again
 * whether the work has ended, instead of sleeping. A sleeping thread may wake
 * up 140 microseconds late. The call asks at once, or, if a binding table's
 * work took longer when it was waited for before, from half of this time before
 * the work is expected to end. The initial time is 200,000 ns; with 0, the
 * thread sleeps at once. */
DML_API void dmlSetSpinTime(DmlDevice device, uint64_t nanoseconds);

/* Sets the number of bytes that the allocations for all buffers of the device
 * may have in total: buffers of dmlCreateBuffer, constants, temporaries, and
 * staging buffers of copies. Small buffers share allocations of several MiB, in
 * which they may find room without a new one. The initial value, 0, means no
 * limit. A call whose new allocation would exceed the budget fails with
 * DML_ERROR_OUT_OF_MEMORY, and names the buffer, the bytes it needs, the bytes
 * in use and the budget. Existing allocations remain. */
DML_API void dmlSetMemoryBudget(DmlDevice device, uint64_t bytes);

typedef struct DmlMemoryUse {
  void *next;
  /* The number of allocated bytes, now and at most so far, and the number of
   * allocations, of Vulkan or of the caller's allocator. Small buffers share
   * allocations, one of which may be kept for later buffers. */
  uint64_t used;
  uint64_t peak;
  uint32_t allocationCount;
  /* The budget that dmlSetMemoryBudget has set. */
  uint64_t budget;
  /* The numbers of bytes in all device-local heaps that the process uses and
   * may use, according to VK_EXT_memory_budget, or 0 if the device lacks the
   * extension. */
  uint64_t heapUsage;
  uint64_t heapBudget;
} DmlMemoryUse;

DML_API DmlResult dmlGetMemoryUse(DmlDevice device, DmlMemoryUse *use,
                                  DmlError *error);

/* Return and set the data of compiled pipelines, which a program can keep in a
 * file between its runs. With `data` NULL, dmlGetPipelineCacheData sets `*size`
 * to the required size, and otherwise to the number of bytes written. The data
 * begin with the letters DMLP, and contain a checksum and the device to which
 * they belong. dmlSetPipelineCacheData refuses other data with
 * DML_ERROR_INVALID_ARGUMENT, and pipelines are then compiled anew. It is
 * called before programs are created. The checksum only protects from
 * accidents, and drivers execute the data: take them only from a place where
 * nobody else can write. */
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
   * as a mapped file is. The data must then remain valid and unchanged until
   * the executable and all programs made from it have been destroyed. */
  bool borrow;
} DmlExecutableCreateInfo;

/* Verifies an executable, which may come from an untrusted source, and copies
 * the data that it needs, unless `info` requests otherwise. `info` may be
 * NULL. */
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
  /* The program that wrote the file, or "". */
  const char *producer;
  uint32_t functionCount;
  uint32_t kernelCount;
  /* The number of bytes in the constants that the file contains. */
  uint64_t constantSize;
  /* The number of constants that the file lacks; see dmlBindWeight. */
  uint32_t weightCount;
  /* Whether the program computes values once, before its functions run. */
  bool hasInitialization;
  /* The requirements of a device that can run every function: those of each
   * function's last variant. `requiredLimits` contains the limits that the
   * executable uses; members that an executable cannot require are 0. */
  uint32_t requiredApiVersion;
  DmlFeatureFlags requiredFeatures;
  DmlDeviceLimits requiredLimits;
} DmlExecutableInfo;

DML_API void dmlGetExecutableInfo(DmlExecutable executable,
                                  DmlExecutableInfo *info);

/* Returns DML_ERROR_UNSUPPORTED if a device with these properties cannot run
 * the executable, since it meets the requirements of no variant of some
 * function. The message names everything that is missing for the variant that
 * is nearest. */
DML_API DmlResult dmlCheckExecutable(DmlExecutable executable,
                                     const DmlDeviceInfo *device,
                                     DmlError *error);

typedef struct DmlFunctionInfo {
  void *next;
  const char *name;
  uint32_t inputCount;
  uint32_t outputCount;
  /* The number of variants of the function, at least one; see
   * DmlVariantInfo. */
  uint32_t variantCount;
  /* The number of bytes of the temporary buffer, sufficient for every variant.
   * May be 0. */
  uint64_t temporarySize;
  /* The feature level for which the compiler verified the operators, which may
   * need less. 0x1000 is 1_0, and 0x6400 is 6_4. */
  uint32_t featureLevel;
} DmlFunctionInfo;

/* A tensor. Its element at coordinates c is element sum(c[i] * strides[i]) of
 * its buffer. Tensors are packed and row-major unless the compiler was told
 * otherwise. */
typedef struct DmlTensorInfo {
  void *next;
  const char *name;
  DmlDataType dataType;
  uint32_t rank;
  const uint32_t *sizes;
  uint64_t elementCount;
  /* The number of bytes up to the end of the last element. Gaps between
   * elements count, and elements that share a place count once. */
  uint64_t byteSize;
  /* The number of bytes that a bound buffer must have: byteSize, or the total
   * size that the compiler was told, rounded up to 16. */
  uint64_t bufferSize;
  /* The distance, in elements, between neighbouring coordinates, for each
   * dimension. It is 0 for a dimension along which an input is broadcast. After
   * execution, elements of an output's buffer that lie between the elements of
   * the tensor are 0. */
  const uint64_t *strides;
} DmlTensorInfo;

/* A constant that the executable lacks: the caller binds its bytes. */
typedef struct DmlWeightInfo {
  void *next;
  /* The tensor. Its `next` is a chain of extensions of DmlTensorInfo. */
  DmlTensorInfo tensor;
  /* The offset of the constant's bytes in the file of weights that dml-compile
   * writes. */
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

/* One step of a variant. Where a loop repeats steps, each iteration has steps
 * of its own, with numbers of their own: a loop of 3 steps with 5 iterations is
 * 15 steps, of which the steps 0, 3, 6, 9 and 12 are alike but for the ranges
 * that they bind. */
typedef struct DmlStepInfo {
  void *next;
  DmlStepKind kind;
  /* The operators that the step computes, or "". */
  const char *label;
  /* The entry point of the kernel. It is "" for a copy, whose workgroup counts
   * and sizes are 0. */
  const char *kernel;
  /* The number of the kernel, less than DmlExecutableInfo's kernelCount;
   * UINT32_MAX for a copy. */
  uint32_t kernelIndex;
  uint32_t workgroupCount[3];
  uint32_t workgroupSize[3];
  /* The number of bytes in all ranges that the step binds. For a copy, twice
   * the number of copied bytes. */
  uint64_t boundSize;
  /* Whether the step waits for all steps before it. */
  bool barrier;
} DmlStepInfo;

/* One of the ways to compute a function. A function's variants are in order of
 * preference: a device runs the first variant whose requirements it meets. */
typedef struct DmlVariantInfo {
  void *next;
  uint32_t stepCount;
  /* The number of bytes of the temporary buffer. May be 0. */
  uint64_t temporarySize;
  /* The requirements of this variant, as in DmlExecutableInfo. */
  uint32_t requiredApiVersion;
  DmlFeatureFlags requiredFeatures;
  DmlDeviceLimits requiredLimits;
  /* The device profile that the steps were compiled for, such as "full", or "".
   * Any device that meets the requirements can run the steps. */
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
/* Finds the variant of a function that programs on a device with these
 * properties run. Returns DML_ERROR_UNSUPPORTED if there is none, as
 * dmlCheckExecutable does. */
DML_API DmlResult dmlChooseVariant(DmlExecutable executable, uint32_t function,
                                   const DmlDeviceInfo *device,
                                   uint32_t *variant, DmlError *error);
DML_API DmlResult dmlGetStepInfo(DmlExecutable executable, uint32_t function,
                                 uint32_t variant, uint32_t step,
                                 DmlStepInfo *info, DmlError *error);

/*===----------------------------------------------------------------------===*\
 * Programs
\*===----------------------------------------------------------------------===*/

/* Creates a program: chooses a variant of each function for the device, and
 * compiles the kernels of these variants. The call makes threads to compile
 * many kernels, no more than there are processors, which have ended when the
 * call returns. The call uploads the constants if the executable has no
 * weights. Otherwise they are uploaded when the first weight is copied or the
 * program is initialized. */
DML_API DmlResult dmlCreateProgram(DmlDevice device, DmlExecutable executable,
                                   DmlProgram *program, DmlError *error);
DML_API void dmlDestroyProgram(DmlProgram program);

/* Copies the bytes of a weight to the device, or replaces them. The bytes have
 * the byteSize and the strides of the tensor. The functions of a program fail
 * with DML_ERROR_INVALID_ARGUMENT until each weight has been bound and
 * dmlInitializeProgram has been called, which must be called again after
 * weights have been replaced. A copy that fails, since the device is lost, for
 * example, leaves the weight unbound. The call must not overlap with other uses
 * of the program or with its submitted work. */
DML_API DmlResult dmlBindWeight(DmlProgram program, uint32_t weight,
                                const void *data, size_t size, DmlError *error);
/* Binds a weight like dmlBindWeight, to bytes of a file from `offset` on. At
 * most 1 MiB of them is in host memory at a time. If the file is truncated
 * meanwhile, the weight remains unbound. */
DML_API DmlResult dmlBindWeightFromFile(DmlProgram program, uint32_t weight,
                                        const char *path, uint64_t offset,
                                        DmlError *error);
/* Binds a weight like dmlBindWeight, in several calls. The first piece has the
 * offset 0, and each further piece begins at the end of the piece before. The
 * weight is bound when all bytes of the tensor have been written. */
DML_API DmlResult dmlWriteWeight(DmlProgram program, uint32_t weight,
                                 uint64_t offset, const void *data, size_t size,
                                 DmlError *error);

/* A range of a buffer: `size` bytes from `offset` on. The buffer needs the
 * usages VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, TRANSFER_SRC and TRANSFER_DST. The
 * offset must be a multiple of 16 and of minStorageBufferOffsetAlignment. The
 * range must lie within the buffer: calls check the range of a buffer that
 * dmlCreateBuffer has made on the same device, and cannot check that of another
 * buffer, whose size only the caller knows. The structure never grows. */
typedef struct DmlBufferRange {
  VkBuffer buffer;
  uint64_t offset;
  uint64_t size;
} DmlBufferRange;

/* Binds a weight like dmlBindWeight, to a copy of bytes that are already on the
 * device. The range has at least the tensor's byteSize, and may begin at any
 * offset. */
DML_API DmlResult dmlBindWeightFromBuffer(DmlProgram program, uint32_t weight,
                                          const DmlBufferRange *range,
                                          DmlError *error);
/* Binds a weight to the caller's buffer, from which the program reads it
 * without a copy. The range has at least the tensor's bufferSize, must outlive
 * its use by the program, and is never written. Several programs may share it.
 * The program does not allocate memory for weights that are bound in this way
 * before the first weight is copied, so bind these weights first. Returns
 * DML_ERROR_UNSUPPORTED if the program reads the weight and other constants as
 * one range. The message names the ranges, and a copy is possible then. */
DML_API DmlResult dmlBindWeightInPlace(DmlProgram program, uint32_t weight,
                                       const DmlBufferRange *range,
                                       DmlError *error);

/* Runs the initialization of a program on the device, which computes the values
 * that depend only on constants and weights, and waits for it. If the
 * executable has no weights, dmlCreateProgram runs the initialization. */
DML_API DmlResult dmlInitializeProgram(DmlProgram program, DmlError *error);

/* Host memory of `size` bytes, which contains a tensor with its strides. The
 * size must be the tensor's byteSize. The structure never grows. */
typedef struct DmlHostTensor {
  void *data;
  size_t size;
} DmlHostTensor;

/* Runs a function on host memory and waits for it. This is the simplest way to
 * run a function, but creates buffers and descriptors for each call. Use a
 * binding table to run a function often. */
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

/* Creates a buffer with memory, for storage and transfers. The buffer contains
 * zeros, except for memory that is not mapped if the device was adopted without
 * a queue. */
DML_API DmlResult dmlCreateBuffer(DmlDevice device, uint64_t size,
                                  DmlMemory memory, DmlBuffer *buffer,
                                  DmlError *error);
/* Destroys a buffer, or, while submissions by dmlSubmit use it, as soon as a
 * later call has noticed their end: a call that waits for them, submits, or
 * destroys the binding table. dmlGetLateWorkCount counts such a buffer. Command
 * buffers that the caller recorded must have finished, and a binding table to
 * which the buffer is bound must not be submitted or recorded any more before
 * another buffer is bound. */
DML_API void dmlDestroyBuffer(DmlBuffer buffer);
DML_API void dmlGetBufferInfo(DmlBuffer buffer, DmlBufferInfo *info);

/* Copy bytes from host memory to a buffer, or from a buffer to host memory, and
 * wait for the copy. If necessary, the copy uses a staging buffer. No submitted
 * work may be using the buffer. */
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
  /* Whether to write a timestamp before and after each step, for
   * dmlGetStepTimes. Each of them waits for all work before it, so that no
   * steps overlap, and a run takes longer: 1 to 2 us for each step on an H200.
   */
  bool timestamps;
  /* Whether to write a timestamp before the first step and after the last one,
   * for dmlGetRunTime. A run takes as long as without them. Without effect if
   * `timestamps` is set, and in dmlRecordSteps. */
  bool runTimestamps;
} DmlBindingTableCreateInfo;

DML_API DmlResult dmlCreateBindingTable(DmlProgram program,
                                        const DmlBindingTableCreateInfo *info,
                                        DmlBindingTable *table,
                                        DmlError *error);
/* Destroys a binding table, after waiting for its submissions by dmlSubmit.
 * Command buffers that the caller recorded must have finished. */
DML_API void dmlDestroyBindingTable(DmlBindingTable table);

/* Bind a buffer range of at least the tensor's bufferSize. A buffer of the
 * caller must outlive its use; one of dmlCreateBuffer may be destroyed while
 * submitted work uses it (dmlDestroyBuffer). Binding anew invalidates command
 * buffers recorded from the table; none of them may be pending. A range that is
 * written (output, temporary) may not overlap with another bound range, but
 * that an output and the input in whose place it is (dmlGetInPlaceInput) are
 * bound to one range: dmlSubmit and the calls that record check the overlaps.
 * Each call waits for what dmlSubmit submitted of the table, unless the same
 * range of the same buffer of dmlCreateBuffer is bound already.
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

/* Records the function into a command buffer that is being recorded, outside of
 * a render pass, for a queue with compute. A successful call allocates no
 * memory, neither on the host nor on the device, submits nothing, and does not
 * wait. The temporary buffer must therefore be bound before by
 * dmlBindTemporary, if the function needs one; otherwise the call returns
 * DML_ERROR_INVALID_ARGUMENT.
 *
 * The call records the barriers between the steps. The caller records the
 * barriers around the function. Before the function, inputs must be visible to
 * VK_ACCESS_SHADER_READ_BIT and VK_ACCESS_TRANSFER_READ_BIT in the stages
 * COMPUTE_SHADER and TRANSFER, and earlier uses of outputs and of the temporary
 * buffer must have finished. After the function, SHADER_WRITE and
 * TRANSFER_WRITE of the same stages must be made available. The call changes
 * the bound pipeline and descriptor set 0. A barrier must separate two
 * recordings of one table. */
DML_API DmlResult dmlRecordFunction(DmlBindingTable table,
                                    VkCommandBuffer commandBuffer,
                                    DmlError *error);

/* Records `stepCount` steps from step `firstStep` on, like dmlRecordFunction.
 * The steps are those of the variant that the device runs. Ranges of steps that
 * follow each other and are executed in order compute the same bits as the
 * whole function. They may be in different command buffers and submissions: a
 * caller with little time in each frame can record a few steps in each. Between
 * two ranges, the outputs and the temporary buffer must remain unchanged. The
 * barrier before a step is recorded with the step, and orders it after earlier
 * ranges on the same queue. */
DML_API DmlResult dmlRecordSteps(DmlBindingTable table,
                                 VkCommandBuffer commandBuffer,
                                 uint32_t firstStep, uint32_t stepCount,
                                 DmlError *error);

/* A semaphore to wait for or to signal, with the value of a timeline semaphore,
 * which is ignored for a binary semaphore. The structure never grows. */
typedef struct DmlSemaphoreValue {
  VkSemaphore semaphore;
  uint64_t value;
} DmlSemaphoreValue;

/* Semaphores for dmlSubmit. Devices that dmlCreateDevice creates have the
 * feature timelineSemaphore enabled. The creator of an adopted device may
 * enable it. */
typedef struct DmlSubmitInfo {
  const void *next;
  /* The semaphores that must be reached before the function begins. */
  const DmlSemaphoreValue *waitSemaphores;
  uint32_t waitSemaphoreCount;
  /* The semaphores that are signaled when the function has finished. */
  const DmlSemaphoreValue *signalSemaphores;
  uint32_t signalSemaphoreCount;
} DmlSubmitInfo;

/* Submits the function to the device's queue, in order after all earlier
 * submissions to the queue. The results are visible to the host and to later
 * submissions. `info` may be NULL. Each submission of a table begins when the
 * one before has finished. The call does not wait for earlier submissions of
 * the table, unless DML_MAX_SUBMISSIONS of them have not finished: then it
 * waits for the first of them. The commands are recorded once and reused until
 * something is bound anew. Where all bound buffers were made by
 * dmlCreateBuffer, the table keeps the commands for the last few sets of
 * ranges, and reuses them when such a set is bound again: a caller may bind two
 * sets in turn. */
DML_API DmlResult dmlSubmit(DmlBindingTable table, const DmlSubmitInfo *info,
                            DmlError *error);
enum { DML_MAX_SUBMISSIONS = 64 };

/* Waits for the table's last submission, and thus for all submissions before
 * it. With UINT64_MAX, the call waits without a limit. See dmlSetSpinTime. */
DML_API DmlResult dmlWait(DmlBindingTable table, uint64_t timeoutNanoseconds,
                          DmlError *error);

/* The times at which a step began and ended in the latest execution, in
 * nanoseconds since the beginning of the first step of the call. Every
 * timestamp waits for all work before it, so that durations can be added. The
 * structure never grows. */
typedef struct DmlStepTime {
  uint64_t begin;
  uint64_t end;
} DmlStepTime;

/* Fills `times` for `stepCount` steps from step `firstStep` on. The steps are
 * those of the variant that the device runs. Each of them must have been
 * recorded or submitted, and its execution must have finished. */
DML_API DmlResult dmlGetStepTimes(DmlBindingTable table, uint32_t firstStep,
                                  uint32_t stepCount, DmlStepTime *times,
                                  DmlError *error);

/* Returns the time from the beginning of the first step to the end of the last
 * one in the latest execution, in nanoseconds. The table was created with
 * `runTimestamps` or `timestamps`, and the whole function must have been
 * recorded or submitted, and its execution must have finished. The time of a
 * function without steps is 0. The first timestamp waits for all work before
 * it: in a command buffer of the caller's, a barrier should precede
 * dmlRecordFunction, or else the first step may begin before the timestamp. */
DML_API DmlResult dmlGetRunTime(DmlBindingTable table, uint64_t *nanoseconds,
                                DmlError *error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DML_RUNTIME_H */
