// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/client.h"

#include <algorithm>
#include <cerrno>

#include <gtest/gtest.h>
#include <linux/mrc.h>
#include <linux/seg6_iptunnel.h>

#include "fake_channel.h"
#include "srh.h"

namespace mrcnl::client_test
{
namespace
{

using test::FakeChannel;
using test::reply_of;
using test::Seen;

struct ClientTest : testing::Test {
    FakeChannel fake;
    std::unique_ptr<Kernel> kernel = make_client(std::make_unique<test::ChannelRef>(fake));

    const test::Seen &last() const { return fake.seen.back(); }
};

TEST_F(ClientTest, ChangesOnlyWhatWasNamed)
{
    DeviceSettings change;

    change.burst = 8;
    change.icrc = false;
    EXPECT_TRUE(kernel->set_device("mrc0", change));
    const Attributes a = last().parsed(MRC_A_DEVICE_MAX);
    EXPECT_EQ(last().command, MRC_CMD_DEVICE_SET);
    EXPECT_FALSE(last().dump);
    EXPECT_EQ(a.string(MRC_A_DEVICE_DEV_NAME), "mrc0");
    EXPECT_EQ(a.u8(MRC_A_DEVICE_BURST), 8);
    EXPECT_TRUE(a.has(MRC_A_DEVICE_ICRC));
    EXPECT_EQ(a.u8(MRC_A_DEVICE_ICRC), 0);
    for (const int type : {MRC_A_DEVICE_UDP_PORT, MRC_A_DEVICE_MPR, MRC_A_DEVICE_TUNNEL_SOURCE,
                           MRC_A_DEVICE_HOP_LIMIT, MRC_A_DEVICE_SACK_BYTES})
        EXPECT_FALSE(a.has(type)) << type;
}

TEST_F(ClientTest, PlaneWithoutPortAsksForAny)
{
    Request answer(MRC_CMD_PLANE_GET);

    answer.put_u8(MRC_A_PLANE_PORT, 4);
    fake.answers.push_back(std::vector{reply_of(answer)});
    const auto plane = kernel->add_plane("mrc0", std::nullopt, 12);
    ASSERT_TRUE(plane);
    EXPECT_EQ(plane->port, 4);
    const Attributes a = last().parsed(MRC_A_PLANE_MAX);
    EXPECT_FALSE(a.has(MRC_A_PLANE_PORT));
    EXPECT_EQ(a.u32(MRC_A_PLANE_IFINDEX), 12u);
}

TEST_F(ClientTest, CcProfileHasWhatWasNamed)
{
    CcProfile profile{.id = 3, .algorithm = "nscc"};

    profile.settings = {.rate = 1ull << 38, .gamma = 0, .quick_adapt = false, .ecn = 1};
    EXPECT_TRUE(kernel->put_cc_profile("mrc0", profile, false));
    EXPECT_EQ(last().command, MRC_CMD_CC_PROFILE_ADD);
    Attributes a = last().parsed(MRC_A_CC_PROFILE_MAX);
    EXPECT_EQ(a.string(MRC_A_CC_PROFILE_ALGORITHM), "nscc");
    EXPECT_EQ(a.u64(MRC_A_CC_PROFILE_RATE), 1ull << 38);
    EXPECT_EQ(a.u8(MRC_A_CC_PROFILE_ECN), 1);
    for (const int type : {MRC_A_CC_PROFILE_GAMMA, MRC_A_CC_PROFILE_QUICK_ADAPT})
        EXPECT_TRUE(a.has(type)) << type;
    for (const int type : {MRC_A_CC_PROFILE_WINDOW, MRC_A_CC_PROFILE_BASE_RTT,
                           MRC_A_CC_PROFILE_SCOPE, MRC_A_CC_PROFILE_ALIAS})
        EXPECT_FALSE(a.has(type)) << type;
    EXPECT_TRUE(kernel->put_cc_profile("mrc0", {{}, 3, "none", 8192}, true));
    a = last().parsed(MRC_A_CC_PROFILE_MAX);
    EXPECT_EQ(a.u32(MRC_A_CC_PROFILE_WINDOW), 8192u);
    EXPECT_FALSE(a.has(MRC_A_CC_PROFILE_GAMMA));
}

Reply info_of(uint32_t capabilities)
{
    Request answer(MRC_CMD_INFO_GET);

    answer.put_u32(MRC_A_INFO_CAPABILITIES, capabilities);
    return reply_of(answer);
}

/** A change of an object that has an owner, and the numbers of its attributes. */
struct OwnedChange {
    std::function<bool(Kernel &)> make;
    int owner;
    int claim = 0; ///< 0: none
};

const OwnedChange owned_changes[] = {
    {[](Kernel &k) { return bool(k.add_plane("mrc0", 1, 2)); }, MRC_A_PLANE_OWNER},
    {[](Kernel &k) { return bool(k.set_plane("mrc0", 1, true)); }, MRC_A_PLANE_OWNER,
     MRC_A_PLANE_CLAIM},
    {[](Kernel &k) { return bool(k.delete_plane("mrc0", 1)); }, MRC_A_PLANE_OWNER},
    {[](Kernel &k) { return bool(k.put_ev_profile("mrc0", {.id = 1}, false)); },
     MRC_A_EV_PROFILE_OWNER, MRC_A_EV_PROFILE_CLAIM},
    {[](Kernel &k) { return bool(k.delete_ev_profile("mrc0", 1)); }, MRC_A_EV_PROFILE_OWNER},
    {[](Kernel &k) {
         return bool(k.deny_ev("mrc0", {1, 2}, true));
     },
     MRC_A_EV_OWNER},
    {[](Kernel &k) { return bool(k.add_ev("mrc0", 1, {}, {})); }, MRC_A_EV_OWNER},
    {[](Kernel &k) {
         return bool(k.replace_ev("mrc0", {1, 2}, {}));
     },
     MRC_A_EV_OWNER},
    {[](Kernel &k) {
         return bool(k.delete_ev("mrc0", {1, 2}));
     },
     MRC_A_EV_OWNER},
    {[](Kernel &k) { return bool(k.put_cc_profile("mrc0", {}, true)); }, MRC_A_CC_PROFILE_OWNER,
     MRC_A_CC_PROFILE_CLAIM},
    {[](Kernel &k) { return bool(k.delete_cc_profile("mrc0", 1)); }, MRC_A_CC_PROFILE_OWNER},
    {[](Kernel &k) { return bool(k.put_route("mrc0", {}, false)); }, MRC_A_ROUTE_OWNER,
     MRC_A_ROUTE_CLAIM},
    {[](Kernel &k) { return bool(k.delete_route("mrc0", {})); }, MRC_A_ROUTE_OWNER},
};

TEST_F(ClientTest, ChangesNameTheirOwner)
{
    constexpr int all = 64; // no set has more attributes

    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_OWNER)});
    for (const bool claims : {true, false}) {
        kernel->act_as(16, claims);
        for (const auto &[make, owner, claim] : owned_changes) {
            make(*kernel);
            EXPECT_EQ(last().parsed(all).u8(owner), 16) << last().command;
            EXPECT_EQ(claim && last().parsed(all).has(claim), claim && claims) << last().command;
        }
    }
    EXPECT_EQ(fake.seen.size(), 2 * std::size(owned_changes) + 1) << "the module is asked once";
    kernel->act_as(std::nullopt, true);
    for (const auto &[make, owner, claim] : owned_changes) {
        make(*kernel);
        EXPECT_FALSE(last().parsed(all).has(owner)) << last().command;
        EXPECT_FALSE(claim && last().parsed(all).has(claim)) << last().command;
    }
}

