// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each CPU is using just now.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/processor.h>

#include "hazard.h"

/* Looks at a CPU, without sleeping in between: longer than the copy of a packet takes. */
#define MRC_HAZARD_SPINS	1000u

DEFINE_PER_CPU(struct mrc_hazard, mrc_hazards);

static bool mrc_hazard_names(const struct mrc_hazard *h, const void *what)
{
	return smp_load_acquire(&h->mr) == what || smp_load_acquire(&h->qp) == what;
}

/* A CPU that still copies may be a virtual one that does not run now: do not spin for long. */
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

void mrc_hazard_wait(const void *what)
{
	int cpu;

	might_sleep();
	/* What marks it as gone comes before. Pairs with that of mrc_hazard_set(). */
	smp_mb();
	for_each_possible_cpu(cpu)
		mrc_hazard_wait_cpu(per_cpu_ptr(&mrc_hazards, cpu), what);
}
