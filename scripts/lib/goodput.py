# SPDX-License-Identifier: GPL-2.0-only
"""Computes what arrived over time, and when it is back after a fault. Times in seconds, rates in
Mb/s."""
import bisect

BIN = 0.01
ENOUGH = 0.9    # part of the remaining capacity that counts as recovered
# A dip that begins later than this after a fault was not caused by the fault. A dip is over at the
# first bin that has enough, if each 200 ms that begin within the next half second also have enough, and
# all bins until the restore on average: a burst is not enough. A window over one plane moves in bursts
# 20 ms apart: 100 ms have five of them, or four.
DIP_BEGINS, STRETCH, BINS = 0.5, 50, 20


class Curve:
    """Bytes received until a moment, interpolated linearly between two samples."""

    def __init__(self, samples, zero):
        self.times = [t - zero for t, _ in samples]
        self.bytes = [count for _, count in samples]

    def at(self, t):
        i = min(max(bisect.bisect_left(self.times, t), 1), len(self.times) - 1)
        t0, t1 = self.times[i - 1:i + 1]
        b0, b1 = self.bytes[i - 1:i + 1]
        return b0 + (b1 - b0) * (min(max(t, t0), t1) - t0) / (t1 - t0)

    def rate(self, start, end):
        return (self.at(end) - self.at(start)) * 8 / (end - start) / 1e6

    def bins(self, start, end):
        """(begin, rate) of each 10 ms; one of them begins with the fault."""
        first, last = int(start / BIN), int(end / BIN)
        return [(k * BIN, self.rate(k * BIN, (k + 1) * BIN)) for k in range(first, last)]

    def widest_gap(self, start, end):
        inside = [t for t in self.times if start <= t <= end]
        return max(b - a for a, b in zip(inside, inside[1:]))


def mean(rates):
    return sum(rates) / len(rates)


def lasts(rates, target):
    """Whether the goodput is back from the first of these bins on."""
    stretches = (rates[i:i + BINS] for i in range(min(STRETCH, len(rates) - BINS + 1)))
    return rates[0] >= target and mean(rates) >= target and all(
        mean(stretch) >= target for stretch in stretches)


def recovered(bins, target):
    """When the goodput is back at the target for good; 0: it was never below; None: not yet."""
    rates = [rate for _, rate in bins]
    low = next((i for i, rate in enumerate(rates) if rate < target), None)
    if low is None or bins[low][0] > DIP_BEGINS:
        return 0.0
    return next((bins[i][0] for i in range(low, len(rates) - BINS)
                 if lasts(rates[i:], target)), None)
