/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device's counters, for "rdma statistic", sysfs and node_exporter.
 */
#ifndef _MRC_VERBS_COUNTERS_H
#define _MRC_VERBS_COUNTERS_H

#include <rdma/ib_verbs.h>

/* Device operations. */
struct rdma_hw_stats *mrc_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 port);
int mrc_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index);
int mrc_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *in_wc,
		    const struct ib_grh *in_grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey);

#endif /* _MRC_VERBS_COUNTERS_H */
