// SPDX-License-Identifier: GPL-2.0-only
#include "tx_fixture.h"

TEST(Evidence, LateSackOfTheFirstTransmissionClearsItsEv)
{
    Window win = afterRttOf({5, 5});
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_TRUE(win.lost(5));
    mrc_tx_resend(&win.w, 1, 6, win.now);
    ASSERT_EQ(win.sack(2, {}, 1, true), 0);
    EXPECT_FALSE(win.cleared(5)) << "that was the second";
    ASSERT_EQ(win.sack(2, {}, 1), 0);
    EXPECT_TRUE(win.cleared(5)) << "though acknowledged long since";
    EXPECT_TRUE(win.res.spurious);
}

TEST(Evidence, SackOfThePacketThatHasThePsnAgainClearsNothing)
{
    constexpr std::uint32_t wrap = MRC_PSN_MASK + 1;
    Window win = afterRttOf({5, 5});
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_TRUE(win.lost(5));
    mrc_tx_resend(&win.w, 1, 6, win.now);
    ASSERT_EQ(win.sack(2, {}, 1, true), 0);
    std::uint32_t last = 2;
    for (std::uint32_t sent = 0; sent < wrap - 2; ++sent) {
        last = win.send(7);
        if (!mrc_tx_room(&win.w) || sent == wrap - 3) {
            win.now += kRtt;
            ASSERT_EQ(win.sack(last, {}, last), 0);
        }
    }
    ASSERT_EQ(last, 0u);
    ASSERT_EQ(win.send(7), 1u);
    win.now += kRtt;
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_FALSE(win.cleared(5)) << "16 million packets ago";
    EXPECT_FALSE(win.res.spurious);
}

TEST(Evidence, NewestOfThosePsnsThatShareAPlaceIsRemembered)
{
    Window win = withRtt();
    for (std::uint32_t psn = 1; psn <= MRC_TX_GIVEN_UP + 2; ++psn)
        win.send(psn % 2 ? 5 : 6);
    win.now += kRtt;
    const std::uint32_t last = MRC_TX_GIVEN_UP + 2;
    ASSERT_EQ(win.sack(0, {last}, last), 0);
    ASSERT_TRUE(win.lost(6));
    for (std::uint32_t psn = 2; psn < last; psn += 2)
        mrc_tx_resend(&win.w, psn, 7, win.now);
    ASSERT_EQ(win.sack(0, {last}, 2), 0);
    EXPECT_TRUE(win.cleared(6));
    ASSERT_EQ(win.sack(0, {last}, MRC_TX_GIVEN_UP), 0);
    EXPECT_TRUE(win.cleared(6)) << "of each that has a place of its own";
    ASSERT_EQ(win.sack(0, {last}, 2), 0);
    EXPECT_FALSE(win.cleared(6)) << "once";
}

