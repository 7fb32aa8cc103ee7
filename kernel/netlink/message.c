// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all commands share: finding devices, starting messages, walking devices in dumps.
 */
#include <linux/netlink.h>

#include "../core/cc/cc.h"
#include "message.h"

/* Grows whenever an object that dumps walk over changes. In dumps, 0 means "not known". */
static atomic_t mrc_nl_generation = ATOMIC_INIT(1);

void mrc_nl_changed(void)
{
	if (!atomic_inc_return(&mrc_nl_generation))
		atomic_inc(&mrc_nl_generation);
}

struct mrc_nl_to mrc_nl_to_requester(struct sk_buff *skb,
				     struct genl_info *info)
{
	return (struct mrc_nl_to) {
		.portid = info->snd_portid,
		.seq = info->snd_seq,
		.admin = netlink_ns_capable(skb, genl_info_net(info)->user_ns,
					    CAP_NET_ADMIN),
	};
}

struct mrc_nl_to mrc_nl_to_dump(struct netlink_callback *cb)
{
	return (struct mrc_nl_to) {
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI,
		.cb = cb,
		.admin = netlink_ns_capable(cb->skb,
					    sock_net(cb->skb->sk)->user_ns,
					    CAP_NET_ADMIN),
	};
}

struct mrc_nl_to mrc_nl_to_listeners(void)
{
	return (struct mrc_nl_to) { };
}

static_assert(MRC_A_CONGESTION_PENALTIES - MRC_A_CONGESTION_FAST == (int)MRC_CC_PENALTIES);
static_assert(MRC_A_PEER_CONGESTION_PENALTIES - MRC_A_PEER_CONGESTION_FAST ==
	      (int)MRC_CC_PENALTIES);

int mrc_nl_put_cc_counts(struct sk_buff *skb, int first, const u64 *count)
{
	int i, err = 0;

	for (i = 0; i < MRC_CC_COUNTS && !err; i++)
		err = mrc_nl_put_u64(skb, first + i, count[i]);
	return err;
}

void *mrc_nl_start(struct sk_buff *skb, const struct mrc_nl_to *to, u8 cmd,
		   struct mrc_dev *dev)
{
	void *hdr = genlmsg_put(skb, to->portid, to->seq, &mrc_nl_family,
				to->flags, cmd);

	if (!hdr)
		return NULL;
	if (to->cb)
		genl_dump_check_consistent(to->cb, hdr);
	if (dev && (nla_put_u32(skb, MRC_A_DEV_INDEX, dev->index) ||
		    nla_put_string(skb, MRC_A_DEV_NAME, dev->name))) {
		genlmsg_cancel(skb, hdr);
		return NULL;
	}
	return hdr;
}

static struct mrc_dev *mrc_nl_dev_by_index(struct net *net, u32 index)
{
	struct mrc_dev *dev = mrc_dev_next(net, index);

	if (!dev || dev->index == index)
		return dev;
	mrc_dev_put(dev);
	return NULL;
}

/* If both attributes are given, both must fit. */
static struct mrc_dev *mrc_nl_dev_by_attrs(struct net *net,
					   struct nlattr **attrs,
					   struct netlink_ext_ack *extack)
{
	struct nlattr *index = attrs[MRC_A_DEV_INDEX];
	struct nlattr *name = attrs[MRC_A_DEV_NAME];
	struct mrc_dev *dev;

	if (!index && !name) {
		NL_SET_ERR_MSG_MOD(extack, "no device is named: give dev-index or dev-name");
		return ERR_PTR(-EINVAL);
	}
	if (index)
		dev = mrc_nl_dev_by_index(net, nla_get_u32(index));
	else
		dev = mrc_dev_find(net, nla_data(name));
	if (dev && name && strcmp(dev->name, nla_data(name))) {
		mrc_dev_put(dev);
		dev = NULL;
	}
	if (dev)
		return dev;
	NL_SET_ERR_MSG_ATTR(extack, index ?: name, KBUILD_MODNAME ": no such device");
	return ERR_PTR(-ENODEV);
}

int mrc_nl_require(struct genl_info *info, int type, const char *missing)
{
	if (!GENL_REQ_ATTR_CHECK(info, type))
		return 0;
	if (info->extack)
		info->extack->_msg = missing;
	return -EINVAL;
}

static int mrc_nl_complete(struct genl_info *info)
{
	const struct mrc_nl_required *need = mrc_nl_required;
	int err = 0;

	for (; !err && need < mrc_nl_required + MRC_NL_REQUIRED; need++)
		if (need->cmd == info->genlhdr->cmd)
			err = mrc_nl_require(info, need->type, need->missing);
	return err;
}

