// SPDX-License-Identifier: GPL-2.0-only
#include "engine/core.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace
{

constexpr unsigned kMiddle = MRC_OPF_REQUEST;
constexpr unsigned kOnly = MRC_OPF_REQUEST | MRC_OPF_FIRST | MRC_OPF_LAST;
constexpr unsigned kOnlyImm = kOnly | MRC_OPF_TAKES | MRC_OPF_IMM;

struct Window {
    std::vector<unsigned long> mem;
    mrc_rx_window w;

    Window(std::uint32_t size, std::uint32_t immMax, std::uint32_t psn)
        : mem((mrc_rx_window_mem(size, immMax) + sizeof(long) - 1) / sizeof(long))
    {
        mrc_rx_window_init(&w, mem.data(), size, immMax, psn);
    }

    mrc_rx_arrival arrival(std::uint32_t psn, unsigned opflags = kOnly)
    {
        mrc_rx_arrival a{};
        a.psn = psn;
        a.payload = 1000;
        a.nominal = 1100;
        a.opflags = opflags;
        a.imm = htonl(psn);
        a.dmalen = psn * 3;
        a.ev = psn ^ 0xe0000000;
        a.tx_timestamp = static_cast<std::uint16_t>(psn);
        return a;
    }

    int arrive(const mrc_rx_arrival &a)
    {
        EXPECT_EQ(mrc_rx_claim(&w, a.psn), MRC_RX_NEW) << a.psn;
        return mrc_rx_commit(&w, &a);
    }

    void arrive(std::uint32_t psn, unsigned opflags = kOnly)
    {
        EXPECT_EQ(arrive(arrival(psn, opflags)), 0);
    }

    std::optional<mrc_rx_done> done()
    {
        mrc_rx_done d;
        return mrc_rx_next_done(&w, &d) ? std::optional(d) : std::nullopt;
    }

    std::optional<mrc_sack> sack(bool *rtx = nullptr)
    {
        mrc_sack s;
        bool r;
        if (!mrc_rx_sack_next(&w, &s, &r))
            return std::nullopt;
        if (rtx)
            *rtx = r;
        return s;
    }
};

std::set<std::uint32_t> named(const mrc_sack &s)
{
    std::set<std::uint32_t> out;
    for (int i = 0; i < 64; ++i)
        if (s.bitmap >> i & 1)
            out.insert(mrc_psn_add(s.cack_psn, s.sack_offset + i));
    return out;
}

} // namespace

TEST(RxWindow, InOrderPacketsAdvanceTheCumulativePsn)
{
    Window win(128, 4, 100);
    EXPECT_EQ(win.w.cack, 99u);
    for (std::uint32_t psn = 100; psn < 110; ++psn)
        win.arrive(psn);
    EXPECT_EQ(win.w.cack, 109u);
    EXPECT_EQ(win.w.max, 109u);
    EXPECT_EQ(win.w.ooo, 0u);
    EXPECT_EQ(win.w.bytes, 11000u) << "nominal";
}

TEST(RxWindow, PsnWrap)
{
    Window win(256, 4, 0xfffffe);
    win.arrive(1);
    win.arrive(0xffffff);
    EXPECT_EQ(win.w.cack, 0xfffffdu);
    EXPECT_EQ(win.w.ooo, 2u);
    EXPECT_EQ(win.w.max, 1u);
    win.arrive(0xfffffe);
    EXPECT_EQ(win.w.cack, 0xffffffu);
    win.arrive(0);
    EXPECT_EQ(win.w.cack, 1u);
    for (std::uint32_t psn : {0xfffffeu, 0xffffffu, 0u, 1u}) {
        auto d = win.done();
        ASSERT_TRUE(d);
        EXPECT_EQ(d->psn, psn);
    }
    EXPECT_FALSE(win.done());
}

TEST(RxWindow, MessageCountWrapsAt24Bits)
{
    Window win(128, 0, 0);
    win.w.msn = 0xffffff;
    win.arrive(0);
    EXPECT_EQ(win.done()->msn, 0u);
}

