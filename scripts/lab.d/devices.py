# SPDX-License-Identifier: GPL-2.0-only
"""Loads the module, and makes the MRC devices of hosts."""

import os
import time

import plan
import system
from errors import Refused

# Seconds for other processes to stop reading the module's state, and seconds between looks.
IN_USE, LOOK = 10, 0.1

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def _built_module(name):
    for series in (os.environ.get("VM_KERNEL") or "none", os.uname().release):
        path = f"{TOP}/build/modules/{series}/{name}"
        if os.path.exists(path):
            return path
    return None


def load():
    """Loads the module: that of build/modules, or the installed one."""
    if os.path.isdir("/sys/module/mrc"):
        return
    path = _built_module("mrc.ko")
    if path is None:
        _must(["modprobe", "mrc"])
        return
    depends = system.output(["modinfo", "-F", "depends", path]).strip()
    if depends:
        _must(["modprobe", "-a", *depends.split(",")])
    _must(["insmod", path])


def load_switch():
    """Loads the module of ports that mark and trim, which nothing installs."""
    if os.path.isdir("/sys/module/sch_trim"):
        return
    path = _built_module("switch/sch_trim.ko")
    if path is None:
        raise Refused("there is no switch/sch_trim.ko for this kernel in build/modules: make modules")
    _must(["insmod", path])


def unload():
    """The kernel keeps the module while a process is reading its state. mrcd and mrcctl read now and
    then, and soon stop."""
    end = time.monotonic() + IN_USE
    while os.path.isdir("/sys/module/mrc") and system.run(["rmmod", "mrc"], quiet=True):
        if time.monotonic() > end:
            # Once more, for its error message.
            return _must(["rmmod", "mrc"])
        time.sleep(LOOK)


def _must(argv):
    if system.run(argv):
        raise Refused(f"{' '.join(argv)} failed")


def _mrcctl():
    built = f"{TOP}/build/userspace/mrcctl/mrcctl"
    return os.environ.get("MRCCTL") or (built if os.access(built, os.X_OK) else "mrcctl")


def settings(shape, n):
    """The commands of mrcctl for a host: planes, and a path per plane and spine to each other host."""
    dev = plan.device(n)
    lines = [f"plane add {dev} port {plane} netdev eth{plane}" for plane in shape.all_planes]
    if shape.plain:
        return lines
    lines.append(f"device set {dev} tunnel-source {plan.sid(n)}")
    for other in shape.others(n):
        evs = " ".join(f"ev port {plane} sid {path}" for plane, path in plan.paths(shape, n, other))
        lines += [
            f"ev-profile add {dev} {other} format srv6 {evs}",
            f"route add {dev} {plan.gid(other)}/128 ev-profile {other}",
        ]
    return lines


def build(state, shape):
    """Makes a device in each host, in all hosts at once."""
    state.write("devices", (f"{plan.device(n)} {plan.host(n)}" for n in shape.hosts))
    if _in_hosts(shape, _add_device) or _in_hosts(shape, _start_mrcctl):
        raise Refused("cannot set up the devices")


def _in_hosts(shape, begin):
    """begin(shape, n) starts a program in host n. Waits for all of them: True if one fails."""
    started = []
    for n in shape.hosts:
        with system.Inside(plan.host(n)):
            started.append(begin(shape, n))
    return any([program.finish() for program in started])


def _add_device(_, n):
    return _fed(["rdma", "-b", "-"], [f"link add {plan.device(n)} type mrc netdev mrc"])


def _start_mrcctl(shape, n):
    return _fed([_mrcctl(), "-b", "-"], settings(shape, n))


def _fed(argv, lines):
    program = system.Fed(argv, "".join(f"{line}\n" for line in lines))
    program.go()
    return program


def find_provider():
    """Later programs use the provider of the build tree, unless the environment already names one."""
    folder = f"{TOP}/build/userspace/provider"
    if os.environ.get("RDMAV_DRIVERS") or not os.path.isdir(folder):
        return
    for name in sorted(os.listdir(folder)):
        if name.startswith("libmrc-rdmav") and name.endswith(".so"):
            os.environ["RDMAV_DRIVERS"] = f"{folder}/{name.split('-rdmav')[0]}"
