// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Makes the calls that a collectives library makes: NCCL's sequence of calls between two ranks,
 * both ways at once, by verbs and by mrc.h; and before that, its queries of a device.
 */
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <fstream>

#include "nccl/comm.h"
#include "verbs/options.h"

namespace nccl
{

namespace
{

/* Ends a hung test; measures nothing. */
constexpr auto limit = std::chrono::seconds(60);

uint8_t pattern(uint64_t number, unsigned int r, size_t i)
{
    return static_cast<uint8_t>(number * 31 + r * 7 + i * 3 + (i >> 8));
}

/** A connection from one rank to another, as far as both ends have set it up. */
template <typename Api>
struct Way {
    Comm<Api> sender;
    Comm<Api> receiver;
    uint64_t received = 0;
    uint64_t posted = 0;
    uint64_t sent = 0;
    uint64_t gone = 0;

    Way(int from, int to, const Style &style) : sender(from, style), receiver(to, style) {}
};

template <typename Api>
class Ranks
{
public:
    Ranks(const Style &style, std::vector<uint32_t> sizes)
        : style_(style), sizes_(std::move(sizes)), there_(0, 1, style), back_(1, 0, style)
    {
    }

    void run(uint64_t messages)
    {
        const auto end = std::chrono::steady_clock::now() + limit;

        for (Way<Api> *way : {&there_, &back_}) {
            ASSERT_NO_FATAL_FAILURE(way->receiver.connect(way->sender));
            ASSERT_NO_FATAL_FAILURE(way->sender.connect(way->receiver));
        }
        while (there_.gone < messages || back_.gone < messages || there_.received < messages ||
               back_.received < messages) {
            ASSERT_NO_FATAL_FAILURE(go_on(there_, messages));
            ASSERT_NO_FATAL_FAILURE(go_on(back_, messages));
            ASSERT_LT(std::chrono::steady_clock::now(), end)
                << there_.received << " and " << back_.received << " of " << messages;
        }
    }

private:
    [[nodiscard]] uint32_t size(uint64_t number) const { return sizes_[number % sizes_.size()]; }

    void go_on(Way<Api> &way, uint64_t messages)
    {
        if (way.posted < messages && way.posted < way.received + slots) {
            ASSERT_NO_FATAL_FAILURE(way.receiver.receive(way.posted++));
        }
        if (way.sent < messages && way.sent < way.gone + slots && way.sender.told(way.sent)) {
            ASSERT_NO_FATAL_FAILURE(send(way));
        }
        ASSERT_NO_FATAL_FAILURE(way.sender.poll());
        ASSERT_NO_FATAL_FAILURE(way.receiver.poll());
        if (way.gone < way.sent && way.sender.sent(way.gone))
            way.gone++;
        if (way.received < way.posted && way.receiver.complete(way.received)) {
            ASSERT_NO_FATAL_FAILURE(check(way));
        }
    }

    void send(Way<Api> &way)
    {
        for (unsigned int r = 0; r < style_.together; r++)
            for (size_t i = 0; i < size(way.sent); i++)
                way.sender.data(way.sent, r)[i] = pattern(way.sent, r, i);
        way.sender.send(way.sent, size(way.sent));
        way.sent++;
    }

    void check(Way<Api> &way)
    {
        const uint64_t number = way.received++;

        ASSERT_EQ(way.receiver.said(number), size(number)) << number;
        for (unsigned int r = 0; r < style_.together; r++) {
            if (style_.together > 1) {
                ASSERT_EQ(way.receiver.size(number, r), size(number));
            }
            for (size_t i = 0; i < size(number); i++)
                ASSERT_EQ(way.receiver.data(number, r)[i], pattern(number, r, i))
                    << "message " << number << ", byte " << i;
        }
    }

