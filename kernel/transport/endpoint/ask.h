/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Our requests to endpoints (MRC 1.0, sections 7.4.7, 7.4.8): EV probes and port status. The answer
 * names the request by its id.
 *
 * Which requests of a device wait for an answer is decided by core/paths/pending.h, for how long by
 * core/paths/paths.h, or by who asks for a raw probe. A slot names its peer without a reference:
 * mrc_ask_forget() empties the slots of a peer before the peer goes, and who works on a slot is
 * under RCU.
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
 * struct mrc_ask_ops - what became of requests
 * @answered: an EV probe was; EVs of which version, index, when it was sent
 * @lost: the same, and no answer came in time
 * @port_answered: a port status was; which ports it named, when it was sent
 *
 * Softirq, under RCU, no lock held. The peer may be going. Of raw probes nothing is told.
 */
struct mrc_ask_ops {
	void (*answered)(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at);
	void (*lost)(struct mrc_peer *peer, u32 evs_gen, u16 ev, u64 sent_at);
	void (*port_answered)(struct mrc_peer *peer, u32 mask, u64 sent_at);
};

/**
 * struct mrc_ask_result - what became of one EV probe of a batch
 * @ev: index of the EV in its profile; raw: which of those to its destination
 * @port: it was sent from
 * @to: raw: index of the destination
 * @sent: it was; else nothing is known of the path
 * @answered: in time
 * @rx_port: the answer came in by this port, 0: none of ours
 * @error: raw, not @sent: why not, a negative number
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
 * struct mrc_ask_batch - EV probes that somebody waits for
 * @left: probes of which it is not known what became; under the table's lock
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
 * @reverse: EV_PROBE: of the way back; it takes no turn
 * @port_mask: PORT_STATUS: ports that can be reached
 * @room: see mrc_ep_xmit()
 * @batch: who waits for the answer, or NULL
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
 * @peer: whom it went to; NULL: it is a raw probe, and goes when nobody waits for it any more
 * @local: from which GID
 * @remote: to which GID; NULL: the slot is free
 * @request: what it is
 * @sent_at: ns
 * @wait: ns: an answer that comes later is none; raw probes only
 * @evs_gen: EVs of @peer
 * @ev: index in these
 * @stamp: time stamp that it has, and a raw probe's answer must have
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
 * @ops: who is told what became of them
 * @mark_key: what ids are made with, of requests to peers
 * @lock: guards all below, peer->asked and peer->forgotten; innermost, BH off
 * @timer: when the first is lost
 * @pending: which there are
 * @ask: what they are about, same index as the slots of @pending
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
/** mrc_ask_fini() - no peer is left. Without mrc_ask_init(), too. Process context. */
void mrc_ask_fini(struct mrc_dev *dev);

/**
 * mrc_ask_send() - send a request
 * @peer: to whom
 * @evs: its EVs
 * @ev: index in @evs: the path
 * @request: what
 *
 * Softirq or BH off, under RCU. Return: 0, and only then something will be heard of it; -EBUSY: too
 * many without an answer, or too many a second; -ESHUTDOWN: the peer goes; -EMSGSIZE: there is no
 * room for packets as long as @request says; or why it cannot leave this host, see core/paths/sent.h.
 */
int mrc_ask_send(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		 const struct mrc_ask_request *request);

/**
 * mrc_ask_send_raw() - send a request along a way that is no EV of a peer
 * @dev: the device
 * @way: the way
 * @wait: ns, how long for the answer
 * @request: what; @way stays until nobody waits for its batch any more
 *
 * Nothing is learned of it but what the result says. BH off, under RCU. Return: 0, and only then
 * something will be heard of it; -EBUSY: too many without an answer, or too many a second;
 * -EMSGSIZE: it cannot have that size; or why it cannot leave this host, see core/paths/sent.h.
 */
int mrc_ask_send_raw(struct mrc_dev *dev, const struct mrc_ep_way *way, u64 wait,
		     const struct mrc_ask_request *request);

/** mrc_ask_room() - EV probes in turns that may be sent now (ns), as it looks. Softirq. */
unsigned int mrc_ask_room(struct mrc_dev *dev, u64 now);

/** mrc_ask_may() - may the peer have a turn, see mrc_pending_peer_may(). Softirq, under RCU. */
bool mrc_ask_may(struct mrc_peer *peer);

/** mrc_ask_forget() - a peer goes: it will not be named any more. Process context. */
void mrc_ask_forget(struct mrc_peer *peer);

/** mrc_ask_skip() - one probe of a batch will not be sent. Process context. */
void mrc_ask_skip(struct mrc_dev *dev, struct mrc_ask_batch *batch);

/** mrc_ask_detach() - nobody waits for a batch any more. Process context. */
void mrc_ask_detach(struct mrc_dev *dev, const struct mrc_ask_batch *batch);

/**
 * mrc_ask_response() - a response has come
 *
 * Softirq, under RCU. Return: false: it answers none of our requests.
 */
bool mrc_ask_response(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt);

/**
 * mrc_ask_late_since() - of a response that answers no request that waits
 * @dev: the device
 * @pkt: the response
 * @now: ns
 *
 * Softirq. Return: ns, when the request was sent that it answers, to the unit of stamps; 0: none to a
 * peer, as far as can be seen. Who forges has to guess eight bits.
 */
u64 mrc_ask_late_since(const struct mrc_dev *dev, const struct mrc_rx_pkt *pkt, u64 now);

/** mrc_ask_late() - an answer was overdue, see mrc_pending_peer_late(). Softirq, under RCU. */
bool mrc_ask_late(struct mrc_peer *peer, u64 wait, u64 now);

#endif /* _MRC_TRANSPORT_ASK_H */
