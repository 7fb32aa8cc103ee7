// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/slab.h>

#include "../../compat/compat_timer.h"
#include "../peer/qp.h"
#include "waiting.h"

static bool mrc_waiting_empty(const struct mrc_waiting *w)
{
	return list_empty(&w->qps) && list_empty(&w->round);
}

/* Begins a round, if none goes on: it is for the QPs that wait now. */
static void mrc_waiting_begin(struct mrc_waiting *w)
{
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	if (list_empty(&w->round)) {
		list_splice_init(&w->qps, &w->round);
		w->got = false;
	}
	spin_unlock_irqrestore(&w->lock, flags);
}

/* Takes the first QP out of the round, with its reference, or NULL. */
static struct mrc_qp *mrc_waiting_take(struct mrc_waiting *w)
{
	unsigned long flags;
	struct mrc_qp *qp;

	spin_lock_irqsave(&w->lock, flags);
	qp = list_first_entry_or_null(&w->round, struct mrc_qp, waits);
	if (qp)
		list_del_init(&qp->waits);
	spin_unlock_irqrestore(&w->lock, flags);
	return qp;
}

/* Ends the round, for the room is used up. @qp had none: it has the first turn of the next round. */
static void mrc_waiting_stop(struct mrc_waiting *w, struct mrc_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	list_splice_init(&w->round, &w->qps);
	if (!list_empty(&qp->waits))
		list_move(&qp->waits, &w->qps);
	spin_unlock_irqrestore(&w->lock, flags);
}

/* Return: true: the QP had no room, and still waits. False: it had some, or wants none any more. */
static bool mrc_waiting_turn(struct mrc_waiting *w, struct mrc_qp *qp)
{
	u64 since = READ_ONCE(qp->waits_since);
	bool had;

	w->turn(qp);
	had = since && READ_ONCE(qp->waits_since) != since;
	w->got |= had;
	return !had && !list_empty_careful(&qp->waits);
}

/*
 * Gives turns until the room is used up. A QP whose planes had no room from the start does not stop
 * the others, which may have other planes. Return: ns until turns are given again.
 */
static u64 mrc_waiting_give(struct mrc_waiting *w)
{
	unsigned int n = MRC_WAITING_TURNS;
	struct mrc_qp *qp;
	bool stop = false;

	mrc_waiting_begin(w);
	while (!stop && n-- && (qp = mrc_waiting_take(w))) {
		stop = mrc_waiting_turn(w, qp) && w->got;
		if (stop)
			mrc_waiting_stop(w, qp);
		mrc_qp_put(qp);
	}
	if (stop)
		return MRC_WAITING_MAX;
	return w->got || !list_empty_careful(&w->round) ? 0 : MRC_WAITING_MAX;
}

/* Gives turns in @ns at the latest. w->lock held. */
static void mrc_waiting_arm(struct mrc_waiting *w, u64 ns)
{
	if (!mrc_waiting_empty(w) && !hrtimer_is_queued(&w->timer))
		hrtimer_start(&w->timer, ns_to_ktime(ktime_get_ns() + ns), HRTIMER_MODE_ABS_SOFT);
}

/* Softirq. */
static enum hrtimer_restart mrc_waiting_timer(struct hrtimer *timer)
{
	struct mrc_waiting *w = container_of(timer, struct mrc_waiting, timer);
	unsigned long flags;
	u64 ns;

	rcu_read_lock();
	ns = mrc_waiting_give(w);
	rcu_read_unlock();
	spin_lock_irqsave(&w->lock, flags);
	mrc_waiting_arm(w, ns);
	spin_unlock_irqrestore(&w->lock, flags);
	return HRTIMER_NORESTART;
}

int mrc_waiting_init(struct mrc_dev *dev, void (*turn)(struct mrc_qp *qp))
{
	struct mrc_waiting *w = kzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);

	if (!w)
		return -ENOMEM;
	spin_lock_init(&w->lock);
	INIT_LIST_HEAD(&w->qps);
	INIT_LIST_HEAD(&w->round);
	mrc_hrtimer_setup(&w->timer, mrc_waiting_timer);
	w->turn = turn;
	dev->waiting = w;
	return 0;
}

void mrc_waiting_fini(struct mrc_dev *dev)
{
	if (!dev->waiting)
		return;
	hrtimer_cancel(&dev->waiting->timer);
	kfree(dev->waiting);
}

void mrc_waiting_add(struct mrc_qp *qp)
{
	struct mrc_waiting *w = qp->dev->waiting;
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	if (list_empty(&qp->waits)) {
		mrc_qp_hold(qp);
		list_add_tail(&qp->waits, &w->qps);
	}
	mrc_waiting_arm(w, MRC_WAITING_MAX);
	spin_unlock_irqrestore(&w->lock, flags);
}

void mrc_waiting_remove(struct mrc_qp *qp)
{
	struct mrc_waiting *w = qp->dev->waiting;
	unsigned long flags;
	bool waited;

	spin_lock_irqsave(&w->lock, flags);
	waited = !list_empty(&qp->waits);
	list_del_init(&qp->waits);
	spin_unlock_irqrestore(&w->lock, flags);
	if (waited)
		mrc_qp_put(qp);
}

void mrc_waiting_hurry(struct mrc_dev *dev)
{
	struct mrc_waiting *w = dev->waiting;
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	if (!mrc_waiting_empty(w))
		hrtimer_start(&w->timer, 0, HRTIMER_MODE_ABS_SOFT);
	spin_unlock_irqrestore(&w->lock, flags);
}
