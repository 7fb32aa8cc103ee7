/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file mrc_ctl.h
 * The MRC controller API (OCP MRC API 1.0.1): ports, EV and CC profiles of a device, and what is
 * known of its paths.
 *
 * One program of a host, with CAP_NET_ADMIN, is the controller of a device. What it sets up
 * outlives it. See mrc_ctl(7) for how it goes about it.
 *
 * Every function may be called from any thread, for any object, at any time; only, an object that
 * is being destroyed must not be in use. Calls of one context wait for each other, but for those
 * that poll events and those that send requests to endpoints.
 *
 * Functions that return an int return 0; or -1, and errno has the reason, if they do not say
 * otherwise. Beside the reasons that each one names there are EINVAL (no context, a pointer is
 * NULL, an attribute that this state does not take), EPERM (the program has no CAP_NET_ADMIN),
 * ENOMEM, and EIO (the device has gone; what the last controller left cannot be read or written).
 * Functions that change something fail with EBUSY while another context, of this program or another
 * one, is the device's controller, or where what is to be changed is somebody else's.
 */
#ifndef MRC_CTL_API_H
#define MRC_CTL_API_H

#include <stdint.h>

#include <mrc.h>
#include <mrc_ctl_api_ver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of what a vendor may add to some structures. This library takes zeros, and gives them. */
#define MRC_CTL_MAX_VENDOR_CFG_SIZE 128

/** Bytes of an EV. */
#define MRC_CTL_EV_MAX_BYTES 32

/** An entry of a list of EVs that has none yet. */
#ifdef __cplusplus
#define MRC_CTL_EV_UNPOPULATED (mrc_ctl_ev{})
#else
#define MRC_CTL_EV_UNPOPULATED ((struct mrc_ctl_ev){{0}, 0})
#endif

/** Versions of the protocol on the wire, as bits. */
enum mrc_ctl_protocol_version {
    MRC_CTL_PROTOCOL_VERSION_0 = 0, /**< whichever the device likes best */
    MRC_CTL_PROTOCOL_VERSION_1 = 1 << 0,
};

/**
 * States of a profile. They are taken one by one, up and down again. A profile is not made: every
 * number has one, in INIT.
 */
enum mrc_ctl_profile_state {
    MRC_CTL_PROFILE_INIT = 0, /**< nothing is known of it */
    MRC_CTL_PROFILE_OFFLINE,  /**< being set up */
    MRC_CTL_PROFILE_ONLINE,   /**< in use, or ready for it */
};

/** What a device can that others cannot. */
enum mrc_ctl_attr_opt {
    /** EV profiles that are ONLINE take an event mask, EVs, and fields */
    MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE = 1 << 0,
    /** CC profiles that are ONLINE take a configuration */
    MRC_CTL_OPT_CAP_CC_PROFILE_MODIFY_ONLINE = 1 << 1,
    MRC_CTL_OPT_CAP_EV_EVENT = 1 << 2,                  /**< it tells of EVs that change */
    MRC_CTL_OPT_CAP_EV_EXPLICIT_RANGE = 1 << 3,         /**< fields limit explicit EVs */
    MRC_CTL_OPT_CAP_EV_EVENT_PRECISE_DROP_CNT = 1 << 4, /**< it counts events that were lost */
    MRC_CTL_OPT_CAP_EP_OP_EV_PROBE = 1 << 5,            /**< it sends EV probes on request */
};

