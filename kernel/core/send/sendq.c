// SPDX-License-Identifier: GPL-2.0-only
#include "sendq.h"
#include "../base/psn.h"

void mrc_sendq_start(struct mrc_sendq *q, u32 mtu, u16 imm_max)
{
	q->mtu = mtu;
	q->imm_max = imm_max;
	q->una = 0;
	q->cur = 0;
	q->tail = 0;
	q->next_rqmsn = MRC_MSN_FIRST;
	q->imm_inflight = 0;
	q->reads_max = MRC_READS_MAX;
	q->reads = 0;
	q->limited = false;
}

void mrc_sendq_queue(struct mrc_sendq *q)
{
	struct mrc_msg *m = mrc_sendq_at(q, q->tail);

	m->packets = max(DIV_ROUND_UP(mrc_msg_payload(m), q->mtu), 1u);
	m->sent = 0;
	m->answered = false;
	m->rqmsn = q->next_rqmsn;
	q->next_rqmsn += mrc_msg_takes(m);
	q->tail++;
}

bool mrc_sendq_next(struct mrc_sendq *q, u32 psn, u16 *msn, u32 *index)
{
	struct mrc_msg *m = mrc_sendq_at(q, q->cur);

	if (!mrc_sendq_ready(q))
		return false;
	if (!m->sent) {
		m->psn = psn;
		m->msn = (*msn)++;
		q->imm_inflight += mrc_msg_takes(m);
		q->reads += mrc_msg_fetches(m);
	}
	*index = q->cur;
	if (++m->sent == m->packets)
		q->cur++;
	return true;
}

/*
 * Has the peer executed the message of an index? The message at cur has packets that were never
 * sent.
 */
static bool mrc_sendq_executed(const struct mrc_sendq *q, u32 index, u32 psn)
{
	const struct mrc_msg *m = mrc_sendq_at(q, index);

	return index != q->cur && mrc_psn_diff(psn, mrc_psn_add(m->psn, (s32)m->packets - 1)) >= 0;
}

struct mrc_msg *mrc_sendq_done(const struct mrc_sendq *q, u32 psn)
{
	struct mrc_msg *m = mrc_sendq_at(q, q->una);

	if (!mrc_sendq_executed(q, q->una, psn) || (mrc_msg_fetches(m) && !m->answered))
		return NULL;
	return m;
}

u32 mrc_sendq_after(const struct mrc_sendq *q, u32 psn)
{
	u32 index = q->una;

	while (mrc_sendq_executed(q, index, psn))
		index++;
	return index;
}

bool mrc_sendq_first_waiting(const struct mrc_sendq *q, u32 *psn)
{
	u32 index;

	for (index = q->una; index != q->tail && mrc_sendq_at(q, index)->sent; index++) {
		if (!mrc_sendq_waits(q, mrc_sendq_at(q, index)))
			continue;
		*psn = mrc_sendq_at(q, index)->psn;
		return true;
	}
	return false;
}

void mrc_sendq_end(struct mrc_sendq *q)
{
	const struct mrc_msg *m = mrc_sendq_at(q, q->una);

	if (m->sent) {
		q->imm_inflight -= mrc_msg_takes(m);
		q->reads -= mrc_msg_fetches(m);
	}
	if (q->cur == q->una)
		q->cur++;
	q->una++;
}

bool mrc_sendq_names(const struct mrc_sendq *q, u32 psn, u32 nxt)
{
	const struct mrc_msg *m = mrc_sendq_at(q, q->una);

	return q->una != q->tail && m->sent && mrc_psn_diff(psn, m->psn) >= 0 &&
	       mrc_psn_diff(psn, nxt) < 0;
}

/* Finds the last request that begins at or before @psn: PSNs ascend with the indices. */
u32 mrc_sendq_find(const struct mrc_sendq *q, u32 psn)
{
	u32 low = q->una, high = q->cur;

	if (q->cur == q->tail || !mrc_sendq_at(q, q->cur)->sent)
		high--;
	while ((s32)(high - low) > 0) {
		u32 mid = low + (high - low + 1) / 2;

		if (mrc_psn_diff(psn, mrc_sendq_at(q, mid)->psn) >= 0)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

void mrc_sendq_chunk(const struct mrc_sendq *q, const struct mrc_msg *m, u32 psn,
		     struct mrc_chunk *c)
{
	c->offset = (u32)mrc_psn_diff(psn, m->psn) * q->mtu;
	c->len = min(mrc_msg_payload(m) - c->offset, q->mtu);
}

static u8 mrc_sendq_opcode(const struct mrc_msg *m, bool first, bool last)
{
	switch (m->op) {
	case MRC_MSG_SEND:
		return m->invalidates ? mrc_send_inv_opcode(first, last) :
					mrc_send_opcode(first, last, m->has_imm);
	case MRC_MSG_READ:
		return MRC_OP_READ;
	case MRC_MSG_CMP_SWAP:
		return MRC_OP_CMP_SWAP;
	case MRC_MSG_FETCH_ADD:
		return MRC_OP_FETCH_ADD;
	case MRC_MSG_READ_RSP:
		return mrc_read_rsp_opcode(first, last);
	case MRC_MSG_ATOMIC_RSP:
		return MRC_OP_ATOMIC_RSP;
	default:
		return mrc_write_opcode(first, last, m->has_imm);
	}
}

void mrc_sendq_header(const struct mrc_msg *m, const struct mrc_chunk *c, u32 psn,
		      struct mrc_hdr *hdr)
{
	bool last = c->offset + c->len == mrc_msg_payload(m);

	/* Only the needed fields: to zero all of it, by a string instruction, costs more. */
	hdr->bth = (struct mrc_bth){
		.opcode = mrc_sendq_opcode(m, !c->offset, last),
		.pad = -c->len & 3,
		.solicited = last && m->solicited,
		.psn = psn,
	};
	hdr->len = 0;
	hdr->write = (struct mrc_write){
		.rqmsn = mrc_msg_takes(m) ? m->rqmsn : 0,
		.msn = m->msn,
		.va = m->raddr + c->offset,
		.rkey = m->rkey,
		.dmalen = m->len,
		.rdeth = m->rdeth,
		.imm = m->imm,
		.value = m->value,
		.compare = m->compare,
	};
}
