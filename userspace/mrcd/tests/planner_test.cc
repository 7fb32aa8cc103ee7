// SPDX-License-Identifier: GPL-2.0-only
//
// What a host is to have, by hand for a small fabric and by rules for a large one.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "fabrics.h"
#include "plan/planner.h"

namespace mrcd::test::planner_test
{
namespace
{

/** "PORT SID" for each EV, with a "-" in front of denied EVs. */
std::vector<std::string> evs_of(const mrcnl::EvProfileSpec &spec)
{
    std::vector<std::string> lines;

    for (const mrcnl::EvSpec &ev : spec.evs)
        lines.push_back((ev.denied ? "-" : "") + std::to_string(ev.port) + " " +
                        std::get<mrcnl::EvVia>(ev.path).via.text());
    return lines;
}

std::vector<std::string> sorted(std::vector<std::string> lines)
{
    std::sort(lines.begin(), lines.end());
    return lines;
}

/** The profile of a rack. */
const mrcnl::EvProfileSpec &to(const Plan &plan, const char *rack)
{
    return plan.ev_profiles.at(hash_of_name(rack));
}

TEST(Planner, SmallFabric)
{
    const Plan plan = make_plan(fabric_of(small_file));

    EXPECT_EQ(plan.device, "mrc0");
    EXPECT_EQ(plan.gid.text(), "fd00:6d72:63::1");
    EXPECT_EQ(plan.gid_length, std::nullopt);
    EXPECT_EQ(plan.sid.text(), "fcbb:bb00:f001::");
    ASSERT_EQ(plan.ev_profiles.size(), 2u);
    EXPECT_EQ(evs_of(to(plan, "r1")),
              (std::vector<std::string>{"1 fcbb:bb00:101::", "2 fcbb:bb00:201::"}))
        << "inside the rack";
    EXPECT_EQ(sorted(evs_of(to(plan, "r2"))),
              (std::vector<std::string>{"-2 fcbb:bb00:201:281:202::", "-2 fcbb:bb00:201:282:202::",
                                        "1 fcbb:bb00:101:181:102::"}))
        << "a spine denied, a link denied, a link missing";

    ASSERT_EQ(plan.routes.size(), 2u);
    const auto gid = [](const char *text) { return *mrcnl::Prefix::parse(text); };
    EXPECT_EQ(plan.routes.at(gid("fd00:6d72:63::2")),
              (PlannedRoute{hash_of_name("r2"), 1, 0xf002}));
    EXPECT_EQ(plan.routes.at(gid("fd00:6d72:63::3")),
              (PlannedRoute{hash_of_name("r1"), 1, 0xf003}));
    EXPECT_EQ(plan.cc_profiles.at(1).window, 524288u);
    std::set<std::string> others;
    for (const mrcnl::Address &address : plan.others)
        others.insert(address.text());
    EXPECT_EQ(others, (std::set<std::string>{"fd00:6d72:63::2", "fd00:6d72:63::3",
                                             "fcbb:bb00:f002::", "fcbb:bb00:f003::"}));
}

/** min-active of the profiles of r1 and r2, which have 2 and 3 EVs, if the file says @p evs. */
std::pair<int, int> floors(const std::string &evs)
{
    const Plan plan = make_plan(
        fabric_of(with(small_file, "per-destination = 16\nmin-active = 3\nactive = 8\n", evs)));

    EXPECT_EQ(to(plan, "r1").evs.size(), 2u);
    EXPECT_EQ(to(plan, "r2").evs.size(), 3u);
    return {*to(plan, "r1").min_active, *to(plan, "r2").min_active};
}

/** If all EVs stayed in use, a dead plane would keep its share of the packets. */
TEST(Planner, TheFloorIsBelowTheEvsThatThereAre)
{
    using Floors = std::pair<int, int>;

    EXPECT_EQ(floors("per-destination = 16\nmin-active = 3\n"), Floors(0, 0));
    EXPECT_EQ(floors("per-destination = 16\nmin-active = 8\n"), Floors(1, 1));
    EXPECT_EQ(floors("per-destination = 16\nmin-active = 15\n"), Floors(1, 2));
    EXPECT_EQ(floors("per-destination = 16\nmin-active = 16\n"), Floors(2, 3)) << "asked for";
    EXPECT_EQ(floors("per-destination = 4\nmin-active = 0\n"), Floors(0, 0));
    EXPECT_EQ(floors(""), Floors(0, 0)) << "a quarter of those there are";
    const Plan large = make_plan(fabric_of(large_file(2, 2, 8, 32)));
    EXPECT_EQ(to(large, "r2").min_active, 32);
    EXPECT_EQ(to(large, "r1").min_active, 2);
}

/** EVs in rotation of the profiles of r1 and r2, which have 2 and 3 EVs. */
std::pair<int, int> rotations(const std::string &evs)
{
    const Plan plan = make_plan(fabric_of(with(small_file, "active = 8\n", evs)));

    return {*to(plan, "r1").active, *to(plan, "r2").active};
}

TEST(Planner, TheRotationIsInProportion)
{
    using Rotations = std::pair<int, int>;

    EXPECT_EQ(rotations("active = 8\n"), Rotations(1, 2));
    EXPECT_EQ(rotations("active = 1\n"), Rotations(1, 1)) << "rounded up";
    EXPECT_EQ(rotations("active = 16\n"), Rotations(2, 3));
    EXPECT_EQ(rotations("active = 0\n"), Rotations(0, 0)) << "all";
    EXPECT_EQ(rotations(""), Rotations(0, 0));
}

TEST(Planner, EachEvIsKnownByItsWay)
{
    const Fabric fabric = fabric_of(small_file);
    const Plan plan = make_plan(fabric);
    size_t evs = 0;

    for (const PlannedEv &ev : planned_evs(fabric)) {
        const mrcnl::EvSpec &spec = plan.ev_profiles.at(ev.profile).evs.at(ev.index);
        EXPECT_EQ(spec.port, ev.port);
        EXPECT_EQ(spec.denied, passes(ev.path, fabric.denied));
        evs++;
    }
    for (const auto &[id, spec] : plan.ev_profiles)
        evs -= spec.evs.size();
    EXPECT_EQ(evs, 0u) << "all of them";
}

TEST(Planner, GidsGiveTheAddressAPrefix)
{
    const std::string text =
        with(small_file, "planes = 2", "planes = 2\ngids = \"fd00:6d72:63::/48\"");

    EXPECT_EQ(make_plan(fabric_of(text)).gid_length, 48);
}

TEST(Planner, ADeniedT0TakesItsPlane)
{
    const Plan plan = make_plan(fabric_of(with(with(small_file, "[\"p2t1s1\"]", "[\"p1t0r1\"]"),
                                               "[[\"p2t0r2\", \"p2t1s2\"]]", "[]")));

    for (const auto &[id, spec] : plan.ev_profiles)
        for (const mrcnl::EvSpec &ev : spec.evs)
            EXPECT_EQ(ev.denied, ev.port == 1);
}

TEST(Planner, LargeFabric)
{
    const Plan plan = make_plan(fabric_of(large_file(64, 64, 8, 32)));

    EXPECT_EQ(plan.routes.size(), 4095u);
    ASSERT_EQ(plan.ev_profiles.size(), 64u);
    for (const auto &[id, spec] : plan.ev_profiles) {
        std::map<uint8_t, size_t> per_plane;
        std::vector<std::string> evs = sorted(evs_of(spec));
        for (const mrcnl::EvSpec &ev : spec.evs)
            per_plane[ev.port]++;
        EXPECT_EQ(std::adjacent_find(evs.begin(), evs.end()), evs.end()) << "a path twice";
        ASSERT_EQ(per_plane.size(), 8u);
        for (const auto &[port, count] : per_plane)
            EXPECT_EQ(count, id == hash_of_name("r1") ? 1u : 16u) << "every plane equally";
        EXPECT_LT(*spec.min_active, spec.evs.size());
    }
}

TEST(Planner, IdsAreThoseOfNames)
{
    const auto same = [](std::string_view) { return uint64_t{7}; };
    const auto none = [](std::string_view) { return uint64_t{0}; };
    using Ids = std::vector<uint64_t>;

    EXPECT_EQ(profile_ids({"r2", "r1"}), (Ids{hash_of_name("r2"), hash_of_name("r1")}));
    EXPECT_LT(hash_of_name("r1"), uint64_t{1} << 53) << "JSON's numbers";
    EXPECT_EQ(profile_ids({"c", "a", "b"}, same), (Ids{9, 7, 8})) << "in the order of names";
    EXPECT_EQ(profile_ids({"b", "a"}, none), (Ids{2, 1}));
}

/** Each host draws other T1s. */
TEST(Planner, HostsDoNotMarchInStepAndDrawTheSameEachTime)
{
    const std::string file = large_file(2, 8, 2, 32);
    std::set<std::vector<std::string>> drawn;

    for (int host = 0; host < 8; host++) {
        const std::string own =
            with(file, "host = \"h0\"", "host = \"h" + std::to_string(host) + "\"") +
            "[evs]\nper-destination = 16\n";
        const Plan once = make_plan(fabric_of(own));
        const Plan again = make_plan(fabric_of(own));
        EXPECT_EQ(evs_of(to(once, "r2")), evs_of(to(again, "r2")));
        drawn.insert(sorted(evs_of(to(once, "r2"))));
    }
    EXPECT_EQ(drawn.size(), 8u);
}

/** The EVs in @p a that are not in @p b. */
std::vector<std::string> lost(const mrcnl::EvProfileSpec &a, const mrcnl::EvProfileSpec &b)
{
    const std::vector<std::string> x = sorted(evs_of(a)), y = sorted(evs_of(b));
    std::vector<std::string> only;

    std::set_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(only));
    return only;
}

/** Otherwise QPs would get other paths to all racks. */
TEST(Planner, OneSpineMoreOrLessChangesAsLittleAsItCan)
{
    const std::string file = large_file(8, 1, 2, 128);
    const Plan few = make_plan(fabric_of(file));
    const Plan more =
        make_plan(fabric_of(with(file, "[hosts]", "a = { plane = 1, usid = 0xe000 }\n[hosts]")));
    size_t by_it = 0;

    for (const auto &[id, spec] : few.ev_profiles) {
        const mrcnl::EvProfileSpec &other = more.ev_profiles.at(id);
        const std::vector<std::string> fresh = lost(other, spec);
        EXPECT_EQ(other.evs.size(), spec.evs.size());
        EXPECT_LE(lost(spec, other).size(), 1u) << "the one that it replaces";
        for (const std::string &ev : fresh)
            EXPECT_NE(ev.find(":e000:"), std::string::npos) << ev;
        by_it += fresh.size();
    }
    EXPECT_GT(by_it, 0u) << "to half of the racks, more or less";
}

/** No T1 is drawn more often than another. */
TEST(Planner, SpinesAreDrawnEvenly)
{
    std::map<int, int> drawn; ///< by uSID
    const std::string file = large_file(64, 4, 1, 8) + "[evs]\nper-destination = 2\n";

    for (int host = 0; host < 256; host += 16)
        for (const auto &[id, spec] :
             make_plan(
                 fabric_of(with(file, "host = \"h0\"", "host = \"h" + std::to_string(host) + "\"")))
                 .ev_profiles)
            for (const mrcnl::EvSpec &ev : spec.evs)
                if (spec.evs.size() == 2)
                    drawn[std::get<mrcnl::EvVia>(ev.path).via.bytes[7]]++;
    ASSERT_EQ(drawn.size(), 8u);
    for (const auto &[spine, count] : drawn)
        EXPECT_NEAR(count, 252, 60) << spine;
}

/** The draw for a rack does not depend on other racks. */
TEST(Planner, ANewRackChangesNothingForTheOthers)
{
    const Plan before = make_plan(fabric_of(small_file));
    const Plan after = make_plan(fabric_of(with(
        with(small_file, "[t1]",
             "p1t0r0 = { plane = 1, rack = \"r0\", usid = 0x0110 }\n"
             "p2t0r0 = { plane = 2, rack = \"r0\", usid = 0x0210 }\n[t1]"),
        "[links]", "h0 = { rack = \"r0\", usid = 0xf010, gid = \"fd00:6d72:63::10\" }\n[links]")));

    EXPECT_EQ(after.ev_profiles.size(), 3u);
    for (const auto &[id, spec] : before.ev_profiles)
        EXPECT_EQ(evs_of(spec), evs_of(after.ev_profiles.at(id)));
    for (const auto &[prefix, route] : before.routes)
        EXPECT_EQ(route, after.routes.at(prefix));
}

TEST(Planner, Carriers)
{
    const mrcnl::Address block = *mrcnl::Address::parse("fcbb:bb00::");

    EXPECT_EQ(carrier(block, {}).text(), "fcbb:bb00::");
    EXPECT_EQ(carrier(block, {0x101, 0x181, 0x102, 0xf002}).text(), "fcbb:bb00:101:181:102:f002::");
    EXPECT_EQ(carrier(block, {1, 2, 3, 4, 5, 6}).text(), "fcbb:bb00:1:2:3:4:5:6");
}

} // namespace
} // namespace mrcd::test::planner_test
