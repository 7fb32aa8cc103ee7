// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Drawing over and over again on a terminal, by the control sequences that nearly all of them have.
 */
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace mrcctl
{

/** Of a terminal, in characters. */
struct Window {
    size_t rows = 0;
    size_t columns = 0;
};

/** That of a descriptor; nothing where it is no terminal. 24 by 80 where it does not say. */
std::optional<Window> window_of(int fd);

/**
 * What draws a text in place of all that is on the terminal.
 *
 * The last row stays free, for the prompt that comes at the end. Lines that have no room are
 * left out; they must not be longer than a row.
 */
std::string redraw(const std::string &text, const Window &window);

} // namespace mrcctl
