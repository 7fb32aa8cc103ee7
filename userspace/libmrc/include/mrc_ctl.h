/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file mrc_ctl.h
 * The MRC controller API (OCP MRC API 1.0.1): the ports, EV profiles and CC profiles of a device,
 * and the state of its paths.
 *
 * One program of a host, with CAP_NET_ADMIN, is the controller of a device. Its settings stay when
 * the program ends. mrc_ctl(7) explains how to write a controller.
 *
 * Every function may be called from any thread, for any object, at any time, with one exception: an
 * object that is being destroyed must not be in use. Calls of one context wait for each other,
 * except calls that poll events and calls that send requests to endpoints.
 *
 * Unless a function says otherwise, a function that returns an int returns 0; or -1, and errno has
 * the reason. Besides the reasons that a function names, any function may fail with EINVAL (not a
 * context, a pointer is NULL, this state does not accept an attribute), EPERM (the program has no
 * CAP_NET_ADMIN), ENOMEM, and EIO (the device has gone, or the state that controllers leave in
 * files cannot be read or written). A function that changes something fails with EBUSY while
 * another context, of this program or of another one, is the device's controller, and when the
 * object to be changed belongs to another owner.
 */
#ifndef MRC_CTL_API_H
#define MRC_CTL_API_H

#include <stdint.h>

#include <mrc.h>
#include <mrc_ctl_api_ver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that a vendor may use in some structures. This library accepts and returns only zeros. */
#define MRC_CTL_MAX_VENDOR_CFG_SIZE 128

/** Bytes of an EV. */
#define MRC_CTL_EV_MAX_BYTES 32

/** An entry of a list of EVs that has no EV yet. */
#ifdef __cplusplus
#define MRC_CTL_EV_UNPOPULATED (mrc_ctl_ev{})
#else
#define MRC_CTL_EV_UNPOPULATED ((struct mrc_ctl_ev){{0}, 0})
#endif

/** Versions of the protocol on the wire, as bits. */
enum mrc_ctl_protocol_version {
    MRC_CTL_PROTOCOL_VERSION_0 = 0, /**< the device chooses the version */
    MRC_CTL_PROTOCOL_VERSION_1 = 1 << 0,
};

/**
 * States of a profile. A profile moves by one state at a time, up or down. Profiles need not be
 * created: every number has a profile, which is in INIT at first.
 */
enum mrc_ctl_profile_state {
    MRC_CTL_PROFILE_INIT = 0, /**< it has no attributes */
    MRC_CTL_PROFILE_OFFLINE,  /**< being set up */
    MRC_CTL_PROFILE_ONLINE,   /**< in use, or ready for it */
};

/** Optional capabilities of a device. */
enum mrc_ctl_attr_opt {
    /** EV profiles that are ONLINE accept an event mask, EVs, and fields */
    MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE = 1 << 0,
    /** CC profiles that are ONLINE accept a configuration */
    MRC_CTL_OPT_CAP_CC_PROFILE_MODIFY_ONLINE = 1 << 1,
    MRC_CTL_OPT_CAP_EV_EVENT = 1 << 2,                  /**< it reports EVs that change */
    MRC_CTL_OPT_CAP_EV_EXPLICIT_RANGE = 1 << 3,         /**< fields limit explicit EVs */
    MRC_CTL_OPT_CAP_EV_EVENT_PRECISE_DROP_CNT = 1 << 4, /**< it counts events that were lost */
    MRC_CTL_OPT_CAP_EP_OP_EV_PROBE = 1 << 5,            /**< it sends EV probes on request */
};

/** Attributes of a device. */
struct mrc_ctl_device_attr {
    uint32_t mrc_ctl_protocol_version; /**< enum mrc_ctl_protocol_version: all that it supports */
    struct {
        uint32_t ev_max_fmt_profiles;  /**< EV format profiles that are not in INIT, at most */
        uint32_t ev_max_profiles;      /**< EV profiles that are not in INIT, at most */
        uint32_t ev_max_count;         /**< EVs of all profiles together, at most */
        uint32_t ev_free_count;        /**< EVs of ev_max_count that are not taken */
        uint32_t ev_max_count_profile; /**< EVs of one profile, at most */
        uint32_t ev_count_align;       /**< EVs of a profile are a multiple of this */
        uint32_t ev_max_width;         /**< bits of an EV on the wire, at most */
        uint32_t ev_fmt_mode_mask;     /**< enum mrc_ctl_ev_fmt_mode: all that it supports */
        uint32_t ev_mode_mask;         /**< enum mrc_ctl_ev_mode: all that it supports */
        uint32_t ev_op_max_entries;    /**< entries of one call, at most; 0: any number */
    } ev;
    struct {
        uint32_t cc_max_profiles; /**< CC profiles that are not in INIT, at most */
        const char **algorithms;  /**< ends with NULL; belongs to the library */
    } cc;
    uint32_t phy_port_mask; /**< bit n: port n exists; n is 1 to 31 */
    uint32_t opt_attr;      /**< enum mrc_ctl_attr_opt */
};

