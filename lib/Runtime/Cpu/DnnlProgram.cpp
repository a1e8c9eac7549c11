//===- DnnlProgram.cpp - oneDNN primitives on planned memory --------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "DnnlProgram.h"
#include "Parallel.h"

#include "lowtide/Support/Bytes.h"

#include <algorithm>
#include <memory>

using namespace lowtide;
using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

DnnlBuilder::DnnlBuilder(const CpuContext &cpu) : cpu(cpu) {
  // Scratchpads grow with the threads that the descriptor is made under.
  setPoolThreads(cpu.plannedThreads);
}

dnnl::engine &DnnlBuilder::engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::primitive_attr DnnlBuilder::attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

static dnnl::memory::format_tag plainTag(size_t rank) {
  using Tag = dnnl::memory::format_tag;
  constexpr Tag tags[] = {Tag::undef, Tag::a,     Tag::ab,    Tag::abc,
                          Tag::abcd,  Tag::abcde, Tag::abcdef};
  return rank < 7 ? tags[rank] : Tag::undef;
}

dnnl::memory::desc DnnlBuilder::plain(const std::vector<int64_t> &shape) {
  return {shape, dnnl::memory::data_type::f32, plainTag(shape.size())};
}

dnnl::memory::desc DnnlBuilder::any(const std::vector<int64_t> &shape) {
  return {shape, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

DnnlPlace DnnlBuilder::temporary(const dnnl::memory::desc &desc) {
  const DnnlPlace place{DnnlPlace::Workspace, offsetBytes, desc};
  offsetBytes += alignTo(static_cast<int64_t>(desc.get_size()), 64);
  return place;
}

void DnnlBuilder::copyTo(const DnnlPlace &from, const DnnlPlace &to) {
  const dnnl::reorder::primitive_desc desc(engine(), from.desc, engine(),
                                           to.desc, attributes());
  add(desc, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

DnnlPlace DnnlBuilder::reordered(const DnnlPlace &from,
                                 const dnnl::memory::desc &wanted) {
  if (from.desc == wanted)
    return from;
  const DnnlPlace copy = temporary(wanted);
  copyTo(from, copy);
  return copy;
}

void DnnlBuilder::addStage(std::function<dnnl::primitive()> make,
                           const dnnl::memory::desc &scratchpad,
                           Arguments arguments) {
  scratchBytes = std::max(
      scratchBytes, alignTo(static_cast<int64_t>(scratchpad.get_size()), 64));
  stages.push_back({std::move(make), scratchpad, std::move(arguments)});
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
struct CompiledStage {
  dnnl::primitive primitive;
  std::vector<dnnl::memory> memories;
  std::vector<DnnlPlace> places;
  std::vector<dnnl_exec_arg_t> arguments;
};

/// Everything is made beforehand; a run sets pointers and executes.
class CompiledProgram {
public:
  CompiledProgram(const CpuContext &cpu) : cpu(cpu) {}
  std::string run(const KernelBuffers &buffers);

  std::vector<CompiledStage> stages;
  dnnl::stream stream{DnnlBuilder::engine()};

private:
  static void *addressOf(const DnnlPlace &place, const KernelBuffers &buffers);
  CpuContext cpu;
};
} // namespace

void *CompiledProgram::addressOf(const DnnlPlace &place,
                                 const KernelBuffers &buffers) {
  switch (place.kind) {
  case DnnlPlace::Operand:
    return const_cast<void *>(buffers.operands[place.index]);
  case DnnlPlace::Result:
    return buffers.results[place.index];
  case DnnlPlace::Workspace:
    return static_cast<std::byte *>(buffers.workspace) + place.index;
  }
  return nullptr;
}

std::string CompiledProgram::run(const KernelBuffers &buffers) {
  setPoolThreads(cpu.plannedThreads);
  dnnl_status_t status = dnnl_success;
  for (CompiledStage &stage : stages) {
    for (size_t i = 0; i < stage.places.size(); ++i)
      dnnl_memory_set_data_handle(stage.memories[i].get(),
                                  addressOf(stage.places[i], buffers));
    status = dnnl_primitive_execute(stage.primitive.get(), stream.get(),
                                    static_cast<int>(stage.arguments.size()),
                                    stage.arguments.data());
    if (status != dnnl_success)
      break;
  }
  setPoolThreads(cpu.threads);
  return status == dnnl_success
             ? ""
             : "oneDNN failed with status " + std::to_string(status);
}

RunKernel DnnlBuilder::compile() const {
  try {
    setPoolThreads(cpu.plannedThreads);
    auto program = std::make_shared<CompiledProgram>(cpu);
    for (const Stage &stage : stages) {
      CompiledStage compiled;
      compiled.primitive = stage.make();
      Arguments arguments = stage.arguments;
      if (stage.scratchpad.get_size() > 0)
        arguments.push_back(
            {DNNL_ARG_SCRATCHPAD,
             {DnnlPlace::Workspace, offsetBytes, stage.scratchpad}});
      for (const auto &[name, place] : arguments) {
        compiled.memories.push_back(
            dnnl::memory(place.desc, engine(), DNNL_MEMORY_NONE));
        compiled.places.push_back(place);
        compiled.arguments.push_back({name, compiled.memories.back().get()});
      }
      program->stages.push_back(std::move(compiled));
    }
    setPoolThreads(cpu.threads);
    return [program](const KernelBuffers &buffers) {
      return program->run(buffers);
    };
  } catch (const dnnl::error &) {
    return {};
  }
}

KernelBuild cpu::buildDnnl(const CpuContext &cpu,
                           const std::function<void(DnnlBuilder &)> &fill) {
  try {
    auto builder = std::make_shared<DnnlBuilder>(cpu);
    fill(*builder);
    setPoolThreads(cpu.threads);
    KernelBuild build;
    build.needs.workspaceBytes = builder->workspaceBytes();
    build.compile = [builder] { return builder->compile(); };
    return build;
  } catch (const dnnl::error &error) {
    return refuse(std::string("oneDNN: ") + error.what());
  }
}
