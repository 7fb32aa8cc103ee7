# SPDX-License-Identifier: GPL-2.0-only
"""What the parts of guest.py share: the report, scripts/lab, questions to mrcctl."""
import json
import os
import subprocess
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAB = os.path.join(TOP, "scripts/lab")
MRCCTL = os.path.join(TOP, "build/userspace/mrcctl/mrcctl")
MRCD = os.path.join(TOP, "build/userspace/mrcd/mrcd")
TRAFFIC = os.path.join(TOP, "build/userspace/bin/mrc_traffic")
PROVIDER = os.path.join(TOP, "build/userspace/provider/libmrc")
OUT = os.environ["VM_OUT"]

START_LIMIT = 60    # seconds for a program to get going


class DemoError(Exception):
    """The run cannot go on."""


def emit(kind, **fields):
    # In one write: more than one thread does this.
    os.write(1, (json.dumps({"kind": kind, **fields}) + "\n").encode())


def say(text):
    emit("say", text=text)


def output(name, command):
    """What a command prints."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise DemoError(f"{name} failed:\n{done.stdout}")
    return done.stdout.strip()


def lab(*args):
    return output(f"lab {' '.join(args)}", [LAB, *args])


def wait_until(what, condition):
    end = time.monotonic() + START_LIMIT
    while not condition():
        if time.monotonic() > end:
            raise DemoError(f"{what}: nothing for {START_LIMIT} s")
        time.sleep(0.1)


class Clock:
    """Seconds since the traffic began; before that, since 0."""

    def __init__(self):
        self.start = time.monotonic()

    def begin(self):
        self.start = time.monotonic()

    def now(self):
        return round(time.monotonic() - self.start, 3)

    def at(self, wall_ns):
        """Of a time since 1970."""
        return round(wall_ns / 1e9 - time.time() + time.monotonic() - self.start, 3)


class Query:
    """An mrcctl inside a host that answers one question after the other."""

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
            raise DemoError("mrcctl ended")
        return [json.loads(answer) for answer in answers]
