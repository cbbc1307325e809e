/*===- OnnxRuntimeAbi.h - ONNX Runtime's C interface ----------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Declarations of the part of ONNX Runtime's C interface that the provider and
 * its tests use, as of API version 29. The interface is frozen: a later version
 * of ONNX Runtime appends members to a table, and moves none. A member
 * `unusedN` stands for so many members, of one pointer each, that nothing here
 * uses. With -DONNXRUNTIME_INCLUDE_DIR=FOLDER, CMake takes ONNX Runtime's own
 * headers from FOLDER instead. OnnxRuntimeMembers.def lists all members, and a
 * test compares their places with a frozen table.
 *
 * This header is C, and C++.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_LIB_PROVIDER_ONNXRUNTIMEABI_H
#define DML_LIB_PROVIDER_ONNXRUNTIMEABI_H

#ifdef DML_ONNXRUNTIME_HEADERS
#include <onnxruntime_c_api.h>
#if ORT_API_VERSION < 26
#error "ONNXRUNTIME_INCLUDE_DIR has headers of ONNX Runtime before 1.26"
#endif
#else

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The newest version of the interface that is declared here. */
#define ORT_API_VERSION 29

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OrtErrorCode {
  ORT_OK = 0,
  ORT_FAIL = 1,
  ORT_INVALID_ARGUMENT = 2,
  ORT_NO_SUCHFILE = 3,
  ORT_NO_MODEL = 4,
  ORT_ENGINE_ERROR = 5,
  ORT_RUNTIME_EXCEPTION = 6,
  ORT_INVALID_PROTOBUF = 7,
  ORT_MODEL_LOADED = 8,
  ORT_NOT_IMPLEMENTED = 9,
  ORT_INVALID_GRAPH = 10,
  ORT_EP_FAIL = 11,
  ORT_MODEL_LOAD_CANCELED = 12,
  ORT_MODEL_REQUIRES_COMPILATION = 13,
  ORT_NOT_FOUND = 14,
  ORT_DEVICE_RESET = 15
} OrtErrorCode;

typedef enum ONNXTensorElementDataType {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 = 14,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 = 15,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 = 16,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN = 17,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ = 18,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2 = 19,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ = 20,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4 = 21,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 = 22,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1 = 23,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 = 24,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2 = 25,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0 = 26
} ONNXTensorElementDataType;

typedef enum ONNXType {
  ONNX_TYPE_UNKNOWN = 0,
  ONNX_TYPE_TENSOR = 1,
  ONNX_TYPE_SEQUENCE = 2,
  ONNX_TYPE_MAP = 3,
  ONNX_TYPE_OPAQUE = 4,
  ONNX_TYPE_SPARSETENSOR = 5,
  ONNX_TYPE_OPTIONAL = 6
} ONNXType;

typedef enum OrtLoggingLevel {
  ORT_LOGGING_LEVEL_VERBOSE = 0,
  ORT_LOGGING_LEVEL_INFO = 1,
  ORT_LOGGING_LEVEL_WARNING = 2,
  ORT_LOGGING_LEVEL_ERROR = 3,
  ORT_LOGGING_LEVEL_FATAL = 4
} OrtLoggingLevel;

typedef enum OrtOpAttrType {
  ORT_OP_ATTR_UNDEFINED = 0,
  ORT_OP_ATTR_INT = 1,
  ORT_OP_ATTR_INTS = 2,
  ORT_OP_ATTR_FLOAT = 3,
  ORT_OP_ATTR_FLOATS = 4,
  ORT_OP_ATTR_STRING = 5,
  ORT_OP_ATTR_STRINGS = 6,
  ORT_OP_ATTR_GRAPH = 7,
  ORT_OP_ATTR_TENSOR = 8
} OrtOpAttrType;

typedef enum OrtAllocatorType {
  OrtInvalidAllocator = -1,
  OrtDeviceAllocator = 0,
  OrtArenaAllocator = 1,
  OrtReadOnlyAllocator = 2
} OrtAllocatorType;

typedef enum OrtMemType {
  OrtMemTypeCPUInput = -2,
  OrtMemTypeCPUOutput = -1,
  OrtMemTypeCPU = -1,
  OrtMemTypeDefault = 0
} OrtMemType;

typedef enum OrtDeviceMemoryType {
  OrtDeviceMemoryType_DEFAULT = 0,
  OrtDeviceMemoryType_HOST_ACCESSIBLE = 5
} OrtDeviceMemoryType;

typedef enum OrtMemoryInfoDeviceType {
  OrtMemoryInfoDeviceType_CPU = 0,
  OrtMemoryInfoDeviceType_GPU = 1,
  OrtMemoryInfoDeviceType_FPGA = 2,
  OrtMemoryInfoDeviceType_NPU = 3
} OrtMemoryInfoDeviceType;

typedef enum OrtHardwareDeviceType {
  OrtHardwareDeviceType_CPU = 0,
  OrtHardwareDeviceType_GPU = 1,
  OrtHardwareDeviceType_NPU = 2
} OrtHardwareDeviceType;

