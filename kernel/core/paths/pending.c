// SPDX-License-Identifier: GPL-2.0-only
#include "pending.h"

#define PENDING_BUSY	MRC_PENDING_MAX
#define PENDING_FREE	(MRC_PENDING_MAX + 1u)

/* After so many waits without a late answer, twice as many probes may wait. */
#define PENDING_CALM	4u

static const u16 pending_max[MRC_PENDING_KINDS] = {
	[MRC_PENDING_STATUS] = MRC_PENDING_MAX,
	[MRC_PENDING_PROBE] = MRC_PENDING_PROBES_MAX,
	[MRC_PENDING_RAW] = MRC_PENDING_RAW_MAX,
	[MRC_PENDING_REVERSE] = MRC_PENDING_REVERSE_MAX,
};

/* Puts a slot before @next, which is a slot or the head of a queue; before the head is the end. */
static void pending_insert(struct mrc_pending *p, u16 next, u16 slot)
{
	u16 prev = p->slot[next].prev;

	p->slot[slot].next = next;
	p->slot[slot].prev = prev;
	p->slot[prev].next = slot;
	p->slot[next].prev = slot;
}

static void pending_move(struct mrc_pending *p, u16 next, u16 slot)
{
	struct mrc_pending_slot *ask = &p->slot[slot];

	p->slot[ask->prev].next = ask->next;
	p->slot[ask->next].prev = ask->prev;
	pending_insert(p, next, slot);
}

/* The slot before which a request belongs: behind all that are lost no later, mostly the end. */
static u16 pending_place(const struct mrc_pending *p, u64 lost_at)
{
	u16 next = PENDING_BUSY, prev = p->slot[PENDING_BUSY].prev;

	for (; prev != PENDING_BUSY && p->slot[prev].lost_at > lost_at; prev = p->slot[prev].prev)
		next = prev;
	return next;
}

/* ---- peers ----------------------------------------------------------------- */

void mrc_pending_peer_init(struct mrc_pending_peer *peer)
{
	*peer = (struct mrc_pending_peer){ .window = MRC_PENDING_PROBES_MAX };
}

bool mrc_pending_peer_late(struct mrc_pending_peer *peer, u64 wait, u64 now)
{
	if (!peer->lost)
		return false;
	peer->lost--;
	if (peer->wait && now < peer->turned_at + wait)
		return true;
	peer->window = max(peer->window / 2u, MRC_PENDING_PEER_MIN);
	peer->wait = wait;
	peer->turned_at = now;
	return true;
}

/*
 * Widens the window if nothing was late for a while. When many probes wait, late answers come up to
 * some waits later, so the while is PENDING_CALM waits.
 */
static void pending_peer_calm(struct mrc_pending_peer *peer, u64 now)
{
	u64 calm = PENDING_CALM * peer->wait;

	while (peer->window < MRC_PENDING_PROBES_MAX && now >= peer->turned_at + calm) {
		peer->window = min(2u * peer->window, MRC_PENDING_PROBES_MAX);
		peer->turned_at += calm;
	}
}

static void pending_peer_count(const struct mrc_pending_slot *ask, int n)
{
	if (ask->peer && ask->kind == MRC_PENDING_PROBE)
		ask->peer->probes += n;
}

/* ---- requests -------------------------------------------------------------- */

void mrc_pending_init(struct mrc_pending *p)
{
	u16 i;

	memset(p, 0, sizeof(*p));
	for (i = PENDING_BUSY; i <= PENDING_FREE; i++)
		p->slot[i].next = p->slot[i].prev = i;
	for (i = 0; i < MRC_PENDING_MAX; i++)
		pending_insert(p, PENDING_FREE, i);
}

unsigned int mrc_pending_room(const struct mrc_pending *p, u64 now)
{
	unsigned int slots = 0;

	if (p->count < MRC_PENDING_PROBES_MAX)
		slots = MRC_PENDING_PROBES_MAX - p->count;
	return min(slots, mrc_gate_room(&p->gate, now, MRC_PENDING_PROBE_RATE));
}

static bool pending_may_add(struct mrc_pending *p, enum mrc_pending_kind kind, u64 now)
{
	if (kind == MRC_PENDING_STATUS)
		return p->count < MRC_PENDING_MAX;
	if (p->count >= MRC_PENDING_PROBES_MAX || p->of[kind] >= pending_max[kind])
		return false;
	if (kind == MRC_PENDING_REVERSE)
		return mrc_gate_pass(&p->reverse, now, MRC_PENDING_REVERSE_RATE);
	return mrc_gate_pass(&p->gate, now, MRC_PENDING_PROBE_RATE);
}

u16 mrc_pending_add(struct mrc_pending *p, struct mrc_pending_peer *peer,
		    enum mrc_pending_kind kind, u64 wait, u32 random, u64 now)
{
	u16 slot = p->slot[PENDING_FREE].next;
	struct mrc_pending_slot *ask = &p->slot[slot];

	if (peer)
		pending_peer_calm(peer, now);
	if (!pending_may_add(p, kind, now))
		return MRC_PENDING_NONE;
	pending_move(p, pending_place(p, now + wait), slot);
	p->count++;
	ask->waits = true;
	ask->kind = kind;
	ask->peer = peer;
	pending_peer_count(ask, 1);
	p->of[kind]++;
	ask->lost_at = now + wait;
	ask->sent_at = now;
	ask->id = (random & MRC_PENDING_ID_RANDOM) | slot;
	return slot;
}

u16 mrc_pending_find(const struct mrc_pending *p, u16 id)
{
	u16 slot = id % MRC_PENDING_MAX;

	return p->slot[slot].waits && p->slot[slot].id == id ? slot : MRC_PENDING_NONE;
}

void mrc_pending_end(struct mrc_pending *p, u16 slot)
{
	pending_move(p, PENDING_FREE, slot);
	pending_peer_count(&p->slot[slot], -1);
	p->slot[slot].waits = false;
	p->of[p->slot[slot].kind]--;
	p->count--;
}

void mrc_pending_give_up(struct mrc_pending *p, u16 slot)
{
	struct mrc_pending_peer *peer = p->slot[slot].peer;

	if (peer && peer->lost < MRC_PENDING_MAX)
		peer->lost++;
	mrc_pending_end(p, slot);
}

u64 mrc_pending_timer_at(const struct mrc_pending *p)
{
	u16 first = p->slot[PENDING_BUSY].next;

	return first == PENDING_BUSY ? U64_MAX : p->slot[first].lost_at;
}

u16 mrc_pending_lost(const struct mrc_pending *p, u64 now)
{
	return now >= mrc_pending_timer_at(p) ? p->slot[PENDING_BUSY].next : MRC_PENDING_NONE;
}
