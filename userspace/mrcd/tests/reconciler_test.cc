// SPDX-License-Identifier: GPL-2.0-only
//
// From whatever the kernel has to the plan, whatever fails on the way, and without touching
// what is as it should be.

#include <algorithm>
#include <future>
#include <random>

#include <gtest/gtest.h>

#include "fabrics.h"
#include "model_kernel.h"
#include "plan/reconciler.h"

namespace mrcd::test::reconciler_test
{
namespace
{

std::vector<std::string> steps(Model &model, const Plan &plan)
{
    const auto state = read_state(model.target, plan);
    std::vector<std::string> lines;

    EXPECT_TRUE(state);
    for (const Step &step : difference(*state, plan, model.system))
        lines.push_back(to_string(step));
    return lines;
}

Outcome attempt(Model &model, const Plan &plan)
{
    PlanVersion version;

    return converge(model.target, plan, version, version.number, [](const Step &) {});
}

/** Runs one attempt, and another one if the device is new. */
Outcome run(Model &model, const Plan &plan)
{
    Outcome outcome = attempt(model, plan);

    return outcome.cut ? attempt(model, plan) : outcome;
}

Plan plan_of(const std::string &text)
{
    return make_plan(fabric_of(text));
}

// Profiles to the racks of the small file.
const uint64_t id1 = hash_of_name("r1");
const uint64_t id2 = hash_of_name("r2");
const std::string r1 = std::to_string(id1);
const std::string r2 = std::to_string(id2);

using Lines = std::vector<std::string>;

size_t allowed(const EvProfileSpec &spec)
{
    return static_cast<size_t>(std::count_if(spec.evs.begin(), spec.evs.end(),
                                             [](const EvSpec &ev) { return !ev.denied; }));
}

constexpr uint8_t another = 16; // number of another controller

/** mrcd leaves alone the objects of another controller, even if they are in the way of its plan. */
TEST(Reconciler, WhatIsAnothersStays)
{
    Model model;
    const Plan plan = plan_of(small_file);
    const Prefix at = *Prefix::parse("fd00:6d72:63::2/128");

    run(model, plan);
    model.kernel.profiles[7] = {{.id = 7, .evs = model.kernel.profiles[id2].spec.evs}, 0, another};
    model.kernel.profiles[id2].spec.evs.pop_back();
    model.kernel.profiles[id2].owner = another;
    ++*model.kernel.cc[1].window;
    model.kernel.cc[1].owner = another;
    model.kernel.cc[2] = {{}, 2, "none", 8192, another};
    model.kernel.route_map[at].usid = 1;
    model.kernel.route_map[at].owner = another;
    model.kernel.route_map[*Prefix::parse("fd00:9::/64")] = {
        {}, *Prefix::parse("fd00:9::/64"), 7, 2, 0, another};
    model.kernel.plane_ifindex = {{1, 2}, {9, 1}};
    model.kernel.plane_owner = {{1, another}, {9, another}};
    const std::string left = " is not as planned, and its owner is 16";
    EXPECT_EQ(steps(model, plan),
              (Lines{"! plane port 1 netdev eth2" + left, "! cc-profile 1" + left,
                     "! ev-profile " + r2 + left, "! route " + at.text() + left}))
        << "port 1 has what port 2 is to have: neither is touched";
    const int changes = model.kernel.changes;
    EXPECT_FALSE(run(model, plan).converged());
    EXPECT_EQ(model.kernel.changes, changes);
}

/**
 * The kernel would refuse to delete the profile, and the refusal would stop all other deletions.
 */
TEST(Reconciler, ProfilesThatRoutesOfOthersNameStay)
{
    Model model;
    const Plan plan = plan_of(small_file);
    const Prefix elsewhere = *Prefix::parse("fd00:9::/64");

    run(model, plan);
    for (const uint64_t id : {98, 99}) {
        model.kernel.profiles[id] = model.kernel.profiles[id2];
        model.kernel.profiles[id].spec.id = id;
        model.kernel.cc[id] = {{}, id, "none", 8192, MRC_NL_OWNER_MRCD};
    }
    model.kernel.route_map[elsewhere] = {{}, elsewhere, 99, 99, 0, another};
    EXPECT_EQ(steps(model, plan), (Lines{"- ev-profile 98", "- cc-profile 98"}));
    EXPECT_TRUE(run(model, plan).converged());
    model.kernel.route_map[elsewhere].owner = MRC_NL_OWNER_NONE;
    EXPECT_EQ(steps(model, plan), Lines());
    model.kernel.route_map.erase(elsewhere);
    EXPECT_EQ(steps(model, plan), (Lines{"- ev-profile 99", "- cc-profile 99"}));
}

TEST(Reconciler, ProfilesAreCalledWhatTheyWereCalled)
{
    Model model;
    const Plan plan = plan_of(small_file);

    run(model, plan);
    model.kernel.profiles[id2].spec.alias = "left";
    model.kernel.cc[1].alias = "wide";
    EXPECT_EQ(steps(model, plan), Lines());
    model.kernel.profiles[id2].spec.evs.pop_back();
    ++*model.kernel.cc[1].window;
    EXPECT_TRUE(run(model, plan).converged());
    EXPECT_EQ(model.kernel.profiles[id2].spec.alias, "left");
    EXPECT_EQ(model.kernel.cc[1].alias, "wide");
}

/** The conflict lasts as long as the other controller wants. */
TEST(Reconciler, WhatIsAnothersKeepsNothingElseFromGoing)
{
    Model model;
    const Plan plan = plan_of(small_file);

    run(model, plan);
    ++*model.kernel.cc[1].window;
    model.kernel.cc[1].owner = another;
    model.kernel.profiles[98] = model.kernel.profiles[id2];
    model.kernel.profiles[98].spec.id = 98;
    EXPECT_FALSE(run(model, plan).converged());
    EXPECT_FALSE(model.kernel.profiles.contains(98));
}

/** Objects from before owners existed have no owner. mrcd takes them over. */
TEST(Reconciler, TakesOverWhatIsNobodys)
{
    Model model;
    const Plan plan = plan_of(small_file);
    const Prefix elsewhere = *Prefix::parse("fd00:9::/64");

    model.kernel.acting.reset();
    run(model, plan);
    model.kernel.route_map[elsewhere] = {{}, elsewhere, 0, 0, 0, MRC_NL_OWNER_NONE};
    model.kernel.acting = MRC_NL_OWNER_MRCD;
    EXPECT_TRUE(run(model, plan).converged());
    EXPECT_EQ(steps(model, plan), Lines());
    for (const auto &[port, owner] : model.kernel.plane_owner)
        EXPECT_EQ(owner, MRC_NL_OWNER_MRCD) << +port;
    for (const auto &[id, profile] : model.kernel.profiles)
        EXPECT_EQ(profile.owner, MRC_NL_OWNER_MRCD) << id;
    for (const auto &[prefix, route] : model.kernel.route_map)
        EXPECT_EQ(route.owner, prefix == elsewhere ? MRC_NL_OWNER_NONE : MRC_NL_OWNER_MRCD)
            << prefix.text() << ": what is not planned stays";
}

/** An older module has no owners: mrcd manages all objects, as before. */
TEST(Reconciler, WithoutOwnersAllIsItsOwn)
{
    Model model;
    const Plan plan = plan_of(small_file);

    run(model, plan);
    model.kernel.plane_owner.clear();
    for (auto &[id, profile] : model.kernel.profiles)
        profile.owner.reset();
    for (auto &[id, profile] : model.kernel.cc)
        profile.owner.reset();
    for (auto &[prefix, route] : model.kernel.route_map)
        route.owner.reset();
    EXPECT_EQ(steps(model, plan), Lines());
    model.kernel.plane_ifindex[7] = 4;
    model.kernel.cc[2] = {{}, 2, "none", 8192, {}};
    EXPECT_EQ(steps(model, plan), (Lines{"- cc-profile 2", "- plane port 7 netdev eth4"}));
}

/** The anchor's plane, which the module made. */
TEST(Reconciler, ThePlaneThatCameWithTheDeviceGoes)
{
    Model model;

    model.system.anchor_is_plane = true;
    EXPECT_TRUE(run(model, plan_of(small_file)).converged());
    for (const auto &[port, ifindex] : model.kernel.plane_ifindex)
        EXPECT_NE(ifindex, model.kernel.anchor) << +port;
}

/** Another thread has a new plan, and may have denied EVs that the old plan allows. */
TEST(Reconciler, APlanThatIsNoneAnyMoreIsNotFollowed)
{
    Model model;
    const Plan plan = plan_of(small_file);
    PlanVersion version;
    int steps = 0;

    run(model, plan);
    model.kernel.route_map.clear();
    const Outcome outcome =
        converge(model.target, plan, version, version.number, [&](const Step &) {
            steps++;
            version.number++;
        });
    EXPECT_EQ(steps, 1);
    EXPECT_TRUE(outcome.cut);
    EXPECT_EQ(outcome.done.size(), 1u);
    EXPECT_EQ(model.kernel.route_map.size(), 1u);
}

size_t denied(const ModelKernel &kernel)
{
    size_t count = 0;

    for (const auto &[id, profile] : kernel.profiles)
        for (const mrcnl::EvSpec &ev : profile.spec.evs)
            count += ev.denied;
    return count;
}

/** The kernel may still have the profiles of an older file. */
TEST(Reconciler, DeniesAtOnceWhatThePlanDeniesAndNothingElse)
{
    Model model;
    Fabric fabric = fabric_of(small_file);

    run(model, make_plan(fabric));
    const size_t by_file = denied(model.kernel);
    fabric.denied.t0.insert(0);
    const Plan plan = make_plan(fabric);
    for (auto &[id, profile] : model.kernel.profiles)
        std::reverse(profile.spec.evs.begin(), profile.spec.evs.end());
    model.kernel.route_map.clear();
    const EvChange change = deny_evs(model.kernel, plan);
    size_t changed = 0;
    for (const auto &[id, indices] : change.denied) {
        changed += indices.size();
        for (const uint16_t index : indices)
            EXPECT_EQ(model.kernel.profiles.at(id).spec.evs[index].port, fabric.t0[0].plane);
    }
    EXPECT_GT(changed, 0u);
    EXPECT_EQ(denied(model.kernel), by_file + changed);
    EXPECT_TRUE(deny_evs(model.kernel, plan).empty()) << "once";
    EXPECT_TRUE(model.kernel.route_map.empty());
    EXPECT_TRUE(deny_evs(model.kernel, plan_of(small_file)).empty()) << "and allows nothing";
    EXPECT_EQ(denied(model.kernel), by_file + changed);
    for (auto &[id, profile] : model.kernel.profiles)
        profile.owner = another;
    fabric.denied.t0.insert(1);
    EXPECT_TRUE(deny_evs(model.kernel, make_plan(fabric)).empty()) << "nor what is another's";
    EXPECT_EQ(denied(model.kernel), by_file + changed);
}

/** Old QPs still use a profile that has left the plan. Its EVs must also be denied at once. */
TEST(Reconciler, DeniesAtOnceTheEvsOfProfilesThatLeftThePlan)
{
    const std::string h2 = "h2 = { rack = \"r2\", usid = 0xf002, gid = \"fd00:6d72:63::2\" }\n";
    Fabric fabric = fabric_of(with(small_file, h2, ""));
    Model model;

    run(model, plan_of(small_file));
    model.kernel.peer_profiles = {id2};
    run(model, make_plan(fabric));
    fabric.denied.t0.insert(0);
    const EvChange change = deny_evs(model.kernel, make_plan(fabric));
    ASSERT_EQ(change.denied.at(id2).size(), 1u) << "the others are denied by the file";
    const EvSpec &ev = model.kernel.profiles.at(id2).spec.evs[change.denied.at(id2)[0]];
    EXPECT_TRUE(ev.denied);
    EXPECT_EQ(ev.port, fabric.t0[0].plane);
}

/** A denial is logged as done, so a refused one must not be reported. */
TEST(Reconciler, ADenialThatIsRefusedIsToldByNobody)
{
    Model model;
    Fabric fabric = fabric_of(small_file);

    run(model, make_plan(fabric));
    fabric.denied.t0.insert(0);
    model.kernel.fails = [] { return true; };
    EXPECT_TRUE(deny_evs(model.kernel, make_plan(fabric)).empty());
}

/**
 * Otherwise the old plan could allow an EV that the new plan has just denied. Other steps are too
 * slow to wait for.
 */
TEST(Reconciler, WhoMakesAnotherPlanWaitsForEvsOnly)
{
    Model model;
    const Plan plan = plan_of(small_file);
    PlanVersion version;
    std::vector<bool> waits;
    const auto steps = [&] {
        waits.clear();
        converge(model.target, plan, version, version.number, [](const Step &) {});
        return waits;
    };

    run(model, plan);
    model.kernel.fails = [&] {
        waits.push_back(!std::async(std::launch::async, [&] {
                             return std::unique_lock(version.mutex, std::try_to_lock).owns_lock();
                         }).get());
        return false;
    };
    for (EvSpec &ev : model.kernel.profiles.at(id2).spec.evs)
        ev.denied = !ev.denied;
    EXPECT_EQ(steps(), std::vector(3, true));
    model.kernel.profiles.erase(id2);
    EXPECT_EQ(steps(), std::vector(1, true));
    model.kernel.route_map.clear();
    EXPECT_EQ(steps(), std::vector(2, false));
}

TEST(Reconciler, FromNothing)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    const Plan plan = plan_of(small_file);
    const Lines profiles = id1 < id2 ? Lines{r1, " of 2 EVs", r2, " of 3 EVs"}
                                     : Lines{r2, " of 3 EVs", r1, " of 2 EVs"};

