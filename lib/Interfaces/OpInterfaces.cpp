//===- OpInterfaces.cpp - What passes may ask of an op --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Interfaces/OpInterfaces.h"

#include "lowtide/Interfaces/OpInterfaces.cpp.inc"
