// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink: EV probes on behalf of a controller. The request starts them; what became of them is told
 * to group "probes". Until then there is the peer, whether QPs use it or not.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <net/addrconf.h>

#include "../transport/event.h"
#include "../transport/peers.h"
#include "../transport/probe_order.h"
#include "../transport/route.h"
#include "message.h"

#define MRC_NL_PROBE_MS		100u

/* What the event takes without results, generously, and each result in it. */
#define MRC_NL_PROBE_HEAD_SIZE		512u
#define MRC_NL_PROBE_RESULT_SIZE					\
	(nla_total_size(0) + nla_total_size(sizeof(u16)) +		\
	 nla_total_size_64bit(sizeof(u64)) + 2 * nla_total_size(sizeof(u8)))

/* ---- which peer ------------------------------------------------------------ */

/* A peer in use that has the remote GID, and the local one if that is given. */
static bool mrc_nl_probe_known(struct mrc_dev *dev, bool local,
			       const struct mrc_peer_key *wanted,
			       struct mrc_peer_key *found)
{
	struct mrc_peer *peer = NULL;

	while ((peer = mrc_peers_next(dev, peer))) {
		if (!ipv6_addr_equal(&peer->key.remote, &wanted->remote) ||
		    (local && !ipv6_addr_equal(&peer->key.local, &wanted->local)))
			continue;
		*found = peer->key;
		mrc_peers_put(peer);
		return true;
	}
	return false;
}

/* The address of the anchor that the host would take towards the remote GID. */
static bool mrc_nl_probe_own(struct mrc_dev *dev, const struct in6_addr *remote,
			     struct in6_addr *local)
{
	return !ipv6_dev_get_saddr(dev->net, dev->anchor, remote, 0, local) &&
	       ipv6_chk_addr(dev->net, local, dev->anchor, 0);
}

static int mrc_nl_probe_local(struct genl_info *info, struct mrc_dev *dev,
			      const struct mrc_peer_key *known,
			      struct mrc_peer_key *key)
{
	if (info->attrs[MRC_A_PROBE_LOCAL_GID]) {
		if (ipv6_chk_addr(dev->net, &key->local, dev->anchor, 0))
			return 0;
		return mrc_nl_refuse(info, -EADDRNOTAVAIL, MRC_A_PROBE_LOCAL_GID,
				     "not an address of the device");
	}
	if (known)
		key->local = known->local;
	else if (!mrc_nl_probe_own(dev, &key->remote, &key->local))
		return mrc_nl_refuse(info, -EADDRNOTAVAIL, MRC_A_PROBE_LOCAL_GID,
				     "the device has no address for this GID");
	return 0;
}

static int mrc_nl_probe_profile(struct genl_info *info, struct mrc_dev *dev,
				const struct mrc_peer_key *known,
				struct mrc_peer_key *key)
{
	struct nlattr *profile = info->attrs[MRC_A_PROBE_EV_PROFILE];
	struct mrc_route route;

	if (profile)
		key->ev_profile = nla_get_u64(profile);
	else if (mrc_route_lookup(dev, &key->remote, &route))
		key->ev_profile = route.ev_profile;
	else if (known)
		key->ev_profile = known->ev_profile;
	else
		return mrc_nl_refuse(info, -ENOENT, MRC_A_PROBE_REMOTE_GID,
				     "no route to this GID: name an EV profile");
	return 0;
}

static int mrc_nl_probe_key(struct genl_info *info, struct mrc_dev *dev,
			    struct mrc_peer_key *key)
{
	struct nlattr *local = info->attrs[MRC_A_PROBE_LOCAL_GID];
	struct mrc_peer_key peer, *known = NULL;

	key->remote = nla_get_in6_addr(info->attrs[MRC_A_PROBE_REMOTE_GID]);
	if (ipv6_addr_any(&key->remote) ||
	    ipv6_addr_is_multicast(&key->remote) ||
	    ipv6_addr_v4mapped(&key->remote))
		return mrc_nl_refuse(info, -EINVAL, MRC_A_PROBE_REMOTE_GID,
				     "not a GID that a QP can connect to");
	if (local)
		key->local = nla_get_in6_addr(local);
	if (mrc_nl_probe_known(dev, local, key, &peer))
		known = &peer;
	return mrc_nl_probe_local(info, dev, known, key) ?:
	       mrc_nl_probe_profile(info, dev, known, key);
}

/* An order to the peer that the request names, or ERR_PTR. */
static struct mrc_probe_order *mrc_nl_probe_open(struct genl_info *info, struct mrc_dev *dev)
{
	struct mrc_probe_order *order;
	struct mrc_peer_key key = { };
	struct mrc_peer *peer;
	int err = mrc_nl_probe_key(info, dev, &key);

	if (err)
		return ERR_PTR(err);
	peer = mrc_peers_get(dev, &key);
	if (PTR_ERR_OR_ZERO(peer) == -ENOENT)
		return ERR_PTR(mrc_nl_refuse(info, -ENOENT, MRC_A_PROBE_EV_PROFILE,
					     "no such EV profile"));
	if (IS_ERR(peer))
		return ERR_CAST(peer);
	order = mrc_probe_order_alloc(peer);
	if (order)
		return order;
	mrc_peers_put(peer);
	return ERR_PTR(-ENOMEM);
}

/* ---- which EVs ------------------------------------------------------------- */

/* By their index in the profile; all, when the request lists none. */
static void mrc_nl_probe_wanted(struct genl_info *info, unsigned long *wanted)
{
	struct nlattr *attr;
	int rem;

	bitmap_zero(wanted, MRC_EV_MAX);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		if (nla_type(attr) == MRC_A_PROBE_EV)
			__set_bit(nla_get_u16(attr), wanted);
}