/** An older module would refuse the attribute. */
TEST_F(ClientTest, AModuleThatKnowsNoOwnersIsToldNone)
{
    fake.answers.push_back(std::vector{info_of(0)});
    kernel->act_as(16, true);
    for (const auto &[make, owner, claim] : owned_changes) {
        make(*kernel);
        EXPECT_FALSE(last().parsed(owner).has(owner)) << last().command;
    }
}

/** Without an owner the module would change objects of other owners. */
TEST_F(ClientTest, WithoutKnowingWhetherTheModuleKnowsOwnersNothingIsChanged)
{
    fake.answers.push_back(Error{ENOMEM, "", ""});
    fake.answers.push_back(std::vector{info_of(0)});
    kernel->act_as(16, true);
    EXPECT_FALSE(kernel->delete_plane("mrc0", 1));
    EXPECT_EQ(last().command, MRC_CMD_INFO_GET);
    EXPECT_TRUE(kernel->delete_plane("mrc0", 1)) << "it is asked again";
}

TEST_F(ClientTest, ProfileCarriesEachKindOfPath)
{
    const EvSegments segments{{*Address::parse("fc00::1"), *Address::parse("fc00::2")}, false};
    EvProfileSpec spec;

    spec.id = 1ull << 40;
    spec.active = 4;
    spec.evs = {{1, EvSid{*Address::parse("fc00::3")}, false},
                {1, EvVia{*Address::parse("fc00::4")}, false},
                {2, segments, true},
                {3, EvTable{100}, false},
                {4, EvValue{0xc0001234}, false}};
    EXPECT_TRUE(kernel->put_ev_profile("mrc0", spec, true));
    EXPECT_EQ(last().command, MRC_CMD_EV_PROFILE_SET);
    const Attributes a = last().parsed(MRC_A_EV_PROFILE_MAX);
    EXPECT_EQ(a.u64(MRC_A_EV_PROFILE_ID), 1ull << 40);
    EXPECT_FALSE(a.has(MRC_A_EV_PROFILE_MIN_ACTIVE));
    EXPECT_EQ(a.u16(MRC_A_EV_PROFILE_ACTIVE), 4);
    EXPECT_FALSE(a.has(MRC_A_EV_PROFILE_COUNT));
    const auto evs = a.all(MRC_A_EV_PROFILE_EV);
    ASSERT_EQ(evs.size(), 5u);
    EXPECT_EQ(Attributes(evs[0], MRC_A_EV_MAX).address(MRC_A_EV_SID).text(), "fc00::3");
    EXPECT_FALSE(Attributes(evs[0], MRC_A_EV_MAX).has(MRC_A_EV_DENIED));
    EXPECT_EQ(Attributes(evs[1], MRC_A_EV_MAX).address(MRC_A_EV_VIA).text(), "fc00::4");
    const Attributes third(evs[2], MRC_A_EV_MAX);
    const Attributes encap(third.bytes(MRC_A_EV_ENCAP), SEG6_IPTUNNEL_SRH);
    EXPECT_EQ(decode_segments(encap.bytes(SEG6_IPTUNNEL_SRH)), segments);
    EXPECT_EQ(third.u8(MRC_A_EV_DENIED), 1);
    EXPECT_EQ(Attributes(evs[3], MRC_A_EV_MAX).u32(MRC_A_EV_TABLE), 100u);
    EXPECT_EQ(Attributes(evs[4], MRC_A_EV_MAX).u32(MRC_A_EV_VALUE), 0xc0001234);
}

