// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Checks which of the features that MRC needs this host has. Works without the module.
 */
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mrcnl/kernel.h"

namespace mrcctl
{

enum class Status { ok, note, missing, unknown };

struct Feature {
    std::string name;
    Status status = Status::unknown;
    std::string value;
    std::string hint; ///< how to get it; empty: nothing to do
};

/** The host to look at. Tests use another one. */
struct FeatureHost {
    std::string root;          ///< prefix of absolute paths
    std::string release;       ///< of the running kernel
    std::string libibverbs;    ///< path of the library; empty: not installed
    std::string rdmav_drivers; ///< environment RDMAV_DRIVERS or IBV_DRIVERS
};

/** This host. */
FeatureHost this_host();

/** The number NN of the private interface IBVERBS_PRIVATE_NN of a libibverbs. */
std::optional<unsigned> private_abi(const std::string &library);

/** The plug-in for mrc devices that libibverbs will find; empty: none. */
std::string find_provider(const FeatureHost &host, unsigned abi);

/** Whether a module is loaded or built in. */
bool module_loaded(const FeatureHost &host, const std::string &name);

/** The features that can be checked without the module. */
std::vector<Feature> host_features(const FeatureHost &host);

/** The features that the module reports. */
std::vector<Feature> module_features(const mrcnl::Info &info,
                                     const std::vector<mrcnl::Device> &devices);

/**
 * Settings of this host that affect packets of its devices but not other packets. Only those that
 * need attention.
 */
std::vector<Feature> network_features(const FeatureHost &host,
                                      const std::vector<mrcnl::Device> &devices,
                                      const std::vector<mrcnl::Plane> &planes);

} // namespace mrcctl
