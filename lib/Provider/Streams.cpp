//===- Streams.cpp - Streams of a device ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

using namespace dml::provider;

namespace {
/// What tells that all work before a point is done, which it always is.
class Notification : public OrtSyncNotificationImpl {
public:
  Notification() : OrtSyncNotificationImpl{} {
    ort_version_supported = getApi().version;
    Release = [](OrtSyncNotificationImpl *self) noexcept {
      delete static_cast<Notification *>(self);
    };
    Activate = [](OrtSyncNotificationImpl *) noexcept -> OrtStatus * {
      return nullptr;
    };
    WaitOnDevice = [](OrtSyncNotificationImpl *,
                      OrtSyncStream *) noexcept -> OrtStatus * {
      return nullptr;
    };
    WaitOnHost = [](OrtSyncNotificationImpl *) noexcept -> OrtStatus * {
      return nullptr;
    };
  }
};

class Stream : public OrtSyncStreamImpl {
public:
  Stream() : OrtSyncStreamImpl{} {
    ort_version_supported = getApi().version;
    Release = [](OrtSyncStreamImpl *self) noexcept {
      delete static_cast<Stream *>(self);
    };
    GetHandle = [](OrtSyncStreamImpl *self) noexcept -> void * { return self; };
    CreateNotification = [](OrtSyncStreamImpl *,
                            OrtSyncNotificationImpl **notification) noexcept {
      return guard([&] { *notification = new Notification(); });
    };
    Flush = [](OrtSyncStreamImpl *) noexcept -> OrtStatus * { return nullptr; };
    OnSessionRunEnd = [](OrtSyncStreamImpl *) noexcept -> OrtStatus * {
      return nullptr;
    };
  }
};
} // namespace

OrtSyncStreamImpl *dml::provider::createStream() { return new Stream(); }
