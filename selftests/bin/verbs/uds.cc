// SPDX-License-Identifier: GPL-2.0-only
/* UD QPs: datagrams, address handles, and what happens to those that are bad. */
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <netinet/ip6.h>

#include "fixture.h"

namespace verbs
{

namespace
{
constexpr uint32_t grh = 40;
constexpr uint32_t qkey = 0x11d1;
} // namespace

class Uds : public Pair
{
protected:
    /** UD QPs in RTS, which complete in the queues of a and b. */
    void make_datagrams(const Shape &shape = {}, uint64_t wr_ops = 0)
    {
        ASSERT_NO_FATAL_FAILURE(make(shape, 1 << 16));
        longest = 128u << a->port.active_mtu;
        ah = make_ah(a->pd.get());
        ASSERT_TRUE(ah) << std::strerror(errno);
        for (Side *side : {a.get(), b.get()}) {
            side->qp = make_qp(*side, wr_ops);
            ASSERT_TRUE(side->qp) << std::strerror(errno);
            ASSERT_NO_FATAL_FAILURE(to_rts(*side));
        }
    }

    /** What a uses to reach b. */
    Ah make_ah(ibv_pd *pd)
    {
        ibv_ah_attr attr{};

        attr.is_global = 1;
        attr.grh.dgid = b->gid;
        attr.grh.sgid_index = static_cast<uint8_t>(a->gid_index);
        attr.grh.hop_limit = 64;
        attr.port_num = 1;
        return Ah(ibv_create_ah(pd, &attr));
    }

    static Qp make_qp(Side &side, uint64_t wr_ops)
    {
        ibv_qp_init_attr_ex init{};

        init.send_cq = side.send_cq.get();
        init.recv_cq = side.recv_cq.get();
        init.qp_type = IBV_QPT_UD;
        init.cap = {side.shape.send_wr, side.shape.recv_wr, 4, 4, side.shape.inline_data};
        init.pd = side.pd.get();
        init.comp_mask = IBV_QP_INIT_ATTR_PD | (wr_ops ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0);
        init.send_ops_flags = wr_ops;
        return Qp(ibv_create_qp_ex(side.context.get(), &init));
    }

