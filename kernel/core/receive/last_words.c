// SPDX-License-Identifier: GPL-2.0-only
#include "last_words.h"
#include "../base/psn.h"

/* Does the packet want an answer, and can it belong to the connection that has ended? */
static bool mrc_last_words_wanted(const struct mrc_last_words *w,
			 const struct mrc_hdr *asked)
{
	s32 beyond = mrc_psn_diff(asked->bth.psn, w->done_psn);

	if (asked->bth.opcode == MRC_OP_PROBE)
		return true;
	return mrc_opcode_flags(asked->bth.opcode) & MRC_OPF_REQUEST &&
	       beyond > -(s32)w->size && beyond <= (s32)w->size;
}

static void mrc_last_words_unexpected(u32 psn, u32 ev, u16 timestamp,
				      struct mrc_answers *out)
{
	struct mrc_nack nack = {
		.reason = MRC_NACK_UNEXP_EVENT,
		.entropy = ev,
		.psn = psn,
		.tx_timestamp = timestamp,
	};

	mrc_answers_nack(out, &nack);
}

void mrc_last_words_say(const struct mrc_last_words *w,
			const struct mrc_hdr *asked, u32 ev,
			struct mrc_answers *out)
{
	bool probe = asked->bth.opcode == MRC_OP_PROBE;
	u16 timestamp = probe ? asked->probe.tx_timestamp : asked->write.tx_timestamp;
	/* A probe names no packet, so the answer names the first one that is missing. */
	u32 psn = probe ? mrc_psn_add(w->done_psn, 1) : asked->bth.psn;

	if (!mrc_last_words_wanted(w, asked))
		return;
	if (w->nak_syndrome) {
		mrc_answers_ack(out, w->nak_psn, w->nak_syndrome, w->msn);
		return;
	}
	mrc_answers_ack(out, w->done_psn, MRC_ACK_OK, w->msn);
	/* A READ that waits for its response is acknowledged, and may be all that is left. */
	if (probe && w->answering)
		mrc_last_words_unexpected(w->done_psn, ev, timestamp, out);
	if (mrc_psn_diff(psn, w->done_psn) > 0)
		mrc_last_words_unexpected(psn, ev, timestamp, out);
}
