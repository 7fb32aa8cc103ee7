// SPDX-License-Identifier: GPL-2.0-only
/* New: hrtimer_setup() gives a timer its function. Old: the name is unused. */
#include <linux/hrtimer.h>

#ifdef PROBE_NEW
void probe(struct hrtimer *t, enum hrtimer_restart (*f)(struct hrtimer *t))
{
	hrtimer_setup(t, f, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}
#else
int **hrtimer_setup(void)
{
	return NULL;
}
#endif
