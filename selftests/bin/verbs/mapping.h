// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mapping.h
 * Access to the rings that this program shares with the kernel, behind the provider's back.
 */
#pragma once

#include <cstddef>
#include <vector>

#include <infiniband/verbs.h>
#include <rdma/mrc-abi.h>

namespace verbs
{

/** One ring in this process. */
struct Mapping {
    unsigned long offset; /**< in the file of the context */
    mrc_ring *ring;
    size_t bytes; /**< header and entries, whole pages */
};

/** All rings of this process, in the order of their offsets. */
std::vector<Mapping> ring_mappings();

/** Tells the kernel to look at the send ring. @return 0 or an errno value */
int doorbell(ibv_qp *qp);

} // namespace verbs
