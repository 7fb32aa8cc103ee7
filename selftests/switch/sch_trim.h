/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options and counters of a port of a lab's switches: attributes in TCA_OPTIONS, and a struct
 * in TCA_STATS_APP. scripts/lab.d/ports.py uses the same formats.
 */
#ifndef SCH_TRIM_H
#define SCH_TRIM_H

#include <linux/types.h>

/**
 * enum trim_attr - attributes of a port
 * @TRIM_ATTR_UNSPEC: not used
 * @TRIM_ATTR_RATE: u64: bytes a second
 * @TRIM_ATTR_DELAY: u32: ns that a packet is on its way after it was sent; 0 if left out
 * @TRIM_ATTR_ECN_MIN: u32: bytes in the data queue, beyond which packets may be marked
 * @TRIM_ATTR_ECN_MAX: u32: bytes, from which each packet is marked; 0, or left out: none is
 * @TRIM_ATTR_TRIM: u32: bytes in the data queue, beyond which data is trimmed; 0, or left out: no
 *                  data is trimmed
 * @TRIM_ATTR_TRIM_RTX: u32: the same for retransmissions; the value for data if left out
 * @TRIM_ATTR_DROP: u32: bytes in the data queue, beyond which all other packets are dropped
 * @TRIM_ATTR_CONTROL: u32: bytes in the queue of control and trimmed packets, beyond which they are
 *                     dropped
 * @TRIM_ATTR_SIZE: u32: bytes that trimming leaves, from the IP header on
 * @TRIM_ATTR_DSCP: u8: the DSCP of a trimmed packet
 * @TRIM_ATTR_STALE: u8: whether a trimmed packet keeps its payload length, as behind switches that
 *                   do not change it
 * @__TRIM_ATTR_END: not used
 */
enum trim_attr {
	TRIM_ATTR_UNSPEC,
	TRIM_ATTR_RATE,
	TRIM_ATTR_DELAY,
	TRIM_ATTR_ECN_MIN,
	TRIM_ATTR_ECN_MAX,
	TRIM_ATTR_TRIM,
	TRIM_ATTR_TRIM_RTX,
	TRIM_ATTR_DROP,
	TRIM_ATTR_CONTROL,
	TRIM_ATTR_SIZE,
	TRIM_ATTR_DSCP,
	TRIM_ATTR_STALE,
	__TRIM_ATTR_END
};

/**
 * struct trim_stats - what has happened at a port
 * @marked: packets
 * @trimmed: packets
 * @dropped: packets that found the data queue full
 * @control_dropped: packets that found the other queue full
 * @sent: packets
 * @sent_bytes: with Ethernet headers
 * @queued: bytes in the data queue times ns; its growth divided by the elapsed time is the mean
 * @at: ns, the time of @queued
 * @backlog: bytes in the data queue
 * @longest: most bytes in the data queue since the options were set
 */
struct trim_stats {
	__u64 marked;
	__u64 trimmed;
	__u64 dropped;
	__u64 control_dropped;
	__u64 sent;
	__u64 sent_bytes;
	__u64 queued;
	__u64 at;
	__u32 backlog;
	__u32 longest;
};

#endif
