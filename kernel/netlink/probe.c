// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink: EV probes on behalf of a controller. The request waits for the answers: a
 * peer exists for its time at least, whether QPs use it or not.
 */
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <net/addrconf.h>

#include "../transport/ask.h"
#include "../transport/peers.h"
#include "../transport/route.h"
#include "message.h"

#define MRC_NL_PROBE_MS		100u

/* What the answer and each result in it take, generously. */
#define MRC_NL_PROBE_HEAD_SIZE		512u
#define MRC_NL_PROBE_RESULT_SIZE	64u

/**
 * struct mrc_nl_probe - one request
 * @peer: that is probed
 * @deadline: in jiffies, of the answer
 * @send_until: in jiffies: what is sent later would have too little time
 * @wanted: EVs by their index in the profile
 * @listed: the request lists them, otherwise it means all
 * @count: elements of @result
 * @batch: what ask.c fills; names @result
 * @result: one per probe, also of those never sent
 */
struct mrc_nl_probe {
	struct mrc_peer *peer;
	unsigned long deadline;
	unsigned long send_until;
	DECLARE_BITMAP(wanted, MRC_EV_MAX);
	bool listed;
	unsigned int count;
	struct mrc_ask_batch batch;
	struct mrc_ask_result result[MRC_EV_MAX];
};

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

static int mrc_nl_probe_open(struct genl_info *info, struct mrc_dev *dev,
			     struct mrc_nl_probe *p)
{
	struct mrc_peer_key key = { };
	int err = mrc_nl_probe_key(info, dev, &key);

	if (err)
		return err;
	p->peer = mrc_peers_get(dev, &key);
	if (!IS_ERR(p->peer))
		return 0;
	err = PTR_ERR(p->peer);
	if (err == -ENOENT)
		return mrc_nl_refuse(info, err, MRC_A_PROBE_EV_PROFILE,
				     "no such EV profile");
	return err;
}

/* ---- which EVs ------------------------------------------------------------- */

