// SPDX-License-Identifier: GPL-2.0-only
//
// What mrcd says of itself.

#include <gtest/gtest.h>

#include "daemon_rig.h"
#include "fabrics.h"
#include "report/report_json.h"
#include "report_rig.h"
#include "watch/link_watch.h"

namespace mrcd::test::report_json_test
{
namespace
{

using Json = nlohmann::ordered_json;

/** A sender by which nothing comes back in plane 1, and plane 2 has no carrier. */
class DeadSender : public ProbeSender
{
public:
    void send(const ProbeLoop &, const LoopProbe &) override {}
    uint16_t data_bytes() override { return 0; }
    bool carrier(uint8_t plane) override { return plane == 1; }
    void ask(uint8_t) override {}
};

TEST(ReportJson, TellsOfPlanesFaultsAndDenials)
{
    const Fabric fabric = fabric_of(small_file);
    const std::deque<Decision> decisions = {{5, "p1 is denied"}};
    const FileState file{"f", "abc", 7, "f:1: no", 9, false};
    constexpr uint64_t second = 1'000'000'000;
    FaultFinder watch(fabric, 1);
    DeadSender sender;
    uint64_t now = second;

    while (now < 3 * second)
        now = watch.tick(now, sender);
    const Json json = to_json(make_report(
        {fabric, &watch, true, decisions, file, "as planned", true, {}, now, now + 100 * second}));
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["dev-name"], "mrc0");
    EXPECT_EQ(json["status"], "as planned");
    EXPECT_EQ(json["time-ns"], now + 100 * second);
    EXPECT_EQ(json["file"], Json::parse(R"({"name":"f","hash":"abc","taken-ns":7,"refused-ns":9,)"
                                        R"("problem":"f:1: no","changed":false})"));
    ASSERT_EQ(json["plane"].size(), 2u);
    const Json &plane = json["plane"][0];
    EXPECT_EQ(plane["ifname"], "eth1");
    EXPECT_EQ(plane["verdict"], "dead");
    EXPECT_EQ(plane["recent"], plane["recent-lost"]);
    EXPECT_EQ(plane["rtt-max-ns"], 0) << "nothing came back";
    EXPECT_EQ(plane["history-us"], Json(std::vector<int>(plane["recent"].get<size_t>())));
    EXPECT_EQ(plane["t1"].size(), own_t1s(fabric, 1).size());
    EXPECT_EQ(json["plane"][1]["carrier"], false);
    EXPECT_FALSE(plane.contains("data")) << "nothing as long is sent";
    ASSERT_EQ(json["fault"].size(), 2u);
    EXPECT_EQ(json["fault"][0]["cause"], "no-carrier");
    EXPECT_EQ(json["fault"][1]["cause"], "silence");
    EXPECT_EQ(json["fault"][0]["element"], "h1-p2t0r1") << "known at once";
    EXPECT_EQ(json["fault"][0]["denied"], true);
    EXPECT_EQ(json["fault"][0]["since-ns"], 101 * second);
    EXPECT_EQ(json["fault"][1]["element"], "h1-p1t0r1");
    EXPECT_EQ(json["fault"][1]["denied"], false) << "some plane stays";
    EXPECT_EQ(json["fault"][0]["lost"], 0) << "it took no probe";
    EXPECT_GE(json["fault"][1]["lost"], 4);
    EXPECT_EQ(json["denied"].size(), 2u) << "by the file";
    EXPECT_EQ(json["decision"][0]["text"], "p1 is denied");
}

TEST(ReportJson, TellsOfTheLastRtts)
{
    const ReportRig rig;
    const Json uplink = to_json(rig.report())["plane"][0];

    EXPECT_EQ(uplink["verdict"], "alive");
    EXPECT_EQ(uplink["data"]["bytes"], 4228);
    EXPECT_EQ(uplink["data"]["verdict"], "alive");
    EXPECT_GT(uplink["data"]["sent"], 0);
    EXPECT_LT(uplink["data"]["sent"], uplink["sent"]) << "few of them are long";
    EXPECT_EQ(uplink["t1"][0]["verdict"], "dead");
    EXPECT_EQ(uplink["t1"][0]["data"]["verdict"], "unknown") << "no matter of length";
    EXPECT_EQ(uplink["data"]["lost"], 0);
    for (const char *key : {"rtt-min-ns", "rtt-median-ns", "rtt-max-ns"})
        EXPECT_EQ(uplink[key], 1'000'000) << key;
    EXPECT_EQ(uplink["history-us"], Json(std::vector<int>(uplink["recent"].get<size_t>(), 1000)));
}

TEST(ReportJson, TellsOfProblems)
{
    const ReportRig rig;
    const Json json = to_json(rig.report());

    ASSERT_EQ(json["problem"].size(), 2u);
    EXPECT_EQ(json["problem"][0],
              Json::parse(R"({"kind":"plane","port":1,"what":"plane 1 (eth1) is set down",)"
                          R"("seen":"by <hand>","since-ns":1700000040000000000,)"
                          R"("mend":"mrcctl plane set mrc0 port 1 up"})"));
    EXPECT_EQ(json["state"], "not-well");
}

/** An unknown state is reported as unknown. */
TEST(Report, IsWellOnlyWhenThatIsKnown)
{
    const Fabric fabric = fabric_of(small_file);
    const std::deque<Decision> none;
    const FileState file;
    const auto health = [&](bool knows, std::vector<Problem> problems) {
        return make_report({fabric, nullptr, knows, none, file, "", true, std::move(problems)})
            .health;
    };
    const Problem silent{ProblemKind::kernel, 0, "the kernel does not answer", "", ""};
    const Problem down{ProblemKind::netdev, 1, "down", "", ""};

    EXPECT_EQ(health(true, {}), Health::well);
    EXPECT_EQ(health(false, {}), Health::unknown);
    EXPECT_EQ(health(true, {silent}), Health::unknown);
    EXPECT_EQ(health(true, {silent, down}), Health::not_well);
    EXPECT_EQ(health(false, {down}), Health::not_well);
}

TEST(LinkWatch, NothingIsKnownOfWhatIsNotWatched)
{
    LogLines log;
    LinkWatch links(log);

    links.look_at(fabric_of(small_file + "[watch]\nrate = 0\n"));
    EXPECT_EQ(links.tick(), UINT64_MAX) << "never again";
    EXPECT_TRUE(links.knows());
    EXPECT_TRUE(links.denials() == Denials{});
    EXPECT_FALSE(links.finder());
    EXPECT_TRUE(log.lines.empty());
}

} // namespace
} // namespace mrcd::test::report_json_test
