/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester's view of a QP: one record per PSN in flight, what SACKs and
 * NACKs say about them, which are lost and must be sent again
 * (MRC 1.0, section 7.4.5). The caller serialises all calls on one window and brings the time in
 * nanoseconds of a monotonic clock.
 *
 * A SACK is digested in three steps: which transmission caused it, what has arrived, and what has
 * not. The rules of the third, and who is to blame, are in evidence.h; how long to wait before they
 * speak is in rtt.h.
 *
 * A SACK also counts what has arrived beyond the cumulative PSN. As long as that is more than
 * is known of, a SACK was lost or is late, and rules (a) and (b) only judge what the bitmap at hand
 * covers: of all else nobody knows that it has not arrived.
 *
 * Nothing comes after the last packets that are lost. When the peer is silent for some
 * round trips a Reliability Probe is sent; rule (b) and its answer find them.
 */
#ifndef _MRC_CORE_TX_WINDOW_H
#define _MRC_CORE_TX_WINDOW_H

#include "base.h"
#include "evidence.h"
#include "rtt.h"
#include "tx_rec.h"
#include "tx_result.h"
#include "wire.h"

/**
 * struct mrc_tx_cfg - limits of a window
 * @size: PSNs beyond the cumulative one (MPR * 128), at most the memory's size
 * @retries: see there
 */
struct mrc_tx_cfg {
	u32 size;
	struct mrc_retries retries;
};

/*
 * Packets are left to their timeouts, without probes, when so many answers in a row led to nothing
 * but losses: what is lost time and again while probes come through must use up its retries.
 */
#define MRC_TX_PROBE_ROUNDS	16u
/* A QP of which nothing but trimmed packets has been heard of for so long is given up. */
#define MRC_TX_TRIMS_NS		60000000000ull
/* Probes whose answer is still understood; a power of two. */
#define MRC_TX_PROBES_KEPT	4u

/**
 * struct mrc_tx_probed - a Reliability Probe that was sent
 * @sent_ns: when; 0: unused element
 * @id: comes back in the answer
 * @answered: an answer has come, or the first part of it
 */
struct mrc_tx_probed {
	u64 sent_ns;
	u16 id;
	bool answered;
};

/**
 * struct mrc_tx_window - requester state of a QP (MRC 1.0, table 7-4)
 *
 * Readable for dumps:
 * @una: oldest PSN beyond the cumulative PSN that was acknowledged
 * @nxt: next new PSN
 * @inflight: packets sent, neither acknowledged nor held to be lost
 * @lost: packets that wait for retransmission
 * @inflight_bytes: nominal ones of @inflight, each packet's rounded up
 * @rtt: round trips
 */
struct mrc_tx_window {
	struct mrc_tx_rec *ring;
	u8 *units;		/* of MRC_TX_BYTES_UNIT, one for each record */
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
	u32 told;		/* cumulative PSN + packets beyond it, by the newest SACK */
	struct mrc_rtt rtt;
	u64 deadline_ns;	/* no record times out before this */
	u64 waits_from;		/* nor one that leaves now, if it is this time; 0: unknown */
	u64 quiet_ns;		/* when a packet or probe was sent or one acknowledged last */
	u8 probes;		/* sent since a packet was sent or acknowledged */
	u8 probe_rounds;	/* answers in a row that showed losses and nothing else */
	u8 refusals;		/* timeouts' worth of NACKs since something was acknowledged */
	u64 refused_at;		/* ns: when the newest of these began; 0: no NACK since */
	u64 trimmed_at;		/* ns: when a trim was told of first since then; 0: none was */
	bool in_vain;		/* what was sent again timed out, too; no answer since */
	u16 probe_id;		/* newest */
	struct mrc_evidence evidence;
	struct mrc_tx_probed probed[MRC_TX_PROBES_KEPT];
};

/** mrc_tx_window_mem() - bytes of memory that a window of @size PSNs needs */
static inline size_t mrc_tx_window_mem(u32 size)
{
	return size * (sizeof(struct mrc_tx_rec) + sizeof(u8));
}

/**
 * mrc_tx_window_init() - start of a connection
 * @w: the window
 * @mem: mrc_tx_window_mem() zeroed bytes, aligned as for a record
 * @cfg: limits
 * @psn: the first PSN to send
 */
void mrc_tx_window_init(struct mrc_tx_window *w, void *mem, const struct mrc_tx_cfg *cfg, u32 psn);

/** mrc_tx_begin() - a call that learns something begins: nothing is news; @res: its result */
void mrc_tx_begin(struct mrc_tx_window *w, struct mrc_tx_result *res);

