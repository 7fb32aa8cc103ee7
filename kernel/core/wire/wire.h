/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The MRC wire format: every header as explicit byte offsets, decoded into and
 * encoded from plain structs. Layouts: MRC 1.0, tables 6-3 to 6-9 (write
 * requests) and 7-10 to 7-23 (control packets), see Documentation/developer/references.md.
 * All fields are big-endian. Where the public sources leave a point open, one
 * constant or one function here settles it, and a comment that begins with
 * "Open point" says so.
 */
#ifndef _MRC_CORE_WIRE_H
#define _MRC_CORE_WIRE_H

#include "../base/base.h"

/*
 * Open point: UDP destination port. It is RoCEv2's, unless the device is set to another one. A
 * device on RoCEv2's port also takes packets for the second port that the sources name.
 */
#define MRC_UDP_PORT		4791
#define MRC_UDP_PORT_TOO	4971

#define MRC_BTH_LEN	12u
#define MRC_TSETH_LEN	4u
#define MRC_METH_LEN	4u
#define MRC_RETH_LEN	16u
#define MRC_PLETH_LEN	8u
#define MRC_RDETH_LEN	4u
#define MRC_ATOMICETH_LEN	28u
#define MRC_ATOMICACKETH_LEN	8u
#define MRC_IMMDT_LEN	4u
#define MRC_AETH_LEN	4u
#define MRC_SETH_LEN	28u
#define MRC_CCST_LEN	8u
#define MRC_NETH_LEN	20u
#define MRC_PETH_LEN	16u
#define MRC_ERTH_LEN	16u
#define MRC_EETH_LEN	36u
#define MRC_DETH_LEN	8u
#define MRC_IP4ETH_LEN	8u
#define MRC_ICRC_LEN	4u
/* The part of a packet's nominal bytes before the BTH: IPv6 and UDP headers. */
#define MRC_NOMINAL_OUTSIDE	48u

/* Path MTUs, powers of two. */
#define MRC_MTU_MIN		256u
#define MRC_MTU_MAX		4096u

/* The shortest write header has no TSETH and no ImmDt, the longest has both. */
#define MRC_WRITE_HDR_LEN	(MRC_BTH_LEN + MRC_METH_LEN + MRC_RETH_LEN)
#define MRC_WRITE_HDR_MAX	(MRC_WRITE_HDR_LEN + MRC_TSETH_LEN + MRC_IMMDT_LEN)
/* The shortest header of a SEND; no header of a SEND is longer than MRC_WRITE_HDR_MAX. */
#define MRC_SEND_HDR_LEN	(MRC_BTH_LEN + MRC_METH_LEN + MRC_PLETH_LEN)
/* A READ, an atomic, and packets of their responses. */
#define MRC_READ_LEN		(MRC_WRITE_HDR_LEN + MRC_RDETH_LEN)
#define MRC_ATOMIC_LEN		(MRC_BTH_LEN + MRC_METH_LEN + MRC_ATOMICETH_LEN + MRC_RDETH_LEN)
#define MRC_READ_RSP_HDR_LEN	(MRC_SEND_HDR_LEN + MRC_RDETH_LEN)
#define MRC_ATOMIC_RSP_LEN	(MRC_BTH_LEN + MRC_METH_LEN + MRC_RDETH_LEN + MRC_ATOMICACKETH_LEN)
#define MRC_SACK_LEN		(MRC_BTH_LEN + MRC_SETH_LEN + MRC_CCST_LEN)
#define MRC_NACK_LEN		(MRC_BTH_LEN + MRC_NETH_LEN)
#define MRC_ACK_LEN		(MRC_BTH_LEN + MRC_AETH_LEN)
#define MRC_PROBE_LEN		(MRC_BTH_LEN + MRC_PETH_LEN)
#define MRC_EP_REQ_LEN		(MRC_BTH_LEN + MRC_ERTH_LEN)
#define MRC_EP_RSP_LEN		(MRC_BTH_LEN + MRC_EETH_LEN)
/* A datagram between IPv6 GIDs, without immediate. */
#define MRC_UD_HDR_LEN		(MRC_BTH_LEN + MRC_DETH_LEN)
/* The longest header of any packet (an atomic with TSETH). */
#define MRC_HDR_MAX		52u

