# SPDX-License-Identifier: GPL-2.0-only
"""Runs many commands in one process, because under emulation starting a process takes longer than most
commands.

A command is a line on standard input: words with blanks between them, and no quotes. The answer to each
is the lines that it printed, "out TEXT" for standard output and "err TEXT" for standard error, and then
"end STATUS". All state between two commands is on disk, so other processes may run commands meanwhile.
The exception is "hold": it prepares a command, and "go" runs all that are held, at once.
"""

import os
import sys


class _Captured:
    """A standard stream whose content is read back; started programs write to it, too."""

    def __init__(self, number, kind):
        self._number = number
        self._kind = kind
        os.dup2(os.memfd_create(kind), number)

    def take(self):
        """The lines of an answer."""
        size = os.lseek(self._number, 0, os.SEEK_CUR)
        text = os.pread(self._number, size, 0).decode(errors="replace")
        os.lseek(self._number, 0, os.SEEK_SET)
        return "".join(f"{self._kind} {line}\n" for line in text.splitlines())


def serve(run):
    """run(words) returns the status of a command. Ends with standard input."""
    _leave_group()
    commands = os.fdopen(os.dup(0), encoding="utf-8", errors="replace")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    captured = [_Captured(1, "out"), _Captured(2, "err")]
    for line in commands:
        words = line.split()
        if words:
            status = run(words)
            sys.stdout.flush()
            answers.write("".join(one.take() for one in captured) + f"end {status}\n")
            answers.flush()


def _leave_group():
    """Ignores a signal to the shell and all that it has started: clean-up still needs this process."""
    if not os.isatty(0):
        try:
            os.setsid()
        except PermissionError:
            # It is a process group leader already.
            pass
