# SPDX-License-Identifier: GPL-2.0-only
"""Holds what the parts of guest.py share: the report, the clock, questions to mrcctl."""
import json
import os
import subprocess
import threading
import time

from machine import MRCCTL, START_LIMIT


def emit(kind, **fields):
    # In one write, because several threads do this.
    os.write(1, (json.dumps({"kind": kind, **fields}) + "\n").encode())


def say(text):
    emit("say", text=text)


class Clock:
    """The clock of a flow: seconds since it began."""

    def __init__(self):
        self.start = time.monotonic()

    def now(self):
        return self.since(time.monotonic())

    def since(self, moment):
        """Converts a moment of the monotonic clock."""
        return round(moment - self.start, 4)

    def at(self, wall_ns):
        """Converts a time since 1970."""
        return self.since(wall_ns / 1e9 - time.time() + time.monotonic())

    def sleep_until(self, t):
        time.sleep(max(0, self.start + t - time.monotonic()))


class Query:
    """An mrcctl in a host that answers one question after another."""

    def __init__(self, host):
        self.process = subprocess.Popen([MRCCTL, "-n", host, "-j", "-s", "-d", "-b", "-"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *questions):
        """The answers, each a list of objects."""
        try:
            self.process.stdin.write("".join(f"{question}\n" for question in questions))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        answers = [self.process.stdout.readline() for _ in questions]
        if not all(answers):
            raise RuntimeError("mrcctl ended")
        return [json.loads(answer) for answer in answers]


class Worker(threading.Thread):
    """Work beside the sampling; done() reports what went wrong with it."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.error = work, None
        self.start()

    def run(self):
        try:
            self.work()
        except Exception as error:  # whatever it is, the main thread reports it
            self.error = error

    def done(self):
        self.join(START_LIMIT)
        if self.error or self.is_alive():
            raise RuntimeError(self.error or "a part of the demonstration hangs")
