/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw probes: EV probes that take no EV of a peer, but a way that who asks for them describes, to
 * some GIDs of which nothing else need be known here.
 */
#ifndef _MRC_TRANSPORT_RAW_PROBE_H
#define _MRC_TRANSPORT_RAW_PROBE_H

#include "packet.h"

struct mrc_ev_spec;
struct mrc_plane;
struct mrc_srh;

/* Destinations of one request. */
#define MRC_RAW_PROBE_DESTINATIONS	64u

/**
 * struct mrc_raw_probe - what raw probes of one request have in common
 * @plane: by which they leave, a reference
 * @srh: their segment list, a reference, or NULL
 * @wait: ns, how long each waits for its answer
 * @op: EV_PROBE, or PORT_STATUS
 * @port_mask: PORT_STATUS: ports that can be reached
 * @count: destinations
 * @way: to each of these
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
 * mrc_raw_probe_alloc() - ways that lead nowhere yet
 * @plane: by which they leave
 * @srh: their segment list, or NULL
 * @count: destinations, 1..MRC_RAW_PROBE_DESTINATIONS
 *
 * Return: NULL: no memory.
 */
struct mrc_raw_probe *mrc_raw_probe_alloc(struct mrc_plane *plane, struct mrc_srh *srh,
					  unsigned int count);
/** mrc_raw_probe_free() - nothing is heard of any probe. NULL is fine. Any context. */
void mrc_raw_probe_free(struct mrc_raw_probe *raw);

/**
 * mrc_raw_probe_aim() - where a way leads
 * @dev: the device
 * @way: one of those of struct mrc_raw_probe, whose plane, class and size are left alone
 * @ev: how packets go
 * @local: from which GID
 * @remote: to which GID
 *
 * Process context, takes dev->cfg_lock. Return: 0, or -ENETUNREACH: @ev goes on to the uSID of a
 * route, and there is none with one.
 */
int mrc_raw_probe_aim(struct mrc_dev *dev, struct mrc_ep_way *way, const struct mrc_ev_spec *ev,
		      const struct in6_addr *local, const struct in6_addr *remote);

/**
 * mrc_raw_probe_size() - bytes of a probe that takes no more than it needs
 *
 * From its outermost header on; of one that follows a kernel's route, at least.
 */
unsigned int mrc_raw_probe_size(const struct mrc_ev_spec *ev);

#endif /* _MRC_TRANSPORT_RAW_PROBE_H */
