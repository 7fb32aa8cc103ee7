// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transport's counters, exported.
 */
#include "counters.h"
#include "device.h"

#define MRC_STAT_DESC(sym, text)	[MRC_CNT_##sym] = { .name = text },
static const struct rdma_stat_desc mrc_stat_descs[] = {
	MRC_COUNTERS(MRC_STAT_DESC)
};

struct rdma_hw_stats *mrc_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	return rdma_alloc_hw_stats_struct(mrc_stat_descs,
					  ARRAY_SIZE(mrc_stat_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/** mrc_get_hw_stats() - all of them at once. Return: how many. */
int mrc_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index)
{
	const struct mrc_dev *dev = to_mrc_dev(ibdev);
	int i;

	if (!stats || port != 1)
		return -EINVAL;
	for (i = 0; i < MRC_CNT_COUNT; i++)
		stats->value[i] = mrc_counter_sum(dev->counters, i);
	return MRC_CNT_COUNT;
}
