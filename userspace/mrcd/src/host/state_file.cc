// SPDX-License-Identifier: GPL-2.0-only
#include "host/state_file.h"

#include <cstdlib>

#include <sys/stat.h>

#include "file/read_file.h"

namespace mrcd
{

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
