/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring of a window's records, for the files that are the window: tx_window.c, tx_sack.c and
 * tx_loss.c. What runs once per packet or more often is inline.
 */
#ifndef _MRC_CORE_TX_RING_H
#define _MRC_CORE_TX_RING_H

#include "psn.h"
#include "tx_window.h"

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

/* It is not in flight any more, but waits to be sent again. @why: MRC_TX_BY_* or 0 */
void mrc_tx_mark_lost(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn, u8 why,
		      struct mrc_tx_result *res);

#endif /* _MRC_CORE_TX_RING_H */
