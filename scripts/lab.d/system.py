# SPDX-License-Identifier: GPL-2.0-only
"""Runs programs and handles network namespaces. Under emulation, starting a program takes most of the
time, and so does importing most modules: subprocess and signal cost more than Python itself."""

import _signal
import os

from errors import Refused

RUN_NETNS = "/run/netns"


class Namespaces:
    """Enters namespaces, and returns."""

    def __init__(self):
        self._setns = None
        self._home = None

    def _prepare(self):
        # Imported here, because only callers that enter a namespace need it.
        import ctypes

        self._setns = ctypes.CDLL(None, use_errno=True).setns
        self._errno = ctypes.get_errno
        self._home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)

    def enter(self, name):
        if self._setns is None:
            self._prepare()
        try:
            there = os.open(f"{RUN_NETNS}/{name}", os.O_RDONLY)
        except OSError as error:
            raise Refused(f"namespace {name}: {error.strerror}") from None
        try:
            self._go(there, name)
        finally:
            os.close(there)

    def _go(self, there, name):
        if self._setns(there, 0):
            raise Refused(f"namespace {name}: {os.strerror(self._errno())}")

    def leave(self):
        if self._home is not None:
            self._go(self._home, "outside")


_namespaces = Namespaces()


class Inside:
    """"with Inside(NAME)" runs in this namespace."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        _namespaces.enter(self.name)

    def __exit__(self, *_):
        _namespaces.leave()


def start(argv, stdin=None, quiet=False, stdout=None):
    """Starts a program; its standard input is empty unless it is a file descriptor given here.
    Returns its pid."""
    null = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)] if quiet else []
    feed = (
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
        if stdin is None else (os.POSIX_SPAWN_DUP2, stdin, 0)
    )  # fmt: skip
    out = [] if stdout is None else [(os.POSIX_SPAWN_DUP2, stdout, 1)]
    try:
        # Python ignores SIGPIPE, but programs must not.
        return os.posix_spawnp(argv[0], argv, os.environ, file_actions=[feed, *out, *null],
                               setsigdef=[_signal.SIGPIPE])  # fmt: skip
    except OSError as error:
        raise Refused(f"cannot start {argv[0]}: {error.strerror}") from None


def wait(pid):
    """The exit status of a program, or less than zero for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run(argv, quiet=False):
    return wait(start(argv, quiet=quiet))


def output(argv):
    """The output of a program."""
    read, write = os.pipe()
    try:
        pid = start(argv, stdout=write)
    finally:
        os.close(write)
    with open(read, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if wait(pid):
        raise Refused(f"{' '.join(argv)} failed")
    return text


class Fed:
    """A program that reads its commands from standard input, and waits for them."""

    def __init__(self, argv, text, quiet=False):
        self.text = text
        read, write_end = os.pipe()
        self._file = open(write_end, "w", encoding="utf-8", errors="surrogateescape")
        try:
            self.pid = start(argv, stdin=read, quiet=quiet)
        finally:
            os.close(read)

    def go(self):
        try:
            with self._file:
                self._file.write(self.text)
        except BrokenPipeError:
            # Its exit status reports the failure.
            pass

    def finish(self):
        return wait(self.pid)


def feed(argv, lines, quiet=False):
    """Runs a program that reads these lines. Returns its status."""
    program = Fed(argv, "".join(f"{line}\n" for line in lines), quiet)
    program.go()
    return program.finish()


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def load_modules(*names):
    """Loads kernel modules that are missing, if possible; some kernels have them built in."""
    missing = [name for name in names if not os.path.isdir(f"/sys/module/{name}")]
    if missing:
        try:
            run(["modprobe", "-qa", *missing], quiet=True)
        except Refused:
            # Whatever needs them will complain.
            pass


def inhabitants(names):
    """Processes in these namespaces, except this one."""
    ours = set()
    for name in names:
        try:
            ours.add(os.stat(f"{RUN_NETNS}/{name}").st_ino)
        except OSError:
            # The namespace is half-built, or half-removed.
            pass
    found = []
    for pid in os.listdir("/proc") if ours else ():
        if pid.isdigit() and int(pid) != os.getpid():
            try:
                if os.stat(f"/proc/{pid}/ns/net").st_ino in ours:
                    found.append(int(pid))
            except OSError:
                # The process has ended.
                pass
    return found