static void mrc_nl_probe_wanted(struct genl_info *info, struct mrc_nl_probe *p)
{
	struct nlattr *attr;
	int rem;

	p->listed = info->attrs[MRC_A_PROBE_EV];
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		if (nla_type(attr) == MRC_A_PROBE_EV)
			__set_bit(nla_get_u16(attr), p->wanted);
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

/* The EVs of the peer as they are now, without those that are denied. */
static void mrc_nl_probe_collect(struct mrc_nl_probe *p)
{
	const struct mrc_peer_evs *evs;
	unsigned int i;
	u16 index;

	rcu_read_lock();
	evs = rcu_dereference(p->peer->evs);
	for (i = 0; i < evs->paths.count; i++) {
		index = evs->paths.ev[i].index;
		if (p->listed && !__test_and_clear_bit(index, p->wanted))
			continue;
		if (READ_ONCE(evs->paths.set.ev[i].state) == MRC_EV_DENIED)
			continue;
		p->result[p->count].ev = index;
		p->result[p->count++].port = evs->paths.set.ev[i].port;
	}
	rcu_read_unlock();
}

static int mrc_nl_probe_plan(struct genl_info *info, struct mrc_nl_probe *p)
{
	unsigned int left;

	mrc_nl_probe_wanted(info, p);
	mrc_nl_probe_collect(p);
	left = find_first_bit(p->wanted, MRC_EV_MAX);
	if (left < MRC_EV_MAX)
		return mrc_nl_probe_unknown(info, left);
	if (p->count)
		return 0;
	return mrc_nl_refuse(info, -ENETUNREACH, MRC_A_PROBE_REMOTE_GID,
			     "no EV to probe: all are denied, or no plane exists");
}

/* ---- sending and waiting --------------------------------------------------- */

/* Index of an EV in @evs, which may be a newer version. @hint: its index before, mostly right. */
static u16 mrc_nl_probe_find(const struct mrc_peer_evs *evs, u16 index,
			     unsigned int hint)
{
	unsigned int i;

	if (hint < evs->paths.count && evs->paths.ev[hint].index == index)
		return hint;
	for (i = 0; i < evs->paths.count; i++)
		if (evs->paths.ev[i].index == index)
			return i;
	return MRC_EV_NONE;
}

/*
 * Probes one EV. One that was denied or removed meanwhile is left out (-ENOENT). One whose probe
 * cannot leave this host counts as probed and not answered.
 */
static int mrc_nl_probe_one(struct mrc_nl_probe *p, unsigned int i)
{
	const struct mrc_ask_request request = {
		.op = MRC_EP_EV_PROBE,
		.batch = &p->batch,
		.index = i,
	};
	struct mrc_ask_result *res = &p->result[i];
	struct mrc_peer_evs *evs;
	int err = -ENOENT;
	u16 ev;

	local_bh_disable();
	rcu_read_lock();
	evs = rcu_dereference(p->peer->evs);
	ev = mrc_nl_probe_find(evs, res->ev, i);
	if (ev != MRC_EV_NONE &&
	    READ_ONCE(evs->paths.set.ev[ev].state) != MRC_EV_DENIED) {
		res->port = evs->paths.set.ev[ev].port;
		err = mrc_ask_send(p->peer, evs, ev, &request);
		res->sent = !err || err == -ENETUNREACH;
	}
	if (!err) {
		spin_lock(&p->peer->lock);
		evs->paths.ev[ev].probed++;
		spin_unlock(&p->peer->lock);
	}
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

/* Return: how many were sent in time, or -EINTR. */
static int mrc_nl_probe_send(struct mrc_nl_probe *p)
{
	unsigned int i = 0;
	int err, sent = 0;

	while (i < p->count && time_before(jiffies, p->send_until)) {
		err = mrc_nl_probe_one(p, i);
		if (err == -EBUSY) {
			usleep_range(1000, 2000);
			if (fatal_signal_pending(current))
				return -EINTR;
			continue;
		}
		if (err)
			mrc_ask_skip(p->peer->dev, &p->batch);
		sent += !err;
		i++;
	}
	return sent;
}

/*
 * What is sent is answered or lost in mrc_timing_software.ask, so there is no use in waiting
 * longer: the batch never completes when the deadline comes before all are sent.
 */
static int mrc_nl_probe_run(struct mrc_nl_probe *p)
{
	unsigned long wait = nsecs_to_jiffies(mrc_timing_software.ask) + 2;
	struct completion *done = &p->batch.done;
	unsigned long now;
	long left = 0;
	int sent;

	p->batch.left = p->count;
	p->batch.result = p->result;
	init_completion(done);
	sent = mrc_nl_probe_send(p);
	now = jiffies;
	if (sent > 0 && time_before(now, p->deadline)) {
		wait = min(wait, p->deadline - now);
		left = wait_for_completion_killable_timeout(done, wait);
	}
	mrc_ask_detach(p->peer->dev, &p->batch);
	return sent < 0 || left < 0 ? -EINTR : 0;
}

/* ---- the answer ------------------------------------------------------------ */

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

static int mrc_nl_probe_msg(struct sk_buff *skb, const struct mrc_nl_to *to,
			    const struct mrc_nl_probe *p)
{
	const struct mrc_peer_key *key = &p->peer->key;
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_PROBE, p->peer->dev);
	unsigned int i;

	if (!hdr ||
	    nla_put_in6_addr(skb, MRC_A_PROBE_REMOTE_GID, &key->remote) ||
	    nla_put_in6_addr(skb, MRC_A_PROBE_LOCAL_GID, &key->local) ||
	    mrc_nl_put_u64(skb, MRC_A_PROBE_EV_PROFILE, key->ev_profile))
		return -EMSGSIZE;
	for (i = 0; i < p->count; i++)
		if (p->result[i].sent &&
		    mrc_nl_put_probe_result(skb, &p->result[i]))
			return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

static int mrc_nl_probe_answer(struct sk_buff *skb, struct genl_info *info,
			       const struct mrc_nl_probe *p)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct sk_buff *msg = nlmsg_new(MRC_NL_PROBE_HEAD_SIZE +
					p->count * MRC_NL_PROBE_RESULT_SIZE,
					GFP_KERNEL);

	if (!msg)
		return -ENOMEM;
	return mrc_nl_reply(msg, info, mrc_nl_probe_msg(msg, &to, p));
}

static void mrc_nl_probe_times(struct mrc_nl_probe *p, unsigned long time)
{
	unsigned long wait = nsecs_to_jiffies(mrc_timing_software.ask);

	p->deadline = jiffies + time;
	p->send_until = time >= 2 * wait ? p->deadline - wait : p->deadline;
}

int mrc_nl_probe(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *timeout = info->attrs[MRC_A_PROBE_TIMEOUT];
	struct mrc_nl_probe *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err;

	if (!p)
		return -ENOMEM;
	mrc_nl_probe_times(p, msecs_to_jiffies(timeout ? nla_get_u32(timeout) :
							 MRC_NL_PROBE_MS));
	err = mrc_nl_probe_open(info, mrc_nl_dev(info), p);
	if (!err) {
		err = mrc_nl_probe_plan(info, p) ?: mrc_nl_probe_run(p) ?:
		      mrc_nl_probe_answer(skb, info, p);
		mrc_peers_put(p->peer);
	}
	kfree(p);
	return err;
}
