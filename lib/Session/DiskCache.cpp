//===- DiskCache.cpp - Programs that outlast the process ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DiskCache.h"
#include "Support/ExternalFiles.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dml;
using namespace dml::session;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Bytes of a file that is read, at most.
static constexpr uint64_t mostBytes = uint64_t(1) << 32;

void DiskCache::ignore(const std::string &path, const std::string &why) {
  messages.warn("the file '" + path + "' of the cache is not used: " + why);
}

std::optional<std::string> DiskCache::readFile(const std::string &path) {
  // A pipe under this name would keep an open call waiting.
  int file =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) {
    // A folder that cannot be used is told where it cannot be written.
    int error = errno;
    if (error != ENOENT && ::access((folder + "/.").c_str(), X_OK) == 0)
      ignore(path, std::generic_category().message(error));
    return std::nullopt;
  }
  auto close = llvm::scope_exit([&] { ::close(file); });
  struct stat status;
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    ignore(path, "it is no regular file");
    return std::nullopt;
  }
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH))) {
    ignore(path, "others may write it; wanted is a file that this user alone "
                 "may write");
    return std::nullopt;
  }
  auto size = static_cast<uint64_t>(status.st_size);
  if (size > mostBytes) {
    ignore(path, "it has " + std::to_string(size) + " bytes, but wanted are " +
                     std::to_string(mostBytes) + " at most");
    return std::nullopt;
  }
  // Sets the time at which the file was used to now. An error does not matter:
  // files of a folder that cannot be written are never removed.
  (void)::futimens(file, nullptr);
  std::string bytes(size, 0);
  for (uint64_t done = 0; done < size;) {
    ssize_t count = ::read(file, bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      ignore(path, count < 0 ? std::generic_category().message(errno)
                             : "it was cut off");
      return std::nullopt;
    }
    done += static_cast<uint64_t>(count);
  }
  return bytes;
}

void DiskCache::writeFile(const std::string &path,
                          llvm::ArrayRef<llvm::StringRef> parts) {
  uint64_t size = 0;
  for (llvm::StringRef part : parts)
    size += part.size();
  if (isReadOnly || size > budget)
    return;
  auto fail = [&](std::error_code error) {
    if (!isReadOnly.exchange(true))
      messages.warn("the cache folder '" + folder +
                    "' cannot be written: " + error.message() +
                    "; programs are not kept for other processes");
  };
  if (std::error_code error = llvm::sys::fs::create_directories(
          folder, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
    return fail(error);
  int file;
  llvm::SmallString<128> temporary;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          path + "-%%%%%%%%.tmp", file, temporary, llvm::sys::fs::OF_None,
          llvm::sys::fs::owner_read | llvm::sys::fs::owner_write))
    return fail(error);
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
    for (llvm::StringRef part : parts)
      stream << part;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error) {
    (void)llvm::sys::fs::remove(temporary);
    return fail(error);
  }
  trim(size);
}

namespace {
/// A file of the cache.
struct CacheFile {
  std::string path;
  uint64_t size;
  int64_t lastUse;
};
} // namespace

/// Seconds after which a file that is not renamed has no writer any more.
static constexpr int64_t mostSecondsOfWriting = 3600;

/// Whether the cache may have written a file called `name`: a digest, with
/// `extension` at its end.
static bool isOwnName(llvm::StringRef name, llvm::StringRef extension) {
  return name.ends_with(extension) &&
         name.take_while(llvm::isHexDigit).size() == 2 * sizeof(Digest) &&
         name.drop_front(2 * sizeof(Digest)).starts_with(".dml");
}

/// Returns the files of the cache in `folder`. Removes unfinished files of
/// processes that have ended. Does not touch files of others, or with other
/// names.
static std::vector<CacheFile> listFiles(const std::string &folder) {
  std::vector<CacheFile> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error,
                                            /*follow_symlinks=*/false),
       end;
       !error && it != end; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    bool isTemporary = isOwnName(name, ".tmp");
    struct stat status;
    if ((!isTemporary && !isOwnName(name, ".dmlprogram") &&
         !isOwnName(name, ".dmlpipelines") && !isOwnName(name, ".dmltuning")) ||
        ::lstat(it->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != ::geteuid())
      continue;
    int64_t age = ::time(nullptr) - status.st_mtim.tv_sec;
    if (isTemporary && age > mostSecondsOfWriting)
      (void)::unlink(it->path().c_str());
    else if (!isTemporary)
      files.push_back({it->path(), static_cast<uint64_t>(status.st_size),
                       status.st_mtim.tv_sec * int64_t(1'000'000'000) +
                           status.st_mtim.tv_nsec});
  }
  return files;
}

