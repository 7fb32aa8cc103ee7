#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Dumps the routes of a device while others change them.

The file WANTED has the routes that exist all the time, a prefix a line and in order. Every dump must
show each of them once and in that order. Unlike mrcctl this does not repeat a dump that was
interrupted, and some dumps must have been interrupted.
"""

import argparse
import socket
import sys

from genl_spec import F_DUMP, Family, attributes


def prefixes(family, device):
    """The routes of one dump, in its order, and whether it was interrupted."""
    op, space = family.ops["route-get"], family.spaces["route"]
    prefix, length = (space.by_name[name][0] for name in ("prefix", "prefix-len"))
    found, interrupted = family.request(op["number"], F_DUMP,
                                        family.encode("route", {"dev-name": device}))
    shown = []
    for _, data in found:
        values = dict(attributes(data))
        shown.append(f"{socket.inet_ntop(socket.AF_INET6, values[prefix])}/{values[length][0]}")
    return shown, interrupted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec")
    parser.add_argument("device")
    parser.add_argument("wanted", help="file")
    parser.add_argument("--rounds", type=int, default=4)
    args = parser.parse_args()
    with open(args.wanted, encoding="ascii") as file:
        wanted = file.read().split()
    staying, family, interruptions = set(wanted), Family(args.spec), 0
    for number in range(args.rounds):
        shown, interrupted = prefixes(family, args.device)
        interruptions += interrupted
        stayed = [one for one in shown if one in staying]
        print(f"round {number}: {len(shown)} shown, {len(set(shown))} different, "
              f"{len(stayed)} of {len(wanted)} that stay, interrupted: {interrupted}")
        if stayed != wanted or len(set(shown)) != len(shown):
            return 1
    return 0 if interruptions else 1


if __name__ == "__main__":
    sys.exit(main())