    EXPECT_EQ(
        steps(model, plan),
        (Lines{"+ address fd00:6d72:63::1/128 netdev mrc",
               "+ address fcbb:bb00:f001::/128 netdev mrc", "+ device mrc0 netdev mrc",
               "~ device tunnel-source fcbb:bb00:f001::", "+ plane port 1 netdev eth1",
               "+ plane port 2 netdev eth2", "+ cc-profile 1 algorithm none window 524288",
               "+ ev-profile " + profiles[0] + profiles[1],
               "+ ev-profile " + profiles[2] + profiles[3],
               "+ route fd00:6d72:63::2/128 ev-profile " + r2 + " cc-profile 1 usid 0xf002",
               "+ route fd00:6d72:63::3/128 ev-profile " + r1 + " cc-profile 1 usid 0xf003"}));
    const Outcome first = attempt(model, plan);
    EXPECT_EQ(first.done.size(), 3u) << "what a new device has is to be read";
    EXPECT_TRUE(first.cut);
    EXPECT_FALSE(first.converged());
    const Outcome outcome = run(model, plan);
    EXPECT_TRUE(outcome.converged());
    EXPECT_EQ(outcome.done.size(), 8u);
    EXPECT_TRUE(steps(model, plan).empty()) << "once is enough";
    EXPECT_EQ(kernel.route_map.size(), 2u);
}

/** The anchor's netdev becomes a plane at once. */
TEST(Reconciler, AnAnchorThatIsAPlane)
{
    Model model;
    const Plan plan = plan_of(with(small_file, "anchor = \"mrc\"", "anchor = \"eth1\""));

    model.system.anchor_is_plane = true;
    EXPECT_TRUE(run(model, plan).converged());
    EXPECT_EQ(model.kernel.plane_ifindex, (std::map<uint8_t, uint32_t>{{1, 1}, {2, 2}}));
}

TEST(Reconciler, DenialsLeaveTheOtherEvsAlone)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    run(model, plan_of(small_file));
    const int version = kernel.profiles.at(id2).version;
    const Plan allowed = plan_of(with(small_file, "switches = [\"p2t1s1\"]\n", ""));

