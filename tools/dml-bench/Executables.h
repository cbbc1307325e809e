//===- Executables.h - The bench's own executables ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What cases are compared with runs as they do: as executables of the runtime,
// timed the same way.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLBENCH_EXECUTABLES_H
#define DML_TOOLS_DMLBENCH_EXECUTABLES_H

#include "support/Runtime.h"

namespace dml::tools {

/// The largest multiple of 16 bytes that one range of a copy may have.
uint64_t getLargestCopy(const DmlDeviceInfo &device);

/// A function that copies `bytes`, a multiple of 16, 16 bytes a thread.
Executable makeCopyExecutable(uint64_t bytes, const DmlDeviceInfo &device);

/// A function that runs one thread, which does nothing.
Executable makeEmptyExecutable();

} // namespace dml::tools

#endif // DML_TOOLS_DMLBENCH_EXECUTABLES_H
