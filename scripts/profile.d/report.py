#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes the tables of scripts/profile, as Markdown for Documentation/figures.md.

Usage: perf script -F ip,dso ... | report.py FOLDER HERTZ

FOLDER has the kernel, "linux", the linker's "map", and the guest's "facts.json". perf prints for each sample
the address and the program of the function that ran, then those of its callers, then an empty line.
"""

import bisect
import collections
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path

TOP_FUNCTIONS = 15
MRC = "drivers/infiniband/sw/mrc/"
# (name, files of the kernel) of each group: a function belongs to the first that has its file.
GROUPS = [(name, re.compile(files)) for name, files in (
    ("UML", r"arch/(um|x86/um)/"),
    ("MRC: ICRC, `core/wire/crc_fold.c`, `net/crc.c`, the kernel's CRC-32",
     rf"{MRC}(core/wire/crc_fold|net/crc)|lib/crc"),
    ("MRC: protocol engine, `kernel/core`", rf"{MRC}core/"),
    ("MRC: QPs, peers and memory regions, `kernel/transport`", rf"{MRC}transport/"),
    ("MRC: packets and sockets, `kernel/net`", rf"{MRC}net/"),
    ("MRC: verbs, `kernel/verbs`, and the RDMA core", rf"{MRC}|drivers/infiniband/"),
    ("copies", r"(arch/x86/)?lib/(mem|copy|csum|checksum|iov_iter)"),
    ("SRv6", r"net/ipv6/(seg6|exthdrs)|net/core/lwt"),
    ("UDP, IPv6 and look-ups of routes", r"net/(ipv6|ipv4|netfilter)/|net/core/(dst|fib|neighbour|sock)"),
    ("skbs and memory", r"net/core/skbuff|mm/|lib/(sg_pool|xarray|radix-tree|maple_tree)|kernel/dma/"),
    ("netdevs and softirqs", r"net/|drivers/net/|kernel/softirq"),
    ("scheduler, timers, locks, work queues",
     r"kernel/(sched|time|locking|rcu|irq)/|kernel/(workqueue|kthread|signal|smp)|lib/(timerqueue|rbtree)"),
    ("files and programs", r"fs/|kernel/(fork|exit|exec)|ipc/|security/"),
    ("the rest", r""),
)]  # fmt: skip
SWITCHES = "switches of the lab: what they forward"
# What one of these calls belongs to a switch.
FORWARDING = re.compile(r"ip6_forward|seg6_local_input|input_action_end")


def functions_of(listed):
    """[(address, name)] of all functions that nm -n lists."""
    rows = (line.split() for line in listed.splitlines())
    return [(int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW"]


def files_of(text):
    """[(address, file)] of all code, by the linker's map. A long name of a section has a line of its own."""
    pieces = re.findall(r"^ \.\S*text\S*\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+(\S+)$", text, re.MULTILINE)
    return sorted((int(at, 16), re.sub(r"^.*\((.*)\)$", r"\1", file)) for at, size, file in pieces
                  if int(size, 16))  # fmt: skip


def start_of(headers):
    """Where the program begins in memory, of what readelf -lW prints."""
    return int(re.search(r"^ +LOAD +0x0+ +(0x[0-9a-f]+)", headers, re.MULTILINE)[1], 16)


class Kernel:
    """Finds the function and the file of an address. Some versions of perf print it less the program's
    start."""

    def __init__(self, path, functions, files, start=0):
        self.path, self.functions, self.files, self.start, self.found = path, functions, files, start, {}

    @staticmethod
    def _last(rows, address):
        at = bisect.bisect_right(rows, address, key=lambda row: row[0])
        return rows[at - 1][1] if at else "?"

    def find(self, address):
        """(function, file), the function without what the compiler adds to its name."""
        if address not in self.found:
            at = address + self.start if address < self.start else address
            self.found[address] = self._last(self.functions, at).split(".")[0], self._last(self.files, at)
        return self.found[address]


def samples(lines):
    """[(address, program)] of each sample, the innermost function first."""
    frames = []
    for line in lines:
        match = re.match(r"\s*([0-9a-f]+) \((.*)\)$", line.rstrip("\n"))
        if match:
            frames.append((int(match[1], 16), match[2]))
        elif frames:
            yield frames
            frames = []
    if frames:
        yield frames