TEST(Evidence, HoleIsLostWhenALaterPacketOfTheSameEvArrived)
{
    Window win = afterRttOf({5, 6, 5, 6});
    EXPECT_EQ(win.sack(0, {3}, 3), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(win.lost(5));
    EXPECT_FALSE(win.lost(6));
    EXPECT_EQ(win.nextLost(), 1u);
    EXPECT_EQ(win.w.inflight, 2u);
}

namespace
{

/// EV 5 is known to take a round trip; a packet on it, PSN 2, is late while EV 6 is heard of.
struct Late {
    Window win = withRtt();
    std::uint64_t sent;
    unsigned told = 0; ///< how often it was reported as late

    Late()
    {
        win.send(5); // 1
        win.now += kRtt;
        EXPECT_EQ(win.sack(1, {}, 1), 0);
        win.send(5); // 2
        sent = win.now;
    }

    /// A packet on EV @p ev arrives when PSN 2 has been on its way for @p rtts.
    void other(double rtts, u16 ev = 6)
    {
        win.now = sent + static_cast<std::uint64_t>((rtts - 1) * kRtt);
        const std::uint32_t psn = win.send(ev);
        win.now += kRtt;
        mrc_sack s{};
        s.cack_psn = 1;
        s.sack_offset = 2;
        s.ack_offset = static_cast<s16>(psn - 1);
        s.bitmap = ~0ull >> (64 - (psn - 2));
        s.ooo_count = static_cast<u16>(psn - 2);
        ASSERT_EQ(win.apply(s), 0);
        told += win.late(5);
    }
};

} // namespace

/* EV 5's queue may be longer: it takes 404 ticks, in units of four, counted from one. */
TEST(Evidence, AnEvIsNotComparedWithOthersHoweverFastTheyAre)
{
    Late f;
    for (const double rtts : {2.0, 2.5, 3.0}) {
        f.other(rtts);
        EXPECT_EQ(f.told + f.win.res.lost, 0u) << rtts;
    }
    for (const double rtts : {3.1, 4.0, 5.0, 6.0, 7.0, 8.0}) {
        f.other(rtts);
        EXPECT_EQ(f.told, 1u) << "that it is late is told once, at " << rtts;
        EXPECT_EQ(f.win.res.lost, 0u) << rtts;
    }
    f.other(8.1);
    EXPECT_EQ(f.win.res.lost, 1u);
    EXPECT_TRUE(f.win.mute(5));
    EXPECT_FALSE(f.win.lost(5)) << "nothing later has come by it";
    EXPECT_EQ(f.told, 1u);
    EXPECT_EQ(f.win.nextLost(), 2u);
}

TEST(Evidence, AFastEvIsNotGivenTheTimeOfASlowOne)
{
    Window win = afterRttOf({5});
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    win.send(7); // 2
    win.now += 10 * kRtt;
    ASSERT_EQ(win.sack(2, {}, 2), 0);
    win.send(5); // 3
    win.send(7); // 4
    win.now += 15 * kRtt;
    win.send(6); // 5
    win.now += kRtt;
    ASSERT_EQ(win.sack(2, {5}, 5), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 3u);
    EXPECT_TRUE(win.mute(5));
    EXPECT_FALSE(win.late(7));
}

/* The news contain its send time, or a slightly earlier one. */
TEST(Evidence, LateNewsSayWhenThePacketWasSent)
{
    Late f;
    f.other(4);
    EXPECT_LE(f.win.res.late_since, f.sent);
    EXPECT_GT(f.win.res.late_since + 3 * kTick, f.sent);
    f.other(9);
    EXPECT_LE(f.win.res.late_since, f.sent);
    EXPECT_GT(f.win.res.late_since + 3 * kTick, f.sent);
}

TEST(Evidence, WhatIsLateOnAnEvThatIsBadIsLost)
{
    Late f;
    f.other(4);
    ASSERT_EQ(f.told, 1u);
    mrc_evidence_set_silent(&f.win.w.evidence, 5, true);
    f.other(4.5);
    EXPECT_EQ(f.win.res.lost, 1u);
    EXPECT_TRUE(f.win.mute(5));

    Late soon;
    mrc_evidence_set_silent(&soon.win.w.evidence, 5, true);
    soon.other(2.5);
    EXPECT_EQ(soon.win.res.lost, 1u) << "before it is late";

    Late early;
    mrc_evidence_set_silent(&early.win.w.evidence, 5, true);
    early.other(2);
    EXPECT_EQ(early.win.res.lost, 0u) << "twice is what it may take";
    mrc_evidence_set_silent(&early.win.w.evidence, 5, false);
    early.other(4);
    EXPECT_EQ(early.win.res.lost, 0u) << "it is good again";

    mrc_evidence_set_silent(&early.win.w.evidence, MRC_EV_NONE, true);
    EXPECT_FALSE(mrc_evidence_is_silent(&early.win.w.evidence, MRC_EV_NONE));
}

/* Then the packet before was lost, and the EV is not mute. */
TEST(Evidence, WhatIsLateIsLostOnceSomethingLaterHasComeByItsEv)
{
    Late f;
    f.other(4);
    ASSERT_EQ(f.told, 1u);
    mrc_evidence_set_silent(&f.win.w.evidence, 5, true);
    f.other(5, 5);
    EXPECT_EQ(f.win.res.lost, 1u);
    EXPECT_TRUE(f.win.lost(5));
    EXPECT_FALSE(f.win.mute(5));
    EXPECT_FALSE(mrc_evidence_is_silent(&f.win.w.evidence, 5)) << "what the paths held is old";

    f.win.send(5); // 5
    f.win.now += 4 * kRtt;
    f.win.send(6); // 6
    f.win.now += kRtt;
    ASSERT_EQ(f.win.sack(1, {3, 4, 6}, 6), 0);
    EXPECT_EQ(f.win.res.lost, 0u);
    EXPECT_TRUE(f.win.late(5)) << "the next one that is late is told of again";
}

/* A queue that fills up is known at once, a queue that has emptied only gradually. */
TEST(Evidence, WhatAnEvTakesIsTheLongestOfLate)
{
    Window win = withRtt();
    const auto takes = [&](std::uint64_t ns) {
        const std::uint32_t psn = win.send(5);
        win.now += ns;
        EXPECT_EQ(win.sack(psn, {}, psn), 0);
        return win.w.evidence.ev[5].takes * MRC_TX_TAKES_TICKS * kTick;
    };
    EXPECT_NEAR(takes(kRtt), kRtt, 4 * kTick);
    EXPECT_NEAR(takes(4 * kRtt), 4 * kRtt, 4 * kTick);
    EXPECT_NEAR(takes(kRtt), 4 * kRtt - 3 * kRtt / 8, 8 * kTick) << "an eighth of the way";
    EXPECT_EQ(takes(100 * kMs), MRC_TX_TAKES_MAX * MRC_TX_TAKES_TICKS * kTick) << "no wrap";
}

TEST(Evidence, NothingIsInferredByTimeBeforeTheFirstSample)
{
    Window win;
    win.send(1);
    win.now += kSec / 100;
    win.send(2);
    const mrc_sack s = {.ack_offset = -100, .cack_psn = 0xffffff, .sack_offset = 2, .bitmap = 1};
    EXPECT_EQ(win.apply(s), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.lost, 0u);
}

TEST(Evidence, TriggerOutsideTheBitmapIsNoEvidenceAgainstItself)
{
    Window win = afterRttOf({5, 6});
    ASSERT_EQ(win.nack(1), 0);
    mrc_tx_resend(&win.w, 1, 7, win.now);
    win.now += kRtt / 8;
    EXPECT_EQ(win.sack(0, {2}, 1, true), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_EQ(win.w.inflight, 1u);
}

TEST(Evidence, LostRetransmissionIsInferredToo)
{
    Window win = afterRttOf({5, 5});
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_EQ(win.nextLost(), 1u);
    mrc_tx_resend(&win.w, 1, 6, win.now);
    win.send(6); // 3
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2, 3}, 3), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(win.lost(6));
    EXPECT_EQ(win.nextLost(), 1u);
}

