/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this host sends to learn about the paths to a peer (MRC 1.0, sections 7.4.6 to 7.4.8), and
 * when: EV probes for EVs that are bad or in doubt, and port status in both directions. paths.h
 * decides what the results mean for EVs; turns.h decides which of many peers may send probes now.
 *
 * Nothing is sent unasked to a peer to which no QP is connected. The caller serialises all calls on
 * one struct and the paths that go with it.
 */
#ifndef _MRC_CORE_PROBING_H
#define _MRC_CORE_PROBING_H

#include "../base/base.h"
#include "../base/gate.h"
#include "paths.h"
#include "port_status.h"
#include "sent.h"
#include "../wire/wire.h"

/* Path MTUs that a QP may have, each twice the one before. */
#define MRC_MTU_COUNT		5u
/* The most answers to a peer per second. */
#define MRC_PROBING_ANSWER_RATE	10000u
/* The most EV probes that one run sends; runs are mrc_timing.pace apart. */
#define MRC_PROBING_RUN_MAX	16u

/**
 * struct mrc_probing - QPs that use a peer, and what both ends told each other of ports
 * @users: QPs that are connected and not in error
 * @mtu_users: how many of these QPs have each path MTU
 * @met: there is or was such a QP
 * @answer_probe: limits our answers to EV probes of the peer
 * @answer_status: limits our answers to port statuses of the peer
 * @tell: our port status, as we send it to the peer
 * @told: the peer's port status
 */
struct mrc_probing {
	unsigned int users;
	unsigned int mtu_users[MRC_MTU_COUNT];
	bool met;
	struct mrc_gate answer_probe;
	struct mrc_gate answer_status;
	struct mrc_port_tell tell;
	struct mrc_port_status told;
};

/**
 * struct mrc_probing_tell - a port status that is to be sent now
 * @ev: index of the EV that it takes
 * @mask: ports that can receive
 * @at: ns, when it was planned
 * @wait: see mrc_port_tell_next()
 */
struct mrc_probing_tell {
	u16 ev;
	u32 mask;
	u64 at;
	u64 wait;
};

/** mrc_probing_init() - a peer of which nothing is known; @timing: the waits */
void mrc_probing_init(struct mrc_probing *p, const struct mrc_timing *timing);

/** mrc_probing_use() - a QP with path MTU @mtu is connected to the peer (@use), or not any more */
void mrc_probing_use(struct mrc_probing *p, u32 mtu, bool use);

/** mrc_probing_at() - ns, when the next EV probe is due: a lower bound; U64_MAX: none is due */
u64 mrc_probing_at(const struct mrc_probing *p, const struct mrc_paths *paths);

/**
 * mrc_probing_next() - the EV to be probed now
 * @p: the peer's state
 * @paths: its paths
 * @now: ns
 * @room: result: an EV is of use only if packets with so many bytes from BTH to ICRC fit its path
 *
 * The caller sends one probe, and reports its verdict by mrc_probing_account().
 *
 * Return: index or MRC_EV_NONE.
 */
u16 mrc_probing_next(const struct mrc_probing *p, struct mrc_paths *paths, u64 now,
		     unsigned int *room);

/**
 * mrc_probing_account() - what became of a probe on this host
 * @paths: the paths
 * @ev: index of the EV that the probe was to take
 * @sent: the verdict; MRC_SENT_NO_ROOM also if the probe fits but packets of QPs do not
 * @now: ns
 */
void mrc_probing_account(struct mrc_paths *paths, u16 ev, enum mrc_sent sent, u64 now);

/**
 * mrc_probing_ports_at() - when there is something to do about ports
 *
 * Return: ns, when to call mrc_probing_take_ports() and mrc_probing_plan_tell(); U64_MAX: not until
 * something changes.
 */
u64 mrc_probing_ports_at(const struct mrc_probing *p, const struct mrc_paths *paths);

/**
 * mrc_probing_take_ports() - act upon the peer's newest port status, if it is time
 *
 * A status that leaves no port to send to is not acted upon: packets are lost either way, and a
 * forged status of this kind would do most harm. It waits until a port of ours that is down comes
 * back, or until another status comes.
 *
 * Return: true: @p->told.mask, and with it the ports of @paths, have changed.
 */
bool mrc_probing_take_ports(struct mrc_probing *p, struct mrc_paths *paths, u64 now);

/**
 * mrc_probing_plan_tell() - is our port status to be sent now?
 * @p: the peer's state
 * @paths: its paths; the status takes an EV on a port that is up
 * @now: ns
 * @tell: result
 *
 * Return: true: send @tell now.
 */
bool mrc_probing_plan_tell(struct mrc_probing *p, struct mrc_paths *paths, u64 now,
			   struct mrc_probing_tell *tell);

/** mrc_probing_untold() - there was no room to send what mrc_probing_plan_tell() planned */
void mrc_probing_untold(struct mrc_probing *p, const struct mrc_probing_tell *tell);

/**
 * mrc_probing_hear() - a port status of the peer has come
 * @p: the peer's state
 * @ep: the request
 * @now: ns, not 0
 *
 * Return: whether to answer it. False: no QP is connected, or the status is older than another.
 * True also for a status that leaves no port, although it is not acted upon.
 */
bool mrc_probing_hear(struct mrc_probing *p, const struct mrc_ep *ep, u64 now);

/**
 * mrc_probing_inherit() - take over a port status from another peer that is the same host
 * @p: the peer's state
 * @paths: its paths
 * @told: the port status that came for the other peer
 * @now: ns
 *
 * The newer status counts. Return: true: the ports of @paths have changed.
 */
bool mrc_probing_inherit(struct mrc_probing *p, struct mrc_paths *paths,
			 const struct mrc_port_status *told, u64 now);

/** mrc_probing_may_answer() - does the rate allow one more answer to a request of kind @op? */
bool mrc_probing_may_answer(struct mrc_probing *p, enum mrc_ep_op op, u64 now);

#endif /* _MRC_CORE_PROBING_H */
