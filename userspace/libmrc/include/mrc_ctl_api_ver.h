/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file mrc_ctl_api_ver.h
 * Versions of the MRC controller API (OCP MRC API 1.0.1), and the version that a program is written
 * for.
 *
 * A program that was written for an older version defines MRC_CTL_API_VER_USED before it includes
 * mrc_ctl.h. Later additions are then not declared. A new major version breaks programs, a new
 * minor version adds to the API, a new subminor version corrects it.
 */
#ifndef MRC_CTL_API_VER_H
#define MRC_CTL_API_VER_H

/* Positions of the parts of a version in its number. */
#define MRC_CTL_API_VER_MAJOR_OFFSET 24
#define MRC_CTL_API_VER_MINOR_OFFSET 16
#define MRC_CTL_API_VER_SUBMINOR_OFFSET 0

/** The number of a version; works in #if, too. */
#define MRC_CTL_API_VER(major, minor, subminor)                                                    \
    ((0u + (major)) << MRC_CTL_API_VER_MAJOR_OFFSET |                                              \
     (0u + (minor)) << MRC_CTL_API_VER_MINOR_OFFSET |                                              \
     (0u + (subminor)) << MRC_CTL_API_VER_SUBMINOR_OFFSET)

/** Stands for the newest version. */
#define MRC_CTL_API_VER_LATEST MRC_CTL_API_VER(0xFF, 0xFF, 0xFFFF)

/** The newest version that this header declares. */
#define MRC_CTL_API_CURRENT_VERSION MRC_CTL_API_VER(1, 0, 1)
/** The oldest version that it declares; programs written for exactly this version get a warning. */
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

/** A vendor's additions have versions of their own. This library has no additions. */
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
