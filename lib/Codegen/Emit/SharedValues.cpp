//===- SharedValues.cpp - Values that a thread computes once --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/SharedValues.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

Value SharedValues::getConstant(TypedAttr attribute) {
  Value &constant = built.constants[attribute];
  if (!constant)
    constant = arith::ConstantOp::create(b, attribute);
  return constant;
}

Value SharedValues::buildSelect(Value condition, Value chosen,
                                Value otherwise) {
  Value &selection = built.selections[{condition.getAsOpaquePointer(),
                                       chosen.getAsOpaquePointer(),
                                       otherwise.getAsOpaquePointer()}];
  if (!selection)
    selection = b.createOrFold<arith::SelectOp>(condition, chosen, otherwise);
  return selection;
}

std::optional<std::pair<LinearForm, int64_t>>
dml::divideExactly(const LinearForm &form, int64_t divisor) {
  LinearForm quotient;
  for (LinearForm::Term term : form.terms) {
    if (term.second % divisor)
      return std::nullopt;
    quotient.terms.push_back({term.first, term.second / divisor});
  }
  int64_t remainder = llvm::mod(form.constant, divisor);
  quotient.constant = (form.constant - remainder) / divisor;
  return std::make_pair(quotient, remainder);
}

Value SharedValues::loadComponent(Value buffer, const LinearForm &component) {
  Value &value = built.components[{buffer.getAsOpaquePointer(), component}];
  if (value)
    return value;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t componentBytes =
      llvm::divideCeil(std::max(32u, element.getIntOrFloatBitWidth()), 8);
  for (int64_t bytes = DeviceProfile::vectorBytes; bytes > componentBytes;
       bytes /= 2) {
    auto place = divideExactly(component, bytes / componentBytes);
    if (!place)
      continue;
    Value &vector =
        built.vectors[{buffer.getAsOpaquePointer(), bytes, place->first}];
    if (!vector)
      vector = memref::LoadOp::create(
          b, views.getVectors(b, buffer, Packing(element, bytes)),
          forms.materialize(b, place->first));
    return value = vector::ExtractOp::create(b, vector, place->second);
  }
  return value = memref::LoadOp::create(
             b, views.getVectors(b, buffer, Packing(element, componentBytes)),
             forms.materialize(b, component));
}

/// Builds the element at `position` as a selection between two neighbouring
/// elements. One of them has been loaded already. The other one is loaded
/// instead of the element at `position`, since later elements may use this load
/// too. For example, the four elements at t / 2, (t + 1) / 2, (t + 2) / 2 and
/// (t + 3) / 2 need three loads, at t / 2, t / 2 + 1 and t / 2 + 2. Returns
/// null if `position` has no such neighbours.
Value SharedValues::loadFromNeighbours(Value buffer,
                                       const LinearForm &position) {
  auto isLoaded = [&](const LinearForm &form) {
    auto found = built.loads.find({buffer.getAsOpaquePointer(), form});
    return found != built.loads.end() && found->second;
  };
  auto loadOnce = [&](const LinearForm &form) {
    Value &value = built.loads[{buffer.getAsOpaquePointer(), form}];
    return value ? value : value = loadAlone(buffer, form);
  };
  IndexRange places = {0,
                       cast<MemRefType>(buffer.getType()).getNumElements() - 1};
  for (const IndexForms::Neighbour &neighbour : forms.getNeighbours(position)) {
    const LinearForm &here = neighbour.form;
    LinearForm beside = forms.add(b, here, neighbour.offset);
    if ((!isLoaded(here) && !isLoaded(beside)) ||
        !places.contains(forms.getRange(here, {})) ||
        !places.contains(forms.getRange(beside, {})))
      continue;
    // C++ compilers evaluate arguments in different orders, so that each
    // operand has a statement of its own.
    Value quotient = forms.materialize(b, neighbour.quotient);
    Value other = forms.materialize(b, neighbour.other);
    Value differs =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, quotient, other);
    Value element = loadOnce(here);
    Value next = loadOnce(beside);
    return buildSelect(differs, next, element);
  }
  return Value();
}

Value SharedValues::load(Value buffer, const LinearForm &position) {
  Value &value = built.loads[{buffer.getAsOpaquePointer(), position}];
  if (value)
    return value;
  value = loadFromNeighbours(buffer, position);
  if (!value)
    value = loadAlone(buffer, position);
  return value;
}

/// Builds a load of the element at `position`, without a replacement by
/// neighbouring elements (loadFromNeighbours()).
Value SharedValues::loadAlone(Value buffer, const LinearForm &position) {
  Packing packing(cast<MemRefType>(buffer.getType()).getElementType(),
                  DeviceProfile::vectorBytes);
  if (packing.bits >= 32)
    return loadComponent(buffer, position);
  auto place = divideExactly(position, packing.getPerWord());
  if (!place)
    return memref::LoadOp::create(b, views.getElements(b, buffer),
                                  forms.materialize(b, position));
  auto [word, offset] = *place;
  Value bits = loadComponent(buffer, word);
  if (auto type = dyn_cast<IntegerType>(packing.element)) {
    // Arithmetic on 32-bit words avoids conversions to narrow types, which are
    // slow or missing on some devices.
    if (offset)
      bits = arith::ShRUIOp::create(
          b, bits, getConstant(b.getI32IntegerAttr(offset * packing.bits)));
    return arith::TruncIOp::create(b, type, bits);
  }
  Value part = vector::BroadcastOp::create(
      b, VectorType::get(1, packing.getWordType()), bits);
  part = vector::BitCastOp::create(b, packing.getPartType(), part);
  return vector::ExtractOp::create(b, part, offset);
}

Value SharedValues::materialize(const Scalar &scalar) {
  if (const auto *value = std::get_if<Value>(&scalar))
    return *value;
  if (const auto *index = std::get_if<LinearForm>(&scalar))
    return forms.materialize(b, *index);
  const auto &element = std::get<Load>(scalar);
  if (element.value)
    return element.value;
  Value loaded = load(element.buffer, element.position);
  return element.guard ? buildSelect(element.guard, loaded, element.otherwise)
                       : loaded;
}
