// SPDX-License-Identifier: GPL-2.0-only
#include "host/state_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/read_file.h"
#include "host/descriptor.h"

namespace mrcd
{

namespace
{

mrcnl::Error last_error()
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

mrcnl::Result<void> write_state_file(const std::string &name, const std::string &text)
{
    const std::string half = name + ".new";

    // A predecessor may have been ended before it had all of it.
    unlink(half.c_str());
    const Descriptor fd(
        open(half.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd || !write_all(fd.get(), text) || rename(half.c_str(), name.c_str()))
        return last_error();
    return {};
}

mrcnl::Result<std::string> read_state_file(const std::string &name)
{
    const Descriptor fd(open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::string text(state_file_most + 1, '\0');
    struct stat about {
    };
    size_t size = 0;

    if (!fd || fstat(fd.get(), &about))
        return last_error();
    if (!S_ISREG(about.st_mode) || (about.st_uid && about.st_uid != geteuid()))
        return mrcnl::Error{EPERM, "no plain file of ours", {}};
    for (;;) {
        const ssize_t n = read(fd.get(), &text[size], text.size() - size);
        if (n < 0 && errno != EINTR)
            return last_error();
        if (!n)
            break;
        size += n > 0 ? static_cast<size_t>(n) : 0;
        if (size > state_file_most)
            return mrcnl::Error{EFBIG, {}, {}};
    }
    text.resize(size);
    return text;
}

std::string state_file(const std::string &what, const std::string &device)
{
    const char *given = getenv("RUNTIME_DIRECTORY");
    std::string folder = given ? given : "";
    struct stat netns {
    };

    // systemd may name several: the first one is ours.
    folder = folder.substr(0, folder.find(':'));
    if (folder.empty()) {
        folder = "/run/mrc";
        mkdir(folder.c_str(), 0755);
    }
    // One mrcd looks after a device, in each network namespace.
    stat("/proc/self/ns/net", &netns);
    return folder + "/" + what + "-" + device + "-" + std::to_string(netns.st_ino) + ".json";
}

std::string boot_id()
{
    const auto text = read_file("/proc/sys/kernel/random/boot_id");

    return text ? text->substr(0, text->find('\n')) : "";
}

} // namespace mrcd
