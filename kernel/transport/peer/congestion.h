/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion contexts: the congestion window that QPs to one destination share. When they want more
 * room than there is, core/cc/shared.h decides whose turn it is. Here are the lock, the references
 * and the loop that gives turns: the QP whose answer made room gives turns to the QPs that wait.
 */
#ifndef _MRC_TRANSPORT_CONGESTION_H
#define _MRC_TRANSPORT_CONGESTION_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>

#include "../../core/cc/shared.h"

struct mrc_peer;

/**
 * struct mrc_congestion - a context
 * @list: in peer->congestions, unless the window is fixed; under peer->lock, readers under RCU
 * @links_rate: the rate is that of the links, at its creation or when a QP joined later, if that is
 *              more
 * @user: the user whose QPs share it
 * @peer: the peer; it stays until all QPs of the context have left
 * @users: QPs that have not left; under peer->lock
 * @ref: QPs that may look at it
 * @rcu: freed after readers
 * @lock: protects the members below; taken under the tx_lock of QPs
 * @shared: the window, and the queue of QPs that wait for room in it
 * @turn: gives the QP of a place its turn: now or, with @later, after others have had the CPU; BH
 *        off, under RCU
 * @serving: MRC_SERVE_*
 */
struct mrc_congestion {
	struct list_head list;
	bool links_rate;
	const void *user;
	struct mrc_peer *peer;
	unsigned int users;
	refcount_t ref;
	struct rcu_head rcu;
	spinlock_t lock;
	struct mrc_shared shared;
	void (*turn)(struct mrc_shared_place *place, bool later);
	unsigned long serving;
};

/**
 * struct mrc_congestion_cfg - what QPs that share a context have in common
 * @p: settings
 * @links_rate: @p.rate is that of the links; an older context with a lower rate takes this rate
 * @planes: number of planes that @p.rate counts
 * @user: owner of the QPs; compared, never followed
 * @alone: the QP shares its context with no other
 * @turn: see struct mrc_congestion
 */
struct mrc_congestion_cfg {
	struct mrc_cc_params p;
	bool links_rate;
	u32 planes;
	const void *user;
	bool alone;
	void (*turn)(struct mrc_shared_place *place, bool later);
};

#define MRC_SERVE_BUSY		0
#define MRC_SERVE_WANTED	1

/* At most so many contexts of a peer are added up. It may have as many as QPs. */
#define MRC_CONGESTION_SUM_MAX	4096u

/** struct mrc_congestion_state - a context at one moment; see struct mrc_cc */
struct mrc_congestion_state {
	u32 cwnd;
	u32 max_cwnd;
	u64 inflight;
	unsigned int qps;
	u32 base_ns;
	u32 delay_ns;
	u32 target_ns;
	u64 count[MRC_CC_COUNTS];
};

/** mrc_congestion_read() - read the state of a context, for dumps; BH off */
void mrc_congestion_read(struct mrc_congestion *c, struct mrc_congestion_state *s);

/**
 * struct mrc_congestion_sum - sum over those contexts of a peer that NSCC controls
 * @contexts: number of contexts; if 0, everything except @count is 0
 * @qps: QPs that share them
 * @cwnd: sum, bytes
 * @max_cwnd: sum, bytes
 * @inflight: sum, bytes
 * @lowest_cwnd: bytes, of the context with the smallest window
 * @highest_cwnd: bytes, of the context with the largest window
 * @base_ns: the lowest known base RTT; 0: none is known
 * @delay_ns: mean
 * @target_ns: mean
 * @count: see enum mrc_cc_count; includes contexts that have ended, so that it never decreases
 */
struct mrc_congestion_sum {
	u32 contexts;
	u32 qps;
	u64 cwnd;
	u64 max_cwnd;
	u64 inflight;
	u32 lowest_cwnd;
	u32 highest_cwnd;
	u32 base_ns;
	u64 delay_ns;
	u64 target_ns;
	u64 count[MRC_CC_COUNTS];
};

