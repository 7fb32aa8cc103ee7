// SPDX-License-Identifier: GPL-2.0-only
//
// mrcctl health: whatever cannot be asked is told of, in one shape, and in the exit status.

#include <algorithm>
#include <cerrno>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "fake_kernel.h"

namespace mrcctl::health_test
{
namespace
{

using namespace mrcnl;
using test::Runner;
using Json = nlohmann::ordered_json;

/** mrcd's report about mrc0. */
Json said(const std::string &state)
{
    return {{"version", 1},
            {"dev-name", "mrc0"},
            {"host", "h1"},
            {"state", state},
            {"status", "as planned"},
            {"time-ns", 5},
            {"file",
             {{"name", "f"},
              {"hash", "0"},
              {"taken-ns", 1},
              {"refused-ns", 0},
              {"problem", ""},
              {"changed", false}}},
            {"problem", Json::array()},
            {"plane", Json::array()},
            {"fault", Json::array()},
            {"denied", Json::array()},
            {"decision", Json::array()}};
}

struct HealthRig {
    Runner run;
    std::string answer; ///< answer of mrcd; empty: no mrcd runs
    Json json;

    explicit HealthRig(PrintOptions options = {.json = true}) : run(options)
    {
        run.context.watched = [this] {
            return answer.empty() ? std::vector<std::string>() : std::vector<std::string>{"mrc0"};
        };
        run.context.daemon = [this](const std::string &, const std::string &) {
            if (answer.empty())
                return Result<std::string>(Error{ECONNREFUSED, "", ""});
            if (answer == "silent")
                return Result<std::string>(Error{EAGAIN, "", ""});
            return Result<std::string>(answer);
        };
        run.context.wall = [] { return 100'000'000'000; };
    }
    /** @return exit status */
    int look(const std::string &line = "health")
    {
        run.context.exit_status = 0;
        const std::string text = run(line);
        json = Json::parse(run.context.printer.options().json ? text : "[]");
        return run.context.exit_status;
    }
    void add_device()
    {
        run.kernel.device_list.push_back({{1, "mrc0"}, 9, "mrc", {}, 1, 0, {}});
        run.kernel.plane_list.push_back({{1, "mrc0"}, 1, 10, "eth1", true, true, {}});
    }
};

std::vector<std::string> keys_of(const Json &object)
{
    std::vector<std::string> keys;

    for (const auto &[key, value] : object.items())
        keys.push_back(key);
    return keys;
}

TEST(Health, IsWellWhenMrcdSaysSo)
{
    HealthRig rig;

    rig.add_device();
    rig.answer = said("well").dump();
    EXPECT_EQ(rig.look(), 0);
    EXPECT_EQ(rig.json[0]["state"], "well");
    EXPECT_EQ(rig.json[0]["daemon"], 1);
    HealthRig bad;
    bad.add_device();
    bad.answer = said("not-well").dump();
    EXPECT_EQ(bad.look(), 1);
    HealthRig early;
    early.add_device();
    early.answer = said("unknown").dump();
    EXPECT_EQ(early.look(), 2);
}

/** No output would look as if all were well. */
TEST(Health, WithoutAnythingItCouldNotBeTold)
{
    HealthRig rig;

    EXPECT_EQ(rig.look(), 2);
    ASSERT_EQ(rig.json.size(), 1u);
    EXPECT_EQ(rig.json[0]["dev-name"], "");
    EXPECT_EQ(rig.json[0]["state"], "unknown");
    EXPECT_EQ(rig.json[0]["problem"][0]["what"], "there is no device");
}

TEST(Health, WithoutMrcdTheKernelsHalfIsKnown)
{
    HealthRig rig;

    rig.add_device();
    EXPECT_EQ(rig.look(), 2) << "nothing is wrong in it";
    EXPECT_EQ(rig.json[0]["daemon"], 0);
    EXPECT_EQ(rig.json[0]["kernel"]["plane"].size(), 1u);
    HealthRig down;
    down.add_device();
    down.run.kernel.plane_list[0].admin_up = false;
    EXPECT_EQ(down.look(), 1);
    EXPECT_EQ(down.json[0]["problem"][0]["mend"], "mrcctl plane set mrc0 port 1 up");
}

TEST(Health, ADeviceThatIsMissingIsMrcdsToTell)
{
    HealthRig rig;
    Json missing = said("not-well");

    missing["problem"].push_back({{"kind", "device"},
                                  {"port", 0},
                                  {"what", "device mrc0 is missing"},
                                  {"seen", "the module is not loaded"},
                                  {"since-ns", 1},
                                  {"mend", "modprobe mrc"}});
    rig.answer = missing.dump();
    EXPECT_EQ(rig.look(), 1);
    ASSERT_EQ(rig.json.size(), 1u);
    EXPECT_EQ(rig.json[0]["problem"].size(), 1u);
    EXPECT_EQ(rig.json[0]["problem"][0]["what"], "device mrc0 is missing");
}

TEST(Health, WhoDoesNotAnswerIsAnEntryThatSaysSo)
{
    for (const std::string answer :
         {"silent", "", "7", "{}", R"({"version":2})", R"({"version":1,"state":"well"})"}) {
        HealthRig rig;
        rig.add_device();
        rig.answer = answer.empty() ? "nonsense" : answer;
        EXPECT_EQ(rig.look(), 2) << answer;
        EXPECT_EQ(rig.json[0]["daemon"], 0);
        EXPECT_EQ(rig.json[0]["problem"][0]["kind"], "daemon");
        EXPECT_EQ(rig.json[0]["kernel"]["plane"].size(), 1u) << "the other half";
    }
}

TEST(Health, AKernelThatDoesNotAnswerIsNotWell)
{
    HealthRig rig;

    rig.add_device();
    rig.answer = said("well").dump();
    rig.run.kernel.dump_error = Error{EIO, "", ""};
    EXPECT_EQ(rig.look(), 2);
    EXPECT_EQ(rig.json[0]["state"], "unknown");
    EXPECT_EQ(rig.json[0]["kernel"]["error"], "Input/output error");
    EXPECT_EQ(rig.json[0]["host"], "h1") << "what mrcd says is there";
}

/** Programs find the same keys in each case. */
TEST(Health, HasOneShape)
{
    std::set<std::vector<std::string>> shapes;
    std::set<std::vector<std::string>> halves;

    for (const char *answer : {"", "silent", "nonsense", "well", "not-well"}) {
        for (const bool device : {false, true}) {
            HealthRig rig;
            const std::string text = answer;
            if (device)
                rig.add_device();
            rig.answer = text.ends_with("well") ? said(text).dump() : text;
            rig.look();
            EXPECT_EQ(rig.json[0]["version"], 1);
            shapes.insert(keys_of(rig.json[0]));
            halves.insert(keys_of(rig.json[0]["kernel"]));
        }
    }
    EXPECT_EQ(shapes.size(), 1u);
    EXPECT_EQ(halves.size(), 1u);
}

/** Shows problems, and numbers of objects. */
TEST(Health, IsOneScreenWithAThousandPeers)
{
    for (const bool daemon : {false, true}) {
        HealthRig rig{PrintOptions{}};
        rig.add_device();
        rig.answer = daemon ? said("well").dump() : "";
        for (int i = 0; i < 1000; i++) {
            Peer peer;
            peer.device = {1, "mrc0"};
            peer.evs = 8;
            peer.evs_good = static_cast<uint16_t>(i % 2 ? 8 : 7);
            peer.evs_denied = static_cast<uint16_t>(8 - peer.evs_good);
            rig.run.kernel.peer_list.push_back(peer);
        }
        rig.look();
        const std::string text = rig.run.out.str();
        EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40);
        EXPECT_NE(text.find("peers 1000, 500 of them"), std::string::npos) << text;
        EXPECT_EQ(text.find("and 484 more") == std::string::npos, daemon) << text;
    }
}

} // namespace
} // namespace mrcctl::health_test
