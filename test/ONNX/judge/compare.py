"""Whether what was computed is what was wanted, and where DirectML's meaning is another
one than ONNX's."""
#
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import onnx
from onnx import numpy_helper

# What an f16 may be off by, as a part of it and of the largest element.
HALF = (4e-3, 2e-3)


def to_physical(array):
    """The tensor as a program has it: booleans are numbers, scalars have the shape 1."""
    array = array.view(np.uint8) if array.dtype == bool else array
    return array.reshape(array.shape or (1,))


def get_scale(array):
    """The largest finite number."""
    real = np.abs(array.astype(np.float64)) if array.size else np.zeros(1)
    real = real[np.isfinite(real)]
    return real.max() if real.size else 0.0


def is_near(found, wanted, tolerance):
    """Of each element, whether it is what is wanted."""
    if wanted.dtype.kind != "f":
        return found == wanted
    relative, absolute, least = tolerance
    if wanted.dtype == np.float16:
        relative, absolute = max(relative, HALF[0]), max(absolute, HALF[1])
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        atol = absolute * min(get_scale(wanted), 1e30) + least + 1e-37
        near = np.abs(found - wanted) <= atol + relative * np.abs(wanted)
        return near | (found == wanted) | (np.isnan(found) & np.isnan(wanted))


def is_between(wanted, lower, upper):
    """Of each element, whether a correct device may compute what is wanted, of the
    elements that bounds say something about."""
    if lower is None:
        return np.zeros(wanted.shape, bool)
    with np.errstate(invalid="ignore"):
        inside = (lower <= wanted) & (wanted <= upper)
        if wanted.dtype.kind == "f":
            inside &= np.isfinite(lower) | np.isfinite(upper)
    return inside


def find_wrong(found, wanted, tolerance, lower=None, upper=None):
    """Which elements are wrong, or what else is."""
    wanted = to_physical(wanted)
    if found.dtype != wanted.dtype:
        return f"has the type {found.dtype}, but wanted is {wanted.dtype}"
    if found.shape != wanted.shape:
        return f"has the shape {list(found.shape)}, but wanted is {list(wanted.shape)}"
    return ~(is_near(found, wanted, tolerance) | is_between(wanted, lower, upper))


def describe_wrong(name, found, wanted, wrong):
    if isinstance(wrong, str):
        return f"{name} {wrong}"
    wanted = to_physical(wanted)
    first = tuple(np.argwhere(wrong)[0])
    return (f"{name} is {found[first]!s} at {list(map(int, first))}, but wanted is "
            f"{wanted[first]!s}; {int(wrong.sum())} of {wrong.size} elements are wrong")


#===----------------------------------------------------------------------===#
# Where DirectML differs
#===----------------------------------------------------------------------===#

def get_constants(case):
    return [numpy_helper.to_array(tensor) for tensor in
            onnx.ModelProto.FromString(case.model).graph.initializer]


def reads_nan(case):
    """Whether a NaN is among the inputs or constants."""
    return any(array.dtype.kind == "f" and np.isnan(array).any()
               for array in [*case.inputs.values(), *get_constants(case)])


def drops_nan(case, found, wanted, wrong):
    return is_all_nan(wanted) and reads_nan(case)


def is_all_nan(array):
    return array.dtype.kind == "f" and bool(np.isnan(array).all())


def reads_infinity(case):
    return any(array.dtype.kind == "f" and (array == -np.inf).any()
               for array in [*case.inputs.values(), *get_constants(case)])


def is_fraction(case):
    """Whether a node of integers has an attribute with a fraction."""
    node, = onnx.ModelProto.FromString(case.model).graph.node
    numbers = {"lambd": 0.5} | {attribute.name: attribute.f for attribute in node.attribute}
    return all(array.dtype.kind in "iu" for array in case.outputs.values()) and any(
        number != int(number) for number in numbers.values())


# Operators, a sentence, and a condition on the case and on the elements that differ, as
# they were found and wanted, and where. docs/ONNXModels.md has a table of them.
DEVIATIONS = [
    (("Relu", "Max", "Min", "Clip", "Celu", "Sign",
      "ScatterElements", "ScatterND"),
     "DirectML drops NaNs as HLSL's min and max do, where ONNX keeps them", drops_nan),
    (("HardSigmoid",), "DirectML's HardSigmoid drops NaNs, those of 0 times infinity too",
     lambda case, found, wanted, wrong: is_all_nan(wanted)),
    (("ReduceMax", "ReduceMin", "Hardmax"),
     "DirectML's reductions drop NaNs, where ONNX Runtime keeps them by their place",
     lambda case, found, wanted, wrong: reads_nan(case)),
    (("MaxPool", "GlobalMaxPool"),
     "DirectML's pooling keeps NaNs, where ONNX Runtime keeps them by their place",
     lambda case, found, wanted, wrong: is_all_nan(found) and reads_nan(case)),
    (("Gelu",), "Gelu of negative infinity is its limit, 0, where ONNX has NaN",
     lambda case, found, wanted, wrong: is_all_nan(wanted) and (found == 0).all() and
     reads_infinity(case)),
    (("Shrink",), "DirectML's bias and threshold are integers where the tensor is",
     lambda case, found, wanted, wrong: is_fraction(case)),
]


def find_deviation(case, wrongs):
    """The sentence that says why DirectML's result is another one, where it is known.
    `wrongs` has, for each output, what was found, wanted, and which elements differ."""
    names = {node.op_type for node in onnx.ModelProto.FromString(case.model).graph.node}
    for operators, sentence, holds in DEVIATIONS:
        if names <= set(operators) and all(
                not isinstance(wrong, str) and
                holds(case, found[wrong], to_physical(wanted)[wrong], wrong)
                for found, wanted, wrong in wrongs):
            return sentence
    return None
