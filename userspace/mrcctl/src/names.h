// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Names in place of numbers: those of mrcd's file, as the mrcd of a device tells them.
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

/** One word, of at most 128 letters, which the reader of a line tells from a number. */
bool usable_name(const std::string &name);

bool starts_with_digit(const std::string &text);

/** The names of one fabric; none where nobody knows any. */
class Names
{
public:
    Names() = default;

    /**
     * What mrcd answers to "names". Names that are no single word, or could be a number, are left
     * out, for what is shown can be given back.
     */
    static std::optional<Names> parse(const std::string &json);

    /** Of the rack that an EV profile leads to; empty: there is none. */
    [[nodiscard]] std::string ev_profile(uint64_t id) const;
    /** Whether an EV profile is one of mrcd's plan. */
    [[nodiscard]] bool plans(uint64_t ev_profile) const { return planned_.contains(ev_profile); }
    /** Of the host that has a GID; empty: there is none. */
    [[nodiscard]] std::string host(const mrcnl::Address &gid) const;
    /** Of the switches that a SID leads through, in travel order, as far as they are known. */
    [[nodiscard]] std::vector<std::string> switches(const mrcnl::Address &sid) const;

    [[nodiscard]] std::optional<uint64_t> ev_profile_of(const std::string &rack) const;
    [[nodiscard]] std::optional<mrcnl::Address> gid_of(const std::string &host) const;

private:
    std::set<uint64_t> planned_; ///< EV profiles, also those whose names are left out
    std::map<uint64_t, std::string> racks_;
    std::map<mrcnl::Address, std::string> hosts_;
    std::map<uint16_t, std::string> switches_; ///< by uSID
    mrcnl::Address block_;                     ///< that SIDs begin with
};

/** What is known of the mrcd of a device. */
struct Told {
    bool daemon = false;        ///< there is one
    std::optional<Names> names; ///< empty: an older one, which tells none
};

/** The names that hold for a device. */
using NamesOf = std::function<const Names &(const std::string &device)>;

/** "ev-profile r2", or "ev-profile 7"; JSON: the number, and ev-profile-name. */
void print_ev_profile(Printer &p, const Names &names, uint64_t id);

/** "remote-gid fd00::2 remote-host h2"; without a name the first half. */
void print_remote(Printer &p, const Names &names, const mrcnl::Address &gid);

} // namespace mrcctl