#if MRC_CTL_API_VER_USED >= MRC_CTL_API_VER(1, 0, 1)
/**
 * Query a device.
 * @param context an open device
 * @param mcontext the device's MRC context, which knows the API version of the program; or NULL
 * @param ctl_attr result; all zero if @p supported is 0
 * @param supported result: 1 if it is an MRC device, else 0
 * @return 0; or -1, errno
 */
int mrc_ctl_query_device_ex(struct ibv_context *context, struct mrc_context *mcontext,
                            struct mrc_ctl_device_attr *ctl_attr, int *supported);
#endif

/** As mrc_ctl_query_device_ex() without an MRC context. errno: ENOTSUP it is not an MRC device */
int mrc_ctl_query_device(struct ibv_context *context, struct mrc_ctl_device_attr *ctl_attr);

/**
 * Query the versions of the controller API of this library. May be called before any other
 * function. Any pointer may be NULL.
 * @param current_version MRC_CTL_API_CURRENT_VERSION of the library
 * @param last_supported_version the oldest version that the library supports
 * @param vendor_version as current_version, for a vendor's additions
 * @param last_supported_vendor_version as last_supported_version, for a vendor's additions
 */
void mrc_ctl_query_version(uint32_t *current_version, uint32_t *last_supported_version,
                           uint32_t *vendor_version, uint32_t *last_supported_vendor_version);

/* ---- ports ----------------------------------------------------------------- */

enum mrc_ctl_port_admin_state {
    MRC_CTL_PORT_ADMIN_DISABLED = 0,
    MRC_CTL_PORT_ADMIN_ENABLED = 1,
};

enum mrc_ctl_port_attr_mask {
    MRC_CTL_PORT_ADMIN_STATE = 1 << 0,
};

/** Attributes of a port. A port is a plane of the device. */
struct mrc_ctl_port_attr {
    enum mrc_ctl_port_admin_state port_admin_state; /**< whether packets may use it */
};

/**
 * Query a port.
 * @param port_num 1 to 32, the port of a plane
 * @param attr_mask enum mrc_ctl_port_attr_mask
 * @return 0; or -1, errno: EINVAL the port does not exist
 */
int mrc_ctl_query_port(struct mrc_context *context, uint8_t port_num,
                       struct mrc_ctl_port_attr *attr, int attr_mask);

/** Allow packets to use a port, or forbid it. As mrc_ctl_query_port(); errno: also EBUSY */
int mrc_ctl_modify_port(struct mrc_context *context, uint8_t port_num,
                        struct mrc_ctl_port_attr *attr, int attr_mask);

/* ---- EV format profiles ---------------------------------------------------- */

/** The parts of a packet that carry an EV. */
enum mrc_ctl_ev_fmt_mode {
    MRC_CTL_EV_FMT_MODE_STEV = 1 << 0, /**< UDP source port and flow label; 32 bits */
    MRC_CTL_EV_FMT_MODE_SRV6 = 1 << 1, /**< outer IPv6 address, and a segment; 128 or 256 bits */
    MRC_CTL_EV_FMT_MODE_UDP = 1 << 2,  /**< UDP source port; 16 bits */
};

enum mrc_ctl_ev_fmt_op {
    MRC_CTL_EV_FMT_OP_MODIFY_FIELDS = 0,
    MRC_CTL_EV_FMT_OP_QUERY_FIELDS = 1,
};

