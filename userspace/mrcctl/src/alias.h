// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Aliases of profiles: a word to call them by, kept by the kernel.
 */
#pragma once

#include "command.h"

namespace mrcctl
{

/** The word behind "alias": one that cannot be taken for a number. @throw UsageError */
std::string take_alias(Args &args);

/** @throw Failure there is an alias, and the module knows none */
void require_alias(Context &context, const std::string &alias);

void print_alias(Printer &p, const std::string &alias);

/**
 * The EV profile of this alias.
 *
 * @param device where; empty: anywhere, where all that have it have the same number
 * @throw UsageError several have it
 */
std::optional<uint64_t> ev_profile_of_alias(Context &context,
                                            const std::optional<std::string> &device,
                                            const std::string &alias);

/** A CC profile: its number, or its alias on a device. */
uint64_t take_cc_profile(Context &context, const std::string &device, Args &args);

} // namespace mrcctl
