// SPDX-License-Identifier: GPL-2.0-only
//
// What is kept of what the module tells.

#include <gtest/gtest.h>

#include "report/event_log.h"

namespace mrcd::test::event_log_test
{
namespace
{

using namespace mrcnl;

constexpr uint64_t second = 1'000'000'000;
constexpr uint64_t boot = 1'700'000'000 * second; ///< since 1970

/** Adds events with times of the module's clock. */
struct Rig {
    EventLog log;

    void tell(Event event, uint64_t time)
    {
        std::visit(
            [&](auto &one) {
                if constexpr (requires { one.time; })
                    one.time = time;
            },
            event);
        log.add(event, time + second, boot + time + second);
    }

    std::vector<std::string> texts() const
    {
        std::vector<std::string> texts;

        for (const KernelEvent &event : log.events())
            texts.push_back(event.text);
        return texts;
    }
};

PeerEvEvent ev_of(uint16_t index, uint8_t port, EvState state)
{
    PeerEvEvent event;

    event.key.remote_gid = *Address::parse("fd00::2");
    event.index = index;
    event.port = port;
    event.state = state;
    return event;
}

QpEvent qp_of(uint32_t qpn, const std::string &reason)
{
    QpEvent event;

    event.qpn = qpn;
    event.old_state = QpState::rts;
    event.connection.remote_gid = *Address::parse("fd00::2");
    event.reason = reason;
    return event;
}

TEST(EventLog, SaysWhatHappened)
{
    Rig rig;
    PlaneEvent plane;
    PeerPortsEvent ports;

    rig.tell(DeviceEvent{{1, "mrc0"}, true}, second);
    plane.plane.port = 2;
    plane.plane.ifname = "eth2";
    plane.plane.admin_up = plane.plane.oper_up = true;
    rig.tell(plane, 2 * second);
    plane.plane.oper_up = false;
    rig.tell(plane, 3 * second);
    plane.gone = true;
    plane.by.name = "mrcctl";
    rig.tell(plane, 4 * second);
    ports.key.remote_gid = *Address::parse("fd00::2");
    ports.remote_ports = 0x5;
    ports.old_remote_ports = 0;
    rig.tell(ports, 5 * second);
    rig.tell(qp_of(18, "retry exceeded"), 6 * second);
    rig.tell(Overrun{}, 7 * second);
    EXPECT_EQ(rig.texts(),
              (std::vector<std::string>{"mrc0: made", "plane 2 (eth2): up", "plane 2 (eth2): down",
                                        "plane 2 (eth2): gone, by mrcctl",
                                        "fd00::2: ports that receive: 1 3, were none",
                                        "QP 18 towards fd00::2: err, was rts (retry exceeded)",
                                        "events were lost: there were too many"}));
    EXPECT_EQ(rig.log.events()[1].time_ns, boot + 2 * second);
    EXPECT_EQ(rig.log.events()[6].time_ns, boot + 8 * second) << "when it was heard of";
}

/** A plane that fails takes thousands of EVs and QPs with it. */
TEST(EventLog, AStormIsFewEntries)
{
    Rig rig;
    PlaneEvent plane;

    rig.tell(plane, second);
    for (uint32_t i = 0; i < 5000; i++) {
        const auto index = static_cast<uint16_t>(i);
        rig.tell(ev_of(index, 1, EvState::assumed_bad), second + i);
        rig.tell(ev_of(index, 2, EvState::assumed_bad), second + i);
        rig.tell(ev_of(index, 2, EvState::denied), second + i);
        rig.tell(qp_of(i, "retry exceeded"), second + i);
    }
    const auto events = rig.log.events();
    ASSERT_EQ(events.size(), 5u) << "the plane is still there";
    for (size_t i = 1; i < events.size(); i++) {
        EXPECT_EQ(events[i].count, 5000u);
        EXPECT_EQ(events[i].time_ns, boot + second + 4999);
    }
    EXPECT_EQ(events[1].text, "plane 1, EV 0 towards fd00::2: assumed-bad, was good");
}

TEST(EventLog, WhatHappensAgainLaterIsAnotherEntry)
{
    Rig rig;

    rig.tell(ev_of(1, 1, EvState::assumed_bad), second);
    rig.tell(ev_of(2, 1, EvState::good), second);
    rig.tell(ev_of(3, 1, EvState::assumed_bad), 10 * second);
    EXPECT_EQ(rig.log.events().size(), 2u);
    EXPECT_EQ(rig.log.events()[1].count, 2u) << "the latest is last";
    rig.tell(ev_of(4, 1, EvState::assumed_bad), 10 * second + EventLog::together_ns);
    EXPECT_EQ(rig.log.events().size(), 3u);
}

TEST(EventLog, OnlyTheLastOnesAreKept)
{
    Rig rig;

    for (uint64_t i = 0; i < 3 * EventLog::kept; i++)
        rig.tell(qp_of(static_cast<uint32_t>(i), ""), second + i * EventLog::together_ns);
    EXPECT_EQ(rig.log.events().size(), EventLog::kept);
    EXPECT_EQ(rig.log.events()[0].text,
              "QP " + std::to_string(2 * EventLog::kept) + " towards fd00::2: err, was rts");
}

} // namespace
} // namespace mrcd::test::event_log_test
