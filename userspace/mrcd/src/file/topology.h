// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The paths from the rack of this host to all racks.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "file/fabric.h"

namespace mrcd
{

/** A path from a T0 to a T0: indices in Fabric::t0 and Fabric::t1. */
struct Path {
    uint32_t from = 0;
    std::optional<uint32_t> t1; ///< empty inside a rack, where from and to are the same
    uint32_t to = 0;
    bool denied = false; ///< by the file
};

/** Does a path pass a denied element? */
bool passes(const Path &path, const Denials &denied);

/** Finds paths in a fabric whose racks have a T0 in each plane. */
class Topology
{
public:
    /** @param fabric outlives this */
    explicit Topology(const Fabric &fabric);

    /** All paths of a plane to a rack, in the order of the fabric's T1s. */
    [[nodiscard]] std::vector<Path> paths(uint8_t plane, uint32_t rack) const;

private:
    [[nodiscard]] uint32_t t0_at(uint8_t plane, uint32_t rack) const;

    const Fabric &fabric_;
    uint32_t own_rack_;
    std::vector<uint32_t> t0_;              ///< by plane and rack
    std::vector<std::vector<uint32_t>> t1_; ///< by plane
};

} // namespace mrcd
