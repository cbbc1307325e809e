//===- Options.cpp - The command line of dml-bench ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "support/CommandLine.h"

#include <cmath>
#include <string_view>

using namespace dml::tools;

const char *const dml::tools::kHelp =
    R"(dml-bench: how close compiled programs come to the device's copy rate

usage: dml-bench [options] FILE.dmlx...
       dml-bench --calibrate [options]

Runs every function of the executables on random data and compares it with a
plain copy on the same device: 16 bytes a thread, the best that memory does.
FILE may be "-", standard input.
Cases that exceed a limit of the device are named and left out. Weights that a
FILE lacks are random, too.

examples
  dml-bench padding.dmlx
  dml-bench suite/*.dmlx --filter='^pad.*f16' --json=h100.json
  dml-bench suite/*.dmlx --device=llvmpipe --repeats=3

the columns
  ms          median time on the device, from a timestamp before the first step
              and one after the last
  MB          10^6 bytes: every input read once, every output written once
  bound       MB of all buffers that the steps bind: more than MB where a program
              goes through memory in between
  GB/s        MB / ms
  ratio       GB/s against a copy of as many bytes, which ran in turn with it
  peak        GB/s against the large copy of the first lines
  disp        dispatches; "+1c" are copies
  GFLOP/s     10^9 operations a second, where --operations counts them
  products    ... against fused products and sums of f32 in registers, or of the
              cooperative matrices that the case multiplies
  latency us  median from submission until the host knows of the end; for cases
              below 16 MB
  x empty     ... against one dispatch of one thread that does nothing

options
  --device=DEVICE   a part of a name, an index or a UUID; default: the first
                    GPU, else the first device (dml-run --list-devices)
  --filter=REGEX    only the cases in whose name REGEX is found
  --list            print the names of the cases; run nothing
  --min-time=S      measure each case for S seconds, and 9 times or more;
                    default: 0.3
  --warm-up=S       run each case for S seconds before anything counts: an idle GPU
                    has a low clock; default: 0.2, or 0 with --repeats
  --repeats=N       measure each case N times instead
  --rotate=MIB      use buffers of so many MiB in turn, so that no run finds its
                    data in a cache; default: 384. 0: always the same buffers
  --calibrate       measure how fast the device is, and print the device profile
                    that tells dml-compile so; takes no file
  --save            with --calibrate: keep the numbers, rounded, in the user's
                    cache ($XDG_CACHE_HOME/dml or ~/.cache/dml, on Windows
                    %LOCALAPPDATA%\dml), where programs find them that compile
                    for this device and driver
  --check           also check that runs write all of their results
  --pipeline-cache=FILE
                    take compiled pipelines from FILE, and write there what was
                    compiled, for the next run
  --operations=FILE take from FILE how many operations cases have: lines of a
                    name, a space and a number (benchmarks/run writes such a file)
  --json=FILE       write all that was measured to FILE
  --help, --version

The reason for an exit code other than 0 is on stderr.

)";

bool dml::tools::parseOptions(int argc, char **argv, Options &options,
                              std::string &error) {
  const std::vector<Option> known = {
      flagOption("--help", options.help),
      flagOption("-h", options.help),
      flagOption("--version", options.version),
      flagOption("--list", options.list),
      flagOption("--calibrate", options.calibrate),
      flagOption("--save", options.save),
      flagOption("--check", options.check),
      textOption("--device", options.device),
      textOption("--pipeline-cache", options.pipelineCache),
      textOption("--filter", options.filter),
      textOption("--json", options.json),
      textOption("--operations", options.operations),
      {"--min-time", true, /*isRepeatable=*/false,
       [&](std::string_view value) {
         return parseNumber(value, options.minTime) &&
                std::isfinite(options.minTime) && options.minTime >= 0;
       },
       "seconds"},
      {"--warm-up", true, /*isRepeatable=*/false,
       [&](std::string_view value) {
         double seconds = 0;
         if (!parseNumber(value, seconds) || !std::isfinite(seconds) ||
             seconds < 0)
           return false;
         options.warmUp = seconds;
         return true;
       },
       "seconds"},
      {"--repeats", true, /*isRepeatable=*/false,
       [&](std::string_view value) {
         return parseNumber(value, options.repeats) && options.repeats > 0;
       },
       "a whole number from 1 on"},
      {"--rotate", true, /*isRepeatable=*/false,
       [&](std::string_view value) {
         return parseNumber(value, options.rotateMiB);
       },
       "a whole number"},
  };
  return parseCommandLine(argc, argv, known, options.files, error);
}
