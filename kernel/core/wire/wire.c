// SPDX-License-Identifier: GPL-2.0-only
#include "../base/psn.h"
#include "wire.h"

/*
 * BTH byte 1 (the two high bits are zero in MRC; a SEND or datagram has the first one as in IBTA) and
 * byte 8
 */
#define BTH_SOLICITED		0x80
#define BTH_PAD_SHIFT		4
#define BTH_PAD_MASK		0x3
#define BTH_TVER_MASK		0x0f
#define BTH_ACKREQ		0x80
#define BTH_RTX			0x20
#define BTH_TS			0x10

/*
 * Second half of a timestamp header: tsr = 0 (128 ns ticks) or 1 (the sender's own unit),
 * ftype = 1. A responder sends the timestamp back as it came; of the flags only the tsr of
 * endpoint requests is read.
 */
#define TSETH_FLAGS		0x0001
#define TSETH_TSR		0x8000

/* The reserved byte of a DETH, and its value if IP4ETH follows. */
#define DETH_KIND		4
#define DETH_IP4		4

/* SETH bytes 0, 1 and 16; NETH byte 16; CC_STATE */
#define SETH_TYPE_SHIFT		4
#define SETH_M_SHIFT		5
#define SETH_M_MASK		0x3
#define SETH_PR			0x02
#define CC_TYPE_SHIFT		4
#define CC_TYPE_NSCC		0
#define CC_TYPE_NACK		2
#define CCST_OOO_MASK		0x7fff
#define CCST_RESTORE		0x80
#define CCST_PEN_MASK		0x7f

#define ERTH_OP_MASK		0x3
/* Open point: EETH op in bits 3:2 or 5:4 of byte 1. Nobody needs to read it. */
#define EETH_OP_SHIFT		2

#define OPCODE_CLASS		0xc0
#define OPCODE_CLASS_MASK	0xe0
#define OPCODE_INDEX_MASK	0x1f

struct mrc_opcode_row {
	u16 flags;
	u16 len;
};

#define OPF_SEND		(MRC_OPF_REQUEST | MRC_OPF_SEND)
#define OPF_PLETH		(MRC_OPF_SEND | MRC_OPF_RESPONSE)
#define OPF_SOLICITS		(MRC_OPF_SEND | MRC_OPF_UD)
#define OPF_TAKER		(MRC_OPF_LAST | MRC_OPF_TAKES)
#define OPF_ONLY		(MRC_OPF_FIRST | MRC_OPF_LAST)
#define OPF_IETH		(MRC_OPF_IMM | MRC_OPF_INV)
#define OPF_FETCH			(MRC_OPF_REQUEST | OPF_ONLY | MRC_OPF_FETCH)
#define OPF_RESPONSE		(MRC_OPF_REQUEST | MRC_OPF_RESPONSE)

#define OPCODE_INDEX(op)	((op) & OPCODE_INDEX_MASK)

