/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs: their struct, look-up and references. Creation, changes of state and destruction are in
 * qp/life.h, errors in qp/error.h.
 *
 * The verbs layer owns rings, completion queues and protection domains; this layer owns windows,
 * timers and packets. The two meet in struct mrc_wqe (wqe.h), a request that was copied once out of
 * the program's ring, and in struct mrc_qp_ops, the calls upwards.
 *
 * A QP is reference counted: table look-ups, timers and the verbs object hold references. After
 * mrc_qp_destroy() returns no call upwards is made any more.
 */
#ifndef _MRC_TRANSPORT_QP_H
#define _MRC_TRANSPORT_QP_H

#include <linux/hrtimer.h>
#include <linux/pid.h>
#include <rdma/ib_verbs.h>

#include "../../core/base/psn.h"
#include "../../core/requester/requester.h"
#include "../../core/receive/responder.h"
#include "../../core/cc/shared.h"
#include "../device/device.h"
#include "../device/place.h"
#include "peer.h"

/* For programs that name no timeout or retry count: 1.024 us * 2^14 is 16.8 ms. */
#define MRC_TIMEOUT_DEFAULT	14
#define MRC_EXP_DEFAULT		3

struct mrc_wqe;

/**
 * struct mrc_qp_ops - calls from a QP up to its verbs object
 * @refill: fill free request slots from the program's ring: call mrc_wqe_slot() and
 *          mrc_wqe_queue() until slots or requests run out. tx_lock held, BH off. Both kinds of
 *          error move the QP to error:
 *          -ECANCELED: the oldest request failed on this host, and its CQE is written. (A request
 *          must wait for those before it; @refill is called again after each completion.)
 *          Another negative error: the ring is corrupt, which verbs has counted already; only
 *          this also raises IB_EVENT_QP_FATAL.
 * @send_done: a request ended; verbs writes a CQE if the request was signalled or failed. In
 *             posting order, tx_lock held. The transport drops the request's MR references
 *             afterwards.
 * @recv_done: a WriteImm or SEND is complete in order: consume a receive and write its CQE. Return
 *             0, or -ENOENT when no receive is posted: verbs will call mrc_responder_received()
 *             when one is; -EACCES when it invalidates a region that it may not; or another
 *             negative error when the ring is corrupt. rx_lock held.
 * @recv_place: where a stretch of a SEND goes: into the receive behind @skip others. Return:
 *              elements of @to, up to MRC_PLACES_MAX; -ENOENT when the receive is not posted: as
 *              for @recv_done; -EMSGSIZE when it is too small for the message; -EBADMSG when the
 *              ring is corrupt. rx_lock held.
 * @recv_posted: how many receives are posted; if none is, mrc_responder_received() will be called
 *               when one is. rx_lock held.
 * @flush_send: the QP is in error, and the kernel holds no request any more: flush the rest of
 *              the ring. tx_lock held.
 * @flush_recv: flush all posted receives, or those taken from an SRQ, the first one with status
 *              @first. Return: there was one. rx_lock held.
 * @event: asynchronous event (IB_EVENT_QP_FATAL, IB_EVENT_QP_ACCESS_ERR, IB_EVENT_QP_REQ_ERR,
 *         ...). Locks held, BH off.
 */
struct mrc_qp_ops {
	int (*refill)(void *priv);
	void (*send_done)(void *priv, const struct mrc_wqe *wqe,
			  enum ib_wc_status status);
	int (*recv_done)(void *priv, const struct mrc_rx_done *done);
	int (*recv_place)(void *priv, u32 skip, const struct mrc_stretch *s, struct mrc_place *to);
	u32 (*recv_posted)(void *priv);
	void (*flush_send)(void *priv);
	bool (*flush_recv)(void *priv, enum ib_wc_status first);
	void (*event)(void *priv, enum ib_event_type event);
};

/**
 * struct mrc_qp_init - arguments of the creation of a QP
 * @ops: calls upwards
 * @priv: their argument
 * @pd: identity of the protection domain
 * @recv_pd: that of its receives, which may be an SRQ's
 * @user: its user, who stays until the QP is destroyed
 * @max_sge: gather elements per request
 * @max_inline: inline bytes per request
 * @sq_depth: requests the program may have outstanding
 */
