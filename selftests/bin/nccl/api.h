// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The calls that a collectives library makes for its QPs and CQs: of verbs, or of mrc.h.
 */
#pragma once

#include <mrc.h>

#include "verbs/fixture.h"

namespace nccl
{

struct Verbs {
    using Cq = ibv_cq *;
    using Qp = ibv_qp *;

    explicit Verbs(ibv_context *device) : device(device) {}

    Cq make_cq(int cqe) const
    {
        return verbs::must(ibv_create_cq(device, cqe, nullptr, nullptr, 0), "CQ");
    }
    static Qp make_qp(ibv_pd *pd, Cq cq, const ibv_qp_cap &cap)
    {
        ibv_qp_init_attr init{};
        init.send_cq = init.recv_cq = cq;
        init.cap = cap;
        init.qp_type = IBV_QPT_RC;
        return verbs::must(ibv_create_qp(pd, &init), "QP");
    }
    static int modify(Qp qp, ibv_qp_attr &attr, int mask) { return ibv_modify_qp(qp, &attr, mask); }
    static uint32_t number(Qp qp) { return qp->qp_num; }
    static int post(Qp qp, ibv_send_wr *wr, ibv_send_wr **bad)
    {
        return ibv_post_send(qp, wr, bad);
    }
    static int post(Qp qp, ibv_recv_wr *wr, ibv_recv_wr **bad)
    {
        return ibv_post_recv(qp, wr, bad);
    }
    static int poll(Cq cq, int n, ibv_wc *wc) { return ibv_poll_cq(cq, n, wc); }
    static void destroy(Qp qp) { EXPECT_EQ(ibv_destroy_qp(qp), 0); }
    static void destroy(Cq cq) { EXPECT_EQ(ibv_destroy_cq(cq), 0); }

    ibv_context *device;
};

/**
 * Sets attributes as a plug-in does: hints at INIT, a zeroed structure without a mask at RTR, a
 * timeout at RTS.
 */
struct Mrc {
    using Cq = mrc_cq *;
    using Qp = mrc_qp *;

    explicit Mrc(ibv_context *device)
    {
        mrc_qp_hint_init_attr init{};

        context = verbs::must(mrc_create_context(device, nullptr), "MRC context");
        init.attr.num_qps_per_peer = 2;
        // A version and rates, of another implementation.
        init.attr.vendor_cfg[0] = 1;
        init.attr.vendor_cfg[4] = 100;
        hint = verbs::must(mrc_create_qp_hint(context, &init), "hint");
    }
    ~Mrc()
    {
        EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
        EXPECT_EQ(mrc_destroy_context(context), 0);
    }
    Mrc(const Mrc &) = delete;
    Mrc &operator=(const Mrc &) = delete;

    Cq make_cq(int cqe) const
    {
        return verbs::must(mrc_create_cq(context, cqe, nullptr, nullptr, 0), "CQ");
    }
    Qp make_qp(ibv_pd *pd, Cq cq, const ibv_qp_cap &cap) const
    {
        mrc_qp_init_attr init{};
        init.send_cq = init.recv_cq = cq;
        init.cap = cap;
        init.pd = pd;
        return verbs::must(mrc_create_qp(context, &init), "QP");
    }
    int modify(Qp qp, ibv_qp_attr &attr, int mask) const
    {
        mrc_qp_attr more{};
        int more_mask = 0;

        if (attr.qp_state == IBV_QPS_INIT) {
            more.qp_hint = hint;
            more_mask = MRC_QP_HINT;
        } else if (attr.qp_state == IBV_QPS_RTS) {
            more.timeout = 20;
            more_mask = MRC_QP_TIMEOUT;
        }
        return mrc_modify_qp(qp, &attr, mask, &more, more_mask);
    }
    static uint32_t number(Qp qp)
    {
        uint32_t qpn = 0;
        EXPECT_EQ(mrc_get_qpn(qp, &qpn), 0);
        return qpn;
    }
    static int post(Qp qp, ibv_send_wr *wr, ibv_send_wr **bad)
    {
        return mrc_post_send(qp, wr, bad);
    }
    static int post(Qp qp, ibv_recv_wr *wr, ibv_recv_wr **bad)
    {
        return mrc_post_recv(qp, wr, bad);
    }
    static int poll(Cq cq, int n, ibv_wc *wc) { return mrc_poll_cq(cq, n, wc); }
    static void destroy(Qp qp) { EXPECT_EQ(mrc_destroy_qp(qp), 0); }
    static void destroy(Cq cq) { EXPECT_EQ(mrc_destroy_cq(cq), 0); }

    mrc_context *context;
    mrc_qp_hint *hint;
};

} // namespace nccl