TEST_F(ClientTest, AliasesAreSentWhereThereAreSome)
{
    EXPECT_TRUE(kernel->put_ev_profile("mrc0", {.id = 1, .alias = "rack-3"}, false));
    EXPECT_EQ(last().parsed(MRC_A_EV_PROFILE_MAX).string(MRC_A_EV_PROFILE_ALIAS), "rack-3");
    EXPECT_TRUE(kernel->put_ev_profile("mrc0", {.id = 1}, false));
    EXPECT_FALSE(last().parsed(MRC_A_EV_PROFILE_MAX).has(MRC_A_EV_PROFILE_ALIAS));
    EXPECT_TRUE(kernel->put_cc_profile("mrc0", {.id = 1, .alias = "wide"}, true));
    EXPECT_EQ(last().parsed(MRC_A_CC_PROFILE_MAX).string(MRC_A_CC_PROFILE_ALIAS), "wide");
    EXPECT_TRUE(kernel->put_cc_profile("mrc0", {.id = 1}, true));
    EXPECT_FALSE(last().parsed(MRC_A_CC_PROFILE_MAX).has(MRC_A_CC_PROFILE_ALIAS));
}

TEST_F(ClientTest, ChangesOfOneEvSayWhichAndWhat)
{
    const EvSpec ev{3, EvTable{100}, true};

    EXPECT_TRUE(kernel->add_ev("mrc0", 7, ev, 5));
    EXPECT_EQ(last().command, MRC_CMD_EV_ADD);
    Attributes a = last().parsed(MRC_A_EV_MAX);
    EXPECT_EQ(a.u64(MRC_A_EV_EV_PROFILE), 7u);
    EXPECT_FALSE(a.has(MRC_A_EV_INDEX));
    EXPECT_EQ(a.u32(MRC_A_EV_VERSION), 5u);
    EXPECT_EQ(a.u8(MRC_A_EV_PORT), 3);
    EXPECT_EQ(a.u32(MRC_A_EV_TABLE), 100u);
    EXPECT_EQ(a.u8(MRC_A_EV_DENIED), 1);
    EXPECT_TRUE(kernel->replace_ev("mrc0", {7, 2}, ev));
    EXPECT_EQ(last().command, MRC_CMD_EV_REPLACE);
    a = last().parsed(MRC_A_EV_MAX);
    EXPECT_EQ(a.u16(MRC_A_EV_INDEX), 2);
    EXPECT_FALSE(a.has(MRC_A_EV_VERSION));
    EXPECT_EQ(a.u32(MRC_A_EV_TABLE), 100u);
    EXPECT_TRUE(kernel->delete_ev("mrc0", {7, 2, 0}));
    EXPECT_EQ(last().command, MRC_CMD_EV_DEL);
    a = last().parsed(MRC_A_EV_MAX);
    EXPECT_EQ(a.u16(MRC_A_EV_INDEX), 2);
    EXPECT_TRUE(a.has(MRC_A_EV_VERSION)) << "0 is one";
    EXPECT_FALSE(a.has(MRC_A_EV_PORT));
    EXPECT_TRUE(kernel->deny_ev("mrc0", {7, 2, 4}, false));
    a = last().parsed(MRC_A_EV_MAX);
    EXPECT_EQ(a.u32(MRC_A_EV_VERSION), 4u);
    EXPECT_EQ(a.u8(MRC_A_EV_DENIED), 0);
}

TEST_F(ClientTest, TheLongestSegmentListOfOneEvFits)
{
    const EvSpec ev{1, EvSegments{std::vector<Address>(max_segments), false}, true};

    EXPECT_TRUE(kernel->replace_ev("mrc0", {7, 2, 3}, ev));
    EXPECT_FALSE(last().overflow);
    EXPECT_TRUE(last().parsed(MRC_A_EV_MAX).has(MRC_A_EV_DENIED));
}

