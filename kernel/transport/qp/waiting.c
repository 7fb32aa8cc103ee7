// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/slab.h>

#include "../../compat/compat_timer.h"
#include "../peer/qp.h"
#include "waiting.h"

static bool mrc_waiting_empty(const struct mrc_waiting *w)
{
	return list_empty(&w->qps) && list_empty(&w->round) && list_empty(&w->kept);
}

/* Begins a round, if none goes on: it is for the QPs that wait now. */
static void mrc_waiting_begin(struct mrc_waiting *w)
{
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	if (list_empty(&w->round))
		list_splice_init(&w->qps, &w->round);
	spin_unlock_irqrestore(&w->lock, flags);
}

/* Ends the round. The QPs that had no room are first in the next one. */
static void mrc_waiting_end(struct mrc_waiting *w)
{
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	list_splice_init(&w->round, &w->qps);
	list_splice_init(&w->kept, &w->qps);
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

/* The QP had no room. Return: it still waits. */
static bool mrc_waiting_keep(struct mrc_waiting *w, struct mrc_qp *qp)
{
	unsigned long flags;
	bool waits;

	spin_lock_irqsave(&w->lock, flags);
	waits = !list_empty(&qp->waits);
	if (waits)
		list_move_tail(&qp->waits, &w->kept);
	spin_unlock_irqrestore(&w->lock, flags);
	return waits;
}

/* Return: the QP had no room, and still waits. False: it had some, or wants none any more. */
static bool mrc_waiting_turn(struct mrc_waiting *w, struct mrc_qp *qp)
{
	u64 since = READ_ONCE(qp->waits_since);

	w->turn(qp);
	return since && READ_ONCE(qp->waits_since) == since && mrc_waiting_keep(w, qp);
}

/*
 * Gives turns until all planes are full, and then awaits room on each. A QP that had no room does
 * not stop the others, which may have other planes. Return: the round goes on, in a moment.
 */
static bool mrc_waiting_give(struct mrc_waiting *w)
{
	unsigned int n = MRC_WAITING_TURNS;
	struct mrc_qp *qp;
	bool full = false;

	mrc_waiting_begin(w);
	while (!full && n-- && (qp = mrc_waiting_take(w))) {
		full = mrc_waiting_turn(w, qp) && mrc_planes_await(&qp->dev->planes);
		mrc_qp_put(qp);
	}
	if (!full && !list_empty_careful(&w->round))
		return true;
	mrc_waiting_end(w);
	return false;
}

static void mrc_waiting_start(struct mrc_waiting *w, u64 ns)
{
	hrtimer_start(&w->timer, ns_to_ktime(ktime_get_ns() + ns), HRTIMER_MODE_ABS_SOFT);
}

/* Gives turns in MRC_WAITING_MAX at the latest. w->lock held. */
static void mrc_waiting_arm(struct mrc_waiting *w)
{
	if (!mrc_waiting_empty(w) && !hrtimer_is_queued(&w->timer))
		mrc_waiting_start(w, MRC_WAITING_MAX);
}

/* Softirq. A QP that waits again has armed the timer meanwhile: a round that goes on is earlier. */
static enum hrtimer_restart mrc_waiting_timer(struct hrtimer *timer)
{
	struct mrc_waiting *w = container_of(timer, struct mrc_waiting, timer);
	unsigned long flags;
	bool goes_on;

	rcu_read_lock();
	goes_on = mrc_waiting_give(w);
	rcu_read_unlock();
	spin_lock_irqsave(&w->lock, flags);
	if (goes_on)
		mrc_waiting_start(w, 0);
	else
		mrc_waiting_arm(w);
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
	INIT_LIST_HEAD(&w->kept);
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
	mrc_waiting_arm(w);
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
		mrc_waiting_start(w, 0);
	spin_unlock_irqrestore(&w->lock, flags);
}