typedef enum OrtExternalMemoryHandleType {
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_WIN32 = 2,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD = 3
} OrtExternalMemoryHandleType;

typedef enum OrtExternalSemaphoreType {
  ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD = 2
} OrtExternalSemaphoreType;

typedef enum OrtCompiledModelCompatibility {
  OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,
  OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL = 1,
  OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION = 2,
  OrtCompiledModelCompatibility_EP_UNSUPPORTED = 3
} OrtCompiledModelCompatibility;

typedef enum OrtEpDataLayout {
  OrtEpDataLayout_NCHW = 0,
  OrtEpDataLayout_NHWC = 1,
  OrtEpDataLayout_Default = 0
} OrtEpDataLayout;

typedef enum GraphOptimizationLevel {
  ORT_DISABLE_ALL = 0,
  ORT_ENABLE_BASIC = 1,
  ORT_ENABLE_EXTENDED = 2,
  ORT_ENABLE_ALL = 99
} GraphOptimizationLevel;

typedef struct OrtAllocator OrtAllocator;
typedef struct OrtApi OrtApi;
typedef struct OrtApiBase OrtApiBase;
typedef struct OrtDataTransferImpl OrtDataTransferImpl;
typedef struct OrtDataType OrtDataType;
typedef struct OrtEnv OrtEnv;
typedef struct OrtEp OrtEp;
typedef struct OrtEpApi OrtEpApi;
typedef struct OrtEpAssignedNode OrtEpAssignedNode;
typedef struct OrtEpAssignedSubgraph OrtEpAssignedSubgraph;
typedef struct OrtEpDevice OrtEpDevice;
typedef struct OrtEpFactory OrtEpFactory;
typedef struct OrtEpGraphSupportInfo OrtEpGraphSupportInfo;
typedef struct OrtExternalInitializerInfo OrtExternalInitializerInfo;
typedef struct OrtExternalMemoryDescriptor OrtExternalMemoryDescriptor;
typedef struct OrtExternalMemoryHandle OrtExternalMemoryHandle;
typedef struct OrtExternalResourceImporter OrtExternalResourceImporter;
typedef struct OrtExternalResourceImporterImpl OrtExternalResourceImporterImpl;
typedef struct OrtExternalSemaphoreDescriptor OrtExternalSemaphoreDescriptor;
typedef struct OrtExternalSemaphoreHandle OrtExternalSemaphoreHandle;
typedef struct OrtExternalTensorDescriptor OrtExternalTensorDescriptor;
typedef struct OrtGraph OrtGraph;
typedef struct OrtHardwareDevice OrtHardwareDevice;
typedef struct OrtInteropApi OrtInteropApi;
typedef struct OrtIoBinding OrtIoBinding;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtKernelDef OrtKernelDef;
typedef struct OrtKernelDefBuilder OrtKernelDefBuilder;
typedef struct OrtKernelImpl OrtKernelImpl;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelRegistry OrtKernelRegistry;
typedef struct OrtKeyValuePairs OrtKeyValuePairs;
typedef struct OrtLogger OrtLogger;
typedef struct OrtMemoryDevice OrtMemoryDevice;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtModelEditorApi OrtModelEditorApi;
typedef struct OrtNode OrtNode;
typedef struct OrtNodeComputeContext OrtNodeComputeContext;
typedef struct OrtNodeComputeInfo OrtNodeComputeInfo;
typedef struct OrtNodeFusionOptions OrtNodeFusionOptions;
typedef struct OrtOpAttr OrtOpAttr;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtStatus OrtStatus;
typedef struct OrtSyncNotificationImpl OrtSyncNotificationImpl;
typedef struct OrtSyncStream OrtSyncStream;
typedef struct OrtSyncStreamImpl OrtSyncStreamImpl;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtValue OrtValue;
typedef struct OrtValueInfo OrtValueInfo;

typedef OrtStatus *(*OrtKernelCreateFunc)(void *, const OrtKernelInfo *,
                                          OrtKernelImpl **);

struct OrtKernelImpl {
  uint32_t ort_version_supported;
  uint32_t flags;
  OrtStatus *(*Compute)(OrtKernelImpl *, OrtKernelContext *);
  void (*Release)(OrtKernelImpl *);
  void *unused0[2];
};

struct OrtAllocator {
  uint32_t version;
  void *(*Alloc)(OrtAllocator *, size_t);
  void (*Free)(OrtAllocator *, void *);
  const OrtMemoryInfo *(*Info)(const OrtAllocator *);
  void *(*Reserve)(OrtAllocator *, size_t);
  OrtStatus *(*GetStats)(const OrtAllocator *, OrtKeyValuePairs **);
  void *unused0[2];
};

