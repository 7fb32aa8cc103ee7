# SPDX-License-Identifier: GPL-2.0-only
"""Computes figures from the runs of congestion.py. Times are in seconds, rates in Mb/s, queues in parts
of a plane's bandwidth-delay product."""

# Bytes on the wire besides the payload of a packet: Ethernet, outer and inner IPv6, UDP, BTH, METH,
# RETH, ICRC.
HEADERS = 14 + 40 + 40 + 8 + 12 + 4 + 16 + 4
TARGET = 0.75       # of a base RTT
MOVED_RTTS = 20     # within which MRC must leave a plane that others fill
RATE_BIN = 0.1      # seconds


def jain(shares):
    """Fairness: 1 if all are equal, 1/n if one has all; None if there is no goodput at all."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else None


def rates(samples, flow):
    """Mb/s of a flow between consecutive samples."""
    return [(b["t"], (b["bytes"][flow] - a["bytes"][flow]) * 8 / (b["t"] - a["t"]) / 1e6)
            for a, b in zip(samples, samples[1:])]


def total(samples, flow):
    """Mb/s of a flow over all samples."""
    first, last = samples[0], samples[-1]
    return (last["bytes"][flow] - first["bytes"][flow]) * 8 / (last["t"] - first["t"]) / 1e6


def queues(samples, bdp):
    """(t, mean queue since the last sample), over the planes, in parts of bdp."""
    found = []
    for a, b in zip(samples, samples[1:]):
        parts = [(b_queued - a_queued) / (b_at - a_at)
                 for (a_queued, a_at, _), (b_queued, b_at, _) in zip(a["ports"], b["ports"])
                 if b_at > a_at]
        if parts:
            found.append((b["t"], sum(parts) / len(parts) / bdp))
    return found


def mean_queue(samples, bdp):
    return mean([queue for _, queue in queues([samples[0], samples[-1]], bdp)])


def used(samples, capacity):
    """The part of the capacity to the receiver that was used, by whatever traffic."""
    first, last = samples[0]["ports"], samples[-1]["ports"]
    return sum((b_sent - a_sent) * 8 / (b_at - a_at) * 1e3
               for (_, a_at, a_sent), (_, b_at, b_sent) in zip(first, last)) / capacity


def mean(values):
    return sum(values) / len(values) if values else None


def worst(completions, key):
    """The longest of the flows' times @key, in milliseconds; None if no time was measured."""
    found = [one[key] for one in completions if one and one["count"]]
    return max(found) / 1e6 if found else None


class Run:
    """One run and its figures."""

    def __init__(self, record, run):
        self.case, self.name = run["case"], run["name"]
        self.samples, self.counts, self.switch = run["samples"], run["counts"], run["switch"]
        self.idle = run["idle"]
        self.mrc = self.case["cc"] in ("fixed", "nscc")
        senders = self.case["senders"]
        goodputs = [total(self.samples, flow) for flow in range(len(self.samples[0]["bytes"]))]
        self.victim = goodputs[senders] if self.case["victim"] else None
        if self.case["victim"]:
            # The victim's host has both flows: what it sent belongs to both.
            goodputs[senders - 1] -= self.victim
        self.goodputs = goodputs[:senders]
        self.jain = jain(self.goodputs)
        wire = (record["path_mtu"] + HEADERS) / record["path_mtu"]
        capacity = record["rate"] * record["planes"]
        self.use = used(self.samples, capacity)
        self.goodput = sum(self.goodputs)
        self.left = None if self.victim is None else (
            self.victim * wire / (capacity - self.goodputs[-1] * wire))
        self.queue = mean_queue(self.samples, record["bdp"])
        self.longest = max(queue for _, queue in queues(self.samples, record["bdp"]))
        self.p99 = worst(run["completions"], "p99_ns")
        self.p50 = worst(run["completions"], "p50_ns")
        self.again = self.counts["retransmitted_packets"] if self.mrc else None
        self.timeouts = self.counts["local_ack_timeout_err"] if self.mrc else None


def share_of_first(samples, start, end):
    """The first plane's part of what was sent between two moments; None if nothing was sent."""
    inside = [s for s in samples if start <= s["t"] <= end]
    if len(inside) < 2:
        return None
    sent = [b - a for a, b in zip(inside[0]["planes"], inside[-1]["planes"])]
    return sent[0] / sum(sent) if sum(sent) else None


def foreign(record):
    """What MRC did when other traffic came to the first plane."""
    runs, rtt = record["foreign"], record["base_rtt_us"] / 1e6
    samples, came, went = runs["samples"], runs["came"], runs["went"]
    moved = came + MOVED_RTTS * rtt
    during = [s for s in samples if moved <= s["t"] <= went]
    wire = (record["path_mtu"] + HEADERS) / record["path_mtu"]
    others = record["rate"] * (record["planes"] - 1)
    return {
        "before": share_of_first(samples, samples[0]["t"], came),
        "during": share_of_first(samples, moved, went),
        "after": share_of_first(samples, went, samples[-1]["t"]),
        "goodput": total(during, 0) * wire,
        "of_others": total(during, 0) * wire / others,
    }
