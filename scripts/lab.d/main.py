# SPDX-License-Identifier: GPL-2.0-only
"""The command line of scripts/lab."""

import _signal
import os
import sys

import plan
from errors import Refused, Usage, number
from state import State

USAGE = """\
Usage: scripts/lab COMMAND
       scripts/lab -b

up [OPTION]...        build the fabric, and a device in every host
   --planes N         planes (default 4, up to 32)
   --racks N          racks, with one T0 switch per plane (default 2, up to 64)
   --spines N         T1 switches per plane (default 2, up to 64)
   --hosts-per-rack N hosts in each rack (default 1, up to 63)
   --mtu N            of every link (default 9000)
   --plain            no SRv6: routed IPv6, T0 switches spread over spines by ECMP
   --plain-too        beside SRv6 also addresses of each plane, and of all, routed
                      the plain way: for programs that know no SRv6
   --management       also an IPv4 network that joins the hosts, apart from the fabric
   --switch trim      ports of switches mark and trim, and links have a rate and a delay
     --rate-mbit N    of each link, in Mb/s (default 100, up to 10000)
     --rtt-us N       between racks and back, queues empty (default 2000, up to 65535)
   --no-devices       no module, no MRC devices: the fabric alone
   --bare-hosts       the same, and hosts without GID and SID: mrcd makes all of these
down                  remove everything, also a half-built fabric
show                  draw the fabric with the state of its links
exec HOST COMMAND...  run a command in a host or switch

fail|heal link NS:IF  cut a link at its far end, so that NS sees carrier loss
fail|heal switch NS   a switch drops all packets and keeps its links up
fail switch NS --carrier    its links die with it: their other ends see that
netem NS:IF ARGS      tc netem arguments for what NS sends through IF
netem link NS:IF ARGS ... for both directions of the link
netem plane N ARGS    ... for all links of a plane
netem all ARGS        ... for all links
                      ARGS "off" removes it
port NS:IF|link NS:IF|plane N|all
                      print what has happened at ports that mark and trim, as JSON
port NS:IF|... [ecn on|off] [trim on|off] [stale on|off]
                      set these ports; stale: a trimmed packet keeps its payload length
mtu NS:IF N           set the MTU of that end of a link to N, or with "off" to the fabric's
mtu link NS:IF N      ... of both ends
hold fail|heal|netem|mtu ...  the same, but prepare it now, and do it when a line comes
                      on standard input

path FROM TO PLANE [SPINE]  print the SRv6 address of a path between two hosts
gid HOST, sid HOST          print an address of a host
management HOST             print its IPv4 address
file HOST                   print the fabric as HOST's mrcd.toml
load, unload                load or unload the module, from build/modules or installed
help, -h                    print this

-b   commands from standard input, one a line: words with blanks between them. The answer to
     each is lines "out TEXT" and "err TEXT" of what it prints, and then "end STATUS". Here
     "hold" returns when its command is ready, and "go" does all held commands at once

Exit status: 0 done, 1 refused, 2 the command line makes no sense.

Example: scripts/lab up --planes 2, then scripts/lab exec h1 ping -c 1 fd00:6d72:63::2, and
scripts/lab fail link h1:eth1
"""

HOLDABLE = ("fail", "heal", "netem", "mtu")


