# SPDX-License-Identifier: GPL-2.0-only
"""Breaks and heals parts of the fabric. Each fault is prepared first and happens on a later call, so
that its programs have started by then: prepare(), go(), finish()."""

import plan
import system
from errors import Refused, Usage, number

FORWARDING = "/proc/sys/net/ipv6/conf/all/forwarding"


class Program:
    """Lines for ip or tc in a namespace. A lenient step may fail without an error."""

    def __init__(self, ns, argv, lines, lenient=False):
        self.argv = [argv[0], "-n", ns, *argv[1:], *(["-force"] if lenient else []), "-batch", "-"]
        self.lines = lines
        self.lenient = lenient
        self._fed = None

    def prepare(self):
        text = "".join(f"{line}\n" for line in self.lines)
        self._fed = system.Fed(self.argv, text, quiet=self.lenient)

    def go(self):
        self._fed.go()

    def finish(self):
        return self._fed.finish() == 0 or self.lenient


class Forwarding:
    """Sets whether a switch forwards."""

    def __init__(self, ns, value):
        self.ns = ns
        self.value = value
        self._file = None

    def prepare(self):
        # The open file stays that of its namespace.
        with system.Inside(self.ns):
            self._file = open(FORWARDING, "w", encoding="ascii")

    def go(self):
        with self._file:
            self._file.write(self.value)

    @staticmethod
    def finish():
        return True


class Fault:
    """first: steps that all happen at once on go(); then: steps that follow one by one; mark(): notes
    the state on disk; complaint: the error when a step fails."""

    def __init__(self, first, complaint, then=(), mark=lambda: None):
        self.first = first
        self.then = then
        self._mark = mark
        self._complaint = complaint

    def prepare(self):
        for step in self.first:
            step.prepare()

    def go(self):
        for step in self.first:
            step.go()

    def finish(self):
        done = [step.finish() for step in self.first]
        for step in self.then:
            step.prepare()
            step.go()
            done.append(step.finish())
        if not all(done):
            raise Refused(self._complaint)
        self._mark()


def at_once(faults):
    """Runs all faults at once; they were prepared before."""
    for fault in faults:
        fault.go()
    for fault in faults:
        fault.finish()


def fault_of(state, words):
    """The fault that "fail", "heal", "netem" or "mtu" describes with its arguments."""
    action, kind, *rest = words
    if action == "netem":
        return _netem(state, words[1:])
    if action == "mtu":
        return _mtu(state, words[1:])
    if kind == "link":
        if len(rest) != 1:
            raise Usage(f"wanted: {action} link NS:IF")
        return _link(state, action, rest[0])
    if kind == "switch":
        return _switch(state, action, *rest)
    raise Usage(f"cannot {action} a '{kind}'")


def revival(state, ns, interfaces):
    """Steps that bring interfaces up again. Going down, these lost their routes and neighbours, but
    kept their membership in multipath routes that have other members."""
    lines, members = [], []
    for line in state.lines("ns", ns):
        if _about(line.split()) in interfaces:
            (members if line.startswith("route append ") else lines).append(line)
    steps = [Program(ns, ["ip", "-6"], lines)]
    return steps + ([Program(ns, ["ip", "-6"], members, lenient=True)] if members else [])


def _about(words):
    """The interface that a line for ip configures, if that interface exists already."""
    if words[:2] == ["link", "set"]:
        return words[2]
    return words[words.index("dev") + 1] if "dev" in words else None


def _link(state, action, end):
    """Cuts the link at its far end, so that this end sees the loss of carrier."""
    _, (ns, interface) = state.ends(end)
    name = f"{ns}:{interface}"
    complaint = f"cannot {action} link '{end}'"
    if action == "fail":
        step = Program(ns, ["ip"], [f"link set {interface} down"])
        return Fault([step], complaint, mark=lambda: state.mark_failed(name))
    # The link of a dead switch comes back with the switch's other links.
    dead = state.without_carrier(ns)
    steps = [] if dead else revival(state, ns, [interface])
    return Fault(steps[:1], complaint, steps[1:], lambda: state.mark_healed(name))