def group_of(file):
    return next(name for name, files in GROUPS if files.match(file))


class Profile:
    """Counts samples: of programs, of UML's own work, and of the guest's kernel by group and function."""

    def __init__(self, kernel, lines):
        self.programs, self.uml = 0, 0
        self.groups, self.functions = collections.Counter(), collections.Counter()
        for frames in samples(lines):
            self._add(kernel, frames)

    def _add(self, kernel, frames):
        ours = [kernel.find(address) for address, program in frames if program == kernel.path]
        if not ours and not frames[0][1].startswith("["):
            self.programs += 1
            return
        group = group_of(ours[0][1]) if ours and frames[0][1] == kernel.path else "UML"
        if group == "UML":
            self.uml += 1
            return
        self.functions[ours[0]] += 1
        if any(FORWARDING.match(function) for function, _ in ours):
            group = SWITCHES
        self.groups[group] += 1

    @property
    def kernel(self):
        return sum(self.groups.values())


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, *rows)).replace(
        "\n", "\n" + "|---" * len(head) + "|\n", 1)  # fmt: skip


def by_group(profile, packet):
    """@packet: ns of a packet that one sample is."""
    names = [name for name, _ in GROUPS if profile.groups[name]] + [SWITCHES]
    rows = [[name, f"{100 * profile.groups[name] / profile.kernel:.1f} %",
             f"{profile.groups[name] * packet:.0f}"] for name in names]  # fmt: skip
    rows.append(["all", "100 %", f"{profile.kernel * packet:.0f}"])
    return table(["the guest's kernel", "of its time", "ns a packet"], rows)


def by_function(profile):
    rows = [[f"`{name}`", f"`{place(file)}`", f"{100 * count / profile.kernel:.1f} %"]
            for (name, file), count in profile.functions.most_common(TOP_FUNCTIONS)]  # fmt: skip
    return table(["function", "file", "of that time"], rows)


def place(file):
    """The source of an object, as this project names it."""
    object_file = r"\.o$"
    if file.startswith(MRC):
        return re.sub(object_file, ".c", file.replace(MRC, "kernel/"))
    return re.sub(object_file, "", file)


def cpu_name(cpuinfo="/proc/cpuinfo"):
    with open(cpuinfo, encoding="utf-8") as lines:
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, one CPU of {len(names)}" if names else "unknown CPU"


def report(profile, facts, hertz, cpu, today):
    packets = facts["tx_packets"]
    total = profile.kernel + profile.uml + profile.programs
    share = lambda count: f"{100 * count / total:.0f} %"  # noqa: E731
    return "\n\n".join([
        f"{cpu}, Linux {facts['kernel']}, {today}. {packets / facts['seconds']:,.0f} packets a second from h1, "
        f"{facts['tx_bytes'] * 8 / facts['seconds'] / 1e9:.2f} Gb/s; h1 sent {packets:,} and "
        f"received {facts['rx_packets']:,}, mostly SACKs. {total:,} samples: {share(profile.uml)} UML's own "
        f"work, {share(profile.programs)} the programs, {share(profile.kernel)} the guest's kernel, which the "
        "tables divide.",
        by_group(profile, 1e9 / hertz / packets), by_function(profile),
    ])  # fmt: skip


def main():
    folder, hertz = Path(sys.argv[1]), int(sys.argv[2])
    linux = str(folder / "linux")
    listed, headers = (subprocess.run([*command, linux], capture_output=True, text=True, check=True).stdout
                       for command in (["nm", "-n"], ["readelf", "-lW"]))  # fmt: skip
    files = files_of((folder / "map").read_text(encoding="utf-8", errors="replace"))
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    kernel = Kernel(linux, functions_of(listed), files, start_of(headers))
    profile = Profile(kernel, sys.stdin)
    if not profile.kernel:
        sys.exit("profile: no sample is of the guest's kernel")
    print(report(profile, facts, hertz, cpu_name(), datetime.date.today()))


if __name__ == "__main__":
    main()