TEST_F(ClientTest, TheLargestProfileFits)
{
    EvProfileSpec spec;

    for (int i = 0; i < 256; i++)
        spec.evs.push_back({1, EvSegments{std::vector<Address>(max_segments), false}, true});
    EXPECT_TRUE(kernel->put_ev_profile("mrc0", spec, false));
    EXPECT_FALSE(last().overflow);
    EXPECT_FALSE(last().parsed(MRC_A_EV_PROFILE_MAX).has(MRC_A_EV_PROFILE_ACTIVE));
    EXPECT_EQ(last().parsed(MRC_A_EV_PROFILE_MAX).all(MRC_A_EV_PROFILE_EV).size(), 256u);
}

TEST_F(ClientTest, SegmentListsWithoutAFormAreRefusedHere)
{
    EvProfileSpec spec;

    for (const size_t count : {size_t{0}, max_segments + 1}) {
        spec.evs = {{1, EvSid{}, false},
                    {1, EvSegments{std::vector<Address>(count), false}, false}};
        const auto result = kernel->put_ev_profile("mrc0", spec, false);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, EINVAL);
        EXPECT_EQ(result.error().attribute, "ev 2: encap");
        for (const auto &alone : {kernel->add_ev("mrc0", 7, spec.evs[1], {}),
                                  kernel->replace_ev("mrc0", {7, 2}, spec.evs[1])}) {
            ASSERT_FALSE(alone);
            EXPECT_EQ(alone.error().attribute, "encap");
        }
    }
    EXPECT_TRUE(fake.seen.empty());
}

TEST_F(ClientTest, RefusalsComeThrough)
{
    fake.answers.push_back(Error{EBUSY, "mrc: a route uses this EV profile", "id"});
    const auto result = kernel->delete_ev_profile("mrc0", 7);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, EBUSY);
    EXPECT_EQ(result.error().message(), "a route uses this EV profile (id)");
}

TEST_F(ClientTest, NoAnswerIsAnError)
{
    const auto result = kernel->qp("mrc0", 5);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, EPROTO);
}

TEST_F(ClientTest, InterruptedDumpsStartAgain)
{
    Request route(MRC_CMD_ROUTE_GET);

    route.put_u64(MRC_A_ROUTE_EV_PROFILE, 3);
    fake.dumps.push_back(Dump{{reply_of(route), reply_of(route)}, true});
    fake.dumps.push_back(Dump{{reply_of(route)}, true});
    fake.dumps.push_back(Dump{{reply_of(route)}, false});
    const auto routes = kernel->routes("mrc0");
    ASSERT_TRUE(routes);
    EXPECT_EQ(routes->size(), 1u);
    EXPECT_EQ(fake.seen.size(), 3u);
    EXPECT_TRUE(last().dump);
}

TEST_F(ClientTest, DumpsThatNeverSettleFail)
{
    for (int i = 0; i < 100; i++)
        fake.dumps.push_back(Dump{{}, true});
    const auto routes = kernel->routes(std::nullopt);
    ASSERT_FALSE(routes);
    EXPECT_EQ(routes.error().code, EAGAIN);
    EXPECT_LT(fake.seen.size(), 100u);
}

TEST_F(ClientTest, DumpsFailWithTheKernelsReason)
{
    fake.dumps.push_back(Error{ENODEV, "mrc: no such device", ""});
    const auto peers = kernel->peers("mrc9", std::nullopt);
    ASSERT_FALSE(peers);
    EXPECT_EQ(peers.error().message(), "no such device");
}

TEST_F(ClientTest, SelectorsAreSentOnlyWhenGiven)
{
    EXPECT_TRUE(kernel->evs(std::nullopt, std::nullopt));
    EXPECT_TRUE(last().attributes.empty());
    EXPECT_TRUE(kernel->evs("mrc0", 9));
    EXPECT_EQ(last().parsed(MRC_A_EV_MAX).u64(MRC_A_EV_EV_PROFILE), 9u);
    EXPECT_TRUE(kernel->peer_evs("mrc0", Address::parse("fd00::2")));
    EXPECT_EQ(last().parsed(MRC_A_PEER_EV_MAX).address(MRC_A_PEER_EV_REMOTE_GID).text(), "fd00::2");
}

TEST_F(ClientTest, ProbesAskForWhatIsGiven)
{
    ProbeRequest probe;

    probe.remote_gid = *Address::parse("fd00::2");
    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_PROBE_START)});
    EXPECT_FALSE(kernel->probe("mrc0", probe));
    EXPECT_EQ(last().command, MRC_CMD_PROBE_START);
    EXPECT_EQ(fake.groups, std::vector<std::string>{"probes"});
    const Attributes bare = last().parsed(MRC_A_PROBE_MAX);
    EXPECT_EQ(bare.address(MRC_A_PROBE_REMOTE_GID).text(), "fd00::2");
    for (const int type :
         {MRC_A_PROBE_LOCAL_GID, MRC_A_PROBE_EV_PROFILE, MRC_A_PROBE_EV, MRC_A_PROBE_TIMEOUT})
        EXPECT_FALSE(bare.has(type)) << type;
    probe.local_gid = *Address::parse("fd00::1");
    probe.ev_profile = 7;
    probe.evs.assign(1000, 3);
    probe.timeout = 10000;
    EXPECT_FALSE(kernel->probe("mrc0", probe));
    EXPECT_FALSE(last().overflow);
    const Attributes full = last().parsed(MRC_A_PROBE_MAX);
    EXPECT_EQ(full.all(MRC_A_PROBE_EV).size(), 1000u);
    EXPECT_EQ(full.u32(MRC_A_PROBE_TIMEOUT), 10000u);
    EXPECT_EQ(full.u64(MRC_A_PROBE_EV_PROFILE), 7u);
}

