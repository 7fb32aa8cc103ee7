// SPDX-License-Identifier: GPL-2.0-only

#include "report/names.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fabrics.h"
#include "plan/planner.h"

namespace mrcd::test::names_test
{
namespace
{

using Json = nlohmann::json;

TEST(Names, AreThoseOfTheFile)
{
    const Json json = Json::parse(names_json(fabric_of(small_file)));

    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["block"], "fcbb:bb00::");
    EXPECT_EQ(json["ev-profile"], (Json{{std::to_string(hash_of_name("r1")), "r1"},
                                        {std::to_string(hash_of_name("r2")), "r2"}}));
    EXPECT_EQ(json["host"].size(), 3u);
    EXPECT_EQ(json["host"]["fd00:6d72:63::2"], "h2");
    EXPECT_EQ(json["switch"].size(), 8u);
    EXPECT_EQ(json["switch"]["257"], "p1t0r1");
    EXPECT_EQ(json["switch"]["642"], "p2t1s2");
}

} // namespace
} // namespace mrcd::test::names_test
