// SPDX-License-Identifier: GPL-2.0-only
#include "port_status.h"

void mrc_port_status_init(struct mrc_port_status *s)
{
	memset(s, 0, sizeof(*s));
	s->mask = ~0u;
	s->newest = ~0u;
}

/* Nothing lives in flight for as long as a stamp takes to turn over. */
static bool is_older(const struct mrc_port_status *s, const struct mrc_ep *ep,
		     u64 now)
{
	return s->at && s->tsr && ep->tsr && now < s->at + MRC_PORTS_ORDER_NS &&
	       (s16)(ep->tx_timestamp - s->stamp) < 0;
}

bool mrc_port_status_hear(struct mrc_port_status *s, const struct mrc_ep *ep,
			  u64 now)
{
	if (is_older(s, ep, now))
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
	return s->change ? s->change + MRC_PORTS_CHANGE_NS : 0;
}

bool mrc_port_status_take(struct mrc_port_status *s, u64 now)
{
	if (now < mrc_port_status_due(s))
		return false;
	s->mask = s->newest;
	s->change = now;
	return true;
}