    static void to_rts(Side &side)
    {
        ibv_qp_attr attr{};

        attr.qp_state = IBV_QPS_INIT;
        attr.port_num = 1;
        attr.qkey = qkey;
        ASSERT_EQ(ibv_modify_qp(side.qp.get(), &attr,
                                IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
                  0);
        ASSERT_EQ(side.to_state(IBV_QPS_RTR), 0);
        attr.qp_state = IBV_QPS_RTS;
        attr.sq_psn = 0xffffff;
        ASSERT_EQ(ibv_modify_qp(side.qp.get(), &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
    }

    /** A datagram of a to b. */
    struct Datagram {
        uint64_t id = 0;
        uint32_t length = 0;
        bool imm = false;
        bool inline_data = false;
        uint32_t parts =
            1; /**< it is gathered from so many, one of them empty if there are several */
        uint32_t key = qkey;
        uint32_t lkey = 0; /**< 0: the right one */
        ibv_ah *ah = nullptr;
        ibv_wr_opcode op = IBV_WR_SEND;
    };

    [[nodiscard]] std::vector<ibv_sge> gather(const Datagram &d) const
    {
        const uint32_t lkey = d.lkey ? d.lkey : a->mr->lkey;
        std::vector<ibv_sge> sges;
        uint32_t at = 0;

        for (uint32_t i = 1; i < d.parts; i++) {
            sges.push_back({a->address(at), i - 1, lkey});
            at += i - 1;
        }
        sges.push_back({a->address(at), d.length - at, lkey});
        return sges;
    }

    int send(const Datagram &d)
    {
        std::vector<ibv_sge> sges = gather(d);
        ibv_send_wr wr{}, *bad = nullptr;

        wr.wr_id = d.id;
        wr.sg_list = sges.data();
        wr.num_sge = static_cast<int>(sges.size());
        wr.opcode = d.imm ? IBV_WR_SEND_WITH_IMM : d.op;
        wr.imm_data = htobe32(0x12345678);
        wr.send_flags = IBV_SEND_SIGNALED | (d.inline_data ? IBV_SEND_INLINE : 0);
        wr.wr.ud.ah = d.ah ? d.ah : ah.get();
        wr.wr.ud.remote_qpn = b->qp->qp_num;
        wr.wr.ud.remote_qkey = d.key;
        return ibv_post_send(a->qp.get(), &wr, &bad);
    }

    /** A datagram that ends with this status at its sender. */
    void expect_sent(const Datagram &d, ibv_wc_status status = IBV_WC_SUCCESS)
    {
        ASSERT_EQ(send(d), 0);
        const auto sent = wait_completions(a->send_cq.get(), 1);
        ASSERT_EQ(sent.size(), 1u);
        EXPECT_EQ(sent[0].status, status);
        EXPECT_EQ(sent[0].wr_id, d.id);
    }

    /** The datagram arrives, behind a GRH, and is what a has at the beginning of its memory. */
    void expect_received(const Datagram &d, size_t at = 0)
    {
        const auto got = wait_completions(b->recv_cq.get(), 1);

        ASSERT_EQ(got.size(), 1u);
        ASSERT_EQ(got[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(got[0].opcode, IBV_WC_RECV);
        EXPECT_EQ(got[0].byte_len, grh + d.length);
        EXPECT_EQ(got[0].src_qp, a->qp->qp_num);
        EXPECT_EQ(got[0].qp_num, b->qp->qp_num);
        EXPECT_EQ(got[0].wc_flags,
                  static_cast<unsigned>(IBV_WC_GRH) | (d.imm ? IBV_WC_WITH_IMM : 0));
        if (d.imm) {
            EXPECT_EQ(got[0].imm_data, htobe32(0x12345678));
        }
        expect_grh(at, d.length + (d.imm ? 4 : 0));
        EXPECT_EQ(std::memcmp(b->data() + at + grh, a->data(), d.length), 0);
    }

    /** @param bytes of the datagram behind the DETH */
    void expect_grh(size_t at, uint32_t bytes)
    {
        ip6_hdr header{};

        std::memcpy(&header, b->data() + at, sizeof(header));
        EXPECT_EQ(ntohl(header.ip6_flow) >> 28, 6u);
        EXPECT_EQ(ntohs(header.ip6_plen), 8 + 12 + 8 + (bytes + 3) / 4 * 4 + 4);
        EXPECT_EQ(std::memcmp(&header.ip6_src, &a->gid, sizeof(a->gid)), 0);
        EXPECT_EQ(std::memcmp(&header.ip6_dst, &b->gid, sizeof(b->gid)), 0);
    }

    void expect_lost(const Datagram &d)
    {
        ASSERT_NO_FATAL_FAILURE(expect_sent(d));
        EXPECT_TRUE(stays_empty(b->recv_cq.get()));
    }

    Ah ah;
    uint32_t longest = 0; /**< datagram, in bytes */

    void TearDown() override { ah.reset(); }
};

TEST_F(Uds, DatagramsArrive)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    for (const uint32_t length :
         {0u, 1u, 3u, 4u, 63u, 256u, 257u, longest / 2, longest - 1, longest}) {
        for (const bool imm : {false, true}) {
            const Datagram d{.id = length, .length = length, .imm = imm};

            SCOPED_TRACE(length);
            a->fill(length + imm);
            ASSERT_EQ(post_receive(*b, 0, 0, grh + length), 0);
            ASSERT_NO_FATAL_FAILURE(expect_sent(d));
            ASSERT_NO_FATAL_FAILURE(expect_received(d));
        }
    }
}

TEST_F(Uds, InlineAndManyParts)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    const uint32_t lkey = b->mr->lkey;

    for (const Datagram &d : {Datagram{.length = 200, .inline_data = true, .parts = 3},
                              Datagram{.length = 700, .parts = 4}}) {
        a->fill(d.length);
        ASSERT_EQ(post_receive(*b, 0,
                               {{b->address(), 30, lkey},
                                {b->address(30), 11, lkey},
                                {b->address(41), 0, lkey},
                                {b->address(41), 4000, lkey}}),
                  0);
        ASSERT_NO_FATAL_FAILURE(expect_sent(d));
        ASSERT_NO_FATAL_FAILURE(expect_received(d));
    }
}

TEST_F(Uds, WrCallsAndPolling)
{
    ASSERT_NO_FATAL_FAILURE(
        make_datagrams({.poll_ex = true}, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM));
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ibv_cq_ex *cq = reinterpret_cast<ibv_cq_ex *>(b->recv_cq.get());
    ibv_poll_cq_attr attr{};
    int error = ENOENT;

    a->fill(9);
    ASSERT_EQ(post_receive(*b, 5, 0, 1000), 0);
    ibv_wr_start(ex);
    ex->wr_id = 3;
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send(ex);
    ibv_wr_set_ud_addr(ex, ah.get(), b->qp->qp_num, qkey);
    ibv_wr_set_sge(ex, a->mr->lkey, a->address(), 100);
    ASSERT_EQ(ibv_wr_complete(ex), 0);
    ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
    for (int tries = 0; error == ENOENT && tries < 1000; tries++) {
        error = ibv_start_poll(cq, &attr);
    }
    ASSERT_EQ(error, 0);
    EXPECT_EQ(ibv_wc_read_src_qp(cq), a->qp->qp_num);
    EXPECT_EQ(ibv_wc_read_wc_flags(cq), static_cast<unsigned>(IBV_WC_GRH));
    EXPECT_EQ(ibv_wc_read_byte_len(cq), grh + 100);
    ibv_end_poll(cq);
}

TEST_F(Uds, OnlySendsCanBePosted)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    EXPECT_EQ(send({.op = IBV_WR_RDMA_WRITE}), EINVAL);
    EXPECT_EQ(send({.op = IBV_WR_RDMA_READ}), EINVAL);
}

/* Nobody is told of a datagram that is lost, and the receive stays. */
TEST_F(Uds, WhatDoesNotFitIsLost)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    const Datagram good{.length = 100};

    ASSERT_NO_FATAL_FAILURE(expect_lost({.length = 10})); /* there is no receive */
    ASSERT_EQ(post_receive(*b, 0, 0, grh + 100), 0);
    ASSERT_NO_FATAL_FAILURE(expect_lost({.length = 101}));
    ASSERT_NO_FATAL_FAILURE(expect_lost({.length = 10, .key = qkey + 1}));
    ASSERT_NO_FATAL_FAILURE(expect_sent(good));
    ASSERT_NO_FATAL_FAILURE(expect_received(good));
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
}

/* A Q_Key with the highest bit stands for that of the QP which sends. */
TEST_F(Uds, OwnQkey)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    const Datagram d{.length = 8, .key = 0x80000000};

