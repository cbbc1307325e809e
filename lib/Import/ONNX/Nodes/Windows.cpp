//===- Windows.cpp - Windows of convolutions and of pooling ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

Shape dml::onnx::addDimension(Shape shape) {
  if (shape.size() == 3)
    return {shape[0], shape[1], 1, shape[2]};
  return shape;
}

void dml::onnx::prepend(int64_t value, ArrayRef<Shape *> arrays) {
  for (Shape *array : arrays)
    *array = {value, array->front()};
}

FailureOr<Shape> dml::onnx::getSpatial(NodeImporter &node, StringRef name,
                                       size_t count, int64_t otherwise,
                                       int64_t minimum) {
  Shape values = node.getInts(name);
  if (values.empty())
    values.assign(count, otherwise);
  if (values.size() != count)
    return node.reject("its attribute " + name + " is " + describeList(values) +
                       ", but wanted are " + Twine(count) + " values");
  for (int64_t value : values)
    if (value < minimum || value > UINT32_MAX)
      return node.reject(
          "its attribute " + name + " is " + describeList(values) +
          ", but wanted are values from " + Twine(minimum) + " to 2^32 - 1");
  return values;
}

LogicalResult dml::onnx::wantKernelShape(NodeImporter &node,
                                         ArrayRef<int64_t> sizes) {
  Shape stated = node.getInts("kernel_shape");
  if (stated.empty() || ArrayRef<int64_t>(stated) == sizes)
    return success();
  return node.reject("its attribute kernel_shape is " + describeShape(stated) +
                     ", but its weights have windows of " +
                     describeShape(sizes));
}

/// Sets the padding of the spatial dimension `dim`, which has `size` elements,
/// according to `autoPad`, and counts the windows along the dimension.
static LogicalResult placeWindows(NodeImporter &node, int64_t size, size_t dim,
                                  StringRef autoPad, bool roundUp,
                                  Windows &windows) {
  int64_t extent = 0, stride = windows.strides[dim];
  int64_t &start = windows.start[dim], &end = windows.end[dim];
  if (llvm::MulOverflow(windows.sizes[dim] - 1, windows.dilations[dim], extent))
    return node.reject("its windows have no size of 64 bits");
  ++extent;
  if (autoPad == "VALID")
    start = end = 0;
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    int64_t wanted = llvm::divideCeil(size, stride);
    int64_t total = std::max<int64_t>((wanted - 1) * stride + extent - size, 0);
    int64_t less = total / 2, more = total - less;
    start = autoPad == "SAME_UPPER" ? less : more;
    end = autoPad == "SAME_UPPER" ? more : less;
  }
  int64_t room = size + start + end - extent;
  if (room < 0)
    return node.reject("a window reaches over " + Twine(extent) +
                       " elements, but with its padding dimension " +
                       Twine(dim + 2) + " has " + Twine(room + extent));
  int64_t count = room / stride + 1;
  // A window that begins behind the tensor and its padding at the start is not
  // counted.
  if (roundUp && room % stride != 0 && count * stride < size + start)
    ++count;
  windows.counts.push_back(count);
  return success();
}

FailureOr<Windows> dml::onnx::getWindows(NodeImporter &node, const Shape &shape,
                                         Shape sizes) {
  if (shape.size() < 3 || shape.size() > 5)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are 1 to 3 spatial dimensions");
  size_t count = shape.size() - 2;
  ArrayRef<int64_t> spatial = ArrayRef(shape).drop_front(2);
  if (isEmpty(shape))
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted is one element at least");
  if (sizes.empty()) {
    if (!node.hasAttribute("kernel_shape"))
      return node.reject("it lacks the attribute kernel_shape");
    FailureOr<Shape> kernel = getSpatial(node, "kernel_shape", count, 1, 1);
    if (failed(kernel))
      return failure();
    sizes = *kernel;
  } else if (failed(wantKernelShape(node, sizes))) {
    return failure();
  }
  FailureOr<Shape> strides = getSpatial(node, "strides", count, 1, 1);
  FailureOr<Shape> dilations = getSpatial(node, "dilations", count, 1, 1);
  FailureOr<Shape> pads = getSpatial(node, "pads", 2 * count, 0, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();
  Windows windows;
  windows.sizes = sizes;
  windows.strides = *strides;
  windows.dilations = *dilations;
  windows.start = Shape(ArrayRef(*pads).take_front(count));
  windows.end = Shape(ArrayRef(*pads).drop_front(count));

  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!isSame && autoPad != "VALID" && autoPad != "NOTSET" && !autoPad.empty())
    return node.reject("its attribute auto_pad is '" + autoPad +
                       "', but wanted is NOTSET, SAME_UPPER, SAME_LOWER or "
                       "VALID");
  bool roundUp = node.getInt("ceil_mode", 0) != 0;
  for (size_t dim = 0; dim < count; ++dim)
    if (failed(
            placeWindows(node, spatial[dim], dim, autoPad, roundUp, windows)))
      return failure();
  windows.input = addDimension(shape);
  if (count == 1) {
    prepend(1, {&windows.sizes, &windows.strides, &windows.dilations,
                &windows.counts});
    prepend(0, {&windows.start, &windows.end});
  }
  return windows;
}
