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

    // systemd may list several folders: the first one is mrcd's.
    folder = folder.substr(0, folder.find(':'));
    if (folder.empty()) {
        folder = "/run/mrc";
        mkdir(folder.c_str(), 0755);
    }
    // Each network namespace can have an mrcd for a device of this name.
    stat("/proc/self/ns/net", &netns);
    return folder + "/" + what + "-" + device + "-" + std::to_string(netns.st_ino) + ".json";
}

std::string boot_id()
{
    const auto text = read_file("/proc/sys/kernel/random/boot_id");

    return text ? text->substr(0, text->find('\n')) : "";
}

} // namespace mrcd
