// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user in the kernel that tests what verbs promises such users: two QPs of one device, connected to each
 * other, with fast registration, invalidation, and what must be refused. All tests run when the module is
 * loaded. A line of the log says of each how it ended, in TAP; the module stays only if all are good.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define ULP_WAIT	msecs_to_jiffies(20000)
#define ULP_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC)
#define ULP_PSN		0xfffff0

static char *device = "mrc1";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the device");
static int gid;
module_param(gid, int, 0444);
MODULE_PARM_DESC(gid, "index of its GID");

/**
 * struct ulp_wr - a request or receive, and how it ended
 * @cqe: what the completion queue calls
 * @wc: its completion
 * @done: it has one
 * @order: which completion of the module it was
 */
struct ulp_wr {
	struct ib_cqe cqe;
	struct ib_wc wc;
	struct completion done;
	int order;
};

/**
 * struct ulp - both ends, and their memory
 * @ib: the device
 * @pd: protection domain of both ends
 * @cq: completions of both ends
 * @qp: the ends; the first one sends
 * @page: a page for each end
 * @mr: region for fast registration of the second end
 */
struct ulp {
	struct ib_device *ib;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp[2];
	u8 *page[2];
	struct ib_mr *mr;
};

static int ulp_completions, ulp_tests, ulp_failed;

static void ulp_check(bool good, const char *test, const char *what)
{
	ulp_tests++;
	ulp_failed += !good;
	pr_info("%sok %d %s: %s\n", good ? "" : "not ", ulp_tests, test, what);
}

/* ---- requests -------------------------------------------------------------------- */

static void ulp_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ulp_wr *w = container_of(wc->wr_cqe, struct ulp_wr, cqe);

	w->wc = *wc;
	w->order = ++ulp_completions;
	complete(&w->done);
}

static void ulp_init_wr(struct ulp_wr *w)
{
	memset(w, 0, sizeof(*w));
	w->cqe.done = ulp_done;
	init_completion(&w->done);
}

/* Return: status of its completion, or -ETIMEDOUT. */
static int ulp_wait(struct ulp_wr *w)
{
	return wait_for_completion_timeout(&w->done, ULP_WAIT) ? w->wc.status : -ETIMEDOUT;
}

static struct ib_sge ulp_sge(const struct ulp *u, int end, u32 length)
{
	return (struct ib_sge){
		.addr = (uintptr_t)u->page[end],
		.length = length,
		.lkey = u->pd->local_dma_lkey,
	};
}

/* Return: what ib_post_send() returned. */
static int ulp_send(const struct ulp *u, int end, struct ib_send_wr *wr, struct ulp_wr *w)
{
	const struct ib_send_wr *bad;

	ulp_init_wr(w);
	wr->wr_cqe = &w->cqe;
	wr->send_flags |= IB_SEND_SIGNALED;
	return ib_post_send(u->qp[end], wr, &bad);
}

/* A request of the first end that reads or writes the region by a key. Return: its status. */
static int ulp_access(struct ulp *u, enum ib_wr_opcode opcode, u32 rkey)
{
	struct ib_sge sge = ulp_sge(u, 0, 64);
	struct ib_rdma_wr wr = {
		.wr = { .opcode = opcode, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = u->mr->iova,
		.rkey = rkey,
	};
	struct ulp_wr w;

	return ulp_send(u, 0, &wr.wr, &w) ?: ulp_wait(&w);
}

/* Writes bytes by a key. Return: they are in the second page. */
static bool ulp_writes(struct ulp *u, u32 rkey, u8 byte)
{
	memset(u->page[0], byte, 64);
	return ulp_access(u, IB_WR_RDMA_WRITE, rkey) == IB_WC_SUCCESS && u->page[1][63] == byte;
}

static int ulp_register(struct ulp *u, u32 key, int access)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = u->mr,
		.key = key,
		.access = access,
	};
	struct ulp_wr w;

	return ulp_send(u, 1, &wr.wr, &w) ?: ulp_wait(&w);
}

static int ulp_invalidate(struct ulp *u, u32 key)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = key };
	struct ulp_wr w;

	return ulp_send(u, 1, &wr, &w) ?: ulp_wait(&w);
}

static int ulp_receive(struct ulp *u, struct ulp_wr *w)
{
	struct ib_recv_wr wr = { .wr_cqe = &w->cqe };

	ulp_init_wr(w);
	return ib_post_recv(u->qp[1], &wr, NULL);
}

