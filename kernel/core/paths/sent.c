// SPDX-License-Identifier: GPL-2.0-only
#include "sent.h"

enum mrc_sent mrc_sent_verdict(int err)
{
	switch (err) {
	case 0:
		return MRC_SENT;
	case -ENETDOWN:
	case -ENODEV:
	case -ENXIO:
		return MRC_SENT_DOWN;
	case -ENETUNREACH:
	case -EHOSTUNREACH:
	case -EADDRNOTAVAIL:
	case -EOPNOTSUPP:
		return MRC_SENT_NO_WAY;
	case -EMSGSIZE:
		return MRC_SENT_NO_ROOM;
	case -EPERM:
	case -EACCES:
	case -ECONNREFUSED:
		return MRC_SENT_REFUSED;
	case -ESHUTDOWN:
		return MRC_SENT_GONE;
	default:
		/* An errno of unknown meaning blames no EV. */
		return MRC_SENT_NO_SPACE;
	}
}

bool mrc_sent_report(struct mrc_paths *p, u16 ev, enum mrc_sent sent, u64 now)
{
	switch (sent) {
	case MRC_SENT_NO_WAY:
		mrc_paths_report(p, MRC_SEEN_NO_ROUTE, ev, now, now);
		return true;
	case MRC_SENT_NO_ROOM:
		mrc_paths_report(p, MRC_SEEN_NO_ROOM, ev, now, now);
		return true;
	case MRC_SENT_REFUSED:
		mrc_paths_report(p, MRC_SEEN_REFUSED, ev, now, now);
		return true;
	default:
		return false;
	}
}
