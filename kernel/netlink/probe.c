// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for EV probes on behalf of a controller. A request starts the probes; an event
 * to group "probes" brings their results. Until then the probes keep their peer alive, whether QPs
 * use it or not. Raw probes have no peer.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <net/addrconf.h>

#include "../transport/device/event.h"
#include "../transport/endpoint/peers.h"
#include "../transport/endpoint/probe_job.h"
#include "../transport/endpoint/raw_probe.h"
#include "../transport/profile/route.h"
#include "ev.h"
#include "message.h"

#define MRC_NL_PROBE_MS		100u
#define MRC_NL_RAW_PROBE_LIMIT	100000000ull	/* ns */

/* Bytes that the event takes without results (a generous limit), and bytes of each result. */
#define MRC_NL_PROBE_HEAD_SIZE		512u
#define MRC_NL_PROBE_RESULT_SIZE					\
	(nla_total_size(0) + nla_total_size(sizeof(u16)) +		\
	 nla_total_size_64bit(sizeof(u64)) + 2 * nla_total_size(sizeof(u8)))
#define MRC_NL_RAW_PROBE_RESULT_SIZE					\
	(MRC_NL_PROBE_RESULT_SIZE + nla_total_size(sizeof(u32)) +	\
	 nla_total_size(sizeof(struct in6_addr)))

/* ---- the peer of a request -------------------------------------------------- */

/* Finds a peer in use with the wanted remote GID and, if @local, with the wanted local GID. */
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

/* Finds the address of the anchor that the host would use towards the remote GID. */
static bool mrc_nl_probe_own(struct mrc_dev *dev, const struct in6_addr *remote,
			     struct in6_addr *local)
{
	return !ipv6_dev_get_saddr(dev->net, dev->anchor, remote, 0, local) &&
	       mrc_dev_has_addr(dev, local);
}

/* Finds the local GID: @local if the request names it, else @known, else one of the anchor's. */
static int mrc_nl_probe_local(struct genl_info *info, struct mrc_dev *dev,
			      const struct in6_addr *known, const struct in6_addr *remote,
			      struct in6_addr *local)
{
	if (info->attrs[MRC_A_PROBE_LOCAL_GID]) {
		if (mrc_dev_has_addr(dev, local))
			return 0;
		return mrc_nl_refuse(info, -EADDRNOTAVAIL, MRC_A_PROBE_LOCAL_GID,
				     "not an address of the device");
	}
	if (known)
		*local = *known;
	else if (!mrc_nl_probe_own(dev, remote, local))
		return mrc_nl_refuse(info, -EADDRNOTAVAIL, MRC_A_PROBE_LOCAL_GID,
				     "the device has no address for this GID");
	return 0;
}

static bool mrc_nl_probe_gid_ok(const struct in6_addr *gid)
{
	return !ipv6_addr_any(gid) && !ipv6_addr_is_multicast(gid) && !ipv6_addr_v4mapped(gid);
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
	if (!mrc_nl_probe_gid_ok(&key->remote))
		return mrc_nl_refuse(info, -EINVAL, MRC_A_PROBE_REMOTE_GID,
				     "not a GID that a QP can connect to");
	if (local)
		key->local = nla_get_in6_addr(local);
	if (mrc_nl_probe_known(dev, local, key, &peer))
		known = &peer;
	return mrc_nl_probe_local(info, dev, known ? &known->local : NULL, &key->remote,
				  &key->local) ?:
	       mrc_nl_probe_profile(info, dev, known, key);
}

/* Return: a job without probes, to the peer that the request names; or ERR_PTR. */
static struct mrc_probe_job *mrc_nl_probe_to(struct genl_info *info, struct mrc_dev *dev)
{
	struct mrc_probe_job *job;
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
	job = mrc_probe_job_alloc(peer);
	if (job)
		return job;
	mrc_peers_put(peer);
	return ERR_PTR(-ENOMEM);
}

/* ---- the EVs of a request --------------------------------------------------- */

