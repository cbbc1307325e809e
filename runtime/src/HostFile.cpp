//===- HostFile.cpp - Files of the host, by their names in UTF-8 ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// Offsets have 64 bits on systems too whose long has 32.
#define _FILE_OFFSET_BITS 64

#include "HostFile.h"

#include <cerrno>
#include <climits>
#include <cstring>

#ifdef _WIN32
#include <windows.h>
#endif

using namespace dml::runtime;

#ifdef _WIN32
/// Opens the file. A name that is no UTF-8 names no file.
static std::FILE *openByName(const std::string &path) {
  int size = static_cast<int>(path.size()) + 1;
  std::wstring wide(path.size() + 1, L'\0');
  if (path.size() >= INT_MAX ||
      MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.c_str(), size,
                          wide.data(), size) == 0) {
    errno = ENOENT;
    return nullptr;
  }
  return _wfopen(wide.c_str(), L"rb");
}
#else
static std::FILE *openByName(const std::string &path) {
  return std::fopen(path.c_str(), "rb");
}
#endif

Expected<HostFile> dml::runtime::openHostFile(const std::string &path) {
  HostFile file(openByName(path), std::fclose);
  if (!file)
    return makeError(errno == ENOENT ? DML_ERROR_NOT_FOUND : DML_ERROR_IO,
                     "cannot open '", path, "': ", std::strerror(errno));
  return file;
}

int64_t dml::runtime::seekHostFile(std::FILE *file, int64_t offset,
                                   int origin) {
#ifdef _WIN32
  return _fseeki64(file, offset, origin) == 0 ? _ftelli64(file) : -1;
#else
  return fseeko(file, static_cast<off_t>(offset), origin) == 0 ? ftello(file)
                                                               : -1;
#endif
}

Status dml::runtime::makeReadError(const std::string &path) {
  return makeError(DML_ERROR_IO, "cannot read '", path,
                   "': ", std::strerror(errno));
}
