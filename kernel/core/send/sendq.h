/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The write requests of a QP on their way: the packets of each request, the packet that comes next,
 * and the requests that are complete. The caller serialises all calls on one queue. It owns the
 * slots of the queue; a request is the first member of the struct in a slot.
 *
 * Requests are numbered when they are queued (MSN, and RQMSN for those with an immediate), and take
 * consecutive PSNs when they are sent for the first time, so the queue's order is that of PSNs. A
 * transport ACK of a PSN completes all requests whose last packet is at or before it.
 */
#ifndef _MRC_CORE_SENDQ_H
#define _MRC_CORE_SENDQ_H

#include "../base/base.h"
#include "../wire/wire.h"

/**
 * struct mrc_msg - a write request
 *
 * Filled by the caller of mrc_sendq_queue():
 * @raddr: remote address
 * @rkey: remote key
 * @len: bytes in all, at most MRC_MSG_MAX
 * @imm: immediate, network byte order; with @has_imm
 * @has_imm: it is a WriteImm
 *
 * Filled by the queue:
 * @msn: message number
 * @rqmsn: WriteImm number
 * @psn: PSN of the first packet, once that was sent
 * @packets: packets of the message, at least 1
 * @sent: packets that were sent at least once
 */
struct mrc_msg {
	u64 raddr;
	u32 rkey;
	u32 len;
	__be32 imm;
	bool has_imm;
	u16 msn;
	u16 rqmsn;
	u32 psn;
	u32 packets;
	u32 sent;
};

/**
 * struct mrc_sendq - requests that are not complete, a ring of slots
 * @slots: @depth slots, each of which begins with a struct mrc_msg
 * @stride: bytes of a slot
 * @depth: a power of two
 * @mtu: payload bytes of a packet
 * @imm_max: requests with an immediate that may be in flight at a time, 1 at least
 * @una: oldest request that is not complete; @una, @cur and @tail are free-running indices
 * @cur: first request with packets that were never sent
 * @tail: first free slot
 * @next_msn: MSN of the next request that is queued
 * @next_rqmsn: RQMSN of the next request with an immediate
 * @imm_inflight: requests with an immediate that were begun and are not complete
 */
struct mrc_sendq {
	void *slots;
	u32 stride;
	u32 depth;
	u32 mtu;
	u16 imm_max;
	u32 una;
	u32 cur;
	u32 tail;
	u16 next_msn;
	u16 next_rqmsn;
	u16 imm_inflight;
};

/**
 * struct mrc_chunk - the payload of one packet inside its request
 * @offset: first byte
 * @len: bytes
 */
struct mrc_chunk {
	u32 offset;
	u32 len;
};

/**
 * mrc_sendq_start() - start of a connection: no requests, numbers begin with 0
 * @q: the queue; slots, stride and depth are the caller's
 * @mtu: see struct mrc_sendq
 * @imm_max: see struct mrc_sendq
 */
void mrc_sendq_start(struct mrc_sendq *q, u32 mtu, u16 imm_max);

/** mrc_sendq_at() - the request of a free-running index */
static inline struct mrc_msg *mrc_sendq_at(const struct mrc_sendq *q, u32 index)
{
	char *slots = (char *)q->slots;

	return (struct mrc_msg *)(slots + (size_t)(index & (q->depth - 1)) * q->stride);
}

/** mrc_sendq_slot() - where the next request goes, or NULL: there is no room */
static inline struct mrc_msg *mrc_sendq_slot(const struct mrc_sendq *q)
{
	return q->tail - q->una < q->depth ? mrc_sendq_at(q, q->tail) : NULL;
}

/** mrc_sendq_queue() - queue the request that the caller has put into mrc_sendq_slot() */
void mrc_sendq_queue(struct mrc_sendq *q);

/** mrc_sendq_has_new() - are there packets that were never sent? */
static inline bool mrc_sendq_has_new(const struct mrc_sendq *q)
{
	return q->cur != q->tail;
}

