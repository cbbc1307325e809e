//===- OwnConstants.cpp - Weights that the caller binds -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "dml/IR/FileMemory.h"
#include "dml/IR/Ownership.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"

namespace dml {
#define GEN_PASS_DEF_OWNCONSTANTS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Returns the type of the weight that replaces the constants `ops`. If all
/// users of the constants are tensor.bitcasts to one type, the weight has this
/// type. Otherwise it has the type of the constants. (An arith.constant cannot
/// have unsigned integers, so that a constant of ui8 is represented as a
/// constant of i8 with a bitcast.)
static Type getReadType(ArrayRef<arith::ConstantOp> ops) {
  arith::ConstantOp first = ops.front();
  Type type;
  for (arith::ConstantOp op : ops)
    for (Operation *user : op->getUsers()) {
      auto cast = dyn_cast<tensor::BitcastOp>(user);
      if (!cast || (type && type != cast.getType()))
        return first.getType();
      type = cast.getType();
    }
  return type ? type : first.getType();
}

namespace {
/// Finds equal constants. A model may be imported several times, once for each
/// size of an input. Each of the imported functions then has a resource of its
/// own for every weight.
class EqualConstants {
public:
  /// Returns the first constant that was seen with the type and the bytes of
  /// `value`.
  DenseResourceElementsAttr getFirst(DenseResourceElementsAttr value);

private:
  static ArrayRef<char> getBytes(DenseResourceElementsAttr value) {
    AsmResourceBlob *blob = value.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }

  llvm::DenseMap<Attribute, DenseResourceElementsAttr> known;
  llvm::DenseMap<std::pair<Type, uint64_t>,
                 SmallVector<DenseResourceElementsAttr, 1>>
      byHash;
};
} // namespace

DenseResourceElementsAttr
EqualConstants::getFirst(DenseResourceElementsAttr value) {
  DenseResourceElementsAttr &first = known[value];
  if (first)
    return first;
  first = value;
  ArrayRef<char> bytes = getBytes(value);
  // A module may lack the bytes of a constant. Such a constant is equal to no
  // other constant.
  if (bytes.empty())
    return value;
  FileMemory::want(bytes);
  uint64_t hash = llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  auto &candidates = byHash[{value.getType(), hash}];
  for (DenseResourceElementsAttr candidate : candidates)
    if (getBytes(candidate) == bytes)
      return first = candidate;
  candidates.push_back(value);
  return value;
}

namespace {
struct OwnConstants : dml::impl::OwnConstantsBase<OwnConstants> {
  void runOnOperation() override {
    // A weight gets a name that no argument and no result of a function has.
    llvm::StringSet<> taken;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto take = [&](DictionaryAttr attributes) {
        if (attributes)
          if (auto name = attributes.getAs<StringAttr>(nameAttrName))
            taken.insert(name.getValue());
      };
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        take(function.getArgAttrDict(i));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        take(function.getResultAttrDict(i));
    }
    // Functions that read the same resource, or resources with equal bytes, use
    // the same name for the weight.
    llvm::DenseMap<Attribute, StringAttr> names;
    EqualConstants equal;
    bool hasSeveral = llvm::count_if(getOperation().getOps<func::FuncOp>(),
                                     [](func::FuncOp function) {
                                       return function.isPublic() &&
                                              !function.isDeclaration();
                                     }) > 1;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isDeclaration())
        continue;
      llvm::MapVector<Attribute, SmallVector<arith::ConstantOp, 1>> constants;
      function.walk([&](arith::ConstantOp op) {
        if (auto value = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
          constants[hasSeveral ? equal.getFirst(value) : value].push_back(op);
      });
      for (auto &[value, ops] : constants) {
        StringAttr &name = names[value];
        if (!name) {
          StringRef key =
              cast<DenseResourceElementsAttr>(value).getRawHandle().getKey();
          std::string unique = key.str();
          for (unsigned i = 1; !taken.insert(unique).second; ++i)
            unique = (key + "." + Twine(i)).str();
          name = StringAttr::get(&getContext(), unique);
        }
        OpBuilder builder(&getContext());
        unsigned index = function.getNumArguments();
        Type type = getReadType(ops);
        if (failed(function.insertArgument(
                index, type,
                builder.getDictionaryAttr(
                    {builder.getNamedAttr(nameAttrName, name),
                     builder.getNamedAttr(ownedAttrName,
                                          builder.getUnitAttr())}),
                ops.front().getLoc())))
          return signalPassFailure();
        Value weight = function.getArgument(index);
        for (arith::ConstantOp op : ops) {
          for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
            if (user->getNumResults() != 1 || type == op.getType())
              continue;
            user->getResult(0).replaceAllUsesWith(weight);
            user->erase();
          }
          op.replaceAllUsesWith(weight);
          op.erase();
        }
      }
    }
  }
};
} // namespace
