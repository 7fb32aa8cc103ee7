/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events: the transport reports changes to listeners (the netlink family).
 */
#ifndef _MRC_TRANSPORT_EVENT_H
#define _MRC_TRANSPORT_EVENT_H

#include <linux/notifier.h>
#include <linux/types.h>

struct mrc_cc_profile;
struct mrc_dev;
struct mrc_ev_profile;
struct mrc_peer;
struct mrc_plane;
struct mrc_probe_job;
struct mrc_qp;
struct mrc_route;

/** enum mrc_event_type - kinds of events */
enum mrc_event_type {
	MRC_EVENT_DEVICE_NEW,
	MRC_EVENT_DEVICE_DEL,
	MRC_EVENT_PLANE,	/* added, removed, usable or not any more */
	MRC_EVENT_EV,		/* an EV of a peer changed state */
	MRC_EVENT_PEER_PORTS,	/* a peer said which of its ports work */
	MRC_EVENT_QP,		/* a QP went to error */
	MRC_EVENT_SETTINGS,	/* of the device were changed */
	MRC_EVENT_EV_PROFILE,	/* made, replaced or deleted */
	MRC_EVENT_PROFILE_EV,	/* an EV of a profile was denied or readmitted */
	MRC_EVENT_CC_PROFILE,	/* made, replaced or deleted */
	MRC_EVENT_ROUTE,	/* added, replaced or deleted */
	MRC_EVENT_PROBED,	/* requested EV probes have their results */
};

/**
 * struct mrc_event - one event
 * @type: says which of the other members are valid
 * @dev: always valid
 * @plane: PLANE
 * @peer: EV, PEER_PORTS, PROBED
 * @ev: EV, PROFILE_EV: index
 * @old_state: EV: enum mrc_ev_state, QP: enum ib_qp_state
 * @new_state: EV, QP: as @old_state
 * @old_ports: PEER_PORTS: bit per port that could receive before
 * @new_ports: PEER_PORTS: bit per port that can receive now
 * @qp: QP
 * @reason: QP, EV: static text
 * @asked: a request caused the event, and its sender is the current task. SETTINGS and EV_PROFILE
 *         to ROUTE: always; DEVICE_NEW, DEVICE_DEL, PLANE: sometimes
 * @gone: EV_PROFILE to ROUTE: the object was deleted
 * @ev_profile: EV_PROFILE, PROFILE_EV
 * @cc_profile: CC_PROFILE
 * @route: ROUTE
 * @probes: PROBED
 */
struct mrc_event {
	enum mrc_event_type type;
	struct mrc_dev *dev;
	struct mrc_plane *plane;
	struct mrc_peer *peer;
	u16 ev;
	u8 old_state;
	u8 new_state;
	u32 old_ports;
	u32 new_ports;
	struct mrc_qp *qp;
	const char *reason;
	bool asked;
	bool gone;
	const struct mrc_ev_profile *ev_profile;
	const struct mrc_cc_profile *cc_profile;
	const struct mrc_route *route;
	const struct mrc_probe_job *probes;
};

/* Listeners run in any context, also softirq with transport locks held. */
int mrc_event_register(struct notifier_block *nb);
void mrc_event_unregister(struct notifier_block *nb);
void mrc_event_notify(struct mrc_event *event);

#endif /* _MRC_TRANSPORT_EVENT_H */
