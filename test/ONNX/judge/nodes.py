"""What dml-judge-nodes, which has the reader of ONNX models, the interpreter and the
compiler in one process, makes of cases."""
#
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from container import read_records

ROOT = pathlib.Path(__file__).resolve().parents[3]


def find_tool(name):
    folders = [os.environ.get("PATH", ""), str(ROOT / "build/release/bin")]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if not found:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: error: there is no {name} in PATH or"
                 f" {folders[1]}")
    return found


def judge_nodes(cases, arguments=()):
    """A header and bytes for each case."""
    with tempfile.TemporaryDirectory() as folder:
        questions, output = pathlib.Path(folder, "cases"), pathlib.Path(folder, "results")
        with open(questions, "wb") as file:
            for case in cases:
                case.write(file, is_question=True)
        subprocess.run([find_tool("dml-judge-nodes"), *arguments, questions, output],
                       check=True)
        results = list(read_records(output.read_bytes()))
    if len(results) != len(cases):
        sys.exit(f"dml-judge-nodes: error: {len(results)} results of {len(cases)} cases")
    return results


def judge_nodes_in_parallel(cases, arguments=()):
    """What judge_nodes() returns. Each of as many processes as there are processors has
    every N-th case."""
    count = min(os.cpu_count(), max(1, len(cases)))
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        dealt = list(pool.map(lambda first: judge_nodes(cases[first::count], arguments),
                              range(count)))
    return [dealt[index % count][index // count] for index in range(len(cases))]


def simplify(sentence):
    """A refusal without the numbers and names of its node."""
    lines = sentence.strip().split("\n")
    node = len(lines) > 1 and re.fullmatch(r"  (.*?): \d+ nodes?, .*?': (.*)", lines[1])
    return f"{node[1]}: {node[2]}" if node else lines[0]
