// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues.
 *
 * In MRC the solicited-event bit of writes is always zero. The receive completion of a write exists
 * only because the peer asked for it by sending an immediate. So it counts as solicited, and so do
 * errors. Of a SEND the bit counts.
 */
#include <linux/wait_bit.h>

#include "context.h"
#include "cq.h"
#include "device.h"

static void mrc_cq_fail_work(struct work_struct *work)
{
	struct mrc_ib_cq *cq = container_of(work, struct mrc_ib_cq, fail_work);
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};
	struct mrc_cq_user *user;

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
	mutex_lock(&cq->qps_lock);
	list_for_each_entry(user, &cq->qps, list)
		user->fail(user->qp);
	mutex_unlock(&cq->qps_lock);
}

/* Under cq->lock. */
static void mrc_cq_fail(struct mrc_ib_cq *cq, bool nonsense)
{
	cq->failed = true;
	if (nonsense)
		mrc_count(to_mrc_dev(cq->ib.device), MRC_CNT_RING_CORRUPT);
	queue_work(system_unbound_wq, &cq->fail_work);
}

/* Under cq->lock. */
static void mrc_cq_write(struct mrc_ib_cq *cq, struct ib_qp *qp, const struct mrc_cqe *cqe)
{
	struct mrc_ulp_cqe *entry = mrc_kring_entry(&cq->ring);

	memcpy(&entry->cqe, cqe, sizeof(*cqe));
	if (!cq->user)
		entry->qp = qp;
	mrc_kring_produce(&cq->ring);
}

/* Under cq->lock. Return: true if the program must be woken up. */
static bool mrc_cq_push(struct mrc_ib_cq *cq, struct ib_qp *qp, const struct mrc_cqe *cqe,
			bool solicited)
{
	int room = mrc_kring_room(&cq->ring);

	if (room <= 0) {
		mrc_cq_fail(cq, room < 0);
		return false;
	}
	mrc_cq_write(cq, qp, cqe);
	cq->added++;
	if (!cq->armed || (cq->armed == IB_CQ_SOLICITED && !solicited))
		return false;
	cq->armed = 0;
	return true;
}

/* Any context. */
static void mrc_cq_wake_here(struct mrc_ib_cq *cq)
{
	cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

/* Any context. */
static void mrc_cq_woken(struct mrc_ib_cq *cq)
{
	if (atomic_dec_and_test(&cq->wakes))
		/* From here on only the address of cq->wakes is used; the queue may be freed. */
		wake_up_var(&cq->wakes);
}

/* Hard interrupt. */
static void mrc_cq_wake_called(void *info)
{
	struct mrc_ib_cq *cq = info;

	mrc_cq_wake_here(cq);
	mrc_cq_woken(cq);
}

/* A call that is on its way to that CPU already wakes the program for this completion, too. */
static void mrc_cq_wake_there(struct mrc_ib_cq *cq)
{
	atomic_inc(&cq->wakes);
	if (smp_call_function_single_async(cq->cpu, &cq->wake))
		mrc_cq_woken(cq);
}

/*
 * While preemption is off here, a CPU that is online stays online. On PREEMPT_RT vectors are
 * ignored: the handler takes spinlocks, so it can be called neither with preemption off nor in a
 * hard interrupt.
 */
static void mrc_cq_wake(struct mrc_ib_cq *cq)
{
	int here;

	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		mrc_cq_wake_here(cq);
		return;
	}
	here = get_cpu();
	if (cq->cpu < 0 || cq->cpu == here || !cpu_online(cq->cpu))
		mrc_cq_wake_here(cq);
	else
		mrc_cq_wake_there(cq);
	put_cpu();
}

void mrc_cq_add(struct mrc_ib_cq *cq, struct ib_qp *qp, const struct mrc_cqe *cqe, bool solicited)
{
	bool wake = false;

	spin_lock_bh(&cq->lock);
	if (!cq->failed)
		wake = mrc_cq_push(cq, qp, cqe, solicited);
	spin_unlock_bh(&cq->lock);
	if (wake)
		mrc_cq_wake(cq);
}

bool mrc_cq_failed(struct mrc_ib_cq *cq)
{
	bool failed;

	spin_lock_bh(&cq->lock);
	failed = cq->failed;
	spin_unlock_bh(&cq->lock);
	return failed;
}

void mrc_cq_use(struct mrc_ib_cq *cq, struct mrc_cq_user *user,
		struct mrc_ib_qp *qp, void (*fail)(struct mrc_ib_qp *qp))
{
	user->qp = qp;
	user->fail = fail;
	mutex_lock(&cq->qps_lock);
	list_add_tail(&user->list, &cq->qps);
	mutex_unlock(&cq->qps_lock);
}

