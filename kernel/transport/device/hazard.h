/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hazard pointers (M. Michael, IEEE TPDS 15(6), 2004), one pair per CPU: each CPU names the memory
 * region whose pages it is using at the moment, and the QP that it uses them for. To revoke a
 * region or end a QP, a task marks it as gone, and then waits until no CPU names it. That takes no
 * longer than a packet takes to be copied, and disturbs no other CPU, as an expedited RCU grace
 * period would.
 *
 * The user names the object first, and then checks whether it is marked. The revoker marks the
 * object first, and then checks whether a CPU names it. Both have a full barrier between their two
 * steps, so at least one of them sees the other.
 */
#ifndef _MRC_TRANSPORT_HAZARD_H
#define _MRC_TRANSPORT_HAZARD_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <asm/barrier.h>

struct mrc_mr;
struct mrc_qp;

/**
 * struct mrc_hazard - what a CPU is using
 * @mr: the region whose pages it uses, or NULL
 * @qp: the QP on whose behalf it writes to these pages, or NULL
 */
struct mrc_hazard {
	const struct mrc_mr *mr;
	const struct mrc_qp *qp;
};

DECLARE_PER_CPU(struct mrc_hazard, mrc_hazards);

/**
 * mrc_hazard_set() - this CPU is about to use a region
 * @mr: the region; RCU or a reference keeps its struct
 * @qp: the QP that uses it, or NULL when the end of the QP need not wait
 *
 * Check whether they are marked as gone after this call, never before. Softirq or BH off; not
 * nested. Preemption is off until mrc_hazard_clear(), because on PREEMPT_RT another softirq can
 * preempt this one on the same CPU. So no lock that sleeps on PREEMPT_RT may be taken in between.
 */
static inline void mrc_hazard_set(const struct mrc_mr *mr, const struct mrc_qp *qp)
{
	struct mrc_hazard *h;

	preempt_disable();
	h = this_cpu_ptr(&mrc_hazards);
	WRITE_ONCE(h->mr, mr);
	WRITE_ONCE(h->qp, qp);
	/* Pairs with the barrier of mrc_hazard_wait(). */
	smp_mb();
}

/** mrc_hazard_clear() - this CPU has done all its reads and writes of the region */
static inline void mrc_hazard_clear(void)
{
	struct mrc_hazard *h = this_cpu_ptr(&mrc_hazards);

	/* Both pair with the loads of mrc_hazard_wait(). */
	smp_store_release(&h->mr, NULL);
	smp_store_release(&h->qp, NULL);
	preempt_enable();
}

/**
 * mrc_hazard_wait() - wait until no CPU uses a region or a QP
 * @what: the region, with @revoked set, or the QP, with a state in which it does not receive
 *
 * Process context, may sleep.
 */
void mrc_hazard_wait(const void *what);

/**
 * mrc_hazard_spin() - the same for callers that may not sleep
 *
 * The CPU that copies has preemption off, and copies a packet's payload at most. Softirq or BH off; this
 * CPU itself uses nothing: it is not between mrc_hazard_set() and mrc_hazard_clear().
 */
void mrc_hazard_spin(const void *what);

#endif /* _MRC_TRANSPORT_HAZARD_H */