    ASSERT_EQ(post_receive(*b, 0, 0, 1000), 0);
    ASSERT_NO_FATAL_FAILURE(expect_sent(d));
    ASSERT_NO_FATAL_FAILURE(expect_received(d));
}

/* The QP goes to SQE: later sends are flushed, receives go on; and it comes back. */
TEST_F(Uds, BadSendsEndInSqe)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    const Pd other(ibv_alloc_pd(a->context.get()));
    const Ah stranger = make_ah(other.get());
    const Datagram good{.length = 50};
    const std::pair<Datagram, ibv_wc_status> bad[] = {
        {{.id = 1, .length = longest + 1}, IBV_WC_LOC_LEN_ERR},
        {{.id = 2, .length = 10, .lkey = a->mr->lkey ^ 0x100}, IBV_WC_LOC_PROT_ERR},
        {{.id = 3, .length = 10, .ah = stranger.get()}, IBV_WC_LOC_QP_OP_ERR},
    };

    ASSERT_TRUE(stranger);
    for (const auto &[datagram, status] : bad) {
        ibv_qp_attr attr{};

        ASSERT_NO_FATAL_FAILURE(expect_sent(datagram, status));
        EXPECT_EQ(a->state(), IBV_QPS_SQE);
        ASSERT_NO_FATAL_FAILURE(expect_sent(good, IBV_WC_WR_FLUSH_ERR));
        attr.qp_state = IBV_QPS_RTS;
        attr.cur_qp_state = IBV_QPS_SQE;
        ASSERT_EQ(ibv_modify_qp(a->qp.get(), &attr, IBV_QP_STATE | IBV_QP_CUR_STATE), 0);
        ASSERT_EQ(post_receive(*b, 0, 0, 1000), 0);
        ASSERT_NO_FATAL_FAILURE(expect_sent(good));
        ASSERT_NO_FATAL_FAILURE(expect_received(good));
    }
}

TEST_F(Uds, BadReceivesEndInError)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    ASSERT_EQ(post_receive(*b, 4, {{b->address(), 1000, b->mr->lkey ^ 0x100}}), 0);
    ASSERT_EQ(post_receive(*b, 5, 0, 1000), 0);
    ASSERT_NO_FATAL_FAILURE(expect_sent({.length = 10}));
    const auto got = wait_completions(b->recv_cq.get(), 2);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(got[0].status, IBV_WC_LOC_PROT_ERR);
    EXPECT_EQ(got[0].wr_id, 4u);
    EXPECT_EQ(got[1].status, IBV_WC_WR_FLUSH_ERR);
    EXPECT_EQ(b->state(), IBV_QPS_ERR);
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_FATAL);
    /* What is posted later is flushed, too. */
    ASSERT_EQ(post_receive(*b, 6, 0, 1000), 0);
    ASSERT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
}

