// SPDX-License-Identifier: GPL-2.0-only
//
// A requester's window, for the tests of its parts: tx_window, evidence and rtt. The tests act on
// it through packets and answers, in the order in which these come.
#pragma once

#include "engine/core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <vector>

inline constexpr std::uint64_t kUs = 1000;
inline constexpr std::uint64_t kMs = 1000 * kUs;
inline constexpr std::uint64_t kSec = 1000 * kMs;
/// One unit of the records' send time.
inline constexpr std::uint64_t kTick = MRC_TX_TICK_NS;
inline constexpr std::uint64_t kRtt = 400 * kTick;
/// Nominal bytes of a packet, unless a test says otherwise.
inline constexpr std::uint32_t kBytes = 4160;

/// Memory of a window of @p size PSNs.
inline std::vector<u64> windowMem(std::uint32_t size)
{
    return std::vector<u64>(DIV_ROUND_UP(mrc_tx_window_mem(size), sizeof(u64)));
}

struct Window {
    std::vector<u64> mem;
    mrc_tx_window w;
    mrc_tx_result res;
    std::set<std::uint32_t> arrived;
    std::uint64_t now = 7 * kSec / kTick * kTick;

    explicit Window(std::uint32_t psn = 0, std::uint32_t size = 128,
                    std::uint64_t timeout = 100 * kMs, u8 linear = 2, u8 exp = 3,
                    std::uint64_t peerRtt = 0)
        : mem(windowMem(size))
    {
        const mrc_tx_cfg cfg = {.size = size,
                                .retries = {.timeout_ns = timeout, .linear = linear, .exp = exp},
                                .peer_rtt_ns = peerRtt};
        mrc_tx_window_init(&w, mem.data(), &cfg, psn);
    }

    std::uint32_t send(u16 ev, std::uint32_t bytes = kBytes)
    {
        return mrc_tx_send(&w, bytes, ev, now);
    }

    /// The peer's count of what lies beyond @p cack, with all that it has reported so far.
    u16 count(std::uint32_t cack, std::initializer_list<std::uint32_t> psns)
    {
        arrived.insert(psns.begin(), psns.end());
        std::erase_if(arrived, [=](std::uint32_t psn) { return mrc_psn_diff(psn, cack) <= 0; });
        return static_cast<u16>(arrived.size());
    }

    /// A SACK for all up to @p cack, and for @p psns, of @p ooo packets beyond it (by default, of
    /// all reported so far); caused by @p trigger.
    int sack(std::uint32_t cack, std::initializer_list<std::uint32_t> psns, std::uint32_t trigger,
             bool rtx = false, std::optional<u16> ooo = std::nullopt)
    {
        mrc_sack s{};
        s.ooo_count = ooo.value_or(count(cack, psns));
        s.cack_psn = cack;
        s.ack_offset = static_cast<s16>(mrc_psn_diff(trigger, cack));
        s.sack_offset = psns.size() ? static_cast<s16>(mrc_psn_diff(*psns.begin(), cack)) : 1;
        for (std::uint32_t psn : psns)
            s.bitmap |= 1ull << mrc_psn_diff(psn, *psns.begin());
        return apply(s, rtx);
    }

    int apply(const mrc_sack &s, bool rtx = false)
    {
        return learn(mrc_tx_sack(&w, &s, rtx, now, &res));
    }

    std::optional<std::uint32_t> nextLost()
    {
        std::uint32_t psn;
        return mrc_tx_next_lost(&w, &psn) ? std::optional(psn) : std::nullopt;
    }

    void timeout()
    {
        mrc_tx_timeout(&w, now, &res);
        learn(0);
    }

    /// The answer to probe @p id: for all up to @p cack, and for @p psns of @p ooo packets beyond
    /// it.
    int answer(u16 id, std::uint32_t cack, std::initializer_list<std::uint32_t> psns = {},
               u16 ooo = 0)
    {
        mrc_sack s{};
        s.probe = true;
        s.cack_psn = cack;
        s.ack_offset = static_cast<s16>(id);
        s.sack_offset = 1;
        for (std::uint32_t psn : psns)
            s.bitmap |= 1ull << (mrc_psn_diff(psn, cack) - 1);
        s.ooo_count = std::max<u16>(ooo, static_cast<u16>(psns.size()));
        return apply(s);
    }

    int ack(std::uint32_t psn) { return learn(mrc_tx_ack(&w, psn, now, &res)); }

