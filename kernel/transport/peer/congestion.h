/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion contexts: the window that QPs to one destination share. Whose turn it is to send when
 * there is less room than they want is decided in core/cc/shared.h; here are the lock, the references and
 * the loop in which turns are given: the QP whose answer has made room gives turns to those that wait.
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
 * @links_rate: the rate is what links said when it was made, or more, if a QP that joined later knew
 * @user: whose QPs share it
 * @peer: whose; there as long as one of its QPs has not left
 * @users: QPs that have not left; under peer->lock
 * @ref: QPs that may look at it
 * @rcu: freed after readers
 * @lock: guards the rest; inside tx_lock of QPs
 * @shared: the window, and the queue of QPs that would send, had they room
 * @turn: tells the QP of a place that it is its turn: now, or @later, when others have had the CPU;
 *        BH off, under RCU
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
 * struct mrc_congestion_cfg - what QPs have in common that share a context
 * @p: settings
 * @links_rate: @p.rate is that of the links: contexts may have a lower one that is older, and take it
 * @planes: that @p.rate counts
 * @user: whose they are; compared, never followed
 * @alone: this one shares none
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

/* Contexts of a peer that are added up, at most: it may have as many as its QPs. */
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

/** mrc_congestion_read() - for dumps; BH off */
void mrc_congestion_read(struct mrc_congestion *c, struct mrc_congestion_state *s);

/**
 * struct mrc_congestion_sum - what the contexts of a peer that NSCC steers add up to
 * @contexts: how many there are; without any, all but @count is 0
 * @qps: that share them
 * @cwnd: bytes; of all of them, as the next two
 * @max_cwnd: bytes
 * @inflight: bytes
 * @lowest_cwnd: bytes, of one
 * @highest_cwnd: bytes, of one
 * @base_ns: the lowest that is known; 0: none is
 * @delay_ns: mean
 * @target_ns: mean
 * @count: see enum mrc_cc_count; of contexts that have ended, too: they never become less
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

/** mrc_congestion_add_up() - contexts of a peer, so many at most. Process context. */
void mrc_congestion_add_up(struct mrc_peer *peer, struct mrc_congestion_sum *sum);

/** struct mrc_congestion_move - a context before and after something */
struct mrc_congestion_move {
	struct mrc_congestion_state was;
	struct mrc_congestion_state is;
};

/**
 * mrc_congestion_did() - what was done to the window
 *
 * Return: quick adapt, a quadrant or a penalty; MRC_CC_COUNTS: none of them.
 */
enum mrc_cc_count mrc_congestion_did(const struct mrc_congestion_move *move);

/**
 * mrc_congestion_join() - a QP begins to send
 * @peer: where to, of which it has a reference until it has left
 * @cfg: QPs with the same one share a context
 *
 * Process context. Return: a reference, or NULL: no memory.
 */
struct mrc_congestion *mrc_congestion_join(struct mrc_peer *peer,
					   const struct mrc_congestion_cfg *cfg);

/**
 * mrc_congestion_leave() - a QP sends no more
 * @c: its context
 * @place: its own; what it has in flight is forgotten
 *
 * Once per mrc_congestion_join(). Its tx_lock held, BH off. Others may have their turn now:
 * mrc_congestion_serve().
 */
void mrc_congestion_leave(struct mrc_congestion *c, struct mrc_shared_place *place);

/** mrc_congestion_put() - give back a reference; NULL is fine. Any context. */
void mrc_congestion_put(struct mrc_congestion *c);

/**
 * mrc_congestion_begin() - a QP has something to send: is it its turn?
 * @c: its context, locked
 * @place: its own
 * @g: result: what it may send
 *
 * Return: false: it is not; see mrc_shared_begin().
 */
bool mrc_congestion_begin(struct mrc_congestion *c, struct mrc_shared_place *place,
			  struct mrc_cc_grant *g);

/**
 * mrc_congestion_end() - after mrc_congestion_begin(), if that was true
 * @c: the context, locked since then
 * @place: the QP's own
 * @packets: that it sends now
 * @bytes: of them
 * @wants: it has more
 * @now: ns
 */
void mrc_congestion_end(struct mrc_congestion *c, struct mrc_shared_place *place, u32 packets,
			u32 bytes, bool wants, u64 now);

/** mrc_congestion_step_aside() - a QP wants nothing for now: it waits no more. BH off. */
void mrc_congestion_step_aside(struct mrc_congestion *c, struct mrc_shared_place *place);

/**
 * mrc_congestion_learn() - what has become of a QP's packets
 * @c: its context
 * @place: its own
 * @n: that
 * @now: ns
 * @move: result: what it did; NULL: nobody looks
 *
 * BH off.
 */
void mrc_congestion_learn(struct mrc_congestion *c, struct mrc_shared_place *place,
			  struct mrc_cc_news *n, u64 now, struct mrc_congestion_move *move);

/**
 * mrc_congestion_timer() - time has passed for a QP: see mrc_shared_timer(). BH off.
 *
 * Return: others may have their turn: mrc_congestion_serve().
 */
bool mrc_congestion_timer(struct mrc_congestion *c, struct mrc_shared_place *place, u64 now);

/** mrc_congestion_capacity() - so many planes are up; @move: see mrc_congestion_learn(). BH off. */
void mrc_congestion_capacity(struct mrc_congestion *c, u32 live, struct mrc_congestion_move *move);

/**
 * mrc_congestion_serve() - those that wait have their turns, as far as there is room
 * @c: the context
 *
 * To be called after anything that makes room or changes whose turn it is. BH off, under RCU, no lock
 * of a QP held. May be called by a turn: the caller goes on.
 */
void mrc_congestion_serve(struct mrc_congestion *c);

#endif /* _MRC_TRANSPORT_CONGESTION_H */
