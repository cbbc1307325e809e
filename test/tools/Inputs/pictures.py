#!/usr/bin/env python3
# Inputs of all kinds for dml-run and dml-interpret, and what they are to become.
#
#     pictures.py FOLDER TOOL [OPTIONS...]
#
# SPDX-License-Identifier: Apache-2.0
import base64
import os
import random
import struct
import subprocess
import sys
import zlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper

folder, tool, *options = sys.argv[1:]

# libjpeg's file, of quality 90, of 7 x 5 pixels: at x, y red is 30 x + 10, green 40 y + 20
# and blue 200 - 10 x - 10 y.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMU"
    "FRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
    "FBQUFBQUFBT/wAARCAAFAAcDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAcEAABAwUAAAAAAAAAAAAAAAAAAQIH"
    "BhMiQlL/xAAVAQEBAAAAAAAAAAAAAAAAAAACBv/EABwRAAEEAwEAAAAAAAAAAAAAAAUAAgMGFSORJP/aAAwDAQACEQMRAD8AhHsC"
    "09abjrwgAJGwnimRk9DupUs0RwsO93V//9k=")


def path(name):
    return os.path.join(folder, name)


def run(*arguments, code=0):
    """What the tool prints of a run that ends with this code."""
    result = subprocess.run([tool, *options, *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=300)
    if result.returncode != code:
        sys.exit(f"{tool} {' '.join(arguments)}: exit code {result.returncode}: {result.stderr}")
    return result.stdout if code == 0 else result.stderr


def module(name, *types):
    """A function that returns its inputs, each times 1."""
    names = [chr(ord("a") + i) for i in range(len(types))]
    arguments = ", ".join(f"%{n}: tensor<{t}>" for n, t in zip(names, types))
    body = "\n".join(f'  %{n}_out = dml.element_wise_identity %{n} : (tensor<{t}>) -> tensor<{t}>'
                     for n, t in zip(names, types))
    with open(path(name), "w") as file:
        file.write(f"func.func @main({arguments}) -> ({', '.join(f'tensor<{t}>' for t in types)}) {{\n{body}\n"
                   f"  return {', '.join(f'%{n}_out' for n in names)} : {', '.join(f'tensor<{t}>' for t in types)}\n}}\n")
    return path(name)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels, alpha=False):
    height, width = pixels.shape[:2]
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8,
                                                             {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)


def result(*arguments):
    """The one result of a run, as an array."""
    run(*arguments, f"--output=@{path('result.npy')}")
    return np.load(path("result.npy"))


def want(found, wanted, what, tolerance=0.0):
    if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=0, atol=tolerance):
        sys.exit(f"{what}: wanted is\n{wanted}\nfound is\n{found}")


def triangle(length, count, begin=0.0, end=None):
    """The matrix by which a triangle filter makes `count` pixels of a line."""
    end = length if end is None else end
    step = (end - begin) / count
    width = max(step, 1.0)
    centers = begin + (np.arange(count) + 0.5) * step
    weights = np.maximum(0, 1 - np.abs(np.arange(length) + 0.5 - centers[:, None]) / width)
    return weights / weights.sum(1, keepdims=True)