/** A message that starts probes or reports their results: both have the id of the probes. */
Request probe_message(uint8_t command, uint32_t device, uint32_t id)
{
    Request message(command);

    message.put_u32(MRC_A_PROBE_DEV_INDEX, device).put_u32(MRC_A_PROBE_ID, id);
    return message;
}

TEST_F(ClientTest, ProbesAreAnsweredByTheirEvent)
{
    Request ended = probe_message(MRC_CMD_PROBE_NTF, 1, 5);

    ended.put_u64(MRC_A_PROBE_EV_PROFILE, 7);
    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_PROBE_START)});
    fake.answers.push_back(std::vector{reply_of(probe_message(MRC_CMD_PROBE_START, 1, 5))});
    fake.arrivals = {{reply_of(probe_message(MRC_CMD_PROBE_NTF, 1, 4)),
                      reply_of(probe_message(MRC_CMD_PROBE_NTF, 2, 5)),
                      reply_of(probe_message(MRC_CMD_PLANE_NTF, 1, 5)), reply_of(ended)},
                     true};
    const auto probe = kernel->probe("mrc0", {});
    ASSERT_TRUE(probe) << "what was lost was not ours";
    EXPECT_EQ(probe->id, 5u);
    EXPECT_EQ(probe->key.ev_profile, 7u);
}

TEST_F(ClientTest, ProbesWhoseEventDoesNotCome)
{
    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_PROBE_START)});
    fake.answers.push_back(std::vector{reply_of(probe_message(MRC_CMD_PROBE_START, 1, 5))});
    fake.answers.push_back(std::vector{reply_of(probe_message(MRC_CMD_PROBE_START, 1, 6))});
    fake.answers.push_back(Error{EBUSY, "mrc: too many", {}});
    fake.arrivals = {{reply_of(probe_message(MRC_CMD_PROBE_NTF, 1, 4))}, true};
    EXPECT_EQ(kernel->probe("mrc0", {}).error().code, ENOBUFS);
    fake.arrivals = {};
    EXPECT_EQ(kernel->probe("mrc0", {}).error().code, ETIMEDOUT);
    EXPECT_EQ(kernel->probe("mrc0", {}).error().message(), "too many");
}

TEST_F(ClientTest, OlderModulesAnswerProbesThemselves)
{
    Request answer(MRC_CMD_PROBE);

    fake.answers.push_back(std::vector{info_of(0)});
    answer.put_u64(MRC_A_PROBE_EV_PROFILE, 7);
    for (uint16_t i = 0; i < 2; i++) {
        const Request::Nest nest(answer, MRC_A_PROBE_RESULT);

        answer.put_u16(MRC_A_PROBE_RESULT_INDEX, i).put_u8(MRC_A_PROBE_RESULT_PORT, 1);
        if (i == 1)
            answer.put_u64(MRC_A_PROBE_RESULT_RTT, 5000).put_u8(MRC_A_PROBE_RESULT_RX_PORT, 2);
    }
    fake.answers.push_back(std::vector{reply_of(answer)});
    const auto probe = kernel->probe("mrc0", {});
    ASSERT_TRUE(probe);
    EXPECT_EQ(probe->key.ev_profile, 7u);
    ASSERT_EQ(probe->results.size(), 2u);
    EXPECT_FALSE(probe->results[0].rtt);
    EXPECT_EQ(probe->results[1].rtt, 5000u);
    EXPECT_EQ(probe->results[1].rx_port, 2);
}

RawProbeRequest raw_probe()
{
    return {.to = {*Address::parse("fd00::2"), *Address::parse("fd00::3")},
            .ev = {.port = 2, .path = EvValue{0xc0010002}}};
}

