/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each CPU is using just now: memory of a region, for a QP. Who takes either away marks it as
 * gone, then waits until no CPU names it. That disturbs no other CPU, as a grace period of RCU in
 * a hurry would, and takes as long as the packet that is being copied.
 *
 * The one who uses says so before he looks whether it is gone; the one who takes away marks it
 * before he looks who uses it. There is a full barrier between the two steps of each, so one of
 * them sees the other: hazard pointers (M. Michael, IEEE TPDS 15(6), 2004), one pair per CPU.
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
 * @mr: its pages, or NULL
 * @qp: on behalf of which they are written to, or NULL
 */
struct mrc_hazard {
	const struct mrc_mr *mr;
	const struct mrc_qp *qp;
};

DECLARE_PER_CPU(struct mrc_hazard, mrc_hazards);

/**
 * mrc_hazard_set() - this CPU is about to use a region
 * @mr: the region; its struct is kept by RCU or by a reference
 * @qp: for whom, or NULL when the end of the QP need not wait
 *
 * Look whether they are gone after this, never before. Softirq or BH off; not nested. Until
 * mrc_hazard_clear() no lock may be taken that sleeps on PREEMPT_RT, where a softirq can be preempted
 * by another one on the same CPU. So preemption is off.
 */
static inline void mrc_hazard_set(const struct mrc_mr *mr, const struct mrc_qp *qp)
{
	struct mrc_hazard *h;

	preempt_disable();
	h = this_cpu_ptr(&mrc_hazards);
	WRITE_ONCE(h->mr, mr);
	WRITE_ONCE(h->qp, qp);
	/* Pairs with that of mrc_hazard_wait(). */
	smp_mb();
}

/** mrc_hazard_clear() - no more; what was read and written is done */
static inline void mrc_hazard_clear(void)
{
	struct mrc_hazard *h = this_cpu_ptr(&mrc_hazards);

	/* Both pair with the loads of mrc_hazard_wait(). */
	smp_store_release(&h->mr, NULL);
	smp_store_release(&h->qp, NULL);
	preempt_enable();
}

/**
 * mrc_hazard_wait() - until no CPU uses it
 * @what: a region or a QP, marked as gone already: @revoked of the one, the state of the other
 *
 * Process context, may sleep.
 */
void mrc_hazard_wait(const void *what);

#endif /* _MRC_TRANSPORT_HAZARD_H */
