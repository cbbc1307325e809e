"""Random cases: nodes of every operator that the importer knows, and graphs that compute
with sizes."""
#
# SPDX-License-Identifier: Apache-2.0
import random

import contrib
import elementwise
import movement
import shapes
import windows
from draw import NEWEST, Draw
from onnx import defs

MODULES = (elementwise, movement, windows, contrib)
MICROSOFT = "com.microsoft"


def list_versions():
    """The versions of every operator of ONNX's own that there is a row of."""
    known = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            known.setdefault(schema.name, set()).add(schema.since_version)
    versions = {}
    for module in MODULES:
        for name in module.ROWS:
            newer = set(module.NEWER.get(name, []))
            versions[name] = sorted(known.get(name, set()) | newer)
            versions[name] = versions[name] or [1]
    return versions


VERSIONS = list_versions()
# The last version that has an operator which newer ones lack.
LAST = {"Scatter": 10, "Upsample": 9, "ScaledTanh": 8, "ParametricSoftplus": 8}
DRAWERS = {("", name): draw for module in MODULES for name, draw in module.ROWS.items()}
DRAWERS |= {(MICROSOFT, name): draw for name, draw in contrib.MICROSOFT.items()}


def draw_node(seed, only=None, newest=NEWEST):
    """A random node: `only` names an operator, or else any is drawn."""
    choice = random.Random(f"node {seed}")
    rows = sorted(row for row in DRAWERS if only in (None, row[1]) and
                  (row[0] or VERSIONS[row[1]][0] <= newest))
    domain, name = choice.choice(rows)
    if domain:
        version, opset = 1, choice.randint(13, 21)
    else:
        # Versions before the seventh are mostly those that ONNX Runtime does not run.
        end = min(LAST.get(name, NEWEST), newest)
        versions = [version for version in VERSIONS[name] if version <= end]
        recent = [version for version in versions if version >= 7] or versions
        version = choice.choice(recent if choice.random() < 0.9 else versions)
        last = min([other for other in versions if other > version],
                   default=end + 1) - 1
        opset = version if choice.random() < 0.5 else \
            choice.randint(max(version, min(7, last)), last)
    draw = Draw(f"{seed}", name, domain, version, opset)
    DRAWERS[domain, name](draw)
    return draw.finish(f"{domain and domain + '.'}{name} {draw.opset} #{seed}")


def draw_case(seed, only=None, newest=NEWEST):
    """A random case: a graph that computes with sizes, one in eight times."""
    if only == "shapes" or only is None and random.Random(f"kind {seed}").random() < 0.12:
        return shapes.draw_graph(seed, newest)
    return draw_node(seed, only, newest)
