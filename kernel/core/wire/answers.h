/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control packets of a QP that leave together, their order and their traffic class. They take
 * one path and share one fate; a later answer makes up for a lost one.
 *
 * The answers of a living QP are SACKs, and then the transport ACK or NAK. Only the NACK for a SEND
 * without a receive comes before, in an skb of its own, and only the NACK that says that a WriteImm
 * waits for a receive comes after. All SACKs have one length, and all other answers are shorter. So
 * the SACKs and the first packet after them fit into one segmented skb, which walks through the
 * stack once. The answers of a QP that has ended stand in the order in which the peer is to believe
 * them (last_words.h).
 */
#ifndef _MRC_CORE_ANSWERS_H
#define _MRC_CORE_ANSWERS_H

#include "../base/base.h"
#include "../base/ev_index.h"
#include "wire.h"

/* Control packets that leave together, at most. */
#define MRC_ANSWERS_MAX	6u
#define MRC_ANSWERS_ANY_EV	MRC_EV_NONE

/**
 * struct mrc_answers - control packets of one QP, in the order in which they are to be sent
 * @count: elements of @hdr
 * @ev: index of the EV that they are to take, MRC_ANSWERS_ANY_EV: any EV of the way back
 * @evs_gen: version of the EVs to which @ev belongs
 * @hdr: bth.qpn and bth.pkey are filled in when they are sent
 */
struct mrc_answers {
	unsigned int count;
	u16 ev;
	u32 evs_gen;
	struct mrc_hdr hdr[MRC_ANSWERS_MAX];
};

/**
 * enum mrc_traffic - traffic classes that the network may tell apart
 * @MRC_TRAFFIC_DATA: first transmissions, and packets that must not overtake them
 * @MRC_TRAFFIC_CONTROL: packets that should overtake data
 */
enum mrc_traffic {
	MRC_TRAFFIC_DATA,
	MRC_TRAFFIC_CONTROL,
};

/** mrc_answers_init() - start without any packet */
static inline void mrc_answers_init(struct mrc_answers *a)
{
	a->count = 0;
	a->ev = MRC_ANSWERS_ANY_EV;
	a->evs_gen = 0;
}

/** mrc_answers_room() - packets that still fit */
static inline unsigned int mrc_answers_room(const struct mrc_answers *a)
{
	return MRC_ANSWERS_MAX - a->count;
}

/**
 * mrc_answers_sack() - add a SACK; there must be room
 * @a: the answers
 * @sack: what it says
 * @rtx: BTH.rtx
 */
void mrc_answers_sack(struct mrc_answers *a, const struct mrc_sack *sack,
		      bool rtx);

/**
 * mrc_answers_nack() - add a NACK; there must be room
 * @a: the answers
 * @nack: what it says
 */
void mrc_answers_nack(struct mrc_answers *a, const struct mrc_nack *nack);

/**
 * mrc_answers_ack() - add a transport ACK or NAK; there must be room
 * @a: the answers
 * @psn: everything up to this PSN was executed; in a NAK: the first packet that was not executed
 * @syndrome: enum mrc_ack_syndrome
 * @msn: messages executed, modulo 2^24
 */
void mrc_answers_ack(struct mrc_answers *a, u32 psn, u8 syndrome, u32 msn);

/**
 * mrc_answers_probe() - add a Reliability Probe; there must be room
 * @a: the answers
 * @id: comes back with the SACK
 */
void mrc_answers_probe(struct mrc_answers *a, u16 id);

/**
 * mrc_answers_traffic() - the traffic class of a control packet
 *
 * A Reliability Probe is in the class of data: its answer says something of earlier data only
 * because the probe cannot have overtaken that data.
 */
enum mrc_traffic mrc_answers_traffic(const struct mrc_hdr *hdr);

#endif /* _MRC_CORE_ANSWERS_H */
