/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file mrc.h
 * The MRC application API (OCP MRC API 1.0.1): reliable connections whose packets take many paths.
 *
 * Devices, protection domains, memory regions and GIDs are those of libibverbs. This library makes
 * QPs, CQs and the objects that belong to them. mrc(7) explains how to write a program.
 *
 * Every function may be called from any thread, for any object, at any time, with one exception: an
 * object that is being destroyed must not be in use.
 *
 * Unless a function says otherwise, it fails as follows. A function that returns a pointer returns
 * NULL. A function that returns an int returns either -1 or an errno value; each function says
 * which. All of them set errno.
 */
#ifndef MRC_API_H
#define MRC_API_H

#include <stdint.h>

#include <infiniband/verbs.h>

#include <mrc_api_ver.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mrc_context;
struct mrc_qp_hint;
struct mrc_qp;
struct mrc_cq;
struct mrc_comp_channel;

/** Bytes that a vendor may use in some structures. This library accepts and returns only zeros. */
#define MRC_MAX_VENDOR_CFG_SIZE 128

/** Versions of the protocol on the wire, as bits. */
enum mrc_protocol_version {
    MRC_PROTOCOL_VERSION_0 = 0, /**< the device chooses the version */
    MRC_PROTOCOL_VERSION_1 = 1 << 0,
};

/** Capabilities of a device. */
enum mrc_device_cap {
    MRC_DEVICE_CAP_TRIM_NACK = 1 << 0,   /**< it reports trimmed packets to their sender */
    MRC_DEVICE_CAP_DYNAMIC_MPR = 1 << 1, /**< the responder's window may change */
    MRC_DEVICE_CAP_SVC_TIME = 1 << 2,    /**< its answers say how long it had the packet */
};

/** Attributes of a device. */
struct mrc_device_attr {
    uint32_t mrc_protocol_version; /**< enum mrc_protocol_version: all that it supports */
    struct {
        uint16_t max_wimm;      /**< largest max_wimm of a QP */
        uint16_t max_wimm_dest; /**< largest max_wimm_dest of a QP */
    } wimm_attr;
    struct {
        uint8_t max_mpr;        /**< largest mpr and mpr_dest of a QP, units of 128 PSNs */
        uint8_t mpr_resolution; /**< mpr and mpr_dest are multiples of this */
    } mpr_attr;
    struct {
        uint32_t max_qp_hint; /**< useful hints: the device's number of QPs; more may be made */
    } qp_attr;
    uint32_t cap; /**< enum mrc_device_cap */
};

#if MRC_API_VER_USED >= MRC_API_VER(1, 0, 1)
/**
 * Query a device.
 * @param context an open device
 * @param mcontext the device's MRC context, which knows the API version of the program; or NULL
 * @param attr result; all zero if @p supported is 0
 * @param supported result: 1 if it is an MRC device, else 0
 * @return 0; or -1, errno: EINVAL a pointer is NULL, or mcontext is not a context; EIO the device
 *         has gone; ENOSYS libibverbs lacks a function that this library calls
 */
int mrc_query_device_ex(struct ibv_context *context, struct mrc_context *mcontext,
                        struct mrc_device_attr *attr, int *supported);
#endif

/** As mrc_query_device_ex() without an MRC context. */
int mrc_query_device(struct ibv_context *context, struct mrc_device_attr *attr, int *supported);

/**
 * Query the versions of this library. May be called before any other function. Any pointer may be
 * NULL.
 * @param current_version MRC_API_CURRENT_VERSION of the library
 * @param last_supported_version the oldest version that the library supports
 * @param vendor_version as current_version, for a vendor's additions
 * @param last_supported_vendor_version as last_supported_version, for a vendor's additions
 */
void mrc_query_version(uint32_t *current_version, uint32_t *last_supported_version,
                       uint32_t *vendor_version, uint32_t *last_supported_vendor_version);

/** The API versions that a program was written for. */
struct mrc_context_attr {
    uint32_t mrc_api_version_used;        /**< MRC_API_VER_USED; 0: unknown */
    uint32_t mrc_vendor_api_version_used; /**< MRC_VENDOR_API_VER_USED; 0: unknown */
};

