// SPDX-License-Identifier: GPL-2.0-only
#include "responder.h"
#include "../base/psn.h"

/* With a small window, the sender must not wait for a SACK that is due only in a large window. */
static u32 mrc_resp_sack_bytes(const struct mrc_resp_cfg *cfg)
{
	return min(cfg->sack_bytes, cfg->size / 4 * max(cfg->mtu, MRC_SACK_BYTES_MIN));
}

void mrc_resp_start(struct mrc_resp *q, void *mem,
		    const struct mrc_resp_cfg *cfg, u32 psn)
{
	memset(q, 0, sizeof(*q));
	mrc_rx_window_init(&q->rx, mem, cfg->size, cfg->imm_max, psn);
	q->rx.sack_bytes = mrc_resp_sack_bytes(cfg);
	q->mtu = cfg->mtu;
}

/* ---- packets ------------------------------------------------------------- */

void mrc_resp_arrival(const struct mrc_hdr *hdr, u32 payload, u32 ev, bool ce,
		      struct mrc_rx_arrival *a)
{
	*a = (struct mrc_rx_arrival){
		.psn = hdr->bth.psn,
		.payload = payload,
		.nominal = mrc_nominal_len(hdr, payload),
		.opflags = mrc_opcode_flags(hdr->bth.opcode),
		.imm = hdr->write.imm,
		.dmalen = hdr->write.dmalen,
		.offset = (u32)hdr->write.va,
		.msn = hdr->write.msn,
		.rqmsn = hdr->write.rqmsn,
		.head = &hdr->write,
		.opcode = hdr->bth.opcode,
		.ev = ev,
		.tx_timestamp = hdr->write.tx_timestamp,
		.solicited = hdr->bth.solicited,
		.ackreq = hdr->bth.ackreq,
		.rtx = hdr->bth.rtx,
		.ce = ce,
	};
}

/* @a->payload is at most @a->dmalen. */
static bool mrc_resp_place_fits(const struct mrc_resp *q, const struct mrc_rx_arrival *a)
{
	u32 rest = a->dmalen - a->payload;

	if (a->offset % q->mtu || (a->opflags & MRC_OPF_FIRST && a->offset))
		return false;
	return a->opflags & MRC_OPF_LAST ? a->offset == rest : a->offset < rest;
}

bool mrc_resp_fits(const struct mrc_resp *q, const struct mrc_rx_arrival *a)
{
	if (a->dmalen > MRC_MSG_MAX || a->payload > a->dmalen)
		return false;
	if (a->opflags & (MRC_OPF_FETCH | MRC_OPF_ATOMIC))
		return !a->payload;
	if (a->opflags & (MRC_OPF_SEND | MRC_OPF_RESPONSE) && !mrc_resp_place_fits(q, a))
		return false;
	if (!(a->opflags & MRC_OPF_LAST))
		return a->payload == q->mtu;
	if (a->opflags & MRC_OPF_FIRST)
		return a->payload == a->dmalen && a->dmalen <= q->mtu;
	return a->payload && a->payload <= q->mtu;
}

static void mrc_resp_note_beyond(struct mrc_resp *q, const struct mrc_rx_arrival *a)
{
	q->nack = (struct mrc_nack){
		.reason = MRC_NACK_PSN_OOR_WINDOW,
		.entropy = a->ev,
		.psn = a->psn,
		.tx_timestamp = a->tx_timestamp,
	};
	q->nack_due = true;
}

enum mrc_rx_verdict mrc_resp_claim(struct mrc_resp *q,
				   const struct mrc_rx_arrival *a)
{
	enum mrc_rx_verdict verdict;

	if (q->refused)
		return MRC_RX_OOR;
	q->sends |= !!(a->opflags & MRC_OPF_SEND);
	verdict = mrc_rx_claim(&q->rx, a->psn);
	if (verdict == MRC_RX_DUP) {
		mrc_rx_note_dup(&q->rx, a);
		q->reack = true;
	} else if (verdict == MRC_RX_OOR) {
		mrc_resp_note_beyond(q, a);
	}
	return verdict;
}

