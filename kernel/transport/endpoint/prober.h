/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probing the paths of all peers of a device: core/paths/probing.h decides for a peer what is due,
 * core/base/turns.h which peer is next; here is the timer that asks them, and what is sent.
 *
 * What a peer says of its ports concerns its own QPs alone: these hear of it in a work of the device.
 *
 * One timer per device runs once a millisecond at most, and only while something is due. Peers wait
 * for their time in a tree, and for their turn in core's queues. The data path goes by a peer's
 * lock alone: the device's is taken only when something becomes due sooner than the peer waits for.
 *
 * Locks: peer->lock is outside of prober->lock.
 */
#ifndef _MRC_TRANSPORT_PROBER_H
#define _MRC_TRANSPORT_PROBER_H

#include <linux/hrtimer.h>
#include <linux/timerqueue.h>

#include "../../core/paths/paths.h"
#include "../../core/paths/sent.h"
#include "../../core/base/turns.h"
#include "../../core/wire/wire.h"

struct mrc_ask_ops;
struct mrc_dev;
struct mrc_peer;
struct mrc_peer_evs;

/**
 * struct mrc_prober - when peers of a device are probed
 * @dev: the device
 * @lock: guards all of it, and the struct mrc_peer_due of each peer; BH off, nothing inside
 * @timer: for all that is due
 * @timer_at: ns, 0: not armed
 * @ran_at: ns, when it ran last
 * @waiting: peers, by the time when something is due for them
 * @turns: peers for which EV probes are due
 * @told: peers whose ports have changed, as they say, and whose QPs are to hear of it; each is a
 *        reference
 */
struct mrc_prober {
	struct mrc_dev *dev;
	spinlock_t lock;
	struct hrtimer timer;
	u64 timer_at;
	u64 ran_at;
	struct timerqueue_head waiting;
	struct mrc_turns turns;
	struct list_head told;
};

/* What requests lead to: for mrc_ask_init(). */
extern const struct mrc_ask_ops mrc_prober_ask_ops;

/** mrc_prober_init() - Return: 0 or -ENOMEM */
int mrc_prober_init(struct mrc_dev *dev);
/** mrc_prober_fini() - no peer is left. Without mrc_prober_init(), too. Process context. */
void mrc_prober_fini(struct mrc_dev *dev);

void mrc_prober_peer_init(struct mrc_peer *peer);
/**
 * mrc_prober_peer_stop() - the peer goes: it is not looked for any more
 *
 * Who has found it before may still be at work on it, under RCU. Process context.
 */
void mrc_prober_peer_stop(struct mrc_peer *peer);

/**
 * mrc_prober_use() - a QP is connected to the peer, or not any more
 * @peer: the peer
 * @mtu: path MTU of the QP: EVs come back when their planes have room for its packets
 * @use: it is
 *
 * Without QPs nothing is sent by itself. BH off, under RCU; takes peer->lock.
 */
void mrc_prober_use(struct mrc_peer *peer, u32 mtu, bool use);

/**
 * mrc_prober_inherit() - both peers are the same host: what @other was told, if it is newer
 *
 * Under RCU, BH may be on; takes the lock of each.
 */
void mrc_prober_inherit(struct mrc_peer *peer, struct mrc_peer *other);

/**
 * mrc_prober_evs_changed() - EVs may have another state now: probe them, tell those who watch
 *
 * To be called once after what may have changed states. peer->lock held.
 */
void mrc_prober_evs_changed(struct mrc_peer *peer, struct mrc_peer_evs *evs);

/**
 * mrc_prober_sent() - what has become of a packet on this host
 * @peer: the peer
 * @evs: its EVs
 * @ev: index in @evs: what it was to take
 * @sent: the verdict
 *
 * Softirq or BH off, under RCU; takes peer->lock, if the verdict says something of the EV. Return:
 * true: it did, and the EV is not to be used for now.
 */
bool mrc_prober_sent(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev, enum mrc_sent sent);

/** mrc_prober_arm() - something may have become due. peer->lock held. */
void mrc_prober_arm(struct mrc_peer *peer, const struct mrc_peer_evs *evs);

/**
 * mrc_prober_tell() - our ports have changed: say so until it is answered
 *
 * Context: any; takes peer->lock.
 */
void mrc_prober_tell(struct mrc_peer *peer);

/**
 * mrc_prober_introduce() - a QP is being connected: the other end may know nothing of us
 *
 * Tells if a port is down; once if one has been down: the other end may remember that from
 * before there was this peer. Process context; takes peer->lock.
 */
void mrc_prober_introduce(struct mrc_peer *peer);

/** mrc_prober_may_answer() - one more answer to the peer? Softirq; takes peer->lock. */
bool mrc_prober_may_answer(struct mrc_peer *peer, enum mrc_ep_op op);

/**
 * mrc_prober_reverse_ev() - the EV for an answer to the peer
 *
 * Softirq or BH off, under RCU; takes peer->lock. Return: index or MRC_EV_NONE.
 */
u16 mrc_prober_reverse_ev(struct mrc_peer *peer, struct mrc_peer_evs *evs);

/**
 * mrc_prober_answer_evs() - the EVs for the answer to an EV probe or a port status
 * @peer: the peer
 * @evs: its EVs
 * @port: our port that the request came in by, 0: none of ours
 * @bits: EV bits that it came with
 * @ev: result: elements are indices
 *
 * Softirq or BH off, under RCU; takes peer->lock. Return: elements of @ev, 0: there is no EV.
 */
unsigned int mrc_prober_answer_evs(struct mrc_peer *peer,
				   struct mrc_peer_evs *evs, u8 port, u32 bits,
				   u16 ev[MRC_REVERSE_COPIES]);

/**
 * mrc_prober_reverse() - an answer was sent: probes the way back, if it is time
 *
 * Softirq or BH off, under RCU; takes peer->lock.
 */
void mrc_prober_reverse(struct mrc_peer *peer, struct mrc_peer_evs *evs);

/**
 * mrc_prober_port_status() - the peer's port status
 * @peer: who says it
 * @ep: the request
 *
 * Softirq, under RCU; takes peer->lock. Return: false: it is not to be answered, for nobody is
 * connected, or it is older than another. True also if it leaves no port, which is not believed.
 */
bool mrc_prober_port_status(struct mrc_peer *peer, const struct mrc_ep *ep);

/**
 * mrc_prober_take_told() - a peer whose QPs are to look at its ports
 *
 * Process context. Return: a reference, or NULL: there is none. What changes after it was taken has
 * it returned again.
 */
struct mrc_peer *mrc_prober_take_told(struct mrc_dev *dev);

/**
 * mrc_prober_late() - a request was answered for which nobody waits any more
 * @peer: who answered
 * @sent_at: ns, when it was sent
 * @now: ns
 *
 * See mrc_paths_late() and mrc_ask_late(). Softirq, under RCU; takes peer->lock.
 */
void mrc_prober_late(struct mrc_peer *peer, u64 sent_at, u64 now);

/** mrc_prober_ev_reason() - @why, enum mrc_ev_why, for people: a word or two. Any context */
const char *mrc_prober_ev_reason(u8 why);

#endif /* _MRC_TRANSPORT_PROBER_H */