struct OrtNodeComputeInfo {
  uint32_t ort_version_supported;
  OrtStatus *(*CreateState)(OrtNodeComputeInfo *, OrtNodeComputeContext *,
                            void **);
  OrtStatus *(*Compute)(OrtNodeComputeInfo *, void *, OrtKernelContext *);
  void (*ReleaseState)(OrtNodeComputeInfo *, void *);
};

struct OrtNodeFusionOptions {
  uint32_t ort_version_supported;
  bool drop_constant_initializers;
};

struct OrtDataTransferImpl {
  uint32_t ort_version_supported;
  void (*Release)(OrtDataTransferImpl *);
  bool (*CanCopy)(const OrtDataTransferImpl *, const OrtMemoryDevice *,
                  const OrtMemoryDevice *);
  OrtStatus *(*CopyTensors)(OrtDataTransferImpl *, const OrtValue **,
                            OrtValue **, OrtSyncStream **, size_t);
};

struct OrtExternalMemoryDescriptor {
  uint32_t version;
  OrtExternalMemoryHandleType handle_type;
  void *native_handle;
  size_t size_bytes;
  size_t offset_bytes;
};

struct OrtExternalSemaphoreDescriptor {
  uint32_t version;
  OrtExternalSemaphoreType type;
  void *native_handle;
};

struct OrtExternalTensorDescriptor {
  uint32_t version;
  ONNXTensorElementDataType element_type;
  const int64_t *shape;
  size_t rank;
  size_t offset_bytes;
};

struct OrtExternalMemoryHandle {
  uint32_t version;
  const OrtEpDevice *ep_device;
  OrtExternalMemoryDescriptor descriptor;
  void (*Release)(OrtExternalMemoryHandle *);
};

struct OrtExternalSemaphoreHandle {
  uint32_t version;
  const OrtEpDevice *ep_device;
  OrtExternalSemaphoreDescriptor descriptor;
  void (*Release)(OrtExternalSemaphoreHandle *);
};

struct OrtSyncNotificationImpl {
  uint32_t ort_version_supported;
  void (*Release)(OrtSyncNotificationImpl *);
  OrtStatus *(*Activate)(OrtSyncNotificationImpl *);
  OrtStatus *(*WaitOnDevice)(OrtSyncNotificationImpl *, OrtSyncStream *);
  OrtStatus *(*WaitOnHost)(OrtSyncNotificationImpl *);
};

struct OrtSyncStreamImpl {
  uint32_t ort_version_supported;
  void (*Release)(OrtSyncStreamImpl *);
  void *(*GetHandle)(OrtSyncStreamImpl *);
  OrtStatus *(*CreateNotification)(OrtSyncStreamImpl *,
                                   OrtSyncNotificationImpl **);
  OrtStatus *(*Flush)(OrtSyncStreamImpl *);
  OrtStatus *(*OnSessionRunEnd)(OrtSyncStreamImpl *);
};

struct OrtExternalResourceImporterImpl {
  uint32_t ort_version_supported;
  bool (*CanImportMemory)(const OrtExternalResourceImporterImpl *,
                          OrtExternalMemoryHandleType);
  OrtStatus *(*ImportMemory)(OrtExternalResourceImporterImpl *,
                             const OrtExternalMemoryDescriptor *,
                             OrtExternalMemoryHandle **);
  void (*ReleaseMemory)(OrtExternalResourceImporterImpl *,
                        OrtExternalMemoryHandle *);
  OrtStatus *(*CreateTensorFromMemory)(OrtExternalResourceImporterImpl *,
                                       const OrtExternalMemoryHandle *,
                                       const OrtExternalTensorDescriptor *,
                                       OrtValue **);
  bool (*CanImportSemaphore)(const OrtExternalResourceImporterImpl *,
                             OrtExternalSemaphoreType);
  OrtStatus *(*ImportSemaphore)(OrtExternalResourceImporterImpl *,
                                const OrtExternalSemaphoreDescriptor *,
                                OrtExternalSemaphoreHandle **);
  void (*ReleaseSemaphore)(OrtExternalResourceImporterImpl *,
                           OrtExternalSemaphoreHandle *);
  OrtStatus *(*WaitSemaphore)(OrtExternalResourceImporterImpl *,
                              OrtExternalSemaphoreHandle *, OrtSyncStream *,
                              uint64_t);
  OrtStatus *(*SignalSemaphore)(OrtExternalResourceImporterImpl *,
                                OrtExternalSemaphoreHandle *, OrtSyncStream *,
                                uint64_t);
  void (*Release)(OrtExternalResourceImporterImpl *);
};