TEST(RxWindow, WindowEdges)
{
    Window win(128, 4, 1000);
    EXPECT_EQ(mrc_rx_claim(&win.w, 999 + 128), MRC_RX_NEW);
    EXPECT_EQ(mrc_rx_claim(&win.w, 1000 + 128), MRC_RX_OOR);
    EXPECT_EQ(mrc_rx_claim(&win.w, 999), MRC_RX_DUP);
    EXPECT_EQ(mrc_rx_claim(&win.w, mrc_psn_add(999, -0x800000)), MRC_RX_DUP);
    EXPECT_EQ(mrc_rx_claim(&win.w, mrc_psn_add(999, 0x7fffff)), MRC_RX_OOR);
}

TEST(RxWindow, LateDuplicateIsNeverPlaced)
{
    Window win(128, 4, 0);
    EXPECT_EQ(mrc_rx_claim(&win.w, 0), MRC_RX_NEW);
    EXPECT_EQ(mrc_rx_claim(&win.w, 0), MRC_RX_DUP) << "while the first copy is being placed";
    mrc_rx_arrival a = win.arrival(0);
    EXPECT_EQ(mrc_rx_commit(&win.w, &a), 0);
    EXPECT_EQ(mrc_rx_claim(&win.w, 0), MRC_RX_DUP) << "after it was placed";
    win.arrive(5);
    EXPECT_EQ(mrc_rx_claim(&win.w, 5), MRC_RX_DUP) << "placed beyond a hole";
    ASSERT_TRUE(win.done());
    EXPECT_EQ(mrc_rx_claim(&win.w, 0), MRC_RX_DUP) << "after its message was handed out";
}

TEST(RxWindow, ClaimedIsNotArrived)
{
    Window win(128, 4, 0);
    EXPECT_EQ(mrc_rx_claim(&win.w, 0), MRC_RX_NEW);
    win.arrive(1);
    EXPECT_EQ(win.w.cack, 0xffffffu);
    EXPECT_EQ(named(*win.sack()), std::set<std::uint32_t>{1});
    EXPECT_FALSE(win.done());

    mrc_rx_unclaim(&win.w, 0);
    EXPECT_EQ(mrc_rx_claim(&win.w, 0), MRC_RX_NEW) << "a failed placement may be tried again";
}

TEST(RxWindow, DuplicateMustBeSackedAgain)
{
    Window win(128, 4, 0);
    for (std::uint32_t psn : {0u, 1u, 3u})
        win.arrive(psn);
    ASSERT_TRUE(win.sack());
    ASSERT_FALSE(win.sack());
    ASSERT_FALSE(mrc_rx_sack_due(&win.w));

    for (std::uint32_t psn : {1u, 3u}) {
        ASSERT_EQ(mrc_rx_claim(&win.w, psn), MRC_RX_DUP);
        EXPECT_TRUE(mrc_rx_sack_due(&win.w));
        mrc_rx_arrival dup = win.arrival(psn);
        dup.rtx = true;
        dup.ev = 0x77;
        mrc_rx_note_dup(&win.w, &dup);

        bool rtx = false;
        auto s = win.sack(&rtx);
        ASSERT_TRUE(s);
        EXPECT_TRUE(rtx);
        EXPECT_EQ(s->entropy, 0x77u);
        EXPECT_EQ(mrc_psn_add(s->cack_psn, s->ack_offset), psn);
        EXPECT_EQ(s->cack_psn, 1u);
        EXPECT_EQ(named(*s), std::set<std::uint32_t>{3});
        EXPECT_FALSE(win.sack());
    }
}

