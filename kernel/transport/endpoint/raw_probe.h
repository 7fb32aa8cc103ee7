/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw probes: EV probes that take no EV of a peer. Their requester describes the way that they
 * take. They go to GIDs that need not be peers of this host.
 */
#ifndef _MRC_TRANSPORT_RAW_PROBE_H
#define _MRC_TRANSPORT_RAW_PROBE_H

#include "packet.h"

struct mrc_ev_spec;
struct mrc_plane;
struct mrc_srh;

/* At most so many destinations in one request. */
#define MRC_RAW_PROBE_DESTINATIONS	64u

/**
 * struct mrc_raw_probe - what the raw probes of one request have in common
 * @plane: the plane by which they leave, a reference
 * @srh: their segment list, a reference, or NULL
 * @wait: ns, how long each waits for its answer
 * @op: EV_PROBE, or PORT_STATUS
 * @port_mask: PORT_STATUS: ports that can be reached
 * @count: number of destinations
 * @way: one to each destination
 */
struct mrc_raw_probe {
	struct mrc_plane *plane;
	struct mrc_srh *srh;
	u64 wait;
	enum mrc_ep_op op;
	u32 port_mask;
	unsigned int count;
	struct mrc_ep_way way[];
};

/**
 * mrc_raw_probe_alloc() - make ways that have no destination yet
 * @plane: the plane by which probes leave
 * @srh: their segment list, or NULL
 * @count: number of destinations, 1..MRC_RAW_PROBE_DESTINATIONS
 *
 * Return: NULL: no memory.
 */
struct mrc_raw_probe *mrc_raw_probe_alloc(struct mrc_plane *plane, struct mrc_srh *srh,
					  unsigned int count);
/** mrc_raw_probe_free() - free it; no probe waits for an answer. NULL is fine. Any context. */
void mrc_raw_probe_free(struct mrc_raw_probe *raw);

/**
 * mrc_raw_probe_aim() - set where a way leads
 * @dev: the device
 * @way: a way of struct mrc_raw_probe; its plane, DSCP and size stay
 * @ev: the path
 * @local: GID of the sender
 * @remote: GID of the receiver
 *
 * Process context, takes dev->cfg_lock. Return: 0, or -ENETUNREACH: @ev needs the uSID of the route
 * to @remote, and there is no route with a uSID.
 */
int mrc_raw_probe_aim(struct mrc_dev *dev, struct mrc_ep_way *way, const struct mrc_ev_spec *ev,
		      const struct in6_addr *local, const struct in6_addr *remote);

/**
 * mrc_raw_probe_size() - bytes of a probe without padding, from its outermost header on
 *
 * If @ev follows a route of the kernel (MRC_PATH_TABLE), the probe may be longer.
 */
unsigned int mrc_raw_probe_size(const struct mrc_ev_spec *ev);

#endif /* _MRC_TRANSPORT_RAW_PROBE_H */