    EXPECT_EQ(steps(model, allowed).size(), 1u);
    EXPECT_TRUE(steps(model, allowed)[0].starts_with("~ ev profile " + r2 + " index "));
    EXPECT_TRUE(run(model, allowed).converged());
    EXPECT_EQ(kernel.profiles.at(id2).version, version);
}

/** A setting that the plan leaves out has the kernel's default, and causes no step. */
TEST(Reconciler, ACcProfileOfNscc)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    const std::string nscc = with(small_file, "\"none\"\nwindow = 524288\n",
                                  "\"nscc\"\nrate = \"100gbit\"\ntrimming = true\n");
    run(model, plan_of(small_file));

    EXPECT_EQ(
        steps(model, plan_of(nscc)),
        (Lines{"~ cc-profile 1 algorithm nscc rate 100gbit gamma 0.8 max-md-jump 0.5 qa-gate 3 "
               "quick-adapt on trimming on ecn present scope peer"}));
    EXPECT_TRUE(run(model, plan_of(nscc)).converged());
    EXPECT_EQ(kernel.cc.at(1).owner, MRC_NL_OWNER_MRCD);
    EXPECT_FALSE(kernel.cc.at(1).window);
    EXPECT_EQ(steps(model, plan_of(nscc)), Lines());

    kernel.cc[1].settings.gamma = 100'000;
    EXPECT_EQ(steps(model, plan_of(nscc)).size(), 1u) << "somebody has changed it";
    EXPECT_TRUE(run(model, plan_of(with(nscc, "true", "false"))).converged());
    EXPECT_EQ(kernel.cc.at(1).settings.trimming, false);
    EXPECT_EQ(kernel.cc.at(1).settings.gamma, 800'000u);
    EXPECT_TRUE(run(model, plan_of(small_file)).converged());
    EXPECT_EQ(kernel.cc.at(1).algorithm, "none");
}