void mrc_cq_unuse(struct mrc_ib_cq *cq, struct mrc_cq_user *user)
{
	mutex_lock(&cq->qps_lock);
	list_del(&user->list);
	mutex_unlock(&cq->qps_lock);
}

/*
 * A vector stands for a CPU. Programs without a preference name vector 0. These programs are woken
 * by the CPU that adds the completion, because one CPU that wakes all of them would be a
 * bottleneck.
 */
static int mrc_cq_vector_cpu(u32 vector)
{
	int cpu;

	if (!vector)
		return -1;
	for_each_possible_cpu(cpu)
		if (!vector--)
			return cpu;
	return -1;
}

static void mrc_cq_init(struct mrc_ib_cq *cq, u32 vector)
{
	spin_lock_init(&cq->lock);
	spin_lock_init(&cq->poll_lock);
	mutex_init(&cq->qps_lock);
	INIT_LIST_HEAD(&cq->qps);
	INIT_WORK(&cq->fail_work, mrc_cq_fail_work);
	INIT_CSD(&cq->wake, mrc_cq_wake_called, cq);
	atomic_set(&cq->wakes, 0);
	cq->cpu = mrc_cq_vector_cpu(vector);
}

static int mrc_cq_create_ring(struct mrc_ib_cq *cq, u32 entries, struct mrc_ib_ucontext *uctx,
			      struct ib_udata *udata)
{
	struct mrc_create_cq_resp resp = {};
	int ret;

	if (!udata)
		return mrc_kring_create(&cq->ring, NULL, entries, sizeof(struct mrc_ulp_cqe),
					&resp.cq);
	ret = mrc_kring_create(&cq->ring, &uctx->ib, entries, sizeof(struct mrc_cqe), &resp.cq);
	if (!ret)
		ret = mrc_udata_answer(udata, &resp, sizeof(resp));
	if (ret)
		mrc_kring_destroy(&cq->ring);
	return ret;
}

/*
 * Process context. Return: 0, -EINVAL (size), -EOPNOTSUPP (flags, newer libraries), -ENOMEM, -EDQUOT.
 */
int mrc_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  mrc_create_cq_arg *arg)
{
	struct ib_udata *udata = mrc_create_cq_udata(arg);
	struct mrc_ib_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct mrc_ib_ucontext, ib);
	struct mrc_ib_cq *cq = to_mrc_cq(ibcq);
	int ret;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > MRC_MAX_CQE)
		return -EINVAL;
	ret = udata ? mrc_udata_check(udata, offsetof(struct mrc_create_cq_resp, comp_mask)) : 0;
	if (ret)
		return ret;
	mrc_cq_init(cq, attr->comp_vector);
	cq->user = mrc_udata_user(udata);
	/* A handler in the kernel may be gone by the time that another CPU calls it. */
	if (!cq->user)
		cq->cpu = -1;
	ret = mrc_object_add(ibcq->device, cq->user, MRC_SHARE_CQ);
	if (ret)
		return ret;
	ret = mrc_cq_create_ring(cq, attr->cqe, uctx, udata);
	if (ret) {
		mrc_object_del(ibcq->device, cq->user, MRC_SHARE_CQ);
		return ret;
	}
	ibcq->cqe = cq->ring.size;
	return 0;
}

/** mrc_destroy_cq() - destroy a CQ that no QP uses any more. Process context, sleeps. */
int mrc_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct mrc_ib_cq *cq = to_mrc_cq(ibcq);
	struct mrc_kring ring;

	cancel_work_sync(&cq->fail_work);
	wait_var_event(&cq->wakes, !atomic_read(&cq->wakes));
	/* The core may still call mrc_fill_res_cq(). */
	spin_lock_bh(&cq->lock);
	ring = cq->ring;
	cq->ring.mem = NULL;
	spin_unlock_bh(&cq->lock);
	mrc_kring_destroy(&ring);
	mrc_object_del(ibcq->device, cq->user, MRC_SHARE_CQ);
	return 0;
}

/*
 * Arms the queue for one wake-up. Return: 1 if @flags ask about missed events and completions wait,
 * else 0. Process context or softirq.
 */
int mrc_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct mrc_ib_cq *cq = to_mrc_cq(ibcq);
	u8 want = flags & IB_CQ_SOLICITED_MASK;
	int ret = 0;

	spin_lock_bh(&cq->lock);
	/* IB_CQ_SOLICITED does not replace IB_CQ_NEXT_COMP, which is stronger. */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = want;
	if ((flags & IB_CQ_REPORT_MISSED_EVENTS) &&
	    mrc_kring_room(&cq->ring) != (int)cq->ring.size)
		ret = 1;
	spin_unlock_bh(&cq->lock);
	return ret;
}
