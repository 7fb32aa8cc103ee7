# SPDX-License-Identifier: GPL-2.0-only
"""The plan of a fabric: derives names, addresses and links from its shape. Nothing is done here.

  host h<n>  --eth<plane>--  T0 p<plane>t0r<rack>  --  T1 p<plane>t1s<spine>

An interface is named after what is at the other end: "eth1" in a host leads to plane 1, "h1" in a
T0 to host h1, "t1s2" in a T0 to spine 2 of its plane, "t0r1" in a T1 to rack 1.

Numbering, below the SRv6 block fcbb:bb00::/32, 16 bits each:

  T0 of plane P, rack R     PP RR        p2t0r1 is 0201
  T1 of plane P, spine S    PP 80+S      p2t1s1 is 0281
  host n                    f000+n       h1     is f001

The path h1, T0, T1, T0, h2 through plane 2 and spine 1 is the address
fcbb:bb00:0201:0281:0202:f002::
Host n has the GID fd00:6d72:63::<n>, in hexadecimal, and with --management the address 198.18.0.0 + n.
With --plain-too it has fd00:7463:<plane>::<n>, which one plane leads to, and fd00:7463::<n>, which all
planes lead to.
"""

from errors import Usage, number

BLOCK = "fcbb:bb00"
GID_PREFIX = "fd00:6d72:63"
PLAIN_PREFIX = "fd00:7463"
# Stands for all planes in the plain addresses of a host.
ALL_PLANES = 0

# For each number of a shape: its default and its limits.
NUMBERS = {
    "planes": (4, 1, 32),
    "racks": (2, 1, 64),
    "spines": (2, 1, 64),
    "hosts_per_rack": (1, 1, 63),
    "mtu": (9000, 1280, 65535),
    "rate_mbit": (100, 1, 10000),
    "rtt_us": (2000, 100, 65535),
}
# What forwards in a switch: the kernel alone, or the kernel with ports that mark and trim.
SWITCHES = ("kernel", "trim")
# Settings of links that have such ports.
OF_PORTS = ("rate_mbit", "rtt_us")
# Options without a value, and the setting of each.
FLAGS = {
    "--plain": {"plain": 1},
    "--plain-too": {"plain_too": 1},
    "--management": {"management": 1},
    "--no-devices": {"devices": 0},
    "--bare-hosts": {"devices": 0, "bare": 1},
}
# A link's number is 16 bits of its MAC addresses.
MOST_LINKS = 0xFFFF


class Shape:
    """How large a fabric is, and of what kind."""

    def __init__(self, **settings):
        self.planes, self.racks, self.spines, self.hosts_per_rack, self.mtu = (
            settings.get(name, NUMBERS[name][0])
            for name in ("planes", "racks", "spines", "hosts_per_rack", "mtu")
        )
        self.rate_mbit, self.rtt_us = (settings.get(name, NUMBERS[name][0]) for name in OF_PORTS)
        self.switch = settings.get("switch", 0)
        self.plain = settings.get("plain", 0)
        self.plain_too = settings.get("plain_too", 0)
        self.management = settings.get("management", 0)
        self.bare = settings.get("bare", 0)
        self.devices = settings.get("devices", 1)

    @property
    def hosts(self):
        return range(1, self.racks * self.hosts_per_rack + 1)

    @property
    def all_planes(self):
        return range(1, self.planes + 1)

    @property
    def all_racks(self):
        return range(1, self.racks + 1)

    @property
    def all_spines(self):
        return range(1, self.spines + 1)

    def rack_of(self, n):
        return (n - 1) // self.hosts_per_rack + 1

    def others(self, n):
        return (other for other in self.hosts if other != n)


def shape_of(arguments):
    """The shape that the options of "lab up" ask for."""
    settings = {}
    words = iter(arguments)
    for option in words:
        name = option.removeprefix("--").replace("-", "_")
        if option in FLAGS:
            settings.update(FLAGS[option])
        elif option == "--switch":
            settings["switch"] = _switch(next(words, None))
        elif option.startswith("--") and "_" not in option and name in NUMBERS:
            text = next(words, None)
            if text is None:
                raise Usage(f"{option} wants a number")
            settings[name] = number(option, text, *NUMBERS[name][1:])
        else:
            raise Usage(f"unknown option '{option}'")
    for name in OF_PORTS:
        if name in settings and not settings.get("switch"):
            raise Usage(f"--{name.replace('_', '-')} needs --switch trim")
    shape = Shape(**settings)
    _check(shape)
    return shape