#define MRC_PKEY_DEFAULT	0xffffu
#define MRC_QPN_GSI	1u	/* the connection managers' datagrams */
#define MRC_QPN_ENDPOINT	2u	/* destination of endpoint requests */
#define MRC_QPN_FIRST		3u	/* QPNs 0, 1 and 2 are reserved */
#define MRC_QPN_MASK		0xffffffu
/* RETH DMALen is 32 bits; verbs allows messages up to 2^31 bytes. */
#define MRC_MSG_MAX		0x80000000u
/* READs and atomics of a QP that may be under way at a time: what most devices allow. */
#define MRC_READS_MAX		16u
/* What an atomic reads and writes, and the boundary on which it must lie. */
#define MRC_ATOMIC_BYTES	8u
#define MRC_AETH_NO_CREDIT	0x1fu
/*
 * Open point: MSN of the first message of a connection, and RQMSN of its first WriteImm. The RQMSN
 * of a first SEND is no open point, because SEND is an extension of ours.
 */
#define MRC_MSN_FIRST		0u

/**
 * enum mrc_opcode - BTH opcodes; bits 7:5 are 110 in all of those of MRC
 *
 * MRC 1.0 has writes only. SENDs, READs and atomics are an extension: they take the opcodes that RC
 * has for them, with these bits, as MRC does for writes. Datagrams are those of RoCE v2.
 */
enum mrc_opcode {
	MRC_OP_UD_ONLY		= 0x64,
	MRC_OP_UD_ONLY_IMM	= 0x65,
	MRC_OP_SEND_FIRST	= 0xc0,
	MRC_OP_SEND_MIDDLE	= 0xc1,
	MRC_OP_SEND_LAST	= 0xc2,
	MRC_OP_SEND_LAST_IMM	= 0xc3,
	MRC_OP_SEND_ONLY	= 0xc4,
	MRC_OP_SEND_ONLY_IMM	= 0xc5,
	MRC_OP_WRITE_FIRST	= 0xc6,
	MRC_OP_WRITE_MIDDLE	= 0xc7,
	MRC_OP_WRITE_LAST	= 0xc8,
	MRC_OP_WRITE_LAST_IMM	= 0xc9,
	MRC_OP_WRITE_ONLY	= 0xca,
	MRC_OP_WRITE_ONLY_IMM	= 0xcb,
	MRC_OP_READ		= 0xcc,
	MRC_OP_READ_RSP_FIRST	= 0xcd,
	MRC_OP_READ_RSP_MIDDLE	= 0xce,
	MRC_OP_READ_RSP_LAST	= 0xcf,
	MRC_OP_READ_RSP_ONLY	= 0xd0,
	MRC_OP_ACK		= 0xd1,
	MRC_OP_ATOMIC_RSP	= 0xd2,
	MRC_OP_CMP_SWAP		= 0xd3,
	MRC_OP_FETCH_ADD	= 0xd4,
	MRC_OP_SEND_LAST_INV	= 0xd6,
	MRC_OP_SEND_ONLY_INV	= 0xd7,
	MRC_OP_EP_REQ		= 0xd8,
	MRC_OP_EP_RSP		= 0xd9,
	MRC_OP_SACK		= 0xdc,
	MRC_OP_NACK		= 0xdd,
	MRC_OP_PROBE		= 0xde,
};

/**
 * enum mrc_sack_m - the m field of a SACK: what the responder says of the EV
 */
enum mrc_sack_m {
	MRC_SACK_NONE		= 0,
	MRC_SACK_SKIP_ONCE	= 1,	/* the packet arrived CE-marked */
	MRC_SACK_ALWAYS_SKIP	= 2,
};

/**
 * enum mrc_nack_reason - NETH reasons (MRC 1.0, table 7-3)
 */
