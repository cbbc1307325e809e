//===- TensorLiteral.h - Tensors as text ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_TENSORLITERAL_H
#define DML_TOOLS_SUPPORT_TENSORLITERAL_H

#include "support/HostTensor.h"

#include <string_view>

namespace dml::tools {

/// Parses a type: "2x3xf32", "ui8". Returns false where it is none.
bool parseType(std::string_view text, DmlDataType &dataType,
               std::vector<uint32_t> &sizes);

/// Parses TYPE=VALUES: "2x3xf32=1 2 3 4 5 6", or one value for all elements.
/// Values stand between spaces and commas; where they stand in brackets,
/// "[[1 2 3] [4 5 6]]", these match the type. Floats may be "nan", "inf", or
/// their bits ("0x7FC00000"); they round to the nearest value of the type, but
/// one too large for it is an error, as it is for integers. Nothing, with
/// `error` set, where that fails.
std::optional<HostTensor> parseLiteral(std::string_view text,
                                       std::string &error);

/// The number of elements from which on all are printed only where that is
/// asked for.
inline constexpr uint64_t kMaxPrintedElements = 1000;

/// Prints the elements in nested brackets, a row a line, as NumPy does: in
/// columns, and of long dimensions of large tensors the first and last three
/// unless `all` are wanted. Every value that is printed reads back as the same
/// bits.
std::string printElements(const HostTensor &tensor, bool all = false);

/// Prints one element, by its place in row-major order.
std::string printElement(const HostTensor &tensor, uint64_t index);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_TENSORLITERAL_H