/* A SEND without bytes that invalidates a key. Return: its status. */
static int ulp_send_invalidate(struct ulp *u, u32 key)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND_WITH_INV, .ex.invalidate_rkey = key };
	struct ulp_wr w;

	return ulp_send(u, 0, &wr, &w) ?: ulp_wait(&w);
}

/* ---- both ends ------------------------------------------------------------------- */

static void ulp_disconnect(struct ulp *u)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (!IS_ERR_OR_NULL(u->qp[i])) {
			ib_drain_qp(u->qp[i]);
			ib_destroy_qp(u->qp[i]);
		}
		u->qp[i] = NULL;
	}
}

static int ulp_to_rtr(struct ulp *u, int end, const struct ib_gid_attr *own)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = ULP_ACCESS,
	};
	int ret = ib_modify_qp(u->qp[end], &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			       IB_QP_ACCESS_FLAGS);

	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTR;
	attr.path_mtu = IB_MTU_1024;
	attr.dest_qp_num = u->qp[!end]->qp_num;
	attr.rq_psn = ULP_PSN;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 12;
	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_grh(&attr.ah_attr, (union ib_gid *)&own->gid, 0, gid, 64, 0);
	return ib_modify_qp(u->qp[end], &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
			    IB_QP_DEST_QPN | IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
			    IB_QP_MIN_RNR_TIMER);
}

static int ulp_to_rts(struct ulp *u, int end)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.sq_psn = ULP_PSN,
		.max_rd_atomic = 1,
	};

	return ib_modify_qp(u->qp[end], &attr, IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |
			    IB_QP_RNR_RETRY | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC);
}

/* New QPs for both ends, because a refusal ends both. */
static int ulp_connect(struct ulp *u)
{
	struct ib_qp_init_attr init = {
		.send_cq = u->cq,
		.recv_cq = u->cq,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 2, .max_recv_sge = 1 },
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
	};
	const struct ib_gid_attr *own;
	int i, ret = 0;

	ulp_disconnect(u);
	for (i = 0; i < 2; i++) {
		u->qp[i] = ib_create_qp(u->pd, &init);
		if (IS_ERR(u->qp[i]))
			return PTR_ERR(u->qp[i]);
	}
	own = rdma_get_gid_attr(u->ib, 1, gid);
	if (IS_ERR(own))
		return PTR_ERR(own);
	for (i = 0; i < 2 && !ret; i++)
		ret = ulp_to_rtr(u, i, own) ?: ulp_to_rts(u, i);
	rdma_put_gid_attr(own);
	return ret;
}

/* The region has the second page from its next registration on. Return: what ib_map_mr_sg() returned. */
static int ulp_map(struct ulp *u, unsigned int page_size)
{
	struct scatterlist sg;
	int n;

	sg_init_one(&sg, u->page[1], PAGE_SIZE);
	if (ib_dma_map_sg(u->ib, &sg, 1, DMA_BIDIRECTIONAL) != 1)
		return -ENOMEM;
	n = ib_map_mr_sg(u->mr, &sg, 1, NULL, page_size);
	ib_dma_unmap_sg(u->ib, &sg, 1, DMA_BIDIRECTIONAL);
	return n;
}

/* New QPs, and a region that is valid. Return: its key. */
static u32 ulp_begin(struct ulp *u, const char *test, int access)
{
	u32 key = u->mr->rkey;

	ulp_check(!ulp_connect(u), test, "connected");
	ulp_invalidate(u, key);
	ib_update_fast_reg_key(u->mr, (key & 0xff) + 1);
	ulp_check(ulp_map(u, PAGE_SIZE) == 1, test, "mapped");
	ulp_check(ulp_register(u, u->mr->rkey, access) == IB_WC_SUCCESS, test, "registered");
	return u->mr->rkey;
}

/* ---- tests ------------------------------------------------------------------------ */

static void ulp_test_registration(struct ulp *u)
{
	static const char test[] = "registration";
	u32 key = ulp_begin(u, test, ULP_ACCESS), next = ib_inc_rkey(key);

	ulp_check(ulp_writes(u, key, 1), test, "written");
	memset(u->page[1], 2, 64);
	ulp_check(ulp_access(u, IB_WR_RDMA_READ, key) == IB_WC_SUCCESS && u->page[0][63] == 2,
		  test, "read");
	ulp_check(ulp_invalidate(u, key) == IB_WC_SUCCESS, test, "invalidated");
	ulp_check(ulp_invalidate(u, key) == IB_WC_SUCCESS, test, "invalidated again");
	ulp_check(ulp_register(u, next, ULP_ACCESS) == IB_WC_SUCCESS, test,
		  "registered again without new pages");
	ulp_check(ulp_writes(u, next, 3), test, "written again");
	ulp_check(ulp_access(u, IB_WR_RDMA_WRITE, key) == IB_WC_REM_ACCESS_ERR, test,
		  "the key before is refused");
	u->mr->rkey = next;
}

