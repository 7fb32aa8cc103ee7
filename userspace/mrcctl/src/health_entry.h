// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The state of a device, from what mrcd and the kernel say about it.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "command.h"

namespace mrcctl
{

/** The overall state. */
enum class Health { well, not_well, unknown };

/** "well", "not-well", "unknown" */
const char *to_string(Health health);

/** What the kernel says about a device. */
struct KernelHalf {
    std::string error; ///< why the rest is missing; empty: nothing is missing
    std::vector<mrcnl::Plane> planes;
    std::vector<mrcnl::Ev> denied; ///< EVs that are denied for all peers
    std::vector<mrcnl::Peer> peers;
};

/** A device, which may not exist. */
struct HealthEntry {
    std::string device;  ///< empty: there is no device, and no mrcd that would want one
    bool daemon = false; ///< an mrcd manages it and answers
    Health health = Health::unknown;
    /** A health report in mrcd's format, even if mrcctl made it. All keys exist except dev-name. */
    nlohmann::ordered_json said;
    KernelHalf kernel;
};

/** Makes the entries. Failures become a part of the entries: the function itself never fails. */
std::vector<HealthEntry> health_entries(Context &context, const std::optional<std::string> &device);

} // namespace mrcctl
