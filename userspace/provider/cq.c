/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "provider.h"

struct mrc_create_cq_answer {
	struct ib_uverbs_create_cq_resp core;
	struct mrc_create_cq_resp mrc;
};
_Static_assert(offsetof(struct mrc_create_cq_answer, mrc) ==
		       sizeof(struct ib_uverbs_create_cq_resp),
	       "padding in a response");

struct ibv_cq *mrc_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct mrc_create_cq_answer answer = {};
	struct mrc_ucq *cq = calloc(1, sizeof(*cq));
	int err;

	if (!cq)
		return NULL;
	err = ibv_cmd_create_cq(context, cqe, channel, comp_vector, &cq->base.cq, NULL, 0,
				&answer.core, sizeof(answer));
	if (err)
		goto err_free;
	err = mrc_uring_map(&cq->ring, context->cmd_fd, &answer.mrc.cq);
	if (err)
		goto err_destroy;
	return &cq->base.cq;

err_destroy:
	ibv_cmd_destroy_cq(&cq->base.cq);
err_free:
	free(cq);
	errno = err;
	return NULL;
}

int mrc_destroy_cq(struct ibv_cq *ibcq)
{
	struct mrc_ucq *cq = to_mrc_ucq(ibcq);
	int err = ibv_cmd_destroy_cq(ibcq);

	if (err)
		return err;
	mrc_uring_unmap(&cq->ring);
	free(cq);
	return 0;
}

static int mrc_compare_qps(const void *a, const void *b)
{
	uint32_t x = ((const struct mrc_uqp *)a)->base.qp.qp_num;
	uint32_t y = ((const struct mrc_uqp *)b)->base.qp.qp_num;

	return x < y ? -1 : x > y;
}

/*
 * Removes the completions of a QP that nobody has polled from the ring, and moves the others
 * towards the end, where the kernel adds. The kernel adds none of this QP meanwhile. The lock is
 * held.
 */
static void mrc_cq_purge(struct mrc_ucq *cq, uint32_t qpn)
{
	struct mrc_uring *ring = &cq->ring;
	uint32_t from = __atomic_load_n(&ring->mem->producer, __ATOMIC_ACQUIRE), to = from;
	const struct mrc_cqe *cqe;

	/* More entries than the ring has room for: the program has overwritten the index. */
	if (from - ring->index > ring->size)
		return;
	while (from != ring->index) {
		cqe = mrc_uring_at(ring, --from);
		if (cqe->qpn == qpn)
			continue;
		if (--to != from)
			memcpy(mrc_uring_at(ring, to), cqe, sizeof(*cqe));
	}
	if (to == ring->index)
		return;
	ring->index = to;
	mrc_uring_release(ring);
}

/*
 * The tree may still have an older QP of this number: another thread is destroying that QP, and the
 * kernel has already given the number to the new one. The completions in the ring are the old QP's.
 */
int mrc_cq_add_qp(struct mrc_ucq *cq, struct mrc_uqp *qp)
{
	struct mrc_uqp **node;

	pthread_spin_lock(&cq->ring.lock);
	node = tsearch(qp, &cq->qps, mrc_compare_qps);
	if (node && *node != qp) {
		mrc_cq_purge(cq, qp->base.qp.qp_num);
		*node = qp;
	}
	cq->newest = NULL;
	pthread_spin_unlock(&cq->ring.lock);
	return node ? 0 : ENOMEM;
}

void mrc_cq_del_qp(struct mrc_ucq *cq, struct mrc_uqp *qp)
{
	struct mrc_uqp **node;

	pthread_spin_lock(&cq->ring.lock);
	node = tfind(qp, &cq->qps, mrc_compare_qps);
	if (node && *node == qp) {
		tdelete(qp, &cq->qps, mrc_compare_qps);
		mrc_cq_purge(cq, qp->base.qp.qp_num);
	}
	cq->newest = NULL;
	pthread_spin_unlock(&cq->ring.lock);
}

void mrc_cq_reset_qp(struct mrc_ucq *cq, struct mrc_uqp *qp, struct mrc_uring *ring)
{
	pthread_spin_lock(&cq->ring.lock);
	mrc_cq_purge(cq, qp->base.qp.qp_num);
	mrc_uring_reset(ring);
	pthread_spin_unlock(&cq->ring.lock);
}

/* Tries the newest QP first: completions of one QP come in runs. Return: NULL if the QP is gone. */
static struct mrc_uqp *mrc_cq_find_qp(struct mrc_ucq *cq, uint32_t qpn)
{
	struct mrc_uqp key, **node;

	if (cq->newest && cq->newest->base.qp.qp_num == qpn)
		return cq->newest;
	key.base.qp.qp_num = qpn;
	node = tfind(&key, &cq->qps, mrc_compare_qps);
	cq->newest = node ? *node : NULL;
	return cq->newest;
}

/* A completion makes room for new requests. */
static void mrc_free_entries(struct mrc_ucq *cq, const struct mrc_cqe *cqe)
{
	struct mrc_uqp *qp = mrc_cq_find_qp(cq, cqe->qpn);

	if (!qp)
		return;
	if (!(cqe->opcode & IBV_WC_RECV))
		mrc_uring_free(&qp->sq, cqe->index);
	else if (qp->rq.mem)
		mrc_uring_free(&qp->rq, cqe->index);
}

const struct mrc_cqe *mrc_cq_next(struct mrc_ucq *cq)
{
	const struct mrc_cqe *cqe;

	if (!mrc_uring_has_entry(&cq->ring))
		return NULL;
	cqe = mrc_uring_entry(&cq->ring);
	mrc_free_entries(cq, cqe);
	return cqe;
}

unsigned int mrc_cqe_wc_flags(const struct mrc_cqe *cqe)
{
	return (cqe->flags & MRC_CQE_IMM ? IBV_WC_WITH_IMM : 0) |
	       (cqe->flags & MRC_CQE_GRH ? IBV_WC_GRH : 0);
}

static void mrc_fill_wc(struct ibv_wc *wc, const struct mrc_cqe *cqe)
{
	*wc = (struct ibv_wc){
		.wr_id = cqe->wr_id,
		.status = (enum ibv_wc_status)cqe->status,
		.opcode = (enum ibv_wc_opcode)cqe->opcode,
		.byte_len = cqe->byte_len,
		.qp_num = cqe->qpn,
	};
	wc->wc_flags = mrc_cqe_wc_flags(cqe);
	if (cqe->flags & MRC_CQE_IMM)
		wc->imm_data = cqe->imm_data;
	if (cqe->flags & MRC_CQE_GRH)
		wc->src_qp = cqe->flags >> MRC_CQE_SRC_QP_SHIFT;
}

int mrc_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct mrc_ucq *cq = to_mrc_ucq(ibcq);
	const struct mrc_cqe *cqe;
	int n = 0;

	pthread_spin_lock(&cq->ring.lock);
	while (n < num_entries && (cqe = mrc_cq_next(cq))) {
		mrc_fill_wc(&wc[n++], cqe);
		cq->ring.index++;
	}
	if (n)
		mrc_uring_release(&cq->ring);
	pthread_spin_unlock(&cq->ring.lock);
	return n;
}
