//===- AddressMap.cpp - The arena as a picture ----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Problem: show where every buffer lies and when, for plans of a dozen or of a
// hundred thousand buffers.
//
// Idea: one box per buffer, from its first step to the end of its last, at its
// address. When there are too many, the boxes with the largest areas are kept,
// and the picture says how many small ones it leaves out.
//
// Complexity: O(n log n).
//
// Tested by test/unit/Report/RenderTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "SvgParts.h"
#include "lowtide/Report/Render.h"
#include "lowtide/Support/Printable.h"

#include <algorithm>

using namespace lowtide;
using namespace lowtide::report;

static constexpr size_t maxBoxes = 3000;

static double area(const PlannedBuffer &buffer) {
  return double(buffer.bytes) * double(buffer.lastStep - buffer.firstStep + 1);
}

/// The buffers to draw, in the report's order.
static std::vector<const PlannedBuffer *>
largestBuffers(const PlanReport &report) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < report.buffers.size(); ++i)
    if (report.buffers[i].bytes > 0 &&
        report.buffers[i].lastStep >= report.buffers[i].firstStep)
      indices.push_back(i);
  if (indices.size() > maxBoxes) {
    std::stable_sort(indices.begin(), indices.end(), [&](size_t a, size_t b) {
      return area(report.buffers[a]) > area(report.buffers[b]);
    });
    indices.resize(maxBoxes);
    std::sort(indices.begin(), indices.end());
  }
  std::vector<const PlannedBuffer *> buffers;
  for (size_t i : indices)
    buffers.push_back(&report.buffers[i]);
  return buffers;
}

static std::string describe(const PlannedBuffer &buffer) {
  std::string steps = buffer.firstStep == buffer.lastStep
                          ? "step " + formatCount(buffer.firstStep)
                          : "steps " + formatCount(buffer.firstStep) + " to " +
                                formatCount(buffer.lastStep);
  return elideMiddle(printable(buffer.name), 80) + " · " +
         formatMib(buffer.bytes) + " · " + steps + " · " +
         std::string(classLabel(buffer.cls)) + " · at byte " +
         formatCount(buffer.offsetBytes);
}

static void drawBoxes(SvgWriter &svg, const Plot &plot,
                      const std::vector<const PlannedBuffer *> &buffers) {
  bool isOdd = false; // Neighbours differ a little, so that both are seen.
  for (const PlannedBuffer *buffer : buffers) {
    double left = plot.x(double(buffer->firstStep));
    double right = plot.x(double(buffer->lastStep + 1));
    double top = plot.y(double(buffer->offsetBytes + buffer->bytes));
    double bottom = plot.y(double(buffer->offsetBytes));
    svg.rect(
        {left, top, std::max(right - left, 0.6), std::max(bottom - top, 0.3)},
        {{"fill", std::string(classColor(buffer->cls))},
         {"fill-opacity", isOdd ? "0.72" : "0.95"}},
        describe(*buffer));
    isOdd = !isOdd;
  }
}

std::string report::renderAddressMap(const PlanReport &report) {
  std::vector<const PlannedBuffer *> buffers = largestBuffers(report);
  Plot plot;
  plot.height = 520;
  plot.bottom = 430;
  int64_t top = report.arenaBytes.value_or(0), end = 1;
  for (const PlannedBuffer *buffer : buffers) {
    top = std::max(top, buffer->offsetBytes + buffer->bytes);
    end = std::max(end, buffer->lastStep + 1);
  }
  plot.xMax = double(std::max<int64_t>(end, int64_t(report.timeline.size())));
  plot.yMax = 1.04 * double(std::max<int64_t>(top, 1));

  std::string subtitle = formatCount(int64_t(report.buffers.size())) +
                         " buffers: where each lies in the arena, and when";
  if (buffers.size() == maxBoxes)
    subtitle += " (the " + formatCount(maxBoxes) + " largest are drawn)";
  SvgWriter svg = beginPicture(plot, "Addresses over time", subtitle,
                               {{"class", "addresses"}});
  drawYAxis(svg, plot, makeTicks(toMib(plot.yMax), 6), 1 << 20, "address, MiB");
  drawBoxes(svg, plot, buffers);
  drawXAxis(svg, plot, makeTicks(plot.xMax, 8, true), plot.bottom, "step");
  if (report.arenaBytes)
    drawLevels(svg, plot, {{"arena", *report.arenaBytes, budgetColor, "7 4"}});
  drawLegend(svg, plot.left, plot.height - 30,
             classLegend([&](BufferClass cls) {
               return std::any_of(buffers.begin(), buffers.end(),
                                  [&](const PlannedBuffer *buffer) {
                                    return buffer->cls == cls;
                                  });
             }));
  return svg.take();
}
