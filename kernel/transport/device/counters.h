/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-device counters. A counter that means the same as one of other RDMA drivers has the same
 * name, so that dashboards work on day one.
 */
#ifndef _MRC_TRANSPORT_COUNTERS_H
#define _MRC_TRANSPORT_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "../../net/rx.h"

/* X(symbol, name) */
#define MRC_COUNTERS(X)							\
	X(TX_PACKETS,		"tx_packets")				\
	X(TX_BYTES,		"tx_bytes")				\
	X(RX_PACKETS,		"rx_packets")				\
	X(RX_BYTES,		"rx_bytes")				\
	X(RX_WRITE_REQUESTS,	"rx_write_requests")			\
	X(TX_WRITES,		"tx_write_requests")			\
	X(RX_SEND_REQUESTS,	"rx_send_requests")			\
	X(TX_SENDS,		"tx_send_requests")			\
	X(RX_READ_REQUESTS,	"rx_read_requests")			\
	X(TX_READS,		"tx_read_requests")			\
	X(RX_ATOMIC_REQUESTS,	"rx_atomic_requests")			\
	X(TX_ATOMICS,		"tx_atomic_requests")			\
	X(RX_DATAGRAMS,		"rx_datagrams")				\
	X(TX_DATAGRAMS,		"tx_datagrams")				\
	X(TX_RTX,		"retransmitted_packets")		\
	X(SPURIOUS_RTX,		"spurious_retransmissions")		\
	X(LOST_INFERRED,	"packet_seq_err")			\
	X(TIMEOUTS,		"local_ack_timeout_err")		\
	X(RETRY_EXCEEDED,	"retry_exceeded_err")			\
	X(DUPLICATES,		"duplicate_request")			\
	X(OUT_OF_ORDER,		"out_of_sequence")			\
	X(SACK_TX,		"sack_sent")				\
	X(SACK_RX,		"sack_received")			\
	X(NACK_TX,		"nack_sent")				\
	X(NACK_RX,		"nack_received")			\
	X(ACK_TX,		"ack_sent")				\
	X(ACK_RX,		"ack_received")				\
	X(NAK_TX,		"nak_sent")				\
	X(NAK_RX,		"nak_received")				\
	X(PROBE_TX,		"probe_sent")				\
	X(PROBE_RX,		"probe_received")			\
	X(EP_REQ_TX,		"endpoint_requests_sent")		\
	X(EP_REQ_RX,		"endpoint_requests_received")		\
	X(EP_RSP_TX,		"endpoint_responses_sent")		\
	X(EP_RSP_RX,		"endpoint_responses_received")		\
	X(ECN_RX,		"np_ecn_marked_roce_packets")		\
	X(ECN_ECHO_RX,		"rp_cnp_handled")			\
	X(TRIMMED_RX,		"trimmed_received")			\
	X(TRIMMED_LASTHOP_RX,	"trimmed_lasthop_received")		\
	X(TRIMMED_UNTOLD,	"trimmed_ignored")			\
	X(TRIM_NACK_RX,		"trim_nack_received")			\
	X(NO_RECEIVE,		"out_of_buffer")			\
	X(NO_RECEIVE_THERE,	"rnr_nak_retry_err")			\
	X(USER_LIMIT,		"user_limit_refused")			\
	X(REQ_CQE_ERROR,	"req_cqe_error")			\
	X(REQ_CQE_FLUSH,	"req_cqe_flush_error")			\
	X(RESP_CQE_ERROR,	"resp_cqe_error")			\
	X(RESP_CQE_FLUSH,	"resp_cqe_flush_error")			\
	X(REQ_REMOTE_ACCESS,	"req_remote_access_errors")		\
	X(REQ_REMOTE_INVALID,	"req_remote_invalid_request")		\
	X(RESP_REMOTE_ACCESS,	"resp_remote_access_errors")		\
	X(TX_NO_PATH,		"tx_no_path")				\
	X(TX_DROPPED,		"tx_dropped")				\
	X(TX_WAITED,		"tx_waited")				\
	X(TX_NO_MEMORY,		"tx_no_memory")				\
	X(TX_FORGED,		"tx_forged")				\
	X(RING_CORRUPT,		"ring_corrupt")				\
	X(DROP_TRUNCATED,	"rx_drop_truncated")			\
	X(DROP_OPCODE,		"rx_drop_opcode")			\
	X(DROP_HEADER,		"rx_drop_header")			\
	X(DROP_LENGTH,		"rx_drop_length")			\
	X(DROP_ICRC,		"rx_icrc_encapsulated")			\
	X(DROP_NO_QP,		"rx_drop_no_qp")			\
	X(DROP_WRONG_PEER,	"rx_drop_wrong_peer")			\
	X(DROP_QP_STATE,	"rx_drop_qp_state")			\
	X(DROP_OUT_OF_WINDOW,	"rx_drop_out_of_window")		\
	X(DROP_BAD_ACK,		"rx_drop_bad_ack")			\
	X(DROP_PKEY,		"rx_drop_pkey")				\
	X(DROP_ENDPOINT,	"rx_drop_endpoint")			\
	X(DROP_NO_MEMORY,	"rx_drop_no_memory")			\
	X(DROP_INGRESS,		"rx_drop_ingress")			\
	X(DROP_FILTERED,	"rx_drop_filtered")			\
	X(DROP_NO_SOCKET,	"rx_drop_no_socket")			\
	X(DROP_QKEY,		"rx_drop_qkey")				\
	X(DROP_STRANGER,	"rx_drop_stranger")

#define MRC_COUNTER_ENUM(sym, name)	MRC_CNT_##sym,
enum mrc_counter {
	MRC_COUNTERS(MRC_COUNTER_ENUM)
	MRC_CNT_COUNT,
};

/** struct mrc_counters - one set per CPU. Two sums may be of different moments; no sum decreases */
struct mrc_counters {
	u64 v[MRC_CNT_COUNT];
};

extern const char *const mrc_counter_names[MRC_CNT_COUNT];

/** mrc_counter_sum() - value of a counter over all CPUs. Any context. */
u64 mrc_counter_sum(const struct mrc_counters __percpu *counters,
		    enum mrc_counter c);

/** mrc_drop_counter() - counter of a drop reason */
static inline enum mrc_counter mrc_drop_counter(enum mrc_drop why)
{
	return MRC_CNT_DROP_TRUNCATED + why;
}

#endif /* _MRC_TRANSPORT_COUNTERS_H */
