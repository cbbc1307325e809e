# SPDX-License-Identifier: Apache-2.0
"""Runs models on Vulkan devices: ONNX, DirectML's graphs, DxDispatch's JSON and MLIR.

>>> import dml
>>> session = dml.Session("model.onnx")
>>> (scores,) = session.run(None, {"image": image})

``dml.Model`` is a model that is built node by node, ``dml.devices()`` lists the devices,
``dml.Tensor`` is a tensor that stays on one, and ``python3 -m dml model.onnx`` runs a model
from the shell. ``dml.explain("model.onnx")`` says which feature level of DirectML a model needs,
``dml.legalize`` rewrites it for an older one, and ``dml.compile`` compiles it ahead of time;
these need no device. What goes wrong raises a subclass of ``dml.Error`` with the library's
message. Warnings of the compiler go to the logger "dml".
"""

from ._devices import Device, devices
from ._errors import (Cancelled, DeviceLost, Error, InputOutput, InvalidArgument,
                      InvalidExecutable, LibraryNotFound, NotFound, OutOfMemory, Timeout,
                      Unsupported, VulkanError)
from ._explain import Problem, Verdict, compile, explain, legalize
from ._model import Model
from ._session import RunTimes, Session, SessionInfo, StepTime, TensorInfo
from ._tensor import Tensor
from ._version import __version__

__all__ = [
    "Cancelled", "Device", "DeviceLost", "Error", "InputOutput", "InvalidArgument",
    "InvalidExecutable", "LibraryNotFound", "Model", "NotFound", "OutOfMemory", "Problem",
    "RunTimes", "Session", "SessionInfo", "StepTime", "Tensor", "TensorInfo", "Timeout",
    "Unsupported", "Verdict", "VulkanError", "__version__", "compile", "devices", "explain", "legalize",
]

# Messages and pages name the classes as users do: dml.Session.
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