void DiskCache::trim(uint64_t written) {
  std::lock_guard<std::mutex> lock(trimMutex);
  uncounted = llvm::SaturatingAdd(uncounted, written);
  // Each process only counts the bytes that it writes itself. All processes
  // together may therefore exceed the budget by a sixteenth for each process.
  if (uncounted < budget / 16)
    return;
  uncounted = 0;
  std::vector<CacheFile> files = listFiles(folder);
  llvm::sort(files, [](const CacheFile &a, const CacheFile &b) {
    return a.lastUse < b.lastUse;
  });
  uint64_t size = 0;
  for (const CacheFile &file : files)
    size += file.size;
  for (const CacheFile &file : files) {
    if (size <= budget)
      return;
    // Another process that reads the file has it still.
    (void)::unlink(file.path.c_str());
    size -= file.size;
  }
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

namespace {
/// The header of a program's file. The digest covers the rest of the file: the
/// parts of the image, in the order of the members that state their sizes.
struct ImageHeader {
  char magic[8] = {'D', 'M', 'L', 'S', 'E', 'S', 'S', '1'};
  Digest key = {};
  Digest digest = {};
  uint64_t weightCount = 0, preparationWeightCount = 0, preparedCount = 0,
           fileCount = 0, byteCount = 0, preparationSize = 0,
           executableSize = 0;
};
struct PreparedHeader {
  Digest computation = {};
  uint64_t weightCount = 0;
};
struct FileHeader {
  FileState state;
  uint64_t pathSize = 0;
};

/// Takes pieces from the front of bytes that nobody vouches for.
class PieceReader {
public:
  explicit PieceReader(llvm::StringRef bytes) : rest(bytes) {}

  template <typename T> bool read(T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    llvm::StringRef piece;
    if (!read(sizeof(T), piece))
      return false;
    std::memcpy(&value, piece.data(), sizeof(T));
    return true;
  }
  bool read(uint64_t size, llvm::StringRef &piece) {
    if (size > rest.size())
      return false;
    piece = rest.take_front(size);
    rest = rest.drop_front(size);
    return true;
  }
  template <typename T> bool read(uint64_t count, std::vector<T> &values) {
    llvm::StringRef piece;
    if (count > rest.size() / sizeof(T) || !read(count * sizeof(T), piece))
      return false;
    values.resize(count);
    if (count)
      std::memcpy(values.data(), piece.data(), piece.size());
    return true;
  }
  llvm::StringRef getRest() const { return rest; }

private:
  llvm::StringRef rest;
};

template <typename T> llvm::StringRef getBytes(const T &value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char *>(&value), sizeof(T)};
}
template <typename T> llvm::StringRef getBytes(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}
} // namespace

std::string DiskCache::getImagePath(const Digest &key) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, toHex(key) + ".dmlprogram");
  return path.str().str();
}

/// The path of a file beside `model` from the model's folder on.
static llvm::StringRef getLocation(const std::string &path,
                                   const Model &model) {
  llvm::StringRef location = path;
  std::string modelPath = model.getPath();
  llvm::StringRef folder = llvm::sys::path::parent_path(modelPath);
  if (location.consume_front(folder) && !folder.empty())
    location = location.ltrim('/');
  return location;
}

void DiskCache::storeImage(const Digest &key, const Image &image,
                           const Model &model) {
  std::string files;
  // The key has the model itself.
  for (const WeightFile &file : llvm::ArrayRef(image.files).drop_front()) {
    llvm::StringRef location = getLocation(file.path, model);
    FileHeader header{file.state, location.size()};
    files += getBytes(header);
    files += location;
  }
  std::string prepared;
  for (const PreparedWeight &weight : image.prepared) {
    PreparedHeader header{weight.computation, weight.weights.size()};
    prepared += getBytes(header);
    prepared += getBytes(weight.weights);
  }
  ImageHeader header;
  header.key = key;
  header.weightCount = image.weights.size();
  header.preparationWeightCount = image.preparationWeights.size();
  header.preparedCount = image.prepared.size();
  header.preparationSize = image.preparation.size();
  header.fileCount = image.files.size() - 1;
  header.byteCount = image.bytes.size();
  header.executableSize = image.executable.size();
  llvm::StringRef parts[] = {getBytes(header),
                             getBytes(image.weights),
                             getBytes(image.preparationWeights),
                             prepared,
                             files,
                             getBytes(image.bytes),
                             getBytes(image.preparation),
                             getBytes(image.executable)};
  Digester digester;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front())
    digester.addBytes(part);
  header.digest = digester.finish();
  writeFile(getImagePath(key), parts);
}

