// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What this host has of all that MRC needs. Works without the module.
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
    std::string hint; ///< how to get it; empty when nothing is to be done
};

/** Where things are looked for. Tests point it elsewhere. */
struct FeatureHost {
    std::string root;          ///< in front of absolute paths
    std::string release;       ///< of the running kernel
    std::string libibverbs;    ///< path of the library; empty: not installed
    std::string rdmav_drivers; ///< environment RDMAV_DRIVERS or IBV_DRIVERS
};

/** This host. */
FeatureHost this_host();

/** Number NN of the private interface IBVERBS_PRIVATE_NN of a libibverbs. */
std::optional<unsigned> private_abi(const std::string &library);

/** Plug-in for mrc devices that libibverbs will find; empty: none. */
std::string find_provider(const FeatureHost &host, unsigned abi);

/** Whether a module is loaded or built in. */
bool module_loaded(const FeatureHost &host, const std::string &name);

/** Features that can be found out without the module. */
std::vector<Feature> host_features(const FeatureHost &host);

/** Features that the module tells. */
std::vector<Feature> module_features(const mrcnl::Info &info,
                                     const std::vector<mrcnl::Device> &devices);

/** What this host does to packets of its devices, and to no others' packets: only what is to be
 * looked at. */
std::vector<Feature> network_features(const FeatureHost &host,
                                      const std::vector<mrcnl::Device> &devices,
                                      const std::vector<mrcnl::Plane> &planes);

} // namespace mrcctl
