// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <random>
#include <sched.h>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace verbs
{

Config config;

namespace
{

using Clock = std::chrono::steady_clock;
/* Ends a hung test, measures nothing. */
constexpr auto limit = std::chrono::seconds(60);

/** This thread is in a namespace as long as this object lives. */
class InNetns
{
public:
    explicit InNetns(const std::string &name)
    {
        if (name.empty()) {
            return;
        }
        home_ = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
        const int there = open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
        if (there < 0 || setns(there, CLONE_NEWNET)) {
            fail("namespace " + name);
        }
        close(there);
    }
    ~InNetns()
    {
        if (home_ >= 0) {
            if (setns(home_, CLONE_NEWNET)) {
                std::terminate();
            }
            close(home_);
        }
    }
    InNetns(const InNetns &) = delete;
    InNetns &operator=(const InNetns &) = delete;

private:
    int home_ = -1;
};

bool is_global_ipv6(const ibv_gid &gid)
{
    static constexpr std::array<uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool link_local = gid.raw[0] == 0xfe && (gid.raw[1] & 0xc0) == 0x80;

    return gid.global.subnet_prefix && !link_local &&
           std::memcmp(gid.raw, mapped.data(), mapped.size()) != 0;
}

bool is_wanted(const ibv_gid &gid, const std::string &wanted)
{
    in6_addr address{};

    if (wanted.empty()) {
        return is_global_ipv6(gid);
    }
    return inet_pton(AF_INET6, wanted.c_str(), &address) == 1 &&
           std::memcmp(gid.raw, &address, sizeof(address)) == 0;
}

uint32_t random_psn()
{
    static std::mt19937 random{std::random_device{}()};

    return random() & 0xffffff;
}

} // namespace

void fail(const std::string &what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

Context open_device(const std::string &name, const std::string &netns)
{
    const InNetns inside(netns);
    int n = 0;
    ibv_device **list = must(ibv_get_device_list(&n), "device list");
    ibv_device **found = std::find_if(
        list, list + n, [&](ibv_device *device) { return name == ibv_get_device_name(device); });

    if (found == list + n) {
        ibv_free_device_list(list);
        throw std::runtime_error("no device " + name);
    }
    Context context(ibv_open_device(*found));
    ibv_free_device_list(list);
    must(context.get(), "open " + name);
    return context;
}

int find_gid(ibv_context *context, int entries, const std::string &wanted, ibv_gid *gid)
{
    for (int i = 0; i < entries; i++) {
        if (!ibv_query_gid(context, 1, i, gid) && is_wanted(*gid, wanted)) {
            return i;
        }
    }
    throw std::runtime_error("no GID " + (wanted.empty() ? "that is global IPv6" : wanted));
}

Side::Side(int which, const Shape &wanted, size_t bytes) : shape(wanted), bytes_(bytes)
{
    context = open_device(config.device[which], config.netns[which]);
    if (ibv_query_port(context.get(), 1, &port)) {
        fail("port");
    }
    gid_index = find_gid(context.get(), port.gid_tbl_len, config.gid[which], &gid);
    pd.reset(must(ibv_alloc_pd(context.get()), "PD"));
    channel.reset(must(ibv_create_comp_channel(context.get()), "completion channel"));
    send_cq.reset(must(ibv_create_cq(context.get(), shape.cqe, nullptr, nullptr, 0), "CQ"));
    recv_cq.reset(must(make_recv_cq(), "CQ"));
    mr.reset(must(ibv_reg_mr(pd.get(), bytes_.data(), bytes_.size(), shape.mr_access), "MR"));
    if (shape.srq_wr) {
        make_srq();
    }
    make_qp();
    psn = random_psn();
}

ibv_cq *Side::make_recv_cq()
{
    if (!shape.poll_ex) {
        return ibv_create_cq(context.get(), shape.cqe, nullptr, channel.get(), shape.recv_vector);
    }
    ibv_cq_init_attr_ex init{};
    init.cqe = static_cast<uint32_t>(shape.cqe);
    init.channel = channel.get();
    init.comp_vector = static_cast<uint32_t>(shape.recv_vector);
    init.wc_flags = IBV_WC_STANDARD_FLAGS;
    return ibv_cq_ex_to_cq(must(ibv_create_cq_ex(context.get(), &init), "CQ"));
}

void Side::make_srq()
{
    ibv_srq_init_attr init{};

    init.attr.max_wr = shape.srq_wr;
    init.attr.max_sge = shape.recv_sge;
    srq.reset(must(ibv_create_srq(pd.get(), &init), "SRQ"));
}

void Side::make_qp()
{
    ibv_qp_init_attr_ex init{};

    init.send_cq = send_cq.get();
    init.recv_cq = recv_cq.get();
    init.srq = srq.get();
    init.cap.max_send_wr = shape.send_wr;
    init.cap.max_recv_wr = shape.recv_wr;
    init.cap.max_send_sge = shape.send_sge;
    init.cap.max_recv_sge = shape.recv_sge;
    init.cap.max_inline_data = shape.inline_data;
    init.qp_type = IBV_QPT_RC;
    init.sq_sig_all = shape.signal_all;
    init.comp_mask = IBV_QP_INIT_ATTR_PD;
    init.pd = pd.get();
    if (shape.wr_ops) {
        init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
        init.send_ops_flags = shape.wr_ops;
    }
    qp.reset(must(ibv_create_qp_ex(context.get(), &init), "QP"));
}

void Side::to_init()
{
    ibv_qp_attr attr{};

    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qp_access_flags = shape.qp_access;
    ASSERT_EQ(ibv_modify_qp(qp.get(), &attr,
                            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
              0);
}

int Side::to_rtr(const Side &peer)
{
    ibv_qp_attr attr{};

    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = std::min({shape.mtu, port.active_mtu, peer.port.active_mtu});
    attr.dest_qp_num = peer.qp->qp_num;
    attr.rq_psn = peer.psn;
    attr.max_dest_rd_atomic = shape.reads;
    attr.min_rnr_timer = 12;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.grh.dgid = peer.gid;
    attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(gid_index);
    attr.ah_attr.grh.hop_limit = 64;
    return ibv_modify_qp(qp.get(), &attr,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                             IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

int Side::to_rts()
{
    ibv_qp_attr attr{};

    attr.qp_state = IBV_QPS_RTS;
    attr.sq_psn = psn;
    attr.timeout = shape.timeout;
    attr.retry_cnt = shape.retries;
    attr.rnr_retry = shape.rnr_retries;
    attr.max_rd_atomic = shape.reads;
    return ibv_modify_qp(qp.get(), &attr,
                         IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                             IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

void Side::connect(const Side &peer)
{
    ASSERT_NO_FATAL_FAILURE(to_init());
    ASSERT_EQ(with_neighbour([&] { return to_rtr(peer); }), 0);
    ASSERT_EQ(to_rts(), 0);
}

int Side::to_state(ibv_qp_state state)
{
    ibv_qp_attr attr{};

    attr.qp_state = state;
    return ibv_modify_qp(qp.get(), &attr, IBV_QP_STATE);
}

ibv_qp_state Side::state() const
{
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};

    if (ibv_query_qp(qp.get(), &attr, IBV_QP_STATE, &init)) {
        fail("query QP");
    }
    return attr.qp_state;
}

void Side::fill(uint32_t seed)
{
    std::minstd_rand random(seed + 1);

    std::generate(bytes_.begin(), bytes_.end(),
                  [&] { return static_cast<uint8_t>(random() >> 16); });
}

int Side::wait_event()
{
    pollfd fd{.fd = context->async_fd, .events = POLLIN, .revents = 0};
    ibv_async_event event{};

    if (::poll(&fd, 1, static_cast<int>(std::chrono::milliseconds(limit).count())) != 1 ||
        ibv_get_async_event(context.get(), &event)) {
        return -1;
    }
    ibv_ack_async_event(&event);
    return event.event_type;
}

bool Side::no_event()
{
    pollfd fd{.fd = context->async_fd, .events = POLLIN, .revents = 0};

    return ::poll(&fd, 1, 100) == 0;
}

static ibv_wr_opcode opcode_of(const Write &write)
{
    if (write.op != IBV_WR_RDMA_WRITE) {
        return write.op;
    }
    if (write.send) {
        return write.imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
    }
    return write.imm ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
}

static bool is_atomic(ibv_wr_opcode opcode)
{
    return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* The memory of the other end that a request names. */
static void name_remote(ibv_send_wr *wr, uint64_t address, uint32_t rkey, const Write &write)
{
    if (is_atomic(wr->opcode)) {
        wr->wr.atomic = {.remote_addr = address,
                         .compare_add = write.compare_add,
                         .swap = write.swap,
                         .rkey = rkey};
    } else {
        wr->wr.rdma = {.remote_addr = address, .rkey = rkey};
    }
}

int post(Side &from, const Side &to, const Write &write)
{
    const bool fetches = write.op == IBV_WR_RDMA_READ || is_atomic(write.op);
    ibv_sge sge{.addr = from.address(fetches ? write.to : write.from),
                .length = write.length,
                .lkey = write.lkey ? write.lkey : from.mr->lkey};
    ibv_send_wr wr{}, *bad = nullptr;

    wr.wr_id = write.id;
    wr.sg_list = &sge;
    wr.num_sge = write.length ? 1 : 0;
    wr.opcode = opcode_of(write);
    wr.send_flags |= write.signaled ? IBV_SEND_SIGNALED : 0;
    wr.send_flags |= write.inline_data ? IBV_SEND_INLINE : 0;
    wr.send_flags |= write.solicited ? IBV_SEND_SOLICITED : 0;
    wr.send_flags |= write.fence ? IBV_SEND_FENCE : 0;
    wr.imm_data = write.imm_data;
    name_remote(&wr, to.address(fetches ? write.from : write.to),
                write.rkey ? write.rkey : to.mr->rkey, write);
    return ibv_post_send(from.qp.get(), &wr, &bad);
}

int post_all(Side &from, const Side &to, std::vector<Write> requests, uint64_t first)
{
    int ret = 0;

    for (size_t i = 0; i < requests.size() && !ret; i++) {
        requests[i].id = first + i;
        ret = post(from, to, requests[i]);
    }
    return ret;
}

static int post_receive(Side &side, ibv_recv_wr wr)
{
    ibv_recv_wr *bad = nullptr;

    return side.srq ? ibv_post_srq_recv(side.srq.get(), &wr, &bad)
                    : ibv_post_recv(side.qp.get(), &wr, &bad);
}

int post_receives(Side &side, unsigned int n, uint64_t first)
{
    ibv_recv_wr wr{};
    int ret = 0;

    for (unsigned int i = 0; i < n && !ret; i++) {
        wr.wr_id = first + i;
        ret = post_receive(side, wr);
    }
    return ret;
}

int post_receive(Side &side, uint64_t id, std::vector<ibv_sge> parts)
{
    ibv_recv_wr wr{};

    wr.wr_id = id;
    wr.sg_list = parts.data();
    wr.num_sge = static_cast<int>(parts.size());
    return post_receive(side, wr);
}

int post_receive(Side &side, uint64_t id, size_t at, uint32_t length)
{
    return post_receive(side, id,
                        {{.addr = side.address(at), .length = length, .lkey = side.mr->lkey}});
}

std::vector<ibv_wc> wait_completions(ibv_cq *cq, size_t n)
{
    const auto end = Clock::now() + limit;
    std::vector<ibv_wc> done;
    ibv_wc wc{};

    while (done.size() < n && Clock::now() < end) {
        if (ibv_poll_cq(cq, 1, &wc) == 1) {
            done.push_back(wc);
        } else {
            std::this_thread::yield();
        }
    }
    return done;
}

bool stays_empty(ibv_cq *cq)
{
    ibv_wc wc{};

    for (int i = 0; i < 20; i++) {
        if (ibv_poll_cq(cq, 1, &wc)) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

void expect_untouched(Side &side)
{
    constexpr uint8_t other = 0xee;

    std::memset(side.data(), other, side.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto *end = side.data() + side.size();
    EXPECT_EQ(std::find_if(side.data(), side.data() + side.size(),
                           [](uint8_t byte) { return byte != other; }),
              end);
}

void Pair::make(const Shape &shape, size_t bytes)
{
    a = std::make_unique<Side>(0, shape, bytes);
    b = std::make_unique<Side>(1, shape, bytes);
    a->fill(1);
    b->fill(2);
}

void Pair::make_connected(const Shape &shape, size_t bytes)
{
    make(shape, bytes);
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
}

void Pair::fence()
{
    constexpr uint64_t id = 0xfe2ce;

    ASSERT_EQ(post_receives(*b, 1, id), 0);
    ASSERT_EQ(post(*a, *b, {.id = id, .imm = true}), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    const auto received = wait_completions(b->recv_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(sent[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(received[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(sent[0].wr_id, id);
    EXPECT_EQ(received[0].wr_id, id);
}

} // namespace verbs
