/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recognises the library that opens a device.
 */
#ifndef MRC_PROVIDER_CALLER_H
#define MRC_PROVIDER_CALLER_H

#include <stdbool.h>

/**
 * mrc_caller_wants_more() - true if a library that needs more than MRC has is opening the device
 *
 * Open MPI 4 has openib, which nobody maintains. It asks for ways to connect that the device does not
 * have, and ends the program, although Open MPI has other ways to use the device. It ignores a device
 * that cannot be opened.
 */
bool mrc_caller_wants_more(void);

#endif /* MRC_PROVIDER_CALLER_H */
