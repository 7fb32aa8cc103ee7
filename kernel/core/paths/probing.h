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
/* Answers to a peer per second, at most. */
#define MRC_PROBING_ANSWER_RATE	10000u
/* EV probes that one run sends; runs are mrc_timing.pace apart. */
#define MRC_PROBING_RUN_MAX	16u

/**
 * struct mrc_probing - what is known of a peer by it and of it by us
 * @users: QPs that are connected and not in error
 * @mtu_users: of these, how many have each path MTU
 * @met: there has been such a QP
 * @answer_probe: our answers to EV probes of the peer
 * @answer_status: the same to its port status
 * @tell: what the peer is told of our ports
 * @told: the peer's ports, as it has told
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
 * @ev: index of the EV that it goes by
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

/** mrc_probing_init() - a peer of which nothing is known; @timing: how long is waited */
void mrc_probing_init(struct mrc_probing *p, const struct mrc_timing *timing);

/** mrc_probing_use() - a QP with path MTU @mtu is connected to the peer, or not any more */
void mrc_probing_use(struct mrc_probing *p, u32 mtu, bool use);

/** mrc_probing_at() - ns, when EV probes are due: a lower bound; U64_MAX: none */
u64 mrc_probing_at(const struct mrc_probing *p, const struct mrc_paths *paths);

/**
 * mrc_probing_next() - the EV to be probed now
 * @p: the peer's
 * @paths: its paths
 * @now: ns
 * @room: result: bytes from BTH to ICRC that it must have room for to be of use
 *
 * The caller sends one probe, and tells what has become of it by mrc_probing_account().
 *
 * Return: index or MRC_EV_NONE.
 */
u16 mrc_probing_next(const struct mrc_probing *p, struct mrc_paths *paths, u64 now,
		     unsigned int *room);

/**
 * mrc_probing_account() - what became of a probe on this host
 * @paths: the paths
 * @ev: index of the EV that it was to take
 * @sent: the verdict; MRC_SENT_NO_ROOM also if only packets as long as those of QPs have none
 * @now: ns
 */
void mrc_probing_account(struct mrc_paths *paths, u16 ev, enum mrc_sent sent, u64 now);

/**
 * mrc_probing_ports_at() - when there is something to do about ports
 *
 * Return: ns, when to call mrc_probing_take_ports() and mrc_probing_plan_tell(); U64_MAX: not yet.
 */
u64 mrc_probing_ports_at(const struct mrc_probing *p, const struct mrc_paths *paths);

/**
 * mrc_probing_take_ports() - act upon what the peer said of its ports, if it is time
 *
 * A status that leaves no port to send to is not acted upon: packets are lost either way, and a
 * forged one would do most harm. It waits for a port of ours that is down, or for the next one.
 *
 * Return: true: @p->told.mask, and with it the ports of @paths, have changed.
 */
bool mrc_probing_take_ports(struct mrc_probing *p, struct mrc_paths *paths, u64 now);

/**
 * mrc_probing_plan_tell() - is our port status to be said now?
 * @p: the peer's
 * @paths: its paths: it goes over the ports that are left
 * @now: ns
 * @tell: result
 *
 * Return: true: it is.
 */
bool mrc_probing_plan_tell(struct mrc_probing *p, struct mrc_paths *paths, u64 now,
			   struct mrc_probing_tell *tell);

/** mrc_probing_untold() - there was no space for what mrc_probing_plan_tell() planned */
void mrc_probing_untold(struct mrc_probing *p, const struct mrc_probing_tell *tell);

/**
 * mrc_probing_hear() - the peer's port status has come
 * @p: the peer's
 * @ep: the request
 * @now: ns, not 0
 *
 * Return: false: it is not to be answered, for nobody is connected, or it is older than another.
 * True also if it leaves no port, which is not believed.
 */
bool mrc_probing_hear(struct mrc_probing *p, const struct mrc_ep *ep, u64 now);

/**
 * mrc_probing_inherit() - the other end is the same host as another peer's
 * @p: the peer's
 * @paths: its paths
 * @told: what that other peer was told
 * @now: ns
 *
 * What is newer counts. Return: true: the ports of @paths have changed.
 */
bool mrc_probing_inherit(struct mrc_probing *p, struct mrc_paths *paths,
			 const struct mrc_port_status *told, u64 now);

/** mrc_probing_may_answer() - one more answer to the peer, to a request of kind @op? */
bool mrc_probing_may_answer(struct mrc_probing *p, enum mrc_ep_op op, u64 now);

#endif /* _MRC_CORE_PROBING_H */
