# SPDX-License-Identifier: GPL-2.0-only
"""Draws the fabric as text, with the state of its links."""

import plan
import system


def link_states(ns):
    """{interface: up, no-carrier or DOWN} of a host or switch."""
    return parse_states(system.output(["ip", "-n", ns, "-o", "link", "show"]))


def parse_states(text):
    found = {}
    for line in text.splitlines():
        name = line.split(": ")[1].partition("@")[0]
        if "state UP" in line:
            found[name] = "up"
        else:
            found[name] = "no-carrier" if "NO-CARRIER" in line else "DOWN"
    return found


class Picture:
    """states(ns) returns what link_states() returns."""

    def __init__(self, shape, failed, with_devices, states=link_states):
        self.shape = shape
        self.failed = failed
        self.with_devices = with_devices
        self._states = states
        self._seen = {}

    def lines(self):
        shape = self.shape
        kind = "routed IPv6" if shape.plain else "SRv6 uSID"
        yield (f"{shape.planes} planes, {shape.racks} racks, {shape.spines} spines per plane, "
               f"{shape.hosts_per_rack} hosts per rack, MTU {shape.mtu}, {kind}")  # fmt: skip
        for n in shape.hosts:
            yield self._host(n)
        for plane in shape.all_planes:
            yield from self._plane(plane)
        if self.failed:
            yield f"failed: {' '.join(self.failed)}"

    def _host(self, n):
        line = f"{plan.host(n)}  GID {plan.gid(n)}"
        if not self.shape.plain:
            line += f"  SID {plan.sid(n)}"
        return f"{line}  device {plan.device(n)}" if self.with_devices else line

    def _plane(self, plane):
        shape = self.shape
        yield f"plane {plane}"
        row = self._row(self._label(plan.t1(plane, spine)) for spine in shape.all_spines)
        yield f"  {'':<10} {'T1:':<10} {row}"
        for rack in shape.all_racks:
            switch = plan.t0(plane, rack)
            row = self._row(self._state(switch, f"t1s{spine}") for spine in shape.all_spines)
            yield f"  T0 {self._label(switch):<18} {row}"
            for n in shape.hosts:
                if shape.rack_of(n) == rack:
                    end = f"{plan.host(n)}:eth{plane}"
                    yield f"     {end:<16} {self._state(plan.host(n), f'eth{plane}')}"

    @staticmethod
    def _row(cells):
        return "".join(f" {cell:<12}" for cell in cells).rstrip()

    def _label(self, switch):
        return f"{switch}!" if switch in self.failed else switch

    def _state(self, ns, interface):
        if ns not in self._seen:
            self._seen[ns] = self._states(ns)
        return self._seen[ns].get(interface, "DOWN")
