//===- ElementTypes.cpp - Questions that every kernel asks of its call ----===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"

using namespace lowtide::runtime;

void cpu::donateOperand(const KernelCall &call, unsigned result,
                        unsigned operand, KernelNeeds &needs) {
  if (!call.hasResult(result) || !call.hasOperand(operand))
    return;
  const TensorDesc &to = call.result(result), &from = call.operand(operand);
  if (to.bytes() == from.bytes() && to.numElements() == from.numElements())
    needs.donations.push_back({result, operand});
}

void cpu::donateElementwise(const KernelCall &call, unsigned result,
                            KernelNeeds &needs) {
  for (unsigned i = 0; i < call.operands.size(); ++i)
    donateOperand(call, result, i, needs);
}

std::string cpu::checkArity(const KernelCall &call, size_t required,
                            size_t results) {
  for (size_t i = 0; i < required; ++i)
    if (!call.hasOperand(i))
      return "operand " + std::to_string(i) + " is missing";
  for (size_t i = 0; i < results; ++i)
    if (!call.hasResult(i))
      return "result " + std::to_string(i) + " is missing";
  return "";
}

int64_t cpu::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < 0)
    axis += rank;
  return axis >= 0 && axis < rank ? axis : -1;
}

bool cpu::readHostInts(const KernelCall &call, unsigned operand,
                       KernelNeeds &needs, std::vector<int64_t> &values) {
  if (!call.hasOperand(operand) || !call.operands[operand]->constant)
    return false;
  const DataType type = call.operand(operand).type;
  if (type != DataType::Int64 && type != DataType::Int32)
    return false;
  needs.hostOperands.push_back(operand);
  values = call.operands[operand]->asInts();
  return true;
}

int64_t cpu::productOf(const std::vector<int64_t> &shape, int64_t begin,
                       int64_t end) {
  int64_t product = 1;
  for (int64_t i = begin; i < end; ++i)
    product *= shape[i];
  return product;
}
