// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads EVs and EV profiles from the command line.
 */
#pragma once

#include "args.h"

namespace mrcctl
{

/** Takes "port N", a path, and perhaps "denied". @throw UsageError */
mrcnl::EvSpec take_ev_spec(Args &args);

/** Takes what follows "port": the number, and a path. @throw UsageError */
mrcnl::EvSpec take_ev_way(Args &args);

/** Takes the name of a format. @throw UsageError */
mrcnl::EvFormat take_ev_format(Args &args);

/** The likely format of an EV whose format is not named. */
mrcnl::EvFormat guess_ev_format(const mrcnl::EvSpec &ev);

/**
 * Takes all words behind the number of an EV profile.
 *
 * @param owner is set if the words name an owner
 * @throw UsageError
 */
mrcnl::EvProfileSpec take_ev_profile_spec(uint64_t id, Args &args, mrcnl::Owner &owner);

} // namespace mrcctl
