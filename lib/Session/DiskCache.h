//===- DiskCache.h - Programs that outlast the process ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A folder with a file for each program, by the digest of all that the program
// depends on, and two files for each device: its compiled pipelines, and the
// kernels that were measured on it. Several
// processes may use one folder: a file appears whole, under its name, or not at
// all. Files are read only where nobody but their owner, who runs this process,
// may write, and nothing that they say is taken for true. The time of a file is
// that of its last use; the files that were used longest ago go.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_DISKCACHE_H
#define DML_LIB_SESSION_DISKCACHE_H

#include "Diagnostics.h"
#include "Digest.h"
#include "Image.h"
#include "dml/Target/TuningTable.h"
#include <atomic>
#include <mutex>

namespace dml::session {

class DiskCache {
public:
  /// The files of the folder have `budget` bytes at most.
  DiskCache(std::string folder, uint64_t budget, Messages &messages)
      : folder(std::move(folder)), budget(budget), messages(messages) {}

  /// Returns the image of the program `key`, or nothing if the folder has no
  /// usable image. The files to which the image refers have not changed since
  /// the image was made.
  std::optional<Image> loadImage(const Digest &key, const Model &model);
  void storeImage(const Digest &key, const Image &image, const Model &model);

  /// Passes the pipelines that were compiled for a device to the device.
  void loadPipelines(DmlDevice device);
  /// Stores the device's pipelines, if they have changed. Each time, the whole
  /// file is written. While programs are being made, this therefore only
  /// happens when the pipelines have grown by an eighth; when the session ends
  /// (`isOver`), it happens after any change.
  void storePipelines(DmlDevice device, bool isOver);

  /// Returns the table of kernels that were measured for the device and the
  /// profile of `wanted`, or nothing if the folder has none that is usable.
  std::optional<TuningTable> loadTuning(const TuningTable &wanted);
  /// Adds the kernels of `table` to those that the folder has.
  void storeTuning(TuningTable table);

private:
  std::string getTuningPath(const TuningTable &table) const;
  std::string getImagePath(const Digest &key) const;
  std::string getPipelinePath(DmlDevice device) const;
  /// Returns the bytes of a file, or nothing if the file does not exist or must
  /// not be used.
  std::optional<std::string> readFile(const std::string &path);
  void writeFile(const std::string &path,
                 llvm::ArrayRef<llvm::StringRef> parts);
  /// Counts `written` bytes of a new file. If all files together exceed the
  /// budget, removes those that were used longest ago.
  void trim(uint64_t written);
  /// Warns that a file is not used, and why.
  void ignore(const std::string &path, const std::string &why);

  const std::string folder;
  const uint64_t budget;
  Messages &messages;
  /// Whether the folder could not be written. The warning about it is given
  /// only once.
  std::atomic<bool> isReadOnly = false;
  std::mutex mutex;
  /// The digest of the pipelines in the file, and their number of bytes.
  std::optional<Digest> pipelines;
  uint64_t pipelineBytes = 0;
  /// Whether the device may have pipelines that the file lacks.
  bool hasNewPipelines = false;
  std::mutex trimMutex;
  /// Bytes that were written since the files were counted; all, at first.
  uint64_t uncounted = UINT64_MAX;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_DISKCACHE_H