TEST(RxWindow, OldDuplicateTellsNoWrongPsn)
{
    Window win(128, 4, 0);
    win.w.cack = win.w.max = win.w.done_psn = 0x400000;
    mrc_rx_arrival dup = win.arrival(7);
    ASSERT_EQ(mrc_rx_claim(&win.w, 7), MRC_RX_DUP);
    mrc_rx_note_dup(&win.w, &dup);
    auto s = win.sack();
    ASSERT_TRUE(s);
    EXPECT_EQ(s->cack_psn, 0x400000u);
    EXPECT_EQ(s->ack_offset, -32768) << "as far back as the field reaches, outside any window";
    EXPECT_EQ(s->bitmap, 0u);
}

TEST(RxWindow, OldestDuplicateDoesNotHideNews)
{
    Window win(256, 4, 0);
    const std::uint32_t oldest = mrc_psn_add(win.w.cack, -0x800000);
    mrc_rx_arrival dup = win.arrival(oldest);
    ASSERT_EQ(mrc_rx_claim(&win.w, oldest), MRC_RX_DUP);
    mrc_rx_note_dup(&win.w, &dup);
    for (std::uint32_t psn : {0u, 1u, 3u, 200u})
        win.arrive(psn); // the cumulative PSN is more than half the space ahead of it now
    std::set<std::uint32_t> told;
    while (auto s = win.sack())
        told.merge(named(*s));
    EXPECT_EQ(told, (std::set<std::uint32_t>{3, 200}));
}

TEST(RxWindow, WhatIsOutsideTheWindowIsNoDuplicate)
{
    Window win(128, 4, 0);
    mrc_rx_arrival stray = win.arrival(5000);
    mrc_rx_note_dup(&win.w, &stray);
    EXPECT_FALSE(win.sack());
}

TEST(RxWindow, SackIsNotACompletion)
{
    Window win(128, 4, 0);
    win.arrive(0, kMiddle | MRC_OPF_FIRST);
    win.arrive(2, kOnly);
    auto s = win.sack();
    ASSERT_TRUE(s);
    EXPECT_EQ(s->cack_psn, 0u);
    EXPECT_EQ(named(*s), std::set<std::uint32_t>{2});
    EXPECT_FALSE(win.done()) << "told by SACK, but neither message is complete in order";

    win.arrive(1, kMiddle | MRC_OPF_LAST);
    EXPECT_EQ(win.done()->psn, 1u);
    EXPECT_EQ(win.done()->psn, 2u);
    EXPECT_FALSE(win.done());
}

TEST(RxWindow, ImmediatesAreDeliveredInSendOrderAndAfterAllEarlierRequests)
{
    Window win(128, 8, 0);
    // Writes 0 and 1-2; immediates 3, 4, 5; write 6; immediate 7. All but 1 arrive, last first.
    const std::map<std::uint32_t, unsigned> packets = {{7, kOnlyImm}, {6, kOnly},
                                                       {5, kOnlyImm}, {4, kOnlyImm},
                                                       {3, kOnlyImm}, {2, kMiddle | MRC_OPF_LAST}};
    for (auto it = packets.rbegin(); it != packets.rend(); ++it)
        win.arrive(it->first, it->second);
    EXPECT_FALSE(win.done());
    win.arrive(0, kOnly);
    EXPECT_EQ(win.done()->psn, 0u);
    EXPECT_FALSE(win.done()) << "an earlier request has not fully arrived";

    win.arrive(1, kMiddle | MRC_OPF_FIRST);
    for (std::uint32_t psn = 2; psn <= 7; ++psn) {
        auto d = win.done();
        ASSERT_TRUE(d);
        EXPECT_EQ(d->psn, psn);
        EXPECT_EQ(d->msn, psn);
        EXPECT_EQ(d->has_imm, psn != 2 && psn != 6);
        if (d->has_imm) {
            EXPECT_EQ(d->imm, htonl(psn));
            EXPECT_EQ(d->len, psn * 3);
        }
    }
    EXPECT_FALSE(win.done());
}