/* A message that waits has its number already, but not its receive. */
int mrc_resp_receive(struct mrc_resp *q, const struct mrc_rx_arrival *a)
{
	u16 next = q->imm_numbered ? q->next_rqmsn : MRC_MSN_FIRST;
	bool waits = q->wait == MRC_RESP_WAITS || q->wait == MRC_RESP_RESUMED;
	u32 psn = mrc_psn_add(a->psn, -(s32)(a->offset / q->mtu));

	if (!mrc_rx_send_fits(&q->rx, a, psn, next))
		return -EINVAL;
	return (u16)(a->rqmsn - next) + waits;
}

bool mrc_resp_starve(struct mrc_resp *q, const struct mrc_rx_arrival *a)
{
	bool first;

	mrc_rx_unclaim(&q->rx, a->psn);
	q->starved = true;
	if (q->no_receive_due && mrc_psn_diff(q->no_receive.psn, a->psn) <= 0)
		return false;
	q->no_receive = (struct mrc_nack){
		.reason = MRC_NACK_NO_RESOURCE,
		.entropy = a->ev,
		.psn = a->psn,
		.tx_timestamp = a->tx_timestamp,
	};
	first = !q->no_receive_due;
	q->no_receive_due = true;
	return first;
}

static void mrc_resp_refuse(struct mrc_resp *q, u32 psn, u8 syndrome)
{
	if (q->nak_syndrome && mrc_psn_diff(q->nak_psn, psn) <= 0)
		return;
	q->nak_psn = psn;
	q->nak_syndrome = syndrome;
}

/* Open point: where numbers start. The first packet in order says it. */
static bool mrc_resp_number_fits(struct mrc_resp *q, const struct mrc_rx_arrival *a)
{
	u32 ahead = (u32)mrc_psn_diff(a->psn, q->rx.done_psn) - 1;

	if (!q->numbered && !ahead) {
		q->first_msn = a->msn;
		q->numbered = true;
	}
	return !q->numbered ||
	       (u16)(a->msn - q->first_msn - q->rx.msn) <= ahead;
}

/* Does a NAK wait, for a receive of an earlier message, or until earlier responses have arrived? */
static bool mrc_resp_holds_nak(const struct mrc_resp *q)
{
	return q->wait == MRC_RESP_WAITS || q->answering;
}

static bool mrc_resp_fetch_fits(struct mrc_resp *q, const struct mrc_rx_arrival *a)
{
	return !(a->opflags & MRC_OPF_FETCH) ||
	       !mrc_fetches_add(&q->fetches, a->psn, a->opcode, a->head);
}

void mrc_resp_commit(struct mrc_resp *q, const struct mrc_rx_arrival *a,
		     u8 syndrome)
{
	if (q->refused)
		return;
	if (!syndrome && (!mrc_resp_number_fits(q, a) || !mrc_resp_fetch_fits(q, a)))
		syndrome = MRC_NAK_INVALID;
	if (syndrome && !mrc_resp_holds_nak(q))
		mrc_rx_unclaim(&q->rx, a->psn);
	else if (mrc_rx_commit(&q->rx, a))
		syndrome = MRC_NAK_INVALID;
	else
		q->nak_stands |= !!syndrome;
	if (!syndrome && a->opflags & MRC_OPF_RESPONSE)
		q->responses += mrc_reads_placed(&q->reads, a);
	if (syndrome)
		mrc_resp_refuse(q, a->psn, syndrome);
	else if (a->psn == q->nak_psn && !q->nak_stands)
		q->nak_syndrome = 0;	/* another copy was right */
}

/* ---- messages ------------------------------------------------------------ */

/* Is a packet of a message, or of one before it, refused? */
static bool mrc_resp_is_refused(const struct mrc_resp *q, const struct mrc_rx_done *done)
{
	return q->nak_syndrome && mrc_psn_diff(q->nak_psn, done->psn) <= 0;
}

