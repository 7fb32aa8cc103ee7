// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/slab.h>

#include "congestion.h"
#include "peer.h"

/* At most so many rounds, also for other CPUs that ask for one; then other tasks have this CPU. */
#define MRC_SERVE_ROUNDS	2u
/* A sum is tried so often while QPs keep ending; then it may be inexact. */
#define MRC_CONGESTION_SUM_TRIES	4u

/* ---- life ------------------------------------------------------------------- */

static struct mrc_congestion *mrc_congestion_alloc(struct mrc_peer *peer,
						   const struct mrc_congestion_cfg *cfg)
{
	struct mrc_congestion *c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);

	if (!c)
		return NULL;
	INIT_LIST_HEAD(&c->list);
	spin_lock_init(&c->lock);
	c->links_rate = cfg->links_rate;
	c->user = cfg->user;
	c->peer = peer;
	c->turn = cfg->turn;
	c->users = 1;
	refcount_set(&c->ref, 1);
	mrc_shared_init(&c->shared, &cfg->p, &mrc_timing_software, cfg->alone, ktime_get_ns());
	mrc_cc_capacity(&c->shared.cc, cfg->planes, cfg->planes);
	return c;
}

/*
 * Does a context fit the configuration? With @links_rate, rates are not compared: a context takes
 * the new rate if links have become faster. (mrc_cc_links() does it, and may run at the same time.)
 */
static bool mrc_congestion_fits(const struct mrc_congestion *c,
				const struct mrc_congestion_cfg *cfg)
{
	struct mrc_cc_params has;

	memcpy(&has, &c->shared.cc.p, sizeof(has));
	if (cfg->links_rate)
		has.rate = cfg->p.rate;
	return c->links_rate == cfg->links_rate && c->user == cfg->user &&
	       !memcmp(&has, &cfg->p, sizeof(has));
}

/* Shared contexts are first in the list. peer->lock held. */
static struct mrc_congestion *mrc_congestion_find(struct mrc_peer *peer,
						  const struct mrc_congestion_cfg *cfg)
{
	struct mrc_congestion *c;

	list_for_each_entry(c, &peer->congestions, list) {
		if (c->shared.alone)
			break;
		if (!mrc_congestion_fits(c, cfg))
			continue;
		c->users++;
		refcount_inc(&c->ref);
		return c;
	}
	return NULL;
}

struct mrc_congestion *mrc_congestion_join(struct mrc_peer *peer,
					   const struct mrc_congestion_cfg *cfg)
{
	struct mrc_congestion *new = mrc_congestion_alloc(peer, cfg), *found = NULL;

	if (!new || cfg->p.algorithm == MRC_CC_NONE)
		return new;
	spin_lock_bh(&peer->lock);
	if (!cfg->alone)
		found = mrc_congestion_find(peer, cfg);
	if (cfg->alone)
		list_add_tail_rcu(&new->list, &peer->congestions);
	else if (!found)
		list_add_rcu(&new->list, &peer->congestions);
	spin_unlock_bh(&peer->lock);
	if (!found)
		return new;
	kfree(new);
	if (cfg->links_rate) {
		spin_lock_bh(&found->lock);
		mrc_cc_links(&found->shared.cc, cfg->p.rate, cfg->planes);
		spin_unlock_bh(&found->lock);
	}
	return found;
}

/* The context's counts are added to those of the peer. peer->lock held. */
static void mrc_congestion_unlist(struct mrc_congestion *c)
{
	struct mrc_peer *peer = c->peer;
	unsigned int i;

	write_seqcount_begin(&peer->congestions_seq);
	for (i = 0; i < MRC_CC_COUNTS; i++)
		peer->congestions_past[i] += c->shared.cc.count[i];
	list_del_rcu(&c->list);
	write_seqcount_end(&peer->congestions_seq);
}

void mrc_congestion_leave(struct mrc_congestion *c, struct mrc_shared_place *place)
{
	spin_lock(&c->lock);
	mrc_shared_leave(&c->shared, place, ktime_get_ns());
	spin_unlock(&c->lock);
	spin_lock(&c->peer->lock);
	if (!--c->users && !list_empty(&c->list))
		mrc_congestion_unlist(c);
	spin_unlock(&c->peer->lock);
}

