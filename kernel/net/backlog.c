// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <net/ipv6.h>
#include <net/sch_generic.h>
#include <net/sock.h>

#include "backlog.h"

/*
 * Half of the bound has left: adjust the bound by the time that it took. One slow time, as when the
 * machine stood still for a moment, takes only a quarter off. One fast time doubles the bound,
 * because the queue is faster than was thought. Under the lock of b->head.
 */
static void mrc_backlog_follow(const struct mrc_backlog *b, struct sock *sk)
{
	u64 took = ktime_get_ns() - b->full_at;
	u32 bound = READ_ONCE(sk->sk_sndbuf);

	if (took < MRC_BACKLOG_SOON)
		bound = min(2 * bound, MRC_BACKLOG_MAX);
	else if (took > MRC_BACKLOG_LATE)
		bound = max(bound - bound / 4, MRC_BACKLOG_MIN);
	WRITE_ONCE(sk->sk_sndbuf, bound);
}

/* Called when an skb that is freed makes enough room. Under the lock of b->head, interrupts off. */
static int mrc_backlog_woken(wait_queue_entry_t *wait, unsigned int mode, int flags, void *key)
{
	struct mrc_backlog *b = container_of(wait, struct mrc_backlog, wait);

	list_del_init(&wait->entry);
	mrc_backlog_follow(b, b->sock->sk);
	b->room(b);
	return 1;
}

/*
 * Drops of a qdisc. A root counts the drops of its children, too. Except for mq: its children are
 * the qdiscs of the queues, and counted there.
 */
static u32 mrc_backlog_drops_of(const struct Qdisc *q)
{
	u32 drops = 0;
	int cpu;

	if (!qdisc_is_percpu_stats(q))
		return READ_ONCE(q->qstats.drops);
	for_each_possible_cpu(cpu)
		drops += per_cpu_ptr(q->cpu_qstats, cpu)->drops;
	return drops;
}

/* Under RCU. */
static u32 mrc_backlog_drops(const struct net_device *dev)
{
	const struct Qdisc *q, *last = NULL;
	unsigned int i;
	u32 drops = 0;

	for (i = 0; i < READ_ONCE(dev->real_num_tx_queues); i++) {
		q = rcu_dereference(netdev_get_tx_queue(dev, i)->qdisc);
		if (q && q != last)
			drops += mrc_backlog_drops_of(q);
		last = q;
	}
	return drops;
}

bool mrc_backlog_dropped(struct mrc_backlog *b, const struct net_device *dev, u64 now)
{
	s64 looked = atomic64_read(&b->looked_at);
	u32 drops;

	if (now - looked >= MRC_BACKLOG_LOOK &&
	    atomic64_cmpxchg(&b->looked_at, looked, now) == looked) {
		drops = mrc_backlog_drops(dev);
		if (drops != READ_ONCE(b->drops))
			WRITE_ONCE(b->dropped_at, now);
		WRITE_ONCE(b->drops, drops);
	}
	return b->dropped_at && now - READ_ONCE(b->dropped_at) < MRC_BACKLOG_MISSED;
}

int mrc_backlog_open(struct mrc_backlog *b, const struct net_device *dev,
		     void (*room)(struct mrc_backlog *b))
{
	int err = sock_create_kern(dev_net(dev), AF_INET6, SOCK_DGRAM, IPPROTO_UDP, &b->sock);
	struct sock *sk;

	if (err)
		return err;
	sk = b->sock->sk;
	/* A sender that finds it under RCU charges an skb to it, or sees that it was closed. */
	sock_set_flag(sk, SOCK_RCU_FREE);
	sk->sk_sndbuf = MRC_BACKLOG_MIN;
	/* A forged "packet too big" must not shrink the MTU of our packets' path. */
	inet6_sk(sk)->pmtudisc = IPV6_PMTUDISC_INTERFACE;
	rcu_read_lock();
	b->drops = mrc_backlog_drops(dev);
	rcu_read_unlock();
	b->room = room;
	b->head = sk_sleep(sk);
	init_waitqueue_func_entry(&b->wait, mrc_backlog_woken);
	INIT_LIST_HEAD(&b->wait.entry);
	rcu_assign_pointer(b->sk, sk);
	return 0;
}

void mrc_backlog_close(struct mrc_backlog *b)
{
	spin_lock_irq(&b->head->lock);
	b->closed = true;
	list_del_init(&b->wait.entry);
	spin_unlock_irq(&b->head->lock);
	RCU_INIT_POINTER(b->sk, NULL);
	sock_release(b->sock);
}

bool mrc_backlog_charge(const struct mrc_backlog *b, struct sk_buff *skb)
{
	struct sock *sk = rcu_dereference(b->sk);

	/* Zero: the socket was closed, and no skb that was charged to it is left. */
	if (!sk || !refcount_add_not_zero(skb->truesize, &sk->sk_wmem_alloc))
		return false;
	skb->sk = sk;
	skb->destructor = sock_wfree;
	return true;
}

u32 mrc_backlog_room(const struct mrc_backlog *b)
{
	const struct sock *sk = rcu_dereference(b->sk);
	u32 bound, used;

	if (!sk)
		return MRC_BACKLOG_MAX;
	bound = READ_ONCE(sk->sk_sndbuf);
	used = sk_wmem_alloc_get(sk);
	if (!used)
		return max(bound, MRC_BACKLOG_EMPTY);
	return bound - min(used, bound);
}

bool mrc_backlog_await(struct mrc_backlog *b)
{
	const struct sock *sk = rcu_dereference(b->sk);
	unsigned long flags;

	if (!sk)
		return false;
	spin_lock_irqsave(&b->head->lock, flags);
	if (!b->closed && list_empty(&b->wait.entry)) {
		b->full_at = ktime_get_ns();
		__add_wait_queue(b->head, &b->wait);
	}
	spin_unlock_irqrestore(&b->head->lock, flags);
	/*
	 * Pairs with the wakeup of an skb that makes room at this moment: either the wakeup finds
	 * the entry in the queue, or the test below sees the room.
	 */
	smp_mb();
	return !sock_writeable(sk);
}
