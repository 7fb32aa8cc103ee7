// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for the planes of a device.
 */
#include "message.h"

static int mrc_nl_put_stats(struct sk_buff *skb, const struct mrc_plane *plane)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PLANE_STATS);
	struct mrc_plane_totals t;
	int err;

	if (!nest)
		return -EMSGSIZE;
	mrc_plane_totals(plane, &t);
	err = mrc_nl_put_u64(skb, MRC_A_PLANE_STATS_TX_PACKETS, t.tx_packets) ?:
	      mrc_nl_put_u64(skb, MRC_A_PLANE_STATS_TX_BYTES, t.tx_bytes) ?:
	      mrc_nl_put_u64(skb, MRC_A_PLANE_STATS_TX_ERRORS, t.tx_errors) ?:
	      mrc_nl_put_u64(skb, MRC_A_PLANE_STATS_RX_PACKETS, t.rx_packets) ?:
	      mrc_nl_put_u64(skb, MRC_A_PLANE_STATS_RX_BYTES, t.rx_bytes) ?:
	      mrc_nl_put_u64(skb, MRC_A_PLANE_STATS_RX_CE, t.rx_ce);
	nla_nest_end(skb, nest);
	return err;
}

static int mrc_nl_put_netdev(struct sk_buff *skb, struct mrc_plane *plane)
{
	struct net_device *netdev;
	int err;

	rcu_read_lock();
	netdev = rcu_dereference(plane->dev);
	err = netdev ? nla_put_string(skb, MRC_A_PLANE_IFNAME, netdev->name) : 0;
	rcu_read_unlock();
	return err ?: nla_put_u32(skb, MRC_A_PLANE_IFINDEX, plane->ifindex);
}

/**
 * mrc_nl_plane_fill() - put the attributes of a plane, without those that name the device
 * @skb: receives them
 * @dev: the device
 * @plane: the plane
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int mrc_nl_plane_fill(struct sk_buff *skb, struct mrc_dev *dev,
		      struct mrc_plane *plane)
{
	bool admin = READ_ONCE(plane->admin_up);
	bool running = READ_ONCE(plane->running);

	return nla_put_u8(skb, MRC_A_PLANE_PORT, plane->port) ?:
	       mrc_nl_put_netdev(skb, plane) ?:
	       nla_put_u8(skb, MRC_A_PLANE_ADMIN_STATE,
			  admin ? MRC_NL_PLANE_STATE_UP :
				  MRC_NL_PLANE_STATE_DOWN) ?:
	       nla_put_u8(skb, MRC_A_PLANE_OPER_STATE,
			  running ? MRC_NL_PLANE_STATE_UP :
				    MRC_NL_PLANE_STATE_DOWN) ?:
	       mrc_nl_put_stats(skb, plane) ?:
	       nla_put_u8(skb, MRC_A_PLANE_OWNER, READ_ONCE(plane->owner));
}

static int mrc_nl_plane_msg(struct sk_buff *skb, const struct mrc_nl_to *to,
			    u8 cmd, struct mrc_dev *dev,
			    struct mrc_plane *plane)
{
	void *hdr = mrc_nl_start(skb, to, cmd, dev);

	if (!hdr)
		return -EMSGSIZE;
	if (mrc_nl_plane_fill(skb, dev, plane)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int mrc_nl_plane_answer(struct sk_buff *msg, struct genl_info *info,
			       const struct mrc_nl_to *to, struct mrc_dev *dev,
			       u8 port)
{
	struct mrc_plane *plane = mrc_plane_get(&dev->planes, port);
	int err;

	if (!plane)
		return mrc_nl_refuse(info, -ENOENT, MRC_A_PLANE_PORT,
				     "no plane on this port");
	/* Clients recognise an answer by the command of their request. */
	err = mrc_nl_plane_msg(msg, to, info->genlhdr->cmd, dev, plane);
	mrc_plane_put(plane);
	return err;
}

int mrc_nl_plane_get(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct sk_buff *msg;
	int err;

	msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	err = mrc_nl_plane_answer(msg, info, &to, mrc_nl_dev(info),
				  nla_get_u8(info->attrs[MRC_A_PLANE_PORT]));
	return mrc_nl_reply(msg, info, err);
}

static int mrc_nl_planes_fill(struct sk_buff *skb, struct netlink_callback *cb,
			      struct mrc_dev *dev)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	struct mrc_plane *plane;
	int err = 0;

	for (; cur->next < MRC_PORT_MAX; cur->next++) {
		plane = mrc_plane_get(&dev->planes, cur->next + 1);
		if (!plane)
			continue;
		err = mrc_nl_plane_msg(skb, &to, MRC_CMD_PLANE_GET, dev, plane);
		mrc_plane_put(plane);
		if (err)
			break;
	}
	return err;
}

int mrc_nl_plane_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_planes_fill);
}

static int mrc_nl_plane_attach(struct genl_info *info, struct mrc_dev *dev)
{
	struct nlattr *port = info->attrs[MRC_A_PLANE_PORT];
	u32 ifindex = nla_get_u32(info->attrs[MRC_A_PLANE_IFINDEX]);
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_PLANE_OWNER, 0);
	struct net_device *netdev;
	int ret;

	netdev = dev_get_by_index(dev->net, ifindex);
	if (!netdev)
		return mrc_nl_refuse(info, -ENODEV, MRC_A_PLANE_IFINDEX,
				     "no such netdev");
	ret = mrc_plane_add(&dev->planes, port ? nla_get_u8(port) : 0, netdev,
			    &change);
	dev_put(netdev);
	if (ret < 0)
		return ret;
	mrc_dev_settle_ports(dev);
	mrc_nl_changed();
	return ret;
}

/* Answers with the new plane, so that the requester learns its port. */
int mrc_nl_plane_add(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct mrc_dev *dev = mrc_nl_dev(info);
	struct sk_buff *msg;
	int err;

	/* The answer's memory comes first, so that no plane is added without an answer. */
	msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	err = mrc_nl_plane_attach(info, dev);
	if (err > 0)
		err = mrc_nl_plane_answer(msg, info, &to, dev, err);
	return mrc_nl_reply(msg, info, err);
}

int mrc_nl_plane_set(struct sk_buff *skb, struct genl_info *info)
{
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_PLANE_OWNER, MRC_A_PLANE_CLAIM);
	struct nlattr *state = info->attrs[MRC_A_PLANE_ADMIN_STATE];
	bool up = state && nla_get_u8(state) == MRC_NL_PLANE_STATE_UP;
	int err;

	err = mrc_plane_set(&mrc_nl_dev(info)->planes,
			    nla_get_u8(info->attrs[MRC_A_PLANE_PORT]),
			    state ? &up : NULL, &change);
	if (!err)
		mrc_dev_settle_ports(mrc_nl_dev(info));
	return err;
}

int mrc_nl_plane_del(struct sk_buff *skb, struct genl_info *info)
{
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_PLANE_OWNER, 0);
	int err;

	err = mrc_plane_del(&mrc_nl_dev(info)->planes,
			    nla_get_u8(info->attrs[MRC_A_PLANE_PORT]), &change);
	if (!err) {
		mrc_dev_settle_ports(mrc_nl_dev(info));
		mrc_nl_changed();
	}
	return err;
}
