/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a call to the requester has learned of EVs: a short list. The requester's caller hands it on
 * to the peer's paths (paths.h), once.
 */
#ifndef _MRC_CORE_NEWS_H
#define _MRC_CORE_NEWS_H

#include "../base/base.h"

/* The most EVs in one list; further EVs come in a further list. */
#define MRC_NEWS_MAX	16u

/* What has become of packets or probes that were sent on one EV. */
#define MRC_NEWS_ACKED		0x01	/* some are known to have arrived */
#define MRC_NEWS_CLEARED	0x02	/* one arrived that was held to be lost */
#define MRC_NEWS_LOST		0x04	/* one is lost, but a later one has arrived */
#define MRC_NEWS_SILENT		0x08	/* one is unanswered, which is no proof of a bad EV */
#define MRC_NEWS_LATE		0x10	/* one is late, and no later one has arrived */
#define MRC_NEWS_MUTE		0x20	/* one is very late, so lost; no later one has arrived */

/**
 * struct mrc_news_ev - what was learned of one EV
 * @ev: its index
 * @what: MRC_NEWS_*
 * @acked: packets newly known to have arrived by it
 * @heard_ns: when the newest packet or probe was sent that is known to have arrived by it, 0: none;
 *            valid with MRC_NEWS_ACKED, MRC_NEWS_LATE and MRC_NEWS_MUTE
 */
struct mrc_news_ev {
	u16 ev;
	u8 what;
	u32 acked;
	u64 heard_ns;
};

/** mrc_news_is_late() - is something late on the EV, and nothing later has arrived by it? */
static inline bool mrc_news_is_late(const struct mrc_news_ev *n)
{
	return n->what & (MRC_NEWS_LATE | MRC_NEWS_MUTE);
}

/** mrc_news_misses() - is something that was sent on the EV late or lost? */
static inline bool mrc_news_misses(const struct mrc_news_ev *n)
{
	return n->what & (MRC_NEWS_LOST | MRC_NEWS_LATE | MRC_NEWS_MUTE);
}

/**
 * struct mrc_news - what was learned
 * @rtt_ns: a new sample of the round trip; 0: there is none
 * @stirred: packets are known to have arrived, though maybe not by which EV
 * @mark: enum mrc_sack_m, what the peer says of an EV
 * @marked_ev: with @mark: index of that EV; MRC_EV_NONE: only @entropy tells the EV
 * @entropy: with @mark: EV bits of the packet that the peer speaks of
 * @silent_since: ns, nothing that was sent since then was answered, as far as this QP knows. 1: an
 *                EV is in doubt, but the peer answers, so other EVs are not. 0: no EV is in doubt
 * @late_since: ns, when the first of the late packets was sent; valid with MRC_NEWS_LATE or _MUTE
 * @dropped: bit per port (bit 0 is port 1): a queue of this host lately dropped packets that were
 *           to leave by this port; nobody knows which. Set by the caller
 * @count: elements of @ev
 * @ev: EVs with news, arrivals before losses: recent arrivals decide what a loss means
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
