/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Our requests to endpoints (MRC 1.0, sections 7.4.7, 7.4.8): EV probes and port status. The answer
 * names the request by its id.
 *
 * core/paths/pending.h decides which requests of a device wait for an answer. How long they wait is
 * decided by core/paths/paths.h or, for a raw probe, by its requester. A slot names its peer
 * without a reference: mrc_ask_forget() empties the slots of a peer before the peer goes, and slots
 * are used under RCU.
 */
#ifndef _MRC_TRANSPORT_ASK_H
#define _MRC_TRANSPORT_ASK_H

#include <linux/hrtimer.h>
#include <linux/in6.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>

#include "../../core/paths/pending.h"
#include "../../core/wire/wire.h"

struct mrc_dev;
struct mrc_ep_way;
struct mrc_peer;
struct mrc_peer_evs;
struct mrc_rx_pkt;

/**
 * struct mrc_ask_ops - calls with the outcome of requests to peers
 * @answered: an EV probe was answered; version of the EVs, index of the EV, time when it was sent
 * @lost: an EV probe was not answered in time; arguments as of @answered
 * @port_answered: a port status was answered; the ports that it named, time when it was sent
 *
 * Softirq, under RCU, no lock held. The peer may be about to go. Raw probes cause no call.
 */
struct mrc_ask_ops {
	void (*answered)(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at);
	void (*lost)(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at);
	void (*port_answered)(struct mrc_peer *peer, u32 mask, u64 sent_at);
};

/**
 * struct mrc_ask_result - outcome of one EV probe of a batch
 * @ev: index of the EV in its profile; raw: number among the probes to its destination
 * @port: the port that the probe was sent from
 * @to: raw: index of the destination
 * @sent: the probe was sent; false: nothing is known of the path
 * @answered: an answer came in time
 * @rx_port: the port by which the answer came in; 0: none of ours
 * @error: raw, not @sent: the reason, a negative number
 * @rtt_ns: valid if @answered
 */
struct mrc_ask_result {
	u16 ev;
	u8 port;
	u8 to;
	bool sent;
	bool answered;
	u8 rx_port;
	int error;
	u64 rtt_ns;
};

/**
 * struct mrc_ask_batch - EV probes that a probe job waits for
 * @left: probes without an outcome yet; under the table's lock
 * @done: called when @left becomes 0, under the table's lock, BH off
 * @result: one per probe
 */
struct mrc_ask_batch {
	unsigned int left;
	void (*done)(struct mrc_ask_batch *batch);
	struct mrc_ask_result *result;
};

/**
 * struct mrc_ask_request - a request
 * @op: MRC_EP_*
 * @reverse: EV_PROBE: it tests the way back, and takes no turn
 * @port_mask: PORT_STATUS: ports that can be reached
 * @room: see mrc_ep_xmit()
 * @batch: the batch that waits for the answer, or NULL
 * @index: of the result in @batch
 */
struct mrc_ask_request {
	enum mrc_ep_op op;
	bool reverse;
	u32 port_mask;
	unsigned int room;
	struct mrc_ask_batch *batch;
	unsigned int index;
};

/**
 * struct mrc_ask - a request that waits for its answer
 * @peer: the receiver; NULL: a raw probe, whose slot is freed when nobody waits for it any more
 * @local: the GID that it was sent from
 * @remote: the GID that it was sent to; NULL: the slot is free
 * @request: what was sent
 * @sent_at: ns
 * @wait: ns; raw probes only: an answer that takes longer does not count
 * @evs_gen: version of @peer's EVs
 * @ev: index of the EV in that version
 * @stamp: its time stamp, which the answer to a raw probe must repeat
 */
struct mrc_ask {
	struct mrc_peer *peer;
	const struct in6_addr *local;
	const struct in6_addr *remote;
	struct mrc_ask_request request;
	u64 sent_at;
	u64 wait;
	u32 evs_gen;
	u16 ev;
	u16 stamp;
};

