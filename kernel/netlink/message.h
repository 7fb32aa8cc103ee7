/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all commands of the family share: finding the device that a request names, starting
 * messages, walking the devices in dumps. The commands' handlers are in one file per kind of object
 * (device, plane, ...); spec.h, which is generated from mrc.yaml, declares them.
 */
#ifndef _MRC_NETLINK_MESSAGE_H
#define _MRC_NETLINK_MESSAGE_H

#include <net/genetlink.h>
#include <linux/mrc.h>

#include "spec.h"

#include "../compat/compat_netlink.h"
#include "../net/change.h"
#include "../transport/device/device.h"
#include "../transport/peer/peer.h"
#include "../transport/profile/route.h"

struct mrc_cc_profile;
struct mrc_ev_profile;

/* A message about one device, plane, profile, route, peer or QP is smaller than this. */
#define MRC_NL_MSG_SIZE		(8u << 10)

extern struct genl_family mrc_nl_family;

/**
 * struct mrc_nl_to - the receiver of a message, and the message's header
 * @portid: receiver
 * @seq: sequence number of the request
 * @flags: NLM_F_*
 * @cb: the dump that the message belongs to, or NULL
 * @admin: the receiver may see what helps to forge packets (PSNs, EV bits)
 */
struct mrc_nl_to {
	u32 portid;
	u32 seq;
	int flags;
	struct netlink_callback *cb;
	bool admin;
};

/** mrc_nl_to_requester() - for the answer to request @info, which came in @skb */
struct mrc_nl_to mrc_nl_to_requester(struct sk_buff *skb,
				     struct genl_info *info);
/** mrc_nl_to_dump() - for a message of a dump */
struct mrc_nl_to mrc_nl_to_dump(struct netlink_callback *cb);
/** mrc_nl_to_listeners() - for a notification, which never shows what only @admin may see */
struct mrc_nl_to mrc_nl_to_listeners(void);

/**
 * mrc_nl_start() - begin a message: put its header and the attributes that name the device
 * @skb: receives the message
 * @to: the message's receiver
 * @cmd: MRC_CMD_*
 * @dev: device, or NULL
 *
 * Return: the header, for genlmsg_end() and genlmsg_cancel(), or NULL when @skb is full.
 */
void *mrc_nl_start(struct sk_buff *skb, const struct mrc_nl_to *to, u8 cmd,
		   struct mrc_dev *dev);

/** mrc_nl_put_u64() - put a 64-bit attribute of a set whose padding is MRC_A_PAD */
static inline int mrc_nl_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, MRC_A_PAD);
}

/**
 * mrc_nl_pre_doit() - find the device that a request names, and check that no attribute is missing
 * @ops: the request's operation
 * @skb: the request
 * @info: gets the device for mrc_nl_dev(); none for MRC_CMD_INFO_GET, which is about no device
 *
 * Return: 0; with extack set -EINVAL when the request names no device or lacks an attribute, or
 * -ENODEV when no such device exists.
 */
int mrc_nl_pre_doit(const struct mrc_genl_pre_ops *ops, struct sk_buff *skb,
		    struct genl_info *info);
/** mrc_nl_post_doit() - give the device back after the handler, whatever the handler returned */
void mrc_nl_post_doit(const struct mrc_genl_pre_ops *ops, struct sk_buff *skb,
		      struct genl_info *info);

/** mrc_nl_dev() - the device that a request names; the handler may use it until it returns */
static inline struct mrc_dev *mrc_nl_dev(struct genl_info *info)
{
	return info->user_ptr[0];
}

/**
 * mrc_nl_require() - check an attribute that only some requests of an operation must have
 *
 * Return: 0, or -EINVAL with extack set to @missing when attribute @type is missing.
 */
int mrc_nl_require(struct genl_info *info, int type, const char *missing);

/** mrc_nl_change_of() - the request, for functions that may refuse it */
static inline struct mrc_change mrc_nl_change_of(struct genl_info *info)
{
	return (struct mrc_change) {
		.extack = info->extack,
		.attrs = info->attrs,
	};
}

/**
 * mrc_nl_change_by() - as mrc_nl_change_of(), for an operation whose objects have owners
 * @info: the request
 * @owner: attribute that may name an owner
 * @claim: flag attribute by which a request spares the objects of other owners; 0: a request that
 *         names an owner always spares them
 */
static inline struct mrc_change mrc_nl_change_by(struct genl_info *info, int owner, int claim)
{
	struct mrc_change change = mrc_nl_change_of(info);

	change.owns = info->attrs[owner];
	if (change.owns)
		change.owner = nla_get_u8(info->attrs[owner]);
	change.claims = claim ? info->attrs[claim] : info->attrs[owner];
	return change;
}

