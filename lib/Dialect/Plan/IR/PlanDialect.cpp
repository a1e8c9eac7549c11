//===- PlanDialect.cpp - The plan dialect ---------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Dialect/Plan/IR/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lowtide::plan;

#include "lowtide/Dialect/Plan/IR/PlanDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lowtide/Dialect/Plan/IR/PlanAttrs.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lowtide/Dialect/Plan/IR/PlanAttrs.cpp.inc"
      >();
}

LogicalResult
PlaceAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                  StringRef space, int64_t offset, int64_t bytes) {
  if (offset < 0 || bytes < 0)
    return emitError() << "place has offset " << offset << " and " << bytes
                       << " bytes; neither may be negative";
  return success();
}

LogicalResult
ArenaAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                  StringRef space, int64_t bytes, int64_t alignment) {
  if (bytes < 0 || alignment < 1)
    return emitError() << "arena has " << bytes << " bytes aligned to "
                       << alignment;
  return success();
}

LogicalResult PlanDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == "plan.places") {
    auto places = dyn_cast<ArrayAttr>(attr.getValue());
    if (!places || places.size() != op->getNumResults() ||
        !llvm::all_of(places, llvm::IsaPred<PlaceAttr>))
      return op->emitOpError()
             << "has " << op->getNumResults()
             << " results but 'plan.places' doesn't hold one place for each";
    return success();
  }
  if (name == "plan.recompute_of" && !isa<StringAttr>(attr.getValue()))
    return op->emitOpError("'plan.recompute_of' must be a string");
  if (name == "plan.workspace" && !isa<PlaceAttr>(attr.getValue()))
    return op->emitOpError("'plan.workspace' must be a place");
  if (name == "plan.arena" && !isa<ArenaAttr>(attr.getValue()))
    return op->emitOpError("'plan.arena' must be an arena");
  return success();
}

LogicalResult PlanDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attr) {
  if (attr.getName() == "plan.place" && !isa<PlaceAttr>(attr.getValue()))
    return op->emitOpError()
           << "'plan.place' of argument " << argument << " must be a place";
  return success();
}
