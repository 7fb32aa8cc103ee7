// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/state_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mrcnl/descriptor.h"

namespace mrcnl
{

namespace
{

Error last_file_error()
{
    return {errno, {}, {}};
}

bool write_all(int fd, const std::string &text)
{
    size_t done = 0;

    while (done < text.size()) {
        const ssize_t n = write(fd, text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? static_cast<size_t>(n) : 0;
    }
    return true;
}

} // namespace

Result<void> write_state_file(const std::string &name, const std::string &text)
{
    const std::string half = name + ".new";

    // An earlier process may have been killed while it wrote.
    unlink(half.c_str());
    const Descriptor fd(
        open(half.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd || !write_all(fd.get(), text) || rename(half.c_str(), name.c_str()))
        return last_file_error();
    return {};
}

Result<std::string> read_state_file(const std::string &name)
{
    const Descriptor fd(open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::string text;
    struct stat about {
    };
    size_t size = 0;

    if (!fd || fstat(fd.get(), &about))
        return last_file_error();
    if (!S_ISREG(about.st_mode) || (about.st_uid && about.st_uid != geteuid()))
        return Error{EPERM, "not a regular file of root or of this user", {}};
    // One byte more than the present size, to notice a file that grows.
    text.resize(std::min<size_t>(static_cast<size_t>(about.st_size), state_file_most) + 1);
    for (;;) {
        if (size == text.size())
            text.resize(std::min(2 * size, state_file_most + 1));
        const ssize_t n = read(fd.get(), &text[size], text.size() - size);
        if (n < 0 && errno != EINTR)
            return last_file_error();
        if (!n)
            break;
        size += n > 0 ? static_cast<size_t>(n) : 0;
        if (size > state_file_most)
            return Error{EFBIG, {}, {}};
    }
    text.resize(size);
    return text;
}

} // namespace mrcnl
