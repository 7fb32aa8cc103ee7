// SPDX-License-Identifier: GPL-2.0-only
//
// What one mrcd tells another one of what it denies.

#include <gtest/gtest.h>

#include "fabrics.h"
#include "watch/found.h"

namespace mrcd::test::found_test
{
namespace
{

TEST(Found, IsReadAsItWasWritten)
{
    const Fabric fabric = fabric_of(small_file);

    for (const Found &found : {Found{}, Found{true, {{0}, {1, 2}, {{3, 3}, {0, 0}}}}})
        EXPECT_EQ(read_found(to_json(found, fabric), fabric), found);
    EXPECT_EQ(to_json(Found{true, {{0}, {1}, {{3, 2}}}}, fabric),
              R"({"known":true,"t0":["p1t0r1"],"t1":["p1t1s2"],"link":[["p2t0r2","p2t1s1"]]})");
}

/** The file of the running mrcd may be older than ours. */
TEST(Found, GoesByNames)
{
    const Fabric was = fabric_of(small_file);
    const Fabric is =
        fabric_of(with(with(small_file, "[t1]\n", "[t1]\nnew = { plane = 1, usid = 7 }\n"),
                       "p1t1s1 = {", "other = {"));
    const Found found{true, {{1}, {0, 1}, {{0, 0}, {3, 3}}}};

    EXPECT_EQ(read_found(to_json(found, was), is), (Found{true, {{1}, {2}, {{3, 4}}}}));
}

TEST(Found, NonsenseIsNothing)
{
    const Fabric fabric = fabric_of(small_file);

    for (const char *text : {"", "mrcd: no such request", "{}", "[]", "7", R"({"known":true})",
                             R"({"known":1,"t0":[],"t1":[],"link":[]})",
                             R"({"known":true,"t0":[],"t1":[],"link":[7]})",
                             R"({"known":true,"t0":[],"t1":[],"link":[["p1t0r1"]]})"})
        EXPECT_EQ(read_found(text, fabric), std::nullopt) << text;
    EXPECT_EQ(read_found(R"({"known":true,"t0":[7,[],"x"],"t1":{},"link":[[1,2]]})", fabric),
              (Found{true, {}}));
}

} // namespace
} // namespace mrcd::test::found_test
