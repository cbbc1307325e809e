//===- Compile.cpp - Compile a module with dml-compile --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dml::tools;

extern char **environ;

TemporaryFile::~TemporaryFile() {
  if (!name.empty())
    unlink(name.c_str());
}

bool TemporaryFile::create(const std::string &suffix, std::string &error) {
  std::error_code code;
  std::filesystem::path folder = std::filesystem::temp_directory_path(code);
  if (code) {
    error = "there is no folder for temporary files: " + code.message();
    return false;
  }
  std::string path = folder / ("dml-run-XXXXXX" + suffix);
  int file = mkstemps(path.data(), static_cast<int>(suffix.size()));
  if (file < 0) {
    error = "cannot create a file in '" + folder.string() +
            "': " + std::strerror(errno);
    return false;
  }
  close(file);
  name = path;
  return true;
}

bool dml::tools::compileModule(const std::string &module,
                               const std::string &output,
                               const std::vector<std::string> &arguments,
                               std::string &error) {
  std::string program = "dml-compile";
  std::error_code code;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", code);
  if (!code) {
    std::filesystem::path beside = self.parent_path() / program;
    if (access(beside.c_str(), X_OK) == 0)
      program = beside;
  }

  std::vector<std::string> strings = {program, module, "-o", output};
  strings.insert(strings.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &string : strings)
    argv.push_back(string.data());
  argv.push_back(nullptr);

  pid_t child = 0;
  int result = posix_spawnp(&child, program.c_str(), nullptr, nullptr,
                            argv.data(), environ);
  if (result != 0) {
    error = "cannot compile '" + module +
            "': there is no dml-compile beside dml-run or in PATH (" +
            std::strerror(result) + ")";
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) {
      error =
          std::string("cannot wait for dml-compile: ") + std::strerror(errno);
      return false;
    }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  error = "dml-compile could not compile '" + module + "': ";
  error += WIFEXITED(status)
               ? "exit code " + std::to_string(WEXITSTATUS(status))
               : "signal " + std::to_string(WTERMSIG(status));
  return false;
}
