//===- Passes.td - From linalg to SPIR-V -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_PASSES_TD
#define DML_CODEGEN_PASSES_TD

include "dml/Target/Options.td"
include "mlir/Pass/PassBase.td"

def FuseProducers : Pass<"dml-fuse-producers", "mlir::func::FuncOp"> {
  let summary = "Fuse element-wise bodies into their readers";
  let description = [{
    Fuses a producer into its readers. A producer is a `linalg.generic` that computes
    each element from the element's coordinates: it has no inputs, an identity map and
    parallel iterators. Each `tensor.extract` from its result, in the body of a reader,
    is replaced by the producer's body at the coordinates of the extract. The tensor in
    between is neither written nor read. `tensor.collapse_shape` and
    `tensor.expand_shape` between producer and reader become index arithmetic.
    (Upstream's `linalg-fuse-elementwise-ops` follows the operands of a
    `linalg.generic` through indexing maps, and does not see through
    `tensor.extract`.)

    Fused kernels compute the same operations, so that results keep their bits. Where a
    number is rounded to f16 and widened again, both conversions stay in the fused body.

    A producer is fused into all of its readers or into none. No other operation may use
    its result: a tensor that the function returns stays a tensor. The decision depends
    only on counts of operations and bytes, with the constants of
    `dml/Target/FusionCosts.h`:

    * A slice, or another body that only selects an element of another tensor, is always
      fused.
    * A body that is read several times for an element, in a loop or by several readers,
      is computed again for each read. The recomputed operations must be in proportion
      to the bytes that fusion saves. Several reads of the same element in one body
      count once.
    * A body that is read in loops is fused in two cases: if it has few operations, or
      if the loops add up long sums and the body only moves elements, such that
      neighbours in memory stay neighbours in a row or a column, as in a transposed
      matrix.
    * A body with a long sum is fused into a reader with few operations, if this is the
      only reader and reads only one element of the sums.
    * In the last of the three runs below, a body without loops whose elements fit one
      workgroup is fused if computing its elements again takes less time than a launch.
    * The fused body must be small enough to compile, and must not read more tensors
      than the devices of the profile can bind. All constants count as one tensor, since
      `dml-limit-buffers` puts them into one buffer.

    Fusion runs three times over the function. The first run fuses producers that read a
    tensor which their reader reads as well, such as the sigmoid in `x * sigmoid(x)`:
    `x` then has one reader left. The second run fuses all producers, in the order of
    the function. The third run fuses producers whose readers have been fused into one
    in the meantime, such as the producer of `x` in `x * (1 + erf(x / 2))`.

    A chain of `tensor.insert_slice` that concatenates at most three tensors becomes a
    `linalg.generic` if this generic can be fused into its readers.

    A producer that reduces rows, in loops with the attribute `dml.any_order`, is fused
    into readers that compute elements of the same rows: the maximum of a row is fused
    into the sum of exponentials, and both are fused into the softmax. The fused body
    begins with the loops, which compute the same for all elements of a row, and becomes
    a row kernel (see `dml-select-kernels`). A reduction is not fused into a reader that
    would not become a row kernel, for example because there are only a few long rows,
    or if it would compute many rows one after the other for longer than a launch takes.
    With the option `row-tile=none`, no reductions are fused, and with a stated tile,
    all reductions that can be fused.

    A `linalg.generic` with the attribute `dml.layout` copies a tensor into the order
    of elements that a kernel reads from memory (see `dml-choose-layouts`). The copy is
    not fused into its readers, but the tensor's producer is fused into the copy: a
    convolution then stores its output with channels last for the next convolution.
    Other readers of the tensor read the copy instead, so that the tensor itself is not
    stored.

    A `linalg.generic` with the attribute `dml.update` copies another tensor and
    replaces some of its elements, as in the update of a cache of keys. Such a generic
    is not fused into its readers: if both tensors share a buffer (see
    `dml-write-in-place`), its kernel writes only the new elements, and readers load
    each element from one buffer. The producers of the new elements are fused into the
    generic, since it computes each new element once.

    The label of a fused kernel names all operators in it: `dml.padding+dml.tile`.

    ```mlir
    %0 = dml.tile %a ...     // reads %a[i mod 4]
    %1 = dml.padding %0 ...  // reads %0[max(i - 1, 0)]
    // one kernel that reads %a[max(i - 1, 0) mod 4]
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect"
  ];
  let options = [RowTileOption];
}

def FuseAttention : Pass<"dml-fuse-attention", "mlir::func::FuncOp"> {
  let summary = "Compute attention without writing its scores";
  let description = [{
    Fuses attention into one `linalg.generic`: the generic that adds up products of
    values with a softmax, the generic that computes the softmax, and the generic that
    computes the scores, which are sums of products, too. The body of the fused generic
    has three loops over the keys: for the largest score of a query, for the sum of
    exponentials, and for the products with values. Each loop computes the scores, so
    that the operations stay the same. A map kernel of this body would compute each
    score three times for each element of the output. The pass gives the generic the
    attribute `dml.kernel` of an attention kernel, which computes each score once, in
    the manner of an online softmax (see `dml-distribute-to-workgroups`).

    The pass recognizes loops instead of operators. The softmax is a row reduction that
    `dml-fuse-producers` has built, with a mask or a selection before it if there is
    one. Scores are sums of products in f32, with scales, biases and masks.
    Attention is not fused in three cases:

    * The softmax is rounded to f16 before it is multiplied, and the device has no
      cooperative matrices, or a mask hides some keys. An online softmax knows the sum of
      exponentials only after it has multiplied some of the weights.
    * Another operation reads the scores or the weights.
    * A mask hides some keys, and may hide the first key.

    `{attention_tile = array<i64: 64, 32, 16>}` gives a workgroup 64 queries. The
    workgroup iterates over the keys in blocks of 32, and holds 16 terms of a block's
    scores in workgroup memory at a time. Where a mask hides keys, the workgroup leaves
    out the blocks behind the last key that one of its queries sees. The pass chooses the
    tile with the least estimated time, if this time is less than that of separate
    kernels, which write the scores to a buffer and read them again.

    `{split_attention_tile = array<i64: 4, 64>}` splits the keys over workgroups, for few
    queries of many keys: a workgroup computes 4 rows for a part of 64 keys, and a second
    kernel combines the parts of each row (flash-decoding). The rows of a workgroup are
    the queries of all heads that share a head of keys, so that each key and each value
    is loaded once for all of them. A workgroup whose keys no query sees loads none. The
    kernel needs the terms of a score and the columns of the output in multiples of 4.

    `{matrix_attention_tile = {workgroup = array<i64: 128, 32>, shape =
    "16x16x16xf16xf32", stages = 2 : i64}}` is for profiles with cooperative matrices.
    Queries, keys and values must be widened from f16, and the operation that computes
    weights must have the attribute `dml.roundable`, which permits a kernel to round
    weights to f16. A workgroup has 128 queries and as many threads. It multiplies
    matrices of the given shape. Its memory holds the keys and values of two blocks of
    32 keys: the workgroup loads one block while it multiplies the other (software
    pipelining). If weights are rounded to f16, the workgroup iterates over the keys
    twice: it finds the sums of exponentials first, and multiplies values by weights in
    the second pass, which computes the scores again.

    `{resident_attention_tile = {workgroup = array<i64: 16, 64>, shape =
    "16x16x16xf16xf32", subgroups = 4 : i64}}` is for profiles with cooperative matrices as
    well. A workgroup of 4 subgroups has 16 queries. It stages 64 keys at a time, and
    holds the scores of all keys in its memory until the sum of their exponentials is
    known. In graphs whose tensors are f16, scores and weights are rounded to f16, as in
    separate kernels, and the scores of 512 keys take 16 KiB. Where weights have the
    attribute `dml.roundable`, scores are f32.

    ```mlir
    %scores = ...            // 8x16x1024x1024xf32: queries times keys
    %weights = softmax ...   // 8x16x1024x1024xf32: of %scores
    %output = ...            // 8x16x1024x64xf32: %weights times values
    // one kernel that writes %output alone
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect"
  ];
  let options = [AttentionTileOption];
}

def MergeEqualOps : Pass<"dml-merge-equal-ops", "mlir::func::FuncOp"> {
  let summary = "Eliminate common subexpressions in linear time";
  let description = [{
    Replaces equal operations by one, like `cse`, in functions without control flow.
    `cse` hashes operations without their regions, so that all generics that share a
    `tensor.empty` and differ in their bodies alone have one hash, and compares them in
    pairs. Its time is thus quadratic in the number of generics. The hash of this pass
    includes regions.
  }];
}

def MultiplyByReciprocals
    : Pass<"dml-multiply-by-reciprocals", "mlir::func::FuncOp"> {
  let summary = "Multiply by the reciprocals of constant divisors";
  let description = [{
    Replaces a division by a constant by a product with the constant's reciprocal, which
    takes a fraction of the time: attention over 4,096 keys in f16, whose scores are
    divided by 6.3, takes 272 instead of 323 us on an H200. The pass does so in two cases:

    * The divisor is a power of two. The product is then the same number.
    * All users round the quotient to f16. The product lies within 2 ULP of f32 of the
      quotient, which is less than the bound of a division (docs/Numerics.md), so that
      most of the rounded numbers are the same.

    The reciprocal must be a normal number, since a device may flush denormals to 0.

    ```mlir
    %0 = arith.divf %a, %cst_6.25 : f32   // becomes arith.mulf %a, %cst_0.16 : f32
    %1 = arith.truncf %0 : f32 to f16
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def NestJoins : Pass<"dml-nest-joins", "mlir::func::FuncOp"> {
  let summary = "Nest concatenations in each other";
  let description = [{
    Where a chain of `tensor.insert_slice` concatenates the tensors of an earlier chain
    and others, it inserts the result of the earlier chain instead. In a dense block,
    each layer reads the concatenation of all results before it. Each concatenation
    thus becomes a part of the next one, and `dml-place-parts` gives all of them one
    buffer, in which each result is written once.

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
    can become a buffer of the caller's. (`buffer-results-to-out-params` cannot
    hoist one allocation into two arguments.)

    The pass also gives each user of a `tensor.empty` a `tensor.empty` of its own.
    One-shot bufferization takes quadratic time to find that users of one
    `tensor.empty` do not share a buffer.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::tensor::TensorDialect"
  ];
}

def OutlineLoopBodies : Pass<"dml-outline-loop-bodies", "mlir::ModuleOp"> {
  let summary = "Make functions of the bodies of loops over steps";
  let description = [{
    A loop over steps is an `scf.for` of a function that carries tensors from one
    iteration to the next, such as the state of a recurrent network and the tensor of
    its outputs. The iterations of the loop become steps of an executable's schedule.
    This pass moves the computations of the loop's body to a private function. Other
    passes then treat this function like any other function, once for all iterations,
    and fuse nothing across the boundary of the loop. Three kinds of operations remain
    in the loop: the slices that an iteration reads, the call of the function, and the
    insertions of slices:

    ```mlir
    %sums, %last = scf.for %i = %zero to %count step %one
        iter_args(%all = %empty, %state = %init) -> (...) {
      %row = tensor.extract_slice %rows[%i, 0] [1, 64] [1, 1] : ...
      %next:2 = func.call @loop_body(%row, %state, %weights) {no_inline} : ...
      %written = tensor.insert_slice %next#0 into %all[%i, 0] [1, 64] [1, 1] : ...
      scf.yield %written, %next#1 : ...
    }
    ```
  }];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def BufferizeLoops : Pass<"dml-bufferize-loops", "mlir::func::FuncOp"> {
  let summary = "Let iterations of loops read and write ranges of buffers";
  let description = [{
    Replaces the loops of `dml-outline-loop-bodies` by loops that carry nothing. Each
    slice becomes a `dml_buffer.range` that advances with the iteration, and each
    insertion becomes a copy into such a range. A tensor that each iteration reads and
    computes anew, such as the state of a recurrent network, gets a buffer of two
    halves, since an iteration reads the whole old state for each element of the new
    one. Even iterations read the first half and write the second half, and odd
    iterations do the reverse. `dml-place-parts` then lets the body write directly into
    the ranges, so that an iteration copies nothing.

    A slice must consist of consecutive elements, begin at a multiple of 256 bytes,
    where every Vulkan device can bind a buffer, and have an offset that is a linear
    function of the iteration. (One-shot bufferization would make a strided view of a
    slice, with an offset that is known only when the program runs, and would copy the
    view for the call.)
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def PrepareBufferization
    : Pass<"dml-prepare-bufferization", "mlir::func::FuncOp"> {
  let summary = "Make buffers of tensors that need no analysis";
  let description = [{
    One-shot bufferization compares each read of a tensor, and of the tensors that may
    share its buffer, with each write. A tensor that 1,000 operators read costs a million
    comparisons, and 100 slices of a tensor take seconds. This pass makes buffers of
    tensors that need no such search:

    * Slices that are inserted into a `tensor.empty`, one after the other, are copied
      into ranges of one buffer. `dml-place-parts` makes the kernels write the slices
      there.
    * Elements of a tensor are loaded from its buffer, if all uses of the tensor and of
      its reshapes only read it.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect"
  ];
}

def EmulateTypes : Pass<"dml-emulate-types", "mlir::ModuleOp"> {
  let summary = "Replace element types that a device lacks by 32-bit words";
  let description = [{
    Tensors whose element type needs a feature that the profile lacks become flat
    tensors of i32 with the same bytes. A generic that computes elements of such a
    tensor computes words of it, with the same bits. The pass changes nothing for
    profiles with all features.

    A `tensor.insert_slice` of whole words becomes an insertion of words.

    Arithmetic on integers of such types, and conversions between these integers and
    floats, become arithmetic on words: on one word for 4, 8 and 16 bits, on two words
    for 64 bits. An addition of 64 bits carries from the low word to the high one, and a
    division of 64 bits is two steps of long division. Conversions from and to f16 and
    f64 and comparisons of f64 become integer arithmetic, which rounds to nearest,
    halves to even. The pass refuses other arithmetic on floats that the profile lacks,
    with the name of the Vulkan feature; no operator's lowering has such arithmetic.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect",
    "mlir::vector::VectorDialect"
  ];
}

def PlaceParts : Pass<"dml-place-parts", "mlir::func::FuncOp"> {
  let summary = "Write the parts of a buffer in place";
  let description = [{
    An allocation that is copied as a whole into a buffer, or into a range of one
    dimension of a buffer, becomes a view of that range: the operations that compute and
    read the allocation write and read the range. The inputs of `dml.join` that operators
    compute are therefore written once and not copied. The pass does so if no other
    operation reads or writes the range before the copy, and none writes it afterwards.

    Any other copy into a range becomes a `linalg.generic` that moves the elements: the
    copy of an input, of a constant, or of an allocation that has its place in another
    buffer already.

    In a loop over steps, an allocation that the body writes, and whose elements are
    copied into a range of a buffer in each iteration, becomes this range, if the body
    does not read any byte of the range in the same iteration.
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::linalg::LinalgDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def WriteInPlace : Pass<"dml-write-in-place", "mlir::func::FuncOp"> {
  let summary = "Write outputs in the buffers of inputs";
  let description = [{
    An argument and a result of a function whose attributes `dml.in_place` have the same
    number are to share one buffer. The pass proves that the function computes the same
    results with one buffer as with two, makes all operations use the buffer of the
    output, and removes stores of elements to the places from which they were loaded.
    The proof has two parts:

    * No operation reads elements of the input after another operation has overwritten
      them with elements of the output. An operation that does so is moved in front of
      the other operation, if their uses of buffers permit this.
    * An operation that reads the input and writes the same bytes as output reads, for
      each element, only the input's element at the same place. Each invocation of its
      kernel then reads and writes elements that no other invocation uses. The load
      becomes a use of the block argument for the output's old element. If the body has
      loops, the operation writes another buffer instead, which is then copied, since
      only map kernels support such a use.

    A pair without a proof is an error that names the output, the input and the operator.

    ```mlir
    func.func @main(%past: memref<4096x64xf32> {dml.in_place = 0}, ...,
                    %present: memref<4096x64xf32> {bufferize.result, dml.in_place = 0}) {
      linalg.generic ... outs(%present : memref<4096x64xf32>) {
      ^bb0(%old: f32):
        %0 = memref.load %past[%i, %j]   // becomes %old
        %1 = arith.select %isNew, %new, %0
        linalg.yield %1                  // becomes a store where %isNew holds
    ```
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect"];
}

def OwnConstants : Pass<"dml-own-constants", "mlir::ModuleOp"> {
  let summary = "Turn constants into weights";
  let description = [{
    Every constant of a public function whose elements are a resource becomes an
    argument with the attribute `dml.owned_by_dml` and the name of the resource. The
    executable has the weight's name, type and shape, and the program that runs the
    executable binds the weight's bytes. Constants of several functions with the same type
    and the same bytes are one weight. Other constants, which have few elements, stay
    constants, since the compiler reads their elements.

    ```mlir
    %0 = arith.constant dense_resource<filter> : tensor<64x3x7x7xf32>
    // becomes the argument
    %0: tensor<64x3x7x7xf32> {dml.name = "filter", dml.owned_by_dml}
    ```
  }];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def StackProducts : Pass<"dml-stack-products", "mlir::func::FuncOp"> {
  let summary = "Stack products that share a factor";
  let description = [{
    Replaces `linalg.generic`s that multiply one tensor with different weights by one
    generic with another dimension in front. Queries, keys and values of attention, for
    example, are products of one tensor with three matrices. The weights are stacked
    behind each other, once, when the program is initialized. Readers that compute the
    same from each product, such as sums with biases, are stacked as well.

    ```mlir
    %q = linalg.generic outs(%0 : tensor<197x768xf32>) ...  // reads %x and %wq
    %k = linalg.generic outs(%0 : tensor<197x768xf32>) ...  // reads %x and %wk
    // becomes
    %w = ...                                                // %wq, then %wk
    %qk = linalg.generic outs(%1 : tensor<2x197x768xf32>) ... // reads %x and %w
    %q = linalg.generic outs(%0 : tensor<197x768xf32>) {
      %element = tensor.extract %qk[%c0, %i, %j]
      ...
    ```

    The pass stacks products only in three conditions: they have too few sums to occupy
    a device; only bodies of other generics read their results, element by element, so
    that no copy is necessary; and each weight consists of whole 32-bit words. The sums
    keep their terms and the order of their terms.

    With the option `shared-weights`, the weights of products that have many sums are
    stacked as well, while the products remain separate operations, each of which reads
    its part of the stack. A program for one token and a program for 512 tokens then
    read the same stack of weights.
  }];
  let options = [SharedWeightsOption];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def HoistInitialization
    : Pass<"dml-hoist-initialization", "mlir::ModuleOp"> {
  let summary = "Compute values of constants and weights once";
  let description = [{
    Moves operations that depend only on constants and on arguments with the attribute
    `dml.owned_by_dml` from public functions to a separate function with the attribute
    `dml.initialization`, which runs once. The results of this function become arguments
    of the public functions. Such an argument has the attribute `dml.persistent`, whose
    value is the number of the result.

    The pass moves the computation of a value if remaining operations read the value,
    and if the value has no more bytes than the constants and weights from which it is
    computed: dequantized weights, for example, have more bytes than int8 weights, which
    kernels dequantize faster than they would read floats. Operations that only move
    elements stay, since they become index arithmetic in their readers. Exceptions are
    copies with the attribute `dml.layout`, such as filters in the order in which
    kernels read them, and tensors that consist of several inserted slices.
  }];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def SplitSums : Pass<"dml-split-sums", "mlir::ModuleOp"> {
  let summary = "Let more workgroups share out the terms of few sums of products";
  let description = [{
    Splits the sums of a `linalg.generic` on buffers whose body adds up products in
    loops (see `dml-select-kernels`), if the sums are so few that their tiles leave most
    of a device idle (split-K). The first of the two resulting generics computes several
    partial sums of each sum, each over an equal number of iterations of the outermost
    loop. The second generic adds up the partial sums and computes the rest of the body.
    With 8 parts, 25,088 sums of 4,608 terms become 200,704 sums of 576 terms, and
    occupy 8 times as many workgroups. The terms are added in an order that does not
    depend on the threads of the device.

    ```mlir
    linalg.generic outs(%sums : memref<49x512xf16>) {
      %sum = scf.for %k = %c0 to %c4608 ...   // in f32
      %relu = arith.maximumf %sum, %zero
      ...
    // becomes
    %parts = memref.alloc() : memref<8x49x512xf32>
    linalg.generic outs(%parts : memref<8x49x512xf32>) {
      %sum = scf.for %k = %c0 to %c576 ...    // from 576 times linalg.index 0 on
      linalg.yield %sum
    linalg.generic outs(%sums : memref<49x512xf16>) {
      %0 = memref.load %parts[%c0, %i, %j]
      %1 = memref.load %parts[%c1, %i, %j]
      %2 = arith.addf %0, %1                  // and so on
      %relu = arith.maximumf %8, %zero
      ...
    ```

    The pass chooses the number of parts with the least estimated time, including the
    launch of the second kernel. Sums stay whole unless this time is at most three
    quarters of theirs. A generic with the attribute `dml.kernel` stays as it is.
  }];
  let options = [SumPartsOption];
  // To find out which factors are neighbours in memory, the pass builds a
  // launch and discards it. It therefore needs the dialects of launches.
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def FuseReaders : Pass<"dml-fuse-readers", "mlir::func::FuncOp"> {
  let summary = "Compute elements where their sums end";
  let description = [{
    Fuses a `linalg.generic` on buffers that adds up products with the generics that read
    these sums, if they have no loops and are estimated to be faster then: fusion saves a
    launch, and the threads that add up the sums compute the elements as well. An element
    may need up to four sums, which have the same factors of the rows. One loop then adds
    up all of them:

    ```mlir
    linalg.generic outs(%sums : memref<2x14336xf16>) {     // sums of two matrices
      %sum = scf.for ... fma(%row[%k], %matrices[%i, %j, %k], %before)
    linalg.generic outs(%gated : memref<14336xf16>) {
      %x = memref.load %sums[%c0, %j]
      %y = memref.load %sums[%c1, %j]
      ...                                                  // x * sigmoid(x) * y
    // becomes
    linalg.generic outs(%gated : memref<14336xf16>) {
      %x, %y = scf.for ... fma(%row[%k], %matrices[%c0, %j, %k], %before0),
                           fma(%row[%k], %matrices[%c1, %j, %k], %before1)
      ...
    ```

    Generics are not fused if one of them would compute a sum twice. They are not fused
    either if the reader also reads a buffer that is computed later than the inputs of the
    sums, since the fused kernel would wait for this buffer. Only sliced kernels compute
    several sums of an element. Numbers that the first generic rounds to f16 stay rounded:
    both conversions stay in the fused body.

    If several generics read the sums, each of them computes the sums that its elements
    need, and none of them waits for another one. Before the pass fuses sums, it copies
    the body of a generic without loops into a generic that reads its results, if the
    reader then waits for one kernel less and the device has idle threads for the repeated
    work. A step of an LSTM is two kernels for these reasons, which start at the same
    time: one computes the sums of the gates and the state, the other one the sums, the
    state and the output.
  }];
  let options = [MatrixTileOption, ContractionTileOption];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def SliceBuffers : Pass<"dml-slice-buffers", "mlir::ModuleOp"> {
  let summary = "Bind ranges of buffers that are larger than a device binds";
  let description = [{
    A `linalg.generic` on buffers that reads or writes a buffer of more bytes than the
    profile's `maxStorageBufferRange` becomes several generics. Each of them computes a
    slice of the output, such that the bytes that the slice reads or writes of a large
    buffer lie within a range that a device can bind (`dml_buffer.range`). The slices
    divide the outermost dimension of the output for which this is possible. For
    example, if a vector is multiplied by each row of a matrix of weights, a slice has
    some of the rows. Range analysis of the integers in the body tells which elements of
    an operand a slice reads, so that the pass works for all operators.

    ```mlir
    // 3 x 64 elements of 4 bytes, where 512 bytes can be bound
    linalg.generic outs(%a : memref<3xf32>) { ... memref.load %b[%i, %k] ... }
    // becomes
    %0 = dml_buffer.range %b at 0 : memref<3x64xf32> to memref<128xf32>
    linalg.generic outs(%a_rows_0_to_1 : memref<2xf32>) { ... memref.load %0 ... }
    %1 = dml_buffer.range %b at 512 : memref<3x64xf32> to memref<64xf32>
    linalg.generic outs(%a_row_2 : memref<1xf32>) { ... memref.load %1 ... }
    ```

    If the elements that a slice reads do not lie within one range, as when indices from
    a tensor select rows, each load becomes several loads, one from each of several
    ranges, and the kernel selects the element from the range that contains it. A large
    output is sliced along several dimensions if one dimension does not suffice. Each
    element is computed by the same operations as before. A generic that would still
    bind too many buffers, or that would become more than 256 slices, is rejected before
    any generic is replaced.
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def LimitBuffers : Pass<"dml-limit-buffers", "mlir::ModuleOp"> {
  let summary = "Let kernels bind no more buffers than a device does";
  let description = [{
    If a `linalg.generic` on buffers reads and writes more buffers than a kernel can
    bind on the devices of the profile, some buffers that the generic reads become
    ranges of one new buffer. The pass first combines constants into one constant, as
    many as necessary, beginning with the smallest. If this does not suffice, temporary
    buffers become ranges of a new buffer. If this does not suffice either, inputs are
    copied into ranges of the new buffer, beginning with the smallest.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"
  ];
}

def OutlineDispatches : Pass<"dml-outline-dispatches", "mlir::ModuleOp"> {
  let summary = "Give equal work one function";
  let description = [{
    Moves every `linalg.generic` on buffers into a private function of its own, and
    calls the function in the place of the generic. The views and constants that the
    generic uses move with it, and the buffers become arguments. Equal generics share one
    function, so that the later passes, which take time, see each kernel once. Two
    generics are equal if their operations, attributes, types and constants are equal,
    and if equal operands are arguments of the same number. Locations do not count, but
    labels do.

    If a generic writes one row of a buffer, or reads it at constant leading
    coordinates, and the row begins at a multiple of 256 bytes, the generic binds only
    this row. Generics that differ only in the number of the row are then equal. A
    buffer that a generic uses through several views is bound as a whole.

    A generic gets the attribute `dml.reversed` if its largest buffer is larger than
    caches, and the preceding kernel that used this buffer traversed the buffer from its
    beginning. The workgroups of the generic then have the reverse order, so that they
    first read the bytes that a cache still holds.

    A generic without a label gets the name of its function as label, since kernels are
    named by their labels.

    ```mlir
    linalg.generic ... outs(%a : memref<4xf32>) {
      %x = memref.load %b[%i] ...
    }
    // becomes
    call @dispatch(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
    ```
  }];
  let dependentDialects = ["::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
                           "mlir::func::FuncDialect"];
}

def InlineDispatches : Pass<"dml-inline-dispatches", "mlir::ModuleOp"> {
  let summary = "Put launches in the place of calls of dispatches";
  let description = [{
    Runs after the generics in the functions of `dml-outline-dispatches` have become
    launches of kernels. Each call of such a function becomes the function's
    `gpu.launch_func` and the views that the launch uses. The functions of
    `dml-outline-loop-bodies` are inlined as well, into the loops that call them.
    (Upstream's `inline` splits the caller's block for each call, which takes quadratic
    time in the number of calls.)
  }];
}

def ApplyTuning : Pass<"dml-apply-tuning", "mlir::ModuleOp"> {
  let summary = "Take kernels from a table of measured ones";
  let description = [{
    Reads a table of kernels, which `dml-tune` has measured on a device, and states the
    kernel of each dispatch of the table in the attribute `dml.kernel`, which
    `dml-select-kernels` and `dml-select-map-tiles` keep. A dispatch is a function of
    `dml-outline-dispatches`; the table knows it by a digest of its operations,
    attributes, types and constants. The kernel replaces one that `dml-fuse-attention`
    has chosen, and no other one that stands there before.

    The pass warns of a table that was measured for another device profile, and leaves
    all dispatches as they are. It warns of a kernel of the table that cannot compute
    its dispatch, for which the models of time then choose. Kernels of a kind for which
    another option than `auto` asks are not taken from the table.
  }];
  let options = [TuningTableOption, MatrixTileOption, ContractionTileOption,
                 RowTileOption, AttentionTileOption];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def SelectKernels : Pass<"dml-select-kernels", "mlir::func::FuncOp"> {
  let summary = "Choose the kernel that computes each buffer";
  let description = [{
    Chooses the kernel of each `linalg.generic` on buffers, and states it in the
    attribute `dml.kernel`. A generic with this attribute keeps its kernel; the value
    `"map"` requests a map kernel.

    A *contraction* is a body whose loops add up products of two factors, in f32 or i32,
    where each factor depends on dimensions of the output on which the other factor does
    not depend. The dimensions of one factor are the rows of the sums, and those of the
    other factor, among them the innermost dimension, are the columns. Products of
    matrices are contractions, and so are convolutions (implicit GEMM), whose rows or
    columns are the positions in all images.

    `{contraction_tile = array<i64: 128, 64, 16>}` is a contraction kernel. A workgroup
    computes a tile of 128 rows and 64 columns, and holds 16 terms of each sum in
    workgroup memory at a time. Further entries are optional:

    * `ahead`: the kernel loads the next 16 terms before it adds up the present ones,
      and stores them in workgroup memory afterwards.
    * `buffers = 2`: workgroup memory has room for both the present and the next terms.
    * `threads = 256`: the number of threads of a workgroup.
    * `written_out = 8`: the loop over the terms in workgroup memory is unrolled over 8
      terms.
    * `slices = 2`: half of the threads add up 8 of the 16 terms, and the other half add
      up the other 8. Both halves add up their partial sums at the end. Each thread has
      as many sums as in a tile that is twice as large.
    * `together = 3`: a thread loads three neighbouring terms of an operand whose terms
      are neighbours in memory, such as the weights of a convolution, instead of all
      terms of an iteration.

    `{matrix_tile = {workgroup = array<i64: 128, 128, 32>, subgroup = array<i64: 64,
    64>, shape = "16x16x16xf16xf32"}}` is a matrix kernel, for profiles with cooperative
    matrices of the type from which all factors were widened. A workgroup computes 128
    rows of 128 sums, in stages of 32 terms, and each subgroup computes 64 rows of 64 of
    these sums with matrices of the given shape. Further entries are optional:

    * `stages = 1 : i64`: workgroup memory holds one stage, even where it has room for
      two.
    * `panel = 4 : i64`: consecutive workgroups compute 4 tiles of rows before the next
      tile of columns.
    * `ahead = 3 : i64`: the factors of a stage are loaded while the products of the
      third stage before it are computed, and stored in workgroup memory before its own
      products. Without the entry, they are loaded before the products of the stage in
      front of it and stored behind these.
    * `slices = 2 : i64`: two subgroups each add up half of the terms of a sum.

    If an iteration adds several terms, such as the 9 taps of a 3x3 filter, a stage has
    all terms of an iteration, provided that it has room for as many iterations as fill
    whole vectors: of 80 terms, 72 are those of 8 iterations, and 8 are 0. Matrix
    kernels are preferred to other kernels, unless their matrices would be mostly
    padding. Of the tiles of matrix kernels, the pass chooses the one with the least
    estimated time on a multiprocessor, whose matrix units, workgroup memory, lanes and
    caches work concurrently.

    `{slice_tile = array<i64: 4, 8, 32, 4, 2>}` is a sliced kernel, for few sums. A
    thread computes partial sums for 4 rows and 8 columns, and 32 threads share out the
    terms of a sum. A thread takes 4 neighbouring terms at a time, and its loop is
    unrolled over 2 such groups. A sixth number is for quantized columns: with
    `array<i64: 1, 4, 32, 32, 1, 4>`, 4 consecutive threads take neighbouring terms of
    the same columns, and the next 4 threads have the next columns.

    Of contraction kernels, sliced kernels and a map kernel, the pass chooses the one
    with the least estimated time. A multiprocessor runs as many workgroups at a time as
    their registers and workgroup memory allow, and begins further workgroups when these
    have finished. In a contraction kernel, some workgroups add up products while others
    stage factors, and the longer of both determines the time; a workgroup that has a
    multiprocessor to itself does one after the other. The time of a sliced kernel is
    the time in which memory transfers its factors, plus the time in which threads add
    up their products and combine their partial sums.

    A body whose loops have the attribute `dml.any_order`, and compute the same for all
    elements of a row of the output, becomes a row kernel, if it is likely to be faster
    than a map kernel. Such bodies are reductions, with the operations that
    `dml-fuse-producers` has fused with them. With `{row_tile = array<i64: 32, 4>}`, 32
    threads share a row, and each of them holds 4 vectors of the row at a time. A row of
    at most these vectors is loaded only once, even where several loops read it.

    All other generics become map kernels, whose threads each compute elements by
    themselves.
  }];
  let options = [MatrixTileOption, ContractionTileOption, RowTileOption];
  // To find out which factors are neighbours in memory, the pass builds a
  // launch and discards it. It therefore needs the dialects of launches.
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def SelectMapTiles : Pass<"dml-select-map-tiles", "mlir::func::FuncOp"> {
  let summary = "Choose the elements that a thread of each map kernel computes";
  let description = [{
    Chooses the tile of each map kernel, and states it as `dml.kernel = {map_tile =
    {...}}`. The pass builds the kernel of each candidate, counts the operations that
    its threads would execute, and discards the kernel. The constants of this choice,
    and the measurements from which they follow, are in `dml/Target/MapCosts.h`.

    The first candidate is `{vector_bytes = 16 : i64}`: a thread computes the elements
    in 16 consecutive bytes of the output. If the body reads wider elements than it
    writes, or reads every other element of a row, a thread computes only as many
    elements as it computes from 16 bytes of the input, but at least 4 bytes. If the
    output is a part of another buffer, the size of a vector divides the offsets at
    which the part begins and ends. If the output has so few elements that the threads
    would not occupy the device, and the body has many operations, vectors are shorter.
    Each further candidate adds one entry:

    * `rows = 2 : i64`: a thread computes one vector in each of two consecutive rows.
      Rows must consist of whole vectors. The first candidate already has two rows if
      the body reads each element of the input several times, and more rows if a thread
      would otherwise transfer fewer bytes than `bytesPerThread` of the device profile.
      The pass tries twice and four times as many rows if operations limit the kernel,
      or if the second row needs mostly the same operations as the first.
    * `vectors = 3 : i64`: a thread computes three consecutive vectors. This is for
      innermost dimensions, or divisors in the body, with an odd factor such as 3: the
      elements of one vector have little index arithmetic in common, whereas the
      coordinates in three consecutive vectors are constants. The vectors pass through
      workgroup memory, so that consecutive threads store neighbouring vectors.
    * `steps = 2 : i64`: a thread computes two vectors, which lie as many vectors apart
      as a workgroup has threads. This is for threads that transfer so few bytes that
      the time to start threads limits the kernel (`bytesPerThread` in the device
      profile).
    * `in_both_rows`: each element of a vector that crosses the end of a row is looked
      up both in the row in which the vector begins and in the next row. Index
      arithmetic for the outer dimensions is then built for two rows instead of for each
      element. Rows must not consist of whole vectors, and the body must only move
      elements.
    * `split`: separate workgroups compute the vectors that lie inside of rows, whose
      columns differ by constants, and the vectors that cross the ends of rows.
      Neighbouring threads then store fewer neighbouring bytes, so that this is for
      kernels that operations limit, or that save loads as well. Rows must not consist
      of whole vectors.
    * `inside = array<i64: 1, 6>`: separate threads compute the 6 vectors of each row
      from vector 1 on, whose indices need no clamping. Rows must consist of whole
      vectors.

    `turns = 1 : i64` may be added to each of these. It is for an output whose elements
    repeat along dimension 1, after so many bytes that the cache may have lost them
    (half of `cacheBytes` in the device profile). Workgroups that read the same elements
    then follow each other.

    `crosswise = array<i64: 0, 64, 32>` is for a body that reads neighbours in memory
    along dimension 0 instead of the innermost dimension, such as a transpose, with or
    without padding. A workgroup computes a tile of 64 rows, which are the coordinates
    in the dimensions up to dimension 0, and 32 columns. Its threads compute vectors
    along columns, so that they read neighbouring elements. The workgroup transposes the
    tile in workgroup memory, and stores rows. If the workgroups would not occupy the
    device, tiles have fewer rows and columns, down to one vector for each thread.

    `block = array<i64: 4, 2>` is for a body with loops, which the elements of a thread
    share. A thread computes 4 by 2 vectors along the first two dimensions of the
    output; the other dimensions together form rows of vectors. The search begins with
    one vector, and doubles the block along the dimension that saves most time, until no
    dimension saves enough.

    `interior = array<i64: 60>` adds a second path for the threads in the interior,
    where comparisons such as those of clamped coordinates all have the same outcome.
    The path for the interior needs no such comparisons. A subgroup with threads outside
    of the interior executes both paths, and at most 60 percent of the subgroups may do
    so. A tile with `split` or `inside` has one number for each of its two sorts of
    threads. The number 0 stands for no second path.

    A body that selects between a new element and the old element of the output is not
    searched if its condition is `row == first`, or `first <= row < first + 5`, for a
    coordinate `row` and a number `first` that is the same for a whole row. The kernel
    then has threads for one row, or for 5 rows, instead of all rows.
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def DistributeToWorkgroups
    : Pass<"dml-distribute-to-workgroups", "mlir::func::FuncOp"> {
  let summary = "Turn linalg on buffers into GPU launches";
  let description = [{
    Turns every parallel `linalg.generic` on buffers into a `gpu.launch`, whose grid is
    within the limits of every Vulkan device. The attribute `dml.kernel` states the
    kernel (see `dml-select-kernels` and `dml-select-map-tiles`). A generic without the
    attribute becomes a map kernel whose threads each compute one vector. A kernel that
    cannot compute its generic is an error.

    The elements of a thread share operations. Indices are linear forms of the thread's
    number: the coordinates of neighbouring elements differ by constants, one division
    serves all of them, and ranges decide comparisons. A load reads the largest vector
    in which the element has the same place for all threads. Elements of 8 and 16 bits
    are loaded and stored in 32-bit words, and words of elements that are only moved are
    not unpacked. A load whose element is used only under a condition runs
    unconditionally, at an index that always lies inside of the buffer, so that the
    kernel selects between whole words.

    In a contraction kernel, a workgroup computes a tile of sums. It stages the factors
    of the tile in workgroup memory, some terms at a time, so that the operations that
    compute a factor, such as conversions, padding and the coordinates of a
    convolution's input, run once for each position and term. Each thread then loads
    factors from workgroup memory as vectors of four, and adds up the products for a
    block of sums. At the end, each thread computes elements of the output from its
    sums, and stores them. Positions beyond the last one repeat the last position and
    are not stored. Terms beyond the last one are 0.

    In an attention kernel, a workgroup computes all outputs of some queries, and
    iterates over the keys in blocks. The threads add up the scores of a block in
    registers, from factors in workgroup memory, as in a contraction kernel. The threads
    of a query exchange its largest score and its sum of exponentials through workgroup
    memory, and store the weights there, which are then multiplied by the values of the
    block. The kernel carries three values from block to block: the largest score so
    far, the sum so far, and the outputs so far.

    In an attention kernel with cooperative matrices, each thread has one query, and
    each subgroup as many queries as it has threads. The sums of products pass from
    matrices through workgroup memory to the threads, which compute scores and f16
    weights from them. The outputs stay in matrices. The kernel also carries the sum of
    each query's weights, and the reference that is subtracted from its scores, which
    changes if a score is far above it.

    The launch uses each buffer through memrefs of elements or of vectors: one view for
    each type that it loads or stores. If the elements do not fill whole vectors, the
    last vector extends beyond the tensor. The size of each buffer is a multiple of 16
    bytes, so that the vector lies inside of the buffer.
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::spirv::SPIRVDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def SinkConstants : Pass<"dml-sink-constants", "mlir::func::FuncOp"> {
  let summary = "Give kernels copies of the constants that they use";
  let description = [{
    Copies every constant that a `gpu.launch` uses into the launch, so that outlining
    makes no argument of the constant. (Upstream's `gpu-launch-sink-index-computations`
    does the same, but looks at all uses of a constant for each launch, which takes longer
    than all other passes in a function of many operators.)
  }];
}

def WorkAroundDrivers
    : Pass<"dml-work-around-drivers", "mlir::gpu::GPUModuleOp"> {
  let summary = "Rewrite arithmetic that drivers compile to something else";
  let description = [{
    Rewrites the arithmetic of kernels that some driver is known to compile to other
    results than Vulkan allows, not to compile at all, or to compile to more instructions
    than the device needs. Each row of the table is one
    rewrite, and the rows run in this order. `disable=zero-terms,long-divisions`
    switches two of them off.

    | Row | Driver | Symptom | Rewrite | Shown by | Cost |
    |---|---|---|---|---|---|
    | `integer-ranges` | lavapipe (Mesa 22.3.6) | The driver finds by ranges that an integer is always 0, and takes 0 / NaN for 0 after it has converted the integer. | Integers with one possible value become constants, in kernels that convert integers to floating-point numbers. | `driver-workarounds.test` | One range analysis of such a kernel; no instruction. |
    | `zero-divisors` | lavapipe | A quotient by a constant 0 is undefined. | `x / 0` becomes `x * infinity`. | `element-wise.test` | None. |
    | `zero-products` | lavapipe | `0 * x` and `0 / x` with a constant 0 are 0, even if x is NaN. | A selection between 0 and NaN. Fused products are split first. | `element-wise.test` | One comparison and one selection instead of one product; one absolute value more if it is a product. |
    | `zero-terms` | lavapipe | `x + 0` with a constant 0 is x, although -0 + 0 is 0. | The term is an opaque zero. | `driver-workarounds.test` | The opaque zero. |
    | `narrow-negations` | NVIDIA 580.159.04 (H100) | `i8(-x)`, selected and widened again, is taken for `-x`, which is 128 and not -128 if x is -128. | A narrow integer is subtracted from an opaque zero. | `driver-workarounds.test` | The opaque zero. |
    | `rounding-sums` | NVIDIA 580.159.04 (H100) | Sums that the compiler computes itself, as in a loop that it unrolls, are cut and not rounded: 4.75 + 1.5 * 2^23 rounds to 4 and not to 5. | 1.5 * 2^23 is hidden if the compiler may know the other term. | `driver-workarounds.test` | The opaque zero, and one `xor` in front of the loops. |
    | `found-zeros` | lavapipe | The driver finds that `0 < select(c, 0, NaN)` is false in either case, and then takes the product of NaN and a factor that follows from the comparison for 0. | The factor is hidden. | `driver-workarounds.test` | The opaque zero, and one `xor` for each factor. |
    | `carried-constants` | SPIRV-Tools' propagation of constants (`spirv-opt -O` of 2023.1, SwiftShader 5.0) | `c = min(c + 1, 3)`, carried by a loop from 0 on, is taken for 0 after the loop. | One operand of an instruction such as `FMax` or `UMin` is hidden if all operands follow from constants. | `driver-workarounds.test` | The opaque zero, and one `xor` for each instruction. |
    | `widened-comparisons` | lavapipe | `i64(x) < 0` is false for an i32 x that is negative. | The i32 is compared. | `long-integers.test` | None; the comparison is cheaper. |
    | `masked-halves` | NVIDIA 580.159.04 (H200) | If an f32 is narrowed to f16, and its bits and a constant are joined by `and`, the `and` is left out for the first of two f16 that are stored as one word. | The constant is hidden. | `driver-workarounds.test` | The opaque zero, and two operations for each constant in front of the loops. |
    | `long-divisions` | NVIDIA 580.159.04 (H100) | Divisions of small numbers of 64 bits give wrong quotients, and a quotient of two signs does not compile. | All numbers that fit in 32 bits have 32 bits, in kernels that divide integers of 64 bits. | `narrowed-integers.test` | One range analysis of such a kernel; the divisions are faster. |
    | `lost-roundings` | NVIDIA 580.159.04 (H100) | If an f32 is narrowed to f16 and widened again, which rounds it, both conversions are left out. | The f16 is hidden if it is widened again or selected. | `driver-workarounds.test` | The opaque zero, and one `xor` for each rounding, beside the two conversions. |
    | `joined-masks` | NVIDIA 580.159.04 (H200) | `(x & mask) \| bits` with two constants takes two instructions, although the GPU has one. | The mask is the sum of the constant and an opaque zero, which lies in a register. | `quantized-products.test` | The opaque zero, and one sum for each constant in front of the loops; the kernels are 5 to 10 % shorter. |

    The tests are in `test/EndToEnd` and run on any driver. On lavapipe (Mesa 22.3.6) the
    programs of its rows give the wrong results of the table if the row is switched off;
    that of `integer-ranges` does if `found-zeros`, which also cures it for f32, is
    switched off as well. `test/Codegen/work-around-drivers.mlir` shows each rewrite, and
    the kernel without it.

    An *opaque zero* is a number that is always 0, but that no driver knows to be 0 while
    it compiles a kernel: bit 0 of `s & (s >> 2)`, where s is the square of the
    workgroup's number. An even number has a square that is a multiple of 4, and an odd
    number has one that is 1 more than a multiple of 8, so that bits 0 and 2 of a square
    are never both 1. A kernel computes its opaque zero once, where it begins, with four
    integer operations on a number that is the same for all threads of a workgroup. A
    value is *hidden* if its bits and those of an opaque zero are joined by `xor`. (With
    `or` a driver still knows 5, since both 5 | 0 and 5 | 1 are 5.)

    Drivers differ in other things than arithmetic, and kernels are made for these where
    they are built: docs/Reference.md lists all of them.
  }];
  let options = [
    ListOption<"disable", "disable", "std::string",
               "Rows of the table that are switched off">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::math::MathDialect", "mlir::vector::VectorDialect"
  ];
}

def ConvertKernelsToSPIRV
    : Pass<"dml-convert-kernels-to-spirv", "mlir::ModuleOp"> {
  let summary = "Convert gpu.module kernels to spirv.module";
  let description = [{
    Makes a `spirv.module` beside each `gpu.module`, for the devices of a profile. The
    `gpu.module` stays, since `gpu.launch_func` names it. A kernel that needs a feature
    which the profile lacks is an error that names the Vulkan feature and the operator,
    and so is a kernel that binds more storage buffers than the profile has, or larger
    ranges of them.

    An `index` becomes 32 bits wide if integer range analysis proves that the kernel
    computes the same results with 32 bits as with 64, and 64 bits wide otherwise. In a
    kernel with 64-bit indices, operations whose numbers fit into 32 bits are narrowed
    to 32 bits, since 64-bit divisions are slow.

    If several elements select and truncate the same value, the kernel truncates the
    value once, before the selections. If the driver's compiler keeps the order of the
    program (`computesInOrder`), loops store their results where an iteration begins, so
    that a result needs no register beside that of the value which the loop carries.

    A shift or a division that SPIR-V certainly leaves undefined, such as a division by a
    constant 0, is an internal error.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::spirv::SPIRVDialect"
  ];
}

def FinalizeSPIRV : Pass<"dml-finalize-spirv", "mlir::spirv::ModuleOp"> {
  let summary = "Set a SPIR-V module's version and forbid contraction";
  let description = [{
    Sets the version 1.5, the newest that Vulkan 1.2 takes, and the capabilities that
    upstream's `spirv-update-vce`, which runs before, does not deduce. That pass deduces
    the version 1.0, in which an entry point must not list its storage buffers as these
    modules do.

    Additions, subtractions, multiplications and divisions of floating-point numbers are
    marked `NoContraction`, so that no driver fuses or reassociates them, and every
    device computes the same numbers. For example, `x / (y * z)` may be infinite where
    `(x / y) / z` is a number, since `y * z` may be 0. If the device has
    shaderSignedZeroInfNanPreserveFloat32, kernels that compute with f32 also preserve
    -0, infinities and NaN.

    Kernels with cooperative matrices get the Vulkan memory model.
  }];
  let dependentDialects = ["mlir::spirv::SPIRVDialect"];
}

#endif // DML_CODEGEN_PASSES_TD
