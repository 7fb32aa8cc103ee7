// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ways of raw probes.
 */
#include <linux/ipv6.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/udp.h>

#include "../../core/wire/usid.h"
#include "../../core/wire/wire.h"
#include "../device/device.h"
#include "../profile/ev_profile.h"
#include "raw_probe.h"
#include "../profile/route.h"

struct mrc_raw_probe *mrc_raw_probe_alloc(struct mrc_plane *plane, struct mrc_srh *srh,
					  unsigned int count)
{
	struct mrc_raw_probe *raw = kvzalloc(struct_size(raw, way, count), GFP_KERNEL);
	unsigned int i;

	if (!raw)
		return NULL;
	raw->count = count;
	raw->plane = plane;
	refcount_inc(&plane->ref);
	raw->srh = srh ? mrc_srh_get(srh) : NULL;
	for (i = 0; i < count; i++)
		raw->way[i].plane = plane;
	return raw;
}

void mrc_raw_probe_free(struct mrc_raw_probe *raw)
{
	if (!raw)
		return;
	mrc_srh_put(raw->srh);
	mrc_plane_put(raw->plane);
	kvfree(raw);
}

/* Bits of an SRv6 path are read only by their sender, and not for raw probes: they are random. */
static u32 mrc_raw_probe_bits(const struct mrc_ev_spec *ev)
{
	if (ev->path.kind == MRC_PATH_PLAIN)
		return ev->value;
	return MRC_EV_SPORT_BASE << 16 | get_random_u32();
}

int mrc_raw_probe_aim(struct mrc_dev *dev, struct mrc_ep_way *way, const struct mrc_ev_spec *ev,
		      const struct in6_addr *local, const struct in6_addr *remote)
{
	struct mrc_route route;

	way->path = ev->path;
	if (ev->via && (!mrc_route_lookup(dev, remote, &route) ||
			!mrc_usid_append(way->path.sid.s6_addr, route.usid)))
		return -ENETUNREACH;
	way->bits = mrc_raw_probe_bits(ev);
	mutex_lock(&dev->cfg_lock);
	mrc_dev_make_flow(dev, &way->flow, local, remote);
	mutex_unlock(&dev->cfg_lock);
	return 0;
}

unsigned int mrc_raw_probe_size(const struct mrc_ev_spec *ev)
{
	unsigned int size = sizeof(struct ipv6hdr) + sizeof(struct udphdr) + MRC_EP_REQ_LEN +
			    MRC_ICRC_LEN;

	if (ev->path.kind != MRC_PATH_PLAIN)
		size += sizeof(struct ipv6hdr);
	if (ev->path.kind == MRC_PATH_SRH)
		size += ev->path.srh->len;
	return size;
}