TEST(RxWindow, AMessageTellsWhatItWasMadeOf)
{
    Window win(128, 2, 10);
    win.arrive(11, kMiddle | MRC_OPF_FIRST);
    win.arrive(12, kMiddle);
    mrc_rx_arrival last = win.arrival(13, kMiddle | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM);
    last.payload = 7;
    ASSERT_EQ(win.arrive(last), 0);
    win.arrive(10, kOnly);
    EXPECT_EQ(win.done()->packets, 1u);
    const auto d = win.done();
    ASSERT_TRUE(d);
    EXPECT_EQ(d->packets, 3u);
    EXPECT_EQ(d->payload, 7u);
}

TEST(RxWindow, ARefusedMessageWasNotExecuted)
{
    Window win(128, 2, 0xfffffe);
    win.arrive(0xfffffe, kOnly);
    win.arrive(0xffffff, kMiddle | MRC_OPF_FIRST);
    win.arrive(0, kMiddle | MRC_OPF_LAST);
    ASSERT_TRUE(win.done());
    const auto d = win.done();
    ASSERT_TRUE(d);
    EXPECT_EQ(d->psn, 0u);
    mrc_rx_undo(&win.w, &*d);
    EXPECT_EQ(win.w.done_psn, 0xfffffeu);
    EXPECT_EQ(win.w.msn, 1u);
}

TEST(RxWindow, TooManyImmediatesInFlight)
{
    Window win(128, 2, 0);
    win.arrive(1, kOnlyImm);
    win.arrive(2, kOnlyImm);
    EXPECT_EQ(win.arrive(win.arrival(3, kOnlyImm)), -ENOSPC);
    EXPECT_EQ(mrc_rx_claim(&win.w, 3), MRC_RX_DUP) << "claimed";
    win.arrive(0, kOnly);
    EXPECT_EQ(win.w.cack, 2u) << "not arrived";
    while (win.done()) {
    }
    win.arrive(4, kOnlyImm);
    EXPECT_EQ(win.w.takers_used, 1u) << "room again once they were handed out";
}

TEST(RxWindow, NoImmediatesAtAll)
{
    Window win(128, 0, 0);
    EXPECT_EQ(win.arrive(win.arrival(0, kOnlyImm)), -ENOSPC);
}

TEST(RxWindow, CompletedMessagesNotTakenCloseTheWindow)
{
    Window win(128, 4, 0);
    for (std::uint32_t psn = 0; psn < 128; ++psn)
        win.arrive(psn);
    EXPECT_EQ(mrc_rx_claim(&win.w, 128), MRC_RX_OOR);
    for (std::uint32_t psn = 0; psn < 128; ++psn) {
        auto d = win.done();
        ASSERT_TRUE(d);
        EXPECT_EQ(d->psn, psn) << "nothing forgotten";
    }
    EXPECT_FALSE(win.done());
    EXPECT_EQ(mrc_rx_claim(&win.w, 128), MRC_RX_NEW);
}

TEST(RxWindow, MessageLongerThanTheWindow)
{
    Window win(128, 4, 0xfffff0);
    std::uint32_t psn = 0xfffff0;
    for (int i = 0; i < 1000; ++i) {
        win.arrive(psn, kMiddle);
        EXPECT_FALSE(win.done());
        psn = mrc_psn_add(psn, 1);
    }
    win.arrive(psn, kMiddle | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM);
    auto d = win.done();
    ASSERT_TRUE(d);
    EXPECT_EQ(d->psn, psn);
    EXPECT_EQ(d->msn, 1u);
    EXPECT_TRUE(d->has_imm);
}

TEST(RxWindow, SackAtOnceForMarkRetransmissionAndRequest)
{
    for (int what = 0; what < 4; ++what) {
        Window win(128, 4, 0);
        mrc_rx_arrival a = win.arrival(0);
        a.ce = what == 1;
        a.rtx = what == 2;
        a.ackreq = what == 3;
        EXPECT_EQ(win.arrive(a), 0);
        EXPECT_EQ(mrc_rx_sack_due(&win.w), what != 0) << what;
    }
}