    Style style_;
    std::vector<uint32_t> sizes_;
    Way<Api> there_;
    Way<Api> back_;
};

} // namespace

template <typename Api>
class Sequence : public ::testing::Test
{
protected:
    static void run(const Style &style, const std::vector<uint32_t> &sizes, uint64_t messages)
    {
        Ranks<Api>(style, sizes).run(messages);
    }
};

using Apis = ::testing::Types<Verbs, Mrc>;

struct ApiNames {
    template <typename Api>
    static std::string GetName(int)
    {
        return std::is_same_v<Api, Verbs> ? "Verbs" : "Mrc";
    }
};

TYPED_TEST_SUITE(Sequence, Apis, ApiNames);

const std::vector<uint32_t> small_and_large = {0, 1, 127, 128, 129, 4096, 100'000, 300'000};

TYPED_TEST(Sequence, OneRequestASlot)
{
    this->run({}, small_and_large, 64);
}

TYPED_TEST(Sequence, SlotsWrittenInline)
{
    this->run({.inline_slots = true}, small_and_large, 64);
}

TYPED_TEST(Sequence, AnImmediateWithoutDataBehindIt)
{
    this->run({.adaptive = true}, small_and_large, 64);
}

TYPED_TEST(Sequence, TwoRequestsASlot)
{
    this->run({.together = 2}, {0, 64, 20'000, 150'000}, 48);
}

// ---- queries of a device

class Device : public ::testing::Test
{
protected:
    Device() : context(verbs::open_device(verbs::config.device[0], verbs::config.netns[0])) {}

    std::string sysfs(const std::string &path) const
    {
        return "/sys/class/infiniband/" + verbs::config.device[0] + "/" + path;
    }

    /** @return the first line of a file, or an empty string */
    std::string line(const std::string &path) const
    {
        std::string text;
        std::ifstream file(sysfs(path));

        std::getline(file, text);
        return text;
    }

