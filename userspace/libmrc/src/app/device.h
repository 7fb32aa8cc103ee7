// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Is an open device one of MRC's?
 */
#pragma once

#include <infiniband/verbs.h>
#include <rdma/mrc-abi.h>

namespace mrc
{

/** @return 0; ENOTSUP: it is none, or its module is too old for this library; or another errno
 * value */
int query_device(ibv_context *device, mrc_abi_device_attr &attr);

} // namespace mrc
