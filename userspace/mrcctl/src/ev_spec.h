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

/** What follows "port": the number, and the path. @throw UsageError */
mrcnl::EvSpec take_ev_way(Args &args);

/** The name of a format. @throw UsageError */
mrcnl::EvFormat take_ev_format(Args &args);

/** That of an EV whose format is not named. */
mrcnl::EvFormat guess_ev_format(const mrcnl::EvSpec &ev);

/**
 * What follows the number, up to the last word.
 *
 * @param owner as the words name one
 * @throw UsageError
 */
mrcnl::EvProfileSpec take_ev_profile_spec(uint64_t id, Args &args, mrcnl::Owner &owner);

} // namespace mrcctl