static bool mrc_resp_taker_fits(struct mrc_resp *q, const struct mrc_rx_done *done)
{
	/* SENDs were placed by numbers from MRC_MSN_FIRST on. */
	if (!q->imm_numbered) {
		q->next_rqmsn = q->sends ? MRC_MSN_FIRST : done->rqmsn;
		q->imm_numbered = true;
	}
	if (mrc_rx_send_end(&q->rx, done->rqmsn) != (done->send ? (int)done->packets : 0))
		return false;
	return done->rqmsn == q->next_rqmsn++ &&
	       done->len == (u64)(done->packets - 1) * q->mtu + done->payload;
}

static bool mrc_resp_done_fits(struct mrc_resp *q, const struct mrc_rx_done *done)
{
	/* Is the number that this message must have odd? */
	bool odd = (q->first_msn + done->msn - 1) & 1;

	if (done->mixed || done->odd != odd)
		return false;
	return !done->takes || mrc_resp_taker_fits(q, done);
}

void mrc_resp_refuse_done(struct mrc_resp *q, const struct mrc_rx_done *done, u8 syndrome)
{
	mrc_rx_undo(&q->rx, done);
	q->nak_psn = done->psn;
	q->nak_syndrome = syndrome;
}

bool mrc_resp_next_done(struct mrc_resp *q, struct mrc_rx_done *done)
{
	if (q->halts || q->wait == MRC_RESP_WAITS)
		return false;
	if (q->wait == MRC_RESP_RESUMED) {
		q->wait = MRC_RESP_RETRIED;
		*done = q->waiter;
		mrc_rx_redo(&q->rx, done);
		return true;
	}
	q->wait = MRC_RESP_NO_WAIT;
	if (!mrc_rx_next_done(&q->rx, done))
		return false;
	if (mrc_resp_is_refused(q, done)) {
		mrc_rx_undo(&q->rx, done);
		q->halts = q->nak_stands;
		return false;
	}
	if (mrc_resp_done_fits(q, done))
		return true;
	mrc_resp_refuse_done(q, done, MRC_NAK_INVALID);
	return false;
}

bool mrc_resp_wait(struct mrc_resp *q, const struct mrc_rx_done *done)
{
	bool first = q->wait != MRC_RESP_RETRIED;

	mrc_rx_undo(&q->rx, done);
	q->waiter = *done;
	q->wait = MRC_RESP_WAITS;
	q->wait_untold |= first;
	return first;
}

bool mrc_resp_resume(struct mrc_resp *q)
{
	if (q->wait == MRC_RESP_WAITS)
		q->wait = MRC_RESP_RESUMED;
	else if (q->starved)
		q->reack = true;
	else
		return false;
	return true;
}

bool mrc_resp_response(struct mrc_resp *q)
{
	if (!q->responses)
		return false;
	q->responses--;
	return true;
}

bool mrc_resp_answered(struct mrc_resp *q, u32 responses)
{
	q->answering -= responses;
	return responses && !q->answering && q->nak_syndrome;
}

/* ---- answers ------------------------------------------------------------- */

/* Return: the syndrome of the NAK that is due, or 0. A NAK also acknowledges all before its PSN. */
static u8 mrc_resp_nak(const struct mrc_resp *q)
{
	if (mrc_resp_holds_nak(q))
		return 0;
	return mrc_psn_diff(q->nak_psn, q->rx.cack) <= 1 ? q->nak_syndrome : 0;
}

/* The wait is told once, and again whenever the peer asks, because the NACK may have been lost. */
static bool mrc_resp_wait_due(const struct mrc_resp *q)
{
	return q->wait == MRC_RESP_WAITS && (q->wait_untold || q->reack);
}

/* Each SACK tells our window; a sender that has no use for it ignores it. */
static void mrc_resp_put_sack(const struct mrc_resp *q, struct mrc_sack *sack, bool rtx,
			      struct mrc_answers *a)
{
	sack->mpr = (u8)(q->rx.size / MRC_MPR_UNIT);
	mrc_answers_sack(a, sack, rtx);
}

