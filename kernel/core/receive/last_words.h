/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The answers that a QP still gives to the QP at the other end when it takes nothing any more,
 * because it is in error or gone. The other end must not wait for its retries to run out, and it
 * must not lose a request when only the acknowledgement was lost.
 */
#ifndef _MRC_CORE_LAST_WORDS_H
#define _MRC_CORE_LAST_WORDS_H

#include "../wire/answers.h"
#include "../base/base.h"
#include "../wire/wire.h"

/**
 * struct mrc_last_words - state of a QP's responder when the QP ended
 * @done_psn: last PSN of the last message that was complete in order
 * @size: PSNs that the responder accepted beyond @done_psn
 * @msn: messages complete in order, modulo 2^24
 * @nak_psn: PSN of the NAK, valid if @nak_syndrome is not 0
 * @nak_syndrome: syndrome of the NAK that ended the QP, 0: it ended for another reason
 * @answering: the other end has not got all responses to READs and atomics that are acknowledged
 */
struct mrc_last_words {
	u32 done_psn;
	u32 size;
	u32 msn;
	u32 nak_psn;
	u8 nak_syndrome;
	bool answering;
};

/**
 * mrc_last_words_say() - the answer to a packet for a QP that has ended
 * @w: the responder's state at its end
 * @asked: the packet
 * @ev: EV bits of the packet
 * @out: result, empty before. It stays empty for packets that want no answer, and for a PSN that is
 *       not within @w->size of the last complete message, before or after
 *
 * A NAK that ended the QP is sent again. Otherwise complete messages are acknowledged again. If the
 * packet is a Reliability Probe or lies beyond the complete messages, the NACK "unexpected event"
 * follows. For a probe it names the first packet that is missing; another one before it, if
 * responses are missing, names the last packet that was executed. A peer that reads the answers in
 * this order completes what can be completed, and then ends.
 */
void mrc_last_words_say(const struct mrc_last_words *w,
			const struct mrc_hdr *asked, u32 ev,
			struct mrc_answers *out);

#endif /* _MRC_CORE_LAST_WORDS_H */
