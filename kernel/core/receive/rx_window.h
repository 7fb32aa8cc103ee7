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
 * software: an aggregate of several packets gets one SACK. This is the default threshold.
 */
#define MRC_SACK_BYTES_DEFAULT	262144u
#define MRC_SACK_BYTES_MAX	(1u << 20)
/* The threshold for a peer that has never asked for a SACK: it may wait for one when it stops. */
#define MRC_SACK_BYTES_UNASKED	4096u
/* The least that a packet adds to the count of bytes (MRC 1.0, section 7.5.2). */
#define MRC_SACK_BYTES_MIN	1024u

/*
 * PSNs are serial numbers: a PSN that is more than 2^23 behind the cumulative PSN cannot be told
 * from a PSN ahead of the window, and is MRC_RX_OOR, too.
 */
enum mrc_rx_verdict {
	MRC_RX_NEW,	/* claimed: place it, then commit or unclaim */
	MRC_RX_DUP,	/* has arrived or is being placed: SACK again, drop */
	MRC_RX_OOR,	/* beyond the window, or far behind it: drop */
};

/**
 * struct mrc_rx_taker - a message that takes a receive, a WriteImm or SEND, and waits for its turn
 * @psn: PSN of its last packet
 * @imm: immediate, network byte order
 * @len: bytes of the whole message, as the peer says (RETH DMALen, PLETH length)
 * @payload: bytes that the last packet carried
 * @rqmsn: its number, as the peer says
 * @opflags: mrc_opcode_flags() of the last packet
 * @solicited: BTH.SE of the last packet
 */
struct mrc_rx_taker {
	u32 psn;
	__be32 imm;
	u32 len;
	u16 payload;
	u16 rqmsn;
	u16 opflags;
	bool solicited;
};

/**
 * struct mrc_rx_send - a SEND of which packets have come: all of its packets must agree
 * @psn: its first PSN
 * @len: bytes of the whole message, as the peer says
 * @packets: packets that have arrived
 * @rqmsn: its number, as the peer says
 * @used: the element is in use
 */
struct mrc_rx_send {
	u32 psn;
	u32 len;
	u32 packets;
	u16 rqmsn;
	bool used;
};

/**
 * struct mrc_rx_arrival - what the window must know of a packet
 * @psn: its PSN
 * @payload: payload bytes
 * @nominal: mrc_nominal_len()
 * @opflags: mrc_opcode_flags() of its opcode
 * @imm: immediate, valid with MRC_OPF_IMM
 * @dmalen: bytes of the whole message
 * @offset: of its payload in the message, valid with MRC_OPF_SEND or MRC_OPF_RESPONSE
 * @msn: number of its message
 * @rqmsn: number of its message among those that take a receive, valid with MRC_OPF_TAKES or
 *         MRC_OPF_SEND
 * @head: its headers, valid with MRC_OPF_FETCH or MRC_OPF_RESPONSE
 * @ev: its EV bits
 * @tx_timestamp: TSETH or 0
 * @opcode: valid with MRC_OPF_FETCH
 * @solicited: BTH.SE
 * @ackreq: BTH.a
 * @rtx: BTH.rtx
 * @ce: it arrived ECN CE-marked
 */
struct mrc_rx_arrival {
	u32 psn;
	u32 payload;
	u32 nominal;
	unsigned int opflags;
	__be32 imm;
	u32 dmalen;
	u32 offset;
	u16 msn;
	u16 rqmsn;
	const struct mrc_write *head;
	u32 ev;
	u16 tx_timestamp;
	u8 opcode;
	bool solicited;
	bool ackreq;
	bool rtx;
	bool ce;
};

/**
 * struct mrc_rx_done - a message that is complete in order
 * @psn: PSN of its last packet
 * @msn: messages completed so far including this one, modulo 2^24
 * @takes: it takes a receive: it is a WriteImm or a SEND
 * @send: it is a SEND
 * @has_imm: it has an immediate
 * @invalidates: the immediate is the key of a region of this host that the SEND invalidates
 * @solicited: a SEND that asks for an event
 * @imm: network byte order
 * @packets: its packets
 * @odd: the message number in its first packet is odd
 * @mixed: some packets have another message number, so they belong to several messages
 * @len: bytes of the message, as the peer says, valid with @takes
 * @payload: bytes of its last packet, valid with @takes
 * @rqmsn: number among the messages that take a receive, as the peer says, valid with @takes
 */
