// SPDX-License-Identifier: GPL-2.0-only
#include "file/read_file.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace mrcd
{

namespace
{

constexpr size_t size_max = 256 << 20;

} // namespace

mrcnl::Result<std::string> read_file(const std::string &name)
{
    const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    std::string text;
    int error = fd < 0 ? errno : 0;

    while (!error) {
        char part[64 << 10];
        const ssize_t n = read(fd, part, sizeof(part));
        if (n == 0)
            break;
        if (n > 0)
            text.append(part, static_cast<size_t>(n));
        else if (errno != EINTR)
            error = errno;
        if (text.size() > size_max)
            error = EFBIG;
    }
    if (fd >= 0)
        close(fd);
    if (error)
        return mrcnl::Error{error, {}, {}};
    return text;
}

} // namespace mrcd
