// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ctl/store.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "mrcnl/controller_lock.h"
#include "mrcnl/state_file.h"

namespace mrc
{

namespace
{

int file_error(const mrcnl::Error &error)
{
    return error.code == EACCES || error.code == EPERM ? EPERM : EIO;
}

} // namespace

Store::Store(uint32_t device)
    : folder_(mrcnl::controller_folder() + "/" + std::to_string(device) + "/")
{
}

std::string Store::name(const std::string &kind, uint64_t id) const
{
    return folder_ + kind + "-" + std::to_string(id) + ".json";
}

int Store::read(const std::string &kind, uint64_t id, nlohmann::json &profile) const
{
    const auto text = mrcnl::read_state_file(name(kind, id));

    if (!text)
        return text.error().code == ENOENT ? ENOENT : file_error(text.error());
    profile = nlohmann::json::parse(*text, nullptr, false);
    return profile.is_object() ? 0 : EBADMSG;
}

int Store::write(const std::string &kind, uint64_t id, const nlohmann::json &profile) const
{
    // The parent folder exists: a change needs the controller's lock, which is there.
    mkdir(folder_.c_str(), 0755);
    const auto written = mrcnl::write_state_file(name(kind, id), profile.dump());
    return written ? 0 : file_error(written.error());
}

int Store::remove(const std::string &kind, uint64_t id) const
{
    return unlink(name(kind, id).c_str()) && errno != ENOENT ? EIO : 0;
}

std::vector<uint64_t> Store::ids(const std::string &kind) const
{
    std::vector<uint64_t> found;
    std::error_code ignored; // without the folder there are no files

    for (const auto &entry : std::filesystem::directory_iterator(folder_, ignored)) {
        const std::string file = entry.path().filename();
        const std::string start = kind + "-";
        uint64_t id = 0;

        if (!file.starts_with(start))
            continue;
        const auto end = std::from_chars(file.data() + start.size(), file.data() + file.size(), id);
        if (end.ec == std::errc() && std::string(end.ptr) == ".json")
            found.push_back(id);
    }
    return found;
}

} // namespace mrc
