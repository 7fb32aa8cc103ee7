// SPDX-License-Identifier: GPL-2.0-only
//
// What is right is read, and what is wrong is named with its line.

#include <algorithm>
#include <functional>
#include <sstream>

#include <gtest/gtest.h>

#include "fabrics.h"

namespace mrcd::test::fabric_file_test
{
namespace
{

std::string complaints(const std::string &text, const std::string &host = "nobody")
{
    const auto result = read_fabric(text, host);
    std::string lines;

    if (std::holds_alternative<Fabric>(result))
        return "none\n";
    for (const Complaint &complaint : std::get<Complaints>(result))
        lines += to_string("f", complaint) + "\n";
    return lines;
}

std::string complaints_with(const std::string &from, const std::string &to)
{
    return complaints(with(small_file, from, to));
}

TEST(FabricFile, IsRead)
{
    const Fabric f = fabric_of(small_file);

    EXPECT_EQ(f.block.text(), "fcbb:bb00::");
    EXPECT_EQ(f.planes, 2);
    ASSERT_EQ(f.racks, (std::vector<std::string>{"r1", "r2"}));
    ASSERT_EQ(f.t0.size(), 4u);
    EXPECT_EQ(f.t0[3].name, "p2t0r2");
    EXPECT_EQ(f.t0[3].plane, 2);
    EXPECT_EQ(f.t0[3].rack, 1u);
    EXPECT_EQ(f.t0[3].usid, 0x0202);
    ASSERT_EQ(f.t1.size(), 4u);
    EXPECT_EQ(f.t1[1].usid, 0x0182);
    ASSERT_EQ(f.hosts.size(), 3u);
    EXPECT_EQ(f.hosts[1].gid.text(), "fd00:6d72:63::2");
    EXPECT_EQ(f.missing, (std::set<Trunk>{{0, 1}}));
    EXPECT_EQ(f.denied.t1, (std::set<uint32_t>{2}));
    EXPECT_EQ(f.denied.trunks, (std::set<Trunk>{{3, 3}}));
    EXPECT_EQ(f.local.host, 0u);
    EXPECT_EQ(f.local.planes, (std::vector<std::string>{"eth1", "eth2"}));
    EXPECT_EQ(f.evs.per_destination, 16);
    EXPECT_EQ(f.evs.min_active, 3);
    EXPECT_EQ(f.evs.active, 8);
    EXPECT_EQ(f.cc.window, 524288u);
}

TEST(FabricFile, WhatIsLeftOutHasADefault)
{
    std::string text = with(small_file, "host = \"h1\"\n", "");
    text = with(text, "device = \"mrc0\"\n", "");
    text = text.substr(0, text.find("[evs]"));
    const auto result = read_fabric(text, "h3");

    ASSERT_TRUE(std::holds_alternative<Fabric>(result));
    const Fabric &f = std::get<Fabric>(result);
    EXPECT_EQ(f.local.host, 2u) << "the host's own name";
    EXPECT_EQ(f.local.device, "mrc0");
    EXPECT_EQ(f.evs.per_destination, 128);
    EXPECT_EQ(f.evs.min_active, std::nullopt);
    EXPECT_EQ(f.evs.active, 0) << "all";
    EXPECT_EQ(f.gids, std::nullopt);
    EXPECT_EQ(f.cc.algorithm, "nscc");
    EXPECT_EQ(f.cc.window, std::nullopt);
    EXPECT_EQ(f.cc.settings, CcSettings());
}

TEST(FabricFile, AFixedWindowIsAskedForByName)
{
    const std::string both = "algorithm = \"none\"\nwindow = 524288\n";

    EXPECT_EQ(
        complaints_with(both, "window = 524288\n"),
        "f:41: cc: window: only algorithm \"none\" takes a window, and it is not the default\n");
    EXPECT_EQ(fabric_of(with(small_file, both, "algorithm = \"none\"\n")).cc.window, 1u << 20);
}

TEST(FabricFile, NamesWhatIsWrong)
{
    EXPECT_EQ(complaints_with("planes = 2", "planes = 33"),
              "f:3: fabric: planes: must be 1 to 32, not 33\n")
        << "and nothing that only follows from it";
    EXPECT_EQ(complaints_with("\"fcbb:bb00::/32\"", "\"fcbb:bb00::/48\""),
              "f:2: fabric: block: 'fcbb:bb00::/48' is not 32 bits long\n");
    EXPECT_EQ(complaints_with("\"fcbb:bb00::/32\"", "\"fcbb:bb00:1::/32\""),
              "f:2: fabric: block: 'fcbb:bb00:1::/32' has bits set beyond its first 32\n");
    EXPECT_EQ(complaints_with("usid = 0x0102", "usid = 0x0101"),
              "f:7: t0.p1t0r2: usid: is already used by p1t0r1\n");
    EXPECT_EQ(complaints_with("usid = 0x0181", "usid = 0x10000"),
              "f:12: t1.p1t1s1: usid: must be 1 to 65535, not 65536\n");
    EXPECT_EQ(complaints_with("plane = 2, rack = \"r2\"", "plane = 1, rack = \"r2\""),
              "f:9: t0.p2t0r2: rack: already has p1t0r2 in this plane\n")
        << "and nothing of the links that name it";
    EXPECT_EQ(complaints_with("rack = \"r2\", usid = 0xf002", "rack = \"r4\", usid = 0xf002"),
              "f:19: hosts.h2: rack: no T0 is in a rack 'r4'\n");
    EXPECT_EQ(complaints_with("63::2", "63::1"), "f:19: hosts.h2: gid: is already used by h1\n");
    EXPECT_EQ(complaints_with("fd00:6d72:63::2", "ff02::1"),
              "f:19: hosts.h2: gid: 'ff02::1' is not an address that a host can have\n");
    EXPECT_EQ(complaints_with("fd00:6d72:63::2", "10.0.0.2"),
              "f:19: hosts.h2: gid: '10.0.0.2' is not an IPv6 address\n");
    EXPECT_EQ(complaints_with("[\"p1t0r1\", \"p1t1s2\"]", "[\"p1t0r1\", \"p2t1s2\"]"),
              "f:23: links: missing: p1t0r1 and p2t1s2 belong to different planes\n");
    EXPECT_EQ(complaints_with("[\"p1t0r1\", \"p1t1s2\"]", "[\"p1t0r1\"]"),
              "f:23: links: missing: a link is [\"T0\", \"T1\"]\n");
    EXPECT_EQ(complaints_with("[\"p2t1s1\"]", "[\"p3t1s1\"]"),
              "f:26: deny: switches: no switch 'p3t1s1'\n");
    EXPECT_EQ(complaints_with("host = \"h1\"", "host = \"h9\""),
              "f:30: local: host: no host 'h9'\n");
    EXPECT_EQ(complaints(with(small_file, "host = \"h1\"\n", ""), ""),
              "f:29: local: host: no host ''\n");
    EXPECT_EQ(complaints_with("[\"eth1\", \"eth2\"]", "[\"eth1\"]"),
              "f:33: local: planes: must be 2 netdevs, one per plane, not 1\n");
    EXPECT_EQ(complaints_with("\"eth2\"", "\"eth1\""),
              "f:33: local: planes: eth1 is listed twice\n");
    EXPECT_EQ(complaints_with("\"eth2\"", "\"a/b\""),
              "f:33: local: planes: 'a/b' is not a valid name of a netdev\n");
    EXPECT_EQ(complaints_with("min-active = 3", "min-active = 17"),
              "f:37: evs: min-active: must be 0 to 16, not 17\n");
    EXPECT_EQ(complaints_with("\"none\"", "\"cubic\""),
              "f:41: cc: algorithm: 'cubic' is unknown: use \"none\" or \"nscc\"\n");
    EXPECT_EQ(
        complaints_with("\"none\"", "\"nscc\""),
        "f:42: cc: window: only algorithm \"none\" takes a window, and it is not the default\n");
    EXPECT_EQ(complaints_with("[cc]", "[ccc]"), "f:40: unknown key 'ccc'\n");
    EXPECT_EQ(complaints(""), "f:1: fabric: is missing\nf:1: t0: is missing\n"
                              "f:1: hosts: is missing\nf:1: local: is missing\n");
}

/** All settings, in the units of mrcctl. */
TEST(FabricFile, SettingsOfNscc)
{
    const std::string given = R"(algorithm = "nscc"
rate = "400gbit"
base-rtt = "12.5us"
target-delay = "9us"
max-cwnd = 300000
adjust-bytes = 32768
adjust-period = "12us"
eta = 1000
fi = 20000
fi-scale = 0.25
gamma = 0.7
max-md-jump = 1
qa-gate = 4
qa-threshold = "1ms"
quick-adapt = false
trimming = true
ecn = "absent"
scope = "qp"
)";
    const Fabric fabric =
        fabric_of(with(small_file, "algorithm = \"none\"\nwindow = 524288\n", given));
    const CcSettings expected{.rate = 50'000'000'000,
                              .base_rtt = 12'500,
                              .target_delay = 9'000,
                              .max_cwnd = 300'000,
                              .adjust_bytes = 32'768,
                              .adjust_period = 12'000,
                              .eta = 1'000,
                              .fi = 20'000,
                              .fi_scale = 250'000,
                              .gamma = 700'000,
                              .max_md_jump = 1'000'000,
                              .qa_gate = 4,
                              .qa_threshold = 1'000'000,
                              .quick_adapt = false,
                              .trimming = true,
                              .ecn = 1,
                              .scope = 1};

