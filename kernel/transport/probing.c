// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probing the paths to a peer, and port status.
 */
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/random.h>

#include "endpoint.h"
#include "event.h"
#include "peer.h"
#include "probing.h"
#include "qp.h"
#include "trace.h"

/* Requests in one run of the timer, and the least time between two runs. */
#define MRC_PROBING_BATCH		8u
#define MRC_PROBING_PACE_NS	NSEC_PER_MSEC

/**
 * struct mrc_probing_run - what one run of the timer sends
 * @evs: the version of the EVs
 * @count: elements of @ev
 * @ev: EVs to probe
 * @tell: EV for a port status, MRC_EV_NONE: none is due
 * @mask: that it carries
 * @wait: that was planned until it is said again
 * @room: bytes of a packet that an EV must have room for to be of use
 * @told: what became of it: 0 or an error
 * @result: what became of the elements of @ev
 */
struct mrc_probing_run {
	struct mrc_peer_evs *evs;
	unsigned int count;
	u64 wait;
	unsigned int room;
	int told;
	u16 ev[MRC_PROBING_BATCH];
	int result[MRC_PROBING_BATCH];
	u16 tell;
	u32 mask;
};

/* ---- the timer ------------------------------------------------------------ */

/* The peer's ports that EVs lead to, but for those that are all DENIED. */
static u32 mrc_probing_ports(const struct mrc_peer_evs *evs)
{
	const struct mrc_ev_plane *plane;
	u32 ports = 0;
	unsigned int i;

	for (i = 0; i < evs->set.nplanes; i++) {
		plane = &evs->set.planes[i];
		if (plane->good || plane->bad)
			ports |= BIT(evs->entry[plane->first].port - 1);
	}
	return ports;
}

/*
 * When the newest status may be acted upon; U64_MAX: not until something changes. One that
 * leaves no port to send to is not: packets are lost either way, and a forged one would do most
 * harm. It waits for a port of ours that is down, or for the next one.
 */
static u64 mrc_probing_ports_at(const struct mrc_probing *p,
				const struct mrc_peer_evs *evs)
{
	u32 ports = mrc_probing_ports(evs) & evs->set.local_mask;

	return ports & p->told.newest ? mrc_port_status_due(&p->told) : U64_MAX;
}

