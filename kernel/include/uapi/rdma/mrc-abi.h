/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * Verbs ABI of mrc devices: identity, rings in shared memory, the answers of create calls, and
 * driver methods. The kernel module and the provider use this header unchanged.
 */
#ifndef _UAPI_RDMA_MRC_ABI_H
#define _UAPI_RDMA_MRC_ABI_H

#include <linux/types.h>

/*
 * libibverbs finds the provider of a device by this number: "MRC" in ASCII, and a 1. The number has
 * 32 bits and may be chosen freely. A large fixed number stays clear of the small ones that the
 * kernel hands out.
 */
#define MRC_DRIVER_ID		0x4d524331
#define MRC_ABI_VERSION		2

/*
 * A ring: one mapping of this header, followed by 1 << log_entries entries of entry_size bytes.
 * Indices run freely modulo 2^32. The producing side stores the entry, then the index with release
 * order; the consuming side loads the index with acquire order. The kernel trusts neither an entry
 * nor an index of the program.
 *
 * A request stays outstanding, and its entry taken, until its completion or the completion of a
 * later request has been polled: see index in struct mrc_cqe. The consumer index of a send or
 * receive ring only says what the kernel has read. When the QP is reset, the kernel sets both
 * indices to its own. The ring of an SRQ is different: the kernel copies an entry when it takes it,
 * and whatever is before the consumer index is free.
 */
struct mrc_ring {
	__u32 producer;
	__u32 reserved0[15];
	__u32 consumer;
	__u32 flags;
	__u32 reserved1[14];
	__u8 entries[];
};

/*
 * Flag in receive rings, set by the kernel. It asks the program to ring the receive doorbell after
 * posting, because the kernel waits for receives: the QP is in error, and receives are flushed; or
 * a message has come while no receive was posted for it; or the peer was told that none is posted.
 * The kernel sets the flag before it loads the producer index for the last time. The program loads
 * the flag after it has stored the producer index. Both put a full barrier between. In the ring of
 * an SRQ the flag asks for MRC_METHOD_SRQ_DOORBELL: a QP has found no receive there.
 */
#define MRC_RING_DOORBELL	(1u << 0)

/* Limits of QPs, SRQs and CQs. A ring's number of entries is rounded up to a power of two. */
#define MRC_MAX_QP_WR		16384
#define MRC_MAX_SRQ_WR		32768
#define MRC_MAX_CQE		4194304
#define MRC_MAX_SGE		16
#define MRC_MAX_INLINE		512

/**
 * enum mrc_wr_opcode - requests in the send ring
 */
enum mrc_wr_opcode {
	MRC_WR_WRITE		= 0,
	MRC_WR_WRITE_IMM	= 1,
	/* With MRC_FEATURE_SENDS: */
	MRC_WR_SEND		= 2,
	MRC_WR_SEND_IMM		= 3,
	/* With MRC_FEATURE_READS: */
	MRC_WR_READ		= 4,
	MRC_WR_CMP_SWAP		= 5,
	MRC_WR_FETCH_ADD	= 6,
	/* UD QPs, with MRC_FEATURE_UD, have MRC_WR_SEND and MRC_WR_SEND_IMM only. */
};

#define MRC_WR_SIGNALED		(1u << 0)
#define MRC_WR_INLINE		(1u << 1)
/* A SEND asks for an event at the receiver. With MRC_FEATURE_SENDS. */
#define MRC_WR_SOLICITED	(1u << 2)
/* The request begins when earlier READs and atomics are complete. With MRC_FEATURE_READS. */
#define MRC_WR_FENCE		(1u << 3)

struct mrc_wr_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/**
 * struct mrc_wr_atomic - what an atomic does
 * @compare_add: compared, or added
 * @swap: swapped in; only with MRC_WR_CMP_SWAP
 * @addr: where the 8 bytes go that were there before
 */
struct mrc_wr_atomic {
	__aligned_u64 compare_add;
	__aligned_u64 swap;
	__aligned_u64 addr;
};

/**
 * struct mrc_send_wr - an entry of the send ring
 * @wr_id: comes back in the CQE
 * @remote_addr: address to write to or to read; not of a SEND
 * @ah: of UD QPs: number of the address handle
 * @remote_qpn: of UD QPs: the QP that the datagram is for
 * @rkey: remote key; not of a SEND
 * @remote_qkey: of UD QPs: Q_Key of that QP; one with the highest bit stands for the sender's own
 * @imm_data: network byte order
 * @opcode: enum mrc_wr_opcode
 * @flags: MRC_WR_*
 * @num_sge: elements of @sge; 0 with MRC_WR_INLINE, and of atomics
 * @inline_len: bytes of @inline_data; only with MRC_WR_INLINE
 * @lkey: key of the region of @atomic; only of atomics
 */
