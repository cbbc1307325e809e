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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dml::tools;

extern char **environ;

namespace {
/// An end of a socket between this process and a tool that it runs.
struct Socket {
  ~Socket() { close(); }

  void close() {
    if (descriptor >= 0)
      ::close(std::exchange(descriptor, -1));
  }
  /// Returns all bytes that the other end sends before it closes the socket.
  std::vector<uint8_t> readAll() const {
    std::vector<uint8_t> bytes;
    std::array<uint8_t, 4096> chunk;
    while (true) {
      ssize_t count = read(descriptor, chunk.data(), chunk.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return bytes;
      bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + count);
    }
  }
  /// Lets the other end go on.
  void answer() const { send(descriptor, "", 1, MSG_NOSIGNAL); }

  int descriptor = -1;
};
} // namespace

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
                                 ExitCode &exitCode, const AnonymousFile *input,
                                 const Consult &consult) {
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
  Socket here, there;
  if (consult) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
      error = "cannot " + purpose +
              ": there is no socket to the compiler: " + std::strerror(errno);
      return false;
    }
    here.descriptor = ends[0];
    there.descriptor = ends[1];
    fcntl(here.descriptor, F_SETFD, FD_CLOEXEC);
    strings.push_back("--consult=" + std::to_string(there.descriptor));
  }
  std::vector<char *> argv;
  for (std::string &string : strings)
    argv.push_back(string.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input) {
    lseek(input->getDescriptor(), 0, SEEK_SET);
    posix_spawn_file_actions_adddup2(&actions, input->getDescriptor(),
                                     STDIN_FILENO);
  }
  pid_t child = 0;
  int result = posix_spawnp(&child, program.c_str(), &actions, nullptr,
                            argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (result != 0) {
    error = "cannot " + purpose + ": there is no " + name +
            " beside dml-run or in PATH (" + std::strerror(result) + ")";
    return false;
  }
  int status = 0;
  auto wait = [&] {
    while (waitpid(child, &status, 0) < 0)
      if (errno != EINTR)
        return false;
    return true;
  };
  if (consult) {
    there.close();
    try {
      // A tool that has failed tells nothing.
      if (std::vector<uint8_t> bytes = here.readAll(); !bytes.empty()) {
        consult(std::move(bytes));
        here.answer();
      }
    } catch (...) {
      here.close();
      wait();
      throw;
    }
  }
  if (!wait()) {
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
