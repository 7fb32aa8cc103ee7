/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file mrc_ctl_api_ver.h
 * Versions of the MRC controller API (OCP MRC API 1.0.1), and which one a program is written to.
 *
 * A program that was written to an older version defines MRC_CTL_API_VER_USED before it includes
 * mrc_ctl.h: what came later is then not declared. A new major version breaks programs, a minor one
 * adds, a subminor one mends.
 */
#ifndef MRC_CTL_API_VER_H
#define MRC_CTL_API_VER_H

/* Where the parts of a version stand in its number. */
#define MRC_CTL_API_VER_MAJOR_OFFSET 24
#define MRC_CTL_API_VER_MINOR_OFFSET 16
#define MRC_CTL_API_VER_SUBMINOR_OFFSET 0

/** The number of a version; works in #if, too. */
#define MRC_CTL_API_VER(major, minor, subminor)                                                    \
    ((0u + (major)) << MRC_CTL_API_VER_MAJOR_OFFSET |                                              \
     (0u + (minor)) << MRC_CTL_API_VER_MINOR_OFFSET |                                              \
     (0u + (subminor)) << MRC_CTL_API_VER_SUBMINOR_OFFSET)

/** Whatever is newest. */
#define MRC_CTL_API_VER_LATEST MRC_CTL_API_VER(0xFF, 0xFF, 0xFFFF)

/** The newest version that this header has. */
#define MRC_CTL_API_CURRENT_VERSION MRC_CTL_API_VER(1, 0, 1)
/** The oldest one that it has; programs of this very version get a warning. */
#define MRC_CTL_API_LAST_SUPPORTED_VERSION MRC_CTL_API_VER(0, 0, 0)

#ifndef MRC_CTL_API_VER_USED
#define MRC_CTL_API_VER_USED MRC_CTL_API_CURRENT_VERSION
#elif MRC_CTL_API_VER_USED == MRC_CTL_API_VER_LATEST
#undef MRC_CTL_API_VER_USED
#define MRC_CTL_API_VER_USED MRC_CTL_API_CURRENT_VERSION
#endif

#if MRC_CTL_API_VER_USED > MRC_CTL_API_CURRENT_VERSION
#error "MRC_CTL_API_VER_USED is newer than this mrc_ctl.h"
#elif MRC_CTL_API_VER_USED < MRC_CTL_API_LAST_SUPPORTED_VERSION
#error "MRC_CTL_API_VER_USED is older than what this mrc_ctl.h supports"
#elif MRC_CTL_API_VER_USED == MRC_CTL_API_LAST_SUPPORTED_VERSION
#warning "MRC_CTL_API_VER_USED is the oldest version that this mrc_ctl.h supports"
#endif

/** What a vendor adds has a version of its own. This library adds nothing. */
#define MRC_CTL_VENDOR_API_CURRENT_VERSION MRC_CTL_API_VER(1, 0, 0)
#define MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION MRC_CTL_API_VER(0, 0, 0)

#ifndef MRC_CTL_VENDOR_API_VER_USED
#define MRC_CTL_VENDOR_API_VER_USED MRC_CTL_VENDOR_API_CURRENT_VERSION
#elif MRC_CTL_VENDOR_API_VER_USED == MRC_CTL_API_VER_LATEST
#undef MRC_CTL_VENDOR_API_VER_USED
#define MRC_CTL_VENDOR_API_VER_USED MRC_CTL_VENDOR_API_CURRENT_VERSION
#endif

#if MRC_CTL_VENDOR_API_VER_USED > MRC_CTL_VENDOR_API_CURRENT_VERSION
#error "MRC_CTL_VENDOR_API_VER_USED is newer than this mrc_ctl.h"
#elif MRC_CTL_VENDOR_API_VER_USED < MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION
#error "MRC_CTL_VENDOR_API_VER_USED is older than what this mrc_ctl.h supports"
#elif MRC_CTL_VENDOR_API_VER_USED == MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION
#warning "MRC_CTL_VENDOR_API_VER_USED is the oldest version that this mrc_ctl.h supports"
#endif

#endif /* MRC_CTL_API_VER_H */
