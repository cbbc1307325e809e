//===- TensorFile.h - Files with tensors of all formats ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_TENSORFILE_H
#define DML_TOOLS_SUPPORT_TENSORFILE_H

#include "support/HostTensor.h"
#include "support/Picture.h"

namespace dml::tools {

/// Returns the suffix of a file's name in small letters, such as ".npy", or ""
/// if the name has none.
std::string getSuffix(const std::string &path);

/// Whether a result can be written to a file with this suffix: .npy, .npz, or
/// none, which is NumPy's .npy as well.
bool isWritten(const std::string &suffix);

/// Whether the file states the shape of its tensor: NumPy's and ONNX's do, and
/// pictures and raw elements do not.
bool hasOwnShape(const std::string &path);

/// Reads the tensor `name`, of the type `type`, from a file. The suffix of its
/// name states the format:
///
/// - .npy, or no suffix: NumPy's
/// - .npz: the member `name`, or the only one; in FILE.npz:MEMBER, that one
/// - .pb: ONNX's TensorProto
/// - .bin, .raw: the elements, in the byte order of the host
/// - .png, .jpg, .jpeg, .ppm, .pgm, .pnm: a picture
///
/// A tensor of another type, which the caller is to refuse, may have no
/// elements. Returns nothing, with `error` set, if reading fails.
std::optional<HostTensor> readTensorFile(const std::string &path,
                                         const std::string &name,
                                         const std::string &type,
                                         const PictureOptions &pictures,
                                         std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_TENSORFILE_H