void mrc_congestion_put(struct mrc_congestion *c)
{
	if (c && refcount_dec_and_test(&c->ref))
		kfree_rcu(c, rcu);
}

/* ---- turns ------------------------------------------------------------------ */

bool mrc_congestion_begin(struct mrc_congestion *c, struct mrc_shared_place *place,
			  struct mrc_cc_grant *g)
{
	lockdep_assert_held(&c->lock);
	return mrc_shared_begin(&c->shared, place, g);
}

void mrc_congestion_end(struct mrc_congestion *c, struct mrc_shared_place *place, u32 packets,
			u32 bytes, bool wants, u64 now)
{
	lockdep_assert_held(&c->lock);
	mrc_shared_end(&c->shared, place, packets, bytes, wants, now);
}

void mrc_congestion_step_aside(struct mrc_congestion *c, struct mrc_shared_place *place)
{
	spin_lock(&c->lock);
	mrc_shared_step_aside(&c->shared, place);
	spin_unlock(&c->lock);
}

/* Return: the first place in the queue, or NULL: there is none, or no room for it. */
static struct mrc_shared_place *mrc_congestion_next(struct mrc_congestion *c)
{
	struct mrc_shared_place *place;

	spin_lock(&c->lock);
	place = mrc_shared_next(&c->shared);
	spin_unlock(&c->lock);
	return place;
}

/* Return: the place whose turn it is, or NULL: none, or @enough have had a turn for now. */
static struct mrc_shared_place *mrc_congestion_whose(struct mrc_congestion *c, bool *enough)
{
	struct mrc_shared_place *place;

	spin_lock(&c->lock);
	place = mrc_shared_turn(&c->shared, enough);
	spin_unlock(&c->lock);
	return place;
}

/*
 * Gives turns. A QP that is first again is busy: another CPU sends for it. Return: true: others
 * wait, but it is enough for now.
 */
static bool mrc_congestion_give(struct mrc_congestion *c)
{
	const struct mrc_shared_place *last = NULL;
	struct mrc_shared_place *place;
	bool enough;

	spin_lock(&c->lock);
	mrc_shared_serve(&c->shared);
	spin_unlock(&c->lock);
	while ((place = mrc_congestion_whose(c, &enough)) && place != last) {
		last = place;
		c->turn(place, false);
	}
	return enough;
}

/* Other tasks want this CPU, too: the QP whose turn it is goes on by its timer. */
static void mrc_congestion_later(struct mrc_congestion *c)
{
	struct mrc_shared_place *place = mrc_congestion_next(c);

	if (place)
		c->turn(place, true);
}

void mrc_congestion_serve(struct mrc_congestion *c)
{
	unsigned int rounds = MRC_SERVE_ROUNDS;
	bool more = false, served = false;

	if (!mrc_shared_any_waits(&c->shared))
		return;
	/* As in mrc_requester_go(): the CPU that gives turns goes on for CPUs that find it busy. */
	smp_mb__before_atomic();
	set_bit(MRC_SERVE_WANTED, &c->serving);
	while (rounds-- && !more && test_bit(MRC_SERVE_WANTED, &c->serving) &&
	       !test_and_set_bit_lock(MRC_SERVE_BUSY, &c->serving)) {
		clear_bit(MRC_SERVE_WANTED, &c->serving);
		smp_mb__after_atomic();
		more = mrc_congestion_give(c);
		served = true;
		clear_bit_unlock(MRC_SERVE_BUSY, &c->serving);
		smp_mb__after_atomic();
	}
	if (served && (more || test_bit(MRC_SERVE_WANTED, &c->serving)))
		mrc_congestion_later(c);
}

/* ---- news ------------------------------------------------------------------- */

static void mrc_congestion_look(const struct mrc_congestion *c, struct mrc_congestion_state *s)
{
	lockdep_assert_held(&c->lock);
	s->cwnd = c->shared.cc.cwnd;
	s->max_cwnd = c->shared.cc.max_cwnd;
	s->inflight = c->shared.cc.inflight;
	s->qps = READ_ONCE(c->users);
	s->base_ns = c->shared.cc.base_ns;
	s->delay_ns = c->shared.cc.avg_ns;
	s->target_ns = c->shared.cc.d.target_ns;
	memcpy(s->count, c->shared.cc.count, sizeof(s->count));
}