enum mrc_nack_reason {
	MRC_NACK_TRIMMED		= 0x01,
	MRC_NACK_TRIMMED_LASTHOP	= 0x02,
	MRC_NACK_NO_BITMAP		= 0x06,
	MRC_NACK_NO_PKT_BUFFER		= 0x07,
	MRC_NACK_NO_RESOURCE		= 0x0a,
	MRC_NACK_PSN_OOR_WINDOW		= 0x0b,
	MRC_NACK_UNEXP_EVENT		= 0x19,
};

/**
 * enum mrc_ack_syndrome - AETH syndromes of a transport ACK or NAK (IBTA), as we send them
 */
enum mrc_ack_syndrome {
	MRC_ACK_OK		= MRC_AETH_NO_CREDIT,
	MRC_NAK_INVALID		= 0x61,
	MRC_NAK_ACCESS		= 0x62,
	MRC_NAK_OPERATION	= 0x63,
};

/* The bits of an AETH syndrome that hold its type; the others are a credit, time or reason. */
#define MRC_AETH_TYPE_MASK	0x60
#define MRC_AETH_TYPE_ACK	0x00
#define MRC_AETH_TYPE_NAK	0x60

/** mrc_syndrome_is_ack() - is it a transport ACK? The credit that it grants does not matter */
static inline bool mrc_syndrome_is_ack(u8 syndrome)
{
	return (syndrome & MRC_AETH_TYPE_MASK) == MRC_AETH_TYPE_ACK;
}

/**
 * mrc_syndrome_is_nak() - is it a NAK, which ends the request?
 *
 * MRC has nothing else than ACKs and NAKs; in particular, it has no RNR NAK.
 */
static inline bool mrc_syndrome_is_nak(u8 syndrome)
{
	return (syndrome & MRC_AETH_TYPE_MASK) == MRC_AETH_TYPE_NAK;
}

/* The most credits of an AETH, and what mrc_credits_decode() returns without any. */
#define MRC_CREDITS_MAX		32768u
#define MRC_CREDITS_NONE	(~0u)

/**
 * mrc_credits_encode() - AETH syndrome of an ACK that tells of posted receives
 * @receives: receives that no message has taken
 *
 * The numbers that a syndrome can tell are 0, 1, 2, 3, 4, 6, 8, 12, 16, ... 32768 (IBTA, end-to-end
 * flow control). Return: the syndrome with the largest one up to @receives.
 */
u8 mrc_credits_encode(u32 receives);

/** mrc_credits_decode() - the receives that an ACK tells of; MRC_CREDITS_NONE: it tells nothing */
u32 mrc_credits_decode(u8 syndrome);

/**
 * enum mrc_ep_op - operation of an endpoint request
 */
enum mrc_ep_op {
	MRC_EP_PORT_STATUS	= 0,
	MRC_EP_EV_PROBE		= 1,
};

/**
 * struct mrc_bth - base transport header (MRC 1.0, tables 6-3, 7-10)
 * @opcode: one of enum mrc_opcode
 * @pad: pad bytes between payload and ICRC, 0..3
 * @solicited: the message asks for an event at the receiver; only SENDs and datagrams do
 * @ackreq: the sender asks for a SACK at once
 * @rtx: the packet is a retransmission (SACK: its trigger was one)
 * @ts: TSETH follows METH
 * @pkey: partition key
 * @qpn: destination QP, 24 bits
 * @psn: 24 bits; cack PSN in a SACK, nacked PSN in a NACK, request id in [15:0] of endpoint
 *       packets
 */
struct mrc_bth {
	u8 opcode;
	u8 pad;
	bool solicited;
	bool ackreq;
	bool rtx;
	bool ts;
	u16 pkey;
	u32 qpn;
	u32 psn;
};

/**
 * struct mrc_write - headers of a packet of a message behind the BTH
 * @rqmsn: number of the message among those that take a receive; 0 on all others
 * @msn: message sequence number
 * @tx_timestamp: TSETH, valid if bth.ts
 * @va: where this packet's payload goes: in the remote MR's address space, or, of a SEND or READ
 *      response, in its message (PLETH offset, 32 bits). Of a READ or atomic: what it reads
 * @rkey: remote key, if @va is in an MR
 * @dmalen: bytes of the whole message (RETH DMALen or PLETH length); of a READ, bytes to read; of
 *          atomics and their responses 8, which is not on the wire
 * @rdeth: RDETH. Of a READ or atomic: the first PSN that its sender expected in this connection. Of
 *         a response: MSN of the READ or atomic
 * @imm: network byte order: the immediate of the _IMM opcodes, or the key of the _INV opcodes
 * @value: of an atomic, what is added, or swapped in; of its response, what was there before
 * @compare: of a compare and swap
 */
