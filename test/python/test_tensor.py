# SPDX-License-Identifier: Apache-2.0
"""Tensors on the device, and DLPack."""
import gc
import random
import threading
import unittest
import weakref

import numpy as np

import dml
from dml import _dlpack
from support import UINT4, make_dense, make_model, make_node, make_scale, needs_device


def setUpModule():
    needs_device()


class TensorTest(unittest.TestCase):
    def test_copies(self):
        for dtype in ("float32", "float16", "int64", "uint8", "int8", "float64"):
            x = np.arange(6).reshape(2, 3).astype(dtype)
            tensor = dml.Tensor.from_numpy(x)
            self.assertEqual((tensor.shape, tensor.dtype, tensor.nbytes),
                             ((2, 3), x.dtype, x.nbytes))
            np.testing.assert_array_equal(tensor.numpy(), x)
            tensor.copy_from(x.T.reshape(2, 3)[:, ::-1])
            np.testing.assert_array_equal(tensor.numpy(), x.T.reshape(2, 3)[:, ::-1])
        self.assertIn("2x3 of float64 on ", repr(tensor))
        self.assertEqual(dml.Tensor((), "float32").numpy().tolist(), 0)
        self.assertEqual(dml.Tensor((3,), np.bool_).numpy().tolist(), [0, 0, 0])

    def test_errors(self):
        tensor = dml.Tensor((2, 3))
        for array in (np.zeros((3, 2), np.float32), np.zeros((2, 3))):
            with self.assertRaisesRegex(dml.InvalidArgument, "but wanted are those of the tensor"):
                tensor.copy_from(array)
        with self.assertRaisesRegex(dml.InvalidArgument, "complex64"):
            dml.Tensor((2, 3), np.complex64)
        with self.assertRaisesRegex(dml.InvalidArgument, "is no type of elements"):
            dml.Tensor((2, 3), "f33")
        with self.assertRaisesRegex(dml.InvalidArgument, "a size of a tensor is -3"):
            dml.Tensor((2, -3))
        with self.assertRaises(dml.OutOfMemory):
            dml.Tensor((2**24, 2**24))

    def test_runs(self):
        session = dml.Session(make_dense())
        x = dml.Tensor.from_numpy(np.float32([[0, 0, 1]]), device=session.device)
        dense, high = session.run(None, {"x": x}, device_outputs=True)
        self.assertIsInstance(dense, dml.Tensor)
        self.assertEqual((dense.dtype, high.dtype), (np.float32, np.uint8))
        np.testing.assert_array_equal(dense.numpy(), np.float32([[1, 1.25]]))
        np.testing.assert_array_equal(high.numpy(), np.uint8([[0, 1]]))
        (dense,) = session.run(["dense"], {"x": x})
        np.testing.assert_array_equal(dense, np.float32([[1, 1.25]]))

    def test_chains(self):
        """Outputs are inputs of other sessions, and two tensors take turns."""
        first, second = dml.Session(make_scale()), dml.Session(make_scale())
        tensors = [dml.Tensor.from_numpy(np.float32([[1, 2, 3]])), dml.Tensor((1, 3))]
        for i in range(6):
            session = (first, second)[i % 2]
            (y,) = session.run(None, {"x": tensors[i % 2]}, into={"y": tensors[1 - i % 2]})
            self.assertIs(y, tensors[1 - i % 2])
        np.testing.assert_array_equal(tensors[0].numpy(), np.float32([[729, 1458, 2187]]))

    def test_state_in_place(self):
        """An output may be written into the tensor of an input."""
        session = dml.Session(make_scale())
        state = dml.Tensor.from_numpy(np.float32([[1, 2, 3]]))
        for _ in range(4):
            (y,) = session.run(None, {"x": state}, into={"y": state})
            self.assertIs(y, state)
        np.testing.assert_array_equal(state.numpy(), np.float32([[81, 162, 243]]))
        self.assertEqual(session.info.compiled, 1)

    def test_same_tensors_again(self):
        """A run with the tensors of an earlier run takes its arguments again."""
        session = dml.Session(make_scale())
        targets = [dml.Tensor((1, 3)) for _ in range(3)]
        for i in range(12):
            # Runs of three targets in turn, which are more than the session keeps, and of one.
            y = targets[i % 3 if i < 6 else 0]
            x = np.float32([[i, i + 1, i + 2]])
            self.assertIs(session.run(["y"], {"x": x if i % 2 else x.tolist()}, into={"y": y})[0],
                          y)
            np.testing.assert_array_equal(y.numpy(), 3 * x)
        # Arrays that the session allocates stay as they are when the next run has others.
        kept = [session.run(["y"], {"x": np.float32([[i, 0, 0]])})[0] for i in range(6)]
        self.assertEqual([float(y[0, 0]) for y in kept], [0, 3, 6, 9, 12, 15])
        for names, x, error in ((["y"], np.zeros((2, 3), np.float32), r"the shape \(1, 3\)"),
                                (["y"], np.zeros((1, 3), np.float16), "has the type"),
                                ("y", np.zeros((1, 3), np.float32), "wanted is a list of names"),
                                (["x"], np.zeros((1, 3), np.float32), "no output")):
            session.run(["y"], {"x": [[1, 2, 3]]}, into={"y": targets[0]})
            with self.assertRaisesRegex(dml.InvalidArgument, error):
                session.run(names, {"x": x}, into={"y": targets[0]})
        x = dml.Tensor.from_numpy(np.float32([[1, 2, 3]]))
        for _ in range(2):
            session.run(None, {"x": x}, into={"y": targets[1]})
        np.testing.assert_array_equal(targets[1].numpy(), np.float32([[3, 6, 9]]))
        for other in (dml.Tensor.from_numpy(np.float32([[4, 5, 6]])), [[4, 5, 6]]):
            session.run(None, {"x": x}, into={"y": targets[1]})
            session.run(None, {"x": other}, into={"y": targets[1]})
            np.testing.assert_array_equal(targets[1].numpy(), np.float32([[12, 15, 18]]))
        # The session keeps neither inputs nor targets alive.
        gone = [weakref.ref(x), weakref.ref(targets[1])]
        del x, other, targets, y
        gc.collect()
        self.assertEqual([reference() for reference in gone], [None, None])

    def test_changes_during_a_run(self):
        """What the caller changes in its dictionaries during a run is not looked at."""
        first, second = (dml.Tensor.from_numpy(np.float32([[i, i, i]])) for i in (1, 2))

        def change(*_):
            feeds["x"] = second

        # Each run of another size is compiled anew, in which change() is called.
        session = dml.Session(make_scale(), progress=change, program_budget=1)
        for x, wanted in ((first, 3), (second, 6), (first, 3)):
            feeds = {"x": x}
            y = session.run(None, feeds)[0]
            np.testing.assert_array_equal(y, np.full((1, 3), wanted, np.float32))
            session.run(None, {"x": np.zeros((2, 3), np.float32)})
        for names in (name for name in ()), ():
            self.assertEqual(session.run(names, {"x": first}), [])
        (y,) = session.run((name for name in ["y"]), {"x": first})
        self.assertEqual(session.run([], {"x": first}), [])

    def test_sizes_from_elements(self):
        """A target that does not fit keeps its elements, although earlier runs fitted."""
        model = make_model([make_node("Expand", ["x", "sizes"], ["y"])],
                           [("x", "float32", [1, 2]), ("sizes", "int64", [2])],
                           [("y", "float32", ["n", "m"])], {})
        session = dml.Session(model)
        x, y = dml.Tensor.from_numpy(np.float32([[1, 2]])), dml.Tensor((4, 2))
        for _ in range(3):
            session.run(None, {"x": x, "sizes": np.int64([4, 2])}, into={"y": y})
        np.testing.assert_array_equal(y.numpy(), np.float32([[1, 2]] * 4))
        y.copy_from(np.full((4, 2), 7, np.float32))
        with self.assertRaisesRegex(dml.InvalidArgument, r"has the shape \(4, 2\).*wanted are "
                                    r"\(2, 2\)"):
            session.run(None, {"x": x, "sizes": np.int64([2, 2])}, into={"y": y})
        np.testing.assert_array_equal(y.numpy(), np.full((4, 2), 7, np.float32))

    def test_same_tensors_in_threads(self):
        session = dml.Session(make_scale())

        def work(number):
            y = dml.Tensor((1, 3))
            for i in range(50):
                x = np.float32([[number, i, 1]])
                session.run(None, {"x": x}, into={"y": y})
                np.testing.assert_array_equal(y.numpy(), 3 * x)
                np.testing.assert_array_equal(session.run(None, {"x": x})[0], 3 * x)
            done.append(number)

        done = []
        threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(done), [0, 1, 2, 3])

    def test_wrong_tensors(self):
        session = dml.Session(make_scale())
        for tensor, text in ((dml.Tensor((1, 3), "float16"), "has the type f16"),
                             (dml.Tensor((3,)), "has 1 dimensions")):
            with self.assertRaisesRegex(dml.InvalidArgument, text):
                session.run(None, {"x": tensor})
        for tensor, text in ((dml.Tensor((1, 3), "float16"), r"tensor\(float16\)"),
                             (dml.Tensor((2, 3)), r"the shape \(2, 3\)")):
            with self.assertRaisesRegex(dml.InvalidArgument, text):
                session.run(None, {"x": [[1, 2, 3]]}, into={"y": tensor})

    def test_buffers_that_come_and_go(self):
        """Another buffer may have the handle of one that was destroyed."""
        session = dml.Session(make_scale())
        choose = random.Random(1)
        for on_device in (False, True):
            kept = []
            for i in range(1, 200):
                x = dml.Tensor.from_numpy(np.full((4, 3), i, np.float32))
                kept.append(x)
                (y,) = session.run(None, {"x": x}, device_outputs=on_device)
                y = y.numpy() if on_device else y
                self.assertEqual((y.min(), y.max()), (3 * i, 3 * i))
                choose.shuffle(kept)
                del kept[choose.randrange(4, 9):], x

    def test_shapes_and_types_that_are_none(self):
        for arguments, text in (
                ((3,), "the shape of a tensor: found the int 3, but wanted is a list of sizes"),
                (((1.5,),), "a size of a tensor is 1.5, but wanted is an integer"),
                (((-1,),), "a size of a tensor is -1, but wanted is an integer from 0 on"),
                (((1,), None), "the type of elements is None"),
                (((1,), "complex64"), "the elements are of the type complex64")):
            with self.assertRaisesRegex(dml.InvalidArgument, text):
                dml.Tensor(*arguments)

    def test_four_bits(self):
        x = np.uint8([[1, 2, 15], [0, 9, 7]])
        tensor = dml.Tensor.from_numpy(x, dtype="uint4")
        self.assertEqual(tensor.nbytes, 3)
        np.testing.assert_array_equal(tensor.numpy(), x)
        signed = np.int8([-8, 7, -1])
        np.testing.assert_array_equal(dml.Tensor.from_numpy(signed, dtype="int4").numpy(), signed)
        with self.assertRaisesRegex(dml.InvalidArgument, "from 1 to 16, but wanted are 0 to 15"):
            dml.Tensor.from_numpy(np.uint8([1, 16]), dtype="uint4")
        session = dml.Session(UINT4.encode(), format="mlir")
        self.assertEqual((session.inputs[0].type, session.inputs[0].dtype),
                         ("tensor(uint4)", np.uint8))
        scales = np.float32([[2], [0.5]])
        for each in (x, x.tolist(), tensor):
            y, z = session.run(None, {"x": each, "s": scales})
            np.testing.assert_array_equal(y, x * scales)
            np.testing.assert_array_equal(z, x)
        _, z = session.run(None, {"x": tensor, "s": scales}, device_outputs=True)
        np.testing.assert_array_equal(z.numpy(), x)
        with self.assertRaisesRegex(dml.InvalidArgument, "wanted are 0 to 15"):
            session.run(None, {"x": x + np.uint8(1), "s": scales})


