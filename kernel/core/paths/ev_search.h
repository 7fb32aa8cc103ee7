/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What follows when something is heard of an EV, and what follows when nothing is heard: doubt,
 * silence, and the search for a path that works.
 */
#ifndef _MRC_CORE_EV_SEARCH_H
#define _MRC_CORE_EV_SEARCH_H

#include "ev.h"
#include "ev_schedule.h"

/*
 * An EV of which something was heard lately (@ev_doubt) is not in doubt. After all were put in
 * doubt for the silence of a QP they are again no sooner than @ev_silence later, which doubles
 * until data has arrived by a known EV, to @ev_probe_max: programs that nobody answers share the
 * EVs with others, and a host answers few probes of those that it has no QP with. For a search all
 * probing begins anew, if the last one is long ago (@ev_search). See struct mrc_timing.
 */

/**
 * mrc_ev_silent() - who sent on this EV has heard of nothing that was sent since
 * @s: the set
 * @ev: index; MRC_EV_NONE: it is not known what it was sent on
 * @since: ns, when the first of it was sent
 * @now: ns
 *
 * Nobody is to blame: it may be the other end that does not answer. If something else that
 * was sent to it since has arrived this EV is in doubt, else all are, and bad ones are
 * probed at once. To be called for each EV that was sent on.
 */
void mrc_ev_silent(struct mrc_ev_set *s, u16 ev, u64 since, u64 now);

/*
 * So many EVs of a plane on which something is late, while other planes are heard of, show that the
 * plane is silent; of a plane with fewer EVs each shows it for itself.
 */
#define MRC_EV_PLANE_UNHEARD	3u

/**
 * mrc_ev_unheard() - a packet is late, or so late that it is lost, and nothing later has come
 * @s: the set
 * @ev: index
 * @since: ns, when it was sent, or before
 * @now: ns
 *
 * To be called only when something that was sent later, by another EV, has been answered. It means
 * nothing if something that was sent later has arrived by this EV, be it another QP's. Else the EV
 * is in doubt, and the packet counts as a probe that was lost: MRC_EV_PROBE_MISSED take the EV out.
 * If nothing later has arrived by its whole plane, MRC_EV_PLANE_UNHEARD such EVs take all EVs of
 * the plane out.
 */
void mrc_ev_unheard(struct mrc_ev_set *s, u16 ev, u64 since, u64 now);

/**
 * mrc_ev_stirred() - something that was sent has arrived, but nobody knows by which EV
 * @s: the set
 * @now: ns
 *
 * In a search all are probed at once: now one will be answered.
 */
void mrc_ev_stirred(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_heard() - data that was sent on this EV has arrived, for certain
 * @s: the set
 * @ev: index
 * @sent: ns, when the newest of it was sent
 * @now: ns
 *
 * The silence of all is over. The EV is not in doubt, and a search is over: then the EV is in
 * rotation, and GOOD if it was ASSUMED_BAD. Without a search one that is ASSUMED_BAD comes back,
 * HELD, if the floor wants for it. Else only probes bring it back.
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
 * As mrc_ev_heard(), but a silence goes on: the host is there, the QP is silent. And
 * MRC_EV_PROBE_GOOD answers in a row bring an ASSUMED_BAD EV back, and make a HELD one GOOD, more
 * of them if it flaps. Until then the next probe is due a base interval later. Says nothing of an
 * EV on a port that is down.
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
 * Answers of an ASSUMED_BAD or HELD EV are counted from zero again. If there were any, it has
 * flapped on its way back: the next probe is due no sooner than after a loss. An EV in use
 * is lost, as with mrc_ev_lost(), when MRC_EV_PROBE_MISSED are lost in a row and something has
 * arrived that was sent as late as each of them. If nothing has, a search begins; of HELD ones,
 * which were lost before, that is no news unless all in use are HELD.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_probe_lost(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now);

#endif /* _MRC_CORE_EV_SEARCH_H */
