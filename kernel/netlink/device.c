// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for devices and their settings.
 */
#include "../transport/transport/transport.h"
#include "message.h"

/* Makes reading settings and writing them back one step. */
static DEFINE_MUTEX(mrc_nl_cfg_mutex);

static int mrc_nl_put_counters(struct sk_buff *skb, struct mrc_dev *dev)
{
	struct nlattr *nest;
	unsigned int i;
	u64 value;

	for (i = 0; i < MRC_CNT_COUNT; i++) {
		value = mrc_counter_sum(dev->counters, i);
		nest = nla_nest_start(skb, MRC_A_DEVICE_COUNTER);
		if (!nest ||
		    nla_put_string(skb, MRC_A_COUNTER_NAME,
				   mrc_counter_names[i]) ||
		    mrc_nl_put_u64(skb, MRC_A_COUNTER_VALUE, value))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int mrc_nl_put_device(struct sk_buff *skb, struct mrc_dev *dev)
{
	struct mrc_dev_cfg cfg;

	mutex_lock(&dev->cfg_lock);
	cfg = dev->cfg;
	mutex_unlock(&dev->cfg_lock);

	return nla_put_u32(skb, MRC_A_DEVICE_IFINDEX, dev->anchor->ifindex) ?:
	       nla_put_string(skb, MRC_A_DEVICE_IFNAME, dev->anchor->name) ?:
	       mrc_nl_put_cfg(skb, &cfg) ?:
	       nla_put_u32(skb, MRC_A_DEVICE_PORTS_UP,
			   mrc_planes_mask(&dev->planes)) ?:
	       nla_put_u32(skb, MRC_A_DEVICE_QPS, atomic_read(&dev->qps)) ?:
	       mrc_nl_put_counters(skb, dev);
}

static int mrc_nl_device_msg(struct sk_buff *skb, const struct mrc_nl_to *to,
			     struct mrc_dev *dev)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_DEVICE_GET, dev);

	if (!hdr)
		return -EMSGSIZE;
	if (mrc_nl_put_device(skb, dev)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int mrc_nl_device_get(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct sk_buff *msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);

	if (!msg)
		return -ENOMEM;
	return mrc_nl_reply(msg, info,
			    mrc_nl_device_msg(msg, &to, mrc_nl_dev(info)));
}

static int mrc_nl_device_fill(struct sk_buff *skb, struct netlink_callback *cb,
			      struct mrc_dev *dev)
{
	struct mrc_nl_to to = mrc_nl_to_dump(cb);

	return mrc_nl_device_msg(skb, &to, dev);
}

/* A device with all its counters does not fit into the smallest buffer that a dump gets. */
int mrc_nl_device_get_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = MRC_NL_MSG_SIZE;
	return 0;
}

int mrc_nl_device_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_device_fill);
}

static int mrc_nl_apply_cfg(struct mrc_dev *dev, struct genl_info *info)
{
	const struct mrc_change change = mrc_nl_change_of(info);
	struct mrc_dev_cfg cfg;
	int err;

	mutex_lock(&mrc_nl_cfg_mutex);
	mutex_lock(&dev->cfg_lock);
	cfg = dev->cfg;
	mutex_unlock(&dev->cfg_lock);
	mrc_nl_get_cfg(info->attrs, &cfg);
	err = mrc_transport_set_cfg(dev, &cfg, &change);
	mutex_unlock(&mrc_nl_cfg_mutex);
	return err;
}

int mrc_nl_device_set(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *source = info->attrs[MRC_A_DEVICE_TUNNEL_SOURCE];
	struct in6_addr addr;
	int err;

	if (source) {
		addr = nla_get_in6_addr(source);
		if (ipv6_addr_is_multicast(&addr))
			return mrc_nl_refuse(info, -EINVAL,
					     MRC_A_DEVICE_TUNNEL_SOURCE,
					     "not a unicast address");
	}
	err = mrc_nl_apply_cfg(mrc_nl_dev(info), info);
	if (!err)
		mrc_nl_changed();
	return err;
}
