//===- Initialization.cpp - Weights, and what is computed from them -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// Files have more than 2^31 bytes on systems too whose long has 32 bits.
#define _FILE_OFFSET_BITS 64

#include "BindingTable.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

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

/// Moves to a byte of a file, or to its end; returns where it is then, or -1.
static int64_t seek(std::FILE *file, int64_t offset, int origin) {
#ifdef _WIN32
  return _fseeki64(file, offset, origin) == 0 ? _ftelli64(file) : -1;
#else
  return fseeko(file, static_cast<off_t>(offset), origin) == 0 ? ftello(file)
                                                               : -1;
#endif
}

Status dml::runtime::bindWeightFromFile(Program &program, uint32_t index,
                                        const std::string &path,
                                        uint64_t offset) {
  const std::vector<Weight> &weights = program.executable().weights;
  if (index >= weights.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "weight ", index,
                     " does not exist; there are ", weights.size());
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
      std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file)
    return makeError(errno == ENOENT ? DML_ERROR_NOT_FOUND : DML_ERROR_IO,
                     "cannot open '", path, "': ", std::strerror(errno));
  const Tensor &tensor = weights[index].tensor;
  auto tooShort = [&] {
    return makeError(DML_ERROR_INVALID_ARGUMENT, "'", path, "' has fewer than ",
                     tensor.byteSize, " bytes from byte ", offset,
                     " on, which weight '", tensor.name, "' is to have");
  };
  auto unreadable = [&] {
    return makeError(DML_ERROR_IO, "cannot read '", path,
                     "': ", std::strerror(errno));
  };
  // A file that is too short changes nothing.
  int64_t size = seek(file.get(), 0, SEEK_END);
  if (size < 0)
    return unreadable();
  if (offset > static_cast<uint64_t>(size) ||
      tensor.byteSize > static_cast<uint64_t>(size) - offset)
    return tooShort();
  if (seek(file.get(), static_cast<int64_t>(offset), SEEK_SET) < 0)
    return unreadable();
  std::vector<uint8_t> piece(std::min<uint64_t>(kPieceSize, tensor.byteSize));
  for (uint64_t done = 0; done < tensor.byteSize; done += piece.size()) {
    piece.resize(std::min<uint64_t>(piece.size(), tensor.byteSize - done));
    // Another process may cut the file off meanwhile.
    if (std::fread(piece.data(), 1, piece.size(), file.get()) != piece.size())
      return std::ferror(file.get()) ? unreadable() : tooShort();
    DML_TRY(program.writeWeight(index, done, piece.data(), piece.size()));
  }
  return Status();
}