static const struct mrc_opcode_row opcode_rows[OPCODE_INDEX_MASK + 1] = {
	[OPCODE_INDEX(MRC_OP_SEND_FIRST)] = { OPF_SEND | MRC_OPF_FIRST, MRC_SEND_HDR_LEN },
	[OPCODE_INDEX(MRC_OP_SEND_MIDDLE)] = { OPF_SEND, MRC_SEND_HDR_LEN },
	[OPCODE_INDEX(MRC_OP_SEND_LAST)] = { OPF_SEND | OPF_TAKER, MRC_SEND_HDR_LEN },
	[OPCODE_INDEX(MRC_OP_SEND_LAST_IMM)] = {
		OPF_SEND | OPF_TAKER | MRC_OPF_IMM, MRC_SEND_HDR_LEN + MRC_IMMDT_LEN
	},
	[OPCODE_INDEX(MRC_OP_SEND_ONLY)] = {
		OPF_SEND | MRC_OPF_FIRST | OPF_TAKER, MRC_SEND_HDR_LEN
	},
	[OPCODE_INDEX(MRC_OP_SEND_ONLY_IMM)] = {
		OPF_SEND | MRC_OPF_FIRST | OPF_TAKER | MRC_OPF_IMM,
		MRC_SEND_HDR_LEN + MRC_IMMDT_LEN
	},
	[OPCODE_INDEX(MRC_OP_WRITE_FIRST)] = {
		MRC_OPF_REQUEST | MRC_OPF_FIRST, MRC_WRITE_HDR_LEN
	},
	[OPCODE_INDEX(MRC_OP_WRITE_MIDDLE)] = { MRC_OPF_REQUEST, MRC_WRITE_HDR_LEN },
	[OPCODE_INDEX(MRC_OP_WRITE_LAST)] = {
		MRC_OPF_REQUEST | MRC_OPF_LAST, MRC_WRITE_HDR_LEN
	},
	[OPCODE_INDEX(MRC_OP_WRITE_LAST_IMM)] = {
		MRC_OPF_REQUEST | OPF_TAKER | MRC_OPF_IMM,
		MRC_WRITE_HDR_LEN + MRC_IMMDT_LEN
	},
	[OPCODE_INDEX(MRC_OP_WRITE_ONLY)] = {
		MRC_OPF_REQUEST | MRC_OPF_FIRST | MRC_OPF_LAST, MRC_WRITE_HDR_LEN
	},
	[OPCODE_INDEX(MRC_OP_WRITE_ONLY_IMM)] = {
		MRC_OPF_REQUEST | MRC_OPF_FIRST | OPF_TAKER | MRC_OPF_IMM,
		MRC_WRITE_HDR_LEN + MRC_IMMDT_LEN
	},
	[OPCODE_INDEX(MRC_OP_READ)] = { OPF_FETCH, MRC_READ_LEN },
	[OPCODE_INDEX(MRC_OP_READ_RSP_FIRST)] = {
		OPF_RESPONSE | MRC_OPF_FIRST, MRC_READ_RSP_HDR_LEN
	},
	[OPCODE_INDEX(MRC_OP_READ_RSP_MIDDLE)] = { OPF_RESPONSE, MRC_READ_RSP_HDR_LEN },
	[OPCODE_INDEX(MRC_OP_READ_RSP_LAST)] = {
		OPF_RESPONSE | MRC_OPF_LAST, MRC_READ_RSP_HDR_LEN
	},
	[OPCODE_INDEX(MRC_OP_READ_RSP_ONLY)] = { OPF_RESPONSE | OPF_ONLY, MRC_READ_RSP_HDR_LEN },
	[OPCODE_INDEX(MRC_OP_CMP_SWAP)] = { OPF_FETCH | MRC_OPF_ATOMIC, MRC_ATOMIC_LEN },
	[OPCODE_INDEX(MRC_OP_FETCH_ADD)] = { OPF_FETCH | MRC_OPF_ATOMIC, MRC_ATOMIC_LEN },
	[OPCODE_INDEX(MRC_OP_ATOMIC_RSP)] = {
		OPF_RESPONSE | OPF_ONLY | MRC_OPF_ATOMIC, MRC_ATOMIC_RSP_LEN
	},
	[OPCODE_INDEX(MRC_OP_SEND_LAST_INV)] = {
		OPF_SEND | OPF_TAKER | OPF_IETH, MRC_SEND_HDR_LEN + MRC_IMMDT_LEN
	},
	[OPCODE_INDEX(MRC_OP_SEND_ONLY_INV)] = {
		OPF_SEND | MRC_OPF_FIRST | OPF_TAKER | OPF_IETH,
		MRC_SEND_HDR_LEN + MRC_IMMDT_LEN
	},
	[OPCODE_INDEX(MRC_OP_ACK)] = { MRC_OPF_CONTROL, MRC_ACK_LEN },
	[OPCODE_INDEX(MRC_OP_EP_REQ)] = { MRC_OPF_CONTROL, MRC_EP_REQ_LEN },
	[OPCODE_INDEX(MRC_OP_EP_RSP)] = { MRC_OPF_CONTROL, MRC_EP_RSP_LEN },
	[OPCODE_INDEX(MRC_OP_SACK)] = { MRC_OPF_CONTROL, MRC_SACK_LEN },
	[OPCODE_INDEX(MRC_OP_NACK)] = { MRC_OPF_CONTROL, MRC_NACK_LEN },
	[OPCODE_INDEX(MRC_OP_PROBE)] = { MRC_OPF_CONTROL, MRC_PROBE_LEN },
};

