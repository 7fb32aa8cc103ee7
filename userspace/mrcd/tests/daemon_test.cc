// SPDX-License-Identifier: GPL-2.0-only
//
// What the daemon does call by call: what it says, how long it waits, what it keeps.

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "daemon_rig.h"

namespace mrcd::test::daemon_test
{
namespace
{

using Lines = std::vector<std::string>;
using Fields = std::map<std::string, std::string>;

TEST(Daemon, KeepsTheHostAsPlanned)
{
    DaemonRig rig;

    ASSERT_TRUE(rig.daemon.load());
    EXPECT_EQ(rig.daemon.device(), "mrc0");
    EXPECT_EQ(rig.log.take(), Lines{"f: 2 EV profiles, 2 routes"});
    EXPECT_EQ(rig.daemon.work().latest, 0u) << "the device is new";
    EXPECT_TRUE(rig.daemon.take_events());
    EXPECT_FALSE(rig.daemon.take_events()) << "once";
    EXPECT_EQ(rig.daemon.work().latest, 100u);
    EXPECT_EQ(rig.log.take().size(), 11u) << "each step";
    EXPECT_EQ(rig.daemon.work().latest, 10000u);
    EXPECT_EQ(rig.daemon.status(), "as planned");
    rig.model.kernel.route_map.clear();
    rig.daemon.work();
    EXPECT_EQ(rig.model.kernel.route_map.size(), 2u);
    EXPECT_EQ(rig.reads, 1);
    EXPECT_EQ(rig.opens, 2) << "for passes, and for what cannot wait for them";
}

/** The number of denied EVs in all profiles. */
size_t denied(const DaemonRig &rig)
{
    size_t count = 0;

    for (const auto &[id, profile] : rig.model.kernel.profiles)
        for (const mrcnl::EvSpec &ev : profile.spec.evs)
            count += ev.denied;
    return count;
}

TEST(Daemon, DeniesWhatIsFoundBesideWhatTheFileDenies)
{
    DaemonRig rig;

    rig.settle();
    const size_t by_file = denied(rig);
    EXPECT_FALSE(rig.daemon.deny({})) << "nothing new";
    EXPECT_TRUE(rig.daemon.deny({{0}, {}, {}}));
    EXPECT_GT(denied(rig), by_file) << "it waits for no pass";
    EXPECT_EQ(rig.log.take(), Lines{"~ 2 EVs of 2 profiles denied"}) << "one line for all EVs";
    const std::string evs = rig.log.fields.at("EVS_DENIED");
    EXPECT_EQ(rig.log.fields, (Fields{{"DEVICE", "mrc0"}, {"EVS_DENIED", evs}}));
    EXPECT_EQ(rig.daemon.work().latest, 10000u) << "and nothing is left to do";
    EXPECT_EQ(rig.log.take(), Lines());
    EXPECT_TRUE(rig.daemon.deny({}));
    rig.daemon.work();
    EXPECT_EQ(denied(rig), by_file);
    EXPECT_EQ(rig.log.take(), Lines{"~ 2 EVs of 2 profiles allowed"});
    EXPECT_EQ(rig.log.fields, (Fields{{"DEVICE", "mrc0"}, {"EVS_ALLOWED", evs}})) << "the same";
}

/** An earlier mrcd has denied the EV, and the new one does not know yet why. */
TEST(Daemon, KeepsDenialsUntilLinksAreKnown)
{
    DaemonRig rig;

    rig.settle();
    const size_t by_file = denied(rig);
    rig.daemon.deny({{0}, {}, {}});
    rig.daemon.work();
    const size_t by_predecessor = denied(rig);
    ASSERT_GT(by_predecessor, by_file);
    rig.daemon.keep_denials(true);
    rig.daemon.deny({});
    rig.daemon.load();
    rig.daemon.work();
    EXPECT_EQ(denied(rig), by_predecessor);
    rig.daemon.keep_denials(false);
    rig.daemon.work();
    EXPECT_EQ(denied(rig), by_file);
}

TEST(Daemon, LeavesADeviceToAnotherController)
{
    DaemonRig rig;

    rig.settle();
    rig.model.kernel.route_map.clear();
    rig.daemon.work();
    EXPECT_FALSE(rig.model.kernel.route_map.empty()) << "it has it, and needs no lock any more";
    DaemonRig second;
    second.model.system.lock_error = EBUSY;
    second.settle();
    const int changes = second.model.kernel.changes;
    const size_t by_file = denied(second);
    EXPECT_TRUE(second.model.kernel.exists) << "one that it makes is not yet another's";
    EXPECT_TRUE(second.model.kernel.route_map.empty());
    EXPECT_EQ(second.daemon.status(), "configure mrc0: of the model (3.lock)");
    EXPECT_FALSE(second.daemon.as_planned());
    EXPECT_TRUE(second.daemon.deny({{0}, {}, {}}));
    EXPECT_EQ(denied(second), by_file) << "nor what cannot wait";
    EXPECT_EQ(second.model.kernel.changes, changes);
    second.model.system.lock_error = 0;
    second.daemon.work();
    EXPECT_FALSE(second.model.kernel.route_map.empty()) << "when the other one has ended";
}

TEST(Daemon, WithoutAPlaceForTheLockItGoesOn)
{
    DaemonRig rig;

    rig.model.system.lock_error = EROFS;
    ASSERT_TRUE(rig.daemon.load());
    for (int i = 0; i < 4; i++)
        rig.daemon.work();
    EXPECT_EQ(rig.daemon.status(), "as planned");
    EXPECT_EQ(std::count(rig.log.lines.begin(), rig.log.lines.end(),
                         "cannot lock the device against other controllers: of the model (3.lock)"),
              1)
        << "once";
}

TEST(Daemon, TakesAnotherFile)
{
    DaemonRig rig;

    rig.settle();
    rig.text = with(small_file, "524288", "65536");
    EXPECT_TRUE(rig.daemon.load());
    rig.daemon.work();
    EXPECT_EQ(rig.model.kernel.cc.at(1).window, 65536u);
}

TEST(Daemon, DoesNotTakeABadFile)
{
    DaemonRig rig;
    const std::string kept = "f: refused; the previous plan stays in force";

    rig.text = "nonsense";
    EXPECT_FALSE(rig.daemon.load()) << "nothing was planned before";
    EXPECT_EQ(rig.log.take().size(), 1u);
    rig.text = small_file;
    rig.settle();
    rig.text = with(small_file, "[cc]", "[ccc]");
    EXPECT_FALSE(rig.daemon.load());
    EXPECT_EQ(rig.log.take(), (Lines{"f:40: unknown key 'ccc'", kept}));
    rig.read_error = EISDIR;
    EXPECT_FALSE(rig.daemon.load());
    EXPECT_EQ(rig.log.take(), (Lines{"f: Is a directory", kept}));
    const int changes = rig.model.kernel.changes;
    rig.daemon.work();
    EXPECT_EQ(rig.model.kernel.changes, changes);
    EXPECT_EQ(rig.daemon.status(), "f: Is a directory; by the previous file: as planned");
    EXPECT_FALSE(rig.daemon.as_planned());
}

TEST(Daemon, SaysWhatBecameOfTheFile)
{
    DaemonRig rig;

    rig.settle();
    const FileState taken = rig.daemon.file();
    EXPECT_EQ(taken.name, "f");
    EXPECT_EQ(taken.hash, hash_of_text(small_file));
    EXPECT_EQ(taken.problem, "");
    EXPECT_GT(taken.taken_ns, 0u);
    rig.daemon.look_at_file();
    EXPECT_FALSE(rig.daemon.file().changed);
    rig.text = with(small_file, "[cc]", "[ccc]");
    rig.daemon.look_at_file();
    EXPECT_TRUE(rig.daemon.file().changed);
    EXPECT_TRUE(rig.daemon.as_planned()) << "by the one that was taken";
    EXPECT_FALSE(rig.daemon.load());
    const FileState refused = rig.daemon.file();
    EXPECT_EQ(refused.problem, "f:40: unknown key 'ccc'");
    EXPECT_EQ(refused.hash, taken.hash) << "that is followed";
    EXPECT_EQ(refused.taken_ns, taken.taken_ns);
    EXPECT_GE(refused.refused_ns, taken.taken_ns);
    EXPECT_FALSE(refused.changed) << "it was read";
    rig.text = with(small_file, "524288", "65536");
    EXPECT_TRUE(rig.daemon.load());
    EXPECT_EQ(rig.daemon.file().problem, "");
    EXPECT_EQ(rig.daemon.file().refused_ns, 0u);
    rig.text = with(with(small_file, "[cc]", "[ccc]"), "min-active", "most-active");
    EXPECT_FALSE(rig.daemon.load());
    EXPECT_EQ(rig.daemon.file().problem, rig.log.lines[rig.log.lines.size() - 3])
        << "of two complaints the first";
    rig.text = with(small_file, "524288", "65536");
    EXPECT_TRUE(rig.daemon.load());
    EXPECT_NE(rig.daemon.file().hash, taken.hash);
    EXPECT_GE(rig.daemon.file().taken_ns, taken.taken_ns);
}

/** The lock belongs to the old device. */
TEST(Daemon, DoesNotChangeItsDevice)
{
    DaemonRig rig;

    rig.settle();
    rig.text = with(small_file, "\"mrc0\"", "\"mrc1\"");
    EXPECT_FALSE(rig.daemon.load());
    EXPECT_EQ(rig.log.take(), (Lines{"f: the device cannot change while mrcd runs: restart mrcd",
                                     "f: refused; the previous plan stays in force"}));
    EXPECT_EQ(rig.daemon.device(), "mrc0");
}

TEST(Daemon, SaysARefusalOnceAndWaitsLongerEachTime)
{
    DaemonRig rig;

    rig.settle();
    rig.model.kernel.route_map.clear();
    rig.model.kernel.fails = [] { return true; };
    for (const uint64_t wait : {100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000})
        EXPECT_EQ(rig.daemon.work().latest, wait);
    EXPECT_EQ(rig.daemon.work().soonest, Daemon::rest_ms) << "what happens may have helped";
    const Lines said = rig.log.take();
    ASSERT_EQ(said.size(), 2u) << "each route";
    EXPECT_TRUE(said[0].ends_with("usid 0xf002: Cannot allocate memory")) << said[0];
    EXPECT_EQ(rig.daemon.status(), said[0]);

    rig.model.kernel.fails = [] { return false; };
    EXPECT_EQ(rig.daemon.work().latest, 100u);
    EXPECT_EQ(rig.daemon.work().latest, 10000u);
    EXPECT_EQ(rig.daemon.status(), "as planned");
    rig.log.take();
    rig.model.kernel.route_map.clear();
    rig.model.kernel.fails = [] { return true; };
    EXPECT_EQ(rig.daemon.work().latest, 100u);
    EXPECT_EQ(rig.log.take().size(), 2u) << "it was over in between";
}

/** The order of refusals changes each time, but none is new. */
TEST(Daemon, SaysEachRefusalOnce)
{
    DaemonRig rig;

    rig.settle();
    rig.model.kernel.route_map.clear();
    rig.model.kernel.fails = [] { return true; };
    rig.daemon.work();
    EXPECT_EQ(rig.log.take().size(), 2u);
    rig.model.kernel.plane_ifindex.erase(1);
    rig.daemon.work();
    EXPECT_EQ(rig.log.take(), Lines{"+ plane port 1 netdev eth1: Cannot allocate memory"});
    rig.model.kernel.plane_ifindex[1] = 1;
    rig.daemon.work();
    EXPECT_EQ(rig.log.take(), Lines());
}

/** Another program deletes what the daemon adds. */
TEST(Daemon, DoesNotFight)
{
    DaemonRig rig;
    int passes = 0;

    rig.settle();
    for (const uint64_t wait : {100, 100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000}) {
        rig.model.kernel.route_map.clear();
        const Daemon::Again again = rig.daemon.work();
        EXPECT_EQ(again.latest, wait);
        passes++;
        EXPECT_EQ(again.soonest, passes == 1 ? Daemon::rest_ms : wait)
            << "its own changes must not wake it";
    }
    rig.model.kernel.plane_ifindex.erase(1);
    EXPECT_EQ(rig.daemon.work().soonest, Daemon::rest_ms) << "something else";
}

/** Failures under the old plan do not slow down the new plan. */
TEST(Daemon, WithAnotherPlanItIsAsQuickAsAtFirst)
{
    DaemonRig rig;

    rig.settle();
    for (int i = 0; i < 2; i++) {
        rig.model.kernel.route_map.clear();
        EXPECT_EQ(rig.daemon.work().soonest, i ? 100 : Daemon::rest_ms);
    }
    rig.model.kernel.route_map.clear();
    rig.daemon.deny({{0}, {}, {}});
    EXPECT_EQ(rig.daemon.work().soonest, Daemon::rest_ms) << "nobody undid that";
    rig.model.kernel.route_map.clear();
    rig.model.kernel.fails = [] { return true; };
    for (const uint64_t wait : {100, 200, 400})
        EXPECT_EQ(rig.daemon.work().latest, wait);
    rig.daemon.deny({});
    EXPECT_EQ(rig.daemon.work().latest, 100u);
}

/** Indices in another file may mean other switches. */
TEST(Daemon, WhatWasFoundByAnotherFileIsFoundAgain)
{
    DaemonRig rig;

    rig.settle();
    const size_t by_file = denied(rig);
    rig.daemon.deny({{0}, {}, {}});
    rig.daemon.load();
    rig.daemon.work();
    EXPECT_EQ(denied(rig), by_file);
    EXPECT_TRUE(rig.daemon.deny({{0}, {}, {}})) << "which is news";
    EXPECT_GT(denied(rig), by_file);
}

/** The plan or the module changed while the pass waited for the kernel. */
TEST(Daemon, APassThatIsOvertakenIsFollowedByAnotherOneAtOnce)
{
    DaemonRig rig;

    rig.settle();
    Daemon::Pass pass = rig.daemon.begin();
    rig.daemon.deny({{0}, {}, {}});
    rig.daemon.perform(pass);
    EXPECT_EQ(rig.daemon.finish(std::move(pass)).latest, 0u);
    pass = rig.daemon.begin();
    rig.daemon.reopen();
    rig.daemon.perform(pass);
    rig.daemon.finish(std::move(pass));
    const int opens = rig.opens;
    rig.daemon.work();
    EXPECT_EQ(rig.opens, opens + 2) << "what it had opened before is of no use";
}

TEST(Daemon, SaysThatTheKernelDoesNotAnswer)
{
    DaemonRig rig;

    rig.settle();
    Daemon::Pass pass = rig.daemon.begin();
    EXPECT_EQ(rig.daemon.status(), "as planned");
    std::this_thread::sleep_for(std::chrono::seconds(2));
    // It takes longer if the machine stands still in between.
    EXPECT_TRUE(rig.daemon.status().starts_with("the kernel has not answered for "))
        << rig.daemon.status();
    rig.daemon.perform(pass);
    rig.daemon.finish(std::move(pass));
    EXPECT_EQ(rig.daemon.status(), "as planned");
}

TEST(Daemon, SaysWhatItWaitsFor)
{
    DaemonRig rig;

    rig.model.system.netdevs.erase("eth1");
    rig.model.system.netdevs.erase("eth2");
    ASSERT_TRUE(rig.daemon.load());
    rig.daemon.work();
    const Lines lines = rig.log.take();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "waits for netdev eth1"), 0)
        << "first the device";
    rig.daemon.work();
    const Lines more = rig.log.take();
    EXPECT_EQ(std::count(more.begin(), more.end(), "waits for netdev eth1"), 1);
    EXPECT_EQ(std::count(more.begin(), more.end(), "waits for netdev eth2"), 1);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(rig.daemon.work().latest, 10000u) << "the host says when it comes";
    EXPECT_EQ(rig.log.take(), Lines());
    EXPECT_EQ(rig.daemon.status(), "waits for netdev eth1, eth2");
    rig.model.system.netdevs["eth1"] = 1;
    rig.daemon.work();
    EXPECT_EQ(rig.log.take(), Lines{"+ plane port 1 netdev eth1"});
    EXPECT_EQ(rig.daemon.status(), "waits for netdev eth2");
}

