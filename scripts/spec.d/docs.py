# SPDX-License-Identifier: GPL-2.0-only
"""Generates documents: tables in Documentation/netlink/README.md, settings in the JSON schemas."""

import json
import re

from family import PLACES, limits_of


class Table:
    """The table of a set's attributes."""

    def __init__(self, family, group):
        self.family, self.group = family, group
        self.asked, self.told, self.raised = set(), set(), set()
        for part in family.sets.values():
            if part.parent == group.name:   # inside the requests of another set
                self.asked |= set(part.attributes)
        for op in family.operations:
            if op.set is not group:
                continue
            for kind in ("do", "dump"):
                self.asked |= {a.name for a in op.listed(kind, "request") or []}
                self.told |= {a.name for a in op.listed(kind, "reply") or []}
            self.raised |= set(op.data.get("event", {}).get("attributes", []))

    def where(self, a):
        """The messages that have the attribute."""
        inside = not self.asked | self.told | self.raised
        if inside or (a.name in self.asked and a.name in self.told):
            return ""
        if a.name in self.asked:
            return ", requests"
        return " r" if a.name in self.told else ", events"

    def kind(self, a):
        kind = "address" if a.address else a.kind
        return kind + self.where(a) + (", repeated" if a.data.get("multi-attr") else "")

    def text(self, a):
        parts = [a.doc] if a.doc else []
        if "enum" in a.data:
            named = self.family.enums[a.data["enum"]].entries
            parts.append(", ".join(f"{number} {name}" for name, _, number, _ in named))
        elif a.kind[0] == "u" and limits_of(a) and not a.on_off:
            parts.append(limits_of(a))
        inner = self.family.nested(a)
        if inner and inner.foreign:
            parts.append("as " + ", ".join(f"`{x.constant}`" for x in inner.attributes.values()))
        elif inner:
            parts.append(f"see [{inner.parent or inner.name}](#{inner.parent or inner.name})")
        default = a.own.get("default")
        words = "; ".join(parts).replace("|", "\\|")
        if default is None:
            return words
        return f"{words} ({default if 'enum' in a.data else int(default)})"

    def lines(self):
        rows = [f"| `{a.name}` | {self.kind(a)} | {self.text(a)} |"
                for a in self.group.attributes.values() if a.name not in PLACES]
        return ["| attribute | type | |", "|---|---|---|", *rows]


def asked(op, kind):
    """What a request may have besides the device; optional attributes are in brackets."""
    must = op.own.get("require", []) if kind == "do" else []
    return ", ".join(f"`{a.name}`" if a.name in must else f"[`{a.name}`]"
                     for a in op.listed(kind, "request") if a.name not in PLACES)


def operations(family):
    lines = ["| operation | | request, besides the device | what it does |", "|---|---|---|---|"]
    for op in family.operations:
        kinds = [kind for kind in ("do", "dump") if kind in op.data]
        if not kinds:
            continue
        requests = {kind: asked(op, kind) for kind in kinds}
        if len(set(requests.values())) == 1:
            request = requests[kinds[0]]
        else:
            request = "; ".join(f"{kind}: {names}" for kind, names in requests.items() if names)
        lines.append(f"| `{op.name}` | {', '.join(kinds)} | {request} | {op.doc} |")
    return lines


def events(family):
    lines = ["| event | group | when | besides |", "|---|---|---|---|"]
    for op in family.operations:
        if "event" in op.data:
            names = [name for name in op.data["event"]["attributes"]
                     if name not in (*PLACES, "time")]
            lines.append(f"| `{op.name}` | {op.data['mcgrp']} | {op.doc} | "
                         f"{', '.join(f'`{name}`' for name in names)} |")
    return lines


def entries(enum):
    lines = ["| number | name | |", "|---|---|---|"]
    return lines + [f"| {number} | `{name}` | {doc} |" for name, _, number, doc in enum.entries]


def page(family, text):
    """The page with its tables written anew. Each table stands between two comments."""
    def table(match):
        name = match[1]
        if name == "operations":
            lines = operations(family)
        elif name == "events":
            lines = events(family)
        elif name.startswith("enum-"):
            lines = entries(family.enums[name.removeprefix("enum-")])
        else:
            lines = Table(family, family.set_named(name, "README.md")).lines()
        return "\n".join([f"<!-- spec: {name} -->", "", *lines, "", "<!-- /spec -->"])

    return re.sub(r"<!-- spec: (\S+) -->\n.*?<!-- /spec -->", table, text, flags=re.S)


def dump(data):
    return json.dumps(data, indent=2) + "\n"


def value(family, a):
    """Key and schema of a setting."""
    low, high = a.checks.get("min", 0), a.checks.get("max", (1 << int(a.kind[1:] or 0)) - 1
                                                     if a.kind[0] == "u" else 0)
    if a.address:
        return a.name, {"$ref": "common.json#/$defs/address"}
    if a.on_off:
        return a.name, {"type": "boolean"}
    if family.enum_of(a):
        return a.name, {"enum": [entry[0] for entry in family.enum_of(a).entries]}
    if a.unit == "fraction":
        return a.name, {"type": "number", "minimum": low / 1e6, "maximum": high / 1e6}
    suffix = {"ns": "-ns", "bytes": "-bytes", "rate": "-bytes-per-second"}.get(a.unit, "")
    return a.name + suffix, {"type": "integer", "minimum": low, "maximum": high}


def properties_of(family, name):
    values = next(values for values in family.values if values.name == name)
    return dict(value(family, a) for a in values.attributes)


def device_schema(family, text):
    """device.json with all settings, before the counters and as an object of their own."""
    data = json.loads(text)
    properties = properties_of(family, "device")
    data["$defs"]["settings"] = {"type": "object", "properties": properties,
                                 "additionalProperties": False}
    items = data["items"]
    counter = items["properties"].pop("counter")
    items["properties"] |= properties
    items["properties"]["counter"] = counter
    items["required"] += [name for name in properties if name not in items["required"]]
    return dump(data)


def cc_profile_schema(family, text):
    """cc-profile.json with all settings, and what follows from them."""
    data = json.loads(text)
    properties = data["items"]["properties"]
    properties |= properties_of(family, "cc-profile")
    properties.pop("derived", None)
    properties["derived"] = {"type": "object", "properties": properties_of(family, "cc-derived"),
                             "additionalProperties": False}
    return dump(data)


def monitor_schema(family, text):
    """monitor.json with the settings of CC profiles in their events."""
    data = json.loads(text)
    for event in data["oneOf"]:
        if event["properties"]["event"].get("const") == "cc-profile":
            event["properties"] |= properties_of(family, "cc-profile")
    return dump(data)
