//===- GraphFormat.h - The format of serialized graphs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_GRAPHFORMAT_H
#define DML_LIB_IMPORT_DIRECTML_GRAPHFORMAT_H

#include "flatbuffers/flatbuffers.h"

namespace dml::graph_format {
struct ScaleBias;
} // namespace dml::graph_format

// A null pointer to a DML_SCALE_BIAS is serialized as a union with a type and
// without a value. FlatBuffers' verifier accepts this only for tables.
template <>
bool flatbuffers::Verifier::VerifyField<dml::graph_format::ScaleBias>(
    const uint8_t *base, flatbuffers::voffset_t offset, size_t alignment) const;

#include "graph_generated.h"

template <>
inline bool flatbuffers::Verifier::VerifyField<dml::graph_format::ScaleBias>(
    const uint8_t *const base, const flatbuffers::voffset_t offset,
    const size_t alignment) const {
  struct Floats {
    float scale, bias;
  };
  static_assert(sizeof(Floats) == sizeof(dml::graph_format::ScaleBias));
  return !base || VerifyField<Floats>(base, offset, alignment);
}

#endif // DML_LIB_IMPORT_DIRECTML_GRAPHFORMAT_H
