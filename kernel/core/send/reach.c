// SPDX-License-Identifier: GPL-2.0-only
#include "reach.h"

void mrc_reach_init(struct mrc_reach *r, u32 most)
{
	*r = (struct mrc_reach){ .now = most, .most = most };
}

static u32 mrc_reach_units(u32 psns)
{
	return DIV_ROUND_UP(psns, MRC_MPR_UNIT) * MRC_MPR_UNIT;
}

/* Sets the window, but to no less than the peer has shown to take. */
static void mrc_reach_set(struct mrc_reach *r, u32 psns)
{
	psns = max(psns, max(mrc_reach_units(r->shown), MRC_MPR_UNIT));
	r->now = min(psns, r->most);
}

static void mrc_reach_grow(struct mrc_reach *r, u64 now)
{
	if (!r->hold || r->now == r->most || now < r->grow_at)
		return;
	r->grow_at = now + r->hold;
	mrc_reach_set(r, r->now + MRC_MPR_UNIT);
}

void mrc_reach_sack(struct mrc_reach *r, u8 mpr, u32 shown, u64 now)
{
	/* A peer that tells its window may make it smaller later. */
	if (mpr) {
		r->told = true;
		r->now = min(mpr * MRC_MPR_UNIT, r->most);
		return;
	}
	if (r->told)
		return;
	if (shown > r->shown) {
		r->shown = min(shown, r->most);
		mrc_reach_set(r, r->now);
	}
	mrc_reach_grow(r, now);
}

bool mrc_reach_exceeded(struct mrc_reach *r, u32 ahead, u64 now)
{
	if (ahead > r->now)
		return true;
	if (r->told || ahead <= r->shown)
		return false;
	r->hold = r->hold ? min(2 * r->hold, MRC_REACH_HOLD_MAX_NS) : MRC_REACH_HOLD_NS;
	r->grow_at = now + r->hold;
	mrc_reach_set(r, (ahead - 1) / MRC_MPR_UNIT * MRC_MPR_UNIT);
	return ahead > r->now;
}
