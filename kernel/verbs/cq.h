/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion queues. Each is a ring that the kernel fills and the program polls.
 */
#ifndef _MRC_VERBS_CQ_H
#define _MRC_VERBS_CQ_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "../compat/compat_verbs.h"
#include "ring.h"

/* In the flags of a CQE, only of users in the kernel: imm_data is the key that was invalidated. */
#define MRC_CQE_INV	(1u << 7)

/**
 * struct mrc_ulp_cqe - an entry of the ring of a user in the kernel
 * @cqe: as programs have it
 * @qp: the QP
 */
struct mrc_ulp_cqe {
	struct mrc_cqe cqe;
	struct ib_qp *qp;
};

/**
 * struct mrc_ib_cq - a completion queue
 * @ib: the core's part
 * @user: the user it belongs to; NULL: a user in the kernel
 * @ring: completions: struct mrc_cqe, or struct mrc_ulp_cqe
 * @poll_lock: users in the kernel poll under it; interrupts off
 * @lock: guards @ring, @armed, @failed, @added; innermost of all
 * @armed: 0, IB_CQ_SOLICITED or IB_CQ_NEXT_COMP
 * @cpu: the CPU that wakes the program; negative: the CPU that adds the completion
 * @wake: the call that wakes the program from @cpu, when that is another CPU
 * @wakes: calls of @wake under way
 * @failed: the queue has overrun and takes no more completions
 * @added: completions so far
 * @fail_work: tells the program of the overrun and moves the QPs to error
 * @qps_lock: guards @qps
 * @qps: QPs that complete here (struct mrc_cq_user)
 */
struct mrc_ib_cq {
	struct ib_cq ib;
	struct mrc_user *user;
	struct mrc_kring ring;
	spinlock_t poll_lock;
	spinlock_t lock;
	u8 armed;
	int cpu;
	call_single_data_t wake;
	atomic_t wakes;
	bool failed;
	u64 added;
	struct work_struct fail_work;
	struct mutex qps_lock;
	struct list_head qps;
};

struct mrc_ib_qp;

/**
 * struct mrc_cq_user - one use of a CQ by a QP
 * @list: in the queue's @qps
 * @qp: the QP
 * @fail: called for the QP when the queue has failed
 */
struct mrc_cq_user {
	struct list_head list;
	struct mrc_ib_qp *qp;
	void (*fail)(struct mrc_ib_qp *qp);
};

static inline struct mrc_ib_cq *to_mrc_cq(struct ib_cq *ib)
{
	return container_of(ib, struct mrc_ib_cq, ib);
}

/**
 * mrc_cq_add() - add a completion
 * @cq: the queue
 * @qp: the QP
 * @cqe: the completion, which is copied
 * @solicited: the completion also wakes programs that wait for solicited completions only
 *
 * If the queue has no room, it fails: the program gets IB_EVENT_CQ_ERR, and the QPs that use the
 * queue go to error. From then on no QP can be created with this queue, and no QP of it can leave
 * RESET. Softirq or BH off; QP locks may be held.
 */
void mrc_cq_add(struct mrc_ib_cq *cq, struct ib_qp *qp, const struct mrc_cqe *cqe, bool solicited);

/** mrc_cq_failed() - true once the queue has failed, for good. Process context or BH off. */
bool mrc_cq_failed(struct mrc_ib_cq *cq);

/** mrc_cq_use() - let a QP complete here from now on; @fail is called in process context */
void mrc_cq_use(struct mrc_ib_cq *cq, struct mrc_cq_user *user,
		struct mrc_ib_qp *qp, void (*fail)(struct mrc_ib_qp *qp));
/**
 * mrc_cq_unuse() - undo mrc_cq_use(); the queue does not touch the QP afterwards. Process context,
 * sleeps.
 */
void mrc_cq_unuse(struct mrc_ib_cq *cq, struct mrc_cq_user *user);

/* Device operations. */
int mrc_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  mrc_create_cq_arg *arg);
int mrc_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int mrc_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

#endif /* _MRC_VERBS_CQ_H */
