// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink command for information on the module.
 */
#include "../net/crc.h"
#include "../version.h"
#include "message.h"

/* Capabilities of the module. The change that brings a capability adds its bit. */
#define MRC_NL_CAPABILITIES	(MRC_NL_CAPABILITY_OWNER |		\
				 MRC_NL_CAPABILITY_CONFIG_EVENTS |	\
				 MRC_NL_CAPABILITY_KEEP_EVS |		\
				 MRC_NL_CAPABILITY_EDIT_EVS |		\
				 MRC_NL_CAPABILITY_ALIAS |		\
				 MRC_NL_CAPABILITY_PORT_EVS |		\
				 MRC_NL_CAPABILITY_PROBE_START |	\
				 MRC_NL_CAPABILITY_RAW_PROBE |		\
				 MRC_NL_CAPABILITY_NSCC |		\
				 MRC_NL_CAPABILITY_RAW_STATUS)

static int mrc_nl_info_msg(struct sk_buff *skb, const struct mrc_nl_to *to)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_INFO_GET, NULL);

	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, MRC_A_INFO_VERSION,
			   mrc_version() ?: "unknown") ||
	    nla_put_string(skb, MRC_A_INFO_ICRC, mrc_crc_name()) ||
	    nla_put_u8(skb, MRC_A_INFO_SEG6,
		       IS_ENABLED(CONFIG_IPV6_SEG6_LWTUNNEL)) ||
	    nla_put_u8(skb, MRC_A_INFO_PORT_MAX, MRC_PORT_MAX) ||
	    nla_put_u16(skb, MRC_A_INFO_EV_MAX, MRC_EV_MAX) ||
	    nla_put_u8(skb, MRC_A_INFO_BURST_MAX, MRC_BURST_MAX) ||
	    nla_put_u32(skb, MRC_A_INFO_CAPABILITIES, MRC_NL_CAPABILITIES)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int mrc_nl_info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct sk_buff *msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);

	if (!msg)
		return -ENOMEM;
	return mrc_nl_reply(msg, info, mrc_nl_info_msg(msg, &to));
}