/* As mrc_refuse(), for reasons that a handler finds itself. */
#define mrc_nl_refuse(info, err, type, text) ({				\
	const struct mrc_change __change = mrc_nl_change_of(info);	\
	mrc_refuse(&__change, err, type, text);				\
})

/** mrc_nl_reply() - send an answer; if @err is set, throw the answer away and return @err */
int mrc_nl_reply(struct sk_buff *skb, struct genl_info *info, int err);

/** mrc_nl_changed() - mark dumps that are under way now as inconsistent. Any context. */
void mrc_nl_changed(void);

/**
 * struct mrc_nl_cursor - position of a dump, in struct netlink_callback::ctx
 * @dev: index of the device
 * @sub: inner position; belongs to the handler
 * @started: the request has been looked at
 * @one: the request names a device
 * @done: nothing is left to show
 * @torn: an object was shown in pieces, and the pieces are not of one time
 * @next: number to continue from on this device, 0 on a new device; belongs to the handler
 * @route: the route that was shown last, if @sub is not 0; belongs to the handler
 */
struct mrc_nl_cursor {
	u32 dev;
	u16 sub;
	bool started : 1;
	bool one : 1;
	bool done : 1;
	bool torn : 1;
	union {
		u64 next;
		struct mrc_route_key route;
	};
};

/* In netlink_callback::prev_seq this marks the message that follows as inconsistent. */
#define MRC_NL_SEQ_NONE	U32_MAX

static inline struct mrc_nl_cursor *mrc_nl_cursor(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct mrc_nl_cursor) > sizeof(cb->ctx));
	return (struct mrc_nl_cursor *)cb->ctx;
}

/**
 * mrc_nl_resume() - continue an object that is shown in pieces, from @sub of the cursor on
 * @cb: the dump
 * @version: the object's version, not 0
 *
 * If the pieces before were of another version, the dump is torn.
 */
static inline void mrc_nl_resume(struct netlink_callback *cb, u32 version)
{
	if (mrc_nl_cursor(cb)->sub && cb->prev_seq != version)
		mrc_nl_cursor(cb)->torn = true;
	cb->seq = version;
}

/** mrc_nl_lost() - the object that was being shown in pieces, if any, is gone */
static inline void mrc_nl_lost(struct netlink_callback *cb)
{
	if (mrc_nl_cursor(cb)->sub)
		mrc_nl_cursor(cb)->torn = true;
	mrc_nl_cursor(cb)->sub = 0;
}

/**
 * mrc_nl_dump() - run a handler for each device that a dump request asks for
 * @skb: receives messages
 * @cb: the dump
 * @fill: the handler: puts the messages about @dev, from the cursor on. It returns -EMSGSIZE when
 *        @skb is full, to continue from the cursor next time; other errors end the dump
 *
 * Return: as struct genl_ops::dumpit must.
 */
int mrc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		int (*fill)(struct sk_buff *skb, struct netlink_callback *cb,
			    struct mrc_dev *dev));

int mrc_nl_plane_fill(struct sk_buff *skb, struct mrc_dev *dev,
		      struct mrc_plane *plane);

/* Put the attributes that both answers and events have. Return: 0 or -EMSGSIZE. */
int mrc_nl_put_ev_profile(struct sk_buff *skb, const struct mrc_ev_profile *p);
int mrc_nl_put_ev(struct sk_buff *skb, const struct mrc_nl_to *to,
		  const struct mrc_ev_profile *p, u16 index);
int mrc_nl_put_cc_profile(struct sk_buff *skb, const struct mrc_cc_profile *p);
int mrc_nl_put_route(struct sk_buff *skb, const struct mrc_route *r,
		     bool prefix, const struct in6_addr *gid);

/* Puts the history of an EV, which is the same in dumps and events. Under RCU. */
int mrc_nl_put_peer_ev_history(struct sk_buff *skb,
			       const struct mrc_peer_evs *evs, unsigned int i);

/**
 * mrc_nl_put_cc_counts() - put the counters of congestion contexts
 * @skb: receives them
 * @first: attribute for MRC_CC_FAST in the set that is shown; the others follow it
 * @count: counters, by enum mrc_cc_count
 */
int mrc_nl_put_cc_counts(struct sk_buff *skb, int first, const u64 *count);

struct mrc_event;

/* Results of EV probes: the bytes that they take at most, and the attributes. Process context. */
size_t mrc_nl_probes_size(const struct mrc_event *event);
int mrc_nl_put_probes(struct sk_buff *skb, const struct mrc_event *event);

int mrc_nl_events_init(void);
void mrc_nl_events_exit(void);

#endif /* _MRC_NETLINK_MESSAGE_H */
