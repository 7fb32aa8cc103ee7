/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of a PSN in flight: when and on which EV it was sent last, and what became of it.
 * Private to the window (tx_window, tx_sack, tx_loss), its evidence and its round trips.
 */
#ifndef _MRC_CORE_TX_REC_H
#define _MRC_CORE_TX_REC_H

#include "../base/base.h"
#include "../base/ev_index.h"

/* EVs in records: no EV, or one that is forgotten; an EV that has gone at this host. */
#define MRC_TX_ON_NONE	MRC_EV_MAX
#define MRC_TX_ON_GONE	(MRC_EV_MAX + 1)

/*
 * Send times wrap after 18 minutes. Comparing them is safe all the same: a packet is in flight for
 * no longer than one timeout, which is capped at a quarter of that (MRC_TX_INTERVAL_MAX_NS), and
 * older times are forgotten (mrc_evidence_launch()).
 */
#define MRC_TX_TICK_NS	256u
#define MRC_TX_HALF_WRAP	0x80000000u

/* Flags of a record. */
#define MRC_TX_ACKED	0x01
#define MRC_TX_LOST	0x02	/* waits for retransmission */
#define MRC_TX_RESENT	0x04
#define MRC_TX_RESENT_MORE	0x08	/* twice or more: it is not known which one is answered */
#define MRC_TX_BY_EV	0x10	/* was held to be lost by rule (a) ... */
#define MRC_TX_BY_TIME	0x20	/* ... by rule (b) ... */
#define MRC_TX_BY_TIMER	0x40	/* ... by its timeout */
#define MRC_TX_CERTAIN	0x80	/* resent, and the newest transmission has arrived */
#define MRC_TX_DONE	(MRC_TX_ACKED | MRC_TX_LOST)

/* So many packets that left in one tick are told apart; all further ones share this number. */
#define MRC_TX_ORDER_MAX	511u
#define MRC_TX_RETRIES_MAX	63u

/**
 * struct mrc_tx_rec - a PSN in flight
 * @sent: time of the last transmission in units of MRC_TX_TICK_NS, wraps
 * @order: number of that transmission within its tick, see MRC_TX_ORDER_MAX
 * @ev: index of the EV it was last sent on, or MRC_TX_ON_*. See mrc_tx_rec_ev()
 * @retries: timeouts suffered (neither NACKs nor inferred losses count)
 * @flags: acked, lost and why, resent
 */
struct mrc_tx_rec {
	u32 sent;
	u32 order : 9;
	u32 ev : 9;
	u32 retries : 6;
	u32 flags : 8;
};

static_assert(sizeof(struct mrc_tx_rec) == 8, "there is one for each PSN of each QP");
static_assert(MRC_TX_ON_GONE < 1u << 9, "an EV, or none, fits");

/* A packet's nominal bytes are kept beside its record, in these units, rounded up. */
#define MRC_TX_BYTES_UNIT	64u
#define MRC_TX_BYTES_MAX	(U8_MAX * MRC_TX_BYTES_UNIT)

/** mrc_tx_rec_ev() - index of the EV on which a packet was last sent, MRC_EV_NONE: none */
static inline u16 mrc_tx_rec_ev(const struct mrc_tx_rec *rec)
{
	return rec->ev < MRC_EV_MAX ? (u16)rec->ev : MRC_EV_NONE;
}

/** mrc_tx_ticks() - ns in the unit of send times */
static inline u32 mrc_tx_ticks(u64 ns)
{
	return (u32)(ns / MRC_TX_TICK_NS);
}

/** mrc_tx_age_ns() - how long ago a packet was sent, in whole ticks */
static inline u64 mrc_tx_age_ns(const struct mrc_tx_rec *rec, u64 now)
{
	return (u64)(mrc_tx_ticks(now) - rec->sent) * MRC_TX_TICK_NS;
}

#endif /* _MRC_CORE_TX_REC_H */
