/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file
 * The libibverbs provider for mrc devices: its objects, and the functions that its files share.
 *
 * Work requests and completions pass through rings in memory shared with the kernel. A list of
 * sends takes one system call (the doorbell), polling takes none.
 */
#ifndef MRC_PROVIDER_H
#define MRC_PROVIDER_H

#include <pthread.h>
#include <rdma/mrc-abi.h>

#include "verbs_private.h"

#define MRC_CONTAINER(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

/**
 * @brief The program's side of a ring.
 *
 * The lock guards index, which is the producer index of an SQ or RQ and the consumer index of a CQ.
 * The lock of the CQ where the entries complete guards writes to freed; in an SRQ, the ring's own.
 */
struct mrc_uring {
	struct mrc_ring *mem;	/**< shared memory */
	size_t bytes;		/**< mapped bytes */
	uint32_t entry_size;	/**< bytes per entry */
	uint32_t size;		/**< entries, a power of two */
	uint32_t index;		/**< our own index, runs freely */
	uint32_t freed;		/**< entries before it are free; means nothing in a CQ */
	pthread_spinlock_t lock;
};

/** @brief A device. The spare bytes are not used: a newer libibverbs may have a larger base. */
struct mrc_udevice {
	struct verbs_device base;
	char spare[256];
};

/** @brief An opened device. The spare bytes protect features from a larger base, as above. */
struct mrc_ucontext {
	struct verbs_context base;
	char spare[256];
	uint32_t features;	/**< MRC_FEATURE_* of the module */
};

/** @brief An address handle. */
struct mrc_uah {
	struct ibv_ah base;
	uint32_t number;	/**< its number in send rings */
};

struct mrc_uqp;

/**
 * @brief A completion queue.
 *
 * The ring's lock guards qps and newest, too.
 */
struct mrc_ucq {
	struct verbs_cq base;
	struct mrc_uring ring;
	void *qps;		/**< QPs that complete here, a tsearch() tree by number */
	struct mrc_uqp *newest;	/**< the QP of the last completion that was polled, or NULL */
	const struct mrc_cqe *current; /**< the completion of ibv_start_poll(), or NULL */
};

/** @brief A shared receive queue. */
struct mrc_usrq {
	struct ibv_srq base;
	struct mrc_uring ring;
	uint32_t max_sge;
};

/** @brief A QP, and the request that ibv_wr_* calls are building. */
struct mrc_uqp {
	struct verbs_qp base;
	struct mrc_uring sq;
	struct mrc_uring rq;	/**< zeroed if the QP has an SRQ */
	uint32_t max_sge;	/**< of a send request */
	uint32_t max_recv_sge;
	uint32_t max_inline;
	uint32_t wr_start;	/**< index before ibv_wr_start() */
	int wr_error;		/**< first error since ibv_wr_start() */
	struct mrc_send_wr *wr; /**< the request being built, or NULL */
};

static inline struct mrc_ucontext *to_mrc_ucontext(struct ibv_context *context)
{
	return MRC_CONTAINER(context, struct mrc_ucontext, base.context);
}

static inline struct mrc_ucq *to_mrc_ucq(struct ibv_cq *cq)
{
	return MRC_CONTAINER(cq, struct mrc_ucq, base.cq);
}

static inline struct mrc_usrq *to_mrc_usrq(struct ibv_srq *srq)
{
	return MRC_CONTAINER(srq, struct mrc_usrq, base);
}

static inline struct mrc_uah *to_mrc_uah(struct ibv_ah *ah)
{
	return MRC_CONTAINER(ah, struct mrc_uah, base);
}

static inline struct mrc_uqp *to_mrc_uqp(struct ibv_qp *qp)
{
	return MRC_CONTAINER(qp, struct mrc_uqp, base.qp);
}

/* ring.c */

/**
 * @brief Map a ring.
 * @return 0 or an errno value.
 */
int mrc_uring_map(struct mrc_uring *ring, int cmd_fd, const struct mrc_ring_info *info);

/** @brief Undo mrc_uring_map(); does nothing to a zeroed ring. */
void mrc_uring_unmap(struct mrc_uring *ring);

/**
 * @brief Reset our indices after the kernel emptied the ring; does nothing to a zeroed one. The lock
 * of its CQ is held.
 */
void mrc_uring_reset(struct mrc_uring *ring);

/** @brief The entry at an index. */
static inline void *mrc_uring_at(const struct mrc_uring *ring, uint32_t index)
{
	return ring->mem->entries + (size_t)(index & (ring->size - 1)) * ring->entry_size;
}

/** @brief The entry at our index. */
static inline void *mrc_uring_entry(const struct mrc_uring *ring)
{
	return mrc_uring_at(ring, ring->index);
}

/** @brief Return whether one more entry may be produced. */
static inline bool mrc_uring_has_room(const struct mrc_uring *ring)
{
	return ring->index - __atomic_load_n(&ring->freed, __ATOMIC_ACQUIRE) < ring->size;
}

/** @brief Free the entries before an index, which completed. The lock of the CQ is held. */
static inline void mrc_uring_free(struct mrc_uring *ring, uint32_t index)
{
	__atomic_store_n(&ring->freed, index, __ATOMIC_RELEASE);
}

/** @brief Free the entries of an SRQ that the kernel has read. The lock of the ring is held. */
static inline void mrc_uring_free_read(struct mrc_uring *ring)
{
	ring->freed = __atomic_load_n(&ring->mem->consumer, __ATOMIC_ACQUIRE);
}