TEST(Reconciler, WhatIsLeftOverGoesBehindTheRest)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    run(model, plan_of(small_file));
    std::string text =
        with(small_file, "h3 = { rack = \"r1\", usid = 0xf003, gid = \"fd00:6d72:63::3\" }\n", "");
    text = with(text, "window = 524288", "window = 65536");

    EXPECT_EQ(steps(model, plan_of(text)),
              (std::vector<std::string>{"~ cc-profile 1 algorithm none window 65536",
                                        "- route fd00:6d72:63::3/128", "- ev-profile " + r1}));
    EXPECT_TRUE(run(model, plan_of(text)).converged());
    EXPECT_FALSE(kernel.profiles.contains(id1));
}

/** QPs of a peer keep using a profile without routes. */
TEST(Reconciler, AProfileThatIsUsedStays)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    run(model, plan_of(small_file));
    const Plan plan = plan_of(
        with(small_file, "h3 = { rack = \"r1\", usid = 0xf003, gid = \"fd00:6d72:63::3\" }\n", ""));

    kernel.peer_profiles = {id1};
    EXPECT_TRUE(run(model, plan).converged());
    EXPECT_TRUE(kernel.profiles.contains(id1));
    EXPECT_EQ(steps(model, plan), Lines()) << "nothing is left to do";
    kernel.peer_profiles.clear();
    EXPECT_EQ(steps(model, plan), Lines{"- ev-profile " + r1});
}

