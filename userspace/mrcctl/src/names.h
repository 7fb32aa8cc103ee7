// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Names instead of numbers: the names of mrcd's file, as the mrcd of a device reports them.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mrcnl/types.h"

#include "printer.h"

namespace mrcctl
{

/** Is it a single word of at most 128 characters that cannot be confused with a number? */
bool usable_name(const std::string &name);

bool starts_with_digit(const std::string &text);

/** The names of one fabric; no names if nothing knows any. */
class Names
{
public:
    Names() = default;

    /**
     * Reads mrcd's answer to "names". Names that are not usable_name() are left out, because what
     * mrcctl shows must also work as its input.
     */
    static std::optional<Names> parse(const std::string &json);

    /** The name of the rack that an EV profile leads to; empty: none. */
    [[nodiscard]] std::string ev_profile(uint64_t id) const;
    /** Is an EV profile in mrcd's plan? */
    [[nodiscard]] bool plans(uint64_t ev_profile) const { return planned_.contains(ev_profile); }
    /** The name of the host with a GID; empty: none. */
    [[nodiscard]] std::string host(const mrcnl::Address &gid) const;
    /**
     * The names of the switches on the path of a SID, in travel order, as far as they are known.
     */
    [[nodiscard]] std::vector<std::string> switches(const mrcnl::Address &sid) const;

    [[nodiscard]] std::optional<uint64_t> ev_profile_of(const std::string &rack) const;
    [[nodiscard]] std::optional<mrcnl::Address> gid_of(const std::string &host) const;

private:
    std::set<uint64_t> planned_; ///< EV profiles, including those whose names are left out
    std::map<uint64_t, std::string> racks_;
    std::map<mrcnl::Address, std::string> hosts_;
    std::map<uint16_t, std::string> switches_; ///< by uSID
    mrcnl::Address block_;                     ///< the first bits of all SIDs
};

/** What is known about the mrcd of a device. */
struct Told {
    bool daemon = false;        ///< it runs
    std::optional<Names> names; ///< empty: an older mrcd, which does not report names
};

/** Gives the names for a device. */
using NamesOf = std::function<const Names &(const std::string &device)>;

/** Prints "ev-profile r2", or "ev-profile 7"; JSON: the number, and ev-profile-name. */
void print_ev_profile(Printer &p, const Names &names, uint64_t id);

/** Prints "remote-gid fd00::2 remote-host h2"; only the first half if the host has no name. */
void print_remote(Printer &p, const Names &names, const mrcnl::Address &gid);

} // namespace mrcctl