    EXPECT_EQ(fabric.cc.algorithm, "nscc");
    EXPECT_FALSE(fabric.cc.window);
    EXPECT_EQ(fabric.cc.settings, expected);
}

TEST(FabricFile, WindowsOfTheAlgorithms)
{
    EXPECT_EQ(fabric_of(with(small_file, "window = 524288\n", "")).cc.window, 1u << 20);
    const Cc nscc = fabric_of(with(small_file, "\"none\"\nwindow = 524288\n", "\"nscc\"\n")).cc;
    EXPECT_FALSE(nscc.window);
    EXPECT_EQ(nscc.settings, CcSettings());
}

TEST(FabricFile, EachPlaneReachesEachRack)
{
    EXPECT_EQ(complaints_with("p2t0r1 = { plane = 2, rack = \"r1\", usid = 0x0201 }\n", ""),
              "f:6: rack 'r1' has no T0 in plane 2\n");
    EXPECT_EQ(complaints_with("[[\"p1t0r1\", \"p1t1s2\"]]",
                              "[[\"p1t0r1\", \"p1t1s2\"], [\"p1t0r1\", \"p1t1s1\"],"
                              " [\"p2t0r1\", \"p2t1s1\"], [\"p2t0r2\", \"p2t1s2\"]]"),
              "f:7: no path leads to rack 'r2'\n");
}

TEST(FabricFile, DenialsLeaveAPath)
{
    EXPECT_EQ(complaints_with("[\"p2t1s1\"]", "[\"p2t1s1\", \"p1t1s1\"]"),
              "f:25: deny: leaves no path to rack 'r2'\n");
    EXPECT_EQ(complaints_with("[\"p2t1s1\"]", "[\"p1t0r1\", \"p2t0r1\"]"),
              "f:25: deny: leaves no path to rack 'r1'\n"
              "f:25: deny: leaves no path to rack 'r2'\n");
}

TEST(FabricFile, AddressesAreOfHostsAnywhere)
{
    for (const char *gid : {"fe80::2", "::1", "::", "::ffff:10.0.0.2", "ff0e::1"})
        EXPECT_EQ(complaints_with("fd00:6d72:63::2", gid),
                  "f:19: hosts.h2: gid: '" + std::string(gid) +
                      "' is not an address that a host can have\n");
    EXPECT_EQ(complaints_with("fd00:6d72:63::2", "fcbb:bb00::2"),
              "f:19: hosts.h2: gid: 'fcbb:bb00::2' lies in the block\n");
    for (const char *block : {"fe80::/32", "::/32", "ff0e::/32"})
        EXPECT_EQ(complaints_with("fcbb:bb00::/32", block),
                  "f:2: fabric: block: '" + std::string(block) +
                      "' is not a prefix of addresses that hosts can have\n");
}

TEST(FabricFile, AllGidsLieInTheirPrefix)
{
    const auto gids = [](const std::string &prefix) {
        return complaints_with("planes = 2", "planes = 2\ngids = \"" + prefix + "\"");
    };

    EXPECT_EQ(gids("fd00:6d72:63::/64"), "none\n");
    EXPECT_EQ(gids("fd00:6d72:64::/64"),
              "f:19: hosts.h1: gid: 'fd00:6d72:63::1' does not lie in fd00:6d72:64::/64\n"
              "f:20: hosts.h2: gid: 'fd00:6d72:63::2' does not lie in fd00:6d72:64::/64\n"
              "f:21: hosts.h3: gid: 'fd00:6d72:63::3' does not lie in fd00:6d72:64::/64\n");
    EXPECT_EQ(gids("fd00:6d72:63::1/64"),
              "f:4: fabric: gids: 'fd00:6d72:63::1/64' has bits set beyond its first 64\n");
    EXPECT_EQ(gids("f000::/4"), "f:4: fabric: gids: 'f000::/4' overlaps the block\n");
    EXPECT_EQ(gids("fcbb:bb00:1::/48"),
              "f:4: fabric: gids: 'fcbb:bb00:1::/48' overlaps the block\n");
    EXPECT_EQ(gids("nonsense"), "f:4: fabric: gids: 'nonsense' is not an IPv6 prefix\n");
}

/** Names that no netdev or device can have. */
TEST(FabricFile, Names)
{
    const std::vector<std::string> never = {".",
                                            "..",
                                            "a/b",
                                            "a:b",
                                            "a%d",
                                            "a b",
                                            "a\\tb",
                                            "a\\u0000b",
                                            "a\\rb",
                                            "a\\u007f",
                                            "abcdefghijklmnop"};

    for (const std::string &name : never) {
        EXPECT_TRUE(complaints_with("\"eth2\"", "\"" + name + "\"").starts_with("f:33: ")) << name;
        EXPECT_TRUE(
            complaints_with("\"mrc\"", "\"" + name + "\"").starts_with("f:32: local: anchor: "))
            << name;
    }
    for (const std::string &name :
         {std::string("a/b"), std::string("a%d"), std::string("a\\u001bb"), std::string(64, 'a')})
        EXPECT_TRUE(
            complaints_with("\"mrc0\"", "\"" + name + "\"").starts_with("f:31: local: device: "))
            << name;
    EXPECT_EQ(complaints_with("\"mrc0\"", "\"\""), "f:31: local: device: is empty\n");
    EXPECT_EQ(complaints_with("\"mrc0\"", "\"" + std::string(63, 'a') + "\""), "none\n");
    EXPECT_EQ(complaints_with("\"eth2\"", "\"abcdefghijklmno\""), "none\n");
}

/** One mistake causes only one complaint. */
TEST(FabricFile, NobodyElseIsToBlame)
{
    EXPECT_EQ(complaints(with(with(small_file, ", usid = 0x0101", ""), ", usid = 0x0102", "")),
              "f:6: t0.p1t0r1: usid: is missing\n"
              "f:7: t0.p1t0r2: usid: is missing\n")
        << "not: is already used by";
    EXPECT_EQ(complaints_with("p1t0r1 = { plane = 1, rack = \"r1\"", "p1t0r1 = { rack = \"r1\""),
              "f:6: t0.p1t0r1: plane: is missing\n");
    EXPECT_EQ(complaints_with("p1t0r1 = { plane = 1, rack = \"r1\"", "p1t0r1 = { plane = 1"),
              "f:6: t0.p1t0r1: rack: is missing\n");
    EXPECT_EQ(complaints(with(with(small_file, "p1t0r1 = {", "p1t0r1 = 1 # {"), "p2t0r1 = {",
                              "p2t0r1 = 1 # {")),
              "f:6: t0.p1t0r1: must be a table, not a number\n"
              "f:8: t0.p2t0r1: must be a table, not a number\n")
        << "not hosts and links that name them";
    EXPECT_EQ(complaints_with("h1 = {", "h1 = 1 # {"),
              "f:18: hosts.h1: must be a table, not a number\n");
    EXPECT_EQ(complaints_with("[\"eth1\", \"eth2\"]", "[\"eth1\", 2]"),
              "f:33: local: planes: must be strings, not a number\n");
    EXPECT_EQ(complaints_with("per-destination = 16\nmin-active = 3",
                              "per-destination = 0\nmin-active = 3"),
              "f:36: evs: per-destination: must be 1 to 256, not 0\n");
}

TEST(FabricFile, LinksAreProbedAtTheRateThatIsAskedFor)
{
    EXPECT_EQ(fabric_of(small_file).watch.rate, 10);
    for (const int rate : {0, 1, 100})
        EXPECT_EQ(fabric_of(small_file + "[watch]\nrate = " + std::to_string(rate)).watch.rate,
                  rate);
    for (const char *wrong : {"-1", "101", "1.5", "\"fast\""})
        EXPECT_TRUE(complaints(small_file + "[watch]\nrate = " + wrong).find("watch: rate: ") !=
                    std::string::npos)
            << wrong;
    EXPECT_TRUE(complaints(small_file + "[watch]\nrat = 1").find("unknown key 'rat'") !=
                std::string::npos);
}

TEST(FabricFile, TimersOfTheWatchHaveRanges)
{
    struct Timer {
        const char *key;
        uint16_t Watching::*member;
        int min, usual, max;
    };
    const auto lines = static_cast<int>(std::count(small_file.begin(), small_file.end(), '\n'));

    for (const Timer &timer : {Timer{"lost-after", &Watching::lost_after, 10, 50, 1000},
                               Timer{"dead-after", &Watching::dead_after, 2, 4, 10},
                               Timer{"alive-after", &Watching::alive_after, 1, 20, 100}}) {
        const std::string head = small_file + "[watch]\n" + timer.key + " = ";
        const std::string range =
            "must be " + std::to_string(timer.min) + " to " + std::to_string(timer.max) + ", not ";
        EXPECT_EQ(fabric_of(small_file).watch.*timer.member, timer.usual);
        for (const int right : {timer.min, timer.max})
            EXPECT_EQ(fabric_of(head + std::to_string(right)).watch.*timer.member, right);
        for (const int wrong : {-1, 0, timer.min - 1, timer.max + 1, 65536 + timer.min})
            EXPECT_EQ(complaints(head + std::to_string(wrong)),
                      "f:" + std::to_string(lines + 2) + ": watch: " + timer.key + ": " + range +
                          std::to_string(wrong) + "\n");
        EXPECT_NE(complaints(head + "\"50ms\"").find("must be a number"), std::string::npos);
    }
}

TEST(FabricFile, ReportsAreWhereTheyAreAskedFor)
{
    EXPECT_EQ(fabric_of(small_file).report.address, "127.0.0.1");
    EXPECT_EQ(fabric_of(small_file).report.port, 9867);
    const Fabric other = fabric_of(small_file + "[report]\naddress = \"10.0.0.1\"\nport = 0");
    EXPECT_EQ(other.report.address, "10.0.0.1");
    EXPECT_EQ(other.report.port, 0);
    for (const char *wrong : {"address = \"localhost\"", "address = \"::1\"",
                              "address = \"127.0.0.1:80\"", "address = \"\"", "address = 1",
                              "port = 65536", "port = -1", "port = \"80s\"", "ports = 1"})
        EXPECT_NE(complaints(small_file + "[report]\n" + wrong).find("report"), std::string::npos)
            << wrong;
}

/** The lines of a text. */
std::vector<std::string> lines_of(const std::string &text)
{
    std::istringstream stream(text);
    std::vector<std::string> lines;

    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

/** The text with a different line @p i. */
std::string with_line(std::vector<std::string> lines, size_t i, const std::string &by)
{
    std::string text;

    lines[i] = by;
    for (const std::string &line : lines)
        text += line + "\n";
    return text;
}

/**
 * The right complaint is among those for each broken file; see also selftests/host/broken_files.sh.
 */
TEST(FabricFile, EveryBrokenLineIsNamed)
{
    const std::vector<std::string> lines = lines_of(small_file);
    int tried = 0;

    for (const std::string &entry : lines_of(*read_file(MRCD_TESTS "/broken.tsv"))) {
        const size_t by = entry.find('\t');
        const size_t reason = entry.find('\t', by + 1);
        if (entry.starts_with('#'))
            continue;
        const std::string number = entry.substr(0, by);
        const std::string found = complaints(
            with_line(lines, std::stoul(number) - 1, entry.substr(by + 1, reason - by - 1)));
        EXPECT_NE(("\n" + found).find("\nf:" + number + ": " + entry.substr(reason + 1)),
                  std::string::npos)
            << entry << "\n"
            << found;
        tried++;
    }
    EXPECT_GE(tried, 100);
}

/** After any change of a line, the file is right, or each complaint has a line. */
TEST(FabricFile, EveryComplaintHasALine)
{
    const std::vector<std::string> lines = lines_of(small_file);
    const std::vector<std::function<std::string(const std::string &)>> ways = {
        [](const std::string &) { return ""; },
        [](const std::string &line) { return line + "\n" + line; },
        [](const std::string &line) { return "#" + line; },
        [](const std::string &line) { return line.substr(0, line.size() / 2); },
        [](const std::string &line) { return line + " junk"; },
    };
    int tried = 0, wrong = 0;

    for (size_t i = 0; i < lines.size(); i++) {
        if (lines[i].empty())
            continue;
        for (const auto &way : ways) {
            const std::string text = with_line(lines, i, way(lines[i]));
            const auto result = read_fabric(text, "h1");
            tried++;
            if (std::holds_alternative<Fabric>(result))
                continue;
            wrong++;
            ASSERT_FALSE(std::get<Complaints>(result).empty()) << text;
            for (const Complaint &complaint : std::get<Complaints>(result))
                EXPECT_GT(complaint.line, 0u) << complaint.text << "\n" << way(lines[i]);
        }
    }
    EXPECT_GE(tried, 140);
    EXPECT_GE(wrong, 100);
}

/** Any text gets an answer. */
TEST(FabricFile, CutsAndNoiseAreSurvived)
{
    uint32_t random = 1;

    for (size_t cut = 0; cut < small_file.size(); cut += 7)
        EXPECT_NE(complaints(small_file.substr(0, cut)), "");
    for (int n = 0; n < 500; n++) {
        std::string text = small_file;
        for (int k = 0; k < 3; k++) {
            random = random * 1664525 + 1013904223;
            text[(random >> 8) % text.size()] = static_cast<char>(random >> 24);
        }
        EXPECT_NE(complaints(text), "");
    }
}

TEST(FabricFile, LargeOnesAreRead)
{
    EXPECT_EQ(fabric_of(large_file(64, 64, 8, 32)).hosts.size(), 4096u);
}

} // namespace
} // namespace mrcd::test::fabric_file_test