namespace
{

/// A first transmission, on EV 7, waits in a queue that a retransmission, sent later, overtakes.
Window overtaken()
{
    Window win = afterRttOf({5, 5, 7});
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 1u);
    mrc_tx_resend(&win.w, 1, 7, win.now);
    win.now += kRtt;
    EXPECT_EQ(win.sack(2, {}, 1, true), 0);
    return win;
}

} // namespace

TEST(Evidence, RetransmissionIsNoEvidenceAgainstFirstTransmissions)
{
    Window win = overtaken();
    EXPECT_EQ(win.res.lost, 0u);
    win.now += kRtt;
    EXPECT_EQ(win.sack(3, {}, 3), 0) << "it was late";
    EXPECT_FALSE(win.res.spurious);
}

/* By rule (b), because retransmissions are in no order. */
TEST(Evidence, RetransmissionShowsThatOlderRetransmissionsAreLate)
{
    Window win = afterRttOf({5, 5, 6, 6});
    ASSERT_EQ(win.sack(0, {2, 4}, 4), 0);
    ASSERT_EQ(win.res.lost, 2u);
    mrc_tx_resend(&win.w, 3, 7, win.now);
    win.now += 8 * kRtt;
    mrc_tx_resend(&win.w, 1, 8, win.now);
    win.now += kRtt;
    EXPECT_EQ(win.sack(2, {4}, 1, true), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(win.mute(7)) << "sent eight round trips before, and as fast";
    EXPECT_FALSE(win.lost(7));
}

TEST(Evidence, FirstTransmissionIsEvidenceAgainstOlderRetransmissions)
{
    Window win = afterRttOf({5, 5});
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    mrc_tx_resend(&win.w, 1, 7, win.now);
    const std::uint32_t later = win.send(7);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2, later}, later), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(win.lost(7)) << "it would have come first";
}

