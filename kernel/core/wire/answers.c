// SPDX-License-Identifier: GPL-2.0-only
#include "answers.h"
#include "../base/psn.h"

/* Fills in all fields except those of the opcode, as mrc_sendq_header() does. */
static struct mrc_hdr *mrc_answers_add(struct mrc_answers *a, u8 opcode, u32 psn)
{
	struct mrc_hdr *hdr = &a->hdr[a->count++];

	hdr->bth = (struct mrc_bth){
		.opcode = opcode,
		.psn = psn & MRC_PSN_MASK,
	};
	hdr->len = 0;
	return hdr;
}

void mrc_answers_sack(struct mrc_answers *a, const struct mrc_sack *sack,
		      bool rtx)
{
	struct mrc_hdr *hdr = mrc_answers_add(a, MRC_OP_SACK, sack->cack_psn);

	hdr->bth.rtx = rtx;
	hdr->sack = *sack;
}

void mrc_answers_nack(struct mrc_answers *a, const struct mrc_nack *nack)
{
	mrc_answers_add(a, MRC_OP_NACK, nack->psn)->nack = *nack;
}

void mrc_answers_ack(struct mrc_answers *a, u32 psn, u8 syndrome, u32 msn)
{
	mrc_answers_add(a, MRC_OP_ACK, psn)->ack = (struct mrc_ack){
		.syndrome = syndrome,
		.msn = msn,
	};
}

void mrc_answers_probe(struct mrc_answers *a, u16 id)
{
	mrc_answers_add(a, MRC_OP_PROBE, 0)->probe = (struct mrc_probe){ .id = id };
}

enum mrc_traffic mrc_answers_traffic(const struct mrc_hdr *hdr)
{
	return hdr->bth.opcode == MRC_OP_PROBE ? MRC_TRAFFIC_DATA :
						 MRC_TRAFFIC_CONTROL;
}