void mrc_probing_arm(struct mrc_peer *peer, const struct mrc_peer_evs *evs)
{
	struct mrc_probing *p = &peer->probing;
	u64 at;

	lockdep_assert_held(&peer->lock);
	/* Whoever gives the peer EVs arms it. */
	if (!evs->count)
		return;
	at = mrc_ev_probe_at(&evs->set);
	if (p->tell_at)
		at = min(at, p->tell_at);
	at = min(at, mrc_probing_ports_at(p, evs));
	if (at == U64_MAX || p->stopped || !p->users)
		return;
	at = max(at, p->ran_at + MRC_PROBING_PACE_NS);
	if (p->timer_at && p->timer_at <= at)
		return;
	p->timer_at = at;
	hrtimer_start(&p->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Over the planes that are left; once per wait, which doubles. */
static void mrc_probing_plan_tell(struct mrc_peer *peer,
				  struct mrc_probing_run *run, u64 now)
{
	struct mrc_probing *p = &peer->probing;

	run->tell = MRC_EV_NONE;
	if (!p->tell_at || p->tell_at > now)
		return;
	run->tell = mrc_ev_pick(&run->evs->set, now);
	run->mask = p->tell_mask;
	run->wait = p->tell_wait;
	p->tell_at = now + p->tell_wait;
	p->tell_wait = min(2 * p->tell_wait, (u64)MRC_TELL_MAX_NS);
}

/* Bytes from BTH to ICRC of the longest packets that QPs send. */
static unsigned int mrc_probing_room(const struct mrc_probing *p)
{
	unsigned int i = MRC_MTU_COUNT;

	while (i--)
		if (p->mtu_users[i])
			return (256u << i) + MRC_WRITE_HDR_MAX + MRC_ICRC_LEN;
	return 0;
}

static void mrc_probing_plan(struct mrc_peer *peer, struct mrc_probing_run *run,
			     u64 now)
{
	u16 ev;

	run->count = 0;
	run->told = 0;
	run->mask = 0;
	run->tell = MRC_EV_NONE;
	if (!run->evs->count || !peer->probing.users)
		return;
	mrc_probing_plan_tell(peer, run, now);
	run->room = mrc_probing_room(&peer->probing);
	while (run->count < MRC_PROBING_BATCH) {
		ev = mrc_ev_probe_next(&run->evs->set, now);
		if (ev == MRC_EV_NONE)
			break;
		run->ev[run->count++] = ev;
	}
}

static void mrc_probing_send(struct mrc_peer *peer, struct mrc_probing_run *run)
{
	const struct mrc_ep_ask probe = {
		.op = MRC_EP_EV_PROBE,
		.room = run->room,
	};
	const struct mrc_ep_ask tell = {
		.op = MRC_EP_PORT_STATUS,
		.port_mask = run->mask,
	};
	unsigned int i;

	if (run->tell != MRC_EV_NONE)
		run->told = mrc_endpoint_send(peer, run->evs, run->tell, &tell);
	for (i = 0; i < run->count; i++)
		run->result[i] = mrc_endpoint_send(peer, run->evs, run->ev[i],
						   &probe);
}

/* No way leads out of this host: that is certain, whatever else is heard. peer->lock held. */
static void mrc_probing_no_way(struct mrc_peer *peer, struct mrc_peer_evs *evs,
			       u16 ev, int err, u64 now)
{
	if (mrc_ev_probe_lost(&evs->set, ev, 0, now))
		mrc_peer_evs_changed(peer, evs, mrc_no_way(err));
}

/* What there was no room for is not held against anybody. */
static void mrc_probing_account(struct mrc_peer *peer,
				const struct mrc_probing_run *run, u64 now)
{
	struct mrc_probing *p = &peer->probing;
	unsigned int i;

	for (i = 0; i < run->count; i++) {
		if (!run->result[i])
			run->evs->ev[run->ev[i]].probed++;
		else if (run->result[i] == -EBUSY)
			mrc_ev_probe_unsent(&run->evs->set, run->ev[i], now);
		else if (mrc_no_way(run->result[i]))
			mrc_probing_no_way(peer, run->evs, run->ev[i],
					   run->result[i], now);
	}
	/* Unless there is something else to say by now. */
	if (run->told == -EBUSY && p->tell_at && p->tell_since <= now) {
		p->tell_at = now + run->wait;
		p->tell_wait = run->wait;
	}
}

/* Acts upon the newest status if it is time. Return: the ports have changed. peer->lock held. */
static bool mrc_probing_take_ports(struct mrc_peer *peer,
				   struct mrc_peer_evs *evs,
				   struct mrc_event *event, u64 now)
{
	struct mrc_probing *p = &peer->probing;

	event->old_ports = p->told.mask;
	if (!p->users || now < mrc_probing_ports_at(p, evs) ||
	    !mrc_port_status_take(&p->told, now))
		return false;
	event->new_ports = p->told.mask;
	trace_mrc_ports(peer, evs->set.local_mask, p->told.mask);
	mrc_ev_ports(&evs->set, evs->set.local_mask, p->told.mask, now);
	mrc_peer_evs_changed(peer, evs, "port is back");
	return true;
}

static void mrc_probing_ports_event(struct mrc_peer *peer,
				    struct mrc_event *event)
{
	event->type = MRC_EVENT_PEER_PORTS;
	event->dev = peer->dev;
	event->peer = peer;
	mrc_event_notify(event);
	mrc_dev_queue_work(peer->dev, &peer->dev->ports_work);
}

/* Softirq. */
static enum hrtimer_restart mrc_probing_timer(struct hrtimer *timer)
{
	struct mrc_peer *peer = container_of(timer, struct mrc_peer,
					     probing.timer);
	u64 now = ktime_get_ns();
	struct mrc_event ports = {};
	struct mrc_probing_run run;
	bool changed;

	rcu_read_lock();
	spin_lock(&peer->lock);
	/* Under the lock: what the peer says of its ports is not to go to EVs that were replaced. */
	run.evs = rcu_dereference(peer->evs);
	peer->probing.timer_at = 0;
	peer->probing.ran_at = now;
	changed = mrc_probing_take_ports(peer, run.evs, &ports, now);
	mrc_probing_plan(peer, &run, now);
	spin_unlock(&peer->lock);
	if (changed)
		mrc_probing_ports_event(peer, &ports);
	mrc_probing_send(peer, &run);
	spin_lock(&peer->lock);
	mrc_probing_account(peer, &run, now);
	mrc_probing_arm(peer, rcu_dereference(peer->evs));
	spin_unlock(&peer->lock);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

void mrc_probing_init(struct mrc_peer *peer)
{
	hrtimer_init(&peer->probing.timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_ABS_SOFT);
	peer->probing.timer.function = mrc_probing_timer;
	mrc_port_status_init(&peer->probing.told);
}

void mrc_probing_stop(struct mrc_peer *peer)
{
	spin_lock_bh(&peer->lock);
	peer->probing.stopped = true;
	spin_unlock_bh(&peer->lock);
	hrtimer_cancel(&peer->probing.timer);
}

void mrc_probing_use(struct mrc_peer *peer, u32 mtu, bool use)
{
	unsigned int n = use ? 1 : -1;

	spin_lock(&peer->lock);
	peer->probing.users += n;
	peer->probing.mtu_users[ilog2(mtu / 256)] += n;
	if (use) {
		WRITE_ONCE(peer->probing.met, true);
		mrc_probing_arm(peer, rcu_dereference(peer->evs));
	}
	spin_unlock(&peer->lock);
}

void mrc_probing_inherit(struct mrc_peer *peer, struct mrc_peer *other)
{
	struct mrc_probing *p = &peer->probing;
	struct mrc_peer_evs *evs;
	struct mrc_port_status told;

	spin_lock_bh(&other->lock);
	told = other->probing.told;
	spin_unlock_bh(&other->lock);
	spin_lock_bh(&peer->lock);
	if (told.at > p->told.at) {
		p->told = told;
		evs = rcu_dereference(peer->evs);
		if (evs->count) {
			mrc_ev_ports(&evs->set, evs->set.local_mask,
				     p->told.mask, ktime_get_ns());
			mrc_peer_evs_changed(peer, evs, "port is back");
		}
	}
	spin_unlock_bh(&peer->lock);
}

/* ---- EV probes ------------------------------------------------------------- */

/* The EVs that an answer is about, or NULL when they are of an older version. */
static struct mrc_peer_evs *mrc_probing_evs(struct mrc_peer *peer, u32 gen)
{
	struct mrc_peer_evs *evs = rcu_dereference(peer->evs);

	return evs->gen == gen ? evs : NULL;
}

/* An EV that has changed since says nothing of how it is now. */
static bool mrc_probing_late(const struct mrc_peer_evs *evs, u16 ev, u64 sent_at)
{
	return evs->entry[ev].changed_at > sent_at;
}

void mrc_probing_answered(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at)
{
	struct mrc_peer_evs *evs = mrc_probing_evs(peer, evs_gen);
	u64 now = ktime_get_ns();

	if (!evs)
		return;
	spin_lock(&peer->lock);
	WRITE_ONCE(peer->probing.heard_at, now);
	if (!mrc_probing_late(evs, ev, sent_at) &&
	    mrc_ev_probed(&evs->set, ev, sent_at, now))
		mrc_peer_evs_changed(peer, evs, "probes answered");
	mrc_reverse_alive(&evs->reverse, &evs->set, ev);
	mrc_probing_arm(peer, evs);
	spin_unlock(&peer->lock);
}

void mrc_probing_lost(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at)
{
	struct mrc_peer_evs *evs = mrc_probing_evs(peer, evs_gen);
	u64 now = ktime_get_ns();

	if (!evs)
		return;
	spin_lock(&peer->lock);
	if (!mrc_probing_late(evs, ev, sent_at)) {
		if (mrc_reverse_lost(&evs->reverse, &evs->set, ev))
			WRITE_ONCE(peer->probing.reverse_at, 0);
		if (mrc_ev_probe_lost(&evs->set, ev, sent_at, now))
			mrc_peer_evs_changed(peer, evs, "probes lost");
	}
	mrc_probing_arm(peer, evs);
	spin_unlock(&peer->lock);
}

/* ---- the way back ------------------------------------------------------------ */

/*
 * The EV that leads back the way a probe came, as far as that can be guessed: of the plane that
 * it came by the EV with the same index in its profile, which is what the low half of our EV
 * bits is; for those of others any of the plane is as good.
 */
static u16 mrc_probing_mirror(const struct mrc_peer_evs *evs, u8 port, u16 index)
{
	u16 ev, mirror = MRC_EV_NONE;

	for (ev = 0; ev < evs->count; ev++) {
		if (evs->entry[ev].port != port)
			continue;
		if (mirror == MRC_EV_NONE || evs->ev[ev].index == index)
			mirror = ev;
	}
	return mirror;
}

u16 mrc_probing_reverse_ev(struct mrc_peer *peer, struct mrc_peer_evs *evs)
{
	u16 ev;

	if (!evs->count)
		return MRC_EV_NONE;
	spin_lock(&peer->lock);
	ev = mrc_reverse_pick(&evs->reverse, &evs->set, ktime_get_ns());
	spin_unlock(&peer->lock);
	return ev;
}

unsigned int mrc_probing_answer_evs(struct mrc_peer *peer,
				    struct mrc_peer_evs *evs, u8 port, u32 bits,
				    u16 ev[MRC_REVERSE_COPIES])
{
	u16 mirror = MRC_EV_NONE;
	unsigned int n;

	if (!evs->count)
		return 0;
	spin_lock(&peer->lock);
	if (mrc_ev_searching(&evs->set))
		mirror = mrc_probing_mirror(evs, port, bits & 0xffff);
	n = mrc_reverse_answer(&evs->reverse, &evs->set, mirror,
			       ktime_get_ns(), ev);
	spin_unlock(&peer->lock);
	return n;
}

void mrc_probing_reverse(struct mrc_peer *peer, struct mrc_peer_evs *evs)
{
	const struct mrc_ep_ask probe = { .op = MRC_EP_EV_PROBE };
	struct mrc_probing *p = &peer->probing;
	u64 now = ktime_get_ns();
	u16 ev = MRC_EV_NONE;

	if (peer->local || !evs->count || now < READ_ONCE(p->reverse_at) ||
	    now < READ_ONCE(p->heard_at) + MRC_REVERSE_PROBE_NS)
		return;
	spin_lock(&peer->lock);
	if (now >= p->reverse_at && p->users) {
		WRITE_ONCE(p->reverse_at, now + MRC_REVERSE_PROBE_NS);
		ev = mrc_reverse_probe(&evs->reverse, &evs->set,
				       get_random_u32());
	}
	spin_unlock(&peer->lock);
	if (ev == MRC_EV_NONE)
		return;
	switch (mrc_endpoint_send(peer, evs, ev, &probe)) {
	case 0:
		spin_lock(&peer->lock);
		evs->ev[ev].probed++;
		spin_unlock(&peer->lock);
		break;
	case -ENETUNREACH:
		spin_lock(&peer->lock);
		if (mrc_reverse_lost(&evs->reverse, &evs->set, ev))
			WRITE_ONCE(p->reverse_at, 0);
		mrc_probing_no_way(peer, evs, ev, -ENETUNREACH, now);
		spin_unlock(&peer->lock);
		break;
	}
}

bool mrc_probing_may_answer(struct mrc_peer *peer, enum mrc_ep_op op)
{
	struct mrc_gate *gate = op == MRC_EP_PORT_STATUS ?
				&peer->probing.answer_status :
				&peer->probing.answer_probe;
	bool may;

	spin_lock(&peer->lock);
	may = mrc_gate_pass(gate, ktime_get_ns(), MRC_EP_ANSWER_RATE);
	spin_unlock(&peer->lock);
	return may;
}

/* ---- ports --------------------------------------------------------------------- */

/* Needs to be said (anew). peer->lock held. */
static void mrc_probing_say(struct mrc_probing *p, u64 now)
{
	p->tell_at = now;
	p->tell_since = now;
	p->tell_wait = MRC_TELL_MIN_NS;
}

void mrc_probing_tell(struct mrc_peer *peer)
{
	struct mrc_probing *p = &peer->probing;

	rcu_read_lock();
	spin_lock_bh(&peer->lock);
	/* Under the lock: what is said last is what was true last. */
	p->tell_mask = mrc_dev_port_status(peer->dev);
	mrc_probing_say(p, ktime_get_ns());
	mrc_probing_arm(peer, rcu_dereference(peer->evs));
	spin_unlock_bh(&peer->lock);
	rcu_read_unlock();
}

void mrc_probing_introduce(struct mrc_peer *peer)
{
	bool told;

	if (peer->local || !READ_ONCE(peer->dev->ports_lost))
		return;
	spin_lock_bh(&peer->lock);
	told = peer->probing.tell_since;
	spin_unlock_bh(&peer->lock);
	if (!told || mrc_dev_port_status(peer->dev) != ~0u)
		mrc_probing_tell(peer);
}

void mrc_probing_port_answered(struct mrc_peer *peer, u32 mask, u64 sent_at)
{
	struct mrc_probing *p = &peer->probing;

	spin_lock(&peer->lock);
	/* The same may have been said before something else was. */
	if (mask == p->tell_mask && sent_at >= p->tell_since)
		p->tell_at = 0;
	spin_unlock(&peer->lock);
}

/*
 * The peer speaks: it is there now, and may be another one than that which we told. Not each
 * time, or two would keep each other busy.
 */
static void mrc_probing_say_back(struct mrc_probing *p, bool first, u64 now)
{
	if (!p->tell_since)
		return;
	if ((first && p->tell_at) || (p->tell_mask != ~0u &&
				      now > p->tell_since + MRC_TELL_MAX_NS))
		mrc_probing_say(p, now);
}

/* peer->lock held. Return: answer it. */
static bool mrc_probing_hear_ports(struct mrc_probing *p,
				   const struct mrc_ep *ep, u64 now)
{
	bool first = !p->told.at;

	if (!p->users || !mrc_port_status_hear(&p->told, ep, now))
		return false;
	mrc_probing_say_back(p, first, now);
	return true;
}

bool mrc_probing_port_status(struct mrc_peer *peer, const struct mrc_ep *ep)
{
	u64 now = ktime_get_ns();
	struct mrc_event event = {};
	struct mrc_peer_evs *evs;
	bool heard, changed;

	spin_lock(&peer->lock);
	evs = rcu_dereference(peer->evs);
	heard = mrc_probing_hear_ports(&peer->probing, ep, now);
	changed = mrc_probing_take_ports(peer, evs, &event, now);
	mrc_probing_arm(peer, evs);
	spin_unlock(&peer->lock);
	if (changed)
		mrc_probing_ports_event(peer, &event);
	return heard;
}
