/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UD QPs: datagrams to any host, each by one path; none is repeated. MRC has none, so they are those
 * of RoCE v2. Programs use them to find each other, and so does the kernel's connection manager: a
 * device's QP 1, the GSI, is of this kind.
 *
 * A datagram takes a path as an answer would (core/paths/reverse.h): the planes take turns, and those
 * that are known to be dead are left out. So what is repeated takes another plane. The GSI sends each
 * datagram twice, by two planes: the connection manager repeats what was lost only after seconds, and
 * it has to bear duplicates anyway.
 *
 * The verbs layer owns the rings, and copies payload out of the program's memory. It may send only
 * in process context, because a peer may have to be made.
 */
#ifndef _MRC_TRANSPORT_UD_H
#define _MRC_TRANSPORT_UD_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../../core/base/gate.h"
#include "../device/device.h"
#include "../device/place.h"

struct mrc_peer;

/*
 * A receive gets this many bytes before the payload: the IPv6 header, where verbs has a GRH. Of a
 * datagram between IPv4 GIDs, the second half is an IPv4 header.
 */
#define MRC_UD_GRH		40u
/*
 * Hosts that no QP here is connected to are strangers. The connection manager answers most of what
 * strangers send to a device's GSI, and a peer is made for each answer. So strangers are dealt out to
 * so many gates, and so many datagrams per second pass each. A host that floods the GSI stops only
 * those that share its gate.
 */
#define MRC_UD_GATES		64u
#define MRC_UD_STRANGER_RATE	250u

/**
 * struct mrc_ud_done - a datagram that a receive has taken
 * @status: IB_WC_SUCCESS, or how the receive failed: then the QP is in error
 * @len: bytes, MRC_UD_GRH included
 * @src_qpn: the QP that sent it
 * @ip4: it is between IPv4 GIDs
 * @imm: immediate in network byte order, valid with @has_imm
 * @has_imm: it has one
 * @solicited: it asks for an event
 */
struct mrc_ud_done {
	enum ib_wc_status status;
	u32 len;
	u32 src_qpn;
	bool ip4;
	__be32 imm;
	bool has_imm;
	bool solicited;
};

/**
 * struct mrc_ud_ops - calls up to the verbs object; softirq, under @lock of struct mrc_ud
 * @recv_place: where a datagram goes: into the oldest receive. Return: elements of @to; -ENOENT: no
 *              receive is posted; -EMSGSIZE: it is too small; -EBADMSG: the ring is corrupt
 * @recv_done: the oldest receive is complete
 * @failed: the QP is in error
 */
struct mrc_ud_ops {
	int (*recv_place)(void *priv, const struct mrc_stretch *s, struct mrc_place *to);
	void (*recv_done)(void *priv, const struct mrc_ud_done *done);
	void (*failed)(void *priv);
};

/**
 * struct mrc_ud - a UD QP
 * @dev: device; the verbs object keeps it
 * @qpn: its number
 * @ops: calls upwards
 * @priv: their argument
 * @pd: identity of its protection domain
 * @lock: @state changes under it, and receives are taken; BH off
 * @state: it receives from RTR on; in SQE, too
 * @qkey: Q_Key of what it receives
 * @psn: of the next datagram; the caller of mrc_ud_send() serialises
 * @seed: of the hash by which strangers find their gate
 * @strangers: of a GSI: MRC_UD_GATES gates, under @lock
 */
struct mrc_ud {
	struct mrc_dev *dev;
	u32 qpn;
	const struct mrc_ud_ops *ops;
	void *priv;
	const void *pd;
	spinlock_t lock;
	enum ib_qp_state state;
	u32 qkey;
	u32 psn;
	u32 seed;
	struct rcu_head rcu;
	struct mrc_gate strangers[];
};

/**
 * struct mrc_ud_msg - a datagram to be sent
 * @data: payload
 * @len: bytes, mrc_dev_mtu() at most
 * @qpn: the QP that it is for
 * @qkey: Q_Key of that QP
 * @ip4: it is between the IPv4 GIDs @saddr4 and @daddr4
 * @saddr4: this end's
 * @daddr4: that of the other end
 * @imm: immediate in network byte order, valid with @has_imm
 * @has_imm: it has one
 * @solicited: it asks for an event
 */
struct mrc_ud_msg {
	const void *data;
	u32 len;
	u32 qpn;
	u32 qkey;
	bool ip4;
	__be32 saddr4;
	__be32 daddr4;
	__be32 imm;
	bool has_imm;
	bool solicited;
};

/**
 * mrc_ud_create() - make a UD QP in RESET
 * @dev: device
 * @ops: calls upwards
 * @priv: their argument
 * @pd: identity of its protection domain
 * @gsi: it is the device's GSI
 *
 * Process context. Return: the QP, or ERR_PTR (-ENOMEM, -ENOSPC: no number is free, -EBUSY: the
 * device has a GSI).
 */
struct mrc_ud *mrc_ud_create(struct mrc_dev *dev, const struct mrc_ud_ops *ops, void *priv,
			     const void *pd, bool gsi);
/** mrc_ud_destroy() - no call goes up afterwards. Process context. */
void mrc_ud_destroy(struct mrc_ud *ud);

/** mrc_ud_receive() - take a datagram, or count why not. Softirq, under RCU. */
void mrc_ud_receive(const struct mrc_rx_pkt *pkt);

/**
 * mrc_ud_send() - send a datagram
 * @ud: the QP
 * @peer: where to
 * @m: the datagram
 *
 * Process context. Return: 0: it was sent, or is lost; -EAGAIN: the queues of this host are full.
 */
int mrc_ud_send(struct mrc_ud *ud, struct mrc_peer *peer, const struct mrc_ud_msg *m);

#endif /* _MRC_TRANSPORT_UD_H */
