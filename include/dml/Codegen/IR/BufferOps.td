//===- BufferOps.td - Buffers as kernels see them ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_BUFFEROPS_TD
#define DML_CODEGEN_BUFFEROPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DMLBuffer_Dialect : Dialect {
  let name = "dml_buffer";
  let cppNamespace = "::dml";
  let summary = "Buffers as kernels see them";
  let description = [{
    The operations of this dialect stand in modules between bufferization and SPIR-V.
    A kernel reads a buffer as an array of elements, of words or of vectors. SPIR-V with
    logical addressing has no cast from one of these arrays to another, so that each
    array is a buffer of its own to the kernel, and all arrays of one buffer share a
    binding.
  }];
}

def DMLBuffer_BufferViewOp : Op<DMLBuffer_Dialect, "view", [Pure]> {
  let summary = "The same bytes as elements of another type or shape";
  let description = [{
    The result is packed. Without `whole` the result has the bytes of the source,
    rounded up to whole elements: 21 bytes are 2 vectors of 16 bytes. With `whole` the
    result has the bytes of the buffer of which the source is a part. (The result is a
    view of the source all the same, so that a step that uses this part need not wait for
    steps that use other parts.)

    ```mlir
    %vectors = dml_buffer.view %0 : memref<3x8xf32> to memref<6xvector<4xf32>>
    %all = dml_buffer.view %part whole : memref<4xf32> to memref<12xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, UnitAttr:$whole);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source (`whole` $whole^)? attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def DMLBuffer_BufferRangeOp : Op<DMLBuffer_Dialect, "range", [Pure]> {
  let summary = "Consecutive bytes that are bound as a buffer of their own";
  let description = [{
    The result has the bytes of the source from the byte `offset` on, a multiple of
    256, at which every Vulkan device can bind a buffer. A kernel binds the range by
    itself, while views of a buffer share the binding of the whole buffer.

    A range in a loop over steps may advance with the iterations: in iteration `i` it
    begins `stride * i` bytes behind the offset, or `stride * (i mod period)` bytes with
    a period. Below, `%row` is row 15 in iteration 0 and row 14 in iteration 1, and
    `%half` is the first half of a buffer in even iterations, and its second half in odd
    ones.

    ```mlir
    %rows = dml_buffer.range %0 at 1024 : memref<16x64xf32> to memref<128xf32>
    scf.for %i = %zero to %count step %one {
      %row = dml_buffer.range %0 at 3840 by -256 in %i
          : memref<16x64xf32> to memref<64xf32>
      %half = dml_buffer.range %1 at 0 by 256 in %i modulo 2
          : memref<2x64xf32> to memref<64xf32>
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Optional<Index>:$iteration,
                       I64Attr:$offset,
                       DefaultValuedAttr<I64Attr, "0">:$stride,
                       OptionalAttr<I64Attr>:$period);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source `at` $offset (`by` $stride `in` $iteration^)? (`modulo` $period^)?
    attr-dict `:` type($source) `to` type($result)
  }];
  let builders = [
    OpBuilder<(ins "mlir::Type":$type, "mlir::Value":$source,
                   "int64_t":$offset), [{
      build($_builder, $_state, type, source, /*iteration=*/mlir::Value(),
            $_builder.getI64IntegerAttr(offset),
            $_builder.getI64IntegerAttr(0), /*period=*/mlir::IntegerAttr());
    }]>
  ];
  let hasVerifier = 1;
}

#endif // DML_CODEGEN_BUFFEROPS_TD