struct mrc_qp_init {
	const struct mrc_qp_ops *ops;
	void *priv;
	const void *pd;
	const void *recv_pd;
	struct mrc_user *user;
	u32 max_sge;
	u32 max_inline;
	u32 sq_depth;
};

/**
 * struct mrc_qp_params - MRC's own attributes; each can be set until the state in brackets
 * @ev_profile: EV profile id (RTR); MRC_EV_PROFILE_AUTO: that of the route, if there is one
 * @cc_profile: CC profile id (RTR); 0: that of the route, if there is one
 * @mpr_rx: our receive window, units of 128 PSNs (RTR)
 * @mpr_tx: the peer's receive window (RTS)
 * @wimm_rx: we accept at most so many WriteImm and SEND in flight (RTR)
 * @wimm_tx: we have at most so many WriteImm and SEND in flight (RTS)
 * @timeout: 1.024 us * 2^timeout, 0..MRC_TIMEOUT_MAX (RTS)
 * @linear: retries at the interval @timeout, 0..MRC_LINEAR_MAX (RTS)
 * @exp: further retries, at intervals that double; MRC_EXP_MAX: for ever (RTS)
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
 * @access: what the peer may do: IB_ACCESS_REMOTE_WRITE, _READ, _ATOMIC
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
 * struct mrc_qp_send - how a QP sends, for RTS
 * @sq_psn: first PSN to send
 * @reads_max: READs and atomics that may be under way, at most MRC_READS_MAX
 * @receive_ns: how long the peer may lack a receive; U64_MAX: for ever
 */
struct mrc_qp_send {
	u32 sq_psn;
	u16 reads_max;
	u64 receive_ns;
};

/**
 * struct mrc_qp - a queue pair
 *
 * @tx_lock protects req and everything of the requester; @rx_lock protects resp and everything of
 * the responder; @state changes under both, and may be read with READ_ONCE.
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
	const void *recv_pd;	/* of receives */
	struct mrc_user *user;	/* as in struct mrc_qp_init */
	struct mrc_qp_params params;	/* in effect */
	struct mrc_qp_params asked;	/* what the program set, else defaults; state_lock */
	struct mrc_qp_conn conn;
	struct mrc_peer *peer;
	struct list_head of_peer;	/* in peer->qps */
	struct pid *creator;	/* for dumps */

	spinlock_t tx_lock ____cacheline_aligned_in_smp;
	struct mrc_req req;
	void *tx_mem;
	struct mrc_congestion __rcu *congestion;	/* from RTS on */
	struct mrc_shared_place place;	/* in the queue of congestion */
	bool joined;	/* the QP is a user of congestion: in RTS, in RTR if the peer may READ */
	bool sends;	/* the requester has begun: in RTS, in RTR with the first READ of the peer */
	u32 tx_size;	/* PSNs that tx_mem is for */
	struct list_head waits;	/* in dev->waiting */
	u64 waits_since;	/* ns, since when no room was found on this host; 0: not waiting */
	u32 sq_psn;
	unsigned long run;	/* MRC_RUN_* */
	struct hrtimer timer;
	u64 timer_at;	/* 0: not armed */
	bool yielded;	/* the timer was armed to go on with sending */
	bool flush_waits;	/* requests are flushed when no payload is being copied ... */
	enum ib_wc_status flush_first;	/* ... any more, the oldest one with this status */
	u64 rtx_packets;
	u64 tx_packets;

	spinlock_t rx_lock ____cacheline_aligned_in_smp;
	struct mrc_resp resp;
	void *rx_mem;
	u32 placing;		/* packets that are being copied where receives or READs say */
	u32 bad_receive_psn;	/* oldest packet whose receive is at fault, valid with ... */
	enum ib_wc_status bad_receive;	/* ... this status of that receive, if it is an error */
	u64 rx_packets;
	struct hrtimer sack_timer;	/* for SACKs that no packet makes due */
	u64 sack_timer_at;	/* 0: not armed */
};

