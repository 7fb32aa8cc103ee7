// SPDX-License-Identifier: GPL-2.0-only
/* Tests mrcctl monitor with lost events, against a kernel whose state has changed in between. */
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fake_kernel.h"

namespace mrcctl::monitor_test
{
namespace
{

using namespace mrcnl;
using Json = nlohmann::json;
using test::FakeKernel;
using test::Runner;

const DeviceRef mrc0{1, "mrc0"};
const PeerKey peer{*Address::parse("fd00::2"), *Address::parse("fd00::1"), 7};

PlaneEvent plane_event(uint8_t port, bool up)
{
    return {{mrc0, port, 10, "eth1", up, up, {}}, false, 5};
}

/** A kernel with an object of each kind that has events, some of them in a bad state. */
struct MonitorTest : testing::Test {
    Runner run{{.json = true}};
    FakeKernel &kernel = run.kernel;
    std::vector<uint64_t> waits;

    MonitorTest()
    {
        Qp qp;

        kernel.device_list = {{mrc0, 3, "dum0", {}, 1, 0, {}}};
        kernel.plane_list = {{mrc0, 1, 10, "eth1", true, true, {}}};
        kernel.ev_profile_list = {{mrc0, 7, EvFormat::srv6, EvMode::explicit_list, 1, 1, 0, 0, 0}};
        kernel.ev_list = {{mrc0, 7, 0, {1, EvSid{*Address::parse("fcbb::")}, false}}};
        kernel.cc_profile_list = {{mrc0, 1, "none", 8192}};
        kernel.route_list = {{mrc0, *Prefix::parse("fd00::/64"), 7, 1}};
        kernel.peer_list.resize(1);
        kernel.peer_list[0].device = mrc0;
        kernel.peer_list[0].key = peer;
        kernel.peer_list[0].remote_ports = 0x5;
        for (const EvState state :
             {EvState::good, EvState::skip, EvState::assumed_bad, EvState::denied}) {
            PeerEv ev;

            ev.device = mrc0;
            ev.key = peer;
            ev.index = static_cast<uint16_t>(kernel.peer_ev_list.size());
            ev.state = state;
            kernel.peer_ev_list.push_back(ev);
        }
        qp.device = mrc0;
        for (const QpState state : {QpState::rts, QpState::err}) {
            qp.qpn++;
            qp.state = state;
            kernel.qp_list.push_back(qp);
        }
        run.context.wait = [this](uint64_t ns) {
            waits.push_back(ns);
            kernel.dump_error.reset();
            return true;
        };
    }

    std::vector<Json> monitor(const std::string &filter = {})
    {
        std::vector<Json> lines;

        for (const std::string &line : split(run("monitor " + filter), '\n'))
            if (!line.empty())
                lines.push_back(Json::parse(line));
        return lines;
    }

