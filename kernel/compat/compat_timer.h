/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in timers. */
#ifndef _MRC_COMPAT_TIMER_H
#define _MRC_COMPAT_TIMER_H

#include <linux/hrtimer.h>

#include "compat-config.h"

/** mrc_hrtimer_setup() - set up a timer: @function runs in softirq, by the monotonic clock */
static inline void mrc_hrtimer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*function)(struct hrtimer *timer))
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer->function = function;
#endif
}

#endif /* _MRC_COMPAT_TIMER_H */
