/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file mrc.h
 * The MRC application API (OCP MRC API 1.0.1): reliable connections whose packets take many paths.
 *
 * Devices, protection domains, memory regions and GIDs are those of libibverbs; QPs, CQs and what
 * belongs to them are made here. See mrc(7) for how a program goes about it.
 *
 * Every function may be called from any thread, for any object, at any time; only, an object that
 * is being destroyed must not be in use.
 *
 * How functions fail, if they do not say otherwise: those that return a pointer return NULL, those
 * that return an int either -1 or an errno value, as is said of each; all set errno.
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

/** Bytes of what a vendor may add to some structures. This library takes zeros, and gives them. */
#define MRC_MAX_VENDOR_CFG_SIZE 128

/** Versions of the protocol on the wire, as bits. */
enum mrc_protocol_version {
    MRC_PROTOCOL_VERSION_0 = 0, /**< whichever the device likes best */
    MRC_PROTOCOL_VERSION_1 = 1 << 0,
};

/** What a device can do. */
enum mrc_device_cap {
    MRC_DEVICE_CAP_TRIM_NACK = 1 << 0,   /**< it tells the sender of trimmed packets */
    MRC_DEVICE_CAP_DYNAMIC_MPR = 1 << 1, /**< the responder's window may change */
    MRC_DEVICE_CAP_SVC_TIME = 1 << 2,    /**< answers tell how long it had the packet */
};

/** A device. */
struct mrc_device_attr {
    uint32_t mrc_protocol_version; /**< enum mrc_protocol_version, all that it speaks */
    struct {
        uint16_t max_wimm;      /**< largest max_wimm of a QP */
        uint16_t max_wimm_dest; /**< largest max_wimm_dest of a QP */
    } wimm_attr;
    struct {
        uint8_t max_mpr;        /**< largest mpr and mpr_dest of a QP, units of 128 PSNs */
        uint8_t mpr_resolution; /**< they are multiples of so many units */
    } mpr_attr;
    struct {
        uint32_t max_qp_hint; /**< as many hints are of use: QPs of the device; there may be more */
    } qp_attr;
    uint32_t cap; /**< enum mrc_device_cap */
};

#if MRC_API_VER_USED >= MRC_API_VER(1, 0, 1)
/**
 * Query a device.
 * @param context an open device
 * @param mcontext its MRC context, which knows the version that the program was written to; or NULL
 * @param attr result; all zero if @p supported is 0
 * @param supported result: 0 if it is no MRC device, else 1
 * @return 0; or -1, errno: EINVAL a pointer is NULL, or no context; EIO the device has gone; ENOSYS
 *         libibverbs has not all that this library calls
 */
int mrc_query_device_ex(struct ibv_context *context, struct mrc_context *mcontext,
                        struct mrc_device_attr *attr, int *supported);
#endif

/** As mrc_query_device_ex() without an MRC context. */
int mrc_query_device(struct ibv_context *context, struct mrc_device_attr *attr, int *supported);

/**
 * Versions of this library; may be called before anything else. Any pointer may be NULL.
 * @param current_version MRC_API_CURRENT_VERSION of the library
 * @param last_supported_version the oldest one that it takes
 * @param vendor_version the same for what a vendor adds
 * @param last_supported_vendor_version the same for what a vendor adds
 */
void mrc_query_version(uint32_t *current_version, uint32_t *last_supported_version,
                       uint32_t *vendor_version, uint32_t *last_supported_vendor_version);

/** What a program was written to. */
struct mrc_context_attr {
    uint32_t mrc_api_version_used;        /**< MRC_API_VER_USED; 0: not said */
    uint32_t mrc_vendor_api_version_used; /**< MRC_VENDOR_API_VER_USED; 0: not said */
};

/**
 * Make what all other objects belong to.
 * @param vcontext an open MRC device; stays the program's, and open as long as the context is there
 * @param context_attr may be NULL
 * @return the context; or NULL, errno: EINVAL no device, or a version that is newer than the
 * library; ENOTSUP no MRC device; ENOMEM; EIO
 *
 * Several may be made of one device, by libraries that do not know of each other. Events belong to
 * the open device, though: who reads them should have it open for himself.
 */
struct mrc_context *mrc_create_context(struct ibv_context *vcontext,
                                       struct mrc_context_attr *context_attr);

/**
 * Destroy a context and all objects that it has: QPs, CQs, hints, channels, in this order. Events
 * that the program has not acknowledged count as acknowledged.
 * @return 0; or -1, errno: EINVAL no context
 */
int mrc_destroy_context(struct mrc_context *mrc_ctx);

