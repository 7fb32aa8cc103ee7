/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink commands for the EVs of a profile.
 */
#ifndef _MRC_NETLINK_EV_H
#define _MRC_NETLINK_EV_H

#include "../transport/profile/ev_profile.h"

/**
 * mrc_nl_ev_parse() - read an EV from a request
 * @net: namespace
 * @attr: nested attribute, validated by mrc_nl_ev_spec_policy
 * @format: format of the profile
 * @ev: result, zeroed before; its segment list, if any, is a reference that the profile drops
 * @extack: on error gets the reason and the attribute at fault
 *
 * Context: process, sleeps.
 * Return: 0 or a negative error.
 */
int mrc_nl_ev_parse(struct net *net, const struct nlattr *attr,
		    enum mrc_ev_format format, struct mrc_ev_spec *ev,
		    struct netlink_ext_ack *extack);

#endif /* _MRC_NETLINK_EV_H */
