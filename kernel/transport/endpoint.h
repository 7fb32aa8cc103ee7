/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Endpoint packets (MRC 1.0, sections 7.4.7, 7.4.8): EV probes and port status. They belong to no
 * QP; requests go to QPN 2, and the answer names the request by its id.
 *
 * Which requests of a device wait for an answer, and for how long, is decided by asks.h. A slot
 * names its peer without a reference: mrc_endpoint_forget() empties the slots of a peer before
 * the peer goes, and who works on a slot is under RCU.
 */
#ifndef _MRC_TRANSPORT_ENDPOINT_H
#define _MRC_TRANSPORT_ENDPOINT_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/in6.h>
#include <linux/workqueue.h>

#include "../core/asks.h"
#include "../core/gate.h"
#include "../core/wire.h"

struct mrc_dev;
struct mrc_peer;
struct mrc_peer_evs;
struct mrc_rx_pkt;

/* EV probes from senders with a route but no QP that wait for their answer. */
#define MRC_EP_STRANGERS_MAX	16u

/* Per second at most: strangers for whom a route is looked up; answers to those who have one. */
#define MRC_EP_LOOK_RATE	1000u
#define MRC_EP_STRANGER_RATE	100u

/**
 * struct mrc_ep_result - what became of one EV probe of a batch
 * @ev: index of the EV in its profile
 * @port: it was sent from
 * @sent: it was; else nothing is known of the path
 * @answered: in time
 * @rx_port: the answer came in by this port, 0: none of ours
 * @rtt_ns: valid if @answered
 */
struct mrc_ep_result {
	u16 ev;
	u8 port;
	bool sent;
	bool answered;
	u8 rx_port;
	u64 rtt_ns;
};

/**
 * struct mrc_ep_batch - EV probes that somebody waits for
 * @left: probes of which it is not known what became; under endpoint.lock
 * @done: completed when @left becomes 0
 * @result: one per probe
 */
struct mrc_ep_batch {
	unsigned int left;
	struct completion done;
	struct mrc_ep_result *result;
};

/**
 * struct mrc_ep_ask - a request
 * @op: MRC_EP_*
 * @port_mask: PORT_STATUS: ports that can be reached
 * @room: the path is of no use unless this host has room for packets as long as this, in bytes
 *        from BTH to ICRC
 * @batch: who waits for the answer, or NULL
 * @index: of the result in @batch
 */
struct mrc_ep_ask {
	enum mrc_ep_op op;
	u32 port_mask;
	unsigned int room;
	struct mrc_ep_batch *batch;
	unsigned int index;
};

/** struct mrc_ep_pending - a request that waits for its answer; free when @peer is NULL */
struct mrc_ep_pending {
	struct mrc_peer *peer;
	struct mrc_ep_ask ask;
	u64 sent_at;
	u32 evs_gen;
	u16 ev;
};

/**
 * struct mrc_ep_came - what the answer to a request depends on
 * @bits: EV bits that it came with
 * @id: of the request
 * @tx_timestamp: of the request
 * @op: MRC_EP_*
 * @port: our port that it came in by, 0: none of ours
 */
struct mrc_ep_came {
	u32 bits;
	u16 id;
	u16 tx_timestamp;
	u8 op;
	u8 port;
};

/** struct mrc_ep_stranger - an EV probe whose sender has a route here and no QP */
struct mrc_ep_stranger {
	struct in6_addr local;
	struct in6_addr remote;
	struct mrc_ep_came came;
};

/**
 * struct mrc_endpoint - endpoint requests of a device
 * @dev: the device
 * @lock: guards all of it; innermost, BH off
 * @timer: when the oldest request is lost
 * @look: limits look-ups of routes to strangers
 * @stranger: limits answers to @strangers
 * @asks: requests that wait for an answer
 * @pending: what they are about, same index as the slots of @asks
 * @work: answers @strangers
 * @strangers: queue for @work, @nstrangers long
 */
struct mrc_endpoint {
	struct mrc_dev *dev;
	spinlock_t lock;
	struct hrtimer timer;
	struct mrc_gate look;
	struct mrc_gate stranger;
	struct mrc_asks asks;
	struct mrc_ep_pending pending[MRC_ASKS_MAX];
	struct work_struct work;
	unsigned int nstrangers;
	struct mrc_ep_stranger strangers[MRC_EP_STRANGERS_MAX];
};

/** mrc_endpoint_init() - Return: 0 or -ENOMEM */
int mrc_endpoint_init(struct mrc_dev *dev);
/** mrc_endpoint_fini() - no peer is left. Without mrc_endpoint_init(), too. Process context. */
void mrc_endpoint_fini(struct mrc_dev *dev);

/**
 * mrc_endpoint_send() - send a request
 * @peer: to whom
 * @evs: its EVs
 * @ev: index in @evs: the path
 * @ask: what
 *
 * Softirq or BH off, under RCU. Return: 0; -EBUSY: too many without an answer, or too many
 * a second, or no memory; -ESHUTDOWN: the peer goes; -ENETUNREACH: no way leads out of this
 * host; -EMSGSIZE: none for packets as long as @ask says. Only after 0 something will be heard of
 * it.
 */
int mrc_endpoint_send(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		      const struct mrc_ep_ask *ask);

/** mrc_endpoint_room() - EV probes that may be sent now (ns), as it looks. Softirq. */
unsigned int mrc_endpoint_room(struct mrc_dev *dev, u64 now);

/** mrc_endpoint_forget() - a peer goes: it will not be named any more. Process context. */
void mrc_endpoint_forget(struct mrc_peer *peer);

/** mrc_endpoint_skip() - one probe of a batch will not be sent. Process context. */
void mrc_endpoint_skip(struct mrc_dev *dev, struct mrc_ep_batch *batch);

/** mrc_endpoint_detach() - nobody waits for a batch any more. Process context. */
void mrc_endpoint_detach(struct mrc_dev *dev, const struct mrc_ep_batch *batch);

/** mrc_endpoint_receive() - a request or response has come. Softirq, under RCU. */
void mrc_endpoint_receive(const struct mrc_rx_pkt *pkt);

#endif /* _MRC_TRANSPORT_ENDPOINT_H */
