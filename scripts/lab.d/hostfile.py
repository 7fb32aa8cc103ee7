# SPDX-License-Identifier: GPL-2.0-only
"""Writes the fabric as a host's mrcd.toml. Elements there have the numbers that the plan gives them."""

import plan


def lines(shape, own):
    yield "[fabric]"
    yield f'block = "{plan.BLOCK}::/32"'
    yield f'gids = "{plan.GID_PREFIX}::/64"'
    yield f"planes = {shape.planes}"
    yield from ("", "[t0]")
    for plane in shape.all_planes:
        for rack in shape.all_racks:
            name, usid = plan.t0(plane, rack), plan.t0_usid(plane, rack)
            yield f'{name} = {{ plane = {plane}, rack = "r{rack}", usid = 0x{usid} }}'
    yield from ("", "[t1]")
    for plane in shape.all_planes:
        for spine in shape.all_spines:
            name, usid = plan.t1(plane, spine), plan.t1_usid(plane, spine)
            yield f"{name} = {{ plane = {plane}, usid = 0x{usid} }}"
    yield from ("", "[hosts]")
    for n in shape.hosts:
        yield (f'{plan.host(n)} = {{ rack = "r{shape.rack_of(n)}", usid = 0x{plan.host_usid(n)}, '
               f'gid = "{plan.gid(n)}" }}')  # fmt: skip
    yield from _local(shape, own)


def _local(shape, own):
    netdevs = ", ".join(f'"eth{plane}"' for plane in shape.all_planes)
    yield from ("", "[local]")
    yield f'host = "{plan.host(own)}"'
    yield f'device = "{plan.device(own)}"'
    yield 'anchor = "mrc"'
    yield f"planes = [{netdevs}]"
