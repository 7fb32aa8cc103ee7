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
 * Some libraries assume that every active RoCE port has all of RoCE: UCX makes a UD QP and a shared
 * receive queue there, libfabric needs the connection manager and SEND, Open MPI's openib needs UD.
 * They ask for these before they look at the device's attributes, and when they are refused, they
 * end the program or its traffic. But they ignore a device that cannot be opened.
 */
bool mrc_caller_wants_more(void);

#endif /* MRC_PROVIDER_CALLER_H */