/** mrc_congestion_add_up() - add up MRC_CONGESTION_SUM_MAX contexts at most. Process context. */
void mrc_congestion_add_up(struct mrc_peer *peer, struct mrc_congestion_sum *sum);

/** struct mrc_congestion_move - state of a context before and after a step */
struct mrc_congestion_move {
	struct mrc_congestion_state was;
	struct mrc_congestion_state is;
};

/**
 * mrc_congestion_did() - which rule changed the window?
 *
 * Return: quick adapt, a quadrant or a penalty; MRC_CC_COUNTS: none of them.
 */
enum mrc_cc_count mrc_congestion_did(const struct mrc_congestion_move *move);

/**
 * mrc_congestion_join() - a QP begins to send
 * @peer: the peer; the QP has a reference to it until it has left
 * @cfg: QPs with the same configuration share a context
 *
 * Process context. Return: a reference, or NULL: no memory.
 */
struct mrc_congestion *mrc_congestion_join(struct mrc_peer *peer,
					   const struct mrc_congestion_cfg *cfg);

/**
 * mrc_congestion_leave() - a QP does not send any more
 * @c: its context
 * @place: the QP's place; its bytes in flight are forgotten
 *
 * Once per mrc_congestion_join(). The QP's tx_lock held, BH off. Other QPs may have their turn now:
 * call mrc_congestion_serve().
 */
void mrc_congestion_leave(struct mrc_congestion *c, struct mrc_shared_place *place);

/** mrc_congestion_put() - give back a reference; NULL is fine. Any context. */
void mrc_congestion_put(struct mrc_congestion *c);

/**
 * mrc_congestion_begin() - a QP has something to send: may it do so now?
 * @c: its context, locked
 * @place: the QP's place
 * @g: result: what the QP may send
 *
 * Return: false: it is not the QP's turn; see mrc_shared_begin().
 */
bool mrc_congestion_begin(struct mrc_congestion *c, struct mrc_shared_place *place,
			  struct mrc_cc_grant *g);

/**
 * mrc_congestion_end() - what the QP sends; call it after mrc_congestion_begin() returned true
 * @c: the context, locked since then
 * @place: the QP's place
 * @packets: packets that the QP sends now
 * @bytes: bytes of these packets
 * @wants: the QP has more to send
 * @now: ns
 */
void mrc_congestion_end(struct mrc_congestion *c, struct mrc_shared_place *place, u32 packets,
			u32 bytes, bool wants, u64 now);

/** mrc_congestion_step_aside() - a QP leaves the queue, with nothing to send for now. BH off. */
void mrc_congestion_step_aside(struct mrc_congestion *c, struct mrc_shared_place *place);

/**
 * mrc_congestion_learn() - congestion control learns what became of a QP's packets
 * @c: the QP's context
 * @place: the QP's place
 * @n: the news of the packets
 * @now: ns
 * @move: result: state before and after; NULL: not wanted
 *
 * BH off.
 */
void mrc_congestion_learn(struct mrc_congestion *c, struct mrc_shared_place *place,
			  struct mrc_cc_news *n, u64 now, struct mrc_congestion_move *move);

/**
 * mrc_congestion_timer() - time has passed for a QP: see mrc_shared_timer(). BH off.
 *
 * Return: true: other QPs may have their turn: call mrc_congestion_serve().
 */
bool mrc_congestion_timer(struct mrc_congestion *c, struct mrc_shared_place *place, u64 now);

/** mrc_congestion_capacity() - @live planes are up; @move: as mrc_congestion_learn(). BH off. */
void mrc_congestion_capacity(struct mrc_congestion *c, u32 live, struct mrc_congestion_move *move);

/**
 * mrc_congestion_serve() - give turns to QPs that wait, as far as there is room
 * @c: the context
 *
 * Call it after each step that makes room or changes whose turn it is. BH off, under RCU, no lock
 * of a QP held. It may be called during a turn: the outer call then goes on for it.
 */
void mrc_congestion_serve(struct mrc_congestion *c);

#endif /* _MRC_TRANSPORT_CONGESTION_H */
