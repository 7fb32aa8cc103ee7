// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The files that a controller leaves to the next one: a small file for each profile that is not in
 * INIT. It has the attributes that the kernel does not keep.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace mrc
{

/** The files of one device. */
class Store
{
public:
    /** @param device index of the device */
    explicit Store(uint32_t device);

    /**
     * @param kind "format", "ev" or "cc"
     * @return 0; ENOENT: there is no file; EBADMSG: this library did not write the file; EPERM; EIO
     */
    int read(const std::string &kind, uint64_t id, nlohmann::json &profile) const;
    /** Write a profile, as a whole or not at all. @return 0, EPERM or EIO */
    int write(const std::string &kind, uint64_t id, const nlohmann::json &profile) const;
    /** Delete a file, if it exists. @return 0 or EIO */
    int remove(const std::string &kind, uint64_t id) const;
    /** @return numbers of the profiles that have a file */
    [[nodiscard]] std::vector<uint64_t> ids(const std::string &kind) const;

private:
    [[nodiscard]] std::string name(const std::string &kind, uint64_t id) const;

    std::string folder_;
};

} // namespace mrc
