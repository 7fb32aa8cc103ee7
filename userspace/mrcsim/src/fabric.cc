// SPDX-License-Identifier: GPL-2.0-only
#include "fabric.h"

namespace mrcsim
{

namespace
{

constexpr uint64_t ports_max = 1u << 28; // a port's number is 28 bits of an event's order

} // namespace

Fabric::Fabric(const FabricShape &shape)
    : shape_(shape), racks_((shape.endpoints + shape.t0_down - 1) / shape.t0_down),
      first_t0_(shape.endpoints), first_t1_(first_t0_ + shape.planes * racks_),
      first_t0_port_(shape.endpoints * shape.planes),
      first_t1_port_(first_t0_port_ + shape.planes * racks_ * t0_ports()),
      ports_(first_t1_port_ + shape.planes * shape.t0_up * racks_)
{
}

std::optional<std::string> Fabric::refusal(const FabricShape &shape)
{
    const uint64_t racks = (uint64_t{shape.endpoints} + shape.t0_down - 1) / shape.t0_down;
    const uint64_t ports =
        uint64_t{shape.planes} * (shape.endpoints + racks * (shape.t0_down + 2ull * shape.t0_up));

    if (ports > ports_max)
        return "has " + std::to_string(ports) + " ports, more than " + std::to_string(ports_max);
    return std::nullopt;
}

PortPlace Fabric::place_at_t0(uint32_t port) const
{
    const uint32_t t0 = (port - first_t0_port_) / t0_ports();
    const uint32_t at = (port - first_t0_port_) % t0_ports();
    const uint32_t plane = t0 / racks_;
    const uint32_t rack = t0 % racks_;

    if (at < shape_.t0_down)
        return {Tier::t0_down, first_t0_ + t0, rack * shape_.t0_down + at, plane};
    return {Tier::t0_up, first_t0_ + t0, t1(plane, at - shape_.t0_down), plane};
}

PortPlace Fabric::place(uint32_t port) const
{
    if (port < first_t0_port_) {
        const uint32_t host = port / shape_.planes;
        const uint32_t plane = port % shape_.planes;
        return {Tier::host_up, host, t0(plane, rack_of(host)), plane};
    }
    if (port < first_t1_port_)
        return place_at_t0(port);
    const uint32_t t1 = (port - first_t1_port_) / racks_;
    const uint32_t plane = t1 / shape_.t0_up;
    return {Tier::t1_down, first_t1_ + t1, t0(plane, (port - first_t1_port_) % racks_), plane};
}

uint32_t Fabric::cell_of(uint32_t node, uint32_t cells) const
{
    uint32_t index = (node - first_t1_) % shape_.t0_up;
    uint32_t of = shape_.t0_up;

    if (node < first_t1_) {
        index = is_host(node) ? rack_of(node) : (node - first_t0_) % racks_;
        of = racks_;
    }
    return static_cast<uint32_t>(uint64_t{index} * cells / of);
}

} // namespace mrcsim
