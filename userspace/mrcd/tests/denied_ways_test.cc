// SPDX-License-Identifier: GPL-2.0-only

#include "plan/denied_ways.h"

#include <gtest/gtest.h>

#include "fabrics.h"
#include "plan/planner.h"

namespace mrcd::test::denied_ways_test
{
namespace
{

/** The denial of an EV in the plan also follows from its address. */
TEST(DeniedWays, AgreeWithThePlan)
{
    for (const std::string &file : {small_file, large_file(3, 2, 4, 5)}) {
        const Fabric clean = fabric_of(file);
        for (uint32_t t1 = 0; t1 < clean.t1.size(); t1++) {
            Fabric fabric = clean;
            fabric.denied.add({{t1 % 2}, {t1}, {{0, t1}, {2, (t1 + 1) % 4}}});
            const DeniedWays ways(fabric);
            for (const auto &[id, profile] : make_plan(fabric).ev_profiles)
                for (const mrcnl::EvSpec &ev : profile.evs)
                    EXPECT_EQ(ways.denies(ev.port, std::get<mrcnl::EvVia>(ev.path).via), ev.denied);
        }
    }
}

TEST(DeniedWays, OfWhatTheFabricDoesNotHaveTheyKnowNothing)
{
    Fabric fabric = fabric_of(small_file);
    const auto asks = [&](uint8_t port, const char *via) {
        return DeniedWays(fabric).denies(port, *mrcnl::Address::parse(via));
    };

    EXPECT_EQ(asks(1, "fcbb:bb00:101::"), false);
    EXPECT_EQ(asks(1, "fcbb:bb00:101:181:102::"), false);
    EXPECT_EQ(asks(1, "fcbb:bb00:101:181:199::"), std::nullopt) << "a rack that has gone";
    EXPECT_EQ(asks(1, "fcbb:bb00:101:199:102::"), std::nullopt) << "a T1 that has gone";
    EXPECT_EQ(asks(2, "fcbb:bb00:101:181:102::"), std::nullopt) << "of another plane";
    EXPECT_EQ(asks(1, "fcbb:bb01:101:181:102::"), std::nullopt) << "another block";
    for (const char *odd : {"::", "fcbb:bb00::", "fcbb:bb00:101:181::",
                            "fcbb:bb00:101:181:102:181::", "fcbb:bb00:101:181:102:181:101:1"})
        EXPECT_EQ(asks(1, odd), std::nullopt) << odd;
    fabric.denied.t1 = {0};
    EXPECT_EQ(asks(1, "fcbb:bb00:101:181:199::"), true) << "to whatever rack";
    fabric.denied = {{0}, {}, {}};
    EXPECT_EQ(asks(1, "fcbb:bb00:101:199:102::"), true) << "by whatever T1";
}

} // namespace
} // namespace mrcd::test::denied_ways_test
