/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes over what is known of EVs when a new set of EVs replaces the old one: what is known of an
 * EV that is in both sets stays.
 */
#ifndef _MRC_CORE_EV_KEEP_H
#define _MRC_CORE_EV_KEEP_H

#include "ev.h"

/**
 * mrc_ev_keep() - an EV of a new set is one of the old set
 * @s: the new set, of which nothing is known but what is DENIED
 * @ev: index
 * @old: the EV in the old set
 * @now: ns
 *
 * It is as it was, lost or in doubt, with what is counted for its probes; that it is to be stepped
 * over is forgotten. What is DENIED is the new set's say: an EV that was is GOOD as if it was new.
 */
void mrc_ev_keep(struct mrc_ev_set *s, u16 ev, const struct mrc_ev_entry *old, u64 now);

/**
 * mrc_ev_keep_told() - as what an EV is known to who watches: mrc_ev_next_change() speaks of it if
 * it is another
 */
void mrc_ev_keep_told(struct mrc_ev_set *s, u16 ev, u8 told);

/**
 * mrc_ev_keep_end() - behind the last EV: what was known of all together, and the floor
 * @s: the new set, its ports as they are
 * @old: the old set
 * @fresh: some EV that is not DENIED was not in the old set: there is something to send on, and
 *         nothing to search for
 * @now: ns
 *
 * Where fewer EVs are in use than the floor wants, those come back, HELD, that were heard of last;
 * where there are more, HELD ones go.
 */
void mrc_ev_keep_end(struct mrc_ev_set *s, const struct mrc_ev_set *old, bool fresh, u64 now);

#endif /* _MRC_CORE_EV_KEEP_H */