/**
 * struct mrc_ask_table - requests of a device that wait for an answer
 * @ops: calls with their outcome
 * @mark_key: key of the hash in the ids of requests to peers
 * @lock: protects all members below, peer->asked and peer->forgotten; innermost, BH off
 * @timer: fires when the next request counts as lost
 * @pending: the requests
 * @ask: their contents, same index as the slots of @pending
 */
struct mrc_ask_table {
	const struct mrc_ask_ops *ops;
	hsiphash_key_t mark_key;
	spinlock_t lock;
	struct hrtimer timer;
	struct mrc_pending pending;
	struct mrc_ask ask[MRC_PENDING_MAX];
};

/** mrc_ask_init() - Return: 0 or -ENOMEM */
int mrc_ask_init(struct mrc_dev *dev, const struct mrc_ask_ops *ops);
/** mrc_ask_fini() - no peer is left; mrc_ask_init() may not have run. Process context. */
void mrc_ask_fini(struct mrc_dev *dev);

/**
 * mrc_ask_send() - send a request to a peer
 * @peer: the receiver
 * @evs: its EVs
 * @ev: index in @evs: the path
 * @request: the request
 *
 * Softirq or BH off, under RCU. Return: 0: its outcome will be reported; else nothing will. -EBUSY:
 * too many requests wait for an answer, or too many were sent in a second; -ESHUTDOWN: the peer
 * goes; -EMSGSIZE: there is no room for packets as long as @request says; or the reason why it
 * cannot leave this host, see core/paths/sent.h.
 */
int mrc_ask_send(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		 const struct mrc_ask_request *request);

/**
 * mrc_ask_send_raw() - send a request along a way that is no EV of a peer
 * @dev: the device
 * @way: the way
 * @wait: ns, how long to wait for the answer
 * @request: the request; @way must stay until nobody waits for its batch any more
 *
 * Nothing is learned from it except the result in its batch. BH off, under RCU. Return: 0: its
 * result will come; else none will. -EBUSY: too many requests wait for an answer, or too many were
 * sent in a second; -EMSGSIZE: it cannot have the size in @way; or the reason why it cannot leave
 * this host, see core/paths/sent.h.
 */
int mrc_ask_send_raw(struct mrc_dev *dev, const struct mrc_ep_way *way, u64 wait,
		     const struct mrc_ask_request *request);

/** mrc_ask_room() - estimate how many EV probes in turns may be sent at @now, in ns. Softirq. */
unsigned int mrc_ask_room(struct mrc_dev *dev, u64 now);

/** mrc_ask_may() - may the peer have a turn? See mrc_pending_peer_may(). Softirq, under RCU. */
bool mrc_ask_may(struct mrc_peer *peer);

/** mrc_ask_forget() - a peer goes: drop its requests, and refuse new ones. Process context. */
void mrc_ask_forget(struct mrc_peer *peer);

/** mrc_ask_skip() - one probe of a batch will not be sent. Process context. */
void mrc_ask_skip(struct mrc_dev *dev, struct mrc_ask_batch *batch);

/** mrc_ask_detach() - stop waiting for a batch, which may then be freed. Process context. */
void mrc_ask_detach(struct mrc_dev *dev, const struct mrc_ask_batch *batch);

/**
 * mrc_ask_response() - digest a response
 *
 * Softirq, under RCU. Return: false: it answers none of our requests.
 */
bool mrc_ask_response(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt);

/**
 * mrc_ask_late_since() - when was the request sent that a late response answers?
 * @dev: the device
 * @pkt: the response; no waiting request fits it
 * @now: ns
 *
 * Softirq. Return: ns, as exact as stamps are; 0: it seems to answer no request to a peer. A forger
 * has to guess eight bits.
 */
u64 mrc_ask_late_since(const struct mrc_dev *dev, const struct mrc_rx_pkt *pkt, u64 now);

/** mrc_ask_late() - a late answer has come, see mrc_pending_peer_late(). Softirq, under RCU. */
bool mrc_ask_late(struct mrc_peer *peer, u64 wait, u64 now);

#endif /* _MRC_TRANSPORT_ASK_H */