def check_pictures():
    generator = np.random.RandomState(1)
    pixels = generator.randint(0, 256, (5, 7, 3)).astype(np.uint8)
    files = [write("picture.png", png(pixels)), write("picture.ppm", b"P6 # seven\n7 5\n255\n" + pixels.tobytes()),
             write("alpha.png", png(np.concatenate([pixels, generator.randint(0, 256, (5, 7, 1)).astype(np.uint8)], 2)))]
    nchw = module("nchw.mlir", "1x3x5x7xf32")
    planes = pixels.transpose(2, 0, 1)[None].astype(np.float32)
    for file in files:
        want(result(nchw, f"--input=@{file}"), planes, file)
    want(result(module("nhwc.mlir", "1x5x7x3xf32"), f"--input=@{files[0]}"), pixels[None].astype(np.float32), "NHWC")
    want(result(module("bytes.mlir", "5x7x3xui8"), f"--input=@{files[0]}"), pixels, "bytes")
    want(result(module("half.mlir", "3x5x7xf16"), f"--input=@{files[0]}", "--scale=1/256"),
         (planes[0] / 256).astype(np.float16), "f16")
    mean, scale = np.float32([10, 20, 30]), np.float32([0.5, 0.25, 2])
    want(result(nchw, f"--input=@{files[0]}", "--mean=10,20,30", "--scale=1/2,0.25,2"),
         (planes - mean[:, None, None]) * scale[:, None, None], "mean and scale")
    want(result(nchw, f"--input=@{files[0]}", "--channels=BGR", "--mean=10,20,30"),
         planes[:, ::-1] - mean[:, None, None], "BGR")
    x, y = np.meshgrid(np.arange(7), np.arange(5))
    wanted = np.stack([30 * x + 10, 40 * y + 20, 200 - 10 * x - 10 * y])[None]
    want(result(nchw, f"--input=@{write('good.jpg', JPEG)}"), wanted.astype(np.float32), "JPEG", 40)
    assert np.abs(result(nchw, f"--input=@{path('good.jpg')}") - wanted).mean() < 8
    gray = np.uint8([[0, 255], [100, 7]])
    for file in (write("gray.pgm", b"P5 2 2 255\n" + gray.tobytes()), write("gray.png", png(gray))):
        want(result(module("gray.mlir", "2x2xf32"), f"--input=@{file}"), gray.astype(np.float32), file)
    rgb = np.repeat(gray[None], 3, 0).astype(np.float32)
    want(result(module("rgb.mlir", "3x2x2xf32"), f"--input=@{path('gray.pgm')}"), rgb, "gray as color")
    # A shape of 3 x 3 x 3 tells no layout.
    three = generator.randint(0, 256, (3, 3, 3)).astype(np.uint8)
    file, cube = write("three.png", png(three)), module("three.mlir", "3x3x3xf32")
    assert "state --layout" in run(cube, f"--input=@{file}", code=2)
    want(result(cube, f"--input=@{file}", "--layout=NHWC"), three.astype(np.float32), "NHWC of 3x3x3")

    # Other sizes.
    small = module("small.mlir", "1x3x2x4xf32")
    error = run(small, f"--input=@{files[0]}", code=2)
    assert "7 x 5 pixels, but the input 4 x 2: state --resize=stretch, crop or pad" in error, error
    wanted = np.einsum("yi,xj,cij->cyx", triangle(5, 2), triangle(7, 4), planes[0])[None]
    want(result(small, f"--input=@{files[0]}", "--resize=stretch"), wanted, "stretch", 1e-3)
    wanted = np.einsum("yi,xj,cij->cyx", triangle(5, 2, 0.75, 4.25), triangle(7, 4), planes[0])[None]
    want(result(small, f"--input=@{files[0]}", "--resize=crop"), wanted, "crop", 1e-3)
    wanted = np.full((1, 3, 9, 7), 0, np.float32)
    wanted[:, :, 2:7] = planes - 50
    want(result(module("tall.mlir", "1x3x9x7xf32"), f"--input=@{files[0]}", "--resize=pad", "--mean=50"), wanted, "pad", 1e-3)


def check_archives():
    rows, more = np.float32([[1, 2, 3], [4, 5, 6]]), np.int32([7, 8])
    two = module("two.mlir", "2x3xf32", "2xi32")
    for save, name in ((np.savez, "stored.npz"), (np.savez_compressed, "deflated.npz")):
        save(path(name), b=more, a=rows)
        save(path("ordered.npz"), rows, more)
        for inputs in ([f"--input=@{path(name)}"], [f"--input=@{path('ordered.npz')}"],
                       [f"--input=b=@{path(name)}", f"--input=a=@{path(name)}:a"],
                       [f"--input=@{path('ordered.npz')}:arr_0", f"--input=@{path(name)}:b"]):
            run(two, *inputs, f"--output=@{path('out.npz')}")
            with np.load(path("out.npz")) as out:
                want(out["a_out"], rows, str(inputs))
                want(out["b_out"], more, str(inputs))
                assert sorted(out.files) == ["a_out", "b_out"], out.files
    run(two, f"--input=@{path('stored.npz')}", f"--expected=@{path('out.npz')}")
    run(two, f"--input=@{path('stored.npz')}", f"--output=b_out=@{path('b.npy')}", f"--output=@{path('a.npz')}")
    want(np.load(path("b.npy")), more, "b.npy")
    want(np.load(path("a.npz"))["a_out"], rows, "a.npz")
    np.savez(path("other.npz"), a=rows, c=more)
    error = run(two, f"--input=@{path('other.npz')}", code=2)
    assert "it has 'a', 'c', but the function has 'a', 'b'" in error, error
    error = run(two, f"--input=@{path('stored.npz')}:x", f"--input=@{path('stored.npz')}:b", code=2)
    assert "has no member 'x'; it has 'b', 'a'" in error, error

    # Raw elements, a bool and a scalar.
    write("rows.bin", rows.tobytes())
    want(result(module("one.mlir", "2x3xf32"), f"--input=@{path('rows.bin')}"), rows, "raw")
    write("rows.raw", rows.tobytes()[1:])
    error = run(path("one.mlir"), f"--input=@{path('rows.raw')}", code=2)
    assert "it has 23 bytes, but 2x3xf32 has 24" in error, error
    np.save(path("bool.npy"), np.array([True, False]))
    want(result(module("bool.mlir", "2xui8"), f"--input=@{path('bool.npy')}"), np.uint8([1, 0]), "bool")
    np.save(path("scalar.npy"), np.float32(3))
    want(result(module("scalar.mlir", "1xf32"), f"--input=@{path('scalar.npy')}"), np.float32([3]), "scalar")


