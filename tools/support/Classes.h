//===- Classes.h - The most likely classes of a result ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_CLASSES_H
#define DML_TOOLS_SUPPORT_CLASSES_H

#include "support/HostTensor.h"

namespace dml::tools {

/// Appends to `text`, for each row of `tensor` along its last dimension of more
/// than one element, the `count` largest elements, with their indices and
/// labels: "    281  0.9131  tabby". Of equal elements, the first is listed
/// first; NaN is listed last. Labels are printed if there is one for each
/// class.
void printClasses(const HostTensor &tensor, uint32_t count,
                  const std::vector<std::string> &labels, std::string &text);

/// Returns the size of the last dimension of more than one element: 1000 in
/// 1x1000x1x1.
uint64_t countClasses(const std::vector<uint32_t> &sizes);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_CLASSES_H
