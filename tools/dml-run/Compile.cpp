//===- Compile.cpp - The compiler's tools, run by dml-run -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dml::tools;

extern char **environ;

AnonymousFile::~AnonymousFile() {
  if (descriptor >= 0)
    close(descriptor);
}

bool AnonymousFile::create(std::string &error,
                           const std::vector<uint8_t> &bytes) {
  descriptor = memfd_create("dml-run", 0);
  bool good = descriptor >= 0;
  for (size_t done = 0; good && done < bytes.size();) {
    ssize_t count = write(descriptor, &bytes[done], bytes.size() - done);
    good = count >= 0 || errno == EINTR;
    done += count > 0 ? static_cast<size_t>(count) : 0;
  }
  if (!good)
    error =
        std::string("cannot create a file in memory: ") + std::strerror(errno);
  return good;
}

bool AnonymousFile::createOnDisk(std::string &error) {
  std::error_code code;
  std::filesystem::path folder = std::filesystem::temp_directory_path(code);
  if (!code)
    descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR, 0600);
  return descriptor >= 0 || create(error);
}

bool AnonymousFile::hasBytes() const {
  struct stat status;
  return fstat(descriptor, &status) == 0 && status.st_size > 0;
}

std::vector<uint8_t> AnonymousFile::read() const {
  std::vector<uint8_t> bytes;
  std::array<uint8_t, 65536> chunk;
  ssize_t size = 0;
  while ((size = pread(descriptor, chunk.data(), chunk.size(),
                       static_cast<off_t>(bytes.size()))) > 0)
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + size);
  return bytes;
}

bool dml::tools::runCompilerTool(const std::string &name,
                                 const std::vector<std::string> &arguments,
                                 const std::string &purpose, std::string &error,
                                 ExitCode &exitCode) {
  exitCode = kExitNo;
  std::string program = name;
  std::error_code code;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", code);
  if (!code) {
    std::filesystem::path beside = self.parent_path() / program;
    if (access(beside.c_str(), X_OK) == 0)
      program = beside;
  }

  std::vector<std::string> strings = {program};
  strings.insert(strings.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &string : strings)
    argv.push_back(string.data());
  argv.push_back(nullptr);

  pid_t child = 0;
  int result = posix_spawnp(&child, program.c_str(), nullptr, nullptr,
                            argv.data(), environ);
  if (result != 0) {
    error = "cannot " + purpose + ": there is no " + name +
            " beside dml-run or in PATH (" + std::strerror(result) + ")";
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) {
      error = "cannot wait for " + name + ": " + std::strerror(errno);
      return false;
    }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  // Its exit codes are those of all tools.
  if (WIFEXITED(status) && WEXITSTATUS(status) <= kExitNotWritten)
    exitCode = static_cast<ExitCode>(WEXITSTATUS(status));
  else
    error =
        name + " could not " + purpose + ": " +
        (WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                           : "signal " + std::to_string(WTERMSIG(status)));
  return false;
}
