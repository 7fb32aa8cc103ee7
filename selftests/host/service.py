# SPDX-License-Identifier: GPL-2.0-only
"""Checks what mrcd says to systemd (sd_notify(3)). service.sh calls this."""

import os
import signal
import socket
import subprocess
import sys

MRCD, FOLDER = sys.argv[1:]
DEADLINE = 60  # seconds: ends a hung test, measures nothing

FILE = """
[fabric]
block = "fcbb:bb00::/32"
planes = 1
[t0]
p1t0r1 = { plane = 1, rack = "r1", usid = 0x0101 }
[hosts]
h1 = { rack = "r1", usid = 0xf001, gid = "fd00:6d72:63::1" }
[local]
host = "h1"
device = "mrctest0"
anchor = "mrctest"
planes = ["mrctest1"]
[watch]
rate = 0
[report]
port = 0
"""


def check_reload(config, wait_for):
    """The unit's reload command fails with the line number if the file is refused, and else
    succeeds."""
    def reload():
        done = subprocess.run([MRCD, "--reload"], capture_output=True, text=True, timeout=DEADLINE)
        return done.returncode, done.stderr

    def taken():
        wait_for("RELOADING=1")
        wait_for("READY=1")

    if reload() != (0, ""):
        sys.exit("mrcd --reload fails")
    taken()
    with open(config, "a", encoding="utf-8") as file:
        file.write("nonsense = 1\n")
    line = len(FILE.splitlines()) + 1
    status, text = reload()
    if status != 1 or text != f"{config}:{line}: report: unknown key 'nonsense'\n":
        sys.exit(f"mrcd --reload of a bad file: {status}, '{text}'")
    taken()
    with open(config, "w", encoding="utf-8") as file:
        file.write(FILE)
    if reload() != (0, ""):
        sys.exit("mrcd --reload of a file that was mended fails")
    taken()


def main():
    path = os.path.join(FOLDER, "notify")
    config = os.path.join(FOLDER, "mrcd.toml")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(path)
    listener.settimeout(DEADLINE)
    with open(config, "w", encoding="utf-8") as file:
        file.write(FILE)

    def wait_for(word):
        """Waits until mrcd says so. Returns what it said before."""
        said = []
        while not said or not any(line.startswith(word) for line in said[-1]):
            try:
                said.append(listener.recv(4096).decode().splitlines())
            except TimeoutError:
                sys.exit(f"mrcd does not say '{word}' but {said}")
        return said

    environment = {**os.environ, "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "500000",
                   "RUNTIME_DIRECTORY": FOLDER}
    with subprocess.Popen([MRCD, "-f", config], env=environment, stderr=subprocess.DEVNULL) as mrcd:
        wait_for("STATUS=")
        wait_for("READY=1")
        wait_for("WATCHDOG=1")
        wait_for("WATCHDOG=1")
        mrcd.send_signal(signal.SIGHUP)
        wait_for("RELOADING=1")
        wait_for("READY=1")
        check_reload(config, wait_for)
        mrcd.send_signal(signal.SIGTERM)
        wait_for("STOPPING=1")
        if mrcd.wait(DEADLINE):
            sys.exit(f"mrcd ends with {mrcd.returncode}")


main()
