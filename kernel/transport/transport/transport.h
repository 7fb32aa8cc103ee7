/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The transport of a device as a whole. It creates all other parts in this folder's rooms, and
 * passes changes on to them.
 */
#ifndef _MRC_TRANSPORT_TRANSPORT_H
#define _MRC_TRANSPORT_TRANSPORT_H

#include "../device/device.h"

/**
 * mrc_transport_create() - create a device with default settings, which listens, without planes
 * @name: name that the ib_device will have
 * @anchor: netdev; a reference is taken
 * @extack: may be NULL
 *
 * The caller adds planes afterwards. The first is the anchor itself, unless the anchor is a dummy.
 * Process context, RTNL held or not.
 * Return: a reference or ERR_PTR (-EADDRINUSE: UDP port taken, -ENOMEM).
 */
struct mrc_dev *mrc_transport_create(const char *name, struct net_device *anchor,
				     struct netlink_ext_ack *extack);

/**
 * mrc_transport_shutdown() - end all traffic of a device
 *
 * Unlists the device, releases planes, socket and peers' paths. All QPs must be destroyed or in
 * error already (the verbs layer's unregistration does that). Process context, sleeps. Drops
 * the creator's reference.
 */
void mrc_transport_shutdown(struct mrc_dev *dev);

/**
 * mrc_transport_set_cfg() - change settings
 * @dev: the device
 * @cfg: complete new settings, each in its range (the netlink policies check that); copied
 * @change: gets the reason for a refusal
 *
 * The device listens on a new UDP port before it gives the old one up.
 *
 * Process context. Return: 0, -ENODEV (the device goes), -EBUSY (another UDP port, and there are
 * QPs, connected or not), -EADDRINUSE.
 */
int mrc_transport_set_cfg(struct mrc_dev *dev, const struct mrc_dev_cfg *cfg,
			  const struct mrc_change *change);

int mrc_transport_module_init(void);	/* tables, receive ops */
void mrc_transport_module_exit(void);

#endif /* _MRC_TRANSPORT_TRANSPORT_H */