int mrc_nl_pre_doit(const struct mrc_genl_pre_ops *ops, struct sk_buff *skb,
		    struct genl_info *info)
{
	struct mrc_dev *dev;
	int err;

	/* The only request that is not about a device. */
	if (info->genlhdr->cmd == MRC_CMD_INFO_GET)
		return 0;
	dev = mrc_nl_dev_by_attrs(genl_info_net(info), info->attrs,
				  info->extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = mrc_nl_complete(info);
	if (err)	/* post_doit is not called then */
		mrc_dev_put(dev);
	else
		info->user_ptr[0] = dev;
	return err;
}

void mrc_nl_post_doit(const struct mrc_genl_pre_ops *ops, struct sk_buff *skb,
		      struct genl_info *info)
{
	if (info->user_ptr[0])
		mrc_dev_put(info->user_ptr[0]);
}

int mrc_nl_reply(struct sk_buff *skb, struct genl_info *info, int err)
{
	if (!err)
		return genlmsg_reply(skb, info);
	nlmsg_free(skb);
	return err;
}

static bool mrc_nl_dump_heeds_it(u8 cmd, unsigned int type)
{
	const u16 *heeds = mrc_nl_dump_heeds[cmd];

	while (*heeds && *heeds != type)
		heeds++;
	return *heeds;
}

/* Refuses a request with an attribute that this dump would ignore. */
static int mrc_nl_dump_check(struct netlink_callback *cb)
{
	u8 cmd = genl_dumpit_info(cb)->op.cmd;
	unsigned int max = genl_dumpit_info(cb)->op.maxattr, i;
	struct nlattr **attrs = mrc_dump_attrs(cb);

	for (i = 0; i <= max; i++) {
		if (!attrs[i] || mrc_nl_dump_heeds_it(cmd, i))
			continue;
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[i],
				    KBUILD_MODNAME ": a dump cannot filter by this attribute");
		return -EINVAL;
	}
	return 0;
}

/* Sets the cursor to the device that the request names, if it names one. */
static int mrc_nl_dump_start(struct netlink_callback *cb)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct nlattr **attrs = mrc_dump_attrs(cb);
	struct mrc_dev *dev;
	int err = mrc_nl_dump_check(cb);

	if (err)
		return err;
	cur->started = true;
	if (!attrs[MRC_A_DEV_INDEX] && !attrs[MRC_A_DEV_NAME])
		return 0;
	dev = mrc_nl_dev_by_attrs(sock_net(cb->skb->sk), attrs, cb->extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	cur->one = true;
	cur->dev = dev->index;
	mrc_dev_put(dev);
	return 0;
}

static struct mrc_dev *mrc_nl_dump_dev(struct netlink_callback *cb)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_dev *dev;

	if (cur->done)
		return NULL;
	if (cur->one) {
		dev = mrc_nl_dev_by_index(sock_net(cb->skb->sk), cur->dev);
		if (dev)
			return dev;
		NL_SET_ERR_MSG_MOD(cb->extack, "the device went away");
		return ERR_PTR(-ENODEV);
	}
	dev = mrc_dev_next(sock_net(cb->skb->sk), cur->dev);
	if (dev && dev->index != cur->dev) {
		*cur = (struct mrc_nl_cursor) {
			.dev = dev->index,
			.started = true,
			.torn = cur->torn,
		};
	}
	return dev;
}

static void mrc_nl_dump_next_dev(struct netlink_callback *cb)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);

	*cur = (struct mrc_nl_cursor) {
		.dev = cur->dev + 1,
		.started = true,
		.done = cur->one,
		.torn = cur->torn,
	};
}

int mrc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		int (*fill)(struct sk_buff *skb, struct netlink_callback *cb,
			    struct mrc_dev *dev))
{
	struct mrc_dev *dev;
	int err = 0;

	cb->seq = atomic_read(&mrc_nl_generation);
	if (!mrc_nl_cursor(cb)->started)
		err = mrc_nl_dump_start(cb);
	while (!err) {
		dev = mrc_nl_dump_dev(cb);
		if (!dev && mrc_nl_cursor(cb)->torn)
			cb->prev_seq = MRC_NL_SEQ_NONE;
		if (IS_ERR_OR_NULL(dev))
			return dev ? PTR_ERR(dev) : skb->len;
		err = fill(skb, cb, dev);
		mrc_dev_put(dev);
		if (!err)
			mrc_nl_dump_next_dev(cb);
	}
	return err == -EMSGSIZE && skb->len ? skb->len : err;
}
