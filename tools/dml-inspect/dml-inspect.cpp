//===- dml-inspect.cpp - Look into an executable --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Inspect.h"
#include "Validate.h"
#include "support/CommandLine.h"
#include "support/File.h"
#include "support/Input.h"
#include "support/Plural.h"

#include <cstdio>
#include <filesystem>
#include <optional>

using namespace dml::tools;

namespace {

constexpr char kHelp[] =
    R"(dml-inspect: what a compiled program holds

usage: dml-inspect [options] FILE.dmlx

Checks the executable as the runtime does, and prints what a device needs for
it, its shader modules, kernels and constants, and each function's signature,
steps and memory. FILE may be "-", standard input. No device is needed, except
with --driver.

examples
  dml-inspect padding.dmlx
  dml-inspect padding.dmlx --spirv=shaders && spirv-dis shaders/0-*.spv
  dml-compile net.mlir | dml-inspect - --json
  RADV_FORCE_FAMILY=gfx1100 dml-inspect padding.dmlx --driver=radv
      Mesa's driver for AMD's GPUs compiles for a family, without such a GPU

options
  --json             print the same as JSON
  --spirv=FOLDER     also write each shader module to FOLDER, which is made
                     where there is none, as NUMBER-NAME.spv: what the
                     runtime hands to a driver, with the zeros of variables
                     that it adds
  --constants=FILE   also write the constants' bytes to FILE
  --validate         have SPIRV-Tools check the shader modules as well, where
                     dml-inspect was built with it (-DDML_SPIRV_TOOLS=ON):
                     slower than the runtime's own checks, and by all rules
  --driver[=DEVICE]  have a device's driver compile the kernels that it would
                     run, and print what the driver tells of each instead:
                     registers, spilled registers, instructions, in the driver's
                     own words (VK_KHR_pipeline_executable_properties). Nothing
                     runs, and no memory is needed. DEVICE is a number, a UUID
                     or a part of a name, as for dml-run --device. The exit code
                     is 1 where a kernel spills registers
  --help, --version

The reason for an exit code other than 0 is on stderr.

)";

struct Options {
  bool help = false, version = false, json = false, validate = false;
  std::string spirv, constants;
  std::optional<std::string> driver;
  std::vector<std::string> files;
};

void write(const std::string &path, const void *data, size_t size) {
  std::string error;
  if (!writeFile(path, {{data, size}}, error))
    fail(error, kExitNotWritten);
}

void print(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void inspectDriver(std::shared_ptr<const dml::runtime::Executable> executable,
                   const std::string &selector, bool asJson) {
  DriverReport report = compileWithDriver(std::move(executable), selector);
  print(asJson ? printJson(report) : printText(report));
  if (size_t count = countSpilling(report))
    fail(std::to_string(count) + " of " +
             printCount(report.kernels.size(), "kernel") + " spill" +
             (count == 1 ? "s" : "") + " registers",
         kExitNo);
}

void inspect(const Options &options) {
  if (options.files.empty())
    fail("no file is given (see --help)");
  if (options.files.size() > 1)
    fail("there are two files: '" + options.files[0] + "' and '" +
         options.files[1] + "'");
  const std::string &file = options.files[0];
  // A file may change: what is printed is what was checked.
  std::shared_ptr<const dml::runtime::Executable> executable;
  auto take = [&](auto found) {
    if (!found)
      fail(found.status().message(), getExitCode(found.status().result()));
    executable = *found;
  };
  if (isStandardInput(file)) {
    std::vector<uint8_t> bytes = readInput(file);
    wantExecutable(file, bytes);
    take(dml::runtime::readExecutable(bytes.data(), bytes.size()));
  } else {
    wantExecutable(file, readStart(file));
    take(dml::runtime::readExecutableFile(file));
  }

  if (options.validate)
    validateShaders(*executable);

  if (!options.spirv.empty()) {
    std::error_code code;
    std::filesystem::create_directories(options.spirv, code);
    if (code)
      fail("cannot make the folder '" + options.spirv + "': " + code.message(),
           kExitNotWritten);
    for (size_t i = 0; i < executable->shaderModules.size(); ++i) {
      const dml::runtime::View<uint32_t> &code =
          executable->shaderModules[i].code;
      write(options.spirv + "/" + nameShaderFile(*executable, i), code.data(),
            code.size() * sizeof(uint32_t));
    }
  }
  if (!options.constants.empty())
    write(options.constants, executable->constants.data(),
          executable->constants.size());
  if (options.driver)
    return inspectDriver(executable, *options.driver, options.json);
  print(options.json ? printJson(*executable) : printText(*executable));
}

} // namespace

int main(int argc, char **argv) {
  return runMain("dml-inspect", [&] {
    Options options;
    std::string error;
    if (!parseCommandLine(argc, argv,
                          {flagOption("--help", options.help),
                           flagOption("-h", options.help),
                           flagOption("--version", options.version),
                           flagOption("--json", options.json),
                           flagOption("--validate", options.validate),
                           textOption("--spirv", options.spirv),
                           textOption("--constants", options.constants),
                           {"--driver", true, false,
                            [&](std::string_view value) {
                              options.driver = std::string(value);
                              return true;
                            },
                            "a device", /*isValueOptional=*/true}},
                          options.files, error))
      fail(error);
    if (options.help)
      std::printf("%s%s", kHelp, kExitCodesHelp);
    else if (options.version)
      std::printf("dml-inspect %s\n", dmlGetVersion());
    else
      inspect(options);
  });
}
