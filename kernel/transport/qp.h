/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs at work. The verbs layer owns rings, completion queues and protection
 * domains; this layer owns windows, timers and packets. Between them stand
 * struct mrc_wqe, a request copied once out of the program's ring, and struct
 * mrc_qp_ops, the calls upwards.
 *
 * Lifetime: a QP is reference counted (table look-ups, timers and the verbs object
 * hold references). After mrc_qp_destroy() returns no call upwards is made any more.
 */
#ifndef _MRC_TRANSPORT_QP_H
#define _MRC_TRANSPORT_QP_H

#include <linux/hrtimer.h>
#include <linux/pid.h>
#include <rdma/ib_verbs.h>

#include "../core/psn.h"
#include "../core/requester.h"
#include "../core/responder.h"
#include "device.h"
#include "mr.h"
#include "peer.h"

/* Requests of one QP in the kernel at a time; the rest waits in the program's ring. */
#define MRC_SENDQ_MAX	128u

/* For programs that name no timeout or retry count: 1.024 us * 2^14 is 16.8 ms. */
#define MRC_TIMEOUT_DEFAULT	14
#define MRC_EXP_DEFAULT		3

#define MRC_WQE_SIGNALED	0x01
#define MRC_WQE_INLINE		0x02

/**
 * struct mrc_seg - one gather element of a request
 * @mr: region; the request holds a reference
 * @addr: first byte
 * @len: bytes
 */
struct mrc_seg {
	struct mrc_mr *mr;
	u64 addr;
	u32 len;
};

/**
 * struct mrc_wqe - a write request inside the kernel
 * @msg: what of it goes over the wire; first, for it is what the queue knows of
 * @wr_id: the program's
 * @flags: MRC_WQE_*
 * @num_sge: elements of @sge; 0 with MRC_WQE_INLINE
 *
 * Filled by verbs. Then either the gather list or the inline bytes.
 */
struct mrc_wqe {
	struct mrc_msg msg;
	u64 wr_id;
	u8 flags;
	u8 num_sge;
	union {
		DECLARE_FLEX_ARRAY(struct mrc_seg, sge);
		DECLARE_FLEX_ARRAY(u8, inline_data);
	};
};

static_assert(!offsetof(struct mrc_wqe, msg));

struct mrc_qp;

/**
 * struct mrc_qp_ops - calls from a QP up to its verbs object
 * @refill: fill free request slots from the program's ring: call mrc_qp_slot() and
 *          mrc_qp_queue() until one of both has no more. Returns -ECANCELED when the oldest
 *          request failed locally and its CQE is written (called again after each completion,
 *          so that it waits for those before it), another negative error when the ring holds
 *          nonsense (counted by verbs already): the QP goes to error, with IB_EVENT_QP_FATAL in
 *          the second case only. tx_lock held, BH off.
 * @send_done: a request ended; verbs writes a CQE if it was signalled or failed. In posting
 *             order, tx_lock held. The request's MR references are dropped by transport
 *             afterwards.
 * @recv_imm: a WriteImm is complete in order: consume a receive and write its CQE. Return 0, or
 *            -ENOENT when no receive is posted, or a negative error when the ring holds
 *            nonsense. rx_lock held.
 * @flush_send: the QP is in error and the kernel holds no request any more: flush the rest of
 *              the ring. tx_lock held.
 * @flush_recv: flush all posted receives. rx_lock held.
 * @event: asynchronous event (IB_EVENT_QP_FATAL, IB_EVENT_QP_ACCESS_ERR, IB_EVENT_QP_REQ_ERR,
 *         ...). Locks held, BH off.
 */
struct mrc_qp_ops {
	int (*refill)(void *priv);
	void (*send_done)(void *priv, const struct mrc_wqe *wqe,
			  enum ib_wc_status status);
	int (*recv_imm)(void *priv, const struct mrc_rx_done *done);
	void (*flush_send)(void *priv);
	void (*flush_recv)(void *priv);
	void (*event)(void *priv, enum ib_event_type event);
};

/**
 * struct mrc_qp_init - what a QP is created with
 * @ops: calls up
 * @priv: their argument
 * @pd: identity of the protection domain
 * @max_sge: gather elements per request
 * @max_inline: inline bytes per request
 * @sq_depth: requests the program may have outstanding
 */
