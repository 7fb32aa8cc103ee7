// SPDX-License-Identifier: GPL-2.0-only
//
// The messages of a simulated QP, and how far its two ends have come with them.
#pragma once

#include "sim_world.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

struct SimMessage {
    u32 packets = 1;
    u32 len = 0;
    u32 slot = 0; ///< region of remote memory
    bool imm = false;
    bool send = false;
    u32 first = 0; ///< PSN
    u32 last = 0;  ///< PSN
    u16 rqmsn = 0; ///< number of the receive that it takes

    bool has(u32 psn) const;
    bool takes() const { return imm || send; }
};

struct SimWork {
    explicit SimWork(SimWorld &world);

    std::vector<SimMessage> messages;
    std::set<u32> refused;           ///< PSNs that must not be executed
    std::optional<u32> firstRefused; ///< the oldest of them
    std::size_t executed = 0;        ///< number of executed messages
    std::map<u16, u64> arrivedOn;    ///< data packets per EV
    std::vector<std::size_t> takers; ///< messages that take a receive, in their order

    /// The byte at @p offset of message @p index.
    static std::uint8_t byteAt(std::size_t index, u32 offset);

private:
    void add(SimWorld &world, SimMessage m);
};

/// Bytes of a region of remote memory.
inline u32 simSlotSize(const SimConfig &c)
{
    return c.mtu * c.maxPackets;
}
