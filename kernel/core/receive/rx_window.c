// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bit of "claimed" or "arrived" stands for a PSN beyond the cumulative one, in a ring of @size
 * bits. Bits of "last" and "odd" live longer: until mrc_rx_next_done() has passed their PSN, which
 * may lie up to @done_lag PSNs behind the cumulative one. Both spans together never exceed the
 * ring, see mrc_rx_claim().
 */
#include "rx_window.h"
#include "../base/psn.h"

#define MRC_RX_SACK_SPAN	64u	/* PSNs that one bitmap covers */
#define MRC_RX_MSN_MASK	0xffffffu

/* A power of two, so that numbers modulo this go on over their wrap. */
static u32 mrc_rx_sends(u32 imm_max)
{
	return imm_max ? 1u << fls64(imm_max - 1) : 0;
}

size_t mrc_rx_window_mem(u32 size, u32 imm_max)
{
	return BITS_TO_LONGS(size) * sizeof(struct mrc_rx_bits) +
	       imm_max * sizeof(struct mrc_rx_taker) +
	       mrc_rx_sends(imm_max) * sizeof(struct mrc_rx_send);
}

void mrc_rx_window_init(struct mrc_rx_window *w, void *mem, u32 size,
			u32 imm_max, u32 psn)
{
	memset(w, 0, sizeof(*w));
	w->cack = mrc_psn_add(psn, -1);
	w->max = w->cack;
	w->done_psn = w->cack;
	w->trig_psn = w->cack;
	w->old_psn = psn;
	w->size = size;
	w->bits = mem;
	w->takers = (void *)(w->bits + BITS_TO_LONGS(size));
	w->sends = (void *)(w->takers + imm_max);
	w->imm_max = imm_max;
	w->again = psn;
	w->timing = &mrc_timing_software;
	w->sack_bytes = MRC_SACK_BYTES_DEFAULT;
}

/* Ring index @n places after @at, @n at most the ring's size. */
static u32 mrc_rx_ring_after(const struct mrc_rx_window *w, u32 at, u32 n)
{
	at += n;
	return at >= w->size ? at - w->size : at;
}

/* Ring index of a PSN in (cack, cack + size]. */
static u32 mrc_rx_ring_index(const struct mrc_rx_window *w, u32 psn)
{
	return mrc_rx_ring_after(w, w->head, (u32)mrc_psn_diff(psn, w->cack) - 1);
}

/* The words that hold the bits of a ring index. */
static struct mrc_rx_bits *mrc_rx_bits_at(const struct mrc_rx_window *w, u32 at)
{
	return &w->bits[at / BITS_PER_LONG];
}

static unsigned long mrc_rx_bit(u32 at)
{
	return 1ul << at % BITS_PER_LONG;
}

enum mrc_rx_verdict mrc_rx_look(const struct mrc_rx_window *w, u32 psn)
{
	s32 ahead = mrc_psn_diff(psn, w->cack);
	u32 at;

	if (ahead > (s32)(w->size - w->done_lag))
		return MRC_RX_OOR;
	if (ahead <= 0)
		return MRC_RX_DUP;
	at = mrc_rx_ring_index(w, psn);
	return mrc_rx_bits_at(w, at)->claimed & mrc_rx_bit(at) ? MRC_RX_DUP : MRC_RX_NEW;
}

enum mrc_rx_verdict mrc_rx_claim(struct mrc_rx_window *w, u32 psn)
{
	enum mrc_rx_verdict verdict = mrc_rx_look(w, psn);
	u32 at;

	if (verdict == MRC_RX_NEW) {
		at = mrc_rx_ring_index(w, psn);
		mrc_rx_bits_at(w, at)->claimed |= mrc_rx_bit(at);
	} else if (verdict == MRC_RX_DUP) {
		w->sack_due = true;
	}
	return verdict;
}

void mrc_rx_unclaim(struct mrc_rx_window *w, u32 psn)
{
	u32 at = mrc_rx_ring_index(w, psn);

	mrc_rx_bits_at(w, at)->claimed &= ~mrc_rx_bit(at);
}