/* Sets the bits of the listed EVs, by index in the profile. If none is listed, no bit is set. */
static void mrc_nl_probe_wanted(struct genl_info *info, unsigned long *wanted)
{
	struct nlattr *attr;
	int rem;

	bitmap_zero(wanted, MRC_EV_MAX);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		if (nla_type(attr) == MRC_A_PROBE_EV)
			__set_bit(nla_get_u16(attr), wanted);
}

/* Refuses a request for an EV that the peer does not have; extack names the EV's attribute. */
static int mrc_nl_probe_unknown(struct genl_info *info, u16 index)
{
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		if (nla_type(attr) == MRC_A_PROBE_EV &&
		    nla_get_u16(attr) == index)
			NL_SET_BAD_ATTR(info->extack, attr);
	return mrc_nl_refuse(info, -ENOENT, 0,
			     "the peer has no EV of that index");
}

/*
 * Adds the peer's present EVs to the job, except those that are denied: those in @wanted, or all if
 * @wanted is empty. Afterwards @wanted has only the EVs that the peer does not have.
 */
static void mrc_nl_probe_collect(struct mrc_probe_job *job, unsigned long *wanted)
{
	bool listed = !bitmap_empty(wanted, MRC_EV_MAX);
	const struct mrc_peer_evs *evs;
	unsigned int i;
	u16 index;

	rcu_read_lock();
	evs = rcu_dereference(job->peer->evs);
	for (i = 0; i < evs->paths.count; i++) {
		index = evs->paths.ev[i].index;
		if (listed && !__test_and_clear_bit(index, wanted))
			continue;
		if (READ_ONCE(evs->paths.set.ev[i].state) == MRC_EV_DENIED)
			continue;
		job->result[job->count].ev = index;
		job->result[job->count++].port = evs->paths.set.ev[i].port;
	}
	rcu_read_unlock();
}

static int mrc_nl_probe_plan(struct genl_info *info, struct mrc_probe_job *job)
{
	DECLARE_BITMAP(wanted, MRC_EV_MAX);
	unsigned int left;

	mrc_nl_probe_wanted(info, wanted);
	mrc_nl_probe_collect(job, wanted);
	left = find_first_bit(wanted, MRC_EV_MAX);
	if (left < MRC_EV_MAX)
		return mrc_nl_probe_unknown(info, left);
	if (job->count)
		return 0;
	return mrc_nl_refuse(info, -ENETUNREACH, MRC_A_PROBE_REMOTE_GID,
			     "no EV to probe: all are denied, or no plane exists");
}

static struct mrc_probe_job *mrc_nl_probe_open(struct genl_info *info, struct mrc_dev *dev)
{
	struct mrc_probe_job *job = mrc_nl_probe_to(info, dev);
	int err = PTR_ERR_OR_ZERO(job) ?: mrc_nl_probe_plan(info, job);

	if (!err)
		return job;
	if (!IS_ERR(job))
		mrc_probe_job_free(job);
	return ERR_PTR(err);
}

/* ---- answer and event ------------------------------------------------------- */

/* Return: the ends of a job's probes. Raw probes go from one GID to many: the local end only. */
static struct mrc_peer_key mrc_nl_probe_between(const struct mrc_probe_job *job)
{
	if (job->peer)
		return job->peer->key;
	return (struct mrc_peer_key) { .local = job->raw->way[0].flow.saddr };
}

static int mrc_nl_put_probe_key(struct sk_buff *skb, u32 id, const struct mrc_peer_key *key,
				bool raw)
{
	int err = nla_put_u32(skb, MRC_A_PROBE_ID, id) ?:
		  nla_put_in6_addr(skb, MRC_A_PROBE_LOCAL_GID, &key->local);

	if (err || raw)
		return err;
	return nla_put_in6_addr(skb, MRC_A_PROBE_REMOTE_GID, &key->remote) ?:
	       mrc_nl_put_u64(skb, MRC_A_PROBE_EV_PROFILE, key->ev_profile);
}

