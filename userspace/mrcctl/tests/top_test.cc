// SPDX-License-Identifier: GPL-2.0-only
/* Tests mrcctl top against a kernel that changes while top waits. */
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fake_kernel.h"

namespace mrcctl::top_test
{
namespace
{

using namespace mrcnl;
using Json = nlohmann::json;
using test::FakeKernel;
using test::Runner;

const DeviceRef mrc0{1, "mrc0"};

std::vector<std::string> lines_of(const std::string &text)
{
    return split(text, '\n');
}

/** Runs a command line, and records its waits and their time. */
struct Top {
    Runner run;
    std::vector<uint64_t> waits;
    uint64_t now = 1'000'000'000;
    std::function<void(FakeKernel &)> change = [](FakeKernel &) {};
    size_t stop_after = 100;

    explicit Top(PrintOptions options = {}) : run(options)
    {
        run.context.wall = [] { return 0; };
        run.context.now = [this] { return now; };
        run.context.wait = [this](uint64_t ns) {
            waits.push_back(ns);
            now += ns;
            change(run.kernel);
            return waits.size() <= stop_after;
        };
        run.kernel.device_list = {{mrc0, 3, "dum0", {}, 1, 0, {}}};
        run.kernel.plane_list = {{mrc0, 1, 10, "eth1", true, true, {}}};
    }
};

TEST(Top, WaitsAsLongAndAsOftenAsTold)
{
    Top top;

    top.run("top count 3");
    EXPECT_EQ(top.waits, std::vector<uint64_t>(3, 1'000'000'000));
    top.waits.clear();
    top.run("top mrc0 int 0.25 cou 1 sort na");
    EXPECT_EQ(top.waits, std::vector<uint64_t>(1, 250'000'000));
}

TEST(Top, EndsWhenToldTo)
{
    Top top;

    top.stop_after = 2;
    EXPECT_EQ(lines_of(top.run("top")).size(), 2 * 3 + 1u);
    EXPECT_EQ(top.waits.size(), 3u);
}

/** Fixed windows have no columns. */
TEST(Top, ShowsWindowsWhereTheyMove)
{
    Top top;
    Peer peer;

    peer.device = mrc0;
    top.run.kernel.peer_list = {peer};
    EXPECT_EQ(top.run("top count 1").find("CWND"), std::string::npos);
    top.run.kernel.peer_list[0].congestion = {
        .contexts = 1, .cwnd = 98304, .max_cwnd = 750000, .delay = 7500, .target_delay = 75000};
    const std::string shown = top.run("top count 1");
    EXPECT_NE(shown.find("CWND     DELAY"), std::string::npos) << shown;
    EXPECT_NE(shown.find("98.3k/750k    7.5 us"), std::string::npos) << shown;
    top.run.kernel.peer_list[0].congestion->contexts = 0;
    EXPECT_NE(top.run("top count 1").find("        -         - "), std::string::npos)
        << "all have ended";
}

TEST(Top, UsageErrors)
{
    Top top;

    EXPECT_EQ(top.run.usage("top interval"), "top: interval is missing");
    EXPECT_EQ(top.run.usage("top interval 0"), "top: interval must be 0.1 to 86400 seconds, not 0");
    EXPECT_EQ(top.run.usage("top interval -1"),
              "top: interval must be 0.1 to 86400 seconds, not -1");
    EXPECT_EQ(top.run.usage("top interval 1e3"), "top: interval: '1e3' is not a number");
    EXPECT_EQ(top.run.usage("top interval nan"), "top: interval: 'nan' is not a number");
    EXPECT_EQ(top.run.usage("top interval inf"),
              "top: interval must be 0.1 to 86400 seconds, not inf");
    EXPECT_EQ(top.run.usage("top interval 2s"), "top: interval: '2s' is not a number");
    EXPECT_EQ(top.run.usage("top count 0"), "top: count must be 1 to 4294967295, not 0");
    EXPECT_EQ(top.run.usage("top sort speed"), "top: unknown sort key 'speed'");
    EXPECT_EQ(top.run.usage("top mrc0 mrc1"), "top: unknown keyword 'mrc1'");
    EXPECT_TRUE(top.waits.empty());
}

TEST(Top, Failures)
{
    Top top;

    EXPECT_EQ(top.run.error<Failure>("top nope"), "top: no such device");
    top.run.kernel.dump_error = Error{EPERM, "", {}};
    EXPECT_EQ(top.run.error<Failure>("top count 1"), "top: Operation not permitted");
}

TEST(Top, DeviceGoesAndComes)
{
    Top top({.json = true});
    const std::vector<Plane> planes = top.run.kernel.plane_list;

    top.change = [&](FakeKernel &k) {
        k.dump_error.reset();
        k.plane_list = planes;
        if (top.waits.size() == 2)
            k.dump_error = Error{ENODEV, "mrc: no such device", "dev-name"};
        else if (top.waits.size() > 2)
            k.plane_list[0].device.index = 2;
    };
    const auto lines = lines_of(top.run("top mrc0 count 4"));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_TRUE(Json::parse(lines[0])["plane"][0].contains("per-second"));
    EXPECT_TRUE(Json::parse(lines[1])["plane"].empty());
    EXPECT_FALSE(Json::parse(lines[2])["plane"][0].contains("per-second"));
    EXPECT_TRUE(Json::parse(lines[3])["plane"][0].contains("per-second"));
    EXPECT_EQ(lines[4], "");
}

// The time of a failed look counts, too.
TEST(Top, PassesOverWhatTheKernelCannotSay)
{
    Top top({.json = true});

    top.change = [&](FakeKernel &k) {
        k.plane_list[0].stats.tx_packets += 10;
        k.dump_error.reset();
        if (top.waits.size() == 1)
            k.dump_error = Error{EAGAIN, "the objects change too fast to be listed", {}};
    };
    const auto lines = lines_of(top.run("top count 2"));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(top.waits.size(), 3u);
    EXPECT_EQ(Json::parse(lines[0])["interval-ns"], 2'000'000'000);
    EXPECT_EQ(Json::parse(lines[0])["plane"][0]["per-second"]["tx-packets"], 10.0);
    EXPECT_EQ(Json::parse(lines[1])["interval-ns"], 1'000'000'000);
}

TEST(Top, JsonAfterItIsAnArrayAgain)
{
    Top top({.json = true});

    top.run("top count 1");
    EXPECT_TRUE(Json::parse(top.run("plane")).is_array());
}

TEST(Top, TablesFollowEachOtherWhereThereIsNoTerminal)
{
    Top top;
    const std::string text = top.run("top count 2");

    EXPECT_EQ(text.find('\033'), std::string::npos);
    EXPECT_EQ(lines_of(text).size(), 2 * 3 + 1u);
}

/** Draws many planes, peers and QPs with long names in a window. */
std::string drawn(const Window &window, const std::string &line)
{
    Top top;
    FakeKernel &k = top.run.kernel;
    const DeviceRef device{1, "a-device-with-quite-a-long-name"};
    const PeerKey key{*Address::parse("2001:db8:1111:2222:3333:4444:5555:6666"),
                      *Address::parse("fd00::1"), UINT64_MAX};

    for (uint8_t port = 1; port <= 8; port++)
        k.plane_list.push_back({device, port, port, "enp193s0f0np0", true, true, {}});
    for (uint16_t i = 0; i < 40; i++) {
        Peer peer;
        Qp qp;

        peer.device = qp.device = device;
        peer.key = key;
        peer.key.local_gid.bytes[15] = static_cast<uint8_t>(i);
        qp.qpn = 0xffff00 + i;
        qp.connection = {i, key.local_gid, key.remote_gid, 4096};
        qp.pid = 4194304;
        k.peer_list.push_back(peer);
        k.qp_list.push_back(qp);
    }
    top.run.context.window = [&] { return window; };
    return top.run(line);
}

TEST(Top, DrawsAtOnceAndThenInPlace)
{
    const std::string text = drawn({24, 80}, "top count 2");
    size_t pictures = 0;

    for (size_t at = 0; (at = text.find("\033[H", at)) != std::string::npos; at++)
        pictures++;
    EXPECT_EQ(pictures, 3u);
}

TEST(Top, FitsIntoEachWindow)
{
    for (size_t rows = 1; rows < 120; rows += 7)
        for (const size_t columns : {1u, 20u, 40u, 80u, 200u}) {
            std::string text = drawn({rows, columns}, "top count 1");
            const std::string erase_line = "\033[K";

            text = text.substr(text.rfind("\033[H") + 3);
            text = text.substr(0, text.find("\033[J"));
            const auto lines = lines_of(text);
            EXPECT_LE(lines.size(), rows);
            for (const std::string &line : lines)
                EXPECT_LE(line.size(), columns + erase_line.size()) << line;
        }
}

TEST(Top, SaysWhatHasNoRoom)
{
    // Summary line, three headings, the free row: 19 rows are left, 6 or 7 per table.
    const std::string text = drawn({24, 200}, "top count 1");

    EXPECT_NE(text.find("7 of 9 planes, 6 of 40 peers, 6 of 40 QPs"), std::string::npos) << text;
}

} // namespace
} // namespace mrcctl::top_test