/* Leaves room for the ACK and for NACKs, and for one SACK that repeats old news. */
static void mrc_resp_sacks(struct mrc_resp *q, struct mrc_answers *a)
{
	unsigned int keep = 1 + q->nack_due + mrc_resp_wait_due(q);
	unsigned int again;
	struct mrc_sack sack;
	bool rtx;

	while (mrc_answers_room(a) > keep + 1 &&
	       mrc_rx_sack_next(&q->rx, &sack, &rtx))
		mrc_resp_put_sack(q, &sack, rtx, a);
	for (again = 0; again < MRC_RESP_SACKS_AGAIN; again++) {
		if (mrc_answers_room(a) <= keep ||
		    !mrc_rx_sack_again(&q->rx, &sack, &rtx))
			return;
		mrc_resp_put_sack(q, &sack, rtx, a);
	}
}

static bool mrc_resp_sacks_due(const struct mrc_resp *q)
{
	return mrc_rx_sack_due(&q->rx) ||
	       ((q->acked_msn != q->rx.msn || mrc_resp_wait_due(q)) &&
		mrc_rx_sack_news(&q->rx));
}

/* One NACK is enough for packets that came together. */
static void mrc_resp_nack(struct mrc_resp *q, u64 now, struct mrc_answers *a)
{
	if (q->nack_due && mrc_gate_pass(&q->nack_gate, now, MRC_RESP_NACK_RATE))
		mrc_answers_nack(a, &q->nack);
	q->nack_due = false;
}

/* The peer knows by a SACK that the packet has arrived, so it does not send it again. */
static void mrc_resp_tell_wait(struct mrc_resp *q, struct mrc_answers *a)
{
	const struct mrc_nack nack = {
		.reason = MRC_NACK_NO_RESOURCE,
		.entropy = q->rx.trig_ev,
		.psn = q->waiter.psn,
	};

	mrc_answers_nack(a, &nack);
	q->wait_untold = false;
}

/* The peer has to know this before SACKs seem to show that packets are lost. */
static void mrc_resp_tell_no_receive(struct mrc_resp *q, struct mrc_answers *a)
{
	if (q->no_receive_due)
		mrc_answers_nack(a, &q->no_receive);
	q->no_receive_due = false;
}

/*
 * The peer asks, and has no receive yet: the NACK may have been lost. A SACK without it would seem
 * to show that a path has lost the packet.
 */
static void mrc_resp_repeat_no_receive(struct mrc_resp *q, struct mrc_answers *a)
{
	if (q->starved && !q->receives && q->no_receive.reason &&
	    mrc_rx_look(&q->rx, q->no_receive.psn) == MRC_RX_NEW)
		q->no_receive_due = true;
	mrc_resp_tell_no_receive(q, a);
}

/* Packets of a QP without SENDs are those of MRC 1.0, which tells no credits. */
static u8 mrc_resp_credits(struct mrc_resp *q)
{
	if (!q->sends)
		return MRC_ACK_OK;
	q->starved = !q->receives;
	if (!q->starved && !q->no_receive_due)
		q->no_receive.reason = 0;
	return mrc_credits_encode(q->receives);
}

static void mrc_resp_ack(struct mrc_resp *q, u8 nak, struct mrc_answers *a)
{
	bool wait = mrc_resp_wait_due(q);

	if (nak)
		mrc_answers_ack(a, q->nak_psn, nak, q->rx.msn);
	else if (q->acked_msn != q->rx.msn || q->reack)
		mrc_answers_ack(a, q->rx.done_psn, mrc_resp_credits(q), q->rx.msn);
	if (wait)
		mrc_resp_tell_wait(q, a);
	q->acked_msn = q->rx.msn;
	q->reack = false;
}

