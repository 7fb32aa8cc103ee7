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
#include "core/base/gate.h"
#include "core/base/psn.h"
#include "core/base/timing.h"
#include "core/base/turns.h"
#include "core/cc/cc.h"
#include "core/cc/shared.h"
#include "core/paths/ev_keep.h"
#include "core/paths/ev_rotation.h"
#include "core/paths/ev_schedule.h"
#include "core/paths/ev_search.h"
#include "core/paths/ev_set.h"
#include "core/paths/ev_tally.h"
#include "core/paths/paths.h"
#include "core/paths/pending.h"
#include "core/paths/port_status.h"
#include "core/paths/probing.h"
#include "core/paths/reverse.h"
#include "core/paths/sent.h"
#include "core/receive/fetches.h"
#include "core/receive/last_words.h"
#include "core/receive/reads.h"
#include "core/receive/responder.h"
#include "core/receive/rx_window.h"
#include "core/requester/requester.h"
#include "core/send/evidence.h"
#include "core/send/news.h"
#include "core/send/reach.h"
#include "core/send/rtt.h"
#include "core/send/sendq.h"
#include "core/send/tx_loss.h"
#include "core/send/tx_rec.h"
#include "core/send/tx_result.h"
#include "core/send/tx_sack.h"
#include "core/send/tx_window.h"
#include "core/wire/answers.h"
#include "core/wire/crc_fold.h"
#include "core/wire/icrc.h"
#include "core/wire/usid.h"
#include "core/wire/wire.h"
}
