/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers of QPs that are gone or in error to the QP at the other end (core/receive/last_words.h).
 *
 * A write packet does not name the QP that sent it. So only a QP that was connected can answer: a
 * QP in error knows its peer, and the device remembers the last QPs of each user that were
 * destroyed or reset. A packet to a number that was never connected gets no answer.
 *
 * Answers leave from a work, because the peer may be gone: then it is made for the answer, which
 * sleeps.
 */
#ifndef _MRC_TRANSPORT_GONE_H
#define _MRC_TRANSPORT_GONE_H

#include <linux/hashtable.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../core/base/gate.h"

struct mrc_dev;
struct mrc_peer;
struct mrc_qp;
struct mrc_rx_pkt;

/*
 * At most so many QPs are remembered: of one user, enough for a job with 10,000 QPs that dies, and
 * of all users together. A record has some 150 bytes: 2.5 MB for a user, 10 MB in all. They are
 * charged to the cgroups of the tasks that destroy QPs. If there are too many in all, one of the
 * users with the most records loses the oldest. A user with fewer than half as many as the largest
 * loses none.
 */
#define MRC_GONE_USER_MAX	16384u
#define MRC_GONE_MAX		65536u
#define MRC_GONE_HASH_BITS	12
#define MRC_GONE_USERS_BITS	6
/* Lists of users by the number of their records: one for each power of two. */
#define MRC_GONE_CLASSES	16u
/* At most so many answers wait for the work, one per QP. */
#define MRC_GONE_ANSWERS_MAX	64u
/* Limits per second and device: answers, and peers that are made for answers. */
#define MRC_GONE_RATE		2000u
#define MRC_GONE_PEER_RATE	100u

/**
 * struct mrc_gone_table - QPs of a device that are gone
 * @dev: the device
 * @lock: protects all members; BH off, no lock is taken under it
 * @hash: QPs that are gone, by number
 * @count: elements of @hash
 * @users: users with records, by uid
 * @classes: the same users; those with 2^(n - 1) to 2^n - 1 records are in list n
 * @answers: answers that wait for @work
 * @nanswers: elements of @answers
 * @gate: limits answers
 * @peer_gate: limits peers that are made for answers
 * @work: sends @answers
 */
struct mrc_gone_table {
	struct mrc_dev *dev;
	spinlock_t lock;
	DECLARE_HASHTABLE(hash, MRC_GONE_HASH_BITS);
	unsigned int count;
	DECLARE_HASHTABLE(users, MRC_GONE_USERS_BITS);
	struct list_head classes[MRC_GONE_CLASSES];
	struct list_head answers;
	unsigned int nanswers;
	struct mrc_gate gate;
	struct mrc_gate peer_gate;
	struct work_struct work;
};

/** mrc_gone_init() - Return: 0 or -ENOMEM */
int mrc_gone_init(struct mrc_dev *dev);
/** mrc_gone_fini() - forget all; no QP and no work is left; mrc_gone_init() may not have run */
void mrc_gone_fini(struct mrc_dev *dev);

/**
 * mrc_gone_remember() - remember a QP that is destroyed or reset
 * @qp: the QP; it is stopped, and its windows are not freed yet
 * @peer: the peer that it was connected to
 *
 * Without memory nothing is remembered. Process context.
 */
void mrc_gone_remember(struct mrc_qp *qp, const struct mrc_peer *peer);

/** mrc_gone_no_qp() - answer a packet to a number without a QP. Softirq, under RCU. */
void mrc_gone_no_qp(const struct mrc_rx_pkt *pkt);

/** mrc_gone_not_live() - answer a packet to a QP that is not in RTR or RTS. Softirq, under RCU. */
void mrc_gone_not_live(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt);

#endif /* _MRC_TRANSPORT_GONE_H */