/// Reads the list of files beside the model. Returns false if a file is
/// missing, or has changed since the image was made.
static bool readFiles(PieceReader &reader, uint64_t count, const Model &model,
                      Image &image) {
  reader::ExternalFiles files(model.getPath());
  for (uint64_t i = 0; i < count; ++i) {
    FileHeader header;
    llvm::StringRef location;
    if (!reader.read(header) || !reader.read(header.pathSize, location))
      return false;
    // The same rules hold as where a model names the file.
    llvm::Expected<std::string> path = files.getPath(location);
    if (!path) {
      llvm::consumeError(path.takeError());
      return false;
    }
    auto opened = files.open(location);
    if (!opened) {
      llvm::consumeError(opened.takeError());
      return false;
    }
    Expected<FileState> state = FileState::get(*path);
    if (!state || !(*state == header.state))
      return false;
    image.files.push_back({*path, *state});
  }
  return true;
}

/// Whether the place `source` contains the bytes of a weight.
static bool hasBytes(const WeightSource &source, const Image &image,
                     const Model &model) {
  auto fits = [&](uint64_t size) {
    return source.offset <= size && source.size <= size - source.offset;
  };
  switch (source.kind) {
  case WeightSource::Kind::Caller:
    return true;
  case WeightSource::Kind::Prepared:
    return source.index < image.prepared.size();
  case WeightSource::Kind::Own:
    return fits(image.bytes.size());
  case WeightSource::Kind::Built:
    return model.getBuilt() &&
           source.index < model.getBuilt()->getWeights().size() &&
           fits(model.getBuilt()->getWeights()[source.index]->getSize());
  case WeightSource::Kind::File:
    return source.index < image.files.size() &&
           fits(image.files[source.index].state.size);
  }
  return false;
}

/// Whether each weight has its bytes somewhere.
static bool hasWeights(const Image &image, const Model &model) {
  auto isThere = [&](const WeightSource &source) {
    return hasBytes(source, image, model);
  };
  // The preparation only reads weights that are not results of the preparation.
  auto isRaw = [&](const WeightSource &source) {
    return source.kind != WeightSource::Kind::Prepared && isThere(source);
  };
  auto isKnown = [&](const PreparedWeight &weight) {
    return llvm::all_of(weight.weights, [&](uint32_t index) {
      return index < image.preparationWeights.size();
    });
  };
  return llvm::all_of(image.weights, isThere) &&
         llvm::all_of(image.preparationWeights, isRaw) &&
         llvm::all_of(image.prepared, isKnown);
}

/// Whether the runtime accepts the executables, and their numbers of weights,
/// inputs and outputs are those of the image.
static bool hasExecutables(const Image &image) {
  auto executable = openExecutable(image.executable);
  if (!executable)
    return false;
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable->get(), &info);
  if (info.weightCount != image.weights.size())
    return false;
  if (image.preparation.empty())
    return image.prepared.empty() && image.preparationWeights.empty();
  auto preparation = openExecutable(image.preparation);
  DmlFunctionInfo function{};
  return preparation &&
         call(dmlGetFunctionInfo, preparation->get(), 0u, &function).ok() &&
         function.inputCount == image.preparationWeights.size() &&
         function.outputCount == image.prepared.size();
}

static bool readPrepared(PieceReader &reader, uint64_t count, Image &image) {
  for (uint64_t i = 0; i < count; ++i) {
    PreparedHeader header;
    PreparedWeight weight;
    if (!reader.read(header) ||
        !reader.read(header.weightCount, weight.weights))
      return false;
    weight.computation = header.computation;
    image.prepared.push_back(std::move(weight));
  }
  return true;
}

/// Reads the parts of an image that follow the header. Returns the reason why
/// the image cannot be used, or "".
static std::string parseImage(const ImageHeader &header, llvm::StringRef bytes,
                              const Model &model, Image &image) {
  Digester digester;
  digester.addBytes(bytes);
  if (digester.finish() != header.digest)
    return "its digest is not that of its bytes";
  PieceReader reader(bytes);
  image.files.push_back({model.getName(), model.getState()});
  if (!reader.read(header.weightCount, image.weights) ||
      !reader.read(header.preparationWeightCount, image.preparationWeights) ||
      !readPrepared(reader, header.preparedCount, image))
    return "it is too short";
  if (!readFiles(reader, header.fileCount, model, image))
    return "it was made of other files of weights";
  if (!reader.read(header.byteCount, image.bytes) ||
      !reader.read(header.preparationSize, image.preparation) ||
      !reader.read(header.executableSize, image.executable) ||
      !reader.getRest().empty())
    return "it has another size than it says";
  if (!hasWeights(image, model))
    return "it has a weight without bytes";
  return hasExecutables(image) ? "" : "it has no executable for this version";
}