TEST(Reconciler, PlanesFollowTheirNetdevs)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    const Plan plan = plan_of(small_file);

    model.system.netdevs.erase("eth2");
    const Outcome outcome = run(model, plan);
    EXPECT_FALSE(outcome.converged());
    EXPECT_TRUE(outcome.refusals.empty());
    EXPECT_EQ(outcome.waits, Lines{"eth2"});
    EXPECT_EQ(steps(model, plan), Lines{"! waits for netdev eth2"});
    EXPECT_EQ(kernel.plane_ifindex, (std::map<uint8_t, uint32_t>{{1, 1}}));
    model.system.netdevs["eth2"] = 2;
    EXPECT_TRUE(run(model, plan).converged());
    EXPECT_EQ(kernel.plane_ifindex, (std::map<uint8_t, uint32_t>{{1, 1}, {2, 2}}));

    const Plan swapped = plan_of(with(small_file, "\"eth1\", \"eth2\"", "\"eth2\", \"eth1\""));
    EXPECT_EQ(steps(model, swapped).size(), 4u);
    EXPECT_TRUE(run(model, swapped).converged());
    EXPECT_EQ(kernel.plane_ifindex, (std::map<uint8_t, uint32_t>{{1, 2}, {2, 1}}));

    kernel.plane_ifindex[7] = 3;
    EXPECT_EQ(steps(model, swapped), Lines{"- plane port 7 netdev eth3"});
    EXPECT_EQ(steps(model, plan_of(with(small_file, "\"eth1\", \"eth2\"", "\"eth2\", \"eth3\""))),
              (Lines{"- plane port 2 netdev eth1", "- plane port 7 netdev eth3",
                     "+ plane port 2 netdev eth3"}));
}

/** Netdevs have several names; the kernel gives one of them. */
TEST(Reconciler, ANetdevByAnotherNameIsTheSame)
{
    Model model;
    const Plan plan = plan_of(with(small_file, "\"eth2\"", "\"rail2\""));

    model.system.netdevs["rail2"] = 2;
    EXPECT_TRUE(run(model, plan).converged());
    EXPECT_EQ(steps(model, plan), Lines());

    const Plan twice = plan_of(with(small_file, "\"eth1\"", "\"rail2\""));
    EXPECT_EQ(steps(model, twice), Lines{"! plane port 2 netdev eth2 is already used by port 1"});
    EXPECT_EQ(run(model, twice).refusals.size(), 1u);
}

TEST(Reconciler, SaysWhatWasRefused)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    const Plan plan = plan_of(small_file);
    kernel.fails = [n = 0]() mutable { return ++n == (id1 < id2 ? 9 : 8); };
    const Outcome outcome = run(model, plan);

    ASSERT_EQ(outcome.refusals.size(), 2u);
    EXPECT_EQ(outcome.refusals[0].step, "+ ev-profile " + r2 + " of 3 EVs");
    EXPECT_EQ(outcome.refusals[0].error.code, ENOMEM);
    EXPECT_EQ(outcome.refusals[1].step,
              "+ route fd00:6d72:63::2/128 ev-profile " + r2 + " cc-profile 1 usid 0xf002")
        << "it has no profile to name";
}

TEST(Reconciler, NothingIsTakenAwayBehindARefusal)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    run(model, plan_of(small_file));
    std::string text =
        with(small_file, "h3 = { rack = \"r1\", usid = 0xf003, gid = \"fd00:6d72:63::3\" }\n", "");
    text = with(text, "window = 524288", "window = 65536");
    kernel.plane_ifindex[7] = 3;
    kernel.fails = [n = 0]() mutable { return ++n == 1; };

    const Outcome outcome = run(model, plan_of(text));
    EXPECT_EQ(outcome.refusals.size(), 1u);
    EXPECT_TRUE(outcome.done.empty());
    EXPECT_EQ(run(model, plan_of(text)).done.size(), 4u);
    EXPECT_EQ(steps(model, plan_of(text)), Lines());
}

/** An EV that cannot be allowed counts as missing, like a profile that cannot be made. */
TEST(Reconciler, NothingIsTakenAwayBehindAnEvThatIsNotAllowed)
{
    Model model;
    const Plan plan = plan_of(small_file);

    run(model, plan);
    model.kernel.profiles.at(id1).spec.evs[0].denied = true;
    model.kernel.plane_ifindex[7] = 3;
    model.kernel.fails = [n = 0]() mutable { return ++n == 1; };
    EXPECT_EQ(run(model, plan).done, Lines());
    EXPECT_EQ(run(model, plan).done.size(), 2u);
}

/** Profiles do not depend on each other's EVs. */
TEST(Reconciler, AnEvThatIsNotAllowedKeepsNoOtherProfilesFromDenials)
{
    Model model;
    const Plan plan = plan_of(with(small_file, "[\"p2t1s1\"]", "[\"p1t0r1\"]"));

    run(model, plan);
    for (auto &[id, profile] : model.kernel.profiles)
        for (EvSpec &ev : profile.spec.evs)
            ev.denied = !ev.denied;
    ASSERT_TRUE(allowed(plan.ev_profiles.at(id1)) && allowed(plan.ev_profiles.at(id2)));
    model.kernel.fails = [n = 0]() mutable { return ++n == 1; };
    const Outcome outcome = run(model, plan);
    ASSERT_EQ(outcome.refusals.size(), 1u);
    const bool first = outcome.refusals[0].what.find(r1) != std::string::npos;
    const EvProfileSpec &other = model.kernel.profiles.at(first ? id2 : id1).spec;
    EXPECT_EQ(other.evs, plan.ev_profiles.at(other.id).evs);
}