/** mrc_tx_room() - new PSNs that the window lets go now */
u32 mrc_tx_room(const struct mrc_tx_window *w);

/**
 * mrc_tx_idle() - nothing in flight, nothing to send again?
 *
 * The cumulative PSN may still be behind: a SACK's bitmap can cover all that is left.
 */
static inline bool mrc_tx_idle(const struct mrc_tx_window *w)
{
	return !w->inflight && !w->lost;
}

/**
 * mrc_tx_send() - take the next new PSN into flight
 * @w: the window, with room
 * @bytes: its nominal ones, at most MRC_TX_BYTES_MAX
 * @ev: index of the EV it goes out on
 * @now: ns
 *
 * Return: its PSN.
 */
u32 mrc_tx_send(struct mrc_tx_window *w, u32 bytes, u16 ev, u64 now);

/** mrc_tx_ev() - index of the EV that a packet was last sent on, or MRC_EV_NONE; @psn: in flight */
u16 mrc_tx_ev(const struct mrc_tx_window *w, u32 psn);

/**
 * mrc_tx_leaves() - a packet of a batch leaves now, after all that were named before
 * @w: the window
 * @psn: sent with mrc_tx_send() or mrc_tx_resend() just now
 *
 * For callers that put packets on the wire in another order than they took them: rule (a)
 * compares packets of one EV in the order in which they left.
 */
void mrc_tx_leaves(struct mrc_tx_window *w, u32 psn);

/**
 * mrc_tx_next_lost() - the oldest PSN that must be sent again
 * @w: the window
 * @psn: result
 *
 * Return: its record, or NULL when there is none.
 */
const struct mrc_tx_rec *mrc_tx_next_lost(struct mrc_tx_window *w, u32 *psn);

/**
 * mrc_tx_lost_after() - the oldest PSN behind @psn that must be sent again
 * @w: the window
 * @psn: one that must be sent again, not the last one
 */
u32 mrc_tx_lost_after(const struct mrc_tx_window *w, u32 psn);

/** mrc_tx_bytes() - nominal bytes of a packet, rounded up; @psn: in the window */
u32 mrc_tx_bytes(const struct mrc_tx_window *w, u32 psn);

/**
 * mrc_tx_resend() - a lost PSN goes out again
 * @w: the window
 * @psn: from mrc_tx_next_lost()
 * @ev: the fresh EV
 * @now: ns
 */
void mrc_tx_resend(struct mrc_tx_window *w, u32 psn, u16 ev, u64 now);

/**
 * mrc_tx_sack() - apply a SACK
 * @w: the window
 * @sack: the SACK
 * @rtx: its BTH.rtx
 * @now: ns
 * @res: result
 *
 * Return: 0, or -EINVAL for a SACK that names a PSN never sent, which changes
 * nothing. A SACK older than what is known already is applied for what it
 * still says. The answer to a probe that is not remembered tells what has arrived and
 * nothing else.
 */
int mrc_tx_sack(struct mrc_tx_window *w, const struct mrc_sack *sack, bool rtx,
		u64 now, struct mrc_tx_result *res);

/**
 * mrc_tx_nack() - apply a recoverable NACK: the packet goes out again
 * @w: the window
 * @psn: the refused PSN
 * @trimmed: not by the peer: a switch had no room for it
 * @now: ns
 * @res: result; @res->ev is the EV it was sent on; @res->expired: nothing but NACKs has come for
 *       as long as silence would have been borne, which is what the timeouts of a packet take; of
 *       trims, behind which there is a peer that lives, for MRC_TX_TRIMS_NS at least
 *
 * Return: 0, -EINVAL for a PSN never sent, -EALREADY for one that is
 * acknowledged, waits for retransmission already or was sent again so lately
 * that the NACK must be an answer to the time before: with @res->spurious it is news all the same,
 * for what was held to be lost has arrived (a SACK of later packets may overtake the NACK).
 */
int mrc_tx_nack(struct mrc_tx_window *w, u32 psn, bool trimmed, u64 now,
		struct mrc_tx_result *res);

/**
 * mrc_tx_unsent() - a packet taken into flight has not left this host: it goes out again
 * @w: the window
 * @psn: its PSN
 * @now: ns
 * @res: result; @res->expired as for mrc_tx_nack(), of which this is one by this host
 *
 * No EV is blamed for it, nor counts it as lost.
 *
 * Return: 0, or -EALREADY: it is not in flight any more.
 */
int mrc_tx_unsent(struct mrc_tx_window *w, u32 psn, u64 now,
		  struct mrc_tx_result *res);

/**
 * mrc_tx_ack() - a transport ACK: everything up to @psn was executed, so it arrived
 * @w: the window
 * @psn: PSN of the ACK
 * @now: ns
 * @res: result
 *
 * Return: 0, or -EINVAL for a PSN never sent.
 */
