/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs that wait for room on this host: they have something to send, and the queues of all planes to
 * their peer are full (net/backlog.h). They take turns, and the QP that has waited longest is
 * first. After MRC_WAITING_MAX a QP sends one packet without room: if a queue stands still, it will
 * drop the packet, and the QP learns of it.
 */
#ifndef _MRC_TRANSPORT_WAITING_H
#define _MRC_TRANSPORT_WAITING_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>

struct mrc_dev;
struct mrc_qp;

#define MRC_WAITING_MAX		(100 * NSEC_PER_MSEC)
/* So many turns are given before other tasks have the CPU. */
#define MRC_WAITING_TURNS	64u

/**
 * struct mrc_waiting - waiting QPs of a device
 * @lock: protects the other members; interrupts off
 * @qps: list of QPs, a reference each
 * @round: those QPs whose turns in this round are to come, likewise
 * @kept: those that had their turn in this round, and no room, likewise
 * @timer: gives them turns, in softirq
 * @turn: gives a QP a turn; BH off, under RCU
 */
struct mrc_waiting {
	spinlock_t lock;
	struct list_head qps;
	struct list_head round;
	struct list_head kept;
	struct hrtimer timer;
	void (*turn)(struct mrc_qp *qp);
};

/** mrc_waiting_init() - set it up; @turn: see struct mrc_waiting. Return: 0 or -ENOMEM. */
int mrc_waiting_init(struct mrc_dev *dev, void (*turn)(struct mrc_qp *qp));
/** mrc_waiting_fini() - undo it, if it was done; no QP is left. Process context, sleeps. */
void mrc_waiting_fini(struct mrc_dev *dev);

/** mrc_waiting_add() - let a QP wait, if it does not already. Any context. */
void mrc_waiting_add(struct mrc_qp *qp);
/** mrc_waiting_remove() - a QP has ended and does not wait any more. Any context. */
void mrc_waiting_remove(struct mrc_qp *qp);

/** mrc_waiting_hurry() - a plane has room: give turns now. Any context. */
void mrc_waiting_hurry(struct mrc_dev *dev);

#endif /* _MRC_TRANSPORT_WAITING_H */
