#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the tables that scripts/profile.d/report.py makes of perf's samples.

Usage: kernel_profile.py TOP"""

import sys
import unittest
from pathlib import Path

TOP = Path(sys.argv.pop(1))
sys.path.insert(0, str(TOP / "scripts/profile.d"))
import report  # noqa: E402

MRC = "drivers/infiniband/sw/mrc"
MAP = f"""
 .text          0x0000000000001000      0x100 vmlinux.a({MRC}/core/wire/crc_fold.o)
 .text          0x0000000000001100        0x0 vmlinux.a(nothing.o)
 .text.unlikely.of_a_long_name
                0x0000000000001100      0x100 vmlinux.a({MRC}/core/requester/requester.o)
 .text          0x0000000000001200      0x100 vmlinux.a(net/ipv6/ip6_output.o)
 .data          0x0000000000001300      0x100 vmlinux.a(net/ipv6/route.o)
 .text          0x0000000000001300      0x100 vmlinux.a(arch/um/os-Linux/signal.o)
"""
LISTED = """
                 U malloc
0000000000001000 T mrc_crc_fold_begin
0000000000001080 t mrc_crc_fold_add.part.0
0000000000001100 T mrc_requester_post
0000000000001200 T ip6_xmit
0000000000001280 T ip6_forward
0000000000001300 T block_signals
0000000000001310 d no_function
"""
FACTS = {"seconds": 2.0, "tx_packets": 1000, "rx_packets": 50, "tx_bytes": 10**9, "kernel": "6.12.1"}


def sample(*frames):
    return "".join(f"\t    {address:x} ({program})\n" for address, program in frames) + "\n"


def ours(*addresses):
    return sample(*((address, "/linux") for address in addresses))


def profile_of(*samples):
    kernel = report.Kernel("/linux", report.functions_of(LISTED), report.files_of(MAP))
    return report.Profile(kernel, "".join(samples).splitlines(keepends=True))


class Report(unittest.TestCase):
    def test_the_function_that_ran_counts(self):
        profile = profile_of(ours(0x1090, 0x1110, 0x1210), ours(0x1090, 0x1110), ours(0x1110))
        self.assertEqual(profile.functions[("mrc_crc_fold_add", f"{MRC}/core/wire/crc_fold.o")], 2)
        self.assertEqual(profile.functions[("mrc_requester_post", f"{MRC}/core/requester/requester.o")], 1)
        self.assertEqual(sorted(profile.groups.values()), [1, 2])

    def test_addresses_may_lack_the_start(self):
        start = report.start_of("  PHDR 0x40 0x1040\n  LOAD           0x000000 0x0000000000001000 0x1000 R\n")
        self.assertEqual(start, 0x1000)
        kernel = report.Kernel("/linux", report.functions_of(LISTED), report.files_of(MAP), start)
        self.assertEqual(kernel.find(0x90), kernel.find(0x1090))
        self.assertEqual(kernel.find(0x90)[0], "mrc_crc_fold_add")

    def test_callers_that_forward_make_it_a_switch(self):
        profile = profile_of(ours(0x1210, 0x1290), ours(0x1210, 0x1110))
        self.assertEqual(profile.groups[report.SWITCHES], 1)
        self.assertEqual(profile.groups["UDP, IPv6 and look-ups of routes"], 1)

    def test_what_is_not_the_guests_kernel(self):
        profile = profile_of(sample((0xffff8000, "[kernel.kallsyms]"), (0x1210, "/linux")),
                             sample((0x7f00, "/lib/libc.so.6"), (0x1310, "/linux")), ours(0x1310),
                             sample((0x5000, "/usr/bin/ib_write_bw")),
                             sample((0xffff8000, "[kernel.kallsyms]")))  # fmt: skip
        self.assertEqual((profile.uml, profile.programs, profile.kernel), (4, 1, 0))

    def test_groups(self):
        for file, group in (("arch/x86/lib/memcpy_64.o", "copies"), ("arch/um/kernel/process.o", "UML"),
                            ("net/ipv6/seg6_local.o", "SRv6"), ("mm/slub.o", "skbs and memory"),
                            ("drivers/net/veth.o", "netdevs and softirqs"), ("init/main.o", "the rest")):  # fmt: skip
            self.assertEqual(report.group_of(file), group)

    def test_tables(self):
        profile = profile_of(*[ours(0x1090)] * 3, ours(0x1290))
        text = report.report(profile, FACTS, 1000, "a CPU", "a day")
        self.assertIn("500 packets a second from h1, 4.00 Gb/s", text)
        lines = text.splitlines()
        self.assertIn("| all | 100 % | 4000 |", lines)
        self.assertIn(f"| {report.SWITCHES} | 25.0 % | 1000 |", lines)
        self.assertIn("| `mrc_crc_fold_add` | `kernel/core/wire/crc_fold.c` | 75.0 % |", lines)
        self.assertNotIn("| the rest", text)


if __name__ == "__main__":
    unittest.main()
