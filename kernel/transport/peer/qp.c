// SPDX-License-Identifier: GPL-2.0-only
/*
 * QPs: numbers, references, memory.
 */
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "congestion.h"
#include "qp.h"

/* So many random numbers are tried before all count as taken. */
#define MRC_QPN_TRIES	32

/* All QPs of all devices, by number. */
static DEFINE_XARRAY_FLAGS(mrc_qps, XA_FLAGS_ACCOUNT);

/* ---- life ------------------------------------------------------------------- */

void mrc_qp_defaults(const struct mrc_dev *dev, struct mrc_qp_params *p)
{
	*p = (struct mrc_qp_params){
		.mpr_rx = READ_ONCE(dev->cfg.mpr),
		.mpr_tx = READ_ONCE(dev->cfg.mpr),
		.wimm_rx = MRC_WIMM_DEFAULT,
		.wimm_tx = MRC_WIMM_DEFAULT,
		.timeout = MRC_TIMEOUT_DEFAULT,
		.linear = MRC_LINEAR_MAX,
		.exp = MRC_EXP_DEFAULT,
	};
}

struct mrc_qp *mrc_qp_alloc(struct mrc_dev *dev, const struct mrc_qp_init *init)
{
	struct mrc_qp *qp = kzalloc(sizeof(*qp), GFP_KERNEL_ACCOUNT);

	if (!qp)
		return NULL;
	qp->dev = dev;
	qp->ops = init->ops;
	qp->priv = init->priv;
	qp->pd = init->pd;
	qp->recv_pd = init->recv_pd;
	qp->user = init->user;
	qp->creator = get_pid(task_tgid(current));
	qp->state = IB_QPS_RESET;
	mrc_qp_defaults(dev, &qp->asked);
	qp->params = qp->asked;
	refcount_set(&qp->ref, 1);
	mutex_init(&qp->state_lock);
	INIT_LIST_HEAD(&qp->waits);
	mrc_dev_get(dev);
	atomic_inc(&dev->qps);
	return qp;
}

static void mrc_qp_free(struct rcu_head *rcu)
{
	struct mrc_qp *qp = container_of(rcu, struct mrc_qp, rcu);

	mrc_qp_free_tx(qp);
	mrc_qp_free_rx(qp);
	put_pid(qp->creator);
	atomic_dec(&qp->dev->qps);
	mrc_dev_put(qp->dev);
	kfree(qp);
}

void mrc_qp_hold(struct mrc_qp *qp)
{
	refcount_inc(&qp->ref);
}

bool mrc_qp_tryhold(struct mrc_qp *qp)
{
	return refcount_inc_not_zero(&qp->ref);
}

void mrc_qp_put(struct mrc_qp *qp)
{
	if (refcount_dec_and_test(&qp->ref))
		call_rcu(&qp->rcu, mrc_qp_free);
}

/* ---- look-up ---------------------------------------------------------------- */

/* @qp: who is found by the number; NULL: nobody is. The number is written before it can be found. */
static int mrc_qpn_take(u32 *qpn, struct mrc_qp *qp)
{
	int tries, err = -EBUSY;

	for (tries = 0; tries < MRC_QPN_TRIES && err == -EBUSY; tries++) {
		*qpn = get_random_u32() & MRC_QPN_MASK;
		if (*qpn < MRC_QPN_FIRST)
			continue;
		err = xa_insert(&mrc_qps, *qpn, qp, GFP_KERNEL_ACCOUNT);
	}
	return err == -EBUSY ? -ENOSPC : err;
}

int mrc_qp_publish(struct mrc_qp *qp)
{
	return mrc_qpn_take(&qp->qpn, qp);
}

int mrc_qpn_reserve(u32 *qpn)
{
	return mrc_qpn_take(qpn, NULL);
}

void mrc_qpn_release(u32 qpn)
{
	xa_release(&mrc_qps, qpn);
}

void mrc_qp_unlist(struct mrc_qp *qp)
{
	xa_erase(&mrc_qps, qp->qpn);
}

struct mrc_qp *mrc_qp_find(u32 qpn)
{
	return xa_load(&mrc_qps, qpn);
}

