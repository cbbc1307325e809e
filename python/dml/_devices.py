# SPDX-License-Identifier: Apache-2.0
"""The Vulkan devices of the system."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from ctypes import byref, c_uint32, c_void_p
from typing import Any, Callable, Dict, List, Optional, Union

from . import _library
from ._errors import InvalidArgument
from ._library import DmlDeviceCreateInfo, DmlDeviceInfo

_TYPES = {1: "integrated GPU", 2: "discrete GPU", 3: "virtual GPU", 4: "CPU"}


class Device:
    """A Vulkan device, as ``dml.devices()`` lists it.

    A device is opened when it is first used, once in a process: all sessions on it share
    what is opened, so that a ``Tensor`` of one session is an input of another.

    >>> session = dml.Session("model.onnx", device=dml.devices()[0])
    """

    def __init__(self, index: int, info: DmlDeviceInfo) -> None:
        #: The number of the device, in the order of Vulkan's loader.
        self.index: int = index
        #: The device's name, such as ``"NVIDIA H200"``.
        self.name: str = _library.decode(info.name)
        #: 32 hexadecimal digits, which name the device in every process.
        self.uuid: str = bytes(info.uuid).hex()
        #: ``"discrete GPU"``, ``"integrated GPU"``, ``"virtual GPU"``, ``"CPU"`` or ``"other"``.
        self.type: str = _TYPES.get(info.type, "other")
        #: The driver's name and its version, in the driver's words.
        self.driver: str = (f"{_library.decode(info.driverName)} "
                            f"{_library.decode(info.driverInfo)}").strip()
        #: The version of Vulkan, such as ``"1.3"``.
        self.api_version: str = f"{info.apiVersion >> 22}.{info.apiVersion >> 12 & 0x3ff}"
        #: Bytes of the device's own memory.
        self.memory: int = info.deviceMemorySize
        #: Features that kernels may use, by Vulkan's names.
        self.features: List[str] = [
            _library.decode(_library.get().dmlGetFeatureName(1 << bit))
            for bit in range(32) if info.features >> bit & 1]

    def __repr__(self) -> str:
        return (f"<dml.Device {self.index}: {self.name}, {self.type}, "
                f"{self.memory / 2**30:.1f} GiB, Vulkan {self.api_version}, {self.driver}>")


class Handle:
    """A handle of the library, which is destroyed when nothing refers to the object. What
    `keep` has lives as long.

    An object `on_device` belongs to the process that made it. A process that was forked lacks
    the threads of the driver, so that it can neither use nor destroy the object."""

    def __init__(self, value: Optional[int], destroy: str, keep: Any = None,
                 on_device: bool = False) -> None:
        self._value = value
        self._keep = keep
        self._process = os.getpid() if on_device else None
        finalizer = weakref.finalize(self, _destroy, getattr(_library.get(), destroy), value,
                                     self._process)
        # Where the process ends, another thread may still be in a call.
        finalizer.atexit = False

    @property
    def value(self) -> Optional[int]:
        """The handle itself."""
        if self._process is not None and self._process != os.getpid():
            raise InvalidArgument(
                f"the session, tensor or device is of the process {self._process}, from which "
                f"this process, {os.getpid()}, was forked; Vulkan's state does not survive a fork, "
                "so that wanted is a process that starts anew, as multiprocessing's 'spawn' does")
        return self._value


def _destroy(function: Callable[[Optional[int]], None], value: Optional[int],
             process: Optional[int]) -> None:
    if process is None or process == os.getpid():
        function(value)


class _Vulkan:
    """The instance, the devices that it has, and those that are open. There is one for a
    process."""

    def __init__(self) -> None:
        library = _library.get()
        handle = c_void_p()
        _library.call(library.dmlCreateInstance, None, byref(handle))
        self.instance = Handle(handle.value, "dmlDestroyInstance", on_device=True)
        self.devices: List[Device] = []
        for index in range(library.dmlGetDeviceCount(self.instance.value)):
            info = DmlDeviceInfo()
            _library.call(library.dmlGetDeviceInfo, self.instance.value, index, byref(info))
            self.devices.append(Device(index, info))
        self.opened: Dict[int, Handle] = {}


_lock = threading.Lock()
_vulkan: Optional[_Vulkan] = None


def _begin_process() -> None:
    """A process that was forked has no devices: those of its parent do not survive the fork."""
    global _lock, _vulkan
    _lock = threading.Lock()
    _vulkan = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_process)


def _get_vulkan() -> _Vulkan:
    """The process's instance. The caller holds the lock."""
    global _vulkan
    if _vulkan is None:
        _vulkan = _Vulkan()
    return _vulkan


def devices() -> List[Device]:
    """Lists the Vulkan devices of the system, GPUs and CPUs.

    >>> for device in dml.devices():
    ...     print(device.index, device.name, device.memory)
    """
    with _lock:
        return list(_get_vulkan().devices)


def find(selector: Union[Device, str, int, None]) -> Device:
    """The device that a session means: one of the list, its number, its UUID or a part of
    its name; without any, the first GPU, else the first device."""
    if isinstance(selector, Device):
        return selector
    text = _library.encode("device", "" if selector is None else
                           str(selector) if isinstance(selector, int) else selector)
    with _lock:
        vulkan = _get_vulkan()
        index = c_uint32()
        _library.call(_library.get().dmlFindDevice, vulkan.instance.value, text, byref(index))
        return vulkan.devices[index.value]


def open(device: Device) -> Handle:
    """The open device; the first call opens it."""
    with _lock:
        vulkan = _get_vulkan()
        handle = vulkan.opened.get(device.index)
        if handle is None:
            info = DmlDeviceCreateInfo()
            info.selector = str(device.index).encode()
            created = c_void_p()
            _library.call(_library.get().dmlCreateDevice, vulkan.instance.value,
                          ctypes.byref(info), byref(created))
            handle = Handle(created.value, "dmlDestroyDevice", on_device=True)
            vulkan.opened[device.index] = handle
        return handle


def forget(device: Device, handle: Handle) -> None:
    """Opens the device anew when it is next used: `handle` is lost."""
    with _lock:
        opened = _get_vulkan().opened
        if opened.get(device.index) is handle:
            del opened[device.index]
