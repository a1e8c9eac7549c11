//===- ExportFlags.h - --opset ----------------------------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_EXPORTFLAGS_H
#define LOWTIDE_TOOLS_LOWTIDE_EXPORTFLAGS_H

#include "CommandLine/CommandLine.h"

#include "lowtide/Frontend/Model.h"

namespace lowtide::cli {

void declareExportFlags(Arguments::Declaration &declaration);
/// False after a message.
bool readExportFlags(const Arguments &arguments, ExportOptions &options);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_EXPORTFLAGS_H
