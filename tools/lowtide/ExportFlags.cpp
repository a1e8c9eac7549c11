//===- ExportFlags.cpp - --opset ------------------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ExportFlags.h"

using namespace lowtide;
using namespace lowtide::cli;

void cli::declareExportFlags(Arguments::Declaration &declaration) {
  declaration.valueFlags.push_back("--opset");
}

bool cli::readExportFlags(const Arguments &arguments, ExportOptions &options) {
  auto text = arguments.value("--opset");
  if (!text)
    return true;
  if (*text == "keep") {
    options.keepOpset = true;
    return true;
  }
  int64_t opset;
  constexpr int64_t oldest = 7, newest = 28;
  if (text->getAsInteger(10, opset) || opset < oldest || opset > newest) {
    arguments.usage("'--opset' is '" + *text +
                    "' but should be keep or an integer from 7 to 28");
    return false;
  }
  options.opset = opset;
  return true;
}
