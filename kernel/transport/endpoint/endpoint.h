/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Endpoint packets that come to a device (MRC 1.0, sections 7.4.7, 7.4.8). EV probes and port
 * status are answered here. The answers to our own requests are passed on to ask.h.
 */
#ifndef _MRC_TRANSPORT_ENDPOINT_H
#define _MRC_TRANSPORT_ENDPOINT_H

#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../../core/base/gate.h"

struct mrc_dev;
struct mrc_rx_pkt;

/* At most so many EV probes of strangers (a route leads to them, but no QP) wait for an answer. */
#define MRC_ENDPOINT_STRANGERS_MAX	16u

/* Limits per second: route look-ups for strangers; answers to strangers with a route. */
#define MRC_ENDPOINT_LOOK_RATE		1000u
#define MRC_ENDPOINT_STRANGER_RATE	100u

/**
 * struct mrc_endpoint_came - what the answer to a request depends on
 * @bits: EV bits of the request
 * @id: id of the request
 * @tx_timestamp: of the request
 * @op: MRC_EP_*
 * @port: our port by which the request came in; 0: none of ours
 */
struct mrc_endpoint_came {
	u32 bits;
	u16 id;
	u16 tx_timestamp;
	u8 op;
	u8 port;
};

/** struct mrc_endpoint_stranger - an EV probe whose sender has a route here and no QP */
struct mrc_endpoint_stranger {
	struct in6_addr local;
	struct in6_addr remote;
	struct mrc_endpoint_came came;
};

/**
 * struct mrc_endpoint - requests to a device that are answered by a work
 * @dev: the device
 * @lock: protects all members; innermost, BH off
 * @look: limits look-ups of routes to strangers
 * @stranger: limits answers to @strangers
 * @work: answers @strangers
 * @strangers: queue for @work, @nstrangers long
 */
struct mrc_endpoint {
	struct mrc_dev *dev;
	spinlock_t lock;
	struct mrc_gate look;
	struct mrc_gate stranger;
	struct work_struct work;
	unsigned int nstrangers;
	struct mrc_endpoint_stranger strangers[MRC_ENDPOINT_STRANGERS_MAX];
};

/** mrc_endpoint_init() - Return: 0 or -ENOMEM */
int mrc_endpoint_init(struct mrc_dev *dev);
/** mrc_endpoint_fini() - no work is left; mrc_endpoint_init() may not have run */
void mrc_endpoint_fini(struct mrc_dev *dev);

/** mrc_endpoint_receive() - a request or response has come. Softirq, under RCU. */
void mrc_endpoint_receive(const struct mrc_rx_pkt *pkt);

#endif /* _MRC_TRANSPORT_ENDPOINT_H */