TEST_F(ClientTest, RawProbesAskForWhatIsGiven)
{
    RawProbeRequest probe = raw_probe();

    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_RAW_PROBE)});
    EXPECT_FALSE(kernel->probe_raw("mrc0", probe));
    EXPECT_EQ(last().command, MRC_CMD_RAW_PROBE_START);
    EXPECT_EQ(fake.groups, std::vector<std::string>{"probes"});
    const Attributes bare = last().parsed(MRC_A_PROBE_MAX);
    EXPECT_EQ(bare.all(MRC_A_PROBE_TO).size(), 2u);
    EXPECT_EQ(bare.u8(MRC_A_PROBE_FORMAT), MRC_NL_EV_FORMAT_STEV);
    const Attributes ev(bare.all(MRC_A_PROBE_RAW_EV).at(0), MRC_A_EV_MAX);
    EXPECT_EQ(ev.u8(MRC_A_EV_PORT), 2);
    EXPECT_EQ(ev.u32(MRC_A_EV_VALUE), 0xc0010002);
    for (const int type :
         {MRC_A_PROBE_REMOTE_GID, MRC_A_PROBE_LOCAL_GID, MRC_A_PROBE_COUNT, MRC_A_PROBE_DSCP,
          MRC_A_PROBE_SIZE, MRC_A_PROBE_LIMIT, MRC_A_PROBE_PORT_STATUS})
        EXPECT_FALSE(bare.has(type)) << type;
    probe.format = EvFormat::srv6;
    probe.ev.path = EvSegments{std::vector<Address>(127, *Address::parse("fc00::1"))};
    probe.to.assign(64, *Address::parse("fd00::2"));
    probe.local_gid = *Address::parse("fd00::1");
    probe.count = 4;
    probe.dscp = 0;
    probe.size = 9000;
    probe.limit = 10'000'000'000;
    EXPECT_FALSE(kernel->probe_raw("mrc0", probe));
    EXPECT_FALSE(last().overflow);
    const Attributes full = last().parsed(MRC_A_PROBE_MAX);
    EXPECT_EQ(full.all(MRC_A_PROBE_TO).size(), 64u);
    EXPECT_EQ(full.address(MRC_A_PROBE_LOCAL_GID).text(), "fd00::1");
    EXPECT_EQ(full.u16(MRC_A_PROBE_COUNT), 4);
    EXPECT_TRUE(full.has(MRC_A_PROBE_DSCP)) << "0 is one";
    EXPECT_EQ(full.u16(MRC_A_PROBE_SIZE), 9000);
    EXPECT_EQ(full.u64(MRC_A_PROBE_LIMIT), 10'000'000'000u);
}

TEST_F(ClientTest, RawProbesAreToldOfOneByOne)
{
    Request ended = probe_message(MRC_CMD_PROBE_NTF, 1, 5);

    for (uint16_t i = 0; i < 3; i++) {
        const Request::Nest nest(ended, MRC_A_PROBE_RESULT);

        ended.put_address(MRC_A_PROBE_RESULT_REMOTE_GID, *Address::parse("fd00::2"));
        ended.put_u16(MRC_A_PROBE_RESULT_INDEX, i).put_u8(MRC_A_PROBE_RESULT_PORT, 2);
        if (i == 1)
            ended.put_u32(MRC_A_PROBE_RESULT_ERROR, ENETUNREACH);
        if (i == 2)
            ended.put_u64(MRC_A_PROBE_RESULT_RTT, 5000).put_u8(MRC_A_PROBE_RESULT_RX_PORT, 1);
    }
    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_RAW_PROBE)});
    fake.answers.push_back(std::vector{reply_of(probe_message(MRC_CMD_RAW_PROBE_START, 1, 5))});
    fake.arrivals = {{reply_of(ended)}, false};
    const auto probe = kernel->probe_raw("mrc0", raw_probe());
    ASSERT_TRUE(probe);
    ASSERT_EQ(probe->results.size(), 3u);
    EXPECT_EQ(probe->results[0].remote_gid.text(), "fd00::2");
    EXPECT_EQ(probe->results[0].error, 0);
    EXPECT_FALSE(probe->results[0].rtt);
    EXPECT_EQ(probe->results[1].error, ENETUNREACH);
    EXPECT_EQ(probe->results[2].rtt, 5000u);
    EXPECT_EQ(probe->results[2].rx_port, 1);
}

TEST_F(ClientTest, OlderModulesAreNotAskedForRawProbes)
{
    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_PROBE_START)});
    const auto probe = kernel->probe_raw("mrc0", raw_probe());
    EXPECT_EQ(probe.error().code, EOPNOTSUPP);
    EXPECT_EQ(probe.error().message(), "the module is too old for raw probes");
    EXPECT_EQ(last().command, MRC_CMD_INFO_GET);
}

TEST_F(ClientTest, RawProbesMayTellOfPorts)
{
    RawProbeRequest status = raw_probe();

    status.port_status = 5;
    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_RAW_PROBE)});
    EXPECT_EQ(kernel->probe_raw("mrc0", status).error().message(),
              "the module is too old for status requests");
    EXPECT_EQ(last().command, MRC_CMD_INFO_GET);
}

TEST_F(ClientTest, RawProbesMayTellOfPortsToo)
{
    RawProbeRequest status = raw_probe();

    status.port_status = 5;
    fake.answers.push_back(
        std::vector{info_of(MRC_NL_CAPABILITY_RAW_PROBE | MRC_NL_CAPABILITY_RAW_STATUS)});
    EXPECT_FALSE(kernel->probe_raw("mrc0", status));
    EXPECT_EQ(last().parsed(MRC_A_PROBE_MAX).u32(MRC_A_PROBE_PORT_STATUS), 5u);
}

/** Runs several requests and keeps the result of request n: "n: RTT", or its error. */
class ManyRawProbes : public ClientTest
{
protected:
    std::vector<std::string> told;
    std::vector<RawProbeRequest> requests{3, raw_probe()};

