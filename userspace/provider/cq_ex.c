/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues of ibv_create_cq_ex(), and the calls that poll them. The ring's lock is held
 * from a successful ibv_start_poll() to ibv_end_poll(), and the kernel gets entries back at the end.
 */
#include <errno.h>
#include <limits.h>

#include "provider.h"

static struct mrc_ucq *to_mrc_ucq_ex(struct ibv_cq_ex *cq)
{
	return to_mrc_ucq(ibv_cq_ex_to_cq(cq));
}

static const struct mrc_cqe *mrc_current(struct ibv_cq_ex *cq)
{
	return to_mrc_ucq_ex(cq)->current;
}

/* @return 0 or ENOENT. The lock is held. */
static int mrc_take_current(struct ibv_cq_ex *ex)
{
	struct mrc_ucq *cq = to_mrc_ucq_ex(ex);

	cq->current = mrc_cq_next(cq);
	if (!cq->current)
		return ENOENT;
	ex->wr_id = cq->current->wr_id;
	ex->status = (enum ibv_wc_status)cq->current->status;
	return 0;
}

static void mrc_pass_current(struct mrc_ucq *cq)
{
	if (cq->current)
		cq->ring.index++;
	cq->current = NULL;
}

static int mrc_start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct mrc_ucq *cq = to_mrc_ucq_ex(ex);
	int err;

	if (attr->comp_mask)
		return EINVAL;
	pthread_spin_lock(&cq->ring.lock);
	err = mrc_take_current(ex);
	if (err)
		pthread_spin_unlock(&cq->ring.lock);
	return err;
}

static int mrc_next_poll(struct ibv_cq_ex *ex)
{
	mrc_pass_current(to_mrc_ucq_ex(ex));
	return mrc_take_current(ex);
}

static void mrc_end_poll(struct ibv_cq_ex *ex)
{
	struct mrc_ucq *cq = to_mrc_ucq_ex(ex);

	mrc_pass_current(cq);
	mrc_uring_release(&cq->ring);
	pthread_spin_unlock(&cq->ring.lock);
}

static enum ibv_wc_opcode mrc_read_opcode(struct ibv_cq_ex *cq)
{
	return (enum ibv_wc_opcode)mrc_current(cq)->opcode;
}

static uint32_t mrc_read_byte_len(struct ibv_cq_ex *cq)
{
	return mrc_current(cq)->byte_len;
}

static __be32 mrc_read_imm_data(struct ibv_cq_ex *cq)
{
	return mrc_current(cq)->imm_data;
}

static uint32_t mrc_read_qp_num(struct ibv_cq_ex *cq)
{
	return mrc_current(cq)->qpn;
}

static unsigned int mrc_read_wc_flags(struct ibv_cq_ex *cq)
{
	return mrc_cqe_wc_flags(mrc_current(cq));
}

static uint32_t mrc_read_src_qp(struct ibv_cq_ex *cq)
{
	const struct mrc_cqe *cqe = mrc_current(cq);

	return cqe->flags & MRC_CQE_GRH ? cqe->flags >> MRC_CQE_SRC_QP_SHIFT : 0;
}

/* RoCE has neither LIDs nor service levels. */
static uint32_t mrc_read_nothing_32(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 0;
}

static uint8_t mrc_read_nothing_8(struct ibv_cq_ex *cq)
{
	(void)cq;
	return 0;
}

static void mrc_cq_ex_init(struct ibv_cq_ex *cq)
{
	cq->start_poll = mrc_start_poll;
	cq->next_poll = mrc_next_poll;
	cq->end_poll = mrc_end_poll;
	cq->read_opcode = mrc_read_opcode;
	cq->read_vendor_err = mrc_read_nothing_32;
	cq->read_byte_len = mrc_read_byte_len;
	cq->read_imm_data = mrc_read_imm_data;
	cq->read_qp_num = mrc_read_qp_num;
	cq->read_src_qp = mrc_read_src_qp;
	cq->read_wc_flags = mrc_read_wc_flags;
	cq->read_slid = mrc_read_nothing_32;
	cq->read_sl = mrc_read_nothing_8;
	cq->read_dlid_path_bits = mrc_read_nothing_8;
}

/* A queue for one thread has a lock, too: nobody else takes it, so it costs little. */
static int mrc_check_cq_ex(const struct ibv_cq_init_attr_ex *attr)
{
	bool flags = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS;

	if ((attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS) ||
	    (attr->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS) ||
	    (flags && (attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED)))
		return EOPNOTSUPP;
	return attr->cqe > INT_MAX || attr->comp_vector > INT_MAX ? EINVAL : 0;
}

struct ibv_cq_ex *mrc_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	int err = mrc_check_cq_ex(attr);
	struct mrc_ucq *cq;
	struct ibv_cq *made;

	if (err) {
		errno = err;
		return NULL;
	}
	made = mrc_create_cq(context, (int)attr->cqe, attr->channel, (int)attr->comp_vector);
	if (!made)
		return NULL;
	cq = to_mrc_ucq(made);
	mrc_cq_ex_init(&cq->base.cq_ex);
	return &cq->base.cq_ex;
}
