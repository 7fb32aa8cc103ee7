/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * READs and atomics of this end whose responses have not arrived. A response is a message of the
 * peer: its packets arrive in any order, and each says where its payload goes in what was asked
 * for. It has arrived when each of its packets has, whatever of the peer's other messages is
 * missing. The caller serialises all calls on one struct.
 *
 * All packets of a response must agree in length and first PSN. So when the response has arrived,
 * each of them has been placed once, and nothing is written to the memory of the READ afterwards.
 */
#ifndef _MRC_CORE_READS_H
#define _MRC_CORE_READS_H

#include "../base/base.h"
#include "../wire/wire.h"

struct mrc_rx_arrival;

/**
 * struct mrc_read - a READ or atomic that waits for its response
 * @index: the caller's: which request it is
 * @len: bytes
 * @packets: packets of its response
 * @placed: packets that have arrived
 * @psn: PSN of the first packet of its response, valid with @begun
 * @msn: its message number
 * @used: the element is in use
 * @atomic: it is an atomic
 * @begun: a packet of its response has come
 */
struct mrc_read {
	u32 index;
	u32 len;
	u32 packets;
	u32 placed;
	u32 psn;
	u16 msn;
	bool used;
	bool atomic;
	bool begun;
};

/**
 * struct mrc_reads - those that wait
 * @read: in any order
 * @count: how many are in use
 * @arrived: @index of those whose response has arrived, until mrc_reads_take()
 * @arrivals: elements of @arrived
 */
struct mrc_reads {
	struct mrc_read read[MRC_READS_MAX];
	u32 count;
	u32 arrived[MRC_READS_MAX];
	u32 arrivals;
};

/**
 * mrc_reads_add() - a READ or atomic is sent
 * @s: the others; with those in @arrived, fewer than MRC_READS_MAX
 * @read: @index, @len, @msn and @atomic
 * @mtu: payload bytes of a packet
 */
void mrc_reads_add(struct mrc_reads *s, const struct mrc_read *read, u32 mtu);

/**
 * mrc_reads_find() - whose response is this packet of?
 * @s: those that wait
 * @a: the packet; its place fits the length that it tells
 * @mtu: payload bytes of a packet
 *
 * Return: NULL: nobody waits for it, or it contradicts other packets of its response.
 */
struct mrc_read *mrc_reads_find(struct mrc_reads *s, const struct mrc_rx_arrival *a, u32 mtu);

/**
 * mrc_reads_placed() - a packet for which mrc_reads_find() found something has arrived
 *
 * Return: true: with it, the whole response has arrived.
 */
bool mrc_reads_placed(struct mrc_reads *s, const struct mrc_rx_arrival *a);

/**
 * mrc_reads_take() - take a request whose response has arrived
 * @s: those that wait
 * @index: result
 *
 * Return: false when there is none.
 */
bool mrc_reads_take(struct mrc_reads *s, u32 *index);

#endif /* _MRC_CORE_READS_H */
