"""Runs the commands of README.md, CONTRIBUTING.md and the pages in docs/, as a reader
would who copies them: those in blocks of `sh` and `console`. What a `console` block shows
below a command has to be what it prints ("..." stands for any text).

    run_commands.py [--times] [--device=native] SOURCE BUILD FOLDER PAGE...
    run_commands.py [--times] [--device=native] SOURCE BUILD FOLDER --but PAGE...

runs those of PAGEs, or of all other pages. The folder stands for the checkout, and
its part tmp for /tmp. --times prints the seconds that each command takes. With
--device=native, dml-compile compiles executables for the device at hand, where a page
says nothing else: for devices that cannot run those for the profile `full`.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

# Commands that several pages have, and that run once: each only prints, or writes the same files
# each time.
RUN_ONCE = ("scripts/test --list", "examples/digits/make_digits.py /tmp/digits")
# Commands that are not run, and why.
NOT_RUN = {
    "scripts/test": "it runs this test",
    "scripts/test --quick": "it builds",
    "scripts/test --full": "it runs this test",
    "scripts/test Pooling": "it builds",
    "scripts/test EndToEnd": "it builds",
    "scripts/test 'row-.*tile'": "it builds",
    "scripts/setup": "it builds",
    "scripts/setup release": "it builds",
    "scripts/setup release dml-opt": "it builds",
    "scripts/setup travel": "it builds",
    "scripts/setup travel dml_onnxruntime": "it builds",
    "ls build/travel/lib/libdml.so": "the preset travel builds this file",
    "ninja -C build/release dml-opt": "it builds",
    "cmake -DDML_DIRECTX_HEADERS=DirectX-Headers/include -DDML_DIRECTMLX=DirectML/Libraries "
    "build/release": "Microsoft's headers may be missing",
    "ninja -C build/release dml-directml-headers dml-directmlx": "it builds",
    "ninja -C build/release check-dml": "it runs every lit test",
    "cmake -S runtime --preset windows": "scripts/setup windows builds this",
    "cmake --build build/windows": "scripts/setup windows builds this",
    "scripts/with-wine ctest --test-dir build/windows": "scripts/test --full does",
    "scripts/with-wine wine build/windows/bin/dml-run.exe --list-devices":
        "it wants the build for Windows",
    "(cd build/windows && cpack)": "CTest's windows-package does",
    "ctest --preset release -R runtime/": "CTest runs these tests",
    "scripts/package": "the test `packages` does",
    "dml-run model.dmlx --input=... --time": "its input stands for any",
    "test/ONNX/backend_tests.py": "test/ONNX/backend.test does",
    "test/ONNX/backend_tests.py --update": "it writes into the checkout",
    "benchmarks/run": "it takes minutes",
    "benchmarks/run --json=after.json --filter='^pad|^tile'": "it takes minutes",
    "benchmarks/run --compile-only suite": "test/tools/dml-bench/suite.test does",
    "benchmarks/compile-time": "it takes a minute",
    "benchmarks/drivers mobilenetv2 --families=navi31 --driver-file=mesa25/radeon_icd.json":
        "it wants another release of Mesa",
    "benchmarks/drivers resnet50 mobilenetv2 --families=gfx1100,navi21,vega10":
        "test/tools/dml-inspect/drivers.test runs it on a small network",
    "benchmarks/quantized-weights --sizes=0.3,1.3,4.5 --names-only":
        "test/ONNX/quantized-weights.test runs it on a small model",
    "benchmarks/decoders.py --program=build/release/examples/generate/dml-generate":
        "it writes gigabytes and takes minutes",
    "dml-bench suite/*.dmlx --operations=suite/operations.txt --json=gpu.json":
        "it takes minutes",
    "dml-bench --calibrate": "dml-bench --calibrate --save measures the same",
    "benchmarks/plot before.json after.json -o ratios.svg":
        "test/tools/dml-bench/suite.test does",
    "scripts/with-swiftshader dml-fuzz --count=20 --output-dir=/tmp":
        "it downloads a driver",
    "scripts/with-swiftshader ctest --preset release": "it downloads a driver",
    "scripts/with-swiftshader build/release/bin/dml-fuzz --count=1000":
        "it downloads a driver",
    "dml-explain Partition_0.bin": "unittests/Import writes and reads such files",
    "dml-translate --import-dml-graph Partition_0.bin":
        "unittests/Import writes and reads such files",
    "cmake -S runtime --preset windows": "scripts/test --full builds it",
    "cmake --build build/windows": "scripts/test --full builds it",
    "(cd build/windows && cpack)": "scripts/test --full builds it",
    "scripts/with-wine ctest --test-dir build/windows": "scripts/test --full runs it",
    "scripts/with-wine wine build/windows/bin/dml-run.exe --list-devices":
        "scripts/test --full builds the program",
    "cmake -G Ninja -S runtime -B build": "CTest runs what it builds",
    "ninja -C build": "CTest runs what it builds",
    "ctest --test-dir build --output-on-failure": "CTest runs it",
    "cmake --install build/release --prefix /tmp/dml": "CTest's embed-compiler does",
    "cmake -G Ninja -S examples/embed-compiler -B /tmp/embed-compiler "
    "-DCMAKE_PREFIX_PATH=/tmp/dml": "CTest's embed-compiler does",
    "cmake --build /tmp/embed-compiler": "CTest's embed-compiler does",
    "/tmp/embed-compiler/dml-embed-compiler examples/padding.mlir /tmp/padding.dmlx":
        "CTest's embed-compiler does",
}
NOT_RUN_BEGINNINGS = {
    "apt install": "it changes the machine",
    "npm install": "it downloads ONNX Runtime",
    "c++ -std=c++17 -I ONNXRUNTIME/include": "test/Provider/test_page.py does, with its headers",
    "test/ONNX/judge/judge.py": "test/ONNX/judge.test checks, and the others want ONNX Runtime",
}

# What runs in a command's stead, because it builds or takes long.
INSTEAD = {
    "scripts/run-example": "scripts/run-example --built",
    "test/ONNX/backend_tests.py --filter=resize --keep=/tmp/models":
        "test/ONNX/backend_tests.py --filter=resize_upsample_sizes_nearest_ceil "
        "--keep=/tmp/models",
    "benchmarks/run --eighth":
        "benchmarks/run --eighth --filter='^tile2x2_f32' --repeats=1 --rotate=0",
    "benchmarks/run --eighth --filter='^pad_edge_f32'":
        "benchmarks/run --eighth --filter='^pad_edge_f32' --repeats=1 --rotate=0",
    "dml-compile examples/padding.mlir -o /tmp/padding.dmlx && "
    "dml-bench /tmp/padding.dmlx":
        "dml-compile examples/padding.mlir -o /tmp/padding.dmlx && "
        "dml-bench /tmp/padding.dmlx --repeats=1 --rotate=0",
    "benchmarks/few-rows --filter='i4_b32z' --rows=1,4,16":
        "benchmarks/few-rows --filter='i4_b32z_f32' --rows=1 --shapes=64x64 --repeats=1",
    "benchmarks/few-rows --write=folder --compile-arg=--device-profile=full,subgroupSize=32":
        "benchmarks/few-rows --write=folder --filter='i4_b32z_f32' --rows=1 --shapes=64x64 "
        "--compile-arg=--device-profile=full",
    "benchmarks/few-rows --read=folder": "benchmarks/few-rows --read=folder --repeats=1",
    "dml-bench --calibrate --save": "dml-bench --calibrate --save --repeats=1",
    "benchmarks/compile-time --modules=repeated,functions --sizes=100,1000,10000,100000":
        "benchmarks/compile-time --modules=repeated,functions --sizes=1,2 --repeats=1",
    "build/release/bin/dml-fuzz --operators=dml.average_pooling --count=100 "
    "--output-dir=/tmp":
        "build/release/bin/dml-fuzz --operators=dml.average_pooling --count=3 "
        "--output-dir=/tmp",
    "dml-fuzz --count=20 --output-dir=/tmp": "dml-fuzz --count=3 --output-dir=/tmp",
    "dml-fuzz --systematic": "dml-fuzz --systematic --operators=dml.tile --cases-per-cell=1",
    "dml-fuzz --count=10000 --seed=1": "dml-fuzz --count=3 --seed=1",
    "dml-fuzz --time=600 --count=0": "dml-fuzz --time=1 --count=0",
    "LP_NATIVE_VECTOR_WIDTH=128 LP_NUM_THREADS=1 dml-fuzz --time=600 --count=0":
        "LP_NATIVE_VECTOR_WIDTH=128 LP_NUM_THREADS=1 dml-fuzz --time=1 --count=0",
    "dml-fuzz --invalid --count=10000": "dml-fuzz --invalid --count=3",
    "dml-fuzz --mutate --count=10000": "dml-fuzz --mutate --count=3",
    "dml-fuzz --count=100 --device-profile=minimal --validate --output-dir=/tmp":
        "dml-fuzz --count=3 --device-profile=minimal --validate --output-dir=/tmp",
    "dml-run model.onnx --dim=batch=1 --input=@image.npy":
        "dml-run batch.onnx --dim=batch=1 --input=@image.npy",
    "dml-compile model.onnx --dim=batch=1 --add-function=many=model.onnx "
    "--function-dim=many:batch=8 -o model.dmlx":
        "dml-compile batch.onnx --dim=batch=1 --add-function=many=batch.onnx "
        "--function-dim=many:batch=8 -o several.dmlx",
    "$ dml-run model.json": "cd wrong && dml-run model.json",
    "build/bin/dml-run examples/embed/padding.dmlx --input=1x1x4x4xf32=1.5":
        "dml-run examples/embed/padding.dmlx --input=1x1x4x4xf32=1.5",
    "build/bin/dml-inspect examples/embed/padding.dmlx":
        "dml-inspect examples/embed/padding.dmlx",
}

# Exit codes other than 0, which the pages speak of.
EXIT_CODES = {
    "dml-explain examples/feature_levels.mlir --level=3_0": 1,
    "$ dml-run model.json": 2,
}


def write_fixtures(folder):
    """The files that pages take for granted."""
    import numpy
    import onnx
    from onnx import TensorProto, helper
    numpy.save(folder / "image.npy", numpy.ones((1, 3, 8, 8), numpy.float32))
    numpy.save(folder / "bias.npy", numpy.ones((1, 3, 8, 8), numpy.float32))
    for name, batch in (("model.onnx", 1), ("batch.onnx", "batch")):
        value = lambda tensor: helper.make_tensor_value_info(  # noqa: E731
            tensor, TensorProto.FLOAT, [batch, 3, 8, 8])
        bias = helper.make_tensor("bias", TensorProto.FLOAT, [1, 3, 8, 8], range(192))
        graph = helper.make_graph(
            [helper.make_node("Relu", ["image"], ["positive"]),
             helper.make_node("Add", ["positive", "bias"], ["scores"])],
            "model", [value("image")], [value("scores")], [bias])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        onnx.save(model, folder / name)
    (folder / "model.mlir").write_text((folder / "examples/padding.mlir").read_text())
    tensor = '{"DataType": "FLOAT32", "Sizes": [3]}'
    values = '{"initialValuesDataType": "FLOAT32", "initialValues": [1, 2, 3]}'
    (folder / "model.json").write_text(
        '{"resources": {"a": %s, "b": %s}, "dispatchables": {"add": {"type": '
        '"DML_OPERATOR_ELEMENT_WISE_ADD", "desc": {"ATensor": %s, "BTensor": %s, '
        '"OutputTensor": %s}}}, "commands": [{"type": "dispatch", "dispatchable": '
        '"add", "bindings": {"ATensor": "a", "BTensor": "a", "OutputTensor": "b"}}, '
        '{"type": "print", "resource": "b"}]}'
        % (values, values, tensor, tensor, tensor))
    text = (folder / "examples/dispatch.json").read_text()
    (folder / "wrong").mkdir()
    (folder / "wrong/model.json").write_text(
        text.replace('"DataType": "FLOAT32"', '"DataType": "FLOAT31"', 1))


def read_commands(page):
    """Commands of a page, in order, with what is shown below them or None."""
    block, commands = None, []
    lines = iter(page.read_text().splitlines())
    for line in lines:
        fence = re.fullmatch(r"\s*```(\w*).*", line)
        if fence:
            block = None if block is not None else fence[1]
            continue
        is_command = block == "sh" and line.strip() and not line.startswith("#")
        if block == "console" and line.startswith("$ "):
            is_command = True
        if is_command:
            while line.endswith("\\"):
                line = line[:-1] + " " + next(lines).strip()
            shown = [] if block == "console" else None
            commands.append((re.sub(r"\s+", " ", line.split(" #")[0]).strip(), shown))
        elif block == "console" and commands:
            commands[-1][1].append(line)
    return commands


def find(table, command):
    """The key of `command` in `table`, or None."""
    return next((key for key in (command, command.removeprefix("$ "))
                 if key in table), None)


def find_beginning(command):
    return next((each for each in NOT_RUN_BEGINNINGS
                 if command.removeprefix("$ ").startswith(each)), None)


def find_unused(pages):
    """The keys of the tables above that no page has."""
    keys = {*NOT_RUN, *NOT_RUN_BEGINNINGS, *INSTEAD, *EXIT_CODES}
    for page in pages:
        for command, _ in read_commands(page):
            keys -= {find(table, command) for table in (NOT_RUN, INSTEAD, EXIT_CODES)}
            keys.discard(find_beginning(command))
    return keys


def matches(shown, printed):
    """Whether a pattern of lines is what was printed."""
    pattern = "".join(re.escape(line).replace(r"\.\.\.", ".*") + "\n" if line != "..."
                      else "(?:.*\n)*?" for line in shown if line)
    printed = "".join(line + "\n" for line in printed.splitlines() if line)
    return re.fullmatch(pattern, printed) is not None


def compile_for_device(command):
    """`command`, where dml-compile compiles executables for the device at hand."""
    return re.sub(r"\bdml-compile (?!.*--device)(?=.*\.dmlx)",
                  "dml-compile --device=native ", command)


def read_arguments():
    """The three folders, the pages that are to be run, all pages, and the options."""
    options = [argument for argument in sys.argv[1:]
               if argument in ("--times", "--device=native")]
    arguments = [argument for argument in sys.argv[1:] if argument not in options]
    source, build, folder = (pathlib.Path(arg).resolve() for arg in arguments[:3])
    pages = [source / "README.md", source / "CONTRIBUTING.md", source / "runtime/README.md",
             *sorted((source / "docs").glob("*.md"))]
    is_rest = arguments[3] == "--but"
    named = [source / page for page in arguments[3 + is_rest:]]
    unknown = [page for page in named if page not in pages]
    if unknown:
        sys.exit(f"there is no page {unknown[0]}")
    chosen = [page for page in pages if (page in named) != is_rest]
    return source, build, folder, chosen, pages, options


def main():
    source, build, folder, chosen, pages, options = read_arguments()
    folder.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name not in ("build", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").mkdir()
    (folder / "build" / "release").symlink_to(build)
    temporary = folder / "tmp"
    temporary.mkdir()
    write_fixtures(folder)
    # The scripts run in this Python, which has the packages that they need.
    environment = {**os.environ, "PATH": os.pathsep.join(
        [f"{build}/bin", str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]),
                   "XDG_CACHE_HOME": str(temporary / "cache")}

    wrong, run, results = 0, 0, {}
    for page in chosen:
        for command, shown in read_commands(page):
            bare = command.removeprefix("$ ")
            if find_beginning(command) or find(NOT_RUN, command):
                continue
            actual = INSTEAD.get(find(INSTEAD, command), bare)
            actual = re.sub(r"/tmp\b", str(temporary), actual)
            if "--device=native" in options:
                actual = compile_for_device(actual)
            code = EXIT_CODES.get(find(EXIT_CODES, command), 0)
            begin = time.monotonic()
            result = results.get(bare)
            if result is None:
                result = subprocess.run(["bash", "-o", "pipefail", "-c", actual], cwd=folder,
                                        env=environment, text=True, errors="replace",
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, timeout=300)
            if bare in RUN_ONCE:
                results[bare] = result
            if "--times" in options:
                print(f"{time.monotonic() - begin:6.2f} {page.name}: {bare}")
            run += 1
            is_right = result.returncode == code
            if shown and is_right:
                is_right = matches(shown, result.stdout)
            if not is_right:
                wrong += 1
                print(f"{page.relative_to(source)}: {bare}\n  exit code "
                      f"{result.returncode}, wanted {code}; it printed\n{result.stdout}")
                if shown:
                    print("and the page has\n" + "\n".join(shown))
    for key in find_unused(pages):
        wrong += 1
        print(f"{key}: no page has this command")
    print(f"{run} commands, {wrong} wrong")
    if not wrong:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
