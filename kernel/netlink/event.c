// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink notifications of the transport's events, for the listeners that joined the event's group.
 * The transport raises events in softirq and under its locks, so nothing here sleeps or takes one
 * of these locks.
 */
#include <linux/ktime.h>
#include <linux/user_namespace.h>

#include "../transport/config/config.h"
#include "../transport/device/event.h"
#include "../transport/peer/qp.h"
#include "message.h"

/*
 * Puts the process whose request caused an event: such events are raised in that process's context.
 * All listeners get the same message, whatever their pid namespace. The message has the pid of the
 * initial pid namespace only if the device's network namespace belongs to the initial user
 * namespace, because its listeners can then be expected to be in the initial pid namespace.
 */
static int mrc_nl_put_by(struct sk_buff *skb, const struct mrc_event *event, int name, int pid)
{
	char comm[TASK_COMM_LEN];
	int err;

	if (!event->asked)
		return 0;
	get_task_comm(comm, current->group_leader);
	err = nla_put_string(skb, name, comm);
	if (!err && event->dev->net->user_ns == &init_user_ns)
		err = nla_put_u32(skb, pid, task_tgid_nr(current));
	return err;
}

static int mrc_nl_event_device(struct sk_buff *skb,
			       const struct mrc_event *event)
{
	return mrc_nl_put_u64(skb, MRC_A_DEVICE_TIME, ktime_get_ns()) ?:
	       mrc_nl_put_by(skb, event, MRC_A_DEVICE_BY_NAME, MRC_A_DEVICE_BY_PID);
}

static int mrc_nl_event_plane(struct sk_buff *skb,
			      const struct mrc_event *event)
{
	if (READ_ONCE(event->plane->gone) &&
	    nla_put_flag(skb, MRC_A_PLANE_GONE))
		return -EMSGSIZE;
	return mrc_nl_plane_fill(skb, event->dev, event->plane) ?:
	       mrc_nl_put_u64(skb, MRC_A_PLANE_TIME, ktime_get_ns()) ?:
	       mrc_nl_put_by(skb, event, MRC_A_PLANE_BY_NAME, MRC_A_PLANE_BY_PID);
}

static int mrc_nl_put_ev_place(struct sk_buff *skb,
			       const struct mrc_event *event)
{
	const struct mrc_peer_evs *evs;
	int err = 0;

	rcu_read_lock();
	evs = rcu_dereference(event->peer->evs);
	if (event->ev < evs->paths.count)
		err = nla_put_u16(skb, MRC_A_PEER_EV_INDEX,
				  evs->paths.ev[event->ev].index) ?:
		      nla_put_u8(skb, MRC_A_PEER_EV_PORT,
				 evs->paths.set.ev[event->ev].port) ?:
		      mrc_nl_put_peer_ev_history(skb, evs, event->ev);
	rcu_read_unlock();
	return err;
}

static int mrc_nl_event_peer_ev(struct sk_buff *skb,
				const struct mrc_event *event)
{
	const struct mrc_peer_key *key = &event->peer->key;

	return nla_put_in6_addr(skb, MRC_A_PEER_EV_REMOTE_GID, &key->remote) ?:
	       nla_put_in6_addr(skb, MRC_A_PEER_EV_LOCAL_GID, &key->local) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_EV_EV_PROFILE,
			      key->ev_profile) ?:
	       mrc_nl_put_ev_place(skb, event) ?:
	       nla_put_u8(skb, MRC_A_PEER_EV_STATE, event->new_state) ?:
	       nla_put_u8(skb, MRC_A_PEER_EV_OLD_STATE, event->old_state) ?:
	       (event->reason ? nla_put_string(skb, MRC_A_PEER_EV_REASON,
					       event->reason) : 0) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_EV_TIME, ktime_get_ns());
}

static int mrc_nl_event_peer_ports(struct sk_buff *skb,
				   const struct mrc_event *event)
{
	const struct mrc_peer_key *key = &event->peer->key;

	return nla_put_in6_addr(skb, MRC_A_PEER_REMOTE_GID, &key->remote) ?:
	       nla_put_in6_addr(skb, MRC_A_PEER_LOCAL_GID, &key->local) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_EV_PROFILE, key->ev_profile) ?:
	       nla_put_u32(skb, MRC_A_PEER_REMOTE_PORTS, event->new_ports) ?:
	       nla_put_u32(skb, MRC_A_PEER_OLD_REMOTE_PORTS,
			   event->old_ports) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_TIME, ktime_get_ns());
}

