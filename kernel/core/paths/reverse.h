/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way back (the MRC paper, section 2.4): which EVs SACKs, NACKs and ACKs take. Answers must not
 * depend on paths that nobody has heard of for long. So a receiver that sends no data of its own
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
/* Copies of an answer to a probe, on as many EVs, while nothing is known to arrive. */
#define MRC_REVERSE_COPIES	4u

/**
 * struct mrc_reverse_plane - one plane's part
 * @ev: answered last, or where to begin; MRC_EV_NONE: none yet
 * @lost: probes lost since
 */
struct mrc_reverse_plane {
	u16 ev;
	u8 lost;
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
 * mrc_reverse_start() - begin with any plane, and any EV in each
 * @r: initialised
 * @s: the set that it belongs to
 * @random: any number
 *
 * A peer that is made for one answer would take the same path each time, dead or not.
 */
void mrc_reverse_start(struct mrc_reverse *r, const struct mrc_ev_set *s,
		       u32 random);

/**
 * mrc_reverse_keep() - what is known of an EV's plane stays, when a set takes the place of another
 * @r: started
 * @s: the set that it belongs to
 * @ev: index there
 * @old: what is known of the old set
 * @old_s: the old set
 * @was: index of the EV there; its port is the same
 */
void mrc_reverse_keep(struct mrc_reverse *r, const struct mrc_ev_set *s, u16 ev,
		      const struct mrc_reverse *old, const struct mrc_ev_set *old_s, u16 was);

/**
 * mrc_reverse_pick() - the EV for the next answer
 * @r: the reverse EVs
 * @s: the set that they belong to
 * @now: ns, not 0
 *
 * Return: index; what mrc_ev_pick_any() says in a search, mrc_ev_pick() when no plane is known to
 * be alive.
 */
u16 mrc_reverse_pick(struct mrc_reverse *r, struct mrc_ev_set *s, u64 now);

/**
 * mrc_reverse_answer() - the EVs for the answer to an EV probe
 * @r: the reverse EVs
 * @s: the set that they belong to
 * @mirror: index of the EV that leads back the way the probe came, or MRC_EV_NONE
 * @now: ns, not 0
 * @ev: result: elements are indices
 *
 * One, from mrc_reverse_pick(). But in a search the other end may be as lost as this one: then
 * the answer goes out on several, @mirror first, for what broke one way may not have broken
 * the other.
 *
 * Return: elements of @ev, 0 when there is no EV.
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
 * The planes that are up take turns; the one whose last probe was lost stays next until
 * it is answered or left out. In a plane usable EVs come before bad ones; DENIED ones are
 * not probed.
 *
 * Return: index or MRC_EV_NONE.
 */
u16 mrc_reverse_probe(struct mrc_reverse *r, const struct mrc_ev_set *s,
		      u32 random);

/**
 * mrc_reverse_alive() - something sent on this EV has arrived
 *
 * So its plane is alive; the EV itself is used if it is usable.
 */
void mrc_reverse_alive(struct mrc_reverse *r, const struct mrc_ev_set *s,
		       u16 ev);

/**
 * mrc_reverse_lost() - a probe on this EV was not answered
 *
 * Says nothing of the plane if the EV was known to be bad.
 *
 * Return: true when another EV of the plane is to be probed at once: is it the plane?
 */
bool mrc_reverse_lost(struct mrc_reverse *r, const struct mrc_ev_set *s,
		      u16 ev);

#endif /* _MRC_CORE_REVERSE_H */