class DLPackTest(unittest.TestCase):
    def setUp(self):
        self.tensor = dml.Tensor.from_numpy(np.float32([[1, 2, 3], [4, 5, 6]]))
        if self.tensor.device.type == "CPU":
            self.assertEqual(self.tensor.__dlpack_device__(), (1, 0))

    def test_numpy(self):
        if self.tensor.__dlpack_device__()[0] != 1:
            self.assertEqual(self.tensor.__dlpack_device__(), (7, self.tensor.device.index))
            return
        array = np.from_dlpack(self.tensor)
        np.testing.assert_array_equal(array, np.float32([[1, 2, 3], [4, 5, 6]]))
        # The memory is the tensor's own.
        self.tensor.copy_from(np.zeros((2, 3), np.float32))
        self.assertEqual(array.max(), 0)

    def test_life(self):
        """What was lent keeps the tensor alive, and gives it back."""
        alive = weakref.ref(self.tensor)
        capsule = self.tensor.__dlpack__()
        self.tensor = None
        gc.collect()
        self.assertIsNotNone(alive())
        del capsule
        gc.collect()
        self.assertIsNone(alive())

        tensor = dml.Tensor((2, 3))
        if tensor.__dlpack_device__()[0] == 1:
            alive = weakref.ref(tensor)
            array = np.from_dlpack(tensor)
            del tensor
            gc.collect()
            self.assertEqual(array.sum(), 0)
            self.assertIsNotNone(alive())
            del array
            gc.collect()
            self.assertIsNone(alive())

    def test_memory_of_the_device(self):
        """Memory that the host does not see is lent as a VkBuffer."""
        self.tensor._mapped = None
        self.assertEqual(self.tensor.__dlpack_device__(), (7, self.tensor.device.index))
        capsule = self.tensor.__dlpack__()
        pointer = _dlpack._get_pointer(id(capsule), b"dltensor")
        lent = _dlpack.DLManagedTensor.from_address(pointer).dl_tensor
        self.assertEqual((lent.data, lent.device.device_type, lent.ndim, lent.shape[:2]),
                         (self.tensor._range.buffer, 7, 2, [2, 3]))
        self.assertEqual((lent.dtype.code, lent.dtype.bits, lent.dtype.lanes), (2, 32, 1))

    def test_refused(self):
        with self.assertRaisesRegex(dml.Unsupported, "wanted is a copy"):
            self.tensor.__dlpack__(copy=True)
        with self.assertRaisesRegex(dml.Unsupported, r"wanted is \(2, 0\)"):
            self.tensor.__dlpack__(dl_device=(2, 0))
        with self.assertRaisesRegex(dml.Unsupported, "4 bits"):
            dml.Tensor((2,), "uint4").__dlpack__()

    def test_inputs(self):
        """Tensors of other libraries are inputs."""
        class Other:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **keywords):
                return self.array.__dlpack__(**keywords)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        session = dml.Session(make_scale())
        (y,) = session.run(None, {"x": Other(np.float32([[1, 2, 3]]))})
        np.testing.assert_array_equal(y, np.float32([[3, 6, 9]]))
