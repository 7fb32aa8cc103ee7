// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * EV profiles on the command line.
 */
#pragma once

#include "args.h"

namespace mrcctl
{

/** "port N", its path, and "denied". @throw UsageError */
mrcnl::EvSpec take_ev_spec(Args &args);

/**
 * What follows the number, up to the last word.
 *
 * @param owner as the words name one
 * @throw UsageError
 */
mrcnl::EvProfileSpec take_ev_profile_spec(uint64_t id, Args &args, mrcnl::Owner &owner);

} // namespace mrcctl
