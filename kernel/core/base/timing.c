// SPDX-License-Identifier: GPL-2.0-only
#include "timing.h"

#define MRC_TIMING_US	1000ull
#define MRC_TIMING_MS	(1000ull * MRC_TIMING_US)
#define MRC_TIMING_S	(1000ull * MRC_TIMING_MS)

const struct mrc_timing mrc_timing_software = {
	.ev_probe	= MRC_TIMING_MS,
	.ev_probe_max	= MRC_TIMING_S,
	.ev_flap	= 2 * MRC_TIMING_S,
	.ev_steady	= 8 * MRC_TIMING_S,
	.ev_doubt	= 50 * MRC_TIMING_MS,
	.ev_silence	= 100 * MRC_TIMING_MS,
	.ev_search	= MRC_TIMING_S,
	.ask		= 50 * MRC_TIMING_MS,
	.ask_max	= MRC_TIMING_S,
	.pace		= MRC_TIMING_MS,
	.reverse_probe	= 10 * MRC_TIMING_MS,
	.tell		= MRC_TIMING_MS,
	.tell_max	= MRC_TIMING_S,
	.ports_change	= MRC_TIMING_MS,
	.sack_delay	= 250 * MRC_TIMING_US,
	.pause		= 10 * MRC_TIMING_US,
	.look		= MRC_TIMING_MS,
	.probe_slack	= 100 * MRC_TIMING_US,
	.probe_max	= 10 * MRC_TIMING_MS,
	.first_rtt	= MRC_TIMING_MS,
	.quiet		= MRC_TIMING_S,
	.cc_target	= 10 * MRC_TIMING_US,
	.cc_late	= 8 * MRC_TIMING_MS,
	.cc_start	= 128 << 10,
	.cc_room	= 1 << 20,
};

/*
 * The times of software, converted into round trips; those of a kernel take some 50 us. Some are
 * shorter, because a NIC's timers cost nothing.
 */
void mrc_timing_nic(struct mrc_timing *t, u64 rtt)
{
	*t = (struct mrc_timing){
		.ev_probe	= 2 * rtt,
		.ev_probe_max	= 10000 * rtt,
		.ev_flap	= 20000 * rtt,
		.ev_steady	= 80000 * rtt,
		.ev_doubt	= 500 * rtt,
		.ev_silence	= 1000 * rtt,
		.ev_search	= 10000 * rtt,
		.ask		= 500 * rtt,
		.ask_max	= 10000 * rtt,
		.pace		= rtt,
		.reverse_probe	= 100 * rtt,
		.tell		= 10 * rtt,
		.tell_max	= 10000 * rtt,
		.ports_change	= 10 * rtt,
		.sack_delay	= 2 * rtt,
		.pause		= rtt,
		.look		= rtt,
		.probe_slack	= rtt,
		.probe_max	= 100 * rtt,
		.first_rtt	= 2 * rtt,
		.quiet		= 10000 * rtt,
		.cc_target	= rtt / 10,
		.cc_late	= rtt / 2,
	};
}
