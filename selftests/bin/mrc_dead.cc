// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_dead.cc
 * Connects QPs to QP numbers that do not exist, and writes 8 bytes on each. Nothing can answer
 * them, so all must end with their retries. Prints how they ended; the exit status is 0 if all
 * ended so. With --hold the QPs write nothing, and exist until standard input ends.
 */
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <getopt.h>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "verbs/fixture.h"

namespace
{

using Clock = std::chrono::steady_clock;
/* Ends a hung test; measures nothing. */
constexpr auto limit = std::chrono::seconds(120);

constexpr const char *usage =
    "Usage: mrc_dead --device DEVICE --gid GID --remote GID [--remote GID]... [--qps N]\n"
    "                [--timeout N] [--retry-cnt N] [--peers N] [--hold yes]\n"
    "N QPs (default 60), in turn to each remote GID; timeout and retry count as in verbs.\n"
    "With --peers to so many GIDs, counted up from the only remote one.\n";

struct Options {
    std::string device;
    std::string gid;
    std::vector<ibv_gid> remote;
    unsigned int qps = 60;
    uint8_t timeout = 14;
    uint8_t retries = 7;
    uint32_t peers = 0;
    bool hold = false;
};

using verbs::fail;
using verbs::must;

ibv_gid parse_gid(const char *text)
{
    ibv_gid gid{};

    if (inet_pton(AF_INET6, text, gid.raw) != 1) {
        throw std::invalid_argument(std::string("no IPv6 address: ") + text);
    }
    return gid;
}

/** @return the GID with number N, from one on, in the last 32 bits */
ibv_gid behind(const ibv_gid &first, uint32_t n)
{
    ibv_gid gid = first;
    uint32_t last = 0;

    std::memcpy(&last, gid.raw + 12, sizeof(last));
    last = htonl(ntohl(last) + n);
    std::memcpy(gid.raw + 12, &last, sizeof(last));
    return gid;
}

void spread(Options &o)
{
    const ibv_gid first = o.remote.front();

    o.remote.clear();
    for (uint32_t n = 0; n < o.peers; n++) {
        o.remote.push_back(behind(first, n));
    }
}

Options parse(int argc, char **argv)
{
    Options o;
    const std::map<std::string, std::function<void(const char *)>> handlers = {
        {"device", [&o](const char *text) { o.device = text; }},
        {"gid", [&o](const char *text) { o.gid = text; }},
        {"remote", [&o](const char *text) { o.remote.push_back(parse_gid(text)); }},
        {"qps", [&o](const char *text) { o.qps = static_cast<unsigned>(std::stoul(text)); }},
        {"timeout", [&o](const char *text) { o.timeout = static_cast<uint8_t>(std::stoi(text)); }},
        {"retry-cnt",
         [&o](const char *text) { o.retries = static_cast<uint8_t>(std::stoi(text)); }},
        {"peers", [&o](const char *text) { o.peers = static_cast<uint32_t>(std::stoul(text)); }},
        {"hold", [&o](const char *text) { o.hold = text == std::string("yes"); }},
    };
    std::vector<option> table;
    int index = 0;
    int c = 0;

    for (const auto &[name, handler] : handlers) {
        table.push_back({name.c_str(), 1, nullptr, 1});
    }
    table.push_back({});
    while ((c = getopt_long(argc, argv, "", table.data(), &index)) != -1) {
        if (c != 1) {
            throw std::invalid_argument(usage);
        }
        handlers.at(table[static_cast<size_t>(index)].name)(optarg);
    }
    if (o.device.empty() || o.gid.empty() || o.remote.empty() || optind != argc) {
        throw std::invalid_argument(usage);
    }
    if (o.peers) {
        spread(o);
    }
    return o;
}

uint32_t random_number()
{
    static std::mt19937 random{std::random_device{}()};

    /* 0 to 2 are reserved. Of 2^24 numbers at most a few thousand exist. */
    return std::uniform_int_distribution<uint32_t>(3, 0xffffff)(random);
}

/** Many QPs without a QP at the other end. */
class Dead
{
public:
    explicit Dead(const Options &options)
        : options_(options), context_(verbs::open_device(options.device))
    {
        if (ibv_query_port(context_.get(), 1, &port_)) {
            fail("port");
        }
        ibv_gid gid{};
        gid_index_ = verbs::find_gid(context_.get(), port_.gid_tbl_len, options.gid, &gid);
        pd_.reset(must(ibv_alloc_pd(context_.get()), "PD"));
        cq_.reset(
            must(ibv_create_cq(context_.get(), static_cast<int>(options.qps), nullptr, nullptr, 0),
                 "CQ"));
        for (unsigned int i = 0; i < options.qps; i++) {
            make();
            connect(i);
        }
    }