/* One that the peer does not have is named by its attribute. */
static int mrc_nl_probe_unknown(struct genl_info *info, u16 index)
{
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		if (nla_type(attr) == MRC_A_PROBE_EV &&
		    nla_get_u16(attr) == index)
			NL_SET_BAD_ATTR(info->extack, attr);
	return mrc_nl_refuse(info, -ENOENT, 0,
			     "no EV of that index leads to the GID");
}

/*
 * The EVs of the peer as they are now, without those that are denied. Left in @wanted are those that
 * the peer does not have.
 */
static void mrc_nl_probe_collect(struct mrc_probe_order *order, unsigned long *wanted)
{
	bool listed = !bitmap_empty(wanted, MRC_EV_MAX);
	const struct mrc_peer_evs *evs;
	unsigned int i;
	u16 index;

	rcu_read_lock();
	evs = rcu_dereference(order->peer->evs);
	for (i = 0; i < evs->paths.count; i++) {
		index = evs->paths.ev[i].index;
		if (listed && !__test_and_clear_bit(index, wanted))
			continue;
		if (READ_ONCE(evs->paths.set.ev[i].state) == MRC_EV_DENIED)
			continue;
		order->result[order->count].ev = index;
		order->result[order->count++].port = evs->paths.set.ev[i].port;
	}
	rcu_read_unlock();
}

static int mrc_nl_probe_plan(struct genl_info *info, struct mrc_probe_order *order)
{
	DECLARE_BITMAP(wanted, MRC_EV_MAX);
	unsigned int left;

	mrc_nl_probe_wanted(info, wanted);
	mrc_nl_probe_collect(order, wanted);
	left = find_first_bit(wanted, MRC_EV_MAX);
	if (left < MRC_EV_MAX)
		return mrc_nl_probe_unknown(info, left);
	if (order->count)
		return 0;
	return mrc_nl_refuse(info, -ENETUNREACH, MRC_A_PROBE_REMOTE_GID,
			     "no EV to probe: all are denied, or no plane exists");
}

/* ---- answer and event ------------------------------------------------------- */

static int mrc_nl_put_probe_key(struct sk_buff *skb, u32 id, const struct mrc_peer_key *key)
{
	return nla_put_u32(skb, MRC_A_PROBE_ID, id) ?:
	       nla_put_in6_addr(skb, MRC_A_PROBE_REMOTE_GID, &key->remote) ?:
	       nla_put_in6_addr(skb, MRC_A_PROBE_LOCAL_GID, &key->local) ?:
	       mrc_nl_put_u64(skb, MRC_A_PROBE_EV_PROFILE, key->ev_profile);
}

static int mrc_nl_put_probe_result(struct sk_buff *skb,
				   const struct mrc_ask_result *res)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PROBE_RESULT);

	if (!nest ||
	    nla_put_u16(skb, MRC_A_PROBE_RESULT_INDEX, res->ev) ||
	    nla_put_u8(skb, MRC_A_PROBE_RESULT_PORT, res->port) ||
	    (res->answered &&
	     mrc_nl_put_u64(skb, MRC_A_PROBE_RESULT_RTT, res->rtt_ns)) ||
	    (res->answered && res->rx_port &&
	     nla_put_u8(skb, MRC_A_PROBE_RESULT_RX_PORT, res->rx_port)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

size_t mrc_nl_probes_size(const struct mrc_event *event)
{
	return MRC_NL_PROBE_HEAD_SIZE + event->probes->count * MRC_NL_PROBE_RESULT_SIZE;
}

int mrc_nl_put_probes(struct sk_buff *skb, const struct mrc_event *event)
{
	const struct mrc_probe_order *order = event->probes;
	unsigned int i;
	int err;

	err = mrc_nl_put_probe_key(skb, order->id, &order->peer->key) ?:
	      mrc_nl_put_u64(skb, MRC_A_PROBE_TIME, ktime_get_ns());
	for (i = 0; i < order->count && !err; i++)
		if (order->result[i].sent)
			err = mrc_nl_put_probe_result(skb, &order->result[i]);
	return err;
}

static int mrc_nl_probe_msg(struct sk_buff *skb, const struct mrc_nl_to *to,
			    struct mrc_dev *dev, u32 id, const struct mrc_peer_key *key)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_PROBE_START, dev);

	if (!hdr || mrc_nl_put_probe_key(skb, id, key))
		return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

/* Starts the order, or frees it. */
static int mrc_nl_probe_begin(struct genl_info *info, struct mrc_probe_order *order, u32 *id)
{
	struct nlattr *timeout = info->attrs[MRC_A_PROBE_TIMEOUT];
	unsigned long time = msecs_to_jiffies(timeout ? nla_get_u32(timeout) : MRC_NL_PROBE_MS);
	int err;

	err = mrc_nl_probe_plan(info, order) ?: mrc_probe_order_start(order, time, id);
	if (err == -EBUSY)
		mrc_nl_refuse(info, err, 0, "64 probe requests wait for answers already");
	if (err)
		mrc_probe_order_free(order);
	return err;
}

/* The answer has its memory first: of an order that is started the sender knows the id. */
int mrc_nl_probe_start(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct mrc_dev *dev = mrc_nl_dev(info);
	struct mrc_probe_order *order = mrc_nl_probe_open(info, dev);
	struct mrc_peer_key key;
	struct sk_buff *msg;
	u32 id;
	int err;

	if (IS_ERR(order))
		return PTR_ERR(order);
	key = order->peer->key;
	msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);
	if (!msg) {
		mrc_probe_order_free(order);
		return -ENOMEM;
	}
	err = mrc_nl_probe_begin(info, order, &id);
	return mrc_nl_reply(msg, info, err ?: mrc_nl_probe_msg(msg, &to, dev, id, &key));
}