static int mrc_nl_put_raw_result(struct sk_buff *skb, const struct mrc_raw_probe *raw,
				 const struct mrc_ask_result *res)
{
	return nla_put_in6_addr(skb, MRC_A_PROBE_RESULT_REMOTE_GID,
				&raw->way[res->to].flow.daddr) ?:
	       (res->sent ? 0 : nla_put_u32(skb, MRC_A_PROBE_RESULT_ERROR, -res->error));
}

static int mrc_nl_put_probe_result(struct sk_buff *skb, const struct mrc_raw_probe *raw,
				   const struct mrc_ask_result *res)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PROBE_RESULT);

	if (!nest ||
	    (raw && mrc_nl_put_raw_result(skb, raw, res)) ||
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
	return MRC_NL_PROBE_HEAD_SIZE + event->probes->count *
	       (event->probes->raw ? MRC_NL_RAW_PROBE_RESULT_SIZE : MRC_NL_PROBE_RESULT_SIZE);
}

int mrc_nl_put_probes(struct sk_buff *skb, const struct mrc_event *event)
{
	const struct mrc_probe_job *job = event->probes;
	struct mrc_peer_key key = mrc_nl_probe_between(job);
	unsigned int i;
	int err;

	err = mrc_nl_put_probe_key(skb, job->id, &key, job->raw) ?:
	      mrc_nl_put_u64(skb, MRC_A_PROBE_TIME, ktime_get_ns());
	for (i = 0; i < job->count && !err; i++)
		if (job->raw || job->result[i].sent)
			err = mrc_nl_put_probe_result(skb, job->raw, &job->result[i]);
	return err;
}

static int mrc_nl_probe_msg(struct sk_buff *skb, const struct mrc_nl_to *to, u8 cmd,
			    struct mrc_dev *dev, u32 id, const struct mrc_peer_key *key)
{
	void *hdr = mrc_nl_start(skb, to, cmd, dev);

	if (!hdr || mrc_nl_put_probe_key(skb, id, key, cmd == MRC_CMD_RAW_PROBE_START))
		return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

/* Starts the job, or frees it on error. */
static int mrc_nl_probe_begin(struct genl_info *info, struct mrc_probe_job *job, u32 *id)
{
	struct nlattr *timeout = info->attrs[MRC_A_PROBE_TIMEOUT];
	unsigned long time = msecs_to_jiffies(timeout ? nla_get_u32(timeout) : MRC_NL_PROBE_MS);
	int err = mrc_probe_job_start(job, time, id);

	if (err == -EBUSY)
		mrc_nl_refuse(info, err, 0, "64 probe requests are already waiting for answers");
	if (err)
		mrc_probe_job_free(job);
	return err;
}

/*
 * Starts a job and answers with its id. @job may be an ERR_PTR. The answer's memory comes first, so
 * that the sender learns the id of every job that has started.
 */
static int mrc_nl_probe_answer(struct sk_buff *skb, struct genl_info *info, u8 cmd,
			       struct mrc_probe_job *job)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct mrc_peer_key key;
	struct sk_buff *msg;
	u32 id;
	int err;

	if (IS_ERR(job))
		return PTR_ERR(job);
	key = mrc_nl_probe_between(job);
	msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);
	if (!msg) {
		mrc_probe_job_free(job);
		return -ENOMEM;
	}
	err = mrc_nl_probe_begin(info, job, &id);
	return mrc_nl_reply(msg, info, err ?: mrc_nl_probe_msg(msg, &to, cmd, mrc_nl_dev(info), id,
								&key));
}

int mrc_nl_probe_start(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_probe_answer(skb, info, MRC_CMD_PROBE_START,
				   mrc_nl_probe_open(info, mrc_nl_dev(info)));
}

/* ---- raw probes -------------------------------------------------------------- */

