// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-device counters.
 */
#include "counters.h"

#define MRC_COUNTER_NAME(sym, name)	[MRC_CNT_##sym] = name,
const char *const mrc_counter_names[MRC_CNT_COUNT] = {
	MRC_COUNTERS(MRC_COUNTER_NAME)
};

static_assert(MRC_CNT_COUNT - MRC_CNT_DROP_TRUNCATED == MRC_DROP_COUNT,
	      "each drop reason has its counter, in the same order");

u64 mrc_counter_sum(const struct mrc_counters __percpu *counters,
		    enum mrc_counter c)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(counters, cpu)->v[c]);
	return sum;
}