/* Sets the packet that the next SACK echoes: the latest one, unless that would hide a CE mark. */
static void mrc_rx_set_trigger(struct mrc_rx_window *w, const struct mrc_rx_arrival *a)
{
	if (w->sack_ce && !a->ce)
		return;
	w->sack_ce = a->ce;
	w->trig_psn = a->psn;
	w->trig_ev = a->ev;
	w->trig_timestamp = a->tx_timestamp;
	w->trig_rtx = a->rtx;
}

static void mrc_rx_add_unsacked(struct mrc_rx_window *w, u32 psn)
{
	if (mrc_psn_diff(psn, w->cack) < 0)
		psn = w->cack;	/* an old duplicate: cack alone tells it */
	if (!w->unsacked) {
		w->unsacked = true;
		w->unsacked_lo = psn;
		w->unsacked_hi = psn;
		return;
	}
	if (mrc_psn_diff(psn, w->unsacked_lo) < 0)
		w->unsacked_lo = psn;
	if (mrc_psn_diff(psn, w->unsacked_hi) > 0)
		w->unsacked_hi = psn;
}

void mrc_rx_note_dup(struct mrc_rx_window *w, const struct mrc_rx_arrival *a)
{
	if (mrc_psn_diff(a->psn, w->cack) > (s32)w->size)
		return;		/* no duplicate: the packet was never taken */
	mrc_rx_set_trigger(w, a);
	mrc_rx_add_unsacked(w, a->psn);
	w->sack_due = true;
}

static bool mrc_rx_taker_before(const struct mrc_rx_taker *a, const struct mrc_rx_taker *b)
{
	return mrc_psn_diff(a->psn, b->psn) < 0;
}

