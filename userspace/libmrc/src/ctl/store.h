// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * What a controller leaves to the next one: a small file for each profile that is not in INIT, and
 * what the kernel does not keep of it.
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
    /** @param device its index */
    explicit Store(uint32_t device);

    /**
     * @param kind "format", "ev" or "cc"
     * @return 0; ENOENT: there is none; EBADMSG: it is none that this library wrote; EPERM; EIO
     */
    int read(const std::string &kind, uint64_t id, nlohmann::json &profile) const;
    /** @return 0, EPERM or EIO; half of a profile is never written */
    int write(const std::string &kind, uint64_t id, const nlohmann::json &profile) const;
    /** @return 0 or EIO; it is no error that there is none */
    int remove(const std::string &kind, uint64_t id) const;
    /** Numbers of those that there are. */
    [[nodiscard]] std::vector<uint64_t> ids(const std::string &kind) const;

private:
    [[nodiscard]] std::string name(const std::string &kind, uint64_t id) const;

    std::string folder_;
};

} // namespace mrc
