// SPDX-License-Identifier: GPL-2.0-only
#include "last_words.h"
#include "psn.h"

/* Does the packet ask for an answer, and can it be of the connection that has ended? */
static bool wants_answer(const struct mrc_last_words *w,
			 const struct mrc_hdr *asked)
{
	s32 beyond = mrc_psn_diff(asked->bth.psn, w->done_psn);

	if (asked->bth.opcode == MRC_OP_PROBE)
		return true;
	return mrc_opcode_flags(asked->bth.opcode) & MRC_OPF_WRITE &&
	       beyond > -(s32)w->size && beyond <= (s32)w->size;
}

static void say_ack(struct mrc_hdr *out, u32 psn, u8 syndrome, u32 msn)
{
	memset(out, 0, sizeof(*out));
	out->bth.opcode = MRC_OP_ACK;
	out->bth.psn = psn;
	out->ack.syndrome = syndrome;
	out->ack.msn = msn;
}

static void say_unexpected(struct mrc_hdr *out, u32 psn, u32 ev, u16 timestamp)
{
	memset(out, 0, sizeof(*out));
	out->bth.opcode = MRC_OP_NACK;
	out->bth.psn = psn;
	out->nack.reason = MRC_NACK_UNEXP_EVENT;
	out->nack.entropy = ev;
	out->nack.psn = psn;
	out->nack.tx_timestamp = timestamp;
}

unsigned int mrc_last_words_say(const struct mrc_last_words *w,
				const struct mrc_hdr *asked, u32 ev,
				struct mrc_hdr *out)
{
	bool probe = asked->bth.opcode == MRC_OP_PROBE;
	/* A probe names no packet: the first one that is missing is meant. */
	u32 psn = probe ? mrc_psn_add(w->done_psn, 1) : asked->bth.psn;

	if (!wants_answer(w, asked))
		return 0;
	if (w->nak_syndrome) {
		say_ack(&out[0], w->nak_psn, w->nak_syndrome, w->msn);
		return 1;
	}
	say_ack(&out[0], w->done_psn, MRC_ACK_OK, w->msn);
	if (mrc_psn_diff(psn, w->done_psn) <= 0)
		return 1;
	say_unexpected(&out[1], psn, ev, probe ? asked->probe.tx_timestamp :
						 asked->write.tx_timestamp);
	return 2;
}
