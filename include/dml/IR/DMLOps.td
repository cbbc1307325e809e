//===- DMLOps.td - All operators ---------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_DMLOPS_TD
#define DML_IR_DMLOPS_TD

include "dml/IR/GatherOps.td"
include "dml/IR/LayoutOps.td"
include "dml/IR/PaddingOps.td"
include "dml/IR/PoolingOps.td"
include "dml/IR/ResampleOps.td"
include "dml/IR/ScatterOps.td"
include "dml/IR/SliceOps.td"
include "dml/IR/TileOps.td"

#endif // DML_IR_DMLOPS_TD