TEST(Evidence, ResentPacketWithoutItsOwnSackIsNoEvidence)
{
    Window win = afterRttOf({5, 6});
    ASSERT_EQ(win.nack(1), 0);
    mrc_tx_resend(&win.w, 1, 6, win.now);
    EXPECT_EQ(win.sack(1, {}, 0), 0) << "either transmission of 1 may have arrived";
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.lost, 0u);
}

TEST(Evidence, ForgottenEvsAreNotBlamed)
{
    Window win = afterRttOf({5, 5, 6});
    mrc_tx_forget_evs(&win.w);
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_EQ(win.res.ev, MRC_EV_NONE);
    win.now += 7 * kRtt;
    win.send(5); // 4, another path now
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2, 4}, 4), 0);
    EXPECT_EQ(win.res.lost, 2u) << "by time: eight times what the slowest of all takes";
    EXPECT_EQ(win.res.ev, 5);
    for (unsigned ev = 0; ev < MRC_EV_MAX; ++ev)
        EXPECT_FALSE(win.lost(ev) || win.late(ev) || win.mute(ev));
}

TEST(EvidenceAcked, EveryWayToBeAcknowledgedCountsOnce)
{
    Window win;
    for (u16 ev : {u16{5}, u16{5}, u16{6}, u16{7}, u16{6}, u16{6}, u16{8}, u16{MRC_EV_NONE}})
        win.send(ev); // 0 .. 7
    ASSERT_EQ(win.sack(1, {4}, 4), 0);
    EXPECT_EQ(win.ackedEvs(), (std::set<unsigned>{5, 6}));
    EXPECT_EQ(win.acked(5), 2u) << "cumulative PSN";
    EXPECT_EQ(win.acked(6), 1u) << "bitmap";
    EXPECT_EQ(win.acked(7), 0u);

    ASSERT_EQ(win.sack(1, {4}, 4), 0);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{});
    ASSERT_EQ(win.ack(5), 0);
    EXPECT_EQ(win.ackedEvs(), (std::set<unsigned>{6, 7}));
    EXPECT_EQ(win.acked(6), 2u) << "transport ACK";
    EXPECT_EQ(win.acked(7), 1u);

    ASSERT_EQ(win.sack(7, {}, 7), 0);
    EXPECT_EQ(win.res.acked, 2u);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{8}) << "the other one had none";
}

TEST(EvidenceAcked, AnswerToAProbeCountsToo)
{
    Window win = withTail(3);
    ASSERT_EQ(win.answer(77, 1, {3}), 0);
    EXPECT_EQ(win.ackedEvs(), (std::set<unsigned>{1, 3}));
}

TEST(EvidenceAcked, LateArrivalOfAPacketNotSentAgainCounts)
{
    Window win = withTail(1);
    ASSERT_EQ(win.nack(1), 0);
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{1});
}

TEST(EvidenceAcked, RetransmissionCountsIfItsOwnSackTells)
{
    Window win = withTail(1);
    win.again(1, 20);
    ASSERT_EQ(win.sack(1, {}, 1, true), 0);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{20});
    EXPECT_EQ(win.acked(20), 1u);
    EXPECT_EQ(win.acked(1), 0u);
}