struct OrtEp {
  uint32_t ort_version_supported;
  const char *(*GetName)(const OrtEp *);
  OrtStatus *(*GetCapability)(OrtEp *, const OrtGraph *,
                              OrtEpGraphSupportInfo *);
  OrtStatus *(*Compile)(OrtEp *, const OrtGraph **, const OrtNode **, size_t,
                        OrtNodeComputeInfo **, OrtNode **);
  void (*ReleaseNodeComputeInfos)(OrtEp *, OrtNodeComputeInfo **, size_t);
  OrtStatus *(*GetPreferredDataLayout)(OrtEp *, OrtEpDataLayout *);
  void *unused0[4];
  OrtStatus *(*CreateAllocator)(OrtEp *, const OrtMemoryInfo *,
                                OrtAllocator **);
  void *unused1;
  const char *(*GetCompiledModelCompatibilityInfo)(OrtEp *, const OrtGraph *);
  OrtStatus *(*GetKernelRegistry)(OrtEp *, const OrtKernelRegistry **);
  OrtStatus *(*IsConcurrentRunSupported)(OrtEp *, bool *);
  void *unused2[11];
};

struct OrtEpFactory {
  uint32_t ort_version_supported;
  const char *(*GetName)(const OrtEpFactory *);
  const char *(*GetVendor)(const OrtEpFactory *);
  OrtStatus *(*GetSupportedDevices)(OrtEpFactory *,
                                    const OrtHardwareDevice *const *, size_t,
                                    OrtEpDevice **, size_t, size_t *);
  OrtStatus *(*CreateEp)(OrtEpFactory *, const OrtHardwareDevice *const *,
                         const OrtKeyValuePairs *const *, size_t,
                         const OrtSessionOptions *, const OrtLogger *,
                         OrtEp **);
  void (*ReleaseEp)(OrtEpFactory *, OrtEp *);
  uint32_t (*GetVendorId)(const OrtEpFactory *);
  const char *(*GetVersion)(const OrtEpFactory *);
  OrtStatus *(*ValidateCompiledModelCompatibilityInfo)(
      OrtEpFactory *, const OrtHardwareDevice *const *, size_t, const char *,
      OrtCompiledModelCompatibility *);
  OrtStatus *(*CreateAllocator)(OrtEpFactory *, const OrtMemoryInfo *,
                                const OrtKeyValuePairs *, OrtAllocator **);
  void (*ReleaseAllocator)(OrtEpFactory *, OrtAllocator *);
  OrtStatus *(*CreateDataTransfer)(OrtEpFactory *, OrtDataTransferImpl **);
  bool (*IsStreamAware)(const OrtEpFactory *);
  OrtStatus *(*CreateSyncStreamForDevice)(OrtEpFactory *,
                                          const OrtMemoryDevice *,
                                          const OrtKeyValuePairs *,
                                          OrtSyncStreamImpl **);
  void *unused0;
  OrtStatus *(*CreateExternalResourceImporterForDevice)(
      OrtEpFactory *, const OrtEpDevice *, OrtExternalResourceImporterImpl **);
  void *unused1[5];
};

struct OrtModelEditorApi {
  void *unused0[6];
  OrtStatus *(*CreateNode)(const char *, const char *, const char *,
                           const char *const *, size_t, const char *const *,
                           size_t, OrtOpAttr **, size_t, OrtNode **);
  void *unused1[13];
};

struct OrtEpApi {
  OrtStatus *(*CreateEpDevice)(OrtEpFactory *, const OrtHardwareDevice *,
                               const OrtKeyValuePairs *,
                               const OrtKeyValuePairs *, OrtEpDevice **);
  void (*ReleaseEpDevice)(OrtEpDevice *);
  OrtStatus *(*EpGraphSupportInfo_AddNodesToFuse)(OrtEpGraphSupportInfo *,
                                                  const OrtNode *const *,
                                                  size_t,
                                                  const OrtNodeFusionOptions *);
  void *unused0[2];
  OrtStatus *(*EpDevice_AddAllocatorInfo)(OrtEpDevice *, const OrtMemoryInfo *);
  const OrtMemoryDevice *(*MemoryInfo_GetMemoryDevice)(const OrtMemoryInfo *);
  const OrtMemoryDevice *(*Value_GetMemoryDevice)(const OrtValue *);
  bool (*MemoryDevice_AreEqual)(const OrtMemoryDevice *,
                                const OrtMemoryDevice *);
  OrtMemoryInfoDeviceType (*MemoryDevice_GetDeviceType)(
      const OrtMemoryDevice *);
  void *unused1;
  uint32_t (*MemoryDevice_GetVendorId)(const OrtMemoryDevice *);
  uint32_t (*MemoryDevice_GetDeviceId)(const OrtMemoryDevice *);
  void *unused2[5];
  OrtStatus *(*CreateKernelRegistry)(OrtKernelRegistry **);
  void (*ReleaseKernelRegistry)(OrtKernelRegistry *);
  OrtStatus *(*KernelRegistry_AddKernel)(OrtKernelRegistry *,
                                         const OrtKernelDef *,
                                         OrtKernelCreateFunc, void *);
  OrtStatus *(*CreateKernelDefBuilder)(OrtKernelDefBuilder **);
  void (*ReleaseKernelDefBuilder)(OrtKernelDefBuilder *);
  OrtStatus *(*KernelDefBuilder_SetOperatorType)(OrtKernelDefBuilder *,
                                                 const char *);
  OrtStatus *(*KernelDefBuilder_SetDomain)(OrtKernelDefBuilder *, const char *);
  OrtStatus *(*KernelDefBuilder_SetSinceVersion)(OrtKernelDefBuilder *, int,
                                                 int);
  OrtStatus *(*KernelDefBuilder_SetExecutionProvider)(OrtKernelDefBuilder *,
                                                      const char *);
  OrtStatus *(*KernelDefBuilder_SetInputMemType)(OrtKernelDefBuilder *, size_t,
                                                 OrtMemType);
  OrtStatus *(*KernelDefBuilder_SetOutputMemType)(OrtKernelDefBuilder *, size_t,
                                                  OrtMemType);
  OrtStatus *(*KernelDefBuilder_AddTypeConstraint)(OrtKernelDefBuilder *,
                                                   const char *,
                                                   const OrtDataType *const *,
                                                   size_t);
  void *unused3[2];
  OrtStatus *(*KernelDefBuilder_Build)(OrtKernelDefBuilder *, OrtKernelDef **);
  void (*ReleaseKernelDef)(OrtKernelDef *);
  void *unused4[6];
  OrtStatus *(*GetTensorDataType)(ONNXTensorElementDataType,
                                  const OrtDataType **);
  void *unused5[33];
};

