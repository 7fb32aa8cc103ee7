// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * How a device is, from what mrcd says of it and what the kernel does.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "command.h"

namespace mrcctl
{

/** All in all. */
enum class Health { well, not_well, unknown };

/** "well", "not-well", "unknown" */
const char *to_string(Health health);

/** What the kernel has of a device. */
struct KernelHalf {
    std::string error; ///< why the rest is missing; empty: it is not
    std::vector<mrcnl::Plane> planes;
    std::vector<mrcnl::Ev> denied; ///< EVs, for all peers
    std::vector<mrcnl::Peer> peers;
};

/** A device, which need not exist. */
struct HealthEntry {
    std::string device;  ///< empty: there is none, and nobody who would say that there is to be one
    bool daemon = false; ///< an mrcd answers
    Health health = Health::unknown;
    /** In the shape of mrcd's, whoever said it: all its keys are there, but for dev-name. */
    nlohmann::ordered_json said;
    KernelHalf kernel;
};

/** Whatever fails is a part of the entries, and no reason to have none. */
std::vector<HealthEntry> health_entries(Context &context, const std::optional<std::string> &device);

} // namespace mrcctl