TEST(EvidenceAcked, WhatMayBeEitherTransmissionCountsForNone)
{
    Window covered = withTail(2);
    covered.again(1, 20);
    ASSERT_EQ(covered.sack(2, {}, 2), 0) << "the SACK of another packet";
    EXPECT_EQ(covered.ackedEvs(), std::set<unsigned>{2});

    Window first = withTail(1);
    first.again(1, 20);
    ASSERT_EQ(first.sack(1, {}, 1), 0) << "the first transmission's";
    EXPECT_EQ(first.res.acked, 1u);
    EXPECT_EQ(first.ackedEvs(), std::set<unsigned>{});

    Window thrice = withTail(1);
    thrice.again(1, 20);
    thrice.again(1, 21);
    ASSERT_EQ(thrice.sack(1, {}, 1, true), 0) << "the second's or the third's";
    EXPECT_EQ(thrice.res.acked, 1u);
    EXPECT_EQ(thrice.ackedEvs(), std::set<unsigned>{});
}

TEST(EvidenceAcked, ATriggerThatIsNotAcknowledgedYetCountsWhenItIs)
{
    Window win = withTail(2);
    win.again(1, 20);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(win.sack(0, {}, 1, true), 0);
        EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{});
    }
    ASSERT_EQ(win.sack(2, {}, 2), 0);
    EXPECT_EQ(win.ackedEvs(), (std::set<unsigned>{2, 20}));
    EXPECT_EQ(win.acked(20), 1u);

    Window more = withTail(1);
    more.again(1, 20);
    ASSERT_EQ(more.sack(0, {}, 1, true), 0);
    more.again(1, 21);
    ASSERT_EQ(more.sack(1, {}, 0), 0);
    EXPECT_EQ(more.ackedEvs(), std::set<unsigned>{}) << "sent again since";
}

TEST(EvidenceAcked, ForgottenWithTheEvs)
{
    Window win = withTail(2);
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    mrc_tx_forget_evs(&win.w);
    ASSERT_EQ(win.sack(2, {}, 2), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{});
}

/* The QP is connected to a number that does not exist, so nothing answers: no path is to blame. */
TEST(Evidence, WhoHearsOfNothingBlamesNoPath)
{
    Window win(0, 128, 10 * kMs, 7, 0);
    const std::uint64_t sent = win.now;
    win.send(3);
    win.send(4);
    for (int n = 0; n < 7; ++n) {
        win.now += 10 * kMs;
        win.timeout();
        ASSERT_EQ(win.res.lost, 2u);
        EXPECT_FALSE(win.lost(3) || win.lost(4)) << n;
        EXPECT_TRUE(win.silent(3) && win.silent(4));
        EXPECT_EQ(mrc_tx_in_vain(&win.w), n > 0) << "sent again in vain";
        if (n == 0) {
            EXPECT_LE(win.res.silent_since, sent);
            EXPECT_GT(win.res.silent_since + 2 * kTick, sent);
        }
        for (std::uint32_t psn : {0u, 1u})
            mrc_tx_resend(&win.w, psn, psn ? 4 : 3, win.now);
    }
    ASSERT_EQ(win.sack(1, {}, 1, true), 0);
    EXPECT_FALSE(mrc_tx_in_vain(&win.w));
}

namespace
{

/// A window whose peer has answered PSN 0, and tolerates reordering of more than a timeout.
Window met()
{
    Window win(0, 128, 10 * kMs);
    win.send(1);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {}, 0), 0);
    win.w.rtt.reorder_ns = 40 * kMs; // losses would be found sooner
    return win;
}

} // namespace