class Lab:
    """The commands, each a method; held: the faults that "hold" has prepared in batch mode."""

    def __init__(self, state=None, batch=False):
        self.state = state or State()
        self.batch = batch
        self.held = []

    def up(self, *options):
        import builder
        import devices
        import system
        from commands import Commands

        shape = plan.shape_of(options)
        if self.state.exists():
            raise Refused("a fabric, or half of one, is already up: run 'lab down' first")
        commands = Commands(shape)
        builder.refuse_taken_names(commands.inside)
        system.load_modules("veth", "dummy", "bridge")
        if shape.devices:
            devices.load()
        if shape.switch:
            devices.load_switch()
        self.state.save(shape, commands)
        try:
            builder.build(self.state, shape, commands)
            if shape.switch:
                import ports

                ports.of(self.state).build()
            if shape.devices:
                devices.build(self.state, shape)
        except BaseException:
            print("lab: building failed, removing what is there", file=sys.stderr)
            builder.remove(self.state)
            raise

    def down(self):
        import builder

        builder.remove(self.state)

    @staticmethod
    def load():
        import devices

        devices.load()

    @staticmethod
    def unload():
        import devices

        devices.unload()

    def show(self):
        from picture import Picture

        picture = Picture(self.state.shape(), self.state.failed(), self.state.exists("devices"))
        for line in picture.lines():
            print(line)

    def exec(self, ns, *command):
        if self.batch:
            raise Usage("exec is not for batch mode")
        if not self.state.exists("ns", ns):
            raise Refused(f"no host or switch '{ns}'")
        if not command:
            raise Usage("exec wants a command")
        import devices

        devices.find_provider()
        # Python ignores this signal, but programs must not.
        _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
        os.execvp("ip", ["ip", "netns", "exec", ns, *command])

    def fail(self, *words):
        self._do(["fail", *words])

    def heal(self, *words):
        self._do(["heal", *words])

    def netem(self, *words):
        self._do(["netem", *words])

    def mtu(self, *words):
        self._do(["mtu", *words])

    def port(self, *words):
        import faults
        import ports

        found = ports.of(self.state)
        ends, settings = faults.aimed(self.state, "port", list(words))
        if settings:
            found.change(ends, settings)
        else:
            found.print(ends)

    def _do(self, words):
        import faults

        fault = faults.fault_of(self.state, words)
        fault.prepare()
        faults.at_once([fault])

    def hold(self, *words):
        import faults

        fault = faults.fault_of(self.state, words)
        fault.prepare()
        if self.batch:
            self.held.append(fault)
        elif sys.stdin.readline():
            faults.at_once([fault])
        else:
            raise Refused("no line has come on standard input")

    def go(self):
        import faults

        if not self.held:
            raise Refused("nothing is held")
        held, self.held = self.held, []
        faults.at_once(held)

    def path(self, start, end, plane, spine="1"):
        shape = self.state.shape()
        start, end = self.state.host_number(start), self.state.host_number(end)
        plane = number("plane", plane, 1, shape.planes)
        print(plan.path(shape, start, end, plane, number("spine", spine, 1, shape.spines)))

    def gid(self, host):
        print(plan.gid(self.state.host_number(host)))

    def sid(self, host):
        print(plan.sid(self.state.host_number(host)))

    def management(self, host):
        n = self.state.host_number(host)
        if not self.state.shape().management:
            raise Refused("the fabric was built without --management")
        print(plan.management(n))

    def file(self, host):
        import hostfile

        for line in hostfile.lines(self.state.shape(), self.state.host_number(host)):
            print(line)

    @staticmethod
    def help():
        print(USAGE, end="")


# For each command its arguments, how many there may be, and whether it needs root and a fabric.
MANY = 10**6
COMMANDS = {
    "up": ("[OPTION]...", 0, MANY, True, False),
    "down": ("", 0, 0, True, False),
    "load": ("", 0, 0, True, False),
    "unload": ("", 0, 0, True, False),
    "show": ("", 0, 0, True, True),
    "exec": ("HOST COMMAND...", 1, MANY, True, True),
    "fail": ("link NS:IF, or fail switch NS [--carrier]", 2, 3, True, True),
    "heal": ("link NS:IF, or heal switch NS", 2, 3, True, True),
    "netem": ("NS:IF|link NS:IF|plane N|all ARGS", 1, MANY, True, True),
    "mtu": ("NS:IF|link NS:IF N|off", 2, 3, True, True),
    "port": ("NS:IF|link NS:IF|plane N|all [SETTING on|off]...", 1, MANY, True, True),
    "path": ("FROM TO PLANE [SPINE]", 3, 4, False, True),
    "gid": ("HOST", 1, 1, False, True),
    "sid": ("HOST", 1, 1, False, True),
    "management": ("HOST", 1, 1, False, True),
    "file": ("HOST", 1, 1, False, True),
    "go": ("", 0, 0, True, False),
    "help": ("", 0, 0, False, False),
}
OTHER_NAMES = {"-h": "help", "--help": "help"}


def obey(lab, words):
    """One command of a Lab."""
    command, *arguments = words
    command = OTHER_NAMES.get(command, command)
    held = command == "hold"
    if held:
        command, *arguments = arguments or [""]
        if command not in HOLDABLE:
            raise Usage("hold takes fail, heal, netem or mtu")
    if command not in COMMANDS or command == "go" and not lab.batch:
        raise Usage(f"unknown command '{command}'")
    syntax, least, most, root, fabric = COMMANDS[command]
    if not least <= len(arguments) <= most:
        raise Usage(f"wanted: {command} {syntax}" if syntax else f"{command} takes no arguments")
    if root and os.geteuid():
        raise Refused("needs root")
    if fabric and not lab.state.exists("config"):
        raise Refused("no fabric is up")
    if held:
        lab.hold(command, *arguments)
    else:
        getattr(lab, command)(*arguments)


def run(lab, words):
    """One command. Returns its exit status."""
    try:
        obey(lab, words)
    except Refused as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.status
    except OSError as error:
        print(f"lab: {' '.join(words)}: {error}", file=sys.stderr)
        return 1
    return 0


def _ended(*_):
    raise SystemExit(143)


def main(words):
    _signal.signal(_signal.SIGTERM, _ended)
    try:
        if words == ["-b"]:
            import batch

            lab = Lab(batch=True)
            batch.serve(lambda line: run(lab, line))
            return 0
        status = run(Lab(), words or ["help"])
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has gone. What is left must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