/** @brief Show the kernel all entries before our index. */
static inline void mrc_uring_publish(struct mrc_uring *ring)
{
	__atomic_store_n(&ring->mem->producer, ring->index, __ATOMIC_RELEASE);
}

/** @brief Return whether there is an entry to consume. */
static inline bool mrc_uring_has_entry(const struct mrc_uring *ring)
{
	return __atomic_load_n(&ring->mem->producer, __ATOMIC_ACQUIRE) != ring->index;
}

/** @brief Give the entries before our index back to the kernel. */
static inline void mrc_uring_release(struct mrc_uring *ring)
{
	__atomic_store_n(&ring->mem->consumer, ring->index, __ATOMIC_RELEASE);
}

/* cq.c */
struct ibv_cq *mrc_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector);
int mrc_destroy_cq(struct ibv_cq *cq);
int mrc_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);

/**
 * @brief The next completion; the entries of its request, and of those before it, are free.
 *
 * The lock of the ring is held. Our index stays: the completion is ours until it moves on.
 *
 * @return NULL if there is none
 */
const struct mrc_cqe *mrc_cq_next(struct mrc_ucq *cq);

/** @brief Let a QP complete in a CQ; calling it twice is harmless. @return 0 or ENOMEM. */
int mrc_cq_add_qp(struct mrc_ucq *cq, struct mrc_uqp *qp);

/** @brief Undo mrc_cq_add_qp(), if it was called, and drop the QP's completions in the CQ. */
void mrc_cq_del_qp(struct mrc_ucq *cq, struct mrc_uqp *qp);

/** @brief Drop the completions of a QP that was reset, and the entries of one of its rings. */
void mrc_cq_reset_qp(struct mrc_ucq *cq, struct mrc_uqp *qp, struct mrc_uring *ring);

/* cq_ex.c */
struct ibv_cq_ex *mrc_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);

/** @brief IBV_WC_* bits of a completion. */
unsigned int mrc_cqe_wc_flags(const struct mrc_cqe *cqe);

/* ah.c */
struct ibv_ah *mrc_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int mrc_destroy_ah(struct ibv_ah *ah);

/* qp.c */
struct ibv_qp *mrc_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *mrc_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
int mrc_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
int mrc_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init);
int mrc_destroy_qp(struct ibv_qp *qp);

/* srq.c */
struct ibv_srq *mrc_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
int mrc_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int mrc_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int mrc_destroy_srq(struct ibv_srq *srq);

/* post.c */
int mrc_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int mrc_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int mrc_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

/** @brief Return whether sends may be posted in the QP's state. In error they are flushed. */
bool mrc_may_send(const struct ibv_qp *qp);

/**
 * @brief Begin a request in the send ring. The lock of the ring is held.
 * @return 0 and the entry, or an errno value.
 */
int mrc_send_begin(struct mrc_uqp *qp, uint64_t wr_id, enum ibv_wr_opcode opcode, unsigned int flags,
		   struct mrc_send_wr **entry);

/** @brief Set the gather list of a request. @return 0 or EINVAL. */
int mrc_send_set_sges(struct mrc_uqp *qp, struct mrc_send_wr *wr, const struct ibv_sge *sge,
		      size_t n);

/** @brief Say where the datagram of a request of a UD QP goes. */
void mrc_send_set_address(struct mrc_send_wr *wr, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey);

/** @brief Whether a request is an atomic. */
static inline bool mrc_is_atomic(const struct mrc_send_wr *wr)
{
	return wr->opcode == MRC_WR_CMP_SWAP || wr->opcode == MRC_WR_FETCH_ADD;
}

/** @brief Set the only element of an atomic. @return 0 or EINVAL. */
int mrc_send_set_element(struct mrc_send_wr *wr, const struct ibv_sge *sge, size_t n);

/** @brief Add inline bytes to a request. @return 0 or EINVAL: too many, or a READ or atomic. */
int mrc_send_add_inline(struct mrc_uqp *qp, struct mrc_send_wr *wr, const void *data,
			size_t length);

/* doorbell.c */

/**
 * @brief Tell the kernel that the send ring has entries.
 *
 * A failure is not reported: the entries in the ring cannot be taken back, and the kernel may have
 * taken them by itself already. The doorbell fails only if the device has gone, and an event
 * reports that.
 */
void mrc_send_doorbell(struct mrc_uqp *qp);

/** @brief Tell the kernel that the receive ring has entries, if the kernel has asked for it. */
void mrc_recv_doorbell(struct mrc_uqp *qp);

/** @brief The same for the ring of an SRQ. */
void mrc_srq_doorbell(struct mrc_usrq *srq);

/* wr.c */

/** The ibv_wr_* requests that each device supports. */
#define MRC_WRITE_OPS (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
/** Those that it supports with MRC_FEATURE_SENDS. */
#define MRC_SEND_OPS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
/** Those that it supports with MRC_FEATURE_READS. */
#define MRC_READ_OPS                                                      \
	(IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |   \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

/** @brief Offer the ibv_wr_* calls on a QP. @param ops IBV_QP_EX_WITH_* bits. */
void mrc_wr_init(struct mrc_uqp *qp, uint64_t ops);

#endif /* MRC_PROVIDER_H */
