/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the nouns of the family share: finding the device a request names,
 * starting messages, walking devices in dumps. Their handlers, one file per noun, are
 * declared in spec.h, which is made of mrc.yaml.
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

/* Messages of one device, plane, profile, route, peer or QP are smaller. */
#define MRC_NL_MSG_SIZE		(8u << 10)

extern struct genl_family mrc_nl_family;

/**
 * struct mrc_nl_to - where a message goes and what its header says
 * @portid: receiver
 * @seq: of the request
 * @flags: NLM_F_*
 * @cb: the dump it belongs to, or NULL
 * @admin: the receiver may see what helps to forge packets (PSNs, EV bits)
 */
struct mrc_nl_to {
	u32 portid;
	u32 seq;
	int flags;
	struct netlink_callback *cb;
	bool admin;
};

/** mrc_nl_to_requester() - answer to @info, whose request came in @skb */
struct mrc_nl_to mrc_nl_to_requester(struct sk_buff *skb,
				     struct genl_info *info);
/** mrc_nl_to_dump() - part of a dump */
struct mrc_nl_to mrc_nl_to_dump(struct netlink_callback *cb);
/** mrc_nl_to_listeners() - a notification; never shows what only @admin may see */
struct mrc_nl_to mrc_nl_to_listeners(void);

/**
 * mrc_nl_start() - message header and the attributes that name the device
 * @skb: receives it
 * @to: where it goes
 * @cmd: MRC_CMD_*
 * @dev: device, or NULL
 *
 * Return: what genlmsg_end() and genlmsg_cancel() want, or NULL when @skb is full.
 */
void *mrc_nl_start(struct sk_buff *skb, const struct mrc_nl_to *to, u8 cmd,
		   struct mrc_dev *dev);

/** mrc_nl_put_u64() - 64-bit attribute of a set that has its padding at MRC_A_PAD */
static inline int mrc_nl_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, MRC_A_PAD);
}

/**
 * mrc_nl_pre_doit() - find the device that a request names, and see that nothing is missing
 * @ops: the request's operation
 * @skb: the request
 * @info: gets the device for mrc_nl_dev(); none for MRC_CMD_INFO_GET, which is about no device
 *
 * Return: 0, or with extack set -EINVAL when it names none or an attribute is missing, -ENODEV
 * when there is no device like that.
 */
int mrc_nl_pre_doit(const struct mrc_genl_pre_ops *ops, struct sk_buff *skb,
		    struct genl_info *info);
/** mrc_nl_post_doit() - after the handler, whatever it returned */
void mrc_nl_post_doit(const struct mrc_genl_pre_ops *ops, struct sk_buff *skb,
		      struct genl_info *info);

/** mrc_nl_dev() - the device that a request names; its handler may use it until it returns */
static inline struct mrc_dev *mrc_nl_dev(struct genl_info *info)
{
	return info->user_ptr[0];
}

/**
 * mrc_nl_require() - of an attribute that only some requests of an operation must have
 *
 * Return: 0, or -EINVAL with extack set when attribute @type is missing.
 */
int mrc_nl_require(struct genl_info *info, int type, const char *missing);

/** mrc_nl_change_of() - the request, for those who may refuse it */
static inline struct mrc_change mrc_nl_change_of(struct genl_info *info)
{
	return (struct mrc_change) {
		.extack = info->extack,
		.attrs = info->attrs,
	};
}

/**
 * mrc_nl_change_by() - the request, of an operation whose objects have owners
 * @info: the request
 * @owner: attribute that may name one
 * @claim: flag of a request that leaves alone what is another's; 0: those that name one do
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

/* As mrc_refuse(), for what a handler finds itself. */
#define mrc_nl_refuse(info, err, type, text) ({				\
	const struct mrc_change __change = mrc_nl_change_of(info);	\
	mrc_refuse(&__change, err, type, text);				\
})

/** mrc_nl_reply() - send an answer, or throw it away and return @err */
int mrc_nl_reply(struct sk_buff *skb, struct genl_info *info, int err);

