/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is done to know the paths to a peer (MRC 1.0, sections 7.4.6 to 7.4.8): EV probes for
 * EVs that
 * are held to be bad and for the way back, and telling each other which ports work.
 *
 * One timer per peer; it runs only while something is due and a QP is connected. All state
 * is under peer->lock.
 */
#ifndef _MRC_TRANSPORT_PROBING_H
#define _MRC_TRANSPORT_PROBING_H

#include <linux/hrtimer.h>
#include <linux/types.h>

#include "../core/gate.h"
#include "../core/port_status.h"
#include "../core/reverse.h"
#include "../core/wire.h"

struct mrc_dev;
struct mrc_peer;
struct mrc_peer_evs;

/* A receiver that sends nothing itself probes its way back so often, while it answers. */
#define MRC_REVERSE_PROBE_NS	(10 * NSEC_PER_MSEC)
/* Port status is said again after this, then after twice the time ... */
#define MRC_TELL_MIN_NS		NSEC_PER_MSEC
#define MRC_TELL_MAX_NS		NSEC_PER_SEC

/* Path MTUs that a QP may have: 256 << 0 to 256 << 4. */
#define MRC_MTU_COUNT		5u

/**
 * struct mrc_probing - part of struct mrc_peer
 * @timer: for all that is due
 * @timer_at: ns, 0: not armed
 * @ran_at: ns, when it ran last
 * @stopped: the peer goes, nothing is armed any more
 * @forgotten: the peer goes, no request may name it; under endpoint.lock
 * @users: QPs that are connected and not in error
 * @mtu_users: of these, how many have each path MTU
 * @met: there has been such a QP
 * @answer_probe: our answers to EV probes of the peer
 * @answer_status: the same to its port status
 * @heard_at: ns, when a SACK or a probe's answer last said that something we sent has arrived
 * @reverse_at: ns, no probe of the way back before
 * @tell_at: ns, when the port status is said again; 0: the peer knows it
 * @tell_since: ns, when what is said became true; 0: nothing was ever said
 * @tell_wait: ns, how long that was waited for
 * @tell_mask: what is said
 * @told: the peer's ports, as it has told
 */
struct mrc_probing {
	struct hrtimer timer;
	u64 timer_at;
	u64 ran_at;
	bool stopped;
	bool forgotten;
	unsigned int users;
	unsigned int mtu_users[MRC_MTU_COUNT];
	bool met;
	struct mrc_gate answer_probe;
	struct mrc_gate answer_status;
	u64 heard_at;
	u64 reverse_at;
	u64 tell_at;
	u64 tell_since;
	u64 tell_wait;
	u32 tell_mask;
	struct mrc_port_status told;
};

void mrc_probing_init(struct mrc_peer *peer);
/** mrc_probing_stop() - the timer is gone when this returns. Process context. */
void mrc_probing_stop(struct mrc_peer *peer);

/**
 * mrc_probing_use() - a QP is connected to the peer, or not any more
 * @peer: the peer
 * @mtu: path MTU of the QP: EVs come back when their planes have room for its packets
 * @use: it is
 *
 * Without QPs nothing is sent by itself. BH off, under RCU; takes peer->lock.
 */
void mrc_probing_use(struct mrc_peer *peer, u32 mtu, bool use);

/**
 * mrc_probing_inherit() - both peers are the same host: what @other was told, if it is newer
 *
 * Under RCU, BH may be on; takes the lock of each.
 */
void mrc_probing_inherit(struct mrc_peer *peer, struct mrc_peer *other);

/** mrc_probing_arm() - something may have become due: an EV went bad. peer->lock held. */
void mrc_probing_arm(struct mrc_peer *peer, const struct mrc_peer_evs *evs);

/**
 * mrc_probing_tell() - our ports have changed: say so until it is answered
 *
 * Context: any; takes peer->lock.
 */
void mrc_probing_tell(struct mrc_peer *peer);

/**
 * mrc_probing_introduce() - a QP is being connected: the other end may know nothing of us
 *
 * Tells if a port is down; once if one has been down: the other end may remember that from
 * before there was this peer. Process context; takes peer->lock.
 */
void mrc_probing_introduce(struct mrc_peer *peer);

/** mrc_probing_may_answer() - one more answer to the peer? Softirq; takes peer->lock. */
bool mrc_probing_may_answer(struct mrc_peer *peer, enum mrc_ep_op op);

/**
 * mrc_probing_reverse_ev() - the EV for an answer to the peer
 *
 * Softirq or BH off, under RCU; takes peer->lock. Return: index or MRC_EV_NONE.
 */
u16 mrc_probing_reverse_ev(struct mrc_peer *peer, struct mrc_peer_evs *evs);

/**
 * mrc_probing_answer_evs() - the EVs for the answer to an EV probe or a port status
 * @peer: the peer
 * @evs: its EVs
 * @port: our port that the request came in by, 0: none of ours
 * @bits: EV bits that it came with
 * @ev: result: elements are indices
 *
 * Softirq or BH off, under RCU; takes peer->lock. Return: elements of @ev, 0: there is no EV.
 */
unsigned int mrc_probing_answer_evs(struct mrc_peer *peer,
				    struct mrc_peer_evs *evs, u8 port, u32 bits,
				    u16 ev[MRC_REVERSE_COPIES]);

/**
 * mrc_probing_reverse() - an answer was sent: is it time to probe the way back?
 *
 * Softirq or BH off, under RCU; takes peer->lock.
 */
void mrc_probing_reverse(struct mrc_peer *peer, struct mrc_peer_evs *evs);

/* From endpoint.c, softirq under RCU: what became of requests. */
void mrc_probing_answered(struct mrc_peer *peer, u32 evs_gen, u16 ev,
			  u64 sent_at);
void mrc_probing_lost(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at);
void mrc_probing_port_answered(struct mrc_peer *peer, u32 mask, u64 sent_at);

/**
 * mrc_probing_port_status() - the peer's port status
 * @peer: who says it
 * @ep: the request
 *
 * Softirq, under RCU; takes peer->lock. Return: false: it is not to be answered, for nobody is
 * connected, or it is older than another. True also if it leaves no port, which is not believed.
 */
bool mrc_probing_port_status(struct mrc_peer *peer, const struct mrc_ep *ep);

#endif /* _MRC_TRANSPORT_PROBING_H */
