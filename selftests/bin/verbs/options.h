// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file options.h
 * The part of the command line that all programs with two sides have.
 */
#pragma once

namespace verbs
{

/** The options of parse_options(), for usage texts. */
constexpr const char *options_help =
    "Device of the one side and of the other (default: the same); -n and -N name the\n"
    "network namespaces that they are opened in, -g and -G their GIDs.\n";

/**
 * Fills in verbs::config from "[-n NETNS] [-g GID] [-N NETNS] [-G GID] DEVICE [DEVICE]".
 * If it is wrong, prints the usage and exits with status 2.
 */
void parse_options(int argc, char **argv, const char *usage);

} // namespace verbs
