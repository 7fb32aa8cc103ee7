// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family: which command goes where, and who may give it.
 */
#include <linux/genetlink.h>
#include <linux/module.h>

#include "message.h"
#include "netlink.h"

/* Last attribute that a policy names. */
#define MRC_NL_POLICY(name, last)					\
	.policy = mrc_nl_##name##_policy, .maxattr = MRC_A_##last

#define MRC_NL_GET(name, CMD)						\
	.cmd = MRC_CMD_##CMD, .doit = mrc_nl_##name,			\
	.dumpit = mrc_nl_##name##_dump

#define MRC_NL_SHOW(name, CMD)						\
	.cmd = MRC_CMD_##CMD, .dumpit = mrc_nl_##name##_dump

#define MRC_NL_CHANGE(name, CMD)					\
	.cmd = MRC_CMD_##CMD, .doit = mrc_nl_##name,			\
	.flags = GENL_UNS_ADMIN_PERM

static const struct genl_ops mrc_nl_ops[] = {
	{ .cmd = MRC_CMD_INFO_GET, .doit = mrc_nl_info_get },
	{ MRC_NL_GET(device_get, DEVICE_GET), .start = mrc_nl_device_get_start,
	  MRC_NL_POLICY(device_get, DEV_NAME) },
	{ MRC_NL_CHANGE(device_set, DEVICE_SET),
	  MRC_NL_POLICY(device_set, DEVICE_TUNNEL_SOURCE) },
	{ MRC_NL_GET(plane_get, PLANE_GET),
	  MRC_NL_POLICY(plane_get, PLANE_PORT) },
	{ MRC_NL_CHANGE(plane_add, PLANE_ADD),
	  MRC_NL_POLICY(plane_add, PLANE_IFINDEX) },
	{ MRC_NL_CHANGE(plane_set, PLANE_SET),
	  MRC_NL_POLICY(plane_set, PLANE_ADMIN_STATE) },
	{ MRC_NL_CHANGE(plane_del, PLANE_DEL),
	  MRC_NL_POLICY(plane_get, PLANE_PORT) },
	{ MRC_NL_GET(ev_profile_get, EV_PROFILE_GET),
	  MRC_NL_POLICY(ev_profile_get, EV_PROFILE_ID) },
	{ MRC_NL_CHANGE(ev_profile_add, EV_PROFILE_ADD),
	  MRC_NL_POLICY(ev_profile_set, EV_PROFILE_ACTIVE) },
	{ MRC_NL_CHANGE(ev_profile_set, EV_PROFILE_SET),
	  MRC_NL_POLICY(ev_profile_set, EV_PROFILE_ACTIVE) },
	{ MRC_NL_CHANGE(ev_profile_del, EV_PROFILE_DEL),
	  MRC_NL_POLICY(ev_profile_get, EV_PROFILE_ID) },
	{ MRC_NL_SHOW(ev_get, EV_GET),
	  MRC_NL_POLICY(ev_get, EV_EV_PROFILE) },
	{ MRC_NL_CHANGE(ev_set, EV_SET),
	  MRC_NL_POLICY(ev_set, EV_DENIED) },
	{ MRC_NL_GET(cc_profile_get, CC_PROFILE_GET),
	  MRC_NL_POLICY(cc_profile_get, CC_PROFILE_ID) },
	{ MRC_NL_CHANGE(cc_profile_add, CC_PROFILE_ADD),
	  MRC_NL_POLICY(cc_profile_set, CC_PROFILE_WINDOW) },
	{ MRC_NL_CHANGE(cc_profile_set, CC_PROFILE_SET),
	  MRC_NL_POLICY(cc_profile_set, CC_PROFILE_WINDOW) },
	{ MRC_NL_CHANGE(cc_profile_del, CC_PROFILE_DEL),
	  MRC_NL_POLICY(cc_profile_get, CC_PROFILE_ID) },
	{ MRC_NL_GET(route_get, ROUTE_GET),
	  MRC_NL_POLICY(route_get, ROUTE_GID) },
	{ MRC_NL_CHANGE(route_add, ROUTE_ADD),
	  MRC_NL_POLICY(route_set, ROUTE_USID) },
	{ MRC_NL_CHANGE(route_replace, ROUTE_REPLACE),
	  MRC_NL_POLICY(route_set, ROUTE_USID) },
	{ MRC_NL_CHANGE(route_del, ROUTE_DEL),
	  MRC_NL_POLICY(route_set, ROUTE_PREFIX_LEN) },
	{ MRC_NL_SHOW(peer_get, PEER_GET),
	  MRC_NL_POLICY(peer_get, PEER_REMOTE_GID) },
	{ MRC_NL_SHOW(peer_ev_get, PEER_EV_GET),
	  MRC_NL_POLICY(peer_get, PEER_REMOTE_GID) },
	{ MRC_NL_GET(qp_get, QP_GET),
	  MRC_NL_POLICY(qp_get, QP_QPN) },
	{ MRC_NL_CHANGE(probe, PROBE),
	  MRC_NL_POLICY(probe, PROBE_TIMEOUT) },
};

static const struct genl_multicast_group mrc_nl_groups[] = {
	[MRC_NL_GROUP_EVENTS] = { .name = MRC_MCGRP_EVENTS },
};

/* Handlers bring their own locks: a slow one must not hold up other families. */
struct genl_family mrc_nl_family __ro_after_init = {
	.name = MRC_FAMILY_NAME,
	.version = MRC_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.pre_doit = mrc_nl_pre_doit,
	.post_doit = mrc_nl_post_doit,
	.ops = mrc_nl_ops,
	.n_ops = ARRAY_SIZE(mrc_nl_ops),
	.mcgrps = mrc_nl_groups,
	.n_mcgrps = ARRAY_SIZE(mrc_nl_groups),
};

int __init mrc_netlink_init(void)
{
	int err = genl_register_family(&mrc_nl_family);

	if (err)
		return err;
	err = mrc_nl_events_init();
	if (err)
		genl_unregister_family(&mrc_nl_family);
	return err;
}

void mrc_netlink_exit(void)
{
	mrc_nl_events_exit();
	genl_unregister_family(&mrc_nl_family);
}

MODULE_ALIAS_GENL_FAMILY(MRC_FAMILY_NAME);
