#!/usr/bin/env python3
# Writes models whose inputs leave sizes open into a folder.
#
# SPDX-License-Identifier: Apache-2.0
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

folder = sys.argv[1]


def save(name, nodes, inputs, outputs=("y",), weights=(), types={}):
    infos = [helper.make_tensor_value_info(key, types.get(key, TensorProto.FLOAT), shape)
             for key, shape in inputs.items()]
    graph = helper.make_graph(
        nodes, "g", infos, [helper.make_tensor_value_info(key, TensorProto.FLOAT, None) for key in outputs],
        [numpy_helper.from_array(array, key) for key, array in weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    with open(f"{folder}/{name}.onnx", "wb") as file:
        file.write(model.SerializeToString())


# A classifier that takes images of every size.
image = [helper.make_node("Conv", ["x", "w"], ["c"], kernel_shape=[3, 3], name="conv"),
         helper.make_node("GlobalAveragePool", ["c"], ["y"], name="pool")]
weights = [("w", np.ones((4, 3, 3, 3), np.float32))]
save("image", image, {"x": (None, 3, None, None)}, weights=weights)
save("batch", image, {"x": ("batch_size", 3, 6, 6)}, weights=weights)
# Its weights fit images of 224 x 224 alone, or its batch where it is the last dimension.
save("fixed", [helper.make_node("Flatten", ["x"], ["f"]), helper.make_node("MatMul", ["f", "w"], ["y"])],
     {"x": ("n", 1, "height", "width")}, weights=[("w", np.ones((224 * 224, 2), np.float32))])
save("last", [helper.make_node("Relu", ["x"], ["y"])], {"x": ("steps", "batch")})
# A decoder's mask is as long as its past and its new tokens.
save("decoder", [helper.make_node("Concat", ["past", "x"], ["k"], axis=1),
                 helper.make_node("Add", ["k", "mask"], ["y"])],
     {"x": ("batch", "sequence"), "past": ("batch", "past"), "mask": ("batch", "past + sequence")})
# The level depends on a size: Mod needs a newer one than Max.
branches = {name: helper.make_graph([helper.make_node(kind, ["x", "x"], ["b"])], name, [],
                                    [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)])
            for name, kind in (("then_branch", "Mod"), ("else_branch", "Max"))}
branches["then_branch"].node[0].attribute.append(helper.make_attribute("fmod", 1))
save("branch", [helper.make_node("Shape", ["x"], ["s"]),
                helper.make_node("Gather", ["s", "one"], ["d"]),
                helper.make_node("Equal", ["d", "size"], ["is"]),
                helper.make_node("If", ["is"], ["y"], **branches)],
     {"x": (1, "n")}, weights=[("one", np.int64(1)), ("size", np.int64(224))])
# Two inputs share a dimension.
save("shared", [helper.make_node("Add", ["x:0", "z"], ["y"])], {"x:0": (2, "n"), "z": (2, "n")})
# The files of a tensor for `image`, which have its shape.
tensor = np.ones((2, 3, 3, 3), np.float32)
np.save(f"{folder}/x.npy", tensor)
np.savez(f"{folder}/x.npz", x=tensor)
with open(f"{folder}/x.pb", "wb") as file:
    file.write(numpy_helper.from_array(tensor, "x").SerializeToString())
