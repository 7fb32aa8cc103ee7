# SPDX-License-Identifier: GPL-2.0-only
"""Shows the flow that is running, and for MRC its planes. On a terminal it redraws a table in place,
otherwise it prints one line per second."""
from record import rates

RATE_WINDOW = 1.0   # minimum of seconds over which a shown rate is taken

RED, GREEN, YELLOW, BOLD = "31", "32", "33", "1"


def window(samples):
    """Rates over the last second or so."""
    last = samples[-1]
    for sample in reversed(samples[:-1]):
        if last["t"] - sample["t"] >= RATE_WINDOW:
            return rates(sample, last)
    return rates(samples[0], last)


def planes_of(record):
    """(plane, its rates) of MRC's planes; an empty list for the other flows, whose packets are not
    counted."""
    if len(record.flows) > 1 or len(record.samples) < 2:
        return []
    return list(zip(record.samples[-1]["planes"], window(record.samples)))


def fault_text(fault, now):
    return f"{fault['what']} {fault['how']} for {now - fault['from']:.0f} s"


class Live:
    """On a terminal: the table stays at the bottom, other lines scroll above it."""

    def __init__(self, out):
        self.out = out
        self.lines = 0

    def say(self, text):
        """Prints a line above the table; the table is drawn again with the next sample."""
        self.clear()
        self.out.write(text + "\n")
        self.out.flush()

    def clear(self):
        if self.lines:
            self.out.write(f"\033[{self.lines}A\033[J")
        self.lines = 0

    def draw(self, record):
        lines = self.table(record)
        # The table is overwritten line by line, so that nothing flickers. Lines are cut off where a
        # narrow terminal ends, because a line that wraps would become two.
        up = f"\033[{self.lines}A" if self.lines else ""
        rows = "".join(f"{line}\033[K\n" for line in lines)
        self.out.write(f"{up}\033[?7l{rows}\033[J\033[?7h")
        self.out.flush()
        self.lines = len(lines)

    def table(self, record):
        flow = record.flow
        title = f" {flow.peer}   {flow.now():5.1f} s   goodput {flow.rate():.0f} Mb/s"
        lines = ["", self.paint(BOLD, title)]
        planes = planes_of(record)
        if planes:
            lines += ["", " plane   state   packets/s    Mb/s   EVs good   retransmitted"]
            lines += [self.row(*plane) for plane in planes]
        faults = [fault_text(f, flow.now()) for f in flow.active_faults()]
        lines += ["", self.paint(RED, " " + "; ".join(faults)) if faults else " no faults"]
        return lines

    def row(self, plane, speed):
        state = self.paint(GREEN if plane["up"] else RED, "up  " if plane["up"] else "down")
        good = f"{plane['evs_good']}/{plane['evs']}"
        if plane["evs_good"] < plane["evs"]:
            good = self.paint(YELLOW, f"{good:>8}")
        return (f" {plane['port']:5}   {state}  {speed['packets']:11,.0f}  {speed['mbps']:6.0f}"
                f"   {good:>8}   {plane['lost']:13,}")

    @staticmethod
    def paint(code, text):
        return f"\033[{code}m{text}\033[0m"


class Lines:
    """Not on a terminal: one line per second."""

    def __init__(self, out):
        self.out = out
        self.flow, self.next = None, 1

    def say(self, text):
        print(text, file=self.out, flush=True)

    def clear(self):
        """Does nothing: there is no table to clear away."""

    def draw(self, record):
        flow = record.flow
        if flow is not self.flow:
            self.flow, self.next = flow, 1
        if flow.now() < self.next:
            return
        self.next = int(flow.now()) + 1
        cells = [f"{int(flow.now()):3} s  {flow.rate():4.0f} Mb/s"]
        for plane, speed in planes_of(record):
            state = "up  " if plane["up"] else "down"
            cells.append(f"p{plane['port']} {state} {speed['mbps']:3.0f} "
                         f"{plane['evs_good']}/{plane['evs']}")
        self.say(" | ".join(cells))