/** mrc_nl_changed() - a dump that is under way now is inconsistent. Any context. */
void mrc_nl_changed(void);

/**
 * struct mrc_nl_cursor - where a dump stands, in struct netlink_callback::ctx
 * @dev: index of the device
 * @sub: handler's: inner position
 * @started: the request has been looked at
 * @one: the request names a device
 * @done: nothing is left to show
 * @torn: what was shown in pieces is not of one time
 * @next: handler's: number to go on from on this device; 0 on a new device
 * @route: handler's: the one that was shown last, when @sub says that there was one
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

/* In netlink_callback::prev_seq: the message that follows is marked as inconsistent. */
#define MRC_NL_SEQ_NONE	U32_MAX

static inline struct mrc_nl_cursor *mrc_nl_cursor(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct mrc_nl_cursor) > sizeof(cb->ctx));
	return (struct mrc_nl_cursor *)cb->ctx;
}

/**
 * mrc_nl_resume() - go on with something that is shown in pieces, from @sub of the cursor on
 * @cb: the dump
 * @version: of it, not 0
 *
 * With pieces of another version before, the dump is torn.
 */
static inline void mrc_nl_resume(struct netlink_callback *cb, u32 version)
{
	if (mrc_nl_cursor(cb)->sub && cb->prev_seq != version)
		mrc_nl_cursor(cb)->torn = true;
	cb->seq = version;
}

/** mrc_nl_lost() - what was being shown in pieces, if something was, is gone */
static inline void mrc_nl_lost(struct netlink_callback *cb)
{
	if (mrc_nl_cursor(cb)->sub)
		mrc_nl_cursor(cb)->torn = true;
	mrc_nl_cursor(cb)->sub = 0;
}

/**
 * mrc_nl_dump() - run a handler for each device a dump request asks for
 * @skb: receives messages
 * @cb: the dump
 * @fill: puts what belongs to @dev, from the cursor on; -EMSGSIZE: @skb is full, go on from
 *        the cursor next time; other errors end the dump
 *
 * Return: as struct genl_ops::dumpit wants.
 */
int mrc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		int (*fill)(struct sk_buff *skb, struct netlink_callback *cb,
			    struct mrc_dev *dev));

int mrc_nl_plane_fill(struct sk_buff *skb, struct mrc_dev *dev,
		      struct mrc_plane *plane);

/* What answers and events have of these, besides the device. Return: 0 or -EMSGSIZE. */
int mrc_nl_put_ev_profile(struct sk_buff *skb, const struct mrc_ev_profile *p);
int mrc_nl_put_ev(struct sk_buff *skb, const struct mrc_nl_to *to,
		  const struct mrc_ev_profile *p, u16 index);
int mrc_nl_put_cc_profile(struct sk_buff *skb, const struct mrc_cc_profile *p);
int mrc_nl_put_route(struct sk_buff *skb, const struct mrc_route *r,
		     bool prefix, const struct in6_addr *gid);

/* What an EV has been through: the same in dumps and events. Under RCU. */
int mrc_nl_put_peer_ev_history(struct sk_buff *skb,
			       const struct mrc_peer_evs *evs, unsigned int i);

/**
 * mrc_nl_put_cc_counts() - what congestion contexts count
 * @skb: receives it
 * @first: attribute of MRC_CC_FAST, in the set that is shown; the others follow
 * @count: see enum mrc_cc_count
 */
int mrc_nl_put_cc_counts(struct sk_buff *skb, int first, const u64 *count);

struct mrc_event;

/* What became of EV probes: bytes that this takes at most, and the attributes. Process context. */
size_t mrc_nl_probes_size(const struct mrc_event *event);
int mrc_nl_put_probes(struct sk_buff *skb, const struct mrc_event *event);

int mrc_nl_events_init(void);
void mrc_nl_events_exit(void);

#endif /* _MRC_NETLINK_MESSAGE_H */
