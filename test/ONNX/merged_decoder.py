#!/usr/bin/env python3
# Writes a small decoder in one file, in the form in which Optimum exports them, into a folder:
# an If chooses between the first step, without a past, and the others. Its tensors are there too.
#
# SPDX-License-Identifier: Apache-2.0
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

folder = sys.argv[1]


def branch(name, keys):
    """A branch whose keys the node `keys` computes."""
    nodes = [keys,
             helper.make_node("ReduceSum", [f"keys_{name}", "positions"], [f"sum_{name}"], keepdims=0),
             helper.make_node("Unsqueeze", [f"sum_{name}", "front"], [f"logits_{name}"])]
    outputs = [helper.make_tensor_value_info(f"{what}_{name}", TensorProto.FLOAT, shape)
               for what, shape in (("logits", None), ("keys", ["batch_size", 2, "total", 4]))]
    return helper.make_graph(nodes, name, [], outputs)


PAST = "past_key_values.0.key"
first = branch("first", helper.make_node("Identity", ["new"], ["keys_first"]))
later = branch("later", helper.make_node("Concat", [PAST, "new"], ["keys_later"], axis=2))
graph = helper.make_graph(
    [helper.make_node("Gather", ["table", "input_ids"], ["embedded"]),
     helper.make_node("Reshape", ["embedded", "heads"], ["split"]),
     helper.make_node("Transpose", ["split"], ["new"], perm=[0, 2, 1, 3]),
     helper.make_node("If", ["use_cache_branch"], ["logits", "present.0.key"], then_branch=later,
                      else_branch=first)],
    "merged",
    [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch_size", "sequence_length"]),
     helper.make_tensor_value_info(PAST, TensorProto.FLOAT, ["batch_size", 2, "past_length", 4]),
     helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch_size", 1, 2, 4]),
     helper.make_tensor_value_info("present.0.key", TensorProto.FLOAT, None)],
    [numpy_helper.from_array(np.arange(80, dtype=np.float32).reshape(10, 8), "table"),
     numpy_helper.from_array(np.int64([0, -1, 2, 4]), "heads"),
     numpy_helper.from_array(np.int64([2]), "positions"),
     numpy_helper.from_array(np.int64([1]), "front")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
with open(f"{folder}/merged.onnx", "wb") as file:
    file.write(model.SerializeToString())

np.savez(f"{folder}/first.npz", **{"input_ids": np.int64([[1, 2, 3]]),
                                   PAST: np.zeros((1, 2, 0, 4), np.float32),
                                   "use_cache_branch": np.array([False])})
np.savez(f"{folder}/next.npz", **{"input_ids": np.int64([[1]]), PAST: np.ones((1, 2, 3, 4), np.float32),
                                  "use_cache_branch": np.array([True])})