/**
 * Make a context, to which all other objects belong.
 * @param vcontext an open MRC device; the program must keep it open as long as the context exists
 * @param context_attr may be NULL
 * @return the context; or NULL, errno: EINVAL no device is given, or a version is newer than the
 * library's; ENOTSUP it is not an MRC device; ENOMEM; EIO
 *
 * Libraries that do not know of each other may make several contexts of one open device. But events
 * belong to the open device, so a library that reads events should open the device itself.
 */
struct mrc_context *mrc_create_context(struct ibv_context *vcontext,
                                       struct mrc_context_attr *context_attr);

/**
 * Destroy a context and all its objects: QPs, CQs, hints, channels, in this order. Events that the
 * program has not acknowledged count as acknowledged.
 * @return 0; or -1, errno: EINVAL it is not a context
 */
int mrc_destroy_context(struct mrc_context *mrc_ctx);

/**
 * Make a channel for CQ events.
 * @param channel result
 * @return 0; or -1, errno: EINVAL, or as ibv_create_comp_channel()
 */
int mrc_create_comp_channel(struct mrc_context *mrc_ctx, struct mrc_comp_channel **channel);

/**
 * Get the file of a channel, for poll() and the like. The channel keeps it, so do not close it.
 * @return 0; or -1, errno: EINVAL
 */
int mrc_get_comp_channel_fd(struct mrc_comp_channel *channel, int *fd);

/** Destroy a channel. @return 0; or an errno value: EINVAL, EBUSY a CQ uses it */
int mrc_destroy_comp_channel(struct mrc_comp_channel *channel);

/**
 * Make a CQ.
 * @param cqe completions that the CQ holds, at least
 * @param cq_context mrc_get_cq_event() returns it
 * @param channel the channel for the CQ's events; may be NULL
 * @param comp_vector one of the device's completion vectors
 * @return the CQ; or NULL, errno: EINVAL, or as ibv_create_cq()
 */
struct mrc_cq *mrc_create_cq(struct mrc_context *mrc_ctx, int cqe, void *cq_context,
                             struct mrc_comp_channel *channel, int comp_vector);

/**
 * Take completions from a CQ.
 * @param cq a CQ; not checked
 * @param num_entries size of the array wc
 * @param wc result
 * @return the number of completions, less than num_entries if there were no more; or -1
 */
int mrc_poll_cq(struct mrc_cq *cq, int num_entries, struct ibv_wc *wc);

/**
 * Destroy a CQ; waits until all its events are acknowledged.
 * @return 0; or an errno value: EINVAL, EBUSY a QP uses it
 */
int mrc_destroy_cq(struct mrc_cq *cq);

/** A program's advance knowledge of its traffic. This library stores it, but does not use it. */
struct mrc_qp_hint_attr {
    int num_qps_per_peer;      /**< QPs that send to one host at once */
    int num_send_peers;        /**< hosts that QPs send to at once */
    int num_remote_recv_peers; /**< remote QPs that send to the same host as this one */
    uint8_t vendor_cfg[MRC_MAX_VENDOR_CFG_SIZE];
};

/** Fields of struct mrc_qp_hint_attr. */
enum mrc_qp_hint_attr_mask {
    MRC_QP_HINT_NUM_QPS_PER_PEER = 1 << 0,
    MRC_QP_HINT_NUM_SEND_PEERS = 1 << 1,
    MRC_QP_HINT_NUM_REMOTE_RECV_PEERS = 1 << 2,
    MRC_QP_HINT_VENDOR_CFG = -2147483647 - 1, /**< bit 31 */
};

/** Initial attributes of a hint. */
struct mrc_qp_hint_init_attr {
    struct mrc_qp_hint_attr attr;
};

/**
 * Make a hint, which any number of QPs may use.
 * @param init_attr NULL: all zero
 * @return the hint; or NULL, errno: EINVAL not a context, or a number is negative; ENOMEM
 */
struct mrc_qp_hint *mrc_create_qp_hint(struct mrc_context *mrc_ctx,
                                       struct mrc_qp_hint_init_attr *init_attr);

/** Destroy a hint. @return 0; or -1, errno: EINVAL; EBUSY a QP uses it */
int mrc_destroy_qp_hint(struct mrc_qp_hint *qp_hint);