/** A device. */
struct mrc_ctl_device_attr {
    uint32_t mrc_ctl_protocol_version; /**< enum mrc_ctl_protocol_version, all that it speaks */
    struct {
        uint32_t ev_max_fmt_profiles;  /**< EV format profiles that are not in INIT, at most */
        uint32_t ev_max_profiles;      /**< EV profiles that are not in INIT, at most */
        uint32_t ev_max_count;         /**< EVs of all profiles together, at most */
        uint32_t ev_free_count;        /**< so many of them are not taken */
        uint32_t ev_max_count_profile; /**< EVs of one profile, at most */
        uint32_t ev_count_align;       /**< EVs of a profile are a multiple of this */
        uint32_t ev_max_width;         /**< bits of an EV on the wire, at most */
        uint32_t ev_fmt_mode_mask;     /**< enum mrc_ctl_ev_fmt_mode, all that it knows */
        uint32_t ev_mode_mask;         /**< enum mrc_ctl_ev_mode, all that it knows */
        uint32_t ev_op_max_entries;    /**< entries of one call, at most; 0: any number */
    } ev;
    struct {
        uint32_t cc_max_profiles; /**< CC profiles that are not in INIT, at most */
        const char **algorithms;  /**< ends with NULL; stays the library's */
    } cc;
    uint32_t phy_port_mask; /**< bit n: there is a port n, of 1 to 31 */
    uint32_t opt_attr;      /**< enum mrc_ctl_attr_opt */
};

#if MRC_CTL_API_VER_USED >= MRC_CTL_API_VER(1, 0, 1)
/**
 * Query a device.
 * @param context an open device
 * @param mcontext its MRC context, which knows the version that the program was written to; or NULL
 * @param ctl_attr result; all zero if @p supported is 0
 * @param supported result: 0 if it is no MRC device, else 1
 * @return 0; or -1, errno
 */
int mrc_ctl_query_device_ex(struct ibv_context *context, struct mrc_context *mcontext,
                            struct mrc_ctl_device_attr *ctl_attr, int *supported);
#endif

/** As mrc_ctl_query_device_ex() without an MRC context. ENOTSUP: no MRC device */
int mrc_ctl_query_device(struct ibv_context *context, struct mrc_ctl_device_attr *ctl_attr);

/**
 * Versions of the controller API of this library; may be called before anything else. Any pointer
 * may be NULL.
 * @param current_version MRC_CTL_API_CURRENT_VERSION of the library
 * @param last_supported_version the oldest one that it takes
 * @param vendor_version the same for what a vendor adds
 * @param last_supported_vendor_version the same for what a vendor adds
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

/** A port: a plane of the device. */
struct mrc_ctl_port_attr {
    enum mrc_ctl_port_admin_state port_admin_state; /**< whether packets may take it */
};

/**
 * Query a port.
 * @param port_num 1 to 32, as planes have it
 * @param attr_mask enum mrc_ctl_port_attr_mask
 * @return 0; or -1, errno: EINVAL no such port
 */
int mrc_ctl_query_port(struct mrc_context *context, uint8_t port_num,
                       struct mrc_ctl_port_attr *attr, int attr_mask);

/** Let packets take a port, or not. As mrc_ctl_query_port(). EBUSY */
int mrc_ctl_modify_port(struct mrc_context *context, uint8_t port_num,
                        struct mrc_ctl_port_attr *attr, int attr_mask);

/* ---- EV format profiles ---------------------------------------------------- */

/** What carries an EV. */
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

/** A field of an EV on the wire; fields stand side by side, from the first bit on. */
struct mrc_ctl_ev_fmt_field {
    uint8_t width; /**< bits, from 1 on */
};

