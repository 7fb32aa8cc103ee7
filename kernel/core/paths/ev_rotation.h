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
 * mrc_ev_rotation_start() - EVs stand in slots as listed; where some are spares, chance says which
 * @s: the set, whose EVs are all usable
 * @quota: EVs of each plane that are in rotation; where a plane has fewer, all
 */
void mrc_ev_rotation_start(struct mrc_ev_set *s, u16 quota);

/**
 * mrc_ev_pick() - the EV for the next packet or batch
 * @s: the set
 * @now: ns, not 0; the same for all picks of one batch
 *
 * Steps over ports that are down, DENIED and ASSUMED_BAD EVs and, once, over SKIP EVs:
 * they are left out of one batch, and become GOOD again when a later one passes them. A
 * spare is never returned, nor passed. A plane without such an EV gets nothing. If no plane
 * has one, SKIP EVs are taken; if there are none of those either but some port is up, an
 * ASSUMED_BAD EV is returned rather than none; a DENIED one never is. In a search whose answers
 * are late (mrc_ev_patience()): what mrc_ev_pick_any() says.
 *
 * Return: index, or MRC_EV_NONE when every port is down or every EV denied.
 */
u16 mrc_ev_pick(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_pick_any() - the next EV, whatever is believed of it
 * @s: the set
 *
 * For what has been sent in vain: planes that are up take turns, and in a plane all EVs but
 * DENIED ones do, spares among them.
 *
 * Return: index, or MRC_EV_NONE.
 */
u16 mrc_ev_pick_any(struct mrc_ev_set *s);

/* For ev_set.c, ev_search.c and ev_keep.c: an EV of plane @p changes slots. */

/** mrc_ev_rotation_fill() - the EV in @slot, a spare, is usable again: in, if one is missing */
void mrc_ev_rotation_fill(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 slot);

/** mrc_ev_rotation_leave() - an EV makes room for a spare, if there is one; its state stays */
void mrc_ev_rotation_leave(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			   const struct mrc_ev_entry *e);

/** mrc_ev_rotation_enter() - an EV comes in, for the one that was heard of longest ago */
void mrc_ev_rotation_enter(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			   const struct mrc_ev_entry *e);

#endif /* _MRC_CORE_EV_ROTATION_H */