TEST(RxWindow, SackByBytesCountsAtLeast1024PerPacket)
{
    Window win(128, 4, 0);
    win.w.sack_bytes = 4096;
    for (std::uint32_t psn = 0; psn < 8; ++psn) {
        mrc_rx_arrival a = win.arrival(psn);
        a.payload = 1;
        win.arrive(a);
        EXPECT_EQ(mrc_rx_sack_due(&win.w), psn % 4 == 3) << psn;
        if (mrc_rx_sack_due(&win.w)) {
            EXPECT_TRUE(win.sack());
            EXPECT_FALSE(mrc_rx_sack_due(&win.w));
        }
    }
    mrc_rx_arrival big = win.arrival(8);
    big.payload = 4096;
    win.arrive(big);
    EXPECT_TRUE(mrc_rx_sack_due(&win.w));
}

/*
 * A requester that has never asked may stop and wait for a SACK, because its window may be smaller
 * than ours.
 */
TEST(RxWindow, WhoDoesNotAskIsToldMoreOften)
{
    Window win(128, 4, 0);
    ASSERT_GT(win.w.sack_bytes, 20 * 4096u);
    const auto packets = [&win](std::uint32_t first, std::uint32_t n) {
        for (std::uint32_t psn = first; psn < first + n; ++psn)
            win.arrive(psn);
    };
    packets(0, 3);
    EXPECT_FALSE(mrc_rx_sack_due(&win.w));
    packets(3, 1);
    EXPECT_TRUE(mrc_rx_sack_due(&win.w));
    EXPECT_TRUE(win.sack());
    mrc_rx_arrival asks = win.arrival(4);
    asks.ackreq = true;
    win.arrive(asks);
    EXPECT_TRUE(win.sack());
    packets(5, 40);
    EXPECT_FALSE(mrc_rx_sack_due(&win.w)) << "it asks";
}

TEST(RxWindow, ASmallerThresholdHoldsForAll)
{
    Window win(128, 4, 0);
    win.w.sack_bytes = 2048;
    win.arrive(0);
    EXPECT_FALSE(mrc_rx_sack_due(&win.w));
    win.arrive(1);
    EXPECT_TRUE(mrc_rx_sack_due(&win.w));
}

TEST(RxWindow, WhatNobodyAsksForIsToldAfterAWhile)
{
    Window win(128, 4, 0);
    EXPECT_EQ(mrc_rx_sack_at(&win.w), 0u);
    win.arrive(0);
    mrc_rx_heard(&win.w, 1000);
    EXPECT_EQ(mrc_rx_sack_at(&win.w), 1000 + mrc_timing_software.sack_delay);
    win.arrive(1);
    mrc_rx_heard(&win.w, 5000);
    EXPECT_EQ(mrc_rx_sack_at(&win.w), 5000 + mrc_timing_software.sack_delay) << "data flows";
    EXPECT_TRUE(win.sack());
    EXPECT_EQ(mrc_rx_sack_at(&win.w), 0u) << "all is told";
    win.arrive(2);
    EXPECT_NE(mrc_rx_sack_at(&win.w), 0u);
}

TEST(RxWindow, SackFields)
{
    Window win(128, 4, 10);
    for (std::uint32_t psn : {10u, 12u, 13u})
        win.arrive(psn);
    bool rtx = true;
    auto s = win.sack(&rtx);
    ASSERT_TRUE(s);
    EXPECT_FALSE(rtx);
    EXPECT_EQ(s->m, MRC_SACK_NONE);
    EXPECT_FALSE(s->probe);
    EXPECT_EQ(s->cack_psn, 10u);
    EXPECT_EQ(s->ack_offset, 3);
    EXPECT_EQ(s->entropy, 13u ^ 0xe0000000);
    EXPECT_EQ(s->tx_timestamp, 13);
    EXPECT_EQ(s->sack_offset, 1);
    EXPECT_EQ(s->bitmap, 6u);
    EXPECT_EQ(s->ooo_count, 2);
    EXPECT_EQ(s->rcvd_bytes, (3300u + 255) / 256);
    EXPECT_EQ(s->mpr, 0);
    EXPECT_FALSE(win.sack());
}