def _switch(kind):
    if kind not in SWITCHES:
        raise Usage(f"--switch wants {' or '.join(SWITCHES)}")
    return SWITCHES.index(kind)


def _check(shape):
    if shape.plain and shape.plain_too:
        raise Usage("--plain and --plain-too exclude each other")
    if shape.plain and shape.bare:
        raise Usage("--plain and --bare-hosts exclude each other")
    count = shape.planes * (len(shape.hosts) + shape.racks * shape.spines)
    if count > MOST_LINKS:
        raise Usage(f"a fabric has at most {MOST_LINKS} links, not {count}")


def host(n):
    return f"h{n}"


def t0(plane, rack):
    return f"p{plane}t0r{rack}"


def t1(plane, spine):
    return f"p{plane}t1s{spine}"


def device(n):
    """The MRC device of a host."""
    return f"mrc{n - 1}"


def gid(n):
    return f"{GID_PREFIX}::{n:x}"


def management(n):
    return f"198.18.{n >> 8}.{n & 255}"


def plain(plane, n):
    """An address of a host to which a plain route leads, through one plane or ALL_PLANES."""
    if plane == ALL_PLANES:
        return f"{PLAIN_PREFIX}::{n:x}"
    return f"{PLAIN_PREFIX}:{plane:x}::{n:x}"


def host_usid(n):
    return f"{0xF000 + n:04x}"


def t0_usid(plane, rack):
    return f"{plane:02x}{rack:02x}"


def t1_usid(plane, spine):
    return f"{plane:02x}{0x80 + spine:02x}"


def sid(n):
    return f"{BLOCK}:{host_usid(n)}::"


def path(shape, start, end, plane, spine=1):
    """The address of a path between two hosts; the spine matters only between racks."""
    first, last = shape.rack_of(start), shape.rack_of(end)
    usids = [t0_usid(plane, first)]
    if first != last:
        usids += [t1_usid(plane, spine), t0_usid(plane, last)]
    return ":".join([BLOCK, *usids, host_usid(end)]) + "::"


def paths(shape, start, end):
    """All paths between two hosts, as (plane, address)."""
    same = shape.rack_of(start) == shape.rack_of(end)
    spines = (1,) if same else shape.all_spines
    return [
        (plane, path(shape, start, end, plane, spine))
        for plane in shape.all_planes
        for spine in spines
    ]


def hosts(shape):
    return [host(n) for n in shape.hosts]


def switches(shape):
    """[(name, uSID)], the T0s of a plane before its T1s."""
    found = []
    for plane in shape.all_planes:
        found += [(t0(plane, rack), t0_usid(plane, rack)) for rack in shape.all_racks]
        found += [(t1(plane, spine), t1_usid(plane, spine)) for spine in shape.all_spines]
    return found


class Link:
    """A veth pair. Each end knows the other's link address beforehand."""

    def __init__(self, index, near, far):
        self.ns_a, self.if_a = near
        self.ns_b, self.if_b = far
        high, low = index >> 8, index & 255
        self.mac_a = f"02:00:00:{high:02x}:{low:02x}:0a"
        self.mac_b = f"02:00:00:{high:02x}:{low:02x}:0b"
        self.address_a = f"fe80::ff:fe{high:02x}:{low:02x}0a"
        self.address_b = f"fe80::ff:fe{high:02x}:{low:02x}0b"


class Links:
    """Creates links, each with the next number."""

    def __init__(self):
        self.all = []

    def uplink(self, shape, plane, n):
        """A link from a host to its T0."""
        rack = shape.rack_of(n)
        return self._add((host(n), f"eth{plane}"), (t0(plane, rack), host(n)))

    def trunk(self, plane, rack, spine):
        """A link from a T0 to a T1."""
        return self._add((t0(plane, rack), f"t1s{spine}"), (t1(plane, spine), f"t0r{rack}"))

    def _add(self, near, far):
        link = Link(len(self.all) + 1, near, far)
        self.all.append(link)
        return link
