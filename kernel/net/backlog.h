/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this host has sent by a plane and what has not left it: skbs in queues of the netdev, be
 * they qdiscs or rings of the driver. It is bounded, as TCP bounds what a connection has there: a
 * QP that would send more waits, in place of filling queues that drop, and behind which answers
 * wait.
 *
 * Each plane has a socket, to which its skbs are charged as those of a program are to its socket.
 * So what the stack does with a program's skbs it does with these: an aggregate that is cut hands
 * the charge on to its parts, whoever orphans an skb (veth, a bridge, a delay of netem) takes the
 * charge away, and no skb that is freed late calls code of this module. Where everything is
 * orphaned there is no bound.
 *
 * What a qdisc has taken it may drop later, as fq_codel does with what has waited for long, and
 * tells nobody. Only that it has dropped something can be seen, by its counters.
 *
 * The bound is what leaves in about a millisecond, and is found by the time that half of it takes.
 */
#ifndef _MRC_NET_BACKLOG_H
#define _MRC_NET_BACKLOG_H

#include <linux/skbuff.h>
#include <linux/wait.h>

struct net_device;
struct sock;
struct socket;

/* Bytes of memory that skbs of a plane take, at most: bounds of the bound, and where it begins. */
#define MRC_BACKLOG_MIN		(16u << 10)
#define MRC_BACKLOG_FIRST	(64u << 10)
#define MRC_BACKLOG_MAX		(16u << 20)
/* More than a batch: where nothing waits none is cut, for parts of batches are dealt out unevenly. */
#define MRC_BACKLOG_EMPTY	(512u << 10)
/* Half of it is to leave in a time between these, ns. */
#define MRC_BACKLOG_SOON	(NSEC_PER_MSEC / 4)
#define MRC_BACKLOG_LATE	NSEC_PER_MSEC
/* Counters of qdiscs are read no more often; what was dropped is missed for so long at most; ns. */
#define MRC_BACKLOG_LOOK	NSEC_PER_MSEC
#define MRC_BACKLOG_MISSED	(100 * NSEC_PER_MSEC)

/**
 * struct mrc_backlog - what waits on this host for one plane
 * @sk: skbs are charged to it; NULL: closed. Read under RCU
 * @sock: around it
 * @head: of those that wait for room there; it outlives @sk by an RCU grace period
 * @wait: in it while somebody wants to be told; under its lock
 * @closed: nobody is told any more; under the same lock
 * @full_at: ns, when @wait was put there; under the same lock
 * @drops: of all qdiscs of the netdev, as they were looked at last
 * @looked_at: ns, when that was
 * @dropped_at: ns, when there were others than before
 * @room: half of the bound is free again. Any context, under that lock, interrupts off
 */
struct mrc_backlog {
	struct sock __rcu *sk;
	struct socket *sock;
	wait_queue_head_t *head;
	wait_queue_entry_t wait;
	bool closed;
	u64 full_at;
	u32 drops;
	atomic64_t looked_at;
	u64 dropped_at;
	void (*room)(struct mrc_backlog *b);
};

/**
 * mrc_backlog_open() - nothing waits
 * @b: zeroed
 * @dev: the plane's netdev
 * @room: see struct mrc_backlog
 *
 * Process context, sleeps. Return: 0, or what the socket layer says.
 */
int mrc_backlog_open(struct mrc_backlog *b, const struct net_device *dev,
		     void (*room)(struct mrc_backlog *b));

/**
 * mrc_backlog_close() - nothing is charged any more, and nobody told
 *
 * What is on its way stays so. Process context, sleeps; RTNL may be held. Whoever found @b under
 * RCU may go on with it: @b stays for a grace period.
 */
void mrc_backlog_close(struct mrc_backlog *b);

/** mrc_backlog_charge() - an skb, nobody's yet, leaves. Under RCU. Return: false: it is closed. */
bool mrc_backlog_charge(const struct mrc_backlog *b, struct sk_buff *skb);

/**
 * mrc_backlog_room() - bytes of memory that may be added now; 0: it is full
 *
 * Where nothing waits that is a whole batch, whatever the bound. Under RCU.
 */
u32 mrc_backlog_room(const struct mrc_backlog *b);

/**
 * mrc_backlog_await() - @room is to be called, once
 *
 * Under RCU. Return: false: half of it is free already.
 */
bool mrc_backlog_await(struct mrc_backlog *b);

/**
 * mrc_backlog_dropped() - has a qdisc of the netdev dropped something, whoever's, of late?
 * @b: the backlog
 * @dev: the plane's netdev
 * @now: ns
 *
 * Under RCU. A walk over its queues, once in MRC_BACKLOG_LOOK at most: for those who miss something.
 */
bool mrc_backlog_dropped(struct mrc_backlog *b, const struct net_device *dev, u64 now);

#endif /* _MRC_NET_BACKLOG_H */
