// SPDX-License-Identifier: GPL-2.0-only
#include "terminal.h"

#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace mrcctl
{

std::optional<Window> window_of(int fd)
{
    winsize size{};

    if (!isatty(fd))
        return std::nullopt;
    if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
        return Window{24, 80};
    return Window{size.ws_row, size.ws_col};
}

std::string redraw(const std::string &text, const Window &window)
{
    std::istringstream lines(text);
    std::string line;
    std::string drawn = "\033[H";

    // Each row is cleared before it is written: behind a full line the cursor is still on the last
    // column.
    for (size_t row = 1; row < window.rows && std::getline(lines, line); row++)
        drawn += "\033[K" + line + "\n";
    return drawn + "\033[J";
}

} // namespace mrcctl
