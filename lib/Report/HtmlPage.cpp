//===- HtmlPage.cpp - One self-contained page -----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "HtmlPage.h"

#include "lowtide/Support/SvgWriter.h"

using namespace lowtide;
using namespace lowtide::report;

static constexpr std::string_view style = R"css(
body { margin: 0; background: #f5f7f9; color: #22303c;
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial,
  sans-serif; }
main { max-width: 1010px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 24px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 34px 0 10px; }
p { margin: 4px 0 10px; color: #6b7a89; overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: 12px; margin: 20px 0; }
.figure { flex: 1 1 150px; background: #fff; border: 1px solid #e1e7ec;
  border-radius: 8px; padding: 12px 16px; }
.figure b { display: block; font-size: 23px; font-weight: 600;
  white-space: nowrap; }
.figure span { display: block; color: #6b7a89; }
.picture { background: #fff; border: 1px solid #e1e7ec; border-radius: 8px;
  padding: 6px; margin: 12px 0; }
.picture svg { display: block; width: 100%; height: auto; }
.addresses rect:hover { opacity: 0.75; }
table { border-collapse: collapse; width: 100%; background: #fff;
  border: 1px solid #e1e7ec; }
th, td { text-align: left; padding: 5px 12px; border-top: 1px solid #edf1f4;
  overflow-wrap: anywhere; }
th { color: #6b7a89; font-weight: 600; border-top: 0; }
.number { text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
#tip { position: fixed; display: none; pointer-events: none; z-index: 9;
  max-width: 440px; background: #22303c; color: #fff; border-radius: 6px;
  padding: 7px 11px; font-size: 13px; white-space: pre-line;
  overflow-wrap: anywhere; }
)css";

// Neither "<" nor "&": the page stays well-formed XML.
static constexpr std::string_view script = R"js(
(function () {
  var tip = document.getElementById("tip");
  function show(event, text) {
    tip.textContent = text;
    tip.style.display = "block";
    var x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    var y = event.clientY + 16;
    if (y + tip.offsetHeight > innerHeight)
      y = event.clientY - tip.offsetHeight - 12;
    tip.style.left = Math.max(4, x) + "px";
    tip.style.top = y + "px";
  }
  function hide() { tip.style.display = "none"; }

  document.querySelectorAll("svg title").forEach(function (title) {
    var shape = title.parentNode;
    var text = title.textContent.split(" \u00b7 ").join("\n");
    shape.removeChild(title);
    shape.addEventListener("mousemove", function (e) { show(e, text); });
    shape.addEventListener("mouseleave", hide);
  });

  var svg = document.querySelector("svg.timeline");
  var holder = document.getElementById("timeline-data");
  if (!svg || !holder) return;
  var data = JSON.parse(holder.textContent);
  if (data.columns.length === 0) return;
  var cursor = document.createElementNS(svg.namespaceURI, "rect");
  cursor.setAttribute("y", data.top);
  cursor.setAttribute("height", data.bottom - data.top);
  cursor.setAttribute("fill", "#22303c");
  cursor.setAttribute("fill-opacity", "0.22");
  cursor.setAttribute("display", "none");
  svg.appendChild(cursor);
  function mib(bytes) {
    return bytes >= 1048576
        ? (bytes / 1048576).toFixed(1) + " MiB"
        : (bytes / 1024).toFixed(1) + " KiB";
  }
  svg.addEventListener("mousemove", function (event) {
    var box = svg.getBoundingClientRect();
    var x = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
    var part = (x - data.left) / (data.right - data.left);
    if (0 > part || part >= 1) { leave(); return; }
    var row = Math.floor(part * data.rows);
    var low = 0, high = data.columns.length - 1;
    while (high > low) {
      var middle = (low + high + 1) >> 1;
      if (data.columns[middle][0] > row) high = middle - 1;
      else low = middle;
    }
    var c = data.columns[low];
    var scale = (data.right - data.left) / data.rows;
    cursor.setAttribute("x", data.left + c[0] * scale);
    cursor.setAttribute("width", Math.max(1, (c[1] - c[0]) * scale));
    cursor.removeAttribute("display");
    var text = "step " + c[2] + " \u00b7 " + c[3]
        + (c[6] ? " \u00b7 recomputed" : "") + "\n" + c[4]
        + "\n" + mib(c[5]) + " live (" + c[5].toLocaleString("en") + " bytes)";
    if (c[1] - c[0] > 1)
      text += "\nthe highest of " + (c[1] - c[0]) + " steps";
    data.classes.forEach(function (name, i) {
      if (c[7][i] > 0) text += "\n" + name + ": " + mib(c[7][i]);
    });
    show(event, text);
  });
  function leave() { cursor.setAttribute("display", "none"); hide(); }
  svg.addEventListener("mouseleave", leave);
})();
)js";

HtmlPage::HtmlPage(std::string_view title, std::string_view subtitle) {
  std::string name = escapeXml(title);
  out = "<!DOCTYPE html>\n"
        "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"/>\n<title>" +
        name + "</title>\n<style>";
  out += style;
  out += "</style>\n</head>\n<body>\n<main>\n<h1>" + name + "</h1>\n";
  paragraph(subtitle);
}

void HtmlPage::figures(const std::vector<Figure> &figures) {
  out += "<div class=\"figures\">\n";
  for (const Figure &figure : figures)
    out += "<div class=\"figure\"><span>" + escapeXml(figure.label) +
           "</span><b>" + escapeXml(figure.value) + "</b><span>" +
           escapeXml(figure.note) + "</span></div>\n";
  out += "</div>\n";
}

void HtmlPage::heading(std::string_view title) {
  out += "<h2>" + escapeXml(title) + "</h2>\n";
}

void HtmlPage::paragraph(std::string_view text) {
  if (!text.empty())
    out += "<p>" + escapeXml(text) + "</p>\n";
}

void HtmlPage::table(const std::vector<Column> &columns,
                     const std::vector<Row> &rows) {
  auto openCell = [&](std::string_view tag, size_t c) {
    return "<" + std::string(tag) +
           (columns[c].isNumber ? " class=\"number\">" : ">");
  };
  out += "<table>\n<tr>";
  for (size_t c = 0; c < columns.size(); ++c)
    out += openCell("th", c) + escapeXml(columns[c].title) + "</th>";
  out += "</tr>\n";
  for (const Row &row : rows) {
    out += "<tr>";
    for (size_t c = 0; c < columns.size(); ++c)
      out += openCell("td", c) + (c < row.size() ? escapeXml(row[c]) : "") +
             "</td>";
    out += "</tr>\n";
  }
  out += "</table>\n";
}

void HtmlPage::picture(const std::string &svg) {
  out += "<div class=\"picture\">\n" + svg + "</div>\n";
}

void HtmlPage::data(std::string_view id, std::string_view json) {
  out += "<script type=\"application/json\" id=\"" + escapeXml(id) + "\">";
  for (char c : json) {
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  out += "</script>\n";
}

std::string HtmlPage::take() {
  out += "</main>\n<div id=\"tip\"></div>\n<script>";
  out += script;
  out += "</script>\n</body>\n</html>\n";
  return std::move(out);
}
