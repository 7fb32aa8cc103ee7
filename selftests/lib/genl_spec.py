# SPDX-License-Identifier: GPL-2.0-only
"""A netlink client that knows the family from its specification only.

Messages are built and read by the rules of the kernel's YNL; the answers must be exactly what the
specification promises.
"""

import errno
import os
import socket
import struct
import yaml

NETLINK_GENERIC = 16
SOL_NETLINK = 270
ADD_MEMBERSHIP, CAP_ACK, EXT_ACK = 1, 10, 11
NLMSG_ERROR, NLMSG_DONE = 2, 3
F_REQUEST, F_MULTI, F_ACK, F_DUMP_INTR, F_DUMP, F_ACK_TLVS = 1, 2, 4, 16, 0x300, 0x200
NLA_NESTED, NLA_TYPE = 0x8000, 0x3fff
EXTACK_MSG, EXTACK_OFFSET, EXTACK_MISSING = 1, 2, 5
CTRL_ID, CTRL_GETFAMILY = 16, 3
CTRL_FAMILY_ID, CTRL_FAMILY_NAME, CTRL_GROUPS = 1, 2, 7
CTRL_GROUP_NAME, CTRL_GROUP_ID = 1, 2
HEADERS = 20
FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}


class SpecError(Exception):
    """The kernel did something that the specification does not say."""


class Refused(Exception):
    """The kernel refused a request."""

    def __init__(self, code, text, offset, missing):
        super().__init__(f"{errno.errorcode.get(code, code)}: {text}")
        self.code, self.text, self.offset, self.missing = code, text, offset, missing


def align(length):
    return (length + 3) & ~3


def attribute(kind, payload):
    return struct.pack("=HH", len(payload) + 4, kind) + payload + bytes(-len(payload) % 4)


def attributes(data):
    """Yields pairs of type with flags and payload."""
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4 or at + length > len(data):
            raise SpecError(f"attribute of {length} bytes at {at} of {len(data)}")
        yield kind, data[at + 4:at + length]
        at += align(length)


class Space:
    """An attribute set, or a part of another one."""

    def __init__(self, yaml_set, others):
        self.name = yaml_set["name"]
        self.by_name, self.by_number = {}, {}
        whole = others[yaml_set["subset-of"]] if "subset-of" in yaml_set else None
        number = 1
        for attr in yaml_set["attributes"]:
            number = attr.get("value", number)
            if whole:
                number, attr = whole.by_name[attr["name"]]
            self.by_name[attr["name"]] = (number, attr)
            self.by_number[number] = attr
            number += 1


