// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A fabric of several planes, each of two tiers of switches: every host has a port in each plane,
 * at the T0 of its rack; every T0 has a link to each T1 of its plane. Nodes and ports are numbered,
 * and everything else about them follows from their numbers.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "clock.h"
#include "packet.h"

namespace mrcsim
{

/** Kinds of links, by direction. */
enum class Tier : uint8_t {
    host_up, ///< from a host to its T0
    t0_up,   ///< from a T0 to a T1
    t1_down, ///< from a T1 to a T0
    t0_down, ///< from a T0 to a host: the last hop
};
constexpr unsigned tiers = 4;

/** What a fabric is generated from. */
struct FabricShape {
    uint32_t planes = 1;
    uint32_t endpoints = 2;
    uint32_t t0_down = 64; ///< hosts of a rack
    uint32_t t0_up = 64;   ///< T1s of a plane
};

/** Where a port is. */
struct PortPlace {
    Tier tier;
    uint32_t node; ///< the node that sends by it
    uint32_t peer; ///< the node that receives
    uint32_t plane;
};

/** A generated fabric. */
class Fabric
{
public:
    explicit Fabric(const FabricShape &shape);

    [[nodiscard]] const FabricShape &shape() const { return shape_; }
    [[nodiscard]] uint32_t racks() const { return racks_; }
    [[nodiscard]] uint32_t hosts() const { return shape_.endpoints; }
    [[nodiscard]] uint32_t nodes() const { return first_t1_ + shape_.planes * shape_.t0_up; }
    [[nodiscard]] uint32_t ports() const { return ports_; }

    [[nodiscard]] bool is_host(uint32_t node) const { return node < first_t0_; }
    [[nodiscard]] uint32_t t0(uint32_t plane, uint32_t rack) const
    {
        return first_t0_ + plane * racks_ + rack;
    }
    [[nodiscard]] uint32_t t1(uint32_t plane, uint32_t spine) const
    {
        return first_t1_ + plane * shape_.t0_up + spine;
    }
    [[nodiscard]] uint32_t rack_of(uint32_t host) const { return host / shape_.t0_down; }
    [[nodiscard]] uint32_t slot_of(uint32_t host) const { return host % shape_.t0_down; }

    [[nodiscard]] uint32_t host_port(uint32_t host, uint32_t plane) const
    {
        return host * shape_.planes + plane;
    }
    [[nodiscard]] uint32_t t0_down_port(uint32_t plane, uint32_t rack, uint32_t slot) const
    {
        return first_t0_port_ + (plane * racks_ + rack) * t0_ports() + slot;
    }
    [[nodiscard]] uint32_t t0_up_port(uint32_t plane, uint32_t rack, uint32_t spine) const
    {
        return t0_down_port(plane, rack, shape_.t0_down) + spine;
    }
    [[nodiscard]] uint32_t t1_port(uint32_t plane, uint32_t spine, uint32_t rack) const
    {
        return first_t1_port_ + (plane * shape_.t0_up + spine) * racks_ + rack;
    }

    [[nodiscard]] PortPlace place(uint32_t port) const;

    /** The port by which switch @p node sends a packet. */
    [[nodiscard]] uint32_t next_port(uint32_t node, const Packet &packet) const
    {
        if (node >= first_t1_)
            return first_t1_port_ + (node - first_t1_) * racks_ + packet.rack;
        const uint32_t t0 = node - first_t0_;
        const uint32_t rack = t0 - packet.plane * racks_;
        return first_t0_port_ + t0 * t0_ports() +
               (rack == packet.rack ? packet.slot : shape_.t0_down + packet.spine);
    }

    /**
     * Links that a packet passes between hosts of different racks, or of one rack if there is only
     * one.
     */
    [[nodiscard]] uint32_t longest_way() const { return racks_ > 1 ? 4 : 2; }

    /** The one of @p cells cells that has a node. Racks, and T1s, are dealt out in equal parts. */
    [[nodiscard]] uint32_t cell_of(uint32_t node, uint32_t cells) const;

    /** What is wrong with a shape; empty: nothing. */
    static std::optional<std::string> refusal(const FabricShape &shape);

private:
    [[nodiscard]] uint32_t t0_ports() const { return shape_.t0_down + shape_.t0_up; }
    [[nodiscard]] PortPlace place_at_t0(uint32_t port) const;

    FabricShape shape_;
    uint32_t racks_;
    uint32_t first_t0_;
    uint32_t first_t1_;
    uint32_t first_t0_port_;
    uint32_t first_t1_port_;
    uint32_t ports_;
};

} // namespace mrcsim