/**
 * Make a channel that CQ events arrive by.
 * @param channel result
 * @return 0; or -1, errno: EINVAL, and those of ibv_create_comp_channel()
 */
int mrc_create_comp_channel(struct mrc_context *mrc_ctx, struct mrc_comp_channel **channel);

/**
 * The file of a channel, for poll() and the like; stays the channel's.
 * @return 0; or -1, errno: EINVAL
 */
int mrc_get_comp_channel_fd(struct mrc_comp_channel *channel, int *fd);

/** Destroy a channel. @return 0; or an errno value: EINVAL, EBUSY a CQ uses it */
int mrc_destroy_comp_channel(struct mrc_comp_channel *channel);

/**
 * Make a CQ.
 * @param cqe completions that it holds, at least
 * @param cq_context what mrc_get_cq_event() gives back
 * @param channel where its events arrive; may be NULL
 * @param comp_vector which of the device's completion vectors
 * @return the CQ; or NULL, errno: EINVAL, and those of ibv_create_cq()
 */
struct mrc_cq *mrc_create_cq(struct mrc_context *mrc_ctx, int cqe, void *cq_context,
                             struct mrc_comp_channel *channel, int comp_vector);

/**
 * Take completions.
 * @param cq a CQ; is not checked
 * @param num_entries as many at most
 * @param wc result
 * @return how many; fewer than asked: there were no more; or -1
 */
int mrc_poll_cq(struct mrc_cq *cq, int num_entries, struct ibv_wc *wc);

/**
 * Destroy a CQ; waits until all its events are acknowledged.
 * @return 0; or an errno value: EINVAL, EBUSY a QP uses it
 */
int mrc_destroy_cq(struct mrc_cq *cq);

/** What a program knows beforehand of its traffic. This library keeps it, and heeds none of it. */
struct mrc_qp_hint_attr {
    int num_qps_per_peer;      /**< QPs that send to one host at once */
    int num_send_peers;        /**< hosts that are sent to at once */
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

/** A hint as it is made. */
struct mrc_qp_hint_init_attr {
    struct mrc_qp_hint_attr attr;
};

/**
 * Make a hint, for any number of QPs.
 * @param init_attr NULL: all zero
 * @return the hint; or NULL, errno: EINVAL no context, or a number is negative; ENOMEM
 */
struct mrc_qp_hint *mrc_create_qp_hint(struct mrc_context *mrc_ctx,
                                       struct mrc_qp_hint_init_attr *init_attr);

/** Destroy a hint. @return 0; or -1, errno: EINVAL; EBUSY a QP has it */
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
 * @return 0; or -1, errno: EINVAL, a number is negative, too
 */
int mrc_modify_qp_hint(struct mrc_qp_hint *qp_hint, struct mrc_qp_hint_attr *qp_hint_attr,
                       int qp_hint_attr_mask);

/** A QP as it is made. */
struct mrc_qp_init_attr {
    void *qp_context; /**< the program's */
    struct mrc_cq *send_cq;
    struct mrc_cq *recv_cq; /**< may be the same */
    struct ibv_qp_cap cap;  /**< of its queues; what was granted is written back */
    int sq_sig_all;         /**< every send completes */
    struct ibv_pd *pd;
    uint64_t
        send_ops_flags; /**< enum ibv_qp_create_send_ops_flags: none, RDMA_WRITE, and it WITH_IMM */
    enum mrc_protocol_version protocol_version;
};

/**
 * Make a QP, in state RESET.
 * @return the QP; or NULL, errno: EINVAL an object is none, or of another context, or a protocol
 *         version that the device does not speak; EOPNOTSUPP operations that MRC has not; and those
 *         of ibv_create_qp()
 */
struct mrc_qp *mrc_create_qp(struct mrc_context *mrc_ctx, struct mrc_qp_init_attr *mrc_qp_attr);

/** Destroy a QP; waits until all its events are acknowledged. @return 0; or an errno value */
int mrc_destroy_qp(struct mrc_qp *qp);

/** Fields of struct mrc_qp_attr, and when they may be set: until the QP is in that state. */
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

/** What one QP does, or the other end does not. */
enum mrc_qp_cap {
    MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED = 1
                                            << 0,  /**< the peer does not tell of trimmed packets */
    MRC_QP_CAP_DYNAMIC_MPR = 1 << 1,               /**< the peer's window may change */
    MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED = 1 << 2, /**< the peer does not tell service times */
};

/** What MRC has beyond verbs. */
struct mrc_qp_attr {
    struct {
        uint8_t mpr;      /**< window of the requester, units of 128 PSNs; 0: the default */
        uint8_t mpr_dest; /**< window of the responder; 0: the default */
    } mpr;
    struct {
        uint16_t max_wimm;      /**< WriteImm requests in flight; 0: the default */
        uint16_t max_wimm_dest; /**< those that are taken; 0: the default */
    } wimm;
    uint8_t timeout; /**< n, at most 24: the first retransmission is after 1.024 us times 2^n */
    struct {
        uint64_t ev_profile_id; /**< 0: as the device's routes say */
        uint64_t cc_profile_id; /**< 0: as the device's routes say */
    } profile;
    struct {
        uint8_t linear_cnt; /**< retransmissions after the same time, at most 7 */
        uint8_t exp_cnt;    /**< and then after twice the time before, at most 25: for ever */
    } retry;
    struct mrc_qp_hint *qp_hint; /**< NULL: none */
    uint32_t cap;                /**< enum mrc_qp_cap */
    uint8_t vendor_cfg[MRC_MAX_VENDOR_CFG_SIZE];
};

/**
 * Query a QP, in any state.
 * @param vattr result, may be NULL
 * @param vattr_mask enum ibv_qp_attr_mask
 * @param mrc_attr result: the fields that the mask names; not looked at if it names none
 * @param mrc_attr_mask enum mrc_qp_attr_mask
 * @param init_attr result, all of it; may be NULL
 * @return 0; or an errno value
 */
int mrc_query_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
                 struct mrc_qp_attr *mrc_attr, int mrc_attr_mask,
                 struct mrc_qp_init_attr *init_attr);

