// SPDX-License-Identifier: GPL-2.0-only
/** @file Files that describe fabrics. */
#pragma once

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "file/fabric_file.h"
#include "file/read_file.h"

namespace mrcd::test
{

/** Two racks, two planes with two T1s each, a host in each rack. This host is h1. */
inline const std::string small_file = *read_file(MRCD_TESTS "/small.toml");

/** The text with @p from replaced; the text must have it. */
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

/** Racks of @p per_rack hosts each, with a number of planes and of T1s per plane. */
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
