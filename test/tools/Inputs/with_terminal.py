# SPDX-License-Identifier: Apache-2.0
"""Runs a command at a terminal of its own.

    with_terminal.py COMMAND...
    with_terminal.py --output COMMAND...
    with_terminal.py --errors COMMAND...

Standard input is the terminal. With --output, output and errors go to the terminal too, and what
it got is printed; with --errors, the errors alone, and the output goes to nobody.
"""
import os
import pty
import subprocess
import sys

command = sys.argv[1:]
option = command.pop(0) if command[0] in ("--output", "--errors") else ""
master, terminal = pty.openpty()
streams = {}
if option:
    streams["stderr"] = terminal
    streams["stdout"] = terminal if option == "--output" else subprocess.DEVNULL
child = subprocess.Popen(command, stdin=terminal, **streams)
if option:
    os.close(terminal)
text = b""
while option:
    try:
        part = os.read(master, 4096)
    except OSError:  # The child has closed the other end.
        break
    if not part:
        break
    text += part
code = child.wait(timeout=60)
os.close(master)
if option:
    print(text.decode(errors="replace").replace("\r", "\n"))
sys.exit(code)
