"""Checks how a tool writes its output to whatever stands there.

    check_output.py FOLDER TOOL ARGUMENT... OPTION

OPTION takes the file: as the next argument ("-o"), or at its end ("--output=@").

SPDX-License-Identifier: Apache-2.0
"""
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading

folder, *command, option = sys.argv[1:]
folder = tempfile.mkdtemp(dir=folder)
old = b"what stood there before, and is longer than nothing"


def path(name):
    return os.path.join(folder, name)


def run(output, wanted=0, **kwargs):
    arguments = [option + output] if option.endswith("@") else [option, output]
    result = subprocess.run(command + arguments, stderr=subprocess.PIPE, **kwargs)
    if result.returncode != wanted:
        sys.exit(f"{output}: {result.returncode}, not {wanted}: {result.stderr}")
    if wanted and b"error: cannot write" not in result.stderr:
        sys.exit(f"{output}: no error says so: {result.stderr}")


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


def write(name, mode):
    with open(path(name), "wb") as file:
        file.write(old)
    os.chmod(path(name), mode)


def check(condition, what):
    if not condition:
        sys.exit(f"{' '.join(command)}: {what}")


# A new file has the mode that the umask leaves; an old one keeps its own.
mask = os.umask(0o027)
run(path("new"))
os.umask(mask)
expected = read("new")
check(len(expected) > 0, "nothing was written")
check(stat.S_IMODE(os.stat(path("new")).st_mode) == 0o640, "the umask is ignored")
write("old", 0o751)
run(path("old"))
check(read("old") == expected, "the file has other bytes")
check(stat.S_IMODE(os.stat(path("old")).st_mode) == 0o751, "the mode is lost")

# Links stay, to a file, to another folder, to what is still to be made.
os.mkdir(path("folder"))
write("folder/target", 0o600)
os.symlink("folder/target", path("link"))
os.symlink("link", path("link to link"))
os.symlink("folder/made", path("dangling"))
for link, target in (("link", "folder/target"), ("link to link", "folder/target"),
                     ("dangling", "folder/made")):
    run(path(link))
    check(os.path.islink(path(link)), f"{link} is a link no more")
    check(read(target) == expected, f"{link} leads elsewhere")

# A pipe gets the bytes and stays a pipe.
os.mkfifo(path("pipe"))
got = []
reader = threading.Thread(target=lambda: got.append(read("pipe")))
reader.start()
run(path("pipe"))
reader.join()
check(got == [expected], "the pipe has other bytes")
check(stat.S_ISFIFO(os.stat(path("pipe")).st_mode), "the pipe is replaced")

# Standard output by its names, after what others wrote to it.
for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
    with open(path("stdout"), "wb") as file:
        file.write(b"before")
        file.flush()
        run(name, stdout=file)
    check(read("stdout") == b"before" + expected, f"{name} is replaced")

# What fails leaves the old file, and nothing beside it.
run("/dev/full", wanted=4)
check(stat.S_ISCHR(os.stat("/dev/full").st_mode), "/dev/full is replaced")
run("/dev/null")
check(stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null is replaced")
run(path("folder"), wanted=4)
write("kept", 0o644)
# A full disk, as far as the program can tell.
def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = len(expected) // 2
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


run(path("kept"), wanted=4, preexec_fn=limit_files)
check(read("kept") == old, "half a file replaced a whole one")
left = {name for name in os.listdir(folder) if name.startswith("kept")}
check(left == {"kept"}, f"{left} is left behind")
shutil.rmtree(folder)