struct OrtInteropApi {
  OrtStatus *(*CreateExternalResourceImporterForDevice)(
      const OrtEpDevice *, OrtExternalResourceImporter **);
  void (*ReleaseExternalResourceImporter)(OrtExternalResourceImporter *);
  OrtStatus *(*CanImportMemory)(const OrtExternalResourceImporter *,
                                OrtExternalMemoryHandleType, bool *);
  OrtStatus *(*ImportMemory)(OrtExternalResourceImporter *,
                             const OrtExternalMemoryDescriptor *,
                             OrtExternalMemoryHandle **);
  void (*ReleaseExternalMemoryHandle)(OrtExternalMemoryHandle *);
  OrtStatus *(*CreateTensorFromMemory)(OrtExternalResourceImporter *,
                                       const OrtExternalMemoryHandle *,
                                       const OrtExternalTensorDescriptor *,
                                       OrtValue **);
  OrtStatus *(*CanImportSemaphore)(const OrtExternalResourceImporter *,
                                   OrtExternalSemaphoreType, bool *);
  OrtStatus *(*ImportSemaphore)(OrtExternalResourceImporter *,
                                const OrtExternalSemaphoreDescriptor *,
                                OrtExternalSemaphoreHandle **);
  void (*ReleaseExternalSemaphoreHandle)(OrtExternalSemaphoreHandle *);
  OrtStatus *(*WaitSemaphore)(OrtExternalResourceImporter *,
                              OrtExternalSemaphoreHandle *, OrtSyncStream *,
                              uint64_t);
  OrtStatus *(*SignalSemaphore)(OrtExternalResourceImporter *,
                                OrtExternalSemaphoreHandle *, OrtSyncStream *,
                                uint64_t);
  void *unused0[2];
};

