/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the EVs of a set lose, compared with one another.
 *
 * A full queue drops packets of every EV that leads through it, and those that come before and after
 * wait long in it. A path that is broken loses what others do not lose that take as long. So a loss
 * is counted, and its EV is to blame once it has lost so much more than
 *  - the other EVs of its plane, without taking longer than these do; or
 *  - its plane with all EVs more than the other planes, likewise.
 * What is counted are events: packets that share an skb are dropped together by the queues of a
 * host, and answered together.
 */
#ifndef _MRC_CORE_EV_TALLY_H
#define _MRC_CORE_EV_TALLY_H

#include "ev.h"

/* Events of an EV, on average, after which all that is counted is halved. */
#define MRC_TALLY_EVENTS	64u
/*
 * An EV, or a plane, has lost so often at least before it is to blame: chance explains less. A plane has
 * lost more often than it has EVs, too, for a queue that overflows once may take a packet of each.
 */
#define MRC_TALLY_EV_LOST	3u
#define MRC_TALLY_PLANE_LOST	6u
/* An EV loses more than others if it loses so many times their part, and this part of its own. */
#define MRC_TALLY_TIMES		4u
#define MRC_TALLY_PART		16u

/**
 * mrc_ev_tally_arrived() - packets have arrived by an EV
 * @s: the set
 * @ev: index, less than the set's count
 * @took: ns, from when the newest of them was sent until its answer came
 */
void mrc_ev_tally_arrived(struct mrc_ev_set *s, u16 ev, u64 took);

/**
 * mrc_ev_tally_lost() - packets were lost on an EV by which later ones have arrived
 * @s: the set
 * @ev: index, less than the set's count
 *
 * Return: true: the EV is to blame for it. What was counted of the EV is forgotten then.
 */
bool mrc_ev_tally_lost(struct mrc_ev_set *s, u16 ev);

/** mrc_ev_tally_cleared() - what counts as lost on EV @ev has arrived after all */
void mrc_ev_tally_cleared(struct mrc_ev_set *s, u16 ev);

#endif /* _MRC_CORE_EV_TALLY_H */
