# SPDX-License-Identifier: GPL-2.0-only
"""Runs programs, hosts and devices, for the demonstration and the measurements in the virtual
machine."""
import contextlib
import os
import re
import subprocess
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAB = os.path.join(TOP, "scripts", "lab")
MRCCTL = os.path.join(TOP, "build/userspace/mrcctl/mrcctl")
MRCD = os.path.join(TOP, "build/userspace/mrcd/mrcd")
PROVIDER = os.path.join(TOP, "build/userspace/provider/libmrc")
OUT = os.environ.get("VM_OUT", "/tmp")
START_LIMIT = 60    # seconds for a program to start


def say(text):
    print(text, flush=True)


def run(cmd, check=True, **kw):
    r = subprocess.run(cmd, capture_output=True, text=True, timeout=180, **kw)
    if check and r.returncode:
        raise RuntimeError(f"{' '.join(cmd)}: exit {r.returncode}\n{r.stdout}{r.stderr}")
    return r.stdout


def lab(*words):
    return run([LAB, *words]).strip()


def wait_until(what, condition):
    end = time.monotonic() + START_LIMIT
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: nothing for {START_LIMIT} s")
        time.sleep(0.1)


def tell_and_run(cmd, **kw):
    say("    " + " ".join(cmd))
    return run(cmd, **kw)


@contextlib.contextmanager
def serving(cmd, **kw):
    """The other end, in the background."""
    say("    " + " ".join(cmd) + " &")
    server = subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw)
    try:
        time.sleep(1)
        yield server
    finally:
        server.kill()
        server.wait()


def ns(name):
    return ["ip", "netns", "exec", name]


def gid_index(device, prefix):
    """Index of the first RoCE v2 GID that begins with a prefix."""
    base = f"/sys/class/infiniband/{device}/ports/1"
    for i in range(32):
        try:
            with open(f"{base}/gids/{i}") as f:
                gid = f.read().strip()
            with open(f"{base}/gid_attrs/types/{i}") as f:
                kind = f.read().strip()
        except OSError:
            continue
        if gid.startswith(prefix) and kind == "RoCE v2":
            return str(i)
    raise RuntimeError(f"{device} has no GID {prefix}...")


def steer_packets():
    """Receives each plane's links on one CPU, as a NIC port's interrupts would be.

    The planes take turns; a plane's name is the digit that ends "eth" or begins after "p".
    """
    say("    rps_cpus: the links of odd planes on CPU 1, of even ones on CPU 0")
    for name in run(["ip", "netns", "list"]).split("\n"):
        if not name:
            continue
        host = name.split()[0]
        for path in run(ns(host) + ["sh", "-c", "ls -d /sys/class/net/*/queues/rx-0"]).split():
            plane = re.match(r"p(\d+)t", host) or re.search(r"/eth(\d+)/", path)
            cpu = int(plane[1]) % os.cpu_count() if plane else 0
            run(ns(host) + ["sh", "-c", f"echo {1 << cpu:x} >{path}/rps_cpus"])