struct OrtApi {
  OrtStatus *(*CreateStatus)(OrtErrorCode, const char *);
  OrtErrorCode (*GetErrorCode)(const OrtStatus *);
  const char *(*GetErrorMessage)(const OrtStatus *);
  OrtStatus *(*CreateEnv)(OrtLoggingLevel, const char *, OrtEnv **);
  void *unused0[3];
  OrtStatus *(*CreateSession)(const OrtEnv *, const char *,
                              const OrtSessionOptions *, OrtSession **);
  OrtStatus *(*CreateSessionFromArray)(const OrtEnv *, const void *, size_t,
                                       const OrtSessionOptions *,
                                       OrtSession **);
  OrtStatus *(*Run)(OrtSession *, const OrtRunOptions *, const char *const *,
                    const OrtValue *const *, size_t, const char *const *,
                    size_t, OrtValue **);
  OrtStatus *(*CreateSessionOptions)(OrtSessionOptions **);
  void *unused1[11];
  OrtStatus *(*SetSessionLogSeverityLevel)(OrtSessionOptions *, int);
  OrtStatus *(*SetSessionGraphOptimizationLevel)(OrtSessionOptions *,
                                                 GraphOptimizationLevel);
  OrtStatus *(*SetIntraOpNumThreads)(OrtSessionOptions *, int);
  OrtStatus *(*SetInterOpNumThreads)(OrtSessionOptions *, int);
  void *unused2[4];
  OrtStatus *(*SessionGetInputCount)(const OrtSession *, size_t *);
  OrtStatus *(*SessionGetOutputCount)(const OrtSession *, size_t *);
  void *unused3;
  OrtStatus *(*SessionGetInputTypeInfo)(const OrtSession *, size_t,
                                        OrtTypeInfo **);
  void *unused4[2];
  OrtStatus *(*SessionGetInputName)(const OrtSession *, size_t, OrtAllocator *,
                                    char **);
  OrtStatus *(*SessionGetOutputName)(const OrtSession *, size_t, OrtAllocator *,
                                     char **);
  void *unused5[10];
  OrtStatus *(*CreateTensorAsOrtValue)(OrtAllocator *, const int64_t *, size_t,
                                       ONNXTensorElementDataType, OrtValue **);
  OrtStatus *(*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo *, void *,
                                               size_t, const int64_t *, size_t,
                                               ONNXTensorElementDataType,
                                               OrtValue **);
  void *unused6;
  OrtStatus *(*GetTensorMutableData)(OrtValue *, void **);
  void *unused7[3];
  OrtStatus *(*CastTypeInfoToTensorInfo)(const OrtTypeInfo *,
                                         const OrtTensorTypeAndShapeInfo **);
  OrtStatus *(*GetOnnxTypeFromTypeInfo)(const OrtTypeInfo *, ONNXType *);
  void *unused8[3];
  OrtStatus *(*GetTensorElementType)(const OrtTensorTypeAndShapeInfo *,
                                     ONNXTensorElementDataType *);
  OrtStatus *(*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo *, size_t *);
  OrtStatus *(*GetDimensions)(const OrtTensorTypeAndShapeInfo *, int64_t *,
                              size_t);
  OrtStatus *(*GetSymbolicDimensions)(const OrtTensorTypeAndShapeInfo *,
                                      const char **, size_t);
  OrtStatus *(*GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo *,
                                           size_t *);
  OrtStatus *(*GetTensorTypeAndShape)(const OrtValue *,
                                      OrtTensorTypeAndShapeInfo **);
  void *unused9[3];
  OrtStatus *(*CreateCpuMemoryInfo)(OrtAllocatorType, OrtMemType,
                                    OrtMemoryInfo **);
  void *unused10[6];
  OrtStatus *(*AllocatorFree)(OrtAllocator *, void *);
  void *unused11;
  OrtStatus *(*GetAllocatorWithDefaultOptions)(OrtAllocator **);
  void *unused12[9];
  OrtStatus *(*KernelContext_GetInputCount)(const OrtKernelContext *, size_t *);
  OrtStatus *(*KernelContext_GetOutputCount)(const OrtKernelContext *,
                                             size_t *);
  OrtStatus *(*KernelContext_GetInput)(const OrtKernelContext *, size_t,
                                       const OrtValue **);
  OrtStatus *(*KernelContext_GetOutput)(OrtKernelContext *, size_t,
                                        const int64_t *, size_t, OrtValue **);
  void (*ReleaseEnv)(OrtEnv *);
  void (*ReleaseStatus)(OrtStatus *);
  void (*ReleaseMemoryInfo)(OrtMemoryInfo *);
  void (*ReleaseSession)(OrtSession *);
  void (*ReleaseValue)(OrtValue *);
  void *unused13;
  void (*ReleaseTypeInfo)(OrtTypeInfo *);
  void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo *);
  void (*ReleaseSessionOptions)(OrtSessionOptions *);
  void *unused14[23];
  OrtStatus *(*AddFreeDimensionOverrideByName)(OrtSessionOptions *,
                                               const char *, int64_t);
  void *unused15[5];
  OrtStatus *(*AddSessionConfigEntry)(OrtSessionOptions *, const char *,
                                      const char *);
  OrtStatus *(*CreateAllocator)(const OrtSession *, const OrtMemoryInfo *,
                                OrtAllocator **);
  void (*ReleaseAllocator)(OrtAllocator *);
  OrtStatus *(*RunWithBinding)(OrtSession *, const OrtRunOptions *,
                               const OrtIoBinding *);
  OrtStatus *(*CreateIoBinding)(OrtSession *, OrtIoBinding **);
  void (*ReleaseIoBinding)(OrtIoBinding *);
  OrtStatus *(*BindInput)(OrtIoBinding *, const char *, const OrtValue *);
  OrtStatus *(*BindOutput)(OrtIoBinding *, const char *, const OrtValue *);
  OrtStatus *(*BindOutputToDevice)(OrtIoBinding *, const char *,
                                   const OrtMemoryInfo *);
  void *unused16;
  OrtStatus *(*GetBoundOutputValues)(const OrtIoBinding *, OrtAllocator *,
                                     OrtValue ***, size_t *);
  void *unused17[53];
  OrtStatus *(*GetTensorMemoryInfo)(const OrtValue *, const OrtMemoryInfo **);
  void *unused18[16];
  OrtStatus *(*CreateOpAttr)(const char *, const void *, int, OrtOpAttrType,
                             OrtOpAttr **);
  void (*ReleaseOpAttr)(OrtOpAttr *);
  void *unused19[12];
  void (*MemoryInfoGetDeviceType)(const OrtMemoryInfo *,
                                  OrtMemoryInfoDeviceType *);
  void *unused20[11];
  OrtStatus *(*HasSessionConfigEntry)(const OrtSessionOptions *, const char *,
                                      int *);
  OrtStatus *(*GetSessionConfigEntry)(const OrtSessionOptions *, const char *,
                                      char *, size_t *);
  void *unused21[8];
  OrtStatus *(*Logger_LogMessage)(const OrtLogger *, OrtLoggingLevel,
                                  const char *, const char *, int,
                                  const char *);
  OrtStatus *(*Logger_GetLoggingSeverityLevel)(const OrtLogger *,
                                               OrtLoggingLevel *);
  void *unused22[23];
  OrtStatus *(*ReadOpAttr)(const OrtOpAttr *, OrtOpAttrType, void *, size_t,
                           size_t *);
  void *unused23[16];
  OrtStatus *(*GetValueInfoName)(const OrtValueInfo *, const char **);
  OrtStatus *(*GetValueInfoTypeInfo)(const OrtValueInfo *,
                                     const OrtTypeInfo **);
  const OrtModelEditorApi *(*GetModelEditorApi)(void);
  void *unused24[3];
  void (*CreateKeyValuePairs)(OrtKeyValuePairs **);
  void (*AddKeyValuePair)(OrtKeyValuePairs *, const char *, const char *);
  const char *(*GetKeyValue)(const OrtKeyValuePairs *, const char *);
  void (*GetKeyValuePairs)(const OrtKeyValuePairs *, const char *const **,
                           const char *const **, size_t *);
  void *unused25;
  void (*ReleaseKeyValuePairs)(OrtKeyValuePairs *);
  OrtStatus *(*RegisterExecutionProviderLibrary)(OrtEnv *, const char *,
                                                 const char *);
  OrtStatus *(*UnregisterExecutionProviderLibrary)(OrtEnv *, const char *);
  OrtStatus *(*GetEpDevices)(const OrtEnv *, const OrtEpDevice *const **,
                             size_t *);
  OrtStatus *(*SessionOptionsAppendExecutionProvider_V2)(
      OrtSessionOptions *, OrtEnv *, const OrtEpDevice *const *, size_t,
      const char *const *, const char *const *, size_t);
  void *unused26[2];
  OrtHardwareDeviceType (*HardwareDevice_Type)(const OrtHardwareDevice *);
  uint32_t (*HardwareDevice_VendorId)(const OrtHardwareDevice *);
  void *unused27;
  uint32_t (*HardwareDevice_DeviceId)(const OrtHardwareDevice *);
  const OrtKeyValuePairs *(*HardwareDevice_Metadata)(const OrtHardwareDevice *);
  const char *(*EpDevice_EpName)(const OrtEpDevice *);
  void *unused28;
  const OrtKeyValuePairs *(*EpDevice_EpMetadata)(const OrtEpDevice *);
  void *unused29;
  const OrtHardwareDevice *(*EpDevice_Device)(const OrtEpDevice *);
  const OrtEpApi *(*GetEpApi)(void);
  OrtStatus *(*GetTensorSizeInBytes)(const OrtValue *, size_t *);
  void *unused30;
  OrtStatus *(*CreateMemoryInfo_V2)(const char *, OrtMemoryInfoDeviceType,
                                    uint32_t, int32_t, OrtDeviceMemoryType,
                                    size_t, OrtAllocatorType, OrtMemoryInfo **);
  void *unused31[2];
  OrtStatus *(*ValueInfo_GetValueProducer)(const OrtValueInfo *,
                                           const OrtNode **, size_t *);
  void *unused32[2];
  OrtStatus *(*ValueInfo_GetInitializerValue)(const OrtValueInfo *,
                                              const OrtValue **);
  OrtStatus *(*ValueInfo_GetExternalInitializerInfo)(
      const OrtValueInfo *, OrtExternalInitializerInfo **);
  OrtStatus *(*ValueInfo_IsRequiredGraphInput)(const OrtValueInfo *, bool *);
  OrtStatus *(*ValueInfo_IsOptionalGraphInput)(const OrtValueInfo *, bool *);
  OrtStatus *(*ValueInfo_IsGraphOutput)(const OrtValueInfo *, bool *);
  OrtStatus *(*ValueInfo_IsConstantInitializer)(const OrtValueInfo *, bool *);
  void *unused33;
  OrtStatus *(*Graph_GetName)(const OrtGraph *, const char **);
  OrtStatus *(*Graph_GetModelPath)(const OrtGraph *, const char **);
  void *unused34;
  OrtStatus *(*Graph_GetNumOperatorSets)(const OrtGraph *, size_t *);
  OrtStatus *(*Graph_GetOperatorSets)(const OrtGraph *, const char **,
                                      int64_t *, size_t);
  OrtStatus *(*Graph_GetNumInputs)(const OrtGraph *, size_t *);
  OrtStatus *(*Graph_GetInputs)(const OrtGraph *, const OrtValueInfo **,
                                size_t);
  OrtStatus *(*Graph_GetNumOutputs)(const OrtGraph *, size_t *);
  OrtStatus *(*Graph_GetOutputs)(const OrtGraph *, const OrtValueInfo **,
                                 size_t);
  OrtStatus *(*Graph_GetNumInitializers)(const OrtGraph *, size_t *);
  OrtStatus *(*Graph_GetInitializers)(const OrtGraph *, const OrtValueInfo **,
                                      size_t);
  OrtStatus *(*Graph_GetNumNodes)(const OrtGraph *, size_t *);
  OrtStatus *(*Graph_GetNodes)(const OrtGraph *, const OrtNode **, size_t);
  OrtStatus *(*Graph_GetParentNode)(const OrtGraph *, const OrtNode **);
  void *unused35;
  OrtStatus *(*Node_GetId)(const OrtNode *, size_t *);
  OrtStatus *(*Node_GetName)(const OrtNode *, const char **);
  OrtStatus *(*Node_GetOperatorType)(const OrtNode *, const char **);
  OrtStatus *(*Node_GetDomain)(const OrtNode *, const char **);
  void *unused36;
  OrtStatus *(*Node_GetNumInputs)(const OrtNode *, size_t *);
  OrtStatus *(*Node_GetInputs)(const OrtNode *, const OrtValueInfo **, size_t);
  OrtStatus *(*Node_GetNumOutputs)(const OrtNode *, size_t *);
  OrtStatus *(*Node_GetOutputs)(const OrtNode *, const OrtValueInfo **, size_t);
  OrtStatus *(*Node_GetNumImplicitInputs)(const OrtNode *, size_t *);
  OrtStatus *(*Node_GetImplicitInputs)(const OrtNode *, const OrtValueInfo **,
                                       size_t);
  OrtStatus *(*Node_GetNumAttributes)(const OrtNode *, size_t *);
  OrtStatus *(*Node_GetAttributes)(const OrtNode *, const OrtOpAttr **, size_t);
  void *unused37;
  OrtStatus *(*OpAttr_GetTensorAttributeAsOrtValue)(const OrtOpAttr *,
                                                    OrtValue **);
  OrtStatus *(*OpAttr_GetType)(const OrtOpAttr *, OrtOpAttrType *);
  OrtStatus *(*OpAttr_GetName)(const OrtOpAttr *, const char **);
  OrtStatus *(*Node_GetNumSubgraphs)(const OrtNode *, size_t *);
  OrtStatus *(*Node_GetSubgraphs)(const OrtNode *, const OrtGraph **, size_t,
                                  const char **);
  void *unused38;
  OrtStatus *(*Node_GetEpName)(const OrtNode *, const char **);
  void (*ReleaseExternalInitializerInfo)(OrtExternalInitializerInfo *);
  const char *(*ExternalInitializerInfo_GetFilePath)(
      const OrtExternalInitializerInfo *);
  int64_t (*ExternalInitializerInfo_GetFileOffset)(
      const OrtExternalInitializerInfo *);
  size_t (*ExternalInitializerInfo_GetByteSize)(
      const OrtExternalInitializerInfo *);
  void *unused39;
  const OrtMemoryInfo *(*EpDevice_MemoryInfo)(const OrtEpDevice *,
                                              OrtDeviceMemoryType);
  void *unused40[3];
  OrtStatus *(*GetTensorData)(const OrtValue *, const void **);
  OrtStatus *(*GetSessionOptionsConfigEntries)(const OrtSessionOptions *,
                                               OrtKeyValuePairs **);
  void *unused41[3];
  OrtStatus *(*CreateSyncStreamForEpDevice)(const OrtEpDevice *,
                                            const OrtKeyValuePairs *,
                                            OrtSyncStream **);
  void *unused46;
  void (*ReleaseSyncStream)(OrtSyncStream *);
  OrtStatus *(*CopyTensors)(const OrtEnv *, const OrtValue *const *,
                            OrtValue *const *, OrtSyncStream *, size_t);
  void *unused42[3];
  bool (*TensorTypeAndShape_HasShape)(const OrtTensorTypeAndShapeInfo *);
  void *unused43[4];
  const OrtInteropApi *(*GetInteropApi)(void);
  void *unused44[11];
  OrtStatus *(*Session_GetEpGraphAssignmentInfo)(
      const OrtSession *, const OrtEpAssignedSubgraph *const **, size_t *);
  OrtStatus *(*EpAssignedSubgraph_GetEpName)(const OrtEpAssignedSubgraph *,
                                             const char **);
  OrtStatus *(*EpAssignedSubgraph_GetNodes)(const OrtEpAssignedSubgraph *,
                                            const OrtEpAssignedNode *const **,
                                            size_t *);
  void *unused45[15];
};

struct OrtApiBase {
  const OrtApi *(*GetApi)(uint32_t);
  const char *(*GetVersionString)(void);
};

/* What ONNX Runtime's library exports. */
const OrtApiBase *OrtGetApiBase(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DML_ONNXRUNTIME_HEADERS */

#endif /* DML_LIB_PROVIDER_ONNXRUNTIMEABI_H */
