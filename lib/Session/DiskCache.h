//===- DiskCache.h - Programs that outlast the process ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A folder with a file for each program, by the digest of all that the program
// depends on, and a file for each device with its compiled pipelines. Several
// processes may use one folder: a file appears whole, under its name, or not at
// all. Files are read only where nobody but their owner, who runs this process,
// may write, and nothing that they say is taken for true.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_DISKCACHE_H
#define DML_LIB_SESSION_DISKCACHE_H

#include "Diagnostics.h"
#include "Digest.h"
#include "Image.h"
#include <atomic>
#include <mutex>

namespace dml::session {

class DiskCache {
public:
  DiskCache(std::string folder, Messages &messages)
      : folder(std::move(folder)), messages(messages) {}

  /// The image of the program `key`, or nothing where the folder has none that
  /// can be used. Files that the image names are those that it was made of.
  std::optional<Image> loadImage(const Digest &key, const Model &model);
  void storeImage(const Digest &key, const Image &image, const Model &model);

  /// Gives a device the pipelines that were compiled for it.
  void loadPipelines(DmlDevice device);
  /// Keeps the device's pipelines, where these are others than before.
  void storePipelines(DmlDevice device);

private:
  std::string getImagePath(const Digest &key) const;
  std::string getPipelinePath(DmlDevice device) const;
  /// The bytes of a file; nothing where there is none, or none to be used.
  std::optional<std::string> readFile(const std::string &path);
  void writeFile(const std::string &path,
                 llvm::ArrayRef<llvm::StringRef> parts);
  /// Warns that a file is not used, and why.
  void ignore(const std::string &path, const std::string &why);

  const std::string folder;
  Messages &messages;
  /// Whether the folder could not be written, which is said once.
  std::atomic<bool> isReadOnly = false;
  std::mutex mutex;
  /// The digest of the pipelines that the file has.
  std::optional<Digest> pipelines;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_DISKCACHE_H
