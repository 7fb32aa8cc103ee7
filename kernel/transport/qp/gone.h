/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs that are gone, or in error: what they still say to the QP at the other end
 * (core/receive/last_words.h).
 *
 * A write packet does not name the QP that sent it, so only who was connected can be answered: a
 * QP in error knows its peer, and of QPs that were destroyed or reset the device remembers the
 * last ones of each user. For a number that was never connected nobody can be told.
 *
 * Answers leave from a work: the peer may be gone, and is made for the answer then, which
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
 * QPs that a device remembers: of a user, so that a job of 10,000 that dies is answered for, and of
 * all users together. A record has some 150 bytes: 2.5 MB of a user, 10 MB in all, which are charged
 * to the cgroups of those who destroy QPs. If there are too many in all, the oldest is forgotten of a
 * user who has about as many as any other: who has fewer than half of that loses none.
 */
#define MRC_GONE_USER_MAX	16384u
#define MRC_GONE_MAX		65536u
#define MRC_GONE_HASH_BITS	12
#define MRC_GONE_USERS_BITS	6
/* Users by the number of their records: from a power of two on. */
#define MRC_GONE_CLASSES	16u
/* Answers that wait for the work, one per QP. */
#define MRC_GONE_ANSWERS_MAX	64u
/* Per second and device, at most: answers, and peers that are made for them. */
#define MRC_GONE_RATE		2000u
#define MRC_GONE_PEER_RATE	100u

/**
 * struct mrc_gone_table - QPs of a device that are gone
 * @dev: the device
 * @lock: guards all of it; BH off, nothing inside
 * @hash: QPs that are gone, by number
 * @count: of them
 * @users: users who have some, by uid
 * @classes: the same; with 2^(n - 1) to 2^n - 1 records in the n-th list
 * @answers: that wait for @work
 * @nanswers: of them
 * @gate: limits answers
 * @peer_gate: limits peers that are made for answers
 * @work: sends them
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
/** mrc_gone_fini() - forget all. No QP and no work is left. Without mrc_gone_init(), too. */
void mrc_gone_fini(struct mrc_dev *dev);

/**
 * mrc_gone_remember() - a QP is destroyed or reset
 * @qp: stopped, its windows not freed yet
 * @peer: that it was connected to
 *
 * Without memory it is forgotten. Process context.
 */
void mrc_gone_remember(struct mrc_qp *qp, const struct mrc_peer *peer);

/** mrc_gone_no_qp() - a packet came for a number without a QP. Softirq, under RCU. */
void mrc_gone_no_qp(const struct mrc_rx_pkt *pkt);

/** mrc_gone_not_live() - the same for a QP that is not in RTR or RTS */
void mrc_gone_not_live(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt);

#endif /* _MRC_TRANSPORT_GONE_H */