/* Opcodes of other classes. A row of zeroes for a byte that is no opcode. */
static const struct mrc_opcode_row *mrc_wire_other_row(u8 opcode)
{
	static const struct mrc_opcode_row none, ud = {
		MRC_OPF_UD | OPF_ONLY, MRC_UD_HDR_LEN
	}, ud_imm = {
		MRC_OPF_UD | OPF_ONLY | MRC_OPF_IMM, MRC_UD_HDR_LEN + MRC_IMMDT_LEN
	};

	if (opcode == MRC_OP_UD_ONLY)
		return &ud;
	return opcode == MRC_OP_UD_ONLY_IMM ? &ud_imm : &none;
}

static const struct mrc_opcode_row *mrc_wire_row(u8 opcode)
{
	if ((opcode & OPCODE_CLASS_MASK) != OPCODE_CLASS)
		return mrc_wire_other_row(opcode);
	return &opcode_rows[OPCODE_INDEX(opcode)];
}

unsigned int mrc_opcode_flags(u8 opcode)
{
	return mrc_wire_row(opcode)->flags;
}

unsigned int mrc_opcode_hdr_len(u8 opcode)
{
	return mrc_wire_row(opcode)->len;
}

u8 mrc_write_opcode(bool first, bool last, bool imm)
{
	if (!last)
		return first ? MRC_OP_WRITE_FIRST : MRC_OP_WRITE_MIDDLE;
	if (first)
		return imm ? MRC_OP_WRITE_ONLY_IMM : MRC_OP_WRITE_ONLY;
	return imm ? MRC_OP_WRITE_LAST_IMM : MRC_OP_WRITE_LAST;
}

u8 mrc_credits_encode(u32 receives)
{
	u32 n = min(receives, MRC_CREDITS_MAX);
	u8 code;

	if (n < 4)
		return (u8)n;
	/* Two codes for each power of two: 2^k, and one and a half of that. */
	code = (u8)(2 * (fls64(n) - 1));
	return n >> (code / 2 - 1) & 1 ? code + 1 : code;
}

u32 mrc_credits_decode(u8 syndrome)
{
	u8 code = syndrome & ~MRC_AETH_TYPE_MASK & 0x1f;

	if (!mrc_syndrome_is_ack(syndrome) || code == MRC_AETH_NO_CREDIT)
		return MRC_CREDITS_NONE;
	if (code < 4)
		return code;
	return (code & 1 ? 3u : 2u) << (code / 2 - 1);
}

static inline void mrc_wire_bth_decode(const u8 *buf, struct mrc_bth *bth, bool send, bool ts)
{
	bth->opcode = buf[0];
	bth->pad = buf[1] >> BTH_PAD_SHIFT & BTH_PAD_MASK;
	bth->solicited = send && buf[1] & BTH_SOLICITED;
	bth->ackreq = buf[8] & BTH_ACKREQ;
	bth->rtx = buf[8] & BTH_RTX;
	bth->ts = ts;
	bth->pkey = get_unaligned_be16(buf + 2);
	bth->qpn = get_unaligned_be24(buf + 5);
	bth->psn = get_unaligned_be24(buf + 9);
}

/* What a READ or atomic asks for, and what atomics and their responses carry. */
static const u8 *mrc_wire_atomic_decode(const u8 *p, bool response, struct mrc_write *wr)
{
	wr->dmalen = MRC_ATOMIC_BYTES;
	if (response) {
		wr->va = 0;
		wr->rkey = 0;
		wr->value = get_unaligned_be64(p);
		return p + MRC_ATOMICACKETH_LEN;
	}
	wr->va = get_unaligned_be64(p);
	wr->rkey = get_unaligned_be32(p + 8);
	wr->value = get_unaligned_be64(p + 12);
	wr->compare = get_unaligned_be64(p + 20);
	return p + MRC_ATOMICETH_LEN;
}

/*
 * RETH, PLETH or a header of atomics: where the payload goes, and how long the message is. Return:
 * what follows.
 */