    ManyRawProbes()
    {
        fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_RAW_PROBE)});
        fake.arrivals.overrun = false;
    }

    Result<void> probe()
    {
        return kernel->probe_raw_each("mrc0", requests, [&](size_t n, const Result<Probe> &probe) {
            told.push_back(std::to_string(n) + ": " +
                           (probe ? std::to_string(probe->results.at(0).rtt.value_or(0))
                                  : std::to_string(probe.error().code)));
        });
    }
    void starts(uint32_t id)
    {
        fake.answers.push_back(
            std::vector{reply_of(probe_message(MRC_CMD_RAW_PROBE_START, 1, id))});
    }
    void ends(uint32_t id, uint64_t rtt)
    {
        Request ended = probe_message(MRC_CMD_PROBE_NTF, 1, id);
        {
            const Request::Nest nest(ended, MRC_A_PROBE_RESULT);

            ended.put_address(MRC_A_PROBE_RESULT_REMOTE_GID, *Address::parse("fd00::2"));
            ended.put_u16(MRC_A_PROBE_RESULT_INDEX, 0).put_u8(MRC_A_PROBE_RESULT_PORT, 2);
            ended.put_u64(MRC_A_PROBE_RESULT_RTT, rtt);
        }
        fake.arrivals.messages.push_back(reply_of(ended));
    }
    size_t started() const
    {
        return static_cast<size_t>(
            std::count_if(fake.seen.begin(), fake.seen.end(), [](const Seen &seen) {
                return seen.command == MRC_CMD_RAW_PROBE_START;
            }));
    }
};

using Told = std::vector<std::string>;

TEST_F(ManyRawProbes, AreToldOfInTheOrderInWhichTheyEnd)
{
    for (const uint32_t id : {5, 6, 7})
        starts(id);
    ends(7, 70);
    ends(9, 90); // another program's
    ends(5, 50);
    ends(6, 60);
    EXPECT_TRUE(probe());
    EXPECT_EQ(told, (Told{"2: 70", "0: 50", "1: 60"}));
    EXPECT_EQ(fake.groups, std::vector<std::string>{"probes"});
}

TEST_F(ManyRawProbes, OneThatIsRefusedIsToldAtOnce)
{
    starts(5);
    fake.answers.push_back(Error{EINVAL, "", ""});
    starts(7);
    ends(5, 50);
    ends(7, 70);
    EXPECT_TRUE(probe());
    EXPECT_EQ(told, (Told{"1: 22", "0: 50", "2: 70"}));
}

TEST_F(ManyRawProbes, WhereTheDeviceIsBusyTheyWait)
{
    starts(5);
    fake.answers.push_back(Error{EBUSY, "", ""});
    starts(6);
    starts(7);
    ends(5, 50);
    ends(6, 60);
    ends(7, 70);
    EXPECT_TRUE(probe());
    EXPECT_EQ(told, (Told{"0: 50", "1: 60", "2: 70"}));
}

TEST_F(ManyRawProbes, WhereItIsBusyWithOthersTheyAreToldSo)
{
    requests.resize(1);
    fake.answers.push_back(Error{EBUSY, "", ""});
    EXPECT_TRUE(probe());
    EXPECT_EQ(told, Told{"0: 16"});
}

TEST_F(ManyRawProbes, ManyAreStartedBitByBit)
{
    requests.resize(100, raw_probe());
    for (uint32_t id = 0; id < 100; id++)
        starts(1000 + id);
    // The ends of requests that are not under way are ignored.
    for (uint32_t id = 0; id < 31; id++)
        ends(1000 + id, 1);
    EXPECT_EQ(probe().error().code, ETIMEDOUT);
    EXPECT_EQ(told.size(), 31u);
    EXPECT_EQ(started(), 63u) << "31 that have ended, and 32 that have not";
}

TEST_F(ManyRawProbes, WhatIsLostIsTold)
{
    for (const uint32_t id : {5, 6, 7})
        starts(id);
    ends(5, 50);
    fake.arrivals.overrun = true;
    EXPECT_EQ(probe().error().code, ENOBUFS);
}

TEST_F(ClientTest, ADeviceThatIsKnownGoesByItsIndex)
{
    EXPECT_FALSE(kernel->device(DeviceRef{7, "an old name"}));
    EXPECT_EQ(last().parsed(MRC_A_DEVICE_MAX).u32(MRC_A_DEVICE_DEV_INDEX), 7u);
    EXPECT_FALSE(last().parsed(MRC_A_DEVICE_MAX).has(MRC_A_DEVICE_DEV_NAME));
    EXPECT_TRUE(kernel->planes(DeviceRef{7, "an old name"}));
    EXPECT_EQ(last().parsed(MRC_A_PLANE_MAX).u32(MRC_A_PLANE_DEV_INDEX), 7u);
    EXPECT_FALSE(kernel->device("mrc0"));
    EXPECT_FALSE(last().parsed(MRC_A_DEVICE_MAX).has(MRC_A_DEVICE_DEV_INDEX));
    EXPECT_EQ(DeviceId(DeviceRef{7, "x"}).text(), "device 7");
    EXPECT_TRUE(DeviceId("x").is({7, "x"}));
    EXPECT_FALSE(DeviceId(DeviceRef{7, "x"}).is({8, "x"}));
}

