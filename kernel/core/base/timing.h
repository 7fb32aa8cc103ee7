/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All times that the engine waits or allows for, in one set, to which each state of the engine
 * points. A kernel works a hundred times slower than a NIC, and its waits are as much longer. The
 * decisions are the same with both sets.
 */
#ifndef _MRC_CORE_TIMING_H
#define _MRC_CORE_TIMING_H

#include "base.h"

/**
 * struct mrc_timing - all in ns
 * @ev_probe: from the first unanswered EV probe to the second; then the interval doubles ...
 * @ev_probe_max: ... to this
 * @ev_flap: an EV that is lost so soon after its return flaps
 * @ev_steady: use of an EV that halves the interval that probing begins with
 * @ev_doubt: an EV of which something was heard so lately is not in doubt
 * @ev_silence: between two times that all are put in doubt for a silence, at first; doubles to
 *              @ev_probe_max
 * @ev_search: all probing begins anew for a search if the last one is so long ago
 * @ask: a request to an endpoint that has no answer after this counts as lost ...
 * @ask_max: ... or, where round trips take as long, after twice their time, this at most
 * @pace: least time between two runs in which EV probes are sent
 * @reverse_probe: a receiver that sends nothing itself probes its way back so often, or four times
 *                 in a round trip if that is longer
 * @tell: port status is said again after this, then after twice the time ...
 * @tell_max: ... to this
 * @ports_change: least time between two changes of a peer's ports
 * @sack_delay: a SACK of what none has told goes out when nothing has come for so long. Longer than
 *              packets of a flow are apart
 * @pause: who has no room is left alone for a round trip, this at least
 * @look: a QP's timer that found nothing to do looks again no sooner
 * @probe_slack: a Reliability Probe waits for so much longer than round trips account for
 * @probe_max: from one Reliability Probe to the next while the peer is silent, at most; a part of
 *             the silence, if that is longer
 * @first_rtt: what a round trip to a peer is taken for of which nothing is known
 * @quiet: tolerance for reordering stays for this at least after it had to grow; a congestion
 *         window that was not used for longer begins anew
 * @cc_target: congestion control aims at no less delay: this host adds as much by itself
 * @cc_late: where nothing is trimmed a delay shows that the network is full, but none below this:
 *           as long a busy host may take
 * @cc_start: bytes: where nothing is set and no mark was seen a window begins with so much; 0: with
 *            the largest one
 * @cc_room: bytes: where no base RTT is set a window may be as large at least, for round trips of a
 *           busy host hold more than those of an idle one, which are what is measured
 */
struct mrc_timing {
	u64 ev_probe;
	u64 ev_probe_max;
	u64 ev_flap;
	u64 ev_steady;
	u64 ev_doubt;
	u64 ev_silence;
	u64 ev_search;
	u64 ask;
	u64 ask_max;
	u64 pace;
	u64 reverse_probe;
	u64 tell;
	u64 tell_max;
	u64 ports_change;
	u64 sack_delay;
	u64 pause;
	u64 look;
	u64 probe_slack;
	u64 probe_max;
	u64 first_rtt;
	u64 quiet;
	u64 cc_target;
	u64 cc_late;
	u64 cc_start;
	u64 cc_room;
};

/* For packets that pass a kernel's network stack, and timers of a kernel: what the module uses. */
extern const struct mrc_timing mrc_timing_software;

/**
 * mrc_timing_nic() - for a NIC's, which are as fast as its network
 * @t: result
 * @rtt: ns, of an empty network: at least 100, at most 10^7
 */
void mrc_timing_nic(struct mrc_timing *t, u64 rtt);

#endif /* _MRC_CORE_TIMING_H */
