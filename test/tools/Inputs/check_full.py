"""Checks that a tool whose standard output takes nothing says so.

    check_full.py TOOL ARGUMENT...

SPDX-License-Identifier: Apache-2.0
"""
import subprocess
import sys

with open("/dev/full", "wb") as full:
    result = subprocess.run(sys.argv[1:], stdout=full, stderr=subprocess.PIPE)
if result.returncode != 4 or b"No space left on device" not in result.stderr:
    sys.exit(f"exit code {result.returncode}, {result.stderr}")
