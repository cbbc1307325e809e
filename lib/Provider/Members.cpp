//===- Members.cpp - The places of members --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Members.h"
#include "OnnxRuntimeAbi.h"

using namespace dml::provider;

const std::vector<Member> &dml::provider::getMembers() {
  static const std::vector<Member> members = {
#define ORT_MEMBER(structure, member)                                          \
  {#structure, #member, offsetof(structure, member)},
#include "OnnxRuntimeMembers.def"
  };
  return members;
}
