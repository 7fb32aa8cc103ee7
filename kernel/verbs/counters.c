// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports the transport's counters.
 */
#include <linux/limits.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

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

/** mrc_get_hw_stats() - read all counters at once. Return: their number, or -EINVAL. */
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

/* ---- the counters that InfiniBand defines ---------------------------------- */

/* Offset in a datagram's data where the attributes of performance management begin. */
#define MRC_PMA_OFFSET	40u

/** struct mrc_pma - a port's counters as InfiniBand defines them; data count words of four bytes */
struct mrc_pma {
	u64 tx_data;
	u64 rx_data;
	u64 tx_packets;
	u64 rx_packets;
	u64 tx_discards;
	u64 rx_errors;
};

static void mrc_pma_read(const struct mrc_dev *dev, struct mrc_pma *pma)
{
	const struct mrc_counters __percpu *c = dev->counters;

	pma->tx_data = mrc_counter_sum(c, MRC_CNT_TX_BYTES) / 4;
	pma->rx_data = mrc_counter_sum(c, MRC_CNT_RX_BYTES) / 4;
	pma->tx_packets = mrc_counter_sum(c, MRC_CNT_TX_PACKETS);
	pma->rx_packets = mrc_counter_sum(c, MRC_CNT_RX_PACKETS);
	pma->tx_discards = mrc_counter_sum(c, MRC_CNT_TX_DROPPED) +
			   mrc_counter_sum(c, MRC_CNT_TX_NO_MEMORY);
	pma->rx_errors = mrc_counter_sum(c, MRC_CNT_DROP_ICRC);
}

static void mrc_pma_put(const struct mrc_pma *pma, struct ib_pma_portcounters *to)
{
	to->port_select = 1;
	to->port_rcv_errors = cpu_to_be16(min_t(u64, pma->rx_errors, U16_MAX));
	to->port_xmit_discards = cpu_to_be16(min_t(u64, pma->tx_discards, U16_MAX));
	to->port_xmit_data = cpu_to_be32(min_t(u64, pma->tx_data, U32_MAX));
	to->port_rcv_data = cpu_to_be32(min_t(u64, pma->rx_data, U32_MAX));
	to->port_xmit_packets = cpu_to_be32(min_t(u64, pma->tx_packets, U32_MAX));
	to->port_rcv_packets = cpu_to_be32(min_t(u64, pma->rx_packets, U32_MAX));
}

static void mrc_pma_put_ext(const struct mrc_pma *pma, struct ib_pma_portcounters_ext *to)
{
	to->port_select = 1;
	to->port_xmit_data = cpu_to_be64(pma->tx_data);
	to->port_rcv_data = cpu_to_be64(pma->rx_data);
	to->port_xmit_packets = cpu_to_be64(pma->tx_packets);
	to->port_rcv_packets = cpu_to_be64(pma->rx_packets);
	to->port_unicast_xmit_packets = to->port_xmit_packets;
	to->port_unicast_rcv_packets = to->port_rcv_packets;
}

/**
 * mrc_process_mad() - answer a query by the RDMA core for the port's counters (IBA 16.1.3)
 * @ibdev: the device
 * @flags: unused
 * @port: the device's only port, 1
 * @in_wc: where the query comes from; NULL: this host
 * @in_grh: unused
 * @in: the query
 * @out: the answer
 * @out_size: not changed
 * @out_pkey: not changed
 *
 * Because of this operation a port has a folder counters/ in sysfs, which programs that watch hosts
 * expect of every port. Other hosts get no answer.
 *
 * Context: process. Return: enum ib_mad_result.
 */
int mrc_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *in_wc,
		    const struct ib_grh *in_grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey)
{
	void *attr = out->data + MRC_PMA_OFFSET;
	struct ib_class_port_info *info = attr;
	struct mrc_pma pma;

	if (in_wc || port != 1 || in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_FAILURE;
	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	mrc_pma_read(to_mrc_dev(ibdev), &pma);
	if (in->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO)
		info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
	else if (in->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS)
		mrc_pma_put(&pma, attr);
	else if (in->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS_EXT)
		mrc_pma_put_ext(&pma, attr);
	else
		return IB_MAD_RESULT_FAILURE;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
