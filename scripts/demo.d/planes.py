# SPDX-License-Identifier: GPL-2.0-only
"""Asks mrcctl again and again about the planes of both devices."""
from telling import Query, emit

INTERVAL = 1.0
QP_ERRORS = ("retry_exceeded_err", "req_cqe_error", "resp_cqe_error", "ring_corrupt",
             "req_remote_access_errors", "req_remote_invalid_request",
             "resp_remote_access_errors")


class Planes:
    """Counters of both devices, as one sample."""

    def __init__(self):
        self.near, self.far = Query("h1"), Query("h2")

    def sample(self, clock):
        planes, peers, devices = self.near.ask("plane show mrc0", "peer show mrc0",
                                               "device show mrc0")
        far_planes, far_devices = self.far.ask("plane show mrc1", "device show mrc1")
        counters = [device["counter"] for device in devices + far_devices]
        return {
            "t": clock.now(),
            "planes": [row(*pair, peers) for pair in zip(planes, far_planes)],
            "retransmitted": counters[0]["retransmitted_packets"],
            "duplicates": counters[1]["duplicate_request"],
            "qp_errors": sum(c[name] for c in counters for name in QP_ERRORS),
        }

    def follow(self, clock, end):
        """Reports a sample every INTERVAL seconds."""
        t = 0
        while t < end:
            emit("sample", **self.sample(clock))
            t = max(t + INTERVAL, clock.now())
            clock.sleep_until(t)


def row(plane, far, peers):
    """A plane as h1 sees it, and how much of its traffic arrived at h2."""
    port = plane["port"]
    up = "up" == plane["admin-state"] == plane["oper-state"]
    evs = [ev for peer in peers for ev in peer["peer-ev"] if ev["port"] == port]
    good = [ev for ev in evs if up and ev["state"] in ("good", "skip")]
    return {
        "port": port, "up": up, "evs": len(evs), "evs_good": len(good),
        "lost": sum(ev["lost"] for ev in evs),
        "tx_packets": plane["stats"]["tx-packets"],
        "rx_packets": far["stats"]["rx-packets"],
        "rx_bytes": far["stats"]["rx-bytes"],
    }