/**
 * Query a hint.
 * @param qp_hint_attr result: the fields that the mask names
 * @param qp_hint_attr_mask enum mrc_qp_hint_attr_mask
 * @return 0; or -1, errno: EINVAL
 */
int mrc_query_qp_hint(struct mrc_qp_hint *qp_hint, struct mrc_qp_hint_attr *qp_hint_attr,
                      int qp_hint_attr_mask);

/**
 * Change a hint: the fields that the mask names, all or none.
 * @return 0; or -1, errno: EINVAL, also if a number is negative
 */
int mrc_modify_qp_hint(struct mrc_qp_hint *qp_hint, struct mrc_qp_hint_attr *qp_hint_attr,
                       int qp_hint_attr_mask);

/** Initial attributes of a QP. */
struct mrc_qp_init_attr {
    void *qp_context; /**< for the program's use */
    struct mrc_cq *send_cq;
    struct mrc_cq *recv_cq; /**< may be the same as send_cq */
    struct ibv_qp_cap cap;  /**< sizes of its queues; the granted sizes are written back */
    int sq_sig_all;         /**< not 0: every send completes */
    struct ibv_pd *pd;
    uint64_t
        send_ops_flags; /**< enum ibv_qp_create_send_ops_flags: none, RDMA_WRITE, and it WITH_IMM */
    enum mrc_protocol_version protocol_version;
};

/**
 * Make a QP, in state RESET.
 * @return the QP; or NULL, errno: EINVAL an object is missing or belongs to another context, or the
 *         device does not support the protocol version; EOPNOTSUPP MRC does not have one of the
 *         operations; or as ibv_create_qp()
 */
struct mrc_qp *mrc_create_qp(struct mrc_context *mrc_ctx, struct mrc_qp_init_attr *mrc_qp_attr);

/** Destroy a QP; waits until all its events are acknowledged. @return 0; or an errno value */
int mrc_destroy_qp(struct mrc_qp *qp);

/** Fields of struct mrc_qp_attr. Each may be set until the QP is in the state named here. */
enum mrc_qp_attr_mask {
    MRC_QP_MAX_WIMM = 1 << 0,            /**< RTS */
    MRC_QP_MAX_WIMM_DEST = 1 << 1,       /**< RTR */
    MRC_QP_MPR = 1 << 2,                 /**< RTS */
    MRC_QP_MPR_DEST = 1 << 3,            /**< RTR */
    MRC_QP_TIMEOUT = 1 << 4,             /**< RTS */
    MRC_QP_EV_PROFILE_ID = 1 << 5,       /**< RTR */
    MRC_QP_CC_PROFILE_ID = 1 << 6,       /**< RTR */
    MRC_QP_HINT = 1 << 7,                /**< any */
    MRC_QP_RETRY_CNT = 1 << 8,           /**< RTS */
    MRC_QP_CAP = 1 << 9,                 /**< any */
    MRC_QP_VENDOR_CFG = -2147483647 - 1, /**< bit 31 */
};

/** Capabilities that a QP uses, or that the peer lacks. */
enum mrc_qp_cap {
    MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED = 1 << 0, /**< the peer does not report trimmed packets */
    MRC_QP_CAP_DYNAMIC_MPR = 1 << 1,                /**< the peer's window may change */
    MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED = 1 << 2,  /**< the peer does not report service times */
};

/** Attributes of a QP that MRC has beyond verbs. */
struct mrc_qp_attr {
    struct {
        uint8_t mpr;      /**< window of the requester, units of 128 PSNs; 0: the default */
        uint8_t mpr_dest; /**< window of the responder; 0: the default */
    } mpr;
    struct {
        uint16_t max_wimm;      /**< WriteImm requests in flight; 0: the default */
        uint16_t max_wimm_dest; /**< WriteImm requests accepted at once; 0: the default */
    } wimm;
    uint8_t timeout; /**< n, at most 24: time until the first retransmission, 1.024 us times 2^n */
    struct {
        uint64_t ev_profile_id; /**< 0: the device's route decides */
        uint64_t cc_profile_id; /**< 0: the device's route decides */
    } profile;
    struct {
        uint8_t linear_cnt; /**< retransmissions with the same timeout, at most 7 */
        uint8_t exp_cnt;    /**< further ones, each doubling the timeout; at most 25: for ever */
    } retry;
    struct mrc_qp_hint *qp_hint; /**< NULL: none */
    uint32_t cap;                /**< enum mrc_qp_cap */
    uint8_t vendor_cfg[MRC_MAX_VENDOR_CFG_SIZE];
};

