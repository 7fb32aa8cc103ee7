# SPDX-License-Identifier: GPL-2.0-only
"""Runs mrcd in each host. Nothing else configures the hosts."""
import os
import subprocess
import tempfile

from machine import MRCCTL, MRCD, OUT, lab, run, wait_until
from telling import Query, say

def fixed(window):
    """The lines of a file for a window of that many KiB; None: no lines, so the default applies."""
    return f'\n[cc]\nalgorithm = "none"\nwindow = {window << 10}\n' if window else ""


class Daemon:
    """mrcd of a host, with the file that scripts/lab writes for it."""

    def __init__(self, stack, host, window):
        self.host = host
        file, self.log = f"{OUT}/{host}.toml", f"{OUT}/mrcd-{host}.log"
        with open(file, "w", encoding="utf-8") as out:
            out.write(f"{lab('file', host)}\n{fixed(window)}")
        say(f"{host}$ mrcd -f {host}.toml")
        # Another daemon in the same machine may have left state of another fabric behind.
        left = stack.enter_context(tempfile.TemporaryDirectory())
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["nsenter", f"--net=/run/netns/{host}", MRCD, "-f", file],
                stdout=log, stderr=subprocess.STDOUT, env=dict(os.environ, RUNTIME_DIRECTORY=left))
        stack.callback(self.process.wait)
        stack.callback(self.process.terminate)
        self.query = Query(host)

    def health(self):
        """What mrcctl shows of the host's device, under its JSON name; empty without a device."""
        if self.process.poll() is not None:
            with open(self.log, encoding="utf-8") as log:
                raise RuntimeError(f"mrcd of {self.host} ended:\n{log.read()}")
        devices, = self.query.ask("health show")
        return devices[0] if devices else {}

    def ready(self):
        """Whether the host is as the file says, and each link has answered."""
        health = self.health()
        loops = [loop for plane in health.get("plane", ())
                 for loop in (plane, *plane.get("t1", ()))]
        return health.get("status") == "as planned" and loops and not health["fault"] and \
            all(loop["verdict"] == "alive" for loop in loops)

    def named(self):
        """The elements that mrcd considers broken."""
        return {fault["element"] for fault in self.health().get("fault", ())}

    def shown(self):
        """The output that an operator sees."""
        return run([MRCCTL, "-n", self.host, "health"], check=False).rstrip()

    def decisions(self, clock):
        """The decisions of mrcd, with their times."""
        return [{"host": self.host, "t": clock.at(decision["time-ns"]), "text": decision["text"]}
                for decision in self.health().get("decision", ())]


def start(stack, hosts, window=None):
    """A daemon per host, by name, once all are ready. @window: fixed window of a QP in KiB, or None"""
    daemons = {host: Daemon(stack, host, window) for host in hosts}
    for host, daemon in daemons.items():
        wait_until(f"mrcd of {host} is not ready", daemon.ready)
    return daemons
