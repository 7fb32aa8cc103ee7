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
 * struct mrc_last_words - how a QP stood as a responder when it ended
 * @done_psn: last PSN of the last message that was complete in order
 * @size: PSNs that it accepted beyond @done_psn
 * @msn: messages complete in order, modulo 2^24
 * @nak_psn: valid if @nak_syndrome is not 0
 * @nak_syndrome: of the NAK that ended it, 0: it ended for another reason
 */
struct mrc_last_words {
	u32 done_psn;
	u32 size;
	u32 msn;
	u32 nak_psn;
	u8 nak_syndrome;
};

/**
 * mrc_last_words_say() - the answer to a packet for a QP that has ended
 * @w: how it ended
 * @asked: the packet
 * @ev: EV bits it came with
 * @out: result, empty before; nothing for a PSN outside the window on either side of what was
 *       complete, and for packets that want no answer
 *
 * A NAK that ended the QP is said again. Otherwise what was complete is acknowledged again, and
 * behind that, for a packet beyond it or a Reliability Probe, there is the NACK "unexpected event":
 * whoever reads the packets in this order completes what can be completed, and then ends.
 */
void mrc_last_words_say(const struct mrc_last_words *w,
			const struct mrc_hdr *asked, u32 ev,
			struct mrc_answers *out);

#endif /* _MRC_CORE_LAST_WORDS_H */
