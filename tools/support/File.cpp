//===- File.cpp - How every tool writes its files -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/File.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dml::tools;

namespace {

/// The error of a call, before the next one has its own.
struct Errno {
  int value = 0;
  bool operator()(bool good) {
    if (!good && value == 0)
      value = errno;
    return good;
  }
};

//===----------------------------------------------------------------------===//
// The temporary file, should the program be ended meanwhile
//===----------------------------------------------------------------------===//

char unfinished[PATH_MAX];
bool hasUnfinished = false;
constexpr int kSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
constexpr size_t kSignalCount = sizeof(kSignals) / sizeof(kSignals[0]);
struct sigaction previous[kSignalCount];

/// A lock for the variables above. It is held by a thread that begins or
/// completes a temporary file, which blocks signals meanwhile, or by a thread
/// that runs the signal handler.
class Turn {
public:
  Turn() {
    while (isTaken.test_and_set())
      sched_yield();
  }
  ~Turn() { isTaken.clear(); }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  static std::atomic_flag isTaken;
};

std::atomic_flag Turn::isTaken = ATOMIC_FLAG_INIT;

void getSignals(sigset_t &signals) {
  sigemptyset(&signals);
  for (int signal : kSignals)
    sigaddset(&signals, signal);
}

/// Signals wait on this thread while this lives.
class SignalsWait {
public:
  SignalsWait() {
    sigset_t signals;
    getSignals(signals);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;

private:
  sigset_t before;
};

/// The handler, during which signals wait.
void removeUnfinished(int signal) {
  // The lock is held until the program has ended, so that no thread begins
  // another file.
  Turn turn;
  if (hasUnfinished)
    unlink(unfinished);
  hasUnfinished = false;
  // The signal has the effect again that it had before.
  for (size_t i = 0; i < kSignalCount; ++i)
    if (kSignals[i] == signal)
      sigaction(signal, &previous[i], nullptr);
  raise(signal);
  sigset_t raised;
  sigemptyset(&raised);
  sigaddset(&raised, signal);
  pthread_sigmask(SIG_UNBLOCK, &raised, nullptr);
}

/// A new file. While this object exists, a signal that ends the program, on any
/// thread, first removes the file.
class TemporaryFile {
public:
  /// `pattern` is mkstemp's.
  explicit TemporaryFile(const std::string &pattern) {
    if (pattern.size() >= sizeof(unfinished)) {
      errno = ENAMETOOLONG;
      return;
    }
    SignalsWait signalsWait;
    Turn turn;
    struct sigaction action {};
    action.sa_handler = removeUnfinished;
    getSignals(action.sa_mask);
    // The handlers are never removed. Even after the operating system has
    // decided to end the program by the default action of a signal, another
    // thread could still create a file.
    for (size_t i = 0; i < kSignalCount; ++i) {
      struct sigaction current;
      sigaction(kSignals[i], nullptr, &current);
      if (current.sa_handler == SIG_IGN ||
          current.sa_handler == removeUnfinished)
        continue;
      previous[i] = current;
      sigaction(kSignals[i], &action, nullptr);
    }
    std::memcpy(unfinished, pattern.c_str(), pattern.size() + 1);
    file = mkstemp(unfinished);
    int code = errno;
    hasUnfinished = file >= 0;
    isGuarded = true;
    errno = code;
  }
  ~TemporaryFile() {
    if (!isGuarded)
      return;
    SignalsWait signalsWait;
    Turn turn;
    hasUnfinished = false;
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  /// Returns the descriptor of the file. Returns -1, with errno set, if the
  /// file could not be created.
  int descriptor() const { return file; }
  const char *path() const { return unfinished; }

private:
  int file = -1;
  bool isGuarded = false;
};

//===----------------------------------------------------------------------===//
// What stands at a path
//===----------------------------------------------------------------------===//

struct Target {
  /// The path behind all symbolic links.
  std::string path;
  /// The descriptor for which a path such as /dev/stdout is another name, or
  /// -1.
  int descriptor = -1;
  bool exists = false;
  struct stat status {};
};

std::string getFolder(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool isSameFolder(const std::string &lhs, const char *rhs) {
  struct stat left, right;
  return stat(lhs.c_str(), &left) == 0 && stat(rhs, &right) == 0 &&
         left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/// Finds the file at the end of a chain of symbolic links. realpath() cannot be
/// used: it fails for a link to a file that does not exist yet, and it replaces
/// a descriptor by a file with another offset.
bool findTarget(const std::string &path, Target &target) {
  target.path = path;
  for (int links = 0; links < 40; ++links) {
    struct stat link;
    if (lstat(target.path.c_str(), &link) != 0)
      return errno == ENOENT;
    if (!S_ISLNK(link.st_mode)) {
      target.exists = true;
      target.status = link;
      return true;
    }
    std::string folder = getFolder(target.path);
    if (isSameFolder(folder, "/proc/self/fd")) {
      target.descriptor =
          std::atoi(target.path.c_str() + target.path.rfind('/') + 1);
      return true;
    }
    char text[PATH_MAX];
    ssize_t size = readlink(target.path.c_str(), text, sizeof(text));
    if (size < 0)
      return false;
    std::string next(text, static_cast<size_t>(size));
    target.path = next[0] == '/' ? next : folder + "/" + next;
  }
  errno = ELOOP;
  return false;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

using Pieces = std::vector<std::pair<const void *, size_t>>;

bool writeAll(int file, const Pieces &pieces) {
  // With this signal ignored, a file that exceeds the process's limit is a
  // failure of write(), and does not end the process.
  struct IgnoreSignal {
    void (*previous)(int) = std::signal(SIGXFSZ, SIG_IGN);
    ~IgnoreSignal() { std::signal(SIGXFSZ, previous); }
  } ignore;
  for (const auto &[data, size] : pieces) {
    const char *next = static_cast<const char *>(data);
    size_t left = size;
    while (left > 0) {
      ssize_t written = write(file, next, left);
      if (written < 0) {
        if (errno == EINTR)
          continue;
        return false;
      }
      next += written;
      left -= static_cast<size_t>(written);
    }
  }
  return true;
}

bool writeInPlace(int file, const Pieces &pieces, Errno &code) {
  if (!code(file >= 0))
    return false;
  bool good = code(writeAll(file, pieces));
  return code(close(file) == 0) && good;
}

/// Puts a new file in the place of `target`, at once or not at all.
bool replace(const Target &target, const Pieces &pieces, Errno &code) {
  // Renaming would get around the file's own permissions.
  if (target.exists && !code(access(target.path.c_str(), W_OK) == 0))
    return false;
  // The temporary file is in the folder of the target, since a file can only be
  // renamed within one file system.
  TemporaryFile temporary(target.path + ".XXXXXX");
  int file = temporary.descriptor();
  if (!code(file >= 0))
    return false;
  // mkstemp lets only the owner in; open would have heeded the umask.
  mode_t mode = target.status.st_mode & 07777;
  if (!target.exists) {
    mode_t mask = umask(0);
    umask(mask);
    mode = 0666 & ~mask;
  } else if (fchown(file, target.status.st_uid, target.status.st_gid) != 0) {
    // The file of somebody else becomes the writer's, who may not give it away.
    mode &= 0777;
  }
  bool good = code(writeAll(file, pieces)) && code(fchmod(file, mode) == 0);
  good = code(close(file) == 0) && good;
  good = good && code(std::rename(temporary.path(), target.path.c_str()) == 0);
  if (!good)
    unlink(temporary.path());
  return good;
}

} // namespace

bool dml::tools::writeFile(const std::string &path, const Pieces &pieces,
                           std::string &error) {
  Errno code;
  Target target;
  bool good = code(findTarget(path, target));
  if (good && target.descriptor >= 0)
    good = code(std::fflush(nullptr) == 0) &&
           writeInPlace(dup(target.descriptor), pieces, code);
  else if (good && target.exists && !S_ISREG(target.status.st_mode))
    good = writeInPlace(open(target.path.c_str(), O_WRONLY | O_CLOEXEC), pieces,
                        code);
  else if (good)
    good = replace(target, pieces, code);
  if (!good)
    error = "cannot write '" + path + "': " + std::strerror(code.value);
  return good;
}

bool dml::tools::writeOutput(const std::string &path, std::string_view data,
                             std::string &error) {
  Pieces pieces = {{data.data(), data.size()}};
  if (path != "-")
    return writeFile(path, pieces, error);
  Errno code;
  if (code(std::fflush(stdout) == 0) &&
      writeInPlace(dup(STDOUT_FILENO), pieces, code))
    return true;
  error = std::string("cannot write to standard output: ") +
          std::strerror(code.value);
  return false;
}

bool dml::tools::checkOutput(const std::string &path, std::string &error) {
  Errno code;
  Target target;
  bool good = code(findTarget(path, target));
  if (good && target.exists && S_ISDIR(target.status.st_mode)) {
    code.value = EISDIR;
    good = false;
  } else if (good && target.descriptor < 0 && target.exists) {
    good = code(access(target.path.c_str(), W_OK) == 0);
  }
  if (good && target.descriptor < 0 &&
      (!target.exists || S_ISREG(target.status.st_mode)))
    good = code(access(getFolder(target.path).c_str(), W_OK | X_OK) == 0);
  if (!good)
    error = "cannot write '" + path + "': " + std::strerror(code.value);
  return good;
}
