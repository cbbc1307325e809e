//===- Initialization.cpp - Weights, and what is computed from them -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "BindingTable.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace dml::runtime;

Status
dml::runtime::initializeProgram(const std::shared_ptr<Program> &program) {
  DML_TRY(program->checkWeights());
  if (std::optional<uint32_t> function = program->executable().initialization) {
    DmlBindingTableCreateInfo info{};
    info.function = *function;
    Expected<std::unique_ptr<BindingTable>> table =
        BindingTable::create(program, info);
    if (!table)
      return table.status();
    DML_TRY((*table)->submit(nullptr));
    DML_TRY((*table)->wait(program->device()->waitLimit()));
  }
  program->setInitialized();
  return Status();
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
  // Nothing is allocated for bytes that the file does not have.
  if (std::fseek(file.get(), 0, SEEK_END) != 0)
    return makeError(DML_ERROR_IO, "cannot read '", path,
                     "': ", std::strerror(errno));
  long end = std::ftell(file.get());
  if (end < 0)
    return makeError(DML_ERROR_IO, "cannot read '", path,
                     "': ", std::strerror(errno));
  auto size = static_cast<uint64_t>(end);
  if (offset > size || tensor.byteSize > size - offset)
    return tooShort();
  std::vector<uint8_t> bytes(tensor.byteSize);
  if (std::fseek(file.get(), static_cast<long>(offset), SEEK_SET) != 0)
    return makeError(DML_ERROR_IO, "cannot read '", path,
                     "': ", std::strerror(errno));
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    return std::ferror(file.get())
               ? makeError(DML_ERROR_IO, "cannot read '", path,
                           "': ", std::strerror(errno))
               : tooShort();
  return program.bindWeight(index, bytes.data(), bytes.size());
}
