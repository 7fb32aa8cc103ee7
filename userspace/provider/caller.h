/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which library opens a device.
 */
#ifndef MRC_PROVIDER_CALLER_H
#define MRC_PROVIDER_CALLER_H

#include <stdbool.h>

/**
 * mrc_caller_wants_more() - does a library open the device that cannot do with what MRC has?
 *
 * Some libraries take any active RoCE port for one that has it all: UCX makes a UD QP and a shared
 * receive queue there, libfabric wants the connection manager and SEND, Open MPI's openib UD. They
 * ask before they look at anything that a device says of itself, and end the program, or its
 * traffic, when they are refused. A device that cannot be opened they leave alone.
 */
bool mrc_caller_wants_more(void);

#endif /* MRC_PROVIDER_CALLER_H */