TEST_F(ClientTest, SegmentsOfRawProbesAreLookedAt)
{
    RawProbeRequest probe = raw_probe();

    probe.format = EvFormat::srv6;
    probe.ev.path = EvSegments{};
    fake.answers.push_back(std::vector{info_of(MRC_NL_CAPABILITY_RAW_PROBE)});
    EXPECT_EQ(kernel->probe_raw("mrc0", probe).error().attribute, "encap");
}

TEST_F(ClientTest, EventsAreTypedAndOverrunsTold)
{
    Request plane(MRC_CMD_PLANE_NTF);
    Request later(200);
    std::vector<Event> events;

    plane.put_string(MRC_A_PLANE_DEV_NAME, "mrc0").put_u8(MRC_A_PLANE_PORT, 2);
    plane.put_bytes(MRC_A_PLANE_GONE, {});
    fake.arrivals = {{reply_of(plane), reply_of(later)}, true};
    const auto stream = kernel->events(false);
    ASSERT_TRUE(stream);
    EXPECT_EQ(fake.groups, std::vector<std::string>{"events"});
    EXPECT_EQ((*stream)->fd(), 7);
    EXPECT_TRUE((*stream)->receive([&](const Event &event) { events.push_back(event); }));
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(std::get<PlaneEvent>(events[0]).plane.port, 2);
    EXPECT_TRUE(std::get<PlaneEvent>(events[0]).gone);
    EXPECT_TRUE(std::holds_alternative<Overrun>(events[1]));
}

/** The event that the client decodes from a request, see reply_of(). */
template <typename T>
T event_of(const Request &request)
{
    FakeChannel fake;
    const auto kernel = make_client(std::make_unique<test::ChannelRef>(fake));
    std::optional<Event> found;

    fake.arrivals = {{reply_of(request)}, false};
    const auto stream = kernel->events(true);
    EXPECT_EQ(fake.groups, (std::vector<std::string>{"events", "config"}));
    EXPECT_TRUE((*stream)->receive([&](const Event &event) { found = event; }));
    return std::get<T>(found.value());
}

TEST_F(ClientTest, WhatIsConfiguredIsToldWithWhoDidIt)
{
    Request settings(MRC_CMD_DEVICE_NTF), ev(MRC_CMD_EV_NTF), cc(MRC_CMD_CC_PROFILE_NTF),
        profile(MRC_CMD_EV_PROFILE_NTF), route(MRC_CMD_ROUTE_NTF), plane(MRC_CMD_PLANE_NTF);

    settings.put_u8(MRC_A_DEVICE_BURST, 3).put_string(MRC_A_DEVICE_BY_NAME, "mrcctl");
    settings.put_u32(MRC_A_DEVICE_BY_PID, 12).put_u64(MRC_A_DEVICE_TIME, 5);
    Request deleted(MRC_CMD_DEVICE_DEL_NTF);
    deleted.put_string(MRC_A_DEVICE_BY_NAME, "rdma").put_u32(MRC_A_DEVICE_BY_PID, 7);
    EXPECT_EQ(event_of<DeviceEvent>(deleted).by, (By{"rdma", 7}));
    const auto set = event_of<SettingsEvent>(settings);
    EXPECT_EQ(set.settings.burst, 3);
    EXPECT_FALSE(set.settings.mpr);
    EXPECT_EQ(set.by, (By{"mrcctl", 12}));
    EXPECT_EQ(set.time, 5u);
    ev.put_u16(MRC_A_EV_INDEX, 4).put_u8(MRC_A_EV_DENIED, 1).put_string(MRC_A_EV_BY_NAME, "x");
    EXPECT_EQ(event_of<EvEvent>(ev).by, (By{"x", {}}));
    EXPECT_TRUE(event_of<EvEvent>(ev).ev.spec.denied);
    cc.put_u32(MRC_A_CC_PROFILE_WINDOW, 9).put_string(MRC_A_CC_PROFILE_BY_NAME, "x");
    EXPECT_EQ(event_of<ConfigEvent<CcProfile>>(cc).is.window, 9u);
    EXPECT_EQ(event_of<ConfigEvent<CcProfile>>(cc).by.name, "x");
    profile.put_u64(MRC_A_EV_PROFILE_ID, 9).put_flag(MRC_A_EV_PROFILE_GONE);
    profile.put_string(MRC_A_EV_PROFILE_BY_NAME, "x");
    EXPECT_TRUE(event_of<ConfigEvent<EvProfile>>(profile).gone);
    EXPECT_EQ(event_of<ConfigEvent<EvProfile>>(profile).by.name, "x");
    route.put_u8(MRC_A_ROUTE_PREFIX_LEN, 9).put_string(MRC_A_ROUTE_BY_NAME, "x");
    EXPECT_EQ(event_of<ConfigEvent<Route>>(route).is.prefix.length, 9);
    EXPECT_FALSE(event_of<ConfigEvent<Route>>(route).gone);
    EXPECT_EQ(event_of<ConfigEvent<Route>>(route).by.name, "x");
    plane.put_string(MRC_A_PLANE_BY_NAME, "x");
    EXPECT_EQ(event_of<PlaneEvent>(plane).by.name, "x");
}

} // namespace
} // namespace mrcnl::client_test
