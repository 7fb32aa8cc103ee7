# SPDX-License-Identifier: GPL-2.0-only
"""Lists what scripts/sim simulates: scenarios, the settings that a row changes, and what is expected of
several runs together. What is expected of a single run is in its scenario."""

from dataclasses import dataclass, field

LARGE = {"fabric.generate": "{ endpoints = 1024, t0-down = 64, t0-up = 64 }"}
NO_ECN = {"queue.ecn": "[0.0, 0.0]"}
NO_TRIM = {"queue.trim": "0"}
DELAY = {"transport.ecn": "absent"}
NO_CC = {"transport.cc": "none"}


@dataclass
class Row:
    """One line of the table. shown: figures that it prints; quick: takes a second; known: why it misses
    its expectations, which then is no failure."""

    name: str
    scenario: str
    set: dict = field(default_factory=dict)
    shown: tuple = ("goodput-min", "goodput-mean")
    quick: bool = False
    seeds: int = 5
    known: str = ""


@dataclass
class Relation:
    """The median of a figure of row @less must be at most @factor times that of row @than."""

    name: str
    figure: str
    less: str
    factor: float
    than: str
    known: str = ""


INCAST = ("sink-min", "jain-min", "queue-t0-down-mean", "trimmed-share", "timeouts")
VICTIM = ("victim-min", "sink-min", "jain-min", "trims-untold", "timeouts")
MATRIX = ("sink-mean", "jain-min", "trimmed-share", "timeouts", "queue-t0-down-p99")
LOST = ("goodput-min", "evs-bad-max", "again", "timeouts")
HEADS = ("64 hosts that begin at once have more heads trimmed than their queue holds, and who is not "
         "told of a loss waits for its timeout")

ROWS = [
    Row("pair", "pair", shown=("completion-max-us",), quick=True),
    Row("S3 16", "permutation", quick=True),
    Row("S3 1024", "permutation", LARGE, known="64 hosts spray over each link, which is full, and "
        "marks do not make up for all of it"),
    Row("S3 one EV", "single-path", quick=True),
    Row("S4 1 QP", "victim", shown=VICTIM, quick=True, known="the flow beside the victim has half of "
        "what others have, and losers of the start stay behind for longer than the run"),
    Row("S4 8 QPs", "victim", {"traffic.0.qps": "8"}, shown=VICTIM, known="as with 1 QP"),
    Row("S4 64 groups", "victim", {**LARGE, "traffic.0.groups": "64"}, VICTIM, seeds=1,
        known="as with one group"),
    Row("S6", "links-dead", shown=("goodput-low", "lost-max", "evs-bad-end", "spurious"),
        known="answers by dead links are lost until the way back is probed"),
    Row("S9", "two-pairs", quick=True),
    Row("nothing lost", "nothing-lost", shown=("inferred", "spurious", "evs-bad-max"), quick=True),
    Row("planes lost", "planes-lost", shown=LOST, quick=True),
    Row("planes lost, NSCC", "planes-lost", {"transport.cc": "uet-1.0-nscc", "link.delay-ns": "5000"},
        LOST, quick=True),
    Row("incast 8", "incast", shown=INCAST, quick=True),
    Row("incast 32", "incast", {"traffic.0.senders": "32"}, shown=INCAST, quick=True),
    Row("incast 64", "incast", {"traffic.0.senders": "64"}, shown=INCAST, known=HEADS),
    Row("incast 128", "incast-many", shown=INCAST, known=HEADS),
]


def variants(name, scenario, changes):
    """S16: congestion control and trimming, on and off. Nothing is expected of single runs."""
    for label, more in (("both", {}), ("no trimming", NO_TRIM), ("no CC", NO_CC),
                        ("neither", {**NO_TRIM, **NO_CC})):  # fmt: skip
        yield Row(f"S16 {name}, {label}", scenario,
                  {"expect": "{}", "run.us": "2000", **changes, **more}, MATRIX)


for senders in (8, 32, 128):
    ROWS.extend(variants(f"incast {senders}", "incast", {"traffic.0.senders": str(senders)}))
ROWS.extend(variants("permutation", "permutation", {"run.us": "500"}))
ROWS.extend(variants("oversubscribed", "oversubscribed", {}))

for senders in (8, 32):
    for label, more in (("marks", {}), ("marks and delay", DELAY), ("neither", NO_ECN),
                        ("delay", {**NO_ECN, **DELAY})):  # fmt: skip
        ROWS.append(Row(f"ECN {senders}, {label}", "incast",
                        {"expect": "{}", "run.us": "10000", "traffic.0.senders": str(senders), **more},
                        INCAST))  # fmt: skip
SOFTWARE = {"transport.timing": "software", "queue.trim": "0", "expect": "{}", "run.us": "10000"}
ROWS.append(Row("ECN software, marks", "incast", SOFTWARE, INCAST))
ROWS.append(Row("ECN software, marks and delay", "incast", {**SOFTWARE, **DELAY}, INCAST))

UPLINKS = ("goodput-mean", "queue-t0-up-p99", "queue-t1-down-p99", "trimmed-share")
MIDDLE = {"fabric.generate": "{ endpoints = 256, t0-down = 32, t0-up = 32 }", "expect": "{}"}
ROWS.append(Row("S17 marked", "permutation", MIDDLE, UPLINKS))
ROWS.append(Row("S17 not marked", "permutation", {**MIDDLE, **NO_ECN}, UPLINKS))

CAP = "without marks it is trimming that keeps queues at one plane BDP"
BEYOND = "windows of one packet are too large together: what is trimmed has used links in vain"
RELATIONS = [
    Relation("S4, 8 QPs get no more", "sink-mean", "S4 8 QPs", 1.02, "S4 1 QP"),
    Relation("S4, 8 QPs get no less", "sink-mean", "S4 1 QP", 1.02, "S4 8 QPs"),
    Relation("ECN absent, 8", "trimmed-share", "ECN 8, delay", 0.2, "ECN 8, neither"),
    Relation("ECN absent, software", "sink-mean", "ECN software, marks and delay", 0.5,
             "ECN software, marks"),
    Relation("ECN absent, 32", "trimmed-share", "ECN 32, delay", 0.5, "ECN 32, neither"),
    Relation("S17", "queue-t0-up-p99", "S17 marked", 0.5, "S17 not marked", CAP),
    Relation("S16 timeouts, 8", "timeouts", "S16 incast 8, both", 0.9, "S16 incast 8, no trimming"),
    Relation("S16 timeouts, 32", "timeouts", "S16 incast 32, both", 0.9,
             "S16 incast 32, no trimming"),
    Relation("S16 timeouts, 128", "timeouts", "S16 incast 128, both", 0.9,
             "S16 incast 128, no trimming"),
    Relation("S16 goodput, 8", "sink-mean", "S16 incast 8, no CC", 0.99, "S16 incast 8, both"),
    Relation("S16 goodput, 32", "sink-mean", "S16 incast 32, no CC", 0.99, "S16 incast 32, both"),
    Relation("S16 goodput, 128", "sink-mean", "S16 incast 128, no CC", 0.99,
             "S16 incast 128, both"),
    Relation("S16 no trimming, 128", "sink-mean", "S16 incast 128, no trimming", 1,
             "S16 incast 128, both", BEYOND),
    Relation("S16 goodput, oversubscribed", "sink-mean", "S16 oversubscribed, no CC", 0.99,
             "S16 oversubscribed, both"),
]
