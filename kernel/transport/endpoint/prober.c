// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probing the paths to peers, and port status.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "../../compat/compat_timer.h"
#include "ask.h"
#include "../device/device.h"
#include "../device/event.h"
#include "../peer/peer.h"
#include "prober.h"
#include "../peer/trace.h"

/* One run of the timer looks at so many peers, and gives so many turns, at most. */
#define MRC_PROBER_PEERS_MAX	256u

static struct mrc_peer *mrc_prober_peer(struct mrc_peer_due *p)
{
	return container_of(p, struct mrc_peer, due);
}

/* ---- when ------------------------------------------------------------------ */

/* prober->lock held. */
static void mrc_prober_set_timer(struct mrc_prober *prober)
{
	struct timerqueue_node *first = timerqueue_getnext(&prober->waiting);
	u64 at = first ? first->expires : U64_MAX;

	if (!mrc_turns_none(&prober->turns))
		at = 0;
	at = max(at, prober->ran_at + mrc_timing_software.pace);
	if (at == U64_MAX || (prober->timer_at && prober->timer_at <= at))
		return;
	prober->timer_at = at;
	hrtimer_start(&prober->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* prober->lock held. */
static void mrc_prober_unwait(struct mrc_prober *prober, struct mrc_peer_due *p)
{
	if (p->at == U64_MAX)
		return;
	timerqueue_del(&prober->waiting, &p->node);
	WRITE_ONCE(p->at, U64_MAX);
}

/* prober->lock held. */
static void mrc_prober_wait(struct mrc_prober *prober, struct mrc_peer_due *p,
			    u64 at)
{
	if (p->stopped || p->at <= at)
		return;
	mrc_prober_unwait(prober, p);
	p->node.expires = at;
	timerqueue_add(&prober->waiting, &p->node);
	WRITE_ONCE(p->at, at);
	mrc_prober_set_timer(prober);
}

void mrc_prober_arm(struct mrc_peer *peer, const struct mrc_peer_evs *evs)
{
	struct mrc_prober *prober = peer->dev->prober;
	u64 ports_at, at;

	lockdep_assert_held(&peer->lock);
	ports_at = mrc_probing_ports_at(&peer->probing, &evs->paths);
	at = min(ports_at, mrc_probing_at(&peer->probing, &evs->paths));
	/* No lock: a timer that takes the peer out now looks at it under peer->lock next. */
	if (at == U64_MAX || READ_ONCE(peer->due.at) <= at)
		return;
	spin_lock(&prober->lock);
	mrc_prober_wait(prober, &peer->due,
			mrc_turn_waits(&peer->due.turn) ? ports_at : at);
	spin_unlock(&prober->lock);
}

/* ---- events ----------------------------------------------------------------- */

static const char *const mrc_prober_ev_reasons[] = {
	[MRC_EV_WHY_NONE] = "new",
	[MRC_EV_WHY_LOSS] = "loss",
	[MRC_EV_WHY_SKIP] = "always skip",
	[MRC_EV_WHY_NO_ROUTE] = "no route",
	[MRC_EV_WHY_NO_ROOM] = "MTU too small",
	[MRC_EV_WHY_REFUSED] = "refused by this host",
	[MRC_EV_WHY_PROBES_LOST] = "probes lost",
	[MRC_EV_WHY_PROBES_ANSWERED] = "probes answered",
	[MRC_EV_WHY_HEARD] = "data arrived",
	[MRC_EV_WHY_LATE] = "arrived late",
	[MRC_EV_WHY_HELD] = "most recently heard from",
	[MRC_EV_WHY_BETTER] = "better EVs known",
	[MRC_EV_WHY_DENIED] = "denied",
	[MRC_EV_WHY_ALLOWED] = "allowed",
};

const char *mrc_prober_ev_reason(u8 why)
{
	return mrc_prober_ev_reasons[why];
}

void mrc_prober_evs_changed(struct mrc_peer *peer, struct mrc_peer_evs *evs)
{
	struct mrc_event event = {
		.type = MRC_EVENT_EV,
		.dev = peer->dev,
		.peer = peer,
	};

	lockdep_assert_held(&peer->lock);
	/* Newer EVs have replaced these, and their changes are reported: see mrc_paths_keep(). */
	if (rcu_access_pointer(peer->evs) != evs)
		return;
	/* EVs that are bad now must be probed. */
	mrc_prober_arm(peer, evs);
	for (;;) {
		event.ev = mrc_paths_next_change(&evs->paths, &event.old_state);
		if (event.ev == MRC_EV_NONE)
			return;
		event.new_state = evs->paths.set.ev[event.ev].state;
		event.reason = mrc_prober_ev_reason(evs->paths.set.ev[event.ev].why);
		trace_mrc_ev(peer, evs, event.ev, event.old_state, event.reason);
		mrc_event_notify(&event);
	}
}

bool mrc_prober_sent(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev, enum mrc_sent sent)
{
	const struct mrc_plane *plane = evs->path[ev].plane;

	if (!mrc_sent_blames(sent))
		return false;
	/* If the plane is down, all of its EVs are about to learn of that. */
	if (plane && !mrc_plane_usable(plane))
		return false;
	spin_lock(&peer->lock);
	mrc_sent_report(&evs->paths, ev, sent, ktime_get_ns());
	mrc_prober_evs_changed(peer, evs);
	spin_unlock(&peer->lock);
	return true;
}

/* ---- the timer: ports ------------------------------------------------------ */

/* Acts on the newest port status if it is time. Return: ports have changed. peer->lock held. */
static bool mrc_prober_take_ports(struct mrc_peer *peer, struct mrc_peer_evs *evs,
				  struct mrc_event *event, u64 now)
{
	event->old_ports = peer->probing.told.mask;
	if (!mrc_probing_take_ports(&peer->probing, &evs->paths, now))
		return false;
	event->new_ports = peer->probing.told.mask;
	trace_mrc_ports(peer, evs->paths.set.local_mask, event->new_ports);
	mrc_prober_evs_changed(peer, evs);
	return true;
}

/*
 * Has the QPs of a peer told by a work, unless the peer waits for that already. A peer that goes
 * has no QPs. Softirq, under RCU.
 */
static void mrc_prober_tell_qps(struct mrc_peer *peer)
{
	struct mrc_prober *prober = peer->dev->prober;

	spin_lock(&prober->lock);
	if (list_empty(&peer->told) && refcount_inc_not_zero(&peer->ref))
		list_add_tail(&peer->told, &prober->told);
	spin_unlock(&prober->lock);
	mrc_dev_queue_work(peer->dev, &peer->dev->told_work);
}

struct mrc_peer *mrc_prober_take_told(struct mrc_dev *dev)
{
	struct mrc_prober *prober = dev->prober;
	struct mrc_peer *peer;

	spin_lock_bh(&prober->lock);
	peer = list_first_entry_or_null(&prober->told, struct mrc_peer, told);
	if (peer)
		list_del_init(&peer->told);
	spin_unlock_bh(&prober->lock);
	return peer;
}

static void mrc_prober_ports_event(struct mrc_peer *peer, struct mrc_event *event)
{
	event->type = MRC_EVENT_PEER_PORTS;
	event->dev = peer->dev;
	event->peer = peer;
	mrc_event_notify(event);
	mrc_prober_tell_qps(peer);
}

static void mrc_prober_send_tell(struct mrc_peer *peer, struct mrc_peer_evs *evs,
				 const struct mrc_probing_tell *tell)
{
	const struct mrc_ask_request status = {
		.op = MRC_EP_PORT_STATUS,
		.port_mask = tell->mask,
	};

	enum mrc_sent sent = mrc_sent_verdict(mrc_ask_send(peer, evs, tell->ev, &status));

	mrc_prober_sent(peer, evs, tell->ev, sent);
	if (sent == MRC_SENT || sent == MRC_SENT_GONE)
		return;
	/* Send it again, by another EV if this one is bad now. */
	spin_lock(&peer->lock);
	mrc_probing_untold(&peer->probing, tell);
	spin_unlock(&peer->lock);
}

/* Does what is due without a turn: port status. Return: true: EV probes are due, too. */
static bool mrc_prober_look(struct mrc_peer *peer, u64 now)
{
	struct mrc_probing_tell tell;
	struct mrc_event event = {};
	struct mrc_peer_evs *evs;
	bool changed, telling, probes;

	spin_lock(&peer->lock);
	/* Under the lock: a port status must not be applied to EVs that were replaced. */
	evs = rcu_dereference(peer->evs);
	changed = mrc_prober_take_ports(peer, evs, &event, now);
	telling = mrc_probing_plan_tell(&peer->probing, &evs->paths, now, &tell);
	probes = mrc_probing_at(&peer->probing, &evs->paths) <= now;
	spin_unlock(&peer->lock);
	if (changed)
		mrc_prober_ports_event(peer, &event);
	if (telling)
		mrc_prober_send_tell(peer, evs, &tell);
	return probes;
}

/* The next peer for which something is due, or NULL. */
static struct mrc_peer *mrc_prober_next_due(struct mrc_prober *prober, u64 now)
{
	struct timerqueue_node *node;
	struct mrc_peer_due *p = NULL;

	spin_lock(&prober->lock);
	node = timerqueue_getnext(&prober->waiting);
	if (node && node->expires <= now) {
		p = container_of(node, struct mrc_peer_due, node);
		mrc_prober_unwait(prober, p);
	}
	spin_unlock(&prober->lock);
	return p ? mrc_prober_peer(p) : NULL;
}

static void mrc_prober_add_turn(struct mrc_prober *prober, struct mrc_peer *peer)
{
	spin_lock(&prober->lock);
	if (!peer->due.stopped)
		mrc_turns_add(&prober->turns, &peer->due.turn);
	spin_unlock(&prober->lock);
}

static void mrc_prober_arm_again(struct mrc_peer *peer)
{
	spin_lock(&peer->lock);
	mrc_prober_arm(peer, rcu_dereference(peer->evs));
	spin_unlock(&peer->lock);
}

/* ---- the timer: EV probes -------------------------------------------------- */

/* Sends a probe and accounts for it. */
static void mrc_prober_send(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
			    const struct mrc_ask_request *probe)
{
	enum mrc_sent sent = mrc_sent_verdict(mrc_ask_send(peer, evs, ev, probe));

	/* A probe of the way back was not planned by probing.h, so it is not planned again. */
	if (sent == MRC_SENT_NO_SPACE && probe->reverse)
		return;
	spin_lock(&peer->lock);
	/* EVs that have been replaced meanwhile do not matter any more. */
	if (rcu_dereference(peer->evs) == evs) {
		mrc_probing_account(&evs->paths, ev, sent, ktime_get_ns());
		mrc_prober_evs_changed(peer, evs);
	}
	spin_unlock(&peer->lock);
}

/* Gives a peer its turn. Return: true: it has used the turn. @more: it wants another one. */
static bool mrc_prober_serve(struct mrc_peer *peer, u64 now, bool *more)
{
	struct mrc_ask_request probe = { .op = MRC_EP_EV_PROBE };
	struct mrc_peer_evs *evs;
	u16 ev;

	*more = false;
	if (!mrc_ask_may(peer))
		return false;
	spin_lock(&peer->lock);
	evs = rcu_dereference(peer->evs);
	ev = mrc_probing_next(&peer->probing, &evs->paths, now, &probe.room);
	*more = mrc_probing_at(&peer->probing, &evs->paths) <= now;
	spin_unlock(&peer->lock);
	if (ev == MRC_EV_NONE)
		return false;
	mrc_prober_send(peer, evs, ev, &probe);
	return true;
}

static struct mrc_peer *mrc_prober_next_turn(struct mrc_prober *prober, bool *fresh)
{
	struct mrc_turn *turn;

	spin_lock(&prober->lock);
	turn = mrc_turns_next(&prober->turns, fresh);
	spin_unlock(&prober->lock);
	return turn ? mrc_prober_peer(container_of(turn, struct mrc_peer_due,
						   turn)) : NULL;
}

static void mrc_prober_had_turn(struct mrc_prober *prober, struct mrc_peer *peer,
				bool fresh, bool more)
{
	spin_lock(&prober->lock);
	if (!peer->due.stopped)
		mrc_turns_had(&prober->turns, &peer->due.turn, fresh, more);
	spin_unlock(&prober->lock);
}

static void mrc_prober_run_turns(struct mrc_dev *dev, u64 now)
{
	unsigned int room = min(mrc_ask_room(dev, now), MRC_PROBING_RUN_MAX);
	unsigned int looks = MRC_PROBER_PEERS_MAX;
	struct mrc_peer *peer;
	bool fresh, more;

	/* One probe per turn: with more peers, each waits longer. */
	while (room && looks--) {
		peer = mrc_prober_next_turn(dev->prober, &fresh);
		if (!peer)
			break;
		room -= mrc_prober_serve(peer, now, &more);
		mrc_prober_had_turn(dev->prober, peer, fresh, more);
		mrc_prober_arm_again(peer);
	}
}

/* Softirq. RCU keeps the peers that it finds. */
static enum hrtimer_restart mrc_prober_timer(struct hrtimer *timer)
{
	struct mrc_prober *prober = container_of(timer, struct mrc_prober, timer);
	struct mrc_dev *dev = prober->dev;
	unsigned int looks = MRC_PROBER_PEERS_MAX;
	u64 now = ktime_get_ns();
	struct mrc_peer *peer;

	rcu_read_lock();
	spin_lock(&prober->lock);
	prober->timer_at = 0;
	prober->ran_at = now;
	spin_unlock(&prober->lock);
	while (looks-- && (peer = mrc_prober_next_due(prober, now))) {
		if (mrc_prober_look(peer, now))
			mrc_prober_add_turn(prober, peer);
		mrc_prober_arm_again(peer);
	}
	mrc_prober_run_turns(dev, now);
	spin_lock(&prober->lock);
	mrc_prober_set_timer(prober);
	spin_unlock(&prober->lock);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/* ---- life ------------------------------------------------------------------ */

int mrc_prober_init(struct mrc_dev *dev)
{
	struct mrc_prober *prober = kzalloc(sizeof(*prober), GFP_KERNEL);

	if (!prober)
		return -ENOMEM;
	prober->dev = dev;
	spin_lock_init(&prober->lock);
	timerqueue_init_head(&prober->waiting);
	mrc_turns_init(&prober->turns);
	INIT_LIST_HEAD(&prober->told);
	mrc_hrtimer_setup(&prober->timer, mrc_prober_timer);
	dev->prober = prober;
	return 0;
}

void mrc_prober_fini(struct mrc_dev *dev)
{
	if (!dev->prober)
		return;
	hrtimer_cancel(&dev->prober->timer);
	kfree(dev->prober);
}

void mrc_prober_peer_init(struct mrc_peer *peer)
{
	INIT_LIST_HEAD(&peer->told);
	timerqueue_init(&peer->due.node);
	peer->due.at = U64_MAX;
	mrc_probing_init(&peer->probing, &mrc_timing_software);
	mrc_pending_peer_init(&peer->asked);
}

void mrc_prober_peer_stop(struct mrc_peer *peer)
{
	struct mrc_prober *prober = peer->dev->prober;

	spin_lock_bh(&prober->lock);
	peer->due.stopped = true;
	mrc_prober_unwait(prober, &peer->due);
	mrc_turns_del(&peer->due.turn);
	spin_unlock_bh(&prober->lock);
}

void mrc_prober_use(struct mrc_peer *peer, u32 mtu, bool use)
{
	spin_lock(&peer->lock);
	mrc_probing_use(&peer->probing, mtu, use);
	mrc_prober_arm(peer, rcu_dereference(peer->evs));
	spin_unlock(&peer->lock);
}

void mrc_prober_inherit(struct mrc_peer *peer, struct mrc_peer *other)
{
	struct mrc_port_status told;
	struct mrc_peer_evs *evs;

	spin_lock_bh(&other->lock);
	told = other->probing.told;
	spin_unlock_bh(&other->lock);
	spin_lock_bh(&peer->lock);
	evs = rcu_dereference(peer->evs);
	if (mrc_probing_inherit(&peer->probing, &evs->paths, &told, ktime_get_ns()))
		mrc_prober_evs_changed(peer, evs);
	spin_unlock_bh(&peer->lock);
}

/* ---- outcome of requests --------------------------------------------------- */

/* Return: true: an EV that was in use has become bad. */
static bool mrc_prober_report(struct mrc_peer *peer, u32 evs_gen,
			      enum mrc_seen seen, u16 ev, u64 sent_at)
{
	struct mrc_peer_evs *evs = rcu_dereference(peer->evs);
	u16 bad;

	/* A probe of an older version says nothing about the EVs of now. */
	if (evs->gen != evs_gen)
		return false;
	spin_lock(&peer->lock);
	bad = evs->paths.set.bad;
	mrc_paths_report(&evs->paths, seen, ev, sent_at, ktime_get_ns());
	bad = evs->paths.set.bad > bad;
	mrc_prober_evs_changed(peer, evs);
	spin_unlock(&peer->lock);
	return bad;
}

static void mrc_prober_answered(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at)
{
	mrc_prober_report(peer, evs_gen, MRC_SEEN_PROBE_ANSWERED, ev, sent_at);
}

static enum mrc_seen mrc_prober_missed(struct mrc_peer *peer, u32 evs_gen, u16 ev)
{
	struct mrc_peer_evs *evs = rcu_dereference(peer->evs);
	struct mrc_plane *plane = evs->gen == evs_gen ? evs->path[ev].plane : NULL;

	return plane && mrc_plane_dropped(plane, ktime_get_ns()) ? MRC_SEEN_PROBE_DROPPED :
								   MRC_SEEN_PROBE_LOST;
}

static void mrc_prober_lost(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at)
{
	enum mrc_seen seen = mrc_prober_missed(peer, evs_gen, ev);

	/* QPs that get no answers would otherwise learn of the bad EV only when they ask next. */
	if (mrc_prober_report(peer, evs_gen, seen, ev, sent_at))
		mrc_prober_tell_qps(peer);
}

void mrc_prober_late(struct mrc_peer *peer, u64 sent_at, u64 now)
{
	struct mrc_peer_evs *evs = rcu_dereference(peer->evs);
	u64 wait = mrc_paths_overdue(&evs->paths, sent_at, now);

	if (!wait || !mrc_ask_late(peer, wait, now))
		return;
	spin_lock(&peer->lock);
	mrc_paths_late(&evs->paths, sent_at, now);
	spin_unlock(&peer->lock);
}

static void mrc_prober_port_answered(struct mrc_peer *peer, u32 mask, u64 sent_at)
{
	spin_lock(&peer->lock);
	mrc_port_tell_answered(&peer->probing.tell, mask, sent_at);
	spin_unlock(&peer->lock);
}

const struct mrc_ask_ops mrc_prober_ask_ops = {
	.answered = mrc_prober_answered,
	.lost = mrc_prober_lost,
	.port_answered = mrc_prober_port_answered,
};

/* ---- answers --------------------------------------------------------------- */

u16 mrc_prober_reverse_ev(struct mrc_peer *peer, struct mrc_peer_evs *evs)
{
	u16 ev;

	spin_lock(&peer->lock);
	ev = mrc_paths_reverse_ev(&evs->paths, ktime_get_ns());
	spin_unlock(&peer->lock);
	return ev;
}

u16 mrc_prober_vary_ev(struct mrc_peer *peer, struct mrc_peer_evs *evs)
{
	u16 ev;

	spin_lock(&peer->lock);
	ev = mrc_paths_vary_ev(&evs->paths, ktime_get_ns());
	spin_unlock(&peer->lock);
	return ev;
}

unsigned int mrc_prober_answer_evs(struct mrc_peer *peer,
				   struct mrc_peer_evs *evs, u8 port, u32 bits,
				   u16 ev[MRC_REVERSE_COPIES])
{
	unsigned int n;

	spin_lock(&peer->lock);
	n = mrc_paths_answer_evs(&evs->paths, port, bits, ktime_get_ns(), ev);
	spin_unlock(&peer->lock);
	return n;
}

void mrc_prober_reverse(struct mrc_peer *peer, struct mrc_peer_evs *evs)
{
	const struct mrc_ask_request probe = { .op = MRC_EP_EV_PROBE, .reverse = true };
	u64 now = ktime_get_ns();
	u16 ev = MRC_EV_NONE;

	if (peer->local || !mrc_paths_want_reverse(&evs->paths, now))
		return;
	spin_lock(&peer->lock);
	if (peer->probing.users)
		ev = mrc_paths_reverse_probe(&evs->paths, get_random_u32(), now);
	spin_unlock(&peer->lock);
	if (ev != MRC_EV_NONE)
		mrc_prober_send(peer, evs, ev, &probe);
}

bool mrc_prober_may_answer(struct mrc_peer *peer, enum mrc_ep_op op)
{
	bool may;

	spin_lock(&peer->lock);
	may = mrc_probing_may_answer(&peer->probing, op, ktime_get_ns());
	spin_unlock(&peer->lock);
	return may;
}

/* ---- ports ----------------------------------------------------------------- */

void mrc_prober_tell(struct mrc_peer *peer)
{
	rcu_read_lock();
	spin_lock_bh(&peer->lock);
	/* Read under the lock, so that the last status that is sent is the newest one. */
	mrc_port_tell_say(&peer->probing.tell, mrc_dev_port_status(peer->dev),
			  ktime_get_ns());
	mrc_prober_arm(peer, rcu_dereference(peer->evs));
	spin_unlock_bh(&peer->lock);
	rcu_read_unlock();
}

void mrc_prober_introduce(struct mrc_peer *peer)
{
	bool told;

	if (peer->local || !READ_ONCE(peer->dev->ports_lost))
		return;
	spin_lock_bh(&peer->lock);
	told = peer->probing.tell.since;
	spin_unlock_bh(&peer->lock);
	if (!told || mrc_dev_port_status(peer->dev) != ~0u)
		mrc_prober_tell(peer);
}

bool mrc_prober_port_status(struct mrc_peer *peer, const struct mrc_ep *ep)
{
	u64 now = ktime_get_ns();
	struct mrc_event event = {};
	struct mrc_peer_evs *evs;
	bool heard, changed;

	spin_lock(&peer->lock);
	evs = rcu_dereference(peer->evs);
	heard = mrc_probing_hear(&peer->probing, ep, now);
	changed = mrc_prober_take_ports(peer, evs, &event, now);
	mrc_prober_arm(peer, evs);
	spin_unlock(&peer->lock);
	if (changed)
		mrc_prober_ports_event(peer, &event);
	return heard;
}