/* Shows the pid to listeners on the same condition as mrc_nl_put_by(). */
static int mrc_nl_put_creator(struct sk_buff *skb, const struct mrc_event *event)
{
	if (event->dev->net->user_ns != &init_user_ns)
		return 0;
	return nla_put_u32(skb, MRC_A_QP_PID, pid_nr(event->qp->creator));
}

static int mrc_nl_event_qp(struct sk_buff *skb, const struct mrc_event *event)
{
	const struct mrc_qp *qp = event->qp;

	return nla_put_u32(skb, MRC_A_QP_QPN, qp->qpn) ?:
	       nla_put_u8(skb, MRC_A_QP_STATE, event->new_state) ?:
	       nla_put_u8(skb, MRC_A_QP_OLD_STATE, event->old_state) ?:
	       nla_put_u32(skb, MRC_A_QP_DEST_QPN, qp->conn.dest_qpn) ?:
	       nla_put_in6_addr(skb, MRC_A_QP_LOCAL_GID, &qp->conn.local) ?:
	       nla_put_in6_addr(skb, MRC_A_QP_REMOTE_GID, &qp->conn.remote) ?:
	       mrc_nl_put_creator(skb, event) ?:
	       (event->reason ? nla_put_string(skb, MRC_A_QP_REASON,
					       event->reason) : 0) ?:
	       mrc_nl_put_u64(skb, MRC_A_QP_TIME, ktime_get_ns());
}

static int mrc_nl_event_settings(struct sk_buff *skb, const struct mrc_event *event)
{
	return mrc_nl_put_cfg(skb, &event->dev->cfg) ?:
	       mrc_nl_put_u64(skb, MRC_A_DEVICE_TIME, ktime_get_ns()) ?:
	       mrc_nl_put_by(skb, event, MRC_A_DEVICE_BY_NAME, MRC_A_DEVICE_BY_PID);
}

static int mrc_nl_event_ev_profile(struct sk_buff *skb, const struct mrc_event *event)
{
	const struct mrc_ev_profile *p = event->ev_profile;

	return (event->gone ? mrc_nl_put_u64(skb, MRC_A_EV_PROFILE_ID, p->id) ?:
			      nla_put_flag(skb, MRC_A_EV_PROFILE_GONE) :
			      mrc_nl_put_ev_profile(skb, p)) ?:
	       mrc_nl_put_u64(skb, MRC_A_EV_PROFILE_TIME, ktime_get_ns()) ?:
	       mrc_nl_put_by(skb, event, MRC_A_EV_PROFILE_BY_NAME, MRC_A_EV_PROFILE_BY_PID);
}

static int mrc_nl_event_profile_ev(struct sk_buff *skb, const struct mrc_event *event)
{
	const struct mrc_nl_to to = mrc_nl_to_listeners();

	return mrc_nl_put_ev(skb, &to, event->ev_profile, event->ev) ?:
	       mrc_nl_put_u64(skb, MRC_A_EV_TIME, ktime_get_ns()) ?:
	       mrc_nl_put_by(skb, event, MRC_A_EV_BY_NAME, MRC_A_EV_BY_PID);
}

static int mrc_nl_event_cc_profile(struct sk_buff *skb, const struct mrc_event *event)
{
	const struct mrc_cc_profile *p = event->cc_profile;

	return (event->gone ? mrc_nl_put_u64(skb, MRC_A_CC_PROFILE_ID, p->id) ?:
			      nla_put_flag(skb, MRC_A_CC_PROFILE_GONE) :
			      mrc_nl_put_cc_profile(skb, p)) ?:
	       mrc_nl_put_u64(skb, MRC_A_CC_PROFILE_TIME, ktime_get_ns()) ?:
	       mrc_nl_put_by(skb, event, MRC_A_CC_PROFILE_BY_NAME, MRC_A_CC_PROFILE_BY_PID);
}

static int mrc_nl_put_gone_route(struct sk_buff *skb, const struct mrc_route_key *key)
{
	return nla_put_in6_addr(skb, MRC_A_ROUTE_PREFIX, &key->prefix) ?:
	       nla_put_u8(skb, MRC_A_ROUTE_PREFIX_LEN, key->plen) ?:
	       nla_put_flag(skb, MRC_A_ROUTE_GONE);
}

static int mrc_nl_event_route(struct sk_buff *skb, const struct mrc_event *event)
{
	const struct mrc_route *r = event->route;

	return (event->gone ? mrc_nl_put_gone_route(skb, &r->key) :
			      mrc_nl_put_route(skb, r, true, NULL)) ?:
	       mrc_nl_put_u64(skb, MRC_A_ROUTE_TIME, ktime_get_ns()) ?:
	       mrc_nl_put_by(skb, event, MRC_A_ROUTE_BY_NAME, MRC_A_ROUTE_BY_PID);
}

