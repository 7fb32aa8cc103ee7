// SPDX-License-Identifier: GPL-2.0-only
#include "probing.h"
#include "ev_rotation.h"

void mrc_probing_init(struct mrc_probing *p, const struct mrc_timing *timing)
{
	memset(p, 0, sizeof(*p));
	mrc_port_tell_init(&p->tell, timing);
	mrc_port_status_init(&p->told, timing);
}

/* Index in @mtu_users. */
static unsigned int mrc_probing_mtu(u32 mtu)
{
	return (unsigned int)fls64(mtu / MRC_MTU_MIN) - 1;
}

void mrc_probing_use(struct mrc_probing *p, u32 mtu, bool use)
{
	unsigned int n = use ? 1 : -1u;

	WRITE_ONCE(p->users, p->users + n);
	p->mtu_users[mrc_probing_mtu(mtu)] += n;
	if (use)
		WRITE_ONCE(p->met, true);
}

/* ---- EV probes ------------------------------------------------------------- */

u64 mrc_probing_at(const struct mrc_probing *p, const struct mrc_paths *paths)
{
	if (!p->users || !paths->count)
		return U64_MAX;
	return mrc_ev_probe_at(&paths->set);
}

/* Bytes from BTH to ICRC of the longest packets that QPs send. */
static unsigned int mrc_probing_room(const struct mrc_probing *p)
{
	unsigned int i = MRC_MTU_COUNT;

	while (i--)
		if (p->mtu_users[i])
			return (MRC_MTU_MIN << i) + MRC_WRITE_HDR_MAX + MRC_ICRC_LEN;
	return 0;
}

u16 mrc_probing_next(const struct mrc_probing *p, struct mrc_paths *paths, u64 now,
		     unsigned int *room)
{
	if (!p->users || !paths->count)
		return MRC_EV_NONE;
	*room = mrc_probing_room(p);
	return mrc_ev_probe_next(&paths->set, now);
}

void mrc_probing_account(struct mrc_paths *paths, u16 ev, enum mrc_sent sent, u64 now)
{
	if (sent == MRC_SENT)
		paths->ev[ev].probed++;
	else if (!mrc_sent_report(paths, ev, sent, now) && sent != MRC_SENT_GONE)
		mrc_ev_probe_unsent(&paths->set, ev, now);
}

/* ---- ports ----------------------------------------------------------------- */

/* The peer's ports to which EVs lead, without those whose EVs are all DENIED. */
static u32 mrc_probing_peer_ports(const struct mrc_paths *paths)
{
	const struct mrc_ev_plane *plane;
	u32 ports = 0;
	unsigned int i;

	for (i = 0; i < paths->set.nplanes; i++) {
		plane = &paths->set.planes[i];
		if (plane->good || plane->bad)
			ports |= 1u << (paths->set.ev[plane->first].port - 1);
	}
	return ports;
}

/* When the newest status may be acted upon; U64_MAX: not until something changes. */
static u64 mrc_probing_take_at(const struct mrc_probing *p,
			       const struct mrc_paths *paths)
{
	u64 due = mrc_port_status_due(&p->told);
	u32 ports;

	/* The quick way out: mostly there is nothing new, and this runs with each SACK. */
	if (due == U64_MAX)
		return due;
	ports = mrc_probing_peer_ports(paths) & paths->set.local_mask;
	return ports & p->told.newest ? due : U64_MAX;
}

u64 mrc_probing_ports_at(const struct mrc_probing *p, const struct mrc_paths *paths)
{
	if (!p->users || !paths->count)
		return U64_MAX;
	return min(mrc_probing_take_at(p, paths), p->tell.at ?: U64_MAX);
}

bool mrc_probing_take_ports(struct mrc_probing *p, struct mrc_paths *paths, u64 now)
{
	if (!p->users || now < mrc_probing_take_at(p, paths) ||
	    !mrc_port_status_take(&p->told, now))
		return false;
	mrc_paths_ports(paths, paths->set.local_mask, p->told.mask, now);
	return true;
}

bool mrc_probing_plan_tell(struct mrc_probing *p, struct mrc_paths *paths, u64 now,
			   struct mrc_probing_tell *tell)
{
	if (!p->users || !paths->count ||
	    !mrc_port_tell_next(&p->tell, now, &tell->wait))
		return false;
	tell->ev = mrc_ev_pick(&paths->set, now);
	tell->mask = p->tell.mask;
	tell->at = now;
	return tell->ev != MRC_EV_NONE;
}

void mrc_probing_untold(struct mrc_probing *p, const struct mrc_probing_tell *tell)
{
	mrc_port_tell_unsent(&p->tell, tell->at, tell->wait);
}

bool mrc_probing_hear(struct mrc_probing *p, const struct mrc_ep *ep, u64 now)
{
	bool first = !p->told.at;

	if (!p->users || !mrc_port_status_hear(&p->told, ep, now))
		return false;
	mrc_port_tell_back(&p->tell, first, now);
	return true;
}

bool mrc_probing_inherit(struct mrc_probing *p, struct mrc_paths *paths,
			 const struct mrc_port_status *told, u64 now)
{
	if (told->at <= p->told.at)
		return false;
	p->told = *told;
	mrc_paths_ports(paths, paths->set.local_mask, p->told.mask, now);
	return true;
}

bool mrc_probing_may_answer(struct mrc_probing *p, enum mrc_ep_op op, u64 now)
{
	return mrc_gate_pass(op == MRC_EP_PORT_STATUS ? &p->answer_status :
							&p->answer_probe,
			     now, MRC_PROBING_ANSWER_RATE);
}
