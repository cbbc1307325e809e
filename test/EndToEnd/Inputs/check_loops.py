"""Checks that a run with more iterations than the device bears is refused, with
both numbers. Does nothing where the device has no limit.

    check_loops.py dml-run ARGUMENT...

SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import subprocess
import sys

devices = json.loads(subprocess.check_output(["dml-run", "--list-devices", "--json"]))
limits = {device["limits"]["maxLoopIterations"] for device in devices}
if 0 not in limits:
    result = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True)
    found = re.search(r"maxLoopIterations of (\d+) is needed, but it has (\d+)",
                      result.stderr)
    if result.returncode != 1 or not found or int(found[2]) not in limits:
        sys.exit(f"exit code {result.returncode}: {result.stderr}")
