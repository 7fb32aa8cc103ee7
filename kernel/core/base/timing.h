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
 * struct mrc_timing - a set of times; in ns where nothing else is said
 * @ev_probe: from the first unanswered EV probe to the second; then the interval doubles ...
 * @ev_probe_max: ... up to this
 * @ev_flap: an EV flaps if it is lost within this time after its return
 * @ev_steady: each such time of use halves the first interval between probes of an EV
 * @ev_doubt: an EV of which something was heard within this time is not put in doubt
 * @ev_silence: when silence has put all EVs in doubt, it does so again no sooner than after this;
 *              doubles up to @ev_probe_max
 * @ev_search: a search restarts all probing if the last search began so long ago
 * @ask: a request to an endpoint that has no answer after this time counts as lost ...
 * @ask_max: ... but where round trips take long, after twice the round trip, this at most
 * @pace: least time between two runs in which EV probes are sent
 * @reverse_probe: interval in which a receiver that sends no data probes its way back; a quarter of
 *                 a round trip, if that is longer
 * @tell: port status is sent again after this time, then after twice that time ...
 * @tell_max: ... up to this
 * @ports_change: least time between two changes of a peer's ports
 * @sack_delay: arrivals that no SACK has told yet are told when no packet has come for this time.
 *              It is longer than the gap between packets of a flow
 * @pause: an end that has no room is left alone for a round trip, this at least
 * @look: a QP's timer that found nothing to do looks again no sooner than after this
 * @probe_slack: a Reliability Probe is sent so much later than round trips alone would say
 * @probe_max: longest interval between Reliability Probes while the peer is silent; a part of the
 *             silence, if that is longer
 * @first_rtt: the round trip that is assumed to a peer of which nothing is known
 * @quiet: a grown tolerance for reordering stays for this at least; a congestion window that was
 *         not used for longer begins anew
 * @cc_target: least delay at which congestion control aims, because this host adds as much by
 *             itself
 * @cc_late: where nothing is trimmed, a delay of this or more shows that the network is full; a
 *           busy host alone may cause a shorter one
 * @cc_start: bytes with which a window begins where nothing is set and no mark was seen; 0: it
 *            begins with the largest window
 * @cc_room: bytes that the largest window has at least where no base RTT is set: the measured base
 *           RTT is that of an idle host, and round trips of a busy host hold more
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

/* The module's times: for packets that pass a kernel's network stack, and for a kernel's timers. */
extern const struct mrc_timing mrc_timing_software;

/**
 * mrc_timing_nic() - the times of a NIC, which is as fast as its network
 * @t: result
 * @rtt: ns, round trip of an empty network: at least 100, at most 10^7
 */
void mrc_timing_nic(struct mrc_timing *t, u64 rtt);

#endif /* _MRC_CORE_TIMING_H */