/**
 * Change a QP, mostly its state. It is done as a whole, or not at all.
 * @param vattr as of ibv_modify_qp(); NULL is fine if its mask names nothing
 * @param vattr_mask enum ibv_qp_attr_mask
 * @param mrc_attr not looked at if the mask names none of its fields
 * @param mrc_attr_mask enum mrc_qp_attr_mask; not looked at on the way to ERR and RESET
 * @return 0; or an errno value: EINVAL out of range, EBUSY too late for a field, ENOENT there is no
 * such profile, and those of ibv_modify_qp()
 *
 * All fields of MRC may be left out. A timeout or retry count of MRC counts, whatever those of
 * verbs say. Retry counts of verbs beyond 7 are 7.
 */
int mrc_modify_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
                  struct mrc_qp_attr *mrc_attr, int mrc_attr_mask);

/** The number of a QP, from when it is made. @return 0; or -1, errno: EINVAL */
int mrc_get_qpn(struct mrc_qp *qp, uint32_t *qpn);

/**
 * Post receives: for WriteImm. Their buffers are not written to, and may be none.
 * @param qp a QP; is not checked
 * @return 0; or an errno value, which errno has, too
 */
int mrc_post_recv(struct mrc_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

/**
 * Post IBV_WR_RDMA_WRITE and IBV_WR_RDMA_WRITE_WITH_IMM.
 * @param qp a QP; is not checked
 * @return 0; or an errno value, which errno has, too: EOPNOTSUPP or EINVAL another operation,
 * ENOMEM no room
 */
int mrc_post_send(struct mrc_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);

/** What has happened to a CQ, a QP or the port. */
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
 * @return 0; or -1, errno as of ibv_get_async_event()
 *
 * Contexts of the same open device share its events: each gets those of its own objects, and all of
 * the port's. Events of objects that are no context's are acknowledged and passed over.
 */
int mrc_get_async_event(struct mrc_context *mrc_ctx, struct mrc_async_event *event);

/** Every event is to be acknowledged, once: its object cannot be destroyed before. */
void mrc_ack_async_event(struct mrc_async_event *event);

/**
 * Ask for an event when the next completion comes.
 * @param solicited_only not 0: the next one that the peer has marked, or an error; no packet of
 * this protocol has such a mark, so that each receive counts
 * @return 0; or an errno value
 */
int mrc_req_notify_cq(struct mrc_cq *cq, int solicited_only);

/**
 * Wait for the next CQ event of a channel.
 * @param cq result
 * @param cq_context result: as given to mrc_create_cq()
 * @return 0; or -1, errno
 */
int mrc_get_cq_event(struct mrc_comp_channel *channel, struct mrc_cq **cq, void **cq_context);

/** Every CQ event is to be acknowledged: the CQ cannot be destroyed before. */
void mrc_ack_cq_events(struct mrc_cq *cq, unsigned int nevents);

#ifdef __cplusplus
}
#endif

#endif /* MRC_API_H */
