// SPDX-License-Identifier: GPL-2.0-only
//
// The protocol engine's C headers, for C++ code. The system headers come first,
// so that nothing of theirs is declared inside extern "C".
#ifndef MRC_UNIT_CORE_H
#define MRC_UNIT_CORE_H

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <linux/types.h>

extern "C" {
#include "answers.h"
#include "asks.h"
#include "cc.h"
#include "crc_fold.h"
#include "ev_keep.h"
#include "ev_rotation.h"
#include "ev_schedule.h"
#include "ev_search.h"
#include "ev_set.h"
#include "evidence.h"
#include "gate.h"
#include "icrc.h"
#include "last_words.h"
#include "news.h"
#include "paths.h"
#include "port_status.h"
#include "probing.h"
#include "psn.h"
#include "reach.h"
#include "requester.h"
#include "responder.h"
#include "reverse.h"
#include "rtt.h"
#include "rx_window.h"
#include "sendq.h"
#include "sent.h"
#include "shared.h"
#include "timing.h"
#include "turns.h"
#include "tx_loss.h"
#include "tx_rec.h"
#include "tx_result.h"
#include "tx_sack.h"
#include "tx_window.h"
#include "usid.h"
#include "wire.h"
}

#endif