/** An EV format profile: what carries EVs, and how they are divided. */
struct mrc_ctl_ev_fmt_profile_attr {
    enum mrc_ctl_profile_state profile_state;     /**< the one to take; result: its state */
    enum mrc_ctl_profile_state cur_profile_state; /**< the one it must have; result: its state */
    enum mrc_ctl_ev_fmt_mode ev_fmt_mode;
    struct {
        enum mrc_ctl_ev_fmt_op op;
        struct mrc_ctl_ev_fmt_field *fmt_fields;
        int fmt_field_count; /**< of the array; result: of the profile */
    } ev_fmt_op;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/**
 * Set up an EV format profile. To OFFLINE it takes MODE, to ONLINE fields that were given before or
 * with it. OFFLINE takes all, ONLINE only STATE; fields may be queried in both.
 * @param attr_mask enum mrc_ctl_ev_fmt_profile_attr_mask
 * @return 0; or -1, errno: E2BIG the fields have more bits than the mode; the array is too small
 * for the fields that are queried; EBUSY an EV profile that is ONLINE has this format
 */
int mrc_ctl_modify_ev_fmt_profile(struct mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
                                  struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask);

/** Query an EV format profile. E2BIG: the array is too small, the count is the one that it takes */
int mrc_ctl_query_ev_fmt_profile(struct mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
                                 struct mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask);

/* ---- EV profiles ----------------------------------------------------------- */

/** Bits, the first one is the highest of byte 0; what is not used is zero. */
typedef uint8_t mrc_ctl_ev_t[MRC_CTL_EV_MAX_BYTES];

/** An EV: which way packets go. */
struct mrc_ctl_ev {
    mrc_ctl_ev_t val;
    uint8_t port; /**< that they leave by, 1 to 32 */
};

enum mrc_ctl_ev_state {
    MRC_CTL_EV_GOOD = 1 << 0,
    MRC_CTL_EV_ASSUMED_BAD = 1 << 1,        /**< packets to at least one peer were lost on it */
    MRC_CTL_EV_DENIED = 1 << 2,             /**< the controller wants no packets on it */
    MRC_CTL_EV_UNKNOWN = (-2147483647 - 1), /**< bit 31; nothing is sent on it */
};

/** Where the EVs of a profile come from. */
enum mrc_ctl_ev_mode {
    MRC_CTL_EV_MODE_AUTO = 1 << 0, /**< the device draws them, for each peer */
    MRC_CTL_EV_MODE_EXP = 1 << 1,  /**< the controller lists them */
    MRC_CTL_EV_MODE_GEN = 1 << 2,  /**< they are made of fields */
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
 * A field of a profile: what stands in the field of the format with the same number. On the wire it
 * is init_val, and the bits of the mask are taken from the EV, one after the other, highest first.
 */
struct mrc_ctl_ev_field {
    uint32_t width;    /**< bits, 1 to 32, no more than the format's */
    uint32_t init_val; /**< fits into width */
    uint32_t min_val;  /**< of the bits of the mask, when EVs are made */
    uint32_t max_val;  /**< the same; both 0: all values */
    uint32_t mask;     /**< within width; 0: the field is the same in all EVs */
};

enum mrc_ctl_ev_op_flags {
    MRC_CTL_EV_OP_F_ALL_COPIES = 1 << 0, /**< REPLACE_EV: wherever it stands, not but once */
};

/** An entry of an operation on EVs. EVs are equal that have the same value and port. */
struct mrc_ctl_ev_op_entry {
    struct mrc_ctl_ev ev;     /**< the one it is about; QUERY_EV_ARRAY: result */
    struct mrc_ctl_ev ev_new; /**< REPLACE_EV: what stands in its place */
    /**
     * MODIFY_EV_STATE: GOOD or DENIED; REPLACE_EV: the same, or 0 for GOOD; of queries the result
     */
    enum mrc_ctl_ev_state state;
    uint32_t flags; /**< enum mrc_ctl_ev_op_flags */
};

/** An EV profile: paths that QPs may take. */
struct mrc_ctl_ev_profile_attr {
    enum mrc_ctl_profile_state profile_state;     /**< the one to take; result: its state */
    enum mrc_ctl_profile_state cur_profile_state; /**< the one it must have; result: its state */
    enum mrc_ctl_ev_mode ev_mode;
    uint64_t ev_fmt_profile_id; /**< an EV format profile that is ONLINE */
    uint32_t ev_count;
    uint32_t ev_min_active; /**< so many stay in use, whatever becomes of them; at most ev_count */
    int ev_event_mask;      /**< GOOD, ASSUMED_BAD: EVs that become so are told of */
    struct {
        enum mrc_ctl_ev_op op;
        struct mrc_ctl_ev_op_entry *entries;
        int entry_count; /**< of the array; QUERY_EV_ARRAY: result: EVs of the profile */
    } ev_op;
    struct {
        enum mrc_ctl_ev_fields_op op;
        struct mrc_ctl_ev_field *fields;
        int field_count; /**< of the array; QUERY_FIELDS: result: of the profile */
    } ev_fields_op;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/**
 * Set up an EV profile.
 *
 * To OFFLINE it takes MODE, and but for AUTO FMT_ID and COUNT, and for GEN fields; EXP without
 * fields has EVs as they are on the wire. The list of EXP is unpopulated then, and each entry must
 * be replaced before ONLINE. To ONLINE it takes, but for AUTO, MIN_ACTIVE and EVENT_MASK; they may
 * have been given before. OFFLINE takes all attributes, ONLINE only STATE, EVENT_MASK, operations
 * on EVs, and fields. What an EV is in operations has been made of the bits that masks take.
 *
 * Entries are done one after the other; at the first that fails the call ends, and what was done
 * stays, but a profile that was in INIT is in INIT then. EVs that are not replaced keep what is
 * known of them.
 *
 * @param ev_profile_id as in mrc_qp_attr; 0 cannot be changed
 * @param attr_mask enum mrc_ctl_ev_profile_attr_mask; not both EV_OP and EV_FIELDS_OP
 * @return 0; or -1, errno: E2BIG more EVs or fields than there may be, fewer values than EVs, an
 *         array is too small for the result; ENOENT no such EV; EPERM it is profile 0; EBUSY a
 *         route names the profile, or QPs use it
 */
int mrc_ctl_modify_ev_profile(struct mrc_context *mrc_ctx, uint64_t ev_profile_id,
                              struct mrc_ctl_ev_profile_attr *attr, int attr_mask);

/**
 * Query an EV profile. What somebody has made by other means than this API is ONLINE and EXP (or
 * AUTO) with format 0 and EVs as on the wire; such as this API has no form for are zeros.
 * @return 0; or -1, errno: E2BIG the array is too small, the count is the one that it takes; ENOENT
 * no such EV
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
    enum mrc_ctl_profile_state profile_state;     /**< the one to take; result: its state */
    enum mrc_ctl_profile_state cur_profile_state; /**< the one it must have; result: its state */
    /** one of the device's; NULL: a fixed window of 1 MiB. Result: stays the library's */
    const char *algorithm;
    /**
     * the algorithm's structure. In a query it is filled in, whatever const says; or, if it is
     * NULL, becomes the library's own, until the next query of this profile by this context
     */
    const void *cc_config;
    uint8_t vendor_cfg[MRC_CTL_MAX_VENDOR_CFG_SIZE];
};

/**
 * cc_config of "uet-1.0-nscc": Ultra Ethernet's network signal congestion control. Zero stands for
 * what the device takes by itself, which a query of a profile that is ONLINE says.
 */
struct mrc_ctl_cc_nscc_cfg {
    uint8_t disable_qa;               /**< not 0: no quick adapt */
    uint32_t adjust_bytes_threshold;  /**< bytes: increases take effect after so many */
    uint32_t adjust_period_threshold; /**< ns: or after so long */
    uint32_t base_rtt;                /**< ns of a round trip in an empty network */
    float eta;                        /**< bytes that each such period adds */
    float fi;                         /**< bytes that a round trip of fair increase adds */
    float fi_scale;                   /**< of the window, that a round trip of fast increase adds */
    float gamma;                      /**< of the excess of delay, that a decrease takes; 0 to 1 */
    float max_md_jump;                /**< of the window, that a decrease leaves; 0 to 1 */
    uint32_t max_cwnd;                /**< bytes in flight, at most */
    uint8_t qa_gate;       /**< quick adapt acts below the largest window shifted right by this */
    uint32_t qa_threshold; /**< ns of delay at which it acts, too */
    uint32_t target_delay; /**< ns beyond base_rtt that are aimed at */
};

/**
 * Set up a CC profile. To OFFLINE it takes ALGORITHM, to ONLINE CONFIG if there is an algorithm; it
 * may have been given before. OFFLINE takes all attributes, ONLINE STATE and CONFIG: QPs that send
 * already keep what they have.
 * @param cc_profile_id as in mrc_qp_attr; 0 cannot be changed
 * @param attr_mask enum mrc_ctl_cc_profile_attr_mask
 * @return 0; or -1, errno: EPERM it is profile 0; E2BIG there are 1024; EBUSY a route names the
 * profile, or QPs use it
 */
int mrc_ctl_modify_cc_profile(struct mrc_context *mrc_ctx, uint64_t cc_profile_id,
                              struct mrc_ctl_cc_profile_attr *attr, int attr_mask);

/** Query a CC profile. What ecn, scope and rate of mrcctl-cc-profile(8) are it does not tell. */
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
 * Make a queue of events: an EV is told of when it becomes what the event mask of its profile has.
 * mrc_destroy_cq() destroys it; other functions for CQs refuse it.
 * @param cqe events that it holds, at least; when there are more, the latest are lost
 * @param cq_context not used
 * @param channel must be NULL: the queue wakes nobody
 * @param comp_vector not used
 * @return the queue; or NULL, errno: EINVAL, ENOTSUP there is a channel
 */
struct mrc_cq *mrc_ctl_create_ev_event_cq(struct mrc_context *mrc_ctx, int cqe, void *cq_context,
                                          struct mrc_comp_channel *channel, int comp_vector);

/* What programs have been compiled to that do not know the state has another length. */
#if MRC_CTL_API_VER_USED < MRC_CTL_API_VER(1, 0, 1)
#define MRC_CTL_POLL_EV_EVENT_NAME __asm__("mrc_ctl_poll_ev_event_v100")
#else
#define MRC_CTL_POLL_EV_EVENT_NAME
#endif

/**
 * Take events from a queue. Does not wait.
 * @param num_entries of the array
 * @return how many there were; or a negative errno value: EINVAL, EPERM, ENOMEM, EIO
 */
int mrc_ctl_poll_ev_event(struct mrc_cq *ev_cq, int num_entries,
                          struct mrc_ctl_ev_event *ev_event) MRC_CTL_POLL_EV_EVENT_NAME;

/* ---- requests to endpoints ------------------------------------------------- */

enum mrc_ctl_ep_op_type {
    MRC_CTL_EP_OP_EV_PROBE = 0,           /**< which is answered by the same EV format and port */
    MRC_CTL_EP_OP_PORT_STATUS_UPDATE = 1, /**< which of our ports can receive */
};

/** A request. */
struct mrc_ctl_ep_req {
    uint16_t req_id;                      /**< the answer has it, too */
    union ibv_gid sgid;                   /**< of this device; all zero: the one towards dgid */
    union ibv_gid dgid;                   /**< whom it is to, an IPv6 address */
    enum mrc_ctl_ev_fmt_mode ev_fmt_mode; /**< of req_ev */
    struct mrc_ctl_ev req_ev;             /**< which way it goes, as on the wire */
    union {
        struct {
            uint32_t port_status; /**< bit n: our port n can receive */
        } port_status_update;
    } op;
};

/** An answer. */
struct mrc_ctl_ep_rsp {
    uint16_t req_id;
    uint8_t port;         /**< that it came by; 0: none of the device's */
    unsigned int rtt;     /**< ns */
    uint8_t adj_svc_time; /**< not 0: rtt is without the time that the peer had it */
};

/**
 * Send requests, and wait for the answers. No EV is judged by what becomes of them.
 * @param req_tc DSCP of the packets, 0 to 63
 * @param op_type of all requests
 * @param req requests
 * @param num_req how many, from 1 on
 * @param rsp_timeout ns from sending a request to its answer, from 1 on
 * @param rsp result, in the order in which they came; has room for all
 * @param num_rsp result: how many; also when not all have come
 * @return 0; or -1, errno: ETIMEDOUT not all were answered; EAGAIN not all could be sent, for too
 *         many are under way; ENOTSUP the operation is none of the device's
 */
int mrc_ctl_ep_batch_send_wait(struct mrc_context *mrc_ctx, uint8_t req_tc,
                               enum mrc_ctl_ep_op_type op_type, struct mrc_ctl_ep_req *req,
                               int num_req, uint32_t rsp_timeout, struct mrc_ctl_ep_rsp *rsp,
                               int *num_rsp);

#ifdef __cplusplus
}
#endif

#endif /* MRC_CTL_API_H */