struct mrc_qp_init {
	const struct mrc_qp_ops *ops;
	void *priv;
	const void *pd;
	u32 max_sge;
	u32 max_inline;
	u32 sq_depth;
};

/**
 * struct mrc_qp_params - MRC's own attributes; settable until the state named
 * @ev_profile: EV profile id (RTR); MRC_EV_PROFILE_AUTO: what the route says
 * @cc_profile: CC profile id (RTR); 0: what the route says
 * @mpr_rx: our receive window, units of 128 PSNs (RTR)
 * @mpr_tx: the peer's receive window (RTS)
 * @wimm_rx: WriteImm in flight that we accept (RTR)
 * @wimm_tx: WriteImm in flight that we send at most (RTS)
 * @timeout: 1.024 us * 2^timeout, 0..MRC_TIMEOUT_MAX (RTS)
 * @linear: retries at that interval, 0..MRC_LINEAR_MAX (RTS)
 * @exp: retries with doubling afterwards, MRC_EXP_MAX: for ever (RTS)
 */
struct mrc_qp_params {
	u64 ev_profile;
	u64 cc_profile;
	u8 mpr_rx;
	u8 mpr_tx;
	u16 wimm_rx;
	u16 wimm_tx;
	u8 timeout;
	u8 linear;
	u8 exp;
};

/**
 * struct mrc_qp_conn - connection data for RTR
 * @local: our GID
 * @remote: the peer's GID
 * @dest_qpn: the peer's QP
 * @rq_psn: first PSN expected
 * @mtu: path MTU: payload bytes per packet, 256..4096
 * @pkey: partition key
 * @access: IB_ACCESS_REMOTE_WRITE must be set for the peer to write
 */
struct mrc_qp_conn {
	struct in6_addr local;
	struct in6_addr remote;
	u32 dest_qpn;
	u32 rq_psn;
	u32 mtu;
	u16 pkey;
	int access;
};

/**
 * struct mrc_qp - a queue pair
 *
 * @tx_lock guards req and everything of the requester; @rx_lock guards resp and everything
 * of the responder; @state changes under both and may be read with READ_ONCE.
 */
struct mrc_qp {
	struct mrc_dev *dev;
	u32 qpn;
	refcount_t ref;
	struct rcu_head rcu;
	struct mutex state_lock;	/* modify, destroy, query */
	enum ib_qp_state state;
	bool dead;	/* no calls up; both locks */
	const struct mrc_qp_ops *ops;
	void *priv;
	const void *pd;
	struct mrc_qp_params params;	/* in effect */
	struct mrc_qp_params asked;	/* what the program set, else defaults; state_lock */
	struct mrc_qp_conn conn;
	struct mrc_peer *peer;
	struct pid *creator;	/* for dumps */

	spinlock_t tx_lock ____cacheline_aligned_in_smp;
	struct mrc_req req;
	struct mrc_tx_rec *tx_ring;
	u32 sq_psn;
	unsigned long run;	/* MRC_RUN_* */
	struct hrtimer timer;
	u64 timer_at;	/* 0: not armed */
	bool yielded;	/* it was started to go on with sending */
	u64 rtx_packets;
	u64 tx_packets;

	spinlock_t rx_lock ____cacheline_aligned_in_smp;
	struct mrc_resp resp;
	void *rx_mem;
	u64 rx_packets;
	struct hrtimer sack_timer;	/* for SACKs that no packet makes due */
	u64 sack_timer_at;	/* 0: not armed */
};

/**
 * mrc_qp_create() - a QP in RESET with an unpredictable number
 *
 * Process context. Return: a reference or ERR_PTR (-ENOMEM, -ENOSPC, -ENODEV).
 */
struct mrc_qp *mrc_qp_create(struct mrc_dev *dev,
			     const struct mrc_qp_init *init);

/**
 * mrc_qp_destroy() - stop it and drop the creator's reference
 *
 * Requests still in the kernel are dropped without completions. Process context, sleeps.
 */
