// SPDX-License-Identifier: GPL-2.0-only

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plan/plan_output.h"

namespace mrcd::test::plan_output_test
{
namespace
{

std::string printed(const std::vector<Step> &steps, bool json)
{
    std::ostringstream out;

    print_steps(out, steps, json);
    return out.str();
}

TEST(PlanOutput, TextAndJson)
{
    const std::vector<Step> steps = {{Step::Kind::add, "route", "fd00::2/128"},
                                     {Step::Kind::remove, "ev-profile", "7"},
                                     {Step::Kind::wait, "netdev", "eth3"},
                                     {Step::Kind::conflict, "device", "mrc0 is on netdev eth1"}};

    EXPECT_EQ(printed(steps, false), "+ route fd00::2/128\n"
                                     "- ev-profile 7\n"
                                     "! waits for netdev eth3\n"
                                     "! device mrc0 is on netdev eth1\n");
    const auto json = nlohmann::json::parse(printed(steps, true));
    ASSERT_EQ(json.size(), 4u);
    EXPECT_EQ(json[0]["change"], "add");
    EXPECT_EQ(json[2]["change"], "wait");
    EXPECT_EQ(json[2]["object"], "netdev");
    EXPECT_EQ(json[2]["what"], "eth3");
    EXPECT_EQ(json[3]["change"], "conflict");
    EXPECT_EQ(printed({}, true), "[]\n");
}

/** Names of netdevs may be any bytes. */
TEST(PlanOutput, NamesNeedNotBeText)
{
    const std::string text = printed({{Step::Kind::remove, "plane", "port 3 netdev \xff"}}, true);

    EXPECT_EQ(nlohmann::json::parse(text)[0]["what"], "port 3 netdev \xef\xbf\xbd");
}

} // namespace
} // namespace mrcd::test::plan_output_test
