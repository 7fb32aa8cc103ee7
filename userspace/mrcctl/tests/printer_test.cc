// SPDX-License-Identifier: GPL-2.0-only
#include "printer.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "clock.h"
#include "monitor.h"

namespace mrcctl::printer_test
{
namespace
{

const Names &no_names(const std::string &)
{
    static const Names none;

    return none;
}

std::string print_sample(PrintOptions options)
{
    std::ostringstream out;
    Printer p(out, options);

    p.begin_object();
    p.bare("dev-name", "mrc0", Color::name);
    p.hidden("dev-index", 1);
    p.number("qps", 3);
    p.on_off("icrc", true);
    p.ports("ports-up", 0x3);
    p.flag("denied", false);
    p.enter("stats");
    p.number("tx-packets", 4);
    p.leave();
    p.end_object();
    p.finish();
    return out.str();
}

TEST(Printer, Text)
{
    EXPECT_EQ(print_sample({}), "mrc0 qps 3 icrc on ports-up 1-2\n    tx-packets 4\n");
}

TEST(Printer, OneLineEach)
{
    EXPECT_EQ(print_sample({.one_line = true}),
              "mrc0 qps 3 icrc on ports-up 1-2\\    tx-packets 4\n");
}

TEST(Printer, Json)
{
    EXPECT_EQ(print_sample({.json = true}),
              R"([{"dev-name":"mrc0","dev-index":1,"qps":3,"icrc":true,"ports-up":[1,2],)"
              R"("denied":false,"stats":{"tx-packets":4}}])"
              "\n");
}

TEST(Printer, PrettyJsonIsTheSame)
{
    EXPECT_EQ(nlohmann::json::parse(print_sample({.json = true, .pretty = true})),
              nlohmann::json::parse(print_sample({.json = true})));
}

TEST(Printer, ColorsOnlyWhenAsked)
{
    EXPECT_EQ(print_sample({}).find('\033'), std::string::npos);
    EXPECT_NE(print_sample({.color = true}).find("\033[1;36mmrc0\033[0m"), std::string::npos);
}

std::string print_ports(uint32_t mask)
{
    std::ostringstream out;
    Printer p(out, {});

    p.begin_object();
    p.ports("p", mask);
    return out.str();
}

TEST(Printer, PortsAreRanges)
{
    EXPECT_EQ(print_ports(0), "p -");
    EXPECT_EQ(print_ports(1), "p 1");
    EXPECT_EQ(print_ports(0x80000000), "p 32");
    EXPECT_EQ(print_ports(~0u), "p 1-32");
    EXPECT_EQ(print_ports(0x5d), "p 1,3-5,7");
}

TEST(Printer, NothingIsAnEmptyList)
{
    std::ostringstream out;
    Printer p(out, {.json = true});

    p.finish();
    EXPECT_EQ(out.str(), "[]\n");
}

// Names of netdevs can have any byte.
TEST(Printer, NamesCannotTalkToTheTerminal)
{
    std::ostringstream out;
    Printer text(out, {});

    text.begin_object();
    text.text("ifname", "a\033[2Jb\n\xc2\x9b\xc3\x9b");
    text.end_object();
    EXPECT_EQ(out.str(), "ifname a?[2Jb?\xc2?\xc3\x9b\n") << "of UTF-8 the letters stay";

    out.str({});
    Printer json(out, {.json = true});
    json.begin_object();
    json.text("ifname", "\xff\n");
    json.end_object();
    json.finish();
    EXPECT_TRUE(nlohmann::json::accept(out.str()));
}

TEST(Printer, EventsAreOneLineEach)
{
    std::ostringstream out;
    Printer p(out, {.json = true});
    mrcnl::PeerEvEvent event;

    event.device = {1, "mrc0"};
    event.state = mrcnl::EvState::assumed_bad;
    event.reason = "loss";
    event.time = 77;
    p.set_streaming();
    print_event(p, event, {}, no_names);
    print_event(p, mrcnl::Overrun{}, {}, no_names);
    p.finish();

    std::istringstream lines(out.str());
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["event"], "peer-ev");
    EXPECT_EQ(json["state"], "assumed-bad");
    EXPECT_EQ(json["monotonic-ns"], 77);
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(nlohmann::json::parse(line)["event"], "overrun");
    EXPECT_FALSE(std::getline(lines, line));
}

/** The line of an event, without its time. */
std::string event_line(const mrcnl::Event &event, bool json)
{
    std::ostringstream out;
    Printer p(out, {.json = json});

    p.set_streaming();
    print_event(p, event, {}, no_names);
    const std::string line = out.str();
    return json ? line : line.substr(line.find(' ') + 1);
}

TEST(Printer, PortsOfAPeer)
{
    const mrcnl::PeerPortsEvent event{
        {1, "mrc0"},
        {*mrcnl::Address::parse("fd00::2"), *mrcnl::Address::parse("fd00::1"), 7},
        0x5,
        0x7,
        99};

    EXPECT_EQ(event_line(event, false), "peer-ports mrc0 remote-gid fd00::2 local-gid fd00::1 "
                                        "ev-profile 7 old-remote-ports 1-3 remote-ports 1,3\n");
    const auto json = nlohmann::json::parse(event_line(event, true));
    EXPECT_EQ(json["event"], "peer-ports");
    EXPECT_EQ(json["remote-ports"], nlohmann::json({1, 3}));
    EXPECT_EQ(json["old-remote-ports"], nlohmann::json({1, 2, 3}));
    EXPECT_EQ(json["monotonic-ns"], 99);
}

TEST(Printer, EventsTellOldNewAndReason)
{
    mrcnl::QpEvent qp;
    mrcnl::PeerEvEvent ev;

    qp.qpn = 5;
    qp.old_state = mrcnl::QpState::rts;
    qp.reason = "retry exceeded";
    EXPECT_NE(event_line(qp, false).find("qpn 5 old-state rts state err "), std::string::npos);
    EXPECT_NE(event_line(qp, false).find("reason retry exceeded"), std::string::npos);
    ev.old_state = mrcnl::EvState::good;
    ev.state = mrcnl::EvState::assumed_bad;
    ev.reason = "loss";
    ev.probed = 3;
    ev.changed = 88;
    EXPECT_NE(event_line(ev, false).find("old-state good state assumed-bad reason loss"),
              std::string::npos);
    const auto json = nlohmann::json::parse(event_line(ev, true));
    EXPECT_EQ(json["probed"], 3);
    EXPECT_EQ(json["changed-ns"], 88);
}

TEST(Clock, SpansHaveTheUnitsThatSuitThem)
{
    constexpr uint64_t second = 1'000'000'000;

    EXPECT_EQ(duration_text(0), "0 ns");
    EXPECT_EQ(duration_text(999), "999 ns");
    EXPECT_EQ(duration_text(1'000), "1 us");
    EXPECT_EQ(duration_text(1'050'000), "1.05 ms");
    EXPECT_EQ(duration_text(1'200'000), "1.2 ms");
    EXPECT_EQ(duration_text(99'990), "99.9 us");
    EXPECT_EQ(duration_text(10'030'000), "10 ms");
    EXPECT_EQ(duration_text(999'999'999), "999 ms");
    EXPECT_EQ(duration_text(59'999'999'999), "59.9 s");
    EXPECT_EQ(duration_text(60 * second), "1m");
    EXPECT_EQ(duration_text(3601 * second), "1h");
    EXPECT_EQ(duration_text(3599 * second), "59m 59s");
    EXPECT_EQ(duration_text(86'399 * second), "23h 59m");
    EXPECT_EQ(duration_text(273'700 * second), "3d 4h");
    EXPECT_EQ(duration_text(UINT64_MAX), "213503d 23h");
}

TEST(Printer, UnitsAreInTheKeysOfJson)
{
    const auto print = [](bool json) {
        std::ostringstream out;
        Printer p(out, {.json = json});

        p.begin_object();
        p.duration("rtt", 1'234'567);
        p.bytes("memory", 4096);
        p.end_object();
        p.finish();
        return out.str();
    };

    EXPECT_EQ(print(false), "rtt 1.23 ms memory 4096\n");
    EXPECT_EQ(print(true), "[{\"rtt-ns\":1234567,\"memory-bytes\":4096}]\n");
}

TEST(Printer, EventTimesAreWallClock)
{
    std::ostringstream out;
    Printer p(out, {});
    mrcnl::DeviceEvent event{{1, "mrc0"}, true, 1000};

    setenv("TZ", "UTC", 1);
    tzset();
    p.set_streaming();
    print_event(p, event, {0, 1'700'000'000'000'006'000}, no_names);
    EXPECT_EQ(out.str(), "2023-11-14T22:13:20.000007 device-add mrc0\n");
}

TEST(Printer, EventsOfJsonHaveBothClocks)
{
    const mrcnl::DeviceEvent event{{1, "mrc0"}, true, 1000};
    const auto print = [&](bool times) {
        std::ostringstream out;
        Printer p(out, {.json = true, .times = times});

        p.set_streaming();
        print_event(p, event, {3'000, 1'700'000'000'000'006'000}, no_names);
        return out.str();
    };

    EXPECT_EQ(print(true), "{\"time-ns\":1700000000000004000,\"monotonic-ns\":1000,"
                           "\"event\":\"device-add\",\"dev-index\":1,\"dev-name\":\"mrc0\"}\n");
    EXPECT_EQ(print(false), "{\"event\":\"device-add\",\"dev-index\":1,\"dev-name\":\"mrc0\"}\n");
}

} // namespace
} // namespace mrcctl::printer_test