TEST(RxWindow, MarkSurvivesLaterPacketsOfTheBatch)
{
    Window win(128, 4, 0);
    mrc_rx_arrival marked = win.arrival(0);
    marked.ce = true;
    win.arrive(marked);
    win.arrive(1);
    win.arrive(2);
    auto s = win.sack();
    ASSERT_TRUE(s);
    EXPECT_EQ(s->m, MRC_SACK_SKIP_ONCE);
    EXPECT_EQ(s->entropy, marked.ev);
    EXPECT_EQ(mrc_psn_add(s->cack_psn, s->ack_offset), 0u);

    win.arrive(3);
    s = win.sack();
    EXPECT_EQ(s->m, MRC_SACK_NONE) << "told once";
    EXPECT_EQ(mrc_psn_add(s->cack_psn, s->ack_offset), 3u);
}

TEST(RxWindow, WalkTellsEverythingThatArrivedSinceTheLastSack)
{
    Window win(1024, 4, 0);
    std::set<std::uint32_t> news;
    for (std::uint32_t psn = 1; psn < 1000; psn += psn % 7 + 1) {
        win.arrive(psn);
        news.insert(psn);
    }
    std::set<std::uint32_t> told;
    int sacks = 0;
    while (auto s = win.sack()) {
        told.merge(named(*s));
        ++sacks;
    }
    EXPECT_EQ(told, news);
    EXPECT_LE(sacks, 1000 / 64 + 1);
    EXPECT_FALSE(mrc_rx_sack_due(&win.w));
}

TEST(RxWindow, WalkGoesOnWhereTheCallerStopped)
{
    Window win(1024, 4, 0);
    std::set<std::uint32_t> news;
    for (std::uint32_t psn = 1; psn < 600; ++psn) {
        win.arrive(psn);
        news.insert(psn);
    }
    std::set<std::uint32_t> told = named(*win.sack());
    EXPECT_FALSE(mrc_rx_sack_due(&win.w));

    win.arrive(600);
    news.insert(600);
    while (auto s = win.sack())
        told.merge(named(*s));
    EXPECT_EQ(told, news);
}

TEST(RxWindow, WalkStepsOverEmptyStretches)
{
    Window win(32640, 4, 0);
    win.arrive(1);
    win.arrive(32639);
    int sacks = 0;
    while (win.sack())
        ++sacks;
    EXPECT_EQ(sacks, 2);
}

TEST(RxWindow, NarrowWalkRepeatsWhatALostSackMayHaveTold)
{
    Window win(128, 4, 0);
    win.arrive(1);
    ASSERT_TRUE(win.sack());
    win.arrive(60);
    EXPECT_EQ(named(*win.sack()), (std::set<std::uint32_t>{1, 60}));
}

TEST(RxWindow, ProbeIsAnsweredWithTheStateAndTouchesNothing)
{
    Window win(384, 4, 0);
    for (std::uint32_t psn : {0u, 2u, 64u, 65u})
        win.arrive(psn);
    const mrc_probe probe = {.id = 0xfedc, .tx_timestamp = 0x1234};
    mrc_sack s;
    ASSERT_TRUE(mrc_rx_sack_probe(&win.w, &probe, 0xabcd0123, true, 0, &s));
    EXPECT_TRUE(s.probe);
    EXPECT_EQ(static_cast<std::uint16_t>(s.ack_offset), 0xfedc);
    EXPECT_EQ(s.tx_timestamp, 0x1234);
    EXPECT_EQ(s.entropy, 0xabcd0123u);
    EXPECT_EQ(s.m, MRC_SACK_SKIP_ONCE);
    EXPECT_EQ(s.cack_psn, 0u);
    EXPECT_EQ(s.sack_offset, 1);
    EXPECT_EQ(named(s), (std::set<std::uint32_t>{2, 64}));
    EXPECT_EQ(s.ooo_count, 3);
    EXPECT_TRUE(mrc_rx_sack_probe(&win.w, &probe, 0xabcd0123, true, 1, &s));
    EXPECT_TRUE(s.probe);
    EXPECT_EQ(named(s), (std::set<std::uint32_t>{2, 64, 65})) << "as far as it has arrived";
    EXPECT_FALSE(mrc_rx_sack_probe(&win.w, &probe, 0xabcd0123, true, 2, &s));
    EXPECT_TRUE(win.sack()) << "the news is still to be told";
}

