# SPDX-License-Identifier: GPL-2.0-only
"""Stores what is known of a fabric that is up in files of a folder, and nowhere else, so that all runs
of scripts/lab, one after another or at the same time, see the same.

  config          NAME=NUMBER, the shape
  links           NS IF NS IF, each link
  hosts switches  their names
  devices         DEVICE HOST, of MRC
  ports           NS:IF SETTING=0|1..., of a fabric whose switches trim
  ns/NAME         lines for ip that set up this host or switch
  failed/NS:IF    a link that was cut on its own, at this end
  failed/NAME     a dead switch; the file says so when its links died with it
"""

import os

import plan
from errors import Refused

FOLDER = "/run/mrc-lab"


class State:
    def __init__(self, folder=FOLDER):
        self.folder = folder

    def exists(self, *parts):
        return os.path.exists(os.path.join(self.folder, *parts))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def lines(self, *parts):
        """The lines of one file; none if the file does not exist."""
        try:
            with open(self.path(*parts), encoding="ascii") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def write(self, name, lines):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in lines)

    def save(self, shape, commands):
        """Writes what "down" needs to disk before anything is built. If two labs start at a time, one
        fails here."""
        for part in ("", "ns", "failed"):
            os.mkdir(self.path(part))
        names = [*plan.NUMBERS, "plain", "management", "switch"]
        self.write("config", (f"{name}={getattr(shape, name)}" for name in names))
        self.write("links", (f"{link.ns_a} {link.if_a} {link.ns_b} {link.if_b}"
                             for link in commands.links))  # fmt: skip
        self.write("hosts", plan.hosts(shape))
        self.write("switches", (name for name, _ in plan.switches(shape)))
        for ns, lines in commands.inside.items():
            self.write(f"ns/{ns}", lines)

    def remove(self):
        for folder, _, files in os.walk(self.folder, topdown=False):
            for name in files:
                os.unlink(os.path.join(folder, name))
            os.rmdir(folder)

    def shape(self):
        """The shape of the fabric that is up."""
        config = self.lines("config")
        if not config:
            raise Refused("no fabric is up")
        pairs = (line.partition("=") for line in config)
        return plan.Shape(**{name: int(value) for name, _, value in pairs})

    def namespaces(self):
        return self.lines("hosts") + self.lines("switches")

    def links(self):
        return [line.split() for line in self.lines("links")]

    def host_number(self, name):
        if name not in self.lines("hosts"):
            raise Refused(f"no host '{name}'")
        return int(name[1:])

    def ends(self, end):
        """The near and the far end of the link at NS:IF, each as (namespace, interface)."""
        for ns_a, if_a, ns_b, if_b in self.links():
            if end == f"{ns_a}:{if_a}":
                return (ns_a, if_a), (ns_b, if_b)
            if end == f"{ns_b}:{if_b}":
                return (ns_b, if_b), (ns_a, if_a)
        raise Refused(f"no link '{end}'")

    def failed(self):
        return sorted(os.listdir(self.path("failed"))) if self.exists("failed") else []

    def mark_failed(self, name, text=""):
        """An empty text keeps the file's content."""
        with open(self.path("failed", name), "a", encoding="ascii") as file:
            file.write(text)

    def mark_healed(self, name):
        try:
            os.unlink(self.path("failed", name))
        except FileNotFoundError:
            pass

    def without_carrier(self, switch):
        """Whether the switch took its links with it."""
        return bool(self.lines("failed", switch))
