#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Has a device probe all EVs to a GID, again and again.

Prints the time at which each round began, in ns since 1970.
"""

import argparse
import json
import sys
import time

from genl_spec import Family


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec")
    parser.add_argument("device")
    parser.add_argument("gid")
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()
    family = Family(args.spec)
    began = []
    for _ in range(args.rounds):
        began.append(time.time_ns())
        family.probe(dev_name=args.device, remote_gid=args.gid, timeout=10000)
    print(json.dumps(began))
    return 0


if __name__ == "__main__":
    sys.exit(main())
