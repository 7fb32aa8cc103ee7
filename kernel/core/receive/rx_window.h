/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The responder's view of a QP: which PSNs have arrived, which messages are
 * complete in order, and what the next SACK says (MRC 1.0, section 7.5.2).
 *
 * A packet is claimed before its payload is copied, and committed afterwards.
 * So copies may run in parallel, and yet a late duplicate never overwrites
 * memory of a message that the program knows to be complete. The caller
 * serialises all calls on one window.
 *
 * Completion in order needs nothing but PSNs: PSNs are consecutive over
 * messages, so a message and all before it have arrived when the cumulative
 * PSN has reached its last packet.
 */
#ifndef _MRC_CORE_RX_WINDOW_H
#define _MRC_CORE_RX_WINDOW_H

#include "../base/base.h"
#include "../base/timing.h"
#include "../wire/wire.h"

/*
 * Open point: SACK threshold (MRC 1.0, section 7.5.2). Coverage matters more than frequency in
 * software: an aggregate of several packets gets one SACK.
 */
#define MRC_SACK_BYTES_DEFAULT	262144u
#define MRC_SACK_BYTES_MAX	(1u << 20)
/* The same as long as the peer has asked for none, and may wait for one when it stops. */
#define MRC_SACK_BYTES_UNASKED	4096u
/* What a packet adds to the trigger count at least (MRC 1.0, section 7.5.2). */
#define MRC_SACK_BYTES_MIN	1024u

/*
 * PSNs are serial numbers: one more than 2^23 behind the cumulative PSN cannot
 * be told from one ahead of the window and is MRC_RX_OOR like it.
 */
enum mrc_rx_verdict {
	MRC_RX_NEW,	/* claimed: place it, then commit or unclaim */
	MRC_RX_DUP,	/* arrived, or being placed, before: SACK again, drop */
	MRC_RX_OOR,	/* beyond the window, or far behind it: drop */
};

/**
 * struct mrc_rx_imm - an immediate that waits for its turn
 * @psn: PSN of the packet that carried it
 * @imm: network byte order
 * @len: bytes of the whole message, as the peer says (RETH DMALen)
 * @payload: bytes that this packet carried
 * @rqmsn: number of the WriteImm, as the peer says
 */
struct mrc_rx_imm {
	u32 psn;
	__be32 imm;
	u32 len;
	u16 payload;
	u16 rqmsn;
};

/**
 * struct mrc_rx_arrival - a placed packet, as told to mrc_rx_commit()
 * @psn: its PSN
 * @payload: payload bytes
 * @nominal: mrc_nominal_len()
 * @opflags: mrc_opcode_flags() of its opcode
 * @imm: immediate, valid with MRC_OPF_IMM
 * @dmalen: bytes of the whole message
 * @msn: number of its message
 * @rqmsn: number of the WriteImm, valid with MRC_OPF_IMM
 * @ev: EV bits it came with
 * @tx_timestamp: TSETH or 0
 * @ackreq: BTH.a
 * @rtx: BTH.rtx
 * @ce: arrived ECN CE-marked
 */
struct mrc_rx_arrival {
	u32 psn;
	u32 payload;
	u32 nominal;
	unsigned int opflags;
	__be32 imm;
	u32 dmalen;
	u16 msn;
	u16 rqmsn;
	u32 ev;
	u16 tx_timestamp;
	bool ackreq;
	bool rtx;
	bool ce;
};

/**
 * struct mrc_rx_done - a message that is complete, and so are all before it
 * @psn: PSN of its last packet
 * @msn: messages completed so far including this one, modulo 2^24
 * @has_imm: it is a WriteImm
 * @imm: network byte order
 * @packets: that it was made of
 * @odd: the number that its packets bear is odd
 * @mixed: not all of them bear that number: they are parts of several messages
 * @len: bytes of the message, as the peer says, valid with @has_imm
 * @payload: bytes of its last packet, valid with @has_imm
 * @rqmsn: number of the WriteImm, as the peer says, valid with @has_imm
 */
struct mrc_rx_done {
	u32 psn;
	u32 msn;
	bool has_imm;
	bool odd;
	bool mixed;
	__be32 imm;
	u32 packets;
	u32 len;
	u16 payload;
	u16 rqmsn;
};

/**
 * struct mrc_rx_bits - what is known of as many PSNs as a word has bits, in one place
 * @claimed: being placed, or arrived
 * @arrived: arrived beyond the cumulative PSN
 * @last: the last packet of its message
 * @odd: the number of its message is odd. One bit of it is kept: neighbours differ in it, and
 *       it makes this a half of a cache line
 */
