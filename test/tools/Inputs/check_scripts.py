"""Asks each script of a folder what it does: check_scripts.py FOLDER

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import subprocess
import sys

for script in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    # The scripts in Python need the packages of the Python that runs this test.
    text = script.read_text()
    command = [sys.executable] if "python3" in text.split("\n", 1)[0] else []
    result = subprocess.run([*command, script, "--help"], text=True, timeout=60,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    if result.returncode or "usage: " not in result.stdout.lower():
        sys.exit(f"{script} --help: exit code {result.returncode}\n{result.stdout}")
