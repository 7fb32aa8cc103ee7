# SPDX-License-Identifier: GPL-2.0-only
"""Registers memory within and beyond RLIMIT_MEMLOCK. Usage: memlock.py DEVICE [TIMES]

One line of JSON: the limit; the error of each registration, or nothing; and how much memory of this
process the kernel counts as pinned after each (VmPin of /proc/self/status). Sizes are MiB. TIMES
(default 20) registrations go beyond the limit.
"""

import ctypes
import ctypes.util
import errno
import json
import mmap
import re
import resource
import sys

MIB = 1 << 20
LOCAL_WRITE = 1
TIMES = 20

verbs = ctypes.CDLL(ctypes.util.find_library("ibverbs") or "libibverbs.so.1", use_errno=True)
for name, arguments in (
    ("ibv_get_device_list", (ctypes.c_void_p,)),
    ("ibv_get_device_name", (ctypes.c_void_p,)),
    ("ibv_open_device", (ctypes.c_void_p,)),
    ("ibv_alloc_pd", (ctypes.c_void_p,)),
    ("ibv_reg_mr", (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)),
):
    getattr(verbs, name).argtypes = arguments
    getattr(verbs, name).restype = ctypes.c_void_p
verbs.ibv_get_device_name.restype = ctypes.c_char_p
verbs.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
verbs.ibv_dereg_mr.argtypes = (ctypes.c_void_p,)


def must(result, what):
    if not result:
        sys.exit(f"memlock: {what}: {errno.errorcode.get(ctypes.get_errno(), 'failed')}")
    return result


def open_device(name):
    devices = must(verbs.ibv_get_device_list(None), "devices")
    n = 0
    while devices[n]:
        if verbs.ibv_get_device_name(devices[n]) == name.encode():
            return must(verbs.ibv_open_device(devices[n]), name)
        n += 1
    sys.exit(f"memlock: no device {name}")


def pinned():
    """How much the kernel counts as pinned, in MiB."""
    with open("/proc/self/status", encoding="ascii") as file:
        return int(re.search(r"VmPin:\s*(\d+) kB", file.read()).group(1)) / 1024


class Memory:
    def __init__(self, pd):
        self.pd = pd
        self.map = mmap.mmap(-1, 32 * MIB)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.steps = []

    def register(self, name, mib):
        ctypes.set_errno(0)
        mr = verbs.ibv_reg_mr(self.pd, self.address, mib * MIB, LOCAL_WRITE)
        error = "" if mr else errno.errorcode.get(ctypes.get_errno(), "unknown")
        self.steps.append([name, error, pinned()])
        return mr

    def deregister(self, name, mr):
        error = verbs.ibv_dereg_mr(mr) if mr else errno.EINVAL
        self.steps.append([name, errno.errorcode.get(error, ""), pinned()])


def main():
    memory = Memory(must(verbs.ibv_alloc_pd(open_device(sys.argv[1])), "PD"))
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] // MIB
    first = memory.register("4", 4)
    memory.register("4 and 5", 5)
    memory.deregister("none", first)
    memory.register("32", 32)
    # If refused registrations kept memory, there would soon be none left.
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else TIMES):
        memory.register("again 9", 9)
        memory.steps.pop()
    memory.deregister("all again", memory.register("8", 8))
    print(json.dumps({"limit": limit, "steps": memory.steps}))


main()
