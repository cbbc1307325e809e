"""Runs a command and succeeds if it ends with the exit code asked for.

    exits.py CODE COMMAND ARGUMENT...

SPDX-License-Identifier: Apache-2.0
"""
import subprocess
import sys

wanted = int(sys.argv[1])
found = subprocess.run(sys.argv[2:]).returncode
if found != wanted:
    sys.exit(f"{sys.argv[2]} ended with {found}, not with {wanted}")
