/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times at which EVs are probed that are ASSUMED_BAD, HELD or in doubt.
 */
#ifndef _MRC_CORE_EV_SCHEDULE_H
#define _MRC_CORE_EV_SCHEDULE_H

#include "ev.h"

/*
 * Probing of ASSUMED_BAD and HELD EVs, and of those in doubt (open point: cadence and number of
 * successes: MRC 1.0, section 9.3.1).
 * The interval between unanswered probes doubles from the base to the maximum (timing.h). It is no
 * shorter than a round trip: where answers wait in queues, probes must not be what fills these.
 * MRC_EV_PROBE_GOOD answers in a row, more for one that flaps, bring an EV back. One in use
 * is held to be bad when MRC_EV_PROBE_MISSED probes in a row are lost: a single answer may get
 * lost on another path.
 */
#define MRC_EV_PROBE_GOOD	3u
#define MRC_EV_PROBE_MISSED	2u

/*
 * An EV that is lost so soon after its return flaps: probing starts with twice the
 * interval of the time before, up to 2^MRC_EV_FLAPS_MAX base intervals: where every path
 * loses a little, paths that are out for long are no better than the loss. Each
 * @ev_steady of use halves that again.
 */
#define MRC_EV_FLAPS_MAX	6u

/*
 * And each flap takes twice as many answers, up to 2^MRC_EV_DOUBTS_MAX times as many: a path
 * that loses a fifth passes three in half of all cases, 24 in one of 200.
 */
#define MRC_EV_DOUBTS_MAX	3u

/** mrc_ev_round_trip() - one took @ns, of data */
void mrc_ev_round_trip(struct mrc_ev_set *s, u64 ns);

/** mrc_ev_probe_round_trip() - one took @ns, of a probe, as is known @now (ns) */
void mrc_ev_probe_round_trip(struct mrc_ev_set *s, u64 ns, u64 now);

/**
 * mrc_ev_patience() - how long an answer may take
 * @s: the set
 * @least: ns
 *
 * No lock is needed. Return: ns, twice what round trips take of late, @least at least.
 */
u64 mrc_ev_patience(const struct mrc_ev_set *s, u64 least);

/** mrc_ev_probe_interval() - ns between probes without an answer; @exp: how often it has doubled */
u64 mrc_ev_probe_interval(const struct mrc_ev_set *s, u8 exp);

/**
 * mrc_ev_probe_next() - the EV that a probe is to be sent on now
 * @s: the set
 * @now: ns
 *
 * EVs on ports that are up take turns that are ASSUMED_BAD, HELD or in doubt. The one returned
 * counts as probed: its next probe is due an interval later, twice as long as the one before, so
 * an answer that does not come needs no call. Whoever limits the rate just stops asking.
 *
 * Return: index, or MRC_EV_NONE when no probe is due.
 */
u16 mrc_ev_probe_next(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_probe_at() - when mrc_ev_probe_next() has something to do
 * @s: the set
 *
 * Return: ns, a lower bound and maybe past, but right after mrc_ev_probe_next(); U64_MAX when no EV
 * on a port that is up is to be probed.
 */
u64 mrc_ev_probe_at(const struct mrc_ev_set *s);

/**
 * mrc_ev_probe_unsent() - the probe that mrc_ev_probe_next() named could not be sent
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * It is due again after the interval that it had waited for, and is not counted as unanswered: who
 * has no room for it now has less for more of them.
 */
void mrc_ev_probe_unsent(struct mrc_ev_set *s, u16 ev, u64 now);

/* For ev_set.c and ev_search.c. */

/** mrc_ev_schedule() - the next probe of an EV is due at @at (ns) */
void mrc_ev_schedule(struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 at);

/**
 * mrc_ev_schedule_start() - an EV is about to be in a state in which it is probed
 * @s: the set
 * @e: the EV
 * @backoff: exponent of the interval that it begins with
 * @at: ns, when the first probe is due
 */
void mrc_ev_schedule_start(struct mrc_ev_set *s, struct mrc_ev_entry *e, u8 backoff, u64 at);

/** mrc_ev_schedule_flaps() - the exponent to begin with, by how often it has flapped of late */
u8 mrc_ev_schedule_flaps(const struct mrc_ev_set *s, const struct mrc_ev_entry *e, u64 now);

/** mrc_ev_schedule_restart() - a probe is lost: answers are counted from zero again */
void mrc_ev_schedule_restart(const struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 now);

/** mrc_ev_schedule_enough() - answers in a row that bring it back */
u8 mrc_ev_schedule_enough(const struct mrc_ev_entry *e);

/** mrc_ev_schedule_find() - which EVs are probed has changed: when is the first one due? */
void mrc_ev_schedule_find(struct mrc_ev_set *s);

#endif /* _MRC_CORE_EV_SCHEDULE_H */
