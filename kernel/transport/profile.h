/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that is numbered on a device: EV profiles, CC profiles, and the routes
 * that name them.
 */
#ifndef _MRC_TRANSPORT_PROFILE_H
#define _MRC_TRANSPORT_PROFILE_H

#include "cc_profile.h"
#include "ev_profile.h"
#include "route.h"

#endif /* _MRC_TRANSPORT_PROFILE_H */
