// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The functions of libibverbs that make and change objects, and the functions that an MRC device
 * has in addition.
 *
 * A preloaded library that turns verbs into calls of this library overrides the names of verbs. If
 * this library called verbs by name, the preloaded library would call it again. So the functions
 * are looked up in libibverbs itself. The inline functions of verbs use pointers in the open
 * device, and need no look-up.
 */
#pragma once

#include <cstdint>

#include <infiniband/verbs.h>
#include <rdma/mrc-abi.h>

namespace mrc
{

struct Verbs {
    decltype(&ibv_create_comp_channel) create_comp_channel;
    decltype(&ibv_destroy_comp_channel) destroy_comp_channel;
    decltype(&ibv_create_cq) create_cq;
    decltype(&ibv_destroy_cq) destroy_cq;
    decltype(&ibv_get_cq_event) get_cq_event;
    decltype(&ibv_ack_cq_events) ack_cq_events;
    decltype(&ibv_create_qp) create_qp;
    decltype(&ibv_destroy_qp) destroy_qp;
    decltype(&ibv_query_qp) query_qp;
    decltype(&ibv_modify_qp) modify_qp;
    decltype(&ibv_get_async_event) get_async_event;
    decltype(&ibv_ack_async_event) ack_async_event;

    /** Query the device's limits and capabilities. @return 0 or an errno value */
    int (*query_device)(ibv_context *, mrc_abi_device_attr *);
    /** Set or query MRC's own QP attributes that the mask names. @return 0 or an errno value */
    int (*set_qp_attr)(ibv_qp *, const mrc_abi_qp_attr *);
    int (*query_qp_attr)(ibv_qp *, mrc_abi_qp_attr *);
};

/** @return the table, always the same; NULL: libibverbs lacks one of the functions */
const Verbs *verbs();

} // namespace mrc
