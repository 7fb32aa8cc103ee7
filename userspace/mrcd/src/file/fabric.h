// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The fabric as the file describes it, after all checks. mrcd derives everything from it.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mrcnl/types.h"

namespace mrcd
{

/** A switch that hosts of a rack are attached to: one per plane and rack. */
struct T0 {
    std::string name;
    uint8_t plane = 0; ///< 1..planes
    uint32_t rack = 0; ///< index in Fabric::racks
    uint16_t usid = 0;
    bool operator==(const T0 &) const = default;
};

/** A switch that joins the T0s of a plane. */
struct T1 {
    std::string name;
    uint8_t plane = 0;
    uint16_t usid = 0;
    bool operator==(const T1 &) const = default;
};

/** Hosts have one link to each T0 of their rack. */
struct Host {
    std::string name;
    uint32_t rack = 0;
    uint16_t usid = 0;
    mrcnl::Address gid;
    bool operator==(const Host &) const = default;
};

/** A T0-T1 link: indices in Fabric::t0 and Fabric::t1. */
using Trunk = std::pair<uint32_t, uint32_t>;

/** Elements that must not be used, whatever probes say. */
struct Denials {
    std::set<uint32_t> t0;
    std::set<uint32_t> t1;
    std::set<Trunk> trunks;
    void add(const Denials &others)
    {
        t0.insert(others.t0.begin(), others.t0.end());
        t1.insert(others.t1.begin(), others.t1.end());
        trunks.insert(others.trunks.begin(), others.trunks.end());
    }
    bool operator==(const Denials &) const = default;
};

/** This host. */
struct Local {
    uint32_t host = 0; ///< index in Fabric::hosts
    std::string device;
    std::string anchor;              ///< netdev that has the GID
    std::vector<std::string> planes; ///< netdev of port 1, 2, ...
};

/** The EVs of each profile. */
struct Evs {
    uint16_t per_destination = 128;
    std::optional<uint16_t> min_active; ///< of per_destination; empty: a quarter of all
    uint16_t active = 0; ///< of per_destination, in rotation at the same time; 0: all
};

/** How fast QPs send. */
struct Cc {
    std::string algorithm = "nscc";
    std::optional<uint32_t> window; ///< bytes; only with algorithm none
    mrcnl::CcSettings settings;     ///< only with algorithm nscc; empty: the kernel's defaults
};

/** How links are probed. */
struct Watching {
    uint16_t rate = 10;        ///< probes per second and link; 0: links are not probed
    uint16_t lost_after = 50;  ///< ms
    uint16_t dead_after = 4;   ///< lost in a row
    uint16_t alive_after = 20; ///< answered in a row
    bool operator==(const Watching &) const = default;
};

/** Where the status page and the metrics are. */
struct Reporting {
    std::string address = "127.0.0.1";
    uint16_t port = 9867; ///< 0: nowhere
};

struct Fabric {
    mrcnl::Address block;              ///< 32 bits, followed by zeros
    std::optional<mrcnl::Prefix> gids; ///< a prefix that contains all GIDs
    uint8_t planes = 0;
    std::vector<std::string> racks;
    std::vector<T0> t0;
    std::vector<T1> t1;
    std::set<Trunk> missing; ///< T0-T1 links that do not exist; all others of a plane do
    std::vector<Host> hosts;
    Denials denied;
    Local local;
    Evs evs;
    Cc cc;
    Watching watch;
    Reporting report;
};

} // namespace mrcd
