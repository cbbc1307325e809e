# How lit runs dml's tests.
#
# SPDX-License-Identifier: Apache-2.0
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import lit.formats

# lit reads this file by itself where it is given a test by its path in the source. What
# the tests need to know of a build stands in the build's own file, which reads this one
# in its turn.
if not hasattr(config, "dml_binary_dir"):
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    build = os.path.join(source, lit_config.params.get("build", "build/release"))
    site = os.path.join(build, "test", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal(f"found no '{site}': build dml with scripts/setup, or name another "
                         "build with --param build=FOLDER")
    lit_config.load_config(config, site)
    # This file has been read, with what the build knows.
    raise SystemExit

config.name = "dml"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".td"]
config.excludes = ["Inputs", "CMakeLists.txt", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.dml_binary_dir, "test")

# FileCheck, not, split-file and count first from LLVM's own directory: they are
# off the PATH on most distributions.
path = [config.dml_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)

# A variable of one CHECK-LABEL block does not leak into the next.
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"

# Variables that a driver, a loader or a sanitizer reads reach the tests.
for variable in os.environ:
    if variable.startswith(("VK_", "ASAN_", "UBSAN_", "LSAN_", "DML_", "XDG_", "HOME")):
        config.environment[variable] = os.environ[variable]

# The speeds that a user has measured do not reach the tests.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.dml_binary_dir, "test", "cache")

config.substitutions.append(("%dml_src", config.dml_source_dir))
config.substitutions.append(("%dml_obj", config.dml_binary_dir))
config.substitutions.append(("%dml_plugin",
                             f"--load-dialect-plugin={config.dml_plugin} "
                             f"--load-pass-plugin={config.dml_plugin}"))
config.substitutions.append(("%test_plugin", config.test_plugin))
config.substitutions.append(("%python", config.python or sys.executable))
config.substitutions.append(("%lit", config.lit))
config.substitutions.append(("%llvm_tools", config.llvm_tools_dir))
# "%exits 2 dml-run" wants the exit code 2 of dml-run.
config.substitutions.append(("%exits", f"{config.python or sys.executable} "
                             f"{config.test_source_root}/Inputs/exits.py"))
# "%bounded 1 dml-compile" wants the exit code 1 in bounded time and memory. Sanitizers
# reserve more addresses than there is memory.
config.substitutions.append(("%bounded", f"{config.python or sys.executable} "
                             f"{config.test_source_root}/Inputs/bounded.py "
                             f"{0 if config.dml_sanitizers else 8 << 30}"))


def run(*command):
    """The finished process of `command` in the tests' environment, or None where the
    program is missing. A program that does not run to its end fails."""
    program = shutil.which(command[0], path=config.environment["PATH"])
    if not program:
        return None
    try:
        return subprocess.run(
            [program, *command[1:]],
            env={**os.environ, **config.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def probe(*command):
    """What `command` prints if it exists and succeeds here, in the tests'
    environment; else None."""
    if len(command) == 1:
        return shutil.which(command[0], path=config.environment["PATH"]) and ""
    result = run(*command)
    return result.stdout if result and result.returncode == 0 else None


# A test says `REQUIRES: <feature>`; a feature is there if its command works.
features = {
    "dml-bench": ["dml-bench", "--version"],
    "dml-compile": ["dml-compile"],
    "dml-explain": ["dml-explain"],
    "dml-run": ["dml-run"],
    "onnx": [config.python or sys.executable,
             config.dml_source_dir + "/test/ONNX/backend_tests.py", "--probe"],
    "spirv-val": ["spirv-val"],
}
for feature, command in features.items():
    if probe(*command) is not None:
        config.available_features.add(feature)

# Tests that run kernels require `vulkan`. Without a device they are unsupported, and
# lit fails where the environment demands a device (runtime/unittests/Device.h has the
# same rule). Where dml-run is not built, nothing can be said of devices.
listing = run("dml-run", "--list-devices", "--json")
devices = []
if listing and listing.returncode == 0:
    config.available_features.add("vulkan")
    devices = json.loads(listing.stdout)
elif listing:
    missing = ("found no Vulkan device, which tests that require `vulkan` want: "
               + (listing.stderr.strip() or f"dml-run exits with {listing.returncode}"))
    demand = os.environ.get("DML_REQUIRE_DEVICE")
    if demand == "1" or (demand is None and os.environ.get("CI") == "true"):
        lit_config.fatal(missing)
    lit_config.note(missing)

# Mesa's driver for AMD's GPUs compiles for a family without a GPU:
# `%radv RADV_FORCE_FAMILY=gfx1100 COMMAND`.
drivers = glob.glob("/usr/share/vulkan/icd.d/radeon_icd*.json")
if drivers:
    radv = ["env", "VK_DRIVER_FILES=" + drivers[0], "VK_ICD_FILENAMES=" + drivers[0]]
    if probe(*radv, "RADV_FORCE_FAMILY=gfx1100", "dml-run", "--list-devices"):
        config.available_features.add("radv")
        config.substitutions.append(("%radv", " ".join(radv)))

# Debian's package chromium-headless-shell has the first, chromium the second.
for browser in "chromium-headless-shell", "chromium":
    if "chromium" not in config.available_features and probe(browser, "--version"):
        config.available_features.add("chromium")
        config.substitutions.append(("%chromium", browser))

# Python has no sanitizers, which a library with them wants of its program.
if not config.dml_sanitizers:
    config.available_features.add("python-library")

# The stock mlir-opt has no sanitizers, and a plugin must have the program's.
if not config.dml_sanitizers and probe("mlir-opt") is not None:
    config.available_features.add("plugins")

# Upstream's runner, and the library by which its programs print, run modules on the host.
runner_library = os.path.join(config.llvm_tools_dir, "..", "lib", "libmlir_runner_utils.so")
if os.path.exists(runner_library) and probe("mlir-opt", "--version") is not None \
        and probe("mlir-runner", "--version") is not None:
    config.available_features.add("mlir-runner")

# Every device has every Vulkan feature that kernels of the profile `full` may need: all
# data types. Elsewhere `dml-compile %for_device` compiles for the device at hand, so that
# dml-run can run what is compiled on every device.
with open(f"{config.dml_source_dir}/runtime/schema/Features.def") as table:
    beyond_full = set(re.findall(r"^DML_FEATURE\(\d+, (\w+),[^()]*, false, \w+\)$",
                                 table.read(), re.MULTILINE))
has_every_feature = all(has for device in devices
                        for name, has in device["features"].items()
                        if name not in beyond_full)
if devices and has_every_feature:
    config.available_features.add("every-vulkan-feature")
config.substitutions.append(("%for_device", "" if has_every_feature else "--device=native"))
# Inputs in archives, pictures and ONNX's test data, whose libraries a build by hand may lack.
if config.dml_has_tensor_files:
    config.available_features.add("tensor-files")

# dml-run takes the first GPU, or else the first device.
if devices and all(device["type"] == "CPU" for device in devices):
    config.available_features.add("cpu-device")

# Mesa's lavapipe has subgroups of as many threads as a vector of
# LP_NATIVE_VECTOR_WIDTH bits has numbers of 32 bits: 4, 8 or 16.
if devices and all(device["driverName"].startswith("llvmpipe") for device in devices):
    config.available_features.add("lavapipe")

# Every device shuffles, in subgroups of one size.
sizes = {device["limits"]["subgroupSize"] for device in devices}
if len(sizes) == 1 and all(device["features"]["subgroupShuffle"] for device in devices):
    config.available_features.add("subgroup-shuffle")
    config.substitutions.append(("%subgroup_size", str(*sizes)))
