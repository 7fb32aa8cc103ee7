/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only port of the ib_device. Its state, MTU and speed follow the anchor and the planes.
 */
#ifndef _MRC_VERBS_PORT_H
#define _MRC_VERBS_PORT_H

#include <rdma/ib_verbs.h>

#include "../transport/device/device.h"

/**
 * mrc_port_state() - ACTIVE when the anchor is up and a plane is usable, or no plane exists.
 * Any context.
 */
enum ib_port_state mrc_port_state(struct mrc_dev *dev);

/**
 * mrc_port_mtu() - largest IB MTU whose packets fit into all planes with their headers and an
 * outer header. Any context.
 */
enum ib_mtu mrc_port_mtu(struct mrc_dev *dev);

/* Device operations. */
int mrc_query_port(struct ib_device *ibdev, u32 port,
		   struct ib_port_attr *attr);
int mrc_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int mrc_port_immutable(struct ib_device *ibdev, u32 port,
		       struct ib_port_immutable *immutable);
enum rdma_link_layer mrc_link_layer(struct ib_device *ibdev, u32 port);

/* Both do nothing, but the core requires them. gid.h checks a GID when a QP connects. */
int mrc_add_gid(const struct ib_gid_attr *attr, void **context);
int mrc_del_gid(const struct ib_gid_attr *attr, void **context);

#endif /* _MRC_VERBS_PORT_H */