TEST(Evidence, WhoHearsOfSomethingSentLaterDoes)
{
    Window win = met();
    win.send(3);
    win.now += kMs;
    win.send(4);
    win.now += kMs;
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_LE(win.heard(4), win.now - kMs);
    EXPECT_GT(win.heard(4), win.now - kMs - 2 * kTick);
    win.now += 10 * kMs;
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(win.mute(3)) << "nothing later has come by it";
    EXPECT_FALSE(win.lost(3));
    EXPECT_EQ(win.res.silent_since, 0u);

    Window probed = met();
    probed.send(3);
    probed.now += kMs;
    mrc_tx_probe(&probed.w, probed.now);
    const u16 id = mrc_tx_probe(&probed.w, probed.now);
    ASSERT_EQ(probed.w.probe_ev, MRC_EV_NONE);
    probed.now += kMs;
    ASSERT_EQ(probed.answer(id, 0), 0);
    EXPECT_EQ(probed.res.lost, 0u);
    probed.now += 10 * kMs;
    probed.timeout();
    EXPECT_TRUE(probed.mute(3)) << "a probe that was sent later has been answered";
}

/* The peer may not have been ready yet: packets that it missed are no path's fault. */
TEST(Evidence, WhatWasSentBeforeTheFirstAnswerBlamesNoPath)
{
    Window win;
    win.send(1);
    win.send(2);
    win.now += 50 * kMs;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 0xffffff), 0);
    EXPECT_EQ(win.res.lost, 2u) << "sent again all the same";
    EXPECT_FALSE(win.lost(1) || win.lost(2));
    EXPECT_TRUE(win.silent(1) && win.silent(2));
    EXPECT_GT(win.res.silent_since, 0u) << "they are in doubt";
    mrc_tx_resend(&win.w, 0, 3, win.now);
    mrc_tx_resend(&win.w, 1, 4, win.now);
    ASSERT_EQ(win.sack(1, {}, 1, true), 0);

    win.send(5);
    win.now += kTick;
    win.send(5);
    win.now += kRtt;
    ASSERT_EQ(win.sack(1, {3}, 3), 0);
    EXPECT_TRUE(win.lost(5)) << "it has been met";
}

TEST(Evidence, WhatMayHaveBeenOvertakenIsInDoubt)
{
    Window win = overtaken();
    win.now += win.w.rtt.retries.timeout_ns;
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_FALSE(win.lost(7)) << "but a retransmission has arrived by it";
    EXPECT_TRUE(win.silent(7));
    EXPECT_EQ(win.res.silent_since, 1u) << "no other EV is in doubt: the peer speaks";
}

TEST(EvidenceWrap, SendTimes)
{
    // the tick counter wraps while packets are in flight
    Window win = withRtt();
    win.now = (1ull << 40) - kRtt;
    win.send(5); // 1
    win.send(6); // 2
    win.now += 8 * kRtt;
    win.send(5); // 3
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), (1ull << 40) - kRtt + 100 * kMs);
    win.timeout();
    EXPECT_EQ(win.res.lost, 0u);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {3}, 3), 0);
    EXPECT_EQ(win.res.rtt_ns, kRtt);
    EXPECT_EQ(win.res.lost, 2u) << "1 on the same EV, 2 by time";
    EXPECT_TRUE(win.lost(5) && win.mute(6));
}

/* They have the same send time, but are told apart by the order in which they left. */
TEST(Evidence, PacketsOfOneTickAreToldApart)
{
    Window win = afterRttOf({5, 5, 5});
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
}

TEST(Evidence, WhatCannotBeToldApartIsNotJudged)
{
    Window win(0, 1024);
    win.send(5);
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {}, 0), 0);
    const std::uint32_t last = MRC_TX_ORDER_MAX + 10;
    while (win.w.nxt <= last)
        win.send(5); // all in one tick
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {last}, last), 0);
    EXPECT_EQ(win.res.lost, MRC_TX_ORDER_MAX) << "what left before those that count as one";
    win.now += kTick;
    const std::uint32_t later = win.send(5);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {last, later}, later), 0);
    EXPECT_EQ(win.res.lost, last - 1 - MRC_TX_ORDER_MAX) << "now they are";
}