struct mrc_write {
	u16 rqmsn;
	u16 msn;
	u16 tx_timestamp;
	u64 va;
	u32 rkey;
	u32 dmalen;
	u32 rdeth;
	__be32 imm;
	u64 value;
	u64 compare;
};

/**
 * struct mrc_sack - SETH and CC_STATE of a SACK (MRC 1.0, tables 7-12 to 7-15)
 * @m: enum mrc_sack_m
 * @probe: the SACK answers a Reliability Probe; @ack_offset holds the probe id
 * @ack_offset: PSN that triggered this SACK, relative to @cack_psn
 * @entropy: EV bits of the triggering packet, echoed
 * @cack_psn: all PSNs up to and including this one have arrived
 * @mpr: responder window in units of 128 PSNs, 0 without Dynamic MPR
 * @sack_offset: PSN of bit 0 of @bitmap, relative to @cack_psn
 * @bitmap: bit i set: PSN cack_psn + sack_offset + i has arrived (open point: bit order)
 * @tx_timestamp: TSETH timestamp of the triggering packet, reflected. With a cc_type other than
 *                ours this field and all that follow are 0
 * @ooo_count: packets beyond the cumulative PSN, 15 bits; 0 also from a peer that does not count
 * @restore_cwnd: CC_STATE r_c
 * @cwnd_pen: receiver's congestion window penalty, 7 bits
 * @rcvd_bytes: nominal bytes of new packets so far in units of 256, modulo 2^24
 */
struct mrc_sack {
	u8 m;
	bool probe;
	s16 ack_offset;
	u32 entropy;
	u32 cack_psn;
	u8 mpr;
	s16 sack_offset;
	u64 bitmap;
	u16 tx_timestamp;
	u16 ooo_count;
	bool restore_cwnd;
	u8 cwnd_pen;
	u32 rcvd_bytes;
};

/**
 * struct mrc_nack - NETH (MRC 1.0, tables 7-16, 7-17)
 * @reason: enum mrc_nack_reason
 * @entropy: EV bits of the refused packet, echoed
 * @psn: the refused PSN
 * @tx_timestamp: reflected
 */
struct mrc_nack {
	u8 reason;
	u32 entropy;
	u32 psn;
	u16 tx_timestamp;
};

/**
 * struct mrc_ack - AETH of a transport ACK or NAK
 * @syndrome: enum mrc_ack_syndrome; a peer's: see mrc_syndrome_is_ack()
 * @msn: messages completed so far, 24 bits
 */
struct mrc_ack {
	u8 syndrome;
	u32 msn;
};

/**
 * struct mrc_probe - PETH of a Reliability Probe (MRC 1.0, tables 7-18, 7-19)
 * @id: chosen by the requester, comes back in the SACK
 * @tx_timestamp: comes back in the SACK
 */
struct mrc_probe {
	u16 id;
	u16 tx_timestamp;
};

/**
 * struct mrc_ep - endpoint request or response (MRC 1.0, tables 7-20 to 7-23)
 * @op: enum mrc_ep_op (requests; a response's is ignored, its position is an open point)
 * @port_mask: bit n set: port n + 1 is reachable (PORT_STATUS requests)
 * @tx_timestamp: of the request; reflected in the response
 * @tsr: unit of @tx_timestamp (requests): the sender's own, else 128 ns
 */
struct mrc_ep {
	u8 op;
	u32 port_mask;
	u16 tx_timestamp;
	bool tsr;
};

