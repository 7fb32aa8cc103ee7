#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Starts the kernel's client for YAML specifications once, because it takes seconds to read one.

Usage: ynl_calls.py CLIENT SPEC SCHEMA

CLIENT is cli.py of tools/net/ynl. Each line of standard input is "do OPERATION JSON", "dump OPERATION"
or "subscribe GROUP". Each gets a line: "ok JSON", or what went wrong. The answer to "events" has the
events that came since "subscribe".
"""

import json
import os
import sys


class Calls:
    """Handles a line by its first word."""

    def __init__(self, client, spec, schema):
        sys.path.insert(0, os.path.dirname(client))
        from lib import YnlFamily  # pylint: disable=import-outside-toplevel

        # The client can subscribe only before its first request.
        self.listener = YnlFamily(spec, "")
        self.family = YnlFamily(spec, schema)

    def do(self, name, values="{}"):
        return self.family.do(name, json.loads(values))

    def dump(self, name):
        return self.family.dump(name, {})

    def subscribe(self, group):
        self.listener.ntf_subscribe(group)

    def events(self):
        self.listener.check_ntf()
        return self.listener.async_msg_queue


def plain(value):
    """Converts what JSON has no form for: bytes, and the names of flags.
"""
    return sorted(value) if isinstance(value, set) else value.hex()


def main():
    calls = Calls(*sys.argv[1:])
    for line in sys.stdin:
        kind, *rest = line.split(maxsplit=2)
        try:
            answer = getattr(calls, kind)(*rest)
            print("ok", json.dumps(answer, default=plain), flush=True)
        except Exception as why:  # pylint: disable=broad-except
            print(repr(str(why)), flush=True)


if __name__ == "__main__":
    main()