void mrc_qp_destroy(struct mrc_qp *qp);
void mrc_qp_hold(struct mrc_qp *qp);
/** mrc_qp_tryhold() - a reference, unless the last one is gone. Under RCU. */
bool mrc_qp_tryhold(struct mrc_qp *qp);
void mrc_qp_put(struct mrc_qp *qp);

/** mrc_qp_find() - QP of a number in any namespace, or NULL. Under RCU, no reference. */
struct mrc_qp *mrc_qp_find(u32 qpn);

/*
 * State changes; the caller has checked the transition against the verbs table. Process
 * context, qp->state_lock held.
 */
/** mrc_qp_to_reset() - back to the parameters that were asked for, too. Return: 0 */
int mrc_qp_to_reset(struct mrc_qp *qp);
/** mrc_qp_to_init() - Return: 0, or -EINVAL: not in RESET any more */
int mrc_qp_to_init(struct mrc_qp *qp);
/** mrc_qp_to_rtr() - Return: 0, -EINVAL (IPv4 GID, MTU, state), -ENOENT (profile), -ENOMEM */
int mrc_qp_to_rtr(struct mrc_qp *qp, const struct mrc_qp_conn *conn);
/** mrc_qp_to_rts() - Return: 0, -EINVAL (not in RTR any more), -ENOMEM */
int mrc_qp_to_rts(struct mrc_qp *qp, u32 sq_psn);

#define MRC_QP_ANY_STATE	(~0ul)

/**
 * mrc_qp_to_err() - to error, and flush everything with IB_WC_WR_FLUSH_ERR
 * @qp: the QP
 * @from: BIT(IB_QPS_*) of the states in which the caller's reason still holds; in
 *        others nothing happens. In error already: flush once more.
 * @reason: static text for those who watch
 *
 * Any context; takes both locks. Return: whether this call moved it.
 */
bool mrc_qp_to_err(struct mrc_qp *qp, unsigned long from, const char *reason);

/**
 * mrc_qp_fail() - a live QP goes to error by itself
 * @qp: the QP
 * @first: status of the oldest request; all others are flushed
 * @event: asynchronous event for the program
 * @reason: static text for those who watch
 *
 * Any context, no lock of the QP held.
 */
void mrc_qp_fail(struct mrc_qp *qp, enum ib_wc_status first,
		 enum ib_event_type event, const char *reason);

/**
 * mrc_qp_set_params() - MRC attributes; -EINVAL out of range, -EBUSY too late for the state.
 * state_lock held.
 */
int mrc_qp_set_params(struct mrc_qp *qp, const struct mrc_qp_params *params);

/**
 * mrc_qp_kick() - doorbell: take requests from the ring and send. Process context or softirq.
 */
void mrc_qp_kick(struct mrc_qp *qp);

/**
 * mrc_qp_nudge() - as mrc_qp_kick(), but in steps: one batch now, and the next by the timer, after
 * other QPs had their turn
 */
void mrc_qp_nudge(struct mrc_qp *qp);

/** mrc_qp_slot() - the free slot for the next request, or NULL. From ops->refill. */
struct mrc_wqe *mrc_qp_slot(struct mrc_qp *qp);
/** mrc_qp_queue() - the slot of mrc_qp_slot() is filled. From ops->refill. */
void mrc_qp_queue(struct mrc_qp *qp);

/**
 * mrc_qps_heed_ports() - ports have changed, here or at a peer: what is in flight on those that are
 * down goes out again elsewhere, and what waited for one by those that are up. Process context,
 * sleeps.
 */
void mrc_qps_heed_ports(struct mrc_dev *dev);
/** mrc_qps_kick() - let all QPs of a device send what they can. Process context, sleeps. */
void mrc_qps_kick(struct mrc_dev *dev);

/** mrc_qp_memory() - bytes of kernel memory held for this QP by this layer */
size_t mrc_qp_memory(const struct mrc_qp *qp);

/**
 * mrc_qp_next() - reference to the QP of a device with the lowest number >= @qpn, or NULL.
 * Process context.
 */
struct mrc_qp *mrc_qp_next(struct mrc_dev *dev, u32 qpn);

#endif /* _MRC_TRANSPORT_QP_H */
