#!/usr/bin/env python3
"""What dml does with each operator that ONNX Runtime's DirectML provider registers.

provider.txt has a row for each operator, with the versions in which a registration
begins and a verdict. An operator that is read is in the list of `dml-translate
--onnx-operators`, and a node of each of its versions is refused for no reason of its
version or of its operator. A node of an operator that is refused gives the reason in
the row."""
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys
import tempfile

from onnx import TensorProto, helper

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "provider.txt")
VERDICTS = ("read", "composite", "branch", "refused")
# The oldest version of ONNX's operator set that is asked about.
OLDEST = 7


def readTable():
    with open(TABLE) as file:
        for line in file:
            if line.startswith("#"):
                continue
            domain, name, versions, verdict, *why = line.rstrip("\n").split(" ", 4)
            if verdict not in VERDICTS or (verdict == "refused" and not why):
                sys.exit(f"{TABLE} has no verdict, or no reason, in the row: {line}")
            versions = [] if versions == "-" else [int(version) for version in versions.split(",")]
            yield "" if domain == "ai.onnx" else domain, name, versions, verdict, "".join(why)


def listOperators():
    text = subprocess.run(["dml-translate", "--onnx-operators"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {match[1] for match in re.finditer(r"^\| ([\w.]+) \|", text, re.MULTILINE)}


def findProblems(opset, operators, folder):
    """The reasons for which nodes of one version are refused, by the operator's name."""
    nodes = [helper.make_node(name, ["x"], [f"y{index}"], domain=domain)
             for index, (domain, name) in enumerate(operators)]
    info = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, 2, 2])
    outputs = [helper.make_empty_tensor_value_info(node.output[0]) for node in nodes]
    graph = helper.make_graph(nodes, "test", [info("x")], outputs)
    sets = [helper.make_opsetid(domain, version) for domain, version in
            (("", opset), ("com.microsoft", 1), ("com.microsoft.dml", 1))]
    path = os.path.join(folder, "nodes.onnx")
    with open(path, "wb") as file:
        file.write(helper.make_model(graph, opset_imports=sets).SerializeToString())
    result = subprocess.run(["dml-translate", "--import-onnx", path], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)
    # A node that is read, such as TopK of the first version, may leave nothing.
    if nothing := re.search(r"output 'y(\d+)' has the shape", result.stderr):
        return findProblems(opset, [each for index, each in enumerate(operators) if index != int(nothing[1])], folder)
    # One of the nodes at least lacks inputs.
    found = dict(re.findall(r"^  ([\w.]+): 1 node, '[^']*': (.*)$", result.stderr, re.MULTILINE))
    if not found:
        sys.exit(f"version {opset}: wanted is a list of nodes that are refused, but exit code "
                 f"{result.returncode} came with\n{result.stderr}")
    return found


def main():
    known = listOperators()
    rows, wrong = list(readTable()), []
    byVersion = {}
    for domain, name, versions, verdict, _ in rows:
        full = ".".join(filter(None, (domain, name)))
        if verdict in ("read", "composite") and full not in known:
            wrong.append(f"{full} is {verdict} in the table, but dml-translate does not list it")
        if verdict == "refused" and full in known:
            wrong.append(f"{full} is refused in the table, but dml-translate lists it")
        if verdict != "branch":
            for version in versions if not domain and versions else [17]:
                byVersion.setdefault(max(version, OLDEST), []).append((domain, name))
    verdicts = {".".join(filter(None, row[:2])): row[3:] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        for opset, operators in sorted(byVersion.items()):
            problems = findProblems(opset, list(dict.fromkeys(operators)), folder)
            for domain, name in operators:
                full = ".".join(filter(None, (domain, name)))
                verdict, why = verdicts[full]
                found = problems.get(full, "")
                if verdict == "refused" and found != why:
                    wrong.append(f"{full} is refused with '{found}', but the table has '{why}'")
                if found.startswith("the operator went") and why.startswith("ONNX dropped it"):
                    continue
                if verdict != "refused" and re.search("with version|does not know|builds it of none", found):
                    wrong.append(f"{full} of version {opset}: {found}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(rows)} operators of the provider have a verdict")


if __name__ == "__main__":
    main()