static void ulp_test_local_errors(struct ulp *u)
{
	static const char test[] = "local errors";
	u32 key = ulp_begin(u, test, ULP_ACCESS);

	ulp_check(ulp_register(u, ib_inc_rkey(key), ULP_ACCESS) == IB_WC_MW_BIND_ERR, test,
		  "a valid region is not registered");
	key = ulp_begin(u, test, ULP_ACCESS);
	ulp_check(ulp_invalidate(u, key ^ 1) == IB_WC_MW_BIND_ERR, test, "another key is not invalidated");
	key = ulp_begin(u, test, ULP_ACCESS);
	ulp_check(ulp_invalidate(u, u->pd->local_dma_lkey) == IB_WC_MW_BIND_ERR, test,
		  "all of the kernel's memory is not invalidated");
	key = ulp_begin(u, test, ULP_ACCESS);
	ulp_check(ulp_map(u, PAGE_SIZE / 2) == -EINVAL, test, "pages of another size are not mapped");
	ulp_check(ulp_writes(u, key, 4), test, "written");
}

static void ulp_test_by_peer(struct ulp *u)
{
	static const char test[] = "invalidation by the peer";
	u32 key = ulp_begin(u, test, ULP_ACCESS);
	struct ulp_wr w;

	ulp_check(!ulp_receive(u, &w), test, "a receive");
	ulp_check(ulp_send_invalidate(u, key) == IB_WC_SUCCESS, test, "sent");
	ulp_check(ulp_wait(&w) == IB_WC_SUCCESS && w.wc.wc_flags & IB_WC_WITH_INVALIDATE &&
		  w.wc.ex.invalidate_rkey == key, test, "the receive names the key");
	ulp_check(ulp_access(u, IB_WR_RDMA_WRITE, key) == IB_WC_REM_ACCESS_ERR, test,
		  "the key is refused");
}

/* What a peer may not invalidate ends both QPs. */
static void ulp_check_refused(struct ulp *u, u32 key, const char *what)
{
	struct ulp_wr w;

	ulp_check(!ulp_receive(u, &w), what, "a receive");
	ulp_check(ulp_send_invalidate(u, key) == IB_WC_REM_ACCESS_ERR, what, "refused");
	ulp_check(ulp_wait(&w) == IB_WC_WR_FLUSH_ERR, what, "the receive is flushed");
}

static void ulp_test_refused(struct ulp *u)
{
	u32 key = ulp_begin(u, "a region that peers may not access", IB_ACCESS_LOCAL_WRITE);

	ulp_check_refused(u, key, "a region that peers may not access");
	key = ulp_begin(u, "another key", ULP_ACCESS);
	ulp_check_refused(u, key ^ 1, "another key");
	ulp_begin(u, "all memory", ULP_ACCESS);
	ulp_check_refused(u, u->pd->local_dma_lkey, "all memory");
}

/* Requests that send nothing complete after those before them. */
static void ulp_test_order(struct ulp *u)
{
	static const char test[] = "order";
	u32 key = ulp_begin(u, test, ULP_ACCESS);
	struct ib_send_wr inv = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = key };
	struct ib_rdma_wr wr = { .wr.opcode = IB_WR_RDMA_WRITE };
	struct ulp_wr w[3];

	ulp_check(!ulp_send(u, 1, &wr.wr, &w[0]) && !ulp_send(u, 1, &inv, &w[1]) &&
		  !ulp_send(u, 1, &wr.wr, &w[2]), test, "posted");
	ulp_check(!ulp_wait(&w[2]) && !ulp_wait(&w[1]) && !ulp_wait(&w[0]), test, "complete");
	ulp_check(w[0].order < w[1].order && w[1].order < w[2].order, test, "kept");
	ulp_check(w[1].wc.opcode == IB_WC_LOCAL_INV, test, "the completion says what it was");
}

