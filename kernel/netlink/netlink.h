/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family "mrc".
 */
#ifndef _MRC_NETLINK_NETLINK_H
#define _MRC_NETLINK_NETLINK_H

/**
 * mrc_netlink_init() - register the family and listen to the transport's events
 *
 * Context: module load, after the transport.
 * Return: 0 or a negative error.
 */
int mrc_netlink_init(void);

/** mrc_netlink_exit() - undo mrc_netlink_init(). Waits until no handler runs any more. */
void mrc_netlink_exit(void);

#endif /* _MRC_NETLINK_NETLINK_H */