struct mrc_rx_done {
	u32 psn;
	u32 msn;
	bool takes;
	bool send;
	bool has_imm;
	bool invalidates;
	bool solicited;
	bool odd;
	bool mixed;
	__be32 imm;
	u32 packets;
	u32 len;
	u16 payload;
	u16 rqmsn;
};

/**
 * struct mrc_rx_bits - state of as many PSNs as a word has bits, a bit for each PSN in each word
 * @claimed: being placed, or arrived
 * @arrived: arrived beyond the cumulative PSN
 * @last: the last packet of its message
 * @odd: the lowest bit of its message number. More bits are not kept: neighbouring messages differ
 *       in this bit, and the struct is half a cache line
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
 * Fields are private to rx_window.c, except those that a dump may read:
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
	struct mrc_rx_taker *takers;	/* heap, lowest PSN first */
	struct mrc_rx_send *sends;	/* open SENDs, by their number modulo a power of two */
	u32 imm_max;
	u32 takers_used;
	/* the SACK to come */
	u32 sack_bytes;		/* threshold */
	u32 trigger_bytes;	/* counted since the last SACK */
	const struct mrc_timing *timing; /* software's, unless it is set after the start */
	bool asks;		/* the peer has asked for a SACK */
	u64 heard_ns;		/* when packets came last */
	bool sack_due;
	bool sack_ce;
	bool unsacked;		/* [unsacked_lo, unsacked_hi] is not empty */
	u32 unsacked_lo;
	u32 unsacked_hi;
	u32 again;		/* where mrc_rx_sack_again() goes on */
	u32 old_psn;		/* first PSN; later a PSN that is @size behind @cack */
	u32 trig_psn;
	u32 trig_ev;
	u16 trig_timestamp;
	bool trig_rtx;
	u32 done_lag;		/* PSNs up to cack not yet seen by mrc_rx_next_done() */
	bool begun;		/* it has seen part of a message, in which ... */
	bool begun_odd;		/* ... the first packet has an odd message number */
	bool begun_mixed;	/* ... some packets have another message number */
};

/**
 * mrc_rx_window_mem() - bytes of memory that a window needs
 * @size: PSNs, a multiple of MRC_MPR_UNIT, at most 255 units
 * @imm_max: messages that take a receive and may wait for their turn
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
 * A duplicate makes a SACK due, in case an earlier SACK was lost. mrc_rx_note_dup()
 * makes the duplicate the trigger of that SACK.
 *
 * The window counts from the last message that mrc_rx_next_done() has handed out.
 * So a caller that stops taking complete messages stops the sender, and nothing is
 * forgotten.
 */
enum mrc_rx_verdict mrc_rx_claim(struct mrc_rx_window *w, u32 psn);

/** mrc_rx_look() - what would mrc_rx_claim() return? Changes nothing. */
enum mrc_rx_verdict mrc_rx_look(const struct mrc_rx_window *w, u32 psn);

/**
 * mrc_rx_note_dup() - a duplicate was dropped: answer it with a SACK
 * @w: the window
 * @a: the duplicate
 */
void mrc_rx_note_dup(struct mrc_rx_window *w, const struct mrc_rx_arrival *a);

/**
 * mrc_rx_unclaim() - placement failed: the packet counts as never seen
 * @w: the window
 * @psn: a PSN claimed before and not committed
 */
void mrc_rx_unclaim(struct mrc_rx_window *w, u32 psn);

/**
 * mrc_rx_commit() - a claimed packet is in memory
 * @w: the window
 * @a: the packet
 *
 * Return: 0, or -ENOSPC when more messages that take a receive are in flight than agreed (the
 * packet then counts as claimed but not arrived).
 */
int mrc_rx_commit(struct mrc_rx_window *w, const struct mrc_rx_arrival *a);

/**
 * mrc_rx_send_fits() - does a SEND packet agree with the others of its message?
 * @w: the window
 * @a: the packet; its place fits its message
 * @psn: PSN of the first packet of its message, as its place says
 * @next: number of the next message that takes a receive
 *
 * If all packets of a SEND agree in first PSN, length and number, then all of them have been placed
 * when the SEND is complete: nothing is written to its receive afterwards.
 *
 * Return: false also when more SENDs are open than agreed.
 */
bool mrc_rx_send_fits(struct mrc_rx_window *w, const struct mrc_rx_arrival *a, u32 psn, u16 next);

