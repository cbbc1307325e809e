//===- DescribedModel.cpp - A model of DirectML's structures --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "DescribedModel.h"
#include "Boundary.h"
#include "BuiltModel.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <atomic>
#include <cstdlib>
#include <cstring>

using namespace dml;
using namespace dml::session;

/// What a DmlOperator points to.
struct DmlOperatorImpl {
  explicit DmlOperatorImpl(std::shared_ptr<const directml::MemoryOperator> op)
      : object(std::move(op)) {}
  ~DmlOperatorImpl() { tag = 0; }

  /// Tells an operator from an object of DirectML, which begins with the
  /// address of a table.
  static constexpr uint64_t expectedTag = 0x726f746172657064;
  std::atomic<uint64_t> tag = expectedTag;
  std::shared_ptr<const directml::MemoryOperator> object;
};

static const directml::MemoryOperator *findOperator(const void *pointer) {
  const auto *op = static_cast<const DmlOperatorImpl *>(pointer);
  return op->tag == DmlOperatorImpl::expectedTag ? op->object.get() : nullptr;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// The flags of DML_EXECUTION_FLAGS, together.
static constexpr uint32_t knownExecutionFlags = 0x7;

/// Describes the argument or result `index` of the function "main".
static void describeTensor(mlir::func::FuncOp function, bool isResult,
                           const directml::MemoryModule::BindPoint &point,
                           DmlBindPoint &info, std::string &name) {
  auto type = llvm::cast<mlir::RankedTensorType>(
      isResult ? function.getResultTypes()[point.index]
               : function.getArgumentTypes()[point.index]);
  auto nameAttr = isResult ? function.getResultAttr(point.index, nameAttrName)
                           : function.getArgAttr(point.index, nameAttrName);
  name = llvm::cast<mlir::StringAttr>(nameAttr).str();
  DataType dataType = *getDataType(type.getElementType());
  info.kind =
      point.isOwned ? DML_BIND_POINT_KIND_WEIGHT : DML_BIND_POINT_KIND_RUN;
  info.dataType = static_cast<DmlDataType>(dataType);
  info.rank = static_cast<uint32_t>(type.getRank());
  llvm::copy(type.getShape(), info.sizes);
  info.byteSize =
      llvm::divideCeil(static_cast<uint64_t>(type.getNumElements()) *
                           type.getElementTypeBitWidth(),
                       8);
}

Expected<std::shared_ptr<const DescribedModel>>
DescribedModel::create(const DmlDescribedModelCreateInfo *info,
                       const char *name, Import import) {
  if (info) {
    DML_CHECK_CHAIN(DmlDescribedModelCreateInfo, info);
    if (info->executionFlags & ~knownExecutionFlags)
      return makeError(DML_ERROR_INVALID_ARGUMENT,
                       "DmlDescribedModelCreateInfo::executionFlags is ",
                       info->executionFlags,
                       ", but wanted are flags of DML_EXECUTION_FLAGS, at most "
                       "0x7 together");
  }
  std::shared_ptr<DescribedModel> model(new DescribedModel);
  model->name = info && info->name ? info->name : name;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<directml::MemoryModule> module = import(model->name, &context);
  if (!module)
    return invalid(module.takeError()).in(model->name);

  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(mlir::writeBytecodeToFile(*module->module, os)))
    return makeError(DML_ERROR_INVALID_ARGUMENT, "'", model->name,
                     "' cannot be written as bytecode");
  // The reader refuses bytecode that is aligned less than the constants in it.
  const llvm::Align alignment(4096);
  auto copy = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      bytes.size(), model->name, alignment);
  if (!copy)
    return makeError(DML_ERROR_OUT_OF_MEMORY, "there is no host memory for ",
                     bytes.size(), " bytes of a model");
  std::memcpy(copy->getBufferStart(), bytes.data(), bytes.size());
  model->bytecode = std::move(copy);

  auto function = *module->module->getOps<mlir::func::FuncOp>().begin();
  auto add = [&](bool isResult, const auto &points, std::vector<Point> &all) {
    uint32_t next = 0;
    for (const directml::MemoryModule::BindPoint &point : points) {
      Point &added = all.emplace_back();
      if (!point.isBound)
        continue;
      describeTensor(function, isResult, point, added.info, added.name);
      if (!point.isOwned)
        added.info.index = next++;
    }
  };
  add(false, module->inputs, model->inputs);
  add(true, module->outputs, model->outputs);
  return std::shared_ptr<const DescribedModel>(std::move(model));
}

void DescribedModel::describe(DmlDescribedModelInfo &info) const {
  info.inputCount = static_cast<uint32_t>(inputs.size());
  info.outputCount = static_cast<uint32_t>(outputs.size());
}

Status DescribedModel::describe(const std::vector<Point> &points,
                                const char *kind, uint32_t index,
                                DmlBindPoint &point) {
  if (index >= points.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the model has no ", kind, " ",
                     index, "; it has ", points.size());
  point = points[index].info;
  point.name = point.kind == DML_BIND_POINT_KIND_NONE
                   ? nullptr
                   : points[index].name.c_str();
  return Status();
}

