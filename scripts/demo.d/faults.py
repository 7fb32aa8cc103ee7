# SPDX-License-Identifier: GPL-2.0-only
"""What breaks in the demonstration, when, and what mrcd of h1 says to it."""
import contextlib
import subprocess
import threading
import time
from typing import NamedTuple

from machine import LAB, START_LIMIT, DemoError, emit


class Fault(NamedTuple):
    """What scripts/lab breaks, its plane, how it is then, and mrcd's name for it."""
    what: str
    plane: int
    how: str
    element: str


LINK = Fault("link h1:eth2", 2, "cut", "h1-p2t0r1")
SWITCH = Fault("switch p3t1s1", 3, "forwards nothing", "p3t1s1")
# Seconds after the start, what is done, to what. On a busy machine naming a fault takes its
# time; the next step then comes PAUSE seconds after it.
SCHEDULE = ((5, "fail", [LINK]), (10, "fail", [SWITCH]), (15, "heal", [SWITCH, LINK]))
PAUSE = 3
# Seconds to wait for mrcd, which wants to see twenty probes come back before it trusts a link.
NAMING_LIMIT, READMITTING_LIMIT = 8, 30


class Held:
    """A command of scripts/lab that waits for the word: starting it is what takes the time."""

    def __init__(self, *command):
        self.command = command
        self.process = subprocess.Popen([LAB, "hold", *command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)

    def go(self):
        # One that has ended is complained about by finish().
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write("\n")
            self.process.stdin.flush()

    def finish(self):
        text, _ = self.process.communicate(timeout=START_LIMIT)
        if self.process.returncode:
            raise DemoError(f"lab {' '.join(self.command)} failed:\n{text}")


class Faults:
    """Breaks and heals by the clock, beside the sampling: it all takes a while."""

    def __init__(self, clock, daemon):
        self.clock = clock
        self.daemon = daemon
        self.broken = set()
        self.error = None
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        try:
            self.follow_schedule()
        except Exception as error:  # whatever it is, the main thread tells of it
            self.error = error

    def follow_schedule(self):
        ready = 0
        for t, action, faults in SCHEDULE:
            held = [Held(action, *fault.what.split()) for fault in faults]
            time.sleep(max(0, max(t, ready) - self.clock.now()))
            self.apply(action, faults, held)
            self.await_mrcd()
            text = self.daemon.shown()
            emit("health", t=self.clock.now(), host=self.daemon.host, text=text)
            ready = self.clock.now() + PAUSE

    def apply(self, action, faults, held):
        """A fault lasts from the word that breaks it until it is mended."""
        healed = action == "heal"
        begin = self.clock.now()
        for command in held:
            command.go()
        if not healed:
            self.tell(faults, begin, healed)
        for command in held:
            command.finish()
        if healed:
            self.tell(faults, self.clock.now(), healed)

    def tell(self, faults, t, healed):
        for fault in faults:
            emit("fault", t=t, healed=healed, **fault._asdict())
        elements = {fault.element for fault in faults}
        self.broken = self.broken - elements if healed else self.broken | elements

    def await_mrcd(self):
        """Until it has named what is broken; when nothing is, until it names nothing."""
        end = self.clock.now() + (NAMING_LIMIT if self.broken else READMITTING_LIMIT)
        while self.clock.now() < end:
            named = self.daemon.named()
            if named >= self.broken and (self.broken or not named):
                break
            time.sleep(0.1)