void mrc_congestion_learn(struct mrc_congestion *c, struct mrc_shared_place *place,
			  struct mrc_cc_news *n, u64 now, struct mrc_congestion_move *move)
{
	spin_lock(&c->lock);
	if (move)
		mrc_congestion_look(c, &move->was);
	mrc_shared_learn(&c->shared, place, n, now);
	if (move)
		mrc_congestion_look(c, &move->is);
	spin_unlock(&c->lock);
}

bool mrc_congestion_timer(struct mrc_congestion *c, struct mrc_shared_place *place, u64 now)
{
	bool silent;

	spin_lock(&c->lock);
	silent = mrc_shared_timer(&c->shared, place, now);
	spin_unlock(&c->lock);
	return silent;
}

void mrc_congestion_capacity(struct mrc_congestion *c, u32 live, struct mrc_congestion_move *move)
{
	spin_lock(&c->lock);
	if (move)
		mrc_congestion_look(c, &move->was);
	mrc_shared_capacity(&c->shared, live);
	if (move)
		mrc_congestion_look(c, &move->is);
	spin_unlock(&c->lock);
}

/* ---- dumps ------------------------------------------------------------------ */

void mrc_congestion_read(struct mrc_congestion *c, struct mrc_congestion_state *s)
{
	spin_lock(&c->lock);
	mrc_congestion_look(c, s);
	spin_unlock(&c->lock);
}

enum mrc_cc_count mrc_congestion_did(const struct mrc_congestion_move *move)
{
	static const enum mrc_cc_count order[] = {
		MRC_CC_QUICK_ADAPTS, MRC_CC_FAST, MRC_CC_PROPORTIONAL, MRC_CC_FAIR,
		MRC_CC_HOLD, MRC_CC_DECREASE, MRC_CC_PENALTIES,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (move->is.count[order[i]] != move->was.count[order[i]])
			return order[i];
	return MRC_CC_COUNTS;
}

static void mrc_congestion_add(struct mrc_congestion_sum *sum, const struct mrc_congestion_state *s)
{
	unsigned int i;

	sum->lowest_cwnd = sum->contexts ? min(sum->lowest_cwnd, s->cwnd) : s->cwnd;
	sum->highest_cwnd = max(sum->highest_cwnd, s->cwnd);
	if (s->base_ns && (!sum->base_ns || s->base_ns < sum->base_ns))
		sum->base_ns = s->base_ns;
	sum->contexts++;
	sum->qps += s->qps;
	sum->cwnd += s->cwnd;
	sum->max_cwnd += s->max_cwnd;
	sum->inflight += s->inflight;
	sum->delay_ns += s->delay_ns;
	sum->target_ns += s->target_ns;
	for (i = 0; i < MRC_CC_COUNTS; i++)
		sum->count[i] += s->count[i];
}

/* Walks under RCU: peer->lock would stop senders for the whole walk. */
static void mrc_congestion_add_all(struct mrc_peer *peer, struct mrc_congestion_sum *sum)
{
	struct mrc_congestion_state s;
	struct mrc_congestion *c;

	memset(sum, 0, sizeof(*sum));
	memcpy(sum->count, peer->congestions_past, sizeof(sum->count));
	rcu_read_lock();
	list_for_each_entry_rcu(c, &peer->congestions, list) {
		if (sum->contexts == MRC_CONGESTION_SUM_MAX)
			break;
		local_bh_disable();
		mrc_congestion_read(c, &s);
		local_bh_enable();
		mrc_congestion_add(sum, &s);
	}
	rcu_read_unlock();
}

void mrc_congestion_add_up(struct mrc_peer *peer, struct mrc_congestion_sum *sum)
{
	unsigned int tries = MRC_CONGESTION_SUM_TRIES, seq;

	/* A context that ends meanwhile would count twice, or not at all. */
	do {
		seq = read_seqcount_begin(&peer->congestions_seq);
		mrc_congestion_add_all(peer, sum);
	} while (read_seqcount_retry(&peer->congestions_seq, seq) && --tries);
	if (!sum->contexts)
		return;
	sum->delay_ns = div_u64(sum->delay_ns, sum->contexts);
	sum->target_ns = div_u64(sum->target_ns, sum->contexts);
}
