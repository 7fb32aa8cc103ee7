// SPDX-License-Identifier: GPL-2.0-only
#include "asks.h"

#define ASKS_BUSY	MRC_ASKS_MAX
#define ASKS_FREE	(MRC_ASKS_MAX + 1u)

/* Waits without a late answer after which twice as many probes may wait. */
#define ASKS_CALM	4u

static const u16 asks_max[MRC_ASK_KINDS] = {
	[MRC_ASK_STATUS] = MRC_ASKS_MAX,
	[MRC_ASK_PROBE] = MRC_ASKS_PROBES_MAX,
	[MRC_ASK_RAW] = MRC_ASKS_RAW_MAX,
	[MRC_ASK_REVERSE] = MRC_ASKS_REVERSE_MAX,
};

/* Before @next: a slot, or the head of a queue, whose end that is. */
static void asks_insert(struct mrc_asks *a, u16 next, u16 slot)
{
	u16 prev = a->slot[next].prev;

	a->slot[slot].next = next;
	a->slot[slot].prev = prev;
	a->slot[prev].next = slot;
	a->slot[next].prev = slot;
}

static void asks_move(struct mrc_asks *a, u16 next, u16 slot)
{
	struct mrc_ask *ask = &a->slot[slot];

	a->slot[ask->prev].next = ask->next;
	a->slot[ask->next].prev = ask->prev;
	asks_insert(a, next, slot);
}

/* Behind those that are lost no later, which are mostly all. */
static u16 asks_place(const struct mrc_asks *a, u64 lost_at)
{
	u16 next = ASKS_BUSY, prev = a->slot[ASKS_BUSY].prev;

	for (; prev != ASKS_BUSY && a->slot[prev].lost_at > lost_at; prev = a->slot[prev].prev)
		next = prev;
	return next;
}

/* ---- peers ----------------------------------------------------------------- */

void mrc_ask_peer_init(struct mrc_ask_peer *peer)
{
	*peer = (struct mrc_ask_peer){ .window = MRC_ASKS_PROBES_MAX };
}

bool mrc_ask_peer_late(struct mrc_ask_peer *peer, u64 wait, u64 now)
{
	if (!peer->lost)
		return false;
	peer->lost--;
	if (peer->wait && now < peer->turned_at + wait)
		return true;
	peer->window = max(peer->window / 2u, MRC_ASKS_PEER_MIN);
	peer->wait = wait;
	peer->turned_at = now;
	return true;
}

/* Nothing was late for a while. Late answers to probes that are many come some waits later. */
static void asks_peer_calm(struct mrc_ask_peer *peer, u64 now)
{
	u64 calm = ASKS_CALM * peer->wait;

	while (peer->window < MRC_ASKS_PROBES_MAX && now >= peer->turned_at + calm) {
		peer->window = min(2u * peer->window, MRC_ASKS_PROBES_MAX);
		peer->turned_at += calm;
	}
}

static void asks_peer_count(const struct mrc_ask *ask, int n)
{
	if (ask->peer && ask->kind == MRC_ASK_PROBE)
		ask->peer->probes += n;
}

/* ---- requests -------------------------------------------------------------- */

void mrc_asks_init(struct mrc_asks *a)
{
	u16 i;

	memset(a, 0, sizeof(*a));
	for (i = ASKS_BUSY; i <= ASKS_FREE; i++)
		a->slot[i].next = a->slot[i].prev = i;
	for (i = 0; i < MRC_ASKS_MAX; i++)
		asks_insert(a, ASKS_FREE, i);
}

unsigned int mrc_asks_room(const struct mrc_asks *a, u64 now)
{
	unsigned int slots = 0;

	if (a->count < MRC_ASKS_PROBES_MAX)
		slots = MRC_ASKS_PROBES_MAX - a->count;
	return min(slots, mrc_gate_room(&a->gate, now, MRC_ASKS_PROBE_RATE));
}

static bool asks_may_add(struct mrc_asks *a, enum mrc_ask_kind kind, u64 now)
{
	if (kind == MRC_ASK_STATUS)
		return a->count < MRC_ASKS_MAX;
	if (a->count >= MRC_ASKS_PROBES_MAX || a->of[kind] >= asks_max[kind])
		return false;
	if (kind == MRC_ASK_REVERSE)
		return mrc_gate_pass(&a->reverse, now, MRC_ASKS_REVERSE_RATE);
	return mrc_gate_pass(&a->gate, now, MRC_ASKS_PROBE_RATE);
}

u16 mrc_asks_add(struct mrc_asks *a, struct mrc_ask_peer *peer, enum mrc_ask_kind kind,
		 u64 wait, u32 random, u64 now)
{
	u16 slot = a->slot[ASKS_FREE].next;
	struct mrc_ask *ask = &a->slot[slot];

	if (peer)
		asks_peer_calm(peer, now);
	if (!asks_may_add(a, kind, now))
		return MRC_ASK_NONE;
	asks_move(a, asks_place(a, now + wait), slot);
	a->count++;
	ask->waits = true;
	ask->kind = kind;
	ask->peer = peer;
	asks_peer_count(ask, 1);
	a->of[kind]++;
	ask->lost_at = now + wait;
	ask->sent_at = now;
	ask->id = (random & MRC_ASK_ID_RANDOM) | slot;
	return slot;
}

u16 mrc_asks_find(const struct mrc_asks *a, u16 id)
{
	u16 slot = id % MRC_ASKS_MAX;

	return a->slot[slot].waits && a->slot[slot].id == id ? slot : MRC_ASK_NONE;
}

void mrc_asks_end(struct mrc_asks *a, u16 slot)
{
	asks_move(a, ASKS_FREE, slot);
	asks_peer_count(&a->slot[slot], -1);
	a->slot[slot].waits = false;
	a->of[a->slot[slot].kind]--;
	a->count--;
}

void mrc_asks_give_up(struct mrc_asks *a, u16 slot)
{
	struct mrc_ask_peer *peer = a->slot[slot].peer;

	if (peer && peer->lost < MRC_ASKS_MAX)
		peer->lost++;
	mrc_asks_end(a, slot);
}

u64 mrc_asks_timer_at(const struct mrc_asks *a)
{
	u16 first = a->slot[ASKS_BUSY].next;

	return first == ASKS_BUSY ? U64_MAX : a->slot[first].lost_at;
}

u16 mrc_asks_lost(const struct mrc_asks *a, u64 now)
{
	return now >= mrc_asks_timer_at(a) ? a->slot[ASKS_BUSY].next : MRC_ASK_NONE;
}
