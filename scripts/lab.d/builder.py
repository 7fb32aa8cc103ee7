# SPDX-License-Identifier: GPL-2.0-only
"""Makes namespaces and links as planned, and removes them."""

import _signal
import os
import time

import plan
import system
from errors import Refused

# Interfaces that are made later inherit the settings of "default".
INTERFACES = ("all", "default", "lo")
SETTINGS = (("accept_dad", 0), ("accept_ra", 0), ("router_solicitations", 0), ("seg6_enabled", 1))
IPV6 = "/proc/sys/net/ipv6"


def refuse_taken_names(names):
    for name in names:
        if os.path.exists(f"{system.RUN_NETNS}/{name}"):
            raise Refused(f"a network namespace '{name}' exists and is not ours")


def build(state, shape, commands):
    names = plan.hosts(shape) + [name for name, _ in plan.switches(shape)]
    made = system.feed(["ip", "-batch", "-"], [f"netns add {name}" for name in names])
    if made or _configure(names, commands.outside, state):
        raise Refused("cannot configure the fabric")


def _configure(names, links, state):
    """Runs an ip per namespace, all at once: True if one of them fails."""
    for name in names:
        with system.Inside(name):
            _settings(forwards=not name.startswith("h"))
    if system.feed(["ip", "-batch", "-"], links):
        return True
    started = []
    for name in names:
        with system.Inside(name):
            started.append(system.start(["ip", "-batch", state.path("ns", name)]))
    return any([system.wait(pid) for pid in started])


def _settings(forwards):
    if forwards:
        system.write(f"{IPV6}/conf/all/forwarding", "1")
    for which in INTERFACES:
        for name, value in SETTINGS:
            system.write(f"{IPV6}/conf/{which}/{name}", str(value))
    # Flows are spread by addresses and ports, as in a switch ASIC.
    system.write(f"{IPV6}/fib_multipath_hash_policy", "1")


def kill_inhabitants(names):
    """Ends processes in the lab's namespaces, which would keep these alive."""
    for number in (_signal.SIGTERM, _signal.SIGKILL):
        pids = system.inhabitants(names)
        if not pids:
            break
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        time.sleep(0.2)


def remove(state):
    """Removes everything, also of a half-built fabric."""
    if not state.exists():
        return
    names = state.namespaces()
    kill_inhabitants(names)
    for line in state.lines("devices"):
        device, ns = line.split()
        if os.path.exists(f"/sys/class/infiniband/{device}"):
            system.run(["nsenter", f"--net={system.RUN_NETNS}/{ns}", "rdma", "link", "delete",
                        device])  # fmt: skip
    there = [name for name in names if os.path.exists(f"{system.RUN_NETNS}/{name}")]
    if there and system.feed(["ip", "-force", "-batch", "-"], [f"netns del {n}" for n in there]):
        raise Refused("cannot remove all namespaces")
    state.remove()