struct mrc_send_wr {
	__aligned_u64 wr_id;
	union {
		__aligned_u64 remote_addr;
		struct {
			__u32 ah;
			__u32 remote_qpn;
		};
	};
	union {
		__u32 rkey;
		__u32 remote_qkey;
	};
	__be32 imm_data;
	__u32 opcode;
	__u32 flags;
	__u32 num_sge;
	union {
		__u32 inline_len;
		__u32 lkey;
	};
	union {
		struct mrc_wr_sge sge[1];
		__u8 inline_data[1];
		struct mrc_wr_atomic atomic;
	};
};

/**
 * struct mrc_recv_wr - an entry of the receive ring
 * @wr_id: comes back in the CQE
 * @num_sge: elements of @sge; without MRC_FEATURE_SENDS there is no room for any
 * @reserved: zero
 * @sge: memory that a SEND is written to; an immediate of a write leaves the memory alone. A datagram
 *       comes behind 40 bytes, its IPv6 header
 */
struct mrc_recv_wr {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved;
	struct mrc_wr_sge sge[];
};

/**
 * struct mrc_cqe - an entry of the completion ring
 * @wr_id: the request's
 * @imm_data: network byte order, with MRC_CQE_IMM
 * @byte_len: bytes of the message
 * @qpn: local QP
 * @index: entries before this index are free, in the receive ring when @opcode has the bit
 *         IBV_WC_RECV, else in the send ring; says nothing of receives of an SRQ
 * @status: enum ibv_wc_status
 * @opcode: enum ibv_wc_opcode
 * @flags: MRC_CQE_*; of a datagram that has come, the bits from MRC_CQE_SRC_QP_SHIFT on hold the
 *         number of the QP that sent it
 */
struct mrc_cqe {
	__aligned_u64 wr_id;
	__be32 imm_data;
	__u32 byte_len;
	__u32 qpn;
	__u32 index;
	__u16 status;
	__u16 opcode;
	__u32 flags;
};

#define MRC_CQE_IMM	(1u << 0)
/* A datagram: there is an IPv6 header before the payload; or 20 bytes of nothing and an IPv4 header. */
#define MRC_CQE_GRH	(1u << 1)
#define MRC_CQE_GRH_IP4	(1u << 2)
#define MRC_CQE_SRC_QP_SHIFT	8

/*
 * Answers grow at their end. comp_mask says which fields follow it: none yet. Older modules do not
 * write comp_mask, so a library sets it to 0 beforehand. A module writes no more of an answer than
 * the library has room for. Whatever a library sends besides the core's commands must be zero, or
 * the module refuses it (EOPNOTSUPP): there is nothing to ask for yet, and a module must not seem
 * to do what it does not know.
 */

/* The QP has the methods MRC_METHOD_QP_*_DOORBELL. */
#define MRC_FEATURE_DOORBELLS	(1u << 0)
/* QPs send and receive SENDs: the device setting extensions was on when the device was opened. */
#define MRC_FEATURE_SENDS	(1u << 1)
/* QPs read and do atomics, as above. */
#define MRC_FEATURE_READS	(1u << 2)
/* QPs may have an SRQ, which has the method MRC_METHOD_SRQ_DOORBELL. */
#define MRC_FEATURE_SRQS	(1u << 3)
/* There are UD QPs and address handles: the device setting extensions was on, as above. */
#define MRC_FEATURE_UD		(1u << 4)

/**
 * struct mrc_alloc_ucontext_resp - answer to the opening of the device
 * @abi_version: MRC_ABI_VERSION
 * @max_inline: MRC_MAX_INLINE
 * @comp_mask: see above
 * @features: MRC_FEATURE_*
 */
struct mrc_alloc_ucontext_resp {
	__u32 abi_version;
	__u32 max_inline;
	__u32 comp_mask;
	__u32 features;
};

/**
 * struct mrc_ring_info - how to map a ring
 * @offset: for mmap() of the context's file
 * @size: bytes to map
 * @entry_size: bytes
 * @log_entries: 1 << log_entries entries
 */
struct mrc_ring_info {
	__aligned_u64 offset;
	__aligned_u64 size;
	__u32 entry_size;
	__u32 log_entries;
};

struct mrc_create_cq_resp {
	struct mrc_ring_info cq;
	__u32 comp_mask;
	__u32 reserved;
};

struct mrc_create_srq_resp {
	struct mrc_ring_info srq;
	__u32 comp_mask;
	__u32 reserved;
};

/* Of a QP with an SRQ, rq is zero. */
struct mrc_create_qp_resp {
	struct mrc_ring_info sq;
	struct mrc_ring_info rq;
	__u32 comp_mask;
	__u32 reserved;
};

/**
 * struct mrc_create_ah_resp - answer to the creation of an address handle
 * @number: for the send ring
 * @comp_mask: see above
 */
struct mrc_create_ah_resp {
	__u32 number;
	__u32 comp_mask;
};

