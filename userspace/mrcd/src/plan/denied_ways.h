// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Which EVs pass what is denied, judged by their values. Of profiles that have left the plan
 * nothing but the values of their EVs is known.
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
    /** @param fabric and what of it is denied */
    explicit DeniedWays(const Fabric &fabric);

    /**
     * Does a way pass what is denied?
     *
     * @param port plane of the EV
     * @param via a uSID carrier as planned EVs have it: T0, or T0, T1 and T0
     * @return nothing: not as far as is known, and the fabric does not have all of it
     */
    [[nodiscard]] std::optional<bool> denies(uint8_t port, const mrcnl::Address &via) const;

private:
    /** By plane and uSID, indices in the fabric. */
    using Nodes = std::map<std::pair<uint8_t, uint16_t>, uint32_t>;

    mrcnl::Address block_;
    Nodes t0_;
    Nodes t1_;
    Denials denied_;
};

} // namespace mrcd