static const u8 *mrc_wire_place_decode(const u8 *p, unsigned int flags, struct mrc_write *wr)
{
	wr->value = 0;
	wr->compare = 0;
	if (flags & MRC_OPF_ATOMIC)
		return mrc_wire_atomic_decode(p, flags & MRC_OPF_RESPONSE, wr);
	if (flags & OPF_PLETH) {
		wr->va = get_unaligned_be32(p);
		wr->rkey = 0;
		wr->dmalen = get_unaligned_be32(p + 4);
		return p + MRC_PLETH_LEN;
	}
	wr->va = get_unaligned_be64(p);
	wr->rkey = get_unaligned_be32(p + 8);
	wr->dmalen = get_unaligned_be32(p + 12);
	return p + MRC_RETH_LEN;
}

static void mrc_wire_write_decode(const u8 *p, bool ts, unsigned int flags, struct mrc_write *wr)
{
	wr->rqmsn = get_unaligned_be16(p);
	wr->msn = get_unaligned_be16(p + 2);
	p += MRC_METH_LEN;
	wr->tx_timestamp = 0;
	if (ts) {
		wr->tx_timestamp = get_unaligned_be16(p);
		p += MRC_TSETH_LEN;
	}
	wr->rdeth = 0;
	if (flags & MRC_OPF_RESPONSE) {
		wr->rdeth = get_unaligned_be16(p);
		p += MRC_RDETH_LEN;
	}
	p = mrc_wire_place_decode(p, flags, wr);
	if (flags & MRC_OPF_FETCH)
		wr->rdeth = get_unaligned_be24(p + 1);
	wr->imm = 0;
	if (flags & MRC_OPF_IMM)
		memcpy(&wr->imm, p, MRC_IMMDT_LEN);
}

static void mrc_wire_ud_decode(const u8 *p, unsigned int flags, struct mrc_ud_hdr *ud)
{
	*ud = (struct mrc_ud_hdr){
		.qkey = get_unaligned_be32(p),
		.src_qpn = get_unaligned_be24(p + 5),
		.ip4 = p[DETH_KIND] == DETH_IP4,
	};
	p += MRC_DETH_LEN;
	if (ud->ip4) {
		memcpy(&ud->saddr4, p, sizeof(ud->saddr4));
		memcpy(&ud->daddr4, p + 4, sizeof(ud->daddr4));
		p += MRC_IP4ETH_LEN;
	}
	if (flags & MRC_OPF_IMM)
		memcpy(&ud->imm, p, MRC_IMMDT_LEN);
}

static void mrc_wire_cc_state_decode(const u8 *p, struct mrc_sack *sack)
{
	sack->tx_timestamp = get_unaligned_be16(p);
	sack->ooo_count = get_unaligned_be16(p + 2) & CCST_OOO_MASK;
	sack->restore_cwnd = p[4] & CCST_RESTORE;
	sack->cwnd_pen = p[4] & CCST_PEN_MASK;
	sack->rcvd_bytes = get_unaligned_be24(p + 5);
}

/* With another cc_type, CC_STATE means nothing to us; the fields for arrivals are still read. */
static void mrc_wire_sack_decode(const u8 *p, struct mrc_sack *sack)
{
	memset(sack, 0, sizeof(*sack));
	sack->m = p[1] >> SETH_M_SHIFT & SETH_M_MASK;
	sack->probe = p[1] & SETH_PR;
	sack->ack_offset = (s16)get_unaligned_be16(p + 2);
	sack->entropy = get_unaligned_be32(p + 4);
	sack->cack_psn = get_unaligned_be24(p + 13);
	sack->mpr = p[17];
	sack->sack_offset = (s16)get_unaligned_be16(p + 18);
	sack->bitmap = get_unaligned_be64(p + 20);
	if (p[16] >> CC_TYPE_SHIFT == CC_TYPE_NSCC)
		mrc_wire_cc_state_decode(p + MRC_SETH_LEN, sack);
}

static void mrc_wire_nack_decode(const u8 *p, struct mrc_nack *nack)
{
	nack->reason = p[2];
	nack->entropy = get_unaligned_be32(p + 4);
	nack->psn = get_unaligned_be24(p + 13);
	nack->tx_timestamp = get_unaligned_be16(p + 18);
}

static void mrc_wire_ep_req_decode(const u8 *p, struct mrc_ep *ep)
{
	ep->op = p[1] & ERTH_OP_MASK;
	ep->port_mask = get_unaligned_be32(p + 4);
	ep->tx_timestamp = get_unaligned_be16(p + 12);
	ep->tsr = get_unaligned_be16(p + 14) & TSETH_TSR;
}

