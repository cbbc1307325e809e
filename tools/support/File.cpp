//===- File.cpp - Files written whole or not at all -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/File.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dml::tools;

static bool writeAll(int file, const void *data, size_t size) {
  const char *next = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t written = write(file, next, size);
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return false;
    }
    next += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

bool dml::tools::writeFile(
    const std::string &path,
    const std::vector<std::pair<const void *, size_t>> &pieces,
    std::string &error) {
  auto fail = [&]() {
    error = "cannot write '" + path + "': " + std::strerror(errno);
    return false;
  };
  struct stat status;
  bool inPlace = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);

  std::string temporary = path;
  int file = -1;
  if (inPlace) {
    file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // Beside the target: a rename works within one file system only.
    temporary += ".XXXXXX";
    file = mkstemp(temporary.data());
  }
  if (file < 0)
    return fail();
  bool written = true;
  for (const auto &[data, size] : pieces)
    written = written && writeAll(file, data, size);
  if (written && !inPlace) {
    // mkstemp lets only the owner in; open would have heeded the umask.
    mode_t mask = umask(0);
    umask(mask);
    written = fchmod(file, 0666 & ~mask) == 0;
  }
  int savedError = errno;
  if (close(file) != 0 && written) {
    written = false;
    savedError = errno;
  }
  if (written && !inPlace &&
      std::rename(temporary.c_str(), path.c_str()) != 0) {
    written = false;
    savedError = errno;
  }
  if (written)
    return true;
  if (!inPlace)
    unlink(temporary.c_str());
  errno = savedError;
  return fail();
}
