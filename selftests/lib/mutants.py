# SPDX-License-Identifier: GPL-2.0-only
"""Changes captured packets, for inject.py.

Some get an ICRC that is right after the change, so they get further than any noise.
"""

import ipaddress
import random
import struct

from mrcwire import ETH_IPV6, NH_IPV6, NH_ROUTING, NH_UDP, UDP_PORTS, Icrc, read_frames

ETHERNET, IPV6, UDP, ICRC = 14, 40, 8, 4
BTH = 16
# The most that one skb of segments holds; links take single packets only.
PACKET_MAX = 9000


def inner_at(frame):
    """The offset of the innermost IPv6 header of a frame; None if no MRC is behind it."""
    if struct.unpack_from("!H", frame, 12)[0] != ETH_IPV6:
        return None
    at, following, offset = ETHERNET, frame[ETHERNET + 6], ETHERNET + IPV6
    while offset + 8 <= len(frame):
        if following == NH_ROUTING:
            following, offset = frame[offset], offset + 8 * (frame[offset + 1] + 1)
        elif following == NH_IPV6 and offset + IPV6 <= len(frame):
            at, following, offset = offset, frame[offset + 6], offset + IPV6
        else:
            break
    ours = following == NH_UDP and offset == at + IPV6 and offset + UDP + BTH + ICRC <= len(frame)
    return at if ours and struct.unpack_from("!H", frame, offset + 2)[0] in UDP_PORTS else None


class Mutants:
    """Changes packets of a capture file at random."""

    icrc = Icrc(bitwise=0)

    def __init__(self, path, third, near, seed):
        """third: address of a third host; near: PSNs near which the receiver takes packets."""
        self.dice = random.Random(seed)
        self.third, self.near = ipaddress.IPv6Address(third).packed, near
        self.packets = []
        for _, _, _, frame in read_frames(path):
            inner = inner_at(frame)
            if inner is not None and len(frame) <= PACKET_MAX:
                self.packets.append((frame[ETHERNET:inner], frame[inner:]))

    def names(self):
        """The opcodes in the capture."""
        return sorted({inner[IPV6 + UDP] for _, inner in self.packets})

    def mend(self, inner):
        """Gives the packet right lengths and a right ICRC."""
        inner = bytearray(inner)
        struct.pack_into("!H", inner, 4, len(inner) - IPV6)
        struct.pack_into("!H", inner, IPV6 + 4, len(inner) - IPV6)
        ip, udp = bytes(inner[:IPV6]), bytes(inner[IPV6:IPV6 + UDP])
        data = bytes(inner[IPV6 + UDP:-ICRC])
        return ip + udp + data + struct.pack("<I", self.icrc.compute(ip, udp, data))

    def spoilt(self, data, first=0):
        """Changes a few bytes, not the first ones; most of them are in headers."""
        data = bytearray(data)
        for _ in range(self.dice.choice((1, 1, 2, 8))):
            end = self.dice.choice((len(data), min(len(data), IPV6 + UDP + 80)))
            at = self.dice.randrange(min(first, end - 1), end)
            data[at] = self.dice.choice((self.dice.getrandbits(8), data[at] ^ 1 << self.dice.randrange(8)))
        return bytes(data)

    def now(self, inner):
        """Gives the packet a PSN near the current ones."""
        psn = self.dice.choice(self.near) + self.dice.choice((-1, 0, 1, 2, self.dice.randrange(-600, 600)))
        at = IPV6 + UDP + 9
        return inner[:at] + (psn % (1 << 24)).to_bytes(3, "big") + inner[at + 3:]

    def stranger(self, inner):
        return inner[:8] + self.third + inner[24:]

    def spliced(self, inner):
        """Puts the packet's headers before the rest of another packet."""
        _, other = self.dice.choice(self.packets)
        cut = IPV6 + UDP + 4 * self.dice.randrange(4, 16)
        return inner[:cut] + other[cut:]

    def resized(self, inner):
        """Makes the packet shorter or longer."""
        step = self.dice.choice((self.dice.randrange(1, 64), 4 * self.dice.randrange(1, 64)))
        if self.dice.randrange(2):
            return inner + self.dice.randbytes(step)
        return inner[:max(IPV6 + UDP + BTH + ICRC, len(inner) - step)]

    def packet(self, strange=False):
        """The next packet, as it goes on the link; strange: from a third host."""
        dice = self.dice
        outer, inner = dice.choice(self.packets)
        behind = IPV6 + UDP  # the headers before that say whose the packet is
        for change in dice.sample((self.now, self.spliced, self.resized, self.stranger,
                                   lambda data: self.spoilt(data, behind)), dice.randrange(4)):
            if change != self.stranger or dice.randrange(4) == 0:
                inner = change(inner)
        if strange:
            inner = self.stranger(inner)
        if dice.randrange(4):
            inner = self.mend(inner)
        if dice.randrange(8) == 0:
            inner = self.spoilt(inner)
        if outer and dice.randrange(8) == 0:
            outer = self.spoilt(outer)
        elif outer:
            outer = outer[:4] + struct.pack("!H", len(outer) - IPV6 + len(inner)) + outer[6:]
        return outer + inner
