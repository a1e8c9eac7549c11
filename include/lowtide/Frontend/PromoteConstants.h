//===- PromoteConstants.h - Constants that are to be trained ----*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Some tools write weights as Constant or ConstantOfShape nodes. They are
// constants, unless the user names them: then they become initializers, which a
// training step may update.
//
// Tested by test/Tools/wrt.test.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_FRONTEND_PROMOTECONSTANTS_H
#define LOWTIDE_FRONTEND_PROMOTECONSTANTS_H

#include "lowtide/Frontend/Model.h"

#include <vector>

namespace lowtide {

/// Turns floating-point constants whose value name matches one of the glob
/// patterns into arguments with bytes in the weight store. Fails, with a
/// diagnostic, on a constant whose shape isn't known or is past 2^31 elements.
mlir::LogicalResult promoteConstants(Model &model,
                                     const std::vector<std::string> &patterns);

} // namespace lowtide

#endif // LOWTIDE_FRONTEND_PROMOTECONSTANTS_H
