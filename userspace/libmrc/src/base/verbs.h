// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The functions of libibverbs that objects are made and changed with, and what an MRC device has
 * beside them.
 *
 * A library that is preloaded to turn verbs into calls of this one overrides their names. Called by
 * them it would call us again: so they are looked up in libibverbs itself. What verbs has inline
 * goes by the open device, and needs no name.
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

    /** What the device says of itself. @return 0 or an errno value */
    int (*query_device)(ibv_context *, mrc_abi_device_attr *);
    /** MRC's own attributes of a QP: the mask names those that count. @return 0 or an errno value
     */
    int (*set_qp_attr)(ibv_qp *, const mrc_abi_qp_attr *);
    int (*query_qp_attr)(ibv_qp *, mrc_abi_qp_attr *);
};

/** @return the table, always the same; NULL: libibverbs has not all of it */
const Verbs *verbs();

} // namespace mrc