std::optional<Image> DiskCache::loadImage(const Digest &key,
                                          const Model &model) {
  std::string path = getImagePath(key);
  std::optional<std::string> bytes = readFile(path);
  if (!bytes)
    return std::nullopt;
  PieceReader reader(*bytes);
  ImageHeader header, wanted;
  if (!reader.read(header) ||
      std::memcmp(header.magic, wanted.magic, sizeof(header.magic)) != 0 ||
      header.key != key) {
    ignore(path, "it is no program of this key");
    return std::nullopt;
  }
  Image image;
  std::string why = parseImage(header, reader.getRest(), model, image);
  if (why.empty())
    return image;
  ignore(path, why);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

std::string DiskCache::getPipelinePath(DmlDevice device) const {
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device, &info);
  Digester digester;
  digester.add(llvm::StringRef(reinterpret_cast<const char *>(info.uuid),
                               sizeof(info.uuid)));
  digester.add(llvm::StringRef(info.driverName));
  digester.add(llvm::StringRef(info.driverInfo));
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, toHex(digester.finish()) + ".dmlpipelines");
  return path.str().str();
}

static Digest digest(llvm::StringRef bytes) {
  Digester digester;
  digester.addBytes(bytes);
  return digester.finish();
}

void DiskCache::loadPipelines(DmlDevice device) {
  std::string path = getPipelinePath(device);
  std::optional<std::string> bytes = readFile(path);
  if (!bytes)
    return;
  Status status = call(dmlSetPipelineCacheData, device,
                       static_cast<const void *>(bytes->data()), bytes->size());
  if (!status.ok())
    return ignore(path, status.message());
  std::lock_guard<std::mutex> lock(mutex);
  pipelines = digest(*bytes);
  pipelineBytes = bytes->size();
}

void DiskCache::storePipelines(DmlDevice device, bool isOver) {
  std::lock_guard<std::mutex> lock(mutex);
  auto fail = [&](const Status &status) {
    messages.warn("pipelines are not kept in the cache folder '" + folder +
                  "': " + status.message());
  };
  hasNewPipelines |= !isOver;
  if (!hasNewPipelines)
    return;
  size_t size = 0;
  Status status = call(dmlGetPipelineCacheData, device, &size,
                       static_cast<void *>(nullptr));
  if (!status.ok())
    return fail(status);
  if (!isOver && pipelines && size < pipelineBytes + pipelineBytes / 8)
    return;
  std::string bytes(size, 0);
  // Another thread may have made the cache larger, which is kept next time.
  status = call(dmlGetPipelineCacheData, device, &size,
                static_cast<void *>(bytes.data()));
  if (!status.ok())
    return fail(status);
  bytes.resize(size);
  Digest now = digest(bytes);
  pipelineBytes = size;
  hasNewPipelines = false;
  if (pipelines == now)
    return;
  writeFile(getPipelinePath(device), {llvm::StringRef(bytes)});
  pipelines = now;
}

//===----------------------------------------------------------------------===//
// Measured kernels
//===----------------------------------------------------------------------===//

std::string DiskCache::getTuningPath(const TuningTable &table) const {
  Digester digester;
  for (llvm::StringRef part :
       {table.profile, table.device, table.uuid, table.driver})
    digester.add(part);
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, toHex(digester.finish()) + ".dmltuning");
  return path.str().str();
}

std::optional<TuningTable> DiskCache::loadTuning(const TuningTable &wanted) {
  std::string path = getTuningPath(wanted);
  std::optional<std::string> bytes = readFile(path);
  if (!bytes)
    return std::nullopt;
  llvm::Expected<TuningTable> table = TuningTable::parse(*bytes);
  if (!table) {
    ignore(path, llvm::toString(table.takeError()));
    return std::nullopt;
  }
  if (table->profile != wanted.profile || table->device != wanted.device ||
      table->uuid != wanted.uuid || table->driver != wanted.driver) {
    ignore(path, "it is of another device, driver or device profile");
    return std::nullopt;
  }
  return std::move(*table);
}

void DiskCache::storeTuning(TuningTable table) {
  // Kernels that other processes have measured meanwhile are kept. Of two
  // processes that store at the same time, one may lose what it has measured.
  std::lock_guard<std::mutex> lock(mutex);
  if (std::optional<TuningTable> kept = loadTuning(table))
    for (const TunedKernel &kernel : kept->getKernels())
      if (!table.find(kernel.dispatch))
        table.add(kernel);
  writeFile(getTuningPath(table), {llvm::StringRef(table.str())});
}
