// SPDX-License-Identifier: GPL-2.0-only
/*
 * The port of the ib_device.
 */
#include <rdma/ib_mad.h>

#include "device.h"
#include "port.h"

#define MRC_GID_TABLE_LEN	256

enum ib_port_state mrc_port_state(struct mrc_dev *dev)
{
	bool up = netif_running(dev->anchor) && netif_carrier_ok(dev->anchor);

	if (up && mrc_planes_mtu(&dev->planes))
		up = mrc_planes_mask(&dev->planes);
	return up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
}

enum ib_mtu mrc_port_mtu(struct mrc_dev *dev)
{
	return ib_mtu_int_to_enum(mrc_dev_mtu(dev));
}

/* In verbs a speed is lanes times a rate. Takes the lowest speed that reaches the planes'. */
static void mrc_port_speed(struct mrc_dev *dev, struct ib_port_attr *attr)
{
	static const struct {
		u32 mbps;
		u8 width;
		u16 speed;
	} rates[] = {
		{ 2500, IB_WIDTH_1X, IB_SPEED_SDR },
		{ 10000, IB_WIDTH_1X, IB_SPEED_FDR10 },
		{ 25000, IB_WIDTH_1X, IB_SPEED_EDR },
		{ 40000, IB_WIDTH_4X, IB_SPEED_FDR10 },
		{ 100000, IB_WIDTH_4X, IB_SPEED_EDR },
		{ 200000, IB_WIDTH_4X, IB_SPEED_HDR },
		{ 400000, IB_WIDTH_4X, IB_SPEED_NDR },
		{ 800000, IB_WIDTH_8X, IB_SPEED_NDR },
		{ U32_MAX, IB_WIDTH_12X, IB_SPEED_NDR },
	};
	u64 mbps;
	int i = 0;

	mbps = mrc_planes_mbps(&dev->planes);
	while (i < ARRAY_SIZE(rates) - 1 && rates[i].mbps < mbps)
		i++;
	attr->active_width = rates[i].width;
	attr->active_speed = rates[i].speed;
}

/** mrc_query_port() - query the port. Process context. */
int mrc_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct mrc_dev *dev = to_mrc_dev(ibdev);

	attr->state = mrc_port_state(dev);
	attr->phys_state = attr->state == IB_PORT_ACTIVE ?
		IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = mrc_port_mtu(dev);
	attr->gid_tbl_len = MRC_GID_TABLE_LEN;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = MRC_MSG_MAX;
	attr->max_vl_num = 1;
	mrc_port_speed(dev, attr);
	return 0;
}

int mrc_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = MRC_PKEY_DEFAULT;
	return 0;
}

/* Addresses and management datagrams are those of RoCE v2. */
int mrc_port_immutable(struct ib_device *ibdev, u32 port,
		       struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = MRC_GID_TABLE_LEN;
	immutable->pkey_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer mrc_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

int mrc_add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

int mrc_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}
