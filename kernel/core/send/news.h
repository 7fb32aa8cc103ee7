/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a call to the requester has learned of EVs: a short list. The requester's caller hands it on
 * to the peer's paths (paths.h), once.
 */
#ifndef _MRC_CORE_NEWS_H
#define _MRC_CORE_NEWS_H

#include "../base/base.h"

/* EVs that one list speaks of, at most; of more a further one speaks. */
#define MRC_NEWS_MAX	16u

#define MRC_NEWS_ACKED		0x01	/* packets or probes are known to have arrived by it */
#define MRC_NEWS_CLEARED	0x02	/* one that was held to be lost has arrived after all */
#define MRC_NEWS_LOST		0x04	/* one is lost, but one that was sent later has arrived by it */
#define MRC_NEWS_SILENT		0x08	/* one is unanswered, and so is all: no proof against the EV */
#define MRC_NEWS_LATE		0x10	/* one is late, and nothing later has arrived by it */
#define MRC_NEWS_MUTE		0x20	/* one is so late that it counts as lost, likewise */

/**
 * struct mrc_news_ev - what was learned of one EV
 * @ev: its index
 * @what: MRC_NEWS_*
 * @acked: packets newly known to have arrived by it
 * @heard_ns: when the newest was sent that is known to have arrived by it, be it a probe, 0: none
 *            is; valid with MRC_NEWS_ACKED, MRC_NEWS_LATE and MRC_NEWS_MUTE
 */
struct mrc_news_ev {
	u16 ev;
	u8 what;
	u32 acked;
	u64 heard_ns;
};

/** mrc_news_is_late() - is something late on it, by which nothing later has come? */
static inline bool mrc_news_is_late(const struct mrc_news_ev *n)
{
	return n->what & (MRC_NEWS_LATE | MRC_NEWS_MUTE);
}

/** mrc_news_misses() - is something that was sent on it late or lost? */
static inline bool mrc_news_misses(const struct mrc_news_ev *n)
{
	return n->what & (MRC_NEWS_LOST | MRC_NEWS_LATE | MRC_NEWS_MUTE);
}

/**
 * struct mrc_news - what was learned
 * @rtt_ns: what a round trip took; 0: nothing new is known
 * @stirred: packets are known to have arrived, be it not by which EV
 * @mark: enum mrc_sack_m, what the peer says of an EV
 * @marked_ev: with @mark: index of that EV, MRC_EV_NONE: @entropy alone tells
 * @entropy: with @mark: EV bits of the packet that it was about
 * @silent_since: ns, nothing that was sent since then was answered, as far as this QP knows; 1: the
 *                peer speaks, so no other EV is in doubt; 0: nothing is
 * @late_since: ns, when the first of what is late was sent; valid with MRC_NEWS_LATE or _MUTE
 * @dropped: bit per port (bit 0 is port 1): a queue of this host has dropped of late what it had
 *           taken to be sent by it, nobody knows what. Set by the shell
 * @count: elements of @ev
 * @ev: arrivals before losses: what was heard lately decides what is to be made of a loss
 */
struct mrc_news {
	u64 rtt_ns;
	bool stirred;
	u8 mark;
	u16 marked_ev;
	u32 entropy;
	u64 silent_since;
	u64 late_since;
	u32 dropped;
	unsigned int count;
	struct mrc_news_ev ev[MRC_NEWS_MAX];
};

#endif /* _MRC_CORE_NEWS_H */
