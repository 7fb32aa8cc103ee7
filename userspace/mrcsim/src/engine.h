// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The protocol engine's C headers, for C++ code. The system headers come first, so that nothing of
 * theirs is declared inside extern "C".
 */
#pragma once

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <linux/types.h>

extern "C" {
#include <core/answers.h>
#include <core/asks.h>
#include <core/cc.h>
#include <core/paths.h>
#include <core/port_status.h>
#include <core/probing.h>
#include <core/requester.h>
#include <core/responder.h>
#include <core/shared.h>
#include <core/timing.h>
#include <core/turns.h>
#include <core/wire.h>
}
