// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A table of this host's netdevs, kept up to date from the kernel's events. Asking the kernel would
 * wait for programs that are configuring netdevs, which may take seconds.
 */
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

struct nlmsghdr;

namespace mrcd
{

/** The netdevs, which are found by any of their names. */
class NetdevTable
{
public:
    struct Netdev {
        uint32_t index = 0;
        bool up = false;      ///< set up by the administrator
        bool carrier = false; ///< can send: has carrier and is set up
        uint32_t mtu = 0;
        std::set<std::string> names;
        bool operator==(const Netdev &) const = default;
    };

    /** A change of one netdev. */
    struct Change {
        uint32_t index = 0;
        std::optional<Netdev> netdev; ///< empty: it is gone
    };

    /**
     * Reads RTM_NEWLINK or RTM_DELLINK. @return nothing: another message, or one with only a part
     * of a netdev
     */
    static std::optional<Change> parse(const nlmsghdr *message);
    void take(const nlmsghdr *message);

    /** @return null: there is none */
    [[nodiscard]] const Netdev *find(const std::string &name) const;

    /**
     * The caller begins to read all netdevs. Events from now on may be newer than what it reads.
     */
    void expect();
    /** The caller has read all netdevs. */
    void renew(NetdevTable all);
    /** Were all netdevs read at least once? */
    [[nodiscard]] bool known() const { return known_; }

private:
    void apply(const Change &change);
    void forget(uint32_t index);

    std::map<uint32_t, Netdev> netdevs_; ///< by index
    std::map<std::string, uint32_t> indices_;
    std::vector<Change> meanwhile_; ///< since expect()
    bool expecting_ = false;
    bool known_ = false;
};

} // namespace mrcd
