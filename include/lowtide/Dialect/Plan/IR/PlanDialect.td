//===- PlanDialect.td - The plan dialect -------------------*- tablegen -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// What a plan adds to a step. Instances and addresses are attributes on the
// ops of the step, so every planned step is still the step it was.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_DIALECT_PLAN_PLANDIALECT_TD
#define LOWTIDE_DIALECT_PLAN_PLANDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::lowtide::plan";
  let summary = "recompute marks and places in memory";
  let description = [{
    Discardable attributes of ops and arguments:
    - `plan.recompute_of`: a string, the node that this op runs again;
    - `plan.places`: one `#plan.place` for each result (arguments: `plan.place`);
    - `plan.workspace`: the place of the op's scratch memory.
    On the function: `plan.order` when op order is meaning (form F3), and
    `plan.arena`, the space, height and alignment of the arena (form F4).
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Plan_Attr<string name, string attrMnemonic>
    : AttrDef<Plan_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Plan_PlaceAttr : Plan_Attr<"Place", "place"> {
  let summary = "a range of bytes in a memory space";
  let description = [{
    `#plan.place<device : 4096 + 256>` is 256 bytes from offset 4096.
  }];
  let parameters = (ins StringRefParameter<>:$space, "int64_t":$offset,
                        "int64_t":$bytes);
  let assemblyFormat = "`<` $space `:` $offset `+` $bytes `>`";
  let genVerifyDecl = 1;
}

def Plan_ArenaAttr : Plan_Attr<"Arena", "arena"> {
  let summary = "the reservation that all places of a space lie in";
  let parameters = (ins StringRefParameter<>:$space, "int64_t":$bytes,
                        "int64_t":$alignment);
  let assemblyFormat = "`<` $space `:` $bytes `align` $alignment `>`";
  let genVerifyDecl = 1;
}

#endif // LOWTIDE_DIALECT_PLAN_PLANDIALECT_TD
