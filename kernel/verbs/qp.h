/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs as verbs sees them: an RC QP of this device is an MRC QP. This layer has the rings and the
 * completions; the transport has the windows and the packets. UD QPs, see ud.h, have the same rings.
 */
#ifndef _MRC_VERBS_QP_H
#define _MRC_VERBS_QP_H

#include <rdma/ib_verbs.h>

#include "../transport/peer/qp.h"
#include "cq.h"
#include "ring.h"
#include "srq.h"

/* In verbs this number of retries means: retry for ever. */
#define MRC_RNR_RETRY_FOR_EVER	7

struct mrc_ud;

/**
 * struct mrc_ib_ud - what a UD QP has beside its rings; see ud.h
 * @ud: the transport's part; NULL once destroyed; changes under @lock
 * @lock: guards the send ring, @buf, and changes of state and attributes; process context
 * @work: sends and flushes
 * @buf: room for the payload of a datagram
 */
struct mrc_ib_ud {
	struct mrc_ud *ud;
	struct mutex lock;
	struct delayed_work work;
	u8 *buf;
};

/**
 * struct mrc_ib_qp - a QP
 * @ib: the core's part
 * @qp: the transport's part of an RC QP, a reference; NULL once destroyed, and of UD QPs
 * @ud: a UD QP's
 * @scq: completions of sends
 * @rcq: completions of receives
 * @scq_user: entry in @scq
 * @rcq_user: entry in @rcq
 * @user: the user it belongs to; NULL: a user in the kernel
 * @post_lock: users in the kernel post under it; interrupts off
 * @doorbell: looks at the rings of an RC QP whose user is in the kernel
 * @sq: requests; consumed under the transport's tx_lock; of a UD QP under its mutex
 * @rq: receives; consumed under the transport's rx_lock, or the lock of struct mrc_ud; none with an SRQ
 * @srq: where receives come from instead, or NULL
 * @held: receives taken from @srq
 * @last_told: the program knows that the QP takes no more of @srq; under rx_lock, and before RTR
 * @recv_sge: most elements of a receive
 * @cap: capabilities that the program was promised
 * @sig_all: all requests are signalled
 * @pending: requests handed to the transport and not ended; under tx_lock
 * @attr: attributes that the program set, for query; under the transport's state_lock, or the UD QP's mutex
 * @explicit: MRC_QP_ATTR_* that the program set itself; under state_lock
 */
struct mrc_ib_qp {
	struct ib_qp ib;
	struct mrc_qp *qp;
	struct mrc_ib_ud ud;
	struct mrc_ib_cq *scq;
	struct mrc_ib_cq *rcq;
	struct mrc_cq_user scq_user;
	struct mrc_cq_user rcq_user;
	struct mrc_user *user;
	spinlock_t post_lock;
	struct work_struct doorbell;
	struct mrc_kring sq;
	struct mrc_kring rq;
	struct mrc_ib_srq *srq;
	struct mrc_held held;
	bool last_told;
	u32 recv_sge;
	struct ib_qp_cap cap;
	bool sig_all;
	u32 pending;
	struct ib_qp_attr attr;
	u32 explicit;
};

static inline struct mrc_ib_qp *to_mrc_qp(struct ib_qp *ib)
{
	return container_of(ib, struct mrc_ib_qp, ib);
}

/** mrc_ib_qp_forget() - reset the attributes to those of a new QP */
void mrc_ib_qp_forget(struct mrc_ib_qp *q);

/**
 * mrc_ib_qp_next() - the state that a QP is to go to, by attributes that mean the same for all kinds of QPs
 * @cur: its state
 * @attr: new values
 * @mask: IB_QP_* bits of the values that count
 *
 * Any context. Return: enum ib_qp_state; -EOPNOTSUPP (mask), -EINVAL (no such state or partition key, or
 * the program is wrong about @cur).
 */
int mrc_ib_qp_next(enum ib_qp_state cur, const struct ib_qp_attr *attr, int mask);

/** mrc_ib_qp_get() - get the transport's part: a reference; NULL: destroyed. Any context. */
struct mrc_qp *mrc_ib_qp_get(struct mrc_ib_qp *q);

/** mrc_ib_qp_event() - send the program an event. Any context, locks may be held. */
void mrc_ib_qp_event(struct mrc_ib_qp *q, enum ib_event_type event);

/**
 * mrc_ib_qp_fail() - a CQ has failed: move its QP to error, and send IB_EVENT_QP_FATAL
 * @q: the QP; if it is in RESET, or in error already, nothing happens
 *
 * Process context or softirq, no QP lock held.
 */
void mrc_ib_qp_fail(struct mrc_ib_qp *q);

/** mrc_ib_qp_corrupt() - count that a ring of the QP is corrupt. Any context. Return: -EBADMSG */
int mrc_ib_qp_corrupt(struct mrc_ib_qp *q);

#endif /* _MRC_VERBS_QP_H */
