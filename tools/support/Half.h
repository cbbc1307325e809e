//===- Half.h - Conversions of 16-bit floats ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_HALF_H
#define DML_TOOLS_SUPPORT_HALF_H

#include <cstdint>

namespace dml::tools {

/// The bits of the nearest half, ties to even; infinity where it is too large.
uint16_t toHalf(double value);
/// Exact.
double fromHalf(uint16_t bits);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_HALF_H
