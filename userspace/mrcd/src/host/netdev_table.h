// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The netdevs of this host as the kernel's events tell of them, so that nobody has to ask: who
 * asks waits for whoever configures netdevs, which may be seconds.
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

/** By any of their names. */
class NetdevTable
{
public:
    struct Netdev {
        uint32_t index = 0;
        bool up = false;      ///< set so
        bool carrier = false; ///< and set up
        uint32_t mtu = 0;
        std::set<std::string> names;
        bool operator==(const Netdev &) const = default;
    };

    /** What happened to one. */
    struct Change {
        uint32_t index = 0;
        std::optional<Netdev> netdev; ///< none: it is gone
    };

    /** What RTM_NEWLINK or RTM_DELLINK says. Other messages, and parts of netdevs, say nothing. */
    static std::optional<Change> parse(const nlmsghdr *message);
    void take(const nlmsghdr *message);

    /** @return null: there is none */
    [[nodiscard]] const Netdev *find(const std::string &name) const;

    /** All of them are being read: what comes meanwhile may be newer than what is read. */
    void expect();
    /** They have been read. */
    void renew(NetdevTable all);
    /** They have been read once. */
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
