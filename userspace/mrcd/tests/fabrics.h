// SPDX-License-Identifier: GPL-2.0-only
/** @file Files that describe fabrics. */
#pragma once

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "fabric_file.h"

namespace mrcd::test
{

/** Two racks, two planes of two spines, a host in each rack; this is h1. */
inline const std::string small_file = R"([fabric]
block = "fcbb:bb00::/32"
planes = 2

[t0]
p1t0r1 = { plane = 1, rack = "r1", usid = 0x0101 }
p1t0r2 = { plane = 1, rack = "r2", usid = 0x0102 }
p2t0r1 = { plane = 2, rack = "r1", usid = 0x0201 }
p2t0r2 = { plane = 2, rack = "r2", usid = 0x0202 }

[t1]
p1t1s1 = { plane = 1, usid = 0x0181 }
p1t1s2 = { plane = 1, usid = 0x0182 }
p2t1s1 = { plane = 2, usid = 0x0281 }
p2t1s2 = { plane = 2, usid = 0x0282 }

[hosts]
h1 = { rack = "r1", usid = 0xf001, gid = "fd00:6d72:63::1" }
h2 = { rack = "r2", usid = 0xf002, gid = "fd00:6d72:63::2" }
h3 = { rack = "r1", usid = 0xf003, gid = "fd00:6d72:63::3" }

[links]
missing = [["p1t0r1", "p1t1s2"]]

[deny]
switches = ["p2t1s1"]
links = [["p2t0r2", "p2t1s2"]]

[local]
host = "h1"
device = "mrc0"
anchor = "mrc"
planes = ["eth1", "eth2"]

[evs]
per-destination = 16
min-active = 3

[cc]
algorithm = "none"
window = 524288
)";

/** A part of the text in place of another one, which must be there. */
inline std::string with(std::string text, const std::string &from, const std::string &to)
{
    const size_t at = text.find(from);

    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline Fabric fabric_of(const std::string &text)
{
    auto result = read_fabric(text, "nobody");

    if (auto *fabric = std::get_if<Fabric>(&result))
        return std::move(*fabric);
    for (const Complaint &complaint : std::get<Complaints>(result))
        ADD_FAILURE() << to_string("file", complaint);
    return {};
}

/** Racks of @p per_rack hosts each, so many planes and spines per plane. */
std::string inline large_file(int racks, int per_rack, int planes, int spines)
{
    std::string text = "[fabric]\nblock = \"fcbb:bb00::/32\"\nplanes = " + std::to_string(planes);
    int usid = 1;
    const auto number = [&] { return ", usid = " + std::to_string(usid++) + " }\n"; };

    text += "\n[t0]\n";
    for (int p = 1; p <= planes; p++)
        for (int r = 1; r <= racks; r++)
            text += "p" + std::to_string(p) + "t0r" + std::to_string(r) +
                    " = { plane = " + std::to_string(p) + ", rack = \"r" + std::to_string(r) +
                    "\"" + number();
    text += "[t1]\n";
    for (int p = 1; p <= planes; p++)
        for (int s = 1; s <= spines; s++)
            text += "p" + std::to_string(p) + "t1s" + std::to_string(s) +
                    " = { plane = " + std::to_string(p) + number();
    text += "[hosts]\n";
    for (int h = 0; h < racks * per_rack; h++)
        text += "h" + std::to_string(h) + " = { rack = \"r" + std::to_string(h / per_rack + 1) +
                "\", gid = \"fd00::" + std::to_string(h / 10000 + 1) + ":" +
                std::to_string(h % 10000) + "\"" + number();
    text += "[local]\nhost = \"h0\"\nanchor = \"mrc\"\nplanes = [";
    for (int p = 1; p <= planes; p++)
        text += "\"eth" + std::to_string(p) + "\", ";
    return text + "]\n";
}

} // namespace mrcd::test
