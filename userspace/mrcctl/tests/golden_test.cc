// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares output, text and JSON, with files. Keys of the JSON are attribute names of the netlink
 * family, or among the few exceptions listed here.
 */
#include <cstdlib>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mrcnl/attributes.h"

#include "fake_host.h"
#include "fake_kernel.h"

namespace mrcctl::golden_test
{
namespace
{

using namespace mrcnl;
using test::FakeHost;
using test::FakeKernel;
using test::Runner;

Address address(const char *text)
{
    return *Address::parse(text);
}

const DeviceRef mrc0{1, "mrc0"};
const DeviceRef mrc1{2, "mrc1"};
const PeerKey far_peer{address("fd00::2"), address("fd00::1"), 7};
const PeerKey near_peer{address("fd00::1"), address("fd00::1"), 0};

void add_devices(FakeKernel &k)
{
    DeviceSettings s{.burst = 8,
                     .icrc = true,
                     .udp_port = 4791,
                     .hop_limit = 64,
                     .dscp_data = 4,
                     .dscp_rtx = 8,
                     .dscp_control = 46,
                     .mpr = 8,
                     .sack_bytes = 16384,
                     .tunnel_source = Address{},
                     .ingress_filter = true,
                     .user_pds = 16384,
                     .user_cqs = 65536,
                     .user_qps = 65536,
                     .user_mrs = 262144,
                     .user_peers = 16384,
                     .trim = false,
                     .dscp_trimmed = 12,
                     .dscp_trimmed_lasthop = 16,
                     .extensions = true};

    k.device_list.push_back({mrc0,
                             3,
                             "dum0",
                             s,
                             0xb,
                             2,
                             {{"tx_packets", 1ull << 40},
                              {"rx_packets", 5},
                              {"rx_bytes", 6},
                              {"sack_sent", 7},
                              {"ack_sent", 8}}});
    s.icrc = false;
    s.tunnel_source = address("fd00::1");
    k.device_list.push_back({mrc1, 4, "eth0", s, 0, 0, {}});
    k.plane_list = {{mrc0, 1, 10, "eth1", true, true, {1, 2, 3, 4, 5, 6}, MRC_NL_OWNER_MRCD},
                    {mrc0, 2, 11, "eth2", true, false, {}, 16},
                    {mrc0, 32, 12, "eth3", false, true, {}}};
}

/** A CC profile with all settings and all derived values. */
CcProfile steered(uint64_t id)
{
    CcProfile profile{mrc0, id, "nscc", {}, MRC_NL_OWNER_ADMIN};

    profile.settings = {.rate = 100'000'000'000,
                        .base_rtt = 12'000,
                        .target_delay = 9'500,
                        .max_cwnd = 1 << 20,
                        .adjust_bytes = 32768,
                        .adjust_period = 1'500'000,
                        .eta = 625,
                        .fi = 20800,
                        .fi_scale = 2'250'000,
                        .gamma = 800'000,
                        .max_md_jump = 0,
                        .qa_gate = 3,
                        .qa_threshold = 1'000'000'000,
                        .quick_adapt = false,
                        .trimming = true,
                        .ecn = MRC_NL_CC_ECN_ABSENT,
                        .scope = MRC_NL_CC_SCOPE_QP};
    profile.derived = {.mtu = 4160,
                       .bdp = 1'200'000,
                       .rate = 100'000'000'000,
                       .max_cwnd = 1 << 20,
                       .target_delay = 9'500,
                       .fast_delay = 1'500,
                       .adjust_bytes = 32768,
                       .adjust_period = 1'500'000,
                       .alpha = 11'093'333,
                       .eta = 625,
                       .fi = 20800,
                       .fi_scale = 2'250'000,
                       .qa_threshold = 1'000'000'000,
                       .qa_period = 21'500};
    return profile;
}

void add_profiles(FakeKernel &k)
{
    const EvSegments segments{{address("fc00::1"), address("fc00::2")}, false};

    k.ev_profile_list = {
        {mrc0, 0, EvFormat::stev, EvMode::automatic, 32, 128, 0, 0, 0, MRC_NL_OWNER_KERNEL},
        {mrc0, 7, EvFormat::srv6, EvMode::explicit_list, 1, 5, 3, 1, 2, MRC_NL_OWNER_MRCD,
         "rack-7"}};
    k.ev_list = {{mrc0, 7, 0, {1, EvSid{address("fcbb:1::")}, false}, 3},
                 {mrc0, 7, 1, {1, segments, true}},
                 {mrc0, 7, 2, {2, EvTable{100}, false}},
                 {mrc0, 7, 3, {2, EvSegments{{address("fc00::9")}, true}, false}},
                 {mrc0, 7, 4, {2, EvVia{address("fcbb:bb00:101:181:102::")}, false}},
                 {mrc0, 8, 0, {1, EvValue{0xc0000001}, false}},
                 {mrc0, 8, 1, {2, std::monostate{}, false}}};
    k.cc_profile_list = {{mrc0, 0, "nscc", {}, MRC_NL_OWNER_KERNEL},
                         {mrc0, 3, "none", 65536, MRC_NL_OWNER_ADMIN, "narrow"},
                         steered(4),
                         steered(5)};
    k.cc_profile_list[0].settings = default_settings<CcSettings>();
    k.cc_profile_list[3].derived = {};
    k.cc_profile_list[3].settings = default_settings<CcSettings>();
    k.route_list = {{mrc0, {address("fd00::2"), 128}, 7, 3, 0xf002, MRC_NL_OWNER_MRCD},
                    {mrc0, {address("fd00::"), 64}, 7, 0, 0, MRC_NL_OWNER_NONE}};
}

constexpr CongestionCounts counts_of_nscc{.fast = 1,
                                          .proportional = 20,
                                          .fair = 3,
                                          .hold = 4,
                                          .decrease = 5,
                                          .cuts = 2,
                                          .quick_adapts = 1,
                                          .trims = 6,
                                          .penalties = 7};

void add_peers(FakeKernel &k)
{
    k.peer_list = {
        {mrc0, near_peer, true, 1, 1, 0, 0, 0, 0, 0, 0, 0, ~0u, ~0u, 0, 0, 0, 0, 0, {{1, 1, 1}}},
        {mrc0, far_peer, false, 5,   2,
         1,    0,        1,     1,   1,
         1,    0xf002,   0x2,   0xd, 900,
         3,    2,        880,   41,  {{1, 2, 1, 0, 1, 0, 0, 0}, {2, 3, 1, 1, 0, 0, 1, 1}}}};
    k.peer_list[1].congestion = {.contexts = 2,
                                 .qps = 9,
                                 .cwnd = 102528,
                                 .cwnd_lowest = 4224,
                                 .cwnd_highest = 98304,
                                 .max_cwnd = 1500000,
                                 .inflight = 65536,
                                 .base_rtt = 100000,
                                 .delay = 7500,
                                 .target_delay = 75000,
                                 .counts = counts_of_nscc};
    k.peer_ev_list = {
        {mrc0, far_peer, 0, 1, EvState::good, false, 0xc0010000, 500, 0, 0, 495, 0, 0},
        {mrc0, far_peer, 1, 1, EvState::skip, false, 0xc0020001, 300, 0, 2, 290, 1, 99'999'500'000},
        {mrc0, far_peer, 2, 2, EvState::assumed_bad, false, std::nullopt, 100, 3, 0, 95, 40,
         24'999'000'000},
        {mrc0, far_peer, 3, 2, EvState::denied, false, std::nullopt, 0, 0, 0, 0, 0, 99'998'000'000},
        {mrc0, far_peer, 4, 2, EvState::good, true, std::nullopt, 0, 0, 0, 0, 3, 24'999'800'000}};
    k.probe_answer = {mrc0,
                      far_peer,
                      {{0, 1, 250'000, 1},
                       {1, 1, {}, 0},
                       {2, 2, 1'200'000, 1},
                       {3, 2, 300'000, 0},
                       {7, 2, 310'500, 2}}};
    k.raw_probe_answer = {mrc0,
                          {.remote_gid = {}, .local_gid = far_peer.local_gid, .ev_profile = 0},
                          {{0, 2, 250'000, 1, far_peer.remote_gid},
                           {0, 2, {}, 0, *Address::parse("fd00::77")},
                           {1, 2, 1'200'000, 0, far_peer.remote_gid},
                           {1, 2, {}, 0, *Address::parse("fd00::77"), ENETUNREACH}}};
}

void add_qps(FakeKernel &k)
{
    Qp qp;

    qp.device = mrc0;
    qp.qpn = 0x1234;
    qp.state = QpState::init;
    qp.pid = 99;
    qp.memory = 4096;
    k.qp_list.push_back(qp);
    qp.qpn = 0xfffffe;
    qp.state = QpState::rts;
    qp.connection = {17, address("fd00::1"), address("fd00::2"), 4096};
    qp.psns = {1, 2, 3};
    qp.ev_profile = 7;
    qp.inflight = 12;
    qp.mpr_tx = qp.mpr_rx = 8;
    qp.srtt = 123456;
    qp.min_rtt = 100000;
    qp.timeout = 14;
    qp.congestion = {.cwnd = 98304,
                     .max_cwnd = 750000,
                     .inflight = 65536,
                     .qps = 2,
                     .base_rtt = 100000,
                     .delay = 7500,
                     .target_delay = 75000,
                     .counts = counts_of_nscc};
    k.qp_list.push_back(qp);
    qp.qpn = 0x77;
    qp.state = QpState::err;
    qp.inflight = 0;
    qp.congestion.reset();
    k.qp_list.push_back(qp);
}

/** Adds changes by a person, and by mrcd in another pid namespace, so that its pid is not known. */
void add_config_events(FakeKernel &k, uint64_t time)
{
    const By by_hand{"mrcctl", 4711}, by_mrcd{"mrcd", {}};
    const DeviceSettings settings{.burst = 8, .icrc = false};
    EvProfile deleted;
    Ev denied = k.ev_list[0];

    deleted.device = mrc0;
    deleted.id = 8;
    denied.spec.denied = true;
    k.events_waiting.push_back(
        {PlaneEvent{k.plane_list[0], false, time, by_hand},
         SettingsEvent{mrc0, settings, by_hand, time + 1'000},
         ConfigEvent<EvProfile>{k.ev_profile_list[1], false, by_mrcd, time + 2'000},
         ConfigEvent<EvProfile>{deleted, true, by_mrcd, time + 3'000},
         EvEvent{denied, by_mrcd, time + 4'000},
         ConfigEvent<CcProfile>{k.cc_profile_list[1], false, by_hand, time + 5'000},
         ConfigEvent<CcProfile>{k.cc_profile_list[2], false, by_hand, time + 5'000},
         ConfigEvent<Route>{k.route_list[0], false, by_mrcd, time + 6'000},
         ConfigEvent<Route>{{mrc0, k.route_list[1].prefix}, true, by_hand, time + 7'000}});
}

/** Adds an event of each kind, and lost events at the end. */
void add_events(FakeKernel &k)
{
    const QpConnection connection{17, far_peer.local_gid, far_peer.remote_gid, 0};
    constexpr uint64_t time = 99'000'000'000;
    Plane gone = k.plane_list[2];

    gone.ifname.clear();
    gone.oper_up = false;
    k.events_waiting = {{DeviceEvent{mrc1, true, time},
                         PlaneEvent{k.plane_list[1], false, time + 1'000},
                         PlaneEvent{gone, true, time + 2'000}},
                        {PeerEvEvent{mrc0, far_peer, 2, 2, EvState::assumed_bad, EvState::good, 95,
                                     40, time + 2'500, "loss", time + 3'000},
                         PeerEvEvent{mrc0, far_peer, 3, 2, EvState::denied, EvState::skip, 0, 0,
                                     time + 4'000, "denied", time + 4'000},
                         PeerPortsEvent{mrc0, far_peer, 0x5, 0x7, time + 5'000}},
                        {QpEvent{mrc0, 0x77, QpState::err, QpState::rts, connection, 99,
                                 "retry exceeded", time + 6'000},
                         QpEvent{mrc0, 0x78, QpState::err, QpState::init, {}, 0, "", time + 7'000},
                         DeviceEvent{mrc1, false, time + 8'000, {"rdma", 4712}}}};
    add_config_events(k, time + 9'000);
    k.events_waiting.push_back({Overrun{}});
}

/** Adds features of a host that lacks something. */
void add_features(const FakeHost &host)
{
    host.file("/sys/module/mrc/version", "0.1.0\n");
    host.file("/sys/module/rdma_rxe/refcnt", "0\n");
    host.file("/proc/kallsyms", "0 T seg6_do_srh_encap\n");
    host.library("34");
}

/** Advances the counters, as during a wait. */
void go_on(FakeKernel &k)
{
    PlaneStats &stats = k.plane_list[0].stats;

    stats = {stats.tx_packets + 200'000, stats.tx_bytes + 2'500'000'000, stats.tx_errors,
             stats.rx_packets + 5,       stats.rx_bytes + 500'000,       stats.rx_ce + 3};
    k.plane_list[2].stats.tx_errors += 2469;
    k.peer_list[1].tx_packets += 199'990;
    k.peer_list[1].acked += 199'000;
    k.peer_list[1].lost += 1;
    k.peer_list[1].congestion->counts = {.fast = 11,
                                         .proportional = 40,
                                         .fair = 13,
                                         .hold = 24,
                                         .decrease = 45,
                                         .cuts = 4,
                                         .quick_adapts = 2,
                                         .trims = 1006,
                                         .penalties = 7};
    k.qp_list[1].tx_packets += 199'990;
    k.qp_list[1].rx_packets += 19;
    k.qp_list[1].rtx_packets += 1;
}

struct Golden {
    const char *file;
    const char *line;
    bool daemon = true; ///< an mrcd manages mrc0
};

constexpr Golden goldens[] = {
    {"device", "device"},
    {"device-one", "device show mrc1"},
    {"plane", "plane show mrc0"},
    {"ev-profile", "ev-profile"},
    {"ev-profile-one", "ev-profile show mrc0 7"},
    {"ev", "ev show mrc0 ev-profile 7"},
    {"ev-all", "ev"},
    {"cc-profile", "cc-profile"},
    {"route", "route show mrc0"},
    {"route-get", "route get mrc0 fd00::2"},
    {"route-get-none", "route get mrc0 fd01::1"},
    {"peer", "peer"},
    {"peer-remote", "peer show mrc0 remote fd00::1"},
    {"probe", "probe mrc0 remote fd00::2"},
    {"probe-raw", "probe mrc0 raw to fd00::2,fd00::77 port 2 value 0xc0010002 count 2"},
    {"qp", "qp show mrc0"},
    {"health", "health"},
    {"health-kernel", "health show mrc0", false},
    {"daemon", "daemon show mrc0"},
    {"top", "top interval 2 count 1"},
    {"monitor", "monitor"},
    {"feature", "feature"},
};

/** mrcd's report about mrc0. */
constexpr const char health[] =
    R"({"version":1,"dev-name":"mrc0","host":"h1","state":"not-well","status":"as planned",)"
    R"("time-ns":100000000000,"file":{"name":"/etc/mrc/mrcd.toml","hash":"0123456789abcdef",)"
    R"("taken-ns":5000000000,"refused-ns":0,"problem":"","changed":false},"problem":[)"
    R"({"kind":"plane","port":1,"what":"plane 1 (eth1) is set down","seen":"by hand",)"
    R"("since-ns":40000000000,"mend":"mrcctl plane set mrc0 port 1 up"},)"
    R"({"kind":"fault","port":1,"what":"p1t1s2 is broken","seen":"no probe comes back over it",)"
    R"("since-ns":98500000000,"mend":""},)"
    R"({"kind":"evs","port":2,"what":"plane 2: the module considers all EVs bad","seen":"towards h2 (1 of 2 )"
    R"(peers), though probes over its links come back; the last packet that arrived was sent 3.4 s )"
    R"(ago; 4 EVs (loss): 100 packets sent, 90 arrived, 7 lost, 12 probes",)"
    R"("since-ns":96900000000,"mend":""}],"plane":[)"
    R"({"port":1,"ifname":"eth1","carrier":true,"t0":"p1t0r1","verdict":"alive","sent":500,)"
    R"("lost":1,"recent":100,"recent-lost":1,"rtt-ns":210000,"t1":[)"
    R"({"name":"p1t1s1","verdict":"alive","sent":500,"lost":0,"recent":100,"recent-lost":0,)"
    R"("rtt-ns":310000},)"
    R"({"name":"p1t1s2","verdict":"dead","sent":500,"lost":80,"recent":100,"recent-lost":80,)"
    R"("rtt-ns":320000}]},)"
    R"({"port":2,"ifname":"eth2","carrier":false,"t0":"p2t0r1","verdict":"dead","sent":50,)"
    R"("lost":50,"recent":50,"recent-lost":50,"rtt-ns":0,"t1":[]}],)"
    R"("fault":[{"element":"p1t1s2","kind":"t1","port":1,"since-ns":98500000000,)"
    R"("evidence":"no probe comes back over it, not even around the link to it","denied":true},)"
    R"({"element":"h1-p2t0r1","kind":"host-link","port":2,"since-ns":99000000000,)"
    R"("evidence":"no carrier","denied":false}],)"
    R"("denied":["p1t1s3"],"decision":[{"time-ns":98500000000,"text":"p1t1s2 is denied"}]})";

/** The names in mrcd's file. */
constexpr const char names[] =
    R"({"version":1,"block":"fcbb:bb00::","ev-profile":{"7":"r2"},"host":{"fd00::2":"h2"},)"
    R"("switch":{"257":"p1t0r1","385":"p1t1s1","258":"p1t0r2"}})";

std::string answer_to(const std::string &request)
{
    if (request == "status")
        return "as planned";
    return request == "names" ? names : health;
}

constexpr struct {
    const char *suffix;
    PrintOptions options;
} variants[] = {
    {".txt", {}},
    {".all.txt", {.statistics = true, .details = true, .numeric = true}},
    {".json", {.json = true, .pretty = true, .statistics = true, .details = true}},
};

std::string print(const Golden &golden, const PrintOptions &options)
{
    const FakeHost host;
    Runner run(options);

    add_features(host);
    add_devices(run.kernel);
    add_profiles(run.kernel);
    add_peers(run.kernel);
    add_qps(run.kernel);
    add_events(run.kernel);
    run.context.host = [&]() -> FeatureHost { return host; };
    run.context.daemon = [&](const std::string &device, const std::string &request) {
        if (!golden.daemon || device != "mrc0")
            return Result<std::string>(Error{ECONNREFUSED, {}, {}});
        return Result<std::string>(answer_to(request));
    };
    run.context.watched = [] { return std::vector<std::string>{"mrc0"}; };
    setenv("TZ", "UTC", 1);
    run.context.wall = [] { return 100'000'000'000; };
    uint64_t now = run.context.now();
    run.context.now = [&] { return now; };
    run.context.wait = [&](uint64_t ns) {
        now += ns;
        go_on(run.kernel);
        return true;
    };
    return run(golden.line);
}

std::string read(const std::string &path)
{
    std::ifstream in(path);

    return {std::istreambuf_iterator<char>(in), {}};
}

class GoldenTest : public testing::TestWithParam<Golden>
{
};

TEST_P(GoldenTest, Prints)
{
    for (const auto &variant : variants) {
        const std::string path = std::string(GOLDEN_DIR "/") + GetParam().file + variant.suffix;
        const std::string printed = print(GetParam(), variant.options);

        if (std::getenv("MRCCTL_UPDATE_GOLDEN"))
            std::ofstream(path) << printed;
        EXPECT_EQ(printed, read(path)) << path;
    }
}

/** All keys of a JSON value, except those of counters, which are names of counters. */
void collect(const nlohmann::json &json, std::set<std::string> &keys)
{
    for (const auto &[key, value] : json.items()) {
        if (json.is_object())
            keys.insert(key);
        if (value.is_structured() && key != "counter")
            collect(value, keys);
    }
}

/** @param key which may end in a unit */
std::string without_unit(const std::string &key)
{
    for (const std::string unit : {"-ns", "-bytes", "-bytes-per-second"})
        if (key.ends_with(unit) && key != "tx-bytes" && key != "rx-bytes" && key != "sack-bytes" &&
            key != "adjust-bytes")
            return key.substr(0, key.size() - unit.size());
    return key;
}

/**
 * Keys that are no attributes: names that mrcd knows instead of the kernel; the list of EVs inside
 * a peer; the mode inside the bytes of a segment list; rates between two snapshots; the kind of an
 * event; and features of the host.
 */
const std::set<std::string> foreign_keys = {"ev-profile-name",
                                            "remote-host",
                                            "switch",
                                            "interval",
                                            "per-second",
                                            "monotonic",
                                            "qp",
                                            "peer-ev",
                                            "reduced",
                                            "daemon",
                                            "host",
                                            "status",
                                            "plane",
                                            "peer",
                                            "carrier",
                                            "t0",
                                            "t1",
                                            "verdict",
                                            "sent",
                                            "recent",
                                            "recent-lost",
                                            "rtt",
                                            "name",
                                            "fault",
                                            "element",
                                            "kind",
                                            "since",
                                            "denied",
                                            "evidence",
                                            "decision",
                                            "text",
                                            "event",
                                            "feature",
                                            "hint",
                                            "version",
                                            "state",
                                            "file",
                                            "hash",
                                            "taken",
                                            "refused",
                                            "problem",
                                            "changed",
                                            "what",
                                            "seen",
                                            "mend",
                                            "kernel",
                                            "error",
                                            "settings",
                                            "peers"};

TEST_P(GoldenTest, KeysAreThoseOfTheFamily)
{
    std::set<std::string> known = foreign_keys;
    std::set<std::string> keys;

    for (const AttributeSet *set : attribute_sets())
        for (const AttributeName &attribute : set->attributes)
            known.insert(attribute.name);
    // JSON is one array, or one object per line.
    std::istringstream printed(print(GetParam(), variants[2].options));
    for (nlohmann::json json; printed >> std::ws && !printed.eof();) {
        printed >> json;
        collect(json, keys);
    }
    for (const std::string &key : keys)
        EXPECT_TRUE(known.contains(without_unit(key))) << key;
    EXPECT_FALSE(keys.empty());
}

INSTANTIATE_TEST_SUITE_P(Output, GoldenTest, testing::ValuesIn(goldens), [](const auto &info) {
    std::string name = info.param.file;

    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

} // namespace
} // namespace mrcctl::golden_test