struct mrc_qp *mrc_qp_next(struct mrc_dev *dev, u32 qpn)
{
	unsigned long index = qpn;
	struct mrc_qp *qp;

	rcu_read_lock();
	xa_for_each_start(&mrc_qps, index, qp, qpn)
		if (qp->dev == dev && mrc_qp_tryhold(qp))
			break;
	rcu_read_unlock();
	return qp;
}

void mrc_qp_join_peer(struct mrc_qp *qp, struct mrc_peer *peer)
{
	spin_lock_bh(&peer->lock);
	list_add_tail(&qp->of_peer, &peer->qps);
	WRITE_ONCE(peer->nqps, peer->nqps + 1);
	spin_unlock_bh(&peer->lock);
}

void mrc_qp_leave_peer(struct mrc_qp *qp, struct mrc_peer *peer)
{
	spin_lock_bh(&peer->lock);
	list_del(&qp->of_peer);
	WRITE_ONCE(peer->nqps, peer->nqps - 1);
	spin_unlock_bh(&peer->lock);
}

struct mrc_qp *mrc_qp_next_of(struct mrc_peer *peer)
{
	struct mrc_qp *qp;

	spin_lock_bh(&peer->lock);
	qp = list_first_entry_or_null(&peer->qps, struct mrc_qp, of_peer);
	if (qp) {
		list_move_tail(&qp->of_peer, &peer->qps);
		mrc_qp_hold(qp);
	}
	spin_unlock_bh(&peer->lock);
	return qp;
}

/* ---- locks ------------------------------------------------------------------ */

void mrc_qp_lock(struct mrc_qp *qp)
	__acquires(&qp->tx_lock) __acquires(&qp->rx_lock)
{
	spin_lock_bh(&qp->tx_lock);
	spin_lock(&qp->rx_lock);
}

void mrc_qp_unlock(struct mrc_qp *qp)
	__releases(&qp->rx_lock) __releases(&qp->tx_lock)
{
	spin_unlock(&qp->rx_lock);
	spin_unlock_bh(&qp->tx_lock);
}

u32 mrc_qp_cwnd(const struct mrc_qp *qp)
{
	const struct mrc_congestion *c = rcu_dereference(qp->congestion);

	return c ? READ_ONCE(c->shared.cc.cwnd) : 0;
}

/* ---- memory ----------------------------------------------------------------- */

void mrc_qp_free_tx(struct mrc_qp *qp)
{
	mrc_congestion_put(unrcu_pointer(xchg(&qp->congestion, NULL)));
	kvfree(qp->tx_mem);
	kvfree(qp->req.sendq.slots);
	kvfree(qp->req.rspq.slots);
	qp->tx_mem = NULL;
	qp->req.sendq.slots = NULL;
	qp->req.rspq.slots = NULL;
}

void mrc_qp_free_rx(struct mrc_qp *qp)
{
	kvfree(qp->rx_mem);
	qp->rx_mem = NULL;
}

size_t mrc_qp_memory(const struct mrc_qp *qp)
{
	size_t bytes = sizeof(*qp);

	if (qp->rx_mem)
		bytes += mrc_rx_window_mem(qp->resp.rx.size,
					   qp->resp.rx.imm_max);
	if (qp->tx_mem)
		bytes += mrc_req_mem(qp->tx_size);
	if (qp->req.sendq.slots)
		bytes += (size_t)qp->req.sendq.depth * qp->req.sendq.stride +
			 (size_t)qp->req.rspq.depth * qp->req.rspq.stride;
	return bytes;
}

/* ---- receives ------------------------------------------------------------- */

static enum ib_wc_status mrc_qp_receive_status(const struct mrc_qp *qp)
{
	bool fault = qp->bad_receive != IB_WC_SUCCESS && qp->resp.refused &&
		     qp->resp.nak_psn == qp->bad_receive_psn;

	return fault ? qp->bad_receive : IB_WC_WR_FLUSH_ERR;
}

void mrc_qp_flush_receives(struct mrc_qp *qp)
{
	if (qp->dead || qp->placing || qp->state != IB_QPS_ERR)
		return;
	if (qp->ops->flush_recv(qp->priv, mrc_qp_receive_status(qp)))
		qp->bad_receive = IB_WC_SUCCESS;
}