TEST(Daemon, WaitsForTheModule)
{
    DaemonRig rig;

    rig.model.kernel.loaded = false;
    ASSERT_TRUE(rig.daemon.load());
    rig.log.take();
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(rig.daemon.work().latest, 1000u);
    EXPECT_EQ(rig.log.take(), Lines{"the module is not loaded"});
    EXPECT_EQ(rig.daemon.status(), "the module is not loaded");
    EXPECT_EQ(rig.opens, 3);
    EXPECT_FALSE(rig.daemon.take_events());
    rig.model.kernel.loaded = true;
    rig.daemon.work();
    EXPECT_TRUE(rig.daemon.take_events());
    rig.daemon.work();
    EXPECT_EQ(rig.model.kernel.route_map.size(), 2u);
    EXPECT_EQ(rig.daemon.status(), "as planned");
}

TEST(Daemon, OpensTheModuleAnew)
{
    DaemonRig rig;

    rig.settle();
    rig.daemon.take_events();
    rig.model.kernel.route_map.clear();
    rig.model.kernel.fails = [] { return true; };
    rig.daemon.work();
    EXPECT_FALSE(rig.daemon.progress().refusals.empty());
    rig.log.take();
    rig.model.kernel = ModelKernel();
    rig.model.kernel.loaded = false;
    EXPECT_EQ(rig.daemon.work().latest, 200u);
    EXPECT_EQ(rig.daemon.status(), "the module is not loaded");
    EXPECT_TRUE(rig.daemon.progress().refusals.empty()) << "of a module that is gone";
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(rig.daemon.work().latest, 1000u);
    EXPECT_EQ(rig.log.take(), Lines{"the module is not loaded"});
    rig.model.kernel.loaded = true;
    rig.daemon.work();
    EXPECT_TRUE(rig.daemon.take_events()) << "the old ones say nothing any more";
    rig.daemon.work();
    rig.daemon.work();
    EXPECT_EQ(rig.daemon.status(), "as planned");
    EXPECT_EQ(rig.model.kernel.route_map.size(), 2u);
}

} // namespace
} // namespace mrcd::test::daemon_test