/** In the opposite order, there would be a moment without any EV. */
TEST(Reconciler, EvsAreAllowedBeforeOthersAreDenied)
{
    Model model;
    ModelKernel &kernel = model.kernel;
    const std::string file = with(with(small_file, "missing = [[\"p1t0r1\", \"p1t1s2\"]]", ""),
                                  "links = [[\"p2t0r2\", \"p2t1s2\"]]\n", "");
    const auto denying = [&](const char *spines) {
        return plan_of(with(file, "[\"p2t1s1\"]", spines));
    };
    run(model, denying("[\"p1t1s1\", \"p1t1s2\"]"));
    const Plan other = denying("[\"p2t1s1\", \"p2t1s2\"]");
    const Lines lines = steps(model, other);

    ASSERT_EQ(lines.size(), 4u);
    for (size_t i = 0; i < lines.size(); i++)
        EXPECT_TRUE(lines[i].ends_with(i < 2 ? " allowed" : " denied")) << lines[i];
    kernel.fails = [n = 0]() mutable { return ++n == 1; };
    const Outcome outcome = run(model, other);
    EXPECT_EQ(outcome.done, Lines{lines[1]}) << "no denial where one is not allowed";
    EXPECT_EQ(run(model, other).done, (Lines{lines[0], lines[2], lines[3]}));
}

/** Old QPs still use the profile, and its paths break like all others. */
TEST(Reconciler, DenialsFollowTheEvsOfProfilesThatLeftThePlan)
{
    const std::string h2 = "h2 = { rack = \"r2\", usid = 0xf002, gid = \"fd00:6d72:63::2\" }\n";
    const std::string without = with(small_file, h2, "");
    Model model;
    ModelKernel &kernel = model.kernel;
    const auto denied = [&] {
        std::vector<bool> found;
        for (const EvSpec &ev : kernel.profiles.at(id2).spec.evs)
            found.push_back(ev.denied);
        return found;
    };

    run(model, plan_of(small_file));
    // The EVs go by p1t1s1; by p2t1s1, which the file denies; by p2t1s2, to which it denies the
    // link.
    ASSERT_EQ(denied(), (std::vector{false, true, true}));
    kernel.peer_profiles = {id2};
    run(model, plan_of(without));
    EXPECT_EQ(denied(), (std::vector{false, true, true}));
    const std::string other = with(without, "[\"p2t1s1\"]", "[\"p1t1s1\"]");
    Plan kept = plan_of(other);
    kept.keep_denials = true;
    run(model, kept);
    EXPECT_EQ(denied(), (std::vector{true, true, true}));
    run(model, plan_of(other));
    EXPECT_EQ(denied(), (std::vector{true, false, true}));
    EXPECT_EQ(steps(model, plan_of(other)), Lines());
    kernel.peer_profiles.clear();
    EXPECT_EQ(steps(model, plan_of(without)), Lines{"- ev-profile " + r2}) << "nobody uses it";
    kernel.peer_profiles = {id2};
    // The new file does not have the T1 of this EV. Its denial had a reason, so it stays.
    run(model, plan_of(with(with(other, "p2t1s2 = { plane = 2, usid = 0x0282 }\n", ""),
                            "links = [[\"p2t0r2\", \"p2t1s2\"]]\n", "")));
    EXPECT_EQ(denied(), (std::vector{true, false, true}));
}

/** The profile is made anew because a T1 was added. The denials of its EVs may still be right. */
TEST(Reconciler, AProfileThatIsMadeAnewKeepsDenials)
{
    const std::string more =
        with(small_file, "p1t1s1 = {", "p1t1s3 = { plane = 1, usid = 0x0183 }\np1t1s1 = {");
    Model model;
    const auto by_s1 = [](const EvSpec &ev) {
        return std::get<EvVia>(ev.path).via == *Address::parse("fcbb:bb00:101:181:102::");
    };

    run(model, plan_of(small_file));
    auto &evs = model.kernel.profiles[id2].spec.evs;
    std::find_if(evs.begin(), evs.end(), by_s1)->denied = true;
    Plan plan = plan_of(more);
    plan.keep_denials = true;
    run(model, plan);
    ASSERT_EQ(evs.size(), 4u);
    EXPECT_TRUE(std::find_if(evs.begin(), evs.end(), by_s1)->denied);
    EXPECT_EQ(allowed(model.kernel.profiles[id2].spec), 1u) << "the new one";
    EXPECT_EQ(steps(model, plan), Lines());
    run(model, plan_of(more));
    EXPECT_FALSE(std::find_if(evs.begin(), evs.end(), by_s1)->denied);
    // Together with the file's own denials, no EV would be left.
    std::find_if(evs.begin(), evs.end(), by_s1)->denied = true;
    plan = plan_of(small_file);
    plan.keep_denials = true;
    run(model, plan);
    EXPECT_EQ(allowed(model.kernel.profiles[id2].spec), 1u);
}