    void post()
    {
        for (const auto &qp : qps_) {
            post_one(qp.get());
        }
    }

    /** How many QPs ended with each status. */
    std::map<std::string, unsigned int> ends()
    {
        std::map<std::string, unsigned int> found;
        /* A QP ends with its 29th timeout, see Documentation/failures.md. */
        const auto patience =
            limit + 29 * std::chrono::nanoseconds(uint64_t{1024} << options_.timeout);
        auto moved = Clock::now();
        ibv_wc wc{};

        for (unsigned int n = 0; n < options_.qps && Clock::now() - moved < patience;) {
            if (ibv_poll_cq(cq_.get(), 1, &wc) == 1) {
                found[ibv_wc_status_str(wc.status)]++;
                moved = Clock::now();
                n++;
            } else {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }
        return found;
    }

private:
    void make()
    {
        ibv_qp_init_attr init{};

        init.send_cq = cq_.get();
        init.recv_cq = cq_.get();
        init.cap.max_send_wr = 1;
        init.cap.max_send_sge = 1;
        init.cap.max_inline_data = 8;
        init.qp_type = IBV_QPT_RC;
        qps_.emplace_back(must(ibv_create_qp(pd_.get(), &init), "QP"));
    }

    void connect(unsigned int i)
    {
        ibv_qp_attr attr{};

        attr.qp_state = IBV_QPS_INIT;
        attr.port_num = 1;
        modify(attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
        attr.qp_state = IBV_QPS_RTR;
        attr.path_mtu = IBV_MTU_1024;
        attr.dest_qp_num = random_number();
        attr.ah_attr.is_global = 1;
        attr.ah_attr.port_num = 1;
        attr.ah_attr.grh.dgid = options_.remote[i % options_.remote.size()];
        attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(gid_index_);
        attr.ah_attr.grh.hop_limit = 64;
        modify(attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                         IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
        attr.qp_state = IBV_QPS_RTS;
        attr.timeout = options_.timeout;
        attr.retry_cnt = options_.retries;
        attr.sq_psn = random_number();
        modify(attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                         IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
    }

    void modify(ibv_qp_attr &attr, int mask)
    {
        errno = ibv_modify_qp(qps_.back().get(), &attr, mask);
        if (errno) {
            fail("QP " + std::to_string(qps_.size()) + " to state " +
                 std::to_string(attr.qp_state));
        }
    }

    static void post_one(ibv_qp *qp)
    {
        uint64_t bytes = 0;
        ibv_sge sge{
            .addr = reinterpret_cast<uintptr_t>(&bytes), .length = sizeof(bytes), .lkey = 0};
        ibv_send_wr wr{}, *bad = nullptr;

        wr.sg_list = &sge;
        wr.num_sge = 1;
        wr.opcode = IBV_WR_RDMA_WRITE;
        wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;
        errno = ibv_post_send(qp, &wr, &bad);
        if (errno) {
            fail("post");
        }
    }

    Options options_;
    verbs::Context context_;
    ibv_port_attr port_{};
    int gid_index_ = -1;
    verbs::Pd pd_;
    verbs::Cq cq_;
    std::vector<verbs::Qp> qps_;
};

} // namespace

int main(int argc, char **argv)
{
    try {
        const Options options = parse(argc, argv);
        Dead dead(options);

        if (options.hold) {
            std::cout << nlohmann::json{{"qps", options.qps}} << std::endl;
            std::cin.ignore(std::numeric_limits<std::streamsize>::max());
            return 0;
        }
        dead.post();
        const auto ends = dead.ends();
        std::cout << nlohmann::json{{"qps", options.qps}, {"ends", ends}} << std::endl;
        const auto wanted = ends.find(ibv_wc_status_str(IBV_WC_RETRY_EXC_ERR));
        return wanted != ends.end() && wanted->second == options.qps ? 0 : 1;
    } catch (const std::exception &e) {
        std::cerr << "mrc_dead: " << e.what() << std::endl;
        return 2;
    }
}