/**
 * struct mrc_nl_raw - the contents of a request for raw probes
 * @ev: the EV of the packets; its segment list, if any, is a reference
 * @plane: the plane of the EV's port, a reference
 * @local: the GID that the probes come from
 * @to: attribute of each destination
 * @count: number of destinations
 * @each: number of probes to each destination
 */
struct mrc_nl_raw {
	struct mrc_ev_spec ev;
	struct mrc_plane *plane;
	struct in6_addr local;
	const struct nlattr *to[MRC_RAW_PROBE_DESTINATIONS];
	unsigned int count;
	unsigned int each;
};

/* As mrc_nl_refuse(), for one of several attributes of the same type. */
#define mrc_nl_refuse_attr(info, err, attr, text) ({				\
	NL_SET_ERR_MSG_ATTR((info)->extack, attr, KBUILD_MODNAME ": " text);	\
	err;									\
})

static int mrc_nl_raw_destinations(struct genl_info *info, struct mrc_nl_raw *raw)
{
	struct nlattr *each = info->attrs[MRC_A_PROBE_COUNT];
	const struct nlattr *attr;
	struct in6_addr gid;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != MRC_A_PROBE_TO)
			continue;
		gid = nla_get_in6_addr(attr);
		if (!mrc_nl_probe_gid_ok(&gid))
			return mrc_nl_refuse_attr(info, -EINVAL, attr,
						  "not a GID that a QP can connect to");
		if (raw->count == MRC_RAW_PROBE_DESTINATIONS)
			return mrc_nl_refuse_attr(info, -E2BIG, attr, "more than 64 destinations");
		raw->to[raw->count++] = attr;
	}
	raw->each = each ? nla_get_u16(each) : 1;
	if (raw->each * raw->count > MRC_EV_MAX)
		return mrc_nl_refuse(info, -E2BIG, MRC_A_PROBE_COUNT, "more than 256 probes");
	return 0;
}

/* The caller drops the references in @raw, also on error. */
static int mrc_nl_raw_way(struct genl_info *info, struct mrc_dev *dev, struct mrc_nl_raw *raw)
{
	struct nlattr *nest = info->attrs[MRC_A_PROBE_RAW_EV];
	int err;

	err = mrc_nl_ev_parse(genl_info_net(info), nest,
			      nla_get_u8(info->attrs[MRC_A_PROBE_FORMAT]), &raw->ev, info->extack);
	if (err)
		return err;
	if (raw->ev.denied)
		return mrc_nl_refuse(info, -EINVAL, MRC_A_PROBE_RAW_EV, "a denied EV cannot be probed");
	raw->plane = mrc_plane_get(&dev->planes, raw->ev.port);
	if (!raw->plane)
		return mrc_nl_refuse(info, -ENOENT, MRC_A_PROBE_RAW_EV, "no plane has this port");
	return 0;
}

static int mrc_nl_raw_local(struct genl_info *info, struct mrc_dev *dev, struct mrc_nl_raw *raw)
{
	struct nlattr *local = info->attrs[MRC_A_PROBE_LOCAL_GID];
	struct in6_addr first = nla_get_in6_addr(raw->to[0]);

	if (local)
		raw->local = nla_get_in6_addr(local);
	return mrc_nl_probe_local(info, dev, NULL, &first, &raw->local);
}

static int mrc_nl_raw_size(struct genl_info *info, const struct mrc_nl_raw *raw)
{
	struct nlattr *attr = info->attrs[MRC_A_PROBE_SIZE];
	u16 size = attr ? nla_get_u16(attr) : 0;

	if (!attr)
		return 0;
	if (size % 4)
		return mrc_nl_refuse(info, -EINVAL, MRC_A_PROBE_SIZE, "not a multiple of 4");
	if (size < mrc_raw_probe_size(&raw->ev))
		return mrc_nl_refuse(info, -EMSGSIZE, MRC_A_PROBE_SIZE,
				     "smaller than the headers of a probe");
	if (size > mrc_plane_mtu(raw->plane))
		return mrc_nl_refuse(info, -EMSGSIZE, MRC_A_PROBE_SIZE,
				     "larger than the MTU of the plane");
	return 0;
}

