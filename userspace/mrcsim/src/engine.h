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
#include "../../../kernel/core/answers.h"
#include "../../../kernel/core/asks.h"
#include "../../../kernel/core/cc.h"
#include "../../../kernel/core/paths.h"
#include "../../../kernel/core/port_status.h"
#include "../../../kernel/core/probing.h"
#include "../../../kernel/core/requester.h"
#include "../../../kernel/core/responder.h"
#include "../../../kernel/core/timing.h"
#include "../../../kernel/core/turns.h"
#include "../../../kernel/core/wire.h"
}
