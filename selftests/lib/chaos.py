#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A random fabric, traffic in it, and faults that come and go under it, as a plan for chaos.sh.

The same seed gives the same plan. Lines, fields with tabs between them:

  fabric  OPTIONS                 of "lab up"
  flow    HOST  HOST  OPTIONS     of mrc_traffic, both ways between these hosts
  at      SECONDS  WHAT  FAULTS   when to run WHAT, and what is broken after that

WHAT is one or more commands of lab, with semicolons between them: the first one runs, then all others
at once. Data must get through before the next line.

What keeps traffic possible: a path from host a to host b is a plane p and a spine s,

  a --eth<p>-- p<p>t0r<a> --t1s<s>-- p<p>t1s<s> --t0r<b>-- p<p>t0r<b> --h<b>-- b

four interfaces that send (each is one direction of a link) and three switches between them; host n is
in rack n. A fault says which of these parts it harms, and the share of packets that each still lets
through; a dead part lets none through. What a path lets through is the product over its parts and the
active faults. A fault begins only if each pair of hosts then still has a path that lets 80 % through,
in either direction; the paths there and back may differ. A fault counts from its first command to its
last, so a flapping part counts as dead all the time. One command waits for the one before it, unless
both begin faults: delays change when this condition holds, not whether it holds. A part that is on its
way from one state to the next lets through no less than in the worse of the two.
"""

import argparse
import random
from dataclasses import dataclass, field

# The least share of packets that the best path lets through.
ENOUGH = 0.8
# Switches in a fabric, at most: it takes an emulated machine half a second to build each.
SWITCHES = 26
# Commands of lab, roughly: each takes an emulated machine a good part of a second.
COMMANDS = 30
# Messages a second, of all queue pairs together.
RATE = 100


@dataclass
class Fault:
    """A fault: commands that begin and end it, and what it does to which parts."""

    name: str
    fail: str
    heal: str
    passes: float
    parts: tuple
    # Faults that claim the same thing do not run together: the end of one would end the other.
    claims: frozenset
    # Times that the fault goes and comes before it ends.
    flaps: int = 0


@dataclass
class Fabric:
    """The fabric, and the parts of its paths, by lab's names."""

    planes: int
    racks: int
    spines: int
    mtu: int
    pairs: list = field(default_factory=list)

    def places(self):
        """The planes and spines of all paths."""
        for plane in range(1, self.planes + 1):
            for spine in range(1, self.spines + 1):
                yield plane, spine

    def paths(self, source, target):
        for plane, spine in self.places():
            yield self.path(source, target, plane, spine)

    @staticmethod
    def path(source, target, plane, spine):
        first, middle, last = f"p{plane}t0r{source}", f"p{plane}t1s{spine}", f"p{plane}t0r{target}"
        return (f"h{source}:eth{plane}", first, f"{first}:t1s{spine}", middle,
                f"{middle}:t0r{target}", last, f"{last}:h{target}")

    def directions(self):
        for a, b in self.pairs:
            yield a, b
            yield b, a

    def used_racks(self):
        return sorted({rack for pair in self.pairs for rack in pair})

    def links(self):
        """Both ends of each link that a flow uses."""
        for plane in range(1, self.planes + 1):
            for rack in self.used_racks():
                t0 = f"p{plane}t0r{rack}"
                yield f"h{rack}:eth{plane}", f"{t0}:h{rack}"
                for spine in range(1, self.spines + 1):
                    yield f"{t0}:t1s{spine}", f"p{plane}t1s{spine}:t0r{rack}"

    def switches(self):
        """The switches that a flow uses."""
        for plane in range(1, self.planes + 1):
            for rack in self.used_racks():
                yield f"p{plane}t0r{rack}"
            for spine in range(1, self.spines + 1):
                yield f"p{plane}t1s{spine}"