static void mrc_rx_taker_push(struct mrc_rx_window *w, const struct mrc_rx_arrival *a)
{
	struct mrc_rx_taker new = {
		.psn = a->psn,
		.imm = a->imm,
		.len = a->dmalen,
		.payload = (u16)a->payload,
		.rqmsn = a->rqmsn,
		.opflags = (u16)a->opflags,
		.solicited = a->solicited,
	};
	u32 at = w->takers_used++;

	while (at && mrc_rx_taker_before(&new, &w->takers[(at - 1) / 2])) {
		w->takers[at] = w->takers[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	w->takers[at] = new;
}

static void mrc_rx_taker_pop(struct mrc_rx_window *w)
{
	const struct mrc_rx_taker *moved = &w->takers[--w->takers_used];
	u32 at = 0;
	u32 child;

	while ((child = 2 * at + 1) < w->takers_used) {
		if (child + 1 < w->takers_used &&
		    mrc_rx_taker_before(&w->takers[child + 1], &w->takers[child]))
			child++;
		if (!mrc_rx_taker_before(&w->takers[child], moved))
			break;
		w->takers[at] = w->takers[child];
		at = child;
	}
	w->takers[at] = *moved;
}

static struct mrc_rx_send *mrc_rx_send_at(const struct mrc_rx_window *w, u16 rqmsn)
{
	return &w->sends[rqmsn & (mrc_rx_sends(w->imm_max) - 1)];
}

bool mrc_rx_send_fits(struct mrc_rx_window *w, const struct mrc_rx_arrival *a, u32 psn, u16 next)
{
	struct mrc_rx_send *send;

	if ((u16)(a->rqmsn - next) >= w->imm_max)
		return false;
	send = mrc_rx_send_at(w, a->rqmsn);
	if (!send->used)
		*send = (struct mrc_rx_send){
			.psn = psn,
			.len = a->dmalen,
			.rqmsn = a->rqmsn,
			.used = true,
		};
	return send->rqmsn == a->rqmsn && send->psn == psn && send->len == a->dmalen;
}

int mrc_rx_send_end(struct mrc_rx_window *w, u16 rqmsn)
{
	struct mrc_rx_send *send = mrc_rx_send_at(w, rqmsn);

	if (!send->used || send->rqmsn != rqmsn)
		return 0;
	send->used = false;
	return send->packets ? (int)send->packets : -EBUSY;
}

static void mrc_rx_count_send(struct mrc_rx_window *w, const struct mrc_rx_arrival *a)
{
	struct mrc_rx_send *send;

	if (!w->imm_max)
		return;
	send = mrc_rx_send_at(w, a->rqmsn);
	if (send->used && send->rqmsn == a->rqmsn)
		send->packets++;
}

static void mrc_rx_advance(struct mrc_rx_window *w)
{
	struct mrc_rx_bits *b;

	while ((b = mrc_rx_bits_at(w, w->head))->arrived & mrc_rx_bit(w->head)) {
		b->arrived &= ~mrc_rx_bit(w->head);
		b->claimed &= ~mrc_rx_bit(w->head);
		w->head = mrc_rx_ring_after(w, w->head, 1);
		w->cack = mrc_psn_add(w->cack, 1);
		w->done_lag++;
		w->ooo--;
	}
}

/* A peer that asks for SACKs needs fewer unasked ones. */
static u32 mrc_rx_sack_threshold(const struct mrc_rx_window *w)
{
	return w->asks ? w->sack_bytes : min(w->sack_bytes, MRC_SACK_BYTES_UNASKED);
}

int mrc_rx_commit(struct mrc_rx_window *w, const struct mrc_rx_arrival *a)
{
	u32 at = mrc_rx_ring_index(w, a->psn);
	struct mrc_rx_bits *b;

	if (a->opflags & MRC_OPF_TAKES) {
		if (w->takers_used == w->imm_max)
			return -ENOSPC;
		mrc_rx_taker_push(w, a);
	}
	if (a->opflags & MRC_OPF_SEND)
		mrc_rx_count_send(w, a);
	b = mrc_rx_bits_at(w, at);
	if (a->opflags & MRC_OPF_LAST)
		b->last |= mrc_rx_bit(at);
	if (a->msn & 1)
		b->odd |= mrc_rx_bit(at);
	b->arrived |= mrc_rx_bit(at);
	w->ooo++;
	w->bytes += a->nominal;
	if (mrc_psn_diff(a->psn, w->max) > 0)
		w->max = a->psn;

	mrc_rx_set_trigger(w, a);
	mrc_rx_add_unsacked(w, a->psn);
	w->trigger_bytes += max(a->payload, MRC_SACK_BYTES_MIN);
	w->asks |= a->ackreq;
	if (a->ce || a->rtx || a->ackreq || w->trigger_bytes >= mrc_rx_sack_threshold(w))
		w->sack_due = true;

	mrc_rx_advance(w);
	return 0;
}

static void mrc_rx_take_taker(const struct mrc_rx_taker *t, struct mrc_rx_done *done)
{
	done->takes = true;
	done->send = t->opflags & MRC_OPF_SEND;
	done->has_imm = t->opflags & MRC_OPF_IMM;
	done->invalidates = t->opflags & MRC_OPF_INV;
	done->solicited = t->solicited;
	done->imm = t->imm;
	done->len = t->len;
	done->payload = t->payload;
	done->rqmsn = t->rqmsn;
}

static void mrc_rx_take_done(struct mrc_rx_window *w, u32 psn,
		      struct mrc_rx_done *done)
{
	memset(done, 0, sizeof(*done));
	done->packets = (u32)mrc_psn_diff(psn, w->done_psn);
	w->done_psn = psn;
	w->msn = (w->msn + 1) & MRC_RX_MSN_MASK;
	done->psn = psn;
	done->msn = w->msn;
	done->odd = w->begun_odd;
	done->mixed = w->begun_mixed;
	w->begun = false;
	if (w->takers_used && w->takers[0].psn == psn) {
		mrc_rx_take_taker(&w->takers[0], done);
		mrc_rx_taker_pop(w);
	}
}

void mrc_rx_undo(struct mrc_rx_window *w, const struct mrc_rx_done *done)
{
	w->done_psn = mrc_psn_add(done->psn, -(s32)done->packets);
	w->msn = (done->msn - 1) & MRC_RX_MSN_MASK;
}

void mrc_rx_redo(struct mrc_rx_window *w, const struct mrc_rx_done *done)
{
	w->done_psn = done->psn;
	w->msn = done->msn;
}

/* Passes the next packet in order, and notes whether its message number fits those before it. */
static void mrc_rx_pass(struct mrc_rx_window *w, bool odd)
{
	if (!w->begun) {
		w->begun = true;
		w->begun_odd = odd;
		w->begun_mixed = false;
	}
	w->begun_mixed |= odd != w->begun_odd;
}

bool mrc_rx_next_done(struct mrc_rx_window *w, struct mrc_rx_done *done)
{
	u32 at = mrc_rx_ring_after(w, w->head, w->size - w->done_lag);

	while (w->done_lag) {
		u32 psn = mrc_psn_add(w->cack, 1 - (s32)w->done_lag);

		struct mrc_rx_bits *b = mrc_rx_bits_at(w, at);

		w->done_lag--;
		mrc_rx_pass(w, b->odd & mrc_rx_bit(at));
		b->odd &= ~mrc_rx_bit(at);
		if (b->last & mrc_rx_bit(at)) {
			b->last &= ~mrc_rx_bit(at);
			mrc_rx_take_done(w, psn, done);
			return true;
		}
		at = mrc_rx_ring_after(w, at, 1);
	}
	return false;
}

/* Arrival bits of 64 PSNs from @psn on, all of them inside the window. */
static u64 mrc_rx_arrived_from(const struct mrc_rx_window *w, u32 psn)
{
	u32 at = mrc_rx_ring_index(w, psn);
	unsigned int got = 0;
	u64 bits = 0;

	while (got < MRC_RX_SACK_SPAN) {
		unsigned int off = at % BITS_PER_LONG;

		bits |= (u64)(mrc_rx_bits_at(w, at)->arrived >> off) << got;
		got += BITS_PER_LONG - off;
		at = mrc_rx_ring_after(w, at, BITS_PER_LONG - off);
	}
	return bits;
}

static void mrc_rx_sack_fill(const struct mrc_rx_window *w, struct mrc_sack *sack,
		      u32 base)
{
	memset(sack, 0, sizeof(*sack));
	sack->cack_psn = w->cack;
	sack->sack_offset = (s16)mrc_psn_diff(base, w->cack);
	sack->bitmap = mrc_rx_arrived_from(w, base);
	sack->ooo_count = (u16)w->ooo;
	sack->rcvd_bytes = mrc_rcvd_bytes_units(w->bytes);
}

/*
 * The PSN at which the next bitmap starts (open point: the walk of MRC 1.0, section 7.5.2.2). If a
 * bitmap right behind the cumulative PSN covers all news, it starts there: it also repeats what
 * earlier SACKs told, in case they were lost. Otherwise it starts at the first news, or earlier if
 * fewer than 64 PSNs of news are left. Stretches of 64 PSNs where nothing has arrived (only a
 * duplicate can cause one) are stepped over.
 */
static u32 mrc_rx_sack_walk(struct mrc_rx_window *w)
{
	u32 first = mrc_psn_add(w->cack, 1);
	u32 base = w->unsacked_lo;

	if (!w->unsacked || mrc_psn_diff(w->unsacked_hi, w->cack) <= (s32)MRC_RX_SACK_SPAN) {
		w->unsacked = false;
		return first;
	}
	if (mrc_psn_diff(base, first) < 0)
		base = first;
	while (mrc_psn_diff(w->unsacked_hi, base) >= (s32)MRC_RX_SACK_SPAN) {
		w->unsacked_lo = mrc_psn_add(base, MRC_RX_SACK_SPAN);
		if (mrc_rx_arrived_from(w, base))
			return base;
		base = w->unsacked_lo;
	}
	w->unsacked = false;
	return mrc_psn_add(w->unsacked_hi, 1 - (s32)MRC_RX_SACK_SPAN);
}

/*
 * The trigger relative to the cumulative PSN. A very old duplicate does not fit into the field, so
 * another PSN is named. The requester has a record of neither.
 */
static s16 mrc_rx_sack_trigger_offset(const struct mrc_rx_window *w)
{
	return (s16)max(mrc_psn_diff(w->trig_psn, w->cack), -32768);
}

static void mrc_rx_sack_tell_trigger(const struct mrc_rx_window *w, struct mrc_sack *sack,
			 bool *rtx)
{
	sack->ack_offset = mrc_rx_sack_trigger_offset(w);
	sack->entropy = w->trig_ev;
	sack->tx_timestamp = w->trig_timestamp;
	*rtx = w->trig_rtx;
}

/* Moves @old_psn to the packet that is @size behind the cumulative PSN, once there is one. */
static void mrc_rx_note_old(struct mrc_rx_window *w)
{
	if (mrc_psn_diff(w->cack, w->old_psn) > (s32)w->size)
		w->old_psn = mrc_psn_add(w->cack, -(s32)w->size);
}

void mrc_rx_sack_late(struct mrc_rx_window *w)
{
	if (w->sack_ce || w->sack_due)
		return;
	mrc_rx_note_old(w);
	if (mrc_psn_diff(w->cack, w->old_psn) < (s32)w->size)
		return;
	w->trig_psn = w->old_psn;
	/* Without this, the peer might clear an EV that it blamed for the first copy. */
	w->trig_rtx = true;
}

bool mrc_rx_sack_next(struct mrc_rx_window *w, struct mrc_sack *sack,
		      bool *rtx)
{
	if (!w->sack_due && !w->unsacked)
		return false;

	mrc_rx_note_old(w);
	mrc_rx_sack_fill(w, sack, mrc_rx_sack_walk(w));
	sack->m = w->sack_ce ? MRC_SACK_SKIP_ONCE : MRC_SACK_NONE;
	mrc_rx_sack_tell_trigger(w, sack, rtx);

	w->sack_due = false;
	w->sack_ce = false;
	w->trigger_bytes = 0;
	return true;
}

bool mrc_rx_sack_again(struct mrc_rx_window *w, struct mrc_sack *sack,
		       bool *rtx)
{
	u32 first = mrc_psn_add(w->cack, 1);
	u32 last = mrc_psn_add(w->max, 1 - (s32)MRC_RX_SACK_SPAN);
	u32 base = w->again;

	if (mrc_psn_diff(last, first) <= 0)
		return false;
	if (mrc_psn_diff(base, first) < 0 || mrc_psn_diff(base, w->max) > 0)
		base = first;
	w->again = mrc_psn_add(base, MRC_RX_SACK_SPAN);
	if (mrc_psn_diff(base, last) > 0)
		base = last;
	mrc_rx_sack_fill(w, sack, base);
	mrc_rx_sack_tell_trigger(w, sack, rtx);
	return true;
}

bool mrc_rx_sack_probe(const struct mrc_rx_window *w,
		       const struct mrc_probe *probe, u32 ev, bool ce,
		       unsigned int part, struct mrc_sack *sack)
{
	s32 from = 1 + (s32)(part * MRC_RX_SACK_SPAN);
	s32 beyond = mrc_psn_diff(w->max, w->cack);

	if (part && from > beyond)
		return false;
	/* The bitmap must not reach past the end of the ring. */
	if (part)
		from = min(from, beyond + 1 - (s32)MRC_RX_SACK_SPAN);
	mrc_rx_sack_fill(w, sack, mrc_psn_add(w->cack, from));
	sack->probe = true;
	sack->m = ce ? MRC_SACK_SKIP_ONCE : MRC_SACK_NONE;
	sack->ack_offset = (s16)probe->id;
	sack->entropy = ev;
	sack->tx_timestamp = probe->tx_timestamp;
	return true;
}