int mrc_tx_ack(struct mrc_tx_window *w, u32 psn, u64 now,
	       struct mrc_tx_result *res);

/**
 * mrc_tx_take_news() - what the newest call learned of EVs
 * @w: the window
 * @now: ns
 * @n: result: @n->count and @n->ev
 *
 * What is not taken before the next call is lost. Packets count as arrived on an EV if they did
 * for certain: of a packet sent more than once, the newest transmission if its own SACK tells that
 * it was this one.
 */
static inline void mrc_tx_take_news(struct mrc_tx_window *w, u64 now,
				    struct mrc_news *n)
{
	mrc_evidence_take_news(&w->evidence, now, n);
}

/**
 * mrc_tx_in_vain() - has what was sent again timed out, too, and nothing been answered since?
 *
 * Then it is to go on EVs that nobody would choose: see mrc_ev_pick_any().
 */
static inline bool mrc_tx_in_vain(const struct mrc_tx_window *w)
{
	return w->in_vain;
}

/**
 * mrc_tx_probe_at() - when a Reliability Probe is worth its while
 * @w: the window
 * @now: ns
 *
 * Something is in flight, and nothing was sent or newly acknowledged for a while.
 *
 * Return: ns of the same clock, not before @now, or 0: no probe, the timeouts decide -
 * nothing is in flight, or enough of them were sent.
 */
u64 mrc_tx_probe_at(const struct mrc_tx_window *w, u64 now);

/**
 * mrc_tx_probe() - a Reliability Probe leaves now
 * @w: the window
 * @now: ns, not 0
 *
 * Also for probes that the caller sends for reasons of its own.
 *
 * Return: its id.
 */
u16 mrc_tx_probe(struct mrc_tx_window *w, u64 now);

/**
 * struct mrc_tx_gone - paths that are known to be gone, a bit per EV index
 * @here: at this host
 * @there: at the peer alone
 * @unsent: what was sent on no EV, for there was no path, or on one that is forgotten, is lost, too
 */
struct mrc_tx_gone {
	DECLARE_BITMAP(here, MRC_EV_MAX);
	DECLARE_BITMAP(there, MRC_EV_MAX);
	bool unsent;
};

/**
 * mrc_tx_lose_evs() - paths are known to be gone: what is in flight on them is lost
 * @w: the window
 * @gone: these paths
 * @res: result
 *
 * It says nothing of any EV. What left by a port of this host before that went may be in queues
 * beyond, and arrive: it is noted, for mrc_tx_lose_gone(). At the peer's end of a path there is
 * nothing beyond, and the peer's word took as long to come as SACKs of what had arrived before.
 */
void mrc_tx_lose_evs(struct mrc_tx_window *w, const struct mrc_tx_gone *gone,
		     struct mrc_tx_result *res);

/**
 * mrc_tx_lose_gone() - what left by ports of this host that have gone since is lost in time
 * @w: the window
 * @now: ns
 * @res: result; what is lost is added
 *
 * Each packet has as long as the longest round trip of late took. So that a window is gone over a few
 * times and not for each packet, some have up to a quarter more.
 *
 * Return: ns of the same clock, when to call it again; 0: nothing is left of it.
 */
u64 mrc_tx_lose_gone(struct mrc_tx_window *w, u64 now, struct mrc_tx_result *res);

/**
 * mrc_tx_forget_evs() - EV indices have a new meaning from here on
 * @w: the window
 *
 * What is in flight stays in flight; what becomes of it says nothing of any EV. What has gone with
 * a port of this host is known without.
 */
void mrc_tx_forget_evs(struct mrc_tx_window *w);

/**
 * mrc_tx_deadline() - when mrc_tx_timeout() has something to do
 * @w: the window
 * @now: ns
 *
 * A lower bound, kept without looking at the records: acknowledgements do not
 * move it, so a timer that is armed can stay as it is. mrc_tx_timeout() called
 * too early does nothing but find the exact time.
 *
 * Return: ns of the same clock, not before @now, or 0 when nothing is in flight.
 */
u64 mrc_tx_deadline(const struct mrc_tx_window *w, u64 now);

/**
 * mrc_tx_timeout() - hold packets to be lost whose time has passed
 * @w: the window
 * @now: ns
 * @res: result; @res->expired when a packet has no retry left
 *
 * The packet's last retry is waited for as long as the one before it was.
 */
void mrc_tx_timeout(struct mrc_tx_window *w, u64 now,
		    struct mrc_tx_result *res);

#endif /* _MRC_CORE_TX_WINDOW_H */
