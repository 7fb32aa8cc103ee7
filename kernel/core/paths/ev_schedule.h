/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times at which EVs are probed that are ASSUMED_BAD, HELD or in doubt.
 */
#ifndef _MRC_CORE_EV_SCHEDULE_H
#define _MRC_CORE_EV_SCHEDULE_H

#include "ev.h"

/*
 * Probing of EVs that are ASSUMED_BAD, HELD or in doubt (open point: cadence and number of
 * successes: MRC 1.0, section 9.3.1).
 * The interval between unanswered probes doubles from the base to the maximum (timing.h). It is no
 * shorter than a round trip, because probes must not fill the queues in which answers wait.
 * MRC_EV_PROBE_GOOD answers in a row bring an EV back; an EV that flaps needs more. An EV in use
 * is held to be bad when MRC_EV_PROBE_MISSED probes in a row are lost, not after one: a single
 * answer may get lost on another path.
 */
#define MRC_EV_PROBE_GOOD	3u
#define MRC_EV_PROBE_MISSED	2u

/*
 * An EV that is lost soon after its return (@ev_flap of struct mrc_timing) flaps. Probing then
 * starts with twice the interval of the time before, up to 2^MRC_EV_FLAPS_MAX base intervals. There
 * is a limit because where every path loses a little, a path that is out for long costs as much as
 * its losses. Each @ev_steady of use halves the interval again.
 */
#define MRC_EV_FLAPS_MAX	6u

/*
 * Each flap also doubles the number of answers that bring the EV back, up to 2^MRC_EV_DOUBTS_MAX
 * times as many: a path that loses a fifth of its packets answers 3 probes in a row in half of all
 * cases, and 24 in one case of 200.
 */
#define MRC_EV_DOUBTS_MAX	3u

/** mrc_ev_round_trip() - a round trip of data took @ns */
void mrc_ev_round_trip(struct mrc_ev_set *s, u64 ns);

/** mrc_ev_probe_round_trip() - a round trip of a probe took @ns and ended @now (ns) */
void mrc_ev_probe_round_trip(struct mrc_ev_set *s, u64 ns, u64 now);

/**
 * mrc_ev_patience() - how long to wait for an answer
 * @s: the set
 * @least: ns
 *
 * No lock is needed. Return: ns, twice the recent round trip, but at least @least.
 */
u64 mrc_ev_patience(const struct mrc_ev_set *s, u64 least);

/** mrc_ev_probe_interval() - ns between unanswered probes, after it has doubled @exp times */
u64 mrc_ev_probe_interval(const struct mrc_ev_set *s, u8 exp);

/**
 * mrc_ev_probe_next() - the EV on which a probe is to be sent now
 * @s: the set
 * @now: ns
 *
 * The EVs that are ASSUMED_BAD, HELD or in doubt, on ports that are up, take turns. The EV that is
 * returned counts as probed: its next probe is due an interval later, and that interval is twice as
 * long as the one before. So no call is needed when an answer does not come. A caller that limits
 * the rate just stops asking.
 *
 * Return: index, or MRC_EV_NONE when no probe is due.
 */
u16 mrc_ev_probe_next(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_probe_at() - when mrc_ev_probe_next() has something to do
 * @s: the set
 *
 * Return: ns, a lower bound. Except right after mrc_ev_probe_next(), it may be past although no
 * probe is due. U64_MAX when no EV on a port that is up is to be probed.
 */
u64 mrc_ev_probe_at(const struct mrc_ev_set *s);

/**
 * mrc_ev_probe_unsent() - the probe that mrc_ev_probe_next() named could not be sent
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * The probe is due again after the same interval, and does not count as unanswered. It is not sent
 * sooner: a host that has no room for one probe has no room for more.
 */
void mrc_ev_probe_unsent(struct mrc_ev_set *s, u16 ev, u64 now);

/* For ev_set.c and ev_search.c. */

/** mrc_ev_schedule() - the next probe of an EV is due at @at (ns) */
void mrc_ev_schedule(struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 at);

/**
 * mrc_ev_schedule_start() - an EV is about to enter a state in which it is probed
 * @s: the set
 * @e: the EV
 * @backoff: exponent of the first interval
 * @at: ns, when the first probe is due
 */
void mrc_ev_schedule_start(struct mrc_ev_set *s, struct mrc_ev_entry *e, u8 backoff, u64 at);

/** mrc_ev_schedule_flaps() - exponent of an EV's first interval, by how often it flapped lately */
u8 mrc_ev_schedule_flaps(const struct mrc_ev_set *s, const struct mrc_ev_entry *e, u64 now);

/** mrc_ev_schedule_restart() - a probe of an EV is lost: answers are counted from zero again */
void mrc_ev_schedule_restart(const struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 now);

/** mrc_ev_schedule_enough() - answers in a row that bring an EV back */
u8 mrc_ev_schedule_enough(const struct mrc_ev_entry *e);

/** mrc_ev_schedule_find() - other EVs are probed than before: find when the first probe is due */
void mrc_ev_schedule_find(struct mrc_ev_set *s);

#endif /* _MRC_CORE_EV_SCHEDULE_H */
