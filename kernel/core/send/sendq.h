/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of a QP on their way: the packets of each message, the packet that comes next, and the
 * messages that are complete. The caller serialises all calls on one queue. It owns the slots of
 * the queue; a message is the first member of the struct in a slot.
 *
 * A QP has two queues. One holds the requests of its program: writes, SENDs, READs and atomics. The
 * other holds its responses to READs and atomics of the peer. Their messages share PSNs and message
 * numbers (MSN), which a message gets when its first packet is sent; its PSNs are consecutive. So
 * the order of each queue is that of PSNs. Requests that take a receive (WriteImm and SEND) have a
 * number of their own (RQMSN). A transport ACK of a PSN completes all requests whose last packet is
 * at or before it. But a READ or atomic also needs its response, and later requests wait for that.
 *
 * A peer without a receive for a SEND takes no packet of it. So a limit says which SENDs the peer
 * has receives for; the packets of others wait. So do READs and atomics when as many of them are
 * under way as the connection allows, and requests with a fence while any is under way.
 */
#ifndef _MRC_CORE_SENDQ_H
#define _MRC_CORE_SENDQ_H

#include "../base/base.h"
#include "../wire/wire.h"

/**
 * enum mrc_msg_op - what a message is
 */
enum mrc_msg_op {
	MRC_MSG_WRITE,
	MRC_MSG_SEND,
	MRC_MSG_READ,
	MRC_MSG_CMP_SWAP,
	MRC_MSG_FETCH_ADD,
	MRC_MSG_READ_RSP,
	MRC_MSG_ATOMIC_RSP,
};

/**
 * struct mrc_msg - a message
 *
 * Filled by the caller of mrc_sendq_queue():
 * @raddr: remote address; 0 of SENDs and responses
 * @value: of an atomic, what is added, or swapped in; of its response, what was there before
 * @compare: of a compare and swap
 * @rkey: remote key, if there is a remote address
 * @len: bytes in all, at most MRC_MSG_MAX; of a READ, bytes to read; of atomics and their responses
 *       MRC_ATOMIC_BYTES
 * @rdeth: of READs, atomics and responses, see struct mrc_write
 * @imm: immediate, network byte order; with @has_imm
 * @op: enum mrc_msg_op
 * @has_imm: it has an immediate
 * @invalidates: a SEND with @has_imm whose immediate is the key that the receiver is to invalidate
 * @solicited: a SEND that asks for an event at the receiver
 * @fence: it is not begun while a READ or atomic is under way
 *
 * Set by the caller when the response has arrived:
 * @answered: this READ or atomic has its response
 *
 * Filled by the queue:
 * @msn: message number, once the first packet was sent
 * @rqmsn: number among the requests that take a receive; of others, the number that comes next
 * @psn: PSN of the first packet, once that was sent
 * @packets: packets of the message, at least 1
 * @sent: packets that were sent at least once
 */
struct mrc_msg {
	u64 raddr;
	u64 value;
	u64 compare;
	u32 rkey;
	u32 len;
	u32 rdeth;
	__be32 imm;
	u8 op;
	bool has_imm;
	bool invalidates;
	bool solicited;
	bool fence;
	bool answered;
	u16 msn;
	u16 rqmsn;
	u32 psn;
	u32 packets;
	u32 sent;
};

/**
 * struct mrc_sendq - messages that are not complete, a ring of slots
 * @slots: @depth slots, each of which begins with a struct mrc_msg
 * @stride: bytes of a slot
 * @depth: a power of two
 * @mtu: payload bytes of a packet
 * @imm_max: requests that take a receive and may be in flight at a time, 1 at least
 * @una: oldest message that is not complete; @una, @cur and @tail are free-running indices
 * @cur: first message with packets that were never sent
 * @tail: first free slot
 * @next_rqmsn: RQMSN of the next request that takes a receive
 * @imm_inflight: requests that take a receive, were begun and are not complete
 * @reads_max: READs and atomics that may be under way at a time
 * @reads: READs and atomics that were begun and are not complete
 * @limit: RQMSN of the first SEND that waits for a receive of the peer, valid with @limited
 * @limited: the peer was short of receives
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
	u16 next_rqmsn;
	u16 imm_inflight;
	u16 reads_max;
	u16 reads;
	u16 limit;
	bool limited;
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

/** mrc_msg_takes() - does the request take a receive of the peer? */
static inline bool mrc_msg_takes(const struct mrc_msg *m)
{
	return m->has_imm || m->op == MRC_MSG_SEND;
}

/** mrc_msg_fetches() - is it a READ or atomic, which the peer answers with a response? */
static inline bool mrc_msg_fetches(const struct mrc_msg *m)
{
	return m->op >= MRC_MSG_READ && m->op <= MRC_MSG_FETCH_ADD;
}

