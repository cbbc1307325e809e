"""Nodes of versions before the seventh, of which ONNX Runtime has few kernels, as nodes of
version 8 that mean the same."""
#
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import onnx
from draw import PROTO, make_tensor
from onnx import helper

BINARY = {"Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal", "Greater", "Less"}
# Attributes that newer versions lack, and that change nothing here.
DROPPED = {"is_test", "consumed_inputs", "spatial", "output_sequence", "broadcast"}
CASTS = {"FLOAT": "f32", "FLOAT16": "f16", "DOUBLE": "f64", "INT8": "i8", "INT16": "i16",
         "INT32": "i32", "INT64": "i64", "UINT8": "ui8", "UINT16": "ui16",
         "UINT32": "ui32", "UINT64": "ui64", "BOOL": "bool"}


def unsqueeze_second(case, node, attributes, nodes):
    """The second operand of version 1 lies along the dimensions from `axis` on."""
    shapes = {info.name: [dim.dim_value for dim in info.type.tensor_type.shape.dim]
              for info in case.graph.input} | {
                  tensor.name: list(tensor.dims) for tensor in case.graph.initializer}
    first, second = (len(shapes[name]) for name in node.input)
    axis = attributes.pop("axis", first - second)
    behind = first - axis - second
    if behind:
        nodes.append(helper.make_node("Unsqueeze", [node.input[1]], ["second"],
                                      axes=list(range(second, second + behind))))
        node.input[1] = "second"


def change(model, node, attributes, nodes):
    """Changes the node and its attributes; what has to be computed before goes to
    `nodes`. False where that is not known."""
    name = node.op_type
    if name in BINARY:
        unsqueeze_second(model, node, attributes, nodes)
    elif name == "Cast":
        attributes["to"] = PROTO[CASTS[attributes["to"].decode()]] \
            if isinstance(attributes["to"], bytes) else attributes["to"]
    elif name == "Concat":
        attributes.setdefault("axis", 1)
    elif name == "Selu":
        attributes.setdefault("alpha", 1.6732)
        attributes.setdefault("gamma", 1.0507)
    elif name == "Reshape" and "shape" in attributes:
        shape = np.array(attributes.pop("shape"), np.int64)
        model.graph.initializer.append(make_tensor("shape", shape))
        node.input.append("shape")
    elif name == "Pad" and "paddings" in attributes:
        attributes["pads"] = attributes.pop("paddings")
    elif name in ("LpPool", "GlobalLpPool") and "p" in attributes:
        attributes["p"] = int(attributes["p"])
    elif name == "Upsample":
        attributes["scales"] = [1.0, 1.0, attributes.pop("height_scale"),
                                attributes.pop("width_scale")]
    elif name == "PRelu":
        slope = [list(tensor.dims) for tensor in model.graph.initializer
                 if tensor.name == node.input[1]] + [
                     [dim.dim_value for dim in info.type.tensor_type.shape.dim]
                     for info in model.graph.input if info.name == node.input[1]]
        rank = next(len(info.type.tensor_type.shape.dim) if not isinstance(
            info, onnx.TensorProto) else len(info.dims)
            for info in [*model.graph.input, *model.graph.initializer]
            if info.name == node.input[0])
        if len(slope[0]) == 1 and slope[0] != [1] and rank > 2:
            nodes.append(helper.make_node("Unsqueeze", [node.input[1]], ["slope"],
                                          axes=list(range(1, rank - 1))))
            node.input[1] = "slope"
    elif name == "Split" and len(node.input) > 1 or name == "Tile":
        return False
    return True


def modernize(content):
    """The model of version 8, or nothing."""
    model = onnx.ModelProto.FromString(content)
    if len(model.graph.node) != 1 or model.opset_import[0].version >= 7:
        return None
    node, nodes = model.graph.node[0], []
    attributes = {attribute.name: helper.get_attribute_value(attribute)
                  for attribute in node.attribute if attribute.name not in DROPPED}
    if not change(model, node, attributes, nodes):
        return None
    # A broadcast that stands in the attribute is what version 7 always does.
    new = helper.make_node(node.op_type, list(node.input), list(node.output), **attributes)
    del model.graph.node[:]
    model.graph.node.extend([*nodes, new])
    model.opset_import[0].version = 8
    return model.SerializeToString()