/*
 * Driver methods on the QP object of the uverbs ioctl (UVERBS_OBJECT_QP): MRC's own attributes, and
 * doorbells. Only the process that owns the QP can call them.
 *
 * SET and QUERY take the QP's handle and one struct mrc_abi_qp_attr. SET changes the fields named
 * in the mask and no others. Profiles, mpr_rx and wimm_rx can be set until RTR, the other fields
 * until RTS; later SET fails with EBUSY. QUERY returns all fields.
 */
enum mrc_qp_methods {
	MRC_METHOD_QP_SET	= 0x1000,
	MRC_METHOD_QP_QUERY,
	MRC_METHOD_QP_SEND_DOORBELL,
	MRC_METHOD_QP_RECV_DOORBELL,
};

enum mrc_qp_set_attrs {
	MRC_ATTR_QP_SET_HANDLE	= 0x1000,
	MRC_ATTR_QP_SET_VALUES,
};

enum mrc_qp_query_attrs {
	MRC_ATTR_QP_QUERY_HANDLE = 0x1000,
	MRC_ATTR_QP_QUERY_VALUES,
};

/*
 * The doorbells say that a ring has entries. Each takes only the QP's handle. They do the same as
 * POST_SEND and POST_RECV without requests, which stay for older libraries. But any process that
 * has the QP may call them, even if its credentials have changed since it opened the device.
 */
enum mrc_qp_send_doorbell_attrs {
	MRC_ATTR_QP_SEND_DOORBELL_HANDLE = 0x1000,
};

enum mrc_qp_recv_doorbell_attrs {
	MRC_ATTR_QP_RECV_DOORBELL_HANDLE = 0x1000,
};

/* A doorbell of SRQs (UVERBS_OBJECT_SRQ), likewise. */
enum mrc_srq_methods {
	MRC_METHOD_SRQ_DOORBELL	= 0x1000,
};

enum mrc_srq_doorbell_attrs {
	MRC_ATTR_SRQ_DOORBELL_HANDLE = 0x1000,
};

#define MRC_QP_ATTR_EV_PROFILE	(1u << 0)
#define MRC_QP_ATTR_CC_PROFILE	(1u << 1)
#define MRC_QP_ATTR_MPR_RX	(1u << 2)
#define MRC_QP_ATTR_MPR_TX	(1u << 3)
#define MRC_QP_ATTR_WIMM_RX	(1u << 4)
#define MRC_QP_ATTR_WIMM_TX	(1u << 5)
#define MRC_QP_ATTR_TIMEOUT	(1u << 6)
#define MRC_QP_ATTR_LINEAR	(1u << 7)
#define MRC_QP_ATTR_EXP		(1u << 8)
#define MRC_QP_ATTR_ALL		((1u << 9) - 1)
/*
 * With SET: the fields get these values, but count as not set, so that a timeout or retries of
 * verbs count again. Meant for libraries that undo a change of theirs.
 */
#define MRC_QP_ATTR_UNSET	(1u << 31)

/**
 * struct mrc_abi_qp_attr - MRC's own attributes of a QP; see struct mrc_qp_params of the kernel
 * @mask: MRC_QP_ATTR_* bits of the fields that count
 * @reserved: zero
 */
struct mrc_abi_qp_attr {
	__aligned_u64 ev_profile;
	__aligned_u64 cc_profile;
	__u32 mask;
	__u16 wimm_rx;
	__u16 wimm_tx;
	__u8 mpr_rx;
	__u8 mpr_tx;
	__u8 timeout;
	__u8 linear;
	__u8 exp;
	__u8 reserved[3];
};

/*
 * A driver method on the device object of the uverbs ioctl (UVERBS_OBJECT_DEVICE). It returns what
 * an mrc device has beyond verbs. On another driver's device it fails, so it also tells whether a
 * device is an mrc device.
 */
enum mrc_device_methods {
	MRC_METHOD_DEVICE_QUERY	= 0x1000,
};

enum mrc_device_query_attrs {
	MRC_ATTR_DEVICE_QUERY_VALUES = 0x1000,
};

/* The device accepts trimmed packets, and reports them to their sender (device setting trim). */
#define MRC_ABI_DEVICE_CAP_TRIM_NACK	(1u << 0)

/**
 * struct mrc_abi_device_attr - limits of a device
 * @comp_mask: says which fields follow @reserved: none yet
 * @caps: MRC_ABI_DEVICE_CAP_*
 * @max_qp: QPs
 * @max_wimm_rx: largest wimm_rx of struct mrc_abi_qp_attr
 * @max_wimm_tx: largest wimm_tx
 * @max_mpr: largest mpr_rx and mpr_tx, units of 128 PSNs
 * @reserved: zero
 *
 * The structure grows at its end. A library gets as much of it as it has room for, and zeros in the
 * fields that the module does not know.
 */
struct mrc_abi_device_attr {
	__u32 comp_mask;
	__u32 caps;
	__u32 max_qp;
	__u16 max_wimm_rx;
	__u16 max_wimm_tx;
	__u8 max_mpr;
	__u8 reserved[7];
};

#endif /* _UAPI_RDMA_MRC_ABI_H */