/**
 * struct mrc_ud_hdr - headers of a datagram behind the BTH: DETH, and maybe ImmDt (IBTA)
 * @qkey: Q_Key: that of the QP which it is for
 * @src_qpn: the QP that sent it, 24 bits
 * @ip4: IP4ETH follows the DETH, which says so by its reserved byte: an extension. The datagram is
 *       between IPv4 GIDs, for which the addresses of the IPv6 header stand
 * @saddr4: of IP4ETH: the sender's
 * @daddr4: of IP4ETH: the receiver's
 * @imm: immediate in network byte order, valid with MRC_OPF_IMM
 */
struct mrc_ud_hdr {
	u32 qkey;
	u32 src_qpn;
	bool ip4;
	__be32 saddr4;
	__be32 daddr4;
	__be32 imm;
};

/**
 * struct mrc_hdr - a decoded packet
 * @bth: the base header
 * @len: bytes of all headers, BTH included: the payload's offset
 * @write: valid for opcodes of messages: MRC_OPF_REQUEST
 * @sack: valid for MRC_OP_SACK
 * @nack: valid for MRC_OP_NACK
 * @ack: valid for MRC_OP_ACK
 * @probe: valid for MRC_OP_PROBE
 * @ep: valid for MRC_OP_EP_REQ and MRC_OP_EP_RSP
 * @ud: valid for datagrams: MRC_OPF_UD
 */
struct mrc_hdr {
	struct mrc_bth bth;
	unsigned int len;
	union {
		struct mrc_write write;
		struct mrc_sack sack;
		struct mrc_nack nack;
		struct mrc_ack ack;
		struct mrc_probe probe;
		struct mrc_ep ep;
		struct mrc_ud_hdr ud;
	};
};

/**
 * enum mrc_decode_err - why a packet was refused by mrc_hdr_decode()
 */
enum mrc_decode_err {
	MRC_DECODE_OK = 0,
	MRC_DECODE_SHORT,	/* bytes end before the headers do */
	MRC_DECODE_OPCODE,	/* not an MRC opcode */
	MRC_DECODE_VERSION,	/* BTH TVer not 0 */
	MRC_DECODE_FIELD,	/* a field with a value that the format forbids */
};

/* Properties of an opcode, one table row each. */
#define MRC_OPF_REQUEST	0x01	/* packet of a message: carries METH, and RETH or the like */
#define MRC_OPF_FIRST	0x02	/* first packet of its message */
#define MRC_OPF_LAST	0x04	/* last packet of its message */
#define MRC_OPF_IMM	0x08	/* carries ImmDt */
#define MRC_OPF_CONTROL	0x10	/* SACK, NACK, ACK, probe, endpoint */
#define MRC_OPF_SEND	0x20	/* carries PLETH instead of RETH */
#define MRC_OPF_TAKES	0x40	/* last packet of a message that takes a receive */
#define MRC_OPF_FETCH	0x80	/* READ or atomic: asks for a response, carries RDETH */
#define MRC_OPF_RESPONSE	0x100	/* response: carries RDETH, and PLETH instead of RETH */
#define MRC_OPF_ATOMIC	0x200	/* carries AtomicETH, or, in a response, AtomicAckETH */
#define MRC_OPF_UD	0x400	/* a datagram: carries DETH */
#define MRC_OPF_INV	0x800	/* with MRC_OPF_IMM: an IETH in place of ImmDt */

/**
 * mrc_opcode_flags() - MRC_OPF_* bits of an opcode
 * @opcode: any byte
 *
 * Return: 0 for a byte that is not an MRC opcode.
 */
unsigned int mrc_opcode_flags(u8 opcode);

/**
 * mrc_opcode_hdr_len() - header bytes of an opcode, BTH included, TSETH not
 * @opcode: any byte
 *
 * Return: 0 for a byte that is not an MRC opcode.
 */
unsigned int mrc_opcode_hdr_len(u8 opcode);

/**
 * mrc_write_opcode() - opcode of a write packet by its place in the message
 * @first: first packet
 * @last: last packet
 * @imm: the message carries an immediate (only its last packet does)
 */
u8 mrc_write_opcode(bool first, bool last, bool imm);