def _interfaces(state, switch):
    """The links of a switch, except those that were cut on their own."""
    found = []
    for ns_a, if_a, ns_b, if_b in state.links():
        found += [if_a] * (ns_a == switch) + [if_b] * (ns_b == switch)
    return [name for name in found if not state.exists("failed", f"{switch}:{name}")]


def _switch(state, action, ns, way=None):
    if ns not in state.lines("switches"):
        raise Refused(f"no switch '{ns}'")
    complaint = f"cannot {action} switch '{ns}'"
    if action == "heal" and way is None:
        return _heal_switch(state, ns, complaint)
    if way is None:
        return Fault([Forwarding(ns, "0")], complaint, mark=lambda: state.mark_failed(ns))
    if (action, way) != ("fail", "--carrier"):
        raise Usage(f"cannot {action} a switch with '{way}'")
    lines = [f"link set {name} down" for name in _interfaces(state, ns)]
    steps = [Program(ns, ["ip"], lines)] if lines else []
    return Fault(steps, complaint, mark=lambda: state.mark_failed(ns, "no carrier\n"))


def _heal_switch(state, ns, complaint):
    interfaces = _interfaces(state, ns) if state.without_carrier(ns) else []
    steps = revival(state, ns, interfaces) if interfaces else []
    steps.append(Forwarding(ns, "1"))
    return Fault(steps[:1], complaint, steps[1:], lambda: state.mark_healed(ns))


def ends_of(state, target):
    """Every (namespace, interface) that NS:IF, "link NS:IF", "plane N" or "all" stands for."""
    kind, *what = target
    if kind == "link":
        return list(state.ends(what[0]))
    if kind not in ("plane", "all"):
        return [state.ends(kind)[0]]
    ends = []
    for ns_a, if_a, ns_b, if_b in state.links():
        if kind == "all" or ns_b.startswith(f"p{what[0]}t"):
            ends += [(ns_a, if_a), (ns_b, if_b)]
    return ends


def _mtu(state, words):
    """Longer packets get lost there, or are reported, and all others pass."""
    size = 2 if words[0] == "link" else 1
    target, value = words[:size], words[size:]
    if len(target) < size or len(value) != 1:
        raise Usage("wanted: mtu NS:IF|link NS:IF N|off")
    mtu = state.shape().mtu if value == ["off"] else number("mtu", value[0], *plan.NUMBERS["mtu"][1:])
    ends = state.ends(target[-1])[:size]
    steps = [Program(ns, ["ip"], [f"link set {interface} mtu {mtu}"]) for ns, interface in ends]
    return Fault(steps, f"cannot set the MTU of '{target[-1]}'")


def aimed(state, command, words):
    """The ends of links that a command is for, and the words behind them."""
    size = 2 if words[0] in ("link", "plane") else 1
    target = words[:size]
    if len(target) < size:
        raise Usage(f"{command} {words[0]}: a name is missing")
    ends = ends_of(state, target)
    if not ends:
        raise Refused(f"no links in '{' '.join(target)}'")
    return ends, words[size:]


def _netem(state, words):
    ends, arguments = aimed(state, "netem", words)
    arguments = " ".join(arguments)
    if not arguments:
        raise Usage("netem wants arguments")
    if state.exists("ports"):
        raise Refused("the links have ports that trim, and netem would take their place")
    system.load_modules("sch_netem")
    off = arguments == "off"
    lines = {}
    for ns, interface in ends:
        line = (f"qdisc del dev {interface} root" if off
                else f"qdisc replace dev {interface} root netem {arguments}")  # fmt: skip
        lines.setdefault(ns, []).append(line)
    # If there is no qdisc to remove, that is fine.
    steps = [Program(ns, ["tc"], inside, lenient=off) for ns, inside in lines.items()]
    return Fault(steps, f"tc refused: {arguments}")
