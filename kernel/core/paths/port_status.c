// SPDX-License-Identifier: GPL-2.0-only
#include "port_status.h"

void mrc_port_status_init(struct mrc_port_status *s, const struct mrc_timing *timing)
{
	memset(s, 0, sizeof(*s));
	s->timing = timing;
	s->mask = ~0u;
	s->newest = ~0u;
}

/* No packet is in flight for as long as a time stamp takes to wrap. */
static bool mrc_port_status_is_older(const struct mrc_port_status *s,
				     const struct mrc_ep *ep, u64 now)
{
	return s->at && s->tsr && ep->tsr && now < s->at + MRC_PORTS_ORDER_NS &&
	       (s16)(ep->tx_timestamp - s->stamp) < 0;
}

bool mrc_port_status_hear(struct mrc_port_status *s, const struct mrc_ep *ep,
			  u64 now)
{
	if (mrc_port_status_is_older(s, ep, now))
		return false;
	s->newest = ep->port_mask;
	s->at = now;
	s->stamp = ep->tx_timestamp;
	s->tsr = ep->tsr;
	return true;
}

u64 mrc_port_status_due(const struct mrc_port_status *s)
{
	if (s->newest == s->mask)
		return U64_MAX;
	return s->change ? s->change + s->timing->ports_change : 0;
}

bool mrc_port_status_take(struct mrc_port_status *s, u64 now)
{
	if (now < mrc_port_status_due(s))
		return false;
	s->mask = s->newest;
	s->change = now;
	return true;
}

void mrc_port_tell_init(struct mrc_port_tell *t, const struct mrc_timing *timing)
{
	memset(t, 0, sizeof(*t));
	t->timing = timing;
}

void mrc_port_tell_say(struct mrc_port_tell *t, u32 mask, u64 now)
{
	t->mask = mask;
	t->at = now;
	t->since = now;
	t->wait = t->timing->tell;
}

bool mrc_port_tell_next(struct mrc_port_tell *t, u64 now, u64 *wait)
{
	if (!t->at || t->at > now)
		return false;
	*wait = t->wait;
	t->at = now + t->wait;
	t->wait = min(2 * t->wait, t->timing->tell_max);
	return true;
}

void mrc_port_tell_unsent(struct mrc_port_tell *t, u64 now, u64 wait)
{
	/* Nothing is undone if there is another status to send by now. */
	if (!t->at || t->since > now)
		return;
	t->at = now + wait;
	t->wait = wait;
}

void mrc_port_tell_answered(struct mrc_port_tell *t, u32 mask, u64 sent)
{
	/* The same mask may have been sent earlier, before another one. */
	if (mask == t->mask && sent >= t->since)
		t->at = 0;
}

void mrc_port_tell_back(struct mrc_port_tell *t, bool first, u64 now)
{
	if (!t->since)
		return;
	if ((first && t->at) ||
	    (t->mask != ~0u && now > t->since + t->timing->tell_max))
		mrc_port_tell_say(t, t->mask, now);
}