/**
 * Query a QP, in any state.
 * @param vattr result, may be NULL
 * @param vattr_mask enum ibv_qp_attr_mask
 * @param mrc_attr result: the fields that mrc_attr_mask names; not used if it names none
 * @param mrc_attr_mask enum mrc_qp_attr_mask
 * @param init_attr result: all fields; may be NULL
 * @return 0; or an errno value
 */
int mrc_query_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
                 struct mrc_qp_attr *mrc_attr, int mrc_attr_mask,
                 struct mrc_qp_init_attr *init_attr);

/**
 * Change a QP, mostly its state. The change is made as a whole, or not at all.
 * @param vattr as for ibv_modify_qp(); may be NULL if vattr_mask is 0
 * @param vattr_mask enum ibv_qp_attr_mask
 * @param mrc_attr not used if mrc_attr_mask is 0
 * @param mrc_attr_mask enum mrc_qp_attr_mask; ignored in transitions to ERR and RESET
 * @return 0; or an errno value: EINVAL a value is out of range, EBUSY it is too late to set a
 * field, ENOENT a profile does not exist, or as ibv_modify_qp()
 *
 * Any field of mrc_attr may be left out. A timeout or retry count of MRC overrides that of verbs.
 * Retry counts of verbs beyond 7 count as 7.
 */
int mrc_modify_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
                  struct mrc_qp_attr *mrc_attr, int mrc_attr_mask);

/** Get the number of a QP, in any state. @return 0; or -1, errno: EINVAL */
int mrc_get_qpn(struct mrc_qp *qp, uint32_t *qpn);

/**
 * Post receives, which WriteImm requests consume. Their buffers are not written to, and may be
 * missing.
 * @param qp a QP; not checked
 * @return 0; or an errno value, which errno has, too
 */
int mrc_post_recv(struct mrc_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

/**
 * Post IBV_WR_RDMA_WRITE and IBV_WR_RDMA_WRITE_WITH_IMM.
 * @param qp a QP; not checked
 * @return 0; or an errno value, which errno has, too: EOPNOTSUPP or EINVAL it is another operation,
 * ENOMEM the queue is full
 */
int mrc_post_send(struct mrc_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);

/** An event of a CQ, a QP or the port. */
struct mrc_async_event {
    union {
        struct mrc_cq *cq;
        struct mrc_qp *qp;
        int port_num;
    } element;
    enum ibv_event_type event_type;
};

/**
 * Wait for the next event.
 * @return 0; or -1, errno as ibv_get_async_event()
 *
 * Contexts of the same open device share its events: each context gets the events of its own
 * objects, and all events of the port. Events of objects that belong to no context are acknowledged
 * and skipped.
 */
int mrc_get_async_event(struct mrc_context *mrc_ctx, struct mrc_async_event *event);

/** Acknowledge an event. Every event needs it, once: its object cannot be destroyed before. */
void mrc_ack_async_event(struct mrc_async_event *event);

/**
 * Ask for an event when the next completion comes.
 * @param solicited_only not 0: only for a solicited completion or an error. Packets of this
 * protocol do not mark completions as solicited, so every receive counts as solicited
 * @return 0; or an errno value
 */
int mrc_req_notify_cq(struct mrc_cq *cq, int solicited_only);

/**
 * Wait for the next CQ event of a channel.
 * @param cq result
 * @param cq_context result: the cq_context that was given to mrc_create_cq()
 * @return 0; or -1, errno
 */
int mrc_get_cq_event(struct mrc_comp_channel *channel, struct mrc_cq **cq, void **cq_context);

/** Acknowledge CQ events. Every event needs it: the CQ cannot be destroyed before. */
void mrc_ack_cq_events(struct mrc_cq *cq, unsigned int nevents);

#ifdef __cplusplus
}
#endif

#endif /* MRC_API_H */
