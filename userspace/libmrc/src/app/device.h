// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Queries an open device, which also tells whether it is an MRC device.
 */
#pragma once

#include <infiniband/verbs.h>
#include <rdma/mrc-abi.h>

namespace mrc
{

/** @return 0; ENOTSUP: not an MRC device, or its module is too old; or another errno value */
int query_device(ibv_context *device, mrc_abi_device_attr &attr);

} // namespace mrc
