/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes over what is known of EVs when a new set of EVs replaces the old one: what is known of an
 * EV that is in both sets stays.
 */
#ifndef _MRC_CORE_EV_KEEP_H
#define _MRC_CORE_EV_KEEP_H

#include "ev.h"

/**
 * mrc_ev_keep() - take over what the old set knew of an EV that is in both sets
 * @s: the new set, of which only the DENIED EVs are known
 * @ev: its index in @s
 * @old: the EV in the old set
 * @now: ns
 *
 * The EV stays lost or in doubt, and keeps the counts of its probes; SKIP is forgotten. The new set
 * decides which EVs are DENIED: an EV that was DENIED only in the old set is GOOD, as if it was
 * new.
 */
void mrc_ev_keep(struct mrc_ev_set *s, u16 ev, const struct mrc_ev_entry *old, u64 now);

/**
 * mrc_ev_keep_told() - @told is the state that was reported for an EV last
 * @s: the new set
 * @ev: its index in @s
 * @told: enum mrc_ev_state
 *
 * mrc_ev_next_change() reports the EV if its state is another one.
 */
void mrc_ev_keep_told(struct mrc_ev_set *s, u16 ev, u8 told);

/**
 * mrc_ev_keep_end() - after the last EV: take over what was known of the set, and restore the floor
 * @s: the new set, with the ports that are up now
 * @old: the old set
 * @fresh: some EV that is not DENIED is new: data can take it, so a search ends
 * @now: ns
 *
 * If fewer EVs are in use than the floor wants, the bad EVs that were most recently heard from come
 * back as HELD. If more are in use, HELD EVs go out of use.
 */
void mrc_ev_keep_end(struct mrc_ev_set *s, const struct mrc_ev_set *old, bool fresh, u64 now);

#endif /* _MRC_CORE_EV_KEEP_H */