/** mrc_send_opcode() - the same for a SEND packet */
static inline u8 mrc_send_opcode(bool first, bool last, bool imm)
{
	return mrc_write_opcode(first, last, imm) - (MRC_OP_WRITE_FIRST - MRC_OP_SEND_FIRST);
}

/** mrc_send_inv_opcode() - the same for a SEND that invalidates a key */
static inline u8 mrc_send_inv_opcode(bool first, bool last)
{
	if (!last)
		return mrc_send_opcode(first, last, false);
	return first ? MRC_OP_SEND_ONLY_INV : MRC_OP_SEND_LAST_INV;
}

/** mrc_read_rsp_opcode() - the same for a packet of a READ response */
static inline u8 mrc_read_rsp_opcode(bool first, bool last)
{
	if (!last)
		return first ? MRC_OP_READ_RSP_FIRST : MRC_OP_READ_RSP_MIDDLE;
	return first ? MRC_OP_READ_RSP_ONLY : MRC_OP_READ_RSP_LAST;
}

/**
 * mrc_hdr_decode() - decode all headers of one packet
 * @buf: the packet from its BTH on
 * @len: readable bytes at @buf; not beyond the packet's end
 * @hdr: result, written only on success
 *
 * Reads nothing beyond @len. Payload length, pad against payload and ICRC are
 * the caller's to check.
 *
 * Return: MRC_DECODE_OK or the reason of refusal.
 */
enum mrc_decode_err mrc_hdr_decode(const u8 *buf, size_t len,
				   struct mrc_hdr *hdr);

/**
 * mrc_bth_decode() - decode the BTH of a trimmed packet of a message, of which nothing else is left
 * @buf: the packet from its BTH on
 * @len: readable bytes at @buf
 * @bth: result, written only on success
 *
 * Return: MRC_DECODE_OK or the reason of refusal; MRC_DECODE_OPCODE also for a packet that is
 * of no message.
 */
enum mrc_decode_err mrc_bth_decode(const u8 *buf, size_t len, struct mrc_bth *bth);

/**
 * mrc_hdr_encode() - encode all headers of one packet
 * @buf: at least MRC_HDR_MAX bytes
 * @hdr: what to encode; @hdr->len is ignored, reserved fields become zero
 *
 * Return: bytes written, 0 for an unknown opcode.
 */
unsigned int mrc_hdr_encode(u8 *buf, const struct mrc_hdr *hdr);

/**
 * mrc_ev_pack() - EV bits from the two fields that carry them
 * @sport: UDP source port, host order
 * @flow_label: IPv6 flow label, host order, low 16 of 20 bits used
 *
 * Open point: which half is high. We put the source port in bits 31:16.
 */
static inline u32 mrc_ev_pack(u16 sport, u32 flow_label)
{
	return (u32)sport << 16 | (flow_label & 0xffff);
}

/** mrc_ev_sport() - UDP source port that carries EV bits 31:16 */
static inline u16 mrc_ev_sport(u32 ev)
{
	return ev >> 16;
}

/** mrc_ev_flow_label() - flow label that carries EV bits 15:0 */
static inline u32 mrc_ev_flow_label(u32 ev)
{
	return ev & 0xffff;
}

/**
 * mrc_nominal_len() - nominal bytes of a packet: UDP length and 40, for the inner IPv6 header
 * @hdr: the packet
 * @payload: its payload bytes
 *
 * Open point: whether rcvd_bytes counts nominal bytes or payload. Ours counts nominal bytes, in
 * which congestion control counts the bytes in flight, so that both sums agree.
 */
static inline u32 mrc_nominal_len(const struct mrc_hdr *hdr, u32 payload)
{
	return MRC_NOMINAL_OUTSIDE + hdr->len + payload + hdr->bth.pad +
	       MRC_ICRC_LEN;
}

/**
 * mrc_rcvd_bytes_units() - CC_STATE rcvd_bytes of a byte count
 * @bytes: nominal bytes of new untrimmed packets received so far
 */
static inline u32 mrc_rcvd_bytes_units(u64 bytes)
{
	return (u32)((bytes + 255) >> 8) & 0xffffff;
}

#endif /* _MRC_CORE_WIRE_H */
