// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Redraws a terminal again and again, by control sequences that nearly all terminals have.
 */
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace mrcctl
{

/** The size of a terminal, in characters. */
struct Window {
    size_t rows = 0;
    size_t columns = 0;
};

/**
 * The window of a descriptor; nothing if it is no terminal. 24 by 80 if the terminal does not
 * report its size.
 */
std::optional<Window> window_of(int fd);

/**
 * The characters that replace all that is on the terminal by a text.
 *
 * The last row stays free, for the prompt that comes at the end. Lines that do not fit into the
 * window are left out. A line must not be longer than a row.
 */
std::string redraw(const std::string &text, const Window &window);

} // namespace mrcctl
