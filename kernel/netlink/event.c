// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink: events of the transport, to those who joined the group. Events are
 * raised in softirq and under the transport's locks: nothing here sleeps or
 * takes one of them.
 */
#include <linux/ktime.h>
#include <linux/user_namespace.h>

#include "../transport/event.h"
#include "../transport/qp.h"
#include "message.h"

static int mrc_nl_event_device(struct sk_buff *skb,
			       const struct mrc_event *event)
{
	return mrc_nl_put_u64(skb, MRC_A_DEVICE_TIME, ktime_get_ns());
}

static int mrc_nl_event_plane(struct sk_buff *skb,
			      const struct mrc_event *event)
{
	if (READ_ONCE(event->plane->gone) &&
	    nla_put_flag(skb, MRC_A_PLANE_GONE))
		return -EMSGSIZE;
	return mrc_nl_plane_fill(skb, event->dev, event->plane) ?:
	       mrc_nl_put_u64(skb, MRC_A_PLANE_TIME, ktime_get_ns());
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

/*
 * One message is for all listeners, whatever pid namespaces they are in. The number
 * in the initial one is for those who can be expected to live there.
 */
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

static const struct {
	u8 cmd;
	int (*fill)(struct sk_buff *skb, const struct mrc_event *event);
} mrc_nl_event_kinds[] = {
	[MRC_EVENT_DEVICE_NEW] = { MRC_CMD_DEVICE_ADD_NTF, mrc_nl_event_device },
	[MRC_EVENT_DEVICE_DEL] = { MRC_CMD_DEVICE_DEL_NTF, mrc_nl_event_device },
	[MRC_EVENT_PLANE] = { MRC_CMD_PLANE_NTF, mrc_nl_event_plane },
	[MRC_EVENT_EV] = { MRC_CMD_PEER_EV_NTF, mrc_nl_event_peer_ev },
	[MRC_EVENT_PEER_PORTS] = { MRC_CMD_PEER_PORTS_NTF,
				   mrc_nl_event_peer_ports },
	[MRC_EVENT_QP] = { MRC_CMD_QP_NTF, mrc_nl_event_qp },
};

static struct sk_buff *mrc_nl_event_msg(const struct mrc_event *event)
{
	struct mrc_nl_to to = mrc_nl_to_listeners();
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_ATOMIC);
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

	if (type == MRC_EVENT_DEVICE_NEW || type == MRC_EVENT_DEVICE_DEL ||
	    (type == MRC_EVENT_PLANE && READ_ONCE(event->plane->gone)))
		mrc_nl_changed();
	if (type >= ARRAY_SIZE(mrc_nl_event_kinds) ||
	    !genl_has_listeners(&mrc_nl_family, net, MRC_NL_GROUP_EVENTS))
		return NOTIFY_DONE;
	skb = mrc_nl_event_msg(event);
	if (skb)
		genlmsg_multicast_netns(&mrc_nl_family, net, skb, 0,
					MRC_NL_GROUP_EVENTS, GFP_ATOMIC);
	else	/* they must know that they missed something */
		genl_set_err(&mrc_nl_family, net, 0, MRC_NL_GROUP_EVENTS,
			     -ENOBUFS);
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
