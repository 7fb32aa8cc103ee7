// SPDX-License-Identifier: GPL-2.0-only
#include "../peer/qp.h"
#include "replay.h"
#include "../peer/trace.h"

/* Words of a batch without EVs and PSNs, and words of an answer behind its headers. */
#define MRC_REPLAY_BATCH_WORDS	5u
#define MRC_REPLAY_ANSWER_WORDS	12u

void mrc_replay_record(const struct mrc_qp *qp, enum mrc_replay_op op, u64 now,
		       const u32 *words, unsigned int count)
{
	trace_mrc_replay(qp, op, now, words, count);
}

void mrc_replay_record_batch(const struct mrc_qp *qp, u64 now, const struct mrc_batch *b,
			     const u16 *ev)
{
	u32 words[MRC_REPLAY_BATCH_WORDS + 2 * MRC_BATCH_MAX];
	unsigned int i, n = 0;

	words[n++] = b->stride;
	for (i = 0; i < b->stride; i++)
		words[n++] = ev[i];
	words[n++] = b->count;
	words[n++] = b->rtx;
	words[n++] = b->any;
	words[n++] = b->ask;
	for (i = 0; i < (b->rtx ? b->count : 1); i++)
		words[n++] = b->plan[i].psn;
	trace_mrc_replay(qp, MRC_REPLAY_BATCH, now, words, n);
}

void mrc_replay_record_lose(const struct mrc_qp *qp, const struct mrc_paths *paths, u64 now,
			    u32 lost)
{
	u32 words[2 + 2 * MRC_EV_MAX / 32];
	struct mrc_tx_gone gone;

	mrc_req_gone(&qp->req, paths, &gone);
	words[0] = gone.unsent;
	bitmap_to_arr32(&words[1], gone.here, MRC_EV_MAX);
	bitmap_to_arr32(&words[1 + MRC_EV_MAX / 32], gone.there, MRC_EV_MAX);
	words[1 + 2 * MRC_EV_MAX / 32] = lost;
	trace_mrc_replay(qp, MRC_REPLAY_LOSE, now, words, ARRAY_SIZE(words));
}

static unsigned int mrc_replay_put_result(u32 *words, const struct mrc_req *req,
					  const struct mrc_tx_result *res)
{
	unsigned int n = 0;

	words[n++] = res->acked;
	words[n++] = res->lost;
	words[n++] = res->spurious;
	words[n++] = lower_32_bits(res->rtt_ns);
	words[n++] = upper_32_bits(res->rtt_ns);
	words[n++] = res->mark;
	words[n++] = res->ev;
	words[n++] = req->tx.una;
	words[n++] = req->tx.nxt;
	words[n++] = req->tx.inflight;
	words[n++] = req->tx.lost;
	return n;
}

void mrc_replay_record_answer(const struct mrc_qp *qp, enum mrc_replay_op op, u64 now,
			      const struct mrc_hdr *hdr, int err,
			      const struct mrc_tx_result *res)
{
	u32 words[1 + MRC_HDR_MAX / 4 + MRC_REPLAY_ANSWER_WORDS] = { };
	unsigned int n = 1;

	words[0] = mrc_hdr_encode((u8 *)&words[1], hdr);
	n += DIV_ROUND_UP(words[0], 4);
	words[n++] = err;
	if (!err)
		n += mrc_replay_put_result(&words[n], &qp->req, res);
	trace_mrc_replay(qp, op, now, words, n);
}
