//===- ReadFiles.cpp - The files that a model is read from ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReadFiles.h"

using namespace dml;
using namespace dml::session;

ReadFiles::ReadFiles(const Model &model, const llvm::MemoryBuffer &file)
    : model(model), own{file.getBufferStart(), file.getBufferSize(),
                        WeightSource::Kind::File, 0} {
  if (FileMemory *memory = FileMemory::find(own.begin))
    state = memory->getState();
}

llvm::SmallVector<MappedSource> ReadFiles::list() const {
  llvm::SmallVector<MappedSource> files{own};
  for (const auto &file : beside)
    files.push_back({file->getBufferStart(), file->getBufferSize(),
                     WeightSource::Kind::File,
                     static_cast<uint32_t>(files.size())});
  for (const reader::TensorPlace &weight : weights)
    files.push_back({weight.begin, weight.size, WeightSource::Kind::Built,
                     model.getBuilt()->getNumber(weight.source)});
  return files;
}

Status ReadFiles::addTo(Image &image) const {
  image.files.push_back({model.getName(), model.getState()});
  for (const auto &file : beside) {
    std::string path = file->getBufferIdentifier().str();
    FileMemory *memory = FileMemory::find(file->getBufferStart());
    Expected<FileState> found = memory
                                    ? FileState::get(memory->getState()->status)
                                    : FileState::get(path);
    if (!found)
      return found.status();
    image.files.push_back({path, *found});
  }
  return Status();
}

Status ReadFiles::check() const {
  DML_TRY(wantRead(state.get()));
  for (const reader::TensorPlace &weight : weights)
    DML_TRY_IN(wantRead(weight.state.get()), model.getName());
  DML_TRY(model.wantUnchanged());
  for (const auto &file : beside)
    if (FileMemory *memory = FileMemory::find(file->getBufferStart())) {
      DML_TRY(wantRead(memory->getState().get()));
      DML_TRY(wantState(file->getBufferIdentifier().str(),
                        FileState::get(memory->getState()->status)));
    }
  return Status();
}
