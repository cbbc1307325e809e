//===- Weights.h - Weights on a device, which stand there once --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The weights that the programs of a process read on a device. A weight has a
// key: the file that has the weight, with its size, time and inode, and the
// place there; the digest of bytes that stand in memory; of a built model's
// weight its identifier, or the weight itself; or, for what is computed from
// weights, the computation and the keys of what it reads.
// Programs of a session for different sizes, and sessions on one model, so find
// the same weights. A weight goes with the last program that reads it.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_WEIGHTS_H
#define DML_LIB_SESSION_WEIGHTS_H

#include "Image.h"
#include <map>
#include <mutex>

namespace dml::session {

/// A weight on a device.
struct DeviceWeight {
  BufferHandle buffer;
  DmlBufferRange range;
};
using WeightPointer = std::shared_ptr<DeviceWeight>;

/// The weights on a device.
class WeightStore {
public:
  explicit WeightStore(DeviceHandle device) : device(std::move(device)) {}

  /// The store of the device, which all sessions on the device share.
  static Expected<std::shared_ptr<WeightStore>> get(DmlDevice device);

  DmlDevice getDevice() const { return device.get(); }

  /// Held by who looks weights up and makes those that are missing.
  std::mutex mutex;
  /// The weight of a key, or null.
  WeightPointer find(const Digest &key) const;
  void add(const Digest &key, const WeightPointer &weight);
  /// Makes memory for a weight of `size` bytes.
  Expected<WeightPointer> allocate(uint64_t size) const;

  /// Bytes of the weights that there are.
  uint64_t countBytes();

private:
  DeviceHandle device;
  std::map<Digest, std::weak_ptr<DeviceWeight>> weights;
  /// The number of keys at which those of weights that have gone are dropped.
  size_t mostKeys = 64;
};

/// The weights that the caller of a session has, by their names.
struct CallerWeights {
  llvm::StringMap<llvm::StringRef> bytes;
  /// The file of weights beside an executable, or "".
  std::string path;
};

/// Brings the weights of an image to the device.
class WeightLoader {
public:
  /// `options` tell apart what the same computation makes under other options.
  WeightLoader(WeightStore &store, const Model &model, const Image &image,
               const CallerWeights &caller, const Digest &options,
               uint64_t waitLimit)
      : store(store), model(model), image(image), caller(caller),
        options(options), waitLimit(waitLimit) {}

  /// The weights of `executable`, which is the image's, in their order.
  Expected<std::vector<WeightPointer>> load(DmlExecutable executable) noexcept;

private:
  Expected<llvm::StringRef> findMemory(const WeightSource &source,
                                       const DmlTensorInfo &tensor) const;
  Expected<Digest> getKey(const WeightSource &source,
                          const DmlTensorInfo &tensor) const;
  /// Writes the bytes of a weight to a buffer. The weight is not a result of
  /// the preparation.
  Status fill(const WeightSource &source, const DmlTensorInfo &tensor,
              DmlBuffer buffer) const;
  Expected<WeightPointer> loadWeight(const WeightSource &source,
                                     const DmlTensorInfo &tensor);
  Status prepare();
  Status runPreparation(DmlExecutable executable,
                        llvm::ArrayRef<DmlTensorInfo> inputs);
  Status checkFiles() const;

  WeightStore &store;
  const Model &model;
  const Image &image;
  const CallerWeights &caller;
  const Digest &options;
  const uint64_t waitLimit;
  /// The keys of the results of the preparation, and the weights that contain
  /// the results.
  std::vector<Digest> preparedKeys;
  std::vector<WeightPointer> prepared;
  /// The weights that the preparation reads and writes. They are kept so that a
  /// weight that the program reads as well is loaded only once.
  std::vector<WeightPointer> kept;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_WEIGHTS_H
