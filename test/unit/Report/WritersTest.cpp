//===- WritersTest.cpp - JSON, CSV, SVG and safe names --------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "XmlCheck.h"

#include "lowtide/Support/CsvWriter.h"
#include "lowtide/Support/JsonWriter.h"
#include "lowtide/Support/Printable.h"
#include "lowtide/Support/SvgWriter.h"

#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace lowtide;

TEST_CASE("json keeps the order of the calls and exact integers") {
  JsonWriter json;
  json.beginObject();
  json.attribute("z", std::numeric_limits<int64_t>::max());
  json.attribute("a", 0.1);
  json.attribute("gone", std::optional<int64_t>());
  json.attribute("there", std::optional<int64_t>(7));
  json.key("list");
  json.beginArray(JsonWriter::Layout::OneLine);
  json.value(1);
  json.value(true);
  json.value("x");
  json.endArray();
  json.key("empty");
  json.beginArray();
  json.endArray();
  json.endObject();
  CHECK(json.take() == "{\n"
                       "  \"z\": 9223372036854775807,\n"
                       "  \"a\": 0.1,\n"
                       "  \"there\": 7,\n"
                       "  \"list\": [1, true, \"x\"],\n"
                       "  \"empty\": []\n"
                       "}\n");
}

TEST_CASE("json writes what isn't finite as null") {
  for (double number : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    JsonWriter json;
    json.value(number);
    CHECK(json.take() == "null\n");
  }
}

TEST_CASE("json doubles read back as the same number") {
  for (double number : {0.1, 1e-300, 123456789.125, 2.0 / 3, 1e22}) {
    auto parsed = llvm::json::parse(shortestNumber(number));
    REQUIRE(bool(parsed));
    CHECK(parsed->getAsNumber() == number);
  }
}

TEST_CASE("json strings of any bytes parse back") {
  std::string nasty = "quote\" back\\ nl\n esc\x1b bad\xff utf\xc3\xa9 \x7f";
  nasty += '\0';
  JsonWriter json;
  json.value(nasty);
  auto parsed = llvm::json::parse(json.take());
  REQUIRE(bool(parsed));
  std::string expected = "quote\" back\\ nl\n esc\x1b bad\xef\xbf\xbd "
                         "utf\xc3\xa9 \x7f";
  expected += '\0';
  CHECK(parsed->getAsString()->str() == expected);
}

TEST_CASE("csv quotes fields and keeps a row on one line") {
  CsvWriter csv;
  csv.field(std::string_view("plain"));
  csv.field(std::string_view("a,b"));
  csv.field(std::string_view("say \"hi\""));
  csv.field(std::string_view("two\nlines"));
  csv.field(std::string_view("=1+1"));
  csv.field(int64_t(-3));
  csv.field(std::optional<double>());
  csv.field(0.5);
  csv.endRow();
  CHECK(csv.take() ==
        "plain,\"a,b\",\"say \"\"hi\"\"\",two\\x0alines,'=1+1,-3,,0.5\n");
}

TEST_CASE("printable escapes what a terminal or a reader would obey") {
  CHECK(printable("/layer/Conv") == "/layer/Conv");
  CHECK(printable("\x1b[31mred\n") == "\\x1b[31mred\\x0a");
  CHECK(printable("a\xe2\x80\xae"
                  "b") == "a\\u202eb");
  CHECK(printable("\xff") == "\xef\xbf\xbd");
  CHECK(printable("é…") == "é…");
  CHECK(printable("") == "");
}

TEST_CASE("long names lose their middle") {
  CHECK(elideMiddle("abcdefghij", 10) == "abcdefghij");
  CHECK(elideMiddle("abcdefghij", 7) == "abc…hij");
  CHECK(displayWidth(elideMiddle("ééééééééé", 4)) == 4);
  CHECK(elideMiddle("abc", 1) == "…");
  CHECK(elideMiddle("abc", 0) == "");
  CHECK(padLeft("é", 3) == "  é");
  CHECK(padRight("é", 3) == "é  ");
}

TEST_CASE("svg numbers are short") {
  CHECK(svgNumber(1.0) == "1");
  CHECK(svgNumber(1.239) == "1.24");
  CHECK(svgNumber(-0.001) == "0");
  CHECK(svgNumber(100) == "100");
}

TEST_CASE("svg escapes names and closes what is open") {
  SvgWriter svg(10, 20, "a \"title\" <&'>");
  svg.open("g", {{"id", "x\"y"}});
  svg.text(1, 2, "<script>&\x01");
  svg.rect({0, 0, 1, 1}, {}, "hover <b>");
  std::string picture = svg.take();
  CHECK(report::XmlCheck::run(picture) == "");
  CHECK(picture.find("<script") == std::string::npos);
  CHECK(picture.find("&lt;script&gt;&amp;\\x01") != std::string::npos);
}

TEST_CASE("the XML check itself finds faults") {
  using report::XmlCheck;
  CHECK(XmlCheck::run("<a b=\"c\">d</a>") == "");
  CHECK(XmlCheck::run("<a><b></a></b>") != "");
  CHECK(XmlCheck::run("<a>&b</a>") != "");
  CHECK(XmlCheck::run("<a b=c/>") != "");
  CHECK(XmlCheck::run("<a b=\"1\" b=\"2\"/>") != "");
  CHECK(XmlCheck::run("<a/><a/>") != "");
  CHECK(XmlCheck::run("<a>") != "");
}
