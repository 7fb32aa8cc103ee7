// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"

#include <sstream>

#include <gtest/gtest.h>

#include "terminal.h"

namespace mrcctl::table_test
{
namespace
{

std::string print(const Table &table, size_t width, PrintOptions options = {})
{
    std::ostringstream out;
    Printer p(out, options);

    table.print(p, width);
    return out.str();
}

Table sample()
{
    Table table({{"DEV", true},
                 {"PEER", true, 0, Cut::begin},
                 {"TX/s", false, 6},
                 {"EVS", true, 0, Cut::end}});

    table.add({{"mrc0", Color::name}, {"fd00:1:2:3::4"}, {"12"}, {"1:16 2:12/16"}});
    table.add({{"mrc10"}, {"fd00::5"}, {"1.23k"}, {"-"}});
    return table;
}

TEST(Table, Aligns)
{
    EXPECT_EQ(print(sample(), 0), "DEV   PEER            TX/s EVS\n"
                                  "mrc0  fd00:1:2:3::4     12 1:16 2:12/16\n"
                                  "mrc10 fd00::5        1.23k -\n");
    EXPECT_EQ(print(sample(), 200), print(sample(), 0));
}

TEST(Table, CutsFromTheRight)
{
    EXPECT_EQ(print(sample(), 36), "DEV   PEER            TX/s EVS\n"
                                   "mrc0  fd00:1:2:3::4     12 1:16 2:1+\n"
                                   "mrc10 fd00::5        1.23k -\n");
    EXPECT_EQ(print(sample(), 30), "DEV   PEER       TX/s EVS\n"
                                   "mrc0  +:2:3::4     12 1:16 2:+\n"
                                   "mrc10 fd00::5   1.23k -\n");
}

TEST(Table, NoLineIsEverTooLong)
{
    for (size_t width = 1; width < 60; width++) {
        std::istringstream lines(print(sample(), width));

        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), width) << line;
    }
}

TEST(Table, WithoutRowsIsNothing)
{
    EXPECT_EQ(print(Table({{"DEV"}}), 0), "");
}

TEST(Table, ColorsCells)
{
    EXPECT_NE(print(sample(), 0, {.color = true}).find("\033[1;36mmrc0 \033[0m"),
              std::string::npos);
}

TEST(Terminal, RedrawsLineByLine)
{
    EXPECT_EQ(redraw("one\ntwo\n", {24, 80}), "\033[H\033[Kone\n\033[Ktwo\n\033[J");
}

TEST(Terminal, LeavesOutWhatIsTooLow)
{
    EXPECT_EQ(redraw("one\ntwo\nthree\n", {3, 80}), redraw("one\ntwo\n", {24, 80}));
    EXPECT_EQ(redraw("one\n", {0, 0}), "\033[H\033[J");
}

} // namespace
} // namespace mrcctl::table_test
