/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The backlog of a plane: skbs that were sent by the plane and have not left this host. They wait
 * in the netdev's qdiscs and in the driver's rings. The backlog is bounded, as TCP bounds what each
 * connection has there. When it is full, a QP waits. Otherwise it would fill queues that drop
 * packets, and answers would wait behind its data.
 *
 * Each plane has a socket. The plane's skbs are charged to that socket, as a program's skbs are to
 * the program's socket, and the stack treats them alike: when an aggregate is cut, its parts
 * inherit the charge; whatever orphans an skb (veth, a bridge, a delay of netem) removes the
 * charge; and an skb that is freed late calls no code of this module. Where every skb is orphaned
 * there is no bound.
 *
 * A qdisc may drop a packet after it has taken it, as fq_codel does with packets that have waited
 * for long. It does not say which packets it drops; its counters show only that it has dropped
 * some.
 *
 * The bound is what leaves in about a millisecond. It is adjusted by how long half of it took to
 * leave.
 */
#ifndef _MRC_NET_BACKLOG_H
#define _MRC_NET_BACKLOG_H

#include <linux/skbuff.h>
#include <linux/wait.h>

struct net_device;
struct sock;
struct socket;

/*
 * The bound, in bytes of memory of the plane's skbs: the least, and the most. It begins with the least,
 * two skbs of full length. With less the plane would get next to nothing of a queue that others fill.
 */
#define MRC_BACKLOG_MIN		(128u << 10)
#define MRC_BACKLOG_MAX		(16u << 20)
/*
 * Room of an empty backlog: more than a batch, so that no batch is cut when nothing waits. Parts of
 * batches are dealt out unevenly.
 */
#define MRC_BACKLOG_EMPTY	(512u << 10)
/* Half of the bound should take between these two times to leave; ns. */
#define MRC_BACKLOG_SOON	(NSEC_PER_MSEC / 4)
#define MRC_BACKLOG_LATE	NSEC_PER_MSEC
/*
 * The qdiscs' counters are read once in MRC_BACKLOG_LOOK at most. A drop counts as recent for
 * MRC_BACKLOG_MISSED. Both in ns.
 */
#define MRC_BACKLOG_LOOK	NSEC_PER_MSEC
#define MRC_BACKLOG_MISSED	(100 * NSEC_PER_MSEC)

/**
 * struct mrc_backlog - what waits on this host for one plane
 * @sk: the socket to which skbs are charged; NULL: closed. Read under RCU
 * @sock: the struct socket of @sk
 * @head: the wait queue of @sk; it outlives @sk by an RCU grace period
 * @wait: entry in @head while @room must be called; under the lock of @head
 * @closed: @room is not called any more; under the lock of @head
 * @full_at: ns, when @wait was put into @head; under the lock of @head
 * @drops: sum of the drop counters of all qdiscs of the netdev when they were last read
 * @looked_at: ns, when they were last read
 * @dropped_at: ns, when their sum was last found changed
 * @room: called when half of the bound is free again. Any context, under the lock of @head,
 *        interrupts off
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
 * mrc_backlog_open() - make an empty backlog
 * @b: zeroed
 * @dev: the plane's netdev
 * @room: see struct mrc_backlog
 *
 * Process context, sleeps. Return: 0, or an error of the socket layer.
 */
int mrc_backlog_open(struct mrc_backlog *b, const struct net_device *dev,
		     void (*room)(struct mrc_backlog *b));

/**
 * mrc_backlog_close() - no skb is charged any more, and @room is not called any more
 *
 * Skbs that are on their way still leave. A sender that found @b under RCU may still use it, so @b
 * must stay for a grace period. Process context, sleeps; RTNL may be held.
 */
void mrc_backlog_close(struct mrc_backlog *b);

/** mrc_backlog_charge() - charge an skb without owner. Under RCU. Return: false: @b is closed. */
bool mrc_backlog_charge(const struct mrc_backlog *b, struct sk_buff *skb);

/**
 * mrc_backlog_room() - bytes of memory that may be added now; 0: the backlog is full
 *
 * An empty backlog has room for a whole batch, whatever the bound. Under RCU.
 */
u32 mrc_backlog_room(const struct mrc_backlog *b);

/**
 * mrc_backlog_await() - have @room called once, when half of the bound is free
 *
 * Under RCU. Return: false: half is free already, or @b is closed.
 */
bool mrc_backlog_await(struct mrc_backlog *b);

/**
 * mrc_backlog_dropped() - has a qdisc of the netdev dropped a packet, of anybody's, of late?
 * @b: the backlog
 * @dev: the plane's netdev
 * @now: ns
 *
 * Walks over the netdev's queues, once in MRC_BACKLOG_LOOK at most. Meant for callers that miss an
 * answer. Under RCU.
 */
bool mrc_backlog_dropped(struct mrc_backlog *b, const struct net_device *dev, u64 now);

#endif /* _MRC_NET_BACKLOG_H */