def check_protos():
    """ONNX's files of one tensor, with raw elements and with numbers."""
    for name, dtype in (("f32", np.float32), ("f16", np.float16), ("i64", np.int64), ("i8", np.int8),
                        ("ui32", np.uint32), ("ui8", np.bool_)):
        array = np.array([[1, 0, 1], [0, 1, 1]], dtype)
        mlir = module(f"proto-{name}.mlir", f"2x3x{name}")
        kind = helper.make_tensor("x", numpy_helper.from_array(array).data_type, array.shape, array.flatten())
        for tensor in (numpy_helper.from_array(array, "x"), kind):
            file = write("input_0.pb", tensor.SerializeToString())
            want(result(mlir, f"--input=@{file}").astype(dtype), array, f"TensorProto of {name}")
    for tensor, what in ((TensorProto(data_type=TensorProto.FLOAT, dims=[2, 3], float_data=[1, 2]),
                          "it has 8 bytes of elements, but 2x3xf32 has 24"),
                         (TensorProto(data_type=TensorProto.STRING, dims=[1], string_data=[b"x"]),
                          "it has ONNX's element type 8"),
                         (TensorProto(data_type=TensorProto.FLOAT, dims=[-1]), "it has the size -1 in dimension 0")):
        error = run(path("proto-f32.mlir"), f"--input=@{write('wrong.pb', tensor.SerializeToString())}", code=2)
        assert what in error, error


def check_suffixes():
    one = path("one.mlir")
    for name, what in (("x.txt", "the suffix is '.txt', but wanted is one of .npy, .npz, .pb"),
                       ("x.gz", "the suffix is '.gz'")):
        write(name, b"1 2 3")
        error = run(one, f"--input=@{path(name)}", code=2)
        assert what in error, error
    for name in ("out.csv", "out.png", "out.npy.gz"):
        error = run(one, "--input=2x3xf32=1", f"--output=@{path(name)}", code=2)
        assert "but wanted is .npy or .npz" in error and not os.path.exists(path(name)), error


def check_classes():
    row = module("row.mlir", "2x4x1xf32")
    write("labels.txt", b"cat\ndog\r\nfish\nbird\n")
    text = run(row, "--input=2x4x1xf32=1 5 2 5 nan 1 0 -1", "--top=2", f"--labels={path('labels.txt')}")
    wanted = ("%a_out: 2x4x1xf32, the 2 largest of 4 in each row\n"
              "       1  5  dog\n       3  5  bird\n\n       1  1  dog\n       2  0  fish\n")
    if text != wanted:
        sys.exit(f"wanted is\n{wanted}found is\n{text}")
    write("few.txt", b"cat\n")
    error = run(row, "--input=2x4x1xf32=1", "--top=2", f"--labels={path('few.txt')}", code=2)
    assert "has 1 label, but no result has so many classes" in error, error


def check_damage():
    """Files that are not what they should be are refused with one line, or read."""
    generator = random.Random(1)
    pixels = np.random.RandomState(1).randint(0, 256, (5, 7, 3)).astype(np.uint8)
    np.savez_compressed(path("good.npz"), a=np.zeros((3, 5, 7), np.float32))
    inputs = {".png": png(pixels), ".ppm": b"P6 7 5 255\n" + pixels.tobytes(),
              ".npz": open(path("good.npz"), "rb").read()}
    inputs[".jpg"] = JPEG
    inputs[".pb"] = numpy_helper.from_array(np.zeros((3, 5, 7), np.float32)).SerializeToString()
    mlir = module("damage.mlir", "3x5x7xf32")
    for suffix, whole in inputs.items():
        run(mlir, f"--input=@{write('whole' + suffix, whole)}", "--resize=stretch")
        for index in range(24):
            data = bytearray(whole)
            if index % 3 == 0:
                del data[generator.randrange(len(data)):]
            else:
                for _ in range(generator.randint(1, 3)):
                    data[generator.randrange(len(data))] = generator.randrange(256)
            file = write("damaged" + suffix, bytes(data))
            result = subprocess.run([tool, *options, mlir, f"--input=@{file}", "--resize=stretch"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
            lines = result.stderr.count(b"\n")
            if result.returncode not in (0, 2) or lines != (result.returncode == 2):
                sys.exit(f"{file} ({index}): exit code {result.returncode}: {result.stderr}")
    huge = [("huge.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 900000, 900000, 8, 2, 0, 0, 0)) +
             chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")),
            ("huge.ppm", b"P6 99999999 99999999 255\n"), ("empty.ppm", b"P6"), ("empty.png", b""),
            ("text.jpg", b"no picture"), ("empty.npz", b""), ("text.npz", b"PK" * 50), ("text.pb", b"no tensor")]
    for name, data in huge:
        error = run(mlir, f"--input=@{write(name, data)}", code=2)
        if error.count("\n") != 1:
            sys.exit(f"{name}: {error}")
    # A bomb: 4 GiB of zeros in 4 MB would be another type.
    np.savez_compressed(path("large.npz"), a=np.zeros(1 << 26, np.uint8))
    error = run(mlir, f"--input=@{path('large.npz')}", code=2)
    assert "type is 67108864xui8" in error, error


check_pictures()
check_archives()
check_protos()
check_suffixes()
check_classes()
check_damage()
print("all right")