static void mrc_wire_ep_rsp_decode(const u8 *p, struct mrc_ep *ep)
{
	ep->op = 0;
	ep->port_mask = 0;
	ep->tx_timestamp = get_unaligned_be16(p + 28);
	ep->tsr = false;
}

static void mrc_wire_control_decode(const u8 *p, struct mrc_hdr *hdr)
{
	switch (hdr->bth.opcode) {
	case MRC_OP_SACK:
		mrc_wire_sack_decode(p, &hdr->sack);
		break;
	case MRC_OP_NACK:
		mrc_wire_nack_decode(p, &hdr->nack);
		break;
	case MRC_OP_ACK:
		hdr->ack.syndrome = p[0];
		hdr->ack.msn = get_unaligned_be24(p + 1);
		break;
	case MRC_OP_PROBE:
		hdr->probe.id = get_unaligned_be16(p + 4);
		hdr->probe.tx_timestamp = get_unaligned_be16(p + 12);
		break;
	case MRC_OP_EP_REQ:
		mrc_wire_ep_req_decode(p, &hdr->ep);
		break;
	case MRC_OP_EP_RSP:
		mrc_wire_ep_rsp_decode(p, &hdr->ep);
		break;
	}
}

/*
 * Checks the fields of which an unknown value would change the meaning of what follows. Reserved
 * bits are not checked, nor are values that only their user can judge (NACK reason, AETH syndrome).
 */
static bool mrc_wire_fields_ok(u8 opcode, const u8 *p)
{
	switch (opcode) {
	case MRC_OP_SACK:
		return p[0] >> SETH_TYPE_SHIFT == 0 &&
		       (p[1] >> SETH_M_SHIFT & SETH_M_MASK) <= MRC_SACK_ALWAYS_SKIP;
	case MRC_OP_NACK:
		return p[16] >> CC_TYPE_SHIFT == CC_TYPE_NACK;
	case MRC_OP_EP_REQ:
		return (p[1] & ERTH_OP_MASK) <= MRC_EP_EV_PROBE;
	default:
		return true;
	}
}

enum mrc_decode_err mrc_hdr_decode(const u8 *buf, size_t len,
				   struct mrc_hdr *hdr)
{
	const struct mrc_opcode_row *row;
	unsigned int need;
	bool ts;

	if (len < MRC_BTH_LEN)
		return MRC_DECODE_SHORT;
	row = mrc_wire_row(buf[0]);
	if (!row->flags)
		return MRC_DECODE_OPCODE;
	if (buf[1] & BTH_TVER_MASK)
		return MRC_DECODE_VERSION;

	ts = row->flags & MRC_OPF_REQUEST && buf[8] & BTH_TS;
	need = row->len + (ts ? MRC_TSETH_LEN : 0);
	if (row->flags & MRC_OPF_UD && len >= need && buf[MRC_BTH_LEN + DETH_KIND] == DETH_IP4)
		need += MRC_IP4ETH_LEN;
	if (len < need)
		return MRC_DECODE_SHORT;
	if (!mrc_wire_fields_ok(buf[0], buf + MRC_BTH_LEN))
		return MRC_DECODE_FIELD;

	mrc_wire_bth_decode(buf, &hdr->bth, row->flags & OPF_SOLICITS, ts);
	hdr->len = need;
	if (row->flags & MRC_OPF_REQUEST)
		mrc_wire_write_decode(buf + MRC_BTH_LEN, ts, row->flags, &hdr->write);
	else if (row->flags & MRC_OPF_UD)
		mrc_wire_ud_decode(buf + MRC_BTH_LEN, row->flags, &hdr->ud);
	else
		mrc_wire_control_decode(buf + MRC_BTH_LEN, hdr);
	return MRC_DECODE_OK;
}

enum mrc_decode_err mrc_bth_decode(const u8 *buf, size_t len, struct mrc_bth *bth)
{
	unsigned int flags;

	if (len < MRC_BTH_LEN)
		return MRC_DECODE_SHORT;
	flags = mrc_wire_row(buf[0])->flags;
	if (!(flags & MRC_OPF_REQUEST))
		return MRC_DECODE_OPCODE;
	if (buf[1] & BTH_TVER_MASK)
		return MRC_DECODE_VERSION;
	mrc_wire_bth_decode(buf, bth, flags & OPF_SOLICITS, buf[8] & BTH_TS);
	return MRC_DECODE_OK;
}