struct mrc_rx_bits {
	unsigned long claimed;
	unsigned long arrived;
	unsigned long last;
	unsigned long odd;
};

/**
 * struct mrc_rx_window - responder state of a QP (MRC 1.0, table 7-5)
 *
 * Fields are private to rx_window.c but for those that a dump may read:
 * @cack: cumulative PSN
 * @max: highest PSN that has arrived
 * @size: PSNs accepted beyond @cack
 * @ooo: packets arrived beyond @cack
 * @bytes: nominal bytes of new packets so far
 * @done_psn: last PSN of the last message handed out by mrc_rx_next_done()
 * @msn: messages handed out, modulo 2^24
 */
struct mrc_rx_window {
	u32 cack;
	u32 max;
	u32 size;
	u32 head;		/* ring index of cack + 1 */
	u32 ooo;
	u64 bytes;
	u32 done_psn;
	u32 msn;
	struct mrc_rx_bits *bits;	/* ring of @size PSNs */
	struct mrc_rx_imm *imms;	/* heap, lowest PSN first */
	u32 imm_max;
	u32 imm_used;
	/* the SACK to come */
	u32 sack_bytes;		/* threshold */
	u32 trigger_bytes;	/* counted since the last SACK */
	const struct mrc_timing *timing; /* of software unless it is set after the start */
	bool asks;		/* the peer has asked for a SACK */
	u64 heard_ns;		/* when packets came last */
	bool sack_due;
	bool sack_ce;
	bool unsacked;		/* [unsacked_lo, unsacked_hi] is not empty */
	u32 unsacked_lo;
	u32 unsacked_hi;
	u32 again;		/* where mrc_rx_sack_again() goes on */
	u32 old_psn;		/* the first packet's, then a window's size behind @cack */
	u32 trig_psn;
	u32 trig_ev;
	u16 trig_timestamp;
	bool trig_rtx;
	u32 done_lag;		/* PSNs up to cack not yet seen by mrc_rx_next_done() */
	bool begun;		/* it has seen packets of a message, but not the last: */
	bool begun_odd;
	bool begun_mixed;
};

/**
 * mrc_rx_window_mem() - bytes of memory that a window needs
 * @size: PSNs, a multiple of MRC_MPR_UNIT, at most 255 units
 * @imm_max: WriteImm messages that may wait for their turn
 */
size_t mrc_rx_window_mem(u32 size, u32 imm_max);

/**
 * mrc_rx_window_init() - start of a connection
 * @w: the window
 * @mem: mrc_rx_window_mem() zeroed bytes, aligned as for unsigned long
 * @size: as for mrc_rx_window_mem()
 * @imm_max: as for mrc_rx_window_mem()
 * @psn: the first PSN expected
 */
void mrc_rx_window_init(struct mrc_rx_window *w, void *mem, u32 size,
			u32 imm_max, u32 psn);

/**
 * mrc_rx_claim() - may this packet be placed?
 * @w: the window
 * @psn: its PSN
 *
 * A duplicate makes a SACK due, so that a lost SACK heals; the trigger of that
 * SACK is the duplicate once mrc_rx_note_dup() told its EV.
 *
 * The window counts from what mrc_rx_next_done() has handed out: a caller that
 * stops taking completed messages stops the sender, and nothing is forgotten.
 */
enum mrc_rx_verdict mrc_rx_claim(struct mrc_rx_window *w, u32 psn);

/** mrc_rx_look() - what would mrc_rx_claim() say? Nothing changes. */
enum mrc_rx_verdict mrc_rx_look(const struct mrc_rx_window *w, u32 psn);

/**
 * mrc_rx_note_dup() - a duplicate was dropped: answer it with a SACK
 * @w: the window
 * @a: the duplicate
 */
void mrc_rx_note_dup(struct mrc_rx_window *w, const struct mrc_rx_arrival *a);

/**
 * mrc_rx_unclaim() - placement failed, the packet counts as never seen
 * @w: the window
 * @psn: a PSN claimed before and not committed
 */
void mrc_rx_unclaim(struct mrc_rx_window *w, u32 psn);

/**
 * mrc_rx_commit() - a claimed packet is in memory
 * @w: the window
 * @a: the packet
 *
 * Return: 0, or -ENOSPC when its immediate exceeds the agreed number in
 * flight (the packet then counts as claimed but not arrived).
 */
int mrc_rx_commit(struct mrc_rx_window *w, const struct mrc_rx_arrival *a);

