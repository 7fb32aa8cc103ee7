// SPDX-License-Identifier: GPL-2.0-only
//
// What mrcd says of itself.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "daemon_rig.h"
#include "fabrics.h"
#include "report/health.h"
#include "report_rig.h"
#include "watch/link_watch.h"

namespace mrcd::test
{
namespace
{

using Json = nlohmann::json;

/** Nothing comes back in plane 1; plane 2 has no carrier. */
class DeadSender : public ProbeSender
{
public:
    void send(const ProbeLoop &, const Probe &) override {}
    uint16_t data_bytes() override { return 0; }
    bool carrier(uint8_t plane) override { return plane == 1; }
    void ask(uint8_t) override {}
};

TEST(Health, TellsOfPlanesFaultsAndDenials)
{
    const Fabric fabric = fabric_of(small_file);
    const std::string status = "as planned";
    const std::deque<Decision> decisions = {{5, "p1 is denied"}};
    constexpr uint64_t second = 1'000'000'000;
    FaultFinder watch(fabric, 1);
    DeadSender sender;
    uint64_t now = second;

    while (now < 3 * second)
        now = watch.tick(now, sender);
    const Json json =
        Json::parse(to_json({fabric, &watch, status, decisions, now, now + 100 * second}));
    EXPECT_EQ(json["dev-name"], "mrc0");
    EXPECT_EQ(json["status"], "as planned");
    EXPECT_EQ(json["time"], now + 100 * second);
    ASSERT_EQ(json["plane"].size(), 2u);
    EXPECT_EQ(json["plane"][0]["ifname"], "eth1");
    EXPECT_EQ(json["plane"][0]["verdict"], "dead");
    EXPECT_EQ(json["plane"][0]["recent"], json["plane"][0]["recent-lost"]);
    EXPECT_EQ(json["plane"][0]["rtt-max"], 0) << "nothing came back";
    EXPECT_EQ(json["plane"][0]["history"],
              Json(std::vector<int>(json["plane"][0]["recent"].get<size_t>())));
    EXPECT_EQ(json["plane"][0]["t1"].size(), own_t1s(fabric, 1).size());
    EXPECT_EQ(json["plane"][1]["carrier"], false);
    EXPECT_FALSE(json["plane"][0].contains("data")) << "nothing as long is sent";
    ASSERT_EQ(json["fault"].size(), 2u);
    EXPECT_EQ(json["fault"][0]["cause"], "no-carrier");
    EXPECT_EQ(json["fault"][1]["cause"], "silence");
    EXPECT_EQ(json["fault"][0]["element"], "h1-p2t0r1") << "known at once";
    EXPECT_EQ(json["fault"][0]["denied"], true);
    EXPECT_EQ(json["fault"][0]["since"], 101 * second);
    EXPECT_EQ(json["fault"][1]["element"], "h1-p1t0r1");
    EXPECT_EQ(json["fault"][1]["denied"], false) << "some plane stays";
    EXPECT_EQ(json["fault"][0]["lost"], 0) << "it took no probe";
    EXPECT_GE(json["fault"][1]["lost"], 4);
    EXPECT_EQ(json["denied"].size(), 2u) << "by the file";
    EXPECT_EQ(json["decision"][0]["text"], "p1 is denied");
}

TEST(Health, TellsOfTheLastRtts)
{
    const ReportRig rig;
    const Json uplink = Json::parse(rig.health())["plane"][0];

    EXPECT_EQ(uplink["verdict"], "alive");
    EXPECT_EQ(uplink["data"]["bytes"], 4228);
    EXPECT_EQ(uplink["data"]["verdict"], "alive");
    EXPECT_GT(uplink["data"]["sent"], 0);
    EXPECT_EQ(uplink["data"]["lost"], 0);
    for (const char *key : {"rtt-min", "rtt-median", "rtt-max"})
        EXPECT_EQ(uplink[key], 1'000'000) << key;
    EXPECT_EQ(uplink["history"], Json(std::vector<int>(uplink["recent"].get<size_t>(), 1000)));
}

TEST(Health, NothingIsKnownOfWhatIsNotWatched)
{
    LogLines log;
    LinkWatch links(log);

    links.look_at(fabric_of(small_file + "[watch]\nrate = 0\n"));
    EXPECT_EQ(links.tick(), UINT64_MAX) << "never again";
    EXPECT_TRUE(links.knows());
    EXPECT_EQ(links.denials(), Denials{});
    const Json json = Json::parse(links.health("as planned"));
    EXPECT_TRUE(json["plane"].empty());
    EXPECT_TRUE(json["fault"].empty());
    EXPECT_EQ(json["host"], "h1");
    EXPECT_TRUE(log.lines.empty());
}

} // namespace
} // namespace mrcd::test