/** mrc_sendq_ready() - would mrc_sendq_next() find a packet? */
static inline bool mrc_sendq_ready(const struct mrc_sendq *q)
{
	const struct mrc_msg *m = mrc_sendq_at(q, q->cur);

	return mrc_sendq_has_new(q) &&
	       (m->sent || !m->has_imm || q->imm_inflight < q->imm_max);
}

/** mrc_sendq_unanswered() - has a request been begun that is not complete? */
static inline bool mrc_sendq_unanswered(const struct mrc_sendq *q)
{
	return q->una != q->cur;
}

/** mrc_sendq_outstanding() - is the request of this index not complete yet? */
static inline bool mrc_sendq_outstanding(const struct mrc_sendq *q, u32 index)
{
	return (s32)(index - q->una) >= 0;
}

/**
 * mrc_sendq_next() - the next packet that was never sent goes out
 * @q: the queue
 * @psn: its PSN, one more than that of the packet before
 * @index: result: index of its request
 *
 * Return: false when there is no such packet, or when it may not go out because it begins a
 * WriteImm and as many of those are in flight as the peer takes.
 */
bool mrc_sendq_next(struct mrc_sendq *q, u32 psn, u32 *index);

/**
 * mrc_sendq_done() - the oldest request, if it is complete
 * @q: the queue
 * @psn: everything up to this PSN was executed
 *
 * Return: the request, or NULL. To be called until the result is NULL, with mrc_sendq_end() after
 * each call.
 */
struct mrc_msg *mrc_sendq_done(const struct mrc_sendq *q, u32 psn);

/** mrc_sendq_end() - the oldest request leaves the queue, complete or not; there must be one */
void mrc_sendq_end(struct mrc_sendq *q);

/**
 * mrc_sendq_names() - was a packet with this PSN sent, and is its request not complete?
 * @q: the queue
 * @psn: any PSN
 * @nxt: next new PSN
 */
bool mrc_sendq_names(const struct mrc_sendq *q, u32 psn, u32 nxt);

/**
 * mrc_sendq_find() - find the request to which a packet belongs
 * @q: the queue
 * @psn: PSN of a packet that was sent and whose request is not complete
 *
 * Return: the index of the request.
 */
u32 mrc_sendq_find(const struct mrc_sendq *q, u32 psn);

/**
 * mrc_sendq_chunk() - find the part of its request that a packet carries
 * @q: the queue
 * @m: the request
 * @psn: PSN of the packet
 * @c: result
 */
void mrc_sendq_chunk(const struct mrc_sendq *q, const struct mrc_msg *m, u32 psn,
		     struct mrc_chunk *c);

/** mrc_sendq_next_bytes() - nominal bytes of the packet that mrc_sendq_next() would find */
static inline u32 mrc_sendq_next_bytes(const struct mrc_sendq *q)
{
	const struct mrc_msg *m = mrc_sendq_at(q, q->cur);
	bool last = m->sent + 1 == m->packets;
	u32 len = last ? m->len - m->sent * q->mtu : q->mtu;

	return MRC_NOMINAL_OUTSIDE + MRC_WRITE_HDR_LEN + (last && m->has_imm ? MRC_IMMDT_LEN : 0) +
	       len + (-len & 3) + MRC_ICRC_LEN;
}

/** mrc_sendq_bytes_max() - nominal bytes of the largest packet, with @mtu bytes of payload */
static inline u32 mrc_sendq_bytes_max(u32 mtu)
{
	return MRC_NOMINAL_OUTSIDE + MRC_WRITE_HDR_MAX + mtu + MRC_ICRC_LEN;
}

/**
 * mrc_sendq_header() - headers of a packet, without flags, partition key and QP number
 * @m: the request
 * @c: the part of the request that the packet carries
 * @psn: PSN of the packet
 * @hdr: result
 */
void mrc_sendq_header(const struct mrc_msg *m, const struct mrc_chunk *c, u32 psn,
		      struct mrc_hdr *hdr);

#endif /* _MRC_CORE_SENDQ_H */
