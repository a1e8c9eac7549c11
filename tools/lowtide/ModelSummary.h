//===- ModelSummary.h - What is in a model, as plain data -------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_TOOLS_LOWTIDE_MODELSUMMARY_H
#define LOWTIDE_TOOLS_LOWTIDE_MODELSUMMARY_H

#include "Session.h"

#include <map>

namespace lowtide::cli {

struct ModelSummary {
  struct Port {
    std::string name;
    std::string type; ///< "float[N,3,224,224]"
    std::string role; ///< Empty for a forward model.
  };
  struct Problem {
    std::string node;
    std::string op;
    std::string reason;
  };

  std::string form; ///< "forward model", "training step", "planned step"
  int64_t irVersion = 0;
  int64_t opset = 0;
  std::string producer;
  std::vector<Port> inputs, outputs;
  std::vector<std::string> unboundDimensions;
  std::map<std::string, int64_t> countByOp;
  int64_t numParameters = 0; ///< Tensors.
  int64_t numElements = 0;
  int64_t parameterBytes = 0;
  std::vector<Problem> withoutGradient;
  std::vector<Problem> withoutKernel;
};

ModelSummary summarize(const Model &model);

} // namespace lowtide::cli

#endif // LOWTIDE_TOOLS_LOWTIDE_MODELSUMMARY_H
