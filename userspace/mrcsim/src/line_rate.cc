// SPDX-License-Identifier: GPL-2.0-only
#include "line_rate.h"

#include "packet.h"

namespace mrcsim
{

double line_rate(const Scenario &scenario)
{
    const uint32_t mtu = scenario.transport.mtu;

    return static_cast<double>(scenario.link.mbps) * scenario.fabric.planes * (1e6 / 8) * mtu /
           wire_bytes(write_headers, mtu, 0);
}

} // namespace mrcsim
