//===- Passes.td - From linalg to SPIR-V -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_PASSES_TD
#define DML_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseProducers : Pass<"dml-fuse-producers", "mlir::func::FuncOp"> {
  let summary = "Compute tensors where they are read";
  let description = [{
    Takes a `linalg.generic` that computes each element from its coordinates (no
    inputs, identity map, parallel iterators) and puts its body in the place of
    every `tensor.extract` from its result, with the indices of the extract for
    `linalg.index`. The tensor in between is neither written nor read any more.
    `tensor.collapse_shape` and `tensor.expand_shape` in between become index
    arithmetic. The same operations compute the same values, so results keep
    their bits; what is rounded to 16 bits and computed with again is rounded in
    integer arithmetic, since drivers may drop another rounding. (Upstream's
    `linalg-fuse-elementwise-ops` follows the operands of a `linalg.generic`
    through its indexing maps; it cannot see through `tensor.extract`.)

    A producer is fused into all of its readers or into none: a function's
    result, for one, stays as it is. Whether it is fused follows from counts of
    operations and bytes alone. A range of another tensor is read there by all of
    its readers. A chain of `tensor.insert_slice` that concatenates up to three
    tensors becomes such a `linalg.generic` where that is fused. A reader that looks at an element several times,
    or several readers, compute it several times; this must be in proportion to
    the bytes saved. Little index arithmetic is always fused, what is read in
    loops hardly ever. Bodies stay small enough to compile, and fusion gives no
    kernel more than the buffers that every Vulkan device binds. The numbers that
    decide are those of `dml/Codegen/CostModel.h`, with what they were measured by.

    The label of a fused kernel names all operators in it:
    `dml.padding+dml.tile`.

    ```mlir
    %0 = dml.tile %a ...     // reads %a[i mod 4]
    %1 = dml.padding %0 ...  // reads %0[max(i - 1, 0)]
    // one kernel that reads %a[max(i - 1, 0) mod 4]
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect"
  ];
}

def MergeEqualOps : Pass<"dml-merge-equal-ops", "mlir::func::FuncOp"> {
  let summary = "Eliminate common subexpressions in linear time";
  let description = [{
    Does what `cse` does to functions without control flow. `cse` finds operations
    by a hash that leaves regions out, and then compares regions. Generics on
    tensors that differ in their bodies alone, as all do that share one
    `tensor.empty`, so cost it a time that is quadratic in their number. The hash of
    this pass is of regions, too.
  }];
}

def NestJoins : Pass<"dml-nest-joins", "mlir::func::FuncOp"> {
  let summary = "Make concatenations parts of others";
  let description = [{
    Where a chain of `tensor.insert_slice` concatenates what an earlier one does,
    among other tensors, the result of the earlier one is inserted instead. So in a
    dense block, where each layer reads the concatenation of all results before it,
    each concatenation is a part of the next, and `dml-place-parts` gives all of them
    one buffer: each result is written once, into its place.

    ```mlir
    %0 = join(%a, %b)
    %1 = join(%a, %b, %c)  // becomes join(%0, %c)
    ```
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

def CopySharedResults
    : Pass<"dml-copy-shared-results", "mlir::func::FuncOp"> {
  let summary = "Give every result of a function a buffer of its own";
  let description = [{
    Copies a tensor that a function returns more than once, so that each result
    can become a buffer of the caller's. (buffer-results-to-out-params cannot
    hoist one allocation into two arguments.)

    Every user of a `tensor.empty` gets its own: one-shot bufferization takes
    quadratic time to find out that operations which share one do not share a
    buffer.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::tensor::TensorDialect"
  ];
}

def PrepareBufferization
    : Pass<"dml-prepare-bufferization", "mlir::func::FuncOp"> {
  let summary = "Make buffers of tensors that need no analysis";
  let description = [{
    One-shot bufferization compares each read of a tensor, and of what may share its
    buffer, with each write, for each of them: a tensor that 1,000 operators read
    costs it a million comparisons, and 100 slices of a tensor take seconds. This
    pass makes buffers of what needs no such search:

    * Slices that are inserted into a `tensor.empty`, one after the other, are
      copied into ranges of one buffer. `dml-place-parts` has them written there.
    * Elements of a tensor are loaded from its buffer, where nothing uses the tensor
      and its reshapes but to read them.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect"
  ];
}

def EmulateTypes : Pass<"dml-emulate-types", "mlir::ModuleOp"> {
  let summary = "Replace element types that a device lacks by 32-bit words";
  let description = [{
    Tensors of a type for which the profile lacks a feature become flat tensors of
    i32 with the same bytes, and a generic that computed elements computes words.
    What is computed stays the same, bit for bit. Nothing changes for a device
    that has all.

    A `tensor.insert_slice` of whole words is one of words.

    Arithmetic on such integers, and conversions between them and floats, become
    arithmetic on words: on one for 4, 8 and 16 bits, on two for 64. A number of
    64 bits has a carry from its low word to its high one, and a quotient two
    steps of long division. Conversions from and to f16 and f64 and comparisons
    of f64 are integer arithmetic, which rounds to nearest, halves to even. Other
    arithmetic on floats that the profile lacks is refused, by the Vulkan
    feature's name: no operator has any.
  }];
  let options = [
    Option<"deviceProfile", "device-profile", "std::string", [{"full"}],
           "Devices to generate code for: 'full' or 'minimal', then any number "
           "of ',+feature', ',-feature' or ',limit=number'">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect",
    "mlir::vector::VectorDialect"
  ];
}

def PlaceParts : Pass<"dml-place-parts", "mlir::func::FuncOp"> {
  let summary = "Write the parts of a buffer in place";
  let description = [{
    An allocation that is copied, whole, into a buffer or into a range of one of
    its dimensions becomes that range: what computes it writes it there, and what
    reads it reads it there. So the inputs of `dml.join` that operators compute are
    written once and not copied. This is done where nothing else reads or writes
    the range before the copy, and nothing writes it after.

    Another copy into a range, of an input, a constant or what has its place in
    another buffer already, becomes a `linalg.generic` that moves its elements.
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::linalg::LinalgDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def LimitBuffers : Pass<"dml-limit-buffers", "mlir::ModuleOp"> {
  let summary = "Let kernels bind no more buffers than a device does";
  let description = [{
    Where a `linalg.generic` on buffers reads and writes more of them than the
    profile's kernels bind, some that it reads become ranges of one new buffer.
    Of constants, the smallest first, the compiler makes one constant, as many as
    it takes. Where that is not enough, temporaries become ranges of another buffer
    from the beginning; inputs, the smallest first, are copied into theirs.
  }];
  let options = [
    Option<"deviceProfile", "device-profile", "std::string", [{"full"}],
           "Devices to generate code for: 'full' or 'minimal', then any number "
           "of ',+feature', ',-feature' or ',limit=number'">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"
  ];
}

def OutlineDispatches : Pass<"dml-outline-dispatches", "mlir::ModuleOp"> {
  let summary = "Give equal work one function";
  let description = [{
    Moves every `linalg.generic` on buffers to a private function of its own, which
    is called in its place. The views and constants that the generic uses move with
    it, and buffers become arguments. Generics that are equal then share one
    function, so that the passes which take time see each kernel once: two are equal
    where their operations, attributes, types and constants are, and the same
    values are arguments of the same number. Locations do not count, but labels do.

    A generic without a label gets that of its function, since kernels are called by
    their labels.

    ```mlir
    linalg.generic ... outs(%a : memref<4xf32>) {
      %x = memref.load %b[%i] ...
    }
    // becomes
    call @dispatch(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
    ```
  }];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def InlineDispatches : Pass<"dml-inline-dispatches", "mlir::ModuleOp"> {
  let summary = "Put the launches of dispatches where these are called";
  let description = [{
    Replaces calls of what `dml-outline-dispatches` has made, once their generics are
    launches of kernels: each call becomes the callee's `gpu.launch_func` and the
    views that it takes. (`inline` splits the caller's block for each call, which
    costs time that is quadratic in their number.)
  }];
}

def SelectKernels : Pass<"dml-select-kernels", "mlir::func::FuncOp"> {
  let summary = "Choose the kind of kernel that computes each buffer";
  let description = [{
    Writes the attribute `dml.kernel` on each `linalg.generic` that becomes a
    contraction kernel: a body that adds up products of f32 in loops, where each
    factor depends on dimensions of the output that the other does not depend
    on. Those of one factor are the rows of the sums, those of the other, which
    the innermost dimension is one of, the columns. Products of matrices are of
    this form, and convolutions, whose columns are the positions of the output
    in all images.

    `{contraction_tile = array<i64: 128, 64, 16>}` is a tile of 128 rows and 64
    columns for a workgroup, with 16 terms of each sum in workgroup memory at a
    time. All other generics become map kernels, whose threads share nothing.

    `{matrix_tile = {workgroup = array<i64: 128, 128, 32>, subgroup = array<i64: 64,
    64>, shape = "16x16x16xf16xf32"}}` makes a matrix kernel of it, for profiles with
    cooperative matrices of the type that all factors were widened from: a workgroup
    has 128 rows of 128 sums and stages of 32 terms, and each subgroup multiplies
    matrices of the shape for 64 rows of 64 of the sums. Where matrices can be
    multiplied, they are preferred to other kernels, unless they were mostly padding.

    The tile is the one with the least time: operations and loads for a sum
    that is wanted, where workgroups too few for a device take longer. A generic
    stays a map kernel where that takes less time, and where factors are chosen,
    as those of padded windows are. A `dml.kernel` that is there
    already is kept: `"map"` asks for a map kernel.
  }];
  let options = [
    Option<"deviceProfile", "device-profile", "std::string", [{"full"}],
           "Devices to generate code for: 'full' or 'minimal', then any number "
           "of ',+feature', ',-feature' or ',limit=number'">,
    Option<"matrixTile", "matrix-tile", "std::string", [{"auto"}],
           "Tile of matrix kernels: 'auto' chooses one for each, 'none' makes no "
           "matrix kernels, and rows, columns and terms of a workgroup and rows "
           "and columns of its subgroups, such as '128x128x32x64x64', are taken "
           "wherever they can be">,
    Option<"contractionTile", "contraction-tile", "std::string", [{"auto"}],
           "Tile of contraction kernels: 'auto' chooses one for each, 'none' "
           "makes all kernels map kernels, and rows and columns, such as "
           "'64x64', are taken wherever they can be">,
  ];
}

def SelectMapTiles : Pass<"dml-select-map-tiles", "mlir::func::FuncOp"> {
  let summary = "Choose what a thread of each map kernel computes";
  let description = [{
    Writes `dml.kernel = {map_tile = {...}}` on each `linalg.generic` that computes
    elements from their coordinates and has no other kernel yet. Each candidate is
    built, what its threads would run is counted, and nothing stays of it but the
    attribute of the one that is taken. The numbers that decide are those of
    `dml/Codegen/CostModel.h`, with what they were measured by.

    `{vector_bytes = 16 : i64}` is the first candidate: a thread computes the elements
    of 16 consecutive bytes of the output. Where the body reads wider elements than it
    writes, or reads rows with a stride, it is as many elements as it reads from 16
    bytes, but no fewer than 4 bytes. In a part of another buffer it is no more than
    divides where the part begins and ends. A candidate adds one of these:

    * `rows = 2 : i64`, where rows hold whole vectors: a thread computes one vector in
      each of two consecutive rows. The first candidate has two where the body reads
      elements several times. Twice as many, and as many again, are tried where the
      kernel waits for its operations, and where the second row is mostly the first
      again.
    * `vectors = 3 : i64`, where an innermost dimension or a divisor in the body has an
      odd factor, such as 3: the elements of a vector share little then, while the
      coordinates of those of three consecutive vectors differ by constants. The
      vectors go through workgroup memory, from which the workgroup stores them side
      by side.
    * `in_both_rows`, where rows are no whole vectors and elements are only moved: each
      is looked up in the row where its vector begins and in the next. What outer
      dimensions come to is then computed for two rows, not for each element.
    * `split`, where rows are no whole vectors: the elements of a vector that lies
      inside of a row have columns that differ by constants, and those of a vector that
      crosses its end do not. Each kind gets workgroups of its own. These threads store
      less side by side, so that it is for kernels that wait for their operations, or
      that save loads as well.

    `block = array<i64: 4, 2>` is for a body with loops, which the elements of a thread
    share: one vector in each of 4 by 2 rows, of what is left of the output behind two
    outer dimensions. Candidates begin with one row, and double in the dimension that
    gains most until none gains.

    `interior = array<i64: 60>` adds a second path, where comparisons, such as those
    that clamp coordinates, come out the same for most groups of threads: these take a
    path of their own without them, if that saves operations. It parts at most 60 in
    100 of the groups. A split tile has a number for either kind of threads, and 0 is
    no second path.
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"minOpsPerByte", "min-ops-per-byte", "double",
           "::dml::cost::opsPerByte",
           "Operations for a byte that is read or written from which a kernel "
           "waits for them rather than for memory">,
  ];
}

def DistributeToWorkgroups
    : Pass<"dml-distribute-to-workgroups", "mlir::func::FuncOp"> {
  let summary = "Turn linalg on buffers into GPU launches";
  let description = [{
    Turns every parallel `linalg.generic` on buffers into a `gpu.launch`, whose grid is
    within what every Vulkan device takes. `dml.kernel` says which kernel it becomes
    (see `dml-select-kernels` and `dml-select-map-tiles`); what has no choice becomes a
    map kernel whose threads compute one vector. A choice that the generic cannot have
    is an error.

    The elements of a thread share what they have in common. Index arithmetic is
    kept as linear forms of the thread's number: coordinates of neighbours differ
    by constants, one division is for all of them, coordinates that nothing tells
    apart become one number again, and ranges decide comparisons. Loads read the
    largest vector that holds an element in the same place for all threads. 8 and
    16-bit elements travel in 32-bit words, and those that are only moved are not
    taken apart. A load that a condition selects against a constant reads where
    the condition holds, or another element of the buffer: words of such elements
    are then selected whole.

    Where coordinates of an outer dimension repeat after more of the output than
    caches hold, workgroups that read the same elements take turns: the elements are
    in a cache then.

    In a contraction kernel a workgroup computes a tile of sums. It loads the factors
    that the sums have in common into workgroup memory, some terms at a time: what
    computes a factor in the body is built for each position and term once, with
    conversions, padding and the coordinates of a convolution's input. Then each
    thread loads factors for a block of sums from there, as vectors of four, and adds
    up their products. What the body does with its sum comes last, for the elements
    that the thread then stores. Positions beyond the last one repeat it, and are not
    stored; terms beyond the last one are 0.

    The launch sees each buffer as memrefs of elements or vectors: one view for each
    type that it loads or stores. Where the number of elements is no multiple of
    the vector's, vectors reach beyond the tensor in its buffer, which is 16 bytes
    aligned in size.
  }];
  let options = [
    Option<"deviceProfile", "device-profile", "std::string", [{"full"}],
           "Devices to generate code for: 'full' or 'minimal', then any number "
           "of ',+feature', ',-feature' or ',limit=number'">,
  ];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def SinkConstants : Pass<"dml-sink-constants", "mlir::func::FuncOp"> {
  let summary = "Give kernels copies of the constants that they use";
  let description = [{
    Copies every constant that a `gpu.launch` uses into it, so that outlining makes
    no argument of it. (`gpu-launch-sink-index-computations` does, but looks at all
    uses of a constant for each launch: in a function of many operators that takes
    longer than anything else.)
  }];
}

def ConvertKernelsToSPIRV
    : Pass<"dml-convert-kernels-to-spirv", "mlir::ModuleOp"> {
  let summary = "Convert gpu.module kernels to spirv.module";
  let description = [{
    Replaces the body of every `gpu.module` by a `spirv.module` beside it, for the
    devices of a profile. A kernel that needs a feature which the profile lacks
    is an error that names the Vulkan feature and the operator, and so is one that
    binds more storage buffers than the profile has.

    `index` becomes 32 bits wide where integer range analysis proves that the kernel
    computes the same with it, and 64 bits elsewhere.

    A product with a constant 0, and a quotient of it, become a choice between 0 and
    NaN: there are drivers that take them for 0 of any number.
  }];
  let options = [
    Option<"deviceProfile", "device-profile", "std::string", [{"full"}],
           "Devices to generate code for: 'full' or 'minimal', then any number "
           "of ',+feature', ',-feature' or ',limit=number'">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::spirv::SPIRVDialect"
  ];
}

def FinalizeSPIRV : Pass<"dml-finalize-spirv", "mlir::spirv::ModuleOp"> {
  let summary = "Set a SPIR-V module's version and forbid contraction";
  let description = [{
    Runs after `spirv-update-vce`. That pass deduces version 1.0, where an entry
    point must not list its storage buffers as the modules made here do; 1.5 is
    what Vulkan 1.2 takes.

    Additions, subtractions and multiplications of floating-point numbers are
    marked `NoContraction`, so that every device computes the same numbers. Where
    the device has shaderSignedZeroInfNanPreserveFloat32, kernels that compute
    with f32 also keep -0, infinities and NaN.
  }];
  let dependentDialects = ["mlir::spirv::SPIRVDialect"];
}

#endif // DML_CODEGEN_PASSES_TD
