// SPDX-License-Identifier: GPL-2.0-only
//
// Tests what the engine concludes from what it sees of EVs: a test per row of the table in paths.h.

#include "engine/core.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace
{

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSec = 1000 * kMs;

struct Paths {
    std::vector<mrc_ev_entry> entry;
    std::vector<mrc_paths_ev> ev;
    mrc_paths p;

    Paths(int ports, int perPort, u16 minActive = 0)
        : entry(static_cast<std::size_t>(ports * perPort)), ev(entry.size())
    {
        for (std::size_t i = 0; i < entry.size(); ++i) {
            entry[i].port = static_cast<u8>(1 + i / static_cast<std::size_t>(perPort));
            ev[i].index = static_cast<u16>(10 + i);
            ev[i].bits = 0xc0010000u + 10 + static_cast<u32>(i);
        }
        EXPECT_EQ(mrc_paths_init(&p, ev.data(), entry.data(), static_cast<u16>(entry.size()),
                                 minActive, 0, 3),
                  0);
    }

    void report(mrc_seen seen, u16 which, std::uint64_t sent, std::uint64_t now)
    {
        mrc_paths_report(&p, seen, which, sent, now);
    }

    /// Packets on an EV are late twice, after a packet that was sent later has come by another EV.
    void lose(u16 which, std::uint64_t now)
    {
        const u64 heard = std::exchange(p.set.heard_at, now);
        for (unsigned n = 0; n < MRC_EV_PROBE_MISSED; ++n)
            report(MRC_SEEN_UNHEARD, which, now - kMs, now);
        p.set.heard_at = heard;
    }

    int state(u16 which) const { return entry[which].state; }

    /// Each changed EV, and the reason for its state.
    std::map<u16, int> changes()
    {
        std::map<u16, int> out;
        u8 old = 0;
        for (u16 which; (which = mrc_paths_next_change(&p, &old)) != MRC_EV_NONE;)
            out[which] = entry[which].why;
        return out;
    }

    bool probed(u16 which, std::uint64_t now)
    {
        bool found = false;
        for (u16 next; (next = mrc_ev_probe_next(&p.set, now)) != MRC_EV_NONE;)
            found |= next == which;
        return found;
    }
};

using Changes = std::map<u16, int>;

/* A full queue loses packets, too: an EV is only blamed if others lose less. */
TEST(Paths, ALossIsCountedAndAnEvThatLosesMoreThanOthersIsBlamed)
{
    Paths f(1, 3);
    for (unsigned n = 0; n < 20; ++n)
        for (u16 which : {0, 2})
            f.report(MRC_SEEN_ARRIVED, which, kSec, kSec + kMs);
    f.report(MRC_SEEN_LOST, 1, 0, kSec + kMs);
    f.report(MRC_SEEN_LOST, 1, 0, kSec + kMs);
    EXPECT_EQ(f.changes(), Changes{}) << "chance";
    f.report(MRC_SEEN_LOST, 1, 0, kSec + kMs);
    EXPECT_EQ(f.state(1), MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(f.changes(), (Changes{{1, MRC_EV_WHY_LOSS}}));
}

TEST(Paths, WhatEveryEvLosesBlamesNone)
{
    Paths f(1, 3);
    for (unsigned n = 0; n < 100; ++n)
        for (u16 which : {0, 1, 2}) {
            f.report(MRC_SEEN_ARRIVED, which, kSec, kSec + kMs);
            f.report(MRC_SEEN_LOST, which, 0, kSec + kMs);
        }
    EXPECT_EQ(f.changes(), Changes{});
}

TEST(Paths, TwoLatePacketsTakeAnEvOutByWhichNothingLaterIsHeard)
{
    Paths f(1, 3);
    f.report(MRC_SEEN_ARRIVED, 1, kSec + 1, kSec + kMs);
    f.report(MRC_SEEN_UNHEARD, 1, kSec, kSec + kMs);
    f.report(MRC_SEEN_UNHEARD, 1, kSec, kSec + kMs);
    EXPECT_EQ(f.changes(), Changes{}) << "by the EV itself";
    f.report(MRC_SEEN_UNHEARD, 1, kSec + 1, kSec + kMs);
    EXPECT_EQ(f.changes(), Changes{});
    EXPECT_TRUE(f.probed(1, kSec + kMs));
    f.report(MRC_SEEN_UNHEARD, 1, kSec + 1, kSec + 2 * kMs);
    EXPECT_EQ(f.changes(), (Changes{{1, MRC_EV_WHY_LOSS}}));
}

TEST(Paths, ALossOnAPortThatIsDownIsThePorts)
{
    Paths f(2, 2);
    mrc_paths_ports(&f.p, 2, ~0u, kSec);
    f.lose(0, kSec);
    EXPECT_EQ(f.state(0), MRC_EV_GOOD);
}

TEST(Paths, WhatArrivesLateWasNotLost)
{
    Paths f(1, 3);
    f.lose(1, kSec);
    f.report(MRC_SEEN_ARRIVED_LATE, 1, 0, kSec + kMs);
    EXPECT_EQ(f.state(1), MRC_EV_GOOD);
    EXPECT_EQ(f.entry[1].why, MRC_EV_WHY_LATE);
}

TEST(Paths, SilenceBlamesNone)
{
    Paths f(1, 3);
    f.report(MRC_SEEN_SILENT, 1, kSec, 2 * kSec);
    EXPECT_EQ(f.changes(), Changes{});
    EXPECT_TRUE(f.probed(0, 2 * kSec)) << "all are asked";

    Paths one(1, 3);
    one.report(MRC_SEEN_ARRIVED, 0, kSec, kSec);
    one.report(MRC_SEEN_SILENT, 1, kSec - kMs, kSec + kMs);
    EXPECT_TRUE(one.probed(1, kSec + kMs));
    EXPECT_FALSE(one.entry[2].doubted) << "the peer is heard of by another";
}

TEST(Paths, ProbesBringAnEvBackAndTakeItAway)
{
    Paths f(1, 3);
    f.lose(1, kSec);
    for (unsigned n = 1; n <= MRC_EV_PROBE_GOOD; ++n) {
        EXPECT_EQ(f.state(1), MRC_EV_ASSUMED_BAD);
        f.report(MRC_SEEN_PROBE_ANSWERED, 1, kSec + n * kMs, kSec + n * kMs);
    }
    EXPECT_EQ(f.state(1), MRC_EV_GOOD);
    EXPECT_EQ(f.changes(), Changes{}) << "as it was when it was spoken of last";
    EXPECT_EQ(f.entry[1].why, MRC_EV_WHY_PROBES_ANSWERED);

    f.report(MRC_SEEN_ARRIVED, 0, 3 * kSec, 3 * kSec);
    for (unsigned n = 0; n < MRC_EV_PROBE_MISSED; ++n)
        f.report(MRC_SEEN_PROBE_LOST, 1, 3 * kSec, 3 * kSec + 50 * kMs);
    EXPECT_EQ(f.changes(), (Changes{{1, MRC_EV_WHY_PROBES_LOST}}));
}

TEST(Paths, LostProbesBlameNoneWhereNothingArrives)
{
    Paths f(1, 3);
    for (unsigned n = 0; n < 10; ++n)
        f.report(MRC_SEEN_PROBE_LOST, 1, kSec, kSec + 50 * kMs);
    EXPECT_EQ(f.state(1), MRC_EV_GOOD);
    EXPECT_TRUE(mrc_ev_searching(&f.p.set));
}

TEST(Paths, AProbeSaysNothingOfAnEvThatHasChangedSince)
{
    Paths f(1, 3);
    f.lose(1, 2 * kSec);
    for (unsigned n = 0; n < MRC_EV_PROBE_GOOD; ++n)
        f.report(MRC_SEEN_PROBE_ANSWERED, 1, 2 * kSec - 1, 2 * kSec + kMs);
    EXPECT_EQ(f.state(1), MRC_EV_ASSUMED_BAD) << "sent before the loss";
    f.report(MRC_SEEN_ARRIVED_LATE, 1, 0, 3 * kSec);
    f.report(MRC_SEEN_ARRIVED, 0, 3 * kSec, 3 * kSec);
    for (unsigned n = 0; n < MRC_EV_PROBE_MISSED; ++n)
        f.report(MRC_SEEN_PROBE_LOST, 1, 3 * kSec - 1, 3 * kSec + 50 * kMs);
    EXPECT_EQ(f.state(1), MRC_EV_GOOD) << "sent when it was bad";
}

TEST(Paths, WhatCannotLeaveThisHostIsCertain)
{
    Paths f(1, 3);
    f.report(MRC_SEEN_NO_ROUTE, 0, kSec, kSec);
    f.report(MRC_SEEN_NO_ROOM, 1, kSec, kSec);
    EXPECT_EQ(f.changes(), (Changes{{0, MRC_EV_WHY_NO_ROUTE}, {1, MRC_EV_WHY_NO_ROOM}}));
    Paths refused(1, 3);
    refused.report(MRC_SEEN_REFUSED, 2, kSec, kSec);
    EXPECT_EQ(refused.changes(), (Changes{{2, MRC_EV_WHY_REFUSED}}));
}

/*
 * Three answers in a row bring an EV back, but not with a probe between them that could not be
 * sent.
 */
TEST(Paths, WhatCannotLeaveThisHostEndsARowOfAnswers)
{
    Paths f(1, 3);
    f.lose(1, kSec);
    f.report(MRC_SEEN_PROBE_ANSWERED, 1, kSec, kSec);
    f.report(MRC_SEEN_PROBE_ANSWERED, 1, kSec, kSec);
    f.report(MRC_SEEN_NO_ROUTE, 1, kSec, kSec);
    f.report(MRC_SEEN_PROBE_ANSWERED, 1, kSec, kSec);
    EXPECT_EQ(f.state(1), MRC_EV_ASSUMED_BAD);
}

TEST(Paths, TheFloorIsToldAsSuch)
{
    Paths f(1, 2);
    f.report(MRC_SEEN_ARRIVED, 1, kSec, kSec);
    f.lose(1, 2 * kSec);
    f.lose(0, 2 * kSec);
    EXPECT_EQ(f.changes(), (Changes{{0, MRC_EV_WHY_LOSS}, {1, MRC_EV_WHY_HELD}}))
        << "of 1 was heard later";
    f.report(MRC_SEEN_ARRIVED_LATE, 0, 0, 3 * kSec);
    EXPECT_EQ(f.changes(), (Changes{{0, MRC_EV_WHY_LATE}, {1, MRC_EV_WHY_BETTER}}));
}

TEST(Paths, WithoutPathsNothingHappens)
{
    mrc_paths p;
    u16 ev[MRC_REVERSE_COPIES] = {};
    ASSERT_EQ(mrc_paths_init(&p, nullptr, nullptr, 0, 0, 0, 1), 0);
    for (int seen = MRC_SEEN_ARRIVED; seen <= MRC_SEEN_REFUSED; ++seen)
        mrc_paths_report(&p, static_cast<mrc_seen>(seen), 0, 1, 2);
    mrc_paths_draw(&p, false, 4, 1, ev, 2);
    EXPECT_EQ(ev[0], MRC_EV_NONE);
    EXPECT_EQ(ev[1], MRC_EV_NONE);
    EXPECT_EQ(mrc_paths_reverse_ev(&p, 1), MRC_EV_NONE);
    EXPECT_EQ(mrc_paths_answer_evs(&p, 1, 1, 1, ev), 0u);
    EXPECT_EQ(mrc_paths_reverse_probe(&p, 1, kSec), MRC_EV_NONE);
    mrc_paths_ports(&p, 1, 1, 1);
    mrc_paths_deny(&p, 0, true, 1);
}

TEST(Paths, WhatIsDrawnIsCounted)
{
    Paths f(2, 1);
    u16 ev[2];
    mrc_paths_draw(&f.p, false, 5, kSec, ev, 2);
    EXPECT_NE(ev[0], ev[1]);
    EXPECT_EQ(f.ev[ev[0]].tx_packets, 3u);
    EXPECT_EQ(f.ev[ev[1]].tx_packets, 2u);
    mrc_paths_resent(&f.p, ev[1]);
    mrc_paths_resent(&f.p, MRC_EV_NONE);
    EXPECT_EQ(f.ev[ev[1]].lost, 1u);
}

/// The most packets that a plane carried, per the least, after many batches of the same kind.
double unevenness(int planes, unsigned stride, unsigned packets)
{
    Paths f(planes, 2);
    std::vector<u16> ev(stride);
    std::vector<std::uint64_t> carried(static_cast<std::size_t>(planes));
    for (unsigned batch = 1; batch <= 500; ++batch) {
        mrc_paths_draw(&f.p, false, packets, batch * kMs, ev.data(), stride);
        for (unsigned i = 0; i < packets; ++i)
            ++carried[f.entry[ev[i % stride]].port - 1u];
    }
    const auto [least, most] = std::minmax_element(carried.begin(), carried.end());
    return static_cast<double>(*most) / static_cast<double>(*least);
}

TEST(Paths, PlanesCarryAlikeWhateverTheSizeOfBatches)
{
    for (const int planes : {2, 3, 4, 8})
        for (unsigned stride = 1; stride <= 2 * static_cast<unsigned>(planes); ++stride)
            for (unsigned packets = stride; packets <= MRC_BATCH_MAX; ++packets)
                EXPECT_LT(unevenness(planes, stride, packets), 1.05)
                    << planes << " planes, " << packets << " packets on " << stride << " EVs";
}

/// The ports of the EVs to which a batch of this size is dealt.
std::set<int> drawn(Paths &f, u32 full, u16 count = 8)
{
    std::vector<u16> ev(count);
    std::set<int> ports;
    mrc_paths_full(&f.p, full);
    mrc_paths_draw(&f.p, false, count, kSec, ev.data(), count);
    for (const u16 which : ev)
        ports.insert(which == MRC_EV_NONE ? 0 : f.entry[which].port);
    return ports;
}

TEST(Paths, DataAvoidsPlanesThatAreFull)
{
    Paths f(3, 4);
    EXPECT_EQ(drawn(f, 0), (std::set{1, 2, 3}));
    EXPECT_EQ(drawn(f, 2), (std::set{1, 3}));
    EXPECT_EQ(drawn(f, 6), std::set{1});
    EXPECT_EQ(drawn(f, 0), (std::set{1, 2, 3})) << "once";
}

TEST(Paths, AFullPlaneIsBetterThanABadOne)
{
    Paths f(2, 2);
    f.lose(0, kSec);
    f.lose(1, kSec);
    ASSERT_EQ(f.p.set.planes[0].good, 0);
    EXPECT_EQ(drawn(f, 2), std::set{2});
    EXPECT_EQ(drawn(f, 3), std::set{2});
    EXPECT_FALSE(mrc_paths_carries(&f.p, 0));
    EXPECT_TRUE(mrc_paths_carries(&f.p, 1));
}

TEST(Paths, WhatTakesAnyEvTakesThoseOfFullPlanes)
{
    Paths f(2, 1);
    u16 ev[2];
    mrc_paths_full(&f.p, 3);
    mrc_paths_draw(&f.p, true, 2, kSec, ev, 2);
    EXPECT_NE(ev[0], ev[1]);
}

TEST(Paths, APlaneThatIsDownCarriesNothing)
{
    Paths f(2, 1);
    mrc_paths_ports(&f.p, 1, ~0u, kSec);
    EXPECT_TRUE(mrc_paths_carries(&f.p, 0));
    EXPECT_FALSE(mrc_paths_carries(&f.p, 1));
}

// ---- news of QPs

mrc_news news()
{
    return {.marked_ev = MRC_EV_NONE};
}

TEST(Paths, NewsOfAnEvIsReported)
{
    Paths f(1, 4);
    mrc_news n = news();
    n.count = 3;
    n.ev[0] = {.ev = 0, .what = MRC_NEWS_ACKED, .acked = 7, .heard_ns = kSec};
    n.ev[1] = {.ev = 1, .what = MRC_NEWS_LOST};
    n.ev[2] = {.ev = 9, .what = MRC_NEWS_ACKED | MRC_NEWS_LOST, .acked = 1};
    mrc_paths_learn(&f.p, &n, 2 * kSec);
    EXPECT_EQ(f.ev[0].acked, 7u);
    EXPECT_EQ(f.entry[0].heard_at, kSec);
    EXPECT_EQ(f.entry[0].took_ns, kSec);
    EXPECT_EQ(f.entry[1].lost, 1);
    EXPECT_EQ(f.changes(), Changes{}) << "a single loss";

    f.lose(1, 2 * kSec);
    n = news();
    n.count = 1;
    n.ev[0] = {.ev = 1, .what = MRC_NEWS_CLEARED};
    mrc_paths_learn(&f.p, &n, 3 * kSec);
    EXPECT_EQ(f.state(1), MRC_EV_GOOD);
}

/* A packet first is late, and then so late that it is lost. */
TEST(Paths, WhatThisHostMayHaveDroppedPutsAnEvInDoubtAndNoMore)
{
    for (const u8 what : {MRC_NEWS_LOST, MRC_NEWS_LATE, MRC_NEWS_MUTE}) {
        Paths f(2, 2);
        f.report(MRC_SEEN_ARRIVED, 3, kSec - kMs, kSec);
        for (unsigned i = 0; i < 200; ++i) {
            mrc_news n = news();
            n.dropped = 1;
            n.count = 1;
            n.late_since = kSec - 2 * kMs;
            n.ev[0] = {.ev = 0, .what = what};
            EXPECT_EQ(mrc_paths_missed(&f.p, &n), 1u);
            mrc_paths_learn(&f.p, &n, kSec);
        }
        EXPECT_EQ(f.state(0), MRC_EV_GOOD) << int(what);
        EXPECT_TRUE(f.entry[0].doubted) << "a probe is to tell";
        EXPECT_EQ(f.entry[0].lost, 0);
        EXPECT_FALSE(f.entry[1].doubted);
    }
}

TEST(Paths, ProbesThatThisHostMayHaveDroppedBlameAnEvThatIsSilentForLong)
{
    Paths f(1, 3);
    f.report(MRC_SEEN_ARRIVED, 0, 2 * kSec, 2 * kSec);
    f.report(MRC_SEEN_ARRIVED, 1, kSec, kSec);
    for (unsigned n = 0; n < 3 * MRC_EV_PROBE_MISSED; ++n)
        f.report(MRC_SEEN_PROBE_DROPPED, 1, kSec + kMs, kSec + MRC_PATHS_DROPPED_NS - 1);
    EXPECT_EQ(f.state(1), MRC_EV_GOOD);
    for (unsigned n = 0; n < MRC_EV_PROBE_MISSED; ++n)
        f.report(MRC_SEEN_PROBE_DROPPED, 1, kSec + kMs, kSec + MRC_PATHS_DROPPED_NS);
    EXPECT_EQ(f.changes(), (Changes{{1, MRC_EV_WHY_PROBES_LOST}}));
}

TEST(Paths, NewsOfLatePacketsAreMisses)
{
    Paths f(1, 4);
    mrc_news n = news();
    n.count = 2;
    n.late_since = kSec - kMs;
    n.ev[0] = {.ev = 0, .what = MRC_NEWS_ACKED, .acked = 1, .heard_ns = kSec};
    n.ev[1] = {.ev = 1, .what = MRC_NEWS_LATE};
    mrc_paths_learn(&f.p, &n, kSec + kMs);
    EXPECT_EQ(f.changes(), Changes{});
    EXPECT_TRUE(f.entry[1].doubted);
    n.ev[1].what = MRC_NEWS_MUTE;
    mrc_paths_learn(&f.p, &n, kSec + 2 * kMs);
    EXPECT_EQ(f.changes(), (Changes{{1, MRC_EV_WHY_LOSS}}));
    EXPECT_EQ(f.entry[1].lost, 0) << "nothing later has come by it: that is no share";
}

/* The QP has heard of nothing later by the EV, but another QP has. */
TEST(Paths, WhatIsSoLateThatItIsLostCountsAsLostOnAnEvThatOthersHear)
{
    Paths f(1, 4);
    f.report(MRC_SEEN_ARRIVED, 1, kSec, kSec);
    mrc_news n = news();
    n.count = 1;
    n.late_since = kSec - kMs;
    n.ev[0] = {.ev = 1, .what = MRC_NEWS_MUTE};
    for (int i = 1; i <= 2; ++i) {
        mrc_paths_learn(&f.p, &n, kSec + kMs);
        EXPECT_EQ(f.entry[1].lost, i);
    }
    n.ev[0].what = MRC_NEWS_LATE;
    mrc_paths_learn(&f.p, &n, kSec + kMs);
    EXPECT_EQ(f.entry[1].lost, 2) << "that is not lost yet";
    EXPECT_EQ(f.changes(), Changes{});
    EXPECT_FALSE(f.entry[1].doubted);
}

/* Round trips of data and of probes. */
TEST(Paths, RoundTripsTellHowLongToWait)
{
    Paths f(1, 2);
    mrc_news n = news();
    EXPECT_EQ(mrc_paths_ask_wait(&f.p), mrc_timing_software.ask);
    n.rtt_ns = 200 * kMs;
    mrc_paths_learn(&f.p, &n, kSec);
    const std::uint64_t rtt = f.p.set.rtt;
    EXPECT_GE(rtt, 100 * kMs) << "a queue that grows is followed at once";
    EXPECT_EQ(mrc_paths_ask_wait(&f.p), 2 * rtt);
    f.report(MRC_SEEN_PROBE_ANSWERED, 0, kSec, kSec + 400 * kMs);
    EXPECT_GE(f.p.set.rtt, 250 * kMs);
    n = news();
    mrc_paths_learn(&f.p, &n, 2 * kSec);
    EXPECT_GE(f.p.set.rtt, 250 * kMs) << "news of nothing are no fast round trip";

    Paths none(0, 0);
    n.rtt_ns = kMs;
    mrc_paths_learn(&none.p, &n, kSec);
}

TEST(Paths, SilenceOfAQpThatKnowsNoEvIsHeeded)
{
    Paths f(1, 2);
    mrc_news n = news();
    n.silent_since = kSec;
    mrc_paths_learn(&f.p, &n, 2 * kSec);
    EXPECT_TRUE(f.probed(0, 2 * kSec));
}

/*
 * A SACK that others overtook names a PSN that was acknowledged long ago: its bits identify the EV.
 */
TEST(Paths, AMarkIsTheEvsThatItNamesByPsnAndBits)
{
    Paths f(1, 4);
    mrc_news n = news();
    n.mark = MRC_SACK_SKIP_ONCE;
    n.entropy = f.ev[2].bits;
    mrc_paths_learn(&f.p, &n, kSec);
    EXPECT_EQ(f.state(2), MRC_EV_SKIP);
    EXPECT_EQ(f.ev[2].marked, 1u);

    n.marked_ev = 1;
    mrc_paths_learn(&f.p, &n, kSec);
    EXPECT_EQ(f.state(1), MRC_EV_GOOD) << "its bits are another's";
    n.entropy = f.ev[1].bits;
    mrc_paths_learn(&f.p, &n, kSec);
    EXPECT_EQ(f.state(1), MRC_EV_SKIP);

    n.mark = MRC_SACK_ALWAYS_SKIP;
    mrc_paths_learn(&f.p, &n, kSec);
    EXPECT_EQ(f.entry[1].why, MRC_EV_WHY_SKIP);
    EXPECT_EQ(f.state(1), MRC_EV_ASSUMED_BAD);
}

// ---- the way back

TEST(Paths, AnswersAreNotProbedAsLongAsSomethingIsHeard)
{
    Paths f(2, 2);
    const std::uint64_t begin = kSec;
    const u16 first = mrc_paths_reverse_probe(&f.p, 0, begin);
    ASSERT_NE(first, MRC_EV_NONE);
    EXPECT_EQ(mrc_paths_reverse_probe(&f.p, 0, begin + mrc_timing_software.reverse_probe - 1),
              MRC_EV_NONE);
    f.report(MRC_SEEN_PROBE_ANSWERED, first, begin, begin + kMs);
    EXPECT_EQ(mrc_paths_reverse_probe(&f.p, 0, begin + mrc_timing_software.reverse_probe),
              MRC_EV_NONE);
    EXPECT_NE(mrc_paths_reverse_probe(&f.p, 0, begin + kMs + mrc_timing_software.reverse_probe),
              MRC_EV_NONE);
}

/* The next probe finds out whether the EV or its plane is dead. */
TEST(Paths, ALostProbeOfTheWayBackIsFollowedByAnotherAtOnce)
{
    Paths f(2, 2);
    const u16 first = mrc_paths_reverse_probe(&f.p, 0, kSec);
    f.report(MRC_SEEN_PROBE_LOST, first, kSec, kSec + kMs);
    const u16 next = mrc_paths_reverse_probe(&f.p, 1, kSec + kMs);
    ASSERT_NE(next, MRC_EV_NONE);
    EXPECT_EQ(f.entry[next].port, f.entry[first].port);
}

/* Like other probes, they fill the queue in which answers wait. */
TEST(Paths, WhereAnswersTakeLongTheWayBackIsProbedLessOften)
{
    Paths f(2, 2);
    f.p.set.rtt = 400 * kMs;
    ASSERT_NE(mrc_paths_reverse_probe(&f.p, 0, kSec), MRC_EV_NONE);
    EXPECT_EQ(mrc_paths_reverse_probe(&f.p, 0, kSec + 100 * kMs - 1), MRC_EV_NONE);
    EXPECT_NE(mrc_paths_reverse_probe(&f.p, 0, kSec + 100 * kMs), MRC_EV_NONE);
}

/* Otherwise all repeated requests would be answered too late again. */
TEST(Paths, ALateAnswerTellsHowLongAnswersTake)
{
    Paths f(1, 2);
    const std::uint64_t wait = mrc_paths_ask_wait(&f.p);
    EXPECT_EQ(mrc_paths_overdue(&f.p, kSec, kSec + wait), 0u) << "a copy of one that came in time";
    EXPECT_EQ(mrc_paths_overdue(&f.p, kSec, kSec + wait + 1), wait);
    EXPECT_EQ(f.p.set.rtt, 0u);
    mrc_paths_late(&f.p, kSec, kSec + 200 * kMs);
    EXPECT_EQ(f.p.set.rtt, 100 * kMs);
    EXPECT_EQ(mrc_paths_ask_wait(&f.p), 200 * kMs);
    EXPECT_EQ(mrc_paths_overdue(&f.p, kSec, kSec + 200 * kMs), 0u) << "so long is waited now";
    EXPECT_EQ(f.changes(), Changes{}) << "of EVs it says nothing";
    EXPECT_EQ(f.entry[0].heard_at, 0u);
    mrc_paths_late(&f.p, 0, 100 * kSec);
    EXPECT_LE(mrc_paths_ask_wait(&f.p), mrc_timing_software.ask_max);

    Paths none(0, 0);
    EXPECT_EQ(mrc_paths_overdue(&none.p, 0, kSec), 0u);
    mrc_paths_late(&none.p, 0, kSec);
}

TEST(Paths, InASearchAnswersGoBackTheWayTheProbeCame)
{
    Paths f(2, 3);
    u16 ev[MRC_REVERSE_COPIES];
    EXPECT_EQ(mrc_paths_answer_evs(&f.p, 2, 14, kSec, ev), 1u);
    f.report(MRC_SEEN_PROBE_LOST, 0, kSec, kSec);
    ASSERT_TRUE(mrc_ev_searching(&f.p.set));
    EXPECT_EQ(mrc_paths_answer_evs(&f.p, 2, 0x10000 | 14, kSec, ev), MRC_REVERSE_COPIES);
    EXPECT_EQ(ev[0], 4) << "index 14 of port 2";
    mrc_paths_answer_evs(&f.p, 2, 99, kSec, ev);
    EXPECT_EQ(f.entry[ev[0]].port, 2) << "any of the plane";
}

// ---- paths that take the place of others --------------------------------------------------------

/// A set of one port per EV, known by the index in its profile.
struct Known : Paths {
    Known(int count, u16 minActive) : Paths(count, 1, minActive) {}

    /// Takes the state of EVs from another set: EVs of the same place, shifted by @p shift.
    void keep(const Paths &old, int shift, std::uint64_t now)
    {
        std::vector<u16> from;
        for (int i = 0; i < p.count; ++i)
            from.push_back(i < shift ? MRC_EV_NONE : static_cast<u16>(i - shift));
        changes();
        mrc_paths_keep(&p, &old.p, from.data(), now);
    }
};

TEST(Paths, WhatWasKnownOfAPathStays)
{
    Known old(4, 1), now(5, 1);

    old.report(MRC_SEEN_ARRIVED, 0, 90 * kMs, 100 * kMs);
    old.lose(1, 200 * kMs);
    old.p.ev[0].acked = 7;
    old.p.ev[1].lost = 3;
    mrc_paths_deny(&old.p, 12, true, 300 * kMs);
    mrc_ev_set_doubted(&old.p.set, 3, true);
    mrc_ev_schedule_start(&old.p.set, &old.entry[3], 2, 400 * kMs);
    mrc_ev_probe_round_trip(&old.p.set, 5 * kMs, kSec / 2);
    old.changes();
    mrc_paths_deny(&now.p, 13, true, 0);
    now.keep(old, 1, kSec);
    EXPECT_EQ(now.state(0), MRC_EV_GOOD) << "a new one";
    EXPECT_EQ(now.state(1), MRC_EV_GOOD);
    EXPECT_EQ(now.entry[1].heard_at, 90 * kMs);
    EXPECT_EQ(now.p.ev[1].acked, 7u);
    EXPECT_EQ(now.state(2), MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(now.entry[2].why, MRC_EV_WHY_LOSS);
    EXPECT_EQ(now.entry[2].changed_at, 200 * kMs);
    EXPECT_EQ(now.entry[2].probe_at, old.entry[1].probe_at) << "its probes go on";
    EXPECT_EQ(now.p.ev[2].lost, 3u);
    EXPECT_EQ(now.state(3), MRC_EV_DENIED);
    EXPECT_TRUE(now.entry[4].doubted);
    EXPECT_EQ(now.entry[4].probe_at, 400 * kMs);
    EXPECT_EQ(now.entry[4].backoff, 2);
    EXPECT_EQ(now.p.set.rtt, old.p.set.rtt);
    EXPECT_EQ(now.p.set.rtt_at, kSec / 2);
    EXPECT_LE(mrc_ev_probe_at(&now.p.set), old.entry[1].probe_at);
    EXPECT_EQ(now.changes(),
              (Changes{{1, MRC_EV_WHY_NONE}, {2, MRC_EV_WHY_LOSS}, {3, MRC_EV_WHY_DENIED}}))
        << "who watches knows EVs by their indices, 11 to 13, and those have moved";
}

TEST(Paths, WhoWatchesIsToldWhatIsAtAnIndexNow)
{
    Known old(3, 1), same(3, 1), others(2, 1);

    old.lose(1, 200 * kMs);
    mrc_paths_deny(&old.p, 12, true, 300 * kMs);
    old.changes();
    mrc_paths_deny(&same.p, 12, true, 0);
    same.keep(old, 0, kSec);
    EXPECT_EQ(same.changes(), Changes()) << "all is as before";
    others.keep(old, 3, kSec);
    EXPECT_EQ(others.changes(), (Changes{{1, MRC_EV_WHY_NONE}})) << "a new one, and good";
}

/* Otherwise idle QPs would wait for an answer on a dead path, although there are other paths. */
TEST(Paths, ASearchEndsWhenNewOnesCome)
{
    Known old(1, 1), same(1, 1), more(2, 1), denied(2, 1);

    old.lose(0, 200 * kMs);
    old.report(MRC_SEEN_PROBE_LOST, 0, 300 * kMs, 400 * kMs);
    ASSERT_TRUE(mrc_ev_searching(&old.p.set));
    same.keep(old, 0, kSec);
    EXPECT_TRUE(mrc_ev_searching(&same.p.set));
    more.keep(old, 1, kSec);
    EXPECT_FALSE(mrc_ev_searching(&more.p.set));
    EXPECT_EQ(mrc_ev_pick(&more.p.set, kSec), 0);
    mrc_paths_deny(&denied.p, 10, true, 0);
    denied.keep(old, 1, kSec);
    EXPECT_TRUE(mrc_ev_searching(&denied.p.set)) << "the new one is of no use";
}

TEST(Paths, WhatIsKnownOfTheWayBackStays)
{
    for (const u16 heard : {0, 1}) {
        Paths old(2, 2), now(2, 2);
        const std::vector<u16> from{0, 1, 2, 3};

        // Probes of plane 2 are lost: answers avoid it.
        for (unsigned int n = 0; n < MRC_REVERSE_LOST_MAX; ++n)
            mrc_reverse_lost(&old.p.reverse, &old.p.set, 2);
        old.report(MRC_SEEN_ARRIVED, heard, 90 * kMs, 100 * kMs);
        mrc_paths_keep(&now.p, &old.p, from.data(), kSec);
        for (int n = 0; n < 4; ++n)
            EXPECT_EQ(mrc_paths_reverse_ev(&now.p, kSec), heard)
                << "most recently heard from, of the plane that works";
    }
}

TEST(Paths, WhatIsDeniedIsTheNewProfilesSay)
{
    Known old(2, 0), now(2, 0);

    mrc_paths_deny(&old.p, 10, true, kMs);
    old.changes();
    mrc_paths_deny(&now.p, 11, true, 2 * kMs);
    now.keep(old, 0, kSec);
    EXPECT_EQ(now.state(0), MRC_EV_GOOD);
    EXPECT_EQ(now.state(1), MRC_EV_DENIED);
    EXPECT_EQ(now.changes(), (Changes{{0, MRC_EV_WHY_ALLOWED}, {1, MRC_EV_WHY_DENIED}}));
    EXPECT_EQ(now.entry[0].changed_at, kSec);
}

TEST(Paths, TheFloorHoldsWhenWhatWasGoodIsGone)
{
    Known old(3, 1), now(2, 1);

    old.report(MRC_SEEN_ARRIVED, 1, 90 * kMs, 100 * kMs);
    old.lose(0, 200 * kMs);
    old.lose(1, 300 * kMs);
    old.changes();
    now.keep(old, 0, kSec); // without the third
    EXPECT_EQ(now.state(0), MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(now.state(1), MRC_EV_HELD) << "most recently heard from";
    EXPECT_EQ(now.changes(), (Changes{{1, MRC_EV_WHY_HELD}}));
}

TEST(Paths, WhatTheFloorHeldGoesWhenNewOnesCome)
{
    Known old(1, 1), now(2, 1);

    old.lose(0, 200 * kMs);
    ASSERT_EQ(old.state(0), MRC_EV_HELD);
    old.changes();
    now.keep(old, 1, kSec);
    EXPECT_EQ(now.state(1), MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(now.changes(), (Changes{{0, MRC_EV_WHY_NONE}, {1, MRC_EV_WHY_BETTER}}));
}

TEST(Paths, OfOthersNothingIsKnown)
{
    Known old(2, 1), now(2, 1);

    old.lose(0, 200 * kMs);
    mrc_ev_probe_round_trip(&old.p.set, 5 * kMs, kSec / 2);
    now.keep(old, 2, kSec);
    EXPECT_EQ(now.state(0), MRC_EV_GOOD);
    EXPECT_EQ(now.p.set.rtt, 0u);
}

/// Tries each state of each of three EVs, each of them kept or not, with each floor.
TEST(Paths, CountsAndTheFloorHoldWhateverIsKept)
{
    constexpr int states[] = {MRC_EV_GOOD, MRC_EV_SKIP, MRC_EV_HELD, MRC_EV_ASSUMED_BAD,
                              MRC_EV_DENIED};

    for (int n = 0; n < 5 * 5 * 5 * 8 * 4; ++n) {
        const int floor = n % 4, kept = n / 4 % 8;
        Known old(3, static_cast<u16>(floor)), now(3, static_cast<u16>(floor));
        std::vector<u16> from(3, MRC_EV_NONE);
        for (int i = 0, left = n / 32; i < 3; ++i, left /= 5) {
            const auto ev = static_cast<u16>(i);
            const int state = states[left % 5];
            if (state == MRC_EV_DENIED)
                mrc_ev_deny(&old.p.set, ev, true, 1);
            else if (state == MRC_EV_SKIP)
                mrc_ev_marked(&old.p.set, ev, 0);
            else if (state != MRC_EV_GOOD)
                mrc_ev_fall(&old.p.set, ev, static_cast<u8>(state), MRC_EV_WHY_LOSS, 1);
            if (kept >> i & 1)
                from[static_cast<std::size_t>(i)] = ev;
        }
        mrc_paths_keep(&now.p, &old.p, from.data(), 2);
        int good = 0, bad = 0, asked = 0;
        for (const mrc_ev_entry &e : now.entry) {
            good += mrc_ev_is_usable(&e);
            bad += e.state == MRC_EV_ASSUMED_BAD;
            asked += mrc_ev_is_usable(&e) && mrc_ev_is_asked(&e);
        }
        ASSERT_EQ(now.p.set.good, good) << n;
        ASSERT_EQ(now.p.set.bad, bad) << n;
        ASSERT_EQ(now.p.set.asked, asked) << n;
        ASSERT_GE(good, std::min(good + bad, floor ? floor : 1)) << n;
        ASSERT_NE(mrc_ev_pick(&now.p.set, 3), MRC_EV_NONE) << n;
    }
}

} // namespace
