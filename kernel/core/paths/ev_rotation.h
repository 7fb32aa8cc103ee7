/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order in which packets take EVs. The planes take turns, so they carry exactly equal shares as
 * long as each has an EV that is usable and not marked. A plane whose EVs are all marked gives up
 * its turns for a batch, unless that is so in all planes. Inside a plane the EVs follow a
 * pseudo-random permutation that is drawn anew at the end of each rotation. A retired EV is
 * therefore replaced from its own plane only.
 *
 * The EVs of a plane stand in slots. The EVs in the first @quota slots are in rotation; usable EVs
 * in the other slots are the plane's spares. A retired EV changes places with a spare. If no spare
 * is left, the rest of the rotation takes its share.
 */
#ifndef _MRC_CORE_EV_ROTATION_H
#define _MRC_CORE_EV_ROTATION_H

#include "ev.h"

/**
 * mrc_ev_rotation_start() - put the EVs into slots in their order, and draw the spares, if any
 * @s: the set, whose EVs are all usable
 * @quota: EVs of each plane that are in rotation; a plane with fewer EVs has all of them in
 *         rotation
 */
void mrc_ev_rotation_start(struct mrc_ev_set *s, u16 quota);

/**
 * mrc_ev_pick() - the EV for the next packet or batch
 * @s: the set
 * @now: ns, not 0; the same for all picks of one batch
 *
 * Steps over ports that are down, over DENIED and ASSUMED_BAD EVs and, once, over SKIP EVs: a SKIP
 * EV is left out of one batch, and becomes GOOD again when a later batch passes it. A spare is
 * never returned. A plane without a suitable EV gets nothing. If no plane has one, SKIP EVs are
 * taken. If there is no SKIP EV either but some port is up, an ASSUMED_BAD EV is returned rather
 * than none. A DENIED EV is never returned. In a search whose answers are late (mrc_ev_patience())
 * the result is that of mrc_ev_pick_any().
 *
 * Return: index, or MRC_EV_NONE when every port is down or every EV denied.
 */
u16 mrc_ev_pick(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_pick_any() - the next EV, whatever is believed of it
 * @s: the set
 *
 * For packets that have been sent in vain. The planes that are up take turns, and inside a plane
 * all EVs do, spares among them, except DENIED ones.
 *
 * Return: index, or MRC_EV_NONE.
 */
u16 mrc_ev_pick_any(struct mrc_ev_set *s);

/* For ev_set.c, ev_search.c and ev_keep.c: an EV of plane @p changes slots. */

/** mrc_ev_rotation_fill() - the spare in @slot is usable: it fills a gap in the rotation, if any */
void mrc_ev_rotation_fill(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 slot);

/** mrc_ev_rotation_leave() - a spare, if there is one, takes an EV's place; its state stays */
void mrc_ev_rotation_leave(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			   const struct mrc_ev_entry *e);

/** mrc_ev_rotation_enter() - an EV takes the place of the one that was heard from longest ago */
void mrc_ev_rotation_enter(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			   const struct mrc_ev_entry *e);

#endif /* _MRC_CORE_EV_ROTATION_H */
