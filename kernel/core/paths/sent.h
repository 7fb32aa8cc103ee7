/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What became, on this host, of a packet that was to be sent. This is the one place that gives a
 * meaning to an errno of sending, for data, answers and probes alike.
 *
 *  verdict   errno, and from where                     the EV                 a write packet
 *  -------   ---------------------                     ------                 --------------
 *  SENT      0; also NET_XMIT_CN: the queue took this  no change              it is in flight
 *            packet, and marked or dropped another
 *  NO_SPACE  ENOBUFS: a queue or the driver was full   no change; a probe is  it goes out again
 *            (NET_XMIT_DROP); a tc or netdev filter    sent a little later    after a pause
 *            looks the same; too much waits for the
 *            next hop's address. ENOMEM: no memory.
 *            EBUSY, EAGAIN: too much is asked.
 *            EINVAL: no room for a neighbour. And
 *            every errno that is not named here
 *  DOWN      ENETDOWN, ENODEV, ENXIO: the netdev is    no change: the plane   the same
 *            down or is being removed                  is down, for all EVs
 *  NO_WAY    ENETUNREACH, EHOSTUNREACH: no route, of   bad, "no route"        the same
 *            the path or of a seg6 encapsulation on
 *            it. EADDRNOTAVAIL: no source address.
 *            EOPNOTSUPP: an encapsulation that this
 *            kernel does not know
 *  NO_ROOM   EMSGSIZE: it is longer than the MTU       bad, "MTU too small"   the same
 *  REFUSED   EPERM: netfilter, or a full table of      bad, "refused by       the same
 *            connections. ECONNREFUSED: SELinux.       this host"
 *            EACCES: an IPsec policy or a "prohibit"
 *            route covers it
 *  GONE      ESHUTDOWN: the path or the peer is being  no change              the same
 *            removed
 *
 * A bad EV is probed with small packets that take the same way out of this host. It is back when
 * these leave the host and are answered. For congestion control every verdict except SENT is
 * MRC_CC_REFUSED: the bytes are not in flight any more, and the window stays as it is, because the
 * network had no part in it. mrc_req_unsent() makes the pause. When nothing of a QP has left this
 * host for as long as a silent peer would be tolerated, the QP ends in error. An answer whose EV
 * lets nothing out takes another EV; any other answer that is not sent is like one that the network
 * has lost.
 */
#ifndef _MRC_CORE_SENT_H
#define _MRC_CORE_SENT_H

#include "../base/base.h"
#include "paths.h"

/**
 * enum mrc_sent - the verdict; see the top of this file
 * @MRC_SENT: it is on its way
 * @MRC_SENT_NO_SPACE: a queue or memory had no room for it just then
 * @MRC_SENT_DOWN: the netdev is down
 * @MRC_SENT_NO_WAY: no way leads out of this host
 * @MRC_SENT_NO_ROOM: a way leads out, but not for a packet as long as this one
 * @MRC_SENT_REFUSED: this host's policy forbids it
 * @MRC_SENT_GONE: the path or the peer is being removed
 */
enum mrc_sent {
	MRC_SENT,
	MRC_SENT_NO_SPACE,
	MRC_SENT_DOWN,
	MRC_SENT_NO_WAY,
	MRC_SENT_NO_ROOM,
	MRC_SENT_REFUSED,
	MRC_SENT_GONE,
};

/** mrc_sent_verdict() - what an errno of sending means; @err: 0 or negative */
enum mrc_sent mrc_sent_verdict(int err);

/** mrc_sent_blames() - does the verdict make the packet's EV bad? */
static inline bool mrc_sent_blames(enum mrc_sent sent)
{
	return sent == MRC_SENT_NO_WAY || sent == MRC_SENT_NO_ROOM || sent == MRC_SENT_REFUSED;
}

/** mrc_sent_is_lost() - would another packet on the same EV have the same fate now? */
static inline bool mrc_sent_is_lost(enum mrc_sent sent)
{
	return sent == MRC_SENT_DOWN || mrc_sent_blames(sent);
}

/**
 * mrc_sent_report() - report the verdict on a packet to the paths, if it says something of the EV
 * @p: the paths
 * @ev: index of the EV
 * @sent: the verdict
 * @now: ns
 *
 * Return: true: the verdict was reported, see mrc_sent_blames().
 */
bool mrc_sent_report(struct mrc_paths *p, u16 ev, enum mrc_sent sent, u64 now);

#endif /* _MRC_CORE_SENT_H */
