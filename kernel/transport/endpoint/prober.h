/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The prober tests the paths of all peers of a device, and exchanges port status with them.
 * core/paths/probing.h decides what is due for a peer, and core/base/turns.h which peer is next.
 * The prober has the timer that asks them, and sends.
 *
 * The port status of a peer concerns only the QPs of that peer. They are told by a work of the
 * device.
 *
 * One timer per device runs once a millisecond at most, and only while something is due. Peers wait
 * for their time in a tree, and for their turn in core's queues. The data path takes only the
 * peer's lock. It takes the prober's lock only when something becomes due earlier than the peer's
 * time in the tree.
 *
 * Locks: prober->lock is taken under peer->lock.
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
 * struct mrc_prober - the prober of a device
 * @dev: the device
 * @lock: protects all members, and the struct mrc_peer_due of each peer; BH off, no lock under it
 * @timer: fires when something is due for a peer
 * @timer_at: ns, when it fires; 0: not armed
 * @ran_at: ns, when it ran last
 * @waiting: peers, by the time when something is due for them
 * @turns: peers for which EV probes are due
 * @told: peers whose QPs must be told: the peer has said that its ports changed, or an EV is bad.
 *        Each is a reference
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

/* Calls with the outcome of requests, for mrc_ask_init(). */
extern const struct mrc_ask_ops mrc_prober_ask_ops;

/** mrc_prober_init() - Return: 0 or -ENOMEM */
int mrc_prober_init(struct mrc_dev *dev);
/** mrc_prober_fini() - no peer is left; mrc_prober_init() may not have run. Process context. */
void mrc_prober_fini(struct mrc_dev *dev);

void mrc_prober_peer_init(struct mrc_peer *peer);
/**
 * mrc_prober_peer_stop() - a peer goes: the timer does not find it any more
 *
 * A run of the timer that has found the peer before may still use it, under RCU. Process context.
 */
void mrc_prober_peer_stop(struct mrc_peer *peer);

/**
 * mrc_prober_use() - a QP is connected to the peer, or not any more
 * @peer: the peer
 * @mtu: path MTU of the QP: an EV returns only if its plane has room for such packets
 * @use: the QP is connected
 *
 * Without QPs the prober sends nothing to the peer by itself. BH off, under RCU; takes peer->lock.
 */
void mrc_prober_use(struct mrc_peer *peer, u32 mtu, bool use);

/**
 * mrc_prober_inherit() - take over the port status that @other has heard, if it is newer
 *
 * Both peers are the same host. Under RCU, BH may be on; takes the lock of each.
 */
void mrc_prober_inherit(struct mrc_peer *peer, struct mrc_peer *other);

/**
 * mrc_prober_evs_changed() - EVs may have changed state: probe bad ones, and raise events
 *
 * Call it once after each step that may have changed states. peer->lock held.
 */
void mrc_prober_evs_changed(struct mrc_peer *peer, struct mrc_peer_evs *evs);

/**
 * mrc_prober_sent() - learn from what this host did with a packet
 * @peer: the peer
 * @evs: its EVs
 * @ev: index in @evs: the EV that the packet should take
 * @sent: the verdict
 *
 * Softirq or BH off, under RCU; takes peer->lock if the verdict blames the EV. Return: true: it
 * did, and the EV must not be used for now.
 */
bool mrc_prober_sent(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev, enum mrc_sent sent);

/** mrc_prober_arm() - something may have become due for the peer. peer->lock held. */
void mrc_prober_arm(struct mrc_peer *peer, const struct mrc_peer_evs *evs);

/**
 * mrc_prober_tell() - our ports have changed: repeat our port status until the peer answers
 *
 * Context: any; takes peer->lock.
 */
void mrc_prober_tell(struct mrc_peer *peer);

/**
 * mrc_prober_introduce() - a QP is being connected: tell the other end of our ports, if needed
 *
 * Port status is sent if a port is down. It is sent once if a port has been down, because the other
 * end may remember that from a time before this peer existed. Process context; takes peer->lock.
 */
void mrc_prober_introduce(struct mrc_peer *peer);

/** mrc_prober_may_answer() - may the peer get one more answer? Softirq; takes peer->lock. */
bool mrc_prober_may_answer(struct mrc_peer *peer, enum mrc_ep_op op);

/**
 * mrc_prober_reverse_ev() - choose the EV for an answer to the peer
 *
 * Softirq or BH off, under RCU; takes peer->lock. Return: index or MRC_EV_NONE.
 */
u16 mrc_prober_reverse_ev(struct mrc_peer *peer, struct mrc_peer_evs *evs);
/** mrc_prober_vary_ev() - the same for a datagram: another EV each time */
u16 mrc_prober_vary_ev(struct mrc_peer *peer, struct mrc_peer_evs *evs);

/**
 * mrc_prober_answer_evs() - choose the EVs for the answer to an EV probe or a port status
 * @peer: the peer
 * @evs: its EVs
 * @port: our port by which the request came in; 0: none of ours
 * @bits: EV bits of the request
 * @ev: result: indices
 *
 * Softirq or BH off, under RCU; takes peer->lock. Return: elements of @ev, 0: there is no EV.
 */
unsigned int mrc_prober_answer_evs(struct mrc_peer *peer,
				   struct mrc_peer_evs *evs, u8 port, u32 bits,
				   u16 ev[MRC_REVERSE_COPIES]);

/**
 * mrc_prober_reverse() - an answer was sent: probe the way that answers take, if it is time
 *
 * Softirq or BH off, under RCU; takes peer->lock.
 */
void mrc_prober_reverse(struct mrc_peer *peer, struct mrc_peer_evs *evs);

/**
 * mrc_prober_port_status() - digest the port status of a peer
 * @peer: its sender
 * @ep: the request
 *
 * Softirq, under RCU; takes peer->lock. Return: false: do not answer it, because no QP is
 * connected, or it is older than another one. True, too, if it names no port at all, which is not
 * believed.
 */
bool mrc_prober_port_status(struct mrc_peer *peer, const struct mrc_ep *ep);

/**
 * mrc_prober_take_told() - take a peer whose QPs must look at its ports and EVs
 *
 * Process context. Return: a reference, or NULL: there is none. If they change again after this,
 * the peer will be returned again.
 */
struct mrc_peer *mrc_prober_take_told(struct mrc_dev *dev);

/**
 * mrc_prober_late() - an answer came so late that its request had been given up
 * @peer: sender of the answer
 * @sent_at: ns, when the request was sent
 * @now: ns
 *
 * See mrc_paths_late() and mrc_ask_late(). Softirq, under RCU; takes peer->lock.
 */
void mrc_prober_late(struct mrc_peer *peer, u64 sent_at, u64 now);

/** mrc_prober_ev_reason() - words for @why, an enum mrc_ev_why. Any context */
const char *mrc_prober_ev_reason(u8 why);

#endif /* _MRC_TRANSPORT_PROBER_H */
