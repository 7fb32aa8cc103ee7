// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The protocol engine's C headers, for C++ code. The system headers come first, so that none of
 * their declarations gets into extern "C".
 */
#pragma once

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <linux/types.h>

extern "C" {
#include <core/base/timing.h>
#include <core/base/turns.h>
#include <core/cc/cc.h>
#include <core/cc/shared.h>
#include <core/paths/paths.h>
#include <core/paths/pending.h>
#include <core/paths/port_status.h>
#include <core/paths/probing.h>
#include <core/receive/responder.h>
#include <core/requester/requester.h>
#include <core/wire/answers.h>
#include <core/wire/wire.h>
}
