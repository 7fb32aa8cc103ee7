// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fake_kernel.h"

namespace mrcctl::command_test
{
namespace
{

using namespace mrcnl;
using test::FakeKernel;
using test::Runner;

struct CommandTest : testing::Test {
    Runner run;

    std::string change(const std::string &line)
    {
        run.kernel.changes.clear();
        EXPECT_EQ(run(line), "") << line;
        return run.kernel.changes.size() == 1 ? run.kernel.changes[0] : "not one change";
    }
};

TEST_F(CommandTest, DeviceSet)
{
    EXPECT_EQ(change("device set mrc0 burst 8 icrc off udp-port 4791 mpr 8 sack-bytes 0x1000"),
              "device mrc0 burst 8 icrc 0 udp-port 4791 mpr 8 sack-bytes 4096");
    EXPECT_EQ(
        change("dev set mrc0 tunnel-source fd00::1 hop-limit 3 dscp-data 1 dscp-rtx 2 "
               "dscp-control 3"),
        "device mrc0 hop-limit 3 dscp-data 1 dscp-rtx 2 dscp-control 3 tunnel-source fd00::1");
    EXPECT_EQ(run.usage("device set mrc0"), "device set: setting is missing");
    EXPECT_EQ(run.usage("device set mrc0 burst"), "device set: burst is missing");
    EXPECT_EQ(run.usage("device set mrc0 dscp-data 64"),
              "device set: dscp-data must be 0 to 63, not 64");
    EXPECT_EQ(run.usage("device set mrc0 udp-port 65536"),
              "device set: udp-port must be 1 to 65535, not 65536");
    EXPECT_EQ(run.usage("device set mrc0 dscp 1"),
              "device set: setting 'dscp' is ambiguous: dscp-data, dscp-rtx, dscp-control, "
              "dscp-trimmed, dscp-trimmed-lasthop");
}

TEST_F(CommandTest, Planes)
{
    EXPECT_EQ(change("plane add mrc0 port 3 netdev lo"), "plane-add mrc0 3 1 by admin");
    EXPECT_EQ(change("plane add mrc0 netdev lo"), "plane-add mrc0 any 1 by admin");
    EXPECT_EQ(change("plane set mrc0 port 3 up"), "plane-set mrc0 3 up");
    EXPECT_EQ(change("plane add mrc0 netdev lo owner mrcd"), "plane-add mrc0 any 1 by mrcd");
    EXPECT_EQ(change("plane set mrc0 port 3 owner 0x10"), "plane-set mrc0 3 as it is by 16")
        << "hexadecimal, as all numbers";
    EXPECT_EQ(change("plane set mrc0 port 3 down owner admin"), "plane-set mrc0 3 down by admin");
    EXPECT_EQ(change("plane del mrc0 port 3"), "plane-del mrc0 3") << "whoever looks after it";
    EXPECT_EQ(change("plane del mrc0 port 3 owner none"), "plane-del mrc0 3 by none");
}

/** With an older module no owner is sent, and naming one is an error. */
TEST_F(CommandTest, OwnersOfAModuleThatKnowsNone)
{
    run.kernel.info_value.capabilities = 0;
    EXPECT_EQ(change("route del mrc0 fd00::2"), "route-del mrc0 fd00::2/128");
    EXPECT_EQ(run.error<Failure>("route del mrc0 fd00::2 owner mrcd"),
              "route del: the module, version 0.1.0, does not support owners");
}

/** The owner of one line of a batch does not hold for the next. */
TEST_F(CommandTest, OwnersAreOfOneCommand)
{
    change("plane add mrc0 netdev lo");
    run("ev deny mrc0 ev-profile 7 index 3");
    EXPECT_EQ(run.kernel.changes.back(), "ev mrc0 7 3 deny");
    run("plane del mrc0 port 3");
    EXPECT_EQ(run.kernel.changes.back(), "plane-del mrc0 3");
}

TEST_F(CommandTest, PlaneErrors)
{
    EXPECT_EQ(run.usage("plane set mrc0 port 3"), "plane set: state is missing");
    EXPECT_EQ(run.usage("plane del mrc0 port 3 owner me"), "plane del: unknown owner 'me'");
    EXPECT_EQ(run.usage("plane del mrc0 port 3 owner 256"),
              "plane del: owner must be 0 to 255, not 256");
    EXPECT_EQ(run.usage("plane add mrc0 port 33 netdev lo"),
              "plane add: port must be 1 to 32, not 33");
    EXPECT_EQ(run.usage("plane add mrc0 port 1"), "plane add: 'netdev' is missing");
    EXPECT_EQ(run.usage("plane set mrc0 port 1 sideways"), "plane set: unknown state 'sideways'");
    EXPECT_EQ(run.usage("plane s"), "plane: command 's' is ambiguous: show, set");
    EXPECT_EQ(run.usage("plane del mrc0 port 1 now"), "plane del: unexpected argument 'now'");
    EXPECT_EQ(run.error<Failure>("plane add mrc0 netdev none-such"),
              "plane add: no netdev 'none-such' in this network namespace");
    EXPECT_TRUE(run.kernel.changes.empty());
}

TEST_F(CommandTest, EvProfileWithEachPath)
{
    EXPECT_EQ(change("ev-profile add mrc0 0x10 min-active 2 active 3 ev port 1 sid fc00::1 "
                     "ev port 2 segs fc00::2,fc00::3 reduced denied ev port 3 table 100"),
              "ev-profile-add mrc0 16 by admin");
    const auto &spec = run.kernel.last_spec;
    EXPECT_EQ(spec.format, mrcnl::EvFormat::srv6);
    EXPECT_EQ(spec.mode, mrcnl::EvMode::explicit_list);
    EXPECT_EQ(spec.min_active, 2);
    EXPECT_EQ(spec.active, 3);
    EXPECT_FALSE(spec.count);
    ASSERT_EQ(spec.evs.size(), 3u);
    EXPECT_EQ(std::get<mrcnl::EvSid>(spec.evs[0].path).sid.text(), "fc00::1");
    const auto &segments = std::get<mrcnl::EvSegments>(spec.evs[1].path);
    EXPECT_EQ(segments.segments.size(), 2u);
    EXPECT_EQ(segments.segments[0].text(), "fc00::2");
    EXPECT_TRUE(segments.reduced);
    EXPECT_TRUE(spec.evs[1].denied);
    EXPECT_EQ(std::get<mrcnl::EvTable>(spec.evs[2].path).table, 100u);
    EXPECT_EQ(spec.evs[2].port, 3);
}

TEST_F(CommandTest, EvProfileFormats)
{
    change("ev-profile set mrc0 1 ev port 1 value 0xc0000001");
    EXPECT_EQ(run.kernel.last_spec.format, mrcnl::EvFormat::stev);
    change("ev-profile add mrc0 1 format udp ev port 1 value 50000");
    EXPECT_EQ(run.kernel.last_spec.format, mrcnl::EvFormat::udp);
    EXPECT_EQ(change("ev-profile set mrc0 1 mode auto count 64"), "ev-profile-set mrc0 1");
    EXPECT_EQ(run.kernel.last_spec.mode, mrcnl::EvMode::automatic);
    EXPECT_EQ(run.kernel.last_spec.count, 64);
    EXPECT_EQ(run.kernel.last_spec.format, mrcnl::EvFormat::stev);
}

TEST_F(CommandTest, EvProfileErrors)
{
    EXPECT_EQ(
        run.usage("ev-profile add mrc0 id 7"),
        "ev-profile add: ev-profile: 'id' is not a number, an alias, or a name that mrcd knows");
    EXPECT_EQ(run.usage("ev-profile add mrc0 7 ev sid fc00::1"),
              "ev-profile add: 'port' expected, not 'sid'");
    EXPECT_EQ(run.usage("ev-profile add mrc0 7 ev port 1 sid fc00::g"),
              "ev-profile add: sid: 'fc00::g' is not an IPv6 address");
    EXPECT_EQ(run.usage("ev-profile add mrc0 7 ev port 1 segs fc00::1,"),
              "ev-profile add: segs: '' is not an IPv6 address");
    EXPECT_EQ(run.usage("ev-profile add mrc0 7 ev port 1 s fc00::1"),
              "ev-profile add: path 's' is ambiguous: sid, segs");
    EXPECT_EQ(run.usage("ev-profile add mrc0 7 format ipv4"),
              "ev-profile add: unknown format 'ipv4'");
    EXPECT_EQ(run.usage("ev-profile add mrc0 7 mode auto count 1 owner"),
              "ev-profile add: owner is missing");
    EXPECT_EQ(run.usage("ev-profile del mrc0"), "ev-profile del: ev-profile is missing");
    EXPECT_TRUE(run.kernel.changes.empty());
}

TEST_F(CommandTest, SingleEvs)
{
    EXPECT_EQ(change("ev add mrc0 ev-profile 7 port 2 sid fc00::1 denied"), "ev-add mrc0 7");
    EXPECT_EQ(run.kernel.last_spec.evs[0],
              (mrcnl::EvSpec{2, mrcnl::EvSid{*mrcnl::Address::parse("fc00::1")}, true}));
    EXPECT_EQ(change("ev add mrc0 ev-profile 7 port 2 table 100 version 0"),
              "ev-add mrc0 7 version 0");
    EXPECT_EQ(change("ev replace mrc0 ev-profile 7 index 3 port 1 value 7 version 9"),
              "ev-replace mrc0 7 3 version 9");
    EXPECT_EQ(run.kernel.last_spec.evs[0], (mrcnl::EvSpec{1, mrcnl::EvValue{7}, false}));
    EXPECT_EQ(change("ev del mrc0 ev-profile 7 index 3"), "ev-del mrc0 7 3");
    EXPECT_TRUE(run.warnings.empty());
    EXPECT_EQ(run.usage("ev add mrc0 ev-profile 7 sid fc00::1"),
              "ev add: 'port' expected, not 'sid'");
    EXPECT_EQ(run.usage("ev replace mrc0 ev-profile 7 port 1 sid fc00::1"),
              "ev replace: 'index' expected, not 'port'");
    EXPECT_EQ(run.usage("ev del mrc0 ev-profile 7 index 3 now"),
              "ev del: unexpected argument 'now'");
    run.kernel.info_value.capabilities = 0;
    const auto changes = run.kernel.changes;
    for (const char *line : {"ev add mrc0 ev-profile 7 port 2 sid fc00::1",
                             "ev replace mrc0 ev-profile 7 index 3 port 1 value 7",
                             "ev del mrc0 ev-profile 7 index 3"})
        EXPECT_NE(run.error<Failure>(line).find("does not support changes of single EVs"),
                  std::string::npos)
            << line;
    EXPECT_EQ(run.error<Failure>("ev deny mrc0 ev-profile 7 index 3 version 9"),
              "ev deny: the module, version 0.1.0, does not support versions of EV profiles");
    EXPECT_EQ(run.kernel.changes, changes);
}

TEST_F(CommandTest, Aliases)
{
    run.kernel.ev_profile_list.resize(3);
    for (uint64_t id = 0; id < 3; id++)
        run.kernel.ev_profile_list[id] = {
            .device = {1, "mrc0"}, .id = id, .alias = id ? "rack-" + std::to_string(id) : ""};
    run.kernel.cc_profile_list = {{.device = {1, "mrc0"}, .id = 5, .alias = "narrow"}};
    EXPECT_EQ(change("ev-profile set mrc0 rack-2 alias Rack2 mode auto count 64"),
              "ev-profile-set mrc0 2");
    EXPECT_EQ(run.kernel.last_spec.alias, "Rack2");
    EXPECT_EQ(change("cc-profile set mrc0 narrow algorithm none window 8192 alias wide owner 16"),
              "cc-profile-set mrc0 5 none 8192 alias wide by 16");
    EXPECT_EQ(change("route add mrc0 fd00::2 ev-profile rack-1 cc-profile narrow"),
              "route-add mrc0 fd00::2/128 1 5 0 by admin");
    EXPECT_EQ(change("ev del mrc0 ev-profile rack-1 index 0"), "ev-del mrc0 1 0");
    for (const char *alias : {"7up", "\x1b[1m", ""})
        EXPECT_EQ(run.error<UsageError>("ev-profile set mrc0 1 mode auto count 64 alias " +
                                        std::string(alias)),
                  *alias ? "ev-profile set: alias: '" + std::string(alias) +
                               "' must be one word that does not begin with a digit"
                         : "ev-profile set: alias is missing");
    EXPECT_EQ(run.usage("ev-profile set mrc0 1 alias " + std::string(65, 'a')),
              "ev-profile set: alias: longer than 64 bytes");
    EXPECT_EQ(run.usage("route add mrc0 fd00::2 ev-profile 1 cc-profile none"),
              "route add: cc-profile: 'none' is neither a number nor the alias of a CC profile");
    for (const char *object : {"ev-profile", "cc-profile"})
        EXPECT_THROW(run_words(run.context, {object, "del", "mrc0", ""}), UsageError)
            << "no word is no alias, though some have none";
    run.kernel.ev_profile_list[2].alias = "rack-1";
    EXPECT_EQ(run.usage("ev-profile del mrc0 rack-1"),
              "ev-profile del: 'rack-1' is the alias of more than one profile");
    run.kernel.info_value.capabilities = 0;
    EXPECT_EQ(run.error<Failure>("ev-profile set mrc0 1 mode auto count 64 alias new"),
              "ev-profile set: the module, version 0.1.0, does not support aliases");
}

TEST_F(CommandTest, SettingsOfNscc)
{
    EXPECT_EQ(change("cc-profile add mrc0 3 algorithm nscc"),
              "cc-profile-add mrc0 3 nscc by admin");
    EXPECT_EQ(change("cc-profile set mrc0 3 algorithm nscc scope qp rate 400gbit base-rtt 12us "
                     "target-delay 9us max-cwnd 65536 adjust-bytes 32768 adjust-period 1ms eta 625 "
                     "alias wide fi 20800 fi-scale 2.25 gamma 0 max-md-jump 0.5 qa-gate 0 "
                     "qa-threshold 4s quick-adapt off trimming on ecn absent owner 16"),
              "cc-profile-set mrc0 3 nscc rate 50000000000 base-rtt 12000 target-delay 9000 "
              "max-cwnd 65536 adjust-bytes 32768 adjust-period 1000000 eta 625 fi 20800 "
              "fi-scale 2250000 gamma 0 max-md-jump 500000 qa-gate 0 qa-threshold 4000000000 "
              "quick-adapt 0 trimming 1 ecn 1 scope 1 alias wide by 16");
    EXPECT_EQ(change("cc-profile set mrc0 3 algorithm none gamma 1 window 8192"),
              "cc-profile-set mrc0 3 none 8192 gamma 1000000")
        << "the kernel says what is another algorithm's";
    EXPECT_EQ(change("cc-profile set mrc0 3 algorithm nscc window 8192 ba 1s"),
              "cc-profile-set mrc0 3 nscc 8192 base-rtt 1000000000");
}

TEST_F(CommandTest, SettingsOfNsccThatAreNone)
{
    const auto refused = [&](const std::string &what) {
        return run.usage("cc-profile add mrc0 3 algorithm nscc " + what);
    };
    constexpr const char *front = "cc-profile add: ";

    EXPECT_EQ(refused("colour red"), front + std::string("unknown setting 'colour'"));
    EXPECT_EQ(refused("f 1"), front + std::string("setting 'f' is ambiguous: fi, fi-scale"));
    EXPECT_EQ(refused("rate 100"),
              front + std::string("rate: '100' is not a rate like 400gbit or 2500mbit"));
    EXPECT_EQ(refused("base-rtt 0s"),
              front + std::string("base-rtt must be 1ns to 4294967295ns, not 0s"));
    EXPECT_EQ(refused("gamma 4295"),
              front + std::string("gamma must be 0 to 4294.967295, not 4295"));
    EXPECT_EQ(refused("qa-gate 256"), front + std::string("qa-gate must be 0 to 255, not 256"));
    EXPECT_EQ(refused("ecn maybe"), front + std::string("unknown ecn 'maybe'"));
    EXPECT_EQ(refused("trimming yes"),
              front + std::string("trimming must be on or off, not 'yes'"));
    EXPECT_EQ(refused("eta"), front + std::string("eta is missing"));
    EXPECT_EQ(run.usage("cc-profile add mrc0 3 algorithm none"),
              "cc-profile add: window is missing");
    run.kernel.info_value.capabilities = MRC_NL_CAPABILITY_OWNER;
    EXPECT_EQ(run.error<Failure>("cc-profile add mrc0 3 algorithm nscc"),
              "cc-profile add: the module, version 0.1.0, does not support algorithm nscc");
    EXPECT_EQ(change("cc-profile set mrc0 3 algorithm none window 8192"),
              "cc-profile-set mrc0 3 none 8192");
}

TEST_F(CommandTest, EvsAndProfilesAndRoutes)
{
    EXPECT_EQ(change("ev deny mrc0 ev-profile 7 index 3"), "ev mrc0 7 3 deny");
    EXPECT_EQ(change("ev allow mrc0 ev-profile 7 index 3"), "ev mrc0 7 3 allow");
    EXPECT_EQ(change("ev allow mrc0 ev-profile 7 index 3 version 2"),
              "ev mrc0 7 3 version 2 allow");
    EXPECT_EQ(change("cc-profile add mrc0 3 algorithm none window 65536"),
              "cc-profile-add mrc0 3 none 65536 by admin");
    EXPECT_EQ(change("cc set mrc0 3 al none w 65536"), "cc-profile-set mrc0 3 none 65536");
    EXPECT_EQ(change("cc-profile del mrc0 3"), "cc-profile-del mrc0 3");
    EXPECT_EQ(change("cc-profile del mrc0 3 owner mrcd"), "cc-profile-del mrc0 3 by mrcd");
    EXPECT_EQ(change("ev-profile set mrc0 1 owner mrcd mode auto count 64"),
              "ev-profile-set mrc0 1 by mrcd");
    EXPECT_EQ(change("ev-profile del mrc0 1 owner mrcd"), "ev-profile-del mrc0 1 by mrcd");
    EXPECT_EQ(change("route add mrc0 fd00::/64 ev-profile 7"),
              "route-add mrc0 fd00::/64 7 0 0 by admin");
    EXPECT_EQ(change("route replace mrc0 fd00::2 ev-profile 7 cc-profile 3"),
              "route-replace mrc0 fd00::2/128 7 3 0");
    EXPECT_EQ(change("route add mrc0 fd00::2 ev-profile 7 usid 0xf002"),
              "route-add mrc0 fd00::2/128 7 0 61442 by admin");
    EXPECT_EQ(change("route del mrc0 fd00::/64"), "route-del mrc0 fd00::/64");
    EXPECT_EQ(change("ev-profile del mrc0 7"), "ev-profile-del mrc0 7");
    EXPECT_EQ(run.usage("route add mrc0 fd00::/129 ev-profile 1"),
              "route add: prefix: 'fd00::/129' is not an IPv6 prefix");
    EXPECT_EQ(run.usage("route add mrc0 fd00::2 ev-profile 1 usid 0x10000"),
              "route add: usid must be 1 to 65535, not 0x10000");
    EXPECT_EQ(run.usage("route add mrc0 10.0.0.0/8 ev-profile 1"),
              "route add: prefix: '10.0.0.0/8' is not an IPv6 prefix");
}

TEST_F(CommandTest, Probe)
{
    const auto probe = [&](const std::string &line) {
        run.kernel.changes.clear();
        run.kernel.probe_answer.results = {{0, 1, 1000, 1}};
        run(line);
        return run.kernel.changes.at(0);
    };

    EXPECT_EQ(probe("probe mrc0 remote fd00::2"), "probe mrc0 fd00::2");
    EXPECT_EQ(probe("pr mrc0 rem fd00::2 ev 3 l fd00::1 ev-p 7 ev 0x4 t 10000"),
              "probe mrc0 fd00::2 local fd00::1 ev-profile 7 ev 3 ev 4 timeout 10000");
    EXPECT_EQ(run.usage("probe"), "probe: device is missing");
    EXPECT_EQ(run.usage("probe mrc0"), "probe: 'remote' is missing");
    EXPECT_EQ(run.usage("probe mrc0 remote fd00::2 timeout 0"),
              "probe: timeout must be 1 to 10000, not 0");
    EXPECT_EQ(run.usage("probe mrc0 remote fd00::2 ev"), "probe: ev is missing");
    EXPECT_EQ(run.usage("probe mrc0 remote fd00::2 e 1"),
              "probe: keyword 'e' is ambiguous: ev-profile, ev");
}

TEST_F(CommandTest, ProbeRaw)
{
    const auto probe = [&](const std::string &line) {
        run.kernel.changes.clear();
        run.kernel.raw_probe_answer.results = {{0, 1, 1000, 1}};
        run("probe mrc0 raw to " + line);
        return run.kernel.changes.at(0);
    };

    EXPECT_EQ(probe("fd00::2 port 3 value 0xc0010002"), "probe raw mrc0 to fd00::2 port 3 stev");
    EXPECT_EQ(run.kernel.last_spec.evs.at(0).path, mrcnl::EvPath(mrcnl::EvValue{0xc0010002}));
    EXPECT_EQ(probe("fd00::2 port 3 value 50001 format udp"),
              "probe raw mrc0 to fd00::2 port 3 udp");
    EXPECT_EQ(probe("fd00::2,fd00::3 port 32 segs fc00::1,fc00::2 reduced loc fd00::1 co 2 ds 0 "
                    "si 9000 li 2ms"),
              "probe raw mrc0 to fd00::2 to fd00::3 port 32 srv6 local fd00::1 count 2 dscp 0 "
              "size 9000 limit 2000000");
    const auto &segments = std::get<mrcnl::EvSegments>(run.kernel.last_spec.evs.at(0).path);
    EXPECT_EQ(segments.segments.size(), 2u);
    EXPECT_TRUE(segments.reduced);
    EXPECT_EQ(run.usage("probe mrc0 raw"), "probe: 'to' is missing");
    EXPECT_EQ(run.usage("probe mrc0 raw to fd00::2,"),
              "probe: remote: '' is neither an IPv6 address nor a host that mrcd knows");
    EXPECT_EQ(run.usage("probe mrc0 raw to fd00::2"), "probe: 'port' is missing");
    EXPECT_EQ(run.usage("probe mrc0 raw to fd00::2 port 33"),
              "probe: port must be 1 to 32, not 33");
    EXPECT_EQ(run.usage("probe mrc0 raw to fd00::2 port 1 value 1 denied"),
              "probe: unknown keyword 'denied'");
    EXPECT_EQ(run.usage("probe mrc0 raw to fd00::2 port 1 value 1 dscp 64"),
              "probe: dscp must be 0 to 63, not 64");
    EXPECT_EQ(run.usage("probe mrc0 raw to fd00::2 port 1 value 1 count 257"),
              "probe: count must be 1 to 256, not 257");
}

TEST_F(CommandTest, ProbeFailsWhenNothingIsAnswered)
{
    Runner json({.json = true});

    run.kernel.probe_answer.results = {{0, 1, {}, 0}, {1, 2, {}, 0}};
    EXPECT_EQ(run.error<Failure>("probe mrc0 remote fd00::2"), "probe: no probe was answered");
    EXPECT_NE(run.out.str().find("index 1 port 2 unanswered\n    answered 0/2\n"),
              std::string::npos);
    json.kernel.probe_answer.results = run.kernel.probe_answer.results;
    EXPECT_THROW(json("probe mrc0 remote fd00::2"), Failure);
    EXPECT_NE(json.out.str().find("\"result\":[{\"index\":0,\"port\":1},"), std::string::npos);
    run.kernel.refuse = mrcnl::Error{ENOENT, "mrc: no such EV profile", "ev-profile"};
    EXPECT_EQ(run.error<Failure>("probe mrc0 remote fd00::2"),
              "probe: no such EV profile (ev-profile)");
}

TEST_F(CommandTest, TheKernelsWordsAreQuoted)
{
    run.kernel.refuse = mrcnl::Error{EEXIST, "mrc: EV profile exists", "id"};
    EXPECT_EQ(run.error<Failure>("ev-profile add mrc0 7 mode auto count 1"),
              "ev-profile add: EV profile exists (id)");
    EXPECT_EQ(run.error<Failure>("qp show mrc0 qpn 5"), "qp show: no such QP");
}

TEST_F(CommandTest, WithoutModule)
{
    std::ostringstream out;
    Context context(out, {}, [] {
        return mrcnl::Result<std::unique_ptr<mrcnl::Kernel>>(
            mrcnl::Error{ENOENT, "the mrc kernel module is not loaded", {}});
    });

    EXPECT_THROW(run_words(context, {"device"}), Failure);
    // Grammar is checked before anything is sent.
    EXPECT_THROW(run_words(context, {"device", "set", "mrc0", "burst", "x"}), UsageError);
    EXPECT_NO_THROW(run_words(context, {"device", "help"}));
}

TEST_F(CommandTest, HelpAtEachLevel)
{
    const char *objects[] = {"device", "plane", "ev-profile", "ev",      "cc-profile", "route",
                             "peer",   "probe", "qp",         "monitor", "feature"};
    const std::string top = run("help");

    EXPECT_EQ(run(""), top);
    EXPECT_TRUE(top.starts_with("Usage: mrcctl "));
    for (const std::string object : objects) {
        const std::string help = run(object + " help");

        EXPECT_TRUE(help.starts_with("Usage: mrcctl " + object)) << help;
        EXPECT_NE(top.find(object), std::string::npos) << object;
        // For these two objects, "help" here would be a device.
        if (object != "probe" && object != "monitor") {
            EXPECT_EQ(run(object + " show help"), help);
        }
    }
}

TEST_F(CommandTest, BatchStopsAtTheFirstError)
{
    std::istringstream good(
        "# set up\n\nroute del mrc0 fd00::/64  # gone\n ev deny mrc0 ev-profile 1 "
        "index 2\n");
    std::istringstream bad("route del mrc0 fd00::/64\nroute del mrc0\nroute del mrc0 fd01::/64\n");

    run_batch(run.context, good, "good");
    EXPECT_EQ(run.kernel.changes.size(), 2u);
    try {
        run_batch(run.context, bad, "bad");
        FAIL();
    } catch (const UsageError &e) {
        EXPECT_STREQ(e.what(), "bad:2: route del: prefix is missing");
    }
    EXPECT_EQ(run.kernel.changes.size(), 3u);
}

TEST_F(CommandTest, QpsByNumber)
{
    run.kernel.qp_list.resize(2);
    run.kernel.qp_list[0].qpn = 5;
    run.kernel.qp_list[1].qpn = 6;
    EXPECT_NE(run("qp show qpn 0x6").find("qpn 6 "), std::string::npos);
    EXPECT_EQ(run("qp show qpn 0x6").find("qpn 5 "), std::string::npos);
    EXPECT_EQ(run.usage("qp show qpn 0x1000000"),
              "qp show: qpn must be 0 to 16777215, not 0x1000000");
}

/** Adds three QPs of two devices, processes, peers, profiles and states. */
void add_qps(FakeKernel &kernel)
{
    const auto remote = [](const char *gid) {
        return QpConnection{9, {}, *Address::parse(gid), 4096};
    };

    kernel.qp_list.resize(3);
    for (uint32_t i = 0; i < 3; i++) {
        kernel.qp_list[i].device = {i / 2, i < 2 ? "mrc0" : "mrc1"};
        kernel.qp_list[i].qpn = 5 + i % 2;
        kernel.qp_list[i].pid = 70 + i / 2;
    }
    kernel.qp_list[0].connection = remote("fd00::2");
    kernel.qp_list[0].state = QpState::rts;
    kernel.qp_list[1].connection = remote("fd00::3");
    kernel.qp_list[1].state = QpState::err;
    kernel.qp_list[1].ev_profile = 7;
}

TEST_F(CommandTest, QpsThatAreAsked)
{
    Runner json({.json = true});
    add_qps(json.kernel);
    const auto found = [&](const std::string &filter) {
        std::string list;

        for (const auto &qp : nlohmann::json::parse(json("qp show " + filter)))
            list += qp["dev-name"].get<std::string>() + ":" + qp["qpn"].dump() + " ";
        return list;
    };

    EXPECT_EQ(found(""), "mrc0:5 mrc0:6 mrc1:5 ");
    EXPECT_EQ(found("mrc0"), "mrc0:5 mrc0:6 ");
    EXPECT_EQ(found("remote fd00::3"), "mrc0:6 ");
    EXPECT_EQ(found("remote fd00::4"), "");
    EXPECT_EQ(found("state err"), "mrc0:6 ");
    EXPECT_EQ(found("mrc1 state reset"), "mrc1:5 ");
    EXPECT_EQ(found("ev-profile 0"), "mrc0:5 mrc1:5 ");
    EXPECT_EQ(found("ev-profile 0 pid 70"), "mrc0:5 ");
    EXPECT_EQ(found("qpn 5 pid 71"), "mrc1:5 ");
    EXPECT_EQ(found("mrc0 qpn 5 state err"), "");
    EXPECT_EQ(json.usage("qp show state good"), "qp show: unknown state 'good'");
    EXPECT_EQ(json.usage("qp show mrc0 mrc1"), "qp show: unknown keyword 'mrc1'");
}

/** Adds a peer with an EV of each state and a spare, and a peer whose only EV is good. */
void add_peers(FakeKernel &kernel)
{
    const PeerKey all{*Address::parse("fd00::2"), {}, 7};
    const PeerKey well{*Address::parse("fd00::3"), {}, 8};
    const auto add = [&](const PeerKey &key, EvState state, bool spare) {
        PeerEv ev;

        ev.device = {1, "mrc0"};
        ev.key = key;
        ev.index = static_cast<uint16_t>(kernel.peer_ev_list.size());
        ev.port = 1;
        ev.state = state;
        ev.spare = spare;
        kernel.peer_ev_list.push_back(ev);
    };

    for (const EvState state :
         {EvState::good, EvState::skip, EvState::held, EvState::assumed_bad, EvState::denied})
        add(all, state, false);
    add(all, EvState::good, true);
    add(well, EvState::good, false);
    kernel.peer_list.resize(2);
    for (Peer &peer : kernel.peer_list)
        peer.device = {1, "mrc0"};
    kernel.peer_list[0].key = all;
    kernel.peer_list[0].evs = 6;
    kernel.peer_list[0].evs_good = 2;
    kernel.peer_list[0].evs_spare = kernel.peer_list[0].evs_skip = 1;
    kernel.peer_list[0].evs_held = kernel.peer_list[0].evs_assumed_bad = 1;
    kernel.peer_list[0].evs_denied = 1;
    kernel.peer_list[1].key = well;
}

TEST_F(CommandTest, PeersThatAreAsked)
{
    Runner json({.json = true, .details = true});
    add_peers(json.kernel);
    const auto found = [&](const std::string &filter) {
        std::string list;

        for (const auto &peer : nlohmann::json::parse(json("peer show " + filter))) {
            list += peer["ev-profile"].dump() + ":";
            for (const auto &ev : peer["peer-ev"])
                list += ev["index"].dump();
            list += " ";
        }
        return list;
    };

    EXPECT_EQ(found(""), "7:012345 8:6 ");
    EXPECT_EQ(found("remote fd00::3"), "8:6 ");
    EXPECT_EQ(found("mrc0 ev-profile 7"), "7:012345 ");
    EXPECT_EQ(found("ev-state good"), "7:0 8:6 ");
    EXPECT_EQ(found("ev-state spare"), "7:5 ");
    EXPECT_EQ(found("ev-state skip"), "7:1 ");
    EXPECT_EQ(found("ev-state held"), "7:2 ");
    EXPECT_EQ(found("ev-state assumed-bad"), "7:3 ");
    EXPECT_EQ(found("ev-state denied"), "7:4 ");
    EXPECT_EQ(found("ev-state bad"), "7:234 ");
    EXPECT_EQ(found("ev-state bad remote fd00::3"), "");
    EXPECT_EQ(json.usage("peer show ev-state ugly"), "peer show: unknown ev-state 'ugly'");
}

TEST_F(CommandTest, CountsOfEvsAddUp)
{
    Runner json({.json = true});
    unsigned sum = 0;

    add_peers(json.kernel);
    const auto peer = nlohmann::json::parse(json("peer show"))[0];
    for (const auto &[key, value] : peer.items())
        if (key.starts_with("evs-"))
            sum += value.get<unsigned>();
    EXPECT_EQ(sum, peer["evs"]);
    add_peers(run.kernel);
    EXPECT_NE(run("peer show").find("port 1 down peer-down GSHBDR\n"), std::string::npos);
}

TEST_F(CommandTest, DaemonsOfAllDevices)
{
    run.kernel.device_list.resize(2);
    run.kernel.device_list[0].device = {1, "mrc0"};
    run.kernel.device_list[1].device = {2, "mrc1"};
    run.context.daemon = [](const std::string &device, const std::string &) {
        if (device == "mrc1")
            return mrcnl::Result<std::string>(mrcnl::Error{ECONNREFUSED, "no mrcd", {}});
        return mrcnl::Result<std::string>(std::string("as planned"));
    };
    EXPECT_EQ(run("daemon"), "mrc0 status as planned\nmrc1 status no mrcd\n");
    EXPECT_EQ(run.error<Failure>("daemon show mrc1"), "daemon show: no mrcd");
    EXPECT_EQ(run.usage("daemon reload"), "daemon reload: several devices exist: name one");
    run.context.daemon = [](const std::string &, const std::string &) {
        return mrcnl::Result<std::string>(mrcnl::Error{EAGAIN, "", {}});
    };
    EXPECT_EQ(run.error<Failure>("daemon"), "daemon show: mrc0: Resource temporarily unavailable");
}

} // namespace
} // namespace mrcctl::command_test