class Family:
    """The family, as a specification describes it."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            # libyaml's loader is eight times as fast, and all of this is read again and again.
            self.spec = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.spaces = {}
        for space in self.spec["attribute-sets"]:
            self.spaces[space["name"]] = Space(space, self.spaces)
        self.enums = {}
        for enum in self.spec["definitions"]:
            number, self.enums[enum["name"]] = 0, {}
            for entry in enum["entries"]:
                entry = {"name": entry} if isinstance(entry, str) else entry
                number = entry.get("value", number)
                self.enums[enum["name"]][entry["name"]] = \
                    1 << number if enum["type"] == "flags" else number
                number += 1
        self.ops, self.ops_by_number = {}, {}
        number = 0
        for op in self.spec["operations"]["list"]:
            op["number"] = number = op.get("value", number + 1)
            self.ops[op["name"]] = self.ops_by_number[number] = op
        self.sequence = 0
        self.socket = self.open()
        self.id, self.groups = self.resolve()

    @staticmethod
    def open():
        sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        sock.setsockopt(SOL_NETLINK, CAP_ACK, 1)
        sock.setsockopt(SOL_NETLINK, EXT_ACK, 1)
        sock.bind((0, 0))
        return sock

    # ---- bytes

    def encode(self, space, values):
        data = b""
        for name, value in values.items():
            number, attr = self.spaces[space].by_name[name]
            for one in value if isinstance(value, list) else [value]:
                if attr["type"] == "nest":
                    payload = self.encode(attr["nested-attributes"], one)
                    data += attribute(number | NLA_NESTED, payload)
                else:
                    data += attribute(number, self.encode_one(attr, one))
        return data

    def encode_one(self, attr, value):
        if attr["type"] in FORMATS:
            if isinstance(value, str):
                value = self.enums[attr["enum"]][value]
            return struct.pack("=" + FORMATS[attr["type"]], value)
        if attr["type"] == "string":
            return value.encode() + b"\0"
        if isinstance(value, str):
            return socket.inet_pton(socket.AF_INET6, value)
        return value

    def decode(self, space, data):
        values = {}
        for kind, payload in attributes(data):
            attr = self.spaces[space].by_number.get(kind & NLA_TYPE)
            if not attr:
                raise SpecError(f"set {space} has no attribute {kind & NLA_TYPE}")
            if attr["type"] == "pad":
                continue
            if (attr["type"] == "nest") != bool(kind & NLA_NESTED):
                raise SpecError(f"{space}: {attr['name']} is a nest only on one side")
            value = self.decode_one(space, attr, payload)
            if attr.get("multi-attr"):
                values.setdefault(attr["name"], []).append(value)
            elif attr["name"] in values:
                raise SpecError(f"{space}: {attr['name']} comes twice")
            else:
                values[attr["name"]] = value
        return values

    def decode_one(self, space, attr, payload):
        name, kind = f"{space}: {attr['name']}", attr["type"]
        if kind == "nest":
            return self.decode(attr["nested-attributes"], payload)
        if kind in FORMATS:
            if len(payload) != struct.calcsize("=" + FORMATS[kind]):
                raise SpecError(f"{name} has {len(payload)} bytes")
            return self.check_value(name, attr, struct.unpack("=" + FORMATS[kind], payload)[0])
        if kind == "flag":
            if payload:
                raise SpecError(f"{name} is a flag with {len(payload)} bytes")
            return True
        if kind == "string":
            if not payload.endswith(b"\0"):
                raise SpecError(f"{name} does not end")
            return payload[:-1].decode()
        if attr.get("display-hint") == "ipv6":
            return socket.inet_ntop(socket.AF_INET6, payload)
        return payload

    def check_value(self, name, attr, value):
        checks = attr.get("checks", {})
        if not checks.get("min", 0) <= value <= checks.get("max", value):
            raise SpecError(f"{name} is {value}")
        if "enum" not in attr:
            return value
        if attr.get("enum-as-flags"):
            return self.flags(name, attr, value)
        for entry, number in self.enums[attr["enum"]].items():
            if number == value:
                return entry
        raise SpecError(f"{name}: no entry {value} in enum {attr['enum']}")

    def flags(self, name, attr, value):
        names = [entry for entry, bit in self.enums[attr["enum"]].items() if value & bit]
        if value != sum(self.enums[attr["enum"]][entry] for entry in names):
            raise SpecError(f"{name}: {value} has bits that enum {attr['enum']} has not")
        return names

    # ---- messages

    def send_raw(self, kind, flags, payload, sock=None):
        self.sequence += 1
        header = struct.pack("=IHHII", 16 + len(payload), kind, flags, self.sequence, 0)
        (sock or self.socket).send(header + payload)

    def receive(self):
        """Reads messages until the request is done: (command, data), and whether it was interrupted."""
        found, interrupted = [], False
        while True:
            data = self.socket.recv(1 << 20)
            while data:
                length, kind, flags, _, _ = struct.unpack_from("=IHHII", data)
                body, data = data[16:length], data[align(length):]
                interrupted = interrupted or bool(flags & F_DUMP_INTR)
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    self.check_end(kind, flags, body)
                    return found, interrupted
                found.append((body[0], body[4:]))

    @staticmethod
    def check_end(kind, flags, body):
        code = -struct.unpack_from("=i", body)[0]
        told = {}
        if code <= 0:
            return
        if flags & F_ACK_TLVS:
            told = dict(attributes(body[20 if kind == NLMSG_ERROR else 4:]))
        word = {k: struct.unpack("=I", v)[0] for k, v in told.items() if len(v) == 4}
        raise Refused(code, told.get(EXTACK_MSG, b"").rstrip(b"\0").decode(),
                      word.get(EXTACK_OFFSET), word.get(EXTACK_MISSING))

    def resolve(self):
        name = self.spec["name"].encode() + b"\0"
        self.send_raw(CTRL_ID, F_REQUEST | F_ACK,
                      struct.pack("=BBH", CTRL_GETFAMILY, 1, 0) + attribute(CTRL_FAMILY_NAME, name))
        family, groups = None, {}
        for _, data in self.receive()[0]:
            for kind, payload in attributes(data):
                if kind == CTRL_FAMILY_ID:
                    family = struct.unpack("=H", payload)[0]
                if kind & NLA_TYPE == CTRL_GROUPS:
                    for _, group in attributes(payload):
                        told = dict(attributes(group))
                        groups[told[CTRL_GROUP_NAME].rstrip(b"\0").decode()] = \
                            struct.unpack("=I", told[CTRL_GROUP_ID])[0]
        wanted = {group["name"] for group in self.spec["mcast-groups"]["list"]}
        if set(groups) != wanted:
            raise SpecError(f"groups {sorted(groups)}, not {sorted(wanted)}")
        return family, groups

    def request(self, number, flags, payload):
        """Sends a request of raw attributes. Answers as (command, data), interrupted."""
        version = self.spec.get("version", 1)
        self.send_raw(self.id, F_REQUEST | flags, struct.pack("=BBH", number, version, 0) + payload)
        return self.receive()

    def at_once(self, name, times, **values):
        """Sends similar requests in one go. For each: its answer, or its refusal."""
        op = self.ops[name]
        wanted = {key.replace("_", "-"): value for key, value in values.items()}
        payload = struct.pack("=BBH", op["number"], self.spec.get("version", 1), 0) + \
            self.encode(op["attribute-set"], wanted)
        header = struct.pack("=IHHII", 16 + len(payload), self.id, F_REQUEST | F_ACK, 0, 0)
        message = header + payload
        self.socket.send((message + bytes(align(len(message)) - len(message))) * times)
        ends = []
        for _ in range(times):
            try:
                (_, data), = self.receive()[0]
                ends.append(self.read(op, data, op["do"]["reply"]["attributes"]))
            except Refused as refusal:
                ends.append(refusal)
        return ends

    def dump_in_pieces(self, name, between, **values):
        """A dump that is read slowly: change() runs between its first piece and the others.

        Returns whether the dump is marked as inconsistent.
        """
        op = self.ops[name]
        wanted = {key.replace("_", "-"): value for key, value in values.items()}
        payload = struct.pack("=BBH", op["number"], self.spec.get("version", 1), 0) + \
            self.encode(op["attribute-set"], wanted)
        interrupted, kind, pieces = False, None, 0
        with self.open() as sock:
            self.send_raw(self.id, F_REQUEST | F_DUMP, payload, sock)
            while kind not in (NLMSG_DONE, NLMSG_ERROR):
                data = sock.recv(8192)
                pieces += 1
                while data:
                    length, kind, flags, _, _ = struct.unpack_from("=IHHII", data)
                    body, data = data[16:length], data[align(length):]
                    interrupted = interrupted or bool(flags & F_DUMP_INTR)
                if kind == NLMSG_ERROR:
                    self.check_end(kind, flags, body)
                if pieces == 1:
                    between()
        if pieces < 3:
            raise SpecError(f"{name} came in one piece")
        return interrupted

    def read(self, op, data, allowed):
        """Attributes of a message; no others than allowed."""
        values = self.decode(op["attribute-set"], data)
        strangers = set(values) - set(allowed)
        if strangers:
            raise SpecError(f"{op['name']}: {sorted(strangers)} are not in the specification")
        return values

    def call(self, name, kind="do", **values):
        """Runs an operation. Keywords are attributes, with _ for -. Returns a list of attributes."""
        op = self.ops[name]
        wanted = {key.replace("_", "-"): value for key, value in values.items()}
        flags = F_DUMP if kind == "dump" else F_ACK
        found, _ = self.request(op["number"], flags, self.encode(op["attribute-set"], wanted))
        allowed = op[kind].get("reply", {}).get("attributes", [])
        if found and not allowed:
            raise SpecError(f"{name} has no answer")
        strangers = {command for command, _ in found} - {op["number"]}
        if strangers:
            raise SpecError(f"{name} is answered by commands {sorted(strangers)}")
        return [self.read(op, data, allowed) for _, data in found]

    def dump(self, name, **values):
        return self.call(name, "dump", **values)

    # ---- events

    def subscribe(self, group):
        sock = self.open()
        sock.setsockopt(SOL_NETLINK, ADD_MEMBERSHIP, self.groups[group])
        sock.settimeout(60)
        return sock

    def event(self, sock):
        """Waits for the next event: its name and attributes."""
        data = sock.recv(1 << 16)
        op = self.ops_by_number[data[16]]
        return op["name"], self.read(op, data[HEADERS:], op["event"]["attributes"])

    def probe(self, operation="probe-start", **values):
        """Sends EV probes; returns their results."""
        sock = self.subscribe("probes")
        started = self.call(operation, **values)[0]
        while True:
            _, event = self.event(sock)
            if all(event[name] == started[name] for name in ("dev-index", "id")):
                sock.close()
                return event


def drop_privileges():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
