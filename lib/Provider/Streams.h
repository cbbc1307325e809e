//===- Streams.h - Streams of a device --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_STREAMS_H
#define DML_LIB_PROVIDER_STREAMS_H

#include "Api.h"

namespace dml::provider {

/// Creates a stream of a device. Runs and copies of the provider are done when
/// they return, so that a stream has nothing to order; ONNX Runtime wants one
/// where a program waits for a semaphore or signals it.
OrtSyncStreamImpl *createStream();

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_STREAMS_H