/** mrc_sendq_waits() - does the request @m wait for a receive of the peer? Only SENDs do. */
static inline bool mrc_sendq_waits(const struct mrc_sendq *q, const struct mrc_msg *m)
{
	return q->limited && m->op == MRC_MSG_SEND && (s16)(m->rqmsn - q->limit) >= 0;
}

/** mrc_sendq_may_begin() - are few enough messages of its kind under way to begin this one? */
static inline bool mrc_sendq_may_begin(const struct mrc_sendq *q, const struct mrc_msg *m)
{
	if (m->fence && q->reads)
		return false;
	if (mrc_msg_fetches(m))
		return q->reads < q->reads_max;
	return !mrc_msg_takes(m) || q->imm_inflight < q->imm_max;
}

/** mrc_sendq_ready() - would mrc_sendq_next() find a packet? */
static inline bool mrc_sendq_ready(const struct mrc_sendq *q)
{
	const struct mrc_msg *m = mrc_sendq_at(q, q->cur);

	return mrc_sendq_has_new(q) && !mrc_sendq_waits(q, m) &&
	       (m->sent || mrc_sendq_may_begin(q, m));
}

/** mrc_sendq_amid() - has a message been begun of which packets were never sent? */
static inline bool mrc_sendq_amid(const struct mrc_sendq *q)
{
	return mrc_sendq_has_new(q) && mrc_sendq_at(q, q->cur)->sent;
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
 * @msn: number of the next message that is begun; goes on when one is
 * @index: result: index of its request
 *
 * Return: false when there is no such packet, or when it may not go out, see mrc_sendq_ready().
 */
bool mrc_sendq_next(struct mrc_sendq *q, u32 psn, u16 *msn, u32 *index);

/**
 * mrc_sendq_done() - the oldest request, if it is complete
 * @q: the queue
 * @psn: everything up to this PSN was executed
 *
 * Return: the request, or NULL; a READ or atomic also needs its response. To be called until the
 * result is NULL, with mrc_sendq_end() after each call.
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

/**
 * mrc_sendq_after() - the oldest request that is not complete
 * @q: the queue
 * @psn: everything up to this PSN was executed
 *
 * Return: its index; @q->tail: there is none.
 */
u32 mrc_sendq_after(const struct mrc_sendq *q, u32 psn);

/**
 * mrc_sendq_first_psn() - the first PSN of the request of an index
 * @q: the queue
 * @index: up to @q->tail
 * @nxt: next new PSN, which is that of a request that was not begun, if all before it were
 */
static inline u32 mrc_sendq_first_psn(const struct mrc_sendq *q, u32 index, u32 nxt)
{
	const struct mrc_msg *m = mrc_sendq_at(q, index);

	return index != q->tail && m->sent ? m->psn : nxt;
}

/**
 * mrc_sendq_first_waiting() - the oldest request that was begun, and waits for a receive
 * @q: the queue
 * @psn: result: its first PSN
 *
 * Return: false when there is none.
 */
bool mrc_sendq_first_waiting(const struct mrc_sendq *q, u32 *psn);

/** mrc_msg_hdr_len() - header bytes of a packet of a message, without immediate */
static inline u32 mrc_msg_hdr_len(const struct mrc_msg *m)
{
	static const u8 len[] = {
		[MRC_MSG_WRITE] = MRC_WRITE_HDR_LEN,
		[MRC_MSG_SEND] = MRC_SEND_HDR_LEN,
		[MRC_MSG_READ] = MRC_READ_LEN,
		[MRC_MSG_CMP_SWAP] = MRC_ATOMIC_LEN,
		[MRC_MSG_FETCH_ADD] = MRC_ATOMIC_LEN,
		[MRC_MSG_READ_RSP] = MRC_READ_RSP_HDR_LEN,
		[MRC_MSG_ATOMIC_RSP] = MRC_ATOMIC_RSP_LEN,
	};

	return len[m->op];
}

/** mrc_msg_payload() - payload bytes of all packets of a message: some are headers only */
static inline u32 mrc_msg_payload(const struct mrc_msg *m)
{
	return mrc_msg_fetches(m) || m->op == MRC_MSG_ATOMIC_RSP ? 0 : m->len;
}

/** mrc_sendq_next_bytes() - nominal bytes of the packet that mrc_sendq_next() would find */
static inline u32 mrc_sendq_next_bytes(const struct mrc_sendq *q)
{
	const struct mrc_msg *m = mrc_sendq_at(q, q->cur);
	bool last = m->sent + 1 == m->packets;
	u32 len = last ? mrc_msg_payload(m) - m->sent * q->mtu : q->mtu;

	return MRC_NOMINAL_OUTSIDE + mrc_msg_hdr_len(m) +
	       (last && m->has_imm ? MRC_IMMDT_LEN : 0) + len + (-len & 3) + MRC_ICRC_LEN;
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
