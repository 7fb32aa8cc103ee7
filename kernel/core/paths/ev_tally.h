/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares what the EVs of a set lose.
 *
 * A full queue drops packets of every EV that leads through it, and the packets before and after
 * them wait long in it. A broken path loses packets where others that take as long lose none. So
 * losses are counted. An EV is to blame once
 *  - it has lost far more than the other EVs of its plane, without taking longer than they do; or
 *  - its plane has lost far more than the other planes, without taking longer than they do.
 * Events are counted, not packets: the queues of a host drop packets that share an skb together,
 * and they are answered together.
 */
#ifndef _MRC_CORE_EV_TALLY_H
#define _MRC_CORE_EV_TALLY_H

#include "ev.h"

/* When the EVs have had so many events each, on average, all counts are halved. */
#define MRC_TALLY_EVENTS	64u
/*
 * An EV, or a plane, is to blame only after at least so many losses, because chance explains fewer.
 * A plane must also have lost more often than it has EVs, because a queue that overflows once may
 * take a packet of each EV.
 */
#define MRC_TALLY_EV_LOST	3u
#define MRC_TALLY_PLANE_LOST	6u
/* An EV loses more than others if its share of losses is so many times theirs ... */
#define MRC_TALLY_TIMES		4u
/* ... and at least one in so many of its events is a loss. */
#define MRC_TALLY_PART		16u

/**
 * mrc_ev_tally_arrived() - packets have arrived by an EV
 * @s: the set
 * @ev: index, less than the set's count
 * @took: ns, from the sending of the newest of them to its answer
 */
void mrc_ev_tally_arrived(struct mrc_ev_set *s, u16 ev, u64 took);

/**
 * mrc_ev_tally_lost() - packets were lost on an EV by which later packets have arrived
 * @s: the set
 * @ev: index, less than the set's count
 *
 * Return: true when the EV is to blame; its counts are then forgotten.
 */
bool mrc_ev_tally_lost(struct mrc_ev_set *s, u16 ev);

/** mrc_ev_tally_cleared() - a packet that counts as lost on EV @ev has arrived after all */
void mrc_ev_tally_cleared(struct mrc_ev_set *s, u16 ev);

#endif /* _MRC_CORE_EV_TALLY_H */
