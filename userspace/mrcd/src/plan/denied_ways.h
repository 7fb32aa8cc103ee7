// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Tells from its value whether an EV passes a denied element. Of profiles that have left the plan,
 * only the values of their EVs are known.
 */
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "file/fabric.h"

namespace mrcd
{

class DeniedWays
{
public:
    DeniedWays() = default;
    /** @param fabric with its denials */
    explicit DeniedWays(const Fabric &fabric);

    /**
     * Does a path pass a denied element?
     *
     * @param port plane of the EV
     * @param via a uSID carrier as planned EVs have it: T0, or T0, T1 and T0
     * @return nothing: no known element of it is denied, but the fabric does not have all of them
     */
    [[nodiscard]] std::optional<bool> denies(uint8_t port, const mrcnl::Address &via) const;

private:
    /** Indices in the fabric, by plane and uSID. */
    using Nodes = std::map<std::pair<uint8_t, uint16_t>, uint32_t>;

    mrcnl::Address block_;
    Nodes t0_;
    Nodes t1_;
    Denials denied_;
};

} // namespace mrcd
