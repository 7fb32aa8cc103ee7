#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends requests drawn at random, by the specification and near it, for SECONDS.

Usage: netlink_fuzz.py SPEC DEVICE NETDEV WHO SECONDS SEED

WHO sends them: root; nobody; userns (root of a user namespace of its own) or netns (of a network
namespace, too). NETDEV is one that is no plane of DEVICE yet. What root's requests have changed is put
back in the end. The others must have changed nothing; the caller compares that. (WHO can also be
"state": it prints what is configured.)
"""

import ctypes
import errno
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from genl_spec import F_ACK, F_DUMP, Refused, attribute, drop_privileges
from spec_tests import SEGS, Tests, expect, srh

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
HEADER = 16  # length of a netlink message's header; a refusal's offset is behind it
# Number of requests between two reads of all objects.
LOOK = 200
ADMIN = "uns-admin-perm"


class Draw:
    """Draws requests."""

    def __init__(self, tests, seed):
        self.tests, self.family = tests, tests.f
        self.dice = random.Random(seed)

    def any(self):
        """Draws an operation, flags, and bytes."""
        return self.noise() if self.dice.randrange(2) else self.nearly_right()

    # ---- attributes that make no sense together

    def noise(self):
        dice = self.dice
        op = dice.choice(list(self.family.ops.values()))
        parts = [attribute(2, self.tests.device.encode() + b"\0")]
        parts += [self.attribute(op["attribute-set"], 0) for _ in range(dice.randrange(6))]
        if dice.randrange(8) == 0:
            dice.shuffle(parts)
        data = b"".join(parts)
        if dice.randrange(4) == 0:
            data = data[:dice.randrange(len(data) + 1)]
        return op, dice.choice([F_ACK, F_DUMP, F_ACK | F_DUMP, 0x100 | F_ACK]), data

    def attribute(self, space, depth):
        dice = self.dice
        number, attr = dice.choice(list(self.family.spaces[space].by_name.values()))
        if dice.randrange(8) == 0:
            return attribute(dice.randrange(1 << 16), dice.randbytes(dice.randrange(40)))
        if attr["type"] == "nest" and depth < 4:
            inner = b"".join(self.attribute(attr["nested-attributes"], depth + 1)
                             for _ in range(dice.randrange(5)))
            return attribute(number | dice.choice([0x8000, 0x8000, 0x8000, 0, 0x4000]), inner)
        if dice.randrange(2) and attr["type"] not in ("nest", "pad"):
            return attribute(number, self.family.encode_one(attr, self.tests.sample(attr)))
        return attribute(number, dice.randbytes(dice.choice([0, 1, 2, 4, 8, 16, 28, 60, 3000])))

    # ---- requests that are right, or nearly so

    def nearly_right(self):
        dice = self.dice
        name, values = self.right()
        op = self.family.ops[name]
        values = list({"dev-name": self.tests.device, **values}.items())
        if dice.randrange(4) == 0:
            dice.shuffle(values)
        data = self.family.encode(op["attribute-set"], dict(values))
        for _ in range(dice.choice([0, 0, 1, 2])):
            data = self.mutated(data) if data else data
        return op, F_ACK, data

    def right(self):
        """Draws a request that may be taken, depending on those before."""
        dice = self.dice
        low = dice.randrange(1, 4)
        prefix = {"prefix": f"fd00:77::{low}", "prefix-len": dice.choice([64, 128])}
        noun, verb = dice.choice([
            ("ev-profile", "add"), ("ev-profile", "set"), ("ev-profile", "del"),
            ("route", "add"), ("route", "replace"), ("route", "del"), ("ev", "set"),
            ("cc-profile", "add"), ("cc-profile", "set"), ("cc-profile", "del"),
            ("plane", "add"), ("plane", "set"), ("plane", "del"), ("device", "set"),
            ("probe", "start")])
        values = {
            "ev-profile": {"id": low, "format": "srv6",
                           "ev": [self.ev() for _ in range(dice.randrange(1, 9))]},
            "route": {**prefix, "ev-profile": dice.choice([0, low]), "cc-profile": 0,
                      "usid": dice.randrange(1, 1 << 16)},
            "ev": {"ev-profile": low, "index": dice.randrange(8), "denied": dice.randrange(2)},
            "cc-profile": {"id": low, **self.congestion()},
            "plane": {"port": low + 1, "ifindex": self.tests.ifindex},
            "device": {dice.choice(["hop-limit", "burst", "mpr", "dscp-data"]): low},
            "probe": {"remote-gid": prefix["prefix"], "ev-profile": low,
                      "timeout": dice.randrange(1, 100)},
        }[noun]
        if verb == "del":
            keep = ("id", "prefix", "prefix-len", "port")
            values = {key: value for key, value in values.items() if key in keep}
        if (noun, verb) == ("plane", "set"):
            values = {"port": values["port"], "admin-state": dice.choice(["up", "down"])}
        return f"{noun}-{verb}", values

    def congestion(self):
        """Draws an algorithm, and some of its settings."""
        dice = self.dice
        if dice.randrange(2):
            return {"algorithm": "none", "window": 1 << dice.randrange(13, 24)}
        names = [name for name in self.tests.cc_settings() if dice.randrange(4) == 0]
        values = {name: dice.choice(self.tests.limits("cc-profile", name)) for name in names}
        return {"algorithm": "nscc", "base-rtt": 10000, **values}

    def ev(self):
        dice = self.dice
        host, switch = dice.randrange(1, 1 << 16), dice.randrange(1, 1 << 16)
        way = dice.choice([
            {"via": f"fcbb:bb00:101:{switch:x}:102::"}, {"via": f"fcbb:bb00:{switch:x}::"},
            {"sid": f"fcbb:bb00:101:{switch:x}:102:{host:x}::"}, {"table": 100},
            {"encap": {"srh": srh(SEGS, mode=dice.choice([1, 3]))}}])
        return {"port": dice.randrange(1, 5), "denied": dice.randrange(2), **way}

    def mutated(self, data):
        dice = self.dice
        at = dice.randrange(len(data))
        step = at & ~3
        return dice.choice([
            data[:at] + dice.randbytes(1) + data[at + 1:], data[:at],
            data[:step] + data[step + 4:], data[:step] + data[step:step + 4] + data[step:],
            data[:step] + dice.randbytes(8) + data[step:], data + data[step:]])


class Fuzz:
    """Sends requests, and checks the answers."""

    def __init__(self, tests, who, seed):
        self.tests, self.who = tests, who
        self.draw = Draw(tests, seed)
        self.sent = self.taken = 0

    def one(self):
        op, flags, data = self.draw.any()
        self.sent += 1
        try:
            self.tests.f.request(op["number"], flags, data)
            self.taken += 1
        except Refused as refusal:
            self.refused(op, flags, data, refusal)
        else:
            self.allowed(op)

    def refused(self, op, flags, data, refusal):
        end = HEADER + 4 + len(data)
        expect(refusal.offset is None or HEADER <= refusal.offset < end,
               f"{op['name']}: byte {refusal.offset} of {end} is blamed")
        # Other requests may be refused because of their flags before the sender is checked.
        if self.who in ("nobody", "userns") and ADMIN in op.get("flags", []) and flags == F_ACK:
            expect(refusal.code == errno.EPERM, f"{op['name']}: {refusal}, not EPERM")

    def allowed(self, op):
        """Root of a network namespace may make requests; its namespace has no device."""
        if self.who in ("nobody", "userns"):
            expect(ADMIN not in op.get("flags", []), f"{op['name']} is allowed")

    def look(self):
        """All objects can be read, and are as the specification says."""
        for noun in ("device", "plane", "ev-profile", "ev", "cc-profile", "route", "peer", "peer-ev",
                     "qp"):
            self.tests.f.dump(f"{noun}-get")

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(LOOK):
                self.one()
            self.look()
        # Otherwise the requests would not get beyond the first checks.
        if self.who == "root":
            expect(self.taken > self.sent / 20, f"only {self.taken} of {self.sent} were taken")


# ---------------------------------------------------------------- restoring


def state(tests):
    """The configuration of the device."""
    device = tests.do("device-get")[0]
    planes = [{key: plane[key] for key in ("port", "ifindex", "admin-state")}
              for plane in tests.dump("plane-get")]
    nouns = ("ev-profile", "ev", "cc-profile", "route")
    return {"device": {name: device[name] for name in tests.settings()}, "plane": planes,
            **{noun: tests.dump(f"{noun}-get") for noun in nouns}}


def restore(tests, before):
    for route in tests.dump("route-get"):
        tests.do("route-del", prefix=route["prefix"], prefix_len=route["prefix-len"])
    for noun in ("ev-profile", "cc-profile"):
        for profile in tests.dump(noun + "-get"):
            if profile["id"]:
                tests.do(noun + "-del", id=profile["id"])
    known = {plane["port"] for plane in before["plane"]}
    there = {plane["port"] for plane in tests.dump("plane-get")}
    for port in there - known:
        tests.do("plane-del", port=port)
    for plane in before["plane"]:
        if plane["port"] not in there:
            tests.do("plane-add", port=plane["port"], ifindex=plane["ifindex"])
        tests.do("plane-set", port=plane["port"], admin_state=plane["admin-state"])
    tests.set_device(before["device"])


def become(who):
    """Drops the privileges of the starting user."""
    drop_privileges()
    flags = {"nobody": 0, "userns": CLONE_NEWUSER, "netns": CLONE_NEWUSER | CLONE_NEWNET}[who]
    libc = ctypes.CDLL(None, use_errno=True)
    if flags and libc.unshare(flags):
        raise OSError(ctypes.get_errno(), f"{who}: unshare")


def main():
    spec, device, netdev, who = sys.argv[1:5]
    tests = Tests(spec, device, netdev)
    before = state(tests)
    if who == "state":
        print(json.dumps(before, default=bytes.hex, sort_keys=True))
        return
    if who != "root":
        become(who)
        tests.f.socket = tests.f.open()
    tests.f.socket.settimeout(60)
    fuzz = Fuzz(tests, who, f"{who} {sys.argv[6]}")
    fuzz.run(float(sys.argv[5]))
    print(f"{who}: {fuzz.taken} of {fuzz.sent} requests were taken")
    if who == "root":
        restore(tests, before)


if __name__ == "__main__":
    main()