/* None of 64 PSNs may lie beyond the ring, where bits stand for other PSNs. */
TEST(RxWindow, ProbeOfAFullWindow)
{
    Window win(384, 4, 0);
    std::set<std::uint32_t> all;
    for (std::uint32_t psn = 1; psn < 384; psn += 3) {
        win.arrive(psn);
        all.insert(psn);
    }
    const mrc_probe probe = {};
    std::set<std::uint32_t> told;
    mrc_sack s;
    for (unsigned part = 0; mrc_rx_sack_probe(&win.w, &probe, 0, false, part, &s); ++part) {
        ASSERT_LT(part, 6u);
        told.merge(named(s));
    }
    EXPECT_EQ(told, all);
}

TEST(RxWindow, WhatWasToldIsToldAgainInTurn)
{
    Window win(384, 4, 0);
    std::set<std::uint32_t> all;
    for (std::uint32_t psn = 1; psn < 300; psn += 7) {
        win.arrive(psn);
        all.insert(psn);
    }
    while (win.sack())
        ;
    for (int round = 0; round < 3; ++round) {
        std::set<std::uint32_t> told;
        mrc_sack s;
        bool rtx;
        for (int i = 0; i < 5; ++i) {
            ASSERT_TRUE(mrc_rx_sack_again(&win.w, &s, &rtx));
            EXPECT_EQ(s.ooo_count, all.size());
            told.merge(named(s));
        }
        EXPECT_EQ(told, all) << round;
    }
    EXPECT_FALSE(win.sack()) << "none is due for that";
}

TEST(RxWindow, NothingIsToldAgainWhereEachSackTellsAll)
{
    Window win(384, 4, 0);
    mrc_sack s;
    bool rtx;
    win.arrive(64 - 1);
    ASSERT_TRUE(win.sack());
    EXPECT_FALSE(mrc_rx_sack_again(&win.w, &s, &rtx));
    win.arrive(64);
    EXPECT_TRUE(mrc_rx_sack_again(&win.w, &s, &rtx)) << "PSN 64 is 65 beyond the cumulative one";
}

namespace
{

/// The behaviour that the window should have, in terms of sets.
struct Model {
    std::uint32_t size;
    std::int64_t cack; // extended PSNs, which do not wrap
    std::set<std::int64_t> claimed, arrived, last;
    std::map<std::int64_t, std::uint32_t> imms;
    std::int64_t scanned;

    mrc_rx_verdict claim(std::int64_t psn)
    {
        if (psn > scanned + size)
            return MRC_RX_OOR;
        if (psn <= cack || !claimed.insert(psn).second)
            return MRC_RX_DUP;
        return MRC_RX_NEW;
    }

    void commit(std::int64_t psn, unsigned opflags)
    {
        arrived.insert(psn);
        if (opflags & MRC_OPF_LAST)
            last.insert(psn);
        while (arrived.count(cack + 1))
            ++cack;
    }

    std::optional<std::int64_t> done()
    {
        while (scanned < cack)
            if (last.count(++scanned))
                return scanned;
        return std::nullopt;
    }
};

std::uint32_t onWire(std::int64_t psn)
{
    return static_cast<std::uint32_t>(psn) & 0xffffff;
}

/// The window and the model get the same random packets.
class Comparison
{
public:
    explicit Comparison(std::uint32_t seed)
        : rng_(seed), size_(128 * (1 + rng_() % 4)), immMax_(rng_() % 40),
          start_(0x1000000 - static_cast<std::int64_t>(rng_() % 1000)),
          win_(size_, immMax_, onWire(start_)), model_{size_, start_ - 1, {},        {},
                                                       {},    {},         start_ - 1}
    {
    }