static const struct {
	u8 cmd;
	u8 group;
	int (*fill)(struct sk_buff *skb, const struct mrc_event *event);
	size_t (*size)(const struct mrc_event *event);	/* NULL: GENLMSG_DEFAULT_SIZE is enough */
} mrc_nl_event_kinds[] = {
	[MRC_EVENT_DEVICE_NEW] = { MRC_CMD_DEVICE_ADD_NTF, MRC_NL_GROUP_EVENTS,
				   mrc_nl_event_device },
	[MRC_EVENT_DEVICE_DEL] = { MRC_CMD_DEVICE_DEL_NTF, MRC_NL_GROUP_EVENTS,
				   mrc_nl_event_device },
	[MRC_EVENT_PLANE] = { MRC_CMD_PLANE_NTF, MRC_NL_GROUP_EVENTS, mrc_nl_event_plane },
	[MRC_EVENT_EV] = { MRC_CMD_PEER_EV_NTF, MRC_NL_GROUP_EVENTS, mrc_nl_event_peer_ev },
	[MRC_EVENT_PEER_PORTS] = { MRC_CMD_PEER_PORTS_NTF, MRC_NL_GROUP_EVENTS,
				   mrc_nl_event_peer_ports },
	[MRC_EVENT_QP] = { MRC_CMD_QP_NTF, MRC_NL_GROUP_EVENTS, mrc_nl_event_qp },
	[MRC_EVENT_SETTINGS] = { MRC_CMD_DEVICE_NTF, MRC_NL_GROUP_CONFIG, mrc_nl_event_settings },
	[MRC_EVENT_EV_PROFILE] = { MRC_CMD_EV_PROFILE_NTF, MRC_NL_GROUP_CONFIG,
				   mrc_nl_event_ev_profile },
	[MRC_EVENT_PROFILE_EV] = { MRC_CMD_EV_NTF, MRC_NL_GROUP_CONFIG, mrc_nl_event_profile_ev },
	[MRC_EVENT_CC_PROFILE] = { MRC_CMD_CC_PROFILE_NTF, MRC_NL_GROUP_CONFIG,
				   mrc_nl_event_cc_profile },
	[MRC_EVENT_ROUTE] = { MRC_CMD_ROUTE_NTF, MRC_NL_GROUP_CONFIG, mrc_nl_event_route },
	[MRC_EVENT_PROBED] = { MRC_CMD_PROBE_NTF, MRC_NL_GROUP_PROBES, mrc_nl_put_probes,
			       mrc_nl_probes_size },
};

static struct sk_buff *mrc_nl_event_msg(const struct mrc_event *event)
{
	size_t (*size)(const struct mrc_event *event) = mrc_nl_event_kinds[event->type].size;
	struct mrc_nl_to to = mrc_nl_to_listeners();
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(size ? size(event) : GENLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!skb)
		return NULL;
	hdr = mrc_nl_start(skb, &to, mrc_nl_event_kinds[event->type].cmd,
			   event->dev);
	if (!hdr || mrc_nl_event_kinds[event->type].fill(skb, event)) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, hdr);
	return skb;
}

static int mrc_nl_event(struct notifier_block *nb, unsigned long type,
			void *data)
{
	const struct mrc_event *event = data;
	struct net *net = event->dev->net;
	struct sk_buff *skb;
	u8 group;

	if (type == MRC_EVENT_DEVICE_NEW || type == MRC_EVENT_DEVICE_DEL ||
	    (type == MRC_EVENT_PLANE && READ_ONCE(event->plane->gone)))
		mrc_nl_changed();
	if (type >= ARRAY_SIZE(mrc_nl_event_kinds))
		return NOTIFY_DONE;
	group = mrc_nl_event_kinds[type].group;
	if (!genl_has_listeners(&mrc_nl_family, net, group))
		return NOTIFY_DONE;
	skb = mrc_nl_event_msg(event);
	if (skb)
		genlmsg_multicast_netns(&mrc_nl_family, net, skb, 0, group, GFP_ATOMIC);
	else	/* listeners must know that they missed an event */
		genl_set_err(&mrc_nl_family, net, 0, group, -ENOBUFS);
	return NOTIFY_DONE;
}

static struct notifier_block mrc_nl_event_nb = {
	.notifier_call = mrc_nl_event,
};

int mrc_nl_events_init(void)
{
	return mrc_event_register(&mrc_nl_event_nb);
}

void mrc_nl_events_exit(void)
{
	mrc_event_unregister(&mrc_nl_event_nb);
}
