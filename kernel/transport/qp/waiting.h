/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs that have something to send, and for which no plane of their peer has room on this host
 * (net/backlog.h): they take turns, the one that has waited longest first. No QP waits for longer
 * than MRC_WAITING_MAX before it sends a packet all the same: a queue that stands still may be full,
 * and then says so.
 */
#ifndef _MRC_TRANSPORT_WAITING_H
#define _MRC_TRANSPORT_WAITING_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>

struct mrc_dev;
struct mrc_qp;

#define MRC_WAITING_MAX		(100 * NSEC_PER_MSEC)
/* Turns that are given before others have the CPU. */
#define MRC_WAITING_TURNS	64u

/**
 * struct mrc_waiting - those of a device
 * @lock: guards the rest; interrupts off
 * @qps: a reference each
 * @timer: when they are given turns, in softirq
 * @turn: gives one; BH off, under RCU
 */
struct mrc_waiting {
	spinlock_t lock;
	struct list_head qps;
	struct hrtimer timer;
	void (*turn)(struct mrc_qp *qp);
};

/** mrc_waiting_init() - nobody waits. @turn: see struct mrc_waiting. Return: 0 or -ENOMEM. */
int mrc_waiting_init(struct mrc_dev *dev, void (*turn)(struct mrc_qp *qp));
/** mrc_waiting_fini() - undo it, if it was done: there is no QP left. Process context, sleeps. */
void mrc_waiting_fini(struct mrc_dev *dev);

/** mrc_waiting_add() - a QP waits from now on, if it did not already. Any context. */
void mrc_waiting_add(struct mrc_qp *qp);
/** mrc_waiting_remove() - it has ended. Any context. */
void mrc_waiting_remove(struct mrc_qp *qp);

/** mrc_waiting_hurry() - a plane has room: they have their turns now. Any context. */
void mrc_waiting_hurry(struct mrc_dev *dev);

#endif /* _MRC_TRANSPORT_WAITING_H */
