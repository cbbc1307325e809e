//===- External.h - Memory and semaphores of other devices ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_EXTERNAL_H
#define DML_LIB_PROVIDER_EXTERNAL_H

#include "Memory.h"

namespace dml::provider {

/// Makes what imports memory and timeline semaphores of Vulkan, given by opaque
/// file descriptors, into device `device` of `memory`. ONNX Runtime releases
/// the result, whose functions may be called from many threads.
///
/// A descriptor stays the caller's, who may close it after the import. Imported
/// memory has to be of the size that was allocated, and of the first memory
/// type of the device that is local to the device and fits a storage buffer.
/// The provider's runs are done when they return, so that waiting for a
/// semaphore and signalling it take place on the host.
OrtExternalResourceImporterImpl *createImporter(DeviceMemory &memory,
                                                uint32_t device,
                                                const OrtEpDevice *epDevice);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_EXTERNAL_H
