// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Who looks after something: [ owner OWNER ] at the end of a command, and in what is shown.
 */
#pragma once

#include <linux/mrc.h>

#include "command.h"

namespace mrcctl
{

/** Of what somebody adds by hand, and says nothing. */
constexpr uint8_t by_hand = MRC_NL_OWNER_ADMIN;

/** The word behind "owner". @throw UsageError */
uint8_t take_owner_name(Args &args);

/** "owner" and the word behind it, if they come next. */
mrcnl::Owner take_owner(Args &args);

/**
 * The kernel, for a change on somebody's behalf.
 *
 * @param owner as the command names one
 * @param otherwise who is meant when it does not; empty: whose it is stays as it is
 * @throw Failure the module knows no owners, and the command names one
 */
mrcnl::Kernel &kernel_for(Context &context, mrcnl::Owner owner, mrcnl::Owner otherwise = {});

/** Text has no word for nobody. */
void print_owner(Printer &p, mrcnl::Owner owner);

} // namespace mrcctl
