// SPDX-License-Identifier: GPL-2.0-only
//
// What mrcd shows: metrics, the status, and the server that they are read from.

#include <atomic>
#include <chrono>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "mrcnl/descriptor.h"
#include "report/metrics.h"
#include "report/reporter.h"
#include "report/status.h"
#include "report_rig.h"

namespace mrcd::test::report_test
{
namespace
{

using Json = nlohmann::json;

Snapshot snapshot_of(ReportRig &rig)
{
    return *take_snapshot(rig.rig.model.kernel, "mrc0");
}

bool has_line(const std::string &text, const std::string &line)
{
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, TellOfEverything)
{
    ReportRig rig;
    const Snapshot snapshot = snapshot_of(rig);
    const std::string text = metrics(rig.report(), &snapshot);

    for (
        const char *line : {
            "# TYPE mrc_plane_tx_bytes_total counter",
            "# TYPE mrc_fault gauge",
            R"(mrc_device_up{device="mrc0"} 1)",
            R"(mrc_as_planned{device="mrc0",host="h1"} 1)",
            R"(mrc_health{device="mrc0",state="well"} 0)",
            R"(mrc_health{device="mrc0",state="not-well"} 1)",
            R"(mrc_problems{device="mrc0"} 2)",
            R"(mrc_problem{device="mrc0",kind="plane",plane="1",what="plane 1 (eth1) is set down"} 1)",
            R"(mrc_config_last_reload_successful{device="mrc0"} 1)",
            R"(mrc_config_last_reload_success_timestamp_seconds{device="mrc0"} 1699999000)",
            R"(mrc_config_info{device="mrc0",hash="0123456789abcdef"} 1)",
            R"(mrc_plane_carrier{device="mrc0",plane="2",netdev="eth2"} 0)",
            R"(mrc_plane_up{device="mrc0",plane="1",netdev="eth1"} 1)",
            R"(mrc_plane_tx_bytes_total{device="mrc0",plane="1",netdev="eth1"} 4096000)",
            R"(mrc_plane_rx_ce_total{device="mrc0",plane="2",netdev="eth2"} 3)",
            R"(mrc_link_alive{device="mrc0",plane="1",t0="p1t0r1",t1=""} 1)",
            R"(mrc_link_alive{device="mrc0",plane="1",t0="p1t0r1",t1="p1t1s1"} 0)",
            R"(mrc_link_rtt_seconds{device="mrc0",plane="1",t0="p1t0r1",t1=""} 0.001)",
            R"(mrc_peers{device="mrc0"} 2)",
            R"(mrc_evs{device="mrc0",state="assumed-bad"} 3)",
            R"(mrc_evs{device="mrc0",state="denied"} 2)",
            R"(mrc_qps{device="mrc0",state="rts"} 2)",
            R"(mrc_qps{device="mrc0",state="init"} 0)",
            R"(mrc_qp_inflight_packets{device="mrc0"} 30)",
            R"(mrc_qp_window_packets{device="mrc0"} 2048)",
            R"(mrc_cc_window_bytes{device="mrc0",cc_profile="1"} 1048576)",
            R"(mrc_qp_rtt_seconds{device="mrc0",of="median"} 0.002)",
            R"(mrc_retransmitted_packets_total{device="mrc0"} 7)",
        })
        EXPECT_TRUE(has_line(text, line)) << line << " is not in\n" << text;
    const std::string rtt = R"(mrc_link_recent_rtt_seconds{device="mrc0",plane="1",t0="p1t0r1",)";
    for (const char *of : {"min", "median", "max"})
        EXPECT_TRUE(has_line(text, rtt + R"(t1="",of=")" + of + "\"} 0.001")) << of;
    EXPECT_EQ(text.find(rtt + R"(t1="p)"), std::string::npos) << "nothing came back";
    EXPECT_TRUE(
        has_line(text, R"(mrc_link_passes_data{device="mrc0",plane="1",t0="p1t0r1",t1=""} 1)"));
    EXPECT_TRUE(has_line(
        text, R"(mrc_link_data_probes_lost_total{device="mrc0",plane="1",t0="p1t0r1",t1=""} 0)"));
    EXPECT_NE(
        text.find(
            R"(mrc_fault{device="mrc0",element="h1-p2t0r1",kind="host-link",cause="no-carrier",plane="2")"),
        std::string::npos);
}

std::string count_of(const std::string &text, const std::string &part)
{
    size_t count = 0;

    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        count++;
    return std::to_string(count);
}

/** Peers with fixed windows have no such metrics. */
TEST(Metrics, TellOfWindowsThatMove)
{
    ReportRig rig;
    Snapshot snapshot = snapshot_of(rig);
    const std::string labels =
        R"({device="mrc0",host="h2",remote_gid="fd00:6d72:63::2",local_gid="::",ev_profile="0"} )";
    std::string text = metrics(rig.report(), &snapshot);

    for (const char *line : {"tx_packets_total", "cwnd_bytes", "delay_seconds", "marked_total"})
        EXPECT_EQ(count_of(text, std::string("\nmrc_peer_") + line + "{"), "1") << line;
    EXPECT_TRUE(has_line(text, "mrc_peer_tx_packets_total" + labels + "900"));
    EXPECT_TRUE(has_line(text, "mrc_peer_marked_total" + labels + "40"));
    EXPECT_TRUE(has_line(text, "mrc_peer_trims_total" + labels + "6"));
    EXPECT_TRUE(has_line(text, "mrc_peer_cwnd_bytes" + labels + "102528"));
    EXPECT_TRUE(has_line(text, "mrc_peer_max_cwnd_bytes" + labels + "1500000"));
    EXPECT_TRUE(has_line(text, "mrc_peer_delay_seconds" + labels + "0.0075"));
    EXPECT_TRUE(has_line(text, "mrc_peer_target_delay_seconds" + labels + "0.075"));

    snapshot.peers->back().congestion->contexts = 0;
    text = metrics(rig.report(), &snapshot);
    EXPECT_TRUE(has_line(text, "mrc_peer_trims_total" + labels + "6"));
    EXPECT_EQ(text.find("mrc_peer_cwnd_bytes"), std::string::npos) << "all have ended";
}

TEST(Metrics, HaveRoomForSoManyPeers)
{
    ReportRig rig;
    Snapshot snapshot = snapshot_of(rig);

    snapshot.peers->resize(1000, snapshot.peers->back());
    for (size_t i = 0; i < snapshot.peers->size(); i++)
        (*snapshot.peers)[i].key.ev_profile = i;
    const std::string text = metrics(rig.report(), &snapshot);
    EXPECT_EQ(count_of(text, "\nmrc_peer_cwnd_bytes{"), std::to_string(metrics_peers_max));
    EXPECT_NE(text.find(R"(ev_profile="1"})"), std::string::npos) << "the first ones";
    EXPECT_TRUE(has_line(text, R"(mrc_peers{device="mrc0"} 1000)")) << "there are";
}

TEST(Metrics, TellOfAFileThatIsRefused)
{
    ReportRig rig;

    rig.file.problem = "f:40: unknown key 'ccc'";
    const std::string text = metrics(rig.report(), nullptr);
    EXPECT_TRUE(has_line(text, R"(mrc_config_last_reload_successful{device="mrc0"} 0)"));
    EXPECT_TRUE(has_line(
        text, R"(mrc_config_last_reload_success_timestamp_seconds{device="mrc0"} 1699999000)"));
    EXPECT_TRUE(has_line(text, R"(mrc_config_info{device="mrc0",hash="0123456789abcdef"} 1)"))
        << "what is followed";
}

TEST(Metrics, DoWithoutTheModuleAndWithoutAWatch)
{
    ReportRig rig;
    rig.status = "the module is not loaded";
    const std::string text = metrics(rig.report(nullptr), nullptr);

    EXPECT_TRUE(has_line(text, R"(mrc_device_up{device="mrc0"} 0)"));
    EXPECT_TRUE(has_line(text, R"(mrc_as_planned{device="mrc0",host="h1"} 0)"));
    EXPECT_EQ(text.find("mrc_faults"), std::string::npos) << "nobody looks";
    EXPECT_EQ(text.find("mrc_qps"), std::string::npos);
    EXPECT_EQ(text.find("mrc_link"), std::string::npos);
}

TEST(Status, ShowsPeersInTroubleFirst)
{
    ReportRig rig;
    rig.rig.model.kernel.peer_ev_list[1].state = EvState::skip;
    rig.rig.model.kernel.peer_ev_list[2].spare = true;
    const Snapshot snapshot = snapshot_of(rig);
    const Json json = Json::parse(status_json(rig.report(), rig.events.events(), snapshot,
                                              rig.rig.model.kernel.peer_ev_list));

    EXPECT_EQ(json["health"]["host"], "h1");
    EXPECT_EQ(json["plane"][1]["tx-bytes"], 4096000);
    EXPECT_EQ(json["plane"][1]["rx-packets"], 500);
    EXPECT_EQ(json["qp"], (Json{{"rts", 2}, {"err", 1}}));
    EXPECT_EQ(json["peers"], 2);
    ASSERT_EQ(json["peer"].size(), 2u);
    EXPECT_EQ(json["peer"][0]["ev"], (Json{{"1", "DGGG"}, {"2", "GGGG"}}))
        << "both have a denied one, this one sends more";
    EXPECT_EQ(json["peer"][1]["ev"], (Json{{"1", "DSRG"}, {"2", "GBBB"}}));
}

TEST(Status, HasRoomForSoManyPeers)
{
    std::vector<Peer> peers(1000);

    for (size_t i = 0; i < peers.size(); i++) {
        peers[i].evs = peers[i].evs_good = 4;
        peers[i].tx_packets = i;
    }
    peers[17].evs_good = 3;
    peers[18].evs_good = 3;
    peers[18].evs_skip = 1; // skip is no problem
    const auto shown = peers_to_show(peers);
    ASSERT_EQ(shown.size(), peers_shown);
    EXPECT_EQ(shown[0].tx_packets, 17u);
    EXPECT_EQ(shown[1].tx_packets, 999u);
    Snapshot snapshot;
    snapshot.peers = peers;
    const Json json = Json::parse(status_json(ReportRig().report(), {}, snapshot, {}));
    EXPECT_EQ(json["peers"], 1000) << "there are";
    EXPECT_EQ(json["peer"].size(), peers_shown);
}

TEST(Status, SaysWhyTheModuleDoesNot)
{
    ReportRig rig;
    const Json json = Json::parse(
        status_json(rig.report(), rig.events.events(), Error{ENODEV, "no such device", ""}));

    EXPECT_NE(json["error"].get<std::string>().find("no such device"), std::string::npos);
    EXPECT_FALSE(json.contains("peer"));
    EXPECT_EQ(json["event"].size(), 2u) << "what it said before";
}

TEST(Status, TellsWhatTheModuleTold)
{
    ReportRig rig;
    const Snapshot snapshot = snapshot_of(rig);
    const Json json = Json::parse(status_json(rig.report(), rig.events.events(), snapshot, {}));

    ASSERT_EQ(json["event"].size(), 2u);
    EXPECT_EQ(json["event"][0]["text"], "plane 2 (eth2): down");
    EXPECT_EQ(json["event"][0]["count"], 1);
    EXPECT_EQ(json["event"][1]["text"], "plane 2, EV 5 towards fd00:6d72:63::1: assumed-bad, was "
                                        "good (<loss>)");
    EXPECT_EQ(json["event"][1]["count"], 3);
    EXPECT_EQ(json["event"][1]["time-ns"], 1'700'000'003 * ReportRig::second);
}

/** A port of the loopback address that was free a moment ago. */
uint16_t free_port()
{
    const mrcnl::Descriptor fd(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in at{};
    socklen_t length = sizeof(at);

    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(fd.get(), reinterpret_cast<sockaddr *>(&at), sizeof(at));
    getsockname(fd.get(), reinterpret_cast<sockaddr *>(&at), &length);
    return ntohs(at.sin_port);
}

/** The whole answer of a server to a request. */
std::string ask(uint16_t port, const std::string &request)
{
    const mrcnl::Descriptor fd(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in at{};
    std::string all;
    char part[4096];

    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    if (connect(fd.get(), reinterpret_cast<sockaddr *>(&at), sizeof(at)))
        return "cannot connect";
    // The server may be about to end.
    if (send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
        return "cannot send";
    for (ssize_t n; (n = recv(fd.get(), part, sizeof(part), 0)) > 0;)
        all.append(part, static_cast<size_t>(n));
    return all;
}

std::string get(uint16_t port, const std::string &path, const std::string &method = "GET")
{
    return ask(port, method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

std::string first_line(const std::string &answer)
{
    return answer.substr(0, answer.find("\r\n"));
}

struct ReporterRig {
    ReportRig rig;
    std::atomic<bool> is_busy = false;
    uint16_t port = free_port();
    Reporter reporter{"mrc0", [this] { return rig.rig.open(); },
                      [this]() -> std::shared_ptr<const Report> {
                          return is_busy ? nullptr : std::make_shared<const Report>(rig.report());
                      },
                      rig.events, rig.rig.log};

    ReporterRig() { reporter.listen_at({"127.0.0.1", port}); }
};

TEST(Reporter, ServesPages)
{
    const ReporterRig rig;
    const std::string page = get(rig.port, "/");

    EXPECT_EQ(first_line(page), "HTTP/1.1 200 OK");
    EXPECT_NE(page.find("Content-Security-Policy: default-src 'self'"), std::string::npos);
    EXPECT_NE(page.find("<title>mrcd</title>"), std::string::npos);
    EXPECT_EQ(first_line(get(rig.port, "/page.js")), "HTTP/1.1 200 OK");
    EXPECT_EQ(first_line(get(rig.port, "/page.css")), "HTTP/1.1 200 OK");
    EXPECT_NE(get(rig.port, "/metrics").find("mrc_qps{"), std::string::npos);
    const std::string status = get(rig.port, "/status.json");
    EXPECT_EQ(Json::parse(status.substr(status.find("\r\n\r\n")))["health"]["host"], "h1");
}

TEST(Reporter, RefusesTheRest)
{
    const ReporterRig rig;

    EXPECT_EQ(first_line(get(rig.port, "/etc/passwd")), "HTTP/1.1 404 Not Found");
    EXPECT_EQ(first_line(get(rig.port, "/../../etc/passwd")).substr(0, 10), "HTTP/1.1 4");
    EXPECT_EQ(first_line(get(rig.port, "/status.json", "POST")), "HTTP/1.1 405 Method Not Allowed");
    const std::string head = get(rig.port, "/metrics", "HEAD");
    EXPECT_EQ(first_line(head), "HTTP/1.1 200 OK");
    EXPECT_EQ(head.find("\r\n\r\n") + 4, head.size()) << "no body";
    ask(rig.port, std::string(100000, 'x') + "\r\n\r\n");
    ask(rig.port, std::string("\0\xff GET\r\n\r\n", 10));
    EXPECT_EQ(first_line(get(rig.port, "/")), "HTTP/1.1 200 OK") << "still there";
}

TEST(Reporter, SaysWhatIsAmiss)
{
    ReporterRig rig;

    rig.is_busy = true;
    EXPECT_EQ(first_line(get(rig.port, "/metrics")), "HTTP/1.1 503 Service Unavailable");
    rig.is_busy = false;
    rig.rig.rig.model.kernel.loaded = false;
    EXPECT_NE(get(rig.port, "/status.json").find("\"error\":\""), std::string::npos);
    EXPECT_NE(get(rig.port, "/metrics").find("mrc_device_up{device=\"mrc0\"} 0"),
              std::string::npos);
}

TEST(Reporter, LeavesOutWhatCannotBeListed)
{
    ReporterRig rig;

    rig.rig.rig.model.kernel.peers_change = true;
    const std::string text = get(rig.port, "/metrics");
    EXPECT_NE(text.find("mrc_device_up{device=\"mrc0\"} 1"), std::string::npos);
    EXPECT_NE(text.find("mrc_qps{"), std::string::npos);
    EXPECT_EQ(text.find("mrc_peers{"), std::string::npos);
    EXPECT_EQ(get(rig.port, "/status.json").find("\"peer\":"), std::string::npos);
}

TEST(Reporter, AnswersToItsNameOnly)
{
    const ReporterRig rig;
    const auto named = [&](const std::string &host) {
        return first_line(ask(rig.port, "GET /status.json HTTP/1.1\r\nHost: " + host + "\r\n\r\n"));
    };

    for (const char *host : {"localhost", "localhost:9867", "127.0.0.1:1234"})
        EXPECT_EQ(named(host), "HTTP/1.1 200 OK") << host;
    for (const char *host : {"localhost.example.org", "1.example.org", "example.org:9867"})
        EXPECT_EQ(named(host), "HTTP/1.1 403 Forbidden") << host;
}

TEST(Web, LargePagesArriveInFull)
{
    const uint16_t port = free_port();
    const std::string body(3'000'000, 'x');
    const auto web =
        Web::start({"127.0.0.1", port}, {{"/", [&] { return WebPage{.body = body}; }}});

    ASSERT_TRUE(web);
    for (int i = 0; i < 5; i++) {
        const std::string answer = get(port, "/");
        EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, body.size());
    }
}

TEST(Web, WhoNeverEndsHoldsNobodyUp)
{
    const uint16_t port = free_port();
    const auto web = Web::start({"127.0.0.1", port}, {{"/", [] { return WebPage{}; }}});
    const std::string endless =
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n";

    ASSERT_TRUE(web);
    for (int i = 0; i < 20; i++)
        EXPECT_EQ(first_line(ask(port, endless)), "HTTP/1.1 200 OK");
}

TEST(Reporter, MovesAndEnds)
{
    ReporterRig rig;
    const uint16_t other = free_port();
    LogLines &log = rig.rig.rig.log;
    ReporterRig second;

    rig.reporter.listen_at({"127.0.0.1", other});
    EXPECT_EQ(first_line(get(other, "/")), "HTTP/1.1 200 OK");
    log.take();
    rig.reporter.listen_at({"127.0.0.1", second.port});
    rig.reporter.listen_at({"127.0.0.1", second.port});
    EXPECT_EQ(first_line(get(other, "/")), "HTTP/1.1 200 OK") << "it stays where it can be";
    ASSERT_EQ(log.lines.size(), 1u) << "told once";
    EXPECT_NE(log.lines[0].find("no status page: "), std::string::npos);
    EXPECT_NE(log.lines[0].find("Address already in use"), std::string::npos) << log.lines[0];
    rig.reporter.listen_at({"127.0.0.1", 0});
    for (const uint16_t port : {rig.port, other})
        while (get(port, "/") != "cannot connect")
            usleep(10000);
}

TEST(Reporter, AsksTheModuleSeldom)
{
    ReporterRig rig;
    ModelKernel &kernel = rig.rig.rig.model.kernel;
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::thread> crowd;

    for (int i = 0; i < 4; i++)
        crowd.emplace_back([&] {
            for (int n = 0; n < 20; n++)
                EXPECT_EQ(first_line(get(rig.port, "/metrics")), "HTTP/1.1 200 OK");
        });
    for (std::thread &one : crowd)
        one.join();
    const auto took = std::chrono::steady_clock::now() - began;
    EXPECT_LE(kernel.peer_dumps, 1 + took / std::chrono::milliseconds(500));
    EXPECT_EQ(rig.rig.rig.opens, 1) << "what was opened stays open";
}

} // namespace
} // namespace mrcd::test::report_test
