// SPDX-License-Identifier: GPL-2.0-only
//
// Tests both sets of times, and that each state waits as long as the set says that it points to.

#include "engine/core.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace
{

constexpr std::uint64_t kSec = 1'000'000'000;
constexpr std::uint64_t kRtt = 10'000;

mrc_timing nic()
{
    mrc_timing t;
    mrc_timing_nic(&t, kRtt);
    return t;
}

/* Waits that are compared with each other must be longer, or shorter, in every set. */
TEST(Timing, SetsAreConsistent)
{
    const mrc_timing fast = nic();
    for (const mrc_timing *t : {&mrc_timing_software, &fast}) {
        EXPECT_LT(t->ev_probe, t->ev_probe_max);
        EXPECT_GE(t->ev_probe << 20, t->ev_probe_max) << "the longest interval is reached";
        EXPECT_LE(t->ev_silence, t->ev_probe_max);
        EXPECT_LT(t->ev_doubt, t->ev_silence);
        EXPECT_GE(t->ev_flap, t->ev_probe_max) << "as long as one may be out";
        EXPECT_GT(t->ev_steady, t->ev_flap);
        EXPECT_LT(t->tell, t->tell_max);
        EXPECT_LT(t->ports_change, MRC_PORTS_ORDER_NS);
        EXPECT_LT(t->pause, t->ev_probe);
        EXPECT_LE(t->pace, t->ev_probe);
        EXPECT_GT(t->ask, t->ev_probe);
        EXPECT_GT(t->ask_max, t->ask);
    }
    EXPECT_LT(fast.ev_probe, mrc_timing_software.ev_probe);
}

TEST(Timing, EvsAreProbedAsItSays)
{
    const mrc_timing t = nic();
    std::vector<mrc_ev_entry> entry(2);
    std::vector<mrc_paths_ev> ev(2);
    mrc_paths p;
    entry[0].port = entry[1].port = 1;
    ASSERT_EQ(mrc_paths_init(&p, ev.data(), entry.data(), 2, 0, 0, 1), 0);
    p.set.timing = &t;
    mrc_paths_report(&p, MRC_SEEN_SKIP_ALWAYS, 0, 0, kSec);
    EXPECT_EQ(mrc_ev_probe_at(&p.set), kSec + t.ev_probe);
    std::uint64_t now = kSec, wait = 0;
    for (int n = 0; n < 15; ++n) {
        now = entry[0].probe_at;
        ASSERT_EQ(mrc_ev_probe_next(&p.set, now), 0);
        wait = entry[0].probe_at - now;
    }
    EXPECT_EQ(wait, t.ev_probe_max);
    ASSERT_NE(mrc_paths_reverse_probe(&p, 1, now), MRC_EV_NONE);
    EXPECT_EQ(mrc_paths_reverse_probe(&p, 1, now + t.reverse_probe - 1), MRC_EV_NONE);
    EXPECT_NE(mrc_paths_reverse_probe(&p, 1, now + t.reverse_probe), MRC_EV_NONE);
}

TEST(Timing, RequestsAreLostAsItSays)
{
    const mrc_timing t = nic();
    mrc_ev_entry entry{};
    mrc_paths_ev ev{};
    mrc_paths p;
    entry.port = 1;
    ASSERT_EQ(mrc_paths_init(&p, &ev, &entry, 1, 0, 0, 1), 0);
    p.set.timing = &t;
    EXPECT_EQ(mrc_paths_ask_wait(&p), t.ask);
    mrc_paths_report(&p, MRC_SEEN_PROBE_ANSWERED, 0, kSec, kSec + 10 * t.ask_max);
    EXPECT_EQ(mrc_paths_ask_wait(&p), t.ask_max);
}

TEST(Timing, PortsAreToldAsItSays)
{
    const mrc_timing t = nic();
    mrc_port_tell tell;
    mrc_port_status told;
    u64 wait = 0;
    const mrc_ep ep = {.op = MRC_EP_PORT_STATUS, .port_mask = 1};
    const mrc_ep other = {.op = MRC_EP_PORT_STATUS, .port_mask = 2};
    mrc_port_tell_init(&tell, &t);
    mrc_port_tell_say(&tell, 1, kSec);
    ASSERT_TRUE(mrc_port_tell_next(&tell, kSec, &wait));
    EXPECT_EQ(tell.at, kSec + t.tell);
    mrc_port_status_init(&told, &t);
    ASSERT_TRUE(mrc_port_status_hear(&told, &ep, kSec));
    ASSERT_TRUE(mrc_port_status_take(&told, kSec));
    ASSERT_TRUE(mrc_port_status_hear(&told, &other, kSec + 1));
    EXPECT_EQ(mrc_port_status_due(&told), kSec + t.ports_change);
}

TEST(Timing, AQpWaitsAsItSays)
{
    const mrc_timing t = nic();
    std::vector<u64> txMem(mrc_req_mem(MRC_MPR_UNIT) / sizeof(u64));
    const mrc_tx_cfg cfg = {.size = MRC_MPR_UNIT,
                            .retries = {.timeout_ns = kSec, .linear = 3, .exp = 3}};
    mrc_req r{};
    mrc_req_start(&r, txMem.data(), &cfg, 0);
    r.tx.rtt.timing = &t;
    r.looked_at = kSec;
    mrc_tx_send(&r.tx, 64, 0, 1);
    r.tx.deadline_ns = 2;
    EXPECT_EQ(mrc_req_timer_at(&r, kSec), kSec + t.look);
    r.tx.rtt.srtt_ns = kRtt;
    EXPECT_EQ(mrc_rtt_probe_wait(&r.tx.rtt, 0, 0, false), 2 * kRtt + t.probe_slack);
    EXPECT_EQ(mrc_rtt_probe_wait(&r.tx.rtt, 100, 0, false), t.probe_max);
    r.tx.rtt.srtt_ns = 0;
    EXPECT_EQ(mrc_rtt_probe_wait(&r.tx.rtt, 0, 0, false), 2 * t.first_rtt + t.probe_slack);

    mrc_rx_window rx;
    std::vector<unsigned long> mem(mrc_rx_window_mem(MRC_MPR_UNIT, 1) / sizeof(long) + 1);
    mrc_rx_window_init(&rx, mem.data(), MRC_MPR_UNIT, 1, 0);
    rx.timing = &t;
    rx.unsacked = true;
    mrc_rx_heard(&rx, kSec);
    EXPECT_EQ(mrc_rx_sack_at(&rx), kSec + t.sack_delay);
}

} // namespace
