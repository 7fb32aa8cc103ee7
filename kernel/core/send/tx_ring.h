/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a requester's window, and the walks over its ring of records. Private to the files
 * that make up the window: tx_window.c, tx_sack.c and tx_loss.c. The walks run once per packet or
 * more often, so they are inline.
 */
#ifndef _MRC_CORE_TX_RING_H
#define _MRC_CORE_TX_RING_H

#include "../base/base.h"
#include "evidence.h"
#include "../base/psn.h"
#include "rtt.h"
#include "tx_rec.h"

/* Probes whose answer is still understood; a power of two. */
#define MRC_TX_PROBES_KEPT	4u

/**
 * struct mrc_tx_probed - a Reliability Probe that was sent
 * @sent_ns: when; 0: unused element
 * @id: comes back in the answer
 * @ev: index of the EV on which it was sent, MRC_EV_NONE: the EV was left open
 * @answered: an answer has come, or the first part of it
 */
struct mrc_tx_probed {
	u64 sent_ns;
	u16 id;
	u16 ev;
	bool answered;
};

/**
 * struct mrc_tx_window - requester state of a QP (MRC 1.0, table 7-4)
 *
 * Fields that dumps may read:
 * @una: first PSN after the cumulative PSN that was acknowledged
 * @nxt: next new PSN
 * @inflight: packets sent, neither acknowledged nor held to be lost
 * @lost: packets that wait for retransmission
 * @inflight_bytes: nominal bytes of @inflight, rounded up for each packet
 * @rtt: round trips
 */
struct mrc_tx_window {
	struct mrc_tx_rec *ring;
	u8 *units;		/* nominal bytes in MRC_TX_BYTES_UNIT, for each record */
	u32 size;		/* limit, see struct mrc_tx_cfg */
	u32 ring_size;
	u32 head;		/* ring index of una */
	u32 una;
	u32 nxt;
	u32 inflight;
	u32 lost;
	u32 inflight_bytes;
	u32 rtx_hint;		/* no lost PSN lies before this one */
	u32 high;		/* highest PSN SACKed + 1, or una */
	u32 told;		/* cumulative PSN + packets beyond it: the most of any SACK */
	struct mrc_rtt rtt;
	u64 deadline_ns;	/* no record times out before this */
	u64 waits_from;		/* deadline_ns covers packets that leave at this time; 0: unknown */
	u64 quiet_ns;		/* last time a packet or probe was sent, or a packet acknowledged */
	u64 news_ns;		/* the same without probes */
	u8 probes;		/* sent since a packet was sent or acknowledged */
	u8 probe_rounds;	/* answers in a row that showed losses and nothing else */
	u8 refusals;		/* timeouts' worth of NACKs since something was acknowledged */
	u64 refused_at;		/* ns: when the newest of @refusals began; 0: no NACK since */
	u64 trimmed_at;		/* ns: first trim since something was acknowledged; 0: none */
	bool in_vain;		/* a retransmission timed out, too; no answer since */
	u16 probe_id;		/* id of the newest probe */
	u16 probe_ev;		/* index of the EV that it takes, MRC_EV_NONE: any */
	struct mrc_evidence evidence;
	struct mrc_tx_probed probed[MRC_TX_PROBES_KEPT];
};

static inline u32 mrc_tx_in_window(const struct mrc_tx_window *w)
{
	return (u32)mrc_psn_diff(w->nxt, w->una);
}

/* Ring index of a PSN in [una, nxt]. */
static inline u32 mrc_tx_ring_index(const struct mrc_tx_window *w, u32 psn)
{
	u32 at = w->head + (u32)mrc_psn_diff(psn, w->una);

	return at >= w->ring_size ? at - w->ring_size : at;
}

static inline struct mrc_tx_rec *mrc_tx_rec_at(const struct mrc_tx_window *w, u32 psn)
{
	return &w->ring[mrc_tx_ring_index(w, psn)];
}

static inline struct mrc_tx_rec *mrc_tx_rec_next(const struct mrc_tx_window *w,
						 struct mrc_tx_rec *rec)
{
	return ++rec == w->ring + w->ring_size ? w->ring : rec;
}

/**
 * mrc_tx_for_each_inflight() - walk over packets in flight, oldest first
 * @w: the window
 * @rec: struct mrc_tx_rec *, the record of the packet; the body may mark it lost
 * @psn: u32, its PSN; before the walk: where to begin, in [una, nxt]
 * @end: where to end at the latest, up to nxt
 * @left: u32; before the walk: the most packets that can be found. The walk ends with the last of
 *        them
 */
#define mrc_tx_for_each_inflight(w, rec, psn, end, left)				\
	for (rec = mrc_tx_rec_at(w, psn); left && psn != end;				\
	     psn = mrc_psn_add(psn, 1), rec = mrc_tx_rec_next(w, rec))			\
		if (rec->flags & MRC_TX_DONE || !left--) {} else

static inline bool mrc_tx_never_sent(const struct mrc_tx_window *w, u32 psn)
{
	return mrc_psn_diff(psn, w->nxt) >= 0;
}

/* The record of a PSN, or NULL when it is not in [una, nxt). */
static inline struct mrc_tx_rec *mrc_tx_rec_find(const struct mrc_tx_window *w, u32 psn)
{
	s32 off = mrc_psn_diff(psn, w->una);

	return off >= 0 && (u32)off < mrc_tx_in_window(w) ? mrc_tx_rec_at(w, psn) : NULL;
}

static inline u32 mrc_tx_rec_bytes(const struct mrc_tx_window *w, const struct mrc_tx_rec *rec)
{
	return w->units[rec - w->ring] * MRC_TX_BYTES_UNIT;
}

#endif /* _MRC_CORE_TX_RING_H */
