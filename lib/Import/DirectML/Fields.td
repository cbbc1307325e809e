//===- Fields.td - The attributes of the operators, as a table ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// MLIR knows the names of an operator's attributes at run time, but not what they
// hold. Readers of other formats need both: this turns the descriptions of all
// operators, which are included before, into tables.
//
//===----------------------------------------------------------------------===//

include "llvm/TableGen/SearchableTable.td"

/// The kind of value in an attribute, according to the class that stores it.
class DML_FieldKind<Attr a> {
  string cpp = !cond(
      !isa<EnumAttr>(a) : "Enum",
      !eq(a.storageType, " ::mlir::BoolAttr ") : "Bool",
      !eq(a.storageType, "::mlir::FloatAttr") : "Float",
      !eq(a.storageType, "::mlir::IntegerAttr") : "Integer",
      !eq(a.storageType, "::mlir::DenseI64ArrayAttr") : "Integers",
      !eq(a.storageType, "::mlir::DenseF32ArrayAttr") : "Floats",
      !eq(a.storageType, "::mlir::TypedAttr") : "Scalar",
      !eq(a.storageType, "::dml::ScaleBiasAttr") : "ScaleBias",
      !eq(a.storageType, "::dml::ActivationAttr") : "Activation",
      !eq(a.storageType, " ::mlir::ArrayAttr ") : "Activations");
}

class DML_Field<string op, string attribute, Attr a> {
  string Op = op;
  string Attribute = attribute;
  string Kind = DML_FieldKind<a>.cpp;
  // The mnemonic of the enum, or an empty text for other attributes.
  string Enum = !if(!isa<EnumAttr>(a), !cast<EnumAttr>(a).mnemonic, "");
  bit IsOptional = a.isOptional;
}

class DML_FieldCase<string enum, string enumCase, int value> {
  string Enum = enum;
  string Case = enumCase;
  bits<32> Value = value;
}

foreach op = !instances<DML_Op>() in
  foreach i = !range(!size(op.arguments)) in
    if !isa<Attr>(!getdagarg<Constraint>(op.arguments, i)) then
      def : DML_Field<op.opName, !getdagname(op.arguments, i),
                      !getdagarg<Attr>(op.arguments, i)>;

foreach e = !instances<EnumAttr>() in
  foreach c = e.enum.enumerants in
    def : DML_FieldCase<e.mnemonic, c.str, c.value>;

def DMLFields : GenericTable {
  let FilterClass = "DML_Field";
  let CppTypeName = "FieldRow";
  let Fields = ["Op", "Attribute", "Kind", "Enum", "IsOptional"];
  string TypeOf_Kind = "code";
}

def DMLFieldCases : GenericTable {
  let FilterClass = "DML_FieldCase";
  let CppTypeName = "FieldCaseRow";
  let Fields = ["Enum", "Case", "Value"];
}