static void mrc_resp_trimmed_new(struct mrc_resp *q, const struct mrc_bth *bth, u32 ev,
				 bool lasthop, struct mrc_answers *a)
{
	const struct mrc_nack nack = {
		.reason = lasthop ? MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED,
		.entropy = ev,
		.psn = bth->psn,
	};

	mrc_answers_nack(a, &nack);
	/* The other end may have a full window, and wait for the SACK that it asked for. */
	if (bth->ackreq) {
		mrc_rx_sack_late(&q->rx);
		mrc_resp_sacks(q, a);
	}
}

/* The QP's own gate comes first, so that answers which it refuses cost the other QPs nothing. */
static bool mrc_resp_may_tell_trims(struct mrc_resp *q, struct mrc_gate *all, u64 now)
{
	return mrc_gate_pass(&q->trim_gate, now, MRC_RESP_TRIM_RATE) &&
	       (!all || mrc_gate_pass(all, now, MRC_RESP_TRIM_RATE_ALL));
}

bool mrc_resp_trimmed(struct mrc_resp *q, const struct mrc_bth *bth, u32 ev, bool lasthop,
		      struct mrc_gate *all, u64 now, struct mrc_answers *a)
{
	const struct mrc_rx_arrival again = {
		.psn = bth->psn,
		.ev = ev,
		.rtx = bth->rtx,
	};

	enum mrc_rx_verdict verdict = mrc_rx_look(&q->rx, bth->psn);

	if (q->refused || verdict == MRC_RX_OOR ||
	    !mrc_resp_may_tell_trims(q, all, now))
		return false;
	if (verdict == MRC_RX_NEW) {
		mrc_resp_trimmed_new(q, bth, ev, lasthop, a);
		return true;
	}
	mrc_rx_note_dup(&q->rx, &again);
	q->reack = true;
	mrc_resp_sacks(q, a);
	mrc_resp_ack(q, 0, a);
	return true;
}

u8 mrc_resp_answer(struct mrc_resp *q, u64 now, struct mrc_answers *a)
{
	u8 nak = mrc_resp_nak(q);

	if (q->refused)
		return 0;
	mrc_resp_tell_no_receive(q, a);
	if (mrc_resp_sacks_due(q))
		mrc_resp_sacks(q, a);
	mrc_resp_nack(q, now, a);
	mrc_resp_ack(q, nak, a);
	mrc_rx_heard(&q->rx, now);
	q->refused = nak;
	return nak;
}

void mrc_resp_probe(struct mrc_resp *q, const struct mrc_probe *probe, u32 ev,
		    bool ce, struct mrc_answers *a)
{
	unsigned int part = 0;
	struct mrc_sack sack;

	if (q->refused)
		return;
	q->reack = true;
	mrc_resp_repeat_no_receive(q, a);
	/* Leaves room for the ACK, and for the NACK that says that a message waits. */
	while (mrc_answers_room(a) > 1u + mrc_resp_wait_due(q) &&
	       mrc_rx_sack_probe(&q->rx, probe, ev, ce, part++, &sack))
		mrc_resp_put_sack(q, &sack, false, a);
	mrc_resp_ack(q, 0, a);
}

/* ---- time ---------------------------------------------------------------- */

u64 mrc_resp_timer_at(const struct mrc_resp *q)
{
	return q->refused ? 0 : mrc_rx_sack_at(&q->rx);
}

void mrc_resp_timer(struct mrc_resp *q, u64 now, struct mrc_answers *a)
{
	u64 at = mrc_resp_timer_at(q);

	if (!at || at > now)
		return;
	mrc_rx_sack_late(&q->rx);
	mrc_resp_sacks(q, a);
	mrc_rx_heard(&q->rx, now);
}

/* ---- the end ------------------------------------------------------------- */

void mrc_resp_last_words(const struct mrc_resp *q, struct mrc_last_words *w)
{
	*w = (struct mrc_last_words){
		.done_psn = q->rx.done_psn,
		.size = q->rx.size,
		.msn = q->rx.msn,
		.nak_psn = q->nak_psn,
		.nak_syndrome = q->refused ? q->nak_syndrome : 0,
		.answering = q->answering,
	};
}
