/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of a call to the window (tx_window): what the call learned.
 */
#ifndef _MRC_CORE_TX_RESULT_H
#define _MRC_CORE_TX_RESULT_H

#include "../base/base.h"
#include "../base/ev_index.h"
#include "tx_rec.h"

/**
 * struct mrc_tx_result - what one call learned; the news of EVs are kept in the window
 * @acked: packets newly acknowledged
 * @lost: packets newly held to be lost
 * @acked_bytes: bytes of @acked
 * @landed_bytes: the part of @acked_bytes that was in flight, not held to be lost
 * @lost_bytes: bytes of @lost
 * @blameless_bytes: the part of @lost_bytes that timed out without an EV to blame
 * @cause: enum mrc_cc_cause, of @lost
 * @spurious: a packet held to be lost turned out to have arrived
 * @rtt_ns: RTT sample, 0: none. The first part of the answer to a probe gives a sample if the probe
 *          is remembered
 * @data_rtt_ns: the same sample if it comes from a first transmission, which waits where data waits
 * @ev: index of the EV that the SACK's or NACK's trigger was sent on, or MRC_EV_NONE
 *      when that is not certain (acknowledged long ago, or sent more than once)
 * @penalty: the peer asks for a smaller congestion window: see struct mrc_cc_news
 * @restore: the same
 * @mark: enum mrc_sack_m, what the peer says of @ev, or of the EV with the bits @entropy
 * @entropy: valid with @mark: EV bits of the packet that the peer speaks of
 * @silent_since: ns, nothing that was sent since then was answered, as far as this QP knows. 1: an
 *                EV is in doubt, but the peer answers, so other EVs are not. 0: no EV is in doubt
 * @late_since: ns, when the first of the late packets was sent; 0: none is late
 * @expired: a packet used up its retries
 * @no_receive: the peer has had no receive for a request for longer than this QP tolerates
 * @unwanted: what the peer refuses for good is a response
 * @told: private to mrc_req_news()
 */
struct mrc_tx_result {
	u32 acked;
	u32 lost;
	u32 acked_bytes;
	u32 landed_bytes;
	u32 lost_bytes;
	u32 blameless_bytes;
	u8 cause;
	bool spurious;
	bool expired;
	bool no_receive;
	bool unwanted;
	bool told;
	bool restore;
	u8 penalty;
	u8 mark;
	u16 ev;
	u32 entropy;
	u64 rtt_ns;
	u64 data_rtt_ns;
	u64 silent_since;
	u64 late_since;
};

/** mrc_tx_result_init() - nothing is learned yet; see mrc_tx_begin() */
static inline void mrc_tx_result_init(struct mrc_tx_result *res)
{
	*res = (struct mrc_tx_result){
		.ev = MRC_EV_NONE,
	};
}

#endif /* _MRC_CORE_TX_RESULT_H */
