//===- Image.h - A compiled program and where its weights are ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_IMAGE_H
#define DML_LIB_SESSION_IMAGE_H

#include "Model.h"

namespace dml::session {

/// The place of the bytes of a weight.
struct WeightSource {
  enum class Kind : uint32_t {
    /// The caller has the bytes, under the weight's name.
    Caller,
    /// A file of the image: the model itself, which is file 0, or file `index`,
    /// which is beside the model.
    File,
    /// The bytes of the image, for a weight that the importer has computed.
    Own,
    /// The result `index` of the preparation.
    Prepared,
    /// The weight `index` of a model that the caller built node by node.
    Built,
  };
  Kind kind = Kind::Caller;
  uint32_t index = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// A file that contains bytes of weights.
struct WeightFile {
  std::string path;
  FileState state;
};

/// A result of the preparation.
struct PreparedWeight {
  /// The digest of the computation.
  Digest computation;
  /// The numbers of the weights that it reads, among those of the preparation.
  std::vector<uint32_t> weights;
};

/// A compiled program, as it stands in memory and in caches.
struct Image {
  std::vector<uint8_t> executable;
  /// In the order of the executable's weights.
  std::vector<WeightSource> weights;
  /// The executable of the preparation (Preparation.h), or nothing; the places
  /// of its inputs, in their order; and its results.
  std::vector<uint8_t> preparation;
  std::vector<WeightSource> preparationWeights;
  std::vector<PreparedWeight> prepared;
  /// The first is the model.
  std::vector<WeightFile> files;
  /// The bytes of weights that are in no file.
  std::vector<char> bytes;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_IMAGE_H
