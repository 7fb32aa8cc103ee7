/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared receive queues. Receives are posted to a ring that many QPs take from. A SEND names its
 * receive by a number of its own QP, and an SRQ knows no such numbers. So a QP takes receives out
 * of the SRQ in the order of its messages, and holds each until its message is complete (struct
 * mrc_held). A QP takes one for a SEND as soon as a packet of that SEND, or of a later one, has
 * arrived. So the oldest messages of a QP always have theirs, and no two QPs wait for each other.
 */
#ifndef _MRC_VERBS_SRQ_H
#define _MRC_VERBS_SRQ_H

#include <rdma/ib_verbs.h>

#include "held.h"
#include "ring.h"

struct mrc_qp;
struct mrc_user;

/**
 * struct mrc_ib_srq - a shared receive queue
 * @ib: the core's part
 * @user: the user it belongs to; NULL: a user in the kernel
 * @post_lock: users in the kernel post under it; interrupts off
 * @doorbell: looks at the ring for them
 * @max_sge: elements of a receive
 * @lock: guards what follows; inside the transport's rx_lock, BH off
 * @ring: receives that nobody has taken
 * @limit: the program gets an event when fewer receives are left; 0: it gets none
 * @starving: QPs that have found no receive (struct mrc_held.starves)
 * @round: number of doorbells so far
 * @corrupt: the program has written an impossible index, and has got an event
 */
struct mrc_ib_srq {
	struct ib_srq ib;
	struct mrc_user *user;
	spinlock_t post_lock;
	struct work_struct doorbell;
	u32 max_sge;
	spinlock_t lock;
	struct mrc_kring ring;
	u32 limit;
	struct list_head starving;
	u32 round;
	bool corrupt;
};

static inline struct mrc_ib_srq *to_mrc_srq(struct ib_srq *ib)
{
	return container_of(ib, struct mrc_ib_srq, ib);
}

/**
 * mrc_srq_hold() - take receives for a QP until it holds enough
 * @srq: the SRQ
 * @h: those that it holds; if the SRQ has too few, mrc_srq_next_starving() will return the QP
 * @enough: this many, at most h->size
 *
 * rx_lock held. Return: how many are held, or -EBADMSG: the ring is corrupt.
 */
int mrc_srq_hold(struct mrc_ib_srq *srq, struct mrc_held *h, u32 enough);

/**
 * mrc_srq_posted() - receives that a QP holds, and those that it might take
 *
 * If there are none, as for mrc_srq_hold(). A QP that has found none for a message takes one now: so
 * what its peer is told of comes true, and the next QP that waits is not told of the same one.
 * rx_lock held.
 */
u32 mrc_srq_posted(struct mrc_ib_srq *srq, struct mrc_held *h);

/** mrc_srq_leave() - a QP waits for a receive no more. Any context, BH on or off. */
void mrc_srq_leave(struct mrc_ib_srq *srq, struct mrc_held *h);

/** mrc_srq_doorbell() - receives were posted: QPs that lack one go on. Process context. */
void mrc_srq_doorbell(struct mrc_ib_srq *srq);

/* Device operations. */
int mrc_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata);
int mrc_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata);
int mrc_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int mrc_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

#endif /* _MRC_VERBS_SRQ_H */