    int trim(std::uint32_t psn) { return learn(mrc_tx_nack(&w, psn, MRC_TX_TRIMMED, now, &res)); }
    int nack(std::uint32_t psn) { return learn(mrc_tx_nack(&w, psn, MRC_TX_NO_ROOM, now, &res)); }

    /// The peer says that these EVs are gone.
    void lose(const unsigned long *evs, bool unsent)
    {
        mrc_tx_gone gone{};
        std::copy_n(evs, BITS_TO_LONGS(MRC_EV_MAX), gone.there);
        gone.unsent = unsent;
        mrc_tx_lose_evs(&w, &gone, &res);
        learn(0);
    }

    /// EV @p ev is gone here. @return when to call loseGone(); 0: never
    u64 loseHere(u16 ev)
    {
        mrc_tx_gone gone{};
        __set_bit(ev, gone.here);
        mrc_tx_lose_evs(&w, &gone, &res);
        EXPECT_EQ(res.lost, 0u);
        const u64 next = mrc_tx_lose_gone(&w, now, &res);
        learn(0);
        return next;
    }

    u64 loseGone()
    {
        mrc_tx_begin(&w, &res);
        const u64 next = mrc_tx_lose_gone(&w, now, &res);
        learn(0);
        return next;
    }

    /// The EVs for which the last call counted packets.
    std::set<unsigned> ackedEvs() const
    {
        std::set<unsigned> evs;
        for (const auto &[ev, said] : news)
            if (said.what & MRC_NEWS_ACKED)
                evs.insert(ev);
        return evs;
    }

    /// How many packets the last call counted for this EV.
    unsigned acked(unsigned ev) const { return said(ev).acked; }
    std::uint64_t heard(unsigned ev) const { return said(ev).heard_ns; }

    bool lost(unsigned ev) const { return said(ev).what & MRC_NEWS_LOST; }
    bool late(unsigned ev) const { return said(ev).what & MRC_NEWS_LATE; }
    bool mute(unsigned ev) const { return said(ev).what & MRC_NEWS_MUTE; }
    bool cleared(unsigned ev) const { return said(ev).what & MRC_NEWS_CLEARED; }
    bool silent(unsigned ev) const { return said(ev).what & MRC_NEWS_SILENT; }

    /// A NACK makes a packet lost, and it is sent again on @p ev.
    void again(std::uint32_t psn, u16 ev)
    {
        now += 10 * kRtt;
        ASSERT_EQ(nack(psn), 0);
        mrc_tx_resend(&w, psn, ev, now);
    }

private:
    /// What the last call learned of each EV.
    std::map<unsigned, mrc_news_ev> news;

    mrc_news_ev said(unsigned ev) const
    {
        const auto found = news.find(ev);
        return found == news.end() ? mrc_news_ev{} : found->second;
    }

    int learn(int err)
    {
        news.clear();
        for (mrc_news n; mrc_tx_take_news(&w, now, &n), n.count;)
            for (unsigned i = 0; i < n.count; ++i) {
                const mrc_news_ev &e = n.ev[i];
                mrc_news_ev &all = news[e.ev];
                all.what |= e.what;
                if (!(e.what & MRC_NEWS_ACKED))
                    continue;
                all.acked = e.acked;
                all.heard_ns = e.heard_ns;
            }
        return err;
    }
};

/// A window that knows the RTT: a first packet, on EV 99, has been acknowledged.
inline Window withRtt(std::uint32_t psn = 0)
{
    Window win(psn);
    win.send(99);
    win.now += kRtt;
    EXPECT_EQ(win.sack(psn, {}, psn), 0);
    EXPECT_EQ(win.w.rtt.min_ns, kRtt);
    return win;
}

/// A window with an RTT and packets 1, 2, ..., which were sent on @p evs an RTT ago.
inline Window afterRttOf(std::initializer_list<u16> evs)
{
    Window win = withRtt();
    for (u16 ev : evs)
        win.send(ev);
    win.now += kRtt;
    return win;
}

/// A window with an RTT and @p n packets in flight that were just sent, on EVs 1, 2, ...
inline Window withTail(unsigned n)
{
    Window win = withRtt();
    for (unsigned i = 1; i <= n; ++i)
        win.send(static_cast<u16>(i));
    return win;
}

/// How long silence must last before a probe, with an RTT and nothing unusual.
inline const std::uint64_t kQuiet = 2 * kRtt + mrc_timing_software.probe_slack;
