// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hazard pointers: waiting until no CPU uses an object.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/processor.h>

#include "hazard.h"

/* So many looks at a CPU without sleeping: they take longer than the copy of a packet. */
#define MRC_HAZARD_SPINS	1000u

DEFINE_PER_CPU(struct mrc_hazard, mrc_hazards);

static bool mrc_hazard_names(const struct mrc_hazard *h, const void *what)
{
	return smp_load_acquire(&h->mr) == what || smp_load_acquire(&h->qp) == what;
}

/* Do not spin for long: the CPU that copies may be a virtual one that does not run now. */
static void mrc_hazard_wait_cpu(const struct mrc_hazard *h, const void *what)
{
	unsigned int spins = 0;

	while (mrc_hazard_names(h, what)) {
		if (++spins < MRC_HAZARD_SPINS)
			cpu_relax();
		else
			usleep_range(10, 50);
	}
}

void mrc_hazard_spin(const void *what)
{
	int cpu;

	/* As in mrc_hazard_wait(). */
	smp_mb();
	for_each_possible_cpu(cpu)
		while (mrc_hazard_names(per_cpu_ptr(&mrc_hazards, cpu), what))
			cpu_relax();
}

void mrc_hazard_wait(const void *what)
{
	int cpu;

	might_sleep();
	/* The caller marked it as gone before this. Pairs with the barrier of mrc_hazard_set(). */
	smp_mb();
	for_each_possible_cpu(cpu)
		mrc_hazard_wait_cpu(per_cpu_ptr(&mrc_hazards, cpu), what);
}
