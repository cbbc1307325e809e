//===- FileWindows.cpp - How every tool writes its files, on Windows ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Names are UTF-8, as the manifest of each tool says (cmake/windows).
//
//===----------------------------------------------------------------------===//

#include "support/File.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <windows.h>

using namespace dml::tools;

using Pieces = std::vector<std::pair<const void *, size_t>>;

/// Writes all pieces, and closes the file. Returns false, with errno set, if
/// one of the two fails.
static bool writeAndClose(std::FILE *file, const Pieces &pieces) {
  bool good = true;
  for (const auto &[data, size] : pieces)
    good = good && std::fwrite(data, 1, size, file) == size;
  int code = errno;
  bool isClosed = std::fclose(file) == 0;
  if (!good)
    errno = code;
  return good && isClosed;
}

/// What the last call of Windows says of a path, as an errno.
static int getLastErrno() {
  switch (GetLastError()) {
  case ERROR_FILE_NOT_FOUND:
  case ERROR_PATH_NOT_FOUND:
    return ENOENT;
  case ERROR_DISK_FULL:
    return ENOSPC;
  case ERROR_ACCESS_DENIED:
  case ERROR_SHARING_VIOLATION:
    return EACCES;
  default:
    return EIO;
  }
}

/// Puts a new file in the place of `path`, at once or not at all.
static bool replace(const std::string &path, const Pieces &pieces) {
  // The temporary file is in the folder of the file, since a file can only be
  // renamed within one file system.
  std::string temporary =
      path + "." + std::to_string(GetCurrentProcessId()) + ".tmp";
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  if (!file)
    return false;
  bool good = writeAndClose(file, pieces);
  if (good && !MoveFileExA(temporary.c_str(), path.c_str(),
                           MOVEFILE_REPLACE_EXISTING)) {
    errno = getLastErrno();
    good = false;
  }
  int code = errno;
  if (!good)
    DeleteFileA(temporary.c_str());
  errno = code;
  return good;
}

/// Whether a path names what is no regular file: a device such as NUL, or a
/// pipe.
static bool isDevice(const std::string &path) {
  HANDLE file = CreateFileA(path.c_str(), GENERIC_WRITE,
                            FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                            OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE)
    return false;
  bool isDisk = GetFileType(file) == FILE_TYPE_DISK;
  CloseHandle(file);
  return !isDisk;
}

static std::string describeFailure(const std::string &path) {
  return "cannot write '" + path + "': " + std::strerror(errno);
}

bool dml::tools::writeFile(const std::string &path, const Pieces &pieces,
                           std::string &error) {
  bool good = false;
  if (isDevice(path)) {
    std::FILE *file = std::fopen(path.c_str(), "wb");
    good = file && writeAndClose(file, pieces);
  } else {
    good = replace(path, pieces);
  }
  if (!good)
    error = describeFailure(path);
  return good;
}

bool dml::tools::writeOutput(const std::string &path, std::string_view data,
                             std::string &error) {
  if (path != "-")
    return writeFile(path, {{data.data(), data.size()}}, error);
  if (std::fwrite(data.data(), 1, data.size(), stdout) == data.size() &&
      std::fflush(stdout) == 0)
    return true;
  error =
      std::string("cannot write to standard output: ") + std::strerror(errno);
  return false;
}

bool dml::tools::checkOutput(const std::string &path, std::string &error) {
  DWORD attributes = GetFileAttributesA(path.c_str());
  errno = 0;
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    size_t slash = path.find_last_of("/\\:");
    std::string folder =
        slash == std::string::npos ? "." : path.substr(0, slash + 1);
    attributes = GetFileAttributesA(folder.c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES)
      errno = ENOENT;
    else if (!(attributes & FILE_ATTRIBUTE_DIRECTORY))
      errno = ENOTDIR;
  } else if (attributes & FILE_ATTRIBUTE_DIRECTORY) {
    errno = EISDIR;
  } else if (attributes & FILE_ATTRIBUTE_READONLY) {
    errno = EACCES;
  }
  if (errno == 0)
    return true;
  error = describeFailure(path);
  return false;
}