def draw_fabric(rng):
    while True:
        fabric = Fabric(rng.randint(1, 8), rng.choice((2, 3)), rng.randint(1, 4),
                        rng.choice((1500, 9000)))
        if fabric.planes * (fabric.racks + fabric.spines) <= SWITCHES:
            break
    pairs = [(1, 2)] if fabric.racks == 2 else [(1, 2), (1, 3), (2, 3)]
    fabric.pairs = [rng.choice(((a, b), (b, a)))
                    for a, b in rng.sample(pairs, min(len(pairs), rng.randint(1, 2)))]
    return fabric


def draw_flow(rng, fabric):
    qps = rng.randint(2, 8)
    sizes = rng.choice(("--sizes 3000,20K,100", "--sizes 8K,100,30K", "--random-sizes 1-60K"))
    rate = max(1, RATE // (2 * qps * len(fabric.pairs)))
    mtu = rng.choice((1024, 256) if fabric.mtu < 4096 else (4096, 1024))
    return (f"--both --iterations 0 --qps {qps} {sizes} --imm-every {rng.randint(1, 5)} "
            f"--sends-every {rng.randint(0, 3)} --reads-every {rng.randint(0, 3)} --rate {rate} --mtu {mtu} --seed {rng.randint(1, 1 << 30)}")


# ---------------------------------------------------------------- faults


def dead_switch(switch, carrier=""):
    return Fault(f"{switch} dead{carrier}", f"fail switch {switch}{carrier}",
                 f"heal switch {switch}", 0, (switch,), frozenset([switch]))


def draw_switch(rng, fabric):
    return dead_switch(rng.choice(list(fabric.switches())), rng.choice(("", " --carrier")))


def draw_cut(rng, fabric):
    ends = rng.choice(list(fabric.links()))
    link = rng.choice(ends)
    return Fault(f"{link} cut", f"fail link {link}", f"heal link {link}", 0, ends,
                 frozenset(f"cut {end}" for end in ends))


def draw_qdisc(rng):
    """A fault of netem, and the share of packets that it lets through."""
    percent = rng.randint(1, 20)
    return rng.choice((
        (f"loss {percent}%", 1 - percent / 100),
        (f"corrupt {percent}%", 1 - percent / 100),
        (f"loss {20 + 2 * percent}%", 0.8 - percent / 50),
        ("loss 100%", 0),
        ("loss 100%", 0),
        (f"delay {percent}ms", 1),
        (f"delay {percent}ms {percent}ms", 1),
        (f"delay {percent}ms reorder {100 - 4 * percent}%", 1),
        (f"duplicate {percent}%", 1)))


def draw_netem(rng, fabric):
    """A netem fault of one direction of a link, or of both."""
    ends = rng.choice(list(fabric.links()))
    qdisc, passes = draw_qdisc(rng)
    if rng.random() < 0.6:
        target = rng.choice(ends)
        parts = (target,)
    else:
        target = f"link {ends[0]}"
        parts = ends
    return Fault(f"{target} {qdisc}", f"netem {target} {qdisc}", f"netem {target} off", passes,
                 parts, frozenset(f"netem {part}" for part in parts))


def draw_flap(rng, fabric):
    fault = rng.choice((draw_switch, draw_cut))(rng, fabric)
    fault.flaps = rng.randint(1, 3)
    fault.name += " now and then"
    return fault


def draw_fault(rng, fabric):
    draw = rng.choices((draw_switch, draw_cut, draw_netem, draw_flap), (3, 2, 4, 1))[0]
    return draw(rng, fabric)


# ---------------------------------------------------------------- the schedule


class Schedule:
    """Faults over time, each begun only if traffic stays possible."""

    def __init__(self, rng, fabric, seconds):
        self.rng = rng
        self.fabric = fabric
        self.seconds = seconds
        self.now = 3.0
        self.active = []
        self.events = []
        # (when, fault, commands that are left), of faults that flap
        self.flapping = []

    def passes(self, path, faults):
        share = 1.0
        for fault in faults:
            for part in fault.parts:
                if part in path:
                    share *= fault.passes
        return share

    def possible(self, faults):
        return all(
            max(self.passes(path, faults) for path in self.fabric.paths(a, b)) >= ENOUGH - 1e-9
            for a, b in self.fabric.directions())

    def run(self, command):
        names = ", ".join(fault.name for fault in self.active) or "none"
        self.events.append((self.now, command, names))

    def begin(self, fault):
        self.active.append(fault)
        self.run(fault.fail)
        if fault.flaps:
            self.flapping.append((self.now + self.pause(), fault,
                                  [fault.heal, fault.fail] * fault.flaps))

    def end(self, fault):
        """From its last command on a fault does not count."""
        self.flapping = [entry for entry in self.flapping if entry[1] is not fault]
        self.active.remove(fault)
        self.run(fault.heal)

    def pause(self):
        return self.rng.uniform(0.3, 1.2)

    def try_begin(self, fault):
        taken = frozenset().union(*(other.claims for other in self.active))
        if fault.claims & taken or not self.possible([*self.active, fault]):
            return False
        self.begin(fault)
        return True

    def add(self):
        return any(self.try_begin(draw_fault(self.rng, self.fabric)) for _ in range(20))

    def flap_until(self, when):
        """Runs the commands of flapping faults until then."""
        while self.flapping:
            entry = min(self.flapping, key=lambda entry: entry[0])
            at, fault, commands = entry
            if at > when:
                break
            self.flapping.remove(entry)
            self.now = max(self.now, at)
            self.run(commands.pop(0))
            if commands:
                self.flapping.append((self.now + self.pause(), fault, commands))
        self.now = max(self.now, when)

    def dead(self, a, b):
        """Planes and spines of the paths that let nothing through."""
        return [place for place in self.fabric.places()
                if self.passes(self.fabric.path(a, b, *place), self.active) == 0]

    def exchange(self):
        """A path comes back, and at the same moment all others die that may, before an end knows of the
        first."""
        a, b = self.rng.choice(self.fabric.pairs)
        plane, spine = self.rng.choice(self.dead(a, b) or list(self.fabric.places()))
        path = self.fabric.path(a, b, plane, spine)
        parts = {*path, *self.fabric.path(b, a, plane, spine)}
        ended = [fault for fault in self.active if parts & set(fault.parts)]
        for fault in ended:
            self.end(fault)
        together = len(self.events) - (1 if ended else 0)
        others = list(self.fabric.paths(a, b))
        self.rng.shuffle(others)
        for other in others:
            if self.passes(other, self.active) > 0:
                # A T0 of another plane takes all its paths at once; in this plane it is a spine.
                switch = self.rng.choice((other[1], other[5])) if other[1] != path[1] else other[3]
                if switch not in parts:
                    self.try_begin(dead_switch(switch))
        self.join(together)

    def join(self, first):
        """Joins the events from here on into one."""
        joined = self.events[first:]
        if joined:
            command = "; ".join(command for _, command, _ in joined)
            self.events[first:] = [(self.now, command, joined[-1][2])]

    def step(self, wanted):
        if self.rng.random() < 0.12:
            self.exchange()
        elif self.rng.random() * 2 * wanted < len(self.active) or not self.add():
            if self.active:
                self.end(self.rng.choice(self.active))

    def make(self):
        wanted = turn = 0
        while self.now < self.seconds and len(self.events) + len(self.active) < COMMANDS:
            if self.now >= turn:
                wanted = self.rng.randint(1, 2 + self.fabric.planes + self.fabric.spines)
                turn = self.now + self.rng.uniform(5, 15)
            self.step(wanted)
            self.flap_until(self.now + self.rng.uniform(0.3, 2.5))
        while self.active:
            self.end(self.active[0])
        return self.events


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    fabric = draw_fabric(rng)
    print("fabric", f"--planes {fabric.planes} --racks {fabric.racks} --spines {fabric.spines} "
          f"--mtu {fabric.mtu}", sep="\t")
    for a, b in fabric.pairs:
        print("flow", f"h{a}", f"h{b}", draw_flow(rng, fabric), sep="\t")
    for when, command, names in Schedule(rng, fabric, args.seconds).make():
        print("at", f"{when:.3f}", command, names, sep="\t")


if __name__ == "__main__":
    main()