TEST(Reconciler, WithoutAnchorItWaits)
{
    Model model;
    const Plan plan = plan_of(small_file);

    model.system.netdevs.erase("mrc");
    EXPECT_EQ(run(model, plan).waits, Lines{"mrc"});
    EXPECT_EQ(steps(model, plan), Lines{"! waits for netdev mrc"});
    EXPECT_EQ(model.kernel.changes, 0);
}

TEST(Reconciler, ADeviceOnAnotherNetdevIsLeftAlone)
{
    Model model;
    const Plan plan = plan_of(with(small_file, "anchor = \"mrc\"", "anchor = \"mrc8\""));

    run(model, plan_of(small_file));
    const int changes = model.kernel.changes;
    EXPECT_EQ(steps(model, plan), Lines{"! device mrc0 is on netdev mrc, not on mrc8"});
    const Outcome outcome = run(model, plan);
    ASSERT_EQ(outcome.refusals.size(), 1u);
    EXPECT_EQ(outcome.refusals[0].message(), "! device mrc0 is on netdev mrc, not on mrc8");
    model.system.netdevs.erase("mrc8");
    EXPECT_EQ(steps(model, plan), Lines{"! device mrc0 is on netdev mrc, not on mrc8"});
    EXPECT_EQ(model.kernel.changes, changes);
}

Address address(const char *text)
{
    return *Address::parse(text);
}

TEST(Reconciler, AddressesOfOtherHostsGo)
{
    Model model;
    const Plan plan = plan_of(small_file);

    run(model, plan_of(with(small_file, "host = \"h1\"", "host = \"h2\"")));
    model.system.held[address("fd00::77")] = {64, false};
    model.system.held[address("fd00:6d72:63::3")] = {128, false};
    EXPECT_TRUE(run(model, plan).converged());
    EXPECT_EQ(model.system.held,
              (std::map<Address, HeldAddress>{{address("fd00:6d72:63::1"), {128, true}},
                                              {address("fd00:6d72:63::3"), {128, false}},
                                              {address("fcbb:bb00:f001::"), {128, true}},
                                              {address("fd00::77"), {64, false}}}))
        << "of others mrcd takes away what it has added itself";
    EXPECT_EQ(steps(model, plan), Lines());
}

TEST(Reconciler, ThePrefixLengthOfTheGid)
{
    const Plan any = plan_of(small_file);
    const Plan of_48 =
        plan_of(with(small_file, "planes = 2", "planes = 2\ngids = \"fd00:6d72:63::/48\""));
    Model model;

    run(model, of_48);
    EXPECT_EQ(model.system.held.at(address("fd00:6d72:63::1")).length, 48)
        << "makes the route to all";
    EXPECT_EQ(model.system.held.at(address("fcbb:bb00:f001::")).length, 128);
    EXPECT_EQ(steps(model, any), Lines()) << "any will do";
    model.system.held[address("fd00:6d72:63::1")] = {64, true};
    EXPECT_EQ(steps(model, any), Lines());
    const Lines conflict{"! address fd00:6d72:63::1/64 netdev mrc should have prefix length 48"};
    EXPECT_EQ(steps(model, of_48), conflict);
    EXPECT_EQ(run(model, of_48).refusals[0].message(), conflict[0]);
}

TEST(Reconciler, TheModuleGoes)
{
    Model model;
    const Plan plan = plan_of(small_file);

    run(model, plan);
    model.kernel.loaded = false;
    EXPECT_TRUE(run(model, plan).module_gone);
    model.kernel.loaded = true;
    EXPECT_FALSE(run(model, plan).module_gone);
}

/** The device was deleted with all its objects, and all are made anew. */
TEST(Reconciler, ADeviceThatWentComesBack)
{
    Model model;
    const Plan plan = plan_of(small_file);

    run(model, plan);
    model.kernel = ModelKernel();
    EXPECT_EQ(steps(model, plan).front(), "+ device mrc0 netdev mrc");
    EXPECT_TRUE(run(model, plan).converged());
    EXPECT_EQ(model.kernel.route_map.size(), 2u);
}