    void step()
    {
        ASSERT_NO_FATAL_FAILURE(claim());
        while (!placing_.empty() && rng_() % 3)
            ASSERT_NO_FATAL_FAILURE(place());
        ASSERT_EQ(win_.w.cack, onWire(model_.cack));
        ASSERT_EQ(win_.w.ooo, static_cast<std::uint32_t>(std::distance(
                                  model_.arrived.upper_bound(model_.cack), model_.arrived.end())));
        if (rng_() % 4) {
            ASSERT_NO_FATAL_FAILURE(complete());
        }
        if (rng_() % 5 == 0) {
            ASSERT_NO_FATAL_FAILURE(tell());
        }
    }

private:
    void claim()
    {
        const std::int64_t spread = rng_() % 4 ? 20 : size_ + 50;
        const std::int64_t psn =
            model_.cack - 10 + static_cast<std::int64_t>(rng_() % (spread + 10));

        const mrc_rx_verdict verdict = mrc_rx_claim(&win_.w, onWire(psn));
        ASSERT_EQ(verdict, model_.claim(psn));
        if (verdict == MRC_RX_NEW)
            placing_.push_back(psn);
    }

    /// A claimed packet arrives, in any order, or is given back.
    void place()
    {
        std::swap(placing_[rng_() % placing_.size()], placing_.back());
        const std::int64_t at = placing_.back();
        placing_.pop_back();
        if (rng_() % 20 == 0) {
            mrc_rx_unclaim(&win_.w, onWire(at));
            model_.claimed.erase(at);
            return;
        }
        unsigned opflags = MRC_OPF_REQUEST;
        if (rng_() % 3 == 0)
            opflags |= MRC_OPF_LAST;
        if (opflags & MRC_OPF_LAST && rng_() % 2 && model_.imms.size() < immMax_) {
            opflags |= MRC_OPF_TAKES | MRC_OPF_IMM;
            model_.imms[at] = rng_();
        }
        mrc_rx_arrival a = win_.arrival(onWire(at), opflags);
        a.imm = opflags & MRC_OPF_IMM ? model_.imms[at] : 0;
        ASSERT_EQ(mrc_rx_commit(&win_.w, &a), 0);
        model_.commit(at, opflags);
        untold_.insert(at);
    }

    void complete()
    {
        while (true) {
            const auto want = model_.done();
            const auto got = win_.done();
            ASSERT_EQ(want.has_value(), got.has_value());
            if (!want)
                return;
            ASSERT_EQ(got->psn, onWire(*want));
            ASSERT_EQ(got->has_imm, model_.imms.count(*want) == 1);
            if (got->has_imm) {
                ASSERT_EQ(got->imm, model_.imms[*want]);
            }
            model_.imms.erase(*want);
        }
    }

    /// SACKs name all that has arrived, and nothing else.
    void tell()
    {
        while (const auto s = win_.sack()) {
            ASSERT_EQ(s->cack_psn, win_.w.cack);
            for (int i = 0; i < 64; ++i) {
                const std::int64_t at = model_.cack + s->sack_offset + i;
                const bool bit = s->bitmap >> i & 1;
                ASSERT_EQ(bit, at > model_.cack && model_.arrived.count(at) == 1);
                if (bit)
                    untold_.erase(at);
            }
        }
        untold_.erase(untold_.begin(), untold_.upper_bound(model_.cack));
        ASSERT_TRUE(untold_.empty());
    }

    std::mt19937 rng_;
    std::uint32_t size_, immMax_;
    std::int64_t start_;
    Window win_;
    Model model_;
    std::set<std::int64_t> untold_;
    std::vector<std::int64_t> placing_;
};

} // namespace

TEST(RxWindow, AgreesWithAModelOfSets)
{
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE(seed);
        Comparison both(seed);
        for (int step = 0; step < 1500; ++step)
            ASSERT_NO_FATAL_FAILURE(both.step());
    }
}