static void ulp_test_requests(struct ulp *u)
{
	static const char test[] = "requests";
	struct ib_sge sge[3] = { ulp_sge(u, 0, 8), ulp_sge(u, 0, 8), ulp_sge(u, 0, 8) };
	struct ib_atomic_wr add = {
		.wr = { .opcode = IB_WR_ATOMIC_FETCH_AND_ADD, .sg_list = sge, .num_sge = 1 },
		.compare_add = 5,
	};
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .sg_list = sge, .num_sge = 3 };
	struct ulp_wr w;
	u64 value = 37;

	add.rkey = ulp_begin(u, test, ULP_ACCESS);
	add.remote_addr = u->mr->iova;
	memcpy(u->page[1], &value, sizeof(value));
	ulp_check(!ulp_send(u, 0, &add.wr, &w) && ulp_wait(&w) == IB_WC_SUCCESS &&
		  *(u64 *)u->page[0] == 37 && *(u64 *)u->page[1] == 42, test, "fetch and add");
	ulp_check(ulp_send(u, 0, &wr, &w) == -EINVAL, test, "more elements than the QP has");
	wr.opcode = IB_WR_RDMA_READ_WITH_INV;
	ulp_check(ulp_send(u, 0, &wr, &w) == -EOPNOTSUPP, test, "READ with invalidate");
}

/* Nothing of a QP completes after ib_drain_qp(), and all before it has. */
static void ulp_test_drain(struct ulp *u)
{
	static const char test[] = "drain";
	struct ulp_wr w[2];

	ulp_check(!ulp_connect(u), test, "connected");
	ulp_check(!ulp_receive(u, &w[0]) && !ulp_receive(u, &w[1]), test, "receives");
	ib_drain_qp(u->qp[1]);
	ulp_check(completion_done(&w[0].done) && completion_done(&w[1].done) &&
		  w[1].wc.status == IB_WC_WR_FLUSH_ERR, test, "the receives are flushed");
	ib_drain_qp(u->qp[1]);
	ulp_check(true, test, "drained again");
}

static void ulp_test_memory(struct ulp *u)
{
	static const char test[] = "all memory for peers";
	struct ib_pd *pd = ib_alloc_pd(u->ib, IB_PD_UNSAFE_GLOBAL_RKEY);

	ulp_check(IS_ERR(pd), test, "refused");
	if (!IS_ERR(pd))
		ib_dealloc_pd(pd);
}

static void ulp_test(struct ulp *u)
{
	ulp_test_registration(u);
	ulp_test_local_errors(u);
	ulp_test_by_peer(u);
	ulp_test_refused(u);
	ulp_test_order(u);
	ulp_test_requests(u);
	ulp_test_drain(u);
	ulp_test_memory(u);
}

/* ---- the module -------------------------------------------------------------------- */

static void ulp_close(struct ulp *u)
{
	ulp_disconnect(u);
	if (!IS_ERR_OR_NULL(u->mr))
		ib_dereg_mr(u->mr);
	if (!IS_ERR_OR_NULL(u->cq))
		ib_free_cq(u->cq);
	if (!IS_ERR_OR_NULL(u->pd))
		ib_dealloc_pd(u->pd);
	free_page((unsigned long)u->page[0]);
	free_page((unsigned long)u->page[1]);
}

static int ulp_open(struct ulp *u)
{
	u->page[0] = (u8 *)get_zeroed_page(GFP_KERNEL);
	u->page[1] = (u8 *)get_zeroed_page(GFP_KERNEL);
	if (!u->page[0] || !u->page[1])
		return -ENOMEM;
	u->pd = ib_alloc_pd(u->ib, 0);
	if (IS_ERR(u->pd))
		return PTR_ERR(u->pd);
	u->cq = ib_alloc_cq(u->ib, NULL, 128, 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(u->cq))
		return PTR_ERR(u->cq);
	u->mr = ib_alloc_mr(u->pd, IB_MR_TYPE_MEM_REG, 2);
	return PTR_ERR_OR_ZERO(u->mr);
}

static int __init ulp_module_init(void)
{
	struct ulp u = { .ib = ib_device_get_by_name(device, RDMA_DRIVER_UNKNOWN) };
	int ret;

	if (!u.ib)
		return -ENODEV;
	ret = ulp_open(&u);
	if (!ret)
		ulp_test(&u);
	ulp_close(&u);
	ib_device_put(u.ib);
	pr_info("1..%d\n", ulp_tests);
	return ret ?: ulp_failed ? -EIO : 0;
}

static void __exit ulp_module_exit(void)
{
}

module_init(ulp_module_init);
module_exit(ulp_module_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tests of an mrc device for users in the kernel");