/**
 * mrc_rx_next_done() - hand out the next message that is complete in order
 * @w: the window
 * @done: result
 *
 * To be called until it returns false after each batch of commits.
 *
 * Return: false when there is none.
 */
bool mrc_rx_next_done(struct mrc_rx_window *w, struct mrc_rx_done *done);

/**
 * mrc_rx_undo() - the message that was handed out last is not executed: refused, or not yet
 * @w: the window, from which nothing more is handed out before mrc_rx_redo()
 * @done: that message
 */
void mrc_rx_undo(struct mrc_rx_window *w, const struct mrc_rx_done *done);

/** mrc_rx_redo() - it is executed after all */
void mrc_rx_redo(struct mrc_rx_window *w, const struct mrc_rx_done *done);

/** mrc_rx_sack_news() - has anything arrived that no SACK has told? */
static inline bool mrc_rx_sack_news(const struct mrc_rx_window *w)
{
	return w->unsacked;
}

/** mrc_rx_sack_due() - is a SACK due at once (CE, rtx, ack request, duplicate, bytes)? */
static inline bool mrc_rx_sack_due(const struct mrc_rx_window *w)
{
	return w->sack_due;
}

/** mrc_rx_heard() - packets have come, @now (ns), and SACKs that were due are on their way */
static inline void mrc_rx_heard(struct mrc_rx_window *w, u64 now)
{
	w->heard_ns = now;
}

/**
 * mrc_rx_sack_at() - when a SACK becomes due though no packet comes
 *
 * What no SACK has told goes out when nothing has come for a while: who stops, and does not ask,
 * waits for it.
 *
 * Return: ns, or 0: all has been told.
 */
static inline u64 mrc_rx_sack_at(const struct mrc_rx_window *w)
{
	return w->unsacked ? w->heard_ns + w->timing->sack_delay : 0;
}

/**
 * mrc_rx_sack_late() - no packet that has just come is the cause of the next SACK
 *
 * Time is, or what was trimmed. By its trigger the peer would measure how long that packet has
 * waited here, and take it for the way's delay. So one is named that has arrived, but of which the
 * peer has no record any more, for it is as far behind the cumulative PSN as the window is large,
 * with BTH.rtx set. Early in a connection there is no such packet. Any other may be in flight
 * again, and then the peer would take the first copy for the second: so the latest packet stays, as
 * it has come. Where a SACK is due by a packet all the same, or a CE mark is still to be told, that
 * packet stays the trigger.
 */
void mrc_rx_sack_late(struct mrc_rx_window *w);

/**
 * mrc_rx_sack_next() - the next SACK to send
 * @w: the window
 * @sack: result: everything but mpr
 * @rtx: result: BTH.rtx of the SACK
 *
 * Walks over what arrived since the last SACK in steps of 64 PSNs, so several
 * SACKs may follow one another. The caller stops when it likes (and must after
 * a few: a peer can make the walk as long as the window); what was not told
 * yet goes out with the next SACK. At least one SACK is returned when one is
 * due; afterwards none is due.
 *
 * Return: false when everything has been told and none is due.
 */
bool mrc_rx_sack_next(struct mrc_rx_window *w, struct mrc_sack *sack,
		      bool *rtx);

/**
 * mrc_rx_sack_again() - a SACK of what others have told already
 * @w: the window
 * @sack: result: everything but mpr
 * @rtx: result: BTH.rtx of the SACK
 *
 * For the places that mrc_rx_sack_next() has left in an answer: a lost SACK heals, though
 * what it told is further beyond the cumulative PSN than 64. Goes round over the window
 * in steps of 64 PSNs.
 *
 * Return: false when each SACK covers all there is.
 */
bool mrc_rx_sack_again(struct mrc_rx_window *w, struct mrc_sack *sack,
		       bool *rtx);

/**
 * mrc_rx_sack_probe() - a part of the answer to a Reliability Probe
 * @w: the window
 * @probe: the request
 * @ev: EV bits it came with
 * @ce: arrived CE-marked
 * @part: from 0 on
 * @sack: result: everything but mpr, covers 64 PSNs from @part * 64 + 1 beyond the cumulative
 *        one on; the last part those up to the highest that has arrived
 *
 * Return: false when all that has arrived was covered before; never for part 0.
 */
bool mrc_rx_sack_probe(const struct mrc_rx_window *w,
		       const struct mrc_probe *probe, u32 ev, bool ce,
		       unsigned int part, struct mrc_sack *sack);

#endif /* _MRC_CORE_RX_WINDOW_H */