    /** As NCCL does for its flush. */
    void connect_to_itself(ibv_qp *qp) const
    {
        ibv_port_attr port{};
        ibv_qp_attr attr{};

        ASSERT_EQ(ibv_query_port(context.get(), 1, &port), 0);
        attr.qp_state = IBV_QPS_INIT;
        attr.port_num = 1;
        attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
        ASSERT_EQ(
            ibv_modify_qp(qp, &attr,
                          IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
            0);
        attr.qp_state = IBV_QPS_RTR;
        attr.path_mtu = port.active_mtu;
        attr.dest_qp_num = qp->qp_num;
        attr.max_dest_rd_atomic = 1;
        attr.max_rd_atomic = 1;
        attr.timeout = 20;
        attr.retry_cnt = attr.rnr_retry = 7;
        attr.ah_attr.is_global = 1;
        attr.ah_attr.port_num = 1;
        attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(verbs::find_gid(
            context.get(), port.gid_tbl_len, verbs::config.gid[0], &attr.ah_attr.grh.dgid));
        attr.ah_attr.grh.hop_limit = 255;
        ASSERT_EQ(ibv_modify_qp(qp, &attr,
                                IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
                                    IBV_QP_MIN_RNR_TIMER),
                  0);
        attr.qp_state = IBV_QPS_RTS;
        ASSERT_EQ(ibv_modify_qp(qp, &attr,
                                IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
                  0);
    }

    verbs::Context context;
};

TEST_F(Device, PortIsAnActiveEthernetOne)
{
    ibv_port_attr port{};
    ibv_device_attr attr{};

    ASSERT_EQ(ibv_query_port(context.get(), 1, &port), 0);
    EXPECT_EQ(port.state, IBV_PORT_ACTIVE);
    EXPECT_EQ(port.link_layer, IBV_LINK_LAYER_ETHERNET);
    EXPECT_GT(port.active_speed, 0);
    EXPECT_GT(port.active_width, 0);
    ASSERT_EQ(ibv_query_device(context.get(), &attr), 0);
    EXPECT_NE(attr.sys_image_guid, 0u);
    EXPECT_GE(attr.max_qp, 4096);
}

/* A plug-in ends if this path leads nowhere; NCCL itself only warns. */
TEST_F(Device, HasAParentInSysfs)
{
    char real[PATH_MAX];

    EXPECT_TRUE(realpath(sysfs("device").c_str(), real));
}

/*
 * NCCL_IB_ADDR_FAMILY=AF_INET6: NCCL looks for a RoCE v2 address that is not link-local. Without
 * it, NCCL wants IPv4.
 */
TEST_F(Device, HasAGidThatCanBeChosen)
{
    ibv_port_attr port{};
    int good = 0;

    ASSERT_EQ(ibv_query_port(context.get(), 1, &port), 0);
    for (int i = 0; i < port.gid_tbl_len; i++) {
        ibv_gid gid{};
        if (ibv_query_gid(context.get(), 1, i, &gid) || !gid.global.interface_id)
            continue;
        const auto *address = reinterpret_cast<const in6_addr *>(gid.raw);
        if (!IN6_IS_ADDR_LINKLOCAL(address) && !IN6_IS_ADDR_V4MAPPED(address) &&
            line("ports/1/gid_attrs/types/" + std::to_string(i)).starts_with("RoCE v2"))
            good++;
    }
    EXPECT_GT(good, 0);
}

TEST_F(Device, SaysThatItHasNoEce)
{
    const verbs::Pd pd(ibv_alloc_pd(context.get()));
    const verbs::Cq cq(ibv_create_cq(context.get(), 16, nullptr, nullptr, 0));
    const Verbs api(context.get());
    const verbs::Qp qp(Verbs::make_qp(pd.get(), cq.get(), {16, 16, 1, 1, 0}));
    ibv_ece ece{};

    EXPECT_EQ(ibv_query_ece(qp.get(), &ece), EOPNOTSUPP);
}

/* NCCL probes with a descriptor that is none, and takes EBADF for a yes: to memory of GPUs. */
TEST_F(Device, SaysThatItTakesNoDmabufOfGpus)
{
    const verbs::Pd pd(ibv_alloc_pd(context.get()));

    errno = 0;
    EXPECT_EQ(ibv_reg_dmabuf_mr(pd.get(), 0, 0, 0, -1, 0), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
}

/* A READ from oneself empties a GPU's pipeline, before a GPU looks at what has arrived. */
TEST_F(Device, ReadsFromItself)
{
    const verbs::Pd pd(ibv_alloc_pd(context.get()));
    const verbs::Cq cq(ibv_create_cq(context.get(), 16, nullptr, nullptr, 0));
    const verbs::Qp qp(Verbs::make_qp(pd.get(), cq.get(), {16, 16, 1, 1, 0}));
    uint32_t gpu = 0x12345678, host = 0;
    const verbs::Mr from(
        ibv_reg_mr(pd.get(), &gpu, sizeof(gpu),
                   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ));
    const verbs::Mr to(ibv_reg_mr(pd.get(), &host, sizeof(host), IBV_ACCESS_LOCAL_WRITE));
    ibv_sge sge{reinterpret_cast<uintptr_t>(&host), sizeof(host), to->lkey};
    ibv_send_wr wr{}, *bad = nullptr;
    ibv_wc wc{};

    ASSERT_NO_FATAL_FAILURE(connect_to_itself(qp.get()));
    wr.opcode = IBV_WR_RDMA_READ;
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.wr.rdma.remote_addr = reinterpret_cast<uintptr_t>(&gpu);
    wr.wr.rdma.rkey = from->rkey;
    ASSERT_EQ(ibv_post_send(qp.get(), &wr, &bad), 0);
    while (!ibv_poll_cq(cq.get(), 1, &wc))
        ;
    EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
    EXPECT_EQ(wc.opcode, IBV_WC_RDMA_READ);
    EXPECT_EQ(host, gpu);
}

} // namespace nccl

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (!testing::GTEST_FLAG(list_tests)) {
        verbs::parse_options(argc, argv,
                             "Usage: mrc_nccl_test [GOOGLETEST-OPTION]... [-n NETNS] DEVICE "
                             "[[-N NETNS] DEVICE]\n");
    }
    return RUN_ALL_TESTS();
}