enum mrc_ctl_ev_fmt_profile_attr_mask {
    MRC_CTL_EV_FMT_PROFILE_STATE = 1 << 0,
    MRC_CTL_EV_FMT_PROFILE_CUR_STATE = 1 << 1,
    MRC_CTL_EV_FMT_PROFILE_MODE = 1 << 2,
    MRC_CTL_EV_FMT_PROFILE_OP = 1 << 3,
    MRC_CTL_EV_FMT_VENDOR_CFG = (-2147483647 - 1), /**< bit 31 */
};

/** A field of an EV on the wire. Fields follow each other without gaps, from the first bit on. */
struct mrc_ctl_ev_fmt_field {
    uint8_t width; /**< bits, at least 1 */
};

/** An EV format profile: the parts of a packet that carry EVs, and the fields of an EV. */
struct mrc_ctl_ev_fmt_profile_attr {
    enum mrc_ctl_profile_state profile_state;     /**< the state to go to; result: its state */
    enum mrc_ctl_profile_state cur_profile_state; /**< the state it must have; result: its state */
    enum mrc_ctl_ev_fmt_mode ev_fmt_mode;
    struct {
        enum mrc_ctl_ev_fmt_op op;
        struct mrc_ctl_ev_fmt_field *fmt_fields;
        int fmt_field_count; /**< fields in the array; result: fields of the profile */
    } ev_fmt_op;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/**
 * Set up an EV format profile.
 *
 * The step from INIT to OFFLINE needs MODE. The step to ONLINE needs fields, given in this call or
 * before. In OFFLINE all attributes may be changed, in ONLINE only STATE. Fields may be queried in
 * both states.
 * @param attr_mask enum mrc_ctl_ev_fmt_profile_attr_mask
 * @return 0; or -1, errno: E2BIG the fields have more bits than the mode, or the array is too small
 * for the queried fields; EBUSY an EV profile that is ONLINE uses this format
 */
int mrc_ctl_modify_ev_fmt_profile(struct mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
                                  struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask);

/** Query an EV format profile. errno: E2BIG the array is too small; the count is the size needed */
int mrc_ctl_query_ev_fmt_profile(struct mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
                                 struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask);

/* ---- EV profiles ----------------------------------------------------------- */

/** Bits of an EV. The first bit is the highest of byte 0; unused bits are zero. */
typedef uint8_t mrc_ctl_ev_t[MRC_CTL_EV_MAX_BYTES];

/** An EV, which selects a path. */
struct mrc_ctl_ev {
    mrc_ctl_ev_t val;
    uint8_t port; /**< packets leave by this port, 1 to 32 */
};

enum mrc_ctl_ev_state {
    MRC_CTL_EV_GOOD = 1 << 0,
    MRC_CTL_EV_ASSUMED_BAD = 1 << 1,        /**< packets to at least one peer were lost on it */
    MRC_CTL_EV_DENIED = 1 << 2,             /**< the controller wants no packets on it */
    MRC_CTL_EV_UNKNOWN = (-2147483647 - 1), /**< bit 31; not in use: the profile is not ONLINE */
};

/** Where the EVs of a profile come from. */
enum mrc_ctl_ev_mode {
    MRC_CTL_EV_MODE_AUTO = 1 << 0, /**< the device draws them at random, for each peer */
    MRC_CTL_EV_MODE_EXP = 1 << 1,  /**< the controller lists them */
    MRC_CTL_EV_MODE_GEN = 1 << 2,  /**< the library makes them from fields */
};

enum mrc_ctl_ev_op {
    MRC_CTL_EV_OP_REPLACE_EV = 0,
    MRC_CTL_EV_OP_MODIFY_EV_STATE = 1,
    MRC_CTL_EV_OP_QUERY_EV_STATE = 2,
    MRC_CTL_EV_OP_QUERY_EV_ARRAY = 3,
};

enum mrc_ctl_ev_fields_op {
    MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS = 0,
    MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS = 1,
};

enum mrc_ctl_ev_profile_attr_mask {
    MRC_CTL_EV_PROFILE_STATE = 1 << 0,
    MRC_CTL_EV_PROFILE_CUR_STATE = 1 << 1,
    MRC_CTL_EV_PROFILE_MODE = 1 << 2,
    MRC_CTL_EV_PROFILE_FMT_ID = 1 << 3,
    MRC_CTL_EV_PROFILE_COUNT = 1 << 4,
    MRC_CTL_EV_PROFILE_MIN_ACTIVE = 1 << 5,
    MRC_CTL_EV_PROFILE_EVENT_MASK = 1 << 6,
    MRC_CTL_EV_PROFILE_EV_OP = 1 << 7,
    MRC_CTL_EV_PROFILE_EV_FIELDS_OP = 1 << 8,
    MRC_CTL_EV_PROFILE_VENDOR_CFG = (-2147483647 - 1), /**< bit 31 */
};

/**
 * A field of a profile. It gives the contents of the format's field with the same number. On the
 * wire the field is init_val, but with the bits of the mask taken from the EV, one after the other,
 * highest first.
 */
struct mrc_ctl_ev_field {
    uint32_t width;    /**< bits, 1 to 32, at most the format's width */
    uint32_t init_val; /**< a number of width bits */
    uint32_t min_val;  /**< lowest value of the bits of the mask when EVs are made */
    uint32_t max_val;  /**< highest value; min_val and max_val 0: all values */
    uint32_t mask;     /**< a number of width bits; 0: the field is the same in all EVs */
};

enum mrc_ctl_ev_op_flags {
    MRC_CTL_EV_OP_F_ALL_COPIES = 1 << 0, /**< REPLACE_EV: all equal EVs, not only the first */
};

/** An entry of an operation on EVs. Two EVs are equal if they have the same value and port. */
struct mrc_ctl_ev_op_entry {
    struct mrc_ctl_ev ev;     /**< the EV of the operation; QUERY_EV_ARRAY: result */
    struct mrc_ctl_ev ev_new; /**< REPLACE_EV: the EV that replaces ev */
    /**
     * MODIFY_EV_STATE: GOOD or DENIED; REPLACE_EV: GOOD, DENIED, or 0 for GOOD; queries: result
     */
    enum mrc_ctl_ev_state state;
    uint32_t flags; /**< enum mrc_ctl_ev_op_flags */
};

/** An EV profile: the paths that QPs may use. */
struct mrc_ctl_ev_profile_attr {
    enum mrc_ctl_profile_state profile_state;     /**< the state to go to; result: its state */
    enum mrc_ctl_profile_state cur_profile_state; /**< the state it must have; result: its state */
    enum mrc_ctl_ev_mode ev_mode;
    uint64_t ev_fmt_profile_id; /**< an EV format profile that is ONLINE */
    uint32_t ev_count;
    uint32_t ev_min_active; /**< this many EVs stay in use even if they are bad; at most ev_count */
    int ev_event_mask;      /**< GOOD, ASSUMED_BAD: an EV that enters such a state is an event */
    struct {
        enum mrc_ctl_ev_op op;
        struct mrc_ctl_ev_op_entry *entries;
        int entry_count; /**< entries in the array; QUERY_EV_ARRAY: result: EVs of the profile */
    } ev_op;
    struct {
        enum mrc_ctl_ev_fields_op op;
        struct mrc_ctl_ev_field *fields;
        int field_count; /**< fields in the array; QUERY_FIELDS: result: fields of the profile */
    } ev_fields_op;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/**
 * Set up an EV profile.
 *
 * The step from INIT to OFFLINE needs MODE; in modes EXP and GEN also FMT_ID and COUNT; in mode GEN
 * also fields. Without fields, the EVs of mode EXP are as on the wire. The list of mode EXP is
 * unpopulated at first, and each entry must be replaced before the step to ONLINE. The step to
 * ONLINE needs MIN_ACTIVE and EVENT_MASK, except in mode AUTO; both may have been given before. In
 * OFFLINE all attributes may be changed; in ONLINE only STATE, EVENT_MASK, EVs (by operations), and
 * fields. With fields, the value of an EV in operations consists of the bits that the fields' masks
 * take.
 *
 * Entries are processed one after the other. The first entry that fails ends the call. The entries
 * before it stay done, but a profile that was in INIT stays in INIT. EVs that are not replaced keep
 * their state.
 *
 * @param ev_profile_id as in mrc_qp_attr; 0 cannot be changed
 * @param attr_mask enum mrc_ctl_ev_profile_attr_mask; not both EV_OP and EV_FIELDS_OP
 * @return 0; or -1, errno: E2BIG too many EVs or fields, fields with fewer values than EVs, or an
 *         array that is too small for the result; ENOENT an EV does not exist; EPERM it is profile
 *         0; EBUSY a route names the profile, or QPs use it
 */
int mrc_ctl_modify_ev_profile(struct mrc_context *mrc_ctx, uint64_t ev_profile_id,
                              struct mrc_ctl_ev_profile_attr *attr, int attr_mask);

/**
 * Query an EV profile. A profile that was made by other means than this API is ONLINE, in mode EXP
 * or AUTO, with format 0 and EVs as on the wire. An EV that this API cannot express is all zero.
 * @return 0; or -1, errno: E2BIG the array is too small, and the count is set to the size needed;
 * ENOENT an EV does not exist
 */
int mrc_ctl_query_ev_profile(struct mrc_context *mrc_ctx, uint64_t ev_profile_id,
                             struct mrc_ctl_ev_profile_attr *attr, int attr_mask);

/* ---- CC profiles ----------------------------------------------------------- */

enum mrc_ctl_cc_profile_attr_mask {
    MRC_CTL_CC_PROFILE_STATE = 1 << 0,
    MRC_CTL_CC_PROFILE_CUR_STATE = 1 << 1,
    MRC_CTL_CC_PROFILE_ALGORITHM = 1 << 2,
    MRC_CTL_CC_PROFILE_CONFIG = 1 << 3,
    MRC_CTL_CC_PROFILE_VENDOR_CFG = (-2147483647 - 1), /**< bit 31 */
};

/** A CC profile: how QPs share the network. */
struct mrc_ctl_cc_profile_attr {
    enum mrc_ctl_profile_state profile_state;     /**< the state to go to; result: its state */
    enum mrc_ctl_profile_state cur_profile_state; /**< the state it must have; result: its state */
    /** one of the device's algorithms; NULL: a fixed window of 1 MiB. The library owns a result */
    const char *algorithm;
    /**
     * the algorithm's structure. A query fills it in, in spite of const. If it is NULL, a query
     * sets it to memory of the library, valid until this context's next query of this profile
     */
    const void *cc_config;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/**
 * cc_config of "uet-1.0-nscc": Ultra Ethernet's network signal congestion control. Zero stands for
 * the device's own choice. A query of a profile that is ONLINE returns that choice.
 */
struct mrc_ctl_cc_nscc_cfg {
    uint8_t disable_qa;               /**< not 0: no quick adapt */
    uint32_t adjust_bytes_threshold;  /**< increases take effect after this many bytes */
    uint32_t adjust_period_threshold; /**< or after this many ns */
    uint32_t base_rtt;                /**< ns of a round trip in an idle network */
    float eta;                        /**< bytes that each such period adds to the window */
    float fi;                         /**< bytes that a round trip of fair increase adds */
    float fi_scale;        /**< share of the window that a round trip of fast increase adds */
    float gamma;           /**< share of the excess delay that a decrease removes; 0 to 1 */
    float max_md_jump;     /**< share of the window that a decrease leaves at least; 0 to 1 */
    uint32_t max_cwnd;     /**< bytes in flight, at most */
    uint8_t qa_gate;       /**< quick adapt acts below the largest window shifted right by this */
    uint32_t qa_threshold; /**< ns of delay at which quick adapt acts, too */
    uint32_t target_delay; /**< delay that NSCC aims at, ns beyond base_rtt */
};

/**
 * Set up a CC profile.
 *
 * The step from INIT to OFFLINE needs ALGORITHM. The step to ONLINE needs CONFIG if there is an
 * algorithm, given in this call or before. In OFFLINE all attributes may be changed, in ONLINE only
 * STATE and CONFIG; QPs that send already keep the old configuration.
 * @param cc_profile_id as in mrc_qp_attr; 0 cannot be changed
 * @param attr_mask enum mrc_ctl_cc_profile_attr_mask
 * @return 0; or -1, errno: EPERM it is profile 0; E2BIG there are 1024 CC profiles already; EBUSY a
 * route names the profile, or QPs use it
 */
int mrc_ctl_modify_cc_profile(struct mrc_context *mrc_ctx, uint64_t cc_profile_id,
                              struct mrc_ctl_cc_profile_attr *attr, int attr_mask);

/** Query a CC profile. The result does not include ecn, scope and rate of mrcctl-cc-profile(8). */
int mrc_ctl_query_cc_profile(struct mrc_context *mrc_ctx, uint64_t cc_profile_id,
                             struct mrc_ctl_cc_profile_attr *attr, int attr_mask);

/* ---- EV events ------------------------------------------------------------- */

/** An EV has changed. */
struct mrc_ctl_ev_event {
    uint64_t profile_id;
    struct mrc_ctl_ev ev;
    uint32_t drop_count; /**< 1: events before this one were lost; else 0 */
#if MRC_CTL_API_VER_USED >= MRC_CTL_API_VER(1, 0, 1)
    enum mrc_ctl_ev_state state; /**< its state now */
#endif
};

/**
 * Make a queue of EV events. There is an event when an EV enters a state that is in the event mask
 * of its profile. mrc_destroy_cq() destroys the queue; other functions for CQs refuse it.
 * @param cqe events that the queue holds, at least; when it is full, new events are lost
 * @param cq_context not used
 * @param channel must be NULL: the queue wakes no program
 * @param comp_vector not used
 * @return the queue; or NULL, errno: EINVAL, ENOTSUP channel is not NULL
 */
struct mrc_cq *mrc_ctl_create_ev_event_cq(struct mrc_context *mrc_ctx, int cqe, void *cq_context,
                                          struct mrc_comp_channel *channel, int comp_vector);

/* Programs compiled for 1.0.0 have shorter events, without a state, and call another function. */
#if MRC_CTL_API_VER_USED < MRC_CTL_API_VER(1, 0, 1)
#define MRC_CTL_POLL_EV_EVENT_NAME __asm__("mrc_ctl_poll_ev_event_v100")
#else
#define MRC_CTL_POLL_EV_EVENT_NAME
#endif

/**
 * Take events from a queue. Does not wait.
 * @param num_entries size of the array
 * @return the number of events taken; or a negative errno value: EINVAL, EPERM, ENOMEM, EIO
 */
int mrc_ctl_poll_ev_event(struct mrc_cq *ev_cq, int num_entries,
                          struct mrc_ctl_ev_event *ev_event) MRC_CTL_POLL_EV_EVENT_NAME;

/* ---- requests to endpoints ------------------------------------------------- */

enum mrc_ctl_ep_op_type {
    MRC_CTL_EP_OP_EV_PROBE = 0,           /**< probe; its answer has the same EV format and port */
    MRC_CTL_EP_OP_PORT_STATUS_UPDATE = 1, /**< tells which of our ports can receive */
};

/** A request. */
struct mrc_ctl_ep_req {
    uint16_t req_id;    /**< the answer has it, too */
    union ibv_gid sgid; /**< GID of this device; all zero: the one used towards dgid */
    union ibv_gid dgid; /**< destination, an IPv6 address */
    enum mrc_ctl_ev_fmt_mode ev_fmt_mode; /**< mode of req_ev */
    struct mrc_ctl_ev req_ev;             /**< EV of the request, as on the wire */
    union {
        struct {
            uint32_t port_status; /**< bit n: our port n can receive */
        } port_status_update;
    } op;
};

/** An answer. */
struct mrc_ctl_ep_rsp {
    uint16_t req_id;
    uint8_t port;         /**< port that it came by; 0: none of the device's */
    unsigned int rtt;     /**< ns */
    uint8_t adj_svc_time; /**< not 0: rtt excludes the time that the peer had the request */
};

/**
 * Send requests, and wait for the answers. The results do not change the state of any EV.
 * @param req_tc DSCP of the packets, 0 to 63
 * @param op_type operation of all requests
 * @param req requests
 * @param num_req number of requests, at least 1
 * @param rsp_timeout ns from sending a request to its answer, at least 1
 * @param rsp result: the answers, in the order in which they came; must have room for num_req
 * @param num_rsp result: number of answers, also on errors
 * @return 0; or -1, errno: ETIMEDOUT not all requests were answered; EAGAIN not all could be sent,
 *         because too many are under way; ENOTSUP the device does not have the operation
 */
int mrc_ctl_ep_batch_send_wait(struct mrc_context *mrc_ctx, uint8_t req_tc,
                               enum mrc_ctl_ep_op_type op_type, struct mrc_ctl_ep_req *req,
                               int num_req, uint32_t rsp_timeout, struct mrc_ctl_ep_rsp *rsp,
                               int *num_rsp);

#ifdef __cplusplus
}
#endif

#endif /* MRC_CTL_API_H */