TEST_F(Uds, ErrorFlushesAndResetForgets)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    const Datagram d{.length = 30};

    ASSERT_EQ(post_receives(*b, 3), 0);
    ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0);
    const auto flushed = wait_completions(b->recv_cq.get(), 3);
    ASSERT_EQ(flushed.size(), 3u);
    EXPECT_EQ(flushed[2].status, IBV_WC_WR_FLUSH_ERR);
    ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
    ASSERT_NO_FATAL_FAILURE(expect_sent(d, IBV_WC_WR_FLUSH_ERR));
    for (Side *side : {a.get(), b.get()}) {
        ASSERT_EQ(side->to_state(IBV_QPS_RESET), 0);
        ASSERT_NO_FATAL_FAILURE(to_rts(*side));
    }
    ASSERT_EQ(post_receive(*b, 0, 0, 1000), 0);
    ASSERT_NO_FATAL_FAILURE(expect_sent(d));
    ASSERT_NO_FATAL_FAILURE(expect_received(d));
}

TEST_F(Uds, FullQueueEndsInError)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams({.recv_wr = 64, .cqe = 16}));
    for (size_t i = 0; i < 20; i++) {
        ASSERT_EQ(post_receive(*b, i, 0, 1000), 0);
    }
    for (size_t i = 0; i < 20; i++) {
        ASSERT_NO_FATAL_FAILURE(expect_sent({.id = i, .length = 8}));
    }
    EXPECT_EQ(b->wait_event(), IBV_EVENT_CQ_ERR);
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_FATAL);
    EXPECT_EQ(b->state(), IBV_QPS_ERR);
}

/* More than the planes' queues of this host have room for: the rest waits in the ring. */
TEST_F(Uds, ManyAtOnce)
{
    constexpr uint32_t many = 2048;

    ASSERT_NO_FATAL_FAILURE(make_datagrams({.send_wr = many, .cqe = many}));
    for (uint32_t i = 0; i < many; i++) {
        ASSERT_EQ(send({.id = i, .length = longest}), 0);
    }
    const auto sent = wait_completions(a->send_cq.get(), many);
    ASSERT_EQ(sent.size(), many);
    for (uint32_t i = 0; i < many; i++) {
        ASSERT_EQ(sent[i].wr_id, i);
        ASSERT_EQ(sent[i].status, IBV_WC_SUCCESS);
    }
}

TEST_F(Uds, AttributesAndLimits)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};

    ASSERT_EQ(ibv_query_qp(a->qp.get(), &attr, IBV_QP_QKEY | IBV_QP_SQ_PSN, &init), 0);
    EXPECT_EQ(attr.qkey, qkey);
    EXPECT_EQ(attr.sq_psn, 0xffffffu);
    EXPECT_EQ(init.qp_type, IBV_QPT_UD);
    EXPECT_EQ(a->to_state(IBV_QPS_SQD), EINVAL);
    EXPECT_EQ(a->to_state(IBV_QPS_INIT), EINVAL);
    attr.qp_state = IBV_QPS_RTS;
    attr.cur_qp_state = IBV_QPS_SQE;
    EXPECT_EQ(ibv_modify_qp(a->qp.get(), &attr, IBV_QP_STATE | IBV_QP_CUR_STATE), EINVAL);
    attr.path_mtu = IBV_MTU_1024;
    EXPECT_EQ(ibv_modify_qp(a->qp.get(), &attr, IBV_QP_PATH_MTU), EINVAL);
}

TEST_F(Uds, AddressHandles)
{
    ASSERT_NO_FATAL_FAILURE(make_datagrams());
    std::vector<Ah> ahs;
    ibv_ah_attr attr{};

    for (int i = 0; i < 1000; i++) {
        ahs.push_back(make_ah(a->pd.get()));
        ASSERT_TRUE(ahs.back());
    }
    ahs.clear();
    attr.port_num = 1;
    EXPECT_EQ(ibv_create_ah(a->pd.get(), &attr), nullptr); /* without GIDs */
    attr.is_global = 1;
    attr.grh.sgid_index = static_cast<uint8_t>(a->gid_index);
    EXPECT_EQ(ibv_create_ah(a->pd.get(), &attr), nullptr); /* to address :: */
    attr.grh.dgid.raw[0] = 0xff;
    EXPECT_EQ(ibv_create_ah(a->pd.get(), &attr), nullptr); /* multicast */
    const Datagram d{.length = 5};
    ASSERT_EQ(post_receive(*b, 0, 0, 1000), 0);
    ASSERT_NO_FATAL_FAILURE(expect_sent(d));
    ASSERT_NO_FATAL_FAILURE(expect_received(d));
}

} // namespace verbs
