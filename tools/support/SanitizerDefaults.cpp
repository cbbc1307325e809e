//===- SanitizerDefaults.cpp - Reports that are not ours ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Linked into programs that use Vulkan or LLVM where they are built with
// AddressSanitizer or ThreadSanitizer, so that they need no options in their
// environment.
//
//===----------------------------------------------------------------------===//

/// Options for AddressSanitizer, which asks for them under this name.
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" const char *__asan_default_options() {
  // LLVM's allocators are inline functions, which poison their memory where
  // they are compiled with sanitizers. LLVM's libraries are not: their copies
  // of these functions use the same memory, and leave it poisoned.
  return "allow_user_poisoning=0";
}

/// The same for ThreadSanitizer.
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" const char *__tsan_default_options() {
  // ThreadSanitizer sees only a part of the accesses of drivers, since drivers
  // are not compiled with it.
  return "ignore_noninstrumented_modules=1";
}

/// Options for LeakSanitizer. A list of the suppressions that were used would
/// stand among the messages of the program.
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" const char *__lsan_default_options() {
  return "print_suppressions=0";
}

/// Suppressions for LeakSanitizer, which asks for them under this name. Each
/// needs a reason.
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" const char *__lsan_default_suppressions() {
  return
      // Mesa's lavapipe keeps its LLVM contexts, compiled shaders and driver
      // configuration until the process ends, and frees none of them.
      "leak:libvulkan_lvp.so\n"
      "leak:libLLVM\n"
      // The loader opens other drivers to ask for their devices.
      "leak:libvulkan_intel\n"
      "leak:libvulkan_radeon\n"
      "leak:libnvidia\n"
      "leak:libGLX_nvidia\n"
      // The loader keeps some of its manifests, and the layers some of
      // themselves.
      "leak:libvulkan.so\n"
      "leak:libVkLayer_\n";
}

/// LeakSanitizer suppresses leaks by the name of a library, which it no longer
/// knows after the loader has closed the library. Libraries are therefore never
/// closed.
extern "C" int dlclose(void * /*library*/) { return 0; }