TEST(EvidenceWrap, EvUnusedForHalfTheClock)
{
    Window win = withRtt(); // EV 99 has evidence
    win.now += 700 * kSec;
    win.send(99); // 1
    win.send(1);  // 2
    win.now += kTick;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u) << "old evidence must not look new";
}

TEST(EvidenceWrap, IdleForMoreThanHalfTheClock)
{
    Window win = withRtt();
    win.now += 700 * kSec;
    win.send(1); // 1
    win.send(2); // 2
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u) << "old evidence must not look new";
}

namespace
{

mrc_sack sackOf(std::uint32_t cack, std::uint32_t trigger)
{
    return {.ack_offset = static_cast<s16>(trigger - cack), .cack_psn = cack};
}

/// All news, list by list.
std::vector<mrc_news> allNews(Window &win)
{
    std::vector<mrc_news> lists;
    for (mrc_news n; mrc_tx_take_news(&win.w, win.now, &n), n.count;)
        lists.push_back(n);
    return lists;
}

} // namespace

TEST(EvidenceNews, IsAShortListThatIsTakenOnce)
{
    Window win = withRtt();
    for (int i = 0; i < 64; ++i)
        win.send(static_cast<u16>(i % 8));
    win.now += kRtt;
    const mrc_sack sack = sackOf(64, 64);
    ASSERT_EQ(mrc_tx_sack(&win.w, &sack, false, win.now, &win.res), 0);
    mrc_news n;
    mrc_tx_take_news(&win.w, win.now, &n);
    ASSERT_EQ(n.count, 8u);
    std::set<unsigned> evs;
    for (unsigned i = 0; i < n.count; ++i) {
        evs.insert(n.ev[i].ev);
        EXPECT_EQ(n.ev[i].what, MRC_NEWS_ACKED);
        EXPECT_EQ(n.ev[i].acked, 8u);
        EXPECT_LE(n.ev[i].heard_ns, win.now - kRtt);
        EXPECT_GT(n.ev[i].heard_ns, win.now - kRtt - 2 * kTick);
    }
    EXPECT_EQ(evs.size(), 8u);
    mrc_tx_take_news(&win.w, win.now, &n);
    EXPECT_EQ(n.count, 0u);
}

/* Of 40 EVs 20 lose a packet and have another one arrive: 40 arrivals and 20 losses. */
TEST(EvidenceNews, OfManyEvsComesListByListArrivalsFirst)
{
    Window win = withRtt();
    for (int i = 0; i < 60; ++i)
        win.send(static_cast<u16>(i < 20 ? i : i - 20));
    win.now += kRtt;
    mrc_sack sack = sackOf(0, 60);
    sack.sack_offset = 21; // what was sent first on EVs 0 to 19 has not arrived
    sack.bitmap = ~0ull >> 24;
    sack.ooo_count = 40;
    ASSERT_EQ(mrc_tx_sack(&win.w, &sack, false, win.now, &win.res), 0);
    ASSERT_EQ(win.res.lost, 20u);

    std::set<unsigned> acked;
    std::set<unsigned> lost;
    const auto lists = allNews(win);
    EXPECT_EQ(lists.size(), (40 + 20 + MRC_NEWS_MAX - 1) / MRC_NEWS_MAX);
    for (const auto &n : lists)
        for (unsigned i = 0; i < n.count; ++i) {
            if (n.ev[i].what & MRC_NEWS_ACKED) {
                EXPECT_EQ(lost.size(), 0u);
                EXPECT_TRUE(acked.insert(n.ev[i].ev).second);
            }
            if (n.ev[i].what & MRC_NEWS_LOST) {
                EXPECT_TRUE(lost.insert(n.ev[i].ev).second);
            }
        }
    EXPECT_EQ(acked.size(), 40u);
    EXPECT_EQ(lost.size(), 20u);
}

/// A probe leaves after a quiet time, and its answer reports nothing new.
static void answerProbe(Window &win)
{
    win.now += kQuiet;
    mrc_sack answer{};
    answer.probe = true;
    answer.ack_offset = static_cast<s16>(mrc_tx_probe(&win.w, win.now));
    win.now += kRtt;
    ASSERT_EQ(mrc_tx_sack(&win.w, &answer, false, win.now, &win.res), 0);
}