static void mrc_wire_bth_encode(u8 *buf, const struct mrc_bth *bth, bool ts)
{
	buf[0] = bth->opcode;
	buf[1] = (u8)((bth->pad & BTH_PAD_MASK) << BTH_PAD_SHIFT |
		      (bth->solicited ? BTH_SOLICITED : 0));
	put_unaligned_be16(bth->pkey, buf + 2);
	put_unaligned_be32(bth->qpn & MRC_QPN_MASK, buf + 4);
	put_unaligned_be32(bth->psn & MRC_PSN_MASK, buf + 8);
	buf[8] = (u8)((bth->ackreq ? BTH_ACKREQ : 0) |
		      (bth->rtx ? BTH_RTX : 0) | (ts ? BTH_TS : 0));
}

static u8 *mrc_wire_atomic_encode(u8 *p, const struct mrc_write *wr, bool response)
{
	if (response) {
		put_unaligned_be64(wr->value, p);
		return p + MRC_ATOMICACKETH_LEN;
	}
	put_unaligned_be64(wr->va, p);
	put_unaligned_be32(wr->rkey, p + 8);
	put_unaligned_be64(wr->value, p + 12);
	put_unaligned_be64(wr->compare, p + 20);
	return p + MRC_ATOMICETH_LEN;
}

static u8 *mrc_wire_place_encode(u8 *p, const struct mrc_write *wr, unsigned int flags)
{
	if (flags & MRC_OPF_ATOMIC)
		return mrc_wire_atomic_encode(p, wr, flags & MRC_OPF_RESPONSE);
	if (flags & OPF_PLETH) {
		put_unaligned_be32((u32)wr->va, p);
		put_unaligned_be32(wr->dmalen, p + 4);
		return p + MRC_PLETH_LEN;
	}
	put_unaligned_be64(wr->va, p);
	put_unaligned_be32(wr->rkey, p + 8);
	put_unaligned_be32(wr->dmalen, p + 12);
	return p + MRC_RETH_LEN;
}

static void mrc_wire_write_encode(u8 *p, const struct mrc_write *wr, bool ts, unsigned int flags)
{
	put_unaligned_be16(wr->rqmsn, p);
	put_unaligned_be16(wr->msn, p + 2);
	p += MRC_METH_LEN;
	if (ts) {
		put_unaligned_be16(wr->tx_timestamp, p);
		put_unaligned_be16(TSETH_FLAGS, p + 2);
		p += MRC_TSETH_LEN;
	}
	if (flags & MRC_OPF_RESPONSE) {
		put_unaligned_be32((wr->rdeth & 0xffff) << 16, p);
		p += MRC_RDETH_LEN;
	}
	p = mrc_wire_place_encode(p, wr, flags);
	if (flags & MRC_OPF_FETCH)
		put_unaligned_be32(wr->rdeth & MRC_PSN_MASK, p);
	if (flags & MRC_OPF_IMM)
		memcpy(p, &wr->imm, MRC_IMMDT_LEN);
}

static void mrc_wire_sack_encode(u8 *p, const struct mrc_sack *sack)
{
	p[1] = (u8)((sack->m & SETH_M_MASK) << SETH_M_SHIFT |
		    (sack->probe ? SETH_PR : 0));
	put_unaligned_be16((u16)sack->ack_offset, p + 2);
	put_unaligned_be32(sack->entropy, p + 4);
	put_unaligned_be24(sack->cack_psn, p + 13);
	p[16] = CC_TYPE_NSCC << CC_TYPE_SHIFT;
	p[17] = sack->mpr;
	put_unaligned_be16((u16)sack->sack_offset, p + 18);
	put_unaligned_be64(sack->bitmap, p + 20);
	put_unaligned_be16(sack->tx_timestamp, p + 28);
	put_unaligned_be16(sack->ooo_count & CCST_OOO_MASK, p + 30);
	p[32] = (u8)((sack->restore_cwnd ? CCST_RESTORE : 0) |
		     (sack->cwnd_pen & CCST_PEN_MASK));
	put_unaligned_be24(sack->rcvd_bytes, p + 33);
}

