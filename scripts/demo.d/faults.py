# SPDX-License-Identifier: GPL-2.0-only
"""Breaks things in the demonstration at set times, and finds what mrcd of h1 says about each."""
import time
from typing import NamedTuple

from fabric import PLANES, Held
from telling import emit

# Seconds after the start: a link is cut, a switch dies as well, both are healed, the end.
CUT, DIE, MEND, END = 3, 7, 11, 16
# Seconds to wait for mrcd, which trusts a link only after twenty probes have come back.
NAMING_LIMIT = 3.5


class Fault(NamedTuple):
    """A fault of scripts/lab, its state afterwards, and mrcd's name for it."""
    what: str
    how: str
    element: str


class Faults:
    """Breaks and heals by the clock. Starting commands takes time, so all are started beforehand."""

    def __init__(self, flow):
        # In planes 2 and 3, where the flow is. A flow that uses one plane loses that plane.
        plane, _ = flow.path([2] if flow.planes == PLANES else range(1, PLANES + 1))
        _, spine = flow.path([3])
        self.link = Fault(f"link h1:eth{plane}", "cut", f"h1-p{plane}t0r1")
        self.switch = Fault(f"switch p3t1s{spine}", "forwards nothing", f"p3t1s{spine}")
        self.steps = [(t, action, faults, Held([(action, *fault.what.split()) for fault in faults]))
                      for t, action, faults in ((CUT, "fail", [self.link]),
                                                (DIE, "fail", [self.switch]),
                                                (MEND, "heal", [self.switch, self.link]))]
        self.broken = set()

    def follow(self, clock, daemon):
        """Runs all faults. daemon: the mrcd to ask each time, or None."""
        for t, action, faults, held in self.steps:
            clock.sleep_until(t)
            self.apply(clock, action, faults, held)
            if daemon:
                self.await_naming(daemon, t + NAMING_LIMIT - clock.now())
                text = daemon.shown()
                emit("health", t=clock.now(), host=daemon.host, text=text)

    def apply(self, clock, action, faults, held):
        """A fault lasts from the command that breaks something until it is healed."""
        moment = held.fire()
        if action == "fail":
            self.tell(faults, clock.since(moment), False)
        held.finish()
        if action == "heal":
            self.tell(faults, clock.now(), True)

    def tell(self, faults, t, healed):
        for fault in faults:
            emit("fault", t=t, healed=healed, **fault._asdict())
        elements = {fault.element for fault in faults}
        self.broken = self.broken - elements if healed else self.broken | elements

    def await_naming(self, daemon, seconds):
        """Waits until mrcd has named what is broken, or, if nothing is, until it names nothing."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            named = daemon.named()
            if named >= self.broken and (self.broken or not named):
                break
            time.sleep(0.1)
