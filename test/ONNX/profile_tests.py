#!/usr/bin/env python3
# Compiles every network of benchmarks/networks.py and every model of import_tests.py for
# device profiles that have much and that have little: models are valid whatever a device
# has, so that all of them compile, and none ends the compiler.
#
# SPDX-License-Identifier: Apache-2.0
import argparse
import concurrent.futures
import os
import subprocess
import sys

# The folder of the sources stays as it is.
sys.dont_write_bytecode = True
import import_tests

PROFILES = ["full", "minimal", "full,maxStorageBuffers=2"]


def write_models(folder, networks):
    """Writes the models, and returns the arguments of dml-compile for each."""
    whole = os.path.join(folder, "networks")
    subprocess.run([sys.executable, networks, "--small", "--all", "-o", whole], check=True)
    models = [[os.path.join(whole, name)] for name in sorted(os.listdir(whole))]
    for name, build in import_tests.GROUPS.items():
        model = build()
        path = os.path.join(folder, name + ".onnx")
        model.save(path)
        models.append([path] + [f"--dim={key}={int(value)}" for key, value in model.stated.items()])
    return models


def compile_model(model, profile):
    """What dml-compile says of a model that it does not compile, or nothing."""
    result = subprocess.run(
        ["dml-compile", *model, f"--device-profile={profile}", "-o", os.devnull],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode == 0:
        return ""
    return (f"{os.path.basename(model[0])}, {profile}: exit code {result.returncode}\n"
            + result.stderr[:2000])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", help="benchmarks/networks.py")
    parser.add_argument("folder", help="where the models are written to")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    models = write_models(arguments.folder, arguments.networks)
    tasks = [(model, profile) for model in models for profile in PROFILES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [text for text in pool.map(lambda task: compile_model(*task), tasks) if text]
    if failures:
        sys.exit("\n".join(failures))
    print(f"{len(models)} models compile for each of {len(PROFILES)} profiles")


if __name__ == "__main__":
    main()
