// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/controller_lock.h"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace mrcnl
{

namespace
{

constexpr const char *run_folder = "/run/mrc";

Error lock_error(const std::string &name)
{
    if (errno == EWOULDBLOCK)
        return {EBUSY, "another controller has the device", name};
    return {errno, {}, name};
}

} // namespace

std::string controller_folder()
{
    const char *given = secure_getenv("MRC_CTL_DIR");

    return given && *given ? given : std::string(run_folder) + "/ctl";
}

Result<Descriptor> lock_controller(uint32_t device)
{
    const std::string folder = controller_folder();
    const std::string name = folder + "/" + std::to_string(device) + ".lock";

    // Both may exist already. Other failures show up in open().
    mkdir(run_folder, 0755);
    mkdir(folder.c_str(), 0755);
    Descriptor fd(open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd || flock(fd.get(), LOCK_EX | LOCK_NB))
        return lock_error(name);
    return fd;
}

} // namespace mrcnl
