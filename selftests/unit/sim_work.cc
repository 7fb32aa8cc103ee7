// SPDX-License-Identifier: GPL-2.0-only
#include "sim_work.h"

bool SimMessage::has(u32 psn) const
{
    return mrc_psn_diff(psn, first) >= 0 && mrc_psn_diff(psn, last) <= 0;
}

SimWork::SimWork(SimWorld &world)
{
    const SimConfig &c = world.c;
    u32 psn = c.psn;
    u16 rqmsn = 0;
    for (int i = 0; i < c.messages; ++i) {
        SimMessage m;
        m.packets = world.chance(0.4) ? 1 : 1 + static_cast<u32>(world.upTo(c.maxPackets - 1));
        m.len = m.packets * c.mtu - static_cast<u32>(world.upTo(c.mtu - 1));
        if (m.packets == 1 && world.chance(0.1))
            m.len = 0;
        m.imm = c.immMax && world.chance(0.5);
        m.send = c.sends > 0 && world.chance(c.sends);
        if (m.takes()) {
            m.rqmsn = rqmsn++;
            takers.push_back(static_cast<std::size_t>(i));
        }
        m.slot = static_cast<u32>(i % c.slots);
        m.first = psn;
        m.last = mrc_psn_add(psn, static_cast<s32>(m.packets) - 1);
        psn = mrc_psn_add(m.last, 1);
        add(world, m);
    }
    world.open += messages.size();
}

void SimWork::add(SimWorld &world, SimMessage m)
{
    for (u32 psn = m.first; m.has(psn); psn = mrc_psn_add(psn, 1)) {
        if (!world.chance(world.c.refused))
            continue;
        refused.insert(psn);
        if (!firstRefused)
            firstRefused = psn;
    }
    world.report.packets += m.packets;
    messages.push_back(m);
}

std::uint8_t SimWork::byteAt(std::size_t index, u32 offset)
{
    return static_cast<std::uint8_t>((index * 2654435761u + offset * 40503u) >> 7);
}
