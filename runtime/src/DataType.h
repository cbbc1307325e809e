//===- DataType.h - Names and sizes of data types and features ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_DATATYPE_H
#define DML_RUNTIME_DATATYPE_H

#include "dml/runtime.h"

#include <string>

namespace dml::runtime {

/// The names of all features in a mask: "shaderInt8, shaderInt64".
std::string describeFeatures(DmlFeatureFlags features);

/// "16x16x16xf16xf32", as device profiles spell it.
std::string describeMatrixShape(const DmlMatrixShape &shape);
bool areEqual(const DmlMatrixShape &a, const DmlMatrixShape &b);

/// "1.2", from VK_MAKE_API_VERSION.
std::string describeApiVersion(uint32_t version);

} // namespace dml::runtime

#endif // DML_RUNTIME_DATATYPE_H