/* Whatever was lost before the probe: the EV and its plane are alive. */
TEST(EvidenceNews, AProbeThatIsAnsweredHasArrivedByItsEv)
{
    Window win = withTail(5);
    const u64 sent = win.now + kQuiet;
    answerProbe(win);
    const u16 ev = win.w.probe_ev;
    ASSERT_LT(ev, MRC_EV_MAX);
    mrc_news n;
    mrc_tx_take_news(&win.w, win.now, &n);
    ASSERT_EQ(n.ev[0].ev, ev);
    EXPECT_EQ(n.ev[0].what, MRC_NEWS_ACKED);
    EXPECT_EQ(n.ev[0].acked, 0u);
    EXPECT_LE(n.ev[0].heard_ns, sent);
    EXPECT_GT(n.ev[0].heard_ns, sent - 2 * kTick);
    ASSERT_EQ(n.count, 1 + 5u);
    for (unsigned i = 1; i < n.count; ++i)
        EXPECT_EQ(n.ev[i].what, n.ev[i].ev == ev ? MRC_NEWS_LOST : MRC_NEWS_MUTE);
}

TEST(EvidenceNews, WhatWasNotTakenIsNotToldByTheNextCall)
{
    Window win = withTail(20);
    answerProbe(win);
    ASSERT_EQ(win.res.lost, 20u);
    mrc_news n;
    mrc_tx_take_news(&win.w, win.now, &n); // a part
    DECLARE_BITMAP(left, MRC_EV_MAX);
    mrc_evidence_lost_evs(&win.w.evidence, left);
    EXPECT_EQ(__builtin_popcountl(left[0]), 20 + 1 - static_cast<int>(MRC_NEWS_MAX))
        << "first of all, the probe has arrived by its EV";

    ASSERT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{1});
    for (unsigned ev = 0; ev < 64; ++ev)
        EXPECT_FALSE(win.lost(ev)) << ev;
}

TEST(EvidenceNews, WhatIsForgottenWithTheEvsIsNone)
{
    Window win = withTail(20);
    const mrc_sack sack = sackOf(1, 1);
    ASSERT_EQ(mrc_tx_sack(&win.w, &sack, false, win.now, &win.res), 0);
    mrc_tx_forget_evs(&win.w);
    EXPECT_TRUE(allNews(win).empty());
}

/*
 * A trimmed packet may cost its EV before the NACK arrives, because the SACK of a later packet
 * overtook the NACK. The NACK shows that the EV brought the packet.
 */
TEST(Evidence, ANackThatIsOvertakenClearsTheEv)
{
    Window win = withRtt();
    win.send(5);
    const std::uint32_t later = win.send(5);
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {later}, later), 0);
    ASSERT_TRUE(win.lost(5));
    EXPECT_EQ(win.nack(1), -EALREADY);
    EXPECT_TRUE(win.res.spurious);
    EXPECT_TRUE(win.cleared(5));
    EXPECT_EQ(win.nack(1), -EALREADY) << "it comes twice";
    EXPECT_FALSE(win.res.spurious);
    EXPECT_FALSE(win.cleared(5));
}

/* The same after the packet was sent again; but an EV that was never blamed makes no news. */
TEST(Evidence, ANackOfTheFirstTransmissionClearsItsEv)
{
    Window win = withRtt();
    win.send(5);
    const std::uint32_t later = win.send(5);
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {later}, later), 0);
    ASSERT_EQ(win.nextLost(), 1u);
    mrc_tx_resend(&win.w, 1, 6, win.now);
    EXPECT_EQ(win.nack(later), -EALREADY) << "it has arrived";
    EXPECT_FALSE(win.res.spurious);
    EXPECT_EQ(win.nack(1), -EALREADY);
    EXPECT_TRUE(win.cleared(5));
    EXPECT_FALSE(win.cleared(6));
}
