"""Runs a command in bounded time and memory, and succeeds if it ends with the exit code
asked for.

    bounded.py BYTES CODE COMMAND ARGUMENT...

A command that takes more than 20 seconds or BYTES of addresses fails (0 is no bound of
memory). This tells work that a few operators bound from work that the sizes of their
tensors do; it is no test of speed.

SPDX-License-Identifier: Apache-2.0
"""
import resource
import subprocess
import sys

SECONDS = 20
bytes, wanted = int(sys.argv[1]), int(sys.argv[2])


def limit():
    if bytes:
        resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))


try:
    found = subprocess.run(sys.argv[3:], timeout=SECONDS, preexec_fn=limit).returncode
except subprocess.TimeoutExpired:
    sys.exit(f"{sys.argv[3]} took more than {SECONDS} seconds")
if found != wanted:
    sys.exit(f"{sys.argv[3]} ended with {found}, not with {wanted}")
