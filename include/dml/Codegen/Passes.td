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

    Fused kernels compute the same operations, so that results keep their bits. Where
    a number is rounded to 16 bits and widened again, the pass rounds it in integer
    arithmetic, since drivers may remove a conversion to f16 and back.

    A producer is fused into all of its readers or into none. Its result may then have
    no other users: a result of the function stays a tensor. The decision follows from
    counts of operations and bytes alone, with the constants of
    `dml/Target/FusionCosts.h`:

    * Slices and other bodies that only select an element of another tensor are always
      fused.
    * A reader that reads an element several times, in a loop or as one of several
      readers, computes it several times. The recomputed operations must be in
      proportion to the bytes saved. Reads of one element in several places of a body
      count once.
    * Bodies that are read in loops are fused if they have few operations, or if the
      loops add up long sums and read rows or columns of the producer's tensor, whose
      neighbours stay neighbours in memory, such as a transposed matrix or the heads of
      attention.
    * A long sum is fused into one reader that reads one element of it and has few
      operations.
    * A body without loops whose elements fit one workgroup is fused, in the last of the
      three times, if computing its elements again takes less time than a launch.
    * The fused body must be small enough to compile, and must read no more tensors
      than the profile's devices bind. Constants count as one tensor, since
      `dml-limit-buffers` puts them into one buffer.

    Fusion runs three times over the function. The first time, it fuses producers that
    read a tensor which their reader reads as well: in `x * sigmoid(x)` the sigmoid, so
    that `x` has one reader left. The second time, it fuses all producers in their
    order. The third time, it fuses producers whose readers have become one meanwhile,
    such as the `x` of `x * (1 + erf(x / 2))`.

    A chain of `tensor.insert_slice` that concatenates up to three tensors becomes a
    `linalg.generic` if that can be fused.

    A producer that reduces rows, in loops with the attribute `dml.any_order`, is fused
    into readers that read its result for elements of the same row: the maximum of a
    row into the sum of exponentials, and both into the softmax. The body of the reader
    then begins with the loops, which are the same for all elements of a row, and the
    reader becomes a row kernel (see `dml-select-kernels`). Rows are not fused into
    readers that become no row kernels, such as readers of few and long rows. With
    `row-tile=none`, no rows are fused, and with a tile, all rows that can be fused.

    A `linalg.generic` with the attribute `dml.layout` copies a tensor into the order
    of elements that a kernel reads from memory (see `dml-choose-layouts`). The copy is
    not fused into its readers, but the tensor's producer is fused into the copy: a
    convolution then stores its output with channels last for the next convolution.
    Other readers of the tensor read the copy instead, so that the tensor itself is not
    stored.

    A `linalg.generic` with the attribute `dml.update` is another tensor with some
    elements written, such as a cache of keys. It is not fused into its readers: where
    both tensors have one buffer (see `dml-write-in-place`), its kernel writes the new
    elements alone, and readers load each element from one place. What computes the new
    elements is fused into it, since each of them is computed once.

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

    The pass recognizes loops, and no operators. The softmax is the row reduction that
    `dml-fuse-producers` has built, together with a mask or a selection before it.
    Scores are sums of products in f32 with scales, biases and masks in f32. Three
    cases are not fused:

    * The softmax is rounded to f16 before it is multiplied. An attention kernel knows
      the sum of exponentials only after it has multiplied with some of them.
    * Another operation reads the scores or the weights.
    * A condition leaves keys out, and may leave the first key out.

    `{attention_tile = array<i64: 64, 32, 16>}` gives a workgroup 64 queries. The
    workgroup goes through the keys in blocks of 32, and holds 16 terms of a block's
    scores in workgroup memory at a time. The pass chooses the tile of the least time, if
    that is less than the time of kernels that write the scores, which go through memory
    unless the last cache keeps them.

    `{split_attention_tile = array<i64: 4, 64>}` splits the keys over workgroups, for few
    queries of many keys: a workgroup computes 4 rows for a part of 64 keys, and a second
    kernel combines the parts of each row (flash-decoding). The rows of a workgroup are
    the queries of all heads that share a head of keys, so that each key and each value
    is loaded once for all of them. A workgroup whose keys no query sees loads none. The
    kernel needs the terms of a score and the columns of the output in multiples of 4.

    `{matrix_attention_tile = {workgroup = array<i64: 128, 32>, shape =
    "16x16x16xf16xf32", stages = 2 : i64}}` is for profiles with cooperative matrices.
    Queries, keys and values must be widened from f16, all keys must be seen, and the
    operation that computes weights must have the attribute `dml.roundable`, which
    permits a kernel to round weights to f16. A workgroup has 128 queries and as many
    threads. It multiplies matrices of the given shape. Its memory holds the keys and
    values of two blocks of 32 keys: the workgroup loads one block while it multiplies
    the other (software pipelining).

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
    iteration to the next: the state of a recurrent network, and the tensor of its
    outputs. Its iterations become steps of an executable's schedule. This pass moves
    what the body computes to a private function of its own, so that other passes treat
    it like any function, once for all iterations, and fuse nothing across the loop. In
    the loop remain the slices that an iteration reads, the call, and the slices that
    are inserted:

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
    insertion a copy into such a range. A tensor that an iteration reads and computes
    anew has a buffer of two halves: even iterations read the first half and write the
    second one, and odd iterations do the reverse, since a step of a recurrent network
    reads all of its old state for each element of the new one. `dml-place-parts` then
    lets the body write into the ranges, so that nothing is copied in an iteration.

    Slices must be consecutive elements and begin at multiples of 256 bytes, where every
    Vulkan device can bind a buffer, and their offsets linear in the iteration.
    (One-shot bufferization would make a strided view of a slice with an offset that is
    known when the program runs, and copy it for the call.)
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

    In a loop over steps, an allocation that the body writes and that is copied into a
    range of the iteration becomes that range, if the body reads no byte of it in the
    same iteration.
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::linalg::LinalgDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def WriteInPlace : Pass<"dml-write-in-place", "mlir::func::FuncOp"> {
  let summary = "Write outputs in the buffers of inputs";
  let description = [{
    An argument and a result of a function with the same number as their attribute
    `dml.in_place` are to be one buffer. The pass proves that the function computes the
    same with one buffer as with two, lets all operations use the buffer of the output,
    and removes the stores of elements onto themselves. The proof is made of two parts:

    * No operation reads elements of the input after an operation has written these
      elements of the output. An operation that does is moved in front of the writing
      one, if the memory of both permits.
    * An operation that reads the input and writes the same bytes of the output reads
      no element but the one that it computes, so that an invocation of its kernel reads
      and writes elements that no other invocation touches. Such reads become uses of the
      block argument for the output's element. If the body has loops, the operation
      writes another buffer, which is then copied, since only map kernels read the
      elements of their output.

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

    The pass stacks products that have too few sums to occupy a device, that bodies of
    other generics read element by element, so that no copy is needed, and whose
    weights each have whole words of 32 bits. The sums have the same terms in the same
    order as before.

    With `shared-weights`, the weights of products that have too many sums are stacked as
    well, although the products stay apart: each reads its part of the stack. Weights
    are then stacked at any number of sums, and programs for one token and for 512 read
    the same stack.
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
    Moves operations that depend on constants and on arguments with
    `dml.owned_by_dml` alone from public functions to a function of its own, with the
    attribute `dml.initialization`, which runs once. Its results become arguments of the
    public functions, with the attribute `dml.persistent`, which is the number of the
    result.

    The pass moves values that operations which stay read, if the values have no more
    bytes than the constants and weights that they are computed from: kernels read int8
    weights faster than the floats that they stand for. Operations that only move
    elements stay, since they become index arithmetic in their readers. Exceptions are
    copies with the attribute `dml.layout`, such as filters in the order that kernels
    read from memory, and tensors that `tensor.insert_slice` puts together.
  }];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def SplitSums : Pass<"dml-split-sums", "mlir::ModuleOp"> {
  let summary = "Let more workgroups share out the terms of few sums of products";
  let description = [{
    A `linalg.generic` on buffers whose body adds up products in loops, as
    `dml-select-kernels` describes them, becomes two where its sums are so few that
    their tiles leave most of a device idle: one that computes parts of each sum, of as
    many iterations of the outermost loop each, and one that adds these up and goes on
    with the rest of the body. With 8 parts, 25,088 sums of 4,608 terms are 200,704 sums
    of 576 terms, and take 8 times as many workgroups. Terms are still added in an order
    that does not depend on the device's threads.

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

    How many parts there are is what the cost model estimates to take the least time,
    the launch of the second kernel included, where that is three quarters or less of
    the time of whole sums. A generic with a `dml.kernel` is left alone.
  }];
  let options = [SumPartsOption];
  // The pass finds out which factors are neighbours in memory by building a
  // launch that it discards.
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def FuseReaders : Pass<"dml-fuse-readers", "mlir::func::FuncOp"> {
  let summary = "Compute elements where their sums end";
  let description = [{
    A `linalg.generic` on buffers without loops that reads the sums of products of
    another one is fused with it, where one kernel is estimated to be faster than two:
    the time of a launch is saved, and the threads of the sums compute the elements. An
    element may need up to four sums. One loop then adds up all of them, which have the
    same factors of the rows:

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

    No sum is computed twice by one kernel, and the elements depend on nothing that takes
    as long to compute as what the sums depend on: their kernel would wait for that, too.
    Only sliced kernels compute several sums of an element. Numbers that the first
    generic rounds to f16 are rounded as before, by integer arithmetic.

    Where several generics read the sums, each of them computes the sums that its
    elements need, if that is estimated to be faster: these kernels do not wait for each
    other. Before that, a generic that reads what another one without loops computes gets
    a copy of that body, if it then waits for one kernel less and the device has idle
    threads for the repeated work. A step of an LSTM, which has the sums of the gates, the
    state and the output, is two kernels for these reasons, which start at once.
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
    A `linalg.generic` on buffers that reads or writes a buffer of more bytes than
    `maxStorageBufferRange` of the profile becomes several generics. Each of them
    computes a slice of the output, and the bytes that a slice reads and writes of a
    large buffer are within a range that can be bound (`dml_buffer.range`). The slices
    cut the outermost dimension of the output for which that holds. For example, if each
    row of a matrix of weights is multiplied by one vector, a slice has some of the rows.
    The ranges of the integers in the body tell which elements of an operand a slice
    reads, whatever the operator.

    ```mlir
    // 3 x 64 elements of 4 bytes, where 512 bytes can be bound
    linalg.generic outs(%a : memref<3xf32>) { ... memref.load %b[%i, %k] ... }
    // becomes
    %0 = dml_buffer.range %b at 0 : memref<3x64xf32> to memref<128xf32>
    linalg.generic outs(%a_rows_0_to_1 : memref<2xf32>) { ... memref.load %0 ... }
    %1 = dml_buffer.range %b at 512 : memref<3x64xf32> to memref<64xf32>
    linalg.generic outs(%a_row_2 : memref<1xf32>) { ... memref.load %1 ... }
    ```

    If no slice reads within one range, as when an index from data selects rows, a load
    becomes one load from each of several ranges, and the kernel selects the element of
    the right range. A large output is sliced in several dimensions if one is not enough.
    Every element is computed by the same operations as before. A generic that binds too
    many buffers all the same, or that would become more than 256 slices, is refused
    before any slice is built.
  }];
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def LimitBuffers : Pass<"dml-limit-buffers", "mlir::ModuleOp"> {
  let summary = "Let kernels bind no more buffers than a device does";
  let description = [{
    If a `linalg.generic` on buffers reads and writes more buffers than a kernel can bind
    on the devices of the profile, some buffers that the generic reads become ranges of
    one new buffer. The compiler first makes one constant of as many constants as it
    takes, beginning with the smallest. If the constants are not enough, temporary
    buffers are allocated as ranges of another buffer, and inputs, beginning with the
    smallest, are copied into ranges of it.
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

    A row of a buffer is bound by itself if the row begins at a multiple of 256 bytes, and
    the generic writes it or reads it at constant leading coordinates. Generics that
    differ in the number of the row alone are then equal. A buffer that a generic uses
    through several views is bound as a whole.

    A generic gets the attribute `dml.reversed` if its largest buffer is larger than
    caches are, and the kernel before that used this buffer began at the buffer's start.
    The workgroups of the generic then have the opposite order, and first read the bytes
    that a cache still has.

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
    The functions of `dml-outline-loop-bodies` are inlined as well, into the loops that
    call them.

    Runs after the generics in the functions of `dml-outline-dispatches` have become
    launches of kernels. Each call of such a function becomes the function's
    `gpu.launch_func` and the views that the launch uses. (Upstream's `inline` splits the
    caller's block for each call, which takes quadratic time in the number of calls.)
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
    time. More entries say how: with `ahead`, the next 16 are loaded before these
    are added up, and stored afterwards; `buffers = 2` has room for both; `threads =
    256` are those of a workgroup, and `written_out = 8` the terms that a loop adds
    at a time. With `slices = 2`, half of the threads add up 8 of the 16 terms, the
    others the other 8, and their sums meet in the end: each thread has as many sums
    as if the tile were twice as large. With `together = 3`, a thread loads three
    neighbouring terms of an operand whose terms lie side by side, as the weights of
    a convolution do, and not all that an iteration has.

    `{matrix_tile = {workgroup = array<i64: 128, 128, 32>, subgroup = array<i64: 64,
    64>, shape = "16x16x16xf16xf32"}}` makes a matrix kernel of it, for profiles with
    cooperative matrices of the type that all factors were widened from: a workgroup
    has 128 rows of 128 sums and stages of 32 terms, and each subgroup multiplies
    matrices of the shape for 64 rows of 64 of the sums. Four more entries change
    how: `stages = 1 : i64` keeps one stage in workgroup memory where there was
    room for two, `panel = 4 : i64` gives consecutive workgroups 4 tiles of rows
    before the next tile of columns, `carried` stores the next factors at the
    beginning of the next iteration, and `slices = 2 : i64` has two subgroups add
    up half of the terms of each sum. Where an iteration adds several terms, such as
    the 9 of a window of 3x3, a stage has them all, if it has room for so many that
    they are whole vectors: 72 of 80 terms are those of 8 iterations, and 8 are 0.
    Where matrices can be multiplied, they are preferred to other kernels, unless
    they were mostly padding. Of their tiles, the one is taken with the least time
    on a multiprocessor, whose matrix units, workgroup memory, operations and
    caches work side by side.

    `{slice_tile = array<i64: 4, 8, 32, 4, 2>}` is a sliced kernel, for few sums: a
    thread has 4 rows of 8 columns, whose terms 32 threads share out. It has 4
    neighbouring terms at a time, and 2 times as many written out. A sixth
    number, such as the 4 of `array<i64: 1, 4, 32, 32, 1, 4>`, is that of the
    consecutive threads with neighbouring terms of the same columns, where the
    columns are quantized; the threads behind them have the next columns.

    The tile is the one with the least time. A multiprocessor has as many
    workgroups at a time as have room for their registers; the others wait until
    these have finished. In a round of a contraction kernel, workgroups add up their
    products, or wait until all their factors have gone to workgroup memory, where
    that takes longer, and one that is alone waits for both. A sliced kernel takes
    what memory does for its factors, what its threads add up, and the end in which
    their parts meet. A generic stays a map kernel where that takes less time.

    A body whose loops have the attribute `dml.any_order`, and combine elements of
    a row that all elements of the output in it have in common, becomes a row
    kernel: reductions, and what `dml-fuse-producers` has fused with them.
    `{row_tile = array<i64: 32, 4>}` gives each row 32 threads, which have 4
    vectors of it at a time. A row of no more than these is loaded once, however
    many loops there are over it.

    All other generics become map kernels, whose threads share nothing. A
    `dml.kernel` that is there already is kept: `"map"` asks for a map kernel.
  }];
  let options = [MatrixTileOption, ContractionTileOption, RowTileOption];
  // The pass finds out which factors are neighbours in memory by building a
  // launch that it discards.
  let dependentDialects = [
    "::dml::DMLBufferDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

def SelectMapTiles : Pass<"dml-select-map-tiles", "mlir::func::FuncOp"> {
  let summary = "Choose what a thread of each map kernel computes";
  let description = [{
    Writes `dml.kernel = {map_tile = {...}}` on each `linalg.generic` that computes
    elements from their coordinates and has no other kernel yet. Each candidate is
    built, what its threads would run is counted, and nothing stays of it but the
    attribute of the one that is taken. The numbers that decide are those of
    `dml/Target/MapCosts.h`, with what they were measured by.

    A body that selects between a new element and the old element of the output has one
    candidate if its condition is `row == first`, or `first <= row < first + 5`, for a
    coordinate `row` and a number `first` that is the same for a whole row. There are
    then threads for the vectors of one row, or of 5 rows, instead of all rows.

    `{vector_bytes = 16 : i64}` is the first candidate: a thread computes the elements
    of 16 consecutive bytes of the output. Where the body reads wider elements than it
    writes, or reads rows with a stride, it is as many elements as it reads from 16
    bytes, but no fewer than 4 bytes. In a part of another buffer it is no more than
    divides where the part begins and ends. A candidate adds one of these:

    * `rows = 2 : i64`, where rows hold whole vectors: a thread computes one vector in
      each of two consecutive rows. The first candidate has two where the body reads
      elements several times, and as many as let a thread move `bytesPerThread` of the
      device profile. Twice as many, and as many again, are tried where the
      kernel waits for its operations, and where the second row is mostly the first
      again.
    * `vectors = 3 : i64`, where an innermost dimension or a divisor in the body has an
      odd factor, such as 3: the elements of a vector share little then, while the
      coordinates of those of three consecutive vectors differ by constants. The
      vectors go through workgroup memory, from which the workgroup stores them side
      by side.
    * `steps = 2 : i64`, where threads of one vector move so few bytes that memory
      waits for the device to start others (`bytesPerThread` in the device profile),
      and there are no rows to add: a thread computes two vectors, which lie as many
      vectors apart as a workgroup has threads.
    * `in_both_rows`, where rows are no whole vectors and elements are only moved: each
      is looked up in the row where its vector begins and in the next. What outer
      dimensions come to is then computed for two rows, not for each element.
    * `split`, where rows are no whole vectors: the elements of a vector that lies
      inside of a row have columns that differ by constants, and those of a vector that
      crosses its end do not. Each kind gets workgroups of its own. These threads store
      less side by side, so that it is for kernels that wait for their operations, or
      that save loads as well.

    `turns = 1 : i64`, which any of these may have, is for an output whose elements
    repeat along dimension 1 after more bytes than half of the last cache has
    (`cacheBytes` in the device profile): workgroups that read the same elements take
    turns then, and find them in the cache.

    `crosswise = array<i64: 0, 64, 32>` is for a body that reads what lies side by side
    along dimension 0, or every other element there, and not along the innermost one,
    as a transpose does, with or without padding. A
    workgroup computes a tile of 64 rows, counted in the dimensions up to that one, and
    32 columns. Its threads compute vectors down the columns, so that they read what
    lies side by side, and the workgroup turns the tile in its memory, and stores rows.

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

    In a contraction kernel a workgroup computes a tile of sums. It loads the factors
    that the sums have in common into workgroup memory, some terms at a time: what
    computes a factor in the body is built for each position and term once, with
    conversions, padding and the coordinates of a convolution's input. Then each
    thread loads factors for a block of sums from there, as vectors of four, and adds
    up their products. What the body does with its sum comes last, for the elements
    that the thread then stores. Positions beyond the last one repeat it, and are not
    stored; terms beyond the last one are 0.

    In an attention kernel a workgroup has all outputs of some queries, and goes
    through the keys in blocks. Scores of a block are sums of products in
    registers, whose factors go through workgroup memory as a contraction kernel's
    do. The threads of a query exchange its largest score and its sum of
    exponentials there, and store the weights that these make, which are
    multiplied with values of the block. What is carried from block to block are
    the largest score, the sum and the outputs, each of what there was so far.

    One that multiplies cooperative matrices has a query for each thread, and as many
    in a subgroup as that has threads. Sums of products go from matrices through
    workgroup memory to the threads, which make scores of them, and weights of f16 of
    those. Outputs stay in matrices. What is carried beside them are the sum of a
    query's weights and the reference that its scores are compared with, which changes
    where a score is far above it.

    The launch sees each buffer as memrefs of elements or vectors: one view for each
    type that it loads or stores. Where the number of elements is no multiple of
    the vector's, vectors reach beyond the tensor in its buffer, which is 16 bytes
    aligned in size.
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
    results than Vulkan allows, or not to compile at all. Each row of the table is one
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
    "mlir::math::MathDialect"
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

    `index` becomes 32 bits wide if integer range analysis proves that the kernel
    computes the same with 32 bits as with 64, and 64 bits wide otherwise. In a kernel
    with indices of 64 bits, all operations whose numbers fit in 32 bits have 32 bits all
    the same, since divisions of 64 bits are slow.

    A value that several elements select and truncate is truncated once, before it is
    selected. Shifts and divisions that SPIR-V leaves undefined for certain, such as a
    division by a constant 0, are internal errors.
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

    Additions, subtractions, multiplications and divisions of floating-point
    numbers are marked `NoContraction`, so that every device computes the same
    numbers: no driver fuses or regroups them. For example, `x / (y * z)` may be
    infinity where `(x / y) / z` is a number, since `y * z` may be 0. Where
    the device has shaderSignedZeroInfNanPreserveFloat32, kernels that compute
    with f32 also keep -0, infinities and NaN.

    Kernels with cooperative matrices get the Vulkan memory model.
  }];
  let dependentDialects = ["mlir::spirv::SPIRVDialect"];
}

#endif // DML_CODEGEN_PASSES_TD