    /** The kinds of the lines, in order. */
    static std::string kinds(const std::vector<Json> &lines)
    {
        std::string words;

        for (const Json &line : lines)
            words += (words.empty() ? "" : " ") + line["event"].get<std::string>();
        return words;
    }
};

constexpr const char *whole_state = "device-add settings plane peer-ports peer-ev peer-ev qp "
                                    "ev-profile ev cc-profile route";

TEST_F(MonitorTest, NothingIsReadAnewWhereNothingIsLost)
{
    kernel.events_waiting = {{plane_event(1, false)}, {}, {plane_event(1, true)}};
    EXPECT_EQ(kinds(monitor()), "plane plane");
}

TEST_F(MonitorTest, TellsTheStateBehindAnOverrun)
{
    kernel.events_waiting = {{Overrun{}}};
    const auto lines = monitor();

    ASSERT_EQ(kinds(lines), std::string("overrun ") + whole_state);
    for (size_t i = 1; i < lines.size(); i++) {
        EXPECT_EQ(lines[i]["reason"], "resync");
        EXPECT_EQ(lines[i]["monotonic-ns"], run.context.now());
        EXPECT_EQ(lines[i]["dev-name"], "mrc0");
        EXPECT_FALSE(lines[i].contains("old-state"));
        EXPECT_FALSE(lines[i].contains("old-remote-ports"));
    }
    EXPECT_EQ(lines[3]["admin-state"], "up");
    EXPECT_EQ(lines[3]["gone"], false);
    EXPECT_EQ(lines[4]["remote-ports"], Json({1, 3}));
    EXPECT_EQ(lines[5]["index"], 2);
    EXPECT_EQ(lines[5]["state"], "assumed-bad");
    EXPECT_EQ(lines[6]["index"], 3);
    EXPECT_EQ(lines[6]["state"], "denied");
    EXPECT_EQ(lines[7]["qpn"], 2);
    EXPECT_EQ(lines[8]["ev-profile"], 7);
    EXPECT_EQ(lines[11]["prefix"], "fd00::");
}

// Events that waited are older than the state, so the state must come last.
TEST_F(MonitorTest, TellsTheStateBehindAllThatWaited)
{
    kernel.events_waiting = {{plane_event(1, true), Overrun{}, plane_event(1, false)},
                             {plane_event(2, true)}};
    EXPECT_EQ(kinds(monitor()), std::string("plane overrun plane ") + whole_state + " plane");
}

TEST_F(MonitorTest, TellsTheStateAfterEachOverrun)
{
    kernel.events_waiting = {{Overrun{}}, {plane_event(1, true)}, {Overrun{}}};
    EXPECT_EQ(kinds(monitor()),
              std::string("overrun ") + whole_state + " plane overrun " + whole_state);
}

TEST_F(MonitorTest, AsksAgainWhereTheKernelCannotSay)
{
    kernel.dump_error = Error{EAGAIN, "the objects change too fast to be listed", {}};
    kernel.events_waiting = {{Overrun{}}};
    EXPECT_EQ(kinds(monitor()), std::string("overrun ") + whole_state);
    EXPECT_EQ(waits.size(), 1u);
}

TEST_F(MonitorTest, EndsWhenToldToMeanwhile)
{
    kernel.dump_error = Error{EAGAIN, "the objects change too fast to be listed", {}};
    kernel.events_waiting = {{Overrun{}}};
    run.context.wait = [](uint64_t) { return false; };
    EXPECT_EQ(kinds(monitor()), "overrun");
}

TEST_F(MonitorTest, FailsWhereTheKernelRefuses)
{
    kernel.dump_error = Error{EPERM, "", {}};
    kernel.events_waiting = {{Overrun{}}};
    try {
        monitor();
        FAIL();
    } catch (const Failure &e) {
        EXPECT_STREQ(e.what(), "monitor: Operation not permitted");
    }
}

TEST_F(MonitorTest, OfADeviceOnly)
{
    PlaneEvent other = plane_event(3, true);

    other.plane.device = {2, "mrc1"};
    kernel.plane_list.push_back(other.plane);
    kernel.device_list.push_back({{2, "mrc1"}, 4, "dum1", {}, 1, 0, {}});
    const auto all = [&] {
        kernel.events_waiting = {{plane_event(1, false), other, DeviceEvent{{2, "mrc1"}, true, 7}},
                                 {Overrun{}}};
    };
    all();
    EXPECT_EQ(kinds(monitor("mrc0")), std::string("plane overrun ") + whole_state);
    all();
    EXPECT_EQ(kinds(monitor("mrc1")), "plane device-add overrun device-add settings plane");
    EXPECT_THROW(monitor("mrc2"), Failure);
}

/** Without named kinds, older modules are no error. */
TEST_F(MonitorTest, AModuleThatTellsNotWhatIsConfigured)
{
    kernel.info_value.capabilities = 0;
    EXPECT_EQ(run.error<Failure>("monitor kind plane kind route"),
              "monitor: the module, version 0.1.0, does not report changes of the configuration");
    kernel.events_waiting = {{plane_event(1, false)}};
    EXPECT_EQ(kinds(monitor()), "plane");
}

TEST_F(MonitorTest, WhatIsConfiguredByKind)
{
    const ConfigEvent<Route> route{kernel.route_list[0], false, {"mrcctl", {}}, 7};
    const ConfigEvent<CcProfile> profile{kernel.cc_profile_list[0], true, {"mrcctl", 3}, 8};

    kernel.events_waiting = {{plane_event(1, false), route, profile}};
    EXPECT_EQ(kinds(monitor("kind route")), "route");
    kernel.events_waiting = {{route, profile, Overrun{}}};
    const auto lines = monitor("kind cc-profile");
    ASSERT_EQ(kinds(lines), "cc-profile overrun cc-profile");
    EXPECT_EQ(lines[0]["gone"], true);
    EXPECT_EQ(lines[0]["by-pid"], 3);
    EXPECT_FALSE(lines[0].contains("window-bytes"));
    EXPECT_EQ(lines[2]["window-bytes"], 8192);
    EXPECT_FALSE(lines[2].contains("by-name"));
}

TEST_F(MonitorTest, OfSomeKindsOnly)
{
    const QpEvent failed{mrc0, 5, QpState::err, QpState::rts, {}, 0, "", 9};
    const auto all = [&] {
        kernel.events_waiting = {{plane_event(1, false), failed, PeerEvEvent{mrc0, peer},
                                  PeerPortsEvent{mrc0, peer, 0x5, 0x7, 1},
                                  DeviceEvent{mrc0, false, 1}, Overrun{}}};
    };

    all();
    EXPECT_EQ(kinds(monitor("kind qp")), "qp overrun qp");
    all();
    EXPECT_EQ(kinds(monitor("mrc0 kind peer-ev kind plane")),
              "plane peer-ev overrun plane peer-ev peer-ev");
    all();
    EXPECT_EQ(kinds(monitor("kind peer-p kind device")),
              "peer-ports device-del overrun device-add peer-ports");
    EXPECT_EQ(run.usage("monitor kind"), "monitor: kind is missing");
    EXPECT_EQ(run.usage("monitor kind peer"),
              "monitor: kind 'peer' is ambiguous: peer-ev, peer-ports");
    EXPECT_EQ(run.usage("monitor mrc0 mrc1"), "monitor: 'kind' expected, not 'mrc1'");
}

} // namespace
} // namespace mrcctl::monitor_test
