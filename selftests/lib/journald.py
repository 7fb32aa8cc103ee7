# SPDX-License-Identifier: GPL-2.0-only
"""Replaces the systemd journal where there is none: its socket and its protocol
(systemd.io/JOURNAL_NATIVE_PROTOCOL).

Usage: journald.py FILE    keep entries in FILE, a JSON object each, until it is ended
"""

import json
import os
import socket
import sys

PATH = "/run/systemd/journal/socket"


def fields(entry):
    """The fields of an entry, as a dictionary; ValueError when the entry breaks the protocol."""
    found = {}
    while entry:
        line, end, entry = entry.partition(b"\n")
        if not end:
            raise ValueError(f"no end of line behind {line!r}")
        name, equals, value = line.partition(b"=")
        if not equals:
            size = int.from_bytes(entry[:8], "little")
            value, end, entry = entry[8:8 + size], entry[8 + size:9 + size], entry[9 + size:]
            if end != b"\n":
                raise ValueError(f"{name!r} is not as long as it says")
        found.setdefault(name.decode(), []).append(value.decode())
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def forget_dead():
    """Removes the name of a killed process's socket; the socket of a running journal stays."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        try:
            sender.connect(PATH)
        except ConnectionRefusedError:
            os.unlink(PATH)
        except FileNotFoundError:
            pass


def bind():
    """The socket, to which every process may write."""
    os.makedirs(os.path.dirname(PATH), exist_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    forget_dead()
    listener.bind(PATH)
    os.chmod(PATH, 0o666)
    return listener


def main():
    listener = bind()
    try:
        with open(sys.argv[1], "w", encoding="utf-8") as kept:
            while True:
                print(json.dumps(fields(listener.recv(1 << 20))), file=kept, flush=True)
    finally:
        os.unlink(PATH)


if __name__ == "__main__":
    main()