/** Files that differ by one change from the first. */
std::vector<std::string> variants()
{
    return {
        small_file,
        with(small_file, "switches = [\"p2t1s1\"]\n", ""),
        with(small_file, "missing = [[\"p1t0r1\", \"p1t1s2\"]]", ""),
        with(small_file, "h2 = { rack = \"r2\", usid = 0xf002",
             "h2 = { rack = \"r2\", usid = 0xf0f2"),
        with(small_file, "per-destination = 16\nmin-active = 3\nactive = 8",
             "per-destination = 2\nmin-active = 1"),
        with(small_file, "active = 8\n", "active = 2\n"),
        with(small_file, "\"eth1\", \"eth2\"", "\"eth2\", \"eth1\""),
        with(small_file, "\"eth1\", \"eth2\"", "\"eth3\", \"eth1\""),
        with(small_file, "\"eth2\"", "\"eth4\""),
        with(with(small_file, "switches = [\"p2t1s1\"]", "switches = [\"p2t1s2\"]"),
             "links = [[\"p2t0r2\", \"p2t1s2\"]]", ""),
        with(small_file, "switches = [\"p2t1s1\"]", "switches = [\"p2t0r1\"]"),
        with(small_file, "h3 = { rack = \"r1\", usid = 0xf003, gid = \"fd00:6d72:63::3\" }", "")};
}

/** Makes an unplanned change. */
void meddle(ModelKernel &kernel, std::mt19937 &random)
{
    switch (random() % 7) {
    case 0:
        kernel.route_map.clear();
        break;
    case 1:
        kernel.profiles[99].spec.id = 99;
        kernel.profiles[99].spec.evs = {{1, EvSid{}, false}};
        kernel.route_map[*Prefix::parse("fd09::/64")] = {
            {1, "mrc0"}, *Prefix::parse("fd09::/64"), 99, 0, 0};
        break;
    case 2:
        kernel.plane_ifindex.erase(2);
        break;
    case 3:
        kernel.cc[5] = {{1, "mrc0"}, 5, "none", 65536};
        break;
    case 4:
        kernel.peer_profiles = {id1, 99};
        break;
    case 5:
        if (!kernel.plane_ifindex.contains(1))
            break;
        kernel.plane_ifindex[7] = kernel.plane_ifindex[1];
        kernel.plane_ifindex.erase(1);
        break;
    default:
        if (kernel.profiles.contains(id2))
            kernel.profiles[id2].spec.evs[0].denied ^= true;
    }
}

/** Objects that must exist all the time on the way to a plan. */
struct Kept {
    std::set<Prefix> routes;
    std::map<uint8_t, uint32_t> planes; ///< planes that keep their netdev
    std::map<uint64_t, size_t> allowed; ///< least number of allowed EVs of a profile
    std::set<uint64_t> used;            ///< profiles that peers use
};

Kept kept(Model &model, const Plan &plan)
{
    const ModelKernel &kernel = model.kernel;
    Kept keep;

    for (const auto &[prefix, route] : plan.routes)
        if (kernel.route_map.contains(prefix))
            keep.routes.insert(prefix);
    for (const auto &[port, ifindex] : kernel.plane_ifindex)
        if (port <= plan.planes.size() && model.system.netdev(plan.planes[port - 1]) == ifindex)
            keep.planes[port] = ifindex;
    for (const auto &[id, wanted] : plan.ev_profiles)
        if (kernel.profiles.contains(id))
            keep.allowed[id] = std::min(allowed(wanted), allowed(kernel.profiles.at(id).spec));
    for (const uint64_t id : kernel.peer_profiles)
        if (kernel.profiles.contains(id))
            keep.used.insert(id);
    return keep;
}

void check_undisturbed(const ModelKernel &kernel, const Kept &keep)
{
    for (const Prefix &prefix : keep.routes)
        EXPECT_TRUE(kernel.route_map.contains(prefix)) << prefix.text();
    for (const auto &[prefix, route] : kernel.route_map)
        EXPECT_TRUE(kernel.profiles.contains(route.ev_profile));
    for (const auto &[port, ifindex] : keep.planes)
        EXPECT_TRUE(kernel.plane_ifindex.contains(port)) << "port " << int{port};
    for (const auto &[id, least] : keep.allowed)
        EXPECT_GE(allowed(kernel.profiles.at(id).spec), least) << "profile " << id;
    for (const uint64_t id : keep.used)
        EXPECT_TRUE(kernel.profiles.contains(id)) << "profile " << id;
}

TEST(Reconciler, ConvergesWhateverFailsAndNeverDisrupts)
{
    const std::vector<std::string> files = variants();

    for (uint32_t seed = 1; seed <= 200; seed++) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        Model model;
        ModelKernel &kernel = model.kernel;
        for (int round = 0; round < 8; round++) {
            const Plan plan = plan_of(files[random() % files.size()]);
            if (kernel.exists && random() % 2)
                meddle(kernel, random);
            const Kept keep = kept(model, plan);
            kernel.fails = [&] {
                check_undisturbed(kernel, keep);
                return random() % 4 == 0;
            };
            for (int attempt = 0; attempt < 3; attempt++)
                run(model, plan);
            kernel.fails = [] { return false; };
            for (const Refusal &refusal : run(model, plan).refusals)
                ADD_FAILURE() << refusal.message();
            EXPECT_EQ(steps(model, plan), Lines()) << "nothing is left to do";
            check_undisturbed(kernel, keep);
        }
    }
}

} // namespace
} // namespace mrcd::test::reconciler_test
