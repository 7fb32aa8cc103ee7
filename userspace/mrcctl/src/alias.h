// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Aliases of profiles: short names that the kernel keeps.
 */
#pragma once

#include "command.h"

namespace mrcctl
{

/** Reads the word behind "alias". @throw UsageError it could be taken for a number */
std::string take_alias(Args &args);

/** @throw Failure @p alias is not empty, and the module does not support aliases */
void require_alias(Context &context, const std::string &alias);

void print_alias(Printer &p, const std::string &alias);

/**
 * Finds the EV profile of an alias.
 *
 * @param device where; empty: on all devices. They must agree on the number
 * @throw UsageError several profiles have the alias
 */
std::optional<uint64_t> ev_profile_of_alias(Context &context,
                                            const std::optional<std::string> &device,
                                            const std::string &alias);

/** Reads a CC profile: its number, or its alias on a device. */
uint64_t take_cc_profile(Context &context, const std::string &device, Args &args);

} // namespace mrcctl