static int mrc_nl_raw_aim(struct genl_info *info, struct mrc_dev *dev,
			  const struct mrc_nl_raw *wanted, struct mrc_raw_probe *raw)
{
	struct nlattr *dscp = info->attrs[MRC_A_PROBE_DSCP], *size = info->attrs[MRC_A_PROBE_SIZE];
	struct in6_addr remote;
	struct mrc_ep_way *way;
	unsigned int i;

	for (i = 0; i < raw->count; i++) {
		way = &raw->way[i];
		way->dscp = dscp ? nla_get_u8(dscp) : READ_ONCE(dev->cfg.dscp_control);
		way->size = size ? nla_get_u16(size) : 0;
		remote = nla_get_in6_addr(wanted->to[i]);
		if (mrc_raw_probe_aim(dev, way, &wanted->ev, &wanted->local, &remote))
			return mrc_nl_refuse_attr(info, -ENETUNREACH, wanted->to[i],
						  "an EV with via needs a route that has a usid");
	}
	return 0;
}

/* Plans one probe to each destination, then the next probe to each, and so on. */
static void mrc_nl_raw_plan(struct mrc_probe_job *job, const struct mrc_nl_raw *wanted)
{
	struct mrc_ask_result *res = job->result;
	unsigned int n, to;

	for (n = 0; n < wanted->each; n++) {
		for (to = 0; to < wanted->count; to++, res++) {
			res->ev = n;
			res->to = to;
			res->port = wanted->ev.port;
			res->error = -ECANCELED;	/* until it is sent */
		}
	}
	job->count = wanted->each * wanted->count;
}

static struct mrc_probe_job *mrc_nl_raw_job(struct genl_info *info, struct mrc_dev *dev,
					    const struct mrc_nl_raw *wanted)
{
	struct nlattr *status = info->attrs[MRC_A_PROBE_PORT_STATUS];
	struct nlattr *limit = info->attrs[MRC_A_PROBE_LIMIT];
	struct mrc_probe_job *job = NULL;
	struct mrc_raw_probe *raw;
	int err;

	raw = mrc_raw_probe_alloc(wanted->plane, wanted->ev.path.srh, wanted->count);
	if (!raw)
		return ERR_PTR(-ENOMEM);
	raw->op = status ? MRC_EP_PORT_STATUS : MRC_EP_EV_PROBE;
	raw->port_mask = status ? nla_get_u32(status) : 0;
	raw->wait = limit ? nla_get_u64(limit) : MRC_NL_RAW_PROBE_LIMIT;
	err = mrc_nl_raw_aim(info, dev, wanted, raw);
	if (!err)
		job = mrc_probe_job_alloc_raw(dev, raw);
	if (job) {
		mrc_nl_raw_plan(job, wanted);
		return job;
	}
	mrc_raw_probe_free(raw);
	return ERR_PTR(err ?: -ENOMEM);
}

static struct mrc_probe_job *mrc_nl_raw_open(struct genl_info *info, struct mrc_dev *dev)
{
	struct mrc_nl_raw wanted = { };
	struct mrc_probe_job *job;
	int err;

	err = mrc_nl_raw_destinations(info, &wanted) ?: mrc_nl_raw_way(info, dev, &wanted) ?:
	      mrc_nl_raw_local(info, dev, &wanted) ?: mrc_nl_raw_size(info, &wanted);
	job = err ? ERR_PTR(err) : mrc_nl_raw_job(info, dev, &wanted);
	mrc_srh_put(wanted.ev.path.srh);
	mrc_plane_put(wanted.plane);
	return job;
}

int mrc_nl_raw_probe_start(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_probe_answer(skb, info, MRC_CMD_RAW_PROBE_START,
				   mrc_nl_raw_open(info, mrc_nl_dev(info)));
}
