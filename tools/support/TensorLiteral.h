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

/// Parses TYPE=VALUES, such as "2x3xf32=1 2 3 4 5 6", or one value for all
/// elements. Values are separated by spaces or commas. Values may have
/// brackets, "[[1 2 3] [4 5 6]]", which must match the type. A float may be
/// "nan", "inf", or its bits ("0x7FC00000"). Floats round to the nearest value
/// of the type. Integers or floats that are too large for the type are errors.
/// Returns nothing, with `error` set, on failure.
std::optional<HostTensor> parseLiteral(std::string_view text,
                                       std::string &error);

/// The number of elements from which on all of them are printed only on
/// request.
inline constexpr uint64_t kMaxPrintedElements = 1000;

/// Prints the elements in nested brackets, with a row in each line, in columns
/// as NumPy does. Unless `all` is set, prints only the first and last three
/// elements along long dimensions of large tensors. Every printed value reads
/// back as the same bits.
std::string printElements(const HostTensor &tensor, bool all = false);

/// Prints one element, by its place in row-major order.
std::string printElement(const HostTensor &tensor, uint64_t index);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_TENSORLITERAL_H
