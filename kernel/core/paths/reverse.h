/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way back (the MRC paper, section 2.4): which EVs SACKs, NACKs and ACKs take. Answers must not
 * depend on paths that nobody has heard from for long. So a receiver that sends no data of its own
 * probes an EV now and then. The planes take turns. Inside a plane the EV that was answered last is
 * used, even if it is a spare: answers are few, and no other EV serves them better. A plane whose
 * probes are lost is left out until a probe is answered, so that a plane which is dead only in this
 * direction is avoided. An EV in doubt carries answers only where there is no other, because an
 * answer or a Reliability Probe must get through although one path is silent. In a search
 * (ev_search.h) no EV is known to work, and all take turns. The caller serialises all calls.
 */
#ifndef _MRC_CORE_REVERSE_H
#define _MRC_CORE_REVERSE_H

#include "ev.h"

/* Lost probes in a row after which a plane carries no answers. */
#define MRC_REVERSE_LOST_MAX	2u
/* Copies of an answer to a probe, each on another EV, while no EV is known to work. */
#define MRC_REVERSE_COPIES	4u

/**
 * struct mrc_reverse_plane - what is known of one plane
 * @ev: EV that was answered last, or the EV to begin with; MRC_EV_NONE: none yet
 * @lost: probes lost since
 * @turn: which of the plane's EVs mrc_reverse_vary() took last
 */
struct mrc_reverse_plane {
	u16 ev;
	u8 lost;
	u8 turn;
};

/**
 * struct mrc_reverse - the reverse EVs towards one peer
 * @next: plane for the next answer, index in the set's planes
 * @probe: plane to be probed next
 * @plane: same index as in the set's planes
 */
struct mrc_reverse {
	u16 next;
	u16 probe;
	struct mrc_reverse_plane plane[MRC_PORT_MAX];
};

/** mrc_reverse_init() - nothing is known of any EV */
void mrc_reverse_init(struct mrc_reverse *r);

/**
 * mrc_reverse_start() - begin with a random plane, and a random EV in each plane
 * @r: initialised
 * @s: the set that it belongs to
 * @random: any number
 *
 * Random, because a peer that is made for one answer would otherwise take the same path each time,
 * dead or not.
 */
void mrc_reverse_start(struct mrc_reverse *r, const struct mrc_ev_set *s,
		       u32 random);

/**
 * mrc_reverse_keep() - a new set replaces an old one: take over what is known of an EV's plane
 * @r: started
 * @s: the new set
 * @ev: index of the EV in @s
 * @old: the reverse EVs of the old set
 * @old_s: the old set
 * @was: index of the EV in @old_s; its port is the same
 */
void mrc_reverse_keep(struct mrc_reverse *r, const struct mrc_ev_set *s, u16 ev,
		      const struct mrc_reverse *old, const struct mrc_ev_set *old_s, u16 was);

/**
 * mrc_reverse_pick() - the EV for the next answer
 * @r: the reverse EVs
 * @s: the set that they belong to
 * @now: ns, not 0
 *
 * Return: index. In a search the result is that of mrc_ev_pick_any(); when no plane is known to be
 * alive, that of mrc_ev_pick().
 */
u16 mrc_reverse_pick(struct mrc_reverse *r, struct mrc_ev_set *s, u64 now);

/**
 * mrc_reverse_vary() - the EV for a packet that is not acknowledged
 *
 * As mrc_reverse_pick(), but the EVs of a plane take turns: a repetition of the packet must not take the
 * same dead path again.
 */
u16 mrc_reverse_vary(struct mrc_reverse *r, struct mrc_ev_set *s, u64 now);

/**
 * mrc_reverse_answer() - the EVs for the answer to an EV probe
 * @r: the reverse EVs
 * @s: the set that they belong to
 * @mirror: index of the EV that leads back the way the probe came, or MRC_EV_NONE
 * @now: ns, not 0
 * @ev: result: indices of EVs
 *
 * Outside a search the result is one EV, from mrc_reverse_pick(). In a search the other end may
 * know no path either, so the answer goes out on several EVs. @mirror comes first: the probe has
 * just come that way.
 *
 * Return: elements in @ev, 0 when there is no EV.
 */
unsigned int mrc_reverse_answer(struct mrc_reverse *r, struct mrc_ev_set *s,
				u16 mirror, u64 now,
				u16 ev[MRC_REVERSE_COPIES]);

/**
 * mrc_reverse_probe() - the EV to be probed next
 * @r: the reverse EVs
 * @s: the set that they belong to
 * @random: any number
 *
 * The planes that are up take turns; a plane whose last probe was lost stays next until a probe is
 * answered or the plane is left out. Inside a plane usable EVs come before bad ones; DENIED EVs are
 * not probed.
 *
 * Return: index or MRC_EV_NONE.
 */
u16 mrc_reverse_probe(struct mrc_reverse *r, const struct mrc_ev_set *s,
		      u32 random);

/**
 * mrc_reverse_alive() - something sent on this EV has arrived
 *
 * So its plane is alive. The EV itself carries answers from now on if it is usable.
 */
void mrc_reverse_alive(struct mrc_reverse *r, const struct mrc_ev_set *s,
		       u16 ev);

/**
 * mrc_reverse_lost() - a probe on this EV was not answered
 *
 * The loss says nothing of the plane if the EV was known to be bad.
 *
 * Return: true when another EV of the plane must be probed at once, to learn whether the whole
 * plane is dead.
 */
bool mrc_reverse_lost(struct mrc_reverse *r, const struct mrc_ev_set *s,
		      u16 ev);

#endif /* _MRC_CORE_REVERSE_H */
