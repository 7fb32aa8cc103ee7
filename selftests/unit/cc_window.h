// SPDX-License-Identifier: GPL-2.0-only
//
// Windows of requesters in tests and simulations.
#pragma once

#include "engine/requester.h"

/// Bytes that a full packet with @p mtu bytes of payload counts in a window.
inline u32 windowBytes(u32 mtu)
{
    return DIV_ROUND_UP(mrc_sendq_bytes_max(mtu), MRC_TX_BYTES_UNIT) * MRC_TX_BYTES_UNIT;
}

/// A fixed window of @p packets of @p mtu bytes of payload.
inline mrc_cc_params fixedWindow(u32 packets, u32 mtu)
{
    mrc_cc_params params{};
    params.algorithm = MRC_CC_NONE;
    params.mtu = windowBytes(mtu);
    params.max_cwnd = packets * windowBytes(mtu);
    return params;
}
