// SPDX-License-Identifier: GPL-2.0-only
//
// The congestion control of a requester in tests and simulations, called as transport/qp/send.c
// calls it.
#ifndef MRC_UNIT_CC_WINDOW_H
#define MRC_UNIT_CC_WINDOW_H

#include "engine/core.h"

class CcWindow
{
public:
    /// A fixed window of @p packets of @p mtu bytes of payload.
    CcWindow(u32 packets, u32 mtu, u64 now) : CcWindow(fixed(packets, mtu), now) {}

    CcWindow(const mrc_cc_params &params, u64 now)
    {
        mrc_cc_init(&cc, &params, &mrc_timing_software, now);
    }

    /// Bytes that a full packet with @p mtu bytes of payload counts.
    static u32 bytes(u32 mtu)
    {
        return DIV_ROUND_UP(mrc_sendq_bytes_max(mtu), MRC_TX_BYTES_UNIT) * MRC_TX_BYTES_UNIT;
    }

    bool plan(mrc_req &req, u64 now, unsigned max, mrc_batch &batch)
    {
        mrc_cc_grant grant;
        mrc_cc_allow(&cc, &grant);
        if (!mrc_req_plan(&req, now, max, &grant, &batch))
            return false;
        mrc_cc_sent(&cc, batch.bytes, now);
        return true;
    }

    void learn(const mrc_req &req, const mrc_tx_result &res, u64 now)
    {
        mrc_cc_news news;
        mrc_req_cc_news(&req, &res, now, &news);
        mrc_cc_learn(&cc, &news, now);
    }

    /// Whether not even a retransmission may leave.
    bool full() const
    {
        ::mrc_cc_grant grant;
        mrc_cc_allow(&cc, &grant);
        return grant.room_lost < grant.least;
    }

    static mrc_cc_params fixed(u32 packets, u32 mtu)
    {
        mrc_cc_params params{};
        params.algorithm = MRC_CC_NONE;
        params.mtu = bytes(mtu);
        params.max_cwnd = packets * bytes(mtu);
        return params;
    }

    mrc_cc cc{};
};

#endif
