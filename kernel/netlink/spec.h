/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Made by scripts/spec of Documentation/netlink/specs/mrc.yaml.
 * Operations of the family, and who handles them.
 */
#ifndef _MRC_NETLINK_SPEC_H
#define _MRC_NETLINK_SPEC_H

#include <linux/mrc.h>
#include <net/genetlink.h>

struct mrc_dev_cfg;
struct mrc_cc_profile;

/* The same in every attribute set of a noun. */
#define MRC_A_DEV_INDEX	1
#define MRC_A_DEV_NAME	2
#define MRC_A_PAD	3

/* Multicast groups, by their index in the family. */
enum {
	MRC_NL_GROUP_EVENTS,
	MRC_NL_GROUP_CONFIG,
	MRC_NL_GROUP_PROBES,
	MRC_NL_GROUPS
};

#define MRC_NL_OPS 29
#define MRC_NL_REQUIRED 40

/**
 * struct mrc_nl_required - an attribute that a request must have
 * @cmd: of the request
 * @type: of the attribute
 * @missing: what is said when it has not
 */
struct mrc_nl_required {
	u8 cmd;
	u8 type;
	const char *missing;
};

extern const struct genl_ops mrc_nl_ops[MRC_NL_OPS];
extern const struct genl_multicast_group mrc_nl_groups[MRC_NL_GROUPS];
extern const struct mrc_nl_required mrc_nl_required[MRC_NL_REQUIRED];
/* By command: the attributes that a dump looks at, and 0 behind them. */
#define MRC_NL_HEEDS 3
extern const u16 mrc_nl_dump_heeds[MRC_CMD_MAX + 1][MRC_NL_HEEDS + 1];
/* Of an EV inside the request that makes a profile. */
extern const struct nla_policy mrc_nl_ev_spec_policy[MRC_A_EV_MAX + 1];

int mrc_nl_put_cfg(struct sk_buff *skb, const struct mrc_dev_cfg *cfg);
/* What is in the request; the rest of @cfg stays. */
void mrc_nl_get_cfg(struct nlattr **attrs, struct mrc_dev_cfg *cfg);
int mrc_nl_put_cc_profile_settings(struct sk_buff *skb, const struct mrc_cc_profile *p);
/* What is in the request, else its default; the rest of @p stays. */
void mrc_nl_get_cc_profile_settings(struct nlattr **attrs, struct mrc_cc_profile *p);
/* Their attributes. */
#define MRC_NL_CC_PROFILE_SETTINGS 17
extern const u8 mrc_nl_cc_profile_settings[MRC_NL_CC_PROFILE_SETTINGS];

/* Handlers: process context, no lock held. */
int mrc_nl_info_get(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_device_get(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_device_get_start(struct netlink_callback *cb);
int mrc_nl_device_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_device_set(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_plane_get(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_plane_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_plane_add(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_plane_set(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_plane_del(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_ev_profile_get(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_ev_profile_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_ev_profile_add(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_ev_profile_set(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_ev_profile_del(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_ev_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_ev_set(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_profile_get(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_profile_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_cc_profile_add(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_profile_set(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_profile_del(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_route_get(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_route_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_route_add(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_route_replace(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_route_del(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_peer_get_start(struct netlink_callback *cb);
int mrc_nl_peer_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_peer_ev_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_qp_get(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_qp_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_ev_add(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_ev_replace(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_ev_del(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_probe_start(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_raw_probe_start(struct sk_buff *skb, struct genl_info *info);

#endif /* _MRC_NETLINK_SPEC_H */