static void mrc_wire_nack_encode(u8 *p, const struct mrc_nack *nack)
{
	p[2] = nack->reason;
	put_unaligned_be32(nack->entropy, p + 4);
	put_unaligned_be24(nack->psn, p + 13);
	p[16] = CC_TYPE_NACK << CC_TYPE_SHIFT;
	put_unaligned_be16(nack->tx_timestamp, p + 18);
}

static void mrc_wire_probe_encode(u8 *p, const struct mrc_probe *probe)
{
	put_unaligned_be16(probe->id, p + 4);
	put_unaligned_be16(probe->tx_timestamp, p + 12);
	put_unaligned_be16(TSETH_FLAGS, p + 14);
}

static void mrc_wire_ep_req_encode(u8 *p, const struct mrc_ep *ep)
{
	p[1] = ep->op & ERTH_OP_MASK;
	put_unaligned_be32(ep->port_mask, p + 4);
	put_unaligned_be16(ep->tx_timestamp, p + 12);
	put_unaligned_be16((u16)(TSETH_FLAGS | (ep->tsr ? TSETH_TSR : 0)), p + 14);
}

static void mrc_wire_ep_rsp_encode(u8 *p, const struct mrc_ep *ep)
{
	p[1] = (u8)((ep->op & ERTH_OP_MASK) << EETH_OP_SHIFT);
	put_unaligned_be16(ep->tx_timestamp, p + 28);
}

static void mrc_wire_ud_encode(u8 *p, const struct mrc_ud_hdr *ud, unsigned int flags)
{
	put_unaligned_be32(ud->qkey, p);
	put_unaligned_be24(ud->src_qpn, p + 5);
	if (ud->ip4) {
		p[DETH_KIND] = DETH_IP4;
		memcpy(p + MRC_DETH_LEN, &ud->saddr4, sizeof(ud->saddr4));
		memcpy(p + MRC_DETH_LEN + 4, &ud->daddr4, sizeof(ud->daddr4));
		p += MRC_IP4ETH_LEN;
	}
	if (flags & MRC_OPF_IMM)
		memcpy(p + MRC_DETH_LEN, &ud->imm, MRC_IMMDT_LEN);
}

static void mrc_wire_control_encode(u8 *p, const struct mrc_hdr *hdr)
{
	switch (hdr->bth.opcode) {
	case MRC_OP_SACK:
		mrc_wire_sack_encode(p, &hdr->sack);
		break;
	case MRC_OP_NACK:
		mrc_wire_nack_encode(p, &hdr->nack);
		break;
	case MRC_OP_ACK:
		p[0] = hdr->ack.syndrome;
		put_unaligned_be24(hdr->ack.msn, p + 1);
		break;
	case MRC_OP_PROBE:
		mrc_wire_probe_encode(p, &hdr->probe);
		break;
	case MRC_OP_EP_REQ:
		mrc_wire_ep_req_encode(p, &hdr->ep);
		break;
	case MRC_OP_EP_RSP:
		mrc_wire_ep_rsp_encode(p, &hdr->ep);
		break;
	}
}

unsigned int mrc_hdr_encode(u8 *buf, const struct mrc_hdr *hdr)
{
	const struct mrc_opcode_row *row = mrc_wire_row(hdr->bth.opcode);
	bool ts = row->flags & MRC_OPF_REQUEST && hdr->bth.ts;

	if (!row->flags)
		return 0;
	mrc_wire_bth_encode(buf, &hdr->bth, ts);
	if (row->flags & MRC_OPF_REQUEST) {
		mrc_wire_write_encode(buf + MRC_BTH_LEN, &hdr->write, ts, row->flags);
	} else {
		memset(buf + MRC_BTH_LEN, 0, row->len - MRC_BTH_LEN);
		if (row->flags & MRC_OPF_UD)
			mrc_wire_ud_encode(buf + MRC_BTH_LEN, &hdr->ud, row->flags);
		else
			mrc_wire_control_encode(buf + MRC_BTH_LEN, hdr);
	}
	if (row->flags & MRC_OPF_UD && hdr->ud.ip4)
		return row->len + MRC_IP4ETH_LEN;
	return row->len + (ts ? MRC_TSETH_LEN : 0);
}