/**
 * mrc_rx_send_end() - the message of a number is complete in order, and takes its receive
 * @w: the window
 * @rqmsn: the number
 *
 * Return: SEND packets with this number that have arrived; -EBUSY: none has, but one has come.
 */
int mrc_rx_send_end(struct mrc_rx_window *w, u16 rqmsn);

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
 * mrc_rx_undo() - the message that was handed out last is refused, or cannot be executed yet
 * @w: the window; nothing more may be handed out from it before mrc_rx_redo()
 * @done: that message
 */
void mrc_rx_undo(struct mrc_rx_window *w, const struct mrc_rx_done *done);

/** mrc_rx_redo() - the message of mrc_rx_undo() is executed after all */
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

/** mrc_rx_heard() - packets have come @now (ns), and SACKs that were due have been sent */
static inline void mrc_rx_heard(struct mrc_rx_window *w, u64 now)
{
	w->heard_ns = now;
}

/**
 * mrc_rx_sack_at() - when a SACK becomes due even if no packet comes
 *
 * Arrivals that no SACK has told are told when no packet has come for a while: a sender that stops
 * without asking for a SACK waits for it.
 *
 * Return: ns, or 0: SACKs have told everything.
 */
static inline u64 mrc_rx_sack_at(const struct mrc_rx_window *w)
{
	return w->unsacked ? w->heard_ns + w->timing->sack_delay : 0;
}

/**
 * mrc_rx_sack_late() - the cause of the next SACK is time, or a trimmed packet, and no new arrival
 *
 * The peer measures a round trip by the trigger of a SACK. If the trigger was the latest packet,
 * the peer would take the time that this packet has waited here for delay of the network. So the
 * SACK names a trigger of which the peer has no record any more: a packet that is as far behind the
 * cumulative PSN as the window is large, with BTH.rtx set. Early in a connection there is no such
 * packet, and the latest packet stays the trigger. No other packet will do, because it may be in
 * flight again, and then the peer would take its first copy for the second. If a packet has made a
 * SACK due all the same, or a CE mark is still to be told, that packet stays the trigger.
 */
void mrc_rx_sack_late(struct mrc_rx_window *w);

/**
 * mrc_rx_sack_next() - the next SACK to send
 * @w: the window
 * @sack: result: everything but mpr
 * @rtx: result: BTH.rtx of the SACK
 *
 * Walks over what arrived since the last SACK in steps of 64 PSNs, so several
 * SACKs may follow one another. The caller stops when it likes, and must stop after
 * a few, because a peer can make the walk as long as the window. What was not told
 * yet goes out with the next SACK. At least one SACK is returned when one is
 * due; afterwards none is due.
 *
 * Return: false when everything has been told and no SACK is due.
 */
bool mrc_rx_sack_next(struct mrc_rx_window *w, struct mrc_sack *sack,
		      bool *rtx);

/**
 * mrc_rx_sack_again() - a SACK that repeats what earlier SACKs have told
 * @w: the window
 * @sack: result: everything but mpr
 * @rtx: result: BTH.rtx of the SACK
 *
 * For the room that mrc_rx_sack_next() has left in an answer. It makes up for a lost SACK, even for
 * packets that are more than 64 beyond the cumulative PSN. Goes round and round over the window in
 * steps of 64 PSNs.
 *
 * Return: false when any SACK covers all arrivals, so there is nothing to repeat.
 */
bool mrc_rx_sack_again(struct mrc_rx_window *w, struct mrc_sack *sack,
		       bool *rtx);

/**
 * mrc_rx_sack_probe() - a part of the answer to a Reliability Probe
 * @w: the window
 * @probe: the request
 * @ev: EV bits of the probe
 * @ce: the probe arrived CE-marked
 * @part: number of the part, from 0 on
 * @sack: result: everything but mpr. Part 0 and later ones cover 64 PSNs each, from @part * 64 + 1
 *        beyond the cumulative PSN on; the last part ends with the highest PSN that has arrived
 *
 * Return: false when earlier parts cover all that has arrived; never for part 0.
 */
bool mrc_rx_sack_probe(const struct mrc_rx_window *w,
		       const struct mrc_probe *probe, u32 ev, bool ce,
		       unsigned int part, struct mrc_sack *sack);

#endif /* _MRC_CORE_RX_WINDOW_H */
