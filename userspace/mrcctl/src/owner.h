// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Owners of objects: [ owner OWNER ] at the end of a command, and in output.
 */
#pragma once

#include <linux/mrc.h>

#include "command.h"

namespace mrcctl
{

/** The owner of what people add by hand without naming an owner. */
constexpr uint8_t by_hand = MRC_NL_OWNER_ADMIN;

/** Takes the word behind "owner". @throw UsageError */
uint8_t take_owner_name(Args &args);

/** Takes "owner" and the word behind it, if they come next. */
mrcnl::Owner take_owner(Args &args);

/**
 * The kernel, prepared for a change in the name of an owner.
 *
 * @param owner the one that the command names; empty: none
 * @param otherwise the owner if the command names none; empty: the object keeps its owner
 * @throw Failure the command names an owner, and the module knows no owners
 */
mrcnl::Kernel &kernel_for(Context &context, mrcnl::Owner owner, mrcnl::Owner otherwise = {});

/** Prints the owner. Text leaves out "nobody". */
void print_owner(Printer &p, mrcnl::Owner owner);

} // namespace mrcctl
