//===- Members.h - The places of members ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_MEMBERS_H
#define DML_LIB_PROVIDER_MEMBERS_H

#include <cstddef>
#include <vector>

namespace dml::provider {

/// A member of one of ONNX Runtime's structures, and its offset in bytes as the
/// compiler sees it.
struct Member {
  const char *structure, *name;
  size_t offset;
};

/// The members that OnnxRuntimeAbi.h declares, for the test that compares them
/// with a frozen table.
const std::vector<Member> &getMembers();

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_MEMBERS_H
