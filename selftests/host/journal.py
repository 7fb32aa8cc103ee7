# SPDX-License-Identifier: GPL-2.0-only
"""Checks what mrcd writes to the journal. journal.sh calls this where no plane has a netdev, so that
all planes are faults."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import journald  # pylint: disable=wrong-import-position

MRCD, FOLDER = sys.argv[1:]
DEADLINE = 60  # seconds: ends a hung test, measures nothing

FILE = """
[fabric]
block = "fcbb:bb00::/32"
planes = 2
[t0]
p1t0r1 = { plane = 1, rack = "r1", usid = 0x0101 }
p2t0r1 = { plane = 2, rack = "r1", usid = 0x0201 }
[hosts]
h1 = { rack = "r1", usid = 0xf001, gid = "fd00:6d72:63::1" }
h2 = { rack = "r1", usid = 0xf002, gid = "fd00:6d72:63::2" }
[local]
host = "h1"
device = "mrctest0"
anchor = "mrctest"
planes = ["mrctest1", "mrctest2"]
[report]
port = 0
"""
# Links change; what is broken stays broken.
MORE = FILE.replace("[hosts]", """[t1]
p1t1s1 = { plane = 1, usid = 0x0181 }
[hosts]""")
QUIET = FILE + "[watch]\nrate = 0\n"


def denied(verdict, plane, evidence):
    return {"MRC_DEVICE": "mrctest0", "MRC_ELEMENT": f"h1-p{plane}t0r1", "MRC_KIND": "host-link",
            "MRC_PLANE": str(plane), "MRC_CAUSE": "no-carrier", "MRC_VERDICT": verdict,
            "MRC_EVIDENCE": evidence}


class Test:
    def __init__(self):
        self.listener = journald.bind()
        self.listener.settimeout(DEADLINE)
        self.config = os.path.join(FOLDER, "mrcd.toml")
        self.log = os.path.join(FOLDER, "mrcd.log")
        self.mrcd = None

    def start(self):
        """As under systemd, standard error is the journal's stream."""
        with open(self.log, "w", encoding="utf-8") as log:
            stat = os.fstat(log.fileno())
            stream = {"JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino}"}
            self.mrcd = subprocess.Popen([MRCD, "-f", self.config], stderr=log,
                                         env={**os.environ, **stream, "RUNTIME_DIRECTORY": FOLDER})

    def write(self, text):
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text)

    def entry(self):
        """The next entry. It must have the fields that every entry has."""
        fields = journald.fields(self.listener.recv(1 << 16))
        if fields.pop("SYSLOG_IDENTIFIER", None) != "mrcd":
            sys.exit(f"not from mrcd: {fields}")
        return fields

    def expect(self, name, wanted):
        found = self.entry()
        if found != wanted:
            sys.exit(f"{name}:\nwanted: {wanted}\nfound:  {found}")

    def expect_none(self, name):
        self.listener.setblocking(False)
        try:
            sys.exit(f"{name}: {self.entry()}")
        except BlockingIOError:
            self.listener.settimeout(DEADLINE)

    def ask(self, request):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect("\0mrcd/mrctest0")
            client.send(request.encode())
            return b"".join(iter(lambda: client.recv(1 << 16), b"")).decode()

    def reload(self, text):
        self.write(text)
        if self.ask("reload") != "ok":
            sys.exit("reload fails")

    def wait_for_faults(self, number):
        end = time.monotonic() + DEADLINE
        while len(json.loads(self.ask("health"))["fault"]) != number:
            if time.monotonic() > end:
                sys.exit(f"there are no {number} faults but {self.ask('health')}")
            time.sleep(0.02)

    def run(self):
        no_carrier = "no carrier"
        self.write(FILE)
        self.start()
        first = denied("denied", 1, no_carrier)
        profile = self.entry()
        evs = profile.pop("MRC_EVS_DENIED")
        if not evs.endswith(":0"):
            sys.exit(f"EVs denied: {evs}")
        message = "h1-p1t0r1 is denied: no carrier (1 EV of 1 profile denied)"
        if profile != {**first, "MESSAGE": message, "PRIORITY": "4"}:
            sys.exit(f"first: {profile}")
        self.expect("second", {
            **denied("not-denied", 2, no_carrier), "PRIORITY": "4", "MESSAGE":
            "h1-p2t0r1 is not denied, because too few planes or T1s would be left: no carrier"})

        self.reload(MORE)
        self.wait_for_faults(2)
        self.expect_none("said again after the file was read again")

        self.reload(QUIET)
        self.wait_for_faults(0)
        why = "links are no longer probed"
        self.expect("without probes", {
            **denied("allowed", 1, why), "MRC_EVS_ALLOWED": evs, "PRIORITY": "5",
            "MESSAGE": f"h1-p1t0r1 is allowed again: {why} (1 EV of 1 profile allowed)"})
        self.expect("without probes", {
            **denied("over", 2, why), "PRIORITY": "5",
            "MESSAGE": f"h1-p2t0r1 is no longer a fault: {why}"})
        self.mrcd.send_signal(signal.SIGTERM)
        if self.mrcd.wait(DEADLINE):
            sys.exit(f"mrcd ends with {self.mrcd.returncode}")
        self.expect_none("at the end")
        with open(self.log, encoding="utf-8") as log:
            if [line for line in log if not line.startswith("<")]:
                sys.exit("not for the journal: " + log.read())


def main():
    test = Test()
    try:
        test.run()
    finally:
        if test.mrcd and test.mrcd.poll() is None:
            test.mrcd.kill()


main()
