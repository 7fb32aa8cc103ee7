/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What follows when something is heard from an EV, and what follows when nothing is heard: doubt,
 * silence, and the search for a path that works.
 */
#ifndef _MRC_CORE_EV_SEARCH_H
#define _MRC_CORE_EV_SEARCH_H

#include "ev.h"
#include "ev_schedule.h"

/*
 * The times below are those of struct mrc_timing. An EV of which something was heard lately
 * (@ev_doubt) is not put in doubt. When a QP is silent, all EVs are put in doubt. For another
 * silence that is done again no sooner than @ev_silence later; this time doubles, up to
 * @ev_probe_max, until data has arrived by a known EV. The reason: programs that nobody answers
 * share the EVs with other programs, and a host answers few probes of hosts with which it has no
 * QP. A search restarts all probing from the shortest interval, if the last search began long ago
 * (@ev_search).
 */

/**
 * mrc_ev_silent() - a QP that sent on this EV has had no answer to anything since
 * @s: the set
 * @ev: index; MRC_EV_NONE: it is not known which EV the packets took
 * @since: ns, when the first unanswered packet was sent
 * @now: ns
 *
 * No EV is blamed, because the other end may be silent. If something else that was sent to the peer
 * since has arrived, this EV is put in doubt. If nothing has, all EVs are put in doubt, and bad
 * ones are probed at once. To be called for each EV on which the QP has sent.
 */
void mrc_ev_silent(struct mrc_ev_set *s, u16 ev, u64 since, u64 now);

/*
 * A plane is silent when something is late on so many of its EVs while other planes are heard from. A
 * plane with fewer EVs is never found silent as a whole: each of its EVs is judged by itself.
 */
#define MRC_EV_PLANE_UNHEARD	3u

/**
 * mrc_ev_unheard() - a packet is late, or lost by being very late, and nothing later has arrived
 * @s: the set
 * @ev: index of its EV
 * @since: ns, when the packet was sent, or before
 * @now: ns
 *
 * To be called only when something that was sent later, by another EV, has been answered. The call
 * has no effect if something later, also of another QP, has arrived by this EV. Otherwise the EV is
 * put in doubt, and the packet counts as a lost probe: MRC_EV_PROBE_MISSED of them take the EV out.
 * If nothing later has arrived by the whole plane, MRC_EV_PLANE_UNHEARD such EVs take out all EVs
 * of the plane.
 */
void mrc_ev_unheard(struct mrc_ev_set *s, u16 ev, u64 since, u64 now);

/**
 * mrc_ev_stirred() - something that was sent has arrived, but nobody knows by which EV
 * @s: the set
 * @now: ns
 *
 * In a search all EVs are probed at once, because now a probe will be answered.
 */
void mrc_ev_stirred(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_heard() - data that was sent on this EV has arrived, for certain
 * @s: the set
 * @ev: index
 * @sent: ns, when the newest of the data was sent
 * @now: ns
 *
 * The silence of the set is over, and the EV is not in doubt any more. A search is over, too; the
 * EV then enters the rotation, and is GOOD if it was ASSUMED_BAD. Without a search, an ASSUMED_BAD
 * EV becomes HELD if the floor is short of EVs. Otherwise only probes bring it back.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_heard(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now);

/**
 * mrc_ev_probed() - a probe on this EV was answered
 * @s: the set
 * @ev: index
 * @sent: ns, when it was sent
 * @now: ns
 *
 * As mrc_ev_heard(), except that a silence goes on: the host is alive, but the QP is silent. Also,
 * MRC_EV_PROBE_GOOD answers in a row, or more if the EV flaps, make an ASSUMED_BAD or HELD EV GOOD.
 * Until then the next probe is due a base interval later. An answer says nothing of an EV on a port
 * that is down.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_probed(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now);

/**
 * mrc_ev_probe_lost() - a probe on this EV was not answered
 * @s: the set
 * @ev: index
 * @sent: ns, when it was sent
 * @now: ns
 *
 * Answers of an ASSUMED_BAD or HELD EV are counted from zero again. If there were any, the EV has
 * flapped on its way back: its next probe is due no sooner than after a loss. An EV in use is lost,
 * as with mrc_ev_lost(), when MRC_EV_PROBE_MISSED probes in a row are lost and, for each of them,
 * something that was sent no earlier has arrived. If nothing has arrived, a search begins. A lost
 * probe of a HELD EV, which was lost before, begins a search only if all EVs in use are HELD.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_probe_lost(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now);

#endif /* _MRC_CORE_EV_SEARCH_H */
