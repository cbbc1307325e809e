# SPDX-License-Identifier: Apache-2.0
"""Runs a command whose standard input is a terminal: with_terminal.py COMMAND..."""
import os
import pty
import subprocess
import sys

master, terminal = pty.openpty()
code = subprocess.run(sys.argv[1:], stdin=terminal, timeout=60).returncode
os.close(master)
sys.exit(code)