/** mrc_qp_defaults() - attributes of a new QP; @p: result. Any context. */
void mrc_qp_defaults(const struct mrc_dev *dev, struct mrc_qp_params *p);

/**
 * mrc_qp_alloc() - make a QP in RESET, without a number
 *
 * Process context. Return: a reference or NULL.
 */
struct mrc_qp *mrc_qp_alloc(struct mrc_dev *dev, const struct mrc_qp_init *init);
/**
 * mrc_qp_publish() - give a QP an unpredictable number; from now on it can be found by it
 *
 * Process context. Return: 0, -ENOMEM, -ENOSPC.
 */
int mrc_qp_publish(struct mrc_qp *qp);
/**
 * mrc_qpn_reserve() - take an unpredictable number that no QP has, for a QP that is not of this kind
 *
 * Process context. Return: 0, -ENOMEM, -ENOSPC.
 */
int mrc_qpn_reserve(u32 *qpn);
/** mrc_qpn_release() - give it back. Process context. */
void mrc_qpn_release(u32 qpn);
/** mrc_qp_unlist() - a QP cannot be found any more; its number is free. Process context. */
void mrc_qp_unlist(struct mrc_qp *qp);

void mrc_qp_hold(struct mrc_qp *qp);
/** mrc_qp_tryhold() - take a reference, unless the last one is gone. Under RCU. */
bool mrc_qp_tryhold(struct mrc_qp *qp);
void mrc_qp_put(struct mrc_qp *qp);

/** mrc_qp_find() - find the QP of a number in any namespace, or NULL. Under RCU, no reference. */
struct mrc_qp *mrc_qp_find(u32 qpn);

/**
 * mrc_qp_next() - get a reference to the QP of a device with the lowest number >= @qpn, or NULL.
 * Process context.
 */
struct mrc_qp *mrc_qp_next(struct mrc_dev *dev, u32 qpn);

/** mrc_qp_join_peer() - put a QP into the list of its peer. Process context; takes peer->lock. */
void mrc_qp_join_peer(struct mrc_qp *qp, struct mrc_peer *peer);
/** mrc_qp_leave_peer() - undo mrc_qp_join_peer(). Process context; takes peer->lock. */
void mrc_qp_leave_peer(struct mrc_qp *qp, struct mrc_peer *peer);

/**
 * mrc_qp_next_of() - get a reference to a QP of a peer, or NULL: the peer has none
 *
 * The QP is moved to the end of the peer's list. So a caller that calls this as often as the peer
 * has QPs gets each QP that stays in the list. Process context; takes peer->lock.
 */
struct mrc_qp *mrc_qp_next_of(struct mrc_peer *peer);

/* Take both locks, so that requester and responder see a change of state at once. */
void mrc_qp_lock(struct mrc_qp *qp) __acquires(&qp->tx_lock) __acquires(&qp->rx_lock);
void mrc_qp_unlock(struct mrc_qp *qp) __releases(&qp->rx_lock) __releases(&qp->tx_lock);

/** mrc_qp_cwnd() - congestion window of a QP in bytes; 0: it does not send. Under RCU. */
u32 mrc_qp_cwnd(const struct mrc_qp *qp);

/**
 * mrc_qp_flush_receives() - end all receives of a QP that is in error
 *
 * Does nothing while payload is being copied to them: whoever copies calls this afterwards. If a
 * NAK was sent because the oldest one was at fault, that ends with its own error. rx_lock held.
 */
void mrc_qp_flush_receives(struct mrc_qp *qp);

/** mrc_qp_free_tx() - free send window and request slots, which must not be in use any more */
void mrc_qp_free_tx(struct mrc_qp *qp);
/** mrc_qp_free_rx() - free the receive window, which must not be in use any more */
void mrc_qp_free_rx(struct mrc_qp *qp);

/** mrc_qp_memory() - bytes of kernel memory that this layer holds for a QP */
size_t mrc_qp_memory(const struct mrc_qp *qp);

#endif /* _MRC_TRANSPORT_QP_H */
