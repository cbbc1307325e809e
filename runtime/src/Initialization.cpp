//===- Initialization.cpp - Weights, and what is computed from them -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "BindingTable.h"
#include "HostFile.h"

#include <algorithm>

using namespace dml::runtime;

Status
dml::runtime::initializeProgram(const std::shared_ptr<Program> &program) {
  DML_TRY(program->checkWeights());
  DML_TRY(program->provideConstants());
  if (program->executable().initialization) {
    Expected<Owned<BindingTable>> table =
        BindingTable::createForInitialization(program);
    if (!table)
      return table.status();
    DML_TRY((*table)->submit(nullptr));
    DML_TRY((*table)->wait(program->device()->waitLimit()));
  }
  program->setInitialized();
  return Status();
}

/// Bytes of a file that are in the host's memory at a time.
static constexpr size_t kPieceSize = size_t(1) << 20;

Status dml::runtime::bindWeightFromFile(Program &program, uint32_t index,
                                        const std::string &path,
                                        uint64_t offset) {
  const std::vector<Weight> &weights = program.executable().weights;
  if (index >= weights.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "weight ", index,
                     " does not exist; there are ", weights.size());
  Expected<HostFile> opened = openHostFile(path);
  if (!opened)
    return opened.status();
  std::FILE *file = opened->get();
  const Tensor &tensor = weights[index].tensor;
  auto tooShort = [&] {
    return makeError(DML_ERROR_INVALID_ARGUMENT, "'", path, "' has fewer than ",
                     tensor.byteSize, " bytes from byte ", offset,
                     " on, which weight '", tensor.name, "' is to have");
  };
  // A file that is too short changes nothing.
  int64_t size = seekHostFile(file, 0, SEEK_END);
  if (size < 0)
    return makeReadError(path);
  if (offset > static_cast<uint64_t>(size) ||
      tensor.byteSize > static_cast<uint64_t>(size) - offset)
    return tooShort();
  if (seekHostFile(file, static_cast<int64_t>(offset), SEEK_SET) < 0)
    return makeReadError(path);
  std::vector<uint8_t> piece(std::min<uint64_t>(kPieceSize, tensor.byteSize));
  for (uint64_t done = 0; done < tensor.byteSize; done += piece.size()) {
    piece.resize(std::min<uint64_t>(piece.size(), tensor.byteSize - done));
    // Another process may cut the file off meanwhile.
    if (std::fread(piece.data(), 1, piece.size(), file) != piece.size())
      return std::ferror(file) ? makeReadError(path) : tooShort();
    DML_TRY(program.writeWeight(index, done, piece.data(), piece.size()));
  }
  return Status();
}