Status DescribedModel::describeInput(uint32_t index,
                                     DmlBindPoint &point) const {
  return describe(inputs, "input", index, point);
}

Status DescribedModel::describeOutput(uint32_t index,
                                      DmlBindPoint &point) const {
  return describe(outputs, "output", index, point);
}

Expected<std::string> DescribedModel::getModule(DmlModuleForm form) const {
  if (form == DML_MODULE_FORM_BYTECODE)
    return getBytecode().str();
  if (form != DML_MODULE_FORM_TEXT)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the form ",
                     static_cast<int>(form),
                     " of a module is none of DmlModuleForm");
  mlir::DialectRegistry registry;
  directml::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(getBytecode(), &context);
  if (!module)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "'", name,
                     "' cannot be read again");
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

DmlResult dmlCreateOperator(const struct DML_OPERATOR_DESC *desc,
                            DmlOperator *op, DmlError *error) {
  auto create = [&]() -> Status {
    DML_NEED(desc);
    DML_NEED(op);
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto read = directml::readOperator(desc, &context);
    if (!read)
      return invalid(read.takeError());
    *op = new DmlOperatorImpl(std::move(*read));
    return Status();
  };
  return runtime::report(create(), error);
}

void dmlDestroyOperator(DmlOperator op) { delete op; }

/// Creates a model, which the argument `model` of the caller receives.
static DmlResult createModel(const DmlDescribedModelCreateInfo *info,
                             const char *name, DmlModel *model, DmlError *error,
                             DescribedModel::Import import) {
  auto create = [&]() -> Status {
    DML_NEED(model);
    auto created = DescribedModel::create(info, name, import);
    if (!created)
      return created.status();
    *model = new DmlModelImpl{nullptr, std::move(*created)};
    return Status();
  };
  return runtime::report(create(), error);
}

DmlResult dmlCreateModelOfOperator(DmlOperator op,
                                   const DmlDescribedModelCreateInfo *info,
                                   DmlModel *model, DmlError *error) {
  if (!op)
    return runtime::report(runtime::nullArgument("op"), error);
  return createModel(info, "<operator>", model, error,
                     [&](llvm::StringRef name, mlir::MLIRContext *context) {
                       return directml::importOperator(*op->object, name,
                                                       context);
                     });
}

DmlResult dmlCreateModelOfGraph(const struct DML_GRAPH_DESC *graph,
                                const DmlDescribedModelCreateInfo *info,
                                DmlModel *model, DmlError *error) {
  if (!graph)
    return runtime::report(runtime::nullArgument("graph"), error);
  return createModel(info, "<graph>", model, error,
                     [&](llvm::StringRef name, mlir::MLIRContext *context) {
                       return directml::importGraph(graph, findOperator, name,
                                                    context);
                     });
}

/// Calls `use` with the model behind a handle.
template <typename Use>
static DmlResult withModel(DmlModel model, const char *name, const void *result,
                           DmlError *error, Use use) {
  auto check = [&]() -> Status {
    DML_NEED(model);
    if (!result)
      return runtime::nullArgument(name);
    if (!model->described)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "the model '",
                       model->object->getName(),
                       "' was built node by node, but wanted is one of "
                       "DirectML's structures");
    return use(*model->described);
  };
  return runtime::report(check(), error);
}

DmlResult dmlGetDescribedModelInfo(DmlModel model, DmlDescribedModelInfo *info,
                                   DmlError *error) {
  return withModel(model, "info", info, error,
                   [&](const DescribedModel &described) -> Status {
                     DML_CHECK_CHAIN(DmlDescribedModelInfo, info);
                     described.describe(*info);
                     return Status();
                   });
}

DmlResult dmlGetInputBindPoint(DmlModel model, uint32_t index,
                               DmlBindPoint *point, DmlError *error) {
  return withModel(model, "point", point, error,
                   [&](const DescribedModel &described) -> Status {
                     DML_CHECK_CHAIN(DmlBindPoint, point);
                     return described.describeInput(index, *point);
                   });
}

DmlResult dmlGetOutputBindPoint(DmlModel model, uint32_t index,
                                DmlBindPoint *point, DmlError *error) {
  return withModel(model, "point", point, error,
                   [&](const DescribedModel &described) -> Status {
                     DML_CHECK_CHAIN(DmlBindPoint, point);
                     return described.describeOutput(index, *point);
                   });
}

DmlResult dmlGetModelModule(DmlModel model, DmlModuleForm form,
                            DmlBytes *module, DmlError *error) {
  return withModel(model, "module", module, error,
                   [&](const DescribedModel &described) -> Status {
                     Expected<std::string> text = described.getModule(form);
                     if (!text)
                       return text.status();
                     return copyBytes(*text, *module);
                   });
}
